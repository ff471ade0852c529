"""Measures a model through the path the window uses; nothing here is needed to run one."""

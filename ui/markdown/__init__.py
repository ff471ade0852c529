"""Markdown of a model's answer, cut into what the window can show; no Qt in here."""

"""Data files that ship with Snug; read them with importlib.resources."""

"""What Snug does, in plain Python: used by the window and the command line alike."""

__version__ = "0.1.0"

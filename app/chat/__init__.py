"""A conversation, and who keeps it."""

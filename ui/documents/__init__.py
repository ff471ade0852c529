"""The documents of a conversation: what was found in them, and their pages."""

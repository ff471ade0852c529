"""Reads the text of pages that are pictures."""

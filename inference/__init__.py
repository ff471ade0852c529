"""Runs a language model: no Qt, and nothing of the application above it."""

"""Choosing and adding models."""

"""The window: Qt only."""

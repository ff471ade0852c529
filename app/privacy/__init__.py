"""What keeps Snug private, and the log that shows it."""

"""Models on the disk: where they come from, which is installed, which runs."""

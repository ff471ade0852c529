"""Models that other programs have on this machine: looked at where they are, and never changed."""

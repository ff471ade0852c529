"""How the answers of one conversation are made, as a person sets it."""

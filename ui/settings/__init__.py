"""What a person sets: the key of the store and the look."""

"""One module a model family: what its decoder has that the common one has not."""

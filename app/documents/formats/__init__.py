"""One module a family of formats; imported in document processes only."""

"""Documents: read behind walls, summarised from evidence."""

"""The encrypted store: the only place that speaks SQL."""

"""HOW GOOD: models of ratings, one per file."""

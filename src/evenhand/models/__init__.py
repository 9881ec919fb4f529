"""Models of preference over one likelihood, one model to a file."""

"""The plain models that others must beat: uniform, by pair, by system (Hopkins & May 2013)."""

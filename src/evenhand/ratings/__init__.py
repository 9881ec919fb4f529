"""Models of ratings: variance components, completion, processes of judges."""

"""Documents: what a result says, in one shape, and all ways of laying it out."""

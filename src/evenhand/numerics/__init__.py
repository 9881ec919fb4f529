"""Plain arrays in, plain arrays out: mathematics that knows no judge and no system."""

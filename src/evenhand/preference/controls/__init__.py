"""Comparison covariates: the columns that hold them, their likelihood over rows, fit and checks."""

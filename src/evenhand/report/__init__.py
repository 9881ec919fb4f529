"""Figures and tables of what was found."""

"""Variance components as they are reported: estimates, sentences, and what a design would give."""

"""Automatic metrics against people: how well scores of metrics agree with judgments."""

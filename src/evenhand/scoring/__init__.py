"""Ranking by a rule: one rule per file, one signature, scores that can be shown side by side."""

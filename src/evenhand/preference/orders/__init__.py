"""Models of rankings: what Plackett-Luce and the pattern model share, and what each adds."""

"""Nothing that starts at the file does less than reading it."""

import numpy as np

from benchmarks.peers import Values


def load(path: str) -> Values:
    """The sum of all scores."""
    with np.load(path) as file:
        return {"sum": float(sum(file[name].sum() for name in file.files))}

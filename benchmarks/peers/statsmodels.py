"""statsmodels: a binomial GLM on a dense design that the user builds from a GROUP BY.

A tie is half a win for each; estimates with covariance.
"""

import numpy as np
import statsmodels.api as sm
from numpy.typing import NDArray

from benchmarks.peers import TooLarge, Worths, centred, grouped

Array = NDArray[np.float64]
LARGEST = 4e7
"""Numbers in the dense design above which the fit takes minutes: it is refused."""


def duckdb_counts(path: str) -> Worths:
    """One row per unordered pair; the first system is the reference."""
    cells = grouped.folded(grouped.counts(path))
    design, outcomes = design_of(cells)
    fit = sm.GLM(outcomes, design[:, 1:], family=sm.families.Binomial()).fit()
    fit.cov_params()
    return centred(cells.systems, np.append(0, fit.params))


def design_of(cells: grouped.Counts) -> tuple[Array, Array]:
    """(n, K) rows with +1 and -1, and (n, 2) wins and losses, half a win for a tie.

    Raises `TooLarge` where the dense design is.
    """
    n, k = len(cells.left), len(cells.systems)
    if n * k > LARGEST:
        raise TooLarge(f"a dense design of {n:,} x {k:,}")
    design = np.zeros((n, k))
    design[np.arange(n), cells.left] = 1
    design[np.arange(n), cells.right] = -1
    half = cells.ties / 2
    return design, np.column_stack([cells.wins + half, cells.losses + half])

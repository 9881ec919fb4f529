"""statsmodels: a binomial GLM on a dense design that the user builds from a GROUP BY.

A tie is half a win for each; estimates with covariance.
"""

import numpy as np
import statsmodels.api as sm

from benchmarks.peers import TooLarge, Worths, centred, grouped

LARGEST = 4e7
"""Numbers in the dense design above which the fit takes minutes: it is refused."""


def duckdb_counts(path: str) -> Worths:
    """One row per unordered pair; the first system is the reference."""
    cells = grouped.folded(grouped.counts(path))
    n, k = len(cells.left), len(cells.systems)
    if n * k > LARGEST:
        raise TooLarge(f"a dense design of {n:,} x {k:,}")
    design = np.zeros((n, k))
    design[np.arange(n), cells.left] = 1
    design[np.arange(n), cells.right] = -1
    half = cells.ties / 2
    outcomes = np.column_stack([cells.wins + half, cells.losses + half])
    fit = sm.GLM(outcomes, design[:, 1:], family=sm.families.Binomial()).fit()
    fit.cov_params()
    return centred(cells.systems, np.append(0, fit.params))

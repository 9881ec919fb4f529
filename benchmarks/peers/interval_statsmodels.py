"""statsmodels' standard errors: those of its GLM, made those of centred log-worths."""

from collections.abc import Callable

import numpy as np
import statsmodels.api as sm

from benchmarks.peers import Answer, grouped
from benchmarks.peers.statsmodels import design_of


def duckdb_counts(path: str) -> Callable[[], Answer]:
    """One row per unordered pair; the first system is the reference."""
    cells = grouped.folded(grouped.counts(path))
    design, outcomes = design_of(cells)
    fit = sm.GLM(outcomes, design[:, 1:], family=sm.families.Binomial()).fit()
    vcov = np.pad(fit.cov_params(), ((1, 0), (1, 0)))
    centre = np.eye(len(vcov)) - 1 / len(vcov)
    error = np.sqrt(np.diag(centre @ vcov @ centre))

    def look() -> Answer:
        values = dict(zip(cells.systems, error.tolist(), strict=True))
        return Answer(values, {"median_se": float(np.median(error))})

    return look

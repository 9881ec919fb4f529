"""The oracle of these tests: the log-linear model written out as a Poisson regression.

Fitted by statsmodels, cell by cell with every nuisance parameter explicit, so that nothing is
shared with Evenhand's own likelihood.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

Array = NDArray[np.float64]


class Cell(NamedTuple):
    """Counts of one pair in one group: the systems' positions, three counts, group dummies."""

    left: int
    right: int
    won: float
    tied: float
    lost: float
    dummies: tuple[float, ...] = ()


class Poisson(NamedTuple):
    """Estimates without the nuisance parameters: λ (last system out), × dummies, γ, then δ."""

    estimates: Array
    covariance: Array
    deviance: float
    df: int

    def assert_gives(self, expected: Mapping[str, Mapping[str, float]], scale: float = 1) -> None:
        """Compare estimates and standard errors with `expected`, in the order of both."""
        stderr = np.sqrt(np.diag(self.covariance))
        for found, column in ((self.estimates, "est"), (stderr, "se")):
            printed = [one[column] for one in expected.values()]
            np.testing.assert_allclose(scale * found, printed, rtol=0, atol=1e-6)


def poisson(
    cells: Sequence[Cell], systems: int | Array, *, ties: str = "free", order: bool = False
) -> Poisson:
    """Fit log m = μ(cell) ± (x_left - x_right)·(1, dummies) ± δ, with γ on the tie.

    `systems` is how many there are (the last is the reference), or covariates (systems, columns).
    `ties` is `free` (γ estimated), `zero` (tie cells without γ) or `dropped`.
    """
    design = np.eye(systems)[:, :-1] if isinstance(systems, int) else systems
    signs = (1, -1) if ties == "dropped" else (1, 0, -1)
    rows, counts = [], []
    for position, cell in enumerate(cells):
        difference = design[cell.left] - design[cell.right]
        effects = np.kron((1.0, *cell.dummies), difference)
        for sign in signs:
            extra = [float(sign == 0)] * (ties == "free") + [float(sign)] * order
            rows.append([*np.eye(len(cells))[position], *(sign * effects), *extra])
            counts.append({1: cell.won, 0: cell.tied, -1: cell.lost}[sign])
    model = sm.GLM(np.array(counts, dtype=float), np.array(rows), family=sm.families.Poisson())
    # a saturated table (one pair with ties) fits perfectly: no residual df, nothing amiss
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        fit = model.fit(tol=1e-13, maxiter=200)
    keep = slice(len(cells), None)
    covariance = fit.cov_params()[keep, keep]
    return Poisson(fit.params[keep], covariance, float(fit.deviance), int(fit.df_resid))


@pytest.fixture(scope="session")
def oracle() -> Callable[..., Poisson]:
    """Give the tests the regression above."""
    return poisson


@pytest.fixture(scope="session")
def cell() -> type[Cell]:
    """Give the tests the cell type, which a sibling file could not import."""
    return Cell

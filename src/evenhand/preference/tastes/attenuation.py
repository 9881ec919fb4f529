"""How much smaller tastes look through the answers of many judges and items.

Worths and ν are fitted to the mean of all judges and items, whose score curve is flatter than that
of one. To first order in the covariance of two votes, a variance σ² looks like

    R = σ² · {E s'(√(2Σ) Z; ν₁) / s'(0; ν)}²,   s(x) = ½ (P(left) − P(right)),   Z ~ N(0, 1)

with Σ the sum of the variances of tastes, ν the fitted tie parameter and ν₁ that of one judge and
item, which gives the fitted share of ties between equals: E t(√(2Σ) Z; ν₁) = t(0; ν). Σ solves this
with what all tastes look like. Without ties this is nearly σ² = R (1 + 2c²Σ), c = 16√3/(15π)
(Zeger, Liang & Albert 1988, Biometrics 44:1049-1060), which falls short where tastes are strong.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified

Array = NDArray[np.float64]

NODES: Final = 61
STRONGEST: Final = 9.0
"""Largest sum of variances that is looked for: tastes of sd 3 in log-worth."""
STEPS: Final = 200
CLOSE: Final = 1e-9


@dataclass(frozen=True)
class Restored:
    """Variances of tastes themselves.

    Attributes:
        judge: σ_J².
        item: σ_I².
        growth: by what variances look smaller than they are.

    """

    judge: float
    item: float
    growth: float


def restore(judge: float, item: float, tie: float) -> Restored:
    """Return variances of tastes from what they look like.

    Args:
        judge: R_J, not below 0.
        item: R_I, not below 0.
        tie: ν as it was fitted, 0 without ties.

    Raises:
        NotIdentified: tastes are so strong that answers hardly show systems.

    >>> restore(0.0, 0.0, 0.5).growth
    1.0
    """
    looks = total = judge + item
    growth = 1.0
    for _ in range(STEPS):
        if total > STRONGEST:
            break
        growth = _growth(total, tie)
        last, total = total, looks * growth
        if abs(total - last) <= CLOSE:
            return Restored(judge * growth, item * growth, growth)
    raise NotIdentified(
        "tastes are so strong beside the worths of systems that moments give their variance no"
        " estimate",
        [
            "take judge x system from the likelihood (--method likelihood; in Python"
            ' method="likelihood")',
            "collect more judgments of each judge",
        ],
    )


def _growth(total: float, tie: float) -> float:
    """Return by what variances look smaller, where the variances of tastes sum to a total."""
    if total == 0:
        return 1.0
    nodes, weights = _nodes()
    x = sqrt(2 * total) * nodes
    own = _match_ties(x, weights, tie) if tie > 0 else 0.0
    return float(_slope(np.zeros(1), tie)[0] / (weights @ _slope(x, own))) ** 2


def _match_ties(x: Array, weights: Array, tie: float) -> float:
    """Return the tie parameter of which the mean share of ties is that of equals under `tie`."""
    wanted = tie / (2 + tie)
    low, high = log(tie), log(tie) + float(np.abs(x).max())
    for _ in range(60):
        middle = (low + high) / 2
        share = exp(middle) / (2 * np.cosh(x / 2) + exp(middle))
        if float(weights @ share) < wanted:
            low = middle
        else:
            high = middle
    return exp((low + high) / 2)


def _slope(x: Array, tie: float) -> Array:
    """Return s'(x) = ½ d/dx of 2 sinh(x/2) / (2 cosh(x/2) + ν)."""
    cosh, sinh = np.cosh(x / 2), np.sinh(x / 2)
    below = 2 * cosh + tie
    return np.asarray((cosh * below - 2 * sinh**2) / below**2 / 2)


@cache
def _nodes() -> tuple[Array, Array]:
    """Return nodes and weights of a mean over a standard normal."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return nodes, weights / weights.sum()

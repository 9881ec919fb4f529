"""The power that a design is expected to have, without simulated judgments: to search by.

Estimates are taken for normal around the pooled log-worths, with the errors of `closed_form.py` on
so many degrees of freedom as there are clusters less one. One pair is decided with the probability
of a noncentral t. Of several pairs the critical value falls whenever one is decided, as in the
step-down of rank sets: t of all pairs is drawn together, and the pairs that are left after each
step are taken to be those that are hardest to decide.

When not to use it: where clusters are few. `power.py` simulates the analysis itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import isinf
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from evenhand.judgments.coding import SEED
from evenhand.numerics.step_down import order_statistic
from evenhand.planning.closed_form import Foreseen
from evenhand.planning.design import Design
from evenhand.ranking.rank_sets import FEW

Array = NDArray[np.float64]
WORLDS: Final = 1_999
FEWER: Final = 399
SOME: Final = 200
"""Pairs above which fewer worlds are drawn."""
LARGE: Final = 60
"""Degrees of freedom above which every pair is given the same error."""
QUANTILES: Final = 200


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of one design. Matrices are (K, K).

    Attributes:
        stderr: of differences of pooled log-worths.
        power: probability that a pair is decided the right way (proportion); 0 between equals.
        critical: critical value of |t| at the first step.
        df: degrees of freedom.

    """

    stderr: Array
    power: Array
    critical: float
    df: float


def expect(foreseen: Foreseen, design: Design, level: float) -> Expected:
    """Return what is expected of a design.

    Args:
        foreseen: what holds whatever the size.
        design: who judges what.
        level: at which all pairs hold together (proportion).

    """
    variance = np.sum(list(foreseen.vary(design).values()), axis=0)
    return expect_errors(foreseen, design, variance, level)


def expect_errors(foreseen: Foreseen, design: Design, variance: Array, level: float) -> Expected:
    """Return what is expected of a design under errors of any size.

    Args:
        foreseen: what holds whatever the size.
        design: of which judges and items matter.
        variance: (K, K) of differences of pooled log-worths; 0 decides whatever differs.
        level: at which all pairs hold together (proportion).

    """
    k = len(foreseen.log_worth)
    first, second = np.triu_indices(k, 1)
    apart, error = np.abs(foreseen.apart[first, second]), np.sqrt(variance[first, second])
    endless = np.where(apart > 0, np.inf, 0.0)
    size = np.divide(apart, error, out=endless, where=error > 0)
    df = find_df(design)
    power = np.zeros((k, k))
    own, critical = _step_down(size, draw_worlds(k, df), level)
    if len(size) == 1:
        own = find_power(size, critical, df)
    if design.effective_judges >= FEW - 1e-9:
        power[first, second] = np.where(size > 0, own, 0.0)
    return Expected(np.sqrt(variance), power + power.T, critical, df)


def _step_down(size: Array, worlds: Worlds, level: float) -> tuple[Array, float]:
    """Return (P,) how often pairs are decided on the side of the truth, and the first critical t.

    The seed is fixed, so that more judgments never seem to decide less by chance.
    """
    order = np.argsort(size.round(9), kind="stable")  # equal ones by name, not by their last digit
    null = np.abs(worlds.apart / worlds.error)[:, order]
    critical = order_statistic(np.maximum.accumulate(null, axis=1), level)  # of the m smallest
    drawn = (worlds.apart + size)[:, order] / worlds.error[:, order]
    left = np.full(len(drawn), len(size))
    while True:
        beyond = np.abs(drawn) > critical[left - 1][:, None]
        still = len(size) - beyond.sum(axis=1)
        still = np.where(still == 0, 1, still)
        if (still >= left).all():
            break
        left = np.minimum(left, still)
    right = np.empty(len(size))
    right[order] = (beyond & (drawn > 0)).mean(axis=0)
    return right, float(critical[-1])


def find_df(design: Design) -> float:
    """Return degrees of freedom: clusters less one, the fewest of both ways that cluster.

    >>> find_df(Design(judges=20, items=500, judgments=2000))
    19.0
    """
    ways = [design.effective_judges]
    if 1 < design.items < design.judgments:
        ways.append(float(design.items))
    return round(max(min(ways) - 1, 1.0), 2)


@dataclass(frozen=True, eq=False)
class Worlds:
    """Worlds in which no systems differ.

    Attributes:
        apart: (B, P) differences over their true standard errors.
        error: (B, P) estimated over true standard errors.

    """

    apart: Array
    error: Array


@cache
def draw_worlds(systems: int, df: float) -> Worlds:
    """Return t of all pairs where no systems differ, from one fixed seed."""
    rng = Generator(PCG64(SEED))
    first, second = np.triu_indices(systems, 1)
    many = WORLDS if len(first) <= SOME else FEWER
    drawn = rng.standard_normal((many, systems))
    apart = (drawn[:, first] - drawn[:, second]) / np.sqrt(2)
    if df > LARGE:
        common = np.sqrt(rng.chisquare(df, (many, 1)) / df)
        return Worlds(apart, np.broadcast_to(common, apart.shape))
    variance, clusters = np.zeros_like(apart), max(round(df), 1)
    for _ in range(clusters):
        own = rng.standard_normal((many, systems))
        variance += (own[:, first] - own[:, second]) ** 2 / 2
    return Worlds(apart, np.sqrt(variance / clusters))


def find_power(size: Array, critical: float, df: float) -> Array:
    """Return the probability that t exceeds a critical value, on the side of the truth.

    Args:
        size: (P,) differences over their standard errors.
        critical: the critical value of |t|.
        df: degrees of freedom of t.

    >>> find_power(np.array([0.0, 1.96, 2.8]), 1.959964, np.inf).round(3).tolist()
    [0.025, 0.5, 0.8]
    """
    from scipy.special import gammaincinv, ndtr

    if isinf(df):
        return np.asarray(ndtr(size - critical))
    middle = (np.arange(QUANTILES) + 0.5) / QUANTILES
    stretch = np.sqrt(2 * gammaincinv(df / 2, middle) / df)
    return np.asarray(ndtr(size[:, None] - critical * stretch).mean(axis=1))

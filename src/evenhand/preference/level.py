"""The log-likelihood of a plain design to second order, with what entries add kept by entry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.likelihood import Likelihood
from evenhand.preference.pairs import Pairs
from evenhand.preference.ties.laws import BLOCK

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Level:
    """The log-likelihood to second order: sums over entries, or (C,) where systems sum them.

    Attributes:
        value: log-likelihood (nats).
        tie: derivative by t.
        tie_tie: minus the second derivative by t.
        eta: (C,) derivatives by η.
        eta_eta: (C,) minus the second derivatives by η; likewise `eta_tie`.
        eta_tie: see eta_eta.

    """

    value: float
    tie: float
    tie_tie: float
    eta: Array
    eta_eta: Array
    eta_tie: Array


def expand_level(
    likelihood: Likelihood, pairs: Pairs, at: Array, into: Level | None = None
) -> Level:
    """Return the log-likelihood to second order at given worths (K), t and δ.

    Args:
        likelihood: the likelihood.
        pairs: its pairs.
        at: (K + extras,) where.
        into: a level that is no longer needed, whose memory is taken again.

    """
    law, counts, n = likelihood.law, likelihood.counts, len(likelihood.counts)
    tie = float(at[pairs.size]) if law.free else 0.0
    order = float(at[-1]) if likelihood.order_effect else 0.0
    rows = np.empty((3, n)) if into is None else (into.eta, into.eta_eta, into.eta_tie)
    sums = np.zeros(3)
    for first in range(0, n, BLOCK):
        block = slice(first, min(first + BLOCK, n))
        eta = pairs.differ(at[: pairs.size], block)
        part = law.expand(eta + order if order else eta, tie, counts[block])
        sums += part.value.sum(), part.tie.sum(), part.tie_tie.sum()
        for row, values in zip(rows, (part.eta, part.eta_eta, part.eta_tie), strict=True):
            row[block] = values
    value, by_tie, by_ties = sums.tolist()
    return Level(value, by_tie, by_ties, *rows)

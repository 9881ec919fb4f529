"""How long judges take, and what that says of them being honest, learnt from these judges alone.

t_l is the median of log(1 + seconds) of judge l. Nobody knows beforehand how quick careless judges
are, or whether they are quick at all: given the probabilities of the classes without time,

    honest N(μ, s²),   careless N(μ_c, s²),   reversed as honest,

μ and s are those of the honest, μ_c that of the careless together with three judges at μ, so that
where nobody looks careless time says nothing. Its log-likelihood ratio is cut at 2 nats: nobody is
flagged for speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.votes import Votes

Array = NDArray[np.float64]

PSEUDO: Final = 3.0
"""Careless judges, as quick as honest ones, that are added to those seen."""
MOST: Final = 2.0
"""Largest log-likelihood ratio (nats)."""


@dataclass(frozen=True, eq=False)
class Times:
    """How long judges take.

    Attributes:
        judges: (k,) codes of the judges of whom it is known.
        seconds: (k,) their median time.
        usual: that of the median judge.
        logs: (J, 3) log-likelihoods under honest, careless and reversed, up to a constant.

    """

    judges: NDArray[np.integer]
    seconds: Array
    usual: float
    logs: Array


def weigh_seconds(votes: Votes, posterior: Array) -> Times | None:
    """Weigh how long judges take; None where nobody's time is known, or all take the same.

    Args:
        votes: judgments of outputs as such.
        posterior: (J, 3) probabilities of the classes without time.

    """
    if votes.seconds is None:
        return None
    known = np.flatnonzero(np.isfinite(votes.seconds) & (votes.seconds >= 0))
    order = known[np.lexsort((votes.seconds[known], votes.judge[known]))]
    judges, starts = np.unique(votes.judge[order], return_index=True)
    parts = np.split(votes.seconds[order], starts[1:]) if len(judges) else []
    seconds = np.array([np.median(part) for part in parts])
    t, weight = np.log1p(seconds), posterior[judges]
    honest = float(weight[:, 0].sum())
    if len(judges) < 2 or np.ptp(t) == 0 or honest <= 0:
        return None
    centre = float(weight[:, 0] @ t / honest)
    square = float(weight[:, 0] @ (t - centre) ** 2 / honest)
    quick = float((weight[:, 1] @ t + PSEUDO * centre) / (weight[:, 1].sum() + PSEUDO))
    logs = np.zeros((len(posterior), 3))
    ratio = ((t - centre) ** 2 - (t - quick) ** 2) / (2 * square)
    logs[judges, 1] = np.clip(ratio, -MOST, MOST)
    return Times(judges, seconds, float(np.median(seconds)), logs)

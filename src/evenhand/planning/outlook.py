"""What more judgments would decide of a whole board, from the judgments there are.

Worths as they may be are drawn from what is believed of them: estimates θ̂ with covariance V, drawn
together as those of a pilot (`pilot.py`; Efron & Morris 1975). With t times as many judgments, by
as many more judges and on as many more items of the same kind, the estimates will be

    θ̂_t = θ̂/t + (1 − 1/t) θ + ε,   ε ~ N(0, V (t − 1)/t²)

and a pair is decided if it is beyond c s/√t, with c of the last step of rank sets today. At t = 1
that is the board as it is. With more pairs decided c would fall a little: the numbers are low
rather than high. This is a predictive probability, also called assurance (O'Hagan, Stevens &
Campbell 2005, Assurance in clinical trial design, Pharmaceutical Statistics 4:187-201).

When not to use it: of the same few judges, whose tastes more answers do not average out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.judgments.coding import SEED
from evenhand.planning.separation import find_critical
from evenhand.ranking.rank_sets import FEW
from evenhand.ranking.ranking import Ranking

Array = NDArray[np.float64]
TIMES: Final = (1.0, 1.5, 2.0, 3.0, 4.0, 8.0)
DRAWS: Final = 400
MOST: Final = 4_000_000
"""Draws times pairs that are held at once: of many systems fewer worlds are drawn."""
TAIL: Final = 0.1
"""Share of worlds below the lower end, and above the upper."""


@dataclass(frozen=True)
class Prospect:
    """What so many judgments would decide.

    Attributes:
        times: so many times as many as there are.
        judgments: so many in all.
        decided: mean number of decided pairs.
        lower: a tenth of the worlds decide fewer.
        upper: a tenth decide more.
        candidates: mean number of systems that may then be the best.
        one_best: share of the worlds in which no more than one may be the best (proportion).

    """

    times: float
    judgments: float
    decided: float
    lower: float
    upper: float
    candidates: float
    one_best: float


def look_ahead(
    ranking: Ranking, times: Sequence[float] = TIMES, *, draws: int = DRAWS, seed: int = SEED
) -> tuple[Prospect, ...]:
    """Foresee what more judgments of the same kind would decide.

    Args:
        ranking: with rank sets.
        times: how many times as many judgments, 1 or more each.
        draws: worlds.
        seed: of the worlds.

    Raises:
        NotIdentified: the ranking has no rank sets, or they can decide nothing.

    """
    critical = find_critical(ranking)
    sets, errors = ranking.rank_sets, np.asarray(ranking.pair_stderr)
    if sets is None:  # find_critical refuses
        return ()
    if not np.isfinite(errors).all():
        raise NotIdentified("of some systems nothing can be said, so that nothing is foreseen")
    k = len(errors)
    worlds = max(2, min(draws, MOST // k**2))
    covariance = centre(errors)
    estimate = ranking.estimate - ranking.estimate.mean()
    rng = Generator(PCG64(seed))
    truths = draw_truths(estimate, covariance, worlds, rng)
    noise = _draw(covariance, worlds, rng)
    found = []
    for one in times:
        later = estimate / one + (1 - 1 / one) * truths + noise * np.sqrt(one - 1) / one
        may = (sets.effective * one >= FEW) & ~sets.resting
        limit = np.where(may, critical * errors / np.sqrt(one), np.inf)
        found.append(_count(one, one * ranking.n_judgments, later, limit))
    return tuple(found)


def centre(errors: Array) -> Array:
    """Return (K, K) the covariance of centred worths from the errors of their differences.

    >>> centre(np.array([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    squares = errors**2
    mean = squares.mean(axis=0)
    return np.asarray(-(squares - mean - mean[:, None] + squares.mean()) / 2)


def draw_truths(estimate: Array, covariance: Array, draws: int, rng: Generator) -> Array:
    """Draw (B, K) worths as they may be: estimates drawn together, with what is left of errors.

    How far worths are apart is itself drawn: with few systems nothing else shows how little is
    known of it. The sum of squares of the estimates is τ² + ε² times χ² on K − 1 degrees of
    freedom; what is below zero of τ² counts as none.

    Args:
        estimate: (K,) centred.
        covariance: (K, K) of them.
        draws: B.
        rng: source of randomness.

    """
    k = len(estimate)
    sizes, directions = np.linalg.eigh(covariance)
    sizes = np.maximum(sizes, 0.0)
    apart = float(estimate @ estimate) / rng.chisquare(k - 1, (draws, 1))
    between = np.maximum(apart - sizes.sum() / (k - 1), 0.0)
    whole = between + sizes
    kept = np.divide(between, whole, out=np.zeros_like(whole), where=whole > 0)
    along = kept * (estimate @ directions)
    along += np.sqrt(kept * sizes) * rng.standard_normal((draws, k))
    return np.asarray(along @ directions.T)


def _draw(covariance: Array, draws: int, rng: Generator) -> Array:
    """Draw (B, K) from the normal; what is below zero of a covariance counts as none."""
    size, directions = np.linalg.eigh(covariance)
    root = directions * np.sqrt(np.maximum(size, 0.0))
    return np.asarray(rng.standard_normal((draws, len(root))) @ root.T)


def _count(times: float, judgments: float, later: Array, limit: Array) -> Prospect:
    """Count what is decided in each world."""
    beyond = later[:, :, None] - later[:, None, :] > limit
    decided = beyond.sum(axis=(1, 2))
    candidates = (~beyond.any(axis=1)).sum(axis=1)
    ends = np.quantile(decided, (TAIL, 1 - TAIL), method="inverted_cdf")
    return Prospect(
        times,
        judgments,
        float(decided.mean()),
        float(ends[0]),
        float(ends[1]),
        float(candidates.mean()),
        float((candidates == 1).mean()),
    )

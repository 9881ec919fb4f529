"""Vilar's score: the mean of judgments counted +1, 0 and −1, with its standard error.

    R = (1/m) Σ_i r_i,    se[R] = √( (1/m) Σ_i (r_i − R)² ) / √(m − 1),    r_i ∈ {+1, 0, −1}

Vilar, Leusch, Ney & Banchs (2007), "Human Evaluation of Machine Translation Through Binary System
Comparisons", WMT, equation 3 and the formula after it, for two systems X and Y on m sentences:
`compare_pairs`. From counts R = (w − l)/m and Σ r_i² = w + l.

Our reading in two points: r_i is +1 where X was preferred, −1 where Y was and 0 for a tie; and as
the paper orders systems by sorting them (`vilar-sort`), a single system has no score there: that of
`vilar` is R over all comparisons of the system, whoever the opponent was.

When not to use it: the standard error takes judgments to be independent, which those of one judge,
one item or one ranking are not: it is too small then, and `evenhand rank` clusters instead. The
score of a system depends on whom it met; `expected-net-wins` weighs opponents alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.scoring.standings import Meetings, list_meetings

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairScores:
    """Vilar's R of each ordered pair that met.

    Attributes:
        pairs: (system, opponent), both ways round.
        score: (M,) R, above 0 where the system was preferred more often.
        stderr: (M,) its standard error, None for a pair that met only once.

    """

    pairs: tuple[tuple[str, str], ...]
    score: Array
    stderr: tuple[float | None, ...]


def compare_pairs(tally: Tally) -> PairScores:
    """Return R and its standard error for every pair of systems that met.

    Args:
        tally: counts; groups, judges and who was shown first are pooled.

    Raises:
        NotIdentified: no chain of comparisons joins all systems.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x"] * 4, "right": ["y"] * 4, "winner": ["left", "left", "tie", "right"]}
    >>> found = compare_pairs(read(pl.DataFrame(votes)).tally())
    >>> found.pairs[0], float(found.score[0]), found.stderr[0]
    (('x', 'y'), 0.25, 0.478713553...)
    """
    met = list_meetings(tally)
    m = _answers(tally, met, by_pair=True)
    scores, errors = _mean_and_error(met.wins, met.losses, met.totals, m)
    pairs = zip(met.system.tolist(), met.opponent.tolist(), strict=True)
    return PairScores(tuple((met.systems[i], met.systems[j]) for i, j in pairs), scores, errors)


def score_vilar(tally: Tally) -> Scores:
    """Score systems by the mean of their judgments, +1 for a win and −1 for a loss.

    Args:
        tally: counts; groups, judges and who was shown first are pooled. With importance weights
            m is the effective number of comparisons, (Σ weight)² / Σ weight².

    Returns:
        Net proportions, −1 to 1, with standard errors; these are left out, and a note says so,
        where a system has a single comparison.

    Raises:
        NotIdentified: no chain of comparisons joins all systems.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x"] * 4, "right": ["y"] * 4, "winner": ["left", "left", "tie", "right"]}
    >>> found = score_vilar(read(pl.DataFrame(votes)).tally())
    >>> found.values.tolist(), found.stderr.round(4).tolist()
    ([0.25, -0.25], [0.4787, 0.4787])
    """
    met = list_meetings(tally)
    m = _answers(tally, met, by_pair=False)
    sums = (met.sum(met.wins), met.sum(met.losses), met.sum(met.totals))
    values, errors = _mean_and_error(*sums, m)
    known = [error for error in errors if error is not None]
    once = [name for name, error in zip(tally.systems, errors, strict=True) if error is None]
    notes = (f"no standard errors: {listing(once)} had a single comparison",) if once else ()
    stderr = None if once else np.array(known)
    return Scores("vilar", tally.systems, values, "net proportion", stderr=stderr, notes=notes)


def _answers(tally: Tally, met: Meetings, *, by_pair: bool) -> Array:
    """Return how many comparisons the totals stand for, by pair or by system."""
    if tally.squares is None:
        return met.totals if by_pair else met.sum(met.totals)
    k = len(tally.systems)
    sides = np.concatenate([tally.left, tally.right]), np.concatenate([tally.right, tally.left])
    squares = np.tile(tally.squares.sum(axis=1), 2)
    if not by_pair:
        return np.asarray(met.sum(met.totals) ** 2 / np.bincount(sides[0], squares, minlength=k))
    key = sides[0].astype(np.int64) * k + sides[1]
    wanted, where = np.unique(key, return_inverse=True)
    found = np.bincount(where, squares)[np.searchsorted(wanted, met.system * k + met.opponent)]
    return np.asarray(met.totals**2 / found)


def _mean_and_error(
    wins: Array, losses: Array, totals: Array, m: Array
) -> tuple[Array, tuple[float | None, ...]]:
    mean = (wins - losses) / totals
    spread = np.maximum((wins + losses) / totals - mean**2, 0.0)  # rounding may fall below 0
    errors = (
        float(np.sqrt(s / (n - 1))) if n > 1 + 1e-9 else None
        for s, n in zip(spread.tolist(), m.tolist(), strict=True)
    )
    return mean, tuple(errors)

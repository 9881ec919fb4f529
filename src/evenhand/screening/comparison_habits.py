"""How a judge presses the keys: one side too often, ties too often, less care as a session goes on.

Log-odds of one judge, one Newton step from what the slope b̂_l says, with variance 1 / information:

    position-biased   δ of P(left | decisive) = σ(b x + δ), on either side of the median judge's
    drifting          d of P(left | decisive) = σ(b x + d x place), place −½ … ½ in the session,
                      below the median judge's: the slope falls
    coarse            log-odds of a tie, above the median judge's

Honest judges differ in these too, by as much as the campaign shows (`rating_spread`). Where
comparisons come in rankings, variances are those of scores of whole rankings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Codes
from evenhand.judgments.votes import TIE, Votes
from evenhand.numerics.distributions import t_tail
from evenhand.screening.comparison_slopes import Slopes
from evenhand.screening.rating_spread import NormalSpread, normal_spread
from evenhand.screening.sessions import place_in_session

Array = NDArray[np.float64]

ENOUGH: Final = 10
"""Votes below which a judge's habits are not looked at."""


@dataclass(frozen=True, eq=False)
class VoteHabit:
    """One habit of all judges.

    Attributes:
        name: "position-biased", "drifting" or "coarse".
        judges: (k,) codes of the judges with enough votes.
        value: (k,) what was seen, in log-odds.
        usual: the median judge's.
        share: (k,) of decisive votes for the first output, or of ties; empty for drifting.
        p: (k,) chance of as much in an honest judge.

    """

    name: str
    judges: NDArray[np.intp]
    value: Array
    usual: float
    share: Array
    p: Array


def find_vote_habits(votes: Votes, slopes: Slopes) -> tuple[VoteHabit, ...]:
    """Compare how judges press the keys.

    Args:
        votes: judgments of outputs as such.
        slopes: what was found from them.

    """
    found = [_position(votes, slopes), _drifting(votes, slopes), _coarse(votes)]
    return tuple(one for one in found if one is not None)


def _position(votes: Votes, slopes: Slopes) -> VoteHabit | None:
    if not votes.positions_known:
        return None
    value, variance, judges = _one_step(votes, slopes, np.ones(len(slopes.rows)))
    if not len(judges):
        return None
    spread = normal_spread(value, variance)
    p = _tails(spread, value, variance)
    first = np.bincount(slopes.judge, slopes.won) / np.maximum(np.bincount(slopes.judge), 1)
    return VoteHabit("position-biased", judges, value, spread.centre, first[judges], p)


def _drifting(votes: Votes, slopes: Slopes) -> VoteHabit | None:
    if votes.moment is None:
        return None
    moment = votes.moment[slopes.rows]
    known = np.isfinite(moment)
    place = np.zeros(len(moment))
    place[known] = place_in_session(slopes.judge[known], moment[known], enough=ENOUGH)
    value, variance, judges = _one_step(votes, slopes, slopes.x * place)
    if not len(judges):
        return None
    spread = normal_spread(value, variance)
    p = _one_side(value < spread.centre, _tails(spread, value, variance))
    return VoteHabit("drifting", judges, value, spread.centre, np.empty(0), p)


def _coarse(votes: Votes) -> VoteHabit | None:
    size = len(votes.judges)
    n = np.bincount(votes.judge, minlength=size)
    ties = np.bincount(votes.judge, votes.outcome == TIE, size)
    judges, share = np.flatnonzero(n >= ENOUGH), float(ties.sum() / n.sum())
    if not len(judges) or not ties.any():
        return None
    n, ties = n[judges], ties[judges]
    value = np.log((ties + 0.5) / (n - ties + 0.5))
    variance = 1 / (n * share + 0.5) + 1 / (n * (1 - share) + 0.5)
    variance *= _inflate(votes.answer, (votes.outcome == TIE) - share)
    spread = normal_spread(value, variance)
    p = _one_side(value > spread.centre, _tails(spread, value, variance))
    return VoteHabit("coarse", judges, value, spread.centre, ties / n, p)


def _one_step(votes: Votes, slopes: Slopes, along: Array) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return values and variances of a further effect, and of which judges.

    Args:
        votes: the judgments.
        slopes: what was found from them.
        along: (n,) what the effect multiplies.

    """
    judge, x, size = slopes.judge, slopes.x, len(votes.judges)
    chance = 1 / (1 + np.exp(-slopes.slope[judge] * x))
    left, weight = slopes.won - chance, chance * (1 - chance)
    held, across, of_x = (
        np.bincount(judge, weight * column, size) for column in (along**2, along * x, x**2)
    )
    kept = held - across**2 / np.maximum(of_x, 1e-12)
    n = np.bincount(judge[along != 0], minlength=size)
    judges = np.flatnonzero((n >= ENOUGH) & (kept > 1e-9))
    score = np.bincount(judge, along * left, size)
    answer = None if votes.answer is None else votes.answer[slopes.rows]
    inflation = _inflate(answer, along * left)
    return score[judges] / kept[judges], inflation / kept[judges], judges


def _tails(spread: NormalSpread, values: Array, variances: Array) -> Array:
    """Return two-sided p-values of lying so far from the median judge.

    Of τ² + v only τ² is estimated from the judges: its degrees of freedom are raised by
    ((τ² + v) / τ²)² (Satterthwaite 1946, Biometrics Bulletin 2:110-114), and Student's t is nearly
    normal where judges differ by little more than chance.
    """
    wide = spread.spread**2 + variances
    degrees = spread.df * (wide / np.maximum(spread.spread**2, 1e-9 * wide)) ** 2
    distances = (values - spread.centre) / np.sqrt(wide)
    return np.array([t_tail(*pair) for pair in zip(distances, degrees, strict=True)])


def _one_side(doubtful: NDArray[np.bool_], p: Array) -> Array:
    return np.asarray(np.where(doubtful, p / 2, 1 - p / 2))


def _inflate(answer: Codes | None, scores: Array) -> float:
    """Return how much scores of whole answers vary beside those of their comparisons."""
    if answer is None:
        return 1.0
    return max(1.0, float((np.bincount(answer, scores) ** 2).sum() / (scores**2).sum()))

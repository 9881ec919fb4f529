"""How strongly each judge's votes follow what the other judges say: slopes, with errors.

    P(judge l prefers left | decisive) = σ(b_l x),   x = w1 gap(−l) + w2 votes(−l)

gap(−l) is how much better the left system is by everybody else's votes (`comparison_gaps`);
votes(−l) is how many more of the other judges preferred left on the same output pair. w is the
logistic regression of all decisive votes on both, so that b is 1 for all judges together, 0 for who
answers whatever the outputs are, and negative for who takes the scale the wrong way round. b̂ has a
ridge of .02 and is finite even where every vote agrees with x.

w is fitted with judge l's votes among the others: b̂_l moves by about 1 / J, which is little from
ten judges on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.votes import TIE, Votes
from evenhand.numerics.newton import Expansion, maximise
from evenhand.screening.comparison_gaps import Ballot, leave_out_gaps

Array = NDArray[np.float64]

RIDGE: Final = 0.02
STEPS: Final = 100
LONGEST: Final = 1.0
"""Longest step of a slope, so that Newton's method cannot jump over the maximum for ever."""


@dataclass(frozen=True, eq=False)
class OtherVotes:
    """What the other judges said of the same output pair, whoever stood left there.

    Attributes:
        lead: (n,) votes for what stands left here, less those for the other; a tie is none.
        votes: (n,) how many votes, ties included.
        judges: (n,) of how many judges.

    """

    lead: Array
    votes: Array
    judges: Array

    @property
    def agreed(self) -> NDArray[np.bool_]:
        """(n,) whether two other judges or more all preferred the same output."""
        return np.asarray((self.judges >= 2) & (np.abs(self.lead) == self.votes))


def sum_other_votes(votes: Votes) -> OtherVotes:
    """Sum the votes of other judges; one's own on the pair never count, however many there are.

    Where the data name no items nobody is known to have seen the same outputs: all is 0.
    """
    if votes.items == ("",):
        return OtherVotes(*np.zeros((3, votes.size)))
    _, pair = np.unique(votes.pair, return_inverse=True)
    pair = pair.reshape(-1)
    keys, own = np.unique(pair * len(votes.judges) + votes.judge, return_inverse=True)
    own = own.reshape(-1)
    favour = votes.preferred.astype(float)
    lead = np.bincount(pair, favour)[pair] - np.bincount(own, favour)[own]
    return OtherVotes(
        lead=np.where(votes.left < votes.right, lead, -lead),
        votes=(np.bincount(pair)[pair] - np.bincount(own)[own]).astype(float),
        judges=np.bincount(keys // len(votes.judges))[pair].astype(float) - 1,
    )


@dataclass(frozen=True, eq=False)
class Slopes:
    """Slopes of all judges, and what they were found from.

    Attributes:
        weights: (2,) w of the gap and of the others' votes.
        rows: (n,) the decisive votes that were used, as row numbers.
        judge: (n,) code of the judge of each.
        x: (n,) what the others say of it (logits).
        won: (n,) 1 where left was preferred, else 0.
        others: what other judges said of the same output pair, of all votes and not those rows.
        gap: (n,) gap(−l), before it is weighed.
        slope: (J,) b̂; 0 for judges without decisive votes.
        error: (J,) standard error by Fisher's information.
        information: (J,) Σ x²/4: what the judge's votes would tell of a slope of 0.
        inflation: φ, how much more scores of whole answers vary than independent votes would.
        passed_over: systems of tasks that are too large for leave-judge-out gaps.

    """

    weights: Array
    rows: NDArray[np.intp]
    judge: NDArray[np.int32]
    x: Array
    won: Array
    others: OtherVotes
    gap: Array
    slope: Array
    error: Array
    information: Array
    inflation: float
    passed_over: int


def find_slopes(votes: Votes) -> Slopes:
    """Find the slope of every judge.

    Args:
        votes: all judgments of outputs as such, without controls and repeats.

    """
    others = sum_other_votes(votes)
    rows = np.flatnonzero(votes.outcome != TIE)
    won = (votes.outcome[rows] < TIE).astype(float)
    judge = votes.judge[rows]
    ballot = Ballot(votes.task[rows], judge, votes.left[rows], votes.right[rows], won)
    gap, passed_over = leave_out_gaps(ballot)
    columns = np.stack([gap, others.lead[rows]], axis=1)
    weights = fit_logistic(columns, won)
    x, size = columns @ weights, len(votes.judges)
    slope, held = _fit_judges(x, won, judge, size)
    inflation = 1.0
    if votes.answer is not None:
        inflation = _inflation(x, won, (judge, votes.answer[rows]), slope)
    return Slopes(
        weights=weights,
        rows=rows,
        judge=judge,
        x=x,
        won=won,
        others=others,
        gap=gap,
        slope=slope,
        error=np.sqrt(inflation / held),
        information=np.bincount(judge, x**2 / 4, size) / inflation,
        inflation=inflation,
        passed_over=passed_over,
    )


def fit_logistic(columns: Array, won: Array) -> Array:
    """Return (p,) coefficients of a logistic regression without intercept, with the ridge.

    Args:
        columns: (n, p) what predicts.
        won: (n,) 1 or 0.

    """

    def expand(beta: Array) -> Expansion:
        eta = columns @ beta
        chance = 1 / (1 + np.exp(-eta))
        value = won @ eta - np.logaddexp(0, eta).sum() - RIDGE / 2 * beta @ beta
        score = columns.T @ (won - chance) - RIDGE * beta
        held = (columns.T * (chance * (1 - chance))) @ columns
        return Expansion(float(value), score, held + RIDGE * np.eye(len(beta)))

    return maximise(expand, np.zeros(columns.shape[1])).at


def _fit_judges(x: Array, won: Array, judge: NDArray[np.int32], size: int) -> tuple[Array, Array]:
    """Return (J,) slopes and their information, all judges in one iteration."""
    slope = np.zeros(size)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-slope[judge] * x))
        score = np.bincount(judge, x * (won - chance), size) - RIDGE * slope
        held = np.bincount(judge, x**2 * chance * (1 - chance), size) + RIDGE
        step = np.clip(score / held, -LONGEST, LONGEST)
        if np.abs(step).max(initial=0.0) < 1e-8:
            break
        slope = slope + step
    return slope, np.asarray(held)


def _inflation(
    x: Array, won: Array, codes: tuple[NDArray[np.int32], NDArray[np.int32]], slope: Array
) -> float:
    """Return φ: the variance of scores of whole answers beside that of independent votes."""
    judge, answer = codes
    chance = 1 / (1 + np.exp(-slope[judge] * x))
    by_answer = np.bincount(answer, x * (won - chance))
    return max(1.0, float((by_answer**2).sum() / (x**2 * chance * (1 - chance)).sum()))

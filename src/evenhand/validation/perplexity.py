"""How surprised a model is by votes: the loss of each in bits, and perplexity.

    loss_i = −log₂ Q(π_i | s, t),   perplexity = 2^(mean loss)     (Hopkins & May 2013, section 4)

A perplexity of 3 is that of a die with three sides, of 1 that of a prophet.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.judgments.model import Predictor
from evenhand.judgments.votes import Votes

Array = NDArray[np.float64]
SLACK: Final = 1e-6
"""By how much chances may miss adding up to one."""


def measure_losses(fit: Predictor, votes: Votes) -> Array:
    """Return the (n,) losses of votes (bits); each ordered pair of systems is predicted once.

    Args:
        fit: a fit that knows all systems that the votes are on.
        votes: votes, as a rule unseen.

    Raises:
        NotIdentified: something that happened had chance 0.
        InvalidJudgments: the predictions are no distributions.

    """
    k = len(votes.systems)
    pairs, at = np.unique(votes.left.astype(np.int64) * k + votes.right, return_inverse=True)
    names = [(votes.systems[p // k], votes.systems[p % k]) for p in pairs.tolist()]
    chances = np.asarray(fit.predict(names), dtype=np.float64)
    _check(chances, names)
    happened = chances[at.reshape(-1), votes.outcome]
    impossible = int(np.count_nonzero(happened <= 0))
    if impossible:
        raise NotIdentified(
            f"gave chance 0 to {impossible:,} held-out judgment{'s' * (impossible > 1)} of"
            f" {votes.size:,}: its perplexity is infinite",
            ["train it on more judgments", "choose a model with a prior"],
        )
    return np.asarray(-np.log2(happened))


def find_perplexity(losses: Array) -> float:
    """Return the perplexity of losses (bits).

    >>> find_perplexity(np.array([1.0, 2.0, 3.0]))
    4.0
    """
    return raise_bits(average(losses))


def raise_bits(bits: float) -> float:
    """Return 2^bits, to 12 decimals: beyond these are only roundings of logarithms and powers.

    >>> raise_bits(float(np.log2(3.0)))
    3.0
    """
    return round(float(np.exp2(bits)), 12)


def average(values: Array) -> float:
    """Return the mean; of values that are all alike exactly these, without rounding.

    >>> average(np.full(2000, 0.1)) == 0.1
    True
    """
    first = values.flat[0]
    return float(first + (values - first).mean())


def _check(chances: Array, names: list[tuple[str, str]]) -> None:
    """Refuse chances that are none.

    Raises:
        InvalidJudgments: names the pair.

    """
    if chances.shape != (len(names), 3):
        raise InvalidJudgments(
            f"predictions have shape {chances.shape}, and {len(names)} pairs have chances of left,"
            " tie and right"
        )
    wrong = ~(np.isfinite(chances).all(axis=1) & (chances >= 0).all(axis=1))
    wrong |= ~(np.abs(chances.sum(axis=1) - 1) <= SLACK)
    if wrong.any():
        at = int(np.argmax(wrong))
        row = ", ".join(f"{value:.6g}" for value in chances[at])
        raise InvalidJudgments(
            f"predictions are no distributions: {names[at][0]} against {names[at][1]} has chances"
            f" {row}, which must be 0 or more and add up to 1"
        )

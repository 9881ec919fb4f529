"""How often each judge is right, as far as a model can tell, with an interval.

Two kinds of evidence. Where answers are simply counted as right or wrong, the share is Beta. Where
labels are themselves uncertain, each answer is right with a density r and wrong with a density w,
given what the other answers to its unit say, and the share q of a judge has the posterior

    p(q) ∝ q^(a − 1) (1 − q)^(b − 1) Π_i (q r_i + (1 − q) w_i)

which is integrated on a grid. To count each answer at its probability of being right instead would
take guesses for facts: intervals of 95 % then held 70 to 80 % of simulated competences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.consensus.answers import Answers

Array = NDArray[np.float64]
LEVEL: Final = 0.95
PRIOR: Final = (0.5, 0.5)
"""Jeffreys' prior of a share: half an answer on either side."""
POINTS: Final = 32
ROUNDS: Final = 3
NOTHING: Final = 1e-10
"""Points of a grid with less than this share of the highest density are left outside the next."""


@dataclass(frozen=True)
class Skill:
    """One judge.

    Attributes:
        judge: the name.
        n: answers.
        value: posterior mean of the share that the model speaks of (proportion).
        stderr: posterior standard deviation.
        lower: lower end of the 95 % interval.
        upper: upper end.

    """

    judge: str
    n: int
    value: float
    stderr: float
    lower: float
    upper: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return dict(vars(self))


def list_skills(answers: Answers, columns: Sequence[Array]) -> tuple[Skill, ...]:
    """Return each judge from (J,) means, standard deviations, lower and upper ends."""
    numbers = (answers.per_judge, *columns)
    rows = zip(answers.judges, *(column.tolist() for column in numbers), strict=True)
    return tuple(Skill(*row) for row in rows)


def count_skills(right: Array, wrong: Array) -> tuple[Array, Array, Array, Array]:
    """Return mean, standard deviation and ends of the Beta posterior of shares that were counted.

    Args:
        right: (J,) how often each judge was right.
        wrong: (J,) how often not.

    """
    from scipy.special import betaincinv

    a, b = right + PRIOR[0], wrong + PRIOR[1]
    mean = a / (a + b)
    stderr = np.sqrt(mean * (1 - mean) / (a + b + 1))
    lower, upper = (betaincinv(a, b, q) for q in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return mean, stderr, lower, upper


def integrate_skills(
    judge: NDArray[np.int64], right: Array, wrong: Array, prior: tuple[float, float] = PRIOR
) -> tuple[Array, Array, Array, Array]:
    """Return (J,) mean, standard deviation and ends of the posterior of each judge's share.

    Shares are sin² of an angle, over which Jeffreys' prior is flat. The grid of each judge is drawn
    three times, each time on the part of the last that holds all but nothing of the density.

    Args:
        judge: (n,) judge of each answer; every judge has one or more.
        right: (n,) density r of each answer if it is right.
        wrong: (n,) density w if it is not.
        prior: a and b.

    >>> judge, sure = np.zeros(9, dtype=np.int64), np.array([1.0] * 6 + [0.0] * 3)
    >>> mean, stderr, lower, upper = integrate_skills(judge, sure, 1 - sure)
    >>> mean.round(3).tolist(), (6.5 / 10)  # Beta(6.5, 3.5)
    ([0.65], 0.65)
    """
    judges = int(judge.max()) + 1
    start, width = np.zeros(judges), np.full(judges, np.pi / 2 / POINTS)
    for _ in range(ROUNDS):
        angle = start[:, None] + width[:, None] * (np.arange(POINTS) + 0.5)
        density = _weigh(judge, (right, wrong), angle, prior)
        held = density > NOTHING
        first = np.maximum(held.argmax(axis=1) - 1, 0)
        last = np.minimum(POINTS + 1 - held[:, ::-1].argmax(axis=1), POINTS)
        drawn, step = start, width
        start, width = start + first * width, (last - first) * width / POINTS
    weight = density / density.sum(axis=1, keepdims=True)
    share = np.sin(angle) ** 2
    mean = (weight * share).sum(axis=1)
    stderr = np.sqrt((weight * (share - mean[:, None]) ** 2).sum(axis=1))
    ends = (_quantile(weight, q) for q in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    lower, upper = (np.sin(drawn + step * end) ** 2 for end in ends)
    return mean, stderr, lower, upper


def _weigh(
    judge: NDArray[np.int64],
    densities: tuple[Array, Array],
    angle: Array,
    prior: tuple[float, float],
) -> Array:
    """Return the (J, G) posterior density at (J, G) angles, 1 at the highest of each judge."""
    right, wrong = densities
    share = np.sin(angle) ** 2
    logs = (2 * prior[0] - 1) * np.log(np.sin(angle)) + (2 * prior[1] - 1) * np.log(np.cos(angle))
    for g in range(angle.shape[1]):
        mixed = share[:, g][judge] * (right - wrong) + wrong
        logs[:, g] += np.bincount(judge, np.log(mixed), len(angle))
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


def _quantile(weight: Array, probability: float) -> Array:
    """Return (J,) where cumulated (J, G) weights reach a probability, in cells from the left."""
    below = weight.cumsum(axis=1)
    cell = (below < probability).sum(axis=1)
    rows = np.arange(len(weight))
    return np.asarray(cell + 1 - (below[rows, cell] - probability) / weight[rows, cell])

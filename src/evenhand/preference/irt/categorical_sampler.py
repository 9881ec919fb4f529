"""Gibbs sampling of qualities on a scale: abilities given qualities, qualities given abilities.

    p_s | q  ~  Dirichlet(α + n_s),   n_sa = outputs of system s with quality a
    P(q_i = a | p, rest)  ∝  p_s(i)(a) ∏_c T(π_c | a, q_rival(c))

The first is drawn for all systems, the second for all outputs of one colour, of all chains at
once. Both are the exact conditionals (Hopkins & May 2013, section 7, with the Dirichlet law kept in
the chain instead of summed out: that alone couples all outputs of a system). Outputs that were
compared over and over hold each other fast, so every few sweeps all that comparisons join are
offered a step up or down together (categorical_shift.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.irt.categorical_law import Law, Weights
from evenhand.preference.irt.categorical_plan import Colour, Plan
from evenhand.preference.irt.categorical_shift import make_shift

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

SHIFT_EVERY: Final = 4
"""Sweeps from one offer of a common step to the next; it costs as much as a sweep."""
MANY: Final = 32
"""Comparisons of one output from which chances are added as logarithms.

In a product, what many answers of one kind make vanish cannot be brought back by those of the other
kind that follow; with fewer answers, what vanishes has no weight in the end either.
"""


@dataclass(frozen=True, eq=False)
class State:
    """Where R chains are after a sweep; `quality` changes in place with the next.

    Attributes:
        ability: (R, K, Λ) drawn abilities.
        quality: (N, R) drawn qualities 0..Λ − 1, outputs in the order of the plan.
        counts: (R, K, Λ) outputs of each system by quality.

    """

    ability: Array
    quality: Numbers
    counts: Numbers


@dataclass(frozen=True, eq=False)
class _Step:
    """One colour for all chains: rows are outputs × chains.

    Attributes:
        first: first row.
        last: row after the last.
        cell: (rows,) row of each in the abilities.
        rounds: places of rivals (m,), and the row that their outcome points to (m, 1).
        busy: rows, the first of all, with so many comparisons that logarithms are added.

    """

    first: int
    last: int
    cell: Numbers
    rounds: tuple[tuple[Numbers, Numbers], ...]
    busy: int


def walk(plan: Plan, law: Law, chains: int, rng: np.random.Generator) -> Iterator[State]:
    """Yield the state after every sweep, without end.

    Chains start with all qualities alike: the first at the lowest, the last at the highest, the
    others between them; one alone in the middle.

    Args:
        plan: the outputs and their comparisons.
        law: the scale.
        chains: R.
        rng: draws.

    """
    levels, top = plan.systems * law.categories, law.categories - 1
    ends = np.linspace(0, top, chains) if chains > 1 else np.array([top / 2])
    quality = np.tile(np.rint(ends).astype(np.int64), (len(plan.author), 1))
    cell = plan.author[:, None] + np.arange(chains) * plan.systems
    steps = [_make_step(colour, cell, law.categories) for colour in plan.colours]
    shift = make_shift(plan, law, chains)
    sums = np.triu(np.ones((law.categories, law.categories), law.rows.dtype))
    at, shape = cell * law.categories, (chains, plan.systems, law.categories)
    counts = np.bincount((at + quality).reshape(-1), minlength=chains * levels)
    for sweep in count():
        ability = rng.standard_gamma(counts.reshape(shape) + law.concentration)
        ability /= ability.sum(axis=2, keepdims=True)
        if sweep % SHIFT_EVERY == 0:
            shift.move(rng, ability, quality)
        rows = ability.reshape(-1, law.categories).astype(law.rows.dtype)
        luck = rng.random((quality.size, 1), dtype=law.rows.dtype)
        for step in steps:
            weights = _weigh(step, rows, quality, law)
            drawn = _draw(weights @ sums, luck[step.first : step.last])
            quality.reshape(-1)[step.first : step.last] = drawn
        counts = np.bincount((at + quality).reshape(-1), minlength=chains * levels)
        yield State(ability, quality, counts.reshape(shape))


def _make_step(colour: Colour, cell: Numbers, categories: int) -> _Step:
    chains = cell.shape[1]
    rounds = tuple((one.rival, one.outcome[:, None] * categories) for one in colour.rounds)
    rows = cell[colour.start : colour.stop].reshape(-1)
    busy = len(rounds[MANY - 1][0]) * chains if len(rounds) >= MANY else 0
    return _Step(colour.start * chains, colour.stop * chains, rows, rounds, busy)


def _weigh(step: _Step, ability: Weights, quality: Numbers, law: Law) -> Weights:
    """Return (rows, Λ) weights of every quality of the outputs of one colour."""
    weights, busy = ability.take(step.cell, axis=0), step.busy
    sums = np.zeros((busy, law.categories))
    for number, (rival, outcome) in enumerate(step.rounds, start=1):
        seen = (quality.take(rival, axis=0) + outcome).reshape(-1)
        sums[: len(seen)] += law.log_rows.take(seen[:busy], axis=0)
        some = weights[busy : len(seen)]
        some *= law.rows.take(seen[busy:], axis=0)
        if len(some) and number % law.safe_factors == 0:
            some /= some.max(axis=1, keepdims=True)
    if busy:
        with np.errstate(divide="ignore"):  # an ability of 0 has weight 0
            sums += np.log(weights[:busy])
        weights[:busy] = np.exp(sums - sums.max(axis=1, keepdims=True))
    return weights


def _draw(sums: NDArray[np.floating[Any]], luck: NDArray[np.floating[Any]]) -> NDArray[np.intp]:
    """Draw a quality for each row of cumulative weights, by one uniform number each."""
    bar = sums[:, -1:] * luck
    sums[:, -1] = np.inf  # rounding must not put the bar above the whole
    return np.asarray((sums > bar).argmax(axis=1))

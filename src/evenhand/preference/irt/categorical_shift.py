"""Outputs that comparisons join move up or down the scale together.

What is preferred depends on differences, so that qualities which all move by one step change the
chances of preferences only near the ends. For each set of joined outputs, of each chain, a step of
+1 or −1 (with even chances) is proposed, and accepted with

    min(1, ∏_i p_s(i)(q_i ± 1) / p_s(i)(q_i) · ∏_c T(π_c | q_a ± 1, q_b ± 1) / T(π_c | q_a, q_b))

which is Metropolis' rule: the way back is proposed as often. Given abilities sets are independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.graph import Graph, weak_components
from evenhand.preference.irt.categorical_law import Law
from evenhand.preference.irt.categorical_plan import Plan

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

_LEAST = 1e-300
"""Abilities below this are as good as none; logarithms want a number."""


@dataclass(frozen=True, eq=False)
class Shift:
    """What the move needs; tables have a margin for steps beyond the scale.

    Attributes:
        sets: number of joined sets × chains.
        of_output: (N, R) number of each output's set and chain.
        of_pair: (C, R) the same of each comparison.
        ability_row: (N, R) where the output's ability begins in the padded table of abilities.
        outcome_row: (C, 1) where the outcome's table begins in `log_chances`.
        pairs: (C,) places of the two outputs.
        log_chances: (3 (Λ + 2)²,) ln T, 0 in the margin.
        categories: Λ.

    """

    sets: int
    of_output: Numbers
    of_pair: Numbers
    ability_row: Numbers
    outcome_row: Numbers
    pairs: tuple[Numbers, Numbers]
    log_chances: Array
    categories: int

    def move(self, rng: np.random.Generator, ability: Array, quality: Numbers) -> None:
        """Offer every set a step, and change `quality` where it is accepted.

        Args:
            rng: draws.
            ability: (R, K, Λ).
            quality: (N, R) in 0..Λ − 1.

        """
        width = self.categories + 2
        logs = np.full((*ability.shape[:2], width), -np.inf)
        logs[:, :, 1:-1] = np.log(np.maximum(ability, _LEAST))
        table = logs.reshape(-1)
        step = 2 * rng.integers(0, 2, self.sets) - 1
        own = step.take(self.of_output)
        at = self.ability_row + quality
        gain = self._sum(self.of_output, table.take(at + own) - table.take(at))
        one, other = (quality.take(side, axis=0) for side in self.pairs)
        at = self.outcome_row + one * width + other
        ahead = at + step.take(self.of_pair) * (width + 1)
        told = self.log_chances.take(ahead) - self.log_chances.take(at)
        gain += self._sum(self.of_pair, told)
        accepted = gain > -rng.standard_exponential(self.sets)
        quality += own * accepted.take(self.of_output)

    def _sum(self, sets: Numbers, values: Array) -> Array:
        summed = np.bincount(sets.reshape(-1), values.reshape(-1), self.sets)
        return np.asarray(summed, dtype=np.float64)


def make_shift(plan: Plan, law: Law, chains: int) -> Shift:
    """Find the sets of outputs that comparisons join, and prepare tables."""
    one, other, outcome = plan.pairs
    n, width = len(plan.author), law.categories + 2
    part = weak_components(Graph(n, one.astype(np.intp), other.astype(np.intp)))
    chain = np.arange(chains)
    of_output = part.astype(np.int64)[:, None] * chains + chain
    log_chances = np.zeros((3, width, width))
    log_chances[:, 1:-1, 1:-1] = np.log(law.chances)
    return Shift(
        sets=(int(part.max()) + 1) * chains,
        of_output=of_output,
        of_pair=of_output[one],
        ability_row=(plan.author[:, None] + chain * plan.systems) * width + 1,
        outcome_row=outcome[:, None] * width**2 + width + 1,
        pairs=(one, other),
        log_chances=log_chances.reshape(-1),
        categories=law.categories,
    )

"""Plackett-Luce and, with ties, Davidson-Luce: a ranking as a row of choices of the best.

    P(ranking) = ∏_stages  f(T) / Σ_{S ⊆ A, |S| observed} f(S),   f(T) = δ_|T| (∏_{i∈T} π_i)^{1/|T|}

A are the outputs not yet placed, T those placed next: one, or several that tie; δ_1 = 1. Without
ties this is Plackett (1975), Applied Statistics 24:193-202; with ties Turner, van Etten, Firth &
Kosmidis (2020), Computational Statistics 35:1027-1057. On pairs it is Davidson's model with
ν = δ_2. log-worth = log π.

When not to use it: when judges do not pick the best first (it is not the same read from the worst
end), when outputs of one ranking draw worth from each other, or when one judge's rankings hang
together (its own standard errors are then too small: `fit.cluster_vcov(data, "judge")`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.data.controls import Judgments
from evenhand.data.orders import Orders, count_orders
from evenhand.data.taking import Openable, takes_judgments
from evenhand.models.orders import (
    Choices,
    Moments,
    OrderFit,
    OrderSettings,
    fit_orders,
    observed_sizes,
    unique_sets,
)
from evenhand.models.texts import say
from evenhand.numerics import Array
from evenhand.numerics.sampling import sum_subsets

# Choices of the best, stage by stage, ties allowed: the law of Plackett-Luce and Davidson-Luce.
#
# weight of the tied set T among the remaining outputs A:   δ_|T| (∏_{i∈T} π_i)^{1/|T|},  δ_1 = 1
#
# All subsets of the sizes that
# were observed compete, as far as outputs remain; their sums are elementary symmetric functions.


@dataclass(frozen=True)
class StageChoice:
    # sizes of tied sets that have a δ, ascending, from 2; none for plain Plackett-Luce
    sizes: tuple[int, ...] = ()

    @property
    def extras(self) -> tuple[str, ...]:
        return tuple(f"g{size}" for size in self.sizes)

    def _allowed(self, m: int) -> list[tuple[int, int | None]]:
        """Return the sizes that m remaining outputs allow, and the place of each one's log δ."""
        tied = [(size, m + at) for at, size in enumerate(self.sizes) if size <= m]
        return [(1, None), *tied]

    def count_rivals(self, m: int) -> float:
        return float(sum(comb(m, size) for size, _ in self._allowed(m)))

    def load(self, m: int) -> int:
        return 4 * (m + len(self.sizes)) ** 2

    def impossible(self, orders: Orders) -> NDArray[np.bool_]:
        return np.asarray(~np.isin(orders.sizes(), (0, 1, *self.sizes)).all(axis=1))

    def take_apart(self, orders: Orders) -> tuple[Choices, ...]:
        """Return the stages with more than one output left, by how many are left."""
        stages: dict[int, list[tuple[NDArray[Any], ...]]] = {}
        lengths, n = orders.lengths, orders.outputs.shape[1]
        for at in range(n - 1):
            place = orders.places[:, at]
            fresh = place != orders.places[:, at - 1] if at else np.ones(len(place), dtype=np.bool_)
            for m in range(2, n - at + 1):
                row = np.flatnonzero(fresh & (lengths - at == m))
                if len(row):
                    left = orders.outputs[row, at : at + m]
                    chosen = orders.places[row, at : at + m] == place[row, None]
                    stages.setdefault(m, []).append((row, left, chosen))
        choices = []
        for _, parts in sorted(stages.items()):
            row, left, chosen = (np.concatenate(part) for part in zip(*parts, strict=True))
            order = np.argsort(left, axis=1)
            chosen = np.take_along_axis(chosen, order, axis=1)
            size = chosen.sum(axis=1)
            tied = size[:, None] == np.array(self.sizes, dtype=size.dtype)
            sets, which = unique_sets(np.take_along_axis(left, order, axis=1))
            observed = np.column_stack([chosen / size[:, None], tied])
            choices.append(Choices(sets, row, which, observed))
        return tuple(choices)

    def moments(self, worths: Array, extras: Array) -> Moments:
        n, m = worths.shape
        shift = worths.max(axis=1, keepdims=True)
        q = m + len(extras)
        total, mean, second = np.zeros(n), np.zeros((n, q)), np.zeros((n, q, q))
        for size, place in self._allowed(m):
            sums = sum_subsets(np.exp((worths - shift) / size), size)
            delta = 1.0 if place is None else float(np.exp(extras[place - m]))
            total += delta * sums.every
            mean[:, :m] += delta * sums.one / size
            second[:, :m, :m] += delta * sums.two / size**2
            if place is not None:
                mean[:, place] = second[:, place, place] = delta * sums.every
                cross = delta * sums.one / size
                second[:, :m, place], second[:, place, :m] = cross, cross
        log_z = np.log(total) + shift[:, 0]
        return Moments(log_z, mean / total[:, None], second / total[:, None, None])

    def best(self, worths: Array, extras: Array) -> Array:
        """Return (N, q) the subset with the largest weight: the best outputs, as many as pay."""
        m = worths.shape[1]
        order = np.argsort(-worths, axis=1, kind="stable")
        sums = np.cumsum(np.take_along_axis(worths, order, axis=1), axis=1)
        sizes = self._allowed(m)
        value = np.column_stack(
            [
                sums[:, d - 1] / d + (0.0 if place is None else extras[place - m])
                for d, place in sizes
            ]
        )
        chosen = np.argmax(value, axis=1)
        size = np.array([d for d, _ in sizes])[chosen]
        rank = np.argsort(order, axis=1, kind="stable")
        inside = (rank < size[:, None]) / size[:, None]
        tied = size[:, None] == np.array(self.sizes, dtype=size.dtype)
        return np.column_stack([inside, tied])


@dataclass(frozen=True)
class PlackettLuce(OrderSettings):
    """Settings of a Plackett-Luce model.

    Attributes:
        ties: davidson: a parameter δ for every size of tied sets that was observed; where no ties
            were, plain Plackett-Luce.
        reference: the system with log-worth 0; the last by default.
        prior: pseudo-comparisons of every system with a ghost, half of them won; 0 for none.

    >>> from evenhand.data.orders import Orders
    >>> import numpy as np
    >>> best_first = np.array([[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0]], np.int32)
    >>> places = np.tile(np.arange(3, dtype=np.int32), (4, 1))
    >>> counts = np.array([6.0, 4.0, 5.0, 3.0])
    >>> fit = PlackettLuce().fit(Orders(("new", "old", "plain"), best_first, places, counts))
    >>> {name: round(worth, 2) for name, worth in fit.worths.items()}
    {'new': 0.55, 'old': 0.28, 'plain': 0.17}
    """

    @takes_judgments("data")
    def fit(self, data: Judgments | Orders | Openable) -> OrderFit:
        """Fit by maximum likelihood (or its posterior mode under a prior).

        Args:
            data: rankings, ties and partial ones too; or comparisons, each a ranking of two;
                votes whose answers are whole rankings are such, others rankings of two.

        Raises:
            NotIdentified: no finite, unique maximum exists; names the systems and the remedy.
            InvalidJudgments: what cannot be a ranking, or has no place in the model.

        """
        orders = count_orders(data)
        sizes = observed_sizes(orders)
        notes = [] if sizes else [say("plain-plackett-luce")]
        missing = [str(size) for size in range(2, max(sizes, default=2)) if size not in sizes]
        if missing:
            notes.append(say("missing-tie-sizes", largest=sizes[-1], missing=", ".join(missing)))
        labels = [f"tie of {size}" for size in sizes]
        return fit_orders(self, orders, StageChoice(sizes), labels, notes)

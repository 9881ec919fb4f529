"""Resampled counts: the comparisons, or whole judges, items or rankings, drawn with replacement.

Counts are all that a rule needs, so that a resample is a draw of counts and no judgment is moved:
multinomial over the cells of all pairs, or over the levels of a factor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judgments.tally import Tally

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Urn:
    """What resamples are drawn from.

    Attributes:
        pairs: the tally folded and pooled, an entry per pair of systems.
        parts: the same told apart by the factor that is drawn, or None to draw comparisons.
        by: the factor's name, or None.

    """

    pairs: Tally
    parts: Tally | None
    by: str | None

    @property
    def name(self) -> str:
        """What is drawn, in one word."""
        return self.by or "comparison"

    @property
    def size(self) -> int:
        """Comparisons inside; of importance weights, whose scale says nothing, (Σ w)² / Σ w²."""
        total, squares = self.pairs.n_comparisons, self.pairs.squares
        return round(total if squares is None else total**2 / float(squares.sum()))

    def draw(self, runs: int, rng: np.random.Generator) -> Iterator[Array]:
        """Yield (C, 3) counts of each pair, once per run."""
        for _ in range(runs):
            yield self._draw_comparisons(rng) if self.parts is None else self._draw_levels(rng)

    def _draw_comparisons(self, rng: np.random.Generator) -> Array:
        counts = self.pairs.counts
        total = counts.sum()
        drawn = rng.multinomial(int(total), counts.ravel() / total)
        return np.asarray(drawn.reshape(counts.shape), dtype=np.float64)

    def _draw_levels(self, rng: np.random.Generator) -> Array:
        assert self.parts is not None
        assert self.by is not None
        factor = self.parts.factor(self.by)
        times = rng.multinomial(factor.size, np.full(factor.size, 1 / factor.size))
        weighted = self.parts.counts * times[factor.codes][:, None]
        k = len(self.pairs.systems)
        place = np.searchsorted(_key(self.pairs, k), _key(self.parts, k))
        size = len(self.pairs.left)
        return np.stack([np.bincount(place, column, size) for column in weighted.T], axis=1)


def fill_urn(tally: Tally, *, by: str | None = None) -> Urn:
    """Put a tally's judgments into an urn; their order and sides do not matter.

    Args:
        tally: the comparisons.
        by: a factor of the tally whose levels are drawn, or None to draw single comparisons.

    Raises:
        InvalidJudgments: there is nothing to draw, or the weights are no counts of comparisons.
        UnknownColumn: the tally was not made by that factor.

    """
    pairs = tally.fold().pool()
    counts = pairs.counts
    if not counts.sum() > 0:
        raise InvalidJudgments("there are no comparisons to draw from: is a condition too narrow?")
    if by is None and (pairs.squares is not None or (counts % 1 != 0).any()):
        kind = "fractional" if pairs.squares is None else "importance"
        raise InvalidJudgments(
            f"single comparisons cannot be drawn with {kind} weights: leave the weights out, or"
            " draw whole judges or rankings"
        )
    return Urn(pairs, None if by is None else tally.fold().pool((by,)), by)


def _key(tally: Tally, k: int) -> NDArray[np.int64]:
    return tally.left.astype(np.int64) * k + tally.right

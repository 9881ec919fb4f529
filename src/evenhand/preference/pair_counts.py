"""Counts per pair of systems, whoever stood left: a pair and its mirror image share them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption, listing
from evenhand.judgments.forms import Judgments, count_pairs
from evenhand.judgments.tally import Tally
from evenhand.preference.tables import code_pairs

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Outcomes of each pair that was compared, by name order.

    Attributes:
        systems: the K systems, sorted by name.
        low: (C,) code of the system that is first by name; pairs are in the order of their codes.
        high: (C,) code of the other.
        counts: (C, 3) how often `low` was preferred, neither, `high`.
        shown: the same counts as they were shown.

    """

    systems: tuple[str, ...]
    low: Codes
    high: Codes
    counts: Array
    shown: Tally

    @property
    def totals(self) -> Array:
        """(3,) left, tie, right of all comparisons, as they were shown."""
        return np.asarray(self.shown.counts.sum(axis=0))

    def by_system(self) -> Array:
        """Return (K, 3): how often each system was preferred, tied, lost."""
        sums = np.zeros((len(self.systems), 3))
        np.add.at(sums, self.low, self.counts)
        np.add.at(sums, self.high, self.counts[:, ::-1])
        return sums

    def between(self, left: Codes, right: Codes) -> Array:
        """Return (n, 3) counts of pairs as they are asked for; zeros where none was compared.

        Args:
            left: (n,) code of the system named first.
            right: (n,) code of the other.

        """
        k = len(self.systems)
        key = np.minimum(left, right) * k + np.maximum(left, right)
        known = np.append(self.low * k + self.high, k * k)
        at = np.searchsorted(known, key)
        found = np.append(self.counts, np.zeros((1, 3)), axis=0)
        rows = np.where((known[at] == key)[:, None], found[at], 0.0)
        return np.where((left > right)[:, None], rows[:, ::-1], rows)

    def unseen(self) -> list[str]:
        """Return the systems that no comparison is on."""
        seen = np.unique(np.concatenate([self.low, self.high]))
        return [self.systems[i] for i in np.setdiff1d(np.arange(len(self.systems)), seen).tolist()]

    def note_unseen(self, what: str) -> tuple[str, ...]:
        """Say which systems were not seen, and what stands for them."""
        unseen = self.unseen()
        return (f"no judgment is on {listing(unseen)}: {what}",) if unseen else ()


def pair_up(data: Judgments) -> PairCounts:
    """Count the outcomes of each pair.

    Raises:
        InvalidJudgments: a bad cell, or something that holds no judgments on pairs.
        NotIdentified: there are fewer than two systems.
        UnknownOption: importance weights.

    """
    tally = count_pairs(data)
    require_counts(tally)
    shown = tally.pool()
    folded = shown.fold() if len(shown.left) else shown
    low, high = folded.left.astype(np.intp), folded.right.astype(np.intp)
    return PairCounts(tally.systems, low, high, folded.counts, shown)


def require_counts(tally: Tally) -> None:
    """Refuse what does not count judgments on two systems or more.

    Raises:
        NotIdentified: there are fewer than two systems.
        UnknownOption: importance weights.

    """
    if len(tally.systems) < 2:
        raise NotIdentified("nothing to compare: there are fewer than two systems")
    if tally.squares is not None:
        raise UnknownOption(
            "importance weights are no counts, and the prior of this model is weighed against"
            " counts: read the file without them"
        )


def code_sides(systems: Sequence[str], pairs: Sequence[tuple[str, str]]) -> tuple[Codes, Codes]:
    """Return the codes of the systems named first, and of the others.

    Raises:
        InvalidJudgments: a system that there is not, or one against itself.

    """
    codes = np.array(code_pairs(systems, pairs), dtype=np.intp).reshape(-1, 2)
    return codes[:, 0], codes[:, 1]

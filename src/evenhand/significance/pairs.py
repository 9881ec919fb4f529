"""Which pairs of systems differ? A sign test of every pair, adjusted for their number.

Each pair is tested by its own comparisons alone, and the p-values of all pairs are adjusted (Holm
1979; Benjamini & Hochberg 1995). When not to use it: for an order of many systems a model borrows
strength between pairs, and `evenhand.rank` allows for judges and items, which these tests do not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption, listing, require_option, suggest
from evenhand.judgments.tally import Tally
from evenhand.significance.adjust import benjamini_hochberg, holm
from evenhand.significance.sign_test import INDEPENDENT, VARIANTS, check_counts

Array = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PairTests:
    """Sign tests of all pairs that were compared, smallest p first.

    Attributes:
        systems: the K systems, sorted by name.
        variant: the treatment of ties, by name.
        title: the same in a few words.
        new: the system that had to be preferred, whose pairs alone are tested; None for all pairs.
        first: (P,) code of one system of each pair: `new`, else the one that is preferred more.
        second: (P,) code of the other.
        better: (P,) comparisons that prefer the first.
        ties: (P,) comparisons that prefer neither.
        worse: (P,) comparisons that prefer the second.
        p: (P,) p-values, two-sided; one-sided where `new` is named.
        holm: (P,) the same after Holm's adjustment.
        fdr: (P,) the same after Benjamini and Hochberg's.
        untested: pairs that nobody compared.
        assumes: what the p-values rest on.
        ignores: what they do not look at.

    """

    systems: tuple[str, ...]
    variant: str
    title: str
    new: str | None
    first: Codes
    second: Codes
    better: Array
    ties: Array
    worse: Array
    p: Array
    holm: Array
    fdr: Array
    untested: int
    assumes: tuple[str, ...]
    ignores: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each pair."""
        columns = {
            "first": [self.systems[i] for i in self.first.tolist()],
            "second": [self.systems[i] for i in self.second.tolist()],
            "better": list(map(int, self.better)),
            "ties": list(map(int, self.ties)),
            "worse": list(map(int, self.worse)),
            "p": self.p.tolist(),
            "holm": self.holm.tolist(),
            "fdr": self.fdr.tolist(),
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def sign_test_pairs(tally: Tally, *, variant: str = "ignore", new: str | None = None) -> PairTests:
    """Test every pair of systems that was compared.

    Args:
        tally: the judgments; only counts per pair matter.
        variant: ignore | ignore-normal | split | split-normal | against | trinomial.
        new: the system that is to be preferred: only its pairs, one-sided.

    Raises:
        UnknownOption: there is no such variant, or weights are importance weights.
        NotIdentified: nobody compared `new`, or there is no such system.

    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> sign_test_pairs(Tally(("new", "old"), one, two, *counts)).p.round(4).tolist()
    [0.0103]
    """
    require_option("variant", variant, tuple(VARIANTS))
    chosen = VARIANTS[variant]
    first, second, counts = _pairs(tally, new)
    check_counts(counts)
    p = chosen.two_sided(*counts) if new is None else chosen.tail(*counts)
    order = np.lexsort((second, first, p))
    p, counts = p[order], counts[:, order]
    k = len(tally.systems)
    possible = k - 1 if new is not None else k * (k - 1) // 2
    return PairTests(
        systems=tally.systems,
        variant=variant,
        title=chosen.title,
        new=new,
        first=first[order],
        second=second[order],
        better=counts[0],
        ties=counts[1],
        worse=counts[2],
        p=p,
        holm=holm(p),
        fdr=benjamini_hochberg(p),
        untested=possible - len(p),
        assumes=(INDEPENDENT, *chosen.assumes),
        ignores=(*chosen.ignores, "who judged and what was judged"),
    )


def _pairs(tally: Tally, new: str | None) -> tuple[Codes, Codes, Array]:
    """Return (P,) codes of the first and the second system, and (3, P) better, ties, worse."""
    if tally.squares is not None:
        raise UnknownOption(
            "sign tests count comparisons, and importance weights are no counts: read the file"
            " without them, or use rank, which allows for them"
        )
    folded = replace(tally, factors={}).fold()
    seen = folded.counts.sum(axis=1) > 0
    left, right, counts = folded.left[seen], folded.right[seen], folded.counts[seen].T
    turn = counts[2] > counts[0]
    if new is not None:
        code = _code(tally, new)
        own = (left == code) | (right == code)
        if not own.any():
            raise NotIdentified(f"nobody compared '{new}' with another system: nothing to test")
        left, right, counts = left[own], right[own], counts[:, own]
        turn = right == code
    first, second = np.where(turn, right, left), np.where(turn, left, right)
    return first, second, np.where(turn, counts[::-1], counts)


def _code(tally: Tally, system: str) -> int:
    if system not in tally.systems:
        hint = suggest(system, tally.systems) or f" There are {listing(tally.systems)}"
        raise NotIdentified(f"nobody compared a system '{system}'.{hint}")
    return tally.systems.index(system)

"""How far two rankings of the same systems are apart, and on which pairs rules disagree.

    Kendall distance   D = #(pairs in opposite order) + ½ #(pairs tied in exactly one of the two)
    Kendall's τ_b      (C − O) / √((n − n₁)(n − n₂)),  C and O pairs in the same and in opposite
                       order, n all pairs, n₁ and n₂ those tied in the one and in the other
    Spearman's ρ       Pearson's correlation of places, ties sharing the mean of theirs

D is K^(p) with p = ½ of Fagin, Kumar, Mahdian, Sivakumar & Vee (2006), "Comparing partial
rankings", SIAM Journal on Discrete Mathematics 20; without ties it is the number of swaps of
neighbours that turn one order into the other (Kendall 1938). τ_b: Kendall (1945), "The treatment of
ties in ranking problems". ρ: Spearman (1904). All three look at the order alone, never at the
numbers behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, NotIdentified, listing
from evenhand.judgments.model import Scores
from evenhand.numerics.places import average_ranks

Array = NDArray[np.float64]
Signs = NDArray[np.int8]


@dataclass(frozen=True)
class Disagreement:
    """Two systems that some rules put in one order and some in the other.

    Attributes:
        systems: the two, by name.
        first_better: rules that put the first before the second.
        second_better: rules that put the second before the first.
        level: rules that give both the same score.

    """

    systems: tuple[str, str]
    first_better: tuple[str, ...]
    second_better: tuple[str, ...]
    level: tuple[str, ...]


def kendall_distance(one: Scores, other: Scores) -> float:
    """Count the pairs of systems that two rankings order differently; ties in one count half.

    Raises:
        InvalidJudgments: the two rank different systems.

    >>> names = ("a", "b", "c")
    >>> up, down = (Scores("r", names, np.array(v), "place") for v in ([3.0, 2, 1], [1.0, 2, 3]))
    >>> even = Scores("r", names, np.array([1.0, 1.0, 0.0]), "proportion")
    >>> kendall_distance(up, down), kendall_distance(up, even)
    (3.0, 0.5)
    """
    _require_same([one, other])
    opposite = half = 0
    for mine, theirs in zip(_signs(one), _signs(other), strict=True):
        opposite += int(np.count_nonzero(mine * theirs < 0))
        half += int(np.count_nonzero((mine == 0) != (theirs == 0)))
    return opposite + half / 2


def kendall_tau(one: Scores, other: Scores) -> float:
    """Return Kendall's τ_b of two rankings, −1 to 1.

    Raises:
        InvalidJudgments: the two rank different systems.
        NotIdentified: one of them ties all systems, so that there is no order to compare.

    >>> names = ("a", "b", "c")
    >>> up, swap = (Scores("r", names, np.array(v), "place") for v in ([3.0, 2, 1], [2.0, 3, 1]))
    >>> round(kendall_tau(up, swap), 6)
    0.333333
    """
    _require_same([one, other])
    _require_order(one, other)
    agreed = mine_ordered = theirs_ordered = 0
    for mine, theirs in zip(_signs(one), _signs(other), strict=True):
        agreed += int((mine * theirs).sum(dtype=np.int64))
        mine_ordered += int(np.count_nonzero(mine))
        theirs_ordered += int(np.count_nonzero(theirs))
    return float(agreed / np.sqrt(float(mine_ordered) * theirs_ordered))


def spearman_rho(one: Scores, other: Scores) -> float:
    """Return Spearman's ρ of two rankings, −1 to 1.

    Raises:
        InvalidJudgments: the two rank different systems.
        NotIdentified: one of them ties all systems, so that there is no order to compare.

    >>> names = ("a", "b", "c")
    >>> up, swap = (Scores("r", names, np.array(v), "place") for v in ([3.0, 2, 1], [2.0, 3, 1]))
    >>> round(spearman_rho(up, swap), 6)
    0.5
    """
    _require_same([one, other])
    _require_order(one, other)
    ranks = average_ranks(np.stack([one.values, other.values]))
    mine, theirs = ranks - ranks.mean(axis=1, keepdims=True)
    return float((mine @ theirs) / np.sqrt((mine @ mine) * (theirs @ theirs)))


def distance_matrix(rankings: Sequence[Scores]) -> Array:
    """Return the Kendall distances between several rankings, shape (M, M).

    Raises:
        InvalidJudgments: they do not all rank the same systems, or there are none.

    """
    _require_same(rankings)
    found = np.zeros((len(rankings), len(rankings)))
    for i, j in combinations(range(len(rankings)), 2):
        found[i, j] = found[j, i] = kendall_distance(rankings[i], rankings[j])
    return found


def disagreements(rankings: Sequence[Scores]) -> tuple[Disagreement, ...]:
    """Return the pairs of systems that some rules order one way and some the other.

    A pair that some rules order and others tie is no disagreement.

    Raises:
        InvalidJudgments: they do not all rank the same systems, or there are none.

    >>> names = ("a", "b", "c")
    >>> one = Scores("one", names, np.array([3.0, 2, 1]), "place")
    >>> two = Scores("two", names, np.array([2.0, 3, 1]), "place")
    >>> disagreements([one, two])
    (Disagreement(systems=('a', 'b'), first_better=('one',), second_better=('two',), level=()),)
    """
    _require_same(rankings)
    found = []
    for i, rows in enumerate(zip(*map(_signs, rankings), strict=True)):
        signs = np.stack(rows)
        for j in np.flatnonzero((signs > 0).any(axis=0) & (signs < 0).any(axis=0)).tolist():
            pair = rankings[0].systems[i], rankings[0].systems[i + 1 + j]
            first, second, level = (_who(rankings, signs[:, j] == way) for way in (1, -1, 0))
            found.append(Disagreement(pair, first, second, level))
    return tuple(found)


def _who(rankings: Sequence[Scores], chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(one.rule for one, here in zip(rankings, chosen.tolist(), strict=True) if here)


def _signs(scores: Scores) -> Iterator[Signs]:
    """Yield for each system whether it stands before (1), with (0) or behind each later one."""
    places = scores.places
    for i in range(len(places)):
        yield np.sign(places[i + 1 :] - places[i]).astype(np.int8)


def _require_same(rankings: Sequence[Scores]) -> None:
    if not rankings:
        raise InvalidJudgments("there are no rankings to compare: name at least one")
    first, *others = rankings
    for other in others:
        odd = sorted(set(first.systems) ^ set(other.systems))
        if odd:
            raise InvalidJudgments(
                f"{first.rule} and {other.rule} rank different systems: {listing(odd)} in one of"
                " them only; compare rankings of the same systems"
            )


def _require_order(*rankings: Scores) -> None:
    for one in rankings:
        if len(set(one.values.tolist())) < 2:
            raise NotIdentified(
                f"{one.rule} puts all systems on one place: there is no order to correlate with"
            )

"""Which judges to remove, or to ask again: the choices that Hamon et al. (2007) leave open.

Their table 3 counts the judges whom each method puts outside under each criterion, and under both;
table 4 removes them criterion by criterion. Other choices are named here:

    match    any    outside by one of the methods       all    by every one of them
    across   each   under each criterion its own        any    everywhere, if outside under one
             all    everywhere, if outside under every criterion

A method that can say nothing under a criterion is no reason to keep a judge: it is left out of
"all", and so is a criterion under which none of the methods can say anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import require_option
from evenhand.judgments.rating_rows import CONTROL, TARGET, RatingRows
from evenhand.numerics.grouping import number_groups
from evenhand.screening.outliers import Outliers
from evenhand.screening.profiles import knows_items

MATCHES: Final = ("any", "all")
ACROSS: Final = ("each", "any", "all")
VERSIONS: Final = ("first", "last", "both")


@dataclass(frozen=True)
class CommonJudges:
    """Judges whom two methods put outside under one criterion.

    Attributes:
        methods: the two.
        criterion: the criterion.
        judges: those common to both, sorted.
        high: how many of them score too high by the mean score; None where it is neither method.
        low: how many score too low, or None.

    """

    methods: tuple[str, str]
    criterion: str
    judges: tuple[str, ...]
    high: int | None = None
    low: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**vars(self), "methods": list(self.methods), "judges": list(self.judges)}


@dataclass(frozen=True)
class Choice:
    """Whom to remove, given who is outside.

    Attributes:
        methods: names of the methods that count.
        match: "any" or "all" of them.
        across: "each", "any" or "all" criteria.

    """

    methods: tuple[str, ...]
    match: str = "any"
    across: str = "each"

    def __post_init__(self) -> None:
        """Refuse what is no choice.

        Raises:
            UnknownOption: names what may be chosen.

        """
        require_option("match", self.match, MATCHES)
        require_option("across", self.across, ACROSS)

    def __str__(self) -> str:
        joined = (" or " if self.match == "any" else " and ").join(self.methods)
        where = {"each": "", "any": ", under any criterion", "all": ", under every criterion"}
        return f"{joined}{where[self.across]}"


def choose_removed(found: Sequence[Outliers], choice: Choice) -> dict[str, tuple[str, ...]]:
    """Return for each criterion the judges to remove, sorted.

    >>> found = [
    ...     Outliers("mean-score", "fluency", {}, high=("a", "b"), low=("c",)),
    ...     Outliers("mean-score", "adequacy", {}, high=("b",)),
    ... ]
    >>> choose_removed(found, Choice(("mean-score",)))
    {'fluency': ('a', 'b', 'c'), 'adequacy': ('b',)}
    >>> choose_removed(found, Choice(("mean-score",), across="all"))
    {'fluency': ('b',), 'adequacy': ('b',)}
    """
    sets: dict[str, list[set[str]]] = {one.criterion: [] for one in found}
    for one in found:
        if one.method in choice.methods and one.why is None:
            sets[one.criterion].append(set(one.judges))
    own = {criterion: _join(by_method, choice.match) for criterion, by_method in sets.items()}
    if choice.across != "each":
        everywhere = _join([own[name] for name in own if sets[name]], choice.across)
        own = dict.fromkeys(own, everywhere)
    return {criterion: tuple(sorted(judges)) for criterion, judges in own.items()}


def _join(sets: list[set[str]], how: str) -> set[str]:
    """Return the union of sets, or what is in all of them."""
    if not sets:
        return set()
    return set.union(*sets) if how == "any" else set.intersection(*sets)


def find_common(found: Sequence[Outliers], mean_score: str) -> tuple[CommonJudges, ...]:
    """Return the judges common to each two methods, by criterion.

    Args:
        found: who is outside.
        mean_score: name of the method that tells high from low.

    """
    common = []
    for at, one in enumerate(found):
        for other in found[at + 1 :]:
            if other.criterion != one.criterion or one.why or other.why:
                continue
            both = {*one.judges} & {*other.judges}
            sides = next((x for x in (one, other) if x.method == mean_score), None)
            high, low = (
                (None, None)
                if sides is None
                else (len(both & {*sides.high}), len(both & {*sides.low}))
            )
            methods = one.method, other.method
            common.append(CommonJudges(methods, one.criterion, tuple(sorted(both)), high, low))
    return tuple(common)


def choose_version(rows: RatingRows, version: str) -> RatingRows:
    """Keep the first or the last score that a judge gave to an output, or all of them.

    A second score is one of kind repeat, or one more of the same judge on the same output: a judge
    who is asked again, or an output that is shown again. What is last goes by the time it was
    given, where every score has one, else by the order of the table, repeats behind. Controls are
    left out. Without items nobody knows which scores are of one output: all are kept.

    Args:
        rows: scores.
        version: "first", "last" or "both".

    Raises:
        UnknownOption: another version.

    """
    require_option("version", version, VERSIONS)
    plain = rows if rows.kind is None else rows.take(rows.kind != CONTROL)
    if version == "both" or not plain.size or not knows_items(plain):
        return _as_targets(plain)
    order = _in_order(plain)
    cell = number_groups(plain.unit, plain.judge)[order]
    seen = cell if version == "first" else cell[::-1]
    _, at = np.unique(seen, return_index=True)
    kept = order[at if version == "first" else len(order) - 1 - at]
    return _as_targets(plain.take(np.sort(kept)))


def number_versions(rows: RatingRows) -> NDArray[np.int64]:
    """Return which of its judge's scores of that output each score is, 0 the first.

    Args:
        rows: scores; controls are numbered apart.

    """
    control = np.zeros(rows.size, np.int64) if rows.kind is None else rows.kind == CONTROL
    order = _in_order(rows)
    cell = number_groups(rows.unit, rows.judge, control.astype(np.int64))[order]
    by_cell = np.argsort(cell, kind="stable")
    sizes = np.bincount(cell)
    turn = np.arange(rows.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    found = np.empty(rows.size, dtype=np.int64)
    found[order[by_cell]] = turn
    return found


def _in_order(rows: RatingRows) -> NDArray[np.intp]:
    """Return row numbers in the order in which scores were given.

    Targets stand before repeats, unless the time of every score is known and says otherwise.
    """
    late = np.zeros(rows.size) if rows.kind is None else rows.kind != TARGET
    if rows.moment is None or np.isnan(rows.moment).any():
        return np.argsort(late, kind="stable")
    return np.lexsort((late, rows.moment))


def _as_targets(rows: RatingRows) -> RatingRows:
    return rows if rows.kind is None else replace(rows, kind=np.zeros_like(rows.kind))

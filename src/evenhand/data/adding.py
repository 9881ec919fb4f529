"""Tallies add up: what was counted day by day, or file by file, is one tally.

Cell for cell it is the tally of all the judgments together. To add a day costs what the day's cells
and the cells so far cost, however many judgments were counted before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.count import COUNTABLE
from evenhand.data.tally import Codes, Factor, Tally, merge_levels
from evenhand.errors import InvalidJudgments, UnknownOption, listing

# Entries that are gathered before they are summed: small tallies are not sorted one by one
PENDING: Final = 2**20


def add_tallies(tallies: Iterable[Tally], *, limits: Mapping[str, int] | None = None) -> Tally:
    """Add tallies of the same kind: systems and levels of factors are united, cells summed.

    Args:
        tallies: at least one, all made by the same factors. A sequence is gone through twice and
            need not be in memory at once.
        limits: most clusters of a factor, as for `Comparisons.tally`; where the levels of all
            tallies together are more, they are merged.

    Returns:
        The tally of all their judgments. An answer of several comparisons (a ranking) must lie
        whole in one of them.

    Raises:
        UnknownOption: none is given, one is given twice, or they cannot be added: by other factors,
            with and without positions, with counts and importance weights, or with levels that were
            merged.
        InvalidJudgments: one ranking in two tallies; or more judgments than can be counted exactly.

    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> n = np.array([3.0])
    >>> monday = Tally(("lark", "wren"), one, two, n, 0 * n, n, n_judgments=6)
    >>> tuesday = Tally(("finch", "wren"), one, two, n, n, 0 * n, n_judgments=6)
    >>> both = add_tallies([monday, tuesday])
    >>> both.systems, both.n_judgments, both.wins.tolist()
    (('finch', 'lark', 'wren'), 12.0, [3.0, 3.0])

    """
    parts = tallies if isinstance(tallies, Sequence) else tuple(tallies)
    if isinstance(parts, list | tuple) and len({id(part) for part in parts}) < len(parts):
        raise UnknownOption("one tally is given twice: its judgments would count twice")
    whole = sum_tallies(_recode(parts, limits or {}))
    if not 0 <= whole.n_comparisons <= COUNTABLE:
        raise InvalidJudgments("these tallies add up to more than can be counted exactly")
    merged = [name for name, one in whole.factors.items() if one.merged]
    return replace(whole, unmerged={name: partial(_add_by, parts, name) for name in merged})


def _recode(parts: Sequence[Tally], limits: Mapping[str, int]) -> Iterator[Tally]:
    """Yield tallies in the codes of all their systems and levels; refuse what cannot be added."""
    # Each says of how many judgments and rows of weight 0 all of them are.
    first: Tally | None = None
    names: set[str] = set()
    loads: dict[str, dict[str, float]] = {}
    judgments, zero = 0.0, 0
    for part in parts:
        if first is None:
            first = part
            loads = {name: {} for name in part.factors}
        _refuse_other_kind(first, part)
        counted = {} if part.of_pairs and not part.of_rankings else loads.get("ranking", {})
        twice = [one for one in part.factors["ranking"].labels if one in counted] if counted else []
        if twice:  # of a ranking a part was counted before: it would be two answers
            raise InvalidJudgments(
                f"ranking '{twice[0]}' stands in two of the tallies, and a ranking is one answer:"
                " count such tables together, or give the rankings of each names of their own"
            )
        names.update(part.systems)
        for name, by_label in loads.items():
            factor = part.factors[name]
            for label, load in zip(factor.labels, factor.loads.tolist(), strict=True):
                by_label[label] = by_label.get(label, 0.0) + load
        judgments, zero = judgments + part.n_judgments, zero + part.zero_weight
    if first is None:
        raise UnknownOption("no tally was given: name at least one")
    levels = {}
    for name, by_label in loads.items():
        labels = tuple(sorted(by_label))
        counts = np.array([by_label[label] for label in labels], dtype=np.float64)
        whole = Factor(labels, np.arange(len(labels), dtype=np.int32), counts, len(labels))
        levels[name] = merge_levels(whole, limits[name], SEED) if name in limits else whole
    systems = tuple(sorted(names))
    for part in parts:
        place = _places(part.systems, systems)
        factors = {}
        for name, level in levels.items():
            codes = _places(part.factors[name].labels, level.labels)[part.factors[name].codes]
            codes = codes if level.clusters is None else level.clusters[codes]
            factors[name] = replace(level, codes=codes)
        yield replace(
            part,
            systems=systems,
            left=place[part.left],
            right=place[part.right],
            factors=factors,
            n_judgments=judgments,
            zero_weight=zero,
            unmerged={},
        )


def _refuse_other_kind(first: Tally, part: Tally) -> None:
    if set(first.factors) != set(part.factors):
        one, two = (listing(sorted(tally.factors)) or "nothing" for tally in (first, part))
        raise UnknownOption(
            f"tallies by {one} and by {two} cannot be added: count both by the same factors, or"
            " pool what one of them does not have"
        )
    merged = [name for tally in (first, part) for name, one in tally.factors.items() if one.merged]
    if merged:
        raise UnknownOption(
            f"the levels of {merged[0]} were merged and can no longer be distinguished: add tallies"
            " without a limit for it, and give the limit to add_tallies"
        )
    if first.positions_known != part.positions_known:
        raise UnknownOption(
            "one tally knows which output stood first and another does not: fold() the one that"
            " knows, or count without positions"
        )
    if (first.squares is None) != (part.squares is None):
        raise UnknownOption(
            "one tally counts judgments and another sums importance weights: read both with the"
            " same weights"
        )


def _places(labels: Sequence[str], every: Sequence[str]) -> Codes:
    if labels is every or tuple(labels) == tuple(every):
        return np.arange(len(labels), dtype=np.int32)
    index = dict(zip(every, range(len(every)), strict=True))
    return np.fromiter(map(index.__getitem__, labels), dtype=np.int32, count=len(labels))


def sum_tallies(parts: Iterable[Tally]) -> Tally:
    """Add tallies of the same systems and levels, one at least; few of them are held at a time."""
    total: list[Tally] = []
    pending: list[Tally] = []
    for part in parts:
        pending.append(part)
        held = sum(len(one.left) for one in total)
        if sum(len(one.left) for one in pending) > max(held, PENDING):
            total, pending = [_sum([*total, *pending])], []
    return _sum([*total, *pending])


def _sum(parts: Sequence[Tally]) -> Tally:
    first = parts[0]
    names = ["left", "right", "wins", "ties", "losses"]
    names += [] if first.squares is None else ["squares"]
    entries: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in names
    }
    factors = {
        name: replace(one, codes=np.concatenate([part.factors[name].codes for part in parts]))
        for name, one in first.factors.items()
    }
    return replace(first, factors=factors, **entries).pool(tuple(factors))


def _add_by(parts: Sequence[Tally], name: str) -> Tally:
    return add_tallies([part.pool((name,)) for part in parts])

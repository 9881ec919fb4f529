"""Units grouped by the engine that holds their scores: what comes back does not grow with them.

Rows become answers (a unit's, by a judge), answers units (how often each score was given), units
sums by item, and items clusters. The sums by item are held by the engine where it can hold them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.bootstrap import MOST
from evenhand.agreement.count_table import Key
from evenhand.agreement.counts import Counts
from evenhand.agreement.engine_codes import Coded, PairNames
from evenhand.agreement.engine_first import ODD, ROWS, keep_first, read_answers
from evenhand.agreement.engine_rows import NeedsRows
from evenhand.agreement.units import Points
from evenhand.judgments.engine import COUNT, Columns, Frame, fetch_columns
from evenhand.judgments.held_table import hold_table
from evenhand.judgments.label_codes import Level
from evenhand.judgments.portable import count_values

JUDGES, AGAIN = "evenhand_judges", "evenhand_again"
CLUSTER: Final = "evenhand_cluster"
_LOW, _HIGH = "evenhand_low", "evenhand_high"
_PRIME: Final = 2_147_483_647
"""Places of items times a number below it fit into 64 bits."""


@dataclass(frozen=True, eq=False)
class ItemSums:
    """Sums over units of each item, as a table of the engine.

    Attributes:
        frame: by levels, item and number of judges.
        levels: columns by which units are told apart.
        scores: what is summed.

    """

    frame: Frame
    levels: tuple[str, ...]
    scores: Coded

    @property
    def points(self) -> NDArray[np.float64]:
        """(K,) the scores."""
        return self.scores.targets.points

    @cached_property
    def items(self) -> int:
        """Number of items."""
        number = self.scores.items.select(nw.len().alias(COUNT))
        return int(fetch_columns(number)[COUNT][0])


def name_given(k: int) -> list[str]:
    """Return the names of how often each score was given."""
    return [f"evenhand_given_{at}" for at in range(k)]


def name_together(k: int) -> list[str]:
    """Return the names of pairs of scores, the lower first."""
    pairs = combinations_with_replacement(range(k), 2)
    return [f"evenhand_pair_{low}_{high}" for low, high in pairs]


@contextmanager
def sum_items(scores: Coded, levels: Sequence[str]) -> Iterator[ItemSums]:
    """Sum units by item; the table is held while the context lasts.

    Args:
        scores: with numbers for labels.
        levels: columns by which units are told apart.

    Raises:
        NeedsRows: the first answer of a judge is only known by the order of the table.

    """
    targets = scores.targets
    frame = scores.frame(list(dict.fromkeys([*scores.keys, *levels, "judge"])))
    why = "which of two answers of a judge is the first, the order of the rows says"
    for timed, placed in ((False, False), (True, False), (True, True)):
        if timed and not (targets.placed if placed else targets.timed):
            continue
        if timed and not placed:
            frame = keep_first(scores, frame)
            why = "answers of a judge at one moment are told apart by the order of rows"
        sums = _sum_by_item(scores, frame, levels, placed=placed)
        with hold_table(sums, targets.connection) as held:
            if not _count_odd(held):
                yield ItemSums(held, tuple(levels), scores)
                return
    raise NeedsRows(why)


def _count_odd(sums: Frame) -> int:
    """Count answers of a judge to a unit that differ."""
    return int(fetch_columns(sums.select(nw.col(ODD).sum()))[ODD][0])


def _sum_by_item(scores: Coded, frame: Frame, levels: Sequence[str], *, placed: bool) -> Frame:
    k = len(scores.targets.points)
    given, together = name_given(k), name_together(k)
    keys = tuple(dict.fromkeys([*scores.keys, *levels]))
    answers = read_answers(scores, frame, (*keys, "judge"), given, placed=placed)
    sums = [nw.col(name).sum() for name in (*given, ROWS, ODD)]
    units = answers.group_by(*keys).agg(nw.len().alias(JUDGES), *sums)
    again = nw.col(ROWS) - nw.col(JUDGES)
    units = units.with_columns(again.alias(AGAIN), *_count_pairs(k))
    found = [nw.col(name).sum() for name in (*given, *together, AGAIN, ODD)]
    by = dict.fromkeys([*levels, "item", JUDGES])
    return units.group_by(*by).agg(nw.len().alias(COUNT), *found)


def _count_pairs(k: int) -> list[nw.Expr]:
    """Return products of how often two scores were given; of one score twice its pairs."""
    given = name_given(k)
    found = []
    for name, (low, high) in zip(
        name_together(k), combinations_with_replacement(range(k), 2), strict=True
    ):
        one, other = nw.col(given[low]), nw.col(given[high])
        found.append((one * (other - 1 if low == high else other)).alias(name))
    return found


def fetch_clusters(sums: ItemSums, seed: int) -> Columns:
    """Fetch sums by levels, cluster of items and number of judges."""
    k = len(sums.points)
    columns = [COUNT, AGAIN, *name_given(k), *name_together(k)]
    cluster = find_cluster(sums.items, seed).alias(CLUSTER)
    groups = sums.frame.with_columns(cluster).group_by(*sums.levels, CLUSTER, JUDGES)
    return fetch_columns(groups.agg(*(nw.col(name).sum() for name in columns)))


def find_cluster(items: int, seed: int) -> nw.Expr:
    """Return the cluster of an item, by its number.

    Up to 1,000 items are clusters, in the order of their names; more are put together by their
    place in it, times a number that the seed draws.

    Args:
        items: how many there are.
        seed: of the draw.

    """
    most, cluster = MOST["item"], nw.col("item").cast(nw.Int64)
    if items <= most:
        return cluster
    times = int(np.random.Generator(np.random.PCG64(seed)).integers(_PRIME // 3, _PRIME))
    return ((cluster + 1) * times % _PRIME) % most


def read_counts(found: Columns, sums: ItemSums, seen: Points) -> Counts:
    """Turn sums by cluster into counts, in an order of their own.

    Args:
        found: as `fetch_clusters` gave them.
        sums: what they are of.
        seen: all scores that can be given.

    """
    at = np.searchsorted(seen.points, sums.points)
    k, size = len(seen.points), len(found[COUNT])
    given, together = (np.zeros((size, wide), np.int64) for wide in (k, k * (k + 1) // 2))
    given[:, at] = _stack(found, name_given(len(at)))
    pairs = _stack(found, name_together(len(at)))
    low, high = np.triu_indices(len(at))
    pairs[:, low == high] //= 2
    place = np.zeros((k, k), dtype=np.int64)
    place[np.triu_indices(k)] = np.arange(k * (k + 1) // 2)
    together[:, place[at[low], at[high]]] = pairs
    known = {name: _read_level(found[name], sums.scores.names[name]) for name in sums.levels}
    cluster, judges, units, again = _stack(found, [CLUSTER, JUDGES, COUNT, AGAIN]).T
    counts = Counts(
        points=seen.points,
        scale=seen.scale,
        levels=known,
        cluster=cluster,
        judges=judges,
        units=units,
        again=again,
        given=given,
        together=together,
    )
    keys = [judges, cluster, *(codes for _, codes in known.values())]
    return counts.take(np.lexsort(keys))


def _read_level(numbers: NDArray[np.int64], names: Sequence[str]) -> Level:
    """Return the names that occur, sorted, and the code of each number."""
    occurs, place = np.unique(numbers.astype(np.int64), return_inverse=True)
    found = [names[at] for at in occurs.tolist()]
    paired = isinstance(names, PairNames)  # which stand in the order of both systems
    order = sorted(range(len(found)), key=None if paired else found.__getitem__)
    rank = np.argsort(order).astype(np.int32)
    return tuple(found[at] for at in order), rank[place.reshape(-1)]


def _stack(found: Columns, names: Sequence[str]) -> NDArray[np.int64]:
    """Return columns side by side, as whole numbers."""
    return np.column_stack([found[name].astype(np.int64) for name in names])


def count_items(sums: ItemSums, by: Sequence[str]) -> dict[Key, int]:
    """Count the items of every part."""
    return count_different(sums.frame, "item", by, sums.scores)


def count_judges(frame: Frame, by: Sequence[str], scores: Coded) -> dict[Key, int]:
    """Count the judges of every part."""
    return count_different(frame, "judge", by, scores)


def count_different(frame: Frame, name: str, by: Sequence[str], scores: Coded) -> dict[Key, int]:
    """Count the different labels of a column in every part."""
    found = fetch_columns(count_values(frame, name, by))
    parts = name_parts(found, by, scores)
    return {key: int(n) for key, n in zip(parts, found[COUNT], strict=True)}


def name_parts(found: Columns, by: Sequence[str], scores: Coded) -> list[Key]:
    """Return the part of each row."""
    size = len(next(iter(found.values())))
    labels = [[scores.names[name][int(at)] for at in found[name]] for name in by]
    rows = zip(*labels, strict=True) if labels else [()] * size
    return [tuple(zip(by, row, strict=True)) for row in rows]


@contextmanager
def find_judges(scores: Coded, levels: Sequence[str], *, alone: bool) -> Iterator[Frame]:
    """Find who scored units of two judges or more, by levels; held while the context lasts.

    Args:
        scores: with numbers for labels.
        levels: columns by which units are told apart.
        alone: whether there are units of one judge.

    """
    frame = scores.frame([*levels, "judge"])
    rows = frame.group_by(*levels, "judge").agg(nw.len().alias(ROWS))
    if alone:
        judge = nw.col("judge")
        keys = list(dict.fromkeys([*scores.keys, *levels]))
        units = scores.frame([*keys, "judge"]).group_by(*keys)
        ends = units.agg(judge.min().alias(_LOW), judge.max().alias(_HIGH), nw.len().alias(COUNT))
        single = ends.filter(nw.col(_LOW) == nw.col(_HIGH)).group_by(*levels, _LOW)
        once = single.agg(nw.col(COUNT).sum()).rename({_LOW: "judge"})
        rows = rows.join(once, on=[*levels, "judge"], how="left")  # type: ignore[arg-type]
        rows = rows.filter(nw.col(COUNT).is_null() | (nw.col(ROWS) > nw.col(COUNT)))
    with hold_table(rows.select(*levels, "judge"), scores.targets.connection) as held:
        yield held


def count_units(scores: Coded, keys: Sequence[str]) -> int:
    """Count what is told apart by some columns."""
    groups = scores.frame(keys).group_by(*keys).agg(nw.len().alias(COUNT))
    return int(fetch_columns(groups.select(nw.len().alias(COUNT)))[COUNT][0])

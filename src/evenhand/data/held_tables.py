"""Judgments of a file held in memory: whoever asks many questions of them reads the file once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Final, TypeVar, cast

import narwhals as nw

from evenhand.data import engine
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import explained, name_file
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.data.tables import BOUND_BY, TASK_BOUND
from evenhand.data.tally import Tally, take_names

if TYPE_CHECKING:
    import duckdb


Held = TypeVar("Held", bound=Comparisons | Rankings | Ratings)
MAX_ROWS_HELD: Final = 3_000_000  # Rows that are held; more stay where they are
_NAMES: Final = count()


def hold_rows(data: Held) -> Held:
    """Return the same judgments, read from their file once and held by its engine."""
    # What is not in a file, and a file of very many rows, is returned as it is.
    engine.require_open(data.frame, data.source.name)
    connection, frame = data.source.connection, data.frame
    if connection is None or not frame.implementation.is_duckdb():
        return data
    if engine.count_rows(frame) > MAX_ROWS_HELD:
        return data
    relation = cast("duckdb.DuckDBPyRelation", frame.to_native())
    name = f"evenhand_held_{next(_NAMES)}"
    with explained(name_file(relation)):
        connection.execute(f"create temp table {name} as {relation.sql_query()}")
    held = nw.from_native(connection.table(name))
    if isinstance(data, Rankings):
        return cast("Held", data.keep(held))
    return replace(data, frame=held)


@dataclass(frozen=True, eq=False, repr=False)
class CountedOnce(Comparisons):
    """Comparisons that remember how they were counted; a part of them does not."""

    @classmethod
    def of(cls, data: Comparisons) -> CountedOnce:
        return cls(**{one.name: getattr(data, one.name) for one in fields(data)})

    @cached_property
    def _counts(self) -> list[Tally]:
        return []

    def tally(self, by: Sequence[str] = (), *, limits: Mapping[str, int] | None = None) -> Tally:
        if limits:
            return super().tally(by, limits=limits)
        by = take_names(by)
        factors = tuple(self.require(name) for name in by)
        coarse = (coarsen(known, factors) for known in self._counts)
        counts = next((one for one in coarse if one is not None), None)
        if counts is None:
            counts = super().tally(by)
            self._counts.append(counts)
        return counts


def coarsen(known: Tally, by: Sequence[str]) -> Tally | None:
    """Return the counts by fewer factors; None where they do not follow."""
    if not set(by) <= set(known.factors) or any(one.merged for one in known.factors.values()):
        return None
    pooled = known.pool(by)
    task = known.factors.get("task")
    bound = [name for name in by if name in TASK_BOUND]
    if task is None or "task" in by or not bound:
        return pooled
    if len(task.labels) != 1:
        return None
    factors = dict(pooled.factors)
    for name in bound:
        labels = tuple(f"{task.labels[0]}{BOUND_BY}{one}" for one in factors[name].labels)
        factors[name] = replace(factors[name], labels=labels)
    return replace(pooled, factors=factors)

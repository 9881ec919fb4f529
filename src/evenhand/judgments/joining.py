"""Covariates of judges (or items) from a second table with one row for each."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownColumn, listing
from evenhand.judgments.engine import COUNT, Frame, fetch_columns, quote, quote_name, small_table
from evenhand.judgments.source import Source

NAMELESS: Final = "the table to join"
LISTED: Final = 8  # Most names that are written out


def join_covariates(
    frame: Frame, table: Any, on: str, source: Source, named: str = NAMELESS
) -> Frame:
    """Add the columns of a table with one row per judge (or item), of any engine."""
    other = nw.from_native(table)
    names = other.collect_schema().names()
    if on not in names:
        raise UnknownColumn(f"{named} has no column '{on}'; it has {listing(names)}")
    taken = [name for name in names if name != on and name in frame.collect_schema().names()]
    if taken:
        raise InvalidJudgments(
            f"{source.name} already has a column '{taken[0]}': rename it in {named}"
        )
    columns = {name: _as_text(values) for name, values in fetch_columns(other).items()}
    judges = frame.select(nw.col(on).cast(nw.String)).group_by(on).agg(nw.len().alias(COUNT))
    _check_keys(columns[on], fetch_columns(judges)[on].tolist(), source, (on, named))
    keyed = frame.collect_schema()[on]
    ours = small_table(frame, columns, source.connection)
    if keyed != nw.String:
        ours = ours.with_columns(nw.col(on).cast(keyed))
    return frame.join(_alike(ours, frame), on=on, how="left")


def _alike(table: Any, frame: Frame) -> Any:
    """Return a frame as lazy as the judgments, which narwhals asks for."""
    return table.lazy() if isinstance(frame, nw.LazyFrame) else table


def _as_text(column: NDArray[Any]) -> list[Any]:
    """Return values as text, which is what levels are; a missing one stays missing."""
    whole = column.dtype.kind == "f" and not (column[~np.isnan(column)] % 1).any()
    values: list[Any] = column.tolist()
    return [
        None if value is None or value != value else str(int(value) if whole else value)  # noqa: PLR0124 - nan is the only value that differs from itself
        for value in values
    ]


def _check_keys(
    given: list[Any], asked: list[Any], source: Source, joined: tuple[str, str]
) -> None:
    """Refuse judges that the table names twice or not at all."""
    on, named = joined
    doubled = [str(name) for name, n in Counter(given).items() if n > 1]
    if doubled:
        raise InvalidJudgments(
            f"{on} {listing(doubled)} stands more than once in {named}: one row for each"
        )
    absent = sorted({name for name in asked if name is not None} - set(given))
    if absent:
        raise InvalidJudgments(
            f"{on} {listing(absent)} of {source.name} is not in {named}: add a row for each, or"
            f" leave them out ({_say_without(absent, on, source)})"
        )


def _say_without(absent: list[str], on: str, source: Source) -> str:
    """Say how to leave out judges or items, on the command line and in Python."""
    column = source.named(on)
    column = column if column.isidentifier() else quote_name(column)
    names = ", ".join(map(quote, absent))
    listed = names if len(absent) <= LISTED else "…"
    where = f"{column} not in ({listed})"
    quoted = "'" + where.replace("'", "'\\''") + "'" if '"' in where else f'"{where}"'
    python = f", in Python without(judges=[{listed}])" if on == "judge" else ""
    return f"--where {quoted}{python}"

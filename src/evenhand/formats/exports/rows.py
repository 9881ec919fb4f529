"""What exporters share: rows of our tables in order, and the refusals that all of them need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from evenhand.errors import UnknownColumn, UnknownOption, listing
from evenhand.formats.table import Handle, Table
from evenhand.formats.unfolding import Record, read_records, write_value
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.spans import Span, read_spans

Kind = TypeVar("Kind", Comparisons, Rankings, Ratings)


def require_kind(data: Handle, kind: type[Kind], name: str) -> Kind:
    """Refuse judgments of another kind than a format holds."""
    if isinstance(data, kind):
        return data
    own = type(data).__name__.lower()
    raise UnknownOption(f"{own} cannot be written as {name}, which holds {kind.__name__.lower()}")


def require_roles(data: Handle, roles: Sequence[str], name: str) -> None:
    """Refuse judgments that lack what a format cannot do without."""
    lacking = [role for role in roles if role not in data.columns]
    if lacking:
        raise UnknownColumn(f"{name} needs {listing(lacking)}, not found in {data.source.name}")


def read_rows(data: Handle) -> Iterator[Record]:
    """Yield the rows of a handle, in order."""
    yield from read_records(Table(data.frame, data.source.name))


def text_of(record: Record, column: str) -> str:
    """Return a value as it is written: 98, not 98.0; "" where it is missing."""
    value = record.values.get(column)
    missing = value is None or value != value  # noqa: PLR0124 - nan is the only value that differs from itself
    return "" if missing else (write_value(value) or "")


def spans_of(record: Record) -> tuple[Span, ...] | None:
    """Return the errors of a rating; None where none were asked for."""
    text = record.text("spans")
    if not text:
        return None
    try:
        return read_spans(text)
    except ValueError as fault:
        raise record.refuse(str(fault)) from None


def say_dropped(n: int, every: int, said: str) -> list[str]:
    """Say what is left out of some rows, where some have it and it is not written."""
    return [f"{said}: {n:,} of {every:,} rows"] if n else []


def refuse_weight(record: Record, name: str) -> None:
    """Refuse a row that counts more or less than once."""
    if text_of(record, "weight") not in {"", "1"}:
        raise record.refuse(f"its weight is {text_of(record, 'weight')}: {name} has no weights")

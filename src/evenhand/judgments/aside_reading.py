"""Columns beside the judgments on their way from the engine to arrays.

Nothing hangs on them until somebody asks. A column that was only guessed at by its name and holds
something else is left aside with a note; one that was asked for, or that is called exactly like
its role, is refused with what it may hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judgments.asides import Array, Kinds, Small, Unread, mark_controls, read_kinds
from evenhand.judgments.asides import read_seconds as to_seconds
from evenhand.judgments.engine import Columns, Frame
from evenhand.judgments.label_codes import Labels
from evenhand.judgments.moments import read_moments
from evenhand.judgments.source import Aside, Source
from evenhand.judgments.tally import Codes

# What is expected, of which judgments something is, and whether that is good or bad
Expected = tuple[Any, NDArray[np.bool_], Small | None]
Words = tuple[Sequence[str], Codes]  # Different labels of a column, and the code of each row
Value = TypeVar("Value")

# Roles whose columns are fetched as they are; of the others the different labels are looked up
_PLAIN: Final = ("seconds", "shown_at")


@dataclass(frozen=True, eq=False)
class Beside:
    """What was recorded beside the judgments."""

    # which are controls and repeats
    kinds: Kinds = Kinds()  # noqa: RUF009 - frozen
    # what is expected of controls, in the unit of the judgments; None for nothing
    expected: Any = None
    seconds: Array | None = None  # (n,) how long they took; None for nothing
    moment: Array | None = None  # (n,) when they were given; None for nothing
    notes: tuple[str, ...] = ()  # what must be said of them


@dataclass(frozen=True, eq=False)
class AsideColumns:
    """The columns beside the judgments of one table."""

    source: Source  # of the table, for messages
    asides: Mapping[str, Aside]  # role → column
    plain: tuple[str, ...]  # roles whose columns are fetched as they are

    def only(self, role: str) -> AsideColumns:
        """Keep the column of one role."""
        return replace(self, asides={role: self.asides[role]})

    def add_to(self, frame: Frame) -> Frame:
        """Add each column as it is fetched, under a name that is nobody's."""
        schema = frame.collect_schema()
        added = [
            nw.col(aside.column).alias(_name(role))
            if role in self.plain
            else _as_label(aside.column, schema[aside.column]).alias(_name(role))
            for role, aside in self.asides.items()
        ]
        return frame.with_columns(*added) if added else frame

    @property
    def columns(self) -> list[str]:
        """Names of the columns that are fetched as they are."""
        return [_name(role) for role in self.plain]

    @property
    def words(self) -> list[str]:
        """Names of the others, whose different labels are looked up."""
        return [_name(role) for role in self.asides if role not in self.plain]

    def read(
        self,
        found: Columns,
        words: Mapping[str, Labels],
        read_expected: Callable[[NDArray[Any] | Words], Expected],
    ) -> Beside:
        """Turn what was fetched into arrays.

        found: fetched columns; codes where there are words.
        read_expected: reads what is expected, from values or from labels and codes.
        """
        notes: list[str] = []

        def take(role: str, read: Callable[[Any], Value]) -> Value | None:
            if role not in self.asides:
                return None
            values = found[_name(role)]
            own = words.get(_name(role))
            return self._attempt(role, read, values if own is None else (own.words, values), notes)

        kinds = take("kind", lambda coded: read_kinds(*coded)) or Kinds()
        expected = take("expected", read_expected)
        if expected is not None:
            kinds = mark_controls(kinds, expected[1], expected[2])
        timed = take("seconds", to_seconds)
        moment = take("shown_at", read_moments)
        seconds, said = timed if timed is not None else (None, ())
        values = expected[0] if expected is not None else None
        return Beside(kinds, values, seconds, moment, (*notes, *kinds.notes, *said))

    def _attempt(
        self, role: str, read: Callable[[Any], Value], values: Any, notes: list[str]
    ) -> Value | None:
        try:
            return read(values)
        except Unread as fault:
            notes.append(refuse_unread(self.source, role, self.asides[role], fault))
            return None


def refuse_unread(source: Source, role: str, aside: Aside, fault: Unread) -> str:
    """Refuse a column that cannot be read, or return the note that it is left aside."""
    column = source.columns.get(role, aside.column)
    if aside.sure:
        raise InvalidJudgments(f"column '{column}' of {source.name}, taken as {role}, {fault}")
    return f"column '{column}' is not taken as {role}: it {fault}"


def find_aside_columns(source: Source, frame: Frame, *, scores: bool) -> AsideColumns:
    """Find the columns beside the judgments of a table."""
    schema = frame.collect_schema()
    asides = source.find_asides(list(schema.names()))
    numeric = {role for role, aside in asides.items() if schema[aside.column].is_numeric()}
    plain = [role for role in asides if role in _PLAIN]
    if scores and "expected" in numeric:
        plain.append("expected")
    return AsideColumns(source, asides, tuple(plain))


def _name(role: str) -> str:
    return f"evenhand_{role}"


def _as_label(column: str, dtype: nw.dtypes.DType) -> nw.Expr:
    """Return text; what is missing stays missing."""
    if dtype.is_nested():
        return nw.lit("nested values")
    value = nw.col(column)
    return value if dtype == nw.String else nw.when(~value.is_null()).then(value.cast(nw.String))

"""An outside table on its way in: a frame, its name, and what the caller wishes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import narwhals as nw

from evenhand.errors import InvalidJudgments
from evenhand.formats.roles import Header
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.copies import name_originals
from evenhand.judgments.engine import Frame, fetch_columns
from evenhand.judgments.labels import LONGEST, Outcome
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.source import Source

LOOK: Final = 1000  # Rows looked at to tell texts from names
# From so many values, so large a share of different ones names nobody who judged twice
FEWEST, ALL_DIFFERENT = 20, 0.9
MANY_LONG: Final = 0.05  # Share of long values in a column of texts
Handle: TypeAlias = Comparisons | Rankings | Ratings
Kinds: TypeAlias = Callable[[], Mapping[str, str]]
# Kinds of value that name the same however they are read: "5" and 5
LABELS: Final = frozenset({"text", "whole numbers", "dates"})
# Kinds of value that are the same number: "5", 5 and 5.0
NUMBERS: Final = frozenset({"text", "whole numbers", "fractions"})


@dataclass(frozen=True)
class Wishes:
    """What the caller said about a table."""

    # role → column; wins over what the names say
    columns: Mapping[str, str] = field(default_factory=dict)
    # the table's own outcome labels and what they mean
    outcomes: Mapping[str, Outcome] | None = None
    weights: Literal["frequency", "importance"] = "frequency"  # what the weight column means
    # the sign between the systems of one output; None takes names as they are
    merged: str | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """An outside table before its columns play roles."""

    frame: Frame  # narwhals frame with the columns as they are
    name: str  # what it is called in messages
    connection: Any = None  # the private DuckDB connection that reads the files, if they are files
    # column → "fractions", "true or false" or "nested values", for columns that are read as text
    # although the file holds something else there (JSON)
    found: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[Path, ...] = ()  # the files, if they are files
    # column → what finds out which kinds of value it holds, and a file with each, for columns
    # whose rows or files do not agree
    mixed: Mapping[str, Kinds] = field(default_factory=dict)

    @cached_property
    def schema(self) -> nw.Schema:
        """Column → type."""
        return self.frame.collect_schema()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(self.schema.names())

    def header(self, wishes: Wishes) -> Header:
        """Return the columns beside the roles that the caller gave them."""
        return Header(self.columns, wishes.columns, self.name, self.holds_texts)

    def holds_texts(self, column: str) -> bool:
        """Say whether the first values of a column are texts or numbers, and so name nothing."""
        dtype = self.schema[column]
        if dtype.is_float() or dtype.is_nested():
            return True
        if dtype != nw.String:
            return False
        values = fetch_columns(self.frame.select(column).head(LOOK))[column].tolist()
        texts = [value for value in values if value]
        long = sum(len(text) > LONGEST or "\n" in text for text in texts)
        different = len(set(texts)) > ALL_DIFFERENT * len(texts)
        return long > MANY_LONG * len(texts) or (different and len(texts) >= FEWEST)

    def refuse_mixed(self, column: str, role: str, fitting: frozenset[str]) -> None:
        """Refuse a column whose values are of different kinds: 5.0 and "5" would be two judges."""
        kinds = self.mixed[column]() if column in self.mixed else {}
        if not set(kinds) <= fitting:
            said = " and ".join(f"{kind} in {name_originals(at)}" for kind, at in kinds.items())
            raise InvalidJudgments(
                f"column '{column}', taken as {role}, holds {said}: write it alike everywhere"
            )

    def with_frame(self, frame: Frame) -> Table:
        """Return the same table with another frame."""
        return replace(self, frame=frame)

    def source(self, layout: str, columns: Mapping[str, str], note: str) -> Source:
        """Say where the judgments came from and what was understood."""
        return Source(
            name=self.name,
            format=layout,
            columns=dict(columns),
            notes=(note,),
            connection=self.connection,
        )

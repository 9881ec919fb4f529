"""Ratings: a judge gave one output a score under one criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw

from evenhand.errors import UnknownColumn, listing, suggest
from evenhand.judgments.conditions import filter_rows
from evenhand.judgments.engine import ANSWER, Frame, require_open
from evenhand.judgments.exclusions import (
    Exclusion,
    Filter,
    count_exclusions,
    exclude_unscored,
    quote_condition,
)
from evenhand.judgments.joining import NAMELESS, join_covariates
from evenhand.judgments.merging import find_parts, say_none, spread
from evenhand.judgments.names import take_names
from evenhand.judgments.row_order import PLACE, keep_places
from evenhand.judgments.source import Source
from evenhand.judgments.tasks import list_tasks, require_task

if TYPE_CHECKING:
    from evenhand.judgments.rating_rows import RatingRows

ROLES: Final = (
    *("judge", "item", "system", "criterion", "score"),
    *("kind", "expected", "task", "seconds", "shown_at"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """A handle on a table with one rating a row.

    Attributes:
        frame: narwhals frame with at least `system` and `score` (a number); optional `judge`,
            `item`, `criterion`, `task`, `kind` (target, control, repeat), `expected` (of a
            control), `seconds` (how long it took), `shown_at` (when).
        source: where it came from and what was understood.

    """

    frame: Frame
    source: Source = Source(format="ratings")

    def __post_init__(self) -> None:
        """Refuse a table in which a necessary column is missing."""
        missing = [role for role in ("system", "score") if role not in self.columns]
        if missing:
            raise UnknownColumn(
                f"ratings need the columns system and score; {listing(missing)} not found"
                f" among {listing(self.columns)}"
            )

    @property
    def columns(self) -> list[str]:
        """Names of all columns, but of where rows stood."""
        return [name for name in self.frame.collect_schema().names() if name != PLACE]

    @property
    def covariates(self) -> list[str]:
        """Columns that play no role."""
        return [name for name in self.columns if name not in (*ROLES, ANSWER)]

    def has(self, role: str) -> bool:
        """Say whether a role's column is there."""
        return role in self.columns

    @cached_property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What was excluded from these ratings: filters, controls, rows without a score."""
        require_open(self.frame, self.source.name)
        stored = count_exclusions(self.source.exclusions)
        return (*stored, *exclude_unscored(self))

    def where(self, condition: nw.Expr | str, *, recorded: bool = True) -> Ratings:
        """Keep the rows that meet a narwhals expression, or a SQL condition on a DuckDB table.

        Args:
            condition: which rows to keep.
            recorded: whether the others count as excluded; not so for a part of an analysis.

        Raises:
            UnknownOption: SQL that is not one condition, or where the table is not DuckDB's.
            UnknownColumn: a column that is not there.

        """
        kept = filter_rows(self.frame, condition, self.source.name)
        if not recorded:
            return replace(self, frame=kept)
        reason = f"by {quote_condition(condition)}"
        return self.keep_rows(kept, "where", reason, condition)

    def keep_rows(
        self, kept: Frame, code: str, reason: str, condition: nw.Expr | str = ""
    ) -> Ratings:
        """Keep some rows, and record the others as excluded; arguments as of `Filter`."""
        roles = {role: role for role in ROLES}
        sql = condition if isinstance(condition, str) else ""
        others = Filter(code, reason, self.frame, kept, roles, sql)
        return replace(self, frame=kept, source=self.source.excluding(others))

    def require(self, column: str) -> str:
        """Return the name of a column under which this table holds it.

        Raises:
            UnknownColumn: with the nearest name there is.

        """
        if column in self.columns:
            return column
        outside = {name: role for role, name in self.source.columns.items()}
        role = outside.get(column)
        if role in self.columns:
            return role
        raise UnknownColumn(
            f"column '{column}' not found in {self.source.name}."
            f"{suggest(column, self.columns) or ' It has ' + listing(self.columns)}"
        )

    def without(self, *, judges: Sequence[str], recorded: bool = True) -> Ratings:
        """Exclude the ratings of some judges.

        Args:
            judges: their names.
            recorded: as of `where`.

        Raises:
            UnknownColumn: the table names no judges.

        """
        self.require("judge")
        if not judges:
            return self
        judge = nw.col("judge")
        kept = self.where(judge.is_null() | ~judge.is_in(list(judges)), recorded=False)
        return self.keep_rows(kept.frame, "judges", "by name") if recorded else kept

    def tasks(self) -> list[str]:
        """Names of the tasks, sorted; empty where there is no task column."""
        return list_tasks(self.frame, self.source)

    def select_task(self, task: str, *, recorded: bool = True) -> Ratings:
        """Keep one task.

        Args:
            task: its name.
            recorded: as of `where`.

        Raises:
            UnknownColumn: the table has no task column.
            InvalidJudgments: no such task; names those there are.

        """
        require_task(self.frame, self.source, task)
        chosen = self.where(nw.col("task") == task, recorded=False)
        if not recorded:
            return chosen
        return self.keep_rows(chosen.frame, "task", f"by task '{task}'")

    def split_merged(self, sign: str) -> Ratings:
        """Count a score of an output under a name such as "A+B" for each of its systems.

        They gave the same output, so the score is that of each of them.

        Args:
            sign: what stands between the systems of one output.

        Raises:
            UnknownOption: no sign.
            InvalidJudgments: a merged name with an empty part or with one system twice.

        """
        told = "a score of such an output is that of each"
        parts = find_parts(self.frame, ("system",), sign, self.source, told=told)
        if parts is None:
            return replace(self, source=self.source.noting(say_none(sign)))
        frame = spread(keep_places(self.frame), "system", parts, self.source)
        return replace(self, frame=frame, source=self.source.noting(parts.note))

    def join(self, table: Any, *, on: str = "judge", named: str = NAMELESS) -> Ratings:
        """Add covariates of judges (or items) from a table with one row for each.

        Args:
            table: a frame with the column `on` and the covariates.
            on: the column to join by.
            named: what the table is called in messages.

        Raises:
            UnknownColumn: one of the two tables lacks the column.
            InvalidJudgments: a judge who is not in the table or stands in it twice, or a
                covariate under a name that is taken.

        """
        self.require(on)
        frame = keep_places(self.frame)
        return replace(self, frame=join_covariates(frame, table, on, self.source, named))

    def rows(self, *, factors: Sequence[str] = ()) -> RatingRows:
        """Read the table: labels as codes, scores as numbers; see `code_ratings`."""
        from evenhand.judgments.rating_reading import code_ratings

        require_open(self.frame, self.source.name)
        return code_ratings(self, factors=take_names(factors))

    def __repr__(self) -> str:
        return f"Ratings({self.source.name}: {', '.join(self.columns)})"

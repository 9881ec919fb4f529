"""Comparisons: a judge said which of two systems' outputs is better, or that neither is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import narwhals as nw

from evenhand.errors import UnknownColumn, UnknownOption, listing, suggest
from evenhand.judgments.conditions import filter_rows
from evenhand.judgments.engine import ANSWER, Frame, require_open
from evenhand.judgments.exclusions import Exclusion, Filter, quote_condition
from evenhand.judgments.joining import NAMELESS, join_covariates
from evenhand.judgments.labels import Outcome
from evenhand.judgments.merging import find_parts, say_none, spread
from evenhand.judgments.names import take_names
from evenhand.judgments.row_order import PLACE, keep_places
from evenhand.judgments.source import Source, number_rows
from evenhand.judgments.tasks import list_tasks, require_task

if TYPE_CHECKING:
    from evenhand.judgments.mixing import Mixed
    from evenhand.judgments.rankings import Rankings
    from evenhand.judgments.tally import Tally
    from evenhand.judgments.votes import Votes

ROLES: Final = ("left", "right", "outcome", "judge", "item", "ranking", "task", "weight", "id")
# Names that mean something only inside their task: item 17 of fr-en is not item 17 of de-en
TASK_BOUND: Final = ("item", "ranking")
BOUND_BY: Final = " / "  # What stands between a task and such a name

# Roles that say what was judged, and how often: judgments cannot be told apart by them
JUDGED: Final = ("left", "right", "outcome", "weight")


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """A handle on a table with one comparison a row.

    The frame stays where it is (pandas, Polars, Arrow, DuckDB, Spark); columns that play a role
    carry the role's name. Nothing is read before something is counted.

    Attributes:
        frame: narwhals frame with at least `left`, `right`, `outcome`; optional `judge`, `item`,
            `ranking`, `task`, `weight`, `id`, and any covariate columns.
        source: where it came from and what was understood.
        outcome_labels: the table's own labels; None takes the usual ones.
        positions_known: False where the order on the screen is not recorded.
        weights: "frequency" (a row stands for `weight` judgments) or "importance".
        rankings: the rankings that the comparisons were expanded from, if they were.
        mix: the stated mix that the weights make, if they do (`Mix.weigh`).

    """

    frame: Frame
    source: Source = Source()
    outcome_labels: Mapping[str, Outcome] | None = None
    positions_known: bool = True
    weights: Literal["frequency", "importance"] = "frequency"
    rankings: Rankings | None = None
    mix: Mixed | None = None

    def __post_init__(self) -> None:
        """Refuse a table in which a necessary column is missing."""
        missing = [role for role in ROLES[:3] if role not in self.columns]
        if missing:
            raise UnknownColumn(
                f"comparisons need the columns left, right and outcome; {listing(missing)} not"
                f" found among {listing(self.columns)}"
            )

    @cached_property
    def columns(self) -> list[str]:
        """Names of all columns, roles first as the frame has them; not of where rows stood."""
        return [name for name in self.frame.collect_schema().names() if name != PLACE]

    @property
    def covariates(self) -> list[str]:
        """Columns that play no role."""
        return [name for name in self.columns if name not in (*ROLES, ANSWER)]

    @property
    def expanded(self) -> bool:
        """Whether one answer can be several comparisons: a ranking, or one on a merged output."""
        return self.rankings is not None or self.has(ANSWER)

    def has(self, role: str) -> bool:
        """Say whether a role's column is there."""
        return role in self.columns

    def require(self, column: str) -> str:
        """Return the name of a column under which this table holds it.

        Raises:
            UnknownColumn: with the nearest name there is.
            UnknownOption: a system, rank or position of rankings, which pairs no longer have.

        """
        if column in self.columns:
            return column
        outside = {name: role for role, name in self.source.columns.items()}
        role = outside.get(column)
        if role in self.columns:
            return role
        if role is not None:  # a column of the rankings that became pairs
            raise _no_factor(column, role)
        raise UnknownColumn(
            f"column '{column}' not found in {self.source.name}."
            f"{suggest(column, self.columns) or ' It has ' + listing(self.columns)}"
        )

    @cached_property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What was excluded from these judgments: filters, controls, blank ranks, weights of 0."""
        from evenhand.judgments.exclusions import (
            count_exclusions,
            exclude_blank,
            exclude_unweighted,
        )

        require_open(self.frame, self.source.name)
        stored = count_exclusions(self.source.exclusions)
        blank = () if self.rankings is None else exclude_blank(self.rankings)
        return (*stored, *blank, *exclude_unweighted(self))

    def where(self, condition: nw.Expr | str, *, recorded: bool = True) -> Comparisons:
        """Keep the rows that meet a narwhals expression, or a SQL condition on a DuckDB table.

        Args:
            condition: which rows to keep.
            recorded: whether the others count as excluded; not so for a part of an analysis.

        Raises:
            UnknownOption: SQL that is not one condition, or where the table is not DuckDB's.
            UnknownColumn: a column that is not there.

        """
        if self.mix is not None:
            raise UnknownOption(f"rows are chosen before they are mixed: {self.mix.name}")
        kept = filter_rows(self.frame, condition, self.source.name)
        if not recorded:
            return replace(self, frame=kept)
        reason = f"by {quote_condition(condition)}"
        return self.keep_rows(kept, "where", reason, condition)

    def keep_rows(
        self, kept: Frame, code: str, reason: str, condition: nw.Expr | str = ""
    ) -> Comparisons:
        """Keep some rows, and record the others as excluded; arguments as of `Filter`."""
        roles = {role: role for role in ROLES}
        sql = condition if isinstance(condition, str) else ""
        others = Filter(code, reason, self.frame, kept, roles, sql)
        return replace(self, frame=kept, source=self.source.excluding(others))

    def cut(self, column: str, edges: Sequence[float]) -> Comparisons:
        """Add bins of a covariate, such as "below 100", as the column `<column>_bin`.

        Args:
            column: numbers, or text that is numbers; a missing one has no bin.
            edges: where a bin ends and the next begins, rising.

        Raises:
            UnknownColumn: a column that is not there.
            UnknownOption: edges that are none, or a name that is taken.
            InvalidJudgments: text that is no number, with up to five rows named.

        """
        from evenhand.judgments.bins import add_bins

        own = self.require(column)
        name = f"{own}_bin"
        if self.has(name):
            raise UnknownOption(f"{self.source.name} already has a column '{name}': rename it")
        return replace(self, frame=add_bins(self.frame, own, edges, name, self.source))

    def without(self, *, judges: Sequence[str], recorded: bool = True) -> Comparisons:
        """Exclude the judgments of some judges.

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

    def select_task(self, task: str, *, recorded: bool = True) -> Comparisons:
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
        if self.rankings is not None:
            rankings = self.rankings.select_task(task, recorded=recorded)
            chosen = replace(chosen, rankings=rankings)
            more = rankings.source.exclusions[len(self.rankings.source.exclusions) :]
            return replace(chosen, source=self.source.excluding(*more))
        if not recorded:
            return chosen
        return self.keep_rows(chosen.frame, "task", f"by task '{task}'")

    def tasks(self) -> list[str]:
        """Names of the tasks, sorted; empty where there is no task column."""
        return list_tasks(self.frame, self.source)

    def split_merged(self, sign: str) -> Comparisons:
        """Count outputs under names such as "A+B" for each of their systems.

        One answer on such an output is a comparison of each of its systems with the other side.
        These hang together: the answer becomes the `ranking`, where there is none yet, so that it
        is counted as one judgment and clusters in standard errors.

        Args:
            sign: what stands between the systems of one output.

        Raises:
            UnknownOption: no sign.
            InvalidJudgments: a merged name with an empty part or with one system twice.

        """
        parts = find_parts(self.frame, ("left", "right"), sign, self.source)
        if parts is None:
            return replace(self, source=self.source.noting(say_none(sign)))
        frame = keep_places(number_rows(self.frame, ANSWER))
        if not self.has("ranking"):
            frame = frame.with_columns(ranking=nw.col(ANSWER))
        for side in ("left", "right"):
            frame = spread(frame, side, parts, self.source)
        return replace(self, frame=frame, source=self.source.noting(parts.note))

    def join(self, table: Any, *, on: str = "judge", named: str = NAMELESS) -> Comparisons:
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
        frame = self.frame if self.rankings is not None else keep_places(self.frame)
        return replace(self, frame=join_covariates(frame, table, on, self.source, named))

    def tally(self, by: Sequence[str] = (), *, limits: Mapping[str, int] | None = None) -> Tally:
        """Count outcomes per pair of systems, and per judge, item, ... in `by`.

        Every row counts, controls too: `leave_out_controls` takes them out first.

        Args:
            by: roles or covariates whose levels are kept apart.
            limits: most clusters of a factor; where it has more levels they are merged into
                that many clusters of about equal load (their number and loads stay known).

        Raises:
            InvalidJudgments: a bad cell, with up to five rows named.
            UnknownColumn: a factor that is not there.
            UnknownOption: a factor that says what was judged, such as `left` or `outcome`.

        """
        from evenhand.judgments.counting import count_outcomes

        require_open(self.frame, self.source.name)
        by = take_names(by)
        factors = tuple(self.require(name) for name in by)
        for name, factor in zip(by, factors, strict=True):
            refuse_judged(name, factor)
        return count_outcomes(self, factors, limits or {})

    def count_judgments(self) -> float:
        """Count answers, as they are weighted: a ranking is one, whatever it expands to."""
        from evenhand.judgments.levels import count_answers

        if self.mix is not None:
            return self.mix.n_judgments
        require_open(self.frame, self.source.name)
        return count_answers(self).get("", 0.0)

    def votes(self) -> Votes:
        """Read the table row by row: who said what of which output pair; see `code_votes`."""
        from evenhand.judgments.vote_reading import code_votes

        require_open(self.frame, self.source.name)
        return code_votes(self)

    def __repr__(self) -> str:
        roles = [name for name in self.columns if name in ROLES]
        more = f" + {listing(self.covariates, 5)}" if self.covariates else ""
        return f"Comparisons({self.source.name}: {', '.join(roles)}{more})"


def refuse_judged(name: str, factor: str) -> None:
    """Refuse to tell judgments apart by what was judged."""
    if factor in JUDGED:
        raise _no_factor(name, factor)


def _no_factor(name: str, role: str) -> UnknownOption:
    """Return the refusal of a group or covariate that is what was judged."""
    said = name if name == role else f"{name} (the {role})"
    what = "how much a row counts" if role == "weight" else "what was judged"
    return UnknownOption(
        f"{said} says {what}: it cannot tell groups apart; take who judged or under what"
        " conditions, such as judge, item, task or a column of your own"
    )

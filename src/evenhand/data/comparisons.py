"""Comparisons: a judge said which of two systems' outputs is better, or that neither is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Self

import narwhals as nw

from evenhand.data import joining
from evenhand.data.count import count_outcomes
from evenhand.data.engine import ANSWER, count_labels, count_rows, require_open
from evenhand.data.labels import MISSING, NO_ANSWERS, is_missing
from evenhand.data.source import number_rows
from evenhand.data.tables import ComparisonTable, refuse_judged
from evenhand.data.tally import Tally, take_names
from evenhand.errors import InvalidJudgments, UnknownOption, listing

if TYPE_CHECKING:
    from evenhand.data.votes import Votes


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(ComparisonTable):
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

    def cut(self, column: str, edges: Sequence[float]) -> Self:
        """Add bins of a covariate, such as "below 100", as the column `<column>_bin`.

        Args:
            column: numbers, or text that is numbers; a missing one has no bin.
            edges: where a bin ends and the next begins, rising.

        Raises:
            UnknownColumn: a column that is not there.
            UnknownOption: edges that are none, or a name that is taken.
            InvalidJudgments: text that is not a number, with up to five rows named.
        """
        column = self.require(column)
        name = f"{column}_bin"
        if self.has(name):
            raise UnknownOption(f"{self.source.name} already has a column '{name}': rename it")
        return replace(self, frame=joining.add_bins(self.frame, column, edges, name, self.source))

    def exclude_unanswered(self) -> Self:
        """Exclude the rows without an outcome (missing, or a word such as "NA" or "skip").

        Raises:
            InvalidJudgments: there is no row with an outcome.
        """
        text = nw.col("outcome").cast(nw.String)
        folded = text.str.to_lowercase()
        # not `is_in`: of a list DuckDB asks pandas, whose import takes as long as a million rows
        parts = [folded == word for word in sorted(MISSING)]
        while len(parts) > 1:  # in pairs: Spark Connect refuses terms nested as deep as a chain
            parts = [reduce(or_, parts[at : at + 2]) for at in range(0, len(parts), 2)]
        (words,) = parts
        for label in filter(is_missing, self.outcome_labels or ()):  # declared to be answers
            words &= text != label
        missing = text.is_null() | words
        frame = joining.keep_places(self.frame)  # refusals name rows as they were
        if not count_rows(frame.filter(~missing).head(1)):
            raise InvalidJudgments(
                f"no row of {self.source.name} has an outcome: each value of column"
                f" '{self.source.named('outcome')}' is missing; say which column holds it (--column"
                " outcome=NAME, in Python columns={'outcome': 'NAME'})"
            )
        counted = count_labels(frame.filter(missing), "outcome", as_text=True)
        said = {one: n for one, n in counted.items() if one and one.casefold() in NO_ANSWERS}
        named = listing([f"'{one}' ({said[one]:,})" for one in sorted(said)])
        reason = f"the outcome is missing{f' or no answer: {named}' if said else ''}"
        return replace(self, frame=frame).keep_rows(frame.filter(~missing), "no-outcome", reason)

    def _keep_task(self, task: str, *, recorded: bool) -> Self:
        chosen = self.where(nw.col("task") == task, recorded=False)
        if self.rankings is None:
            return super()._keep_task(task, recorded=True) if recorded else chosen
        rankings = self.rankings.select_task(task, recorded=recorded)
        more = rankings.source.exclusions[len(self.rankings.source.exclusions) :]
        return replace(chosen, rankings=rankings, source=self.source.excluding(*more))

    def split_merged(self, sign: str) -> Self:
        """Count outputs under names such as "A+B" for each of their systems.

        One answer on such an output is a comparison of each of its systems with the other side.
        These are correlated: the answer becomes the `ranking`, where there is none yet, so that it
        is counted as one judgment and clusters in standard errors.

        Args:
            sign: what stands between the systems of one output.

        Raises:
            UnknownOption: no sign.
            InvalidJudgments: a merged name with an empty part or with one system twice.
        """
        parts = joining.find_parts(self.frame, ("left", "right"), sign, self.source)
        if parts is None:
            return replace(self, source=self.source.noting(joining.say_none(sign)))
        frame = joining.keep_places(number_rows(self.frame, ANSWER))
        if not self.has("ranking"):
            frame = frame.with_columns(ranking=nw.col(ANSWER))
        for side in ("left", "right"):
            frame = joining.spread(frame, side, parts, self.source)
        return replace(self, frame=frame, source=self.source.noting(parts.note))

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
        require_open(self.frame, self.source.name)
        by = take_names(by)
        factors = tuple(self.require(name) for name in by)
        for name, factor in zip(by, factors, strict=True):
            refuse_judged(name, factor)
        return count_outcomes(self, factors, limits or {})

    def votes(self) -> Votes:
        """Read the table row by row: who said what of which output pair; see `code_votes`."""
        from evenhand.data.row_reading import code_votes

        require_open(self.frame, self.source.name)
        return code_votes(self)

    def __repr__(self) -> str:
        roles = [name for name in self.columns if name in self.ROLES]
        more = f" + {listing(self.covariates, 5)}" if self.covariates else ""
        return f"Comparisons({self.source.name}: {', '.join(roles)}{more})"

"""Tables of judgments as handles: a frame, where it came from, and the columns that play a role.

What counting, coding and reading need of a table stands here, below them; `Comparisons`, `Rankings`
and `Ratings` add what is made by counting and reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, Self

import narwhals as nw
import numpy as np

from evenhand.data import engine, joining
from evenhand.data.conditions import count_values, filter_rows, mark_whole
from evenhand.data.exclusions import (
    Exclusion,
    Filter,
    count_exclusions,
    name_lost,
    quote_condition,
    reason_by_name,
    say_unweighted,
)
from evenhand.data.labels import Outcome
from evenhand.data.source import Source, find_rows, name_rows, strip_blanks
from evenhand.data.tally import Tally
from evenhand.data.texts import say
from evenhand.errors import (
    InvalidJudgments,
    UnknownColumn,
    UnknownName,
    UnknownOption,
    listing,
    suggest,
    suggest_or_list,
    write_word,
)

# Names that mean something only inside their task: item 17 of fr-en is not item 17 of de-en
TASK_BOUND: Final = ("item", "ranking")
BOUND_BY: Final = " / "  # What stands between a task and such a name

# Roles whose values are labels
LABELS: Final = (
    *("left", "right", "outcome", "judge", "item", "ranking", "task"),
    *("system", "criterion"),
)
# Roles that say what was judged, and how often: judgments cannot be distinguished by them
JUDGED: Final = ("left", "right", "outcome", "weight")


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentTable:
    KIND: ClassVar[str]  # what they are, for messages
    ROLES: ClassVar[tuple[str, ...]]  # names of the columns that play a role
    NECESSARY: ClassVar[tuple[str, ...]]  # those without which there are no judgments

    frame: engine.Frame
    source: Source = Source()

    def __post_init__(self) -> None:
        missing = [role for role in self.NECESSARY if role not in self.columns]
        if missing:
            *first, last = self.NECESSARY
            needed = f"columns {', '.join(first)} and {last}" if first else f"column {last}"
            raise UnknownColumn(
                f"{self.KIND} need the {needed}; {listing(missing)} not found among"
                f" {listing(self.columns)}"
            )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.source.name}: {', '.join(self.columns)})"

    @cached_property
    def columns(self) -> list[str]:
        """Names of all columns, roles first as the frame has them; not of where rows stood."""
        return [name for name in self.frame.collect_schema().names() if name != engine.PLACE]

    def has(self, role: str) -> bool:
        return role in self.columns

    def strip_labels(self) -> Self:
        """Take the blanks around labels away, in all rows; a note in the source counts them."""
        names = {role: self.source.named(role) for role in LABELS if self.has(role)}
        frame, notes = strip_blanks(self.frame, names)
        return replace(self, frame=frame, source=self.source.noting(*notes))

    def select_task(self, task: str, *, recorded: bool = True) -> Self:
        """Keep one task.

        Args:
            task: its name.
            recorded: whether the other tasks count as excluded.

        Raises:
            UnknownColumn: the table has no task column.
            InvalidJudgments: no such task; names those there are.
        """
        joining.require_task(self.frame, self.source, task)
        return self._keep_task(task, recorded=recorded)

    def _keep_task(self, task: str, *, recorded: bool) -> Self:
        remaining = self.frame.filter(nw.col("task") == task)
        if not recorded:
            return replace(self, frame=remaining)
        return self.keep_rows(remaining, "task", f"by task '{task}'")

    def without(
        self, *, judges: Sequence[str] = (), systems: Sequence[str] = (), recorded: bool = True
    ) -> Self:
        """Exclude the judgments of some judges, and those on outputs of some systems.

        Args:
            judges: their names.
            systems: likewise.
            recorded: whether they count as excluded; where it is False, unknown names are not
                looked for.

        Raises:
            UnknownColumn: the table names no judges.
            InvalidJudgments: a name that is not in it, with the nearest name there is.
        """
        remaining = self
        for role, names in (("judge", judges), ("system", systems)):
            if isinstance(names, str):
                raise UnknownOption(f"{role}s is a list of names: {role}s=[{names!r}]")
            if names and not self.has(self.name_columns(role)[0]):
                raise UnknownColumn(
                    f"column '{role}' not found in {self.source.name}. It has"
                    f" {listing(self.columns)}"
                )
            there = self.list_names(role) if names and recorded else []
            for name in map(str, names) if recorded else ():
                if name not in there:
                    hint = suggest_or_list(name, there)
                    raise InvalidJudgments(f"no {role} '{name}' in {self.source.name}.{hint}")
            if names:
                remaining = remaining._drop(role, list(names), recorded=recorded)
        return remaining

    def refuse_mixed(self) -> None:
        mix = getattr(self, "mix", None)
        if mix is not None:
            raise UnknownOption(f"rows are chosen before they are mixed: {mix.name}")

    def _drop(self, role: str, names: list[str], *, recorded: bool) -> Self:
        self.refuse_mixed()
        columns = map(nw.col, self.name_columns(role))
        others = nw.all_horizontal(
            *(one.is_null() | ~one.is_in(names) for one in columns), ignore_nulls=True
        )
        remaining = self.frame.filter(others)
        if recorded:
            return self.keep_rows(remaining, f"{role}s", reason_by_name(names))
        return replace(self, frame=remaining)

    def name_columns(self, role: str) -> tuple[str, ...]:
        """Return the columns that name judges, or systems."""
        return ("left", "right") if role == "system" and "left" in self.ROLES else (role,)

    def list_names(self, role: str) -> list[str]:
        """Return the names of the judges, or of the systems, sorted; none where none are known."""
        columns = [one for one in self.name_columns(role) if self.has(one)]
        labels = (engine.count_labels(self.frame, one, as_text=True) for one in columns)
        return sorted({name for some in labels for name in some if name})

    def exclude_named(self, words: Sequence[str]) -> Self:
        """Exclude judges and systems by words: a name, several with commas, or ROLE=NAME.

        Raises:
            InvalidJudgments: a name that nobody has, with the nearest there is; or nothing is left.
            UnknownOption: a name that a judge and a system have, without the role.
        """
        if not words:
            return self
        known = {role: self.list_names(role) for role in ("system", "judge")}
        chosen: dict[str, list[str]] = {role: [] for role in known}
        for word in words:
            stated, _, rest = word.partition("=")
            whole = rest in known.get(stated, ()) or any(word in one for one in known.values())
            for text in [word] if whole else word.split(","):  # a name may hold a comma
                role, name = self._find_role(text if whole else text.strip(), known)
                chosen[role].append(name)
        remaining = self.without(judges=chosen["judge"], systems=chosen["system"])
        if not engine.count_rows(remaining.frame.head(1)):
            names = listing([*chosen["judge"], *chosen["system"]])
            raise InvalidJudgments(f"nothing is left of {self.source.name} without {names}")
        return remaining

    def _find_role(self, text: str, known: Mapping[str, list[str]]) -> tuple[str, str]:
        stated, _, name = text.partition("=")
        if stated in known and name and not any(text in names for names in known.values()):
            among = {stated: known[stated]}
        else:
            among, name = dict(known), text
        roles = [role for role, names in among.items() if name in names]
        if len(roles) > 1:
            ways = " or ".join(f"--without {write_word(f'{role}={name}')}" for role in roles)
            raise UnknownOption(
                f"'{name}' is a system and a judge of {self.source.name}: say which, {ways}"
            )
        if not roles:
            kinds = " or ".join(role for role, names in among.items() if names) or stated
            every = dict.fromkeys(one for names in among.values() for one in names)
            hint = suggest_or_list(name, [*every])
            raise UnknownName(f"no {kinds} '{name}' in {self.source.name}.{hint}", name)
        return roles[0], name

    def keep_rows(self, remaining: engine.Frame, code: str, reason: str, sql: str = "") -> Self:
        """Keep some rows, and record the others as excluded; arguments as of `Filter`."""
        roles = {role: role for role in self.ROLES}
        others = Filter(code, reason, self.frame, remaining, roles, sql)
        return replace(self, frame=remaining, source=self.source.excluding(others))


@dataclass(frozen=True, eq=False, repr=False)
class RowTable(JudgmentTable):
    @property
    def covariates(self) -> list[str]:
        return [name for name in self.columns if name not in (*self.ROLES, engine.ANSWER)]

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
        raise UnknownColumn(
            f"column '{column}' not found in {self.source.name}."
            f"{suggest(column, self.columns) or ' It has ' + listing(self.columns)}"
            f"{f'; if it has another name: --column {column}=NAME' * (column in self.ROLES)}"
        )

    def where(self, condition: nw.Expr | str, *, recorded: bool = True) -> Self:
        """Keep the rows that meet a narwhals expression, or a SQL condition on a DuckDB table.

        Args:
            condition: which rows to keep.
            recorded: whether the others count as excluded; not so for a part of an analysis.

        Raises:
            UnknownOption: SQL that is not one condition, or where the table is not DuckDB's.
            UnknownColumn: a column that is not there.
        """
        self.refuse_mixed()
        remaining = replace(self, frame=filter_rows(self.frame, condition, self.source.name))
        if not recorded:
            return remaining
        sql = condition if isinstance(condition, str) else ""
        return self.keep_rows(remaining.frame, "where", f"by {quote_condition(condition)}", sql)

    def tasks(self) -> list[str]:
        """Names of the tasks, sorted; empty where there is no task column."""
        return joining.list_tasks(self.frame, self.source)

    def join(self, table: Any, *, on: str = "judge", named: str = joining.NAMELESS) -> Self:
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
        frame = self._keep_places()
        return replace(self, frame=joining.join_covariates(frame, table, on, self.source, named))

    def keep_asked(self) -> Self:
        """Return the answers alone, where a campaign merged equal outputs: to compare judges by."""
        # Each counts for the system first by name, and says nothing of the others.
        names = self.frame.collect_schema().names()
        answer = next((one for one in (engine.ANSWER, engine.PLACE) if one in names), None)
        if answer is None or not self.has(joining.SEPARATOR):
            return self
        sides = [name for name in ("left", "right", "system") if name in names]
        first = [nw.col(name) == nw.col(name).min().over(answer) for name in sides]
        kept = self.frame.filter(*first)
        return replace(self, frame=kept.drop(answer) if answer == engine.ANSWER else kept)

    def _keep_places(self) -> engine.Frame:
        """Number the rows, whose order a join would lose."""
        return joining.keep_places(self.frame)


@dataclass(frozen=True)
class RankingCounts:
    all: int  # all of them
    blank: int  # those in which nothing was ranked
    used: float  # those that compare at least two outputs, as they are weighted
    ranks: int  # ranks of the rankings that are not blank, given or not
    blank_ranks: int  # those of them that are not given


@dataclass(frozen=True, eq=False, repr=False)
class RankingTable(JudgmentTable):
    """One ranked output a row: what the pairs that it expands to need of it."""

    KIND: ClassVar[str] = "rankings"
    ROLES: ClassVar[tuple[str, ...]] = (
        *("judge", "item", "ranking", "system", "rank"),
        *("position", "task", "weight"),
    )
    NECESSARY: ClassVar[tuple[str, ...]] = ("ranking", "system", "rank")

    source: Source = Source(format="rankings")
    parts: joining.Parts | None = None

    @property
    def key(self) -> list[str]:
        return [name for name in ("task", "ranking") if self.has(name)]

    @cached_property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What was excluded from these rankings: filters, controls, blank ranks, weights of 0."""
        stored = count_exclusions(self.source.exclusions)
        return (*stored, *self.exclude_blank(), *exclude_unweighted(self))

    def _keep_task(self, task: str, *, recorded: bool) -> Self:
        return self._keep_sound(super()._keep_task(task, recorded=recorded))

    def keep(self, frame: engine.Frame) -> Self:
        """Return some of these rankings; if all were found sound, they are not checked again.

        Args:
            frame: rows of these, of each ranking all or none.
        """
        return self._keep_sound(replace(self, frame=frame))

    def _keep_sound(self, remaining: Self) -> Self:
        if "_sound" in vars(self):
            vars(remaining)["_sound"] = True
        return remaining

    def list_names(self, role: str) -> list[str]:
        """Return the names of the judges, or of the systems behind the outputs, sorted."""
        merged = role == "system" and self.parts is not None
        return sorted({*self.parts.systems}) if merged and self.parts else super().list_names(role)

    def _drop(self, role: str, names: list[str], *, recorded: bool) -> Self:
        """Exclude names; an output that is shared with other systems counts for these."""
        if role != "system" or self.parts is None:
            return self._keep_sound(super()._drop(role, names, recorded=recorded))
        entries = zip(self.parts.labels, self.parts.systems, strict=True)
        left = [(label, system) for label, system in entries if system not in names]
        labels, systems = zip(*left, strict=True) if left else ((), ())
        alone = sorted({*self.parts.labels} - {*labels})
        frame = self.frame.filter(~nw.col("system").cast(nw.String).is_in(alone))
        parts = replace(self.parts, labels=labels, systems=systems)
        remaining = self._keep_sound(replace(self, frame=frame, parts=parts))
        if not recorded:
            return remaining
        before = joining.spread(self.frame, "system", self.parts, self.source)
        after = before.filter(~nw.col("system").is_in(names))
        columns = {one: one for one in self.ROLES}
        others = Filter("systems", reason_by_name(names), before, after, columns)
        return replace(remaining, source=self.source.excluding(others))

    def check(self) -> None:
        """Refuse what cannot be a ranking, and what the expansion to pairs would lose.

        Raises:
            InvalidJudgments: a rank that is neither blank nor a whole number from 1, a missing
                name or position, or two outputs of one ranking with one system or one position;
                names up to five rows.
        """
        _ = self._sound

    @cached_property
    def _sound(self) -> bool:
        """True, found out once."""
        rank = nw.col("rank")
        bad = find_rows(
            self.frame, ~rank.is_null() & ~(rank == -1) & ((rank < 1) | (rank != rank.round()))
        )
        if bad:
            shown = ", ".join(sorted({f"{row['rank']:g}" for row in bad}))
            raise InvalidJudgments(
                f"rank {shown} in {self.source.name}{name_rows(bad)}: ranks are whole numbers"
                " from 1 (best); −1 or blank means not ranked"
            )
        # A row without its ranking, system or position would drop out of the join unseen
        missing = [nw.col(name).is_null() for name in self.key]
        placed = ["system", *(["position"] if self.has("position") else [])]
        missing += [(nw.col("rank") > 0) & nw.col(name).is_null() for name in placed]
        rows = find_rows(self.frame, nw.any_horizontal(*missing, ignore_nulls=True))
        if rows:
            first = rows[0]
            role = next(
                one
                for one in (*self.key, *placed)
                if first[one] is None or first[one] != first[one]  # nan alone differs from itself
            )
            raise InvalidJudgments(
                f"a value is missing in column '{self.source.named(role)}' of {self.source.name}"
                f"{name_rows(rows)}: fill it, or leave such rows out"
            )
        for role in filter(self.has, ("judge", "item", "weight")):
            self._check_one(role)
        self._check_doubled("system", "one row for each ranked output, or an id for each ranking")
        if self.has("position"):
            self._check_doubled("position", "each output has its own place on the screen")
        if self.parts is not None:
            self._check_parts(self.parts)
        return True

    def _check_one(self, role: str) -> None:
        """Ids that start again for every judge would make one ranking of several."""
        rows = find_rows(count_values(self.frame, role, self.key), nw.col(engine.COUNT) > 1)
        if rows:
            raise InvalidJudgments(
                f"ranking '{rows[0]['ranking']}' of {self.source.name} has"
                f" {rows[0][engine.COUNT]} different values of {role}: a ranking is one answer of"
                " one judge on one item; give every ranking an id of its own, or no id where each"
                " judge ranked an item once"
            )

    def _check_doubled(self, role: str, advice: str) -> None:
        named = self.frame.filter(~nw.col(role).is_null())
        counted = named.group_by(*self.key, role).agg(nw.len().alias(engine.COUNT))
        rows = find_rows(counted.select(*self.key, role, engine.COUNT), nw.col(engine.COUNT) > 1)
        if rows:
            value = rows[0][role]
            shown = f"{value:g}" if isinstance(value, float) else value
            raise InvalidJudgments(
                f"{role} '{shown}' appears twice in ranking '{rows[0]['ranking']}' of"
                f" {self.source.name}: {advice}"
            )

    def _check_parts(self, parts: joining.Parts) -> None:
        """A system can stand once in a ranking, alone or in the name of a merged output."""
        entries = self.frame.with_columns(nw.col("system").alias(joining.ENTRY))
        alone = joining.spread(
            entries.filter(~nw.col("system").is_null()), "system", parts, self.source
        )
        counted = alone.group_by(*self.key, "system").agg(
            nw.len().alias(engine.COUNT),
            nw.col(joining.ENTRY).min().alias("first"),
            nw.col(joining.ENTRY).max(),
        )
        rows = find_rows(counted, nw.col(engine.COUNT) > 1)
        if rows:
            row = rows[0]
            raise InvalidJudgments(
                f"system '{row['system']}' appears twice in ranking '{row['ranking']}' of"
                f" {self.source.name}, in '{row['first']}' and in '{row[joining.ENTRY]}': a"
                " ranking has one output of each system; correct the names, or read them as they"
                " are (--system-separator '', in Python system_separator='')"
            )

    def sizes(self, roles: Sequence[str] = (), *, weighted: bool = False) -> engine.Frame:
        """Count the `rows` and `ranked` outputs of each ranking; `times` is its weight, if any."""
        # weighted: whether rankings of weight zero are excluded.
        keys = list(dict.fromkeys([*roles, *self.key]))
        ranked = mark_whole((nw.col("rank") > 0).fill_null(value=False))
        weighed = weighted and self.has("weight")
        frame = drop_unweighted(self) if weighed else self.frame
        times = nw.col("weight") if weighed else nw.lit(1)
        rows = frame.select(*keys, ranked.alias("ranked"), times.alias("times"))
        return rows.group_by(*keys).agg(
            nw.col("ranked").sum(), nw.len().alias("rows"), nw.col("times").max()
        )

    def count_tasks(self, *, weighted: bool = False) -> dict[str | None, RankingCounts]:
        """Count the rankings of each task; the key is None where there are no tasks."""
        sizes = self.sizes(weighted=weighted)
        sizes = sizes if self.has("task") else sizes.with_columns(task=nw.lit(""))
        sizes = sizes.with_columns(
            blank=mark_whole(nw.col("ranked") == 0),
            used=mark_whole(nw.col("ranked") > 1) * nw.col("times"),
            begun=nw.col("rows") * mark_whole(nw.col("ranked") > 0),
        )
        sums = ("blank", "used", "begun", "ranked")
        counted = sizes.group_by("task").agg(
            nw.len().alias("all"), *(nw.col(name).sum() for name in sums)
        )
        columns = engine.fetch_columns(counted)
        return {
            task or None: RankingCounts(int(n), int(blank), used, int(begun), int(begun - ranked))
            for task, n, blank, used, begun, ranked in zip(
                *(columns[name].tolist() for name in ("task", "all", *sums)), strict=True
            )
        }

    @cached_property
    def _counts(self) -> RankingCounts:
        counted = self.count_tasks().values()
        each = [(one.all, one.blank, int(one.used), one.ranks, one.blank_ranks) for one in counted]
        return RankingCounts(*(map(sum, zip(*each, strict=True)) if each else (0,) * 5))

    def count(self) -> int:
        """Count all rankings, blank ones included."""
        return self._counts.all

    def count_blank(self) -> int:
        return self._counts.blank

    def count_used(self) -> int:
        """Count the rankings that compare at least two outputs."""
        return int(self._counts.used)

    def keep_ranked(self, least: int) -> engine.Frame:
        enough = self.sizes().filter(nw.col("ranked") >= least)
        return self.frame.join(enough.select(*self.key), on=self.key, how="semi")  # type: ignore[arg-type]

    def count_blank_ranks(self) -> tuple[int, int]:
        """Count the blank ranks of the rankings that are not blank, and all ranks of these."""
        return self._counts.blank_ranks, self._counts.ranks

    def exclude_blank(self) -> tuple[Exclusion, ...]:
        n, found = self._counts, list[Exclusion]()
        if n.blank:
            sentence = say("blank-rankings", rankings=n.blank, of=n.all)
            blanks = ("blank-rankings", "nothing was ranked", n.blank, n.all)
            lost = Exclusion(*blanks, unit="ranking", sentence=sentence)
            found.append(name_lost(lost, self.frame, self.keep_ranked(1)))
        if n.blank_ranks:
            text = "blank-ranks-besides" if n.blank else "blank-ranks"
            sentence = say(text, ranks=n.blank_ranks, of=n.ranks)
            gaps = ("blank-ranks", "the rank is not given", n.blank_ranks, n.ranks)
            found.append(Exclusion(*gaps, unit="rank", sentence=sentence))
        if short := n.all - n.blank - int(n.used):
            sentence = say("single-output", rankings=short)
            single = ("single-output", "one output only", short, n.all)
            lost = Exclusion(*single, unit="ranking", sentence=sentence)
            found.append(name_lost(lost, self.keep_ranked(1), self.keep_ranked(2)))
        return tuple(found)


@dataclass(frozen=True)
class AppliedMix:
    name: str  # the mix in the words of the signature
    shares: Mapping[str, Mapping[str, float]]  # column → level → share
    each: str  # what weighs the same within a cell
    n_judgments: float  # answers that count, unweighted; a ranking is one
    n_comparisons: float  # pairs that count, unweighted
    effective: float  # effective number of judgments, (Σ w)² / Σ w²
    left_out: int  # comparisons whose share is 0
    notes: tuple[str, ...]  # what was left out

    @property
    def said(self) -> str:
        parts = [
            f"{column} " + ", ".join(f"{level} {share:g}" for level, share in shares.items())
            for column, shares in self.shares.items()
        ]
        return "; ".join(
            [*parts, f"every {self.each} weighs the same" + (" within" if parts else "")]
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "shares": {name: dict(level_shares) for name, level_shares in self.shares.items()},
            "each": self.each,
            "effective_judgments": self.effective,
            "left_out": self.left_out,
        }


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonTable(RowTable):
    """One comparison a row: what counting and reading it need."""

    KIND: ClassVar[str] = "comparisons"
    ROLES: ClassVar[tuple[str, ...]] = (
        *("left", "right", "outcome", "judge", "item"),
        *("ranking", "task", "weight", "id"),
    )
    NECESSARY: ClassVar[tuple[str, ...]] = ("left", "right", "outcome")

    outcome_labels: Mapping[str, Outcome] | None = None
    positions_known: bool = True
    weights: Literal["frequency", "importance"] = "frequency"
    rankings: RankingTable | None = None
    mix: AppliedMix | None = None

    @property
    def answer_key(self) -> list[str]:
        """Columns that tell apart answers that are several comparisons; none where each is one."""
        whole = ("task", "ranking") if self.rankings is not None else (engine.ANSWER,)
        return [name for name in whole if self.has(name)]

    @property
    def expanded(self) -> bool:
        """Whether one answer can be several comparisons: a ranking, or one on a merged output."""
        return self.rankings is not None or self.has(engine.ANSWER)

    def require(self, column: str) -> str:
        """Return the name of a column; refuse those of rankings, which pairs no longer have."""
        for role, outside in self.source.columns.items():
            if outside == column and not (self.has(role) or self.has(column)):
                raise _no_factor(column, role)
        return super().require(column)

    @cached_property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What was excluded from these judgments: filters, controls, blank ranks, weights of 0."""
        engine.require_open(self.frame, self.source.name)
        stored = count_exclusions(self.source.exclusions)
        blank = () if self.rankings is None else self.rankings.exclude_blank()
        return (*stored, *blank, *exclude_unweighted(self))

    def _keep_places(self) -> engine.Frame:
        """Number the rows; those of rankings have their places in the rankings."""
        return self.frame if self.rankings is not None else joining.keep_places(self.frame)

    def tally(self, by: Sequence[str] = (), *, limits: Mapping[str, int] | None = None) -> Tally:
        raise NotImplementedError

    def count_judgments(self) -> float:
        """Count answers, as they are weighted: a ranking is one, whatever it expands to."""
        if self.mix is not None:
            return self.mix.n_judgments
        engine.require_open(self.frame, self.source.name)
        return count_answers(self).get("", 0.0)


def refuse_judged(name: str, factor: str) -> None:
    if factor in JUDGED:
        raise _no_factor(name, factor)


def _no_factor(name: str, role: str) -> UnknownOption:
    description = name if name == role else f"{name} (the {role})"
    what = "how much a row counts" if role == "weight" else "what was judged"
    return UnknownOption(
        f"{description} says {what}: it cannot tell groups apart; take who judged or under what"
        " conditions, such as judge, item, task or a column of your own"
    )


def count_answers(table: ComparisonTable, by: str | None = None) -> dict[str, float]:
    """Count answers, a ranking being one, as they are weighted; by group, or under "" for all."""
    groups = [by] if by is not None else []
    weight = nw.col("weight") if table.has("weight") else None
    if table.expanded:
        keys = dict.fromkeys([*groups, *table.answer_key])
        each = nw.len() if weight is None else weight.max()
        answers = table.frame.group_by(*keys).agg(each.alias(engine.COUNT))
        columns = engine.fetch_columns(answers.select(*groups, engine.COUNT))
    else:
        sums = nw.len() if weight is None else weight.sum()
        columns = engine.count_by(table.frame, groups, sums.alias(engine.COUNT))
    n = columns[engine.COUNT].astype(np.float64)
    n = np.ones(len(n)) if table.expanded and weight is None else n
    labels = columns[by].tolist() if by is not None else [""] * len(n)
    totals: dict[str, float] = {}
    for label, total in zip(labels, n.tolist(), strict=True):
        totals[str(label)] = totals.get(str(label), 0.0) + total
    return totals


def exclude_unweighted(data: ComparisonTable | RankingTable) -> tuple[Exclusion, ...]:
    """Return the rows of weight 0; they are counted only where there is a column of weights."""
    if not data.has("weight") or getattr(data, "mix", None) is not None:
        return ()
    weight = nw.col("weight").cast(nw.Float64)
    rankings = getattr(data, "rankings", None)
    frame = (data if rankings is None else rankings).frame
    both = frame.select(
        nw.len().alias(engine.COUNT), (weight == 0).cast(nw.Int64).sum().alias("evenhand_kept")
    )
    counts = engine.fetch_columns(both)
    zero, every = (counts[name][0] for name in ("evenhand_kept", engine.COUNT))
    n = 0 if zero is None or zero != zero else int(zero)  # noqa: PLR0124 - NaN of an empty table
    sentence = say_unweighted(n)
    exclusion = Exclusion("zero-weight", "their weight is zero", n, int(every), sentence=sentence)
    return (name_lost(exclusion, frame, frame.filter(weight != 0)),) if n else ()


def drop_unweighted(data: ComparisonTable | RankingTable) -> engine.Frame:
    if not data.has("weight"):
        return data.frame
    return data.frame.filter(nw.col("weight").cast(nw.Float64) != 0)


def restore_places(data: ComparisonTable) -> ComparisonTable:
    """Number pairs of rankings, whose order a join has lost, by where the first row of each stood.

    Other comparisons are numbered before they are joined.
    """
    if data.rankings is None or joining.list_places(data.frame):
        return data
    numbered = joining.number_places(data.rankings.frame)
    if numbered is None:
        return data
    first = numbered.group_by(*data.answer_key).agg(nw.col(engine.PLACE).min())
    frame = data.frame.join(first, on=data.answer_key, how="left")  # type: ignore[arg-type]
    return replace(data, frame=frame)

"""Rankings: a judge put n outputs of one item in order, with ties and blanks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import narwhals as nw

from evenhand.errors import InvalidJudgments, UnknownColumn, listing
from evenhand.judgments.byte_order import ORDER, add_order
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import COUNT, Frame, fetch_columns
from evenhand.judgments.exclusions import (
    Exclusion,
    Filter,
    count_exclusions,
    exclude_blank,
    exclude_unweighted,
)
from evenhand.judgments.merging import ENTRY, Parts, find_parts, say_none, spread
from evenhand.judgments.portable import count_values, mark_whole
from evenhand.judgments.source import Source, find_rows, name_rows
from evenhand.judgments.tasks import require_task

ROLES: Final = ("judge", "item", "ranking", "system", "rank", "position", "task", "weight")


@dataclass(frozen=True, eq=False, repr=False)
class Rankings:
    """A handle on a table with one ranked output a row.

    Attributes:
        frame: narwhals frame with `ranking`, `system` and `rank` (a whole number, 1 is best, ties
            share a rank; missing or −1 is not ranked); optional `judge`, `item`, `task`,
            `position` (the place on the screen, a whole number), `weight` and covariates.
        source: where it came from and what was understood.
        parts: the systems behind the names in `system`, where some stand for several; the frame
            keeps one row for each output that was shown.

    """

    frame: Frame
    source: Source = Source(format="rankings")
    parts: Parts | None = None

    def __post_init__(self) -> None:
        """Refuse a table in which a necessary column is missing."""
        missing = [role for role in ("ranking", "system", "rank") if role not in self.columns]
        if missing:
            raise UnknownColumn(
                f"rankings need the columns ranking, system and rank; {listing(missing)} not"
                f" found among {listing(self.columns)}"
            )

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return list(self.frame.collect_schema().names())

    def has(self, role: str) -> bool:
        """Say whether a role's column is there."""
        return role in self.columns

    @property
    def _key(self) -> list[str]:
        return [name for name in ("task", "ranking") if self.has(name)]

    @cached_property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What was excluded from these rankings: filters, controls, blank ranks, weights of 0."""
        stored = count_exclusions(self.source.exclusions)
        return (*stored, *exclude_blank(self), *exclude_unweighted(self))

    def select_task(self, task: str, *, recorded: bool = True) -> Rankings:
        """Keep one task.

        Args:
            task: its name.
            recorded: whether the other tasks count as excluded.

        Raises:
            UnknownColumn: the table has no task column.
            InvalidJudgments: no such task; names those there are.

        """
        require_task(self.frame, self.source, task)
        chosen = self.keep(self.frame.filter(nw.col("task") == task))
        if not recorded:
            return chosen
        roles = {role: role for role in ROLES}
        others = Filter("task", f"by task '{task}'", self.frame, chosen.frame, roles)
        kept = replace(chosen, source=self.source.excluding(others))
        if "_sound" in vars(self):
            vars(kept)["_sound"] = True
        return kept

    def keep(self, frame: Frame) -> Rankings:
        """Return some of these rankings; if all were found sound, they are not checked again.

        Args:
            frame: rows of these, of each ranking all or none.

        """
        kept = replace(self, frame=frame)
        if "_sound" in vars(self):
            vars(kept)["_sound"] = True
        return kept

    @property
    def merged(self) -> bool:
        """Whether some output stands for several systems."""
        return self.parts is not None

    def split_merged(self, sign: str) -> Rankings:
        """Count outputs under names such as "A+B" for each of their systems.

        Such an output has one rank. Its systems are compared with the others, not with one
        another.

        Args:
            sign: what stands between the systems of one output.

        Raises:
            UnknownOption: no sign.
            InvalidJudgments: a merged name with an empty part or with one system twice.

        """
        parts = find_parts(self.frame, ("system",), sign, self.source)
        note = parts.note if parts is not None else say_none(sign)
        return replace(self, parts=parts, source=self.source.noting(note))

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
        self._check_ranks()
        self._check_missing()
        self._check_one("judge")
        self._check_one("item")
        self._check_one("weight")
        self._check_doubled("system", "one row for each ranked output, or split the ranking")
        if self.has("position"):
            self._check_doubled("position", "each output has its own place on the screen")
        if self.parts is not None:
            self._check_parts(self.parts)
        return True

    def _check_ranks(self) -> None:
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

    def _check_missing(self) -> None:
        """A row without its ranking, system or position would drop out of the join unseen."""
        missing = [nw.col(name).is_null() for name in self._key]
        placed = ["system", *(["position"] if self.has("position") else [])]
        missing += [(nw.col("rank") > 0) & nw.col(name).is_null() for name in placed]
        rows = find_rows(self.frame, nw.any_horizontal(*missing, ignore_nulls=True))
        if rows:
            empty = (name for name in (*self._key, *placed) if _is_missing(rows[0][name]))
            role = next(empty)
            raise InvalidJudgments(
                f"a value is missing in column '{self.source.named(role)}' of {self.source.name}"
                f"{name_rows(rows)}: fill it, or leave such rows out"
            )

    def _check_one(self, role: str) -> None:
        """Ids that start again for every judge would make one ranking of several."""
        if not self.has(role):
            return
        counted = count_values(self.frame, role, self._key)
        rows = find_rows(counted, nw.col(COUNT) > 1)
        if rows:
            raise InvalidJudgments(
                f"ranking '{rows[0]['ranking']}' of {self.source.name} has"
                f" {rows[0][COUNT]} different values of {role}: a ranking is one answer of one"
                " judge on one item; give every ranking an id of its own"
            )

    def _check_doubled(self, role: str, advice: str) -> None:
        named = self.frame.filter(~nw.col(role).is_null())
        counted = named.group_by(*self._key, role).agg(nw.len().alias(COUNT))
        rows = find_rows(counted.select(*self._key, role, COUNT), nw.col(COUNT) > 1)
        if rows:
            value = rows[0][role]
            shown = f"{value:g}" if isinstance(value, float) else value
            raise InvalidJudgments(
                f"{role} '{shown}' stands twice in ranking '{rows[0]['ranking']}' of"
                f" {self.source.name}: {advice}"
            )

    def _check_parts(self, parts: Parts) -> None:
        """A system can stand once in a ranking, alone or in the name of a merged output."""
        entries = self.frame.with_columns(nw.col("system").alias(ENTRY))
        alone = spread(entries.filter(~nw.col("system").is_null()), "system", parts, self.source)
        counted = alone.group_by(*self._key, "system").agg(
            nw.len().alias(COUNT), nw.col(ENTRY).min().alias("first"), nw.col(ENTRY).max()
        )
        rows = find_rows(counted, nw.col(COUNT) > 1)
        if rows:
            row = rows[0]
            raise InvalidJudgments(
                f"system '{row['system']}' stands twice in ranking '{row['ranking']}' of"
                f" {self.source.name}, in '{row['first']}' and in '{row[ENTRY]}': it can be one"
                " output only; correct the names, or read them as they are (without merged)"
            )

    def _sizes(self) -> Frame:
        """Count outputs and ranked outputs of each ranking."""
        ranked = mark_whole((nw.col("rank") > 0).fill_null(value=False))
        frame = self.frame.with_columns(evenhand_ranked=ranked)
        return frame.group_by(*self._key).agg(nw.col("evenhand_ranked").sum().alias("ranked"))

    def _count(self, condition: nw.Expr | None = None) -> int:
        sizes = self._sizes()
        chosen = sizes if condition is None else sizes.filter(condition)
        return int(fetch_columns(chosen.select(nw.len().alias(COUNT)))[COUNT][0])

    def count(self) -> int:
        """Count all rankings, blank ones included."""
        return self._count()

    def count_blank(self) -> int:
        """Count the rankings in which nothing was ranked."""
        return self._count(nw.col("ranked") == 0)

    def count_used(self) -> int:
        """Count the rankings that compare at least two outputs."""
        return self._count(nw.col("ranked") > 1)

    def keep_ranked(self, least: int) -> Frame:
        """Return the rows of the rankings in which so many outputs are ranked."""
        enough = self._sizes().filter(nw.col("ranked") >= least)
        return self.frame.join(enough.select(*self._key), on=self._key, how="semi")  # type: ignore[arg-type]

    def count_blank_ranks(self) -> tuple[int, int]:
        """Count the blank ranks of the rankings that are not blank, and all ranks of these."""
        ranked = mark_whole((nw.col("rank") > 0).fill_null(value=False))
        frame = self.frame.with_columns(evenhand_ranked=ranked)
        sizes = frame.group_by(*self._key).agg(
            nw.len().alias("rows"), nw.col("evenhand_ranked").sum().alias("ranked")
        )
        begun = sizes.filter(nw.col("ranked") > 0)
        sums = fetch_columns(begun.select(nw.col("rows").sum(), nw.col("ranked").sum()))
        rows, used = (0 if sums[n][0] is None else int(sums[n][0]) for n in ("rows", "ranked"))
        return rows - used, rows

    def comparisons(self) -> Comparisons:
        """Expand each ranking into the n(n − 1)/2 comparisons of its ranked outputs.

        The ranking stays known as a cluster, since its comparisons are one judgment. Blank ranks
        are missing, not last. Left is the output that stood first on the screen where positions
        are known, else the system that comes first by name.
        """
        order = "position" if self.has("position") else ORDER
        kept = [name for name in self.columns if name not in ("system", "rank", order)]
        compared = {"rank": "rank", "order": order}
        ranked = self.frame.filter(~nw.col("rank").is_null() & (nw.col("rank") > 0))
        if self.parts is not None:
            compared["entry"] = ENTRY
            ranked = ranked.with_columns(nw.col("system").alias(ENTRY))
            ranked = spread(ranked, "system", self.parts, self.source)
        ranked = add_order(ranked, "system") if order == ORDER else ranked
        left, right = (
            ranked.select(
                *columns,
                nw.col("system").alias(side),
                *[nw.col(name).alias(f"evenhand_{side}_{what}") for what, name in compared.items()],
            )
            for side, columns in (("left", kept), ("right", self._key))
        )
        pairs = left.join(right, on=self._key, how="inner")  # type: ignore[arg-type]
        pairs = pairs.filter(nw.col("evenhand_left_order") < nw.col("evenhand_right_order"))
        if self.parts is not None:
            apart = nw.col("evenhand_left_entry") != nw.col("evenhand_right_entry")
            pairs = pairs.filter(apart)
        frame = pairs.with_columns(outcome=_better_rank()).drop(
            *[f"evenhand_{side}_{what}" for side in ("left", "right") for what in compared]
        )
        return Comparisons(
            frame, source=self.source, positions_known=self.has("position"), rankings=self
        )

    def __repr__(self) -> str:
        return f"Rankings({self.source.name}: {', '.join(self.columns)})"


def _better_rank() -> nw.Expr:
    """Compare two ranks, 1 the best."""
    better = nw.col("evenhand_left_rank") < nw.col("evenhand_right_rank")
    worse = nw.col("evenhand_left_rank") > nw.col("evenhand_right_rank")
    otherwise = nw.when(worse).then(nw.lit("right")).otherwise(nw.lit("tie"))
    return nw.when(better).then(nw.lit("left")).otherwise(otherwise)


def _is_missing(value: object) -> bool:
    return value is None or value != value  # noqa: PLR0124 - nan is the only value that differs from itself

"""Rankings: a judge put n outputs of one item in order, with ties and blanks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import narwhals as nw

from evenhand.errors import InvalidJudgments, UnknownColumn, listing
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import COUNT, Frame, fetch_columns
from evenhand.judgments.source import Source, find_rows, name_rows

ROLES: Final = ("judge", "item", "ranking", "system", "rank", "position", "task", "weight")


@dataclass(frozen=True, eq=False, repr=False)
class Rankings:
    """A handle on a table with one ranked output a row.

    Attributes:
        frame: narwhals frame with `ranking`, `system` and `rank` (a whole number, 1 is best, ties
            share a rank; missing or −1 is not ranked); optional `judge`, `item`, `task`,
            `position` (the place on the screen, a whole number), `weight` and covariates.
        source: where it came from and what was understood.

    """

    frame: Frame
    source: Source = Source(format="rankings")

    def __post_init__(self) -> None:
        """Refuse a table in which a necessary column is missing.

        Raises:
            UnknownColumn: names the missing role.

        """
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

    def select_task(self, task: str) -> Rankings:
        """Keep one task."""
        return replace(self, frame=self.frame.filter(nw.col("task") == task))

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
        return True

    def _check_ranks(self) -> None:
        rank = nw.col("rank")
        bad = find_rows(
            self.frame, ~rank.is_null() & ~(rank == -1) & ((rank < 1) | (rank % 1 != 0))
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
        counted = self.frame.group_by(*self._key).agg(nw.col(role).n_unique().alias(COUNT))
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

    def _sizes(self) -> Frame:
        """Count outputs and ranked outputs of each ranking."""
        ranked = (nw.col("rank") > 0).fill_null(value=False).cast(nw.Int64)
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

    def count_blank_ranks(self) -> tuple[int, int]:
        """Count the blank ranks of the rankings that are not blank, and all ranks of these."""
        ranked = (nw.col("rank") > 0).fill_null(value=False).cast(nw.Int64)
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
        order = "position" if self.has("position") else "system"
        ranked = self.frame.filter(~nw.col("rank").is_null() & (nw.col("rank") > 0))
        key = self._key
        left = ranked.select(
            *[name for name in self.columns if name not in ("system", "rank", order)],
            nw.col("system").alias("left"),
            nw.col("rank").alias("evenhand_left_rank"),
            nw.col(order).alias("evenhand_left_order"),
        )
        right = ranked.select(
            *key,
            nw.col("system").alias("right"),
            nw.col("rank").alias("evenhand_right_rank"),
            nw.col(order).alias("evenhand_right_order"),
        )
        pairs = left.join(right, on=key, how="inner").filter(  # type: ignore[arg-type]
            nw.col("evenhand_left_order") < nw.col("evenhand_right_order")
        )
        frame = pairs.with_columns(outcome=_better_rank()).drop(
            "evenhand_left_rank",
            "evenhand_right_rank",
            "evenhand_left_order",
            "evenhand_right_order",
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

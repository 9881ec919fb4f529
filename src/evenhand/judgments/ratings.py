"""Ratings: a judge gave one output a score under one criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.errors import UnknownColumn, listing
from evenhand.judgments.engine import Frame
from evenhand.judgments.source import Source

ROLES: Final = ("judge", "item", "system", "criterion", "score", "kind", "task", "seconds")


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """A handle on a table with one rating a row.

    Attributes:
        frame: narwhals frame with at least `system` and `score` (a number); optional `judge`,
            `item`, `criterion`, `kind` (target, control, repeat), `task`, `seconds`.
        source: where it came from and what was understood.

    """

    frame: Frame
    source: Source = Source(format="ratings")

    def __post_init__(self) -> None:
        """Refuse a table in which a necessary column is missing.

        Raises:
            UnknownColumn: names the missing role.

        """
        missing = [role for role in ("system", "score") if role not in self.columns]
        if missing:
            raise UnknownColumn(
                f"ratings need the columns system and score; {listing(missing)} not found"
                f" among {listing(self.columns)}"
            )

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return list(self.frame.collect_schema().names())

    def __repr__(self) -> str:
        return f"Ratings({self.source.name}: {', '.join(self.columns)})"

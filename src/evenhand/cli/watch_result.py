"""A board that is watched, of each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import click

from evenhand.cli.grouped import GroupedResult
from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, label, plural, share, width
from evenhand.cli.words import block, sign
from evenhand.ranking.sequential.leaderboard import Board, Standing
from evenhand.report.tables.latex import escape, number, tabular

Heads = tuple[str, str, str, str, str]
LONG: Final = ("decided", "leading now", "log-worth", "decided better than", "by judges alone")
SHORT: Final = ("decided", "now", "log-worth", "beats", "judges")
# Heads of the columns beside the names, from where there is room to where there is little
SHORTEST: Final = ("decided", "now", "", "beats", "judges")
FLOOR: Final = 16  # Columns that names have at least, if they need them


class WatchResult(GroupedResult[Board]):
    """What `evenhand watch` found: a board for each group."""

    lacking = "has no board"

    def draw(self, part: Board, columns: int) -> list[str]:
        """Return counts, the board, and what is said of it."""
        counts = [plural(part.n_votes, "vote"), plural(len(part.systems), "system")]
        counts.append(f"{share(part.n_ties, part.n_votes)} ties")
        return [
            label("", ", ".join(counts), columns),
            "",
            *draw_board(part, columns),
            "",
            *block("says", part.says, columns),
            *(label("note", note, columns, colour="yellow") for note in part.notes),
            sign(part.signature, columns),
        ]

    def describe(self, part: Board) -> dict[str, Any]:
        """Return the JSON of one board."""
        return part.to_dict()

    def rows(self, part: Board) -> list[dict[str, Any]]:
        """Return a row for each system, the leading one first."""
        return [asdict(one) for one in part.standings]

    def tabulate(self, name: str, part: Board) -> str:
        """Return the board as a table for a paper."""
        header = ("decided rank", "leading now", "system", "log-worth", "better than")
        rows = [
            (
                _rank(one, "--"),
                _place(one, "---"),
                escape(one.system),
                number(one.log_worth, 2),
                better,
            )
            for one in part.standings
            for better in [str(one.better_than)]
        ]
        comments = [*([name] if name else []), part.signature, *part.says, *part.notes]
        return tabular("rrlrr", header, [rows], comments)

    def say(self, part: Board) -> Sequence[str]:
        """Return what must stand beside the board."""
        return [*part.says, *part.notes]


def _lay_out(part: Board, heads: Heads) -> tuple[list[list[str]], list[list[str]]]:
    """Return the columns before the names and those after them, heads first."""
    others = len(part.standings) - 1
    before = [heads[:2], *((_rank(one), _place(one)) for one in part.standings)]
    columns = [
        [heads[2], *(f"{one.log_worth:z.2f}" for one in part.standings)],
        [heads[3], *(f"{one.better_than} of {others}" for one in part.standings)],
        [heads[4], *(f"{one.better_by_judges} of {others}" for one in part.standings)],
    ]
    shown = [column for column in columns[: 2 + (part.by_judges is not None)] if column[0]]
    return align(before, left=(0,)), align(list(zip(*shown, strict=True)), left=())


def _rank(one: Standing, dash: str = "-") -> str:
    return str(one.lower) if one.lower == one.upper else f"{one.lower}{dash}{one.upper}"


def _place(one: Standing, none: str = "—") -> str:
    return none if one.place is None else str(one.place)


def draw_board(part: Board, columns: int) -> list[str]:
    """Return titles, and a line for each system: where it stands for good, and where now.

    Names need room: heads grow short for it first, then log-worths go.
    """
    longest = max((width(one.system) for one in part.standings), default=0)
    for heads in (LONG, SHORT, SHORTEST):
        first, last = _lay_out(part, heads)
        room = columns - 1 - sum(width(cell) + 2 for cell in (*first[0], *last[0]))
        if room >= min(longest, FLOOR):
            break
    short = tell_apart([one.system for one in part.standings], room)
    names = align([("system",), *((short[one.system],) for one in part.standings)], left=(0,))
    settled = [False, *(bool(one.better_than or one.worse_than) for one in part.standings)]
    rows = zip(first, names, last, settled, strict=True)
    lines = []
    for (decided, now), name, other, sure in rows:
        shown = click.style(decided, fg="green") if sure else decided
        lines.append(" " + "  ".join([shown, now, *name, *other]))
    return [click.style(lines[0].rstrip(), dim=True), *lines[1:]]

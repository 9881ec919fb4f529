"""The board as it is drawn in a terminal: a row for each system, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.short_names import tell_apart
from evenhand.cli.streams import visible
from evenhand.cli.terminal import align, bar, pad, whole, width

if TYPE_CHECKING:
    from evenhand.ranking import Ranking

BARS: Final = ((24, 24), (14, 16), (10, 10))
"""How long a bar may be, and how many columns a name must have before it is."""
LEAST: Final = 6
"""Columns that a name needs beside the last column."""
GAP: Final = "  "


@dataclass(frozen=True)
class Scales:
    """Columns that are shown only when asked for.

    Attributes:
        elo: log-worths on the Elo scale.
        worth: worths, which sum to 1.

    """

    elo: bool = False
    worth: bool = False

    def extend(self, ranking: Ranking) -> list[dict[str, Any]]:
        """Return the rows of a ranking with these columns added."""
        rows = ranking.rows()
        for row, elo, worth in zip(rows, ranking.elo(), ranking.worths(), strict=True):
            row.update({"elo": float(elo)} if self.elo else {})
            row.update({"worth": float(worth)} if self.worth else {})
            row.update({count: whole(row[count]) for count in ("wins", "ties", "losses")})
        return rows


def draw_board(ranking: Ranking, scales: Scales, columns: int) -> list[str]:
    """Return the lines of a board, titles first, a rule between clusters.

    Where there is little room names are cut first, then the bar goes, then `better than`; the
    numbers stay.
    """
    rows = scales.extend(ranking)
    ranks = align([("rank",), *((_ranks(row),) for row in rows)], left=(0,))
    titles, scale = _titles(ranking, scales), ranking.scale.replace("-", "_")
    numbers = align([titles, *(_numbers(row, scales, scale) for row in rows)], left=())
    ends = _intervals(ranking)
    numbers = [[one, end, *more] for (one, *more), end in zip(numbers, ends, strict=True)]
    better = align([("better than",), *((_better(row, len(rows)),) for row in rows)], left=())
    names = ["system", *map(visible, ranking.systems)]
    longest = max(map(width, names))
    room = columns - 1 - _taken(ranks[0], numbers[0])
    if ranking.lower is None or room - _taken(better[0]) < min(longest, LEAST):
        better = [[] for _ in better]
    room -= _taken(better[0])
    cells = _bar_cells(room, longest) if ranking.lower is not None else 0
    room -= cells + len(GAP) if cells else 0
    bars = _bars(ranking, cells)
    shown = tell_apart(names, room)
    lines = []
    for i, name in enumerate(names):
        before = (*ranks[i], pad(shown[name], min(longest, room)), *filter(None, numbers[i]))
        drawn = [bars[i] if i == 0 else click.style(bars[i], fg="cyan")] if cells else []
        lines.append(" " + GAP.join((*before, *drawn, *better[i])))
    return _rule(ranking, lines)


def _taken(*parts: Sequence[str]) -> int:
    """Return the columns that cells take, each with a gap before it."""
    return sum(width(cell) + len(GAP) for part in parts for cell in part if cell)


def _bar_cells(room: int, longest: int) -> int:
    """Return how long bars can be beside names; 0 where there is no room at all."""
    for cells, name in BARS:
        if room - cells - len(GAP) >= min(longest, name):
            return cells
    return 0


def _intervals(ranking: Ranking) -> list[str]:
    """Return the title and the ends of each interval; empty texts where there are none."""
    if ranking.lower is None or ranking.upper is None:
        return [""] * (len(ranking.systems) + 1)
    ends = zip(ranking.lower, ranking.upper, strict=True)
    aligned = align([(f"{low:z.2f}", f"{high:z.2f}") for low, high in ends], left=())
    title = f"{100 * ranking.level:g} % interval"
    cells = align([(title,), *((f"{low} to {high}",) for low, high in aligned)], left=())
    return [cell for (cell,) in cells]


def _rule(ranking: Ranking, lines: list[str]) -> list[str]:
    """Put a rule where one cluster ends and another begins."""
    title, *rows = lines
    rule = click.style(" " + "┈" * (width(title) - 1), dim=True)
    drawn = [click.style(title.rstrip(), dim=True)]
    for place, line in enumerate(rows):
        if place and ranking.cluster is not None:
            drawn += [rule] if ranking.cluster[place] > ranking.cluster[place - 1] else []
        drawn.append(line)
    return drawn


def _titles(ranking: Ranking, scales: Scales) -> list[str]:
    return [ranking.scale, *["Elo"] * scales.elo, *["worth"] * scales.worth]


def _numbers(row: dict[str, Any], scales: Scales, scale: str) -> list[str]:
    cells = [f"{row[scale]:z.2f}"]
    cells += [f"{row['elo']:.0f}"] if scales.elo else []
    return [*cells, f"{row['worth']:.3f}"] if scales.worth else cells


def _ranks(row: dict[str, Any]) -> str:
    low, high = row["rank_lower"], row["rank_upper"]
    if low is None:
        return str(row["rank"])
    return str(low) if low == high else f"{low}-{high}"


def _better(row: dict[str, Any], systems: int) -> str:
    return "" if row["better_than"] is None else f"{row['better_than']} of {systems - 1}"


def _bars(ranking: Ranking, cells: int) -> list[str]:
    """Return the ends of the scale as a title, then a bar for each system."""
    if ranking.lower is None or ranking.upper is None or not cells:
        return [""] * (len(ranking.systems) + 1)
    scale = (float(ranking.lower.min()), float(ranking.upper.max()))
    left, right = f"{scale[0]:z.1f}", f"{scale[1]:z.1f}"
    title = left + pad(right, cells - len(left), right=True)
    ends = zip(ranking.lower, ranking.estimate, ranking.upper, strict=True)
    return [title, *(bar((float(a), float(b), float(c)), scale, cells) for a, b, c in ends)]

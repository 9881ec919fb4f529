"""The board as it is drawn in a terminal: a row for each system, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.short_names import shorten, tell_apart
from evenhand.cli.terminal import align, bar, pad, whole, width
from evenhand.ranking.ranking import NO_VALUE, explain_mark, title_ranks, write_range, write_ranks
from evenhand.report.signs import visible

if TYPE_CHECKING:
    from evenhand.ranking.ranking import Ranking

# How long a bar may be, and how many columns a name must have before it is
BARS: Final = ((24, 24), (20, 20), (14, 16), (10, 10))
LEAST: Final = 6  # Columns that a name needs beside the last column
GAP: Final = "  "


@dataclass(frozen=True)
class Scales:
    """Columns that are shown only when asked for."""

    elo: bool = False  # log-worths on the Elo scale
    worth: bool = False  # worths, which sum to 1
    marginal: bool = False  # the rank set of each system by itself

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

    Where there is little room names are cut first, then the bar goes, then `better than`, at last
    the interval; the other numbers stay.
    """
    rows = scales.extend(ranking)
    ranks, (estimates, *more) = _ranks(ranking, scales, rows), _numbers(ranking, scales, rows)
    ends, better = _intervals(ranking), _better(rows)
    room = columns - 1 - _taken(ranks[0], (estimates[0], ends[0], *(one[0] for one in more)))
    names, taken = _name_systems(ranking, room - _taken((better[0],)))
    longest = max(map(width, names))
    if ranking.lower is None or room - _taken((better[0],)) < min(longest, LEAST):
        better = [""] * len(better)
    room -= _taken((better[0],))
    if room < min(longest, LEAST):
        room, ends = room + _taken((ends[0],)), [""] * len(ends)
    bars = _bars(ranking, room, longest)
    room -= _taken((bars[0],))
    shown = tell_apart(names, room)
    cells = zip(estimates, ends, *more, bars, better, strict=True)
    lines = []
    for name, own, rest in zip(names, ranks, cells, strict=True):
        named = pad(shown[name], min(longest, room))
        lines.append(" " + GAP.join((*own, named, *filter(None, rest))))
    below = [*taken, *explain_mark(ranking)]
    return [*_rule(ranking, lines), *(f" {line}" for line in below)]


def _name_systems(ranking: Ranking, room: int) -> tuple[list[str], list[str]]:
    """Return the title and the names; what all share is cut where they are too long."""
    names, taken = list(map(visible, ranking.systems)), ""
    if max(map(width, names)) > room - BARS[-1][0] - len(GAP):
        names, taken = shorten(names)
    return ["system", *names], [taken] if taken else []


def _taken(*parts: Sequence[str]) -> int:
    """Return the columns that cells take, each with a gap before it."""
    return sum(width(cell) + len(GAP) for part in parts for cell in part if cell)


def _ranks(
    ranking: Ranking, scales: Scales, rows: Sequence[dict[str, Any]]
) -> list[tuple[str, ...]]:
    """Return the title and the ranks of each system, and those by itself where asked for."""
    columns = [[title_ranks(ranking), *map(write_ranks, rows)]]
    if scales.marginal:
        own = [write_range(row["marginal_lower"], row["marginal_upper"]) for row in rows]
        columns.append(["by itself", *own])
    return [tuple(row) for row in align(list(zip(*columns, strict=True)), left=(0, 1))]


def _numbers(ranking: Ranking, scales: Scales, rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return columns of numbers, titles first: estimates, then the scales that were asked for."""
    estimates = [f"{row[ranking.scale.replace('-', '_')]:z.2f}" for row in rows]
    found = [[ranking.scale, *estimates]]
    found += [["Elo", *(f"{row['elo']:.0f}" for row in rows)]] if scales.elo else []
    found += [["worth", *(f"{row['worth']:.3f}" for row in rows)]] if scales.worth else []
    return [_stand_right(column) for column in found]


def _better(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the title, and how many systems each is decided to be better than."""
    counts = [row["better_than"] for row in rows]
    cells = ["" if count is None else f"{count} of {len(rows) - 1}" for count in counts]
    return _stand_right(["better than", *cells])


def _stand_right(column: Sequence[str]) -> list[str]:
    return [cell for (cell,) in align([(cell,) for cell in column], left=())]


def _intervals(ranking: Ranking) -> list[str]:
    """Return the title and the ends of each interval; empty texts where no system has one."""
    if ranking.lower is None or ranking.upper is None:
        return [""] * (len(ranking.systems) + 1)
    known = ranking.bounded.tolist()
    ends = zip(ranking.lower, ranking.upper, known, strict=True)
    drawn = [(f"{low:z.2f}", f"{high:z.2f}") if own else ("", "") for low, high, own in ends]
    pairs = zip(align(drawn, left=()), known, strict=True)
    cells = [f"{low} to {high}" if own else NO_VALUE for (low, high), own in pairs]
    return _stand_right([f"{100 * ranking.level:g} % interval", *cells])


def _bars(ranking: Ranking, room: int, longest: int) -> list[str]:
    """Return the ends of the scale as a title, then a bar for each system that has an interval.

    Where there is no room beside names, or no interval at all, all texts are empty.
    """
    known = ranking.bounded
    fits = (cells for cells, name in BARS if room - cells - len(GAP) >= min(longest, name))
    cells = next(fits, 0)
    if ranking.lower is None or ranking.upper is None or not known.any() or not cells:
        return [""] * (len(ranking.systems) + 1)
    scale = (float(ranking.lower[known].min()), float(ranking.upper[known].max()))
    left, right = f"{scale[0]:z.1f}", f"{scale[1]:z.1f}"
    drawn = [left + pad(right, cells - len(left), right=True)]
    rows = zip(ranking.lower, ranking.estimate, ranking.upper, known.tolist(), strict=True)
    for low, middle, high, own in rows:
        line = bar((float(low), float(middle), float(high)), scale, cells) if own else " " * cells
        drawn.append(click.style(line, fg="cyan"))
    return drawn


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

"""How a ranking prints: in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from evenhand.ranking.ranking import Ranking

SHOWN: Final = 100
"""Most systems that are printed; `rows` and `to_dict` have them all."""
TITLES: Final = ("rank", "system", "log-worth", "interval", "better than")


def table_rows(ranking: Ranking) -> list[tuple[str, ...]]:
    """Return the table as text, titles first."""
    rows: list[tuple[str, ...]] = [TITLES]
    others = len(ranking.systems) - 1
    for row in ranking.rows()[:SHOWN]:
        low, high = row["rank_lower"], row["rank_upper"]
        ranks = str(row["rank"]) if low is None else f"{low}" + (f"-{high}" * (low != high))
        ends = "" if row["lower"] is None else f"{row['lower']:.2f} to {row['upper']:.2f}"
        better = "" if low is None else f"{row['better_than']} of {others}"
        rows.append((ranks, row["system"], f"{row['log_worth']:.3f}", ends, better))
    return rows


def draw_text(ranking: Ranking) -> str:
    """Return the ranking for a terminal, a dot between clusters."""
    rows = table_rows(ranking)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [ranking.headline] if ranking.headline else []
    for place, row in enumerate(rows):
        if place > 1 and ranking.cluster is not None:
            lines += ["  ·"] if ranking.cluster[place - 1] > ranking.cluster[place - 2] else []
        cells = [
            cell.ljust(width) if i == 1 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join([*lines, *_cut(ranking), "", *_said(ranking)])


def draw_html(ranking: Ranking) -> str:
    """Return the ranking for a notebook."""
    head, *body = table_rows(ranking)
    first = f"<p><strong>{escape(ranking.headline)}</strong></p>" if ranking.headline else ""
    rows = _cells("th", head) + "".join(_cells("td", row) for row in body)
    said = "<br>".join(escape(line) for line in [*_cut(ranking), *_said(ranking)])
    return f"{first}<table>{rows}</table><p>{said}</p>"


def _cells(tag: str, row: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"


def _cut(ranking: Ranking) -> list[str]:
    more = len(ranking.systems) - SHOWN
    return [f"... and {more:,} more systems"] if more > 0 else []


def _said(ranking: Ranking) -> list[str]:
    return [ranking.says, *(f"note: {note}" for note in ranking.notes), ranking.signature]

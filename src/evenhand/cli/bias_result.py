"""A position bias, or one for each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from typing import Any, Final

import click

from evenhand.cli.grouped import GroupedResult
from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, label, width
from evenhand.cli.words import block, say_answers, sign
from evenhand.models.coefficients import format_p
from evenhand.ranking.position_bias import JudgeBias, PositionBias
from evenhand.report.tables.latex import escape, number, tabular

SHOWN: Final = 10  # Most judges in the table for people, unless more of them stand out
TITLES: Final = ("judge", "n", "first", "second", "first wins", "interval", "vs median", "adjusted")
LEGEND: Final = (
    "n, first and second are counts; first wins, with its interval, is drawn towards the common"
    " estimate; vs median is p of the counts against the median judge; adjusted for all judges by"
    " Benjamini and Hochberg"
)


class BiasResult(GroupedResult[PositionBias]):
    """What `evenhand bias` found: a bias for each group."""

    lacking = "has no bias"

    def draw(self, part: PositionBias, columns: int) -> list[str]:
        """Return everything about one bias."""
        return _draw(part, columns)

    def describe(self, part: PositionBias) -> dict[str, Any]:
        """Return the JSON of one bias."""
        return part.to_dict()

    def rows(self, part: PositionBias) -> list[dict[str, Any]]:
        """Return a row for all judges together (no name), and one for each."""
        judges = [{key: judge.to_dict()[key] for key in KEYS} for judge in part.judges]
        return [_record(part), *judges]

    def tabulate(self, name: str, part: PositionBias) -> str:
        """Return the table of judges for a paper."""
        return _tabular(name, part)

    def say(self, part: PositionBias) -> list[str]:
        """Return what was found, and what must stand beside it."""
        return [*part.says, *part.notes]


# Columns of CSV
KEYS: Final = (
    *("judge", "n", "estimate", "stderr", "lower", "upper", "share", "p_none", "p_common"),
    *("p_none_adjusted", "p_common_adjusted"),
)


def _record(one: PositionBias) -> dict[str, Any]:
    """Return the row of all judges together."""
    known = {
        "n": one.n_comparisons,
        "estimate": one.estimate,
        "stderr": one.stderr,
        "lower": one.lower,
        "upper": one.upper,
        "share": one.share,
        "p_none": one.p,
    }
    return {key: known.get(key) for key in KEYS}


def _draw(one: PositionBias, columns: int) -> list[str]:
    """Return everything about one bias."""
    table = _table(one, columns)
    return [
        label("", say_answers(one.n_judgments, one.n_comparisons), columns),
        label("model", f"Davidson ties, order effect; {one.method}", columns),
        "",
        *block("says", one.says, columns),
        *(["", *table, "", label("table", LEGEND, columns)] if table else []),
        *(label("note", note, columns, colour="yellow") for note in one.notes),
        sign(one.signature, columns),
    ]


def _chosen(one: PositionBias) -> tuple[JudgeBias, ...]:
    """Return the judges that are shown: all who stand out, and some others."""
    outstanding = set(one.stand_out)
    last = max((i + 1 for i, judge in enumerate(one.judges) if judge in outstanding), default=0)
    return one.judges[: max(SHOWN, last)]


def _table(one: PositionBias, columns: int) -> list[str]:
    """Return the judges farthest from the others, titles first."""
    chosen = _chosen(one)
    if not chosen:
        return []
    rows = align([TITLES[1:], *(_cells(judge) for judge in chosen)], left=())
    room = columns - 1 - sum(width(cell) + 2 for cell in rows[0])
    apart = tell_apart([judge.judge for judge in chosen], room)
    shown = [(TITLES[0],), *((apart[judge.judge],) for judge in chosen)]
    names = align(shown, left=(0,))
    lines = [" " + "  ".join([name, *cells]) for (name,), cells in zip(names, rows, strict=True)]
    more = len(one.judges) - len(chosen)
    return [
        click.style(lines[0], dim=True),
        *lines[1:],
        *([f" ... and {more:,} more judges, nearer to the others"] if more else []),
    ]


def _cells(judge: JudgeBias) -> tuple[str, ...]:
    low, high = (100 * end for end in judge.share_interval)
    return (
        f"{judge.n:.0f}",
        f"{judge.first:.0f}",
        f"{judge.second:.0f}",
        f"{100 * judge.share:.0f} %",
        f"{low:.0f} to {high:.0f} %",
        _show_p(judge.p_common),
        _show_p(judge.p_common_adjusted),
    )


def _show_p(p: float | None) -> str:
    return "—" if p is None else format_p(p)


def _set_p(p: float | None) -> str:
    return "—" if p is None else f"${format_p(p)}$"


def _tabular(name: str, one: PositionBias) -> str:
    header = ("judge", "$n$", "first", "second", "log-odds", "s.e.", "$p$", "adjusted $p$")
    rows = [
        (
            escape(judge.judge),
            number(judge.n, 0),
            number(judge.first, 0),
            number(judge.second, 0),
            number(judge.estimate, 2),
            number(judge.stderr, 2),
            _set_p(judge.p_common),
            _set_p(judge.p_common_adjusted),
        )
        for judge in _chosen(one)
    ]
    comments = [*([name] if name else []), one.signature, *one.says, *one.notes]
    return tabular("lrrrrrrr", header, [rows], comments)

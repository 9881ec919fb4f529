"""Wins, ties and losses: what was counted, before any model."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from evenhand.errors import NotConverged, NotIdentified
from evenhand.report.charts import take_chart
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import Column, Figure, Section, Table
from evenhand.report.figures.outcome_bars import draw_outcomes
from evenhand.report.numbers import write_value
from evenhand.report.study import Study

DRAWN: Final = 100  # Most systems that have a bar: the best
NOTE: Final = (
    "These shares depend on whom a system met: one that met strong systems wins less often. The"
    " ranking allows for that."
)
WEIGHED: Final = "Judgments have weights: counts are sums of weights."


def write_section(study: Study) -> Section:
    """Write how often each system won, tied and lost."""
    rows = count_outcomes(study)
    if not rows:
        raise NotIdentified("there is no comparison to count")
    weighed = any(row["n"] != round(row["n"]) for row in rows)
    return Section(
        "outcomes",
        PREFERENCE["outcomes"],
        says=(_say_ties(rows), _say_most(rows)),
        figures=(_draw(rows),),
        tables=(_tabulate(rows),),
        notes=(NOTE, *([WEIGHED] if weighed else [])),
        command=study.write_command("rank"),
    )


def count_outcomes(study: Study) -> list[dict[str, Any]]:
    """Return what became of each system's comparisons: best first, or by share if none is best."""
    tally = study.tally
    size = len(tally.systems)
    sides = ((tally.wins, tally.losses), (tally.ties, tally.ties), (tally.losses, tally.wins))
    wins, ties, losses = (
        np.bincount(tally.left, left, size) + np.bincount(tally.right, right, size)
        for left, right in sides
    )
    found = {
        system: _row(system, float(won), float(tied), float(lost))
        for system, won, tied, lost in zip(tally.systems, wins, ties, losses, strict=True)
        if won + tied + lost > 0
    }
    try:
        return [found[system] for system in study.ranking.systems if system in found]
    except (NotIdentified, NotConverged):
        return sorted(found.values(), key=lambda row: (-row["share"], row["system"]))


def _row(system: str, won: float, tied: float, lost: float) -> dict[str, Any]:
    n = won + tied + lost
    return {
        "system": system,
        "wins": won,
        "ties": tied,
        "losses": lost,
        "n": n,
        "share": (won + tied / 2) / n,
    }


def _say_ties(rows: list[dict[str, Any]]) -> str:
    """Say how many comparisons were ties."""
    n, ties = (sum(row[key] for row in rows) / 2 for key in ("n", "ties"))
    all_of = write_value(n, "count")
    if n == 1:
        return f"There is one comparison, {'a' if ties else 'no'} tie."
    if not ties:
        return f"None of the {all_of} comparisons is a tie."
    share = write_value(ties / n, "share")
    if ties == n:
        return f"All {all_of} comparisons are ties: judges preferred nothing."
    said = f"{write_value(ties, 'count')} of {all_of} comparisons ({share}) are ties"
    most = max(rows, key=lambda row: (row["ties"] / row["n"], row["system"]))
    if len(rows) == 2:
        return f"{said}."
    often = write_value(most["ties"] / most["n"], "share")
    return f"{said}; {most['system']} ties most often, in {often} of its own."


def _say_most(rows: list[dict[str, Any]]) -> str:
    """Say which systems won most and least often."""
    best, worst = (choose(rows, key=lambda row: row["share"]) for choose in (max, min))
    half = "With ties half a win, " if any(row["ties"] for row in rows) else ""
    if best["share"] == worst["share"]:
        return f"{half}{'all' if half else 'All'} systems win equally often."
    high, low = (write_value(row["share"], "share") for row in (best, worst))
    return (
        f"{half}{best['system']} wins most often ({high} of its comparisons) and"
        f" {worst['system']} least often ({low})."
    )


def _draw(rows: list[dict[str, Any]]) -> Figure:
    cut = "" if len(rows) <= DRAWN else f", the best {DRAWN} of {len(rows)} systems"
    seen = (
        f"Stacked bars for {min(len(rows), DRAWN)} systems: the share of comparisons won, tied and"
        " lost."
    )
    return take_chart(
        draw_outcomes(rows[:DRAWN]),
        "outcomes",
        f"Won, tied and lost{cut}",
        f"{seen} {_say_most(rows)}",
        table="outcomes",
    )


def _tabulate(rows: list[dict[str, Any]]) -> Table:
    columns = (
        Column("system", "system"),
        Column("n", "comparisons", "count"),
        Column("wins", "wins", "count"),
        Column("ties", "ties", "count"),
        Column("losses", "losses", "count"),
        Column("share", "share won", "share", "wins and half of the ties, of all comparisons"),
    )
    return Table("outcomes", "What became of each system's comparisons", columns, tuple(rows))

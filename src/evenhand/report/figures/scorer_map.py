"""Judges of ratings as points: how high each scores, against how far from the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import CONTRAST, INK, PALETTE, QUIET
from evenhand.report.figures.marks import begin_chart

HEIGHT: Final = 320


def draw_scorers(rows: Sequence[Row], criteria: Sequence[str]) -> Any:
    """Draw the map of judges."""
    import altair as alt

    plain = [dict(row) for row in rows]
    colour = alt.Color(
        "criterion:N",
        title=None,
        scale=alt.Scale(domain=list(criteria), range=list(PALETTE[: len(criteria)])),
        legend=alt.Legend(orient="top") if len(criteria) > 1 else None,
    )
    base = begin_chart(plain).encode(
        x=alt.X("gap:Q", title="scores higher than the others on the same outputs (points)"),
        y=alt.Y("distance:Q", title="mean distance from them (points)", scale=alt.Scale(zero=True)),
        tooltip=_tell(),
    )
    zero = (
        begin_chart([{"at": 0}]).mark_rule(color=QUIET, strokeDash=[2, 3]).encode(x=alt.X("at:Q"))
    )
    flagged = [row for row in plain if row["flags"]]
    layers = [zero, base.mark_point(filled=True, size=60, opacity=0.8).encode(color=colour)]
    if flagged:
        marked = begin_chart(flagged).encode(x=alt.X("gap:Q"), y=alt.Y("distance:Q"))
        layers += [
            marked.mark_point(size=170, color=CONTRAST, strokeWidth=2),
            marked.mark_text(dy=-14, fontSize=11, color=INK).encode(text=alt.Text("judge:N")),
        ]
    return alt.layer(*layers).properties(height=HEIGHT)


def _tell() -> list[Any]:
    """Return what is told of a judge who is pointed at."""
    import altair as alt

    return [
        alt.Tooltip("judge:N"),
        alt.Tooltip("criterion:N"),
        alt.Tooltip("gap:Q", format="+.2f"),
        alt.Tooltip("distance:Q", format=".2f"),
        alt.Tooltip("shared:Q", title="outputs shared", format=","),
        alt.Tooltip("flags:N", title="flagged as"),
    ]

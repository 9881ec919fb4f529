"""How alike judges are: a square for each pair, judges who are alike side by side.

Blue where two judges like the same outputs, brown where they like opposite ones; a blank square
with a question mark where the ratings do not tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evenhand.report.figures.drawing import INK, dress
from evenhand.report.figures.heat_map import (
    BLUE,
    BROAD,
    BROWN,
    CELL,
    EVEN,
    LEAST,
    NAMES,
    ROOM,
    SLIM,
    TALL,
    number_columns,
)
from evenhand.report.figures.marks import WIDTH, begin_chart, fit_width
from evenhand.report.figures.naming import LETTER

if TYPE_CHECKING:
    from evenhand.ratings.process_comparison import JudgeLikeness

TITLE: Final = "How alike judges are"
BELOW: Final = (
    "correlations in hundredths; blue: they like the same outputs; brown: opposite ones;"
    " ?: the ratings do not tell"
)
DARK: Final = 0.645  # Correlation at which white is as easy to read as black
BLANK: Final = "white"
OPEN: Final = "?"


def draw_likeness(found: JudgeLikeness, *, width: int = WIDTH) -> Any:
    """Draw the correlation of each pair of judges."""
    import altair as alt

    labels = [f"{place} {name}" for place, name in enumerate(found.judges, start=1)]
    names = min(LETTER * max(map(len, labels)), NAMES * width)
    width = min(width, max(round(names + BROAD * len(labels)), SLIM))
    step = min(CELL, max(LEAST, TALL // len(labels)))
    base = begin_chart(_list_cells(found, labels)).encode(
        x=number_columns(len(labels), width - names, title="judge number"),
        y=alt.Y(
            "row:N",
            title=None,
            sort=labels,
            axis=alt.Axis(labelLimit=round(NAMES * width), labelColor=INK, grid=False),
        ),
    )
    cells = base.mark_rect().encode(
        color=alt.condition("datum.known", _shade(), alt.value(BLANK)),
        tooltip=["judge:N", "other:N", *_tell("correlation", "lower", "upper")],
    )
    drawn = alt.layer(cells, _write(base, (width - names) / len(labels)))
    return dress(drawn.properties(height=step * len(labels), **fit_width(TITLE, BELOW, width)))


def _list_cells(found: JudgeLikeness, labels: list[str]) -> list[dict[str, Any]]:
    """Return a row for each square off the diagonal."""
    rows = []
    for at, judge in enumerate(found.judges):
        for against, other in enumerate(found.judges, start=1):
            if other != judge:
                pair = found.both[judge, other]
                shown = f"{100 * pair.correlation:.0f}" if pair.known else OPEN
                rows.append(
                    {
                        "row": labels[at],
                        "against": against,
                        "judge": judge,
                        "other": other,
                        "correlation": pair.correlation,
                        "lower": pair.lower,
                        "upper": pair.upper,
                        "known": pair.known,
                        "shown": shown,
                    }
                )
    return rows


def _tell(*names: str) -> list[Any]:
    import altair as alt

    return [alt.Tooltip(f"{name}:Q", format=".2f") for name in names]


def _shade() -> Any:
    import altair as alt

    return alt.Color(
        "correlation:Q",
        title="correlation",
        scale=alt.Scale(domain=[-1, 0, 1], range=[BROWN, EVEN, BLUE], interpolate="lab"),
        legend=alt.Legend(
            orient="bottom",
            format=".1~f",
            gradientLength=160,
            gradientThickness=10,
            values=[-1, 0, 1],
        ),
    )


def _write(base: Any, room: float) -> Any:
    """Write hundredths into squares that have room for them; elsewhere only what is open."""
    import altair as alt

    if room < ROOM:
        base = base.transform_filter("!datum.known")
    dark = f"datum.known && abs(datum.correlation) > {DARK}"
    colour = alt.condition(dark, alt.value("white"), alt.value("black"))
    return base.mark_text(fontSize=10).encode(text="shown:N", color=colour)

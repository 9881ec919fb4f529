"""Names with a point and an interval: perplexities of models, differences, abilities of systems.

The ability plot is the left half of figure 6 of Hopkins & May (2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from evenhand.report.figures.drawing import ACCENT, INK, QUIET, dress
from evenhand.report.figures.marks import WIDTH, begin_chart, fit_width

ROW: Final = 20  # Height of a name's row, in pixels
NAMES: Final = 0.42  # Most of the width that names may take


@dataclass(frozen=True)
class Bar:
    """A name with its estimate."""

    name: str  # what is estimated
    value: float  # the estimate
    lower: float | None = None  # lower end of the interval, or None
    upper: float | None = None  # upper end, or None
    inner: tuple[float, float] | None = None  # ends of a shorter interval, drawn thicker, or None
    strong: bool = True  # whether it is to be seen first


def draw_intervals(
    bars: Sequence[Bar],
    *,
    axis: str = "perplexity",
    title: str = "Perplexity on held-out judgments",
    below: str = "lower is better",
    reference: float | None = None,
    width: int = WIDTH,
) -> Any:
    """Draw an estimate for each name, such as the perplexity of each model, in the order given."""
    return _draw(bars, (axis, title, below), reference, width)


def draw_abilities(
    bars: Sequence[Bar],
    *,
    axis: str = "ability",
    title: str = "Abilities of the systems",
    below: str = "posterior means with 95 % intervals",
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> Any:
    """Draw the ability of each system, best first.

    borders: after how many systems a band ends, such as (1, 7, 10).
    """
    ordered = sorted(bars, key=lambda bar: (-bar.value, bar.name))
    return _draw(ordered, (axis, title, below), None, width, borders)


def _draw(
    bars: Sequence[Bar],
    words: tuple[str, str, str],
    reference: float | None,
    width: int,
    borders: Sequence[int] = (),
) -> Any:
    """Draw rows in the order given."""
    import altair as alt

    axis, title, below = words
    layers = [
        *_marks(bars, axis, width),
        *([_line_at(reference)] if reference is not None else []),
        *([_lines_after(borders, len(bars))] if borders else []),
    ]
    drawn = alt.layer(*layers)
    return dress(drawn.properties(height=ROW * len(bars), **fit_width(title, below, width)))


def _marks(bars: Sequence[Bar], axis: str, width: int) -> list[Any]:
    """Draw points, intervals, and shorter intervals where there are any."""
    import altair as alt

    rows = [_row(bar, place) for place, bar in enumerate(bars)]
    names = alt.Axis(labelLimit=round(NAMES * width), labelColor=INK, grid=False)
    y = alt.Y("name:N", title=None, sort=[bar.name for bar in bars], axis=names)
    told = ["name:N", alt.Tooltip("value:Q", title=axis), "lower:Q", "upper:Q"]
    colour = alt.Color(
        "looks:N",
        legend=None,
        scale=alt.Scale(domain=["strong", "weak"], range=[ACCENT, QUIET]),
    )
    base = begin_chart(rows).encode(y=y, color=colour)
    scale = alt.Scale(zero=False, nice=False, padding=8)
    x = alt.X("lower:Q", title=axis, scale=scale, axis=alt.Axis(tickCount=5))
    drawn = [
        base.mark_point(filled=True, size=44, opacity=1).encode(
            x=alt.X("value:Q", title=axis, scale=scale, axis=alt.Axis(tickCount=5)), tooltip=told
        ),
        base.mark_rule(strokeWidth=1.4).encode(x=x, x2="upper:Q"),
    ]
    if any(bar.inner for bar in bars):
        drawn.append(
            base.mark_rule(strokeWidth=4).encode(x=alt.X("inner_lower:Q"), x2="inner_upper:Q")
        )
    return drawn


def _row(bar: Bar, place: int) -> dict[str, Any]:
    """Return what is drawn of a bar; without an interval it is a point."""
    inner = bar.inner or (None, None)
    return {
        "name": bar.name,
        "place": place + 1,
        "value": bar.value,
        "lower": bar.value if bar.lower is None else bar.lower,
        "upper": bar.value if bar.upper is None else bar.upper,
        "inner_lower": inner[0],
        "inner_upper": inner[1],
        "looks": "strong" if bar.strong else "weak",
    }


def _line_at(value: float) -> Any:
    import altair as alt

    rule = begin_chart([{"at": value}]).mark_rule(color=INK, strokeDash=[2, 3])
    return rule.encode(x=alt.X("at:Q"))


def _lines_after(borders: Sequence[int], rows: int) -> Any:
    """Draw hairlines between bands."""
    import altair as alt

    at = [{"y": ROW * border} for border in borders if 0 < border < rows]
    rule = begin_chart(at).mark_rule(color=QUIET, strokeWidth=0.8)
    return rule.encode(y=alt.Y("y:Q", scale=None, axis=None))

"""What all figures begin with: a chart with its data inside, colours, titles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from evenhand.report.figures.drawing import PALETTE

WIDTH: Final = 620  # Width of a plot, in pixels
TITLE_LETTER: Final = 7.8  # Width of a letter of a title, in pixels; on the safe side
LETTER_BELOW: Final = 6.0  # Width of a letter of what stands below it


def begin_chart(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Begin a chart with its data inside."""
    import altair as alt
    from altair.utils.schemapi import debug_mode

    from evenhand.report.figures.view import View

    with debug_mode(False):  # else each row is checked against the schema, which takes most time
        data = alt.InlineData(values=tuple(rows))  # Altair copies a list again and again
    return View(data)


def encode_colour(field: str, kinds: Sequence[str], columns: int = 2) -> Any:
    """Tell kinds apart by colour, with a legend on top."""
    import altair as alt

    return alt.Color(
        field,
        title=None,
        scale=alt.Scale(domain=list(kinds), range=_range(kinds)),
        legend=alt.Legend(orient="top", columns=columns, labelLimit=300, symbolOpacity=1),
    )


def _range(kinds: Sequence[str]) -> list[str]:
    return [PALETTE[i % len(PALETTE)] for i in range(len(kinds))]


def write_title(text: str, criterion: str, below: str) -> dict[str, Any]:
    """Return the title of a figure of one criterion, and what stands below it."""
    head = f"{text}, {criterion}" if criterion else text
    return {"text": head, "subtitle": below}


def fit_width(text: str, below: str, width: int) -> dict[str, Any]:
    """Make the whole picture so many pixels wide, names and axes included, titles broken to fit."""
    import altair as alt

    title = {  # names such as geometric-students stay whole
        "text": wrap(text, max(int(width / TITLE_LETTER), 20), break_on_hyphens=False),
        "subtitle": wrap(below, max(int(width / LETTER_BELOW), 26), break_on_hyphens=False),
    }
    return {
        "width": width,
        "title": title,
        "autosize": alt.AutoSizeParams(type="fit-x", contains="padding"),
    }

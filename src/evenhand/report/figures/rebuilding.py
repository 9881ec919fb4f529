"""Figures of a report as charts again, to be shown in a notebook or written to files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.report.charts import join_chart
from evenhand.report.figures.drawing import dress
from evenhand.report.figures.marks import WIDTH, fit_width

if TYPE_CHECKING:
    from evenhand.report.document import Figure


def rebuild(figure: Figure) -> Any:
    """Return a figure as an Altair chart with its title, rows and the house's looks."""
    import altair as alt

    chart = alt.Chart.from_dict({**join_chart(figure), "title": figure.title})
    if figure.wide:
        return dress(chart)
    return dress(chart.properties(**fit_width(figure.title, "", WIDTH)))

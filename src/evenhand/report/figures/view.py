"""Charts in Altair: their data, axes, colours, tooltips, titles, and what a report keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import wrap
from typing import Any, Final

import altair as alt
from altair.utils import schemapi

from evenhand.render.document import Row
from evenhand.report.document import Figure, join_chart
from evenhand.report.figures.drawing import INK, PALETTE, QUIET, WIDTH

TITLE_LETTER: Final = 7.8  # Width of a letter of a title, in pixels; on the safe side
SUBTITLE_LETTER: Final = 6.0  # Width of a letter of what stands below it
# What the page decides: it has its own titles, widths and colours
DROPPED: Final = ("$schema", "title", "width", "autosize", "config", "background")


class View(alt.Chart):
    """A chart of one layer, whose copies are cheap inside `draw_unchecked`.

    Altair copies each layer several times, with every property of its mark and channels that is
    not set, as it is put among others: that took most of the time of a report's figures. Figures
    change no mark and no channel once it is made, so that copies may share them. Elsewhere, such
    as in a notebook, copies are whole.
    """

    @property
    def __deepcopy__(self) -> Callable[..., View] | None:  # noqa: PLE0302 - may be None
        """What Altair copies a chart with; None for its own way."""
        return None if schemapi.DEBUG_MODE else self._share

    def _share(self, _memo: Any = None) -> View:
        return self.copy(deep=False)


@contextmanager
def draw_unchecked() -> Iterator[None]:
    """Draw charts without Altair's checks of every part of them, inside the block."""
    with schemapi.debug_mode(False):
        yield


def begin_chart(rows: Sequence[Mapping[str, Any]]) -> Any:
    with draw_unchecked():  # else each row is checked against the schema, which takes most time
        return View(alt.InlineData(values=tuple(rows)))  # Altair copies a list again and again


def list_tooltips(*fields: tuple[str, ...]) -> list[Any]:
    """Return what is shown of a mark: fields, each with its title (or "") and format."""
    tooltips = []
    for field, *words in fields:
        named: dict[str, Any] = dict(zip(("title", "format"), words, strict=False))
        tooltips.append(alt.Tooltip(field, **{key: text for key, text in named.items() if text}))
    return tooltips


def name_axis(field: str, names: Sequence[str], scale: Mapping[str, Any] | None = None) -> Any:
    axis = alt.Axis(labelLimit=190, labelColor=INK, grid=False)
    if scale:
        return alt.Y(field, title=None, sort=list(names), axis=axis, scale=alt.Scale(**scale))
    return alt.Y(field, title=None, sort=list(names), axis=axis)


def encode_colour(field: str, kinds: Sequence[str], columns: int = 2) -> Any:
    colours = [PALETTE[place % len(PALETTE)] for place in range(len(kinds))]
    return alt.Color(
        field,
        title=None,
        scale=alt.Scale(domain=list(kinds), range=colours),
        legend=alt.Legend(orient="top", columns=columns, labelLimit=300, symbolOpacity=1),
    )


def encode_criterion(criteria: Sequence[str]) -> Any:
    colours = [PALETTE[place % len(PALETTE)] for place in range(len(criteria))]
    return alt.Color(
        "criterion:N",
        title=None,
        scale=alt.Scale(domain=list(criteria), range=colours),
        legend=alt.Legend(orient="top") if len(criteria) > 1 else None,
    )


def encode_kind(colours: Mapping[str, str]) -> Any:
    return alt.Color(
        "kind:N",
        sort=[*colours],
        scale=alt.Scale(domain=[*colours], range=[*colours.values()]),
        legend=alt.Legend(orient="top", title=None),
    )


def encode_shade(
    field: str, title: str, colours: Mapping[float, str], orient: Any, form: str
) -> Any:
    """Shade cells: value → colour, and the colours between, with a legend of these values."""
    values = list(colours)
    return alt.Color(
        field,
        title=title,
        scale=alt.Scale(domain=values, range=[*colours.values()], interpolate="lab"),
        legend=alt.Legend(
            orient=orient, format=form, gradientLength=160, gradientThickness=10, values=values
        ),
    )


def write_light_on(dark: str) -> Any:
    """Write white on dark cells, which an expression of Vega tells, and black on others."""
    return alt.condition(dark, alt.value("white"), alt.value("black"))


def write_title(text: str, criterion: str, below: str) -> dict[str, Any]:
    return {"text": f"{text}, {criterion}" if criterion else text, "subtitle": below}


def fit_width(text: str, below: str, width: int) -> dict[str, Any]:
    """Make the whole picture so many pixels wide, names and axes included, titles broken to fit."""
    title = {  # names such as geometric-students stay whole
        "text": wrap(text, max(int(width / TITLE_LETTER), 20), break_on_hyphens=False),
        "subtitle": wrap(below, max(int(width / SUBTITLE_LETTER), 26), break_on_hyphens=False),
    }
    autosize = alt.AutoSizeParams(type="fit-x", contains="padding")
    return {"width": width, "title": title, "autosize": autosize}


def dress(chart: Any) -> Any:
    axis = {
        "gridColor": "#e6e8ec",
        "domain": False,
        "ticks": False,
        "labelColor": QUIET,
        "titleColor": QUIET,
        "titleFontWeight": "normal",
        "labelPadding": 6,
    }
    return (
        chart.configure(font="Helvetica, Arial, sans-serif", background="white")  # first: it resets
        .configure_view(stroke=None)
        .configure_axis(**axis)
        .configure_title(anchor="start", color=INK, fontSize=14, subtitleColor=QUIET, offset=12)
        .configure_legend(labelColor=INK, titleColor=QUIET, titleFontWeight="normal")
    )


# From a chart to a figure of a report: what is drawn apart from how. And back.


def take_chart(
    chart: Any, name: str, title: str, alt_text: str, *, table: str = "", wide: bool = False
) -> Figure:
    whole = chart.to_dict(validate=False)  # the tests do, which costs most of the time
    known = whole.pop("datasets", {})
    datasets: dict[str, tuple[Row, ...]] = {}

    def name_rows(data: Mapping[str, Any]) -> Mapping[str, Any]:
        rows = known.get(data.get("name", ""), data.get("values"))
        if rows is None:  # such as a sequence, which the chart makes itself
            return data
        same = (name for name, others in datasets.items() if others == tuple(rows))
        name = next(same, f"rows{len(datasets) + 1}" if datasets else "rows")
        datasets[name] = tuple(rows)
        return {"name": name}

    def lift(spec: Any) -> Any:
        if isinstance(spec, list):
            return [lift(part) for part in spec]
        if not isinstance(spec, Mapping):
            return spec
        lifted = {key: lift(value) for key, value in spec.items() if key != "data"}
        return {**lifted, "data": name_rows(spec["data"])} if "data" in spec else lifted

    dropped = {*DROPPED} - ({"width"} if wide else set())
    spec = {key: value for key, value in lift(whole).items() if key not in dropped}
    return Figure(name, title, alt_text, spec, datasets, table, wide)


def rebuild(figure: Figure) -> Any:
    chart = alt.Chart.from_dict(join_chart(figure))
    return dress(chart if figure.wide else chart.properties(**fit_width(figure.title, "", WIDTH)))

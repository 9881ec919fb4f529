"""How figures look: colours in light and dark, type, axes, legends. And their pictures.

A `Chart` says what is drawn, and matplotlib is imported when it is drawn: as a figure of
matplotlib, as a file, or as the SVG of a page, whose colours are those of the page. A unit of a
figure is a pixel of the page: there are 72 of them in an inch.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from io import BytesIO
from itertools import pairwise
from math import floor, log10
from textwrap import wrap
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, cast

from evenhand.report.document import Figure, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

INK: Final = "#1f2430"
QUIET: Final = "#5f6675"
ACCENT: Final = "#0b6e99"
CONTRAST: Final = "#b8510d"
# Told apart by those who see colours differently, on white and when printed in grey
PALETTE: Final = (ACCENT, CONTRAST, "#3d7a37", "#7a4f9a", "#8a6d00")
GRID: Final = "#e6e8ec"
GROUND: Final = "#ffffff"
BAND: Final = "#eef3f6"  # Behind every other cluster
# Even, and both ends: as dark as each other, and of hues that all eyes tell apart
EVEN: Final = "#f3f3f1"
BLUE: Final = "#0a3d57"
BROWN: Final = "#5f2603"
# What is written into dark cells and into pale ones
ON_DARK: Final = "#fefefe"
ON_PALE: Final = "#010101"
STEPS: Final = 20  # Shades from even to an end
# Part of the way from even to an end at which white is as easy to read on it as black
TURN: Final = 0.645

# Name of a colour of a page → colour on white, and on dark
LIGHT: Final = {
    "ink": INK,
    "quiet": QUIET,
    "line": "#dfe2e8",
    "grid": GRID,
    "ground": GROUND,
    "raised": "#f5f7f9",
    "accent": ACCENT,
    "contrast": CONTRAST,
    "good": "#2f6f2a",
    **dict(zip(("green", "violet", "gold"), PALETTE[2:], strict=True)),
    "band": BAND,
    "even": EVEN,
    "blue": BLUE,
    "brown": BROWN,
    "on-dark": ON_DARK,
    "on-pale": ON_PALE,
}
DARK: Final = {
    "ink": "#e8eaf0",
    "quiet": "#a3abbb",
    "line": "#353b48",
    "grid": "#2c313c",
    "ground": "#14171d",
    "raised": "#1c2028",
    "accent": "#5bb8e0",
    "contrast": "#f0a060",
    "good": "#7cc576",
    "green": "#7cc576",
    "violet": "#c39be0",
    "gold": "#d6b93c",
    "band": "#1e2733",
    "even": "#262a33",
    "blue": "#66acd3",
    "brown": "#d5975a",
    "on-dark": "#000000",
    "on-pale": "#ffffff",
}

FONT: Final = "DejaVu Sans"  # comes with matplotlib: the same letters everywhere
FAMILY: Final = f"Helvetica, Arial, '{FONT}', sans-serif"
WIDTH: Final = 620  # Width of a picture
PAGE_WIDTHS: Final = (720, 350)  # The same on a page, and on the page of a telephone
NARROW: Final = 480  # Below this, letters are smaller
MARKS: Final = 7.0  # Size of a point


@dataclass(frozen=True)
class Chart:
    """A figure that is not drawn yet."""

    paint: Callable[[Canvas], object]  # can be pickled: reports are made in several processes
    rows: tuple[Sequence[Row], ...] = ()  # what is drawn, in the order in which it is
    title: str = ""
    below: str = ""  # what stands below the title
    width: float = WIDTH  # of the picture, names and axes included

    @property
    def datasets(self) -> dict[str, tuple[Row, ...]]:
        """The rows by name; the same rows have one."""
        datasets: dict[str, tuple[Row, ...]] = {}
        for rows in self.rows:
            if tuple(rows) not in datasets.values():
                name = f"rows{len(datasets) + 1}" if datasets else "rows"
                datasets[name] = tuple(rows)
        return datasets

    def draw(self, width: float | None = None) -> Picture:
        """Return it as a figure of matplotlib, with its title."""
        with _set_up():
            canvas = Canvas(width or self.width)
            canvas.head(self.title, self.below)
            self.paint(canvas)
            return canvas.picture


def take_chart(
    chart: Chart, name: str, title: str, alt_text: str, *, table: str = "", wide: bool = False
) -> Figure:
    """Return a chart as a figure of a report, under the title that it has there."""
    chart = replace(chart, title=title, below="")
    return Figure(name, title, alt_text, chart, chart.datasets, table, wide)


@dataclass(frozen=True)
class Axis:
    """A direction of a plot: where it begins and ends, and what is written at it."""

    low: float
    high: float
    title: str = ""
    form: Callable[[float], str] | None = None  # how a mark is written
    ticks: Sequence[float] | None = None  # marks, where they are not found
    names: Sequence[str] = ()  # of these marks
    count: int = 5  # most marks that are found
    log: bool = False
    whole: bool = False  # whether marks are whole numbers
    grid: bool = True
    top: bool = False  # whether marks stand above the plot

    @classmethod
    def of_names(cls, names: Sequence[str], *, down: bool = True, **settings: Any) -> Axis:
        """Return the axis of rows (or columns) 0, 1, 2 ..., which have names."""
        ends = (len(names) - 0.5, -0.5) if down else (-0.5, len(names) - 0.5)
        places = settings.pop("ticks", range(len(names)))
        settings = {"grid": False, **settings}
        return cls(*ends, ticks=places, names=[names[at] for at in places], **settings)

    @classmethod
    def around(cls, values: Sequence[float], title: str = "", **settings: Any) -> Axis:
        """Return an axis on which values have room."""
        low, high = min(values), max(values)
        room = 0.04 * (high - low) or 0.5
        return cls(low - room, high + room, title, **settings)

    def mark(self) -> list[tuple[float, str]]:
        """Return marks with what is written at them."""
        from matplotlib.ticker import LogLocator, MaxNLocator

        low, high = sorted((self.low, self.high))
        values = self.ticks
        if values is None:
            locator: Any = (
                LogLocator(subs=(1.0, 2.0, 5.0), numticks=20)
                if self.log
                else MaxNLocator(self.count, steps=[1, 2, 2.5, 5, 10], integer=self.whole)
            )
            slack = 1e-9 * (high - low)
            found = locator.tick_values(low, high).tolist()
            values = [value for value in found if low - slack <= value <= high + slack]
        form = self.form or _find_form(values)
        names = self.names or [form(value) for value in values]
        return list(zip(values, names, strict=True))


def _find_form(values: Sequence[float]) -> Callable[[float], str]:
    """Return how numbers are written: all with as many digits as they need to be told apart."""
    steps = [abs(after - before) for before, after in pairwise(values)]
    step = min(steps, default=1.0) or 1.0
    digits = max(0, -floor(log10(step) + 1e-9))
    digits += round(step * 10**digits, 6) % 1 > 0
    return lambda value: f"{value:z,.{digits}f}".replace("-", "\N{MINUS SIGN}")


def write_share(value: float) -> str:
    return f"{100 * value:.0f} %"


def measure(text: str, size: float) -> float:
    """Return how wide a text is; on the safe side of what browsers write."""
    return _measure(text) * size / 12


@cache
def _measure(text: str) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT, size=12)
    width: float = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return width


def shorten(text: str, size: float, room: float) -> str:
    """Cut a text where it does not have room."""
    if measure(text, size) <= room:
        return text
    letters = next(n for n in range(len(text), -1, -1) if measure(text[:n] + "…", size) <= room)
    return f"{text[:letters].rstrip()}…"


# Of a legend: what, colour (with opacity), and a mark of matplotlib, HOLLOW, or "" for a line
Entry = tuple[str, Any, str]
HOLLOW: Final = "hollow"


@dataclass
class Canvas:
    """A picture in the making: from top to bottom title, legend, plot, axis."""

    width: float
    top: float = 4.0  # where the next line is
    texts: list[tuple[float, float, str, dict[str, Any]]] = field(default_factory=list)
    marks: list[tuple[float, float, dict[str, Any]]] = field(default_factory=list)
    picture: Picture = field(init=False)

    @property
    def narrow(self) -> bool:
        return self.width < NARROW

    @property
    def size(self) -> float:
        """Size of letters at axes."""
        return 11.0 if self.narrow else 12.0

    def head(self, title: str, below: str = "") -> None:
        for text, size, look in (
            (title, 14.0, {"color": INK, "weight": "bold"}),
            (below, 11.0, {"color": QUIET}),
        ):
            letters = max(int(self.width / (size * (0.66 if size > 12 else 0.6))), 20)
            for line in wrap(text, letters, break_on_hyphens=False):
                self.top += 1.3 * size
                self.texts.append((2, self.top, line, {"size": size, **look}))
        self.top += 12 if title or below else 0

    def legend(self, entries: Sequence[Entry], left: float = 2.0) -> None:
        """Write what colours and marks say, side by side, and in lines where that is too wide."""
        at, size = left, self.size
        self.top += size if entries else 0
        for text, colour, mark in entries:
            room = 14 + measure(text, size) + 16
            if at > left and at + room - 16 > self.width:
                at, self.top = left, self.top + 1.5 * size
            look = {"marker": mark or "_", "color": colour, "markersize": 7 if mark else 10}
            if mark == HOLLOW:
                look |= {"marker": "o", "markerfacecolor": GROUND, "markeredgewidth": 1.6}
            self.marks.append((at + 4, self.top - 0.36 * size, look))
            self.texts.append((at + 14, self.top, text, {"size": size, "color": INK}))
            at += room
        self.top += 12 if entries else 0

    def gradient(self, ends: Mapping[float, str], title: str, left: float = 2.0) -> None:
        """Draw what shades say: values with how they are written, of the first shade and so on."""
        size = self.size
        self.top += size
        self.texts.append((left, self.top, title, {"size": size, "color": QUIET}))
        self.top += 7
        low, high = min(ends), max(ends)
        shown = [shade(part / STEPS) for part in range(-STEPS if len(ends) > 2 else 0, STEPS + 1)]
        long = 168 / len(shown)
        for at, colour in enumerate(shown):
            look = {"marker": "s", "color": colour, "markersize": long + 1, "markeredgewidth": 0}
            self.marks.append((left + 15 + (at + 0.5) * long, self.top + 4, look))
        self.top += 10 + size
        for value, text in ends.items():
            x = left + 15 + 168 * (value - low) / (high - low)
            self.texts.append((x, self.top, text, {"size": size, "color": QUIET, "ha": "center"}))
        self.top += 8

    def axes(
        self, height: float, x: Axis, y: Axis, *, panels: Sequence[str] = ("",), right: float = 10.0
    ) -> Any:
        """Return the axes of matplotlib on which the rest is drawn; of several panels, a list."""
        from matplotlib.figure import Figure as Picture

        size = self.size
        rows = [
            (at, shorten(name, size, self.width * (0.52 if self.narrow else 0.4)))
            for at, name in y.mark()
        ]
        left = max((measure(name, size) for _, name in rows), default=0.0) + 9
        if y.title:
            self.top += size + 2
            self.texts.append((2, self.top, y.title, {"size": size, "color": QUIET}))
        if any(panels):
            self.top += size + 6
        between = 26.0
        wide = (self.width - left - right - between * (len(panels) - 1)) / len(panels)
        columns, turned, above, below = self._place_columns(x, wide)
        if x.top and x.title:
            self.top += size + 4
            self.texts.append((left, self.top, x.title, {"size": size, "color": QUIET}))
        top = self.top + above + 8
        whole = top + height + below
        self.picture = Picture((self.width / 72, whole / 72), dpi=72, facecolor="none")
        self._write_head(whole)
        drawn = []
        for panel, title in enumerate(panels):
            start = left + panel * (wide + between)
            place = (start / self.width, 1 - (top + height) / whole, wide / self.width)
            ax = self.picture.add_axes((*place, height / whole), facecolor="none")
            ax.set(xscale="log" if x.log else "linear", yscale="log" if y.log else "linear")
            ax.set(xlim=(x.low, x.high), ylim=(y.low, y.high))
            _dress(ax, x, y, size)
            look: dict[str, Any] = {"size": size}
            named = y.names and not y.grid
            ax.set_yticks([at for at, _ in rows], [name for _, name in rows], **look)
            if panel:
                ax.set_yticklabels([])
            ax.tick_params(axis="y", labelcolor=INK if named else QUIET)
            if turned:
                look |= {"rotation": 60, "rotation_mode": "anchor"}
                look |= {"ha": "left" if x.top else "right", "va": "center"}
            ax.set_xticks([at for at, _ in columns], [name for _, name in columns], **look)
            if title:
                write(ax, (0, 1), title, (0, 8), size=size, colour=INK, coords="axes")
            if x.title and not x.top and not panel:
                write(
                    ax,
                    (0, 0),
                    shorten(x.title, size, self.width),
                    (min(0.0, self.width - left - measure(x.title, size)), 5 - below),
                    size=size,
                    coords="axes",
                )
            drawn.append(ax)
        return drawn if len(drawn) > 1 else drawn[0]

    def _place_columns(
        self, x: Axis, wide: float
    ) -> tuple[list[tuple[float, str]], bool, float, float]:
        """Return marks across that have room, whether they are turned, and room above and below."""
        size = self.size
        marks = x.mark()
        turned = False
        if (
            x.names
            and x.ticks is not None
            and isinstance(x.names[0], str)
            and not x.names[0].isdigit()
        ):
            slot = wide / max(len(marks), 1)
            turned = any(measure(name, size) > slot - 6 for _, name in marks) and len(marks) > 4
        if turned:
            marks = [(at, shorten(name, size, 120)) for at, name in marks]
            deep = 0.87 * max(measure(name, size) for _, name in marks) + 12
        else:
            marks = _thin(marks, x, wide, size)
            deep = size + 8
        above, below = (deep, 4.0) if x.top else (0.0, deep)
        return marks, turned, above, below + (size + 8 if x.title and not x.top else 2)

    def _write_head(self, whole: float) -> None:
        from matplotlib.lines import Line2D

        def place(x: float, y: float) -> tuple[float, float]:
            return x / self.width, 1 - y / whole

        for x, y, text, look in self.texts:
            self.picture.text(*place(x, y), text, **look)
        for x, y, look in self.marks:
            across, up = place(x, y)
            line = Line2D([across], [up], linestyle="", **{"markeredgewidth": 0, **look})
            if look["marker"] in ("_", "|"):
                line.set(markeredgecolor=look["color"], markeredgewidth=2)
            self.picture.add_artist(line)


def _thin(
    marks: list[tuple[float, str]], x: Axis, wide: float, size: float
) -> list[tuple[float, str]]:
    """Leave out what is written at marks where it would meet what is written before."""
    reach = (log10(x.high) - log10(x.low)) if x.log else x.high - x.low
    shown, end = [], float("-inf")
    for at, name in sorted(marks, key=lambda mark: (mark[0] - x.low) / reach):
        across = wide * ((log10(at) - log10(x.low)) if x.log else at - x.low) / reach
        half = measure(name, size) / 2
        free = across - half > end + 5
        shown.append((at, name if free else ""))
        end = across + half if free else end
    return shown


def _dress(ax: Axes, x: Axis, y: Axis, size: float) -> None:
    """Give axes the looks of the house: hairlines, no box."""
    from matplotlib.ticker import NullLocator

    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_axisbelow(True)
    for axis, scale in ((ax.xaxis, x), (ax.yaxis, y)):
        axis.set_minor_locator(NullLocator())
        if scale.grid:
            axis.grid(visible=True, color=GRID, linewidth=1)
    ax.tick_params(length=0, pad=6, labelcolor=QUIET, labelsize=size)
    ax.tick_params(axis="x", top=x.top, bottom=not x.top, labeltop=x.top, labelbottom=not x.top)


def write(
    ax: Axes,
    at: tuple[Any, Any],
    text: str,
    shift: tuple[float, float] = (0, 0),
    *,
    colour: str = QUIET,
    coords: str = "data",
    **look: Any,
) -> None:
    """Write a text so many pixels beside a point (to the right, upwards).

    coords: what the point is: "data", parts of the "axes", or "rows": a part of the width, a row.
    """
    from matplotlib.transforms import ScaledTranslation

    across, up = shift
    by = ScaledTranslation(across / 72, up / 72, ax.figure.dpi_scale_trans)
    base = {"data": ax.transData, "rows": ax.get_yaxis_transform(), "axes": ax.transAxes}[coords]
    ax.text(*at, text, transform=base + by, **{"size": 11.0, "color": colour, **look})


def draw_points(
    ax: Axes, points: Sequence[tuple[float, float]], colour: str = ACCENT, **look: Any
) -> None:
    """Draw points; `mark` is of matplotlib or HOLLOW."""
    mark = look.pop("mark", "o")
    face = {"markerfacecolor": GROUND, "markeredgewidth": 1.6} if mark == HOLLOW else {}
    if points:
        look = {"color": colour, "markeredgewidth": 0, "linestyle": "", "zorder": 3, **look, **face}
        look |= {"markersize": look.pop("size", MARKS), "clip_on": False}
        ax.plot(*zip(*points, strict=True), marker="o" if mark == HOLLOW else mark, **look)


def draw_sized(
    ax: Axes,
    points: Sequence[tuple[float, float]],
    sizes: Sequence[float],
    look: tuple[str, str],
    alpha: float,
) -> None:
    """Draw points, each as large as is said (square pixels); look: mark and colour."""
    widths = [round(size**0.5) for size in sizes]  # few widths: points of one are drawn once
    for width in sorted({*widths}):
        of_width = [at for at, own in zip(points, widths, strict=True) if own == width]
        draw_points(ax, of_width, look[1], mark=look[0], size=width, alpha=alpha)


@cache
def _list_shades(dark: bool) -> dict[str, str]:  # noqa: FBT001
    """Return the shades of heat maps by name; between the ends they are interpolated in Lab."""
    colours = DARK if dark else LIGHT
    even = _to_lab(colours["even"])
    shades = {}
    for end in ("blue", "brown"):
        far = _to_lab(colours[end])
        for step in range(1, STEPS):
            part = step / STEPS
            mixed = [a + part * (b - a) for a, b in zip(even, far, strict=True)]
            shades[f"{end}-{step}"] = _from_lab(mixed)
    return shades


def shade(part: float) -> str:
    """Return the shade of a part of the way to blue (up to 1) or to brown (down to -1)."""
    step = min(max(round(part * STEPS), -STEPS), STEPS)
    if step in (0, STEPS, -STEPS):
        return {0: EVEN, STEPS: BLUE, -STEPS: BROWN}[step]
    return _list_shades(False)[f"{'blue' if step > 0 else 'brown'}-{abs(step)}"]


def write_on(part: float) -> str:
    """Return the colour of what is written on a shade."""
    return ON_DARK if abs(round(part * STEPS)) / STEPS > TURN else ON_PALE


# From and to Lab: sRGB, white D65.

WHITE: Final = (0.95047, 1.0, 1.08883)


def _to_lab(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    xyz = (
        0.4124 * red + 0.3576 * green + 0.1805 * blue,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        0.0193 * red + 0.1192 * green + 0.9505 * blue,
    )
    ratios = [part / white for part, white in zip(xyz, WHITE, strict=True)]
    x, y, z = (r ** (1 / 3) if r > 0.008856 else 7.787 * r + 16 / 116 for r in ratios)
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


def _from_lab(lab: Sequence[float]) -> str:
    up = (lab[0] + 16) / 116
    roots = (up + lab[1] / 500, up, up - lab[2] / 200)
    x, y, z = (
        white * (r**3 if r > 0.206893 else (r - 16 / 116) / 7.787)
        for r, white in zip(roots, WHITE, strict=True)
    )
    linear = (
        3.2406 * x - 1.5372 * y - 0.4986 * z,
        -0.9689 * x + 1.8758 * y + 0.0415 * z,
        0.0557 * x - 0.2040 * y + 1.0570 * z,
    )
    parts = (p * 12.92 if p <= 0.0031308 else 1.055 * p ** (1 / 2.4) - 0.055 for p in linear)
    return "#" + "".join(f"{min(max(round(255 * part), 0), 255):02x}" for part in parts)


# Pictures of a chart: files, and the SVG of a page.

_drawing: Final = Lock()


@contextmanager
def _set_up() -> Iterator[None]:
    """Draw with the settings of the house, whatever those of the process are."""
    from matplotlib import rc_context

    settings: dict[str, Any] = {
        "font.family": [FONT],
        "svg.fonttype": "none",
        "svg.hashsalt": "evenhand",
        "pdf.fonttype": 42,
        "path.simplify": False,
        "text.parse_math": False,  # names may hold a dollar
    }
    with _drawing, warnings.catch_warnings(), rc_context(cast("Any", settings)):
        # Letters that the font does not have: browsers have others
        warnings.filterwarnings("ignore", message="Glyph .* missing from|Matplotlib currently")
        yield


def render(picture: Picture, form: str) -> bytes:
    """Return a figure of matplotlib as a file: the same figure gives the same bytes."""
    made = BytesIO()
    metadata: dict[str, Any] = {
        "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
        "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
        "png": {"Software": None},
    }[form]
    with _set_up():
        dots = 144 if form == "png" else 72
        picture.savefig(made, format=form, dpi=dots, facecolor=GROUND, metadata=metadata)
    if form != "svg":
        return made.getvalue()
    return _clean(made.getvalue().decode()).replace(f"'{FONT}'", FAMILY).encode()


def draw_svg(chart: Chart, name: str, words: tuple[str, str, str], *, wide: bool = False) -> str:
    """Return a chart as SVG for a page, without its title: for wide and for narrow screens.

    name: that no other figure of the page has.
    words: title, description, and the path of the figure in the JSON of the report.
    wide: whether it keeps its width on a small screen, where it can be moved sideways.
    """
    chart = replace(chart, title="", below="")
    if wide:
        return _draw_for_page(chart, name, words, chart.width, "whole")
    drawn = zip(PAGE_WIDTHS, ("broad", "slim"), strict=True)
    return "".join(_draw_for_page(chart, f"{name}-{at}", words, width, at) for width, at in drawn)


def _draw_for_page(
    chart: Chart, name: str, words: tuple[str, str, str], width: float, look: str
) -> str:
    title, alt, path = map(escape, words)
    made = BytesIO()
    picture = chart.draw(width)
    with _set_up():
        picture.savefig(made, format="svg", dpi=72, facecolor="none", metadata={"Date": None})

    def adapt(tag: re.Match[str]) -> str:
        text = re.sub(r"#[0-9a-f]{6}\b", lambda found: _name_colour(found[0]), tag[0])
        text = text.replace(f" font-family: '{FONT}';", "")
        return re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", text)

    text = TAG.sub(adapt, _clean(made.getvalue().decode()))
    head, body = text.split(">", 1)
    wide, high = re.findall(r' (?:width|height)="([\d.]+)"', head)
    return (
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" class="{look}" role="img"'
        f' viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
        f' aria-labelledby="{name}-title" aria-describedby="{name}-desc">'
        f'<title id="{name}-title" data-path="{path}/title">{title}</title>'
        f'<desc id="{name}-desc" data-path="{path}/alt">{alt}</desc>{body}'
    )


@cache
def _list_names() -> dict[str, str]:
    named = {**LIGHT, **_list_shades(False)}
    return {colour: name for name, colour in reversed(named.items())}


def _name_colour(colour: str) -> str:
    name = _list_names().get(colour)
    return f"var(--{name})" if name else colour


def list_colours(*, dark: bool = False) -> dict[str, str]:
    """Return the colours of a page by name, shades included."""
    return {**(DARK if dark else LIGHT), **_list_shades(dark)}


TAG: Final = re.compile(r"<[^>]*>")


def _clean(text: str) -> str:
    """Take out of an SVG what says nothing: names that nothing refers to, comments, digits."""
    text = text[text.index("<svg") :]
    for nothing in (
        "<!--.*?-->",
        "<metadata>.*?</metadata>",
        r"<defs>\s*<style.*?</style>\s*</defs>",
    ):
        text = re.sub(rf"\s*{nothing}", "", text, flags=re.DOTALL)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))

    def shrink(tag: re.Match[str]) -> str:
        short = re.sub(r' id="([^"]*)"', lambda one: one[0] if one[1] in used else "", tag[0])
        short = re.sub(r"\d+\.\d{3,}", lambda one: f"{round(float(one[0]), 2):g}", short)
        short = re.sub(r' transform="rotate\(-?0 [^"]*"', "", short)
        return re.sub(r"\s*\n\s*", " ", short).replace('pt"', '"')

    text = re.sub(r">\s*\n\s*<", "><", TAG.sub(shrink, text))
    text = re.sub(r'<g/>|<path d="[^"]*" style="fill: none"/>|<defs></defs>', "", text)
    before = ""
    while before != text:
        before, text = text, re.sub(r"<g>((?:(?!<g\b).)*?)</g>", r"\1", text)
    return text

"""How figures look, and what draws them: colours, axes, marks, pictures, files, room for names.

A `Chart` is a value: rows, axes, a legend, and marks, which are calls of the axes of matplotlib.
matplotlib is imported when a chart is drawn: as a figure of matplotlib, as a file, or as the SVG
of a page, whose colours are those of the page. A unit is a pixel of the page, 72 in an inch.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from errno import EACCES, ENOTDIR
from functools import cache
from html import escape
from io import BytesIO
from itertools import chain, count, cycle, pairwise, product
from math import floor, inf, log10, nan
from os import W_OK, X_OK, access, strerror
from pathlib import Path
from statistics import fmean
from textwrap import wrap
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, cast

from evenhand.errors import UnknownOption, listing
from evenhand.render.document import Row, escape_lines
from evenhand.render.text import width as count_columns
from evenhand.report.document import Figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

# Name of a colour of a page → colour on white, and on dark
COLOURS: Final = {
    "ink": ("#1f2430", "#e8eaf0"),
    "quiet": ("#5f6675", "#a3abbb"),
    "line": ("#dfe2e8", "#353b48"),
    "grid": ("#e6e8ec", "#2c313c"),
    "ground": ("#ffffff", "#14171d"),
    "raised": ("#f5f7f9", "#1c2028"),
    "accent": ("#0b6e99", "#5bb8e0"),
    "contrast": ("#b8510d", "#f0a060"),
    "good": ("#2f6f2a", "#7cc576"),
    "green": ("#3d7a37", "#7cc576"),
    "violet": ("#7a4f9a", "#c39be0"),
    "gold": ("#8a6d00", "#d6b93c"),
    "band": ("#eef3f6", "#1e2733"),  # behind every other cluster
    "even": ("#f3f3f1", "#262a33"),
    "on-dark": ("#fefefe", "#000000"),  # what is written into dark cells
    "on-pale": ("#010101", "#ffffff"),
}
# Ends of heat maps: as dark as each other, and of hues that all eyes tell apart
ENDS: Final = {"blue": ("#083a55", "#66acd3"), "brown": ("#5f2603", "#d5975a")}
STEPS: Final = 20  # Shades from even to an end
TURN: Final = 12  # Last of them on which black is easier to read than white


def _mix(even: str, end: str, part: float) -> str:
    pairs = [(int(even[at : at + 2], 16), int(end[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)


LIGHT, DARK = (
    {name: pair[theme] for name, pair in COLOURS.items()}
    | {
        f"{end}-{step}": _mix(COLOURS["even"][theme], pair[theme], step / STEPS)
        for end, pair in ENDS.items()
        for step in range(1, STEPS + 1)
    }
    for theme in (0, 1)
)
INK, QUIET, ACCENT = LIGHT["ink"], LIGHT["quiet"], LIGHT["accent"]
CONTRAST, GRID, GROUND, BAND = LIGHT["contrast"], LIGHT["grid"], LIGHT["ground"], LIGHT["band"]
# Told apart by those who see colours differently, on white and when printed in grey
PALETTE: Final = (ACCENT, CONTRAST, LIGHT["green"], LIGHT["violet"], LIGHT["gold"])


def shade(part: float) -> str:
    """Return the shade of a part of the way to blue (up to 1) or to brown (down to -1)."""
    step = min(max(round(part * STEPS), -STEPS), STEPS)
    return LIGHT[f"{'blue' if step > 0 else 'brown'}-{abs(step)}" if step else "even"]


def write_on(part: float) -> str:
    return LIGHT["on-dark" if abs(round(part * STEPS)) > TURN else "on-pale"]


FONT: Final = "DejaVu Sans"  # comes with matplotlib: the same letters everywhere
FAMILY: Final = f"Helvetica, Arial, '{FONT}', sans-serif"
WIDTH: Final = 620  # Width of a picture
HEIGHT: Final = 300  # Height of a plot
ROW: Final = 20  # Height of a row that has a name
PAGE_WIDTHS: Final = (720, 350)  # The same on a page, and on the page of a telephone
NARROW: Final = 480  # Below this, letters are smaller
BETWEEN: Final = 26.0  # Pixels between panels
SCALE_LENGTH: Final = 168  # Of the scale of shades

# Marks: what is drawn on the axes.

At = Sequence[tuple[float, float]]
Look = tuple[str, str]  # colour, and mark of matplotlib or HOLLOW
HOLLOW: Final = "hollow"


@dataclass(frozen=True)
class Mark:
    call: str  # method of the axes of matplotlib
    args: tuple[Any, ...]
    look: Mapping[str, Any]
    label: str = ""  # in the legend
    least: float = 0.0  # drawn where a unit across is at least so many pixels wide
    panel: int = 0


def plot(
    at: At,
    colour: str = ACCENT,
    size: float = 0.0,
    *,
    mark: str = "o",
    width: float = 0.0,
    dash: str = "-",
    alpha: float = 1.0,
    label: str = "",
) -> Mark:
    """Return points of a size, and a line of a width through them; 0 for none."""
    look: dict[str, Any] = {"color": colour, "alpha": alpha, "linewidth": width}
    look["linestyle"] = dash if width else ""
    look |= {"marker": mark if size else "", "markersize": size, "markeredgewidth": 0}
    if mark == HOLLOW:
        look |= {"marker": "o", "markerfacecolor": GROUND, "markeredgewidth": 1.6}
    look |= {"clip_on": not size, "zorder": 3 if size else 2}
    return Mark("plot", tuple(zip(*at, strict=True)) or ((), ()), look, label)


def rule(
    at: float, colour: str = QUIET, dash: str = ":", *, across: bool = False, label: str = ""
) -> Mark:
    look = {"color": colour, "linestyle": dash, "linewidth": 1}
    return Mark("axhline" if across else "axvline", (at,), look, label)


def boxes(
    corners: Sequence[Sequence[float]], colour: str, alpha: float = 1.0, label: str = ""
) -> Mark:
    """Return rectangles: left, lower, right and upper end of each."""
    x = [at for a, _, b, _ in corners for at in (a, b, b, a, nan)]
    y = [at for _, a, _, b in corners for at in (a, a, b, b, nan)]
    look = {"color": colour, "alpha": alpha, "linewidth": 0, "zorder": 0.9}
    return Mark("fill", (x, y), look, label)


def words(
    at: tuple[float, float],
    text: str,
    colour: str = QUIET,
    shift: tuple[float, float] = (0, 0),
    *,
    align: str = "left center",
    size: float = 11.0,
    least: float = 0.0,
) -> Mark:
    """Return a text so many pixels beside a point, to the right and upwards."""
    ha, va = align.split()
    look: dict[str, Any] = {"xytext": shift, "textcoords": "offset points", "ha": ha, "va": va}
    look |= {"color": colour, "size": size, "annotation_clip": False}
    return Mark("annotate", (text, at), look, least=least)


def name_points(
    sides: Sequence[Sequence[Row]], keys: tuple[str, str], name: str, *, size: float = 11.0
) -> list[Mark]:
    """Return the names of points: of those at whose right they stand, and of those at the left."""
    return [
        words((row[keys[0]], row[keys[1]]), row[name], INK, (far, -down), align=align, size=size)
        for rows, far, align in zip(sides, (11, -11), ("left center", "right center"), strict=True)
        for row in rows
        for down in [row.get("below", 0)]
    ]


def series(
    rows: Sequence[Row],
    keys: tuple[str, str],
    looks: Mapping[str, Look],
    by: str = "kind",
    *,
    size: float | str = 7.0,
    joined: float = 0.0,
    ends: Sequence[str] = (),
    form: str = "across",
    width: float = 2.0,
    alpha: float = 1.0,
) -> list[Mark]:
    """Return the points of each kind, in its colour, with their intervals.

    keys: where a point is, across and upwards. looks: by values of the key `by`. size: of points,
        or its key. joined: width of the line through them. form: "across", "upright" or a "band".
    """
    marks = []
    for kind, (colour, mark) in looks.items():
        own = [row for row in rows if row[by] == kind]
        bounded = [row for row in own if ends and all(row[end] is not None for end in ends)]
        if bounded and form == "band":
            where, *sides = ([row[key] for row in bounded] for key in (keys[0], *ends))
            face = {"color": colour, "alpha": 0.13, "linewidth": 0}
            marks.append(Mark("fill_between", (where, *sides), face))
        elif bounded:
            x, y = (ends, keys[1:] * 2) if form == "across" else (keys[:1] * 2, ends)
            pairs = (zip((row[a] for a in x), (row[b] for b in y), strict=True) for row in bounded)
            spans = [at for pair in pairs for at in (*pair, (nan, nan))]
            marks.append(plot(spans, colour, width=width))
        sizes = [row[size] if isinstance(size, str) else size for row in own]
        look: Any = {"mark": mark, "width": joined, "alpha": alpha}
        look["label"] = kind if isinstance(kind, str) else ""
        for one in sorted({*sizes}):  # points of one size are one mark
            drawn = [row for row, size_of in zip(own, sizes, strict=True) if size_of == one]
            at = [(row[keys[0]], row[keys[1]]) for row in drawn]
            marks.append(plot(at, colour, one, **look))
    return marks


def count_off(
    rows: Sequence[Row], key: str, names: Sequence[Any], to: str = "at"
) -> list[dict[str, Any]]:
    """Return rows with the number of what they are about, as its axis has it."""
    numbers = {name: number for number, name in enumerate(names)}
    return [{**row, to: numbers[row[key]]} for row in rows]


def take_first(
    rows: Sequence[Any], most: int = 100, kept: str = "the first {:,} of {:,}"
) -> tuple[list[Any], str]:
    """Return the rows that are drawn, and what the title says where there are more."""
    return [*rows[:most]], f", {kept.format(most, len(rows))}" if len(rows) > most else ""


def look_up(kinds: Sequence[str], shapes: str = "osD^vPX") -> dict[str, Look]:
    return dict(zip(kinds, zip(cycle(PALETTE), cycle(shapes)), strict=False))


# Charts and their axes.


@dataclass(frozen=True)
class Axis:
    """A direction of a plot: where it begins and ends, and what is written at it."""

    low: float
    high: float
    title: str = ""
    form: Callable[[float], str] | None = None  # how a mark is written
    ticks: Sequence[float] | None = None  # marks, where they are not found
    names: Sequence[str] = ()  # of marks 0, 1, 2 ...
    places: bool = False  # whether the names are the places 1, 2, 3 ...
    count: int = 5  # most marks that are found
    log: bool = False
    whole: bool = False  # whether marks are whole numbers
    grid: bool = True
    top: bool = False  # whether marks stand above the plot
    widest: float = inf  # most pixels that a unit takes

    @classmethod
    def of_rows(cls, names: Sequence[str]) -> Axis:
        """Return the axis of rows 0, 1, 2 ... from the top, which have names."""
        return cls(len(names) - 0.5, -0.5, names=names, grid=False)

    @classmethod
    def of_columns(cls, names: Sequence[str], title: str = "", *, top: bool = False) -> Axis:
        return cls(-0.5, len(names) - 0.5, title, names=names, grid=False, top=top)

    @classmethod
    def around(
        cls,
        values: Iterable[float | None],
        title: str = "",
        form: Callable[[float], str] | None = None,
        *,
        room: float = 0.04,
    ) -> Axis:
        """Return an axis on which values have room, a part of how far they reach."""
        known = [value for value in values if value is not None]
        low, high = min(known), max(known)
        beyond = room * (high - low) or 0.5
        return cls(low - beyond, high + beyond, title, form)

    def mark(self) -> list[tuple[float, str]]:
        from matplotlib.ticker import LogLocator, MaxNLocator

        if self.names:
            return list(enumerate(self.names))
        low, high = sorted((self.low, self.high))
        values = self.ticks
        if values is None:
            locator: Any = MaxNLocator(self.count, steps=[1, 2, 2.5, 5, 10], integer=self.whole)
            if self.log:
                locator = LogLocator(subs=(1.0, 2.0, 5.0), numticks=20)
            slack = 1e-9 * (high - low)
            found = locator.tick_values(low, high).tolist()
            values = [value for value in found if low - slack <= value <= high + slack]
        if self.form is not None:
            return [(value, self.form(value)) for value in values]
        # all with as many digits as they need to be distinguished
        steps = (abs(after - before) for before, after in pairwise(values))
        step = min(steps, default=1.0) or 1.0
        digits = max(0, -floor(log10(step) + 1e-9))
        digits += round(step * 10**digits, 6) % 1 > 0
        return [(one, f"{one:z,.{digits}f}".replace("-", "\N{MINUS SIGN}")) for one in values]

    def place(self, value: float) -> float:
        """Return where a value is: 0 where the axis begins, 1 where it ends."""
        low, high, at = (log10(v) if self.log else v for v in (self.low, self.high, value))
        return (at - low) / (high - low)


def write_share(value: float) -> str:
    return f"{100 * value:.0f} %"


def write_count(value: float) -> str:
    return f"{value:,.0f}"


@dataclass(frozen=True)
class Chart:
    """A figure that is not drawn yet; it can be pickled: reports are made in several processes."""

    rows: tuple[Sequence[Row], ...]  # what is drawn, in the order in which it is
    x: Axis
    y: Axis
    marks: Sequence[Mark]
    high: float = HEIGHT  # height of the plot, or of a row with a name
    # What shades say: values, those of the ends first and last, and the title
    shades: tuple[Mapping[float, str], str] | None = None
    panels: Sequence[str] = ("",)  # titles of plots side by side
    right: float = 16.0  # pixels beside the plot
    beside: Sequence[str] = ()  # texts that must have room there
    title: str = ""
    below: str = ""  # what stands below the title
    width: float = WIDTH  # of the picture, names and axes included
    named: tuple[int, int, str] | None = None  # points with a name, all that should have one: what

    @property
    def unnamed(self) -> str:
        """Say how many points have no name for want of room; "" where all have one."""
        named, of, what = self.named or (0, 0, "")
        return "" if named == of else f"{named:,} of {of:,} {what} are named; the table names all"

    @property
    def datasets(self) -> dict[str, tuple[Row, ...]]:
        """The rows by name; the same rows have one."""
        datasets: dict[str, tuple[Row, ...]] = {}
        for rows in self.rows:
            if tuple(rows) not in datasets.values():
                name = f"rows{len(datasets) + 1}" if datasets else "rows"
                datasets[name] = tuple(rows)
        return datasets

    @property
    def height(self) -> float:
        return self.high * (len(self.y.names) or 1)

    def name(self, title: str, below: str = "", width: float = WIDTH) -> Chart:
        below = "; ".join(filter(None, (below, self.unnamed)))
        return replace(self, title=title, below=below, width=width)

    def draw(self, width: float | None = None) -> Picture:
        """Return it as a figure of matplotlib, with its title."""
        with _set_up():
            return _draw(self, width or self.width)

    def draw_on(self, ax: Any) -> None:
        """Draw it into axes of matplotlib that somebody else has made, in their size and font."""
        if len(self.panels) > 1:
            raise UnknownOption("this figure has several plots side by side: draw it without ax")
        ax.set(xscale="log" if self.x.log else "linear", yscale="log" if self.y.log else "linear")
        ax.set(xlim=(self.x.low, self.x.high), ylim=(self.y.low, self.y.high))
        ax.set(xlabel=self.x.title, ylabel=self.y.title, title=self.title)
        for axis, side in ((self.x, ax.xaxis), (self.y, ax.yaxis)):
            ticks, names = zip(*axis.mark(), strict=True)
            side.set_ticks(ticks, names)
            if axis.grid:
                side.grid(color=GRID)
        if self.x.top:
            ax.xaxis.tick_top()
        for mark in self.marks:
            label = {"label": mark.label} if mark.label else {}
            getattr(ax, mark.call)(*mark.args, **mark.look, **label)
        if len({mark.label for mark in self.marks} - {""}) > 1:
            ax.legend()


def take_chart(
    chart: Chart, name: str, title: str, alt_text: str, *, table: str = "", wide: bool = False
) -> Figure:
    """Return a chart as a figure of a report, under the title that it has there."""
    chart = replace(chart, title=title, below="")
    alt_text += f" {chart.unnamed}." if chart.unnamed else ""
    return Figure(name, title, alt_text, chart, chart.datasets, table, wide)


def measure(text: str, size: float) -> float:
    """Return how wide a text is; on the safe side of what browsers write."""
    return _measure(text) * size / 12


@cache
def _measure(text: str) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT, size=12)
    text += "n" * (count_columns(text) - len(text))  # where letters are square, such as Chinese
    width: float = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return width


def shorten(text: str, size: float, room: float) -> str:
    if measure(text, size) <= room:
        return text
    letters = next(n for n in range(len(text), -1, -1) if measure(text[:n] + "…", size) <= room)
    return f"{text[:letters].rstrip()}…"


# Drawing, from top to bottom: title, legend, plots, axis.


def _draw(chart: Chart, width: float) -> Picture:
    from matplotlib.figure import Figure as Picture

    x, y, panels = chart.x, chart.y, chart.panels
    size = 11.0 if width < NARROW else 12.0
    look: dict[str, Any] = {"size": size, "color": QUIET}
    ink = INK if y.names else QUIET
    picture = Picture(dpi=72, facecolor="none")
    pad: Any = picture.add_axes((0, 0, 1, 1))  # its unit is a pixel, from the left and the top
    pad.axis("off")
    top = _write_head(pad, chart, width, size)
    names = width * (0.52 if width < NARROW else 0.4)  # their room
    rows = [(at, shorten(name, size, names)) for at, name in y.mark()]
    left = max((measure(name, size) for _, name in rows), default=0.0) + 9
    right = max((measure(text, size) + 20 for text in chart.beside), default=chart.right)
    free = width - left - min(right, 0.45 * width) - BETWEEN * (len(panels) - 1)
    unit = min(free / len(panels) / abs(x.high - x.low), x.widest)
    wide = unit * abs(x.high - x.low)
    columns, slant, deep = _name_columns(x, wide, size)
    if y.title:
        top += size + 2
        pad.text(2, top, y.title, **look)
    if x.top and x.title:
        top += size + 4
        pad.text(left, top, x.title, **look)
    top += 8 + (size + 6 if any(panels) else 0) + (deep if x.top else 0)
    bottom = top + chart.height
    if x.title and not x.top:
        start = max(min(left, width - measure(x.title, size)), 2)
        pad.text(start, bottom + deep + size, shorten(x.title, size, width), **look)
    whole = bottom + (4 if x.top else deep) + (size + 8 if x.title and not x.top else 2)
    picture.set_size_inches(width / 72, whole / 72)
    pad.set(xlim=(0, width), ylim=(whole, 0))
    for panel, title in enumerate(panels):
        start = left + panel * (wide + BETWEEN)
        pad.text(start, top - 8, shorten(title, size, wide), size=size, color=INK)
        place = (start / width, 1 - bottom / whole, wide / width, chart.height / whole)
        across = [(start + wide * x.place(at), name) for at, name in columns]
        upwards = [(bottom - chart.height * y.place(at), name) for at, name in rows]
        for at, name in across:
            pad.text(at, top - 6 if x.top else bottom + 6, name, **look, **slant)
        for at, name in upwards if panel == 0 else ():
            pad.text(left - 6, at, name, size=size, color=ink, ha="right", va="center_baseline")
        grid = [((at, top), (at, bottom), (nan, nan)) for at, _ in across if x.grid]
        grid += [((start, at), (start + wide, at), (nan, nan)) for at, _ in upwards if y.grid]
        if grid:
            pad.plot(*zip(*chain(*grid), strict=True), color=GRID, linewidth=1)
        ax: Any = picture.add_axes(place)
        ax.axis("off")
        ax.set(xscale="log" if x.log else "linear", yscale="log" if y.log else "linear")
        ax.set(xlim=(x.low, x.high), ylim=(y.low, y.high))
        for mark in chart.marks:
            if mark.panel == panel and unit >= mark.least:
                getattr(ax, mark.call)(*mark.args, **mark.look)
    return picture


FACE: Final = ("alpha", "markerfacecolor", "markeredgewidth")  # What legends take from marks


def _write_head(pad: Any, chart: Chart, width: float, size: float) -> float:
    top = 4.0
    for text, high, look in (
        (chart.title, 14.0, {"color": INK, "weight": "bold"}),
        (chart.below, 11.0, {"color": QUIET}),
    ):
        letters = max(int(width / (high * (0.66 if high > 12 else 0.6))), 20)
        for written in wrap(text, letters, break_on_hyphens=False):
            top += 1.3 * high
            pad.text(2, top, written, size=high, **look)
    top += 12 if chart.title or chart.below else 0
    if chart.shades:
        ends, title = chart.shades
        low, high = min(ends), max(ends)
        pad.text(2, top + size, title, size=size, color=QUIET)
        shown = [part / STEPS for part in range(-STEPS if len(ends) > 2 else 0, STEPS + 1)]
        step = SCALE_LENGTH / len(shown)
        top += size + 6
        for number, part in enumerate(shown):
            start = 17 + number * step
            pad.fill_between((start, start + step + 0.4), top, top + 9, color=shade(part), lw=0)
        for value, text in ends.items():
            at = 17 + SCALE_LENGTH * (value - low) / (high - low)
            pad.text(at, top + 11 + size, text, size=size, color=QUIET, ha="center")
        return top + size + 19
    labels = {mark.label: mark for mark in chart.marks if mark.label}
    if len(labels) < 2:
        return top
    left, top = 2.0, top + size
    for text, mark in labels.items():
        room = 14 + measure(text, size)
        if left > 2 and left + room > width:
            left, top = 2.0, top + 1.5 * size
        shape = {"axvline": "|", "fill": "s"}.get(mark.call) or mark.look["marker"] or "_"
        face: dict[str, Any] = dict(plot([], mark.look["color"], 7, mark=shape).look)
        face |= {key: mark.look[key] for key in FACE if key in mark.look}
        face |= {"markeredgewidth": 2, "markersize": 10} if shape in "_|" else {}
        pad.plot(left + 4, top - 0.36 * size, **face)
        pad.text(left + 14, top, text, size=size, color=INK)
        left += room + 16
    return top + 12


def _name_columns(
    x: Axis, wide: float, size: float
) -> tuple[list[tuple[float, str]], dict[str, Any], float]:
    """Return marks across that have room, how they are written, and how deep they are."""
    marks = x.mark()
    longest = max((measure(name, size) for _, name in marks), default=0.0)
    if x.names and not x.places and len(marks) > 4 and longest > wide / len(marks) - 6:
        marks = [(at, shorten(name, size, 120)) for at, name in marks]
        look = {"rotation": 60, "rotation_mode": "anchor", "va": "center"}
        return marks, {**look, "ha": "left" if x.top else "right"}, 0.87 * min(longest, 120) + 12
    if x.places:  # every second, fifth ...
        step = next((step for step in (1, 2, 5, 10, 20) if step * wide >= 20 * len(marks)), 50)
        marks = [(at, name) for at, name in marks if at == 0 or (at + 1) % step == 0]
    shown, end = [], -inf  # what would meet what is written before is left out
    for at, name in sorted(marks, key=lambda mark: x.place(mark[0])):
        middle, half = wide * x.place(at), measure(name, size) / 2
        free = middle - half > end + 5
        shown.append((at, name if free else ""))
        end = middle + half if free else end
    return shown, {"va": "bottom" if x.top else "top", "ha": "center"}, size + 8


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


# Letters that the font lacks: browsers have others, and files take those of installed fonts.

OTHER_FONTS: Final = re.compile(
    "cjk|pingfang|hiragino|msyh|yugoth|malgun|wqy|arial.?unicode|noto.?sans-?reg", re.IGNORECASE
)


def find_letters(picture: Picture) -> Picture:
    """Let texts of a figure take letters that the font lacks from fonts that are installed."""
    from matplotlib.font_manager import findfont, get_font
    from matplotlib.text import Text

    known = {chr(letter) for letter in get_font(findfont(FONT)).get_charmap()}
    texts: Any = [(one, {*one.get_text()} - known - {"\n"}) for one in picture.findobj(Text)]
    lacking = "".join(sorted(set[str]().union(*(letters for _, letters in texts))))
    fonts = _find_fonts(lacking) if lacking else []
    for text, letters in texts:
        if letters:
            text.set_family([FONT, *fonts])
    return picture


@cache
def _find_fonts(lacking: str) -> list[str]:
    """Return installed fonts that have some letters, and warn once of those that none has."""
    from matplotlib.font_manager import findSystemFonts, fontManager, get_font

    fonts, left = list[str](), {*lacking}
    for path in filter(OTHER_FONTS.search, sorted(findSystemFonts())):
        try:
            font = get_font(path)
        except (OSError, RuntimeError):  # a damaged file among the installed ones
            continue
        found = left.intersection(map(chr, font.get_charmap()))
        if found:
            fontManager.addfont(path)
            fonts.append(font.family_name)
            left -= found
    if left:
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        warnings.warn(
            f"figures lack {listing(sorted(left), 10)}: {FONT} has no glyph; install a font that"
            " has one, such as Noto Sans CJK, or write .svg",
            stacklevel=2,
        )
    return fonts


# Pictures of a chart: files, and the SVG of a page.


def render(picture: Picture, form: str, ground: str = GROUND) -> bytes:
    """Return a figure of matplotlib as a file: the same figure gives the same bytes."""
    made = BytesIO()
    metadata: Any = {"CreationDate": None} if form == "pdf" else None
    dots = 144 if form == "png" else 72
    if form != "svg":
        find_letters(picture)
    with _set_up():
        picture.savefig(made, format=form, dpi=dots, facecolor=ground, metadata=metadata)
    if form != "svg":
        return made.getvalue()
    return _clean(made.getvalue().decode()).replace(f"'{FONT}'", FAMILY).encode()


def draw_svg(chart: Chart, name: str, said: tuple[str, str, str], *, wide: bool = False) -> str:
    """Return a chart as SVG for a page, for wide and narrow screens; said: title, alt, path."""
    chart = replace(chart, title="", below="")
    if wide:
        return _draw_for_page(chart.draw(), name, said, "whole")
    return "".join(
        _draw_for_page(chart.draw(width), f"{name}-{look}", said, look)
        for width, look in zip(PAGE_WIDTHS, ("broad", "slim"), strict=True)
    )


def _draw_for_page(picture: Picture, name: str, said: tuple[str, str, str], look: str) -> str:
    title, alt, path = map(escape, said)

    def adapt(tag: re.Match[str]) -> str:
        text = re.sub(r"#[0-9a-f]{6}\b", lambda found: _name_colour(found[0]), tag[0])
        text = text.replace(f" font-family: {FAMILY};", "")
        return re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", text)

    head, body = TAG.sub(adapt, render(picture, "svg", "none").decode()).split(">", 1)
    wide, high = re.findall(r' (?:width|height)="([\d.]+)"', head)
    return (
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" class="{look}" role="img"'
        f' viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
        f' aria-labelledby="{name}-title" aria-describedby="{name}-desc">'
        f'<title id="{name}-title" data-path="{path}/title">{title}</title>'
        f'<desc id="{name}-desc" data-path="{path}/alt">{alt}</desc>{body}'
    )


@cache
def _name_colour(colour: str) -> str:
    name = next((name for name, own in LIGHT.items() if own == colour), "")
    return f"var(--{name})" if name else colour


TAG: Final = re.compile(r"<[^>]*>")


def _clean(text: str) -> str:
    """Take out of an SVG what says nothing: comments, names that nothing refers to, digits."""
    nothing = r"<!--.*?-->|<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>"
    text = re.sub(nothing, "", escape_lines(text[text.index("<svg") :]), flags=re.DOTALL)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))

    def shrink(tag: re.Match[str]) -> str:
        short = re.sub(r' id="([^"]*)"', lambda one: one[0] if one[1] in used else "", tag[0])
        short = re.sub(r"\d+\.\d{3,}", lambda one: f"{round(float(one[0]), 2):g}", short)
        return re.sub(r"\s*\n\s*", " ", short).replace('pt"', '"')

    text = re.sub(r">\s*\n\s*<", "><", TAG.sub(shrink, text))
    return re.sub(r'<g/>|<path d="[^"]*" style="fill: none"/>|<defs></defs>', "", text)


# Files that figures and tables become.

FORMS: Final = ("svg", "png", "pdf")  # Endings of the files that a figure can become
NAMELESS: Final = "unnamed"  # File of what has no letter or digit in its name


def name_files(names: Iterable[str]) -> dict[str, str]:
    """Write names so that any file system takes them and tells them apart."""
    files, taken = dict[str, str](), set[str]()
    for name in dict.fromkeys(names):
        stem = re.sub(r"[^\w.-]+", "-", name).strip("-.") or NAMELESS
        tries = (f"{stem}{f'-{n}' if n > 1 else ''}" for n in count(1))
        files[name] = next(file for file in tries if file.casefold() not in taken)
        taken.add(files[name].casefold())
    return files


def check_folder(folder: Path, what: str) -> None:
    """Refuse a folder that cannot be written to; make nothing."""
    try:
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    except OSError as error:
        raise refuse_folder(folder, what, error) from None
    fault = ENOTDIR if not there.is_dir() else 0 if access(there, W_OK | X_OK) else EACCES
    if fault:
        raise refuse_folder(folder, what, OSError(fault, strerror(fault)))


def check_figure_folder(folder: Path, forms: Sequence[str] = ("svg", "png")) -> None:
    """Refuse a folder that figures cannot be written to, before there are any; make nothing."""
    _check_forms(forms)
    check_folder(folder, "figures")


def fill_folder(folder: Path, what: str, files: Mapping[str, bytes]) -> list[Path]:
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
            written.append(folder / name)
    except OSError as error:
        raise refuse_folder(folder, what, error) from None
    return written


def refuse_folder(folder: Path, what: str, error: OSError) -> UnknownOption:
    reason = (error.strerror or str(error)).lower()
    return UnknownOption(f"{what} cannot be written to '{folder}': {reason}")


def write_figures(
    figures: Mapping[str, Chart], folder: Path, forms: Sequence[str] = ("svg", "png")
) -> list[Path]:
    """Write figures into a folder, which is made where it is not there."""
    _check_forms(forms)
    drawn = {  # all of them before the first is written
        f"{name}.{form}": render(picture, form)
        for name, picture in ((name, chart.draw()) for name, chart in figures.items())
        for form in dict.fromkeys(forms)
    }
    return fill_folder(folder, "figures", drawn)


def _check_forms(forms: Sequence[str]) -> None:
    unknown = [form for form in forms if form not in FORMS]
    if unknown:
        raise UnknownOption(f"no figure as {listing(unknown)}: choose {' | '.join(FORMS)}")


# Names beside points, where they neither cover points nor each other.

LETTER: Final = 5.8  # Width of a letter at the size that names have, in pixels; on the safe side
LINE: Final = 12.0  # Height of a name
GAP: Final = 8.0  # From the middle of a point to its name
POINT: Final = 5.0  # Half of what a point covers


@dataclass(frozen=True)
class Name:
    at: int  # number of the point
    side: str  # "left" or "right" of it
    below: float = 0.0  # how much lower its line is, or higher


def place_names(
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    width: float,
    *,
    height: float = inf,
    lines: Sequence[int] = (),
) -> list[Name]:
    """Choose a side, and up to so many lines away, for each name; one without room is omitted."""
    # Left, top, right, bottom of what is taken
    taken = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    placed = []
    for at, (name, (x, y)) in enumerate(zip(names, points, strict=True)):
        length = LETTER * len(name)
        rows = sorted(range(-lines[at], lines[at] + 1), key=abs) if lines else [0]
        sides = (("right", x + GAP), ("left", x - GAP - length))
        for row, (side, start) in product(rows, sides):
            end, top = start + length, y + (row - 0.5) * LINE
            bottom = top + LINE
            met = any(
                start < right and left < end and top < low and high < bottom
                for i, (left, high, right, low) in enumerate(taken)
                if i != at
            )
            inside = start >= 0 and end <= width and (row == 0 or (top >= 0 and bottom <= height))
            if inside and not met:
                taken.append((start, top, end, bottom))
                placed.append(Name(at, side, row * LINE))
                break
    return placed


def choose_named(
    rows: Sequence[Row], axes: tuple[Axis, Axis], keys: tuple[str, str], plot: tuple[float, float]
) -> list[list[dict[str, Any]]]:
    """Return the systems whose names have room at the right of their points, and at the left.

    plot: its width and height.
    """
    (x, y), (wide, high), names = axes, plot, [row["system"] for row in rows]
    at = [(wide * x.place(row[keys[0]]), high * (1 - y.place(row[keys[1]]))) for row in rows]
    placed = place_names(at, names, wide, height=high, lines=[1] * len(at))
    named = [(one.side, {"below": one.below} if one.below else {}, rows[one.at]) for one in placed]
    return [
        [{**row, **down} for at, down, row in named if at == side] for side in ("right", "left")
    ]


def spread(places: Sequence[float], least: float, ends: tuple[float, float]) -> list[float]:
    """Move places apart as little as need be, so that none is nearer to the next than `least`."""
    order = sorted(range(len(places)), key=places.__getitem__)
    free = [places[at] - number * least for number, at in enumerate(order)]
    moved = list(places)
    for number, at in enumerate(order):  # isotonic regression
        best = max(
            min(fmean(free[start:end]) for end in range(number + 1, len(free) + 1))
            for start in range(number + 1)
        )
        last = ends[1] - (len(places) - 1) * least
        moved[at] = max(min(best, last), ends[0]) + number * least
    return moved

"""Figures leave as files: SVG, PNG, PDF, or the Vega-Lite JSON that any browser can draw.

Nothing is loaded from outside: the renderer (the extra `images`) carries its own fonts and code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evenhand.errors import UnknownOption, listing
from evenhand.report import folders
from evenhand.report.folders import fill_folder

FORMS: Final = ("svg", "png", "pdf", "json")  # Endings of the files that a figure can become
WHAT: Final = "figures"
SHARPNESS: Final = 2.0  # Pixels of a PNG for each unit of the figure

INK: Final = "#1f2430"
QUIET: Final = "#5f6675"
ACCENT: Final = "#0b6e99"
CONTRAST: Final = "#b8510d"
# Told apart by those who see colours differently, on white and when printed in grey
PALETTE: Final = (ACCENT, CONTRAST, "#3d7a37", "#7a4f9a", "#8a6d00")


def dress(chart: Any) -> Any:
    """Give a chart the house's looks: hairlines, no box, one typeface."""
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


def write_figures(
    figures: Mapping[str, Any], folder: Path, forms: Sequence[str] = ("svg", "png")
) -> list[Path]:
    """Write figures into a folder, which is made where it is not there."""
    _check_forms(forms)
    drawn = {  # all of them before the first is written
        f"{name}.{form}": render(chart, form)
        for name, chart in figures.items()
        for form in dict.fromkeys(forms)
    }
    return fill_folder(folder, WHAT, drawn)


def check_folder(folder: Path, forms: Sequence[str] = ("svg", "png")) -> None:
    """Refuse a folder that figures cannot be written to, before there are any; make nothing."""
    _check_forms(forms)
    for form in forms:
        if form != "json":
            _load_renderer(form)
    folders.check_folder(folder, WHAT)


def _check_forms(forms: Sequence[str]) -> None:
    unknown = [form for form in forms if form not in FORMS]
    if unknown:
        raise UnknownOption(f"no figure as {listing(unknown)}: choose {' | '.join(FORMS)}")


def render(chart: Any, form: str) -> bytes:
    """Draw a chart."""
    spec = chart.to_dict()
    if form == "json":
        return json.dumps(spec, ensure_ascii=False, indent=1).encode()
    vl_convert = _load_renderer(form)
    if form == "svg":
        return str(vl_convert.vegalite_to_svg(spec)).encode()
    if form == "png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=SHARPNESS))
    return bytes(vl_convert.vegalite_to_pdf(spec))


def _load_renderer(form: str) -> Any:
    """Return the renderer."""
    try:
        import vl_convert
    except ImportError:
        raise UnknownOption(
            f"figures as {form} need a renderer: pip install 'evenhand[images]' (in a clone:"
            " '.[images]'), or take json, which https://vega.github.io/editor draws"
        ) from None
    return vl_convert

"""The colours of a page, in light and in dark, and which of them a figure's colours become."""

from __future__ import annotations

from typing import Final

from evenhand.report.figures.drawing import ACCENT, CONTRAST, INK, PALETTE, QUIET
from evenhand.report.figures.forest import BAND
from evenhand.report.figures.heat_map import BLUE, BROWN, EVEN

# Name of a colour of the page → colour on white
LIGHT: Final = {
    "ink": INK,
    "quiet": QUIET,
    "line": "#dfe2e8",
    "grid": "#e6e8ec",
    "ground": "#ffffff",
    "raised": "#f5f7f9",
    "accent": ACCENT,
    "contrast": CONTRAST,
    "good": "#2f6f2a",
}

# The same on dark
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
}

# Colour of a figure → what stands for it on dark. Black and white write into heat maps.
FIGURES: Final = {
    INK: DARK["ink"],
    QUIET: DARK["quiet"],
    **dict(
        zip(
            PALETTE,
            (DARK["accent"], DARK["contrast"], DARK["good"], "#c39be0", "#d6b93c"),
            strict=True,
        )
    ),
    LIGHT["grid"]: DARK["grid"],
    BAND: "#1e2733",
    EVEN: "#262a33",
    BLUE: "#66acd3",
    BROWN: "#d5975a",
    "white": "#000000",
    "black": "#ffffff",
}


def write_variables(colours: dict[str, str]) -> str:
    """Write colours as variables of a style sheet.

    >>> write_variables({"ink": "#000000", "ground": "#ffffff"})
    '--ink: #000000; --ground: #ffffff;'
    """
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())

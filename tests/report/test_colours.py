"""Colours of the page can be told apart in light and in dark: contrasts of WCAG 2.1."""

from __future__ import annotations

import re

import pytest

from evenhand.report.figures.style import (
    ACCENT,
    BAND,
    CONTRAST,
    DARK,
    INK,
    LIGHT,
    PALETTE,
    QUIET,
    STEPS,
    shade,
    write_on,
)
from evenhand.report.html import write_page, write_variables
from report_pages import make_report

WHITE, BLACK = "#ffffff", "#000000"
THEMES = {"light": LIGHT, "dark": DARK}
NAMES = {colour: name for name, colour in reversed(LIGHT.items())}


def shine(colour: str) -> float:
    """Relative luminance, WCAG 2.1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: float, second: float) -> float:
    low, high = sorted((first, second))
    return (high + 0.05) / (low + 0.05)


def test_the_measure_gives_what_wcag_says() -> None:
    assert contrast(shine(BLACK), shine(WHITE)) == pytest.approx(21)
    assert contrast(shine("#777777"), shine(WHITE)) == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["ground", "raised"])
@pytest.mark.parametrize("text", ["ink", "quiet", "accent", "contrast", "good"])
def test_words_can_be_read(theme: str, ground: str, text: str) -> None:
    colours = THEMES[theme]
    assert contrast(shine(colours[text]), shine(colours[ground])) >= 4.5


@pytest.mark.parametrize("mark", dict.fromkeys((*PALETTE, INK, QUIET)))
def test_marks_stand_out_from_what_is_behind_them(mark: str) -> None:
    for behind in (LIGHT["ground"], BAND):
        assert contrast(shine(mark), shine(behind)) >= 3
    for behind in (DARK["ground"], DARK["band"]):
        assert contrast(shine(DARK[NAMES[mark]]), shine(behind)) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_numbers_in_cells_of_a_heat_map_can_be_read(theme: str) -> None:
    """The shades of a page in dark are others, and what is written on them is too."""
    colours = THEMES[theme]
    for step in range(-STEPS, STEPS + 1):
        cell, written = (NAMES[colour] for colour in (shade(step / STEPS), write_on(step / STEPS)))
        assert contrast(shine(colours[written]), shine(colours[cell])) >= 4.4, step


def test_figures_and_pages_share_their_colours() -> None:
    for name, colour in {
        "ink": INK,
        "quiet": QUIET,
        "accent": ACCENT,
        "contrast": CONTRAST,
    }.items():
        assert LIGHT[name] == colour
    assert LIGHT.keys() == DARK.keys()
    page = write_page(make_report())
    used = {*re.findall(r"var\(--([\w-]+)\)", page)}
    assert used <= LIGHT.keys()
    assert not re.search(r"<(?:path|use|text)[^>]*#[0-9a-f]{6}", page), "no colour is fixed"
    assert page.count(write_variables(LIGHT)) == 2, "on the screen and on paper"
    assert page.count(write_variables(DARK)) == 2, "by preference and when chosen"

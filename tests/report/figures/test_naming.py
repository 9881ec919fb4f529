"""Names beside points."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.font_manager import findfont, get_font
from matplotlib.text import Text

from evenhand.report.figures import style
from evenhand.report.figures.style import (
    GAP,
    LETTER,
    LINE,
    Axis,
    choose_named,
    find_letters,
    place_names,
    spread,
)

WIDTH = 300.0
POINTS = st.lists(
    st.tuples(st.floats(0, WIDTH, allow_nan=False), st.floats(0, 200, allow_nan=False)), max_size=12
)


def _box(points, name, one):
    x, y = points[one.at]
    long = LETTER * len(name)
    start, y = x + GAP if one.side == "right" else x - GAP - long, y + one.below
    return start, y - LINE / 2, start + long, y + LINE / 2


def test_names_of_points_beside_each_other_at_an_end_have_room_a_line_lower():
    axes, keys = (Axis(0, 1), Axis(0, 1)), ("x", "y")
    rows = [{"system": "old one", "x": 0.8, "y": 0.8}, {"system": "new one", "x": 0.9, "y": 0.79}]
    right, left = choose_named(rows, axes, keys, (WIDTH, WIDTH))
    assert [row["system"] for row in left + right] == ["old one", "new one"]
    assert {row.get("below", 0) for row in left + right} == {0, LINE}


@given(POINTS)
def test_names_never_meet_and_never_leave_the_plot(points):
    names = [f"system-{i}" for i in range(len(points))]
    boxes = [_box(points, names[one.at], one) for one in place_names(points, names, WIDTH)]
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert right <= WIDTH
        for other in boxes[:i]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart


@given(places=st.lists(st.floats(0, 300), min_size=1, max_size=20))
def test_spread_places_keep_their_order_and_their_distance(places):
    found = spread(places, 12.0, (0.0, 300.0))
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    moved = [found[i] for i in order]
    assert all(after - before >= 12 - 1e-9 for before, after in pairwise(moved))
    if 12 * (len(places) - 1) <= 300:
        assert moved[0] >= -1e-9
        assert moved[-1] <= 300 + 1e-9


def test_letters_that_no_font_has_are_told_once(monkeypatch, tmp_path):
    style._find_fonts.cache_clear()
    monkeypatch.setattr("matplotlib.font_manager.findSystemFonts", list)
    chart = style.Chart((), Axis(0, 1), Axis.of_rows(["李 雷", "Zoë"]), ())
    with pytest.warns(UserWarning, match="lack 李, 雷: .*install a font") as told:
        style.write_figures({"one": chart, "two": chart}, tmp_path, ("png", "pdf", "svg"))
    assert len(told) == 1  # and none of matplotlib


def test_a_damaged_font_among_the_installed_ones_is_passed_over(monkeypatch, tmp_path):
    (tmp_path / "noto-cjk.ttf").write_text("no font")
    style._find_fonts.cache_clear()
    monkeypatch.setattr(
        "matplotlib.font_manager.findSystemFonts", lambda: [str(tmp_path / "noto-cjk.ttf")]
    )
    assert style.OTHER_FONTS.search(str(tmp_path / "noto-cjk.ttf"))
    with pytest.warns(UserWarning, match="lack 李"):
        assert style._find_fonts("李") == []
    style._find_fonts.cache_clear()


def test_letters_of_other_fonts_are_taken_from_those(monkeypatch):
    style._find_fonts.cache_clear()
    other = findfont("STIXGeneral")
    monkeypatch.setattr("matplotlib.font_manager.findSystemFonts", lambda: [other])
    monkeypatch.setattr(style, "OTHER_FONTS", re.compile("STIX"))
    known = set(map(chr, get_font(findfont(style.FONT)).get_charmap()))
    (letter,) = sorted(set(map(chr, get_font(other).get_charmap())) - known)[-1:]
    chart = style.Chart((), Axis(0, 1), Axis.of_rows([letter, "Zoë"]), ())
    texts = {one.get_text(): one for one in find_letters(chart.draw()).findobj(Text)}
    assert texts[letter].get_family() == [style.FONT, "STIXGeneral"]
    assert texts["Zoë"].get_family() == [style.FONT]
    style._find_fonts.cache_clear()

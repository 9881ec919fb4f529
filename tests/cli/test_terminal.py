from __future__ import annotations

import pytest
from click import unstyle
from hypothesis import given
from hypothesis import strategies as st

from evenhand.render.document import share
from evenhand.render.latex import escape_control
from evenhand.render.text import bar, cut, label, width


@given(st.text(), st.integers(3, 40))
def test_a_cut_name_fits_and_keeps_its_ends(text, columns):
    found = cut(text, columns)
    assert width(found) <= columns
    text = escape_control(text)
    if found != text:
        cuts = [at for at, sign in enumerate(found) if sign == "…"]
        assert any(text.startswith(found[:at]) and text.endswith(found[at + 1 :]) for at in cuts)


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), st.integers(8, 40))
def test_a_bar_fills_its_columns_and_shows_one_estimate(values, cells):
    lower, middle, upper = sorted(values)
    drawn = bar((lower, middle, upper), (lower, upper), cells)
    assert len(drawn) == cells
    assert drawn.count("●") == 1
    assert set(drawn) <= {" ", "─", "●"}


def test_a_long_line_goes_on_below_its_text():
    first, second = unstyle(label("read", "word " * 20, 80)).splitlines()
    assert first.startswith("read   word")
    assert second.startswith("       word")
    assert max(len(first), len(second)) <= 80


def test_a_line_of_wide_signs_is_broken_by_the_columns_they_take():
    lines = unstyle(label("read", "系统 " * 40, 80)).splitlines()
    assert all(70 < width(line) <= 80 for line in lines[:-1])
    assert "".join(lines).count("系统") == 40


@pytest.mark.parametrize(
    ("part", "whole", "said"), [(1, 3, "33 %"), (0, 0, "0 %"), (1, 400, "0.2 %")]
)
def test_shares_are_rounded_but_never_to_nothing(part, whole, said):
    assert share(part, whole) == said

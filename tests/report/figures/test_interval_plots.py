"""Points with intervals, a row for each name."""

from dataclasses import replace

import pytest

from drawn_figures import size, texts
from evenhand.report.figures.predictions import Bar, draw_intervals


@pytest.mark.parametrize("systems", [2, 60])
@pytest.mark.parametrize("width", [360, 620])
def test_all_names_are_there_at_any_width(systems, width):
    names = [f"university-of-{i:02d}-constrained" for i in range(systems)]
    bars = [Bar(name, -i, -i - 1, -i + 1) for i, name in enumerate(names)]
    chart = replace(draw_intervals(bars), width=width)
    assert size(chart)[0] == pytest.approx(width, abs=4)
    drawn = texts(chart)
    assert [name for name in names if name not in drawn] == []


def test_long_words_below_the_title_are_broken():
    below = "means over five subsamples of 1,600 comparisons; bars are one standard deviation"
    drawn = texts(replace(draw_intervals([Bar("a", 0.0)], below=below), width=360))
    lines = [line for line in drawn if line in below and len(line) > 20]
    assert len(lines) == 2
    assert " ".join(lines) == below

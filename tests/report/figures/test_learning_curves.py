"""Lines with their names at their ends."""

import re
from dataclasses import replace
from itertools import pairwise

from drawn_figures import heights, svg, texts
from evenhand.report.figures.predictions import draw_learning_curves
from evenhand.report.figures.style import QUIET

SIZES = (100, 200, 400, 800, 1600, 3200)


def curve(name, last, lower=None, upper=None):
    """A line that falls to a perplexity."""
    return line(name, SIZES, [last + 0.2 * (100 / k) ** 0.5 for k in SIZES], lower, upper)


def line(name, sizes, perplexity, lower=None, upper=None):
    """Rows of a line."""
    points = [{"name": name, "lower": lower, "upper": upper} for _ in sizes]
    return [
        {**point, "size": size, "perplexity": value}
        for point, size, value in zip(points, sizes, perplexity, strict=True)
    ]


def draw(curves, width=620):
    """The figure of some lines."""
    chart = draw_learning_curves([row for curve in curves for row in curve])
    return replace(chart, width=width)


def test_names_at_the_ends_of_seventeen_lines_that_meet_do_not_cover_each_other():
    names = {f"model-{i}" for i in range(17)}
    chart = draw([curve(name, 2.4) for name in sorted(names)], width=360)
    places = sorted(heights(chart, names).values())
    assert len(places) == 17
    assert all(after - before >= 11.9 for before, after in pairwise(places))


def test_the_uniform_model_is_grey_and_dashed_and_takes_no_colour_of_another():
    curves = [curve(name, 2.4) for name in "abcde"] + [line("uniform", SIZES, [3.0] * 6)]
    drawn = lines(draw(curves))
    assert len(drawn) == 6
    ((grey, dashes),) = [line for line in drawn if line[0] == QUIET]
    assert dashes
    assert len({colour for colour, _ in drawn}) == 6
    assert [dashes for colour, dashes in drawn if colour != grey] == [""] * 5


def lines(chart):
    """Colour and dashes of each line of a model."""
    dashed = "stroke(?:-dasharray: ([^;]*); stroke-dashoffset: 0; stroke)?"
    found = re.findall(rf"{dashed}: (#\w{{6}}); stroke-width: 1.8", svg(chart))
    return [(colour, dashes) for dashes, colour in found]


def test_a_model_far_worse_than_guessing_does_not_squeeze_the_others():
    curves = [curve("pattern", 2.4), line("unregularised", SIZES, [90, 40, 20, 9, 4, 2.6])]
    chart = draw(curves)
    assert not {"4", "40", "90"} & {*texts(chart)}
    assert "1 with points above the plot" in " ".join(texts(chart))

"""How many pairs more judgments would decide: what stands at the axis."""

import re

import pytest

from evenhand.report.figures.predictions import draw_prospect

ROWS = [
    {"times": t, "judgments": 870 * t, "decided": d, "lower": 0, "upper": 2 * d, "candidates": 5}
    for t, d in ((1, 0), (2, 2), (4, 7), (8, 10))
]


def test_the_first_number_of_judgments_is_called_todays_below_it_and_not_over_it():
    convert = pytest.importorskip("vl_convert")
    drawn = convert.vegalite_to_svg(draw_prospect(ROWS, 21).properties(width=290).to_json())
    label = re.search(r"<text[^>]*>(?:(?!</text>).)*today.*?</text>", drawn)
    assert label is not None
    lines = re.findall(r"<tspan([^>]*)>([^<]*)</tspan>", label[0])
    assert [words for _, words in lines] == ["870", "today"]
    assert 'dy="' in lines[1][0]
    assert drawn.count("today") == 1

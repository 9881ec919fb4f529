"""How many pairs more judgments would decide: what stands at the axis."""

from drawn_figures import texts
from evenhand.report.figures.predictions import draw_prospect

ROWS = [
    {"times": t, "judgments": 870 * t, "decided": d, "lower": 0, "upper": 2 * d, "candidates": 5}
    for t, d in ((1, 0), (2, 2), (4, 7), (8, 10))
]


def test_the_first_number_of_judgments_is_called_todays():
    drawn = texts(draw_prospect(ROWS, 21))
    assert {"870", "1,740", "3,480", "6,960", "all pairs"} <= {*drawn}
    assert drawn.count("today") == 1

"""The heat map of judges."""

from types import SimpleNamespace

import pytest

from evenhand.ratings.process_comparison import Pair
from evenhand.report.figures.judges import draw_likeness

PAIRS = (
    Pair("Ann", "Ben", 0.8, 0.5, 0.9, known=True),
    Pair("Ann", "Cy", -0.4, -0.6, -0.1, known=True),
    Pair("Ben", "Cy", 0.1, -0.5, 0.6, known=False),
)

JUDGES = ("Ann", "Ben", "Cy")


@pytest.fixture
def cells():
    """Three judges, of whom two pairs are known."""
    both = {
        names: one for one in PAIRS for names in ((one.judge, one.other), (one.other, one.judge))
    }
    chart = draw_likeness(SimpleNamespace(judges=JUDGES, both=both))
    (rows,) = chart.datasets.values()
    return {(row["row"], row["against"]): row for row in rows}


def test_a_pair_that_is_open_bears_a_question_mark_and_no_number(cells):
    assert cells["3 Cy", 2]["shown"] == cells["2 Ben", 3]["shown"] == "?"
    assert cells["1 Ann", 2]["shown"] == "80"
    assert cells["1 Ann", 3]["shown"] == "-40"

"""Groups among the flagged, by hand."""

import numpy as np
import pytest

from evenhand.judges.cards import Card, note_camps, note_many


def cards(flagged: int, of: int, flag: str = "careless") -> list[Card]:
    return [
        Card(f"j{k}", 9, {"honest": 0.5}, flags=(flag,) if k < flagged else ()) for k in range(of)
    ]


def test_a_third_of_the_judges_are_many():
    assert "10 of 30 judges" in note_many(cards(10, 30))[0]
    assert note_many(cards(9, 30)) == ()
    assert note_many(cards(30, 30, "coarse")) == ()


@pytest.mark.parametrize(("alike", "named"), [(18, True), (17, False)])
def test_judges_are_of_one_mind_from_two_standard_deviations_on(alike, named):
    """25 outputs, each answered by two: 18 alike give (18 - 7) / 5 = 2.2, and 17 give 1.8."""
    second = np.where(np.arange(25) < alike, 1.0, -1.0)
    unit, judge = np.tile(np.arange(25), 2), np.repeat([0, 1], 25)
    assert bool(note_camps(unit, judge, np.concatenate([np.ones(25), second]))) == named

"""What a planned campaign is."""

import numpy as np
import pytest

from evenhand.design.power import Design, Prices, Truth
from evenhand.errors import UnknownOption


def test_equals_tie_as_often_as_was_said():
    nu = Truth.spaced(2, 0.0, ties=0.3).tie
    assert nu / (2 + nu) == pytest.approx(0.3)


def test_effective_judges_of_zipf_are_the_sum_squared_over_the_sum_of_squares():
    harmonic = 1 / np.arange(1, 21)
    expected = harmonic.sum() ** 2 / (harmonic**2).sum()
    assert Design(20, 10, 100, loads="zipf").effective_judges == pytest.approx(expected)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"judges": 0}, "judges cannot be 0"),
        ({"overlap": 11}, "11 judges for each output pair need as many judges: there are 10"),
        ({"judgments": 3_000_000}, "at most 2,000,000"),
        ({"loads": "even"}, "loads cannot be 'even'"),
    ],
)
def test_a_design_that_cannot_be_is_refused(settings, said):
    with pytest.raises(UnknownOption, match=said):
        Design(**{"judges": 10, "items": 10, "judgments": 100, **settings})


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"systems": ("A",), "log_worth": (0.0,)}, "1 systems cannot be planned for"),
        ({"systems": ("A", "A")}, "two systems have one name: A"),
        ({"log_worth": (0.0,)}, "2 systems and 1 worths"),
        ({"ties": 1.0}, "ties cannot be 1"),
        ({"judge_sd": -1.0}, "judge_sd cannot be -1"),
        ({"log_worth": (0.0, float("inf"))}, "finite"),
    ],
)
def test_a_truth_that_cannot_be_is_refused(settings, said):
    with pytest.raises(UnknownOption, match=said):
        Truth(**{"systems": ("A", "B"), "log_worth": (1.0, 0.0), **settings})


def test_a_price_below_zero_is_refused():
    with pytest.raises(UnknownOption, match="price of a judge cannot be -2"):
        Prices(1.0, -2.0)

"""Power in closed form against scipy."""

import numpy as np
import pytest
from scipy.stats import nct, studentized_range

from evenhand.design.expected_power import (
    expect,
    find_df,
    find_power,
    predict_errors,
)
from evenhand.design.power import Design, Truth


@pytest.mark.parametrize("df", [4, 9, 30])
def test_the_power_of_one_pair_is_that_of_the_noncentral_t(df):
    size = np.array([0.5, 1.5, 3.0, 5.0])
    assert find_power(size, 2.3, df) == pytest.approx(nct.sf(2.3, df, size), abs=0.002)


@pytest.mark.parametrize("systems", [3, 6, 10])
def test_the_first_critical_value_is_that_of_the_studentized_range(systems):
    design = Design(101, 5000, 5000)
    found = expect(predict_errors(Truth.spaced(systems, 0.1), design), design, 0.95)
    expected = studentized_range.ppf(0.95, systems, 100) / np.sqrt(2)
    assert found.critical == pytest.approx(expected, abs=0.1)


def test_equals_have_no_power_and_neither_have_four_judges():
    truth = Truth(("A", "B", "C"), (1.0, 1.0, 0.0))
    design = Design(20, 100, 2000)
    power = expect(predict_errors(truth, design), design, 0.95).power
    assert power[0, 1] == 0 < power[0, 2]
    few = Design(4, 100, 2000)
    assert not expect(predict_errors(truth, few), few, 0.95).power.any()


def test_the_last_digit_of_equal_gaps_changes_no_power():
    foreseen, design = (
        predict_errors(Truth.spaced(6, 0.3), Design(20, 150, 1800)),
        Design(20, 150, 1800),
    )
    variance = np.sum(list(foreseen.vary(design).values()), axis=0)
    rng = np.random.Generator(np.random.PCG64(1))
    powers = {
        expect(foreseen, design, 0.95, variance * (1 + scale)).power.tobytes()
        for scale in (0.0, *(1e-13 * rng.standard_normal((8, 6, 6))))
    }
    assert len(powers) == 1


def test_degrees_of_freedom_are_of_the_fewest_clusters():
    assert find_df(Design(20, 10, 2000)) == 9
    assert find_df(Design(20, 2000, 2000)) == 19

"""Errors in closed form against textbook formulas and against fits to simulated campaigns."""

import numpy as np
import pytest
from scipy.stats import nct, studentized_range

from evenhand.design.expected_power import (
    expect,
    find_power,
    predict_errors,
)
from evenhand.design.power import Design, Truth, average_answers, change_tastes, draw_campaign
from evenhand.models.bradley_terry import BradleyTerry


@pytest.mark.parametrize("gap", [0.0, 0.7])
def test_two_systems_without_tastes_have_the_variance_of_a_logit(gap):
    design = Design(10, 50, 400)
    p = 1 / (1 + np.exp(-gap))
    found = predict_errors(Truth.spaced(2, gap), design).vary(design)
    assert found["chance"][0, 1] == pytest.approx(1 / (400 * p * (1 - p)), rel=1e-6)
    assert found["judges"][0, 1] == found["items"][0, 1] == 0


def test_the_bound_is_what_very_many_judgments_leave():
    truth = Truth.spaced(4, 0.3, ties=0.2, judge_sd=0.5, item_sd=0.4)
    design = Design(20, 100, 2_000_000)
    foreseen = predict_errors(truth, design)
    left = sum(foreseen.vary(design).values())
    assert left[0, 2] == pytest.approx(foreseen.bound(design)[0, 2], rel=0.01)


ARMS = {
    "ties, overlap, repeats": (
        Truth.spaced(6, 0.3, ties=0.2, judge_sd=0.5, item_sd=0.5),
        Design(20, 40, 2000, overlap=3, repeats=2),
    ),
    "repeats by one judge": (
        Truth.spaced(6, 0.2, judge_sd=0.8),
        Design(30, 60, 1200, repeats=4),
    ),
    "a chain, unequal loads": (
        Truth.spaced(4, 0.3, ties=0.2, judge_sd=0.4, item_sd=0.8),
        Design(30, 30, 900, overlap=3, loads="zipf", pairs=((0, 1), (1, 2), (2, 3))),
    ),
}


@pytest.mark.parametrize("name", ARMS)
def test_the_errors_of_fits_are_those_in_closed_form(name):
    truth, design = ARMS[name]
    model = BradleyTerry(ties="davidson" if truth.ties else "discard")
    rng = np.random.default_rng(20131)
    pairs = np.triu_indices(len(truth.systems), 1)
    found = []
    for _ in range(300):
        worth = model.fit(draw_campaign(truth, design, rng).pool()).log_worth
        found.append((worth[:, None] - worth)[pairs])
    foreseen = predict_errors(truth, design)
    expected = sum(foreseen.vary(design).values())[pairs]
    ratio = (np.var(found, axis=0, ddof=1) / expected).mean()
    shift = (np.mean(found, axis=0) / foreseen.apart[pairs]).mean()
    assert 0.85 <= ratio <= 1.15
    assert 0.94 <= shift <= 1.08


DESIGN = Design(60, 30, 4000)


@pytest.mark.parametrize("ties", [0.0, 0.25])
@pytest.mark.parametrize("sds", [(0.0, 0.0), (0.6, 0.0), (1.2, 0.8)])
def test_pooled_worths_and_ties_stay_as_they_were(ties, sds):
    truth = Truth.spaced(4, 0.4, ties=ties, judge_sd=0.3, item_sd=0.3)
    changed = change_tastes(truth, *sds)
    assert (changed.judge_sd, changed.item_sd) == sds
    before, after = predict_errors(truth, DESIGN), predict_errors(changed, DESIGN)
    assert after.apart[0] == pytest.approx(before.apart[0], rel=0.03)
    tied = [average_answers(np.zeros(1), one)[0][1, 0] for one in (truth, changed)]
    assert tied[1] == pytest.approx(tied[0], abs=1e-6)


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

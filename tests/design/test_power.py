"""Simulated power against exact probabilities, and its interval against scipy's."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from evenhand.design.expected_power import expect, predict_errors
from evenhand.design.power import Design, Truth, bound_share, draw_campaign, simulate_power

VOTES, GAP = 400, 0.3


def exact_power(votes: int, gap: float) -> float:
    """P(log-odds of the share exceed 1.96 of their standard errors): two systems, no tastes."""
    wins = np.arange(1, votes)
    z = np.log(wins / (votes - wins)) * np.sqrt(wins * (votes - wins) / votes)
    return float(binom.pmf(wins, votes, 1 / (1 + np.exp(-gap)))[z > 1.96].sum())


def test_two_systems_without_tastes_have_the_power_of_the_exact_binomial():
    truth, design = Truth.spaced(2, GAP), Design(20, 50, VOTES)
    found = simulate_power(truth, design, campaigns=400, cluster="judgment")
    exact = exact_power(VOTES, GAP)
    error = np.sqrt(exact * (1 - exact) / 400)
    assert found.power[0, 1] == pytest.approx(exact, abs=3.09 * error + 0.01)
    assert found.unranked == 0


@pytest.mark.parametrize(
    ("truth", "design"),
    [
        (Truth.spaced(5, 0.3, judge_sd=0.3, item_sd=0.3), Design(20, 100, 2000)),
        (Truth.spaced(5, 0.4, ties=0.2, judge_sd=0.5, item_sd=0.5), Design(30, 100, 1500, 3)),
    ],
)
def test_the_closed_form_is_near_the_simulated_power(truth, design):
    campaigns = 80
    found = simulate_power(truth, design, campaigns=campaigns)
    expected = expect(predict_errors(truth, design), design, 0.95).power
    pairs = np.triu_indices(len(truth.systems), 1)
    apart = (found.power - expected)[pairs]
    assert abs(apart.mean()) <= 0.05
    assert np.abs(apart).max() <= 3.09 * np.sqrt(0.25 / campaigns) + 0.05


def test_between_equals_decisions_are_false_and_few():
    found = simulate_power(Truth.spaced(4, 0.0, judge_sd=0.4), Design(15, 50, 600), campaigns=60)
    assert not found.right.any()
    assert found.any_false <= 60 * 0.05 + 3.09 * np.sqrt(60 * 0.05 * 0.95)
    assert found.false.max() <= found.any_false


def test_campaigns_without_an_estimate_count_as_undecided():
    found = simulate_power(Truth.spaced(2, 9.0), Design(5, 5, 20), campaigns=10)
    assert found.unranked == 10
    assert not found.right.any()


@pytest.mark.parametrize(("count", "of"), [(0, 50), (8, 10), (160, 200), (200, 200)])
def test_the_interval_of_a_share_is_wilsons(count, of):
    known = binomtest(count, of).proportion_ci(0.95, method="wilson")
    assert bound_share(count, of) == pytest.approx((known.low, known.high), abs=1e-9)


def draw(truth, design, seed=1):
    return draw_campaign(truth, design, np.random.default_rng(seed))


def test_shares_of_answers_are_those_of_the_model():
    tally = draw(Truth.spaced(2, 0.8, ties=0.2), Design(50, 100, 40_000))
    first = tally.left == 0
    wins = tally.wins[first].sum() + tally.losses[~first].sum()
    won, lost, tie = np.exp(0.4), np.exp(-0.4), 0.5
    assert wins / 40_000 == pytest.approx(won / (won + lost + tie), abs=4 * 0.0025)
    assert tally.ties.sum() / 40_000 == pytest.approx(tie / (won + lost + tie), abs=4 * 0.0025)


@pytest.mark.parametrize("loads", ["equal", "zipf"])
def test_each_output_pair_is_seen_by_so_many_different_judges_so_often(loads):
    design = Design(7, 500, 500 * 6, overlap=3, repeats=2, loads=loads)
    tally = draw(Truth.spaced(4, 0.3), design)
    item, judge = tally.factor("item").codes, tally.factor("judge").codes
    seen = Counter(zip(item.tolist(), judge.tolist(), strict=True))
    assert set(seen.values()) == {2}
    assert set(Counter(one for one, _ in seen).values()) == {3}


def test_only_pairs_that_are_to_be_compared_are():
    tally = draw(Truth.spaced(3, 0.3), Design(5, 10, 300, pairs=((0, 1), (1, 2))))
    pairs = {
        tuple(sorted(one)) for one in zip(tally.left.tolist(), tally.right.tolist(), strict=True)
    }
    assert pairs == {(0, 1), (1, 2)}

"""Controls and repeats beside scipy.stats and counts by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from evenhand.data.rating_rows import CONTROL
from evenhand.data.votes import Votes
from evenhand.judges.comparison_evidence import (
    CONCENTRATION,
    PSEUDO_ANSWERS,
    weigh_controls,
    weigh_repeats,
)
from vote_campaigns import make_votes


def controls(outcomes: list[list[int]]) -> Votes:
    """Left is the good output in every control; a row of outcomes per judge."""
    n = len(outcomes[0])
    judge = np.repeat(np.arange(len(outcomes)), n)
    sides = np.stack([np.zeros(len(judge)), np.ones(len(judge))])
    votes = make_votes((len(outcomes), 2), judge, np.arange(len(judge)), sides, np.ravel(outcomes))
    kinds, expected = np.full(len(judge), CONTROL, np.int8), np.zeros(len(judge), np.int8)
    return replace(votes, kind=kinds, expected=expected)


def test_controls_are_counted_as_expected_neither_and_contrary():
    found = weigh_controls(controls([[0, 0, 1], [0, 2, 2]]), tied=0.2)
    assert found.seen.tolist() == [[2, 1, 0], [1, 0, 2]]
    assert found.usual == pytest.approx([0.5, 1 / 6, 1 / 3])
    assert found.chance[0] == pytest.approx([0.4, 0.2, 0.4])


def test_controls_are_dirichlet_multinomial_around_the_other_judges():
    found = weigh_controls(controls([[0] * 6, [0] * 5 + [1], [2] * 4 + [0] * 2]), tied=0.2)
    chance = np.array([0.4, 0.2, 0.4])
    others = np.array([11.0, 1.0, 0.0]) + PSEUDO_ANSWERS * chance
    honest = others / others.sum()
    laws = [honest, chance, honest[::-1]]
    seen = [2, 0, 4]
    logs = [stats.dirichlet_multinomial.logpmf(seen, CONCENTRATION * law, 6) for law in laws]
    assert found.logs[2] - found.logs[2, 0] == pytest.approx(np.array(logs) - logs[0])
    assert found.logs[2, 2] > found.logs[2, 0]
    assert found.logs[0].argmax() == 0


@pytest.mark.filterwarnings("error")
def test_an_outcome_that_nobody_gave_weighs_as_if_it_could_not_be_given():
    """With two outcomes the law is beta-binomial; scipy has it."""
    found = weigh_controls(controls([[0] * 400, [0] * 398 + [2] * 2, [0] * 400]), tied=0.0)
    assert np.isfinite(found.logs).all()
    better = found.logs[1, 0] - found.logs[1, 1]
    right = (800 + PSEUDO_ANSWERS / 2) / (800 + PSEUDO_ANSWERS)
    a, b = CONCENTRATION * right, CONCENTRATION * (1 - right)
    half = CONCENTRATION / 2
    expected = [stats.betabinom.logpmf(398, 400, *law) for law in ((a, b), (half, half))]
    assert better == pytest.approx(expected[0] - expected[1], abs=0.01)


def test_controls_without_a_known_side_are_not_used():
    votes = controls([[0, 0]])
    assert weigh_controls(replace(votes, expected=np.array([1, -1], np.int8)), tied=0.2) is None
    assert weigh_controls(replace(votes, expected=None), tied=0.2) is None


def twice(first: list[int], second: list[int], *, turned: bool) -> Votes:
    """One judge, each pair asked twice, the second time perhaps with sides exchanged."""
    n = len(first)
    item = np.tile(np.arange(n), 2)
    left = np.concatenate([np.zeros(n), np.full(n, float(turned))])
    sides = np.stack([left, 1 - left])
    return make_votes((1, 2), np.zeros(2 * n, int), item, sides, np.array(first + second))


def test_repeats_compare_preferences_and_not_sides():
    assert weigh_repeats(twice([0, 0, 2, 1], [2, 0, 0, 1], turned=True)).seen.tolist() == [[3, 1]]
    assert weigh_repeats(twice([0, 0, 2, 1], [2, 0, 0, 1], turned=False)).seen.tolist() == [[2, 2]]


def test_who_always_presses_one_key_is_consistent_by_chance_where_sides_stay():
    stays = weigh_repeats(twice([0] * 20, [0] * 20, turned=False))
    turned = weigh_repeats(twice([0] * 20, [0] * 20, turned=True))
    assert stays.chance[0, 0] > 0.95
    assert turned.chance[0, 0] < 0.05
    assert stays.seen.tolist() == [[20, 0]]
    assert turned.seen.tolist() == [[0, 20]]


def test_repeats_are_beta_binomial_around_the_other_judges():
    one, two = twice([0] * 9 + [2], [0] * 9 + [0], turned=False), twice([0], [2], turned=False)
    n = one.size + two.size
    joined = make_votes(
        (2, 2),
        np.repeat([0, 1], [one.size, two.size]),
        np.concatenate([one.item, two.item + 50]),
        np.concatenate([[one.left, one.right], [two.left, two.right]], axis=1),
        np.concatenate([one.outcome, two.outcome]),
    )
    assert joined.size == n
    found = weigh_repeats(joined)
    chance = found.chance[1, 0]
    honest = (9 + PSEUDO_ANSWERS * chance) / (10 + PSEUDO_ANSWERS)
    expected = [
        stats.betabinom.logpmf(0, 1, CONCENTRATION * p, CONCENTRATION * (1 - p))
        for p in (honest, chance, honest)
    ]
    assert found.logs[1] - found.logs[1, 0] == pytest.approx(np.array(expected) - expected[0])

"""Judges of a position bias: how rankings count, the median judge, and errors."""

from itertools import permutations

import polars as pl
import pytest

import evenhand
from evenhand.data.tally import Tally
from evenhand.models.position_effects import (
    PositionEffects,
    find_modes,
    fit_position_effects,
    place_nodes,
)
from evenhand.ranking.bias import fit_order, judge_biases, ranking_inflation
from ranking.test_position_bias import campaign, rankings, read


def test_comparisons_of_one_ranking_count_for_less():
    """Kendall (1938): S of 5 in random order has variance 5·4·15/18, 5/3 of 10 fair coins."""
    data = evenhand.read(rankings(1, n=4000)).comparisons()
    tally = data.tally(by=["judge", "ranking"])
    assert ranking_inflation(fit_order(tally), tally) == pytest.approx(5 / 3, rel=0.05)


@pytest.mark.parametrize("weight", [1, 4])
def test_the_inflation_of_all_rankings_of_three_has_a_closed_form(weight):
    """Each judge gives every order of three outputs in every order on the screen.

    Worths and biases are zero, so that a ranking's score is S = ±3, ±1 or ±1, Σ S² / 6 = 22/6, in
    place of 3 for three coins; n − 1 of a judge's n rankings are free.
    """
    orders = list(permutations(range(3)))
    rows = [
        (judge, f"{judge}{shown}{place}", "abc"[system], at + 1, place[system] + 1, weight)
        for judge in ("x", "y")
        for shown in orders
        for place in orders
        for at, system in enumerate(shown)
    ]
    columns = ["judge", "ranking", "system", "position", "rank", "weight"]
    data = evenhand.read(pl.DataFrame(rows, columns, orient="row")).comparisons()
    tally = data.tally(by=["judge", "ranking"])
    n = 72 * weight
    expected = n / (n - 2) * 22 / 18
    assert ranking_inflation(fit_order(tally), tally) == pytest.approx(expected, rel=1e-9)


def fit_judges(frame: pl.DataFrame) -> tuple[PositionEffects, Tally]:
    tally = read(frame).tally(by=["judge"])
    return fit_position_effects(fit_order(tally), tally), tally


def test_a_judges_error_holds_what_an_error_of_the_common_bias_moves():
    """E δ_l by finite differences of δ: a step in δ moves it by less than itself."""
    effects, tally = fit_judges(campaign(6, biased=2))
    judges = judge_biases(effects, tally, (0.2, 1.96), None)
    modes = find_modes(effects.panel, effects.estimate, effects.mean, effects.spread)
    nodes = place_nodes(effects.panel, modes, effects.spread)
    up, down = (
        (nodes.integrate(effects.mean + step, effects.spread)[1] * nodes.at).sum(axis=1)
        for step in (1e-4, -1e-4)
    )
    expected = effects.variance + ((up - down) / 2e-4 * 0.2) ** 2
    names = tally.factor("judge").labels
    for one in judges:
        own = expected[names.index(one.judge)]
        assert (one.stderr / 2) ** 2 == pytest.approx(own, rel=1e-4)

"""Cycles beside a preference for the output shown first, against statsmodels and known truth."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import evenhand
from evenhand.ranking.robustness.cycles import (
    draw_parametric,
    find_residuals,
    statistics,
)

NEXT = {("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("d", "b"), ("c", "d")}


def sided_votes(seed, *, fixed, circle=0.0, order=0.5, n=1200):
    """Four equal systems, 20 judges; the output shown first wins at log-odds `order`."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        one, other = rng.permutation(list("abcd"))[:2].tolist()
        turned = (one, other) not in NEXT
        if turned and rng.random() < fixed:
            one, other, turned = other, one, False
        round_ = circle * ({one, other} <= set("abc")) * (-1 if turned else 1)
        won = rng.random() < 1 / (1 + np.exp(-order - round_))
        rows.append((f"j{i % 20:02d}", one, other, "left" if won else "right"))
    return evenhand.read(pd.DataFrame(rows, columns=["judge", "left", "right", "outcome"]))


def test_a_preference_for_one_side_is_not_taken_for_cycles():
    found = [evenhand.find_cycles(sided_votes(seed, fixed=1.0)) for seed in range(20)]
    assert sum(one.real for one in found) <= 3
    assert all(one.order_effect for one in found)
    assert all("Sides were not randomised" in one.notes[0] for one in found)
    assert "| order effect |" in found[0].signature
    without = evenhand.find_cycles(sided_votes(0, fixed=1.0), order_effect=False)
    assert without.real
    assert without.notes[1].code == "cycles-or-sides"


def test_a_circle_is_found_beside_a_preference_for_one_side():
    found = [evenhand.find_cycles(sided_votes(seed, fixed=0.6, circle=0.8)) for seed in range(10)]
    assert sum(one.real for one in found) >= 8
    assert all(one.cycles[0].systems == ("a", "b", "c") for one in found if one.cycles)


def sided_tally(seed=1):
    return sided_votes(seed, fixed=0.5, circle=0.4, n=700).tally(by=("judge",))


def ordered_design(whole):
    """Rows of ordered pairs: worths but the last, then the side; how often each was compared."""
    pairs, size = len(whole.first), len(whole.systems)
    design = np.zeros((2 * pairs, size))
    at = np.arange(pairs)
    for shift, side in ((0, 1.0), (pairs, -1.0)):
        design[at + shift, whole.first], design[at + shift, whole.second] = 1.0, -1.0
        design[at + shift, -1] = side
    design[:, size - 1] = np.repeat([1.0, -1.0], pairs)
    return design


def test_with_an_order_effect_residuals_are_those_of_statsmodels_summed_over_both_sides():
    whole = find_residuals(sided_tally(), order_effect=True)
    wins, totals = whole.wins.ravel(), whole.totals.ravel()
    model = sm.GLM(
        np.stack([wins, totals - wins], 1), ordered_design(whole), family=sm.families.Binomial()
    ).fit()
    assert whole.chances.ravel() == pytest.approx(model.fittedvalues, rel=1e-5)
    residual = (wins - totals * model.fittedvalues).reshape(2, -1).sum(axis=0)
    weight = (totals * model.fittedvalues * (1 - model.fittedvalues)).reshape(2, -1).sum(axis=0)
    assert whole.statistic == pytest.approx((residual**2 / weight).sum(), rel=1e-4)


def test_the_projection_with_an_order_effect_is_that_of_ordered_pairs_summed_over_sides():
    tally = sided_tally(2)
    whole = find_residuals(tally, order_effect=True)
    design, weights = ordered_design(whole), whole.weights.ravel()
    rows = np.random.default_rng(1).normal(size=(7, len(weights)))
    moved = np.linalg.solve(design.T @ (weights[:, None] * design), design.T @ rows.T)
    left = (rows - weights * (design @ moved).T).reshape(7, 2, -1).sum(axis=1)
    one, other = rows.reshape(7, 2, -1).transpose(1, 0, 2)
    ours = np.column_stack([one + other, (one - other).sum(axis=1)])
    assert whole.project(ours) == pytest.approx(left)


@pytest.mark.parametrize(("fixed", "df"), [(0.0, 3), (1.0, 2)])
def test_replicates_of_independent_votes_have_the_degrees_of_freedom_of_sides(fixed, df):
    tally = sided_votes(4, fixed=fixed, n=3000).tally()
    whole = find_residuals(tally, order_effect=True)
    drawn = statistics(whole, draw_parametric(whole, 4000, np.random.default_rng(1)))
    assert whole.df == df
    assert drawn.mean() == pytest.approx(df, abs=0.15)

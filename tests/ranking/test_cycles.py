"""Cycles against closed forms, statsmodels' Pearson statistic and known circles."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.stats import norm

import evenhand
from evenhand.errors import UnknownColumn
from evenhand.ranking.robustness.cycles import (
    draw_parametric,
    find_residuals,
    find_sure_circle,
    look_for_cycles,
    measure_cells,
    statistics,
    weigh_pairs,
)
from experiments.campaign import Campaign, generator
from experiments.test_e8_cycles import HIGH, LOW, WORTH, by_both, by_judges, by_pair, circle


def rock_paper_scissors():
    pairs = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
    rows = [(*pair, "left") for pair in pairs] * 30 + [(*pair, "right") for pair in pairs] * 9
    turned = {"left": "right", "right": "left"}
    rows = [
        (two, one, turned[outcome]) if i // 3 % 2 else (one, two, outcome)
        for i, (one, two, outcome) in enumerate(rows)
    ]
    return evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))


def test_rock_paper_scissors_has_the_statistic_of_the_closed_form():
    found = evenhand.find_cycles(rock_paper_scissors())
    assert found.statistic == pytest.approx(3 * 10.5**2 / (39 / 4))
    assert found.df == 1
    assert found.share == pytest.approx(1.0)
    (cycle,) = found.cycles
    assert cycle.systems == ("paper", "rock", "scissors")
    assert cycle.won == pytest.approx((30 / 39,) * 3)
    assert cycle.excess == pytest.approx(3 * 10.5 / (39 / 4))
    assert cycle.closed


def test_the_statistic_is_pearsons_by_statsmodels():
    tally = by_pair(2, 5, 0.8)
    whole = find_residuals(tally)
    design = np.zeros((28, 8))
    design[np.arange(28), LOW], design[np.arange(28), HIGH] = 1.0, -1.0
    counts = np.stack([tally.wins, tally.losses], axis=1)
    model = sm.GLM(counts, design[:, :-1], family=sm.families.Binomial()).fit()
    assert whole.statistic == pytest.approx(model.pearson_chi2, rel=1e-6)
    assert whole.df == model.df_resid


@pytest.mark.parametrize("kappa", [0.4, 0.8])
def test_the_share_is_that_of_the_true_log_odds_with_the_noise_taken_out(kappa):
    truth = WORTH[LOW] - WORTH[HIGH] + circle(kappa)[LOW, HIGH]
    chance = 1 / (1 + np.exp(-truth))
    root = np.sqrt(chance * (1 - chance))
    design = np.zeros((28, 8))
    design[np.arange(28), LOW], design[np.arange(28), HIGH] = root, -root
    worth = np.linalg.lstsq(design, root * truth, rcond=None)[0]
    along = design @ worth
    share = 1 - (along**2).sum() / (root**2 * truth**2).sum()
    found = [look_for_cycles(by_pair(20, r, kappa), 0.95, 1).share for r in range(60)]
    assert np.mean(found) == pytest.approx(share, abs=0.025)


def test_the_circle_that_was_put_in_is_named_with_the_judges_who_make_it():
    campaign = by_judges(22, 0, 0.0, (20, 6000, 0.2))
    left, right = campaign.left.astype(int), campaign.right.astype(int)
    judge = campaign.factor("judge").codes
    skew = circle(1.0)[left, right]
    wins, losses = campaign.wins.copy(), campaign.losses.copy()
    turned = (judge < 16) & (skew > 0)  # these judges always go round the circle
    wins[turned], losses[turned] = wins[turned] + losses[turned], 0.0
    back = (judge < 16) & (skew < 0)
    losses[back], wins[back] = losses[back] + wins[back], 0.0

    found = look_for_cycles(replace(campaign, wins=wins, losses=losses), 0.95, 1)
    assert found.real
    cycle = found.cycles[0]
    assert cycle.systems == ("s0", "s1", "s2")
    assert {one.name for one in cycle.judges} < {f"j{code:02d}" for code in range(16)}
    assert sum(one.share for one in cycle.judges) > 0.25


def test_the_spread_over_cells_is_that_of_a_table_of_cells_by_pairs():
    tally = Campaign(gap=0.2, judge_sd=0.3, item_sd=0.5, systems=6, judges=7, items=9, n=500)
    tally = tally.simulate(generator(8, 31, 0))
    whole = find_residuals(tally)
    judge, item = (tally.factor(name).codes for name in ("judge", "item"))
    rows = np.zeros((63, len(whole.first)))
    for a, b, code, won in zip(tally.left, tally.right, judge * 9 + item, tally.wins, strict=True):
        at = np.flatnonzero((whole.first == min(a, b)) & (whole.second == max(a, b)))[0]
        first_won = won if a < b else 1 - won
        rows[code, at] += first_won - whole.chances[0, at]
    design = np.zeros((len(whole.first), 6))
    design[np.arange(15), whole.first], design[np.arange(15), whole.second] = 1.0, -1.0
    root = np.sqrt(whole.weight)
    hat = np.linalg.pinv(root[:, None] * design)
    along = rows / root @ hat.T @ (root[:, None] * design).T
    found = measure_cells(whole, tally, ("judge", "item"))
    cells = int((np.abs(rows).sum(axis=1) > 0).sum())
    across = ((rows / root - along) ** 2).sum(axis=0) * whole.weight
    assert found.across == pytest.approx(cells / (cells - 1) * across)
    assert found.along == pytest.approx(cells / (cells - 1) * (along**2).sum())


def test_clusters_can_be_asked_for():
    tally = by_both(6, 0)
    assert look_for_cycles(tally, 0.95, 1, cluster="judge").clusterings == ("judge",)
    assert look_for_cycles(tally, 0.95, 1, cluster="judgment").clusterings == ()
    with pytest.raises(UnknownColumn, match="there is no judge column"):
        evenhand.find_cycles(rock_paper_scissors(), cluster="judge")


def test_a_cycle_is_sure_where_each_majority_is_more_than_chance_makes():
    votes = rock_paper_scissors()  # 39 votes on each pair
    found = evenhand.find_cycles(votes)
    enough = 0.5 + norm.ppf(0.95) / (2 * np.sqrt(39))
    for least, sure in ((enough + 1e-6, True), (enough - 1e-6, False)):
        (cycle,) = found.cycles
        cycle = replace(cycle, won=(0.9, least, 0.9))
        circle = find_sure_circle(replace(found, cycles=(cycle,)), votes.tally())
        assert circle == (cycle if sure else None)
    assert find_sure_circle(replace(found, p=0.2), votes.tally()) is None


def test_rounding_errors_are_no_cycles():
    """Judges who answer alike leave residuals of 1e-22, and replicates without any spread."""
    votes = 3 * [("A", "B", "left"), ("B", "A", "left")] + 2 * [("A", "B", "tie")]
    for one in "AB":
        votes += [*4 * [(one, "C", "left")], ("C", one, "left")]
    rows = [(*vote, f"j{judge}") for judge in range(10) for vote in votes]
    found = evenhand.find_cycles(evenhand.read(pd.DataFrame(rows, columns=COLUMNS)))
    assert found.statistic < 1e-9
    assert (found.p, found.real) == (1.0, False)


COLUMNS = ["left", "right", "outcome", "judge"]


# Pairs that the model describes worst: by brute force, planted, and none without cause.


def plant(tally, first, second, more):
    """Give the first of a pair more of the votes."""
    at = np.flatnonzero((first == LOW) & (second == HIGH))[0]
    tally.wins[at] += more
    tally.losses[at] -= more
    return tally


def test_p_is_the_share_of_replicates_whose_worst_pair_is_as_far_counted_one_by_one():
    whole = find_residuals(by_pair(1, 3, 0.8))
    drawn = draw_parametric(whole, 199, np.random.default_rng(4))
    z, p = weigh_pairs(whole, [drawn])
    spread = [
        float(np.sqrt(np.mean([replicate[at] ** 2 for replicate in drawn]))) for at in range(28)
    ]
    for at in range(28):
        own = whole.residual[at] / spread[at]
        worst = [max(abs(replicate[i]) / spread[i] for i in range(28)) for replicate in drawn]
        assert z[at] == pytest.approx(own)
        assert p[at] == pytest.approx((1 + sum(one >= abs(own) for one in worst)) / 200)


def test_a_planted_pair_is_named_first_the_winner_before_the_loser():
    tally = plant(by_pair(1, 1, 0.0), 2, 6, -12.0)
    worst = look_for_cycles(tally, 0.95, 1).deviations[0]
    at = np.flatnonzero((LOW == 2) & (HIGH == 6))[0]
    assert (worst.first, worst.second) == (tally.systems[6], tally.systems[2])
    assert worst.won == pytest.approx(tally.losses[at] / (tally.wins + tally.losses)[at])
    assert worst.won > worst.expected
    assert worst.z > 0
    assert worst.p <= 0.05


def test_a_chain_of_systems_has_no_deviations_since_it_fits_whatever_is_said():
    rows = [("a", "b", "left"), ("b", "a", "left"), ("b", "c", "left"), ("c", "b", "left")] * 9
    votes = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    assert evenhand.find_cycles(votes).deviations == ()


# Cycles beside a preference for the output shown first, against statsmodels and known truth.


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
    design, weights = (
        ordered_design(whole),
        (whole.totals * whole.chances * (1 - whole.chances)).ravel(),
    )
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

"""Cycles against closed forms, statsmodels' Pearson statistic and known circles."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.stats import norm

import evenhand
from evenhand.errors import UnknownColumn, UnknownOption
from evenhand.ranking.robustness.cycles import (
    find_residuals,
    find_sure_circle,
    look_for_cycles,
    measure_cells,
    split_residuals,
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


def test_residuals_of_judges_sum_to_those_of_all_and_the_projection_keeps_them():
    tally = by_judges(5, 0, 0.8, (20, 2000, 0.5))
    whole = find_residuals(tally)
    rows = split_residuals(whole, tally, "judge")
    assert rows.sum(axis=0) == pytest.approx(whole.residual)
    assert whole.project(whole.residual[None])[0] == pytest.approx(whole.residual, abs=1e-6)
    twice = whole.project(whole.project(rows))
    assert twice == pytest.approx(whole.project(rows), abs=1e-9)


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


def test_the_level_must_be_a_proportion():
    with pytest.raises(UnknownOption, match="level cannot be 95"):
        evenhand.find_cycles(rock_paper_scissors(), level=95)


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

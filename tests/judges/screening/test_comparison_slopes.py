"""Slopes beside scipy and counts by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize

from evenhand.data.votes import Votes
from evenhand.judges.comparison_evidence import SLOPE_RIDGE, find_slopes, sum_other_votes
from experiments.campaign import generator
from vote_campaigns import Panel, RankingPanel, make_votes


def few_votes() -> Votes:
    """Three judges on item 0 (a beats b twice, a tie), two on item 1; the last stood turned."""
    judge, item = np.array([0, 1, 2, 0, 1]), np.array([0, 0, 0, 1, 1])
    sides = np.array([[0, 0, 0, 0, 1], [1, 1, 1, 1, 0]])
    return make_votes((3, 2), judge, item, sides, np.array([0, 0, 1, 2, 0]))


def test_other_votes_are_counted_by_output_pair_whoever_stood_left():
    others = sum_other_votes(few_votes())
    assert others.lead.tolist() == [1, 1, 2, -1, 1]
    assert others.judges.tolist() == [2, 2, 2, 1, 1]
    assert others.agreed.tolist() == [False, False, True, False, False]


def test_slopes_and_errors_are_those_of_a_ridge_regression_by_scipy():
    votes = Panel(60, bad=3).simulate(generator(4, 51, 0))
    found = find_slopes(votes)
    for judge in (0, 4, 29):
        x, won = found.x[found.judge == judge], found.won[found.judge == judge]

        def loss(b, x=x, won=won):
            return float(np.logaddexp(0, -(2 * won - 1) * b * x).sum() + SLOPE_RIDGE / 2 * b**2)

        best = optimize.minimize_scalar(loss, bracket=(-1, 1), tol=1e-10).x
        step = 1e-3
        curve = (loss(best + step) - 2 * loss(best) + loss(best - step)) / step**2
        assert found.slope[judge] == pytest.approx(best, abs=1e-5)
        assert found.error[judge] == pytest.approx(curve**-0.5, rel=1e-4)


def test_the_average_judge_has_a_slope_of_one_and_bad_judges_theirs():
    slopes = np.mean(
        [find_slopes(Panel(120, bad=3).simulate(generator(4, 52, r))).slope for r in range(20)],
        axis=0,
    )
    assert abs(slopes[:3].mean()) < 0.1
    assert slopes[3:].mean() == pytest.approx(1.1, abs=0.15)


def test_leaving_the_judge_out_is_what_keeps_careless_slopes_at_zero():
    """Alone with a pair each, a judge who is counted among the others follows himself."""
    panel = Panel(30, bad=3, judges=9)
    slopes = [find_slopes(panel.simulate(generator(4, 53, r))).slope[:3] for r in range(60)]
    error = np.std(slopes) / np.sqrt(len(slopes) * 3)
    assert abs(np.mean(slopes)) < 3 * error


def test_the_order_of_rows_does_not_matter():
    votes = Panel(30).simulate(generator(4, 54, 0))
    shuffled = votes.take(np.random.Generator(np.random.PCG64(1)).permutation(votes.size))
    assert find_slopes(shuffled).slope == pytest.approx(find_slopes(votes).slope, abs=1e-7)


def test_random_rankings_of_five_count_for_half_of_their_comparisons():
    """Var Σ (y − ½) x over a random ranking of k is (k + 1)/3 of that of independent votes."""
    votes = RankingPanel(24, bad=30).simulate(generator(4, 56, 0))
    found = find_slopes(replace(votes, items=("",), item=np.zeros(votes.size, np.int32)))
    assert found.inflation == pytest.approx(2, abs=0.15)


def test_errors_of_careless_judges_who_rank_are_right():
    panel = RankingPanel(24, bad=3)
    z = []
    for replicate in range(60):
        found = find_slopes(panel.simulate(generator(4, 57, replicate)))
        z += (found.slope / found.error)[:3].tolist()
    assert np.std(z) == pytest.approx(1, abs=0.2)

"""Errors in closed form against textbook formulas and against fits to simulated campaigns."""

import numpy as np
import pytest

from evenhand.design.expected_power import predict_errors
from evenhand.design.power import Design, Truth, draw_campaign
from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry


@pytest.mark.parametrize("gap", [0.0, 0.7])
def test_two_systems_without_tastes_have_the_variance_of_a_logit(gap):
    design = Design(10, 50, 400)
    p = 1 / (1 + np.exp(-gap))
    found = predict_errors(Truth.spaced(2, gap), design).vary(design)
    assert found["chance"][0, 1] == pytest.approx(1 / (400 * p * (1 - p)), rel=1e-6)
    assert found["judges"][0, 1] == found["items"][0, 1] == 0


def test_with_many_judgments_weak_tastes_leave_the_d_study():
    truth = Truth.spaced(5, 0.0, judge_sd=0.05, item_sd=0.08)
    design = Design(20, 100, 2_000_000)
    expected = 2 * 0.05**2 / 20 + 2 * 0.08**2 / 100
    assert predict_errors(truth, design).bound(design)[0, 3] == pytest.approx(expected, rel=0.02)


def test_the_bound_is_what_very_many_judgments_leave():
    truth = Truth.spaced(4, 0.3, ties=0.2, judge_sd=0.5, item_sd=0.4)
    design = Design(20, 100, 2_000_000)
    foreseen = predict_errors(truth, design)
    left = sum(foreseen.vary(design).values())
    assert left[0, 2] == pytest.approx(foreseen.bound(design)[0, 2], rel=0.01)


ARMS = {
    "judges and items": (Truth.spaced(6, 0.3, judge_sd=0.5, item_sd=0.5), Design(20, 40, 2000)),
    "ties, overlap, repeats": (
        Truth.spaced(6, 0.3, ties=0.2, judge_sd=0.5, item_sd=0.5),
        Design(20, 40, 2000, overlap=3, repeats=2),
    ),
    "repeats by one judge": (
        Truth.spaced(6, 0.2, judge_sd=0.8),
        Design(30, 60, 1200, repeats=4),
    ),
    "few judgments of each": (Truth.spaced(4, 0.3, judge_sd=0.8), Design(100, 400, 400)),
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


@pytest.mark.parametrize("repeats", [1, 4])
def test_repeats_of_one_judge_cost_what_linear_algebra_says(repeats):
    """Var of c′(X′X)⁺ Σ_j X_j′X_j b_j, less what a judgment shares with itself: chance."""
    design = Design(30, 60, 600, repeats=repeats)
    truth = Truth.spaced(6, 0.0, judge_sd=0.01)
    contrast = np.eye(6)[0] - np.eye(6)[3]
    found = []
    for seed in range(60):
        drawn = draw_campaign(truth, design, np.random.default_rng(seed))
        rows = np.eye(6)[drawn.left] - np.eye(6)[drawn.right]
        aims = rows @ np.linalg.pinv(rows.T @ rows) @ contrast
        own = [drawn.factor("judge").codes == judge for judge in range(30)]
        of_judges = sum(((rows[one].T @ aims[one]) ** 2).sum() for one in own)
        found.append(of_judges - ((rows * aims[:, None]) ** 2).sum())
    expected = predict_errors(truth, design).vary(design)["judges"][0, 3] / 0.01**2
    assert expected == pytest.approx(np.mean(found), rel=0.06)


def test_pairs_that_do_not_link_systems_are_refused():
    with pytest.raises(NotIdentified):
        predict_errors(Truth.spaced(4, 0.2), Design(5, 5, 50, pairs=((0, 1), (2, 3))))

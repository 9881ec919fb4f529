"""Greedy choices beside formulas that share nothing with them."""

import numpy as np
import pytest

from evenhand.numerics.gaussian_process import pick_by_error, pick_by_variance


@pytest.fixture
def covariance():
    root = np.random.default_rng(3).normal(size=(8, 5))
    return root @ root.T + 0.1 * np.eye(8)


def leave(covariance, taken, noise):
    """What is left of a covariance, by the formula with numpy's own solver."""
    known = covariance[np.ix_(taken, taken)] + noise * np.eye(len(taken))
    cross = covariance[:, taken]
    return covariance - cross @ np.linalg.solve(known, cross.T)


def test_variances_of_a_batch_are_those_of_the_formula(covariance):
    taken, variance = pick_by_variance(covariance, 0.3, np.ones(8), 5)
    for step in range(5):
        left = np.diag(leave(covariance, taken[:step].tolist(), 0.3))
        assert variance[step] == pytest.approx(left[taken[step]], abs=1e-10)


def test_each_choice_is_the_best_one_by_trial_of_all(covariance):
    weight = np.random.default_rng(1).random(8)
    taken, _ = pick_by_variance(covariance, 0.3, weight, 8)
    before = []
    for at in taken.tolist():
        scores = np.diag(leave(covariance, before, 0.3)) * weight
        scores[before] = -np.inf
        assert at == int(scores.argmax())
        before.append(at)


def test_the_oracle_takes_what_lowers_the_squared_error_most_by_trial_of_all(covariance):
    truth, noise = np.random.default_rng(5).normal(size=8), 0.4
    candidates = np.array([1, 2, 4, 5, 7])
    taken = pick_by_error(covariance[:, candidates].copy(), candidates, noise, truth, 4)
    before = []
    for at in candidates[taken].tolist():
        lost = {}
        for one in set(candidates.tolist()) - set(before):
            known = [*before, one]
            inner = covariance[np.ix_(known, known)] + noise * np.eye(len(known))
            mean = covariance[:, known] @ np.linalg.solve(inner, truth[known])
            lost[one] = float(((truth - mean) ** 2).sum())
        assert at == min(lost, key=lost.get)
        before.append(at)

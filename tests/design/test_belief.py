"""What is believed of worths, against other software and closed forms."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from design.boards import simulate, state
from evenhand.design.policy import Belief, fit_belief, read_state


def test_without_ties_it_is_scikit_learns_ridge():
    """LogisticRegression(C=4) has the penalty ½ · ¼ Σ θ²."""
    tally = simulate((1, 0.5, 0, -0.5, -1), 150, 2)
    x = np.eye(5)[tally.left] - np.eye(5)[tally.right]
    other = LogisticRegression(C=4.0, fit_intercept=False, tol=1e-10).fit(x, tally.wins)
    found = fit_belief(read_state(tally).tally)
    assert found.mean == pytest.approx(other.coef_[0], abs=1e-5)
    chance = other.predict_proba(x)[:, 1]
    information = (x * (chance * (1 - chance))[:, None]).T @ x + np.eye(5) / 4
    assert found.vcov == pytest.approx(np.linalg.inv(information), abs=1e-5)


def test_a_warm_start_ends_in_the_same_place():
    tally = state(tie=0.5).tally
    cold = fit_belief(tally)
    warm = fit_belief(tally, cold.mean + 0.3)
    assert warm.mean == pytest.approx(cold.mean, abs=1e-8)


def test_before_the_first_judgment_worths_are_normal_with_standard_deviation_2():
    belief = read_state(None, systems=["a", "b", "c"]).belief
    assert belief.mean.tolist() == [0, 0, 0]
    assert belief.vcov == pytest.approx(4 * np.eye(3))


@pytest.mark.parametrize(("tie", "told"), [(0.0, 1 / 4), (1.0, 1 / 6), (2.0, 1 / 8)])
def test_ties_tell_less(tie, told):
    """Between equals the score is ±½ with probability 1 / (2 + ν) each, so I = 1 / (2 (2 + ν))."""
    assert Belief(np.zeros(2), np.eye(2), tie).information(np.zeros(1))[0] == pytest.approx(told)


def test_what_is_expected_after_an_answer_is_the_inverse_of_more_information():
    belief = state().belief
    gap, _ = belief.gap(np.array([1]), np.array([3]))
    x = np.eye(5)[1] - np.eye(5)[3]
    more = np.linalg.inv(belief.vcov) + belief.information(gap)[0] * np.outer(x, x)
    assert belief.expect(1, 3).vcov == pytest.approx(np.linalg.inv(more))


def test_draws_have_the_mean_and_the_covariance():
    belief = state().belief
    drawn = belief.draw(40_000, np.random.default_rng(5))
    assert drawn.mean(axis=0) == pytest.approx(belief.mean, abs=0.03)
    assert np.cov(drawn.T) == pytest.approx(belief.vcov, abs=0.03)

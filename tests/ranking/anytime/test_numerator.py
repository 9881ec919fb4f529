"""The running numerator: against a product of densities that scipy maximises and we write out."""

import numpy as np
import pytest
from scipy.optimize import minimize

from evenhand.ranking.sequential.likelihood import Numerator


def draw(systems, n, seed, tie=0.7):
    """Votes as codes; worths fall by .5."""
    rng = np.random.default_rng(seed)
    votes = []
    for _ in range(n):
        left, right = rng.choice(systems, 2, replace=False).tolist()
        chances = density(-0.5 * (left - right), np.log(tie) if tie else None)
        votes.append((left, right, int(rng.choice(3, p=chances))))
    return votes


def density(eta, gamma):
    """Chances of a win, a tie and a loss (Davidson 1970, equation 2.2)."""
    parts = np.array([np.exp(eta / 2), 0.0 if gamma is None else np.exp(gamma), np.exp(-eta / 2)])
    return parts / parts.sum()


def predict(votes, systems, *, ties):
    """Worths, and γ, that maximise likelihood and prior."""

    def loss(at):
        worth, gamma = at[:systems], at[systems] if ties else None
        value = np.sum(np.log(2 * np.cosh(worth / 2)))
        if ties:  # one tie, and one preference each way, between equals
            value -= np.log(density(0.0, gamma)).sum()
        return value - sum(np.log(density(worth[s] - worth[t], gamma)[y]) for s, t, y in votes)

    found = minimize(loss, np.zeros(systems + ties), method="BFGS", options={"gtol": 1e-8})
    return found.x


@pytest.mark.parametrize("ties", [True, False])
def test_it_is_the_product_of_what_each_vote_was_predicted_from_the_batches_before(ties):
    systems = 3
    votes = draw(systems, 45, seed=2, tie=0.7 if ties else 0.0)
    running, expected = Numerator(systems, ties=ties), 0.0
    for start in range(0, 45, 9):  # nine votes on three systems: all worths are fitted each time
        at = predict(votes[:start], systems, ties=ties)
        gamma = at[systems] if ties else None
        batch = votes[start : start + 9]
        expected += sum(np.log(density(at[s] - at[t], gamma)[y]) for s, t, y in batch)
        running.observe(batch)
        assert running.log_value == pytest.approx(expected, abs=1e-5)


def test_votes_one_by_one_keep_predictions_near_the_fit():
    votes = draw(6, 220, seed=4)
    running = Numerator(6, ties=True)
    for vote in votes:
        running.observe([vote])
    at = predict(votes, 6, ties=True)
    assert running.since_fit > 0
    assert np.abs(np.array([*running.worth, running.gamma]) - at).max() < 0.1
    assert running.settle() == pytest.approx(at, abs=1e-4)

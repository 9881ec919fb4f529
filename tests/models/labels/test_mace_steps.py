"""The steps of MACE against sums over every state, and against scipy's divergences."""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats

from evenhand.models.mace import Knowing, Odds, bound, expect, start_odds
from label_crowds import coded

CODES = np.array([[0, 0, 0, 1, 1, 2, 2], [0, 1, 2, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2, 0]])


def every_state(odds: Odds) -> tuple[float, np.ndarray, np.ndarray]:
    """Log-likelihood, (U, C) posterior and (J,) answers known, summed over T and every S."""
    unit, judge, label = CODES
    total, posterior, known = 0.0, np.zeros((3, 3)), np.zeros(3)
    for u in range(3):
        rows = np.flatnonzero(unit == u)
        weights, knows = np.zeros(3), np.zeros((3, len(rows)))
        for t, states in itertools.product(range(3), itertools.product([0, 1], repeat=len(rows))):
            weight = 1 / 3
            for row, knowing in zip(rows, states, strict=True):
                j, a = judge[row], label[row]
                weight *= np.exp(odds.know[j]) * (a == t) if knowing else np.exp(odds.spam[j, a])
            weights[t] += weight
            knows[t] += weight * np.array(states)
        posterior[u] = weights / weights.sum()
        total += np.log(weights.sum())
        np.add.at(known, judge[rows], knows.sum(axis=0) / weights.sum())
    return total, posterior, known


def test_expectations_are_sums_over_every_state():
    knowing = Knowing.of(coded(CODES, (3, 3, 3)))
    odds = start_odds(knowing, 2.0, np.random.default_rng(1))
    state = expect(knowing, odds)
    loglik, posterior, known = every_state(odds)
    assert state.objective == pytest.approx(loglik, abs=1e-12)
    assert state.posterior == pytest.approx(posterior, abs=1e-12)
    assert state.know.sum(axis=1) == pytest.approx(known, abs=1e-12)
    assert (state.know + state.spam).sum(axis=1).tolist() == [2, 3, 2]


def test_an_answer_is_judged_by_the_others_alone():
    """The same posterior as if that answer were not there."""
    answers = coded(CODES, (3, 3, 3))
    knowing = Knowing.of(answers)
    odds = start_odds(knowing, 2.0, np.random.default_rng(1))
    found = expect(knowing, odds).judge_answers(answers)
    for row in range(answers.size):
        rest = np.arange(answers.size) != row
        codes = np.stack([answers.unit, answers.judge, answers.label])
        without = expect(Knowing.of(coded(codes[:, rest], (3, 3, 3))), odds)
        expected = without.posterior[codes[0, row], codes[2, row]]
        assert found[row] == pytest.approx(expected, abs=1e-12)


def test_the_divergence_of_betas_is_their_integral():
    posterior, prior = stats.beta(3.5, 1.2), stats.beta(0.5, 0.5)
    expected = integrate.quad(
        lambda q: posterior.pdf(q) * (posterior.logpdf(q) - prior.logpdf(q)), 0, 1
    )[0]
    odds = bound(np.array([3.0]), np.array([[0.7]]), (0.5, 0.5), 10.0)
    assert odds.penalty == pytest.approx(expected, abs=1e-6)  # one label: its Dirichlet is certain

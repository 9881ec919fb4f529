"""Hundreds of systems: products with a table of pairs give what inverses give."""

from itertools import pairwise

import numpy as np
import pytest

from evenhand.data.tally import Tally
from evenhand.models import bradley_terry, likelihood
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.settings import TIES
from tallies import simulate, tally

EVERY = [(ties, order) for ties in TIES for order in (False, True)]


@pytest.fixture(scope="module")
def board():
    worths = np.random.Generator(np.random.PCG64(2)).normal(0, 0.5, 60)
    return simulate(worths, 6000, seed=4, order=0.1)


def tabled(monkeypatch):
    """Take the way of hundreds of systems for every number of them."""
    for module in (bradley_terry, likelihood):
        monkeypatch.setattr(module, "MANY", 1)


@pytest.mark.parametrize(("ties", "order"), EVERY)
def test_all_that_a_fit_says_is_said_of_many_systems(ties, order, board, monkeypatch):
    model = BradleyTerry(ties=ties, order_effect=order, reference="s0007")
    few = model.fit(board)
    tabled(monkeypatch)
    many = model.fit(board)
    assert (many.names, many.labels, many.df) == (few.names, few.labels, few.df)
    np.testing.assert_allclose(many.estimate, few.estimate, rtol=0, atol=1e-8)
    np.testing.assert_allclose(many.vcov, few.vcov, rtol=0, atol=1e-9)
    np.testing.assert_allclose(many.raw_vcov, few.raw_vcov, rtol=0, atol=1e-9)
    np.testing.assert_allclose(many.worth_vcov, few.worth_vcov, rtol=0, atol=1e-9)
    assert many.loglik == pytest.approx(few.loglik, abs=1e-8)
    assert many.deviance == pytest.approx(few.deviance, abs=1e-8)


def test_a_chain_of_three_hundred_has_the_errors_of_its_closed_form():
    """Links of a wins and b losses: log(a / b) each, with variances 1/a + 1/b that add up."""
    names = [f"s{i:03d}" for i in range(301)]
    wins = [30 if i % 2 else 20 for i in range(300)]
    rows = [(*pair, w, 0, 50 - w) for pair, w in zip(pairwise(names), wins, strict=True)]
    fit = BradleyTerry(ties="discard").fit(tally(*rows, systems=names))
    (across,) = fit.contrasts([(names[0], names[-1])])
    assert across.estimate == pytest.approx(sum(np.log(w / (50 - w)) for w in wins), abs=1e-9)
    assert across.stderr == pytest.approx(np.sqrt(300 * (1 / 20 + 1 / 30)), rel=1e-9)


def test_pairs_drawn_evenly_take_few_steps_to_a_sharp_maximum():
    """What is left of the score at the end is rounding: the last step was of the order of 1e-7."""
    worths = np.random.Generator(np.random.PCG64(5)).normal(0, 0.5, 250)
    fit = BradleyTerry().fit(simulate(worths, 50_000, seed=6))
    assert fit.steps <= 4
    assert np.abs(fit.likelihood.score(fit.beta)).max() < 1e-7


@pytest.mark.parametrize("reach", [3, 40])
def test_the_strong_may_meet_the_strong_alone(reach, monkeypatch):
    """The start takes all to have met all; the maximum is that of inverses and another start."""
    rng, k, n = np.random.Generator(np.random.PCG64(8)), 250, 50_000
    worths = np.sort(rng.normal(0, 1, k))
    left = rng.integers(0, k - 1, n).astype(np.int32)
    right = np.minimum(left + rng.integers(1, reach + 1, n), k - 1).astype(np.int32)
    ahead = worths[left] - worths[right] + rng.logistic(size=n)
    counts = np.stack([ahead > 0.7, abs(ahead) <= 0.7, ahead < -0.7]).astype(float)
    board = Tally(tuple(f"s{i:03d}" for i in range(k)), left, right, *counts, {}, float(n))
    many = BradleyTerry().fit(board)
    for module in (bradley_terry, likelihood):
        monkeypatch.setattr(module, "MANY", k)
    few = BradleyTerry().fit(board)
    np.testing.assert_allclose(many.estimate, few.estimate, rtol=0, atol=1e-7)
    np.testing.assert_allclose(many.vcov, few.vcov, rtol=0, atol=1e-7)

"""Residuals and moments against sums over pairs of votes, written out."""

import numpy as np
import pytest
from scipy.stats import norm

from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.variance_components import (
    conclude,
    conclude_both,
    find_residuals,
    restore,
    square_sums,
    sum_products,
)
from experiments.campaign import Campaign, generator


@pytest.fixture(scope="module")
def campaign():
    made = Campaign(0.3, 0.5, 0.4, systems=4, judges=5, items=6, n=120, tie=0.6)
    tally = made.simulate(generator(13, 50, 0))
    fit = BradleyTerry().fit(tally.pool())
    tie = float(np.exp(fit.estimate[fit.names.index("g1")]))
    return tally, fit, tie


def votes(tally, fit, tie):
    """(n,) residual and variance of each vote, and its (n, m) pair of systems as +1 and −1."""
    x = fit.log_worth[tally.left] - fit.log_worth[tally.right]
    weight = np.stack([np.exp(x / 2), np.full_like(x, tie), np.exp(-x / 2)])
    left, _, right = weight / weight.sum(0)
    score = tally.wins - tally.losses
    variance = left + right - (left - right) ** 2
    pair = np.eye(4)[tally.left] - np.eye(4)[tally.right]
    return (score - (left - right)) / 2, variance / 4, pair


@pytest.mark.parametrize("name", ["judge", "item"])
def test_the_moment_is_the_sum_over_pairs_of_votes_of_one_judge_on_two_items(campaign, name):
    tally, fit, tie = campaign
    residual, variance, pair = votes(tally, fit, tie)
    own, other = (tally.factor(one).codes for one in (name, "item" if name == "judge" else "judge"))
    together = (own[:, None] == own) & (other[:, None] != other)
    inner = pair @ pair.T
    u = (np.outer(residual, residual) * inner * together).sum()
    d = (np.outer(variance, variance) * inner**2 * together).sum()
    size = len(np.unique(own))
    products = sum_products(
        find_residuals(tally, fit, tie), own.astype(np.int64), other.astype(np.int64)
    )
    found = conclude(products, 0.95)
    assert found.variance == pytest.approx(max(size / (size - 1) * u / d, 0))
    assert found.p == pytest.approx(norm.sf(u / np.sqrt(2 * d)))


def test_sums_over_a_judge_are_squared_as_vectors_and_matrices(campaign):
    tally, fit, tie = campaign
    residual, variance, pair = votes(tally, fit, tie)
    own = tally.factor("judge").codes.astype(np.int64)
    scores, weights = square_sums(find_residuals(tally, fit, tie), own)
    for judge in range(5):
        rows = own == judge
        total = residual[rows] @ pair[rows]
        matrix = pair[rows].T @ (variance[rows, None] * pair[rows])
        assert scores[judge] == pytest.approx(total @ total)
        assert weights[judge] == pytest.approx((matrix**2).sum())


def test_what_the_common_mean_takes_from_each_is_given_back(campaign):
    tally, fit, tie = campaign
    residuals = find_residuals(tally, fit, tie)
    judge, item = (tally.factor(name).codes.astype(np.int64) for name in ("judge", "item"))
    first, second = sum_products(residuals, judge, item), sum_products(residuals, item, judge)
    found = conclude_both(first, second, 0.95)
    j, i = found[0].variance, found[1].variance
    assert min(j, i) > 0
    assert first.ratio == pytest.approx(j * (1 - 1 / 5) - i / second.effective)
    assert second.ratio == pytest.approx(i * (1 - 1 / 6) - j / first.effective)


def slope(x, tie):
    """Half the slope of P(left) − P(right), by differences."""

    def score(at):
        left, right = np.exp(at / 2), np.exp(-at / 2)
        return (left - right) / (left + right + tie) / 2

    return (score(x + 1e-5) - score(x - 1e-5)) / 2e-5


@pytest.mark.parametrize("own", [0.0, 0.5, 2.0])
@pytest.mark.parametrize(("judge", "item"), [(0.09, 0.0), (0.36, 0.25), (0.0, 1.0)])
def test_what_answers_show_on_average_is_turned_back(own, judge, item):
    rng = np.random.Generator(np.random.PCG64(1))
    x = np.sqrt(2 * (judge + item)) * rng.normal(size=400_000)
    shared = np.mean(own / (np.exp(x / 2) + np.exp(-x / 2) + own))  # ties between equals
    fitted = 2 * shared / (1 - shared)
    looks = (slope(x, own).mean() / slope(np.zeros(1), fitted)[0]) ** 2
    assert looks * restore((judge + item) * looks, fitted) == pytest.approx(1, rel=0.02)


def test_small_tastes_grow_as_zeger_liang_and_albert_have_it():
    c_squared = (16 * np.sqrt(3) / (15 * np.pi)) ** 2
    growth = restore(0.02, 0.0)
    assert growth - 1 == pytest.approx(2 * c_squared * 0.02, rel=0.5)
    assert growth > 1 + 2 * c_squared * 0.02  # their curve is less steep between equals


def test_tastes_beyond_any_bound_are_refused_without_a_warning():
    with pytest.raises(NotIdentified, match="--method likelihood"):
        restore(2e6, 0.5)

"""The Gaussian item-response model: exact posteriors (golden 13), laws, refusals."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from evenhand import datasets
from evenhand.data.votes import LEFT, RIGHT, TIE
from evenhand.errors import NotIdentified
from evenhand.models import irt_gaussian
from evenhand.models.irt_gaussian import IRTGaussian
from evenhand.numerics.sampling import bulk_size
from few_votes import votes_of
from golden_numbers import golden
from output_campaigns import name_votes
from tallies import table

OUTCOME = {0: TIE, 1: LEFT, 2: RIGHT}
GOLDEN = ("gauss_independent_items", "gauss_shared_items")
LONG = IRTGaussian(chains=20, sweeps=2700, burn_in=200)
SHORT = IRTGaussian(chains=2, sweeps=300, burn_in=100)


def _votes(entry, *, shared):
    """Comparisons of students "0", "1", "2" on one item, or on an item each."""
    rows = [
        (0, 0 if shared else at, first, second, OUTCOME[said])
        for at, (first, second, said) in enumerate(entry.input["comparisons"])
    ]
    return replace(votes_of(rows), systems=("0", "1", "2"))


def _mean_error(values):
    """Monte Carlo error of means of (chains, draws, q) values."""
    sd = values.reshape(-1, values.shape[2]).std(axis=0)
    return sd / np.sqrt(bulk_size(values))


@pytest.fixture(scope="module", params=GOLDEN)
def exact(request):
    """A fit of many draws, beside what integration gives."""
    entry = golden("13_irt_exact_posteriors", request.param)
    return entry.expected, LONG.fit(_votes(entry, shared="shared" in request.param))


def test_posterior_means_are_those_of_integration_within_monte_carlo_error(exact):
    expected, fit = exact
    off = fit.flat_means.mean(axis=0) - expected["posterior_mean"]
    assert np.abs(off / _mean_error(fit.means)).max() < 4
    assert np.abs(off).max() < 0.01


def test_posterior_deviations_are_those_of_integration_within_monte_carlo_error(exact):
    expected, fit = exact
    sd = np.sqrt(np.diag(fit.vcov_given + np.cov(fit.flat_means, rowvar=False)))
    squares = (fit.means - fit.flat_means.mean(axis=0)) ** 2
    off = sd - expected["posterior_sd"]
    assert np.abs(off / (_mean_error(squares) / (2 * sd))).max() < 4
    assert np.abs(off).max() < 0.01
    drawn = fit.ability_draws.std(axis=0)
    assert drawn == pytest.approx(expected["posterior_sd"], abs=0.015)


def test_predictions_are_those_of_integration_within_monte_carlo_error(exact):
    expected, fit = exact
    given = fit.vcov_given
    for key, (none, first, second) in expected["predictive"].items():
        s, t = map(int, key.split("|"))
        found = fit.predict([(str(s), str(t))])[0]
        variance = 2.5 + given[s, s] + given[t, t] - 2 * given[s, t]
        gap = fit.means[:, :, [s]] - fit.means[:, :, [t]]
        ends = norm.cdf(np.concatenate((gap - 0.4, -0.4 - gap), axis=2) / np.sqrt(variance))
        error = _mean_error(ends)
        assert np.abs((found[[0, 2]] - [first, second]) / error).max() < 4
        assert found == pytest.approx([first, none, second], abs=0.01)


def test_chains_of_the_exact_posteriors_agree(exact):
    _, fit = exact
    assert fit.r_hat.max() < 1.01
    assert fit.notes == ()


def test_of_many_answers_without_items_the_posterior_is_that_of_laplace():
    """Outputs of their own add to the noise: Thurstone's model with ties and a normal prior."""
    pudding = datasets.load("pudding")
    counts = table(pudding.rows, pudding.columns).tally().fold()
    sides, seen = np.stack((counts.left, counts.right)), counts.counts

    def cost(ability):
        gap = (ability[sides[0]] - ability[sides[1]]) / sqrt(2.5)
        left, right = norm.cdf(gap - 0.4 / sqrt(2.5)), norm.cdf(-gap - 0.4 / sqrt(2.5))
        logs = np.log(np.stack((left, 1 - left - right, right), axis=1))
        return ability @ ability / 2 - (seen * logs).sum()

    mode = minimize(cost, np.zeros(6), method="BFGS", options={"gtol": 1e-6})
    step = 1e-3 * np.eye(6)
    bent = [
        [cost(mode.x + a + b) - cost(mode.x + a - b) - cost(mode.x - a + b) + cost(mode.x - a - b)]
        for a in step
        for b in step
    ]
    vcov = np.linalg.inv(np.reshape(bent, (6, 6)) / 4e-6)
    centre = np.eye(6) - 1 / 6
    fit = IRTGaussian().fit(counts)
    assert fit.abilities == pytest.approx(centre @ mode.x, abs=0.01)
    expected = np.sqrt(np.diag(centre @ vcov @ centre))
    assert fit.ability_sd == pytest.approx(expected, rel=0.05)


def test_iterations_solve_what_the_inverse_does(monkeypatch):
    votes = name_votes([(0, i % 10, i % 3, (i + 1) % 3, i % 2) for i in range(60)], 3)
    whole = SHORT.fit(votes)
    monkeypatch.setattr(irt_gaussian, "MAX_INVERSE_RATIO", 0)
    np.testing.assert_allclose(SHORT.fit(votes).means, whole.means, atol=1e-6)


def test_scales_that_differ_by_thousands_lose_no_digits():
    model, sides = IRTGaussian(item_sd=1e-4), (np.array([0]), np.array([1]))
    found = irt_gaussian.make_posterior(model, 2, np.array([0, 1]), sides, 0).ability_vcov
    told = 1 / (2 + 2e-8)  # one difference of variance 2σ_obs² + 2σ_a²
    expected = np.linalg.inv(np.eye(2) + told * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert found == pytest.approx(expected, rel=1e-10)


def test_systems_never_compared_stand_as_the_prior_has_them_and_a_note_says_so():
    fit = LONG.fit(name_votes([(0, i % 10, 0, 1, i % 3) for i in range(30)], 4))
    assert fit.notes == ("Never compared, so that the prior alone places them: c, d.",)
    found = fit.predict([("c", "d")])[0]
    tail = norm.cdf(-0.4 / sqrt(2.5 + 2))  # two abilities of the prior
    assert found == pytest.approx([tail, 1 - 2 * tail, tail], abs=1e-3)


def test_ties_without_a_radius_are_refused():
    with pytest.raises(NotIdentified, match=r"1 comparisons without .* take a radius above 0"):
        replace(SHORT, radius=0.0).fit(name_votes([(0, 0, 0, 1, TIE), (0, 0, 0, 1, LEFT)], 2))
    fit = replace(SHORT, radius=0.0).fit(name_votes([(0, 0, 0, 1, LEFT)], 2))
    assert fit.predict([("a", "b")])[0][1] == pytest.approx(0, abs=1e-12)

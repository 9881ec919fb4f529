"""What a Gaussian item-response fit says: predictions, log-worths, lines for people."""

import numpy as np
import pytest

from evenhand.data.votes import LEFT
from evenhand.models.irt_gaussian import IRTGaussian
from output_campaigns import draw_campaign, name_votes

SHORT = IRTGaussian(chains=2, sweeps=300, burn_in=100)


def test_log_worths_are_mean_log_odds_against_all_systems():
    fit = SHORT.fit(name_votes(draw_campaign(2)))
    expected = []
    for a in fit.systems:
        chances = fit.predict([(a, b) for b in fit.systems if b != a])
        expected.append(np.log(chances[:, 0] / chances[:, 2]).sum() / len(fit.systems))
    assert fit.log_worth == pytest.approx(expected, rel=1e-9)
    assert fit.log_worth.sum() == pytest.approx(0, abs=1e-12)
    # odds are nearly linear in abilities, so that deviations are in proportion
    ratio = np.sqrt(np.diag(fit.worth_vcov)) / fit.ability_sd
    slope = np.polyfit(fit.abilities, fit.log_worth, 1)[0]
    assert ratio == pytest.approx(slope, rel=0.15)


def test_the_likelihood_is_that_of_its_predictions():
    votes = name_votes(draw_campaign(3, n=80))
    fit = SHORT.fit(votes)
    names = [
        (votes.systems[a], votes.systems[b]) for a, b in zip(votes.left, votes.right, strict=1)
    ]
    chosen = fit.predict(names)[np.arange(80), votes.outcome]
    assert fit.loglik == pytest.approx(np.log(chosen).sum(), rel=1e-9)
    assert fit.n_comparisons == fit.n_judgments == 80


def test_what_a_fit_says_names_the_best_and_how_sure_that_is():
    fit = SHORT.fit(name_votes(draw_campaign(6, n=800)))
    first, last, *_ = fit.says
    assert (first.code, first.values["system"]) == ("most-able", "a")
    assert first.values["value"] == pytest.approx(fit.abilities[0])
    assert first.values["chance"] > 0.9
    assert last.startswith("e is the least able by its estimate: -0.")
    assert [one.label for one in fit.coefficients] == list("abcde")
    assert [one.estimate for one in fit.coefficients] == fit.abilities.tolist()
    assert {one.p for one in fit.coefficients} == {None}
    assert fit.extras["r_hat"] == fit.r_hat.tolist()
    assert "seed=20131" in fit.signature_parts


def test_chains_that_have_not_met_are_named_with_the_remedy():
    rows = [(0, i % 10, 0, 1, LEFT) for i in range(3000)]
    fit = IRTGaussian(chains=4, sweeps=8, burn_in=0).fit(name_votes(rows, 2))
    assert fit.r_hat.max() > 1.05
    assert "take more sweeps than 8, in Python IRTGaussian(sweeps=32)" in fit.notes[-1]
    assert fit.notes[-1].startswith("Chains do not agree yet, R-hat above 1.05: a ")

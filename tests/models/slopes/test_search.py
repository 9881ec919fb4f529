"""The search for τ: runaways, ends of its interval, and what is refused for which reason."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import NotConverged, NotIdentified
from evenhand.models import judge_slopes_likelihood
from evenhand.models.judge_slopes import JudgeSlopes
from slope_campaigns import Brute, campaign
from tallies import tally

NEAR = {"worths": (0.05, 0.0), "seed": 7002}
"""Two systems hardly apart, whose likelihood is highest at τ = 2.2."""


def test_systems_hardly_apart_have_the_maximum_that_brute_force_finds():
    one = campaign(20, 30, 0.0, **NEAR)
    fit = JudgeSlopes().fit(one)
    brute = Brute(one, fit.lambdas, fit.estimate[-1], fit.tau, "davidson")
    assert fit.loglik == pytest.approx(brute.loglik(), abs=1e-5)
    # a grid of 6,001 points for z and BFGS over λ and γ: −642.9693 at τ = 2, −643.0069 at 3
    assert 2 < fit.tau < 3
    assert fit.loglik > -642.9693
    assert fit.tau_interval == (0, np.inf)
    assert "no upper end (profile likelihood)" in fit.says[1]
    assert any("hardly say how much slopes differ" in note for note in fit.notes)


@pytest.mark.parametrize("worths", [(0.05, 0.0), (0.0, 0.0, 0.0, 0.0)])
def test_systems_that_are_equal_are_no_reason_to_refuse(worths):
    fits = [
        JudgeSlopes().fit(campaign(20, 30, 0.0, seed=7000 + i, worths=worths)) for i in range(12)
    ]
    assert all(fit.tau < 4 for fit in fits)


def test_a_first_climb_that_fails_is_made_up_for_from_the_best_of_several_tau(monkeypatch):
    one = campaign(25, 40, 0.5, seed=21)
    plain = JudgeSlopes().fit(one)
    climb, calls = judge_slopes_likelihood._climb, []

    def fail_once(likelihood, beta):
        calls.append(float(np.exp(beta[-1])))
        if len(calls) == 1:
            raise NotConverged("no way up")
        return climb(likelihood, beta)

    monkeypatch.setattr(judge_slopes_likelihood, "_climb", fail_once)
    again = JudgeSlopes().fit(one)
    assert again.tau == pytest.approx(plain.tau, abs=1e-6)
    assert calls[1] in (0.4, 0.7)  # on both sides of the estimate


def test_judges_of_opposite_preferences_are_refused_for_what_they_are():
    rng = np.random.default_rng(1)
    rows = [
        ("a", "b", float(round(1e5 * np.exp(u))), 1e4, 1e5, f"j{i:02d}")
        for i, u in enumerate(rng.normal(0, 0.4, 20))
    ]
    with pytest.raises(NotIdentified, match="judges prefer opposite systems") as refused:
        JudgeSlopes().fit(tally(*rows))
    assert "compare --model random-judges" in refused.value.remedies


@pytest.mark.parametrize(("upwards", "lost"), [(True, 1), (False, 0)])
def test_an_end_of_the_interval_that_is_not_found_is_no_reason_to_refuse(
    monkeypatch, upwards, lost
):
    one = campaign(25, 40, 0.5, seed=21)
    plain = JudgeSlopes().fit(one)
    settle = judge_slopes_likelihood._settle

    def fail_on_one_side(likelihood, beta):
        held = likelihood.tau
        if held is not None and (held > plain.tau) == upwards:
            raise NotConverged("round in circles")
        return settle(likelihood, beta)

    monkeypatch.setattr(judge_slopes_likelihood, "_settle", fail_on_one_side)
    fit = JudgeSlopes().fit(one)
    assert fit.tau == plain.tau
    assert fit.tau_interval[lost] == (0, np.inf)[lost]
    assert fit.tau_interval[1 - lost] == plain.tau_interval[1 - lost]
    assert any(note.code == "tau-end-lost" for note in fit.notes)


def test_three_judges_whose_profile_went_round_in_circles_have_an_interval():
    fit = JudgeSlopes().fit(campaign(3, 60, 0.5, seed=7037, worths=(0.8, 0.3, 0.0)))
    # a grid of 6,001 points and BFGS: −171.8792 at τ = .3, −173.7582 at 1.6, −174.2435 at 2
    assert fit.loglik == pytest.approx(-171.87, abs=0.01)
    assert fit.tau_interval[0] == 0
    assert 1.6 < fit.tau_interval[1] < 2


def test_a_profile_that_goes_round_in_circles_takes_more_nodes(monkeypatch):
    one = campaign(25, 40, 0.5, seed=21)
    plain = JudgeSlopes().fit(one)
    settle = judge_slopes_likelihood._settle

    def fail_with_few(likelihood, beta):
        if (
            likelihood.tau is not None
            and likelihood.nodes <= judge_slopes_likelihood.MIN_PROFILE_NODES
        ):
            raise NotConverged("round in circles")
        return settle(likelihood, beta)

    monkeypatch.setattr(judge_slopes_likelihood, "_settle", fail_with_few)
    fit = JudgeSlopes().fit(one)
    assert fit.tau_interval == pytest.approx(plain.tau_interval, abs=1e-4)
    assert fit.notes == plain.notes


def test_with_many_cells_the_interval_is_walds_and_near_the_profiles(monkeypatch):
    one = campaign(150, 40, 0.5, seed=5)
    profile = JudgeSlopes().fit(one)
    monkeypatch.setattr(judge_slopes_likelihood, "MAX_PROFILED_CELLS", 10)
    wald = JudgeSlopes().fit(one)
    assert (profile.tau_method, wald.tau_method) == ("profile likelihood", "Wald on log τ")
    assert wald.tau_interval == pytest.approx(profile.tau_interval, rel=0.03)


@pytest.mark.parametrize(("rule", "value"), [("MIN_TAU", 9.0), ("MIN_GAIN", 9.0)])
def test_a_tau_or_a_gain_that_is_none_leaves_the_plain_model(monkeypatch, rule, value):
    one = campaign(25, 40, 0.5, seed=21)
    assert JudgeSlopes().fit(one).tau > 0
    monkeypatch.setattr(judge_slopes_likelihood, rule, value)
    fit = JudgeSlopes().fit(one)
    assert (fit.tau, fit.loglik, len(fit.vcov)) == (0, fit.flat_loglik, len(fit.estimate))


def test_counts_beyond_the_digits_of_a_likelihood_are_refused_as_such(monkeypatch):
    one = campaign(10, 40, 0.5, seed=21)
    large = replace(one, wins=1e8 * one.wins, ties=1e8 * one.ties, losses=1e8 * one.losses)
    with pytest.raises(NotConverged, match=r"40,000,000,000 comparisons .*: rounding hides"):
        JudgeSlopes().fit(replace(large, n_judgments=4e10))

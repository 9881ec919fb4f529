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


def test_judges_of_opposite_preferences_are_refused_for_what_they_are():
    rng = np.random.default_rng(1)
    rows = [
        ("a", "b", float(round(1e5 * np.exp(u))), 1e4, 1e5, f"j{i:02d}")
        for i, u in enumerate(rng.normal(0, 0.4, 20))
    ]
    with pytest.raises(NotIdentified, match="judges prefer opposite systems") as refused:
        JudgeSlopes().fit(tally(*rows))
    assert "compare --model random-judges" in refused.value.remedies


def test_three_judges_whose_profile_went_round_in_circles_have_an_interval():
    fit = JudgeSlopes().fit(campaign(3, 60, 0.5, seed=7037, worths=(0.8, 0.3, 0.0)))
    # a grid of 6,001 points and BFGS: −171.8792 at τ = .3, −173.7582 at 1.6, −174.2435 at 2
    assert fit.loglik == pytest.approx(-171.87, abs=0.01)
    assert fit.tau_interval[0] == 0
    assert 1.6 < fit.tau_interval[1] < 2


def test_with_many_cells_the_interval_is_walds_and_near_the_profiles(monkeypatch):
    one = campaign(150, 40, 0.5, seed=5)
    profile = JudgeSlopes().fit(one)
    monkeypatch.setattr(judge_slopes_likelihood, "MAX_PROFILED_CELLS", 10)
    wald = JudgeSlopes().fit(one)
    assert (profile.tau_method, wald.tau_method) == ("profile likelihood", "Wald on log τ")
    assert wald.tau_interval == pytest.approx(profile.tau_interval, rel=0.03)


def test_counts_beyond_the_digits_of_a_likelihood_are_refused_as_such(monkeypatch):
    one = campaign(10, 40, 0.5, seed=21)
    large = replace(one, wins=1e8 * one.wins, ties=1e8 * one.ties, losses=1e8 * one.losses)
    with pytest.raises(NotConverged, match=r"40,000,000,000 comparisons .*: rounding hides"):
        JudgeSlopes().fit(replace(large, n_judgments=4e10))

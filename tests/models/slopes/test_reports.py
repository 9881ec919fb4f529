"""What a fit of judge slopes says, predicts and hands to machines; nothing too much."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import integrate, stats

from evenhand import read
from evenhand.data.tally import Factor
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    UnknownOption,
)
from evenhand.models.judge_slopes import JudgeSlopes
from slope_campaigns import Brute, campaign, outcome_logs
from tallies import tally


@pytest.fixture(scope="module")
def one():
    return campaign(15, 30, 0.6, seed=31)


@pytest.fixture(scope="module")
def fit(one):
    return JudgeSlopes().fit(one)


def ranked(seed):
    """Rankings of five systems by judges who are all the same: 12 judges, 15 rankings each."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(0.8, -0.8, 5)
    rows = [
        (f"r{i}", f"j{i % 12:02d}", "ABCDE"[s], k + 1)
        for i in range(180)
        for k, s in enumerate(np.argsort(-(worth + rng.gumbel(size=5))))
    ]
    return read(pl.DataFrame(rows, schema=["ranking", "judge", "system", "rank"], orient="row"))


def test_identical_judges_of_rankings_are_never_called_different():
    by_pairs = 0
    for seed in range(6):
        data = ranked(seed)
        fit = JudgeSlopes().fit(data)
        assert fit.n_comparisons == 10 * fit.n_judgments
        assert (fit.tau_test, fit.tau_interval, fit.tau_method) == (None, None, "none")
        assert "tau-of-rankings" in [note.code for note in fit.notes]
        said = {line.code for line in fit.says}
        assert not said & {"slopes-differ", "flattest"}
        pairs = data.comparisons().tally(by=("judge",))
        alone = replace(pairs, n_judgments=pairs.n_comparisons)
        by_pairs += JudgeSlopes().fit(alone).tau_test.p < 0.05
    print(f"as pairs {by_pairs} of 6 are called different")  # noqa: T201 - counts of a simulation
    assert by_pairs >= 2  # what the rule is for


def test_predictions_are_exact_where_slopes_differ_most(fit):
    wide = replace(fit, tau=4.0)
    gap = fit.lambdas[0] - fit.lambdas[2]

    def mixed(z):
        logs = outcome_logs(np.exp(4 * z) * gap, fit.estimate[-1], "davidson")
        return stats.norm.pdf(z) * np.exp(logs[0])

    expected = integrate.quad(mixed, -9, 9, points=np.linspace(-2, 2, 41).tolist(), limit=400)[0]
    assert wide.predict([("s0", "s2")])[0, 0] == pytest.approx(expected, abs=1e-8)


def test_one_judge_or_one_comparison_a_judge_says_nothing_of_slopes():
    with pytest.raises(NotIdentified, match="there is one judge, whose slope is the unit"):
        JudgeSlopes().fit(tally(("a", "b", 6, 2, 4, "x"), ("b", "c", 6, 2, 4, "x")))
    rows = [("a", "b", 1, 0, 0, "x"), ("a", "b", 0, 0, 1, "y"), ("a", "b", 1, 0, 0, "z")]
    with pytest.raises(NotIdentified, match="no judge gave two comparisons"):
        JudgeSlopes().fit(tally(*rows))


def test_few_judges_are_noted():
    few, more = (JudgeSlopes().fit(campaign(n, 60, 0.5, seed=7)) for n in (4, 5))
    assert any("4 judges are too few" in note for note in few.notes)
    assert not any("too few" in note for note in more.notes)


def test_refusals_advise_nothing_that_this_model_refuses():
    rows = [("a", "b", 5, 1, 0, "x"), ("a", "c", 4, 1, 0, "y"), ("b", "c", 2, 1, 2, "y")]
    with pytest.raises(NotIdentified, match='nobody preferred anything to "a"') as refused:
        JudgeSlopes(ties="discard").fit(tally(*rows))
    advice = refused.value.remedies
    assert "leave it out" in advice
    assert [said for said in advice if "--" in said] == ["fit --model bradley-terry --prior 1"]


def test_slopes_of_which_some_are_endless_are_refused():
    always = [("a", "b", 400, 0, 0, f"x{i}") for i in range(10)]
    chance = [("a", "b", 200, 0, 200, f"y{i}") for i in range(10)]
    with pytest.raises(NotIdentified, match="spread of the judges' slopes has no finite estimate"):
        JudgeSlopes().fit(tally(*always, *chance))


def test_what_a_tally_does_not_tell_is_refused(one):
    with pytest.raises(UnknownColumn, match="does not distinguish judge"):
        JudgeSlopes().fit(one.pool())
    merged = {"judge": replace(one.factors["judge"], merged=True)}
    with pytest.raises(UnknownOption, match="levels of judge were merged"):
        JudgeSlopes().fit(replace(one, factors=merged))
    with pytest.raises(UnknownOption, match="importance weights"):
        JudgeSlopes().fit(replace(one, squares=one.counts))
    with pytest.raises(UnknownOption, match="ties cannot be 'rao-kupper'"):
        JudgeSlopes(ties="rao-kupper")
    with pytest.raises(InvalidJudgments, match="not to NoneType"):
        JudgeSlopes().fit(None)


def test_judges_with_nothing_but_ties_have_no_slope_where_ties_are_dropped(one):
    silent = tally(("s0", "s1", 0, 5, 0, "quiet"), systems=one.systems)
    joined = {
        name: np.concatenate([getattr(one, name), getattr(silent, name)])
        for name in ("left", "right", "wins", "ties", "losses")
    }
    own = one.factors["judge"]
    codes = np.append(own.codes, own.size).astype(np.int32)
    judges = Factor((*own.labels, "quiet"), codes, np.append(own.loads, 5.0), own.size + 1)
    fit = JudgeSlopes(ties="discard").fit(replace(one, **joined, factors={"judge": judges}))
    assert "quiet" not in fit.slopes.judges
    assert any("1 judge gave only ties" in note for note in fit.notes)


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


def test_counts_beyond_the_digits_of_a_likelihood_are_refused_as_such(monkeypatch):
    one = campaign(10, 40, 0.5, seed=21)
    large = replace(one, wins=1e8 * one.wins, ties=1e8 * one.ties, losses=1e8 * one.losses)
    with pytest.raises(NotConverged, match=r"40,000,000,000 comparisons .*: rounding hides"):
        JudgeSlopes().fit(replace(large, n_judgments=4e10))

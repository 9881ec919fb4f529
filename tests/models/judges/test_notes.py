"""What random judges refuse, and what they note."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from scipy.optimize import minimize

from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    UnknownOption,
)
from evenhand.models.random_judges import RandomJudges
from judge_panels import tastes
from tallies import tally

CAMPAIGN = tastes((40, 4, 15), 0.7, seed=9)


def test_answers_that_cannot_tell_sigma_are_refused_in_words():
    with pytest.raises(NotIdentified, match=r"from one judge \(x\)"):
        RandomJudges().fit(tally(("a", "b", 3, 1, 2, "x")))
    singles = [("a", "b", i % 2, 0, 1 - i % 2, f"j{i}") for i in range(9)]
    with pytest.raises(NotIdentified, match="each of 9 judges gave one judgment"):
        RandomJudges().fit(tally(*singles))
    steady = [("a", "b", 4 * (i % 2), 0, 4 - 4 * (i % 2), f"j{i}") for i in range(9)]
    with pytest.raises(NotIdentified, match="σ has no finite estimate"):
        RandomJudges().fit(tally(*steady))


def test_ties_alone_are_no_contradiction_but_a_cycle_is():
    chain = [("a", "b", 1, 0, 0), ("b", "c", 0, 1, 0), ("a", "c", 1, 0, 0)]
    turn = [("c", "b", 1, 0, 0), ("b", "a", 0, 1, 0), ("c", "a", 1, 0, 0)]
    rows = [(*row, f"j{i}") for i in range(6) for row in (chain if i % 2 else turn)]
    with pytest.raises(NotIdentified, match="no judge ever contradicts"):
        RandomJudges().fit(tally(*rows))
    circle = [("a", "b", 1, 0, 0, "z"), ("b", "c", 1, 0, 0, "z"), ("c", "a", 1, 0, 0, "z")]
    assert RandomJudges().fit(tally(*rows, *circle)).sigma > 0


def test_worths_that_do_not_exist_are_refused_as_for_bradley_terry():
    rows = [("a", "b", 3, 0, 0, "x"), ("b", "c", 2, 1, 2, "x"), ("b", "c", 2, 0, 2, "y")]
    with pytest.raises(NotIdentified, match='nobody preferred anything to "a"'):
        RandomJudges().fit(tally(*rows))
    with pytest.raises(NotIdentified, match="every comparison is a tie"):
        RandomJudges(ties="discard").fit(tally(("a", "b", 0, 3, 0, "x"), ("a", "b", 0, 2, 0, "y")))


def test_data_without_judges_or_with_importance_weights_are_refused():
    with pytest.raises(UnknownColumn, match="judge"):
        RandomJudges().fit(tally(("a", "b", 3, 1, 2)))
    with pytest.raises(UnknownOption, match="importance weights"):
        RandomJudges().fit(replace(CAMPAIGN, squares=CAMPAIGN.counts))
    with pytest.raises(InvalidJudgments, match="not to NoneType"):
        RandomJudges().fit(None)


def test_names_that_the_fit_does_not_know_are_refused():
    fit = RandomJudges().fit(CAMPAIGN)
    with pytest.raises(InvalidJudgments, match="no system 's9'"):
        fit.predict([("s0", "s9")])
    with pytest.raises(InvalidJudgments, match="no judge 'judge 00'"):
        fit.judges(["judge 00"])
    with pytest.raises(InvalidJudgments, match="with itself"):
        fit.contrasts([("s0", "s0")])


def test_few_judges_and_few_answers_are_noted():
    few = RandomJudges().fit(tastes((3, 3, 60), 0.7, seed=2))
    assert any("3 judges are too few" in note for note in few.notes)
    thin = RandomJudges().fit(tastes((40, 3, 3), 0.7, seed=6))
    assert thin.sigma_interval[1] > 1 or thin.sigma_interval[1] == inf
    assert any("hardly say how much judges differ" in note for note in thin.notes)
    assert any("0.82 of simulated contrasts" in note for note in few.notes)
    five = RandomJudges().fit(tastes((5, 3, 60), 0.7, seed=2))
    assert any("5 judges are too few" in note for note in five.notes)
    assert not any("too few" in note for note in RandomJudges().fit(CAMPAIGN).notes)


def test_as_many_preferences_as_ties_on_one_walk_are_a_contradiction():
    """The maximum by brute force: two-dimensional quadrature and a general optimiser."""
    rows = [("a", "b", 3 * (i % 2), 2, 3 - 3 * (i % 2), f"j{i}") for i in range(10)]
    fit = RandomJudges(restricted=False).fit(tally(*rows))
    at, weight = np.polynomial.hermite_e.hermegauss(200)

    def loss(parameters):
        x, gamma, log_sigma = parameters
        half = (x + np.sqrt(2) * np.exp(log_sigma) * at) / 2
        norm = np.logaddexp(np.logaddexp(half, -half), gamma)
        ends = [3 * side * half + 2 * gamma - 5 * norm for side in (1, -1)]
        return -5 * sum(np.log(weight @ np.exp(end) / weight.sum()) for end in ends)

    found = minimize(loss, [0.0, 0.5, 0.5], method="Nelder-Mead", options={"xatol": 1e-6})
    assert fit.loglik == pytest.approx(-found.fun, abs=1e-3)
    assert fit.sigma == pytest.approx(np.exp(found.x[2]), rel=2e-3)


def test_a_walk_that_leads_back_by_ties_alone_is_none():
    """Asked without ties only the circle of preferences would count."""
    rows = [("a", "b", 3 * (i % 2), 0, 3 - 3 * (i % 2), f"j{i}") for i in range(6)]
    with pytest.raises(NotIdentified, match="no judge ever contradicts"):
        RandomJudges().fit(tally(*rows, ("a", "b", 0, 2, 0, "t")))
    tied = [("a", "b", 2, 0, 0), ("b", "c", 2, 0, 0), ("a", "c", 0, 1, 0)]
    turned = [("b", "a", 2, 0, 0), ("c", "b", 2, 0, 0), ("a", "c", 0, 1, 0)]
    told = [(*row, f"j{i}") for i in range(8) for row in (tied if i % 2 else turned)]
    assert RandomJudges().fit(tally(*told)).sigma > 0


def test_sigma_beyond_six_is_said_to_be_there_with_what_to_collect():
    steady = [("a", "b", 100 * (i % 2), 0, 100 - 100 * (i % 2), f"j{i}") for i in range(9)]
    with pytest.raises(NotConverged, match=r"rises at σ = 6.*let judges answer more") as lost:
        RandomJudges().fit(tally(*steady, ("a", "b", 5, 0, 5, "t")))
    assert "laplace" not in str(lost.value)

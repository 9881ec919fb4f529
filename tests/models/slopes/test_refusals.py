"""What judge slopes refuse, with which advice, and what they leave out with a note."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.data.tally import Factor
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownColumn, UnknownOption
from evenhand.models.judge_slopes import JudgeSlopes
from slope_campaigns import campaign
from tallies import tally


@pytest.fixture(scope="module")
def one():
    return campaign(15, 30, 0.6, seed=31)


@pytest.fixture(scope="module")
def fit(one):
    return JudgeSlopes().fit(one)


def test_one_comparison_a_judge_says_nothing_of_slopes():
    rows = [("a", "b", 1, 0, 0, "x"), ("a", "b", 0, 0, 1, "y"), ("a", "b", 1, 0, 0, "z")]
    with pytest.raises(NotIdentified, match="no judge gave two comparisons"):
        JudgeSlopes().fit(tally(*rows))


def test_one_judge_is_refused_since_a_slope_is_the_unit_of_worths():
    with pytest.raises(NotIdentified, match="there is one judge, whose slope is the unit"):
        JudgeSlopes().fit(tally(("a", "b", 6, 2, 4, "x"), ("b", "c", 6, 2, 4, "x")))


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
    assert [one for one in advice if "--" in one] == ["fit --model bradley-terry --prior 1"]


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


def test_without_ties_there_is_no_gamma(one):
    fit = JudgeSlopes().fit(replace(one, ties=0 * one.ties))
    assert "g1" not in fit.names
    assert any(note.code == "no-ties" for note in fit.notes)

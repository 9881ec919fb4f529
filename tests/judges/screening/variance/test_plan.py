"""Designs: Brennan's figures, the formulas, and searches that keep their word."""

import numpy as np
import pytest

import evenhand
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judges.variance import find_design, plan_design, say_answer
from golden_numbers import golden
from judges.screening.variance.votes import voted
from models.scored import rows_of, simulate

SDS = {
    "system": 2.0,
    "judge": 3.0,
    "item": 2.0,
    "residual": 3.0,
    "judge x system": 1.0,
    "item x system": 1.5,
    "judge x item": 1.0,
}


@pytest.fixture(scope="module")
def found():
    return evenhand.estimate_components(simulate(1, SDS, n=500, sizes=(8, 20, 5)))


def test_a_design_of_the_size_that_was_judged_has_brennans_errors():
    entry = golden("variance_components", "brennan_p_i_o")
    scores = np.array(entry.input["scores"], dtype=float).reshape(10, 2, 4)
    system, judge, item = np.indices(scores.shape)
    made = evenhand.estimate_components(rows_of(judge, item, system, scores))
    v = entry.expected
    relative = v["judge x system"] / 2 + v["item x system"] / 4 + v["residual"] / 8
    absolute = relative + v["judge"] / 2 + v["item"] / 4 + v["judge x item"] / 8
    plan = made.plan(2, 4)
    assert plan.stderr == pytest.approx(np.sqrt(2 * relative), rel=1e-3)
    assert plan.reliability == pytest.approx(v["system"] / (v["system"] + relative), rel=1e-3)
    assert plan.dependability == pytest.approx(v["system"] / (v["system"] + absolute), rel=1e-3)
    assert made.stderr == pytest.approx(plan.stderr)
    assert made.reliability == pytest.approx(plan.reliability)


def test_raters_within_tasks_as_they_were_have_the_generalizability_that_brennan_prints():
    entry = golden("variance_components", "brennan_p_r_in_t")
    scores = np.array(entry.input["scores"], dtype=float).reshape(10, 3, 4)
    system, item, rater = np.indices(scores.shape)
    made = evenhand.estimate_components(rows_of(4 * item + rater, item, system, scores))
    assert made.stderr**2 / 2 == pytest.approx(entry.expected["relative error"], abs=1e-4)
    assert made.reliability == pytest.approx(entry.expected["generalizability"], abs=1e-4)
    plan = made.plan(12, 3, 4)
    assert plan.stderr**2 / 2 == pytest.approx(entry.expected["relative error"], abs=1e-4)


def test_a_single_system_cannot_be_planned_for():
    made = evenhand.estimate_components(simulate(1, SDS, sizes=(8, 20, 1)))
    assert made.stderr is None
    with pytest.raises(NotIdentified, match="there is one system"):
        made.plan(3, 10)


def test_systems_with_judges_of_their_own_cannot_be_planned_for():
    judge, item = np.indices((4, 20))
    rng = np.random.Generator(np.random.PCG64(3))
    made = evenhand.estimate_components(rows_of(judge, item, judge, rng.normal(0, 1, (4, 20))))
    assert made.find("system").carries
    with pytest.raises(NotIdentified, match="a judge of its own"):
        made.plan(3, 10)


def test_what_cannot_be_told_apart_counts_as_what_falls_most_slowly():
    judge, item = np.indices((6, 24))
    rng = np.random.Generator(np.random.PCG64(4))
    score = rng.normal(0, 1, (6, 24)) + rng.normal(0, 2, 24)[item]
    made = evenhand.estimate_components(rows_of(judge, item, item % 3, score))
    item_variance = made.find("item").variance
    assert made.find("item").carries == ("item x system",)
    assert plan_design(made, 1000, 10).stderr ** 2 >= 2 * item_variance / 10


@pytest.mark.parametrize("wish", [{"stderr": 1.5}, {"reliability": 0.9}])
@pytest.mark.parametrize("each", [None, 2])
def test_the_design_that_is_found_keeps_the_wish_and_none_smaller_does(found, wish, each):
    answer = find_design(found, **wish, each=each)
    best = answer.best
    assert best.stderr <= answer.wish + 1e-9
    if "reliability" in wish:
        assert best.reliability >= 0.9 - 1e-9
    for judges in range(2, best.judges * best.items):
        fewer = (best.judges * best.items - 1) // judges
        if fewer >= 1:
            assert plan_design(found, judges, fewer, each).stderr > answer.wish
    if answer.least > 2:
        assert plan_design(found, answer.least - 1, 100_000, each).stderr > answer.wish


def test_a_wish_beyond_a_thousand_judges_has_no_design(found):
    assert find_design(found, stderr=0.001).best is None


@pytest.mark.parametrize("wish", [{"stderr": -1.0}, {"reliability": 1.0}])
def test_a_wish_that_cannot_be_is_refused(found, wish):
    with pytest.raises(UnknownOption):
        find_design(found, **wish)


def test_a_design_without_judges_is_refused(found):
    with pytest.raises(UnknownOption, match="at least one judge"):
        found.plan(0, 10)


def test_no_reliability_is_promised_where_systems_do_not_differ():
    rows = simulate(1, SDS)
    means = np.bincount(rows.system, rows.score) / np.bincount(rows.system)
    level = rows_of(rows.judge, rows.item, rows.system, rows.score - means[rows.system])
    made = evenhand.estimate_components(level)
    assert made.find("system").variance == 0
    assert made.plan(5, 10).reliability is None
    with pytest.raises(NotIdentified, match="none between systems"):
        find_design(made, reliability=0.9)


def test_of_comparisons_the_fewest_are_planned_and_then_the_fewest_items():
    made = evenhand.estimate_components(voted(1))
    answer = find_design(made, stderr=0.2)
    best = answer.best
    assert best.stderr <= 0.2
    assert plan_design(made, best.judges - 1, 100_000).stderr > 0.2
    assert plan_design(made, best.judges, best.items - 1).stderr > 0.2
    said = " ".join(say_answer(made, answer, "It"))
    assert f"With fewer than {answer.least} judges of 150 comparisons each no number" in said


def test_constant_scores_plan_nothing():
    judge, item, system = np.indices((3, 4, 2))
    made = evenhand.estimate_components(rows_of(judge, item, system, np.full(24, 3.0)))
    assert made.stderr is None
    with pytest.raises(NotIdentified, match="all scores are equal"):
        made.plan(3, 10)


def test_comparisons_have_the_variance_of_tastes_and_chance():
    made = evenhand.estimate_components(voted(1))
    judge, item = (made.find(f"{name} x system").variance for name in ("judge", "item"))
    plan = made.plan(10, 50, 100)
    tastes = (2 * judge / 10 + 2 * item / 50) / made.growth
    assert plan.stderr**2 == pytest.approx(tastes + made.per_vote / 1000)
    assert plan.judgments == 1000
    assert plan.dependability is None

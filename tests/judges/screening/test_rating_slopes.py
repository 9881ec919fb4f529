from dataclasses import replace

import numpy as np
import pytest

from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET, read_scale
from evenhand.judges.rating_evidence import (
    UNKNOWN_ERROR,
    Expectation,
    expect_scores,
    find_clues,
    find_habits,
    find_severity,
    rating_slopes,
    use_of_points,
)
from experiments.rating_panels import RatingPanel
from rating_lines import table_of


@pytest.fixture(scope="module")
def panel():
    return RatingPanel(each=120, bad=(("random", 3), ("reversed", 3)))


def draw(panel, seed=1):
    return panel.draw(np.random.default_rng(seed))


def slopes_of(rows):
    return rating_slopes(expect_scores(rows))


def test_the_slope_does_not_hear_the_judge_himself():
    """A judge with outputs, items and systems of his own has nothing to be compared with."""
    rows = table_of(
        [("A", "i1", "s1", 1), ("A", "i1", "s2", 5), ("A", "i2", "s1", 2), ("A", "i2", "s2", 4)]
        + [("B", f"k{k}", f"t{k % 2}", 1 + k % 5) for k in range(20)]
    )
    slopes = slopes_of(rows)
    assert slopes.slope.tolist() == [0, 0]
    assert slopes.error.tolist() == [UNKNOWN_ERROR, UNKNOWN_ERROR]


def expectation(x: np.ndarray, z: np.ndarray, item: np.ndarray, judge=None) -> Expectation:
    judge = np.zeros(len(x), np.int64) if judge is None else judge
    size = int(judge.max()) + 1
    return Expectation(
        judge=judge,
        item=item,
        output=np.arange(len(x)),
        scores=z,
        others=x,
        moment=None,
        shared=np.ones(len(x), bool),
        lost=np.ones(size, np.int64),
        row_own=z,
        row_others=x,
    )


def test_errors_of_the_outputs_of_an_item_are_taken_together():
    """x = +-1 and residuals +-1 that are alike in an item of 4: 10 items of squared sum 16, times
    10/9, over (Sum x^2)^2 = 1600; the usual error has 1/40 and no more than (1 + 4/120)."""
    x = np.tile([1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0], 5)
    item = np.arange(40) // 4
    bent = np.where(item % 4 < 2, 1.0, -1.0) * x  # left x x: alike within the item
    together = rating_slopes(expectation(x, 0.5 * x + bent, item))
    alone = rating_slopes(expectation(x, 0.5 * x + bent, np.arange(40)))
    assert together.error[0] == pytest.approx(np.sqrt(16 * 10 * 10 / 9) / 40, rel=0.05)
    assert alone.error[0] == pytest.approx(np.sqrt(1 / 40 * (1 + 4 / 120)), rel=0.05)


def test_a_slope_that_rests_on_few_outputs_has_a_larger_error():
    """n = 3 (Sum x^2)^2 / Sum x^4: 120 for x = +-1; 3 where one output has it all."""
    rng = np.random.default_rng(1)
    z = rng.choice([-1.0, 1.0], 40)
    even, one = np.tile([1.0, -1.0], 20), np.append(np.sqrt(40.0), np.full(39, 1e-9))
    z[0] = 0
    errors = [rating_slopes(expectation(x, z, np.arange(40))).error[0] for x in (even, one)]
    assert errors[1] / errors[0] == pytest.approx(np.sqrt((1 + 4 / 3) / (1 + 4 / 120)), rel=0.05)


NAMES = "judge item system score kind direction seconds"


def judged(kinds, seed=0):
    """Each judge scores 40 shared outputs; then 12 damaged ones and 12 again."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(50, 20, 40)
    rows = []
    for j, kind in enumerate(kinds):
        sign = {"honest": 1, "random": 0, "reversed": -1}[kind]

        def say(k, shift=0.0, sign=sign):
            return 50 + sign * (worth[k] + shift - 50) + rng.normal(0, 8 if sign else 25)

        place = [(f"J{j:02}", f"i{k}", f"s{k % 4}") for k in range(40)]
        rows += [(*place[k], say(k), TARGET, 0, 30 * rng.lognormal(0, 0.3)) for k in range(40)]
        rows += [(*place[k], say(k, -40), CONTROL, -1, 30) for k in range(12)]
        rows += [(*place[k], say(k), REPEAT, 0, 30) for k in range(12, 24)]
    return table_of(rows, NAMES)


@pytest.fixture(scope="module")
def clues():
    rows = judged(["honest"] * 12 + ["random", "reversed"])
    return {clue.name: clue for clue in find_clues(rows, expect_scores(rows))}


def test_controls_speak_for_honest_against_random_and_for_the_reversed_class(clues):
    logs = clues["controls"].logs
    assert (logs[:12].argmax(axis=1) == 0).all()
    assert logs[12].argmax() == 1
    assert logs[13].argmax() == 2
    assert clues["controls"].right[:12].min() > 0.8
    assert clues["controls"].right[13] < 0.2


def test_repeats_tell_the_random_from_both_others(clues):
    logs = clues["repeats"].logs
    assert (logs[:12, 0] > logs[:12, 1]).all()
    assert logs[12, 1] > logs[12, 0]
    assert logs[13, 0] == logs[13, 2] > logs[13, 1]
    assert (np.abs(clues["repeats"].value) <= 1).all()


def test_controls_of_a_careless_judge_vary_by_two_scores_each(clues):
    """12 controls, each beside the judge's own score of the output: N(0, 2 / 12)."""
    clue = clues["controls"]
    assert clue.count[12] == 12
    told = -(clue.value**2) / (2 * 2 / 12) - np.log(2 / 12) / 2
    assert clue.logs[:, 1] == pytest.approx(told)


def habits_of(rows, scale=None):
    seen = expect_scores(rows)
    return {habit.name: habit for habit in find_habits(rows, seen, rating_slopes(seen), scale)}


@pytest.fixture(scope="module")
def rows():
    return RatingPanel(each=120).draw(np.random.default_rng(4))


def test_coarse_and_extreme_judges_stand_out_each_in_their_habit():
    panel = RatingPanel(each=60, bad=(("coarse", 3), ("extreme", 3)))
    habits = habits_of(panel.draw(np.random.default_rng(5)))
    assert (habits["coarse"].p[:3] < 1e-4).all()
    assert (habits["extreme"].p[3:6] < 1e-4).all()
    assert np.median(habits["coarse"].p[3:]) > 0.1


def test_a_judge_who_grows_severe_within_the_session_drifts(rows):
    own = rows.judge == 7
    place = np.argsort(np.argsort(rows.moment[own])) / own.sum()
    score = rows.score.copy()
    score[own] += 2.5 * (0.5 - place)
    habit = habits_of(replace(rows, score=np.clip(np.round(score), 1, 5)))["drifting"]
    assert habit.p[7] < 0.01
    assert habit.value[7] < -1
    assert habits_of(rows)["drifting"].p[7] > 0.01


def scores_of(*judges):
    return table_of(
        [(f"J{j}", f"i{k}", "s", y) for j, own in enumerate(judges) for k, y in enumerate(own)]
    )


def test_judges_who_use_the_scale_alike_are_what_is_usual():
    use = use_of_points(scores_of(*[[1, 2, 2, 3, 3, 3, 4, 4, 5] * 30] * 4))
    assert use.same == pytest.approx(use.same_usual, abs=0.01)
    assert use.same[0] == pytest.approx((1 + 4 + 9 + 4 + 1) / 81, abs=0.01)
    assert use.ends == pytest.approx(np.full(4, 2 / 9))
    assert use.ends_usual == pytest.approx(use.ends, abs=1e-6)


def test_ends_are_those_of_the_declared_scale():
    rows = scores_of([2, 3, 4, 4] * 5, [2, 2, 3, 3] * 5)
    assert use_of_points(rows).ends == pytest.approx([0.75, 0.5])
    assert use_of_points(rows, read_scale("1-5")).ends == pytest.approx([0, 0])


def test_severity_is_own_minus_others_on_the_same_outputs():
    rows = [("A", "1", "s", 5), ("B", "1", "s", 3), ("C", "1", "s", 1)]
    rows += [("A", "2", "s", 4), ("B", "2", "s", 2)]
    found = find_severity(table_of(rows))
    assert found.gap == pytest.approx([2.5, -1.0, -3.0])  # A: 5 − 2 and 4 − 2; B: 3 − 3 and 2 − 4
    assert found.outputs.tolist() == [2, 2, 1]
    assert found.margin[0] == pytest.approx(
        12.7062 * 0.5, rel=1e-4
    )  # t on 1 df, as printed in tables
    assert np.isinf(found.margin[2])


def test_the_system_stands_in_where_nobody_else_scored_the_output():
    found = find_severity(table_of([("A", "1", "s", 5), ("B", "2", "s", 3), ("B", "3", "s", 1)]))
    assert found.gap.tolist() == [3.0, -3.0]


def test_scales_that_differ_are_compared_in_percent():
    rows = [("A", "1", "s", 5, "x"), ("B", "1", "s", 1, "x")]
    rows += [("A", "1", "s", 100, "y"), ("B", "1", "s", 0, "y")]
    found = find_severity(table_of(rows, "judge item system score criterion"))
    assert found.unit == "% of the scale"
    assert found.gap.tolist() == [100.0, -100.0]

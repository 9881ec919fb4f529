import numpy as np
import pytest

from evenhand.judges.habits import find_habits
from evenhand.judges.rating_evidence import expect_scores, rating_slopes
from experiments.rating_panels import RatingPanel


def habits_of(rows, scale=None):
    seen = expect_scores(rows)
    return {habit.name: habit for habit in find_habits(rows, seen, rating_slopes(seen), scale)}


def changed(rows, score):
    names = {name: getattr(rows, name) for name in rows.__dataclass_fields__}
    return type(rows)(**{**names, "score": np.clip(np.round(score), 1, 5)})


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
    habit = habits_of(changed(rows, score))["drifting"]
    assert habit.p[7] < 0.01
    assert habit.value[7] < -1
    assert habits_of(rows)["drifting"].p[7] > 0.01


def test_a_judge_who_stops_to_look_drifts(rows):
    own = np.flatnonzero(rows.judge == 7)
    late = own[np.argsort(rows.moment[own])][60:]
    score = rows.score.copy()
    score[late] = np.random.default_rng(0).permutation(score[late])
    habit = habits_of(changed(rows, score))["drifting"]
    assert float(habit.says[7].rpartition(" ")[2]) < -0.5  # the slope changes by so much
    assert habit.p[7] < 0.05

"""Time weighs what these judges show, no more than 2 nats, and nothing where nobody is suspect."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.data.votes import Votes
from evenhand.judges.comparison_evidence import MAX_LOG_RATIO, PSEUDO_JUDGES, weigh_seconds
from vote_campaigns import make_votes


def timed(seconds: list[list[float]]) -> Votes:
    n = len(seconds[0])
    judge = np.repeat(np.arange(len(seconds)), n)
    sides = np.stack([np.zeros(len(judge)), np.ones(len(judge))])
    votes = make_votes((len(seconds), 2), judge, np.arange(len(judge)), sides, 0 * judge)
    return replace(votes, seconds=np.ravel(seconds))


def sure(*careless: int, judges: int = 10) -> np.ndarray:
    posterior = np.tile([1.0, 0.0, 0.0], (judges, 1))
    posterior[list(careless)] = [0.0, 1.0, 0.0]
    return posterior


def test_the_median_time_of_each_judge_is_given():
    found = weigh_seconds(timed([[4, 9, 5], [20, 30, np.nan]]), sure(judges=2))
    assert found.seconds.tolist() == [5, 25]
    assert found.usual == 15


def test_log_likelihoods_are_those_of_the_normals_that_were_learnt():
    seconds = np.array([20.0, 22, 25, 18, 21, 24, 19, 23, 20, 6])
    t = np.log1p(seconds)
    found = weigh_seconds(timed([[s] for s in seconds.tolist()]), sure(9))
    centre, square = t[:9].mean(), t[:9].var()
    quick = (t[9] + PSEUDO_JUDGES * centre) / (1 + PSEUDO_JUDGES)
    ratio = ((t - centre) ** 2 - (t - quick) ** 2) / (2 * square)
    assert found.logs[:, 1] == pytest.approx(np.clip(ratio, -MAX_LOG_RATIO, MAX_LOG_RATIO))
    assert found.logs[9, 1] == MAX_LOG_RATIO
    assert not found.logs[:, [0, 2]].any()


def test_time_says_nothing_where_nobody_looks_careless():
    seconds = [[20.0], [22.0], [25.0], [1.0]]
    assert weigh_seconds(timed(seconds), sure(judges=4)).logs == pytest.approx(0)


def test_time_that_is_unknown_or_always_the_same_is_not_used():
    assert weigh_seconds(replace(timed([[1.0], [2.0]]), seconds=None), sure(judges=2)) is None
    assert weigh_seconds(timed([[np.nan], [np.nan]]), sure(judges=2)) is None
    assert weigh_seconds(timed([[7.0], [7.0]]), sure(judges=2)) is None

"""What would change a ranking by ratings: choices, and how few judges and items carry it."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.ranking.robustness.sensitivity import check_ratings, leave_levels_out


def make(n=300, judges=8, seed=4):
    """Simulate ratings in which the lead of system a over b rests on two of the judges."""
    rng = np.random.default_rng(seed)
    judge, item = rng.integers(0, judges, n), rng.integers(0, 25, n)
    system = rng.integers(0, 3, n)
    score = 10 + np.array([-0.3, 0.0, -3.0])[system] + 0.5 * rng.normal(size=n)
    score += np.where((judge < 2) & (system == 0), 3.0, 0.0)
    return pl.DataFrame(
        {
            "judge": [f"judge-{one}" for one in judge],
            "item": [f"item-{one}" for one in item],
            "system": ["abc"[one] for one in system],
            "score": score,
        }
    )


def rows(frame):
    return evenhand.read(frame).rows()


def leads(frame):
    fit = evenhand.Adjusted().fit(evenhand.read(frame))
    return fit.systems[int(np.argmax(fit.estimate))]


def test_the_named_judges_carry_the_lead_and_no_fewer_do():
    frame = make()
    found = check_ratings(rows(frame))
    (flip,) = [one for one in found.fragility.flips if one.unit == "judge" and "first" in one.claim]
    assert {one.judge for one in flip.removed} >= {"judge-0", "judge-1"}
    rest = frame.filter(~pl.col("judge").is_in([one.judge for one in flip.removed]))
    assert leads(rest) == flip.ahead == "b"
    smaller = combinations(sorted(set(frame["judge"])), flip.fewest - 1)
    assert all(leads(frame.filter(~pl.col("judge").is_in(some))) == "a" for some in smaller)


def test_influence_is_close_to_a_refit_without_the_judge():
    frame = make()
    fit = evenhand.Adjusted().fit(evenhand.read(frame))
    factor = fit.data.factors["judge"]
    changes = leave_levels_out(fit, factor.codes, factor.size)
    for at, judge in enumerate(factor.labels):
        again = evenhand.Adjusted().fit(evenhand.read(frame.filter(pl.col("judge") != judge)))
        centred = [one.estimate - one.estimate.mean() for one in (again, fit)]
        assert np.allclose(changes[at], centred[0] - centred[1], atol=0.02)


def test_every_choice_is_a_ranking_of_its_own():
    found = check_ratings(rows(make())).sensitivity
    names = [one.name for one in found.choices]
    assert names[:4] == ["default", "model mean", "model z", "model mixed"]
    assert "clustered by judge alone" in names
    alone = evenhand.rank(evenhand.read(make()), cluster="judge")
    (by_judge,) = [one for one in found.choices if one.name == "clustered by judge alone"]
    assert by_judge.rank_upper == tuple(alone.rank_upper.tolist())


def test_pairs_that_are_asked_about_must_be_in_the_order_of_the_board():
    with pytest.raises(UnknownOption, match="ask about a ahead of c"):
        check_ratings(rows(make()), pairs=[("c", "a")])
    with pytest.raises(InvalidJudgments, match="no system 'x'"):
        check_ratings(rows(make()), pairs=[("a", "x")])

"""What a ranking holds: its JSON, its scales, its sentence."""

import json
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import polars as pl
import pytest

from evenhand.errors import InvalidJudgments
from evenhand.ranking import Ranking, rank
from ranking.panels import comparisons, panel


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    return rank(comparisons(panel(judges=9)))


def test_its_json_holds_the_contract_and_nothing_that_json_cannot_say(ranking):
    text = json.dumps(ranking.to_dict(), allow_nan=False)
    found = json.loads(text)
    contract = "signature level method n_judgments n_comparisons n_judges effective_judges systems"
    assert set(contract.split()) <= set(found)
    assert found["rank_interval"] == "marginal"
    assert found["n_judgments"] == 240
    columns = "system log_worth stderr lower upper rank rank_lower rank_upper cluster"
    for row in found["systems"]:
        assert [*columns.split(), "better_than", "wins", "ties", "losses"] == list(row)
        assert all(isinstance(row[name], int) for name in ("rank", "wins", "ties", "losses"))
        assert row["better_than"] + row["rank_upper"] == 4


def test_json_of_groups_names_them_and_says_which_were_refused():
    frame = panel(judges=9).with_columns(task=pl.lit("a"))
    lone = frame.filter(pl.col("outcome") == "tie").with_columns(task=pl.lit("b"))
    found = rank(comparisons(pl.concat([frame, lone])))
    text = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert list(text["groups"]) == ["a"]
    assert list(text["refused"]) == ["b"]
    assert len(found) == 1


def test_importance_weights_stay_fractions_in_json():
    frame = panel(judges=9).with_columns(weight=pl.lit(0.3))
    data = comparisons(frame)
    found = rank(type(data)(data.frame, weights="importance"))
    assert found.to_dict()["n_judgments"] == pytest.approx(72)
    assert "importance weights" in found.signature


def test_it_pickles_and_is_frozen(ranking):
    copy = pickle.loads(pickle.dumps(ranking))
    assert copy.to_dict() == ranking.to_dict()
    assert str(copy) == str(ranking)
    with pytest.raises(FrozenInstanceError):
        ranking.level = 0.5


def test_worths_sum_to_one_and_are_odds(ranking):
    worths = ranking.worths()
    assert worths.sum() == pytest.approx(1)
    np.testing.assert_allclose(np.log(worths / worths[0]), ranking.log_worth - ranking.log_worth[0])


def test_400_points_of_elo_are_odds_of_10_to_1(ranking):
    elo = ranking.elo()
    assert elo.mean() == pytest.approx(1000)
    np.testing.assert_allclose(
        10 ** ((elo - elo[0]) / 400), np.exp(ranking.log_worth - ranking.log_worth[0])
    )


def test_a_system_is_found_by_name(ranking):
    assert ranking.row("s2") == ranking.rows()[ranking.systems.index("s2")]
    with pytest.raises(InvalidJudgments, match=r"no system 's22'. Did you mean 's2'\?"):
        ranking.row("s22")


def says(lower: list[int], upper: list[int]) -> str:
    ranking = rank(comparisons(panel(judges=9, systems=len(lower), n=60 * len(lower))))
    names = tuple("ABCDEFG"[: len(lower)])
    return replace(
        ranking, systems=names, rank_lower=np.array(lower), rank_upper=np.array(upper)
    ).says


@pytest.mark.parametrize(
    ("lower", "upper", "sentence"),
    [
        ([1, 2], [1, 2], "A is the best: better than the other 1"),
        ([1, 2, 2], [1, 3, 3], "A is the best: better than each of the other 2"),
        ([1, 1, 3], [2, 2, 3], "A and B may each be the best; these data do not tell which"),
        ([1, 2, 1], [3, 3, 3], "A and C may each be the best; these data do not tell which"),
        (
            [1, 2, 2],
            [2, 3, 3],
            "A may be the best, no other can; but not every comparison is decided",
        ),
        (
            [1, 1, 1, 1, 1, 6],
            [5, 5, 5, 5, 5, 6],
            "A, B, C and 2 more may each be the best; these data do not tell which",
        ),
        (
            [1, 1, 1],
            [3, 3, 3],
            "no system can be told to be worse than another: any of them may be the best",
        ),
    ],
)
def test_it_says_who_may_be_the_best(lower, upper, sentence):
    assert says(lower, upper) == sentence


def test_two_systems_that_are_undecided_cannot_be_told_apart():
    assert says([1, 1], [2, 2]) == "A and B cannot be told apart"

"""A cap on judges: weights by hand, everywhere the same, and what cannot be capped."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.weights import Mix
from evenhand.errors import UnknownColumn, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rank
from ranking.panels import comparisons, panel

UNEVEN = panel(n=600, judges=9).filter((pl.col("judge") > "j003") | (pl.int_range(600) % 4 == 0))


def test_a_capped_ranking_is_the_one_of_importance_weights_made_by_hand():
    loads = UNEVEN.group_by("judge").len()
    median = loads["len"].median()
    frame = UNEVEN.join(loads, on="judge").with_columns(
        weight=pl.min_horizontal(1.0, median / pl.col("len"))
    )
    by_hand = Comparisons(nw.from_native(frame.drop("len")), weights="importance")
    capped, other = rank(comparisons(UNEVEN), judge_cap="median"), rank(by_hand)
    np.testing.assert_allclose(capped.log_worth, other.log_worth, atol=1e-9)
    np.testing.assert_allclose(capped.stderr, other.stderr, rtol=1e-9)
    np.testing.assert_array_equal(capped.rank_lower, other.rank_lower)
    np.testing.assert_allclose(capped.wins, other.wins)
    assert capped.effective_judges == pytest.approx(other.effective_judges)
    assert capped.n_judgments == len(UNEVEN)
    assert "judge cap median" in capped.signature
    assert capped.to_dict()["mix"]["judge_cap"] == "median"


def test_every_group_has_a_median_of_its_own():
    frame = pl.concat(
        [UNEVEN.with_columns(task=pl.lit("a")), panel(4, judges=12).with_columns(task=pl.lit("b"))]
    )
    found = rank(comparisons(frame), judge_cap="median")
    alone = rank(comparisons(UNEVEN), judge_cap="median")
    np.testing.assert_allclose(found["a"].log_worth, alone.log_worth, atol=1e-9)


def test_what_cannot_be_capped_is_refused():
    data = comparisons(panel(judges=9))
    with pytest.raises(UnknownOption, match="judge_cap cannot be 'mean': choose median"):
        rank(data, judge_cap="mean")
    with pytest.raises(UnknownOption, match="a mix beside a judge cap"):
        rank(data, judge_cap="median", mix=Mix(each="judge"))
    with pytest.raises(UnknownColumn, match="names no judges"):
        rank(comparisons(panel().drop("judge")), judge_cap="median")
    weighted = comparisons(panel(judges=9).with_columns(weight=pl.lit(2)))
    with pytest.raises(UnknownOption, match="have weights already"):
        rank(weighted, judge_cap="median")
    with pytest.raises(UnknownOption, match="importance weights"):
        rank(data, judge_cap="median", model=BradleyTerry(), interval="model")

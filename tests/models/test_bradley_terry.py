"""Settings: what they may be, and how data of every kind reach the model."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.tally import Tally
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from model_family import campaign
from tallies import table, tally

ROUND = [(a, b, 3, 1, 2) for a in "ABC" for b in "ABC" if a != b]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ties": "davison"}, "ties cannot be 'davison'.*Did you mean 'davidson'"),
        ({"prior": -1.0}, "prior cannot be -1.0"),
        ({"prior": float("nan")}, "prior cannot be nan"),
        ({"references": {"judge": "j1"}}, "'judge', which is no judge covariate"),
        ({"judge_covariates": ("judge", "judge")}, "one is named twice"),
    ],
)
def test_settings_that_do_not_exist_are_refused(settings, words):
    with pytest.raises(UnknownOption, match=words):
        BradleyTerry(**settings)


def test_covariates_are_the_same_however_they_are_listed():
    expected = BradleyTerry(judge_covariates=("judge",))
    assert BradleyTerry(judge_covariates="judge") == expected
    assert BradleyTerry(judge_covariates=["judge"]) == expected


def test_an_unknown_reference_is_refused_with_the_nearest_name():
    with pytest.raises(InvalidJudgments, match=r"'s001' is not among the systems\. Did you mean"):
        BradleyTerry(reference="s001").fit(campaign())
    with pytest.raises(InvalidJudgments, match="There are s0000, s0001, s0002, s0003"):
        BradleyTerry(reference="zzz").fit(campaign())


def long(counted: Tally) -> Comparisons:
    """One row a judgment."""
    names, outcomes = counted.systems, ("left", "tie", "right")
    rows = [
        (names[a], names[b], outcomes[o])
        for a, b, counts in zip(counted.left, counted.right, counted.counts, strict=True)
        for o in range(3)
        for _ in range(int(counts[o]))
    ]
    return table(rows, ("left", "right", "outcome"))


@pytest.mark.parametrize("order", [False, True])
def test_a_table_and_its_tally_are_one(order):
    counted = tally(*ROUND)
    model = BradleyTerry(order_effect=order)
    one, two = model.fit(counted), model.fit(long(counted))
    np.testing.assert_array_equal(one.estimate, two.estimate)
    assert one.tally.digest == two.tally.digest
    assert two.n_judgments == 36


def test_a_judge_covariate_that_is_no_column_is_refused_with_the_nearest_name():
    data = table([("A", "B", "left", "x")], ("left", "right", "outcome", "expertise"))
    with pytest.raises(UnknownColumn, match="Did you mean 'expertise'"):
        BradleyTerry(judge_covariates=("expertize",)).fit(data)


def test_rankings_are_expanded_and_count_as_one_judgment_each():
    ranked = pl.DataFrame(
        {
            "ranking": ["r1"] * 3 + ["r2"] * 3 + ["r3"] * 3,
            "system": ["A", "B", "C"] * 3,
            "rank": [1, 2, 3, 2, 2, 1, 3, 1, 1],
        }
    )
    fit = BradleyTerry().fit(Rankings(nw.from_native(ranked)))
    assert (fit.n_judgments, fit.n_comparisons) == (3, 9)
    by_hand = tally(("A", "B", 1, 1, 1), ("A", "C", 1, 0, 2), ("B", "C", 1, 1, 1))
    np.testing.assert_array_equal(fit.estimate, BradleyTerry().fit(by_hand).estimate)
    with pytest.raises(UnknownOption, match="these data do not say"):
        BradleyTerry(order_effect=True).fit(Rankings(nw.from_native(ranked)))

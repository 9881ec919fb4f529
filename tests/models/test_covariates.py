"""Judge groups and system covariates: which columns there are, and which are aliased."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.data.tally import merge_levels
from evenhand.errors import NotIdentified, UnknownColumn, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from model_family import FEATURES, campaign
from tallies import tally

GROUPS = ("expert", "novice")
ROUND = [(a, b, 3, 1, 2, group) for group in GROUPS for a in "ABC" for b in "ABC" if a != b]
BY_JUDGE = BradleyTerry(judge_covariates=("judge",))


def with_second_factor(rows):
    """Rows end in (judge, item)."""
    one, two = tally(*[row[:6] for row in rows]), tally(*[(*row[:5], row[6]) for row in rows])
    return replace(one, factors={"judge": one.factors["judge"], "item": two.factors["judge"]})


def test_the_scale_of_a_covariate_does_not_alias_it():
    tiny = {"size": {name: 1e-9 * x for name, x in FEATURES["size"].items()}}
    shifted = {"size": {name: 2000 + x for name, x in FEATURES["size"].items()}}
    expected = BradleyTerry(system_covariates=FEATURES).fit(campaign())
    for features, scale in ((tiny, 1e-9), (shifted, 1)):
        fit = BradleyTerry(system_covariates=features).fit(campaign())
        assert fit.estimate[0] * scale == pytest.approx(expected.estimate[0], rel=1e-6)


def test_a_system_that_one_group_never_saw_has_no_interaction_there():
    """A3: the column is dropped, counted for no df and named below the table."""
    rows = [row for row in ROUND if row[5] == "expert" or "C" not in row[:2]]
    fit = replace(BY_JUDGE, reference="A").fit(tally(*rows))
    assert fit.names == ("o2", "o3", "o2:novice", "g1")
    assert fit.design.aliased == ("C:novice",)
    assert fit.df == 4 * 2 - 4  # three pairs of the experts, one of the novices
    assert "not estimated: C:novice" in fit.document().tables[0].legend
    with pytest.raises(NotIdentified, match="C was never seen by group novice"):
        fit.predict([("A", "C")], group="novice")
    assert fit.predict([("A", "C")]).shape == (1, 3)


def test_log_worths_need_a_reference_group_that_saw_every_system():
    rows = [row for row in ROUND if row[5] == "novice" or "C" not in row[:2]]
    fit = BY_JUDGE.fit(tally(*rows))
    with pytest.raises(NotIdentified, match="C was never seen by group expert"):
        _ = fit.log_worth
    other = replace(BY_JUDGE, references={"judge": "novice"}).fit(tally(*rows))
    assert other.log_worth.shape == (3,)
    assert other.loglik == pytest.approx(fit.loglik, rel=1e-12)


def test_two_covariates_add_up_and_the_reference_group_may_be_missing():
    rows = [
        (*row, item)
        for row in ROUND
        for item in ("easy", "hard")
        if (row[5], item) != ("expert", "easy")
    ]
    counted = with_second_factor(rows)
    model = BradleyTerry(judge_covariates=("judge", "item"))
    fit = model.fit(counted)
    assert fit.names[2:4] == ("o1:judge=novice", "o2:judge=novice")
    assert fit.design.groups == ("expert, hard", "novice, easy", "novice, hard")
    with pytest.raises(NotIdentified, match="no judgment is of the reference group"):
        _ = fit.log_worth
    assert fit.predict([("A", "B")], group="expert, hard").sum() == pytest.approx(1)
    there = replace(model, references={"item": "hard"}).fit(counted)
    assert there.log_worth.shape == (3,)


def test_as_many_covariates_as_systems_less_one_are_free_worths():
    names = campaign().systems
    features = {
        f"x{k}": {name: float((i + 1) ** k) for i, name in enumerate(names)} for k in (1, 2, 3)
    }
    fit, free = BradleyTerry(system_covariates=features).fit(campaign()), BradleyTerry()
    np.testing.assert_allclose(fit.log_worth, free.fit(campaign()).log_worth, atol=1e-6)


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (BradleyTerry(judge_covariates=("item",)), UnknownColumn, "does not distinguish item"),
        (
            BradleyTerry(judge_covariates=("judge",), references={"judge": "novise"}),
            UnknownOption,
            "'novise' is not a level of judge. Did you mean 'novice'?",
        ),
    ],
)
def test_unknown_covariates_and_levels_are_refused(model, error, words):
    with pytest.raises(error, match=words.replace("?", r"\?")):
        model.fit(tally(*ROUND))


def test_merged_levels_are_no_covariate():
    counted = tally(*[(*row[:5], f"{row[5]}{i % 3}") for i, row in enumerate(ROUND)])
    merged = {"judge": merge_levels(counted.factors["judge"], 2, seed=1)}
    with pytest.raises(UnknownOption, match="the levels of judge were merged"):
        BY_JUDGE.fit(replace(counted, factors=merged))

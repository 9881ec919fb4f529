"""Coefficients and contrasts: Wald tests as scipy has them, names as the papers have them."""

import numpy as np
import pytest

from evenhand.errors import InvalidJudgments
from evenhand.models.bradley_terry import BradleyTerry
from model_family import campaign


def test_the_reference_stands_at_zero_in_its_place_without_an_error():
    fit = BradleyTerry(reference="s0001", order_effect=True).fit(campaign())
    assert [one.name for one in fit.coefficients] == ["o1", "o2", "o3", "o4", "g1", "order"]
    labels = ["s0000", "s0001", "s0002", "s0003", "tie", "order"]
    assert [one.label for one in fit.coefficients] == labels
    reference = fit.coefficients[1]
    assert (reference.estimate, reference.stderr, reference.z, reference.p) == (0, None, None, None)


def test_interactions_carry_the_level_and_the_reference_level_none():
    fit = BradleyTerry(judge_covariates=("judge",), ties="none").fit(campaign())
    assert [one.name for one in fit.coefficients] == [
        *("o1", "o2", "o3", "o4"),
        *("o1:student", "o2:student", "o3:student"),
    ]
    assert fit.coefficients[4].label == "s0000:student"


def test_the_reference_level_is_the_one_that_is_named():
    model = BradleyTerry(judge_covariates=("judge",), references={"judge": "student"})
    fit = model.fit(campaign())
    assert [one.name for one in fit.coefficients if ":" in one.name] == [
        *("o1:expert", "o2:expert", "o3:expert"),
    ]
    worths = [one.estimate for one in fit.coefficients[:4]]
    np.testing.assert_allclose(worths, fit.lambdas)


def test_contrasts_of_unknown_systems_are_refused_with_the_nearest_name():
    fit = BradleyTerry().fit(campaign())
    with pytest.raises(InvalidJudgments, match="Did you mean 's0001'"):
        fit.contrasts([("s0000", "s001")])
    with pytest.raises(InvalidJudgments, match="'s0000' cannot be contrasted with itself"):
        fit.contrasts([("s0000", "s0000")])

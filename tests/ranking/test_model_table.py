"""Nested and rival models of one table, against numbers from R (tests/golden) and Dras (2015)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from evenhand import datasets, read
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.ranking.model_table import count_models, tabulate_models


@pytest.fixture(scope="module")
def table1():
    one = datasets.load("dras2015_table1")
    return read(pl.DataFrame(one.rows, schema=list(one.columns), orient="row"))


@pytest.fixture(scope="module")
def found(table1):
    return tabulate_models(table1)


@pytest.fixture(scope="module")
def rows(found):
    return {row.name: row for row in found.rows}


@pytest.fixture(scope="module")
def questions(found):
    return {one.answer: one for one in found.questions}


def test_deviances_of_table_1_are_those_of_prefmod(rows, golden):
    names = {
        "worths + ties": "eq1_with_ties",
        "worths, γ = 0": "eq1_gamma_zero",
        "+ worths by judge": "eq2_judge_covariate",
    }
    for name, entry in names.items():
        expected = golden("02_llbt_multi_pair_judges", entry).expected
        assert rows[name].deviance == pytest.approx(expected["deviance"], abs=1e-5)
        assert rows[name].df == expected["df"]


def test_rival_laws_of_ties_reach_the_log_likelihoods_of_ordinal_regression(rows, golden):
    rao_kupper = golden("02_llbt_multi_pair_judges", "rao_kupper").expected
    probit = golden("02_llbt_multi_pair_judges", "thurstone_ties_probit").expected
    assert rows["worths + Rao-Kupper"].loglik == pytest.approx(rao_kupper["logLik"], abs=1e-6)
    assert rows["worths + Rao-Kupper"].deviance == pytest.approx(rao_kupper["deviance"], abs=1e-5)
    assert rows["worths + Glenn-David"].loglik == pytest.approx(probit["logLik"], abs=1e-6)


def test_equal_worths_lose_what_the_likelihood_ratio_of_r_says(rows, questions, golden):
    expected = golden("02_llbt_multi_pair_judges", "eq1_with_ties").expected
    lost = rows["equal worths"].deviance - rows["worths + ties"].deviance
    assert lost == pytest.approx(expected["lr_equal_worth"]["stat"], abs=1e-5)
    assert questions["systems differ"].lr.df == expected["lr_equal_worth"]["df"]


def test_ties_need_a_parameter_in_table_1_at_the_printed_cost(questions, golden):
    expected = golden("02_llbt_multi_pair_judges", "eq1_with_ties").expected["lr_gamma"]
    lr = questions["ties need a parameter"].lr
    assert lr.statistic == pytest.approx(expected["stat"], abs=1e-5)
    assert lr.df == expected["df"]


def test_judges_of_table_1_differ_in_worths_and_not_in_ties(questions, golden):
    expected = golden("02_llbt_multi_pair_judges", "eq2_judge_covariate").expected
    worths = questions["worths differ by judge"].lr
    ties = questions["not significant at .05: the share of ties differs by judge"].lr
    assert worths.statistic == pytest.approx(expected["lr_judge_by_system"]["stat"], abs=1e-5)
    assert ties.statistic == pytest.approx(expected["lr_judge_by_tie"]["stat"], abs=1e-4)
    assert ties.p == pytest.approx(expected["lr_judge_by_tie"]["p"], abs=1e-6)


def test_the_population_of_tastes_costs_one_parameter(rows):
    """Six judges, two systems: AIC = −2ℓ + 2(p + 1), p = 2 for λ and γ."""
    votes = [
        (left, "yx"[left == "y"], outcome, f"j{judge}")
        for judge in range(6)
        for left, outcome in zip("xyxyxyxy", draw(judge), strict=True)
    ]
    frame = pl.DataFrame(votes, schema=["left", "right", "outcome", "judge"], orient="row")
    found = {row.name: row for row in tabulate_models(read(frame)).rows}
    row, base = found["+ random judges"], found["worths + ties"]
    assert (row.parameters, base.parameters) == (3, 2)
    assert row.aic == pytest.approx(-2 * row.loglik + 2 * (2 + 1))
    assert row.bic == pytest.approx(-2 * row.loglik + (2 + 1) * np.log(48))


def draw(judge):
    """Eight answers, of which judges give different shares."""
    return (
        ["left"] * 2
        + ["tie"] * 2
        + ["left", "right"] * 1
        + ["right"] * 1
        + ["left" if judge % 2 else "right"]
    )


def test_a_level_that_never_tied_is_a_parameter_too(table1):
    """γ of J1 is −∞, which the data chose: AIC of ties by judge counts it (INFERENCE A1)."""
    frame = pl.DataFrame(
        [("x", "y", o, j) for j, own in (("J1", "LLRR"), ("J2", "LTTR")) for o in own],
        schema=["left", "right", "outcome", "judge"],
        orient="row",
    ).with_columns(pl.col("outcome").replace_strict({"L": "left", "T": "tie", "R": "right"}))
    found = tabulate_models(read(frame))
    row = next(row for row in found.rows if row.name == "+ ties by judge")
    assert row.parameters == 4  # λ, λ of J2, γ of J2, γ of J1
    assert row.aic == pytest.approx(-2 * row.loglik + 2 * 4)
    asked = next(one for one in found.questions if "ties differs" in one.yes)
    assert (asked.lr.df, asked.walds) == (1, ())
    assert asked.notes == ("J1 never tied: no clustered test",)
    worths = next(one for one in found.questions if "worths differ" in one.yes)
    assert "every group is one judge: no test by judge" in worths.notes


def test_several_tasks_are_counted_apart_and_refused_as_one():
    frame = pl.DataFrame(
        {
            "task": ["a", "a", "b", "b"],
            "left": ["x", "y", "x", "y"],
            "right": ["y", "x", "y", "x"],
            "winner": ["left", "left", "left", "tie"],
        }
    )
    data = read(frame)
    assert sorted(count_models(data)) == ["a", "b"]
    with pytest.raises(InvalidJudgments, match="has 2 tasks"):
        tabulate_models(data)


def test_importance_weights_are_refused(table1):
    with pytest.raises(UnknownOption, match="no likelihood"):
        tabulate_models(replace(table1, weights="importance"))


def test_a_covariate_that_tells_groups_apart_is_refused(table1):
    with pytest.raises(UnknownOption, match="tells groups apart"):
        count_models(table1, covariates=["judge"], group_by="judge")

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


def test_numbers_of_table_1_are_those_of_prefmod_and_ordinal_regression(rows, questions, golden):
    expected = {
        name: golden("02_llbt_multi_pair_judges", entry).expected
        for name, entry in {
            "worths + ties": "eq1_with_ties",
            "worths, γ = 0": "eq1_gamma_zero",
            "+ worths by judge": "eq2_judge_covariate",
            "worths + Rao-Kupper": "rao_kupper",
            "worths + Glenn-David": "thurstone_ties_probit",
        }.items()
    }
    for name, entry in expected.items():
        found = rows[name]
        if "deviance" in entry:
            assert found.deviance == pytest.approx(entry["deviance"], abs=1e-5)
        if "df" in entry:
            assert found.df == entry["df"]
        if "logLik" in entry:
            assert found.loglik == pytest.approx(entry["logLik"], abs=1e-5)
    lost = rows["equal worths"].deviance - rows["worths + ties"].deviance
    base, by_judge = expected["worths + ties"], expected["+ worths by judge"]
    assert lost == pytest.approx(base["lr_equal_worth"]["stat"], abs=1e-5)
    assert questions["systems differ"].lr.df == base["lr_equal_worth"]["df"]
    gamma = questions["ties need a parameter"].lr
    assert gamma.statistic == pytest.approx(base["lr_gamma"]["stat"], abs=1e-5)
    assert gamma.df == base["lr_gamma"]["df"]
    worths = questions["worths differ by judge"].lr
    ties = questions["not significant at .05: the share of ties differs by judge"].lr
    assert worths.statistic == pytest.approx(by_judge["lr_judge_by_system"]["stat"], abs=1e-5)
    assert ties.statistic == pytest.approx(by_judge["lr_judge_by_tie"]["stat"], abs=1e-4)
    assert ties.p == pytest.approx(by_judge["lr_judge_by_tie"]["p"], abs=1e-6)


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


def test_what_has_no_table_is_refused(table1):
    with pytest.raises(UnknownOption, match="no likelihood"):
        tabulate_models(replace(table1, weights="importance"))
    with pytest.raises(UnknownOption, match="tells groups apart"):
        count_models(table1, covariates=["judge"], group_by="judge")
    rows = [(t, a, b, "left") for t in "ab" for a, b in ("xy", "yx")]
    data = read(pl.DataFrame(rows, ["task", "left", "right", "winner"], orient="row"))
    assert sorted(count_models(data)) == ["a", "b"]
    with pytest.raises(InvalidJudgments, match="has 2 tasks"):
        tabulate_models(data)

"""The intraclass correlation against R's psych (tests/golden/10), Shrout and Fleiss, pingouin's
formulas written out as sums of squares, and tables whose value is plain."""

import re

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand
from evenhand.cli.judges import AgreementOptions
from evenhand.errors import NotIdentified
from evenhand.judges.judge_pairs import (
    FORMS,
    correlate_by_components,
    correlate_intraclass,
    intraclass_coefficients,
)
from golden_numbers import golden
from score_tables import units_of

PSYCH = {name: name.replace("icc-", "ICC").replace("-1", "").replace("-k", "k") for name in FORMS}
PSYCH["icc-1-1"] = "ICC1"


def test_all_six_forms_and_intervals_are_as_in_psych():
    entry = golden("10_agreement_coefficients", "rel_full")
    scores = np.array(entry.input["matrix"], dtype=float).T
    expected = {one["type"]: one for one in entry.expected["icc_psych"]}
    slack = entry.tolerance["icc"]
    for found in correlate_intraclass(scores):
        theirs = expected[PSYCH[found.name]]
        assert found.value == pytest.approx(theirs["icc"], abs=slack)
        assert found.lower == pytest.approx(theirs["lo"], abs=slack)
        assert found.upper == pytest.approx(theirs["hi"], abs=slack)


def test_judges_of_different_severity_agree_by_the_third_form_alone():
    found = {one.name: one for one in correlate_intraclass(np.array([[1.0, 2], [2, 3], [3, 4]]))}
    assert found["icc-3-1"].value == found["icc-3-k"].value == 1
    assert found["icc-3-1"].lower is None
    assert found["icc-3-1"].notes[0].code == "no-f"
    # MSB 2, MSW .5, MSJ 1.5, MSE 0: 1.5 / 2.5 and 2 / (2 + 2 · 1.5 / 3)
    assert found["icc-1-1"].value == pytest.approx(0.6)
    assert found["icc-2-1"].value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ([[3, 3], [3, 3]], "all scores are the same"),
        ([[1, 2], [2, 1]], "all outputs have the same mean score"),
        ([[1, 2]], "there are 1 output"),
        ([[1], [2]], "there are 1 judge"),
    ],
)
def test_where_nothing_can_be_told_it_says_so(table, why):
    with pytest.raises(NotIdentified, match=why):
        correlate_intraclass(np.array(table, dtype=float))


HOLES = [[9, 6, 8, 7, 10, 6], [6, 3, 8, 4, 9, 2], [8, 3, 6, 5, 6, 4], [8, None, 8, 6, None, 7]]


# its last digits are lost to its own differences, on which it warns; what it found is compared
@pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.ConvergenceWarning")
def test_missing_cells_leave_the_forms_by_the_components_of_statsmodels():
    frame = pd.DataFrame(
        [
            (judge, item, score)
            for judge, row in enumerate(HOLES)
            for item, score in enumerate(row)
            if score is not None
        ],
        columns=["judge", "item", "score"],
    )
    frame["all"] = 1
    parts = {"item": "0 + C(item)", "judge": "0 + C(judge)"}
    options = {"groups": "all", "re_formula": "0"}

    def variances(*names):
        chosen = {name: parts[name] for name in names}
        model = sm.MixedLM.from_formula("score ~ 1", frame, vc_formula=chosen, **options)
        fit = model.fit(reml=True, method="bfgs", gtol=1e-6)
        return *(dict(zip(model.exog_vc.names, fit.vcomp, strict=True))[one] for one in names), fit

    r, c, fit = variances("item", "judge")
    alone, one_way = variances("item")
    k = 6 / (4 / 4 + 2 / 3)
    e, w = fit.scale, one_way.scale
    found = {one.name: one for one in intraclass_coefficients(units_of(HOLES))}
    expected = {
        "icc-1-1": alone / (alone + w),
        "icc-2-1": r / (r + c + e),
        "icc-3-1": r / (r + e),
        "icc-1-k": alone / (alone + w / k),
        "icc-2-k": r / (r + (c + e) / k),
        "icc-3-k": r / (r + e / k),
    }
    assert {name: one.value for name, one in found.items()} == pytest.approx(expected, abs=2e-4)
    for one in found.values():
        assert one.lower < one.value < one.upper
        assert (one.units, one.ratings) == (6, 22)
        assert one.notes[0].code == "missing-cells"
        assert one.notes[0].startswith("8 % of the cells of 6 outputs and 4 judges are missing")


@given(seed=st.integers(0, 10_000), shape=st.sampled_from([(5, 3), (12, 2), (20, 6)]))
@settings(max_examples=25, deadline=None)
def test_complete_tables_have_the_forms_of_mean_squares_by_components_too(seed, shape):
    rng = np.random.Generator(np.random.PCG64(seed))
    scores = rng.normal(size=shape) + 2 * rng.normal(size=shape[0])[:, None]
    scores += rng.normal(size=shape[1])
    by_squares = {one.name: one for one in correlate_intraclass(scores)}
    by_components = correlate_by_components(units_of(scores.T.tolist()))
    # components are not below 0: a judge's has none where MSJ < MSE, an output's where MSB < MSE
    judges = by_squares["icc-2-1"].value < by_squares["icc-3-1"].value
    for name, one in by_components.items():
        if by_squares[name].value > 0 and (judges or "icc-1" in name):
            assert one.value == pytest.approx(by_squares[name].value, abs=2e-4)
        assert 0 <= one.value <= 1


def test_intervals_by_components_are_near_those_by_f():
    rng = np.random.Generator(np.random.PCG64(2))
    scores = rng.normal(size=(60, 8)) + rng.normal(size=60)[:, None] + rng.normal(size=8) / 2
    by_components = correlate_by_components(units_of(scores.T.tolist()))
    for one in correlate_intraclass(scores):
        other = by_components[one.name]
        assert (other.lower, other.upper) == pytest.approx((one.lower, one.upper), abs=0.04)


def test_pairs_of_ever_other_judges_have_the_first_form_alone():
    matrix = [[1, 2, None, None], [2, 2, None, None], [None, None, 4, 5], [None, None, 3, 5]]
    found = {one.name: one for one in intraclass_coefficients(units_of(matrix))}
    expected = correlate_intraclass(np.array([[1.0, 2], [2, 2], [4, 3], [5, 5]]))
    assert found["icc-1-1"].value == pytest.approx(expected[0].value)
    assert found["icc-1-k"].value == pytest.approx(expected[3].value)
    assert "Each output may have had any 2 judges" in found["icc-1-1"].notes[0]


def test_no_output_of_two_judges_has_no_icc():
    for one in intraclass_coefficients(units_of([[1, 2, None], [None, None, 3]])):
        assert one.value is None
        assert "two outputs that two judges scored" in one.why


def test_judges_of_one_score_each_leave_the_first_form():
    matrix = [[None] * 3 for _ in range(7)]
    for judge, (item, score) in enumerate([(0, 1), (0, 2), (1, 4), (1, 5), (1, 4), (2, 3), (2, 2)]):
        matrix[judge][item] = score
    found = {one.name: one for one in intraclass_coefficients(units_of(matrix))}
    assert found["icc-1-1"].value > 0.5
    assert found["icc-2-1"].value is None
    assert "do not tell judges from outputs" in found["icc-2-1"].why


def test_the_remedy_of_a_table_too_large_for_its_components_works_as_it_is_written():
    table = [
        {"judge": f"j{j}", "item": f"i{n}", "system": "s", "score": n * j % 5}
        for n in range(4100)
        for j in (n, (7 * n + 3) % 4100, (13 * n + 5) % 4100)[: 2 + n % 2]
    ]
    found = evenhand.measure_agreement(table, coefficients="icc").whole["icc-1-1"]
    option, name = re.search(r"(--\S+) (\S+)$", found.why).groups()
    assert any(option in one.words for one in AgreementOptions.list_options().values())
    assert evenhand.measure_agreement(table, coefficients=name).whole[name].value is not None

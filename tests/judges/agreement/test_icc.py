"""The intraclass correlation against R's psych (tests/golden/10), Shrout and Fleiss, pingouin's
formulas written out as sums of squares, and tables whose value is plain."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from statsmodels.formula.api import ols

from evenhand.errors import NotIdentified
from evenhand.judges.icc import FORMS, correlate_intraclass, intraclass_coefficients
from golden_numbers import golden
from score_tables import units_of

SHROUT = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
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
        assert (found.f, found.p) == (pytest.approx(theirs["F"]), pytest.approx(theirs["p"]))
        assert found.df == (theirs["df1"], theirs["df2"])


def test_shrout_and_fleiss_table_4_is_reproduced():
    found = correlate_intraclass(np.array(SHROUT, dtype=float))
    printed = [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    assert [one.value for one in found] == pytest.approx(printed, abs=0.005)


def test_mean_squares_are_those_of_an_analysis_of_variance():
    scores = np.random.default_rng(3).normal(size=(7, 3)) + np.arange(7)[:, None]
    columns = {
        "score": scores.ravel(),
        "unit": np.repeat(np.arange(7), 3),
        "judge": np.tile(np.arange(3), 7),
    }
    table = pd.DataFrame(columns)
    anova = sm.stats.anova_lm(ols("score ~ C(unit) + C(judge)", table).fit())
    f = anova.loc["C(unit)", "F"]
    third = correlate_intraclass(scores)[2]
    assert third.f == pytest.approx(f)
    assert third.value == pytest.approx((f - 1) / (f + 2))


def test_judges_of_different_severity_agree_by_the_third_form_alone():
    found = {one.name: one for one in correlate_intraclass(np.array([[1.0, 2], [2, 3], [3, 4]]))}
    assert found["icc-3-1"].value == found["icc-3-k"].value == 1
    assert found["icc-3-1"].f is found["icc-3-1"].lower is None
    # MSB 2, MSW .5, MSJ 1.5, MSE 0: 1.5 / 2.5 and 2 / (2 + 2 · 1.5 / 3)
    assert found["icc-1-1"].value == pytest.approx(0.6)
    assert found["icc-2-1"].value == pytest.approx(2 / 3)


def test_judges_who_agree_throughout_reach_one_without_an_interval():
    found = intraclass_coefficients(units_of([[1, 2, 5], [1, 2, 5]]))
    assert [one.value for one in found] == [1] * 6
    assert all(one.lower is None for one in found)
    assert found[0].notes[-1].code == "no-f"


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


def test_a_few_holes_cut_the_table_and_are_said():
    matrix = [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, None, 8, 6, 9, 7]]
    found = intraclass_coefficients(units_of(matrix))
    kept = np.delete(np.array(SHROUT, dtype=float), 1, axis=0)
    expected = [one.value for one in correlate_intraclass(kept)]
    assert [one.value for one in found] == pytest.approx(expected)
    assert found[0].units == 5
    assert found[0].notes == ("On the 5 outputs that 4 judges all scored (87 % of the scores).",)


def test_pairs_of_ever_other_judges_have_the_first_form_alone():
    matrix = [[1, 2, None, None], [2, 2, None, None], [None, None, 4, 5], [None, None, 3, 5]]
    found = {one.name: one for one in intraclass_coefficients(units_of(matrix))}
    expected = correlate_intraclass(np.array([[1.0, 2], [2, 2], [4, 3], [5, 5]]))
    assert found["icc-1-1"].value == pytest.approx(expected[0].value)
    assert found["icc-1-k"].value == pytest.approx(expected[3].value)
    assert "Any 2 judges of each output" in found["icc-1-1"].notes[0]


def test_a_table_full_of_holes_is_refused_with_a_way_out():
    nan = None
    matrix = [[1, 2, nan, 4, nan, nan], [2, nan, 3, nan, 5, nan], [nan, 2, 3, nan, nan, 1]]
    matrix.append([1, nan, nan, 5, 5, 1])
    matrix[0][4] = 3
    for one in intraclass_coefficients(units_of(matrix)):
        assert one.value is None
        assert "evenhand variance" in one.why

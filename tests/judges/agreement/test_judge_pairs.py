"""Means over pairs of judges against R's irr (Light's κ) and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evenhand.judges.judge_pairs import (
    compare_judges,
    correlate_within,
)
from golden_numbers import golden
from score_tables import declared, units_of


def test_pairs_count_by_their_common_units():
    entry = golden("10_agreement_coefficients", "rel")
    scale = declared(entry.expected["declared_categories"])
    pairs = entry.expected["pairwise_cohen_kappa_declared_scale"]
    weights = [pair["n"] for pair in pairs]
    compared = compare_judges(units_of(entry.input["matrix"], scale), scale)
    for name, theirs in (("cohen", "unweighted"), ("cohen-linear", "linear")):
        expected = np.average([pair[theirs] for pair in pairs], weights=weights)
        assert compared.mean(name).value == pytest.approx(expected)
    assert compared.units.tolist() == weights


@pytest.mark.parametrize(
    ("matrix", "measure", "why"),
    [
        ([[1, 2, 3]], "cohen", "no output was judged by two judges"),
        ([[1, 2, None], [None, None, 3]], "pearson", "no output was judged by two judges"),
        ([[3, 3, 3], [3, 3, 3]], "cohen", "one and the same score throughout"),
        ([[3, 3, 3], [1, 2, 3]], "pearson", "scored all of them alike"),
        ([[1, 2, None], [2, 1, 3]], "spearman", "fewer than three outputs in common"),
    ],
)
def test_where_there_is_no_mean_it_says_why(matrix, measure, why):
    found = compare_judges(units_of(matrix)).mean(measure)
    assert found.value is None
    assert why in found.why


def judge_scores(rng, items, judges=5):
    """Scores of item quality and noise of one variance each, so that r is .5; rows are judges."""
    return rng.normal(size=items) + rng.normal(size=(judges, items))


@pytest.mark.parametrize(
    "name", ["cohen", "cohen-linear", "cohen-quadratic", "pearson", "spearman"]
)
def test_influence_is_what_one_more_output_moves(name):
    scores = np.round(judge_scores(np.random.default_rng(4), 12, judges=3) * 2).tolist()
    scores[1][:5] = [None] * 5
    many = [row * 400 for row in scores]
    before = compare_judges(units_of(scores)).mean(name).value
    assert compare_judges(units_of(many)).mean(name).value == pytest.approx(before, abs=0.002)
    whole = compare_judges(units_of(many))
    sums = compare_judges(units_of(scores)).by_item[name]
    for item in (0, 5, 11):
        more = compare_judges(units_of([[*row, row[item]] for row in many]))
        moved = more.mean(name).value - whole.mean(name).value
        influence = sums[item, 0] + sums[item, 1] - before * sums[item, 2]
        assert moved == pytest.approx(influence / (400 * sums[:, 2].sum()), rel=0.03, abs=2e-7)


def test_intervals_cover_the_true_correlations_about_as_often_as_they_say():
    rng = np.random.default_rng(11)
    truth = {"pearson": 0.5, "spearman": 6 / np.pi * np.arcsin(0.25)}
    hits = dict.fromkeys(truth, 0)
    for _ in range(200):
        compared = compare_judges(units_of(judge_scores(rng, 60).tolist()))
        for name, value in truth.items():
            found = compared.mean(name)
            hits[name] += found.lower <= value <= found.upper
    assert all(178 <= hit <= 198 for hit in hits.values()), hits  # 190 ± 4 standard errors of 3.1


# Correlations of judges against scipy and pandas, on random scores and on WMT 2022's.

ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25
)


@pytest.mark.parametrize("ranks", [False, True])
@given(rows=ROWS)
def test_each_group_has_the_correlation_of_scipy_or_none(ranks, rows):
    groups, x, y = np.array(rows).T
    groups = np.unique(groups, return_inverse=True)[1].reshape(-1)
    found = correlate_within(groups, x.astype(float), y.astype(float), ranks=ranks)
    measure = stats.spearmanr if ranks else stats.pearsonr
    for group in np.unique(groups):
        a, b = x[groups == group], y[groups == group]
        if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
            assert np.isnan(found[group])
        else:
            assert found[group] == pytest.approx(measure(a, b).statistic, abs=1e-12)

"""Krippendorff's α against tests/golden/10 and the krippendorff package."""

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.judges.coefficients import METRICS, find_midranks, krippendorff_alpha
from evenhand.judges.counts import Sums
from golden_numbers import entries
from score_tables import broken_tables, coincidences_of, declared


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("entry", entries("10_agreement_coefficients"), ids=lambda one: one.id)
@pytest.mark.parametrize("scale", ["observed", "declared"])
def test_alpha_is_the_golden_one_on_either_scale(entry, metric, scale):
    points = entry.expected["declared_categories"]
    known = declared(points) if scale == "declared" else None
    found = krippendorff_alpha(Sums(coincidences_of(entry.input["matrix"], known)), metric)
    expected = entry.expected["krippendorff_alpha"][metric]
    assert found.value == pytest.approx(expected, abs=entry.tolerance["alpha"])


@given(broken_tables(), st.sampled_from(METRICS))
def test_alpha_is_that_of_the_krippendorff_package_with_scores_missing(matrix, metric):
    table = np.array(matrix, dtype=float)
    shared = (~np.isnan(table)).sum(axis=0) > 1
    assume(len(set(table[:, shared][~np.isnan(table[:, shared])])) > 1)
    found = krippendorff_alpha(Sums(coincidences_of(matrix)), metric)
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement=metric)
    assert found.value == pytest.approx(expected, abs=1e-9)


@given(
    st.lists(st.lists(st.floats(0, 1, width=16), min_size=9, max_size=9), min_size=3, max_size=3)
)
def test_scales_without_steps_give_the_same(matrix):
    table = np.array(matrix)
    assume(np.ptp(table) > 0.01)
    for metric in ("ordinal", "interval"):
        found = krippendorff_alpha(Sums(coincidences_of(matrix)), metric)
        expected = krippendorff.alpha(reliability_data=table, level_of_measurement=metric)
        assert found.value == pytest.approx(expected, abs=1e-7)


def test_ratios_need_scores_from_zero_up():
    with pytest.raises(InvalidJudgments, match="there is -2"):
        krippendorff_alpha(Sums(coincidences_of([[-2, 1], [1, 2]])), "ratio")


def test_a_metric_that_is_none_is_refused():
    with pytest.raises(UnknownOption, match="Did you mean 'interval'"):
        krippendorff_alpha(Sums(coincidences_of([[1, 2], [1, 2]])), "intervall")


def test_midranks_are_those_of_the_scores_counted_out():
    from scipy.stats import rankdata

    scores = np.array([1, 1, 2, 5, 5, 5])
    mass = np.array([[2.0, 1, 0, 3]])
    middle = find_midranks(mass)[0][[0, 0, 1, 3, 3, 3]]
    np.testing.assert_allclose(middle + 0.5, rankdata(scores))

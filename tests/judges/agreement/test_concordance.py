"""Kendall's W against R's irr (tests/golden/10) and scipy's Friedman test."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from evenhand.errors import NotIdentified
from evenhand.judges.coefficients import concordance_coefficient, find_concordance
from golden_numbers import golden
from score_tables import units_of

TABLES = arrays(float, st.tuples(st.integers(2, 8), st.integers(3, 5)), elements=st.integers(0, 4))


def test_w_is_as_in_irr():
    entry = golden("10_agreement_coefficients", "rel_full")
    found = find_concordance(np.array(entry.input["matrix"], dtype=float).T)
    expected = entry.expected["kendall_w_tie_corrected"]
    assert found.w == pytest.approx(expected["value"], abs=1e-12)
    assert found.statistic == pytest.approx(expected["chisq"])
    assert found.p == pytest.approx(expected["p"])


@given(TABLES)
def test_the_statistic_is_friedmans_with_judges_as_blocks(table):
    assume(len(table) > 2)
    assume(np.ptp(table, axis=0).any())
    found = find_concordance(table)
    expected = stats.friedmanchisquare(*table)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)


def test_without_ties_it_is_a_mean_of_spearman_correlations():
    scores = np.random.default_rng(5).normal(size=(9, 4))
    rho = stats.spearmanr(scores).statistic[np.triu_indices(4, 1)].mean()
    assert find_concordance(scores).w == pytest.approx((3 * rho + 1) / 4)


def test_a_constant_judge_is_no_obstacle_but_constant_judges_are():
    up, flat = np.arange(5.0), np.ones(5)
    assert 0 < find_concordance(np.column_stack([up, up, flat])).w < 1
    with pytest.raises(NotIdentified, match="every judge scored all outputs alike"):
        find_concordance(np.column_stack([flat, flat]))


def test_holes_are_cut_out_or_refused():
    cut = concordance_coefficient(units_of([[1, 2, 3, 4], [1, 2, 4, 3], [2, 1, 3, None]]))
    assert cut.units == 3
    assert cut.notes[0].startswith("On the 3 outputs that 3 judges all scored")
    alone = concordance_coefficient(units_of([[1, 2, None], [None, None, 3]]))
    assert alone.why.endswith("need outputs that two judges scored: there are none")

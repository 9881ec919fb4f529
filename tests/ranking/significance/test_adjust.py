"""Adjusted p-values against statsmodels 0.15, multipletests."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from evenhand.numerics.multiple_tests import benjamini_hochberg, holm

P = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.5, 1.0]), min_size=1, max_size=30)


@given(P)
@pytest.mark.parametrize(("adjust", "method"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_adjusted_p_values_are_those_of_statsmodels(adjust, method, p):
    values = np.array(p)
    with mock.patch("gc.collect"):  # which statsmodels calls for each list: slow in a long run
        expected = multipletests(values, method=method)[1]
    np.testing.assert_allclose(adjust(values), expected, rtol=1e-12, atol=1e-15)


def test_no_tests_need_no_adjustment():
    assert len(holm(np.zeros(0))) == len(benjamini_hochberg(np.zeros(0))) == 0

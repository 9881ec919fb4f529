"""Correlations of short columns, against scipy."""

import numpy as np
import pytest
from scipy import stats

from evenhand.numerics.cluster_means import pearson, spearman


@pytest.mark.parametrize("seed", range(4))
def test_both_are_scipys_with_ties_too(seed):
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 6, 30).astype(float), rng.normal(size=30)
    assert pearson(one, other) == pytest.approx(stats.pearsonr(one, other).statistic, abs=1e-12)
    assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-12)


def test_a_column_that_does_not_vary_has_none():
    flat = np.full(5, 0.1) * 3
    assert pearson(flat, np.arange(5.0)) is None
    assert spearman(np.arange(5.0), flat) is None

"""Intervals, rank ranges and cluster lines against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm, t

from evenhand.data.tally import Factor
from evenhand.ranking.intervals import (
    centred_variance,
    find_clusters,
    pair_variance,
    percentile_intervals,
    resampled_intervals,
    wald_intervals,
)

numbers = st.floats(-2, 2)


@st.composite
def boards(draw: st.DrawFn) -> tuple[np.ndarray, list[np.ndarray]]:
    """Log-worths with one to three covariances."""
    k = draw(st.integers(2, 6))
    worth = draw(arrays(float, k, elements=numbers, unique=True))
    roots = draw(st.lists(arrays(float, (k, k), elements=numbers), min_size=1, max_size=3))
    return worth, [root @ root.T for root in roots]


@st.composite
def decisions(draw: st.DrawFn) -> np.ndarray:
    """Any decided pairs: antisymmetric, and not always in line with an order."""
    k = draw(st.integers(1, 7))
    upper = draw(arrays(np.int8, (k, k), elements=st.sampled_from([0, 1, 1, 1, -1])))
    upper = np.triu(upper, 1)
    return upper - upper.T


@given(boards())
def test_variances_are_those_of_the_contrasts(board):
    worth, (vcov, *_) = board
    k = len(worth)
    centring = np.eye(k) - 1 / k
    np.testing.assert_allclose(
        centred_variance(vcov), np.diag(centring @ vcov @ centring), atol=1e-9
    )
    for i in range(k):
        for j in range(k):
            contrast = np.eye(k)[i] - np.eye(k)[j]
            assert pair_variance(vcov)[i, j] == pytest.approx(contrast @ vcov @ contrast, abs=1e-9)


@given(boards(), st.floats(0.1, 0.999))
def test_each_contrast_takes_its_largest_variance_and_is_decided_beyond_the_margin(board, level):
    worth, vcovs = board
    critical = norm.ppf((1 + level) / 2)
    k = len(worth)
    before = [vcov.copy() for vcov in vcovs]
    found = wald_intervals(worth, vcovs, level, np.inf, "test")
    for i in range(k):
        own = max(centred_variance(v)[i] for v in before)
        assert found.stderr[i] == pytest.approx(np.sqrt(own), abs=1e-9)
        centre = worth[i] - worth.mean()
        assert found.lower[i] == pytest.approx(centre - critical * np.sqrt(own), abs=1e-8)
        assert found.upper[i] == pytest.approx(centre + critical * np.sqrt(own), abs=1e-8)
        for j in range(k):
            margin = critical * np.sqrt(max(pair_variance(v)[i, j] for v in before))
            gap = worth[i] - worth[j]
            if abs(abs(gap) - margin) > 1e-9:
                assert found.decided[i, j] == (np.sign(gap) if abs(gap) > margin else 0)
    for vcov, copy in zip(vcovs, before, strict=True):
        assert (vcov == copy).all()


@given(decisions(), st.randoms(use_true_random=False))
def test_a_line_stands_where_everybody_above_is_decided_to_be_better_than_everybody_below(
    decided, random
):
    """INFERENCE B5, word by word."""
    k = len(decided)
    order = list(range(k))
    random.shuffle(order)
    expected, cluster = [], 1
    for place in range(k):
        above, below = order[:place], order[place:]
        if place and all(decided[i, j] == 1 for i in above for j in below):
            cluster += 1
        expected.append(cluster)
    assert find_clusters(np.array(order), decided).tolist() == expected


def test_percentile_intervals_are_quantiles_of_centred_draws_and_of_differences():
    rng = np.random.Generator(np.random.PCG64(2))
    draws = rng.normal(0, 0.3, (999, 4)) + np.array([1.0, 0.4, 0.3, -1.0])
    found = percentile_intervals(draws, 0.9, "test")
    centred = draws - draws.mean(axis=1)[:, None]
    np.testing.assert_allclose(found.lower, np.quantile(centred, 0.05, axis=0))
    np.testing.assert_allclose(found.upper, np.quantile(centred, 0.95, axis=0))
    np.testing.assert_allclose(found.stderr, centred.std(axis=0, ddof=1))
    for i in range(4):
        for j in range(4):
            low, high = np.quantile(draws[:, i] - draws[:, j], [0.05, 0.95])
            assert found.decided[i, j] == (1 if low > 0 else -1 if high < 0 else 0)
    assert (found.decided == -found.decided.T).all()


def test_resamples_of_few_clusters_are_widened_by_t_and_by_the_lost_degree_of_freedom():
    draws = np.random.default_rng(1).normal(size=(4000, 2))
    factor = Factor(tuple("abcdefgh"), np.arange(8, dtype=np.int32), np.full(8, 5.0), 8)
    plain = percentile_intervals(draws, 0.95, "drawn")
    wide = resampled_intervals(draws, [factor], 0.95, "drawn")
    due = np.sqrt(8 / 7)
    np.testing.assert_allclose(wide.stderr, plain.stderr * due)
    longer = due * t.ppf(0.975, 7) / norm.ppf(0.975)
    np.testing.assert_allclose(wide.upper - wide.lower, (plain.upper - plain.lower) * longer)
    assert wide.df == 7
    assert wide.method == "drawn, widened by t on 7 df"
    none = resampled_intervals(draws, [], 0.95, "drawn")
    np.testing.assert_array_equal(none.lower, plain.lower)

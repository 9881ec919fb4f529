"""Cluster variances against refits that leave clusters out, and against statsmodels."""

import numpy as np
import pytest

from evenhand.numerics.cluster_means import Changes, Strata, cell_variance, leave_clusters_out

RNG = np.random.default_rng(4)
N = 300
VALUES = RNG.normal(size=(3, N)) + RNG.normal(size=12)[RNG.integers(12, size=N)]
CLUSTERS = RNG.choice(12, N, p=np.arange(1, 13) / 78)
STRATA = Strata(RNG.integers(3, size=N), np.full(3, 1 / 3))


def changes(strata: Strata) -> Changes:
    return leave_clusters_out(strata.deviations(VALUES), CLUSTERS, strata)


def mean_without(values: np.ndarray, strata: Strata, cluster: int) -> float:
    kept = cluster != CLUSTERS
    own = [values[kept & (strata.code == t)].mean() for t in range(len(strata.share))]
    return float(np.dot(own, strata.share))


@pytest.mark.parametrize("strata", [Strata.one(N), STRATA])
def test_changes_are_those_of_leaving_clusters_out(strata: Strata) -> None:
    found, whole = changes(strata), strata.means(VALUES)
    expected = [
        [mean_without(row, strata, g) - mean for g in range(12)]
        for row, mean in zip(VALUES, whole, strict=True)
    ]
    assert found.change == pytest.approx(np.array(expected), abs=1e-12)


def test_the_variance_is_the_jackknife() -> None:
    found = changes(Strata.one(N))
    left_out = np.array([mean_without(VALUES[0], Strata.one(N), g) for g in range(12)])
    assert found.variance[0] == pytest.approx(11 / 12 * ((left_out - left_out.mean()) ** 2).sum())


def test_cells_are_the_clusters_of_statsmodels() -> None:
    regression = pytest.importorskip("statsmodels.regression.linear_model")
    fit = regression.OLS(VALUES[0], np.ones(N)).fit(
        cov_type="cluster", cov_kwds={"groups": CLUSTERS, "use_correction": False}
    )
    strata = Strata.one(N)
    found = cell_variance(strata.deviations(VALUES), CLUSTERS, strata)
    assert found[0] == pytest.approx(float(fit.cov_params()[0, 0]), rel=1e-10)


def test_effective_clusters_are_all_where_loads_are_equal() -> None:
    even = leave_clusters_out(VALUES, np.arange(N) % 12, Strata.one(N))
    assert even.effective == pytest.approx(12)
    loads = np.bincount(CLUSTERS)
    assert changes(Strata.one(N)).effective == pytest.approx(N**2 / (loads**2).sum())


def test_clusters_turned_round_are_a_fit_to_turned_scores() -> None:
    strata = Strata.one(N)
    found = changes(strata)
    signs = RNG.choice([-1.0, 1.0], size=(5, 12))
    moved, variance = found.redraw(signs)
    loads = np.bincount(CLUSTERS).astype(float)
    sums = np.bincount(CLUSTERS, strata.deviations(VALUES)[0])
    for b in range(5):
        # scores s n / (n − n_g), turned round, are those of a sample whose mean is fitted anew
        own = signs[b] * sums * N / (N - loads)
        mean = own.sum() / N
        left_out = -(own - loads * mean) / (N - loads)
        spread = 11 / 12 * ((left_out - left_out.mean()) ** 2).sum()
        assert moved[b, 0] == pytest.approx(mean)
        assert variance[b, 0] == pytest.approx(spread)


def test_differences_of_means_are_means_of_differences() -> None:
    strata, one, other = STRATA, np.array([0, 0]), np.array([1, 2])
    direct = leave_clusters_out(
        strata.deviations(VALUES[one] - VALUES[other]), CLUSTERS, strata
    ).variance
    assert changes(strata).between(one, other).variance == pytest.approx(direct)

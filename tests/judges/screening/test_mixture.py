"""The mixture beside a direct maximisation by scipy, closed forms, and draws with known truth."""

import re

import numpy as np
import pytest
from scipy import optimize, stats

from evenhand.judges.cards import PSEUDO_COUNTS, choose_flags, fit_mixture, pool_slopes


def draw(seed: int, honest: int = 60, careless: int = 6, reverse: int = 4, error: float = 0.2):
    rng = np.random.Generator(np.random.PCG64(seed))
    means = np.concatenate(
        [rng.normal(1, 0.3, honest), np.zeros(careless), -rng.normal(1, 0.3, reverse)]
    )
    return means + rng.normal(0, error, len(means)), np.full(len(means), error)


def log_posterior(at: np.ndarray, slopes: np.ndarray, errors: np.ndarray) -> float:
    """The objective of INFERENCE C6, written out with scipy.stats."""
    shares = np.exp(np.append(at[:2], 0.0) - np.logaddexp.reduce(np.append(at[:2], 0.0)))
    m, wide = at[2], np.sqrt(at[3] ** 2 + errors**2)
    parts = [
        shares[0] * stats.norm.pdf(slopes, m, wide),
        shares[1] * stats.norm.pdf(slopes, 0, errors),
        shares[2] * stats.norm.pdf(slopes, -m, wide),
    ]
    return float(np.log(sum(parts)).sum() + np.array(PSEUDO_COUNTS) @ np.log(shares))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_shares_mean_and_spread_are_the_mode_that_scipy_finds(seed):
    slopes, errors = draw(seed)
    found = fit_mixture(slopes, errors)
    best = optimize.minimize(
        lambda at: -log_posterior(at, slopes, errors),
        np.array([2.0, 0.0, 1.0, 0.3]),
        method="Nelder-Mead",
        bounds=[(-9, 9), (-9, 9), (0.3, 9), (0.15, 1.0)],
        options={"xatol": 1e-7, "fatol": 1e-10, "maxiter": 20_000, "maxfev": 20_000},
    )
    shares = np.exp(np.append(best.x[:2], 0.0))
    assert found.shares == pytest.approx(shares / shares.sum(), abs=1e-4)
    assert (found.mean, found.spread) == pytest.approx(tuple(best.x[2:]), abs=1e-4)


@pytest.mark.parametrize("counts", [(20, 0, 0), (17, 2, 1), (8, 4, 0)])
def test_eight_honest_judges_and_half_of_each_bad_class_are_added_to_those_seen(counts):
    """Where slopes leave no doubt of the class, the mode of the shares has a closed form.

    A slope of 1 lies a hundred errors from careless judges, one of 0 lies 6.7 spreads (of .15) from
    honest ones: posteriors are 0 or 1 to the ninth digit, and the Dirichlet mode is
    (n + pseudo-counts) / (J + 9) with pseudo-counts 8, 1/2 and 1/2.
    """
    found = fit_mixture(np.repeat([1.0, 0.0, -1.0], counts), np.full(sum(counts), 0.01))
    expected = (np.array(counts) + np.array([8, 0.5, 0.5])) / (sum(counts) + 9)
    assert found.shares == pytest.approx(expected, abs=1e-9)


def test_posteriors_follow_from_bayes_rule():
    slopes, errors = draw(4)
    extra = np.random.Generator(np.random.PCG64(0)).normal(0, 1, (len(slopes), 3))
    found = fit_mixture(slopes, errors, extra=extra)
    wide = np.sqrt(found.spread**2 + errors**2)
    densities = np.stack(
        [
            stats.norm.pdf(slopes, found.mean, wide),
            stats.norm.pdf(slopes, 0, errors),
            stats.norm.pdf(slopes, -found.mean, wide),
        ],
        axis=1,
    )
    joint = found.shares * densities * np.exp(extra)
    assert found.posterior == pytest.approx(joint / joint.sum(axis=1, keepdims=True), abs=1e-9)


def test_flags_are_the_largest_set_with_a_mean_of_at_most_the_level():
    rng = np.random.Generator(np.random.PCG64(6))
    for _ in range(50):
        p = rng.beta(0.3, 0.6, 12)
        sizes = [k for k in range(1, 13) if np.sort(p)[:k].mean() <= 0.05]
        assert choose_flags(p, 0.05).sum() == max(sizes, default=0)
        assert not sizes or set(np.flatnonzero(choose_flags(p, 0.05))) == set(
            np.argsort(p)[: max(sizes)]
        )


def test_judges_who_are_as_likely_are_flagged_together_or_not_at_all():
    assert choose_flags(np.array([0.0, 0.1, 0.1, 0.9]), 0.05).tolist() == [
        True,
        False,
        False,
        False,
    ]
    assert choose_flags(np.array([0.0, 0.07, 0.07, 0.9]), 0.05).sum() == 3
    assert not choose_flags(np.array([0.2, 0.9]), 0.05).any()
    assert not choose_flags(np.array([]), 0.05).any()


def test_a_testable_judge_is_the_one_whose_slope_of_zero_would_be_flagged_alone():
    """INFERENCE C6: m²/(2(τ²+se²)) + ½ ln(1+τ²/se²) ≥ ln(19 π0/π1)."""
    slopes, errors = draw(7, error=0.3)
    found = fit_mixture(slopes, errors)
    limit = found.least_information() ** -0.5
    for error, seen in ((limit * 0.999, True), (limit * 1.001, False)):
        wide = np.hypot(found.spread, error)
        ratio = stats.norm.pdf(0, 0, error) / stats.norm.pdf(0, found.mean, wide)
        assert (found.shares[1] * ratio >= 19 * found.shares[0]) == seen
        assert found.testable(np.array([error**-2])).tolist() == [seen]


@pytest.mark.parametrize(
    ("slopes", "error", "reason"),
    [
        (np.full(7, 1.0), 0.1, "7 judges are too few"),
        (np.linspace(-2, 2, 20), 0.1, "do not follow each other"),
        (np.append(np.full(12, 1.0), np.zeros(18)), 0.1, "not the largest group"),
        (np.append(np.full(17, 1.0), np.zeros(13)), 0.1, "only 57 % of the judges look honest"),
        (np.full(20, 0.5), 0.4, "cannot be distinguished"),
        (np.full(20, 1.0), 0.2, None),
    ],
)
def test_it_abstains_where_nobody_can_tell(slopes, error, reason):
    said = fit_mixture(slopes, np.full(len(slopes), error)).abstention()
    if reason is None:
        assert said is None
    else:
        assert said is not None
        assert re.search(reason, said)


# The mean slope: coverage of a known truth, and what one judge says.


def test_the_interval_covers_the_truth():
    rng, covered = np.random.Generator(np.random.PCG64(1)), 0
    errors = np.repeat([0.1, 0.5], 15)
    for _ in range(300):
        slopes = rng.normal(1, np.hypot(0.3, errors))
        _, lower, upper = pool_slopes(slopes, errors)
        covered += lower <= 1 <= upper
    assert covered / 300 >= 0.95 - 3.09 * np.sqrt(0.0475 / 300)


def test_one_judge_shows_nothing_of_all_judges():
    assert pool_slopes(np.array([2.0]), np.array([0.1])) == (2.0, -np.inf, np.inf)

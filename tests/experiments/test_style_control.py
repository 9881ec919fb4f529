"""Controls with known truth: a system that writes longer answers, and judges who like length.

Four systems with log-worths .6, .2, −.2, −.6; the second writes answers that are longer by two sd
and the first shorter by as much, judges add .8 per sd of length. 20 judges, 1,500 judgments,
ν = .4, 200 campaigns an arm or half of them. In arm 0 judges differ by chance only: ranking without
control puts the second first; with control the first, and 95 % intervals of all six differences and
of the slope cover the truth. In arm 1 judges have tastes of their own for length and for systems
(sd .3 each): what is estimated is then the mean over judges on the scale of chances, a little
nearer to 0, and the root mean variance is held against the standard deviation of the estimates.

Beside it position biases: 20 judges, 60 judgments each, without any difference between judges: how
often some judge stands out, and how often judges are said to differ (both at 5 %), in 400
campaigns; and with two judges who always take the first: how often both are named.
"""

from functools import cache

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.controls import ControlledFit, fit_rows, read_controls
from evenhand.numerics.distributions import t_quantile
from evenhand.ranking.bias import find_position_bias
from evenhand.ranking.intervals import pair_variance
from evenhand.ranking.sandwich import cluster_covariance
from experiments.campaign import generator, part_of
from ranking.test_position_bias import campaign as one_of_positions

pytestmark = pytest.mark.slow
EXPERIMENT = 22
WORTH = np.array([0.6, 0.2, -0.2, -0.6])
LENGTH = np.array([-1.0, 1.0, 0.0, 0.0])
SLOPE, JUDGES, N = 0.8, 20, 1500
R = part_of(200)
PAIRS = np.triu_indices(4, 1)


def campaign(rng: np.random.Generator, taste_sd: float) -> Comparisons:
    judge = rng.permutation(np.arange(N) % JUDGES)
    left = rng.integers(0, 4, N)
    right = (left + rng.integers(1, 4, N)) % 4
    length = 2 * LENGTH[:, None] + rng.normal(0, 1, (4, N))
    x = length[left, np.arange(N)] - length[right, np.arange(N)]
    slope = SLOPE + rng.normal(0, taste_sd, JUDGES)
    taste = WORTH + rng.normal(0, taste_sd, (JUDGES, 4))
    half = (taste[judge, left] - taste[judge, right] + slope[judge] * x) / 2
    chances = np.stack([np.exp(half), np.full(N, 0.4), np.exp(-half)], axis=1)
    drawn = rng.random((N, 1)) * chances.sum(axis=1, keepdims=True)
    outcome = (drawn > chances.cumsum(axis=1)).sum(axis=1)
    frame = pl.DataFrame(
        {
            "left": [f"s{i}" for i in left],
            "right": [f"s{i}" for i in right],
            "outcome": np.array(["left", "tie", "right"])[outcome].tolist(),
            "judge": [f"j{i:02d}" for i in judge],
            "x": x,
        }
    )
    return Comparisons(nw.from_native(frame))


@cache
def fits(arm: int) -> tuple[tuple[ControlledFit, np.ndarray], ...]:
    """R fits, each with its covariance by judge."""
    found = []
    for replicate in range(R):
        data = campaign(generator(EXPERIMENT, arm, replicate), 0.3 * arm)
        model = BradleyTerry(controls=("x",))
        fit = fit_rows(model, *read_controls(data, ("x",), by=("judge",)))
        found.append((fit, cluster_covariance(fit, fit.tally, "judge")[0]))
    return tuple(found)


def estimates(fit: ControlledFit, vcov: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Six differences of log-worth and the slope per unit, and their variances."""
    (effect,) = fit.effects(np.sqrt(np.diag(vcov)), df=JUDGES - 1)
    worth = (fit.log_worth[:, None] - fit.log_worth)[PAIRS]
    variance = pair_variance(fit.to_worth(vcov))[PAIRS]
    slope = (effect.stderr / effect.sd) ** 2
    return np.append(worth, effect.per_unit), np.append(variance, slope)


def test_without_control_the_longest_answers_win():
    first = sum(int(np.argmax(fit.plain.log_worth)) == 1 for fit, _ in fits(0))
    print(f"without control the longest are first in {first} of {R} campaigns")  # noqa: T201 - as below
    assert first == R


def test_with_control_the_best_system_wins():
    first = sum(int(np.argmax(fit.log_worth)) == 0 for fit, _ in fits(0))
    print(f"style control: the best is first in {first} of {R} campaigns")  # noqa: T201 - an experiment shows its counts (pytest -rP)
    assert first >= 0.95 * R


def test_intervals_with_control_cover_the_truth():
    critical = t_quantile(0.975, JUDGES - 1)
    truth = np.append((WORTH[:, None] - WORTH)[PAIRS], SLOPE)
    covered = np.zeros(7)
    for fit, vcov in fits(0):
        found, variance = estimates(fit, vcov)
        covered += np.abs(found - truth) <= critical * np.sqrt(variance)
    print(f"style control: of {R} intervals cover, six pairs and slope, {covered.tolist()}")  # noqa: T201 - as above
    assert (covered >= R * 0.95 - 3.09 * np.sqrt(R * 0.95 * 0.05)).all()
    assert 0.93 <= covered[:6].mean() / R <= 0.975


def test_standard_errors_with_control_are_as_large_as_the_spread_where_judges_have_tastes():
    found = [estimates(fit, vcov) for fit, vcov in fits(1)]
    spread = np.std([one for one, _ in found], axis=0, ddof=1)
    ratio = np.sqrt(np.mean([variance for _, variance in found], axis=0)) / spread
    print(f"style control: standard error / SD, six pairs and slope: {ratio.round(3).tolist()}")  # noqa: T201 - as above
    assert 0.90 <= ratio[:6].mean() <= 1.15
    assert 0.85 <= ratio[6] <= 1.20


def test_judges_without_bias_of_their_own_raise_few_alarms():
    """5 % and 3.09 standard errors of a share of 400."""
    found = [find(seed) for seed in range(400)]
    alarms = np.mean([bool(one.stand_out) for one in found])
    differ = np.mean([one.heterogeneity_p <= 0.05 for one in found])
    covers = np.mean([one.lower <= 0.1 <= one.upper for one in found])
    print(f"position bias, 400 clean campaigns: alarms {alarms}, differ {differ}, cover {covers}")  # noqa: T201 - as above
    bound = 0.05 + 3.09 * np.sqrt(0.05 * 0.95 / 400)
    assert alarms <= bound
    assert differ <= bound
    assert covers >= 0.95 - 3.09 * np.sqrt(0.05 * 0.95 / 400)


def test_judges_who_always_take_the_first_are_all_named():
    found = [find(seed, biased=2) for seed in range(50)]
    named = [{"j00", "j01"} <= {judge.judge for judge in one.stand_out} for one in found]
    others = [len(one.stand_out) - 2 for one in found]
    print(f"position bias, 50 campaigns with two: named {sum(named)}, others {sum(others)}")  # noqa: T201 - as above
    assert all(named)
    assert np.mean(others) <= 0.3


def find(seed: int, *, biased: int = 0):
    frame = one_of_positions(10_000 + seed, biased=biased)
    return find_position_bias(Comparisons(nw.from_native(frame)))

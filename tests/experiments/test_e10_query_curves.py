"""E10, active learning for quality estimation: intervals that cover, few false alarms."""

import numpy as np
import pytest
from scipy import stats

from design.labelled_outputs import draw_curves
from evenhand.design.query_replay import average, compare_parts


@pytest.mark.slow
def test_the_test_of_parts_raises_few_false_alarms_where_no_part_is_better():
    """The hardest case: every part exactly as good as the whole, four looks, two queries."""
    alarms = sum(min(one.p for one in draw_curves(seed).parts) <= 0.05 for seed in range(400))
    naive = 0
    for seed in range(400):
        mae = draw_curves(seed).measure("mae")
        p = stats.ttest_rel(mae[:, :-1], mae[:, -1:], axis=2, alternative="less").pvalue
        naive += p.min() <= 0.05
    print(f"false alarms: {alarms} of 400; best of six t tests: {naive}")  # noqa: T201
    assert alarms <= 0.05 * 400 + 3.09 * (0.05 * 0.95 * 400) ** 0.5
    assert naive > alarms


@pytest.mark.slow
def test_paired_intervals_cover_the_difference():
    """Difference to random of a query that is better by .5 in a lasting way, 8 repeats."""
    rng, covered = np.random.default_rng(9), 0
    for _ in range(1000):
        shared = rng.normal(0, 1, 8)
        own = average((shared + rng.normal(0.5, 0.4, 8)) - shared)
        covered += own.lower <= 0.5 <= own.upper
    print(f"covered: {covered} of 1000")  # noqa: T201
    assert abs(covered - 950) <= 3.09 * (0.95 * 0.05 * 1000) ** 0.5


def draw_skewed(rng, repeats):
    """Gains of 16 parts on 100 items, none in the mean; what a repeat loses is kept by later looks.

    It has a long tail to the left: most repeats gain a little, a few lose much.
    """
    lost = np.cumsum(1.0 - rng.exponential(1.0, (16, repeats, 1)), axis=0)
    return 0.1 * lost + rng.normal(0, 0.2, (16, repeats, 100))


@pytest.mark.slow
@pytest.mark.parametrize(("repeats", "least", "most"), [(10, 0.08, 0.25), (20, 0.05, 0.2)])
def test_gains_with_a_tail_raise_more_alarms_than_said(repeats, least, most):
    """What the pages say of it: random signs take deviations to be symmetric."""
    rng, runs, alarms = np.random.default_rng(0), 200, 0
    for _ in range(runs):
        found = compare_parts(draw_skewed(rng, repeats), np.arange(100), rng)
        alarms += (1 + (found.null >= found.statistic.max()).sum()) / (1 + len(found.null)) <= 0.05
    print(f"false alarms with a tail, {repeats} repeats: {alarms} of {runs}")  # noqa: T201
    assert least * runs <= alarms <= most * runs

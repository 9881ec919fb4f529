"""Calibration against hand counts and closed forms."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

import evenhand
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.robustness.calibration import find_calibration


def read(rows, *names):
    columns = ["left", "right", "outcome", *names]
    return evenhand.read(pd.DataFrame(rows, columns=columns))


def calibrate(votes, *by, **options):
    tally = votes.tally(by=by)
    return find_calibration(BradleyTerry().fit(tally.pool()), tally, **options)


def three_to_one(judges=1):
    return [("a", "b", "left" if i % 4 else "right", f"j{i % judges}") for i in range(40)]


def test_two_systems_are_one_part_with_the_binomial_interval():
    (part,) = calibrate(read([row[:3] for row in three_to_one()]))
    margin = norm.ppf(0.975) * np.sqrt(0.75 * 0.25 / 40)
    assert (part.n, part.observed) == (40, 0.75)
    assert part.expected == pytest.approx(0.75)
    assert part.lower == pytest.approx(0.75 - margin)
    assert part.upper == pytest.approx(0.75 + margin)


def test_the_interval_by_judge_is_that_of_the_sums_of_their_residuals():
    rows = [("a", "b", "left", f"j{i}") for i in range(10) for _ in range(3)]
    rows += [("a", "b", "right" if i % 2 else "left", f"j{i}") for i in range(10)]
    (part,) = calibrate(read(rows, "judge"), "judge")
    share = 35 / 40
    residuals = np.array([3 + (i % 2 == 0) - 4 * share for i in range(10)])
    margin = t.ppf(0.975, 9) * np.sqrt(10 / 9 * (residuals**2).sum()) / 40
    assert part.observed == pytest.approx(share)
    assert part.lower == pytest.approx(share - margin)


def test_ties_are_half():
    rows = [("a", "b", "left")] * 10 + [("a", "b", "tie")] * 20 + [("b", "a", "left")] * 2
    (part,) = calibrate(read(rows))
    assert part.observed == pytest.approx(20 / 32)


def test_a_model_that_is_too_sure_is_off():
    sure = [("a", "b", "left" if i % 10 else "right") for i in range(200)]
    fit = BradleyTerry().fit(read(sure).tally())
    (part,) = find_calibration(fit, read([row[:3] for row in three_to_one()]).tally())
    assert part.expected == pytest.approx(0.9)
    assert part.off
    (right,) = calibrate(read(sure))
    assert not right.off


def test_the_level_holds_for_all_parts_together():
    rows = [(*pair, "left" if i % 3 else "right") for pair in ("ab", "bc", "ac") for i in range(90)]
    votes = read([(one, two, outcome) for one, two, outcome in rows])
    parts = calibrate(votes, level=0.9)
    z = norm.ppf(1 - 0.1 / len(parts) / 2)
    for part in parts:
        won, p = part.observed * part.n, part.expected
        error = np.sqrt(won * (1 - p) ** 2 + (part.n - won) * p**2) / part.n
        assert part.upper - part.observed == pytest.approx(z * error)


def test_by_judge_and_item_the_variance_is_that_of_both_less_that_of_their_cells():
    rng = np.random.default_rng(7)
    judges, items = rng.normal(size=8), rng.normal(size=6)
    rows = [
        ("a", "b", "left" if judges[j] + items[i] + 0.3 > 0 else "right", f"j{j}", f"i{i}")
        for j in range(8)
        for i in range(6)
    ]
    (part,) = calibrate(read(rows, "judge", "item"), "judge", "item")
    won = np.array([row[2] == "right" for row in rows]).reshape(8, 6)
    residual = won - won.mean()
    by_judge = 8 / 7 * (residual.sum(axis=1) ** 2).sum()
    by_item = 6 / 5 * (residual.sum(axis=0) ** 2).sum()
    cells = 48 / 47 * (residual**2).sum()
    both = by_judge + by_item - cells
    assert both > 1.1 * max(by_judge, by_item)
    margin = t.ppf(0.975, 5) * np.sqrt(both) / 48
    assert part.observed == pytest.approx(won.mean())
    low, high = max(won.mean() - margin, 0), min(won.mean() + margin, 1)
    assert low > 0 or high < 1
    assert (part.lower, part.upper) == pytest.approx((low, high))


def test_the_variance_by_judge_and_item_is_not_below_that_by_either_alone():
    # Each judge sees each item twice, and the two answers agree: residuals sum to little by judge
    # and by item, so that nearly all the variance is that of the cells.
    rows = [
        ("a", "b", "left" if (j + i) % 2 or (j, i) == (0, 0) else "right", f"j{j}", f"i{i}")
        for j in range(8)
        for i in range(6)
        for _ in range(2)
    ]
    (part,) = calibrate(read(rows, "judge", "item"), "judge", "item")
    won = np.array([row[2] == "left" for row in rows]).reshape(8, 6, 2).sum(axis=2)
    residual = won - won.mean()
    by_judge = 8 / 7 * (residual.sum(axis=1) ** 2).sum()
    by_item = 6 / 5 * (residual.sum(axis=0) ** 2).sum()
    cells = 48 / 47 * (residual**2).sum()
    largest = max(by_judge, by_item)
    assert by_judge + by_item - cells < 0 < largest
    margin = t.ppf(0.975, 5) * np.sqrt(largest) / 96
    assert part.observed == pytest.approx(won.mean() / 2)
    assert part.upper == pytest.approx(won.mean() / 2 + margin)


def test_a_part_that_one_judge_alone_made_has_no_interval():
    rows = [("b", "c", "left" if i % 13 < 7 else "right", f"j{i % 8}") for i in range(112)]
    rows += [("a", "b", "left" if i % 8 else "right", "j0") for i in range(32)]
    many, alone = calibrate(read(rows, "judge"), "judge")
    assert many.lower < many.expected < many.upper
    assert alone.observed == pytest.approx(28 / 32)
    assert (alone.lower, alone.upper, alone.off) == (None, None, False)

"""Scores that are equal but for rounding are equal, in the table, in tests and in clusters."""

from itertools import permutations

import numpy as np
import pytest

from evenhand.metrics.evaluation import find_distance
from metrics.arrays import compare, table

K, S = 7, 6
NAMES = ("near", "far")
BOTH = ("spearman", "pearson", "tau-b")  # of systems and of segments
STATISTICS = ("pa", "tau-b", "spearman", "pearson", "acc-eq", "acc-eq-star", "spa", "preference")


def draw(seed):
    """Whole scores of people, of a metric near them and of one far from them."""
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 4, (K, S)).astype(float)
    near = np.clip(people + rng.integers(-1, 2, (K, S)), 0, 4)
    return people, near, rng.integers(0, 4, (K, S)).astype(float)


def vote(people, seed):
    rng = np.random.default_rng(seed)
    left = rng.integers(0, K, 60)
    right, item = (left + rng.integers(1, K, 60)) % K, rng.integers(0, S, 60)
    outcome = np.sign(people[left, item] - people[right, item])
    return {
        "item": item.tolist(),
        "left": [f"s{k}" for k in left],
        "right": [f"s{k}" for k in right],
        "outcome": np.select([outcome > 0, outcome < 0], ["left", "right"], "tie").tolist(),
    }


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_difference_of_a_pair_is_that_of_the_table(statistic):
    for seed in range(3):
        people, near, far = draw(seed)
        gold = vote(people, seed) if statistic == "preference" else table(people)
        level = "system" if statistic in BOTH else None
        found = compare(gold, {"near": near / 10, "far": far}, statistics=[statistic], level=level)
        (pair,), (first, second) = found.pairs, found.values[found.statistic].tolist()
        assert pair.difference == pytest.approx(first - second, abs=1e-9)


def test_the_order_of_items_changes_nothing():
    people = np.array([[1, 2, 3], [3, 2, 1], [2, 1, 3], [7, 8, 9], [9, 8, 7], [11, 10, 12]]) / 10
    metric = np.array([[1, 2, 3], [1, 2, 3], [1, 2, 3], [7, 8, 9], [7, 8, 9], [10, 11, 12]])
    for order in permutations(range(3)):
        chosen = list(order)
        found = compare(people[:, chosen], {"m": metric[:, chosen]})
        assert found.values["pa"].tolist() == [1]  # the first three tie, and the next two


def test_a_metric_with_equal_means_orders_no_systems():
    rng = np.random.default_rng(0)
    scores = np.round(100 * rng.random(40), 1)
    flat = np.array([rng.permutation(scores) for _ in range(K)])
    names = ["pearson", "spearman", "tau-b"]
    found = compare(rng.random((K, 40)), {"flat": flat}, statistics=names, level="system")
    assert np.isnan([found.values[name] for name in found.values]).all()


@pytest.mark.parametrize(
    ("statistic", "level"),
    [
        *((one, None) for one in ("acc-eq", "acc-eq-star", "spa", "pa")),
        *((one, level) for one in ("spearman", "tau-b") for level in ("system", "segment")),
    ],
)
def test_an_outlier_does_not_make_other_scores_equal(statistic, level):
    """Beyond all other scores together, its size says nothing (perplexity of an empty output)."""
    rng = np.random.default_rng(3)
    people = rng.normal(size=(8, 300))
    metric, other = (people + size * rng.normal(size=people.shape) for size in (1, 1.2))
    settings, found = {"statistics": [statistic], "level": level}, []
    for size in (1e5, 1e10, 1e12):
        metric[0, 0] = size
        one = compare(people, {"near": metric, "far": other}, **settings)
        found.append([one.values[one.statistic][one.metrics.index(name)] for name in NAMES])
        first, second = (found[-1][NAMES.index(name)] for name in one.metrics)
        if one.pairs:
            assert one.pairs[0].difference == pytest.approx(first - second, abs=1e-9)
    assert np.ptp(found, axis=0) == pytest.approx([0, 0], abs=1e-3)


def test_an_outlier_among_compared_outputs_does_not_either():
    people, near, far = draw(5)
    found = []
    for size in (1e5, 1e10, 1e12):
        near[0, 0] = size
        metrics = {"near": near, "far": far}
        found.append(compare(vote(people, 5), metrics, statistics=["preference"]))
        first, second = found[-1].values["preference"].tolist()
        assert found[-1].pairs[0].difference == pytest.approx(first - second, abs=1e-9)
        assert found[-1].values["preference"].tolist() == found[0].values["preference"].tolist()


@pytest.mark.parametrize("statistic", [*STATISTICS, "segment-pearson"])
def test_tests_do_not_depend_on_offsets(statistic):
    """Of tenths near 100,000 the last digits are of rounding."""
    for seed in range(2):
        people, near, far = draw(seed)
        gold = vote(people, seed) if statistic == "preference" else table(people)
        level = "system" if statistic in BOTH else None
        group = "none" if statistic == "segment-pearson" else "item"
        settings = {"statistics": [statistic], "level": level, "group": group}
        plain = compare(gold, {"near": near / 10, "far": far / 10}, **settings)
        if "score" in gold:
            gold = table(people / 10 + 1e5)
        metrics = {"near": near / 10 + 1e5, "far": far / 10 + 1e5}
        moved = compare(gold, metrics, **settings)
        assert moved.metrics == plain.metrics
        for one, other in zip(moved.pairs, plain.pairs, strict=True):
            assert one.difference == pytest.approx(other.difference, abs=1e-8)
            assert one.p == pytest.approx(other.p, abs=1e-12)


def test_ranks_of_metrics_do_not_depend_on_their_names():
    """An exact test has ties: one side is not 1 less the other."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        people = rng.normal(size=(6, 8)) + rng.normal(size=(6, 1))
        near, far = (people + sd * rng.normal(size=people.shape) for sd in (0.8, 2.0))
        ranks = {
            compare(people, {name: near, "b": far}, statistics=["pa"], level="system").wmt_rank
            for name in ("a", "z")
        }
        assert len(ranks) == 1


def test_a_distance_counts_all_pairs_that_are_so_far_apart():
    """Means in whole numbers: of 11 pairs at a distance or more all are in people's order."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        metric = rng.integers(0, 6, 9).astype(float)
        people = metric + rng.normal(size=9)
        i, j = np.triu_indices(9, 1)
        apart = np.abs(metric[i] - metric[j])
        right = np.sign(metric[i] - metric[j]) == np.sign(people[i] - people[j])
        fitting = [d for d in {*apart} if right[apart >= d].mean() >= 0.95]
        fitting = [d for d in fitting if (apart >= d).sum() >= 10]
        assert find_distance(people, metric) == (min(fitting) if fitting else None)

"""perm-sys against plain enumeration: every flip of items, every swap of systems, one at a time."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from evenhand import meta_evaluate

K, S = 6, 7
RNG = np.random.default_rng(12)
PEOPLE = np.round(RNG.normal(size=(K, 1)) + RNG.normal(size=(K, S)))
METRICS = {
    "fine": PEOPLE + RNG.normal(size=(K, S)),
    "coarse": np.round(PEOPLE + RNG.normal(size=(K, S))),
}
PAIRS = list(combinations(range(K), 2))
CELLS = {
    "system": [f"s{k}" for k in range(K) for _ in range(S)],
    "item": [f"i{s}" for _ in range(K) for s in range(S)],
}
FLIPS = np.array(list(product((1, -1), repeat=S)))


def find_pair(columns=CELLS, **settings):
    gold = {**columns, "score": PEOPLE.ravel().tolist()}
    scores = {**CELLS, **{name: one.ravel().tolist() for name, one in METRICS.items()}}
    found = meta_evaluate(gold, scores, **settings)
    (pair,) = found.pairs
    return found, pair


def standardise(scores, *, means=False):
    """On one scale over all outputs, or over the means of systems."""
    spread = scores.mean(axis=1) if means else scores
    return (scores - scores.mean()) / spread.std()


def enumerate_swaps(measure, *, means=False):
    """Return the difference of the fine metric, less the coarse one, and its exact p."""
    one, other = (standardise(METRICS[name], means=means) for name in ("fine", "coarse"))
    observed = measure(one) - measure(other)
    beyond = 0
    for swap in product((False, True), repeat=K):
        rows = np.array(swap)[:, None]
        a, b = np.where(rows, other, one), np.where(rows, one, other)
        beyond += abs(measure(a) - measure(b)) >= abs(observed) - 1e-9
    return observed, beyond / 2**K


def flip(x, y):
    """One-sided mid-p that x is better than y."""
    observed, drawn = (x - y).sum(), FLIPS @ (x - y)
    return np.mean(drawn > observed + 1e-9) + np.mean(np.abs(drawn - observed) <= 1e-9) / 2


def soft(scores):
    return 1 - np.mean(
        [abs(flip(PEOPLE[i], PEOPLE[j]) - flip(scores[i], scores[j])) for i, j in PAIRS]
    )


def pairwise(scores):
    h, m = PEOPLE.mean(axis=1), scores.mean(axis=1)
    return np.mean([np.sign(h[i] - h[j]) == np.sign(np.round(m[i] - m[j], 9)) for i, j in PAIRS])


def correlate(scores):
    return stats.pearsonr(PEOPLE.mean(axis=1), scores.mean(axis=1)).statistic


@pytest.mark.parametrize(
    ("statistic", "measure"), [("spa", soft), ("pa", pairwise), ("system-pearson", correlate)]
)
def test_swaps_of_systems_are_enumerated(statistic, measure):
    _, pair = find_pair(statistics=[statistic])
    difference, p = enumerate_swaps(measure, means=measure is not soft)
    sign = 1 if pair.first == "fine" else -1
    assert pair.difference == pytest.approx(sign * difference, abs=1e-9)
    assert pair.p == pytest.approx(p, abs=1e-9)


@pytest.mark.parametrize(("statistic", "measure"), [("spa", soft), ("pa", pairwise)])
def test_swapped_scores_that_are_equal_but_for_rounding_are_equal(statistic, measure, monkeypatch):
    """Both metrics have the same scores, elsewhere: their common scales differ in rounding."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        moved = METRICS["coarse"][rng.permutation(K)][:, rng.permutation(S)]
        with monkeypatch.context() as patch:
            patch.setitem(METRICS, "fine", moved)
            _, pair = find_pair(statistics=[statistic])
            _, p = enumerate_swaps(measure, means=measure is pairwise)
        assert pair.p == pytest.approx(p, abs=1e-9)


def test_swaps_by_accuracy_keep_the_limit_of_each_metric():
    found, pair = find_pair(statistics=["acc-eq-star"])
    star = dict(zip(found.metrics, found.values["acc-eq-star"].tolist(), strict=True))
    limits = {}
    for name, scores in METRICS.items():  # the smallest limit of the best, by trying all
        apart = np.array([np.abs(scores[i] - scores[j]) for i, j in PAIRS])
        tried = [(count(scores, limit), -limit) for limit in {0.0, *apart.ravel()}]
        best = max(round(value, 12) for value, _ in tried)
        limits[name] = -max(less for value, less in tried if round(value, 12) == best)
        assert star[name] == pytest.approx(best)
    z = {name: standardise(one) for name, one in METRICS.items()}
    e = {name: limits[name] / one.std() for name, one in METRICS.items()}

    def accuracy(swap, names):
        rows = np.array(swap)
        scores = np.where(rows[:, None], z[names[1]], z[names[0]])
        each = np.where(rows, e[names[1]], e[names[0]])
        return np.mean([agree(scores, i, j, (each[i] + each[j]) / 2) for i, j in PAIRS])

    names = ("fine", "coarse")
    draws = [
        accuracy(swap, names) - accuracy(swap, names[::-1])
        for swap in product((False, True), repeat=K)
    ]
    p = np.mean(np.abs(draws) >= abs(draws[0]) - 1e-9)
    assert pair.p == pytest.approx(p, abs=1e-9)


def agree(scores, i, j, limit):
    """Share of items where two systems are in people's order; within the limit is a tie."""
    apart = scores[i] - scores[j]
    order = np.where(np.abs(apart) <= limit + 1e-6, 0, np.sign(apart))
    return np.mean(order == np.sign(PEOPLE[i] - PEOPLE[j]))


def count(scores, limit):
    return np.mean([agree(scores, i, j, limit) for i, j in PAIRS])


@pytest.mark.parametrize(
    "documents", [[*range(S)], [0, 1, 1, 1, 0, 2, 2]], ids=["items", "documents"]
)
def test_the_limit_of_each_item_is_chosen_on_those_of_other_documents(documents):
    columns = {**CELLS, "document": [f"d{one}" for one in documents * K]}
    found, _ = find_pair(columns, statistics=["acc-eq", "acc-eq-star"])
    parts, right = np.array(documents) % 5, dict.fromkeys(METRICS, 0.0)
    for name, scores in METRICS.items():
        apart = np.array([scores[i] - scores[j] for i, j in PAIRS])
        people = np.array([np.sign(PEOPLE[i] - PEOPLE[j]) for i, j in PAIRS])
        tried = [0.0, *sorted(np.abs(apart).ravel())]
        for part in range(5):
            own = parts == part
            shares = [
                np.round(np.mean((np.sign(apart) * (np.abs(apart) > e) == people)[:, ~own]), 12)
                for e in tried
            ]
            limit = tried[int(np.argmax(shares))]
            right[name] += np.sum((np.sign(apart) * (np.abs(apart) > limit) == people)[:, own])
        right[name] /= people.size
    values = dict(zip(found.metrics, found.values["acc-eq"].tolist(), strict=True))
    assert values == pytest.approx(right)
    assert (found.values["acc-eq"] < found.values["acc-eq-star"]).any()

"""Scores without a common step, against fractions, every swap, and ranks that scipy compares."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from metrics.arrays import compare

K, S = 6, 6
PAIRS = [*combinations(range(K), 2)]
# logarithms, ratios and roots are no multiples of a step; near copies differ in their last digits
KINDS = ("normal", "lognormal", "ratios", "roots", "near copies", "near systems", "12 decades")


def sign(x):
    return (x > 0) - (x < 0)


def draw(seed, kind, systems=K):
    """People's scores and those of two metrics, as floats."""
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 12, (systems, S)) / 4
    if kind == "ratios":
        metrics = rng.integers(1, 400, (2, systems, S)) / rng.integers(101, 997, (2, systems, S))
    elif kind == "roots":
        metrics = np.sqrt(rng.integers(1, 40, (2, systems, S)))  # many of them are equal
    elif kind == "12 decades":
        metrics = 10.0 ** rng.uniform(-6, 6, (2, systems, S))
    else:
        metrics = rng.normal(size=(2, systems, S)) + people / 3
        metrics = np.exp(metrics) if kind == "lognormal" else metrics
    if kind == "near copies":
        metrics[1] = metrics[0] + 1e-7 * rng.normal(size=(systems, S))
    if kind == "near systems":  # apart by tens of steps
        metrics[:, 1] = metrics[:, 0] + 1e-9 * rng.normal(size=(2, S))
    return people, metrics


def named(metrics):
    return {f"m{at}": one for at, one in enumerate(metrics)}


def rationals(table):
    return [[Fraction(float(x)) for x in row] for row in table]


def acc_star(people, metric, items=range(S)):
    """The best share of pairs in people's order, and the smallest ε of it."""
    h, m = rationals(people), rationals(metric)
    rows = [(m[i][s] - m[j][s], sign(h[i][s] - h[j][s])) for i, j in PAIRS for s in items]

    def share(epsilon):
        right = sum((0 if abs(far) <= epsilon else sign(far)) == order for far, order in rows)
        return Fraction(right, len(rows))

    limits = sorted({Fraction(0), *(abs(far) for far, _ in rows)})
    best = max(map(share, limits))
    return best, next(one for one in limits if share(one) == best)


def cross_fitted(people, metric):
    """Each item has the ε of the others: the fifth of the items it belongs to is left out."""
    h, m = rationals(people), rationals(metric)
    right = 0
    for s in range(S):
        others = [one for one in range(S) if one % 5 != s % 5]
        epsilon = acc_star(people, metric, others)[1]
        for i, j in PAIRS:
            far = m[i][s] - m[j][s]
            order = 0 if abs(far) <= epsilon else sign(far)
            right += order == sign(h[i][s] - h[j][s])
    return Fraction(right, len(PAIRS) * S)


def agree(people, metric, pairs):
    """The share of pairs of systems in people's order, from exact sums."""
    order = [sign(people[i] - people[j]) == sign(metric[i] - metric[j]) for i, j in pairs]
    return Fraction(sum(order), len(pairs))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_fractions(kind, seed):
    people, metrics = draw(seed, kind)
    names = ["pa", "system-tau-b", "segment-tau-b", "acc-eq", "acc-eq-star"]
    found = compare(people, named(metrics), statistics=names)
    h = [sum(row) for row in rationals(people)]
    for name, values in zip(found.metrics, zip(*found.values.values(), strict=True), strict=True):
        metric = metrics[int(name[1])]
        m = [sum(row) for row in rationals(metric)]
        best, limit = acc_star(people, metric)
        of_items = [
            stats.kendalltau(people[:, s], stats.rankdata(metric[:, s])).statistic for s in range(S)
        ]
        exact = {
            "pa": agree(h, m, PAIRS),
            "system-tau-b": stats.kendalltau(stats.rankdata(h), stats.rankdata(m)).statistic,
            "segment-tau-b": np.nanmean(of_items),
            "acc-eq": cross_fitted(people, metric),
            "acc-eq-star": best,
        }
        given = dict(zip(found.values, values, strict=True))
        for one, value in exact.items():
            assert given[one] == pytest.approx(float(value), abs=1e-12), (name, one)
        if seed == 0:
            alone = compare(people, {"m0": metric}, statistics=["acc-eq-star"])
            assert alone.epsilon == pytest.approx([float(limit)], rel=1e-9)


def standardise(metric):
    """Exact sums of systems on a common scale, to 60 digits."""
    sums = [sum(row) for row in rationals(metric)]
    centred = [one - Fraction(sum(sums), K) for one in sums]
    variance = sum(one**2 for one in centred)
    with localcontext(prec=60):
        sd = (Decimal(variance.numerator) / Decimal(variance.denominator)).sqrt()
        return [Decimal(one.numerator) / Decimal(one.denominator) / sd for one in centred]


def order_of(values):
    return [sign(values[i] - values[j]) for i, j in PAIRS]


def measure(people, metric, statistic):
    """PA or tau-b from the signs of exact differences."""
    h, m = order_of(people), order_of(metric)
    if statistic == "pa":
        return sum(a == b for a, b in zip(h, m, strict=True)) / len(PAIRS)
    top = sum(a * b for a, b in zip(h, m, strict=True))
    return top / (sum(map(abs, h)) * sum(map(abs, m))) ** 0.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("statistic", ["pa", "system-tau-b"])
def test_p_of_swapped_systems_is_that_of_all_swaps(kind, statistic):
    for seed in range(2):
        people, metrics = draw(seed, kind)
        found = compare(people, named(metrics), statistics=[statistic])
        h = [sum(row) for row in rationals(people)]
        one, other = map(standardise, metrics)
        differences = []
        for swap in product((False, True), repeat=K):
            a, b = (
                [y if moved else x for x, y, moved in zip(*two, swap, strict=True)]
                for two in ((one, other), (other, one))
            )
            differences.append(measure(h, a, statistic) - measure(h, b, statistic))
        beyond = sum(abs(one) >= abs(differences[0]) - 1e-12 for one in differences)
        (pair,) = found.pairs
        assert pair.p == pytest.approx(beyond / 2**K, abs=1e-12)
        assert abs(pair.difference) == pytest.approx(abs(differences[0]), abs=1e-12)


@pytest.mark.parametrize("who", ["people", "m1"])
def test_scores_that_become_equal_beside_far_larger_ones_are_named(who):
    rng = np.random.default_rng(5)
    people, metrics = draw(5, "normal")
    wide = 10.0 ** rng.uniform(-20, 20, people.shape)
    people, metrics = (wide, metrics) if who == "people" else (people, np.stack([wide, wide]))
    told = [
        str(one) for one in compare(people, named(metrics)).notes if "count as equal" in str(one)
    ]
    assert told
    assert f"by {who if who == 'people' else 'm0'} count as equal" in told[0]
    assert "give logarithms of all scores" in told[0]

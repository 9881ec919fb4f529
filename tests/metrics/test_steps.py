"""Scores far from 0, outliers and copies: what whole numbers of steps give, against fractions."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from evenhand import meta_evaluate
from evenhand.errors import InvalidJudgments
from evenhand.metrics import comparison
from evenhand.metrics.statistics import Steps
from metrics.arrays import compare, table

K = S = 6
PAIRS = [*combinations(range(K), 2)]
FLIPS = [*product((1, -1), repeat=S)]
FAR = 10**12
TESTS = ("perm-sys", "perm-both", "boot-both", "williams")


def sign(x):
    return (x > 0) - (x < 0)


def soft(d):
    """Exact mid-p of the sum of differences."""
    drawn = [sum(a * b for a, b in zip(flip, d, strict=True)) for flip in FLIPS]
    return Fraction(sum(1 + sign(one - sum(d)) for one in drawn), 2 * len(FLIPS))


def spa(people, metric):
    rows = [
        (soft(list(a[i] - a[j])), soft(list(b[i] - b[j])))
        for a, b in ((people, metric),)
        for i, j in PAIRS
    ]
    return 1 - sum(abs(a - b) for a, b in rows) / len(rows)


def pa(people, metric):
    h, m = people.sum(axis=1), metric.sum(axis=1)
    return Fraction(sum(sign(h[i] - h[j]) == sign(m[i] - m[j]) for i, j in PAIRS), len(PAIRS))


def acc_star(people, metric):
    """The best share of pairs of an item in people's order, with ties up to some distance."""
    rows = [
        (
            abs(metric[i, s] - metric[j, s]),
            sign(metric[i, s] - metric[j, s]),
            sign(people[i, s] - people[j, s]),
        )
        for i, j in PAIRS
        for s in range(S)
    ]
    limits = {Fraction(0), *(far for far, _, _ in rows)}
    right = [sum((0 if far <= e else order) == h for far, order, h in rows) for e in limits]
    return Fraction(max(right), len(rows))


EXACT = {"spa": spa, "pa": pa, "acc-eq-star": acc_star}


FARAWAY = {
    "a cell of 1e9": {"c23": 10**9},
    "a cell of 1e12": {"c23": FAR},
    "two that tie": {"c23": FAR, "c43": FAR},
    "two of one system": {"c23": FAR, "c25": -FAR},
}
OFFSETS = {f"offset {one:.0e}": one for one in (10**6, 10**7, 10**8, 10**10)}
FARAWAY["a cell of 1e10 beside 1e6"], OFFSETS["a cell of 1e10 beside 1e6"] = {"c23": 10**10}, 10**6


def draw(seed, parts=10):
    rng = np.random.default_rng(seed)
    people, metric, other = (
        np.vectorize(lambda n: Fraction(int(n), parts))(rng.integers(0, 40, (K, S)))
        for _ in range(3)
    )
    return people, (people + metric) / 2, people + other


@pytest.mark.parametrize("what", [*{**FARAWAY, **OFFSETS}])
@pytest.mark.parametrize("parts", [10, 7])
def test_values_are_those_of_fractions(what, parts):
    for seed in range(2):
        people, metric, _ = draw(seed, parts)
        moved = metric + OFFSETS.get(what, 0)
        for name, value in FARAWAY.get(what, {}).items():
            moved[int(name[1]), int(name[2])] = Fraction(value)
        found = compare(people, {"m": moved}, statistics=[*EXACT])
        for name, exact in EXACT.items():
            assert found.values[name][0] == pytest.approx(float(exact(people, moved)), abs=1e-9)


COPIES = [(1, 0), (1 / 3, -5), (0.01, 0), (1, 1e8)]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("kind", ["tenths", "numbers"])
def test_a_copy_on_another_scale_is_as_good_and_changes_no_other_pair(test, kind):
    settings = {"statistics": ["pearson"], "level": "system", "test": test}
    people, metric, other = (one.astype(float) for one in draw(1))
    if kind == "numbers":  # no multiples of a step
        metric = metric + np.random.default_rng(1).normal(size=metric.shape)
    (plain,) = compare(people, {"m": metric, "other": other}, **settings).pairs
    for factor, offset in COPIES:
        copied = {"m": metric, "copy": factor * metric + offset, "other": other}
        found = compare(people, copied, **settings)
        pairs = {frozenset((one.first, one.second)): one for one in found.pairs}
        same, kept = (pairs[frozenset(one)] for one in (("m", "copy"), ("m", "other")))
        assert (same.p, same.p_adjusted) == (1, 1), (factor, offset)
        clusters = dict(zip(found.metrics, found.cluster, strict=True))
        assert clusters["m"] == clusters["copy"]
        assert kept.p == pytest.approx(plain.p)
        if test != "williams":  # whose p are adjusted by how many there are
            assert kept.p_adjusted == pytest.approx(plain.p_adjusted)


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9])
def test_williams_test_keeps_its_digits_where_metrics_are_nearly_the_same(apart):
    rng = np.random.default_rng(3)
    people, one = rng.normal(size=(2, 8))
    rows = [people, people + one, people + one + apart * rng.normal(size=8)]
    with localcontext(prec=80):
        exact = [[Decimal(x) for x in row] for row in rows]
        exact = [[x - sum(row) / 8 for x in row] for row in exact]

        def correlate(a, b):
            cross, *squares = (
                sum(x * y for x, y in zip(*two, strict=True)) for two in ((a, b), (a, a), (b, b))
            )
            return cross / (squares[0] * squares[1]).sqrt()

        r12, r13, r23 = (correlate(exact[a], exact[b]) for a, b in ((0, 2), (0, 1), (1, 2)))
        k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
        below = Decimal(14) / 5 * k + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
        t = float((r12 - r13) * (7 * (1 + r23) / below).sqrt())
    pair = np.array([0]), np.array([1])
    found = comparison.test_williams(rows[0], np.array(rows[1:]), pair, comparison.SAME)
    assert found.p[0] == pytest.approx(2 * stats.t.sf(abs(t), 5), rel=1e-5)


@pytest.mark.parametrize("step", [1.0, 0.01, 1 / 3, 1 / 7, 1 / 2520, 1e-6, 37.5])
@pytest.mark.parametrize("origin", [0, -5, 1e4])
def test_multiples_of_a_step_are_found(step, origin):
    rng = np.random.default_rng(1)
    for most in (3, 100, 10_000):
        n = np.append(rng.integers(0, most, 60), [0, 1])
        steps = Steps.count((n * step + origin)[None])
        assert steps.error[0] == 0
        assert np.diff(steps.whole[0]).tolist() == np.diff(n).tolist()


@pytest.mark.parametrize("who", ["people", "m"])
def test_a_score_of_which_squares_overflow_is_refused_by_name(who):
    people, metric, _ = draw(1)
    (people if who == "people" else metric)[2, 3] = Fraction(10) ** 99
    with pytest.raises(InvalidJudgments, match=f"a score of s2 on 3 by {who} is too far"):
        compare(people, {"m": metric})


def test_outputs_without_scores_are_counted_once():
    people, metric, other = draw(2)
    scores = table(metric, "m") | {"other": [float(one) for one in other.ravel()]}
    kept = {name: column[:-5] for name, column in scores.items()}
    words = r"5 outputs .*: m of s5 on 1, m of s5 on 2, m of s5 on 3 and 2 more"
    with pytest.raises(InvalidJudgments, match=words):
        meta_evaluate(table(people), kept)


def test_how_few_items_have_two_judged_outputs_is_said():
    people, metric, _ = draw(3)
    gold = table(people)
    kept = [at for at in range(K * S) if gold["item"][at] < 2 or gold["item"][at] == at // S]
    gold = {name: [column[at] for at in kept] for name, column in gold.items()}
    found = meta_evaluate(gold, table(metric, "m"))
    assert "Statistics of segments use only 2 of 6 items" in " ".join(map(str, found.notes))

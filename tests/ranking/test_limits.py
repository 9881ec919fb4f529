"""What keeps pairs open, on judgments made so that it is known."""

from types import SimpleNamespace

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from evenhand.data.rankings import Rankings
from evenhand.ranking import rank
from evenhand.ranking.covariance import Spread
from evenhand.ranking.intervals import Estimates, pair_variance
from evenhand.ranking.rank_sets import JUDGMENTS, differ_so_much, find_limits
from ranking.panels import comparisons, panel

PAIRS = np.triu_indices(4, 1)


def causes(frame: pl.DataFrame, **settings: object) -> set[str]:
    """Return what binds the pairs of four systems."""
    sets = rank(comparisons(frame), **settings).rank_sets
    return {(*sets.clusterings, "judgments")[way] for way in sets.way[PAIRS].tolist()}


@pytest.mark.parametrize(("judges", "systems"), [(6, 2), (6, 8), (9, 8)])
@pytest.mark.parametrize("n", [300, 3_000])
def test_a_few_judges_without_taste_are_not_what_is_lacking(judges, systems, n):
    """V_J is V_0 then: 30,000 judgments by the same six would have a tenth of the variance."""
    pairs = np.triu_indices(systems, 1)
    for seed in range(2):
        frame = panel(seed, n=n, judges=judges, systems=systems, taste=0.0)
        sets = rank(comparisons(frame), cluster="judge").rank_sets
        assert set(sets.way[pairs].tolist()) == {JUDGMENTS}


@pytest.mark.parametrize("judges", [6, 9])
def test_more_judgments_by_judges_who_bind_do_not_help_and_by_others_do(judges):
    """The rule against the truth: ten times the judgments, by the same judges of the same tastes.

    Where judges bind more than half of the variance must stay; where judges have no taste about a
    tenth of it stays.
    """
    pairs = np.triu_indices(8, 1)
    kept = {}
    for taste in (0.0, 0.8):
        few, many = (
            rank(comparisons(panel(2, n=n, judges=judges, systems=8, taste=taste)), cluster="judge")
            for n in (3_000, 30_000)
        )
        kept[taste] = np.median(_variances(many)[pairs] / _variances(few)[pairs])
        bound = few.rank_sets.way[pairs] == 0
        assert bound.mean() > 0.7 if taste else not bound.any()
    assert kept[0.0] < 0.25
    assert kept[0.8] > 0.5


def _variances(ranking):
    """Variances of differences, systems by name."""
    order = np.argsort(ranking.systems)
    return ranking.pair_stderr[np.ix_(order, order)] ** 2


@pytest.mark.parametrize(("clusters", "systems"), [(6, 2), (6, 4), (9, 8)])
def test_variances_that_are_twice_those_of_independent_answers_seldom_bind(clusters, systems):
    """At V_w = 2 V_0 itself: normal scores of clusters, by the level of the test at most."""
    rng = np.random.Generator(np.random.PCG64(9))
    first, second = np.triu_indices(systems, 1)
    said = 0
    for _ in range(2_000):
        own = rng.normal(0, np.sqrt(2), (clusters, systems))
        variance = np.cov(own.T)
        apart = variance[first, first] + variance[second, second] - 2 * variance[first, second]
        said += differ_so_much(apart / 2, clusters - 1.0, systems)
    assert said / 2_000 == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize("bar", ["thin", "lone"])
@pytest.mark.parametrize(("inside", "outside", "binds"), [(1.5, 40.0, False), (2.5, 0.0, True)])
def test_pairs_that_stay_open_anyway_do_not_tell_how_much_clusters_differ(
    bar, inside, outside, binds
):
    """V_w / V_0 by judge is 1.5 or 2.5; with barred pairs its mean is 11.1 or 1.9, and 2 the limit.

    By item no pair is barred, and the same pairs, with a ratio of 20.5, are those that bind.
    """
    barred = np.zeros((4, 4), dtype=bool)
    barred[3, :3] = barred[:3, 3] = True
    none = np.zeros_like(barred)
    ways = [
        SimpleNamespace(
            name=name,
            factor=SimpleNamespace(size=100, effective=100.0),
            vcov=np.diag(variances),
            effective=np.where(few, 4.9, 50.0),
            resting=np.where(alone, 7, -1),
        )
        for name, variances, few, alone in (
            ("judge", [inside] * 3 + [outside], barred & (bar == "thin"), barred & (bar == "lone")),
            ("item", [1.0] * 3 + [40.0], none, none),
        )
    ]
    one = np.eye(4)  # of independent answers, and of cells of judge and item
    estimates = Estimates(("s0", "s1", "s2", "s3"), np.zeros(4), one, one, lambda vcov: vcov)
    first, second = (way.vcov for way in ways)
    spread = Spread(ways, [first, second, first + second - one], 99.0, "", ())
    found = find_limits(estimates, spread, 0.95)
    expected = {"thin": [none, none], "lone": [none, none], bar: [barred, none]}
    for name, masks in expected.items():
        np.testing.assert_array_equal(found[name], masks)
    way = np.where(barred, 1, 0 if binds else JUDGMENTS)
    np.fill_diagonal(way, JUDGMENTS)
    np.testing.assert_array_equal(found["way"], way)
    np.testing.assert_array_equal(found["clusters"], np.where(way == JUDGMENTS, 0, 50))


def test_seven_items_that_differ_bind_and_not_the_hundred_and_fifty_judges():
    rng = np.random.Generator(np.random.PCG64(5))
    liking = rng.normal(0, 0.8, (7, 4))
    item, left = rng.integers(0, 7, 8_000), rng.integers(0, 4, 8_000)
    right = (left + rng.integers(1, 4, 8_000)) % 4
    chance = 1 / (1 + np.exp(liking[item, right] - liking[item, left]))
    frame = pl.DataFrame(
        {
            "left": [f"s{i}" for i in left],
            "right": [f"s{i}" for i in right],
            "outcome": np.where(rng.random(8_000) < chance, "left", "right").tolist(),
            "judge": [f"j{i % 150}" for i in range(8_000)],
            "item": [f"i{i}" for i in item],
        }
    )
    found = rank(comparisons(frame)).rank_sets
    assert found.clusterings == ("judge", "item")
    assert set(found.way[PAIRS].tolist()) == {1}
    assert found.clusters[PAIRS].max() <= 7
    assert causes(frame, cluster="judge") == {"judgments"}


def test_comparisons_of_one_ranking_are_one_answer():
    """Orders of eight equal systems drawn by sixty judges without taste: no judge may be blamed.

    The variance by judge is about (m + 1) / 3 = 3 times the model's, for which each of the 28
    comparisons of a ranking is an answer.
    """
    rng = np.random.Generator(np.random.PCG64(3))
    order = np.array([rng.permutation(8) for _ in range(1500)])
    each = np.repeat(np.arange(1500), 8)
    frame = pl.DataFrame(
        {
            "judge": [f"j{i % 60}" for i in each],
            "item": [f"i{i}" for i in each],
            "ranking": [f"r{i}" for i in each],
            "system": [f"s{i}" for i in order.ravel()],
            "rank": np.tile(np.arange(1, 9), 1500),
        }
    )
    found = rank(Rankings(nw.from_native(frame)), cluster="judge")
    assert (found.n_judgments, found.n_comparisons) == (1500, 42_000)
    pairs = np.triu_indices(8, 1)
    of_model = pair_variance(found.fit.to_worth(found.fit.raw_vcov))[pairs]
    ratio = np.median(found.pair_stderr[pairs] ** 2 / of_model)
    assert ratio == pytest.approx(3, abs=0.5)
    assert (found.rank_sets.way[pairs] == JUDGMENTS).all()

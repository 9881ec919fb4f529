"""Rank sets as they reach a ranking: two ways by hand, what stays open, and the laws."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import covariance, rank, rank_sets
from evenhand.ranking.intervals import rank_ranges
from evenhand.ranking.rank_sets import decide_by_holm, gather_pairs
from ranking.panels import comparisons, panel, write_out
from ranking.test_left_out import linked_by


@pytest.fixture(scope="module")
def data():
    return comparisons(panel(n=900, judges=12, items=15, systems=5))


def test_t_is_that_of_the_largest_of_three_variances_by_hand():
    """INFERENCE B3, from scores and information written out answer by answer."""
    frame = panel(n=300, judges=9, items=10)
    found = rank(comparisons(frame))
    by_hand = write_out(frame, found.fit)
    judge, item = (by_hand.jackknife(frame[name].to_list()) for name in ("judge", "item"))
    cells = by_hand.pooled((frame["judge"] + frame["item"]).to_list())
    worths = [2 * 2 * vcov[:3, :3] for vcov in (judge, item, judge + item - cells)]
    at = [found.systems.index(name) for name in ("s0", "s1", "s2", "s3")]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        contrast = np.eye(3)[i] - np.eye(3)[j]
        variance = max(contrast @ vcov @ contrast for vcov in worths)
        apart = found.log_worth[at[i]] - found.log_worth[at[j]]
        statistic = found.rank_sets.statistic[at[i], at[j]]
        assert statistic == pytest.approx(apart / np.sqrt(variance), rel=1e-6)


def test_everything_comes_from_the_same_decided_pairs(data):
    found, sets = rank(data), rank(data).rank_sets
    apart = np.abs(sets.statistic) > sets.critical[-1]
    np.testing.assert_array_equal(sets.decided != 0, apart)
    np.testing.assert_array_equal(found.rank_lower, 1 + (sets.decided < 0).sum(axis=1))
    np.testing.assert_array_equal(found.better_than, (sets.decided > 0).sum(axis=1))
    lines = [(sets.decided[:p, p:] > 0).all() for p in range(1, 5)]
    np.testing.assert_array_equal(np.diff(found.cluster) > 0, lines)
    assert (found.interval, found.rank_interval) == ("rank-sets", "simultaneous")
    assert len(sets.to_dict(found.systems)["decided"]) == (sets.decided > 0).sum()


def test_one_seed_gives_one_result_in_any_order_of_rows_and_another_seed_another():
    frame = panel(n=600, judges=9)
    first = rank(comparisons(frame))
    for other in (frame, frame.sample(fraction=1.0, shuffle=True, seed=4), frame.reverse()):
        again = rank(comparisons(other))
        assert again.to_dict() == first.to_dict()
    assert rank(comparisons(frame), seed=2).rank_sets.critical != first.rank_sets.critical
    assert "B=999" in first.signature
    assert "seed=20131" in first.signature


@pytest.mark.parametrize("cluster", ["judge", "item", None])
def test_every_judgment_counted_twice_leaves_rank_sets_as_they_are(cluster):
    """INFERENCE A9: s_g and H_g double, so that V, T and the worlds stay."""
    frame = panel(n=500, judges=9, items=12, systems=5)
    once, twice = (rank(comparisons(f), cluster=cluster) for f in (frame, pl.concat([frame] * 2)))
    np.testing.assert_allclose(once.rank_sets.statistic, twice.rank_sets.statistic, rtol=1e-6)
    np.testing.assert_allclose(once.rank_sets.critical, twice.rank_sets.critical, rtol=1e-6)
    np.testing.assert_array_equal(once.rank_lower, twice.rank_lower)
    np.testing.assert_array_equal(once.rank_upper, twice.rank_upper)


def test_pairs_that_rest_on_one_judge_stay_open_and_the_judge_is_named():
    found = rank(comparisons(linked_by("j004")), cluster="judge")
    near = np.array([name in ("s0", "s1", "s2") for name in found.systems])
    across = near[:, None] != near
    np.testing.assert_array_equal(found.rank_sets.resting, across)
    assert (found.rank_sets.decided[across] == 0).all()
    assert any(note.startswith("6 pairs undecided, with judge j004 alone") for note in found.notes)
    assert found.headline is None


def test_pairs_with_fewer_than_five_effective_judges_stay_open_however_far_apart():
    frame = panel(n=1500, judges=20, systems=4, taste=0.0)
    rare = [("s4", f"s{k}", "left", f"j{j:03d}", "i000") for k in range(4) for j in range(3)] * 12
    rare += [(a, b, "right", j, i) for a, b, _, j, i in rare[:12]]
    frame = pl.concat([frame, pl.DataFrame(rare, schema=frame.schema, orient="row")])
    found = rank(comparisons(frame), cluster="judge")
    at = found.systems.index("s4")
    assert found.rank[at] == 1
    assert (found.rank_lower[at], found.rank_upper[at]) == (1, 5)
    assert any("fewer than 5 effective judges link the two" in note for note in found.notes)
    assert (found.better_than[np.arange(5) != at] > 0).any()


def test_single_answers_are_decided_by_the_distribution_of_the_largest_of_many_t():
    """No clusters, equal worths: the critical value is near that of Tukey's range over √2.

    Six balanced systems have pairwise t of one covariance; scipy's studentized range has
    q(.95; 6, ∞)/√2 = 2.850.
    """
    rng = np.random.default_rng(8)
    rows = [
        (f"s{i}", f"s{j}", "left" if rng.random() < 0.5 else "right")
        for i in range(6)
        for j in range(i)
        for _ in range(150)
    ]
    frame = pl.DataFrame(rows, schema=["left", "right", "outcome"], orient="row")
    found = rank(comparisons(frame), model=BradleyTerry(ties="discard"))
    assert found.rank_sets.clusterings == ("judgment",)
    assert found.rank_sets.critical[0] == pytest.approx(2.850, abs=0.12)
    assert any(note.code == "no-judges-nor-items" for note in found.notes)


def test_more_pairs_than_worlds_are_drawn_for_are_decided_by_holm(data, monkeypatch):
    """Intervals are Bonferroni's over five systems, with the quantile of scipy."""
    drawn = rank(data)
    monkeypatch.setattr(rank_sets, "MAX_BOOTSTRAP_PAIRS", 3)
    found = rank(data)
    assert "Holm" in found.method
    assert found.rank_sets.replicates == 0
    assert found.rank_lower[0] == drawn.rank_lower[0] == 1
    critical = stats.t.ppf(1 - 0.05 / (2 * 5), found.df)
    np.testing.assert_allclose((found.upper - found.log_worth) / found.stderr, critical, rtol=1e-9)


def test_holms_marginal_sets_are_those_of_each_systems_own_pairs():
    """Of statsmodels, row by row; one step of Bonferroni alone would leave (5, 4) open."""
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    worth = np.array([30.0, 20.0, 10.0, 2.4, 0.0, -10.0, -20.0])
    family = gather_pairs(worth, np.ones((7, 7)), ())
    (decided, alone, _), _ = decide_by_holm(family, 40.0, np.ones(7, dtype=bool), 0.95)
    p = 2 * stats.t.sf(np.abs(worth[:, None] - worth), 40)
    for system in range(7):
        others = np.arange(7) != system
        expected = multipletests(p[system, others], alpha=0.05, method="holm")[0]
        np.testing.assert_array_equal(alone[system, others] != 0, expected)
    assert alone[3, 4] == decided[3, 4] == 1
    (low, high), (best, worst) = rank_ranges(alone), rank_ranges(decided)
    assert (low >= best).all()
    assert (high <= worst).all()


def test_where_the_information_of_clusters_is_too_large_worlds_are_students(data, monkeypatch):
    exact, steps = rank(data), []
    monkeypatch.setattr(covariance, "MAX_DENSE", 10)
    found = rank(data, progress=lambda done, total: steps.append(done / total))
    assert "rank sets CR1 by judge+item" in found.method
    assert steps.count(1.0) == 2  # once for judges, once for items
    np.testing.assert_allclose(found.rank_sets.effective, exact.rank_sets.effective, rtol=1e-8)
    ratio = found.rank_sets.critical[0] / exact.rank_sets.critical[0]
    assert 0.7 < ratio < 1.3

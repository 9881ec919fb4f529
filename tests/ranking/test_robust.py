"""Wald tests by clusters: against scores written out answer by answer, and what is refused."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.fitted import cluster_spread, wald_test
from evenhand.ranking.sandwich import cluster_covariance
from ranking.panels import panel, tally

GROUPS = {f"j{i:03d}": "ab"[i % 2] for i in range(8)}
BY_GROUP = BradleyTerry(judge_covariates=("group",))


@pytest.fixture(scope="module")
def frame():
    drawn = panel(3, n=600, systems=3, judges=8)
    return drawn.with_columns(group=pl.col("judge").replace_strict(GROUPS))


def written_out(fit, frame):
    """Scores and information of every answer, by hand: λ of A and B, those of group b, γ."""
    p = len(fit.estimate)
    scores, infos = [], []
    for row in frame.iter_rows(named=True):
        x = np.zeros((3, p))
        for side, sign in (("left", 1), ("right", -1)):
            for at, name in enumerate(("s0", "s1")):
                if row[side] == name:
                    x[0, at] += sign
                    x[0, 2 + at] += sign * (row["group"] == "b")
        x[2] = -x[0]
        x[1, 4] = 1
        scaled = np.exp(x @ fit.estimate)
        chances = scaled / scaled.sum()
        seen = ["left", "tie", "right"].index(row["outcome"])
        scores.append(x[seen] - chances @ x)
        infos.append((x.T * chances) @ x - np.outer(chances @ x, chances @ x))
    return np.array(scores), np.array(infos)


def by_hand(fit, frame, way, at):
    """CV3 and Hotelling's F, answer by answer."""
    scores, infos = written_out(fit, frame)
    clusters = frame[way].to_numpy()
    names = np.unique(clusters)
    s = np.array([scores[clusters == name].sum(axis=0) for name in names])
    h = np.array([infos[clusters == name].sum(axis=0) for name in names])
    moved = np.array(
        [np.linalg.solve(h.sum(axis=0) - own, one) for own, one in zip(h, s, strict=True)]
    )
    moved -= moved.mean(axis=0)
    vcov = (len(names) - 1) / len(names) * moved.T @ moved
    bread = np.linalg.inv(h.sum(axis=0))
    block = np.ix_(at, at)
    shares = [np.trace(np.linalg.inv(bread[block]) @ (bread @ own @ bread)[block]) for own in h]
    g, q = np.sum(shares) ** 2 / np.square(shares).sum(), len(at)
    wald = fit.estimate[at] @ np.linalg.inv(vcov[block]) @ fit.estimate[at]
    return vcov, g, wald / q * (g - q) / (g - 1), stats.f.sf(wald / q * (g - q) / (g - 1), q, g - q)


@pytest.mark.parametrize("way", ["judge", "item"])
def test_covariance_and_test_are_those_of_scores_written_out_answer_by_answer(frame, way):
    fit = BY_GROUP.fit(tally(frame, "group"))
    at = np.array([2, 3])
    assert fit.names[2:4] == ("o1:b", "o2:b")
    vcov, effective, statistic, p = by_hand(fit, frame, way, at)
    counted = tally(frame, "group", way)
    np.testing.assert_allclose(cluster_spread(fit, counted, way).vcov, vcov, rtol=1e-7)
    found = wald_test(fit, counted, way, at)
    assert found.effective == pytest.approx(effective, rel=1e-9)
    assert found.statistic == pytest.approx(statistic, rel=1e-7)
    assert found.p == pytest.approx(p, rel=1e-6)
    assert (found.clusters, found.kind, found.df[0]) == (8, "CV3", 2)


@pytest.mark.parametrize("settings", [{}, {"order_effect": True}, {"ties": "half-win"}])
def test_without_groups_it_is_the_covariance_of_rank(frame, settings):
    counted = tally(frame, "judge")
    fit = BradleyTerry(**settings).fit(counted)
    expected, _ = cluster_covariance(fit, counted, "judge")
    np.testing.assert_allclose(cluster_spread(fit, counted, "judge").vcov, expected, rtol=1e-7)


def test_what_too_few_judges_say_is_refused_by_name(frame):
    few = frame.filter(pl.col("judge").is_in(["j000", "j001", "j002", "j003"]))
    groups = dict.fromkeys(GROUPS, "a") | {"j003": "b"}
    lonely = frame.with_columns(group=pl.col("judge").replace_strict(groups))
    apart = frame.filter(
        (pl.col("judge") == "j002") | ~(pl.col("left").eq("s2") | pl.col("right").eq("s2"))
    )
    one = frame.filter(pl.col("judge") == "j000")
    plain = BradleyTerry()
    for model, rows, at, says in (
        (BY_GROUP, lonely, [2, 3], "j003 alone speaks for some judge group"),
        (plain, apart, [0, 1], "j002 alone speaks of s2: it takes two judges"),
        (BY_GROUP, few, range(4), "are too few to test 4 parameters at once"),
        (plain, one, [0, 1], "all judgments are of one judge"),
    ):
        by = ("group",) if model is BY_GROUP else ()
        with pytest.raises(NotIdentified, match=says):
            wald_test(model.fit(tally(rows, *by)), tally(rows, *by, "judge"), "judge", np.array(at))


def test_a_ranking_that_alone_links_a_system_leaves_scores_to_serve(frame):
    by_one = pl.when(pl.col("judge") == "j002").then(pl.lit("r")).otherwise(pl.col("item"))
    apart = frame.with_columns(ranking=by_one).filter(
        (pl.col("judge") == "j002") | ~(pl.col("left").eq("s2") | pl.col("right").eq("s2"))
    )
    fit = BradleyTerry().fit(tally(apart))
    spread = cluster_spread(fit, tally(apart, "ranking"), "ranking")
    n, p, g = fit.n_comparisons, len(fit.estimate), len(spread.scores)
    expected = fit.vcov @ spread.scores.T @ spread.scores @ fit.vcov
    np.testing.assert_allclose(spread.vcov, expected * g / (g - 1) * (n - 1) / (n - p), rtol=1e-9)

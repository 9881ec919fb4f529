"""Sigma of rankings, whose comparisons hang together: random deals of rankings to judges."""

from dataclasses import replace
from itertools import permutations

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from evenhand import read
from evenhand.data.comparisons import Comparisons
from evenhand.models.random_judges import RandomJudges, deal_rankings
from evenhand.models.random_judges_likelihood import find_dispersion, pool_judges
from experiments.campaign import part_of
from judge_panels import panel_of


def rankings(judges, each, *, seed, sigma=0.0, tasks=1):
    """Rankings of four of six systems by worths, tastes and Gumbel noise (Plackett-Luce)."""
    rng = np.random.Generator(np.random.PCG64(seed))
    taste = np.linspace(0.6, -0.6, 6) + rng.normal(0, sigma, (judges, 6))
    rows = []
    for r in range(judges * each):
        chosen = rng.choice(6, 4, replace=False)
        seen = taste[r % judges, chosen] + rng.gumbel(size=4)
        for rank, place in enumerate(np.argsort(-seen)):
            rows.append(
                (f"t{r % tasks}", f"r{r}", f"j{r % judges:02d}", f"s{chosen[place]}", rank + 1)
            )
    names = ["task", "ranking", "judge", "system", "rank"]
    return read(pl.DataFrame(rows, schema=names, orient="row"))


def dealt(data, rng):
    """The same comparisons, their rankings dealt to judges at random."""
    frame = data.frame.to_native()
    frame = frame.collect() if isinstance(frame, pl.LazyFrame) else frame
    frame = frame if isinstance(frame, pl.DataFrame) else frame.pl()
    one = frame.group_by("ranking", maintain_order=True).agg(pl.col("judge").first())
    shuffled = one.with_columns(judge=pl.Series(rng.permutation(one["judge"].to_numpy())))
    judged = frame.drop("judge").join(shuffled, on="ranking")
    return Comparisons(nw.from_native(judged))


def test_rankings_have_no_likelihood_ratio_and_no_interval_but_a_test_of_deals():
    fit = RandomJudges().fit(rankings(8, 10, seed=1, sigma=1.0))
    assert fit.lr_test is None
    assert fit.sigma_interval is None
    assert fit.deal_test.p == pytest.approx(0.005)
    assert "at most (no interval" in fit.says[0]
    assert any(line.code == "deal-test" for line in fit.says)
    assert any(note.code == "sigma-of-rankings" for note in fit.notes)
    assert "no interval" in repr(fit)


def test_a_tally_that_does_not_know_rankings_gives_no_test_and_says_why():
    data = rankings(8, 10, seed=1, sigma=1.0).comparisons()
    fit = RandomJudges().fit(data.tally(by=("judge",)))
    assert fit.lr_test is fit.deal_test is fit.sigma_interval is None
    assert any("do not tell rankings apart" in note for note in fit.notes)
    assert fit.says[-2].code == "sigma-untested"
    told = RandomJudges().fit(data.tally(by=("judge", "ranking", "task")))
    assert told.deal_test == RandomJudges().fit(data).deal_test


def test_pairs_of_a_table_that_names_their_ranking_hang_together_too():
    rng = np.random.Generator(np.random.PCG64(1))
    fit = RandomJudges().fit(dealt(rankings(8, 10, seed=1, sigma=1.0).comparisons(), rng))
    assert fit.lr_test is fit.sigma_interval is None
    assert fit.deal_test.p > 0.05


@pytest.mark.slow
def test_judges_of_one_taste_are_seldom_called_different_by_their_rankings():
    """At .05 at most .05 + 3.09 sqrt(.0475 / R); by its ratio in many. R = 120, or half."""
    p, ratio, campaigns = [], [], part_of(120)
    for seed in range(campaigns):
        data = rankings(10, 12, seed=seed)
        fit = RandomJudges(restricted=False).fit(data)
        p.append(fit.deal_test.p)
        ratio.append(2 * (fit.loglik - fit.pooled_loglik))
    rejected = [sum(one <= 0.05 for one in p), sum(one > 2.706 for one in ratio)]
    print(f"\nrejected of {campaigns} by deals, by likelihood ratio: {rejected}")  # noqa: T201 - counts
    assert rejected[0] / campaigns <= 0.05 + 3.09 * (0.0475 / campaigns) ** 0.5
    assert 0.3 < np.mean(p) < 0.7
    assert rejected[1] / campaigns > 0.3


def test_p_is_that_of_all_deals_within_tasks():
    """Six rankings in two tasks: all 3!·3! deals, each score summed from its own comparison."""
    data = rankings(3, 2, seed=5, tasks=2).comparisons()
    tally = data.tally(by=("judge", "ranking", "task")).fold()
    judge, ranking, task = (tally.factors[n].codes for n in ("judge", "ranking", "task"))
    pooled = pool_judges(tally, 5, ties=False)
    panel = panel_of(replace(tally, factors={"judge": tally.factors["judge"]}))
    found = deal_rankings(tally, panel, pooled, find_dispersion(panel, pooled), seed=3)
    theta = np.append(pooled.beta, 0.0)
    expected = 1 / (1 + np.exp(theta[tally.right] - theta[tally.left]))
    score = tally.wins - (tally.wins + tally.losses) * expected
    sums = np.zeros((6, 6))
    owner, of = np.zeros(6, dtype=int), np.zeros(6, dtype=int)
    key = np.unique(np.stack([task, ranking]), axis=1, return_inverse=True)[1].reshape(-1)
    for c, r in enumerate(key):
        sums[r, tally.left[c]] += score[c]
        sums[r, tally.right[c]] -= score[c]
        owner[r], of[r] = judge[c], task[c]

    def spread(judges):
        return sum((sums[judges == j].sum(axis=0) ** 2).sum() for j in range(3))

    halves = [np.flatnonzero(of == t) for t in (0, 1)]
    deals = []
    for one in permutations(halves[0]):
        for two in permutations(halves[1]):
            turned = owner.copy()
            turned[halves[0]], turned[halves[1]] = owner[list(one)], owner[list(two)]
            deals.append(spread(turned))
    share = np.mean(np.array(deals) >= spread(owner) * (1 - 1e-9))
    assert 0 < share < 1
    assert found.p == pytest.approx(share, abs=0.12)  # 199 deals: 3.4 standard errors


@pytest.mark.slow
def test_dealt_judges_of_wmt12_are_seldom_called_different_and_its_own_are(data_folder):
    table = read(data_folder / "wmt12_rankings" / "wmt12.RNK_results.csv").comparisons()
    table = table.select_task("fr-en")
    own = RandomJudges().fit(table)
    rng = np.random.Generator(np.random.PCG64(4))
    fits = [RandomJudges(restricted=False).fit(dealt(table, rng)) for _ in range(part_of(20))]
    p, sigma = ([one.deal_test.p for one in fits], [one.sigma for one in fits])
    rejected = sum(one <= 0.05 for one in p)
    print(  # noqa: T201 - counts of an acceptance experiment
        f"\nfr-en: sigma {own.sigma:.3f}, p {own.deal_test.p}; dealt at random: sigma"
        f" {min(sigma):.3f} to {max(sigma):.3f}, p <= .05 in {rejected}/{len(p)}"
    )
    assert own.deal_test.p <= 0.01
    assert min(sigma) > 0.25
    assert rejected / len(p) <= 0.05 + 3.09 * (0.0475 / len(p)) ** 0.5
    assert all(one.lr_test is None and one.sigma_interval is None for one in fits)

"""E13: are variance components right, and claimed only where they are?

*Comparisons*: campaigns of tests/experiments/campaign.py with m=6, J=20, I=40, n=3000, log-worths
from .6 to −.6. *Ratings*: 8 systems, 40 items, each output scored by 4 of 20 judges, the same 4 for
all systems of an item; y = 50 + system + judge + item + (judge x system) + (item x system) + chance
with sds 8 (judges), 6 (items) and 10 (chance); tastes have ten times the sds of comparisons. Judges
are dealt from concatenated random permutations, four at a time.

Arms: sigma_J in 0, .3, .6 and sigma_I in 0, .5. The median of |estimate/truth − 1| may be .15; a
component is claimed (one-sided test at .05) in at most .08 of the campaigns without it, and in at
least .90 of those with it. Moments of comparisons run with R = 200, ratings with R = 40. The
likelihood of `RandomJudges` takes a second or more a campaign, and runs with R = 6 in one arm.

*Few judges*: J=5, sigma_J .9 or 0, sigma_I .4 or 0, the rest as above, R = 200, for item x system
alone: its median is within .10 of the truth, since five strong tastes leave a trace in every item.
*Coverage*: 95 % intervals of both components hold the truth in at least .88 of R = 200 campaigns of
comparisons (COVERED), and in 11 of R = 15
campaigns of ratings, whose profiles take seconds each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from evenhand.data.rating_rows import RatingRows
from evenhand.data.results import ITEM_SYSTEM, JUDGE_SYSTEM, Component
from evenhand.models.random_judges import RandomJudges
from evenhand.models.rating_components import estimate_rating_components
from evenhand.models.variance_components import estimate_taste_components
from experiments.campaign import Campaign, generator, told_apart

ARMS = tuple(product((0.0, 0.3, 0.6), (0.0, 0.5)))
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Outcome:
    """Estimates and claims of the replicates of an arm, for each component."""

    sd: dict[str, np.ndarray]
    claimed: dict[str, int]
    replicates: int

    def error(self, name: str, truth: float) -> float:
        return float(np.median(np.abs(self.sd[name] / truth - 1)))


def run(replicates: int, estimate: Callable[[int], tuple[Component, ...]]) -> Outcome:
    found = [{one.name: one for one in estimate(r)} for r in range(replicates)]
    names = (JUDGE_SYSTEM, ITEM_SYSTEM)
    sd = {name: np.array([one[name].sd for one in found]) for name in names}
    claimed = {name: sum(one[name].p < LEVEL for one in found) for name in names}
    return Outcome(sd, claimed, replicates)


def judge_arm(kind: str, out: Outcome, truths: tuple[float, float]) -> None:
    """Print the counts of an arm, and hold it to its thresholds."""
    said = [f"E13 {kind} sigma_J={truths[0]:g} sigma_I={truths[1]:g} R={out.replicates}"]
    for name, truth in zip((JUDGE_SYSTEM, ITEM_SYSTEM), truths, strict=True):
        error = f" error {out.error(name, truth):.3f}" if truth else ""
        median = float(np.median(out.sd[name]))
        said.append(f"{name}: median {median:.3f}{error} claimed {out.claimed[name]}")
    print("\n" + "; ".join(said))  # noqa: T201 - counts of an acceptance experiment
    for name, truth in zip((JUDGE_SYSTEM, ITEM_SYSTEM), truths, strict=True):
        share = out.claimed[name] / out.replicates
        if truth:
            assert out.error(name, truth) <= 0.15
            assert share >= 0.90
        else:
            assert share <= 0.08


@pytest.mark.slow
@pytest.mark.parametrize(("judge", "item"), ARMS)
def test_tastes_in_comparisons_are_found_where_they_are(judge, item):
    campaign = Campaign(0.24, judge, item, systems=6, judges=20, items=40, n=3000)
    arm = ARMS.index((judge, item))

    def estimate(replicate: int) -> tuple[Component, ...]:
        tally = campaign.simulate(generator(13, arm, replicate))
        return estimate_taste_components(tally).components

    judge_arm("comparisons", run(200, estimate), (judge, item))


@pytest.mark.slow
@pytest.mark.parametrize(("judge", "item"), ARMS)
def test_tastes_in_ratings_are_found_where_they_are(judge, item):
    arm, replicates = 10 + ARMS.index((judge, item)), 40

    def estimate(replicate: int) -> tuple[Component, ...]:
        rows = rate(generator(13, arm, replicate), 10 * judge, 10 * item)
        return estimate_rating_components(rows).components

    judge_arm("ratings", run(replicates, estimate), (10 * judge, 10 * item))


@pytest.mark.slow
@pytest.mark.parametrize(("judge", "item"), [(0.9, 0.4), (0.9, 0.0), (0.0, 0.4)])
def test_tastes_of_few_judges_do_not_make_those_of_items_small(judge, item):
    campaign = Campaign(0.24, judge, item, systems=6, judges=5, items=40, n=3000)

    def estimate(replicate: int) -> tuple[Component, ...]:
        tally = campaign.simulate(generator(13, 20, replicate))
        return estimate_taste_components(tally).components

    out = run(200, estimate)
    median, claimed = float(np.median(out.sd[ITEM_SYSTEM])), out.claimed[ITEM_SYSTEM]
    print(f"\nE13 J=5 sigma_J={judge:g} sigma_I={item:g}: {ITEM_SYSTEM} {median:.3f} {claimed}")  # noqa: T201
    if item:
        assert median == pytest.approx(item, rel=0.10)
        assert claimed >= 180
    else:
        assert claimed <= 16


COVERED = ((8, 1200, 0.6, 0.5), (20, 3000, 0.3, 0.5), (5, 3000, 0.9, 0.4))
"""Judges, comparisons, sigma_J, sigma_I."""


def count_covered(replicates, truths, estimate: Callable[[int], tuple[Component, ...]]):
    held = dict.fromkeys(truths, 0)
    for replicate in range(replicates):
        for one in estimate(replicate):
            if one.name in truths:
                held[one.name] += one.lower <= truths[one.name] <= one.upper
    return held


@pytest.mark.slow
@pytest.mark.parametrize(("judges", "n", "judge", "item"), COVERED)
def test_intervals_of_comparisons_cover(judges, n, judge, item):
    campaign = Campaign(0.24, judge, item, systems=6, judges=judges, items=40, n=n)

    def estimate(replicate: int) -> tuple[Component, ...]:
        tally = campaign.simulate(generator(13, 30 + judges, replicate))
        return estimate_taste_components(tally).components

    held = count_covered(200, {JUDGE_SYSTEM: judge, ITEM_SYSTEM: item}, estimate)
    print(f"\nE13 coverage J={judges} n={n} sigma_J={judge:g} sigma_I={item:g}: {held} of 200")  # noqa: T201
    assert min(held.values()) >= 176


@pytest.mark.slow
def test_intervals_of_ratings_cover():
    truths = {"judge": 8.0, "item": 6.0, JUDGE_SYSTEM: 3.0, ITEM_SYSTEM: 5.0, "residual": 10.0}

    def estimate(replicate: int) -> tuple[Component, ...]:
        return estimate_rating_components(rate(generator(13, 40, replicate), 3.0, 5.0)).components

    held = count_covered(15, truths, estimate)
    print(f"\nE13 coverage ratings: {held} of 15")  # noqa: T201
    assert min(held.values()) >= 11


@pytest.mark.slow
def test_the_likelihood_of_judges_agrees_with_the_moments():
    campaign = Campaign(0.24, 0.6, 0.0, systems=6, judges=20, items=40, n=3000)
    pairs = []
    for replicate in range(6):
        tally = campaign.simulate(generator(13, ARMS.index((0.6, 0.0)), replicate))
        likely = RandomJudges(ties="discard").fit(told_apart(tally, "judge")).sigma
        moments = {one.name: one.sd for one in estimate_taste_components(tally).components}
        pairs.append((moments[JUDGE_SYSTEM], likely))
    moments, likely = np.array(pairs).T
    error = float(np.median(np.abs(likely / 0.6 - 1)))
    print(f"\nE13 likelihood sigma_J=.6 R=6: {likely.round(3)} moments {moments.round(3)}")  # noqa: T201
    assert error <= 0.15
    assert np.median(np.abs(moments / likely - 1)) <= 0.10


def rate(rng: np.random.Generator, judge_sd: float, item_sd: float) -> RatingRows:
    """One campaign of ratings; effects are drawn in the order of the model."""
    systems, items, judges, each = 8, 40, 20, 4
    panel = np.concatenate([rng.permutation(judges) for _ in range(items * each // judges)])
    item, system, place = (one.ravel() for one in np.indices((items, systems, each)))
    judge = panel.reshape(items, each)[item, place]
    score = 50 + np.linspace(5, -5, systems)[system]
    score = score + rng.normal(0, 8, judges)[judge] + rng.normal(0, 6, items)[item]
    score += rng.normal(0, judge_sd, (judges, systems))[judge, system]
    score += rng.normal(0, item_sd, (items, systems))[item, system]
    score += rng.normal(0, 10, len(score))
    return rows_of(judge, item, system, score)


def rows_of(
    judge: np.ndarray, item: np.ndarray, system: np.ndarray, score: np.ndarray
) -> RatingRows:
    names = (tuple(f"{i:03d}" for i in range(one.max() + 1)) for one in (judge, item, system))
    judges, items, systems = names
    none = np.zeros(len(score), dtype=np.int32)
    codes = (one.astype(np.int32) for one in (judge, item, system))
    return RatingRows(("",), judges, items, systems, ("",), none, *codes, none, score.astype(float))

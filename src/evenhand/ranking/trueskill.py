"""TrueSkill as WMT ranked with it: a thousand runs of N + 1 matches each.

    μ_i = 0, σ_i = .5, β = σ n/40, τ = 0, 25 % draws between equals; n = N + 1 matches:
    a = the system with the largest σ, b with P ∝ exp(−|μ_a − μ_b|), one judgment on them at random,
    score = mean of μ over runs, clusters from its ranks in them (`scoring.clusters`).

What a run draws its matches from is a setting. WMT 2016's official rankings follow where each run
has a resample of the comparisons of its own (`resampled=True`). The program that the paper's
authors published, `src/infer_TS.py` of keisks/wmt-trueskill in its versions of 2015, draws from all
comparisons themselves in each run (`resampled=False`), and so did WMT 2015. Runs then differ by
their matches alone: ranges hold no uncertainty about the comparisons, and clusters are more.

Keisuke Sakaguchi, Matt Post and Benjamin Van Durme (2014), "Efficient Elicitation of Annotations
for Human Evaluation of Machine Translation", WMT, pages 1-11; settings and choice of matches as in
keisks/wmt-trueskill; official rankings: Bojar et al., findings of WMT 2015 and 2016. The update of
one match is in `scoring.trueskill_update`.

β grows with the number of matches, so that single matches hardly move a skill and σ hardly shrinks:
the score is then nearly a sum of wins less losses, over opponents that matter more the nearer they
are. Its scale means nothing by itself; its σ is no uncertainty, so ranges come from resampling.

When not to use it: a score of the log-linear models has a likelihood, intervals by judge and no
randomness of its own. Here matches are drawn, so that scores wander from seed to seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, repeat
from math import pi, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.tally import Tally
from evenhand.data.votes import Scores
from evenhand.errors import UnknownOption
from evenhand.numerics import Array, Integers
from evenhand.ranking.bootstrap import draw_counts
from evenhand.ranking.rules import RUNS, find_clusters, plan_draws, rank_ranges, require_linked
from evenhand.ranking.texts import say

# One match of two in TrueSkill: Gaussian skills, updated by a win, a draw or a loss.
#
# performance_i ~ N(μ_i, σ_i² + β²),  i wins if its performance is higher by more than ε,
# c² = 2β² + σ_a² + σ_b²,  t = (μ_a − μ_b)/c,
# μ_a ← μ_a + (σ_a²/c) v,  μ_b ← μ_b − (σ_b²/c) v,  σ_i² ← σ_i² (1 − (σ_i²/c²) w),
# v, w: how a standard normal around −t moves and narrows when the outcome is seen.
#
# Ralf Herbrich, Tom Minka and Thore Graepel (2006), "TrueSkill: A Bayesian Skill Rating System",
# NIPS 19, section 3 and table 1. Not for skills that drift: the dynamics τ is added to the
# variances before a match by whoever wants it; WMT has none.

DRAW: Final = 0  # An outcome is 1 where the first wins, −1 where it loses
# Standard deviations beyond which a probability is no longer a number of full precision
FAR_TAIL: Final = 37.0
_ROOT: Final = 1 / sqrt(2 * pi)


class Skill(NamedTuple):
    mean: Array  # (R,) μ
    variance: Array  # (R,) σ²


def draw_margin(chance: float, beta: float) -> float:
    """Return ε, the margin at which two equals draw with a chance (Herbrich et al. 2006)."""
    from scipy.special import ndtri

    return float(ndtri((chance + 1) / 2) * sqrt(2) * beta)


def surprise(gap: Array, margin: Array, outcome: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return v and w of Herbrich et al. (2006), table 1: the moments of a truncated normal."""
    from scipy.special import ndtr

    draw = outcome == DRAW
    size = np.abs(gap)
    high = np.maximum(np.where(draw, margin - size, outcome * gap - margin), -FAR_TAIL)
    low = np.where(draw, np.maximum(-margin - size, -FAR_TAIL - 2), -FAR_TAIL - 2)
    at_high, at_low = _density(high), _density(low)
    inside = ndtr(high) - ndtr(low)
    shift = (at_high - at_low) / inside
    narrowing = shift * shift + (high * at_high - low * at_low) / inside
    turn = np.where(draw, np.where(gap < 0, 1.0, -1.0), outcome)
    return turn * shift, narrowing


def play(
    first: Skill, second: Skill, outcome: NDArray[np.int64], *, beta: float, margin: float
) -> tuple[Skill, Skill]:
    """Return the (R,) skills of both sides after R separate matches; `margin` is ε."""
    scale = np.sqrt(2 * beta * beta + first.variance + second.variance)
    shift, narrowing = surprise((first.mean - second.mean) / scale, margin / scale, outcome)
    return _moved(first, scale, shift, narrowing), _moved(second, scale, -shift, narrowing)


def _moved(skill: Skill, scale: Array, shift: Array, narrowing: Array) -> Skill:
    step = skill.variance / scale
    return Skill(skill.mean + step * shift, skill.variance * (1 - step / scale * narrowing))


def _density(x: Array) -> Array:
    return np.asarray(_ROOT * np.exp(-0.5 * x * x))


# Many campaigns of TrueSkill matches at once: one step is the next match of every run.
#
# Within a run each match depends on the last, so that runs are what is done in parallel. Arrays are
# (K, R): systems by runs.

SIGMA: Final = 0.5
DRAWS: Final = 0.25
PACE: Final = 40  # β is σ times the number of matches over this, in keisks/wmt-trueskill
MATCHES_AT_ONCE: Final = 256
_BELOW_ONE: Final = 1 - 2.0**-50


@dataclass(frozen=True, eq=False)
class Matches:
    # (K, K) row of `win` and `undefeated` for a first and a second system, −1 if unseen
    cell: Integers
    win: Array  # (2C, R) chance that the first wins, in that direction
    undefeated: Array  # (2C, R) chance that it does not lose
    # (K, K, R) whether a pair was seen in a run, or None where all pairs were in all runs
    met: NDArray[np.bool_] | None

    @classmethod
    def of(cls, pairs: Tally, counts: Array) -> Matches:
        """Turn (R, C, 3) wins, ties and losses of each pair's left system into chances."""
        k, c = len(pairs.systems), len(pairs.left)
        seen = counts.sum(axis=2).T
        chances = counts.T / np.where(seen > 0, seen, 1.0)
        both = np.concatenate([chances, chances[::-1]], axis=1)
        cell = np.full((k, k), -1, dtype=np.int64)
        cell[pairs.left, pairs.right] = np.arange(c)
        cell[pairs.right, pairs.left] = np.arange(c, 2 * c)
        met = None
        if c < k * (k - 1) // 2 or (seen == 0).any():
            met = np.zeros((k, k, len(counts)), dtype=np.bool_)
            met[pairs.left, pairs.right] = met[pairs.right, pairs.left] = seen > 0
        return cls(cell, both[0], both[0] + both[1], met)


def replay(matches: Matches, n: int, rng: np.random.Generator) -> Array:
    """Play n matches in every run, and return (R, K) mean skills."""
    k, size = len(matches.cell), matches.win.shape[1]
    beta = SIGMA * n / PACE
    margin = draw_margin(DRAWS, beta)
    # (K, R) μ, exp(μ) and exp(−μ); (R, K) σ², −1 for a system that nobody met: it never plays
    means, up, down = np.zeros((k, size)), np.ones((k, size)), np.ones((k, size))
    variances = np.full((size, k), SIGMA**2)
    if matches.met is not None:
        variances[~matches.met.any(axis=1).T] = -1.0
    room = np.empty((k, size)), np.empty((k, size))  # new arrays cost more than what is done there
    runs, row = np.arange(size), np.arange(size) * k
    mean, variance = means.reshape(-1), variances.reshape(-1)
    win, undefeated = matches.win.reshape(-1), matches.undefeated.reshape(-1)
    cells = matches.cell.reshape(-1)
    for done in range(0, n, MATCHES_AT_ONCE):
        for partner, luck in rng.random((min(MATCHES_AT_ONCE, n - done), 2, size)):
            first = variances.argmax(axis=1)
            np.multiply(up, down.reshape(-1)[first * size + runs], out=room[0])
            np.multiply(down, up.reshape(-1)[first * size + runs], out=room[1])
            second = _choose(*room, matches.met, first, partner)
            cell = cells[first * k + second] * size + runs
            outcome = (luck < win[cell]).astype(np.int64) - (luck >= undefeated[cell])
            # one long index into flat arrays is five times as fast as two short ones
            places = [(system * size + runs, row + system) for system in (first, second)]
            one, two = (Skill(mean[at], variance[there]) for at, there in places)
            after = play(one, two, outcome, beta=beta, margin=margin)
            for (at, there), skill in zip(places, after, strict=True):
                mean[at], variance[there] = skill
                up.reshape(-1)[at] = grown = np.exp(skill.mean)
                down.reshape(-1)[at] = 1 / grown
    return np.ascontiguousarray(means.T)


def _choose(
    ahead: Array, behind: Array, met: NDArray[np.bool_] | None, first: Integers, luck: Array
) -> Integers:
    """Draw the second system with P ∝ exp(−|μ_a − μ_b|); both arrays, exp(±), are overwritten."""
    weight, runs = np.minimum(ahead, behind, out=ahead), np.arange(len(first))
    weight.reshape(-1)[first * len(first) + runs] = 0.0
    if met is not None:
        weight *= met[first, :, runs].T
    for row in range(1, len(weight)):
        weight[row] += weight[row - 1]
    passed = weight <= luck * (weight[-1] * _BELOW_ONE)
    return np.asarray(passed.sum(axis=0, dtype=np.int64))


MAX_DENSE_CHANCES: Final = 20_000_000  # Most chances that are held at once
# Most matches × systems × runs: about a minute or two; WMT16's largest task needs 3.9 · 10⁹
MAX_WORK: Final = 4_000_000_000


@dataclass(frozen=True)
class TrueSkill:
    """Settings of TrueSkill; the defaults are those of WMT 2016."""

    runs: int = RUNS  # how often all matches are played, each time others
    # a factor whose levels are drawn, such as "ranking", or None for single comparisons
    by: str | None = None
    # whether each run plays on a resample of the comparisons (WMT 2016), or on the comparisons as
    # they are (WMT 2015)
    resampled: bool = True

    def __post_init__(self) -> None:
        if self.by is not None and not self.resampled:
            raise UnknownOption(f'by="{self.by}" draws whole levels: it needs resampled=True')
        if self.runs < 1:
            raise UnknownOption(f"runs cannot be {self.runs}: it is a whole number from 1")


LEVEL: Final = 0.95  # Share of places that a rank range holds
WMT: Final = TrueSkill()
WMT15: Final = TrueSkill(resampled=False)


def score_trueskill(tally: Tally, *, seed: int = SEED, settings: TrueSkill = WMT) -> Scores:
    require_linked(tally)
    plan, by = plan_draws(tally, settings.by), () if settings.by is None else (settings.by,)
    pairs, squares = plan.pairs, plan.pairs.squares
    # of importance weights, whose scale says nothing, what they are worth
    size = round(pairs.n_comparisons if squares is None else pairs.n_comparisons**2 / squares.sum())
    # as many matches as comparisons and one, as WMT played; on very large data as many as a minute
    # or two allows, which are noisier
    k, runs, wanted = len(tally.systems), settings.runs, size + 1
    n = min(wanted, max(1, MAX_WORK // (runs * k)))
    rng = np.random.Generator(np.random.PCG64(seed))
    draws: Iterator[Array] = repeat(pairs.counts, runs)
    if settings.resampled:
        draws = (draw_counts(plan, by, rng).T for _ in range(runs))
    ends = np.concatenate([pairs.left, pairs.right])
    skills, absent = [], np.zeros(k, dtype=np.int64)  # in how many runs each system met nobody
    while drawn := list(islice(draws, max(1, min(runs, MAX_DENSE_CHANCES // k**2)))):
        counts = np.stack(drawn)
        skills.append(replay(Matches.of(pairs, counts), n, rng))
        for comparisons in counts.sum(axis=2):
            absent += np.bincount(ends, np.tile(comparisons, 2), k) == 0
    samples = np.concatenate(skills)
    values = samples.mean(axis=0)
    best, worst = rank_ranges(samples, LEVEL)
    options = {
        "seed": seed,
        "runs": runs,
        "level": LEVEL,
        "drawn": settings.by or "comparison" if settings.resampled else "nothing",
        "matches": n,
    }
    notes = []
    if n < size:  # chance weighs more
        notes.append(say("few-matches", matches=n, wanted=wanted))
    if absent.any():  # their skill stayed at zero there
        names = [f"{tally.systems[i]} ({absent[i]})" for i in np.flatnonzero(absent).tolist()]
        notes.append(say("absent", runs=runs, systems=names))
    return Scores(
        rule="trueskill",
        systems=tally.systems,
        values=values,
        unit="skill",
        stderr=samples.std(axis=0, ddof=1),
        rank_lower=best,
        rank_upper=worst,
        cluster=find_clusters(values, best, worst),
        settings=tuple(f"{name}={value}" for name, value in options.items()),
        notes=tuple(notes),
    )

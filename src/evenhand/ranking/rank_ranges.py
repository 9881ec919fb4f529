"""Koehn's clusters: rank ranges from resampling, and lines where no ranges overlap.

    range of i = its places in resamples, without the worst and best 2.5 %,
    a line after place p  ⇔  max_{i ≤ p} worst_i < min_{j > p} best_j.

Philipp Koehn (2012), "Simulating Human Judgment in Machine Translation Evaluation Campaigns",
IWSLT; Ondřej Bojar et al. (2013), "Findings of the 2013 Workshop on Statistical Machine
Translation". WMT drew comparisons with replacement, 1,000 times for the official ranges of 2016.

When not to use it: to say that A is better than B. Each range holds for one system by itself, and
drawing comparisons that share a judge or a ranking as if they were independent makes ranges too
narrow; draw rankings or judges (`by`), or use `evenhand.rank`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.tally import Tally
from evenhand.data.votes import Scores
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption, require_level
from evenhand.ranking.texts import say

# Resampled counts: the comparisons, or whole judges, items or rankings, drawn with replacement.
#
# Counts are all that a rule needs, so that a resample is a draw of counts and no judgment is moved:
# multinomial over the cells of all pairs, or over the levels of a factor.

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ResamplingPlan:
    pairs: Tally  # the tally folded and pooled, an entry per pair of systems
    # the same told apart by the factor that is drawn, or None to draw comparisons
    parts: Tally | None
    by: str | None  # the factor's name, or None

    @property
    def name(self) -> str:
        return self.by or "comparison"

    @property
    def size(self) -> int:
        """Comparisons inside; of importance weights, whose scale says nothing, (Σ w)² / Σ w²."""
        total, squares = self.pairs.n_comparisons, self.pairs.squares
        return round(total if squares is None else total**2 / float(squares.sum()))

    def draw(self, runs: int, rng: np.random.Generator) -> Iterator[Array]:
        """Yield (C, 3) counts of each pair, once per run."""
        counts, k, size = self.pairs.counts, len(self.pairs.systems), len(self.pairs.left)
        if self.parts is None or self.by is None:
            for _ in range(runs):
                drawn = rng.multinomial(int(counts.sum()), counts.ravel() / counts.sum())
                yield np.asarray(drawn.reshape(counts.shape), dtype=np.float64)
            return
        factor = self.parts.factor(self.by)
        keys, of_pairs = (
            tally.left.astype(np.int64) * k + tally.right for tally in (self.parts, self.pairs)
        )
        place = np.searchsorted(of_pairs, keys)
        for _ in range(runs):
            times = rng.multinomial(factor.size, np.full(factor.size, 1 / factor.size))
            weighted = self.parts.counts * times[factor.codes][:, None]
            yield np.stack([np.bincount(place, column, size) for column in weighted.T], axis=1)


def plan_resampling(tally: Tally, *, by: str | None = None) -> ResamplingPlan:
    """Put a tally's judgments into an urn; their order and sides do not matter."""
    pairs = tally.fold().pool()
    counts = pairs.counts
    if not counts.sum() > 0:
        raise InvalidJudgments("there are no comparisons to draw from: is a condition too narrow?")
    if by is None and (pairs.squares is not None or (counts % 1 != 0).any()):
        kind = "fractional" if pairs.squares is None else "importance"
        raise InvalidJudgments(
            f"single comparisons cannot be drawn with {kind} weights: leave the weights out, or"
            " draw whole judges or rankings"
        )
    return ResamplingPlan(pairs, None if by is None else tally.fold().pool((by,)), by)


Integers = NDArray[np.int64]
RUNS: Final = 1000
MIN_RUNS: Final = 20
MAX_LOST_SHARE: Final = 0.05


def rank_ranges(samples: Array, level: float = 0.95) -> tuple[Integers, Integers]:
    """Return (K,) best and (K,) worst place of each system over (R, K) samples of scores."""
    # Of R places of a system, sorted, the ⌈R (1 − level)/2⌉ first and last are cut off, as WMT did.
    # Of equal scores the best place counts for the lower end and the worst for the upper.
    runs = len(samples)
    require_level(level)
    if runs < MIN_RUNS:
        raise UnknownOption(f"{runs} runs say too little about ranges: take at least {MIN_RUNS}")
    cut = ceil(round((runs - runs * level) / 2, 9))
    if 2 * cut >= runs:
        raise UnknownOption(f"level {level} leaves none of {runs} runs: raise one of them")
    best, worst = (
        np.sort(
            np.stack([1 + np.searchsorted(np.sort(-row), -row, side="left") for row in samples]),
            axis=0,
        ),
        np.sort(
            np.stack([np.searchsorted(np.sort(-row), -row, side="right") for row in samples]),
            axis=0,
        ),
    )
    return best[cut], worst[runs - cut - 1]


def find_clusters(values: Array, best: Integers, worst: Integers) -> Integers:
    """Return (K,) the cluster of each system, 1 is best, from scores and places."""
    order = np.argsort(-values, kind="stable")
    reached = np.maximum.accumulate(worst[order])
    ahead = np.minimum.accumulate(best[order][::-1])[::-1]
    cluster = np.empty(len(values), dtype=np.int64)
    cluster[order] = np.concatenate([[1], 1 + np.cumsum(reached[:-1] < ahead[1:])])
    return cluster


def score_with_clusters(
    rule: Callable[[Tally], Scores],
    tally: Tally,
    *,
    by: str | None = None,
    runs: int = RUNS,
    level: float = 0.95,
    seed: int = SEED,
) -> Scores:
    # With expected wins as the rule this is what WMT13 published.
    scores = rule(tally)
    urn = plan_resampling(tally, by=by)
    rng = np.random.Generator(np.random.PCG64(seed))
    scored, lost = [], 0
    for done, drawn in enumerate(urn.draw(runs, rng), start=1):
        try:
            wins, ties, losses = drawn.T.copy()
            counts = {"wins": wins, "ties": ties, "losses": losses}
            resample = replace(urn.pairs, **counts, n_judgments=float(drawn.sum()))
            scored.append(rule(resample).values)
        except NotIdentified as refusal:
            lost += 1
            if lost > MAX_LOST_SHARE * runs:
                raise NotIdentified(
                    f"{lost} of the first {done} resamples are too thin for the rule: collect more"
                    " comparisons, or ask for scores without ranges"
                ) from refusal
    samples = np.stack(scored)
    best, worst = rank_ranges(samples, level)
    options = (f"seed={seed}", f"runs={runs}", f"level={level}", f"drawn={urn.name}")
    return replace(
        scores,
        stderr=samples.std(axis=0, ddof=1) if scores.stderr is None else scores.stderr,
        rank_lower=best,
        rank_upper=worst,
        cluster=find_clusters(scores.values, best, worst),
        settings=scores.settings + tuple(new for new in options if new not in scores.settings),
        notes=scores.notes + (say("thin-resamples", lost=lost, runs=runs),) * (lost > 0),
    )

"""What more judgments would decide of a whole board, from the judgments there are.

Worths, or scores, as they may be are drawn from what is believed of them: estimates θ̂ with
covariance V, drawn together as those of a pilot (`pilot.py`; Efron & Morris 1975). With t times as
many judgments, by as many more judges and on as many more items of the same kind, the estimates
will be

    θ̂_t = θ̂/t + (1 − 1/t) θ + ε,   ε ~ N(0, V (t − 1)/t²)

and a pair is decided if it is beyond c s/√t, with c of the last step of rank sets today. At t = 1
that is the board as it is. With more pairs decided c would fall a little: the numbers are low
rather than high. This is a predictive probability, also called assurance (O'Hagan, Stevens &
Campbell 2005, Assurance in clinical trial design, Pharmaceutical Statistics 4:187-201).

When not to use it: of the same few judges, whose tastes more answers do not average out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator

from evenhand.data.coding import SEED
from evenhand.errors import NotIdentified
from evenhand.models.log_linear import Fit
from evenhand.models.rating_fit import RatingFit
from evenhand.numerics import Array
from evenhand.numerics.distributions import normal_quantile
from evenhand.ranking.intervals import MIN_CLUSTERS, POWER, find_times
from evenhand.ranking.ranking import Ranking

# How many more judgments would decide open pairs: a pair is decided if its difference is beyond c
# standard errors. Today's estimate d̂, with error s, stays part of what will be known (as above, of
# a pair that is d apart), and it is decided with power π at the t where
#
# d̂ + (t − 1) d = c s √t + z_π s √(t − 1)
#
# which a pair that is open today has once where d > 0, beyond t = 1, and nowhere else. m judgments
# of this pair alone add their own information i to what there is, so that t = 1 + m i s²; i is that
# of one judgment in the model, less by what judges and items add to the variance. Ratings of a pair
# are shared equally by its two outputs: with σ² the variance of one, i = 1/(4σ²). d is taken to be
# d̂; the least and the most go with the ends of its 80 % interval, which of an open pair often
# reaches zero: then no number is the most. Ours.

RANGE: Final = 0.8  # Level of the interval of a difference (proportion)


@dataclass(frozen=True)
class Separation:
    better: str  # the system that is ahead
    worse: str  # the other
    gap: float  # difference of log-worths (log-odds), or of scores, above 0
    stderr: float  # its standard error
    # so many times as many judgments of all pairs, more than 1 of a pair that is open; None where
    # no number is enough
    times: float | None
    times_least: float | None  # if the gap is as large as it may be
    times_most: float | None  # if it is as small; None where it may be none
    alone: float | None  # more judgments of this pair alone; None where that is not enough
    alone_least: float | None  # if the gap is as large as it may be
    alone_most: float | None  # if it is as small; None where it may be none
    barred: bool  # whether it may not be decided, since too few judges or items link the two


def separate_pairs(ranking: Ranking, pairs: Sequence[tuple[int, int]]) -> tuple[Separation, ...]:
    """Say how many more judgments would decide pairs with power .8."""
    critical, sets, errors = find_critical(ranking), ranking.rank_sets, ranking.pair_stderr
    wide, values = normal_quantile((1 + RANGE) / 2), _point_up(ranking)
    separations = []
    for pair in pairs:
        stderr = 0.0 if errors is None else float(errors[pair])
        gap = float(values[pair[0]] - values[pair[1]])
        today = gap / stderr if stderr > 0 else np.inf
        barred = sets is not None and bool(sets.barred[pair])
        each = None if barred else _weigh_judgment(ranking, pair, stderr)
        ends = (today, today + wide, today - wide)  # the gap, and the ends of its interval
        times = [find_times(today, end, critical, POWER) for end in ends]
        alone = [None if each is None or t is None else (t - 1) / (each * stderr**2) for t in times]
        if sets is not None:  # no fewer than link the pair by judges and items enough
            effective = float(sets.effective[pair])
            links = not (sets.resting | sets.apart)[pair] and effective > 0
            times = [
                None if t is None or not links else max(t, MIN_CLUSTERS / effective) for t in times
            ]
        better, worse = (ranking.systems[place] for place in pair)
        needs = (times[0], times[1], times[2], alone[0], alone[1], alone[2])
        separations.append(Separation(better, worse, gap, stderr, *needs, barred))
    return tuple(separations)


def _point_up(ranking: Ranking) -> Array:
    """Return (K,) estimates of which larger ones are better."""
    return -ranking.estimate if ranking.lower_is_better else ranking.estimate


def find_critical(ranking: Ranking) -> float:
    """Return the |t| beyond which pairs of a board are decided: that of the last step."""
    sets = ranking.rank_sets
    if sets is None or ranking.pair_stderr is None:
        raise NotIdentified("what would decide a pair is asked of rank sets, and there are none")
    if not sets.critical or not np.isfinite(min(sets.critical)):
        raise NotIdentified(
            "no pair can be decided, whatever the judgments say: judges or items are too few",
            ["more judges", "more items"],
        )
    return min(sets.critical)


def _weigh_judgment(ranking: Ranking, pair: tuple[int, int], stderr: float) -> float | None:
    """Return the information that one more judgment of a pair adds; None where it is not known."""
    # As much as in the model, less by what judges and items add to the variance.
    fit = ranking.fit
    if not isinstance(fit, Fit | RatingFit) or fit.vcov is None or stderr <= 0:
        return None
    first, second = (fit.systems.index(ranking.systems[place]) for place in pair)
    spread = fit.vcov if isinstance(fit, RatingFit) else fit.worth_vcov
    variance = float(spread[first, first] + spread[second, second] - 2 * spread[first, second])
    if variance <= 0:
        return None
    if isinstance(fit, RatingFit):
        information = float(1 / fit.counts[first] + 1 / fit.counts[second]) / (4 * variance)
    else:
        chances = fit.predict([(fit.systems[first], fit.systems[second])])[0]
        decided = 1.0 - float(chances[1])
        information = (decided - float(chances[0] - chances[2]) ** 2) / 4
    return information / max(stderr**2 / variance, 1.0) if information > 0 else None


TIMES: Final = (1.0, 1.5, 2.0, 3.0, 4.0, 8.0)
DRAWS: Final = 400
# Draws times pairs that are held at once: of many systems fewer replicates are drawn
MAX_CELLS: Final = 4_000_000
TAIL: Final = 0.1  # Share of replicates below the lower end, and above the upper


@dataclass(frozen=True)
class PredictivePower:
    times: float  # so many times as many as there are
    judgments: float  # so many in all
    decided: float  # mean number of decided pairs
    lower: float  # a tenth of the replicates decide fewer
    upper: float  # a tenth decide more
    candidates: float  # mean number of systems that may then be the best
    # share of the replicates in which no more than one may be the best (proportion)
    one_best: float


def predict_more_judgments(
    ranking: Ranking, times: Sequence[float] = TIMES, *, draws: int = DRAWS, seed: int = SEED
) -> tuple[PredictivePower, ...]:
    critical = find_critical(ranking)
    sets, errors = ranking.rank_sets, np.asarray(ranking.pair_stderr)
    if sets is None:  # find_critical refuses
        return ()
    if not np.isfinite(errors).all():
        raise NotIdentified("of some systems nothing can be said, so that nothing is predicted")
    k = len(errors)
    n = max(2, min(draws, MAX_CELLS // k**2))
    covariance = centre(errors)
    estimate = _point_up(ranking)
    estimate = estimate - estimate.mean()
    rng = Generator(PCG64(seed))
    truths = draw_truths(estimate, covariance, n, rng)
    # what is below zero of a covariance counts as none
    size, directions = np.linalg.eigh(covariance)
    root = directions * np.sqrt(np.maximum(size, 0.0))
    noise = rng.standard_normal((n, k)) @ root.T
    prospects = []
    for t in times:
        later = estimate / t + (1 - 1 / t) * truths + noise * np.sqrt(t - 1) / t
        may = (sets.effective * t >= MIN_CLUSTERS) & ~(sets.resting | sets.apart)
        limit = np.where(may, critical * errors / np.sqrt(t), np.inf)
        beyond = later[:, :, None] - later[:, None, :] > limit
        decided = beyond.sum(axis=(1, 2))
        candidates = (~beyond.any(axis=1)).sum(axis=1)
        ends = np.quantile(decided, (TAIL, 1 - TAIL), method="inverted_cdf")
        best = (float(candidates.mean()), float((candidates == 1).mean()))
        counts = (float(decided.mean()), float(ends[0]), float(ends[1]))
        prospects.append(PredictivePower(t, t * ranking.n_judgments, *counts, *best))
    return tuple(prospects)


def centre(errors: Array) -> Array:
    """Return (K, K) the covariance of centred worths from the errors of their differences."""
    squares = errors**2
    mean = squares.mean(axis=0)
    return np.asarray(-(squares - mean - mean[:, None] + squares.mean()) / 2)


def draw_truths(estimate: Array, covariance: Array, draws: int, rng: Generator) -> Array:
    """Draw (B, K) worths as they may be, from (K,) centred estimates and their covariance.

    How far worths are apart is itself drawn: with few systems nothing else shows how little is
    known of it. The sum of squares of the estimates is τ² + ε² times χ² on K − 1 degrees of
    freedom; what is below zero of τ² counts as none.
    """
    k = len(estimate)
    sizes, directions = np.linalg.eigh(covariance)
    sizes = np.maximum(sizes, 0.0)
    apart = float(estimate @ estimate) / rng.chisquare(k - 1, (draws, 1))
    between = np.maximum(apart - sizes.sum() / (k - 1), 0.0)
    whole = between + sizes
    shrinkage = np.divide(between, whole, out=np.zeros_like(whole), where=whole > 0)
    along = shrinkage * (estimate @ directions)
    along += np.sqrt(shrinkage * sizes) * rng.standard_normal((draws, k))
    return np.asarray(along @ directions.T)

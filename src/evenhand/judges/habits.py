"""How a judge uses the scale and the time: coarsely, at its ends only, drifting.

None of these makes a judge careless, and none is a fault by a fixed rule: honest judges differ, by
as much as the campaign shows (`normal_spread`). What is compared:

    coarse    log of the chance that two of the judge's scores are the same, beside that of a
              judge of the same mean and spread who uses the scale like the rest
    extreme   log-odds of scores at an end of the scale, beside a judge of the same mean
    drifting  change of severity (on either side), or loss of the slope on what the others say,
              from the first to the last answer of a session; a pause of an hour ends a session

On scales of more than 20 points honest judges round to ones, fives, tens or more, which is no
normal spread: there coarse is shown, and nobody is flagged for it.

One-sided p-values for the first two; for drifting the smaller of its two p-values, doubled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import RatingRows, Scale
from evenhand.judges.rating_evidence import PRIOR_SCORES, Expectation, RatingSlopes, normal_spread
from evenhand.numerics import Array, Integers
from evenhand.numerics.cluster_means import number_groups, rank_within

# Judges of one task and criterion give its points k with shares q_k in all. One who is more
# lenient, or keeps to a part of the scale, and otherwise uses it like the rest, gives
#
# p_k ∝ q_k exp(α t_k)                   of the same mean t,
# p_k ∝ q_k exp(α t_k + β t_k²)          of the same mean and spread,
#
# t_k being the place of point k among all scores, 0 to 1 (exponential tilting, the distribution
# nearest to q with these moments). So severity and honest narrowness are taken out before points
# are counted. α and β have a weak normal prior that keeps them finite where a judge gives one point
# only. More than 101 different scores are merged into 101 steps of t.


MAX_POINTS: Final = 100
MAX_ITERATIONS: Final = 60
MAX_STEP: Final = 1.0
POINT_PRECISION: Final = 0.05  # Precision of α and β (per standard deviation of t), in scores


@dataclass(frozen=True, eq=False)
class PointUse:
    """How each judge uses the points of the scale, pooled over tasks and criteria."""

    scores: Array  # (J,) scores
    same: Array  # (J,) chance that two scores of the judge in one task and criterion are the same
    same_error: Array  # (J,) its standard error
    same_usual: Array  # (J,) the same for a judge of that mean and spread
    ends: Array  # (J,) share of scores at an end of the scale
    ends_usual: Array  # (J,) the same for a judge of that mean
    one_end: Array  # (J,) share of scores at the one end that the judge uses more
    points: int  # most different scores of a task and criterion


def use_of_points(rows: RatingRows, scale: Scale | None = None) -> PointUse:
    sums, points = np.zeros((7, len(rows.judges))), 0
    at_end = np.zeros((2, len(rows.judges)))
    group = number_groups(rows.task, rows.criterion)
    order = np.argsort(group, kind="stable")
    for at in np.split(order, np.cumsum(np.bincount(group))[:-1]):
        judges = np.unique(rows.judge[at])
        score, code = rows.score[at], np.searchsorted(judges, rows.judge[at])
        counts, t, end = _count(score, code, scale)
        sums[:, judges] += _compare(counts, t, end)
        points = max(points, len(np.unique(score)))
        for side, point in enumerate(_ends(score, scale)):
            at_end[side, judges] += np.bincount(code, score == point)
    n, pairs, same, noise, same_usual, ends, ends_usual = sums
    pairs, scores = np.maximum(pairs, 1e-300), np.maximum(n, 1e-300)
    chances = (same / pairs, np.sqrt(noise) / pairs, same_usual / pairs)
    at_ends = (ends / scores, ends_usual / scores, at_end.max(axis=0) / scores)
    return PointUse(n, *chances, *at_ends, points)


def _ends(score: Array, scale: Scale | None) -> tuple[float, float]:
    return (scale.low, scale.high) if scale else (float(score.min()), float(score.max()))


def _count(score: Array, judge: Integers, scale: Scale | None) -> tuple[Array, Array, Array]:
    """Return (J, K) scores by judge and point, (K,) places of points, (K,) 1 at the ends."""
    points, code = np.unique(score, return_inverse=True)
    code = code.reshape(-1)
    low, high = _ends(score, scale)
    place = (rank_within(np.zeros(len(score), np.int64), score) - 0.5) / len(score)
    if len(points) > MAX_POINTS + 1:
        code = number_groups(np.floor(place * MAX_POINTS).astype(np.int64))
    size = np.bincount(code)
    t = np.bincount(code, place) / size
    at_end = ((score == low) | (score == high)).astype(np.float64)
    cell = judge * len(size) + code
    counts = np.bincount(cell, minlength=(int(judge.max()) + 1) * len(size)).astype(np.float64)
    return counts.reshape(-1, len(size)), t, np.bincount(code, at_end) / size


def _compare(counts: Array, t: Array, end: Array) -> Array:
    """Return (7, J) sums over the scores of one task and criterion."""
    # They are scores, pairs of scores, pairs on one point, the variance of that, what it would
    # usually be, scores at an end, and what they would usually be.
    n, q = counts.sum(axis=1), counts.sum(axis=0) / counts.sum()
    spread = max(float(np.sqrt(q @ (t - q @ t) ** 2)), 1e-12)
    u = (t - q @ t) / spread
    shares = counts / n[:, None]
    alike, twice = (_tilt(counts, q, np.stack([u, u**2][:k])) for k in (1, 2))
    pairs = n * (n - 1)
    # to each judge's pairs is added one that says what is usual: never 0, nor certain
    usual = (twice**2).sum(axis=1)
    same = (counts * (counts - 1)).sum(axis=1) + usual
    part = (shares**2).sum(axis=1)
    noise = 4 * np.maximum((shares**3).sum(axis=1) - part**2, 0) / n + 2 * part / (pairs + 2)
    noise, usual = noise * (pairs + 1) ** 2, usual * (pairs + 1)
    return np.stack([n, pairs + 1, same, noise, usual, counts @ end, n * (alike @ end)])


def _tilt(counts: Array, q: Array, features: Array) -> Array:
    """Return (J, K) shares nearest to q with the judge's means of the features (damped Newton)."""
    n = counts.sum(axis=1)
    size = len(features)
    products = (features[:, None] * features[None]).reshape(size * size, -1).T
    moments, at = counts @ features.T, np.zeros((len(counts), size))
    for _ in range(MAX_ITERATIONS):
        p = _shares(at, q, features)
        mean = p @ features.T
        second = (p @ products).reshape(len(counts), size, size)
        information = n[:, None, None] * (second - mean[:, :, None] * mean[:, None, :])
        information += POINT_PRECISION * np.eye(size)
        score = moments - n[:, None] * mean - POINT_PRECISION * at
        step = np.linalg.solve(information, score[:, :, None])[:, :, 0]
        length = np.abs(step).max(axis=1, keepdims=True)
        step *= np.minimum(1, MAX_STEP / np.maximum(length, 1e-300))
        at += step
        if length.max() < 1e-6:
            break
    return _shares(at, q, features)


def _shares(at: Array, q: Array, features: Array) -> Array:
    logs = at @ features + np.log(q)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


PAUSE: Final = 3600.0  # Seconds without an answer that end a session


def place_in_session(judge: NDArray[np.integer], moment: Array, *, enough: int) -> Array:
    """Return (n,) places of answers in their sessions, from −½ for the first to ½ for the last."""
    # Answers in sessions of fewer than `enough`, which show no change, have place 0.
    order = np.lexsort((moment, judge))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(judge[order]) != 0) | (np.diff(moment[order]) > PAUSE)
    session, start = np.cumsum(new) - 1, np.flatnonzero(new)
    n = np.bincount(session, minlength=len(start))[session]
    place = (np.arange(len(order)) - start[session]) / np.maximum(n - 1, 1) - 0.5
    places = np.empty(len(order))
    places[order] = np.where(n >= enough, place, 0.0)
    return places


MIN_SCORES: Final = 10  # Scores, outputs or votes below which a judge's habits are not looked at
# Different scores of a task and criterion beyond which nobody is flagged as coarse
MAX_POINTS_COARSE: Final = 20


@dataclass(frozen=True, eq=False)
class Habit:
    name: str  # "position-biased", "drifting", "coarse" or "extreme"
    judges: NDArray[np.integer]  # (k,) codes of the judges with enough judgments
    # (k,) what was seen. Ratings: effective number of points, share at the ends, or change of
    # severity over a session in the judge's own standard deviations. Votes: log-odds.
    value: Array
    line: str  # what the line of it on a card is called
    says: list[str]  # (k,) the sentence on it
    p: Array  # (k,) chance of as much in an honest judge
    tested: bool = True  # whether anybody may be flagged for it


def find_habits(
    rows: RatingRows, seen: Expectation, slopes: RatingSlopes, scale: Scale | None = None
) -> tuple[Habit, ...]:
    use = use_of_points(rows.targets(), scale)
    judges = np.flatnonzero(use.scores >= MIN_SCORES)
    habits = [_coarse(use, judges), _extreme(use, judges)] if len(judges) else []
    return (*habits, *_drifting(seen, slopes))


def _coarse(use: PointUse, judges: Integers) -> Habit:
    same, error, usual = (a[judges] for a in (use.same, use.same_error, use.same_usual))
    values, variances = np.log(same / usual), (error / same) ** 2
    p = normal_spread(values, variances).above(values, variances)
    points = np.minimum(1 / same, use.scores[judges])
    tested = use.points <= MAX_POINTS_COARSE
    says = [
        f"uses the equivalent of {n:.1f} different scores; a judge with the same mean and spread"
        f" would use {of_usual:.1f}"
        for n, of_usual in zip(points, 1 / usual, strict=True)
    ]
    return Habit("coarse", judges, points, "coarse", says, p, tested)


def _extreme(use: PointUse, judges: Integers) -> Habit:
    n, share, usual = (a[judges] for a in (use.scores, use.ends, use.ends_usual))
    ends, expected = n * share + 0.5, n * usual + 0.5
    values = np.log(ends / (n + 1 - ends)) - np.log(expected / (n + 1 - expected))
    variances = 1 / expected + 1 / (n + 1 - expected)  # as in a judge who is like the rest
    p = normal_spread(values, variances).above(values, variances)
    says = [
        f"{100 * own:.0f} % of scores at an end of the scale; a judge with the same mean would give"
        f" {100 * of_usual:.0f} %"
        for own, of_usual in zip(share, usual, strict=True)
    ]
    return Habit("extreme", judges, share, "extreme", says, p)


def _drifting(seen: Expectation, slopes: RatingSlopes) -> list[Habit]:
    if seen.moment is None:
        return []
    known = np.flatnonzero(np.isfinite(seen.moment))
    judge = seen.judge[known]
    position = place_in_session(judge, seen.moment[known], enough=MIN_SCORES)
    size = len(seen.lost)
    n = np.bincount(judge[position != 0], minlength=size)
    judges = np.flatnonzero((n >= MIN_SCORES) & ~slopes.constant)
    if not len(judges):
        return []
    z, x = seen.scores[known], seen.others[known]
    left = z - slopes.slope[judge] * x
    # of few scores the rest may be small by chance: drawn to 1, as for slopes
    rest = np.bincount(judge, left**2, size) + PRIOR_SCORES
    rest /= np.bincount(judge, minlength=size) + PRIOR_SCORES
    tests = []
    for along in (position, position * x):
        square = np.maximum(np.bincount(judge, along**2, size)[judges], 1e-9)
        change = np.bincount(judge, along * left, size)[judges] / square
        grouped = np.bincount(judge, (along * left) ** 2, size)[judges] / square**2
        tests.append((change, np.maximum(grouped, rest[judges] / square)))
    (severity, error), (slope, slope_error) = tests
    spread = normal_spread(severity, error)
    loses = normal_spread(-slope, slope_error).above(-slope, slope_error)
    p = np.minimum(spread.beside(severity, error), loses)
    says = [
        f"over a session scores move by {own:+z.2f} standard deviations, those of the median judge"
        f" by {spread.centre:+z.2f}; the slope changes by {change:+z.2f}"
        for own, change in zip(severity, slope, strict=True)
    ]
    return [Habit("drifting", judges, severity, "drifting", says, np.minimum(2 * p, 1.0))]

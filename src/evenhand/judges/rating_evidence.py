"""What tells careless from honest judges of ratings: slopes on the others' scores, clues, habits.

Scores come on one scale and beside what the others lead one to expect; slopes, controls, repeats
and times give log-likelihoods under honest, careless and reversed for the mixture of `cards`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import CONTROL, TARGET, RatingRows, Scale, sign_scores, turn_mixed
from evenhand.judges.units import label_groups
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups, rank_within
from evenhand.numerics.distributions import t_quantile, t_tail


@dataclass(frozen=True, eq=False)
class Places:
    """Dense codes of every row; a group is a criterion of a task."""

    target: Flags  # (n,) whether the row is the score of an output as such
    # (n,) its group; its system, item and unit (an output) in the group; and its output, whatever
    # the criterion
    codes: Mapping[str, Integers]
    judged: Mapping[str, Integers]  # (n,) its judge at each of these

    @classmethod
    def of(cls, rows: RatingRows, target: Flags) -> Places:
        known = rows.items != ("",)
        each = np.arange(rows.size)  # without items every row may be another output
        group = number_groups(rows.task, rows.criterion)
        system = number_groups(group, rows.system)
        item = number_groups(group, rows.item if known else each)
        unit = number_groups(item, rows.system)
        output = rows.output if known else each
        codes = {"group": group, "system": system, "item": item, "unit": unit, "output": output}
        judged = {name: number_groups(rows.judge, place) for name, place in codes.items()}
        return cls(target, codes, judged)

    def of_others(self, values: Array, name: str) -> tuple[Array, Array]:
        """Return (n,) sums and counts of the targets of other judges at each row's place."""
        place, judged, sums = self.codes[name], self.judged[name], []
        for weights in (values[self.target], None):
            everybody = np.bincount(place[self.target], weights, int(place.max()) + 1)
            same_judge = np.bincount(judged[self.target], weights, int(judged.max()) + 1)
            sums.append(everybody[place] - same_judge[judged])
        return np.asarray(sums[0]), np.asarray(sums[1], dtype=np.float64)

    def centre(self, values: Array) -> Array:
        """Return (n,) values minus the mean of the targets of the same judge and group."""
        judged, targets = self.judged["group"], values[self.target]
        size = int(judged.max()) + 1
        n = np.bincount(judged[self.target], minlength=size)
        mean = np.bincount(judged[self.target], targets, size) / np.maximum(n, 1)
        mean[n == 0] = float(targets.mean())  # only controls: nothing of their own
        return values - mean[judged]


# What the other judges lead one to expect of every score, on a common scale (docs/judges.md):
#
# x = w₁ (mean of the system) + w₂ (rest of the item) + w₃ (rest of the output)
#
# from the scores of others minus their severity (of two-way means). The rest of the item is what
# others gave to its other outputs beside their mean, that of the output what they gave to it beside
# the mean of its system: a sum over n scores divided by n + σ²/v, v being the variance that judges
# share there and σ² that which they do not. w is a least-squares fit over all judges, none below 0.
# x is scaled, task by task, so that the mean slope of a judge's scores on it is 1.

MEAN_SWEEPS: Final = 12
# Precision with which a task's scale is drawn to that of all tasks: a deviation of .5
SCALE_PRECISION: Final = 4.0


@dataclass(frozen=True, eq=False)
class Expectation:
    """Every judge's scores beside what the others lead one to expect, all on one scale."""

    # The first arrays hold a row for every output that a judge scored (targets only), the last two
    # one for every row of the table, controls and second answers included.

    judge: Integers  # (m,) code of the judge
    item: Integers  # (m,) code of the item
    output: Integers  # (m,) number of the output
    # (m,) the judge's mean score of the output over criteria, standardised within the judge
    scores: Array
    others: Array  # (m,) what is expected of it, in the same unit
    moment: Array | None  # (m,) when it was given, in seconds; None where unknown
    shared: Flags  # (m,) whether another judge scored the same output
    lost: Integers  # (J,) means that were taken from each judge's scores, one for every task
    row_own: Array  # (n,) the score of every row, standardised likewise
    row_others: Array  # (n,) what is expected of it


def expect_scores(rows: RatingRows) -> Expectation:
    target = np.ones(rows.size, np.bool_) if rows.kind is None else rows.kind == TARGET
    places = Places.of(rows, target)
    y = np.full(rows.size, 0.5)  # places among the targets of the task and criterion, 0 to 1
    for group in _split(places.codes["group"]):
        usual = np.sort(rows.score[group[target[group]]])
        if len(usual):
            sides = (np.searchsorted(usual, rows.score[group], side) for side in ("left", "right"))
            y[group] = sum(sides) / (2 * len(usual))
    y = np.where(turn_mixed(rows) < 0, 1 - y, y)  # criteria are averaged
    parts, shared = _predict(y, places)
    y, apart = places.centre(y), np.stack([places.centre(part) for part in parts], axis=1)
    cell = number_groups(places.judged["output"][target])
    size = np.bincount(cell)
    at = np.empty(len(size), np.int64)
    at[cell] = np.flatnonzero(target)  # any row of the cell: what is asked of it is the same in all
    mean_y = np.bincount(cell, y[target]) / size
    mean_parts = np.stack([np.bincount(cell, part) / size for part in apart[target].T], axis=1)
    judge, task = rows.judge[at].astype(np.int64), rows.task[at].astype(np.int64)
    pair = number_groups(judge, task)
    owner = label_groups(pair, judge)
    lost = np.bincount(owner, minlength=len(rows.judges))
    # endless where always the same was said: scores become 0
    spare = np.maximum(np.bincount(judge, minlength=len(lost)) - lost, 1)
    variance = np.bincount(judge, mean_y**2, len(lost)) / spare
    deviation = np.sqrt(np.where(variance > 1e-12, variance, np.inf))
    z, row_own = mean_y / deviation[judge], y / deviation[rows.judge]
    # least-squares weights, none below 0: others' scores cannot speak against
    weights = np.zeros(3)
    products, with_z = mean_parts.T @ mean_parts, mean_parts.T @ z
    use = np.flatnonzero(np.diag(products) > 1e-12 * max(len(z), 1))
    while len(use):
        solution = np.linalg.lstsq(products[np.ix_(use, use)], with_z[use], rcond=None)[0]
        if (solution > 0).all():
            weights[use] = solution
            break
        use = np.delete(use, int(np.argmin(solution)))
    # of each task the slope on the common expectation, drawn to 1 and not below 0
    fitted = mean_parts @ weights
    cross = np.bincount(task, fitted * z, len(rows.tasks)) + SCALE_PRECISION
    square = np.bincount(task, fitted * fitted, len(rows.tasks)) + SCALE_PRECISION
    scale = np.maximum(cross / square, 0.0)
    output = number_groups(rows.task[at], rows.item[at], rows.system[at])
    moment = None if rows.moment is None else rows.moment[at]
    own = (judge, rows.item[at].astype(np.int64), output, z, fitted * scale[task], moment)
    return Expectation(*own, shared[at], lost, row_own, apart @ weights * scale[rows.task])


def _split(group: Integers) -> list[NDArray[np.intp]]:
    return np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])


def _predict(y: Array, places: Places) -> tuple[tuple[Array, Array, Array], Flags]:
    """Return what others tell of the system, item and output of each row, and who has others."""
    target = places.target
    # severities of judges (in each group) and worths of systems, whose sum fits y
    judge_of, system_of = places.judged["group"], places.codes["system"]
    judged, systems, own = judge_of[target], system_of[target], y[target]
    sizes = int(judge_of.max()) + 1, int(system_of.max()) + 1
    n_judged, n_system = (
        np.maximum(np.bincount(codes, minlength=size), 1)
        for codes, size in zip((judged, systems), sizes, strict=True)
    )
    worth = np.zeros(sizes[1])
    for _ in range(MEAN_SWEEPS):
        severity = np.bincount(judged, own - worth[systems], sizes[0]) / n_judged
        worth = np.bincount(systems, own - severity[judged], sizes[1]) / n_system
    corrected = y - severity[judge_of]
    rest = corrected - worth[system_of]
    total, many = places.of_others(corrected, "system")
    anything, of_group = places.of_others(corrected, "group")
    usual = anything / np.maximum(of_group, 1)  # where nobody else scored the system
    system = np.where(many > 0, total / np.maximum(many, 1), usual)
    total, many = places.of_others(corrected, "unit")
    wider, more = places.of_others(corrected, "item")
    # σ²/v for items and for outputs, by the mean product of two scores of the same
    left, unit, item_of = rest[target], places.codes["unit"][target], places.codes["item"][target]
    square = float(left @ left)
    in_unit, in_item = (float((np.bincount(codes, left) ** 2).sum()) for codes in (unit, item_of))
    n_unit, n_item = (float((np.bincount(codes) ** 2).sum()) for codes in (unit, item_of))
    whole = max(square / len(left), 1e-12)
    of_output = (in_unit - square) / max(n_unit - len(left), 1.0)
    of_item = (in_item - in_unit) / max(n_item - n_unit, 1.0)
    item_ratio, unit_ratio = (whole / min(max(v, whole / 1e3), whole) for v in (of_item, of_output))
    # beside the mean of all others: means of systems that hold the judge's own scores would tell
    # of them here, the more the fewer items there are
    item = (wider - total - (more - many) * usual) / (more - many + item_ratio)
    output = (total - many * system) / (many + unit_ratio)
    return (system, item, output), many > 0


# Honest judges differ: h_l ~ N(μ, τ² + v_l), v_l being the sampling variance of the number. μ is
# the median and τ such that the median of |h_l − μ| / √(τ² + v_l) is that of a normal, .6745:
# neither moves with a few odd judges. Where only lying above counts, τ is at least what the judges
# above the median show by themselves: honest habits may be skewed. (h_l − μ) / √(τ² + v_l) is
# compared with Student's t on .37 (J − 1) degrees of freedom, since τ is itself estimated, and a
# median of absolute deviations tells 37 % of what a standard deviation would (Huber 1981, Robust
# Statistics, chapter 5).

NORMAL_QUARTILE: Final = 0.6744897501960817
MAD_EFFICIENCY: Final = 0.37
BISECTIONS: Final = 60


@dataclass(frozen=True)
class NormalSpread:
    centre: float  # μ, the median judge
    spread: float  # τ, by how much honest judges differ beyond chance
    upper: float  # the same by the judges above the median, if they differ more
    df: float  # degrees of freedom of what is compared with it

    def above(self, values: Array, variances: Array) -> Array:
        """Return p-values of lying so far above the median judge."""
        t = self._distances(values, variances, self.upper)
        half = np.array([t_tail(float(one), self.df) / 2 for one in t])
        return np.where(t > 0, half, 1 - half)

    def beside(self, values: Array, variances: Array) -> Array:
        """Return p-values of lying so far from the median judge on either side."""
        distances = self._distances(values, variances, self.spread)
        return np.array([t_tail(float(t), self.df) for t in distances])

    def _distances(self, values: Array, variances: Array, spread: float) -> Array:
        """Return how many standard deviations each judge lies from the median judge."""
        wide = np.sqrt(spread**2 + variances)
        return np.asarray((values - self.centre) / np.where(wide > 0, wide, 1.0))


def normal_spread(values: Array, variances: Array) -> NormalSpread:
    centre = float(np.median(values))
    away = np.abs(values - centre)
    spread, over = _solve(away, variances), values > centre
    upper = max(spread, _solve(away[over], variances[over])) if over.any() else spread
    return NormalSpread(centre, spread, upper, max(MAD_EFFICIENCY * (len(values) - 1), 1.0))


def _solve(away: Array, variances: Array) -> float:
    """Return the τ beside which the median distance is that of a normal, by bisection."""
    low, high = 0.0, float(away.max()) / NORMAL_QUARTILE + 1e-12
    ends = [(len(away) - 1) // 2, len(away) // 2]  # `np.median` looks for missing numbers first
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        wide = np.sqrt(middle**2 + variances)
        inner, outer = np.partition(away / np.where(wide > 0, wide, 1e-300), ends)[ends]
        inside = bool((inner + outer) / 2 <= NORMAL_QUARTILE)
        low, high = (low, middle) if inside else (middle, high)
    return high


# Controls, second answers and time are a number of every judge each, and give log-likelihoods under
# honest, careless and reversed that join that of the slope. What is usual, μ and τ, is estimated
# from the judges themselves (`normal_spread`), most of whom must be honest.
#
# controls  d = how far the score of a control lies on the expected side of the judge's own score
# of the undamaged output (else of what the others lead one to expect), on average of k:
# N(μ, τ² + v/k), N(0, v₀/k) or N(−μ, τ² + v/k); v₀ is 2, or 1 without own score
# repeats   r = Σ z z' / Σ (z² + z'²)/2 over k pairs of first and second standardised scores:
# N(μ, τ² + 1/k), N(0, 1/k) or, since who reverses the scale does so twice, as honest
# seconds   s = log of the median time: usual N(μ, τ²); the careless are no quicker than others
# by half, N(μ, τ²), and by half are, N(μ − 2τ, τ²); at most 3 nats, so that nobody is flagged for
# being quick alone: a convention, since nobody knows how quick careless judges are

AnyIntegers = NDArray[np.integer[Any]]

MIN_JUDGES: Final = 8  # Judges with a clue below which it is not known what is usual
MIN_SPREAD: Final = 0.15
MAX_LOG_RATIO_OF_TIME: Final = 3.0
HURRY: Final = 2.0  # Standard deviations by which half of the careless are quicker
NINE_IN_TEN: Final = 1.645


@dataclass(frozen=True, eq=False)
class Clue:
    name: str  # "controls", "repeats" or "seconds"
    judges: AnyIntegers  # (k,) codes of the judges of whom it is known
    count: AnyIntegers  # (k,) answers that it rests on
    value: Array  # (k,) d, r, or the median seconds
    # (k,) for controls the share on the expected side (same score: half); empty otherwise
    right: Array
    low: Array  # (k,) end of the span of nine in ten honest judges with as many answers
    high: Array  # (k,) the other end
    # (k, 3) log-likelihoods under honest, careless, reversed, up to a constant; zeros where too
    # few judges have it
    logs: Array


def find_clues(rows: RatingRows, seen: Expectation) -> tuple[Clue, ...]:
    clues = [_controls(rows, seen), _repeats(rows, seen), _seconds(rows)]
    return tuple(clue for clue in clues if clue is not None)


def _controls(rows: RatingRows, seen: Expectation) -> Clue | None:
    if rows.kind is None or rows.direction is None:
        return None
    turn = turn_mixed(rows)  # of the scores that are seen
    direction = sign_scores(rows) * turn * rows.direction
    if rows.expected is not None:  # by the score expected of them where that is all
        unsaid = (rows.kind == CONTROL) & (direction == 0) & ~np.isnan(rows.expected)
        if unsaid.any():
            middle = float(np.median(rows.targets().score))
            upwards = np.sign(rows.expected[unsaid] - middle)
            direction[unsaid] = upwards * turn[unsaid]
    at = np.flatnonzero((rows.kind == CONTROL) & (direction != 0))
    if not len(at):
        return None
    # the judge's own mean score of the same output and criterion, where there is one
    place = number_groups(rows.judge, rows.unit)
    target, size = rows.kind == TARGET, int(place.max()) + 1
    n = np.bincount(place[target], minlength=size)
    total = np.bincount(place[target], seen.row_own[target], size)
    first, has = (total / np.maximum(n, 1))[place[at]], n[place[at]] > 0
    beside = np.where(has, first, seen.row_others[at])
    apart = direction[at] * (seen.row_own[at] - beside)
    judges, code = np.unique(rows.judge[at], return_inverse=True)
    count, mean = _means(code, apart)
    right = _means(code, (1 + np.sign(np.round(apart, 9))) / 2)[1]
    spare = max(len(at) - len(judges), 1)
    noise = max(float(((apart - mean[code]) ** 2).sum() / spare), 1e-3) / count
    careless = (1 + _means(code, has.astype(np.float64))[1]) / count
    return _judge_clue("controls", judges, (count, mean, right), (noise, careless), reverses=True)


def _repeats(rows: RatingRows, seen: Expectation) -> Clue | None:
    if rows.items == ("",):
        return None
    at = np.arange(rows.size) if rows.kind is None else np.flatnonzero(rows.kind != CONTROL)
    cell = number_groups(rows.judge[at], rows.unit[at])
    z, n = seen.row_own[at], np.bincount(cell)
    again = np.flatnonzero(n > 1)
    if not len(again):
        return None
    owner = label_groups(cell, rows.judge[at])
    # of m scores: m − 1 times the mean product of two
    products = (np.bincount(cell, z) ** 2 - np.bincount(cell, z * z))[again] / n[again]
    judges, code = np.unique(owner[again], return_inverse=True)
    count = np.bincount(code, n[again] - 1.0)
    squares = np.bincount(cell, z * z)[again] * (n[again] - 1) / n[again]
    total = np.bincount(code, squares)
    mean = np.bincount(code, products) / np.where(total > 0, total, 1.0)
    noise = 1 / count
    value = (count.astype(np.int64), mean, np.empty(0))
    return _judge_clue("repeats", judges, value, (noise, noise), reverses=False)


def _seconds(rows: RatingRows) -> Clue | None:
    if rows.seconds is None:
        return None
    timed = rows.seconds > 0
    if rows.kind is not None:
        timed &= rows.kind == TARGET
    if not timed.any():
        return None
    judge, time = rows.judge[timed], np.log(rows.seconds[timed])
    order = np.lexsort((time, judge))
    judges, start, count = np.unique(judge[order], return_index=True, return_counts=True)
    quarter, middle, upper = (
        time[order][start + np.floor(share * (count - 1)).astype(np.int64)]
        for share in (0.25, 0.5, 0.75)
    )
    noise = 1.57 * ((upper - quarter) / 1.349) ** 2 / count  # variance of a median
    honest = normal_spread(middle, noise)
    spread = max(honest.spread, MIN_SPREAD)
    wide = np.sqrt(spread**2 + noise)
    distance = (middle - honest.centre) / wide
    logs = np.zeros((len(judges), 3))
    if len(judges) >= MIN_JUDGES:
        hurried = np.exp(np.minimum(-HURRY * distance - HURRY**2 / 2, 50))
        logs[:, 1] = np.minimum(np.log((1 + hurried) / 2), MAX_LOG_RATIO_OF_TIME)
    low, high = (np.exp(honest.centre + side * NINE_IN_TEN * wide) for side in (-1, 1))
    return Clue("seconds", judges, count, np.exp(middle), np.empty(0), low, high, logs)


def _judge_clue(
    name: str,
    judges: AnyIntegers,
    seen: tuple[AnyIntegers, Array, Array],
    noises: tuple[Array, Array],
    *,
    reverses: bool,
) -> Clue:
    (count, mean, right), (noise, careless) = seen, noises
    honest = normal_spread(mean, noise)
    centre, wide = honest.centre, max(honest.spread, MIN_SPREAD) ** 2 + noise
    logs = np.zeros((len(judges), 3))
    if len(judges) >= MIN_JUDGES and centre > 0:
        back = -centre if reverses else centre
        laws = ((centre, wide), (0.0, careless), (back, wide))
        for column, (middle, variance) in enumerate(laws):
            logs[:, column] = -((mean - middle) ** 2) / (2 * variance) - np.log(variance) / 2
    low, high = (centre + side * NINE_IN_TEN * np.sqrt(wide) for side in (-1, 1))
    if name == "repeats":  # correlations
        low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
    return Clue(name, judges, count, mean, right, low, high, logs)


def _means(code: AnyIntegers, values: Array) -> tuple[AnyIntegers, Array]:
    count = np.bincount(code)
    return count, np.asarray(np.bincount(code, values) / count)


# How much higher or lower each judge scores than the others on the same output: reported, never a
# fault. Where nobody else scored the output, the others' mean of its system under the same task and
# criterion stands in.

# Ratio of largest scores from which points of different tasks are not the same
MAX_SCALE_RATIO: Final = 2.0


@dataclass(frozen=True, eq=False)
class Severity:
    outputs: Integers  # (J,) outputs that it rests on; 0 where there is nobody to compare with
    gap: Array  # (J,) own minus others', in points, or in percent of the scale where scales differ
    margin: Array  # (J,) half of its 95 % interval; infinite with less than two outputs
    unit: str  # "points" or "% of the scale"


def find_severity(rows: RatingRows) -> Severity:
    places = Places.of(rows, np.ones(rows.size, np.bool_))
    score, group, unit = rows.score, places.codes["group"], "points"
    lowest, highest = np.full(group.max() + 1, np.inf), np.full(group.max() + 1, -np.inf)
    np.minimum.at(lowest, group, score)
    np.maximum.at(highest, group, score)
    reach = np.maximum(np.abs(lowest), np.abs(highest))
    side = lowest + highest >= 0  # penalties are no scores from nought up
    turned = turn_mixed(rows) < 0
    if reach.max() >= MAX_SCALE_RATIO * reach.min() or (side != side[0]).any() or turned.any():
        span, unit = highest - lowest, "% of the scale"
        score = (score - lowest[group]) * (100 / np.where(span > 0, span, 1.0))[group]
        score = np.where(turned, 100 - score, score)
    total, n_others = places.of_others(score, "unit")
    wider, more = places.of_others(score, "system")
    total, n_others = np.where(n_others > 0, total, wider), np.where(n_others > 0, n_others, more)
    held = n_others > 0
    size = len(rows.judges)
    if not held.any():
        return Severity(np.zeros(size, np.int64), np.zeros(size), np.full(size, np.inf), unit)
    output = number_groups(places.judged["output"][held])
    apart = score[held] - total[held] / n_others[held]
    mean = np.bincount(output, apart) / np.bincount(output)
    judge = label_groups(output, rows.judge[held])
    n = np.bincount(judge, minlength=size)
    gap = np.bincount(judge, mean, size) / np.maximum(n, 1)
    square = np.bincount(judge, (mean - gap[judge]) ** 2, size)
    error = np.sqrt(square / np.maximum(n - 1, 1) / np.maximum(n, 1))
    margin, several = np.full(size, np.inf), n > 1
    quantiles = {k: t_quantile(0.975, k - 1) for k in {*n[several].tolist()}}
    margin[several] = error[several] * [quantiles[k] for k in n[several].tolist()]
    return Severity(n, gap, margin, unit)


# b̂_l = Σ z x / Σ x² over the outputs that judge l scored, z the judge's standardised scores and x
# what is expected of them: near 1 for judges who follow the others, 0 for answers at random or
# always the same, about −1 for who takes the scale the wrong way round.
#
# The standard error is the larger of the usual one and one that allows scores of outputs of the
# same item to err together (Liang & Zeger 1986, Biometrika 73:13-22). In the usual one the variance
# of what is left is drawn to 1, its value for a careless judge, by as much as four further scores:
# of few scores the fit may be perfect by chance. It is raised by 1 + 4/n, n = 3 (Σ x²)² / Σ x⁴
# being the outputs that the slope rests on.
#
# z is divided by the judge's own standard deviation, which is larger where a judge happened to see
# outputs that differ more. Slope and error are therefore multiplied by √(1 + s_l² − s²), s_l² and
# s² being the variances of x over the judge's outputs and over all.

# Standard error of a judge of whose outputs nothing is known: far wider than any slope
UNKNOWN_ERROR: Final = 10.0
PRIOR_SCORES: Final = 4.0
# Least variance of a usual judge's scores on any outputs, beside 1 on all
MIN_VARIANCE_LEFT: Final = 0.1


@dataclass(frozen=True, eq=False)
class RatingSlopes:
    slope: Array  # (J,) b̂: about 1 for an honest judge, 0 for a careless one
    error: Array  # (J,) its standard error
    outputs: Integers  # (J,) outputs that the judge scored
    shared: Integers  # (J,) how many of them another judge scored, too
    information: Array  # (J,) 1 / error² that the outputs would bring about a slope of 0
    constant: Flags  # (J,) whether all scores were the same


def rating_slopes(seen: Expectation) -> RatingSlopes:
    n_judges = len(seen.lost)
    judge, z, x = seen.judge, seen.scores, seen.others
    outputs = np.bincount(judge, minlength=n_judges)
    square, cross, z_square = (np.bincount(judge, v, n_judges) for v in (x * x, z * x, z * z))
    held = square > 1e-3  # less would need errors above 30: nothing is known
    slope = np.where(held, cross / np.where(held, square, 1.0), 0.0)
    left = z - slope[judge] * x
    spare = np.maximum(outputs - seen.lost - 1, 0)
    variance = np.bincount(judge, left**2, n_judges) + PRIOR_SCORES
    variance /= spare + PRIOR_SCORES
    variance[z_square == 0] = 1.0  # whoever always says the same could have said anything
    bulk = 3 * square**2 / np.maximum(np.bincount(judge, x**4, n_judges), 1e-300)
    usual = variance / np.where(held, square, 1.0)
    usual *= 1 + PRIOR_SCORES / np.maximum(bulk, 1)
    # squared sums by item; 0 for a judge with at most one output of each
    keys, group = np.unique(judge * (int(seen.item.max()) + 1) + seen.item, return_inverse=True)
    owner, group = keys // (int(seen.item.max()) + 1), group.reshape(-1)
    sums = np.bincount(owner, np.bincount(group, left * x) ** 2, n_judges)
    items = np.bincount(owner, minlength=n_judges)
    grouped = np.where(outputs > items, sums * items / np.maximum(items - 1, 1), 0.0)
    grouped /= np.where(held, square, 1.0) ** 2
    error = np.where(held, np.sqrt(np.maximum(usual, grouped)), UNKNOWN_ERROR)
    # how much more the usual judge's scores of these outputs vary than of all
    whole = float(x @ x) / max(len(x), 1)
    variance_seen = np.where(outputs > 0, square / np.maximum(outputs, 1), whole)
    stretch = np.sqrt(np.maximum(1 + variance_seen - whole, MIN_VARIANCE_LEFT))
    careless = np.where(held, square, 0.0) / (1 + PRIOR_SCORES / np.maximum(bulk, 1))
    return RatingSlopes(
        slope * stretch,
        np.minimum(error * stretch, UNKNOWN_ERROR),
        outputs,
        np.bincount(judge, seen.shared, n_judges).astype(np.int64),
        careless / stretch**2,
        (z_square == 0) & (outputs > 1),
    )


# How a judge uses the scale and the time. No habit is a fault by a fixed rule: honest judges
# differ, by as much as the campaign shows (`normal_spread`). Coarse compares the log of the chance
# that two scores are the same, extreme the log-odds of scores at an end of the scale; drifting has
# the smaller of two p-values, doubled: of the change of severity, and of the loss of the slope.

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
    # scores, pairs of scores, pairs on one point, the variance of that, what it would usually be,
    # scores at an end, and what they would usually be
    sums, points = np.zeros((7, len(rows.judges))), 0
    at_end = np.zeros((2, len(rows.judges)))
    for at in _split(number_groups(rows.task, rows.criterion)):
        score, (judges, judge) = rows.score[at], np.unique(rows.judge[at], return_inverse=True)
        different, code = np.unique(score, return_inverse=True)
        points = max(points, len(different))
        limits = (scale.low, scale.high) if scale else (different[0], different[-1])
        for side, point in enumerate(limits):
            at_end[side, judges] += np.bincount(judge, score == point)
        place = (rank_within(np.zeros(len(score), np.int64), score) - 0.5) / len(score)
        if len(different) > MAX_POINTS + 1:
            code = number_groups(np.floor(place * MAX_POINTS).astype(np.int64))
        size = np.bincount(code)
        # (J, K) scores by judge and point, (K,) places of points, (K,) shares of them at the ends
        cells = np.bincount(judge * len(size) + code, minlength=len(judges) * len(size))
        counts = cells.reshape(-1, len(size)).astype(np.float64)
        of_ends = np.isin(score, limits).astype(np.float64)
        t, end = (np.bincount(code, one) / size for one in (place, of_ends))
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
        sums[:, judges] += np.stack(
            [n, pairs + 1, same, noise, usual, counts @ end, n * (alike @ end)]
        )
    n, pairs, same, noise, same_usual, ends, ends_usual = sums
    pairs, scores = np.maximum(pairs, 1e-300), np.maximum(n, 1e-300)
    chances = (same / pairs, np.sqrt(noise) / pairs, same_usual / pairs)
    at_ends = (ends / scores, ends_usual / scores, at_end.max(axis=0) / scores)
    return PointUse(n, *chances, *at_ends, points)


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
    use, habits = use_of_points(rows.targets(), scale), list[Habit]()
    judges = np.flatnonzero(use.scores >= MIN_SCORES)
    if len(judges):
        same, error, usual = (a[judges] for a in (use.same, use.same_error, use.same_usual))
        values, variances = np.log(same / usual), (error / same) ** 2
        p = normal_spread(values, variances).above(values, variances)
        points = np.minimum(1 / same, use.scores[judges])
        says = [
            f"uses the equivalent of {n:.1f} different scores; a judge with the same mean and"
            f" spread would use {of_usual:.1f}"
            for n, of_usual in zip(points, 1 / usual, strict=True)
        ]
        tested = use.points <= MAX_POINTS_COARSE
        habits.append(Habit("coarse", judges, points, "coarse", says, p, tested))
        n, share, usual = (a[judges] for a in (use.scores, use.ends, use.ends_usual))
        ends, expected = n * share + 0.5, n * usual + 0.5
        values = np.log(ends / (n + 1 - ends)) - np.log(expected / (n + 1 - expected))
        variances = 1 / expected + 1 / (n + 1 - expected)  # as in a judge who is like the rest
        p = normal_spread(values, variances).above(values, variances)
        says = [
            f"{100 * own:.0f} % of scores at an end of the scale; a judge with the same mean would"
            f" give {100 * of_usual:.0f} %"
            for own, of_usual in zip(share, usual, strict=True)
        ]
        habits.append(Habit("extreme", judges, share, "extreme", says, p))
    return (*habits, *_drifting(seen, slopes))


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

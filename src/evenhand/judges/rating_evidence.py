"""What tells careless from honest judges of ratings: slopes on the others' scores, and clues.

Scores come on one scale and beside what the others lead one to expect; slopes, controls, repeats
and times give log-likelihoods under honest, careless and reversed for `mixture`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import CONTROL, TARGET, RatingRows
from evenhand.numerics import Array, Integers
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import t_quantile, t_tail

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Places:
    """Dense codes of every row; a group is a criterion of a task."""

    target: Mask  # (n,) whether the row is the score of an output as such
    group: Integers  # (n,) its group
    system: Integers  # (n,) its system in the group
    item: Integers  # (n,) its item in the group
    unit: Integers  # (n,) its output in the group
    judged_group: Integers  # (n,) its judge in the group
    judged_system: Integers  # (n,) its judge at the system; so for item and unit
    judged_item: Integers  # (n,) its judge at the item
    judged_unit: Integers  # (n,) its judge at the unit
    judged_output: Integers  # (n,) its judge at the output, whatever the criterion

    @classmethod
    def of(cls, rows: RatingRows, target: Mask) -> Places:
        known = rows.items != ("",)
        each = np.arange(rows.size)  # without items every row may be another output
        group = number_groups(rows.task, rows.criterion)
        system = number_groups(group, rows.system)
        item = number_groups(group, rows.item if known else each)
        unit = number_groups(item, rows.system)
        all_places = (group, system, item, unit, rows.output if known else each)
        judged = [number_groups(rows.judge, place) for place in all_places]
        return cls(target, group, system, item, unit, *judged)

    def of_others(self, values: Array, name: str) -> tuple[Array, Array]:
        """Return (n,) sums and counts of the targets of other judges at each row's place."""
        place, judged, sums = getattr(self, name), getattr(self, f"judged_{name}"), []
        for weights in (values[self.target], None):
            everybody = np.bincount(place[self.target], weights, int(place.max()) + 1)
            same_judge = np.bincount(judged[self.target], weights, int(judged.max()) + 1)
            sums.append(everybody[place] - same_judge[judged])
        return np.asarray(sums[0]), np.asarray(sums[1], dtype=np.float64)

    def centre(self, values: Array) -> Array:
        """Return (n,) values minus the mean of the targets of the same judge and group."""
        size = int(self.judged_group.max()) + 1
        targets = values[self.target]
        n = np.bincount(self.judged_group[self.target], minlength=size)
        mean = np.bincount(self.judged_group[self.target], targets, size) / np.maximum(n, 1)
        mean[n == 0] = float(targets.mean())  # only controls: nothing of their own
        return values - mean[self.judged_group]


# What the other judges lead one to expect of every score, and the score itself on a common scale.
#
# A score y becomes its place (0 to 1) among all scores of its task and criterion, so that a free
# scale or a few huge penalties do no harm. Within a judge, task and criterion it is centred, and
# divided by the judge's standard deviation: a lenient judge and one who uses half of the scale are
# honest. Expected of it, with nothing that this judge said, is
#
# x = w₁ (mean of the system) + w₂ (rest of the item) + w₃ (rest of the output)
#
# from the scores of others minus their severity (of two-way means). The rest of the item is what
# others gave to its other outputs beside their mean, that of the output what they gave to it beside
# the mean of its system: a sum over n scores divided by n + σ²/v, v being the variance that judges
# share there and σ² that which they do not. w is a least-squares fit over all judges, none below 0.
# Scores of one output under several criteria are no independent evidence: they are averaged. x is
# scaled, task by task, so that the mean slope of a judge's scores on it is 1.

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
    shared: Mask  # (m,) whether another judge scored the same output
    lost: Integers  # (J,) means that were taken from each judge's scores, one for every task
    row_own: Array  # (n,) the score of every row, standardised likewise
    row_others: Array  # (n,) what is expected of it


def expect_scores(rows: RatingRows) -> Expectation:
    target = np.ones(rows.size, np.bool_) if rows.kind is None else rows.kind == TARGET
    places = Places.of(rows, target)
    y = np.full(rows.size, 0.5)  # places among the targets of the task and criterion, 0 to 1
    order = np.argsort(places.group, kind="stable")
    for group in np.split(order, np.cumsum(np.bincount(places.group))[:-1]):
        usual = np.sort(rows.score[group[target[group]]])
        if len(usual):
            sides = (np.searchsorted(usual, rows.score[group], side) for side in ("left", "right"))
            y[group] = sum(sides) / (2 * len(usual))
    parts, shared = _predict(y, places)
    y, apart = places.centre(y), np.stack([places.centre(part) for part in parts], axis=1)
    cell = number_groups(places.judged_output[target])
    size = np.bincount(cell)
    at = np.empty(len(size), np.int64)
    at[cell] = np.flatnonzero(target)  # any row of the cell: what is asked of it is the same in all
    mean_y = np.bincount(cell, y[target]) / size
    mean_parts = np.stack([np.bincount(cell, part) / size for part in apart[target].T], axis=1)
    judge, task = rows.judge[at].astype(np.int64), rows.task[at].astype(np.int64)
    pair = number_groups(judge, task)
    owner = np.zeros(int(pair.max()) + 1, np.int64)
    owner[pair] = judge
    lost = np.bincount(owner, minlength=len(rows.judges))
    # endless where always the same was said: scores become 0
    spare = np.maximum(np.bincount(judge, minlength=len(lost)) - lost, 1)
    variance = np.bincount(judge, mean_y**2, len(lost)) / spare
    deviation = np.sqrt(np.where(variance > 1e-12, variance, np.inf))
    z, row_own = mean_y / deviation[judge], y / deviation[rows.judge]
    weights = _weigh(mean_parts, z)
    # of each task the slope on the common expectation, drawn to 1 and not below 0
    fitted = mean_parts @ weights
    cross = np.bincount(task, fitted * z, len(rows.tasks)) + SCALE_PRECISION
    square = np.bincount(task, fitted * fitted, len(rows.tasks)) + SCALE_PRECISION
    scale = np.maximum(cross / square, 0.0)
    output = number_groups(rows.task[at], rows.item[at], rows.system[at])
    moment = None if rows.moment is None else rows.moment[at]
    own = (judge, rows.item[at].astype(np.int64), output, z, fitted * scale[task], moment)
    return Expectation(*own, shared[at], lost, row_own, apart @ weights * scale[rows.task])


def _predict(y: Array, places: Places) -> tuple[tuple[Array, Array, Array], Mask]:
    """Return what others tell of the system, item and output of each row, and who has others."""
    target = places.target
    # severities of judges (in each group) and worths of systems, whose sum fits y
    judged, systems, own = places.judged_group[target], places.system[target], y[target]
    sizes = int(places.judged_group.max()) + 1, int(places.system.max()) + 1
    n_judged, n_system = (
        np.maximum(np.bincount(codes, minlength=size), 1)
        for codes, size in zip((judged, systems), sizes, strict=True)
    )
    worth = np.zeros(sizes[1])
    for _ in range(MEAN_SWEEPS):
        severity = np.bincount(judged, own - worth[systems], sizes[0]) / n_judged
        worth = np.bincount(systems, own - severity[judged], sizes[1]) / n_system
    corrected = y - severity[places.judged_group]
    rest = corrected - worth[places.system]
    total, many = places.of_others(corrected, "system")
    anything, of_group = places.of_others(corrected, "group")
    usual = anything / np.maximum(of_group, 1)  # where nobody else scored the system
    system = np.where(many > 0, total / np.maximum(many, 1), usual)
    total, many = places.of_others(corrected, "unit")
    wider, more = places.of_others(corrected, "item")
    # σ²/v for items and for outputs, by the mean product of two scores of the same
    left, unit, item_of = rest[target], places.unit[target], places.item[target]
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


def _weigh(parts: Array, scores: Array) -> Array:
    """Return (3,) least-squares weights, none below 0: others' scores cannot speak against."""
    weights = np.zeros(3)
    square, cross = parts.T @ parts, parts.T @ scores
    use = np.flatnonzero(np.diag(square) > 1e-12 * max(len(scores), 1))
    while len(use):
        solution = np.linalg.lstsq(square[np.ix_(use, use)], cross[use], rcond=None)[0]
        if (solution > 0).all():
            weights[use] = solution
            break
        use = np.delete(use, int(np.argmin(solution)))
    return weights


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
        median = np.partition(away / np.where(wide > 0, wide, 1e-300), ends)[ends].mean()
        inside = bool(median <= NORMAL_QUARTILE)
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


def join_clues(clues: tuple[Clue, ...], n_judges: int) -> Array:
    """Return (J, 3) log-likelihoods of all clues together; zeros where nothing is known."""
    extra = np.zeros((n_judges, 3))
    for clue in clues:
        extra[clue.judges] += clue.logs
    return extra


def _controls(rows: RatingRows, seen: Expectation) -> Clue | None:
    if rows.kind is None or rows.direction is None:
        return None
    direction = rows.direction.copy()
    if rows.expected is not None:  # by the score expected of them where that is all
        unsaid = (rows.kind == CONTROL) & (direction == 0) & ~np.isnan(rows.expected)
        if unsaid.any():
            middle = float(np.median(rows.targets().score))
            direction[unsaid] = np.sign(rows.expected[unsaid] - middle).astype(np.int8)
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
    owner = np.zeros(len(n), np.int64)
    owner[cell] = rows.judge[at]
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
    score, group, unit = rows.score, places.group, "points"
    lowest, highest = np.full(group.max() + 1, np.inf), np.full(group.max() + 1, -np.inf)
    np.minimum.at(lowest, group, score)
    np.maximum.at(highest, group, score)
    reach = np.maximum(np.abs(lowest), np.abs(highest))
    side = lowest + highest >= 0  # penalties are no scores from nought up
    if reach.max() >= MAX_SCALE_RATIO * reach.min() or (side != side[0]).any():
        span, unit = highest - lowest, "% of the scale"
        score = (score - lowest[group]) * (100 / np.where(span > 0, span, 1.0))[group]
    total, n_others = places.of_others(score, "unit")
    wider, more = places.of_others(score, "system")
    total, n_others = np.where(n_others > 0, total, wider), np.where(n_others > 0, n_others, more)
    held = n_others > 0
    size = len(rows.judges)
    if not held.any():
        return Severity(np.zeros(size, np.int64), np.zeros(size), np.full(size, np.inf), unit)
    output = number_groups(places.judged_output[held])
    apart = score[held] - total[held] / n_others[held]
    mean = np.bincount(output, apart) / np.bincount(output)
    judge = np.zeros(len(mean), np.int64)
    judge[output] = rows.judge[held]
    n = np.bincount(judge, minlength=size)
    gap = np.bincount(judge, mean, size) / np.maximum(n, 1)
    square = np.bincount(judge, (mean - gap[judge]) ** 2, size)
    error = np.sqrt(square / np.maximum(n - 1, 1) / np.maximum(n, 1))
    margin, several = np.full(size, np.inf), n > 1
    margin[several] = error[several] * [t_quantile(0.975, k - 1) for k in n[several].tolist()]
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
    constant: NDArray[np.bool_]  # (J,) whether all scores were the same


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
    grouped = _grouped(seen, left * x, n_judges) / np.where(held, square, 1.0) ** 2
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


def _grouped(seen: Expectation, pull: Array, n_judges: int) -> Array:
    """Return (J,) sums of squared sums by item; 0 for a judge with at most one output of each."""
    wide = int(seen.item.max()) + 1
    keys, group = np.unique(seen.judge * wide + seen.item, return_inverse=True)
    owner, group = keys // wide, group.reshape(-1)
    sums = np.bincount(owner, np.bincount(group, pull) ** 2, n_judges)
    items = np.bincount(owner, minlength=n_judges)
    outputs = np.bincount(seen.judge, minlength=n_judges)
    return np.where(outputs > items, sums * items / np.maximum(items - 1, 1), 0.0)

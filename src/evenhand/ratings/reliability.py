"""A completion and the decisions that fewer ratings would have led to: what one group has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption, listing, require_level, require_seed
from evenhand.judgments.coding import SEED
from evenhand.judgments.exclusions import carries_excluded, write_excluded
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.wrong_kind import require_scores
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ratings.completion import Completion, NuclearNorm, keep_within, solve
from evenhand.ratings.matrix import (
    ADDITIVE,
    COMMON,
    COMPLETION,
    METHODS,
    SPREAD,
    Design,
    RatingMatrix,
    errors_of,
    find_errors,
    make_designs,
    make_matrix,
    refuse_beyond,
    take_full,
)

# How reliable decisions are with fewer ratings: points of a curve, each with its intervals.

RAW: Final = "raw mean"
# What a decision rests on: the ratings as they are, and two ways to fill in the missing ones
DECIDERS: Final = (RAW, ADDITIVE, COMPLETION)
ONE: Final = "one rating"  # Raw means of one rating per output, drawn at random


@dataclass(frozen=True)
class Estimate:
    """A number with its interval."""

    value: float  # the number
    lower: float  # end of its interval
    upper: float  # the other

    def to_dict(self) -> dict[str, float]:
        """Return the JSON contract."""
        return {"value": self.value, "lower": self.lower, "upper": self.upper}


@dataclass(frozen=True)
class DecisionPoint:
    """What a design gives."""

    design: Design  # which ratings are seen
    # of DECIDERS: share of pairs of systems that are ordered as by all ratings
    reliability: Mapping[str, Estimate]
    # what completion has more than RAW and ADDITIVE on the same ratings, and than ONE
    gains: Mapping[str, Estimate]
    # method → mean absolute error on the cells that are not seen, in points of the scale
    mae: Mapping[str, Estimate]
    more: Mapping[str, Estimate]  # method → what its error has more than completion's
    abstained: float  # share of the draws in which completion abstained

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        parts = {
            "reliability": self.reliability,
            "gains": self.gains,
            "mae": self.mae,
            "mae_more": self.more,
        }
        return {
            "design": self.design.kind,
            "share": self.design.share,
            **{
                name: {key: one.to_dict() for key, one in part.items()}
                for name, part in parts.items()
            },
            "abstained": self.abstained,
        }


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(InNotebooks):
    """Decisions against the share of ratings that are seen.

    Attributes:
        points: one for each design; the first is one rating per output.
        judges: rows of the full matrix.
        outputs: its columns.
        systems: that decisions are about.
        pairs: of systems that all ratings tell apart.
        draws: of each design.
        level: of the intervals.
        notes: what must stand beside the numbers.
        signature: what made them.

    """

    points: tuple[DecisionPoint, ...]
    judges: int
    outputs: int
    systems: int
    pairs: int
    draws: int
    level: float
    notes: tuple[str, ...]
    signature: str

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in words."""
        common = [one for one in self.points if one.design.kind == COMMON]
        spread = [one for one in self.points if one.design.kind == SPREAD]
        first = self.points[0].reliability[RAW]
        share = f"{100 * first.value:.0f} %"
        ends = f"({100 * first.lower:.0f} to {100 * first.upper:.0f} %)"
        lines = [
            f"one rating per output orders {share} of {self.pairs:,} pairs of systems as all"
            f" {self.judges} do {ends}"
            if self.pairs > 1
            else f"one rating per output orders the two systems as all {self.judges} do in {share}"
            f" of the draws {ends}"
        ]
        for name, points in ((COMMON, common), (SPREAD, spread[1:])):
            if points:
                lines.append(_count(name, points))
        return tuple(lines)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each design and method."""
        rows = []
        for point in self.points:
            for method in dict.fromkeys((*DECIDERS, *point.mae)):
                row: dict[str, Any] = {
                    "design": point.design.kind,
                    "share": point.design.share,
                    "method": method,
                }
                for name, part in (("reliability", point.reliability), ("mae", point.mae)):
                    one = part.get(method)
                    row[name] = None if one is None else one.value
                    row[f"{name}_lower"] = None if one is None else one.lower
                    row[f"{name}_upper"] = None if one is None else one.upper
                rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        return {
            "judges": self.judges,
            "outputs": self.outputs,
            "systems": self.systems,
            "pairs": self.pairs,
            "draws": self.draws,
            "level": self.level,
            "points": [point.to_dict() for point in self.points],
            "says": list(self.says),
            "notes": list(self.notes),
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
        }

    def __repr__(self) -> str:
        lines = ["design  share  raw mean  judge + output  completion"]
        for point in self.points:
            cells = "  ".join(f"{point.reliability[one].value:.3f}" for one in DECIDERS)
            lines.append(f"{point.design.kind:6}  {point.design.share:.2f}  {cells}")
        return "\n".join([*lines, *self.says, *self.notes, self.signature])


def _count(name: str, points: list[DecisionPoint]) -> str:
    """Say at how many points completion decides better than what else there is."""
    designs = {
        COMMON: "one rating per output and some outputs rated by all",
        SPREAD: "several judges per output",
    }
    shares = f"{len(points)} shares" if len(points) > 1 else "1 share"
    parts: list[str] = []
    for other, words in (
        (RAW, "raw means of the same ratings"),
        (ADDITIVE, "judge + output"),
        (ONE, "one rating per output"),
    ):
        better = sum(point.gains[other].lower > 0 for point in points)
        worse = sum(point.gains[other].upper < 0 for point in points)
        of = "" if parts else f" of {shares}"
        parts.append(f"than {words} at {better}{of}{f' (worse at {worse})' if worse else ''}")
    return f"{designs[name]}: decisions from completion are better {', '.join(parts)}"


# What must stand beside decisions from fewer ratings, in words.

Array = NDArray[np.float64]

NAMED: Final = 3  # Most pairs that are named
FAR: Final = 1e-9  # Distance of an estimate from the end of its interval that is one


def write_notes(
    part: tuple[RatingMatrix, RatingMatrix],
    truth: Array,
    points: Sequence[DecisionPoint],
    level: float,
) -> tuple[str, ...]:
    """Return what must be said of a curve."""
    full = part[1]
    even = say_even(np.unique(full.systems).tolist(), truth, level)
    return (*full.notes, *_say_cut(*part), *even, *say_ends(points))


def _say_cut(given: RatingMatrix, full: RatingMatrix) -> list[str]:
    """Say what the full part leaves out."""
    judges, outputs = (a - b for a, b in zip(given.shape, full.shape, strict=True))
    if not judges and not outputs:
        return []
    return [
        f"decisions are of the part in which nothing is missing: {judges:,} of {given.shape[0]:,}"
        f" judges and {outputs:,} of {given.shape[1]:,} outputs are left out"
    ]


def say_even(names: Sequence[str], truth: Array, level: float) -> list[str]:
    """Say which systems are not told apart even by all ratings, the closest first."""
    one, other = np.triu_indices(len(names), 1)
    low, high = np.quantile(truth[1:], [(1 - level) / 2, (1 + level) / 2], axis=0)
    even = np.flatnonzero((low <= 0) & (high >= 0))
    if not len(even):
        return []
    even = even[np.argsort(np.abs(truth[0, even]), kind="stable")]
    said = [
        f"{names[one[at]]} and {names[other[at]]} ({abs(truth[0, at]):.2g} points apart)"
        for at in even.tolist()
    ]
    pairs = truth.shape[1]
    which = f"{len(even):,} of {pairs:,} pairs of systems {'is' if len(even) == 1 else 'are'}"
    if pairs == 1:
        which = "the two systems are"
    return [
        f"{which} not told apart by all ratings either: {listing(said, NAMED)}; how these are"
        " ordered is chance, whether ratings are missing or not"
    ]


def say_ends(points: Sequence[DecisionPoint]) -> list[str]:
    """Say why intervals end at their estimates, if some do that could go on."""
    shares = [one for point in points for one in point.reliability.values()]
    if not any(_is_cut(one.value, (one.lower, one.upper)) for one in shares):
        return []
    return [
        "some intervals end at their estimates: few pairs and draws give few shares, and too few"
        " redraws of the items gave another one on that side"
    ]


def _is_cut(value: float, ends: tuple[float, float]) -> bool:
    """Whether an interval has width, and an end at an estimate that is not 0 or 1."""
    wide = ends[1] - ends[0] > FAR
    return wide and FAR < value < 1 - FAR and min(abs(end - value) for end in ends) < FAR


# Would decisions have been the same with fewer ratings?
#
# From a full matrix of judges by outputs the truth is the order of the systems by their mean over
# all judges and outputs. A cheaper campaign sees a part of the cells (masks.py). Systems are then
# ordered by the mean over outputs of
#
# raw mean         the ratings of the output that are seen
# judge + output   these, and the missing ones as judge and output predict them
# completion       these, and the missing ones as completion predicts them
#
# and reliability is the share of pairs of systems in the order of the truth; a tie is half. Pairs
# that the truth does not tell apart are left out. Intercepts cost nothing, so that a filled-in mean
# is μ + ā + b_o, plus the mean of Z: the second is the raw mean without the severity of the judges
# that an output happened to meet.
#
# Intervals are from drawing items anew, of the same sets of systems, with truth and estimate from
# the same items; predictions stay as they were made.
#
# Source: Wisniewski (2013), ACL, of which the abstract is known to us: decisions from predicted
# scores are more reliable than from one rating of each example. Designs, the comparison with judge
# + output, and intervals are ours.

Flags = NDArray[np.bool_]

DRAWS: Final = 20
RESAMPLES: Final = 1000
APART: Final = 1e-9  # Difference of two means that is none


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What the draws of one design gave, output by output."""

    score: Array  # (draws, 3, n) what each output is worth, by DECIDERS
    # (5, n) absolute errors on the cells that are not seen, summed over judges and draws
    error: Array
    count: Array  # (n,) how many cells that is
    abstained: float  # share of the draws


@carries_excluded("controls", "repeats")
def study_decisions(
    data: Ratings | RatingRows,
    model: NuclearNorm | None = None,
    *,
    draws: int = DRAWS,
    level: float = 0.95,
    seed: int = SEED,
) -> DecisionCurve:
    """Hide ratings of a full matrix and see what decisions would have been.

    Args:
        data: ratings of one task under one criterion, nearly all judges of nearly all outputs.
        model: how to complete; its calibration is not used.
        draws: of the ratings that are seen, for each design.
        level: of the intervals.
        seed: of everything random.

    Raises:
        NotIdentified: the matrix is too empty, or fewer than two systems are told apart.
        UnknownOption: no draws, a level that is none, or a negative seed.
        InvalidJudgments: scores that are not within the model's `clip`.

    """
    _refuse(draws, level, seed)
    rows, model = _read(data), model or NuclearNorm()
    refuse_beyond(rows, model.clip)
    given = make_matrix(rows, seed=seed)
    matrix, rng = take_full(given), np.random.default_rng(seed)
    system = np.unique(matrix.systems, return_inverse=True)[1].reshape(-1)
    weights = _resample(matrix, rng)
    truth = _order(matrix.table().mean(axis=0), system, weights)
    pairs = int((np.abs(truth[0]) >= APART).sum())
    if not pairs:
        raise NotIdentified("no two systems have different means", ["rate more systems"])
    designs = make_designs(matrix.shape[0])
    with one_blas_thread():
        drawn = [_draw(matrix, one, (model, draws), rng) for one in designs]
    found = [_count_right(one.score, system, weights, truth) for one in drawn]
    points = [
        _point(design, one, right, (found[0][RAW], weights, level))
        for design, one, right in zip(designs, drawn, found, strict=True)
    ]
    return DecisionCurve(
        tuple(points),
        *matrix.shape,
        int(system.max()) + 1,
        pairs,
        draws,
        level,
        write_notes((given, matrix), truth, points, level),
        _sign(rows.targets(), matrix.shape[0], model, (draws, level, seed)),
    )


def _read(data: object) -> RatingRows:
    table = require_scores(data, "decisions are studied on ratings, not on")
    return table if isinstance(table, RatingRows) else table.rows()


def _refuse(draws: int, level: float, seed: int) -> None:
    if draws < 1:
        raise UnknownOption(f"draws {draws}: 1 or more")
    require_level(level)
    require_seed(seed)


def _sign(
    rows: RatingRows, judges: int, model: NuclearNorm, settings: tuple[int, float, int]
) -> str:
    draws, level, seed = settings
    clip = "none" if model.clip is None else f"{model.clip[0]:g}-{model.clip[1]:g}"
    words = (
        f"decisions draws={draws} resamples={RESAMPLES} {100 * level:.12g} % intervals seed={seed}",
        f"nuclear norm path={'/'.join(f'{one:g}' for one in model.path)}"
        f" validation={model.validation:g}",
        f"abstain={model.abstain} clip={clip}",
    )
    return write_signature(words, rows.size, digest_ratings(rows), judges=judges)


def _draw(
    matrix: RatingMatrix,
    design: Design,
    how: tuple[NuclearNorm, int],
    rng: np.random.Generator,
) -> _Drawn:
    """Draw the ratings that a design sees, so often, and predict the others."""
    model, draws = how
    full, n = matrix.table(), matrix.shape[1]
    score = np.empty((draws, len(DECIDERS), n))
    error, count, abstained = np.zeros((len(METHODS), n)), np.zeros(n), 0
    for draw in range(draws):
        mask = design.draw(matrix.shape, rng)
        chosen = mask[matrix.cells.row, matrix.cells.column]
        seen, held = matrix.take(chosen), matrix.take(~chosen).single()
        deciding = rng.permutation(len(seen.value)) < int(len(seen.value) * model.validation)
        choice = model.choose(seen.take(~deciding), seen.take(deciding))
        found = solve(seen, choice, model.clip)
        abstained += not choice.used
        even = keep_within(found.effects.table(), model.clip)
        tables = {ADDITIVE: even, COMPLETION: found.predicted}
        score[draw, 0] = (full * mask).sum(axis=0) / mask.sum(axis=0)
        for place, name in enumerate(DECIDERS[1:], start=1):
            score[draw, place] = np.where(mask, full, tables[name]).mean(axis=0)
        at = held.cells.row, held.cells.column
        errors = {
            **find_errors(seen, held),
            **{name: errors_of(held.value - table[at]) for name, table in tables.items()},
        }
        for place, name in enumerate(METHODS):
            error[place] += np.bincount(at[1], errors[name].absolute, n)
        count += np.bincount(at[1], minlength=n)
    return _Drawn(score, error, count, abstained / draws)


def _resample(matrix: RatingMatrix, rng: np.random.Generator) -> Array:
    """Return how often each output counts: once, then by items drawn anew, shape (B + 1, n).

    Items are drawn among those that the same systems were given, so that no system is lost.
    """
    item = np.unique(matrix.items, return_inverse=True)[1].reshape(-1)
    systems: dict[int, list[str]] = {}
    for code, name in zip(item.tolist(), matrix.systems, strict=True):
        systems.setdefault(code, []).append(name)
    alike: dict[tuple[str, ...], list[int]] = {}
    for code, names in systems.items():
        alike.setdefault(tuple(sorted(names)), []).append(code)
    weights = np.ones((RESAMPLES + 1, len(systems)))
    for own in alike.values():
        even = np.full(len(own), 1 / len(own))
        weights[1:, own] = rng.multinomial(len(own), even, size=RESAMPLES)
    return weights[:, item]


def _order(score: Array, system: NDArray[np.int64], weights: Array) -> Array:
    """Return differences of systems' means for each weighting, shape (B + 1, pairs)."""
    k = int(system.max()) + 1
    own = np.eye(k)[system]
    means = (weights * score) @ own / (weights @ own)
    one, other = np.triu_indices(k, 1)
    return np.asarray(means[:, one] - means[:, other])


def _count_right(
    score: Array, system: NDArray[np.int64], weights: Array, truth: Array
) -> dict[str, Array]:
    """Return the share of pairs in the right order, (B + 1,) for each decider, over all draws."""
    told = np.abs(truth) >= APART
    right = {name: np.zeros(len(weights)) for name in DECIDERS}
    for drawn in score:
        for name, own in zip(DECIDERS, drawn, strict=True):
            found = _order(own, system, weights)
            same = np.where(np.abs(found) < APART, 0.5, np.sign(found) == np.sign(truth))
            right[name] += (same * told).sum(axis=1)
    total = len(score) * np.maximum(told.sum(axis=1), 1)
    return {name: own / total for name, own in right.items()}


def _point(
    design: Design,
    drawn: _Drawn,
    right: Mapping[str, Array],
    against: tuple[Array, Array, float],
) -> DecisionPoint:
    """Return what a design gives, with intervals."""
    one, weights, level = against
    best = right[COMPLETION]
    others = {RAW: right[RAW], ADDITIVE: right[ADDITIVE], ONE: one}
    cells = weights @ drawn.count
    mae = {name: weights @ own / cells for name, own in zip(METHODS, drawn.error, strict=True)}
    return DecisionPoint(
        design,
        {name: _within(_estimate(own, level)) for name, own in right.items()},
        {name: _estimate(best - own, level) for name, own in others.items()},
        {name: _estimate(own, level) for name, own in mae.items()},
        {
            name: _estimate(own - mae[COMPLETION], level)
            for name, own in mae.items()
            if name != COMPLETION
        },
        drawn.abstained,
    )


def _estimate(values: Array, level: float) -> Estimate:
    """Return the first value with an interval from the others.

    Percentiles are taken around their median: drawing items anew makes orders less certain than
    they were, which shifts all of them.
    """
    ends = np.quantile(values[1:], [(1 - level) / 2, 0.5, (1 + level) / 2])
    value = float(values[0])
    return Estimate(value, value + float(ends[0] - ends[1]), value + float(ends[2] - ends[1]))


def _within(one: Estimate) -> Estimate:
    """Keep the interval of a share between 0 and 1."""
    return Estimate(one.value, max(one.lower, 0.0), min(one.upper, 1.0))


@dataclass(frozen=True, eq=False)
class CompletedPart:
    """What is found of the ratings of one task under one criterion."""

    completion: Completion  # predictions of what is missing
    decisions: DecisionCurve | None = None  # the curve of decisions; None where nobody asked

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        curve = None if self.decisions is None else self.decisions.to_dict()
        return {**self.completion.to_dict(), "decisions": curve}


def complete_part(rows: RatingRows, model: NuclearNorm, draws: int | None = None) -> CompletedPart:
    """Complete ratings, and study decisions where draws are given."""
    found = model.fit(rows)
    if draws is None:
        return CompletedPart(found)
    return CompletedPart(found, study_decisions(rows, model, draws=draws, seed=model.seed))

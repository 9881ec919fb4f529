"""A completion and the decisions that fewer ratings would have led to: what one group has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.controls import Openable, carries_excluded, require_scores
from evenhand.data.exclusions import Exclusion, list_findings, write_excluded
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.results import Beside, Shown
from evenhand.errors import NotIdentified, UnknownOption, listing, require_level, require_seed
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.newton import one_blas_thread
from evenhand.ratings.completion import NuclearNorm, keep_within, solve
from evenhand.ratings.matrix import (
    ADDITIVE,
    COMPLETION,
    METHODS,
    RatingMatrix,
    errors_of,
    find_errors,
    make_matrix,
    refuse_beyond,
)
from evenhand.ratings.texts import say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    describe_findings,
    plural,
    write_signature,
)

# Which ratings of a full matrix a cheaper campaign would have judged for.
#
# spread   every output by so many judges, drawn at random for each
# common   every output by one judge, drawn at random, and some outputs by all of them
#
# Both are told by the share of the matrix that they see.

SPREAD: Final = "spread"
COMMON: Final = "common"
SHARES: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MIN_FULL: Final = 0.5  # Share of the ratings that must lie in the full part of a matrix


@dataclass(frozen=True)
class Design:
    kind: str  # SPREAD or COMMON
    share: float  # of the matrix that it sees

    def draw(self, shape: tuple[int, int], rng: np.random.Generator) -> Flags:
        m, n = shape
        place = rng.permuted(np.tile(np.arange(m)[:, None], (1, n)), axis=0)
        if self.kind == SPREAD:
            each = np.floor(self.share * m + rng.random(n)).astype(np.int64)
            return np.asarray(place < np.maximum(each, 1))
        seen = place < 1
        seen[:, rng.permutation(n)[: round(n * (self.share * m - 1) / (m - 1))]] = True
        return np.asarray(seen)


def make_designs(judges: int) -> list[Design]:
    """Return the designs that are looked at: one rating per output, then 10 to 90 % seen."""
    one = 1 / judges
    spread = [Design(SPREAD, one), *(Design(SPREAD, s) for s in SHARES if s > 1.05 * one)]
    return [*spread, *(Design(COMMON, s) for s in SHARES[:5] if s > 1.2 * one)]


def take_full(matrix: RatingMatrix) -> RatingMatrix:
    """Leave out the judge or output with the largest share missing, until nothing is missing."""
    absent = ~matrix.seen()
    rows, columns = (np.ones(n, np.bool_) for n in absent.shape)
    by_judge, by_output = (absent.sum(axis=axis) for axis in (1, 0))
    m, n = absent.shape
    while m * n >= MIN_FULL * len(matrix.value) and by_judge.any():
        judge, output = by_judge.argmax(), by_output.argmax()
        if by_judge[judge] * m >= by_output[output] * n:  # shares, without rounding
            by_output -= absent[judge] & columns
            by_judge[judge], rows[judge], m = 0, False, m - 1
        else:
            by_judge -= absent[:, output] & rows
            by_output[output], columns[output], n = 0, False, n - 1
    if m * n < MIN_FULL * len(matrix.value) or min(m, n) < 2:
        raise NotIdentified(
            f"judges rated too few of the same outputs ({100 * matrix.fill:.0f} % of the cells are"
            " seen) to hide ratings and see what decisions would have been",
            ["let several judges rate the same outputs", "leave --reliability out"],
        )
    cells = matrix.cells
    chosen = rows[cells.row] & columns[cells.column]
    part = replace(
        cells.take(chosen),
        row=(np.cumsum(rows) - 1)[cells.row[chosen]],
        column=(np.cumsum(columns) - 1)[cells.column[chosen]],
        shape=(int(rows.sum()), int(columns.sum())),
    )
    at = np.flatnonzero(columns).tolist()
    return replace(
        matrix.take(chosen),
        judges=tuple(matrix.judges[i] for i in np.flatnonzero(rows).tolist()),
        items=tuple(matrix.items[i] for i in at),
        systems=tuple(matrix.systems[i] for i in at),
        cells=part,
    )


RAW: Final = "raw mean"
# What a decision rests on: the ratings as they are, and two ways to fill in the missing ones
DECIDERS: Final = (RAW, ADDITIVE, COMPLETION)
ONE_RATING: Final = "one rating"  # Raw means of one rating per output, drawn at random


@dataclass(frozen=True)
class Estimate:
    value: float  # the number
    lower: float  # end of its interval
    upper: float  # the other


@dataclass(frozen=True)
class DecisionPoint:
    design: Design  # which ratings are seen
    reliability: Mapping[str, Estimate]  # decider → share of pairs in the order of all
    gains: Mapping[str, Estimate]  # what completion has more on the same ratings
    mae: Mapping[str, Estimate]  # method → error on cells that are not seen (points)
    more: Mapping[str, Estimate]  # method → what its error has more than completion's
    abstained: float  # share of the draws in which completion abstained

    def to_dict(self) -> dict[str, Any]:
        parts = {"reliability": self.reliability, "gains": self.gains}
        parts |= {"mae": self.mae, "mae_more": self.more}
        row: dict[str, Any] = {"design": self.design.kind, "share": self.design.share}
        for name, part in parts.items():
            row[name] = {key: asdict(estimate) for key, estimate in part.items()}
        return row | {"abstained": self.abstained}


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Shown):
    """Decisions against the share of ratings that are seen.

    Attributes:
        points: one for each design; the first is one rating per output.
        judges: rows of the full matrix.
        outputs: its columns.
        systems: that decisions are about.
        pairs: of systems that all ratings distinguish.
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
    excluded: tuple[Exclusion, ...] = ()

    @property
    def says(self) -> tuple[Finding, ...]:
        """What was found, in words."""
        first = self.points[0].reliability[RAW]
        shares = {"share": f"{100 * first.value:.0f} %"}
        shares["ends"] = f"{100 * first.lower:.0f} to {100 * first.upper:.0f} %"
        code = "one-rating" if self.pairs > 1 else "one-rating-two-systems"
        lines = [say(code, pairs=self.pairs, judges=self.judges, **shares)]
        for kind in (COMMON, SPREAD):
            points = [point for point in self.points[1:] if point.design.kind == kind]
            if points:
                parts: list[str] = []
                for other, words in (
                    (RAW, "raw means of the same ratings"),
                    (ADDITIVE, "judge + output"),
                    (ONE_RATING, "one rating per output"),
                ):
                    better = sum(point.gains[other].lower > 0 for point in points)
                    worse = sum(point.gains[other].upper < 0 for point in points)
                    of = "" if parts else f" of {plural(len(points), 'share')}"
                    beside = f" (worse at {worse})" if worse else ""
                    parts.append(f"than {words} at {better}{of}{beside}")
                code = "decisions-common" if kind == COMMON else "decisions-spread"
                lines.append(say(code, than=", ".join(parts)))
        return tuple(lines)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each design and method."""
        rows: list[dict[str, Any]] = []
        for point in self.points:
            design = {"design": point.design.kind, "share": point.design.share}
            for method in dict.fromkeys((*DECIDERS, *point.mae)):
                rows.append({**design, "method": method})
                for name, part in (("reliability", point.reliability), ("mae", point.mae)):
                    known = part.get(method)
                    ends = (None,) * 3 if known is None else (known.value, known.lower, known.upper)
                    rows[-1] |= zip((name, f"{name}_lower", f"{name}_upper"), ends, strict=True)
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
            "findings": describe_findings(self.notes),
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
        }

    def document(self) -> Document:
        """Return what people read: how many decisions fewer ratings get right."""
        rows = []
        for one in self.points:
            row: dict[str, Any] = {"design": f"{one.design.kind} {100 * one.design.share:.0f} %"}
            row |= {name: one.reliability[name].value for name in DECIDERS}
            ends = {"": one.reliability[COMPLETION], **one.gains}
            row |= {f"{name} lower": each.lower for name, each in ends.items()}
            row |= {f"{name} upper": each.upper for name, each in ends.items()}
            rows.append(row)
        level, of_ends = f"{100 * self.level:.12g} % interval", "interval share"
        columns = (
            Column("design", "seen"),
            *(Column(name, name, "share") for name in DECIDERS),
            Column((" lower", " upper"), level, of_ends, priority=1),
            Column((f"{ADDITIVE} lower", f"{ADDITIVE} upper"), "beyond j + o", of_ends),
            Column((f"{ONE_RATING} lower", f"{ONE_RATING} upper"), "beyond one", of_ends),
        )
        caption = "Share of pairs of systems ordered as by all ratings, by the ratings seen"
        legend = (
            "common: one rating per output and some outputs rated by all; beyond: interval of what"
            " completion has more than judge + output on the same ratings, and than one rating per"
            " output",
            self.signature,
        )
        return Document(
            answer=self.says,
            parts=(Table("decisions", caption, columns, tuple(rows), legend=legend),),
            findings=list_findings(self.notes, self.excluded),
        )


MAX_PAIRS_NAMED: Final = 3
MIN_DISTANCE: Final = 1e-9  # Of an estimate from the end of its interval


def write_notes(
    part: tuple[RatingMatrix, RatingMatrix],
    truth: Array,
    points: Sequence[DecisionPoint],
    level: float,
) -> tuple[str, ...]:
    """Return what must be said of a curve; `part` is the matrix given and its full part."""
    given, full = part
    notes = list(full.notes)
    judges, outputs = (a - b for a, b in zip(given.shape, full.shape, strict=True))
    if judges or outputs:
        of = dict(zip(("of_judges", "of_outputs"), given.shape, strict=True))
        notes.append(say("part-complete", judges=judges, outputs=outputs, **of))
    notes += say_even(np.unique(full.systems).tolist(), truth, level)
    for share in (share for point in points for share in point.reliability.values()):
        wide = share.upper - share.lower > MIN_DISTANCE
        inside = MIN_DISTANCE < share.value < 1 - MIN_DISTANCE
        nearest = min(abs(share.lower - share.value), abs(share.upper - share.value))
        if wide and inside and nearest < MIN_DISTANCE:
            return (*notes, say("ends-at-estimates"))
    return tuple(notes)


def say_even(names: Sequence[str], truth: Array, level: float) -> list[Finding]:
    """Say which systems are not distinguished even by all ratings, the closest first."""
    first, second = np.triu_indices(len(names), 1)
    low, high = np.quantile(truth[1:], [(1 - level) / 2, (1 + level) / 2], axis=0)
    even = np.flatnonzero((low <= 0) & (high >= 0))
    if not len(even):
        return []
    even = even[np.argsort(np.abs(truth[0, even]), kind="stable")]
    named = [
        f"{names[first[at]]} and {names[second[at]]} ({abs(truth[0, at]):.2g} points apart)"
        for at in even.tolist()
    ]
    pairs = truth.shape[1]
    code = "two-systems-even" if pairs == 1 else "systems-even"
    return [say(code, even=len(even), of=pairs, named=listing(named, MAX_PAIRS_NAMED))]


# Would decisions have been the same with fewer ratings?
#
# From a full matrix of judges by outputs the truth is the order of the systems by their mean over
# all judges and outputs. A cheaper campaign (`Design`) sees a part of the cells. Systems are then
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

DRAWS: Final = 20
RESAMPLES: Final = 1000
MIN_DIFFERENCE: Final = 1e-9  # Of two means; less is none


@dataclass(frozen=True, eq=False)
class _Drawn:
    score: Array  # (draws, 3, n) what each output is worth, by DECIDERS
    error: Array  # (5, n) absolute errors on cells not seen, summed over judges and draws
    count: Array  # (n,) how many cells that is
    abstained: float  # share of the draws


@carries_excluded("controls", "repeats")
def study_decisions(
    data: Ratings | RatingRows | Openable,
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
        NotIdentified: the matrix is too empty, or fewer than two systems are distinguished.
        UnknownOption: no draws, a level that is none, or a negative seed.
        InvalidJudgments: scores that are not within the model's `clip`.
    """
    if draws < 1:
        raise UnknownOption(f"draws {draws}: 1 or more")
    require_level(level)
    require_seed(seed)
    table = require_scores(data, "decisions are studied on ratings, not on")
    rows = table if isinstance(table, RatingRows) else table.rows()
    model = model or NuclearNorm()
    refuse_beyond(rows, model.clip)
    given = make_matrix(rows, seed=seed)
    matrix, rng = take_full(given), np.random.default_rng(seed)
    system = np.unique(matrix.systems, return_inverse=True)[1].reshape(-1)
    weights = resample_items(matrix, rng)
    truth = find_differences(matrix.table().mean(axis=0), system, weights)
    pairs = int((np.abs(truth[0]) >= MIN_DIFFERENCE).sum())
    if not pairs:
        raise NotIdentified("no two systems have different means", ["rate more systems"])
    designs = make_designs(matrix.shape[0])
    with one_blas_thread():
        drawn = [draw_design(matrix, design, (model, draws), rng) for design in designs]
    rights = [count_right(each.score, system, weights, truth) for each in drawn]
    points = []
    for design, each, right in zip(designs, drawn, rights, strict=True):
        cells, best = weights @ each.count, right[COMPLETION]
        errors = zip(METHODS, each.error, strict=True)
        mae = {name: weights @ error / cells for name, error in errors}
        more = {name: error - mae[COMPLETION] for name, error in mae.items() if name != COMPLETION}
        # the first design is one rating per output
        others = {RAW: right[RAW], ADDITIVE: right[ADDITIVE], ONE_RATING: rights[0][RAW]}
        gains = {name: best - share for name, share in others.items()}
        reliability = {}
        for name, share in right.items():
            known = make_estimate(share, level)
            reliability[name] = Estimate(known.value, max(known.lower, 0.0), min(known.upper, 1.0))
        gained, lost, lost_more = (
            {name: make_estimate(values, level) for name, values in part.items()}
            for part in (gains, mae, more)
        )
        point = DecisionPoint(design, reliability, gained, lost, lost_more, each.abstained)
        points.append(point)
    path, clip = model.sign_choice()
    words = (
        f"decisions draws={draws} resamples={RESAMPLES} {100 * level:.12g} % intervals seed={seed}",
        f"nuclear norm path={path} validation={model.validation:g}",
        f"abstain={model.abstain} clip={clip}",
    )
    targets = rows.targets()
    digest = digest_ratings(targets)
    return DecisionCurve(
        points=tuple(points),
        judges=matrix.shape[0],
        outputs=matrix.shape[1],
        systems=int(system.max()) + 1,
        pairs=pairs,
        draws=draws,
        level=level,
        notes=write_notes((given, matrix), truth, points, level),
        signature=write_signature(words, targets.size, digest, judges=matrix.shape[0]),
    )


def draw_design(
    matrix: RatingMatrix, design: Design, how: tuple[NuclearNorm, int], rng: np.random.Generator
) -> _Drawn:
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
        solution = solve(seen, choice, model.clip)
        abstained += not choice.used
        additive = keep_within(solution.effects.table(), model.clip)
        tables = {ADDITIVE: additive, COMPLETION: solution.predicted}
        score[draw, 0] = (full * mask).sum(axis=0) / mask.sum(axis=0)
        for place, name in enumerate(DECIDERS[1:], start=1):
            score[draw, place] = np.where(mask, full, tables[name]).mean(axis=0)
        at = held.cells.row, held.cells.column
        errors = find_errors(seen, held)
        errors |= {name: errors_of(held.value - table[at]) for name, table in tables.items()}
        for place, name in enumerate(METHODS):
            error[place] += np.bincount(at[1], errors[name].absolute, n)
        count += np.bincount(at[1], minlength=n)
    return _Drawn(score, error, count, abstained / draws)


def resample_items(matrix: RatingMatrix, rng: np.random.Generator) -> Array:
    """Return how often each output counts: once, then by items drawn anew, shape (B + 1, n)."""
    # drawn among items that the same systems were given, so that no system is lost
    item = np.unique(matrix.items, return_inverse=True)[1].reshape(-1)
    systems: dict[int, list[str]] = {}
    for code, name in zip(item.tolist(), matrix.systems, strict=True):
        systems.setdefault(code, []).append(name)
    alike: dict[tuple[str, ...], list[int]] = {}
    for code, names in systems.items():
        alike.setdefault(tuple(sorted(names)), []).append(code)
    weights = np.ones((RESAMPLES + 1, len(systems)))
    for codes in alike.values():
        even = np.full(len(codes), 1 / len(codes))
        weights[1:, codes] = rng.multinomial(len(codes), even, size=RESAMPLES)
    return weights[:, item]


def find_differences(score: Array, system: Integers, weights: Array) -> Array:
    """Return differences of systems' means for each weighting, shape (B + 1, pairs)."""
    k = int(system.max()) + 1
    of_system = np.eye(k)[system]
    means = (weights * score) @ of_system / (weights @ of_system)
    first, second = np.triu_indices(k, 1)
    return np.asarray(means[:, first] - means[:, second])


def count_right(score: Array, system: Integers, weights: Array, truth: Array) -> dict[str, Array]:
    """Return the share of pairs in the right order, (B + 1,) for each decider, over all draws."""
    decided = np.abs(truth) >= MIN_DIFFERENCE
    right = {name: np.zeros(len(weights)) for name in DECIDERS}
    for drawn in score:
        for name, worths in zip(DECIDERS, drawn, strict=True):
            apart = find_differences(worths, system, weights)
            same = np.where(np.abs(apart) < MIN_DIFFERENCE, 0.5, np.sign(apart) == np.sign(truth))
            right[name] += (same * decided).sum(axis=1)
    total = len(score) * np.maximum(decided.sum(axis=1), 1)
    return {name: count / total for name, count in right.items()}


def make_estimate(values: Array, level: float) -> Estimate:
    # around their median: drawing items anew makes orders less certain, which shifts all of them
    ends = np.quantile(values[1:], [(1 - level) / 2, 0.5, (1 + level) / 2])
    value = float(values[0])
    return Estimate(value, value + float(ends[0] - ends[1]), value + float(ends[2] - ends[1]))


def complete_part(rows: RatingRows, model: NuclearNorm, draws: int | None = None) -> Beside:
    """Complete ratings, and where `draws` are asked for, look at decisions by fewer of them."""
    completion = model.fit(rows)
    curve = None if draws is None else study_decisions(rows, model, draws=draws, seed=model.seed)
    return Beside(completion, "decisions", curve)

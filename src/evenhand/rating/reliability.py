"""Would decisions have been the same with fewer ratings?

From a full matrix of judges by outputs the truth is the order of the systems by their mean over all
judges and outputs. A cheaper campaign sees a part of the cells (masks.py). Systems are then ordered
by the mean over outputs of

    raw mean         the ratings of the output that are seen
    judge + output   these, and the missing ones as judge and output predict them
    completion       these, and the missing ones as completion predicts them

and reliability is the share of pairs of systems in the order of the truth; a tie is half. Pairs
that the truth does not tell apart are left out. Intercepts cost nothing, so that a filled-in mean
is μ + ā + b_o, plus the mean of Z: the second is the raw mean without the severity of the judges
that an output happened to meet.

Intervals are from drawing items anew, of the same sets of systems, with truth and estimate from the
same items; predictions stay as they were made.

Source: Wisniewski (2013), ACL, of which the abstract is known to us: decisions from predicted
scores are more reliable than from one rating of each example. Designs, the comparison with judge +
output, and intervals are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption, require_level, require_seed
from evenhand.judgments.coding import SEED
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.wrong_kind import require_scores
from evenhand.numerics.threads import one_blas_thread
from evenhand.rating.baselines import ADDITIVE, COMPLETION, METHODS, errors_of, find_errors
from evenhand.rating.decision_curve import (
    DECIDERS,
    ONE,
    RAW,
    DecisionCurve,
    DecisionPoint,
    Estimate,
)
from evenhand.rating.decision_remarks import write_notes
from evenhand.rating.masks import Design, make_designs, take_full
from evenhand.rating.matrix import RatingMatrix, make_matrix, refuse_beyond
from evenhand.rating.nuclear_norm import NuclearNorm
from evenhand.rating.solution import keep_within, solve

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

DRAWS: Final = 20
RESAMPLES: Final = 1000
APART: Final = 1e-9
"""Difference of two means that is none."""


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What the draws of one design gave, output by output.

    Attributes:
        score: (draws, 3, n) what each output is worth, by DECIDERS.
        error: (5, n) absolute errors on the cells that are not seen, summed over judges and draws.
        count: (n,) how many cells that is.
        abstained: share of the draws.

    """

    score: Array
    error: Array
    count: Array
    abstained: float


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

"""Completion of ratings: what would a judge have said of an output that he was not shown?

    y_jo = μ + a_j + b_o + Z_jo + ε        minimise  ½ Σ_seen (y − μ − a − b − Z)² + τ ‖Z‖_*

Sources: Wisniewski (2013), ACL (the idea); Mazumder, Hastie & Tibshirani (2010), Journal of Machine
Learning Research 11:2287-2322 (the method). Intercepts within the problem, abstention and intervals
are ours. How τ is chosen, and when not to use it: docs/models/completion.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import ceil, inf, isfinite, sqrt
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.controls import Openable, carries_excluded, require_scores, takes_judgments
from evenhand.data.exclusions import Exclusion, write_document, write_excluded
from evenhand.data.groups import group_ratings
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.results import Grouped, Shown, try_each
from evenhand.data.tally import Factor
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    require_level,
    require_option,
    require_seed,
    suggest_or_list,
)
from evenhand.numerics import Array
from evenhand.numerics.cluster_means import choose_clusters
from evenhand.numerics.completion import Effects, LowRank, SoftImpute
from evenhand.numerics.newton import one_blas_thread
from evenhand.ratings.matrix import (
    ADDITIVE,
    BY_JUDGE,
    COMPLETION,
    MethodError,
    RatingMatrix,
    Split,
    compare_errors,
    errors_of,
    find_errors,
    group_judges,
    make_matrix,
    refuse_beyond,
    say_better,
    split_ratings,
    tabulate_errors,
)
from evenhand.ratings.texts import say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    describe_findings,
    write_signature,
)

# How strongly to hold back the low-rank part of a completion, and whether to use it at all.
#
# Along a path of τ from strong to weak, the mean absolute error on held-out cells decides. The path
# is left where that error has risen twice. The best τ is used if it beats the intercepts by more
# than 1.645 standard errors of the paired difference; choosing the smallest error alone would call
# chance a taste in most sets of ratings without any.

Missing = Literal["at random", "by value"]

MIN_ERRORS: Final = 1.645  # By which the low-rank part must be better than intercepts
# Gap, relative to the objective of the intercepts, at which a point of the path is judged
PATH_TOLERANCE: Final = 1e-3
MAX_RISES: Final = 2  # Of the error, after which the path is left
ROUNDING: Final = 1e-9  # Remainder of the intercepts, relative to the ratings, that is none
MIN_CELLS: Final = 10  # Held-out cells below which nothing is chosen


@dataclass(frozen=True)
class PathPoint:
    share: float  # of the τ at which nothing but intercepts is left
    tau: float  # weight of the nuclear norm
    rank: int  # of the low-rank part
    mae: float  # mean absolute error on the held-out cells, in points of the scale


@dataclass(frozen=True)
class Choice:
    path: tuple[PathPoint, ...]  # the τ that were looked at, strongest first
    best: PathPoint | None  # the one with the smallest error; None where there is none
    intercepts: float | None  # mean absolute error of intercepts; None if nothing is held out
    gain: tuple[float, float] | None  # by how much the best is better, its error
    used: bool  # whether that is enough
    why: Finding  # the reason, in words
    start: LowRank | None = None  # low-rank part of the best, where the last fit begins


def choose_tau(seen: RatingMatrix, held: RatingMatrix, shares: Sequence[float]) -> Choice:
    n = len(held.value)
    if n < MIN_CELLS:
        why = say("too-few-held-out", cells=n, least=MIN_CELLS)
        return Choice((), None, None, None, used=False, why=why)
    problem = SoftImpute(seen.cells, seen.value)
    row, column = held.cells.row, held.cells.column
    plain = np.abs(held.value - problem.effects().at(row, column))
    intercepts = float(plain.mean())
    largest = problem.largest_tau()
    if largest <= ROUNDING * float(np.abs(seen.value).max()):
        return Choice((), None, intercepts, None, used=False, why=say("no-remainder"))
    path: list[PathPoint] = []
    best_errors, start = plain, None
    solutions = problem.path([share * largest for share in shares], PATH_TOLERANCE)
    for share, solution in zip(shares, solutions, strict=False):
        errors = np.abs(held.value - solution.look_up(row, column))
        path.append(PathPoint(share, solution.tau, solution.rank, float(errors.mean())))
        if path[-1].mae <= min(point.mae for point in path):
            best_errors, start = errors, solution.table
        last = [point.mae for point in path[-MAX_RISES - 1 :]]
        if len(last) > MAX_RISES and all(a < b for a, b in pairwise(last)):
            break
    return replace(decide(path, plain - best_errors, intercepts), start=start)


def decide(path: Sequence[PathPoint], better: Array, intercepts: float) -> Choice:
    """Decide by (n,) differences of errors on held-out cells whether the best point is used."""
    best = min(path, key=lambda point: point.mae)
    gain, stderr = float(better.mean()), float(better.std(ddof=1)) / sqrt(len(better))
    used = gain > MIN_ERRORS * stderr
    code = "tastes-better" if used else "tastes-not-better"
    errors = {"mae": best.mae, "intercepts": intercepts, "errors": MIN_ERRORS}
    why = say(code, cells=len(better), **errors)
    return Choice(tuple(path), best, intercepts, (gain, stderr), used=used, why=why)


@dataclass(frozen=True)
class Prediction:
    score: float  # the prediction, in points of the scale
    lower: float | None  # end of its interval; −∞ without bound, None of a given rating
    upper: float | None  # the other
    seen: float | None  # the rating that the judge gave (the mean of several), or None


@dataclass(frozen=True)
class GroupWidth:
    group: str  # its name
    judges: int  # how many
    held_out: int  # ratings that intervals rest on
    # smallest half width among its missing ratings, in points; infinite if endless, None where
    # nothing is missing
    narrowest: float | None
    widest: float | None  # largest


@dataclass(frozen=True, eq=False, repr=False)
class Completion(Shown):
    """A fit of `NuclearNorm`.

    Attributes:
        model: the settings.
        matrix: judges, outputs and the ratings that were seen.
        predicted: (m, n) what the fit says of every cell, seen ones included.
        half_width: (m, 1) of the intervals of each judge, or (m, n) where they differ by cell: 0
            where a rating was given, if missing is "by value"; infinite where nothing bounds them.
        choice: how τ was chosen, and whether the low-rank part is used.
        tau: weight of the nuclear norm in the last fit; None where it abstains.
        rank: of the low-rank part; 0 where it abstains.
        gap: the objective is at most so far above its minimum, in squared points.
        table: errors of all methods on cells that nothing was learned from; empty without any.
        groups: groups of judges that have intervals of their own → ratings they rest on.
        group_of: (m,) group of each judge.
        notes: what must stand beside the numbers.
        signature: what made them.
    """

    model: NuclearNorm
    matrix: RatingMatrix
    predicted: Array
    half_width: Array
    choice: Choice
    tau: float | None
    rank: int
    gap: float
    table: tuple[MethodError, ...]
    groups: dict[str, int]
    group_of: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str
    excluded: tuple[Exclusion, ...] = ()

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of the rows."""
        return self.matrix.judges

    @property
    def abstained(self) -> bool:
        """Whether it answers with the intercepts."""
        return not self.choice.used

    @property
    def completed(self) -> Array:
        """(m, n) ratings where they were given, predictions where not."""
        filled = self.predicted.copy()
        filled[self.matrix.cells.row, self.matrix.cells.column] = self.matrix.value
        return filled

    @property
    def n_missing(self) -> int:
        """How many cells were predicted."""
        return self.predicted.size - len(self.matrix.value)

    @property
    def says(self) -> tuple[Finding, ...]:
        """What was found, in words."""
        full = () if self.n_missing else (say("nothing-missing"),)
        first = say("alone") if self.abstained else say("shared", rank=self.rank)
        return (*full, first, self.choice.why, *say_better(self.table))

    @property
    def intervals(self) -> tuple[GroupWidth, ...]:
        """How wide intervals are, by group of judges."""
        absent = ~self.matrix.seen()
        widths = []
        for name, n in self.groups.items():
            members = np.array([group == name for group in self.group_of])
            half = np.broadcast_to(self.half_width[members], absent[members].shape)[absent[members]]
            ends = (float(half.min()), float(half.max())) if len(half) else (None, None)
            widths.append(GroupWidth(name, int(members.sum()), n, *ends))
        return tuple(widths)

    def predict(self, judge: str, item: str, system: str) -> Prediction:
        """Return what a judge would say of an output, or said, with the interval.

        Raises:
            InvalidJudgments: nobody rated the output, or there is no such judge.
        """
        if judge not in self.judges:
            raise InvalidJudgments(f"no judge '{judge}'.{suggest_or_list(judge, self.judges)}")
        outputs = self.matrix.outputs()
        if (item, system) not in outputs:
            raise InvalidJudgments(
                f"nobody rated the output of '{system}' for item '{item}': nothing is known of it"
            )
        row, column = self.judges.index(judge), outputs.index((item, system))
        at = np.flatnonzero((self.matrix.cells.row == row) & (self.matrix.cells.column == column))
        score = float(self.predicted[row, column])
        if len(at):
            return Prediction(score, None, None, float(self.matrix.value[at[0]]))
        return Prediction(score, *self._ends(row, column), None)

    def _ends(self, row: int, column: int) -> tuple[float, float]:
        half = float(self.half_width[row, min(column, self.half_width.shape[1] - 1)])
        middle = float(self.predicted[row, column])
        low, high = self.model.clip or (-inf, inf)
        return max(middle - half, low), min(middle + half, high)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each cell: given ratings as they are, missing ones with intervals.

        With groups of judges, theirs is the last column.
        """
        seen, filled = self.matrix.seen(), self.completed
        rows: list[dict[str, Any]] = []
        for j, (judge, group) in enumerate(zip(self.judges, self.group_of, strict=True)):
            for o, (item, system) in enumerate(self.matrix.outputs()):
                given = bool(seen[j, o])
                lower, upper = (None, None) if given else self._ends(j, o)
                row = {"judge": judge, "item": item, "system": system, "score": float(filled[j, o])}
                row |= {"given": given, "lower": lower, "upper": upper}
                rows.append(row if self.model.group is None else row | {"judge_group": group})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract; the cells are in `records`."""
        half = [float(widths.max()) for widths in self.half_width]
        return {
            "judges": len(self.judges),
            "outputs": self.matrix.shape[1],
            "ratings": float(self.matrix.cells.weight.sum()),
            "missing": self.n_missing,
            "fill": self.matrix.fill,
            "abstains": self.abstained,
            "why": str(self.choice.why),
            "tau": self.tau,
            "rank": self.rank,
            "level": self.model.level,
            "groups": dict(self.groups),
            "intervals": [asdict(row) for row in self.intervals],
            "half_width": dict(zip(self.judges, half, strict=True)),
            "path": [asdict(point) for point in self.choice.path],
            "intercepts_mae": self.choice.intercepts,
            "errors": [row.to_dict() for row in self.table],
            "says": list(self.says),
            "findings": describe_findings(self.notes),
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
        }

    def document(self) -> Document:
        """Return what people read: what predicts best, its errors, how wide intervals are."""
        judges, outputs = self.matrix.shape
        counts = {"judges": judges, "outputs": outputs, "seen": self.matrix.fill}
        counts |= {"ratings": float(self.matrix.cells.weight.sum()), "missing": self.n_missing}
        code = "matrix" if self.abstained else "matrix-shared"
        level = f"{100 * self.model.level:.12g} %"
        tables = []
        if self.table:
            legend = say("errors", cells=self.table[0].n, level=100 * self.model.level)
            caption = "Errors on held-out ratings"
            tables.append(tabulate_errors(self.table, caption, COMPLETION, legend))
        if self.model.group is not None:
            widths = tuple(asdict(one) for one in self.intervals)
            caption = f"Half widths of {level} intervals in points, by group of judges"
            tables.append(Table("groups", caption, GROUP_COLUMNS, widths))
        # the widths of intervals, where some have bounds
        ends = [end for one in self.intervals for end in (one.narrowest, one.widest)]
        finite = sorted(end for end in ends if end is not None and isfinite(end))
        answer = self.says
        if self.n_missing and self.table and finite:
            # judges with missing ratings, and those with bounds for any of them
            absent, (low, high) = ~self.matrix.seen(), (finite[0], finite[-1])
            of = int(absent.any(axis=1).sum())
            some = int((absent & np.isfinite(self.half_width)).any(axis=1).sum())
            span = f"{low:.3g} to {high:.3g}" if high > low else f"{low:.3g}"
            values = {"level": 100 * self.model.level, "widths": span}
            known = "widths-of-some" if some < of else "widths"
            answer = (*answer, say(known, some=some, of=of, **values))
        return write_document(
            self, *tables, basis=say(code, **counts, rank=self.rank, tau=self.tau), answer=answer
        )


GROUP_COLUMNS: Final = (
    Column("group", "group", "name"),
    Column("judges", "judges", "count"),
    Column("held_out", "held out", "count"),
    Column("narrowest", "± from", "figures"),
    Column("widest", "to", "figures"),
)


@dataclass(frozen=True, eq=False)
class Solution:
    predicted: Array  # (m, n) predictions
    effects: Effects  # judge + output alone, from the same ratings
    tau: float | None = None  # weight of the nuclear norm; None where intercepts alone are used
    rank: int = 0  # of the low-rank part
    gap: float = 0.0  # the objective is at most so far above its minimum, in squared points


def solve(seen: RatingMatrix, choice: Choice, clip: tuple[float, float] | None = None) -> Solution:
    if choice.best is None or not choice.used:
        effects = seen.cells.effects(seen.value)
        return Solution(keep_within(effects.table(), clip), effects)
    problem = SoftImpute(seen.cells, seen.value)
    effects, tau = problem.effects(), choice.best.share * problem.largest_tau()
    (last,) = problem.path([tau], start=choice.start)
    del problem  # the matrix that it works in
    return Solution(keep_within(last.fill(), clip), effects, last.tau, last.rank, last.gap)


def keep_within(predicted: Array, clip: tuple[float, float] | None) -> Array:
    return predicted if clip is None else np.clip(predicted, *clip, out=predicted)


# Ratings of the judge or output of a given cell, for each of that of a missing one
MAX_LOAD_RATIO: Final = 1.25


def write_notes(
    split: Split, predicted: Array, half_width: Array, model: NuclearNorm
) -> tuple[str, ...]:
    matrix, notes = split.every, []
    parts = np.unique(matrix.cells.parts[: len(matrix.judges)][matrix.cells.seen_rows])
    if len(parts) > 1:
        notes.append(say("groups-apart", "warning", groups=len(parts)))
    if model.clip is None:
        low, high = float(matrix.value.min()), float(matrix.value.max())
        outside = (predicted < low) | (predicted > high)
        outside[matrix.cells.row, matrix.cells.column] = False
        n = int(outside.sum())
        if n:
            notes.append(say("beyond-scale", predictions=n, low=low, high=high))
    n, left = len(split.known), int((~split.known).sum())
    if left:
        notes.append(say("not-learned" if left < n else "none-learned", left=left, of=n))
    cells = matrix.cells
    for side, code in enumerate(("uneven-judges", "uneven-outputs")):
        load = np.bincount((cells.row, cells.column)[side], minlength=cells.shape[side])
        absent = cells.shape[1 - side] - load
        if not n or not absent.any() or (side == 0 and model.group == BY_JUDGE):
            continue
        # other ratings beside a given one and beside a missing one: the same on average where
        # given ratings were drawn uniformly
        given = float(load @ (load - 1) / load.sum())
        missing = float(load @ absent / absent.sum())
        if given > MAX_LOAD_RATIO * missing:
            notes.append(say(code, given=given, missing=missing))
    # missing ratings without bounds, of whole judges and of others
    unseen = ~matrix.seen()
    endless = np.isinf(half_width) & unseen
    rated = matrix.cells.seen_rows
    alone = rated & unseen.any(axis=1) & (endless == unseen).all(axis=1)
    least, n = ceil(model.level / (1 - model.level) - SLACK), int(alone.sum())
    if n:
        limits = {"level": 100 * model.level, "least": least}
        notes.append(say("judges-without-bounds", judges=n, **limits))
    endless &= (rated & ~alone)[:, None]
    learned = split.learned.cells
    known = int((endless & learned.seen_rows[:, None] & learned.seen_columns).sum())
    few = int(split.known.sum()) < least
    for n, code in (
        (known, "ratings-without-bounds" if few else "rare-without-bounds"),
        (int(endless.sum()) - known, "strange-without-bounds"),
    ):
        if n:
            notes.append(say(code, ratings=n))
    return tuple(notes)


# Intervals that hold by group of judges, from residuals of ratings that no fit has seen.
#
# Of n residuals in a group, the ⌈(n + 1)(1 − α)⌉-th smallest in absolute value is the half width:
# an interval around a prediction then holds a rating with chance 1 − α or more, whatever the model,
# if the held-out and the missing ratings of the group come about alike. There is none where n is
# too small, and the interval has no bounds. That ratings were dealt to judges by chance is not
# enough for it: they come about alike if what is seen was drawn uniformly over the cells of the
# matrix. Cells of a judge or an output that nothing was learned of are a group of their own.
#
# Where low ratings are missing more often than high ones, or the other way round, residuals are
# weighted by the odds that a rating of that height is missing rather than held out. A logistic
# regression on the predictions of held-out and missing cells estimates them: if ratings scatter
# alike around all predictions, log-odds that are linear in the rating are so in the prediction,
# with the same slope. Nothing else that may have decided what is missing is allowed for.
#
# Sources: Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World, section 4.5 (by
# group); Tibshirani, Barber, Candès & Ramdas (2019), NeurIPS 32, theorem 2 (weights).

# How missing ratings come about, beside those that were held out
MISSING: Final = ("at random", "by value")
SLACK: Final = 1e-9  # Rounding of a share that counts as reached
MAX_STEPS: Final = 50  # Of the regression
RIDGE: Final = 1e-3  # Weight that keeps a slope finite where groups are distinguished without error


def half_widths(residual: Array, group: NDArray[np.integer], groups: int, level: float) -> Array:
    """Return the half width of each group, infinite where (n,) residuals are too few."""
    widths = np.full(groups, inf)
    for code in range(groups):
        sizes = np.sort(np.abs(residual[group == code]))
        place = ceil((len(sizes) + 1) * level - SLACK)
        if place <= len(sizes):
            widths[code] = sizes[place - 1]
    return widths


def odds_of_missing(held: Array, missing: Array, rating: Array) -> tuple[Array, Array]:
    """Return odds of being missing, up to a factor, of (n,) held ratings and (k,) missing ones."""
    every = np.r_[held, missing]
    centre, spread = float(every.mean()), float(every.std())
    if spread == 0:
        return np.ones(len(held)), np.ones(len(missing))
    x = np.column_stack([np.ones(len(every)), (every - centre) / spread])
    # both kinds weigh alike, so that the odds are those of one cell of each
    weight = np.r_[np.full(len(held), 0.5 / len(held)), np.full(len(missing), 0.5 / len(missing))]
    is_missing = np.r_[np.zeros(len(held)), np.ones(len(missing))]
    slopes = np.zeros(2)
    for _ in range(MAX_STEPS):
        chance = 1 / (1 + np.exp(-(x @ slopes)))
        gradient = x.T @ (weight * (is_missing - chance)) - RIDGE * slopes
        curvature = (x * (weight * chance * (1 - chance))[:, None]).T @ x + RIDGE * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        slopes = slopes + step
        if float(np.abs(step).max()) < SLACK:
            break
    at = np.exp(slopes[1] * (rating - centre) / spread)
    return at, np.exp(slopes[1] * (missing - centre) / spread)


def find_half_widths(
    predicted: Array, split: Split, groups: Factor, settings: tuple[float, Missing]
) -> Array:
    """Return the half width of each judge's intervals, (m, 1), or of each cell's, (m, n).

    They differ by cell where they depend on the prediction, or on whether anything was learned of
    the output. Judges without ratings have none.
    """
    level, missing = settings
    cells = split.tested.cells
    if missing == "by value":
        # of each missing cell; 0 where a rating was given
        widths, absent = np.zeros(predicted.shape), np.nonzero(~split.every.seen())
        wide = np.full(len(absent[0]), inf)
        if len(split.tested.value) and len(wide):
            row, column, held = cells.row, cells.column, split.tested.value
            residual = held - predicted[row, column]
            weight, odds = odds_of_missing(predicted[row, column], predicted[absent], held)
            kind = 2 * groups.codes[row] + ~split.known
            other = 2 * groups.codes[absent[0]] + split.strange(*absent)
            order = np.argsort(np.abs(residual), kind="stable")
            for code in np.unique(other).tolist():
                new, tested = other == code, order[kind[order] == code]
                sizes = np.r_[np.abs(residual)[tested], inf]
                reached = np.cumsum(weight[tested])
                total = reached[-1] if len(reached) else 0.0
                at = np.searchsorted(reached, level * (total + odds[new]) * (1 - SLACK))
                wide[new] = sizes[at]
        widths[absent] = wide
    else:
        residual = split.tested.value - predicted[cells.row, cells.column]
        kind = 2 * groups.codes[cells.row] + ~split.known
        by_kind = half_widths(residual, kind, 2 * len(groups.labels), level)
        rows, columns = split.learned.cells.seen_rows, split.learned.cells.seen_columns
        known, strange = by_kind[2 * groups.codes], by_kind[2 * groups.codes + 1]
        widths = np.where(rows, known, strange)[:, None]
        if not columns.all():
            widths = np.where(columns, widths, strange[:, None])
    widths[~split.every.cells.seen_rows] = inf
    return widths


PATH: Final = (0.9, 0.7, 0.5, 0.35, 0.25)
MAX_HELD: Final = 0.9  # Largest share of the ratings that may be held out


@dataclass(frozen=True)
class NuclearNorm:
    """Settings of a completion.

    Attributes:
        calibration: share of the seen cells that only intervals and errors are found on; 0 for
            neither, so that everything is learned from.
        validation: share of the seen cells that τ is chosen on.
        level: of the intervals.
        path: τ as shares of the τ at which nothing but intercepts is left, descending.
        group: groups of judges whose intervals are found apart: a column, "judge" for each judge
            alone, or None for one group of all.
        missing: whether missing and held-out ratings come about alike ("at random"), or with odds
            that depend on how high the rating is ("by value").
        clip: ends of the scale: nothing beyond them is predicted; None leaves predictions as they
            are.
        abstain: False uses the low-rank part even where held-out ratings do not speak for it.
        seed: of the draw of held-out cells.
    """

    calibration: float = 0.2
    validation: float = 0.15
    level: float = 0.9
    path: tuple[float, ...] = PATH
    group: str | None = None
    missing: Missing = "at random"
    clip: tuple[float, float] | None = None
    abstain: bool = True
    seed: int = SEED

    def __post_init__(self) -> None:
        require_option("missing", self.missing, MISSING)
        shares = (self.calibration, self.validation)
        if min(shares) < 0 or sum(shares) > MAX_HELD:
            raise UnknownOption(
                f"calibration {self.calibration:g} and validation {self.validation:g}: shares of"
                f" the ratings that are held out, from 0, together {MAX_HELD:g} or less"
            )
        require_level(self.level, ".9")
        falling = all(a > b for a, b in pairwise(self.path))
        if not self.path or not falling or self.path[-1] <= 0 or self.path[0] > 1:
            raise UnknownOption(f"path {self.path}: shares of τ, descending, above 0 and up to 1")
        require_seed(self.seed)
        if self.clip is not None and not self.clip[0] < self.clip[1]:
            raise UnknownOption(f"clip {self.clip}: the lowest score, then a higher one")

    @carries_excluded("controls", "repeats")
    def fit(
        self, data: Ratings | RatingRows | Openable, *, judges: Sequence[str] = ()
    ) -> Completion:
        """Complete the ratings of one task under one criterion.

        Args:
            data: the ratings.
            judges: further judges, who have rated nothing: as severe as the mean of the others,
                with intervals without bounds.

        Raises:
            InvalidJudgments: several tasks or criteria, a matrix too large for memory, a judge in
                two groups, or scores that are not within `clip`.
            NotIdentified: fewer than two judges or outputs, or ratings that are all the same.
            NotConverged: the gap to the best solution stays too large.
        """
        rows = self._read(data)
        matrix = make_matrix(rows, judges, seed=self.seed)
        if np.ptp(matrix.value) == 0 == np.ptp(matrix.answer):
            raise NotIdentified(
                f"all {matrix.cells.weight.sum():,.0f} ratings are {matrix.value[0]:g}: there is"
                " nothing to predict but this",
                ["collect ratings that differ"],
            )
        refuse_beyond(rows, self.clip)
        targets = rows.targets()
        groups = group_judges(targets, matrix.judges, self.group)
        order = np.random.default_rng(self.seed).permutation(len(matrix.value))
        tested, more = (int(len(order) * s + ROUNDING) for s in (self.calibration, self.validation))
        # cells for intervals and errors, and those for the choice of τ
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        held, deciding = place < tested, (place >= tested) & (place < tested + more)
        with one_blas_thread():
            choice = self.choose(matrix.take(~held & ~deciding), matrix.take(deciding))
            split = split_ratings(matrix, held)
            solution = solve(split.learned, choice, self.clip)
        predicted = solution.predicted
        widths = find_half_widths(predicted, split, groups, (self.level, self.missing))
        of_tested = groups.codes[split.comparable.cells.row]
        calibrated = np.bincount(of_tested, minlength=len(groups.labels))
        digest, (path, clip) = digest_ratings(targets), self.sign_choice()
        parts = (
            f"completion calibration={self.calibration:g} validation={self.validation:g}",
            f"nuclear norm path={path} abstain={self.abstain}",
            f"conformal {100 * self.level:.12g} % group={self.group or 'none'}"
            f" missing {self.missing} clip={clip} seed={self.seed}",
        )
        return Completion(
            model=self,
            matrix=matrix,
            predicted=predicted,
            half_width=widths,
            choice=choice,
            tau=solution.tau,
            rank=solution.rank,
            gap=solution.gap,
            table=self._compare(split, solution),
            groups=dict(zip(groups.labels, calibrated.tolist(), strict=True)),
            group_of=tuple(groups.labels[code] for code in groups.codes.tolist()),
            notes=(*matrix.notes, *write_notes(split, predicted, widths, self)),
            signature=write_signature(parts, targets.size, digest, judges=len(matrix.judges)),
        )

    @takes_judgments("data")
    def fit_groups(self, data: Ratings | RatingRows | Openable) -> Grouped[Completion]:
        """Complete each task and criterion by itself; those that cannot be are said with why."""
        fits, refused = try_each(group_ratings(self._read(data)), self.fit)
        return Grouped(fits, "group", refused)

    def _read(self, data: Ratings | RatingRows) -> RatingRows:
        table = require_scores(data, "ratings are completed, not")
        if isinstance(table, RatingRows):
            return table
        return table.rows(factors=[] if self.group in (None, BY_JUDGE) else [self.group])

    def choose(self, seen: RatingMatrix, held: RatingMatrix) -> Choice:
        """Choose τ on held-out cells, or none.

        Args:
            seen: what is learned from.
            held: cells that decide.
        """
        choice = choose_tau(seen, held, self.path)
        if self.abstain or choice.best is None or choice.used:
            return choice
        return replace(choice, used=True, why=say("tastes-forced", **choice.why.values))

    def _compare(self, split: Split, solution: Solution) -> tuple[MethodError, ...]:
        tested = split.comparable
        if not len(tested.value):
            return ()
        row, column = tested.cells.row, tested.cells.column
        intercepts = keep_within(solution.effects.at(row, column), self.clip)
        errors = find_errors(split.learned, tested)
        errors[ADDITIVE] = errors_of(tested.value - intercepts)
        errors[COMPLETION] = errors_of(tested.value - solution.predicted[row, column])
        item = np.unique(tested.items, return_inverse=True)[1].reshape(-1)
        clusters = choose_clusters({"judge": row, "item": item[column]})
        return compare_errors(errors, COMPLETION, clusters, self.level)

    def sign_choice(self) -> tuple[str, str]:
        """Return the path and the ends of the scale, as signatures have them."""
        clip = "none" if self.clip is None else f"{self.clip[0]:g}-{self.clip[1]:g}"
        return "/".join(f"{share:g}" for share in self.path), clip

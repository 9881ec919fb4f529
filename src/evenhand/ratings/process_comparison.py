"""Which judges are alike, and whether judges who share predict better than other ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.controls import Openable, carries_excluded
from evenhand.data.exclusions import list_findings
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings
from evenhand.data.results import Shown
from evenhand.errors import InvalidJudgments, UnknownOption, listing, require_level, require_option
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import (
    Clusters,
    Estimate,
    choose_clusters,
    number_groups,
    paired,
)
from evenhand.numerics.sorting import order_leaves
from evenhand.ratings.features import OUTPUT, OutputFeatures
from evenhand.ratings.judge_process import JudgeProcess, MultiTaskGP, sort_rows, tabulate_judges
from evenhand.ratings.matrix import Errors, compare_errors, tabulate_errors
from evenhand.ratings.process_search import JudgedPoints
from evenhand.ratings.texts import say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    describe_findings,
    take_findings,
)

# Each rating counts once: its loss is the mean over the splits in which it was predicted. Intervals
# of differences let the ratings of one judge and of one item depend on each other, and, beside
# that, those of one item alone: about these judges.

MULTI: Final = "multi-task"


@dataclass(frozen=True)
class ProcessError:
    method: str  # its name
    mae: float  # mean absolute error, in points of the scale
    rmse: float  # root mean squared error
    covered: float | None  # share of ratings within 90 % intervals; None without intervals
    mae_more: Estimate | None  # how much more than multi-task; None for itself
    rmse_more: Estimate | None  # the same of the other
    mae_these: Estimate | None  # of the first, with an interval about these judges


@dataclass(frozen=True, eq=False, repr=False)
class ProcessErrors(Shown):
    """Predictions of held-out ratings, one by one: of n ratings m times in all."""

    residual: Mapping[str, Array]  # method → (m,) rating less prediction
    held: Mapping[str, Flags]  # method → (m,) whether the 90 % interval holds the rating; GPs only
    rating: Integers  # (m,) which rating
    judge: Integers  # (n,) number of each rating's judge
    item: Integers  # (n,) number of its item
    left_out: int  # ratings that no split predicts: of their judges nothing was seen
    level: float = 0.95  # of intervals, unless told otherwise

    @property
    def notes(self) -> tuple[str, ...]:
        return self._clusters("judge", "item").notes

    def tabulate(self, level: float | None = None) -> tuple[ProcessError, ...]:
        level = self.level if level is None else level
        errors = {name: self._average(name) for name in self.residual}
        these, rows = self._clusters("item"), []
        for one in compare_errors(errors, MULTI, self._clusters("judge", "item"), level):
            covered = float(self.held[one.method].mean()) if one.method in self.held else None
            apart = errors[one.method].absolute - errors[MULTI].absolute
            of_these = None if one.method == MULTI else paired(apart, these, level)
            more = (one.mae_more, one.rmse_more, of_these)
            rows.append(ProcessError(one.method, one.mae, one.rmse, covered, *more))
        return tuple(rows)

    def document(self) -> Document:
        table = _tabulate_process_errors(self.tabulate(), self.level)
        return Document(parts=(table,), findings=take_findings(self.notes))

    def _clusters(self, *names: str) -> Clusters:
        known = np.unique(self.rating)
        return choose_clusters({name: getattr(self, name)[known] for name in names})

    def _average(self, method: str) -> Errors:
        residual, times = self.residual[method], np.bincount(self.rating)
        losses, seen = (np.abs(residual), residual**2), times > 0
        return Errors(*(np.bincount(self.rating, loss)[seen] / times[seen] for loss in losses))


def _tabulate_process_errors(rows: Sequence[ProcessError], level: float) -> Table:
    legend = say("process-errors", level=100 * level)
    return tabulate_errors(rows, "Errors on held-out ratings", MULTI, legend)


# Ridge regression of ratings on judges and features: the plain rival of a process.
#
# y = m + a_judge + Σ_p w_p x_p + Σ_l b_l,level + ε
#
# with Σ ε² + λ (|a|² + |w|² + |b|²) as small as can be.
#
# All judges share w and b: they differ in severity alone. λ is the one of a grid that is best by
# generalised cross-validation.
#
# Source: Golub, Heath & Wahba (1979), Technometrics 21:215-223.

# λ that are tried; columns are of about unit spread
PENALTIES: Final = tuple(10.0**power for power in np.arange(-3.0, 4.01, 0.5))


def fit_ridge(x: Array, y: Array) -> tuple[Array, float]:
    """Return (p,) weights of columns and λ by generalised cross-validation; y has the mean 0."""
    u, d, vt = np.linalg.svd(x, full_matrices=False)
    along = u.T @ y
    rest = float(y @ y - along @ along)
    scores = []
    for penalty in PENALTIES:
        shrunk = penalty / (d**2 + penalty)
        lost = rest + float(((shrunk * along) ** 2).sum())
        free = len(y) - 1 - float((1.0 - shrunk).sum())
        scores.append(lost / max(free, 1e-9) ** 2)
    best = PENALTIES[int(np.argmin(scores))]
    return vt.T @ (d / (d**2 + best) * along), best


def spread_columns(judged: JudgedPoints, seen: JudgedPoints) -> Array:
    """Return (n, p) columns: judges, numbers and levels that were seen; others have no column."""
    codes, known = ([one.judge, *one.points.labels.T] for one in (judged, seen))
    judges, *levels = (
        (code[:, None] == np.arange(int(learned.max()) + 1)).astype(np.float64)
        for code, learned in zip(codes, known, strict=True)
    )
    return np.hstack([judges, judged.points.numbers, *levels])


# Do judges who share predict better? Processes beside each other on ratings that were held out.
#
# multi-task      B = W Wᵀ + diag(κ): judges share, and differ
# independent     B diagonal: a process for each judge
# pooled + means  B constant: one process, and a mean and noise for each judge
# pooled          one process: who rated does not matter
# ridge           judges' severities and features, all linear
# judge mean      the mean of the judge's ratings
#
# All learn from the same ratings and are compared on the same others, in
# several splits, since one alone may speak for either side.

# Residuals, and whether intervals hold
Part = tuple[Mapping[str, Array], Mapping[str, Flags]]

RIDGE: Final = "ridge"
JUDGE: Final = "judge mean"
MODELS: Final[Mapping[str, MultiTaskGP]] = {
    MULTI: MultiTaskGP(),
    "independent": MultiTaskGP("none"),
    "pooled + means": MultiTaskGP("full"),
    "pooled": MultiTaskGP("full", judge_means=False, judge_noise=False),
}


@dataclass(frozen=True)
class HeldOut:
    """How ratings are held out.

    Attributes:
        folds: parts, each of which is predicted once.
        splits: how often ratings are dealt into folds anew; errors are averaged.
        by: "rating" holds out what a judge said of an output that others rated, all of it where he
            rated it twice; "item" all ratings of an item, so that only its features are known.
        share: of the other ratings that are learned from, drawn by chance.
        level: of intervals.
        seed: of both draws.
    """

    folds: int = 5
    splits: int = 5
    by: Literal["rating", "item"] = "rating"
    share: float = 1.0
    level: float = 0.95
    seed: int = SEED

    def __post_init__(self) -> None:
        require_option("by", self.by, ("rating", "item"))
        require_level(self.level)
        if self.folds <= 1 or self.splits < 1 or not 0 < self.share <= 1:
            raise UnknownOption(
                f"folds {self.folds}, splits {self.splits}, share {self.share:g}: two folds or"
                " more, a split or more, a share above 0 and up to 1"
            )


@carries_excluded("controls", "repeats")
def compare_processes(
    data: Ratings | RatingRows | Openable,
    features: OutputFeatures,
    how: HeldOut | None = None,
    models: Mapping[str, MultiTaskGP] = MODELS,
) -> ProcessErrors:
    """Predict each rating from others, in several ways.

    Args:
        data: ratings of one task under one criterion, or with these among the features.
        features: of outputs.
        how: what is held out.
        models: name → settings; "multi-task" must be among them.

    Raises:
        InvalidJudgments: as for fits, fewer ratings or items than folds, or nothing left to
            predict.
        NotConverged: a fit finds no likeliest parameters.
    """
    how = HeldOut() if how is None else how
    rows = features.read_rows(data)
    rows, _ = sort_rows(rows, features.read(rows))
    rng, parts, places = np.random.default_rng(how.seed), [], []
    for _ in range(how.splits):
        unit = number_groups(*((rows.judge, rows.unit) if how.by == "rating" else (rows.item,)))
        units = int(unit.max()) + 1
        if units < how.folds:
            raise InvalidJudgments(f"{units} {how.by}s in {how.folds} folds: some would be empty")
        fold = np.asarray(rng.permutation(np.arange(units) % how.folds)[unit])
        for number in range(how.folds):
            seen = (fold != number) & (rng.random(rows.size) < how.share)
            held = (fold == number) & np.isin(rows.judge, rows.judge[seen])
            if seen.any() and held.any():
                name = f"fold {number + 1} of {how.folds}"
                parts.append(_predict(rows, (seen, held), features, (models, name)))
                places.append(np.flatnonzero(held))
    if not parts:
        raise InvalidJudgments(
            "nothing is left to predict: all ratings of each judge are held out together; take more"
            " folds, or a larger share"
        )
    rating = np.concatenate(places)
    residuals, helds = zip(*parts, strict=True)
    return ProcessErrors(
        {name: np.concatenate([part[name] for part in residuals]) for name in residuals[0]},
        {name: np.concatenate([part[name] for part in helds]) for name in helds[0]},
        rating,
        number_groups(rows.judge),
        number_groups(rows.item),
        rows.size - len(np.unique(rating)),
        how.level,
    )


def _predict(
    rows: RatingRows,
    split: tuple[Flags, Flags],
    features: OutputFeatures,
    how: tuple[Mapping[str, MultiTaskGP], str],
) -> Part:
    models, name_of_fold = how
    seen, held = (rows.take(flags) for flags in split)
    residual: dict[str, Array] = {}
    within: dict[str, Flags] = {}
    for name, model in models.items():
        try:
            fit = model.fit(seen, features)
        except InvalidJudgments as fault:
            raise InvalidJudgments(
                f"what is learned from for {name_of_fold} ({seen.size:,} ratings): {fault}"
            ) from fault
        predicted = fit.predict(held)
        low, high = predicted.interval(0.9)
        residual[name] = held.score - predicted.mean
        within[name] = (held.score >= low) & (held.score <= high)
    learn, scaling = fit.learned.features.read, fit.learned.scaling
    judged, aside = (
        JudgedPoints(part.judge.astype(np.int64), scaling.apply(learn(part)))
        for part in (seen, held)
    )
    mean = float(seen.score.mean())
    weights, _ = fit_ridge(spread_columns(judged, judged), seen.score - mean)
    residual[RIDGE] = held.score - (mean + spread_columns(aside, judged) @ weights)
    sums = np.bincount(seen.judge, seen.score, len(rows.judges))
    counts = np.bincount(seen.judge, minlength=len(rows.judges))
    residual[JUDGE] = held.score - sums[held.judge] / counts[held.judge]
    return residual, within


MAX_QUICK: Final = 1000  # Ratings beyond which a fit takes minutes


@dataclass(frozen=True)
class Pair:
    judge: str
    other: str
    correlation: float  # of their opinions of outputs, their leniency aside
    lower: float | None  # end of its interval; None where it has none
    upper: float | None  # the other end
    known: bool  # whether the ratings say that they are alike, or that they are opposites


@dataclass(frozen=True, eq=False, repr=False)
class JudgeLikeness(Shown):
    process: JudgeProcess  # what was learned
    level: float = 0.95  # of intervals
    errors: ProcessErrors | None = None  # of predictions; None: not asked

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        names = [field.name for field in fields(Pair)]
        rows = self.process.similarity(self.level)
        return tuple(Pair(**{name: row[name] for name in names}) for row in rows)

    @cached_property
    def table(self) -> tuple[ProcessError, ...]:
        return () if self.errors is None else self.errors.tabulate(self.level)

    @cached_property
    def both(self) -> dict[tuple[str, str], Pair]:
        """Names of two judges, in either order → the pair."""
        named = {(pair.judge, pair.other): pair for pair in self.pairs}
        return {**named, **{(b, a): pair for (a, b), pair in named.items()}}

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """Names, those who are alike beside each other; pairs that are not known count as 0."""
        names = self.process.judges
        alike = np.zeros((len(names), len(names)))
        for (judge, other), pair in self.both.items():
            if pair.known:
                alike[names.index(judge), names.index(other)] = pair.correlation
        return tuple(names[at] for at in order_leaves(alike))

    @cached_property
    def records(self) -> dict[str, dict[str, Any]]:
        rows = {row["judge"]: row for row in self.process.records(self.level)}
        return {judge: rows[judge] for judge in self.judges}

    @property
    def feature_correlations(self) -> dict[str, float]:
        """Correlation of what a judge thinks of outputs that differ in one feature by 1 sd."""
        scales = self.process.length_scales
        return {name: float(np.exp(-0.5 / scale**2)) for name, scale in scales.items()}

    @property
    def says(self) -> tuple[Finding, ...]:
        known = [pair.correlation > 0 for pair in self.pairs if pair.known]
        counts = {
            "tend to like the same outputs": known.count(True),
            "tend to like opposite outputs": known.count(False),
            "cannot be determined": len(self.pairs) - len(known),
        }
        what = "; ".join(f"{number:,} {what}" for what, number in counts.items() if number)
        code = "pair-of-judges" if len(self.pairs) == 1 else "pairs-of-judges"
        alike = say(code, pairs=len(self.pairs), counts=what)
        if not self.table:
            return (alike,)
        names = ("better than", "worse than", "not separated from")
        kinds: dict[str, list[str]] = {name: [] for name in names}
        for row in self.table:
            if row.mae_more is not None:
                better, worse = row.mae_more.lower > 0, row.mae_more.upper < 0
                kind = "better than" if better else "worse than" if worse else "not separated from"
                kinds[kind].append(row.method)
        named = [f"{kind} {listing(methods)}" for kind, methods in kinds.items() if methods]
        return (alike, say("predicted", compared="; ".join(named)))

    @property
    def notes(self) -> tuple[str, ...]:
        if self.errors is None:
            return self.process.notes
        lost = self.errors.left_out
        left = [say("never-predicted", lost=lost)] if lost else []
        return (*self.process.notes, *left, *self.errors.notes)

    def document(self) -> Document:
        ratings = sum(row["ratings"] for row in self.records.values())
        counts = {"ratings": ratings, "judges": len(self.judges)}
        numbers = tuple(dict(zip(CSV_KEYS, row, strict=True)) for row in _list_numbers(self))
        errors = [] if self.errors is None else [_tabulate_process_errors(self.table, self.level)]
        # how much each feature moves a judge's opinion, the one that moves most first
        ordered = sorted(self.feature_correlations.items(), key=lambda one: one[1])
        moved = tuple(
            {"feature": OUTPUT_ITSELF if name == OUTPUT else name, "correlation": correlation}
            for name, correlation in ordered
        )
        columns = (Column("feature", "feature", "name"), Column("correlation", "r", "two"))
        title = "Correlation of a judge's opinions of two outputs that differ in one feature alone"
        features = Table("features", title, columns, moved, legend=(say("features"),))
        few = len(self.judges) <= MAX_JUDGES_IN_MATRIX
        return Document(
            answer=self.says,
            basis=say("process", **counts, features=self.process.learned.features),
            parts=(
                Table("numbers", "", (), numbers, only=("csv",)),
                tabulate_judges(self.records.values(), self.level),
                *(_tabulate_pairs(self) if few else [_tabulate_nearest(self)]),
                *errors,
                features,
            ),
            findings=list_findings(self.notes, self.process.excluded),
            signature=self.process.signature,
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.process.to_dict(),
            "says": list(self.says),
            "level": self.level,
            "judges": list(self.records.values()),
            "similarity": [asdict(pair) for pair in self.pairs],
            "feature_correlations": self.feature_correlations,
            "errors": [asdict(row) for row in self.table] or None,
            "findings": describe_findings(self.notes),
        }


MAX_JUDGES_IN_MATRIX: Final = 12  # Most judges whose whole matrix is shown
MAX_UNKNOWN: Final = 8  # Most undecided pairs that are shown
CSV_KEYS: Final = ("what", "name", "other", "estimate", "lower", "upper", "known")  # Columns of CSV
JUDGE_NUMBERS: Final = ("ratings", "leniency", "private", "noise", "private_and_noise")
# How the feature that tells each output from all others is said
OUTPUT_ITSELF: Final = "which output it is"


def _list_numbers(part: JudgeLikeness) -> Iterator[tuple[Any, ...]]:
    for judge, row in part.records.items():
        for what in JUDGE_NUMBERS:
            known = row[what] is not None
            ends = (row.get(f"{what}_lower"), row.get(f"{what}_upper"))
            yield (what, judge, None, row[what], *ends, known)
    for at, judge in enumerate(part.judges):
        for other in part.judges[:at]:
            one = part.both[judge, other]
            yield ("correlation", judge, other, one.correlation, one.lower, one.upper, one.known)
    for name, correlation in part.feature_correlations.items():
        yield ("feature", name, None, correlation, None, None, None)
    for error in part.table:
        more = {"mae": error.mae_more, "rmse": error.rmse_more}
        for what, value in (("mae", error.mae), ("rmse", error.rmse)):
            yield (what, error.method, None, value, None, None, None)
            gap = more[what]
            if gap is not None:
                yield (f"{what}_more", error.method, None, gap.value, gap.lower, gap.upper, None)


def _tabulate_pairs(part: JudgeLikeness) -> list[Table]:
    """Return the matrix of correlations, and the undecided pairs, the farthest from 0 first."""
    rows: list[dict[str, Any]] = []
    for at, judge in enumerate(part.judges):
        pairs = [part.both[judge, other] for other in part.judges[:at]]
        cells = {str(n): one.correlation if one.known else None for n, one in enumerate(pairs, 1)}
        blank = dict.fromkeys(map(str, range(at + 1, len(part.judges))), "")
        rows.append({"judge": f"{at + 1} {judge}", **cells, **blank})
    columns = [Column(str(n), str(n), "two") for n in range(1, len(part.judges))]
    name = Column("judge", "judge", "name")
    legend = (say("correlations"),)
    matrix = Table("similarity", "Who is alike", (name, *columns), tuple(rows), legend=legend)
    unknown = [one for one in part.pairs if not one.known]
    if not unknown:
        return [matrix]
    named = (name, Column("other", "other", "name"), *_write_correlation("", part.level))
    shown = tuple(map(asdict, sorted(unknown, key=lambda one: -abs(one.correlation))))
    caption = "Pairs that cannot be determined"
    return [matrix, Table("undecided", caption, named, shown, limit=MAX_UNKNOWN)]


def _tabulate_nearest(part: JudgeLikeness) -> Table:
    """Return a row for each judge: the mean, the nearest and the farthest of the others."""
    rows = []
    for judge in part.judges:
        others = [(other, part.both[judge, other]) for other in part.judges if other != judge]
        ranked = sorted(others, key=lambda other: -other[1].correlation)
        mean = sum(pair.correlation for _, pair in ranked) / len(ranked)
        row: dict[str, Any] = {"judge": judge, "mean": mean}
        for side, (other, one) in (("most ", ranked[0]), ("least ", ranked[-1])):
            row |= {f"{side}{key}": value for key, value in asdict(one).items()}
            row |= {f"{side}alike": other}
            row[f"{side}correlation"] = one.correlation if one.known else None
        rows.append(row)
    columns = [Column("judge", "judge", "name"), Column("mean", "others", "two")]
    for side in ("most ", "least "):
        columns.append(Column(f"{side}alike", f"{side}alike", "name"))
        columns += _write_correlation(side, part.level)
    legend = (say("nearest"),)
    return Table("similarity", "Who is alike", tuple(columns), tuple(rows), legend=legend)


def _write_correlation(side: str, level: float) -> tuple[Column, Column]:
    ends, title = (f"{side}lower", f"{side}upper"), f"{100 * level:g} % interval"
    return Column(f"{side}correlation", "r", "two"), Column(ends, title, "interval", priority=1)


def examine_likeness(
    data: Ratings,
    features: OutputFeatures,
    model: MultiTaskGP,
    how: HeldOut | None = None,
    *,
    level: float = 0.95,
    warn: Callable[[str], None] | None = None,
) -> JudgeLikeness:
    if not data.has("judge"):
        raise InvalidJudgments(
            "there is no judge column, and so nobody to be alike: name it with --column judge=NAME"
        )
    rows = features.read_rows(data)
    judges = len(np.unique(rows.judge))
    if judges < 2:
        raise InvalidJudgments(f"{judges} judge: there is nobody to be alike; two or more are")
    if model.rank > judges:
        raise InvalidJudgments(f"rank {model.rank}: {judges} judges share {judges} tastes at most")
    if warn is not None and rows.size > MAX_QUICK:
        many = f"{rows.size:,} ratings of {judges:,} judges"
        warn(f"{many}, more than {MAX_QUICK:,}: this takes minutes")
    process = model.fit(rows, features)
    models = {**MODELS, MULTI: model}
    errors = None if how is None else compare_processes(rows, features, how, models)
    return JudgeLikeness(process, level, errors)

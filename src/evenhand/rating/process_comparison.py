"""Do judges who share predict better? Processes beside each other on ratings that were held out.

    multi-task      B = W Wᵀ + diag(κ): judges share, and differ
    independent     B diagonal: a process for each judge
    pooled + means  B constant: one process, and a mean and noise for each judge
    pooled          one process: who rated does not matter
    ridge           judges' severities and features, all linear (ridge.py)
    judge mean      the mean of the judge's ratings

All learn from the same ratings and are compared on the same others. Differences are paired; their
standard errors let the ratings of one item depend on each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption, require_option
from evenhand.judgments.coding import SEED
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.grouping import number_groups
from evenhand.rating.coregion import Asked
from evenhand.rating.features import OutputFeatures
from evenhand.rating.multitask_gp import MultiTaskGP, sort_rows
from evenhand.rating.ridge import fit_ridge

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

MULTI: Final = "multi-task"
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
        by: "rating" holds out what a judge said of an output that others rated, all of it where he
            rated it twice; "item" all ratings of an item, so that only its features are known.
        share: of the other ratings that are learned from, drawn by chance.
        level: of intervals.
        seed: of both draws.

    """

    folds: int = 5
    by: Literal["rating", "item"] = "rating"
    share: float = 1.0
    level: float = 0.95
    seed: int = SEED

    def __post_init__(self) -> None:
        """Refuse settings that cannot be.

        Raises:
            UnknownOption: one fold, a share or level that is none.

        """
        require_option("by", self.by, ("rating", "item"))
        if self.folds <= 1 or not 0 < self.share <= 1 or not 0 < self.level < 1:
            raise UnknownOption(
                f"folds {self.folds}, share {self.share:g}, level {self.level:g}: two folds or"
                " more, a share above 0 and up to 1, a level between 0 and 1"
            )


@dataclass(frozen=True)
class Gap:
    """By how much an error is larger than that of the multi-task process.

    Attributes:
        estimate: in points of the scale.
        lower: end of its interval.
        upper: the other.

    """

    estimate: float
    lower: float
    upper: float


@dataclass(frozen=True)
class ProcessError:
    """How far one way to predict is off.

    Attributes:
        method: its name.
        mae: mean absolute error, in points of the scale.
        rmse: root mean squared error.
        covered: share of ratings within 90 % intervals; None without intervals.
        mae_more: by how much more than multi-task; None for itself.
        rmse_more: the same of the other.

    """

    method: str
    mae: float
    rmse: float
    covered: float | None
    mae_more: Gap | None
    rmse_more: Gap | None


@dataclass(frozen=True, eq=False)
class ProcessErrors:
    """Errors of all methods on the same held-out ratings.

    Attributes:
        residual: method → (n,) rating less prediction.
        held: method → (n,) whether the 90 % interval holds the rating; GPs only.
        item: (n,) number of each rating's item.
        left_out: ratings of judges of whom nothing was seen, which nobody predicts.

    """

    residual: Mapping[str, Array]
    held: Mapping[str, Flags]
    item: NDArray[np.int64]
    left_out: int

    def tabulate(self, level: float = 0.95) -> tuple[ProcessError, ...]:
        """Return the table of errors."""
        best = self.residual[MULTI]
        rows = []
        for name, own in self.residual.items():
            gaps: tuple[Gap | None, ...] = (None, None)
            if name != MULTI:
                gaps = _compare(own, best, (self.item, level))
            covered = float(self.held[name].mean()) if name in self.held else None
            mae, rmse = float(np.abs(own).mean()), sqrt(float((own**2).mean()))
            rows.append(ProcessError(name, mae, rmse, covered, *gaps))
        return tuple(rows)


def compare_processes(
    data: Ratings | RatingRows,
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
        InvalidJudgments: as for fits, or fewer ratings or items than folds.
        NotConverged: a fit finds no likeliest parameters.

    """
    how = HeldOut() if how is None else how
    rows = features.read_rows(data)
    rows, _ = sort_rows(rows, features.read(rows))
    rng = np.random.default_rng(how.seed)
    fold = _deal(rows, how, rng)
    parts = []
    for number in range(how.folds):
        seen = (fold != number) & (rng.random(rows.size) < how.share)
        known = np.isin(rows.judge, rows.judge[seen])
        parts.append(_predict(rows, (seen, (fold == number) & known), features, models))
    residuals, helds, items = zip(*parts, strict=True)
    return ProcessErrors(
        {name: np.concatenate([part[name] for part in residuals]) for name in residuals[0]},
        {name: np.concatenate([part[name] for part in helds]) for name in helds[0]},
        number_groups(np.concatenate(items)),
        rows.size - sum(len(item) for item in items),
    )


def pool_errors(parts: list[ProcessErrors]) -> ProcessErrors:
    """Put the errors of several tasks together; items of different tasks are different."""
    starts = np.cumsum([0, *(int(part.item.max()) + 1 for part in parts[:-1])])
    return ProcessErrors(
        {
            name: np.concatenate([part.residual[name] for part in parts])
            for name in parts[0].residual
        },
        {name: np.concatenate([part.held[name] for part in parts]) for name in parts[0].held},
        np.concatenate([part.item + start for part, start in zip(parts, starts, strict=True)]),
        sum(part.left_out for part in parts),
    )


def _deal(rows: RatingRows, how: HeldOut, rng: np.random.Generator) -> NDArray[np.int64]:
    """Give each item with its ratings a fold, or each judge and output with theirs."""
    unit = number_groups(*((rows.judge, rows.unit) if how.by == "rating" else (rows.item,)))
    units = int(unit.max()) + 1
    if units < how.folds:
        raise InvalidJudgments(f"{units} {how.by}s in {how.folds} folds: some would be empty")
    return np.asarray(rng.permutation(np.arange(units) % how.folds)[unit])


def _predict(
    rows: RatingRows,
    split: tuple[Flags, Flags],
    features: OutputFeatures,
    models: Mapping[str, MultiTaskGP],
) -> tuple[dict[str, Array], dict[str, Flags], NDArray[Any]]:
    """Learn from some rows and predict others, in every way."""
    seen, held = (rows.take(flags) for flags in split)
    residual: dict[str, Array] = {}
    within: dict[str, Flags] = {}
    for name, model in models.items():
        fit = model.fit(seen, features)
        found = fit.predict(held)
        low, high = found.interval(0.9)
        residual[name] = held.score - found.mean
        within[name] = (held.score >= low) & (held.score <= high)
    learn, scaling = fit.learned.features.read, fit.learned.scaling
    asked, aside = (
        Asked(part.judge.astype(np.int64), scaling.apply(learn(part))) for part in (seen, held)
    )
    residual[RIDGE] = held.score - fit_ridge(asked, seen.score).predict(aside)
    sums = np.bincount(seen.judge, seen.score, len(rows.judges))
    counts = np.bincount(seen.judge, minlength=len(rows.judges))
    residual[JUDGE] = held.score - sums[held.judge] / counts[held.judge]
    return residual, within, held.item


def _compare(own: Array, best: Array, by: tuple[NDArray[np.int64], float]) -> tuple[Gap, Gap]:
    """Return paired differences of both errors; ratings of one item hang together."""
    first, second = (sqrt(float((one**2).mean())) for one in (own, best))
    slopes = (own**2 - first**2) / (2 * first) - (best**2 - second**2) / (2 * second)
    return _gap(np.abs(own) - np.abs(best), by), _gap(slopes + (first - second), by)


def _gap(difference: Array, by: tuple[NDArray[np.int64], float]) -> Gap:
    item, level = by
    mean = float(difference.mean())
    sums = np.bincount(item, difference - mean)
    more = len(sums) / max(len(sums) - 1, 1)
    half = normal_quantile(0.5 + level / 2) * sqrt(more * float(sums @ sums)) / len(difference)
    return Gap(mean, mean - half, mean + half)

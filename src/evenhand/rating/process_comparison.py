"""Do judges who share predict better? Processes beside each other on ratings that were held out.

    multi-task      B = W Wᵀ + diag(κ): judges share, and differ
    independent     B diagonal: a process for each judge
    pooled + means  B constant: one process, and a mean and noise for each judge
    pooled          one process: who rated does not matter
    ridge           judges' severities and features, all linear (ridge.py)
    judge mean      the mean of the judge's ratings

All learn from the same ratings and are compared on the same others (process_errors.py), in several
splits, since one alone may speak for either side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption, require_level, require_option
from evenhand.judgments.coding import SEED
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.numerics.grouping import number_groups
from evenhand.rating.coregion import Asked
from evenhand.rating.features import OutputFeatures
from evenhand.rating.multitask_gp import MultiTaskGP, sort_rows
from evenhand.rating.process_errors import MULTI, Foreseeing, ProcessErrors
from evenhand.rating.ridge import fit_ridge

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Part = tuple[dict[str, Array], dict[str, Flags], NDArray[np.int64]]
"""Residuals, whether intervals hold, and ratings of the judge that were learned from."""

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
        """Refuse settings that cannot be.

        Raises:
            UnknownOption: one fold, a share or level that is none.

        """
        require_option("by", self.by, ("rating", "item"))
        require_level(self.level)
        if self.folds <= 1 or self.splits < 1 or not 0 < self.share <= 1:
            raise UnknownOption(
                f"folds {self.folds}, splits {self.splits}, share {self.share:g}: two folds or"
                " more, a split or more, a share above 0 and up to 1"
            )


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
        InvalidJudgments: as for fits, fewer ratings or items than folds, or nothing left to
            predict.
        NotConverged: a fit finds no likeliest parameters.

    """
    how = HeldOut() if how is None else how
    rows = features.read_rows(data)
    rows, _ = sort_rows(rows, features.read(rows))
    rng, parts, places = np.random.default_rng(how.seed), [], []
    for _ in range(how.splits):
        fold = _deal(rows, how, rng)
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
    left_out = rows.size - len(np.unique(rating))
    found = _join(parts, rating)
    judge, item = number_groups(rows.judge), number_groups(rows.item)
    return ProcessErrors(found, judge, item, np.zeros_like(item), left_out, how.level)


def _join(parts: list[Part], rating: NDArray[np.int64]) -> Foreseeing:
    residuals, helds, learned = zip(*parts, strict=True)
    return Foreseeing(
        {name: np.concatenate([part[name] for part in residuals]) for name in residuals[0]},
        {name: np.concatenate([part[name] for part in helds]) for name in helds[0]},
        rating,
        np.concatenate(learned),
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
    how: tuple[Mapping[str, MultiTaskGP], str],
) -> Part:
    """Learn from some rows and predict others, in every way."""
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
    return residual, within, counts[held.judge]

"""Outputs with features: those that have ratings, and those that wait for some.

An output's label is the mean of its ratings. Outputs are in the order of their names, so that
nothing that is drawn later depends on the order of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption, listing
from evenhand.judgments.engine import COUNT, fetch_columns, is_nan
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_groups import admit_unrated
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.wrong_kind import require_scores
from evenhand.rating.features import OUTPUT, FeatureTable, OutputFeatures

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FeaturedOutputs:
    """n outputs, in the order of their names.

    Attributes:
        items: (n,) names of their items, with the task where there are tasks.
        systems: (n,) names of their systems.
        table: features.
        label: (n,) mean rating; 0 where it is not known.
        ratings: (n,) how many ratings that is the mean of.
        digest: of the ratings and the features.
        notes: what was left out in reading.

    """

    items: tuple[str, ...]
    systems: tuple[str, ...]
    table: FeatureTable
    label: Array
    ratings: Numbers
    digest: str
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    @property
    def names(self) -> list[tuple[str, str]]:
        """Item and system of each."""
        return list(zip(self.items, self.systems, strict=True))

    @property
    def item_codes(self) -> Numbers:
        """(n,) number of each output's item."""
        return np.unique(np.array(self.items), return_inverse=True)[1].reshape(-1).astype(np.int64)

    def take(self, rows: NDArray[Any]) -> FeaturedOutputs:
        """Keep some outputs, by their numbers."""
        at = rows.tolist()
        return replace(
            self,
            items=tuple(self.items[i] for i in at),
            systems=tuple(self.systems[i] for i in at),
            table=self.table.take(rows),
            label=self.label[rows],
            ratings=self.ratings[rows],
        )


def read_outputs(data: Ratings | RatingRows, features: OutputFeatures) -> FeaturedOutputs:
    """Return the outputs that have ratings; controls and repeats are left out.

    Args:
        data: ratings of one criterion, and of one task unless that is a label.
        features: what is known of outputs.

    Raises:
        InvalidJudgments: several criteria or tasks, or a feature that is missing, or differs
            between ratings of one output.
        UnknownOption: the label "each output", which tells nothing of others.

    """
    if OUTPUT in features.labels:
        raise UnknownOption(
            f"'{OUTPUT}' is no feature to choose by: it is unlike that of every other output;"
            " name columns that are known before anybody rates, or texts"
        )
    rows = features.read_rows(data)
    _refuse_mixed(rows, features)
    items, systems = (np.array(own) for own in (rows.items, rows.systems))
    order = np.lexsort((rows.score, systems[rows.system], items[rows.item]))
    rows = rows.take(order)
    first = np.flatnonzero(np.diff(rows.output, prepend=-1))
    sizes = np.diff(first, append=rows.size)
    table = features.read(rows)
    _refuse_differing(rows, table, np.repeat(first, sizes))
    return FeaturedOutputs(
        tuple(items[rows.item[first]].tolist()),
        tuple(systems[rows.system[first]].tolist()),
        table.take(first),
        np.add.reduceat(rows.score, first) / sizes,
        sizes.astype(np.int64),
        digest_ratings(rows, [*table.numbers.T, *_number(table)]),
        rows.notes,
    )


def read_either(
    data: Ratings, features: OutputFeatures
) -> tuple[FeaturedOutputs | None, FeaturedOutputs | None]:
    """Return the outputs that have ratings, and those that only stand in rows without a score.

    Either is None where there are none. A row without a score of an output that has ratings is
    left out, once its features are seen to be the same.

    Raises:
        InvalidJudgments: no ratings; as for `read_outputs`; also features that differ between
            such rows.

    """
    require_scores(data, "outputs are chosen by ratings, not by")
    data = admit_unrated(data)
    missing = _find_missing(data)
    parts = (
        keep_rated(data),
        replace(data, frame=data.frame.filter(missing).with_columns(score=nw.lit(0.0))),
    )
    rated, waiting = (read_outputs(own, features) if _holds(own) else None for own in parts)
    if rated is None or waiting is None:
        return rated, waiting
    known = {name: row for row, name in enumerate(rated.names)}
    at = np.array([known.get(name, -1) for name in waiting.names])
    _refuse_otherwise(rated.take(at[at >= 0]), waiting.take(np.flatnonzero(at >= 0)))
    new = np.flatnonzero(at < 0)
    return rated, waiting.take(new) if len(new) else None


def keep_rated(data: Ratings) -> Ratings:
    """Leave out the rows without a score."""
    return replace(data, frame=data.frame.filter(~_find_missing(data)))


def join_outputs(rated: FeaturedOutputs | None, waiting: FeaturedOutputs) -> FeaturedOutputs:
    """Put outputs together: those with ratings first, then those that wait, with none."""
    none = replace(
        waiting, label=np.zeros(len(waiting)), ratings=np.zeros(len(waiting), dtype=np.int64)
    )
    if rated is None:
        return none
    return FeaturedOutputs(
        (*rated.items, *none.items),
        (*rated.systems, *none.systems),
        rated.table.join(none.table),
        np.concatenate([rated.label, none.label]),
        np.concatenate([rated.ratings, none.ratings]),
        sha256(f"{rated.digest} {none.digest}".encode()).hexdigest(),
        tuple(dict.fromkeys([*rated.notes, *none.notes])),
    )


def remark_counts(ratings: Numbers) -> tuple[str, ...]:
    """Say where labels rest on different numbers of ratings, which the model does not know.

    >>> remark_counts(np.array([2, 2])), len(remark_counts(np.array([1, 3])))
    ((), 1)
    """
    if not len(ratings) or np.ptp(ratings) == 0:
        return ()
    return (
        f"labels are means of {ratings.min()} to {ratings.max()} ratings: the model has one noise"
        " for all of them, and takes means of few ratings to be as sure as those of many",
    )


def _find_missing(data: Ratings) -> nw.Expr:
    """Return which rows have no score."""
    score = nw.col("score")
    if data.frame.collect_schema()["score"].is_float():
        return score.is_null() | is_nan(data.frame, "score")
    return score.is_null()


def _holds(data: Ratings) -> bool:
    """Say whether there is any row."""
    return int(fetch_columns(data.frame.select(nw.len().alias(COUNT)))[COUNT][0]) > 0


def _refuse_mixed(rows: RatingRows, features: OutputFeatures) -> None:
    """Refuse labels that are not of one kind.

    Raises:
        InvalidJudgments: several criteria; or tasks that are no feature.

    """
    for role, plural in (("criterion", "criteria"), ("task", "tasks")):
        names, codes = rows.labels(role)
        several = [names[code] for code in np.unique(codes)]
        if len(several) > 1 and (role == "criterion" or role not in features.labels):
            more = "" if role == "criterion" else f", or make '{role}' a label among the features"
            raise InvalidJudgments(
                f"ratings of several {plural} ({listing(several)}): an output has one label here;"
                f" choose one{more}"
            )


def _refuse_differing(rows: RatingRows, table: FeatureTable, first: Numbers) -> None:
    """Refuse a feature that is not the same in all rows of an output.

    Raises:
        InvalidJudgments: names the feature and an output.

    """

    def name(row: int) -> str:
        return f"{rows.items[rows.item[row]]}, {rows.systems[rows.system[row]]}"

    _refuse_unlike(table.take(first), table, name)


def _refuse_otherwise(rated: FeaturedOutputs, again: FeaturedOutputs) -> None:
    """Refuse a feature that rows without a score tell otherwise than ratings of the same outputs.

    Raises:
        InvalidJudgments: names the feature and an output.

    """
    _refuse_unlike(rated.table, again.table, lambda row: ", ".join(rated.names[row]))


def _refuse_unlike(one: FeatureTable, two: FeatureTable, name: Callable[[int], str]) -> None:
    pairs = [*zip(one.numbers.T, two.numbers.T, strict=True)]
    pairs += [*zip(one.labels.T, two.labels.T, strict=True)]
    for feature, (first, column) in zip([*one.names, *one.label_names], pairs, strict=True):
        other = np.flatnonzero(first != column)
        if len(other):
            row = int(other[0])
            raise InvalidJudgments(
                f"feature '{feature}' differs between rows of one output ({name(row)}:"
                f" {first[row]} and {column[row]}): what is known before anybody rates is the same"
                " in all rows"
            )


def _number(table: FeatureTable) -> list[Array]:
    """Return labels as numbers that a digest takes."""
    codes = [np.unique(own.astype(str), return_inverse=True)[1] for own in table.labels.T]
    return [own.reshape(-1).astype(np.float64) for own in codes]

"""What is known of an output before anybody rates it: numbers, names, and numbers from its text.

Numbers are standardised with constants that are kept, so that an output to come lies where it
would have lain among those that were learned from. A feature that is the same everywhere says
nothing and is left out, with a note.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption, listing
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.numerics.ard import Points
from evenhand.rating.text_features import measure_texts

Array = NDArray[np.float64]
Texts = NDArray[Any]

OUTPUT: Final = "each output"
"""The label that is different for each output: its item and its system."""
ROLES: Final = ("task", "item", "system", "criterion")
SAME: Final = 1e-12
"""Spread, relative to the size of a number, that is none."""


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features of n outputs, as they are.

    Attributes:
        names: of the P numbers.
        numbers: (n, P), all finite.
        label_names: of the L labels.
        labels: (n, L) texts.

    """

    names: tuple[str, ...]
    numbers: Array
    label_names: tuple[str, ...]
    labels: Texts

    def take(self, rows: NDArray[Any]) -> FeatureTable:
        """Keep some rows."""
        return FeatureTable(self.names, self.numbers[rows], self.label_names, self.labels[rows])


@dataclass(frozen=True)
class OutputFeatures:
    """Which features are read, and from where.

    Attributes:
        numbers: columns of numbers.
        labels: columns of names: two outputs are alike in one or not. "each output" tells each one
            from all others, so that what one judge said of it is known of the others' ratings.
        source_text: column of the source text, which simple numbers are found from.
        output_text: column of the output's text, likewise.

    """

    numbers: tuple[str, ...] = ()
    labels: tuple[str, ...] = (OUTPUT,)
    source_text: str | None = None
    output_text: str | None = None

    def __post_init__(self) -> None:
        """Refuse settings that cannot be.

        Raises:
            UnknownOption: no feature at all, one that is asked for twice, or the judge as one.

        """
        asked = [*self.numbers, *self.labels, *self._texts()]
        if not asked:
            raise UnknownOption("no features: name columns, or the label 'each output'")
        twice = sorted({name for name in asked if asked.count(name) > 1})
        if twice:
            raise UnknownOption(f"features are named once each: {listing(twice)} is named twice")
        if "judge" in asked:
            raise UnknownOption("the judge is no feature of an output: judges are modelled anyway")

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that must be read beside the ratings."""
        roles = {OUTPUT, *ROLES}
        return (*self.numbers, *self._texts(), *(one for one in self.labels if one not in roles))

    def _texts(self) -> list[str]:
        return [one for one in (self.source_text, self.output_text) if one is not None]

    def read_rows(self, data: Ratings | RatingRows) -> RatingRows:
        """Return the ratings of outputs with the columns that are needed beside them."""
        if isinstance(data, RatingRows):
            return data.targets()
        numbers = [data.require(name) for name in self.numbers]
        types = data.frame.collect_schema()
        floats = [nw.col(name).cast(nw.String) for name in numbers if types[name].is_float()]
        written = replace(data, frame=data.frame.with_columns(*floats)) if floats else data
        return written.rows(factors=self.columns).targets()

    def read(self, rows: RatingRows) -> FeatureTable:
        """Return the features of each rated output.

        Raises:
            InvalidJudgments: a column was not read with the ratings, or holds no numbers.

        """
        lost = [name for name in self.columns if name not in rows.factors]
        if lost:
            raise InvalidJudgments(
                f"features {listing(lost)} were not read with the ratings: pass the table itself,"
                f" or rows(factors={list(self.columns)})"
            )
        levels = [self._find_labels(rows, name) for name in self.labels]
        columns = [read_numbers(rows, name) for name in self.numbers]
        source, output = (None if one is None else _texts(rows, one) for one in self._columns())
        names, measured = measure_texts(source, output, rows.size)
        read = np.array(columns).T.reshape(rows.size, len(columns))
        labels = np.array(levels, dtype=object).T.reshape(rows.size, len(levels))
        return FeatureTable(
            (*self.numbers, *names), np.hstack([read, measured]), self.labels, labels
        )

    def _columns(self) -> tuple[str | None, str | None]:
        return self.source_text, self.output_text

    def describe(self, one: Mapping[str, float | str]) -> FeatureTable:
        """Return the features of one output that is told by column.

        Raises:
            InvalidJudgments: a feature is missing, or is no number where numbers are.

        """
        wanted = [*self.numbers, *self.labels, *self._texts()]
        lost = [name for name in wanted if name not in one]
        if lost:
            raise InvalidJudgments(f"the output's {listing(lost)} is not given: it has no default")
        read = np.array([[parse_number(name, str(one[name])) for name in self.numbers]])
        source, output = (None if name is None else [str(one[name])] for name in self._columns())
        names, measured = measure_texts(source, output, 1)
        labels = np.array([[str(one[name]) for name in self.labels]], dtype=object)
        values = np.hstack([read.reshape(1, -1), measured])
        return FeatureTable((*self.numbers, *names), values, self.labels, labels)

    def _find_labels(self, rows: RatingRows, name: str) -> Sequence[str]:
        if name != OUTPUT:
            return _texts(rows, name)
        parts = [_texts(rows, role) for role in ("item", "system")]
        return [" / ".join(pair) for pair in zip(*parts, strict=True)]

    def __str__(self) -> str:
        texts = [f"text of {one}" for one in self._texts()]
        return ", ".join([*self.numbers, *(f"{one} (label)" for one in self.labels), *texts])


@dataclass(frozen=True, eq=False)
class Scaling:
    """How features become points, with the constants of the outputs that were learned from.

    Attributes:
        names: of the numbers that are used.
        means: (P,) their means over ratings.
        deviations: (P,) their standard deviations.
        levels: label → its names, in the order of their codes; those that are used.
        constant: features that are the same everywhere, and left out.

    """

    names: tuple[str, ...]
    means: Array
    deviations: Array
    levels: Mapping[str, tuple[str, ...]]
    constant: tuple[str, ...]

    @property
    def features(self) -> tuple[str, ...]:
        """All that are used, numbers first."""
        return (*self.names, *self.levels)

    def apply(self, table: FeatureTable) -> Points:
        """Return points; a name that was not seen is unlike all that were."""
        at = [table.names.index(name) for name in self.names]
        numbers = (table.numbers[:, at] - self.means) / self.deviations
        codes = [self._code(table, name) for name in self.levels]
        n = len(table.numbers)
        return Points(numbers, np.array(codes, dtype=np.int64).reshape(len(codes), n).T)

    def _code(self, table: FeatureTable, name: str) -> list[int]:
        codes = {level: i for i, level in enumerate(self.levels[name])}
        texts = table.labels[:, table.label_names.index(name)].tolist()
        return [codes.setdefault(text, len(codes)) for text in texts]


def learn_scaling(table: FeatureTable) -> Scaling:
    """Find the constants of features.

    Raises:
        InvalidJudgments: nothing differs between outputs.

    """
    means, deviations = table.numbers.mean(axis=0), table.numbers.std(axis=0)
    moves = deviations > SAME * (1.0 + np.abs(means))
    columns = zip(table.label_names, table.labels.T, strict=True)
    levels = {name: tuple(sorted(set(column.tolist()))) for name, column in columns}
    constant = [name for name, moved in zip(table.names, moves, strict=True) if not moved]
    constant += [name for name, own in levels.items() if len(own) == 1]
    kept = {name: own for name, own in levels.items() if len(own) > 1}
    if not moves.any() and not kept:
        raise InvalidJudgments(
            f"no feature differs between the outputs that were rated ({listing(constant)}): a model"
            " of features has nothing to go by; name other columns"
        )
    names = tuple(name for name, moved in zip(table.names, moves, strict=True) if moved)
    return Scaling(names, means[moves], deviations[moves], kept, tuple(constant))


def read_numbers(rows: RatingRows, name: str) -> Array:
    """Return a column of numbers, read as a factor.

    Raises:
        InvalidJudgments: not all are numbers.

    """
    labels, codes = rows.labels(name)
    return np.array([parse_number(name, label) for label in labels])[codes]


def parse_number(name: str, text: str) -> float:
    """Return a finite number.

    Raises:
        InvalidJudgments: it is none.

    """
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise InvalidJudgments(
            f"feature '{name}' holds '{text}', which is no number: give every output one, leave"
            " such ratings out, or use the column as a label"
        )
    return value


def _texts(rows: RatingRows, name: str) -> list[str]:
    labels, codes = rows.labels(name)
    return cast("list[str]", np.array(labels, dtype=object)[codes].tolist())

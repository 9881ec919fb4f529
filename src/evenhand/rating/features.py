"""What is known of an output before anybody rates it: numbers, names, and numbers from its text.

Numbers are standardised with constants that are kept, so that an output to come lies where it
would have lain among those that were learned from. A feature that is the same everywhere says
nothing and is left out, with a note.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption, end, listing, suggest
from evenhand.judgments.names import take_names
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.wrong_kind import require_scores
from evenhand.numerics.ard import Points
from evenhand.rating.feature_reading import (
    OUTPUT,
    fold_number,
    leans,
    name_output,
    parse_number,
    read_numbers,
    read_records,
    read_texts,
    refuse_dates,
)
from evenhand.rating.text_features import measure_texts

__all__ = ["OUTPUT", "ROLES", "FeatureTable", "OutputFeatures", "Scaling", "learn_scaling"]
__all__ += ["parse_number", "read_numbers"]

Array = NDArray[np.float64]
Texts = NDArray[Any]

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

    def join(self, other: FeatureTable) -> FeatureTable:
        """Put outputs with the same features below these."""
        numbers = np.vstack([self.numbers, other.numbers])
        labels = np.vstack([self.labels, other.labels])
        return FeatureTable(self.names, numbers, self.label_names, labels)


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
        for name in ("numbers", "labels"):
            object.__setattr__(self, name, take_names(getattr(self, name)))
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
        return [one for one in self._pair if one is not None]

    @property
    def _pair(self) -> tuple[str | None, str | None]:
        return self.source_text, self.output_text

    def read_rows(self, data: Ratings | RatingRows) -> RatingRows:
        """Return the ratings of outputs with the columns that are needed beside them."""
        table = require_scores(data, "features are read beside ratings, not beside")
        if isinstance(table, RatingRows):
            return table.targets()
        numbers = [table.require(name) for name in self.numbers]
        types = table.frame.collect_schema()
        refuse_dates(types, numbers)
        floats = [nw.col(name).cast(nw.String) for name in numbers if types[name].is_float()]
        written = replace(table, frame=table.frame.with_columns(*floats)) if floats else table
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
        source, output = (None if one is None else read_texts(rows, one) for one in self._pair)
        return self._join(columns, levels, (source, output), rows.size)

    def describe(self, one: Mapping[str, float | str]) -> FeatureTable:
        """Return the features of one output that is told by column.

        Raises:
            InvalidJudgments: as for `tabulate`.

        """
        return self.tabulate([one])

    def tabulate(self, outputs: Sequence[Mapping[str, Any]] | Any) -> FeatureTable:
        """Return the features of outputs that nobody need have rated.

        Args:
            outputs: a table with a column for each feature, or a mapping of them for each output.
                "each output" may be told by `item` and `system`.

        Raises:
            InvalidJudgments: a feature is missing, or is no number where numbers are.

        """
        told = read_records(outputs)
        wanted = [*self.numbers, *self.labels, *self._texts()]
        for one in told:
            lost = [name for name in wanted if name not in one]
            if lost:
                raise InvalidJudgments(
                    f"the output's {listing(lost)} is not given: it has no default"
                )
        numbers = [[parse_number(name, str(one[name])) for one in told] for name in self.numbers]
        source, output = (
            None if name is None else [str(one[name]) for one in told] for name in self._pair
        )
        labels = [[str(one[name]) for one in told] for name in self.labels]
        return self._join(numbers, labels, (source, output), len(told))

    def _join(
        self,
        numbers: Sequence[Any],
        labels: Sequence[Sequence[str]],
        texts: tuple[Sequence[str] | None, Sequence[str] | None],
        size: int,
    ) -> FeatureTable:
        names, measured = measure_texts(*texts, size)
        read = np.array(numbers, dtype=np.float64).T.reshape(size, len(numbers))
        levels = np.array(labels, dtype=object).T.reshape(size, len(labels))
        values = np.hstack([read, measured])
        return FeatureTable((*self.numbers, *names), values, self.labels, levels)

    def _find_labels(self, rows: RatingRows, name: str) -> Sequence[str]:
        if name != OUTPUT:
            return read_texts(rows, name)
        parts = (read_texts(rows, role) for role in ("task", "item", "system"))
        return [name_output(*one) for one in zip(*parts, strict=True)]

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
        heavy: numbers of which one value carries most of the variance.

    """

    names: tuple[str, ...]
    means: Array
    deviations: Array
    levels: Mapping[str, tuple[str, ...]]
    constant: tuple[str, ...]
    heavy: tuple[str, ...] = ()

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
        return [codes.setdefault(text, len(codes)) for text in self._fold(table, name)]

    def _fold(self, table: FeatureTable, name: str) -> list[str]:
        """Return the names of a label; whole numbers are one name, 2.0 as 2."""
        known = {fold_number(level): level for level in reversed(self.levels[name])}
        seen = set(self.levels[name])
        texts = table.labels[:, table.label_names.index(name)].tolist()
        return [text if text in seen else known.get(fold_number(text), text) for text in texts]

    def find_unseen(self, table: FeatureTable) -> tuple[str, ...]:
        """Say which names of labels were never seen, where they do not tell outputs apart."""
        found = []
        for name, levels in self.levels.items():
            strange = sorted(set(self._fold(table, name)) - set(levels))
            if strange and name not in (OUTPUT, "item"):
                hint = end(suggest(strange[0].strip(), levels))
                found.append(
                    f"'{name}' was never {listing([repr(one) for one in strange], 3)} where ratings"
                    f" were seen: taken as unlike all that was{hint}"
                )
        return tuple(found)


def learn_scaling(table: FeatureTable) -> Scaling:
    """Find the constants of features.

    Raises:
        InvalidJudgments: nothing differs between outputs, or a number is too large to square.

    """
    with np.errstate(over="ignore", invalid="ignore"):
        means, deviations = table.numbers.mean(axis=0), table.numbers.std(axis=0)
    finite = np.isfinite(means) & np.isfinite(deviations)
    if not finite.all():
        huge = [name for name, fine in zip(table.names, finite, strict=True) if not fine]
        raise InvalidJudgments(f"features {listing(huge)} are too large: divide them by a constant")
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
    heavy = [name for name, own in zip(table.names, table.numbers.T, strict=True) if leans(own)]
    return Scaling(names, means[moves], deviations[moves], kept, tuple(constant), tuple(heavy))

"""What is known of an output before anybody rates it: numbers, names, and numbers from its text.

Numbers are standardised with constants that are kept, so that an output to come lies where it
would have lain among those that were learned from. A feature that is the same everywhere says
nothing and is excluded, with a note.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any, Final, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.controls import Openable, require_scores, takes_judgments
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings
from evenhand.data.tally import take_names
from evenhand.errors import InvalidJudgments, UnknownOption, listing, sentence_hint, suggest
from evenhand.numerics import Array
from evenhand.numerics.gaussian_process import Points
from evenhand.ratings.texts import say
from evenhand.render.document import Finding

# The label that is different for each output: its item and its system
OUTPUT: Final = "each output"
MAX_SHARE_OF_ONE_VALUE: Final = 0.9  # Of a number's variance, beyond which it hides all others


def name_output(task: str, item: str, system: str) -> str:
    r"""Return the name of an output as the label "each output" has it.

    A slash within a name is written \/, so that no two outputs share theirs.
    """
    parts = [task, item, system] if task else [item, system]
    return " / ".join(part.replace("\\", "\\\\").replace("/", "\\/") for part in parts)


def read_records(outputs: Sequence[Mapping[str, Any]] | Any) -> list[Mapping[str, Any]]:
    """Return a mapping of columns for each row of a table, "each output" added where it can be."""
    if not isinstance(outputs, Sequence):
        outputs = list(nw.from_native(outputs, eager_only=True).iter_rows(named=True))
    records: list[Mapping[str, Any]] = []
    for record in outputs:
        if OUTPUT not in record and "item" in record:
            parts = (str(record.get(role, "")) for role in ("task", "item", "system"))
            records.append({**record, OUTPUT: name_output(*parts)})
        else:
            records.append(record)
    return records


def fold_number(text: str) -> str:
    try:
        value = float(text)
    except ValueError:
        return text
    return str(int(value)) if value.is_integer() else text


def parse_number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        comma = " (decimals are written with a point)" if "," in text else ""
        raise InvalidJudgments(
            f"feature '{name}' holds '{text}', which is not a number{comma}: give every output one,"
            " leave such ratings out, or use the column as a label"
        )
    return value


def read_texts(rows: RatingRows, name: str) -> list[str]:
    labels, codes = rows.labels(name)
    return cast("list[str]", np.array(labels, dtype=object)[codes].tolist())


# Numbers that a source and an output text have without any model of language.
#
# Tokens are runs of letters, marks and digits in folded case. Characters of scripts that put no
# blanks between words (Han, kana, Thai, Lao, Khmer, Burmese) are tokens by themselves. Texts are
# put into Unicode's composed form (NFC) first, so that é is one character however it was typed.

# Characters that are tokens by themselves
SINGLE_CHARACTER_TOKENS: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
ONE_TEXT: Final = (
    *("log characters", "log tokens", "type-token ratio"),
    *("punctuation share", "digit share"),
)
TWO_TEXTS: Final = ("log length ratio", "overlap")


def split_tokens(text: str) -> list[str]:
    tokens, run = [], ""
    for character in unicodedata.normalize("NFC", text).casefold():
        alone = SINGLE_CHARACTER_TOKENS.match(character) is not None
        inside = unicodedata.category(character)[0] in "LMN"
        if run and (alone or not inside):
            tokens.append(run)
            run = ""
        if alone and inside:
            tokens.append(character)
        elif inside:
            run += character
    return [*tokens, run] if run else tokens


def measure_text(text: str) -> tuple[float, ...]:
    """Return the numbers of ONE_TEXT.

    Logarithms are natural and of 1 + a count. The type-token ratio is different tokens over tokens,
    1 where there are none. Shares are of the characters, 0 where there are none.
    """
    composed, tokens = unicodedata.normalize("NFC", text), split_tokens(text)
    kinds = [unicodedata.category(character) for character in composed]
    length = max(len(composed), 1)
    return (
        log(1 + len(composed)),
        log(1 + len(tokens)),
        len(set(tokens)) / len(tokens) if tokens else 1.0,
        sum(kind[0] == "P" for kind in kinds) / length,
        sum(kind == "Nd" for kind in kinds) / length,
    )


def compare_texts(source: str, output: str) -> tuple[float, float]:
    """Return the numbers of TWO_TEXTS.

    The ratio is log (1 + characters of the output) - log (1 + those of the source). The overlap is
    the share of the output's different tokens that the source has as well, 0 without tokens: names
    and numbers that were carried over, or text left untranslated.
    """
    sizes = [len(unicodedata.normalize("NFC", text)) for text in (source, output)]
    given, made = set(split_tokens(source)), set(split_tokens(output))
    ratio = log(1 + sizes[1]) - log(1 + sizes[0])
    return ratio, len(given & made) / len(made) if made else 0.0


ROLES: Final = ("task", "item", "system", "criterion")
MIN_SPREAD: Final = 1e-12  # Relative to the size of a number: less is none


@dataclass(frozen=True, eq=False)
class FeatureTable:
    names: tuple[str, ...]  # of the P numbers
    numbers: Array  # (n, P), all finite
    label_names: tuple[str, ...]  # of the L labels
    labels: NDArray[Any]  # (n, L) texts

    def take(self, rows: NDArray[Any]) -> FeatureTable:
        return FeatureTable(self.names, self.numbers[rows], self.label_names, self.labels[rows])

    def join(self, other: FeatureTable) -> FeatureTable:
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
        for name in ("numbers", "labels"):
            object.__setattr__(self, name, take_names(getattr(self, name)))
        names = self._names
        if not names:
            raise UnknownOption("no features: name columns, or the label 'each output'")
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise UnknownOption(f"features are named once each: {listing(twice)} is named twice")
        if "judge" in names:
            raise UnknownOption("the judge is no feature of an output: judges are modelled anyway")

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that must be read beside the ratings."""
        roles = {OUTPUT, *ROLES}
        labels = (label for label in self.labels if label not in roles)
        return (*self.numbers, *self._texts(), *labels)

    def _texts(self) -> list[str]:
        return [column for column in self._pair if column is not None]

    @property
    def _names(self) -> list[str]:
        return [*self.numbers, *self.labels, *self._texts()]

    @property
    def _pair(self) -> tuple[str | None, str | None]:
        return self.source_text, self.output_text

    @takes_judgments("data")
    def read_rows(self, data: Ratings | RatingRows | Openable) -> RatingRows:
        """Return the ratings of outputs with the columns that are needed beside them."""
        table = require_scores(data, "features are read beside ratings, not beside")
        if isinstance(table, RatingRows):
            return table.targets()
        numbers = [table.require(name) for name in self.numbers]
        types = table.frame.collect_schema()
        for name in numbers:
            if types[name].is_temporal():
                raise InvalidJudgments(
                    f"feature '{name}' holds dates or times ({types[name]}), which are no numbers:"
                    " turn them into days since one of them, or use the column as a label in text"
                )
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
        columns = {name: read_texts(rows, name) for name in self._names if name != OUTPUT}
        if OUTPUT in self.labels:
            parts = (read_texts(rows, role) for role in ("task", "item", "system"))
            columns[OUTPUT] = [name_output(*each) for each in zip(*parts, strict=True)]
        return self._measure(columns, rows.size)

    def tabulate(self, outputs: Sequence[Mapping[str, Any]] | Any) -> FeatureTable:
        """Return the features of outputs that nobody need have rated.

        Args:
            outputs: a table with a column for each feature, or a mapping of them for each output.
                "each output" may be told by `item` and `system`.

        Raises:
            InvalidJudgments: a feature is missing, or is not a number where numbers are.
        """
        records = read_records(outputs)
        for record in records:
            lost = [name for name in self._names if name not in record]
            if lost:
                raise InvalidJudgments(
                    f"the output's {listing(lost)} is not given: it has no default"
                )
        columns = {name: [str(record[name]) for record in records] for name in self._names}
        return self._measure(columns, len(records))

    def _measure(self, columns: Mapping[str, Sequence[str]], size: int) -> FeatureTable:
        """Return the features of outputs by columns of texts; each different text is read once."""
        names, parts = [*self.numbers], [np.empty((size, len(self.numbers)))]
        for at, name in enumerate(self.numbers):
            read = {text: parse_number(name, text) for text in sorted(set(columns[name]))}
            parts[0][:, at] = [read[text] for text in columns[name]]
        texts = [None if name is None else columns[name] for name in self._pair]
        for name, texts_of in zip(("source", "output"), texts, strict=True):
            if texts_of is not None:
                names += [f"{name} {one}" for one in ONE_TEXT]
                known = {text: measure_text(text) for text in set(texts_of)}
                rows = [known[text] for text in texts_of]
                parts.append(np.array(rows).reshape(-1, len(ONE_TEXT)))
        source, output = texts
        if source is not None and output is not None:
            names += TWO_TEXTS
            pairs = list(zip(source, output, strict=True))
            both = {pair: compare_texts(*pair) for pair in set(pairs)}
            parts.append(np.array([both[pair] for pair in pairs]))
        labels = np.array([columns[name] for name in self.labels], dtype=object).T
        levels = labels.reshape(size, len(self.labels))
        return FeatureTable(tuple(names), np.hstack(parts), self.labels, levels)

    def __str__(self) -> str:
        labels = [f"{name} (label)" for name in self.labels]
        return ", ".join([*self.numbers, *labels, *(f"text of {name}" for name in self._texts())])


@dataclass(frozen=True, eq=False)
class Scaling:
    names: tuple[str, ...]  # of the numbers that are used
    means: Array  # (P,) their means over ratings
    deviations: Array  # (P,) their standard deviations
    levels: Mapping[str, tuple[str, ...]]  # used label → its names, by their codes
    constant: tuple[str, ...]  # features that are the same everywhere, and left out
    heavy: tuple[str, ...] = ()  # numbers of which one value carries most of the variance

    @property
    def features(self) -> tuple[str, ...]:
        return (*self.names, *self.levels)

    def apply(self, table: FeatureTable) -> Points:
        """Return points; a name that was not seen is unlike all that were."""
        at = [table.names.index(name) for name in self.names]
        numbers = (table.numbers[:, at] - self.means) / self.deviations
        labels = np.empty((len(table.numbers), len(self.levels)), dtype=np.int64)
        for column, (name, levels) in enumerate(self.levels.items()):
            codes = {level: i for i, level in enumerate(levels)}
            texts = self._fold(table, name)
            labels[:, column] = [codes.setdefault(text, len(codes)) for text in texts]
        return Points(numbers, labels)

    def _fold(self, table: FeatureTable, name: str) -> list[str]:
        """Return the names of a label; whole numbers are one name, 2.0 as 2."""
        known = {fold_number(level): level for level in reversed(self.levels[name])}
        seen = set(self.levels[name])
        texts = table.labels[:, table.label_names.index(name)].tolist()
        return [text if text in seen else known.get(fold_number(text), text) for text in texts]

    def find_unseen(self, table: FeatureTable) -> tuple[Finding, ...]:
        """Say which names of labels were never seen, where they do not tell outputs apart."""
        notes = []
        for name, levels in self.levels.items():
            strange = sorted(set(self._fold(table, name)) - set(levels))
            if strange and name not in (OUTPUT, "item"):
                hint = sentence_hint(suggest(strange[0].strip(), levels))
                values = listing(list(map(repr, strange)), 3)
                notes.append(say("value-unseen", name=name, values=values, hint=hint or "."))
        return tuple(notes)


def learn_scaling(table: FeatureTable) -> Scaling:
    with np.errstate(over="ignore", invalid="ignore"):
        means, deviations = table.numbers.mean(axis=0), table.numbers.std(axis=0)
    finite = np.isfinite(means) & np.isfinite(deviations)
    if not finite.all():
        huge = [name for name, fine in zip(table.names, finite, strict=True) if not fine]
        raise InvalidJudgments(f"features {listing(huge)} are too large: divide them by a constant")
    moves = deviations > MIN_SPREAD * (1.0 + np.abs(means))
    columns = zip(table.label_names, table.labels.T, strict=True)
    levels = {name: tuple(sorted(set(column.tolist()))) for name, column in columns}
    constant = [name for name, moved in zip(table.names, moves, strict=True) if not moved]
    constant += [name for name, values in levels.items() if len(values) == 1]
    varied = {name: values for name, values in levels.items() if len(values) > 1}
    if not moves.any() and not varied:
        raise InvalidJudgments(
            f"no feature differs between the outputs that were rated ({listing(constant)}): a model"
            " of features has nothing to go by; name other columns"
        )
    names = tuple(name for name, moved in zip(table.names, moves, strict=True) if moved)
    heavy = []  # numbers of which one of more than two different values has most of the variance
    for name, values in zip(table.names, table.numbers.T, strict=True):
        known, code = np.unique(values, return_inverse=True)
        if len(known) > 2:
            size = np.abs(values - values.mean()) / np.abs(values - values.mean()).max()
            carried = np.bincount(code.reshape(-1), size**2)
            if carried.max() > MAX_SHARE_OF_ONE_VALUE * carried.sum():
                heavy.append(name)
    return Scaling(names, means[moves], deviations[moves], varied, tuple(constant), tuple(heavy))

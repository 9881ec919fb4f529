"""What a table of comparisons may not hold, and its labels as integer codes.

Faults are looked for on cells and named by rows. Codes are made in the engine: one key a row for
counting, or codes row by row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from math import prod
from operator import or_
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data import engine
from evenhand.data.conditions import advise_unequal, advise_without
from evenhand.data.engine import (
    COUNT,
    Columns,
    Frame,
    fetch_batches,
    fetch_columns,
    label_frame,
    one_thread,
    quote_name,
)
from evenhand.data.joining import number_places
from evenhand.data.labels import (
    OUTCOMES,
    Complete,
    Outcome,
    is_missing,
    read_outcome,
    refuse_unknown,
)
from evenhand.data.source import Source, find_rows, name_rows, repeats_header
from evenhand.data.tables import BOUND_BY, TASK_BOUND, ComparisonTable, JudgmentTable
from evenhand.data.tally import Codes, Counts, Factor, first_of_each, join_codes, snake
from evenhand.errors import InvalidJudgments, MissingOutcomes, PaddedLabels, UnknownFormat, listing
from evenhand.numerics.graph import find_hashes

if TYPE_CHECKING:
    import duckdb


REMEDY: Final = (
    "labels are compared exactly, take the blanks out, with TRIM() in a spreadsheet or .str.strip()"
    " in pandas"
)
MAX_LABELS_NAMED: Final = 10  # Most labels of a column that a refusal names


def check_labels(
    data: ComparisonTable, frame: engine.Frame, labels: Mapping[str, Sequence[str | None]]
) -> dict[str, int]:
    """Refuse missing labels, outer blanks and unknown outcomes; return what each outcome means."""
    if data.rankings is not None:  # whose rows are those of the file, as those of pairs are not
        whole = {role: names for role, names in labels.items() if data.rankings.has(role)}
        refuse_unnamed_levels(data.rankings.frame, whole, data.source)
    refuse_unnamed_levels(frame, labels, data.source, data.outcome_labels)
    meaning = {
        label: read_outcome(label, data.outcome_labels)
        for label in labels["outcome"]
        if label is not None
    }
    unknown = sorted(label for label, outcome in meaning.items() if outcome is None)
    if unknown:
        matches = find_rows(frame, nw.col("outcome").is_in(unknown))
        file = "" if data.source.name == Source.name else f" of {data.source.name}"
        rows = f"{file}{name_rows(matches)}"
        where = f" in column '{data.source.named('outcome')}'{rows}"
        if data.source.named("outcome") in unknown:
            # the column's name as a value: a header in the middle
            again = find_rows(frame, nw.col("outcome") == data.source.named("outcome"))
            raise InvalidJudgments(repeats_header(data.source.name, name_rows(again)))
        # Refuse outcomes that name the winner, with the way to read them.
        systems = {*labels["left"], *labels["right"]}
        named = [label for label in unknown if label in systems]
        if named and isinstance(data.outcome_labels, Complete):
            raise InvalidJudgments(
                f"unknown outcome '{named[0]}'{where}: it is the name of a system that its row does"
                " not compare: correct the row"
            )
        if named:
            raise InvalidJudgments(
                f"unknown outcome '{named[0]}'{where}: it is the name of a system; where each row"
                " names its winner, read it with --from crowd-kit, in Python format='crowd_kit'"
            )
        # Labels such as "A wins" of systems A, B and C, where A is no side, or a name but for case
        every = sorted(filter(None, systems), key=lambda one: (-len(one), one))
        folded = {one.casefold(): one for one in every}
        names = rf"(?<!\w)(?:{'|'.join(map(re.escape, every))})(?!\w)"
        alike = {one: folded[one.casefold()] for one in unknown if one.casefold() in folded}
        found = {one: {*re.findall(names, one)} for one in unknown if one not in alike}
        phrases = alike | {one: next(iter(some)) for one, some in found.items() if len(some) == 1}
        if alike or len({*phrases.values()}) > 1 or phrases.keys() == {*unknown}:
            label, name = next(iter(phrases.items()))
            raise InvalidJudgments(
                f"unknown outcome {listing([*map(repr, phrases)], 5)}{where}: '{label}' holds"
                f" the name of system {name} and no side; write the name of the winner alone,"
                f" '{name}', and read it with --from crowd-kit, in Python format='crowd_kit'"
            )
        refuse_unknown(unknown, where, data.outcome_labels, every=labels["outcome"])
    return {label: OUTCOMES.index(o) for label, o in meaning.items() if o is not None}


def refuse_unnamed_levels(
    frame: engine.Frame,
    labels: Mapping[str, Sequence[str | None]],
    source: Source,
    outcome_labels: Mapping[str, Outcome] | None = None,
) -> None:
    """Refuse missing labels and outer blanks; outcomes such as "NaN" are missing too."""
    missing: dict[str, list[str | None]] = {}
    for column, names in labels.items():
        known = outcome_labels if column == "outcome" else None
        gap = [one for one in names if not one or (column == "outcome" and is_missing(one, known))]
        if gap:
            missing[column] = gap
    if missing:
        # Where values are missing, under which labels, and what leaves such rows out
        parts, filters = [], {}
        for column, gap in missing.items():
            words = sorted(one for one in gap if one)
            empty = nw.col(column).is_null() | nw.col(column).is_in(["", *words])
            rows, name = find_rows(frame, empty), source.named(column)
            if column == "item" and source.turn:  # an item is a question and a turn
                name = source.turn if find_rows(frame, nw.col(source.turn).is_null(), 1) else name
            named = f" ({_count_each(frame, column, words)})" if words else ""
            where = f"'{name}' of {source.name}{named}{name_rows(rows)}"
            parts.append(f"a value is missing in column {where}")
            filters[name] = [one for one in gap if one is not None]
        fill = "fill it" if len(parts) == 1 else "fill them"
        refusal = MissingOutcomes if {*missing} == {"outcome"} else InvalidJudgments
        raise refusal(
            f"{'; '.join(parts)}: {fill}, or leave such rows out ({advise_without(frame, filters)})"
        )
    padded = {
        column: [label for label in names if label and not is_name(label)]
        for column, names in labels.items()
    }
    refuse_padded(frame, padded, source)


def is_name(label: str | None) -> bool:
    """Say whether a label is there and has no blank before or after it."""
    return label is not None and label != "" and label == label.strip()


def find_padded(frame: engine.Frame, columns: Sequence[str]) -> dict[str, list[str]]:
    padded = {}
    for column in columns:
        label = nw.col(column)
        odd = frame.filter(label.str.strip_chars() != label).select(column).unique()
        padded[column] = sorted(engine.fetch_columns(odd)[column].tolist())
    return padded


def refuse_padded(frame: engine.Frame, padded: Mapping[str, Sequence[str]], source: Source) -> None:
    """Refuse labels with a blank before or after them, all columns at once."""
    bad = {column: list(labels) for column, labels in padded.items() if labels}
    if not bad:
        return
    if sum(map(len, bad.values())) == 1:
        ((column, (label,)),) = bad.items()
        rows = name_rows(find_rows(frame, nw.col(column) == label))
        where = f"'{source.named(column)}' of {source.name}{rows}"
        raise PaddedLabels(
            f"label '{label}' in column {where} has a blank before or after it: {REMEDY}"
        )
    clauses = [
        f"{_count_each(frame, column, labels)} in column '{source.named(column)}'"
        for column, labels in bad.items()
    ]
    raise PaddedLabels(
        f"labels of {source.name} have a blank before or after them: {'; '.join(clauses)}. {REMEDY}"
    )


def _count_each(frame: engine.Frame, column: str, labels: Sequence[str]) -> str:
    """List labels with the number of their rows, most rows first."""
    there = frame.filter(nw.col(column).is_in(list(labels)))
    answers = engine.ANSWER in frame.collect_schema().names()  # a row may have become several
    there = there.select(column, engine.ANSWER).unique() if answers else there
    size = engine.count_labels(there, column)
    most = sorted(size, key=lambda label: (-size[label], label))
    counts = [f"'{label}' ({size[label]:,} row{'s' * (size[label] != 1)})" for label in most]
    return listing(counts, MAX_LABELS_NAMED)


def check_opponents(
    data: ComparisonTable, frame: engine.Frame, systems: Sequence[str], left: Codes, right: Codes
) -> None:
    same = np.flatnonzero(left == right)
    if len(same):
        rows = name_rows(find_rows(frame, nw.col("left") == nw.col("right")))
        name, where = systems[left[same[0]]], f"in {data.source.name}{rows}"
        if data.rankings is None and data.expanded:
            raise InvalidJudgments(
                f"'{name}' stands on both sides {where}, alone or in the name of a merged output:"
                " exclude these rows, or read the names as they are (--system-separator '', in"
                " Python system_separator='')"
            )
        remedy = ""
        if data.rankings is None and not data.source.laid_out:
            sides = map(data.source.named, ("left", "right"))
            remedy = f" ({advise_unequal(data.frame, *sides)})"
        raise InvalidJudgments(
            f"'{name}' is compared with itself {where}: give the two outputs different names of"
            f" systems, or leave such rows out{remedy}"
        )


# Largest weight: up to here every whole number is a float of its own, and squares are finite
LARGEST: Final = 2.0**53


def explain_empty(data: ComparisonTable, zero: int) -> InvalidJudgments:
    name = data.source.name
    if zero:
        rows = "the only row" if zero == 1 else f"all {zero:,} rows"
        return InvalidJudgments(
            f"the weight of {rows} of {name} is 0, so that none counts: correct the column"
            f" '{data.source.named('weight')}'"
        )
    every = data.rankings.count() if data.rankings is not None else 0
    if data.rankings is not None and every:
        blank = data.rankings.count_blank()
        one = f", and {every - blank:,} rank one output only" if every > blank else ""
        return InvalidJudgments(
            f"no two outputs are ranked in {name}: {blank:,} of {every:,} rankings are blank{one};"
            f" is '{data.source.named('rank')}' the column of ranks?"
        )
    return InvalidJudgments(f"no judgments in {name}: nothing to count; is a condition too narrow?")


@dataclass(frozen=True, eq=False)
class Weighing:
    """How rows count: the frame without zero weights, and what to sum."""

    frame: engine.Frame  # the rows that count
    column: str | None  # the weight column, or None where each row counts once
    zero: int  # number of rows excluded
    importance: bool  # whether squared weights are needed

    def sums(self) -> list[nw.Expr]:
        if self.column is None:
            return [nw.len().alias(engine.COUNT)]
        sums = [nw.col(self.column).sum().alias(engine.COUNT)]
        squares = [nw.col("evenhand_square").sum().alias(engine.SQUARES)]
        return [*sums, *squares] if self.importance else sums


def read_weights(data: ComparisonTable) -> Weighing:
    # Squares of small integers would not fit into their own type, and sums of single-precision
    # numbers lose what is added last.
    if not data.has("weight"):
        return Weighing(data.frame, None, 0, importance=False)
    weight = nw.col("weight")
    importance = data.weights == "importance"
    kind = data.frame.collect_schema()["weight"]
    faults = [(weight.is_null(), "is missing")]
    if kind.is_float():
        faults.append((~engine.is_finite(data.frame, "weight"), "is not a finite number"))
    faults += [
        (weight < 0, "is negative: correct it, or leave the row out (0 does that too)"),
        (
            weight > (int(LARGEST) if kind.is_integer() else LARGEST),
            "is too large: a row can stand for 2^53 judgments at most",
        ),
    ]
    if not importance:
        what = (
            "is a fraction, but weights are frequencies (a row stands for that many judgments);"
            " importance weights: --weights importance, in Python weights='importance'"
        )
        faults.append((weight != weight.round(), what))
    # one query where nothing is wrong
    if find_rows(data.frame, reduce(or_, [condition for condition, _ in faults]), limit=1):
        for condition, what in faults:
            if rows := find_rows(data.frame, condition):
                value = "" if what == "is missing" else f" '{rows[0]['weight']:g}'"
                shown = f"'{data.source.named('weight')}' of {data.source.name}{name_rows(rows)}"
                raise InvalidJudgments(f"weight{value} in column {shown} {what}")
    zero = engine.count_rows(data.frame.filter(weight == 0))
    frame = data.frame.filter(weight > 0).with_columns(weight.cast(nw.Float64))
    if importance:
        frame = frame.with_columns(evenhand_square=weight * weight)
    return Weighing(frame, "weight", zero, importance=importance)


DENSE: Final = 50_000_000  # Most cells that are counted in one array
SEED: Final = 20131
KEY: Final = "evenhand_key"
_CODE: Final = "evenhand_"  # stands before the name of a column whose codes are added
STREAMED: Final = 20_000_000  # Most rows that leave the engine as one integer each
Keys: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
# The different keys without their outcome digit, and (C, 3) counts
Cells: TypeAlias = tuple[Keys, NDArray[np.integer[Any]] | NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Coding:
    name: str  # the column
    labels: Sequence[str]  # its labels
    codes: NDArray[np.int64]  # (labels,) code of each
    size: int  # number of different codes
    loads: Counts  # (labels,) rows of each; empty where nobody asks
    merged: bool = False  # whether several labels share a code


def make_factor(level: Coding, codes: Codes) -> Factor:
    clusters = level.codes.astype(np.int32) if level.merged else None
    return Factor(tuple(level.labels), codes, level.loads, level.size, level.merged, clusters)


def prepare_rows(
    data: ComparisonTable, by: Sequence[str]
) -> tuple[list[str], Weighing, Frame, Frame]:
    """Return the columns that are counted by, how rows count, those that do, and all rows."""
    # Labels of both frames are text; the second is for messages, which number its rows.
    weighing = read_weights(data)
    keys = [*by, "left", "right", "outcome"]
    frames = [weighing.frame, data.frame] if weighing.zero else [weighing.frame]
    named = [bind_to_task(data, by, name_levels(data, keys, frame)) for frame in frames]
    return keys, weighing, named[0], named[-1]


def code_tables(
    by: Sequence[str],
    counted: Mapping[str, Mapping[str, float]],
    meaning: Mapping[str, int],
    limits: Mapping[str, int],
) -> list[Coding]:
    """Give the levels of factors, both sides and outcomes their codes, in this order."""
    systems, outcomes = sorted({*counted["left"], *counted["right"]}), list(meaning)
    k, none = np.arange(len(systems)), np.zeros(0)
    levels = []
    for name in by:
        labels = sorted(counted[name])
        loads = np.array([counted[name][label] for label in labels], dtype=np.float64)
        limit = len(labels) if "task" in by else limits.get(name, len(labels))
        merged = len(labels) > limit  # into as many clusters, of about equal load
        codes = snake(loads, limit, SEED).astype(np.int64) if merged else np.arange(len(labels))
        levels.append(Coding(name, labels, codes, min(limit, len(labels)), loads, merged))
    sides = [Coding(name, systems, k, len(systems), none) for name in ("left", "right")]
    meant = np.array([meaning[label] for label in outcomes], dtype=np.int64)
    return [*levels, *sides, Coding("outcome", outcomes, meant, 3, none)]


def read_keys(
    data: ComparisonTable,
    frame: Frame,
    tables: Sequence[Coding],
    columns: Sequence[str],
    *,
    in_batches: bool,
) -> Iterator[Columns]:
    """Yield one integer per row as "key", and numeric columns beside it; all rows, or batches."""
    joined = add_key(data, frame, tables)
    keys = [KEY] if joined is not None else [table.name for table in tables]
    rows = (frame if joined is None else joined).select(*keys, *columns)
    for fetched in fetch_batches(rows) if in_batches else [fetch_columns(rows)]:
        if joined is not None:
            yield {**fetched, "key": fetched[KEY]}
            continue
        key = np.zeros(len(fetched["outcome"]), dtype=np.int64)
        for table in tables:
            place = dict(zip(table.labels, table.codes.tolist(), strict=True))
            codes = map(place.__getitem__, fetched[table.name].tolist())
            try:
                digits = np.fromiter(codes, dtype=np.int64, count=len(key))
            except KeyError as error:
                raise UnknownFormat(
                    f"{data.source.name} was changed while it was read: '{error.args[0]}' was not"
                    f" in column '{data.source.named(table.name)}' before; read a copy of it"
                ) from None
            key = key * table.size + digits
        yield {**fetched, "key": key}


def add_key(data: ComparisonTable, frame: Frame, tables: Sequence[Coding]) -> Frame | None:
    # None where the engine cannot be handed a table of labels.
    unit = prod(table.size for table in tables)
    if unit > np.iinfo(np.int64).max:
        return None
    coded: dict[str, tuple[Sequence[str], NDArray[np.int64]]] = {}
    for table in tables:  # codes come multiplied: a constant in a query would import pandas
        unit //= table.size
        coded[table.name] = table.labels, table.codes * unit
    joined = _join_codes(frame, coded, data.source.connection)
    if joined is None:
        return None
    narrow = nw.Int32 if fits_narrow(tables) else nw.Int64
    first, *others = (nw.col(f"{_CODE}{name}").cast(narrow) for name in coded)
    return joined.with_columns(sum(others, first).alias(KEY))


def _join_codes(
    frame: Frame,
    coded: Mapping[str, tuple[Sequence[str | None], NDArray[np.int64]]],
    connection: duckdb.DuckDBPyConnection | None,
) -> Frame | None:
    """Add the codes of columns; None where a label is missing, or none can be handed over."""
    for name, (labels, codes) in coded.items():
        columns: dict[str, Any] = {name: labels, f"{_CODE}{name}": codes}
        # a join would drop what has no label
        table = None if None in labels else label_frame(frame, columns, connection)
        if table is None:
            return None
        frame = frame.join(table, on=name, how="inner")  # type: ignore[arg-type]
    return frame


def fits_narrow(tables: Sequence[Coding]) -> bool:
    return prod(table.size for table in tables) < np.iinfo(np.int32).max


def count_keys(keys: Keys, size: int) -> Cells:
    """Return the different keys without their outcome digit, and (C, 3) counts."""
    if size <= max(DENSE, len(keys)):
        return find_cells(np.bincount(keys, minlength=size))
    order = keys.copy()
    order.sort()
    first = np.flatnonzero(np.append(True, order[1:] != order[:-1]))
    return widen_keys(order[first], np.diff(np.append(first, len(order))))


def find_cells(sums: NDArray[np.integer[Any]]) -> Cells:
    """Return the keys of (pairs · 3,) sums that hold something, and their counts."""
    counts = sums.reshape(-1, 3)
    pairs: Keys = np.flatnonzero(counts[:, 0] | counts[:, 1] | counts[:, 2])
    wide = counts[pairs]
    return (pairs.astype(np.int32) if len(counts) <= np.iinfo(np.int32).max else pairs), wide


def widen_keys(keys: Keys, n: NDArray[np.int64]) -> Cells:
    """Turn one number per key, in their order, into three per key without its outcome."""
    pairs, outcome = np.divmod(keys, 3)
    new = np.append(True, pairs[1:] != pairs[:-1])
    wide = np.zeros((3, int(np.count_nonzero(new))))  # column by column, as tallies hold them
    wide[outcome, np.cumsum(new) - 1] = n
    return pairs[new], wide.T


def decode(pairs: NDArray[np.int64] | NDArray[np.int32], sizes: Sequence[int]) -> list[Codes]:
    digits: list[Codes] = []
    for size in reversed(sizes):
        rest = pairs // size  # a third of the time of `divmod`
        digits.append((pairs - rest * size).astype(np.int32, copy=False))
        pairs = rest
    return digits[::-1]


# DuckDB hashes text where it stands, once for each entry of a dictionary, and a hash is fetched and
# looked up for a fifth of what a text costs; of few rows the texts are fetched, which takes one
# query in place of one for each column. Other engines join with small tables of labels.


# Names of the levels of a factor, and the code of each row
Level: TypeAlias = tuple[tuple[str, ...], Codes]
MAX_TEXT_ROWS: Final = 5_000  # Rows of which the texts are fetched as they stand
_HASH = "evenhand_hash"
_ROW = "evenhand_row"
_COLUMN, _LABEL = "evenhand_column", "evenhand_label"


@dataclass(frozen=True, eq=False)
class Labels:
    names: tuple[str | None, ...]  # sorted; a missing one is None and stands first
    hashes: NDArray[np.uint64] | None = None  # DuckDB's hash of each; None in other engines

    @property
    def texts(self) -> tuple[str, ...]:
        return cast("tuple[str, ...]", self.names)

    @property
    def words(self) -> tuple[str, ...]:
        """The labels without outer blanks; "" for a missing one."""
        return tuple("" if name is None else name.strip() for name in self.names)


def find_labels(frame: Frame, names: Sequence[str]) -> dict[str, Labels]:
    if not frame.implementation.is_duckdb():
        counted = {name: frame.group_by(name).agg(nw.len().alias(COUNT)) for name in names}
        return {
            name: _sort_labels(fetch_columns(labels.select(name))[name].tolist())
            for name, labels in counted.items()
        }
    # all in one scan: a text file is read anew by each query
    quoted = [quote_name(name) for name in names]
    native = cast("duckdb.DuckDBPyRelation", frame.to_native())
    listed = native.aggregate(
        f"grouping({', '.join(quoted)}) as {_COLUMN}, coalesce({', '.join(quoted)}) as {_LABEL}",
        f"grouping sets ({', '.join(f'({one})' for one in quoted)})",
    ).order(f"{_LABEL} nulls first")
    fetched = fetch_columns(_hash(nw.from_native(listed), [_LABEL], [_COLUMN, _LABEL]))
    labels = {}
    for at, name in enumerate(names, start=1):
        # grouping() has a bit for each column, the last the lowest: 0 for the one of the label
        mine = fetched[_COLUMN] == (1 << len(names)) - 1 - (1 << (len(names) - at))
        hashes = fetched[f"{_HASH}_{_LABEL}"][mine].astype(np.uint64, copy=False)
        clear = len(np.unique(hashes)) == len(hashes)
        labels[name] = Labels(tuple(fetched[_LABEL][mine].tolist()), hashes if clear else None)
    return labels


def _sort_labels(texts: Sequence[Any]) -> Labels:
    distinct = {text if isinstance(text, str) else None for text in texts}  # pandas may say nan
    return Labels(tuple(sorted(distinct, key=lambda label: (label is not None, label or ""))))


def read_labels(
    frame: Frame,
    names: Sequence[str],
    columns: Sequence[str],
    connection: duckdb.DuckDBPyConnection | None,
) -> tuple[dict[str, Labels], Callable[[], Columns]]:
    """Return the different labels of text columns, and what then fetches their codes."""
    # names: the text columns, one at least.
    # columns: further columns, which are fetched beside the codes: see `fetch_codes`.
    with one_thread(connection):
        few: Columns = {}
        if frame.implementation.is_duckdb():
            few = fetch_columns(frame.select(*names, *columns).head(MAX_TEXT_ROWS + 1))
        if few and len(few[names[0]]) <= MAX_TEXT_ROWS:
            labels = {name: _sort_labels(few[name].tolist()) for name in names}
            return labels, partial(_code_texts, few, labels)
        labels = find_labels(frame, names)
    return labels, partial(fetch_codes, frame, labels, columns, connection)


def fetch_codes(
    frame: Frame,
    labels: Mapping[str, Labels],
    columns: Sequence[str],
    connection: duckdb.DuckDBPyConnection | None,
) -> Columns:
    # Rows come in the order of the table, where its engine keeps one.
    # labels: column → all its labels; codes are places among them.
    known = {name: one.hashes for name, one in labels.items() if one.hashes is not None}
    with one_thread(connection):
        if len(known) < len(labels):
            return _join(frame, labels, columns, connection)
        fetched = fetch_columns(_hash(frame, list(known), columns))
    for name, hashes in known.items():
        column = fetched.pop(f"{_HASH}_{name}").astype(np.uint64, copy=False)
        fetched[name] = find_hashes(column, hashes)
    return fetched


def bind_levels(task: Level, item: Level) -> Level:
    """Make items of different tasks different, each named after its task."""
    key = join_codes([(task[1], len(task[0])), (item[1], len(item[0]))])
    first, inverse = first_of_each(key)
    pairs = zip(task[1][first].tolist(), item[1][first].tolist(), strict=True)
    names = [f"{task[0][one]}{BOUND_BY}{item[0][other]}" for one, other in pairs]
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return tuple(names[at] for at in order), place[inverse]


def _hash(frame: Frame, names: Sequence[str], columns: Sequence[str]) -> Frame:
    hashes = [f"hash({quote_name(name)}) as {quote_name(f'{_HASH}_{name}')}" for name in names]
    native = cast("duckdb.DuckDBPyRelation", frame.to_native())
    projected = native.project(", ".join([*hashes, *map(quote_name, columns)]))
    return cast("Frame", nw.from_native(projected))


def _join(
    frame: Frame,
    labels: Mapping[str, Labels],
    columns: Sequence[str],
    connection: duckdb.DuckDBPyConnection | None,
) -> Columns:
    """Join with a table for each column; rows get the order back that no join keeps."""
    numbered = number_places(frame, _ROW)
    coded = {name: (one.names, np.arange(len(one.names))) for name, one in labels.items()}
    joined = _join_codes(frame if numbered is None else numbered, coded, connection)
    if joined is None:
        return _code_texts(fetch_columns(frame.select(*labels, *columns)), labels)
    codes = [f"{_CODE}{name}" for name in labels]
    fetched = fetch_columns(joined.select(*[_ROW] * (numbered is not None), *codes, *columns))
    if numbered is not None:
        order = np.argsort(fetched.pop(_ROW), kind="stable")
        fetched = {name: values[order] for name, values in fetched.items()}
    for name in labels:
        fetched[name] = fetched.pop(f"{_CODE}{name}").astype(np.int32, copy=False)
    return fetched


def _code_texts(fetched: Columns, labels: Mapping[str, Labels]) -> Columns:
    for name, column_labels in labels.items():
        place = {label: code for code, label in enumerate(column_labels.names)}
        texts = fetched[name].tolist()
        fetched[name] = np.fromiter(map(place.__getitem__, texts), dtype=np.int32, count=len(texts))
    return fetched


def name_levels(data: JudgmentTable, keys: Sequence[str], frame: Frame) -> Frame:
    """Turn labels that are whole numbers, truth values or categories into text."""
    schema = frame.collect_schema()
    named = []
    for name in keys:
        dtype = schema[name]
        level = nw.col(name)
        text = level.cast(nw.String)
        if dtype == nw.Boolean:  # engines write it with different capitals
            text = text.str.to_lowercase()
        if isinstance(dtype, nw.Boolean | nw.Categorical | nw.Enum) or dtype.is_integer():
            named.append(nw.when(~level.is_null()).then(text).alias(name))
        elif dtype != nw.String:
            raise InvalidJudgments(
                f"column '{data.source.named(name)}' of {data.source.name} holds"
                f" {str(dtype).lower()}: judgments are distinguished by text or whole numbers"
            )
    return frame.with_columns(*named) if named else frame


def bind_to_task(data: ComparisonTable, by: Sequence[str], frame: Frame) -> Frame:
    bound = [name for name in by if name in TASK_BOUND]
    if not bound or not data.has("task") or "task" in by:
        return frame
    joined = [
        nw.concat_str([nw.col("task"), nw.col(name)], separator=BOUND_BY).alias(name)
        for name in bound
    ]
    return frame.with_columns(*joined)

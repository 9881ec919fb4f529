"""Labels of some columns become codes, row by row, for who needs to know each row.

DuckDB hashes text where it stands, once for each entry of a dictionary, and a hash is fetched and
looked up for a fifth of what a text costs; of few rows the texts are fetched, which takes one query
in place of one for each column. Other engines join with small tables of labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.comparisons import BOUND_BY
from evenhand.judgments.engine import (
    COUNT,
    Columns,
    Frame,
    fetch_columns,
    label_frame,
    one_thread,
    quote_name,
)
from evenhand.judgments.joined_codes import first_of_each, join_codes
from evenhand.judgments.row_order import number_places
from evenhand.judgments.tally import Codes
from evenhand.numerics.graph import find_hashes

if TYPE_CHECKING:
    import duckdb

# Names of the levels of a factor, and the code of each row
Level: TypeAlias = tuple[tuple[str, ...], Codes]

FEW: Final = 5_000  # Rows of which the texts are fetched as they stand

_HASH = "evenhand_hash"
_ROW = "evenhand_row"


@dataclass(frozen=True, eq=False)
class Labels:
    """The different labels of a column."""

    names: tuple[str | None, ...]  # sorted; a missing one is None and stands first
    hashes: NDArray[np.uint64] | None = None  # DuckDB's hash of each; None in other engines

    @property
    def texts(self) -> tuple[str, ...]:
        """The labels, of which none is missing."""
        return cast("tuple[str, ...]", self.names)

    @property
    def words(self) -> tuple[str, ...]:
        """The labels without outer blanks; "" for a missing one."""
        return tuple("" if name is None else name.strip() for name in self.names)


def find_labels(frame: Frame, name: str) -> Labels:
    """Return the different labels of a text column."""
    labels = frame.group_by(name).agg(nw.len().alias(COUNT)).select(name)
    if not frame.implementation.is_duckdb():
        return _sort_labels(fetch_columns(labels)[name].tolist())
    sorted_labels = nw.from_native(labels.to_native().order(f"{quote_name(name)} nulls first"))
    columns = fetch_columns(_hash(sorted_labels, [name], [name]))
    names = tuple(columns[name].tolist())
    hashes = columns[f"{_HASH}_{name}"].astype(np.uint64, copy=False)
    return Labels(names, hashes if len(np.unique(hashes)) == len(hashes) else None)


def _sort_labels(texts: Sequence[Any]) -> Labels:
    """Return the different labels among texts."""
    found = {text if isinstance(text, str) else None for text in texts}  # pandas may say nan
    return Labels(tuple(sorted(found, key=lambda label: (label is not None, label or ""))))


def read_labels(
    frame: Frame,
    names: Sequence[str],
    columns: Sequence[str],
    connection: duckdb.DuckDBPyConnection | None,
) -> tuple[dict[str, Labels], Callable[[], Columns]]:
    """Return the different labels of text columns, and what then fetches their codes.

    names: the text columns, one at least.
    columns: further columns, which are fetched beside the codes: see `fetch_codes`.
    """
    with one_thread(connection):
        few = _fetch_few(frame, [*names, *columns])
        if few is not None:
            labels = {name: _sort_labels(few[name].tolist()) for name in names}
            return labels, partial(_code_texts, few, labels)
        labels = {name: find_labels(frame, name) for name in names}
    return labels, partial(fetch_codes, frame, labels, columns, connection)


def _fetch_few(frame: Frame, names: Sequence[str]) -> Columns | None:
    """Fetch columns as they stand; None of many rows, and of other engines than DuckDB."""
    if not frame.implementation.is_duckdb():
        return None
    found = fetch_columns(frame.select(*names).head(FEW + 1))
    return found if len(found[names[0]]) <= FEW else None


def fetch_codes(
    frame: Frame,
    labels: Mapping[str, Labels],
    columns: Sequence[str],
    connection: duckdb.DuckDBPyConnection | None,
) -> Columns:
    """Fetch the code of each label column under its name, and some columns as they are.

    Rows come in the order of the table, where its engine keeps one.

    labels: column → all its labels; codes are places among them.
    """
    known = {name: own.hashes for name, own in labels.items() if own.hashes is not None}
    with one_thread(connection):
        if len(known) < len(labels):
            return _join(frame, labels, columns, connection)
        found = fetch_columns(_hash(frame, list(known), columns))
    for name, hashes in known.items():
        column = found.pop(f"{_HASH}_{name}").astype(np.uint64, copy=False)
        found[name] = find_hashes(column, hashes)
    return found


def bind_levels(task: Level, item: Level) -> Level:
    """Make items of different tasks different, each named after its task.

    item: the same for items. >>> task = (("de", "fr"), np.array([0, 1, 1], np.int32)) >>> names,
        codes = bind_levels(task, (("1", "2"), np.array([0, 0, 1], np.int32))) >>> names,
        codes.tolist() (('de / 1', 'fr / 1', 'fr / 2'), [0, 1, 2])
    """
    key = join_codes([(task[1], len(task[0])), (item[1], len(item[0]))])
    found, inverse = first_of_each(key)
    pairs = zip(task[1][found].tolist(), item[1][found].tolist(), strict=True)
    names = [f"{task[0][one]}{BOUND_BY}{item[0][other]}" for one, other in pairs]
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return tuple(names[at] for at in order), place[inverse]


def _hash(frame: Frame, names: Sequence[str], kept: Sequence[str]) -> Frame:
    """Hash text columns of a DuckDB table, beside some columns as they are."""
    hashes = [f"hash({quote_name(name)}) as {quote_name(f'{_HASH}_{name}')}" for name in names]
    native = cast("duckdb.DuckDBPyRelation", frame.to_native())
    projected = native.project(", ".join([*hashes, *map(quote_name, kept)]))
    return cast("Frame", nw.from_native(projected))


def _join(
    frame: Frame,
    labels: Mapping[str, Labels],
    columns: Sequence[str],
    connection: duckdb.DuckDBPyConnection | None,
) -> Columns:
    """Join with a table for each column; rows get the order back that no join keeps."""
    numbered = number_places(frame, _ROW)
    joined = frame if numbered is None else numbered
    names = {}
    for name, own in labels.items():
        names[name] = f"evenhand_{name}"
        data: dict[str, Any] = {name: own.names, names[name]: np.arange(len(own.names))}
        table = None if None in own.names else label_frame(frame, data, connection)
        if table is None:  # a join would drop what has no label
            return _look_up(frame, labels, columns)
        joined = joined.join(table, on=name, how="inner")  # type: ignore[arg-type]
    rows = [] if numbered is None else [_ROW]
    found = fetch_columns(joined.select(*rows, *names.values(), *columns))
    if rows:
        order = np.argsort(found.pop(_ROW), kind="stable")
        found = {name: values[order] for name, values in found.items()}
    codes = {name: found[code].astype(np.int32, copy=False) for name, code in names.items()}
    return {**{name: found[name] for name in columns}, **codes}


def _look_up(frame: Frame, labels: Mapping[str, Labels], columns: Sequence[str]) -> Columns:
    """Fetch labels as they are and look their codes up: slower, but every engine can do it."""
    return _code_texts(fetch_columns(frame.select(*labels, *columns)), labels)


def _code_texts(found: Columns, labels: Mapping[str, Labels]) -> Columns:
    """Put codes in the place of fetched texts."""
    for name, own in labels.items():
        place = {label: code for code, label in enumerate(own.names)}
        texts = found[name].tolist()
        found[name] = np.fromiter(map(place.__getitem__, texts), dtype=np.int32, count=len(texts))
    return found

"""Labels become integer codes in the engine, and one key per row is counted by numpy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownFormat
from evenhand.judgments.batches import fetch_batches
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import (
    COUNT,
    Columns,
    Frame,
    fetch_columns,
    label_frame,
    one_thread,
)
from evenhand.judgments.tally import Codes, Counts, Factor, snake

DENSE: Final = 50_000_000  # Most cells that are counted in one array
SEED: Final = 20131
KEY: Final = "evenhand_key"
STREAMED: Final = 20_000_000  # Most rows that leave the engine as one integer each
Keys: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
# The different keys without their outcome digit, and (C, 3) counts
Cells: TypeAlias = tuple[Keys, NDArray[np.int64] | NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Coding:
    """How the labels of one column become codes."""

    name: str  # the column
    labels: Sequence[str]  # its labels
    codes: NDArray[np.int64]  # (labels,) code of each
    size: int  # number of different codes
    loads: Counts  # (labels,) rows of each; empty where nobody asks
    merged: bool = False  # whether several labels share a code


def make_factor(level: Coding, codes: Codes) -> Factor:
    """Return a factor of some entries, whose levels they are."""
    clusters = level.codes.astype(np.int32) if level.merged else None
    return Factor(tuple(level.labels), codes, level.loads, level.size, level.merged, clusters)


def code_levels(name: str, counted: Mapping[str, float], limit: int | None) -> Coding:
    """Give the levels of a factor codes, merged into as many clusters as the limit allows."""
    labels = sorted(counted)
    loads = np.array([counted[label] for label in labels], dtype=np.float64)
    if limit is not None and len(labels) > limit:
        codes = snake(loads, limit, SEED).astype(np.int64)
        return Coding(name, labels, codes, limit, loads, merged=True)
    return Coding(name, labels, np.arange(len(labels)), len(labels), loads)


def count_labels(frame: Frame, name: str, weight: nw.Expr | None = None) -> dict[str, float]:
    """Count rows by label, or sum their weights."""
    load = nw.len() if weight is None else weight.sum()
    found = fetch_columns(frame.group_by(name).agg(load.alias(COUNT)))
    return dict(zip(found[name].tolist(), found[COUNT].tolist(), strict=True))


def code_tables(
    by: Sequence[str],
    counted: Mapping[str, Mapping[str, float]],
    meaning: Mapping[str, int],
    limits: Mapping[str, int],
) -> list[Coding]:
    """Give the levels of factors, both sides and outcomes their codes, in this order."""
    systems, outcomes = sorted({*counted["left"], *counted["right"]}), list(meaning)
    k, none = np.arange(len(systems)), np.zeros(0)
    kept = {} if "task" in by else limits
    levels = [code_levels(name, counted[name], kept.get(name)) for name in by]
    sides = [Coding(name, systems, k, len(systems), none) for name in ("left", "right")]
    meant = np.array([meaning[label] for label in outcomes], dtype=np.int64)
    return [*levels, *sides, Coding("outcome", outcomes, meant, 3, none)]


def fetch_cells(
    data: Comparisons, frame: Frame, tables: Sequence[Coding], rows: float
) -> Cells | None:
    """Join every label column with its codes, and count the rows of each cell.

    Up to `STREAMED` rows one integer leaves the engine per row, which is counted here: that is
    three times as fast. The engine counts more of them, so that memory does not grow with rows.

    Returns the different keys without their outcome digit, and (C, 3) counts; None where the engine
        cannot be handed a table of labels, or some row has another label.
    """
    joined = add_key(data, frame, tables)
    if joined is None:
        return None
    keyed = joined.select(nw.col(KEY).alias("key"))
    if rows > STREAMED:
        cells = fetch_columns(keyed.group_by("key").agg(nw.len().alias(COUNT)))
        n = cells[COUNT].astype(np.int64)
        order = np.argsort(cells["key"])
        return _widen(cells["key"][order], n[order]) if n.sum() == rows else None
    with one_thread(data.source.connection):
        keys = fetch_columns(keyed)["key"]
    return count_keys(keys, prod(table.size for table in tables)) if len(keys) == rows else None


def fetch_rows(
    data: Comparisons, frame: Frame, tables: Sequence[Coding], columns: Sequence[str]
) -> Columns:
    """Fetch one integer per row as "key", and some numeric columns beside it."""
    joined = add_key(data, frame, tables)
    if joined is not None:
        found = fetch_columns(joined.select(nw.col(KEY), *columns))
        return {**found, "key": found[KEY]}
    found = fetch_columns(frame.select(*(table.name for table in tables), *columns))
    return {**found, "key": key_labels(data, found, tables)}


def code_batches(
    data: Comparisons, frame: Frame, tables: Sequence[Coding], columns: Sequence[str]
) -> Iterator[Columns]:
    """Return the same some rows at a time, from an engine that can stream."""
    joined = add_key(data, frame, tables)
    if joined is not None:
        for found in fetch_batches(joined.select(nw.col(KEY), *columns)):
            yield {**found, "key": found[KEY]}
        return
    for found in fetch_batches(frame.select(*(table.name for table in tables), *columns)):
        yield {**found, "key": key_labels(data, found, tables)}


def key_labels(data: Comparisons, found: Columns, tables: Sequence[Coding]) -> NDArray[np.int64]:
    """Return one integer per row from its labels."""
    key = np.zeros(len(found["outcome"]), dtype=np.int64)
    for table in tables:
        place = dict(zip(table.labels, table.codes.tolist(), strict=True))
        codes = map(place.__getitem__, found[table.name].tolist())
        try:
            digits = np.fromiter(codes, dtype=np.int64, count=len(key))
        except KeyError as error:
            raise UnknownFormat(
                f"{data.source.name} was changed while it was read: '{error.args[0]}' was not in"
                f" column '{data.source.named(table.name)}' before; read a copy of it"
            ) from None
        key = key * table.size + digits
    return key


def add_key(data: Comparisons, frame: Frame, tables: Sequence[Coding]) -> Frame | None:
    """Join every label column with its codes, and add them up to one integer per row.

    None where the engine cannot be handed a table of labels.
    """
    cells = prod(table.size for table in tables)
    if cells > np.iinfo(np.int64).max:
        return None
    narrow = nw.Int32 if fits_narrow(tables) else nw.Int64
    key: nw.Expr | None = None
    unit = cells
    for coding in tables:  # codes come multiplied: a constant in a query would import pandas
        unit //= coding.size
        code = f"evenhand_{coding.name}"
        columns: dict[str, Sequence[str] | NDArray[np.int64]] = {
            coding.name: coding.labels,
            code: coding.codes * unit,
        }
        table = label_frame(frame, columns, data.source.connection)
        if table is None:
            return None
        frame = frame.join(table, on=coding.name, how="inner")  # type: ignore[arg-type]
        digit = nw.col(code).cast(narrow)
        key = digit if key is None else key + digit
    return None if key is None else frame.with_columns(key.alias(KEY))


def fits_narrow(tables: Sequence[Coding]) -> bool:
    """Say whether keys fit into 32 bits."""
    return prod(table.size for table in tables) < np.iinfo(np.int32).max


def count_keys(keys: Keys, size: int) -> Cells:
    """Return the different keys without their outcome digit, and (C, 3) counts."""
    if size <= max(DENSE, len(keys)):
        counts = np.bincount(keys, minlength=size).reshape(-1, 3)
        pairs = np.flatnonzero(counts[:, 0] + counts[:, 1] + counts[:, 2])
        return pairs, counts[pairs]
    order = keys.copy()
    order.sort()
    first = np.flatnonzero(np.append(True, order[1:] != order[:-1]))
    n = np.diff(np.append(first, len(order)))
    return _widen(order[first], n)


def _widen(found: Keys, n: NDArray[np.int64]) -> Cells:
    """Turn one number per key, in their order, into three per key without its outcome."""
    pairs, outcome = np.divmod(found, 3)
    new = np.append(True, pairs[1:] != pairs[:-1])
    wide = np.zeros((3, int(np.count_nonzero(new))))  # column by column, as tallies hold them
    wide[outcome, np.cumsum(new) - 1] = n
    return pairs[new], wide.T


def decode(pairs: NDArray[np.int64] | NDArray[np.int32], sizes: Sequence[int]) -> list[Codes]:
    """Take mixed-radix keys apart, last digit last."""
    digits: list[Codes] = []
    for size in reversed(sizes):
        rest = pairs // size  # a third of the time of `divmod`
        digits.append((pairs - rest * size).astype(np.int32, copy=False))
        pairs = rest
    return digits[::-1]

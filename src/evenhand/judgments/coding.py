"""Labels become integer codes in the engine, and one key per row is counted by numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import COUNT, Frame, fetch_columns, label_frame, one_thread
from evenhand.judgments.tally import Codes, Counts, snake

DENSE: Final = 50_000_000
"""Most cells that are counted in one array."""
SEED: Final = 20131


@dataclass(frozen=True, eq=False)
class Coding:
    """How the labels of one column become codes.

    Attributes:
        name: the column.
        labels: its labels.
        codes: (labels,) code of each.
        size: number of different codes.
        loads: (labels,) rows of each; empty where nobody asks.
        merged: whether several labels share a code.

    """

    name: str
    labels: Sequence[str]
    codes: NDArray[np.int64]
    size: int
    loads: Counts
    merged: bool = False


def code_levels(name: str, counted: Mapping[str, int], limit: int | None) -> Coding:
    """Give the levels of a factor codes, merged into as many clusters as the limit allows."""
    labels = sorted(counted)
    loads = np.array([counted[label] for label in labels], dtype=np.float64)
    if limit is not None and len(labels) > limit:
        codes = snake(loads, limit, SEED).astype(np.int64)
        return Coding(name, labels, codes, limit, loads, merged=True)
    return Coding(name, labels, np.arange(len(labels)), len(labels), loads)


def count_labels(frame: Frame, name: str) -> dict[str, int]:
    """Count rows by label."""
    found = fetch_columns(frame.group_by(name).agg(nw.len().alias(COUNT)))
    return dict(zip(found[name].tolist(), found[COUNT].tolist(), strict=True))


def fetch_keys(
    data: Comparisons, frame: Frame, tables: Sequence[Coding]
) -> NDArray[np.int32] | NDArray[np.int64] | None:
    """Join every label column with its codes and fetch one integer per row."""
    cells = prod(table.size for table in tables)
    if cells > np.iinfo(np.int64).max:
        return None
    narrow = nw.Int32 if cells < np.iinfo(np.int32).max else nw.Int64
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
    if key is None:
        return None
    with one_thread(data.source.connection):
        return fetch_columns(frame.select(key.alias("key")))["key"]


def count_keys(
    keys: NDArray[np.int32] | NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different keys without their outcome digit, and (C, 3) counts."""
    if size <= max(DENSE, len(keys)):
        counts = np.bincount(keys, minlength=size).reshape(-1, 3)
        pairs = np.flatnonzero(counts[:, 0] + counts[:, 1] + counts[:, 2])
        return pairs, counts[pairs]
    found, n = np.unique(keys.astype(np.int64, copy=False), return_counts=True)
    pairs, inverse = np.unique(found // 3, return_inverse=True)
    wide = np.zeros((len(pairs), 3), dtype=np.int64)
    wide[inverse, found % 3] = n
    return pairs, wide


def decode(pairs: NDArray[np.int64], sizes: Sequence[int]) -> list[Codes]:
    """Take mixed-radix keys apart, last digit last."""
    digits: list[Codes] = []
    for size in reversed(sizes):
        pairs, digit = np.divmod(pairs, size)
        digits.append(digit.astype(np.int32))
    return digits[::-1]

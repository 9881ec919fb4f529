"""The codes of a DuckDB table's rows, some rows at a time, without a join.

Text that a Parquet file keeps in dictionaries stays in them as long as a query asks for a function
of one column: DuckDB then computes it once for each entry. So labels leave the engine as their
places in a short list, or as some bits of their hashes where they are many and none share these
bits; numpy looks codes up. That costs what reading costs, a third of a join with tables of labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.arrow_stream import Batch, stream_batches
from evenhand.judgments.coding import Coding
from evenhand.judgments.engine import (
    Frame,
    fetch_columns,
    make_table,
    one_thread,
    quote,
    quote_name,
)
from evenhand.judgments.pushed import note_rows, note_stream
from evenhand.numerics.graph import find_hashes

if TYPE_CHECKING:
    import duckdb

    from evenhand.judgments.comparisons import Comparisons

Integers: TypeAlias = NDArray[np.integer[Any]]
Hashes: TypeAlias = NDArray[np.uint64]
# The hashes of labels, and a shift and a number of bits by which they differ
Hashed: TypeAlias = tuple[Hashes, tuple[int, int] | None]

# Most labels that are looked for in a list: DuckDB copies it for each few thousand rows
LISTED: Final = 200
# Most bits of a hash that a table of codes is made for: larger ones leave the cache
WIDEST: Final = 23
BUSY: Final = 20_000_000  # Rows from which all processors read, at somewhat more CPU


@dataclass(frozen=True, eq=False)
class Reader:
    """How the labels of one column leave the engine."""

    name: str  # the column
    expression: str  # SQL that makes a number of a label
    kind: type[np.integer[Any]]  # its numpy type
    # by such a number the code of the label, or by its place among the hashes; None where the
    # number is the code
    codes: Integers | None
    hashes: Hashes | None = None  # of all labels, where the number is a whole hash
    labels: Sequence[str] = ()  # those that are looked for in a list

    def read(self, batch: Batch) -> Integers:
        """Return the (rows,) codes of a batch."""
        numbers = batch.columns[self.name]
        if self.codes is None:
            return cast("Integers", numbers)
        if self.hashes is not None:
            numbers = find_hashes(numbers, self.hashes)
        return self.codes.take(numbers)  # twice as fast as codes[numbers]


def can_read(data: Comparisons, frame: Frame) -> bool:
    """Say whether rows of a table can be read so: DuckDB's, by a connection that is known."""
    return data.source.connection is not None and frame.implementation.is_duckdb()


def make_readers(data: Comparisons, tables: Sequence[Coding]) -> list[Reader] | None:
    """Choose how each column leaves the engine; None where two labels share a hash, or are odd.

    tables: labels and codes of its columns; where they are more than `LISTED`, all labels there
        are, since a hash does not show that its label is another.
    """
    readers = []
    hashed: dict[tuple[str, ...], Hashed] = {}  # both sides have the same systems
    for table in tables:
        labels = tuple(table.labels)
        odd = any("\0" in label for label in labels)  # a query cannot hold it
        listed = len(labels) <= LISTED and not odd
        if not listed and not odd and labels not in hashed:
            hashed[labels] = _hash_labels(data, labels)
        found = _list_labels(table) if listed else None if odd else _take(table, *hashed[labels])
        if found is None:
            return None
        readers.append(found)
    return readers


def join_readers(readers: Sequence[Reader], sizes: Sequence[int]) -> Reader | None:
    """Return one reader whose code joins those of several columns, the first foremost.

    The engine adds up what it has looked up for each entry of the dictionaries: one number of each
    row is handed over, and nothing is left to look up.

    sizes: numbers of codes of each.
    """
    if not all(reader.labels for reader in readers) or prod(sizes) > np.iinfo(np.int32).max:
        return None
    terms, scale = [], prod(sizes)
    for reader, size in zip(readers, sizes, strict=True):
        scale //= size
        known = reader.codes
        codes = [] if known is None else [int(code) * scale for code in known[1:]]
        terms.append(f"list_extract({codes}::integer[], {reader.expression})")
    return Reader(readers[0].name, " + ".join(terms), np.int32, None)


def read_codes(
    data: Comparisons, frame: Frame, readers: Sequence[Reader], rows: float
) -> Iterator[list[Integers]]:
    """Go through a table; stops at a label that is not known.

    Yields: (batch,) codes of each column.
    """
    kinds = {reader.name: reader.kind for reader in readers}
    native = cast("duckdb.DuckDBPyRelation", frame.to_native())
    projected = native.project(
        ", ".join(f"{reader.expression} as {quote_name(reader.name)}" for reader in readers)
    )
    total, batches = 0, 0
    with one_thread(None if rows > BUSY else data.source.connection):
        for batch in stream_batches(projected, kinds):
            if batch.missing:  # the place of a label that is in no list
                return
            yield [reader.read(batch) for reader in readers]
            total, batches = total + len(batch.columns[readers[0].name]), batches + 1
            note_rows(total, int(rows))
    note_stream(cast("Frame", nw.from_native(projected)), tuple(kinds), total, batches, filed=False)


def _list_labels(table: Coding) -> Reader:
    """Look labels up in a list; places begin with 1, and are missing for a label not in it."""
    labels = ", ".join(map(quote, table.labels))
    codes = _narrow(np.concatenate([[0], table.codes]), table.size)
    place = f"list_position([{labels}], {quote_name(table.name)})"
    return Reader(table.name, place, np.int32, codes, labels=table.labels)


def _hash_labels(data: Comparisons, labels: Sequence[str]) -> Hashed:
    """Return the hash of each label, and where in it few bits tell all apart, if they do."""
    connection = cast("duckdb.DuckDBPyConnection", data.source.connection)
    table = make_table(connection, {"label": list(labels)}).to_native()
    query = nw.from_native(table.project('label, hash("label") as number'))
    found = fetch_columns(cast("Frame", query))
    number = dict(zip(found["label"].tolist(), found["number"].tolist(), strict=True))
    hashes = np.array([number[label] for label in labels], dtype=np.uint64)
    return hashes, _find_bits(hashes)


def _take(table: Coding, hashes: Hashes, few: tuple[int, int] | None) -> Reader | None:
    """Take as few bits of the labels' hashes as tell them apart; all bits where these are many."""
    codes, column = _narrow(table.codes, table.size), f"hash({quote_name(table.name)})"
    if few is None:
        known = len(np.unique(hashes)) == len(hashes)
        return Reader(table.name, column, np.uint64, codes, hashes) if known else None
    shift, bits = few
    taken = f"(({column} >> {shift}) & {2**bits - 1})::integer"
    slots = np.zeros(2**bits, dtype=codes.dtype)
    slots[(hashes >> np.uint64(shift)) & np.uint64(2**bits - 1)] = codes
    return Reader(table.name, taken, np.int32, slots)


def _find_bits(hashes: Hashes) -> tuple[int, int] | None:
    """Return a shift and a number of bits that no two hashes share, if few bits do.

    Two of n hashes share b bits with probability 1 − exp(−n²/2ᵇ⁺¹): with b = 2 log₂ n − 2 one of
    ten shifts will do.

    >>> _find_bits(np.arange(300, dtype=np.uint64) * np.uint64(2**40))
    (35, 14)
    """
    fewest = max(8, int(2 * np.log2(len(hashes)) - 1.5))
    for bits in range(fewest, WIDEST + 1):
        mask = np.uint64(2**bits - 1)
        for shift in range(64 - bits):
            if len(np.unique((hashes >> np.uint64(shift)) & mask)) == len(hashes):
                return shift, bits
    return None


def _narrow(codes: Integers, size: int) -> Integers:
    """Return codes in the narrowest type: a small table stays in the cache."""
    return codes.astype(np.min_scalar_type(size - 1))

"""Rows that leave DuckDB in batches: the same rows, missing values seen, errors in our words."""

import gc
from itertools import islice

import duckdb
import numpy as np
import pytest

from evenhand.data.engine import ROWS, stream_batches
from evenhand.errors import UnknownFormat

KINDS = {"n": np.int32, "big": np.uint64}


def test_batches_hold_all_rows_in_their_order():
    query = "select i::integer as n, hash(i) as big from range(1_200_000) r(i)"
    relation = duckdb.sql(query)
    taken = [(one.columns["n"], one.columns["big"]) for one in batches(relation)]
    assert max(len(n) for n, _ in taken) <= ROWS
    whole = duckdb.sql(query).fetchnumpy()
    np.testing.assert_array_equal(np.concatenate([n for n, _ in taken]), whole["n"])
    np.testing.assert_array_equal(np.concatenate([big for _, big in taken]), whole["big"])


def batches(relation):
    return stream_batches(relation, KINDS)


def test_missing_values_are_seen_wherever_they_stand():
    query = "select nullif(i, 119_999)::integer as n, hash(i) as big from range(120_000) r(i)"
    found = list(batches(duckdb.sql(query)))
    assert len(found) > 1
    assert "n" in found[-1].missing


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("select 'abc' as n, hash(1) as big", "u, L"),
        ("select 1::bigint as n, hash(1) as big", "l, L"),
        ("select 1::smallint as n, hash(1) as big", "s, L"),
        ("select hash(1) as big, 1::integer as n", "L, i"),
        ("select 'a'::enum('a', 'b') as n, hash(1) as big", "dictionary, L"),
        ("select 1::integer as n", "i"),
    ],
)
def test_numbers_of_another_type_are_refused_before_any_is_read(query, sent):
    with pytest.raises(UnknownFormat, match=f"of the Arrow types {sent} where i, L are read"):
        next(batches(duckdb.sql(query)))


INTEGERS = {"i1": "tinyint", "i2": "smallint", "i4": "integer", "i8": "bigint"}
NUMBERS = {**INTEGERS, **{f"u{name[1]}": f"u{sql}" for name, sql in INTEGERS.items()}}
NUMBERS |= {"f4": "float", "f8": "double"}


def arrow(start: int = 0, rows: int = 9):
    """Numbers as PyArrow lays them out: a struct of two columns."""
    pa = pytest.importorskip("pyarrow")
    n, big = pa.array(range(start, start + rows), "int32"), pa.array(range(rows), "uint64")
    return pa.StructArray.from_arrays([n, big], names=["n", "big"])


@pytest.mark.parametrize("left", [1, 50], ids=["left early", "read to its end"])
def test_the_memory_of_a_batch_is_given_back(left):
    """PyArrow counts what it has handed out and not got back."""
    pa = pytest.importorskip("pyarrow")

    def hand_out():
        for at in range(50):
            yield pa.RecordBatch.from_struct_array(arrow(at, 10_000))

    def read():
        schema = pa.schema({"n": pa.int32(), "big": pa.uint64()})
        reader = pa.RecordBatchReader.from_batches(schema, hand_out())
        return [batch.columns["n"][0] for batch in islice(batches(reader), left)]

    gc.collect()
    before = pa.total_allocated_bytes()
    assert read() == list(range(left))
    gc.collect()
    assert pa.total_allocated_bytes() == before

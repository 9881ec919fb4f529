"""Rows that leave DuckDB in batches: the same rows, missing values seen, errors in our words."""

import duckdb
import numpy as np
import pytest

from evenhand.errors import UnknownFormat
from evenhand.judgments.arrow_stream import stream_batches

KINDS = {"n": np.int32, "big": np.uint64}


def test_batches_hold_all_rows_in_their_order():
    query = "select i::integer as n, hash(i) as big from range(1_200_000) r(i)"
    relation = duckdb.sql(query)
    taken = [(one.columns["n"], one.columns["big"]) for one in batches(relation)]
    assert len(taken) > 1
    whole = duckdb.sql(query).fetchnumpy()
    np.testing.assert_array_equal(np.concatenate([n for n, _ in taken]), whole["n"])
    np.testing.assert_array_equal(np.concatenate([big for _, big in taken]), whole["big"])


def batches(relation):
    return stream_batches(relation, KINDS)


def test_missing_values_are_seen_in_their_column():
    (batch,) = batches(duckdb.sql("select unnest([1, null])::integer as n, hash(1) as big"))
    assert (len(batch.columns["n"]), batch.missing) == (2, {"n"})


def test_a_result_without_rows_has_none():
    none = duckdb.sql("select 1::integer as n, hash(1) as big where false")
    assert sum(len(batch.columns["n"]) for batch in batches(none)) == 0


def test_a_stream_may_be_left_before_its_end():
    relation = duckdb.sql("select i::integer as n, hash(i) as big from range(3_000_000) r(i)")
    assert len(next(batches(relation)).columns["n"])
    assert duckdb.sql("select 1").fetchall() == [(1,)]


def test_a_file_that_is_damaged_further_down_is_named(tmp_path):
    path = tmp_path / "votes.parquet"
    duckdb.sql(
        "copy (select hash(i)::varchar as name from range(300_000) r(i))"
        f" to '{path}' (row_group_size 20_000)"
    )
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + b"\xff" * 60_000 + whole[middle + 60_000 :])
    relation = duckdb.sql(f"select length(name)::integer as n, hash(name) as big from '{path}'")
    with pytest.raises(UnknownFormat, match=r"cannot be read|not a whole Parquet file"):
        list(batches(relation))

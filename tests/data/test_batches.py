"""A result that leaves its engine in batches is the result."""

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pytest

from evenhand.data import engine as batches
from evenhand.data.engine import fetch_batches, fetch_columns
from evenhand.data.query_log import watch_fetches
from evenhand.errors import UnknownFormat

# Ibis 12 asks DuckDB 1.5 by a name that it had before
pytestmark = pytest.mark.filterwarnings("ignore:fetch_record_batch:DeprecationWarning")
TABLE = pl.DataFrame(
    {
        "key": list(range(5000)),
        "x": [None if i % 7 == 0 else i / 3 for i in range(5000)],
        "name": [f"s{i % 5}" for i in range(5000)],
    }
)


def lazy(engine: str) -> nw.LazyFrame:
    if engine == "duckdb":
        return nw.from_native(duckdb.sql("select * from t", connection=_connect()))
    if engine == "ibis":
        ibis = pytest.importorskip("ibis")
        return nw.from_native(ibis.memtable(TABLE.to_arrow()))
    return nw.from_native(TABLE.lazy())


def _connect():
    connection = duckdb.connect()
    connection.register("t", TABLE.to_arrow())
    _KEPT.append(connection)
    return connection


_KEPT = []


def gather(frame, rows):
    found = list(fetch_batches(frame, rows))
    whole = {name: np.concatenate([one[name] for one in found]) for name in found[0]}
    order = np.argsort(whole["key"])
    return found, {name: values[order] for name, values in whole.items()}


@pytest.mark.parametrize("engine", ["duckdb", "polars", "ibis"])
@pytest.mark.parametrize("rows", [1000, 10**6])
def test_batches_hold_what_the_whole_holds(engine, rows):
    _, whole = gather(lazy(engine), rows)
    expected = fetch_columns(nw.from_native(TABLE))
    assert whole["key"].tolist() == expected["key"].tolist()
    assert np.array_equal(whole["x"], expected["x"], equal_nan=True)
    assert whole["name"].tolist() == expected["name"].tolist()


def test_a_query_that_is_streamed_stands_in_the_account():
    with watch_fetches() as fetches:
        parts, _ = gather(lazy("duckdb"), 1000)
    (one,) = fetches
    assert (one.engine, one.rows, one.batches) == ("duckdb", 5000, len(parts))
    assert one.columns == ("key", "x", "name")
    assert "select" in one.query.lower()


def damage(path):
    """Write a Parquet file of which one part in the middle is overwritten."""
    duckdb.sql(
        "copy (select i as key, hash(i)::varchar as name from range(300_000) r(i))"
        f" to '{path}' (row_group_size 20_000)"
    )
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + b"\xff" * 60_000 + whole[middle + 60_000 :])


@pytest.mark.parametrize("arrow", [True, False])
def test_a_file_that_is_damaged_further_down_is_refused_by_its_name(tmp_path, monkeypatch, arrow):
    if not arrow:
        monkeypatch.setattr(batches, "find_spec", lambda _: None)
    path = tmp_path / "votes.parquet"
    damage(path)
    frame = nw.from_native(duckdb.connect().read_parquet(str(path)))
    with pytest.raises(UnknownFormat, match=r"votes\.parquet (cannot be read|is not a whole)"):
        list(fetch_batches(frame, 10_000))


def test_what_polars_cannot_read_is_said_in_one_line(tmp_path):
    path = tmp_path / "votes.parquet"
    damage(path)
    frame = nw.from_native(pl.scan_parquet(path))
    for read in (lambda: list(fetch_batches(frame)), lambda: fetch_columns(frame)):
        with pytest.raises(UnknownFormat, match=r"^Polars could not answer a query: .+$") as caught:
            read()
        assert "\n" not in str(caught.value)

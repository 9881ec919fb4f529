"""Codes of rows: by lists, by some bits of hashes and by whole ones, as by hand."""

import duckdb
import narwhals as nw
import numpy as np
import pytest

from evenhand.data import count as row_codes
from evenhand.data.coding import Coding
from evenhand.data.comparisons import Comparisons
from evenhand.data.count import can_read, make_readers, read_codes
from evenhand.data.source import Source

ROWS = 5_000
LABELS = tuple(sorted(f'it\'s "{i}" é' for i in range(300)))


@pytest.fixture
def table():
    """Comparisons by 300 judges, and the judge of each row."""
    drawn = np.random.Generator(np.random.PCG64(1)).integers(0, len(LABELS), ROWS)
    connection = duckdb.connect()
    names = [LABELS[i] for i in drawn]
    rows = connection.sql("select unnest($1) as judge", params=[names])
    relation = rows.project("'A' as \"left\", 'B' as \"right\", 'tie' as outcome, judge")
    return Comparisons(nw.from_native(relation), Source(connection=connection)), drawn


def judges(labels=LABELS, clusters=None):
    codes = np.arange(len(labels)) if clusters is None else clusters
    return Coding("judge", labels, codes, int(codes.max()) + 1, np.zeros(0))


def read(data, coding):
    (reader,) = make_readers(data, [coding])
    found = [codes.copy() for (codes,) in read_codes(data, data.frame, [reader], ROWS)]
    return np.concatenate(found) if found else np.zeros(0)


@pytest.mark.parametrize(("listed", "widest"), [(300, 22), (200, 23), (200, 8)])
def test_rows_get_the_codes_of_their_labels(table, listed, widest, monkeypatch):
    data, drawn = table
    monkeypatch.setattr(row_codes, "LISTED", listed)
    monkeypatch.setattr(row_codes, "WIDEST", widest)
    assert can_read(data, data.frame)
    np.testing.assert_array_equal(read(data, judges()), drawn)
    clusters = np.arange(len(LABELS)) % 7
    np.testing.assert_array_equal(read(data, judges(clusters=clusters)), clusters[drawn])

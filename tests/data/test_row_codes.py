"""Codes of rows: by lists, by some bits of hashes and by whole ones, as by hand."""

import duckdb
import narwhals as nw
import numpy as np
import pytest

from evenhand.data import count as row_codes
from evenhand.data.coding import Coding
from evenhand.data.comparisons import Comparisons
from evenhand.data.count import can_read, join_readers, make_readers, read_codes
from evenhand.data.query_log import watch_rows
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


def test_a_label_that_is_not_in_the_list_ends_the_reading(table):
    data, _ = table
    assert len(read(data, judges(LABELS[:150]))) < ROWS


def test_a_label_that_a_query_cannot_hold_is_left_to_others(table):
    data, _ = table
    assert make_readers(data, [judges(("a\0b", "c"))]) is None


def test_rows_are_told_as_they_leave_the_engine(table):
    data, _ = table
    told = []
    with watch_rows(lambda done, total: told.append((done, total))):
        read(data, judges())
    assert told[-1] == (ROWS, ROWS)
    assert told == sorted(told)
    silent = len(told)
    read(data, judges())
    assert len(told) == silent


def joined(data, codings):
    reader = join_readers(make_readers(data, codings), [coding.size for coding in codings])
    found = [codes.copy() for (codes,) in read_codes(data, data.frame, [reader], ROWS)]
    return np.concatenate(found) if found else np.zeros(0)


def test_columns_are_read_as_one_number_the_first_foremost(table, monkeypatch):
    data, drawn = table
    monkeypatch.setattr(row_codes, "LISTED", len(LABELS))
    both = Coding("outcome", ("draw", "tie"), np.array([1, 1]), 3, np.zeros(0))  # two names of one
    right = Coding("right", ("A", "B"), np.arange(2), 2, np.zeros(0))
    people = judges(clusters=np.arange(len(LABELS)) % 7)
    expected = (1 * 7 + drawn % 7) * 2 + 1
    np.testing.assert_array_equal(joined(data, [both, people, right]), expected)


def test_a_label_in_no_list_ends_the_reading_of_joined_columns_too(table):
    data, _ = table
    right = Coding("right", ("A", "B"), np.arange(2), 2, np.zeros(0))
    assert len(joined(data, [judges(LABELS[:150]), right])) < ROWS


def test_columns_are_not_joined_where_one_is_hashed_or_numbers_are_too_wide(table):
    data, _ = table
    hashed, right = make_readers(
        data, [judges(), Coding("right", ("A", "B"), np.arange(2), 2, np.zeros(0))]
    )
    assert join_readers([hashed, right], [300, 2]) is None
    assert join_readers([right, right], [2**16, 2**15]) is None
    assert join_readers([right, right], [2**16, 2**14]) is not None

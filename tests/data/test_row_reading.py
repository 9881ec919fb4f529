"""A table that changes while it is read row by row is refused, not read in part."""

import duckdb
import pytest

import evenhand
from evenhand.data import coding
from evenhand.data import streams as row_reading
from evenhand.data.streams import code_rows
from evenhand.errors import UnknownFormat

ROW = "select 'A' as \"left\", 'B' as \"right\", 'left' as outcome, {} as judge, 1.5 as x"


def table(rows: int = 40):
    """A table of DuckDB, and its connection."""
    connection = duckdb.connect()
    connection.execute(f"create table votes as {ROW.format(repr('kim'))} from range({rows})")
    return connection


def change(monkeypatch, connection, statement: str):
    """Let a statement be run between the counting of labels and the reading of rows."""
    check = coding.check_labels

    def changed(*arguments):
        found = check(*arguments)
        connection.execute(statement)
        return found

    monkeypatch.setattr(coding, "check_labels", changed)


GROWN = f"insert into votes {ROW.format(repr('kim'))} from range(7)"


@pytest.mark.parametrize("held", [0, 1000])
@pytest.mark.parametrize(
    ("statement", "read"), [(GROWN, 47), ("delete from votes where rowid < 3", 37)]
)
def test_rows_that_come_or_go_are_noticed(monkeypatch, held, statement, read):
    connection = table()
    monkeypatch.setattr(row_reading, "HELD", held)
    change(monkeypatch, connection, statement)
    said = rf"was changed while it was read: 40 rows were counted, {read} read; read a copy"
    with pytest.raises(UnknownFormat, match=said):
        code_rows(evenhand.read(connection.table("votes")), ["x"], by=["judge"])


@pytest.mark.parametrize("held", [0, 1000])
def test_a_label_that_was_not_there_before_is_named(monkeypatch, held):
    connection = table()
    monkeypatch.setattr(row_reading, "HELD", held)
    change(monkeypatch, connection, GROWN.replace("kim", "lee"))
    said = r"was changed while it was read: 'lee' was not in column 'judge' before; read a copy"
    with pytest.raises(UnknownFormat, match=said):
        code_rows(evenhand.read(connection.table("votes")), ["x"], by=["judge"])


@pytest.mark.parametrize("held", [0, 1000])
def test_rows_that_weigh_something_are_counted_as_rows(monkeypatch, held):
    relation = table().sql("select *, 2 as weight from votes")
    monkeypatch.setattr(row_reading, "HELD", held)
    rows = code_rows(evenhand.read(relation), ["x"])
    assert (rows.size, rows.tally().counts.sum()) == (40, 80)


def test_a_connection_that_is_used_for_something_else_is_noticed(monkeypatch):
    """DuckDB ends a result without a word when its connection runs another query."""
    connection = table(600_000)
    monkeypatch.setattr(row_reading, "HELD", 0)
    write = row_reading.write_columns

    def interrupted(batches, kinds):
        return write(interrupt(batches), kinds)

    def interrupt(batches):
        yield next(batches)
        connection.execute("select 42").fetchall()
        yield from batches

    monkeypatch.setattr(row_reading, "write_columns", interrupted)
    with pytest.raises(UnknownFormat, match=r"600,000 rows were counted, \d+,\d+ read"):
        code_rows(evenhand.read(connection.table("votes")), ["x"])

"""Counting of rows in narrow arrays: no count is cut off."""

from dataclasses import replace

import duckdb
import narwhals as nw
import pytest

from evenhand.data import coding
from evenhand.data import count as counting
from evenhand.data.coding import Coding, code_tables
from evenhand.data.comparisons import Comparisons
from evenhand.data.count import count_read, make_readers
from evenhand.data.source import Source

SMALL = 2**16 - 1  # the largest count that two bytes hold
MEANING = {"left": 0, "tie": 1, "right": 2}


def table(judge: str, rows: int) -> Comparisons:
    """A table of one pair and outcome, but for its last row, by judges of `judge`."""
    connection = duckdb.connect()
    relation = connection.sql(
        f"select 'A' as \"left\", 'B' as \"right\", 'left' as outcome, {judge} as judge,"
        f" 'only' as item from range({rows}) as t(i)"
        " union all select 'B', 'A', 'tie', 'lee', 'only'"
    )
    return Comparisons(nw.from_native(relation), Source(connection=connection))


def codings(judges: dict[str, float], by=("judge",), limits=None):
    """Labels and codes of the columns of such a table."""
    sides = dict.fromkeys("AB", 0.0)
    rows = sum(judges.values())
    known = {"judge": judges, "item": {"only": rows}, "left": sides, "right": sides}
    return code_tables(by, known, MEANING, limits or {})


@pytest.mark.parametrize("rows", [SMALL - 1, SMALL, SMALL + 1, 2 * SMALL + 3])
def test_all_rows_of_one_cell_are_counted(rows):
    data, tables = table("'kim'", rows), codings({"kim": rows, "lee": 1})
    keys, counts = count_read(data, data.frame, tables, make_readers(data, tables), rows + 1)
    assert keys.tolist() == [0 * 4 + 1, 1 * 4 + 2]
    assert counts.tolist() == [[rows, 0, 0], [0, 1, 0]]


def test_all_rows_of_a_cluster_are_counted_though_no_level_of_it_is_large():
    n = SMALL - 9
    data = table("'j' || (i % 4)", 4 * n)
    tables = codings({**{f"j{i}": n for i in range(4)}, "lee": 1}, limits={"judge": 2})
    _, counts = count_read(data, data.frame, tables, make_readers(data, tables), 4 * n + 1)
    assert sorted(counts.sum(axis=1).tolist()) == [1, 2 * n, 2 * n]


@pytest.mark.parametrize("dense", [coding.DENSE, 1], ids=["in an array", "sorted"])
@pytest.mark.parametrize("unknown", ["lee", "tie", "B"])
def test_nothing_is_counted_where_a_row_has_a_label_that_is_not_known(monkeypatch, dense, unknown):
    monkeypatch.setattr(coding, "DENSE", dense)
    data, known = table("'kim'", 90), {"kim": 90, "lee": 1}
    tables = [forget(one, unknown) for one in codings(known)]
    assert count_read(data, data.frame, tables, make_readers(data, tables), 91) is None


def forget(table: Coding, label: str) -> Coding:
    """The labels and codes of a column but for one label."""
    kept = [at for at, name in enumerate(table.labels) if name != label]
    labels, loads = [table.labels[at] for at in kept], table.loads[kept if len(table.loads) else []]
    return replace(table, labels=labels, codes=table.codes[kept], loads=loads)


def test_a_system_that_the_first_rows_do_not_show_is_counted_as_well(monkeypatch):
    """The last of 60 rows is the first of its system; 40 rows are looked at before."""
    monkeypatch.setattr(counting, "SAMPLE", 40)
    connection = duckdb.connect()
    relation = connection.sql(
        "select 'A' as \"left\", if(i = 59, 'C', 'B') as \"right\", 'left' as outcome,"
        " 'item ' || i as item from range(60) as t(i)"
    )
    data = Comparisons(nw.from_native(relation), Source(connection=connection))
    found = data.tally(by=["item"])
    assert (found.systems, found.n_judgments, found.wins.sum()) == (("A", "B", "C"), 60, 60)

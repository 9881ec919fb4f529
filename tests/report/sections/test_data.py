"""Counts of the data section are counts by hand, and everything left out is there."""

from __future__ import annotations

from pathlib import Path

import polars as pl

import evenhand
from evenhand.report.analysis import Analysis
from evenhand.report.document import Section
from evenhand.report.sections.data import write_section_data


def rows(section: Section, name: str) -> dict[str, float]:
    (table,) = (table for table in section.tables if table.name == name)
    return {row["what"]: row["n"] for row in table.rows}


def counts(section: Section) -> dict[str, float]:
    (row,) = next(table for table in section.tables if table.name == "counts").rows
    return dict(row)


def test_votes_are_counted_by_hand() -> None:
    votes = {
        "left": ["A", "B", "A", "A"],
        "right": ["B", "A", "C", "B"],
        "outcome": ["left", "tie", "right", "right"],
        "judge": ["j1", "j1", "j2", "j2"],
        "item": ["1", "1", "2", "1"],
    }
    section = write_section_data(Analysis(evenhand.read(pl.DataFrame(votes))))
    assert "4 judgments, 2 judges, 2 items, 3 systems, 25 % ties" in section.says[0]
    assert "Left is preferred in 33 %" in section.says[-1]
    assert counts(section)["shared_items"] == 1
    assert rows(section, "excluded") == {"nothing": 0}
    (table,) = (one for one in section.tables if one.name == "excluded")
    assert table.rows[0]["why"] == (
        "the ranking counts every judgment; sections that set some aside say so"
    )


def test_blank_rankings_and_ranks_are_left_out_and_said(tmp_path: Path) -> None:
    path = tmp_path / "ranks.csv"
    path.write_text(
        "judge,item,ranking,system,rank\n"
        "j,1,r1,A,1\nj,1,r1,B,2\nj,1,r1,C,\n"
        "j,2,r2,A,\nj,2,r2,B,\nj,2,r2,C,\n"
        "j,3,r3,A,2\nj,3,r3,B,1\nj,3,r3,C,3\n"
    )
    section = write_section_data(Analysis(evenhand.read(path)))
    assert rows(section, "excluded") == {"rankings": 1, "ranks of the other rankings": 1}
    assert counts(section)["comparisons"] == 1 + 3


def test_rows_of_no_weight_and_controls_are_left_out_and_said() -> None:
    votes = {
        "left": ["A", "B", "A", "good"],
        "right": ["B", "A", "B", "bad"],
        "outcome": ["left", "left", "right", "left"],
        "kind": ["target", "target", "target", "control"],
        "weight": [2, 1, 0, 1],
    }
    section = write_section_data(Analysis(evenhand.read(pl.DataFrame(votes))))
    (table,) = (table for table in section.tables if table.name == "excluded")
    assert [(row["n"], row["why"].split(",")[0]) for row in table.rows] == [
        (1, "their weight is zero"),
        (1, "controls"),
    ]

"""Each table of a report becomes files; CSV holds the values themselves."""

from __future__ import annotations

import csv
import io

from evenhand.render.document import Column, Table
from evenhand.report.document import Part, Section
from evenhand.report.html import ABOUT, Report, write_csv, write_tables

ROWS = (
    {"system": 'a,"b"\nc', "estimate": 0.1 + 0.2, "rest": 1},
    {"system": "D", "estimate": None, "rest": 2},
)
COLUMNS = (Column("system", "system"), Column("estimate", "log-worth", "two", "half a log-odds"))
TABLE = Table("board", "Systems, best first", COLUMNS, ROWS)


def make_report(*tasks: str) -> Report:
    section = Section("ranking", "Who is better", tables=(TABLE,), command="evenhand rank v.csv")
    parts = tuple(Part(task, ("A is best.",), (section,), f"signed {task}") for task in tasks)
    return Report("Votes", parts, "evenhand report v.csv", "0.1.0")


def test_csv_holds_every_value_of_every_row():
    read = list(csv.DictReader(io.StringIO(write_csv(TABLE), newline="")))
    assert [row["system"] for row in read] == [row["system"] for row in ROWS]
    assert float(read[0]["estimate"]) == ROWS[0]["estimate"]
    assert [row["rest"] for row in read] == ["1", "2"]
    assert read[1]["estimate"] == ""


def test_each_table_has_a_file_of_each_form_named_after_task_section_and_table(tmp_path):
    written = write_tables(make_report("fr/en", "fr en"), tmp_path / "new")
    stems = ("fr-en-ranking-board", "fr-en-ranking-board-2")
    names = {f"{stem}.{ending}" for stem in stems for ending in ("tex", "md", "csv")}
    assert {path.name for path in written} == {*names, ABOUT}
    assert {path.name for path in (tmp_path / "new").iterdir()} == {*names, ABOUT}
    for stem in stems:  # labels are as different as the files
        assert rf"\label{{tab:{stem}}}" in (tmp_path / "new" / f"{stem}.tex").read_text("utf-8")


def test_caption_columns_command_and_signature_stand_above_and_in_the_list(tmp_path):
    write_tables(make_report("fr-en"), tmp_path)
    said = (
        "fr-en: Systems, best first",
        "log-worth: half a log-odds",
        "evenhand rank v.csv",
        "signed fr-en",
    )
    for name in ("fr-en-ranking-board.tex", "fr-en-ranking-board.md", ABOUT):
        text = (tmp_path / name).read_text("utf-8")
        places = [text.index(line) for line in said]
        assert places == sorted(places)
    assert "evenhand report v.csv" in (tmp_path / ABOUT).read_text("utf-8")

"""Workbooks: a sheet is read as the CSV file of it would be, and odd ones are refused with why."""

import datetime as dt
import io
import re
import zipfile

import openpyxl
import pandas as pd
import pytest

from evenhand.data.engine import PLACE
from evenhand.errors import InvalidJudgments, UnknownFormat, UnknownOption
from evenhand.formats import workbooks
from evenhand.formats.covariates import open_covariates
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, rows_of, tally_of

HEADER = ["judge", "item", "left", "right", "outcome"]
VOTES = [["ann", 1, "x", "y", "left"], ["ben", 2, "x", "y", "tie"], ["ann", 2, "y", "x", "right"]]
CELLS = {("x", "y"): (1, 1, 0), ("y", "x"): (0, 0, 1)}


@pytest.fixture
def book(tmp_path):
    """`book(Ratings=[[...], ...], merged={"Ratings": ["A1:B1"]})` saves sheets of cells."""

    def save(name="study.xlsx", *, merged=None, hidden=(), **sheets):
        made = openpyxl.Workbook()
        made.remove(made.active)
        for title, rows in sheets.items():
            sheet = made.create_sheet(title.replace("_", " "))
            for row in rows:
                sheet.append(row)
            for area in (merged or {}).get(title, ()):
                sheet.merge_cells(area)
            if title in hidden:
                sheet.sheet_state = "hidden"
        path = tmp_path / name
        made.save(path)
        return path

    return save


def test_a_sheet_is_read_whatever_the_name_of_its_file(book, tmp_path) -> None:
    path = book(Votes=[HEADER, *VOTES])
    assert cells_of(tally_of(path)) == CELLS
    assert "sheet 'Votes'" in read(path).source.notes
    assert [row["item"] for row in rows_of(path)] == ["1", "2", "2"]
    book(Votes=[HEADER, *VOTES]).rename(tmp_path / "votes.csv")
    assert cells_of(tally_of(tmp_path / "votes.csv")) == CELLS
    notes = read(book(Votes=SAME["a title above"])).source.notes
    assert "not read: what stands above the header in row 3, 'A study of x and y'" in notes
    path = book(Votes=[HEADER, *VOTES])
    wrong = rewrite(
        path, lambda xml: re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1"', xml)
    )
    assert cells_of(tally_of(wrong)) == CELLS


def test_several_workbooks_are_read_together(book):
    paths = [book(f"{at}.xlsx", Votes=[HEADER, *VOTES]) for at in range(2)]
    assert cells_of(tally_of(paths)) == {("x", "y"): (2, 2, 0), ("y", "x"): (0, 0, 2)}
    other = book("other.xlsx", Votes=[[*HEADER, "extra"], ["ann", 1, "x", "y", "left", 1]])
    assert "has extra too, compared with" in refusal([paths[0], other], UnknownFormat)


# Sheets whose rows are the same votes
SAME = {
    "blank rows above, between and below": [[], [], HEADER, VOTES[0], [], *VOTES[1:], [], []],
    "blank columns": [[None, *HEADER[:2], None, *HEADER[2:]]]
    + [[None, *row[:2], None, *row[2:], None] for row in VOTES],
    "a title above": [["A study of x and y"], [], HEADER, *VOTES],
    "numbers as text": [HEADER, *([row[0], str(row[1]), *row[2:]] for row in VOTES)],
    "numbers with decimals": [HEADER, *([row[0], float(row[1]), *row[2:]] for row in VOTES)],
    "blanks around names": [[f" {name} " for name in HEADER], *VOTES],
}


@pytest.mark.parametrize("rows", SAME.values(), ids=SAME)
def test_blank_rows_and_columns_and_numbers_as_text_change_nothing(book, rows):
    path = book(Votes=rows)
    assert cells_of(tally_of(path)) == CELLS
    assert [row["item"] for row in rows_of(path)] == ["1", "2", "2"]


# A cell, and the text that it becomes
VALUES = {
    "a date": (dt.date(2026, 11, 27), "2026-11-27"),
    "a moment": (dt.datetime.fromisoformat("2026-11-27 06:30"), "2026-11-27 06:30:00"),
    "a time": (dt.time(6, 30), "06:30:00"),
    "a duration": (dt.timedelta(seconds=90), "90"),
    "a whole number": (3.0, "3"),
    "a fraction": (0.1, "0.1"),
    "a truth value": (True, "true"),
    "a text": ("  two  words ", "  two  words "),
    "blanks": ("   ", None),
    "missing": ("#N/A", None),
}


@pytest.mark.parametrize(("value", "text"), VALUES.values(), ids=VALUES)
def test_cells_become_text_as_in_csv(book, value, text):
    path = book(Votes=[[*HEADER, "extra"], ["ann", 1, "x", "y", "left", value], [*VOTES[1], "z"]])
    assert [row["extra"] for row in rows_of(path)] == [text, "z"]


def test_a_comma_may_stand_before_decimals_that_are_text(book):
    rows = [
        ["judge", "system", "score"],
        ["ann", "A", "3,5"],
        ["ann", "B", "4"],
        ["ben", "A", "2,5"],
    ]
    assert [row["score"] for row in rows_of(book(Ratings=rows))] == [3.5, 4, 2.5]
    wide = [["item", "system", "rater 1", "rater 2"], [1, "A", "3,5", "1,5"], [2, "A", "4", "2"]]
    assert {row["score"] for row in rows_of(book("w.xlsx", Wide=wide))} == {3.5, 1.5, 4, 2}


SCORES = [
    ["item", "GPT-4", None, "Llama", None],
    [None, "fluency", "adequacy", "fluency", "adequacy"],
    [1, 4, 5, 2, 3],
]


def test_headings_of_two_rows_are_joined_merged_or_not(book) -> None:
    path = book(Ratings=SCORES, merged={"Ratings": ["B1:C1", "D1:E1", "A1:A2"]})
    rows = {(row["system"], row["criterion"]): row["score"] for row in rows_of(path)}
    assert rows == {
        ("GPT-4", "fluency"): 4,
        ("GPT-4", "adequacy"): 5,
        ("Llama", "fluency"): 2,
        ("Llama", "adequacy"): 3,
    }
    top, below, *rest = SCORES
    rows = rows_of(book(Ratings=[top, below, *rest]))
    assert {(row["system"], row["criterion"], row["score"]) for row in rows} == {
        ("GPT-4", "fluency", 4),
        ("GPT-4", "adequacy", 5),
        ("Llama", "fluency", 2),
        ("Llama", "adequacy", 3),
    }
    rows = [["item", "system", "annotator", None], [1, "A", 4, 5], [1, "B", 3, 2]]
    path = book(Ratings=rows, merged={"Ratings": ["C1:D1"]})
    judges = {(row["judge"], row["system"]): row["score"] for row in rows_of(path)}
    assert judges["annotator 1", "A"] == 4
    assert judges["annotator 2", "B"] == 2


def test_frames_are_read_as_pandas_writes_them(tmp_path):
    columns = pd.MultiIndex.from_product([["GPT-4", "Llama"], ["fluency", "adequacy"]])
    frame = pd.DataFrame([[4, 5, 2, 3], [1, 2, 3, 4]], pd.Index([7, 8], name="item"), columns)
    frame.to_excel(tmp_path / "frame.xlsx")
    data = read(tmp_path / "frame.xlsx")
    assert data.source.exclusions == ()
    rows = {(one["item"], one["system"], one["criterion"]): one["score"] for one in rows_of(data)}
    assert len(rows) == 8
    assert rows["7", "GPT-4", "adequacy"] == 5
    assert rows["8", "Llama", "fluency"] == 3
    plain = pd.DataFrame({"GPT-4": [4, 5], "Llama": [2, 1]}, ["s1", "s2"])
    plain.to_excel(tmp_path / "plain.xlsx")
    items = {(one["item"], one["system"]): one["score"] for one in rows_of(tmp_path / "plain.xlsx")}
    assert items["s2", "GPT-4"] == 5


def test_cells_that_are_merged_or_never_computed(book) -> None:
    rows = [["item", "system", "score"], [1, "A", 4], [None, "B", 2], [2, "A", 5], [None, "B", 3]]
    path = book(Ratings=rows, merged={"Ratings": ["A2:A3", "A4:A5"]})
    assert [row["item"] for row in rows_of(path)] == ["1", "1", "2", "2"]
    assert "2 cells of merged cells hold the value that they show" in read(path).source.notes
    bare = book("bare.xlsx", Ratings=rows)  # nothing says that a blank cell is the one above
    assert [row["item"] for row in rows_of(bare)] == ["1", None, "2", None]
    path = book(Votes=[[*HEADER, "n"], [*VOTES[0], "=1+1"]])
    said = refusal(path, UnknownFormat)
    assert "cell F2 of sheet 'Votes'" in said
    assert "holds a formula that was never computed: open the file in a spreadsheet program" in said
    value = rb"<f>1+1</f><v>2</v>"
    computed = rewrite(
        path, lambda xml: re.sub(rb"<f>1\+1</f><v\s*/>|<f>1\+1</f><v></v>", value, xml)
    )
    assert [row["n"] for row in rows_of(computed)] == ["2"]


def test_the_sheet_is_told_by_what_it_holds_or_by_its_name(book, save) -> None:
    notes = [["Instructions"], ["Rate each text."], ["Thank you."]]
    path = book(Notes=notes, Votes=[HEADER, *VOTES], Empty=[], Header=[HEADER])
    assert cells_of(tally_of(path)) == CELLS
    assert "sheet 'Votes'" in read(path).source.notes
    path = book(First=[HEADER, *VOTES], Wave_2=[HEADER, VOTES[0]], Notes=[["a"], ["b"]])
    said = refusal(path, UnknownOption)
    assert "has 3 sheets, several of which could be meant: First, Wave 2; say which one:" in said
    assert "--sheet First, in Python sheet='First'" in said
    assert cells_of(tally_of(path, sheet="First")) == CELLS
    assert cells_of(tally_of(path, sheet="Wave 2")) == {("x", "y"): (1, 0, 0)}
    assert "no sheet 'wave 2'" in refusal(path, UnknownOption, sheet="wave 2")
    assert "Did you mean 'Wave 2'?" in refusal(path, UnknownOption, sheet="wave 2")
    assert "no known layout" in refusal(path, UnknownFormat, sheet="Notes")
    rows = [["who", "what", "taste", "smell"], ["ann", "A", 1, 3]]
    path = book(Notes=[["a", "b"], [1, 2]], Ratings=rows)
    assert "and none looks like what is needed: Notes, Ratings" in refusal(path, UnknownOption)
    wishes = {"columns": {"judge": "who", "system": "what", "criterion": "taste,smell"}}
    assert len(rows_of(read(path, **wishes))) == 2
    path = book(Votes=[HEADER, *VOTES], Old=[HEADER, VOTES[0]], hidden=["Old"])
    assert cells_of(tally_of(path)) == CELLS
    assert cells_of(tally_of(path, sheet="Old")) == {("x", "y"): (1, 0, 0)}
    path = save("v.csv", "left,right,outcome\nx,y,left\n")
    assert "is no workbook, so it has no sheet 'Votes'" in refusal(path, sheet="Votes")
    frame = {"left": ["x"], "right": ["y"], "outcome": ["left"]}
    polars = pytest.importorskip("polars")
    assert "has no sheet 'Votes'" in refusal(polars.DataFrame(frame), sheet="Votes")


SCORED = ["Item", "GPT-4", "Claude"]


def test_sheets_of_people_with_a_column_for_each_system_are_read_together(book):
    path = book(Anna=[SCORED, ["q1", 4, 3], ["q2", 5, 2]], Rater_2=[SCORED, ["q1", 3, 1]])
    cells = {(one["judge"], one["item"], one["system"]): one["score"] for one in rows_of(path)}
    anna = {("q1", "GPT-4"): 4, ("q1", "Claude"): 3, ("q2", "GPT-4"): 5, ("q2", "Claude"): 2}
    other = {("q1", "GPT-4"): 3, ("q1", "Claude"): 1}
    expected = {("Anna", *at): score for at, score in anna.items()}
    assert cells == expected | {("Rater 2", *at): score for at, score in other.items()}
    assert any("Anna, Rater 2 were read together" in str(one) for one in read(path).source.notes)


@pytest.mark.parametrize(
    ("names", "item"),
    [
        (("Fluency", "Adequacy"), "q1"),  # criteria
        (("Round_1", "Round_2"), "q1"),
        (("GPT-4", "GPT-3"), "q1"),
        (("Anna", "Ben"), "q2"),  # no item in common
    ],
)
def test_sheets_with_a_column_for_each_system_that_may_be_no_people_are_refused(book, names, item):
    path = book(**{names[0]: [SCORED, ["q1", 4, 3]], names[1]: [SCORED, [item, 2, 5]]})
    assert "several of which could be meant" in refusal(path, UnknownOption)


def test_tables_of_judges_and_items_may_be_workbooks(book):
    people = book(Notes=[["Those who judged"]], People=[["Judge ID", "native"], ["ann", "yes"]])
    frame = open_covariates(people, on="judge")
    assert frame.collect_schema().names() == ["judge", "native"]
    twice = book("two.xlsx", A=[["judge", "x"], ["ann", 1]], B=[["judge", "y"], ["ann", 1]])
    with pytest.raises(UnknownOption, match="such as 'A', as a file of its own"):
        open_covariates(twice, on="judge")


def rewrite(path, change):
    """Change the XML of the sheets of a workbook."""
    held = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(held, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if "worksheets/" in name else content)
    path.write_bytes(held.getvalue())
    return path


# What stands in a workbook that is refused, and words of the refusal
REFUSED = {
    "nothing": ([], InvalidJudgments, "holds no rows: write a header and one judgment a row"),
    "only a header": ([HEADER], InvalidJudgments, "holds no rows"),
    "a column twice": (
        [[*HEADER, "Judge"], [*VOTES[0], "ann"]],
        UnknownFormat,
        "column 'Judge' appears twice in the header of sheet 'Votes'",
    ),
    "an error among scores": (
        [["judge", "system", "score"], ["ann", "A", 4], ["ann", "B", "#DIV/0!"]],
        InvalidJudgments,
        "score '#DIV/0!' in column 'score'",
    ),
    "a score that became a date": (
        [["judge", "system", "score"], ["ann", "A", 4], ["ann", "B", dt.date(2026, 5, 3)]],
        InvalidJudgments,
        "score '2026-05-03' in column 'score'",
    ),
    "a misspelt outcome": (
        [HEADER, *VOTES, ["ann", 3, "x", "y", "lefft"]],
        InvalidJudgments,
        "unknown outcome 'lefft' in column 'outcome'",
    ),
}


@pytest.mark.parametrize(("rows", "kind", "words"), REFUSED.values(), ids=REFUSED)
def test_odd_sheets_are_refused(book, rows, kind, words):
    path = book(Votes=rows)
    said = refusal(path, kind)
    assert words in said
    assert str(path) in said


def test_titles_are_no_rows_and_first_rows_no_legends(book) -> None:
    rows = [["A title"], [], ["judge", "system", "score"], ["ann", "A", 4], [], ["ann", "B", "x"]]
    assert "(row 6) is not a number" in refusal(book(Ratings=rows))
    votes = [[], HEADER, VOTES[0], [], VOTES[1], ["ann", 3, "x", "y", "lefft"]]
    assert "(row 6)" in refusal(book("v.xlsx", Votes=votes))
    wide = [[], ["judge", "system", "fluency", "style"], ["j", "A", 1, 2], ["j", "B", 3, "good"]]
    said = refusal(book("w.xlsx", Wide=wide), columns={"score": "fluency,style"})
    assert "score 'good' in column 'style'" in said
    assert "(row 4)" in said
    path = book(Ratings=[LONG[0], ["j0", 3, "x", "good"], *LONG[1:]])
    with pytest.raises(InvalidJudgments, match=r"score 'good' .* \(row 2\) is not a number"):
        read(path).rows()


LONG = [["judge", "item", "system", "score"]]
LONG += [[f"j{k}", at, system, k + 1] for k in (0, 1) for at in (1, 2) for system in ("x", "y")]


@pytest.mark.parametrize(
    ("remark", "where"),
    [(["1 = bad, 2 = good"], 1), (["1 = bad, 2 = good"], 9), (["who", "what", "whose", "1-2"], 1)],
)
def test_a_title_or_legend_below_the_header_is_not_read_and_a_note_names_it(book, remark, where):
    path = book(Ratings=[*LONG[:where], remark, *LONG[where:]], Legend=[["a", "b"], ["1", "bad"]])
    data = read(path)
    assert data.rows().score.tolist() == [row[3] for row in LONG[1:]]
    assert f"not read: row {where + 1}, '{remark[0]}'" in data.source.notes


def test_a_workbook_gives_the_table_that_its_csv_file_gives(book, save):
    rows = [["Study"], HEADER, *VOTES, []]
    csv = save("study.csv", "\n".join(",".join(map(str, row)) for row in (HEADER, *VOTES)))
    sheet, text = read(book(Votes=rows)), read(csv)
    assert sheet.columns == text.columns
    rows = rows_of(sheet)
    places = [row.pop(PLACE) for row in rows]
    assert rows == rows_of(text)
    assert places == [2, 3, 4]  # from 0, for messages alone
    assert sheet.tally().digest == text.tally().digest


def test_damaged_and_foreign_files_are_refused_with_what_to_do(book, tmp_path, monkeypatch):
    path = book(Votes=[HEADER, *VOTES])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "is damaged or no .xlsx" in refusal(path, UnknownFormat)
    path.write_bytes(whole)
    broken = rewrite(path, lambda xml: xml[: len(xml) // 2])
    assert "is no whole workbook: it is damaged or locked" in refusal(broken, UnknownFormat)
    other = tmp_path / "pack.xlsx"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("content.xml", "<a/>")
    assert "another zip archive: save the sheet again as .xlsx" in refusal(other, UnknownFormat)
    other.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    assert "save the sheet as .xlsx without a password" in refusal(other, UnknownFormat)
    path.write_bytes(whole)
    monkeypatch.setattr(workbooks, "MAX_BYTES", 100)
    assert "is too large for a workbook: save the sheet as CSV" in refusal(path, UnknownFormat)

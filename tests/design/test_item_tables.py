"""Tables as spreadsheets and corpora write them are read; others are refused with the row."""

import re
from pathlib import Path

import openpyxl
import pytest

from evenhand.design.reading import read_campaign
from evenhand.errors import (
    CampaignError,
    EvenhandError,
    InvalidJudgments,
    MissingFile,
    UnknownFormat,
    UnknownOption,
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read(name, held):
    Path(name).write_bytes(held if isinstance(held, bytes) else held.encode())
    return read_campaign(name).items


def test_tables_are_read_as_spreadsheets_and_corpora_write_them():
    (item,) = read("a.csv", "item,A,B,,\n1,x,y,,\n")
    assert item.systems == ("A", "B")
    with pytest.raises(CampaignError, match="line 1: column 4 has no name"):
        read("a.csv", "item,A,B,,\n1,x,y,z,\n")
    assert read("a.csv", "sep=;\r\nitem;A;B\r\n1;x,y;z\r\n")[0].outputs["A"] == "x,y"
    with pytest.raises(CampaignError, match=r"a.csv, line 3: 1 cells"):
        read("a.csv", "sep=;\nitem;A\n1\n")
    items = read("a.tsv", 'item\tA\tB\n1\t"Yes" he said\ty\n2\t"open\tz\n')
    assert [one.outputs["A"] for one in items] == ['"Yes" he said', '"open']
    items = read("a.tsv", 'item\tA\tB\n1\t"one\ttwo"\ty\n2\t"say ""a"""\tz\n')
    assert [one.outputs["A"] for one in items] == ["one\ttwo", 'say "a"']


@pytest.mark.parametrize(
    ("name", "held", "said"),
    [
        ("a.csv", "item,A\n1,é\n".encode("cp1252"), r"line 2, character 3; perhaps Windows-1252"),
        ("a.txt", "item\tA\n1\tx\n".encode("utf-16"), "UTF-16"),
        ("a.csv", b"PK\x03\x04\x14", "is a workbook.*CSV UTF-8"),
    ],
)
def test_what_is_no_text_says_how_to_save_it(name, held, said):
    with pytest.raises(UnknownFormat, match=said):
        read(name, held)


@pytest.mark.parametrize(
    "line",
    [
        '{"item":"1","system":["A"],"output":"x"}',
        '{"item":' + "1" * 5_000 + ',"A":"x"}',
        '{"item":"1","A":' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"item":"1","A":"x","expected":NaN}',
        '{"item":"1","A":"x","expected":1' + "0" * 400 + "}",
    ],
)
def test_odd_lines_of_json_are_refused_with_their_row(line):
    with pytest.raises(CampaignError, match=r"a.jsonl, line 1"):
        read("a.jsonl", line)


ITEM = '\n[[items]]\nitem = "1"\noutputs = { A = "x" }\n'


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 100_000,
        "seed = " + "1" * 5_000 + ITEM,
        'items = "a\\u0000.csv"',
        'items = "a.xlsx"',
        f"[design]\njudges_per_item = 1{'0' * 30}{ITEM}",
        f'[[tasks]]\nkind = "rating"\nname = "q"\nhigh = 1{"0" * 400}{ITEM}',
        f'[[tasks]]\nkind = "rating"\nname = "q"\nstep = 5e-324{ITEM}',
        f"{ITEM}expected = {{ quality = 4, zz = nan }}\n",
    ],
)
def test_odd_campaign_files_are_refused(text):
    with pytest.raises((EvenhandError, MissingFile), match=r"c\.toml|a\.xlsx|a\\x00"):
        read("c.toml", text)


def save_book(name="study.xlsx", **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(name)
    return name


ITEMS = [["Segment ID", "src", "A", "B"], [1, "uno", "one", "an"], [], [2, "dos", "two", None]]
PEOPLE = [["Annotator", "email", "Quota"], ["ann", "a@b.org", 3], ["ben", "b@b.org", None]]


def test_a_sheet_of_items_is_a_table_of_items():
    items = read_campaign(save_book(Notes=[["Read"], ["me"]], Items=ITEMS)).items
    assert [(one.name, one.source, dict(one.outputs)) for one in items] == [
        ("1", "uno", {"A": "one", "B": "an"}),
        ("2", "dos", {"A": "two"}),
    ]
    save_book("bad.xlsx", Items=[*ITEMS, [2, "dos", "x", "y"]])
    with pytest.raises(CampaignError, match=r"bad.xlsx, row 5: item '2' appears twice"):
        read_campaign("bad.xlsx")
    save_book("bad.xlsx", Items=[*ITEMS, [9, "dos", "#NAME?", "y"]])
    with pytest.raises(InvalidJudgments, match=r"C5 of sheet 'Items' of bad.xlsx holds the error"):
        read_campaign("bad.xlsx")


def test_sheets_without_judges_or_with_a_column_without_a_name_are_refused():
    save_book("people.xlsx", People=[["judge", "email"]])
    Path("a.csv").write_text("item,A,B\n1,x,y\n")
    Path("c.toml").write_text('items = "a.csv"\njudges = "people.xlsx"\n')
    with pytest.raises(InvalidJudgments, match="write a header and one judge a row"):
        read_campaign("c.toml")
    # As in a table of text, where it was refused before.
    rows = [["item", "A", "B", None], ["1", "x", "y", "z"], ["2", "x", "y", None]]
    with pytest.raises(
        UnknownFormat, match=r"^column D of sheet 'Items' of .*has no name .*, row 1"
    ):
        read_campaign(save_book(Items=rows))
    rows[1][3] = None  # nothing is in it
    assert read_campaign(save_book(Items=rows)).systems == ("A", "B")


@pytest.mark.parametrize("error", ["#REF!", "#DIV/0!", "#NAME?"])
def test_an_error_of_a_sheet_is_no_output(error):
    rows = [["item", "A", "B"], ["1", "x", "y"], ["2", "x", error]]
    with pytest.raises(
        InvalidJudgments, match=rf"^cell C3 of sheet 'Items' .*the error {re.escape(error)}: mend"
    ):
        read_campaign(save_book(Items=rows))


def test_of_several_sheets_of_judges_one_is_kept_in_a_file_of_its_own():
    save_book("both.xlsx", First=PEOPLE, Second=PEOPLE)
    Path("d.toml").write_text('items = "a.csv"\njudges = "alone.xlsx"\n')
    Path("a.csv").write_text("item,A,B\n1,x,y\n")
    Path("c.toml").write_text('items = "a.csv"\njudges = "both.xlsx"\n')
    with pytest.raises(UnknownOption, match=r"keep 'First' alone in a file of its own$"):
        read_campaign("c.toml")
    save_book("alone.xlsx", First=PEOPLE)
    assert [one.name for one in read_campaign("d.toml").judges] == ["ann", "ben"]


def test_several_sheets_of_items_are_chosen_from_in_the_campaign_file():
    save_book(Items=ITEMS, Old=ITEMS[:2], People=PEOPLE)
    text = 'items = "study.xlsx"\njudges = "study.xlsx"\n'
    Path("c.toml").write_text(text)
    with pytest.raises(UnknownOption, match=r'several of which.*sheet = "Items"'):
        read_campaign("c.toml")
    Path("c.toml").write_text(f'{text}sheet = "Old"\n')
    campaign = read_campaign("c.toml")
    assert len(campaign.items) == 1
    assert [(one.name, one.quota) for one in campaign.judges] == [("ann", 3), ("ben", None)]
    Path("d.toml").write_text('items = "a.csv"\nsheet = "Old"\n')
    with pytest.raises(CampaignError, match="no workbook, so it has no sheet 'Old'"):
        read("a.csv", "item,A\n1,x\n") and read_campaign("d.toml")


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("who,quota\nann,2\n", "people.csv, line 2: a table of judges needs one column"),
        ("rater,user\nann,x\n", "needs one column with their names.*has rater, user"),
        ("judge,quota\nann,many\n", "line 2: quota cannot be 'many'"),
        ("judge\nann\nann\n", "ann"),
        ("judge,name\n,Ann\n", "line 2: '' is not a name of a judge: give a pseudonym, such as j1"),
        ("judge\n" + "j" * 500 + "\x01,\n", "line 2: "),
    ],
)
def test_odd_tables_of_judges_are_refused(held, said):
    Path("people.csv").write_text(held)
    Path("a.csv").write_text("item,A,B\n1,x,y\n")
    Path("c.toml").write_text('items = "a.csv"\njudges = "people.csv"\n')
    with pytest.raises(CampaignError, match=said):
        read_campaign("c.toml")

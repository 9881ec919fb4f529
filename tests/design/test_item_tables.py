"""Tables as spreadsheets and corpora write them are read; others are refused with the row."""

import json
from pathlib import Path

import pytest

from evenhand.design.reading import read_campaign
from evenhand.errors import CampaignError, EvenhandError, MissingFile, UnknownFormat


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read(name, held):
    Path(name).write_bytes(held if isinstance(held, bytes) else held.encode())
    return read_campaign(name).items


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_a_line_of_json_ends_at_line_feeds_alone(sign):
    row = {"item": "1", "A": f"one{sign}two", "B": "y"}
    assert read("a.jsonl", json.dumps(row, ensure_ascii=False))[0].outputs["A"] == row["A"]


def test_empty_columns_behind_the_table_are_left_out():
    (item,) = read("a.csv", "item,A,B,,\n1,x,y,,\n")
    assert item.systems == ("A", "B")
    with pytest.raises(CampaignError, match="row 1: column 4 has no name"):
        read("a.csv", "item,A,B,,\n1,x,y,z,\n")


def test_the_line_that_tells_excel_the_delimiter_is_read():
    assert read("a.csv", "sep=;\r\nitem;A;B\r\n1;x,y;z\r\n")[0].outputs["A"] == "x,y"
    with pytest.raises(CampaignError, match=r"a.csv, row 3: 1 cells"):
        read("a.csv", "sep=;\nitem;A\n1\n")


def test_quotes_in_a_table_with_tabs_are_signs_where_they_quote_nothing():
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
    with pytest.raises(CampaignError, match=r"a.jsonl, row 1"):
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

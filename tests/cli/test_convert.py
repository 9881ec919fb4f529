from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl", "x.tsv", "x.csv.gz"])
def test_what_is_written_gives_the_same_ranking(evenhand, table1, name):
    evenhand("convert", table1, "-o", name)
    before, after = (evenhand("rank", file, "--json").json for file in (table1, name))
    assert after["signature"] == before["signature"]
    assert after["systems"] == before["systems"]


@pytest.fixture
def votes(folder):
    """Two judgments without weights other than 1."""
    text = "left,right,outcome,weight\nA,B,left,1\nB,A,tie,1\n"
    Path("votes.csv").write_text(text, encoding="utf-8")
    return "votes.csv"


def test_a_weight_of_zero_is_not_written_as_a_battle(evenhand, folder):
    text = "left,right,outcome,weight\nA,B,left,1\nB,A,tie,0\n"
    Path("zero.csv").write_text(text, encoding="utf-8")
    said = evenhand("convert", "zero.csv", "--to", "arena", "-o", "battles.jsonl", code=2).err
    assert "weights other than 1 (line 3)" in said


APPRAISE = "e1,A,1,TGT,eng,deu,10\ne2,B,1,TGT,eng,deu,90\n"


def test_the_files_of_other_programs_are_read_and_written(evenhand, folder):
    Path("scores.csv").write_text(APPRAISE, encoding="utf-8")
    evenhand("convert", "scores.csv", "-o", "own.csv")
    evenhand("convert", "own.csv", "--to", "appraise", "-o", "again.csv")
    assert Path("again.csv").read_text(encoding="utf-8") == APPRAISE


def test_what_a_format_has_no_place_for_is_said(evenhand, folder):
    text = "judge,item,system,score,task,mood\nj,1,A,4,eng-deu,well\n"
    Path("own.csv").write_text(text, encoding="utf-8")
    said = evenhand("convert", "own.csv", "--to", "appraise", "-o", "x.csv").err
    assert "lost   appraise has no place for: mood" in said


def test_logins_become_persons(evenhand, folder):
    Path("scores.csv").write_text(APPRAISE, encoding="utf-8")
    Path("map.json").write_text('{"ann": ["e1", "e2"]}', encoding="utf-8")
    said = evenhand("convert", "scores.csv", "--persons", "map.json", "-o", "own.csv").err
    assert "2 logins are 1 person" in said
    rows = Path("own.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [row.split(",")[0] for row in rows] == ["ann", "ann"]


def test_the_command_line_offers_every_format_there_is():
    from evenhand.cli.convert import EXPORTS, TABLES
    from evenhand.formats.writing import KINDS

    assert set(KINDS) == {*TABLES, *EXPORTS}

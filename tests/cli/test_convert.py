from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl", "x.tsv", "x.csv.gz"])
def test_what_is_written_gives_the_same_ranking(evenhand, table1, name):
    evenhand("convert", table1, "-o", name)
    before, after = (evenhand("rank", file, "--json").json for file in (table1, name))
    assert after["signature"] == before["signature"]
    assert after["systems"] == before["systems"]


def test_it_says_what_was_read_and_written_on_the_error_stream(evenhand, table1):
    ran = evenhand("convert", table1, "-o", "x.parquet")
    assert ran.out == ""
    assert ran.err.splitlines()[0].startswith("read   comparisons")
    assert ran.err.splitlines()[-1] == "wrote  x.parquet"


def test_rankings_can_be_taken_apart(evenhand, rankings):
    evenhand("convert", rankings, "--comparisons", "-o", "pairs.jsonl")
    pairs = [json.loads(line) for line in Path("pairs.jsonl").read_text().splitlines()]
    assert len(pairs) == 9  # three rankings of three outputs
    assert {"judge", "item", "ranking", "left", "right", "outcome"} <= set(pairs[0])


def test_rankings_stay_rankings_unasked(evenhand, rankings):
    evenhand("convert", rankings, "-o", "same.csv")
    assert evenhand("inspect", "same.csv", "--json").json["kind"] == "rankings"


@pytest.fixture
def votes(folder):
    """Two judgments without weights other than 1."""
    text = "left,right,outcome,weight\nA,B,left,1\nB,A,tie,1\n"
    Path("votes.csv").write_text(text, encoding="utf-8")
    return "votes.csv"


def test_arena_files_have_its_columns(evenhand, votes):
    evenhand("convert", votes, "--to", "arena", "-o", "battles.jsonl")
    first = json.loads(Path("battles.jsonl").read_text().splitlines()[0])
    assert first == {"model_a": "A", "model_b": "B", "winner": "model_a"}


def test_a_weight_of_zero_is_not_written_as_a_battle(evenhand, folder):
    text = "left,right,outcome,weight\nA,B,left,1\nB,A,tie,0\n"
    Path("zero.csv").write_text(text, encoding="utf-8")
    said = evenhand("convert", "zero.csv", "--to", "arena", "-o", "battles.jsonl", code=2).err
    assert "weights other than 1 (line 3)" in said


def test_nothing_is_overwritten_unless_asked(evenhand, table1):
    Path("there.csv").write_text("mine")
    assert "--force" in evenhand("convert", table1, "-o", "there.csv", code=2).err
    assert Path("there.csv").read_text() == "mine"
    evenhand("convert", table1, "-o", "there.csv", "--force")
    assert Path("there.csv").read_text() != "mine"


def test_the_input_is_never_overwritten(evenhand, table1):
    before = Path(table1).read_text()
    ran = evenhand("convert", table1, "-o", f"./{table1}", "--force", code=2)
    assert "would overwrite the judgments" in ran.err
    assert Path(table1).read_text() == before


def test_two_formats_are_one_too_many(evenhand, table1):
    words = ["--to", "csv", "--to", "parquet", "-o", "x.dat"]
    assert "choose one" in evenhand("convert", table1, *words, code=2).err


def test_it_needs_somewhere_to_write(evenhand, table1):
    assert "needs --output" in evenhand("convert", table1, code=2).err


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

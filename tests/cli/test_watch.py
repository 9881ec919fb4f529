"""`evenhand watch`."""

import csv
import hashlib
import io
from pathlib import Path

import polars as pl
import pytest

from ranking.anytime.arrivals import NAMES, draw_table


@pytest.fixture
def votes(folder):
    draw_table(900).write_csv("votes.csv")
    return "votes.csv"


def test_systems_that_were_never_compared_have_no_place(evenhand, folder):
    table = draw_table(300).filter((pl.col("left") < "c") == (pl.col("right") < "c"))
    table.write_csv("apart.csv")
    ran = evenhand("watch", "apart.csv")
    lines = ran.out.splitlines()
    title = next(i for i, line in enumerate(lines) if "decided rank" in line)
    assert [line.split()[1] for line in lines[title + 1 :][:4]] == ["–"] * 4
    assert "Nobody leads now: ash, birch were never compared with cedar, dogwood." in ran.out
    rows = csv.DictReader(io.StringIO(evenhand("watch", "apart.csv", "--csv").out))
    assert [row["place"] for row in rows] == [""] * 4
    assert evenhand("watch", "apart.csv", "--latex").out.count("& -- &") == 4


def test_a_board_is_kept_and_goes_on(evenhand, folder):
    table = draw_table(900)
    table[:400].write_csv("votes.csv")
    words = ("watch", "votes.csv", "--order", "second", "--state", "board.json", "--json")
    half = evenhand(*words).json
    table.write_csv("votes.csv")
    again = evenhand(*words).json
    whole = evenhand("watch", "votes.csv", "--order", "second", "--json").json
    assert half["n_votes"] == 400
    assert again["decided"] == whole["decided"]
    assert again["digest"] == whole["digest"]


def test_a_changed_board_is_refused_and_named(evenhand, votes):
    words = ("watch", votes, "--order", "second", "--state", "board.json")
    evenhand(*words)
    board = Path("board.json")
    board.write_text(board.read_text("utf-8").replace('"ash"', '"oak"', 1), encoding="utf-8")
    ran = evenhand(*words, code=2)
    assert "board.json: this board was changed since it was written" in " ".join(ran.err.split())


def test_a_file_that_goes_on_keeps_what_its_first_votes_decided(evenhand, folder):
    table = draw_table(400).drop("judge")
    known = set()
    for votes in (100, 150, 151, 400):
        table[:votes].write_csv("votes.csv")
        found = evenhand("watch", "votes.csv", "--order", "second", "--json").json["decided"]
        decided = {(one["better"], one["worse"], one["votes"]) for one in found}
        assert known <= decided
        known = decided
    assert known


def test_a_plan_fixes_the_board_and_says_who_may_withdraw(evenhand, votes):
    plan = Path("board.toml")
    plan.write_text(f"systems = {[*NAMES]}\norder = 'second'\nmay_withdraw = ['{NAMES[-1]}']\n")
    digest = hashlib.sha256(plan.read_bytes()).hexdigest()
    words = ("watch", votes, "--plan", "board.toml", "--sha256", digest, "--state", "board.json")
    assert evenhand(*words, "--json").json["plan_sha256"] == digest
    left = evenhand(*words, "--withdrawn", NAMES[-1])
    assert f"Withdrawn: {NAMES[-1]}." in left.out
    assert evenhand(*words, "--json").json["withdrawn"] == [NAMES[-1]]
    for more, why in (
        (("--withdrawn", NAMES[0]), f"{NAMES[0]} may not be withdrawn"),
        (("--level", ".9"), "the plan does not state it"),
        (("--group-by", "judge"), "a plan is of one board"),
    ):
        assert why in " ".join(evenhand(*words, *more, code=2).err.split())
    plan.write_text(plan.read_text() + "level = 0.9\n")
    usual = evenhand("watch", votes, "--plan", "board.toml", "--level", ".95", code=2)
    assert "level is 0.95, and the plan says 0.9" in " ".join(usual.err.split())
    assert "it was changed" in " ".join(evenhand(*words, code=2).err.split())

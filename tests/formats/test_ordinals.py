"""Ranks written 1st, 2nd, 3rd, in cells and as names of columns, and rankings in one cell."""

import re

import pandas as pd
import polars as pl
import pytest

import evenhand
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat
from read_tables import refusal, rows_of

# What each of two rankings says: ranking → system → rank
RANKS = {("a", "A"): 1, ("a", "B"): 2, ("a", "C"): 3, ("b", "A"): 2, ("b", "B"): 1, ("b", "C"): 3}
KINDS = pytest.mark.parametrize("kind", ["csv", pd.DataFrame, pl.DataFrame])


def table(columns, kind, tmp_path):
    if kind != "csv":
        return kind(columns)
    pl.DataFrame(columns).write_csv(tmp_path / "ranks.csv")
    return tmp_path / "ranks.csv"


def ranks_of(source):
    return {(row["judge"], row["system"]): row["rank"] for row in rows_of(source)}


@KINDS
@pytest.mark.parametrize("named", [True, False])
def test_ordinals_are_ranks(kind, named, tmp_path):
    columns = {
        "judge": list("aaabbb"),
        "item": ["q"] * 6,
        **({"ranking": list("111222")} if named else {}),
        "system": list("ABCABC"),
        "rank": ["1st", "2nd", "3rd", "2ND", "1st", "3rd "],
    }
    assert ranks_of(table(columns, kind, tmp_path)) == RANKS


def test_ordinals_beside_other_words_are_refused_and_blank_ones_are_not_ranked(tmp_path):
    columns = {"ranking": list("1112"), "system": list("ABCA"), "rank": ["1st", "2nd", None, "1st"]}
    read = rows_of(table(columns, "csv", tmp_path))
    assert [row["rank"] for row in read] == [1, 2, None, 1]
    mixed = columns | {"rank": ["1st", "2nd", "last", "1st"]}
    assert "rank '1st' in column 'rank'" in refusal(table(mixed, "csv", tmp_path), InvalidJudgments)


@KINDS
def test_a_column_for_each_rank_holds_its_system(kind, tmp_path):
    columns = {"judge": ["a", "b"], "item": ["q"] * 2}
    columns |= {"1st": ["A", "B"], "2nd": ["B", "A"], "3rd": ["C", "C"]}
    assert ranks_of(table(columns, kind, tmp_path)) == RANKS
    short = columns | {"3rd": ["C", None]}  # the last of b was not ranked
    assert ranks_of(table(short, kind, tmp_path)) == {
        one: rank for one, rank in RANKS.items() if one != ("b", "C")
    }


def test_columns_that_lack_a_rank_are_refused(tmp_path):
    columns = {"judge": ["a"], "1st": ["A"], "3rd": ["C"]}
    assert "no known layout" in refusal(table(columns, "csv", tmp_path), UnknownFormat)


def test_the_remedy_for_rankings_in_one_cell_works_as_copied(tmp_path):
    frame = pd.DataFrame(
        {"judge": ["a", "b"], "item": ["q"] * 2, "ranking": ["A>B>C", "B > A > C"]}
    )
    said = refusal(frame, UnknownColumn)
    (call,) = re.findall(r"with pandas: (evenhand\.read\(.*\))$", said)
    assert ranks_of(eval(call, {"evenhand": evenhand, "frame": frame})) == RANKS

"""`evenhand complete`."""

import csv
import io
import json

import polars as pl
import pytest

from rating.rated_matrices import simulate
from rating.test_reliability import campaign


def write(rows, name: str) -> str:
    table = {
        "judge": [rows.judges[code] for code in rows.judge],
        "item": [rows.items[code] for code in rows.item],
        "system": [rows.systems[code] for code in rows.system],
        "score": rows.score.round(3),
    }
    for factor, one in rows.factors.items():
        table[factor] = [one.labels[code] for code in one.codes]
    pl.DataFrame(table).write_csv(name)
    return name


@pytest.fixture
def rated(folder) -> str:
    return write(simulate(1).rows(), "scores.csv")


@pytest.fixture
def full(folder) -> str:
    return write(campaign(), "full.csv")


def test_methods_stand_side_by_side_and_it_says_what_it_used(evenhand, rated):
    ran = evenhand("complete", rated)
    for method in ("random draw", "judge mean", "output mean", "judge + output", "completion"):
        assert f"\n {method} " in ran.out
    assert "judges share tastes" in ran.out
    assert "90 % intervals are ±" in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_csv_holds_every_cell_given_and_predicted(evenhand, rated):
    rows = list(csv.DictReader(io.StringIO(evenhand("complete", rated, "--csv").out)))
    assert len(rows) == 8000
    given = [row for row in rows if row["given"] == "True"]
    assert len(given) == 1600
    assert all(row["lower"] == "" for row in given)
    missing = [row for row in rows if row["given"] == "False"]
    assert all(float(row["lower"]) < float(row["score"]) < float(row["upper"]) for row in missing)


def test_json_says_whether_it_abstains_and_why(evenhand, rated):
    found = json.loads(evenhand("complete", rated, "--json", "--judge-group", "quarter").out)
    assert found["abstains"] is False
    assert "held-out cells" in found["why"]
    assert list(found["groups"]) == ["q0", "q1", "q2", "q3"]
    assert [row["method"] for row in found["errors"]][-1] == "completion"
    assert found["decisions"] is None


def test_decisions_are_a_table_a_file_and_a_figure(evenhand, full, folder):
    words = ("--reliability", "--draws", "2", "--figures", "drawn", "--figure-format", "json")
    ran = evenhand("complete", full, *words)
    assert "one rating per output orders" in ran.out.replace("\n       ", " ")
    assert (folder / "drawn" / "decisions.json").exists()
    rows = list(csv.DictReader(io.StringIO(evenhand("complete", full, *words[:3], "--csv").out)))
    assert {row["design"] for row in rows} == {"spread", "common"}
    assert "booktabs" in evenhand("complete", full, *words[:3], "--latex").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--draws", "3"), "--draws is about --reliability"),
        (("--figures", "x"), "--figures is about --reliability"),
        (("--reliability", "--figure-format", "svg"), "--figures FOLDER"),
        (("--clip", "5-1"), "a low end comes first"),
        (("--level", "2"), "a proportion"),
        (("--judge-group", "quartr"), "Did you mean 'quarter'"),
        (("--reliability",), "rated too few of the same outputs"),
    ],
)
def test_refusals_are_one_line(evenhand, rated, words, said):
    ran = evenhand("complete", rated, *words, code=2)
    assert said in ran.err.replace("\n       ", " ")
    assert "Traceback" not in ran.err


def test_comparisons_are_refused(evenhand, folder):
    (folder / "votes.csv").write_text("left,right,outcome\na,b,left\n")
    ran = evenhand("complete", "votes.csv", code=2)
    assert "needs ratings" in ran.err.replace("\n       ", " ")

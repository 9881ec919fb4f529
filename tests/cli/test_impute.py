"""`evenhand impute`."""

import csv
import io
import json
import re

import numpy as np
import polars as pl
import pytest

from ratings.rated_matrices import make_rows, simulate
from ratings.test_reliability import campaign


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


def test_it_tells_apart_the_two_held_out_sets(evenhand, rated):
    said = " ".join(evenhand("impute", rated).out.split())
    assert "on 320 held-out cells that nothing was learned or chosen on" in said
    assert "On 240 further held-out cells, which serve this choice alone, shared tastes" in said
    assert "intercepts" not in said


def test_with_a_file_a_sentence_stays_in_one_note(evenhand, rated):
    err = evenhand("impute", rated, "-o", "all.csv").err.replace("\n       ", " ")
    assert "On 240 further held-out cells, which serve this choice alone" in err


def test_judges_without_bounds_are_counted_beside_the_widths_of_the_others(evenhand, folder):
    """Of 90 % intervals only judges with nine held-out ratings or more have any bounds."""
    sheet = evenhand("impute", write(uneven(), "uneven.csv"), "--judge-group", "judge")
    said = " ".join(sheet.out.split())
    assert " points for 2 of 10 judges; for the others they have no bounds" in said


def uneven():
    """Two judges rated 100 of 120 outputs, eight 10."""
    rng = np.random.default_rng(5)
    seen = rng.random((10, 120)).argsort(axis=1) < np.where(np.arange(10) < 2, 100, 10)[:, None]
    judge, item = np.nonzero(seen)
    return make_rows(judge, item, rng.normal(size=len(judge)), seen.shape)


def test_where_nothing_is_missing_groups_have_no_width(evenhand, full):
    words = ("impute", full, "--judge-group", "judge")
    assert "± 0" not in evenhand(*words).out
    for line in evenhand(*words).out.splitlines():
        assert not line.startswith(" j0") or line.split()[-2:] == ["–", "–"]
    widths = evenhand(*words, "--json").json["intervals"]
    assert {one["widest"] for one in widths} == {None}
    assert "& --" in evenhand(*words, "--latex").out


def test_decisions_are_a_table_a_file_and_a_figure(evenhand, full, folder):
    words = ("--reliability", "--draws", "2", "--figures", "drawn", "--figures-as", "svg")
    ran = evenhand("impute", full, *words)
    assert "One rating per output orders" in ran.out
    assert (folder / "drawn" / "decisions.svg").exists()
    rows = list(csv.DictReader(io.StringIO(evenhand("impute", full, *words[:3], "--csv").out)))
    assert {row["design"] for row in rows} == {"spread", "common"}
    assert "booktabs" in evenhand("impute", full, *words[:3], "--latex").out


def test_groups_of_judges_have_a_table_in_every_form(evenhand, rated):
    words = ("impute", rated, "--judge-group", "quarter")
    drawn = evenhand(*words).out
    found = json.loads(evenhand(*words, "--json").out)["intervals"]
    for row in found:
        assert row["judges"] == 10
        ends = f"{row['narrowest']:.3g}  {row['widest']:.3g}"
        assert re.search(f" {row['group']} +10 +{row['held_out']} +{ends}\n", drawn)
    assert sum(row["held_out"] for row in found) == 320
    assert "quarter" not in evenhand("impute", rated).out
    latex = evenhand(*words, "--latex").out
    assert latex.count("toprule") == 2
    assert f"q3 & $10$ & ${found[3]['held_out']}$ & ${found[3]['widest']:.3g}$" in latex
    rows = csv.DictReader(io.StringIO(evenhand(*words, "--csv").out))
    assert {row["judge_group"] for row in rows} == {"q0", "q1", "q2", "q3"}


@pytest.mark.parametrize("verb", ["compare", "rank", "agreement", "labels", "next"])
def test_a_negative_seed_is_refused_by_every_verb(evenhand, rated, verb):
    ran = evenhand(verb, rated, "--seed", "-1", code=2)
    assert "--seed: -1: a whole number, 0 or more" in ran.err


def test_a_level_is_told_with_all_of_its_digits(evenhand, rated):
    out = evenhand("impute", rated, "--level", "0.9999999").out
    assert "99.99999 %" in out
    assert "100 %" not in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--draws", "3"), "--draws is about --reliability"),
        (("--figures", "x"), "--figures is about --reliability"),
        (("--reliability", "--figures-as", "svg"), "--figures FOLDER"),
        (("--clip", "5-1"), "write LOW-HIGH, the lowest score, then a higher one"),
        (("--clip", "0"), "--clip 0: write LOW-HIGH"),
        (("--level", "2"), "lies between 0 and 1"),
        (("--draws", "0", "--reliability"), "0: a whole number, 1 or more"),
        (("--seed", "-1"), "-1: a whole number, 0 or more"),
        (("--clip", "2-4"), "not within clip 2 to 4"),
        (("--judge-group", "item"), "judges cannot be grouped by item"),
        (("--judge-group", "quartr"), "Did you mean 'quarter'"),
        (("--reliability",), "rated too few of the same outputs"),
    ],
)
def test_refusals_are_one_line(evenhand, rated, words, said):
    ran = evenhand("impute", rated, *words, code=2)
    assert said in ran.err.replace("\n       ", " ")
    assert "Traceback" not in ran.err


def test_where_nothing_is_missing_nothing_missing_is_predicted(evenhand, full):
    said = " ".join(evenhand("impute", full).out.split())
    assert "nothing is missing. Predictions are made from judge and output alone." in said
    assert "Missing ratings" not in said

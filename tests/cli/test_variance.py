"""`evenhand variance`."""

import polars as pl
import pytest

from judges.screening.test_variance import table
from models.scored import simulate

SDS = {"system": 3.0, "judge": 8.0, "item": 6.0, "judge x system": 3.0, "residual": 6.0}


def scores(seed: int = 1) -> pl.DataFrame:
    rows = simulate(seed, SDS, n=400, sizes=(8, 25, 5))
    return pl.DataFrame(
        {
            "judge": [rows.judges[code] for code in rows.judge],
            "item": [rows.items[code] for code in rows.item],
            "system": [rows.systems[code] for code in rows.system],
            "score": rows.score,
        }
    )


@pytest.fixture
def rated(folder) -> str:
    scores().write_csv("scores.csv")
    return "scores.csv"


@pytest.fixture
def voted(folder) -> str:
    table(1).write_csv("votes.csv")
    return "votes.csv"


def test_a_wanted_reliability_is_answered_in_a_sentence(evenhand, rated):
    text = evenhand("variance", rated, "--reliability", ".8").out.replace("\n", " ")
    assert text.startswith("A reliability of 0.80 takes")
    assert "judges and" in text


def test_ratings_and_comparisons_each_have_their_option_of_a_design(evenhand, rated, table1):
    assert "say --per-output" in evenhand("variance", rated, "--per-judge", "2", code=2).err
    assert "say --per-judge" in evenhand("variance", table1, "--per-output", "2", code=2).err


def test_a_design_is_answered_in_a_sentence(evenhand, rated):
    words = ("--judges", "10", "--items", "200", "--per-output", "2")
    ran = evenhand("variance", rated, *words)
    text = ran.out.replace("\n", " ")
    assert "With 10 judges and 200 items, 2 judges per output (2,000 scores), the diff" in text
    found = evenhand("variance", rated, *words, "--json").json
    assert (found["plan"]["judges"], found["plan"]["items"], found["plan"]["each"]) == (10, 200, 2)
    assert found["plan"]["judgments"] == 2000


def test_comparisons_show_tastes_and_a_wanted_error_is_answered(evenhand, voted):
    ran = evenhand("variance", voted, "--stderr", ".2")
    text = ran.out.replace("\n", " ")
    assert "\n judge x system " in ran.out
    assert "moments" in text
    assert text.startswith("A standard error of 0.2 log-worth takes")
    assert "comparisons each on" in text
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_a_likelihood_too_flat_to_follow_has_no_end(evenhand, folder):
    """Twelve scores of two systems, whose profile rises until rounding decides."""
    rows = (
        "ann,1,A,4 ann,1,B,3 ann,2,A,5 ann,2,B,3 bob,1,A,4 bob,1,B,3"
        " bob,2,A,4 bob,2,B,2 cem,3,A,4 cem,3,B,4 cem,1,A,5 cem,1,B,3"
    )
    text = "\n".join(["judge,item,system,score", *rows.split()]) + "\n"
    (folder / "few.csv").write_text(text, encoding="utf-8")
    assert "the likelihood is too flat for profiles" in " ".join(
        evenhand("variance", "few.csv").out.split()
    )
    assert evenhand("plan", "--pilot", "few.csv", "--judges", "5", "--campaigns", "0").out

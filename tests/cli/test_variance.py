"""`evenhand variance`."""

import polars as pl
import pytest

from evenhand.cli.running import ProgressDisplay
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


def test_tasks_and_criteria_are_taken_apart_unasked(evenhand, folder):
    parts = [
        scores(seed).with_columns(task=pl.lit(task), criterion=pl.lit(criterion))
        for seed, (task, criterion) in enumerate(
            [("one", "fluency"), ("one", "adequacy"), ("two", "fluency"), ("two", "adequacy")]
        )
    ]
    pl.concat(parts).write_csv("tasks.csv")
    groups = evenhand("variance", "tasks.csv", "--json").json["groups"]
    assert set(groups) == {"one / fluency", "one / adequacy", "two / fluency", "two / adequacy"}
    groups = evenhand("variance", "tasks.csv", "--criterion", "fluency", "--json").json["groups"]
    assert set(groups) == {"one", "two"}
    words = ("--criterion", "fluency", "--task", "one", "--json")
    assert "components" in evenhand("variance", "tasks.csv", *words).json


def test_a_group_without_components_says_why(evenhand, folder):
    one = scores().with_columns(task=pl.lit("one"))
    none = one.head(1).with_columns(task=pl.lit("two"))
    pl.concat([one, none]).write_csv("tasks.csv")
    found = evenhand("variance", "tasks.csv", "--json").json
    assert set(found["groups"]) == {"one"}
    assert "could be told from chance" in found["refused"]["two"]


def test_what_the_design_cannot_tell_apart_is_starred_and_said(evenhand, folder):
    scores().unique(["judge", "system"], maintain_order=True).write_csv("once.csv")
    ran = evenhand("variance", "once.csv")
    assert "\n residual * " in ran.out
    assert "each judge saw each system once" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--criterion", "fluency"), "no criteria here"),
        (("--reliability", "1.5"), "lies between 0 and 1"),
        (("--reliability", ".9", "--stderr", "1"), "exclude each other"),
        (("--method", "moments"), "ratings have one method"),
        (("--judges", "0"), "at least one judge"),
        (("--level", "2"), "level cannot be 2"),
    ],
)
def test_wishes_that_cannot_be_are_refused_in_one_line(evenhand, rated, words, said):
    ran = evenhand("variance", rated, *words, code=2)
    assert said in ran.err


@pytest.mark.parametrize("unit", [1e7, 1e-5])
def test_large_and_small_numbers_stay_within_the_line(evenhand, folder, unit):
    rows = simulate(2, SDS, n=3000, sizes=(7, 1234, 2))
    pl.DataFrame(
        {
            "judge": [rows.judges[code] for code in rows.judge],
            "item": [rows.items[code] for code in rows.item],
            "system": [rows.systems[code] for code in rows.system],
            "score": unit * rows.score,
        }
    ).write_csv("wide.csv")
    ran = evenhand("variance", "wide.csv")
    assert " items\n" in ran.out
    assert max(len(line) for line in ran.out.splitlines()) <= 80


@pytest.mark.parametrize("role", ["judge", "item"])
def test_a_file_that_does_not_name_judges_or_items_is_refused(evenhand, folder, role):
    lines = ["judge,item,system,score", "x,1,a,3", "y,1,b,4", "x,2,b,2", "y,2,a,5", "x,3,a,1"]
    (folder / "named.csv").write_text("\n".join(lines).replace(role, "somebody", 1) + "\n")
    assert f"no column of {role}s was found" in evenhand("variance", "named.csv", code=2).err


def test_criteria_that_are_done_move_the_bar(evenhand, folder, monkeypatch):
    both = [scores(seed).with_columns(criterion=pl.lit(f"c{seed}")) for seed in (1, 2)]
    pl.concat(both).write_csv("both.csv")
    steps = []
    monkeypatch.setattr(ProgressDisplay, "step", lambda _, *at: steps.append(at))
    evenhand("variance", "both.csv")
    assert [at for at in steps if at[1] == len(both)] == [(0, 2), (1, 2)]


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

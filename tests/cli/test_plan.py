"""`evenhand plan`."""

import re
from pathlib import Path

import click
import numpy as np
import pytest

from evenhand.design.plan import plan_campaign
from evenhand.design.power import Design, Truth, draw_campaign
from evenhand.render.latex import render_latex
from evenhand.render.text import render_text

TWO = ("--systems", "2", "--gap", "0.4", "--judge-sd", "0.3")


@pytest.fixture
def pilot(folder):
    """900 judgments of four systems by 15 judges."""
    truth = Truth.spaced(4, 0.5, ties=0.2, judge_sd=0.3, item_sd=0.3)
    tally = draw_campaign(truth, Design(15, 30, 900, overlap=2), np.random.default_rng(7))
    outcome = np.array(["left", "tie", "right"])[tally.counts.argmax(axis=1)]
    judge, item = tally.factor("judge").codes, tally.factor("item").codes
    rows = zip(tally.left, tally.right, outcome, judge, item, strict=True)
    lines = [f"S{a + 1},S{b + 1},{said},j{j},i{i}" for a, b, said, j, i in rows]
    text = "\n".join(["left,right,outcome,who,item", *lines])
    Path("pilot.csv").write_text(text + "\n", encoding="utf-8")
    return "pilot.csv"


def test_it_says_who_judges_what_and_what_is_decided(evenhand):
    ran = evenhand("plan", *TWO, "--campaigns", "40", "--cost-judge", "20")
    assert "S1      S2     0.40" in ran.out
    assert "judgments by" in ran.out
    assert "40 campaigns simulated; rank sets at level 0.95" in " ".join(ran.out.split())
    assert "judges  judgments" in ran.out


def test_options_win_over_the_file(evenhand, folder):
    text = "systems = 2\ngap = 0.4\njudge_sd = 0.3\njudges = 12\n"
    Path("campaign.toml").write_text(text, encoding="utf-8")
    stated = evenhand("plan", "campaign.toml", "--campaigns", "0", "--json").json
    other = evenhand("plan", "campaign.toml", "--judges", "40", "--campaigns", "0", "--json").json
    assert (stated["design"]["judges"], other["design"]["judges"]) == (12, 40)
    assert other["design"]["judgments"] < stated["design"]["judgments"]


def test_a_pilot_gives_systems_and_tastes(evenhand, pilot):
    words = (
        "plan",
        "--pilot",
        pilot,
        "--column",
        "judge=who",
        "--judges",
        "30",
        "--campaigns",
        "0",
    )
    found = evenhand(*words, "--resolve", "S1>S4", "--json").json
    assert set(found["systems"]) == {"S1", "S2", "S3", "S4"}
    assert 0.1 < found["judge_sd"] < 0.6
    assert found["pilot"]["observed"]["judges"] == 15
    assert found["power_if_tastes_are_stronger"] <= found["pairs"][0]["expected"]
    said = evenhand(*words, "--resolve", "S1>S4").out
    assert "Pilot of 900 judgments by 15 judges on 30 items" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say what is planned"),
        (("votes.csv",), "--pilot votes.csv"),
        (("none.toml",), "there is no file 'none.toml'"),
        ((*TWO, "--judges", "4"), "fewer than 6 effective judges"),
        ((*TWO, "--judges", "6", "--judge-sd", "0.9"), "no number of judgments by 6 judges"),
        ((*TWO, "--task", "x"), "--task is of a pilot: name it (--pilot FILE)"),
        (
            (*TWO, "--task", "x", "--system-separator", "+"),
            "--task, --system-separator are of a pilot",
        ),
        ((*TWO, "--judges", "20", "--judgments", "10"), "10 judgments leave some of 20 judges"),
        ((*TWO, "--figures-as", "svg"), "say where to with --figures"),
        ((*TWO, "--loads", "even"), "'even' is not one of equal | zipf"),
    ],
)
def test_what_cannot_be_planned_is_refused(evenhand, words, said):
    ran = evenhand("plan", *words, code=2)
    assert ran.err.startswith("error  ")
    assert said in " ".join(ran.err.split())


def test_a_pilot_is_read_as_every_other_file_is(evenhand, folder, pilot):
    header, *rows = Path(pilot).read_text(encoding="utf-8").splitlines()
    rows = [row.replace(",left,", ",1,").replace(",right,", ",2,") for row in rows]
    text = "\n".join([header.replace("left,right", "a,b"), *rows])
    Path("numbers.csv").write_text(text, encoding="utf-8")
    roles = ("judge=who", "left=a", "right=b")
    columns = [word for role in roles for word in ("--column", role)]
    labels = ("--outcome", "1=left", "--outcome", "2=right", "--outcome", "tie=tie")
    words = ("--where", "who <> 'j0'", "--resolve", "S1>S4", "--campaigns", "0", "--json")
    found = evenhand("plan", "--pilot", "numbers.csv", *columns, *labels, *words).json
    assert found["pilot"]["observed"]["judges"] == 14


def test_columns_that_would_be_empty_are_left_out(evenhand):
    ran = evenhand("plan", *TWO, "--campaigns", "0")
    header = next(line for line in ran.out.splitlines() if line.startswith(" better"))
    assert header.split() == ["better", "worse", "gap", "preferred", "expected"]
    assert "cost" not in ran.out
    assert "cost" in evenhand("plan", *TWO, "--campaigns", "0", "--cost-judge", "5").out


@pytest.mark.parametrize("columns", [60, 80])
def test_names_that_hold_the_sign_between_them_are_drawn(columns):
    settings = {"worths": {"A > B": 0.6, "C": 0.0, "a, b > c": -0.5}, "judges": 20}
    plan = plan_campaign(settings, campaigns=0)
    drawn = click.unstyle(render_text(plan.document(), columns))
    rows = [re.split("  +", line.strip())[:2] for line in drawn.splitlines()]
    assert all(pair in rows for pair in (["A > B", "C"], ["A > B", "a, b > c"], ["C", "a, b > c"]))


def test_the_table_for_a_paper_holds_what_was_asked_and_no_empty_columns():
    settings = {"systems": 4, "gap": 0.5, "judges": 20, "resolve": "top"}
    written = render_latex(plan_campaign(settings, campaigns=0).document())
    assert "S1 & S4 &" in written
    assert "S2 & S3 &" not in written
    assert "Power of 3 of 6 pairs" in written
    assert "--" not in written
    assert "upper" not in written


def test_a_table_that_campaigns_contradict_is_not_drawn():
    settings = {"systems": 2, "gap": 4.0, "judges": 8, "judgments": 39}
    text = click.unstyle(render_text(plan_campaign(settings, campaigns=20).document()))
    assert not any(line.split()[:1] == ["judges"] for line in text.splitlines())
    assert "The table of judges is not shown" in text


def test_the_table_shows_the_panels_around_the_planned_one():
    plan = plan_campaign({"systems": 2, "gap": 0.8, "judges": 500, "judgments": 600}, campaigns=0)
    lines = render_text(plan.document()).splitlines()
    assert any(line.split()[:1] == ["500"] for line in lines)


def test_the_word_check_and_other_words_can_never_be_a_file_of_settings(evenhand):
    assert evenhand("plan", "chek", code=2).err.startswith("error  'chek' is no TOML file")
    assert evenhand("check", code=2).err.startswith("error  evenhand check needs")


def test_figures_are_written(evenhand, folder):
    words = ("--campaigns", "10", "--figures", "out", "--figures-as", "svg")
    ran = evenhand("plan", *TWO, "--judges", "30", *words)
    assert ran.err == "wrote  2 figures to out\n"
    assert {one.name for one in Path("out").iterdir()} == {
        "power-by-judges.svg",
        "power-by-judgments.svg",
    }

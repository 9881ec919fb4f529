"""`evenhand plan`."""

from pathlib import Path

import numpy as np
import pytest

from evenhand.design.power import Design, Truth, draw_campaign

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


@pytest.mark.parametrize(
    ("words", "told", "said"),
    [
        # 20 judges give 8,000 judgments of the 400 output pairs at most
        (
            "--judge-sd .3 --item-sd .3 --ties .15 --items 40 --judges 20 --resolve top",
            "more than they can give, each pair once (8,000 reach power 0.79); plan 25 judges",
            "",
        ),
        (
            "--items 40 --judges 5 --judgments 3000",
            "more than the 2,000 there can be: a judge judges each of 400 output pairs once; plan"
            " 60 items or more, or plan 8 judges or more",
            "",
        ),
        ("--items 5 --per-judge 100", "plan 10 items or more", ""),
        ("--judges 5 --judgments 5", "", "Enough would be 2,301 judgments by 50 judges"),
        ("--items 40 --judges 20 --judgments 400", "", "judges_per_item = 1 } (400 judgments)"),
        ("--items 40 --judges 20 --judgments 765", "", "judges_per_item = 2 } (800 judgments)"),
        ("--items 40 --judges 20 --judgments 765 --overlap 2", "", "(800 judgments)"),
        ("--items 40 --judges 20 --judgments 200", "", "per_item = 5 } (200 judgments)"),
        ("--gate .05 --items 10 --judges 10 --judgments 500", "than the 100 there can be", ""),
    ],
)
def test_no_design_is_printed_in_which_a_judge_judges_a_pair_twice(evenhand, words, told, said):
    systems = () if "--gate" in words else ("--systems", "5")
    words = ("--gap", ".4", *systems, *words.split(), "--campaigns", "0")
    ran = evenhand("plan", *words, code=2 if told else 0)
    assert told in " ".join(ran.err.split())
    assert said in " ".join(ran.out.split())


@pytest.mark.parametrize(("judgments", "alone"), [("400", True), ("765", False)])
def test_judges_share_output_pairs_where_there_are_fewer_than_judgments(evenhand, judgments, alone):
    design = ("--items", "40", "--judges", "20", "--judgments", judgments)
    ran = evenhand("plan", "--systems", "5", "--gap", ".4", *design, "--campaigns", "0")
    assert ("No two judges see one output pair" in ran.out) == alone

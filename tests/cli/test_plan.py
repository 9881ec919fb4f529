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

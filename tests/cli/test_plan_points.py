"""`evenhand plan` of ratings."""

import re
from pathlib import Path

import numpy as np
import pytest

from evenhand.design.power import Design, Truth, draw_scores

POINTS = ("--unit", "points", "--judge-sd", "3", "--item-sd", "6", "--noise-sd", "10")


@pytest.fixture
def pilot(folder):
    """Scores of four systems by 16 judges, on two criteria; judges differ in severity."""
    truth = Truth.spaced(4, 4.0, judge_sd=3.0, item_sd=6.0, noise_sd=10.0)
    rng = np.random.default_rng(3)
    rows = draw_scores(truth, Design(16, 40, 960, overlap=3), rng)
    score = 60 + rows.score + rng.normal(0, 8, 16)[rows.judge]
    lines = [
        f"j{judge},i{item},S{system + 1},{name},{points:.1f}"
        for judge, item, system, points in zip(
            rows.judge, rows.item, rows.system, score, strict=True
        )
        for name in ("adequacy", "fluency")
    ]
    text = "\n".join(["judge,item,system,criterion,score", *lines])
    Path("ratings.csv").write_text(text + "\n", encoding="utf-8")
    return "ratings.csv"


def test_points_are_planned_as_log_worths_are(evenhand):
    words = ("plan", *POINTS, "--systems", "3", "--gap", "5", "--campaigns", "20")
    said = " ".join(evenhand(*words).out.split())
    assert "Scores of 3 systems as stated: sd of judges' tastes 3, of items 6" in said
    assert "(points)" in said
    assert "log-worth" not in said
    assert "preferred" not in said
    assert "A difference of" in said
    found = evenhand(*words, "--json").json
    assert found["unit"] == "points"
    assert found["noise_sd"] == 10.0
    assert found["detectable"] > 0
    assert found["pairs"][0]["chance"] is None
    assert set(found) == set(
        evenhand("plan", "--systems", "3", "--gap", "0.6", "--campaigns", "0", "--json").json
    )
    header = evenhand(*words, "--csv").out.splitlines()[0]
    assert header.startswith("pair,better,worse,gap,chance,expected")


def test_a_stated_campaign_says_which_difference_it_decides(evenhand):
    size = ("--judges", "15", "--items", "60", "--judgments", "900", "--campaigns", "0")
    found = evenhand("plan", *POINTS, "--systems", "3", *size, "--json").json
    assert found["design"]["judgments"] == 900
    assert found["pairs"][0]["expected"] == pytest.approx(0.8, abs=0.02)
    out = evenhand("plan", *POINTS, "--systems", "3", *size).out
    assert f"{found['pairs'][0]['gap']:g} points apart, the least that this design decides" in (
        " ".join(out.split())
    )


def test_a_pilot_of_ratings_gives_components(evenhand, pilot):
    words = ("plan", "--pilot", pilot, "--criterion", "fluency", "--campaigns", "0")
    found = evenhand(*words, "--json").json
    assert found["unit"] == "points"
    assert found["noise_sd"] == pytest.approx(10, rel=0.1)
    assert found["pilot"]["observed"]["judges"] == 16
    assert found["excluded"][0]["rows"] == 960
    planned = evenhand(*words, "--gap", "3", "--json").json
    assert next(pair["gap"] for pair in planned["pairs"] if pair["expected"] < 0.99) == 3.0
    said = " ".join(evenhand(*words, "--gap", "3").out.split())
    assert "from the pilot, gaps as stated" in said
    assert "judge x system: sd " in said


def test_a_file_of_settings_plans_points(evenhand, folder):
    text = 'unit = "points"\nsystems = 2\ngap = 6\njudges = 15\nnoise_sd = 12\n'
    Path("campaign.toml").write_text(text, encoding="utf-8")
    found = evenhand("plan", "campaign.toml", "--campaigns", "0", "--json").json
    assert found["noise_sd"] == 12
    assert found["assumed"] == ["judge_sd", "item_sd"]
    assert [one["code"] for one in found["findings"]][:2] == ["assumed", "closed-form-only"]


def write_scores(name, score, criterion="tone"):
    """Three systems by eight judges on twenty items."""
    rng = np.random.default_rng(5)
    rows = [
        f"j{j},i{i},{system},{criterion},{score(rng, system):.0f}"
        for j in range(8)
        for i in range(20)
        for system in "ABC"
    ]
    Path(name).write_text("\n".join(["judge,item,system,criterion,score", *rows]) + "\n", "utf-8")


def test_of_penalties_the_lower_are_planned_to_be_better(evenhand, folder):
    write_scores(
        "penalty.csv",
        lambda rng, system: max(0.0, rng.normal(5 + 4 * "ABC".index(system), 3)),
        "mqm_penalty",
    )
    found = evenhand("plan", "--pilot", "penalty.csv", "--campaigns", "0", "--json").json
    pairs = {(pair["better"], pair["worse"]) for pair in found["pairs"]}
    assert pairs == {("A", "B"), ("A", "C"), ("B", "C")}
    assert "pilot-lower" in [one["code"] for one in found["findings"]]


def test_what_to_do_with_a_pilot_of_one_judge_works_when_it_is_copied(evenhand, folder):
    rows = "".join(
        f"j,i{i},{s},{(i * 7 + at) % 5}\n" for i in range(30) for at, s in enumerate("ABC")
    )
    (folder / "one.csv").write_text(f"judge,item,system,score\n{rows}", encoding="utf-8")
    refused = " ".join(evenhand("plan", "--pilot", "one.csv", code=2).err.split())
    assert "there is one judge" in refused
    assert "--column" not in refused
    (command,) = re.findall(r"\(evenhand (plan [^)]*)\)", refused)
    assert "All 3 pairs are decided" in evenhand(*command.split(), "--campaigns", "0").out

"""`evenhand rank --mix` and `--per`: how much judgments of each kind count."""

from pathlib import Path

import numpy as np
import pytest

from data.test_mix import WON, judged, shares_of_outcomes


@pytest.fixture
def groups(folder: Path) -> str:
    judged().write_csv("groups.csv")
    return "groups.csv"


def test_the_board_says_the_mix_and_what_it_is_worth(evenhand, groups):
    text = evenhand(
        "rank", groups, "--mix", "judge_group=expert:0.3,crowd:0.7", "--per", "judge"
    ).out
    said = " ".join(text.split())
    assert "Mix: judge_group expert 0.3, crowd 0.7; every judge weighs the same within" in said
    weights = np.concatenate([np.full(90, 0.3 / 90), np.full(9, 0.35 / 9), np.full(10, 0.35 / 10)])
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert f"109 judgments weigh like {effective:.0f}" in said
    assert "mix judge_group=expert:0.3,crowd:0.7 per judge" in said


def test_json_has_the_mix_and_the_estimate_of_the_closed_form(evenhand, groups):
    words = ("--mix", "judge_group=expert:0.3,crowd:0.7", "--per", "judge")
    found = evenhand("rank", groups, *words, "--json").json
    won, _, lost = shares_of_outcomes({"ann": 0.3, "ben": 0.35, "cai": 0.35})
    (one,) = (row for row in found["systems"] if row["system"] == "a")
    assert 2 * one["log_worth"] == pytest.approx(np.log(won / lost), abs=1e-8)
    assert found["mix"]["shares"] == {"judge_group": {"expert": 0.3, "crowd": 0.7}}
    assert found["mix"]["each"] == "judge"
    assert found["n_judgments"] == sum(map(sum, WON.values()))
    assert "mix" not in evenhand("rank", groups, "--json").json


def test_a_column_of_a_joined_table_of_judges_can_be_mixed(evenhand, groups):
    Path("judges.csv").write_text("judge,native\nann,yes\nben,yes\ncai,no\n", encoding="utf-8")
    words = ("--judges", "judges.csv", "--mix", "native=yes:0.5,no:0.5", "--json")
    found = evenhand("rank", groups, *words).json
    assert found["mix"]["shares"] == {"native": {"yes": 0.5, "no": 0.5}}


def test_what_has_share_0_is_counted(evenhand, groups):
    ran = evenhand("rank", groups, "--mix", "judge_group=expert:0,crowd:1")
    assert "90 comparisons of judge_group expert have share 0" in " ".join(ran.out.split())

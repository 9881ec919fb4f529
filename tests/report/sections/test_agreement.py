"""Agreement is told as counted by hand, and beside what WMT 2016 published."""

from __future__ import annotations

import csv
import re

import polars as pl
import pytest

import evenhand
from evenhand.report.analysis import Analysis, Settings
from evenhand.report.document import NOT_RUN, PASSED, UNDECIDED
from evenhand.report.sections.judges import PUBLISHED, write_section_agreement
from studied_judges import drop, make_rows, study


def answers(items, say):
    """Two judges on A and B, who prefer the left one where `say(judge, item)` is 0."""
    return [
        {"judge": judge, "item": str(item), "left": "A", "right": "B", "outcome": said}
        for item in range(items)
        for judge in "ab"
        for said in [("left", "right")[say(judge, item)]]
    ]


def test_four_votes_by_hand():
    """Three of four pairs of votes agree, no ties: by chance half would, κ = (.75 − .5) / .5."""
    section = write_section_agreement(study(answers(4, lambda *vote: vote == ("b", 0))))
    assert section.says[0].startswith("Two judges give the same answer in 75.0 %; pairwise κ 0.500")
    (check,) = section.checks
    assert (check.state, check.recommendation[:10]) == (UNDECIDED, "Let two ju")
    held = {row["title"]: row for row in section.tables[0].rows}
    kappa = held["pairwise κ, different judges"]
    assert kappa["value"] == pytest.approx(0.5)
    assert (kappa["lower"], kappa["upper"]) == (None, None)  # of four output pairs


def test_good_judges_pass_and_blind_ones_cannot_tell():
    (good,) = write_section_agreement(study(make_rows(8, 60))).checks
    (blind,) = write_section_agreement(study(make_rows(8, 60, chance=0.5))).checks
    assert (good.name, good.state, good.recommendation) == ("agreement", PASSED, "")
    number = r"-?0\.\d\d"
    said = rf"κ {number} \({number} to {number}\), expected {number} for systems this close"
    assert re.fullmatch(said, good.says)
    assert blind.state == UNDECIDED
    assert re.fullmatch(rf"{said}; not significantly more than chance", blind.says)


def test_want_of_data_is_no_sign_that_judges_do_not_agree():
    """Half of the pairs of votes agree, κ may be anything; each system won half of all."""
    rows = answers(16, lambda judge, item: (item + (judge == "b") * (item < 8)) % 2)
    for times, start, end in (
        (1, "too little is known: κ 0.00, ", "on too few items"),
        (3, "κ 0.00 (-", ""),
        (40, "κ 0.00 (-", "expected 0.00 for systems this close"),
    ):
        many = [{**row, "item": f"{k}-{row['item']}"} for row in rows for k in range(times)]
        (check,) = write_section_agreement(study(many)).checks
        assert check.state == UNDECIDED
        assert check.says.startswith(start)
        assert end in check.says


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (make_rows(1, 30), "there is one judge alone"),
        (drop(make_rows(5, 30), "judge"), "the table names no judges"),
        (drop(make_rows(5, 30), "item"), "the table names no items"),
        (make_rows(5, 30, ties=1.0), "all comparisons are ties: chance explains all agreement"),
    ],
)
def test_where_agreement_cannot_be_measured_the_light_says_why(rows, why):
    (check,) = write_section_agreement(study(rows)).checks
    assert check.state == (UNDECIDED if "ties" in why else NOT_RUN)
    assert check.says.endswith(why)
    assert check.recommendation


def test_the_values_of_the_field_are_the_published_ones(data_folder):
    path = data_folder / "wmt16_rankings" / "published_agreement.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    kappas = [float(row["pub_kappa"]) for row in rows if row["mode"] == "inter"]
    assert len(kappas) == 12
    assert (min(kappas), max(kappas)) == PUBLISHED


def test_outputs_counted_for_each_of_their_systems_are_said_to_inflate():
    rows = [
        {"judge": f"j{j}", "item": str(i), "left": "A+B", "right": "C", "outcome": "left"}
        for j in range(3)
        for i in range(12)
    ]
    rows += [{**row, "left": "A", "right": "B", "outcome": "right"} for row in rows]
    data = evenhand.read(pl.DataFrame(rows)).split_merged("+")
    section = write_section_agreement(Analysis(data, Settings(("votes.csv",))))
    assert any("agreement is inflated" in note for note in section.notes)

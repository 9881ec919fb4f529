"""Planted judges are flagged, with what changes without them; where nothing is known it says so."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.report.analysis import Analysis, Settings
from evenhand.report.assemble import make_report
from evenhand.report.document import FAILED, NOT_RUN, PASSED, UNDECIDED, describe_section
from evenhand.report.sections.judges import (
    MAX_CARDS,
    MAX_JUDGES,
    Panel,
    make_check,
    say_without,
    write_section_judges,
)
from studied_judges import drop, make_rows, study, turn


def table(section, name):
    (found,) = (one for one in section.tables if one.name == name)
    return found


def test_a_reversed_judge_is_flagged_with_a_card_and_the_answer_without_that_judge():
    section = write_section_judges(study(turn(make_rows(12, 60), "j3")))
    (check,) = section.checks
    assert (check.name, check.state, check.says) == ("judges", "warning", "1 flagged of 12")
    assert check.recommendation == "Without this judge the answer stays the same."
    assert section.says[0].startswith("1 of 12 judges is flagged: j3 (reversed). Of all")
    assert section.says[0].endswith("if most judges are honest and independent of each other.")
    cards = table(section, "cards")
    assert {row["judge"] for row in cards.rows} == {"j3"}
    assert cards.rows[0]["about"] == "verdict"
    assert cards.rows[0]["says"].startswith(
        "reversed; probability of being honest < 0.001; 60 judg"
    )
    assert cards.rows[-1]["about"] == "left out"
    assert cards.rows[-1]["says"].endswith("3 of 3 pairs are decided as before")


def test_a_flagged_judge_who_carries_the_answer_is_said_to():
    """Nobody but the reversed judge has seen D, and always prefers it."""
    rows = turn(make_rows(12, 60), "j3")
    rows += [
        {"judge": "j3", "item": f"d{k}", "left": "D", "right": "A", "outcome": said}
        for k, said in enumerate(["left"] * 29 + ["right"])
    ]
    section = write_section_judges(study(rows))
    (check,) = section.checks
    assert check.state == FAILED
    assert check.recommendation.startswith(
        "Without this judge the answer is another one: A is the best"
    )
    assert "D cannot be ranked any more" in section.says[2]
    assert "D cannot be ranked any more" in table(section, "cards").rows[-1]["says"]


def test_judges_are_counted_by_hand():
    rows = make_rows(12, 60)
    rows = [row for row in rows if row["judge"] != "j0" or row["item"] < "i2"]
    held = table(write_section_judges(study(rows)), "judges").rows
    one = next(row for row in held if row["judge"] == "j1")
    own = [row["outcome"] for row in rows if row["judge"] == "j1"]
    assert one["n"] == 60
    assert one["ties"] == pytest.approx(own.count("tie") / 60, abs=1e-4)
    assert one["share"] == pytest.approx(60 / len(rows), abs=1e-4)
    others = [row for row in rows if row["judge"] != "j1"]
    said = {row["item"]: row["outcome"] for row in rows if row["judge"] == "j1"}
    agree = sum(row["outcome"] == said[row["item"]] for row in others)
    assert (one["compared"], one["agreement"]) == (
        len(others),
        pytest.approx(agree / len(others), abs=1e-4),
    )


def test_uneven_loads_count_like_fewer_judges():
    rows = make_rows(9, 40)
    rows += [
        {**row, "judge": "busy", "item": f"{k}{row['item']}"} for k in range(8) for row in rows[:40]
    ]
    (said,) = (one for one in write_section_judges(study(rows)).says if "busiest" in one)
    effective = (9 * 40 + 320) ** 2 / (9 * 40**2 + 320**2)
    assert said == (
        "The busiest judge, busy, gave 320 of 680 judgments (47 %); with such loads 10 judges count"
        f" like {effective:.1f} who judge equally much."
    )


def test_honest_judges_with_much_to_show_pass():
    (check,) = write_section_judges(study(make_rows(12, 150))).checks
    assert (check.state, check.recommendation) == (PASSED, "")
    assert check.says == "none flagged of 12; 12 judged enough to be found out"


def give(found, judges, *, testable, n=10):
    """Return a screening in which some judges could be flagged and nobody is."""
    cards = tuple(
        replace(card, testable=card.judge in testable, flags=(), n=n if card.judge != "j0" else 200)
        for card in found.cards[:judges]
    )
    return replace(found, cards=cards, abstains=None)


def test_one_judge_of_many_who_could_be_flagged_is_no_pass():
    opened = study(make_rows(12, 150))
    panel = Panel(opened)
    for testable, state, says in [
        ({"j1"}, UNDECIDED, "only 3 % of judgments are of judges who would be flagged if careless"),
        ((), UNDECIDED, "nobody judged enough to be flagged for carelessness"),
        ({"j0"}, PASSED, "1 judged enough to be found out"),  # with 200 of 310 judgments
    ]:
        opened.__dict__["screening"] = give(panel.analysis.screening, 12, testable=testable)
        panel = Panel(opened)
        check = make_check(panel, "")
        assert (check.state, says in check.says) == (state, True), check.says


def test_the_most_suspect_without_a_flag_is_named_beside_those_who_surely_follow():
    """One judge of twelve answers blindly, too seldom for a flag; the others do not."""
    rows = [row for row in make_rows(12, 150) if row["judge"] != "j4" or int(row["item"][1:]) < 8]
    blind = np.random.default_rng(8)
    for row in rows:
        if row["judge"] == "j4" and row["outcome"] != "tie":
            row["outcome"] = ("left", "right")[blind.integers(2)]
    section = write_section_judges(study(rows))
    cards = {row["judge"]: row for row in table(section, "judges").rows}
    assert cards["j4"]["flags"] == ""
    assert cards["j4"]["p_honest"] < 0.5
    text = " ".join(section.says)
    assert "11 of 12 judges follow the others more than a careless judge would" in text
    assert "if most judges" not in text  # no flag, no rate
    assert "The most suspect of those not flagged is j4: honest with probability 0." in text


def test_who_stands_out_by_the_place_but_is_not_flagged_is_told_why():
    """Judges differ much in their bias to the first: none is odd beside the others."""
    rows = make_rows(12, 120)
    shown = np.random.default_rng(2)
    for row in rows:
        share = 0.2 + 0.6 * int(row["judge"][1:]) / 11
        if row["outcome"] != "tie" and shown.random() < 0.7:
            row["outcome"] = "left" if shown.random() < share else "right"
    opened = study(rows)
    names = {one.judge for one in opened.position_bias.stand_out}
    flagged = {card.judge for card in opened.screening.flagged}
    said = [one for one in write_section_judges(opened).says if "by the place of outputs" in one]
    assert names - flagged
    assert len(said) == 1
    assert "by more than judges differ among themselves" in said[0]
    assert not any(
        "by the place of outputs" in one
        for one in write_section_judges(study(make_rows(12, 60))).says
    )


def test_nobody_flagged_where_nobody_could_be_is_no_pass():
    (check,) = write_section_judges(study(make_rows(12, 12))).checks
    assert check.state == UNDECIDED
    assert check.says == ("none flagged of 12, but honest and careless judges cannot be told apart")
    assert check.recommendation.startswith("Let judges share more outputs, or judge more each")


def test_too_few_judges_are_the_reason_and_more_judges_the_advice():
    """Six judges of 60 judgments each: who errs stands as evidence, named on the map."""
    section = write_section_judges(study(turn(make_rows(6, 60), "j3")))
    (check,) = section.checks
    assert check.state == UNDECIDED
    assert check.says == (
        "none flagged of 6, but 6 judges are too few to say what is usual: 8 are needed"
    )
    assert check.recommendation == "Ask 2 more judges; meanwhile look at the evidence of j3."
    assert section.says[2].startswith("j3 (P(honest) < 0.001) looks careless or reversed")
    (figure,) = section.figures
    drawn = [row for rows in figure.datasets.values() for row in rows if "side" in row]
    assert "j3" in [row["judge"] for row in drawn]
    assert {row["kind"] for row in drawn} == {"too few judges to tell"}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (make_rows(1, 30), "there is one judge, j0, and nobody to compare with"),
        (drop(make_rows(5, 30), "judge"), "the data do not say who judged"),
        (make_rows(5, 30, ties=1.0), "no judge preferred anything"),
    ],
)
def test_where_judges_cannot_be_looked_at_the_light_says_why(rows, why):
    section = write_section_judges(study(rows))
    (check,) = section.checks
    assert (check.state, check.says) == (NOT_RUN, why)
    assert check.recommendation
    assert section.says == (f"Nothing can be said of the judges: {why}.",)


def test_unknown_items_leave_agreement_empty_and_the_map_stays():
    section = write_section_judges(study(drop(make_rows(12, 60), "item")))
    assert {row["agreement"] for row in table(section, "judges").rows} == {None}
    assert [figure.name for figure in section.figures] == ["map"]


def test_of_very_many_judges_the_flagged_and_the_busiest_are_shown_and_the_rest_is_said():
    rows = turn(make_rows(MAX_JUDGES + 20, 20), "j70")
    section = write_section_judges(study(rows))
    held = table(section, "judges").rows
    assert len(held) == MAX_JUDGES
    assert (held[0]["judge"], held[0]["flags"]) == ("j70", "reversed")
    assert any(f"{MAX_JUDGES} of {MAX_JUDGES + 20}" in note for note in section.notes)
    assert (
        len(table(write_section_judges(study(rows, full=True)), "judges").rows) == MAX_JUDGES + 20
    )


def test_no_ties_put_numbers_of_judgments_upwards():
    section = write_section_judges(study(make_rows(12, 60, ties=0)))
    (figure,) = section.figures
    assert "how much each judged" in figure.alt
    (rows,) = (rows for rows in figure.datasets.values() if "n" in rows[0])
    assert len(rows) == 12
    assert {row["kind"] for row in rows} <= {"not flagged", "too few judgments to tell"}


def test_all_that_is_shown_is_plain_and_finite():
    import json

    section = write_section_judges(study(turn(make_rows(12, 60), "j3")))
    json.dumps(describe_section(section), allow_nan=False)
    assert MAX_CARDS >= 1


def test_real_judges_of_wmt12(data_folder):
    data = evenhand.read(data_folder / "wmt12_rankings" / "rankings.parquet").select_task("fr-en")
    section = write_section_judges(Analysis(data, Settings(("rankings.parquet",)), "fr-en"))
    (check,) = section.checks
    assert check.says == "2 flagged of 44"
    assert check.recommendation.startswith("Without them the answer is another one: ")
    assert [row["judge"] for row in table(section, "judges").rows[:2]] == ["J120", "J126"]
    assert any("takes all tasks together" in note for note in section.notes)


def test_weights_that_count_no_votes_leave_the_lights_on_judges_not_run():
    rows = [{**row, "weight": 0.5} for row in make_rows(8, 20)]
    data = evenhand.read(pl.DataFrame(rows), weights="importance")
    (part,) = make_report(data, sections=["judges", "agreement"]).parts
    assert [(one.name, one.state) for one in part.key_checks] == [
        ("judges", "not run"),
        ("agreement", "not run"),
    ]
    assert all("count no votes" in one.says for one in part.key_checks)


def rank_won(first):
    """The ranking in which A won so many of 200 against B, and each 150 of 200 against C."""
    pairs = (("A", "B", first), ("A", "C", 150), ("B", "C", 150))
    rows = [
        (one, two, "left" if at < won else "right") for one, two, won in pairs for at in range(200)
    ]
    table = pl.DataFrame(rows, schema=["left", "right", "outcome"], orient="row")
    return evenhand.rank(evenhand.read(table))


@pytest.mark.parametrize(("won", "same"), [(95, True), (180, False)])
def test_an_open_answer_that_names_the_same_systems_is_the_same_answer(won, same):
    """A and B change places by ten of 200 votes, and both stay open: nobody is told apart anew."""
    after = rank_won(won)
    panel = SimpleNamespace(
        screening=SimpleNamespace(flagged=[SimpleNamespace(judge="j3")]),
        rank_others=lambda _: after,
    )
    said = say_without(panel, rank_won(105))[0]
    assert said.endswith("the answer stays the same.") == same

"""Planted judges are flagged, with what changes without them; where nothing is known it says so."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import evenhand
from evenhand.report.analysis import list_leaders
from evenhand.report.document import FAILED, NOT_RUN, PASSED, UNDECIDED
from evenhand.report.sections.judges import (
    MAX_CARDS,
    MAX_JUDGES,
    MIN_TESTABLE_SHARE,
    make_check,
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
    assert check.recommendation == "Without the flagged judge the decided order stays."
    assert section.says[0].startswith("1 of 12 judges is flagged: j3 (reversed). Of all")
    assert section.says[0].endswith("if most judges are honest and independent of each other.")
    first = table(section, "flags").rows[0]
    assert (first["judge"], first["flags"], first["n"]) == ("j3", "reversed", 60)
    assert first["p_honest"] < 0.001
    (card,) = section.blocks
    assert card.title == "j3: reversed"
    assert card.text.splitlines()[-1].startswith("  without the judge: nothing changes")
    assert card.text.endswith("3 of 3 pairs are separated, as with the judge")


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
    assert check.recommendation == (
        "Without the flagged judge the answer is another one: A is the best: better than each of"
        " the other 2."
    )
    assert "D cannot be ranked any more" in section.blocks[0].text


def test_honest_judges_with_much_to_show_pass():
    (check,) = write_section_judges(study(make_rows(12, 150))).checks
    assert (check.state, check.recommendation) == (PASSED, "")
    assert check.says == "none flagged of 12; 12 judged enough for a careless judge to be flagged"


def give(found, judges, *, testable, n=10):
    """Return a screening in which some judges could be flagged and nobody is."""
    cards = tuple(
        replace(card, testable=card.judge in testable, flags=(), n=n if card.judge != "j0" else 200)
        for card in found.cards[:judges]
    )
    return replace(found, cards=cards, abstains=None)


def test_one_judge_of_many_who_could_be_flagged_is_no_pass():
    found = study(make_rows(12, 150)).screening
    for testable, state, says in [
        ({"j1"}, UNDECIDED, "only 3 % of judgments are of judges who would be flagged if careless"),
        ((), UNDECIDED, "nobody judged enough to be flagged for carelessness"),
        (
            {"j0"},
            PASSED,
            "1 judged enough for a careless judge to be flagged",
        ),  # with 200 of 310 judgments
    ]:
        screening = give(found, 12, testable=testable)
        check = make_check(screening, None, least=MIN_TESTABLE_SHARE)
        assert (check.state, says in check.says) == (state, True), check.says


def test_too_few_judges_are_the_reason_and_more_judges_the_advice():
    """Six judges of 60 judgments each: who errs stands as evidence, named on the map."""
    section = write_section_judges(study(turn(make_rows(6, 60), "j3")))
    (check,) = section.checks
    assert check.state == UNDECIDED
    assert check.says == (
        "none flagged of 6, but 6 judges are too few to define usual behaviour; 8 are needed"
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


def test_of_very_many_judges_the_flagged_and_the_busiest_are_shown_and_the_rest_is_said():
    rows = turn(make_rows(MAX_JUDGES + 20, 20), "j70")
    section = write_section_judges(study(rows))
    shown = table(section, "flags")
    held = shown.rows
    assert len(held) == MAX_JUDGES
    assert (held[0]["judge"], held[0]["flags"]) == ("j70", "reversed")
    assert shown.caption.endswith(f" ({MAX_JUDGES} of {MAX_JUDGES + 20})")
    full = write_section_judges(study(rows, full=True))
    assert len(table(full, "flags").rows) == MAX_JUDGES + 20


@pytest.mark.parametrize(("won", "same"), [(95, True), (180, False)])
def test_an_open_answer_that_names_the_same_systems_is_the_same_answer(won, same):
    """A and B change places by ten of 200 votes, and both stay open: nobody is told apart anew."""
    leaders = []
    for first in (won, 105):
        pairs = (("A", "B", first), ("A", "C", 150), ("B", "C", 150))  # of 200 each
        rows = [(*pair, "left" if at < n else "right") for *pair, n in pairs for at in range(200)]
        table = pl.DataFrame(rows, schema=["left", "right", "outcome"], orient="row")
        leaders.append(list_leaders(evenhand.rank(evenhand.read(table))))
    assert (leaders[0] == leaders[1]) == same


def test_of_many_flagged_judges_some_cards_are_shown_and_the_rest_is_said():
    rows = make_rows(40, 60)
    for judge in range(MAX_CARDS + 2):
        rows = turn(rows, f"j{judge}")
    section = write_section_judges(study(rows))
    assert section.checks[0].says == f"{MAX_CARDS + 2} flagged of 40"
    assert len(section.blocks) == MAX_CARDS
    (note,) = (one for one in section.notes if one.startswith("Cards of"))
    assert f" {MAX_CARDS} of {MAX_CARDS + 2} judges are shown; evenhand judges" in note

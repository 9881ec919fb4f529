"""Which system is better: the board, its words, references and directions."""

import numpy as np
import pytest

import evenhand
from evenhand.errors import NotIdentified
from evenhand.report.assemble import find_answer
from evenhand.report.sections.data import write_section_rated
from evenhand.report.sections.systems import MAX_PLOTS, find_answer_of_ratings
from evenhand.report.sections.systems import write_section_scores as write_section
from rated_studies import is_plain, make_rows, study, table


def test_a_planted_order_is_found_with_its_means_and_said():
    rows = make_rows()
    section = write_section(study(rows))
    board = table(section, "fluency")
    assert [row["system"] for row in board.rows] == ["good", "fair", "poor"]
    assert [row["ranks"] for row in board.rows] == ["1", "2", "3"]
    for row in board.rows:
        own = [one["score"] for one in rows if one["system"] == row["system"]]
        assert row["mean"] == pytest.approx(np.mean(own))
        assert row["lower"] < row["mean"] < row["upper"]
        assert row["ratings"] == len(own)
    assert section.says[0] == "good is the best: better than each of the other 2."
    assert board.lines == (1, 2)
    assert is_plain(section)


def test_where_lower_is_better_by_its_name_the_order_turns_and_it_is_said():
    section = write_section(study(make_rows(criteria=("mqm_penalty",))))
    board = table(section, "mqm_penalty")
    assert [row["system"] for row in board.rows] == ["poor", "fair", "good"]
    assert "Lower scores are better." in section.says[-1]
    across = section.figures[0].chart.x
    assert across.low > across.high


def test_human_references_are_named_drawn_and_have_no_rank():
    worth = {"refA": 12.0, "good": 8.0, "poor": 2.0}
    section = write_section(study(make_rows(worth=worth)))
    rows = {row["system"]: row for row in table(section, "fluency").rows}
    assert {name: row["ranks"] for name, row in rows.items()} == {"good": "1", "poor": "2"}
    assert rows["good"]["beats"] == "poor"
    (apart,) = table(section, "fluency-references").rows
    assert (apart["system"], apart["beats"], apart["beaten_by"]) == ("refA", "good and poor", None)
    drawn = {
        row["system"]: row.get("kind", "system") for row in section.figures[0].datasets["rows"]
    }
    assert drawn == {"refA": "human reference", "good": "system", "poor": "system"}


def test_one_system_has_no_ranking():
    found = study(make_rows(worth={"nmt": 5.0}))
    with pytest.raises(NotIdentified, match="scores of one system only"):
        write_section(found)
    answer, signature = find_answer(found)
    assert answer[0].startswith("No ranking: there are scores of one system only")
    assert signature == ""


def test_every_criterion_is_answered_and_many_are_cut_with_a_word():
    few = study(make_rows(criteria=("adequacy", "fluency")))
    answer, signature = find_answer_of_ratings(few)
    assert answer == (
        "good is the best for adequacy: better than each of the other 2.",
        "good is the best for fluency: better than each of the other 2.",
    )
    assert signature.count("sha256") == 2
    many = study(
        make_rows(judges=5, items=6, criteria=tuple(f"c{n}" for n in range(MAX_PLOTS + 1)))
    )
    section = write_section(many)
    assert len(section.figures) == MAX_PLOTS
    assert len(section.tables) == MAX_PLOTS + 1
    assert f"The first {MAX_PLOTS} of {MAX_PLOTS + 1} criteria are drawn." in section.notes
    assert find_answer_of_ratings(many)[0][4] == "5 more criteria below."


def test_scores_that_never_vary_are_refused_and_not_said_to_be_alike():
    """5, 3 and 1 by every judge on every item are apart; how far others might be is not known."""
    worth = {"good": 5, "fair": 3, "poor": 1}
    rows = [{**row, "score": worth[row["system"]]} for row in make_rows()]
    answer, signature = find_answer(study(rows))
    assert answer[0].startswith("No ranking: scores do not vary beyond what systems, judges")
    assert signature == ""


def test_a_criterion_without_a_ranking_says_why_and_what_to_do_and_the_others_are_ranked():
    rows = make_rows(criteria=("adequacy", "fluency"))
    # under fluency each judge and each item has one system
    names = sorted({row["system"] for row in rows})
    alone = [
        row
        for row in rows
        if row["criterion"] == "adequacy"
        or int(row["judge"][1:]) % 3 == int(row["item"][1:]) % 3 == names.index(row["system"])
    ]
    extra = [{**row, "system": "x", "judge": "jx", "item": "ix"} for row in alone[-1:]]
    found = study([*alone, *extra, *({**row, "system": "y"} for row in extra)])
    section = write_section(found)
    assert section.says[0] == "good is the best for adequacy: better than each of the other 2."
    assert "No ranking for fluency: no judge or item links" in section.says[-1]
    assert "look at means, which decide no such pair (--model mean)" in section.says[-1]
    answer, _ = find_answer_of_ratings(found)
    assert [one.code for one in answer] == ["", "no-criterion"]
    by_means = write_section(study([*alone, *extra], model=evenhand.Means()))
    assert len([one for one in by_means.tables if "references" not in one.name]) == 2


def test_repeats_count_in_the_ranking_and_cluster_with_their_judge():
    rows = [{**row, "kind": "target"} for row in make_rows(judges=6, items=12)]
    repeats = [
        {**row, "kind": "repeat", "score": row["score"] + 1} for row in rows if row["item"] == "i00"
    ]
    found = study([*rows, *repeats])
    section = write_section(found)
    assert {row["ratings"] for row in table(section, "fluency").rows} == {6 * 13}
    assert section.says[1].startswith("234 ratings (18 repeats), 6 judges, 12 items")
    assert write_section_rated(found).notes[-1].startswith("18 repeats excluded here")

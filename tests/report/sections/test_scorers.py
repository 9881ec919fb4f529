"""The judges of ratings: planted faults are flagged, and the figures of the paper are there."""

import numpy as np

from evenhand.report.document import PASSED
from evenhand.report.sections.judges import MAX_SCORERS_OF_TASK as MAX_ROWS
from evenhand.report.sections.judges import write_section_scorers as write_section
from rated_studies import is_plain, make_rows, study, table


def make_panel(judges=14, items=40):
    worth = {f"s{k}": 2.0 * k for k in range(5)}
    return make_rows(judges=judges, items=items, worth=worth)


def plant(rows, judge, change):
    """Change the scores of one judge."""
    rng = np.random.default_rng(4)
    return [
        {**row, "score": change(row["score"], rng)} if row["judge"] == judge else row
        for row in rows
    ]


def test_honest_judges_pass():
    section = write_section(study(make_panel()))
    (check,) = section.checks
    assert (check.name, check.state) == ("judges", PASSED)
    assert check.says == "none flagged of 14; 14 scored enough for a careless judge to be flagged"
    assert is_plain(section)


def test_a_reversed_judge_is_flagged_with_evidence_and_what_it_changes():
    rows = plant(make_panel(), "j3", lambda score, _: 108 - score)
    section = write_section(study(rows))
    (check,) = section.checks
    assert (check.state, check.says) == ("warning", "1 flagged of 14")
    assert check.recommendation == "Without the flagged judge the decided order stays."
    card = section.blocks[0]
    assert card.title == "j3: reversed"
    assert card.text.endswith("the order of systems by mean score stays as it is")
    first = table(section, "flags").rows[0]
    assert (first["judge"], first["flags"], first["n"]) == ("j3", "reversed", 200)
    drawn = {row["judge"]: row["flags"] for row in section.figures[0].datasets["rows2"]}
    assert drawn["j3"] == "reversed"


def test_of_several_tasks_one_criterion_is_drawn_and_the_table_is_cut_with_a_word():
    rows = make_rows(judges=30, items=6, criteria=("adequacy", "fluency"))
    section = write_section(study(rows, task="t"))
    names = {figure.name for figure in section.figures}
    assert "judges-mean-adequacy" in names
    assert not any("fluency" in name for name in names)
    assert any("1 of 2 criteria" in note for note in section.notes)
    judges = table(section, "flags")
    assert len(judges.rows) == MAX_ROWS
    assert judges.caption.endswith(f" ({MAX_ROWS} of 30)")

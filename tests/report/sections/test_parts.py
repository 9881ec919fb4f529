"""Sources of variance: planted ones are found, quickly or with intervals."""

import pytest

from evenhand.errors import NotIdentified
from evenhand.report.sections.agreement import write_section_parts as write_section
from rated_studies import is_plain, make_rows, study, table

SPREAD = {f"s{k}": 3.0 * k for k in range(8)}


def sources(section):
    return {row["name"]: row for row in table(section, "components").rows}


@pytest.mark.parametrize("task", ["", "t"])
def test_planted_sources_are_found(task):
    rows = make_rows(judges=12, items=30, worth=SPREAD)
    section = write_section(study(rows, task=task))
    found = sources(section)
    assert found["system"]["sd"] == pytest.approx(7.3, rel=0.1)  # of 0, 3 ... 21: sqrt(54)
    assert found["residual"]["sd"] == pytest.approx(1.0, rel=0.1)
    assert found["judge"]["sd"] == pytest.approx(1.0, rel=0.5)
    assert sum(row["share"] for row in found.values()) == pytest.approx(1.0)
    assert is_plain(section)


def test_intervals_come_where_they_are_quick():
    section = write_section(study(make_rows()))
    judge = sources(section)["judge"]
    assert judge["lower"] < judge["sd"] < judge["upper"]
    assert any("reliability of .90" in sentence for sentence in section.says)
    assert not any("not run here" in note for note in section.notes)


def test_of_several_tasks_intervals_are_not_run_and_it_says_what_makes_them():
    section = write_section(study(make_rows(), task="t"))
    assert sources(section)["judge"]["lower"] is None
    (note,) = (note for note in section.notes if "not run here" in note)
    assert note.endswith("To make it: evenhand variance FILE --task t, or --full.")
    full = write_section(study(make_rows(), task="t", full=True))
    assert sources(full)["judge"]["lower"] is not None


def test_one_system_still_has_judges_and_items():
    section = write_section(study(make_rows(worth={"nmt": 5.0})))
    assert {"judge", "item"} <= {name.split(" (")[0] for name in sources(section)}
    assert any("one system" in note for note in section.notes)


def test_several_criteria_stand_in_one_table():
    section = write_section(study(make_rows(criteria=("adequacy", "fluency"))))
    assert section.says[0].startswith("For adequacy: A reliability of .90 takes ")
    for name in ("components", "designs"):
        shown = table(section, name)
        assert shown.columns[0].key == "criterion"
        assert {row["criterion"] for row in shown.rows} == {"adequacy", "fluency"}
    assert is_plain(section)


def test_without_judges_it_is_refused_in_words():
    with pytest.raises(NotIdentified, match="nobody knows the judges"):
        write_section(study(make_rows(), drop=("judge",)))

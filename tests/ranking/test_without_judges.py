"""What a judge changes, beside two rankings made by hand."""

import pandas as pd
import pytest

import evenhand
from evenhand.errors import NotIdentified, UnknownColumn, UnknownOption
from evenhand.judges.diagnosis import diagnose_judges
from evenhand.ranking.without_judges import (
    ALL_TASKS,
    compare_without,
    examine_comparisons,
    examine_ratings,
)
from rating_tables import ratings


def votes(rows: list[tuple[str, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["judge", "left", "right", "outcome"])


def panel() -> list[tuple[str, ...]]:
    """Ten judges prefer A to B to C, each twice in three; B and C are nearly level."""
    rows = []
    for j in range(10):
        for k in range(30):
            for left, right in (("A", "B"), ("A", "C"), ("B", "C")):
                lost = k % 2 == 0 if (left, right) == ("B", "C") else k % 3 == 0
                rows.append((f"j{j}", left, right, "right" if lost else "left"))
    return rows


def test_systems_that_change_places_are_named_and_pairs_counted():
    table = votes([*panel(), *[("one", "C", "B", "left")] * 9])
    before = evenhand.rank(evenhand.read(table))
    after = evenhand.rank(evenhand.read(table[table["judge"] != "one"]))
    assert before.systems == ("A", "C", "B")
    assert after.systems[0] == "A"
    told = compare_without(evenhand.read(table))("one")
    decided = int(after.better_than.sum())
    assert ("C and B change places" in told) == (after.systems == ("A", "B", "C"))
    assert f"{decided} of 3 pairs {'is' if decided == 1 else 'are'} separated" in told


def test_several_tasks_are_told_apart_and_those_of_others_left_alone():
    many = pd.concat([votes(panel()).assign(task=task) for task in ("x", "y", "z")])
    flip = votes([("one", "C", "A", "left")] * 300).assign(task="y")
    tell = compare_without(evenhand.read(pd.concat([many, flip])))
    told = tell("one")
    assert told.startswith("y: ")
    assert "x" not in told.split(";")[0]
    assert "3 tasks" in tell("j3") or "nothing changes" in tell("j3")


def test_a_judge_who_is_not_there_is_refused():
    tell = compare_without(evenhand.read(votes(panel())))
    with pytest.raises(UnknownOption, match="no judge 'nobody'"):
        tell("nobody")
    with pytest.raises(UnknownColumn):
        compare_without(evenhand.read(votes(panel()).drop(columns="judge")))


# Flags over all tasks, diagnoses task by task.


COLUMNS = ("judge", "item", "system", "score", "task")


def _rows(tasks):
    lines = [
        (f"j{j}", str(i), system, (i + k + j * i) % 5 + 1, task)
        for task in tasks
        for j in range(9)
        for i in range(8)
        for k, system in enumerate("abc")
    ]
    return ratings(lines, COLUMNS).rows()


def test_tasks_have_tables_apart_and_flags_in_common():
    panels, _ = examine_ratings(_rows(["x", "y"]), diagnose_judges, by="task", level=0.05)
    assert list(panels) == [ALL_TASKS, "x", "y"]
    assert panels[ALL_TASKS].diagnosis is None
    assert panels["x"].screening is None


def test_a_task_of_which_nothing_can_be_said_is_refused_by_name():
    def refuse(rows):
        if rows.size and rows.tasks[rows.task[0]] == "y":
            raise NotIdentified("nothing here")
        return diagnose_judges(rows)

    panels, refused = examine_ratings(_rows(["x", "y"]), refuse, by="task", level=0.05)
    assert list(panels) == [ALL_TASKS, "x"]
    assert refused == {"y": "nothing here"}


def test_comparisons_without_judges_are_refused():
    import pandas as pd

    import evenhand

    frame = pd.DataFrame({"left": ["a", "b"], "right": ["b", "a"], "outcome": ["left", "right"]})
    with pytest.raises(NotIdentified, match="judge"):
        examine_comparisons(evenhand.read(frame), level=0.05)

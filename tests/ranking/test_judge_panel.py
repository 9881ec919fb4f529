"""Flags over all tasks, diagnoses task by task."""

import pytest

from evenhand.errors import NotIdentified
from evenhand.judges.diagnosis import diagnose_judges
from evenhand.ranking.without_judges import ALL_TASKS, examine_comparisons, examine_ratings
from rating_tables import ratings

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

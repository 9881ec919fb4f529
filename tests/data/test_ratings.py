"""The handle on a table of ratings: choosing rows, tasks and judges."""

import polars as pl
import pytest

from evenhand.data.ratings import Ratings
from evenhand.errors import InvalidJudgments, UnknownColumn
from frames_of_engines import every_engine, handle

SCORES = {
    "judge": ["j1", "j2", "j1", "j3"],
    "system": ["A", "B", "B", "A"],
    "score": [1, 2, 3, 4],
    "task": ["x", "x", "y", "y"],
    "turn": [1, 2, 1, 1],
}


def test_a_table_without_tasks_has_none():
    columns = {name: values for name, values in SCORES.items() if name != "task"}
    data = handle(Ratings, columns, "polars")
    assert data.tasks() == []
    with pytest.raises(UnknownColumn, match="has no tasks, so task 'x' cannot"):
        data.select_task("x")


def test_a_missing_task_is_refused():
    data = handle(Ratings, SCORES | {"task": ["x", None, "y", "y"]}, "duckdb")
    with pytest.raises(InvalidJudgments, match=r"a task is missing in votes\.csv"):
        data.tasks()


@every_engine
def test_covariates_of_judges_are_joined(engine):
    data = handle(Ratings, SCORES, engine)
    own = pl.DataFrame({"judge": ["j1", "j2", "j3"], "group": ["expert", "crowd", "crowd"]})
    if engine == "duckdb without connection":
        return
    joined = data.join(own)
    assert "group" in joined.covariates
    assert joined.rows(factors=["group"]).factors["group"].loads.tolist() == [2, 2]
    with pytest.raises(InvalidJudgments, match=r"judge j3 of votes\.csv is not in the table"):
        data.join(own.head(2))

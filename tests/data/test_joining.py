"""Judge covariates from a second table: nobody is dropped, doubled or left without a level."""

import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.errors import InvalidJudgments, UnknownColumn
from frames_of_engines import ENGINES, every_engine, handle, native

VOTES = {
    "left": ["A", "B", "A", "B", "A", "B"],
    "right": ["B", "A", "B", "A", "B", "A"],
    "outcome": ["left", "tie", "right", "left", "left", "tie"],
    "judge": ["j1", "j2", "j1", "j2", "j3", "j3"],
}
JUDGES = {"judge": ["j3", "j1", "j2", "j9"], "group": ["expert", "novice", "expert", "novice"]}
able = pytest.mark.parametrize("engine", [one for one in ENGINES if "without" not in one])
"""Engines that can be handed a table."""


def join(engine, columns, table="polars", votes=VOTES, on="judge"):
    return handle(Comparisons, votes, engine).join(native(columns, table), on=on)


@able
@pytest.mark.parametrize("table", [one for one in ENGINES if "without" not in one])
def test_any_table_joins_any_other(engine, table):
    data = join(engine, JUDGES, table)
    tally = data.tally(("group",))
    assert tally.factors["group"].labels == ("expert", "novice")
    assert tally.factors["group"].loads.tolist() == [4, 2]
    assert tally.n_judgments == 6


@pytest.mark.parametrize("table", ["pandas", "duckdb"])
def test_a_duckdb_relation_of_nobody_knows_where_takes_any_table(table):
    found = join("duckdb without connection", JUDGES, table).tally(("group",))
    assert found.factors["group"].loads.tolist() == [4, 2]


@every_engine
def test_a_judge_who_is_not_in_the_table_is_named(engine):
    some = {"judge": ["j1"], "group": ["novice"]}
    with pytest.raises(InvalidJudgments) as caught:
        join(engine, some)
    python = "without(judges=['j2', 'j3'])"
    where = "--without judge=j2,judge=j3, in Python "
    assert str(caught.value) == (
        "judge j2, j3 of votes.csv is not in the table to join: add a row for each, or leave them"
        f" out ({where * engine.startswith('duckdb')}{python})"
    )


@every_engine
def test_a_judge_who_stands_in_it_twice_would_count_double(engine):
    twice = {name: [*values, values[0]] for name, values in JUDGES.items()}
    with pytest.raises(InvalidJudgments, match="judge j3 stands more than once"):
        join(engine, twice)


def test_columns_to_join_by_must_be_on_both_sides():
    with pytest.raises(UnknownColumn, match="the table to join has no column 'judge'; it has who"):
        join("polars", {"who": ["j1"], "group": ["expert"]})
    with pytest.raises(UnknownColumn, match=r"column 'item' not found in votes\.csv"):
        join("polars", {"item": ["i1"], "group": ["expert"]}, on="item")


@able
def test_a_missing_level_is_refused_when_it_is_asked_for(engine):
    holes = JUDGES | {"group": [None, "novice", "expert", "novice"]}
    data = join(engine, holes, "pandas")
    assert data.tally().n_comparisons == 6
    with pytest.raises(InvalidJudgments, match="a value is missing in column 'group'"):
        data.tally(("group",))


@pytest.mark.parametrize("engine", ["pandas", "polars", "polars lazy", "pyarrow", "duckdb"])
def test_judges_may_be_numbers_on_either_side(engine):
    numbered = VOTES | {"judge": [1, 2, 1, 2, 3, 3]}
    texts = {"judge": ["1", "2", "3"], "group": ["a", "b", "a"]}
    found = join(engine, texts, votes=numbered).tally(("group", "judge"))
    assert found.factors["group"].loads.tolist() == [4, 2]
    as_text = VOTES | {"judge": list("121233")}
    numbers = {"judge": [1, 2, 3], "group": ["a", "b", "a"]}
    assert join(engine, numbers, votes=as_text).tally(("group",)).factors["group"].size == 2

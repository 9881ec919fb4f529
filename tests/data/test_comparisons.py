"""The handle on a table of comparisons: choosing rows, tasks and judges."""

import narwhals as nw
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.source import Source
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption
from frames_of_engines import every_engine, handle, native

VOTES = {
    "left": ["A", "B", "A", "C", "B", "A"],
    "right": ["B", "C", "C", "A", "A", "B"],
    "outcome": ["left", "tie", "right", "left", "left", "tie"],
    "judge": ["j1", "j2", "j1", "j2", "j1", "j3"],
    "task": ["x", "x", "x", "y", "y", "y"],
    "turn": [1, 2, 1, 1, 2, 1],
}


@every_engine
def test_without_leaves_out_the_judgments_of_some_judges(engine):
    data = handle(Comparisons, VOTES, engine)
    kept = data.without(judges=["j1", "j3"])
    assert kept.tally(("judge",)).factors["judge"].labels == ("j2",)
    assert kept.count_judgments() == 2
    assert data.count_judgments() == 6
    assert data.without(judges=[]).tally().digest == data.tally().digest
    with pytest.raises(InvalidJudgments, match=r"no judge 'j11' in .*\. Did you mean 'j1'\?"):
        data.without(judges=["j3", "j11"])
    with pytest.raises(UnknownOption, match="judges is a list of names"):
        data.without(judges="j1")


@every_engine
def test_without_keeps_judgments_of_nobody_known(engine):
    """They were not named, so they are not excluded; distinguished by judge they are refused."""
    unsigned = VOTES | {"judge": ["j1", None, "j1", "j2", None, "j3"]}
    kept = handle(Comparisons, unsigned, engine).without(judges=["j1"])
    assert kept.tally().n_comparisons == 4
    with pytest.raises(InvalidJudgments, match="a value is missing in column 'judge'"):
        kept.tally(("judge",))


@every_engine
def test_sql_conditions_are_for_duckdb(engine):
    data = handle(Comparisons, VOTES, engine)
    if engine.startswith("duckdb"):
        assert data.where("turn = 1 and task = 'y'").tally().n_comparisons == 2
        return
    with pytest.raises(UnknownOption, match="a SQL condition needs a file or a DuckDB relation"):
        data.where("turn = 1")


@every_engine
def test_tasks_are_named_and_one_can_be_chosen(engine):
    data = handle(Comparisons, VOTES, engine)
    assert data.tasks() == ["x", "y"]
    assert data.select_task("y").tally().n_comparisons == 3
    with pytest.raises(InvalidJudgments, match=r"no task 'z' in votes\.csv\. There are x, y"):
        data.select_task("z")


@every_engine
def test_rankings_that_were_left_out_are_not_counted_as_answers(engine):
    """One ranking of three outputs by j1, one of two by j2: two answers, four comparisons."""
    columns = {
        "judge": ["j1"] * 3 + ["j2"] * 2,
        "ranking": ["r1"] * 3 + ["r2"] * 2,
        "system": ["A", "B", "C", "A", "B"],
        "rank": [1, 2, 2, 2, 1],
    }
    data = handle(Rankings, columns, engine).comparisons()
    assert (data.tally().n_judgments, data.tally().n_comparisons) == (2, 4)
    without = data.without(judges=["j2"]).tally()
    assert (without.n_judgments, without.n_comparisons) == (1, 3)
    some = data.where(nw.col("right") != "C").tally()
    assert (some.n_judgments, some.n_comparisons) == (2, 2)


def test_columns_are_known_by_the_names_outside():
    source = Source(name="arena.csv", columns={"left": "model_a", "judge": "annotator"})
    data = Comparisons(nw.from_native(native(VOTES, "polars")), source=source)
    assert data.require("annotator") == "judge"
    assert data.require("turn") == "turn"
    with pytest.raises(UnknownColumn, match=r"column 'turns' not found.*Did you mean 'turn'\?"):
        data.require("turns")
    with pytest.raises(UnknownColumn, match="It has left, right"):
        data.require("zzz")
    assert data.tally(("annotator",)).factors["judge"].labels == ("j1", "j2", "j3")


@every_engine
@pytest.mark.parametrize("name", ["left", "right", "outcome"])
def test_what_was_judged_tells_no_groups_apart(name, engine):
    with pytest.raises(UnknownOption, match=f"^{name} says what was judged: it cannot tell"):
        handle(Comparisons, VOTES, engine).tally((name,))


def test_a_weight_tells_no_groups_apart():
    weighed = handle(Comparisons, VOTES | {"weight": [1] * len(VOTES["left"])}, "polars")
    with pytest.raises(UnknownOption, match=r"^weight says how much a row counts"):
        weighed.tally(("weight",))


@pytest.mark.parametrize(("column", "role"), [("output", "system"), ("place", "rank")])
def test_a_column_of_rankings_that_pairs_no_longer_have_is_refused_by_name(column, role):
    table = {"ranking": ["1", "1"], "system": ["A", "B"], "rank": [1, 2]}
    source = Source(columns={"ranking": "ranking", role: column})
    frame = nw.from_native(native(table, "polars"))
    pairs = Rankings(frame, source=source).comparisons()
    with pytest.raises(UnknownOption, match=rf"^{column} \(the {role}\) says what was judged"):
        pairs.tally((column,))

"""Arena battles, and judgments of language models."""

import json

import polars as pl
import pytest

from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat, UnknownOption
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, rows_of, tally_of

# The raw log of an arena.


STATES = [{"model_name": "x"}, {"model_name": "y"}]
EVENTS = [
    {"tstamp": 1.0, "type": "chat", "model": "x", "ip": "1"},
    {"tstamp": 2.0, "type": "leftvote", "models": ["x", "y"], "states": STATES, "ip": "1"},
    {"tstamp": 3.0, "type": "bothbad_vote", "models": ["", ""], "states": STATES, "ip": "2"},
    {"tstamp": 4.0, "type": "rightvote", "models": ["y", "x"], "states": [], "ip": "2"},
]


def _log(events) -> str:
    return "\n".join(json.dumps(event) for event in events)


def test_what_is_no_log_of_votes_is_refused(save) -> None:
    events = [{**event, "type": "flag"} for event in EVENTS]
    assert "a log without votes" in refusal(save("t.jsonl", _log(events)), UnknownFormat)
    path = save("t.jsonl", _log(EVENTS))
    words = refusal(path, UnknownOption, format="arena_log", columns={"left": "ip"})
    assert "the left of arena votes" in words
    assert "file only" in refusal(pl.DataFrame(EVENTS[1:2]), UnknownFormat, format="arena_log")


# Arena battles with one column for each outcome.


HEADER = (
    "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
)
FINE = HEADER + '1,x,y,"p,q",r,s,1,0,0\n2,x,y,p,r,s,0,1,0\n3,y,x,p,r,s,0,0,1\n'
CELLS = {("x", "y"): (1, 0, 1), ("y", "x"): (0, 1, 0)}


def test_the_column_that_holds_one_is_the_outcome_whatever_its_type(save) -> None:
    frame = pl.read_csv(save("t.csv", FINE))
    marks = [name for name in frame.columns if name.startswith("winner_")]
    for kind in (pl.Int64, pl.Float64, pl.Boolean, pl.String):
        cast = frame.with_columns(pl.col(marks).cast(kind))
        for one in (cast, cast.lazy(), cast.to_arrow(), cast.to_pandas()):
            assert cells_of(tally_of(one)) == CELLS
    path = save("t.csv", FINE)
    words = refusal(path, UnknownOption, columns={"outcome": "winner_tie"})
    assert "stands in winner_model_a, winner_model_b, winner_tie" in words


@pytest.mark.parametrize("marks", ["1,0,1", "0,0,0", ",,", "2,0,0", "yes,0,0", "1,0,2", "1,,"])
def test_rows_without_exactly_one_are_refused(marks: str, save) -> None:
    words = refusal(save("t.csv", f"{FINE}4,x,y,p,r,s,{marks}\n"), InvalidJudgments)
    assert "(line 5): exactly one of them must be 1" in words


# Judgments of language models: AlpacaEval's annotations, PandaLM's test set.


def alpaca(*preferences: float | None) -> str:
    given = {"generator_1": "base", "generator_2": "new", "annotator": "a judge"}
    return json.dumps(
        [
            {"instruction": f"task {at}", **given, "preference": preference, "raw": {"index": 0}}
            for at, preference in enumerate(preferences)
        ]
    )


@pytest.mark.parametrize(
    ("preference", "outcome"),
    [
        (1, "left"),
        (1.0, "left"),
        (1.49, "left"),
        (1.5, "tie"),
        (0, "tie"),
        (1.51, "right"),
        (2, "right"),
    ],
)
def test_a_preference_counts_for_the_nearer_output(preference, outcome, save) -> None:
    (row,) = rows_of(save("annotations.json", alpaca(preference)))
    assert (row["left"], row["right"], row["outcome"]) == ("base", "new", outcome)
    assert (row["judge"], row["item"]) == ("a judge", "task 0")


def test_graded_preferences_are_counted_and_kept(save) -> None:
    """Published by tatsu-lab for weighted annotators: the probability of the second output."""
    data = read(save("annotations.json", alpaca(1.9900139974, 1.4593660117, 2, None)))
    assert cells_of(data.tally()) == {("base", "new"): (1, 0, 2)}
    assert [row["preference"] for row in rows_of(data)] == ["1.9900139974", "1.4593660117", "2"]
    assert "2 of 4 preferences are graded" in data.source.notes[-1]
    assert not data.positions_known


@pytest.mark.parametrize("preference", [3, 0.5, -1])
def test_another_preference_is_refused_with_its_row(preference, save) -> None:
    path = save("annotations.json", alpaca(1, preference))
    said = refusal(path, InvalidJudgments)
    assert said.startswith(f"row 2 of {path}: a preference is 0 or from 1 to 2, not {preference:g}")


PANDA = {"idx": 0, "instruction": "Say", "input": "it", "response1": "a", "response2": "b"}


def test_annotators_are_judges_of_models_that_stand_in_a_key_or_in_columns(save) -> None:
    # 1 and 2 are for the first and second response, 0 is a tie (Wang et al. 2024).
    answers = {"annotator1": 1, "annotator2": 2, "annotator3": 0}
    one = {**PANDA, "cmp_key": "cerebras-gpt-6.7B_pythia-6.9b", **answers}
    rows = rows_of(save("testset-v1.json", json.dumps([one])))
    said = [(row["judge"], row["left"], row["right"], row["outcome"]) for row in rows]
    sides = ("cerebras-gpt-6.7B", "pythia-6.9b")
    assert said == [
        ("annotator1", *sides, "left"),
        ("annotator2", *sides, "right"),
        ("annotator3", *sides, "tie"),
    ]
    assert {row["item"] for row in rows} == {"Say it"}
    odd = save("odd.json", json.dumps([one, {**one, "annotator3": 5}]))
    assert f"row 2 of {odd}: annotator3 is '5': expected 0 | 1 | 2" in refusal(odd)
    assert tally_of(odd, skip_bad_rows=True).n_judgments == 3
    one = {**PANDA, "first": "x_1", "second": "y_1", "annotator1": 2}
    path = save("testset.json", json.dumps([one]))
    assert "names no two models" in refusal(path, InvalidJudgments)
    (row,) = rows_of(path, columns={"left": "first", "right": "second"})
    assert (row["left"], row["right"], row["outcome"]) == ("x_1", "y_1", "right")
    assert "'third'" in refusal(path, UnknownColumn, columns={"left": "third"})
    panda = {**PANDA, "cmp_key": "x_y", "annotator1": 1, "cost": 2, "raw": {"index": 0}}
    for name, text in (("annotations.json", alpaca(1)), ("testset.json", json.dumps([panda]))):
        assert "not read: raw" in read(save(name, text)).source.notes

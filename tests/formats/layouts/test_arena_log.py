"""The raw log of an arena."""

import json

import polars as pl

from evenhand.errors import UnknownFormat, UnknownOption
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of

STATES = [{"model_name": "x"}, {"model_name": "y"}]
EVENTS = [
    {"tstamp": 1.0, "type": "chat", "model": "x", "ip": "1"},
    {"tstamp": 2.0, "type": "leftvote", "models": ["x", "y"], "states": STATES, "ip": "1"},
    {"tstamp": 3.0, "type": "bothbad_vote", "models": ["", ""], "states": STATES, "ip": "2"},
    {"tstamp": 4.0, "type": "rightvote", "models": ["y", "x"], "states": [], "ip": "2"},
]


def _log(events) -> str:
    return "\n".join(json.dumps(event) for event in events)


def test_votes_are_kept_and_other_events_counted(save) -> None:
    path = save("t.jsonl", _log(EVENTS))
    source = read(path).source
    assert source.format == "arena_log"
    assert source.notes[1:] == ("counted as ties: bothbad_vote", "1 event that is no vote excluded")
    tally = tally_of(path, ("judge",))
    assert tally.factor("judge").labels == ("1", "2")
    assert cells_of(tally.pool()) == {("x", "y"): (1, 1, 0), ("y", "x"): (0, 0, 1)}


def test_a_log_without_votes_is_refused(save) -> None:
    events = [{**event, "type": "flag"} for event in EVENTS]
    assert "a log without votes" in refusal(save("t.jsonl", _log(events)), UnknownFormat)


def test_models_and_votes_cannot_be_mapped(save) -> None:
    path = save("t.jsonl", _log(EVENTS))
    words = refusal(path, UnknownOption, format="arena_log", columns={"left": "ip"})
    assert "the left of arena votes" in words


def test_a_log_is_read_from_its_file_only() -> None:
    assert "file only" in refusal(pl.DataFrame(EVENTS[1:2]), UnknownFormat, format="arena_log")

"""Potato's annotations."""

import json

import pytest

from evenhand.data.rankings import Rankings
from evenhand.errors import InvalidJudgments, MissingFile
from evenhand.formats.reading import read
from outside_files import POTATO, POTATO_STATE
from read_tables import cells_of, refusal, rows_of, tally_of


@pytest.fixture
def state(tmp_path) -> None:
    (tmp_path / "w1").mkdir()
    (tmp_path / "w1" / "user_state.json").write_text(POTATO_STATE)


@pytest.mark.usefixtures("state")
def test_letters_are_places_on_the_screen_and_blanks_no_judgments(save) -> None:
    tally = tally_of(save("annotations.tsv", POTATO))
    assert cells_of(tally) == {("1", "0"): (1, 0, 0), ("0", "1"): (0, 0, 1)}


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize(("value", "outcome"), [("-2", "left"), ("0", "tie"), ("1.5", "right")])
def test_a_scale_below_0_prefers_what_was_shown_first(value, outcome, save) -> None:
    labels = {"preference": {"scale_value": value}}
    line = {"instance_id": "it46", "user_id": "w1", "labels": labels, "spans": {}, "links": {}}
    (row,) = rows_of(save("a.jsonl", json.dumps(line)))
    assert (row["left"], row["outcome"], row["scale"]) == ("1", outcome, value)


@pytest.mark.usefixtures("state")
def test_an_order_with_ties_is_a_ranking(save) -> None:
    labels = {"order": {"rank_order": "B,D=A,C"}}
    line = {"instance_id": "it46", "user_id": "w1", "labels": labels}
    data = read(save("a.jsonl", json.dumps(line)))
    assert isinstance(data, Rankings)
    found = {row["system"]: (row["rank"], row["position"]) for row in rows_of(data)}
    assert found == {"1": (2, 1), "0": (1, 2), "2": (3, 3), "3": (2, 4)}


def test_without_the_order_shown_nothing_is_read(save) -> None:
    assert "nobody knows which output A was" in refusal(save("a.tsv", POTATO), MissingFile)


@pytest.mark.usefixtures("state")
def test_what_does_not_fit_is_refused_with_its_row(save) -> None:
    words = refusal(save("a.tsv", POTATO.replace("\tB", "\tleft one")), InvalidJudgments)
    assert "line 3 of" in words
    assert "preference is 'left one': expected A | B | tie" in words
    words = refusal(save("b.tsv", POTATO.replace("it47", "it99")), InvalidJudgments)
    assert "does not say in which order" in words


def test_the_order_shown_is_read_anew_each_time(save, state, tmp_path) -> None:
    path = save("a.tsv", POTATO.splitlines()[0] + "\nit47\tw1\tA\n")
    assert cells_of(tally_of(path)) == {("0", "1"): (1, 0, 0)}
    state = POTATO_STATE.replace('"preference": [0, 1]', '"preference": [1, 0]')
    (tmp_path / "w1" / "user_state.json").write_text(state)
    assert cells_of(tally_of(path)) == {("1", "0"): (1, 0, 0)}


@pytest.mark.usefixtures("state")
def test_labels_of_ones_own_are_given_a_meaning(save) -> None:
    path = save("a.tsv", POTATO.replace("\tB", "\tboth_bad"))
    assert "are given their meaning with --outcome" in refusal(path, InvalidJudgments)
    meaning = {"A": "left", "both_bad": "tie"}
    assert cells_of(tally_of(path, outcomes=meaning))[("0", "1")] == (0, 1, 0)


@pytest.mark.usefixtures("state")
def test_what_is_not_read_is_named(save) -> None:
    labels = {"preference": {"selection": "A", "remark": "x"}, "mood": "good"}
    line = {"instance_id": "it46", "user_id": "w1", "labels": labels, "spans": {"a": 1}}
    notes = read(save("a.jsonl", json.dumps(line))).source.notes
    assert "not read: labels.mood, labels.preference.remark, spans" in notes

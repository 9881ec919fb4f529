"""Downloads of annotation tools."""

import json

import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.errors import InvalidJudgments, MissingFile, UnknownFormat
from evenhand.formats.reading import read
from outside_files import (
    ARGILLA,
    ARGILLA_VALUE,
    PEARMUT,
    PEARMUT_LINE,
    PEARMUT_RESET,
    POTATO,
    POTATO_STATE,
)
from read_tables import cells_of, refusal, rows_of, tally_of

# Pearmut's annotations.


def test_a_document_is_read_as_it_was_shown_and_a_reset_voids_it(save) -> None:
    lines = [json.loads(line) for line in PEARMUT.splitlines()]
    wrapped = rows_of(save("download.json", json.dumps({"my-campaign": lines})))
    plain = rows_of(save("lines.jsonl", PEARMUT))
    assert [{**row, "campaign": "my-campaign"} for row in plain] == wrapped
    said = [
        {"A": {"score": None, "error_spans": PEARMUT_LINE["annotation"][0]["A"]["error_spans"]}}
    ]
    data = read(save("a.jsonl", json.dumps({**PEARMUT_LINE, "annotation": said})))
    assert data.rows().score.tolist() == [-1]
    assert "no scores were given" in data.source.notes[-1]


def test_what_is_no_annotation_of_pearmut_is_refused(save) -> None:
    said = [{"C": {"score": 1}}]
    path = save("a.jsonl", json.dumps({**PEARMUT_LINE, "annotation": said}))
    assert f"line 1 of {path}: 'C' is annotated, but is not in tgt" in refusal(path)
    path = save("b.jsonl", json.dumps({**PEARMUT_LINE, "item_i": "intro_0"}))
    assert "expected welcome | goodbye | random" in refusal(path, InvalidJudgments)
    path = save("c.jsonl", "\n".join(map(json.dumps, (PEARMUT_LINE, PEARMUT_RESET))))
    assert "holds no judgments" in refusal(path, InvalidJudgments)
    path = save("campaign.json", json.dumps({"campaign_id": "x", "info": {}, "data": []}))
    assert "a Pearmut campaign: what is to be judged" in refusal(path, UnknownFormat)
    words = refusal(save("a.jsonl", _line(actions=5)), InvalidJudgments)
    assert "actions: expected a list, not 5" in words


SECOND = {"src": "s2", "tgt": {"A": "alpha"}, "item_id": "i2", "skippable": True}


def _line(**changes) -> str:
    return json.dumps({**PEARMUT_LINE, **changes})


def test_skipped_segments_controls_and_second_submissions_are_told(save) -> None:
    said, item = [*PEARMUT_LINE["annotation"], None], [*PEARMUT_LINE["item"], SECOND]
    form = _line(annotation=["30"], item=[{"text": "Age?", "form": "number"}], item_i="welcome_0")
    path = save("a.jsonl", "\n".join([form, _line(annotation=said, item=item)]))
    data = read(path)
    assert [(row["item"], row["system"]) for row in rows_of(data)] == [("i1", "A"), ("i1", "B")]
    assert data.source.notes[-2:] == (
        "answers to forms excluded: 1",
        "segments that were skipped excluded: 1",
    )
    item = [{**PEARMUT_LINE["item"][0], "validation": {"A": {"score": [0, 30], "warning": "!"}}}]
    data = read(save("a.jsonl", _line(item=item)))
    assert {row["system"]: row["kind"] for row in rows_of(data)} == {"A": "control", "B": "target"}
    assert "outputs under validation are controls: 1" in data.source.notes
    again = [{"A": {"score": 55, "error_spans": []}}]
    data = read(save("a.jsonl", "\n".join([_line(), _line(item_i=1), _line(annotation=again)])))
    assert [(row["item_i"], row["system"], row["score"]) for row in rows_of(data)] == [
        ("1", "A", 90),
        ("1", "B", 70),
        ("0", "A", 55),
    ]
    assert data.source.notes[-1] == "lines of documents that the user submitted again excluded: 1"


def test_downloads_of_several_campaigns_and_sliders(save) -> None:
    path = save("download.json", json.dumps({"c 0": [], 'c"1': [], "c2": [PEARMUT_LINE]}))
    assert [row["campaign"] for row in rows_of(path)] == ["c2", "c2"]
    broken = save("broken.json", json.dumps({"c0": [PEARMUT_LINE], "c1": {"x": 1}}))
    assert "campaign 'c1' of" in refusal(broken, UnknownFormat)
    said = [{"A": {"score": None, "sliders": {"fluency": 4, "adequacy": 2}, "error_spans": []}}]
    item = [{**PEARMUT_LINE["item"][0], "ref": "r"}]
    data = read(save("a.jsonl", _line(annotation=said, item=item, comment="well")))
    found = [(row["criterion"], row["score"], row["spans"]) for row in rows_of(data)]
    assert found == [("fluency", 4, "[]"), ("adequacy", 2, None)]
    assert "not read: comment, item.ref" in data.source.notes


def test_places_are_counted_as_on_the_page(save) -> None:
    """`split("")` makes two units of 😀, line breaks are none, behind the last is [missing]."""
    spans = [
        {"start_i": 2, "end_i": 2, "severity": "minor", "category": None},  # X
        {"start_i": 4, "end_i": 4, "severity": "major", "category": None},  # [missing]
        {"start_i": 3, "end_i": 4, "severity": "minor", "category": None},  # Y and [missing]
    ]
    item = [{"src": "s", "tgt": {"A": "😀\nXY"}}]
    (row,) = rows_of(
        save("a.jsonl", _line(annotation=[{"A": {"score": 1, "error_spans": spans}}], item=item))
    )
    found = [(span["start"], span["end"]) for span in json.loads(row["spans"])]
    assert found == [(2, 3), (0, 0), (3, 4)]
    assert row["output"][2:3] == "X"


# Potato's annotations.


@pytest.fixture
def state(tmp_path) -> None:
    (tmp_path / "w1").mkdir()
    (tmp_path / "w1" / "user_state.json").write_text(POTATO_STATE)


@pytest.mark.usefixtures("state")
def test_letters_are_places_on_the_screen_and_labels_may_be_given_a_meaning(save) -> None:
    labels = {"order": {"rank_order": "B,D=A,C"}}
    line = {"instance_id": "it46", "user_id": "w1", "labels": labels}
    data = read(save("a.jsonl", json.dumps(line)))
    assert isinstance(data, Rankings)
    found = {row["system"]: (row["rank"], row["position"]) for row in rows_of(data)}
    assert found == {"1": (2, 1), "0": (1, 2), "2": (3, 3), "3": (2, 4)}
    path = save("a.tsv", POTATO.replace("\tB", "\tboth_bad"))
    assert "are given their meaning with --outcome" in refusal(path, InvalidJudgments)
    meaning = {"A": "left", "both_bad": "tie"}
    assert cells_of(tally_of(path, outcomes=meaning))[("0", "1")] == (0, 1, 0)
    words = refusal(save("a.tsv", POTATO.replace("\tB", "\tleft one")), InvalidJudgments)
    assert "line 3 of" in words
    assert "preference is 'left one': expected A | B | tie" in words
    words = refusal(save("b.tsv", POTATO.replace("it47", "it99")), InvalidJudgments)
    assert "does not say in which order" in words
    labels = {"preference": {"selection": "A", "remark": "x"}, "mood": "good"}
    line = {"instance_id": "it46", "user_id": "w1", "labels": labels, "spans": {"a": 1}}
    notes = read(save("a.jsonl", json.dumps(line))).source.notes
    assert "not read: labels.mood, labels.preference.remark, spans" in notes


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize(("value", "outcome"), [("-2", "left"), ("0", "tie"), ("1.5", "right")])
def test_a_scale_below_0_prefers_what_was_shown_first(value, outcome, save) -> None:
    labels = {"preference": {"scale_value": value}}
    line = {"instance_id": "it46", "user_id": "w1", "labels": labels, "spans": {}, "links": {}}
    (row,) = rows_of(save("a.jsonl", json.dumps(line)))
    assert (row["left"], row["outcome"], row["scale"]) == ("1", outcome, value)


def test_the_order_shown_is_needed_and_read_anew_each_time(save, state, tmp_path) -> None:
    (tmp_path / "w1" / "user_state.json").unlink()
    assert "nobody knows which output A was" in refusal(save("a.tsv", POTATO), MissingFile)
    (tmp_path / "w1" / "user_state.json").write_text(POTATO_STATE)
    path = save("a.tsv", POTATO.splitlines()[0] + "\nit47\tw1\tA\n")
    assert cells_of(tally_of(path)) == {("0", "1"): (1, 0, 0)}
    state = POTATO_STATE.replace('"preference": [0, 1]', '"preference": [1, 0]')
    (tmp_path / "w1" / "user_state.json").write_text(state)
    assert cells_of(tally_of(path)) == {("1", "0"): (1, 0, 0)}


# Label Studio's export.


def _task(kind, value, data) -> str:
    annotation = {"completed_by": {"id": 3}, "result": [{"type": kind, "value": value}]}
    return json.dumps([{"id": 5, "data": data, "annotations": [annotation]}])


def test_a_ranker_is_a_ranking(save) -> None:
    path = save("e.json", _task("ranker", {"ranker": ["a", "b"]}, {}))
    assert [(row["system"], row["rank"]) for row in rows_of(path)] == [("a", 1), ("b", 2)]
    value = {"ranker": {"good": ["a"], "bad": ["b"]}}
    words = refusal(save("e.json", _task("ranker", value, {})), InvalidJudgments)
    assert "one list of what was ranked" in words


def test_a_choice_is_a_comparison_and_a_number_a_rating(save) -> None:
    sides = {"left_system": "A", "right_system": "B"}
    chosen = read(save("c.json", _task("pairwise", {"selected": "right"}, sides)))
    assert isinstance(chosen, Comparisons)
    (row,) = rows_of(chosen)
    assert (row["left"], row["outcome"], row["judge"], row["item"]) == ("A", "right", "3", "5")
    rated = read(save("r.json", _task("rating", {"rating": 4}, {"system": "A", "item": 7.0})))
    assert isinstance(rated, Ratings)
    assert (rows_of(rated)[0]["score"], rows_of(rated)[0]["item"]) == (4, "7")


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("pairwise", {"selected": "left"}, "nobody knows who stood where"),
        ("pairwise", {"selected": "both"}, "selected is 'both': expected left | right"),
        ("rating", {"rating": 4}, "nobody knows whose output"),
    ],
)
def test_what_nobody_could_read_is_refused(kind, value, words, save) -> None:
    assert words in refusal(save("e.json", _task(kind, value, {})), InvalidJudgments)


def _two(kind, values, data, number=5) -> dict:
    results = [
        {"from_name": name, "to_name": "t", "type": kind, "value": {kind: value}}
        for name, value in values.items()
    ]
    annotation = {"id": 9, "completed_by": 3, "result": results, "ground_truth": True}
    return {"id": number, "data": data, "annotations": [annotation]}


def test_several_controls_are_criteria_or_rankings_of_their_own(save) -> None:
    task = _two("rating", {"fluency": 5, "adequacy": 1}, {"system": "A", "item": 0, "prompt": "p"})
    data = read(save("r.json", json.dumps([task])))
    found = [(row["item"], row["criterion"], row["score"]) for row in rows_of(data)]
    assert found == [("0", "fluency", 5), ("0", "adequacy", 1)]
    assert "not read: annotations.ground_truth, data.prompt" in data.source.notes
    lists = {name: {"rank": list(systems)} for name, systems in (("r1", "ab"), ("r2", "cd"))}
    path = save("r.json", json.dumps([_two("ranker", lists, {})]))
    assert cells_of(tally_of(path)) == {("a", "b"): (1, 0, 0), ("c", "d"): (1, 0, 0)}
    assert {(row["ranking"], row["question"]) for row in rows_of(path)} == {
        ("9:r1", "r1"),
        ("9:r2", "r2"),
    }


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        ({"result": ["x"]}, "a result: expected an object with names, not x"),
        ({"result": 5}, "the results of an annotation: expected a list, not 5"),
        ({"result": [{"type": "number", "value": [3]}]}, "the value of a result: expected an"),
        ({"result": [], "completed_by": ["a"]}, "completed_by is a name or a number, not ['a']"),
        ("x", "an annotation: expected an object with names, not x"),
    ],
)
def test_what_is_no_export_is_refused_with_its_row(annotation, words, save) -> None:
    path = save(
        "e.json", json.dumps([{"id": 5, "data": {"system": "A"}, "annotations": [annotation]}])
    )
    said = refusal(path, InvalidJudgments)
    assert f"row 1 of {path}: " in said
    assert words in said


# Argilla's records.


def test_submitted_responses_are_rankings_and_others_are_counted(save) -> None:
    said = {"pref": [{"user_id": "u2", "value": ARGILLA_VALUE}]}
    path = save("r.json", json.dumps([{"id": "7", "fields": {}, "responses": said}]))
    drop = {"ranking", "question"}
    first, second = (
        [{name: row[name] for name in row if name not in drop} for row in rows_of(one)]
        for one in (path, save("records.json", ARGILLA))
    )
    assert first == second
    words = refusal(save("r.json", ARGILLA.replace('"draft"', '"lost"')), InvalidJudgments)
    assert "status is 'lost': expected submitted | draft | discarded" in words
    said = {"pref": [{"user_id": "u", "value": []}, {"value": ARGILLA_VALUE}]}
    record = {"id": "7", "fields": {}, "responses": said, "metadata": {"a": 1}}
    data = read(save("r.json", json.dumps([record])))
    assert not data.has("judge")
    assert "rankings of nothing excluded: 1" in data.source.notes
    assert "not read: metadata" in data.source.notes
    path = save("r.json", ARGILLA.replace('"status": "draft"', '"status": "discarded"'))
    assert {row["judge"] for row in rows_of(path)} == {"u2"}
    assert "responses that are discarded excluded: 1" in read(path).source.notes
    full = {"user_id": "u3", "status": "discarded", "values": {"pref": {"value": ARGILLA_VALUE}}}
    records = json.loads(ARGILLA)
    records[0]["responses"].append(full)
    assert {row["judge"] for row in rows_of(save("s.json", json.dumps(records)))} == {"u2"}
    for said, words in (
        ({"q": 5}, "expected a list, not 5"),
        ({"q": ["x"]}, "not x"),
        (["x"], "not x"),
    ):
        path = save("r.json", json.dumps([{"id": "1", "fields": {}, "responses": said}]))
        assert words in refusal(path, InvalidJudgments)

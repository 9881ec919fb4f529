"""What another program's file cannot say is refused or told, value by value."""

import json

import pytest

from evenhand.errors import InvalidJudgments
from evenhand.formats.exports import say_left_out
from evenhand.formats.reading import read
from evenhand.formats.writing import write
from read_tables import rows_of

ENDINGS = {"appraise": "csv", "wmt-rnk": "csv", "wmt-json": "jsonl", "mqm-tsv": "tsv"}


def _write(save, folder, kind, rows):
    """Write rows for another program; return what it is told to lose, and the rows read again."""
    data = read(save("in.jsonl", "\n".join(map(json.dumps, rows))))
    path = write(data, folder / f"out.{ENDINGS.get(kind, 'json')}", kind=kind)
    return say_left_out(data, kind), rows_of(path), path


def _rated(**more):
    row = {"judge": "ann", "item": "1", "task": "eng-deu", "system": "A", "score": 71}
    return {**row, **more}


def _marked(start, end, **more):
    spans = json.dumps([{"start": start, "end": end, "severity": "minor"}])
    texts = {"source": "src", "output": "Guten Tag"}
    return {**_rated(score=-1, spans=spans), **texts, **more}


@pytest.mark.parametrize("kind", ["target", "repeat", "good", "bad"])
def test_a_flag_of_ones_own_does_not_change_the_kind(kind, save, tmp_path) -> None:
    rows = [_rated(kind=kind, flag="slow")]
    lost, again, _ = _write(save, tmp_path, "appraise", rows)
    assert again[0]["kind"] == kind
    assert lost == ("flags that do not stand in documentID are excluded: 1 of 1 rows",)


@pytest.mark.parametrize("marks", ["BAD,eng,deu,5,doc1#S#dup", "CHK,eng,deu,5,doc1#S#incomplete"])
def test_a_control_of_a_marked_document_is_read_again_as_it_was(marks, save, tmp_path) -> None:
    data = read(save("in.csv", f"u,S,1,{marks},False\n"))
    again = rows_of(write(data, tmp_path / "out.csv", kind="appraise"))
    assert again == rows_of(data)
    assert say_left_out(data, "appraise") == ()


@pytest.mark.parametrize("flag", ["incomplete", "dup", "bad3"])
def test_documents_that_say_another_kind_are_refused(flag, save, tmp_path) -> None:
    rows = [_rated(kind="target", documentID=f"d#{flag}")]
    with pytest.raises(InvalidJudgments, match="is marked as"):
        _write(save, tmp_path, "appraise", rows)


def test_an_unfinished_document_stays_a_control(save, tmp_path) -> None:
    text = "u,S,1,TGT,eng,deu,5,doc1#S#incomplete,False\n"
    data = read(save("in.csv", text))
    assert rows_of(data)[0]["kind"] == "control"
    assert write(data, tmp_path / "out.csv", kind="appraise").read_text() == text


def test_a_row_without_times_leaves_all_without_and_it_is_said(save, tmp_path) -> None:
    rows = [_rated(shown_at="1717331262.5", seconds=9), _rated(item="2")]
    lost, again, _ = _write(save, tmp_path, "appraise", rows)
    said = "shown_at and seconds are excluded, since some rows do not have both: 1 of 2 rows"
    assert (lost, "shown_at" in again[0]) == ((said,), False)


@pytest.mark.parametrize("start", ["100", "2024-06-02T10:00:00Z"])
def test_times_that_would_be_read_as_something_else_are_refused(start, save, tmp_path) -> None:
    with pytest.raises(InvalidJudgments, match="not a number of seconds since 1970"):
        _write(save, tmp_path, "appraise", [_rated(shown_at=start, seconds=9)])


def test_errors_that_were_not_asked_for_are_not_errors_that_were_not_found(save, tmp_path) -> None:
    with pytest.raises(InvalidJudgments, match="it has no spans, and appraise would say"):
        _write(save, tmp_path, "appraise", [_rated(spans="[]"), _rated(item="2", spans=None)])


def test_half_a_time_is_left_out_of_segments_and_counted(save, tmp_path) -> None:
    rows = [_rated(seconds=9), _rated(item="2", seconds=9, shown_at="1717331262")]
    lost, again, _ = _write(save, tmp_path, "wmt-json", rows)
    assert lost[0] == "wmt-json has no place for: item, task"
    assert lost[1:] == ("shown_at or seconds without the other is excluded: 1 of 2 rows",)
    assert [row["seconds"] for row in again] == [None, 9.0]


@pytest.mark.parametrize(("kind", "start", "end"), [("wmt-json", 2, 2), ("appraise", 2, 2)])
def test_places_are_counted_as_the_page_counts_them(kind, start, end, save, tmp_path) -> None:
    """X in `😀XY` is the third UTF-16 unit, and the second character."""
    rows = [_marked(1, 2, output="😀XY", score=9)]
    _, again, path = _write(save, tmp_path, kind, rows)
    assert f'"start_i": {start}, "end_i": {end}' in path.read_text().replace('""', '"')
    if kind == "wmt-json":
        assert json.loads(again[0]["spans"])[0]["start"] == 1


def test_errors_of_a_second_rating_are_not_added_up(save, tmp_path) -> None:
    with pytest.raises(InvalidJudgments, match="ann rated the output of A for item '1' before"):
        _write(save, tmp_path, "mqm-tsv", [_marked(0, 2), _marked(3, 5)])
    with pytest.raises(InvalidJudgments, match="before"):
        _write(save, tmp_path, "mqm-tsv", [_marked(0, 2, task="t1"), _marked(0, 2, task="t2")])


@pytest.mark.parametrize("text", ["say <v>b</v> tag", "say <v>", "say </v>"])
def test_texts_with_marks_of_their_own_are_refused(text, save, tmp_path) -> None:
    rows = [_marked(0, 2, output=text, spans="[]", score=0)]
    with pytest.raises(InvalidJudgments, match="hold <v> or </v> themselves"):
        _write(save, tmp_path, "mqm-tsv", rows)


def test_something_missing_cannot_be_marked_in_a_text(save, tmp_path) -> None:
    with pytest.raises(InvalidJudgments, match="an error is something missing"):
        _write(save, tmp_path, "mqm-tsv", [_marked(0, 0)])


def test_items_that_get_another_name_are_counted(save, tmp_path) -> None:
    rows = [_marked(0, 2, item="17"), _marked(0, 2, item="d:2", document="d")]
    lost, again, _ = _write(save, tmp_path, "mqm-tsv", rows)
    assert lost[-1] == "items are read again by document and segment, such as 17 as 17:1: 1"
    assert [row["item"] for row in again] == ["17:1", "d:2"]


def test_languages_that_get_another_code_are_named(save, tmp_path) -> None:
    row = {"judge": "j", "item": "7", "ranking": "r", "task": "eng-deu"}
    rows = [{**row, "system": s, "rank": p, "position": p} for p, s in ((1, "A"), (2, "B"))]
    lost, again, _ = _write(save, tmp_path, "wmt-rnk", rows)
    assert lost[-1] == "tasks are read again by other codes: eng-deu as en-de"
    assert {one["task"] for one in again} == {"en-de"}


def test_controls_of_label_studio_are_counted(save, tmp_path) -> None:
    rows = [_rated(kind="bad"), _rated(kind="target", item="2")]
    lost, _, _ = _write(save, tmp_path, "label-studio", rows)
    assert lost[-1] == "controls and repeats become judgments like others: 1 of 2 rows"


TIES = "model_a,model_b,winner\nx,y,tie (bothbad)\nx,y,tie\nx,y,model_a\n"


def test_arena_keeps_both_kinds_of_ties(save, tmp_path) -> None:
    data = read(save("in.csv", TIES))
    path = write(data, tmp_path / "out.csv", kind="arena")
    assert path.read_text().splitlines()[1:] == ["x,y,tie (bothbad)", "x,y,tie", "x,y,model_a"]
    assert say_left_out(data, "arena") == ()


def test_our_own_tables_say_that_both_bad_is_a_tie(save) -> None:
    said = ("ties of which both outputs are bad are ties like others: 1",)
    assert say_left_out(read(save("in.csv", TIES)), "comparisons") == said

"""Judgments as other projects write them."""

import json

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.data.annotations import Span, write_spans
from evenhand.errors import EvenhandError, InvalidJudgments
from evenhand.formats.exports import EXPORTS, say_left_out
from evenhand.formats.reading import read
from evenhand.formats.writing import write
from outside_files import (
    APPRAISE_DIRECT,
    APPRAISE_DOCUMENTS,
    APPRAISE_ERRORS,
    LABEL_STUDIO,
    MQM_NEW,
    MQM_OLD,
    MTME_JSON,
    PEARMUT_LINE,
    WMT_JSON,
    WMT_SEGMENT,
)
from read_tables import rows_of

# What is written for another project is read again as it was.


RNK = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,"
    "system2Number,system2Id,system3Number,system3Id,system1rank,system2rank,system3rank\n"
    "Czech,English,7,d,-1,j1,1,A,2,B,3,C,1,2,2\n"
    "Hindi,English,8,d,3,j1,1,C,2,B,3,,1,-1,\n"
)
COMPARED = "judge,item,left,right,outcome,task\nj,1,A,B,left,t\nk,1,B,A,right,t\n"
RATED = "judge,item,system,score,criterion,seconds\nj,1,A,4,fluency,2.5\nj,1,B,3.5,fluency,9\n"

CASES = {
    "rankings": ("wmt-rnk", "in.csv", RNK, ()),
    "direct": ("appraise", "in.csv", APPRAISE_DIRECT, ()),
    "documents": ("appraise", "in.csv", APPRAISE_DOCUMENTS, ()),
    "errors": ("appraise", "in.csv", APPRAISE_ERRORS, ()),
    "segments": ("wmt-json", "in.jsonl", WMT_JSON, ("line",)),
    "old errors": ("mqm-tsv", "in.tsv", MQM_OLD, ("doc_id", "global_segment")),
    "new errors": ("mqm-tsv", "in.tsv", MQM_NEW, ()),
    "rankers": ("label-studio", "in.json", LABEL_STUDIO, ()),
    "choices": ("label-studio", "in.csv", COMPARED, ()),
    "numbers": ("label-studio", "in.csv", RATED, ()),
}
ENDINGS = {"appraise": "csv", "wmt-rnk": "csv", "wmt-json": "jsonl", "mqm-tsv": "tsv"}


def _without(rows, names):
    kept = [{name: row[name] for name in sorted(row) if name not in names} for row in rows]
    return sorted(kept, key=repr)


def test_every_export_is_tried() -> None:
    assert {kind for kind, *_ in CASES.values()} == set(EXPORTS)


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_nothing_is_lost_but_what_is_said(case, packed, save, tmp_path) -> None:
    kind, name, text, lost = case
    data = read(save(name, text))
    path = write(data, tmp_path / f"out.{ENDINGS.get(kind, 'json')}{packed}", kind=kind)
    assert _without(rows_of(path), lost) == _without(rows_of(data), lost)
    said = " ".join(say_left_out(data, kind))
    assert all(one in said for one in lost if one != "global_segment")


def test_errors_pass_from_one_project_to_another(save, tmp_path) -> None:
    """Inclusive in WMT's segments and pearmut, exclusive in mt-metrics-eval, marks in MQM."""
    errors = WMT_SEGMENT["scores"]["SYS"][0]["errors"][:1]
    judged = [{"score": -1, "annotator": "a", "errors": errors}]
    segment = {**WMT_SEGMENT, "scores": {"SYS": judged}}
    table = write(read(save("w.jsonl", json.dumps(segment))), tmp_path / "m.tsv", kind="mqm-tsv")
    assert "\t<v>Eitt</v>.\t" in table.read_text()
    assert rows_of(table)[0]["spans"] == rows_of(save("v.jsonl", json.dumps(segment)))[0]["spans"]
    alone = write(read(save("a.jsonl", MTME_JSON)), tmp_path / "b.jsonl", kind="wmt-json")
    (said,) = json.loads(alone.read_text())["scores"]["S"]
    assert (said["errors"][0]["start_i"], said["errors"][0]["end_i"]) == (0, 3)
    shown = read(save("p.jsonl", json.dumps(PEARMUT_LINE)))
    path = write(shown, tmp_path / "q.jsonl", kind="wmt-json")
    (said,) = json.loads(path.read_text())["scores"]["A"]
    assert (said["errors"][0]["start_i"], said["errors"][0]["end_i"]) == (0, 3)


def test_the_calibration_of_wmt_22_is_the_same_after_it_was_written(data_folder, tmp_path) -> None:
    """README.md: 10,751 scores in 6 tasks, some of them of whole documents."""
    data = read(data_folder / "wmt22_calibration" / "ratings.parquet")
    again = read(write(data, tmp_path / "again.csv", kind="appraise"))
    names = ("task", "judge", "item", "system", "score")
    found, wanted = (
        sorted(
            (*[row[name] for name in names], row["criterion"].endswith("(document)"))
            for row in rows_of(one)
        )
        for one in (again, data)
    )
    assert len(found) == 10_751
    assert found == wanted


# What another program's file cannot say is refused or told, value by value.


def _write(save, folder, kind, rows):
    """Write rows for another program; return what it is told to lose, and the rows read again."""
    data = read(save("in.jsonl", "\n".join(map(json.dumps, rows))))
    path = write(data, folder / f"out.{ENDINGS.get(kind, 'json')}", kind=kind, force=True)
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


def test_what_appraise_cannot_say_is_told(save, tmp_path) -> None:
    rows = [_rated(shown_at="1717331262.5", seconds=9), _rated(item="2")]
    lost, again, _ = _write(save, tmp_path, "appraise", rows)
    said = "shown_at and seconds are excluded, since some rows do not have both: 1 of 2 rows"
    assert (lost, "shown_at" in again[0]) == ((said,), False)
    with pytest.raises(InvalidJudgments, match="it has no spans, and appraise would say"):
        _write(save, tmp_path, "appraise", [_rated(spans="[]"), _rated(item="2", spans=None)])
    text = "u,S,1,TGT,eng,deu,5,doc1#S#incomplete,False\n"
    data = read(save("in.csv", text))
    assert rows_of(data)[0]["kind"] == "control"
    assert write(data, tmp_path / "unfinished.csv", kind="appraise").read_text() == text


@pytest.mark.parametrize("start", ["100", "2024-06-02T10:00:00Z"])
def test_times_that_would_be_read_as_something_else_are_refused(start, save, tmp_path) -> None:
    with pytest.raises(InvalidJudgments, match="not a number of seconds since 1970"):
        _write(save, tmp_path, "appraise", [_rated(shown_at=start, seconds=9)])


def test_what_other_formats_cannot_say_is_told(save, tmp_path) -> None:
    rows = [_rated(seconds=9), _rated(item="2", seconds=9, shown_at="1717331262")]
    lost, again, _ = _write(save, tmp_path, "wmt-json", rows)
    assert lost[0] == "wmt-json has no place for: item, task"
    assert lost[1:] == ("shown_at or seconds without the other is excluded: 1 of 2 rows",)
    assert [row["seconds"] for row in again] == [None, 9.0]
    row = {"judge": "j", "item": "7", "ranking": "r", "task": "eng-deu"}
    rows = [{**row, "system": s, "rank": p, "position": p} for p, s in ((1, "A"), (2, "B"))]
    lost, again, _ = _write(save, tmp_path, "wmt-rnk", rows)
    assert lost[-1] == "tasks are read again by other codes: eng-deu as en-de"
    assert {one["task"] for one in again} == {"en-de"}
    rows = [_rated(kind="bad"), _rated(kind="target", item="2")]
    lost, _, _ = _write(save, tmp_path, "label-studio", rows)
    assert lost[-1] == "controls and repeats become judgments like others: 1 of 2 rows"


@pytest.mark.parametrize(("kind", "start", "end"), [("wmt-json", 2, 2), ("appraise", 2, 2)])
def test_places_are_counted_as_the_page_counts_them(kind, start, end, save, tmp_path) -> None:
    """X in `😀XY` is the third UTF-16 unit, and the second character."""
    rows = [_marked(1, 2, output="😀XY", score=9)]
    _, again, path = _write(save, tmp_path, kind, rows)
    assert f'"start_i": {start}, "end_i": {end}' in path.read_text().replace('""', '"')
    if kind == "wmt-json":
        assert json.loads(again[0]["spans"])[0]["start"] == 1


def test_what_mqm_cannot_say_is_told_or_refused(save, tmp_path) -> None:
    with pytest.raises(InvalidJudgments, match="ann rated the output of A for item '1' before"):
        _write(save, tmp_path, "mqm-tsv", [_marked(0, 2), _marked(3, 5)])
    with pytest.raises(InvalidJudgments, match="before"):
        _write(save, tmp_path, "mqm-tsv", [_marked(0, 2, task="t1"), _marked(0, 2, task="t2")])
    with pytest.raises(InvalidJudgments, match="an error is something missing"):
        _write(save, tmp_path, "mqm-tsv", [_marked(0, 0)])
    rows = [_marked(0, 2, item="17"), _marked(0, 2, item="d:2", document="d")]
    lost, again, _ = _write(save, tmp_path, "mqm-tsv", rows)
    assert lost[-1] == "items are read again by document and segment, such as 17 as 17:1: 1"
    assert [row["item"] for row in again] == ["17:1", "d:2"]


@pytest.mark.parametrize("text", ["say <v>b</v> tag", "say <v>", "say </v>"])
def test_texts_with_marks_of_their_own_are_refused(text, save, tmp_path) -> None:
    rows = [_marked(0, 2, output=text, spans="[]", score=0)]
    with pytest.raises(InvalidJudgments, match="hold <v> or </v> themselves"):
        _write(save, tmp_path, "mqm-tsv", rows)


TIES = "model_a,model_b,winner\nx,y,tie (bothbad)\nx,y,tie\nx,y,model_a\n"


def test_both_kinds_of_ties_are_kept_or_told(save, tmp_path) -> None:
    data = read(save("in.csv", TIES))
    path = write(data, tmp_path / "out.csv", kind="arena")
    assert path.read_text().splitlines()[1:] == ["x,y,tie (bothbad)", "x,y,tie", "x,y,model_a"]
    assert say_left_out(data, "arena") == ()
    said = ("ties of which both outputs are bad are ties like others: 1",)
    assert say_left_out(read(save("in.csv", TIES)), "comparisons") == said
    assert say_left_out(read(save("c.csv", COMPARED)), "comparisons") == ()


# What a format of another project cannot hold is refused, and nothing is written.


REFUSALS_RATED = "judge,item,system,score,task\nj,1,A,4,eng-deu\n"
RANKED = "judge,item,task,ranking,system,rank,position\nj,1,cs-en,r,A,1,1\nj,1,cs-en,r,B,1,2\n"
REFUSALS_COMPARED = "judge,item,left,right,outcome\nj,1,A,B,left\nj,1,A,B,tie\n"
MARKED = (
    "judge,item,system,score,spans,source,output\n"
    'j,1,A,-1,"[{""start"":0,""end"":2,""severity"":""minor""}]",src,{text}\n'
)


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("wmt-rnk", REFUSALS_RATED, "ratings cannot be written as wmt-rnk, which holds rankings"),
        ("wmt-rnk", RANKED.replace("position", "n"), "has no positions"),
        ("wmt-rnk", RANKED.replace("cs-en", "one"), "its task 'one' is no pair of languages"),
        ("wmt-rnk", RANKED.replace("judge,", "who,"), "wmt-rnk needs judge"),
        (
            "appraise",
            REFUSALS_RATED.replace("eng-deu", "en-de"),
            "no pair of three-letter languages",
        ),
        ("appraise", REFUSALS_RATED.replace(",4,", ",,"), "row 1 of"),
        (
            "appraise",
            REFUSALS_RATED.replace("task", "lp,kind").replace("deu", "deu,odd"),
            "kind 'odd'",
        ),
        (
            "wmt-json",
            REFUSALS_RATED.replace("task", "lp,kind").replace("deu", "deu,bad"),
            "targets only",
        ),
        ("mqm-tsv", REFUSALS_RATED, "mqm-tsv needs spans, source, output"),
        ("mqm-tsv", MARKED.replace("-1", "90"), "is not the -1 that its errors make"),
        ("mqm-tsv", MARKED.replace('"minor', '"awful'), "severity is 'awful'"),
        ("mqm-tsv", MARKED.replace(":2,", ":9,"), "behind the end of the output"),
        ("mqm-tsv", MARKED.replace("{text}", '"a\tb"'), "a tab or a line break"),
        ("mqm-tsv", MARKED.replace("[", "("), "spans are a JSON list such as"),
        ("label-studio", REFUSALS_COMPARED, "row 2 of"),
        ("label-studio", RANKED, "its ranking has ties"),
        ("label-studio", REFUSALS_RATED.replace(",4,", ",,"), "has no score"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(kind, text, words, save, tmp_path) -> None:
    ending = {"label-studio": "json", "wmt-json": "jsonl", "mqm-tsv": "tsv"}.get(kind, "csv")
    data = read(save("in.csv", text))
    with pytest.raises(EvenhandError) as caught:
        write(data, tmp_path / f"out.{ending}", kind=kind)
    assert words in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize("name", ["out.csv", "out.json.zst", "out"])
def test_a_name_that_says_another_format_is_refused(name, save, tmp_path) -> None:
    data = read(save("in.csv", REFUSALS_RATED))
    with pytest.raises(EvenhandError):
        write(data, tmp_path / name, kind="label-studio")
    assert not (tmp_path / name).exists()


def test_sources_and_criteria_have_no_place_in_appraise(save, tmp_path) -> None:
    span = '"[{""start"":0,""end"":2,""severity"":""minor"",""side"":""source""}]"'
    text = f"judge,item,system,score,task,spans\nj,1,A,4,eng-deu,{span}\n"
    with pytest.raises(EvenhandError, match="an error lies in the source"):
        write(read(save("in.csv", text)), tmp_path / "out.csv", kind="appraise")
    text = "judge,item,system,score,task,criterion\nj,1,A,4,eng-deu,x\nj,1,A,4,eng-deu,y\n"
    with pytest.raises(EvenhandError, match="holds the criteria x, y"):
        write(read(save("in.csv", text)), tmp_path / "out.csv", kind="appraise")


# Names and texts of any script pass through the files of other projects.


letters = st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"])
texts = st.text(letters | st.sampled_from(",;\"'\n|éф鳥🎉"), min_size=1, max_size=12)
names = texts.filter(lambda text: text == text.strip() and text not in {"NA", "None"})
lines = st.text(letters | st.sampled_from("\"'éф鳥🎉"), min_size=2, max_size=12).filter(
    lambda text: "<" not in text and text == text.strip()
)
quiet = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _same(frame: pl.DataFrame, path, kind: str) -> bool:
    data = read(frame)
    again = rows_of(write(data, path, kind=kind, force=True))
    wanted = [{name: row[name] for name in frame.columns} for row in rows_of(data)]
    found = [{name: row.get(name) for name in frame.columns} for row in again]
    return sorted(found, key=repr) == sorted(wanted, key=repr)


def test_outputs_that_are_missing_as_numbers_are_no_text(tmp_path) -> None:
    frame = pl.DataFrame({"judge": ["a"], "item": ["q"], "system": ["x"], "score": [3]})
    missing = frame.with_columns(output=pl.lit(float("nan")))
    path = write(read(missing), tmp_path / "out.jsonl", kind="wmt-json")
    assert json.loads(path.read_text())["tgt_text"] == {"x": ""}


@quiet
@given(rows=st.lists(st.tuples(names, names, names, st.integers(0, 100)), min_size=1, max_size=5))
@pytest.mark.parametrize(("kind", "ending"), [("appraise", "csv"), ("label-studio", "json")])
def test_ratings_of_any_name(kind, ending, rows, tmp_path) -> None:
    columns = ("judge", "item", "system", "score")
    frame = pl.DataFrame(rows, schema=columns, orient="row").with_columns(task=pl.lit("eng-deu"))
    assert _same(frame, tmp_path / f"out.{ending}", kind)


@quiet
@given(
    rows=st.lists(
        st.tuples(names, lines, lines, st.sampled_from(["minor", "major"]), st.integers(0, 1)),
        min_size=1,
        max_size=4,
        unique_by=lambda row: row[0],
    )
)
@pytest.mark.parametrize(("kind", "ending"), [("wmt-json", "jsonl"), ("mqm-tsv", "tsv")])
def test_errors_in_any_text(kind, ending, rows, tmp_path) -> None:
    made = [
        {
            "judge": judge.replace("\n", " "),
            "item": f"d{at}:1" if kind == "mqm-tsv" else str(at + 1),
            "system": "S",
            "score": -5.0 if severity == "major" else -1.0,
            "spans": write_spans([Span(start, 2, severity, "Style", "output")]),
            "document": f"d{at}",
            "source": source,
            "output": output,
        }
        for at, (judge, source, output, severity, start) in enumerate(rows)
    ]
    if len({row["judge"] for row in made}) < len(made):
        return
    assert _same(pl.DataFrame(made), tmp_path / f"out.{ending}", kind)

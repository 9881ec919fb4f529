"""What is written for another project is read again as it was."""

import json

import pytest

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
from read_tables import cells_of, rows_of, tally_of

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


def test_a_table_of_our_own_loses_nothing(save) -> None:
    assert say_left_out(read(save("c.csv", COMPARED)), "comparisons") == ()


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


def test_wmt_12_is_the_same_after_it_was_written(data_folder, tmp_path) -> None:
    source = data_folder / "wmt12_rankings" / "wmt12.RNK_results.csv"
    data = read(source, task="cs-en")
    path = write(data, tmp_path / "again.csv", kind="wmt-rnk")
    by = ("judge", "item")
    assert tally_of(path, by).digest == tally_of(source, by, task="cs-en").digest


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


def test_arena_files_keep_the_sides(save, tmp_path) -> None:
    path = write(read(save("c.csv", COMPARED)), tmp_path / "a.jsonl", kind="arena")
    assert cells_of(tally_of(path)) == {("A", "B"): (1, 0, 0), ("B", "A"): (0, 0, 1)}

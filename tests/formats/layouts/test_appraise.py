"""Appraise's scores."""

import json

import polars as pl
import pytest

from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.formats.reading import read
from outside_files import APPRAISE_DIRECT, APPRAISE_DOCUMENTS, APPRAISE_ERRORS
from read_tables import refusal, rows_of


def test_the_first_line_is_a_judgment_and_no_header(save) -> None:
    first, second = rows_of(save("scores.csv", APPRAISE_DIRECT))
    assert (first["judge"], first["item"], first["score"]) == ("engdeu0101", "68", 10)
    assert (first["task"], first["kind"], second["kind"]) == ("eng-deu", "target", "bad")


def test_scores_of_documents_are_a_criterion_of_their_own(save) -> None:
    segment, document = rows_of(save("docs.csv", APPRAISE_DOCUMENTS))
    assert (segment["criterion"], segment["item"]) == ("score", "rt.com.91337:0")
    assert (document["criterion"], document["item"]) == ("score (document)", "rt.com.91337")


def test_errors_become_spans_whose_end_is_the_character_after_the_last(save) -> None:
    first, second, third = rows_of(save("esa.csv", APPRAISE_ERRORS))
    (error,) = json.loads(first["spans"])
    assert (error["start"], error["end"], error["severity"]) == (138, 140, "minor")
    (missing,) = json.loads(second["spans"])  # as Python writes it, with single quotes
    assert (missing["start"], missing["end"], missing["category"]) == (0, 0, "Accuracy/Omission")
    assert third["spans"] == "[]"
    assert (first["shown_at"], first["seconds"]) == ("1717331262.035", 178.469)
    assert first["document"] == "doc-3-en_134"


def test_spoilt_and_tutorial_documents_are_kept_and_flagged(save) -> None:
    data = read(save("esa.csv", APPRAISE_ERRORS))
    assert [row["flag"] for row in rows_of(data)] == [None, "bad", "tutorial"]
    assert [row["kind"] for row in rows_of(data)] == ["target", "bad", "control"]
    assert "flagged: bad 1, tutorial 1" in data.source.notes[-1]
    assert data.where("flag is null").rows().score.tolist() == [51]


@pytest.mark.parametrize("batch", ["", ",7,1234"])
@pytest.mark.parametrize("times", ["", ",1717331262.035,1717331440.504"])
@pytest.mark.parametrize("middle", ["", ",doc,False", ",doc,False,[]"])
def test_every_width_of_the_table_is_told_apart(middle, times, batch, save) -> None:
    (row,) = rows_of(save("t.csv", f"u,S,68,TGT,eng,deu,10{middle}{times}{batch}\n"))
    assert (row["judge"], row["score"]) == ("u", 10)
    assert row.get("document") == ("doc" if middle else None)
    assert row.get("seconds") == (178.469 if times else None)
    assert row.get("item_pk") == ("1234" if batch else None)


def test_a_frame_with_its_columns_is_read_as_well() -> None:
    names = ("user", "system", "segID", "type", "src", "tgt", "score")
    frame = pl.DataFrame([dict(zip(names, ("u", "S", 68, "TGT", "eng", "deu", 10), strict=True))])
    assert read(frame).source.format == "appraise"
    assert rows_of(frame)[0]["item"] == "68"


def test_another_type_or_severity_is_refused_with_its_row(save) -> None:
    words = refusal(save("t.csv", APPRAISE_DIRECT + "u,S,1,XYZ,eng,deu,1\n"), InvalidJudgments)
    assert "line 3 of" in words
    assert "type is 'XYZ': expected TGT | CHK | REF | BAD" in words
    text = APPRAISE_ERRORS.replace("minor", "awful")
    words = refusal(save("s.csv", text), InvalidJudgments)
    assert "line 1 of" in words
    assert "severity is 'awful': expected minor | major" in words


def test_logins_are_no_judgments(save) -> None:
    path = save("logins.csv", "Username,Password,URL\nengdeu0f01,e70c5a35,http://x/\n")
    words = refusal(path, UnknownFormat)
    assert "holds logins" in words
    assert "e70c5a35" not in words


ESA = (  # the line of Appraise's ESA export of 2024, and the same segment of another system
    'engdeu6e10,wmt23.ZengHuiMT,100,TGT,eng,deu,51,jewelry-3-en_0325147-134#ZengHuiMT,False,"[{'
    '""start_i"":138,""end_i"":139,""severity"":""minor"",""error_type"":null}]",1717331262.035,'
    "1717331440.504\n"
    "engdeu6e11,wmt23.AIRC,100,TGT,eng,deu,60,jewelry-3-en_0325147-134#AIRC,False,[],1717331262,"
    "1717331263\n"
    "engdeu6e11,wmt23.AIRC,99,BAD,eng,deu,3,jewelry-3-en_0325147-134#AIRC#bad3,False,[],1717331262,"
    "1717331263\n"
)


def test_systems_share_items_since_the_names_of_documents_lose_the_system(save) -> None:
    data = read(save("esa.csv", ESA))
    found = [(row["system"], row["item"], row["flag"], row["kind"]) for row in rows_of(data)]
    assert found == [
        ("wmt23.ZengHuiMT", "jewelry-3-en_0325147-134:100", None, "target"),
        ("wmt23.AIRC", "jewelry-3-en_0325147-134:100", None, "target"),
        ("wmt23.AIRC", "jewelry-3-en_0325147-134:99", "bad", "bad"),
    ]
    assert any("counts segID through the batch of each login" in n for n in data.source.notes)


def test_unfinished_documents_stay_out_of_means_but_not_of_the_table(save) -> None:
    text = APPRAISE_DOCUMENTS.replace(",rt.com.91337,False", ",rt.com.91337#SYS#incomplete,False")
    first, _ = rows_of(save("docs.csv", text))
    assert (first["flag"], first["kind"], first["document"]) == (
        "incomplete",
        "control",
        "rt.com.91337",
    )


def test_a_merged_output_is_scored_for_each_of_its_systems(save) -> None:
    path = save("ab.csv", "u,A+B,1,TGT,eng,deu,5\nu,A,2,TGT,eng,deu,7\nu,B,2,TGT,eng,deu,8\n")
    hint = "read with --system-separator +"
    assert any(hint in note for note in read(path).source.notes)
    data = read(path, system_separator="+")
    found = sorted((row["system"], row["item"], row["score"]) for row in rows_of(data))
    assert found == [("A", "1", 5), ("A", "2", 7), ("B", "1", 5), ("B", "2", 8)]
    assert not any(hint in note for note in data.source.notes)


def test_segments_that_were_scored_again_are_counted(save) -> None:
    data = read(save("re.csv", APPRAISE_DIRECT + APPRAISE_DIRECT.replace(",10\n", ",12\n")))
    assert [row["score"] for row in rows_of(data)] == [10, 2, 12, 2]
    assert "segments that one judge scored again: 2;" in data.source.notes[-1]


def test_errors_are_put_in_characters_where_a_column_holds_the_output() -> None:
    """`😀` is two UTF-16 units, and the page trims the text: unit 3 of ` 😀XY` is its Y."""
    line = ("u", "S", 68, "TGT", "eng", "deu", 10, " 😀XY")
    spans = "[{'start_i': 3, 'end_i': 3, 'severity': 'Minor', 'error_type': None}]"
    names = ("user", "system", "segID", "type", "src", "tgt", "score", "translation", "spans")
    frame = pl.DataFrame([dict(zip(names, (*line, spans), strict=True))])
    (row,) = rows_of(frame)
    (span,) = json.loads(row["spans"])
    assert row["translation"][span["start"] : span["end"]] == "Y"
    assert (span["start"], span["end"]) == (3, 4)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("u,S,1,TGT,en,de,5", "languages have three letters, not 'en' and 'de'"),
        ("u;S;1;BAD;eng;deu;5", "commas part its fields, not ';'"),
        ("u,S,1,CHK,eng,deu,5,0.0,0.0", "behind the score stand 0.0, 0.0, and not document"),
    ],
)
def test_what_is_nearly_appraises_is_told_what_does_not_fit(line, words, save) -> None:
    path = save("t.csv", line + "\n")
    said = refusal(path, UnknownFormat)
    assert f"line 1 of {path} looks like Appraise's table" in said
    assert words in said


def test_only_a_line_break_ends_a_line(save) -> None:
    (row,) = rows_of(save("t.csv", "us\x85er,S,1,TGT,eng,deu,5\n"))
    assert row["judge"] == "us\x85er"


def test_columns_beside_the_known_ones_are_kept() -> None:
    names = ("user", "system", "segID", "type", "src", "tgt", "score", "batchID")
    frame = pl.DataFrame([dict(zip(names, ("u", "S", 8, "TGT", "eng", "deu", 1, 3), strict=True))])
    assert rows_of(frame)[0]["batchID"] == "3"

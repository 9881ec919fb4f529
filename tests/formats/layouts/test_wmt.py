"""WMT's files: rankings, pairs, direct assessments, segments with scores, Appraise."""

import json
from itertools import combinations

import polars as pl
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import fetch_columns
from evenhand.data.rankings import Rankings
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat, UnknownOption
from evenhand.formats.layouts.wmt import LANGUAGES
from evenhand.formats.reading import read
from evenhand.formats.table import SKIP
from outside_files import (
    APPRAISE_DIRECT,
    APPRAISE_DOCUMENTS,
    APPRAISE_ERRORS,
    APPRAISE_PAIRS,
    DA,
    DA_HEADER,
    WMT_SEGMENT,
)
from read_tables import cells_of, refusal, rows_of, tally_of

# WMT's RNK table.


HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    "system1Number,system1Id,system2Number,system2Id,system3Number,system3Id,"
    "system1rank,system2rank,system3rank\n"
)
ROW = "Czech,English,{item},d,-1,{judge},1,{a},2,{b},3,{c},{ranks}\n"


def _row(ranks="1,2,2", item=7, judge="j1", systems=("A", "B", "C")) -> str:
    a, b, c = systems
    return ROW.format(item=item, judge=judge, a=a, b=b, c=c, ranks=ranks)


def test_a_wide_row_becomes_a_ranking_whose_roles_come_from_the_layout(save) -> None:
    data = read(save("t.csv", HEADER + _row("-1,1,2") + _row("-1,-1,-1") + _row(",,1")))
    assert isinstance(data, Rankings)
    assert (data.count(), data.count_blank(), data.count_used()) == (3, 1, 1)
    assert cells_of(data.comparisons().tally()) == {("B", "C"): (1, 0, 0)}
    data = read(save("t.csv", HEADER + _row("1,2,", systems=("A", "B", ""))))
    assert isinstance(data, Rankings)
    assert fetch_columns(data.frame)["system"].tolist() == ["A", "B"]


def test_all_engines_agree(save, tmp_path) -> None:
    path = save("t.csv", HEADER + _row() + _row("3,2,1", judge="j2") + _row("1,-1,1"))
    frame = pl.read_csv(path)
    frame.write_parquet(tmp_path / "t.parquet")
    sources = (
        path,
        tmp_path / "t.parquet",
        frame,
        frame.lazy(),
        frame.to_arrow(),
        frame.to_pandas(),
    )
    tallies = [tally_of(source, ("task", "judge")) for source in sources]
    assert len({tally.digest for tally in tallies}) == 1
    assert {tally.n_judgments for tally in tallies} == {3}
    assert {tally.factor("judge").labels for tally in tallies} == {("j1", "j2")}


@pytest.mark.parametrize(("rank", "line"), [("0", 3), ("1.5", 3), ("-2", 3), ("6x", 3)])
def test_bad_ranks_name_the_lines_of_the_file(rank: str, line: int, save) -> None:
    words = refusal(save("t.csv", HEADER + _row() + _row(f"1,2,{rank}")), InvalidJudgments)
    assert rank in words
    assert "column 'system3rank'" in words
    assert f"(line {line})" in words


def test_a_ranking_that_is_none_is_refused(save) -> None:
    path = save("t.csv", HEADER + _row() + _row(systems=("A", "B", "A")))
    assert "system 'A' appears twice in ranking '2'" in refusal(path, InvalidJudgments)
    path = save("t.csv", HEADER + _row(systems=("A", "", "C")))
    assert "missing in column 'system1Id..system3Id'" in refusal(path, InvalidJudgments)
    text = (HEADER + _row()).replace(",system3rank", "").replace(",1,2,2", ",1,2")
    assert "system3 of" in refusal(save("t.csv", text), UnknownColumn)


def test_languages_are_codes_and_columns_can_be_mapped(save) -> None:
    assert LANGUAGES["czech"] == "cs"
    assert LANGUAGES["german"] == "de"
    path = save("t.csv", HEADER + _row().replace("Czech", "Klingon"))
    assert tally_of(path, ("task",)).factor("task").labels == ("klingon-en",)
    path = save("t.csv", HEADER + _row())
    mapped = tally_of(path, ("item", "judge"), columns={"item": "documentId", "judge": "srcIndex"})
    assert mapped.factor("judge").labels == ("7",)
    assert mapped.factor("item").labels == ("cs-en / d",)
    assert "no role 'left'" in refusal(
        path, UnknownOption, format="wmt_rnk", columns={"left": "judgeId"}
    )


# WMT's rankings as pairs, as its scripts write them from the same answers as the wide table.


WMT_PAIRS_HEADER = (
    "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,"
    "rankingID\n"
)
NAMES = ("uedin", "jhu", "onlineB", "cu-bojar", "limsi")
RANKS = [(1, 2, 3, 4, 5), (2, 2, 1, 5, 4), (3, 1, 1, 2, 5), (5, 4, 3, 1, 1)]


def pairs() -> str:
    """Every two systems of a ranking, in the order of the screen."""
    rows = [
        f"cze,eng,{at},{at},judge{at % 2},{NAMES[i]},{ranks[i]},{NAMES[j]},{ranks[j]},{at}\n"
        for at, ranks in enumerate(RANKS, start=1)
        for i, j in combinations(range(5), 2)
    ]
    return WMT_PAIRS_HEADER + "".join(rows)


def wide() -> str:
    names = ",".join(f"system{i}Id,system{i}rank" for i in range(1, 6))
    rows = [
        f"cze,eng,{at},judge{at % 2},"
        + ",".join(f"{name},{rank}" for name, rank in zip(NAMES, ranks, strict=True))
        for at, ranks in enumerate(RANKS, start=1)
    ]
    return "\n".join([f"srclang,trglang,srcIndex,judgeId,{names}", *rows, ""])


def test_pairs_say_what_the_rankings_say_of_which_they_are(save) -> None:
    data = read(save("wmt15.ces-eng.csv", pairs()))
    assert isinstance(data, Comparisons)
    other = read(save("wide.csv", wide())).comparisons()
    assert cells_of(data.tally()) == cells_of(other.tally())
    by = ("judge", "ranking")
    assert data.tally(by).digest == other.tally(by).digest
    assert data.tasks() == ["cs-en"]


def test_blank_ranks_of_pairs_give_no_outcome_and_others_are_refused(save) -> None:
    text = (
        pairs().replace("uedin,1,jhu,2", "uedin,-1,jhu,2").replace("uedin,2,jhu,2", "uedin,,jhu,2")
    )
    data = read(save("t.csv", text))
    assert [(one.code, one.rows) for one in data.excluded] == [("no-outcome", 2)]
    path = save("t.csv", pairs().replace("uedin,1,jhu,2", "uedin,0,jhu,2"))
    said = refusal(path, InvalidJudgments)
    assert f"rank 0 in column 'system1rank' of {path} (line 2): ranks are whole numbers" in said


# WMT's direct assessment by a crowd.


def test_fields_of_direct_assessments_and_kinds_of_outputs(save) -> None:
    # As published for 2021 and 2022: blanks part the names, tabs the values.
    lines = ["H1\tM1\tcs\ten\tad\t4\tA.1\t10\tSYSTEM\t177\t0.6\t931.0"]
    lines += [lines[0].replace("SYSTEM", "REF").replace("0.6", "1.5")]
    lines += [lines[0].replace("SYSTEM", "REPEAT"), lines[0].replace("SYSTEM", "BAD_REF")]
    data = read(save("ad-csen-good-stnd.csv", "\n".join([" ".join(DA_HEADER.split()), *lines])))
    rows = data.rows()
    assert rows.kind.tolist() == [0, 2, 1, 2]
    assert rows.direction.tolist() == [0, 1, 0, -1]
    assert "1 reference shown in the place of systems (REF)" in data.source.notes[-1]


def test_lines_that_are_no_direct_assessments_are_refused(save) -> None:
    path = save("ad.csv", DA + "NA w hi bn ad NA S NA CHECK x 1 0\n")
    words = refusal(path, InvalidJudgments)
    expected = f"line 4 of {path}: type is 'CHECK': expected SYSTEM | REPEAT | REF | BAD_REF"
    assert words == f"{expected}; correct it, or {SKIP}"
    path = save("ad.csv", DA_HEADER + "NA w hi bn ad NA S NA SYSTEM x 1 0\nNA w hi bn\n")
    assert f"line 3 of {path} has 4 fields, not 12" in refusal(path, UnknownFormat)
    text = "SRC TRG WINS TOTAL CLUSTER_START CLUSTER_END END_OF_CLUSTER SYSTEM\na b 1 2 1 1 1 S\n"
    assert "not judgments" in refusal(save("clusters.csv", text), UnknownFormat)


# WMT's judgments since 2024.


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({"SYS": {"score": 1}}, "the scores of SYS: expected a list"),
        ({"SYS": [{"score": "good"}]}, "a score is a number, not 'good'"),
        ({"SYS": [{"score": 1, "times": [1]}]}, "times are a start and an end"),
        ({"SYS": [{"score": 1, "times": "12"}]}, "times are a start and an end"),
        ({"SYS": [{"score": 1, "times": [1, None]}]}, "times are numbers of seconds, not None"),
        ({"SYS": [{"score": 1, "annotator": ["a"]}]}, "an annotator is a name or a number"),
        ({"SYS": ["x"]}, "a score: expected an object with names, not x"),
        ({"SYS": [{"score": 1, "errors": [{}]}]}, "an error has start_i, end_i and severity"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(scores, words, save) -> None:
    path = save("w.jsonl", json.dumps({**WMT_SEGMENT, "scores": scores}))
    said = refusal(path, InvalidJudgments)
    assert f"line 1 of {path}: " in said
    assert words in said


def _lines(*ends, **changes) -> str:
    segments = [{**WMT_SEGMENT, "doc_id": f"news_#_doc{end}", **changes} for end in ends]
    return "\n".join(map(json.dumps, segments))


def test_an_item_is_the_number_that_the_name_of_the_document_ends_with(save) -> None:
    """Lines are sorted by doc_id as text, in which 12 comes before 2."""
    data = read(save("w.jsonl", _lines("_#_12", "_#_2")))
    assert [(row["item"], row["line"]) for row in rows_of(data)][::2] == [("12", "1"), ("2", "2")]
    assert any("the numbers behind _#_ in doc_id" in note for note in data.source.notes)


@pytest.mark.parametrize("ends", [("_#_12", ""), ("_#_12", "x_#_12")])
def test_lines_without_a_number_of_their_own_are_numbered_as_they_come(ends, save) -> None:
    rows = rows_of(save("w.jsonl", _lines(*ends)))
    assert [row["item"] for row in rows] == ["1", "1", "2", "2"]


def test_numbers_may_be_text_and_places_are_those_of_the_text(save) -> None:
    score = {"score": "98", "annotator": 7, "times": ["1.5", "4"], "mood": "good"}
    data = read(save("w.jsonl", _lines("", scores={"SYS": [score]}, domain="news")))
    (row,) = rows_of(data)
    assert (row["score"], row["judge"], row["shown_at"], row["seconds"]) == (98, "7", "1.5", 2.5)
    assert "not read: domain, scores.mood" in data.source.notes
    # The page trims the output and counts UTF-16 units: unit 2 of `😀XY` is its X.
    error = {"start_i": 2, "end_i": 2, "severity": "minor"}
    score = {"score": 1, "annotator": "a", "errors": [error]}
    text = _lines("", scores={"S": [score]}, tgt_text={"S": " 😀XY"}, src_text=" s")
    (row,) = rows_of(save("w.jsonl", text))
    (span,) = json.loads(row["spans"])
    assert row["output"][span["start"] : span["end"]] == "X"
    assert (row["output"], row["source"]) == (" 😀XY", " s")


# Appraise's scores.


def test_appraises_lines_are_judgments_whose_documents_stay_apart(save) -> None:
    text = APPRAISE_DOCUMENTS.replace(",rt.com.91337,False", ",rt.com.91337#SYS#incomplete,False")
    first, _ = rows_of(save("docs.csv", text))
    assert (first["flag"], first["kind"], first["document"]) == (
        "incomplete",
        "control",
        "rt.com.91337",
    )
    (row,) = rows_of(save("t.csv", "us\x85er,S,1,TGT,eng,deu,5\n"))
    assert row["judge"] == "us\x85er"


@pytest.mark.parametrize("batch", ["", ",7,1234"])
@pytest.mark.parametrize("times", ["", ",1717331262.035,1717331440.504"])
@pytest.mark.parametrize("middle", ["", ",doc,False", ",doc,False,[]"])
def test_every_width_of_the_table_is_told_apart(middle, times, batch, save) -> None:
    (row,) = rows_of(save("t.csv", f"u,S,68,TGT,eng,deu,10{middle}{times}{batch}\n"))
    assert (row["judge"], row["score"]) == ("u", 10)
    assert row.get("document") == ("doc" if middle else None)
    assert row.get("seconds") == (178.469 if times else None)
    assert row.get("item_pk") == ("1234" if batch else None)


def test_frames_with_appraises_columns_keep_others() -> None:
    names = ("user", "system", "segID", "type", "src", "tgt", "score")
    frame = pl.DataFrame([dict(zip(names, ("u", "S", 68, "TGT", "eng", "deu", 10), strict=True))])
    assert read(frame).source.format == "appraise"
    assert rows_of(frame)[0]["item"] == "68"
    names = ("user", "system", "segID", "type", "src", "tgt", "score", "batchID")
    frame = pl.DataFrame([dict(zip(names, ("u", "S", 8, "TGT", "eng", "deu", 1, 3), strict=True))])
    assert rows_of(frame)[0]["batchID"] == "3"


def test_what_is_not_appraises_is_refused_with_its_row(save) -> None:
    words = refusal(save("t.csv", APPRAISE_DIRECT + "u,S,1,XYZ,eng,deu,1\n"), InvalidJudgments)
    assert "line 3 of" in words
    assert "type is 'XYZ': expected TGT | CHK | REF | BAD" in words
    text = APPRAISE_ERRORS.replace("minor", "awful")
    words = refusal(save("s.csv", text), InvalidJudgments)
    assert "line 1 of" in words
    assert "severity is 'awful': expected minor | major" in words
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


def test_merged_outputs_and_second_scores_are_told(save) -> None:
    path = save("ab.csv", "u,A+B,1,TGT,eng,deu,5\nu,A,2,TGT,eng,deu,7\nu,B,2,TGT,eng,deu,8\n")
    hint = "read with --system-separator +"
    assert any(hint in note for note in read(path).source.notes)
    data = read(path, system_separator="+")
    found = sorted((row["system"], row["item"], row["score"]) for row in rows_of(data))
    assert found == [("A", "1", 5), ("A", "2", 7), ("B", "1", 5), ("B", "2", 8)]
    assert not any(hint in note for note in data.source.notes)
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


# Appraise's contrastive scores.


APPRAISE_PAIRS_HEADER = "user,system,segID,type,src,tgt,score,position,start\n"


def test_the_two_rows_of_a_judgment_are_found_and_placed(save) -> None:
    text = APPRAISE_PAIRS_HEADER + "u,B,1,TGT,eng,deu,5,first,9\nu,A,1,TGT,eng,deu,7,second,9\n"
    assert cells_of(tally_of(save("p.csv", text))) == {("B", "A"): (0, 0, 1)}
    turned = APPRAISE_PAIRS_HEADER + "u,A,1,TGT,eng,deu,7,second,9\nu,B,1,TGT,eng,deu,5,first,9\n"
    assert cells_of(tally_of(save("t.csv", turned))) == {("B", "A"): (0, 0, 1)}
    twice = save("q.csv", text.replace("second", "first"))
    assert "both outputs of the pair have one position" in refusal(twice, InvalidJudgments)
    data = read(save("pairs.csv", APPRAISE_PAIRS), format="appraise")
    assert data.rows().score.tolist() == [5, 5, 7, 5]
    text = APPRAISE_PAIRS_HEADER + "".join(
        f"u,{system},{segment},TGT,eng,deu,{score},{place},9\n"
        for segment in (1, 2)
        for system, score, place in (("B", 5, "first"), ("A", 7, "second"))
    )
    assert cells_of(tally_of(save("p.csv", text))) == {("B", "A"): (0, 0, 2)}


def test_a_row_without_its_fellow_or_its_time_is_refused(save) -> None:
    lines = APPRAISE_PAIRS.splitlines(keepends=True)
    words = refusal(save("pairs.csv", "".join(lines[:3])), InvalidJudgments)
    assert "line 2 of" in words
    assert "1 rows have this user, segID and start: a pair has two" in words
    path = save("t.csv", APPRAISE_DIRECT)
    assert "has no start" in refusal(path, UnknownColumn, format="appraise-pairs")


# WMT's direct assessments as programs save them again: parted by commas, with fewer columns.


COLUMNS = ("WorkerId", "Input.src", "Input.trg", "sys_id", "type", "sid", "score")
ROWS = [
    ("w1", "de", "en", "on-A", "SYSTEM", "s1", "70"),
    ("w1", "de", "en", "on-B", "REF", "s1", "95"),
    ("w2", "de", "en", "on-B", "SYSTEM", "s1", "40"),
]


@pytest.mark.parametrize("sign", [",", "\t"])
def test_commas_and_tabs_part_the_columns_as_well(tmp_path, sign) -> None:
    path = tmp_path / "da.csv"
    path.write_text("\n".join(sign.join(row) for row in (COLUMNS, *ROWS)) + "\n")
    data = read(path)
    assert data.source.format == "wmt_da"
    rows = rows_of(data)
    assert [row["task"] for row in rows] == ["de-en"] * 3
    assert [row["kind"] for row in rows] == ["target", "good", "target"]

"""Files of text: CSV and its relations, JSON, packed files, and what kind a file is."""

import gzip
import json
import random
import re
import sys
from collections.abc import Callable

import duckdb
import polars
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import fetch_columns
from evenhand.data.query_log import watch_fetches
from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.formats import file_heads
from evenhand.formats.file_heads import check_zstd
from evenhand.formats.reading import read
from outside_files import APPRAISE_DIRECT, APPRAISE_DOCUMENTS, PEARMUT_LINE
from read_tables import cells_of, refusal, rows_of, tally_of

# CSV and its relations.


CSV = "left,right,winner,note\nA,B,left,x\nB,C,tie,\nA,C,right,z\n"
CELLS = {("A", "B"): (1, 0, 0), ("B", "C"): (0, 1, 0), ("A", "C"): (0, 0, 1)}


@pytest.mark.parametrize("mark", [",", "\t", ";", "|", ":", "^", "~", " "])
def test_any_delimiter_is_found(mark: str, save) -> None:
    assert cells_of(tally_of(save("t.csv", CSV.replace(",", mark)))) == CELLS


def test_fields_and_headers_of_csv(save) -> None:
    text = 'left;right;winner;"a,b,c,d,e"\nA;B;left;"1,2;3"\n'
    assert cells_of(tally_of(save("t.csv", text))) == {("A", "B"): (1, 0, 0)}
    tabs = "left\tright\twinner\nA, Inc\tB, Ltd\tleft\n"
    assert tally_of(save("t.tsv", tabs)).systems == ("A, Inc", "B, Ltd")
    assert cells_of(tally_of(save("t.csv", b"\xef\xbb\xbf" + CSV.encode()))) == CELLS
    assert cells_of(tally_of(save("u.csv", CSV.replace("\n", "\n\n", 3) + "\n"))) == CELLS
    text = 'left,right,winner\n"A ""x"", 1","two\nlines",left\n5" disk,B,tie\n'
    tally = tally_of(save("t.csv", text))
    assert tally.systems == ('5" disk', 'A "x", 1', "B", "two\nlines")
    data = read(save("t.csv", 'left,right,winner,a,b,c\n007,1e3,left,,"",nan\n'))
    assert isinstance(data, Comparisons)
    row = {name: column[0] for name, column in fetch_columns(data.frame).items()}
    assert (row.pop("left"), row.pop("right"), row.pop("outcome")) == ("007", "1e3", "left")
    assert row == {"a": None, "b": None, "c": "nan"}
    assert tally_of(save("t.csv", "left,right,winner\n1,2,left\n")).systems == ("1", "2")
    assert tally_of(save("u.csv", " left , Right,WINNER\nA,B,left\n")).systems == ("A", "B")
    data = read(save("t.csv", ",left,right,winner\n0,A,B,left\n"))
    assert isinstance(data, Comparisons)
    assert data.covariates == ["column1"]
    text = 'left,right,winner\r\n"A\r\nB",C,left\n"A\nB",C,left\n'
    assert tally_of(save("t.csv", text)).systems == ("A\nB", "A\r\nB", "C")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_is_read_and_the_last_may_be_missing(end: str, save) -> None:
    assert cells_of(tally_of(save("t.csv", CSV.replace("\n", end)))) == CELLS
    assert cells_of(tally_of(save("u.csv", CSV.replace("\n", end).strip()))) == CELLS


@pytest.mark.parametrize("header", ["left,right,winner,winner", "left,right,winner,Note,note"])
def test_a_doubled_column_is_refused(header: str, save) -> None:
    words = refusal(save("t.csv", header + "\nA,B,left,left\n"), UnknownFormat)
    assert "appears twice in the header" in words


def test_lines_that_fit_no_table_are_named(save) -> None:
    said = refusal(save("t.csv", CSV + "A,B,left,x\n" * 300_000 + "A,B,left\n"), UnknownFormat)
    assert "line 300,005 of" in said
    path = save("t.csv", CSV.replace("\n", "\r\n", 1) + "A,B\n")
    said = refusal(path, UnknownFormat)
    assert said.startswith(f"line 5 of {path} has 2 fields")
    path = save("t.csv", CSV + MULTILINE * 3 + 'A,B,left,"open\n' + "A,B,left,x\n" * 400_000)
    said = refusal(path, UnknownFormat)
    assert said.startswith(f"line 11 of {path} opens a quote that is never closed")
    shut = path.read_text().replace('"open', '"open"')
    assert tally_of(save("u.csv", shut)).n_comparisons == 400_007
    path = save("t.csv", CSV + MULTILINE + 'A,B,left,"o"pen\nA,B,left,x\n')
    said = refusal(path, UnknownFormat)
    assert said.startswith(f"line 7 of {path} opens a quote that is not closed where a field ends")
    doubled = path.read_text().replace('"o"pen', '"o""pen"')
    assert tally_of(save("u.csv", doubled)).n_comparisons == 6


LONG = 2_300_000
MULTILINE = 'A,B,left,"two\nlines"\n'


@pytest.mark.parametrize("quoted", [True, False])
@pytest.mark.parametrize("pack", [None, gzip.compress], ids=["plain", "gzip"])
def test_a_text_of_more_than_two_megabytes_is_read(quoted, pack, save) -> None:
    field = "x" * LONG if not quoted else '"' + "x,y\n" * (LONG // 4) + '"'
    text = (CSV + f"A,B,left,{field}\n" + "B,A,left,x\n").encode()
    data = read(save("t.csv" if pack is None else "t.csv.gz", pack(text) if pack else text))
    assert data.tally().n_comparisons == 5
    lengths = [len(note or "") for note in fetch_columns(data.frame)["note"].tolist()]
    assert lengths == [1, 0, 1, LONG, 1]


@pytest.mark.parametrize("pack", [None, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("mark", ['"', ""], ids=["quoted", "bare"])
def test_a_line_that_is_too_long_is_named_with_its_size_and_read_from_parquet(
    mark, pack, save
) -> None:
    """A record is named by its first line also where fields above it hold line ends."""
    text = CSV + MULTILINE * 3 + f"A,B,left,{mark}{'x' * (9 << 20)}{mark}\nA,B,left,x\n"
    packed = gzip.compress(text.encode(), 1) if pack else text
    path = save("t.csv.gz" if pack else "t.csv", packed)
    said = refusal(path, UnknownFormat)
    assert said.startswith(f"line 11 of {path} is 9.0 MB long")
    assert "quote" not in said
    parquet = save("t.parquet", "")
    polars.read_csv(path, infer_schema=False).write_parquet(parquet)
    assert tally_of(parquet).n_comparisons == 8


def test_mixed_line_ends_far_down_are_read_in_a_file_that_is_looked_through(
    save, monkeypatch
) -> None:
    text = CSV.replace("\n", "\r\n") + "A,B,left,x\r\n" * 100_000 + "A,B,left,x\n"
    path = save("t.csv", text)
    assert tally_of(path).n_comparisons == tally_of(save("u.csv", CSV)).n_comparisons + 100_001
    monkeypatch.setattr(file_heads, "LOOKED_THROUGH", 1 << 20)
    assert "mixes kinds of line ends" in refusal(path, UnknownFormat)


@pytest.mark.parametrize("end", ["\r\r\n", "\r"])
@pytest.mark.parametrize("rows", [1, 100_000])  # the second is longer than the first look
def test_lines_that_end_in_cr_are_read(end: str, rows: int, save) -> None:
    """CR CR LF is what a program leaves that writes CR LF where LF becomes CR LF."""
    text = CSV + "A,B,left,x\n" * rows
    expected = tally_of(save("u.csv", text))
    assert cells_of(tally_of(save("t.csv", text.replace("\n", end)))) == cells_of(expected)
    scored = "".join(f"j\td\t1\t1\tr\ts\tt\tNo-error\t{end}" for _ in range(min(rows, 40_000)))
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rated = read(save("mqm.tsv", f"{header}{end}{scored}"))
    assert rated.source.notes[1] == f"{min(rows, 40_000):,} rows of errors are 1 ratings"


def test_files_of_csv_are_read_together_if_their_headers_agree(save) -> None:
    one = save("a.csv", CSV)
    two = save("b.csv", CSV.replace("note", "remark"))
    words = refusal([one, two], UnknownFormat)
    assert f"{two} lacks note and has remark too, compared with {one}" in words
    crossed = save("c.csv", "right,left,winner,note\nA,B,left,x\n")
    assert "in another order" in refusal([one, crossed], UnknownFormat)
    one, two = save("a.csv", CSV), save("b.csv", CSV.replace(",", ";"))
    assert tally_of([one, two]).n_comparisons == 6


@pytest.mark.parametrize("mark", [";", ",", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_line_that_tells_excel_the_delimiter_is_understood(mark, end, save) -> None:
    lines = [f"sep={mark}", "left;right;winner", "A;B;left", "B;A;tie"]
    path = save("t.csv", end.join([lines[0], *(line.replace(";", mark) for line in lines[1:])]))
    assert cells_of(tally_of(path)) == {("A", "B"): (1, 0, 0), ("B", "A"): (0, 1, 0)}


# JSON Lines, and JSON lists of objects.


RECORDS = [
    {"left": "A", "right": "B", "winner": "left", "item": 1, "judge": "001"},
    {"left": "B", "right": "C", "winner": "tie", "item": 2, "judge": None},
    {"left": "A", "right": "C", "winner": "right", "judge": "x"},
]


def _lines(records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize(
    "text",
    [_lines(RECORDS), _lines(RECORDS).strip(), json.dumps(RECORDS), json.dumps(RECORDS, indent=2)],
    ids=["lines", "no last line end", "list", "indented"],
)
def test_objects_are_rows(text: str, save) -> None:
    assert cells_of(tally_of(save("t.json", text))) == CELLS


def test_values_of_json_are_text_and_keys_may_be_absent(save) -> None:
    data = read(save("t.jsonl", _lines([*RECORDS, {**RECORDS[0], "late": 1.50, "n": [1, {}]}])))
    assert isinstance(data, Comparisons)
    columns = fetch_columns(data.frame)
    assert columns["judge"].tolist() == ["001", None, "x", "001"]
    assert columns["item"].tolist() == ["1", "2", None, "1"]
    assert columns["late"].tolist() == [None, None, None, "1.5"]
    assert columns["n"].tolist()[-1] == "[1,{}]"
    paths = [save("a.jsonl", _lines(RECORDS[:2])), save("b.jsonl", _lines(RECORDS[2:]))]
    assert cells_of(tally_of(paths)) == CELLS
    path = save("t.jsonl", _lines([{**RECORDS[0], "judge": 7}, {**RECORDS[1], "judge": "b"}]))
    assert tally_of(path, ("judge",)).factor("judge").labels == ("7", "b")
    paths = [save("a.jsonl", _voted([5, 7])), save("b.jsonl", _voted(["5", "6"]))]
    assert read(paths).tally(by=["judge"]).factor("judge").labels == ("5", "6", "7")
    rows = [{"system": "A", "item": "1", "judge": "u", "score": one} for one in (4, 3.5, "5")]
    data = read(save("scores.jsonl", _lines(rows)))
    assert sorted(fetch_columns(data.frame.select("score"))["score"]) == [3.5, 4.0, 5.0]


@pytest.mark.parametrize(
    ("value", "words"),
    [(1.5, "fractions"), (True, "true or false"), ([1], "nested values"), ({"a": 1}, "nested")],
)
def test_what_cannot_name_anything_is_refused(value, words, save) -> None:
    path = save("t.jsonl", _lines([{**record, "judge": value} for record in RECORDS]))
    said = refusal(path, InvalidJudgments)
    assert "column 'judge'" in said
    assert words in said


NESTED = [
    {
        "annotator": {"id": judge, "lang": "de"},
        "item": {"id": item},
        "pair": [{"model": "A"}, {"model": "B"}],
        "said": {"choice": choice, "why/so": None},
    }
    for judge, item, choice in (("ann", 1, "A"), ("ben", 2, "B"), ("ben", 1, "A"))
]
ASKED = {"left": "pair.0.model", "right": "pair.1.model", "outcome": "said.choice"}


def test_values_within_objects_are_columns_that_may_be_roles(save) -> None:
    path = save("t.jsonl", _lines(NESTED))
    data = read(path, columns=ASKED)
    assert cells_of(data.tally()) == {("A", "B"): (2, 0, 1)}
    assert data.source.columns["judge"] == "annotator_id"
    assert data.source.columns["item"] == "item_id"
    underlined = {role: name.replace(".", "_") for role, name in ASKED.items()}
    assert cells_of(tally_of(path, columns=underlined)) == {("A", "B"): (2, 0, 1)}
    assert "columns annotator_id, annotator_lang, item_id" in refusal(path, UnknownFormat)
    path = save("t.jsonl", _lines([{**one, "judge": {"id": "ann"}} for one in RECORDS]))
    assert "nested values" in refusal(path, InvalidJudgments)
    factor = tally_of(path, ("judge",), columns={"judge": "judge.id"}).factor("judge")
    assert factor.labels == ("ann",)
    rated = [
        {"judge": {"id": judge}, "system": {"name": system}, "scores": {"fluency": 4, "style": 2}}
        for judge in ("ann", "ben")
        for system in "AB"
    ]
    rows = read(save("t.jsonl", _lines(rated))).rows()
    assert (rows.judges, rows.systems, rows.criteria) == (
        ("ann", "ben"),
        ("A", "B"),
        ("fluency", "style"),
    )


def _count_calls(work: Callable[[], object]) -> int:
    count = 0

    def add(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(add)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


ROWS = 20_000


@pytest.mark.parametrize("orient", ["index", "columns"])
def test_a_long_frame_in_one_object_is_refused_and_not_read_as_a_column_for_each_row(orient, save):
    rows = {str(at): RECORDS[1] for at in range(ROWS)}
    turned = {name: dict.fromkeys(rows, value) for name, value in RECORDS[1].items()}
    path = save("v.json", json.dumps(rows if orient == "index" else turned))
    with pytest.raises(UnknownFormat, match="one JSON object of columns, and not of rows"):
        read(path)  # what is imported once is imported now
    with watch_fetches() as fetches:
        assert _count_calls(lambda: refusal(path, UnknownFormat)) < ROWS
    assert sum(fetch.rows for fetch in fetches) <= 1


def test_twice_as_many_keys_take_about_twice_as_many_calls(save) -> None:
    calls = []
    for keys in (500, 500, 1000):  # what is imported once is imported the first time
        line = json.dumps({f"item_{at}": at % 5 for at in range(keys)})
        path = save("m.jsonl", line + "\n")
        calls.append(_count_calls(lambda path=path: refusal(path, UnknownFormat)))
    assert calls[2] < 2.5 * calls[1]


@pytest.mark.parametrize("cut", [3, 10, 40])
def test_a_file_that_is_cut_off_is_refused(cut: int, save) -> None:
    for text in (_lines(RECORDS), json.dumps(RECORDS)):
        words = refusal(save("t.json", text[:-cut]), UnknownFormat)
        assert "is not complete JSON: if it is damaged or cut off, correct or delete it" in words


def test_json_that_is_no_list_of_objects_is_refused(save) -> None:
    assert "an empty list" in refusal(save("t.json", "[]"), InvalidJudgments)
    assert "a list, but not of objects" in refusal(save("t.json", "[1, 2]"), UnknownFormat)
    assert "begins with '3'" in refusal(save("t.json", "3"), UnknownFormat)
    assert "no known layout" in refusal(save("t.jsonl", _lines(RECORDS) + "3\n"), UnknownFormat)
    path = save("t.jsonl", '{"left":"A","Left":"C","right":"B","winner":"tie"}\n')
    assert "keys 'left' and 'Left'" in refusal(path, UnknownFormat)
    fine = save("u.jsonl", '{"left":"A","left_1":"C","right":"B","winner":"tie"}\n')
    assert tally_of(fine).systems == ("A", "B")
    path = save("t.jsonl", '{"left":"A","left":"C","right":"B","winner":"tie"}\n')
    assert 'duplicate key "left"' in refusal(path, UnknownFormat)
    line = json.dumps({"votes": [{"left": "A", "right": "B", "winner": "left"}]})
    assert "has the columns votes" in refusal(save("a.jsonl", f"{line}\n{line}\n"), UnknownFormat)
    words = refusal(save("t.jsonl", HEAD_CSV), UnknownFormat)
    assert "is not JSON: it begins with 'l'" in words
    assert words.endswith("if it is CSV, give it a name that ends in .csv")
    for name in ("t.json", "t.jsonl"):
        assert "holds objects without keys" in refusal(save(name, "{}\n"), InvalidJudgments)
    one, two = save("a.csv", HEAD_CSV), save("b.jsonl", '{"left":"A"}')
    words = refusal([one, two], UnknownFormat)
    assert "files read together must be of one kind" in words


def _voted(judges) -> str:
    return _lines([RECORDS[0] | {"judge": judge} for judge in judges])


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([5.0, 6.0], ["5", "6"], r"text in .*b\.jsonl and fractions in .*a\.jsonl"),
        ([True, False], ["5", "6"], r"text in .*b\.jsonl and true or false in .*a\.jsonl"),
        ([5.0, "6"], [None, None], r"text in .*a\.jsonl and fractions in .*a\.jsonl"),
    ],
)
def test_labels_of_two_kinds_are_refused_by_their_files(first, second, said, save) -> None:
    paths = [save("a.jsonl", _voted(first)), save("b.jsonl", _voted(second))]
    for one in (paths, paths[::-1]):
        with pytest.raises(InvalidJudgments, match=said):
            read(one)


def test_the_list_in_an_object_is_read_whatever_its_size(save) -> None:
    rows = [
        {"left": "A", "right": "B", "winner": "left"},
        {"left": "B", "right": "A", "winner": "tie"},
    ]
    one = save("a.json", json.dumps({"data": rows, "made": 2024}))
    two = save("b.json", json.dumps({"data": rows[:1], "made": 2025}, indent=1))
    data = read([one, two])
    assert data.tally().n_comparisons == 3
    assert data.source.notes[-1] == f"the list 'data' of {one} and 1 more was read; not read: made"
    row = {"left": "A", "right": "B", "winner": "left", "text": "x" * 100_000}
    path = save("a.json", json.dumps({"data": [row] * 210}))
    assert path.stat().st_size > 20_000_000
    assert read(path).tally().n_comparisons == 210


# Compressed files, whole and cut off.


COMPRESSION_CSV = "left,right,winner\n" + "A,B,left\n" * 1000
LINES = '{"left":"A","right":"B","winner":"tie"}\n' * 1000


def _pack(path, rows=100_000, kind="csv"):
    relation = duckdb.sql(f"select 'A' \"left\", 'B' \"right\", 'tie' winner from range({rows})")
    relation.query("rows", f"copy rows to '{path}' (format {kind}, compression zstd)")
    return path


def test_zstandard_is_read_and_refused_wherever_it_is_cut(tmp_path, save) -> None:
    assert tally_of(_pack(tmp_path / "t.csv.zst")).n_comparisons == 100_000
    assert tally_of(_pack(tmp_path / "t.jsonl.zst", kind="json")).n_comparisons == 100_000
    whole = _pack(tmp_path / "t.csv.zst").read_bytes()
    check_zstd(tmp_path / "t.csv.zst")
    for length in (5, 9, 12, len(whole) // 2, len(whole) - 5, len(whole) - 1):
        words = refusal(save("cut.csv.zst", whole[:length]), UnknownFormat)
        assert "not a whole Zstandard file" in words
    whole = _pack(tmp_path / "t.csv.zst", rows=10).read_bytes()
    skippable = (0x184D2A51).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"
    check_zstd(save("two.zst", whole + skippable + whole))
    for tail in (b"junk", skippable[:-1]):
        with pytest.raises(UnknownFormat, match="Zstandard"):
            check_zstd(save("bad.zst", whole + tail))


def test_packed_and_plain_files_are_one_table_and_cut_ones_refused(save) -> None:
    paths = [
        save("a.csv", COMPRESSION_CSV),
        save("b.csv.gz", gzip.compress(COMPRESSION_CSV.encode())),
    ]
    assert tally_of(paths).n_comparisons == 2000
    # DuckDB 1.5.6 reads 89,742 of these 100,000 rows without a word
    packed = gzip.compress(b"left,right,winner\n" + b"A,B,left\n" * 100_000)
    assert "cut off" in refusal(save("t.csv.gz", packed[:-100]), UnknownFormat)


@pytest.mark.parametrize("lost", [1, 8, 9, 20])
def test_a_gzip_file_that_is_cut_off_is_refused(lost: int, save) -> None:
    packed = gzip.compress(COMPRESSION_CSV.encode())
    words = refusal(save("t.csv.gz", packed[:-lost]), UnknownFormat)
    assert "is not a whole gzip file" in words


# Tables that are no CSV with a header.


def test_files_of_shapes_of_their_own_are_read_together(save) -> None:
    paths = [save("a.csv", APPRAISE_DIRECT), save("b.csv", APPRAISE_DIRECT.replace("0101", "0102"))]
    assert {row["judge"] for row in rows_of(paths)} == {"engdeu0101", "engdeu0102"}
    paths = [save("a.csv", APPRAISE_DIRECT), save("b.csv", APPRAISE_DOCUMENTS)]
    with pytest.raises(UnknownFormat, match="has documentID, isCompleteDocument too"):
        read(paths)
    paths = [save("en-de.mqm.seg.score", "A 1\nA 2\n"), save("en-cs.mqm.seg.score", "A 3\n")]
    found = [(row["task"], row["item"], row["score"]) for row in rows_of(paths)]
    assert sorted(found) == [("en-cs", "1", 3), ("en-de", "1", 1), ("en-de", "2", 2)]
    path = save("en-de.mqm.seg.score.gz", gzip.compress(b"A 1\nA 2\n"))
    assert [row["item"] for row in rows_of(path)] == ["1", "2"]


@pytest.mark.parametrize("name", ["en-de.human.seg.score.csv", "en-de.run.seg.rating.tsv"])
def test_a_name_like_mt_metrics_evals_with_another_ending_is_any_table(name, save) -> None:
    mark = "," if name.endswith("csv") else "\t"
    text = "system,score,judge\nA,1,j\nB,2,j\n".replace(",", mark)
    assert [row["score"] for row in rows_of(save(name, text))] == [1, 2]


# Pearmut's download.


def test_campaigns_of_one_download_are_told_from_lines(save) -> None:
    path = save("d.json", json.dumps({"one": [PEARMUT_LINE], "two": [PEARMUT_LINE]}))
    assert {row["campaign"] for row in rows_of(path)} == {"one", "two"}
    path = save("d.jsonl", json.dumps(PEARMUT_LINE))
    assert len(rows_of(path)) == 2


# What kind of file it is.


HEAD_CSV = "left,right,winner\nA,B,left\n"
NOISE = random.Random(5).randbytes(5000)
EMPTY = "is empty: write one judgment a row into it, below a header if it is CSV"


def test_the_content_decides_and_not_the_name(save, tmp_path) -> None:
    duckdb.sql("select 'A' \"left\", 'B' \"right\", 'tie' winner").write_parquet(
        str(tmp_path / "t.parquet")
    )
    parquet = (tmp_path / "t.parquet").read_bytes()
    lines = '{"left":"A","right":"B","winner":"tie"}\n'
    for name, content in {
        "a.csv": parquet,
        "b": lines,
        "c.csv": lines,
        "d": HEAD_CSV,
        "e.csv": gzip.compress(HEAD_CSV.encode()),
        "f.dat": f"[{lines}]",
    }.items():
        assert tally_of(save(name, content)).n_comparisons == 1, name


def test_a_file_of_blanks_is_empty(save) -> None:
    assert refusal(save("t.csv", " \n\n"), UnknownFormat).endswith(EMPTY)
    assert refusal(save("t.csv.gz", gzip.compress(b"")), UnknownFormat).endswith(EMPTY)


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.tsv.gz", "t"])
def test_binary_junk_is_refused(name: str, save) -> None:
    assert "is not text" in refusal(save(name, NOISE), UnknownFormat)
    assert "not a Parquet file" in refusal(save("t.parquet", NOISE), UnknownFormat)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"PK\x03\x04", "a spreadsheet"),
        (b"\xd0\xcf\x11\xe0", "an old spreadsheet"),
        (b"ARROW1\x00\x00", "not a whole Arrow file"),
    ],
)
def test_files_of_other_programs_are_refused_with_what_to_do(start, words, save) -> None:
    assert words in refusal(save("t.csv", start + NOISE), UnknownFormat)


def test_a_database_among_files_is_refused_with_what_to_do_and_a_damaged_one_by_its_name(save):
    damaged = save("t.db", b"SQLite format 3\x00" + NOISE)
    said = refusal([damaged, save("t.csv", HEAD_CSV)], UnknownFormat)
    assert "a database: the verbs of evenhand read that of a campaign, alone" in said
    assert "table as CSV, or name it, as in" in said
    assert re.search(r"t\.db: the database .* not a database$", refusal(damaged, UnknownFormat))


def test_letters_are_read_wherever_they_stand(save) -> None:
    for rows in (1, 200_000):  # the second is beyond the first megabyte
        text = (HEAD_CSV + "A,B,left\n" * rows).encode() + "A,Café,left\n".encode("latin-1")
        data = read(save("t.csv", text))
        assert "Café" in data.tally().systems
        assert "t.csv is not UTF-8 and was read as Latin-1 (Windows-1252)" in data.source.notes[-1]
    lines = '{"left":"Café","right":"B","winner":"tie"}\n'.encode("latin-1")
    assert read(save("t.jsonl", lines)).tally().systems == ("B", "Café")
    for shift in range(4):
        first = "x" * shift + ",A,B,left\n"
        path = save("t.csv", "note,left,right,winner\n" + first + "€€€,A,B,left\n" * 60_000)
        counted = tally_of(path).n_comparisons
        assert counted == 60_001

"""CSV and its relations."""

import gzip
import re

import polars
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import fetch_columns
from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.formats import file_heads
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of

CSV = "left,right,winner,note\nA,B,left,x\nB,C,tie,\nA,C,right,z\n"
CELLS = {("A", "B"): (1, 0, 0), ("B", "C"): (0, 1, 0), ("A", "C"): (0, 0, 1)}


@pytest.mark.parametrize("mark", [",", "\t", ";", "|", ":", "^", "~", " "])
def test_any_delimiter_is_found(mark: str, save) -> None:
    assert cells_of(tally_of(save("t.csv", CSV.replace(",", mark)))) == CELLS


def test_the_delimiter_is_the_one_that_all_records_share(save) -> None:
    text = 'left;right;winner;"a,b,c,d,e"\nA;B;left;"1,2;3"\n'
    assert cells_of(tally_of(save("t.csv", text))) == {("A", "B"): (1, 0, 0)}
    tabs = "left\tright\twinner\nA, Inc\tB, Ltd\tleft\n"
    assert tally_of(save("t.tsv", tabs)).systems == ("A, Inc", "B, Ltd")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_is_read_and_the_last_may_be_missing(end: str, save) -> None:
    assert cells_of(tally_of(save("t.csv", CSV.replace("\n", end)))) == CELLS
    assert cells_of(tally_of(save("u.csv", CSV.replace("\n", end).strip()))) == CELLS


def test_a_byte_order_mark_and_blank_lines_do_no_harm(save) -> None:
    assert cells_of(tally_of(save("t.csv", b"\xef\xbb\xbf" + CSV.encode()))) == CELLS
    assert cells_of(tally_of(save("u.csv", CSV.replace("\n", "\n\n", 3) + "\n"))) == CELLS


def test_quotes_hold_delimiters_line_ends_and_quotes(save) -> None:
    text = 'left,right,winner\n"A ""x"", 1","two\nlines",left\n5" disk,B,tie\n'
    tally = tally_of(save("t.csv", text))
    assert tally.systems == ('5" disk', 'A "x", 1', "B", "two\nlines")


def test_all_values_are_text_and_empty_fields_are_missing(save) -> None:
    data = read(save("t.csv", 'left,right,winner,a,b,c\n007,1e3,left,,"",nan\n'))
    assert isinstance(data, Comparisons)
    row = {name: column[0] for name, column in fetch_columns(data.frame).items()}
    assert (row.pop("left"), row.pop("right"), row.pop("outcome")) == ("007", "1e3", "left")
    assert row == {"a": None, "b": None, "c": "nan"}


def test_the_header_is_the_first_line_whatever_stands_below(save) -> None:
    assert tally_of(save("t.csv", "left,right,winner\n1,2,left\n")).systems == ("1", "2")
    assert tally_of(save("u.csv", " left , Right,WINNER\nA,B,left\n")).systems == ("A", "B")


def test_an_unnamed_column_is_kept_under_a_number(save) -> None:
    data = read(save("t.csv", ",left,right,winner\n0,A,B,left\n"))
    assert isinstance(data, Comparisons)
    assert data.covariates == ["column1"]


@pytest.mark.parametrize("header", ["left,right,winner,winner", "left,right,winner,Note,note"])
def test_a_doubled_column_is_refused(header: str, save) -> None:
    words = refusal(save("t.csv", header + "\nA,B,left,left\n"), UnknownFormat)
    assert "stands twice in the header" in words


def test_a_header_alone_is_no_table(save) -> None:
    for text in ("left,right,winner\n", "left,right,winner", "left,right,winner\n\n"):
        assert "a header but no judgments" in refusal(save("t.csv", text), InvalidJudgments)
    assert "line 1 of" in refusal(save("t.csv", "\nleft,right,winner\nA,B,left\n"), UnknownFormat)


def test_a_ragged_row_far_down_is_found_too(save) -> None:
    said = refusal(save("t.csv", CSV + "A,B,left,x\n" * 300_000 + "A,B,left\n"), UnknownFormat)
    assert "line 300,005 of" in said


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
@pytest.mark.parametrize("megabytes", [9, 40])
@pytest.mark.parametrize("mark", ['"', ""], ids=["quoted", "bare"])
def test_a_line_that_is_too_long_is_named_with_its_size_and_read_from_parquet(
    mark, megabytes, pack, save
) -> None:
    """A record is named by its first line also where fields above it hold line ends."""
    text = CSV + MULTILINE * 3 + f"A,B,left,{mark}{'x' * (megabytes << 20)}{mark}\nA,B,left,x\n"
    packed = gzip.compress(text.encode(), 1) if pack else text
    path = save("t.csv.gz" if pack else "t.csv", packed)
    said = refusal(path, UnknownFormat)
    assert said.startswith(f"line 11 of {path} is {megabytes}.0 MB long")
    assert "quote" not in said
    parquet = save("t.parquet", "")
    polars.read_csv(path, infer_schema=False).write_parquet(parquet)
    assert tally_of(parquet).n_comparisons == 8


def test_a_quote_that_is_never_closed_is_named_by_its_line_behind_others_of_two_lines(save) -> None:
    path = save("t.csv", CSV + MULTILINE * 3 + 'A,B,left,"open\n' + "A,B,left,x\n" * 400_000)
    said = refusal(path, UnknownFormat)
    assert said.startswith(f"line 11 of {path} opens a quote that is never closed")
    shut = path.read_text().replace('"open', '"open"')
    assert tally_of(save("u.csv", shut)).n_comparisons == 400_007


def test_a_quote_within_a_field_is_told_from_one_that_is_never_closed(save) -> None:
    path = save("t.csv", CSV + MULTILINE + 'A,B,left,"o"pen\nA,B,left,x\n')
    said = refusal(path, UnknownFormat)
    assert said.startswith(f"line 7 of {path} opens a quote that is not closed where a field ends")
    doubled = path.read_text().replace('"o"pen', '"o""pen"')
    assert tally_of(save("u.csv", doubled)).n_comparisons == 6


@pytest.mark.parametrize("ends", ["\r\n\n\n", "\n\r\n\n", "\r\n\n", "\n\n\r"])
def test_small_files_of_mixed_line_ends_are_read(ends: str, save) -> None:
    """As another program leaves a file to which it adds lines."""
    lines = CSV.splitlines()
    kinds = re.findall("\r\n|\n|\r", ends) + ["\n"] * 4
    text = "".join(line + end for line, end in zip(lines, kinds, strict=False))
    assert cells_of(tally_of(save("t.csv", text))) == CELLS


def test_line_ends_within_quotes_are_left_as_they_are(save) -> None:
    text = 'left,right,winner\r\n"A\r\nB",C,left\n"A\nB",C,left\n'
    assert tally_of(save("t.csv", text)).systems == ("A\nB", "A\r\nB", "C")


def test_a_ragged_line_of_a_file_of_mixed_line_ends_is_named(save) -> None:
    path = save("t.csv", CSV.replace("\n", "\r\n", 1) + "A,B\n")
    said = refusal(path, UnknownFormat)
    assert said.startswith(f"line 5 of {path} has 2 fields")


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
    scored = "".join(f"j\td\t1\t1\tr\ts\tt\tNo-error\t{end}" for _ in range(rows))
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rated = read(save("mqm.tsv", f"{header}{end}{scored}"))
    assert rated.source.notes[1] == f"{rows:,} rows of errors are 1 ratings"


def test_files_with_different_headers_are_refused(save) -> None:
    one = save("a.csv", CSV)
    two = save("b.csv", CSV.replace("note", "remark"))
    words = refusal([one, two], UnknownFormat)
    assert f"{two} lacks note and has remark too, compared with {one}" in words
    crossed = save("c.csv", "right,left,winner,note\nA,B,left,x\n")
    assert "in another order" in refusal([one, crossed], UnknownFormat)


def test_files_may_differ_in_delimiter(save) -> None:
    one, two = save("a.csv", CSV), save("b.csv", CSV.replace(",", ";"))
    assert tally_of([one, two]).n_comparisons == 6


@pytest.mark.parametrize("mark", [";", ",", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_line_that_tells_excel_the_delimiter_is_understood(mark, end, save) -> None:
    lines = [f"sep={mark}", "left;right;winner", "A;B;left", "B;A;tie"]
    path = save("t.csv", end.join([lines[0], *(line.replace(";", mark) for line in lines[1:])]))
    assert cells_of(tally_of(path)) == {("A", "B"): (1, 0, 0), ("B", "A"): (0, 1, 0)}

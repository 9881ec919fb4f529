"""Lines of a file that grows."""

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InvalidJudgments, MissingFile, UnknownFormat
from evenhand.formats.files import GrowingCopy


def test_half_a_line_waits_for_the_rest_of_it(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    path.write_bytes(b'{"a":1}\n{"a"')
    with closing(GrowingCopy(path)) as growing:
        assert (growing.read_new(), growing.waiting) == (b'{"a":1}\n', 4)
        assert (growing.read_new(), growing.waiting) == (b"", 4)
        with path.open("ab") as file:
            file.write(b':2}\n{"a":3}\n')
        assert (growing.read_new(), growing.waiting) == (b'{"a":2}\n{"a":3}\n', 0)


@settings(max_examples=40)
@given(st.lists(st.sampled_from([b"a,b\n", b'"x\ny",2\n', b'"q""q",\n', b",\n"])), st.data())
def test_pieces_are_the_file_however_it_grows(
    tmp_path_factory: pytest.TempPathFactory, rows: list[bytes], data: st.DataObject
) -> None:
    whole = b"".join(rows)
    path = tmp_path_factory.mktemp("growing") / "v.csv"
    found, at = b"", 0
    with closing(GrowingCopy(path)) as growing:
        while at < len(whole) or not at:
            step = data.draw(st.integers(1, 12))
            path.write_bytes(whole[: at + step])
            fresh = growing.read_new()
            assert fresh == b"" or fresh.endswith(b"\n")
            assert fresh.count(b'"') % 2 == 0
            found, at = found + fresh, at + step
        assert (found, growing.waiting) == (whole, 0)
        assert not found or growing.copy.read_bytes() == found


@pytest.mark.parametrize("after", [b"a,b\n1,", b"a,b\n1,3\n4,5\n", b""])
def test_a_file_that_was_cut_or_written_anew_is_refused(tmp_path: Path, after: bytes) -> None:
    path = tmp_path / "votes.csv"
    path.write_bytes(b"a,b\n1,2\n")
    with closing(GrowingCopy(path)) as growing:
        growing.read_new()
        path.write_bytes(after)
        with pytest.raises(InvalidJudgments, match="was cut or rewritten"):
            growing.read_new()


def test_what_has_no_lines_and_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match=r"only \.csv, \.tsv, \.jsonl, \.ndjson grow line by"):
        GrowingCopy(tmp_path / "votes.parquet")
    (tmp_path / "votes.csv").touch()
    with (
        closing(GrowingCopy(tmp_path / "vote.csv")) as growing,
        pytest.raises(MissingFile, match=r"Did you mean 'votes\.csv'"),
    ):
        growing.read_new()

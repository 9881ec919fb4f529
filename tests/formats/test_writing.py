"""Writing our own tables, and reading them again."""

import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import fetch_columns
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.errors import EvenhandError, InvalidJudgments, UnknownFormat, UnknownOption
from evenhand.formats.reading import read
from evenhand.formats.writing import write
from read_tables import cells_of, tally_of

SUFFIXES = ("csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz", "csv.zst", "jsonl.zst")
TABLE = {"left": ["A", "B"], "right": ["B", "A"], "winner": ["A>B", "draw"], "judge": ["j", None]}
RANKED = "ranking,system,rank,position\nr,A,1,2\nr,B,,1\nr,C,2,3\ns,A,-1,1\n"

labels = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)
names = labels.filter(lambda text: text == text.strip())


def _rows(data: Any) -> list[tuple[Any, ...]]:
    columns = fetch_columns(data.frame)
    ordered = [columns[name].tolist() for name in sorted(columns)]
    return sorted(zip(*ordered, strict=True), key=repr)


def _blank(column: Any) -> list[float | None]:
    """Numbers of a fetched column; missing ones, which numpy writes as nan, as None."""
    return [None if np.isnan(number) else number for number in column.astype(float)]


def _both_ways(frame: pl.DataFrame, folder: Path, suffix: str) -> list[Any]:
    """Write a frame row by row, then the file that came of it by DuckDB; read both."""
    first = write(read(frame), folder / "first.parquet", force=True)
    second = write(read(first), folder / f"second.{suffix}", force=True)
    if suffix.endswith("zst"):
        return [read(first), read(second)]
    third = write(read(frame), folder / f"third.{suffix}", force=True)
    return [read(first), read(second), read(third)]


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    systems=st.lists(names, min_size=2, max_size=4, unique=True),
    picks=st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), names, labels), min_size=1),
    suffix=st.sampled_from(SUFFIXES),
)
def test_comparisons_are_read_as_they_were_written(systems, picks, suffix, tmp_path) -> None:
    k = len(systems)
    pairs = [(a % k, (a + 1 + b % (k - 1)) % k) for a, b, *_ in picks]
    frame = pl.DataFrame(
        {
            "left": [systems[a] for a, _ in pairs],
            "right": [systems[b] for _, b in pairs],
            "outcome": [("left", "tie", "right")[(a + b) % 3] for a, b, *_ in picks],
            "judge": [judge for *_, judge, _ in picks],
            "remark": [remark for *_, remark in picks],
        }
    )
    expected = _rows(read(frame))
    for back in _both_ways(frame, tmp_path, suffix):
        assert isinstance(back, Comparisons)
        assert _rows(back) == expected


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rankings=st.dictionaries(
        names,
        st.dictionaries(names, st.none() | st.integers(1, 5), min_size=1, max_size=5),
        min_size=1,
        max_size=4,
    ),
    suffix=st.sampled_from(SUFFIXES),
)
def test_rankings_are_read_as_they_were_written(rankings, suffix, tmp_path) -> None:
    rows = [(r, s, rank) for r, ranks in rankings.items() for s, rank in ranks.items()]
    schema = {"ranking": pl.String, "system": pl.String, "rank": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    for back in _both_ways(frame, tmp_path, suffix):
        assert isinstance(back, Rankings)
        columns = fetch_columns(back.frame)
        names = zip(columns["ranking"].tolist(), columns["system"].tolist(), strict=True)
        found = dict(zip(names, _blank(columns["rank"]), strict=True))
        assert found == {(ranking, system): rank for ranking, system, rank in rows}


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(names, names, st.none() | st.floats(-1e6, 1e6, width=32)), min_size=1, max_size=9
    ),
    suffix=st.sampled_from(SUFFIXES),
)
def test_ratings_are_read_as_they_were_written(rows, suffix, tmp_path) -> None:
    schema = {"judge": pl.String, "system": pl.String, "score": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    for back in _both_ways(frame, tmp_path, suffix):
        assert isinstance(back, Ratings)
        columns = fetch_columns(back.frame)
        sides = (columns["judge"].tolist(), columns["system"].tolist(), _blank(columns["score"]))
        found = zip(*sides, strict=True)
        assert sorted(found, key=repr) == sorted(rows, key=repr)


@pytest.mark.parametrize("suffix", SUFFIXES[:6])
def test_every_frame_can_be_written(suffix: str, tmp_path) -> None:
    frame = pl.DataFrame(TABLE | {"n": [1.0, None], "ok": [True, False]})
    relation = duckdb.connect().from_arrow(frame.to_arrow())
    sources = (frame, frame.lazy(), frame.to_arrow(), frame.to_pandas(), relation)
    for i, source in enumerate(sources):
        path = write(read(source), tmp_path / f"{i}.{suffix}")
        assert cells_of(tally_of(path)) == {("A", "B"): (1, 0, 0), ("B", "A"): (0, 1, 0)}
        data = read(path)
        assert data.columns == ["left", "right", "outcome", "judge", "n", "ok"]


def test_outcomes_positions_and_times_are_written_plainly(tmp_path, save) -> None:
    path = write(read(pl.DataFrame(TABLE)), tmp_path / "t.csv")
    assert path.read_text() == "left,right,outcome,judge\nA,B,left,j\nB,A,tie,\n"
    own = read(pl.DataFrame(TABLE), outcomes={"A>B": "right", "draw": "left"})
    assert '"outcome": "right"' in write(own, tmp_path / "t.jsonl").read_text()
    data = read(save("r.csv", "ranking,system,rank\nr,B,1\nr,A,2\n"))
    path = write(data, tmp_path / "c.csv", kind="comparisons")
    back = read(path)
    assert isinstance(back, Comparisons)
    assert not back.positions_known
    again = write(back, tmp_path / "d.csv")
    assert again.read_text() == path.read_text()
    frame = pd.DataFrame(TABLE | {"when": pd.to_datetime(["2024-01-02 03:04:05", None])})
    lines = write(read(frame), tmp_path / "n.jsonl").read_text().splitlines()
    second = json.loads(lines[1])
    assert second["judge"] is None
    assert second["when"] is None
    assert json.loads(lines[0])["when"].startswith("2024-01-02 03:04:05")
    packed = write(read(frame), tmp_path / "n.jsonl.gz")
    assert gzip.decompress(packed.read_bytes()).decode().splitlines() == lines
    data = read(pl.DataFrame(TABLE | {"model_a": ["x", "y"]}), format="evalica")
    with pytest.raises(UnknownOption, match="'model_a' is there already"):
        write(data, tmp_path / "arena.csv", kind="arena")


def test_rankings_become_comparisons_when_asked(save, tmp_path) -> None:
    data = read(save("r.csv", RANKED))
    path = write(data, tmp_path / "c.csv", kind="comparisons")
    assert path.read_text() == "left,right,outcome,ranking\nA,C,left,r\n"
    own = write(data, tmp_path / "r2.csv")
    assert own.read_text().splitlines()[0] == "ranking,system,rank,position"
    assert sorted(own.read_text().splitlines()[1:]) == ["r,A,1,2", "r,B,,1", "r,C,2,3", "s,A,-1,1"]


def test_files_are_replaced_only_by_force(tmp_path, save) -> None:
    data = read(pl.DataFrame(TABLE))
    path = write(data, tmp_path / "t.csv")
    before = path.read_text()
    with pytest.raises(UnknownOption, match="--force"):
        write(data, path)
    write(read(pl.DataFrame(TABLE | {"left": ["C", "D"]})), path, force=True)
    assert path.read_text() != before
    path = save("t.csv", "left,right,winner\nA,B,A>B\n")
    write(read(path), path, force=True)
    assert path.read_text() == "left,right,outcome\nA,B,left\n"


@pytest.mark.parametrize("force", [True, False])
def test_a_table_that_could_not_be_read_again_is_not_written(force, save, tmp_path) -> None:
    target = save("out.csv", "old") if force else tmp_path / "out.csv"
    bad = read(save("bad.csv", "left,right,winner\nA,B,left\nA,A,tie\n"))
    with pytest.raises(InvalidJudgments, match="compared with itself"):
        write(bad, target, force=force)
    assert target.exists() == force
    assert {path.name for path in tmp_path.iterdir()} <= {"out.csv", "bad.csv"}


def test_what_is_not_whole_is_not_written(save, tmp_path) -> None:
    damaged = read(save("s.csv", "system,score\nA,1\n" + "A,1\n" * 9000), where="score = '1'")
    (tmp_path / "s.csv").write_text("system,score\nA,1\nA\n")
    with pytest.raises(UnknownFormat, match="line 3 of"):
        write(damaged, tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["s.csv"]


@pytest.mark.parametrize(
    ("name", "wishes", "words"),
    [
        ("t.xyz", {}, "does not say what to write"),
        ("t.csv", {"format": "xls"}, "choose csv | tsv | jsonl | parquet"),
        ("t.csv", {"kind": "arenna"}, "Did you mean 'arena'?"),
        ("t.csv", {"kind": "rankings"}, "comparisons cannot be written as rankings"),
        ("t.parquet.gz", {}, "Parquet is packed inside"),
        ("no/t.csv", {}, "there is no folder"),
        ("t.csv.zst", {}, "a data frame is packed with gzip"),
        (".", {"format": "csv"}, "is a folder"),
    ],
)
def test_what_cannot_be_written_is_refused(name, wishes, words, tmp_path) -> None:
    with pytest.raises(EvenhandError) as caught:
        write(read(pl.DataFrame(TABLE)), tmp_path / name, **wishes)
    assert words in str(caught.value)
    assert not list(tmp_path.iterdir())

"""The benchmark of growth measures what it says, and cleans up after itself."""

import csv

import duckdb
from click.testing import CliRunner

from benchmarks import growth


def test_each_size_is_measured_beside_its_floor_and_removed(tmp_path):
    words = ["--sizes", "3e3", "--part", "2e3", "--systems", "5", "--judges", "20"]
    table = tmp_path / "growth.csv"
    result = CliRunner().invoke(
        growth.main, [*words, "--folder", str(tmp_path / "rows"), "--csv", str(table)]
    )
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["n"], row["contender"]) for row in rows] == [("3000", "floor"), ("3000", "rank")]
    assert all(float(row["cpu_s"]) > 0 and float(row["peak_mb"]) > 10 for row in rows)
    assert not list((tmp_path / "rows").iterdir())


def test_parts_hold_the_rows_that_were_asked_for(tmp_path):
    growth.generate(tmp_path / "rows", 2_500, growth.Shape(5, 20, 30, part=1_000))
    found = duckdb.sql(
        "select count(*), count(distinct model_a), count(distinct judge), count(distinct item),"
        f" sum((model_a = model_b)::int) from '{tmp_path}/rows/*.parquet'"
    ).fetchone()
    assert found == (2_500, 5, 20, 30, 0)

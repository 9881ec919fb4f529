"""The benchmark of growth measures what it says, and cleans up after itself."""

import csv

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

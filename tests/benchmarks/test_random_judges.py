"""The bench of random judges runs, and its file holds what was asked for."""

from pathlib import Path

import duckdb
from benchmarks.random_judges import main, parquet, write
from click.testing import CliRunner

from benchmarks import data


def test_a_small_case_is_written_read_fitted_and_reported(tmp_path: Path) -> None:
    size = ["--judges", "40", "--systems", "4", "--each", "30", "--folder", str(tmp_path)]
    ran = CliRunner().invoke(main, size, catch_exceptions=False)
    assert ran.exit_code == 0
    assert "40 judges, 4 systems, 1,200 answers, corrected" in ran.output
    assert "target 30 s, 2,048 MB: met" in ran.output


def test_the_file_has_the_answers_judges_and_systems_that_were_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "tastes.parquet"
    write(path, (30, 5, 2_000), 0.5)
    rows = duckdb.execute(
        'SELECT count(*), count(DISTINCT judge), count(DISTINCT "left"),'
        f' count(*) FILTER ("left" = "right") FROM {data.quoted(path)}'
    ).fetchone()
    assert rows == (2_000, 30, 5, 0)
    again = parquet(tmp_path, (30, 5, 100), 0.5)
    before = again.stat().st_mtime_ns
    assert parquet(tmp_path, (30, 5, 100), 0.5).stat().st_mtime_ns == before

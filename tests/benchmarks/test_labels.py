"""The bench of labels runs both contenders, on the answers that were asked for."""

from pathlib import Path

import duckdb
from benchmarks.labels import Crowd, measured, parquet

from benchmarks import data

SMALL = Crowd("small", answers=600, units=120, judges=15, labels=3)


def test_the_file_has_the_answers_units_judges_and_labels_that_were_asked_for(
    tmp_path: Path,
) -> None:
    path = parquet(tmp_path, SMALL)
    rows = duckdb.execute(
        "SELECT count(*), count(DISTINCT item), count(DISTINCT judge), count(DISTINCT score)"
        f" FROM {data.quoted(path)}"
    ).fetchone()
    assert rows == (600, 120, 15, 3)
    before = path.stat().st_mtime_ns
    assert parquet(tmp_path, SMALL).stat().st_mtime_ns == before


def test_both_contenders_are_measured_on_one_file(tmp_path: Path) -> None:
    rows = measured(SMALL, "dawid-skene", parquet(tmp_path, SMALL), 1)
    assert [row.contender for row in rows] == ["evenhand", "crowd-kit"]
    assert rows[0].times_evenhand == 1
    assert all(row.cpu_s > 0 and row.steps > 1 for row in rows)

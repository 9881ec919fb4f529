"""What `--explain` says of queries whose answers came whole or in batches."""

import duckdb
import pytest
from click.testing import CliRunner

from evenhand.cli.main import main
from evenhand.cli.running import write_account
from evenhand.data import streams as row_reading
from evenhand.data.query_log import Fetch


def test_rows_that_came_in_batches_are_counted_by_themselves():
    counted = Fetch("duckdb", "SELECT 1", 3, ("left", "evenhand_count"))
    streamed = Fetch("duckdb", "SELECT 2", 9_000_000, ("evenhand_key", "x"), 35)
    lines = write_account([counted, streamed]).splitlines()
    assert lines[0] == (
        "explain  duckdb: 2 queries pushed, 3 rows collected and 9,000,000 streamed in all"
    )
    assert lines[3].endswith(
        "9,000,000 rows × 2 columns streamed in 35 batches to a temporary file"
    )


@pytest.mark.parametrize(("held", "said"), [(10**9, False), (0, True)])
def test_a_fit_with_a_control_says_whether_rows_were_streamed(tmp_path, monkeypatch, held, said):
    path = tmp_path / "votes.parquet"
    rows = """select ['a', 'b', 'c'][1 + i % 3] as "left", ['b', 'c', 'a'][1 + i % 3] as "right",
              ['left', 'tie', 'right'][1 + (hash(i) % 3)::int] as outcome,
              (hash(i, 1) % 99)::double as length from range(300) t(i)"""
    duckdb.sql(rows).write_parquet(str(path))
    monkeypatch.setattr(row_reading, "HELD", held)
    result = CliRunner().invoke(main, ["fit", str(path), "--control", "length", "--explain"])
    assert result.exit_code == 0, result.output
    assert ("300 streamed in all" in result.stderr) == said
    assert ("streamed in 1 batch to a temporary file" in result.stderr) == said

"""The benchmark of agreement: its file, and that contenders compute the same numbers."""

import duckdb
import pytest
from benchmarks.data import quoted
from benchmarks.measure import Limits

from benchmarks import agreement


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(agreement, "RATINGS", 2_000)


def test_judges_of_an_output_differ_and_a_fifth_is_missing(few, tmp_path):
    file = quoted(agreement.parquet(tmp_path, 5, 0.2))
    rows, distinct, outputs = duckdb.execute(
        f"SELECT count(*), count(DISTINCT (judge, item, system)), count(DISTINCT (item, system))"
        f" FROM {file}"
    ).fetchone()
    assert rows == distinct == 2_000
    assert outputs <= 500


def test_peers_and_evenhand_give_the_same_coefficients(few, tmp_path):
    rows = list(agreement.measured(agreement.parquet(tmp_path, 2, 0.0), "2", Limits(repeat=1)))
    assert [row.contender for row in rows if row.note] == []
    peers = [row for row in rows if row.contender.startswith(("krippendorff", "statsmodels"))]
    assert len(peers) == 4
    assert max(row.difference for row in peers) < 1e-12
    assert agreement.line(rows[-1]).startswith("2 ")

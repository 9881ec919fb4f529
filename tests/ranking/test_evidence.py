"""Counts in one tally, or in one for each way of clustering."""

import numpy as np

from evenhand import read
from evenhand.data import engine
from evenhand.ranking import clustering as gathering
from evenhand.ranking import rank
from ranking.panels import comparisons, panel


def test_of_very_many_judgments_cells_of_judge_and_item_are_not_counted(monkeypatch):
    """INFERENCE B3: V_J + V_I without V_JI, conservative, and it says so."""
    data = comparisons(panel(judges=9))
    exact = rank(data)
    monkeypatch.setattr(gathering, "MAX_JOINT_JUDGMENTS", 239)
    found = rank(data)
    assert found.notes[-1].code == "no-cells"
    by_judge, by_item = (rank(data, cluster=cluster) for cluster in ("judge", "item"))
    variance = by_judge.stderr**2 + by_item.stderr**2
    np.testing.assert_allclose(found.stderr, np.sqrt(variance), rtol=1e-9)
    assert (found.stderr >= exact.stderr).all()
    assert (found.method, found.n_items) == (exact.method, exact.n_items)
    assert rank(data, interval="bootstrap").notes == exact.notes


def test_a_small_file_is_asked_once(tmp_path, monkeypatch):
    """One query counts, tells judges and items apart, and shows that the file is small."""
    path, asked = tmp_path / "votes.csv", []
    panel(judges=9).write_csv(path)
    data = read(path)
    way = engine._fetch_duckdb
    monkeypatch.setattr(engine, "_fetch_duckdb", lambda query: asked.append(query) or way(query))
    found = rank(data)
    assert len(asked) == 1
    assert found.n_comparisons == 240
    assert found.n_items == 8

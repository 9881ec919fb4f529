"""Counts in one tally, or in one for each way of clustering."""

from evenhand import read
from evenhand.data.query_log import watch_fetches
from evenhand.ranking import rank
from ranking.panels import panel


def test_a_small_file_is_asked_once(tmp_path):
    """One query counts, tells judges and items apart, and shows that the file is small."""
    path = tmp_path / "votes.csv"
    panel(judges=9).write_csv(path)
    data = read(path)
    with watch_fetches() as asked:
        found = rank(data)
    assert len(asked) == 1
    assert found.n_comparisons == 240
    assert found.n_items == 8

"""From what stands on the command line to judgments of the kind that a verb needs."""

from pathlib import Path

import polars as pl
import pytest

from evenhand.cli.options import Reading
from evenhand.data.comparisons import Comparisons
from evenhand.data.ratings import Ratings
from evenhand.errors import UnknownFormat


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Reading]:
    """One file of each kind."""
    tables = {
        "ratings": {"system": ["A", "B"], "score": [1, 2]},
        "comparisons": {"left": ["A"], "right": ["B"], "outcome": ["left"]},
        "rankings": {"ranking": ["r", "r"], "system": ["A", "B"], "rank": [1, 2]},
    }
    readings = {}
    for kind, columns in tables.items():
        path = tmp_path / f"{kind}.csv"
        pl.DataFrame(columns).write_csv(path)
        none = dict.fromkeys(Reading.list_options())
        asked = {"files": (str(path),), "columns": (), "outcomes": (), "weights": "frequency"}
        readings[kind] = Reading({**none, **asked})
    return readings


def test_ratings_are_opened_and_other_judgments_refused(files):
    assert files["ratings"].open_ratings("variance").rows().size == 2
    for kind in ("comparisons", "rankings"):
        with pytest.raises(UnknownFormat, match=rf"holds {kind}, and variance needs ratings"):
            files[kind].open_ratings("variance")


def test_ratings_compare_nothing(files):
    with pytest.raises(UnknownFormat, match="holds ratings, and bias needs comparisons"):
        files["ratings"].open_comparisons("bias")


def test_either_kind_is_opened_with_rankings_expanded(files):
    assert isinstance(files["ratings"].open_either(), Ratings)
    for kind in ("comparisons", "rankings"):
        data = files[kind].open_either()
        assert isinstance(data, Comparisons)
        assert data.votes().size == 1

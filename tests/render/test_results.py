"""Results as frames, figures, notebooks and text, all of one document."""

from __future__ import annotations

from importlib import import_module

import polars as pl
import pytest

import evenhand
from evenhand.errors import UnknownOption


@pytest.fixture(scope="module")
def ranking() -> evenhand.Ranking:
    systems, rows = ["opus", "lark", "wren"], []
    for judge in range(6):
        for item in range(12):
            left, right = systems[item % 3], systems[(item + 1) % 3]
            outcome = "tie" if (judge + item) % 7 == 0 else ("left", "right")[item * judge % 5 > 2]
            rows.append((f"j{judge}", f"i{item}", left, right, outcome))
    names = ("judge", "item", "left", "right", "outcome")
    return evenhand.rank(evenhand.read(pl.DataFrame(rows, schema=names, orient="row")))


def test_frames_hold_the_rows_of_csv(ranking: evenhand.Ranking) -> None:
    rows = ranking.document().tables[0].records
    for frame in (ranking.to_pandas(), ranking.to_polars()):
        assert list(frame.columns) == list(rows[0])
        assert list(frame["system"]) == [row["system"] for row in rows]
        assert list(frame["log_worth"]) == [row["log_worth"] for row in rows]


def test_a_library_that_is_not_there_is_named(
    ranking: evenhand.Ranking, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str) -> object:
        if name == "pandas":
            raise ImportError(name)
        return import_module(name)

    monkeypatch.setattr("evenhand.data.results.import_module", fail)
    with pytest.raises(UnknownOption, match="pip install pandas"):
        ranking.to_pandas()


def test_a_result_draws_itself(ranking: evenhand.Ranking) -> None:
    figure = ranking.plot()
    assert type(figure).__module__ == "matplotlib.figure"


def test_text_and_html_hold_every_system_and_the_signature(ranking: evenhand.Ranking) -> None:
    for written in (repr(ranking), ranking._repr_html_()):
        assert all(system in written for system in ranking.systems)
        assert "sha256" in written

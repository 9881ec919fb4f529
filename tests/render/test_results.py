"""Results as frames, figures, notebooks and text, all of one document."""

from __future__ import annotations

from importlib import import_module
from math import log, sqrt

import polars as pl
import pytest

import evenhand
from evenhand.errors import UnknownOption
from evenhand.report.plot import find_chart


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


def test_frames_of_groups_have_the_group_first_and_each_group_its_figure() -> None:
    rows = [
        {"model_a": one, "model_b": other, "winner": winner, "task": task}
        for task in ("de", "fr")
        for one, other in (("opus", "lark"), ("lark", "wren"), ("wren", "opus"))
        for winner in ("model_a", "model_b", "tie")
    ]
    grouped = evenhand.rank(rows)
    for frame in (grouped.to_pandas(), grouped.to_polars()):
        assert list(frame.columns)[:2] == ["task", "system"]
        assert list(frame["task"]) == ["de"] * 3 + ["fr"] * 3
    with pytest.raises(UnknownOption, match=r"as in result\['de'\]\.plot\(\)$"):
        grouped.plot()
    assert grouped["de"].plot().axes


def test_fits_are_drawn_as_log_worths_around_their_mean() -> None:
    """Two systems, 6 of 8 won: log-worths ±log(3)/2, and half the error of their difference."""
    rows = [
        {"model_a": "a", "model_b": "b", "winner": w} for w in ["model_a"] * 6 + ["model_b"] * 2
    ]
    chart = find_chart(evenhand.BradleyTerry().fit(rows))
    drawn = {row["name"]: row for row in chart.rows[0]}
    half, margin = log(3) / 2, 1.959964 * sqrt(1 / 6 + 1 / 2) / 2
    assert drawn["a"]["value"] == pytest.approx(half, abs=1e-6)
    assert drawn["a"]["lower"] == pytest.approx(half - margin, abs=1e-5)
    assert drawn["b"]["upper"] == pytest.approx(margin - half, abs=1e-5)


def test_the_package_lists_public_names_only() -> None:
    assert evenhand.rank  # whose rooms are imported by now
    assert [name for name in dir(evenhand) if not name.startswith("_")] == sorted(evenhand.__all__)

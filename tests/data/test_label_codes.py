"""Labels become codes, by hashes where DuckDB reads and by joins elsewhere."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.data import coding as label_codes
from evenhand.data.coding import Labels, bind_levels, fetch_codes, find_labels, read_labels
from evenhand.data.ratings import Ratings
from frames_of_engines import every_engine, handle

TABLE = {"name": ["b", None, "a", "b", "ä"], "system": list("AAAAA"), "score": [1, 2, 3, 4, 5]}


@every_engine
def test_labels_are_sorted_by_code_point_and_a_missing_one_stands_first(engine):
    frame = handle(Ratings, TABLE, engine).frame
    assert find_labels(frame, "name").names == (None, "a", "b", "ä")


@every_engine
def test_a_missing_label_has_a_code_too(engine):
    data = handle(Ratings, TABLE, engine)
    labels = {name: find_labels(data.frame, name) for name in ("name", "system")}
    found = fetch_codes(data.frame, labels, ["score"], data.source.connection)
    pairs = sorted(zip(found["score"].tolist(), found["name"].tolist(), strict=True))
    assert pairs == [(1, 2), (2, 0), (3, 1), (4, 2), (5, 3)]
    assert found["system"].tolist() == [0] * 5


@pytest.mark.parametrize("engine", ["duckdb", "duckdb without connection"])
def test_labels_that_share_a_hash_are_told_apart_without_it(engine):
    """No two known texts share 64 bits, so the hashes are excluded by hand."""
    table = {"name": ["b", "c", "a", "b", "c"], "score": [1, 2, 3, 4, 5]}
    data = handle(Ratings, table | {"system": list("AAAAA")}, engine)
    labels = {"name": Labels(find_labels(data.frame, "name").names)}
    found = fetch_codes(data.frame, labels, ["score"], data.source.connection)
    assert found["score"].tolist() == [1, 2, 3, 4, 5]
    assert found["name"].tolist() == [1, 2, 0, 1, 2]


@pytest.mark.parametrize("engine", ["polars", "polars lazy", "pandas", "pyarrow", "duckdb"])
def test_rows_come_in_the_order_of_the_table(monkeypatch, engine):
    """A join of a lazy Polars frame mixes rows, otherwise in every run."""
    monkeypatch.setattr(label_codes, "MAX_TEXT_ROWS", 0)
    names = [f"n{i % 7}" for i in range(400)]
    table = {"name": names, "system": ["A", "B"] * 200, "score": list(range(400))}
    data = handle(Ratings, table, engine)
    labels = {name: Labels(find_labels(data.frame, name).names) for name in ("name", "system")}
    for _ in range(30 if engine == "polars lazy" else 1):
        found = fetch_codes(data.frame, labels, ["score"], data.source.connection)
        assert found["score"].tolist() == list(range(400))
        assert [f"n{code}" for code in found["name"].tolist()] == names


def test_the_first_answer_of_a_lazy_frame_is_the_first_of_its_table():
    """Three judges give forty scores to eight items; second answers are excluded."""
    judges, items = [f"j{i * 7 // 4 % 3}" for i in range(40)], [f"i{i * 5 % 8}" for i in range(40)]
    scores = [1 + i * i * i % 7 % 5 for i in range(40)]
    table = pl.DataFrame({"judge": judges, "item": items, "system": "s", "score": scores})

    def measure(frame):
        found = evenhand.measure_agreement(evenhand.read(frame), coefficients="fleiss")
        return found.whole["fleiss"].value

    assert {measure(table.lazy()) for _ in range(30)} == {measure(table)}


def test_a_doubled_hash_is_noticed(monkeypatch):
    data = handle(Ratings, TABLE, "duckdb")
    fetched = label_codes.fetch_columns

    def collide(frame):
        columns = fetched(frame)
        return {
            name: np.zeros_like(values) if name.startswith(label_codes._HASH) else values
            for name, values in columns.items()
        }

    monkeypatch.setattr(label_codes, "fetch_columns", collide)
    assert find_labels(data.frame, "name").hashes is None


def test_names_of_columns_may_hold_blanks():
    table = {"input Type": ["x", "y"], "system": ["A", "A"], "score": [1, 2]}
    data = handle(Ratings, table, "duckdb")
    assert find_labels(data.frame, "input Type").names == ("x", "y")
    assert data.rows(factors=["input Type"]).factors["input Type"].codes.tolist() == [0, 1]


def test_words_are_labels_without_outer_blanks():
    assert Labels((None, " bad", "good ")).words == ("", "bad", "good")


def test_items_of_two_tasks_are_two_items():
    task = (("de", "de x"), np.array([1, 0, 1, 0], np.int32))
    item = (("1", "2"), np.array([0, 0, 1, 0], np.int32))
    names, codes = bind_levels(task, item)
    assert names == tuple(sorted(["de / 1", "de x / 1", "de x / 2"]))
    assert [names[code] for code in codes.tolist()] == ["de x / 1", "de / 1", "de x / 2", "de / 1"]


def test_integers_and_categories_are_read_as_text():
    frame = nw.from_native(handle(Ratings, TABLE, "polars").frame.to_native())
    category = frame.with_columns(nw.col("system").cast(nw.Categorical), name=nw.col("score"))
    rows = Ratings(category).rows(factors=["name"])
    assert (rows.systems, rows.factors["name"].labels) == (("A",), ("1", "2", "3", "4", "5"))


@pytest.mark.parametrize("few", [5, 4])
def test_labels_of_few_rows_are_those_of_many(monkeypatch, few):
    """Up to five rows are fetched as they stand; of more, labels and hashes are."""
    monkeypatch.setattr(label_codes, "MAX_TEXT_ROWS", few)
    data = handle(Ratings, TABLE, "duckdb")
    labels, fetch = read_labels(data.frame, ["name", "system"], ["score"], data.source.connection)
    found = fetch()
    assert labels["name"].names == (None, "a", "b", "ä")
    assert (labels["name"].hashes is None) == (few == 5)
    assert found["name"].tolist() == [2, 0, 1, 2, 3]
    assert found["system"].tolist() == [0] * 5
    assert found["score"].tolist() == [1, 2, 3, 4, 5]

"""Labels become codes, by hashes where DuckDB reads and by joins elsewhere."""

import polars as pl
import pytest

import evenhand
from evenhand.data import coding as label_codes
from evenhand.data.coding import Labels, fetch_codes, find_labels, read_labels
from evenhand.data.ratings import Ratings
from frames_of_engines import handle

TABLE = {"name": ["b", None, "a", "b", "ä"], "system": list("AAAAA"), "score": [1, 2, 3, 4, 5]}


@pytest.mark.parametrize("engine", ["polars", "polars lazy", "pandas", "pyarrow", "duckdb"])
def test_rows_come_in_the_order_of_the_table(monkeypatch, engine):
    """A join of a lazy Polars frame mixes rows, otherwise in every run."""
    monkeypatch.setattr(label_codes, "MAX_TEXT_ROWS", 0)
    names = [f"n{i % 7}" for i in range(400)]
    table = {"name": names, "system": ["A", "B"] * 200, "score": list(range(400))}
    data = handle(Ratings, table, engine)
    labels = {
        name: Labels(one.names) for name, one in find_labels(data.frame, ["name", "system"]).items()
    }
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


@pytest.mark.parametrize("few", [5, 4])
def test_labels_of_few_rows_are_those_of_many(monkeypatch, few):
    """Up to five rows are fetched as they stand; of more, labels and hashes are."""
    monkeypatch.setattr(label_codes, "MAX_TEXT_ROWS", few)
    data = handle(Ratings, TABLE, "duckdb")
    labels, fetch = read_labels(data.frame, ["name", "system"], ["score"], data.source.connection)
    found = fetch()
    assert [*labels] == ["name", "system"]
    assert labels["name"].names == (None, "a", "b", "ä")
    assert (labels["name"].hashes is None) == (few == 5)
    assert found["name"].tolist() == [2, 0, 1, 2, 3]
    assert found["system"].tolist() == [0] * 5
    assert found["score"].tolist() == [1, 2, 3, 4, 5]

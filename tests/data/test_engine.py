"""The seam to the data engines: results leave as plain arrays, small tables go in whole."""

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import pytest

from evenhand.data.engine import fetch_columns, label_frame
from frames_of_engines import every_engine, native

LABELS = ["plain", "it's", 'say "so"', "back\\slash", "tab\there", "Ünal", "日本", "{}", "%s;--"]


@every_engine
def test_missing_text_is_none_and_missing_numbers_are_nan(engine):
    connection = duckdb.connect()
    columns = {"text": ["a", None, "b"], "whole": [1, None, 3], "full": [4, 5, 6]}
    found = fetch_columns(nw.from_native(native(columns, engine, connection)))
    assert found["text"].tolist() == ["a", None, "b"]
    assert found["full"].tolist() == [4, 5, 6]
    numbers = np.asarray(found["whole"], dtype=float)
    np.testing.assert_array_equal(numbers, [1, np.nan, 3])


@pytest.mark.parametrize("engine", ["pandas", "polars", "polars lazy", "pyarrow", "duckdb"])
def test_labels_of_every_spelling_join_with_themselves(engine):
    connection = duckdb.connect()
    rows = nw.from_native(native({"name": [*LABELS, *LABELS]}, engine, connection))
    codes = np.arange(len(LABELS)) * 10
    table = label_frame(rows, {"name": LABELS, "code": codes}, connection)
    found = fetch_columns(rows.join(table, on="name", how="inner"))
    assert sorted(zip(found["name"], found["code"].tolist(), strict=True)) == sorted(
        [*zip(LABELS, codes.tolist(), strict=True)] * 2
    )


@pytest.mark.parametrize("dtype", ["string", "string[pyarrow]", object])
def test_missing_text_of_any_pandas_type_is_none(dtype):
    frame = pd.DataFrame({"text": pd.array(["a", pd.NA, "b"], dtype=dtype)})
    assert fetch_columns(nw.from_native(frame))["text"].tolist() == ["a", None, "b"]

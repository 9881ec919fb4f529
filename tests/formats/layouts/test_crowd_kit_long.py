"""Crowd-kit's long table of labels."""

import narwhals as nw
import polars as pl
import pytest

from evenhand.data.engine import fetch_columns
from evenhand.data.ratings import Ratings
from evenhand.errors import UnknownFormat
from evenhand.formats.reading import read


def test_numeric_labels_are_scores_of_their_task(save) -> None:
    data = read(save("t.csv", "task,worker,label\nt1,w1,4\nt2,w1,3.5\n"))
    assert isinstance(data, Ratings)
    columns = fetch_columns(data.frame.select("system", "judge", nw.col("score")))
    assert columns["system"].tolist() == ["t1", "t2"]
    assert columns["judge"].tolist() == ["w1", "w1"]
    assert columns["score"].tolist() == [4.0, 3.5]


def test_categories_are_refused_as_not_supported(save) -> None:
    path = save("t.csv", "task,worker,label\nt1,w1,4\nt2,w1,cat\n")
    with pytest.raises(UnknownFormat, match=r"label 'cat' .*\(line 3\) is a category"):
        read(path)
    categories = pl.DataFrame({"task": ["t"], "worker": ["w"], "label": ["cat"]})
    with pytest.raises(UnknownFormat, match="is a category"):
        read(categories.with_columns(pl.col("label").cast(pl.Categorical)))

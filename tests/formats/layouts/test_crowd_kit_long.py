"""Crowd-kit's long table of labels."""

import narwhals as nw
import polars as pl
import pytest

from evenhand.data.engine import fetch_columns
from evenhand.data.ratings import Ratings
from evenhand.errors import UnknownFormat
from evenhand.formats.reading import read
from evenhand.models.dawid_skene import DawidSkene


def test_numeric_labels_are_scores_of_their_task(save) -> None:
    data = read(save("t.csv", "task,worker,label\nt1,w1,4\nt2,w1,3.5\n"))
    assert isinstance(data, Ratings)
    columns = fetch_columns(data.frame.select("system", "judge", nw.col("score")))
    assert columns["system"].tolist() == ["t1", "t2"]
    assert columns["judge"].tolist() == ["w1", "w1"]
    assert columns["score"].tolist() == [4.0, 3.5]


def test_categories_are_refused_with_a_remedy_that_works(save) -> None:
    text = "task,worker,label\nt1,w1,4\nt1,w2,4\nt1,w3,cat\n"
    with pytest.raises(UnknownFormat, match=r"'cat' .*\(line 4\).* replace categories by numbers"):
        read(save("t.csv", text))
    fit = DawidSkene().fit(read(save("n.csv", text.replace("cat", "5"))))
    assert fit.labels == ("4",)
    categories = pl.DataFrame({"task": ["t"], "worker": ["w"], "label": ["cat"]})
    with pytest.raises(UnknownFormat, match="is a category"):
        read(categories.with_columns(pl.col("label").cast(pl.Categorical)))

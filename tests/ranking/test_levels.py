"""How many judges there are, and how evenly they worked."""

import polars as pl
import pytest

from evenhand.data.groups import Levels, count_levels
from evenhand.errors import UnknownColumn
from ranking.panels import comparisons, panel


def test_loads_are_comparisons_of_each_level():
    frame = panel()
    loads = count_levels(comparisons(frame), "judge")
    assert sorted(loads) == sorted(frame["judge"].value_counts()["count"])


def test_weights_count_and_weight_zero_does_not():
    frame = panel().with_columns(weight=pl.when(pl.col("judge") == "j000").then(0).otherwise(3))
    loads = count_levels(comparisons(frame), "judge")
    counts = frame.filter(pl.col("judge") != "j000")["judge"].value_counts()["count"]
    assert sorted(loads) == sorted(3 * counts)


def test_items_are_counted_within_their_task():
    frame = panel(items=5).with_columns(task=pl.lit("a"))
    both = pl.concat([frame, frame.with_columns(task=pl.lit("b"))])
    assert len(count_levels(comparisons(both), "item")) == 10
    assert len(count_levels(comparisons(both), "judge")) == 6


def test_what_is_not_there_is_none_or_refused():
    levels = Levels({})
    assert levels.count("judge") is None
    assert levels.effective("judge") is None
    with pytest.raises(UnknownColumn, match="column 'judge' not found"):
        count_levels(comparisons(panel().drop("judge")), "judge")

"""Rows as codes and values: nothing is lost, whatever holds them."""

import numpy as np
import polars as pl
import pytest
from narwhals import from_native

from evenhand.data import coding
from evenhand.data.comparisons import Comparisons
from evenhand.data.streams import CodedRows, code_rows
from evenhand.errors import InvalidJudgments

COLUMNS = ["left", "right", "outcome", "judge", "x"]
ROWS = [
    ("b", "a", "left", "j1", 1.5),
    ("a", "b", "tie", "j2", -2.0),
    ("c", "a", "right", "j1", 0.25),
    ("a", "c", "left", "j3", 4.0),
]


def comparisons(rows=ROWS, columns=COLUMNS, **settings) -> Comparisons:
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    return Comparisons(from_native(frame), **settings)


def spell(rows: CodedRows, *, fold: bool = False) -> list[tuple]:
    """Every row in words, in the order of rows."""
    spelt = []
    for batch in rows.batches(fold=fold):
        judges = batch.codes["judge"] if "judge" in batch.codes else [None] * len(batch.left)
        names = rows.levels["judge"].labels if "judge" in rows.levels else ()
        for at, judge in enumerate(judges):
            sides = rows.systems[batch.left[at]], rows.systems[batch.right[at]]
            outcome = ("left", "tie", "right")[batch.outcome[at]]
            who = names[judge] if names else None
            spelt.append((*sides, outcome, who, *batch.values[at].tolist(), batch.weights[at]))
    return spelt


@pytest.mark.parametrize("by", [(), ("judge",)])
@pytest.mark.parametrize("dense", [0, 10**7])
def test_rows_count_as_the_table_counts(monkeypatch, by, dense):
    monkeypatch.setattr(coding, "DENSE", dense)
    data = comparisons()
    rows, counted = code_rows(data, ["x"], by=by).tally(by), data.tally(by=by)
    assert rows.digest == counted.digest
    assert rows.n_judgments == counted.n_judgments == 4
    assert {name: f.labels for name, f in rows.factors.items()} == {
        name: f.labels for name, f in counted.factors.items()
    }
    assert rows.counts.tolist() == counted.counts.tolist()


def test_like_rows_become_one_and_keep_their_sums(monkeypatch):
    data = comparisons([*ROWS * 10, ("a", "b", "right", "j9", -1.5)])
    rows = code_rows(data, ["x"], by=["judge"])
    pooled = rows.pooled(fold=True)
    assert pooled.size == 4
    counts = {row[:3] + row[4:-1]: row[-1] for row in spell(pooled, fold=True)}
    assert counts == {
        ("a", "b", "right", -1.5): 11.0,
        ("a", "b", "tie", -2.0): 10.0,
        ("a", "c", "left", -0.25): 10.0,
        ("a", "c", "left", 4.0): 10.0,
    }


def test_weights_are_frequencies_and_zero_leaves_out():
    rows = [(*row, weight) for row, weight in zip(ROWS, (2, 0, 1, 5), strict=True)]
    coded = code_rows(comparisons(rows, [*COLUMNS, "weight"]), ["x"], by=["judge"])
    assert coded.zero_weight == 1
    assert coded.tally().n_comparisons == 8
    assert coded.levels["judge"].loads.tolist() == [3.0, 5.0]


def test_a_value_that_single_precision_would_change_is_kept_in_double():
    rows = [(*row[:4], value) for row, value in zip(ROWS, (0.1, 1.0, 2.0, 3.0), strict=True)]
    (column,) = code_rows(comparisons(rows), ["x"]).columns
    assert 0.1 in column.tolist()
    (exact,) = code_rows(comparisons(), ["x"]).columns
    assert exact.dtype == np.float32


def test_levels_beyond_the_limit_are_merged_as_tallies_merge_them():
    data = comparisons([(*row[:3], f"j{i}", row[4]) for i, row in enumerate(ROWS * 3)])
    rows = code_rows(data, ["x"], by=["judge"], limits={"judge": 2})
    counted = data.tally(by=["judge"], limits={"judge": 2})
    assert rows.levels["judge"].merged
    assert rows.tally(["judge"]).counts.tolist() == counted.counts.tolist()


def test_a_system_against_itself_is_named_with_its_row():
    with pytest.raises(InvalidJudgments, match=r"'a' is compared with itself.*row 5"):
        code_rows(comparisons([*ROWS, ("a", "a", "left", "j1", 0.0)]), ["x"])

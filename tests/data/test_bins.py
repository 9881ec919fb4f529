"""Bins of a covariate: an edge belongs to the bin above it, and nothing is guessed."""

import polars as pl
import pytest

from engines_matrix import votes
from evenhand.errors import EvenhandError
from evenhand.formats.reading import read

PLAIN = {name: own for name, own in votes().items() if name != "weight"}


def test_bins_hold_what_lies_between_their_edges():
    lengths = [1.0, 9.5, 10.0, 15.0, 20.0, 300.0] * 50
    data = read(pl.DataFrame({**PLAIN, "length": lengths})).cut("length", [10, 20])
    bins = data.tally(("length_bin",)).factor("length_bin")
    assert dict(zip(bins.labels, bins.loads.tolist(), strict=True)) == {
        "below 10": 100,
        "10 to 20": 100,
        "20 and above": 100,
    }


@pytest.mark.parametrize(
    ("lengths", "edges", "said"),
    [
        (["1"] * 299 + ["long"], [10], "'long' in column 'length' of data frame (row 300)"),
        ([1.0] * 299 + [None], [10], "a value is missing in column 'length_bin'"),
        ([1.0] * 299 + [float("nan")], [10], "a value is missing in column 'length_bin'"),
        ([True] * 300, [10], "holds boolean: bins are made of numbers"),
        ([1.0] * 300, [], "numbers that rise"),
        ([1.0] * 300, [2, 1], "numbers that rise"),
    ],
)
def test_what_cannot_be_cut_is_refused(lengths, edges, said):
    with pytest.raises(EvenhandError) as caught:
        read(pl.DataFrame({**PLAIN, "length": lengths})).cut("length", edges).tally(("length_bin",))
    assert said in str(caught.value)


def test_a_column_that_is_there_already_is_not_written_over():
    data = read(pl.DataFrame(PLAIN)).cut("length", [10])
    with pytest.raises(EvenhandError, match="already has a column 'length_bin'"):
        data.cut("length", [20])

"""A digest of rows: of what they say, not of how they stand in the file."""

import numpy as np
import pytest

from controlled_rows import simulate
from evenhand.data.streams import digest_rows
from evenhand.models.controls import read_controls
from ranking.panels import comparisons


def digest(frame, *words):
    return digest_rows(read_controls(comparisons(frame), words or ("length", "lists"))[1])


@pytest.fixture(scope="module")
def frame():
    return simulate(8)


def test_a_number_that_moves_to_another_row_does(frame):
    length = frame["length"].to_numpy().copy()
    at = int(np.flatnonzero(length != length[0])[0])
    length[[0, at]] = length[[at, 0]]
    assert digest(frame.with_columns(length=length)) != digest(frame)

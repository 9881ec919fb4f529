"""A digest of rows: of what they say, not of how they stand in the file."""

import numpy as np
import pytest

from controlled_rows import simulate
from evenhand.data.streams import digest_rows
from evenhand.models.controls import read_controls
from evenhand.ranking import rank
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


def test_a_ranking_with_controls_is_signed_by_them(frame):
    first, other = (
        rank(comparisons(one), controls=("length",)).signature
        for one in (frame, frame.with_columns(length=frame["length"].reverse()))
    )
    assert "controls sha256" not in rank(comparisons(frame)).signature
    assert first.rpartition("controls sha256 ")[0] == other.rpartition("controls sha256 ")[0]
    assert first.rpartition(" | ")[2] == other.rpartition(" | ")[2]
    assert first != other

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


def test_the_order_of_rows_does_not_matter(frame):
    assert digest(frame.sample(fraction=1, shuffle=True, seed=3)) == digest(frame)


def test_judges_do_not_matter(frame):
    assert digest(frame.with_columns(judge="x" + frame["judge"])) == digest(frame)


def test_a_number_that_moves_to_another_row_does(frame):
    length = frame["length"].to_numpy().copy()
    at = int(np.flatnonzero(length != length[0])[0])
    length[[0, at]] = length[[at, 0]]
    assert digest(frame.with_columns(length=length)) != digest(frame)


def test_two_columns_that_change_places_do(frame):
    assert digest(frame, "length", "lists") != digest(frame, "lists", "length")


def test_a_row_of_weight_two_is_two_rows(frame):
    import polars as pl

    twice = pl.concat([frame, frame])
    assert digest(frame.with_columns(weight=pl.lit(2))) == digest(twice) != digest(frame)


def test_minus_zero_is_zero(frame):
    zeros, minus = np.zeros(len(frame)), np.full(len(frame), -0.0)
    assert digest(frame.with_columns(length=zeros)) == digest(frame.with_columns(length=minus))


def test_a_ranking_with_controls_is_signed_by_them(frame):
    first, other = (
        rank(comparisons(one), controls=("length",)).signature
        for one in (frame, frame.with_columns(length=frame["length"].reverse()))
    )
    assert "controls sha256" not in rank(comparisons(frame)).signature
    assert first.rpartition("controls sha256 ")[0] == other.rpartition("controls sha256 ")[0]
    assert first.rpartition(" | ")[2] == other.rpartition(" | ")[2]
    assert first != other

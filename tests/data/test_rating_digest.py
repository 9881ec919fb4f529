"""The digest of ratings: what it tells apart, and what it does not."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.data.rating_rows import digest_ratings
from score_tables import rows_of

MATRIX = [[1, 2, None], [3, 2, 5], [None, 4, 0.5]]


def test_the_order_of_rows_does_not_matter():
    rows = rows_of(MATRIX)
    assert digest_ratings(rows.take(np.array([6, 3, 0, 1, 5, 2, 4]))) == digest_ratings(rows)


@pytest.mark.parametrize("role", ["judge", "item", "system"])
def test_a_name_matters(role):
    rows = rows_of(MATRIX)
    named = (*getattr(rows, f"{role}s")[:-1], "somebody else")
    assert digest_ratings(replace(rows, **{f"{role}s": named})) != digest_ratings(rows)


@pytest.mark.parametrize("score", [2.0, 1e9, 0.25])
def test_a_score_matters(score):
    rows = rows_of(MATRIX)
    other = rows.score.copy()
    other[0] = score
    assert digest_ratings(replace(rows, score=other)) != digest_ratings(rows)


def test_a_row_that_stands_twice_matters():
    rows = rows_of(MATRIX)
    twice = rows.take(np.array([0, *range(rows.size)]))
    assert digest_ratings(twice) != digest_ratings(rows)


def test_kinds_matter():
    rows = rows_of(MATRIX)
    kind = np.zeros(rows.size, dtype=np.int8)
    kind[0] = 1
    marked = replace(rows, kind=kind)
    assert digest_ratings(marked) != digest_ratings(replace(rows, kind=np.zeros_like(kind)))

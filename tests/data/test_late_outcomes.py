"""Outcomes that the first rows do not show, where systems are so many that they are hashed."""

import duckdb
import narwhals as nw
import numpy as np

from evenhand.data import count as counting
from evenhand.data.comparisons import Comparisons
from evenhand.data.source import Source


def comparisons(late):
    """More rows than are looked at first, on 1,500 systems; the last has an outcome of its own."""
    rng = np.random.Generator(np.random.PCG64(3))
    n, k = counting.SAMPLE + 500, 1_500
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    columns = {"one": left, "two": right, "number": np.arange(n)}
    connection = duckdb.connect()
    connection.execute("create table codes (one int, two int, number int)")
    connection.register("columns", columns)
    connection.execute("insert into codes select one, two, number from columns")
    relation = connection.sql(
        "select format('system {}', one) as \"left\", format('system {}', two) as \"right\","
        f" case when number = {n - 1} then '{late}' else 'left' end as outcome from codes"
    )
    return Comparisons(nw.from_native(relation), Source(connection=connection)), n


def test_a_usual_one_is_counted():
    data, n = comparisons("tie")
    look = counting._look(data, ())
    assert look.many
    assert set(look.first["outcome"]) == {"left"}
    found = data.tally()
    assert (found.n_comparisons, found.ties.sum(), found.losses.sum()) == (n, 1, 0)

"""Rankings become arrays: the same on every engine, weights and levels kept, no silent loss."""

from dataclasses import replace

import narwhals as nw
import numpy as np
import pytest

from evenhand.data.orders import count_orders
from evenhand.data.rankings import Rankings
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption
from frames_of_engines import every_engine, handle
from ordered import ranked, table_of
from tallies import tally

ROWS = {
    "judge": ["j1"] * 5 + ["j2"] * 3 + ["j1"] * 2 + ["j2"] * 3 + ["j1"],
    "item": ["i1"] * 5 + ["i1"] * 3 + ["i2"] * 2 + ["i3"] * 3 + ["i3"],
    "ranking": ["r1"] * 5 + ["r2"] * 3 + ["r3"] * 2 + ["r4"] * 3 + ["r5"],
    "system": ["A", "B", "C", "D", "E", "C", "A", "B", "A", "D", "E", "C", "B", "F"],
    "rank": [1, 2, 2, None, 40, 1, -1, 2, None, -1, -1, 3, 7, 1],
}
"""r1: A, then B = C, then E; r2 and r4: C before B; r3: nothing ranked; r5: F alone."""


def texts(orders):
    """Rankings as text with their counts, in any order."""
    found = []
    for codes, places, weight in zip(orders.outputs, orders.places, orders.weights, strict=True):
        names = [orders.systems[code] for code in codes if code >= 0]
        text = names[0]
        for i, name in enumerate(names[1:], start=1):
            text += ("=" if places[i] == places[i - 1] else ">") + name
        found.append((text, weight))
    return sorted(found)


@every_engine
def test_equal_rankings_become_one_with_their_count(engine):
    orders = count_orders(handle(Rankings, ROWS, engine))
    assert texts(orders) == [("A>B=C>E", 1), ("C>B", 2)]
    assert orders.systems == ("A", "B", "C", "E")  # D was never ranked, F with nothing
    assert (orders.n_judgments, orders.n_comparisons, orders.n_short) == (3, 8, 1)
    assert orders.level is None


@every_engine
def test_rankings_are_told_apart_by_judge(engine):
    orders = count_orders(handle(Rankings, ROWS, engine), "judge")
    assert orders.level.labels == ("j1", "j2")
    assert orders.level.loads.tolist() == [6 + 0, 2]
    assert [*zip(orders.level.codes, texts(orders), strict=True)] == [
        (0, ("A>B=C>E", 1)),
        (1, ("C>B", 2)),
    ]
    assert texts(orders.pool()) == [("A>B=C>E", 1), ("C>B", 2)]


@every_engine
def test_weights_are_how_often_a_ranking_was_given(engine):
    weights = [3] * 5 + [2] * 3 + [1] * 2 + [0] * 3 + [5]
    orders = count_orders(handle(Rankings, {**ROWS, "weight": weights}, engine))
    assert texts(orders) == [("A>B=C>E", 3), ("C>B", 2)]
    assert orders.zero_weight == 1  # r4's one pair
    assert orders.n_short == 5


@pytest.mark.parametrize(("k", "top"), [(60, 6), (400, 6), (12, 10**7), (700, 1)])
def test_many_systems_and_large_ranks_are_read_as_they_stand(k, top):
    rng = np.random.default_rng(k)
    shown = np.argsort(rng.random((300, k)), axis=1)[:, :5]
    rank = rng.integers(1, top + 1, size=(300, 5))
    names = np.array([f"s{i:03d}" for i in range(k)])
    columns = {
        "ranking": np.repeat([f"r{i}" for i in range(300)], 5).tolist(),
        "system": names[shown].ravel().tolist(),
        "rank": rank.ravel().tolist(),
    }
    by_engine = {e: count_orders(handle(Rankings, columns, e)) for e in ("duckdb", "polars")}
    rows = handle(Rankings, columns, "duckdb without connection")
    fetched = count_orders(rows)
    for orders in by_engine.values():
        np.testing.assert_array_equal(orders.outputs, fetched.outputs)
        np.testing.assert_array_equal(orders.places, fetched.places)
        np.testing.assert_array_equal(orders.weights, fetched.weights)
    tallies = fetched.tally(), rows.comparisons().tally().fold()
    assert tallies[0].digest == tallies[1].digest


def test_the_pairs_of_orders_are_those_of_the_expansion():
    rows = [("A>B=C>D", 3), ("C>A", 2), ("D=A", 1), ("B>D>A", 2)]
    assert ranked(rows).tally().digest == table_of(rows).comparisons().tally().fold().digest
    assert ranked(rows).tally().n_judgments == 8


def refusal(data, by=None, error=InvalidJudgments):
    with pytest.raises(error) as caught:
        count_orders(data, by)
    return str(caught.value)


def test_outputs_of_several_systems_have_no_place_in_a_ranking():
    columns = {"ranking": ["r1"] * 3, "system": ["A+B", "C", "D"], "rank": [1, 2, 3]}
    data = handle(Rankings, columns, "polars").split_merged("+")
    message = "output 'A+B' of votes.csv stands for 2 systems"
    assert refusal(data).startswith(message)
    assert refusal(data.comparisons()).startswith(message)
    assert "expand the rankings into comparisons" in refusal(data)


def test_pairs_of_rankings_alone_are_refused():
    data = handle(Rankings, ROWS, "polars")
    assert "expanded from rankings" in refusal(data.comparisons().tally())
    some = data.comparisons().where(nw.col("left") != "A")
    assert "some pairs of the rankings of votes.csv were excluded" in refusal(some)


def test_importance_weights_are_refused():
    data = handle(Rankings, {**ROWS, "weight": [1] * 14}, "polars")
    weighed = replace(data.comparisons(), weights="importance")
    assert "importance weights do not count rankings" in refusal(weighed)
    pairs = tally(("A", "B", 3, 1, 2))
    assert "importance" in refusal(replace(pairs, squares=pairs.counts))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"rank": 1.5}, "rank 1.5 in votes.csv"),
        ({"system": " A"}, "label ' A' in column 'system' of votes.csv"),
        ({"system": ""}, "a value is missing in column 'system' of votes.csv"),
        ({"weight": 0.5}, "is a fraction"),
        ({"weight": -1.0}, "is negative"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(cells, message):
    columns = {
        "ranking": ["r1", "r1", "r2", "r2"],
        "system": ["A", "B", "A", "B"],
        "rank": [1.0, 2.0, 2.0, 1.0],
        "weight": [1.0] * 4,
    }
    for name, value in cells.items():
        columns[name] = [value, *columns[name][1:]]
        if name == "weight":
            columns[name][1] = value
    assert message in refusal(handle(Rankings, columns, "polars"))


def test_nothing_to_compare_is_said():
    blank = {"ranking": ["r1", "r1", "r2"], "system": ["A", "B", "A"], "rank": [-1, -1, 1]}
    assert "no two outputs are ranked in votes.csv" in refusal(handle(Rankings, blank, "polars"))
    blank["rank"][2] = None
    assert "2 of 2 rankings are blank" in refusal(handle(Rankings, blank, "polars"))


def test_levels_that_are_not_there_or_no_levels_are_refused():
    data = handle(Rankings, ROWS, "polars")
    assert "'jugde' not found" in refusal(data, "jugde", UnknownColumn)
    assert "each is one answer" in refusal(data, "ranking", UnknownOption)
    assert "give the rankings" in refusal(count_orders(data), "judge", UnknownOption)
    missing = {**ROWS, "judge": [None] * 5 + ROWS["judge"][5:]}
    assert "a value is missing in column 'judge'" in refusal(
        handle(Rankings, missing, "polars"), "judge"
    )
    assert "fitted to rankings or comparisons, not to dict" in refusal({})

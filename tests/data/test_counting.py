"""From tables to tallies: two ways of counting, six engines, one answer."""

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pytest

from evenhand.data import count as counting
from evenhand.data.comparisons import Comparisons
from evenhand.data.labels import OUTCOMES
from evenhand.data.source import Source
from evenhand.errors import InvalidJudgments
from frames_of_engines import every_engine, handle

NAMES = ("alpha", "it's b", "Ünal", 'd "x"')


def votes(rows=400, seed=1):
    """Columns of a random campaign; labels with quotes and accents."""
    rng = np.random.Generator(np.random.PCG64(seed))
    left = rng.integers(0, 4, rows)
    right = (left + rng.integers(1, 4, rows)) % 4
    return {
        "left": [NAMES[i] for i in left],
        "right": [NAMES[i] for i in right],
        "outcome": [("left", "tie", "right")[o] for o in rng.integers(0, 3, rows)],
        "judge": [f"j{i}" for i in rng.integers(0, 30, rows)],
        "item": [f"item {i}" for i in rng.integers(0, 9, rows)],
    }


def by_hand(columns, *factors):
    """Counted with Python's dictionaries."""
    found = {}
    keys = zip(*(columns[name] for name in (*factors, "left", "right")), strict=True)
    for key, outcome in zip(keys, columns["outcome"], strict=True):
        found.setdefault(key, [0, 0, 0])[("left", "tie", "right").index(outcome)] += 1
    return found


def named(one, *factors):
    """Counts by (level, ..., left, right), read from a tally."""
    found = {}
    for at in range(len(one.left)):
        levels = [one.factors[name].labels[one.factors[name].codes[at]] for name in factors]
        key = (*levels, one.systems[one.left[at]], one.systems[one.right[at]])
        assert key not in found
        found[key] = one.counts[at].tolist()
    return found


def assert_same(one, two):
    assert one.systems == two.systems
    for name in ("left", "right", "wins", "ties", "losses"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    for name, factor in one.factors.items():
        other = two.factors[name]
        assert (factor.labels, factor.size, factor.merged) == (
            other.labels, other.size, other.merged,
        )  # fmt: skip
        np.testing.assert_array_equal(factor.codes, other.codes)
        np.testing.assert_array_equal(factor.loads, other.loads)
    assert (one.digest, one.n_judgments) == (two.digest, two.n_judgments)


@pytest.fixture
def by_codes(monkeypatch):
    """Take the way of integer keys; returns how often it gave the answer."""
    taken = []
    way = counting._count_codes

    def watched(*arguments):
        found = way(*arguments)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(counting, "SAMPLE", 10)
    monkeypatch.setattr(counting, "EVERY", 1)
    monkeypatch.setattr(counting, "_count_codes", watched)
    return taken


@every_engine
@pytest.mark.parametrize("factors", [(), ("judge",), ("judge", "item")])
def test_every_engine_counts_what_is_there(engine, factors):
    columns = votes()
    found = handle(Comparisons, columns, engine).tally(factors)
    assert found.systems == tuple(sorted(NAMES))
    assert named(found, *factors) == by_hand(columns, *factors)
    assert found.n_judgments == found.n_comparisons == 400
    for name in factors:
        labels, loads = np.unique(columns[name], return_counts=True)
        assert found.factors[name].labels == tuple(labels.tolist())
        np.testing.assert_array_equal(found.factors[name].loads, loads)


@every_engine
@pytest.mark.parametrize("factors", [(), ("judge",), ("judge", "item")])
def test_integer_keys_give_the_same_tally(engine, factors, by_codes):
    columns = votes()
    found = handle(Comparisons, columns, engine).tally(factors)
    able = engine != "duckdb without connection"  # no labels can be handed to it
    assert by_codes == [able] * (len(factors) > 0)  # 36 cells of 10 rows are few without them
    expected = by_hand(columns, *factors)
    assert named(found, *factors) == expected
    assert list(named(found, *factors)) == sorted(expected)


@pytest.mark.parametrize("factors", [("judge",), ("item", "judge")])
def test_both_ways_merge_levels_alike(factors, monkeypatch):
    columns, limits = votes(), {"judge": 4, "item": 100}
    one = handle(Comparisons, columns, "polars").tally(factors, limits=limits)
    monkeypatch.setattr(counting, "SAMPLE", 10)
    two = handle(Comparisons, columns, "polars").tally(factors, limits=limits)
    assert_same(one, two)
    judge = one.factors["judge"]
    assert (judge.size, judge.merged, len(judge.labels)) == (4, True, 30)
    assert len(one.left) <= 4 * 12 * (9 if "item" in factors else 1)
    unmerged = handle(Comparisons, columns, "polars").tally(("judge",))
    np.testing.assert_array_equal(judge.loads, unmerged.factors["judge"].loads)


@every_engine
def test_items_of_other_tasks_are_other_items_and_judges_the_same(engine):
    columns = votes() | {"task": ["cs-en", "en-cs"] * 200}
    data = handle(Comparisons, columns, engine)
    found = data.tally(("judge", "item"))
    assert len(found.factors["item"].labels) == 18
    assert found.factors["item"].labels[0] == "cs-en / item 0"
    assert len(found.factors["judge"].labels) == 30
    apart = data.tally(("task", "item"))
    assert apart.factors["item"].labels == tuple(f"item {i}" for i in range(9))


def test_fractions_are_no_levels():
    data = handle(Comparisons, votes() | {"score": [0.5] * 400}, "polars")
    with pytest.raises(InvalidJudgments, match=r"column 'score' of votes\.csv holds float64"):
        data.tally(("score",))


@every_engine
def test_no_rows_are_no_judgments(engine):
    columns = {name: pl.Series([], dtype=pl.String) for name in ("left", "right", "outcome")}
    with pytest.raises(InvalidJudgments, match=r"no judgments in votes\.csv: nothing to count"):
        handle(Comparisons, columns, engine).tally()


@every_engine
def test_own_outcome_labels_are_read_as_declared(engine):
    columns = {"left": ["A"] * 3, "right": ["B"] * 3, "outcome": ["won", "even", "lost"]}
    meaning = {"won": "left", "even": "tie", "lost": "right"}
    found = handle(Comparisons, columns, engine, outcome_labels=meaning).tally()
    assert found.counts.tolist() == [[1, 1, 1]]


def test_a_file_larger_than_the_sample_takes_integer_keys_where_cells_are_many(tmp_path):
    """Grouping strings would make nearly as many groups as rows; both ways in DuckDB."""
    rng = np.random.Generator(np.random.PCG64(3))
    n, k = counting.SAMPLE + 500, 1500
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    frame = pl.DataFrame({"left": left, "right": right, "outcome": rng.integers(0, 3, n)})
    frame = frame.with_columns(
        pl.col("left", "right").cast(pl.String),
        pl.col("outcome").cast(pl.String).replace({"0": "left", "1": "tie", "2": "right"}),
    )
    connection = duckdb.connect()
    relation = nw.from_native(connection.from_arrow(frame.to_arrow()))
    data = Comparisons(relation, source=Source(connection=connection))
    look = counting._look(data, ())
    assert look.many
    assert look.whole is None
    threads = connection.execute("select current_setting('threads')").fetchone()
    found = data.tally()
    assert connection.execute("select current_setting('threads')").fetchone() == threads
    expected = Comparisons(nw.from_native(frame)).tally()
    assert_same(found, expected)
    assert found.n_comparisons == n


@pytest.mark.parametrize("by", [(), ("judge",)])
@pytest.mark.parametrize("late", [False, True])
def test_labels_that_come_late_are_counted_as_those_of_the_first_rows(by, late, monkeypatch):
    """Labels are guessed from the first rows; one more label costs a second look, no judgment."""
    rows = [(a, b, o, f"j{i % 3}") for i in range(5) for a, b in ("AB", "BA") for o in OUTCOMES]
    rows += [("A", "Z", "left", "j0")] if late else []
    frame = pl.DataFrame(rows, ["left", "right", "outcome", "judge"], orient="row")
    fetched = []
    way = counting.count_cells

    def watched(*arguments):
        fetched.append(way(*arguments))
        return fetched[-1]

    monkeypatch.setattr(counting, "SAMPLE", 20)
    monkeypatch.setattr(counting, "MANY", 0)
    monkeypatch.setattr(counting, "count_cells", watched)
    tally = Comparisons(nw.from_native(frame)).tally(by)
    assert [cells is None for cells in fetched] == [True, False] * late + [False] * (not late)
    assert tally.n_comparisons == len(rows)
    monkeypatch.undo()
    assert tally.digest == Comparisons(nw.from_native(frame)).tally(by).digest

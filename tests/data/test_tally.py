"""Pooling, folding, splitting and merging change how counts are kept, never the counts."""

from collections import Counter
from dataclasses import replace

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.data.comparisons import Comparisons
from evenhand.data.tally import Factor, Tally, join_codes, merge_levels, snake
from evenhand.errors import InvalidJudgments, UnknownOption
from tallies import shuffled, tally

rows = st.lists(
    st.tuples(
        st.sampled_from("ABCD"),
        st.sampled_from("ABCD"),
        *[st.integers(0, 5)] * 3,
        st.sampled_from(["j1", "j2", "j3"]),
    ).filter(lambda row: row[0] != row[1]),
    min_size=1,
    max_size=14,
)


def directed(one: Tally, factor: str | None = None) -> Counter:
    """Counts by (level, left, right, outcome), zeros excluded."""
    found: Counter = Counter()
    codes = one.factors[factor].codes if factor else np.zeros(len(one.left), int)
    labels = one.factors[factor].labels if factor else ("",)
    for at in range(len(one.left)):
        pair = one.systems[one.left[at]], one.systems[one.right[at]]
        for outcome, n in zip("wtl", one.counts[at], strict=True):
            found[labels[codes[at]], *pair, outcome] += n
    return +found


def undirected(one: Tally, factor: str | None = None) -> Counter:
    found: Counter = Counter()
    for (level, left, right, outcome), n in directed(one, factor).items():
        turned = {"w": "l", "t": "t", "l": "w"}[outcome] if left > right else outcome
        found[level, min(left, right), max(left, right), turned] += n
    return found


def assert_same(one: Tally, two: Tally) -> None:
    for name in ("left", "right", "wins", "ties", "losses"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert one.factors.keys() == two.factors.keys()
    for name, factor in one.factors.items():
        np.testing.assert_array_equal(factor.codes, two.factors[name].codes)


@given(rows)
def test_pooling_keeps_the_counts_of_every_level(given_rows):
    one = tally(*given_rows)
    assert directed(one.pool(("judge",)), "judge") == directed(one, "judge")
    assert directed(one.pool()) == directed(one)
    assert one.pool().factors == {}


@given(rows)
def test_folding_keeps_the_counts_of_every_level_and_forgets_who_stood_first(given_rows):
    one = tally(*given_rows)
    folded = one.fold()
    assert undirected(folded, "judge") == undirected(one, "judge")
    assert (folded.left < folded.right).all()
    assert not folded.positions_known
    assert one.positions_known


@given(rows, st.integers(0, 99))
def test_pooled_and_folded_tallies_are_in_one_order_whatever_the_order_of_entries(given_rows, seed):
    one = tally(*given_rows)
    two = shuffled(one, seed)
    assert_same(one.pool(("judge",)), two.pool(("judge",)))
    assert_same(one.fold(), two.fold())
    assert one.digest == two.digest
    keys = join_codes([(a, 4) for a in (one.pool().left, one.pool().right)])
    assert (np.diff(keys) > 0).all()


@given(rows)
def test_splitting_takes_the_levels_apart(given_rows):
    one = tally(*given_rows)
    parts = one.split("judge")
    assert list(parts) == list(one.factors["judge"].labels)
    whole: Counter = Counter()
    for label, part in parts.items():
        assert set(part.systems) == {
            name for row in given_rows if row[5] == label for name in row[:2]
        }
        assert part.n_judgments == part.n_comparisons
        whole += Counter({(label, *key[1:]): n for key, n in directed(part).items()})
    assert whole == directed(one, "judge")


def test_a_digest_tells_judgments_apart_and_nothing_else():
    one = tally(("A", "B", 1, 2, 3, "j1"), ("A", "B", 1, 0, 0, "j2"))
    assert one.digest == tally(("A", "B", 2, 2, 3)).digest
    assert one.digest != tally(("A", "B", 2, 2, 4)).digest
    assert one.digest != tally(("A", "C", 2, 2, 3)).digest
    assert one.digest != tally(("B", "A", 2, 2, 3)).digest  # who stood first is part of it
    assert one.fold().digest == tally(("B", "A", 3, 2, 2)).fold().digest


# codes of several factors in one number


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 99))
def test_joined_codes_order_entries_as_tuples_do(sizes, seed):
    rng = np.random.Generator(np.random.PCG64(seed))
    columns = [rng.integers(0, size, 40).astype(np.int32) for size in sizes]
    keys = join_codes(list(zip(columns, sizes, strict=True)))
    tuples = list(zip(*(column.tolist() for column in columns), strict=True))
    assert np.argsort(keys, kind="stable").tolist() == sorted(range(40), key=lambda i: tuples[i])


# merging levels


@given(st.lists(st.integers(1, 50), min_size=1, max_size=60), st.integers(1, 12), st.integers(0, 9))
def test_a_snake_spreads_loads_evenly(loads, limit, seed):
    """Heaviest first, to and fro: two clusters differ by at most the heaviest level."""
    values = np.array(loads, dtype=float)
    member = snake(values, limit, seed)
    used = np.bincount(member, minlength=limit)
    assert used.max() - used.min() <= 1
    sums = np.bincount(member, values, minlength=limit)
    assert sums.max() - sums.min() <= values.max()
    np.testing.assert_array_equal(member, snake(values, limit, seed))


def test_a_snake_turns_round_at_the_ends():
    """8 and 1, 7 and 2, ...: always to and fro, so that two clusters of 8 … 1 are equal."""
    loads = np.arange(8.0, 0, -1)
    assert snake(loads, 2, seed=1).tolist() == [0, 1, 1, 0, 0, 1, 1, 0]
    assert snake(loads, 4, seed=1).tolist() == [0, 1, 2, 3, 3, 2, 1, 0]


def test_merging_keeps_labels_and_loads_of_the_levels():
    one = tally(*[("A", "B", n + 1, 0, 1, f"j{n}") for n in range(6)])
    merged = merge_levels(one.factors["judge"], 2, seed=3)
    assert (merged.size, merged.merged, set(merged.codes.tolist())) == (2, True, {0, 1})
    assert merged.labels == one.factors["judge"].labels
    assert merged.effective == one.factors["judge"].effective
    assert merge_levels(merged, 1, seed=3) is merged
    assert merge_levels(one.factors["judge"], 6, seed=3) is one.factors["judge"]


def test_merged_levels_cannot_be_split_but_kept_as_clusters():
    one = tally(*[("A", "B", n + 1, 0, 1, f"j{n}") for n in range(6)])
    tasks = Factor(("t1", "t2"), np.array([0, 0, 0, 1, 1, 1], np.int32), np.array([9.0, 18]), 2)
    merged = merge_levels(one.factors["judge"], 2, seed=3)
    both = replace(one, factors={"judge": merged, "task": tasks})
    with pytest.raises(UnknownOption, match="the levels of judge were merged"):
        both.split("judge")
    parts = both.split("task")
    total = sum(part.factors["judge"].loads.sum() for part in parts.values())
    assert total == both.n_comparisons
    assert all("cluster" in label for label in parts["t1"].factors["judge"].labels)


def test_weights_that_add_up_to_more_than_can_be_counted_are_refused():
    frame = pl.DataFrame(
        {"left": ["a", "b"], "right": ["b", "a"], "outcome": ["left"] * 2, "weight": [5e15, 6e15]}
    )
    with pytest.raises(InvalidJudgments, match="more than can be counted exactly"):
        Comparisons(nw.from_native(frame)).tally()


def test_the_digest_by_judge_tells_every_count_and_judge():
    rows = [("A", "B", 300, 0, 0, "x"), ("A", "B", 44, 1, 0, "y")]
    base = tally(*rows).digest_by(("judge",))
    assert base == tally(*reversed(rows)).digest_by(("judge",))
    for others in (
        [("A", "B", 44, 0, 0, "x"), ("A", "B", 44, 1, 0, "y")],  # 300 and 44 end in the same byte
        [("A", "B", 44, 1, 0, "x"), ("A", "B", 300, 0, 0, "y")],
        [("A", "B", 300, 0, 0, "x"), ("A", "B", 44, 1, 0, "z")],
        [("A", "B", 65_836, 0, 0, "x"), ("A", "B", 44, 1, 0, "y")],  # and so do these, in two
        [("B", "A", 300, 0, 0, "x"), ("A", "B", 44, 1, 0, "y")],
        [("A", "B", 300.5, 0, 0, "x"), ("A", "B", 44, 1, 0, "y")],
    ):
        assert tally(*others).digest_by(("judge",)) != base


def test_systems_are_linked_by_comparisons_and_not_by_entries_without_any():
    left, right = np.array([0, 1], np.int32), np.array([1, 2], np.int32)
    counts = Tally(("a", "b", "c"), left, right, np.array([1.0, 0.0]), np.zeros(2), np.zeros(2))
    assert counts.find_groups().tolist() == [0, 0, 1]

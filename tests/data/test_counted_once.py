"""What is summed from a finer count is, cell for cell, what the table says when it is asked."""

import polars as pl
import pytest

import evenhand
from evenhand.data.held_tables import CountedOnce, coarsen

JUDGED = {
    "left": ["a", "b", "c", "a", "b", "c", "a", "a"] * 5,
    "right": ["b", "c", "a", "c", "a", "b", "b", "b"] * 5,
    "outcome": ["left", "tie", "right", "left", "right"] * 8,
    "judge": [f"j{at % 3}" for at in range(40)],
    "item": [f"i{at * 7 % 11}" for at in range(40)],
    "task": ["de-en"] * 40,
}
FINEST = ("task", "judge", "item")


def open_table(**changed):
    return evenhand.read(pl.DataFrame(JUDGED | changed))


def say_cells(tally):
    """Everything a tally says, its cells in their own order."""
    factors = {
        name: (own.labels, own.codes.tolist(), own.loads.tolist(), own.size)
        for name, own in tally.factors.items()
    }
    cells = tally.left.tolist(), tally.right.tolist(), tally.counts.tolist()
    return tally.systems, cells, factors, tally.n_judgments, tally.positions_known, tally.digest


@pytest.mark.parametrize(
    "by", [(), ("judge",), ("item",), ("judge", "item"), ("task", "judge"), FINEST]
)
def test_a_coarser_count_is_the_one_of_the_table(by):
    once = CountedOnce.of(open_table())
    once.tally(FINEST)
    assert say_cells(once.tally(by)) == say_cells(open_table().tally(by))


def test_items_of_two_tasks_are_not_told_apart_by_name_alone():
    tasks = {"task": ["de-en", "fr-en"] * 20}
    once, fresh = CountedOnce.of(open_table(**tasks)), open_table(**tasks)
    assert coarsen(once.tally(FINEST), ("item",)) is None
    assert say_cells(once.tally(("item",))) == say_cells(fresh.tally(("item",)))

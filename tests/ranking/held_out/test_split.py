"""The paper's rule for test sets, and random subsets."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.data.votes import Votes, split_tasks, take_task
from evenhand.errors import NotIdentified
from evenhand.ranking.learning_curves import draw_subset, hold_out_rare_items
from held_out_votes import World, few_held_out

VOTES = World(n=3000, items=80).simulate(np.random.default_rng(1))


def test_items_of_at_most_k_comparisons_are_held_out_and_no_smaller_k_would_do() -> None:
    most, apart = hold_out_rare_items(VOTES, least=700)
    load = np.bincount(VOTES.item, minlength=80)
    held = np.flatnonzero(load <= most)
    assert apart.tolist() == np.isin(VOTES.item, held).tolist()
    assert load[held].sum() == apart.sum() >= 700
    assert load[load <= most - 1].sum() < 700


def with_loads(*loads: int) -> Votes:
    """Votes on one item after another, as many on each as said."""
    items = np.repeat(np.arange(len(loads)), loads).astype(np.int32)
    votes = few_held_out([("a", "b", 0)] * len(items), ["a", "b"])
    return replace(votes, item=items, items=tuple(f"{i:04}" for i in range(len(loads))))


@pytest.mark.parametrize(
    ("least", "most", "held"), [(1, 1, 2), (2, 1, 2), (3, 2, 4), (4, 2, 4), (5, 3, 7), (7, 3, 7)]
)
def test_k_is_the_smallest_with_exactly_so_many_comparisons(
    least: int, most: int, held: int
) -> None:
    """Two items of one comparison, one of two, one of three, one of five: k by hand."""
    found, apart = hold_out_rare_items(with_loads(1, 1, 2, 3, 5), least=least)
    assert (found, apart.tolist()) == (most, [at < held for at in range(12)])


def test_as_many_comparisons_as_are_to_be_held_out_leave_nothing_to_train_on() -> None:
    with pytest.raises(NotIdentified, match="no item has more than 5 comparisons: with 12 held"):
        hold_out_rare_items(with_loads(1, 1, 2, 3, 5), least=12)


def test_subsets_are_drawn_without_replacement_and_alike_for_one_seed() -> None:
    rows = np.arange(1000)
    one = draw_subset(rows, 100, 1, (2, 3))
    assert len(set(one.tolist())) == len(one) == 100
    assert (one == draw_subset(rows, 100, 1, (2, 3))).all()
    assert (one != draw_subset(rows, 100, 1, (2, 4))).any()
    assert (one != draw_subset(rows, 100, 2, (2, 3))).any()


def test_every_row_is_as_likely_to_be_drawn() -> None:
    drawn = np.concatenate([draw_subset(np.arange(50), 10, 1, (i,)) for i in range(2000)])
    counts = np.bincount(drawn, minlength=50)
    # hypergeometric: 400 expected, variance 2000 · .2 · .8
    assert ((counts - 400) ** 2 / 320).sum() < 94.4  # χ²₅₀, .9998 quantile


def test_wmt10_test_sets_are_smaller_than_2000_nowhere(data_folder: Path) -> None:
    frame = pl.read_parquet(data_folder / "wmt10_rankings" / "rankings.parquet")
    expert = frame.filter(pl.col("judge_group") == "expert").drop("judge_group")
    votes = evenhand.read(expert).comparisons().votes()
    held = {
        task: hold_out_rare_items(take_task(votes, rows))[1]
        for task, rows in split_tasks(votes).items()
    }
    assert len(held) == 8
    assert min(one.sum() for one in held.values()) >= 2000
    small = {task for task, one in held.items() if (~one).sum() < 3200}
    assert small == {"cs-en", "en-es"}  # the data's README

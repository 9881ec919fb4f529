"""Votes of one task keep its systems; sorting forgets the order of the table."""

from dataclasses import replace

import numpy as np

from evenhand.data.votes import recode_systems, sort_votes, split_tasks, take_task
from held_out_votes import World

VOTES = World(tasks=2, n=400).simulate(np.random.default_rng(3))


def test_tasks_share_the_rows_among_them() -> None:
    rows = split_tasks(VOTES)
    assert list(rows) == ["t0", "t1"]
    assert sorted(np.concatenate(list(rows.values())).tolist()) == list(range(400))


def test_a_task_knows_only_its_own_systems() -> None:
    wide = replace(VOTES, systems=("a", *VOTES.systems, "z"), left=VOTES.left + 1)
    votes = replace(wide, right=VOTES.right + 1)
    part = take_task(votes, split_tasks(votes)["t1"])
    assert part.systems == VOTES.systems
    assert part.tasks == ("t1",)
    assert (part.left == VOTES.left[VOTES.task == 1]).all()


def test_other_names_leave_systems_what_they_are() -> None:
    wide = recode_systems(VOTES, ("a", *VOTES.systems, "t"))
    names = [wide.systems[i] for i in wide.left.tolist()]
    assert names == [VOTES.systems[i] for i in VOTES.left.tolist()]


def test_sorted_votes_do_not_depend_on_the_order_of_the_table() -> None:
    mixed = VOTES.take(np.random.default_rng(9).permutation(400))
    one, other = (votes.take(sort_votes(votes)) for votes in (VOTES, mixed))
    for name in ("task", "judge", "item", "left", "right", "outcome"):
        assert (getattr(one, name) == getattr(other, name)).all()

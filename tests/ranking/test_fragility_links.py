"""Judges who alone link a system to the others carry what is said of it."""

from itertools import combinations

import numpy as np
import pytest

import evenhand
from evenhand.errors import NotIdentified
from ranking.test_fragility import table

COLUMNS = ["judge", "left", "right", "outcome"]
WORTH = {"a": 0.6, "b": 0.4, "c": 0.0, "d": -0.5, "new": 1.6}
JUDGES = [f"j{k}" for k in range(7)]


def campaign(seed, saw, n=700, *, system="new", worth=2.2, judges=JUDGES):
    """Votes of judges of whom only some saw one system; a third of their votes are on it."""
    rng, rows = np.random.default_rng(seed), []
    worths = WORTH | {system: worth}
    others = [name for name in WORTH if name != system]
    taste = {(judge, name): rng.normal(0, 0.4) for judge in judges for name in WORTH}
    for at in range(n):
        judge = judges[at % len(judges)]
        one, other = rng.choice(others, 2, replace=False)
        if judge in saw and rng.random() < 1 / 3:
            one = system
        gap = worths[one] + taste[judge, one] - worths[other] - taste[judge, other]
        won = rng.random() < 1 / (1 + np.exp(-gap))
        rows.append((judge, str(one), str(other), "left" if won else "right"))
    return rows


def falls(rows, above, below):
    """Whether nothing is left of a side, no vote speaks for the one above, or another is ahead."""
    seen = {name for row in rows for name in row[1:3]}
    if not seen & set(above) or not seen & set(below):
        return True
    try:
        worth = evenhand.rank(table(rows, COLUMNS), interval="model")
    except NotIdentified:  # as where the leader never lost
        return not any(row[1 + (row[3] == "right")] in above for row in rows)
    worth = dict(zip(worth.systems, worth.log_worth.tolist(), strict=True))
    last = min(worth[name] for name in above if name in worth)
    return max(worth[name] for name in below if name in worth) > last + 1e-9


def fewest_of_all_subsets(rows, above, below):
    """The size of the smallest set of judges without whom a conclusion falls, and those sets."""
    for size in range(1, len(JUDGES)):
        found = [
            set(gone)
            for gone in combinations(JUDGES, size)
            if falls([row for row in rows if row[0] not in gone], above, below)
        ]
        if found:
            return size, found
    return None, []


def judge_flip(rows, how="reversed", **asked):
    found = evenhand.find_fragility(table(rows, COLUMNS), **asked)
    return next(one for one in found.flips if (one.unit, one.how) == ("judge", how))


@pytest.mark.parametrize("saw", [("j0",), ("j0", "j1"), ("j2", "j6")])
@pytest.mark.parametrize("seed", range(3))
def test_no_smaller_set_of_judges_carries_a_leader_whom_few_saw(saw, seed):
    rows = campaign(seed, saw)
    flip = judge_flip(rows)
    assert flip.claim == "new is first"
    size, sets = fewest_of_all_subsets(rows, ("new",), ("a", "b", "c", "d"))
    assert flip.fewest == size <= len(saw)
    assert {one.judge for one in flip.removed} in sets
    if {one.judge for one in flip.removed} == set(saw):
        assert (flip.left, flip.gone, flip.ahead) == ("no ranking", ("new",), None)
        assert "nothing is left of new" in flip.says


@pytest.mark.parametrize("seed", range(6))
def test_where_judges_are_few_no_smaller_set_of_them_turns_the_order(seed):
    rows = campaign(seed, JUDGES[:3], 420, worth=0.8)
    board = evenhand.rank(table(rows, COLUMNS)).systems
    size, sets = fewest_of_all_subsets(rows, board[:1], board[1:])
    flip = judge_flip(rows)
    assert flip.fewest == size
    assert {one.judge for one in flip.removed} in sets


def test_two_parts_that_one_judge_links_fall_apart_without_that_judge():
    rows = []
    for judge, pair in (("j1", "ab"), ("j2", "ab"), ("j3", "cd"), ("j4", "cd"), ("j0", "bc")):
        for left, right, times in ((pair[0], pair[1], 9), (pair[1], pair[0], 5)):
            rows += [(judge, left, right, "left")] * times
    flip = judge_flip(rows, pairs=[("a", "d")])  # neither is seen by j0
    assert (flip.fewest, flip.left, flip.gone) == (1, "no ranking", ())
    assert [one.judge for one in flip.removed] == ["j0"]
    assert flip.effect == "no ranking is left"


def test_a_pair_is_open_where_fewer_than_five_judges_link_it():
    judges = [f"j{k:02d}" for k in range(14)]
    rows = campaign(2, judges[:7], n=4200, worth=2.2, judges=judges)
    flip = judge_flip(rows, "undecided", pairs=[("new", "d")])
    gone = {one.judge for one in flip.removed}
    assert gone < set(judges[:7])
    assert flip.fewest == 3  # seven of like load: four are left, and the board has eleven
    left = evenhand.rank(table([row for row in rows if row[0] not in gone], COLUMNS))
    assert ["new", "d"] not in left.to_dict()["rank_sets"]["decided"]


def test_who_is_then_ahead_is_named():
    rows = campaign(0, JUDGES, worth=0.7)
    first = evenhand.find_fragility(table(rows, COLUMNS))
    board = evenhand.rank(table(rows, COLUMNS)).systems
    turned = [one for one in first.flips if one.how == "reversed" and one.ahead is not None]
    assert turned[0].claim == f"{board[0]} is first"
    for one in turned:
        if one.unit == "judge":
            gone = {who.judge for who in one.removed}
            left = evenhand.rank(table([row for row in rows if row[0] not in gone], COLUMNS))
            assert left.systems[0] == one.ahead
        assert f"{one.ahead} is ahead" in one.says
        assert one.to_dict()["ahead"] == one.ahead

"""Judge groups with worths of their own; large boards, which a sample of the rows may settle."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest

from evenhand.data.tally import Factor, Tally
from evenhand.errors import NotIdentified
from evenhand.models.existence import (
    SAMPLED_ROWS_PER_NODE,
    check_existence,
    make_preference_graph,
)
from evenhand.numerics.graph import find_recession
from named_cells import cells, refusal

EVERY = ("davidson", "rao-kupper", "none", "half-win", "discard")


def with_groups(*groups: Tally, names: tuple[str, ...]) -> Tally:
    """One table of several, which name their systems alike."""
    codes = np.repeat(np.arange(len(groups)), [len(one.left) for one in groups])
    columns = ("left", "right", "wins", "ties", "losses")
    joined = (np.concatenate([getattr(one, column) for one in groups]) for column in columns)
    return Tally(groups[0].systems, *joined, {"group": Factor.of(names, codes)})


def random_groups(seed: int, *, ordered: bool) -> Tally:
    rng = np.random.Generator(np.random.PCG64(seed))
    k = int(rng.integers(2, 5))
    pairs = list(permutations(range(k), 2) if ordered else combinations(range(k), 2))
    rows = np.array([(*pair, group) for group in range(2) for pair in pairs])
    rows = rows[rng.random(len(rows)) < 0.9]
    mean = rng.choice((0.6, 1.0, 1.5)) / (2 if ordered else 1)
    counts = rng.poisson(mean, (len(rows), 3)).astype(float)
    groups = {"group": Factor.of(("g0", "g1"), rows[:, 2])}
    return Tally(tuple("ABCD"[:k]), rows[:, 0], rows[:, 1], *counts.T, groups)


def programme_says(table: Tally, *, order_effect: bool) -> bool:
    """Davidson's model with worths of their own in each group on the systems that it saw."""
    k, live = len(table.systems), table.wins + table.ties + table.losses > 0
    columns = [table.factor("group").codes * k + side for side in (table.left, table.right)]
    used = np.unique(np.concatenate([column[live] for column in columns]))
    d = np.zeros((len(live), 2 * k + 2))
    for column, sign in zip(columns, (1, -1), strict=True):
        d[np.arange(len(live)), column] = sign
    d[:, -1] = order_effect
    g = np.zeros_like(d)
    g[:, -2] = table.ties.any()
    two = [2 * d[table.wins > 0], -2 * d[table.losses > 0]]
    ties = [(d - g)[table.wins > 0], (-d - g)[table.losses > 0]]
    ties += [(g - d)[table.ties > 0], (g + d)[table.ties > 0]]
    references = [max(used[used // k == group], default=-1) for group in range(2)]
    free = [*np.setdiff1d(used, references), *[2 * k] * bool(table.ties.any())]
    rows = np.vstack(two + ties if table.ties.any() else two)
    seen_by_some_group = np.unique(used % k).size == k
    return (
        seen_by_some_group
        and find_recession(rows[:, [*free, *[2 * k + 1] * order_effect]].astype(float)).exists
    )


@pytest.mark.parametrize("order_effect", [False, True])
def test_groups_with_worths_of_their_own_follow_the_linear_programme(order_effect):
    verdicts = {True: 0, False: 0}
    for seed in range(150):
        table = random_groups(seed, ordered=order_effect)
        exists = programme_says(table, order_effect=order_effect)
        verdicts[exists] += 1
        if exists:
            check_existence(table, order_effect=order_effect, by="group")
        else:
            refusal(table, order_effect=order_effect)
    assert min(verdicts.values()) >= 25


SOUND = cells(("A", "B", 3, 1, 2), ("B", "C", 2, 1, 2))


def test_a_group_that_is_not_connected_is_named_with_its_systems():
    apart = cells(("A", "B", 3, 1, 2), also="C")
    lopsided = cells(("A", "B", 3, 1, 2), ("A", "C", 2, 0, 0))
    names = ("experts", "students")
    assert check_existence(with_groups(SOUND, apart, names=names), by="group")  # students saw no C
    message = refusal(with_groups(SOUND, lopsided, names=names))
    assert message.startswith('worths are not identified in group "students": ')
    assert '"C" was never preferred to anything (0 of 2)' in message
    assert "merge groups" in message


def test_a_system_that_no_group_saw_is_refused():
    apart = cells(("A", "B", 3, 1, 2), also="C")
    assert '"C" was never compared' in refusal(with_groups(apart, apart, names=("g0", "g1")))


def test_one_group_that_contradicts_itself_bounds_the_common_tie_parameter():
    chain = cells(("A", "B", 4, 2, 0), ("B", "C", 3, 1, 0))
    names = ("experts", "students")
    assert check_existence(with_groups(SOUND, chain, names=names), by="group").ties_estimated
    assert "inside every group" in refusal(with_groups(chain, chain, names=names))


def test_walks_may_not_change_groups():
    """A beats B for one group, B beats A for the other: no contradiction, two groups."""
    down, up = cells(("A", "B", 2, 1, 0)), cells(("A", "B", 0, 1, 2))
    assert "inside every group" in refusal(with_groups(down, up, names=("g0", "g1")))
    assert check_existence(cells(("A", "B", 2, 1, 0), ("B", "A", 2, 1, 0)))


def spread(table: Tally, seed: int) -> Tally:
    """The same judgments many times over, in many rows of one outcome each, in any order."""
    row, copy = np.divmod(
        np.random.Generator(np.random.PCG64(seed)).permutation(201 * len(table.left)), 201
    )
    counts = (
        np.where(copy % 3 == outcome, count[row], 0)
        for outcome, count in enumerate((table.wins, table.ties, table.losses))
    )
    codes = (table.left[row], table.right[row])
    group = table.factor("group")
    groups = {"group": replace(group, codes=group.codes[row])}
    return Tally(table.systems, *codes, *counts, groups)


@pytest.mark.parametrize("ties", EVERY)
@pytest.mark.parametrize("order_effect", [False, True])
def test_many_rows_of_one_pair_give_the_verdict_of_their_sum(ties, order_effect):
    exist = 0
    for seed in range(60):
        table = random_groups(seed, ordered=order_effect)
        large = spread(table, seed)
        board = make_preference_graph(large, "group")  # so large that a sample is asked first
        least = 2 * SAMPLED_ROWS_PER_NODE * board.n_nodes
        assert board.left.size == 0 or board.left.size >= least
        try:
            verdict = check_existence(table, ties=ties, order_effect=order_effect, by="group")
        except NotIdentified:
            refusal(large, ties, order_effect=order_effect)
        else:
            assert (
                check_existence(large, ties=ties, order_effect=order_effect, by="group") == verdict
            )
            exist += 1
    assert 5 < exist < 55

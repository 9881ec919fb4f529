"""The policy `sort`: merge insertion whose comparator is the votes on a pair."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from design.boards import simulate
from evenhand import choose_pairs, read
from evenhand.design.policy import SORT_VOTES, Policy, make_tally, number_pairs, read_state

SORT = Policy("sort", random_share=0)
A001768 = {2: 1, 3: 3, 4: 5, 5: 7, 6: 10, 7: 13, 8: 16, 12: 30, 20: 62}
"""Merge insertion's worst case: OEIS A001768; for 20 see Knuth, volume 3, section 5.3.1."""


def ask(board, answer, batch=1, least=0):
    """Ask until the sort ends; `answer` says who of two systems is better, 0 for a tie."""
    counts = board.counts.copy()
    while board.sort.open or counts.sum() < least:
        for one in SORT.choose(board, batch, np.random.default_rng(1)):
            low, high = sorted((one.left, one.right), key=board.systems.index)
            ends = board.systems.index(low), board.systems.index(high)
            pair = number_pairs([ends[0]], [ends[1]], len(board.systems))[0]
            counts[pair, 1 - answer(low, high)] += 1
        board = replace(board, tally=make_tally(board.systems, counts))
    return board


def order(board):
    return [{board.systems[code] for code in group} for group in board.sort.groups]


def start(k):
    return read_state(None, systems=[f"s{i:02d}" for i in range(k)])


def by_worth(worth):
    return lambda one, other: int(np.sign(worth[one] - worth[other]))


@pytest.mark.parametrize("k", sorted(A001768))
def test_votes_without_noise_give_the_exact_order_with_one_vote_for_each_question(k):
    for seed in range(5):
        board = start(k)
        worth = dict(zip(board.systems, np.random.default_rng(seed).permutation(k), strict=True))
        done = ask(board, by_worth(worth))
        assert order(done) == [{name} for name in sorted(worth, key=worth.get, reverse=True)]
        assert done.tally.n_judgments == done.sort.decided <= A001768[k]


@pytest.mark.parametrize("worths", sorted({*itertools.product((0, 1, 2), repeat=4)}))
def test_systems_that_tie_become_one_after_three_votes(worths):
    board = start(4)
    worth = dict(zip(board.systems, worths, strict=True))
    done = ask(board, by_worth(worth))
    levels = sorted(set(worths), reverse=True)
    assert order(done) == [{name for name in worth if worth[name] == level} for level in levels]
    assert done.tally.n_judgments <= SORT_VOTES * A001768[4]
    assert (done.counts[:, 1] % SORT_VOTES == 0).all()


@pytest.mark.parametrize(
    ("votes", "decided"),
    [
        ((1, 0, 0), True),
        ((1, 0, 1), False),
        ((0, 2, 0), False),
        ((0, 3, 0), True),
        ((1, 1, 1), True),
        ((3, 0, 2), True),
    ],
)
def test_a_question_is_decided_by_whoever_leads_or_is_a_tie_after_three_votes(votes, decided):
    board = replace(start(2), tally=make_tally(("s00", "s01"), np.array([votes], float)))
    assert bool(board.sort.open) != decided
    if decided:
        tied = votes[0] == votes[2]
        assert order(board) == ([{"s00", "s01"}] if tied else [{"s00"}, {"s01"}])


def list_rows(board):
    """The votes as rows of a table, one each."""
    said = ("left", "tie", "right")
    return [
        {"left": board.systems[low], "right": board.systems[high], "outcome": said[at]}
        for low, high, counts in zip(board.low, board.high, board.counts, strict=True)
        for at in range(3)
        for _ in range(int(counts[at]))
    ]


def turn(row):
    said = {"left": "right", "right": "left", "tie": "tie"}[row["outcome"]]
    return {"left": row["right"], "right": row["left"], "outcome": said}


def test_the_next_question_depends_on_the_votes_alone():
    """Not on the order of rows, on sides, on the seed, or on how the systems are numbered."""
    luck = np.random.default_rng(4)
    board, counts = start(9), np.zeros((36, 3))
    for _ in range(20):
        (asked,) = SORT.choose(board, 1, luck)
        rows = list_rows(board)
        if rows:
            luck.shuffle(rows)
            rows = [turn(row) if luck.random() < 0.5 else row for row in rows]
            table = {name: [row[name] for row in rows] for name in ("left", "right", "outcome")}
            known = {*table["left"], *table["right"]}
            new = [name for name in board.systems if name not in known]
            seed = int(luck.integers(99))
            (told,) = choose_pairs(read(table), SORT, n=1, systems=new, seed=seed).pairs
            assert {told.left, told.right} == {asked.left, asked.right}
            assert told.reason.split(":")[0] == asked.reason.split(":")[0]
        ends = sorted(board.systems.index(name) for name in (asked.left, asked.right))
        counts[number_pairs(ends[:1], ends[1:], 9)[0], luck.integers(3)] += 1
        board = replace(board, tally=make_tally(board.systems, counts))


def test_votes_that_nobody_asked_for_count_and_pairs_that_are_used_up_are_not_asked():
    known = read_state(simulate((6, 4, 2, 0, -2, -4), 600, 1))
    assert order(known) == [{name} for name in known.systems]
    assert not known.sort.open
    assert SORT.choose(known, 1, np.random.default_rng(1))[0].reason.startswith("near in the order")
    board = start(5)
    left = np.ones(10, dtype=bool)
    left[list(board.sort.open)] = False
    for one in SORT.choose(replace(board, allowed=left), 12, np.random.default_rng(1)):
        ends = sorted(board.systems.index(name) for name in (one.left, one.right))
        assert left[number_pairs(ends[:1], ends[1:], 5)[0]]


def test_after_the_end_near_pairs_are_asked_in_turn_and_later_votes_overturn():
    """A pair of places d apart gets 1/d of the votes of neighbours."""
    board = start(6)
    worth = dict(zip(board.systems, (5, 4, 3, 2, 1, 0), strict=True))
    done = ask(board, by_worth(worth), least=274)
    votes = done.counts.sum(axis=1)
    shares = 1 / (done.high - done.low)
    assert votes == pytest.approx(274 * shares / shares.sum(), abs=1.5)
    worth |= {"s00": 4, "s01": 5}
    turned = ask(done, by_worth(worth), least=600)
    assert order(turned)[:2] == [{"s01"}, {"s00"}]


def test_a_batch_asks_nothing_twice_and_goes_on_as_the_answers_predict():
    board = start(8)
    pairs = SORT.choose(board, 10, np.random.default_rng(1))
    kinds = [one.reason.partition(" of the sort")[0] for one in pairs]
    assert kinds.count("question") == 4  # one for every two systems
    assert kinds.count("probable question") == 6
    assert len({frozenset((one.left, one.right)) for one in pairs}) == 10
    out = replace(board, waiting=np.isin(np.arange(28), board.sort.open[:4]).astype(float))
    again = SORT.choose(out, 1, np.random.default_rng(1))[0]
    assert again.reason == "probable question of the sort: no votes yet"


def test_how_far_it_is_is_said_and_stands_in_json():
    votes = simulate((6, 4, 2, 0, -2, -4), 600, 1)
    found = choose_pairs(votes, SORT, n=2)
    told = (
        "The sort has ended, by 10 questions: s00 > s01 > s02 > s03 > s04 > s05. Further judgments"
    )
    assert told in str(found.says[1])
    names = [[f"s{i:02d}"] for i in range(6)]
    assert found.to_dict()["sort"] == {"ended": True, "decided": 10, "order": names}
    assert "| next | sort | random 0 | pairs=2 seed=" in found.signature
    new = choose_pairs(votes, SORT, n=2, systems=["new"])
    assert "The sort has not ended: the votes decide" in str(new.says[1])
    assert new.to_dict()["sort"]["order"] is None
    assert choose_pairs(votes, n=2).to_dict()["sort"] is None

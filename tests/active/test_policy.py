"""A policy: the start-up phase first, a share at random, and nothing twice beyond need."""

from collections import Counter

import numpy as np
import pytest

from active.boards import simulate, state
from evenhand.active.policy import RULES, TITLES, Policy
from evenhand.active.state import number_pairs, read_state
from evenhand.cli.next import POLICIES
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption


def choose(policy, board, n, seed=1):
    return policy.choose(board, n, np.random.default_rng(seed))


def hand_out(board, pairs):
    code = {name: i for i, name in enumerate(board.systems)}
    ends = [[code[getattr(one, side)] for one in pairs] for side in ("left", "right")]
    return board.wait_for(number_pairs(*ends, len(code)).tolist())


def test_the_command_line_knows_every_rule():
    assert set(POLICIES) == set(RULES) == set(TITLES)


@pytest.mark.parametrize("k", [6, 20])
def test_the_start_up_phase_is_five_perfect_matchings(k):
    board = read_state(None, systems=[f"s{i:02d}" for i in range(k)])
    found = choose(Policy(), board, 5 * k // 2)
    assert {one.kind for one in found} == {"start-up"}
    for i in range(5):
        matching = found[i * k // 2 : (i + 1) * k // 2]
        assert len({name for one in matching for name in (one.left, one.right)}) == k


def test_an_odd_number_of_systems_has_one_judgment_too_many_at_most():
    board = read_state(None, systems=[f"s{i}" for i in range(7)])
    found = choose(Policy(), board, 18)
    loads = Counter(name for one in found for name in (one.left, one.right))
    assert sorted(loads.values()) == [5, 5, 5, 5, 5, 5, 6]


def test_a_new_system_gets_its_judgments_before_anything_else():
    board = read_state(simulate((1, 0, -1, 0.5), 100, 1), systems=["new"])
    found = choose(Policy(), board, 9)
    assert [one.kind for one in found][:5] == ["start-up"] * 5
    assert all("new" in (one.left, one.right) for one in found[:4])
    assert found[0].reason == "new has 0 of the first 5 judgments"


def test_parts_that_no_judgment_joins_are_joined_first():
    tally = simulate((1, 0, -1, 1, 0, -1), 400, 1)
    keep = (tally.left < 3) == (tally.right < 3)
    parts = type(tally)(
        tally.systems, *(getattr(tally, name)[keep] for name in ("left", "right")),
        *(getattr(tally, name)[keep] for name in ("wins", "ties", "losses")),
    )  # fmt: skip
    first, *others = choose(Policy(), read_state(parts), 4)
    assert (first.left < "s03") != (first.right < "s03")
    assert "no chain of judgments joins s0" in first.reason
    assert "start-up" not in {one.kind for one in others}


def test_a_batch_of_20_has_6_at_random_and_single_pairs_three_in_ten():
    board = state((1, 0.6, 0.3, 0, -0.3, -0.6, -1), 300)
    kinds = Counter(one.kind for one in choose(Policy(), board, 20))
    assert kinds == {"random": 6, "chosen": 14}
    single = [choose(Policy(), board, 1, seed)[0].kind for seed in range(300)]
    assert 0.2 < single.count("random") / 300 < 0.4


def test_pairs_that_wait_for_their_answers_are_not_handed_out_again():
    board = state((1, 0.5, 0, -0.5, -1), 200)
    first = choose(Policy(), board, 4)
    second = choose(Policy(), hand_out(board, first), 6)
    pairs = [frozenset((one.left, one.right)) for one in (*first, *second)]
    assert len(set(pairs)) == 10


def test_what_waits_counts_for_the_start_up_phase():
    board = read_state(None, systems=["a", "b"], waiting=[("a", "b")] * 5)
    assert choose(Policy(), board, 1)[0].kind == "chosen" or not board.answered
    assert "start-up" not in {one.kind for one in choose(Policy(), board, 3)}


def test_the_random_policy_judges_every_system_as_often():
    board = read_state(None, systems=[f"s{i}" for i in range(8)])
    found = choose(Policy("random"), board, 40)
    loads = Counter(name for one in found for name in (one.left, one.right))
    assert set(loads.values()) == {10}


def test_sides_are_random():
    board = state((1, 0.5, 0, -0.5, -1), 200)
    turned = [
        one.left > one.right for seed in range(50) for one in choose(Policy(), board, 4, seed)
    ]
    assert 70 < sum(turned) < 130


def test_the_order_of_the_judgments_does_not_matter():
    tally = simulate((1, 0.5, 0, -0.5, -1), 200, 1)
    rows = np.random.default_rng(1).permutation(200)
    names = ("left", "right", "wins", "ties", "losses")
    mixed = type(tally)(tally.systems, *(getattr(tally, name)[rows] for name in names))
    for rule in ("order", "closest", "voi", "information", "random"):
        one, other = (choose(Policy(rule), read_state(each), 8) for each in (tally, mixed))
        assert one == other


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rule": "ordr"}, "policy cannot be 'ordr'.*'order'"),
        ({"random_share": 1.2}, "random share cannot be 1.2"),
        ({"start": -1}, "start cannot be -1"),
        ({"rule": "top-k"}, "top-k needs to know how many"),
        ({"top": 2}, "is for the policy top-k"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, words):
    with pytest.raises(UnknownOption, match=words):
        Policy(**settings)


def test_what_cannot_be_asked_is_refused():
    board = state()
    with pytest.raises(UnknownOption, match="0 pairs cannot be chosen"):
        choose(Policy(), board, 0)
    with pytest.raises(UnknownOption, match="has no border: there are 5 systems"):
        choose(Policy("top-k", top=5), board, 1)
    board.allowed[:] = False
    with pytest.raises(NotIdentified, match="no pair may be asked"):
        choose(Policy(), board, 1)
    with pytest.raises(NotIdentified, match="fewer than two systems"):
        read_state(None, systems=["a"])
    with pytest.raises(InvalidJudgments, match="'x' is waited for and is no system"):
        read_state(None, systems=["a", "b"], waiting=[("a", "x")])
    with pytest.raises(InvalidJudgments, match="'a' is waited for against itself"):
        read_state(None, systems=["a", "b"], waiting=[("a", "a")])

"""A policy: the start-up phase first, a share at random, and nothing twice beyond need."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare, norm

from design.boards import simulate, state, wait_for
from evenhand import choose_pairs
from evenhand.cli.next import POLICIES
from evenhand.data.tally import Tally
from evenhand.design.next_pairs import measure_savings
from evenhand.design.policy import RULES, TITLES, Policy, number_pairs, read_state
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
)
from evenhand.formats.reading import read


def choose(policy, board, n, seed=1):
    return policy.choose(board, n, np.random.default_rng(seed))


def hand_out(board, pairs):
    code = {name: i for i, name in enumerate(board.systems)}
    ends = [[code[getattr(one, side)] for one in pairs] for side in ("left", "right")]
    return wait_for(board, number_pairs(*ends, len(code)).tolist())


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


def test_new_systems_and_parts_that_no_judgment_joins_come_first():
    board = read_state(simulate((1, 0, -1, 0.5), 100, 1), systems=["new"])
    found = choose(Policy(), board, 9)
    assert [one.kind for one in found][:5] == ["start-up"] * 5
    assert all("new" in (one.left, one.right) for one in found[:4])
    assert len({frozenset((one.left, one.right)) for one in found[:4]}) == 4  # four others
    assert found[0].reason == "new has 0 judgments; every system gets 5 first"
    assert found[1].reason == "new has 1 judgment; every system gets 5 first"
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


def test_a_batch_has_three_in_ten_at_random_and_nothing_that_waits():
    board = state((1, 0.6, 0.3, 0, -0.3, -0.6, -1), 300)
    kinds = Counter(one.kind for one in choose(Policy(), board, 20))
    assert kinds == {"random": 6, "chosen": 14}
    single = [choose(Policy(), board, 1, seed)[0].kind for seed in range(300)]
    assert 0.2 < single.count("random") / 300 < 0.4
    board = state((1, 0.6, 0.3, 0, -0.3, -0.6, -1), 300)
    first = choose(Policy(random_share=0), board, 4)
    second = choose(Policy(random_share=0), hand_out(board, first), 6)
    pairs = [frozenset((one.left, one.right)) for one in (*first, *second)]
    assert len(set(pairs)) == 10  # of 21


def test_pairs_that_wait_count_as_answered_in_what_is_believed():
    board = state((1, 0.5, 0, -0.5, -1), 200)
    x = np.eye(5)[board.low[2]] - np.eye(5)[board.high[2]]
    belief = board.belief
    told = belief.information(np.array([x @ belief.mean]))[0]
    precision = np.linalg.inv(belief.vcov) + told * np.outer(x, x)
    assert np.linalg.inv(wait_for(board, [2]).belief.vcov) == pytest.approx(precision)


def votes_on(*tasks):
    rows = {"left": ["a", "b", "c"], "right": ["b", "c", "a"], "outcome": ["left", "tie", "left"]}
    columns = {name: cells * len(tasks) for name, cells in rows.items()}
    return read(pd.DataFrame({**columns, "task": np.repeat(tasks, 3)}))


def test_several_tasks_are_refused_unless_they_are_pooled_on_purpose():
    with pytest.raises(NotIdentified, match=r"2 tasks \(de, en\).*select_task\('de'\).*tally\(\)"):
        choose_pairs(votes_on("de", "en"))
    assert choose_pairs(votes_on("de", "en").select_task("de")).state.tally.n_judgments == 3
    assert choose_pairs(votes_on("de", "en").tally()).state.tally.n_judgments == 6
    assert choose_pairs(votes_on("de")).state.tally.n_judgments == 3
    with pytest.raises(NotIdentified, match="2 tasks"):
        measure_savings(votes_on("de", "en"), Policy())


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("voi", r'give Policy\("voi"\)'),
        ("top-k", r'give Policy\("top-k", top=3\)'),
        ("ordr", r'give one such as Policy\("order"\)'),
    ],
)
def test_the_name_of_a_policy_is_no_policy(policy, words):
    with pytest.raises(UnknownOption, match=words):
        choose_pairs(None, policy, systems=["a", "b"])


def test_some_systems_of_the_data_cannot_be_left_out_by_naming_others():
    tally = simulate((1, 0, -1), 60, 1)
    with pytest.raises(UnknownOption, match="s00 has judgments already, and s01, s02 would be"):
        choose_pairs(tally, systems=["s00", "new"])
    for systems in (["new"], ["s00", "s01", "s02"], ["s00", "s01", "s02", "new"]):
        found = choose_pairs(tally, systems=systems)
        assert set(found.state.systems) == {"s00", "s01", "s02", *systems}
    with pytest.raises(UnknownOption, match="a is named twice"):
        choose_pairs(None, systems=["a", "a", "b"])


def test_a_pair_in_a_large_batch_has_one_probability_that_of_the_judgments():
    """Φ(Δ/√V) of what is believed before the batch, and before what is out is answered."""
    tally = simulate((0.5, 0.2, 0, -0.4), 80, 1)
    belief = read_state(tally).belief
    for waiting in ((), [("s00", "s01")] * 9):
        found = choose_pairs(tally, Policy(random_share=0), n=30, waiting=waiting)
        said = [one for one in found.pairs if "probability" in one.reason]
        assert len(said) > 6
        for one in said:
            low, high = sorted((int(one.left[1:]), int(one.right[1:])))
            sd = np.sqrt(
                belief.vcov[low, low] + belief.vcov[high, high] - 2 * belief.vcov[low, high]
            )
            first = norm.cdf((belief.mean[low] - belief.mean[high]) / sd)
            better = f"s{low if first > 0.5 else high:02d}"
            assert one.reason == f"{better} is better with probability {max(first, 1 - first):.2f}"


def test_the_random_policy_judges_every_system_as_often():
    board = read_state(None, systems=[f"s{i}" for i in range(8)])
    found = choose(Policy("random"), board, 40)
    loads = Counter(name for one in found for name in (one.left, one.right))
    assert set(loads.values()) == {10}


def test_what_cannot_be_asked_is_refused():
    board = state()
    with pytest.raises(UnknownOption, match="0 pairs cannot be chosen"):
        choose(Policy(), board, 0)
    with pytest.raises(UnknownOption, match=r"1\.5 pairs cannot be chosen: give a whole number"):
        choose(Policy(), board, 1.5)
    with pytest.raises(UnknownOption, match="names all 5 systems: choose fewer"):
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


@pytest.mark.parametrize("rule", ["closest", "order", "sort"])
def test_pairs_at_random_are_a_sample_of_all_pairs_whatever_the_rule_took_and_what_waits(rule):
    """Level .001: in a batch of as many pairs as there are, the rule takes most of the others."""
    board = state((3, 2, 1, 0), 400)
    board = wait_for(board, [0, 0, 3, 5])
    code = {name: i for i, name in enumerate(board.systems)}
    rng, found = np.random.default_rng(1), np.zeros(6)
    for _ in range(200):
        for one in Policy(rule, random_share=0.5).choose(board, 6, rng):
            if one.kind == "random":
                found[number_pairs([code[one.left]], [code[one.right]], 4)] += 1
    assert found.sum() == 600
    assert chisquare(found).pvalue > 0.001


def test_a_draw_from_some_of_the_pairs_does_not_call_itself_one_from_all():
    board = state((3, 2, 1, 0), 400)
    some = replace(board, allowed=np.array([True, True, True, True, True, False]))
    for known, kinds in ((board, {"random"}), (some, {"narrowed"})):
        found = Policy(random_share=1).choose(known, 20, np.random.default_rng(1))
        assert {one.kind for one in found} == kinds
    assert {"s02", "s03"} not in [{one.left, one.right} for one in found]
    assert {one.reason for one in found} == {"at random, of the pairs that are left"}


def test_little_doubt_is_said_to_take_judgments_for_independent():
    """A beats B and B beats C in 90 of 100: nothing about these orders is in doubt by itself."""
    won, lost, ties = np.array([90.0, 90.0, 95.0]), np.array([10.0, 10.0, 5.0]), np.zeros(3)
    left, right = np.array([[0, 1, 0], [1, 2, 2]], dtype=np.int32)
    found = choose_pairs(Tally(("A", "B", "C"), left, right, won, ties, lost, 300.0), n=2)
    assert any("little doubt" in one.reason for one in found.pairs)
    assert any(one.code == "doubt-independent" for one in found.notes)
    few = np.full(1, 5.0)
    level = Tally(("A", "B"), left[:1], right[:1], few, ties[:1], few, 10.0)
    assert not any(one.code == "doubt-independent" for one in choose_pairs(level, n=1).notes)


@pytest.mark.parametrize(("worth", "decided"), [(3, True), (0.6, False)])
def test_a_first_place_that_is_decided_is_said(worth, decided):
    tally = simulate((worth, 0.5, 0, -0.5, -1), 200, 1)
    says = choose_pairs(tally, Policy("top-k", top=1)).says
    assert ("top-decided" in [one.code for one in says]) == decided


def test_a_batch_that_repeats_pairs_says_so():
    tally = simulate((1, 0.5, 0, -0.5, -1), 200, 1)
    said = "of 10 possible pairs asked about more than once before an answer comes, in "
    assert not any(said in note for note in choose_pairs(tally, n=5).notes)
    found = choose_pairs(tally, n=60)
    (note,) = (note for note in found.notes if said in note)
    times = Counter(frozenset((one.left, one.right)) for one in found.pairs)
    often = [n for n in times.values() if n > 1]
    assert note.startswith(f"{len(often)} of 10 possible pairs")
    assert f"in {sum(often)} of 60 questions" in note
    low, high = np.triu_indices(5, 1)
    every = [(f"s{one:02d}", f"s{other:02d}") for one, other in zip(low, high, strict=True)]
    note, *_ = choose_pairs(tally, n=1, waiting=every).notes
    assert note.startswith("1 of 10 possible pairs asked about more than once")
    note, *_ = choose_pairs(simulate((1, 0), 20, 1), n=2).notes
    assert note.startswith("The only pair is asked about more than once")

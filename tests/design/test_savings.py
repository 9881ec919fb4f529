"""Replays: what a policy would have saved, and when the data cannot say."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from design.boards import simulate
from evenhand.design.next_pairs import (
    Savings,
    choose_pairs,
    measure_agreement,
    measure_savings,
    pool_answers,
    take_from,
)
from evenhand.design.policy import Policy
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.formats.reading import read
from evenhand.render.text import render_text


def curves(chosen, random, emptied=0.0):
    """Savings with these agreements after 10, 20, 30, 40 judgments."""
    return Savings(
        Policy(), "tau", np.array([10, 20, 30, 40]), np.array(chosen), np.array(random), emptied,
        80, 8.0, "sign", 1,
    )  # fmt: skip


def test_what_a_policy_saves_costs_or_leaves_open_is_said():
    chosen, random = [[0.5, 0.7, 0.8, 0.9]] * 10, [[0.3, 0.5, 0.6, 0.7]] * 10
    found = curves(chosen, random).save(20)
    assert (found.agreement, found.random, found.chosen, found.saved) == (0.5, 20, 10, 0.5)
    assert (found.lower, found.upper, found.reached) == (0.5, 0.5, True)
    one = curves([[0.1, 0.1, 0.2, 0.3]] * 2, [[0.3, 0.5, 0.6, 0.7]] * 2)
    assert not one.save(20).reached
    assert "order takes at least 100 % more than random pairs" in one.says[0]
    assert "Replays end at 40 judgments: whatever takes more counts as 40" in one.notes[0]
    one = curves([[0.1, 0.3, 0.5, 0.6]] * 10, [[0.3, 0.5, 0.6, 0.7]] * 10)
    assert "order takes 50 % more than random pairs (error" in one.says[0]
    assert "order after 30" in one.says[1]
    assert "95 %: 50 to 50 %, 10 replays" in one.says[0]
    assert "saved" not in one.says[0]
    assert one.notes == ("Prefer random pairs here: order takes more judgments than they do.",)
    # Half of the replays save a half, the others take half as much again.
    good, bad = [0.5, 0.7, 0.8, 0.9], [0.1, 0.3, 0.5, 0.6]
    one = curves([good, bad] * 5, [[0.3, 0.5, 0.6, 0.7]] * 10)
    found = one.save()
    assert found.lower < 0 < found.upper
    assert one.says[0].code == "saves-undecided"
    assert not any(note.code == "prefer-random" for note in one.notes)


def noise(rng, replays, looks=40):
    """Curves that rise by .3, with noise that hangs together from look to look."""
    errors = rng.normal(0, 0.15, (replays, looks))
    for look in range(1, looks):
        errors[:, look] = 0.9 * errors[:, look - 1] + np.sqrt(1 - 0.81) * errors[:, look]
    return errors


def test_two_arms_of_one_law_seldom_show_a_difference():
    """The interval leaves out 0 in 5 % or less on each side; with the first crossing, in 25 %.

    Of 40 meters: 7 or more have a probability below .005 where it is 5 %.
    """
    rng, above, below = np.random.default_rng(1), 0, 0
    level = 0.3 + 0.3 * np.linspace(0, 1, 40)
    for _ in range(40):
        chosen, random = (level + noise(rng, 20) for _ in range(2))
        meter = Savings(
            Policy(), "tau", np.arange(20, 801, 20), chosen, random, 0.0, 1600, 9.0, "sign", 1
        )
        found = meter.save()
        above, below = above + (found.lower > 0), below + (found.upper < 0)
    assert max(above, below) < 7


def test_emptied_pairs_are_not_asked_again():
    pool = pool_answers(simulate((1, 0, -1), 90, 1))
    taken = np.zeros_like(pool.counts)
    taken[1] = pool.counts[1]
    taken[2, 0] = 1
    assert take_from(pool, taken).allowed.tolist() == [True, False, True]


def test_agreement_is_scipys_kendall_tau_or_the_share_of_the_first():
    rng = np.random.default_rng(2)
    one, other = rng.normal(size=(2, 12))
    assert measure_agreement(one, other, None) == pytest.approx(kendalltau(one, other).statistic)
    other[:3] = 0.1
    assert measure_agreement(one, other, None) == pytest.approx(kendalltau(one, other).statistic)
    assert measure_agreement(np.array([4.0, 3, 2, 1]), np.array([4.0, 1, 3, 2]), 2) == 0.5


def test_a_replay_is_of_the_data_and_of_the_first_k_where_the_policy_looks_for_them():
    tally = simulate(np.linspace(2, -2, 8), 1400, 1, tie=0.4)
    told = []
    found = measure_savings(
        tally, Policy("closest"), replays=6, tell=lambda done, every: told.append((done, every))
    )
    assert told == [(i, 6) for i in range(6)]
    assert found.judgments[-1] <= 700  # half of the data
    for curve in (found.chosen.mean(axis=0), found.random.mean(axis=0)):
        assert curve[-5:].mean() > curve[:5].mean() + 0.1
        assert curve[-1] > 0.8
    found = measure_savings(
        simulate(np.linspace(2, -2, 6), 600, 1), Policy("top-k", top=2), replays=3
    )
    assert found.agreement == "first 2"
    assert set(np.unique(found.chosen)) <= {0.0, 0.5, 1.0}


@pytest.mark.parametrize(
    ("worths", "n", "words"),
    [
        ((1, 0), 100, "a replay needs 3 systems or more"),
        (np.zeros(20), 400, "2.. judgments of each pair"),
        ((1, 0, -1), 25, "hardly reach beyond the start-up phase"),
    ],
)
def test_data_that_cannot_support_a_replay_are_refused(worths, n, words):
    with pytest.raises(NotIdentified, match=words):
        measure_savings(simulate(worths, n, 1), Policy())


def test_ukpconvarg1_has_five_judgments_a_pair_which_a_policy_empties(data_folder):
    """28 arguments, 378 pairs with five judgments each (README)."""
    path = data_folder / "ukpconvarg1" / "pairwise.parquet"
    task = "ban-plastic-water-bottles_no-bad-for-the-economy"
    found = measure_savings(read(path, task=task), Policy(), replays=2)
    assert found.per_pair == pytest.approx(5, abs=0.01)
    assert found.judgments[-1] <= found.n_judgments / 2
    assert "with judges it would have gone on asking there" in found.notes[0]


def test_judgments_and_replays_that_are_too_few_are_refused(data_folder):
    path = data_folder / "llmfao" / "pairwise.parquet"
    data = read(path, where="source = 'gpt4'")
    with pytest.raises(NotIdentified, match="the data cannot support a replay"):
        measure_savings(data, Policy(), replays=2)
    with pytest.raises(UnknownOption, match="1 replays have no interval"):
        measure_savings(simulate((1, 0, -1), 300, 1), Policy(), replays=1)


def test_rows_are_numbered_for_people_alone() -> None:
    found = choose_pairs(None, n=2, systems=["a", "b", "c"])
    assert [[*row] for row in found.list_rows()] == [["left", "right", "kind", "reason"]] * 2
    assert " 2  " in render_text(found.document())

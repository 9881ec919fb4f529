"""Playoffs: small tournaments in closed form."""

from itertools import permutations

import numpy as np
import pytest

from evenhand.errors import UnknownOption
from evenhand.ranking.rules import score_playoffs
from tallies import tally

ROWS = [
    ("a", "b", 6, 2, 4), ("a", "c", 3, 0, 1), ("a", "d", 1, 5, 9), ("a", "e", 8, 1, 2),
    ("b", "c", 2, 2, 2), ("b", "d", 7, 0, 3), ("b", "e", 1, 1, 4),
    ("c", "d", 5, 3, 5), ("c", "e", 2, 8, 6), ("d", "e", 4, 4, 3),
]  # fmt: skip


def champions(field, chance):
    """Chance of each to win a bracket, worked out match by match; None is a bye."""
    if len(field) == 1:
        return {field[0]: 1.0}
    half = len(field) // 2
    one, two = champions(field[:half], chance), champions(field[half:], chance)
    won = dict.fromkeys([*one, *two], 0.0)
    for i, p in one.items():
        for j, q in two.items():
            beats = 1.0 if j is None else 0.0 if i is None else chance[i, j]
            won[i] += p * q * beats
            won[j] += p * q * (1 - beats)
    return won


def expected(names):
    """Mean over all brackets; the first-round byes stand beside the first systems."""
    rows = [row for row in ROWS if {row[0], row[1]} <= set(names)]
    chance = {}
    for i, j, wins, _, losses in rows:
        chance[i, j], chance[j, i] = wins / (wins + losses), losses / (wins + losses)
    places = 1 << (len(names) - 1).bit_length()
    total, brackets = dict.fromkeys(names, 0.0), list(permutations(names))
    for order in brackets:
        matches = places // 2
        field = [None] * places
        field[0::2] = order[:matches]
        for match, name in enumerate(order[matches:]):
            field[2 * match + 1] = name
        for name, share in champions(field, chance).items():
            if name is not None:
                total[name] += share / len(brackets)
    return rows, [total[name] for name in names]


@pytest.mark.parametrize("names", ["ab", "abc", "abcd", "abcde"])
def test_shares_are_those_of_all_brackets(names):
    rows, shares = expected(names)
    scores = score_playoffs(tally(*rows), tournaments=40_000)
    assert (np.abs(scores.values - shares) < 4 * scores.stderr).all()
    assert scores.values.sum() == pytest.approx(1, rel=1e-12)


def test_neighbours_are_luck_within_two_standard_errors_of_their_difference():
    """p and 1 - p of T: s.e. of the difference = 2 sqrt(p (1 - p) / T), .0063 at one half."""
    even = score_playoffs(tally(("a", "b", 500, 0, 500)))
    (note,) = even.notes
    assert note.code == "simulation-luck"
    assert score_playoffs(tally(("a", "b", 515, 0, 485))).notes == ()
    assert len(score_playoffs(tally(("a", "b", 515, 0, 485)), tournaments=400).notes) == 1


def test_of_three_the_bye_is_at_random():
    """Sure winners: a beats b and c, b beats c."""
    scores = score_playoffs(tally(("a", "b", 1, 0, 0), ("a", "c", 1, 0, 0), ("b", "c", 1, 0, 0)))
    assert scores.values.tolist() == [1, 0, 0]
    assert scores.notes == ("2 systems won none of 100,000 tournaments and share the last place.",)


def test_pairs_never_decided_toss_a_coin_and_are_counted():
    scores = score_playoffs(tally(("a", "b", 1, 0, 0), ("b", "c", 1, 0, 0), ("a", "c", 0, 3, 0)))
    assert scores.notes[0] == "1 of 3 pairs never decided: a coin decides them."
    assert scores.notes[1].code == "simulation-luck"
    assert scores.notes[1].values["pairs"] in (["b and c"], ["c and b"])  # a sixth each
    # bye of a: it wins; of b: a or c by coin, then b loses to a or beats c; of c: a, then a coin
    third = 1 / 3
    shares = [third + third / 2 + third / 2, third / 2, third / 2]
    np.testing.assert_allclose(scores.values, shares, atol=0.006)


def test_what_cannot_be_played_is_refused():
    with pytest.raises(UnknownOption, match="tournaments cannot be 0"):
        score_playoffs(tally(*ROWS), tournaments=0)

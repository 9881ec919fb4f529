"""Agreement by output pair and by system, against counting pair by pair and a ratio by hand."""

from itertools import combinations
from math import sqrt

import pytest
from hypothesis import given

from evenhand.data.votes import LEFT, RIGHT, TIE
from evenhand.judges.preferences import agree_by_system, compare_pairs, compare_votes
from few_votes import vote_rows, votes_of

DIGITS = tuple(map(str, range(10)))


def say(row):
    """Return what a vote is on, who gave it, and which system it prefers."""
    judge, item, left, right, outcome = row
    preferred = {LEFT: left, TIE: None, RIGHT: right}[outcome]
    return (item, frozenset({left, right})), judge, preferred


@given(vote_rows())
def test_every_output_pair_is_counted_as_by_going_through_all_pairs_of_votes(rows):
    found = compare_pairs(votes_of(rows))
    expected = {}
    for one, other in combinations([say(row) for row in rows], 2):
        counts = expected.setdefault(one[0], [0, 0, 0])
        if one[0] == other[0] and one[1] != other[1]:
            same = one[2] == other[2]
            counts[0] += same
            counts[1] += same and one[2] is not None
            counts[2] += 1
    for k, item in enumerate(found.item.tolist()):
        key = (item, frozenset({int(found.low[k]), int(found.high[k])}))
        counts = [int(part[k]) for part in (found.agree, found.decided, found.comparable)]
        assert counts == expected.get(key, [0, 0, 0])
    whole = compare_votes(votes_of(rows))
    assert (found.agree.sum(), found.comparable.sum()) == (whole.agree, whole.comparable)


def test_the_interval_of_a_system_is_that_of_a_ratio_of_sums_over_items():
    rows = [(j, i, 0, 1, LEFT if j * i % 3 else RIGHT) for i in range(10) for j in range(2 + i % 2)]
    found = compare_pairs(votes_of(rows))
    one, other = agree_by_system(found, DIGITS, level=0.9)
    assert (one.system, other.system) == ("0", "1")
    agree, all_pairs = found.agree, found.comparable
    share = agree.sum() / all_pairs.sum()
    error = sqrt(((agree - share * all_pairs) ** 2).sum()) / all_pairs.sum()
    z = 1.9599639845400545  # two systems at 90 %: the .975 quantile
    assert one.share == share
    assert one.lower == pytest.approx(share - z * error, abs=1e-12)
    assert one.upper == pytest.approx(min(share + z * error, 1), abs=1e-12)


def test_systems_on_which_judges_agree_least_come_first():
    rows = [(j, i, 0, 1, LEFT) for i in range(3) for j in range(2)]
    rows += [(j, i, 0, 2, (LEFT, RIGHT)[j]) for i in range(3) for j in range(2)]
    found = agree_by_system(compare_pairs(votes_of(rows)), DIGITS)
    assert [(one.system, one.share) for one in found] == [("2", 0), ("0", 0.5), ("1", 1)]

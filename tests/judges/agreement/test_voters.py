"""What each judge of comparisons gets, against counting pair by pair."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given

from evenhand.data.rating_rows import CONTROL
from evenhand.data.votes import LEFT, TIE
from evenhand.errors import NotIdentified
from evenhand.judges.preferences import chance_agreement, compare_votes, summarise_voters
from few_votes import vote_rows, votes_of


@given(vote_rows())
def test_counts_are_those_of_going_through_all_pairs_of_votes(rows):
    found = {one.judge: one for one in summarise_voters(votes_of(rows))}
    assert sorted(found) == sorted({str(row[0]) for row in rows})
    for judge, one in found.items():
        own = [
            (a[0] == b[0], a[4] == (b[4] if a[2] == b[2] else 2 - b[4]))
            for a, b in permutations(rows, 2)
            if str(a[0]) == judge and a[1] == b[1] and sorted(a[2:4]) == sorted(b[2:4])
        ]
        others = [agree for same, agree in own if not same]
        again = [agree for same, agree in own if same]
        assert (one.agree, one.comparable) == (sum(others), len(others))
        assert (2 * one.own_agree, 2 * one.own_comparable) == (sum(again), len(again))
        assert one.votes == sum(str(row[0]) == judge for row in rows)


@given(vote_rows())
def test_judges_add_up_to_all_of_them(rows):
    votes = votes_of(rows)
    found = summarise_voters(votes)
    together = compare_votes(votes)
    assert sum(one.agree for one in found) == 2 * together.agree
    assert sum(one.comparable for one in found) == 2 * together.comparable
    assert found[0].chance == pytest.approx(together.chance)


def test_kappa_is_corrected_by_the_ties_of_all():
    rows = [(0, 0, 1, 2, LEFT), (1, 0, 1, 2, LEFT), (1, 1, 1, 2, TIE), (2, 1, 1, 2, LEFT)]
    first, second, third = summarise_voters(votes_of(rows))
    chance = chance_agreement(0.25)
    assert first.kappa == 1
    assert second.kappa == pytest.approx((0.5 - chance) / (1 - chance))
    assert third.kappa == pytest.approx(-chance / (1 - chance))
    assert third.own_kappa is None


def test_controls_alone_leave_nobody_and_a_table_without_judges_is_refused():
    votes = votes_of([(0, 0, 1, 2, LEFT)])
    assert summarise_voters(replace(votes, kind=np.array([CONTROL], dtype=np.int8))) == ()
    with pytest.raises(NotIdentified, match="names no judges"):
        summarise_voters(replace(votes, judges=("",)))

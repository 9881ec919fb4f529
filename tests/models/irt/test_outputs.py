"""Comparisons as pairs of outputs: who shares an output, and what their numbers depend on."""

from dataclasses import replace

import numpy as np

from evenhand.data.votes import LEFT, RIGHT, TIE
from evenhand.models.irt_outputs import FRESH, pair_outputs
from few_votes import votes_of

ROWS = [
    (0, 0, 0, 1, LEFT),
    (1, 0, 1, 2, TIE),
    (1, 1, 2, 0, RIGHT),
    (0, 1, 1, 0, LEFT),
    (2, 2, 3, 0, LEFT),
    (2, 2, 0, 3, LEFT),
]


def _described(pairs):
    """Comparisons by name: winner or both, loser or neither, and who made the outputs."""
    name = np.argsort(pairs.code)
    shown = zip(pairs.one, pairs.other, pairs.outcome, strict=True)
    return sorted(
        (*sorted((int(name[pairs.author[a]]), int(name[pairs.author[b]]))), int(said == TIE))
        for a, b, said in shown
    )


def test_outputs_of_one_item_are_shared_by_all_who_judged_it():
    pairs = pair_outputs(votes_of(ROWS))
    assert len(pairs.author) == 3 + 3 + 2
    assert len(pairs.one) == 6
    assert _described(pairs) == sorted(
        [(0, 1, 0), (1, 2, 1), (0, 2, 0), (0, 1, 0), (0, 3, 0), (0, 3, 0)]
    )
    assert pairs.notes == ()


def test_without_items_every_comparison_has_two_outputs_of_its_own_and_a_note():
    votes = replace(votes_of(ROWS), items=("",), item=np.zeros(6, np.int32))
    pairs = pair_outputs(votes)
    assert len(pairs.author) == 12
    assert sorted([*pairs.one.tolist(), *pairs.other.tolist()]) == list(range(12))
    assert pairs.notes == (FRESH,)

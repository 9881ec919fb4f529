"""Votes that are counted again know what the table knew, and refuse what it refuses."""

import numpy as np
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.errors import UnknownColumn
from frames_of_engines import handle

BARE = {"left": ["a", "b"], "right": ["b", "c"], "outcome": ["left", "tie"]}
NAMED = {**BARE, "judge": ["j1", "j2"], "task": ["de", "fr"]}


@pytest.mark.parametrize("factor", ["judge", "item", "task", "ranking", "criterion"])
def test_what_the_table_does_not_tell_apart_its_votes_do_not_either(factor):
    data = handle(Comparisons, BARE, "pandas")
    with pytest.raises(UnknownColumn):
        data.tally([factor])
    with pytest.raises(UnknownColumn, match="they know left, right and outcome alone"):
        data.votes().tally([factor])


def test_the_refusal_lists_what_these_votes_have():
    votes = handle(Comparisons, NAMED, "pandas").votes()
    with pytest.raises(UnknownColumn, match=r"do not distinguish item: they know judge, task$"):
        votes.tally(["item"])


@pytest.mark.parametrize("factor", ["judge", "task"])
def test_what_the_table_tells_apart_its_votes_count_alike(factor):
    data = handle(Comparisons, NAMED, "pandas")
    table, votes = data.tally([factor]), data.votes().tally([factor])
    assert votes.factor(factor).labels == table.factor(factor).labels
    np.testing.assert_array_equal(votes.factor(factor).loads, table.factor(factor).loads)
    assert votes.digest == table.digest

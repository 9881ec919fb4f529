"""Every model takes tables, votes and tallies by one door."""

import numpy as np
import pytest

from evenhand.data.controls import count_pairs
from evenhand.errors import InvalidJudgments
from evenhand.models.registry import MODELS
from tallies import table

ROWS = [
    ("en", "ann", "a", "b", "left"),
    ("en", "tom", "b", "a", "tie"),
    ("fr", "ann", "c", "a", "right"),
    ("fr", "tom", "b", "c", "left"),
]
DATA = table(ROWS, ("task", "judge", "left", "right", "outcome"))


def cells(tally):
    names = tally.systems
    sides = zip(tally.left, tally.right, strict=True)
    return [(names[i], names[j], *n) for (i, j), n in zip(sides, tally.counts, strict=True)]


@pytest.mark.parametrize("by", [(), ("judge",), ("judge", "task")])
def test_a_table_its_votes_and_its_tally_are_counted_alike(by):
    votes, tally = DATA.votes(), DATA.tally(by=by)
    one, two = count_pairs(DATA, by), count_pairs(votes, by)
    assert count_pairs(tally, by) is tally
    for name in by:
        assert one.factor(name).labels == two.factor(name).labels
        np.testing.assert_array_equal(one.pool(by).factor(name).codes, two.factor(name).codes)
    assert list(map(str, cells(one.pool(by)))) == list(map(str, cells(two)))
    assert one.digest == two.digest


@pytest.mark.parametrize("name", MODELS)
def test_every_model_refuses_what_holds_no_judgments_in_the_same_words(name):
    with pytest.raises(InvalidJudgments, match=r"a model of \w+ is fitted to .* not to NoneType"):
        MODELS[name].make().fit(None)

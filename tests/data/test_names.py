"""Wherever names are taken, one name by itself is that name, and not its letters."""

import pandas as pd
import pytest

import evenhand

ROWS = [("A", "B", "left"), ("B", "A", "left"), ("B", "C", "left"), ("C", "A", "tie")] * 6
VOTES = pd.DataFrame(ROWS, columns=["left", "right", "outcome"])
VOTES["judge"] = [f"j{row % 2}" for row in range(len(ROWS))]
VOTES["len"] = [row * 7 % 5 - 2 for row in range(len(ROWS))]
SCORES = pd.DataFrame(
    [
        (j, i, s, (ord(s) * i + k) % 4, "ab"[k % 2])
        for k, j in enumerate("jklm")
        for i in range(6)
        for s in "XYZ"
    ],
    columns=["judge", "item", "system", "score", "kind of judge"],
)
DATA, RATINGS = evenhand.read(VOTES), evenhand.read(SCORES)
TALLY = DATA.tally(by=["judge"])


CALLS = {
    "rank, controls": lambda one: evenhand.rank(DATA, controls=one("len")).signature,
    "tally, by": lambda one: sorted(DATA.tally(by=one("judge")).factors),
    "votes, by": lambda one: sorted(DATA.votes().tally(by=one("judge")).factors),
    "pool": lambda one: sorted(TALLY.pool(one("judge")).factors),
    "rows, factors": lambda one: sorted(RATINGS.rows(factors=one("kind of judge")).factors),
    "measure_agreement, by": lambda one: repr(
        evenhand.measure_agreement(RATINGS, by=one("system"))
    ),
    "tabulate_models": lambda one: [
        row.name for row in evenhand.tabulate_models(DATA, covariates=one("judge")).rows
    ],
    "features": lambda one: evenhand.OutputFeatures(labels=one("system")),
    "find_fragility, outcomes": lambda one: (
        evenhand.find_fragility(DATA, outcomes=one("reversed")).says
    ),
    "a board's systems": lambda one: evenhand.LiveLeaderboard().start(one("ABC")).systems,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_one_name_means_the_same_as_a_list_of_it(call):
    assert call(str) == call(lambda name: [name])


def test_one_pair_and_one_place_mean_the_same_as_lists_of_them():
    ranking = evenhand.rank(DATA)
    first, *_, last = ranking.systems
    pair = evenhand.find_fragility(DATA, pairs=(first, last)).says
    assert pair == evenhand.find_fragility(DATA, pairs=[(first, last)]).says
    with pytest.raises(evenhand.UnknownOption, match="two systems each"):
        evenhand.find_fragility(DATA, pairs=["one"])
    assert evenhand.find_fragility(DATA, after=1).says == (
        evenhand.find_fragility(DATA, after=[1]).says
    )
    alone = evenhand.check_borders(ranking, after=1)
    assert [one.after for one in alone.borders] == [1]

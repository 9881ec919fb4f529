"""Tallies of several days add up to the tally of all their judgments, and to nothing else."""

from dataclasses import replace

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.data import streams as module
from evenhand.data.rankings import Rankings
from evenhand.data.streams import add_tallies
from evenhand.data.tally import Tally
from evenhand.errors import InvalidJudgments, UnknownOption
from tallies import table, tally

COLUMNS = ("left", "right", "outcome", "judge", "item", "weight")
votes = st.lists(
    st.tuples(
        st.sampled_from("ABCDE"),
        st.sampled_from("ABCDE"),
        st.sampled_from(["left", "tie", "right"]),
        st.sampled_from(["ann", "bob", "cy", "di"]),
        st.sampled_from("123"),
        st.integers(0, 3),
    ).filter(lambda row: row[0] != row[1]),
    min_size=1,
    max_size=12,
)


def count(rows, **settings):
    limits = settings.pop("limits", None)
    return table(rows, COLUMNS, **settings).tally(by=("judge", "item"), limits=limits)


def assert_equal(one: Tally, two: Tally) -> None:
    assert one.systems == two.systems
    for name in ("left", "right", "wins", "ties", "losses"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    for name, factor in two.factors.items():
        own = one.factors[name]
        assert (own.labels, own.size, own.merged) == (factor.labels, factor.size, factor.merged)
        np.testing.assert_array_equal(own.codes, factor.codes)
        np.testing.assert_array_equal(own.loads, factor.loads)
        if factor.clusters is not None and own.clusters is not None:
            np.testing.assert_array_equal(own.clusters, factor.clusters)
    if two.squares is not None:
        np.testing.assert_allclose(one.squares, two.squares)
    assert (one.n_judgments, one.zero_weight) == (two.n_judgments, two.zero_weight)
    assert one.positions_known == two.positions_known


def weighed(rows):
    """Days on which something counts; a day of zero weights alone is no table."""
    return any(row[-1] for row in rows)


@settings(max_examples=25)
@given(st.lists(votes.filter(weighed), min_size=1, max_size=3), st.booleans())
def test_days_add_up_to_the_tally_of_all_their_judgments(days, importance):
    weights = "importance" if importance else "frequency"
    whole = count([row for day in days for row in day], weights=weights)
    assert_equal(add_tallies(count(day, weights=weights) for day in days), whole)


@settings(max_examples=10)
@given(st.lists(votes.filter(weighed), min_size=2, max_size=3))
def test_levels_are_merged_over_all_days_as_they_are_in_one_table(days):
    every = [row for day in days for row in day]
    found = add_tallies([count(day) for day in days], limits={"judge": 2})
    assert_equal(found, count(every, limits={"judge": 2}))
    if found.factors["judge"].merged:
        apart = table(every, COLUMNS).tally(by=("judge",))
        assert_equal(found.unmerged["judge"](), apart)


def test_tallies_that_are_summed_in_several_rounds_are_summed_once(monkeypatch):
    rng = np.random.Generator(np.random.PCG64(1))
    rows = [("AB"[i], "BA"[i], "left", f"j{j}", "1", 1) for i, j in rng.integers(0, 2, (40, 2))]
    monkeypatch.setattr(module, "PENDING", 3)
    days = [count(rows[at : at + 5]) for at in range(0, 40, 5)]
    assert_equal(add_tallies(days), count(rows))


ONE = tally(("a", "b", 1, 0, 2, "ann"))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (tally(("a", "b", 1, 0, 2)), "by judge and by nothing"),
        (tally(("a", "b", 1, 0, 2, "1"), factor="item"), "by judge and by item"),
        (replace(ONE, positions_known=False), "which output stood first"),
        (replace(ONE, squares=np.ones((1, 3))), "importance weights"),
        (
            replace(ONE, factors={"judge": replace(ONE.factors["judge"], merged=True)}),
            "levels of judge were merged",
        ),
    ],
)
def test_tallies_of_other_kinds_are_refused_in_words(other, said):
    with pytest.raises(UnknownOption, match=said):
        add_tallies([ONE, other])


def test_a_ranking_that_lies_in_two_tallies_is_refused():
    def day(names):
        frame = pl.DataFrame({"ranking": names, "system": list("abc"), "rank": [1, 2, 3]})
        return Rankings(nw.from_native(frame)).comparisons().tally(by=("ranking",))

    assert add_tallies([day(["1"] * 3), day(["2"] * 3)]).n_judgments == 2
    with pytest.raises(InvalidJudgments, match="ranking '1' stands in two"):
        add_tallies([day(["1"] * 3), day(["1"] * 3)])


def test_what_cannot_be_added_is_refused():
    day, huge = tally(("a", "b", 2, 0, 1)), tally(("a", "b", 2**52 + 1, 0, 2**51))
    with pytest.raises(UnknownOption, match="no tally"):
        add_tallies([])
    with pytest.raises(UnknownOption, match="given twice"):
        add_tallies([day, day])
    with pytest.raises(InvalidJudgments, match="counted exactly"):
        add_tallies([huge, replace(huge)])

"""A sort with people as the comparator: every order comes out, at the known cost."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.design.sorting import Sorting, count_most, count_weak_orders
from evenhand.errors import InvalidJudgments, NotIdentified

A001768 = (0, 1, 3, 5, 7, 10, 13, 16, 19, 22, 26, 30)
"""Merge insertion's worst case for n = 1, 2, ...: OEIS A001768."""

A000670 = (1, 1, 3, 13, 75, 541)
"""Orders of n = 0, 1, ... outputs that may tie, the ordered Bell numbers: OEIS A000670."""


# The two functions have closed forms that an encyclopedia lists: they are tested by themselves.
def test_costs_are_those_of_the_encyclopedia_of_sequences():
    assert tuple(count_most(n) for n in range(1, 13)) == A001768
    assert tuple(count_weak_orders(n) for n in range(6)) == A000670


def answer_all(sort, quality):
    """Answer every question truthfully, one at a time."""
    while not sort.done:
        shown = sort.questions[0]
        levels = sorted({quality[name] for name in shown}, reverse=True)
        sort = sort.answer(shown, [1 + levels.index(quality[name]) for name in shown])
    return sort


def order_of(quality):
    levels = sorted(set(quality.values()), reverse=True)
    return [{name for name, value in quality.items() if value == level} for level in levels]


@given(st.lists(st.integers(0, 6), min_size=1, max_size=9), st.integers(2, 4))
def test_true_answers_give_the_true_order_whatever_is_shown(values, shown):
    quality = {f"s{i}": value for i, value in enumerate(values)}
    sort = answer_all(Sorting(tuple(quality), shown=shown), quality)
    assert [set(group) for group in sort.order] == order_of(quality)
    assert shown > 2 or sort.counts.asked <= sort.counts.most == A001768[len(values) - 1]


@settings(max_examples=25)
@given(st.permutations(range(8)))
def test_what_is_known_on_the_way_is_true_and_grows(values):
    quality = {f"s{i}": -value for i, value in enumerate(values)}
    sort, known = Sorting(tuple(quality)), 0
    while not sort.done:
        one, other = sort.questions[-1]
        assert sort.partial.says(one, other) == "unknown"
        sort = sort.answer((one, other), (1, 2) if quality[one] > quality[other] else (2, 1))
        for a, b in permutations(quality, 2):
            says = sort.partial.says(a, b)
            assert says in ("unknown", "better" if quality[a] > quality[b] else "worse")
        known, before = sort.partial.known, known
        assert known > before
    assert known == sort.counts.pairs == 28


def test_pairs_of_one_step_may_be_asked_at_once_and_answered_in_any_order():
    sort = Sorting(("a", "b", "c", "d"))
    assert sort.questions == (("a", "b"), ("c", "d"))
    one = sort.answer(("a", "b"), (1, 2)).answer(("c", "d"), (1, 2))
    other = sort.answer(("d", "c"), (2, 1)).answer(("a", "b"), (1, 2))
    assert one.questions == other.questions == (("a", "c"),)


def test_counts_are_told_beside_all_pairs_and_what_no_sort_goes_below():
    """12! needs 29 of two answers (Knuth, volume 3, 5.3.1), 28091567595 weak orders 22 of three."""
    quality = {f"s{i:02d}": i * 5 % 12 for i in range(12)}
    counts = answer_all(Sorting(tuple(quality)), quality).counts
    assert counts.asked == counts.answers
    assert counts.asked <= counts.most == 30
    assert (counts.pairs, counts.bound, counts.bound_ties) == (66, 29, 22)


def test_several_judges_vote_until_the_votes_to_come_change_nothing():
    sort = Sorting(("a", "b"), votes=3)
    for judge, places in (("ann", (1, 2)), ("bob", (2, 1))):
        sort = sort.answer(("a", "b"), places, judge)
        assert sort.missing(("b", "a")) == {"ann": 2, "bob": 1}[judge]
    assert sort.answer(("a", "b"), (1, 2), "cay").order == (("a",), ("b",))
    assert sort.answer(("a", "b"), (1, 1), "cay").order == (("a", "b"),)
    sort = Sorting(("a", "b"), votes=3).answer(("a", "b"), (1, 2)).answer(("a", "b"), (1, 2))
    assert sort.done
    with pytest.raises(InvalidJudgments, match="comes too late"):
        sort.answer(("a", "b"), (2, 1))
    with pytest.raises(NotIdentified, match="the sort is not done; ask for a or b"):
        _ = Sorting(("a", "b")).order
    sort = Sorting(("a", "b"), votes=3).answer(("a", "b"), (1, 2), "ann")
    with pytest.raises(InvalidJudgments, match="ann has already answered"):
        sort.answer(("b", "a"), (1, 2), "ann")


@pytest.mark.parametrize(
    ("shown", "places", "words"),
    [
        (("a", "x"), (1, 2), "'x' is not among the systems"),
        (("a", "c"), (1, 2), "nobody asked. What may be answered now is a or b, c or d"),
        (("a", "b"), (1,), "2 outputs were shown and 1 places"),
        (("a", "b"), (0, 1), "0 is no place"),
    ],
)
def test_an_answer_that_nobody_asked_for_is_refused(shown, places, words):
    with pytest.raises(InvalidJudgments, match=words):
        Sorting(("a", "b", "c", "d")).answer(shown, places)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("places", [1.7, 2]), ("places", ["1", "2"]), ("places", "12"), ("places", [True, 2]),
        ("places", [None, 1]), ("places", [float("inf"), 1]), ("places", [float("nan"), 1]),
        ("shown", ["a", "d"]), ("shown", [["a"], "b"]), ("shown", {"a": 1}),
        ("judge", None), ("judge", 5), ("judge", ["ann"]),
    ],
)  # fmt: skip
def test_answers_of_another_kind_are_refused(key, value):
    told = {"shown": ("a", "b"), "places": (1, 2), "judge": "ann", key: value}
    with pytest.raises(InvalidJudgments):
        Sorting(("a", "b", "c", "d"), votes=3).answer(**told)

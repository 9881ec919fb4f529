"""What a refusal says: who, how many comparisons, and what to do about it."""

from itertools import pairwise

from evenhand.models.existence import check_existence
from named_cells import cells, refusal


def test_a_system_that_always_loses_is_refused_by_name():
    table = cells(("A", "B", 3, 1, 2), ("A", "C", 4, 0, 0), ("C", "B", 0, 0, 1))
    assert '"C" was never preferred to anything (0 of 5)' in refusal(table)


def test_systems_that_always_win_and_always_lose_are_both_named():
    message = refusal(cells(("A", "B", 3, 0, 0), ("B", "C", 2, 1, 2), ("C", "D", 5, 0, 0)))
    assert 'nobody preferred anything to "A" (0 of 3)' in message
    assert 'and "D" was never preferred to anything (0 of 5)' in message
    assert "leave them out" in message


def test_two_camps_without_a_way_back_are_refused_with_the_missing_direction():
    table = cells(
        ("A", "B", 3, 1, 2), ("C", "D", 2, 0, 2), ("A", "C", 9, 0, 0), ("B", "D", 5, 0, 0)
    )
    assert (
        "no chain of preferences leads from C, D to A, B (0 of 14 comparisons between them)"
        in refusal(table)
    )


def test_three_groups_never_compared_are_counted_and_named():
    table = cells(("A", "B", 1, 0, 1), ("C", "D", 1, 0, 1), ("E", "F", 1, 0, 1))
    assert "3 groups of systems were never compared with each other: A, B | C, D | E, F" in refusal(
        table
    )


def test_discarded_ties_that_alone_join_systems_are_named_and_the_remedy_is_to_keep_them():
    table = cells(("A", "B", 3, 0, 2), ("C", "D", 1, 0, 2), ("A", "C", 0, 5, 0))
    message = refusal(table, "discard")
    assert "A, B were only ever tied with C, D" in message
    assert "keep the ties (--ties half-win)" in message
    assert check_existence(table, ties="half-win")


def test_no_comparisons_at_all_are_refused():
    assert "there is no comparison among 2 systems" in refusal(cells(("A", "B", 0, 0, 0)))
    assert "there is no comparison among 0 systems" in refusal(cells())


def test_long_lists_of_names_are_cut():
    names = [f"system{i:02}" for i in range(30)]
    rows = [(a, b, 1, 0, 1) for a, b in pairwise(names) if b != "system15"]
    message = refusal(cells(*rows))
    assert "system00, system01, system02, system03 and 11 more were never compared" in message
    assert len(message) < 300

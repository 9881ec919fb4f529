"""When an estimate exists and when not, rule by rule; E14 has the rules on random tables."""

from itertools import pairwise

import numpy as np
import pytest

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.models.existence import Verdict, check_existence
from named_cells import cells, refusal

EVERY = ("davidson", "rao-kupper", "none", "half-win", "discard")


# golden 14_edge_cases: closed forms and Ford (1957), as stated there; counts are (+, 0, −)


def test_nine_wins_and_three_ties_without_a_loss_have_no_maximum_while_ties_are_free():
    """Entry single_no_minus: the MLE of o1 is +infinity, g1 is not finite either."""
    table = cells(("A", "B", 9, 3, 0))
    for ties in ("davidson", "rao-kupper"):
        message = refusal(table, ties)
        assert "every preference goes one way down A > B" in message
        assert "--ties half-win" in message
    assert 'nobody preferred anything to "A" (0 of 9)' in refusal(table, "discard")
    for ties in ("none", "half-win"):
        assert check_existence(table, ties=ties) == Verdict(ties_estimated=False)


def test_a_pair_without_ties_is_fitted_without_the_tie_parameter_and_says_so():
    """Entry single_no_ties: o1 exists, g1 = −infinity is reported as not estimable."""
    table = cells(("A", "B", 9, 0, 4))
    verdict = check_existence(table)
    assert not verdict.ties_estimated
    assert "No ties observed: γ = −∞" in verdict.notes[0]
    assert "τ = 0" in check_existence(table, ties="rao-kupper").notes[0]
    for ties in ("none", "half-win", "discard"):
        assert check_existence(table, ties=ties).notes == ()


@pytest.mark.parametrize("ties", EVERY)
def test_two_groups_never_compared_are_refused_by_name(ties):
    """Entry disconnected: two components {A,B}, {C,D}."""
    message = refusal(cells(("A", "B", 5, 1, 3), ("C", "D", 4, 0, 6)), ties)
    assert message == (
        "worths are not identified: A, B were never compared with C, D; collect comparisons to join"
        " them, rank them apart, or pass --prior 1"
    )


@pytest.mark.parametrize("ties", EVERY)
def test_a_system_that_always_wins_is_refused_by_name(ties):
    """Entry one_system_always_wins: no win leads from {B,C} to A."""
    table = cells(("A", "B", 7, 0, 0), ("A", "C", 6, 0, 0), ("B", "C", 3, 1, 4))
    assert 'nobody preferred anything to "A" (0 of 13)' in refusal(table, ties)


# the rules one by one


def test_one_pair_with_all_three_outcomes_has_an_estimate_under_every_treatment():
    for ties in EVERY:
        free = ties in {"davidson", "rao-kupper"}
        assert check_existence(cells(("A", "B", 61, 24, 35)), ties=ties) == Verdict(free)


def test_ties_between_neighbours_of_a_chain_do_not_bound_the_tie_parameter():
    chain = cells(("A", "B", 4, 2, 0), ("B", "C", 3, 1, 0))
    assert "one way down A > B > C" in refusal(chain)
    assert check_existence(chain, ties="half-win") == Verdict(ties_estimated=False)


def test_a_tie_across_the_chain_bounds_the_tie_parameter():
    """A > B > C asks for a distance of two, the tie of A and C for at most one: 2 wins, 1 tie."""
    assert check_existence(cells(("A", "B", 4, 2, 0), ("B", "C", 3, 1, 0), ("A", "C", 0, 1, 0)))


def test_preferences_both_ways_in_rows_of_their_own_count_as_one_pair():
    assert check_existence(cells(("A", "B", 2, 0, 0), ("B", "A", 1, 0, 0), ("A", "B", 0, 1, 0)))


def test_nothing_but_ties_is_refused_where_ties_have_a_parameter_or_are_discarded():
    table = cells(("A", "B", 0, 4, 0), ("B", "C", 0, 8, 0))
    assert "every comparison is a tie (12)" in refusal(table)
    assert "every comparison is a tie (12)" in refusal(table, "discard")
    assert check_existence(table, ties="none")


def test_a_system_without_a_comparison_is_refused_by_name():
    table = cells(("A", "B", 3, 1, 2), also="E")
    assert '"E" was never compared with any other system' in refusal(table)


def test_rows_without_a_judgment_do_not_compare():
    table = cells(("A", "B", 3, 1, 2), ("B", "C", 0, 0, 0))
    assert '"C" was never compared' in refusal(table)
    assert check_existence(cells(("A", "B", 3, 1, 2), ("A", "B", 0, 0, 0))).ties_estimated


def test_an_unknown_treatment_of_ties_is_refused_with_a_suggestion():
    with pytest.raises(UnknownOption, match="Did you mean 'davidson'"):
        check_existence(cells(("A", "B", 1, 1, 1)), ties="davison")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("A", "B", -1, 0, 1), "wins must be counts"),
        (("A", "B", 1, np.nan, 1), "ties must be counts"),
        (("A", "B", 1, 0, np.inf), "losses must be counts"),
        (("A", "A", 1, 0, 1), '"A" is compared with itself'),
    ],
)
def test_impossible_cells_are_refused(row, words):
    with pytest.raises(InvalidJudgments, match=words):
        check_existence(cells(row))


# order effects


def test_an_order_that_never_varies_cannot_be_told_from_the_worths():
    message = refusal(cells(("A", "B", 5, 0, 4), ("A", "C", 3, 0, 4)), order_effect=True)
    assert "systems are always shown in the order A, then B, C" in message
    assert "leave out --order-effect" in message


def test_only_rows_that_the_model_keeps_vary_the_order():
    table = cells(("A", "B", 3, 0, 2), ("B", "A", 0, 2, 0))
    assert "in the order A, then B" in refusal(table, "discard", order_effect=True)
    assert check_existence(table, ties="half-win", order_effect=True)
    one_way = cells(("A", "B", 3, 0, 0), ("B", "A", 0, 2, 0))
    assert "being shown first" in refusal(one_way, "half-win", order_effect=True)


def test_three_pairs_in_one_order_do_identify_the_order_effect_if_judges_disagree():
    """A first of B, B first of C, A first of C: places 1, 2 and 3 would put C two after A."""
    table = cells(("A", "B", 5, 0, 4), ("B", "C", 3, 0, 4), ("A", "C", 2, 0, 2))
    assert check_existence(table, order_effect=True)


@pytest.mark.parametrize(("wins", "losses", "position"), [(3, 0, "first"), (0, 3, "second")])
def test_an_order_effect_that_explains_everything_has_no_finite_estimate(wins, losses, position):
    table = cells(("A", "B", wins, 0, losses), ("B", "A", wins, 0, losses))
    message = refusal(table, "discard", order_effect=True)
    assert f"an endless advantage of being shown {position}" in message
    assert check_existence(table, ties="discard")


def test_one_preference_against_each_position_bounds_the_order_effect():
    table = cells(("A", "B", 3, 0, 1), ("B", "A", 3, 0, 0))
    assert "shown first" in refusal(table, order_effect=True)
    assert check_existence(cells(("A", "B", 3, 0, 1), ("B", "A", 3, 0, 1)), order_effect=True)


def test_ties_and_order_effect_can_run_away_together_when_neither_does_alone():
    """With e the advantage of the first and x = x_A − x_B, in units of g: the preferences ask for
    x + e ≥ 1 (A first) and x − e ≤ −1 (B first), the ties for |x + e| ≤ 1 and |x − e| ≤ 1: x = 0,
    e = 1. Alone, e = 0 contradicts the preferences, and g = 0 the ties."""
    table = cells(("A", "B", 2, 1, 0), ("B", "A", 2, 1, 0))
    assert check_existence(table).ties_estimated
    assert check_existence(table, ties="half-win", order_effect=True)
    message = refusal(table, order_effect=True)
    assert "the tie parameter and the order effect have no finite estimates together" in message


# What a refusal says: who, how many comparisons, and what to do about it.


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

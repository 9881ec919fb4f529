"""When an estimate exists, and what is said when it does not; E14 has the rules on random tables."""

from itertools import combinations, permutations

import numpy as np
import pytest

from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.numerics.recession import find_recession
from evenhand.preference.board import make_board
from evenhand.preference.cells import Cells
from evenhand.preference.existence import Verdict, check_existence

EVERY = ("davidson", "rao-kupper", "none", "half-win", "discard")


def cells(*rows: tuple[str, str, float, float, float], also: str = "") -> Cells:
    """Cells of (left, right, wins, ties, losses); `also` are systems without a row."""
    systems = tuple(sorted({*also, *(name for row in rows for name in row[:2])}))
    code = {name: np.int32(i) for i, name in enumerate(systems)}
    sides = (np.array([code[row[side]] for row in rows], dtype=np.int32) for side in (0, 1))
    counts = np.array([row[2:] for row in rows], dtype=float).reshape(-1, 3)
    return Cells(systems, *sides, *counts.T)


def refusal(table: Cells, ties: str = "davidson", *, order_effect: bool = False) -> str:
    with pytest.raises(NotIdentified) as caught:
        check_existence(table, ties=ties, order_effect=order_effect)
    message = str(caught.value)
    assert "\n" not in message
    return message


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
    assert "no ties observed: γ = −∞" in verdict.notes[0]
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


def test_a_system_without_a_comparison_is_refused_by_name():
    table = cells(("A", "B", 3, 1, 2), also="E")
    assert '"E" was never compared with any other system' in refusal(table)


def test_rows_without_a_judgment_do_not_compare():
    table = cells(("A", "B", 3, 1, 2), ("B", "C", 0, 0, 0))
    assert '"C" was never compared' in refusal(table)
    assert check_existence(cells(("A", "B", 3, 1, 2), ("A", "B", 0, 0, 0))).ties_estimated


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
    rows = [(a, b, 1, 0, 1) for a, b in zip(names, names[1:], strict=False) if b != "system15"]
    message = refusal(cells(*rows))
    assert "system00, system01, system02, system03 and 11 more were never compared" in message
    assert len(message) < 300


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
        cells(row)


# order effects


def test_an_order_that_never_varies_cannot_be_told_from_the_worths():
    message = refusal(cells(("A", "B", 5, 0, 4), ("A", "C", 3, 0, 4)), order_effect=True)
    assert "systems are always shown in the order A, then B, C" in message
    assert "leave out --order-effect" in message


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


# judge groups


def with_groups(*groups: Cells, names: tuple[str, ...]) -> Cells:
    """One table of several, which name their systems alike."""
    codes = np.repeat(np.arange(len(groups)), [len(one.left) for one in groups])
    columns = ("left", "right", "wins", "ties", "losses")
    joined = (np.concatenate([getattr(one, column) for one in groups]) for column in columns)
    return Cells(groups[0].systems, *joined, codes, names)


def random_groups(seed: int, *, ordered: bool) -> Cells:
    rng = np.random.Generator(np.random.PCG64(seed))
    k = int(rng.integers(2, 5))
    pairs = list(permutations(range(k), 2) if ordered else combinations(range(k), 2))
    rows = np.array([(*pair, group) for group in range(2) for pair in pairs])
    rows = rows[rng.random(len(rows)) < 0.9]
    counts = rng.poisson(rng.choice((0.6, 1.0, 1.5)), (len(rows), 3)).astype(float)
    return Cells(tuple("ABCD"[:k]), rows[:, 0], rows[:, 1], *counts.T, rows[:, 2], ("g0", "g1"))


def programme_says(table: Cells, *, order_effect: bool) -> bool:
    """Davidson's model with worths of their own in each group on the systems that it saw."""
    k, live = len(table.systems), table.wins + table.ties + table.losses > 0
    columns = [table.group * k + side for side in (table.left, table.right)]
    used = np.unique(np.concatenate([column[live] for column in columns]))
    d = np.zeros((len(live), 2 * k + 2))
    for column, sign in zip(columns, (1, -1), strict=True):
        d[np.arange(len(live)), column] = sign
    d[:, -1] = order_effect
    g = np.zeros_like(d)
    g[:, -2] = table.ties.any()
    two = [2 * d[table.wins > 0], -2 * d[table.losses > 0]]
    ties = [(d - g)[table.wins > 0], (-d - g)[table.losses > 0]]
    ties += [(g - d)[table.ties > 0], (g + d)[table.ties > 0]]
    references = [max(used[used // k == group], default=-1) for group in range(2)]
    free = [*np.setdiff1d(used, references), *[2 * k] * bool(table.ties.any())]
    rows = np.vstack(two + ties if table.ties.any() else two)
    seen_by_some_group = np.unique(used % k).size == k
    return (
        seen_by_some_group
        and find_recession(rows[:, [*free, *[2 * k + 1] * order_effect]].astype(float)).exists
    )


@pytest.mark.parametrize("order_effect", [False, True])
def test_groups_with_worths_of_their_own_follow_the_linear_programme(order_effect):
    verdicts = {True: 0, False: 0}
    for seed in range(300):
        table = random_groups(seed, ordered=order_effect)
        exists = programme_says(table, order_effect=order_effect)
        verdicts[exists] += 1
        if exists:
            check_existence(table, order_effect=order_effect)
        else:
            refusal(table, order_effect=order_effect)
    assert min(verdicts.values()) >= 50


SOUND = cells(("A", "B", 3, 1, 2), ("B", "C", 2, 1, 2))


def test_a_group_that_is_not_connected_is_named_with_its_systems():
    apart = cells(("A", "B", 3, 1, 2), also="C")
    lopsided = cells(("A", "B", 3, 1, 2), ("A", "C", 2, 0, 0))
    names = ("experts", "students")
    assert check_existence(with_groups(SOUND, apart, names=names))  # students saw no C
    message = refusal(with_groups(SOUND, lopsided, names=names))
    assert message.startswith('worths are not identified in group "students": ')
    assert '"C" was never preferred to anything (0 of 2)' in message
    assert "merge groups" in message


def test_a_system_that_no_group_saw_is_refused():
    apart = cells(("A", "B", 3, 1, 2), also="C")
    assert '"C" was never compared' in refusal(with_groups(apart, apart, names=("g0", "g1")))


def test_one_group_that_contradicts_itself_bounds_the_common_tie_parameter():
    chain = cells(("A", "B", 4, 2, 0), ("B", "C", 3, 1, 0))
    names = ("experts", "students")
    assert check_existence(with_groups(SOUND, chain, names=names)).ties_estimated
    assert "inside every group" in refusal(with_groups(chain, chain, names=names))


def test_walks_may_not_change_groups():
    """A beats B for one group, B beats A for the other: no contradiction, two groups."""
    down, up = cells(("A", "B", 2, 1, 0)), cells(("A", "B", 0, 1, 2))
    assert "inside every group" in refusal(with_groups(down, up, names=("g0", "g1")))
    assert check_existence(cells(("A", "B", 2, 1, 0), ("B", "A", 2, 1, 0)))


# large boards are settled by a sample of their rows where it suffices


def spread(table: Cells, seed: int) -> Cells:
    """The same judgments many times over, in many rows of one outcome each, in any order."""
    row, copy = np.divmod(
        np.random.Generator(np.random.PCG64(seed)).permutation(201 * len(table.left)), 201
    )
    counts = (
        np.where(copy % 3 == outcome, count[row], 0)
        for outcome, count in enumerate((table.wins, table.ties, table.losses))
    )
    codes = (table.left[row], table.right[row])
    return Cells(table.systems, *codes, *counts, table.group[row], table.groups)


@pytest.mark.parametrize("ties", EVERY)
@pytest.mark.parametrize("order_effect", [False, True])
def test_many_rows_of_one_pair_give_the_verdict_of_their_sum(ties, order_effect):
    exist = 0
    for seed in range(60):
        table = random_groups(seed, ordered=order_effect)
        large = spread(table, seed)
        board = make_board(large)
        assert board.left.size == 0 or board.sampled().left.size < board.left.size
        try:
            verdict = check_existence(table, ties=ties, order_effect=order_effect)
        except NotIdentified:
            refusal(large, ties, order_effect=order_effect)
        else:
            assert check_existence(large, ties=ties, order_effect=order_effect) == verdict
            exist += 1
    assert 5 < exist < 55

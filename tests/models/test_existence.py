"""When an estimate exists and when not, rule by rule; E14 has the rules on random tables.

Entries of golden 14_edge_cases are named (closed forms and Ford 1957); counts are (+, 0, −).
"""

from itertools import pairwise

import numpy as np
import pytest

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.models.existence import check_existence
from named_cells import cells, refusal

EVERY = ("davidson", "rao-kupper", "none", "half-win", "discard")
FREE = ("davidson", "rao-kupper")
CHAIN = [("A", "B", 4, 2, 0), ("B", "C", 3, 1, 0)]
ONE_ORDER = [("A", "B", 5, 0, 4), ("A", "C", 3, 0, 4)]
LONG = [f"system{i:02}" for i in range(30)]
REFUSED = {
    # golden 14, single_no_minus: the MLE of o1 is +infinity, g1 is not finite either
    "no loss": ([("A", "B", 9, 3, 0)], FREE, False, "every preference goes one way down A > B"),
    "no loss, a remedy": ([("A", "B", 9, 3, 0)], FREE, False, "--ties half-win"),
    "no loss, no ties": (
        [("A", "B", 9, 3, 0)],
        ["discard"],
        False,
        'nobody preferred anything to "A" (0 of 9)',
    ),
    # golden 14, disconnected: two components {A,B}, {C,D}
    "disconnected": (
        [("A", "B", 5, 1, 3), ("C", "D", 4, 0, 6)],
        EVERY,
        False,
        "worths are not identified: A, B were never compared with C, D; collect comparisons to join"
        " them, rank them apart, or pass --prior 1",
    ),
    # golden 14, one_system_always_wins: no win leads from {B,C} to A
    "always wins": (
        [("A", "B", 7, 0, 0), ("A", "C", 6, 0, 0), ("B", "C", 3, 1, 4)],
        EVERY,
        False,
        'nobody preferred anything to "A" (0 of 13)',
    ),
    "always loses": (
        [("A", "B", 3, 1, 2), ("A", "C", 4, 0, 0), ("C", "B", 0, 0, 1)],
        FREE,
        False,
        '"C" was never preferred to anything (0 of 5)',
    ),
    "both": (
        [("A", "B", 3, 0, 0), ("B", "C", 2, 1, 2), ("C", "D", 5, 0, 0)],
        FREE,
        False,
        'to "A" (0 of 3) and "D" was never preferred to anything (0 of 5)',
    ),
    "two camps": (
        [("A", "B", 3, 1, 2), ("C", "D", 2, 0, 2), ("A", "C", 9, 0, 0), ("B", "D", 5, 0, 0)],
        FREE,
        False,
        "no chain of preferences leads from C, D to A, B (0 of 14 comparisons between them)",
    ),
    "three groups": (
        [("A", "B", 1, 0, 1), ("C", "D", 1, 0, 1), ("E", "F", 1, 0, 1)],
        FREE,
        False,
        "3 groups of systems were never compared with each other: A, B | C, D | E, F",
    ),
    "joined by ties": (
        [("A", "B", 3, 0, 2), ("C", "D", 1, 0, 2), ("A", "C", 0, 5, 0)],
        ["discard"],
        False,
        "A, B were only ever tied with C, D",
    ),
    "neighbours of a chain": (CHAIN, FREE, False, "one way down A > B > C"),
    "ties alone": (
        [("A", "B", 0, 4, 0), ("B", "C", 0, 8, 0)],
        ["davidson", "discard"],
        False,
        "every comparison is a tie (12)",
    ),
    "no judgment": ([("A", "B", 3, 1, 2), ("B", "C", 0, 0, 0)], FREE, False, '"C" was never comp'),
    "nothing": ([("A", "B", 0, 0, 0)], FREE, False, "there is no comparison among 2 systems"),
    "nobody": ([], FREE, False, "there is no comparison among 0 systems"),
    "long lists": (
        [(a, b, 1, 0, 1) for a, b in pairwise(LONG) if b != "system15"],
        FREE,
        False,
        "system00, system01, system02, system03 and 11 more were never compared",
    ),
    "one order": (ONE_ORDER, FREE, True, "always shown in the order A, then B, C"),
    "one order, a remedy": (ONE_ORDER, FREE, True, "leave out --order-effect"),
    "one order, ties apart": (
        [("A", "B", 3, 0, 2), ("B", "A", 0, 2, 0)],
        ["discard"],
        True,
        "in the order A, then B",
    ),
    "half-wins one way": (
        [("A", "B", 3, 0, 0), ("B", "A", 0, 2, 0)],
        ["half-win"],
        True,
        "being shown first",
    ),
    "first explains all": (
        [("A", "B", 3, 0, 0), ("B", "A", 3, 0, 0)],
        ["discard"],
        True,
        "an endless advantage of being shown first",
    ),
    "second explains all": (
        [("A", "B", 0, 0, 3), ("B", "A", 0, 0, 3)],
        ["discard"],
        True,
        "an endless advantage of being shown second",
    ),
    "one against first": (
        [("A", "B", 3, 0, 1), ("B", "A", 3, 0, 0)],
        FREE[:1],
        True,
        "shown first",
    ),
    # with e the advantage of the first and x = x_A − x_B, in units of g, the preferences ask for
    # x + e ≥ 1 and x − e ≤ −1, the ties for |x + e| ≤ 1 and |x − e| ≤ 1: x = 0, e = 1
    "ties and order together": (
        [("A", "B", 2, 1, 0), ("B", "A", 2, 1, 0)],
        FREE,
        True,
        "the tie parameter and the order effect have no finite estimates together",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_estimate_is_refused_by_name(case):
    rows, treatments, order, words = REFUSED[case]
    for ties in treatments:
        message = refusal(cells(*rows), ties, order_effect=order)
        assert words in message
        assert len(message) < 400


EXISTS = {
    "no loss": ([("A", "B", 9, 3, 0)], ("none", "half-win"), False),
    "all three outcomes": ([("A", "B", 61, 24, 35)], EVERY, False),
    "a chain": (CHAIN, ["half-win"], False),
    # A > B > C asks for a distance of two, the tie of A and C for at most one
    "a tie across the chain": ([*CHAIN, ("A", "C", 0, 1, 0)], FREE[:1], False),
    "rows apart": ([("A", "B", 2, 0, 0), ("B", "A", 1, 0, 0), ("A", "B", 0, 1, 0)], FREE, False),
    "ties alone": ([("A", "B", 0, 4, 0), ("B", "C", 0, 8, 0)], ["none"], False),
    "an empty row": ([("A", "B", 3, 1, 2), ("A", "B", 0, 0, 0)], FREE, False),
    "joined by ties": (
        [("A", "B", 3, 0, 2), ("C", "D", 1, 0, 2), ("A", "C", 0, 5, 0)],
        ["half-win"],
        False,
    ),
    "two orders": ([("A", "B", 3, 0, 2), ("B", "A", 0, 2, 0)], ["half-win"], True),
    # places 1, 2 and 3 would put C two after A
    "three in one order": ([*ONE_ORDER, ("B", "C", 2, 0, 2)], FREE[:1], True),
    "one each way": ([("A", "B", 3, 0, 1), ("B", "A", 3, 0, 1)], FREE[:1], True),
    "without order": ([("A", "B", 2, 1, 0), ("B", "A", 2, 1, 0)], FREE, False),
    "without a tie parameter": ([("A", "B", 2, 1, 0), ("B", "A", 2, 1, 0)], ["half-win"], True),
}


@pytest.mark.parametrize("case", EXISTS)
def test_what_has_an_estimate_is_let_through(case):
    rows, treatments, order = EXISTS[case]
    tied = any(row[3] for row in rows)
    for ties in treatments:
        found = check_existence(cells(*rows), ties=ties, order_effect=order)
        assert found.ties_estimated == (ties in FREE and tied)


def test_a_system_without_a_comparison_is_refused_by_name():
    table = cells(("A", "B", 3, 1, 2), also="E")
    assert '"E" was never compared with any other system' in refusal(table)


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
    with pytest.raises(UnknownOption, match="Did you mean 'davidson'"):
        check_existence(cells(("A", "B", 1, 1, 1)), ties="davison")

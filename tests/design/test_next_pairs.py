"""How the next pairs are shown."""

import numpy as np

from evenhand import choose_pairs
from evenhand.data.tally import Tally


def test_they_are_printed_as_a_table_with_reasons_and_signature():
    found = choose_pairs(None, n=2, systems=["a", "b", "c", "d"])
    head, *rows = repr(found).split("\n")
    assert head.split() == ["left", "right", "kind", "reason"]
    assert [row.split()[:2] for row in rows[:2]] == [["a", "b"], ["d", "c"]]
    assert "the start-up phase comes first: 4 of 4 systems have fewer than 5 judgments" in rows
    assert rows[-1] == found.signature


def test_little_doubt_is_said_to_take_judgments_for_independent():
    """A beats B and B beats C in 90 of 100: nothing about these orders is in doubt by itself."""
    won, lost, ties = np.array([90.0, 90.0, 95.0]), np.array([10.0, 10.0, 5.0]), np.zeros(3)
    left, right = np.array([[0, 1, 0], [1, 2, 2]], dtype=np.int32)
    found = choose_pairs(Tally(("A", "B", "C"), left, right, won, ties, lost, 300.0), n=2)
    assert any("little doubt" in one.reason for one in found.pairs)
    assert any("takes judgments for independent" in one for one in found.notes)
    few = np.full(1, 5.0)
    level = Tally(("A", "B"), left[:1], right[:1], few, ties[:1], few, 10.0)
    assert not any("independent" in one for one in choose_pairs(level, n=1).notes)

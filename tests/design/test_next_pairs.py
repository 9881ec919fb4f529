"""How the next pairs are shown."""

import numpy as np

from evenhand import choose_pairs
from evenhand.data.tally import Tally


def test_they_are_printed_as_a_table_with_reasons_and_signature():
    found = choose_pairs(None, n=2, systems=["a", "b", "c", "d"])
    text = repr(found)
    assert [line.split()[:3] for line in text.split("\n") if " every system gets " in line] == [
        ["1", "a", "b"],
        ["2", "d", "c"],
    ]
    assert "The start-up phase comes first: 4 of 4 systems with fewer than 5 judgments." in text
    assert " ".join(text.split()).endswith(found.signature)


def test_little_doubt_is_said_to_take_judgments_for_independent():
    """A beats B and B beats C in 90 of 100: nothing about these orders is in doubt by itself."""
    won, lost, ties = np.array([90.0, 90.0, 95.0]), np.array([10.0, 10.0, 5.0]), np.zeros(3)
    left, right = np.array([[0, 1, 0], [1, 2, 2]], dtype=np.int32)
    found = choose_pairs(Tally(("A", "B", "C"), left, right, won, ties, lost, 300.0), n=2)
    assert any("little doubt" in one.reason for one in found.pairs)
    assert any(one.code == "doubt-independent" for one in found.notes)
    few = np.full(1, 5.0)
    level = Tally(("A", "B"), left[:1], right[:1], few, ties[:1], few, 10.0)
    assert not any(one.code == "doubt-independent" for one in choose_pairs(level, n=1).notes)

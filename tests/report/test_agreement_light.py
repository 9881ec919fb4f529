"""Hardly any agreement is never green: Landis and Koch (1977) call κ up to 0.20 slight."""

from __future__ import annotations

import pytest

from evenhand.report.document import PASSED, UNDECIDED, WARNING
from evenhand.report.sections.judges import find_state, say_agreement


@pytest.mark.parametrize(
    ("ends", "state"),
    [
        ((0.43, 0.35, 0.51), PASSED),
        ((0.18, 0.02, 0.37), UNDECIDED),  # slight, and may be fair
        ((0.30, -0.02, 0.60), UNDECIDED),  # fair, and may be chance
        ((0.08, 0.05, 0.11), WARNING),  # beyond chance, and surely slight
        ((-0.05, -0.10, 0.01), WARNING),
    ],
)
def test_only_agreement_that_is_fair_and_surely_beyond_chance_passes(
    ends: tuple[float, float, float], state: str
) -> None:
    assert find_state(*ends) == state


def test_the_word_the_number_and_the_limit_are_said() -> None:
    said = say_agreement("α", 0.08, 0.05, 0.11)
    assert said.startswith("slight: α 0.08 (0.05 to 0.11) where 0 is chance and 1 perfect;")
    assert said.endswith("passes above 0.20 with an interval above 0")

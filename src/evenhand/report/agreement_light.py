"""From where on agreement passes: one limit for preferences and for scores."""

from __future__ import annotations

from typing import Final

from evenhand.agreement.words import name_kappa
from evenhand.report.document import FAILED, PASSED, UNDECIDED
from evenhand.report.numbers import write_value

ASKS: Final = "Do judges agree?"
LIMIT: Final = 0.2
"""Up to here Landis and Koch (1977) call agreement slight: convention, not inference."""
LITTLE: Final = (
    "Two judges agree little more than if they answered blindly: look at the question and the"
    " instructions before trusting any ranking, or let more judges see the same outputs."
)


def find_state(value: float, lower: float, upper: float) -> str:
    """Return whether agreement passes: it is more than slight, and surely more than chance.

    It fails where all of the interval is slight or less, and is undecided between the two.

    Args:
        value: of κ, α or the like: 0 is chance, 1 complete.
        lower: end of its interval.
        upper: the other end.

    >>> find_state(0.35, 0.2, 0.5), find_state(0.18, 0.02, 0.37), find_state(0.08, 0.05, 0.11)
    ('passed', 'cannot tell', 'failed')
    >>> find_state(0.3, -0.05, 0.6)
    'cannot tell'
    """
    if value > LIMIT and lower > 0:
        return PASSED
    return FAILED if upper <= LIMIT else UNDECIDED


def rank_state(state: str) -> int:
    """Return 0 for the worst state, so that the worst of several decides.

    >>> rank_state("failed"), rank_state("passed")
    (0, 2)
    """
    return (FAILED, UNDECIDED, PASSED).index(state)


def say_agreement(name: str, value: float, lower: float, upper: float) -> str:
    """Say how far judges agree, in words and numbers, and what would pass.

    >>> say_agreement("κ", 0.18, 0.02, 0.37)
    'slight: κ 0.18 (0.02 to 0.37) of 1, 0 being chance; passes above 0.20 and surely above 0'
    """
    number, low, high = (write_value(one, "two") for one in (value, lower, upper))
    limit = f"of 1, 0 being chance; passes above {write_value(LIMIT, 'two')} and surely above 0"
    return f"{name_kappa(value)}: {name} {number} ({low} to {high}) {limit}"

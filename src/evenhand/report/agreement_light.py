"""When agreement passes: preferences beside what worths expect, scores beside a convention."""

from __future__ import annotations

from typing import Final

from evenhand.judges.agreement_table import name_kappa
from evenhand.judges.expected_agreement import ExpectedAgreement
from evenhand.report.document import PASSED, UNDECIDED, WARNING
from evenhand.report.numbers import write_value

ASKS: Final = "Do judges agree?"
# Up to here Landis and Koch (1977) call agreement slight: convention, not inference
LIMIT: Final = 0.2
LITTLE: Final = (
    "Look at the question and the instructions, or let more judges see the same outputs."
)


def find_state(value: float, lower: float, upper: float) -> str:
    """Return whether agreement in scores passes: it is more than slight, and surely above chance.

    It warns where all of the interval is slight or less, and is undecided between the two.
    """
    if value > LIMIT and lower > 0:
        return PASSED
    return WARNING if upper <= LIMIT else UNDECIDED


def find_preference_state(lower: float, expected: ExpectedAgreement | None) -> str:
    """Return whether agreement in preferences passes: above chance, and no less than expected.

    Where the systems are close no high κ is possible, so that κ is held against the κ of judges who
    follow the fitted worths and against no convention. A shortfall is a warning; whether it changes
    the answer is for the caller to say.
    """
    if expected is not None and expected.short:
        return WARNING
    return PASSED if lower > 0 and expected is not None else UNDECIDED


def rank_state(state: str) -> int:
    """Return 0 for the worst state, so that the worst of several decides.

    >>> rank_state("warning"), rank_state("passed")
    (0, 2)
    """
    return (WARNING, UNDECIDED, PASSED).index(state)


def say_expected(value: float, ends: tuple[float, float], expected: ExpectedAgreement) -> str:
    """Say κ beside what the worths expect, and by how much it is less if it is."""
    number, low, high = (write_value(one, "two") for one in (value, *ends))
    aim = write_value(expected.expected_kappa, "two")
    said = f"κ {number} ({low} to {high}), expected {aim} for systems this close"
    if not expected.short or expected.upper is None or expected.lower is None:
        return said
    apart, least, most = (
        write_value(-one, "two") for one in (expected.difference, expected.upper, expected.lower)
    )
    return f"{said}: {apart} less ({least} to {most})"


def say_agreement(name: str, value: float, lower: float, upper: float) -> str:
    """Say how far judges agree, in words and numbers, and what would pass.

    >>> say_agreement("κ", 0.18, 0.02, 0.37)
    'slight: κ 0.18 (0.02 to 0.37) of 1, 0 being chance; passes above 0.20 and surely above 0'
    """
    number, low, high = (write_value(one, "two") for one in (value, lower, upper))
    limit = f"of 1, 0 being chance; passes above {write_value(LIMIT, 'two')} and surely above 0"
    return f"{name_kappa(value)}: {name} {number} ({low} to {high}) {limit}"

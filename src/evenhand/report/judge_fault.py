"""Judges of whom nothing can be said, and the section that says why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.report.document import NOT_RUN, Check, Section

ASKS: Final = "Can the judges be trusted?"
NAMELESS: Final = ("",)  # Names of judges or items where the data do not say them


def find_fault(judges: Sequence[str]) -> tuple[str, str]:
    """Return why judges cannot be looked at and what to do; two empty texts where they can."""
    if tuple(judges) == NAMELESS:
        return "the data do not say who judged", "Name the column of judges: --column judge=NAME."
    if len(judges) == 1:
        return (
            f"there is one judge, {judges[0]}, and nobody to compare with",
            "What is said here is the opinion of one; let others judge some of the same outputs.",
        )
    return "", ""


def write_fault(name: str, title: str, fault: tuple[str, str], command: str) -> Section:
    """Write the section on judges of whom nothing can be said."""
    why, advice = fault
    check = Check("judges", ASKS, NOT_RUN, why, advice)
    says = (f"Nothing can be said of the judges: {why}.",)
    return Section(name, title, says, (check,), command=command)

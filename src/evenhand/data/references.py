"""Human references among the systems of ratings: they are told by name, and have no rank."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from evenhand.data.exclusions import REFERENCES, Exclusion
from evenhand.data.rating_rows import RatingRows
from evenhand.data.tally import take_names
from evenhand.data.texts import say
from evenhand.errors import InvalidJudgments, UnknownOption, suggest_or_list, write_word
from evenhand.render.document import Finding

# Names that campaigns give to human references which they enter as systems
HUMAN_NAMES: Final = re.compile(
    r"(?:(?:wmt|newstest)\w*\.)?(?i:ref|reference|human|translator)"
    r"(?:[-_. ](?!(?i:tuned))\w{1,5}|[A-Z0-9])?(?:\.\d+)?"
)


def reads_human(system: str) -> bool:
    """Say whether a system is a human reference, by its name.

    >>> [
    ...     reads_human(name)
    ...     for name in ("wmt23.refA", "Human-A.0", "translator-stud", "human-tuned", "refiner")
    ... ]
    [True, True, True, False, False]
    """
    return HUMAN_NAMES.fullmatch(system) is not None


def find_references(
    systems: Sequence[str], references: Sequence[str] | None = None, *, kept: Collection[str] = ()
) -> list[str]:
    """Return the systems that have no rank, in their order; none where these are all but one.

    references: human references by name; None for systems whose names say that they are.
    kept: systems that stay among the others.
    """
    named = {*(filter(reads_human, systems) if references is None else references)} - {*kept}
    apart = [name for name in systems if name in named]
    return apart if len(systems) - len(apart) > 1 else []


def check_references(
    systems: Sequence[str], references: str | Sequence[str] | None
) -> tuple[str, ...] | None:
    """Return the human references that are named; None where nobody says."""
    if references is None:
        return None
    named = take_names(references)
    for name in named:
        if name not in systems:
            raise InvalidJudgments(f"no system '{name}'.{suggest_or_list(name, systems)}")
    if len(systems) - len(named) < 2 and named:
        raise UnknownOption("references are all systems but one: two must be left to rank")
    return named


def exclude_references(
    rows: RatingRows, references: Sequence[str] | None, *, kept: Collection[str] = ()
) -> tuple[RatingRows, tuple[Exclusion, ...]]:
    """Exclude the scores of human references, as `find_references` finds them."""
    present = np.flatnonzero(np.bincount(rows.system, minlength=len(rows.systems))).tolist()
    systems = [rows.systems[code] for code in present]
    apart = find_references(systems, references, kept=kept)
    if not apart:
        return rows, ()
    left = np.isin(rows.system, [rows.systems.index(name) for name in apart])
    excluded = Exclusion(
        REFERENCES,
        f"human references{' by name' if references is None else ''}",
        int(left.sum()),
        rows.size,
        unit="score",
        systems=len(apart),
        of_systems=len(systems),
        system_names=tuple(apart),
    )
    return rows.take(~left), (excluded,)


def note_references(rows: RatingRows) -> tuple[Finding, ...]:
    """Say which human references count as systems, where no ranking is made."""
    _, excluded = exclude_references(rows, None)
    return tuple(
        say(
            "references-counted",
            systems=one.system_names,
            words=write_word(",".join(one.system_names)),
        )
        for one in excluded
    )

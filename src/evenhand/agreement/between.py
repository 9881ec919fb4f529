"""Coefficients that tell judges apart: κ of pairs, correlations, ICC and Kendall's W."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.agreement.coefficient import Coefficient
from evenhand.agreement.concordance import NAME as CONCORDANCE
from evenhand.agreement.concordance import concordance_coefficient
from evenhand.agreement.icc import FORMS, intraclass_coefficients
from evenhand.agreement.judge_pairs import MEASURES, compare_judges
from evenhand.agreement.units import Units

FAMILIES: Final = ("cohen", "correlation", "icc", CONCORDANCE)
CHEAP: Final = 200_000
"""Pairs of judges of one output up to which coefficients between judges are computed unasked."""


def compute_between(units: Units, asked: Sequence[str], level: float) -> tuple[Coefficient, ...]:
    """Return the coefficients between judges that are asked for.

    Args:
        units: who scored what.
        asked: names or families.
        level: nominal level of intervals (proportion).

    """
    wanted = set(asked)
    found: list[Coefficient] = []
    measures = [name for name in MEASURES if {name, _family(name)} & wanted]
    if measures:
        pairs = compare_judges(units)
        found += [pairs.mean(name, level=level) for name in measures]
    if {"icc", *FORMS} & wanted:
        forms = intraclass_coefficients(units, level=level)
        found += [one for one in forms if {one.name, "icc"} & wanted]
    if CONCORDANCE in wanted:
        found.append(concordance_coefficient(units))
    return tuple(found)


def list_between() -> tuple[str, ...]:
    """Return the names and families that can be asked for."""
    return tuple(dict.fromkeys([*FAMILIES, *MEASURES, *FORMS]))


def _family(measure: str) -> str:
    return "cohen" if measure.startswith("cohen") else "correlation"

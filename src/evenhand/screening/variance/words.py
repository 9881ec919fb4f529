"""What variance components say, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Final

from evenhand.judgments.components import JUDGE, JUDGE_SYSTEM, Component

if TYPE_CHECKING:
    from evenhand.screening.variance.plan import Answer, Plan
    from evenhand.screening.variance.result import VarianceComponents

SMALL: Final = 0.05
"""Share of the variance of a difference below which a source is said to cancel."""
LITTLE: Final = 0.01
"""Share below which it is not named."""


def say_components(found: VarianceComponents) -> tuple[str, ...]:
    """Say what matters and what cancels, as the judgments were made."""
    if all(one.sd == 0 for one in found.components):
        return ("no source of variance was found",)
    sentences = [_say_severity(found), _say_ranking(found), _say_design(found)]
    return tuple(one for one in sentences if one)


def _say_severity(found: VarianceComponents) -> str:
    """Say how severe judges differ, and whether it cancels."""
    judge = found.find(JUDGE)
    if judge is None:
        return ""
    if judge.sd == 0:
        return "no difference between judges in severity was found"
    said = f"judges differ by {_amount(judge, found)} in severity"
    if JUDGE_SYSTEM in judge.carries and found.observed.systems > 1:
        return f"{said}, or in taste: each judge scored one system, so it does not cancel"
    adds = found.parts.get(JUDGE)
    if adds is None:
        return said
    if adds <= SMALL * sum(found.parts.values()):
        return f"{said}: it cancels, since they scored the same systems to the same shares"
    return (
        f"{said}: it would cancel if each judge scored all systems alike; as judged it adds"
        f" {say_number(sqrt(adds))} to the standard error of a difference"
    )


def _say_ranking(found: VarianceComponents) -> str:
    """Say what makes differences between systems uncertain, the largest part first."""
    total = sum(found.parts.values())
    if total == 0:
        return ""
    said = []
    for name, part in sorted(found.parts.items(), key=lambda one: -one[1]):
        own = found.find(name)
        sd = "" if own is None else f" {say_number(own.sd)} {found.unit}"
        if part >= LITTLE * total:
            said.append(f"{name}{sd} ({100 * part / total:.0f} %)")
    return f"what matters for the ranking, with its share of the error: {', '.join(said)}"


def _say_design(found: VarianceComponents) -> str:
    """Say how sure a difference of two systems is, as judged."""
    if found.stderr is None:
        return ""
    what = "two system means" if found.per_vote is None else "two log-worths"
    said = f"as judged, a difference of {what} has a standard error of {say_number(found.stderr)}"
    if found.reliability is None:
        return said
    return f"{said}; reliability {say_proportion(found.reliability)}"


def say_plan(found: VarianceComponents, plan: Plan) -> str:
    """Say what a design would give."""
    what = "two system means" if found.per_vote is None else "two log-worths"
    said = (
        f"with {_design(found, plan)} a difference of {what} would have a standard error of"
        f" {say_number(plan.stderr)}"
    )
    if plan.reliability is None:
        return said
    return f"{said}; reliability {say_proportion(plan.reliability)}"


def say_answer(found: VarianceComponents, answer: Answer, wish: str) -> str:
    """Say how many judges and items a wish needs.

    Args:
        found: variance components.
        answer: what was found.
        wish: what is wanted, such as "a reliability of .90".

    """
    if answer.best is None:
        return f"{wish} is out of reach of a thousand judges, however many items they judge"
    said = f"{wish} takes {_design(found, answer.best)}"
    if not answer.items_matter:
        said += "; no item x system was found, so that no fewer items are planned than were judged"
    if answer.least > 2:
        each = "" if found.per_vote is None else f" of {answer.best.each:,.0f} comparisons each"
        said += f"; with fewer than {answer.least:,} judges{each} no number of items will do"
    return said


def note_unknown(components: Sequence[Component]) -> list[str]:
    """Note the components of which nothing is known, and that designs take them for 0."""
    return [
        f"nothing is known of {one.name}: its estimate is 0 and its interval has no bound; standard"
        " errors and designs assume that there is none"
        for one in components
        if one.sd == 0 and one.upper is not None and not isfinite(one.upper)
    ]


def _design(found: VarianceComponents, plan: Plan) -> str:
    judges = f"{plan.judges:,} judge{'s' * (plan.judges != 1)}"
    items = f"{plan.items:,} item{'s' * (plan.items != 1)}"
    if found.per_vote is not None:
        return f"{judges} of {plan.each:,.0f} comparisons each on {items}"
    if plan.each >= plan.judges:
        return f"{judges} and {items}, each judge scoring all systems on all items"
    each = f"{plan.each:,.0f} judge{'s' * (plan.each != 1)} per output"
    return f"{judges} and {items}, {each} ({plan.judgments:,.0f} scores)"


def _amount(one: Component, found: VarianceComponents) -> str:
    """Write an sd with its interval and unit."""
    said = f"{say_number(one.sd)} {found.unit}"
    if one.lower is None or one.upper is None:
        return said
    upper = say_number(one.upper) if isfinite(one.upper) else "no bound"
    return f"{said} ({say_number(one.lower)} to {upper})"


def say_number(value: float, figures: int = 3) -> str:
    """Write a number with three figures, or as many as are asked for; thousands in full.

    >>> say_number(12.345), say_number(0.04567), say_number(0.0)
    ('12.3', '0.0457', '0')
    """
    full = 1000 <= abs(value) < 1e6
    return f"{value:,.0f}" if full and figures > 2 else f"{value:.{figures}g}"


def say_proportion(value: float) -> str:
    """Write a proportion with two places, without its zero.

    >>> say_proportion(0.914), say_proportion(0.9996)
    ('.91', '1.00')
    """
    return f"{value:.2f}".removeprefix("0")

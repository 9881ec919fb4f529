"""Components together with what designs would give: what `evenhand variance` shows of a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.errors import UnknownOption
from evenhand.screening.variance.plan import (
    Answer,
    Plan,
    find_design,
    plan_design,
    tabulate_designs,
)
from evenhand.screening.variance.result import VarianceComponents
from evenhand.screening.variance.words import say_answer, say_plan, say_proportion


@dataclass(frozen=True)
class Wishes:
    """What was asked of a design.

    Attributes:
        judges: so many judges; as many as judged where only items are given.
        items: so many items; likewise.
        each: judges per output, or comparisons per judge.
        stderr: a standard error that is wanted.
        reliability: a reliability that is wanted.

    """

    judges: int | None = None
    items: int | None = None
    each: float | None = None
    stderr: float | None = None
    reliability: float | None = None


@dataclass(frozen=True, eq=False)
class Study:
    """Components, and designs.

    Attributes:
        found: the components.
        designs: a row for each number of judges; empty where no design can be planned.
        plan: the design that was asked about, or None.
        answer: the design that reaches what was wanted, or None.
        says: components and answers in sentences.
        notes: what must stand beside them.

    """

    found: VarianceComponents
    designs: tuple[tuple[Plan, ...], ...]
    plan: Plan | None
    answer: Answer | None
    says: tuple[str, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        best = None if self.answer is None else self.answer.best
        return {
            **self.found.to_dict(),
            "designs": [one.to_dict() for row in self.designs for one in row],
            "plan": None if self.plan is None else self.plan.to_dict(),
            "answer": None
            if self.answer is None
            else {
                "stderr": self.answer.wish,
                "least_judges": self.answer.least,
                "best": None if best is None else best.to_dict(),
            },
            "says": list(self.says),
            "notes": list(self.notes),
        }


def study_designs(found: VarianceComponents, wishes: Wishes) -> Study:
    """Answer what was asked of designs, and tabulate some.

    Raises:
        NotIdentified: something was asked that the judgments cannot answer.
        UnknownOption: a wish that cannot be.

    """
    asked = (wishes.judges, wishes.items, wishes.stderr, wishes.reliability)
    says, notes = list(found.says), [*found.reasons, *found.notes]
    if not found.parts:
        if any(one is not None for one in asked):
            plan_design(found, 1, 1)  # says why not
        return Study(found, (), None, None, tuple(says), tuple(notes))
    plan = answer = None
    if wishes.judges is not None or wishes.items is not None:
        judges = found.observed.judges if wishes.judges is None else wishes.judges
        items = found.observed.items if wishes.items is None else wishes.items
        plan = plan_design(found, judges, items, wishes.each)
        says.append(say_plan(found, plan))
    if wishes.stderr is not None or wishes.reliability is not None:
        answer = find_design(
            found, stderr=wishes.stderr, reliability=wishes.reliability, each=wishes.each
        )
        says.append(say_answer(found, answer, _name(found, wishes)))
    designs = tuple(tuple(row) for row in tabulate_designs(found, wishes.each))
    return Study(found, designs, plan, answer, tuple(says), tuple(notes))


def _name(found: VarianceComponents, wishes: Wishes) -> str:
    if wishes.reliability is not None:
        return f"a reliability of {say_proportion(wishes.reliability)}"
    return f"a standard error of {wishes.stderr:g} {found.unit}"


def read_wishes(wishes: Wishes) -> Wishes:
    """Refuse wishes that exclude each other.

    Raises:
        UnknownOption: two targets.

    """
    if wishes.stderr is not None and wishes.reliability is not None:
        raise UnknownOption("--stderr and --reliability exclude each other: choose one")
    return wishes

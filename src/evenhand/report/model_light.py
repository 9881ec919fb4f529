"""Do judgments fit one ladder of systems? All tests that bear on it, adjusted for their number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.preference.coefficients import format_p
from evenhand.preference.fit import Fit
from evenhand.ranking.cycles_result import Cycles
from evenhand.ranking.model_rows import ModelTable
from evenhand.report.document import FAILED, NOT_RUN, PASSED, UNDECIDED, Check
from evenhand.report.model_laws import tests_all
from evenhand.report.study import Study
from evenhand.report.visible import ENOUGH, find_visible, say_visible
from evenhand.significance.adjust import holm

ASKS: Final = "Do all judgments fit one ladder, from best to worst?"
TRIFLE: Final = 0.02
"""Share of the differences between systems below which pairs that fit no scale do not matter."""
SLIGHT: Final = 0.03
"""How far from one half a share for the first output is slight."""
PAIRS: Final = "For two systems read their own comparisons under “Each against each”."
SIDES: Final = "See “Does the place of an output matter?”."
JUDGES: Final = "See “Where systems and judges differ”."


@dataclass(frozen=True)
class Doubt:
    """A test of what one number for each system leaves out.

    Attributes:
        says: what it found if p is small.
        p: not yet adjusted.
        slight: whether what was found is too small to matter.
        otherwise: where to look.

    """

    says: str
    p: float
    slight: bool
    otherwise: str


def list_doubts(study: Study, cycles: Cycles | None, laws: ModelTable | None) -> tuple[Doubt, ...]:
    """Return the tests that were made: of pairs, of sides, of judges.

    Args:
        study: the judgments.
        cycles: what pairs leave, or None.
        laws: models of the same judgments, or None.

    """
    found = []
    if cycles is not None and cycles.p is not None:
        found.append(Doubt("pairs fit no single ladder", cycles.p, cycles.share < TRIFLE, PAIRS))
    found += _doubt_sides(study)
    if laws is not None and tests_all(study):
        found += [
            Doubt("judges differ in what they prefer", one.p, slight=False, otherwise=JUDGES)
            for one in laws.questions
            if one.yes.startswith("worths differ")
        ]
    return tuple(found)


def _doubt_sides(study: Study) -> list[Doubt]:
    """Return whether the side counts, and whether it counts differently by judge."""
    fit = study.ranking.fit
    if isinstance(fit, Fit) and fit.model.order_effect:
        return []
    try:
        bias = study.position_bias
    except (NotIdentified, NotConverged, UnknownOption):
        return []
    slight = abs(bias.share - 0.5) < SLIGHT
    found = [Doubt("the place of an output counts", bias.p, slight, SIDES)]
    if bias.heterogeneity_p is not None:
        says = "judges favour different places"
        found.append(Doubt(says, bias.heterogeneity_p, not bias.stand_out, SIDES))
    return found


def make_check(study: Study, cycles: Cycles | None, laws: ModelTable | None, why: str) -> Check:
    """Return whether anything shows that one number for each system is too little.

    Args:
        study: the judgments.
        cycles: what pairs leave, or None.
        laws: models of the same judgments, or None.
        why: there are no `cycles`.

    """
    doubts = list_doubts(study, cycles, laws)
    adjusted = holm(np.array([one.p for one in doubts])).tolist() if doubts else []
    alpha = 1 - study.settings.level
    tests = list(zip(doubts, adjusted, strict=True))
    sure = [(one, p) for one, p in tests if p <= alpha and not one.slight]
    if sure:
        says = ", ".join(f"{one.says} (p {format_p(p)})" for one, p in sure)
        otherwise = " ".join(dict.fromkeys(one.otherwise for one, _ in sure))
        return Check("model", ASKS, FAILED, f"no: {says}", otherwise)
    if cycles is None:
        return Check("model", ASKS, NOT_RUN, why)
    if cycles.p is None:
        return Check("model", ASKS, UNDECIDED, "too few pairs were compared: any outcome fits")
    return _check_silence(cycles, find_visible(cycles, study.tally), tests)


def _check_silence(
    cycles: Cycles, visible: float | None, tests: list[tuple[Doubt, float]]
) -> Check:
    """Return the check where nothing of weight was found."""
    least, p = min(tests, key=lambda one: one[1])
    of = f" in {len(tests)} tests" if len(tests) > 1 else ""
    if p <= 1 - cycles.level:
        says = f"hardly more is needed: {least.says}, yet slightly (p {format_p(p)}{of})"
        return Check("model", ASKS, PASSED, says)
    found = f"p {format_p(p)}{of}"
    if visible is None or visible > ENOUGH:
        shows = "" if visible is None else f": only {say_visible(visible)}"
        return Check("model", ASKS, UNDECIDED, f"too few judgments to tell{shows} ({found})")
    return Check("model", ASKS, PASSED, f"no sign against it ({found}); {say_visible(visible)}")


def say_tests(tests: int) -> tuple[str, ...]:
    """Say how the light was made of several tests."""
    if tests < 2:
        return ()
    return (f"p of the light are adjusted for its {tests} tests (Holm).",)

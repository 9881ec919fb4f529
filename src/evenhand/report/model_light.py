"""Do judgments fit one ladder of systems? All tests that bear on it, adjusted for their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.models.base import Fit
from evenhand.models.coefficients import format_p
from evenhand.numerics.multiple_tests import holm
from evenhand.ranking.model_table import ModelTable
from evenhand.ranking.robustness.cycles import Cycles, find_sure_circle, find_visible
from evenhand.report import caveat
from evenhand.report.document import NOT_RUN, PASSED, UNDECIDED, Check
from evenhand.report.model_laws import tests_all
from evenhand.report.reversal import choose_state
from evenhand.report.study import Study
from evenhand.report.visible import ENOUGH, say_visible

ASKS: Final = "Do all judgments fit one ladder, from best to worst?"
# Share of the differences between systems below which pairs that fit no scale do not matter
TRIFLE: Final = 0.02
SLIGHT: Final = 0.03  # How far from one half a share for the first output is slight
PAIRS: Final = "For two systems read their own comparisons under “Each against each”."
SIDES: Final = "See “Does the place of an output matter?”."
CIRCLES: Final = "See “Do preferences go round in circles?”."
JUDGES: Final = "The ranking is that of all judges together: see “The judges” for who differs."


@dataclass(frozen=True)
class Doubt:
    """A test of what one number for each system leaves out."""

    says: str  # what it found if p is small
    p: float  # not yet adjusted
    slight: bool  # whether what was found is too small to matter
    otherwise: str  # where to look
    fault: str = caveat.LADDER  # what the answer says of it


def list_doubts(study: Study, cycles: Cycles | None, laws: ModelTable | None) -> tuple[Doubt, ...]:
    """Return the tests that were made: of pairs, of sides, of judges."""
    found = []
    if cycles is not None and cycles.p is not None:
        found.append(Doubt("pairs fit no single ladder", cycles.p, cycles.share < TRIFLE, PAIRS))
    found += _doubt_sides(study)
    if laws is not None and tests_all(study):
        found += [
            Doubt(caveat.MINDS, one.p, slight=False, otherwise=JUDGES, fault=caveat.MINDS)
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
    found = [Doubt("the place of an output counts", bias.p, slight, SIDES, caveat.PLACE)]
    if bias.heterogeneity_p is not None:
        says = "judges favour different places"
        slight = not bias.stand_out
        found.append(Doubt(says, bias.heterogeneity_p, slight, SIDES, caveat.SIDES))
    return found


def make_check(study: Study, cycles: Cycles | None, laws: ModelTable | None, why: str) -> Check:
    """Return whether anything shows that one number for each system is too little."""
    tests = adjust_doubts(list_doubts(study, cycles, laws))
    alpha = 1 - study.settings.level
    sure = [(one, p) for one, p in tests if p <= alpha and not one.slight]
    if sure:
        return _check_sure(study, sure)
    if cycles is not None and (circle := find_sure_circle(cycles, study.tally)) is not None:
        says = f"no: preferences go round in circles (p {format_p(cycles.p or 0.0)} by itself)"
        state = choose_state(study.reversals.find_circle(circle))
        return Check("model", ASKS, state, says, CIRCLES, faults=(caveat.CIRCLES,))
    if cycles is None:
        return Check("model", ASKS, NOT_RUN, why)
    if (perhaps := check_open(tests, alpha)) is not None:
        return perhaps
    if cycles.p is None:
        return Check("model", ASKS, UNDECIDED, "too few pairs were compared: any outcome fits")
    return _check_silence(cycles, find_visible(cycles, study.tally), tests)


def _check_sure(study: Study, sure: Sequence[tuple[Doubt, float]]) -> Check:
    """Return the check where tests found something: failed where one of them changes the answer."""
    says = ", ".join(f"{one.says} (p {format_p(p)})" for one, p in sure)
    reversals = {one.fault: _find_reversal(study, one) for one, _ in sure}
    reversed_by = {fault: said for fault, said in reversals.items() if said}
    outcome = "; ".join(reversed_by.values()) or "The decided order stays"
    where = f"{outcome[:1].upper()}{outcome[1:]}. {_say_where([one for one, _ in sure])}"
    state = choose_state("; ".join(reversed_by.values()))
    faults = tuple(reversed_by) or tuple(reversals)
    return Check("model", ASKS, state, f"no: {says}", where, faults=faults)


def _find_reversal(study: Study, doubt: Doubt) -> str:
    """Say what is reversed where a doubt is taken into account."""
    if doubt.fault in (caveat.PLACE, caveat.SIDES):
        said, condition = study.reversals.order, "with the order effect in the model"
    elif doubt.fault == caveat.MINDS:
        said, condition = study.reversals.loads, "where busy judges are capped at the median"
    else:
        return study.reversals.pairs
    return f"{condition} {said}" if said else ""


def adjust_doubts(doubts: Sequence[Doubt]) -> list[tuple[Doubt, float]]:
    """Return tests with their p, allowing for how many they are (Holm)."""
    adjusted = holm(np.array([one.p for one in doubts])).tolist() if doubts else []
    return list(zip(doubts, adjusted, strict=True))


def _say_where(doubts: list[Doubt]) -> str:
    """Say where to look at what was found."""
    return " ".join(dict.fromkeys(one.otherwise for one in doubts))


def check_open(tests: Sequence[tuple[Doubt, float]], alpha: float) -> Check | None:
    """Return the check where a test finds something by itself and not beside the others."""
    perhaps = [(one, p) for one, p in tests if one.p <= alpha and not one.slight]
    if not perhaps:
        return None
    says = ", ".join(
        f"{one.says} (p {format_p(one.p)} by itself, {format_p(p)} in {len(tests)} tests)"
        for one, p in perhaps
    )
    where = _say_where([one for one, _ in perhaps])
    return Check("model", ASKS, UNDECIDED, f"perhaps not: {says}", where)


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

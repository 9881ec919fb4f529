"""From votes to a table of agreement: coefficients for categories, and the κ of the WMT tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from evenhand.agreement.agreement_table import AgreementPart, AgreementTable
from evenhand.agreement.coefficient import Coefficient
from evenhand.agreement.preference_kappa import KAPPAS, preference_kappa
from evenhand.agreement.preference_units import FORCED, SHOWN, choose_answers, preference_rows
from evenhand.agreement.preferences import MODES, leave_repeats
from evenhand.agreement.sentences import say_parts
from evenhand.agreement.tabulation import AGAIN, Request, tabulate_units
from evenhand.agreement.units import find_units
from evenhand.errors import NotIdentified
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.scale import Scale
from evenhand.judgments.votes import Votes

RANKED: Final = "pairs of one ranking are one judge's one answer: items, which hold them, are drawn"

NO_TARGETS: Final = "nothing to compare: all judgments are controls or repeats"
COUNTS: Final = "pairwise κ counts them"


def tabulate_votes(votes: Votes, request: Request) -> AgreementTable:
    """Make the table of some votes; κ of preferences stands beside those of all and of a task.

    Args:
        votes: comparisons.
        request: what was asked for; "strict" or "wmt" limits κ to that mode.

    Raises:
        NotIdentified: no output pair was judged by two judges, or there are controls and repeats
            alone.
        InvalidJudgments: no item or no judge is named.

    """
    rows = preference_rows(votes)
    if not leave_repeats(votes).size:
        raise NotIdentified(NO_TARGETS)
    units = find_units(rows, choose_answers(votes))
    kappas, wanted = choose_kappas(request)
    table = tabulate_units(units, wanted, digest_ratings(rows))
    parts = tuple(_add(part, votes, kappas, request) for part in table.parts)
    return finish_table(table, parts, _note_answers(votes))


def choose_kappas(request: Request) -> tuple[list[str], Request]:
    """Return which κ of preferences are meant, and what was asked for beside them."""
    asked = set(request.coefficients)
    modes = asked & set(MODES) or set(MODES)
    known = {name: {name, "kappa", "default", "all", *MODES} for name in KAPPAS}
    kappas = [name for name in KAPPAS if KAPPAS[name][0] in modes and known[name] & asked]
    own = {*KAPPAS, *MODES, "kappa"}
    others = tuple(name for name in request.coefficients if name not in own)
    if "default" in others:
        others = (*SHOWN, *(name for name in others if name != "default"))
    return kappas, replace(request, coefficients=others, signed=request.coefficients)


def finish_table(
    table: AgreementTable, parts: tuple[AgreementPart, ...], notes: Sequence[str]
) -> AgreementTable:
    """Put parts with their κ in the place of those without, and say what they show."""
    again = any(one.startswith(AGAIN) for one in table.notes)
    said = say_parts(parts, answers="answer", again=again)
    held = [f"{one}; {COUNTS}" if one.startswith(AGAIN) else one for one in table.notes]
    return replace(table, parts=parts, scale=None, notes=(*held, *notes), says=said)


def _add(
    part: AgreementPart, votes: Votes, kappas: Sequence[str], request: Request
) -> AgreementPart:
    """Add κ to the part of all votes, or of a task."""
    if not has_kappa(part):
        return add_kappas(part, (), request)
    if "task" in part.by:
        votes = votes.take(votes.task == votes.tasks.index(part.by["task"]))
    if "criterion" in part.by and votes.criterion is not None:
        votes = votes.take(votes.criterion == votes.criteria.index(part.by["criterion"]))
    found = [preference_kappa(votes, name, request.level, request.seed) for name in kappas]
    return add_kappas(part, found, request)


def has_kappa(part: AgreementPart) -> bool:
    """Say whether κ of preferences is made of a part: not of pairs of systems."""
    return set(part.by) <= {"task", "criterion"}


def add_kappas(
    part: AgreementPart, found: Sequence[Coefficient], request: Request
) -> AgreementPart:
    """Add κ to a part; what nobody asked for only if it exists.

    Args:
        part: agreement on output pairs.
        found: κ of preferences.
        request: what was asked for.

    """
    titles = {"n-agreement-0": "same answer"}
    held = [replace(one, title=titles.get(one.name, one.title)) for one in part.coefficients]
    if request.cluster == "judge":
        found = [one.without_interval() for one in found]
    asked = {"kappa", *(one.name for one in found)} & set(request.coefficients)
    shown = [one for one in found if one.value is not None or asked & {one.name, "kappa"}]
    plain = [one for one in found if one not in shown and KAPPAS[one.name][2] == "any"]
    whys = dict.fromkeys(one.why for one in plain if one.why is not None)
    return replace(part, coefficients=(*held, *shown), notes=(*part.notes, *whys))


def _note_answers(votes: Votes) -> tuple[str, ...]:
    answers = votes.answer
    ranked = answers is not None and len(np.unique(answers)) < votes.size
    return note_answers(choose_answers(votes), ranked=ranked)


def note_answers(scale: Scale, *, ranked: bool) -> tuple[str, ...]:
    """Say what answers there are.

    Args:
        scale: those that can be given.
        ranked: whether several comparisons are one answer.

    """
    notes = []
    if scale is FORCED:
        notes.append("no tie occurs: chance of AC1 is that of two answers")
    if ranked:
        notes.append(RANKED)
    return tuple(notes)

"""From votes to a table of agreement: coefficients for categories, and the κ of the WMT tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.agreement.agreement_table import AgreementPart, AgreementTable
from evenhand.agreement.preference_kappa import KAPPAS, preference_kappa
from evenhand.agreement.preference_units import FORCED, SHOWN, choose_answers, preference_rows
from evenhand.agreement.preferences import MODES
from evenhand.agreement.sentences import say_parts
from evenhand.agreement.tabulation import Request, tabulate_units
from evenhand.agreement.units import find_units
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.votes import Votes


def tabulate_votes(votes: Votes, request: Request) -> AgreementTable:
    """Make the table of some votes; κ of preferences stands beside those of all and of a task.

    Args:
        votes: comparisons.
        request: what was asked for; "strict" or "wmt" limits κ to that mode.

    Raises:
        NotIdentified: no output pair was judged by two judges.
        InvalidJudgments: no item or no judge is named.

    """
    rows = preference_rows(votes)
    asked = set(request.coefficients)
    modes = asked & set(MODES) or set(MODES)
    known = {name: {name, "kappa", "default", "all", *MODES} for name in KAPPAS}
    kappas = [name for name in KAPPAS if KAPPAS[name][0] in modes and known[name] & asked]
    own = {*KAPPAS, *MODES, "kappa"}
    others = tuple(name for name in request.coefficients if name not in own)
    if "default" in others:
        others = (*SHOWN, *(name for name in others if name != "default"))
    units = find_units(rows, choose_answers(votes))
    wanted = replace(request, coefficients=others, signed=request.coefficients)
    table = tabulate_units(units, wanted, digest_ratings(rows))
    parts = tuple(_add(part, votes, kappas, request) for part in table.parts)
    notes = (*table.notes, *_note_answers(votes))
    said = say_parts(parts, answers="answer")
    return replace(table, parts=parts, scale=None, notes=notes, says=said)


def _add(
    part: AgreementPart, votes: Votes, kappas: Sequence[str], request: Request
) -> AgreementPart:
    """Add κ to the part of all votes, or of a task; what nobody asked for only if it exists."""
    titles = {"n-agreement-0": "same answer"}
    held = [replace(one, title=titles.get(one.name, one.title)) for one in part.coefficients]
    part = replace(part, coefficients=tuple(held))
    if not set(part.by) <= {"task", "criterion"}:
        return part
    if "task" in part.by:
        votes = votes.take(votes.task == votes.tasks.index(part.by["task"]))
    if "criterion" in part.by and votes.criterion is not None:
        votes = votes.take(votes.criterion == votes.criteria.index(part.by["criterion"]))
    found = [preference_kappa(votes, name, request.level, request.seed) for name in kappas]
    if request.cluster == "judge":
        found = [one.without_interval() for one in found]
    asked = {"kappa", *kappas} & set(request.coefficients)
    shown = [one for one in found if one.value is not None or asked & {one.name, "kappa"}]
    plain = [one for one in found if one not in shown and KAPPAS[one.name][2] == "any"]
    whys = dict.fromkeys(one.why for one in plain if one.why is not None)
    return replace(part, coefficients=(*part.coefficients, *shown), notes=(*part.notes, *whys))


def _note_answers(votes: Votes) -> tuple[str, ...]:
    notes = []
    if choose_answers(votes) is FORCED:
        notes.append("no tie occurs: chance of AC1 is that of two answers")
    return (*notes, *_note_rankings(votes))


def _note_rankings(votes: Votes) -> tuple[str, ...]:
    if votes.answer is None or len(np.unique(votes.answer)) == votes.size:
        return ()
    return ("pairs of one ranking are one judge's one answer: items, which hold them, are drawn",)

"""From counts of votes by an engine to a table of agreement: the same parts, notes and κ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.agreement.agreement_table import AgreementPart, AgreementTable
from evenhand.agreement.coefficient import Coefficient
from evenhand.agreement.count_table import Counted, Key, tabulate_counts
from evenhand.agreement.engine_votes import Answers
from evenhand.agreement.preference_kappa import COUNTED, KAPPAS, describe_kappa, must_be_apart
from evenhand.agreement.preference_table import (
    NO_TARGETS,
    add_kappas,
    choose_kappas,
    finish_table,
    has_kappa,
    note_answers,
)
from evenhand.agreement.preferences import PreferenceAgreement, check_order
from evenhand.agreement.tabulation import Request
from evenhand.errors import NotIdentified, UnknownOption


@dataclass(frozen=True, eq=False)
class CountedVotes:
    """What an engine counted of votes.

    Attributes:
        counted: how often output pairs were answered how.
        kappas: part → κ → pairs of votes; of all votes, of tasks and of criteria.
        answers: what is known of the votes as a whole.

    """

    counted: Counted
    kappas: Mapping[Key, Mapping[str, PreferenceAgreement]]
    answers: Answers

    def of(self, task: str) -> Counted:
        """Return what was counted of a task, on the answers that can be given there."""
        counts, scale = self.counted.counts, self.answers.scales[task]
        if task:
            names, codes = counts.codes("task")
            counts = counts.take(codes == names.index(task))
        if scale.points is not None and len(scale.points) < len(counts.points):
            counts = counts.keep_points(np.isin(counts.points, scale.points), scale)
        pairs = self.kappas.get(_bind(task), {})
        more = [int(n) for one in pairs.values() for n in one.by_item.sum(axis=0).tolist()]
        return replace(self.counted, counts=counts, more=tuple(more))


def tabulate_vote_counts(found: CountedVotes, request: Request, task: str = "") -> AgreementTable:
    """Make the table of what was counted of votes.

    Args:
        found: what was counted.
        request: what was asked for.
        task: the task; "" for all.

    Raises:
        NotIdentified: no output pair was judged by two judges, or there are controls and repeats
            alone.
        UnknownOption: a coefficient that is none.

    """
    if task not in found.answers.scales:
        raise NotIdentified(NO_TARGETS)
    kappas, wanted = choose_kappas(request)
    table = tabulate_counts(found.of(task), wanted, task)
    parts = tuple(_add(part, found, kappas, request, task) for part in table.parts)
    notes = note_answers(found.answers.scales[task], ranked=found.answers.ranked.get(task, False))
    return finish_table(table, parts, notes)


def _bind(task: str) -> Key:
    return (("task", task),) if task else ()


def _add(
    part: AgreementPart, found: CountedVotes, kappas: Sequence[str], request: Request, task: str
) -> AgreementPart:
    """Add κ to a part."""
    if not has_kappa(part) or not kappas:
        return add_kappas(part, (), request)
    own = found.kappas[(*_bind(task), *part.by.items())]
    described = [_describe(found, own[name], name, request) for name in kappas]
    return add_kappas(part, described, request)


def _describe(
    found: CountedVotes, pairs: PreferenceAgreement, name: str, request: Request
) -> Coefficient:
    mode, _, order, title = KAPPAS[name]
    if found.answers.copied and must_be_apart(name):
        return Coefficient(name, title, None, why=COUNTED)
    try:
        check_order(mode, order, known=found.answers.known)
    except UnknownOption as refusal:
        return Coefficient(name, title, None, why=str(refusal))
    return describe_kappa(pairs, name, request.level, request.seed)

"""From counts of an engine to a table of agreement: the same parts, notes and signature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from evenhand.agreement.agreement_table import AgreementPart, AgreementTable, Doubtful
from evenhand.agreement.bootstrap import MOST
from evenhand.agreement.coefficient import Coefficient
from evenhand.agreement.coincidences import mirror
from evenhand.agreement.counts import Counts, Integers
from evenhand.agreement.parts import NONE, Settings, Shape, note_prevalence, study_kinds
from evenhand.agreement.sentences import say_parts
from evenhand.agreement.tabulation import (
    Request,
    choose_own_kinds,
    choose_settings,
    note_alone,
    note_left,
    note_tops,
    refuse_alone,
    say_points,
    say_scale,
    sign_request,
)
from evenhand.judgments.signature import write_signature
from evenhand.numerics.threads import one_blas_thread

Key = tuple[tuple[str, str], ...]
"""Columns with their levels, which limit a part."""
MERGED = "beyond {:,} merged by the engine"


@dataclass(frozen=True, eq=False)
class Counted:
    """What an engine counted of ratings.

    Attributes:
        counts: sums over units.
        judges: part → judges of units that have two or more.
        scorers: task → judges; of all tasks under "".
        doubtful: part → items on which judges are farthest apart.
        left: task → rows of repeats and of controls, which are left out; of all under "".
        items: items, by which parts of few clusters are known; of each part that has few.
        notes: what must be said of the rows.
        more: what else was counted; it stands in the digest.

    """

    counts: Counts
    judges: Mapping[Key, int]
    scorers: Mapping[str, int]
    doubtful: Mapping[Key, tuple[Doubtful, ...]]
    left: Mapping[str, tuple[int, int]]
    items: Mapping[Key, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    more: tuple[int, ...] = ()


def tabulate_counts(found: Counted, request: Request, task: str = "") -> AgreementTable:
    """Make the table of what was counted.

    Args:
        found: what was counted, of one task where tables are made by task.
        request: what was asked for.
        task: the task; "" for all.

    Raises:
        NotIdentified: nothing was scored by two judges.
        UnknownOption: a coefficient that is none.

    """
    counts = found.counts
    if not counts.several.any():
        raise refuse_alone(counts.size, found.scorers[task])
    settings, dear = choose_settings(counts, request)
    bound = (("task", task),) if task else ()
    with one_blas_thread():
        parts = tuple(
            _describe(
                part,
                (bound, levels),
                replace(settings, kinds=choose_own_kinds(part, settings, request)),
                found,
            )
            for levels, part in _split(counts, request.by)
        )
    return AgreementTable(
        parts=parts,
        kind=request.kind,
        by=request.by,
        scale=say_scale(counts.scale),
        cluster=request.cluster,
        level=request.level,
        says=say_parts(parts, answers="score" if request.kind == "ratings" else "answer"),
        notes=(*_write_notes(found, request, task), *dear),
        signature=_sign(found, request, task),
    )


def _write_notes(found: Counted, request: Request, task: str) -> tuple[str, ...]:
    """Say which rows were left out, and why."""
    counts = found.counts
    left = note_left(*found.left[task], int(counts.again.sum()))
    alone = note_alone(counts.alone, counts.size)
    mixed = _note_scales(counts) if request.kind == "ratings" else ()
    return (*found.notes, *left, *alone, *mixed)


def _sign(found: Counted, request: Request, task: str) -> str:
    counts, judges = found.counts, found.scorers[task]
    points = say_points(counts, request)
    how = sign_request(request, points, MERGED.format(MOST["item"]))
    digest = counts.digest(judges, *found.left[task], *found.more)
    return write_signature(how, counts.ratings, digest, judges=judges)


def _split(counts: Counts, by: tuple[str, ...]) -> Iterator[tuple[Key, Counts]]:
    """Yield levels and what was counted of them; levels crossed, then added up."""
    for depth in range(len(by), 0, -1):
        names = by[:depth]
        codes = np.column_stack([counts.codes(name)[1] for name in names])
        known = np.unique(codes, axis=0)
        if depth == 1 and len(known) == 1:
            continue  # the whole says the same
        for code in known:
            labels = [counts.codes(name)[0][at] for name, at in zip(names, code, strict=True)]
            levels = tuple(zip(names, labels, strict=True))
            yield levels, _narrow(counts, dict(levels))
    yield (), counts


def _narrow(counts: Counts, levels: Mapping[str, str]) -> Counts:
    """Keep a part; its scale is that of its task and criterion, unless one was declared."""
    for name in sorted(levels, key=lambda name: name not in ("task", "criterion")):
        names, codes = counts.codes(name)
        own = codes == names.index(levels[name])
        narrowed = name in ("task", "criterion") and not own.all()
        counts = counts.narrow(own) if narrowed else counts.take(own)
    return counts


def _describe(
    counts: Counts, at: tuple[Key, Key], settings: Settings, found: Counted
) -> AgreementPart:
    """Compute what was asked for of a part: of a task, and its levels."""
    key = (*at[0], *at[1])
    held = counts.take(counts.several)
    coefficients = _compute(counts, held, settings, found.items.get(key))
    return AgreementPart(
        by=dict(at[1]),
        units=held.size,
        single=counts.alone,
        ratings=held.ratings,
        judges=found.judges.get(key, 0),
        most_judges=int(counts.judges.max(initial=0)),
        coefficients=coefficients,
        doubtful=found.doubtful.get(key, ()),
        notes=note_prevalence(_count_given(held, settings), coefficients),
    )


def _count_given(held: Counts, settings: Settings) -> Integers:
    """(K,) how often each score was given; where two answers mirror each other, both."""
    given = held.given.sum(axis=0)
    return np.asarray(given + given[::-1] if settings.mirrored else given)


def _compute(
    counts: Counts, held: Counts, settings: Settings, items: int | None
) -> tuple[Coefficient, ...]:
    """Return coefficients, with intervals where there can be."""
    if not held.size:
        return tuple(Coefficient(kind.name, kind.title, None, why=NONE) for kind in settings.kinds)
    coincidences = mirror(counts.coincide()) if settings.mirrored else counts.coincide()
    if items is not None:  # clusters, where the engine put items together
        blocks = replace(coincidences.blocks, levels=items)
        coincidences = replace(coincidences, blocks=blocks)
    unequal = bool(held.judges.min() != held.judges.max())
    shape = Shape(held.size, held.ratings, unequal)
    return study_kinds(coincidences, settings.kinds, settings, shape, counts.scale)


def _note_scales(counts: Counts) -> tuple[str, ...]:
    """Say that criteria with scales of their own are pooled in the last part."""
    names, codes = counts.codes("criterion")
    found = np.unique(codes).tolist() if len(names) > 1 else []
    if len(found) == 0:
        return ()
    given = [counts.given[codes == one].sum(axis=0) for one in found]
    return note_tops(np.array([counts.points[np.flatnonzero(own)[-1]] for own in given]))

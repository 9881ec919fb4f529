"""From units to a table: parts by the levels of columns, notes, and the signature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.agreement_table import AgreementTable
from evenhand.agreement.between import CHEAP, FAMILIES, list_between
from evenhand.agreement.bootstrap import MOST, REPLICATES
from evenhand.agreement.catalogue import Kind, OnScale, choose_kinds, list_kinds
from evenhand.agreement.doubtful import list_doubtful
from evenhand.agreement.narrowing import narrow_scale
from evenhand.agreement.parts import NONE, Settings, describe_part, mean_difference
from evenhand.agreement.sentences import say_parts
from evenhand.agreement.units import Units
from evenhand.errors import NotIdentified
from evenhand.judgments.scale import Scale
from evenhand.judgments.signature import write_signature
from evenhand.numerics.threads import one_blas_thread

Mask = NDArray[np.bool_]
AGAIN: Final = "second answers of a judge"
"""What the note begins with on answers that nothing marks as repeats."""


class Scored(OnScale, Protocol):
    """What was scored by whom, as far as the choice of coefficients asks."""

    @property
    def pairs(self) -> int:
        """Pairs of judges who scored one and the same unit."""


@dataclass(frozen=True)
class Request:
    """What was asked for, of whatever judgments.

    Attributes:
        by: columns whose levels are parts.
        coefficients: names, families, "default" or "all".
        level: nominal level of intervals (proportion).
        cluster: "item" or "judge".
        seed: of everything random.
        kind: "ratings", "comparisons" or "rankings".
        signed: how the coefficients were asked for, where what is asked for here is less.
        alone: whether there is a table also where no two judges judged the same.

    """

    by: tuple[str, ...]
    coefficients: tuple[str, ...]
    level: float
    cluster: str
    seed: int
    kind: str = "ratings"
    signed: tuple[str, ...] = ()
    alone: bool = False


def tabulate_units(
    units: Units, request: Request, digest: str, notes: Sequence[str] = ()
) -> AgreementTable:
    """Make the table of some units.

    Args:
        units: who scored what.
        request: what was asked for.
        digest: of the judgments.
        notes: what else must stand beside the table.

    Raises:
        NotIdentified: nothing was scored by two judges.
        UnknownOption: a coefficient that is none.

    """
    if not (units.several.any() or request.alone):
        raise refuse_alone(units.size, _count_judges(units))
    settings, left = choose_settings(units, request)
    difference = mean_difference(units, kind=request.kind)
    with one_blas_thread():
        parts = tuple(
            describe_part(
                part,
                levels,
                replace(settings, kinds=choose_own_kinds(part, settings, request)),
                list_doubtful(part, difference[kept]),
            )
            for levels, kept, part in _split(units, request.by)
        )
    return AgreementTable(
        parts=parts,
        kind=request.kind,
        by=request.by,
        scale=say_scale(units.scale),
        cluster=request.cluster,
        level=request.level,
        says=say_parts(parts, answers="score" if request.kind == "ratings" else "answer"),
        notes=(*notes, *_note_rows(units), *_note_scales(units, request), *left),
        signature=_sign(units, request, digest),
    )


def choose_settings(units: Scored, request: Request) -> tuple[Settings, tuple[str, ...]]:
    """Return what to compute, and what is left out for its cost."""
    kinds = choose_kinds(units, request.coefficients, list_between())
    settings = Settings(
        kinds=kinds,
        between=tuple(name for name in list_between() if name in request.coefficients),
        unasked=(),
        level=request.level,
        cluster=request.cluster,
        seed=request.seed,
        mirrored=request.kind != "ratings",
        points=units.points,
    )
    if "all" in request.coefficients:
        return replace(settings, between=FAMILIES), ()
    if "default" not in request.coefficients:
        return settings, ()
    if units.pairs <= CHEAP:
        return replace(settings, unasked=FAMILIES), ()
    note = (
        f"beyond {CHEAP:,} pairs of judges of one output coefficients between judges are made when"
        f" asked for: {', '.join(FAMILIES)}"
    )
    return settings, (note,)


def choose_own_kinds(part: OnScale, settings: Settings, request: Request) -> tuple[Kind, ...]:
    """Return the coefficients of a part, whose own scale says which n it has."""
    if part.points is settings.points:
        return settings.kinds
    known = {name for one in settings.kinds for name in (one.name, one.family)}
    names = [name for name in request.coefficients if name in {*known, "default", "all"}]
    held = {one.name for one in list_kinds(part)}
    asked = [one for one in settings.kinds if one.name in names and one.name not in held]
    own = [name for name in names if name in held or name not in {one.name for one in asked}]
    return (*choose_kinds(part, own), *asked)


def refuse_alone(units: int, judges: int) -> NotIdentified:
    """Say that nothing was scored by two judges."""
    one = "there is one judge alone" if judges == 1 else f"no two of {judges:,} judges share any"
    outputs = f"{units:,} output{'s' * (units != 1)}"
    return NotIdentified(f"{NONE}: {outputs}, and {one}", ["let judges share some outputs"])


def _count_judges(units: Units) -> int:
    return int((np.bincount(units.judge) > 0).sum())


def _split(units: Units, by: Sequence[str]) -> Iterator[tuple[Mapping[str, str], Mask, Units]]:
    """Yield levels, which units have them, and these units; levels crossed, then added up."""
    for depth in range(len(by), 0, -1):
        names = by[:depth]
        labels = [units.labels(name) for name in names]
        if depth == 1 and len(np.unique(labels[0][1])) == 1:
            continue  # the whole says the same
        for code in np.unique(np.column_stack([codes for _, codes in labels]), axis=0).tolist():
            kept = np.ones(units.size, dtype=np.bool_)
            for (_, codes), own in zip(labels, code, strict=True):
                kept &= codes == own
            levels = {
                name: known[own] for name, (known, _), own in zip(names, labels, code, strict=True)
            }
            yield levels, kept, _narrow(units, levels, kept)
    yield {}, np.ones(units.size, dtype=np.bool_), units


def _narrow(units: Units, levels: Mapping[str, str], kept: Mask) -> Units:
    """Keep some units; their scale is that of their task and criterion, unless one was declared."""
    own = np.ones(units.size, dtype=np.bool_)
    for name in ("task", "criterion"):
        if name in levels:
            names, codes = units.labels(name)
            own &= codes == names.index(levels[name])
    narrow = units if own.all() else narrow_scale(units, own)
    return narrow.take(kept[own])


def _note_rows(units: Units) -> tuple[str, ...]:
    """Say which rows were left out, and why."""
    left = (units.repeats, units.controls, units.again)
    alone = int((units.sizes == 1).sum())
    return (*units.rows.notes, *note_left(*left), *note_alone(alone, units.size))


def note_left(repeats: int, controls: int, again: int) -> tuple[str, ...]:
    """Say how many rows were left out, and why."""
    counted = ((repeats, "rows marked as repeats"), (controls, "rows of controls"))
    notes = [f"{what} are left out: {count:,}" for count, what in counted if count]
    if again:
        notes.append(
            f"{AGAIN} to the same output are left out, since they tell how judges"
            f" agree with themselves: {again:,}"
        )
    return tuple(notes)


def note_alone(alone: int, units: int) -> tuple[str, ...]:
    """Say how many units were judged once."""
    if not alone:
        return ()
    return (f"units judged once tell nothing of agreement: {alone:,} of {units:,}",)


def _note_scales(units: Units, request: Request) -> tuple[str, ...]:
    """Say that criteria with scales of their own are pooled in the last part."""
    names, codes = units.labels("criterion")
    if request.kind != "ratings" or len(names) < 2:
        return ()
    score, own = units.points[units.code], np.repeat(codes, units.sizes)
    tops = np.full(len(names), -np.inf)
    np.maximum.at(tops, own, score)
    return note_tops(tops[np.isfinite(tops)])


def note_tops(tops: NDArray[np.float64]) -> tuple[str, ...]:
    """Say that criteria do not reach the same score: (criteria,) the highest of each."""
    if tops.min() == tops.max():
        return ()
    return ("criteria reach different highest scores; all of them together mix their scales",)


def say_scale(scale: Scale) -> str:
    """Return a scale in words, and whether it was declared."""
    return f"{scale}, {'declared' if scale.declared else 'as seen'}"


def _sign(units: Units, request: Request, digest: str) -> str:
    points = say_points(units, request)
    merged = f"beyond {MOST[request.cluster]:,} merged"
    how = sign_request(request, points, merged)
    return write_signature(how, len(units.code), digest, judges=_count_judges(units))


def say_points(scored: OnScale, request: Request) -> str:
    """Return the scale, or the answers that can be given, in words."""
    if request.kind != "ratings":
        return f"answers: first, {'tie, ' if len(scored.points) > 2 else ''}second"
    declared = "declared" if scored.scale.declared else "seen"
    return f"scale {scored.scale} {declared}, {len(scored.points)} points"


def sign_request(request: Request, points: str, merged: str) -> list[str]:
    """Return the parts of a signature: what was asked for, and how it was computed.

    Args:
        request: what was asked for.
        points: the scale or the answers, in words.
        merged: how clusters are put together.

    """
    names = ", ".join(request.signed or request.coefficients)
    how = f"cluster bootstrap by {request.cluster}, B={REPLICATES}, {merged}"
    return [
        f"agreement: {names}",
        points,
        f"{how}, level {request.level:g}",
        f"seed={request.seed}",
    ]

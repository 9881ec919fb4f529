"""Documents: the segments that a judge sees together and in order, all of the same systems.

A campaign that keeps documents together is assigned as one whose items are documents (`fold`), and
each of its tickets then becomes one for each segment. So all that a design promises, of loads,
systems, sides, controls, repeats and quotas, it promises of documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from evenhand.design.campaign import Campaign, Item
from evenhand.design.tasks import ScaledTask, Ticket
from evenhand.errors import CampaignError


def fold(campaign: Campaign) -> Campaign:
    """Return the campaign of documents: each goes by the name of its first segment."""
    items = list[Item]()
    for one in campaign.items:
        segments = campaign.segments.get(one.document, ())
        if not segments:
            items.append(one)
        elif one.name == segments[0]:
            items.append(_join([campaign.item(name) for name in segments]))
    design = replace(campaign.design, documents=False, equal_outputs="ask")
    passes = (
        replace(one, document_question="") if isinstance(one, ScaledTask) else one
        for one in campaign.tasks
    )
    return replace(campaign, tasks=tuple(passes), items=tuple(items), design=design)


def _join(segments: Sequence[Item]) -> Item:
    first, what = segments[0], f"document '{segments[0].document}'"
    for one in segments:
        if set(one.systems) != set(first.systems):
            system = min({*one.systems} ^ {*first.systems})
            lacks, has = (first, one) if system in one.systems else (one, first)
            raise CampaignError(
                f"{what}: item '{has.name}' has an output of {system}, and item '{lacks.name}' has"
                " none: every system needs all segments of a document; add it, or leave documents"
                " out"
            )
        if one.anchor != first.anchor or bool(one.control) != bool(first.control):
            raise CampaignError(
                f"{what}: items '{first.name}' and '{one.name}' differ in being control items or"
                " anchors: mark all its items, or none"
            )
        if one.group != one.name:
            raise CampaignError(
                f"{what}: item '{one.name}' is of group '{one.group}', and with documents a"
                " document is one source: leave group out"
            )
    # one bad segment makes a bad document
    known = min(segments, key=lambda one: one.control)
    control = {"control": known.control, "expected": known.expected}
    return replace(first, document="", group=first.document, **control)  # type: ignore[arg-type]


def take_first(campaign: Campaign, tickets: Iterable[Ticket]) -> list[Ticket]:
    """Return the tickets of the folded campaign: those of first segments, and of no document."""
    return [one for one in tickets if one.item == campaign.list_segments(one)[0]]


def take_last(campaign: Campaign, tickets: Iterable[Ticket]) -> list[Ticket]:
    """Return the tickets with which a document ends."""
    mine = (one for one in tickets if one.kind != "training" and campaign.item(one.item).document)
    return [one for one in mine if one.item == campaign.list_segments(one)[-1]]


def count_torn(campaign: Campaign, tickets: Iterable[Ticket]) -> int:
    """Count tickets that are not where the segment before, or the one after, says they must be."""
    torn, due = 0, list[tuple[object, ...]]()  # what has to come next
    for one in tickets:
        segments = campaign.list_segments(one)
        shown = (one.judge, one.task, one.systems, one.kind)
        if due[:1] == [(*shown, one.item)]:
            due = due[1:]
            continue
        torn += bool(due) or one.item != segments[0]
        due = [(*shown, name) for name in segments[1:]] if one.item == segments[0] else []
    return torn + bool(due)

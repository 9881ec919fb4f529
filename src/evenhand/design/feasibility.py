"""Designs that cannot be, and what makes a campaign worth less: before anybody is asked."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import numpy as np

from evenhand.design.campaign import Campaign
from evenhand.design.dealing import Columns, Units, divide_quotas, has_left_out
from evenhand.design.texts import say
from evenhand.errors import CampaignError, listing
from evenhand.numerics import Integers
from evenhand.numerics.designs import find_shortage
from evenhand.render.findings import Finding


def check_balance(campaign: Campaign) -> None:
    """Refuse balanced blocks where there are none, or where some of them are shown to nobody."""
    if not campaign.design.balanced_blocks:
        return
    widths = {one.width for one in campaign.tasks}
    why = ""
    if max(widths) < 2:
        why = "every pass shows one output, and blocks are pairs or sets"
    elif campaign.design.policy:
        why = f"policy '{campaign.design.policy}' chooses the pairs while judgments come in"
    elif any(has_left_out(campaign, width) for width in widths if width > 1):
        why = (
            "with once_per_source one pair or set of each anchor is shown, and the others are"
            " missing"
        )
    if why:
        raise CampaignError(f"balanced_blocks cannot be: {why}; leave balanced_blocks out")


def refuse_impossible(campaign: Campaign, units: Units, groups: Integers, caps: Integers) -> None:
    """Refuse a design in which judges do not suffice.

    Units of one of the (U,) groups go to different judges; caps: (J,) most units of each judge.
    """
    each, judges = campaign.design.judges_per_item, len(campaign.judges)
    if each > judges:
        raise CampaignError(
            f"{each} different judges for each item need {each} judges: there are {judges}"
        )
    needs = np.bincount(groups) * each
    widest = int(needs.argmax())
    if needs[widest] > judges:
        name = campaign.items[units.item[np.flatnonzero(groups == widest)[0]]].group
        raise CampaignError(
            f"no judge may see a source from two systems: source '{name}' has"
            f" {needs[widest] // each} {_name(units)}, which with {each} judges each need"
            f" {needs[widest]} different judges; there are {judges}"
        )
    total = int(needs.sum())
    able = int(np.minimum(caps, len(needs)).sum())
    if total > able:
        once = " with no source twice" if campaign.design.once_per_source else ""
        raise CampaignError(
            f"{len(units):,} {_name(units)} × {each} judges = {total:,} judgments in each pass, and"
            f" quotas leave room for {able:,}{once}: raise quotas, add judges, or ask for less"
        )
    short = find_shortage(needs, caps)
    if short is not None:
        t, need, supply = short
        raise CampaignError(
            f"quotas are too unequal: the {t:,} largest sources need {need:,} judgments, and"
            f" nobody may judge more than {t:,} of them, which leaves {supply:,} (Gale and Ryser);"
            " give more judges a share"
        )


def _name(units: Units) -> str:
    return {1: "outputs", 2: "pairs"}.get(units.width, "sets of outputs")


def find_caps(
    campaign: Campaign, sizes: dict[int, int], most: dict[int, int], anchors: dict[int, int]
) -> dict[int, Integers]:
    """Return width → (J,) how many units of that width every judge may be dealt in a pass."""
    design = campaign.design
    beside = design.controls + design.repeats + design.again
    passes = {width: sum(one.width == width for one in campaign.tasks) for width in sizes}
    fixed = sum(n * (beside + anchors[width]) for width, n in passes.items())
    rooms = np.full(len(campaign.judges), -1, dtype=np.int64)
    for at, judge in enumerate(campaign.judges):
        quota = judge.quota if judge.quota is not None else design.quota
        if quota is None:
            continue
        rooms[at] = quota - fixed
        if rooms[at] < 0:
            raise CampaignError(
                f"judge '{judge.name}' has a quota of {quota:,}: anchors, controls and repeats"
                f" alone are {fixed:,}"
            )
    listed = [np.array([one[width] for width in sizes]) for one in (passes, sizes, most)]
    columns = Columns(*listed)
    whole = int(columns.passes @ columns.sizes)
    able = int(columns.passes @ columns.most)
    room = int(np.where(rooms < 0, able, np.minimum(rooms, able)).sum())
    if len(columns.sizes) > 1 and room < whole:
        raise CampaignError(
            f"all passes together ask for {whole:,} judgments besides anchors, controls and"
            f" repeats, and quotas leave room for {room:,}: raise quotas, add judges, or ask for"
            " less"
        )
    caps = divide_quotas(rooms, columns)
    return {width: caps[:, at] for at, width in enumerate(sizes)}


SEED_IS_NAMED: Final = say("seed-named", "warning")
SEED_IS_KNOWN: Final = say("seed-known", "warning")
# How feedback in English names an output by its place
_PLACES: Final = re.compile(r"\b(first|second|left|(?:text|output) [1-9A-J])\b", re.IGNORECASE)


def find_doubts(campaign: Campaign) -> tuple[Finding, ...]:
    # Looked for are texts that a pass shows and items do not have, equal outputs that are compared,
    # equal sources that count as different ones where no judge may see a source twice, and feedback
    # that names outputs by their place.
    items = [one for one in campaign.items if not one.control]
    doubts = []
    for task in campaign.tasks:
        for name in task.shows:
            lacking = [one.name for one in items if not getattr(one, name).strip()]
            if len(lacking) == len(items) and name == "reference":
                doubts.append(say("nothing-to-show", "warning", task=task.name, name=name))
            elif lacking and len(lacking) < len(items) and name != "context":  # few items have one
                counts = {"lacking": len(lacking), "of": len(items), "names": listing(lacking, 3)}
                doubts.append(say("little-to-show", "warning", task=task.name, name=name, **counts))
    equal = [one.name for one in items if len(set(one.outputs.values())) < len(one.outputs)]
    if equal and any(one.width > 1 for one in campaign.tasks):
        counts = {"equal": len(equal), "of": len(items), "names": listing(equal, 3)}
        doubts.append(say("equal-outputs", "warning", **counts))
    groups: dict[str, set[str]] = defaultdict(set)
    for one in items:
        if one.source.strip():
            groups[one.source].add(one.group)
    twins = [sorted(names) for names in groups.values() if len(names) > 1]
    if twins and campaign.design.once_per_source:
        example = " and ".join(f"'{name}'" for name in twins[0][:2])
        doubts.append(say("equal-sources", "warning", sources=len(twins), example=example))
    return (*doubts, *find_named_places(campaign))


def find_named_places(campaign: Campaign) -> Iterator[Finding]:
    """Find feedback that names an output by its place, which is drawn for each judge."""
    for one in campaign.training:
        place = _PLACES.search(one.feedback)
        if place is not None and len(one.item.systems) > 1:
            named = {"item": one.item.name, "task": one.task, "place": place[0]}
            yield say("feedback-names-place", "warning", **named)

"""From a campaign to its tickets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.campaign.assignment import ANCHOR, CONTROL, TARGET, TRAINING, Assignment
from evenhand.campaign.campaign import Campaign
from evenhand.campaign.controls import check_controls, deal_controls
from evenhand.campaign.feasibility import check_balance
from evenhand.campaign.positions import arrange
from evenhand.campaign.shares import FREE, Dealt, deal_campaign
from evenhand.campaign.sitting import Hand, NoRoom, seat
from evenhand.campaign.tasks.pair import PairTask
from evenhand.campaign.tasks.rank import RankTask
from evenhand.campaign.tasks.rating import RatingTask
from evenhand.campaign.tasks.task import Task
from evenhand.campaign.ticket import KINDS
from evenhand.errors import CampaignError, InvalidJudgments
from evenhand.numerics.even_halves import halve
from evenhand.numerics.stable_draws import Draws

Integers = NDArray[np.int64]
REPEAT = KINDS.index("repeat")
Shown = dict[int, list[dict[str, int]]]
"""By widths of passes, for each judge: source → the item of it that may be shown again, −1 none."""
ROLES = (TARGET, ANCHOR, CONTROL)


@dataclass(frozen=True, eq=False)
class Entries:
    """What is asked in one pass, in the order of judges: tickets without their order and repeats.

    Attributes:
        judge: (n,) place of the judge.
        item: (n,) place of the item.
        shown: (n, width) places among the item's systems, in the order shown.
        kind: (n,) place in `ticket.KINDS`.

    """

    judge: Integers
    item: Integers
    shown: Integers
    kind: Integers


def compile_tickets(campaign: Campaign) -> Assignment:
    """Decide who sees what, in which order.

    Raises:
        CampaignError: the design cannot be, with the reason.

    """
    draws = Draws(campaign.seed, "campaign")
    _check_training(campaign)
    check_controls(campaign)
    check_balance(campaign)
    dealt = deal_campaign(campaign, draws)
    shown: Shown = {width: [{} for _ in campaign.judges] for width in dealt}
    passes = [_enter(campaign, task, (dealt[task.width], shown), draws) for task in campaign.tasks]
    return _gather(campaign, passes, draws)


def _check_training(campaign: Campaign) -> None:
    """Refuse training that its task cannot show or would not take."""
    for one in campaign.training:
        task, n = campaign.task(one.task), len(one.item.systems)
        if n != task.width and not (task.width > 2 and 2 <= n <= task.width):
            raise CampaignError(
                f"training '{one.item.name}' has {n} outputs: a ticket of '{task.name}' shows"
                f" {task.width}"
            )
        if one.answer:
            try:
                task.validate(dict(one.answer), tuple(one.item.outputs.values()), one.item.source)
            except InvalidJudgments as error:
                raise CampaignError(
                    f"training '{one.item.name}' of pass '{task.name}': {error}{_show_answer(task)}"
                ) from None


def _show_answer(task: Task) -> str:
    """Return an answer as a campaign file writes it, where that is short; "" where it is not."""
    if isinstance(task, PairTask):
        first, *others = task.outcomes
        shown = f'{{ outcome = "{first}" }}, or {", ".join(others)}; left is what is written first'
    elif isinstance(task, RankTask):
        places = list(range(1, task.width + 1))
        shown = f"{{ ranks = {places} }}, a place for each output as they are written"
    elif isinstance(task, RatingTask):
        shown = f"{{ score = {task.low:g} }}, a number from {task.low:g} to {task.high:g}"
    else:
        return ""
    return f"; write answer = {shown}"


def _enter(campaign: Campaign, task: Task, what: tuple[Dealt, Shown], draws: Draws) -> Entries:
    """Return what is asked in one pass."""
    dealt, shown_before = what
    units, named, known = dealt.units, draws.of("pass", task.name), dealt.unit != FREE
    unit, by = dealt.unit[known], dealt.judge[known]
    places, item = units.places[unit], units.item[unit]
    systems = _code_systems(campaign, item, places)
    shown = arrange(places, systems, unit, by, named)
    found = [Entries(by, item, shown, dealt.kind[known])]
    if campaign.design.controls:
        found.append(_enter_controls(campaign, task, (found[0], shown_before[task.width]), draws))
    if not known.all():
        found.append(_keep_free(dealt.judge[~known], task.width))
    judge, item, shown, kind = (
        np.concatenate([getattr(one, name) for one in found])
        for name in ("judge", "item", "shown", "kind")
    )
    order = np.argsort(judge, kind="stable")
    return Entries(judge[order], item[order], shown[order], kind[order])


def _keep_free(judge: Integers, width: int) -> Entries:
    """Return tickets of which a policy says later what they show."""
    n = len(judge)
    return Entries(judge, np.full(n, -1), np.full((n, width), -1), np.full(n, TARGET))


def _code_systems(campaign: Campaign, item: Integers, places: Integers) -> Integers:
    """Return (n, w) codes of systems, in the order of their names; −1 where there is none."""
    names = sorted({system for one in campaign.items for system in one.systems})
    code = {name: at for at, name in enumerate(names)}
    widest = max(len(one.systems) for one in campaign.items)
    table = np.full((len(campaign.items), widest + 1), -1, dtype=np.int64)
    for at, one in enumerate(campaign.items):
        table[at, : len(one.systems)] = [code[name] for name in one.systems]
    return np.asarray(table[item[:, None], places])


def _enter_controls(
    campaign: Campaign, task: Task, shown: tuple[Entries, list[dict[str, int]]], draws: Draws
) -> Entries:
    """Return the controls of one pass; of two outputs the better stands left half of the time."""
    targets, seen = shown
    if campaign.design.once_per_source:
        for who, at in zip(targets.judge.tolist(), targets.item.tolist(), strict=True):
            seen[who][campaign.items[at].group] = -1
    chosen = deal_controls(campaign, task, seen, draws)
    judge = np.repeat(np.arange(len(chosen)), [len(one) for one in chosen])
    item = np.array([at for one in chosen for at in one], dtype=np.int64)
    places = np.full((len(item), task.width), -1, dtype=np.int64)
    for row, at in enumerate(item.tolist()):
        one = campaign.items[at]
        best = one.expects(task.name)
        first = sorted(range(len(one.systems)), key=lambda place: one.systems[place] != best)
        places[row, : len(first)] = first
    if task.width == 2:
        both = [item, np.zeros_like(item)]
        turned = halve(both, [judge], draws.of("controls", task.name))
        places = np.where(turned[:, None], places[:, ::-1], places)
    elif task.width > 2:
        systems = _code_systems(campaign, item, places)
        places = arrange(places, systems, item, judge, draws.of("controls", task.name))
    return Entries(judge, item, places, np.full(len(item), CONTROL))


def _gather(campaign: Campaign, passes: list[Entries], draws: Draws) -> Assignment:
    """Put the tickets of every judge in order, pass by pass."""
    width = max(one.shown.shape[1] for one in passes)
    rows: list[Integers] = []
    again: list[Integers] = []
    start = 0
    for judge in range(len(campaign.judges)):
        for at, entries in enumerate(passes):
            for one, origin in (_teach(campaign, at), _sit(campaign, (judge, at), entries, draws)):
                block = np.full((len(origin), 4 + width), -1, dtype=np.int64)
                block[:, 0], block[:, 1] = judge, at
                block[:, 2 : 2 + one.shape[1]] = one
                rows.append(block)
                again.append(np.where(origin >= 0, origin + start, -1))
                start += len(origin)
    table = np.concatenate(rows)
    return Assignment(
        campaign=campaign,
        judge=table[:, 0].astype(np.int32),
        task=table[:, 1].astype(np.int32),
        kind=table[:, 2].astype(np.int8),
        item=table[:, 3].astype(np.int32),
        shown=table[:, 4:].astype(np.int32),
        again=np.concatenate(again).astype(np.int32),
    )


def _teach(campaign: Campaign, at: int) -> tuple[Integers, Integers]:
    """Return kind, item and places of the training before a pass."""
    name, width = campaign.tasks[at].name, campaign.tasks[at].width
    mine = [n for n, one in enumerate(campaign.training) if one.task == name]
    rows = np.full((len(mine), 2 + width), -1, dtype=np.int64)
    for row, n in zip(rows, mine, strict=True):
        size = len(campaign.training[n].item.systems)
        row[:2] = TRAINING, len(campaign.items) + n
        row[2 : 2 + size] = range(size)
    return rows, np.full(len(mine), -1, dtype=np.int64)


def _sit(
    campaign: Campaign, who: tuple[int, int], entries: Entries, draws: Draws
) -> tuple[Integers, Integers]:
    """Return kind, item and places of one judge's tickets in one pass, and what they repeat."""
    (judge, at), design = who, campaign.design
    first, last = np.searchsorted(entries.judge, [judge, judge + 1])
    kinds = entries.kind[first:last]
    of = [tuple((first + np.flatnonzero(kinds == one)).tolist()) for one in ROLES]
    named = draws.of("sitting", judge, at)
    try:
        order, origin = seat(Hand(*of), design.repeats, design.again, design.lag, named)
    except NoRoom:
        name = campaign.judges[judge].name
        asked = design.repeats + design.again
        raise CampaignError(
            f"judge '{name}' has {last - first:,} tickets in pass '{campaign.tasks[at].name}', of"
            f" which {len(of[0]):,} may be repeated: {asked:,} repeats at least {design.lag:,}"
            " tickets later find no place; ask for fewer, or lower lag"
        ) from None
    chosen, back = np.array(order, dtype=np.int64), np.array(origin, dtype=np.int64)
    kind = np.where(back >= 0, REPEAT, entries.kind[chosen])
    return np.column_stack([kind, entries.item[chosen], entries.shown[chosen]]), back

"""From a campaign to its tickets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from evenhand.design.campaign import Campaign, Item
from evenhand.design.dealing import (
    Hand,
    NoRoom,
    Units,
    arrange,
    count_pairs,
    deal_units,
    list_units,
    seat,
    share_budget,
)
from evenhand.design.feasibility import check_balance, find_caps, refuse_impossible
from evenhand.design.tasks import (
    TICKET_KINDS,
    Kind,
    PairTask,
    RankTask,
    RatingTask,
    ScaledTask,
    SpanTask,
    Task,
    Ticket,
)
from evenhand.errors import CampaignError, InvalidJudgments, end, listing, suggest
from evenhand.numerics.designs import halve
from evenhand.numerics.sampling import Draws

# Who is asked what, in which order: every ticket of every judge, fixed before the campaign begins.
#
# Tickets are kept as whole numbers and made when they are looked at: 500,000 of them take 15 MB.

Codes = NDArray[np.int32]
Small = NDArray[np.int8]
ANCHOR = TICKET_KINDS.index("anchor")
CONTROL = TICKET_KINDS.index("control")
TARGET = TICKET_KINDS.index("target")
TRAINING = TICKET_KINDS.index("training")


@dataclass(frozen=True, eq=False, repr=False)
class Assignment:
    """All tickets, judge by judge, in the order in which each judge answers them."""

    campaign: Campaign  # what is asked
    judge: Codes  # (n,) place among the judges
    task: Codes  # (n,) place among the passes
    # (n,) place among the items, those of training after the others; −1 where a policy says later
    # what is shown
    item: Codes
    shown: Codes  # (n, w) places among the item's systems, in the order shown; −1 after the last
    kind: Small  # (n,) place in `ticket.KINDS`
    again: Codes  # (n,) number of the ticket that is repeated; −1 for none

    def __len__(self) -> int:
        return len(self.judge)

    def __getitem__(self, number: int) -> Ticket:
        if not 0 <= number < len(self):
            raise CampaignError(f"there is no ticket {number}: there are {len(self):,}, from 0")
        return self._make(number)

    def __iter__(self) -> Iterator[Ticket]:
        return map(self._make, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Assignment) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Assignment({self.campaign.name}: {len(self):,} tickets)"

    def of(self, judge: str) -> tuple[Ticket, ...]:
        """Return the tickets of a judge, in order."""
        names = [one.name for one in self.campaign.judges]
        if judge not in names:
            raise CampaignError(f"campaign '{self.campaign.name}' has no judge '{judge}'")
        place = names.index(judge)
        first, last = np.searchsorted(self.judge, [place, place + 1])
        return tuple(map(self._make, range(first, last)))

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Items by their place, those of training after the others."""
        return (*self.campaign.items, *(one.item for one in self.campaign.training))

    @cached_property
    def digest(self) -> str:
        """Sha256 of the campaign and all tickets, in hexadecimal digits."""
        told = sha256(self.campaign.digest.encode())
        for one in (self.judge, self.task, self.item, self.shown, self.again, self.kind):
            told.update(np.ascontiguousarray(one, dtype="<i4").tobytes())
        return told.hexdigest()

    def _make(self, number: int) -> Ticket:
        if self.item[number] < 0:
            return self._keep_free(number)
        item = self.items[self.item[number]]
        places = self.shown[number].tolist()
        systems = tuple(item.systems[place] for place in places if place >= 0)
        task = self.campaign.tasks[self.task[number]].name
        kind: Kind = TICKET_KINDS[self.kind[number]]
        again = int(self.again[number])
        expected = _expect(item, task, systems) if kind in ("control", "training") else ""
        return Ticket(
            number=number,
            judge=self.campaign.judges[self.judge[number]].name,
            task=task,
            item=item.name,
            systems=systems,
            kind=kind,
            again=again if again >= 0 else None,
            expected=expected,
        )

    def _keep_free(self, number: int) -> Ticket:
        """Return a ticket of which it is not known yet what it shows."""
        again = int(self.again[number])
        return Ticket(
            number=number,
            judge=self.campaign.judges[self.judge[number]].name,
            task=self.campaign.tasks[self.task[number]].name,
            item="",
            systems=(),
            kind=TICKET_KINDS[self.kind[number]],
            again=again if again >= 0 else None,
        )


def _expect(item: Item, task: str, systems: tuple[str, ...]) -> str:
    """Return what is expected of a ticket, as our tables hold it."""
    if item.control in ("good", "bad"):
        return item.control
    expected = item.expects(task)
    if isinstance(expected, str):
        if len(systems) == 2 and expected in systems:
            return ("left", "right")[systems.index(expected)]
        return expected
    whole = float(expected).is_integer()
    return str(int(expected)) if whole else repr(float(expected))


def assign(campaign: Campaign) -> Assignment:
    """Decide who sees what, in which order; the same for the same campaign everywhere."""
    return compile_tickets(campaign)


# What every judge is dealt of outputs, pairs and sets, and the anchors that all share.

Integers = NDArray[np.int64]
FREE = -1  # What is judged is not known yet


@dataclass(frozen=True, eq=False)
class Dealt:
    """Who judges what of one width, the same in all its passes."""

    units: Units  # what is judged, anchors among it
    unit: Integers  # (n,) what; FREE where a policy says it later
    judge: Integers  # (n,) by whom
    kind: Integers  # (n,) target or anchor


def deal_campaign(campaign: Campaign, draws: Draws) -> dict[int, Dealt]:
    """Deal the units of each width."""
    if campaign.design.policy:
        return {2: _reserve_pairs(campaign, draws)}
    widths = dict.fromkeys(one.width for one in campaign.tasks)
    lists = {width: list_units(campaign, width, draws.of("units", width)) for width in widths}
    shared = {width: _find_anchors(campaign, units, draws) for width, units in lists.items()}
    own = {width: _find_own(campaign, units) for width, units in lists.items()}
    sizes = {width: len(one) * campaign.design.judges_per_item for width, one in own.items()}
    most = {width: _count_most(campaign, units, own[width]) for width, units in lists.items()}
    caps = find_caps(campaign, sizes, most, {width: len(one) for width, one in shared.items()})
    return {
        width: _join(
            units,
            _deal(campaign, (units, own[width]), caps[width], draws.of("deal", width)),
            _repeat(shared[width], len(campaign.judges)),
        )
        for width, units in lists.items()
    }


def _reserve_pairs(campaign: Campaign, draws: Draws) -> Dealt:
    """Return how much each judge is asked of pairs that a policy chooses, and the anchors."""
    units = list_units(campaign, 2, draws.of("units", 2))
    shared = _find_anchors(campaign, units, draws)
    pairs = int(count_pairs(campaign).sum())
    size = {2: pairs * campaign.design.judges_per_item}
    caps = find_caps(campaign, size, size, {2: len(shared)})
    loads = share_budget(campaign, caps[2], draws.of("deal", 2))
    own = np.full(int(loads.sum()), FREE), np.repeat(np.arange(len(loads)), loads)
    return _join(units, own, _repeat(shared, len(campaign.judges)))


def _count_most(campaign: Campaign, units: Units, own: Integers) -> int:
    """Return how much one judge may be dealt at most: no unit twice, or no source."""
    return len(np.unique(units.group[own])) if campaign.design.once_per_source else len(own)


def _find_own(campaign: Campaign, units: Units) -> Integers:
    """Return the units that are dealt: those of items that are no anchors."""
    anchor = np.array([one.anchor for one in campaign.items], dtype=bool)[units.item]
    if not len(units):
        raise CampaignError("there is nothing to judge: all items are controls")
    if campaign.design.once_per_source:
        both = np.intersect1d(units.group[anchor], units.group[~anchor])
        if len(both):
            at = units.item[np.flatnonzero(units.group == both[0])[0]]
            raise CampaignError(
                f"source '{campaign.items[at].group}' is an anchor, which all judges see, and is"
                " also dealt out, though no judge may see a source twice: mark all its items as"
                " anchors, or none"
            )
    return np.flatnonzero(~anchor)


def _find_anchors(campaign: Campaign, units: Units, draws: Draws) -> Integers:
    """Return the units that all judges share: one of each source if a source is seen only once."""
    anchor = np.array([one.anchor for one in campaign.items], dtype=bool)[units.item]
    found = np.flatnonzero(anchor)
    if not campaign.design.once_per_source or not len(found):
        return found
    found = found[draws.of("anchors", units.width).order(len(found))]
    shown = np.zeros(len(units.labels), dtype=np.int64)
    chosen = []
    for group in np.unique(units.group[found]):
        mine = found[units.group[found] == group]
        one = mine[shown[units.label[mine]].argmin()]
        shown[units.label[one]] += 1
        chosen.append(int(one))
    return np.array(chosen, dtype=np.int64)


def _deal(
    campaign: Campaign, which: tuple[Units, Integers], caps: Integers, draws: Draws
) -> tuple[Integers, Integers]:
    """Return what is dealt and to whom."""
    units, own = which
    if not len(own):
        return own, own
    mine, each = units.take(own), campaign.design.judges_per_item
    groups = mine.groups if campaign.design.once_per_source else np.arange(len(mine))
    refuse_impossible(campaign, mine, groups, caps)
    unit, judge = deal_units(mine, groups, each, caps, draws)
    return own[unit], judge


def _repeat(shared: Integers, judges: int) -> tuple[Integers, Integers]:
    """Return the anchors of all judges."""
    return np.tile(shared, judges), np.repeat(np.arange(judges), len(shared))


def _join(units: Units, own: tuple[Integers, Integers], shared: tuple[Integers, Integers]) -> Dealt:
    """Put what is dealt and what is shared together, in the order of judges."""
    unit, judge = np.concatenate([own[0], shared[0]]), np.concatenate([own[1], shared[1]])
    kind = np.repeat([TARGET, ANCHOR], [len(own[0]), len(shared[0])])
    order = np.lexsort((unit, judge))
    return Dealt(units, unit[order], judge[order], kind[order])


# Which control items a judge sees in a pass: each as often as any other, directions in turn.


def fits(item: Item, task: Task) -> bool:
    """Say whether a task shows a control item, and its answer is known there."""
    n = len(item.systems)
    shown = n == task.width or (task.width > 2 and 2 <= n <= task.width)
    known = item.control in ("good", "bad") if n == 1 else False
    return shown and (known or item.expects(task.name) != "")


def check_controls(campaign: Campaign) -> None:
    """Refuse controls that no pass can use, expect what cannot be, or are not asked for."""
    controls = [one for one in campaign.items if one.control]
    for item in controls:
        _check_passes(campaign, item)
        suited = [task for task in campaign.tasks if fits(item, task)]
        if not suited:
            raise CampaignError(_say_unfit(campaign, item))
        for task in suited:
            if item.control == "expected":
                _check_expected(item, task)
    asked = campaign.design.controls
    if controls and not asked:
        raise CampaignError(
            f"there are {len(controls)} control items, and nobody is shown one: say how many each"
            " judge sees in a pass (controls = 5), or leave the items out"
        )
    for task in campaign.tasks if asked else ():
        there = sum(fits(one, task) for one in controls)
        if there < asked:
            raise CampaignError(
                f"each judge is to see {asked} different control items in pass '{task.name}': there"
                f' are {there} (items with control = "good", "bad", or expected = an answer)'
            )


def _check_passes(campaign: Campaign, item: Item) -> None:
    """Refuse an answer that is expected in a pass that is none."""
    names = [one.name for one in campaign.tasks]
    for name in item.expected if isinstance(item.expected, Mapping) else ():
        if name not in names:
            hint = end(suggest(name, names)) or f": there are {listing(names)}"
            raise CampaignError(
                f"control '{item.name}' expects an answer in pass '{name}', which is none{hint}"
            )


def _say_unfit(campaign: Campaign, item: Item) -> str:
    widths = sorted({one.width for one in campaign.tasks})
    if item.control != "expected" and len(item.systems) > 1:
        return (
            f"control '{item.name}' has {len(item.systems)} outputs: say which is best"
            f' (expected = "{item.systems[0]}"); good and bad are for one output'
        )
    shown = " or ".join(str(one) for one in widths)
    return (
        f"control '{item.name}' fits no pass: it has {len(item.systems)} outputs"
        f" ({listing(item.systems)}), and a ticket shows {shown}; or no pass knows its answer"
    )


def _check_expected(item: Item, task: Task) -> None:
    """Refuse an expected answer that the task does not take."""
    expected = item.expects(task.name)
    if isinstance(task, ScaledTask):
        if isinstance(task, SpanTask) and not task.score:
            raise CampaignError(
                f"control '{item.name}': pass '{task.name}' has no score that could be expected;"
                " say good or bad"
            )
        if isinstance(expected, str) or not task.scale.low <= expected <= task.scale.high:
            raise CampaignError(
                f"control '{item.name}' cannot expect {expected!r} in pass '{task.name}': a score"
                f" is {task.scale}"
            )
    elif expected not in (*item.systems, "tie"):
        raise CampaignError(
            f"control '{item.name}' cannot expect {expected!r} in pass '{task.name}': name the best"
            f" of {listing(item.systems)}, or tie"
        )


def deal_controls(
    campaign: Campaign, task: Task, seen: list[dict[str, int]], draws: Draws
) -> list[list[int]]:
    """Choose the control items of every judge in a pass."""
    pool = [at for at, one in enumerate(campaign.items) if one.control and fits(one, task)]
    named = draws.of("controls", *pool)
    shuffled = [pool[at] for at in named.order(len(pool)).tolist()]
    wheels = _sort_directions(campaign, shuffled)
    shown = dict.fromkeys(pool, 0)
    turns = named.of("turns").order(len(seen)).tolist()
    found = []
    for place, sources in enumerate(seen):
        chosen = _choose(campaign, wheels, shown, sources, turns[place])
        if len(chosen) < campaign.design.controls:
            raise CampaignError(
                f"judge '{campaign.judges[place].name}' sees the sources of too many control items"
                f" to be shown {campaign.design.controls} more in pass '{task.name}': give controls"
                " sources of their own"
            )
        found.append(chosen)
        for one in chosen:
            shown[one] += 1
    return found


def _sort_directions(campaign: Campaign, pool: list[int]) -> list[list[int]]:
    """Return the items of each direction."""
    by: dict[str, list[int]] = {}
    for at in pool:
        by.setdefault(campaign.items[at].control, []).append(at)
    return [by[name] for name in sorted(by)]


def _choose(
    campaign: Campaign,
    wheels: list[list[int]],
    shown: dict[int, int],
    used: dict[str, int],
    turn: int,
) -> list[int]:
    """Choose the items of one judge: directions in turn, of each what was shown least."""
    taken: list[int] = []
    ready = [sorted(wheel, key=shown.__getitem__) for wheel in wheels]
    while len(taken) < campaign.design.controls and any(ready):
        wheel = ready[(turn + len(taken)) % len(ready)] or next(one for one in ready if one)
        at = wheel.pop(0)
        group = campaign.items[at].group
        if used.get(group, at) != at:
            continue
        if campaign.design.once_per_source:
            used[group] = at
        taken.append(at)
    return taken


REPEAT = TICKET_KINDS.index("repeat")
# By widths of passes, for each judge: source → the item of it that may be shown again, −1 none
Shown = dict[int, list[dict[str, int]]]
ROLES = (TARGET, ANCHOR, CONTROL)


@dataclass(frozen=True, eq=False)
class Entries:
    """What is asked in one pass, in the order of judges: tickets without order and repeats."""

    judge: Integers  # (n,) place of the judge
    item: Integers  # (n,) place of the item
    shown: Integers  # (n, width) places among the item's systems, in the order shown
    kind: Integers  # (n,) place in `ticket.KINDS`


def compile_tickets(campaign: Campaign) -> Assignment:
    """Decide who sees what, in which order."""
    draws = Draws(campaign.drawing_seed, "campaign")
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
        found.append(_reserve_tickets(dealt.judge[~known], task.width))
    judge, item, shown, kind = (
        np.concatenate([getattr(one, name) for one in found])
        for name in ("judge", "item", "shown", "kind")
    )
    order = np.argsort(judge, kind="stable")
    return Entries(judge[order], item[order], shown[order], kind[order])


def _reserve_tickets(judge: Integers, width: int) -> Entries:
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
            for one, origin in (
                _teach(campaign, (judge, at), draws),
                _sit(campaign, (judge, at), entries, draws),
            ):
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


def _teach(campaign: Campaign, who: tuple[int, int], draws: Draws) -> tuple[Integers, Integers]:
    """Return kind, item and places of one judge's training before a pass, in drawn orders."""
    judge, at = who
    name, width = campaign.tasks[at].name, campaign.tasks[at].width
    mine = [n for n, one in enumerate(campaign.training) if one.task == name]
    rows = np.full((len(mine), 2 + width), -1, dtype=np.int64)
    for row, n in zip(rows, mine, strict=True):
        size = len(campaign.training[n].item.systems)
        row[:2] = TRAINING, len(campaign.items) + n
        row[2 : 2 + size] = draws.of("training", judge, at, n).order(size)
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

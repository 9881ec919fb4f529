"""From a campaign to its tickets: designs that cannot be, what is worth less, who is asked what."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.joining import say_alike
from evenhand.design import dealing, tasks
from evenhand.design.campaign import Campaign, Item, Judge
from evenhand.design.dealing import Columns, Units, divide_quotas, has_left_out
from evenhand.design.tasks import ANCHOR, CONTROL, REPEAT, TARGET, TRAINING
from evenhand.design.texts import say
from evenhand.errors import CampaignError, InvalidJudgments, listing, sentence_hint, suggest
from evenhand.numerics import Integers
from evenhand.numerics.designs import find_shortage, halve
from evenhand.numerics.sampling import Draws
from evenhand.render.document import Finding, plural, take_findings

# Tickets are kept as whole numbers and made when they are looked at: 500,000 of them take 15 MB.

Codes = NDArray[np.int32]
Small = NDArray[np.int8]


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
    kind: Small  # (n,) place in `TICKET_KINDS`
    again: Codes  # (n,) number of the ticket that is repeated; −1 for none

    def __len__(self) -> int:
        return len(self.judge)

    def __getitem__(self, number: int) -> tasks.Ticket:
        if not 0 <= number < len(self):
            raise CampaignError(f"there is no ticket {number}: there are {len(self):,}, from 0")
        return self._make(number)

    def __iter__(self) -> Iterator[tasks.Ticket]:
        return map(self._make, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Assignment) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Assignment({self.campaign.name}: {len(self):,} tickets)"

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Items by their place, those of training after the others."""
        return (*self.campaign.items, *(one.item for one in self.campaign.training))

    @cached_property
    def digest(self) -> str:
        """Sha256 of the campaign and all tickets, in hexadecimal digits."""
        digest = sha256(self.campaign.digest.encode())
        for column in (self.judge, self.task, self.item, self.shown, self.again, self.kind):
            digest.update(np.ascontiguousarray(column, dtype="<i4").tobytes())
        return digest.hexdigest()

    def _make(self, number: int) -> tasks.Ticket:
        task = self.campaign.tasks[self.task[number]].name
        kind: tasks.Kind = tasks.TICKET_KINDS[self.kind[number]]
        again = int(self.again[number])
        name, systems, expected = "", tuple[str, ...](), ""
        if self.item[number] >= 0:  # else a policy says later what is shown
            item = self.items[self.item[number]]
            places = self.shown[number].tolist()
            name, systems = item.name, tuple(item.systems[place] for place in places if place >= 0)
            if kind in ("control", "training"):
                known = item.expects(task)
                if item.control in ("good", "bad"):
                    expected = item.control
                elif not isinstance(known, str):
                    expected = str(int(known)) if float(known).is_integer() else repr(float(known))
                elif len(systems) == 2 and known in systems:
                    expected = ("left", "right")[systems.index(known)]
                else:
                    expected = known
        return tasks.Ticket(
            number=number,
            judge=self.campaign.judges[self.judge[number]].name,
            task=task,
            item=name,
            systems=systems,
            kind=kind,
            again=again if again >= 0 else None,
            expected=expected,
        )


def assign(campaign: Campaign) -> Assignment:
    """Decide who sees what, in which order; the same for the same campaign everywhere."""
    _check_training(campaign)
    check_controls(campaign)
    if campaign.segments:
        documents = fold(campaign)
        try:
            return _unfold(campaign, assign(documents))
        except CampaignError as refusal:
            counts = "a document counts as one item and one ticket"
            raise CampaignError(f"{refusal} ({counts})") from None
    draws = Draws(campaign.drawing_seed, "campaign")
    # balanced blocks that there are not, or some of which are shown to nobody
    widths, why = {one.width for one in campaign.tasks}, ""
    if max(widths) < 2:
        why = "every pass shows one output, and blocks are pairs or sets"
    elif campaign.design.policy:
        why = f"policy '{campaign.design.policy}' chooses the pairs while judgments come in"
    elif any(has_left_out(campaign, width) for width in widths if width > 1):
        why = "with once_per_source one pair or set of each anchor is shown, and the others are"
        why += " missing"
    if why and campaign.design.balanced_blocks:
        raise CampaignError(f"balanced_blocks cannot be: {why}; leave balanced_blocks out")
    dealt = assign_campaign_units(campaign, draws)
    # by widths of passes, for each judge: source → the item of it that may be shown again, −1 none
    shown: dict[int, list[dict[str, int]]] = {w: [{} for _ in campaign.judges] for w in dealt}
    passes = [
        _list_pass(campaign, task, dealt[task.width], shown[task.width], draws)
        for task in campaign.tasks
    ]
    width = max(one.shown.shape[1] for one in passes)
    rows, again, start = list[Integers](), list[Integers](), 0
    for judge in range(len(campaign.judges)):
        for at, entries in enumerate(passes):
            for one, origin in (
                _list_training(campaign, judge, at, draws),
                _order_pass(campaign, judge, at, entries, draws),
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


def assign_llm(campaign: Campaign) -> tuple[tasks.Ticket, ...]:
    """Return what an LLM judge is asked: all that the design asks of anybody, in both orders."""
    # Of two judges who both see everything, the second sees each pair in the other order. What
    # shows one output, and so has no order, is asked once. An LLM remembers nothing: it may see a
    # source again, training teaches it nothing, and an anchor is like any item. Tickets are
    # numbered from 0, and marked errors are not asked.
    design = replace(
        campaign.design,
        judges_per_item=2,
        once_per_source=False,
        quota=None,
        policy="",
        judgments=None,
        top=None,
    )
    orders = (Judge("1"), Judge("2"))
    chosen: dict[int, tasks.Ticket] = {}
    for one in assign(replace(campaign, judges=orders, design=design, training=())):
        task = campaign.task(one.task)
        if isinstance(task, tasks.SpanTask) or (task.width == 1 and one.judge != orders[0].name):
            continue
        kind: tasks.Kind = "target" if one.kind == "anchor" else one.kind
        again = None if one.again is None else chosen[one.again].number
        chosen[one.number] = replace(one, number=len(chosen), kind=kind, again=again)
    return tuple(chosen.values())


# A campaign that keeps documents together is assigned as one whose items are documents (`fold`),
# and each of its tickets then becomes one for each segment: what a design promises, it promises of
# documents.


def fold(campaign: Campaign) -> Campaign:
    """Return the campaign of documents: each goes by the name of its first segment."""
    items = list[Item]()
    for one in campaign.items:
        segments = campaign.segments.get(one.document, ())
        if not segments:
            items.append(one)
        elif one.name == segments[0]:
            items.append(_join_segments([campaign.item(name) for name in segments]))
    design = replace(campaign.design, documents=False, equal_outputs="ask")
    passes = (
        replace(one, document_question="") if isinstance(one, tasks.ScaledTask) else one
        for one in campaign.tasks
    )
    return replace(campaign, tasks=tuple(passes), items=tuple(items), design=design)


def _join_segments(segments: Sequence[Item]) -> Item:
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


def take_first(campaign: Campaign, tickets: Iterable[tasks.Ticket]) -> list[tasks.Ticket]:
    """Return the tickets of the folded campaign: those of first segments, and of no document."""
    return [one for one in tickets if one.item == campaign.list_segments(one)[0]]


def take_last(campaign: Campaign, tickets: Iterable[tasks.Ticket]) -> list[tasks.Ticket]:
    """Return the tickets with which a document ends."""
    mine = (one for one in tickets if one.kind != "training" and campaign.item(one.item).document)
    return [one for one in mine if one.item == campaign.list_segments(one)[-1]]


def count_torn(campaign: Campaign, tickets: Iterable[tasks.Ticket]) -> int:
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


def _unfold(campaign: Campaign, heads: Assignment) -> Assignment:
    """Return the tickets of all segments where `heads` has one for each document."""
    items = [*campaign.items, *(one.item for one in campaign.training)]
    place = {one.name: at for at, one in enumerate(items)}
    rows, starts = list[tuple[int, ...]](), list[int]()
    for number, head in enumerate(heads):
        starts.append(len(rows))
        for at, name in enumerate(campaign.list_segments(head)):
            shown = [items[place[name]].systems.index(one) for one in head.systems]
            shown += [-1] * (heads.shown.shape[1] - len(shown))
            again = -1 if head.again is None else starts[head.again] + at
            rows.append((number, place[name], again, *shown))
    table = np.array(rows, dtype=np.int32)
    of = table[:, 0]
    return Assignment(
        campaign=campaign,
        judge=heads.judge[of],
        task=heads.task[of],
        kind=heads.kind[of],
        item=table[:, 1],
        again=table[:, 2],
        shown=table[:, 3:],
    )


FREE = -1  # What is judged is not known yet


@dataclass(frozen=True, eq=False)
class AssignedUnits:
    """Who judges what of one width, the same in all its passes."""

    units: dealing.Units  # what is judged, anchors among it
    unit: Integers  # (n,) what; FREE where a policy says it later
    judge: Integers  # (n,) by whom
    kind: Integers  # (n,) target or anchor


def assign_campaign_units(campaign: Campaign, draws: Draws) -> dict[int, AssignedUnits]:
    design, judges = campaign.design, len(campaign.judges)
    widths = dict.fromkeys(one.width for one in campaign.tasks) if not design.policy else [2]
    lists = {
        width: dealing.list_units(campaign, width, draws.of("units", width)) for width in widths
    }
    shared = {width: _find_anchors(campaign, units, draws) for width, units in lists.items()}
    n_shared = {width: len(one) for width, one in shared.items()}
    if design.policy:  # which chooses pairs later: how many each judge is asked
        size = {2: int(dealing.count_pairs(campaign).sum()) * design.judges_per_item}
        caps = find_caps(campaign, size, size, n_shared)
        loads = dealing.share_budget(campaign, caps[2], draws.of("deal", 2))
        free = np.full(int(loads.sum()), FREE), np.repeat(np.arange(judges), loads)
        return {2: _join(lists[2], free, shared[2], judges)}
    targets = {width: _find_targets(campaign, units) for width, units in lists.items()}
    sizes = {width: len(one) * design.judges_per_item for width, one in targets.items()}
    # no judge is dealt a unit twice, or a source
    most = {
        width: len(np.unique(units.group[targets[width]]))
        if design.once_per_source
        else len(targets[width])
        for width, units in lists.items()
    }
    caps = find_caps(campaign, sizes, most, n_shared)
    dealt = {}
    for width, units in lists.items():
        unit = judge = targets[width]
        if len(unit):
            mine = units.take(targets[width])
            groups = mine.groups if design.once_per_source else np.arange(len(mine))
            refuse_impossible(campaign, mine, groups, caps[width])
            unit, judge = dealing.assign_units(
                mine, groups, design.judges_per_item, caps[width], draws.of("deal", width)
            )
            unit = targets[width][unit]
        dealt[width] = _join(units, (unit, judge), shared[width], judges)
    return dealt


def _find_targets(campaign: Campaign, units: dealing.Units) -> Integers:
    anchor = np.array([one.anchor for one in campaign.items], dtype=bool)[units.item]
    if not len(units):
        if any(not one.control for one in campaign.items):
            raise CampaignError(
                "there is nothing to judge: of each item all outputs are equal; check the columns"
                ' or files, or say equal_outputs = "ask" in [design]'
            )
        raise CampaignError("there is nothing to judge: all items are controls")
    if campaign.design.once_per_source:
        both = np.intersect1d(units.group[anchor], units.group[~anchor])
        if len(both):
            at = units.item[np.flatnonzero(units.group == both[0])[0]]
            raise CampaignError(
                f"source '{campaign.items[at].group}' is an anchor, which all judges see, and is"
                " also assigned, though no judge may see a source twice: mark all its items as"
                " anchors, or none"
            )
    return np.flatnonzero(~anchor)


def _find_anchors(campaign: Campaign, units: dealing.Units, draws: Draws) -> Integers:
    """Return the units that all judges share: one of each source if a source is seen only once."""
    anchors = np.flatnonzero(np.array([one.anchor for one in campaign.items])[units.item])
    if not campaign.design.once_per_source or not len(anchors):
        return anchors
    anchors = anchors[draws.of("anchors", units.width).order(len(anchors))]
    shown = np.zeros(len(units.labels), dtype=np.int64)
    chosen = []
    for group in np.unique(units.group[anchors]):
        of_group = anchors[units.group[anchors] == group]
        unit = of_group[shown[units.label[of_group]].argmin()]
        shown[units.label[unit]] += 1
        chosen.append(int(unit))
    return np.array(chosen, dtype=np.int64)


def _join(
    units: dealing.Units, targets: tuple[Integers, Integers], shared: Integers, judges: int
) -> AssignedUnits:
    n_targets, n_shared = len(targets[0]), len(shared) * judges
    unit = np.concatenate([targets[0], np.tile(shared, judges)])
    judge = np.concatenate([targets[1], np.repeat(np.arange(judges), len(shared))])
    kind = np.repeat([TARGET, ANCHOR], [n_targets, n_shared])
    order = np.lexsort((unit, judge))
    return AssignedUnits(units, unit[order], judge[order], kind[order])


# Which control items a judge sees in a pass: each as often as any other, directions in turn.


def fits(item: Item, task: tasks.Task) -> bool:
    """Say whether a task shows a control item, and its answer is known there."""
    n = len(item.systems)
    shown = n == task.width or (task.width > 2 and 2 <= n <= task.width)
    known = item.control in ("good", "bad") if n == 1 else False
    return shown and (known or item.expects(task.name) != "")


def check_controls(campaign: Campaign) -> None:
    """Refuse controls that no pass can use, expect what cannot be, or are not asked for."""
    controls = [one for one in campaign.items if one.control]
    passes = [one.name for one in campaign.tasks]
    for item in controls:
        for name in item.expected if isinstance(item.expected, Mapping) else ():
            if name not in passes:
                hint = sentence_hint(suggest(name, passes)) or f": there are {listing(passes)}"
                raise CampaignError(
                    f"control '{item.name}' expects an answer in pass '{name}', which is none{hint}"
                )
        suited = [task for task in campaign.tasks if fits(item, task)]
        if not suited:
            n = len(item.systems)
            if item.control != "expected" and n > 1:
                raise CampaignError(
                    f"control '{item.name}' has {n} outputs: say which is best (expected ="
                    f' "{item.systems[0]}"); good and bad are for one output'
                )
            shown = " or ".join(map(str, sorted({one.width for one in campaign.tasks})))
            raise CampaignError(
                f"control '{item.name}' fits no pass: it has {n} outputs ({listing(item.systems)}),"
                f" and a ticket shows {shown}; or no pass knows its answer"
            )
        for task in suited if item.control == "expected" else ():
            expected = item.expects(task.name)
            start = f"control '{item.name}' cannot expect {expected!r} in pass '{task.name}'"
            if not isinstance(task, tasks.ScaledTask):
                if expected not in (*item.systems, "tie"):
                    raise CampaignError(
                        f"{start}: name the best of {listing(item.systems)}, or tie"
                    )
            elif isinstance(task, tasks.SpanTask) and not task.score:
                raise CampaignError(
                    f"control '{item.name}': pass '{task.name}' has no score that could be"
                    " expected; say good or bad"
                )
            elif isinstance(expected, str) or not task.low <= expected <= task.high:
                raise CampaignError(f"{start}: a score is {task.scale}")
    n = campaign.design.controls
    if controls and not n:
        raise CampaignError(
            f"there are {len(controls)} control items, and nobody is shown one: say how many each"
            " judge sees in a pass (controls = 5), or leave the items out"
        )
    for task in campaign.tasks if n else ():
        fitting = sum(fits(one, task) for one in controls)
        if fitting < n:
            raise CampaignError(
                f"each judge is to see {n} different control items in pass '{task.name}': there"
                f' are {fitting} (items with control = "good", "bad", or expected = an answer)'
            )


@dataclass(frozen=True, eq=False)
class Entries:
    """What is asked in one pass, in the order of judges: tickets without order and repeats."""

    judge: Integers  # (n,) place of the judge
    item: Integers  # (n,) place of the item
    shown: Integers  # (n, width) places among the item's systems, in the order shown
    kind: Integers  # (n,) place in `TICKET_KINDS`


def _check_training(campaign: Campaign) -> None:
    for one in campaign.training:
        task, n = campaign.task(one.task), len(one.item.systems)
        if n != task.width and not (task.width > 2 and 2 <= n <= task.width):
            raise CampaignError(
                f"training '{one.item.name}' has {n} outputs: a ticket of '{task.name}' shows"
                f" {task.width}"
            )
        if not one.answer:
            continue
        try:
            task.validate(dict(one.answer), tuple(one.item.outputs.values()), one.item.source)
        except InvalidJudgments as error:
            # an answer as a campaign file writes it, where that is short
            example = ""
            if isinstance(task, tasks.PairTask):
                first, *others = task.outcomes
                example = f'{{ outcome = "{first}" }}, or {", ".join(others)}; left is what is'
                example += " written first"
            elif isinstance(task, tasks.RankTask):
                places = list(range(1, task.width + 1))
                example = f"{{ ranks = {places} }}, a place for each output as they are written"
            elif isinstance(task, tasks.RatingTask):
                example = f"{{ score = {task.low:g} }}, a number from {task.low:g} to {task.high:g}"
            raise CampaignError(
                f"training '{one.item.name}' of pass '{task.name}': {error}"
                + f"; write answer = {example}" * bool(example)
            ) from None


def _list_pass(
    campaign: Campaign,
    task: tasks.Task,
    dealt: AssignedUnits,
    seen: list[dict[str, int]],
    draws: Draws,
) -> Entries:
    units, named, known = dealt.units, draws.of("pass", task.name), dealt.unit != FREE
    unit, by = dealt.unit[known], dealt.judge[known]
    places, item = units.places[unit], units.item[unit]
    systems = _code_systems(campaign, item, places)
    shown = dealing.arrange(places, systems, unit, by, named)
    parts = [Entries(by, item, shown, dealt.kind[known])]
    if campaign.design.controls:
        parts.append(_list_controls(campaign, task, parts[0], seen, draws))
    if not known.all():  # tickets of which a policy says later what they show
        n = int((~known).sum())
        nothing = (np.full(n, -1), np.full((n, task.width), -1))
        parts.append(Entries(dealt.judge[~known], *nothing, np.full(n, TARGET)))
    judge, item, shown, kind = (
        np.concatenate([getattr(one, name) for one in parts])
        for name in ("judge", "item", "shown", "kind")
    )
    order = np.argsort(judge, kind="stable")
    return Entries(judge[order], item[order], shown[order], kind[order])


def _code_systems(campaign: Campaign, item: Integers, places: Integers) -> Integers:
    """Return (n, w) codes of systems, in the order of their names; −1 where there is none."""
    names = sorted({system for one in campaign.items for system in one.systems})
    code = {name: at for at, name in enumerate(names)}
    widest = max(len(one.systems) for one in campaign.items)
    table = np.full((len(campaign.items), widest + 1), -1, dtype=np.int64)
    for at, one in enumerate(campaign.items):
        table[at, : len(one.systems)] = [code[name] for name in one.systems]
    return np.asarray(table[item[:, None], places])


def _list_controls(
    campaign: Campaign,
    task: tasks.Task,
    targets: Entries,
    seen: list[dict[str, int]],
    draws: Draws,
) -> Entries:
    """Return the controls of one pass; of two outputs the better stands left half of the time."""
    if campaign.design.once_per_source:
        for who, at in zip(targets.judge.tolist(), targets.item.tolist(), strict=True):
            seen[who][campaign.items[at].group] = -1
    pool = [at for at, one in enumerate(campaign.items) if one.control and fits(one, task)]
    named = draws.of("controls", *pool)
    directions: dict[str, list[int]] = {}
    for at in named.order(len(pool)).tolist():
        directions.setdefault(campaign.items[pool[at]].control, []).append(pool[at])
    by_direction = [directions[name] for name in sorted(directions)]
    times = dict.fromkeys(pool, 0)
    turns = named.of("turns").order(len(seen)).tolist()
    chosen: list[list[int]] = []
    for place, sources in enumerate(seen):
        # directions in turn, of each what was shown least
        taken: list[int] = []
        ready = [sorted(items, key=times.__getitem__) for items in by_direction]
        while len(taken) < campaign.design.controls and any(ready):
            turn = ready[(turns[place] + len(taken)) % len(ready)]
            at = (turn or next(one for one in ready if one)).pop(0)
            group = campaign.items[at].group
            if sources.get(group, at) == at:
                taken.append(at)
                if campaign.design.once_per_source:
                    sources[group] = at
        if len(taken) < campaign.design.controls:
            raise CampaignError(
                f"judge '{campaign.judges[place].name}' sees the sources of too many control items"
                f" to be shown {campaign.design.controls} more in pass '{task.name}': give controls"
                " sources of their own"
            )
        chosen.append(taken)
        for at in taken:
            times[at] += 1
    judge = np.repeat(np.arange(len(chosen)), [len(one) for one in chosen])
    item = np.array([at for one in chosen for at in one], dtype=np.int64)
    places = np.full((len(item), task.width), -1, dtype=np.int64)
    for row, at in enumerate(item.tolist()):
        one = campaign.items[at]
        best = one.expects(task.name)
        first = sorted(range(len(one.systems)), key=lambda place: one.systems[place] != best)
        places[row, : len(first)] = first
    of_task = draws.of("controls", task.name)
    if task.width == 2:
        turned = halve([item, np.zeros_like(item)], [judge], of_task)
        places = np.where(turned[:, None], places[:, ::-1], places)
    elif task.width > 2:
        systems = _code_systems(campaign, item, places)
        places = dealing.arrange(places, systems, item, judge, of_task)
    return Entries(judge, item, places, np.full(len(item), CONTROL))


def _list_training(
    campaign: Campaign, judge: int, at: int, draws: Draws
) -> tuple[Integers, Integers]:
    name, width = campaign.tasks[at].name, campaign.tasks[at].width
    mine = [n for n, one in enumerate(campaign.training) if one.task == name]
    rows = np.full((len(mine), 2 + width), -1, dtype=np.int64)
    for row, n in zip(rows, mine, strict=True):
        size = len(campaign.training[n].item.systems)
        row[:2] = TRAINING, len(campaign.items) + n
        row[2 : 2 + size] = draws.of("training", judge, at, n).order(size)
    return rows, np.full(len(mine), -1, dtype=np.int64)


def _order_pass(
    campaign: Campaign, judge: int, at: int, entries: Entries, draws: Draws
) -> tuple[Integers, Integers]:
    design = campaign.design
    first, last = np.searchsorted(entries.judge, [judge, judge + 1])
    kinds = entries.kind[first:last]
    roles = (TARGET, ANCHOR, CONTROL)
    of = [tuple((first + np.flatnonzero(kinds == one)).tolist()) for one in roles]
    named = draws.of("sitting", judge, at)
    try:
        order, origin = dealing.order_tickets(
            dealing.PassTickets(*of), design.repeats, design.again, design.lag, named
        )
    except dealing.NoPlaceForRepeat:
        name, repeats = campaign.judges[judge].name, design.repeats + design.again
        raise CampaignError(
            f"judge '{name}' has {last - first:,} tickets in pass '{campaign.tasks[at].name}', of"
            f" which {len(of[0]):,} may be repeated: {repeats:,} repeats at least {design.lag:,}"
            " tickets later find no place; ask for fewer, or lower lag"
        ) from None
    chosen, back = np.array(order, dtype=np.int64), np.array(origin, dtype=np.int64)
    kind = np.where(back >= 0, REPEAT, entries.kind[chosen])
    return np.column_stack([kind, entries.item[chosen], entries.shown[chosen]]), back


def refuse_impossible(campaign: Campaign, units: Units, groups: Integers, caps: Integers) -> None:
    # Units of one of the (U,) groups go to different judges; caps: (J,) most units of each judge.
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
            f"{len(units):,} {_name(units)} × {plural(each, 'judge')} = {total:,} judgments in each"
            f" pass, and quotas leave room for {able:,}{once}: raise quotas, add judges, or ask for"
            " less"
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
    items = [one for one in campaign.items if not one.control]
    doubts = [*take_findings(say_alike(campaign.systems))]
    for task in campaign.tasks:
        for name in task.shows:
            lacking = [one.name for one in items if not getattr(one, name).strip()]
            if len(lacking) == len(items) and name == "reference":
                doubts.append(say("nothing-to-show", "warning", task=task.name, name=name))
            elif lacking and len(lacking) < len(items) and name != "context":  # few items have one
                counts = {"lacking": len(lacking), "of": len(items), "names": listing(lacking, 3)}
                doubts.append(say("little-to-show", "warning", task=task.name, name=name, **counts))
    apart = {one.document for one in items} - {""}
    if 0 < len(apart) < len(items) and not (campaign.design.documents or campaign.design.policy):
        doubts.append(say("documents-apart", documents=len(apart)))
    equal = [one.name for one in items if one.has_equal and not one.merged]
    if equal and any(one.width > 1 for one in campaign.tasks):
        counts = {"equal": len(equal), "of": len(items), "names": listing(equal, 3)}
        doubts.append(say("equal-outputs", "warning", **counts))
    merged = [one.name for one in items if one.merged]
    if merged:
        counts = {"merged": len(merged), "of": len(items), "names": listing(merged, 3)}
        doubts.append(say("merged-outputs", **counts))
    alone = [one.name for one in items if one.merged and len(one.systems) == 1]
    if alone and any(one.width > 1 for one in campaign.tasks):
        counts = {"alone": len(alone), "of": len(items), "names": listing(alone, 3)}
        doubts.append(say("uncompared", **counts))
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

"""Is every promise kept? Counted on the tickets alone, before launch and on what was collected.

Nothing here knows how tickets were made: each guarantee is counted from who was asked what, in
which order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations, compress, pairwise, product
from math import e, factorial
from operator import attrgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.results import Shown
from evenhand.design import dealing
from evenhand.design.assignment import Assignment, count_torn, fits, fold, take_first, take_last
from evenhand.design.campaign import CONTROLS, Campaign
from evenhand.design.tasks import ANCHOR, CONTROL, TARGET, TICKET_KINDS, TRAINING, Ticket
from evenhand.design.texts import say
from evenhand.errors import CampaignError
from evenhand.numerics import Integers
from evenhand.render.document import Column, Document, Form, Table


@dataclass(frozen=True)
class Guarantee:
    name: str  # what it is about; no two guarantees of a check have one name
    promised: str  # in words; "" where this is only counted
    found: str  # what was counted
    holds: bool | None  # whether it is kept; None where that is not promised or known


def say_range(numbers: Integers) -> str:
    if not numbers.size:
        return "0"
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Seen:
    """Tickets, judge after judge, each judge's in the order seen."""

    campaign: Campaign  # what was asked
    tickets: tuple[Ticket, ...]  # (n,) themselves
    judge: Integers  # (n,) place among the judges of the campaign of the one whose ticket it is
    person: Integers  # (n,) code of who saw it
    task: Integers  # (n,) place among the passes
    unit: Integers  # (n,) code of item and systems, whatever their order
    item: Integers  # (n,) code of the item
    group: Integers  # (n,) code of the source
    label: Integers  # (n,) code of the systems, whatever their order
    kind: Integers  # (n,) place in `TICKET_KINDS`
    role: Integers  # (n,) place in `TICKET_KINDS` of what the item is for; −1 without an item
    sound: Mask  # (n,) whether it shows different outputs of the item, as many as are asked
    settled: Mask  # (n,) of which tickets it is known what they show
    again: Integers  # (n,) place here of what is repeated; −1 for none, or where that was not seen
    # how many repeats are asked no more, since who saw the first is gone. A ticket of which it is
    # not known yet what it shows counts as an item of its own.
    void: int = 0
    whole: bool = True  # whether all tickets are here; else some are still to come

    def __len__(self) -> int:
        return len(self.tickets)

    def conclude(self, *, holds: bool, lost: bool = False) -> bool | None:
        """Say whether a promise is kept; what is lost, nothing that is to come can mend."""
        return False if lost else holds if self.whole else None

    def of(self, *kinds: str) -> Mask:
        return np.isin(self.kind, [TICKET_KINDS.index(kind) for kind in kinds])

    @cached_property
    def width(self) -> Integers:
        """(n,) most outputs of a ticket of the pass."""
        return np.array([one.width for one in self.campaign.tasks], dtype=np.int64)[self.task]

    @cached_property
    def place(self) -> Integers:
        """(n,) how many tickets of the pass the judge saw before."""
        starts = np.r_[True, (np.diff(self.judge) != 0) | (np.diff(self.task) != 0)]
        first = np.maximum.accumulate(np.where(starts, np.arange(len(self)), 0))
        return np.arange(len(self)) - first if len(self) else first

    def take(self, mask: Mask) -> Seen:
        """Return some of them; what they repeat is forgotten."""
        columns = (one.name for one in fields(self) if one.type in ("Integers", "Mask"))
        rows = {name: getattr(self, name)[mask] for name in columns}
        rows["again"] = np.full(int(mask.sum()), -1)
        return replace(self, tickets=tuple(compress(self.tickets, mask.tolist())), **rows)


def encode_tickets(
    campaign: Campaign,
    tickets: Iterable[Ticket],
    people: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
) -> Seen:
    people, seats = people or {}, seats or {}
    judges = {judge.name: at for at, judge in enumerate(campaign.judges)}
    tasks = {task.name: at for at, task in enumerate(campaign.tasks)}
    items = {item.name: item for item in campaign.items}
    roles = {
        name: CONTROL if item.control else ANCHOR if item.anchor else TARGET
        for name, item in items.items()
    }
    for training in campaign.training:
        items[training.item.name], roles[training.item.name] = training.item, TRAINING
    tickets = sorted(tickets, key=lambda one: judges[seats.get(one.judge, one.judge)])
    place = {(one.judge, one.number): at for at, one in enumerate(tickets)}
    # of each ticket: item, source, role of the item, whether it is sound, and settled
    rows: list[tuple[str | int, str | int, int, bool, bool]] = []
    for ticket in tickets:
        open_kind = ticket.kind in ("target", "repeat")
        if campaign.design.policy and open_kind and not ticket.systems and not ticket.item:
            free = ticket.number if ticket.again is None else ticket.again
            rows.append((free, free, TARGET, True, False))
        elif ticket.item not in items:
            rows.append((ticket.item, ticket.item, -1, False, True))
        else:
            item, shown = items[ticket.item], frozenset(ticket.systems)
            n = min(campaign.tasks[tasks[ticket.task]].width, len(item.systems))
            sound = len(shown) == len(ticket.systems) == n and shown.issubset(item.systems)
            rows.append((item.name, item.group, roles[item.name], sound, True))
    item_names, sources, role, is_sound, settled = zip(*rows, strict=True) if rows else ((),) * 5
    labels = [frozenset(one.systems) for one in tickets]
    again = [-1 if one.again is None else place.get((one.judge, one.again), -1) for one in tickets]
    return Seen(
        campaign=campaign,
        tickets=tuple(tickets),
        judge=_integers(judges[seats.get(one.judge, one.judge)] for one in tickets),
        person=_code(people.get(one.judge, one.judge) for one in tickets),
        task=_integers(tasks[one.task] for one in tickets),
        unit=_code(zip(item_names, labels, strict=True)),
        item=_code(item_names),
        group=_code(sources),
        label=_code(labels),
        kind=_integers(TICKET_KINDS.index(one.kind) for one in tickets),
        role=_integers(role),
        sound=np.array(is_sound, dtype=np.bool_),
        settled=np.array(settled, dtype=np.bool_),
        again=_integers(again),
    )


def _integers(numbers: Iterable[int]) -> Integers:
    return np.array(list(numbers), dtype=np.int64)


def _code(values: Iterable[object]) -> Integers:
    """Return codes in the order of first appearance."""
    code: dict[object, int] = {}
    return _integers(code.setdefault(value, len(code)) for value in values)


def combine(*codes: Integers) -> Integers:
    combined = np.zeros(len(codes[0]), dtype=np.int64)
    for one in codes:
        wide = combined * (int(one.max(initial=0)) + 1) + one
        combined = np.unique(wide, return_inverse=True)[1]
    return combined


def count(*codes: Integers) -> tuple[Integers, Integers]:
    """Return the first place of each different combination of codes, and how often it is there."""
    _, first, often = np.unique(combine(*codes), return_index=True, return_counts=True)
    return first, often


def count_different(what: Integers, *of: Integers) -> tuple[Integers, Integers]:
    """Return the first place of each combination, and how many different `what` it has."""
    first, _ = count(*of, what)
    at, often = count(*(one[first] for one in of))
    return first[at], often


def check_choices(seen: Seen) -> Iterator[Guarantee]:
    design = seen.campaign.design
    name, target = seen.campaign.tasks[0].name, seen.of("target")
    mine = seen.take(target & seen.settled)
    left = int((target & ~seen.settled).sum())
    if left:
        share = "" if design.policy == "random" else f", {design.random_share:.0%} of it at random"
        observed = f"{left:,} pairs are chosen while judgments come in: {design.policy}{share}"
        yield Guarantee(f"{name}: policy", "", observed, None)
    if not len(mine):
        return
    _, judges = count_different(mine.person, mine.unit)
    k = design.judges_per_item
    yield Guarantee(
        f"{name}: judges",
        f"at most {k} different judge{'s' * (k > 1)} for each pair of an item",
        f"{len(judges):,} pairs by {say_range(judges)}; {int((judges == k).sum()):,} by {k}",
        bool((judges <= k).all()),
    )
    chosen = Counter(one.chosen for one in mine.tickets)
    fewer = f" {chosen['narrowed']:,} at random of those left," if chosen["narrowed"] else ""
    observed = (
        f"{chosen['policy']:,} pairs by the policy, {chosen['random']:,} at random,{fewer}"
        f" {chosen['start-up']:,} of the start-up phase"
    )
    yield Guarantee(f"{name}: choices", "", observed, None)


USUAL = 3  # Sources of a kind that is rarer than this are not promised to be spread evenly


def check_loads(seen: Seen) -> Iterator[Guarantee]:
    quotas, judges = dealing.has_quotas(seen.campaign), len(seen.campaign.judges)
    tickets = np.bincount(seen.take(~seen.of("training")).judge, minlength=judges)
    if quotas:
        over = int((tickets > _list_quotas(seen)).sum())
        observed = f"{over} judges above theirs; {say_range(tickets)} tickets each"
        holds = over == 0 if len(seen) else None
        yield Guarantee("quotas", "no judge is asked more than his quota", observed, holds)
    several = len({one.width for one in seen.campaign.tasks}) > 1
    for at, task in enumerate(seen.campaign.tasks):
        mine = seen.take((seen.task == at) & seen.of("target"))
        loads = np.bincount(mine.judge, minlength=judges)
        observed = f"{say_range(loads)} for each of {len(loads):,} judges"
        promised, holds = "", None
        if not quotas:
            promised = "the same for every judge but for one"
            holds = seen.conclude(holds=int(np.ptp(loads)) <= 1)
        elif not several:
            promised = "as even as quotas allow"
            # judges who could do what another has more, but for one
            targets = seen.take(seen.of("target"))
            units = targets.group if seen.campaign.design.once_per_source else targets.unit
            room = _list_quotas(seen) - tickets >= len(seen.campaign.tasks)
            room &= loads < len(np.unique(units))
            spared = int((room & (loads < loads.max() - 1)).sum())
            observed += f"; {spared:,} could take over from others"
            holds = seen.conclude(holds=not spared)
        yield Guarantee(f"{task.name}: loads", promised, observed, holds)


def _list_quotas(seen: Seen) -> Integers:
    """Return (J,) quotas; who has none may be asked anything."""
    usual, none = seen.campaign.design.quota, np.iinfo(np.int64).max
    quotas = [one.quota or usual or none for one in seen.campaign.judges]
    return np.array([min(one, none) for one in quotas], dtype=np.int64)


def check_systems(seen: Seen) -> Iterator[Guarantee]:
    """Every judge sees outputs of all systems, and pairs and sets of them, about equally often."""
    once = seen.campaign.design.once_per_source
    for at, task in enumerate(seen.campaign.tasks):
        mine = seen.take((seen.task == at) & seen.of("target") & seen.sound)
        first, _ = count(mine.unit)
        tables = list[Integers]()
        shape = len(mine.campaign.judges), int(mine.label.max(initial=-1)) + 1
        if once:
            # a source with two units of one label is of no kind: to a judge these are one label
            of: dict[int, list[int]] = {}
            groups, labels = mine.group[first].tolist(), mine.label[first].tolist()
            for group, label in zip(groups, labels, strict=True):
                of.setdefault(group, []).append(label)
            kinds: dict[tuple[int, ...], list[int]] = {}
            for group, labels in of.items():
                kinds.setdefault(tuple(sorted(labels)), []).append(group)
            for kind, groups in kinds.items():
                if len(groups) >= USUAL and len(set(kind)) == len(kind) > 1:
                    rows = np.isin(mine.group, groups)
                    tables.append(tabulate(mine.judge[rows], mine.label[rows], shape)[:, kind])
        else:  # labels that enough items are shown with
            usual = np.bincount(mine.label[first], minlength=shape[1]) >= USUAL
            table = tabulate(mine.judge, mine.label, shape)
            tables = [table[:, usual]] if usual.any() else []
        gap = max((int(np.ptp(one, axis=int(once)).max(initial=0)) for one in tables), default=0)
        times = say_range(np.concatenate([one.ravel() for one in tables])) if tables else "0"
        sure = bool(tables) and not dealing.has_quotas(seen.campaign)
        one = {1: "system", 2: "pair of systems"}.get(task.width, "set of systems")
        often = "any other" if once else "any other judge does"
        alike = f"of sources with the same, if there are {USUAL} or more"
        where = alike if once else f"if {USUAL} items or more are asked about with it"
        yield Guarantee(
            f"{task.name}: systems",
            f"each judge sees each {one} as often as {often} but for one, {where}" if sure else "",
            f"a judge sees a {one} {times} times; gaps are at most {gap}",
            seen.conclude(holds=gap <= 1) if sure else None,
        )


def tabulate(rows: Integers, columns: Integers, shape: tuple[int, int]) -> Integers:
    return np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)


def check_orders(seen: Seen) -> Iterator[Guarantee]:
    judged = seen.of("target", "anchor") & seen.settled & seen.sound
    for at, task in enumerate(seen.campaign.tasks):
        if task.width == 1:
            continue
        mine = seen.take((seen.task == at) & judged)
        if task.width == 2:
            sides = [one.systems for one in mine.tickets]
            turned = np.array([left > right for left, right in sides], dtype=np.bool_)
            policy = bool(mine.campaign.design.policy)
            for more, what, codes in (
                ("", "over the campaign", (mine.label,)),
                (" of an item", "for the judges of an item", (mine.unit,)),
                (" of a judge", "for each judge", (mine.judge, mine.label)),
            ):
                differences = np.bincount(combine(*codes), weights=np.where(turned, 1, -1))
                gap = int(np.abs(differences).max(initial=0))
                # who chooses pairs one by one can keep one of the three
                sure = not policy or not more
                yield Guarantee(
                    f"{task.name}: sides{more}",
                    f"each pair in either order equally often but for one, {what}" if sure else "",
                    f"the two orders of a pair differ by at most {gap}, {what}",
                    mine.conclude(holds=gap <= 1) if sure and len(mine) else None,
                )
        else:
            gap, of_judge = 0, 0
            for size in {len(one.systems) for one in mine.tickets}:
                shown = [
                    (judge, system, at)
                    for judge, ticket in zip(mine.judge.tolist(), mine.tickets, strict=True)
                    if len(ticket.systems) == size
                    for at, system in enumerate(ticket.systems)
                ]
                gap = max(gap, _spread(Counter((s, at) for _, s, at in shown), size))
                of_judge = max(of_judge, _spread(Counter(((j, s), at) for j, s, at in shown), size))
            for more, what, difference in (
                ("", "over the campaign", gap),
                (" of a judge", "for each judge", of_judge),
            ):
                yield Guarantee(
                    f"{task.name}: places{more}",
                    f"each system at each place equally often but for one, {what}",
                    f"how often a system is at two places differs by at most {difference}, {what}",
                    mine.conclude(holds=difference <= 1) if len(mine) else None,
                )
        if task.width > 2 or seen.campaign.design.balanced_blocks:
            # every two systems meet in equally many sets, of items with the same systems
            first, _ = count(mine.unit)
            times = [*_count_shown(mine, first, 2).values()]
            balanced = mine.campaign.design.balanced_blocks
            observed = (
                f"two systems meet in {say_range(np.concatenate(times))} of {len(first):,} sets"
            )
            promised = "every two systems meet in equally many sets, of items with the same systems"
            even = mine.conclude(holds=all(np.ptp(one) == 0 for one in times))
            holds = even if balanced and len(mine) else None
            yield Guarantee(f"{task.name}: sets", promised if balanced else "", observed, holds)


def _count_shown(mine: Seen, rows: Integers, size: int) -> dict[frozenset[str], Integers]:
    """Return how often tickets show so many systems together, by the systems of items."""
    kinds: dict[frozenset[str], Counter[tuple[str, ...]]] = {
        frozenset(one.systems): Counter() for one in mine.campaign.items if not one.control
    }
    for at in rows.tolist():
        ticket = mine.tickets[at]
        kind = frozenset(mine.campaign.item(ticket.item).systems)
        kinds.setdefault(kind, Counter()).update(combinations(sorted(ticket.systems), size))
    return {  # those that are never shown among them
        kind: np.array([shown[one] for one in combinations(sorted(kind), size)], dtype=np.int64)
        for kind, shown in kinds.items()
        if len(kind) >= size
    }


def _spread(counts: Counter[tuple[object, int]], size: int) -> int:
    owners = {owner for owner, _ in counts}
    spans = ([counts[owner, at] for at in range(size)] for owner in owners)
    return max((max(one) - min(one) for one in spans), default=0)


CHANCE: Final = 1e-9  # What comes about less often than this by chance did not come about by chance


def check_passes(seen: Seen) -> Iterator[Guarantee]:
    """Everybody goes through the passes in order; those of one width show the same."""
    tasks = seen.campaign.tasks
    back = int(((np.diff(seen.task) < 0) & (np.diff(seen.judge) == 0)).sum())
    names = [one.name for one in tasks]
    shown = ["reference" in one.shows for one in tasks]
    observed = f"{back:,} steps back"
    early = [name for at, name in enumerate(names) if not shown[at] and any(shown[:at])]
    if early:
        observed += f"; {early[0]} comes after a pass that shows the reference"
    holds = back == 0 if len(seen) else None
    yield Guarantee("passes", f"in this order: {', '.join(names)}", observed, holds)
    repeated = len({one.width for one in tasks}) < len(tasks)
    if repeated and not seen.campaign.design.policy:
        judged = seen.take(seen.of("target", "anchor"))
        often = np.bincount([one.width for one in judged.campaign.tasks])
        first, _ = count(judged.judge, judged.task, judged.unit)
        once = judged.take(np.isin(np.arange(len(judged)), first))
        rows, passes = count(once.judge, once.width, once.unit)
        missed = int((passes != often[once.width[rows]]).sum())
        observed = f"{missed:,} are not in all of them"
        promised = "all passes with as many outputs on a ticket show a judge the same"
        holds = judged.conclude(holds=not missed and len(judged) > 0)
        yield Guarantee("passes: same outputs", promised, observed, holds)
        # They show them in another order each: as rarely in the same as chance has it
        n = len(seen.campaign.judges)
        sitting = judged.judge * len(tasks) + judged.task
        ends = np.cumsum(np.bincount(sitting, minlength=n * len(tasks)))[:-1]
        units = np.split(judged.unit[np.argsort(sitting, kind="stable")], ends)
        same, sizes = 0, []
        for width in dict.fromkeys(one.width for one in tasks):
            alike = [at for at, one in enumerate(tasks) if one.width == width]
            # what a judge sees in a pass and in the one of this width before
            for judge, (before, after) in product(range(n), pairwise(alike)):
                shown_before, shown_after = (
                    units[judge * len(tasks) + at] for at in (before, after)
                )
                if len(shown_before) > 1:
                    same += np.array_equal(shown_before, shown_after)
                    sizes.append(len(shown_before))
        expected = sum(1 / factorial(min(size, 20)) for size in sizes)
        # P(S >= s) <= (e mu / s)^s of independent draws, of which mu are expected (Chernoff)
        chance = min(1.0, (e * expected / same) ** same) if same else 1.0
        observed = f"{same:,} of {len(sizes):,} times the order of the pass before"
        holds = judged.conclude(holds=chance >= CHANCE) if len(judged) else None
        promised = "each time in another random order"
        yield Guarantee("passes: another order", promised, observed, holds)


def check_repeats(seen: Seen) -> Iterator[Guarantee]:
    design = seen.campaign.design
    repeats = design.repeats + design.again
    if not repeats:
        return
    mine = seen.of("repeat")
    origins = seen.again[mine & (seen.again >= 0)]
    twice = len(origins) - len(np.unique(origins))
    often = tally(seen.take(mine))
    met = int(often.sum()) + seen.void == repeats * often.size
    found = f"{say_range(often.ravel())} in a pass"
    found += f"; {twice:,} of a ticket that is repeated already" if twice else ""
    found += f"; {seen.void:,} are void: who saw the first is gone" if seen.void else ""
    lost = twice > 0 or bool((often > repeats).any())
    holds = seen.conclude(holds=met and not lost, lost=lost)
    promised = f"{repeats} different ones for each judge in each pass"
    yield Guarantee("repeats", promised, found, holds)
    # Repeats show what the judge has judged, far enough before
    rows = np.flatnonzero(mine & (seen.again >= 0))
    between = seen.place[rows] - seen.place[seen.again[rows]] - 1
    same, shown = 0, attrgetter("judge", "task", "item", "systems")
    for row in rows.tolist():
        first = seen.tickets[seen.again[row]]
        same += first.kind == "target" and shown(seen.tickets[row]) == shown(first)
    other = int(mine.sum()) - same
    found = f"{say_range(between)} tickets between"
    found += f"; {other:,} show something else than one before" if other else ""
    kept = not other and bool((between >= design.lag).all()) if mine.any() else None
    promised = f"at least {design.lag} tickets after the same outputs in the same order"
    yield Guarantee("repeats: lag", promised, found, kept)
    if design.again:
        others = seen.place * ~seen.of("repeat")
        last = np.zeros((len(seen.campaign.judges), len(seen.campaign.tasks)), dtype=np.int64)
        np.maximum.at(last, (seen.judge, seen.task), others + 1)
        left = np.minimum(tally(seen) - last, design.again)
        missing = int((design.again - left).sum())
        found = f"{missing:,} of {design.again * left.size:,} do not"
        promised = f"{design.again} at the end of each pass of each judge"
        yield Guarantee("repeats: last", promised, found, seen.conclude(holds=missing <= seen.void))


def tally(seen: Seen) -> Integers:
    """Return (J, T) how many tickets each judge has in each pass."""
    return tabulate(seen.judge, seen.task, (len(seen.campaign.judges), len(seen.campaign.tasks)))


def check_sittings(seen: Seen) -> Iterator[Guarantee]:
    if dealing.list_anchors(seen.campaign) or bool(seen.of("anchor").any()):
        every, once = len(seen.campaign.judges), seen.campaign.design.once_per_source
        mine = seen.take(seen.of("anchor"))
        strange = int((mine.role != ANCHOR).sum())
        right = mine.take(mine.sound & (mine.role == ANCHOR))
        missing, more = 0, 0
        for at, task in enumerate(seen.campaign.tasks):
            there = right.take(right.task == at)
            owed = Counter(dealing.count_anchors(seen.campaign, task.width))
            first, judges = count_different(there.judge, there.unit)
            items = [seen.campaign.item(there.tickets[row].item) for row in first.tolist()]
            shown = Counter(one.group if once else one.name for one in items)
            missing += int((every - judges).sum()) + every * (owed - shown).total()
            more += (shown - owed).total()
        found = f"{len(mine):,} anchor tickets; {missing:,} missing, {strange + more:,} others"
        holds = seen.conclude(holds=not missing, lost=bool(strange + more))
        yield Guarantee(
            "anchors", f"all {every:,} judges see every anchor in each pass", found, holds
        )
    if seen.campaign.design.controls or bool(seen.of("control").any()):
        yield from _check_controls(seen)
    if seen.campaign.training or bool(seen.of("training").any()):
        lessons = {(one.task, one.item.name) for one in seen.campaign.training}
        taught = seen.take(seen.of("training"))
        strange = sum((one.task, one.item) not in lessons for one in taught.tickets)
        first, often = count(taught.judge, taught.task, taught.item)
        missing = len(lessons) * len(seen.campaign.judges) - (len(first) - strange)
        twice, found = int((often > 1).sum()), f"{len(taught):,} tickets; {missing:,} missing"
        observed = f"{found}, {twice:,} shown twice, {strange:,} others"
        holds = seen.conclude(holds=not missing, lost=bool(strange + twice))
        promised = f"every judge sees all {len(lessons):,} items of training once"
        yield Guarantee("training", promised, observed, holds)
        rest = np.where(seen.of("training"), len(seen), seen.place)
        start = np.full(tally(seen).shape, len(seen), dtype=np.int64)
        np.minimum.at(start, (seen.judge, seen.task), rest)
        late = int((seen.of("training") & (seen.place > start[seen.judge, seen.task])).sum())
        promised = "training comes before what is judged in its pass"
        holds = late == 0 if len(taught) else None
        yield Guarantee("training: first", promised, f"{late:,} come later", holds)


def _check_controls(seen: Seen) -> Iterator[Guarantee]:
    n, campaign = seen.campaign.design.controls, seen.campaign
    mine = seen.take(seen.of("control"))
    known = {
        (task.name, item.name)
        for task in campaign.tasks
        for item in campaign.items
        if item.control and fits(item, task)
    }
    strange = sum((one.task, one.item) not in known for one in mine.tickets)
    first, _ = count(mine.judge, mine.task, mine.item)
    twice, often = len(mine) - len(first), tally(mine)
    observed = f"{say_range(often.ravel())} in a pass"
    observed += f"; {strange:,} show no control of the pass" if strange else ""
    observed += f"; {twice:,} again" if twice else ""
    lost = bool(strange + twice) or bool((often > n).any())
    holds = seen.conclude(holds=bool((often == n).all()), lost=lost)
    yield Guarantee("controls", f"{n} different ones for each judge in each pass", observed, holds)
    # controls outside their n stretches: place by place, without training and repeats
    rest = seen.take(~seen.of("training", "repeat"))
    control = rest.of("control")
    outside = 0 if n else int(control.sum())
    places = count(rest.judge, rest.task) if n else ()
    for at, size in zip(*(column.tolist() for column in places), strict=True):
        there = np.flatnonzero(control[at : at + size])
        ends = np.arange(n + 1) * size // n
        counted = np.histogram(there, ends)[0] if len(there) else np.zeros(n)
        outside += int(np.abs(counted - 1).sum())
    yield Guarantee(
        "controls: spread",
        f"one in each {'half' if n == 2 else f'of {n} equal stretches'} of a pass",
        f"{outside:,} outside their stretch",
        seen.conclude(holds=outside == 0),
    )
    yield from _check_directions(mine)


def _check_directions(mine: Seen) -> Iterator[Guarantee]:
    campaign, gap, sure, several = mine.campaign, 0, True, False
    known = {one.name: one for one in campaign.items if one.control}
    named = np.array([getattr(known.get(one.item), "control", "") for one in mine.tickets], "U8")
    for at, task in enumerate(campaign.tasks):
        ready = [one for one in known.values() if fits(one, task)]
        used = [one for one in CONTROLS if any(item.control == one for item in ready)]
        if len(used) < 2:
            continue
        turns = -(-campaign.design.controls // len(used))
        # whether there is always another one of the direction whose turn it is
        enough = all(sum(one.control == name for one in ready) >= turns for name in used)
        if campaign.design.once_per_source:
            groups = Counter(one.group for one in campaign.items)
            enough = enough and all(groups[one.group] == 1 for one in ready)
        several, sure = True, sure and enough
        tallies = [tally(mine.take(named == one))[:, at] for one in used]
        gap = max(gap, int(np.ptp(np.stack(tallies), axis=0).max()))
    if several:
        good, bad = (int((named == one).sum()) for one in ("good", "bad"))
        yield Guarantee(
            "controls: directions",
            "as many of each direction for a judge in a pass, but for one" if sure else "",
            f"{good:,} known good, {bad:,} known bad, {len(named) - good - bad:,} others; a judge's"
            f" differ by at most {gap}",
            mine.conclude(holds=gap <= 1) if sure else None,
        )
    if any(one.width == 2 for one in campaign.tasks):
        pairs = mine.take(mine.sound & (mine.width == 2) & (mine.role == CONTROL))
        signed = np.ones(len(pairs), dtype=np.int64)
        for at, ticket in enumerate(pairs.tickets):
            item = pairs.campaign.item(ticket.item)
            best = item.expects(ticket.task)
            if ticket.systems[0] != (best if best in item.systems else item.systems[0]):
                signed[at] = -1
        table = np.zeros((len(pairs.campaign.judges), len(pairs.campaign.tasks)), dtype=np.int64)
        np.add.at(table, (pairs.judge, pairs.task), signed)
        gap = int(max(np.abs(table).max(), np.abs(table.sum(axis=0)).max()))
        observed = f"{int((signed > 0).sum()):,} left, {int((signed < 0).sum()):,} right;"
        observed += f" differences are at most {gap}"
        promised = "the better one left as often as right but for one, in each pass and for each"
        promised += " judge in it"
        yield Guarantee("controls: sides", promised, observed, mine.conclude(holds=gap <= 1))


WORDS = {1: ("output", "outputs"), 2: ("pair", "pairs")}
SETS = ("set of outputs", "sets of outputs")


def check_units(seen: Seen) -> Iterator[Guarantee]:
    """Every ticket shows outputs of its item, and all that is to be judged is."""
    wrong = np.flatnonzero(~seen.sound)
    observed = f"{len(wrong):,} of {len(seen):,} do not"
    if len(wrong):
        first = seen.tickets[int(wrong[0])]
        observed += f", such as {first.number} ({first.judge}, {first.item})"
    promised = "every ticket shows different outputs of its item, as many as its pass asks about"
    yield Guarantee("outputs shown", promised, observed, not len(wrong) if len(seen) else None)
    for at, task in enumerate(seen.campaign.tasks if not seen.campaign.design.policy else ()):
        mine = seen.take((seen.task == at) & seen.of("target"))
        owed = dealing.count_targets(mine.campaign, task.width)
        right = mine.take(mine.sound & (mine.role == TARGET))
        rows, often = count_different(right.unit, right.item)
        names = [right.tickets[row].item for row in rows.tolist()]
        there = Counter(dict(zip(names, often.tolist(), strict=True)))
        strange = int((mine.role != TARGET).sum())
        more, left = (there - Counter(owed)).total(), (Counter(owed) - there).total()
        one, many = WORDS.get(task.width, SETS)
        each = mine.campaign.design.per_item or (None if task.width < 3 else 1)
        what = f"every {one}" if each is None else f"{each} {one if each == 1 else many}"
        observed = f"{sum(there.values()):,} {many} of {len(there):,} items"
        observed += f"; {left:,} {'' if mine.whole else 'still '}missing" if left else ""
        observed += f"; {more + strange:,} not asked for" if more + strange else ""
        holds = mine.conclude(holds=not left, lost=bool(more + strange))
        yield Guarantee(
            f"{task.name}: items", f"{what} of each of {len(owed):,} items", observed, holds
        )
        k = mine.campaign.design.judges_per_item
        _, judges = count_different(mine.person, mine.unit)
        nothing = not len(judges) and bool(dealing.list_targets(mine.campaign))
        yield Guarantee(
            f"{task.name}: judges",
            f"{k} different judge{'s' * (k > 1)} for each {one}",
            f"{len(judges):,} {many} by {say_range(judges)}",
            mine.conclude(
                holds=bool((judges == k).all()) and not nothing, lost=bool((judges > k).any())
            ),
        )
        yield from _check_choice(seen, at)


def _check_choice(seen: Seen, at: int) -> Iterator[Guarantee]:
    """Where some of many are chosen, each is about equally often, of items alike."""
    campaign, task = seen.campaign, seen.campaign.tasks[at]
    owed = [
        one
        for one in campaign.items
        if not one.control and dealing.count_units(campaign, one, task.width)
    ]
    even = campaign.design.balanced_blocks and task.width == 2  # which is promised by itself
    if even or not any(dealing.may_choose(campaign, one, task.width) for one in owed):
        return
    sure = not dealing.has_left_out(campaign, task.width)
    mine = seen.take((seen.task == at) & seen.of("target", "anchor") & seen.sound)
    first, _ = count(mine.unit)
    # an output or a pair counts for itself; a set, for each of its systems
    size = task.width if task.width < 3 else 1
    shown = _count_shown(mine, first, size)
    gap = max(int(np.ptp(shown[frozenset(one.systems)])) for one in owed)
    what = WORDS[task.width][0] if task.width < 3 else "system"
    where = "of as many items" if task.width < 3 else "in as many sets"
    observed = f"how often {what}s are chosen differs by at most {gap}"
    observed += "; some that were chosen of anchors are not shown" if not sure else ""
    promised = f"each {what} {where} as any other but for one, of items with the same systems"
    holds = seen.conclude(holds=gap <= 1) if sure else None
    yield Guarantee(f"{task.name}: choice", promised if sure else "", observed, holds)


def check_all(seen: Seen) -> tuple[Guarantee, ...]:
    """Count all promises; of no tickets nothing is broken, though much seems to hold."""
    design = seen.campaign.design
    # nobody is asked the same again, but where that is meant
    once = seen.take(~seen.of("repeat", "training"))
    _, often = count(once.person, once.task, once.unit)
    twice = int((often > 1).sum())
    mine = seen.take(~seen.of("training"))
    _, outputs = count_different(mine.unit, mine.person, mine.width, mine.group)
    most = int(outputs.max(initial=0))
    guarantees = (
        *check_units(seen),
        *(check_choices(seen) if design.policy else ()),
        Guarantee(
            "no doubles",
            "nobody is asked the same again, but for repeats",
            f"{twice:,} asked again",
            twice == 0 if len(once) else None,
        ),
        Guarantee(
            "sources",
            "no judge sees a source again with other outputs" if design.once_per_source else "",
            f"a judge sees a source with at most {most} different outputs, pairs or sets",
            most <= 1 if design.once_per_source and len(mine) else None,
        ),
        *check_loads(seen),
        *(() if design.policy else check_systems(seen)),
        *check_orders(seen),
        *check_sittings(seen),
        *check_repeats(seen),
        *check_passes(seen),
    )
    if len(seen):
        return guarantees
    return tuple(replace(one, holds=False if one.holds is False else None) for one in guarantees)


WHOLE: Final = (
    "each judge sees all segments of a document in order, with nothing between; below, a document"
    " counts as one item"
)
MARKS: Final[dict[bool | None, str]] = {True: "kept", False: "BROKEN", None: "counted"}


@dataclass(frozen=True, repr=False)
class DesignCheck(Shown):
    guarantees: tuple[Guarantee, ...]  # one for each promise
    tickets: int  # how many were counted
    judges: int  # of how many judges
    digest: str  # of the assignment

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against any promise; of no tickets at all nothing holds."""
        return not self.broken and any(one.holds for one in self.guarantees)

    @property
    def broken(self) -> tuple[Guarantee, ...]:
        return tuple(one for one in self.guarantees if one.holds is False)

    @property
    def kept(self) -> tuple[Guarantee, ...]:
        return tuple(one for one in self.guarantees if one.holds)

    @property
    def later(self) -> tuple[Guarantee, ...]:
        """Promises of which it cannot be said yet whether they are kept."""
        return tuple(one for one in self.guarantees if one.holds is None and one.promised)

    def to_dict(self) -> dict[str, Any]:
        counts = {name: getattr(self, name) for name in ("holds", "tickets", "judges", "digest")}
        return {**counts, "guarantees": [dict(vars(one)) for one in self.guarantees]}

    def document(self, *more: str) -> Document:
        """Return what people read: promises that are broken, and with "kept" all of them."""
        columns = (
            Column("state", ""),
            Column("name", "about", "prose"),
            Column("promised", "promised", "prose"),
            Column("found", "found", "prose"),
        )
        rows = tuple(
            {**vars(one), "state": "not yet" if one in self.later else MARKS[one.holds]}
            for one in self.guarantees
        )
        every = Table("promises", "Promises", columns, rows, without=("state",))
        broken = tuple(row for row in rows if row["holds"] is False)
        files: tuple[Form, ...] = ("csv", "latex", "markdown", "html")
        parts = (
            replace(every, only=files),
            replace(every, caption="Broken promises", rows=broken, only=("text",)),
        )
        counts = {"broken": len(self.broken), "kept": len(self.kept)}
        return Document(
            answer=(say("promises-broken" if self.broken else "promises-kept", **counts),),
            parts=(every,) if "kept" in more else parts if broken else parts[:1],
        )


def verify_design(assignment: Assignment) -> DesignCheck:
    campaign, tickets = assignment.campaign, list(assignment)
    n, guarantees = len(tickets), list[Guarantee]()
    if campaign.segments:
        torn = count_torn(campaign, tickets)
        found = f"{torn:,} of {n:,} tickets are not where a neighbouring segment puts them"
        guarantees.append(Guarantee("documents", WHOLE, found, not torn))
        campaign, tickets = fold(campaign), take_first(campaign, tickets)
    guarantees += check_all(encode_tickets(campaign, tickets))
    return DesignCheck(tuple(guarantees), n, len(campaign.judges), assignment.digest)


def refuse_broken(assignment: Assignment) -> None:
    if broken := verify_design(assignment).broken:
        first = "; ".join(f"{one.name}: {one.promised} (found: {one.found})" for one in broken[:3])
        more = f"; and {len(broken) - 3} more" if len(broken) > 3 else ""
        raise CampaignError(
            f"the design of campaign '{assignment.campaign.name}' does not keep what it promises,"
            f" so that it is not launched: {first}{more}; leave that setting out or change it, and"
            " try again with evenhand check"
        )


def verify_collected(
    assignment: Assignment,
    tickets: Iterable[Ticket],
    people: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
    submitted: Collection[int] = (),
) -> DesignCheck:
    # submitted: last tickets of the documents that their judges submitted. What can only be said at
    # the end is left open until all is answered.
    tickets, seats = tuple(tickets), seats or {}
    assigned = [one for one in tickets if _is_asked(assignment, one, seats)]
    # repeats that are asked no more: somebody else went on after the first was answered
    by = {one.number: one.judge for one in assigned}
    last = {assignment.judge[one.number]: one.judge for one in assigned}
    gone = list[Ticket]()
    for number in np.flatnonzero(assignment.again >= 0).tolist():
        judge = by.get(int(assignment.again[number]))
        if number not in by and judge is not None and last[assignment.judge[number]] != judge:
            gone.append(assignment[number])
    whole, campaign, heads = len(by) + len(gone) == len(assignment), assignment.campaign, assigned
    if campaign.segments:
        heads, gone = take_first(campaign, heads), take_first(campaign, gone)
        campaign = fold(campaign)
    seen = encode_tickets(campaign, heads, people, seats)
    seen = replace(seen, void=len(gone), whole=whole)
    judges = len({one.judge for one in tickets})
    strange, twice = len(tickets) - len(assigned), len(assigned) - len(by)
    observed = f"{len(by):,} of {len(assignment):,} tickets answered"
    if strange:
        right = set(assigned)
        first = next(one for one in tickets if one not in right)
        observed += f"; {strange:,} others, such as {first.number} ({first.judge}, {first.item})"
    if twice:
        observed += f"; {twice:,} answered twice"
    promised = "every answer is to a ticket of the design, as it was to be shown"
    holds = not strange and not twice if tickets else None
    guarantees = [Guarantee("tickets", promised, observed, holds)]
    # judges answer in the order of the design; a policy passes over what it cannot fill
    newest, back = dict[str, int](), 0
    for one in assigned:
        back += one.number < newest.get(one.judge, -1)
        newest[one.judge] = one.number
    free = bool(assignment.campaign.design.policy)
    promised = "" if free else "every judge answers in the order of the design"
    observed = f"{back:,} before one that was to come first"
    holds = back == 0 if assigned and not free else None
    guarantees += [Guarantee("order", promised, observed, holds), *check_all(seen)]
    if assignment.campaign.segments:
        ends = take_last(assignment.campaign, assigned)
        sent = sum(one.number in submitted for one in ends)
        found = f"{sent:,} of {len(ends):,} that were answered to the end"
        holds = True if ends and sent == len(ends) else None
        promised = "each document is submitted by its judge, and its answers are fixed from then on"
        guarantees.append(Guarantee("submitted", promised, found, holds))
    return DesignCheck(tuple(guarantees), len(tickets), judges, assignment.digest)


def _is_asked(assignment: Assignment, ticket: Ticket, seats: Mapping[str, str]) -> bool:
    """Say whether a ticket is one of the design, or what a policy may make of it."""
    if not 0 <= ticket.number < len(assignment):
        return False
    planned = assignment[ticket.number]
    ticket = replace(ticket, judge=seats.get(ticket.judge, ticket.judge))
    if planned.settled:
        return planned == ticket
    item = next((one for one in assignment.campaign.items if one.name == ticket.item), None)
    if item is None or item.control or item.anchor:
        return False
    shown = set(ticket.systems)
    sound = len(shown) == len(ticket.systems) == 2 and shown <= set(item.systems)
    explained = (ticket.kind == "target") == bool(ticket.chosen)
    return sound and explained and replace(ticket, item="", systems=(), chosen="") == planned

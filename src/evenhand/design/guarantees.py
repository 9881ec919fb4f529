"""Is every promise kept? Counted on the tickets alone, before launch and on what was collected.

Nothing here knows how tickets were made: each guarantee is counted from who was asked what, in
which order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import e, factorial
from typing import Any, Final

import numpy as np

from evenhand.design.assignment import Assignment, fits
from evenhand.design.campaign import CONTROLS, Campaign, Item
from evenhand.design.dealing import (
    count_anchors,
    count_targets,
    has_left_out,
    has_quotas,
    list_anchors,
    list_targets,
    may_choose,
)
from evenhand.design.promises import (
    Guarantee,
    Integers,
    Seen,
    conclude,
    count,
    count_different,
    say_range,
    see,
)
from evenhand.design.tasks import TICKET_KINDS, Ticket
from evenhand.errors import CampaignError

# Promises of pairs that a policy chooses while judgments come in.


def check_choices(seen: Seen) -> Iterator[Guarantee]:
    """Count what a policy chose, and what is still to be chosen."""
    design = seen.campaign.design
    name, target = seen.campaign.tasks[0].name, seen.of("target")
    mine = seen.take(target & seen.settled)
    left = int((target & ~seen.settled).sum())
    if left:
        share = "" if design.policy == "random" else f", {design.random_share:.0%} of it at random"
        found = f"{left:,} pairs are chosen while judgments come in: {design.policy}{share}"
        yield Guarantee(f"{name}: policy", "", found, None)
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
    told = (
        f"{chosen['policy']:,} pairs by the policy, {chosen['random']:,} at random,{fewer}"
        f" {chosen['start-up']:,} of the start-up phase"
    )
    yield Guarantee(f"{name}: choices", "", told, None)


# Promises of how much each judge is asked, and how often each judge sees each system.

USUAL = 3  # Sources of a kind that is rarer than this are not promised to be spread evenly


def check_loads(seen: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Loads are even, within quotas."""
    quotas = has_quotas(seen.campaign)
    if quotas:
        yield _check_quotas(seen)
    several = len({one.width for one in seen.campaign.tasks}) > 1
    for at, task in enumerate(seen.campaign.tasks):
        mine = seen.take((seen.task == at) & seen.of("target"))
        loads = np.bincount(mine.judge, minlength=len(seen.campaign.judges))
        found = f"{say_range(loads)} for each of {len(loads):,} judges"
        if not quotas:
            promised = "the same for every judge but for one"
            kept = conclude(kept=int(np.ptp(loads)) <= 1, whole=whole)
        elif several:
            promised, kept = "", None
        else:
            promised = "as even as quotas allow"
            found += f"; {(over := _count_spared(seen, loads)):,} could take over from others"
            kept = conclude(kept=not over, whole=whole)
        yield Guarantee(f"{task.name}: loads", promised, found, kept)


def _check_quotas(seen: Seen) -> Guarantee:
    """Nobody is asked more than his quota."""
    asked = np.bincount(_own(seen).judge, minlength=len(seen.campaign.judges))
    over = int((asked > _list_quotas(seen)).sum())
    found = f"{over} judges above theirs; {say_range(asked)} tickets each"
    kept = over == 0 if len(seen) else None
    return Guarantee("quotas", "no judge is asked more than his quota", found, kept)


def _own(seen: Seen) -> Seen:
    return seen.take(~seen.of("training"))


def _list_quotas(seen: Seen) -> Integers:
    """Return (J,) quotas; who has none may be asked anything."""
    usual, none = seen.campaign.design.quota, np.iinfo(np.int64).max
    quotas = [one.quota or usual or none for one in seen.campaign.judges]
    return np.array([min(one, none) for one in quotas], dtype=np.int64)


def _count_spared(seen: Seen, loads: Integers) -> int:
    """Count judges who could do what another has more, but for one."""
    campaign, passes = seen.campaign, len(seen.campaign.tasks)
    asked = np.bincount(_own(seen).judge, minlength=len(loads))
    targets = seen.take(seen.of("target"))
    units = targets.group if campaign.design.once_per_source else targets.unit
    most = len(np.unique(units))
    room = (_list_quotas(seen) - asked >= passes) & (loads < most)
    return int((room & (loads < loads.max() - 1)).sum())


def check_systems(seen: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Every judge sees outputs of all systems, and pairs and sets of them, about equally often."""
    for at, task in enumerate(seen.campaign.tasks):
        mine = seen.take((seen.task == at) & seen.of("target") & seen.sound)
        once = seen.campaign.design.once_per_source
        tables = list(_tabulate_kinds(mine) if once else _tabulate_labels(mine))
        gap = max((_largest_difference(one, 1 if once else 0) for one in tables), default=0)
        sure = bool(tables) and not has_quotas(seen.campaign)
        one = {1: "system", 2: "pair of systems"}.get(task.width, "set of systems")
        often = "any other" if once else "any other judge does"
        alike = f"of sources with the same, if there are {USUAL} or more"
        where = alike if once else f"if {USUAL} items or more are asked about with it"
        yield Guarantee(
            f"{task.name}: systems",
            f"each judge sees each {one} as often as {often} but for one, {where}" if sure else "",
            f"a judge sees a {one} {_say_tables(tables)} times; gaps are at most {gap}",
            conclude(kept=gap <= 1, whole=whole) if sure else None,
        )


def _tabulate_labels(mine: Seen) -> Iterator[Integers]:
    """Yield how often each judge sees each label that enough items are shown with."""
    first, _ = count(mine.unit)
    units = np.bincount(mine.label[first], minlength=int(mine.label.max(initial=-1)) + 1)
    table = tabulate(mine.judge, mine.label, len(mine.campaign.judges))
    if (units >= USUAL).any():
        yield table[:, units >= USUAL]


def _tabulate_kinds(mine: Seen) -> Iterator[Integers]:
    """Yield for each kind of source how often each judge sees each label of it.

    A source with two units of one label is of no kind: these two are one label to a judge.
    """
    first, _ = count(mine.unit)
    of: dict[int, list[int]] = {}
    for group, label in zip(mine.group[first].tolist(), mine.label[first].tolist(), strict=True):
        of.setdefault(group, []).append(label)
    kinds = {group: tuple(sorted(labels)) for group, labels in of.items()}
    often = Counter(kinds.values())
    usual = [one for one, n in often.items() if n >= USUAL and len(set(one)) == len(one) > 1]
    code = {kind: at for at, kind in enumerate(usual)}
    of_group = np.full(int(mine.group.max(initial=-1)) + 1, -1, dtype=np.int64)
    for group, kind in kinds.items():
        of_group[group] = code.get(kind, -1)
    of_ticket = of_group[mine.group]
    for at in range(len(usual)):
        rows = of_ticket == at
        yield tabulate(mine.judge[rows], mine.label[rows], len(mine.campaign.judges))[:, usual[at]]


def _largest_difference(table: Integers, axis: int) -> int:
    """Return by how much numbers differ most."""
    return int(np.ptp(table, axis=axis).max(initial=0))


def _say_tables(tables: list[Integers]) -> str:
    return say_range(np.concatenate([one.ravel() for one in tables])) if tables else "0"


def tabulate(rows: Integers, columns: Integers, n_rows: int) -> Integers:
    """Return how often each column is in each row."""
    wide = int(columns.max(initial=-1)) + 1
    return np.bincount(rows * wide + columns, minlength=n_rows * wide).reshape(n_rows, wide)


# Promises of order: who stands left, at which place, and who meets whom.


def check_orders(seen: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Count who stands where in every pass of more than one output."""
    judged = seen.of("target", "anchor") & seen.settled & seen.sound
    for at, task in enumerate(seen.campaign.tasks):
        mine = seen.take((seen.task == at) & judged)
        if task.width == 1:
            continue
        if task.width == 2:
            yield from _check_sides(task.name, mine, whole=whole)
        else:
            yield from _check_places(task.name, mine, whole=whole)
        if task.width > 2 or seen.campaign.design.balanced_blocks:
            yield _check_meetings(task.name, mine, whole=whole)


def _check_sides(name: str, mine: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Every pair stands in either order equally often."""
    turned = np.array([one.systems[0] > one.systems[1] for one in mine.tickets], dtype=np.bool_)
    policy = bool(mine.campaign.design.policy)
    for more, what, codes in (
        ("", "over the campaign", (mine.label,)),
        (" of an item", "for the judges of an item", (mine.unit,)),
        (" of a judge", "for each judge", (mine.judge, mine.label)),
    ):
        gap = _order_difference(turned, codes)
        # who chooses pairs one by one can keep one of the three
        sure = not policy or not more
        yield Guarantee(
            f"{name}: sides{more}",
            f"each pair in either order equally often but for one, {what}" if sure else "",
            f"the two orders of a pair differ by at most {gap}, {what}",
            conclude(kept=gap <= 1, whole=whole and len(mine) > 0) if sure else None,
        )


def _order_difference(turned: np.ndarray, codes: tuple[Integers, ...]) -> int:
    """Return by how much the two orders differ most."""
    whole = np.zeros(len(turned), dtype=np.int64)
    for one in codes:
        whole = np.unique(whole * (int(one.max(initial=0)) + 1) + one, return_inverse=True)[1]
    signed = np.bincount(whole, weights=np.where(turned, 1, -1))
    return int(np.abs(signed).max(initial=0))


def _check_places(name: str, mine: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Every system stands at every place equally often."""
    gap, per_judge = 0, 0
    for size in {len(one.systems) for one in mine.tickets}:
        rows = [(j, one) for j, one in zip(mine.judge.tolist(), mine.tickets, strict=True)]
        shown = [
            (j, s, at)
            for j, one in rows
            if len(one.systems) == size
            for at, s in enumerate(one.systems)
        ]
        gap = max(gap, _spread(Counter((s, at) for _, s, at in shown), size))
        per_judge = max(per_judge, _spread(Counter(((j, s), at) for j, s, at in shown), size))
    for more, what, found in (
        ("", "over the campaign", gap),
        (" of a judge", "for each judge", per_judge),
    ):
        yield Guarantee(
            f"{name}: places{more}",
            f"each system at each place equally often but for one, {what}",
            f"how often a system is at two places differs by at most {found}, {what}",
            conclude(kept=found <= 1, whole=whole and len(mine) > 0),
        )


def _spread(counts: Counter[tuple[object, int]], size: int) -> int:
    """Return by how much numbers at two places differ most."""
    owners = {owner for owner, _ in counts}
    spans = ([counts[owner, at] for at in range(size)] for owner in owners)
    return max((max(one) - min(one) for one in spans), default=0)


def _check_meetings(name: str, mine: Seen, *, whole: bool) -> Guarantee:
    """Every two systems meet in equally many sets, of items with the same systems."""
    first, _ = count(mine.unit)
    kinds: dict[frozenset[str], Counter[tuple[str, ...]]] = {}
    for one in mine.campaign.items:
        if not one.control:
            kinds.setdefault(frozenset(one.systems), Counter())
    for at in first.tolist():
        ticket = mine.tickets[at]
        kind = frozenset(mine.campaign.item(ticket.item).systems)
        kinds.setdefault(kind, Counter()).update(combinations(sorted(ticket.systems), 2))
    times = [
        np.array([met[pair] for pair in combinations(sorted(kind), 2)], dtype=np.int64)
        for kind, met in kinds.items()
    ]
    balanced = mine.campaign.design.balanced_blocks
    found = f"two systems meet in {say_range(np.concatenate(times))} of {len(first):,} sets"
    promised = "every two systems meet in equally many sets, of items with the same systems"
    even = conclude(kept=all(np.ptp(one) == 0 for one in times), whole=whole and len(mine) > 0)
    return Guarantee(
        f"{name}: sets", promised if balanced else "", found, even if balanced else None
    )


# Promises of passes: in order, and of one width with the same outputs in another order.

CHANCE: Final = 1e-9  # What comes about less often than this by chance did not come about by chance


def check_passes(seen: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Count what passes have in common."""
    yield _check_pass_sequence(seen)
    if seen.campaign.design.policy:
        return
    widths = [one.width for one in seen.campaign.tasks]
    if len(set(widths)) < len(widths):
        own = seen.take(seen.of("target", "anchor"))
        yield _check_same(own, whole=whole)
        yield _check_shuffled(own, whole=whole)


def _check_pass_sequence(seen: Seen) -> Guarantee:
    """Everybody goes through the passes in order; says so if a reference is seen too early."""
    back = int(((np.diff(seen.task) < 0) & (np.diff(seen.judge) == 0)).sum())
    names = [one.name for one in seen.campaign.tasks]
    shown = ["reference" in one.shows for one in seen.campaign.tasks]
    found = f"{back:,} steps back"
    early = [name for at, name in enumerate(names) if not shown[at] and any(shown[:at])]
    if early:
        found += f"; {early[0]} comes after a pass that shows the reference"
    kept = back == 0 if len(seen) else None
    return Guarantee("passes", f"in this order: {', '.join(names)}", found, kept)


def _check_same(own: Seen, *, whole: bool) -> Guarantee:
    """All passes of one width show a judge the same outputs."""
    often = np.bincount([one.width for one in own.campaign.tasks])
    first, _ = count(own.judge, own.task, own.unit)
    once = own.take(np.isin(np.arange(len(own)), first))
    rows, passes = count(once.judge, once.width, once.unit)
    missed = int((passes != often[once.width[rows]]).sum())
    found = f"{missed:,} are not in all of them"
    promised = "all passes with as many outputs on a ticket show a judge the same"
    kept = conclude(kept=not missed and len(own) > 0, whole=whole)
    return Guarantee("passes: same outputs", promised, found, kept)


def _check_shuffled(own: Seen, *, whole: bool) -> Guarantee:
    """They show them in another order each: as rarely in the same as chance has it."""
    same, sizes = 0, []
    for one, other in _compare_passes(own):
        if len(one) > 1:
            same += np.array_equal(one, other)
            sizes.append(len(one))
    expected = sum(1 / factorial(min(size, 20)) for size in sizes)
    # P(S >= s) <= (e mu / s)^s of independent draws, of which mu are expected (Chernoff)
    chance = min(1.0, (e * expected / same) ** same) if same else 1.0
    found = f"{same:,} of {len(sizes):,} times the order of the pass before"
    kept = conclude(kept=chance >= CHANCE, whole=whole and len(own) > 0)
    return Guarantee("passes: another order", "each time in another random order", found, kept)


def _compare_passes(own: Seen) -> Iterator[tuple[Integers, Integers]]:
    """Yield what a judge sees in a pass and in the one of this width before, in order."""
    tasks, n = own.campaign.tasks, len(own.campaign.judges)
    sitting = own.judge * len(tasks) + own.task
    ends = np.cumsum(np.bincount(sitting, minlength=n * len(tasks)))[:-1]
    units = np.split(own.unit[np.argsort(sitting, kind="stable")], ends)
    for width in dict.fromkeys(one.width for one in tasks):
        passes = [at for at, one in enumerate(tasks) if one.width == width]
        for judge in range(n):
            for one, other in pairwise(passes):
                yield units[judge * len(tasks) + one], units[judge * len(tasks) + other]


# Promises of hidden repeats, and of what is asked again at the end of a pass.


def check_repeats(seen: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Count repeats of every judge in every pass."""
    design = seen.campaign.design
    if not design.repeats + design.again:
        return
    yield _check_number(seen, whole=whole)
    yield _check_lag(seen)
    if design.again:
        yield _check_last(seen, whole=whole)


def tally(seen: Seen) -> np.ndarray:
    """Return (J, T) how many tickets each judge has in each pass."""
    judges, tasks = len(seen.campaign.judges), len(seen.campaign.tasks)
    whole = np.bincount(seen.judge * tasks + seen.task, minlength=judges * tasks)
    return np.asarray(whole.reshape(judges, tasks))


def _check_number(seen: Seen, *, whole: bool) -> Guarantee:
    """So many different tickets are repeated."""
    asked = seen.campaign.design.repeats + seen.campaign.design.again
    mine = seen.of("repeat")
    origins = seen.again[mine & (seen.again >= 0)]
    twice = len(origins) - len(np.unique(origins))
    often = tally(seen.take(mine))
    met = int(often.sum()) + seen.void == asked * often.size
    found = f"{say_range(often.ravel())} in a pass"
    found += f"; {twice:,} of a ticket that is repeated already" if twice else ""
    found += f"; {seen.void:,} are void: who saw the first is gone" if seen.void else ""
    lost = twice > 0 or bool((often > asked).any())
    kept = conclude(kept=met and not lost, whole=whole, lost=lost)
    return Guarantee("repeats", f"{asked} different ones for each judge in each pass", found, kept)


def _check_lag(seen: Seen) -> Guarantee:
    """Repeats show what the judge has judged, far enough before."""
    lag, mine = seen.campaign.design.lag, seen.of("repeat")
    rows = np.flatnonzero(mine & (seen.again >= 0))
    between = seen.place[rows] - seen.place[seen.again[rows]] - 1
    same = sum(_is_same(seen, row) for row in rows.tolist())
    other = int(mine.sum()) - same
    found = f"{say_range(between)} tickets between"
    found += f"; {other:,} show something else than one before" if other else ""
    kept = not other and bool((between >= lag).all()) if mine.any() else None
    promised = f"at least {lag} tickets after the same outputs in the same order"
    return Guarantee("repeats: lag", promised, found, kept)


def _is_same(seen: Seen, row: int) -> bool:
    """Say whether a repeat shows what it repeats, as it was shown."""
    one, first = seen.tickets[row], seen.tickets[seen.again[row]]
    told = (one.judge, one.task, one.item, one.systems)
    return first.kind == "target" and told == (first.judge, first.task, first.item, first.systems)


def _check_last(seen: Seen, *, whole: bool) -> Guarantee:
    """What is asked again stands at the end of a pass."""
    again = seen.campaign.design.again
    others = seen.place * ~seen.of("repeat")
    last = np.zeros((len(seen.campaign.judges), len(seen.campaign.tasks)), dtype=np.int64)
    np.maximum.at(last, (seen.judge, seen.task), others + 1)
    whole_size = tally(seen)
    left = np.minimum(whole_size - last, again)
    missing = int((again - left).sum())
    found = f"{missing:,} of {again * left.size:,} do not"
    promised = f"{again} at the end of each pass of each judge"
    return Guarantee(
        "repeats: last", promised, found, conclude(kept=missing <= seen.void, whole=whole)
    )


# Promises of what a judge meets beside what is dealt out: training, anchors, controls.

ANCHOR, CONTROL = TICKET_KINDS.index("anchor"), TICKET_KINDS.index("control")


def check_sittings(seen: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Count what judges meet beside their own items."""
    if list_anchors(seen.campaign) or bool(seen.of("anchor").any()):
        yield _check_anchors(seen, whole=whole)
    if seen.campaign.design.controls or bool(seen.of("control").any()):
        yield from _check_controls(seen, whole=whole)
    if seen.campaign.training or bool(seen.of("training").any()):
        yield from _check_training(seen, whole=whole)


def _check_training(seen: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Every judge is taught what a pass teaches, before anything else in it."""
    owed = {(one.task, one.item.name) for one in seen.campaign.training}
    mine = seen.take(seen.of("training"))
    strange = sum((one.task, one.item) not in owed for one in mine.tickets)
    first, often = count(mine.judge, mine.task, mine.item)
    missing = len(owed) * len(seen.campaign.judges) - (len(first) - strange)
    twice = int((often > 1).sum())
    found = f"{len(mine):,} tickets; {missing:,} missing, {twice:,} shown twice, {strange:,} others"
    kept = conclude(kept=not missing, whole=whole, lost=bool(strange + twice))
    promised = f"every judge sees all {len(owed):,} items of training once"
    yield Guarantee("training", promised, found, kept)
    rest = np.where(seen.of("training"), len(seen), seen.place)
    start = np.full(tally(seen).shape, len(seen), dtype=np.int64)
    np.minimum.at(start, (seen.judge, seen.task), rest)
    late = int((seen.of("training") & (seen.place > start[seen.judge, seen.task])).sum())
    promised = "training comes before what is judged in its pass"
    kept = conclude(kept=late == 0, whole=len(mine) > 0, lost=late > 0)
    yield Guarantee("training: first", promised, f"{late:,} come later", kept)


def _check_anchors(seen: Seen, *, whole: bool) -> Guarantee:
    """All judges see the same anchors, and all that there are."""
    every, once = len(seen.campaign.judges), seen.campaign.design.once_per_source
    mine = seen.take(seen.of("anchor"))
    strange = int((mine.role != ANCHOR).sum())
    right = mine.take(mine.sound & (mine.role == ANCHOR))
    missing, more = 0, 0
    for at, task in enumerate(seen.campaign.tasks):
        there = right.take(right.task == at)
        owed = count_anchors(seen.campaign, task.width)
        first, judges = count_different(there.judge, there.unit)
        shown = dict.fromkeys(owed, 0)
        for row, n in zip(first.tolist(), judges.tolist(), strict=True):
            item = seen.campaign.item(there.tickets[row].item)
            shown[item.group if once else item.name] += 1
            missing += every - n
        missing += every * sum(max(0, n - shown[one]) for one, n in owed.items())
        more += sum(max(0, shown[one] - n) for one, n in owed.items())
    found = f"{len(mine):,} anchor tickets; {missing:,} missing, {strange + more:,} others"
    kept = conclude(kept=not missing, whole=whole, lost=bool(strange + more))
    return Guarantee("anchors", f"all {every:,} judges see every anchor in each pass", found, kept)


def _check_controls(seen: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Every judge sees so many controls, one in each stretch, of either direction."""
    asked = seen.campaign.design.controls
    mine = seen.take(seen.of("control"))
    strange = int((~_fit(mine)).sum())
    first, _ = count(mine.judge, mine.task, mine.item)
    twice, often = len(mine) - len(first), tally(mine)
    found = f"{say_range(often.ravel())} in a pass"
    found += f"; {strange:,} show no control of the pass" if strange else ""
    found += f"; {twice:,} again" if twice else ""
    lost = bool(strange + twice) or bool((often > asked).any())
    kept = conclude(kept=bool((often == asked).all()), whole=whole, lost=lost)
    promised = f"{asked} different ones for each judge in each pass"
    yield Guarantee("controls", promised, found, kept)
    outside = _count_outside(seen, asked)
    yield Guarantee(
        "controls: spread",
        f"one in each {'half' if asked == 2 else f'of {asked} equal stretches'} of a pass",
        f"{outside:,} outside their stretch",
        conclude(kept=outside == 0, whole=whole),
    )
    yield from _check_directions(mine, whole=whole)
    if any(one.width == 2 for one in seen.campaign.tasks):
        yield _check_better(mine, whole=whole)


def _fit(mine: Seen) -> np.ndarray:
    """Return (n,) which tickets show a control whose answer is known in their pass."""
    known = {one.name: one for one in mine.campaign.items if one.control}
    right = {
        (task.name, one.name)
        for task in mine.campaign.tasks
        for one in known.values()
        if fits(one, task)
    }
    return np.array([(one.task, one.item) in right for one in mine.tickets], dtype=np.bool_)


def _check_directions(mine: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Every judge sees good and bad ones in turn, where there are enough of either."""
    campaign, gap, sure, several = mine.campaign, 0, True, False
    known = {one.name: one for one in campaign.items if one.control}
    named = np.array([getattr(known.get(one.item), "control", "") for one in mine.tickets], "U8")
    for at, task in enumerate(campaign.tasks):
        ready = [one for one in known.values() if fits(one, task)]
        used = [one for one in CONTROLS if any(item.control == one for item in ready)]
        if len(used) < 2:
            continue
        several, sure = True, sure and _can_alternate(campaign, ready, used)
        tallies = [tally(mine.take(named == one))[:, at] for one in used]
        gap = max(gap, int(np.ptp(np.stack(tallies), axis=0).max()))
    if several:
        good, bad = (int((named == one).sum()) for one in ("good", "bad"))
        yield Guarantee(
            "controls: directions",
            "as many of each direction for a judge in a pass, but for one" if sure else "",
            f"{good:,} known good, {bad:,} known bad, {len(named) - good - bad:,} others; a judge's"
            f" differ by at most {gap}",
            conclude(kept=gap <= 1, whole=whole) if sure else None,
        )


def _can_alternate(campaign: Campaign, ready: list[Item], used: list[str]) -> bool:
    """Say whether there is always another one of the direction whose turn it is."""
    turns = -(-campaign.design.controls // len(used))
    enough = all(sum(one.control == name for one in ready) >= turns for name in used)
    groups = Counter(one.group for one in campaign.items)
    return enough and (
        not campaign.design.once_per_source or all(groups[one.group] == 1 for one in ready)
    )


def _check_better(mine: Seen, *, whole: bool) -> Guarantee:
    """Of two outputs the better stands left half of the time."""
    pairs = mine.take(mine.sound & (mine.width == 2) & (mine.role == CONTROL))
    signed = np.ones(len(pairs), dtype=np.int64)
    for at, ticket in enumerate(pairs.tickets):
        item = pairs.campaign.item(ticket.item)
        best = item.expects(ticket.task)
        if ticket.systems[0] != (best if best in item.systems else item.systems[0]):
            signed[at] = -1
    shape = (len(pairs.campaign.judges), len(pairs.campaign.tasks))
    table = np.zeros(shape, dtype=np.int64)
    np.add.at(table, (pairs.judge, pairs.task), signed)
    gap = int(max(np.abs(table).max(), np.abs(table.sum(axis=0)).max()))
    return Guarantee(
        "controls: sides",
        "the better one left as often as right but for one, in each pass and for each judge in it",
        f"{int((signed > 0).sum()):,} left, {int((signed < 0).sum()):,} right; differences are at"
        f" most {gap}",
        conclude(kept=gap <= 1, whole=whole),
    )


def _count_outside(seen: Seen, asked: int) -> int:
    """Count controls outside their stretch: place by place, without training and repeats."""
    mine = seen.take(~seen.of("training", "repeat"))
    first, size = count(mine.judge, mine.task)
    outside = 0 if asked else int(mine.of("control").sum())
    control = mine.of("control")
    for at, n in zip(first.tolist(), size.tolist(), strict=True) if asked else ():
        places = np.flatnonzero(control[at : at + n])
        ends = np.arange(asked + 1) * n // asked
        counted = np.histogram(places, ends)[0] if len(places) else np.zeros(asked)
        outside += int(np.abs(counted - 1).sum())
    return outside


# Promises of what is judged: all that is to be, by so many judges, each about equally often.

WORDS = {1: ("output", "outputs"), 2: ("pair", "pairs")}
SETS = ("set of outputs", "sets of outputs")
TARGET = TICKET_KINDS.index("target")


def check_units(seen: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Count what is judged in every pass."""
    policy = bool(seen.campaign.design.policy)
    yield _check_shown(seen)
    for at, task in enumerate(seen.campaign.tasks):
        mine = seen.take((seen.task == at) & seen.of("target"))
        if not policy:
            yield _check_items(task.name, task.width, mine, whole=whole)
            yield _check_judges(task.name, task.width, mine, whole=whole)
            yield from _check_choice(seen, at, whole=whole)


def _check_shown(seen: Seen) -> Guarantee:
    """Every ticket shows outputs of its item."""
    wrong = np.flatnonzero(~seen.sound)
    found = f"{len(wrong):,} of {len(seen):,} do not"
    if len(wrong):
        first = seen.tickets[int(wrong[0])]
        found += f", such as {first.number} ({first.judge}, {first.item})"
    promised = "every ticket shows different outputs of its item, as many as its pass asks about"
    return Guarantee("outputs shown", promised, found, not len(wrong) if len(seen) else None)


def _check_items(name: str, width: int, mine: Seen, *, whole: bool) -> Guarantee:
    """All that is to be judged is."""
    owed = count_targets(mine.campaign, width)
    right = mine.take(mine.sound & (mine.role == TARGET))
    first, often = count_different(right.unit, right.item)
    names = [right.tickets[at].item for at in first.tolist()]
    there = dict(zip(names, often.tolist(), strict=True))
    strange = int((mine.role != TARGET).sum())
    more = sum(max(0, n - owed.get(one, 0)) for one, n in there.items())
    left = sum(max(0, n - there.get(one, 0)) for one, n in owed.items())
    one, many = WORDS.get(width, SETS)
    each = mine.campaign.design.per_item or (None if width < 3 else 1)
    what = f"every {one}" if each is None else f"{each} {one if each == 1 else many}"
    found = f"{sum(there.values()):,} {many} of {len(there):,} items"
    found += f"; {left:,} {'' if whole else 'still '}missing" if left else ""
    found += f"; {more + strange:,} not asked for" if more + strange else ""
    kept = conclude(kept=not left, whole=whole, lost=bool(more + strange))
    return Guarantee(f"{name}: items", f"{what} of each of {len(owed):,} items", found, kept)


def _check_judges(name: str, width: int, mine: Seen, *, whole: bool) -> Guarantee:
    """So many different judges each."""
    k = mine.campaign.design.judges_per_item
    _, judges = count_different(mine.person, mine.unit)
    one, many = WORDS.get(width, SETS)
    nothing = not len(judges) and bool(list_targets(mine.campaign))
    return Guarantee(
        f"{name}: judges",
        f"{k} different judge{'s' * (k > 1)} for each {one}",
        f"{len(judges):,} {many} by {say_range(judges)}",
        conclude(
            kept=bool((judges == k).all()) and not nothing,
            whole=whole,
            lost=bool((judges > k).any()),
        ),
    )


def _check_choice(seen: Seen, at: int, *, whole: bool) -> Iterator[Guarantee]:
    """Where some of many are chosen, each is about equally often, of items alike."""
    campaign, task = seen.campaign, seen.campaign.tasks[at]
    owed = [one for one in campaign.items if not one.control]
    even = campaign.design.balanced_blocks and task.width == 2  # which is promised by itself
    if even or not any(may_choose(campaign, one, task.width) for one in owed):
        return
    sure = not has_left_out(campaign, task.width)
    mine = seen.take((seen.task == at) & seen.of("target", "anchor") & seen.sound)
    first, _ = count(mine.unit)
    kinds: dict[frozenset[str], Counter[frozenset[str]]] = {}
    for one in owed:
        kinds.setdefault(frozenset(one.systems), Counter())
    for row in first.tolist():
        ticket = mine.tickets[row]
        kind = kinds.get(frozenset(campaign.item(ticket.item).systems))
        if kind is not None:
            kind.update(_count_alike(ticket.systems, task.width))
    gap = max(_unit_difference(kind, chosen, task.width) for kind, chosen in kinds.items())
    what = WORDS[task.width][0] if task.width < 3 else "system"
    where = "of as many items" if task.width < 3 else "in as many sets"
    found = f"how often {what}s are chosen differs by at most {gap}"
    found += "; some that were chosen of anchors are not shown" if not sure else ""
    promised = f"each {what} {where} as any other but for one, of items with the same systems"
    kept = conclude(kept=gap <= 1, whole=whole) if sure else None
    yield Guarantee(f"{task.name}: choice", promised if sure else "", found, kept)


def _count_alike(systems: tuple[str, ...], width: int) -> list[frozenset[str]]:
    """Return what a unit counts for: itself; of a set, each of its systems."""
    return [frozenset(systems)] if width < 3 else [frozenset((one,)) for one in systems]


def _unit_difference(kind: frozenset[str], chosen: Counter[frozenset[str]], width: int) -> int:
    """Return by how much numbers differ, those that are chosen never among them."""
    size = width if width < 3 else 1
    every = [chosen[frozenset(one)] for one in combinations(sorted(kind), size)]
    return max(every) - min(every)


# The promises of a design one by one, each counted on tickets.


def check_all(seen: Seen, *, whole: bool) -> tuple[Guarantee, ...]:
    """Count all promises."""
    found = tuple(_check(seen, whole=whole))
    if len(seen):
        return found
    return tuple(replace(one, holds=False if one.holds is False else None) for one in found)


def _check(seen: Seen, *, whole: bool) -> Iterator[Guarantee]:
    """Yield what was counted; of no tickets much seems to hold."""
    policy = seen.campaign.design.policy
    yield from (
        *check_units(seen, whole=whole),
        *(check_choices(seen) if policy else ()),
        *_check_twice(seen),
        *_check_sources(seen),
        *check_loads(seen, whole=whole),
        *(() if policy else check_systems(seen, whole=whole)),
        *check_orders(seen, whole=whole),
        *check_sittings(seen, whole=whole),
        *check_repeats(seen, whole=whole),
        *check_passes(seen, whole=whole),
    )


def _check_twice(seen: Seen) -> Iterator[Guarantee]:
    """Nobody is asked the same again, but where that is meant."""
    mine = seen.take(~seen.of("repeat", "training"))
    _, often = count(mine.person, mine.task, mine.unit)
    twice = int((often > 1).sum())
    promised = "nobody is asked the same again, but for repeats"
    kept = twice == 0 if len(mine) else None
    yield Guarantee("no doubles", promised, f"{twice:,} asked again", kept)


def _check_sources(seen: Seen) -> Iterator[Guarantee]:
    """No judge sees a source again with other outputs."""
    mine = seen.take(~seen.of("training"))
    _, often = count_different(mine.unit, mine.person, mine.width, mine.group)
    most = int(often.max(initial=0))
    once = seen.campaign.design.once_per_source
    promised = "no judge sees a source again with other outputs" if once else ""
    found = f"a judge sees a source with at most {most} different outputs, pairs or sets"
    kept = most <= 1 if once and len(mine) else None
    yield Guarantee("sources", promised, found, kept)


@dataclass(frozen=True)
class DesignCheck:
    """What was promised, and what was found."""

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
        """Promises that are not kept."""
        return tuple(one for one in self.guarantees if one.holds is False)

    @property
    def kept(self) -> tuple[Guarantee, ...]:
        """Promises that are kept."""
        return tuple(one for one in self.guarantees if one.holds)

    @property
    def later(self) -> tuple[Guarantee, ...]:
        """Promises of which it cannot be said yet whether they are kept."""
        return tuple(one for one in self.guarantees if one.holds is None and one.promised)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "holds": self.holds,
            "tickets": self.tickets,
            "judges": self.judges,
            "digest": self.digest,
            "guarantees": [dict(vars(one)) for one in self.guarantees],
        }


def verify_design(assignment: Assignment) -> DesignCheck:
    """Count every promise of a design on its tickets, against what the campaign asks for.

    assignment: the tickets, before anybody answers. >>> from evenhand.design import assign,
        make_campaign >>> items = [{"item": str(n), "A": "uno", "B": "un"} for n in range(6)] >>>
        told = {"name": "small", "items": items, "design": {"judges_per_item": 2}} >>> check =
        verify_design(assign(make_campaign(told))) >>> check.holds, check.tickets (True, 12)
    """
    seen = see(assignment.campaign, assignment)
    judges = len(assignment.campaign.judges)
    return DesignCheck(check_all(seen, whole=True), len(assignment), judges, assignment.digest)


def refuse_broken(assignment: Assignment) -> None:
    """Refuse tickets that do not keep what their campaign promises."""
    broken = verify_design(assignment).broken
    if broken:
        told = "; ".join(f"{one.name}: {one.promised} (found: {one.found})" for one in broken[:3])
        more = f"; and {len(broken) - 3} more" if len(broken) > 3 else ""
        raise CampaignError(
            f"the design of campaign '{assignment.campaign.name}' does not keep what it promises,"
            f" so that it is not launched: {told}{more}; leave that setting out or change it, and"
            " try again with evenhand plan check"
        )


def verify_collected(
    assignment: Assignment,
    tickets: Iterable[Ticket],
    people: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
) -> DesignCheck:
    """Count every promise again on what was collected.

    What can only be said at the end is left open until all is answered.
    """
    tickets, seats = tuple(tickets), seats or {}
    asked = [one for one in tickets if _is_asked(assignment, one, seats)]
    void = _find_void(assignment, asked)
    answered = {one.number for one in asked}
    whole = len(answered) + len(void) == len(assignment)
    seen = replace(see(assignment.campaign, asked, people, seats), void=len(void))
    judges = len({one.judge for one in tickets})
    guarantees = (
        _compare_tickets(assignment, tickets, asked),
        _check_ticket_sequence(assignment, asked),
        *check_all(seen, whole=whole),
    )
    return DesignCheck(guarantees, len(tickets), judges, assignment.digest)


def _is_asked(assignment: Assignment, ticket: Ticket, seats: Mapping[str, str]) -> bool:
    """Say whether a ticket is one of the design, or what a policy may make of it."""
    if not 0 <= ticket.number < len(assignment):
        return False
    asked, ticket = (
        assignment[ticket.number],
        replace(ticket, judge=seats.get(ticket.judge, ticket.judge)),
    )
    if asked.settled:
        return asked == ticket
    known = {one.name: one for one in assignment.campaign.items}
    item = known.get(ticket.item)
    if item is None:
        return False
    shown = set(ticket.systems)
    sound = len(shown) == len(ticket.systems) == 2 and shown <= set(item.systems)
    told = (ticket.kind == "target") == bool(ticket.chosen)
    kept = replace(ticket, item="", systems=(), chosen="")
    return sound and told and not item.control and not item.anchor and kept == asked


def _find_void(assignment: Assignment, asked: list[Ticket]) -> set[int]:
    """Return repeats that are asked no more: somebody else went on after the first was answered."""
    by = {one.number: one.judge for one in asked}
    last = {assignment.judge[one.number]: one.judge for one in asked}
    numbers = np.flatnonzero(assignment.again >= 0).tolist()
    origin = {number: by.get(int(assignment.again[number])) for number in numbers}
    return {
        number
        for number, judge in origin.items()
        if number not in by and judge is not None and last[assignment.judge[number]] != judge
    }


def _compare_tickets(
    assignment: Assignment, tickets: tuple[Ticket, ...], asked: list[Ticket]
) -> Guarantee:
    """Say whether what was answered is what was to be asked, each ticket once."""
    n, answered = len(assignment), {one.number for one in asked}
    strange, twice = len(tickets) - len(asked), len(asked) - len(answered)
    found = f"{len(answered):,} of {n:,} tickets answered"
    if strange:
        right = set(asked)
        first = next(one for one in tickets if one not in right)
        found += f"; {strange:,} others, such as {first.number} ({first.judge}, {first.item})"
    if twice:
        found += f"; {twice:,} answered twice"
    promised = "every answer is to a ticket of the design, as it was to be shown"
    kept = not strange and not twice if tickets else None
    return Guarantee("tickets", promised, found, kept)


def _check_ticket_sequence(assignment: Assignment, asked: list[Ticket]) -> Guarantee:
    """Judges answer in the order of the design; a policy passes over what it cannot fill."""
    last: dict[str, int] = {}
    back = 0
    for one in asked:
        back += one.number < last.get(one.judge, -1)
        last[one.judge] = one.number
    found = f"{back:,} before one that was to come first"
    if assignment.campaign.design.policy:
        return Guarantee("order", "", found, None)
    promised = "every judge answers in the order of the design"
    return Guarantee("order", promised, found, back == 0 if asked else None)

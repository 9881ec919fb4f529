"""What is judged by whom, in which order: units, judges, sides, sittings and quotas."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from evenhand.design.campaign import Campaign, Item
from evenhand.errors import CampaignError, listing
from evenhand.numerics import Integers, designs
from evenhand.numerics.sampling import Draws

Places = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Units:
    """What is to be judged, once for each judge who is asked."""

    width: int  # most outputs of a unit
    item: Integers  # (U,) place of its item
    places: Integers  # (U, width) places among the item's systems, by name; −1 after the last
    label: Integers  # (U,) which systems these are, as places in `labels`
    labels: tuple[tuple[str, ...], ...]  # the different sets of systems, by name
    group: Integers  # (U,) code of the source

    def __len__(self) -> int:
        return len(self.item)

    def take(self, chosen: NDArray[np.bool_] | Integers) -> Units:
        rows = (self.item[chosen], self.places[chosen], self.label[chosen])
        return Units(self.width, *rows, self.labels, self.group[chosen])

    @cached_property
    def groups(self) -> Integers:
        """(U,) codes of the sources without gaps."""
        return np.asarray(np.unique(self.group, return_inverse=True)[1])


def list_units(campaign: Campaign, width: int, draws: Draws) -> Units:
    """List what is to be judged of items that are no controls; under a policy, of anchors alone."""
    codes: dict[str, int] = {}
    for one in campaign.items:
        codes.setdefault(one.group, len(codes))
    of_kind: dict[tuple[str, ...], list[int]] = {}
    for place, one in enumerate(campaign.items):
        if not one.control and (one.anchor or not campaign.design.policy):
            of_kind.setdefault(tuple(sorted(one.systems)), []).append(place)
    item: list[int] = []
    named: list[tuple[str, ...]] = []
    for systems in sorted(of_kind):
        members = of_kind[systems]
        unmerged = [one for one in members if not campaign.items[one].merged]
        if unmerged:
            check_width(campaign, systems, width, campaign.items[unmerged[0]])
        elif len(systems) < min(width, 2):
            continue  # all systems gave the same
        each, there = campaign.design.per_item, comb(len(systems), min(width, len(systems)))
        if each is not None and not unmerged:  # no more than the different outputs have
            each = min(each, there)
        sets = _choose_sets(campaign, (len(systems), width, each), len(members), draws.of(*systems))
        order = draws.of("items", *systems).order(len(members))
        for at, chosen in zip(order.tolist(), sets, strict=True):
            item += [members[at]] * len(chosen)
            named += [tuple(systems[place] for place in one) for one in chosen]
    ordered = sorted(range(len(item)), key=item.__getitem__)
    item, named = [item[at] for at in ordered], [named[at] for at in ordered]
    labels = tuple(sorted(set(named)))
    code = {names: at for at, names in enumerate(labels)}
    spots = [{name: at for at, name in enumerate(one.systems)} for one in campaign.items]
    places = np.full((len(item), width), -1, dtype=np.int64)
    for at, (place, names) in enumerate(zip(item, named, strict=True)):
        places[at, : len(names)] = [spots[place][name] for name in names]
    return Units(
        width=width,
        item=np.array(item, dtype=np.int64),
        places=places,
        label=np.array([code[names] for names in named], dtype=np.int64),
        labels=labels,
        group=np.array([codes[campaign.items[place].group] for place in item], dtype=np.int64),
    )


def check_width(campaign: Campaign, systems: Sequence[str], width: int, example: Item) -> None:
    if len(systems) < min(width, 2):
        task = next(one for one in campaign.tasks if one.width == width)
        raise CampaignError(
            f"task '{task.name}' compares {width} outputs, and item '{example.name}' has one"
            f" ({listing(systems)}): add the others, or leave it out"
        )


def _choose_sets(
    campaign: Campaign, shape: tuple[int, int, int | None], items: int, draws: Draws
) -> list[list[Places]]:
    """Return what is judged of each item: so many of the sets of `width` out of m outputs."""
    m, width, per_item = shape
    there = comb(m, min(width, m))
    each = per_item or (there if width < 3 else 1)
    if each > there:
        what = {1: "outputs", 2: "pairs"}.get(width, f"sets of {min(width, m)} outputs")
        raise CampaignError(
            f"per_item asks for {each} {what} of each item; of {m} outputs there are {there}"
        )
    total, balanced = items * each, campaign.design.balanced_blocks
    if width < 3:
        every: list[Places] = list(combinations(range(m), width))
        if width == 2 and balanced and total % len(every):
            raise CampaignError(
                f"{total:,} pairs out of {m} systems cannot hold each of the {len(every):,} equally"
                f" often; {_say_known(every, total, 'pairs')}"
            )
        cycle = [every[at] for at in draws.of("sets").order(len(every)).tolist()]
        dealt = [cycle[at % len(cycle)] for at in range(total)]
        return [dealt[at * each : (at + 1) * each] for at in range(items)]
    width = min(width, m)
    base = designs.find_balanced(m, width)
    if balanced:
        r, odd = divmod(total * width, m)
        uneven = odd or r * (width - 1) % (m - 1)
        if uneven or (total < m and width < m):
            raise CampaignError(
                f"{total:,} sets of {width} out of {m} systems cannot hold every pair equally"
                " often: b·k = v·r and r·(k − 1) = λ·(v − 1) need whole numbers r and λ, and b ≥ v"
                f" (Fisher); {_say_known(base, total)}"
            )
        if base is None or total % len(base):
            raise CampaignError(
                f"no balanced incomplete block design of {total:,} sets of {width} out of {m}"
                f" systems was found; {_say_known(base, total)}"
            )
    if m <= width:
        return [[tuple(range(m))]] * items
    blocks = [tuple(one) for one in designs.choose_blocks(m, width, total, draws).tolist()]
    sets = [blocks[at * each : (at + 1) * each] for at in range(items)]
    for at, one in enumerate(sets):
        if len(set(one)) < each:
            for place, block in enumerate(one):
                if block not in one[:place]:
                    continue
                for other in sets[:at] + sets[at + 1 :]:
                    fits = [
                        n for n, new in enumerate(other) if new not in one and block not in other
                    ]
                    if fits:
                        one[place], other[fits[0]] = other[fits[0]], block
                        break
                else:
                    raise CampaignError(f"per_item = {each} repeats a set of outputs: lower it")
    return sets


def _say_known(base: Sequence[Places] | None, sets: int, what: str = "sets") -> str:
    if base is None:
        return "leave balanced_blocks out: pairs are then met as evenly as a search gets"
    below = sets // len(base) * len(base)
    choices = " or ".join(f"{n:,}" for n in (below, below + len(base)) if n)
    return f"judge {choices} {what}, or leave balanced_blocks out"


# With `once_per_source` all units of a source go to different judges. Sources are dealt first
# (Gale and Ryser), then the units of a source are divided among its judges so that each judge sees
# every system as often as any other but for one (de Werra). Both are exact wherever sources have
# outputs of the same systems.

RARE = 3  # Sources of a kind that is rarer than this are dealt together, without regard to systems


def assign_units(
    units: Units, groups: Integers, each: int, caps: Integers, draws: Draws
) -> tuple[Integers, Integers]:
    """Return (n,) unit and (n,) judge of every judgment, in the order of judges, then units.

    Units of one of the (U,) groups, codes without gaps, go to different judges; (J,) caps suffice
    (`refuse_impossible`).
    """
    order = np.lexsort((units.label, groups))
    ends = np.cumsum(np.bincount(groups))[:-1]
    names = [tuple(name.tolist()) for name in np.split(units.label[order], ends)]
    counted = Counter(names)
    usual = sorted(name for name, n in counted.items() if n >= RARE)
    code = {name: at for at, name in enumerate(usual)}
    kinds = np.array([code.get(name, len(usual)) for name in names], dtype=np.int64)
    needs = np.bincount(groups) * each
    loads = _share_kinds(needs, kinds, caps, draws)
    if loads is None:
        kinds = np.zeros_like(kinds)
        total = int(needs.sum())
        loads = designs.level_loads(caps, total, draws.of("more").order(len(caps)))[:, None]
    dealt = []
    for kind in range(int(kinds.max(initial=-1)) + 1):
        members = np.flatnonzero(kinds == kind)
        place = np.full(int(groups.max()) + 1, -1, dtype=np.int64)
        place[members] = np.arange(len(members))
        mine = np.flatnonzero(place[groups] >= 0)
        mine = mine[np.lexsort((units.label[mine], place[groups[mine]]))]
        sizes = np.bincount(place[groups[mine]], minlength=len(members))
        named = draws.of("kind", *units.labels[units.label[mine[0]]], len(members))
        judge = designs.deal(sizes * each, loads[:, kind], named)
        unit = np.repeat(mine, each)
        m = int(sizes[0])
        if (sizes == m).all() and m > 1:
            labels = units.label[mine].reshape(-1, m)
            if (labels == labels[0]).all():
                group = np.repeat(np.arange(len(members)), m * each)
                colors = designs.color_edges(judge, group, m, named.of("systems"), each)
                unit = mine.reshape(-1, m)[group, colors]
        dealt.append((unit, judge))
    unit, judge = (np.concatenate(column) for column in zip(*dealt, strict=True))
    order = np.lexsort((unit, judge))
    return unit[order], judge[order]


def _share_kinds(
    needs: Integers, kinds: Integers, caps: Integers, draws: Draws
) -> NDArray[np.int64] | None:
    """Return (J, kinds) how many groups of each kind a judge gets; None where quotas forbid it."""
    # Judges stand in a circle; each kind goes on where the last one ended. So every judge's share
    # of each kind, and of all, differs from another's by one at most.
    judges, n_kinds = len(caps), int(kinds.max(initial=-1)) + 1
    total = int(needs.sum())
    loads = np.zeros((judges, n_kinds), dtype=np.int64)
    if int(caps.min()) >= -(-total // judges):
        circle = draws.of("circle").order(judges)
        start = 0
        for kind in range(n_kinds):
            size = int(needs[kinds == kind].sum())
            loads[:, kind] = size // judges
            more = size % judges
            loads[circle[(start + np.arange(more)) % judges], kind] += 1
            start += more
        return loads
    # Quotas are unequal. Kind after kind, every judge is brought to his part of all that was dealt
    # so far, rounded so that who is furthest behind is rounded up.
    whole = designs.level_loads(caps, total, draws.order(judges))
    done, given = 0, np.zeros_like(whole)
    for kind in range(n_kinds):
        of_kind = needs[kinds == kind]
        done += int(of_kind.sum())
        share = np.maximum(whole * done // total - given, 0)
        more = int(of_kind.sum() - share.sum())
        if more < 0:
            return None
        behind = whole * done - total * (given + share)
        share[np.argsort(-behind, kind="stable")[:more]] += 1
        if designs.find_shortage(of_kind, share) is not None:
            return None
        given += share
        loads[:, kind] = share
    return loads


# Which output stands where. Two outputs: in each pair of systems the two orders differ by one
# judgment at most, over the campaign, over the judges of one item, and over the items of one judge.
# Several: every system stands at each place as often as at any other but for one, over the campaign
# and for each judge.


def arrange(
    places: Integers, systems: Integers, unit: Integers, judge: Integers, draws: Draws
) -> Integers:
    """Return (n, w) places of the outputs of each ticket in the order in which they are shown.

    places: (n, w) places among the item's systems, in the order of names; −1 after the last.
    systems: (n, w) codes of these systems; unit and judge, (n,) each: what is judged by whom.
    """
    if places.shape[1] == 1 or not len(places):
        return places
    if places.shape[1] == 2:
        pair = systems[:, 0] * (int(systems.max()) + 1) + systems[:, 1]
        pair = np.unique(pair, return_inverse=True)[1]
        of_judge = judge * (int(pair.max()) + 1) + pair
        turned = designs.halve([unit, pair, np.zeros_like(pair)], [of_judge, judge], draws)
        return np.where(turned[:, None], places[:, ::-1], places)
    shown = places.copy()
    sizes = (places >= 0).sum(axis=1)
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        named, n = draws.of("places", size), len(rows) * int(size)
        ticket, system = np.repeat(np.arange(len(rows)), size), systems[rows, :size].ravel()
        start = np.argsort(named.keys(n).reshape(-1, size), axis=1, kind="stable").ravel()
        of_judge = np.repeat(judge[rows], size) * (system.max() + 1) + system
        who = np.unique(of_judge, return_inverse=True)[1]
        at = designs.color_evenly(start, int(size), [ticket], [who, system], named)
        shown[rows[ticket], at] = places[rows, :size].ravel()
    return shown


# In which order a judge answers the tickets of one pass: what is judged in random order; a control
# somewhere in each of as many equal stretches as there are controls; so do hidden repeats in what
# follows the lag, which are not counted in the stretches of controls. Tickets that are asked again
# come last. Where what was drawn leaves a repeat nothing far enough before it, anchors and own
# items trade places, and then repeats come later.


class NoPlaceForRepeat(Exception):
    """A repeat finds nothing far enough before it."""


@dataclass(frozen=True)
class PassTickets:
    targets: tuple[int, ...]  # what may be repeated
    anchors: tuple[int, ...] = ()  # what all judges share
    controls: tuple[int, ...] = ()  # with known answers, in their order


def order_tickets(
    tickets: PassTickets, repeats: int, again: int, lag: int, draws: Draws
) -> tuple[list[int], list[int]]:
    mains = [*tickets.targets, *tickets.anchors]
    mains = [mains[at] for at in draws.of("order").order(len(mains)).tolist()]
    stretches = spread(len(mains), len(tickets.controls), 0, draws)
    base = _insert(mains, tickets.controls, stretches)
    if not repeats + again:
        return base, [-1] * len(base)
    if repeats + again > len(tickets.targets):
        raise NoPlaceForRepeat
    may, whole = frozenset(tickets.targets), len(base) + repeats
    last = list(range(len(base), whole + again))
    drawn = spread(len(base), repeats, min(lag + 1, len(base)), draws.of("repeats"))
    n = len(tickets.controls)
    late = _insert(mains, tickets.controls, [(at + 1) * len(base) // n - 1 for at in range(n)])
    early = [*drawn, *last[repeats:]]
    if (seated := _repeat(base, may, early, lag, draws)) is not None:
        return seated
    for order, places in ((base, early), (base, last), (late, last)):
        moved = _bring_forward(order, tickets, places, lag, draws)
        if moved and (seated := _repeat(moved, may, places, lag, draws)) is not None:
            return seated
    raise NoPlaceForRepeat


def _bring_forward(
    base: list[int], tickets: PassTickets, places: list[int], lag: int, draws: Draws
) -> list[int] | None:
    """Trade anchors for what may be repeated until every repeat finds something to repeat."""
    # Only as many as are needed change places: of each pair one that stands before the lag of a
    # repeat, and one after it, both drawn. None where no trade helps, and so no order does, if
    # controls and repeats stand as late as they may.
    order, may, anchors = list(base), frozenset(tickets.targets), frozenset(tickets.anchors)
    named = draws.of("forward")
    for n, place in enumerate(places):
        before = place - lag - sum(one < place - lag for one in places)
        reach = min(max(0, before), len(order))
        while sum(one in may for one in order[:reach]) <= n:
            front = [at for at, one in enumerate(order[:reach]) if one in anchors]
            back = [at for at in range(reach, len(order)) if order[at] in may]
            if not front or not back:
                return None
            trade = named.of(n, len(front))
            one, other = front[trade.order(len(front))[0]], back[trade.order(len(back))[0]]
            order[one], order[other] = order[other], order[one]
    return order


def spread(others: int, n: int, first: int, draws: Draws) -> list[int]:
    """Return n places among `others` + n, one in each of n equal stretches after the first few."""
    if not n:
        return []
    total = others + n - first
    ends = [first + at * total // n for at in range(n + 1)]
    room = [end - start for start, end in pairwise(ends)]
    within = draws.of("stretches").below(np.array(room, dtype=np.int64)).tolist()
    return [start + more for start, more in zip(ends, within, strict=False)]


def _insert(others: list[int], ones: tuple[int, ...], places: list[int]) -> list[int]:
    at, rest, whole = dict(zip(places, ones, strict=True)), iter(others), len(others) + len(ones)
    return [at[place] if place in at else next(rest) for place in range(whole)]


def _repeat(
    base: list[int], may: frozenset[int], places: list[int], lag: int, draws: Draws
) -> tuple[list[int], list[int]] | None:
    """Choose what is repeated at each place; None where nothing is far enough before."""
    taken = set(places)
    whole = len(base) + len(places)
    free = [place for place in range(whole) if place not in taken]
    order, origin = [-1] * whole, [-1] * whole
    for place, ticket in zip(free, base, strict=True):
        order[place] = ticket
    eligible: list[int] = []
    reach = 0
    keys = draws.of("which").keys(len(places)).tolist()
    for place, key in zip(places, keys, strict=True):
        while reach < place - lag:
            if reach not in taken and order[reach] in may:
                eligible.append(reach)
            reach += 1
        if not eligible:
            return None
        chosen = eligible.pop((key >> 32) * len(eligible) >> 32)
        order[place], origin[place] = order[chosen], chosen
    return order, origin


# What a campaign asks for: all that ought to be on tickets, counted from its items alone.


def count_units(campaign: Campaign, item: Item, width: int) -> int:
    each, m = campaign.design.per_item, len(item.systems)
    if item.merged:
        there = comb(m, min(width, m)) if m >= min(width, 2) else 0
        return min(there, each or (1 if width > 2 else there))
    if width > 2:
        return each or 1
    return comb(m, width) if each is None else each


def may_choose(campaign: Campaign, item: Item, width: int) -> bool:
    """Say whether only some of the outputs, pairs or sets of an item are judged."""
    m = len(item.systems)
    return 0 < count_units(campaign, item, width) < comb(m, min(width, m))


def list_targets(campaign: Campaign) -> list[Item]:
    return [one for one in campaign.items if not (one.control or one.anchor)]


def list_anchors(campaign: Campaign) -> list[Item]:
    return [one for one in campaign.items if one.anchor]


def count_targets(campaign: Campaign, width: int) -> Mapping[str, int]:
    """Return item → how many outputs, pairs or sets of it are assigned."""
    counts = {one.name: count_units(campaign, one, width) for one in list_targets(campaign)}
    return {name: n for name, n in counts.items() if n}


def count_anchors(campaign: Campaign, width: int) -> Mapping[str, int]:
    """Return what all judges share: by items, or one by sources where a source is seen once."""
    anchors = list_anchors(campaign)
    if campaign.design.once_per_source:
        return {one.group: 1 for one in anchors}
    return {one.name: count_units(campaign, one, width) for one in anchors}


def has_left_out(campaign: Campaign, width: int) -> bool:
    """Say whether some that was chosen of an anchor is shown to nobody: one is, of each source."""
    if not campaign.design.once_per_source:
        return False
    of: Counter[str] = Counter()
    for one in list_anchors(campaign):
        of[one.group] += count_units(campaign, one, width)
    return max(of.values(), default=0) > 1


def has_quotas(campaign: Campaign) -> bool:
    quotas = [campaign.design.quota, *(one.quota for one in campaign.judges)]
    return any(one is not None for one in quotas)


def count_pairs(campaign: Campaign) -> Integers:
    """Return (I,) how many pairs each item has; none of anchors and controls."""
    pairs = np.zeros(len(campaign.items), dtype=np.int64)
    for at, one in enumerate(campaign.items):
        if not one.control and not one.anchor:
            if not one.merged:
                check_width(campaign, one.systems, 2, one)
            pairs[at] = comb(len(one.systems), 2)
    if not pairs.any():
        raise CampaignError("a policy finds nothing to choose: all items are anchors or controls")
    return pairs


def share_budget(campaign: Campaign, caps: Integers, draws: Draws) -> Integers:
    """Return (J,) pairs of each judge, as even as the (J,) most pairs of each allow."""
    design, judges, pairs = campaign.design, len(campaign.judges), count_pairs(campaign)
    if design.judges_per_item > judges:
        raise CampaignError(
            f"{design.judges_per_item} different judges for each pair need as many judges: there"
            f" are {judges}"
        )
    if design.once_per_source:
        needs: dict[str, int] = {}
        for one, n in zip(campaign.items, pairs.tolist(), strict=True):
            if n:
                needs[one.group] = needs.get(one.group, 0) + n * design.judges_per_item
        for one in campaign.items:
            if one.anchor and one.group in needs:
                raise CampaignError(
                    f"source '{one.group}' is an anchor, which all judges see, and a policy may"
                    " choose it too, though no judge may see a source twice: mark all its items as"
                    " anchors, or none"
                )
        taken = any(one.control and one.group in needs for one in campaign.items)
        each = max(0, len(needs) - taken * design.controls)
        whole = sum(min(judges, n) for n in needs.values())
    else:
        each, whole = int(pairs.sum()), int(pairs.sum()) * design.judges_per_item
    able = min(int(np.minimum(caps, each).sum()), whole)
    wanted = able if design.judgments is None else design.judgments
    if wanted > able:
        once = " with no source twice" if design.once_per_source else ""
        raise CampaignError(
            f"judgments = {wanted:,} are asked for, and {judges:,} judges can give {able:,} within"
            f" their quotas{once}, of {int(pairs.sum()):,} pairs with at most"
            f" {design.judges_per_item} different judges each: ask for less, or add judges or items"
        )
    return designs.level_loads(np.minimum(caps, each), wanted, draws.of("budget").order(judges))


# How the quota of each judge is divided among passes that show different numbers of outputs: first
# in proportion to what each asks, rounded so that who is furthest behind over all judges is rounded
# up. What then is missing of one is taken from another that has more than it needs, through as many
# judges as it takes: a transport problem with two or three columns.


@dataclass(frozen=True, eq=False)
class Columns:
    """The widths that passes have, one after the other."""

    passes: Integers  # (W,) passes of each, in which a judge gets the same
    sizes: Integers  # (W,) judgments in one pass, of all judges
    most: Integers  # (W,) most that one judge can give in one pass: no unit and no source twice


def divide_quotas(rooms: Integers, columns: Columns) -> Integers:
    """Return (J, W) most judgments of each width in a pass, by (J,) over all; −1 for any number.

    >>> columns = Columns(np.array([1, 1]), np.array([20, 10]), np.array([20, 10]))
    >>> divide_quotas(np.array([10, 10, 10]), columns).sum(axis=0)
    array([20, 10])
    """
    caps = np.tile(columns.most, (len(rooms), 1))
    limited = np.flatnonzero(rooms >= 0)
    whole = int((columns.passes * columns.sizes).sum())
    behind = np.zeros(len(columns.sizes))
    for judge in limited.tolist():
        room = min(int(rooms[judge]), int((columns.passes * columns.most).sum()))
        ideal = room * columns.sizes / max(1, whole)
        behind += ideal
        mine = np.minimum(ideal.astype(np.int64), columns.most)
        room -= int(mine @ columns.passes)
        # what is left of the room goes to the widths that are furthest behind
        while (may := (mine < columns.most) & (columns.passes <= room)).any():
            at = int(np.where(may, behind - mine, -np.inf).argmax())
            rest = int(columns.most[at] - mine[at]) if may.sum() == 1 else 1
            more = min(rest, room // int(columns.passes[at]))
            mine[at] += more
            room -= more * int(columns.passes[at])
        caps[judge] = mine
        behind -= mine
    left = np.where(rooms < 0, 0, rooms - caps @ columns.passes)
    while path := _find_trade(caps, left, columns):
        for judge, more, less in path:
            caps[judge, more] += 1
            left[judge] -= columns.passes[more]
            if less >= 0:
                caps[judge, less] -= 1
                left[judge] += columns.passes[less]
    return caps


def _find_trade(
    caps: Integers, left: Integers, columns: Columns
) -> list[tuple[int, int, int]] | None:
    """Return who gives one more of what for one less of what (−1 for none), for what lacks some."""
    over = caps.sum(axis=0) - columns.sizes
    for short in np.flatnonzero(over < 0).tolist():
        paths: dict[int, list[tuple[int, int, int]]] = {short: []}
        queue = deque([short])
        while queue:
            at = queue.popleft()
            able = caps[:, at] < columns.most[at]
            able[[judge for judge, _, _ in paths[at]]] = False
            free = np.flatnonzero(able & (left >= columns.passes[at]))
            if len(free):
                return [*paths[at], (int(free[0]), at, -1)]
            for other in range(len(over)):
                gain = columns.passes[other] - columns.passes[at]
                givers = np.flatnonzero(able & (caps[:, other] > 0) & (left + gain >= 0))
                if other in paths or not len(givers):
                    continue
                paths[other] = [*paths[at], (int(givers[0]), at, other)]
                if over[other] > 0:
                    return paths[other]
                queue.append(other)
    return None

"""Deal groups to judges: every group to so many different ones, every judge so many groups.

There is such a deal if and only if, for every t, the t groups that need most need no more than
Σ_j min(load_j, t): nobody can serve more than t of them (Gale 1957, Ryser 1957). Group by group,
in any order, those judges are taken who have most left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, count, product
from math import comb
from typing import Final

import numpy as np

from evenhand.numerics import Flags, Integers
from evenhand.numerics.sampling import Draws

# Sets of k out of v systems in which pairs meet as evenly as a search gets: chosen one by one; then
# systems of two sets trade places as long as pairs meet more evenly for it, or as evenly.

TRADES: Final = 30_000  # Trades that are tried


def choose_evenly(v: int, k: int, b: int, draws: Draws) -> Integers:
    """Choose (b, k) systems, ascending; each is in as many sets as any other, but for one.

    Taken is what was taken least, of these systems those that met the others of the set least.
    """
    met = np.zeros((v, v), dtype=np.int64)
    taken = np.zeros(v, dtype=np.int64)
    blocks = np.empty((b, k), dtype=np.int64)
    lots = (draws.of("sets").keys(b * v) >> np.uint64(44)).astype(np.int64).reshape(b, v)
    for at in range(b):
        chosen: list[int] = []
        for _ in range(k):
            together = met[:, chosen].sum(axis=1) if chosen else 0
            price = ((taken << 20) + together << 20) + lots[at]
            price[chosen] = np.iinfo(np.int64).max
            chosen.append(int(price.argmin()))
        taken[chosen] += 1
        met[np.ix_(chosen, chosen)] += 1
        blocks[at] = sorted(chosen)
    if b < 2 or k >= v:
        return blocks
    return _trade(blocks, met.tolist(), taken.tolist(), draws.of("trades"))


def _trade(blocks: Integers, met: list[list[int]], taken: list[int], draws: Draws) -> Integers:
    """Trade until pairs meet as evenly as may be, or long enough."""
    sets, (n, k) = blocks.tolist(), blocks.shape
    pairs = [met[a][b] for a, b in combinations(range(len(met)), 2)]
    total, n_pairs = sum(pairs), len(pairs)
    cost = [(n_pairs * one - total) ** 4 for one in range(n + 2)]
    mean, more = divmod(total, n_pairs)
    least = (n_pairs - more) * cost[mean] + more * cost[mean + 1]
    whole = sum(cost[one] for one in pairs)

    def move(stay: list[int], out: int, into: int) -> int:
        change = 0
        for one in stay:
            apart, together = met[one][out], met[one][into]
            change += cost[apart - 1] - cost[apart] + cost[together + 1] - cost[together]
            met[one][out] = met[out][one] = apart - 1
            met[one][into] = met[into][one] = together + 1
        return change

    shapes = [np.full(TRADES, size) for size in (n, k, n, k)]
    lots = np.array([draws.of(at).below(one) for at, one in enumerate(shapes)]).T
    for one, place, other, there in lots.tolist():
        if whole == least:
            break
        first, second = sets[one], sets[other]
        x, y = first[place], second[there]
        alone = taken[x] > taken[y] and y not in first
        if not alone and (y in first or x in second):
            continue
        stay = [at for at in first if at != x]
        rest = [] if alone else [at for at in second if at != y]
        change = move(stay, x, y) + move(rest, y, x)
        if change > 0:
            move(stay, y, x)
            move(rest, x, y)
            continue
        whole += change
        first[place] = y
        if alone:
            taken[x] -= 1
            taken[y] += 1
        else:
            second[there] = x
    return np.sort(np.array(sets, dtype=np.int64), axis=1)


# Balanced incomplete block designs that a rotation leaves as they are. Points stand on one, two or
# three circles of n, and perhaps one in the middle; sets that a rotation carries into each other
# are taken together or not at all. So a design is a choice among few orbits of sets by which every
# orbit of pairs is met λ times (Kramer & Mesner 1976), also where it is not cyclic modulo v.

Block = tuple[int, ...]
MOST_CANDIDATES: Final = 8_100  # Most sets of which orbits are listed
CIRCLES: Final = (1, 2, 3)
MAX_ORBIT_STEPS: Final = 1_500  # Steps of the search in one group


def find_rotated(v: int, k: int, meets: int) -> tuple[Block, ...] | None:
    if comb(v, k) > MOST_CANDIDATES:
        return None
    for circles in CIRCLES:
        for middle in (0, 1):
            n, odd = divmod(v - middle, circles)
            if odd or n < 2:
                continue
            orbits, table = _list_orbits(v, k, n)
            chosen = _cover(table, np.full(table.shape[1], meets))
            if chosen is not None:
                return tuple(sorted(one for at in chosen for one in orbits[at]))
    return None


def _list_turns(first: Block, n: int, whole: int) -> Iterator[Block]:
    one = first
    while True:
        yield one
        turned = (at if at >= whole else at - n + 1 if at % n == n - 1 else at + 1 for at in one)
        one = tuple(sorted(turned))
        if one == first:
            return


@cache
def _list_orbits(v: int, k: int, n: int) -> tuple[list[list[Block]], Integers]:
    """List the orbits of sets, and (orbits, pairs) how often each meets a pair of every orbit."""
    whole = v // n * n
    pairs: dict[Block, int] = {}
    firsts: list[Block] = []
    for pair in combinations(range(v), 2):
        if pair not in pairs:
            pairs.update(dict.fromkeys(_list_turns(pair, n, whole), len(firsts)))
            firsts.append(pair)
    sizes = np.bincount(list(pairs.values()))
    seen: set[Block] = set()
    orbits: list[list[Block]] = []
    rows: list[Integers] = []
    for one in combinations(range(v), k):
        if one in seen:
            continue
        orbit = list(_list_turns(one, n, whole))
        seen.update(orbit)
        met = np.bincount([pairs[pair] for pair in combinations(one, 2)], minlength=len(sizes))
        orbits.append(orbit)
        rows.append(met * len(orbit) // sizes)
    return orbits, np.array(rows, dtype=np.int64)


def _cover(table: Integers, left: Integers) -> list[int] | None:
    """Search for orbits that together meet every orbit of pairs as often as is left."""
    chosen: list[int] = []
    steps = 0

    def extend(ready: Integers) -> bool:
        """Meet the pairs for which the fewest orbits are ready, then all others."""
        nonlocal left, steps
        if not left.any():
            return True
        steps += 1
        if steps > MAX_ORBIT_STEPS or (table[ready].sum(axis=0) < left).any():
            return False
        counts = np.where(left > 0, table[ready].astype(bool).sum(axis=0), len(ready) + 1)
        pair = int(counts.argmin())
        for one in ready[table[ready, pair] > 0].tolist():
            ready = ready[ready != one]
            left -= table[one]
            chosen.append(one)
            if extend(ready[(table[ready] <= left).all(axis=1)]):
                return True
            chosen.pop()
            left += table[one]
        return False

    return chosen if extend(np.flatnonzero((table <= left).all(axis=1))) else None


# A balanced incomplete block design has b blocks; each system is in r of them, each pair in λ:
# b·k = v·r and r·(k − 1) = λ·(v − 1), and b ≥ v (Fisher 1940). Here one is developed from base
# blocks modulo v whose differences are every number from 1 to v − 1 λ times (Bose 1939), is put
# together of orbits of other rotations, is the lines of an affine plane, or is all sets. Where none
# is found, `choose_evenly` searches.
#
# All three are needed. In as many sets as the design, the search alone (`choose_evenly`) with one
# or more of the seeds 0 to 2 leaves meetings that differ by 2 for 11 systems by fours (55 sets)
# and by fives (11), 12 and 16 by fours (33, 20), 13, 15, 16 and 17 by fives (39, 42, 48, 68).
# Without orbits the fewest sets are 120 in place of 30 for 10 by threes, 495 in place of 33 for 12
# by fours, 1,820 in place of 20 for 16 by fours; without base blocks there is no design for 21 by
# fives (too many sets to list).

MOST_SETS: Final = 3_000  # Most sets of a design that is looked for
MAX_BLOCK_STEPS: Final = 40_000  # Steps of the search for base blocks
ROTATIONS: Final = 3  # Numbers of sets for which designs of other rotations are looked for


@cache
def find_balanced(v: int, k: int) -> tuple[tuple[int, ...], ...] | None:
    if k >= v:
        return (tuple(range(v)),)
    if v == k * k and all(k % one for one in range(2, k)):
        # the lines of the affine plane of a prime order: points (x, y) are x·k + y
        points = range(k)
        lines = product(points, points)
        slanted = [tuple(x * k + (slope * x + at) % k for x in points) for slope, at in lines]
        return (*slanted, *(tuple(range(x * k, x * k + k)) for x in points))
    every = comb(v, k)
    patience, tries = MAX_BLOCK_STEPS, ROTATIONS
    for meets in range(1, MOST_SETS):
        r, odd = divmod(meets * (v - 1), k - 1)
        b, left = divmod(v * r, k)
        if b > MOST_SETS or b >= every or patience <= 0:
            break
        if odd or left or b < v:
            continue
        if b % v == 0:
            bases, steps = _find_bases((v, k, b // v), meets, patience // 2)
            if bases:
                shifts = product(bases, range(v))
                return tuple(tuple(sorted((at + by) % v for at in base)) for base, by in shifts)
            patience -= steps
        tries -= 1
        if tries >= 0 and (blocks := find_rotated(v, k, meets)):
            return blocks
    return tuple(combinations(range(v), k)) if every <= MOST_SETS else None


def _find_bases(
    sizes: tuple[int, int, int], meets: int, patience: int
) -> tuple[list[tuple[int, ...]], int]:
    """Search for t base blocks, each with 0, that meet every difference so often; say how long."""
    v, k, t = sizes
    left, steps = [meets] * v, 0
    bases: list[tuple[int, ...]] = []

    def extend(block: list[int], start: int) -> bool:
        nonlocal steps
        if len(block) == k:
            bases.append(tuple(block))
            if len(bases) == t or extend([0], 1):
                return True
            bases.pop()
            return False
        for one in range(start, v):
            steps += 1
            if steps > patience:
                return False
            gaps = [gap % v for other in block for gap in (one - other, other - one)]
            for gap in gaps:
                left[gap] -= 1
            if all(left[gap] >= 0 for gap in gaps) and extend([*block, one], one + 1):
                return True
            for gap in gaps:
                left[gap] += 1
        return False

    return (bases if extend([0], 1) else []), steps


def choose_blocks(v: int, k: int, b: int, draws: Draws) -> Integers:
    """Return (b, k) systems, ascending, of sets in which systems, and then pairs, are even.

    Whole rounds of a balanced design come first, if one is found; the rest is chosen by itself.
    """
    base = np.array(find_balanced(v, k) or np.empty((0, k)), dtype=np.int64)
    rounds = b // len(base) if len(base) else 0
    whole = np.tile(np.sort(draws.order(v)[base], axis=1), (rounds, 1))
    return np.vstack([whole, choose_evenly(v, k, b - len(whole), draws)])


# Split things into two halves that differ by one at most in every set of two nested families. Each
# family is a list of partitions, finest first, each a refinement of the next: units within pairs
# within everything. Things are coupled within each set, what is left over in the next coarser one,
# once for either family; coupled things go into different halves. Two couplings make paths and even
# cycles, which alternate; so there always is such a split (totally unimodular rounding, Hoffman &
# Kruskal 1956; for one partition in each family, the splitting of a bipartite graph after Euler).


def halve(first: Sequence[Integers], second: Sequence[Integers], draws: Draws) -> Flags:
    """Split n things: (n,) whether each is in the second half; codes of sets, finest first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(first[0]) if first else len(second[0])
    if n == 0:
        return np.zeros(0, dtype=bool)
    one = couple(first, n, draws.of("first"))
    two = couple(second, n, draws.of("second"))
    # A walk along couples changes sides with each step: of thing x on side s it says that its
    # partner is on the other. Walks from (x, 0) and (x, 1) never meet; which one is taken is tossed
    here = np.r_[np.flatnonzero(one >= 0), np.flatnonzero(two >= 0)]
    there = np.r_[one[one >= 0], two[two >= 0]]
    ends = np.r_[here, here + n], np.r_[there + n, there]
    steps = coo_array((np.ones(2 * len(here), dtype=np.int8), ends), shape=(2 * n, 2 * n))
    _, walk = connected_components(steps, directed=False)
    thing = np.r_[np.arange(n), np.arange(n)]
    lowest = np.full(walk.max() + 1, n, dtype=np.int64)
    np.minimum.at(lowest, walk, thing)
    chain = np.minimum(lowest[walk[:n]], lowest[walk[n:]])
    begins = np.full(n, -1, dtype=np.int64)
    opens = np.flatnonzero(chain == np.arange(n))
    begins[opens] = walk[opens]
    side = walk[:n] != begins[chain]
    return np.asarray(side ^ draws.of("start").bits(n)[chain])


def couple(family: Sequence[Integers], n: int, draws: Draws) -> Integers:
    """Couple things at random, within the finest sets first: (n,) partners, −1 for none."""
    partner = np.full(n, -1, dtype=np.int64)
    free = draws.order(n)
    for codes in family:
        ordered = free[np.argsort(codes[free], kind="stable")]
        code = codes[ordered]
        starts = np.flatnonzero(np.r_[True, code[1:] != code[:-1]]) if len(code) else code
        within = np.arange(len(code)) - np.repeat(starts, np.diff(np.r_[starts, len(code)]))
        even = np.flatnonzero(within % 2 == 1)
        left, right = ordered[even - 1], ordered[even]
        partner[left], partner[right] = right, left
        free = free[partner[free] < 0]
    return partner


# A bipartite multigraph has an equitable colouring of its edges with any number of colours: at each
# vertex the numbers of two colours differ by one at most (de Werra 1971). Here edges are things,
# and vertices the sets of two nested families (`halve`). As long as two colours differ by
# more in some set, the things of both are split anew; the sum of squared numbers falls each time.


def color_evenly(
    colors: Integers,
    n_colors: int,
    first: Sequence[Integers],
    second: Sequence[Integers],
    draws: Draws,
) -> Integers:
    """Return (n,) colours evened out from others; where a colouring is exact it stays so.

    first, second: (n,) codes of sets, from 0, finest partition first.
    """
    colors = np.array(colors, dtype=np.int64)
    if n_colors < 2 or not len(colors):
        return colors
    for turn in count():
        gap = np.zeros((n_colors, n_colors), dtype=np.int64)
        for codes in (*first, *second):
            size = (int(codes.max()) + 1) * n_colors
            cells = np.bincount(codes * n_colors + colors, minlength=size).reshape(-1, n_colors)
            most, least, rows = cells.argmax(axis=1), cells.argmin(axis=1), np.arange(len(cells))
            np.maximum.at(gap, (most, least), cells[rows, most] - cells[rows, least])
        gap = np.maximum(gap, gap.T)
        # with which other colour each is split anew, −1 for none
        partner = np.full(n_colors, -1, dtype=np.int64)
        for cell in np.argsort(-gap, axis=None, kind="stable"):
            color, other = divmod(int(cell), n_colors)
            if gap[color, other] < 2:
                break
            if partner[color] < 0 and partner[other] < 0:
                partner[color], partner[other] = other, color
        if (partner < 0).all():
            return colors
        moved = np.flatnonzero(partner[colors] >= 0)
        lower = np.minimum(colors[moved], partner[colors[moved]])
        families = [[codes[moved] * n_colors + lower for codes in one] for one in (first, second)]
        upper = halve(families[0], families[1], draws.of(turn))
        colors[moved] = np.where(upper, partner[lower], lower)
    return colors


# The same colouring for large graphs of judges and groups, where every group holds each colour
# equally often: a judge who has two more edges of one colour than of another gives one up along a
# walk of these two colours, from judge to group to judge, which ends at somebody who has fewer of
# the first. The walk cannot get stuck: whoever is reached and has not fewer of the first colour has
# an edge of it to go on. A start that is nearly even costs next to nothing.


def color_edges(
    judge: Integers, group: Integers, n_colors: int, draws: Draws, per_group: int = 1
) -> Integers:
    """Return (n,) colours: each so often in a group, at a judge as often as another but for one.

    judge, group: (n,) ends of edges, from 0; groups ascend, with equally many edges each.
    """
    drawn = np.tile(np.arange(n_colors).repeat(per_group), len(group) // (n_colors * per_group))
    drawn = drawn[np.lexsort((draws.keys(len(group)), group))]
    if n_colors < 2 or not len(drawn):
        return drawn
    held = np.bincount(judge * n_colors + drawn, minlength=(judge.max() + 1) * n_colors)
    # the edges under way: their colours, and who has which
    colors: list[int] = drawn.tolist()
    judges, groups = judge.tolist(), group.tolist()
    counts: list[list[int]] = held.reshape(-1, n_colors).tolist()
    of_judge, of_group = _gather(judges), _gather(groups)

    def paint(edges: list[int], color: int, into: int, used: set[int]) -> int:
        """Give an edge of one colour another, and say which."""
        edge = next(one for one in edges if colors[one] == color and one not in used)
        counts[judges[edge]][color] -= 1
        counts[judges[edge]][into] += 1
        colors[edge] = into
        used.add(edge)
        return edge

    uneven: list[int] = draws.of("turns").order(len(counts)).tolist()
    while uneven:
        for place in uneven:
            while (most := max(counts[place])) - (least := min(counts[place])) > 1:
                # move an edge of a judge from one colour to another, and whatever that moves
                more, fewer = counts[place].index(most), counts[place].index(least)
                at, used = place, set[int]()
                while True:
                    edge = paint(of_judge[at], more, fewer, used)
                    at = judges[paint(of_group[groups[edge]], fewer, more, used)]
                    if counts[at][more] <= counts[at][fewer] + 1:
                        break
        uneven = [at for at, one in enumerate(counts) if max(one) - min(one) > 1]
    return np.array(colors, dtype=np.int64)


def _gather(ends: list[int]) -> list[list[int]]:
    edges: list[list[int]] = [[] for _ in range(max(ends) + 1)]
    for edge, end in enumerate(ends):
        edges[end].append(edge)
    return edges


CHUNK = 4_000_000  # Random keys that are drawn at once


def find_shortage(needs: Integers, loads: Integers) -> tuple[int, int, int] | None:
    """Return the number of groups that cannot all be served, what they need and can get, or None.

    needs: (G,) different judges of each group; loads: (J,) most groups of each judge.
    """
    if not len(needs):
        return None
    demand = np.cumsum(np.sort(needs)[::-1])
    most = len(needs)
    loads = np.minimum(loads, most)
    at_least = np.cumsum(np.bincount(loads, minlength=most + 1)[::-1])[::-1]
    supply = np.cumsum(at_least[1:])
    short = demand - supply
    worst = int(short.argmax())
    if short[worst] <= 0:
        return None
    return worst + 1, int(demand[worst]), int(supply[worst])


def level_loads(caps: Integers, total: int, order: Integers) -> Integers:
    """Return loads as equal as (J,) caps allow; `order` says who takes one more first."""
    low, high = 0, int(caps.max(initial=0))
    while low < high:
        level = (low + high + 1) // 2
        low, high = (level, high) if np.minimum(caps, level).sum() <= total else (low, level - 1)
    loads = np.minimum(caps, low)
    loads[order[caps[order] > low][: total - int(loads.sum())]] += 1
    return loads


def deal(needs: Integers, loads: Integers, draws: Draws) -> Integers:
    """Deal groups to judges at random: (G,) different judges for each, (J,) groups for each."""
    left = np.array(loads, dtype=np.int64)
    ends = np.cumsum(needs)
    dealt = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    order = draws.of("groups").order(len(needs))
    at_once = max(1, CHUNK // max(1, len(loads)))
    for start in range(0, len(order), at_once):
        groups = order[start : start + at_once]
        keys = draws.of("judges", start).keys(len(groups) * len(loads)).reshape(len(groups), -1)
        lots = (keys >> np.uint64(32)).astype(np.int64)
        for group, lot in zip(groups.tolist(), lots, strict=True):
            need = int(needs[group])
            rank = (left << 32) + lot
            first = len(rank) - need
            taken = np.argpartition(rank, first)[first:] if need else rank[:0]
            taken = taken[np.argsort(lot[taken], kind="stable")]
            dealt[ends[group] - need : ends[group]] = taken
            left[taken] -= 1
    return dealt

"""Which effects are eliminated block by block, and which are solved for together.

Effects of one item (its own, its outputs', its judges') meet those of other items only through
judges, systems and tastes. So the mixed-model equations are an arrow: a small dense block for each
item, and a border of effects that all items share. The same holds with judges for items. Taken is
what costs less; blocks of one shape are solved in batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.components import ITEM, ITEM_SYSTEM, JUDGE, JUDGE_ITEM, JUDGE_SYSTEM
from evenhand.rating.components.terms import Term, cross

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

BORDER: Final = 4_000
"""Most effects that are solved for together: beyond, a dense matrix of them takes too long."""
NUMBERS: Final = 2_000_000
"""Numbers held at once by a batch."""
LOCAL: Final = {
    ITEM: frozenset({ITEM, ITEM_SYSTEM, JUDGE_ITEM}),
    JUDGE: frozenset({JUDGE, JUDGE_SYSTEM, JUDGE_ITEM}),
}
"""What belongs to one item, and to one judge."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Blocks filled up to one width d, bordered by up to g shared effects.

    Attributes:
        effects: (B, d) number of each effect among all; the number of none where filled up.
        shared: (B, g) place of each shared effect in the border; the width of the border: none.
        inner: (B, d, d) scores that two effects share.
        across: (B, d, g) scores that an effect shares with a shared one.

    """

    effects: Integers
    shared: Integers
    inner: Array
    across: Array


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The mixed-model equations without their variances.

    Attributes:
        columns: columns of the fixed effects p, numbered first; random effects follow.
        starts: (K,) number of the first effect of each term.
        effects: number of all effects, p + Σ q_k.
        border: (G,) numbers of the shared effects.
        crossing: (G, G) scores that two shared effects share.
        batches: the blocks.
        cost: operations of solving them once, roughly.

    """

    columns: int
    starts: tuple[int, ...]
    effects: int
    border: Integers
    crossing: Array
    batches: tuple[Batch, ...]
    cost: float


@dataclass(frozen=True)
class _Plan:
    """A way to arrange: terms that are eliminated, by the levels of which factor.

    Attributes:
        inside: numbers of those terms.
        block: (n,) block of each score; None where nothing is eliminated.
        cost: operations, roughly.
        width: of the border.

    """

    inside: tuple[int, ...]
    block: Integers | None
    cost: float
    width: int


def arrange(terms: Sequence[Term], fixed: Term) -> Arrangement | None:
    """Arrange the equations of fixed and random effects; None where both ways cost too much.

    Args:
        terms: random terms.
        fixed: levels with a mean of their own, one for each score.

    """
    plan = _choose(terms, fixed)
    if plan is None:
        return None
    starts = fixed.size + np.concatenate(([0], np.cumsum([one.size for one in terms])))
    numbers = [term.codes + start for term, start in zip(terms, starts[:-1], strict=True)]
    outside = [fixed.codes, *(numbers[i] for i in range(len(terms)) if i not in plan.inside)]
    inside = [numbers[i] for i in plan.inside]
    border = np.unique(np.concatenate([np.unique(one) for one in outside]))
    place = np.full(int(starts[-1]) + 1, len(border), dtype=np.int64)
    place[border] = np.arange(len(border))
    crossing = _count_pairs([place[one] for one in outside], len(border))
    none, width = int(starts[-1]), len(border)
    batches: tuple[Batch, ...] = ()
    if plan.block is not None:
        sides = ([*inside], [place[one] for one in outside])
        batches = tuple(_make_batches(plan.block, sides, (none, width)))
    cost = plan.cost + float(width) ** 3
    return Arrangement(
        fixed.size, tuple(starts[:-1].tolist()), none, border, crossing, batches, cost
    )


def _choose(terms: Sequence[Term], fixed: Term) -> _Plan | None:
    """Return the cheapest arrangement that is possible at all."""
    plans = [_Plan((), None, 0.0, fixed.size + sum(one.size for one in terms))]
    for owner, names in LOCAL.items():
        inside = tuple(i for i, one in enumerate(terms) if one.name in names)
        if inside:
            plans.append(_weigh(terms, fixed, owner, inside))
    possible = [one for one in plans if one.width <= BORDER and one.cost < np.inf]
    return min(possible, key=lambda one: one.cost + one.width**3, default=None)


def _weigh(terms: Sequence[Term], fixed: Term, owner: str, inside: tuple[int, ...]) -> _Plan:
    """Say what it costs to eliminate some terms."""
    block = next((one.codes for one in terms if one.name == owner), None)
    if block is None:  # the factor has no variance of its own here: join what shares an effect
        block = _join([terms[i] for i in inside])
    size = int(block.max()) + 1
    depth, breadth = np.zeros(size), np.full(size, 1.0)
    for i, term in enumerate(terms):
        codes, cells = cross(block, (term.codes, term.size))
        owners = np.empty(cells, dtype=np.int64)
        owners[codes] = block
        levels = np.bincount(owners, minlength=size)
        if i in inside:
            depth += levels
        else:
            breadth += levels
    cost = float((depth * (depth + breadth) ** 2).sum())
    width = fixed.size + sum(one.size for i, one in enumerate(terms) if i not in inside)
    return _Plan(inside, block, cost if depth.max() <= BORDER else np.inf, width)


def _join(terms: Sequence[Term]) -> Integers:
    """Number the sets of scores that any of the terms joins."""
    from evenhand.numerics.graph import Graph, weak_components

    n = len(terms[0].codes)
    starts = n + np.cumsum([0, *(one.size for one in terms)])
    source = np.tile(np.arange(n), len(terms))
    pairs = zip(terms, starts[:-1], strict=True)
    target = np.concatenate([term.codes + start for term, start in pairs])
    found = weak_components(Graph(int(starts[-1]), source, target))
    return np.unique(found[:n], return_inverse=True)[1].reshape(-1).astype(np.int64)


def _count_pairs(places: Sequence[Integers], size: int) -> Array:
    """Return the scores that two shared effects share."""
    flat = np.zeros(size * size)
    for one in places:
        for other in places:
            flat += np.bincount(one * size + other, minlength=size * size)
    return flat.reshape(size, size)


def _make_batches(
    block: Integers, sides: tuple[list[Integers], list[Integers]], none: tuple[int, int]
) -> list[Batch]:
    """Fill blocks up to common widths, and count within them.

    Args:
        block: (n,) block of each score.
        sides: (n,) numbers of the effects inside, by term, and places of those outside.
        none: the number, and the place, of no effect.

    """
    inner, outer = (_place(block, one) for one in sides)
    wide = np.stack((_rounded(inner.sizes), _rounded(outer.sizes)), axis=1)
    order = np.lexsort((wide[:, 1], wide[:, 0]))
    batches, low = [], 0
    while low < len(order):
        d, g = wide[order[low]].tolist()
        most = max(1, NUMBERS // (d + g) ** 2)
        same = np.flatnonzero((wide[order[low:]] != wide[order[low]]).any(axis=1))
        high = min(low + most, low + int(same[0]) if len(same) else len(order))
        batches.append(_fill(order[low:high], (inner, outer), (d, g), none))
        low = high
    return batches


@dataclass(frozen=True, eq=False)
class _Places:
    """Where effects stand in their blocks.

    Attributes:
        sizes: (blocks,) different effects of each.
        within: by term (n,) place of the effect of each score in its block.
        block: (n,) block of each score.
        numbers: (all,) effects, block by block.

    """

    sizes: Integers
    within: tuple[Integers, ...]
    block: Integers
    numbers: Integers


def _place(block: Integers, effects: list[Integers]) -> _Places:
    """Number the different effects within each block."""
    most = int(max(one.max() for one in effects)) + 1
    keys = [block * most + one for one in effects]
    found = np.unique(np.concatenate([np.unique(key) for key in keys]))
    owners = found // most
    sizes = np.bincount(owners, minlength=int(block.max()) + 1)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    within = tuple(np.searchsorted(found, key) - starts[block] for key in keys)
    return _Places(sizes, within, block, found % most)


def _rounded(sizes: Integers) -> Integers:
    """Return widths that blocks are filled up to: up to an eighth more than they need."""
    step = 2 ** np.maximum(np.floor(np.log2(np.maximum(sizes, 1))).astype(np.int64) - 3, 0)
    return np.asarray(-(-sizes // step) * step, dtype=np.int64)


def _fill(
    chosen: Integers, sides: tuple[_Places, _Places], widths: tuple[int, int], none: tuple[int, int]
) -> Batch:
    """Make the batch of some blocks."""
    inner, outer = sides
    d, g = widths
    at = np.full(len(inner.sizes), -1, dtype=np.int64)
    at[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(at[inner.block] >= 0)
    own = at[inner.block[rows]]
    own_places = [one[rows] for one in inner.within]
    shared_places = [one[rows] for one in outer.within]
    numbers = (_list(inner, chosen, d, none[0]), _list(outer, chosen, g, none[1]))
    cells, borders = np.zeros(len(chosen) * d * d), np.zeros(len(chosen) * d * g)
    for one in own_places:
        for other in own_places:
            cells += np.bincount((own * d + one) * d + other, minlength=len(cells))
        for other in shared_places:
            borders += np.bincount((own * d + one) * g + other, minlength=len(borders))
    return Batch(*numbers, cells.reshape(-1, d, d), borders.reshape(-1, d, g))


def _list(places: _Places, chosen: Integers, width: int, none: int) -> Integers:
    """Return the effects of each chosen block, filled up."""
    starts = np.concatenate(([0], np.cumsum(places.sizes)))[chosen]
    at = starts[:, None] + np.arange(width)
    held = np.arange(width) < places.sizes[chosen][:, None]
    return np.where(held, places.numbers[np.minimum(at, len(places.numbers) - 1)], none)

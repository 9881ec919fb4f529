"""Sorting by dear comparisons, an order of alike things, and rising curves."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from evenhand.numerics import Array

# Merge insertion: sorting with few comparisons. Pairs are compared, their better halves sorted in
# the same way, and the others inserted by halving, in the order that never leaves a search one step
# longer than its range needs. At most Σ_{k=1}^{n} ⌈log₂ (3k/4)⌉ comparisons. Source: Ford & Johnson
# (1959), "A tournament problem", American Mathematical Monthly 66; Knuth, The Art of Computer
# Programming, volume 3, section 5.3.1.
#
# Ours: items that tie become one, and go on as one; and where `shown` items can be put in order at
# once, groups of as many take the place of pairs, and a search puts an item among `shown` − 1
# others.

Question = tuple[int, ...]  # Items to be put in order
Order = tuple[tuple[int, ...], ...]  # Items best first, those that tie in one group
# Yields questions that may be asked at once, is sent their orders, returns the sorted groups
Steps = Generator[list[Question], Sequence[Order], list[tuple[int, ...]]]


@dataclass(frozen=True)
class Learned:
    """What a sort has found so far: (better, worse) in `better`, (one, other) in `tied`."""

    better: list[tuple[int, int]] = field(default_factory=list)
    tied: list[tuple[int, int]] = field(default_factory=list)

    def take(self, order: Order) -> None:
        for i, same in enumerate(order):
            self.tied.extend((same[0], other) for other in same[1:])
            below = [other for worse in order[i + 1 :] for other in worse]
            self.better.extend((one, other) for one in same for other in below)


def merge_insertion(items: Sequence[int], before: Callable[[int, int], bool]) -> list[int]:
    steps = merge_steps(items)
    try:
        questions = next(steps)
        while True:
            orders = [((a,), (b,)) if before(a, b) else ((b,), (a,)) for a, b in questions]
            questions = steps.send(orders)
    except StopIteration as done:
        return [item for group in done.value for item in group]


def merge_steps(items: Sequence[int], shown: int = 2, learned: Learned | None = None) -> Steps:
    """Sort step by step: yield questions, be sent their orders, return groups best first.

    The questions of one step do not depend on each other. Of an order that contradicts what is
    known only the place of the new item is taken, where it disagrees with the fewest others.
    What is found is added to `learned`.
    """
    learned = Learned() if learned is None else learned
    if len(items) < 2:
        return [(item,) for item in items]
    groups = [tuple(items[i : i + shown]) for i in range(0, len(items), shown)]
    odd = groups.pop() if len(groups[-1]) == 1 else None  # has no better half
    orders = yield groups
    for order in orders:
        learned.take(order)
    tied = {order[0][0]: order[0] for order in orders}
    waiting = [_Run(None, [odd])] if odd else []
    chain = yield from merge_steps([*tied], shown, learned)
    below = {order[0][0]: [*order[1:]] for order in orders if len(order) > 1}
    waiting += [_Run(head, below[head]) for same in chain for head in same if head in below]
    chain = [tuple(item for head in same for item in tied[head]) for same in chain]
    # The cheapest search is next, of these the one of longest range. That is Ford and Johnson's
    # order, in batches that end at the Jacobsthal numbers 1, 3, 5, 11, ... from the end of the
    # chain, found without counting: ties may have thinned the chain out.
    while waiting:
        place = {item: i for i, same in enumerate(chain) for item in same}
        lows = [0 if run.bound is None else place[run.bound] + 1 for run in waiting]
        ranges = [len(chain) - low for low in lows]
        at = min(range(len(ranges)), key=lambda i: (count_steps(ranges[i] + 1, shown), -ranges[i]))
        run = waiting[at]
        group = run.groups.pop(0)
        yield from _insert(chain, lows[at], group, shown, learned)
        run.bound = group[0]
        if not run.groups:
            waiting.pop(at)
    return chain


@dataclass
class _Run:
    """Groups that wait, best first, all of them below an item of the chain (or anywhere)."""

    bound: int | None
    groups: list[tuple[int, ...]]


def count_steps(options: int, answers: int) -> int:
    """Return the least q with answersᵠ ≥ options."""
    steps, told_apart = 0, 1
    while told_apart < options:
        steps, told_apart = steps + 1, told_apart * answers
    return steps


def _insert(
    chain: list[tuple[int, ...]], low: int, group: tuple[int, ...], shown: int, learned: Learned
) -> Generator[list[Question], Sequence[Order], None]:
    high = len(chain)
    while low < high:
        span, parts = high - low, min(shown, high - low + 1)
        pivots = [low + j * span // parts for j in range(1, parts)]
        heads = [chain[pivot][0] for pivot in pivots]
        (order,) = yield [(group[0], *heads)]
        above, tie = _place(order, group[0], heads)
        learned.better.extend((head, group[0]) for head in heads[:above])
        learned.better.extend((group[0], head) for head in heads[above + tie :])
        if tie:
            learned.tied.append((group[0], heads[above]))
            chain[pivots[above]] += group
            return
        low = pivots[above - 1] + 1 if above else low
        high = pivots[above] if above < len(pivots) else high
    chain.insert(low, group)


def _place(order: Order, item: int, heads: Sequence[int]) -> tuple[int, int]:
    """Return how many heads stand above an item, and 1 if it ties with the next of them.

    Heads stand best first. Of an order that does not agree with that, the place that disagrees
    with the fewest heads, the highest of several.
    """
    place = {head: i for i, same in enumerate(order) for head in same}
    signs = [(place[head] > place[item]) - (place[head] < place[item]) for head in heads]
    options = [(above, tie) for above in range(len(heads) + 1) for tie in (0, 1)]

    def disagree(option: tuple[int, int]) -> int:
        above, tie = option
        meant = [-1] * above + [0] * tie + [1] * (len(heads) - above - tie)
        return sum(abs(sign - wanted) for sign, wanted in zip(signs, meant, strict=True))

    return min((option for option in options if sum(option) <= len(heads)), key=disagree)


def order_leaves(likeness: Array) -> list[int]:
    """Return an order of D things in which those that are alike stand together.

    Average linkage: the two groups that are most alike on average are joined until one is left
    (Sokal & Michener 1958, University of Kansas Science Bulletin 38:1409-1438). Where two groups
    are joined, those ends meet that are most alike. That is greedy, not the best of all orders.

    likeness: (D, D), symmetric, higher for things that are more alike.
    """
    groups = [[i] for i in range(len(likeness))]
    between = np.array(likeness, dtype=np.float64)
    np.fill_diagonal(between, -np.inf)
    while len(groups) > 1:
        a, b = divmod(int(np.argmax(between)), len(groups))
        sizes = len(groups[a]), len(groups[b])
        joined = (sizes[0] * between[a] + sizes[1] * between[b]) / sum(sizes)
        joined[a] = -np.inf
        between[a], between[:, a] = joined, joined
        joins = product((groups[a], groups[a][::-1]), (groups[b], groups[b][::-1]))
        first, second = max(joins, key=lambda join: float(likeness[join[0][-1], join[1][0]]))
        groups[a] = [*first, *second]
        groups.pop(b)
        between = np.delete(np.delete(between, b, axis=0), b, axis=1)
    return groups[0]


def fit_rising(y: Array) -> Array:
    """Return the nearest curves that never fall, by least squares, all points weighing the same.

    The fit at i is max_{s ≤ i} min_{t ≥ i} mean(y_s … y_t): Barlow, Bartholomew, Bremner & Brunk
    (1972), Statistical Inference under Order Restrictions, theorem 1.4.
    """
    sums = np.concatenate((np.zeros_like(y[..., :1]), np.cumsum(y, axis=-1)), axis=-1)
    at = np.arange(y.shape[-1])
    length = at[None] - at[:, None] + 1  # of the stretch from the row to the column
    means = (sums[..., None, 1:] - sums[..., :-1, None]) / np.maximum(length, 1)
    means[..., length < 1] = np.inf
    least = np.minimum.accumulate(means[..., ::-1], axis=-1)[..., ::-1]
    least[..., length < 1] = -np.inf
    return np.asarray(least.max(axis=-2))

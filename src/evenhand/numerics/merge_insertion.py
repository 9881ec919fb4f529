"""Merge insertion: sorting with few comparisons, for when a comparison is dear.

Pairs are compared, their better halves sorted in the same way, and the others inserted by halving,
in the order that never leaves a search one step longer than its range needs. At most
Σ_{k=1}^{n} ⌈log₂ (3k/4)⌉ comparisons. Source: Ford & Johnson (1959), "A tournament problem",
American Mathematical Monthly 66; Knuth, The Art of Computer Programming, volume 3, section 5.3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence


def merge_insertion(items: Sequence[int], before: Callable[[int, int], bool]) -> list[int]:
    """Sort different items.

    Args:
        items: what to sort.
        before: whether the first item stands before the second; need not be transitive.

    >>> merge_insertion([3, 1, 4, 0, 2], lambda one, other: one < other)
    [0, 1, 2, 3, 4]
    """
    if len(items) < 2:
        return list(items)
    pairs = [_ordered(items[i], items[i + 1], before) for i in range(0, len(items) - 1, 2)]
    partner = dict(pairs)
    chain = merge_insertion([better for better, _ in pairs], before)
    odd = list(items[len(pairs) * 2 :])  # has no better half, so that it may go anywhere
    waiting = [*odd, *(partner[better] for better in chain)]
    bounds = [*(None for _ in odd), *chain]
    for i in _insertion_order(len(waiting)):
        low = 0 if (bound := bounds[i]) is None else chain.index(bound) + 1
        chain.insert(_place(chain, low, waiting[i], before), waiting[i])
    return chain


def _ordered(one: int, other: int, before: Callable[[int, int], bool]) -> tuple[int, int]:
    return (one, other) if before(one, other) else (other, one)


def _place(chain: list[int], low: int, item: int, before: Callable[[int, int], bool]) -> int:
    """Return where an item belongs at or after `low`, by halving."""
    high = len(chain)
    while low < high:
        middle = (low + high) // 2
        if before(item, chain[middle]):
            high = middle
        else:
            low = middle + 1
    return low


def _insertion_order(n: int) -> list[int]:
    """Return which of the waiting items is inserted when; the last stands nearest to its bound.

    The ranges of a batch are of one length, 2^j − 1 at most, if the batches end at the Jacobsthal
    numbers 1, 3, 5, 11, ... counted from the end of the chain, and each is taken from behind.
    """
    order: list[int] = []
    done, border, power = 0, 1, 2
    while done < n:
        until = min(border, n)
        order += [n - 1 - i for i in reversed(range(done, until))]
        done, power = until, 2 * power
        border = power - border
    return order

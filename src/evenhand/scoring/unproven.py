"""What is said of an order that a search found and nothing proves to be the best."""

from __future__ import annotations

from evenhand.numerics.order_subsets import LARGEST


def say_loose(systems: int) -> str:
    """Say of the gap to a bound, where there are many systems, that it is mostly the bound's.

    >>> say_loose(60)
    ''
    """
    if systems <= LARGEST:
        return ""
    return (
        f" (of more than {LARGEST} systems that hang together only pieces are bounded: most of that"
        " is what the bound misses, not the order)"
    )

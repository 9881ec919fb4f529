"""Where flags may be wrong together: flagged judges who are many, or of one mind.

The mixture takes honest judges to be most, and bad ones to be independent of each other. A third of
the judges or more being flagged, or the flagged agreeing with each other where they saw the same
outputs, speaks against that: a group of another taste looks reversed or careless, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.grouping import number_groups
from evenhand.screening.card import CLASSES, Card

Array = NDArray[np.float64]
Integers = NDArray[np.integer]

MANY: Final = 1 / 3
"""Share of flagged judges from which the majority itself is in doubt."""
SURE: Final = 2.0
"""Standard deviations beyond chance from which judges are of one mind."""
FEWEST_PAIRS: Final = 10


def note_many(cards: Sequence[Card]) -> tuple[str, ...]:
    """Note that a third of the judges or more are flagged as careless or reversed, if they are."""
    flagged = sum(bool(set(card.flags) & set(CLASSES)) for card in cards)
    if flagged < MANY * len(cards):
        return ()
    return (
        f"{flagged:,} of {len(cards):,} judges are flagged as careless or reversed: with so many"
        " it may be the others who are of another taste, or who saw easier outputs",
    )


def note_camps(unit: Integers, judge: Integers, mind: Array) -> tuple[str, ...]:
    """Note that flagged judges agree with each other more than by chance, if they do.

    Args:
        unit: (n,) what was judged.
        judge: (n,) the flagged judge.
        mind: (n,) the answer, of mean 0 and variance 1 for who answers whatever the outputs are:
            1 or -1 for who is preferred, or a standardised score.

    >>> unit, judge = np.repeat(np.arange(20), 2), np.tile([0, 1], 20)
    >>> note_camps(unit, judge, np.repeat([1.0, -1.0], 20))[0][:44]
    'the flagged judges agree with each other (20'
    >>> note_camps(unit, judge, np.tile([1.0, -1.0], 20))
    ()
    """
    together, pairs = _sum_products(unit, judge, mind)
    if pairs < FEWEST_PAIRS or together < SURE * np.sqrt(pairs):
        return ()
    return (
        f"the flagged judges agree with each other ({pairs:,} pairs of answers to the same outputs,"
        f" correlation {together / pairs:.2f}): a group of another taste, or one misunderstanding,"
        " rather than carelessness",
    )


def _sum_products(unit: Integers, judge: Integers, mind: Array) -> tuple[float, int]:
    """Return the sum of products of two judges' answers to the same, and their number."""
    if not len(unit):
        return 0.0, 0
    cell = number_groups(unit.astype(np.int64), judge.astype(np.int64))
    n = np.bincount(cell)
    mean, place = np.bincount(cell, mind) / n, np.zeros(len(n), np.int64)
    place[cell] = number_groups(unit.astype(np.int64))
    many = np.bincount(place)
    total, square = np.bincount(place, mean), np.bincount(place, mean**2)
    return float((total**2 - square).sum() / 2), int((many * (many - 1)).sum() // 2)

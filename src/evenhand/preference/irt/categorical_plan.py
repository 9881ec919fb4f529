"""Outputs in an order in which many can be drawn at once: those that were not compared.

Neighbours, outputs that were compared, never share a colour; so all outputs of one colour are
independent given the others. Within a colour those with most comparisons come first: then the j-th
comparisons of its outputs belong to the first so many of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.votes import RIGHT
from evenhand.preference.irt.outputs import OutputPairs

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Round:
    """The j-th comparison of the first m outputs of a colour.

    Attributes:
        rival: (m,) place of the other output.
        outcome: (m,) LEFT where the own output was preferred, TIE, or RIGHT.

    """

    rival: Numbers
    outcome: Numbers


@dataclass(frozen=True, eq=False)
class Colour:
    """Outputs start..stop, no two of which were compared, and their comparisons in rounds."""

    start: int
    stop: int
    rounds: tuple[Round, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """All outputs, colour by colour.

    Attributes:
        systems: K.
        author: (N,) number of the system behind the output at each place.
        place: (N,) place of each output of the data.
        pairs: (C,) places of the two outputs of each comparison, and its outcome.
        colours: in the order in which they are drawn.

    """

    systems: int
    author: Numbers
    place: Numbers
    pairs: tuple[Numbers, Numbers, Numbers]
    colours: tuple[Colour, ...]


def plan_colours(pairs: OutputPairs) -> Plan:
    """Colour the outputs and list their comparisons by rounds."""
    n = len(pairs.author)
    own = np.concatenate((pairs.one, pairs.other))
    rival = np.concatenate((pairs.other, pairs.one))
    outcome = np.concatenate((pairs.outcome, RIGHT - pairs.outcome))
    loads = np.bincount(own, minlength=n)
    colour = colour_outputs(own, rival, loads)
    order = np.lexsort((-loads, colour))
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    by_own = np.argsort(place[own], kind="stable")
    at, rival, outcome = place[own][by_own], place[rival][by_own], outcome[by_own]
    first = np.cumsum(loads[order]) - loads[order]
    number = np.arange(len(at)) - first[at]
    ends = np.searchsorted(colour[order], np.arange(int(colour.max()) + 2))
    by_round = np.lexsort((at, number, colour[order][at]))
    rounds = _split_rounds(colour[order][at][by_round], number[by_round])
    colours = [
        Colour(
            int(ends[c]),
            int(ends[c + 1]),
            tuple(Round(rival[by_round[some]], outcome[by_round[some]]) for some in parts),
        )
        for c, parts in enumerate(rounds)
    ]
    compared = place[pairs.one], place[pairs.other], pairs.outcome
    return Plan(len(pairs.systems), pairs.author[order], place, compared, tuple(colours))


def colour_outputs(own: Numbers, rival: Numbers, loads: Numbers) -> Numbers:
    """Give each output the first colour that no output compared with it has.

    Outputs with most comparisons choose first (Welsh & Powell 1967), so colours are few.

    Args:
        own: (E,) outputs; every comparison stands here from both its sides.
        rival: (E,) the other output of each.
        loads: (N,) comparisons of each output.

    Returns:
        (N,) colours 0, 1, 2, ...

    >>> colour_outputs(np.array([0, 1, 1, 2]), np.array([1, 0, 2, 1]), np.array([1, 2, 1])).tolist()
    [1, 0, 1]
    """
    by_own = np.argsort(own, kind="stable")
    rivals, ends = rival[by_own].tolist(), np.cumsum(loads).tolist()
    colour = [-1] * len(loads)
    for output in np.argsort(-loads, kind="stable").tolist():
        begin = ends[output - 1] if output else 0
        taken = {colour[other] for other in rivals[begin : ends[output]]}
        free = 0
        while free in taken:
            free += 1
        colour[output] = free
    return np.array(colour, dtype=np.int64)


def _split_rounds(colour: Numbers, number: Numbers) -> list[list[slice]]:
    """Return, for each colour, the slices of its rounds in rows sorted by colour and round."""
    change = np.flatnonzero(np.diff(colour) | np.diff(number)) + 1
    ends = [0, *change.tolist(), len(colour)]
    rounds: list[list[slice]] = [[] for _ in range(int(colour.max()) + 1)]
    for begin, end in pairwise(ends):
        rounds[int(colour[begin])].append(slice(begin, end))
    return rounds

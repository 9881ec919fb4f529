"""Into which parts systems fall without one cluster, and whose answers alone join the parts.

Where judges are merged into groups, a group is left out whole; but those to name are the judges of
it whose answers cross the cut. They are found in counts by the judges themselves, which are made
only then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.numerics.graph import Graph, weak_components
from evenhand.preference.fit import Fit
from evenhand.ranking.boards import Boards
from evenhand.ranking.pieces import Pieces

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
LOST: Final = 1e-9
"""Information that is none: in a direction relative to the largest, of a pair to that of all."""
APART: Final = 1e-6
"""Difference of two systems in a lost direction from which they are cut apart."""


def part_by_links(fit: Fit, pieces: Pieces | Boards, clusters: list[int]) -> dict[int, Codes]:
    """Return (K,) the part of each system without each of these clusters.

    Systems are in one part if others compared them, directly or by way of third systems.

    Args:
        fit: a fit without controls and without a prior.
        pieces: the fit taken apart, entries in the order of their clusters.
        clusters: those to be left out, one at a time.

    """
    k, parts = len(fit.systems), {}
    whole = _both_ways(pieces.pooled().boards(k)[0])
    for g in clusters:
        rest = whole - _both_ways(pieces.between(g, g + 1).boards(k)[0])
        parts[g] = weak_components(Graph(k, *np.nonzero(rest > LOST * whole)))
    return parts


def _both_ways(board: Array) -> Array:
    return np.asarray(board + board.T)


def part_by_directions(lost: Array) -> Codes:
    """Return (K,) the part of each system: those that no lost direction tells apart.

    Args:
        lost: (K, d) centred log-worths in the directions on which nothing is known.

    >>> part_by_directions(np.array([[0.4], [0.4], [-0.8]])).tolist()
    [0, 0, 2]
    """
    apart = (np.abs(lost[:, None] - lost) > APART).any(axis=2)
    return np.asarray(np.argmin(apart, axis=1))


def find_across(part: Codes) -> NDArray[np.bool_]:
    """Return (K, K) which pairs of systems are in different parts."""
    return np.asarray(part[:, None] != part)


def count_across(part: Codes) -> int:
    """Return the number of pairs of systems that are in different parts.

    >>> count_across(np.array([0, 0, 1]))
    2
    """
    sizes = np.bincount(part)
    return int((len(part) ** 2 - (sizes**2).sum()) // 2)


def name_links(
    fit: Fit, tally: Tally, name: str, parts: Mapping[int, Codes], clusters: NDArray[np.integer]
) -> dict[int, tuple[str, ...]]:
    """Return the levels of each cluster whose answers join the parts into which its lack falls.

    Args:
        fit: the fit.
        tally: counts that tell the levels of the factor themselves apart.
        name: the factor.
        parts: cluster → (K,) part of each system without it.
        clusters: (levels,) cluster of each level.

    """
    factor = tally.factor(name)
    own = clusters[factor.codes]
    informed = fit.model.treat_ties(tally.counts).sum(axis=1) > 0
    found = {}
    for g, part in parts.items():
        joins = informed & (own == g) & (part[tally.left] != part[tally.right])
        found[g] = tuple(factor.labels[code] for code in np.unique(factor.codes[joins]).tolist())
    return found

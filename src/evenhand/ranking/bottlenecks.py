"""Of how many clusters the narrowest link between two systems consists.

What is known of a difference c flows from one system to the other as a current does: the potentials
are x = H⁻¹ c, and through a cut of the systems into a side S and the rest cluster g carries

    f_g(S) = Σ_{s ∈ S} (H_g x)_s,   links_c = min over S of (Σ_g |f_g|)² / Σ_g f_g²

where S goes through all {s: x_s ≥ level} that part the two systems. A difference of G*_c = 18 by
votes (`shares`) may still pass through two judges: those who alone compared a new system with one
that all know. Few of the votes that inform the difference are theirs, so that votes do not show it;
but tastes of judges do not shrink with votes. The formula and its threshold are ours, beyond
INFERENCE B2.

Most pairs need not be followed through their cuts. No cluster carries more through any of them
than leaves all systems together, a_g = ½ Σ_s |(H_g x)_s|, and together they carry the whole
current, 1, so that links_c ≥ 1 / Σ_g a_g²; a_g of a difference is no more than those of its two
systems together.
Of many systems and clusters only the currents from each system to all others are followed of what
this leaves in doubt, and pairs for which these pass through few clusters are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Passes = Callable[[], Iterable[Array]]
LINKS: Final = 3.5
"""Effective clusters of the narrowest cut, below which a difference is never decided."""
BLOCK: Final = 100_000
"""Most flows that are worked on at a time: they stay in the cache."""
EVERY: Final = 3_000_000
"""Clusters × systems × pairs up to which every pair is looked at by itself."""
SURE: Final = 2.0
"""Multiple of LINKS from which currents to all other systems need no second look."""
CLEAR: Final = 1.001
"""Multiple of LINKS from which a lower bound is surely above it, whatever sums are rounded to."""
NOTHING: Final = 1e-6
"""Flow, relative to the largest of a current, that is rounding."""


@dataclass(frozen=True, eq=False)
class Network:
    """The clusters as a network of links between systems.

    Attributes:
        own: goes through the (g, p, p) information of some clusters at a time, anew at each call.
        clusters: how many they are, G.
        rows: (K, p) cᵀ H⁻¹ of every system.
        centred: (K, p) cᵀ of every system.

    """

    own: Passes
    clusters: int
    rows: Array
    centred: Array

    def nets(self) -> Iterable[Array]:
        """Go through (g, K, K): what flows out of each system, the current of each in a row."""
        back = np.linalg.pinv(self.centred)
        step = max(1, BLOCK // self.rows.size)
        for some in self.own():
            for start in range(0, len(some), step):
                yield np.matmul(np.matmul(self.rows, some[start : start + step]), back)


def bound_by_links(effective: Array, links: Array) -> Array:
    """Return (K, K) effective clusters, those of the narrowest cut where these are too few.

    >>> bound_by_links(np.array([18.0, 18.0]), np.array([2.0, 4.0])).tolist()
    [2.0, 18.0]
    """
    return np.where(links < LINKS, np.minimum(effective, links), effective)


def count_links(network: Network) -> Array:
    """Return (K, K) effective clusters of the narrowest cut of each difference; 0 on the diagonal.

    Exact below the threshold LINKS; what is above it may be a lower bound, and on large boards that
    of currents to all other systems.

    Args:
        network: the clusters.

    """
    found = _bound(network)
    np.fill_diagonal(found, np.inf)
    first, second = np.nonzero(np.triu(found < CLEAR * LINKS))
    most = max(1, EVERY // max(1, network.clusters * len(found)))
    potentials = network.rows @ network.centred.T
    if len(first) > most:
        found = np.where(found < CLEAR * LINKS, _from_each(network, potentials), found)
        first, second = _doubt(found, most)
    if len(first):
        narrowest = _of_pairs(network, potentials, first, second)
        found[first, second] = found[second, first] = narrowest
    np.fill_diagonal(found, 0.0)
    return np.asarray(found.round(9))


def _bound(network: Network) -> Array:
    """Return (K, K) numbers below which no cut is; 0 where a prior carries something too."""
    k = len(network.rows)
    squares, whole = np.zeros((k, k)), np.zeros((k, k))
    for net in network.nets():
        most = np.abs(net).sum(axis=2) / 2
        squares += most.T @ most
        whole += net.sum(axis=0)
    if np.abs(whole - np.eye(k) + 1 / k).max() > NOTHING:
        return np.zeros((k, k))
    each = np.diag(squares)
    return np.asarray(1 / (each[:, None] + each + 2 * squares))


def _doubt(found: Array, most: int) -> tuple[Codes, Codes]:
    """Return the pairs to be looked at one by one: the narrowest first, a number at most."""
    first, second = np.triu_indices(len(found), 1)
    numbers = found[first, second]
    order = np.argsort(numbers, kind="stable")[:most]
    order = order[numbers[order] < SURE * LINKS]
    return first[order], second[order]


def _from_each(network: Network, potentials: Array) -> Array:
    """Return (K, K) the narrowest cut around either system that leaves the other out.

    Of the two sides of a cut one has no more than half of the systems.
    """
    order = np.argsort(-potentials, axis=1, kind="stable")
    numbers = _through_cuts(network, order, None)
    each, cut = np.arange(len(order)), np.arange(numbers.shape[1])
    start = np.argsort(order, axis=1)[each, each][:, None]
    around = (start <= cut) & (2 * cut < len(order))
    numbers = np.where(around, numbers, np.inf)
    found = np.full(potentials.shape, np.inf)
    np.put_along_axis(found, order[:, 1:], np.minimum.accumulate(numbers, axis=1), axis=1)
    return np.asarray(np.minimum(found, found.T))


def _of_pairs(network: Network, potentials: Array, first: Codes, second: Codes) -> Array:
    """Return (P,) the narrowest cut between the systems of each pair."""
    order = np.argsort(potentials[second] - potentials[first], axis=1, kind="stable")
    numbers = _through_cuts(network, order, (first, second))
    places, each = np.argsort(order, axis=1), np.arange(len(first))
    start, end = places[each, first][:, None], places[each, second][:, None]
    cut = np.arange(numbers.shape[1])
    between = (start <= cut) & (cut < end)
    return np.asarray(np.where(between, numbers, np.inf).min(axis=1))


def _through_cuts(network: Network, order: Codes, pairs: tuple[Codes, Codes] | None) -> Array:
    """Return (P, K − 1) effective clusters through each cut, 0 where nothing flows.

    Args:
        network: the clusters.
        order: (P, K) systems of each current, the highest potential first.
        pairs: (P,) where each current starts and ends; None from each system to all others.

    """
    size = len(order), order.shape[1] - 1
    total, squares = np.zeros(size), np.zeros(size)
    for net in network.nets():
        wide = max(1, BLOCK // (len(net) * order.shape[1]))
        for at in range(0, len(order), wide):
            some = slice(at, at + wide)
            flows = net[:, some] if pairs is None else net[:, pairs[0][some]]
            if pairs is not None:
                flows = flows - net[:, pairs[1][some]]
            flows = np.take_along_axis(flows, order[None, some], axis=2)
            flows = flows.cumsum(axis=2)[:, :, :-1]
            total[some] += np.abs(flows).sum(axis=0)
            squares[some] += np.einsum("gpk,gpk->pk", flows, flows)
    flowing = total > NOTHING * total.max(axis=1, keepdims=True)
    return np.asarray(np.divide(total**2, squares, out=np.zeros(size), where=flowing))

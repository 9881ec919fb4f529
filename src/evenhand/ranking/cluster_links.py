"""How many clusters a difference of two systems really comes from.

    G*_c = (Σ_g a_g)² / Σ_g a_g²,   a_g = cᵀ H⁻¹ H_g H⁻¹ c

That is of how many clusters the votes are that inform a difference; through how many of them they
must pass is counted in `bottlenecks`. Sums are rounded to nine decimals: five judges of one design
are five. Of merged clusters there are no more than of the judges themselves, so that only pairs
below the threshold are counted again by judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Tally
from evenhand.models.base import Fit
from evenhand.numerics.graph import Graph, weak_components
from evenhand.ranking.sandwich import ETA_ETA, ETA_TIE, TIE_TIE, PairSums, SparseClusterSums

# Of how many clusters the narrowest link between two systems consists.
#
# What is known of a difference c flows from one system to the other as a current does: the
# potentials are x = H⁻¹ c, and through a cut of the systems into a side S and the rest cluster g
# carries
#
# f_g(S) = Σ_{s ∈ S} (H_g x)_s,   links_c = min over S of (Σ_g |f_g|)² / Σ_g f_g²
#
# where S goes through all {s: x_s ≥ level} that part the two systems. A difference of G*_c = 18 by
# votes (`shares`) may still pass through two judges: those who alone compared a new system with one
# that all know. Few of the votes that inform the difference are theirs, so that votes do not show
# it; but tastes of judges do not shrink with votes. The formula and its threshold are ours.
#
# Most pairs need not be followed through their cuts. No cluster carries more through any of them
# than leaves all systems together, a_g = ½ Σ_s |(H_g x)_s|, and together they carry the whole
# current, 1, so that links_c ≥ 1 / Σ_g a_g²; a_g of a difference is no more than those of its two
# systems together.
# Of many systems and clusters only the currents from each system to all others are followed of what
# this leaves in doubt, and pairs for which these pass through few clusters are looked at one by
# one.

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Passes = Callable[[], Iterable[Array]]
# Effective clusters of the narrowest cut, below which a difference is never decided
MIN_LINKS: Final = 3.5
# Most flows that are worked on at a time: they stay in the cache
MAX_FLOWS_AT_ONCE: Final = 100_000
# Clusters × systems × pairs up to which every pair is looked at by itself
MAX_PAIRWISE_WORK: Final = 3_000_000
# Multiple of MIN_LINKS from which currents to all other systems need no second look
SURE_MULTIPLE: Final = 2.0
# Multiple of MIN_LINKS from which a lower bound is surely above it, whatever sums are rounded to
CLEAR_MULTIPLE: Final = 1.001
NO_FLOW: Final = 1e-6  # Flow, relative to the largest of a current, that is rounding


@dataclass(frozen=True, eq=False)
class Network:
    """The clusters as a network of links between systems."""

    # goes through the (g, p, p) information of some clusters at a time, anew at each call
    information: Passes
    clusters: int  # how many they are, G
    rows: Array  # (K, p) cᵀ H⁻¹ of every system
    centred: Array  # (K, p) cᵀ of every system

    def nets(self) -> Iterable[Array]:
        """Go through (g, K, K): what flows out of each system, the current of each in a row."""
        back = np.linalg.pinv(self.centred)
        step = max(1, MAX_FLOWS_AT_ONCE // self.rows.size)
        for some in self.information():
            for start in range(0, len(some), step):
                yield np.matmul(np.matmul(self.rows, some[start : start + step]), back)


def bound_by_links(effective: Array, links: Array) -> Array:
    """Return (K, K) effective clusters, those of the narrowest cut where these are too few."""
    return np.where(links < MIN_LINKS, np.minimum(effective, links), effective)


def count_links(network: Network) -> Array:
    """Return (K, K) effective clusters of the narrowest cut of each difference; diagonal 0."""
    # Exact below MIN_LINKS; above it may be a lower bound, of large boards by currents to all
    # others.
    links = _bound(network)
    np.fill_diagonal(links, np.inf)
    first, second = np.nonzero(np.triu(links < CLEAR_MULTIPLE * MIN_LINKS))
    most = max(1, MAX_PAIRWISE_WORK // max(1, network.clusters * len(links)))
    potentials = network.rows @ network.centred.T
    if len(first) > most:
        links = np.where(links < CLEAR_MULTIPLE * MIN_LINKS, _from_each(network, potentials), links)
        first, second = np.triu_indices(len(links), 1)
        numbers = links[first, second]
        order = np.argsort(numbers, kind="stable")[:most]
        order = order[numbers[order] < SURE_MULTIPLE * MIN_LINKS]
        first, second = first[order], second[order]
    if len(first):
        narrowest = _of_pairs(network, potentials, first, second)
        links[first, second] = links[second, first] = narrowest
    np.fill_diagonal(links, 0.0)
    return np.asarray(links.round(9))


def _bound(network: Network) -> Array:
    """Return (K, K) numbers below which no cut is; 0 where a prior carries something too."""
    k = len(network.rows)
    squares, whole = np.zeros((k, k)), np.zeros((k, k))
    for net in network.nets():
        most = np.abs(net).sum(axis=2) / 2
        squares += most.T @ most
        whole += net.sum(axis=0)
    if np.abs(whole - np.eye(k) + 1 / k).max() > NO_FLOW:
        return np.zeros((k, k))
    each = np.diag(squares)
    return np.asarray(1 / (each[:, None] + each + 2 * squares))


def _from_each(network: Network, potentials: Array) -> Array:
    """Return (K, K) the narrowest cut around either system that leaves the other out."""
    # of the two sides of a cut one has no more than half of the systems
    order = np.argsort(-potentials, axis=1, kind="stable")
    numbers = _through_cuts(network, order, None)
    each, cut = np.arange(len(order)), np.arange(numbers.shape[1])
    start = np.argsort(order, axis=1)[each, each][:, None]
    around = (start <= cut) & (2 * cut < len(order))
    numbers = np.where(around, numbers, np.inf)
    narrowest = np.full(potentials.shape, np.inf)
    np.put_along_axis(narrowest, order[:, 1:], np.minimum.accumulate(numbers, axis=1), axis=1)
    return np.asarray(np.minimum(narrowest, narrowest.T))


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
    """Return (P, K − 1) effective clusters through the cuts of (P, K) systems by potential."""
    size = len(order), order.shape[1] - 1
    total, squares = np.zeros(size), np.zeros(size)
    for net in network.nets():
        wide = max(1, MAX_FLOWS_AT_ONCE // (len(net) * order.shape[1]))
        for at in range(0, len(order), wide):
            some = slice(at, at + wide)
            flows = net[:, some] if pairs is None else net[:, pairs[0][some]]
            if pairs is not None:
                flows = flows - net[:, pairs[1][some]]
            flows = np.take_along_axis(flows, order[None, some], axis=2)
            flows = flows.cumsum(axis=2)[:, :, :-1]
            total[some] += np.abs(flows).sum(axis=0)
            squares[some] += np.einsum("gpk,gpk->pk", flows, flows)
    flowing = total > NO_FLOW * total.max(axis=1, keepdims=True)
    return np.asarray(np.divide(total**2, squares, out=np.zeros(size), where=flowing))


# Into which parts systems fall without one cluster, and whose answers alone join the parts.
#
# Where judges are merged into groups, a group is left out whole; but those to name are the judges
# of it whose answers cross the cut. They are found in counts by the judges themselves, which are
# made only then.

# Information that is none: in a direction relative to the largest, of a pair to that of all
NO_INFORMATION: Final = 1e-9
# Difference of two systems in a lost direction from which they are cut apart
MIN_APART: Final = 1e-6


def part_by_links(fit: Fit, pieces: PairSums, clusters: list[int]) -> dict[int, Codes]:
    """Return (K,) the part of each system, linked by comparisons, without each cluster."""
    k, parts = len(fit.systems), {}
    whole = _both_ways(pieces.pooled().boards(k)[0])
    for g in clusters:
        rest = whole - _both_ways(pieces.between(g, g + 1).boards(k)[0])
        parts[g] = weak_components(Graph(k, *np.nonzero(rest > NO_INFORMATION * whole)))
    return parts


def _both_ways(board: Array) -> Array:
    return np.asarray(board + board.T)


def part_by_directions(lost: Array) -> Codes:
    """Return (K,) the part of each system: those that no (K, d) lost direction tells apart."""
    apart = (np.abs(lost[:, None] - lost) > MIN_APART).any(axis=2)
    return np.asarray(np.argmin(apart, axis=1))


def find_across(part: Codes) -> NDArray[np.bool_]:
    """Return (K, K) which pairs of systems are in different parts."""
    return np.asarray(part[:, None] != part)


def count_across(part: Codes) -> int:
    sizes = np.bincount(part)
    return int((len(part) ** 2 - (sizes**2).sum()) // 2)


def name_links(
    fit: Fit, tally: Tally, name: str, parts: Mapping[int, Codes], clusters: NDArray[np.integer]
) -> dict[int, tuple[str, ...]]:
    """Return the levels of each cluster whose answers join the parts that are left without it."""
    factor = tally.factor(name)
    entry_clusters = clusters[factor.codes]
    informed = fit.model.treat_ties(tally.counts).sum(axis=1) > 0
    links = {}
    for g, part in parts.items():
        joins = informed & (entry_clusters == g) & (part[tally.left] != part[tally.right])
        links[g] = tuple(factor.labels[code] for code in np.unique(factor.codes[joins]).tolist())
    return links


# Most entries × pairs that are counted again by judge; the thinnest pairs come first
MAX_RECOUNTED: Final = 60_000_000


def count_effective(information: Iterable[Array], rows: Array) -> Array:
    """Return (K, K) effective clusters of each difference from (g, p, p) information."""
    k = len(rows)
    total, squares = np.zeros((k, k)), np.zeros((k, k))
    step = max(1, MAX_FLOWS_AT_ONCE // k**2)
    for some in information:
        for start in range(0, len(some), step):
            shares = np.matmul(np.matmul(rows, some[start : start + step]), rows.T)
            diagonal = np.diagonal(shares, axis1=1, axis2=2)
            shares = np.maximum(diagonal[:, :, None] + diagonal[:, None] - 2 * shares, 0.0)
            total += shares.sum(axis=0)
            squares += np.einsum("gij,gij->ij", shares, shares)
    effective = np.divide(total**2, squares, out=np.zeros((k, k)), where=squares > 0)
    return np.asarray(effective.round(9))


def recount_thin(
    fit: Fit, pieces: SparseClusterSums, effective: Array, rows: Array, few: float
) -> Array:
    """Return (K, K) effective clusters, pairs of too few counted again by finer clusters."""
    first, second = np.nonzero(np.triu(effective < few, 1))
    order = np.argsort(effective[first, second], kind="stable")
    most = max(1, MAX_RECOUNTED // max(1, len(pieces.left), pieces.size * len(rows)))
    recounted, worths = effective.copy(), len(fit.design.names)
    log_worths = fit.design.rows() @ rows[:, :worths].T
    for at in order[:most].tolist():
        i, j = int(first[at]), int(second[at])
        others = rows[i, worths:] - rows[j, worths:]
        count = _count_pair(fit, pieces, log_worths[:, i] - log_worths[:, j], others, (i, j))
        if count < few:
            recounted[i, j] = recounted[j, i] = count
    return recounted


def _count_pair(
    fit: Fit, pieces: SparseClusterSums, lambdas: Array, others: Array, pair: tuple[int, int]
) -> float:
    order = others[-1] if fit.likelihood.order_effect else 0.0
    tie = others[0] if fit.likelihood.law.free else 0.0
    eta = lambdas[pieces.left] - lambdas[pieces.right] + order
    by_eta, across, by_tie = pieces.slopes[[ETA_ETA, ETA_TIE, TIE_TIE]]
    weights = by_eta * eta**2 + 2 * across * eta * tie + by_tie * tie**2
    sums = np.bincount(pieces.codes, weights, minlength=pieces.size)
    votes = _effective(np.maximum(np.asarray(sums, dtype=np.float64), 0.0)[:, None])
    currents = by_eta * eta + across * tie
    place = np.argsort(np.argsort(-lambdas, kind="stable"), kind="stable")
    flat = pieces.codes.astype(np.int64) * len(place)
    size = pieces.size * len(place)
    net = np.bincount(flat + place[pieces.left], currents, minlength=size)
    net -= np.bincount(flat + place[pieces.right], currents, minlength=size)
    start, end = place[list(pair)].tolist()
    flows = np.asarray(net.reshape(pieces.size, -1).cumsum(axis=1)[:, start:end])
    return float(bound_by_links(votes, _effective(np.abs(flows)).min(keepdims=True))[0])


def _effective(shares: Array) -> Array:
    """Return (n,) effective clusters of (G, n) shares, 0 where there are none."""
    total, squares = shares.sum(axis=0), (shares**2).sum(axis=0)
    effective = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    return np.asarray(effective.round(9))

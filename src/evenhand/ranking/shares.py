"""How many clusters a difference of two systems really comes from.

    G*_c = (Σ_g a_g)² / Σ_g a_g²,   a_g = cᵀ H⁻¹ H_g H⁻¹ c            (INFERENCE B2)

That is of how many clusters the votes are that inform a difference; through how many of them they
must pass is counted in `bottlenecks`. Sums are rounded to nine decimals: five judges of one design
are five. Of merged clusters there are no more than of the judges themselves, so that only pairs
below the threshold are counted again by judge.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.fit import Fit
from evenhand.ranking.bottlenecks import bound_by_links
from evenhand.ranking.pieces import ETA_ETA, ETA_TIE, TIE_TIE, Pieces

Array = NDArray[np.float64]
BLOCK: Final = 100_000
"""Most numbers in the shares of the clusters that are worked on at a time."""
RECOUNTED: Final = 60_000_000
"""Most entries × pairs that are counted again by judge; the thinnest pairs come first."""


def count_effective(own: Iterable[Array], rows: Array) -> Array:
    """Return (K, K) effective clusters of each difference; 0 on the diagonal.

    Args:
        own: (g, p, p) information of some clusters at a time.
        rows: (K, p) cᵀ H⁻¹ of every system.

    """
    k = len(rows)
    total, squares = np.zeros((k, k)), np.zeros((k, k))
    step = max(1, BLOCK // k**2)
    for some in own:
        for start in range(0, len(some), step):
            shares = np.matmul(np.matmul(rows, some[start : start + step]), rows.T)
            diagonal = np.diagonal(shares, axis1=1, axis2=2)
            shares = np.maximum(diagonal[:, :, None] + diagonal[:, None] - 2 * shares, 0.0)
            total += shares.sum(axis=0)
            squares += np.einsum("gij,gij->ij", shares, shares)
    found = np.divide(total**2, squares, out=np.zeros((k, k)), where=squares > 0)
    return np.asarray(found.round(9))


def recount_thin(fit: Fit, pieces: Pieces, effective: Array, rows: Array, few: float) -> Array:
    """Return effective clusters where pairs of too few are counted again by finer clusters.

    Args:
        fit: a fit without controls.
        pieces: the fit taken apart by the finer clusters.
        effective: (K, K) effective clusters by the coarser ones.
        rows: (K, p) cᵀ H⁻¹ of every system.
        few: below it a pair is counted again; what then is not below stays as it was, since
            inference is by the coarser clusters.

    """
    first, second = np.nonzero(np.triu(effective < few, 1))
    order = np.argsort(effective[first, second], kind="stable")
    most = max(1, RECOUNTED // max(1, len(pieces.left), pieces.size * len(rows)))
    found, worths = effective.copy(), len(fit.design.names)
    log_worths = fit.design.rows() @ rows[:, :worths].T
    for at in order[:most].tolist():
        i, j = int(first[at]), int(second[at])
        others = rows[i, worths:] - rows[j, worths:]
        count = _count_pair(fit, pieces, log_worths[:, i] - log_worths[:, j], others, (i, j))
        if count < few:
            found[i, j] = found[j, i] = count
    return found


def _count_pair(
    fit: Fit, pieces: Pieces, lambdas: Array, others: Array, pair: tuple[int, int]
) -> float:
    """Return the effective clusters of one difference, by votes and by links.

    Args:
        fit: the fit.
        pieces: the fit taken apart.
        lambdas: (K,) cᵀ H⁻¹ on λ of the systems.
        others: the same on t and δ, where they are parameters.
        pair: the two systems.

    """
    order = others[-1] if fit.likelihood.order_effect else 0.0
    tie = others[0] if fit.likelihood.law.free else 0.0
    eta = lambdas[pieces.left] - lambdas[pieces.right] + order
    by_eta, across, by_tie = pieces.slopes[[ETA_ETA, ETA_TIE, TIE_TIE]]
    weights = by_eta * eta**2 + 2 * across * eta * tie + by_tie * tie**2
    sums = np.bincount(pieces.codes, weights, minlength=pieces.size)
    votes = _effective(np.maximum(np.asarray(sums, dtype=np.float64), 0.0)[:, None])
    flows = _follow(pieces, by_eta * eta + across * tie, lambdas, pair)
    return float(bound_by_links(votes, _effective(np.abs(flows)).min(keepdims=True))[0])


def _follow(pieces: Pieces, currents: Array, lambdas: Array, pair: tuple[int, int]) -> Array:
    """Return (G, cuts) what clusters carry through the cuts between two systems.

    Args:
        pieces: the fit taken apart.
        currents: (C,) what flows through each entry from left to right.
        lambdas: (K,) potentials of the systems.
        pair: the first of them, from which all flows, and the second.

    """
    place = np.argsort(np.argsort(-lambdas, kind="stable"), kind="stable")
    flat = pieces.codes.astype(np.int64) * len(place)
    size = pieces.size * len(place)
    net = np.bincount(flat + place[pieces.left], currents, minlength=size)
    net -= np.bincount(flat + place[pieces.right], currents, minlength=size)
    start, end = place[list(pair)].tolist()
    return np.asarray(net.reshape(pieces.size, -1).cumsum(axis=1)[:, start:end])


def _effective(shares: Array) -> Array:
    """Return (n,) effective clusters of (G, n) shares, 0 where there are none."""
    total, squares = shares.sum(axis=0), (shares**2).sum(axis=0)
    found = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    return np.asarray(found.round(9))

"""A fit taken apart: the score and the information that each cluster of judgments holds.

An entry of a tally has η = λ_left − λ_right (+ δ); with its derivatives by (η, t) the score of a
cluster is a sum over systems, its information a weighted Laplacian with a border for t and δ.
Parameters stand in the order of the likelihood: those of the design, t, δ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.preference.fit import Fit
from evenhand.preference.tie_laws import Local

Array = NDArray[np.float64]
Codes = NDArray[np.int64] | NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Entries of a tally at the estimate, with their clusters.

    Attributes:
        left: (C,) code of the system shown first.
        right: (C,) code of the other.
        local: the log-likelihood of each entry to second order.
        codes: (C,) cluster of each entry.
        size: number of clusters.

    """

    left: Codes
    right: Codes
    local: Local
    codes: Codes
    size: int

    def between(self, start: int, stop: int) -> Pieces:
        """Return consecutive clusters, numbered from 0; entries must be in their order."""
        ends = np.array([start, stop], dtype=self.codes.dtype)
        rows = slice(*np.searchsorted(self.codes, ends).tolist())
        one = self.local
        derivatives = (one.eta, one.tie, one.eta_eta, one.eta_tie, one.tie_tie)
        local = Local(one.value[rows], *(values[rows] for values in derivatives))
        codes = self.codes[rows] - start
        return Pieces(self.left[rows], self.right[rows], local, codes, stop - start)

    def together(self) -> Pieces:
        """Return all entries as one cluster."""
        return replace(self, codes=np.zeros(len(self.codes), dtype=np.int32), size=1)

    def held(self) -> NDArray[np.bool_]:
        """Say of each cluster whether it holds information: one of discarded ties does not."""
        return _sums(self.codes, self.local.eta_eta, self.size) > 0


def take_apart(fit: Fit, tally: Tally, codes: Codes, size: int) -> Pieces:
    """Evaluate a fit on every entry of a tally.

    Args:
        fit: the fit to the data, one worth per system.
        tally: the same data, told apart by cluster.
        codes: (C,) cluster of each entry.
        size: number of clusters.

    """
    _, tie, order, _ = fit.likelihood.parts(fit.beta)
    eta = fit.lambdas[tally.left] - fit.lambdas[tally.right] + order
    local = fit.likelihood.law.expand(eta, tie, fit.model.treat_ties(tally.counts))
    return Pieces(tally.left, tally.right, local, codes, size)


def cluster_scores(fit: Fit, pieces: Pieces) -> Array:
    """Return (G, p) scores of clusters."""
    local, codes, size = pieces.local, pieces.codes, pieces.size
    columns = [fit.design.pull(_by_system(fit, pieces, local.eta).T)]
    if fit.likelihood.law.free:
        columns.append(_sums(codes, local.tie, size)[None])
    if fit.likelihood.order_effect:
        columns.append(_sums(codes, local.eta, size)[None])
    return np.asarray(np.concatenate(columns).T)


def _by_system(fit: Fit, pieces: Pieces, weights: Array) -> Array:
    """Sum entries onto the systems of their cluster, + for left and − for right: (G, K)."""
    k, size = len(fit.systems), len(fit.systems) * pieces.size
    flat = pieces.codes.astype(np.int64) * k
    sums = _sums(flat + pieces.left, weights, size) - _sums(flat + pieces.right, weights, size)
    return sums.reshape(pieces.size, k)


def _sums(codes: Codes, weights: Array, size: int) -> Array:
    """Sum weights by code; also where there are none, in which bincount counts whole numbers."""
    return np.bincount(codes, weights, minlength=size).astype(np.float64, copy=False)


def cluster_information(fit: Fit, pieces: Pieces) -> Array:
    """Return (G, p, p) information of clusters."""
    local, worths = pieces.local, len(fit.design.names)
    borders = [(local.eta_tie, local.tie_tie)] if fit.likelihood.law.free else []
    if fit.likelihood.order_effect:
        borders.append((local.eta_eta, local.eta_eta))
    p = worths + len(borders)
    whole = np.zeros((pieces.size, p, p))
    for g, laplacian in enumerate(_laplacians(fit, pieces)):
        whole[g, :worths, :worths] = fit.design.pull(fit.design.pull(laplacian).T)
    for at, (across, own) in enumerate(borders, start=worths):
        border = fit.design.pull(_by_system(fit, pieces, across).T).T
        whole[:, :worths, at] = whole[:, at, :worths] = border
        whole[:, at, at] = _sums(pieces.codes, own, pieces.size)
    if len(borders) > 1:
        cross = _sums(pieces.codes, local.eta_tie, pieces.size)
        whole[:, worths, worths + 1] = whole[:, worths + 1, worths] = cross
    return whole


def _laplacians(fit: Fit, pieces: Pieces) -> Array:
    """Return (G, K, K) weighted Laplacians of who was compared with whom."""
    g, k = pieces.size, len(fit.systems)
    flat = (pieces.codes.astype(np.int64) * k + pieces.left) * k + pieces.right
    table = _sums(flat, pieces.local.eta_eta, g * k * k).reshape(g, k, k)
    laplacians = -table - table.transpose(0, 2, 1)
    laplacians[:, np.arange(k), np.arange(k)] = table.sum(axis=2) + table.sum(axis=1)
    return np.asarray(laplacians)


def sparse_meat(fit: Fit, pieces: Pieces) -> Array:
    """Return (p, p) sums of s sᵀ over many small clusters, each of which touches few systems."""
    from scipy import sparse

    local, size = pieces.local, len(fit.systems)
    parts = [(pieces.left, local.eta), (pieces.right, -local.eta)]
    extras = [local.tie] if fit.likelihood.law.free else []
    extras += [local.eta] if fit.likelihood.order_effect else []
    for values in extras:
        parts.append((np.full(len(values), size, dtype=np.int32), values))
        size += 1
    columns = np.concatenate([column for column, _ in parts])
    values = np.concatenate([value for _, value in parts])
    rows = np.tile(pieces.codes, len(parts))
    scores = sparse.coo_array((values, (rows, columns)), shape=(pieces.size, size)).tocsr()
    full, k = np.asarray((scores.T @ scores).todense()), len(fit.systems)
    left = np.concatenate([fit.design.pull(full[:k]), full[k:]])
    return np.concatenate([fit.design.pull(left[:, :k].T).T, left[:, k:]], axis=1)

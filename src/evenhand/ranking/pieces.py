"""A fit taken apart: the score and the information that each cluster of judgments holds.

An entry of a tally has η = λ_left − λ_right (+ δ); with its derivatives by (η, t) the score of a
cluster is a sum over systems, its information a weighted Laplacian with a border for t and δ.
Parameters stand in the order of the likelihood: those of the design, t, δ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.preference.fit import Fit
from evenhand.preference.tie_laws import expand_blocks

Array = NDArray[np.float64]
Codes = NDArray[np.int64] | NDArray[np.int32]

ETA, TIE, ETA_ETA, ETA_TIE, TIE_TIE = range(5)
PAIRWISE: Final = 8
"""Entries per possible pair from which pairs are evaluated instead."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Entries of a tally at the estimate, with their clusters.

    Attributes:
        left: (C,) code of the system shown first.
        right: (C,) code of the other.
        slopes: (5, C) first derivatives of each entry's log-likelihood by η and t, and minus the
            second by ηη, ηt, tt.
        codes: (C,) cluster of each entry.
        size: number of clusters.

    """

    left: Codes
    right: Codes
    slopes: Array
    codes: Codes
    size: int

    def between(self, start: int, stop: int) -> Pieces:
        """Return consecutive clusters, numbered from 0; entries must be in their order."""
        ends = np.array([start, stop], dtype=self.codes.dtype)
        rows = slice(*np.searchsorted(self.codes, ends).tolist())
        codes = self.codes[rows] - start
        return Pieces(self.left[rows], self.right[rows], self.slopes[:, rows], codes, stop - start)

    def held(self) -> NDArray[np.bool_]:
        """Say of each cluster whether it holds information: one of discarded ties does not."""
        return _sums(self.codes, self.slopes[ETA_ETA], self.size) > 0


def take_apart(fit: Fit, tally: Tally, codes: Codes, size: int) -> Pieces:
    """Evaluate a fit on every entry of a tally.

    Args:
        fit: the fit to the data, one worth per system.
        tally: the same data, told apart by cluster.
        codes: (C,) cluster of each entry.
        size: number of clusters.

    """
    counts, worth, k = fit.model.treat_ties(tally.counts), fit.lambdas, len(fit.systems)
    if len(counts) < PAIRWISE * k**2:
        slopes = _slopes(fit, worth[tally.left] - worth[tally.right], counts)
        return Pieces(tally.left, tally.right, slopes, codes, size)
    # derivatives are linear in counts: every pair is evaluated once for each outcome
    apart = (worth[:, None] - worth).ravel()
    units = [_slopes(fit, apart, np.tile(unit, (len(apart), 1))) for unit in np.eye(3)]
    pair = tally.left * np.int64(k) + tally.right
    slopes, n = np.zeros((5, len(pair))), counts.sum(axis=1)
    for row in range(5):
        if all(np.array_equal(unit[row], units[0][row]) for unit in units):
            slopes[row] = units[0][row][pair] * n
            continue
        for outcome, unit in enumerate(units):
            slopes[row] += unit[row][pair] * counts[:, outcome]
    return Pieces(tally.left, tally.right, slopes, codes, size)


def _slopes(fit: Fit, apart: Array, counts: Array) -> Array:
    """Return (5, C) derivatives of counts of pairs whose λ differ by `apart`."""
    _, tie, order, _ = fit.likelihood.parts(fit.beta)
    local = expand_blocks(fit.likelihood.law, apart + order, tie, counts)
    return np.stack([local.eta, local.tie, local.eta_eta, local.eta_tie, local.tie_tie])


def cluster_scores(fit: Fit, pieces: Pieces) -> Array:
    """Return (G, p) scores of clusters."""
    slopes, codes, size = pieces.slopes, pieces.codes, pieces.size
    columns = [fit.design.pull(_by_system(fit, pieces, slopes[ETA]).T)]
    if fit.likelihood.law.free:
        columns.append(_sums(codes, slopes[TIE], size)[None])
    if fit.likelihood.order_effect:
        columns.append(_sums(codes, slopes[ETA], size)[None])
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
    slopes, worths = pieces.slopes, len(fit.design.names)
    borders = [(slopes[ETA_TIE], slopes[TIE_TIE])] if fit.likelihood.law.free else []
    if fit.likelihood.order_effect:
        borders.append((slopes[ETA_ETA], slopes[ETA_ETA]))
    p = worths + len(borders)
    whole = np.zeros((pieces.size, p, p))
    for g, laplacian in enumerate(_laplacians(fit, pieces)):
        whole[g, :worths, :worths] = fit.design.pull(fit.design.pull(laplacian).T)
    for at, (across, own) in enumerate(borders, start=worths):
        border = fit.design.pull(_by_system(fit, pieces, across).T).T
        whole[:, :worths, at] = whole[:, at, :worths] = border
        whole[:, at, at] = _sums(pieces.codes, own, pieces.size)
    if len(borders) > 1:
        cross = _sums(pieces.codes, slopes[ETA_TIE], pieces.size)
        whole[:, worths, worths + 1] = whole[:, worths + 1, worths] = cross
    return whole


def _laplacians(fit: Fit, pieces: Pieces) -> Array:
    """Return (G, K, K) weighted Laplacians of who was compared with whom."""
    g, k = pieces.size, len(fit.systems)
    flat = (pieces.codes.astype(np.int64) * k + pieces.left) * k + pieces.right
    table = _sums(flat, pieces.slopes[ETA_ETA], g * k * k).reshape(g, k, k)
    laplacians = -table - table.transpose(0, 2, 1)
    laplacians[:, np.arange(k), np.arange(k)] = table.sum(axis=2) + table.sum(axis=1)
    return np.asarray(laplacians)


def sparse_meat(fit: Fit, pieces: Pieces) -> Array:
    """Return (p, p) sums of s sᵀ over many small clusters, each of which touches few systems."""
    from scipy import sparse

    by_eta, by_tie, size = pieces.slopes[ETA], pieces.slopes[TIE], len(fit.systems)
    parts = [(pieces.left, by_eta), (pieces.right, -by_eta)]
    extras = [by_tie] if fit.likelihood.law.free else []
    extras += [by_eta] if fit.likelihood.order_effect else []
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

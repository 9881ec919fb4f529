"""A fit taken apart: the score and the information that each cluster of judgments holds.

An entry of a tally has η = λ_left − λ_right (+ δ); with its derivatives by (η, t) the score of a
cluster is a sum over systems, its information a weighted Laplacian with a border for t and δ.
Parameters stand in the order of the likelihood: those of the design, t, δ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.preference.fit import Fit
from evenhand.preference.ties.laws import Local, Tie, TieLaw, expand_blocks

if TYPE_CHECKING:
    from evenhand.ranking.boards import Boards

Array = NDArray[np.float64]
Codes = NDArray[np.int64] | NDArray[np.int32]

ETA, TIE, ETA_ETA, ETA_TIE, TIE_TIE = range(5)
PAIRWISE: Final = 8
"""Entries per possible pair from which pairs are evaluated instead of entries."""
SPARSE: Final = 4
"""Cells of the boards of all clusters for an entry, beyond which boards are too empty."""
LARGEST: Final = 4_000_000
"""Most cells of the boards of all clusters, of which a number each is held."""


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

    def pooled(self) -> Pieces:
        """Return all entries as one cluster."""
        return Pieces(self.left, self.right, self.slopes, np.zeros_like(self.codes), 1)

    def held(self) -> NDArray[np.bool_]:
        """Say of each cluster whether it holds information: one of discarded ties does not."""
        return self.total(ETA_ETA) > 0

    def total(self, row: int) -> Array:
        """Sum one derivative over clusters: (G,)."""
        return _sums(self.codes, self.slopes[row], self.size)

    def by_system(self, row: int, k: int) -> Array:
        """Sum one derivative onto the systems of clusters, + for left and − for right: (G, K)."""
        flat = self.codes.astype(np.int64) * k
        up = _sums(flat + self.left, self.slopes[row], self.size * k)
        down = _sums(flat + self.right, self.slopes[row], self.size * k)
        return np.asarray(up - down).reshape(self.size, k)

    def boards(self, k: int) -> Array:
        """Return (G, K, K) information by η of clusters, by who stood left and who right."""
        flat = (self.codes.astype(np.int64) * k + self.left) * k + self.right
        return _sums(flat, self.slopes[ETA_ETA], self.size * k * k).reshape(self.size, k, k)


def take_apart(fit: Fit, tally: Tally, codes: Codes, size: int) -> Pieces:
    """Evaluate a fit on every entry of a tally.

    Args:
        fit: the fit to the data, one worth per system.
        tally: the same data, told apart by cluster.
        codes: (C,) cluster of each entry.
        size: number of clusters.

    """
    counts, worth = fit.model.treat_ties(tally.counts), fit.lambdas
    slopes = _slopes(fit, worth[tally.left] - worth[tally.right], counts)
    return Pieces(tally.left, tally.right, slopes, codes, size)


def lay_out(fit: Fit, tally: Tally, codes: Codes, size: int) -> Pieces | Boards:
    """Evaluate a fit by cluster, on boards of all pairs where clusters fill them."""
    k, entries = len(fit.systems), len(tally.left)
    cells = size * k**2
    if entries * SPARSE < cells or entries < PAIRWISE * k**2 or cells > LARGEST:
        return take_apart(fit, tally, codes, size)
    from evenhand.ranking.boards import sum_boards

    return sum_boards(evaluate_pairs(fit), tally, codes, size)


def evaluate_pairs(fit: Fit) -> Array:
    """Return (3, 5, K, K) derivatives of one answer of each kind on each pair, ties as treated."""
    k, apart = len(fit.systems), (fit.lambdas[:, None] - fit.lambdas).ravel()
    answers = fit.model.treat_ties(np.eye(3))
    units = [_slopes(fit, apart, np.tile(unit, (k**2, 1))) for unit in answers]
    return np.stack(units).reshape(3, 5, k, k)


def _slopes(fit: Fit, apart: Array, counts: Array) -> Array:
    """Return (5, C) derivatives of counts of pairs whose λ differ by `apart`."""
    _, tie, order, _ = fit.likelihood.parts(fit.beta)
    local = expand_blocks(fit.likelihood.law, apart + order, tie, counts)
    return np.stack([local.eta, local.tie, local.eta_eta, local.eta_tie, local.tie_tie])


def cluster_scores(fit: Fit, pieces: Pieces | Boards) -> Array:
    """Return (G, p) scores of clusters."""
    columns = [fit.design.pull(pieces.by_system(ETA, len(fit.systems)).T)]
    if fit.likelihood.law.free:
        columns.append(pieces.total(TIE)[None])
    if fit.likelihood.order_effect:
        columns.append(pieces.total(ETA)[None])
    return np.asarray(np.concatenate(columns).T)


def score_products(law: TieLaw, eta: Array, tie: Tie, squares: Array) -> Local:
    """Return sums of products of single answers' scores by η and t, in place of information.

    Args:
        law: the tie law.
        eta: (C,) half log-odds of left against right.
        tie: the tie parameter.
        squares: (C, 3) sums of squared weights of left, tie, right.

    """
    # without tie cells the score of the middle column is the mean of the others': a half-win's own
    by_eta, by_tie = law.scores(eta, tie)
    none = np.zeros(len(eta))
    return Local(
        value=none,
        eta=none,
        tie=none,
        eta_eta=(squares * by_eta**2).sum(axis=1),
        eta_tie=(squares * by_eta * by_tie).sum(axis=1),
        tie_tie=(squares * by_tie**2).sum(axis=1),
    )


def _sums(codes: Codes, weights: Array, size: int) -> Array:
    """Sum weights by code; also where there are none, in which bincount counts whole numbers."""
    return np.bincount(codes, weights, minlength=size).astype(np.float64, copy=False)


def cluster_information(fit: Fit, pieces: Pieces | Boards) -> Array:
    """Return (G, p, p) information of clusters."""
    worths, k = len(fit.design.names), len(fit.systems)
    borders = [(ETA_TIE, TIE_TIE)] if fit.likelihood.law.free else []
    if fit.likelihood.order_effect:
        borders.append((ETA_ETA, ETA_ETA))
    p = worths + len(borders)
    whole = np.zeros((pieces.size, p, p))
    for g, laplacian in enumerate(_laplacians(pieces.boards(k))):
        whole[g, :worths, :worths] = fit.design.pull(fit.design.pull(laplacian).T)
    for at, (across, own) in enumerate(borders, start=worths):
        border = fit.design.pull(pieces.by_system(across, k).T).T
        whole[:, :worths, at] = whole[:, at, :worths] = border
        whole[:, at, at] = pieces.total(own)
    if len(borders) > 1:
        cross = pieces.total(ETA_TIE)
        whole[:, worths, worths + 1] = whole[:, worths + 1, worths] = cross
    return whole


def _laplacians(boards: Array) -> Array:
    """Return (G, K, K) weighted Laplacians of who was compared with whom."""
    laplacians = -boards - boards.transpose(0, 2, 1)
    each = np.arange(boards.shape[1])
    laplacians[:, each, each] = boards.sum(axis=2) + boards.sum(axis=1)
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

"""Sandwich covariances: what the data say of their own spread, by cluster.

    d_g = −(H − H_g)⁻¹ s_g,   V = (G − 1)/G Σ_g (d_g − d̄)(d_g − d̄)ᵀ        CV3 (INFERENCE B1)
    V = H⁻¹ (Σ_g s_g s_gᵀ) H⁻¹ · G/(G − 1) · (n − 1)/(n − p)                CR1

s_g and H_g are the score and information of cluster g at the estimate: d_g is, to first order,
what leaving the cluster out changes, so that a judge who alone saw a system, or who gave a third of
all answers, counts for what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.tally import Factor, Tally
from evenhand.preference.fit import Fit
from evenhand.preference.tie_laws import Local

Array = NDArray[np.float64]
DENSE: Final = 20_000_000
"""Most numbers in the information of all clusters, (G, p, p); beyond it CR1 takes the place."""
ROUNDS: Final = 60
SETTLED: Final = 1e-10


@dataclass(frozen=True, eq=False)
class Pieces:
    """Scores of single entries at the estimate.

    Attributes:
        tally: entries with their clusters; systems as in the fit.
        by_eta: (C,) derivative of the log-likelihood of an entry by η.
        by_tie: (C,) the same by the tie parameter.
        local: the log-likelihood of each entry to second order.
        outer: sums over single answers of products of derivatives, as a `Local`.

    """

    tally: Tally
    by_eta: Array
    by_tie: Array
    local: Local
    outer: Local


def take_apart(fit: Fit, tally: Tally) -> Pieces:
    """Evaluate a fit on every entry of a tally by cluster."""
    counts = fit.model.treat_ties(tally.counts)
    worths, tie, order, _ = fit.likelihood.parts(fit.beta)
    eta = worths[tally.left] - worths[tally.right] + order
    law = fit.likelihood.law
    eta_scores, tie_scores = law.scores(eta, tie)
    squares = counts if tally.squares is None else fit.model.treat_ties(tally.squares)
    none = np.zeros(len(eta))
    outer = Local(
        none,
        none,
        none,
        (squares * eta_scores**2).sum(axis=1),
        (squares * eta_scores * tie_scores).sum(axis=1),
        (squares * tie_scores**2).sum(axis=1),
    )
    local = law.expand(eta, tie, counts)
    return Pieces(tally, local.eta, local.tie, local, outer)


def cluster_scores(fit: Fit, pieces: Pieces, codes: NDArray[np.int32], size: int) -> Array:
    """Return (G, p) scores of clusters."""
    tally, k = pieces.tally, len(fit.systems)
    flat = codes.astype(np.int64) * k
    by_node = np.bincount(flat + tally.left, pieces.by_eta, minlength=size * k)
    by_node -= np.bincount(flat + tally.right, pieces.by_eta, minlength=size * k)
    columns = [fit.design.pull(by_node.reshape(size, k).T)]
    if fit.likelihood.law.free:
        columns.append(np.bincount(codes, pieces.by_tie, minlength=size)[None])
    if fit.likelihood.order_effect:
        columns.append(np.bincount(codes, pieces.by_eta, minlength=size)[None])
    return np.concatenate(columns).T


def cluster_covariance(fit: Fit, pieces: Pieces, name: str) -> tuple[Array, str]:
    """Return the (p, p) covariance by one way of clustering, and its kind: CV3 or CR1.

    Raises:
        NotIdentified: one cluster alone links some systems to the rest.

    """
    factor = pieces.tally.factor(name)
    scores = cluster_scores(fit, pieces, factor.codes, factor.size)
    bread = fit.raw_vcov
    if factor.size * len(bread) ** 2 > DENSE:
        n, p, g = fit.n_judgments, len(bread), factor.size
        meat = scores.T @ scores * (g / (g - 1) * (n - 1) / (n - p))
        return bread @ meat @ bread, "CR1"
    changes = _leave_out(fit, pieces, factor, scores)
    changes -= changes.mean(axis=0)
    return (factor.size - 1) / factor.size * changes.T @ changes, "CV3"


def _leave_out(fit: Fit, pieces: Pieces, factor: Factor, scores: Array) -> Array:
    """Solve (H − H_g) d = s_g for every cluster: by iteration, directly where that is slow."""
    bread, own = fit.raw_vcov, cluster_information(fit, pieces, factor)
    changes = scores @ bread
    for _ in range(ROUNDS):
        fresh = (scores + np.einsum("gij,gj->gi", own, changes)) @ bread
        moved = np.abs(fresh - changes).max(axis=1)
        changes = fresh
        if (moved <= SETTLED * (np.abs(changes).max() + SETTLED)).all():
            return np.asarray(changes)
    slow = np.flatnonzero(moved > SETTLED * (np.abs(changes).max() + SETTLED))
    total, root = np.linalg.inv(bread), np.linalg.cholesky(bread)
    alone = []
    for g in slow:
        leverage = np.linalg.eigvalsh(root.T @ own[g] @ root)[-1]
        if leverage > 1 - 1e-7:
            alone.append(int(g))
        else:
            changes[g] = np.linalg.solve(total - own[g], scores[g])
    if alone:
        raise NotIdentified(_say_alone(fit, pieces, factor, alone))
    return np.asarray(changes)


def _say_alone(fit: Fit, pieces: Pieces, factor: Factor, alone: list[int]) -> str:
    names = "a few clusters" if factor.merged else listing([factor.labels[g] for g in alone], 3)
    return f"without {names} some systems are linked to the rest by nothing"


def cluster_information(fit: Fit, pieces: Pieces, factor: Factor) -> Array:
    """Return (G, p, p) information of clusters."""
    tally, local, k = pieces.tally, pieces.local, len(fit.systems)
    g, free, order = factor.size, fit.likelihood.law.free, fit.likelihood.order_effect
    codes = factor.codes.astype(np.int64)
    flat = (codes * k + tally.left) * k + tally.right
    table = np.bincount(flat, local.eta_eta, minlength=g * k * k).reshape(g, k, k)
    table = table + table.transpose(0, 2, 1)
    nodes = -table
    nodes[:, np.arange(k), np.arange(k)] = table.sum(axis=2)
    pulled = np.stack([fit.design.pull(fit.design.pull(block).T) for block in nodes])
    extras = [(local.eta_tie, local.tie_tie)] if free else []
    if order:
        extras.append((local.eta_eta, local.eta_eta))
    p = pulled.shape[1]
    whole = np.zeros((g, p + len(extras), p + len(extras)))
    whole[:, :p, :p] = pulled
    for at, (across, own) in enumerate(extras, start=p):
        border = np.bincount(codes * k + tally.left, across, minlength=g * k)
        border -= np.bincount(codes * k + tally.right, across, minlength=g * k)
        whole[:, :p, at] = whole[:, at, :p] = fit.design.pull(border.reshape(g, k).T).T
        whole[:, at, at] = np.bincount(codes, own, minlength=g)
    if free and order:
        whole[:, p, p + 1] = whole[:, p + 1, p] = np.bincount(codes, local.eta_tie, minlength=g)
    return whole


def judgment_covariance(fit: Fit, pieces: Pieces) -> Array:
    """Return the (p, p) covariance by single answers, CR1."""
    n, p, bread = fit.n_judgments, len(fit.raw_vcov), fit.raw_vcov
    pooled = fit.likelihood.outer_information(pieces.tally, pieces.outer)
    return np.asarray(bread @ pooled @ bread * (n / (n - 1) * (n - 1) / (n - p)))


def crossed_covariance(fit: Fit, pieces: Pieces, names: tuple[str, str]) -> Array:
    """Return the (p, p) covariance by cells of two ways, judge × item (INFERENCE B3)."""
    one, other = (pieces.tally.factor(name) for name in names)
    cell = one.codes.astype(np.int64) * other.size + other.codes
    _, codes = np.unique(cell, return_inverse=True)
    size = int(codes.max()) + 1
    bread = fit.raw_vcov
    if size * len(bread) <= DENSE:
        scores = cluster_scores(fit, pieces, codes.astype(np.int32), size)
        return np.asarray(bread @ (scores.T @ scores) @ bread)
    return np.asarray(bread @ _sparse_meat(fit, pieces, codes, size) @ bread)


def _sparse_meat(fit: Fit, pieces: Pieces, codes: NDArray[np.int64], size: int) -> Array:
    """Sum s sᵀ over many small cells, each touching few systems."""
    from scipy import sparse

    k, tally = len(fit.systems), pieces.tally
    parts = [(tally.left, pieces.by_eta), (tally.right, -pieces.by_eta)]
    extras = k
    if fit.likelihood.law.free:
        parts.append((np.full(len(codes), extras), pieces.by_tie))
        extras += 1
    if fit.likelihood.order_effect:
        parts.append((np.full(len(codes), extras), pieces.by_eta))
        extras += 1
    columns = np.concatenate([column for column, _ in parts])
    values = np.concatenate([value for _, value in parts])
    rows = np.tile(codes, len(parts))
    scores = sparse.coo_array((values, (rows, columns)), shape=(size, extras)).tocsr()
    full = np.asarray((scores.T @ scores).todense())
    top = fit.design.pull(full[:k])
    left = np.concatenate([top, full[k:]])
    return np.concatenate([fit.design.pull(left[:, :k].T).T, left[:, k:]], axis=1)

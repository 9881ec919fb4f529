"""Covariances of a model of rankings by cluster: what the rankings say of their own spread.

    d_g = (H − H_g)⁻¹ s_g,   V = (G − 1)/G Σ_g (d_g − d̄)(d_g − d̄)ᵀ         CV3
    V = H⁻¹ (Σ_g s_g s_gᵀ) H⁻¹ · G/(G − 1) · (n − 1)/(n − p)                 CR1

s_g and H_g are the score and the information of the rankings of cluster g. Source: INFERENCE B1
(Hansen 2025, jackknife by linearised leave-one-out); Liang & Zeger (1986), Biometrika 73:13-22.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.preference.orders.likelihood import OrderLikelihood

Array = NDArray[np.float64]
DENSE: Final = 20_000_000
"""Most numbers in the information of all clusters; beyond it CR1 takes the place of CV3."""
SINGULAR: Final = 1e-11
"""Pivot, relative to the diagonal, that is rounding and no information."""


@dataclass(frozen=True, eq=False)
class ClusteredErrors:
    """Covariances that allow for rankings that hang together.

    Attributes:
        by: what the clusters are, such as "judge".
        kind: CV3 (jackknife) or CR1.
        clusters: how many there are.
        vcov: (p, p) covariance of the fit's `estimate` (λ scale).
        worth_vcov: (K, K) covariance of `log_worth`, the reference at 0.

    """

    by: str
    kind: str
    clusters: int
    vcov: Array
    worth_vcov: Array


def by_single_rankings(likelihood: OrderLikelihood, beta: Array, bread: Array) -> Array:
    """Return the (p, p) covariance by rankings, each a cluster of its own: CR1.

    Raises:
        NotIdentified: no more rankings than parameters.

    """
    weights = likelihood.orders.weights
    rows = np.arange(len(weights))
    scores = likelihood.cluster_scores(beta, rows, len(weights)) / np.sqrt(weights)[:, None]
    n = float(weights.sum())
    return _pooled(scores, bread, clusters=n, n=n)


def by_clusters(likelihood: OrderLikelihood, beta: Array, bread: Array) -> tuple[Array, str, int]:
    """Return the (p, p) covariance by clusters of rankings, its kind, and how many there are.

    Args:
        likelihood: the law on the rankings, told apart by cluster.
        beta: the estimates.
        bread: (p, p) inverse of the whole information H.

    Raises:
        NotIdentified: fewer than two clusters, or one without which systems are not linked.

    """
    level = likelihood.orders.level
    if level is None or level.size < 2:
        raise NotIdentified("all rankings are of one cluster: there is no spread between clusters")
    size = level.size
    scores = likelihood.cluster_scores(beta, level.codes, size)
    if size * len(bread) ** 2 > DENSE:
        n = float(likelihood.orders.weights.sum())
        return _pooled(scores, bread, clusters=size, n=n), "CR1", size
    total = np.linalg.inv(bread)
    rest = total - likelihood.cluster_information(beta, level.codes, size)
    alone = [g for g in range(size) if not _is_definite(rest[g], np.diag(total))]
    if alone:
        names = "a few clusters" if level.merged else listing([level.labels[g] for g in alone], 3)
        raise NotIdentified(f"without {names} some systems are linked to the rest by nothing")
    changes = np.linalg.solve(rest, scores[:, :, None])[:, :, 0]
    changes -= changes.mean(axis=0)
    return np.asarray((size - 1) / size * changes.T @ changes), "CV3", size


def _pooled(scores: Array, bread: Array, *, clusters: float, n: float) -> Array:
    if n <= len(bread):
        raise NotIdentified(
            f"{n:,.0f} rankings for {len(bread)} parameters are too few to show their own spread"
        )
    inflation = clusters / (clusters - 1) * (n - 1) / (n - len(bread))
    return np.asarray(bread @ (scores.T @ scores) @ bread * inflation)


def _is_definite(rest: Array, scale: Array) -> bool:
    try:
        pivots = np.diag(np.linalg.cholesky(rest)) ** 2
    except np.linalg.LinAlgError:
        return False
    return bool((pivots > SINGULAR * scale).all())

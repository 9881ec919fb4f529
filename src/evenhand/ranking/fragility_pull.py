"""How hard every vote, judge or item pulls at a difference between two systems.

A vote with score u in (η, t) moves the difference c by

    e = cᵀ H⁻¹ Zᵀ (I − W Z H⁻¹ Zᵀ)⁻¹ u

when it is taken away, to first order in the score and exactly in the information that goes with it;
Z holds the derivatives of (η, t) by the parameters and W the information of the vote. Without ties
that is cᵀ H⁻¹ x (y − p) / (1 − leverage) (Broderick, Giordano & Meager 2020, arXiv:2011.14999,
with the leverage kept). A judge's votes are taken away together: cᵀ (H − H_g)⁻¹ s_g.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.preference.fit import Fit
from evenhand.preference.ties.laws import Local
from evenhand.ranking.sandwich import (
    BLOCK,
    find_bridges,
    gather_clusters,
    leave_out,
    sum_information,
    sum_scores,
    total_information,
)

Array = NDArray[np.float64]


def worth_rows(fit: Fit) -> Array:
    """Return (K, p): λ of the systems by parameter."""
    rows = fit.design.rows()
    return np.pad(rows, ((0, 0), (0, len(fit.raw_vcov) - rows.shape[1])))


def pull_votes(fit: Fit, tally: Tally, contrasts: Array) -> Array:
    """Return (Q, C, 3): how far each contrast falls (log-odds) without one vote of each outcome.

    Args:
        fit: the fit to the data.
        tally: the same data, told apart in any way.
        contrasts: (Q, K) weights of the systems' log-worths.

    """
    size = len(tally.systems)
    pairs, inverse = np.unique(
        tally.left.astype(np.int64) * size + tally.right, return_inverse=True
    )
    left, right = np.divmod(pairs, size)
    by_eta, by_tie = _place(fit, left, right)
    spread = fit.raw_vcov
    moved = contrasts @ worth_rows(fit) @ spread
    along = np.stack([moved @ by_eta.T, moved @ by_tie.T], axis=2)
    both = np.stack([by_eta, by_tie], axis=1)
    leverage = np.matmul(np.matmul(both, spread), both.transpose(0, 2, 1))
    found = np.empty((len(contrasts), len(pairs), 3))
    for outcome, one in enumerate(_single_votes(fit, left, right)):
        information = np.stack(
            [np.stack([one.eta_eta, one.eta_tie], 1), np.stack([one.eta_tie, one.tie_tie], 1)], 1
        )
        rest = np.eye(2) - np.matmul(information, leverage)
        score = np.stack([one.eta, one.tie], axis=1)[:, :, None]
        found[:, :, outcome] = 2 * (along * np.linalg.solve(rest, score)[:, :, 0]).sum(axis=2)
    return np.asarray(found[:, inverse.reshape(-1)])


def _place(fit: Fit, left: NDArray[np.int64], right: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return derivatives of η and of t by the parameters, (C, p) each."""
    rows, likelihood = worth_rows(fit), fit.likelihood
    by_eta = rows[left] - rows[right]
    by_tie = np.zeros_like(by_eta)
    if likelihood.law.free:
        by_tie[:, likelihood.n_worths] = 1.0
    if likelihood.order_effect:
        by_eta[:, likelihood.n_worths + likelihood.n_ties] = 1.0
    return by_eta, by_tie


def _single_votes(fit: Fit, left: NDArray[np.int64], right: NDArray[np.int64]) -> list[Local]:
    """Return derivatives of one vote of each outcome on each pair."""
    likelihood = fit.likelihood
    _, tie, order, _ = likelihood.parts(fit.beta)
    eta = fit.lambdas[left] - fit.lambdas[right] + order
    found = []
    for vote in np.eye(3):
        counts = fit.model.treat_ties(np.tile(vote, (len(eta), 1)))
        found.append(likelihood.law.expand(eta, tie, counts))
    return found


def pull_clusters(fit: Fit, tally: Tally, name: str, contrasts: Array) -> Array:
    """Return (Q, G): how far each contrast falls (log-odds) without each judge or item.

    Args:
        fit: the fit to the data.
        tally: the same data, told apart by cluster.
        name: the factor that clusters.
        contrasts: (Q, K) weights of the systems' log-worths.

    """
    return np.asarray(contrasts @ lower_worths(fit, tally, name))


def lower_worths(fit: Fit, tally: Tally, name: str) -> Array:
    """Return (K, G): how far each log-worth falls (log-odds) without each judge or item.

    Where one alone links some systems to the rest, the score is taken as it stands.

    Args:
        fit: the fit to the data.
        tally: the same data, told apart by cluster.
        name: the factor that clusters.

    """
    pieces, _ = gather_clusters(fit, tally, name)
    scores, total = sum_scores(fit, pieces), total_information(fit)
    changes = np.empty_like(scores)
    step = max(1, BLOCK // len(total) ** 2)
    for start in range(0, pieces.size, step):
        rows = slice(start, min(start + step, pieces.size))
        own = sum_information(fit, pieces, rows.start, rows.stop)
        bridges = find_bridges(fit, total, own)
        own[bridges] = 0.0
        changes[rows] = leave_out(fit.raw_vcov, total, own, scores[rows])
    return np.asarray(2 * worth_rows(fit) @ changes.T)

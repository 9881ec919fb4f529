"""Sandwich covariances: what the data say of their own spread, by cluster.

    d_g = −(H − H_g)⁻¹ s_g,   V = (G − 1)/G Σ_g (d_g − d̄)(d_g − d̄)ᵀ        CV3 (INFERENCE B1)
    V = H⁻¹ (Σ_g s_g s_gᵀ) H⁻¹ · G/(G − 1) · (n − 1)/(n − p)                CR1

s_g and H_g are the score and information of cluster g at the estimate: d_g is, to first order,
what leaving the cluster out changes, so that a judge who alone saw a system, or who gave a third of
all answers, counts for what they are. Clusters without information, such as a judge all of whose
answers are discarded ties, are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.tally import Factor, Tally
from evenhand.preference.controls.presence import is_controlled
from evenhand.preference.fit import Fit
from evenhand.ranking.boards import Boards
from evenhand.ranking.pieces import (
    Pieces,
    cluster_information,
    cluster_scores,
    lay_out,
    score_products,
    sparse_meat,
    take_apart,
)

if TYPE_CHECKING:
    from evenhand.ranking.row_sums import RowSums

Array = NDArray[np.float64]
DENSE: Final = 20_000_000
"""Most numbers in the information of all clusters, (G, p, p); beyond it CR1 takes the place."""
BLOCK: Final = 2_000_000
"""Most numbers in the information of the clusters that are worked on at a time."""
ROUNDS: Final = 60
SETTLED: Final = 1e-10
SUSPECT: Final = 0.999
"""Trace of H⁻¹ H_g below which H − H_g is surely positive definite."""
SINGULAR: Final = 1e-11
"""Pivot, relative to the diagonal, that is rounding and no information."""


def judgment_covariance(fit: Fit) -> Array:
    """Return the (p, p) covariance by single comparisons, CR1 with G = n.

    Raises:
        NotIdentified: no more comparisons than parameters.

    """
    n = _count(fit)
    inflation = _inflation(fit, n)  # first: it refuses a single comparison
    bread, meat = fit.raw_vcov, _meat(fit)
    return np.asarray(bread @ meat @ bread * (n / (n - 1) * inflation))


def _meat(fit: Fit) -> Array:
    """Return (p, p) sums of products of single answers' scores."""
    if is_controlled(fit):
        from evenhand.ranking.row_sums import judgment_meat

        return judgment_meat(fit)
    tally, kept = fit.tally, np.array([1.0, fit.model.ties != "discard", 1.0])
    _, tie, order, _ = fit.likelihood.parts(fit.beta)
    eta = fit.lambdas[tally.left] - fit.lambdas[tally.right] + order
    squares = kept * (tally.counts if tally.squares is None else tally.squares)
    outer = score_products(fit.likelihood.law, eta, tie, squares)
    return fit.likelihood.outer_information(tally, outer)


def _count(fit: Fit) -> float:
    """Return the number of comparisons; of importance weights the effective one, (Σ w)² / Σ w²."""
    squares = fit.tally.squares
    if squares is None:
        return fit.n_comparisons
    kept = squares[:, [0, 2]] if fit.model.ties == "discard" else squares
    return float(fit.n_comparisons**2 / kept.sum())


def _inflation(fit: Fit, n: float) -> float:
    """Return (n − 1)/(n − p), for the spread that estimating p parameters takes away."""
    p = len(fit.raw_vcov)
    if n <= p:
        raise NotIdentified(
            f"{n:.0f} comparison{'' if n == 1 else 's'} for {p} parameter{'' if p == 1 else 's'}"
            f" {'is' if n == 1 else 'are'} too few to show their own spread",
            ["collect more", "use --interval model"],
        )
    return (n - 1) / (n - p)


def cluster_covariance(fit: Fit, tally: Tally, name: str) -> tuple[Array, str]:
    """Return the (p, p) covariance by one way of clustering, and its kind: CV3 or CR1.

    Args:
        fit: the fit to the data.
        tally: the same data, told apart by cluster.
        name: the factor that clusters.

    Raises:
        NotIdentified: one cluster alone links some systems to the rest.

    """
    pieces, factor = gather_clusters(fit, tally, name)
    if factor.size * len(fit.raw_vcov) ** 2 > DENSE:
        return pooled_covariance(fit, pieces), "CR1"
    try:
        return jackknife_covariance(fit, pieces, factor), "CV3"
    except NotIdentified:
        if name != "ranking":  # one answer may be a link: nothing is claimed of other rankings
            raise
        return pooled_covariance(fit, pieces), "CR1"


def gather_clusters(fit: Fit, tally: Tally, name: str) -> tuple[Pieces | Boards | RowSums, Factor]:
    """Take a fit apart by cluster."""
    if is_controlled(fit):
        from evenhand.ranking.row_sums import sum_rows

        factor = fit.rows.levels[name]
        dense = factor.size * len(fit.raw_vcov) ** 2 <= DENSE
        return sum_rows(fit, (name,), information=dense), factor
    pooled = tally.pool((name,))
    factor = pooled.factor(name)
    return lay_out(fit, pooled, factor.codes, factor.size), factor


def sum_scores(fit: Fit, pieces: Pieces | Boards | RowSums) -> Array:
    """Return (G, p) scores of clusters."""
    return cluster_scores(fit, pieces) if isinstance(pieces, Pieces | Boards) else pieces.scores


def sum_information(fit: Fit, pieces: Pieces | Boards | RowSums, start: int, stop: int) -> Array:
    """Return (g, p, p) information of consecutive clusters."""
    if isinstance(pieces, Pieces | Boards):
        return cluster_information(fit, pieces.between(start, stop))
    if len(pieces.information) or not is_controlled(fit):
        return pieces.information[start:stop]
    from evenhand.ranking.row_sums import sum_some

    return sum_some(fit, pieces.names, start, stop)


def walk_information(fit: Fit, pieces: Pieces | Boards | RowSums) -> Iterator[tuple[int, Array]]:
    """Go through the (g, p, p) information of some clusters at a time, with the first of them."""
    most = BLOCK if isinstance(pieces, Pieces | Boards) else DENSE  # rows are read each time
    step = max(1, most // len(fit.raw_vcov) ** 2)
    for start in range(0, pieces.size, step):
        yield start, sum_information(fit, pieces, start, min(start + step, pieces.size))


def pooled_covariance(fit: Fit, pieces: Pieces | Boards | RowSums) -> Array:
    """Return the (p, p) covariance by clusters, CR1: none of them need be left out.

    Raises:
        NotIdentified: there are not two clusters with information.

    """
    clusters = int(np.count_nonzero(pieces.held()))
    if clusters < 2:
        raise NotIdentified("all comparisons are of one cluster: there is no spread between")
    scores = sum_scores(fit, pieces)
    inflation = clusters / (clusters - 1) * _inflation(fit, _count(fit))
    return np.asarray(fit.raw_vcov @ (scores.T @ scores) @ fit.raw_vcov * inflation)


def jackknife_covariance(fit: Fit, pieces: Pieces | Boards | RowSums, factor: Factor) -> Array:
    """Return the (p, p) covariance by clusters, CV3.

    Args:
        fit: the fit to the data.
        pieces: entries in the order of their clusters.
        factor: names the clusters.

    Raises:
        NotIdentified: one cluster alone links some systems to the rest.

    """
    scores, total = sum_scores(fit, pieces), total_information(fit)
    changes, alone = [], []
    for start, own in walk_information(fit, pieces):
        alone += [start + g for g in find_bridges(fit, total, own)]
        if not alone:
            some = scores[start : start + len(own)]
            changes.append(leave_out(fit.raw_vcov, total, own, some))
    if alone:
        raise NotIdentified(_say_alone(factor, alone))
    held = np.concatenate(changes)[pieces.held()]
    held -= held.mean(axis=0)
    return np.asarray((len(held) - 1) / len(held) * held.T @ held)


def total_information(fit: Fit) -> Array:
    """Return the (p, p) information of all data under a fit."""
    if fit.model.prior:
        return np.asarray(np.linalg.inv(fit.raw_vcov))
    return fit.likelihood.expand(fit.beta).information


class Answers(NamedTuple):
    """Information of all clusters together, (p, p), and its inverse."""

    total: Array
    bread: Array


def find_bridges(fit: Fit, total: Array, own: Array) -> list[int]:
    """Return the clusters without which H − H_g is singular.

    There the score of the cluster has nothing in the direction that is lost, so that solving for
    the change would quietly find none.
    """
    return find_singular(Answers(total, fit.raw_vcov), own)


def find_singular(answers: Answers, own: Array) -> list[int]:
    """Return the clusters without which nothing is known in some direction.

    Args:
        answers: information of all.
        own: (G, p, p) of each cluster.

    """
    leverage = own.reshape(len(own), -1) @ answers.bread.ravel()
    return [
        int(g)
        for g in np.flatnonzero(leverage > SUSPECT)
        if not is_definite(answers.total - own[g], np.diag(answers.total))
    ]


def is_definite(rest: Array, scale: Array) -> bool:
    """Say whether information is positive definite beyond rounding, given its (p,) scale."""
    try:
        pivots = np.diag(np.linalg.cholesky(rest)) ** 2
    except np.linalg.LinAlgError:
        return False
    return bool((pivots > SINGULAR * scale).all())


def leave_out(bread: Array, total: Array, own: Array, scores: Array) -> Array:
    """Solve (H − H_g) d = s_g for every cluster: by iteration, directly where that is slow."""
    changes = scores @ bread
    moved = np.full(len(own), np.inf)
    for _ in range(ROUNDS):
        fresh = (scores + np.matmul(own, changes[:, :, None])[:, :, 0]) @ bread
        moved = np.abs(fresh - changes).max(axis=1)
        changes = fresh
        if (moved <= SETTLED * np.abs(changes).max()).all():
            break
    for g in np.flatnonzero(moved > SETTLED * np.abs(changes).max()):
        changes[g] = np.linalg.solve(total - own[g], scores[g])
    return np.asarray(changes)


def _say_alone(factor: Factor, alone: list[int]) -> str:
    names = "a few clusters" if factor.merged else listing([factor.labels[g] for g in alone], 3)
    return f"without {names} some systems are linked to the rest by nothing"


def crossed_covariance(fit: Fit, tally: Tally, names: tuple[str, str]) -> Array:
    """Return the (p, p) covariance by cells of two ways, judge × item, CR0 (INFERENCE B3)."""
    if is_controlled(fit):
        from evenhand.ranking.row_sums import sum_rows

        scores = sum_rows(fit, names, information=False).scores
        return np.asarray(fit.raw_vcov @ (scores.T @ scores) @ fit.raw_vcov)
    one, other = (tally.factor(name) for name in names)
    cells, size = one.codes.astype(np.int64) * other.size + other.codes, one.size * other.size
    if size > len(cells):  # most judges see few of the items
        _, cells = np.unique(cells, return_inverse=True)
        size = int(cells.max()) + 1
    if size * len(fit.raw_vcov) > DENSE:
        pieces = take_apart(fit, tally, cells, size)
        return np.asarray(fit.raw_vcov @ sparse_meat(fit, pieces) @ fit.raw_vcov)
    scores = np.zeros((size, len(fit.raw_vcov)))
    for start in range(0, len(cells), BLOCK):  # of ten million entries the slopes fill a gigabyte
        rows = slice(start, start + BLOCK)
        pieces = take_apart(fit, _take_entries(tally, rows), cells[rows], size)
        scores += cluster_scores(fit, pieces)
    return np.asarray(fit.raw_vcov @ (scores.T @ scores) @ fit.raw_vcov)


def _take_entries(tally: Tally, rows: slice) -> Tally:
    """Return some entries of a tally, whatever they are told apart by."""
    counts = {name: getattr(tally, name)[rows] for name in ("wins", "ties", "losses")}
    left, right = tally.left[rows], tally.right[rows]
    return Tally(tally.systems, left, right, **counts)

"""The likelihood of judge slopes, with the slopes integrated out, to second order.

    L_l = ∫ φ(z) Π_c p_c(exp(τ z) d_c, γ)^n_c dz,    d_c = λ[left_c] − λ[right_c]

one integral per judge l (nodes.py). Derivatives are posterior means, exact for the exact
integral: the gradient is E[s], s the derivative with z known (Fisher's identity), and the
information E[−∂s] − Var[s] (Louis 1982). Parameters: λ without the reference, γ where it is free,
u = log τ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.newton import Expansion
from evenhand.preference.slopes.cells import SlopeCells
from evenhand.preference.slopes.nodes import Integrand, place_nodes
from evenhand.preference.ties.laws import Local, TieLaw

Array = NDArray[np.float64]
Places = tuple[tuple[Array, Array], ...]
LOG_ROOT: Final = float(np.log(2 * np.pi) / 2)
ENDLESS: Final = 4.0
"""A τ that has run away: half of all slopes are beyond a factor of 15. It is never passed."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Nodes of the judges' slopes, their posterior weights, and the cells' laws there.

    Attributes:
        log_slope: (Q, J) τ z.
        z: (Q, J).
        weights: (Q, J) posterior weights; they sum to one for each judge.
        value: (J,) log of the integrals.
        eta: (Q, C) half log-odds.
        local: the laws to second order, (Q, C).

    """

    log_slope: Array
    z: Array
    weights: Array
    value: Array
    eta: Array
    local: Local


@dataclass(frozen=True, eq=False)
class SlopeLikelihood:
    """Cells, a tie law, and how many nodes.

    Attributes:
        cells: the judgments.
        law: the tie law.
        reference: code of the system with λ = 0.
        nodes: nodes per judge.
        tau: τ where it is held fixed, None where it is estimated.
        places: nodes and log-weights of each part of the cells, where they stay put; None where
            they are placed anew at every point.

    """

    cells: SlopeCells
    law: TieLaw
    reference: int
    nodes: int
    tau: float | None = None
    places: Places | None = None

    @property
    def n_worths(self) -> int:
        """Number of free λ."""
        return self.cells.systems - 1

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.n_worths + self.law.free + (self.tau is None)

    def hold(self, tau: float) -> SlopeLikelihood:
        """Return the likelihood with τ fixed."""
        return replace(self, tau=tau, places=None)

    def place(self, beta: Array) -> SlopeLikelihood:
        """Return the likelihood with nodes where a point needs them, whatever point is asked for.

        So it is one smooth function, and its derivatives are exactly those of its values.
        """
        placed = [place_nodes(part, self.nodes) for part in self._parts(beta)]
        return replace(self, places=tuple(placed))

    def parts(self, beta: Array) -> tuple[Array, float, float]:
        """Take a parameter vector apart: (K,) λ, γ (0 where there is none), τ."""
        worths = np.insert(beta[: self.n_worths], self.reference, 0.0)
        gamma = float(beta[self.n_worths]) if self.law.free else 0.0
        return worths, gamma, float(np.exp(beta[-1])) if self.tau is None else self.tau

    def reach(self, step: Array) -> float:
        """Return how far a step goes, where 1 is as far as the second order may be trusted."""
        worths = np.append(step[: self.n_worths], 0.0)
        moved = [float(np.ptp(worths)) / 3]
        moved += [abs(float(step[self.n_worths])) / 3] if self.law.free else []
        return max([*moved, 2 * abs(float(step[-1]))] if self.tau is None else moved)

    def loglik(self, beta: Array) -> float:
        """Return the marginal log-likelihood (nats)."""
        return float(sum(found.value.sum() for _, found in self._integrals(beta)))

    def expand(self, beta: Array) -> Expansion:
        """Return the marginal log-likelihood to second order.

        Where its information is not positive definite, far from the maximum, directions that
        bend upwards are taken to bend down as much, so that a step still leads uphill. A τ above
        `ENDLESS` is worth less than any other, so that a step that goes too far is cut.
        """
        p, value = self.cells.systems + 2, 0.0
        if self.tau is None and beta[-1] > np.log(ENDLESS):
            return Expansion(-np.inf, np.zeros(self.size), np.eye(self.size))
        gradient, information = np.zeros(p), np.zeros((p, p))
        for part, found in self._integrals(beta):
            scores, middle = _scores(part, found)
            value += float(found.value.sum())
            gradient += middle.sum(axis=0)
            information += _known_information(part, found)
            information -= scores.T @ scores - middle.T @ middle
        kept = self._kept()
        return Expansion(value, gradient[kept], _bend_down(information[np.ix_(kept, kept)]))

    def _integrals(self, beta: Array) -> Iterator[tuple[SlopeCells, Posterior]]:
        """Integrate part by part, so that what is in between stays in the cache."""
        places = iter(self.places or ())
        for part in self._parts(beta):
            place = place_nodes(part, self.nodes) if self.places is None else next(places)
            yield part.cells, integrate(part, *place)

    def _parts(self, beta: Array) -> Iterator[Integrand]:
        worths, gamma, tau = self.parts(beta)
        for part in self.cells.parts(self.nodes):
            yield Integrand(part, self.law, worths[part.left] - worths[part.right], gamma, tau)

    def _kept(self) -> NDArray[np.intp]:
        """Return which of λ, γ, u are parameters."""
        k = self.cells.systems
        worths = np.delete(np.arange(k), self.reference)
        return np.concatenate(
            [worths, [k] if self.law.free else [], [k + 1] if self.tau is None else []]
        ).astype(np.intp)


def integrate(integrand: Integrand, z: Array, logs: Array) -> Posterior:
    """Integrate the slopes of some judges out, over (Q, J) nodes with their log-weights."""
    cells = integrand.cells
    log_slope = integrand.log_slope(z)
    eta = integrand.eta(log_slope)
    local = integrand.law.expand(eta, integrand.gamma, cells.counts)
    heights = cells.sums(local.value) - z**2 / 2 - LOG_ROOT + logs
    top = heights.max(axis=0)
    weights = np.exp(heights - top)
    total = weights.sum(axis=0)
    return Posterior(log_slope, z, weights / total, top + np.log(total), eta, local)


def _scores(cells: SlopeCells, found: Posterior) -> tuple[Array, Array]:
    """Return (Q·J, K + 2) scores with z known times √weight, and their (J, K + 2) means."""
    from scipy.sparse import csr_matrix

    k, n, q = cells.systems, cells.judges, len(found.z)
    pull = found.local.eta * np.exp(found.log_slope)[:, cells.judge]
    place = np.arange(len(cells.judge))
    at = np.concatenate([cells.judge * k + cells.left, cells.judge * k + cells.right])
    signs = np.repeat([1.0, -1.0], len(place))
    sort = csr_matrix((signs, (at, np.tile(place, 2))), shape=(n * k, len(place)))
    scores = np.empty((q, n, k + 2))
    scores[:, :, :k] = (sort @ pull.T).T.reshape(q, n, k)
    scores[:, :, k] = cells.sums(found.local.tie)
    scores[:, :, k + 1] = cells.sums(found.local.eta * found.eta) * found.log_slope
    means = (found.weights[:, :, None] * scores).sum(axis=0)
    scores *= np.sqrt(found.weights)[:, :, None]
    return scores.reshape(q * n, k + 2), means


def _known_information(cells: SlopeCells, found: Posterior) -> Array:
    """Return (K + 2, K + 2): posterior mean of minus the second derivatives with z known."""
    local, eta = found.local, found.eta
    weights, log_slope = found.weights[:, cells.judge], found.log_slope[:, cells.judge]
    slope = np.exp(log_slope)

    def mean(values: Array) -> Array:
        return np.asarray((weights * values).sum(axis=0))

    k = cells.systems
    information = np.zeros((k + 2, k + 2))
    information[:k, :k] = _laplacian(cells, mean(slope**2 * local.eta_eta))
    by_tie = _by_system(cells, mean(slope * local.eta_tie))
    by_tau = _by_system(cells, mean(slope * log_slope * (local.eta_eta * eta - local.eta)))
    information[:k, k] = information[k, :k] = by_tie
    information[:k, k + 1] = information[k + 1, :k] = by_tau
    information[k, k] = mean(local.tie_tie).sum()
    tie_tau = mean(local.eta_tie * eta * log_slope).sum()
    information[k, k + 1] = information[k + 1, k] = tie_tau
    bent = local.eta_eta * (log_slope * eta) ** 2 - local.eta * eta * (log_slope + log_slope**2)
    information[k + 1, k + 1] = mean(bent).sum()
    return information


def _by_system(cells: SlopeCells, values: Array) -> Array:
    k = cells.systems
    up = np.bincount(cells.left, values, minlength=k)
    return np.asarray(up - np.bincount(cells.right, values, minlength=k))


def _laplacian(cells: SlopeCells, values: Array) -> Array:
    k = cells.systems
    table = np.bincount(cells.left * k + cells.right, values, minlength=k * k).reshape(k, k)
    table = table + table.T
    return np.asarray(np.diag(table.sum(axis=1)) - table)


def _bend_down(matrix: Array) -> Array:
    """Return a positive definite matrix: itself, or with its eigenvalues turned positive."""
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(matrix)
        size = np.maximum(np.abs(values), 1e-6 * np.abs(values).max() + 1e-12)
        return np.asarray((vectors * size) @ vectors.T)
    return matrix

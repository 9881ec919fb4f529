"""Henderson's mixed-model equations and the restricted likelihood that they give.

With y = Xβ + Σ Z_k u_k + e, u_k = σ_k b_k, b_k ~ N(0, I), e ~ N(0, σ_e² I), W = [X, σ_k Z_k],

    M = WᵀW + σ_e² · diag(0, I),   M s = Wᵀy,   s = (β, b)
    −2ℓ = (n − p − q) log σ_e² + log|M| + yᵀPy + (n − p) log 2π,   yᵀPy = (yᵀy − sᵀWᵀy)/σ_e²
    ∂ℓ/∂σ_k² = −½ {q_k − σ_e² tr(M⁻¹)_kk − b_kᵀb_k} / σ_k²
    AI_kl = ½ f_kᵀ P f_l,   f_k = Z_k b_k/σ_k,   f_e = (y − Ws)/σ_e²

Written in b, not u, the equations stand also where a variance is as good as 0.

Source: Henderson (1973), Journal of Animal Science, Symposium 10-41; Patterson & Thompson (1971),
Biometrika 58:545-554; average information: Gilmour, Thompson & Cullis (1995), Biometrics
51:1440-1450.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, pi

import numpy as np
from numpy.typing import NDArray

from evenhand.rating.components.arrangement import Arrangement
from evenhand.rating.components.factor import Factor
from evenhand.rating.components.terms import Term

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """Scores, and what explains them.

    Attributes:
        score: (n,) scores.
        terms: K random terms.
        fixed: levels with a mean of their own.
        arrangement: of the equations.

    """

    score: Array
    terms: Sequence[Term]
    fixed: Term
    arrangement: Arrangement

    @property
    def df(self) -> int:
        """Scores less means that are estimated, n − p."""
        return len(self.score) - self.fixed.size

    def spread(self, effects: Array) -> Array:
        """Return (n,) sums over each score's effects, fixed ones as well."""
        total = effects[self.fixed.codes]
        for term, start in zip(self.terms, self.arrangement.starts, strict=True):
            total = total + effects[term.codes + start]
        return np.asarray(total)

    def gather(self, values: Array) -> Array:
        """Return (effects,) sums of (n,) values over the scores of each effect."""
        parts = [np.bincount(self.fixed.codes, values, self.fixed.size)]
        parts += [np.bincount(term.codes, values, term.size) for term in self.terms]
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Solved:
    """The restricted likelihood at one point, to second order.

    Attributes:
        value: ℓ (nats).
        gradient: (K + 1,) derivatives by the variances, the residual's last.
        information: (K + 1, K + 1) average information.
        effects: (effects,) β, and u_k of every level.
        means_vcov: (p, p) covariance of β.

    """

    value: float
    gradient: Array
    information: Array
    effects: Array
    means_vcov: Array


def solve_equations(problem: Problem, variances: Array) -> Solved:
    """Factor and solve the equations.

    Args:
        problem: scores and terms.
        variances: (K + 1,) above 0, the residual's last.

    """
    made = problem.arrangement
    residual = float(variances[-1])
    sizes = [term.size for term in problem.terms]
    scale = np.repeat([1.0, *np.sqrt(variances[:-1])], [made.columns, *sizes])
    factor = Factor.of(made, scale, residual)
    right = scale * problem.gather(problem.score)
    solution = factor.solve(right[:, None])[:, 0]
    left = problem.score - problem.spread(scale * solution)
    quadratic = float(problem.score @ left) / residual
    fitted = [solution[start : start + q] for start, q in zip(made.starts, sizes, strict=True)]
    traces = [
        factor.diagonal[start : start + q].sum()
        for start, q in zip(made.starts, sizes, strict=True)
    ]
    free = len(problem.score) - made.effects
    value = -0.5 * (free * log(residual) + factor.log_det + quadratic + problem.df * log(2 * pi))
    own = np.array([one @ one for one in fitted])
    trace = np.array(sizes) - residual * np.array(traces)
    gradient = np.append(
        -0.5 * (trace - own) / variances[:-1],
        -0.5 * (problem.df - trace.sum() - quadratic + own.sum()) / residual,
    )
    working = _working(problem, fitted, variances, left)
    information = _average_information(problem, factor, working, scale, residual)
    vcov = residual * factor.means_inverse
    return Solved(value, gradient, information, scale * solution, vcov)


def _working(problem: Problem, fitted: Sequence[Array], variances: Array, left: Array) -> Array:
    """Return (n, K + 1) vectors f_k."""
    roots = np.sqrt(variances[:-1])
    columns = [
        (own / root)[term.codes]
        for own, root, term in zip(fitted, roots, problem.terms, strict=True)
    ]
    return np.stack([*columns, left / variances[-1]], axis=1)


def _average_information(
    problem: Problem, factor: Factor, working: Array, scale: Array, residual: float
) -> Array:
    right = scale[:, None] * np.stack([problem.gather(one) for one in working.T], axis=1)
    projected = working.T @ working - right.T @ factor.solve(right)
    return np.asarray(0.5 * (projected + projected.T) / 2 / residual)

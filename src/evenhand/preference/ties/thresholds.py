"""Tie models with a threshold: two outputs closer than τ are called equal.

With b = 2η the difference in worth, and F the law of a judge's momentary error:

    p(left) = F(b − τ),   p(right) = F(−b − τ),   p(tie) = 1 − p(left) − p(right),   τ > 0

    Rao & Kupper (1967)   F logistic; θ = exp(τ) is their own parameter; b is a log-odds
    Glenn & David (1960)  F normal; b is a difference on the probit scale (Thurstone's case V)

The parameter is t = log τ: an optimiser on τ itself wanders to negative chances of a tie. Both laws
are log-concave in (b, τ); the information for t leaves out the term that is zero at the maximum, so
that Newton's steps always climb.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.preference.ties.laws import Array, Local, Tie, TwoOutcomes


@dataclass(frozen=True)
class RaoKupper:
    """Rao & Kupper's threshold model, t = log τ; θ = exp(τ) is their own parameter."""

    free: bool = True

    def log_chances(self, eta: Array, tie: Tie) -> Array:
        """Return (C, 3) log-probabilities of left, tie, right."""
        tau = np.exp(tie)
        won = -np.logaddexp(0, tau - 2 * eta)
        lost = -np.logaddexp(0, tau + 2 * eta)
        tied = 2 * tau + np.log(-np.expm1(-2 * tau)) + won + lost
        return np.stack([won, tied, lost], axis=1)

    def scores(self, eta: Array, tie: Tie) -> tuple[Array, Array]:
        """Return (C, 3) derivatives of each outcome's log-probability by η and by t."""
        tau = np.exp(tie)
        up, down = _logistic(tau - 2 * eta), _logistic(tau + 2 * eta)
        by_eta = np.stack([2 * up, 2 * (up - down), -2 * down], axis=1)
        grown = 2 / -np.expm1(-2 * tau)
        by_tau = np.stack([-up, grown - up - down, -down], axis=1)
        return by_eta, tau * by_tau

    def expand(self, eta: Array, tie: Tie, counts: Array) -> Local:
        """Return the log-likelihood of each entry to second order."""
        tau = np.exp(tie)
        won, tied, lost = counts.T
        up, down = _logistic(tau - 2 * eta), _logistic(tau + 2 * eta)
        above, below = won + tied, lost + tied
        bend_up, bend_down = above * up * (1 - up), below * down * (1 - down)
        shrink = np.expm1(-2 * tau)
        by_tau = tied * (2 / -shrink) - above * up - below * down
        curve = bend_up + bend_down + tied * 4 * np.exp(-2 * tau) / shrink**2
        return Local(
            value=(counts * self.log_chances(eta, tie)).sum(axis=1),
            eta=2 * (above * up - below * down),
            tie=tau * by_tau,
            eta_eta=4 * (bend_up + bend_down),
            eta_tie=2 * tau * (bend_down - bend_up),
            tie_tie=tau**2 * curve,
        )

    def start(self, counts: Array) -> float:
        """Return log τ for systems of equal worth."""
        won, tied, lost = counts.sum(axis=0)
        share = (tied + 0.5) / (won + tied + lost + 1.0)
        return float(np.log(np.log((1 + share) / (1 - share))))


def _logistic(x: Array) -> Array:
    half = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1.0, half) / (1.0 + half))


@dataclass(frozen=True)
class GlennDavid:
    """Glenn & David's threshold on normal errors, t = log τ."""

    free: bool = True

    def log_chances(self, eta: Array, tie: Tie) -> Array:
        """Return (C, 3) log-probabilities of left, tie, right."""
        from scipy.special import log_ndtr

        tau = np.exp(tie)
        won, lost = log_ndtr(2 * eta - tau), log_ndtr(-2 * eta - tau)
        size = np.abs(2 * eta)
        near, far = log_ndtr(tau - size), log_ndtr(-tau - size)
        return np.stack([won, near + np.log(-np.expm1(far - near)), lost], axis=1)

    def _slopes(self, eta: Array, tie: Tie) -> tuple[Array, Array, Array, Array]:
        """Return hazards: f(u)/p(left), f(u)/p(tie), f(l)/p(tie), f(l)/p(right)."""
        tau, logs = np.exp(tie), self.log_chances(eta, tie)
        upper, lower = _log_density(tau - 2 * eta), _log_density(tau + 2 * eta)
        won, tied, lost = logs.T
        return np.exp(upper - won), np.exp(upper - tied), np.exp(lower - tied), np.exp(lower - lost)

    def scores(self, eta: Array, tie: Tie) -> tuple[Array, Array]:
        """Return (C, 3) derivatives of each outcome's log-probability by η and by t."""
        won, above, below, lost = self._slopes(eta, tie)
        by_eta = np.stack([2 * won, 2 * (below - above), -2 * lost], axis=1)
        by_tau = np.stack([-won, above + below, -lost], axis=1)
        return by_eta, np.exp(tie) * by_tau

    def expand(self, eta: Array, tie: Tie, counts: Array) -> Local:
        """Return the log-likelihood of each entry to second order."""
        tau = np.exp(tie)
        upper, lower = tau - 2 * eta, tau + 2 * eta
        won, above, below, lost = self._slopes(eta, tie)
        left, tied, right = counts.T
        bend_up = left * won * (won - upper) + tied * above * (above + upper)
        bend_down = right * lost * (lost - lower) + tied * below * (below + lower)
        cross = tied * above * below
        by_tau = tied * (above + below) - left * won - right * lost
        return Local(
            value=(counts * self.log_chances(eta, tie)).sum(axis=1),
            eta=2 * (left * won + tied * (below - above) - right * lost),
            tie=tau * by_tau,
            eta_eta=4 * (bend_up + bend_down - 2 * cross),
            eta_tie=2 * tau * (bend_down - bend_up),
            tie_tie=tau**2 * (bend_up + bend_down + 2 * cross),
        )

    def start(self, counts: Array) -> float:
        """Return log τ for systems of equal worth."""
        from scipy.special import ndtri

        won, tied, lost = counts.sum(axis=0)
        share = (tied + 0.5) / (won + tied + lost + 1.0)
        return float(np.log(ndtri((1 + share) / 2)))


@dataclass(frozen=True)
class TwoProbits(TwoOutcomes):
    """Thurstone's case V: Glenn & David's law at τ = 0, where no tie was seen."""

    def log_chances(self, eta: Array, tie: Tie) -> Array:  # noqa: ARG002 - as every law
        """Return (C, 3) log-probabilities; a tie has none."""
        from scipy.special import log_ndtr

        return np.stack([log_ndtr(2 * eta), np.full_like(eta, -np.inf), log_ndtr(-2 * eta)], axis=1)

    def scores(self, eta: Array, tie: Tie) -> tuple[Array, Array]:
        """Return (C, 3) derivatives of each outcome's log-probability by η and by t."""
        logs, density = self.log_chances(eta, tie), _log_density(2 * eta)
        won, lost = np.exp(density - logs[:, 0]), np.exp(density - logs[:, 2])
        none = np.zeros((len(eta), 3))
        return np.stack([2 * won, none[:, 1], -2 * lost], axis=1), none

    def expand(self, eta: Array, tie: Tie, counts: Array) -> Local:
        """Return the log-likelihood of each entry to second order."""
        logs, (slopes, _) = self.log_chances(eta, tie), self.scores(eta, tie)
        left, _, right = counts.T
        won, lost, none = slopes[:, 0], -slopes[:, 2], np.zeros_like(eta)
        bend = left * won * (won + 4 * eta) + right * lost * (lost - 4 * eta)
        value = left * logs[:, 0] + right * logs[:, 2]
        return Local(value, left * won - right * lost, none, bend, none, none)


def _log_density(x: Array) -> Array:
    return np.asarray(-(x**2) / 2 - np.log(2 * np.pi) / 2)

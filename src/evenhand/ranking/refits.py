"""Refits of many resamples by steps of Newton's with one factor: that of the estimate.

Plain, Davidson's and half-win models know of a resample b no more than how often each pair was
compared, n_b, and the sums x_b of what was observed, so that its score at β is

    s_b(β) = x_b − Σ_pairs n_b E[x | β],    β ← β + H⁻¹ s_b(β)

H is the information of all data at their own estimate, where the steps begin. They shrink by a
factor ρ, which is small where resamples are alike; what is then missing of the maximum is estimated
as ρ/(1 − ρ) of the last step: all that steps of a geometric series would still add. The factor is
not the same at every step, and the estimate may miss by two or three times. A resample whose steps
do not shrink, since it has no maximum or a far one, is left to an ordinary fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.fit import Fit
from evenhand.preference.ties.laws import ENDLESS, Davidson, TwoOutcomes

Array = NDArray[np.float64]
SETTLED: Final = 1e-4
"""Model standard errors by which a refit is estimated to miss its maximum, at most."""
ROUNDS: Final = 20
SLOW: Final = 0.7
"""Factor by which steps shrink at least, from the third on."""
DENSE: Final = 8_000_000
"""Most numbers in the table of which pair is of which systems."""


@dataclass(frozen=True, eq=False)
class Workbench:
    """What all refits share.

    Attributes:
        fit: the fit to the data, one worth per system.
        sides: (K, P) +1 where a system stood left in a pair, −1 where right.
        scale: (p, 1) model standard errors.
        first: (p, P) what one comparison of each pair shows on average at the estimate.

    """

    fit: Fit
    sides: Array
    scale: Array
    first: Array

    def treat(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Return (3, ...) comparisons, wins less losses, and ties, as the model takes ties.

        Args:
            counts: (3, ...) left, tie, right.

        """
        kinds = self.fit.model.treat_ties(np.eye(3))
        wanted = (kinds.sum(axis=1), kinds[:, 0] - kinds[:, 2], kinds[:, 1])
        treated = np.empty_like(counts)
        for kind, (won, tied, lost) in enumerate(wanted):
            np.add(won * counts[0], lost * counts[2], out=treated[kind])
            if tied:
                treated[kind] += tied * counts[1]
        return treated

    def add_up(self, net: NDArray[Any], tied: Array) -> Array:
        """Return (p, n) sums of what was observed.

        Args:
            net: (P, n) wins less losses of the left system of each pair.
            tied: (n,) number of ties.

        """
        sums = [self.fit.design.pull(self.sides @ net)]
        if self.fit.likelihood.law.free:
            sums.append(tied[None])
        if self.fit.likelihood.order_effect:
            sums.append(net.sum(axis=0, dtype=np.float64, keepdims=True))
        return np.concatenate(sums)

    def means(self, beta: Array, often: NDArray[Any]) -> tuple[Array, Array | None]:
        """Return (P, b) wins less losses, and ties if they are counted, that pairs show on average.

        Args:
            beta: (p, b) parameters.
            often: (P, b) how often each pair was compared.

        """
        design, likelihood = self.fit.design, self.fit.likelihood
        worths = self._place(beta)
        eta = worths[design.left] - worths[design.right]
        if likelihood.order_effect:
            eta += beta[-1]
        if isinstance(likelihood.law, TwoOutcomes):
            by_eta = np.tanh(eta, out=eta)
            by_eta *= often
            return by_eta, None
        tie = beta[likelihood.n_worths] if likelihood.law.free else np.zeros(1)
        by_eta, tied = _expect_davidson(eta, np.minimum(tie, ENDLESS), often)
        return by_eta, tied if likelihood.law.free else None

    def expect(self, beta: Array, often: NDArray[Any]) -> Array:
        """Return (p, b) what a resample would show on average; arguments as of `means`."""
        by_eta, tied = self.means(beta, often)
        sums = [self.fit.design.pull(self.sides @ by_eta)]
        if tied is not None:
            sums.append(tied.sum(axis=0, keepdims=True))
        if self.fit.likelihood.order_effect:
            sums.append(by_eta.sum(axis=0, keepdims=True))
        return np.concatenate(sums)

    def begin(self) -> Workbench:
        """Return the same with what single comparisons show at the estimate."""
        by_eta, tied = self.means(self.fit.beta[:, None], np.ones((self.sides.shape[1], 1)))
        rows = [self.fit.design.pull(self.sides * by_eta[:, 0])]
        if tied is not None:
            rows.append(tied.T)
        if self.fit.likelihood.order_effect:
            rows.append(by_eta.T)
        return replace(self, first=np.concatenate(rows))

    def refit(self, often: NDArray[Any], sums: Array) -> tuple[Array, Array]:
        """Return (b, K) log-worths, and (b,) standard errors they may miss; ∞ beyond SETTLED.

        Args:
            often: (P, b) how often each pair was compared.
            sums: (p, b) of what was observed.

        """
        beta = np.repeat(self.fit.beta[:, None], often.shape[1], axis=1)
        last = missing = np.full(often.shape[1], np.inf)
        for turn in range(ROUNDS):
            expected = self.expect(beta, often) if turn else self.first @ often
            step = self.fit.raw_vcov @ (sums - expected)
            beta += step
            size = np.abs(step / self.scale).max(axis=0)
            rate = np.divide(size, last, out=np.zeros_like(size), where=last > 0)
            if turn:
                sure = np.where(rate < SLOW, size * rate / (1 - np.minimum(rate, SLOW)), np.inf)
                missing = np.where(size == 0, 0.0, sure)
                if (missing <= SETTLED).all() or (turn > 1 and (rate > SLOW).all()):
                    break
            last = size
        worths = self._place(beta)
        return 2 * worths.T, np.where(missing <= SETTLED, missing, np.inf)

    def _place(self, beta: Array) -> Array:
        """Return (K, b) λ of the systems, the reference at 0."""
        own = beta[: self.fit.likelihood.n_worths]
        return np.insert(own, self.fit.design.reference, 0.0, axis=0)


def set_up(fit: Fit) -> Workbench | None:
    """Return what all refits share; None of models whose refits need more than sums.

    Args:
        fit: the fit to the data.

    """
    design, likelihood = fit.design, fit.likelihood
    plain = design.matrix is None and likelihood.ties is None and not fit.model.prior
    k, many = len(fit.systems), len(design.left)
    if not plain or many != len(fit.tally.left) or k * many > DENSE:
        return None
    if not isinstance(likelihood.law, Davidson | TwoOutcomes):
        return None
    sides, each = np.zeros((k, many)), np.arange(many)
    sides[design.left, each], sides[design.right, each] = 1.0, -1.0
    scale = np.sqrt(np.diag(fit.raw_vcov))[:, None]
    return Workbench(fit, sides, scale, np.zeros((0, 0))).begin()


def _expect_davidson(eta: Array, tie: Array, often: NDArray[Any]) -> tuple[Array, Array]:
    """Return (P, b) wins less losses, and ties, that so many comparisons show on average."""
    root = np.abs(eta)
    np.exp(np.negative(root, out=root), out=root)
    weak = root * root
    root *= np.exp(tie)
    each = often / (1.0 + weak + root)
    np.copysign(np.subtract(1.0, weak, out=weak), eta, out=weak)
    weak *= each
    root *= each
    return weak, root

"""Where the fit of judges' tastes begins: all judges pooled, and σ from what they share.

At σ = 0 the model is Bradley and Terry's. With r the score residual of an answer by its log-odds, w
its variance, and S_l, H_l the sums of r a and w a aᵀ over the answers of a judge (INFERENCE C8):

    σ² ≈ Σ_l ‖S_l‖² − Σ r² ‖a‖²  over  Σ_l ‖H_l‖² − Σ w² ‖a aᵀ‖²
    slope of the log-likelihood by σ² at 0 = ½ Σ_l (‖S_l‖² − tr H_l)

Only products of two answers of one judge enter the first, so that it needs no model of variances;
answers being less decided than tastes, it is raised by 1 + 2c²σ² with c² = .3456. Where the slope
is not positive the likelihood is largest at σ = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.numerics.newton import invert_positive, maximise
from evenhand.preference.design import plain_design
from evenhand.preference.judges.likelihood import Panel
from evenhand.preference.judges.sites import slopes
from evenhand.preference.likelihood import Likelihood
from evenhand.preference.ties.laws import Davidson, TwoOutcomes

Array = NDArray[np.float64]
SOFTER: Final = 0.3456
"""c²: a logistic curve averaged over a normal of variance s² is about one on x / √(1 + c² s²)."""
LEAST: Final = 0.1
"""A σ to begin with where the slope is positive but the ratio is not."""


@dataclass(frozen=True, eq=False)
class Pooled:
    """The fit that takes all judges for one.

    Attributes:
        beta: log-worths of all systems but the reference, γ where ties are an outcome.
        vcov: their covariance, judgments taken for independent.
        loglik: log-likelihood (nats).

    """

    beta: Array
    vcov: Array
    loglik: float


@dataclass(frozen=True, eq=False)
class Dispersion:
    """What the answers say of σ before anything is integrated.

    Attributes:
        slope: derivative of the log-likelihood by σ² at 0.
        bend: information on σ² there.
        sigma: an estimate of σ; 0 where the slope is not positive.
        shared: Σ_l ‖S_l‖² − Σ r² ‖a‖², what different answers of one judge share.
        scale: Σ_l ‖H_l‖² − Σ w² ‖a aᵀ‖², what σ² = 1 would have them share, to first order.

    """

    slope: float
    bend: float
    sigma: float
    shared: float
    scale: float

    def ratio(self, more: float) -> float:
        """Return σ² to first order if answers of one judge shared so much more; 0 at least."""
        return max(self.shared + more, 0.0) / self.scale if self.scale > 0 else 0.0


def pool_judges(tally: Tally, reference: int, *, ties: bool) -> Pooled:
    """Fit Bradley and Terry's model to the counts of all judges together.

    Raises:
        NotConverged: Newton's method did not settle.

    """
    pooled = tally.pool()
    law = Davidson() if ties else TwoOutcomes()
    counts = np.asfortranarray(pooled.counts)
    likelihood = Likelihood(plain_design(pooled, reference), law, counts)
    found = maximise(likelihood.expand, likelihood.start(), reach=likelihood.reach)
    scale = np.full(likelihood.size, 2.0)  # λ is half of a log-worth
    scale[likelihood.n_worths :] = 1.0
    vcov = invert_positive(found.expansion.information) * scale * scale[:, None]
    return Pooled(found.at * scale, vcov, found.expansion.value)


def find_dispersion(panel: Panel, pooled: Pooled) -> Dispersion:
    """Return slope, information and moment estimate of σ at the pooled fit."""
    theta, gamma, _ = panel.parts(np.append(pooled.beta, 0.0))
    shared, own, products, squares, trace = np.zeros(5)
    for batch in panel.blocks.batches:
        votes = panel.votes(batch, theta, gamma)
        at = slopes(votes, np.zeros_like(votes.centre))
        weight = -at.xx
        shared += float((batch.gather(at.x) ** 2).sum())
        products += float((batch.precision(weight, 0.0) ** 2).sum())
        trace += 2 * float(weight.sum())
        own += 2 * float(_squared_residuals(panel.counts[batch.entries], votes.n, at.x))
        squares += 4 * float((weight**2 / votes.n).sum())
    slope = (shared - trace) / 2
    found = Dispersion(slope, products / 2, 0.0, shared - own, products - squares)
    if slope <= 0:
        return found
    return replace(found, sigma=float(np.clip(soften(found.ratio(0.0)), LEAST, 3.0)))


def soften(ratio: float) -> float:
    """Return σ from σ² to first order: answers are less decided than tastes."""
    return sqrt(ratio * (1 + 2 * SOFTER * ratio))


def _squared_residuals(counts: Array, n: Array, score: Array) -> float:
    """Return Σ r², r the score of single answers by the log-odds; `score` sums it by entry."""
    net = counts[:, 0] - counts[:, 2]
    mean = (net / 2 - score) / n
    scores = np.array([0.5, 0.0, -0.5]) - mean[:, None]
    return float((counts * scores**2).sum())


def stretch(pooled: Pooled, sigma: float, *, ties: bool) -> Array:
    """Return the pooled parameters with worths as far apart as they are to a judge with tastes."""
    beta = pooled.beta.copy()
    beta[: len(beta) - ties] *= np.sqrt(1 + 2 * SOFTER * sigma**2)
    return beta

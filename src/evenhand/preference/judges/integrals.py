"""The likelihood of judges' answers, tastes integrated out, one batch of blocks at a time.

    L_l = ∫ exp(Σ_c ℓ_c(m_c + u_left − u_right)) Π_j N(u_j; 0, σ²) du

A block is a connected part of one judge's comparisons; nothing else enters its integral. With a
Gaussian site in place of each ℓ_c the integral is one of linear algebra:

    log L = Σ_c log s_c − ½ log det(I + σ² M) + ½ Σ_c b_c ē_c,
    M = Σ_c t_c a_c a_cᵀ,   S = (M + I/σ²)⁻¹

Laplace's method takes the sites from value, slope and bend of ℓ at the mode. Expectation
propagation chooses them so that mean and variance of every difference do not change when the exact
ℓ_c takes its site's place (Minka 2001); it is exact where a judge compared one pair. At such a
fixed point sites need no derivative: the gradient is that of the formula with sites held.

Laplace: Breslow & Clayton (1993), JASA 88:9-25; its gradient differentiates log det(I + σ² M) too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics.blocks import Batch, invert_all
from evenhand.preference.judges.sites import Moments, Sites, Slopes, Votes, slopes, tilt

Array = NDArray[np.float64]
PASSES: Final = 500
PATIENT: Final = 30
"""Passes after which steps are halved."""
FLAT: Final = 1e-14
"""Newton decrement squared of a block below which its mode is found: the last step squares it."""
NEAR: Final = 1e-1
"""The same where a mode is only the start of other passes."""


@dataclass(frozen=True, eq=False)
class Piece:
    """The integrals of a batch.

    Attributes:
        value: sum of the log-integrals (nats).
        centre: (c,) derivative by each entry's log-odds m.
        gamma: derivative by γ.
        log_sigma: derivative by log σ.
        sites: the sites at the end.
        mean: (B, d) posterior means of u.
        covariance: (B, d, d) posterior covariances S.

    """

    value: float
    centre: Array
    gamma: float
    log_sigma: float
    sites: Sites
    mean: Array
    covariance: Array


def invert(batch: Batch, sites: Sites, sigma: float) -> tuple[Array, Array, Array]:
    """Return S (B, d, d), the means of u that go with the sites (B, d), and log det S⁻¹ (B,)."""
    covariance, log_det = invert_all(batch.precision(sites.precision, sigma**-2))
    return covariance, _times(covariance, batch.gather(sites.linear)), log_det


def integrate_laplace(
    batch: Batch,
    votes: Votes,
    sigma: float,
    start: Sites | None,
    settled: float,  # noqa: ARG001 - a mode costs little to find exactly
) -> Piece:
    """Return the integrals of a batch by Laplace's method.

    Args:
        batch: the blocks.
        votes: their entries.
        sigma: standard deviation of tastes (log-odds).
        start: sites of a point nearby, if there are any.
        settled: largest move of a mean (in standard deviations) or variance (relative) that ends
            the passes of expectation propagation.

    Raises:
        NotConverged: a mode was not found.

    """
    mean = find_mode(batch, votes, sigma, start=start)
    deviation = batch.differ(mean)
    at = slopes(votes, deviation)
    sites = _at_mode(at, deviation)
    covariance, log_det = invert_all(batch.precision(sites.precision, sigma**-2))
    bent = batch.spread(covariance) * at.xxx / 2
    pulled = _times(covariance, batch.gather(bent))
    scale = votes.values(deviation) - sites.values(deviation)
    return Piece(
        value=_value(sites, sigma, log_det, deviation, batch.width) + float(scale.sum()),
        centre=at.x + bent + at.xx * batch.differ(pulled),
        gamma=_by_gamma(batch, at, covariance, batch.differ(pulled)),
        log_sigma=_by_log_sigma(covariance, mean, sigma)
        + float(2 * (pulled * mean).sum() / sigma**2),
        sites=sites,
        mean=mean,
        covariance=covariance,
    )


def integrate_corrected(
    batch: Batch, votes: Votes, sigma: float, start: Sites | None, settled: float
) -> Piece:
    """Return the integrals of a batch by expectation propagation; see `integrate_laplace`."""
    if start is None:
        deviation = batch.differ(find_mode(batch, votes, sigma, flat=NEAR))
        start = _at_mode(slopes(votes, deviation), deviation)
    sites = start
    for taken in range(PASSES):
        covariance, mean, log_det = invert(batch, sites, sigma)
        centre, width = batch.differ(mean), batch.spread(covariance)
        found = tilt(votes, sites, centre, width)
        if _moved(found, centre, width) < settled:
            break
        sites = _matched(found, sites, centre, width, length=0.5 if taken > PATIENT else 1.0)
    else:
        raise NotConverged(
            "the integrals over judges' tastes did not settle",
            ["look for judges with millions of answers on one pair"],
        )
    gamma = 0.0 if votes.gamma is None else float((votes.ties - votes.n * found.tied(votes)).sum())
    return Piece(
        value=_value(sites, sigma, log_det, centre, batch.width) + float(found.log_scale.sum()),
        centre=sites.linear - sites.precision * centre,
        gamma=gamma,
        log_sigma=_by_log_sigma(covariance, mean, sigma),
        sites=sites,
        mean=mean,
        covariance=covariance,
    )


def find_mode(
    batch: Batch, votes: Votes, sigma: float, *, start: Sites | None = None, flat: float = FLAT
) -> Array:
    """Return (B, d) tastes u at which prior and answers together are likeliest, by Newton's method.

    Raises:
        NotConverged: a mode was not found.

    """
    ridge = sigma**-2
    mean = np.zeros((batch.size, batch.width))
    if start is not None:
        mean = invert(batch, start, sigma)[1]
    value = _height(batch, votes, mean, ridge)
    for _ in range(PASSES):
        at = slopes(votes, batch.differ(mean))
        gradient = batch.gather(at.x) - ridge * mean
        solved = np.linalg.solve(batch.precision(-at.xx, ridge), gradient[..., None])
        step: Array = np.asarray(solved[..., 0], dtype=np.float64)
        if float((gradient * step).sum(axis=1).max()) < flat:
            return mean + step
        mean, value = _climb(batch, votes, ridge, (mean, value), step)
    raise NotConverged("the modes of judges' tastes were not found")


def _climb(
    batch: Batch, votes: Votes, ridge: float, here: tuple[Array, Array], step: Array
) -> tuple[Array, Array]:
    """Take the step of every block that does not lose by it; halve the others'."""
    mean, value = here
    length = np.ones(batch.size)
    for _ in range(40):
        there = mean + length[:, None] * step
        height = _height(batch, votes, there, ridge)
        short = height < value - 1e-12 * (1.0 + np.abs(value))
        if not short.any():
            break
        length = np.where(short, length / 2, length)
    return there, height


def _height(batch: Batch, votes: Votes, mean: Array, ridge: float) -> Array:
    """Return (B,) log-densities of answers and tastes, constants left out."""
    answers = batch.sums(votes.values(batch.differ(mean)))
    return np.asarray(answers - ridge / 2 * (mean**2).sum(axis=1))


def _at_mode(at: Slopes, deviation: Array) -> Sites:
    return Sites(-at.xx, at.x - at.xx * deviation)


def _matched(found: Moments, sites: Sites, centre: Array, width: Array, *, length: float) -> Sites:
    """Move the sites so that means and variances agree with those found.

    ℓ is concave, so that no precision is negative but by the rounding of the quadrature.
    """
    precision = 1 / found.variance - 1 / width
    linear = found.mean / found.variance - centre / width
    return Sites(
        np.maximum(sites.precision + length * precision, 0.0), sites.linear + length * linear
    )


def _moved(found: Moments, centre: Array, width: Array) -> float:
    """Return how far means and variances are from those of the sites."""
    shift = np.abs(found.mean - centre) / np.sqrt(width)
    return float(max(shift.max(), np.abs(found.variance / width - 1).max()))


def _value(sites: Sites, sigma: float, log_det: Array, centre: Array, width: int) -> float:
    """Return −½ log det(I + σ² M) + ½ Σ b ē."""
    scaled = log_det.sum() + 2 * np.log(sigma) * width * len(log_det)
    return float((sites.linear * centre).sum() - scaled) / 2


def _by_log_sigma(covariance: Array, mean: Array, sigma: float) -> float:
    trace = np.trace(covariance, axis1=1, axis2=2).sum()
    return float((trace + (mean**2).sum()) / sigma**2 - mean.size)


def _by_gamma(batch: Batch, at: Slopes, covariance: Array, bent: Array) -> float:
    """Return the derivative of Laplace's formula by γ."""
    direct = at.g + batch.spread(covariance) * at.xxg / 2
    return float((direct + bent * at.xg).sum())


def _times(matrices: Array, vectors: Array) -> Array:
    return np.asarray((matrices @ vectors[..., None])[..., 0])

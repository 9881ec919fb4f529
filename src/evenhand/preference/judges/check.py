"""Were the integrals over judges' tastes right? Importance sampling says, and by how much not.

Draws of u from the Gaussian that the sites make, N(ū, S), weighted with

    log w = Σ_c (ℓ_c − site_c)(e_c),    L = L_sites · mean(w),

correct the log-likelihood and its slope by log σ, E‖u‖²/σ² − d, without any approximation but that
of finitely many draws. Draws come in pairs of opposite signs. What the correction would do to σ is
one Newton step. Source: Pinheiro & Bates (1995), JCGS 4:12-35, section 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.blocks import Batch
from evenhand.preference.judges.estimation import Peak
from evenhand.preference.judges.integrals import integrate_laplace, invert
from evenhand.preference.judges.likelihood import Panel, State, shift_sites
from evenhand.preference.judges.sites import Sites, Votes, tilt

Array = NDArray[np.float64]
PAIRS: Final = (64, 2_048)
"""Fewest and most pairs of opposite draws for each block."""
ALL: Final = 50_000
"""Pairs over all blocks that are aimed at."""
BATCHES: Final = 16
"""Batches that stand for all."""
NUMBERS: Final = 1_000_000
"""Log-odds held at once."""


@dataclass(frozen=True)
class IntegralCheck:
    """What importance sampling says of the integrals at the maximum.

    Attributes:
        blocks: blocks that were looked at: connected parts of one judge's comparisons.
        draws: draws for each.
        effective: share of draws that count, median over blocks: 1 where the Gaussian is exact.
        worst: the same for the worst of a hundred blocks.
        loglik_shift: what the log-likelihood would change by (nats).
        loglik_error: Monte Carlo standard error of that.
        sigma_shift: what σ would change by.
        sigma_error: Monte Carlo standard error of that.

    """

    blocks: int
    draws: int
    effective: float
    worst: float
    loglik_shift: float
    loglik_error: float
    sigma_shift: float
    sigma_error: float


def check_integrals(panel: Panel, peak: Peak, state: State, seed: int) -> IntegralCheck:
    """Compare the integrals at the maximum with importance sampling.

    Args:
        panel: judges' answers.
        peak: the maximum, at σ > 0.
        state: the sites there.
        seed: of the draws.

    """
    theta, gamma, sigma = panel.parts(peak.beta)
    rng = np.random.Generator(np.random.PCG64(seed))
    totals, effective = np.zeros(4), []
    weights = panel.blocks.thinned(BATCHES)
    blocks = sum(b.size for b, w in zip(panel.blocks.batches, weights, strict=True) if w)
    pairs = int(np.clip(ALL // blocks, *PAIRS))
    for batch, weight in zip(panel.blocks.batches, weights, strict=True):
        if weight:
            votes = panel.votes(batch, theta, gamma)
            sites = shift_sites(state, batch, votes)
            logs, lengths = _draw(batch, votes, sites, (sigma, pairs), rng)
            plain, slope = _approximate(panel, batch, votes, sites, sigma)
            sums, shares = _compare(logs, lengths, plain)
            sums[2] -= slope
            totals += np.array([weight, weight**2, weight, weight**2]) * sums
            effective.append(shares)
    shares = np.concatenate(effective)
    step = sigma * float(peak.vcov[-1, -1])
    return IntegralCheck(
        blocks=len(shares),
        draws=2 * pairs,
        effective=float(np.median(shares)),
        worst=float(np.quantile(shares, 0.01)),
        loglik_shift=float(totals[0]),
        loglik_error=float(np.sqrt(totals[1])),
        sigma_shift=step * float(totals[2]),
        sigma_error=step * float(np.sqrt(totals[3])),
    )


def _compare(logs: Array, lengths: Array, plain: Array) -> tuple[Array, Array]:
    """Return sums over blocks of both shifts and their variances, and shares of draws (B,).

    Args:
        logs: (2, pairs, B) log-weights of draws and their opposites.
        lengths: (2, pairs, B) ‖u‖²/σ².
        plain: (B,) what the method has in the place of log mean(w).

    """
    pairs = logs.shape[1]
    top = logs.max(axis=(0, 1))
    weights = np.exp(logs - top)
    mass = weights.mean(axis=(0, 1))
    weights /= mass
    shares = 1 / (weights**2).mean(axis=(0, 1))
    spread = weights.mean(axis=0).var(axis=0) / pairs
    shift = top + np.log(mass) + spread / 2 - plain  # the log of a mean is half its variance low
    length = (weights * lengths).mean(axis=(0, 1))
    unweighted = lengths.mean(axis=(0, 1))
    moved = weights * (lengths - length) - (lengths - unweighted)
    errors = moved.mean(axis=0).var(axis=0) / pairs
    sums = np.array([shift.sum(), spread.sum(), (length - unweighted).sum(), errors.sum()])
    return sums, shares


def _draw(
    batch: Batch, votes: Votes, sites: Sites, scale: tuple[float, int], rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return log-weights and lengths ‖u‖²/σ² of draws and their opposites: see `_compare`."""
    sigma, pairs = scale
    covariance, mean, _ = invert(batch, sites, sigma)
    centre, root = batch.differ(mean), np.linalg.cholesky(covariance)
    logs, lengths = np.empty((2, 2, pairs, batch.size))
    step = max(1, NUMBERS // max(len(votes.n), mean.size))
    for start in range(0, pairs, step):
        rows = slice(start, min(start + step, pairs))
        away = root @ rng.standard_normal((batch.size, batch.width, rows.stop - start))
        apart = batch.differ(away).T
        for side, sign in enumerate((1.0, -1.0)):
            deviation = centre + sign * apart
            terms = votes.values(deviation) - sites.values(deviation)
            logs[side, rows] = np.stack([batch.sums(row) for row in terms])
            lengths[side, rows] = ((mean[:, :, None] + sign * away) ** 2).sum(axis=1).T
    return logs, lengths / sigma**2


def _approximate(
    panel: Panel, batch: Batch, votes: Votes, sites: Sites, sigma: float
) -> tuple[Array, float]:
    """Return what the method has in the place of log mean(w), (B,), and of the slope by log σ.

    The slope is what it has beyond the Gaussian's own E‖u‖²/σ² − d: nothing but for Laplace's.
    """
    covariance, mean, _ = invert(batch, sites, sigma)
    centre = batch.differ(mean)
    if panel.method == "corrected":
        found = tilt(votes, sites, centre, batch.spread(covariance))
        return batch.sums(found.log_scale), 0.0
    piece = integrate_laplace(batch, votes, sigma, sites, panel.settled)
    trace = np.trace(covariance, axis1=1, axis2=2).sum()
    own = float((trace + (mean**2).sum()) / sigma**2 - mean.size)
    return batch.sums(votes.values(centre) - sites.values(centre)), piece.log_sigma - own

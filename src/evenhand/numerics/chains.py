"""Have chains of draws met, and how many independent draws are theirs worth?

Every chain is split into halves. With W the mean variance within halves of n draws and B/n the
variance between their means, v⁺ = W (n − 1)/n + B/n and

    R̂ = √(v⁺/W),   ESS = m n / τ,   τ = −1 + 2 Σ_t P_t,   P_t = ρ_2t + ρ_2t+1

ρ are autocorrelations of all m halves together; the sum over pairs of lags runs as long as pairs
are positive, each no higher than the one before (Geyer 1992). Draws are replaced by normal scores
of their ranks first, where "bulk" or R̂ is asked for, so that heavy tails do no harm.

Source: Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Rank-normalization, folding and
localization: an improved R̂, Bayesian Analysis 16:667-718, sections 3 and 4.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics.places import average_ranks

Array = NDArray[np.float64]
AGREED: Final = 1.05
"""R̂ above which chains have not met."""
FEWEST: Final = 4
"""Draws of a chain below which it has no two halves with a variance each."""


def split_r_hat(draws: Array) -> Array:
    """Return (q,) R̂ of q quantities: 1 where chains agree, above 1.01 or 1.05 where not yet.

    The larger of that of rank-normalised draws and that of draws folded at their median, which
    sees chains that differ in spread. Chains that do not move are infinitely far apart, or, all at
    one value, in agreement.

    Args:
        draws: (chains, draws, q) draws after burn-in, four or more of a chain.

    Raises:
        NotConverged: chains are too short.

    >>> rng = np.random.default_rng(1)
    >>> draws = rng.normal(size=(4, 1000, 2)) + np.array([0.0, 1.0]) * np.arange(4)[:, None, None]
    >>> split_r_hat(draws).round(1).tolist()
    [1.0, 1.5]
    """
    halves = _split(draws)
    folded = np.abs(halves - np.median(halves, axis=(0, 1)))
    return np.maximum(_r_hat(_normal_scores(halves)), _r_hat(_normal_scores(folded)))


def bulk_size(draws: Array) -> Array:
    """Return (q,) effective number of draws for where the middle of a distribution lies.

    Args:
        draws: (chains, draws, q) draws after burn-in, four or more of a chain.

    Raises:
        NotConverged: chains are too short.

    >>> draws = np.random.default_rng(1).normal(size=(4, 1000, 1))
    >>> bool(3500 < bulk_size(draws)[0] < 4500)
    True
    """
    return _effective(_normal_scores(_split(draws)))


def mean_size(draws: Array) -> Array:
    """Return (q,) effective number of draws for the mean of each quantity.

    sd / √size is the Monte Carlo error of the mean.

    Args:
        draws: (chains, draws, q) draws after burn-in, four or more of a chain.

    Raises:
        NotConverged: chains are too short.

    >>> alternating = np.tile([1.0, -1.0], 50)[None, :, None]
    >>> bool(mean_size(alternating)[0] > 100)
    True
    """
    return _effective(_split(draws))


def _split(draws: Array) -> Array:
    """Return (2 chains, half, q): both halves of every chain; of an odd one without its middle."""
    length = draws.shape[1]
    if length < FEWEST:
        raise NotConverged(
            f"{length} draws of a chain do not tell whether chains agree: {FEWEST} are the least",
            ["take more sweeps"],
        )
    half = length // 2
    return np.concatenate((draws[:, :half], draws[:, length - half :]))


def _normal_scores(draws: Array) -> Array:
    """Replace draws by normal quantiles of (rank − 3/8) / (S + 1/4) among all S of a quantity."""
    from scipy.special import ndtri

    m, n, quantities = draws.shape
    ranks = average_ranks(draws.reshape(m * n, quantities).T)
    scores = ndtri((ranks - 0.375) / (m * n + 0.25))
    return np.asarray(scores.T.reshape(m, n, quantities))


def _spread(draws: Array) -> tuple[Array, Array]:
    """Return W and v⁺, (q,) each; exactly 0 where nothing differs."""
    n = draws.shape[1]
    within = (draws - draws[:, :1]).var(axis=1, ddof=1).mean(axis=0)
    means = (draws - draws[:1, :1]).mean(axis=1)
    between = (means - means[0]).var(axis=0, ddof=1)
    return within, within * (n - 1) / n + between


def _r_hat(draws: Array) -> Array:
    within, whole = _spread(draws)
    found = np.where(whole > 0, np.inf, 1.0)
    moved = within > 0
    found[moved] = np.sqrt(whole[moved] / within[moved])
    return found


def _effective(draws: Array) -> Array:
    """Return ESS; a quantity that never differs has all its draws, for its mean is known."""
    m, n, quantities = draws.shape
    within, whole = _spread(draws)
    found = np.full(quantities, float(m * n))
    moved = np.flatnonzero(whole > 0)
    covariance = _autocovariance(draws[:, :, moved]).mean(axis=0)
    rho = 1 - (within[moved] - covariance) / whole[moved]
    rho[0] = 1.0
    even = n // 2 * 2
    pairs = rho[0:even:2] + rho[1:even:2]
    held = np.minimum.accumulate(np.where(np.logical_and.accumulate(pairs > 0), pairs, 0.0))
    tau = 2 * held.sum(axis=0) - 1
    # chains that alternate would be worth any number of draws: the paper's bound of n log10 n
    found[moved] = m * n / np.maximum(tau, 1 / np.log10(m * n))
    return found


def _autocovariance(draws: Array) -> Array:
    """Return (m, n, q) autocovariances over lags, sums divided by n, by Fourier transform."""
    n = draws.shape[1]
    centred = draws - draws.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2
    return np.asarray(np.fft.irfft(power, 2 * n, axis=1)[:, :n] / n)

"""Random numbers that stay, sums that lose nothing, diagnostics of chains."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256, shake_256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import average_ranks

# Every chain is split into halves. With W the mean variance within halves of n draws and B/n the
# variance between their means, v⁺ = W (n − 1)/n + B/n and
#
# R̂ = √(v⁺/W),   ESS = m n / τ,   τ = −1 + 2 Σ_t P_t,   P_t = ρ_2t + ρ_2t+1
#
# ρ are autocorrelations of all m halves together; the sum over pairs of lags runs as long as pairs
# are positive, each no higher than the one before (Geyer 1992). Draws are replaced by normal scores
# of their ranks first, so that heavy tails do no harm.
#
# Source: Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16:667-718.

MIN_DRAWS: Final = 4  # Of a chain: below, it has no two halves with a variance each


def split_r_hat(draws: Array) -> Array:
    """Return (q,) R̂ of (chains, draws, q) draws after burn-in.

    The larger of that of rank-normalised draws and that of draws folded at their median, which
    sees chains that differ in spread. Chains that do not move are infinitely far apart, or, all at
    one value, in agreement.
    """
    halves = _split(draws)
    folded = np.abs(halves - np.median(halves, axis=(0, 1)))
    return np.maximum(_r_hat(_normal_scores(halves)), _r_hat(_normal_scores(folded)))


def bulk_size(draws: Array) -> Array:
    """Return (q,) effective numbers ESS of draws, of normal scores of their ranks.

    A quantity that never differs has all its draws, for its mean is known.
    """
    scores = _normal_scores(_split(draws))
    m, n, quantities = scores.shape
    within, whole = _spread(scores)
    size = np.full(quantities, float(m * n))
    moved = np.flatnonzero(whole > 0)
    # autocovariances over lags, sums divided by n, by Fourier transform
    centred = scores[:, :, moved] - scores[:, :, moved].mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2
    covariance = (np.fft.irfft(power, 2 * n, axis=1)[:, :n] / n).mean(axis=0)
    rho = 1 - (within[moved] - covariance) / whole[moved]
    rho[0] = 1.0
    even = n // 2 * 2
    pairs = rho[0:even:2] + rho[1:even:2]
    held = np.minimum.accumulate(np.where(np.logical_and.accumulate(pairs > 0), pairs, 0.0))
    tau = 2 * held.sum(axis=0) - 1
    # chains that alternate would be worth any number of draws: the paper's bound of n log10 n
    size[moved] = m * n / np.maximum(tau, 1 / np.log10(m * n))
    return size


def _split(draws: Array) -> Array:
    """Return (2 chains, half, q): both halves of every chain; of an odd one without its middle."""
    length = draws.shape[1]
    if length < MIN_DRAWS:
        message = f"{length} draws of a chain do not tell whether chains agree"
        raise NotConverged(f"{message}: {MIN_DRAWS} are the least", ["take more sweeps"])
    half = length // 2
    return np.concatenate((draws[:, :half], draws[:, length - half :]))


def _normal_scores(draws: Array) -> Array:
    """Replace draws by normal quantiles of (rank − 3/8) / (S + 1/4) among all S of a quantity."""
    from scipy.special import ndtri

    m, n, quantities = draws.shape
    ranks = average_ranks(draws.reshape(m * n, quantities).T)
    return np.asarray(ndtri((ranks - 0.375) / (m * n + 0.25)).T.reshape(m, n, quantities))


def _spread(draws: Array) -> tuple[Array, Array]:
    """Return W and v⁺, (q,) each; exactly 0 where nothing differs."""
    n = draws.shape[1]
    within = (draws - draws[:, :1]).var(axis=1, ddof=1).mean(axis=0)
    means = (draws - draws[:1, :1]).mean(axis=1)
    return within, within * (n - 1) / n + (means - means[0]).var(axis=0, ddof=1)


def _r_hat(draws: Array) -> Array:
    within, whole = _spread(draws)
    r_hat = np.where(whole > 0, np.inf, 1.0)
    moved = within > 0
    r_hat[moved] = np.sqrt(whole[moved] / within[moved])
    return r_hat


# Random orders are the same under every version of numpy: it promises that the raw stream of a bit
# generator and the spreading of seeds stay (NEP 19), and not so of shuffles and permutations.

# Seeds from here on may be secrets: those that a campaign draws at its launch are
MIN_SECRET_SEED: Final = 2**63


@dataclass(frozen=True)
class Draws:
    """A source of random numbers that is named, not counted: each name has its own stream."""

    seed: int  # a whole number from 0
    name: str = ""  # what is drawn

    def of(self, *names: object) -> Draws:
        return Draws(self.seed, "/".join([self.name, *map(str, names)]))

    def keys(self, n: int) -> NDArray[np.uint64]:
        """Return (n,) random whole numbers below 2⁶⁴.

        With a seed of 64 bits or more they are of SHAKE-256: whoever comes to know some of them
        cannot compute others, as they could from those of a linear generator.
        """
        if self.seed >= MIN_SECRET_SEED:
            secret = shake_256(f"{self.seed:x}/{self.name}".encode()).digest(8 * n)
            return np.frombuffer(secret, dtype="<u8").astype(np.uint64)
        words = int.from_bytes(sha256(self.name.encode()).digest()[:16], "little")
        source = np.random.PCG64(np.random.SeedSequence([self.seed, words]))
        return np.asarray(source.random_raw(n), dtype=np.uint64)

    def order(self, n: int) -> Integers:
        return np.argsort(self.keys(n), kind="stable").astype(np.int64)

    def bits(self, n: int) -> Flags:
        return (self.keys(n) >> np.uint64(63)).astype(bool)

    def below(self, limits: Integers) -> Integers:
        """Return for each limit a whole number from 0 to below it; the bias is below 2⁻³²."""
        high = self.keys(len(limits)) >> np.uint64(32)
        return ((high * limits.astype(np.uint64)) >> np.uint64(32)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class RunningSum:
    """A sum of arrays of one shape, or of numbers, over any number of batches.

    What each addition rounds off is kept beside the sum and added at the end (Neumaier 1974,
    Zeitschrift für angewandte Mathematik und Mechanik 54:39-51).
    """

    high: Array  # what has been summed, rounded
    low: Array  # what rounding has lost

    @classmethod
    def of_shape(cls, shape: tuple[int, ...]) -> RunningSum:
        return cls(np.zeros(shape), np.zeros(shape))

    def plus(self, term: Array | float) -> RunningSum:
        new = self.high + term
        larger = np.abs(self.high) >= np.abs(term)
        lost = np.where(larger, (self.high - new) + term, (term - new) + self.high)
        return RunningSum(np.asarray(new), self.low + lost)

    @property
    def total(self) -> Array:
        return np.asarray(self.high + self.low)


# Sums over all subsets of one size, without listing them: elementary symmetric functions
#
# e_d(v) = Σ_{|T| = d} ∏_{i∈T} v_i,   the coefficient of x^d in ∏_i (1 + v_i x)
#
# The subsets that hold i are v_i e_{d−1}(v without i), those that hold i and j v_i v_j e_{d−2}(v
# without both). Items are left out by multiplying the polynomials before and behind them, never by
# division, so that all terms are positive and nothing cancels. Cost: m² d for m items.


@dataclass(frozen=True, eq=False)
class SubsetSums:
    every: Array  # (R,) over all of them
    one: Array  # (R, m) over those that hold item i
    two: Array  # (R, m, m) over those that hold items i and j; the diagonal is `one`


def sum_subsets(v: Array, size: int) -> SubsetSums:
    """Sum the products of all subsets of a size; v (R, m) is not negative, one row a set."""
    m = v.shape[1]
    behind = _products(v[:, ::-1], size)[::-1]
    before = _products(v, size)
    singles = [v[:, i] * _coefficient(before[i], behind[i + 1], size - 1) for i in range(m)]
    two = np.zeros((len(v), m, m))
    for i in range(m if size > 1 else 0):
        between = before[i]
        for j in range(i + 1, m):
            both = _coefficient(between, behind[j + 1], size - 2)
            two[:, i, j] = two[:, j, i] = v[:, i] * v[:, j] * both
            between = _times(between, v[:, j])
    one = np.stack(singles, axis=1)
    two[:, range(m), range(m)] = one
    return SubsetSums(before[m][:, size], one, two)


def _products(v: Array, degree: int) -> list[Array]:
    """Return ∏ (1 + v_i x) of the first 0, 1, ..., m items up to a degree, (R, degree + 1) each."""
    products = [np.zeros((len(v), degree + 1))]
    products[0][:, 0] = 1.0
    for i in range(v.shape[1]):
        products.append(_times(products[-1], v[:, i]))
    return products


def _times(polynomial: Array, value: Array) -> Array:
    longer = polynomial.copy()
    longer[:, 1:] += polynomial[:, :-1] * value[:, None]
    return longer


def _coefficient(left: Array, right: Array, degree: int) -> Array:
    return np.asarray((left[:, : degree + 1] * right[:, degree::-1]).sum(axis=1))

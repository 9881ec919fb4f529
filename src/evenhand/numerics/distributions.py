"""Probabilities, quantiles, means over normals and draws; scipy.special only where it is needed."""

from __future__ import annotations

from functools import cache
from math import erfc, exp, inf, lgamma, log, log1p, pi, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics import Array

CLOSE: Final = 1e-15  # Relative change below which a series has converged
FEW: Final = 100.0  # Half of the degrees of freedom from which Γ is taken by its series
MOST: Final = 100_000  # Steps of a continued fraction
MANY: Final = 100_000.0  # Degrees of freedom from which Student's t is made a normal


def two_sided_p(z: float) -> float:
    return erfc(abs(z) / sqrt(2))


def normal_quantile(probability: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(probability)


def t_tail(t: float, df: float) -> float:
    """Return P(|T| ≥ |t|) for Student's t; infinite degrees of freedom give the normal."""
    if np.isinf(df):
        return two_sided_p(t)
    if df > MANY:  # the normal value of the same tail (Hill 1970, Algorithm 395)
        a = df - 0.5
        square = a * log1p(t * t / df)
        last = ((0.4 * square + 3.3) * square + 24) * square + 85.5
        last /= 0.8 * square * square + 100 + 48 * a * a
        return two_sided_p(sqrt(square) * (1 + (square + 3 - last) / (48 * a * a)))
    # P = I_x(ν/2, ½), by the continued fraction of the incomplete beta function (Abramowitz &
    # Stegun 26.5.8 and 26.7.1): most verbs need it, and scipy.special takes .3 s to import
    square = t * t / df
    front = abs(t) * _t_density(t, df)
    if square * (df + 1) > 3:
        return 2 * front / df * _beta_fraction(df / 2, 0.5, 1 / (1 + square))
    return 1 - 2 * front * _beta_fraction(0.5, df / 2, square / (1 + square))


def t_quantile(probability: float, df: float) -> float:
    """Return the quantile of Student's t; infinite degrees of freedom give the normal."""
    start = normal_quantile(probability)
    if np.isinf(df) or start == 0:
        return start
    tail, t = 2 * min(probability, 1 - probability), abs(start)
    # log P falls and is concave in log t, so that each of Newton's steps is shorter than the one
    # before: one that is not is rounding
    last = inf
    for _ in range(100):
        found = t_tail(t, df)
        step = found * log(found / tail) / (2 * t * _t_density(t, df))
        if abs(step) >= last:
            break
        t *= exp(step)
        last = abs(step)
        if last < CLOSE:
            break
    return float(np.copysign(t, start))


def _t_density(t: float, df: float) -> float:
    a = df / 2
    if a < FEW:
        ratio = lgamma(a + 0.5) - lgamma(a)
    else:  # in powers of 1/a, since large logarithms lose digits
        ratio = log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5)
    return exp(ratio - (a + 0.5) * log1p(t * t / df)) / sqrt(df * pi)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of I_x(a, b) · a · B(a, b) / (xᵃ (1 − x)ᵇ), a times 1 / a."""
    above, below, value = 1.0, 0.0, 1.0
    for m in range(MOST):
        # the coefficients of two steps, by Lentz's method
        for part in (
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
            (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2)),
        ):
            below = 1 / (1 + part * below)
            above = 1 + part / above
            value *= above * below
        if abs(above * below - 1) < CLOSE:
            break
    return 1 / value


def chi2_tail(statistic: float, df: float) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(df, max(statistic, 0.0)))


def f_tail(statistic: float, df: float, df_below: float) -> float:
    from scipy.special import fdtrc

    return float(fdtrc(df, df_below, max(statistic, 0.0)))


def f_quantile(probability: float, df: float, df_below: float) -> float:
    from scipy.special import fdtri

    return float(fdtri(df, df_below, probability))


def entropy_terms(counts: Array) -> Array:
    return np.asarray(counts * np.log(np.where(counts > 0, counts, 1.0)))


def upper_tail(successes: Array, trials: Array) -> Array:
    """Return (n,) P(X ≥ successes) for X binomial of fair trials; successes may be out of range."""
    from scipy.special import betainc

    tail = np.where(successes <= 0, 1.0, 0.0)
    inside = (successes > 0) & (successes <= trials)
    k, n = successes[inside], trials[inside]
    tail[inside] = betainc(k, n - k + 1, 0.5)
    return tail


def clopper_pearson(successes: float, trials: float, level: float) -> tuple[float, float]:
    """Return the exact interval of a proportion (Clopper & Pearson 1934); (0, 1) of no trials."""
    from scipy.special import betaincinv

    k, n, tail = successes, trials, (1 - level) / 2
    lower = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    upper = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    return lower, upper


# Minus log of the chance of a number of ties that may be passed over: 1e-300
NEGLIGIBLE: Final = 690.0


def trinomial_tail(lead: int, trials: int, ties: int) -> float:
    """Return P(N+ − N− ≥ lead) where a trial is a tie with chance ties / trials, else a fair coin.

    Given how many trials are ties the rest is binomial, so that the sum has one term per number
    of ties (Bian, McAleer & Wong 2011, Mathematics and Computers in Simulation 81:1153-1160).
    """
    if ties in (0, trials):
        tied, chances = np.array([float(ties)]), np.ones(1)
    else:
        # numbers of ties rarer than 1e-300 are passed over (Bernstein's inequality); ratios of
        # neighbours are summed up from the mode: no differences of large logarithms of factorials
        variance = ties * (trials - ties) / trials
        reach = NEGLIGIBLE / 3 + np.sqrt((NEGLIGIBLE / 3) ** 2 + 2 * NEGLIGIBLE * variance)
        low, high = max(0, int(ties - reach)), min(trials, int(ties + reach) + 1)
        tied = np.arange(low, high + 1, dtype=np.float64)
        steps = np.log((trials - tied[:-1]) / tied[1:] * (ties / (trials - ties)))
        logs = np.concatenate([[0.0], np.cumsum(steps)])
        weights = np.exp(logs - logs[ties - low])
        chances = weights / weights.sum()
    decided = trials - tied
    return min(float(chances @ upper_tail((decided + lead + 1) // 2, decided)), 1.0)


# The exact distribution of wins minus losses over independent comparisons that differ in chances:
#
# φ(θ) = Π_c (p_c e^{iθ} + r_c + q_c e^{−iθ})^{n_c},   P(T = t) = 1/M Σ_k φ(θ_k) e^{−iθ_k t}
#
# with p, r, q the chances of win, tie and loss and θ_k = 2πk/M, M = 2n + 1 (the discrete Fourier
# transform of the Poisson-binomial distribution: Hong 2013, Computational Statistics & Data
# Analysis 59:41-51). Rounding leaves 1e-13 or so, below which no tail is given.

MIN_P: Final = 1e-12  # Smallest p-value that is told from rounding


def net_wins_chances(chances: Array, counts: Array) -> Array:
    """Return (2n + 1,) chances of −n, …, n wins more than losses.

    chances: (C, 3) of win, tie and loss, of comparisons that are made (C,) times, n in all.
    """
    n = int(counts.sum())
    m = 2 * n + 1
    turn = np.exp(2j * np.pi * np.arange(n + 1) / m)  # φ(−θ) is the conjugate of φ(θ)
    won, tied, lost = chances.T[:, :, None]
    phi = np.prod((won * turn + tied + lost / turn) ** counts[:, None], axis=0)
    each = np.fft.irfft(phi.conj(), m)
    return np.concatenate((each[n + 1 :], each[: n + 1]))


def net_wins_p(chances: Array, counts: Array, net: int) -> float:
    """Return the two-sided p-value of a number of wins minus losses: twice the smaller tail."""
    each = net_wins_chances(chances, counts)
    at = net + int(counts.sum())
    tail = min(each[: at + 1].sum(), each[at:].sum())
    return float(min(1.0, max(2 * tail, MIN_P)))


HALVINGS = 50  # Of the interval that the quantile lies in: to the last digits


def mixture_quantile(probability: float, means: Array, deviations: Array) -> Array:
    """Return (n,) quantiles of mixtures of S normals, (S, n) each; deviations may be 0."""
    quantiles = means + normal_quantile(probability) * deviations
    low, high = quantiles.min(axis=0), quantiles.max(axis=0)
    if not (high > low).any():
        return np.asarray(high)
    from scipy.special import ndtr

    spread = np.maximum(deviations, np.finfo(float).tiny)
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        below = ndtr(np.clip((middle - means) / spread, -40.0, 40.0)).mean(axis=0) < probability
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(low + (high - low) / 2)


# Gauss-Hermite quadrature on the line, moved and scaled to where an integrand lies.


@cache
def hermite_rule(nodes: int) -> tuple[Array, Array]:
    """Return nodes x and log-weights such that ∫ g(z) dz ≈ Σ exp(log-weight) g(x).

    It is exact for a normal density times any polynomial of degree below 2 · nodes; for
    g(m + s x) / s multiply by s.
    """
    x, weights = np.polynomial.hermite_e.hermegauss(nodes)
    logs = np.log(weights) + x**2 / 2
    for array in (x, logs):
        array.flags.writeable = False
    return x, logs


@cache
def normal_rule(nodes: int) -> tuple[Array, Array]:
    x, logs = hermite_rule(nodes)
    weights = np.exp(logs - x**2 / 2)
    weights /= weights.sum()
    weights.flags.writeable = False
    return x, weights


# Normal variables in an interval or beyond a point are drawn by inversion, always from the tail
# that holds few: x = Φ⁻¹(Φ(a) + u (Φ(b) − Φ(a))) with the interval mirrored to where its middle is
# below the mean, so that nothing is subtracted from one. Logarithms stand for tails too small for
# that.

MIN_CHANCE: Final = 1e-290  # Chances below which numbers lose digits


def draw_above(rng: np.random.Generator, mean: Array, sd: float, low: float) -> Array:
    """Draw x ~ N(mean, sd²) given x ≥ low, for means of any shape."""
    from scipy.special import ndtr, ndtri

    below = (mean - low) / sd
    chance = ndtr(below)
    share = 1 - rng.random(below.shape)  # in (0, 1]
    drawn = ndtri(chance * share)
    if chance.min(initial=1.0) < MIN_CHANCE:
        deep = chance < MIN_CHANCE
        drawn[deep] = _draw_deep(below[deep], share[deep])
    return np.asarray(np.maximum(mean - sd * drawn, low))


def draw_between(rng: np.random.Generator, mean: Array, sd: float, radius: float) -> Array:
    """Draw x ~ N(mean, sd²) given |x| ≤ radius, for means of any shape."""
    from scipy.special import log_ndtr, ndtr, ndtri

    far = np.abs(mean)
    high, low = (radius - far) / sd, (-radius - far) / sd
    below, above = ndtr(low), ndtr(high)
    share = 1 - rng.random(far.shape)
    drawn = ndtri(below + share * (above - below))
    if above.min(initial=1.0) < MIN_CHANCE:
        deep = above < MIN_CHANCE
        within = np.exp(log_ndtr(low[deep]) - log_ndtr(high[deep]))
        drawn[deep] = _draw_deep(high[deep], share[deep] + (1 - share[deep]) * within)
    return np.asarray(np.copysign(1.0, mean) * np.clip(far + sd * drawn, -radius, radius))


def _draw_deep(high: Array, share: Array) -> Array:
    """Return Φ⁻¹(share · Φ(high)) far below the mean."""
    from scipy.special import log_ndtr, ndtri_exp

    return np.asarray(ndtri_exp(log_ndtr(high) + np.log(share)))


# Poisson numbers come from tables: a cell of mean m takes entry r of 65,536 quantiles, r all alike
# likely: within 1/131,072 of each chance, at a twentieth of the time of exact draws. What is lost
# is beyond 4.2 standard deviations.

QUANTILES: Final = 65_536
MAX_TABLE_MEAN: Final = 20_000.0  # Mean beyond which numbers are drawn one by one
TABLE_DEVIATIONS: Final = 9.0  # Standard deviations around the mean that a table looks at


def draw_poisson(means: Array, draws: int, rng: np.random.Generator) -> NDArray[np.uint16]:
    """Draw (C, n) Poisson numbers of cells with (C,) means, at most MAX_TABLE_MEAN."""
    drawn = np.zeros((len(means), draws), dtype=np.uint16)
    values, which = np.unique(means, return_inverse=True)
    order = np.argsort(which, kind="stable")
    ends = np.searchsorted(which[order], np.arange(len(values) + 1))
    logs = np.log(np.arange(1, _last(values[-1]) + 1)) if len(values) else np.zeros(0)
    factorials = np.concatenate(([0.0], np.cumsum(logs)))
    for mean, start, end in zip(values.tolist(), ends[:-1], ends[1:], strict=True):
        if mean > 0:
            lowest = mean - TABLE_DEVIATIONS * np.sqrt(mean) - TABLE_DEVIATIONS
            first, last = max(0, int(lowest)), _last(mean)
            numbers = np.arange(first, last + 1)
            chances = np.exp(numbers * np.log(mean) - mean - factorials[first : last + 1])
            upper_ends = np.rint(QUANTILES * np.minimum(np.cumsum(chances), 1.0)).astype(np.int64)
            upper_ends[-1] = QUANTILES
            table = np.repeat(numbers.astype(np.uint16), np.diff(upper_ends, prepend=0))
            cells = order[start:end]
            drawn[cells] = table[rng.integers(0, QUANTILES, (len(cells), draws), dtype=np.uint16)]
    return drawn


def _last(mean: float) -> int:
    return int(mean + TABLE_DEVIATIONS * np.sqrt(mean) + TABLE_DEVIATIONS)

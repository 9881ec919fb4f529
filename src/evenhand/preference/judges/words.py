"""What a standard deviation of judges' tastes means, in words."""

from __future__ import annotations

from math import erfc, inf, sqrt
from typing import Final

import numpy as np

from evenhand.preference.coefficients import LRTest
from evenhand.preference.judges.check import IntegralCheck
from evenhand.preference.judges.dealing import DealTest

DOUBTFUL: Final = 0.05
"""P-value from which nothing is claimed."""


def say(
    sigma: float,
    claim: tuple[tuple[float, float], float] | None,
    test: LRTest | DealTest | None,
    check: IntegralCheck | None,
) -> tuple[str, ...]:
    """Return what was found of σ, in lines for people.

    Args:
        sigma: σ.
        claim: its interval and the interval's level; None where comparisons hang together.
        test: of one taste for all judges; None where there is none.
        check: of the integrals; None at σ = 0.

    """
    found = f"{_claim(test)} σ = {sigma:.2f} at most (no interval: answers are rankings)"
    if claim is not None:
        interval, level = claim
        span = f"{_span(interval)}; {100 * level:g} % interval"
        found = f"{_claim(test)} σ = {sigma:.2f} ({span})"
    tested = f"one taste for all judges (σ = 0): {test or 'no test'}"
    if check is None:
        return (found, tested)
    favourite, reverse = 100 * favourite_share(sigma), 100 * reversed_share(sigma)
    meant = (
        "of two systems equal to the mean judge, a judge picks his or her favourite in"
        f" {favourite:.0f} % of the answers without ties; where the mean judge sees a log-worth of"
        f" 1 between two systems, {reverse:.0f} % of the judges hold the opposite"
    )
    checked = (
        f"integrals checked by {check.draws} draws for each of {check.blocks:,} blocks"
        f" ({100 * check.effective:.0f} % effective): σ would move by"
        f" {check.sigma_shift:+.4f} (Monte Carlo error {check.sigma_error:.4f}), the log-likelihood"
        f" by {check.loglik_shift:+.3f} ({check.loglik_error:.3f})"
    )
    return (found, meant, tested, checked)


def _claim(test: LRTest | DealTest | None) -> str:
    """Begin the sentence about σ: a claim only where a test supports it."""
    if test is None or test.p < DOUBTFUL:
        return "judges disagree by"
    return "no sign that judges disagree:"


def _span(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{low:.2f} to {'no upper end' if high == inf else f'{high:.2f}'}"


def favourite_share(sigma: float) -> float:
    """Return how often a judge picks his or her favourite of two systems equal to the mean judge.

    The judge's log-odds are N(0, 2σ²); this is the mean of 1 / (1 + exp(−|x|)).

    >>> round(favourite_share(0.5), 3), favourite_share(0.0)
    (0.631, 0.5)
    """
    z = np.linspace(0.0, 9.0, 3601)
    density = np.exp(-(z**2) / 2)
    density[0] /= 2
    return float((density / (1 + np.exp(-sqrt(2) * sigma * z))).sum() / density.sum())


def reversed_share(sigma: float, gap: float = 1.0) -> float:
    """Return the share of judges to whom the worse of two systems is the better: Φ(−gap/(√2 σ)).

    >>> round(reversed_share(0.5), 3)
    0.079
    """
    return erfc(gap / (2 * sigma)) / 2 if sigma > 0 else 0.0

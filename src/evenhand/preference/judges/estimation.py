"""Where the likelihood of judges' answers is largest, and whether σ may be 0.

σ = 0 is the edge of the parameter's range: the likelihood-ratio statistic against it is half the
time 0, half the time χ²₁ (Self & Liang 1987, JASA 82:605-610).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics.distributions import chi2_tail
from evenhand.numerics.newton import invert_positive
from evenhand.numerics.quasi_newton import climb
from evenhand.preference.coefficients import LRTest
from evenhand.preference.judges.likelihood import Panel, Point
from evenhand.preference.judges.start import Dispersion, Pooled, find_dispersion, stretch

Array = NDArray[np.float64]
LARGEST: Final = 6.0
"""A σ beyond which nothing is looked for: judges then pick their favourite in 94 % of answers."""
MORE: Final = (
    "let judges answer more, and show them some pairs again",
    "fit without random judges",
)
"""What may be done where hardly any judge contradicts himself or herself."""


@dataclass(frozen=True, eq=False)
class Peak:
    """The maximum.

    Attributes:
        beta: (p,) log-worths, γ, log σ; without log σ where σ is 0.
        sigma: σ.
        loglik: log-likelihood (nats).
        vcov: covariance of `beta`.
        point: the likelihood there; None where σ is 0.
        dispersion: what the start knew of σ.

    """

    beta: Array
    sigma: float
    loglik: float
    vcov: Array
    point: Point | None
    dispersion: Dispersion


def find_peak(panel: Panel, pooled: Pooled) -> Peak:
    """Maximise the likelihood over worths, γ and σ.

    Of very many judges some stand for all at first, and for the second derivatives by γ and σ.

    Raises:
        NotConverged: the likelihood has no clear maximum.

    """
    dispersion = find_dispersion(panel, pooled)
    if dispersion.slope <= 0:
        return Peak(pooled.beta, 0.0, pooled.loglik, pooled.vcov, None, dispersion)
    some = panel.thinned()
    start = stretch(pooled, dispersion.sigma, ties=panel.ties)
    start = np.append(start, np.log(dispersion.sigma))
    here = some.expand(start, None, information=True)
    beta, point = _climb(some, (start, here), _guess(panel, pooled, here))
    information = some.information(beta, point)
    if some.weights != panel.weights:
        beta, point = _climb(panel, (beta, panel.expand(beta, None)), information)
        information[: panel.n_systems - 1, : panel.n_systems - 1] = point.worths
    vcov = invert_positive(information)
    return Peak(beta, float(np.exp(beta[-1])), point.value, vcov, point, dispersion)


def _climb(panel: Panel, start: tuple[Array, Point], guess: Array) -> tuple[Array, Point]:
    beta, here, _ = climb(
        lambda at, before: panel.expand(at, before.state),
        start,
        guess,
        tolerance=panel.tolerance,
        reach=_reach,
    )
    return beta, panel.expand(beta, here.state, information=True)


def _reach(step: Array) -> float:
    return float(max(np.abs(step[:-1]).max() / 3.0, np.abs(step[-1]) / 0.7))


def _guess(panel: Panel, pooled: Pooled, here: Point) -> Array:
    """Return information without what joins γ and σ to the worths."""
    assert here.worths is not None
    p, k = panel.size, panel.n_systems
    guess = np.zeros((p, p))
    guess[: k - 1, : k - 1] = here.worths
    if panel.ties:
        guess[-2, -2] = 1 / pooled.vcov[-1, -1]
    guess[-1, -1] = max(here.log_sigma, 1.0)
    return guess


def explain_lost(lost: NotConverged, panel: Panel, pooled: Pooled) -> NotConverged:
    """Say why no maximum was found: where it rises at the largest σ, that it lies beyond."""
    start = np.append(stretch(pooled, LARGEST, ties=panel.ties), np.log(LARGEST))
    try:
        rising = panel.expand(start, None).gradient[-1] > 0
    except NotConverged:
        rising = False
    if not rising:
        return NotConverged(f"σ was not found: {lost.fault}", [*lost.remedies, *MORE])
    return NotConverged(
        f"σ was not found: the likelihood still rises at σ = {LARGEST:g}, beyond which"
        " nothing is looked for, since hardly any judge contradicts himself or herself",
        MORE,
    )


def compare_zero(peak: Peak, pooled: Pooled) -> LRTest:
    """Test σ = 0, that all judges have one taste."""
    statistic = max(2 * (peak.loglik - pooled.loglik), 0.0)
    p = chi2_tail(statistic, 1) / 2 if statistic > 0 else 1.0
    return LRTest(statistic, 1, p, "½χ²₀ + ½χ²₁; judges taken for independent")

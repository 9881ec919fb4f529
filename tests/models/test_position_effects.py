"""Position biases of judges beside numerical integration."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from narwhals import from_native
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import expit
from scipy.stats import chi2, norm

from evenhand.data.comparisons import Comparisons
from evenhand.data.tally import Tally
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.position_effects import (
    MAX_SPREAD,
    find_modes,
    fit_position_effects,
    make_panel,
    place_nodes,
)


def panel_of_judges(
    seed: int, *, judges: int = 12, n: int = 40, spread: float = 0.4, systems: int = 3
) -> pl.DataFrame:
    rng = np.random.Generator(np.random.PCG64(seed))
    worth = np.linspace(0.4, -0.4, systems)
    judge = np.repeat(np.arange(judges), n)
    left = rng.integers(0, systems, judges * n)
    right = (left + rng.integers(1, systems, judges * n)) % systems
    eta = worth[left] - worth[right] + 0.1 + spread * rng.normal(size=judges)[judge]
    chances = np.stack([np.exp(eta), np.full(len(eta), 0.5), np.exp(-eta)], axis=1)
    drawn = rng.random((len(eta), 1)) * chances.sum(axis=1, keepdims=True)
    outcome = (drawn > chances.cumsum(axis=1)).sum(axis=1)
    return pl.DataFrame(
        {
            "left": [f"s{i}" for i in left],
            "right": [f"s{i}" for i in right],
            "outcome": np.array(["left", "tie", "right"])[outcome].tolist(),
            "judge": [f"j{i:02d}" for i in judge],
        }
    )


def count(frame: pl.DataFrame) -> Tally:
    return Comparisons(from_native(frame)).tally(by=["judge"])


@pytest.fixture(scope="module")
def tally() -> Tally:
    return count(panel_of_judges(1))


@pytest.fixture(scope="module")
def fit(tally):
    return BradleyTerry(order_effect=True).fit(tally)


def log_integral(worths: np.ndarray, gamma: float, law: tuple[float, float], own: Tally) -> float:
    """One judge's log-likelihood with the bias integrated out, by scipy.integrate.quad."""
    mean, spread = law

    def loglik(bias: float) -> float:
        eta = worths[own.left] - worths[own.right] + bias
        scores = np.stack([eta, np.full(len(eta), gamma), -eta], axis=1)
        return float((own.counts * (scores - np.log(np.exp(scores).sum(axis=1))[:, None])).sum())

    grid = np.linspace(mean - 8 * spread, mean + 8 * spread, 80)
    top = max(loglik(b) - ((b - mean) / spread) ** 2 / 2 for b in grid)

    def integrand(bias: float) -> float:
        prior = -(((bias - mean) / spread) ** 2) / 2
        return float(np.exp(loglik(bias) + prior - top))

    area, _ = quad(integrand, grid[0], grid[-1], limit=400, epsabs=0, epsrel=1e-11)
    return float(np.log(area / spread / np.sqrt(2 * np.pi)) + top)


def parts(tally: Tally) -> list[Tally]:
    """Each judge's counts, with the systems of all."""
    factor = tally.factor("judge")
    kept = []
    for code in range(factor.size):
        rows = factor.codes == code
        columns = (
            getattr(tally, name)[rows] for name in ("left", "right", "wins", "ties", "losses")
        )
        kept.append(Tally(tally.systems, *columns))
    return kept


@pytest.mark.parametrize("law", [(0.1, 0.05), (0.0, 0.5), (-0.4, 2.0)])
def test_integrals_are_those_of_numerical_integration(fit, tally, law):
    panel, _ = make_panel(fit, tally, 1.0)
    modes = find_modes(panel, np.full(panel.size, law[0]), *law)
    found, _ = place_nodes(panel, modes, law[1]).integrate(*law)
    gamma = float(panel.beta[-1])
    worths = np.append(panel.beta[:-1], 0.0)
    expected = [log_integral(worths, gamma, law, own) for own in parts(tally)]
    assert found == pytest.approx(expected, abs=1e-7)


def test_all_parameters_maximise_the_integrated_likelihood():
    """Every step of .01 in worths, γ, δ or log τ loses, by scipy.integrate.quad."""
    own = count(panel_of_judges(5, judges=6, spread=0.8))
    found = fit_position_effects(BradleyTerry(order_effect=True).fit(own), own)
    at = np.array([*found.panel.beta, found.mean, np.log(found.spread)])

    def loss(theta: np.ndarray) -> float:
        worths = np.append(theta[:2], 0.0)
        law = float(theta[3]), float(np.exp(theta[4]))
        return -sum(log_integral(worths, float(theta[2]), law, one) for one in parts(own))

    here, step = loss(at), 0.01
    assert -here == pytest.approx(found.loglik, abs=1e-6)
    for e in np.eye(5):
        up, down = loss(at + step * e), loss(at - step * e)
        assert min(up, down) > here
        slope, curvature = (up - down) / 2 / step, (up + down - 2 * here) / step**2
        assert abs(slope / curvature) < 2e-3  # how far the top of the parabola is


@pytest.mark.parametrize("spread", [0.15, 1.0])
def test_the_spread_of_many_judges_is_found(spread):
    tally = count(panel_of_judges(7, judges=300, n=60, spread=spread))
    found = fit_position_effects(BradleyTerry(order_effect=True).fit(tally), tally)
    assert found.spread == pytest.approx(spread, rel=0.15)
    assert found.mean == pytest.approx(0.1, abs=0.12)


@pytest.mark.parametrize("n_first", [1, 2])
def test_where_the_likelihood_rises_for_ever_the_spread_is_held(n_first):
    """Judges saw a and b in both orders and took one side: η = b_l, ∫ p(left)² by scipy quad."""
    rows = [
        (f"j{i}", left, right, "left" if i < n_first else "right")
        for i in range(n_first + 1)
        for left, right in ("ab", "ba")
    ]
    own = count(pl.DataFrame(rows, ["judge", "left", "right", "outcome"], orient="row"))
    found = fit_position_effects(BradleyTerry(order_effect=True).fit(own), own)

    def log_chance(mean: float, spread: float) -> float:
        def integrand(b: float) -> float:
            return float(expit(2 * b) ** 2 * norm.pdf(b, mean, spread))

        ends = mean - 9 * spread, mean + 9 * spread
        return float(np.log(quad(integrand, *ends, points=[0.0], limit=300)[0]))

    def loglik(mean: float, spread: float) -> float:
        return n_first * log_chance(mean, spread) + log_chance(-mean, spread)

    best = minimize_scalar(
        lambda mean: -loglik(mean, MAX_SPREAD), bounds=(-5, 15), method="bounded"
    )
    assert found.endless
    assert found.loglik == pytest.approx(-best.fun, abs=0.02)  # 21 nodes on a step
    assert found.mean == pytest.approx(best.x, abs=0.2)
    assert found.mean == pytest.approx(found.estimate.mean(), abs=1e-5)  # d loglik / dδ = 0
    assert (
        loglik(best.x, MAX_SPREAD)
        < loglik(2 * best.x, 2 * MAX_SPREAD)
        < loglik(4 * best.x, 4 * MAX_SPREAD)
    )


@pytest.mark.parametrize("statistic", [0.4, 2.7, 9.0])
def test_on_the_boundary_the_p_value_is_half_a_chi_square_tail(fit, tally, statistic):
    """Self & Liang (1987); the tail by scipy.stats.chi2."""
    found = fit_position_effects(fit, tally)
    given = replace(found, loglik=found.common + statistic / 2)
    assert given.test.p == pytest.approx(chi2.sf(statistic, 1) / 2, rel=1e-9)
    assert replace(found, loglik=found.common).test.p == 1


@pytest.mark.parametrize("ties", ["half-win", "discard"])
def test_ties_are_taken_as_the_fit_took_them(tally, ties):
    fit = BradleyTerry(ties=ties, order_effect=True).fit(tally)
    panel, delta = make_panel(fit, tally, 1.0)
    assert panel.likelihood.counts.sum() == pytest.approx(fit.likelihood.counts.sum())
    assert panel.expand(np.full(panel.size, delta)).value.sum() == pytest.approx(fit.loglik)

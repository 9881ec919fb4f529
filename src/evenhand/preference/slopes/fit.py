"""What a fit of judge slopes holds: worths, τ with its test and interval, a slope per judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.distributions import chi2_tail
from evenhand.preference.coefficients import Coefficient, finite, format_p
from evenhand.preference.tables import find_system, list_coefficients, reference_row
from evenhand.preference.ties.laws import TieLaw

if TYPE_CHECKING:
    from evenhand.preference.judge_slopes import JudgeSlopes

Array = NDArray[np.float64]
MIXING: Final = 401
"""Points over the population of judges in predictions, evenly spaced: exact to ten digits at every
τ that is fitted, since the chances are smooth in z on a scale of 1/τ."""
FARTHEST: Final = 9.0
"""Standard deviations beyond which there is no judge."""
AT_ONCE: Final = 2_000
"""Pairs that are predicted at once, so that memory stays small."""
SHOWN: Final = 5
LEVEL: Final = 0.05
QUARTILE: Final = 0.6744897501960817


@dataclass(frozen=True, eq=False)
class Slopes:
    """The judges' slopes given the data, worths and τ taken as known.

    Attributes:
        judges: names.
        estimate: (J,) posterior median; 1 is a judge in the middle (geometric mean 1).
        lower: (J,) .025 quantile of the posterior.
        upper: (J,) .975 quantile.
        comparisons: (J,) comparisons of each judge.

    """

    judges: tuple[str, ...]
    estimate: Array
    lower: Array
    upper: Array
    comparisons: Array


@dataclass(frozen=True)
class TauTest:
    """The likelihood-ratio test of τ = 0, at the boundary.

    Attributes:
        statistic: twice the difference in log-likelihood.
        p: P-value of the mixture ½χ²₀ + ½χ²₁ (Self & Liang 1987).

    """

    statistic: float
    p: float

    @classmethod
    def make(cls, gain: float) -> TauTest:
        """Return the test of a gain in log-likelihood (nats)."""
        statistic = max(2 * gain, 0.0)
        return cls(statistic, chi2_tail(statistic, 1) / 2 if statistic > 0 else 1.0)


@dataclass(frozen=True, eq=False)
class SlopesFit:
    """A fitted model with judge slopes.

    Attributes:
        model: the settings.
        systems: the K systems, sorted by name.
        names: parameters in the papers' names: o1..oK without the reference, g1 where it is free.
        labels: the same in the user's words.
        estimate: (p,) λ and γ, for a judge of slope 1.
        vcov: (p + 1, p + 1) covariance of these and of log τ; without the last where τ is 0.
        tau: standard deviation of the judges' log-slopes.
        tau_interval: its .95 interval; infinity where it has no upper end; None on rankings.
        tau_method: how that was found, "profile likelihood", "Wald on log τ" or "none".
        tau_test: the likelihood-ratio test of τ = 0; None on rankings, whose comparisons hang
            together.
        slopes: the judges' slopes.
        loglik: marginal log-likelihood (nats).
        flat_loglik: that of the same model with τ = 0.
        n_judgments: answers, a ranking being one.
        n_comparisons: comparisons that were used.
        nodes: nodes of the integral per judge.
        quadrature_error: change in log-likelihood with twice as many (nats).
        notes: what a report should say beside the estimates.
        law: the tie law.
        reference: code of the system whose λ is zero.

    """

    model: JudgeSlopes
    systems: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    estimate: Array
    vcov: Array
    tau: float
    tau_interval: tuple[float, float] | None
    tau_method: str
    tau_test: TauTest | None
    slopes: Slopes
    loglik: float
    flat_loglik: float
    n_judgments: float
    n_comparisons: float
    nodes: int
    quadrature_error: float
    notes: tuple[str, ...]
    law: TieLaw
    reference: int

    @cached_property
    def lambdas(self) -> Array:
        """(K,) λ, the reference at 0."""
        return np.insert(self.estimate[: len(self.systems) - 1], self.reference, 0.0)

    @property
    def log_worth(self) -> Array:
        """(K,) log-worth = 2λ (natural log-odds of a judge of slope 1), the reference at 0."""
        return 2 * self.lambdas

    @cached_property
    def worth_vcov(self) -> Array:
        """(K, K) covariance of `log_worth`; judges are its clusters, by the model."""
        k = len(self.systems)
        full = np.zeros((k, k))
        others = np.delete(np.arange(k), self.reference)
        full[np.ix_(others, others)] = 4 * self.vcov[: k - 1, : k - 1]
        return full

    @property
    def assumes(self) -> str:
        """What the covariance takes for independent."""
        return "judgments independent given judges' slopes"

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Every parameter; τ last, without z and p, since 0 is the end of its range."""
        errors = np.sqrt(np.diag(self.vcov))
        p = len(self.names)
        rows = list_coefficients(self.names, self.labels, self.estimate, errors[:p])
        rows.insert(self.reference, reference_row(self.systems, self.reference))
        stderr = self.tau * float(errors[p]) if len(errors) > p else None
        return (*rows, Coefficient("tau", "judge slopes", self.tau, stderr, None, None))

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        named = self.systems[self.reference]
        return (f"ties={self.model.ties}", f"reference={named}", f"{self.nodes} nodes")

    @property
    def extras(self) -> Mapping[str, Any]:
        """What stands beside the coefficients, for machines: None for what there is not."""
        test, own = self.tau_test, self.slopes
        columns = (own.estimate, own.lower, own.upper, own.comparisons)
        rows = zip(own.judges, *(column.tolist() for column in columns), strict=True)
        names = ("judge", "estimate", "lower", "upper", "comparisons")
        return {
            "tau": self.tau,
            "tau_interval": [finite(end) for end in self.tau_interval or (np.inf, np.inf)],
            "lr_statistic": None if test is None else test.statistic,
            "lr_p": None if test is None else test.p,
            "flat_loglik": self.flat_loglik,
            "n_judges": float(len(own.judges)),
            "slopes": [dict(zip(names, row, strict=True)) for row in rows],
        }

    @cached_property
    def says(self) -> tuple[str, ...]:
        """What was found, in lines for people."""
        said = [
            self._say_tau(),
            self._say_test(),
            f"log-likelihood {self.loglik:.4f}, without slopes {self.flat_loglik:.4f}",
        ]
        if self.tau > 0 and self.tau_test is not None:
            order = np.argsort(self.slopes.estimate, kind="stable")[:SHOWN].tolist()
            said.append(f"flattest: {', '.join(map(self._name_slope, order))}")
        said.append(
            f"{self.nodes} nodes per judge; twice as many change the log-likelihood"
            f" by {self.quadrature_error:.0e}"
        )
        return tuple(said)

    def _say_tau(self) -> str:
        if self.tau_interval is None:
            return f"judges' slopes: τ {self.tau:.3f}, too large on rankings"
        lower, upper = self.tau_interval
        ends = f"{lower:.3f} to {'no upper end' if upper == np.inf else f'{upper:.3f}'}"
        spread = np.exp(QUARTILE * self.tau)
        return (
            f"judges' slopes: τ {self.tau:.3f}, 95 % interval {ends} ({self.tau_method});"
            f" half of all judges lie between {1 / spread:.2f} and {spread:.2f}"
        )

    def _say_test(self) -> str:
        test = self.tau_test
        if test is None:
            return "no LR test of τ = 0: judges who do not differ have a τ on rankings, too"
        p = format_p(test.p)
        found = f"LR test of τ = 0: {test.statistic:.4f}, p {p} (½χ²₀ + ½χ²₁): judges"
        if test.p > LEVEL:
            return f"{found} are not shown to differ in how sharply they tell systems apart"
        return (
            f"{found} differ in how sharply they tell systems apart, if they differ in nothing"
            " else: differences of taste look the same; compare --model random-judges"
        )

    def _name_slope(self, judge: int) -> str:
        own = self.slopes
        ends = f"{own.lower[judge]:.2f} to {own.upper[judge]:.2f}"
        return f"{own.judges[judge]} {own.estimate[judge]:.2f} ({ends})"

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right for a judge drawn from the population.

        Args:
            pairs: systems (left, right).

        Raises:
            InvalidJudgments: a system that the fit does not know.

        """
        codes = np.array(
            [[find_system(self.systems, name) for name in pair] for pair in pairs], dtype=np.intp
        )
        gaps = self.lambdas[codes[:, 0]] - self.lambdas[codes[:, 1]] if len(pairs) else np.zeros(0)
        gamma = float(self.estimate[-1]) if self.law.free else 0.0
        z = np.linspace(-FARTHEST, FARTHEST, MIXING)
        weights = np.exp(-(z**2) / 2)
        mixed = np.empty((len(gaps), 3))
        for first in range(0, len(gaps), AT_ONCE):
            some = gaps[first : first + AT_ONCE]
            eta = np.exp(self.tau * z)[:, None] * some
            chances = np.exp(self.law.log_chances(eta.reshape(-1), gamma))
            mean = weights @ chances.reshape(len(z), -1) / weights.sum()
            mixed[first : first + AT_ONCE] = mean.reshape(-1, 3)
        return mixed

    def __repr__(self) -> str:
        return (
            f"SlopesFit({self.model.ties}: {len(self.systems)} systems,"
            f" {len(self.slopes.judges):,} judges, τ {self.tau:.4f}, loglik {self.loglik:.4f})"
        )

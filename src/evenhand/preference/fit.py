"""What a fit holds: estimates with covariance, how well they fit, and predictions.

It is on the papers' λ scale; log-worth = 2λ is natural log-odds, worth π = exp(2λ) / Σ exp(2λ).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.judgments.tally import Tally
from evenhand.numerics.distributions import chi2_tail
from evenhand.preference.coefficients import Coefficient, Contrast, LRTest
from evenhand.preference.covariance import Covariance, spread_vcov
from evenhand.preference.design import Design
from evenhand.preference.likelihood import Likelihood, saturated_loglik
from evenhand.preference.summary import Summary, list_settings, say_fit
from evenhand.preference.tables import find_system, list_coefficients, reference_row, share_worths
from evenhand.preference.ties.laws import TwoOutcomes

if TYPE_CHECKING:
    from evenhand.preference.bradley_terry import BradleyTerry
    from evenhand.preference.quasi_variance import QuasiVariances

Array = NDArray[np.float64]
THIN = 5.0


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted log-linear model.

    Attributes:
        model: the settings.
        systems: the K systems, sorted by name.
        names: parameters in the papers' names: o1..oK, g1 (tau for thresholds), order.
        labels: the same in the user's words: system names, tie, order.
        estimate: (p,) on the λ scale.
        covariance: of the parameters; None where K is too large to form it.
        beta: parameters as the likelihood takes them.
        loglik: log-likelihood of the data (nats), prior left out.
        df: residual degrees of freedom, over cells that exist (INFERENCE B7).
        n_judgments: answers, a ranking being one.
        n_comparisons: pairs.
        steps: Newton steps.
        decrement: Newton decrement squared at the end.
        notes: what a report should say beside the estimates.
        likelihood: design, tie law and counts.
        tally: the pooled counts.

    """

    model: BradleyTerry
    systems: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    estimate: Array
    covariance: Covariance | None
    beta: Array
    loglik: float
    df: int
    n_judgments: float
    n_comparisons: float
    steps: int
    decrement: float
    notes: tuple[str, ...]
    likelihood: Likelihood
    tally: Tally

    @property
    def design(self) -> Design:
        """The map from parameters to worths."""
        return self.likelihood.design

    @property
    def groups(self) -> tuple[str, ...]:
        """Judge groups with parameters of their own; ("",) where all judges are one group."""
        ties = self.likelihood.ties
        return self.design.groups if ties is None else ties.groups

    @cached_property
    def vcov(self) -> Array | None:
        """(p, p) model-based covariance of `estimate`, or None where K is too large to form it."""
        found, at = self.covariance, self.likelihood.n_worths
        if found is None or "tau" not in self.names[at:]:
            return None if found is None else found.matrix
        return found.unlogged(at, self.estimate[at])

    @cached_property
    def deviance(self) -> float:
        """Twice what the saturated model gains in log-likelihood (nats)."""
        return max(2 * (saturated_loglik(self.likelihood.counts) - self.loglik), 0.0)

    @cached_property
    def _rows(self) -> Array:
        """(K, p) λ of every system by the reported parameters, in the reference group."""
        rows = self.design.rows()
        return np.pad(rows, ((0, 0), (0, len(self.names) - rows.shape[1])))

    @cached_property
    def lambdas(self) -> Array:
        """(K,) λ of the systems, the reference at 0, in the reference group."""
        if self.design.matrix is None:
            return self.design.worths(self.beta[: len(self.design.names)])
        return np.asarray(self._rows @ self.estimate)

    @property
    def log_worth(self) -> Array:
        """(K,) log-worth = 2λ (natural log-odds), the reference at 0."""
        return 2 * self.lambdas

    @cached_property
    def worth_vcov(self) -> Array:
        """(K, K) covariance of `log_worth`, the reference at 0.

        Raises:
            NotIdentified: too many systems for a K × K matrix.

        """
        if self.vcov is None:
            raise NotIdentified(
                f"{len(self.systems):,} systems are too many for a K × K covariance: ask for"
                " contrasts of named systems, fit.contrasts([('a', 'b')])"
            )
        return self.to_worth(self.vcov)

    def to_worth(self, vcov: Array) -> Array:
        """Turn any (p, p) covariance of the parameters into (K, K) of `log_worth`."""
        if self.design.matrix is not None:
            return np.asarray(4 * self._rows @ vcov @ self._rows.T)
        return spread_vcov(vcov, len(self.systems), self.design.reference)

    @cached_property
    def raw_vcov(self) -> Array:
        """(p, p) covariance of `beta`: as `vcov`, but with thresholds as log τ; raises likewise."""
        if self.covariance is None:
            raise NotIdentified(f"{len(self.systems):,} systems are too many for a covariance")
        return self.covariance.matrix

    @cached_property
    def lambda_stderr(self) -> Array:
        """(K,) model-based standard errors of λ against the reference."""
        return np.sqrt(np.diag(self.worth_vcov)) / 2

    @cached_property
    def worths(self) -> dict[str, float]:
        """Worth π of each system; they sum to one."""
        return share_worths(self.systems, self.log_worth)

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Every parameter with standard error, z and p; the reference stands at 0 without."""
        errors = None if self.vcov is None else np.sqrt(np.diag(self.vcov))
        rows = list_coefficients(self.names, self.labels, self.estimate, errors)
        if not self.model.system_covariates:
            rows.insert(self.design.reference, reference_row(self.systems, self.design.reference))
        return tuple(rows)

    @property
    def n_parameters(self) -> int:
        """Number of parameters, those at −∞ included: the data chose them as well."""
        ties = self.likelihood.ties
        return len(self.names) + (0 if ties is None else len(ties.endless))

    @property
    def aic(self) -> float:
        """Akaike's criterion, −2ℓ + 2p; assumes independent judgments."""
        return -2 * self.loglik + 2 * self.n_parameters

    @property
    def bic(self) -> float:
        """Schwarz's criterion, −2ℓ + p log n, n judgments, which it takes for independent."""
        return float(-2 * self.loglik + self.n_parameters * np.log(self.n_judgments))

    @cached_property
    def expected(self) -> Array:
        """(C, cells) counts that the model expects, beside `observed`."""
        worths, tie, order, _ = self.likelihood.parts(self.beta)
        logs = self.likelihood.law.log_chances(self.likelihood.eta(worths, order), tie)
        totals = self.likelihood.counts.sum(axis=1, keepdims=True)
        return np.asarray((totals * np.exp(logs))[:, self._cells])

    @property
    def observed(self) -> Array:
        """(C, cells) counts: left, tie, right, or left and right where ties are no outcome."""
        return self.likelihood.counts[:, self._cells]

    @property
    def _cells(self) -> list[int]:
        return [0, 2] if isinstance(self.likelihood.law, TwoOutcomes) else [0, 1, 2]

    @cached_property
    def pearson(self) -> float:
        """Pearson's X²."""
        return float(((self.observed - self.expected) ** 2 / self.expected).sum())

    @cached_property
    def thin(self) -> float:
        """Share of cells with an expected count below 5."""
        return float((self.expected < THIN).mean())

    @property
    def of_rankings(self) -> bool:
        """Whether one answer makes several comparisons."""
        return self.n_judgments < self.tally.n_comparisons * (1 - 1e-9)

    @cached_property
    def gof_p(self) -> float | None:
        """P-value of the deviance; None where it is no χ² (half-wins, prior, rankings, no df)."""
        unlike = self.model.ties == "half-win" or self.model.prior or self.tally.squares is not None
        if self.df <= 0 or unlike or self.of_rankings:
            return None
        return chi2_tail(self.deviance, self.df)

    @cached_property
    def equal_worths(self) -> LRTest | None:
        """Test of all worths being equal, in every group; None without a likelihood to test by."""
        from evenhand.preference.nested import compare_equal

        return compare_equal(self)

    def lr_test(self, other: Fit) -> LRTest:
        """Test the smaller of two nested models against the larger; assumes independence.

        Raises:
            UnknownOption: their likelihoods are not of the same data in the same form.

        """
        from evenhand.preference.nested import compare_nested

        return compare_nested(self, other)

    def code(self, system: str) -> int:
        """Return the code of a system.

        Raises:
            InvalidJudgments: there is none of that name.

        """
        return find_system(self.systems, system)

    def predict(self, pairs: Sequence[tuple[str, str]], *, group: str | None = None) -> Array:
        """Return (n, 3) chances of left, tie, right for pairs (left, right) of systems.

        Args:
            pairs: the system shown first, and the other.
            group: judge group, where groups have worths of their own; the reference by default.

        Raises:
            InvalidJudgments: a system or group that the fit does not know.
            NotIdentified: the group never saw one of the systems.

        """
        from evenhand.preference.prediction import predict_pairs

        return predict_pairs(self, [(self.code(a), self.code(b)) for a, b in pairs], group)

    def contrasts(self, pairs: Sequence[tuple[str, str]]) -> tuple[Contrast, ...]:
        """Return differences in log-worth between pairs of systems, with model-based errors.

        Raises:
            InvalidJudgments: a system that the fit does not know, or a system with itself.

        """
        from evenhand.preference.prediction import contrast_pairs

        return contrast_pairs(self, pairs)

    def quasi_variances(self) -> QuasiVariances:
        """Return quasi-variances of λ with their worst error (Firth & de Menezes 2004)."""
        from evenhand.preference.quasi_variance import find_quasi_variances

        return find_quasi_variances(self.systems, self.worth_vcov / 4)

    @property
    def says(self) -> tuple[str, ...]:
        """Lines for people: goodness of fit, tests, cautions."""
        return say_fit(self)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        return list_settings(self.model)

    def summary(self) -> Summary:
        """Return the coefficient table; it prints in a terminal and in a notebook."""
        return Summary(self)

    def __repr__(self) -> str:
        return (
            f"Fit({self.model.ties}: {len(self.systems)} systems,"
            f" {self.n_comparisons:,.0f} comparisons, deviance {self.deviance:.4f} on {self.df} df)"
        )

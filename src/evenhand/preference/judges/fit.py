"""What a fit with random judges holds: worths of the mean judge, how far judges are from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, name_near
from evenhand.preference.coefficients import Coefficient, Contrast, LRTest, finite
from evenhand.preference.judges.check import IntegralCheck
from evenhand.preference.judges.dealing import DealTest
from evenhand.preference.judges.estimation import Peak
from evenhand.preference.judges.likelihood import Panel
from evenhand.preference.judges.tastes import Taste, find_tastes
from evenhand.preference.judges.words import say
from evenhand.preference.tables import (
    contrast_systems,
    find_system,
    list_coefficients,
    reference_row,
    share_worths,
)
from evenhand.preference.ties.laws import Davidson, TwoOutcomes

if TYPE_CHECKING:
    from evenhand.preference.random_judges import RandomJudges

Array = NDArray[np.float64]
NODES = 41
"""Nodes of the sum over a new judge's log-odds, more in proportion where σ exceeds 1."""


@dataclass(frozen=True, eq=False)
class RandomJudgesFit:
    """A fitted model of judges with tastes of their own.

    Attributes:
        model: the settings.
        systems: the K systems, sorted by name.
        labels_of_judges: the judges, sorted.
        names: parameters in the papers' names: o1..oK without the reference, g1.
        labels: the same in the user's words.
        sigma: standard deviation of judges' log-worths around the mean judge's (log-odds).
        sigma_interval: ends of its profile likelihood interval; 0 and infinity where there is none;
            None of rankings, whose comparisons hang together: σ is then an upper bound.
        sigma_ml: the maximum likelihood estimate of σ, without adjustment.
        lr_test: likelihood-ratio test of σ = 0; None of rankings.
        deal_test: of rankings, the test that judges do not differ by random deals of rankings to
            judges; None otherwise, and where the data do not tell rankings apart.
        loglik: largest log-likelihood with tastes integrated out (nats).
        pooled_loglik: that of the same model with σ = 0.
        check: importance sampling of the integrals; None at σ = 0.
        n_judges: judges with a judgment that counts.
        n_judgments: answers.
        n_comparisons: pairs, as the tie rule takes them.
        notes: what a report should say beside the estimates.
        panel: judges' answers.
        peak: the estimates and their covariance.

    """

    model: RandomJudges
    systems: tuple[str, ...]
    labels_of_judges: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    sigma: float
    sigma_interval: tuple[float, float] | None
    sigma_ml: float
    lr_test: LRTest | None
    deal_test: DealTest | None
    loglik: float
    pooled_loglik: float
    check: IntegralCheck | None
    n_judges: int
    n_judgments: float
    n_comparisons: float
    notes: tuple[str, ...]
    panel: Panel
    peak: Peak

    @property
    def reference(self) -> str:
        """The system with log-worth 0."""
        return self.systems[self.panel.reference]

    @cached_property
    def _scale(self) -> Array:
        """(p,) what turns log-worths into λ and keeps γ."""
        return np.array([0.5] * (len(self.systems) - 1) + [1.0] * self.panel.ties)

    @property
    def estimate(self) -> Array:
        """(p,) the parameters as `names` has them, worths on the λ scale."""
        return self.peak.beta[: len(self.names)] * self._scale

    @property
    def vcov(self) -> Array:
        """(p, p) covariance of `estimate`; judges, not judgments, are taken for independent."""
        p = len(self.names)
        return self.peak.vcov[:p, :p] * self._scale * self._scale[:, None]

    @property
    def log_worth(self) -> Array:
        """(K,) log-worth of the mean judge (natural log-odds), the reference at 0."""
        return np.insert(self.peak.beta[: len(self.systems) - 1], self.panel.reference, 0.0)

    @property
    def lambdas(self) -> Array:
        """(K,) λ, half of the log-worth."""
        return self.log_worth / 2

    @cached_property
    def worth_vcov(self) -> Array:
        """(K, K) covariance of `log_worth`, the variance between judges in it."""
        k, at = len(self.systems), self.panel.reference
        inner = self.peak.vcov[: k - 1, : k - 1]
        return np.insert(np.insert(inner, at, 0.0, axis=0), at, 0.0, axis=1)

    @property
    def assumes(self) -> str:
        """What the covariance takes for independent."""
        return "judges independent, each with a taste, their judgments independent given it"

    @property
    def gamma(self) -> float | None:
        """Davidson's γ for every judge; None without ties."""
        return float(self.estimate[-1]) if self.panel.ties else None

    @cached_property
    def worths(self) -> dict[str, float]:
        """Worth π of each system to the mean judge; they sum to one."""
        return share_worths(self.systems, self.log_worth)

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Worths (λ) and γ with standard error, z and p; σ is no coefficient, it stands apart."""
        errors, at = np.sqrt(np.diag(self.vcov)), self.panel.reference
        rows = list_coefficients(self.names, self.labels, self.estimate, errors)
        rows.insert(at, reference_row(self.systems, at))
        return tuple(rows)

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in lines for people."""
        interval = self.sigma_interval
        claim = None if interval is None else (interval, self.model.level)
        return say(self.sigma, claim, self.lr_test or self.deal_test, self.check)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """The settings that change numbers."""
        model = self.model
        restricted = "restricted" if model.restricted else "ml"
        named = (f"ties={model.ties}", f"method={model.method}", f"reference={self.reference}")
        return (*named, restricted, f"level={model.level:g}", f"seed={model.seed}")

    def code(self, system: str) -> int:
        """Return the place of a system.

        Raises:
            InvalidJudgments: the fit does not know it.

        """
        return find_system(self.systems, system)

    def contrasts(self, pairs: Sequence[tuple[str, str]]) -> tuple[Contrast, ...]:
        """Return differences in log-worth between pairs of systems, with their errors.

        Raises:
            InvalidJudgments: a system that the fit does not know, or a system with itself.

        """
        return contrast_systems(self.systems, self.log_worth, self.worth_vcov, pairs)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right for one answer of a judge not seen before.

        They are averages over judges, so that they are less decided than the mean judge.

        Raises:
            InvalidJudgments: a system that the fit does not know.

        """
        codes = np.array([[self.code(side) for side in pair] for pair in pairs], dtype=np.intp)
        worth = self.log_worth
        left, right = codes.reshape(-1, 2).T
        # an even sum is exact here (softening.py): its error is exp(−2π d / step), d the distance
        # of the nearest pole, π / (√2 σ)
        at = np.linspace(-9.0, 9.0, ceil(NODES * max(1.0, self.sigma)))
        weight = np.exp(-(at**2) / 2)
        log_odds = (worth[left] - worth[right])[:, None] + np.sqrt(2) * self.sigma * at
        law = Davidson() if self.panel.ties else TwoOutcomes()
        chances = np.exp(law.log_chances(log_odds.reshape(-1) / 2, self.gamma or 0.0))
        mean = np.einsum("nqo,q->no", chances.reshape(len(left), len(at), 3), weight / weight.sum())
        return np.asarray(mean / mean.sum(axis=1, keepdims=True))

    def judges(self, names: Sequence[str] | None = None) -> tuple[Taste, ...]:
        """Return tastes of judges, as far as their answers tell: posterior means and errors.

        Args:
            names: the judges to look at; all of them by default.

        Raises:
            InvalidJudgments: a judge that the fit does not know.

        """
        codes = [self._judge(name) for name in (self.labels_of_judges if names is None else names)]
        return find_tastes(self.panel, self.peak, self.systems, self.labels_of_judges, codes)

    @cached_property
    def _judge_codes(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.labels_of_judges)}

    def _judge(self, name: str) -> int:
        if name not in self._judge_codes:
            hint = name_near(name, self.labels_of_judges)
            raise InvalidJudgments(f"no judge '{name}' in this fit.{hint}")
        return self._judge_codes[name]

    @property
    def extras(self) -> Mapping[str, Any]:
        """What stands beside the coefficients, for machines: None for what there is not."""
        test, deal = self.lr_test, self.deal_test
        ends = (None, None) if self.sigma_interval is None else map(finite, self.sigma_interval)
        return {
            "sigma": self.sigma,
            "sigma_interval": [*ends],
            "sigma_ml": self.sigma_ml,
            "lr_statistic": None if test is None else test.statistic,
            "lr_p": None if test is None else test.p,
            "deal_p": None if deal is None else deal.p,
            "pooled_loglik": self.pooled_loglik,
            "n_judges": float(self.n_judges),
        }

    def __repr__(self) -> str:
        ends = self.sigma_interval
        span = "no interval" if ends is None else f"{ends[0]:.4f} to {ends[1]:.4f}"
        return (
            f"RandomJudgesFit({len(self.systems)} systems, {self.n_judges:,} judges,"
            f" {self.n_comparisons:,.0f} comparisons, sigma {self.sigma:.4f} ({span}))"
        )

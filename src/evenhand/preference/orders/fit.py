"""What a fit to whole rankings holds: estimates with covariance, and chances of any ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.order_counting import count_orders
from evenhand.judgments.orders import NONE, Orders
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.tally import Tally
from evenhand.numerics.distributions import normal_quantile
from evenhand.preference.coefficients import Coefficient, Contrast
from evenhand.preference.orders.likelihood import OrderLikelihood
from evenhand.preference.orders.sandwich import ClusteredErrors, by_clusters, by_single_rankings
from evenhand.preference.tables import (
    contrast_systems,
    find_system,
    list_coefficients,
    reference_row,
    share_worths,
)

if TYPE_CHECKING:
    from evenhand.preference.pattern import PatternModel
    from evenhand.preference.plackett_luce import PlackettLuce
    from evenhand.preference.quasi_variance import QuasiVariances

Array = NDArray[np.float64]
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class OrderFit:
    """A fitted model of rankings.

    Attributes:
        model: the settings.
        systems: the K systems, sorted by name.
        names: parameters: o1..oK without the reference, then the law's own (g2, g3, ... or g1).
        labels: the same in the user's words.
        beta: (p,) log-worths without the reference, then the law's own parameters.
        beta_vcov: (p, p) model-based covariance of `beta`, which takes rankings for independent.
        loglik: log-likelihood of the rankings (nats), prior left out.
        df: choices' rivals, less one each, less parameters; see `deviance`.
        n_judgments: rankings.
        n_comparisons: pairs that they hold.
        steps: Newton steps.
        decrement: Newton decrement squared at the end.
        notes: what a report should say beside the estimates.
        likelihood: the law on the rankings.

    """

    model: PlackettLuce | PatternModel
    systems: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    beta: Array
    beta_vcov: Array
    loglik: float
    df: float
    n_judgments: float
    n_comparisons: float
    steps: int
    decrement: float
    notes: tuple[str, ...]
    likelihood: OrderLikelihood

    @property
    def reference(self) -> str:
        """The system with log-worth 0."""
        return self.systems[self.likelihood.reference]

    @property
    def log_worth(self) -> Array:
        """(K,) log-worth (natural log-odds), the reference at 0."""
        return self.likelihood.widen(self.beta)[0]

    @property
    def lambdas(self) -> Array:
        """(K,) λ, half of the log-worth."""
        return self.log_worth / 2

    @cached_property
    def _scale(self) -> Array:
        """(p,) what turns `beta` into `estimate`: log-worths into λ."""
        extras = len(self.likelihood.law.extras)
        return np.array([0.5] * (len(self.beta) - extras) + [1.0] * extras)

    @property
    def estimate(self) -> Array:
        """(p,) the parameters as `names` has them, worths on the λ scale."""
        return self.beta * self._scale

    @property
    def vcov(self) -> Array:
        """(p, p) model-based covariance of `estimate`."""
        return self.beta_vcov * self._scale * self._scale[:, None]

    @cached_property
    def worth_vcov(self) -> Array:
        """(K, K) model-based covariance of `log_worth`, the reference at 0."""
        return self._to_worth(self.beta_vcov)

    def _to_worth(self, vcov: Array) -> Array:
        k = len(self.systems)
        whole = np.zeros((k, k))
        others = np.delete(np.arange(k), self.likelihood.reference)
        whole[np.ix_(others, others)] = vcov[: k - 1, : k - 1]
        return whole

    @property
    def assumes(self) -> str:
        """What the covariance takes for independent."""
        return "independent rankings"

    @cached_property
    def worths(self) -> dict[str, float]:
        """Worth π of each system; they sum to one."""
        return share_worths(self.systems, self.log_worth)

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Every parameter with standard error, z and p; the reference stands at 0 without."""
        errors, at = np.sqrt(np.diag(self.vcov)), self.likelihood.reference
        rows = list_coefficients(self.names, self.labels, self.estimate, errors)
        rows.insert(at, reference_row(self.systems, at))
        return tuple(rows)

    @property
    def deviance(self) -> float:
        """−2ℓ, on `df`: against certainty of every choice, so that it tests no fit."""
        return -2 * self.loglik

    @property
    def aic(self) -> float:
        """Akaike's criterion; assumes independent rankings."""
        return -2 * self.loglik + 2 * len(self.beta)

    @property
    def bic(self) -> float:
        """Schwarz's criterion of n independent rankings."""
        return float(-2 * self.loglik + len(self.beta) * np.log(self.n_judgments))

    @property
    def says(self) -> tuple[str, ...]:
        """Lines for people: what ties weigh, how many rankings, what the errors assume."""
        z = normal_quantile((1 + LEVEL) / 2)
        lines = []
        extras = len(self.likelihood.law.extras)
        for one in self.coefficients[len(self.coefficients) - extras :] if extras else ():
            half = z * (one.stderr or 0.0)
            low, at, high = np.exp([one.estimate - half, one.estimate, one.estimate + half])
            symbol = "ν" if one.name == "g1" else f"δ{one.name[1:]}"
            lines.append(f"{one.label}: {symbol} {at:.4g} ({LEVEL:.0%} {low:.4g} to {high:.4g})")
        return (
            *lines,
            f"deviance {self.deviance:.4f} on {self.df:,.0f} df, which tests no fit",
            "standard errors take rankings for independent of each other",
        )

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        model = self.model
        return (model.ties, *([f"prior {model.prior:g} per system"] if model.prior else []))

    def _code(self, system: str) -> int:
        return find_system(self.systems, system)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right where only two outputs are compared.

        Raises:
            InvalidJudgments: a system that the fit does not know, or a system with itself.

        """
        asked: tuple[list[Sequence[Sequence[str]]], ...] = (
            [([a], [b]) for a, b in pairs],
            [([a, b],) for a, b in pairs],
            [([b], [a]) for a, b in pairs],
        )
        columns = [self.log_probs(self._orders(rankings)) for rankings in asked]
        return np.exp(np.stack(columns, axis=1))

    def log_prob(self, ranking: Sequence[str | Sequence[str]]) -> float:
        """Return the log-probability (nats) of a whole ranking, given which outputs were ranked.

        Args:
            ranking: systems best first; those that tie as a list or tuple of their own.

        Raises:
            InvalidJudgments: a system that the fit does not know, or that stands in it twice.

        """
        return float(self.log_probs(self._orders([ranking]))[0])

    def log_probs(self, orders: Orders) -> Array:
        """Return (R,) log-probabilities (nats) of rankings, −∞ for ties of a size never seen.

        Args:
            orders: rankings of systems of the fit, such as held-out ones.

        """
        codes = np.array([self._code(system) for system in orders.systems], dtype=np.int32)
        outputs = np.where(orders.outputs == NONE, NONE, codes[orders.outputs]).astype(np.int32)
        own = Orders(self.systems, outputs, orders.places, orders.weights)
        law, found = self.likelihood.law, np.full(len(outputs), -np.inf)
        held = np.flatnonzero(~law.impossible(own))
        kept = Orders(self.systems, outputs[held], own.places[held], own.weights[held])
        of_kept = OrderLikelihood(law, kept, self.likelihood.reference)
        found[held] = of_kept.log_probs(self.beta)
        return found

    def _orders(self, rankings: Sequence[Sequence[str | Sequence[str]]]) -> Orders:
        """Write rankings as arrays, in their order."""
        rows = [
            [(self._code(name), place) for place, tied in enumerate(ranking) for name in _all(tied)]
            for ranking in rankings
        ]
        widest = max((len(row) for row in rows), default=2)
        table = np.full((2, len(rows), widest), NONE, dtype=np.int32)
        for i, row in enumerate(rows):
            codes = [code for code, _ in row]
            if len(set(codes)) < len(codes):
                raise InvalidJudgments(f"{rankings[i]} ranks a system twice")
            table[:, i, : len(row)] = np.array(row, dtype=np.int32).reshape(-1, 2).T
        return Orders(self.systems, table[0], table[1], np.ones(len(rows)))

    def contrasts(self, pairs: Sequence[tuple[str, str]]) -> tuple[Contrast, ...]:
        """Return differences in log-worth between pairs of systems, with model-based errors.

        Raises:
            InvalidJudgments: a system that the fit does not know, or a system with itself.

        """
        return contrast_systems(self.systems, self.log_worth, self.worth_vcov, pairs)

    def quasi_variances(self) -> QuasiVariances:
        """Return quasi-variances of λ with their worst error (Firth & de Menezes 2004)."""
        from evenhand.preference.quasi_variance import find_quasi_variances

        return find_quasi_variances(self.systems, self.worth_vcov / 4)

    def cluster_vcov(self, data: Rankings | Comparisons | Tally, by: str) -> ClusteredErrors:
        """Return covariances that allow for rankings of one judge (item, ...) hanging together.

        Args:
            data: the rankings that the model was fitted to.
            by: the column whose levels are the clusters; "ranking" for each ranking by itself.

        Raises:
            InvalidJudgments: other rankings than those of the fit.
            NotIdentified: too few clusters, or one that alone links some systems to the rest.
            UnknownColumn: no such column.

        """
        bread, kind = self.beta_vcov, "CR1"
        if by == "ranking":
            vcov = by_single_rankings(self.likelihood, self.beta, bread)
            clusters = int(self.n_judgments)
        else:
            orders = count_orders(data, by)
            if orders.systems != self.systems or orders.n_judgments != self.n_judgments:
                raise InvalidJudgments("these are not the rankings that the model was fitted to")
            apart = OrderLikelihood(self.likelihood.law, orders, self.likelihood.reference)
            vcov, kind, clusters = by_clusters(apart, self.beta, bread)
        scaled = vcov * self._scale * self._scale[:, None]
        return ClusteredErrors(by, kind, clusters, scaled, self._to_worth(vcov))

    def __repr__(self) -> str:
        return (
            f"OrderFit({type(self.model).__name__}: {len(self.systems)} systems,"
            f" {self.n_judgments:,.0f} rankings, loglik {self.loglik:.4f})"
        )


def _all(tied: str | Sequence[str]) -> Sequence[str]:
    return (tied,) if isinstance(tied, str) else tied

"""What a fitted mElo holds: worths, coordinates in planes, and which systems go in circles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.coefficients import Coefficient
from evenhand.preference.cyclic.circles import Circle, cyclic_share, strongest_circle
from evenhand.preference.cyclic.likelihood import cyclic_part
from evenhand.preference.cyclic.noise import DRAWS, Noise
from evenhand.preference.cyclic.strength import Strength
from evenhand.preference.pair_counts import code_sides
from evenhand.preference.ties.laws import TieLaw

if TYPE_CHECKING:
    from evenhand.preference.melo import MElo

Array = NDArray[np.float64]
CAUTION: Final = "held-out judgments say whether that predicts anything"
SURE: Final = 0.05
"""Largest share of simulated campaigns with as much noise at which a circle is named."""


@dataclass(frozen=True, eq=False)
class MEloFit:
    """A fitted mElo.

    Attributes:
        model: the settings.
        systems: the K systems, sorted by name.
        log_worth: (K,) r (log-odds), of mean zero: a system's mean log-odds against all.
        coordinates: (K, 2k) c, of mean zero in each column; two columns are a plane.
        gamma: γ of ties; None where none was seen, or where they are discarded.
        law: the law of ties.
        strength: the penalty on c.
        noise: campaigns without circles; None where there can be none, with two systems.
        loglik: log-likelihood (nats), penalty and prior left out.
        flat_loglik: that of the same model without circles.
        starts: climbs that were made.
        agreed: how many of them ended at the best maximum.
        n_judgments: answers, a ranking being one.
        n_comparisons: comparisons that were used.
        notes: what a report should say beside the estimates.

    """

    model: MElo
    systems: tuple[str, ...]
    log_worth: Array
    coordinates: Array
    gamma: float | None
    law: TieLaw
    strength: Strength
    noise: Noise | None
    loglik: float
    flat_loglik: float
    starts: int
    agreed: int
    n_judgments: float
    n_comparisons: float
    notes: tuple[str, ...]

    @property
    def worth_vcov(self) -> None:
        """None: a penalised estimate has no covariance to go by; resample judges or items."""
        return None

    @cached_property
    def odds(self) -> Array:
        """(K, K) log-odds of row against column, ties aside."""
        worth = self.log_worth
        return np.asarray(worth[:, None] - worth + cyclic_part(self.coordinates))

    @cached_property
    def share(self) -> float:
        """Share of the variance of log-odds over all pairs that goes round in circles."""
        return cyclic_share(self.log_worth, self.coordinates)

    @cached_property
    def circle(self) -> Circle | None:
        """The strongest circle of three systems, if there is any that noise does not explain."""
        return strongest_circle(self.odds) if self.shows_circles else None

    @property
    def noise_p(self) -> float | None:
        """Share of simulated campaigns without circles whose residuals have as large a norm.

        It is simulated when first asked for. None with two systems.
        """
        return None if self.noise is None else self.noise.p

    @property
    def shows_circles(self) -> bool:
        """Whether the residuals without circles are larger than noise makes them (at .05)."""
        return self.noise_p is not None and self.noise_p <= SURE

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Every parameter, without errors: o is r / 2, g1 is γ, c are coordinates."""
        rows = [
            (f"o{i + 1}", name, float(worth) / 2)
            for i, (name, worth) in enumerate(zip(self.systems, self.log_worth, strict=True))
        ]
        rows += [] if self.gamma is None else [("g1", "tie", self.gamma)]
        if self.share:
            rows += [
                (f"c{i + 1}:{d + 1}", f"{name} on axis {d + 1}", float(value))
                for i, name in enumerate(self.systems)
                for d, value in enumerate(self.coordinates[i])
            ]
        return tuple(Coefficient(*row, None, None, None) for row in rows)

    @property
    def scale(self) -> str:
        """What the estimates of `coefficients` are."""
        return "lambda and coordinates" if self.share else "lambda"

    @property
    def extras(self) -> Mapping[str, Any]:
        """What stands beside the coefficients, for machines."""
        circle = self.circle
        return {
            "strength": self.strength.value,
            "cyclic_share": self.share,
            "noise_p": self.noise_p,
            "flat_loglik": self.flat_loglik,
            "circle": None if circle is None else [self.systems[i] for i in circle.systems],
            "coordinates": [
                {"system": name, "at": at}
                for name, at in zip(self.systems, self.coordinates.tolist(), strict=True)
            ],
        }

    @property
    def says(self) -> tuple[str, ...]:
        """Lines for people: how much goes in circles, and which systems."""
        errors = "no standard errors: the penalty leaves no likelihood to take them from"
        if self.noise is None:
            alone = "with two systems there can be no circle: this is Bradley and Terry's model"
            return (alone, f"log-likelihood {self.loglik:.4f}", errors)
        if not self.share:
            said = ["the penalty leaves no circles: this is Bradley and Terry's model"]
        else:
            share = "less than 1 %" if self.share < 0.01 else f"{100 * self.share:.0f} %"
            said = [f"{share} of the variance of log-odds goes round in circles; {CAUTION}"]
        said.append(self._say_noise())
        if self.share and self.shows_circles:
            said.append(self._say_circle())
        return (
            *said,
            f"log-likelihood {self.loglik:.4f}, without circles {self.flat_loglik:.4f}",
            f"penalty {self.strength.value:.4g} ({self.strength.chosen});"
            f" {self.agreed} of {self.starts} starts ended here",
            errors,
        )

    def _say_noise(self) -> str:
        verdict = "more than noise" if self.shows_circles else "no sign of circles"
        return (
            f"the flat model alone gives as much in {100 * (self.noise_p or 0):.0f} % of {DRAWS}"
            f" simulated campaigns: {verdict}"
        )

    def _say_circle(self) -> str:
        circle = self.circle
        if circle is None:
            return "no three systems are preferred in a circle; " + self._say_upset()
        names = [self.systems[i] for i in circle.systems]
        chances = (1 / (1 + np.exp(-np.array(circle.odds)))).tolist()
        (a, b, c), (p, q, r) = names, (f"{100 * chance:.0f} %" for chance in chances)
        return (
            f"strongest circle: {a} is preferred to {b} in {p}, {b} to {c} in {q}, {c} to {a} in"
            f" {r} (ties aside)"
        )

    def _say_upset(self) -> str:
        """Say whether some system is preferred to one of higher worth: that needs no circle."""
        lower = self.log_worth[:, None] < self.log_worth
        upset = np.where(lower, self.odds, -np.inf)
        if upset.max() <= 0:
            return "the order of worths holds for every pair"
        one, other = np.unravel_index(int(upset.argmax()), upset.shape)
        chance = 100 / (1 + np.exp(-upset[one, other]))
        return (
            f"yet {self.systems[one]} is preferred to {self.systems[other]}, of higher worth, in"
            f" {chance:.0f} % (ties aside)"
        )

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        model = self.model
        return (
            f"ties={model.ties}",
            f"k={model.k}",
            f"strength {self.strength.value:.6g}",
            f"prior {model.prior:g} per system",
            f"{model.starts} starts",
            f"seed={model.seed}",
        )

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right.

        Raises:
            InvalidJudgments: a system that the fit does not know, or a system with itself.

        """
        left, right = code_sides(self.systems, pairs)
        gamma = 0.0 if self.gamma is None else self.gamma
        return np.exp(self.law.log_chances(self.odds[left, right] / 2, gamma))

    def __repr__(self) -> str:
        return (
            f"MEloFit({self.model.ties}: {len(self.systems)} systems, {self.share:.1%} in circles,"
            f" loglik {self.loglik:.4f})"
        )

"""What a fit of judges' processes says: predictions, and how alike judges are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, end, listing, suggest
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.gaussian_process import Posterior
from evenhand.rating.coregion import MEAN_VARIANCE, Asked, Coregion
from evenhand.rating.features import FeatureTable, OutputFeatures, Scaling

if TYPE_CHECKING:
    from evenhand.rating.multitask_gp import MultiTaskGP

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Standard:
    """Constants that ratings were standardised by, all judges together.

    Attributes:
        mean: in points of the scale.
        deviation: likewise.

    """

    mean: float
    deviation: float

    def shrink(self, score: Array) -> Array:
        """Return standardised ratings."""
        return np.asarray((score - self.mean) / self.deviation)


@dataclass(frozen=True, eq=False)
class Learned:
    """What the numbers of a process refer to.

    Attributes:
        features: which features outputs have.
        scaling: how they become points.
        standard: constants of the ratings.
        judges: names, sorted.

    """

    features: OutputFeatures
    scaling: Scaling
    standard: Standard
    judges: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Foreseen:
    """Predicted ratings.

    Attributes:
        mean: (n,) in points of the scale.
        variance: (n,) of what the judge says on average of such an output, in squared points.
        noise: (n,) variance of one rating around that.

    """

    mean: Array
    variance: Array
    noise: Array

    def interval(self, level: float = 0.9) -> tuple[Array, Array]:
        """Return the ends of intervals for one rating, its noise included."""
        half = normal_quantile(0.5 + level / 2) * np.sqrt(self.variance + self.noise)
        return self.mean - half, self.mean + half


@dataclass(frozen=True, eq=False, repr=False)
class JudgeProcess:
    """A fit of `MultiTaskGP`.

    Attributes:
        model: the settings.
        learned: features, constants and judges.
        at: the likeliest parameters, on standardised ratings and features.
        support: rows that predictions rest on: the ratings, or the inducing ones.
        posterior: of the functions.
        ratings: (D,) number of each judge's ratings.
        near: (D, D) whether two judges rated outputs that are near each other (k of .6 or more).
        separable: (D,) whether the ratings tell κ and σ² apart.
        evidence: log density of the standardised ratings, in nats.
        notes: what must stand beside the numbers.
        signature: what made them.

    """

    model: MultiTaskGP
    learned: Learned
    at: Coregion
    support: Asked
    posterior: Posterior
    ratings: NDArray[np.int64]
    near: Flags
    separable: Flags
    evidence: float
    notes: tuple[str, ...]
    signature: str

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges."""
        return self.learned.judges

    @property
    def covariance(self) -> Array:
        """(D, D) B, in squared points of the scale."""
        return self.at.similarity * self.learned.standard.deviation**2

    @property
    def correlation(self) -> Array:
        """(D, D) B_dd' / √(B_dd B_d'd'): 1 where judges rank outputs alike."""
        b = self.at.similarity
        root = np.sqrt(np.diag(b))
        return np.asarray(b / np.multiply.outer(root, root))

    @property
    def length_scales(self) -> dict[str, float]:
        """Feature → length scale: of numbers in their standard deviations.

        Long ones say that a feature changes little. Of a label, exp(-½ / ℓ²) is the correlation
        between outputs that differ in it alone.
        """
        scales = np.exp(self.at.log_scales).tolist()
        return dict(zip(self.learned.scaling.features, scales, strict=True))

    @property
    def severity(self) -> dict[str, float]:
        """Judge → mean β_d in points, beside the mean of all; 0 without judges' means."""
        weights = self.posterior.weights
        sums = np.bincount(self.support.judge, weights, len(self.judges))
        points = self.at.spread * sums * self.learned.standard.deviation
        return dict(zip(self.judges, points.tolist(), strict=True))

    def predict(self, data: Ratings | RatingRows) -> Foreseen:
        """Predict the rating of each row: its judge and its output; its score is not looked at.

        Raises:
            InvalidJudgments: a judge who gave no rating to learn from, or features that are
                missing.

        """
        rows = self.learned.features.read_rows(data)
        names = np.array(rows.judges, dtype=object)[rows.judge].tolist()
        return self._foresee(self._find_judges(names), self.learned.features.read(rows))

    def predict_one(self, judge: str, output: Mapping[str, float | str]) -> Foreseen:
        """Predict what a judge would say of an output, told by its features: column → value.

        Raises:
            InvalidJudgments: as for `predict`.

        """
        table = self.learned.features.describe(output)
        return self._foresee(self._find_judges([judge]), table)

    def predict_average(self, data: Ratings | RatingRows) -> Foreseen:
        """Predict the mean of what all judges would say of each row's output.

        It stands for these judges, each counted once, and not for a judge to come, who may differ
        from it as they do. The noise is that of the mean.
        """
        table = self.learned.features.read(self.learned.features.read_rows(data))
        points, judges = self.learned.scaling.apply(table), len(self.judges)
        n, cross = len(points), np.zeros((len(points), len(self.support)))
        for judge in range(judges):
            asked = Asked(np.full(n, judge), points)
            cross += self.at.covariance(asked, self.support)[0] / judges
        own = self.at.similarity.mean() + self.at.spread / judges + MEAN_VARIANCE
        mean, variance = self.posterior.predict(cross, np.full(n, own))
        noise = float(self.at.noise.mean()) / judges
        return self._to_points(mean, variance, np.full(n, noise))

    def _foresee(self, judge: NDArray[np.int64], table: FeatureTable) -> Foreseen:
        asked = Asked(judge, self.learned.scaling.apply(table))
        cross, _ = self.at.covariance(asked, self.support)
        mean, variance = self.posterior.predict(cross, self.at.own(asked))
        return self._to_points(mean, variance, self.at.noise[judge])

    def _to_points(self, mean: Array, variance: Array, noise: Array) -> Foreseen:
        scale = self.learned.standard.deviation
        at = self.learned.standard.mean + scale * mean
        return Foreseen(at, scale**2 * variance, scale**2 * noise)

    def _find_judges(self, names: list[str]) -> NDArray[np.int64]:
        known = {name: i for i, name in enumerate(self.judges)}
        strange = sorted({name for name in names if name not in known})
        if strange:
            raise InvalidJudgments(
                f"nothing was learned of {listing(strange)}: no rating of theirs was seen"
                f"{end(suggest(strange[0], known))}; predict_average tells what the judges who were"
                " seen would say together"
            )
        return np.array([known[name] for name in names], dtype=np.int64)

    def similarity(self) -> list[dict[str, Any]]:
        """Return a row for each pair of judges: how alike they are, and what that rests on."""
        covariance, correlation = self.covariance, self.correlation
        return [
            {
                "judge": self.judges[a],
                "other": self.judges[b],
                "covariance": float(covariance[a, b]),
                "correlation": float(correlation[a, b]),
                "near": bool(self.near[a, b]),
            }
            for a in range(len(self.judges))
            for b in range(a)
        ]

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each judge, standard deviations in points of the scale.

        Where the ratings do not tell what is the judge's alone from noise, both are None and only
        the sum of their variances is told.
        """
        scale, severity = self.learned.standard.deviation, self.severity
        rows = []
        for d, judge in enumerate(self.judges):
            private, noise = float(self.at.private[d]), float(self.at.noise[d])
            apart = bool(self.separable[d])
            shared = float(self.at.loadings[d] @ self.at.loadings[d])
            rows.append(
                {
                    "judge": judge,
                    "ratings": int(self.ratings[d]),
                    "severity": severity[judge],
                    "shared": scale * shared**0.5,
                    "private": scale * private**0.5 if apart else None,
                    "noise": scale * noise**0.5 if apart else None,
                    "private_and_noise": scale * (private + noise) ** 0.5,
                }
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        return {
            "judges": self.records(),
            "similarity": self.similarity(),
            "length_scales": self.length_scales,
            "left_out": list(self.learned.scaling.constant),
            "evidence": self.evidence,
            "notes": list(self.notes),
            "signature": self.signature,
        }

    def __repr__(self) -> str:
        scales = ", ".join(f"{name} {own:.3g}" for name, own in self.length_scales.items())
        first = f"{len(self.judges):,} judges, {int(self.ratings.sum()):,} ratings"
        return "\n".join([f"{first}; length scales: {scales}", *self.notes, self.signature])

"""What a fit of judges' processes says: predictions, and how alike judges are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, end, listing, require_level, suggest
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.numerics.gaussian_process import Posterior
from evenhand.numerics.threads import one_blas_thread
from evenhand.rating.coregion import Coregion
from evenhand.rating.feature_reading import OUTPUT, name_output
from evenhand.rating.features import FeatureTable, OutputFeatures, Scaling
from evenhand.rating.foreseen import Foreseen, find_noise, foresee_at, mix
from evenhand.rating.judge_leniency import find_leniency
from evenhand.rating.process_records import describe_judges, describe_pairs, say_few
from evenhand.rating.process_search import Problem, Surface
from evenhand.rating.process_uncertainty import CURVED, Uncertainty, find_uncertainty

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


@dataclass(frozen=True, eq=False, repr=False)
class JudgeProcess(InNotebooks):
    """A fit of `MultiTaskGP`.

    Attributes:
        model: the settings.
        learned: features, constants and judges.
        problem: standardised ratings and features.
        top: the likeliest parameters, with the posterior of the functions.
        ratings: (D,) number of each judge's ratings.
        near: (D, D) whether two judges rated outputs that are near each other (k of .6 or more).
        separable: (D,) whether the ratings tell κ and σ² apart.
        notes: what must stand beside the numbers.
        signature: what made them.

    """

    model: MultiTaskGP
    learned: Learned
    problem: Problem
    top: Surface
    ratings: NDArray[np.int64]
    near: Flags
    separable: Flags
    notes: tuple[str, ...]
    signature: str

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges."""
        return self.learned.judges

    @property
    def at(self) -> Coregion:
        """The likeliest parameters, on standardised ratings and features."""
        return self.top.at

    @property
    def evidence(self) -> float:
        """Log density of the standardised ratings, in nats."""
        return self.top.evidence.value

    @property
    def covariance(self) -> Array:
        """(D, D) B, in squared points of the scale."""
        return self.at.similarity * self.learned.standard.deviation**2

    @property
    def correlation(self) -> Array:
        """(D, D) B_dd' / √(B_dd B_d'd'): 1 where judges rank outputs alike."""
        return self.at.correlation

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """How sure the parameters are."""
        return find_uncertainty(self.problem, self.top.vector, self.model.seed)

    @property
    def length_scales(self) -> dict[str, float]:
        """Feature → length scale: of numbers in their standard deviations.

        Long ones say that a feature changes little. Of a label, exp(-½ / ℓ²) is the correlation
        between outputs that differ in it alone.
        """
        scales = np.exp(self.at.log_scales).tolist()
        return dict(zip(self.learned.scaling.features, scales, strict=True))

    @property
    def leniency(self) -> dict[str, float]:
        """Judge → points that he gives more than the mean of all judges, for the same outputs."""
        mean = self.lenient[0] * self.learned.standard.deviation
        return dict(zip(self.judges, mean.mean(axis=0).tolist(), strict=True))

    def predict(
        self, data: Ratings | RatingRows | FeatureTable, judges: Sequence[str] | str | None = None
    ) -> Foreseen:
        """Predict the rating of each row: its judge and its output; its score is not looked at.

        Args:
            data: ratings, or outputs that nobody rated (`OutputFeatures.tabulate`).
            judges: whose ratings are to be predicted: one name, or one for each row; those of the
                ratings unless told otherwise.

        Raises:
            InvalidJudgments: a judge who gave no rating to learn from, features that are missing,
                or outputs without judges.

        """
        table = self._read(data)
        if judges is None:
            if isinstance(data, FeatureTable):
                raise InvalidJudgments("outputs have no judges: name them (judges=...)")
            rows = self.learned.features.read_rows(data)
            judges = np.array(rows.judges, dtype=object)[rows.judge].tolist()
        names = [judges] * len(table.numbers) if isinstance(judges, str) else list(judges)
        if len(names) != len(table.numbers):
            count = f"{len(names):,} judges for {len(table.numbers):,} outputs"
            raise InvalidJudgments(f"{count}: one for all, or one for each")
        return self._foresee(table, self._find_judges(names))

    def predict_one(
        self,
        judge: str,
        output: Mapping[str, float | str] | None = None,
        *,
        item: str | None = None,
        system: str = "",
    ) -> Foreseen:
        """Predict what a judge would say of an output.

        Args:
            judge: who.
            output: its features: column → value.
            item: instead of "each output" among them: its item,
            system: and its system.

        Raises:
            InvalidJudgments: as for `predict`.

        """
        told = dict(output or {})
        if item is not None:
            told[OUTPUT] = name_output(str(told.get("task", "")), item, system)
        return self.predict(self.learned.features.tabulate([told]), judge)

    def predict_average(self, data: Ratings | RatingRows | FeatureTable) -> Foreseen:
        """Predict the mean of what all judges would say of each row's output.

        It stands for these judges, each counted once, and not for a judge to come, who may differ
        from it as they do. The noise is that of the mean.
        """
        return self._foresee(self._read(data), None)

    def _read(self, data: Ratings | RatingRows | FeatureTable) -> FeatureTable:
        if isinstance(data, FeatureTable):
            return data
        return self.learned.features.read(self.learned.features.read_rows(data))

    def _foresee(self, table: FeatureTable, judge: NDArray[np.int64] | None) -> Foreseen:
        """Mix what is foreseen under each draw of the parameters."""
        points = self.learned.scaling.apply(table)
        notes = (*self.learned.scaling.find_unseen(table), *say_few(self, judge))
        with one_blas_thread():
            support = self.problem.support
            parts = [foresee_at(weighed, support, points, judge) for weighed in self._weigh()]
            if not self._integrates and self.model.draws:
                mean, variance, _ = parts[0]
                parts = [(mean, variance, find_noise(at, judge, len(mean))) for at in self._drawn]
        return mix([self._to_points(part) for part in parts], notes)

    def _to_points(self, part: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        mean, variance, noise = part
        scale = self.learned.standard.deviation
        return self.learned.standard.mean + scale * mean, scale**2 * variance, scale**2 * noise

    @cached_property
    def _drawn(self) -> list[Coregion]:
        return self.uncertainty.draw(self.model.draws, self.model.seed)

    @property
    def _integrates(self) -> bool:
        """Whether predictions average over all parameters, not over σ² alone."""
        return self.model.draws > 0 and len(self.problem.y) <= CURVED

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

    def similarity(self, level: float = 0.9) -> list[dict[str, Any]]:
        """Return a row for each pair of judges: how alike they are, and what that rests on.

        "known": the interval of the correlation leaves 0 out and is narrower than the prior's. It
        is None where judges share all or nothing by the settings.

        Args:
            level: of intervals (proportion).

        """
        require_level(level)
        return describe_pairs(self, level)

    def records(self, level: float = 0.9) -> list[dict[str, Any]]:
        """Return a row for each judge, in points of the scale; noise and tastes as deviations.

        "private" is the judge's own taste. Where the ratings do not tell it from noise, both are
        None and only the sum of their variances is told.

        Args:
            level: of intervals (proportion).

        """
        require_level(level)
        return describe_judges(self, level)

    @cached_property
    def lenient(self) -> tuple[Array, Array]:
        """(S, D) means and deviations of how lenient judges are, under each draw of parameters."""
        with one_blas_thread():
            return find_leniency(self._weigh(), self.problem.asked.points, self.problem.support)

    def _weigh(self) -> Iterator[tuple[Coregion, Posterior]]:
        """Return parameters with their posteriors: draws, or the likeliest where there are many."""
        if self._integrates:
            return ((at, self.problem.weigh(at)) for at in self._drawn)
        return iter([(self.at, self.top.evidence.posterior)])

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

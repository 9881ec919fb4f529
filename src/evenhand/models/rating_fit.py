"""What every fit of a model of ratings has: an estimate for each system, errors, its document."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

import numpy as np

from evenhand.data.controls import Openable, leave_out_controls, takes_judgments
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings
from evenhand.data.tally import Factor, number_codes
from evenhand.errors import InvalidJudgments, NotIdentified, listing
from evenhand.models.base import SystemsFit
from evenhand.models.registry import RATING_MODELS, name_settings
from evenhand.models.texts import say_ratings
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.absorption import Absorbed, absorb
from evenhand.numerics.distributions import t_quantile, t_tail
from evenhand.render.document import Column, Document, Finding, Table, plural, take_findings

NO_INFORMATION: Final = 1e-9  # Information in a direction, beside the largest, that is none
ROUNDING: Final = 1e-12  # Information beside the number of ratings that is rounding, and none
MIN_APART: Final = 1e-6  # Difference in a lost direction from which systems are apart
MAX_PARTS: Final = 4  # Most groups of systems that are named
MAX_DIFFERENCES: Final = 45  # Most that a terminal shows, those of ten systems


@dataclass(frozen=True)
class Difference:
    """The difference of two systems in what a model of ratings estimates."""

    systems: tuple[str, str]  # first minus second
    estimate: float  # the difference, in units of the estimates
    stderr: float  # its standard error
    df: float  # degrees of freedom of its t
    p: float  # two-sided p-value

    @classmethod
    def make(
        cls, systems: tuple[str, str], estimate: float, stderr: float, df: float
    ) -> Difference:
        if not stderr > 0:
            raise NotIdentified(
                f"the scores of {systems[0]} and {systems[1]} show no spread at all, so that their"
                " difference has no standard error"
            )
        return cls(systems, estimate, stderr, df, t_tail(estimate / stderr, df))

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "systems": list(self.systems)}


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Scores under one criterion, labels numbered without gaps."""

    systems: tuple[str, ...]  # the K systems, sorted by name
    system: Integers  # (n,) code of each score's system
    score: Array  # (n,) the scores
    factors: Mapping[str, Factor]  # "judge" and "item", those that are known
    rows: RatingRows  # where they come from

    @property
    def counts(self) -> Array:
        return np.bincount(self.system, minlength=len(self.systems)).astype(np.float64)

    @property
    def means(self) -> Array:
        return np.asarray(np.bincount(self.system, self.score) / self.counts)

    @cached_property
    def single(self) -> Mapping[str, Flags]:
        """Factor → (levels,) whether each judge or item holds scores of one system only."""
        single = {}
        for name, factor in self.factors.items():
            one, alone = np.empty(factor.size, dtype=np.int64), np.ones(factor.size, dtype=np.bool_)
            one[factor.codes] = self.system
            alone[factor.codes[self.system != one[factor.codes]]] = False
            single[name] = alone
        return single

    @property
    def several(self) -> tuple[str, ...]:
        """The factors whose effects can be removed: some level holds several systems."""
        every = self.single.items()
        return tuple(name for name, alone in every if len(alone) > 1 and not alone.all())


def take_scores(data: Ratings | RatingRows | ScoredRows) -> ScoredRows:
    """Return the scores of outputs: controls are excluded, repeats are not.

    Raises:
        InvalidJudgments: no ratings, or ratings under several criteria or of several tasks.
        NotIdentified: scores of one system only.
    """
    if isinstance(data, ScoredRows):
        return data
    if isinstance(data, Ratings):
        data = leave_out_controls(data).rows()
    if not isinstance(data, RatingRows):
        kind = type(data).__name__
        raise InvalidJudgments(
            f"a model of ratings is fitted to ratings, not to {kind}: open them with evenhand.read"
        )
    one = "a model is fitted to one; choose one with data.where(nw.col('{role}') == 'NAME')"
    data.refuse_several({role: one.format(role=role) for role in ("criterion", "task")})
    known, system = number_codes(data.system, len(data.systems))
    names = tuple(data.systems[code] for code in known.tolist())
    if len(names) < 2:
        raise NotIdentified(
            "there are scores of one system only: there is nothing to compare it with",
            ["collect scores of another system on the same items"],
        )
    labels = {name: data.labels(name) for name in ("judge", "item")}
    factors = {name: Factor.of(*known) for name, known in labels.items() if known[0] != ("",)}
    return ScoredRows(names, system, data.score, factors, data)


@dataclass(frozen=True, eq=False)
class Predicted:
    """What a fit expects of scores that it has not seen."""

    log_chance: Array  # (n,) log probability (nats) of the score that was given; −∞ for none
    mean: Array  # (n,) expected score


def predict_normal(score: Array, points: Array, mean: Array, variance: Array) -> Predicted:
    """Give each score the part of a normal distribution that is nearest to it.

    score: (n,) scores, each one of the points.
    points: (C,) scores that can be given, ascending; the lowest and highest have the tails.
    """
    from scipy.special import log_ndtr

    at = np.searchsorted(points, score)
    ends = np.concatenate(([-np.inf], (points[:-1] + points[1:]) / 2, [np.inf]))
    low, high = (ends[at] - mean) / np.sqrt(variance), (ends[at + 1] - mean) / np.sqrt(variance)
    right = low > 0  # by symmetry in the left half, where no difference is lost
    low, high = np.where(right, -high, low), np.where(right, -low, high)
    above = log_ndtr(high)
    log_chance = above + np.log(-np.expm1(np.minimum(log_ndtr(low) - above, -1e-300)))
    return Predicted(np.asarray(log_chance), mean)


def find_levels(names: Sequence[str], rows: RatingRows, role: str) -> Integers:
    """Return (n,) the place of each row's system, judge or item among names; −1 where it is new."""
    labels, codes = rows.labels(role)
    place = {name: at for at, name in enumerate(names)}
    return np.array([place.get(name, -1) for name in labels], dtype=np.int64)[codes]


def find_systems(fit: RatingFit, rows: RatingRows) -> Integers:
    """Return (n,) the place of each row's system in a fit.

    Raises:
        NotIdentified: a system that the fit has not seen.
    """
    found = find_levels(fit.systems, rows, "system")
    if (found < 0).any():
        new = [rows.systems[one] for one in np.unique(rows.system[found < 0]).tolist()]
        raise NotIdentified(f"there was no score to train on of {listing(new)}")
    return found


def contrast_basis(k: int) -> Array:
    """Return (K, K − 1) orthonormal contrasts of systems."""
    return np.asarray(np.linalg.qr(np.eye(k) - 1.0 / k)[0][:, : k - 1])


@dataclass(frozen=True, eq=False)
class Unlinked:
    """Systems in parts between which no judge and no item is shared.

    What separates systems of two parts cannot be told from what separates their judges and items.
    """

    systems: tuple[str, ...]  # the K systems
    part: Integers  # (K,) the part of each, numbered from 0
    links: tuple[str, ...]  # what could have linked them: "judge", "item" or both

    @property
    def apart(self) -> Flags:
        """(K, K) whether two systems are of different parts."""
        return np.asarray(self.part[:, None] != self.part)

    @property
    def cause(self) -> str:
        groups = " and ".join(name_parts(self.systems, self.part))
        whom = " and ".join(f"{name}s" for name in self.links)
        return (
            f"no {' or '.join(self.links)} links {groups}, so that effects of {whom} cannot be told"
            " from differences of systems"
        )

    def say(self, code: str) -> Finding:
        """Say it beside numbers that are given all the same."""
        cause = f"{self.cause[:1].upper()}{self.cause[1:]}"
        return say_ratings(code, "warning", cause=cause, links=self.links)


def name_parts(systems: tuple[str, ...], part: Integers) -> list[str]:
    """Name the systems of each part, as "{A, B}"; of many parts the first."""
    members = [np.flatnonzero(part == one).tolist() for one in range(int(part.max()) + 1)]
    named = ["{" + listing([systems[i] for i in one], 4) + "}" for one in members[:MAX_PARTS]]
    more = len(members) - len(named)
    return [*named, *[f"{more} more groups"] * bool(more)]


def find_parts(absorbed: Absorbed) -> Integers:
    """Return (K,) the part of each system, numbered from 0: between parts nothing is known."""
    size, directions = np.linalg.eigh(absorbed.information)
    largest = float(size[-1])
    lost = directions[:, size <= NO_INFORMATION * max(largest, 0.0)]
    if largest <= ROUNDING * len(absorbed.system):
        lost = directions
    apart = (np.abs(lost[:, None] - lost) > MIN_APART).any(axis=2)
    return np.asarray(np.unique(np.argmin(apart, axis=1), return_inverse=True)[1])


def link_systems(data: ScoredRows, names: Sequence[str]) -> Integers:
    """Return (K,) the part of each system, of those that effects of these factors leave linked."""
    return find_parts(absorb_scores(data, names))


def absorb_scores(data: ScoredRows, names: Sequence[str]) -> Absorbed:
    codes = [data.factors[name].codes for name in names]
    centred = data.score - float(np.average(data.score))
    return absorb(centred, data.system, len(data.systems), codes)


def find_unlinked(data: ScoredRows) -> Unlinked | None:
    """Return which systems neither judges nor items link; None where all are linked."""
    if data.several:
        if any(not link_systems(data, (name,)).any() for name in data.several):
            return None
        part = link_systems(data, data.several)
    else:
        # judges who gave one score each are a sample like any other
        judges = data.factors.get("judge")
        nested = judges is not None and 1 < judges.size < len(data.score)
        part = np.arange(len(data.systems)) * nested
    links = tuple(name for name, alone in data.single.items() if len(alone) > 1)
    return Unlinked(data.systems, part, links) if part.any() else None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RatingFit(SystemsFit):
    """A fit of any model of ratings; each model adds what is its own."""

    estimate: Array  # (K,) what systems are ordered by, larger is better
    # (K, K) covariance of differences between estimates, each less the mean of all; None for none
    vcov: Array | None
    counts: Array  # (K,) number of ratings of each system
    means: Array  # (K,) their mean scores
    notes: tuple[Finding, ...] = ()
    unlinked: Unlinked | None = None  # between whose parts no pair is decided; None for none

    scale: ClassVar[str] = "score"  # the unit of the estimates: score, z or logit
    assumes: ClassVar[str] = "independent ratings"

    def mark_unlinked(self, unlinked: Unlinked | None) -> Self:
        """Return a fit that says so first."""
        if unlinked is None:
            return self
        return replace(self, unlinked=unlinked, notes=(unlinked.say("unlinked"), *self.notes))

    @property
    def n_ratings(self) -> float:
        return float(self.counts.sum())

    @property
    @abstractmethod
    def df(self) -> float:
        """Degrees of freedom of t for differences, where all have the same; ∞ for the normal."""

    @property
    def title(self) -> str:
        """What is estimated, in a few words."""
        name = name_settings(self.model)
        return RATING_MODELS[name].title if name in RATING_MODELS else name

    @property
    def tables(self) -> tuple[Table, ...]:
        """Further tables, such as the effects of judges."""
        return ()

    @abstractmethod
    def predict(self, rows: RatingRows, points: Array) -> Predicted:
        """Predict scores, also of judges and items that are new.

        Args:
            rows: the scores.
            points: (C,) scores that can be given, ascending.

        Raises:
            NotIdentified: a system that the fit has not seen.
        """

    def find_df(self, weights: Array) -> float:  # noqa: ARG002 - other models need the contrast
        """Return the degrees of freedom of t for a (K,) contrast of systems."""
        return self.df

    def contrasts(self, pairs: Sequence[tuple[str, str]]) -> tuple[Difference, ...]:
        """Return differences of systems with model-based errors.

        Raises:
            NotIdentified: the model has no errors.
            InvalidJudgments: no such system.
        """
        if self.vcov is None:
            raise self.refuse_errors("contrasts")
        found = []
        for first, second in pairs:
            weights = np.zeros(len(self.systems))
            weights[self.code(first)] += 1.0
            weights[self.code(second)] -= 1.0
            if not weights.any():
                raise self.refuse_itself(first)
            error = sqrt(max(float(weights @ self.vcov @ weights), 0.0))
            difference = float(weights @ self.estimate)
            found.append(Difference.make((first, second), difference, error, self.find_df(weights)))
        return tuple(found)

    def compare_all(self) -> tuple[Difference, ...]:
        order = np.lexsort((np.array(self.systems), np.negative(self.estimate))).tolist()
        return self.contrasts(list(combinations([self.systems[at] for at in order], 2)))

    def records(self, level: float = 0.95) -> list[dict[str, Any]]:
        """Return a row for each system: its ratings, their mean, the estimate and its errors.

        Errors are those of the distance to the mean of all systems.
        """
        k, rows = len(self.systems), []
        for at in np.lexsort((np.array(self.systems), np.negative(self.estimate))).tolist():
            weights = np.full(k, -1.0 / k)
            weights[at] += 1.0
            estimate = float(self.estimate[at])
            row: dict[str, Any] = {
                "system": self.systems[at],
                "ratings": int(self.counts[at]),
                "mean": float(self.means[at]),
                "estimate": estimate,
                **dict.fromkeys(("stderr", "lower", "upper")),
            }
            if self.vcov is not None:
                error = sqrt(max(float(self.vcov[at, at]), 0.0))
                margin = t_quantile((1 + level) / 2, self.find_df(weights)) * error
                row |= {"stderr": error, "lower": estimate - margin, "upper": estimate + margin}
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": name_settings(self.model),
            "scale": self.scale,
            "n_ratings": int(self.n_ratings),
            "assumes": self.assumes,
            "systems": self.records(),
            **self.extras,
        }

    def document(self) -> Document:
        counts = f"{plural(self.n_ratings, 'rating')}, {plural(len(self.systems), 'system')}"
        interval = Column(("lower", "upper"), "95 % interval", "interval", priority=2)
        columns = (
            Column("system", "system", "name"),
            Column("ratings", "ratings", "count"),
            Column("mean", "mean score", "two"),
            Column("estimate", self.scale, "two"),
            *([] if self.vcov is None else [Column("stderr", "s.e.", "two"), interval]),
        )
        caption = f"Systems by {self.scale}, highest first; errors are of distances to the mean"
        return Document(
            basis=f"{counts}. Model: {self.title}. Errors assume {self.assumes}.",
            answer=self.says,
            parts=(Table("systems", caption, columns, tuple(self.records())), *self.tables),
            findings=take_findings(self.notes),
        )


Fitted = TypeVar("Fitted", bound=RatingFit)


class RatingModel(Generic[Fitted]):
    """Settings of a model of ratings."""

    @takes_judgments("data")
    def fit(self, data: Ratings | RatingRows | ScoredRows | Openable) -> Fitted:
        """Fit the model to ratings of one task under one criterion.

        Raises:
            NotIdentified: what the model cannot tell from these ratings; says why and what to do.
            NotConverged: the likelihood has no clear maximum.
            InvalidJudgments: no ratings, or of several criteria.
        """
        return self._fit(take_scores(data))

    @abstractmethod
    def _fit(self, scores: ScoredRows) -> Fitted: ...


def tabulate_differences(fit: RatingFit) -> Table:
    rows = tuple(
        {**one.to_dict(), "first": one.systems[0], "second": one.systems[1]}
        for one in fit.compare_all()
    )
    columns = (
        Column("first", "system", "name"),
        Column("second", "less", "name"),
        Column("estimate", "difference", "two"),
        Column("stderr", "s.e.", "two"),
        *([Column("df", "df", "one")] if np.isfinite(fit.df) else []),
        Column("p", "p", "p"),
    )
    caption = "Differences between systems, each test by itself"
    return Table("differences", caption, columns, rows, limit=MAX_DIFFERENCES)

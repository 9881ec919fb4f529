"""Models of ratings by least squares: adjusted, mean and z.

    adjusted    y = μ_s + a_j + b_i + e
    mean        y = μ_s + e
    z           (y − m_j) / d_j = μ_s + e, weighted so that every output counts alike

Effects a and b are free constants. Estimates are what each system would have got on average, had it
been given to every judge and item as they came. z is as in WMT (Bojar et al. 2016, Findings of the
2016 Conference on Machine Translation, section 3). When not to use which: docs/ratings.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from evenhand.data.rating_rows import RatingRows
from evenhand.errors import NotIdentified, listing
from evenhand.models.rating_fit import (
    Predicted,
    RatingFit,
    RatingModel,
    ScoredRows,
    Unlinked,
    absorb_scores,
    contrast_basis,
    find_levels,
    find_parts,
    find_systems,
    find_unlinked,
    link_systems,
    name_parts,
    predict_normal,
)
from evenhand.models.texts import say_ratings
from evenhand.numerics import Array
from evenhand.numerics.absorption import Absorbed, absorb
from evenhand.numerics.cluster_means import number_groups
from evenhand.render.document import Column, Finding, Table

MANY_ALONE: Final = 0.05  # Share of ratings that tell nothing, from which a reader should know
MAX_SYSTEMS: Final = 1_000  # Most systems of which all differences are estimated


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LeastSquaresFit(RatingFit):
    absorbed: Absorbed  # the regression
    basis: Array  # (K, K − 1) orthonormal contrasts of systems, which are its parameters
    bread: Array  # (K − 1, K − 1) inverse information of the contrasts
    residual: Array  # (n,) residuals
    variance: float  # of a residual of weight 1
    data: ScoredRows  # the scores, in the order of the residuals
    effects: Mapping[str, Array]  # "judge", "item" → (levels,) effects, centred

    @property
    def df(self) -> float:
        return float(len(self.residual) - self.absorbed.rank - self.basis.shape[1])

    def predict(self, rows: RatingRows, points: Array) -> Predicted:
        """Predict scores by a normal distribution about the system's mean.

        Effects that are known are added; those of new judges and items are drawn at random, with
        the variance that known ones have.
        """
        data, k = self.data, len(self.systems)
        alone = np.zeros(rows.size, dtype=np.int64)
        system = alone if isinstance(self.model, NoSystems) else find_systems(self, rows)
        residual, level, stretch, effects = self.variance, 0.0, np.ones(rows.size), self.effects
        if isinstance(self.model, ZScores):
            factor = data.factors["judge"]
            centre, deviation = judge_scales(data)
            level = float(np.average(centre, weights=factor.loads))
            usual = float(np.sqrt(np.average(deviation**2, weights=factor.loads)))
            stretch = np.append(deviation, usual)[find_levels(factor.labels, rows, "judge")]
            effects = {"judge": centre - level}
            residual = float(self.residual @ self.residual) / max(len(self.residual) - k, 1)
        mean = level + stretch * self.estimate[system]
        variance = stretch**2 * residual * (1 + 1 / self.counts[system])
        for name, values in effects.items():
            factor = data.factors[name]
            at = find_levels(factor.labels, rows, name)
            size, loads = factor.size, factor.loads
            own = float(np.average(values**2, weights=loads)) * size / max(size - 1, 1)
            own = max(own - residual * float((stretch**2).mean()) / float(loads.mean()), 0.0)
            known = stretch**2 * residual / loads[at]
            mean = mean + np.where(at < 0, 0.0, values[at])
            variance = variance + np.where(at < 0, own * (1 + 1 / size), known)
        return predict_normal(rows.score, points, mean, variance)

    @property
    def scale(self) -> str:  # type: ignore[override]
        return "z" if isinstance(self.model, ZScores) else "score"

    @property
    def title(self) -> str:
        if not isinstance(self.model, Adjusted) or len(self.effects) == 2:
            return super().title
        of = "".join(f" adjusted for {name}s alone" for name in self.effects)
        return f"mean scores{of}" if of else "raw mean scores"

    @property
    def tables(self) -> tuple[Table, ...]:
        if "judge" not in self.effects:
            return ()
        factor, effects = self.data.factors["judge"], self.effects["judge"]
        rows = [
            {"judge": factor.labels[at], "ratings": int(factor.loads[at]), "effect": effects[at]}
            for at in np.lexsort((np.array(factor.labels), effects)).tolist()
        ]
        columns = (
            Column("judge", "judge", "name"),
            Column("ratings", "ratings", "count"),
            Column("effect", "points above the average judge", "two"),
        )
        caption = "Effects of judges, the lowest scores first"
        return (Table("judges", caption, columns, tuple(rows)),)

    @property
    def extras(self) -> dict[str, Any]:
        return {
            "residual_sd": float(np.sqrt(self.variance)),
            "effects": {
                name: dict(zip(self.data.factors[name].labels, effects.tolist(), strict=True))
                for name, effects in self.effects.items()
            },
        }


def fit_least_squares(
    model: Any,
    data: ScoredRows,
    y: Array,
    remove: tuple[str, ...],
    weight: Array | None = None,
    *,
    absorbed: Absorbed | None = None,
) -> LeastSquaresFit:
    """Fit (n,) y, scores or scores standardised, on systems, effects of some factors removed.

    absorbed: y less its mean with these effects removed, where that was done already.
    """
    k = len(data.systems)
    if k > MAX_SYSTEMS:
        raise NotIdentified(
            f"{k:,} systems are too many for differences of all of them: choose at most"
            f" {MAX_SYSTEMS:,} with --where"
        )
    level = float(np.average(y, weights=weight))
    centred = y - level
    if absorbed is None:
        codes = [data.factors[name].codes for name in remove]
        absorbed = absorb(centred, data.system, k, codes, weight)
    rest = len(y) - absorbed.rank - (k - 1)
    if rest < 1:
        raise NotIdentified(
            f"{len(y):,} ratings for {absorbed.rank + k - 1:,} parameters of"
            f" {listing([*(f'{name}s' for name in remove), 'systems'])} leave nothing to estimate"
            " errors from",
            ["collect more ratings", *["rank by means (--model mean)"] * bool(remove)],
        )
    basis = contrast_basis(k)
    bread = np.linalg.inv(basis.T @ absorbed.information @ basis)
    bread = (bread + bread.T) / 2
    means = basis @ (bread @ (basis.T @ absorbed.right))
    residual = absorbed.residuals(centred, means)
    # predicted mean if every row had been a system's: rows differ by μ alone
    estimate = level + means - float(np.average(means[data.system], weights=weight))
    squares = residual**2 if weight is None else weight * residual**2
    variance = float(squares.sum()) / rest
    removed = zip(remove, absorbed.others, absorbed.effects(means), strict=False)
    effects = {
        name: values - float(np.average(values, weights=classes.weight))
        for name, classes, values in removed
    }
    return LeastSquaresFit(
        model=model,
        systems=data.systems,
        estimate=estimate,
        vcov=variance * basis @ bread @ basis.T,
        counts=data.counts,
        means=data.means,
        absorbed=absorbed,
        basis=basis,
        bread=bread,
        residual=residual,
        variance=variance,
        data=data,
        effects=effects,
    )


def choose_removed(
    data: ScoredRows,
) -> tuple[tuple[str, ...], list[Finding], Absorbed | None]:
    """Return the factors whose effects leave all systems linked, judges before items.

    Also what is said of them, and the scores without their effects, where these are known by then.

    Raises:
        NotIdentified: there are none (`find_unlinked`).
    """
    # levels that hold one system each tell nothing of differences, and cannot be removed
    remove = data.several
    absorbed = absorb_scores(data, remove) if remove else None
    part = None if absorbed is None else find_parts(absorbed)
    if part is not None and not part.any():
        return remove, [], absorbed
    unlinked = find_unlinked(data)
    if unlinked is not None:
        judges = data.factors.get("judge")
        random = judges is not None and judges.size > int(unlinked.part.max()) + 1
        raise NotIdentified(
            unlinked.cause,
            [
                "collect ratings of all groups by the same judges on the same items",
                *["use --model mixed if judges were assigned to systems at random"] * random,
                "look at means, which decide no such pair (--model mean)",
            ],
        )
    if part is None:
        return (), [], None
    # where groups of systems were rated on other items each, by the same judges, differences of
    # items cannot be told from those of the groups, but those of judges can
    name = next(one for one in remove if not link_systems(data, (one,)).any())
    other = next(one for one in remove if one != name)
    groups = name_parts(data.systems, part)
    how = {"by": "by" if other == "judge" else "on", "factor": other, "links": name}
    return (name,), [say_ratings("other-items", "warning", groups=groups, **how)], None


@dataclass(frozen=True)
class Adjusted(RatingModel[LeastSquaresFit]):
    """Mean scores adjusted for judges and items.

    >>> import polars as pl
    >>> import evenhand
    >>> judges = ["ann", "ann", "ben", "ben", "cy", "cy"]
    >>> scores = {"judge": judges, "system": ["x", "y"] * 3, "score": [3, 2, 5, 4, 4, 4]}
    >>> fit = evenhand.Adjusted().fit(evenhand.read(pl.DataFrame(scores)))
    >>> dict(zip(fit.systems, fit.estimate.round(3).tolist()))
    {'x': 4.0, 'y': 3.333}
    """

    def _fit(self, scores: ScoredRows) -> LeastSquaresFit:
        remove, notes, absorbed = choose_removed(scores)
        fit = fit_least_squares(self, scores, scores.score, remove, absorbed=absorbed)
        for name, alone in scores.single.items():
            loads = scores.factors[name].loads
            if len(alone) > 1 and alone.all():
                notes.append(say_ratings("not-removed", factor=name))
            elif name in remove and alone.any():
                counts = {"ratings": float(loads[alone].sum()), "of": float(loads.sum())}
                severity = "info" if counts["ratings"] < MANY_ALONE * counts["of"] else "note"
                notes.append(say_ratings("one-system", severity, factor=name, **counts))
        return replace(fit, notes=tuple(notes))


@dataclass(frozen=True)
class NoSystems(RatingModel[LeastSquaresFit]):
    """Judges and items as in `Adjusted`, and all systems equal: what models are compared with."""

    def _fit(self, scores: ScoredRows) -> LeastSquaresFit:
        none = np.zeros(len(scores.score), dtype=np.int64)
        alone = replace(scores, systems=("all systems",), system=none)
        return fit_least_squares(self, alone, scores.score, choose_removed(scores)[0])


@dataclass(frozen=True)
class Means(RatingModel[LeastSquaresFit]):
    """Raw mean scores."""

    def _fit(self, scores: ScoredRows) -> LeastSquaresFit:
        fit = fit_least_squares(self, scores, scores.score, ())
        return fit.mark_unlinked(find_unlinked(scores))


@dataclass(frozen=True)
class ZScores(RatingModel[LeastSquaresFit]):
    """Means of scores that are standardised by judge, every output counting alike."""

    def _fit(self, scores: ScoredRows) -> LeastSquaresFit:
        y = standardise(scores)
        weight = None
        if "item" in scores.factors:
            output = number_groups(scores.factors["item"].codes, scores.system)
            weight = 1.0 / np.bincount(output)[output]
        fit = fit_least_squares(self, scores, y, (), weight)
        # what judges differ in is taken out of their scores, so that judges alone link systems
        part = link_systems(scores, ("judge",))
        unlinked = Unlinked(scores.systems, part, ("judge",)) if part.any() else None
        return fit.mark_unlinked(unlinked)


def standardise(data: ScoredRows) -> Array:
    """Return (n,) scores less the mean of their judge, over the standard deviation of n − 1."""
    if "judge" not in data.factors:
        raise NotIdentified(
            "z-scores are standardised by judge, and no column says who judged",
            ["name it (--column judge=NAME)", "rank by means (--model mean)"],
        )
    factor, (mean, deviation) = data.factors["judge"], judge_scales(data)
    names = [factor.labels[at] for at in np.flatnonzero(deviation == 0).tolist()]
    if names:
        many = "one judge" if len(names) == 1 else f"{len(names)} judges"
        few = len(names) <= 5
        raise NotIdentified(
            f"{many} gave one score only, or the same to all outputs, and such scores cannot be"
            f" standardised: {listing(names, 5)}",
            [*[f"leave them out (--without {','.join(names)})"] * few, "use --model adjusted"],
        )
    return np.asarray((data.score - mean[factor.codes]) / deviation[factor.codes])


def judge_scales(data: ScoredRows) -> tuple[Array, Array]:
    """Return (J,) means and standard deviations, of n − 1, of judges' scores.

    A deviation is 0 exactly where all scores of a judge are equal, whose mean may be rounded.
    """
    codes, size = data.factors["judge"].codes, data.factors["judge"].size
    n = np.bincount(codes, minlength=size)
    mean = np.bincount(codes, data.score) / n
    squares = np.bincount(codes, (data.score - mean[codes]) ** 2)
    least, most = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(least, codes, data.score)
    np.maximum.at(most, codes, data.score)
    return mean, np.where(least == most, 0.0, np.sqrt(squares / np.maximum(n - 1, 1)))

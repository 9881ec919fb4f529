"""Judges as tasks of one Gaussian process: what each says of outputs, and how alike they are.

    y = β_d + f_d(x) + ε      Cov[f_d(x), f_d'(x')] = B_dd' k(x, x')      ε ~ N(0, σ_d²)

Sources: Cohn & Specia (2013), ACL, "Modelling Annotator Bias with Multi-task Gaussian Processes: An
Application to Machine Translation Quality Estimation", known to us by its abstract; Bonilla, Chai &
Williams (2008), NIPS 20. Priors, remarks, and means that are integrated out are ours. The model,
and when not to use it: docs/models/multitask-gp.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.controls import Openable, carries_excluded, takes_judgments
from evenhand.data.exclusions import Exclusion, write_document, write_excluded
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.results import Shown
from evenhand.errors import (
    InvalidJudgments,
    UnknownOption,
    listing,
    require_level,
    require_option,
    sentence_hint,
    suggest,
)
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.distributions import mixture_quantile
from evenhand.numerics.gaussian_process import Points, Posterior, correlate
from evenhand.numerics.newton import one_blas_thread
from evenhand.ratings.features import FeatureTable, OutputFeatures, Scaling, learn_scaling
from evenhand.ratings.process_search import (
    MAX_CURVED,
    SHARINGS,
    Coregion,
    JudgedPoints,
    Layout,
    Problem,
    Sharing,
    Standard,
    Surface,
    Uncertainty,
    draw_correlations,
    find_uncertainty,
    sample_evenly,
    search,
)
from evenhand.ratings.texts import say
from evenhand.render.document import Column, Document, Table, describe_findings, write_signature

OUTPUTS_AT_ONCE: Final = 1000  # Outputs that are predicted at once


@dataclass(frozen=True, eq=False)
class PredictedRatings:
    mean: Array  # (n,) in points of the scale
    # (n,) of what the judge says on average of such an output, in squared points; that parameters
    # are uncertain is part of it
    variance: Array
    noise: Array  # (n,) variance of one rating around that
    means: Array  # (S, n) means under each of S draws of the parameters
    deviations: Array  # (S, n) standard deviations of one rating under each, its noise included
    notes: tuple[str, ...] = ()  # what must stand beside the predictions

    def interval(self, level: float = 0.9) -> tuple[Array, Array]:
        """Return the ends of intervals for one rating, its noise included."""
        require_level(level, ".9")
        low, high = 0.5 - level / 2, 0.5 + level / 2
        of = (self.means, self.deviations)
        return mixture_quantile(low, *of), mixture_quantile(high, *of)


def mix(
    parts: Sequence[tuple[Array, Array, Array]], notes: tuple[str, ...] = ()
) -> PredictedRatings:
    """Mix what is predicted under each draw: (n,) means, variances and variances of noise."""
    means, variances, noises = (np.array(part) for part in zip(*parts, strict=True))
    variance, deviations = variances.mean(axis=0) + means.var(axis=0), np.sqrt(variances + noises)
    mean, noise = means.mean(axis=0), noises.mean(axis=0)
    return PredictedRatings(mean, variance, noise, means, deviations, notes)


def predict_at(
    weighed: tuple[Coregion, Posterior], support: JudgedPoints, judged: JudgedPoints
) -> tuple[Array, Array, Array]:
    """Return (n,) means, variances and variances of noise."""
    at, posterior = weighed
    parts = []
    for low in range(0, len(judged), OUTPUTS_AT_ONCE):
        part = judged.take(np.arange(low, min(low + OUTPUTS_AT_ONCE, len(judged))))
        parts.append(posterior.predict(at.covariance(part, support)[0], at.variances(part)))
    mean, variance = (np.concatenate(part) for part in zip(*parts, strict=True))
    return mean, variance, at.noise[judged.judge]


# Intervals of correlations, tastes and noise are quantiles of draws of the parameters around the
# likeliest ones; those of leniency mix the posteriors of the functions over such draws. Leniency is
# the mean over outputs x of β_d + f_d(x), less the mean of that over judges: each output counts
# once, however often it was rated, and each judge as if he had rated all.

QUANTILE_DRAWS: Final = 1000  # Draws of parameters that quantiles are taken of
MIN_RATINGS: Final = 20  # Ratings of a judge below which intervals rest on the prior


def _average(outputs: Points, others: Points, at: Coregion) -> Array:
    """Return (m,) mean k of all outputs with each of some points."""
    total = np.zeros(len(others))
    for low in range(0, len(outputs), OUTPUTS_AT_ONCE):
        part = outputs.take(np.arange(low, min(low + OUTPUTS_AT_ONCE, len(outputs))))
        total += correlate(part, others, at.log_scales).sum(axis=0)
    return total / len(outputs)


@dataclass(frozen=True, eq=False)
class Learned:
    features: OutputFeatures  # which features outputs have
    scaling: Scaling  # how they become points
    standard: Standard  # constants of the ratings
    judges: tuple[str, ...]  # names, sorted


# How lenient judges are: what each would say on average of the outputs that were rated.
#
# leniency of d = mean over outputs x of β_d + f_d(x),  less the mean of that over judges
#
# Each output counts once, however often it was rated, and each judge as if he had rated all.


@dataclass(frozen=True, eq=False, repr=False)
class JudgeProcess(Shown):
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
    ratings: Integers
    near: Flags
    separable: Flags
    notes: tuple[str, ...]
    signature: str
    excluded: tuple[Exclusion, ...] = ()

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

    @takes_judgments("data")
    def predict(
        self,
        data: Ratings | RatingRows | Openable | FeatureTable,
        judges: Sequence[str] | str | None = None,
    ) -> PredictedRatings:
        """Predict the rating of each row: its judge and its output; its score is not looked at.

        Args:
            data: ratings, or outputs that nobody rated (`OutputFeatures.tabulate`).
            judges: whose ratings are to be predicted: one name, or one for each row; those of the
                ratings unless told otherwise.

        Raises:
            InvalidJudgments: a judge who gave no rating to learn from, features that are missing,
                or outputs without judges.
        """
        features = self.learned.features
        if isinstance(data, FeatureTable):
            table = data
            if judges is None:
                raise InvalidJudgments("outputs have no judges: name them (judges=...)")
        else:
            rows = features.read_rows(data)
            table = features.read(rows)
            judges = np.array(rows.judges)[rows.judge].tolist() if judges is None else judges
        names = [judges] * len(table.numbers) if isinstance(judges, str) else list(judges)
        if len(names) != len(table.numbers):
            count = f"{len(names):,} judges for {len(table.numbers):,} outputs"
            raise InvalidJudgments(f"{count}: one for all, or one for each")
        known = {name: i for i, name in enumerate(self.judges)}
        strange = sorted({name for name in names if name not in known})
        if strange:
            raise InvalidJudgments(
                f"nothing was learned of {listing(strange)}: no rating of theirs was seen"
                f"{sentence_hint(suggest(strange[0], known))}; name judges who were seen"
            )
        judge = np.array([known[name] for name in names], dtype=np.int64)
        judged = JudgedPoints(judge, self.learned.scaling.apply(table))
        notes = [*self.learned.scaling.find_unseen(table)]
        few = [d for d in np.unique(judge).tolist() if self.ratings[d] < MIN_RATINGS]
        if few:
            named = listing([f"{self.judges[d]} ({self.ratings[d]})" for d in few])
            notes.append(say("few-ratings", least=MIN_RATINGS, judges=named))
        with one_blas_thread():
            support = self.problem.support
            parts = [predict_at(weighed, support, judged) for weighed in self._weigh()]
            if not self._integrates and self.model.draws:
                mean, variance, _ = parts[0]
                parts = [(mean, variance, at.noise[judge]) for at in self._drawn]
        centre, scale = self.learned.standard.mean, self.learned.standard.deviation
        scaled = [(centre + scale * m, scale**2 * v, scale**2 * noise) for m, v, noise in parts]
        return mix(scaled, tuple(notes))

    @cached_property
    def _drawn(self) -> list[Coregion]:
        return self.uncertainty.draw(self.model.draws, self.model.seed)

    @property
    def _integrates(self) -> bool:
        """Whether predictions average over all parameters, not over σ² alone."""
        return self.model.draws > 0 and len(self.problem.y) <= MAX_CURVED

    def similarity(self, level: float = 0.9) -> list[dict[str, Any]]:
        """Return a row for each pair of judges: how alike they are, and what that rests on.

        "known": the interval of the correlation leaves 0 out and is narrower than the prior's. It
        is None where judges share all or nothing by the settings.

        Args:
            level: of intervals (proportion).
        """
        require_level(level)
        covariance, correlation = self.covariance, self.correlation
        layout, ends = self.problem.layout, None
        if layout.sharing == "low rank":  # ends of intervals, and the width of the prior's
            tails = (0.5 - level / 2, 0.5 + level / 2)
            drawn = self.uncertainty.draw(QUANTILE_DRAWS, self.model.seed)
            low, high = np.quantile([at.correlation for at in drawn], tails, axis=0)
            before = draw_correlations(layout.rank, QUANTILE_DRAWS, self.model.seed)
            ends = (low, high, float(np.ptp(np.quantile(before, tails))))
        rows: list[dict[str, Any]] = []
        for a in range(len(self.judges)):
            for b in range(a):
                value = float(correlation[a, b])
                lower, upper, known = None, None, False
                if ends is not None:
                    low, high, widest = ends
                    lower, upper = min(float(low[a, b]), value), max(float(high[a, b]), value)
                    known = (lower > 0 or upper < 0) and upper - lower < widest
                row: dict[str, Any] = {"judge": self.judges[a], "other": self.judges[b]}
                row |= {"covariance": float(covariance[a, b]), "correlation": value}
                row |= {"lower": lower, "upper": upper, "known": known}
                row |= {"near": bool(self.near[a, b])}
                rows.append(row)
        return rows

    def records(self, level: float = 0.9) -> list[dict[str, Any]]:
        """Return a row for each judge, in points of the scale; noise and tastes as deviations.

        "private" is the judge's own taste. Where the ratings do not tell it from noise, both are
        None and only the sum of their variances is told.

        Args:
            level: of intervals (proportion).
        """
        require_level(level)
        scale, leniency, at = self.learned.standard.deviation, self.leniency, self.at
        tails = (0.5 - level / 2, 0.5 + level / 2)
        low, high = (scale * mixture_quantile(tail, *self.lenient) for tail in tails)
        drawn = self.uncertainty.draw(QUANTILE_DRAWS, self.model.seed)
        ends = {}
        for name in ("private", "noise"):
            squares = np.quantile([getattr(draw, name) for draw in drawn], tails, axis=0)
            ends[name] = scale * np.sqrt(squares)
        rows = []
        for d, judge in enumerate(self.judges):
            row: dict[str, Any] = {
                "judge": judge,
                "ratings": int(self.ratings[d]),
                "leniency": leniency[judge],
                "leniency_lower": float(low[d]),
                "leniency_upper": float(high[d]),
                "shared": scale * float(at.loadings[d] @ at.loadings[d]) ** 0.5,
                "private_and_noise": scale * float(at.private[d] + at.noise[d]) ** 0.5,
            }
            for name, (lower, upper) in ends.items():
                row |= dict.fromkeys((name, f"{name}_lower", f"{name}_upper"))
                if self.separable[d]:  # else they are not distinguished
                    row[name] = scale * float(getattr(at, name)[d]) ** 0.5
                    row |= {f"{name}_lower": float(lower[d]), f"{name}_upper": float(upper[d])}
            rows.append(row)
        return rows

    @cached_property
    def lenient(self) -> tuple[Array, Array]:
        """(S, D) means and deviations of how lenient judges are, under each draw of parameters."""
        with one_blas_thread():
            points, support = self.problem.judged.points, self.problem.support
            both = np.hstack([points.numbers, points.labels])
            outputs = points.take(np.unique(both, axis=0, return_index=True)[1])
            means, variances = [], []
            for at, posterior in self._weigh():
                judges, b = len(at.noise), at.similarity
                near = _average(outputs, support.points, at)
                inner = float(_average(outputs, outputs, at).mean())
                cross = b[:, support.judge] * near
                cross += at.spread * (np.arange(judges)[:, None] == support.judge)
                before = b * inner + at.spread * np.eye(judges)
                beside = np.eye(judges) - 1 / judges  # the mean of all judges falls out
                cross = beside @ cross
                left = beside @ before @ beside - cross @ posterior.reduction @ cross.T
                means.append(cross @ posterior.weights)
                variances.append(np.maximum(np.diag(left), 0.0))
            return np.array(means), np.sqrt(np.array(variances))

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
            "findings": describe_findings(self.notes),
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
        }

    def document(self) -> Document:
        """Return what people read: judges, and how far each feature reaches."""
        scales = [{"feature": name, "scale": one} for name, one in self.length_scales.items()]
        columns = (Column("feature", "feature", "name"), Column("scale", "length scale", "figures"))
        counts = {"ratings": int(self.ratings.sum()), "judges": len(self.judges)}
        return write_document(
            self,
            tabulate_judges(self.records(), LEVEL),
            Table("features", "Length scales of features", columns, tuple(scales)),
            answer=(say("process", **counts, features=self.learned.features),),
        )


LEVEL: Final = 0.95  # Of intervals, unless told otherwise


def tabulate_judges(rows: Iterable[dict[str, Any]], level: float) -> Table:
    ends = ("leniency_lower", "leniency_upper")
    columns = (
        Column("judge", "judge", "name"),
        Column("ratings", "ratings", "count", priority=2),
        Column("leniency", "offset", "+.1f"),
        Column(ends, f"{100 * level:g} % interval", "interval", priority=4),
        Column("private", "own taste", "one", priority=1),
        Column("noise", "noise", "one", priority=1),
        Column("private_and_noise", "both", "one", priority=3),
    )
    return Table("judges", "Judges", columns, tuple(rows), legend=(say("leniency"),))


# What of a judge process the ratings can tell, and what its priors told instead.

MIN_NEAR: Final = np.exp(-0.5)  # Covariance k of outputs that are one length scale apart
# Of the estimates of κ and σ², beyond which only their sum is told
MAX_CORRELATION: Final = 0.95
MIN_TO_TELL: Final = 5  # Ratings of a judge below which priors speak louder
MAX_RATINGS_COMPARED: Final = 1000  # Of a judge


def find_near(judged: JudgedPoints, log_scales: Array) -> Flags:
    """Return (D, D) whether two judges, by whom rows are sorted, rated outputs that are near."""
    starts = np.flatnonzero(np.diff(judged.judge, prepend=-1))
    ends = [*starts[1:].tolist(), len(judged)]
    near = np.zeros((len(starts), len(starts)), dtype=bool)
    for judge, (start, stop) in enumerate(zip(starts.tolist(), ends, strict=True)):
        best = np.zeros(len(judged))
        for low in range(start, stop, MAX_RATINGS_COMPARED):
            points = judged.points.take(np.arange(low, min(low + MAX_RATINGS_COMPARED, stop)))
            np.maximum(best, correlate(points, judged.points, log_scales).max(axis=0), out=best)
        near[judge] = np.maximum.reduceat(best, starts) >= MIN_NEAR
    return near


def find_separable(problem: Problem, top: Surface) -> Flags:
    # from the expected information on both, ½ tr(V⁻¹ ∂V V⁻¹ ∂V), V the covariance of the judge's
    # ratings given nobody else's; other parameters are held
    separable = np.ones(problem.layout.judges, dtype=bool)
    if problem.layout.sharing == "full":
        return separable
    for judge in range(problem.layout.judges):
        rows = np.flatnonzero(problem.judged.judge == judge)[:MAX_RATINGS_COMPARED]
        judged = problem.judged.take(rows)
        if len(judged) == 1:
            separable[judge] = False
            continue
        covariance, k = top.at.covariance(judged, judged)
        covariance[np.diag_indices(len(judged))] += top.at.noise[judge]
        inverse = np.linalg.inv(covariance)
        through = inverse @ k
        private, both = float((through * through.T).sum()), float((through * inverse.T).sum())
        noise = float((inverse**2).sum())
        separable[judge] = both < MAX_CORRELATION * np.sqrt(private * noise)
    return separable


def write_remarks(
    problem: Problem, learned: Learned, near: Flags, separable: Flags
) -> tuple[str, ...]:
    notes = []
    constant, heavy = learned.scaling.constant, learned.scaling.heavy
    if constant:
        notes.append(say("features-constant", features=listing(constant)))
    if heavy:
        notes.append(say("features-heavy", features=listing(heavy)))
    counts = np.bincount(problem.judged.judge)
    few, ratings = int((counts < MIN_TO_TELL).sum()), len(problem.y)
    parameters = sum(problem.layout.sizes().values())
    if learned.judges == ("",) or len(counts) == 1:
        notes.append(say("no-judges" if learned.judges == ("",) else "one-judge"))
    else:
        if few:
            notes.append(say("judges-few-ratings", judges=few, least=MIN_TO_TELL))
        if parameters > ratings:
            sizes = {"parameters": parameters, "ratings": ratings, "judges": len(learned.judges)}
            notes.append(say("priors-decide", **sizes))
    apart = int((~near).sum()) // 2
    if apart and problem.layout.sharing == "low rank":
        notes.append(say("pairs-apart", apart=apart, of=len(near) * (len(near) - 1) // 2))
    names = [name for name, apart in zip(learned.judges, separable, strict=True) if not apart]
    if names:
        notes.append(say("not-separable", judges=listing(names, 5)))
    if problem.inducing is not None:
        notes.append(say("approximate", ratings=ratings, inducing=len(problem.inducing)))
    return tuple(notes)


MIN_FITTED: Final = 3  # Ratings below which nothing is learned


@dataclass(frozen=True)
class MultiTaskGP:
    """Settings of a process over judges.

    Attributes:
        sharing: "low rank" lets judges share functions, "none" gives each a process of its own,
            "full" gives all the same one.
        rank: number of functions that judges share, where they do.
        judge_means: whether judges have means of their own.
        judge_noise: whether judges have noise of their own.
        exact: most ratings for which the evidence is exact.
        inducing: ratings that it rests on beyond.
        draws: of the parameters, which predictions average over; 0 takes the likeliest as known.
        seed: of where the search begins, which ratings are drawn, and those draws.
    """

    sharing: Sharing = "low rank"
    rank: int = 1
    judge_means: bool = True
    judge_noise: bool = True
    exact: int = 3000
    inducing: int = 500
    draws: int = 30
    seed: int = SEED

    def __post_init__(self) -> None:
        require_option("sharing", self.sharing, SHARINGS)
        for name in ("rank", "exact", "inducing"):
            if getattr(self, name) < 1:
                raise UnknownOption(f"{name} {getattr(self, name)}: a number from 1")
        if self.draws < 0:
            raise UnknownOption(f"draws {self.draws}: a number from 0")
        if self.rank > 1 and self.sharing != "low rank":
            raise UnknownOption(f"rank {self.rank}: only where sharing is 'low rank'")

    @carries_excluded("controls", "repeats")
    def fit(
        self, data: Ratings | RatingRows | Openable, features: OutputFeatures | None = None
    ) -> JudgeProcess:
        """Learn from the ratings of outputs; controls and repeats are excluded.

        Args:
            data: the ratings, of one criterion or with it among the features.
            features: what is known of outputs; unless told otherwise only which is which.

        Raises:
            InvalidJudgments: too few ratings, ratings that are all the same, several tasks or
                criteria that are no label among the features, features that are missing or the
                same everywhere.
            NotConverged: no likeliest parameters are found.
        """
        known = OutputFeatures() if features is None else features
        rows = known.read_rows(data)
        if rows.size < MIN_FITTED:
            raise InvalidJudgments(
                f"{rows.size} ratings of outputs: a process is learned from {MIN_FITTED} or more,"
                " and says something from about 10 of each judge"
            )
        if np.ptp(rows.score) == 0:
            raise InvalidJudgments(
                f"all {rows.size:,} ratings are {rows.score[0]:g}: judges cannot be distinguished,"
                " and there is nothing to predict but this"
            )
        one = "choose one, or make '{role}' a label among the features"
        roles = [role for role in ("criterion", "task") if role not in known.labels]
        rows.refuse_several({role: one.format(role=role) for role in roles})
        rows, table = sort_rows(rows, known.read(rows))
        scaling = learn_scaling(table)
        names, judge = np.unique(np.array(rows.judges)[rows.judge], return_inverse=True)
        judged = JudgedPoints(judge.reshape(-1).astype(np.int64), scaling.apply(table))
        standard = Standard(float(rows.score.mean()), float(rows.score.std()))
        y, judges = standard.standardise(rows.score), len(names)
        rank = min(self.rank, judges) if self.sharing == "low rank" else 1
        scales, own = len(scaling.features), (self.judge_means, self.judge_noise)
        problem = Problem(Layout(self.sharing, judges, rank, scales, *own), judged, y)
        if len(y) > self.exact:
            rng, size = np.random.default_rng(self.seed), max(self.inducing, judges)
            part = sample_evenly(judged.judge, size, rng)
            problem = replace(problem, inducing=judged.take(part))
        with one_blas_thread():
            top = search(problem, np.random.default_rng(self.seed))
        learned = Learned(known, scaling, standard, tuple(names.tolist()))
        near = find_near(problem.judged, top.at.log_scales)
        separable = find_separable(problem, top)
        share = f"low rank {self.rank}" if self.sharing == "low rank" else self.sharing
        exact = "exact" if rows.size <= self.exact else f"FITC {self.inducing}"
        parts = (
            f"multi-task GP sharing={share} judge_means={self.judge_means}"
            f" judge_noise={self.judge_noise}",
            f"features {known}",
            f"{exact} draws={self.draws} seed={self.seed}",
        )
        return JudgeProcess(
            model=self,
            learned=learned,
            problem=problem,
            top=top,
            ratings=np.bincount(problem.judged.judge),
            near=near,
            separable=separable,
            notes=(*rows.notes, *write_remarks(problem, learned, near, separable)),
            signature=write_signature(parts, rows.size, digest_ratings(rows), judges=judges),
        )


def sort_rows(rows: RatingRows, table: FeatureTable) -> tuple[RatingRows, FeatureTable]:
    """Put ratings in an order that does not depend on the order of the table."""
    names = np.array(rows.judges)[rows.judge]
    labels = [column.astype(str) for column in table.labels.T]
    order = np.lexsort([rows.score, *table.numbers.T, *labels, names])
    return rows.take(order), table.take(order)

"""Coefficients that tell judges apart: κ of pairs, correlations, ICC and Kendall's W."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import ALL_SAME, Scale
from evenhand.data.results import ITEM, JUDGE
from evenhand.data.tally import Codes
from evenhand.errors import NotConverged, NotIdentified
from evenhand.judges.coefficients import NAME as CONCORDANCE
from evenhand.judges.coefficients import concordance_coefficient
from evenhand.judges.counts import MIN_CLUSTERS
from evenhand.judges.texts import say
from evenhand.judges.units import (
    NO_OVERLAP,
    Coefficient,
    Overlap,
    PairMeasure,
    Units,
    note_items,
    walk_overlaps,
)
from evenhand.models.rating_components import Peak, Problem, Term, arrange, find_peak, identify
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups, rank_within, sum_above
from evenhand.numerics.distributions import f_quantile, normal_quantile, t_quantile
from evenhand.numerics.newton import one_blas_thread

# Pearson's and Spearman's correlation of two judges over the units that both scored, ranks (ties
# their mean) within them. Judges who correlate may still disagree in every score.

MIN_UNITS: Final = 3  # Units from which a correlation can be anything but -1 or 1


def correlate_pairs(overlap: Overlap, *, ranks: bool = False) -> PairMeasure:
    # Returns correlations, NaN where a judge gave one score throughout or common units are fewer
    # than three; and z_x z_y − r (z_x² + z_y²) / 2 for a pair of scores, in units of standard
    # deviations, to which Spearman's adds what the scores do to the ranks of others.
    groups, points = overlap.pair, overlap.points
    x, y = points[overlap.x], points[overlap.y]
    values = correlate_within(groups, x, y, ranks=ranks)
    r = np.where(np.isnan(values), 0.0, values)[groups]
    a, b = (rank_within(groups, one) for one in (x, y)) if ranks else (x, y)
    (zx, sx), (zy, sy) = _standardise(groups, a), _standardise(groups, b)
    influence = zx * zy - r * (zx**2 + zy**2) / 2
    if ranks:
        influence += sum_above(groups, x, zy - r * zx) / sx[groups]
        influence += sum_above(groups, y, zx - r * zy) / sy[groups]
    return PairMeasure(values, influence)


def correlate_within(groups: Integers, x: Array, y: Array, *, ranks: bool = False) -> Array:
    # (G,) of dense numbers of groups; NaN where x or y is constant or a group has below three rows.
    if ranks:
        x, y = rank_within(groups, x), rank_within(groups, y)
    sizes = np.bincount(groups)
    varies = _varies(groups, x) & _varies(groups, y) & (sizes >= MIN_UNITS)
    dx, dy = (v - (np.bincount(groups, v) / sizes)[groups] for v in (x, y))
    xx, yy, xy = (np.bincount(groups, v) for v in (dx * dx, dy * dy, dx * dy))
    r = xy / np.sqrt(np.where(varies, xx * yy, 1.0))
    return np.where(varies, np.clip(r, -1.0, 1.0), np.nan)


def _standardise(groups: Integers, values: Array) -> tuple[Array, Array]:
    """Return (m,) values less their group's mean by its spread, and (G,) spreads; 1 for none."""
    sizes = np.bincount(groups)
    centred = values - (np.bincount(groups, values) / sizes)[groups]
    spread = np.sqrt(np.bincount(groups, centred**2) / sizes)
    spread = np.where(spread > 0, spread, 1.0)
    return centred / spread[groups], spread


def _varies(groups: Integers, values: Array) -> Flags:
    opening = np.empty(int(groups.max(initial=-1)) + 1)
    opening[groups[::-1]] = values[::-1]
    return np.asarray(np.bincount(groups, values != opening[groups]) > 0)


# Cohen's κ of two judges: κ = 1 − D_o / D_e,   D_o = mean w(x, y),   D_e = Σ_xy p(x) q(y) w(x, y)
#
# p and q are the shares of scores that either judge gave on their common units, and w says how far
# two scores are apart: 1 if they differ (none), |x − y| (linear) or (x − y)² (quadratic), on the
# scale itself. Programs that number the scores they happen to see (1, 2, 4, 5 become 0, 1, 2, 3)
# give other weighted values wherever a score in the middle is unused. Sources: Cohen (1960),
# Educational and Psychological Measurement 20:37-46; Cohen (1968), Psychological Bulletin
# 70:213-220.

Weights = Literal["none", "linear", "quadratic"]

WEIGHTS: Final = ("none", "linear", "quadratic")
# Most points of a scale that nobody declared: with more it is taken to have no steps
MAX_POINTS_UNDECLARED: Final = 101


def cohen_kappas(overlap: Overlap, scale: Scale, weights: Weights = "none") -> PairMeasure:
    # Returns κ, NaN where both judges gave one and the same score throughout; and, for a pair of
    # scores of a pair of judges, − (w − D_o) / D_e + (D_o / D_e²) (w_y + w_x − 2 D_e), where w_y is
    # the mean distance of y from the first judge's scores.
    check_steps(scale)
    points = overlap.points
    steps = np.abs(points[:, None] - points)  # (q, q) how far points are apart, 1 from end to end
    apart = (steps > 0).astype(np.float64)
    if weights != "none":
        wide = np.maximum(points[-1] - points[0], np.finfo(np.float64).tiny)
        apart = np.asarray((steps / wide) ** (1 if weights == "linear" else 2))
    distance = apart[overlap.x, overlap.y]
    observed = overlap.mean(distance)
    p, q = _shares(overlap, overlap.x) @ apart, _shares(overlap, overlap.y)
    expected = (p * q).sum(axis=1)
    exists, q = expected > 0, q @ apart
    under = np.where(exists, expected, 1.0)
    values = np.where(exists, 1 - observed / under, np.nan)
    pair = overlap.pair
    by_chance = p[pair, overlap.y] + q[pair, overlap.x] - 2 * expected[pair]
    influence = (observed / under**2)[pair] * by_chance - (distance - observed[pair]) / under[pair]
    return PairMeasure(values, influence)


def check_steps(scale: Scale) -> None:
    if scale.points is None:
        raise NotIdentified(
            f"Cohen's κ needs a scale with steps, not {scale}",
            ["use correlation, ICC or α, which take scores as numbers"],
        )
    if not scale.declared and len(scale.points) > MAX_POINTS_UNDECLARED:
        raise NotIdentified(
            f"Cohen's κ needs a scale with steps, and {len(scale.points):,} different scores occur",
            ["say what the scale is, as in --scale 0-100", "use correlation, ICC or α"],
        )


def _shares(overlap: Overlap, codes: Codes) -> Array:
    """(P, K) share of a judge's scores on common units that fall on each point."""
    k, pairs = len(overlap.points), len(overlap.first)
    counts = np.bincount(overlap.pair * k + codes, minlength=pairs * k).reshape(pairs, k)
    return np.asarray(counts / overlap.units[:, None])


# A mean over pairs counts each pair of judges by its common units, so that a pair with three units
# weighs no more than it knows; pairs for which a coefficient does not exist are excluded and
# counted. The mean of unweighted κ on complete data, all pairs alike, is Light's κ (Light 1971,
# Psychological Bulletin 76:365-377).

# What is measured of two judges, and its title
MEASURES: Final[Mapping[str, str]] = {
    "cohen": "Cohen's κ",
    "cohen-linear": "Cohen's κ, linear weights",
    "cohen-quadratic": "Cohen's κ, quadratic weights",
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
}


@dataclass(frozen=True, eq=False)
class JudgePairs:
    judges: tuple[str, ...]  # the J names
    first: Codes  # (P,) code of one judge of each pair
    second: Codes  # (P,) code of the other
    units: Integers  # (P,) common units
    equal: Array  # (P,) share of them with the same score (proportion)
    distance: Array  # (P,) mean |difference|, in points of the scale
    measures: Mapping[str, Array]  # name → (P,), NaN where it does not exist
    # name → (I, 3) for each item the sums over its pairs of scores of influence, of the measure
    # of their pair of judges, and of ones
    by_item: Mapping[str, Array]
    why: Mapping[str, str]  # why a measure was not taken at all

    def mean(self, name: str, *, level: float = 0.95) -> Coefficient:
        """Return the mean of a measure over pairs, weighted by common units."""
        # Its interval allows for items: t with the sandwich of influences, summed by item.
        title = MEASURES[name]
        units, both = int(self.units.sum()), 2 * int(self.units.sum())
        values = self.measures.get(name, np.empty(0))
        missing = self.why.get(name)
        if missing is None and np.isnan(values).all():  # no pair of judges has it
            missing = (
                "every pair of judges has fewer than three outputs in common, or a judge who"
                " scored all of them alike: nothing rises or falls"
            )
            if not units:
                missing = NO_OVERLAP
            elif name.startswith("cohen"):
                alike = "all judges gave one and the same score throughout"
                missing = f"{alike}: chance explains all agreement"
        if missing is not None:
            return Coefficient(name, title, None, units=units, ratings=both, why=missing)
        exists = ~np.isnan(values)
        value = float(np.average(values[exists], weights=self.units[exists]))
        units, without = int(self.units[exists].sum()), int((~exists).sum())
        notes = (say("pairs-without", n=without, of=len(exists)),) if without else ()
        sums, lower, upper = self.by_item[name], None, None
        sums = sums[sums[:, 2] > 0]
        items = len(sums)
        if items >= MIN_CLUSTERS:
            influence = (sums[:, 0] + sums[:, 1] - value * sums[:, 2]) / sums[:, 2].sum()
            error = np.sqrt(items / (items - 1) * (influence**2).sum())
            half = float(t_quantile((1 + level) / 2, items - 1) * error)
            lower, upper = max(value - half, -1.0), min(value + half, 1.0)
        return Coefficient(name, title, value, lower, upper, units, 2 * units, notes=notes)

    def records(self) -> list[dict[str, Any]]:
        columns: dict[str, list[Any]] = {
            name: [self.judges[code] for code in side.tolist()]
            for name, side in (("first", self.first), ("second", self.second))
        }
        numbers = {"units": self.units, "equal": self.equal, "distance": self.distance}
        for name, values in {**numbers, **self.measures}.items():
            columns[name] = [None if np.isnan(value) else value for value in values.tolist()]
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def compare_judges(units: Units, scale: Scale | None = None) -> JudgePairs:
    scale = scale or units.scale
    compute: dict[str, Callable[[Overlap], PairMeasure]] = {
        "cohen": lambda overlap: cohen_kappas(overlap, scale),
        "cohen-linear": lambda overlap: cohen_kappas(overlap, scale, "linear"),
        "cohen-quadratic": lambda overlap: cohen_kappas(overlap, scale, "quadratic"),
        "pearson": correlate_pairs,
        "spearman": lambda overlap: correlate_pairs(overlap, ranks=True),
    }
    why: dict[str, str] = {}
    try:
        check_steps(scale)
    except NotIdentified as refusal:
        why = {name: str(refusal) for name in compute if name.startswith("cohen")}
        compute = {name: function for name, function in compute.items() if name not in why}
    names, items = units.labels("item")
    by_item = {name: np.zeros((len(names), 3)) for name in compute}
    parts = []
    for overlap in walk_overlaps(units):
        apart = np.abs(overlap.points[overlap.x] - overlap.points[overlap.y])
        same, far = overlap.mean(overlap.x == overlap.y), overlap.mean(apart)
        row: list[Any] = [overlap.first, overlap.second, overlap.units, same, far]
        item = items[overlap.unit]
        for name, function in compute.items():
            measure = function(overlap)
            row.append(measure.values)
            of_pair = measure.values[overlap.pair]
            exists = ~np.isnan(of_pair)
            sums = by_item[name]
            for i, values in enumerate((measure.influence, of_pair, np.ones(len(of_pair)))):
                sums[:, i] += np.bincount(item[exists], values[exists], len(sums))
        parts.append(row)
    none: list[NDArray[Any]] = [np.zeros(0, dtype) for dtype in (np.int32, np.int32, np.int64)]
    none += [np.zeros(0)] * (2 + len(compute))
    columns: list[NDArray[Any]] = [np.concatenate(part) for part in zip(*parts, strict=True)]
    first, second, shared, equal, distance, *measured = columns or none
    measures = dict(zip(compute, measured, strict=True))
    seen = (first, second, shared, equal, distance)
    return JudgePairs(units.rows.judges, *seen, measures, by_item, why)


FAMILIES: Final = ("cohen", "correlation", "icc", CONCORDANCE)
# Pairs of judges of one output up to which coefficients between judges are computed unasked
MAX_PAIRS_UNASKED: Final = 200_000


def compute_between(units: Units, names: Sequence[str], level: float) -> tuple[Coefficient, ...]:
    wanted = set(names)
    coefficients: list[Coefficient] = []
    families = {name: "cohen" if name.startswith("cohen") else "correlation" for name in MEASURES}
    measures = [name for name, family in families.items() if {name, family} & wanted]
    if measures:
        pairs = compare_judges(units)
        coefficients += [pairs.mean(name, level=level) for name in measures]
    if {"icc", *FORMS} & wanted:
        forms = intraclass_coefficients(units, level=level)
        coefficients += [form for form in forms if {form.name, "icc"} & wanted]
    if CONCORDANCE in wanted:
        coefficients.append(concordance_coefficient(units))
    return tuple(coefficients)


def list_between() -> tuple[str, ...]:
    return tuple(dict.fromkeys([*FAMILIES, *MEASURES, *FORMS]))


# n units scored by k judges each, mean squares MSB between units, MSW within units, MSJ between
# judges and MSE of the rest:
#
#     (1,1)  (MSB − MSW) / (MSB + (k−1) MSW)                       judges differ from unit to unit
#     (2,1)  (MSB − MSE) / (MSB + (k−1) MSE + k (MSJ − MSE) / n)   judges a sample; severity counts
#     (3,1)  (MSB − MSE) / (MSB + (k−1) MSE)                       these judges; severity ignored
#     (1,k)  (MSB − MSW) / MSB                                     of the mean of k judges, likewise
#     (2,k)  (MSB − MSE) / (MSB + (MSJ − MSE) / n)
#     (3,k)  (MSB − MSE) / MSB                                     = Cronbach's α
#
# Where cells are missing there are no such mean squares. The variances of outputs σ_r², of judges
# σ_c² and of the residual σ_e² are estimated from all scores by restricted maximum likelihood, and
#
#     (1,·)  σ_r² / (σ_r² + σ_w²)      σ_w² within outputs, judges not distinguished
#     (2,·)  σ_r² / (σ_r² + σ_c² + σ_e²)
#     (3,·)  σ_r² / (σ_r² + σ_e²)
#
# of one judge; of the mean of k what is added to σ_r² is divided by k, the harmonic mean of the
# numbers of judges of an output. Both ways agree on complete tables, unless a component is 0.
#
# Intervals of mean squares are those of F, Satterthwaite's degrees of freedom for the second form;
# those of components are normal on Fisher's scale ½ log(1 + k σ_r²/σ²), by the information. They
# take outputs for independent; where several are of one item they may be too short, which a note
# says.
#
# Sources: Shrout & Fleiss (1979), Psychological Bulletin 86:420-428; McGraw & Wong (1996),
# Psychological Methods 1:30-46 and 390, where the second form is (A,·) and the third (C,·).

# Names of the six forms, and their titles
FORMS: Final = {
    "icc-1-1": "ICC(1,1), one of any judges",
    "icc-2-1": "ICC(2,1), one judge, severity counts",
    "icc-3-1": "ICC(3,1), one of these judges",
    "icc-1-k": "ICC(1,k), mean of any judges",
    "icc-2-k": "ICC(2,k), mean of judges, severity counts",
    "icc-3-k": "ICC(3,k), mean of these judges",
}
_ROUNDING: Final = 1e-12  # Share of the spread of scores below which a sum of squares is rounding


@dataclass(frozen=True)
class _Squares:
    n: int
    k: int
    between: float
    within: float
    judges: float
    rest: float

    def name(
        self, form: str, value: float | None, low: float | None = None, high: float | None = None
    ) -> Coefficient:
        return Coefficient(form, FORMS[form], value, low, high, self.n, self.n * self.k)


Forms = tuple[Coefficient, Coefficient]  # The correlation of one judge and of the mean of k
_NEGATIVE: Final = (
    "outputs' means differ less than chance makes them: how well means tell outputs apart has no"
    " value"
)


def correlate_intraclass(scores: Array, *, level: float = 0.95) -> tuple[Coefficient, ...]:
    n, k = scores.shape
    if n < 2 or k < 2:
        few = f"{n} output{'s' * (n != 1)}" if n < 2 else f"{k} judge{'s' * (k != 1)}"
        raise NotIdentified(f"the ICC needs two outputs and two judges: there are {few}")
    centred = scores - scores.mean()
    total = float((centred**2).sum())
    rows = k * float((centred.mean(axis=1) ** 2).sum())
    columns = n * float((centred.mean(axis=0) ** 2).sum())
    rows, columns, within, rest = (
        part if part > _ROUNDING * total else 0.0
        for part in (rows, columns, total - rows, total - rows - columns)
    )
    if not rows:
        alike = "scores are the same" if not total else "outputs have the same mean score"
        raise NotIdentified(f"the ICC has no value: all {alike}")
    means = (rows / (n - 1), within / (n * (k - 1)), columns / (k - 1), rest / ((n - 1) * (k - 1)))
    s = _Squares(n, k, *means)
    forms = (_by_ratio("1", s, level), _form_two(s, level), _by_ratio("3", s, level))
    single, mean = zip(*forms, strict=True)
    return (*single, *mean)


def intraclass_coefficients(units: Units, *, level: float = 0.95) -> tuple[Coefficient, ...]:
    """Return the six forms for scores that may have holes, or why there is one of them not."""
    shared = units.take(units.several)
    sizes = np.unique(shared.sizes)
    known: dict[str, Coefficient] = {}
    complete = False
    try:
        if len(sizes) == 1 and shared.size > 1:
            # as many judges of each output: there are mean squares, at least of the first form
            n, k = shared.size, int(sizes[0])
            scores = shared.points[shared.code].reshape(n, k)
            complete = k == len(np.unique(shared.judge))
            forms, notes = correlate_intraclass(scores, level=level), note_items(units)
            if not complete:
                forms = tuple(one for one in forms if one.name.startswith("icc-1"))
                notes = (say("any-judges", judges=k), *notes)
            known = {one.name: replace(one, notes=(*notes, *one.notes)) for one in forms}
        if not complete:
            known = correlate_by_components(units, level=level) | known
    except (NotIdentified, NotConverged) as refusal:
        why = str(refusal)
    else:
        why = "the scores do not tell judges from outputs"
    return tuple(
        known.get(name) or Coefficient(name, title, None, why=why) for name, title in FORMS.items()
    )


def correlate_by_components(units: Units, *, level: float = 0.95) -> dict[str, Coefficient]:
    """Return the forms by variance components, those that the design can tell."""
    shared = units.take(units.several)
    if shared.size < 2:
        raise NotIdentified("the ICC needs two outputs that two judges scored each")
    judges = number_groups(shared.judge)
    n, score = shared.ratings, shared.points[shared.code]
    spread = float(score.std())
    if not spread:
        raise NotIdentified(f"the ICC has no value: {ALL_SAME}")
    outputs = Term(ITEM, np.repeat(np.arange(shared.size), shared.sizes), shared.size)
    severity = Term(JUDGE, judges, int(judges.max()) + 1)
    k = shared.size / float((1 / shared.sizes).sum())
    missing = 1 - n / (shared.size * severity.size)
    note = say("missing-cells", missing=missing, n=shared.size, judges=severity.size, k=k)
    score, mean = (score - score.mean()) / spread, Term("mean", np.zeros(n, dtype=np.int64), 1)
    found: dict[str, Coefficient] = {}
    for terms in ([outputs], [outputs, severity]):
        if len(identify(terms).terms) < len(terms):
            continue
        arrangement = arrange(terms, mean)
        if arrangement is None:
            raise NotIdentified(
                "outputs and judges are too many for the ICC", ["use --coefficient alpha-interval"]
            )
        with one_blas_thread():
            peak = find_peak(Problem(score, terms, mean, arrangement))
        for form in ("1",) if len(terms) == 1 else ("2", "3"):
            value, lower, upper = _correlate(peak, form, k, level)
            for name, times in ((f"icc-{form}-1", 1.0), (f"icc-{form}-k", k)):
                ends = [None if one is None else _lengthen(one, times) for one in (lower, upper)]
                numbers = (_lengthen(value, times), ends[0], ends[1], shared.size, n)
                notes = (note, *note_items(units))
                found[name] = Coefficient(name, FORMS[name], *numbers, notes=notes)
    return found


def _correlate(
    peak: Peak, form: str, k: float, level: float
) -> tuple[float, float | None, float | None]:
    variances = np.where(peak.zero, 0.0, peak.variances)
    counted = np.ones(len(variances), dtype=np.bool_)
    counted[0] = False
    if form == "3":
        counted[1] = False
    between, error = float(variances[0]), float(variances[counted].sum())
    value = between / (between + error)
    if peak.zero[0]:
        return 0.0, None, None
    # z = ½ log(1 + k σ_r² / σ²) and its slopes
    slopes = np.where(counted, -between / error, 0.0)
    slopes[0] = 1.0
    slopes *= k / (error + k * between) / 2
    free = ~peak.zero
    vcov = np.linalg.inv(peak.solved.information[np.ix_(free, free)])
    half = normal_quantile((1 + level) / 2) * sqrt(float(slopes[free] @ vcov @ slopes[free]))
    ratios = (
        np.expm1(2 * (log(1 + k * between / error) / 2 + side * half)) / k for side in (-1, 1)
    )
    lower, upper = (float(ratio / (1 + ratio)) for ratio in ratios)
    return value, lower, upper


def _lengthen(value: float, times: float) -> float:
    """Return Spearman and Brown's correlation of a mean from that of one."""
    return times * value / (1 + (times - 1) * value)


def _by_ratio(form: str, s: _Squares, level: float) -> Forms:
    """Return the first or third form, with intervals by one ratio F."""
    k, between, error = s.k, s.between, s.within if form == "1" else s.rest
    df = (s.n - 1, s.n * (k - 1) if form == "1" else (s.n - 1) * (k - 1))
    value = (between - error) / (between + (k - 1) * error)
    single, mean = f"icc-{form}-1", f"icc-{form}-k"
    if not error:  # judges agree to the last
        note = (say("no-f"),)
        return replace(s.name(single, 1.0), notes=note), replace(s.name(mean, 1.0), notes=note)
    f = between / error
    low = f / f_quantile((1 + level) / 2, *df)
    high = f * f_quantile((1 + level) / 2, df[1], df[0])
    ends = ((end - 1) / (end + k - 1) for end in (low, high))
    return s.name(single, value, *ends), s.name(mean, 1 - 1 / f, 1 - 1 / low, 1 - 1 / high)


def _form_two(s: _Squares, level: float) -> Forms:
    """Return the second form; its degrees of freedom are McGraw and Wong's (Table 7)."""
    severity = s.k * (s.judges - s.rest) / s.n
    value = (s.between - s.rest) / (s.between + (s.k - 1) * s.rest + severity)
    mean = s.between + (s.judges - s.rest) / s.n
    why = None if mean > 0 else _NEGATIVE
    of_mean = (s.between - s.rest) / mean if mean > 0 else None
    if not s.rest:
        note = (say("no-f"),)
        one = replace(s.name("icc-2-1", value), notes=note)
        return one, replace(s.name("icc-2-k", of_mean), why=why, notes=note)
    # the interval for one judge
    n, k, ratio = s.n, s.k, s.judges / s.rest
    units = n * (1 + (k - 1) * value) - k * value
    over = (k - 1) * (n - 1) * (k * value * ratio + units) ** 2
    judges_df = over / ((n - 1) * k**2 * value**2 * ratio**2 + units**2)
    f_high = f_quantile((1 + level) / 2, n - 1, judges_df)
    f_low = f_quantile((1 + level) / 2, judges_df, n - 1)
    error = k * s.judges + (k * n - k - n) * s.rest
    low = n * (s.between - f_high * s.rest) / (f_high * error + n * s.between)
    high = n * (f_low * s.between - s.rest) / (error + n * f_low * s.between)
    lower, upper = None, None
    if of_mean is not None and 1 + low * (s.k - 1) > 0:  # else it has no lower end
        lower, upper = (s.k * end / (1 + end * (s.k - 1)) for end in (low, high))
    of_k = replace(s.name("icc-2-k", of_mean, lower, upper), why=why)
    return s.name("icc-2-1", value, low, high), of_k

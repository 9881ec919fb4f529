"""Coefficients of agreement on units: what each asks, ignores and is not for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import log10
from typing import Final

import numpy as np

from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption, suggest
from evenhand.judges.counts import MAX_CATEGORIES, Coincidences, Ratio, Sums, check_categories
from evenhand.judges.texts import say
from evenhand.judges.units import NO_OVERLAP, Coefficient, Units, find_block
from evenhand.numerics import Array, Integers
from evenhand.numerics.cluster_means import average_ranks, concord_ranks, number_groups
from evenhand.numerics.distributions import chi2_tail
from evenhand.render.document import Finding

# How far apart two scores are: the weight of their agreement is 1 − δ / δ_max, δ_max being the
# largest disagreement on the scale as it was declared, since weights from the scores that happen to
# occur would change with the data. Sources: Cohen (1968), Psychological Bulletin 70:213-220; Gwet
# (2014), Handbook of Inter-Rater Reliability, 4th edition, section 3.5.

WEIGHTINGS: Final = ("identity", "linear", "quadratic", "radical", "ratio")


def disagree(x: Array, y: Array, weighting: str) -> Array:
    gap = np.abs(x - y)
    if weighting == "identity":
        return np.asarray(gap > 0, dtype=np.float64)
    if weighting == "ratio":  # differences count by their share; 0 and 0 are 0 apart
        both = x + y
        return np.asarray((gap / np.where(both == 0, 1.0, both)) ** 2)
    return np.asarray(gap ** {"linear": 1.0, "quadratic": 2.0, "radical": 0.5}[weighting])


def check_weighting(points: Array, weighting: str) -> None:
    if weighting == "ratio" and points[0] < 0:
        raise InvalidJudgments(
            f"ratios need scores that start at zero; there is {points[0]:g}: use quadratic weights"
        )


def expect_disagreement(mass: Array, points: Array, weighting: str) -> Array:
    """Return Σ_c Σ_k mass_c mass_k δ_ck, in linear time where a closed form is known."""
    total = mass.sum(axis=1)
    if weighting == "identity":
        return np.asarray(total**2 - (mass**2).sum(axis=1))
    if weighting == "linear":
        below = np.cumsum(mass, axis=1)[:, :-1]
        return np.asarray(2 * (below * (total[:, None] - below)) @ np.diff(points))
    if weighting == "quadratic":
        middle = points - points.mean()  # small numbers, so that nothing cancels
        return np.asarray(2 * (total * (mass @ middle**2) - (mass @ middle) ** 2))
    if len(points) > MAX_CATEGORIES:
        raise NotIdentified(
            f"{len(points):,} different scores are too many for {weighting} weights",
            ["use linear or quadratic weights"],
        )
    apart = disagree(points[:, None], points[None, :], weighting)
    return np.asarray(np.einsum("bc,bc->b", mass @ apart, mass))


def disagreements(sums: Sums, weighting: str) -> Array:
    """Return (C,) the disagreement δ of each entry of the coincidences."""
    coincidences = sums.coincidences
    points = coincidences.points
    return disagree(points[coincidences.low], points[coincidences.high], weighting)


# Krippendorff's α, with n scores on units u of m_u ≥ 2 judges each:
#
# α = 1 − D_o / D_e
# D_o = 1/n Σ_u Σ_{i ≠ j} δ(c_ui, c_uj) / (m_u − 1),   D_e = 1/(n (n − 1)) Σ_c Σ_k n_c n_k δ(c, k)
#
# δ is [c ≠ k] (nominal), (c − k)² (interval), ((c − k) / (c + k))² (ratio) or, of mid-ranks r,
# (r_c − r_k)² (ordinal). Interval and ordinal come from sums and sums of squares: the cost is
# linear in the scores. Source: Krippendorff (2013), Content Analysis, 3rd edition, chapter 12.
# Where nearly all scores are alike D_e is near 0, and α jumps with single scores.

METRICS: Final = ("nominal", "ordinal", "interval", "ratio")
_WEIGHTINGS: Final = {"nominal": "identity", "interval": "quadratic", "ratio": "ratio"}


def krippendorff_alpha(sums: Sums, metric: str = "interval") -> Ratio:
    """Return α, one per resample; it does not exist where all scores are alike."""
    # Ranks of the ordinal α are those of each resample where pairs of scores are tabled; on scales
    # of very many points they stay those of the data.
    coincidences = sums.coincidences
    if metric == "interval":
        observed, expected = _spread(sums, sums.points)
    elif metric == "ordinal" and (not coincidences.tabled or sums.times is None):
        observed, expected = _spread(sums, find_midranks(coincidences.mass[None, :])[0])
    elif metric == "ordinal":
        low, high = np.triu_indices(len(sums.points))
        ranks = find_midranks(sums.mass)
        observed = (sums.score_tables * (ranks[:, high] - ranks[:, low]) ** 2).sum(axis=1)
        n, first = sums.scores, (sums.mass * ranks).sum(axis=1)
        expected = 2 * (n * (sums.mass * ranks**2).sum(axis=1) - first**2)
    else:
        weighting = _WEIGHTINGS[metric]
        check_categories(sums.points)
        check_weighting(sums.points, weighting)
        observed = sums.per_score(disagreements(sums, weighting))
        expected = expect_disagreement(sums.mass, sums.points, weighting)
    under = np.where(sums.varied, expected, 0.0)
    return Ratio(under - (sums.scores - 1) * observed, under)


def _spread(sums: Sums, values: Array) -> tuple[Array, Array]:
    """(B,) observed and expected squared differences of a value by point (K,)."""
    coincidences = sums.coincidences
    middle = values - values.mean()  # small numbers, so that nothing cancels
    observed = sums.per_score((middle[coincidences.low] - middle[coincidences.high]) ** 2)
    expected = 2 * (sums.scores * sums.score_sum(middle**2) - sums.score_sum(middle) ** 2)
    return observed, expected


def find_midranks(mass: Array) -> Array:
    return np.asarray(np.cumsum(mass, axis=1) - mass / 2)


# n-agreement: the share of units whose two scores differ by at most n points (Hamon, Mostefa and
# Arranz 2007, MT Summit XI, section 3.1). With more than two judges a unit counts by the mean over
# its pairs of judges; at n = 0 it is then the observed agreement P_o of Fleiss' κ. Published
# figures often take one pair of judges for each output: `pair_judges`. It ignores chance.

MAX_STEPS_SHOWN: Final = 11  # Scales of so many steps are shown in full; on longer ones a few n are
# Which n are shown on a long scale, as shares of the power of ten next to its range
STEP_SHARES: Final = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5)
_SLACK: Final = 1e-9


def n_agreement(sums: Sums, n: float) -> Ratio:
    """Return the share of units whose scores differ by at most n, one per resample."""
    coincidences = sums.coincidences
    points = coincidences.points
    slack = _SLACK * float(points[-1] - points[0])  # of the scale, whatever its unit is
    near = points[coincidences.high] - points[coincidences.low] <= n + slack
    return Ratio(sums.per_unit(near.astype(np.float64)), sums.units)


def choose_steps(low: float, high: float, points: Array) -> tuple[float, ...]:
    """Return the n that are worth showing: all on a short scale, else a few round ones."""
    step = float(np.diff(points).min(initial=high - low)) or 1.0
    count = (high - low) / step
    if abs(count - round(count)) < _SLACK and count < MAX_STEPS_SHOWN:
        return tuple(float(i * step) for i in range(round(count) + 1))
    wide = 10.0 ** round(log10(high - low))  # round numbers, also where the ends are not
    least = step * (1 - _SLACK)  # below it only the same score is as near
    steps = (share * wide for share in STEP_SHARES)
    return tuple(n for n in steps if n == 0 or least <= n <= high - low)


def pair_judges(units: Units) -> Units:
    """Keep for each output the scores of the first two judges of it in the table."""
    # The two are chosen once for an output, not for each criterion; a unit that one of them left
    # without a score is not counted. The choice depends on the order of the table.
    rows = units.rows
    output = number_groups(rows.output)
    first = _first_rows(output, np.arange(rows.size))
    other = np.flatnonzero(rows.judge != rows.judge[first[output]])
    second = _first_rows(output, other)
    held = np.repeat(output[units.first], units.sizes)
    of_second = np.where(second >= 0, rows.judge[second], -1)
    chosen = (units.judge == rows.judge[first[held]]) | (units.judge == of_second[held])
    unit = np.repeat(np.arange(units.size), units.sizes)
    both = np.bincount(unit[chosen], minlength=units.size) == 2
    kept = chosen & np.repeat(both, units.sizes)
    return units.choose(both, kept, np.full(int(both.sum()), 2))


def _first_rows(groups: Integers, rows: Integers) -> Integers:
    """Return the first of some rows of each group, -1 where a group has none of them."""
    first = np.full(int(groups.max()) + 1, -1, dtype=np.int64)
    first[groups[rows[::-1]]] = rows[::-1]  # the last assignment stays
    return first


# Fleiss' κ, n_ij of n judges having given unit i score j:
#
# κ = (P̄_o − P̄_e) / (1 − P̄_e)
# P̄_o = 1/N Σ_i 1/(n (n − 1)) Σ_j n_ij (n_ij − 1),   P̄_e = Σ_j (1/(N n) Σ_i n_ij)²
#
# Sources: Fleiss (1971), Psychological Bulletin 76:378-382; printed so by Hamon, Mostefa and Arranz
# (2007), section 3.2. Where the number of judges differs, each unit's own n_i stands in P̄_o, and
# all scores in place of N n: a generalisation, and labelled so. Where nearly all scores are alike
# P̄_e is near 1 and κ low, however well judges agree (Feinstein & Cicchetti 1990).


def fleiss_parts(coincidences: Coincidences) -> tuple[float, float, float | None]:
    """Return P̄_o, P̄_e and κ, which does not exist where all scores are alike."""
    if not coincidences.units:
        raise NotIdentified(f"{NO_OVERLAP}: nothing agrees or disagrees")
    sums = Sums(coincidences)
    observed, chance = (float(part[0]) for part in _parts(sums))
    return observed, chance, fleiss_kappa(sums).value


def fleiss_kappa(sums: Sums) -> Ratio:
    """Return κ, one per resample; it does not exist where all scores are alike."""
    observed, chance = _parts(sums)
    return Ratio(observed - chance, np.where(sums.varied, 1 - chance, 0.0))


def _parts(sums: Sums) -> tuple[Array, Array]:
    """(B,) P̄_o and P̄_e; 0 of resamples without a unit of two judges, which do not vary."""
    check_categories(sums.points)
    agree = n_agreement(sums, 0)
    shares = sums.mass / np.where(sums.scores > 0, sums.scores, 1.0)[:, None]
    observed = agree.over / np.where(agree.exists, agree.under, 1.0)
    return observed, np.asarray((shares**2).sum(axis=1))


# Gwet's AC1 and AC2, and coefficients that differ from them in what they call chance. With T_w the
# sum of all weights w, q the points of the scale, and π_k the mean over all units, those of one
# judge among them, of the share of their scores at k:
#
# coefficient = (P_a − P_e) / (1 − P_e),   P_a the mean over units of the mean w of pairs of scores
#
# AC1, AC2           P_e = T_w / (q (q − 1)) Σ_k π_k (1 − π_k)      AC1: identity weights
# Brennan-Prediger   P_e = T_w / q²
# π (Fleiss' kind)   P_e = Σ_k Σ_l w_kl π_k π_l
#
# Sources: Gwet (2008), British Journal of Mathematical and Statistical Psychology 61:29-48; Gwet
# (2014), Handbook of Inter-Rater Reliability, 4th edition, chapters 2-5; Brennan & Prediger (1981),
# Educational and Psychological Measurement 41:687-699. AC1 stays high where nearly all scores are
# alike and κ falls to zero: it takes chance for small there.


def weighted_agreement(sums: Sums, weighting: str = "identity") -> Ratio:
    largest = _find_largest(sums.points, weighting)
    return Ratio(sums.units - sums.per_unit(disagreements(sums, weighting)) / largest, sums.units)


def gwet_ac(sums: Sums, weighting: str = "identity") -> Ratio:
    q = _categories(sums)
    shares = sums.all_shares
    spread = (shares * (1 - shares)).sum(axis=1)
    return _correct(sums, weighting, _total_weight(sums.points, weighting) / (q * (q - 1)) * spread)


def brennan_prediger(sums: Sums, weighting: str = "identity") -> Ratio:
    q = _categories(sums)
    chance = np.full(len(sums.units), _total_weight(sums.points, weighting) / q**2)
    return _correct(sums, weighting, chance)


def gwet_pi(sums: Sums, weighting: str = "identity") -> Ratio:
    """Return the coefficient of Fleiss' kind for unequal numbers of judges, one per resample."""
    # It does not exist where all scores are alike.
    _categories(sums)
    apart = expect_disagreement(sums.all_shares, sums.points, weighting)
    chance = 1 - apart / _find_largest(sums.points, weighting)
    corrected = _correct(sums, weighting, chance)
    several = (sums.all_shares > 0).sum(axis=1) > 1
    return Ratio(corrected.over, np.where(several, corrected.under, 0.0))


def _correct(sums: Sums, weighting: str, chance: Array) -> Ratio:
    agree = weighted_agreement(sums, weighting)
    observed = agree.over / np.where(agree.exists, agree.under, 1.0)
    return Ratio(observed - chance, np.where(agree.exists, 1 - chance, 0.0))


def _categories(sums: Sums) -> int:
    q = len(sums.points)
    if q < 2:
        raise NotIdentified(
            "all scores are alike, and chance depends on the scale",
            ["declare the scale, as in --scale 1-5"],
        )
    check_categories(sums.points)
    return q


def _find_largest(points: Array, weighting: str) -> float:
    check_weighting(points, weighting)
    if weighting == "ratio":
        return float(disagree(points[:, None], points[None, :], weighting).max(initial=0.0)) or 1.0
    return float(disagree(points[:1], points[-1:], weighting)[0]) or 1.0


def _total_weight(points: Array, weighting: str) -> float:
    once = np.ones((1, len(points)))
    apart = float(expect_disagreement(once, points, weighting)[0])
    return len(points) ** 2 - apart / _find_largest(points, weighting)


Compute = Callable[[Sums], Ratio]


@dataclass(frozen=True)
class Kind:
    name: str  # as it is asked for
    title: str  # in tables
    family: str  # what asks for it together with its like
    compute: Compute  # its value, once per resample
    default: bool = False  # whether it is shown unasked
    paired: bool = False  # whether it is of one pair of judges for each output
    kappa: bool = False  # whether Landis and Koch's words are meant for it
    # whether it is made of the points of the scale, and needs one with steps
    categories: bool = False


# Different scores up to which coefficients for categories are shown unasked
MAX_POINTS_UNASKED: Final = 32


def list_kinds(units: Units) -> tuple[Kind, ...]:
    few = len(units.points) <= MAX_POINTS_UNASKED and units.scale.points is not None
    steps = choose_steps(units.scale.low, units.scale.high, units.points)
    kinds = []
    for paired in (False, True):
        family = "n-agreement-pair" if paired else "n-agreement"
        pair = ", one pair of judges per output" if paired else ""
        for n in steps:
            title = f"scores at most {n:g} apart{pair}" if n else f"same score{pair}"
            compute = partial(n_agreement, n=n)
            named = f"{family}-{n:g}", title, family
            kinds.append(Kind(*named, compute, default=not paired, paired=paired))
    fleiss = Kind("fleiss", "Fleiss' κ", "fleiss", fleiss_kappa, few, kappa=True, categories=True)
    kinds.append(fleiss)
    shown = {"nominal": few, "ordinal": True, "interval": True, "ratio": False}
    for metric in METRICS:
        compute = partial(krippendorff_alpha, metric=metric)
        named = f"alpha-{metric}", f"Krippendorff's α, {metric}", "alpha"
        kinds.append(Kind(*named, compute, shown[metric], categories=metric == "nominal"))
    unasked = {"ac1", "ac2-quadratic", "brennan-prediger"} if few else set()
    weighted: tuple[tuple[str, str, str, Callable[..., Ratio]], ...] = (
        ("gwet", "ac2", "Gwet's AC2", gwet_ac),
        ("brennan-prediger", "brennan-prediger", "Brennan-Prediger κ", brennan_prediger),
        ("pi", "pi", "π of Fleiss' kind (Gwet)", gwet_pi),
        ("agreement", "agreement", "weighted agreement", weighted_agreement),
    )
    for family, name, title, function in weighted:
        for weighting in WEIGHTINGS:
            full, words = f"{name}-{weighting}", f"{title}, {weighting} weights"
            if weighting == "identity":  # AC2 with these is AC1
                full, words = ("ac1", "Gwet's AC1") if name == "ac2" else (name, title)
            compute = partial(function, weighting=weighting)
            kinds.append(Kind(full, words, family, compute, full in unasked, categories=True))
    return tuple(kinds)


def choose_kinds(
    units: Units, requested: str | Sequence[str], others: Sequence[str] = ()
) -> tuple[Kind, ...]:
    kinds = list_kinds(units)
    names = {requested} if isinstance(requested, str) else dict.fromkeys(requested)
    known = {
        "default",
        "all",
        *others,
        *(one for kind in kinds for one in (kind.name, kind.family)),
    }
    for name in names:
        if name not in known:
            hint = suggest(name, known) or f" Choose from {', '.join(sorted(known))}"
            raise UnknownOption(f"no coefficient '{name}'.{hint}")
    return tuple(
        kind
        for kind in kinds
        if {"all", kind.name, kind.family, *(["default"] if kind.default else [])} & set(names)
    )


# Kendall's W: do judges put outputs in one order? Each of m judges ranks n units, ties sharing the
# mean of theirs; R_i are the sums of ranks:
#
#     W = 12 Σ_i (R_i − m (n + 1) / 2)² / (m² (n³ − n) − m Σ_j T_j),   T_j = Σ (t³ − t) over ties
#     χ² = m (n − 1) W on n − 1 degrees of freedom, which is Friedman's test with judges as blocks
#
# Sources: Kendall & Babington Smith (1939), Annals of Mathematical Statistics 10:275-287; Kendall
# (1948), Rank Correlation Methods.

NAME, TITLE = "kendall-w", "Kendall's W"


def find_concordance(scores: Array) -> tuple[float, Finding]:
    """Return W of (n, m) scores, and Friedman's test of it."""
    n, m = scores.shape
    if n < 2 or m < 2:
        few = f"{n} output{'s' * (n != 1)}" if n < 2 else f"{m} judge{'s' * (m != 1)}"
        raise NotIdentified(f"{TITLE} needs two outputs and two judges: there are {few}")
    w = concord_ranks(average_ranks(scores.T))
    if w is None:
        raise NotIdentified(f"{TITLE} has no value: every judge scored all outputs alike")
    chi2 = m * (n - 1) * w
    return w, say("concordance-test", "info", chi2=chi2, df=n - 1, p=chi2_tail(chi2, n - 1))


def concordance_coefficient(units: Units) -> Coefficient:
    try:
        scores, notes = find_block(units)
        w, test = find_concordance(scores)
    except NotIdentified as refusal:
        return Coefficient(NAME, TITLE, None, why=str(refusal))
    both = (*notes, test)
    return Coefficient(NAME, TITLE, w, units=len(scores), ratings=scores.size, notes=both)

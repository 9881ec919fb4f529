"""Intraclass correlation: how much of the spread of scores is between outputs, in six forms.

n units scored by k judges each, mean squares MSB between units, MSW within units, MSJ between
judges and MSE of the rest:

    (1,1)  (MSB − MSW) / (MSB + (k−1) MSW)                       judges differ from unit to unit
    (2,1)  (MSB − MSE) / (MSB + (k−1) MSE + k (MSJ − MSE) / n)   judges a sample; severity counts
    (3,1)  (MSB − MSE) / (MSB + (k−1) MSE)                       these judges; severity set aside
    (1,k)  (MSB − MSW) / MSB                                     of the mean of k judges, likewise
    (2,k)  (MSB − MSE) / (MSB + (MSJ − MSE) / n)
    (3,k)  (MSB − MSE) / MSB                                     = Cronbach's α

Where cells are missing there are no such mean squares. The variances of outputs σ_r², of judges
σ_c² and of the residual σ_e² are estimated from all scores by restricted maximum likelihood, and

    (1,·)  σ_r² / (σ_r² + σ_w²)      σ_w² within outputs, judges not distinguished
    (2,·)  σ_r² / (σ_r² + σ_c² + σ_e²)
    (3,·)  σ_r² / (σ_r² + σ_e²)

of one judge; of the mean of k what is added to σ_r² is divided by k, the harmonic mean of the
numbers of judges of an output. Both ways agree on complete tables, unless a component is 0.

Intervals of mean squares are those of F, Satterthwaite's degrees of freedom for the second form;
those of components are normal on Fisher's scale ½ log(1 + k σ_r²/σ²), by the information. They take
outputs for independent; where several are of one item they may be too short, which a note says.

Sources: Shrout & Fleiss (1979), Psychological Bulletin 86:420-428; McGraw & Wong (1996),
Psychological Methods 1:30-46 and 390, where the second form is (A,·) and the third (C,·). When not
to use it: scores are taken as numbers with normal errors, which a five-point scale is only roughly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Final

import numpy as np

from evenhand.data.results import ITEM, JUDGE
from evenhand.errors import NotConverged, NotIdentified
from evenhand.judges.texts import say
from evenhand.judges.units import Coefficient, Units, note_items
from evenhand.models.components import Problem, Term, arrange, identify
from evenhand.models.rating_components import Peak, find_peak
from evenhand.numerics import Array
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import f_quantile, f_tail, normal_quantile
from evenhand.numerics.sampling import one_blas_thread
from evenhand.render.findings import Finding

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
class Intraclass:
    name: str  # such as "icc-2-1"
    value: float | None  # the correlation, at most 1; None where it does not exist
    lower: float | None  # lower end of its interval; None where there is none
    upper: float | None  # upper end
    f: float | None  # F of no difference between units; None where judges agree to the last
    df: tuple[int, int]  # its degrees of freedom
    p: float | None  # its p-value; None without F
    why: str | None = None  # why there is no value


@dataclass(frozen=True)
class _Squares:
    n: int
    k: int
    between: float
    within: float
    judges: float
    rest: float


Forms = tuple[Intraclass, Intraclass]  # The correlation of one judge and of the mean of k
_NEGATIVE: Final = (
    "outputs' means differ less than chance makes them: how well means tell outputs apart has no"
    " value"
)


def correlate_intraclass(scores: Array, *, level: float = 0.95) -> tuple[Intraclass, ...]:
    """Return the six forms, in the order of `FORMS`."""
    s = _take_squares(scores)
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
            known = {one.name: _name(one, n, n * k, notes) for one in forms}
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
        raise NotIdentified("the ICC has no value: all scores are the same")
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
                "outputs and judges are too many for the ICC", ["use --statistic alpha-interval"]
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
    """Return the correlation of one judge, and the ends of its interval."""
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


def _name(one: Intraclass, units: int, ratings: int, notes: tuple[Finding, ...]) -> Coefficient:
    notes = notes if one.f is not None else (*notes, say("no-f"))
    found = (one.value, one.lower, one.upper, units, ratings, one.why, notes)
    return Coefficient(one.name, FORMS[one.name], *found)


def _take_squares(scores: Array) -> _Squares:
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
    return _Squares(n, k, *means)


def _by_ratio(form: str, s: _Squares, level: float) -> Forms:
    """Return the first or third form, with intervals by one ratio F."""
    k, between, error = s.k, s.between, s.within if form == "1" else s.rest
    df = (s.n - 1, s.n * (k - 1) if form == "1" else (s.n - 1) * (k - 1))
    value = (between - error) / (between + (k - 1) * error)
    single, mean = f"icc-{form}-1", f"icc-{form}-k"
    if not error:
        agree = Intraclass(single, 1.0, None, None, None, df, None)
        return agree, replace(agree, name=mean)
    f = between / error
    p = f_tail(f, *df)
    low = f / f_quantile((1 + level) / 2, *df)
    high = f * f_quantile((1 + level) / 2, df[1], df[0])
    one = Intraclass(
        single, value, (low - 1) / (low + k - 1), (high - 1) / (high + k - 1), f, df, p
    )
    return one, Intraclass(mean, 1 - 1 / f, 1 - 1 / low, 1 - 1 / high, f, df, p)


def _form_two(s: _Squares, level: float) -> Forms:
    """Return the second form; its degrees of freedom are McGraw and Wong's (Table 7)."""
    df = (s.n - 1, (s.n - 1) * (s.k - 1))
    severity = s.k * (s.judges - s.rest) / s.n
    value = (s.between - s.rest) / (s.between + (s.k - 1) * s.rest + severity)
    mean = s.between + (s.judges - s.rest) / s.n
    why = None if mean > 0 else _NEGATIVE
    of_mean = (s.between - s.rest) / mean if mean > 0 else None
    if not s.rest:
        return (
            Intraclass("icc-2-1", value, None, None, None, df, None),
            Intraclass("icc-2-k", of_mean, None, None, None, df, None, why),
        )
    f = s.between / s.rest
    p = f_tail(f, *df)
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
    return (
        Intraclass("icc-2-1", value, low, high, f, df, p),
        Intraclass("icc-2-k", of_mean, lower, upper, f, df, p, why),
    )

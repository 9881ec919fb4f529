"""Intraclass correlation: how much of the spread of scores is between outputs, in six forms.

n units scored by k judges each, mean squares MSB between units, MSW within units, MSJ between
judges and MSE of the rest:

    (1,1)  (MSB − MSW) / (MSB + (k−1) MSW)                       judges differ from unit to unit
    (2,1)  (MSB − MSE) / (MSB + (k−1) MSE + k (MSJ − MSE) / n)   judges a sample; severity counts
    (3,1)  (MSB − MSE) / (MSB + (k−1) MSE)                       these judges; severity set aside
    (1,k)  (MSB − MSW) / MSB                                     of the mean of k judges, likewise
    (2,k)  (MSB − MSE) / (MSB + (MSJ − MSE) / n)
    (3,k)  (MSB − MSE) / MSB                                     = Cronbach's α

Intervals are those of F, Satterthwaite's degrees of freedom for the second form. They take outputs
for independent; where several are of one item they may be too short, which a note says.

Sources: Shrout & Fleiss (1979), Psychological Bulletin 86:420-428; McGraw & Wong (1996),
Psychological Methods 1:30-46 and 390. When not to use it: where judges scored different outputs
only the first form exists; `evenhand variance` estimates the parts of the spread then. Scores are
taken as numbers with normal errors, which a five-point scale is only roughly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from evenhand.errors import NotIdentified
from evenhand.judges.texts import say
from evenhand.judges.units import Coefficient, Units, find_block, note_items
from evenhand.numerics import Array
from evenhand.numerics.distributions import f_quantile, f_tail
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


Forms = tuple[Intraclass, Intraclass]  # The correlation of one judge and of the mean of k
_NEGATIVE: Final = (
    "outputs' means differ less than chance makes them: how well means tell outputs apart has no"
    " value"
)


@dataclass(frozen=True)
class _Squares:
    n: int
    k: int
    between: float
    within: float
    judges: float
    rest: float


def correlate_intraclass(scores: Array, *, level: float = 0.95) -> tuple[Intraclass, ...]:
    """Return the six forms, in the order of `FORMS`."""
    s = _take_squares(scores)
    forms = (_by_ratio("1", s, level), _form_two(s, level), _by_ratio("3", s, level))
    single, mean = zip(*forms, strict=True)
    return (*single, *mean)


def intraclass_coefficients(units: Units, *, level: float = 0.95) -> tuple[Coefficient, ...]:
    """Return the six forms for scores that may have holes, or why there is one of them not."""
    # A table with holes is cut to the outputs that some judges all scored, if these hold two thirds
    # of the scores, which is noted. Where judges differ from output to output, but not their
    # number, the first form is that of all shared outputs.
    try:
        block = find_block(units)
        forms = correlate_intraclass(block.scores, level=level)
    except NotIdentified as refusal:
        why = str(refusal)
    else:
        n, k = block.scores.shape
        notes = (*block.notes, *note_items(units))
        return tuple(_name(one, n, n * k, notes) for one in forms)
    # without a complete block: the first form, where judges are as many
    shared = units.take(units.several)
    sizes = np.unique(shared.sizes)
    known: dict[str, Coefficient] = {}
    if len(sizes) == 1 and shared.size > 1:
        n, k = shared.size, int(sizes[0])
        notes = (say("any-judges", judges=k), *note_items(units))
        try:
            squares = _take_squares(shared.points[shared.code].reshape(n, k))
        except NotIdentified as refusal:
            why = str(refusal)
        else:
            forms = _by_ratio("1", squares, level)
            known = {one.name: _name(one, n, n * k, notes) for one in forms}
    return tuple(
        known.get(name) or Coefficient(name, title, None, why=why) for name, title in FORMS.items()
    )


def _name(one: Intraclass, units: int, ratings: int, notes: tuple[Finding, ...]) -> Coefficient:
    if one.f is None:
        notes = (*notes, say("no-f"))
    return Coefficient(
        name=one.name,
        title=FORMS[one.name],
        value=one.value,
        lower=one.lower,
        upper=one.upper,
        units=units,
        ratings=ratings,
        why=one.why,
        notes=notes,
    )


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
    return _Squares(
        n=n,
        k=k,
        between=rows / (n - 1),
        within=within / (n * (k - 1)),
        judges=columns / (k - 1),
        rest=rest / ((n - 1) * (k - 1)),
    )


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

"""What moves scores beside the outputs: severity of judges, drift, position, own systems, length.

    y = μ_system + a_judge + b_item + β x + e

β is least squares with systems, judges and items removed from y and from x (Frisch, Waugh and
Lovell), so that only what varies within judge, item and system is compared:

    drift      x = the place of a score among the judge's own under this criterion, in hundreds
    position   x = the place of the output on the page or in its document
    own system x = 1 where a judge, such as an LLM, scores the system of its own name
    control    x = a column of numbers, such as the length of the output

Errors are cluster jackknives by judge and by item, V = max(V_J, V_I, V_J + V_I − V_JI), with t on
one less than the effective clusters of the fewer kind. Severity and taste are the standard
deviations of judge and of judge x system by restricted maximum likelihood (`rating_components`),
tested on the boundary; a judge's own offset has the jackknife error over items.

When not to use it: items that came in one order for all judges leave no drift to be seen, since
drift and difficulty are one then; so they are refused. What a judge's offset is (severity or easier
items) rests on items that judges share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from evenhand.data.controls import carries_excluded, leave_out_controls, require_scores
from evenhand.data.exclusions import Exclusion, list_findings, write_contract
from evenhand.data.rating_rows import RatingRows, average_repeats, digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.results import JUDGE, JUDGE_SYSTEM, Component, Shown, write_signature
from evenhand.data.taking import Openable
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    UnknownOption,
    require_level,
)
from evenhand.models.means import Adjusted, LeastSquaresFit
from evenhand.models.rating_components import estimate_rating_components
from evenhand.models.rating_fit import take_scores
from evenhand.numerics import Array, Integers
from evenhand.numerics.absorption import absorb
from evenhand.numerics.cluster_means import (
    Estimate,
    bound,
    cross_ways,
    number_groups,
    rank_within,
)
from evenhand.numerics.multiple_tests import benjamini_hochberg
from evenhand.ranking.texts import say, say_clusterings
from evenhand.render.counts import plural
from evenhand.render.document import Column, Document, Table
from evenhand.render.findings import Finding, take_findings

PER: Final = 100.0  # Ratings of a judge, of which drift says what they change
# Share of what varies within judges that must be left beside items, for a slope to be seen
MIN_LEFT: Final = 0.02
MIN_CLUSTERS: Final = 3  # Fewest judges, or items, by which errors are clustered
POSITION: Final = "position"
DRIFT: Final = "drift"
LEVEL: Final = 0.95
OWN: Final = "own system"


@dataclass(frozen=True)
class Effect:
    name: str  # drift, position, own system, or a column
    unit: str  # of what it is an effect, such as "100 ratings"
    estimate: float  # points per unit
    stderr: float  # its standard error
    lower: float  # lower end of its interval
    upper: float  # upper end
    p: float  # two-sided p-value of no effect
    judges: int  # judges whose scores it rests on


@dataclass(frozen=True)
class JudgeOffset:
    judge: str  # the name
    n: int  # scores
    offset: float  # points above the average judge on the same outputs
    stderr: float | None  # its standard error over items; None where there is none
    lower: float | None  # lower end of its interval, or None
    upper: float | None  # upper end, or None
    p: float | None  # p-value of no offset
    p_adjusted: float | None  # adjusted for the number of judges (Benjamini-Hochberg)
    drift: float | None  # points per 100 ratings; None without times


@dataclass(frozen=True, eq=False, repr=False)
class RatingBias(Shown):
    """What moves scores beside the outputs."""

    severity: Component | None  # sd of judges' offsets; None where it cannot be told
    taste: Component | None  # sd of judge x system; None where it cannot be told
    effects: tuple[Effect, ...]  # drift, position, own system, controls: those that are known
    judges: tuple[JudgeOffset, ...]  # the most severe first
    level: float  # of intervals (proportion)
    n_ratings: int  # scores
    clusterings: tuple[str, ...]  # what intervals of effects account for
    notes: tuple[Finding, ...]  # what else should be known
    signature: str  # one line that reproduces the numbers
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    def find(self, name: str) -> Effect | None:
        """Return the effect of this name, or None."""
        return next((one for one in self.effects if one.name == name), None)

    @property
    def stand_out(self) -> tuple[JudgeOffset, ...]:
        """Judges unlike the average one, at a false discovery rate of 1 − level."""
        alpha = 1 - self.level
        adjusted = [(one, one.p_adjusted) for one in self.judges]
        return tuple(one for one, p in adjusted if p is not None and p <= alpha)

    @property
    def says(self) -> tuple[Finding, ...]:
        """What was found, in sentences."""
        alpha, said = 1 - self.level, []
        for name, one in (("severity", self.severity), ("taste", self.taste)):
            if one is not None and one.p is not None:
                code = name if one.p <= alpha else f"no-{name}"
                said.append(say(code, "info", sd=one.sd, p=one.p))
        for effect in self.effects:
            code = "score-effect" if effect.p <= alpha else "no-score-effect"
            said.append(say(code, "info", **asdict(effect)))
        if self.stand_out:
            names = [f"{one.judge} ({one.offset:+.2f})" for one in self.stand_out]
            said.append(say("judges-stand-out", "info", names=names))
        return tuple(said)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand bias --json` of ratings."""
        parts = {"severity": self.severity, "taste": self.taste}
        return {
            **write_contract(self, "says", "level", "n_ratings"),
            **{name: None if one is None else one.to_dict() for name, one in parts.items()},
            "effects": [asdict(one) for one in self.effects],
            "judges": [asdict(one) for one in self.judges],
        }

    def document(self) -> Document:
        """Return what people read."""
        rows: list[dict[str, Any]] = []
        for name, one in (("severity of judges", self.severity), ("judge x system", self.taste)):
            if one is not None:
                ends = {"estimate": one.sd, "lower": one.lower, "upper": one.upper, "p": one.p}
                rows.append({"name": name, "unit": "sd between judges", "stderr": None, **ends})
        rows += [asdict(one) for one in self.effects]
        return Document(
            basis=f"{plural(self.n_ratings, 'rating')}, {plural(len(self.judges), 'judge')}."
            f" {say_clusterings(self.clusterings)}",
            answer=self.says,
            parts=(
                Table(
                    "effects",
                    "What moves scores beside the outputs, in points",
                    (
                        Column("name", "source", "name"),
                        Column("unit", "points per"),
                        Column("estimate", "points", "two"),
                        Column(("lower", "upper"), f"{100 * self.level:g} % interval", "interval"),
                        Column("p", "p", "p"),
                    ),
                    tuple({**row, "judges": row.get("judges")} for row in rows),
                ),
                _tabulate_judges(self),
            ),
            findings=list_findings(self.notes, self.excluded),
            signature=self.signature,
        )


def _tabulate_judges(bias: RatingBias) -> Table:
    drifting = any(one.drift is not None for one in bias.judges)
    return Table(
        "judges",
        "Judges, the most severe first: points above the average judge on the same outputs",
        (
            Column("judge", "judge", "name"),
            Column("n", "ratings", "count"),
            Column("offset", "offset", "two"),
            Column("stderr", "s.e.", "two"),
            Column("p", "p", "p"),
            Column("p_adjusted", "adjusted", "p"),
            *([Column("drift", "drift per 100", "two")] * drifting),
        ),
        tuple(asdict(one) for one in bias.judges),
        limit=20,
    )


def choose_columns(data: Ratings, controls: Sequence[str]) -> list[str]:
    """Return the columns of numbers to look at: position where there is one, and those named."""
    return [*dict.fromkeys([*[POSITION] * (POSITION in data.columns), *controls])]


@carries_excluded("controls")
def find_rating_bias(
    data: Ratings | RatingRows | Openable,
    *,
    controls: Sequence[str] = (),
    cluster: str | None = None,
    level: float = LEVEL,
) -> RatingBias:
    """Estimate what moves the scores of one task under one criterion beside the outputs.

    Args:
        data: the ratings. Controls are excluded; repeats count.
        controls: columns of numbers to look at, such as a length. One called position is looked at
            unasked.
        cluster: judge | item | judge+item | judgment; by default judges and items, as known.
        level: of intervals (proportion).

    Raises:
        UnknownColumn: nobody is named who judged.
        NotIdentified: systems are not connected, or scores do not vary.
        InvalidJudgments: a column to look at that holds no numbers.
        UnknownOption: clusters that these ratings do not have.

    >>> import evenhand
    >>> judges, items, systems = "abcdef", range(10), ("new", "old")
    >>> rows = [
    ...     {"judge": j, "item": str(i), "system": s, "score": 3 * n + (n + i * k) % 5 + k}
    ...     for n, j in enumerate(judges)
    ...     for i in items
    ...     for k, s in enumerate(systems)
    ... ]
    >>> bias = evenhand.find_rating_bias(rows)
    >>> bias.judges[0].judge, round(bias.judges[0].offset, 1)
    ('a', -8.3)
    """
    require_level(level)
    table = require_scores(data, "severity, drift and controls are of ratings, not of")
    if isinstance(table, Ratings):
        controls = choose_columns(table, controls)
        table = leave_out_controls(table).rows(factors=controls)
    rows = table
    rows = rows.take(np.lexsort((rows.score, rows.system, rows.judge, rows.item)))
    scores = take_scores(rows)
    if "judge" not in scores.factors or scores.factors["judge"].size < 2:
        raise UnknownColumn(
            "a bias of ratings is one of judges, and no column tells two of them apart: name it"
            " (--column judge=NAME)"
        )
    fit = Adjusted().fit(scores)
    notes: list[Finding] = [*take_findings(rows.notes), *fit.notes]
    ways = ("judge", "item") if cluster is None else tuple(cluster.split("+"))
    codes = {
        name: scores.factors[name].codes.astype(np.int64)
        for name in ways
        if name in scores.factors and MIN_CLUSTERS <= scores.factors[name].size < rows.size
    }
    lacking = [name for name in ways if name not in (*codes, "judgment")]
    if cluster is not None and lacking:
        raise UnknownOption(
            f"these ratings cannot be clustered by {lacking[0]}, which needs a column with"
            f" {MIN_CLUSTERS} or more, each with several ratings: leave out --cluster {cluster}"
        )
    codes = codes or {"judgment": np.arange(rows.size)}
    effects, drifts = [], np.full(scores.factors["judge"].size, np.nan)
    for name, unit, x in _list_columns(rows, controls, notes):
        known = np.isfinite(x)
        found = _find_slope(fit, x, known, codes, level)
        if isinstance(found, str):
            notes.append(say("no-slope", "note", name=name, why=found))
            continue
        estimate, by_judge = found
        n = len(np.unique(rows.judge[known]))
        ends = {key: value for key, value in asdict(estimate).items() if key != "value"}
        effects.append(Effect(name, unit, estimate.value, judges=n, **ends))
        if name == DRIFT:
            drifts = by_judge
    severity, taste = _find_spread(rows, level, notes)
    parts = ["bias of ratings", *[f"control {one}" for one in controls]]
    parts.append(f"CV3 by {'+'.join(codes)}, level {level:g}")
    return RatingBias(
        severity=severity,
        taste=taste,
        effects=tuple(effects),
        judges=_list_offsets(fit, drifts, level),
        level=level,
        n_ratings=rows.size,
        clusterings=tuple(codes),
        notes=tuple(notes),
        signature=write_signature(parts, float(rows.size), digest_ratings(rows)),
    )


def _list_columns(
    rows: RatingRows, controls: Sequence[str], notes: list[Finding]
) -> list[tuple[str, str, Array]]:
    """Return name, unit and (n,) values of what may move scores; NaN where unknown."""
    columns: list[tuple[str, str, Array]] = []
    if rows.moment is None:
        notes.append(say("no-times", "note"))
    else:
        known = np.isfinite(rows.moment)
        place = np.full(rows.size, np.nan)
        place[known] = rank_within(number_groups(rows.judge[known]), rows.moment[known]) / PER
        columns.append((DRIFT, f"{PER:.0f} ratings", place))
    own = np.array(rows.judges)[rows.judge] == np.array(rows.systems)[rows.system]
    if own.any():
        columns.append((OWN, "own output", own.astype(np.float64)))
    for name in controls:
        labels, codes = rows.labels(name)
        values = np.full(len(labels), np.nan)
        for at, label in enumerate(labels):
            try:
                values[at] = float(label or "nan")
            except ValueError:
                raise InvalidJudgments(
                    f"column '{name}' holds '{label}', and its effect is one of numbers: name"
                    " another column"
                ) from None
        columns.append((name, "place" if name == POSITION else f"1 of {name}", values[codes]))
    return columns


def _find_slope(
    fit: LeastSquaresFit, x: Array, known: Any, codes: Mapping[str, Integers], level: float
) -> tuple[Estimate, Array] | str:
    """Return β and its (J,) values within judges, or why it cannot be told."""
    data = fit.data
    judge = data.factors["judge"]
    if not known.any():
        return "no row says it"
    x, y = x[known], data.score[known]
    others = [number_groups(data.factors[name].codes[known]) for name in fit.effects]
    if "judge" not in fit.effects:
        others = [number_groups(judge.codes[known])]
    system = number_groups(data.system[known])
    size = int(system.max()) + 1
    left, rest = (_remove(values, system, size, others) for values in (x, y))
    within = _remove(x, system, size, [number_groups(judge.codes[known])])
    total, base = float(left @ left), float(within @ within)
    if base <= 0 or total <= MIN_LEFT * base:
        return (
            "it hardly varies within a judge, a system and an item, so that it cannot be told from"
            " these (did all judges see items in one order?)"
        )
    slope = float(left @ rest) / total
    e = rest - slope * left
    variances, df = [], np.inf
    for clusters in codes.values():
        code = number_groups(clusters[known])
        held, scores = np.bincount(code, left**2), np.bincount(code, left * e)
        g = len(held)
        if g < MIN_CLUSTERS or held.max() >= (1 - 1e-9) * total:
            return "it varies within too few judges or items for an interval"
        change = -scores / (total - held)
        variances.append((g - 1) / g * float(((change - change.mean()) ** 2).sum()))
        df = min(df, float(total**2 / (held**2).sum()) - 1)
    if len(codes) > 1:
        cells = number_groups(*(one[known] for one in codes.values()))
        crossed = float((np.bincount(cells, left * e) ** 2).sum()) / total**2
        variances = cross_ways(variances, crossed)
    if max(variances) <= 0:
        return "scores do not vary beside it"
    own = judge.codes[known]
    squares = np.bincount(own, left**2, judge.size)
    shares = np.bincount(own, left * rest, judge.size)
    by_judge = np.where(squares > 1e-9 * total, shares / np.maximum(squares, 1e-300), np.nan)
    return bound(slope, max(variances), max(df, 1.0), level), by_judge


def _remove(values: Array, system: Integers, size: int, others: list[Integers]) -> Array:
    centred = values - values.mean()
    absorbed = absorb(centred, system, size, others)
    means = np.linalg.pinv(absorbed.information, hermitian=True) @ absorbed.right
    return absorbed.residuals(centred, means)


def _find_spread(
    rows: RatingRows, level: float, notes: list[Finding]
) -> tuple[Component | None, Component | None]:
    try:
        scored, repeated = average_repeats(rows)
        found = estimate_rating_components(scored, systems="fixed", level=level)
    except (NotIdentified, NotConverged) as refusal:
        notes.append(say("no-spread-of-judges", "note", why=str(refusal)))
        return None, None
    known = {one.name: one for one in found.components}
    notes.extend(take_findings([*repeated, *found.reasons, *found.notes]))
    return known.get(JUDGE), known.get(JUDGE_SYSTEM)


def _list_offsets(fit: LeastSquaresFit, drifts: Array, level: float) -> tuple[JudgeOffset, ...]:
    """Return every judge's offset, with the jackknife error of a mean over his or her items."""
    judge, item = fit.data.factors["judge"], fit.data.factors.get("item")
    if "judge" not in fit.effects:
        return ()
    offsets, n = fit.effects["judge"], judge.loads
    block = judge.codes if item is None else item.codes
    cell = number_groups(judge.codes, np.arange(len(block)) if item is None else block)
    sums = np.bincount(cell, fit.residual)
    owner = np.zeros(len(sums), dtype=np.int64)
    owner[cell] = judge.codes
    clusters = np.bincount(owner, minlength=judge.size)
    squares = np.bincount(owner, sums**2, judge.size)
    # residuals have lost what is estimated of them, n / (n − rank) as in CR1
    inflation = len(fit.residual) / max(fit.df, 1.0)
    variance = inflation * squares / n**2 * clusters / np.maximum(clusters - 1, 1)
    stderr = np.where(clusters > 1, np.sqrt(variance), np.nan)
    p, ends = np.ones(judge.size), np.zeros((judge.size, 2))
    for at in np.flatnonzero(stderr > 0).tolist():
        one = bound(float(offsets[at]), float(variance[at]), float(clusters[at] - 1), level)
        p[at], ends[at] = one.p, (one.lower, one.upper)
    adjusted = benjamini_hochberg(p)
    rows = []
    for at in np.lexsort((np.array(judge.labels), offsets)).tolist():
        sure = bool(stderr[at] > 0)
        rows.append(
            JudgeOffset(
                judge.labels[at],
                int(n[at]),
                float(offsets[at]),
                float(stderr[at]) if sure else None,
                float(ends[at, 0]) if sure else None,
                float(ends[at, 1]) if sure else None,
                float(p[at]) if sure else None,
                float(adjusted[at]) if sure else None,
                float(drifts[at]) if np.isfinite(drifts[at]) else None,
            )
        )
    return tuple(rows)

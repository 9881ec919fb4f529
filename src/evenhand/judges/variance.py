"""Components together with what designs would give: what `evenhand variance` shows of a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, isfinite, sqrt
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    listing,
    require_level,
    require_option,
)
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.components import (
    ITEM,
    ITEM_SYSTEM,
    JUDGE,
    JUDGE_ITEM,
    JUDGE_SYSTEM,
    RESIDUAL,
    SYSTEM,
    Component,
)
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.exclusions import carries_excluded, write_excluded
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_rows import CONTROL, REPEAT, TARGET, RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Factor, Tally
from evenhand.judgments.vote_digest import digest_votes
from evenhand.judgments.votes import LEFT, RIGHT, TIE, Votes
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.models.random_judges import RandomJudges, RandomJudgesFit
from evenhand.models.variance_components import TasteComponents, estimate_taste_components
from evenhand.numerics.cluster_means import number_groups
from evenhand.ratings.variance_components import Systems, estimate_rating_components

# Judges' tastes by the likelihood of `RandomJudges`, in the place of moments.

_LIKELY: Final = (
    "judge x system is from the likelihood of RandomJudges, which takes items for independent"
    " noise; item x system is by moments; standard errors and designs take both as they are printed"
)
_BOUND: Final = (
    "judge x system is by moments: comparisons of one ranking hang together, so that the likelihood"
    " gives an upper bound only"
)
_ALONE: Final = (
    "tastes are so strong that moments say nothing of item x system, nor of how they go into pooled"
    " log-worths: judge x system and systems are from the likelihood alone"
)


def estimate_likely_components(tally: Tally, *, level: float) -> TasteComponents:
    """Estimate tastes, those of judges by likelihood, and the rest by moments where they can."""
    if "ranking" in tally.factors or "judge" not in tally.factors:
        found = estimate_taste_components(tally, level=level)
        return replace(found, notes=(_BOUND, *found.notes))
    fit = RandomJudges(level=level).fit(replace(tally, factors={"judge": tally.factor("judge")}))
    lower, upper = fit.sigma_interval or (None, None)
    p = None if fit.lr_test is None else fit.lr_test.p
    one = Component(JUDGE_SYSTEM, fit.sigma, fit.n_judges, lower, upper, p, how="likelihood")
    try:
        found = estimate_taste_components(tally, level=level)
    except NotIdentified:
        components = (_between_systems(fit), one)
        return TasteComponents(components, 1.0, 0.0, {}, (_ALONE,), tuple(fit.notes))
    kept = [each for each in found.components if each.name != JUDGE_SYSTEM]
    return replace(found, components=(*kept, one), notes=(_LIKELY, *found.notes))


def _between_systems(fit: RandomJudgesFit) -> Component:
    """Return how far systems are from each other, less what their errors add."""
    vcov, k = fit.worth_vcov, len(fit.systems)
    error = float(np.trace(vcov) - vcov.sum() / k) / (k - 1)
    variance = max(float(fit.log_worth.var(ddof=1)) - error, 0.0)
    return Component(SYSTEM, sqrt(variance), k, how="likelihood")


# Several scores of one judge for one output are one, their mean.
#
# They are not independent: what a judge thinks of an output is in each of them, and would be
# counted as often as it was written down. Their mean is one score, whose residual holds that
# opinion and, as far as it is left in the mean, the chance of a single answer.


def average_repeats(rows: RatingRows) -> tuple[RatingRows, tuple[str, ...]]:
    """Take the mean of the scores of each judge for each output."""
    cell = number_groups(rows.judge, rows.item, rows.system)
    present, first, own, counts = np.unique(
        cell, return_index=True, return_inverse=True, return_counts=True
    )
    if len(present) == rows.size:
        return rows, ()
    mean = np.bincount(own.reshape(-1), rows.score) / counts
    note = (
        f"{rows.size - len(present):,} scores repeat one of the same judge for the same output: the"
        f" mean of such scores counts once, so that {len(present):,} are left of {rows.size:,}"
    )
    return replace(rows.take(first), score=np.asarray(mean, dtype=np.float64)), (note,)


# What one set of judgments says of the sources of variance.


@dataclass(frozen=True)
class Observed:
    """The design that was judged."""

    judges: int  # number of judges
    items: int  # number of items
    systems: int  # number of systems
    judgments: float  # scores, or answers
    comparisons: float  # pairs; the judgments themselves but for rankings
    each: float  # judgments per output (ratings), or comparisons per judge, on average


@dataclass(frozen=True, eq=False, repr=False)
class VarianceComponents(InNotebooks):
    """How much of what judges said is due to systems, judges, items, their tastes, and chance.

    Attributes:
        kind: "ratings", "comparisons" or "rankings".
        unit: of every sd: "points" of the scale, or "log-worth".
        components: those that the design can tell apart, in the order of
            `evenhand.judgments.components.NAMES`.
        sharing: component → how far its variance goes into the average difference of two systems
            in this design: 0 where it cancels.
        observed: the design.
        method: "REML" or "moments"; each component says its own.
        level: of the intervals.
        growth: by what variances of tastes look smaller through pooled log-worths; 1 for ratings.
        per_vote: variance that chance gives the difference of two log-worths, times comparisons;
            None for ratings, whose chance is the residual.
        reasons: what cannot be told from what in this design, and why.
        notes: what else must stand beside it.
        signature: one line that reproduces it.

    """

    TABLE: ClassVar = "components"

    kind: str
    unit: str
    components: tuple[Component, ...]
    sharing: Mapping[str, float]
    observed: Observed
    method: str
    level: float
    growth: float
    per_vote: float | None
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str

    def find(self, name: str) -> Component | None:
        """Return a component by name, None where the design has none of its own."""
        return next((one for one in self.components if one.name == name), None)

    @cached_property
    def shares(self) -> dict[str, float]:
        """Share of each component in the variance of one score; empty for comparisons."""
        total = sum(one.variance for one in self.components)
        if self.per_vote is not None or total == 0:
            return {}
        return {one.name: one.variance / total for one in self.components}

    @cached_property
    def parts(self) -> dict[str, float]:
        """What each source adds to the variance of a difference of two systems, as judged.

        Of system means for ratings, of log-worths as `rank` estimates them for comparisons; without
        systems themselves. Empty where there is one system, or where systems cannot be told from
        who judged them or on what, or where all scores are equal.
        """
        system = self.find(SYSTEM)
        if not self.sharing or system is None or system.carries:
            return {}
        if self.per_vote is None and all(one.sd == 0 for one in self.components):
            return {}
        parts = {
            one.name: self.sharing.get(one.name, 0.0) * one.variance / self.growth
            for one in self.components
            if one.name != SYSTEM
        }
        if self.per_vote is not None:
            parts["chance"] = self.per_vote / self.observed.comparisons
        return parts

    @property
    def stderr(self) -> float | None:
        """Standard error of a difference of two systems in this design, or None."""
        return sqrt(sum(self.parts.values())) if self.parts else None

    @property
    def reliability(self) -> float | None:
        """Generalizability coefficient of this design: how far differences are those of systems."""
        if not self.parts:
            return None
        system = self.find(SYSTEM)
        between = system.variance / self.growth if system is not None else 0.0
        total = between + sum(self.parts.values()) / 2
        return between / total if total > 0 else None

    def plan(self, judges: int, items: int, each: int | None = None) -> Plan:
        """Say how sure a design would be; see `evenhand.judges.variance.plan_design`."""
        return plan_design(self, judges, items, each)

    @cached_property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        return say_components(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand variance --json`."""
        names = ("kind", "unit", "method", "level", "stderr", "reliability", "growth", "per_vote")
        rows = [
            {**_finite(one), "share": self.shares.get(one.name), "adds": self.parts.get(one.name)}
            for one in self.components
        ]
        return {
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
            **{name: getattr(self, name) for name in names},
            "observed": dict(vars(self.observed)),
            "components": rows,
            "says": list(self.says),
            "notes": [*self.reasons, *self.notes],
        }

    def __repr__(self) -> str:
        notes = [f"note: {note}" for note in (*self.reasons, *self.notes)]
        return "\n".join([*self.says, *notes, self.signature])


def _finite(one: Component) -> dict[str, Any]:
    """Return a component for JSON, which has no infinity."""
    row = one.to_dict()
    if one.upper is not None and not isfinite(one.upper):
        row["upper"] = None
    return row


# What variance components say, in sentences.

SMALL: Final = 0.05  # Share of the variance of a difference below which a source is said to cancel
LITTLE: Final = 0.01  # Share below which it is not named


def say_components(found: VarianceComponents) -> tuple[str, ...]:
    """Say what matters and what cancels, as the judgments were made."""
    if all(one.sd == 0 for one in found.components):
        return ("no source of variance was found",)
    sentences = [_say_severity(found), _say_ranking(found), _say_design(found)]
    return tuple(one for one in sentences if one)


def _say_severity(found: VarianceComponents) -> str:
    """Say how severe judges differ, and whether it cancels."""
    judge = found.find(JUDGE)
    if judge is None:
        return ""
    if judge.sd == 0:
        return "no difference between judges in severity was found"
    said = f"judges differ by {_amount(judge, found)} in severity"
    if JUDGE_SYSTEM in judge.carries and found.observed.systems > 1:
        return f"{said}, or in taste: each judge scored one system, so it does not cancel"
    adds = found.parts.get(JUDGE)
    if adds is None:
        return said
    if adds <= SMALL * sum(found.parts.values()):
        return f"{said}: it cancels, since they scored the same systems to the same shares"
    return (
        f"{said}: it would cancel if each judge scored all systems alike; as judged it adds"
        f" {say_number(sqrt(adds))} to the standard error of a difference"
    )


def _say_ranking(found: VarianceComponents) -> str:
    """Say what makes differences between systems uncertain, the largest part first."""
    total = sum(found.parts.values())
    if total == 0:
        return ""
    said = []
    for name, part in sorted(found.parts.items(), key=lambda one: -one[1]):
        own = found.find(name)
        sd = "" if own is None else f" {say_number(own.sd)} {found.unit}"
        if part >= LITTLE * total:
            said.append(f"{name}{sd} ({100 * part / total:.0f} %)")
    return f"what matters for the ranking, with its share of the error: {', '.join(said)}"


def _say_design(found: VarianceComponents) -> str:
    """Say how sure a difference of two systems is, as judged."""
    if found.stderr is None:
        return ""
    what = "two system means" if found.per_vote is None else "two log-worths"
    said = f"as judged, a difference of {what} has a standard error of {say_number(found.stderr)}"
    if found.reliability is None:
        return said
    return f"{said}; reliability {say_proportion(found.reliability)}"


def say_plan(found: VarianceComponents, plan: Plan) -> str:
    """Say what a design would give."""
    what = "two system means" if found.per_vote is None else "two log-worths"
    said = (
        f"with {_design(found, plan)} a difference of {what} would have a standard error of"
        f" {say_number(plan.stderr)}"
    )
    if plan.reliability is None:
        return said
    return f"{said}; reliability {say_proportion(plan.reliability)}"


def say_answer(found: VarianceComponents, answer: Answer, wish: str) -> str:
    """Say how many judges and items a wish needs."""
    if answer.best is None:
        return f"{wish} is out of reach of a thousand judges, however many items they judge"
    said = f"{wish} takes {_design(found, answer.best)}"
    if not answer.items_matter:
        said += "; no item x system was found, so that no fewer items are planned than were judged"
    if answer.least > 2:
        each = "" if found.per_vote is None else f" of {answer.best.each:,.0f} comparisons each"
        said += f"; with fewer than {answer.least:,} judges{each} no number of items will do"
    return said


def note_unknown(components: Sequence[Component]) -> list[str]:
    """Note the components of which nothing is known, and that designs take them for 0."""
    return [
        f"nothing is known of {one.name}: its estimate is 0 and its interval has no bound; standard"
        " errors and designs assume that there is none"
        for one in components
        if one.sd == 0 and one.upper is not None and not isfinite(one.upper)
    ]


def _design(found: VarianceComponents, plan: Plan) -> str:
    judges = f"{plan.judges:,} judge{'s' * (plan.judges != 1)}"
    items = f"{plan.items:,} item{'s' * (plan.items != 1)}"
    if found.per_vote is not None:
        return f"{judges} of {plan.each:,.0f} comparisons each on {items}"
    if plan.each >= plan.judges:
        return f"{judges} and {items}, each judge scoring all systems on all items"
    each = f"{plan.each:,.0f} judge{'s' * (plan.each != 1)} per output"
    return f"{judges} and {items}, {each} ({plan.judgments:,.0f} scores)"


def _amount(one: Component, found: VarianceComponents) -> str:
    """Write an sd with its interval and unit."""
    said = f"{say_number(one.sd)} {found.unit}"
    if one.lower is None or one.upper is None:
        return said
    upper = say_number(one.upper) if isfinite(one.upper) else "no bound"
    return f"{said} ({say_number(one.lower)} to {upper})"


def say_number(value: float, figures: int = 3) -> str:
    """Write a number with three figures, or as many as are asked for; thousands in full.

    >>> say_number(12.345), say_number(0.04567), say_number(0.0)
    ('12.3', '0.0457', '0')
    """
    full = 1000 <= abs(value) < 1e6
    return f"{value:,.0f}" if full and figures > 2 else f"{value:.{figures}g}"


def say_proportion(value: float) -> str:
    """Write a proportion with two places, without its zero.

    >>> say_proportion(0.914), say_proportion(0.9996)
    ('.91', '1.00')
    """
    return f"{value:.2f}".removeprefix("0")


# Variance components of judgments of any kind.

Judgments = Ratings | RatingRows | Comparisons | Rankings | Votes
Method = Literal["moments", "likelihood"]
LEVEL: Final = 0.95
_RANKED: Final = (
    "the part of chance takes comparisons of one ranking for independent; estimates of tastes do"
    " not"
)


@carries_excluded("controls", "repeats")
def estimate_components(
    data: Judgments,
    *,
    systems: Systems = "random",
    method: Method | None = None,
    level: float = LEVEL,
    quick: bool = False,
) -> VarianceComponents:
    """Say how much of what judges said is due to systems, judges, items, tastes and chance.

    Args:
        data: ratings of one task under one criterion, of which the mean counts where a judge
            scored an output several times; or comparisons or rankings, with judges or
            items named.
        systems: of ratings: random, a sample of systems; fixed, these systems only.
        method: of comparisons: moments, by default; likelihood fits judges' tastes by
            `RandomJudges` as well, at the cost of seconds.
        level: of the intervals.
        quick: of ratings: whether moment estimates will do, which come without intervals.

    Raises:
        NotIdentified: the design tells nothing apart, or worths have no estimate.
        NotConverged: a likelihood without a clear maximum.
        InvalidJudgments: ratings of several tasks or criteria; a value that cannot be.
        UnknownOption: a setting that does not exist, or does not fit the data.

    >>> import evenhand
    >>> import polars as pl
    >>> rows = [
    ...     {"judge": f"j{j}", "item": str(i), "system": s, "score": 3.0 * j + (j * i + ord(s)) % 4}
    ...     for j in range(4)
    ...     for i in range(9)
    ...     for s in "ABC"
    ... ]
    >>> found = evenhand.estimate_components(evenhand.read(pl.DataFrame(rows)))
    >>> round(found.find("judge").sd)
    4
    """
    require_option("systems", systems, ("random", "fixed"))
    require_level(level)
    if isinstance(data, Ratings | RatingRows):
        if method is not None:
            raise UnknownOption("ratings have one method, restricted likelihood: leave method out")
        rows = data.rows() if isinstance(data, Ratings) else data
        return _of_ratings(rows, systems, level, quick=quick)
    require_option("method", method or "moments", ("moments", "likelihood"))
    return _of_comparisons(data, likelihood=method == "likelihood", level=level)


def _of_ratings(
    rows: RatingRows, systems: Systems, level: float, *, quick: bool
) -> VarianceComponents:
    """Estimate from ratings."""
    kept = rows.targets()
    if not kept.size:
        raise InvalidJudgments("no scores of outputs: there are controls and repeats only")
    _refuse_several(kept)
    _refuse_nameless(kept)
    scored, repeated = average_repeats(kept)
    found = estimate_rating_components(scored, systems=systems, level=level, quick=quick)
    judges, items, outputs, who = (
        len(np.unique(one)) for one in (kept.judge, kept.item, kept.output, kept.system)
    )
    left = rows.size - kept.size
    notes = [f"{left:,} controls and repeats left out"] if left else []
    parts = [f"variance components, {found.method}, systems {systems}", f"level {level:g}"]
    return VarianceComponents(
        "ratings",
        "points",
        found.components,
        found.sharing,
        Observed(judges, items, who, kept.size, kept.size, scored.size / outputs),
        found.method,
        level,
        1.0,
        None,
        found.reasons,
        (*rows.notes, *notes, *repeated, *found.notes, *note_unknown(found.components)),
        write_signature(parts, kept.size, digest_ratings(kept), judges=judges),
    )


def _refuse_nameless(rows: RatingRows) -> None:
    """Refuse ratings of which nobody knows who gave them, or to what."""
    for role, names in (("judge", rows.judges), ("item", rows.items)):
        if names == ("",):
            raise NotIdentified(
                f"nobody knows the {role}s: the data have no column of {role}s",
                [f"name it, as in --column {role}=NAME"],
            )


def _refuse_several(rows: RatingRows) -> None:
    """Refuse ratings of several tasks or criteria."""
    for name in ("task", "criterion"):
        labels, codes = rows.labels(name)
        present = [labels[code] for code in np.unique(codes).tolist()]
        if len(present) > 1:
            raise InvalidJudgments(
                f"these ratings are of several {'tasks' if name == 'task' else 'criteria'}"
                f" ({listing(present, 5)}), which are no sources of chance: take one, with"
                f" data.where(...), or `evenhand variance`, which takes each apart"
            )


def _of_comparisons(
    data: Comparisons | Rankings | Votes, *, likelihood: bool, level: float
) -> VarianceComponents:
    """Estimate from comparisons, or from rankings expanded into them."""
    votes, said = _read_votes(data)
    kept = votes if votes.kind is None else votes.take(votes.kind == TARGET)
    tally = _count(kept)
    estimate = estimate_likely_components if likelihood else estimate_taste_components
    found, notes = estimate(tally, level=level), [*said, *_note_votes(votes, kept)]
    judges, items = (len(np.unique(one)) for one in (kept.judge, kept.item))
    parts = [
        f"variance components, {'likelihood' if likelihood else 'moments'}",
        f"level {level:g}",
    ]
    return VarianceComponents(
        "comparisons" if kept.answer is None else "rankings",
        "log-worth",
        found.components,
        found.sharing,
        Observed(
            judges, items, len(tally.systems), tally.n_judgments, kept.size, kept.size / judges
        ),
        "moments",
        level,
        found.growth,
        found.per_vote,
        found.reasons,
        (*notes, *found.notes, *note_unknown(found.components)),
        write_signature(parts, tally.n_judgments, digest_votes(kept), judges=judges),
    )


def _read_votes(data: Comparisons | Rankings | Votes) -> tuple[Votes, tuple[str, ...]]:
    """Read judgments of systems; say what was left out before they were read."""
    if isinstance(data, Votes):
        return data, ()
    table = require_pairs(data, "variance is of comparisons, rankings or ratings, not of")
    return table.votes(), say_left_out(data, table)


def _note_votes(votes: Votes, kept: Votes) -> list[str]:
    """Say what was left out, and what is taken together."""
    notes = [*votes.notes]
    if votes.kind is not None:
        left = {"controls": votes.kind == CONTROL, "repeats": votes.kind == REPEAT}
        notes += [f"{rows.sum():,} {name} left out" for name, rows in left.items() if rows.any()]
    if len(votes.tasks) > 1:
        notes.append(f"{len(votes.tasks)} tasks are pooled")
    return notes if kept.answer is None else [*notes, _RANKED]


def _count(votes: Votes) -> Tally:
    """Return the votes as counts, told apart by judge, item and answer where these are known."""
    named = [("judge", votes.judge, votes.judges), ("item", votes.item, votes.items)]
    factors = {name: _factor(codes, labels) for name, codes, labels in named if labels != ("",)}
    answers = votes.size
    if votes.answer is not None:
        own = np.unique(votes.answer, return_inverse=True)[1].reshape(-1)
        answers = int(own.max()) + 1
        factors["ranking"] = _factor(own, tuple(map(str, range(answers))))
    wins, ties, losses = (
        (votes.outcome == outcome).astype(np.float64) for outcome in (LEFT, TIE, RIGHT)
    )
    sides = (votes.systems, votes.left, votes.right)
    tally = Tally(*sides, wins, ties, losses, factors, n_judgments=float(answers))
    return tally.pool(tuple(factors))


def _factor(codes: NDArray[np.integer], labels: tuple[str, ...]) -> Factor:
    """Return a factor of the levels that occur."""
    present, own = np.unique(codes, return_inverse=True)
    own = own.reshape(-1).astype(np.int32)
    names = tuple(labels[code] for code in present.tolist())
    return Factor(names, own, np.bincount(own).astype(np.float64), len(present))


# The design answer (D-study): how sure a campaign of J judges and I items would be.
#
# Ratings: J judges in all, k of them score each output, and those who score an item score the
# outputs of all systems on it. Severity, difficulty and judge x item then cancel, and
#
# Var(ȳ_s − ȳ_t) = 2σ²(judge x system)/J + 2σ²(item x system)/I + 2σ²(residual)/(k I)
# relative error δ² = ½ Var,   absolute error Δ² = δ² + σ²(judge)/J + σ²(item)/I + σ²(judge x
# item)/(k I),   generalizability σ_s²/(σ_s² + δ²),   dependability σ_s²/(σ_s² + Δ²)
#
# Comparisons: with v the variance that one comparison in all would leave, and n for each judge,
# Var(θ̂_s − θ̂_t) = 2σ_J²/J + 2σ_I²/I + v/(J n), on the scale of pooled log-worths.
#
# What the data cannot tell apart is counted as the part that falls most slowly. Source: Brennan
# (2001), Generalizability Theory, Springer, chapter 4.

JUDGES: Final = (2, 3, 5, 10, 20, 50)
ITEMS: Final = (25, 50, 100, 200, 500)  # What the table shows, beside the design that was judged
MOST: Final = 1_000  # Most judges that are looked at
MOST_ITEMS: Final = 100_000
# Fewest that are planned: of one judge, or one item, nothing follows for others
FEWEST_ITEMS: Final = 2
# Share of outputs that each judge scored from which a design counts as complete
COMPLETE: Final = 0.8


@dataclass(frozen=True)
class Plan:
    """What a design would give."""

    judges: int  # J
    items: int  # I
    each: float  # judges per output (ratings), or comparisons per judge
    judgments: float  # scores or comparisons in all
    stderr: float  # standard error of a difference of two systems
    # generalizability coefficient, for which only differences count; None where systems have no
    # variance of their own
    reliability: float | None
    # the same for scores as such, severity and difficulty counting as error; None for comparisons
    dependability: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return dict(vars(self))


@dataclass(frozen=True)
class Answer:
    """How many judges and items a wish needs."""

    wish: float  # the standard error that is wanted
    # the design that reaches it with the fewest pairs of judge and item (ratings), or the fewest
    # comparisons and then items; None where none does
    best: Plan | None
    least: int  # judges, two or more, below which it cannot be reached, whatever the items
    # False for comparisons that show no item x system, which says nothing of how
    items_matter: bool = True


def plan_design(
    found: VarianceComponents, judges: int, items: int, each: float | None = None
) -> Plan:
    """Say how sure a design would be.

    each: judges per output, by default as many as there were (all, where judges scored most
        outputs); for comparisons the comparisons of each judge.
    """
    if min(judges, items, 1 if each is None else each) < 1:
        raise UnknownOption("a design has at least one judge, one item and one judgment of each")
    _refuse(found)
    chosen = min(each, judges) if each is not None and _rated(found) else each
    many = usual_each(found, judges) if chosen is None else chosen
    variance = _vary(found, judges, items, many)
    system = found.find(SYSTEM)
    between = system.variance / found.growth if system is not None else 0.0
    absolute = variance / 2 + _vary_level(found, judges, items, many)
    return Plan(
        judges,
        items,
        many,
        many * (items * found.observed.systems if _rated(found) else judges),
        sqrt(variance),
        between / (between + variance / 2) if between > 0 else None,
        between / (between + absolute) if between > 0 and _rated(found) else None,
    )


def usual_each(found: VarianceComponents, judges: int) -> float:
    """Return how many judgments of each output (of each judge) are planned unasked."""
    seen = found.observed
    if not _rated(found):
        return seen.each
    if seen.each >= COMPLETE * seen.judges:
        return judges
    return min(max(round(seen.each), 1), judges)


def tabulate_designs(found: VarianceComponents, each: float | None = None) -> list[list[Plan]]:
    """Return a table of designs, a row for each number of judges, a column for each of items."""
    seen = found.observed
    rows, columns = _with(JUDGES, seen.judges), _with(ITEMS, seen.items)
    return [[plan_design(found, judges, items, each) for items in columns] for judges in rows]


def find_design(
    found: VarianceComponents,
    *,
    stderr: float | None = None,
    reliability: float | None = None,
    each: float | None = None,
) -> Answer:
    """Say how many judges and items a wanted standard error or reliability needs."""
    wish = _read_wish(found, stderr, reliability)
    _refuse(found)
    best: tuple[float, int, int] | None = None
    least = 0
    for judges in range(2, MOST + 1):  # of one judge nothing follows for others
        items = _least_items(found, judges, each, wish)
        if items is None:
            continue
        least = least or judges
        cost = _cost(found, judges, items, each)
        if best is None or (cost, items) < best[:2]:
            best = (cost, items, judges)
        if _cost(found, judges, FEWEST_ITEMS, each) > best[0]:
            break
    plan = None if best is None else plan_design(found, best[2], best[1], each)
    return Answer(wish, plan, least, _rated(found) or _least_planned(found) == FEWEST_ITEMS)


def _cost(found: VarianceComponents, judges: int, items: int, each: float | None) -> float:
    """Return what is kept small: pairs of judge and item, or comparisons."""
    return judges * items if _rated(found) else plan_design(found, judges, items, each).judgments


def _least_planned(found: VarianceComponents) -> int:
    """Return the fewest items that are planned; as many as were judged where 0 says nothing."""
    own = found.find(ITEM_SYSTEM)
    if _rated(found) or (own is not None and own.sd > 0):
        return FEWEST_ITEMS
    return max(found.observed.items, FEWEST_ITEMS)


def _read_wish(found: VarianceComponents, stderr: float | None, reliability: float | None) -> float:
    """Return the standard error that is wanted."""
    if (stderr is None) == (reliability is None):
        raise UnknownOption("give one of both: a standard error, or a reliability")
    if stderr is not None:
        if stderr <= 0:
            raise UnknownOption(f"a standard error of {stderr:g} cannot be: it is above 0")
        return stderr
    if reliability is None or not 0 < reliability < 1:
        raise UnknownOption(f"a reliability of {reliability} cannot be: it lies between 0 and 1")
    system = found.find(SYSTEM)
    if system is None or system.variance == 0:
        raise NotIdentified(
            "reliability is the share of differences that is due to systems, and these judgments"
            " show none between systems",
            ["ask for a standard error instead (--stderr)"],
        )
    return sqrt(2 * system.variance / found.growth * (1 - reliability) / reliability)


def _least_items(
    found: VarianceComponents, judges: int, each: float | None, wish: float
) -> int | None:
    """Return the fewest items with which so many judges reach a standard error."""
    fixed = plan_design(found, judges, MOST_ITEMS, each).stderr ** 2
    if fixed > wish**2:
        return None
    one = plan_design(found, judges, 1, each).stderr ** 2
    by_items = (one - fixed) / (1 - 1 / MOST_ITEMS)  # variance is a + b/I
    rest = wish**2 - (fixed - by_items / MOST_ITEMS)
    return max(_least_planned(found), ceil(by_items / rest - 1e-9)) if rest > 0 else None


def _vary(found: VarianceComponents, judges: int, items: int, each: float) -> float:
    """Return the variance of a difference of two systems."""
    chance = 0.0 if found.per_vote is None else found.per_vote / (judges * each)
    shares = _shares(found, judges, items, each)
    kept = sum(one.variance * _slowest(one.name, one.carries, shares) for one in found.components)
    return kept / found.growth + chance


def _shares(found: VarianceComponents, judges: int, items: int, each: float) -> dict[str, float]:
    """Return how far a variance of each source goes into a difference of two systems."""
    item = found.find(ITEM)
    nested = item is not None and ITEM_SYSTEM in item.carries
    output = 2 / (each * items)
    return {
        JUDGE_SYSTEM: 2 / judges,
        ITEM_SYSTEM: 2 / items,
        RESIDUAL: output,
        JUDGE_ITEM: output if nested else 0.0,  # where each item had one system: judge x output
    }


def _slowest(name: str, carries: Sequence[str], shares: dict[str, float]) -> float:
    """Return the largest share of a source and of those that cannot be told from it."""
    if name == RESIDUAL:
        return shares[RESIDUAL]
    return 0.0 if name == SYSTEM else max(shares.get(one, 0.0) for one in (name, *carries))


def _vary_level(found: VarianceComponents, judges: int, items: int, each: float) -> float:
    """Return what severity and difficulty add to the variance of one system's mean."""
    divisors = {JUDGE: judges, ITEM: items, JUDGE_ITEM: each * items}
    return sum(
        one.variance / divisors[one.name] for one in found.components if one.name in divisors
    )


def _refuse(found: VarianceComponents) -> None:
    if not found.parts:
        raise NotIdentified(
            f"no design can be planned from these judgments: {_say_why(found)}",
            ["collect judgments of several systems by the same judges on the same items"],
        )


def _say_why(found: VarianceComponents) -> str:
    """Say what keeps a design from being planned."""
    if found.per_vote is None and all(one.sd == 0 for one in found.components):
        return "all scores are equal"
    return found.reasons[0] if found.reasons else "there is one system"


def _rated(found: VarianceComponents) -> bool:
    return found.per_vote is None


def _with(grid: Sequence[int], seen: int) -> list[int]:
    return sorted({*grid, seen})


@dataclass(frozen=True)
class Wishes:
    """What was asked of a design."""

    judges: int | None = None  # so many judges; as many as judged where only items are given
    items: int | None = None  # so many items; likewise
    each: float | None = None  # judges per output, or comparisons per judge
    stderr: float | None = None  # a standard error that is wanted
    reliability: float | None = None  # a reliability that is wanted


@dataclass(frozen=True, eq=False)
class Study:
    """Components, and designs."""

    found: VarianceComponents  # the components
    # a row for each number of judges; empty where no design can be planned
    designs: tuple[tuple[Plan, ...], ...]
    plan: Plan | None  # the design that was asked about, or None
    answer: Answer | None  # the design that reaches what was wanted, or None
    says: tuple[str, ...]  # components and answers in sentences
    notes: tuple[str, ...]  # what must stand beside them

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        best = None if self.answer is None else self.answer.best
        return {
            **self.found.to_dict(),
            "designs": [one.to_dict() for row in self.designs for one in row],
            "plan": None if self.plan is None else self.plan.to_dict(),
            "answer": None
            if self.answer is None
            else {
                "stderr": self.answer.wish,
                "least_judges": self.answer.least,
                "best": None if best is None else best.to_dict(),
            },
            "says": list(self.says),
            "notes": list(self.notes),
        }


def study_designs(found: VarianceComponents, wishes: Wishes) -> Study:
    """Answer what was asked of designs, and tabulate some."""
    asked = (wishes.judges, wishes.items, wishes.stderr, wishes.reliability)
    says, notes = list(found.says), [*found.reasons, *found.notes]
    if not found.parts:
        if any(one is not None for one in asked):
            plan_design(found, 1, 1)  # says why not
        return Study(found, (), None, None, tuple(says), tuple(notes))
    plan = answer = None
    if wishes.judges is not None or wishes.items is not None:
        judges = found.observed.judges if wishes.judges is None else wishes.judges
        items = found.observed.items if wishes.items is None else wishes.items
        plan = plan_design(found, judges, items, wishes.each)
        says.append(say_plan(found, plan))
    if wishes.stderr is not None or wishes.reliability is not None:
        answer = find_design(
            found, stderr=wishes.stderr, reliability=wishes.reliability, each=wishes.each
        )
        says.append(say_answer(found, answer, _name(found, wishes)))
    designs = tuple(tuple(row) for row in tabulate_designs(found, wishes.each))
    return Study(found, designs, plan, answer, tuple(says), tuple(notes))


def _name(found: VarianceComponents, wishes: Wishes) -> str:
    if wishes.reliability is not None:
        return f"a reliability of {say_proportion(wishes.reliability)}"
    return f"a standard error of {wishes.stderr:g} {found.unit}"


def read_wishes(wishes: Wishes) -> Wishes:
    """Refuse wishes that exclude each other."""
    if wishes.stderr is not None and wishes.reliability is not None:
        raise UnknownOption("--stderr and --reliability exclude each other: choose one")
    return wishes

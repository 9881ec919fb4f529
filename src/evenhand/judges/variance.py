"""Variance components of judgments of any kind, in words, and what designs would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, isfinite, sqrt
from typing import Any, Final, Literal

import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import (
    OF_SYSTEMS,
    Openable,
    carries_excluded,
    find_excluded,
    require_pairs,
    say_left_out,
)
from evenhand.data.exclusions import (
    Exclusion,
    list_findings,
    note_excluded,
    write_document,
    write_excluded,
)
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import (
    CONTROL,
    REPEAT,
    TARGET,
    RatingRows,
    average_repeats,
    digest_ratings,
)
from evenhand.data.ratings import Ratings
from evenhand.data.references import note_references
from evenhand.data.results import (
    ITEM,
    ITEM_SYSTEM,
    JUDGE,
    JUDGE_ITEM,
    JUDGE_SYSTEM,
    RESIDUAL,
    SYSTEM,
    Component,
    Shown,
)
from evenhand.data.tally import Factor, Tally
from evenhand.data.votes import LEFT, RIGHT, TIE, Votes, digest_votes
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    require_level,
    require_option,
)
from evenhand.judges.texts import say
from evenhand.judges.units import Record, describe, require_column
from evenhand.models.random_judges import RandomJudges
from evenhand.models.rating_components import (
    ComponentEstimates,
    Systems,
    estimate_rating_components,
)
from evenhand.models.variance_components import estimate_taste_components
from evenhand.render.document import (
    ALWAYS,
    Column,
    Document,
    Finding,
    Table,
    describe_findings,
    plural,
    say_answers,
    write_figures,
    write_signature,
    write_value,
)


def estimate_likely_components(tally: Tally, *, level: float) -> ComponentEstimates:
    """Estimate tastes, those of judges by likelihood, and the rest by moments where they can."""
    if "ranking" in tally.factors or "judge" not in tally.factors:
        moments = estimate_taste_components(tally, level=level)
        return replace(moments, notes=(say("moments-for-rankings"), *moments.notes))
    fit = RandomJudges(level=level).fit(replace(tally, factors={"judge": tally.factor("judge")}))
    lower, upper = fit.sigma_interval or (None, None)
    p = None if fit.lr_test is None else fit.lr_test.p
    sigma, judges = fit.sigma, len(fit.labels_of_judges)
    tastes = Component(JUDGE_SYSTEM, sigma, judges, lower, upper, p, how="likelihood")
    try:
        moments = estimate_taste_components(tally, level=level)
    except NotIdentified:
        # how far systems are from each other, less what their errors add
        vcov, k = fit.worth_vcov, len(fit.systems)
        error = float(np.trace(vcov) - vcov.sum() / k) / (k - 1)
        variance = max(float(fit.log_worth.var(ddof=1)) - error, 0.0)
        systems = Component(SYSTEM, sqrt(variance), k, how="likelihood")
        alone = (say("likelihood-alone"),)
        return ComponentEstimates(
            (systems, tastes), "likelihood", {}, alone, fit.notes, per_vote=0.0
        )
    others = [each for each in moments.components if each.name != JUDGE_SYSTEM]
    return replace(
        moments, components=(*others, tastes), notes=(say("likelihood-of-judges"), *moments.notes)
    )


@dataclass(frozen=True)
class Observed(Record):
    judges: int  # number of judges
    items: int  # number of items
    systems: int  # number of systems
    judgments: float  # scores, or answers
    comparisons: float  # pairs; the judgments themselves but for rankings
    each: float  # judgments per output (ratings), or comparisons per judge, on average


@dataclass(frozen=True, eq=False, repr=False)
class VarianceComponents(Shown):
    """How much of what judges said is due to systems, judges, items, their tastes, and chance.

    Attributes:
        kind: "ratings", "comparisons" or "rankings".
        unit: of every sd: "points" of the scale, or "log-worth".
        components: those that the design can distinguish, in the order of
            `evenhand.data.results.NAMES`.
        sharing: component → how far its variance goes into the average difference of two systems
            in this design: 0 where it cancels.
        observed: the design.
        method: "REML", "moments" or "likelihood"; each component says its own.
        level: of the intervals.
        growth: by what variances of tastes look smaller through pooled log-worths; 1 for ratings.
        per_vote: variance that chance gives the difference of two log-worths, times comparisons;
            None for ratings, whose chance is the residual.
        reasons: what cannot be told from what in this design, and why.
        notes: what else must stand beside it.
        signature: one line that reproduces it.
        excluded: what was excluded from the judgments.
    """

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
    excluded: tuple[Exclusion, ...] = ()

    @property
    def rated(self) -> bool:
        """Whether it is of ratings, whose chance is the residual."""
        return self.per_vote is None

    def find(self, name: str) -> Component | None:
        """Return a component by name, None where the design has none of its own."""
        return next((one for one in self.components if one.name == name), None)

    @cached_property
    def shares(self) -> dict[str, float]:
        """Share of each component in the variance of one score; empty for comparisons."""
        total = sum(one.variance for one in self.components)
        if not self.rated or total == 0:
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
        if self.rated and all(one.sd == 0 for one in self.components):
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
    def between(self) -> float:
        """Variance of systems on the scale of the differences, 0 where it is not known."""
        system = self.find(SYSTEM)
        return system.variance / self.growth if system is not None else 0.0

    @property
    def reliability(self) -> float | None:
        """Generalizability coefficient of this design: how far differences are those of systems."""
        total = self.between + sum(self.parts.values()) / 2
        return self.between / total if self.parts and total > 0 else None

    def plan(self, judges: int, items: int, each: int | None = None) -> Plan:
        """Say how sure a design would be; see `evenhand.judges.variance.plan_design`."""
        return plan_design(self, judges, items, each)

    @cached_property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        if all(one.sd == 0 for one in self.components):
            return (say("no-variance"),)
        sentences = []
        if self.stderr is not None:
            sentences.append(_say_precision(self, self.stderr, self.reliability))
        total = sum(self.parts.values())
        if total:
            named = [
                f"{name} {write_value(part / total, 'share')}"
                for name, part in sorted(self.parts.items(), key=lambda one: -one[1])
                if part / total >= MIN_SHARE_NAMED
            ]
            sentences.append(say("error-sources", sources=", ".join(named)))
        return (*sentences, *_say_severity(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand variance --json`."""
        names = ("kind", "unit", "method", "level", "stderr", "reliability", "growth", "per_vote")
        rows = []
        for part in self.components:
            shares = {"share": self.shares.get(part.name), "adds": self.parts.get(part.name)}
            finite = part.upper is not None and isfinite(part.upper)  # JSON has no infinity
            rows.append({**part.to_dict(), "upper": part.upper if finite else None, **shares})
        return {
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
            **describe(self, *names, "observed"),
            "components": rows,
            **describe(self, "says"),
            "findings": describe_findings((*self.reasons, *self.notes)),
        }

    def document(self) -> Document:
        """Return what people read: how sure differences are, and what makes them unsure."""
        total, parts = sum(self.parts.values()), self.parts
        shares, carried = self.shares, any(one.carries for one in self.components)
        rows = tuple(
            {
                "name": one.title,
                "short": one.name + " *" * bool(one.carries),
                **describe(one, "levels", "sd", "lower", "upper"),
                "share": shares.get(one.name),
                "of_error": parts[one.name] / total if total and one.name in parts else None,
                "p": one.p,
            }
            for one in self.components
        )
        columns = (
            Column("short", "source", only=("text",)),
            Column("name", "source", only=("latex", "markdown", "html")),
            Column("levels", "levels", "count"),
            Column("sd", "sd", "figures"),
            Column(
                ("lower", "upper"),
                f"{100 * self.level:g} % interval",
                "interval figures",
                priority=5,
            ),
            *([Column("share", "variance", "share")] if shares else []),
            Column("of_error", "of error", "share"),
            Column("p", "p", "p"),
        )
        of_score = "variance: share in that of one score. " if shares else ""
        legend = [
            f"sd: standard deviation in {self.unit}. {of_score}of error: share in the variance of"
            " a difference of two systems. p: of sd = 0."
        ]
        legend += ["* with what this design cannot separate from it."] if carried else []
        table = Table("components", "Sources of variance", columns, rows, legend=tuple(legend))
        seen, model = self.observed, f"Crossed random effects by {self.method}"
        answers = plural(seen.judgments, "score")
        if not self.rated:
            how = sorted({one.how for one in self.components}, reverse=True)
            model = f"Tastes around pooled log-worths by {' and '.join(how)}"
            answers = say_answers(seen.judgments, seen.comparisons)
        of_whom = f"{plural(seen.judges, 'judge')}, {plural(seen.items, 'item')}"
        return write_document(
            self,
            table,
            basis=f"{answers}, {of_whom}, {plural(seen.systems, 'system')}. {model}.",
            findings=(*self.reasons, *self.notes),
        )


# Share of the variance of a difference up to which a source is said to cancel
MAX_SHARE_CANCELLED: Final = 0.05
MIN_SHARE_NAMED: Final = 0.01


def _say_precision(
    components: VarianceComponents, stderr: float, reliability: float | None, design: str = ""
) -> Finding:
    means, unit = ("system means", " points") if components.rated else ("log-worths", "")
    code = "plan" if design else "precision"
    values = {"means": means, "stderr": stderr, "unit": unit, "design": design}
    if reliability is None:
        return say(f"{code}-alone", **values)
    return say(code, **values, reliability=reliability)


def _say_severity(components: VarianceComponents) -> list[Finding]:
    judge = components.find(JUDGE)
    if judge is None:
        return []
    if judge.sd == 0:
        return [say("no-severity")]
    amount = f"{write_figures(judge.sd)} {components.unit}"
    if judge.lower is not None and judge.upper is not None:
        amount += f" ({write_value((judge.lower, judge.upper), 'interval figures')})"
    if JUDGE_SYSTEM in judge.carries and components.observed.systems > 1:
        return [say("severity-or-taste", sd=amount)]
    adds = components.parts.get(JUDGE)
    if adds is None:
        return [say("severity", sd=amount)]
    if adds <= MAX_SHARE_CANCELLED * sum(components.parts.values()):
        return [say("severity-cancels", sd=amount)]
    return [say("severity-adds", sd=amount, adds=sqrt(adds))]


def say_answer(components: VarianceComponents, answer: Answer, goal: str) -> tuple[Finding, ...]:
    if answer.best is None:
        return (say("design-unreachable", goal=goal, judges=MAX_JUDGES),)
    sentences = [say("design-reaches", goal=goal, design=_design(components, answer.best))]
    if not answer.items_matter:
        sentences.append(say("items-unknown"))
    if answer.least > 2 and components.rated:
        sentences.append(say("fewer-judges", judges=answer.least))
    elif answer.least > 2:
        sentences.append(say("fewer-judges-each", judges=answer.least, each=answer.best.each))
    return tuple(sentences)


def note_unknown(components: Sequence[Component]) -> list[Finding]:
    return [
        say("unknown-component", name=one.name)
        for one in components
        if one.sd == 0 and one.upper is not None and not isfinite(one.upper)
    ]


def _design(components: VarianceComponents, plan: Plan) -> str:
    judges, items = plural(plan.judges, "judge"), plural(plan.items, "item")
    if not components.rated:
        return f"{judges} of {plan.each:,.0f} comparisons each on {items}"
    if plan.each >= plan.judges:
        return f"{judges} and {items}, each judge scoring all systems on all items"
    each = f"{plural(round(plan.each), 'judge')} per output"
    return f"{judges} and {items}, {each} ({plan.judgments:,.0f} scores)"


Judgments = Ratings | RatingRows | Comparisons | Rankings | Votes
Method = Literal["moments", "likelihood"]
LEVEL: Final = 0.95


@carries_excluded(*OF_SYSTEMS)
def estimate_components(
    data: Judgments | Openable,
    *,
    systems: Systems = "random",
    method: Method | None = None,
    level: float = LEVEL,
    quick: bool = False,
) -> VarianceComponents:
    """Say how much of what judges said is due to systems, judges, items, tastes and chance.

    Args:
        data: ratings of one task under one criterion, of which the mean counts where a judge
            scored an output several times, repeats among them; or comparisons or rankings, with
            judges or items named.
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
    found = _of_comparisons(data, likelihood=method == "likelihood", level=level)
    return note_excluded(found, find_excluded(data, ("controls", "repeats")))


def _of_ratings(
    rows: RatingRows, systems: Systems, level: float, *, quick: bool
) -> VarianceComponents:
    targets = rows.without_controls()
    if not targets.size:
        raise InvalidJudgments("no scores of outputs: there are controls only")
    one = "take one, with data.where(...), or `evenhand variance`, which takes each apart"
    targets.refuse_several(dict.fromkeys(("task", "criterion"), one))
    require_column("judge", targets.judges)
    require_column("item", targets.items)
    scored, repeated = average_repeats(targets)
    estimated = estimate_rating_components(scored, systems=systems, level=level, quick=quick)
    judges, items, outputs, who = (
        len(np.unique(codes))
        for codes in (targets.judge, targets.item, targets.output, targets.system)
    )
    left = rows.size - targets.size
    notes = [say("controls", "info", n=left)] if left else []
    parts = [f"variance components, {estimated.method}, systems {systems}", f"level {level:g}"]
    return VarianceComponents(
        "ratings",
        "points",
        estimated.components,
        estimated.sharing,
        Observed(judges, items, who, targets.size, targets.size, scored.size / outputs),
        estimated.method,
        level,
        1.0,
        None,
        estimated.reasons,
        (
            *rows.notes,
            *notes,
            *note_references(targets),
            *repeated,
            *estimated.notes,
            *note_unknown(estimated.components),
        ),
        write_signature(parts, targets.size, digest_ratings(targets), judges=judges),
    )


def _of_comparisons(
    data: Comparisons | Rankings | Votes, *, likelihood: bool, level: float
) -> VarianceComponents:
    votes, notes = data, list[str]()
    if not isinstance(votes, Votes):
        table = require_pairs(votes, "variance is of comparisons, rankings or ratings, not of")
        votes, notes = table.votes(), [*say_left_out(votes, table)]
    targets = votes if votes.kind is None else votes.take(votes.kind == TARGET)
    notes += votes.notes
    if votes.kind is not None:
        left = {"controls": votes.kind == CONTROL, "repeats": votes.kind == REPEAT}
        counts = {name: int(rows.sum()) for name, rows in left.items()}
        notes += [say(name, "info", n=n) for name, n in counts.items() if n]
    if len(votes.tasks) > 1:
        notes.append(say("tasks-pooled", n=len(votes.tasks)))
    if targets.answer is not None:
        notes.append(say("rankings-independent"))
    named = [("judge", targets.judge, targets.judges), ("item", targets.item, targets.items)]
    factors = {name: Factor.of(labels, codes) for name, codes, labels in named if labels != ("",)}
    answers = targets.size
    if targets.answer is not None:
        answer_codes = np.unique(targets.answer, return_inverse=True)[1].reshape(-1)
        answers = int(answer_codes.max()) + 1
        factors["ranking"] = Factor.of(tuple(map(str, range(answers))), answer_codes)
    wins, ties, losses = (
        (targets.outcome == outcome).astype(np.float64) for outcome in (LEFT, TIE, RIGHT)
    )
    sides = (targets.systems, targets.left, targets.right)
    tally = Tally(*sides, wins, ties, losses, factors, n_judgments=float(answers))
    tally = tally.pool(tuple(factors))
    estimate = estimate_likely_components if likelihood else estimate_taste_components
    estimated = estimate(tally, level=level)
    judges, items = (len(np.unique(codes)) for codes in (targets.judge, targets.item))
    k = len(tally.systems)
    how = "likelihood" if likelihood else "moments"
    parts = [f"variance components, {how}", f"level {level:g}"]
    return VarianceComponents(
        "comparisons" if targets.answer is None else "rankings",
        "log-worth",
        estimated.components,
        estimated.sharing,
        Observed(judges, items, k, tally.n_judgments, targets.size, targets.size / judges),
        how,
        level,
        estimated.growth,
        estimated.per_vote,
        estimated.reasons,
        (*notes, *estimated.notes, *note_unknown(estimated.components)),
        write_signature(parts, tally.n_judgments, digest_votes(targets), judges=judges),
    )


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
MAX_JUDGES: Final = 1_000  # Most judges that are looked at
MAX_ITEMS: Final = 100_000
# Fewest that are planned: of one judge, or one item, nothing follows for others
MIN_ITEMS: Final = 2
# Share of outputs that each judge scored from which a design counts as complete
MIN_SHARE_COMPLETE: Final = 0.8


@dataclass(frozen=True)
class Plan(Record):
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


@dataclass(frozen=True)
class Answer:
    wish: float  # the standard error that is wanted
    # the design that reaches it with the fewest pairs of judge and item (ratings), or the fewest
    # comparisons and then items; None where none does
    best: Plan | None
    least: int  # judges, two or more, below which it cannot be reached, whatever the items
    # False for comparisons that show no item x system, which says nothing of how
    items_matter: bool = True


def plan_design(
    components: VarianceComponents, judges: int, items: int, each: float | None = None
) -> Plan:
    # each: judges per output, by default as many as there were (all, where judges scored most
    #     outputs); for comparisons the comparisons of each judge.
    if min(judges, items, 1 if each is None else each) < 1:
        raise UnknownOption("a design has at least one judge, one item and one judgment of each")
    _refuse(components)
    seen = components.observed
    many = seen.each if each is None else each
    if components.rated:
        if each is None:  # all judges score each output where most did
            complete = seen.each >= MIN_SHARE_COMPLETE * seen.judges
            many = judges if complete else max(round(seen.each), 1)
        many = min(many, judges)
    item, between = components.find(ITEM), components.between
    nested = item is not None and ITEM_SYSTEM in item.carries
    output = 2 / (many * items)
    # how far a variance of each source goes into a difference of two systems
    shares = {
        JUDGE_SYSTEM: 2 / judges,
        ITEM_SYSTEM: 2 / items,
        RESIDUAL: output,
        JUDGE_ITEM: output if nested else 0.0,  # where each item had one system: judge x output
    }
    variance = 0.0
    for part in components.components:
        if part.name == RESIDUAL:
            variance += part.variance * output
        elif part.name != SYSTEM:  # the largest share of what cannot be distinguished
            alike = (part.name, *part.carries)
            variance += part.variance * max(shares.get(name, 0.0) for name in alike)
    chance = (components.per_vote or 0.0) / (judges * many)  # of ratings the residual has it
    variance = variance / components.growth + chance
    # what severity and difficulty add to the variance of one system's mean
    divisors = {JUDGE: judges, ITEM: items, JUDGE_ITEM: many * items}
    added = [(one.variance, divisors.get(one.name, np.inf)) for one in components.components]
    absolute = variance / 2 + sum(part / divisor for part, divisor in added)
    return Plan(
        judges,
        items,
        many,
        many * (items * components.observed.systems if components.rated else judges),
        sqrt(variance),
        between / (between + variance / 2) if between > 0 else None,
        between / (between + absolute) if between > 0 and components.rated else None,
    )


def find_design(components: VarianceComponents, request: DesignRequest) -> Answer:
    stderr, reliability, each = request.stderr, request.reliability, request.each
    if stderr is not None:
        if stderr <= 0:
            raise UnknownOption(f"a standard error of {stderr:g} cannot be: it is above 0")
        wish = stderr
    else:
        if reliability is None or not 0 < reliability < 1:
            raise UnknownOption(
                f"a reliability of {reliability} cannot be: it lies between 0 and 1"
            )
        if components.between == 0:
            raise NotIdentified(
                "reliability is the share of differences that is due to systems, and these"
                " judgments show none between systems",
                ["ask for a standard error instead (--stderr)"],
            )
        wish = sqrt(2 * components.between * (1 - reliability) / reliability)
    _refuse(components)
    # the fewest items that are planned; as many as were judged where item x system says nothing
    source = components.find(ITEM_SYSTEM)
    items_matter = components.rated or (source is not None and source.sd > 0)
    fewest = MIN_ITEMS if items_matter else max(components.observed.items, MIN_ITEMS)
    best: tuple[float, int, int] | None = None
    least = 0
    for judges in range(2, MAX_JUDGES + 1):  # of one judge nothing follows for others
        fixed = plan_design(components, judges, MAX_ITEMS, each).stderr ** 2
        by_items = plan_design(components, judges, 1, each).stderr ** 2 - fixed
        by_items /= 1 - 1 / MAX_ITEMS  # variance is a + b/I
        rest = wish**2 - (fixed - by_items / MAX_ITEMS)
        if fixed > wish**2 or rest <= 0:
            continue
        items = max(fewest, ceil(by_items / rest - 1e-9))
        least = least or judges
        # what is kept small: pairs of judge and item, or comparisons
        cost, least_cost = (
            float(judges * n)
            if components.rated
            else plan_design(components, judges, n, each).judgments
            for n in (items, MIN_ITEMS)
        )
        if best is None or (cost, items) < best[:2]:
            best = (cost, items, judges)
        if least_cost > best[0]:
            break
    plan = None if best is None else plan_design(components, best[2], best[1], each)
    return Answer(wish, plan, least, components.rated or fewest == MIN_ITEMS)


def _refuse(components: VarianceComponents) -> None:
    if not components.parts:
        why = components.reasons[0] if components.reasons else "there is one system"
        if components.rated and all(part.sd == 0 for part in components.components):
            why = "all scores are equal"
        raise NotIdentified(
            f"no design can be planned from these judgments: {why}",
            ["collect judgments of several systems by the same judges on the same items"],
        )


@dataclass(frozen=True)
class DesignRequest:
    judges: int | None = None  # so many judges; as many as judged where only items are given
    items: int | None = None  # so many items; likewise
    each: float | None = None  # judges per output, or comparisons per judge
    stderr: float | None = None  # a standard error that is wanted
    reliability: float | None = None  # a reliability that is wanted

    def __post_init__(self) -> None:
        if self.stderr is not None and self.reliability is not None:
            raise UnknownOption("--stderr and --reliability exclude each other: choose one")


@dataclass(frozen=True, eq=False, repr=False)
class Study(Shown):
    found: VarianceComponents  # the components
    # a row for each number of judges; empty where no design can be planned
    designs: tuple[tuple[Plan, ...], ...]
    plan: Plan | None  # the design that was asked about, or None
    answer: Answer | None  # the design that reaches what was wanted, or None
    says: tuple[str, ...]  # components and answers in sentences
    notes: tuple[str, ...]  # what must stand beside them

    def to_dict(self) -> dict[str, Any]:
        answer = None
        if self.answer is not None:
            reach = {"stderr": self.answer.wish, "least_judges": self.answer.least}
            answer = {**reach, **describe(self.answer, "best")}
        return {
            **self.found.to_dict(),
            "designs": [one.to_dict() for row in self.designs for one in row],
            **describe(self, "plan"),
            "answer": answer,
            **describe(self, "says"),
            "findings": describe_findings(self.notes),
        }

    def document(self) -> Document:
        """Return what people read: components, and what other designs would give."""
        about, found = self.found.document(), self.found
        parts = list(about.parts)
        if self.designs:
            first = self.designs[-1][0]
            shown = "Standard error of the difference of two systems"
            shown += ", and reliability" if first.reliability is not None else ""
            columns = [
                Column(f"{one.items}", plural(one.items, "item"), "figures", priority=priority)
                for at, one in enumerate(self.designs[0])
                for priority in [ALWAYS if one.items == found.observed.items else at]
            ]
            table = [
                {"judges": row[0].judges, **{f"{one.items}": _write_plan(one) for one in row}}
                for row in self.designs
            ]
            if not found.rated:
                each = f"Each judge makes {first.each:,.0f} comparisons."
            elif first.each >= first.judges:
                each = "Every judge scores every output."
            else:
                judges = plural(round(first.each), "judge")
                each = f"{judges} per output; a judge scores all systems of an item."
            columns = [Column("judges", "judges", "count"), *columns]
            parts.append(Table("designs", shown, tuple(columns), tuple(table), legend=(each,)))
        findings = list_findings(self.notes, self.found.excluded)
        contract = self.to_dict()
        rows = [
            {**row, "carries": "; ".join(row["carries"]), "what": "component"}
            for row in contract["components"]
        ]
        designs = (*contract["designs"], *filter(None, [contract["plan"]]))
        rows += [{**row, "what": "design"} for row in designs]
        csv_rows = tuple({key: row.get(key) for key in CSV_KEYS} for row in rows)
        return replace(
            about, answer=self.says, parts=tuple(parts), findings=findings, csv_rows=csv_rows
        )


CSV_KEYS: Final = (
    *("what", "name", "levels", "sd", "lower", "upper", "variance", "share", "adds", "p"),
    *("carries", "how", "judges", "items", "each", "judgments", "stderr", "reliability"),
    "dependability",
)


def _write_plan(one: Plan) -> str:
    if one.reliability is None:
        return f"{one.stderr:.2g}"
    return f"{one.stderr:#.2g} {write_value(one.reliability, 'two')}"


def study_designs(components: VarianceComponents, request: DesignRequest) -> Study:
    requested = (request.judges, request.items, request.stderr, request.reliability)
    notes = (*components.reasons, *components.notes)
    if not components.parts:
        if any(one is not None for one in requested):
            plan_design(components, 1, 1)  # says why not
        return Study(components, (), None, None, components.says, notes)
    plan = answer = None
    says: list[str] = []
    stderr, reliability = request.stderr, request.reliability
    if stderr is not None or reliability is not None:
        answer = find_design(components, request)
        goal = f"A standard error of {answer.wish:g} {components.unit}"
        if reliability is not None:
            goal = f"A reliability of {write_value(reliability, 'two')}"
        says += say_answer(components, answer, goal)
    says += components.says
    if request.judges is not None or request.items is not None:
        judges = components.observed.judges if request.judges is None else request.judges
        items = components.observed.items if request.items is None else request.items
        plan = plan_design(components, judges, items, request.each)
        design = _design(components, plan)
        says.insert(1, _say_precision(components, plan.stderr, plan.reliability, design))
    seen = components.observed
    rows, columns = sorted({*JUDGES, seen.judges}), sorted({*ITEMS, seen.items})
    designs = tuple(
        tuple(plan_design(components, judges, items, request.each) for items in columns)
        for judges in rows
    )
    return Study(components, designs, plan, answer, tuple(says), notes)

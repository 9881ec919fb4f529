"""What moves an LLM judge beside the outputs: position, length and style, its own systems.

    log odds(left) = θ_left − θ_right + δ + Σ β x,   x left minus right

is fitted to the verdicts of each LLM judge alone, and to people's judgments (docs/llm-judges.md).
Its excess over people is the difference of the two estimates: V_I leaves each item out of both, V_J
adds people's jackknife by judge to its own by item, V = max(V_J, V_I, V_J + V_I − V_JI).

Preference for its own systems O: D_s is the log-worth of system s by the LLM less that by people, γ
the mean of D over O less that over systems of others. An error by items alone finds a preference in
nearly half of the LLMs that have none (`tests/experiments/test_e24_own_systems.py`). So γ is tested
across systems: a pooled two-sample t test of D; or, of 100,000 choices of |O| among K systems or
more, a permutation test. An LLM that separates systems more clearly than people do moves good
systems up, its own among them: γ must also differ from 0 beside the slope of its log-worths on
people's (analysis of covariance, the slope corrected for the noise of people's).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from itertools import chain, combinations
from math import comb
from pathlib import Path
from typing import Any, Final

import numpy as np

from evenhand import errors
from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import (
    OF_SYSTEMS,
    Openable,
    carries_excluded,
    join_verdicts,
    keep_all_judges,
    require_pairs,
    split_people,
)
from evenhand.data.exclusions import Exclusion, note_excluded, write_contract, write_document
from evenhand.data.groups import list_levels, note_tasks
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown
from evenhand.data.streams import CodedRows
from evenhand.data.votes import LEFT, TIE, Votes, digest_votes
from evenhand.judges import texts
from evenhand.judges.llm_agreement import (
    AGAIN,
    MIN_RELIABILITY,
    ORDERS,
    Ceiling,
    Repeated,
    find_ceiling,
    measure_repeats,
)
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.controls import Control, fit_rows, read_controls
from evenhand.models.log_linear import Fit
from evenhand.numerics import Array
from evenhand.numerics.bootstrap import jackknife
from evenhand.numerics.cluster_means import Estimate, bound, cross_ways
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking import sandwich
from evenhand.ranking.bias import LEVEL, SCORED, share_first
from evenhand.ranking.clustering import Evidence, choose_clustering, merge_factors
from evenhand.ranking.covariance import centred_rows
from evenhand.ranking.sandwich import is_controlled
from evenhand.ranking.sides import find_one_sided
from evenhand.ranking.texts import say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    plural,
    take_findings,
    write_signature,
)

MIN_WITHIN: Final = 0.01  # Share of a control's variance that must lie within pairs of systems
MIN_ITEMS: Final = 3  # Fewest items by which errors are clustered
MIN_OTHERS: Final = 3  # Fewest systems of others for a test across systems
MIN_CHOICES: Final = 100_000  # Choices of own systems from which they are permuted
MAX_CHOICES: Final = 1_000_000  # Most that are gone through; of more as many as above are drawn
POSITION: Final = "position"
SIDES: Final = ("A", "tie", "B")  # Answers, A being the system first by name


@dataclass(frozen=True)
class JudgeEffect:
    """What one thing beside the outputs does to the verdicts of an LLM judge."""

    llm: str  # the judge
    name: str  # "position", or a control
    estimate: float  # log-odds: of the output shown first, or per sd of the control
    stderr: float  # by items
    lower: float  # ends of its interval
    upper: float
    p: float  # two-sided
    df: float  # items less one
    sd: float | None  # the sd of the control in its own unit; None of position
    people: float | None = None  # the same effect on people, per the same unit; None without people
    excess: float | None = None  # estimate less people's
    excess_stderr: float | None = None
    excess_lower: float | None = None
    excess_upper: float | None = None
    excess_p: float | None = None


@dataclass(frozen=True)
class OwnPreference:
    """Whether an LLM judge prefers systems of its own more than people do."""

    llm: str  # the judge
    kind: str  # "self": the system of its name; "family": others of its family
    own: tuple[str, ...]  # these systems
    others: int  # systems of other families
    estimate: float  # γ, log-odds
    stderr: float | None  # across systems; None with fewer than 3 systems of others
    lower: float | None
    upper: float | None
    p: float | None
    method: str | None  # "t" or "permutation", of the p-value
    df: float | None
    these_stderr: float  # for these systems only, by items and judges
    these_lower: float
    these_upper: float
    these_p: float
    slope: float  # of log-worths by the LLM on those by people, within own and other systems
    adjusted: float  # γ of an LLM that people's log-worths and their slope explain, as by ANCOVA
    adjusted_p: float | None  # its p-value across systems

    def prefers(self, alpha: float) -> bool:
        """Whether systems of its own differ from others, also with the slope taken out."""
        return max(1.0 if p is None else p for p in (self.p, self.adjusted_p)) <= alpha


@dataclass(frozen=True)
class LLMBias:
    """What is known of one LLM judge."""

    llm: str  # its name
    n: float  # comparisons
    effects: tuple[JudgeEffect, ...] = ()  # position, then controls
    own: tuple[OwnPreference, ...] = ()
    repeated: tuple[Repeated, ...] = ()  # answers in both orders, and again in the same order
    ceiling: Ceiling | None = None  # how far it can agree with people

    def find(self, name: str) -> JudgeEffect | None:
        return next((one for one in self.effects if one.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        return {
            "llm": self.llm,
            "n": self.n,
            "effects": [asdict(one) for one in self.effects],
            "own": [{**asdict(one), "own": list(one.own)} for one in self.own],
            "repeated": [one.to_dict() for one in self.repeated],
            "ceiling": None if self.ceiling is None else asdict(self.ceiling),
        }


@dataclass(frozen=True, eq=False, repr=False)
class LLMBiases(Shown):
    """What moves LLM judges beside the outputs, and how far they agree with themselves."""

    judges: tuple[LLMBias, ...]
    people: int  # judges who are people
    items: int
    level: float  # of intervals (proportion)
    notes: tuple[Finding, ...]
    signature: str
    excluded: tuple[Exclusion, ...] = ()

    def __getitem__(self, llm: str) -> LLMBias:
        names = [one.llm for one in self.judges]
        if llm in names:
            return self.judges[names.index(llm)]
        raise errors.InvalidJudgments(f"no LLM judge '{llm}'.{errors.suggest_or_list(llm, names)}")

    @property
    def says(self) -> tuple[Finding, ...]:
        """What was found, in sentences."""
        alpha = round(1 - self.level, 12)
        return tuple(chain.from_iterable(_say_judge(one, alpha) for one in self.judges))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand bias --llm-judges --json`."""
        return {
            **write_contract(self, "says", "people", "items", "level"),
            "judges": [one.to_dict() for one in self.judges],
        }

    def document(self) -> Document:
        """Return what people read: effects, own systems, both orders, ceilings."""
        n = sum(one.n for one in self.judges)
        beside = f", beside {plural(self.people, 'person', 'people')}" if self.people else ""
        return write_document(
            self,
            *(one for one in _tabulate(self) if one.rows),
            basis=f"{n:,.0f} verdicts of {plural(len(self.judges), 'LLM judge')} on"
            f" {plural(self.items, 'item')}{beside}. Intervals account for items"
            f"{', and of people for judges' if self.people else ''}.",
        )


def _say_judge(judge: LLMBias, alpha: float) -> list[Finding]:
    findings = []
    for effect in judge.effects:
        values = asdict(effect)
        known = effect.p <= alpha
        if effect.name == POSITION:
            ends = {"share": effect.estimate, "low": effect.lower, "high": effect.upper}
            values |= {name: 100 * share_first(one) for name, one in ends.items()}
            findings.append(say("llm-position" if known else "no-llm-position", "info", **values))
        else:
            values["more"] = "more" if effect.estimate > 0 else "less"
            findings.append(say("llm-control" if known else "no-llm-control", "info", **values))
        if effect.excess_p is not None and effect.excess_p <= alpha:
            findings.append(say("llm-excess", "info", **values))
    for one in judge.own:
        values = asdict(one)
        if one.p is None:
            findings.append(say("own-these-systems", "info", **values))
        else:
            values["whom"] = "its own outputs" if one.kind == "self" else "systems of its family"
            code = "llm-prefers-own" if one.estimate > 0 else "llm-disfavours-own"
            code = code if one.prefers(alpha) else "no-own-preference"
            findings.append(say(code, "info", **values))
            if one.p <= alpha and not one.prefers(alpha):
                findings.append(say("own-by-slope", "info", **values))
    for two in judge.repeated:
        code = "both-orders" if two.asked == ORDERS else "copies" if two.copies else "asked-again"
        severity = "warning" if two.copies else "info"
        kappa = "" if two.kappa is None else f" (κ {two.kappa:.2f})"
        findings.append(say(code, severity, llm=judge.llm, kappa_text=kappa, **two.to_dict()))
    if (ceiling := judge.ceiling) is not None:
        code = "ceiling-of-llm" if ceiling.holds else "above-ceiling"
        code = "no-ceiling" if ceiling.disattenuated is None else code
        limits = "" if ceiling.lower is None else f" ({ceiling.lower:.2f} to {ceiling.upper:.2f})"
        values = {"llm": judge.llm, "least": MIN_RELIABILITY, "limits": limits}
        findings.append(say(code, "info", **values, **asdict(ceiling)))
    return findings


LLM: Final = Column("llm", "LLM judge", "name")
RELIABILITY: Final = "the share of the variance of the mean of both answers that is no noise"


def _tabulate(result: LLMBiases) -> tuple[Table, ...]:
    interval = f"{100 * result.level:g} % interval"
    judges = result.judges
    beside = (
        Column("people", "people", "two"),
        Column("excess", "excess", "signed"),
        Column(("excess_lower", "excess_upper"), interval, "interval"),
        Column("excess_p", "p", "p"),
    )
    return (
        Table(
            "effects",
            "Effects on verdicts, in log-odds",
            (
                LLM,
                Column("name", "effect", "name"),
                Column("estimate", "estimate", "two"),
                Column(("lower", "upper"), interval, "interval"),
                Column("p", "p", "p"),
                *(beside if result.people else ()),
            ),
            tuple(asdict(effect) for one in judges for effect in one.effects),
            legend=(
                "position: of the output shown first; others: per sd, left minus right",
                *(["excess: estimate minus people's"] if result.people else []),
            ),
        ),
        Table(
            "own",
            "Own systems: log-worth by the LLM minus that by people, compared with others",
            (
                LLM,
                Column("kind", "own"),
                Column("own", "systems", "names", priority=2),
                Column("estimate", "estimate", "signed"),
                Column(("lower", "upper"), interval, "interval"),
                Column("p", "p", "p"),
                Column(("these_lower", "these_upper"), "these systems only", "interval"),
                Column("these_p", "p", "p"),
            ),
            tuple(asdict(preference) for one in judges for preference in one.own),
            legend=(
                "own, of --own: self, the system of the judge's name; family, others of its family",
                "interval and p: across systems; these systems only: not of other systems of its"
                " family",
            ),
        ),
        *_tabulate_repeats(judges, interval),
    )


def _tabulate_repeats(judges: Sequence[LLMBias], interval: str) -> tuple[Table, ...]:
    asked = Column("asked", "asked")
    repeated = tuple({"llm": one.llm, **two.to_dict()} for one in judges for two in one.repeated)
    answers = tuple(
        {"llm": row["llm"], "asked": row["asked"], "answer": side}
        | dict(zip(SIDES, n, strict=True))
        for row in repeated
        for side, n in zip(SIDES, row["table"], strict=True)
    )
    return (
        Table(
            "repeated",
            "Answers to the same output pairs, asked twice",
            (
                LLM,
                asked,
                Column("pairs", "pairs", "count"),
                Column("consistent", "same", "share"),
                Column("kappa", "κ", "two"),
                Column(("lower", "upper"), interval, "interval", priority=3),
                Column("first_twice", "1st twice", "count", priority=4),
                Column("second_twice", "2nd twice", "count", priority=4),
                Column("p", "p", "p", priority=4),
                Column("reliability", "reliability", "two", says=RELIABILITY, priority=2),
            ),
            repeated,
            legend=(
                "κ: agreement of both answers beyond chance; of several pairs of systems, with"
                " both systems exchanged too",
            ),
            without=("table",),
        ),
        Table(
            "answers",
            "Both answers: rows with A shown first, or the first answer; columns the second",
            (
                LLM,
                asked,
                Column("answer", "answer"),
                *(Column(side, side, "count") for side in SIDES),
            ),
            answers,
            legend=("A: the system that is first by name",),
        ),
        Table(
            "ceilings",
            "Correlation with people, and the highest that noise allows",
            (
                LLM,
                Column("pairs", "pairs", "count"),
                Column("correlation", "correlation", "two"),
                Column("of_people", "people", "two"),
                Column("of_llm", "LLM", "two"),
                Column("ceiling", "ceiling", "two"),
                Column("disattenuated", "corrected", "two"),
                Column(("lower", "upper"), interval, "interval"),
            ),
            tuple({"llm": one.llm, **one.ceiling.shown()} for one in judges if one.ceiling),
            legend=(
                "people, LLM: reliability of their means; corrected: correlation / ceiling",
                "–: reliabilities are too low or uncertain",
            ),
        ),
    )


@carries_excluded(*OF_SYSTEMS)
def find_llm_bias(
    data: Comparisons | Rankings | Openable,
    *,
    llm: Openable | None = None,
    llm_judges: str | Sequence[str] = (),
    controls: Sequence[str] = (),
    own: Mapping[str, str] | str | Path | None = None,
    level: float = LEVEL,
    seed: int = SEED,
) -> LLMBiases:
    """Estimate what moves LLM judges beside the outputs, and how far they agree with themselves.

    Args:
        data: comparisons with items, by LLM judges and, if possible, people on the same items.
        llm: verdicts of LLM judges, where they are in a table of their own.
        llm_judges: names of the judges who are LLMs, where their verdicts are among the judgments.
        controls: differences between outputs whose effect is estimated, as of `rank`: columns,
            SQL expressions, or "style".
        own: whose systems are: system → family, of LLM judges too; or a table with the columns
            system and family. Needs people.
        level: of intervals (proportion).
        seed: of intervals that draw items again, and of permutations.

    Raises:
        InvalidJudgments: no such judge, or a judge or system without a family.
        NotIdentified: nothing can be told of any LLM judge; a control that does not vary within
            pairs of systems.
        UnknownColumn: no items, or no judges.

    >>> import evenhand
    >>> rows = [
    ...     {"judge": "gpt", "item": str(i), "left": a, "right": b, "winner": w}
    ...     for i in range(12)
    ...     for a, b, w in (("x", "y", "ab"[i % 3 == 0]), ("y", "x", "ab"[i % 4 == 0]))
    ... ]
    >>> gpt = evenhand.find_llm_bias(rows, llm_judges="gpt")["gpt"]
    >>> round(gpt.repeated[0].consistent, 2), round(gpt.effects[0].estimate, 2)
    (0.42, 0.9)
    """
    errors.require_level(level)
    every = require_pairs(
        keep_all_judges(data),
        "biases of LLM judges are estimated from comparisons or rankings, not",
        SCORED,
    )
    if llm is not None:
        every, llm_judges = join_verdicts(every, llm, llm_judges)
    every.require("item")
    names, people, verdicts = split_people(every, llm_judges)
    families = None if own is None else _read_families(own)
    if families is not None and people is None:
        raise errors.NotIdentified(
            "own systems are what an LLM judge prefers more than people do, and no people judged:"
            " leave out --own"
        )
    votes = every.votes()
    notes = [*take_findings(note_tasks(every))]
    persons = [] if people is None else [one for one in list_levels(people, "judge") if one]
    with one_blas_thread():
        of_judge = [votes.take(votes.judge == votes.judges.index(name)) for name in names]
        judges = [
            _add_repeats(LLMBias(name, float(own.size)), votes, persons, level=level, seed=seed)
            for name, own in zip(names, of_judge, strict=True)
        ]
        notes += _note_other_outputs(votes, of_judge, names) * (people is not None)
        theirs = None
        if people is not None:
            try:
                theirs = Side.fit_table(people, controls, one_judge=False)
            except (errors.NotIdentified, errors.NotConverged) as refused:
                if families is not None or controls:
                    raise refused.without_options() from None
                notes.append(say("people-not-fitted", why=str(refused.without_options())))
        unfitted = list[Finding]()
        for at, name in enumerate(names):
            try:
                side = Side.fit_table(verdicts[name], controls, one_judge=True)
            except (errors.NotIdentified, errors.NotConverged) as refused:
                same = _note_same_answer(name, of_judge[at])
                why = str(refused.without_options())
                unfitted.append(same or say("llm-not-fitted", llm=name, why=why))
                continue
            if POSITION not in side.columns:
                notes.append(say("no-llm-order", llm=name))
            judge = replace(judges[at], n=side.fit.n_comparisons)
            judges[at] = _examine(judge, side, theirs, families, level=level, seed=seed)
            if families is not None and theirs is not None:
                notes += _say_own(judges[at], side, theirs, families)
    if len(unfitted) == len(names) and (controls or not any(one.repeated for one in judges)):
        raise errors.NotIdentified(" ".join(unfitted).removesuffix("."))
    notes += unfitted
    if theirs is not None:
        notes += theirs.notes
    parts = [f"bias of LLM judges {errors.listing(names, len(names))}"]
    parts += [f"control {one}" for one in controls]
    parts.append(f"CV3 by item, level {level:g}, seed={seed}")
    result = LLMBiases(
        judges=tuple(judges),
        people=len(persons),
        items=len(np.unique(np.concatenate([own.item for own in of_judge]))),
        level=level,
        notes=tuple(dict.fromkeys(notes)),
        signature=write_signature(parts, float(votes.size), digest_votes(votes)),
    )
    if people is None:
        return result
    return note_excluded(result, [one for one in people.excluded if one.code == "llm-judges"])


# One judge, or all people, taken apart by items.


@dataclass(frozen=True, eq=False)
class Side:
    """A fit of position, controls and log-worths, with what leaving clusters out changes."""

    fit: Fit
    items: tuple[str, ...]  # names of the G items
    changes: Array  # (G, p) what leaving each item out changes
    judges: int  # clusters of judges; 0 where judges are no clusters
    by_judge: Array  # (p, p) covariance by judges
    by_cell: Array  # (p, p) covariance by cells of judge and item
    columns: Mapping[str, tuple[Array, float | None]]  # effect → (p,) row of log-odds, and its sd
    notes: tuple[Finding, ...] = ()

    @classmethod
    def fit_table(cls, table: Comparisons, controls: Sequence[str], *, one_judge: bool) -> Side:
        by = ("item",) if one_judge else ("item", "judge")
        named: tuple[Control, ...] = ()
        if controls:
            named, rows = read_controls(table, tuple(controls), by=by)
            require_within(named, rows)
            tally = rows.tally(by)
        else:
            tally = table.tally(by)
        order = find_one_sided(tally, None).separable and table.positions_known
        model = BradleyTerry(order_effect=order, controls=tuple(controls))
        fit: Fit = fit_rows(model, named, rows) if controls else model.fit(tally)
        pieces, factor = sandwich.gather_clusters(fit, tally, "item")
        held = np.flatnonzero(pieces.held)
        if len(held) < MIN_ITEMS:
            raise errors.NotIdentified(
                f"{plural(len(held), 'item')} {'is' if len(held) == 1 else 'are'} too few for an"
                f" error by items: at least {MIN_ITEMS} are needed"
            )
        changes = sandwich.leave_each_out(fit, pieces, factor)[held]
        p = len(fit.raw_vcov)
        at = fit.likelihood.n_worths + fit.likelihood.n_ties
        doubled = 2 * np.eye(p)
        columns: dict[str, tuple[Array, float | None]] = {}
        if order:
            columns[POSITION] = doubled[at], None
        if is_controlled(fit):
            scales = fit.likelihood.scale.tolist()
            for row, control, sd in zip(doubled[p - len(named) :], named, scales, strict=True):
                columns[control.name] = row, sd
        items = tuple(factor.labels[g] for g in held.tolist())
        none = np.zeros((p, p))
        side = cls(fit, items, changes, 0, none, none, columns)
        if one_judge:
            return side
        clustering = choose_clustering(None, Evidence.of(merge_factors(tally)))
        if clustering.headline is not None:
            side = replace(side, notes=(say("people-only", whom=clustering.headline),))
        if "judge" not in clustering.clusterings:
            return side
        return replace(
            side,
            judges=tally.factor("judge").size,
            by_judge=sandwich.cluster_covariance(fit, tally, "judge")[0],
            by_cell=sandwich.crossed_covariance(fit, tally, ("judge", "item")),
        )

    def measure_noise(self, rows: Array, m: int) -> float:
        """Return the variance of (K, p) rows about their means of the first m and of the others."""
        rows, vcovs = rows - _group(rows, m), [jackknife(self.changes)]
        if self.judges:
            vcovs = cross_ways([self.by_judge, *vcovs], self.by_cell)
        return max(float(((rows @ vcov) * rows).sum()) for vcov in vcovs)

    def value(self, row: Array) -> float:
        return float(row @ self.fit.beta[: len(row)])


def require_within(controls: Sequence[Control], rows: CodedRows) -> None:
    """Refuse controls that hardly vary within pairs of systems: they are the systems."""
    k = len(rows.systems)
    n = np.zeros(k * k)
    sums, squares = np.zeros((2, k * k, len(controls)))
    for batch in rows.batches(fold=True):
        pair = batch.left.astype(np.int64) * k + batch.right
        n += np.bincount(pair, batch.weights, k * k)
        for at, x in enumerate(batch.values.T):
            sums[:, at] += np.bincount(pair, batch.weights * x, k * k)
            squares[:, at] += np.bincount(pair, batch.weights * x**2, k * k)
    between = (sums**2 / np.maximum(n, 1e-300)[:, None]).sum(axis=0)
    total = squares.sum(axis=0)
    for control, share in zip(controls, 1 - between / np.maximum(total, 1e-300), strict=True):
        if share < MIN_WITHIN:
            raise errors.NotIdentified(
                f"{control.name} is the system: {100 * max(share, 0):.2g} % of the variance of"
                f" control '{control.name}' lies within pairs of systems (1 % is needed), so that"
                " its effect cannot be told from log-worths; leave it out"
            )


@dataclass(frozen=True, eq=False)
class Beside:
    """An LLM judge and people, by the items of both."""

    llm: Side
    people: Side
    by_llm: Array  # (U, p) what leaving each item out changes in the LLM's fit
    by_people: Array  # (U, q) the same in people's

    @classmethod
    def join(cls, llm: Side, people: Side) -> Beside:
        place = {name: at for at, name in enumerate(dict.fromkeys((*llm.items, *people.items)))}
        whole = []
        for side in (llm, people):
            changes = np.zeros((len(place), side.changes.shape[1]))
            changes[[place[name] for name in side.items]] = side.changes
            whole.append(changes)
        return cls(llm, people, *whole)

    def bound(self, of_llm: Array, of_people: Array, level: float) -> Estimate:
        """Return of_llm @ β of the LLM less of_people @ β of people."""
        value = self.llm.value(of_llm) - self.people.value(of_people)
        alone = (self.llm.changes @ of_llm)[:, None]
        by_item = jackknife((self.by_llm @ of_llm - self.by_people @ of_people)[:, None])
        variances, df = [float(by_item[0, 0])], len(self.by_llm) - 1
        if self.people.judges:
            rest = float(jackknife(alone)[0, 0])
            judge, cell = (
                float(of_people @ vcov @ of_people) + rest
                for vcov in (self.people.by_judge, self.people.by_cell)
            )
            variances = cross_ways([judge, variances[0]], cell)
            df = min(df, self.people.judges - 1)
        return bound(value, max(variances), df, level)


def _examine(
    judge: LLMBias,
    side: Side,
    people: Side | None,
    families: Mapping[str, str] | None,
    *,
    level: float,
    seed: int,
) -> LLMBias:
    beside = None if people is None else Beside.join(side, people)
    effects = []
    for name, (row, sd) in side.columns.items():
        variance = jackknife((side.changes @ row)[:, None])[0, 0]
        df = len(side.items) - 1
        one = bound(side.value(row), float(variance), df, level)
        numbers: list[Any] = [*astuple(one), df, sd]
        if beside is not None and name in beside.people.columns:
            other, scale = beside.people.columns[name]
            other = other if sd is None or scale is None else other * sd / scale
            numbers += [beside.people.value(other), *astuple(beside.bound(row, other, level))]
        effects.append(JudgeEffect(judge.llm, name, *numbers))
    own: list[OwnPreference] = []
    if families is not None and beside is not None:
        own = _find_own(judge.llm, beside, families, level=level, seed=seed)
    return replace(judge, effects=tuple(effects), own=tuple(own))


def _say_own(
    judge: LLMBias, side: Side, theirs: Side, families: Mapping[str, str]
) -> list[Finding]:
    """Say which systems are not compared, and where none are a judge's own, or all are."""
    llm, systems, judged = judge.llm, {*side.fit.systems}, {*theirs.fit.systems}
    unshared = sorted(systems ^ judged)
    notes = [say("own-unshared", llm=llm, systems=unshared)] if unshared else []
    if not judge.own:
        family = families.get(llm, llm)
        has_all = any(families[one] == family for one in systems & judged)
        notes.append(say("own-all" if has_all else "own-none", llm=llm, family=family))
    return notes


def _find_own(
    llm: str, beside: Beside, families: Mapping[str, str], *, level: float, seed: int
) -> list[OwnPreference]:
    """Compare the systems of a judge, and of its family, with those of others."""
    sides = beside.llm.fit, beside.people.fit
    systems = [name for name in sides[0].systems if name in sides[1].systems]
    family = families.get(llm, llm)
    judge = [llm] * (llm not in {*families, *families.values()})
    if lacking := [name for name in systems if name not in families] or judge:
        raise errors.InvalidJudgments(
            "the table of families (--own, in Python own=) has no row for"
            f" {errors.listing(lacking, 3)}: add the family of each"
        )
    kinds = {
        "self": [name for name in systems if name == llm],
        "family": [name for name in systems if families[name] == family and name != llm],
    }
    others = [name for name in systems if families[name] != family]
    preferences = []
    for kind, chosen in kinds.items():
        if not chosen or not others:
            continue
        weights = dict.fromkeys(chosen, 1 / len(chosen)) | dict.fromkeys(others, -1 / len(others))
        rows = [
            np.array([weights.get(name, 0.0) for name in fit.systems]) @ centred_rows(fit)
            for fit in sides
        ]
        these = beside.bound(rows[0], rows[1], level)
        worths = [dict(zip(fit.systems, fit.log_worth.tolist(), strict=True)) for fit in sides]
        by_llm, by_people = (np.array([one[name] for name in (*chosen, *others)]) for one in worths)
        m, d = len(chosen), by_llm - by_people
        across = compare_own(d[:m], d[m:], level=level, seed=seed)
        place = [sides[1].systems.index(name) for name in (*chosen, *others)]
        noise = beside.people.measure_noise(centred_rows(sides[1])[place], m)
        slope, adjusted = adjust_own(by_llm, by_people, m, noise=noise, level=level)
        beside_slope = (slope, adjusted.value, None if across is None else adjusted.p)
        of_systems: tuple[Any, ...] = (None,) * 6  # as in `OwnPreference`, from its stderr on
        if across is not None:
            of_systems = (*astuple(across[0])[1:], across[1], len(d) - 2)
        numbers = (these.value, *of_systems, *astuple(these)[1:], *beside_slope)
        preferences.append(OwnPreference(llm, kind, tuple(chosen), len(others), *numbers))
    return preferences


def compare_own(
    mine: Array, others: Array, *, level: float, seed: int
) -> tuple[Estimate, str] | None:
    """Return by how much D of own systems is above D of others, and how its p-value was made."""
    m, k = len(mine), len(mine) + len(others)
    if len(others) < MIN_OTHERS:
        return None
    squares = float(((mine - mine.mean()) ** 2).sum() + ((others - others.mean()) ** 2).sum())
    gap = float(mine.mean() - others.mean())
    one = bound(gap, squares / (k - 2) * (1 / m + 1 / len(others)), k - 2, level)
    if comb(k, m) < MIN_CHOICES:
        return one, "t"
    return replace(one, p=permute_own(np.concatenate([mine, others]), m, seed)), "permutation"


def adjust_own(
    by_llm: Array, by_people: Array, m: int, *, noise: float, level: float
) -> tuple[float, Estimate]:
    """Return b and γ of θ_llm = a + b θ_people + γ [own], the first m systems being own."""
    # b is corrected for the noise of θ_people, its sum of squares within own and other systems
    k = len(by_llm)
    y, x = (one - _group(one, m) for one in (by_llm, by_people))
    total = float(x @ x)
    square = max(total - noise, MIN_RELIABILITY * total, 1e-12)
    slope = float(x @ y) / square
    gaps = [float(one[:m].mean() - one[m:].mean()) for one in (by_llm, by_people)]
    df = max(k - 3, 1)
    residual = float(((y - slope * x) ** 2).sum()) / df
    leverage = 1 / m + 1 / (k - m) + gaps[1] ** 2 / square
    return slope, bound(gaps[0] - slope * gaps[1], residual * leverage, df, level)


def _group(values: Array, m: int) -> Array:
    """Return (K, ...) the mean of the first m rows for each of them, and that of the others."""
    means = np.stack([values[:m].mean(axis=0), values[m:].mean(axis=0)])
    return np.repeat(means, [m, len(values) - m], axis=0)


def permute_own(d: Array, m: int, seed: int) -> float:
    """Return the two-sided p-value of the mean of the first m of (K,) values among all choices."""
    k, total = len(d), float(d.sum())

    def apart(sums: Array) -> Array:
        return np.abs(sums / m - (total - sums) / (k - m))

    observed = float(apart(np.array([d[:m].sum()]))[0]) * (1 - 1e-12)
    if comb(k, m) <= MAX_CHOICES:
        chosen = np.fromiter(chain.from_iterable(combinations(range(k), m)), dtype=np.int64)
        return float((apart(d[chosen.reshape(-1, m)].sum(axis=1)) >= observed).mean())
    rng = np.random.Generator(np.random.PCG64(seed))
    shuffled = rng.permuted(np.broadcast_to(d, (MIN_CHOICES, k)), axis=1)
    hits = int((apart(shuffled[:, :m].sum(axis=1)) >= observed).sum())
    return (hits + 1) / (MIN_CHOICES + 1)


def _note_same_answer(llm: str, verdicts: Votes) -> Finding | None:
    """Say that all verdicts prefer the same side, whatever stands there."""
    said = np.unique(verdicts.outcome)
    if len(said) > 1 or said[0] == TIE or not verdicts.positions_known:
        return None
    side = "first" if said[0] == LEFT else "second"
    return say("llm-one-side", "warning", llm=llm, side=side, n=verdicts.size)


def _note_other_outputs(
    votes: Votes, verdicts: Sequence[Votes], names: Sequence[str]
) -> list[Finding]:
    """Name the LLM judges of whose pairs of outputs people judged none."""
    people = votes.pair[~np.isin(votes.judge, [votes.judges.index(name) for name in names])]
    return [
        texts.say("llm-other-outputs", "warning", llm=name)
        for name, own in zip(names, verdicts, strict=True)
        if not np.isin(own.pair, people).any()
    ]


def _add_repeats(
    judge: LLMBias, votes: Votes, people: Sequence[str], *, level: float, seed: int
) -> LLMBias:
    asked = (ORDERS, AGAIN) if votes.positions_known else (AGAIN,)
    repeats = [
        one
        for what in asked
        if (one := measure_repeats(votes, judge.llm, what, level=level, seed=seed)) is not None
    ]
    usable = [one.asked for one in repeats if not one.copies]
    ceiling = None
    if people and usable:
        ceiling = find_ceiling(votes, judge.llm, people, usable[0], level=level, seed=seed)
    return replace(judge, repeated=tuple(repeats), ceiling=ceiling)


def _read_families(own: Mapping[str, str] | str | Path) -> dict[str, str]:
    if isinstance(own, Mapping):
        return {str(name): str(family) for name, family in own.items()}
    from evenhand.formats.covariates import read_system_covariates

    columns = read_system_covariates(own)
    names = [*columns]
    known = [one for one in ("family", "owner") if one in names] or names
    if len(known) > 1:
        raise errors.UnknownOption(
            f"{own} has several columns beside the systems ({errors.listing(names)}): call the one"
            " of families 'family' and leave out 'owner'"
        )
    return {system: str(family) for system, family in columns[known[0]].items()}

"""Rankings by people with the help of LLM judges' verdicts (`control_variate`).

When not to use it: where people judged items that were chosen since they are hard, or easy, for the
LLM. A comparison of the verdicts on their items with those on others shows some of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import sqrt
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data import controls
from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import COUNT, count_labels, fetch_columns
from evenhand.data.exclusions import count_exclusions, exclude_verdicts, note_excluded
from evenhand.data.groups import Levels, choose_groups, list_judges, list_levels, tally_groups
from evenhand.data.labels import OUTCOMES, read_outcome
from evenhand.data.ratings import Ratings
from evenhand.data.source import find_rows, name_rows
from evenhand.data.tally import Factor, Tally, join_codes, keep_levels, merge_levels, take_names
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    listing,
    require_option,
    suggest,
    suggest_or_list,
)
from evenhand.formats.grades import read_probability
from evenhand.formats.roles import find_side
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.distributions import t_tail
from evenhand.numerics.multiple_tests import holm
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking import sandwich
from evenhand.ranking.clustering import (
    ENOUGH_ITEMS,
    MAX_CLUSTERS,
    Clustering,
    Evidence,
    merge_factors,
)
from evenhand.ranking.control_variate import ControlVariate, Part, cluster_people
from evenhand.ranking.covariance import (
    ClusteredErrors,
    Spread,
    centred_rows,
    cluster_all_pairs,
    leave_each_out,
)
from evenhand.ranking.inference import SAMPLED, Settings, find_intervals, order_systems
from evenhand.ranking.intervals import Estimates
from evenhand.ranking.rank_sets import decide_all
from evenhand.ranking.ranking import (
    Fused,
    GroupedRankings,
    Ranking,
    Sampling,
    rank_apart,
    take_only,
    with_notes,
)
from evenhand.ranking.texts import say
from evenhand.render.document import Finding, plural, take_findings

MIN_GAIN: Final = 1.02  # Below it verdicts add nothing that is worth a word
MAX_CONTRARY: Final = 0.02  # Share of outcomes contrary to probabilities that is more than a few
MAX_CHECK_T: Final = 3.0  # |t| from which verdicts on people's items differ from the others
MIN_TASTES: Final = 0.005  # Share of variance that is written as 1 %
ROUNDING: Final = 1e-9  # Deviation below which values are all alike
MAX_CHECK_P: Final = 0.01  # p (Holm) below which verdicts on a system differ between these items
MIN_SAME: Final = 10  # Verdicts of an LLM judge, below which they may be all the same
SAME_BY_CHANCE: Final = 1 / 500  # Below it verdicts that are all the same are no chance
MAX_NAMED: Final = 5  # Pairs without a verdict that a refusal names


def mark_llm_judges(
    judges: Sequence[str], names: Sequence[str], left_out: Sequence[str] = ()
) -> list[int]:
    """Return the places of the judges who are named as LLMs; left_out: those who were excluded."""
    wanted = dict.fromkeys(take_names(names))
    for name in wanted:
        if name not in judges:
            known = sorted({*judges, *left_out})
            raise InvalidJudgments(f"no judge '{name}'.{suggest_or_list(name, known)}")
    if len(wanted) == len(judges):
        raise InvalidJudgments(
            "all judges are named as LLM judges: no judgments of people are left to rank by"
        )
    return [judges.index(name) for name in wanted]


def split_probabilities(verdicts: Comparisons) -> Comparisons:
    """Make a verdict that is a probability two, left and right, that weigh one together.

    Where an outcome stands without a probability beside it, it counts as it is.
    """
    named, likely = read_probability(verdicts.frame, verdicts.source.name, verdicts.covariates)
    if not named:
        return verdicts
    verdicts = _note_probabilities(verdicts, named, likely)
    weight = nw.col("weight") if verdicts.has("weight") else nw.lit(1.0)
    given, outcome = ~likely.is_null(), nw.col("outcome").cast(nw.String)
    parts = [
        verdicts.frame.with_columns(
            nw.when(given).then(nw.lit(side)).otherwise(outcome).alias("outcome"),
            weight=weight * nw.when(given).then(share).otherwise(nw.lit(whole)),
        )
        for side, share, whole in (("left", likely, 1.0), ("right", 1 - likely, 0.0))
    ]
    both = nw.concat([one.filter(nw.col("weight") > 0) for one in parts])  # type: ignore[type-var]
    labels = verdicts.outcome_labels
    if labels is not None:
        labels = type(labels)({**labels, "left": "left", "right": "right"})  # type: ignore[call-arg]
    return replace(verdicts, frame=both, outcome_labels=labels, weights="importance")


def _note_probabilities(
    verdicts: Comparisons, columns: Sequence[str], likely: nw.Expr
) -> Comparisons:
    """Say that probabilities are used, and how many outcomes beside them are the contrary."""
    if any(getattr(one, "code", "") == "probabilities" for one in verdicts.source.notes):
        return verdicts  # no outcome stood beside them
    given = verdicts.frame.filter(~likely.is_null())
    given = given.select("outcome", evenhand_side=find_side(likely))
    cells = fetch_columns(given.group_by("outcome", "evenhand_side").agg(nw.len().alias(COUNT)))
    contrary, every = 0, int(cells[COUNT].sum())
    for outcome, likelier, n in zip(*cells.values(), strict=True):
        meant = read_outcome(str(outcome), verdicts.outcome_labels)
        contrary += int(n) * ({meant, likelier} == {"left", "right"})
    if not every:
        return verdicts
    values = {"columns": [*columns], "contrary": contrary, "verdicts": every}
    severity = "warning" if contrary > MAX_CONTRARY * every else "note"
    note = say("verdict-probabilities", severity, **values)
    return replace(verdicts, source=verdicts.source.noting(note))


def count_sampled(people: Comparisons | Ratings) -> dict[str | None, float]:
    """Return the recorded probabilities of being sampled, as text, with their judgments."""

    def is_probability(label: str | None) -> bool:
        try:
            return 0 < float(label or "") <= 1
        except ValueError:
            return False

    if SAMPLED not in people.frame.collect_schema().names():
        return {}
    counts = count_labels(people.frame, SAMPLED, as_text=True)
    if wrong := [label for label in counts if not is_probability(label)]:
        column = nw.col(SAMPLED).cast(nw.String)
        named = [one for one in wrong if one is not None]
        rows = find_rows(people.frame, column.is_null() | column.is_in([*named, ""]))
        raise InvalidJudgments(
            f"{plural(sum(counts[one] for one in wrong), 'judgment')} without a probability above 0"
            f" and up to 1 in column '{SAMPLED}'{name_rows(rows)}: write that with which each was"
            " drawn; of a random sample it is the number drawn, divided by that of all pairs of"
            " outputs"
        )
    return counts


def weigh_sampled(people: Comparisons) -> Comparisons:
    """Weigh judgments by 1/π, 1 on average, where they were drawn with different probabilities."""
    counts = count_sampled(people)
    if len(counts) < 2:
        return people
    if people.has("weight"):
        raise UnknownOption(
            f"judgments have weights and probabilities of sampling ('{SAMPLED}'): leave one out"
        )
    inverse = sum(n / float(label or "") for label, n in counts.items())
    scale = inverse / sum(counts.values())
    weight = 1 / (nw.col(SAMPLED).cast(nw.Float64) * scale)
    return replace(people, frame=people.frame.with_columns(weight=weight), weights="importance")


def open_verdicts(
    table: Any, llm: Any, llm_judges: Sequence[str]
) -> tuple[Comparisons, Comparisons, set[str]]:
    """Return people's judgments, the verdicts and who gave them: a table, or some judges of one."""
    if llm is None:
        if not isinstance(table, Comparisons):
            raise controls.refuse_kind(table, "verdicts apply to comparisons of systems, not")
        table.require("judge")
        known = [one for one in list_levels(table, "judge") if one is not None]
        named = mark_llm_judges(known, llm_judges, controls.list_left_out(table))
        of_llm = nw.col("judge").cast(nw.String).is_in([known[at] for at in named])
        table, verdicts = (table.where(one, recorded=False) for one in (~of_llm, of_llm))
    else:
        verdicts = controls.take_pairs(controls.take_llm(llm))
    if not isinstance(table, Comparisons):
        raise controls.refuse_kind(table, "verdicts help to rank comparisons of systems, not")
    if not isinstance(verdicts, Comparisons):
        raise controls.refuse_kinds("comparisons", verdicts)
    for one in (table, verdicts):
        if not one.has("item"):
            raise refuse_items(one.source.name, one.covariates)
    source = verdicts.source
    notes: tuple[str, ...] = source.notes
    excluded = () if llm is None else exclude_verdicts(verdicts.excluded)
    if llm is not None:  # graded labels are named by their file
        notes = tuple(
            Finding(one.code, f"{source.name}: {one}", one.severity, one.values)
            if isinstance(one, Finding) and one.code.startswith("graded")
            else one
            for one in notes
        )
    verdicts = replace(verdicts, source=replace(source, exclusions=excluded, notes=notes))
    if llm is not None:
        table, verdicts = (
            controls.match_turns(table, verdicts),
            controls.match_turns(verdicts, table),
        )
    if verdicts.has("task") and not table.has("task") and len(verdicts.tasks()) == 1:
        # a campaign names its one task, and items with it; people's table need not
        verdicts = replace(verdicts, frame=verdicts.frame.drop("task"))
    judges = list_judges(verdicts)
    if llm is not None:
        controls.refuse_same_judges(list_judges(table), judges)
    verdicts = _exclude_constant_judges(verdicts) if len(judges) > 1 else verdicts
    return weigh_sampled(table), split_probabilities(verdicts), judges


def _exclude_constant_judges(verdicts: Comparisons) -> Comparisons:
    """Exclude LLM judges who give one outcome only, but for one where all are such.

    Averaged with others they take a third or more of what these gain. An honest judge may say the
    same of few pairs too: excluded is only who would do so less than once in 500 times at the other
    judges' share of that outcome. Verdicts alone say who that is, so that nothing is biased.
    """
    named = verdicts.frame.drop_nulls("judge")
    groups = named.group_by("judge", "outcome").agg(nw.len().alias(COUNT))
    given: dict[str, Counter[str]] = {}
    for judge, outcome, n in zip(*fetch_columns(groups).values(), strict=True):
        meant = read_outcome(str(outcome), verdicts.outcome_labels)
        given.setdefault(str(judge), Counter())[meant or str(outcome)] += int(n)
    every = sum(given.values(), Counter[str]())

    def is_constant(own: Counter[str]) -> bool:
        ((outcome, n), *more), others = own.most_common(), every - own
        share = (others[outcome] + 1) / (others.total() + 2)
        return not more and n >= MIN_SAME and share**n < SAME_BY_CHANCE

    judges = sorted(one for one, own in given.items() if is_constant(own))
    judges = judges[len(judges) == len(given) :]
    if not judges:
        return verdicts
    among = nw.col("judge").cast(nw.String).is_in(judges).fill_null(value=False)
    verdicts = verdicts.where(~among, recorded=False)
    source = verdicts.source.noting(say("constant-llm-judges", "warning", judges=judges))
    return replace(verdicts, source=source)


def rank_with_verdicts(
    people: Comparisons,
    verdicts: Comparisons,
    judges: set[str],
    settings: Settings,
    left_out: tuple[Finding, ...],
    *,
    group_by: str | None,
    unpaired: str | None,
    weight: float | None,
) -> Ranking | GroupedRankings:
    """Rank all, or the levels of a column apart; verdicts without it serve every level."""
    by, told = choose_groups(people, group_by), (*left_out, *say_odd(verdicts))
    refuse_settings(settings, unpaired, weight)
    factors = [name for name in ("judge", "item") if people.has(name)]
    excluded = count_exclusions(verdicts.source.exclusions)

    def describe(one: Ranking) -> Ranking:
        return with_notes(one, people, (*told, *say_ranked(judges, one.systems), *one.notes))

    if by is None:
        whole, of_all = people.tally(factors), verdicts.tally(["item"])
        return describe(note_excluded(fuse(whole, of_all, settings, unpaired, weight), excluded))
    of_people = tally_groups(people, by, factors)
    if by == "judge" or not verdicts.has(by):
        of_llm = dict.fromkeys(of_people, verdicts.tally(["item"]))
    else:
        of_llm = tally_groups(verdicts, by, ["item"])
        if not {*of_people} & {*of_llm}:
            own, llm = (listing([*some], MAX_NAMED) for some in (of_people, of_llm))
            raise InvalidJudgments(
                f"no verdict is of a {by} that people judged ({own}; verdicts: {llm}): write the"
                f" same names in both, or drop column {by} from the verdicts, which then serve all"
            )

    def rank_group(name: str) -> Ranking:
        if name not in of_llm:
            raise NotIdentified(f"there are no verdicts on {by} {name}")
        return fuse(of_people[name], of_llm[name], settings, unpaired, weight)

    ranked = note_excluded(rank_apart(of_people, by, rank_group), excluded)
    groups = {name: describe(one) for name, one in ranked.groups.items()}
    return take_only(replace(ranked, groups=groups), requested=group_by is not None)


def refuse_items(name: str, columns: Sequence[str] = ()) -> InvalidJudgments:
    others = f", NAME being one of {listing(columns)}" if columns else ""
    return InvalidJudgments(
        f"no column of {name} holds items, by which verdicts are matched: call the column of items"
        f" 'item', or name it (--column item=NAME{others})"
    )


def refuse_unlike(
    answers: str, people: Mapping[str, Sequence[str]], llm: Mapping[str, Sequence[str]]
) -> InvalidJudgments:
    """Refuse verdicts on other outputs; people, llm: role → its names, by which they differ."""
    differ = ""
    for role, names in people.items():
        own = [one for one in names if one not in {*llm[role]}]
        if own and len(own) == len(names) and len(llm[role]):
            near, other = suggest(own[0], llm[role]), f"'{llm[role][0]}'"
            differ = f" (no {role} is: people's '{own[0]}', the verdicts' {other})"
            differ += f".{near}" if near and other not in near else ""
            break
    return InvalidJudgments(
        f"no {answers} of people has a verdict on its output: names of systems and items must be"
        f" the same in both{differ}"
    )


WHETHER_EXCHANGED: Final = ". Are the two files exchanged? --llm takes the verdicts"


def refuse_unpaired(
    lacking: float, of: float, answers: str, names: Sequence[str], *, exchanged: bool
) -> InvalidJudgments:
    """Refuse judgments without a verdict; exchanged: whether "people" are one and judged more."""
    return InvalidJudgments(
        f"{lacking:,.0f} of {of:,.0f} {answers} have no verdict, such as those of"
        f" {listing(names)}: get these verdicts, or exclude these judgments (--unpaired drop) or"
        f" use them without (--unpaired keep){WHETHER_EXCHANGED * exchanged}"
    )


def require_options_of_verdicts(
    unpaired: str | None, weight: float | None, *, choices: Sequence[str] = ("drop", "keep")
) -> None:
    if weight is not None and not 0 <= weight <= 1:
        raise UnknownOption(f"the weight of verdicts (λ) goes from 0 to 1, not {weight:g}")
    if unpaired is not None:
        require_option("unpaired", unpaired, choices)


def refuse_settings(settings: Settings, unpaired: str | None, weight: float | None) -> None:
    require_options_of_verdicts(unpaired, weight)
    model = settings.model
    if not isinstance(model, BradleyTerry):
        raise UnknownOption(
            f"verdicts can be combined with the model bradley-terry only, not {settings.name}"
        )
    unfit = {
        "an order effect": model.order_effect,
        "a prior": model.prior,
        "controls": model.controls,
        "covariates": model.covariates or model.system_covariates,
        f"interval '{settings.interval}'": settings.interval != "rank-sets",
        f"cluster '{settings.cluster}'": settings.cluster is not None,
    }
    if asked := [name for name, value in unfit.items() if value]:
        raise UnknownOption(f"verdicts cannot be combined with {listing(asked)}: leave it out")


def fuse(
    people: Tally,
    verdicts: Tally,
    settings: Settings,
    unpaired: str | None,
    weight: float | None = None,
) -> Ranking:
    """Rank people's judgments with the help of verdicts; a given λ is used whatever it gains."""
    # weights add up but for rounding
    people = replace(people, n_judgments=round(people.n_judgments, 6))
    paired = pair_verdicts(people, verdicts, unpaired)
    evidence = Evidence.of(merge_factors(paired.judged))
    levels = Levels({name: one.loads for name, one in paired.judged.factors.items()})
    fit = fit_part(settings, evidence.whole, "people's judgments")
    squares = people.squares
    effective = None if squares is None else float(people.counts.sum() ** 2 / squares.sum())

    def rank_people() -> Ranking:
        with one_blas_thread():
            intervals = find_intervals(fit, evidence, levels, settings)
            return order_systems(fit, evidence, levels, intervals, settings)

    fused = Fused(
        paired.n_verdicts,
        paired.n_pairs,
        paired.n_unpaired,
        rank_people,
        unjudged=paired.unjudged,
        n_unused=paired.n_unused,
        effective=effective,
    )
    counts = verdicts.counts.sum(axis=0)
    given = [one for one, n in zip(OUTCOMES, counts.tolist(), strict=True) if n > 0]
    if len(given) == 1 and counts.sum() > 1:
        constant = say("verdicts-constant", "warning", outcome=given[0])
        return without_verdicts(fused, (constant,), weight)
    if weight == 0:
        return without_verdicts(fused, weight=weight)
    with one_blas_thread():
        clustering, joint, every = join_fits(fit, paired, evidence, settings)
        if joint is None or every is None:
            return without_verdicts(fused, clustering.notes)
        check, systems = check_items(paired, every)
        if effective is None:
            sampling = check_pairs(paired.every, paired.of_people)
            fused = replace(fused, sampling=sampling, check_systems=systems)

        def order(estimates: Estimates, spread: Spread) -> Ranking:
            intervals = decide_all(estimates, spread, settings.level, settings.seed)
            # the fit with other log-worths, all else as it is
            values, reference = estimates.values, fit.design.reference
            worths = np.delete((values - values[reference]) / 2, reference)
            beta, estimate = fit.beta.copy(), fit.estimate.copy()
            beta[: len(worths)] = estimate[: len(worths)] = worths
            moved = replace(fit, beta=beta, estimate=estimate)
            return order_systems(moved, evidence, levels, (clustering, intervals), settings)

        digest = paired.every.digest_by(("item",))
        return use_verdicts(replace(fused, check=check), joint, weight, order, digest)


def fit_part(settings: Settings, tally: Tally, what: str) -> Fit:
    """Fit one of the three; a refusal says which, and names no remedy that verdicts exclude."""
    try:
        fit: Fit = settings.model.fit(tally)
    except (NotIdentified, NotConverged) as refusal:
        why = refusal.without_options()
        raise NotIdentified(f"{what} do not determine log-worths: {why}") from None
    return fit


def use_verdicts(
    fused: Fused,
    joint: ControlVariate,
    weight: float | None,
    order: Callable[[Estimates, Spread], Ranking],
    digest: str,
) -> Ranking:
    """Rank with verdicts if they help, or were given a weight above 0."""
    used = joint.choose_weight() if weight is None else weight
    alone, helped = (joint.variances(one).mean() for one in (0.0, used))
    worths = zip(joint.every.systems, joint.every.values.tolist(), strict=True)
    tastes, gain = joint.share_tastes(), float(alone / helped)
    fused = replace(fused, weight=used, gain=gain, tastes=tastes, llm=dict(worths))
    if gain < MIN_GAIN if weight is None else weight == 0:
        return without_verdicts(fused, weight=weight)
    return with_verdicts(order(*joint.estimate(used)), fused, digest)


def without_verdicts(
    fused: Fused, notes: Sequence[Finding] = (), weight: float | None = None
) -> Ranking:
    """Return people's ranking, with the reason why verdicts do not help."""
    why = [one for one in notes if one.code in ("few-labelled-items", "verdicts-constant")]
    why = why or [say("verdicts-weigh-nothing")] * (weight is not None)
    why = why or [say("verdicts-add-nothing", verdicts=fused.n_verdicts)]
    unused = replace(fused, weight=0.0, gain=1.0)
    notes = (*fused.human.notes, *say_used(fused), *why)
    return replace(fused.human, fused=unused, notes=notes)


def say_odd(verdicts: Comparisons) -> tuple[Finding, ...]:
    """Say what is odd in verdicts as they were read, and which LLM judges are excluded."""
    codes = ("verdict-probabilities", "constant-llm-judges", "both-bad")
    return tuple(
        one
        for one in take_findings(verdicts.source.notes)
        if one.code in codes or one.code.startswith("graded")
    )


def say_ranked(verdicts: Iterable[str], systems: Iterable[str]) -> tuple[Finding, ...]:
    both = sorted({*verdicts} & {*systems})
    return (say("judges-ranked", "warning", judges=both),) if both else ()


def say_unjudged(unjudged: Mapping[str, float], verdicts: float) -> list[Finding]:
    return [say("verdicts-unjudged", systems=[*unjudged], verdicts=verdicts)] if unjudged else []


def say_used(fused: Fused) -> list[Finding]:
    weighted = fused.effective is not None
    of_weights = [say("judgments-weighted", effective=fused.effective)] if weighted else []
    return [*say_unjudged(fused.unjudged, fused.n_unused), *of_weights]


def with_verdicts(ranking: Ranking, fused: Fused, digest: str) -> Ranking:
    notes, t = [say("verdicts-assume"), *say_used(fused)], fused.check
    of_systems = sorted((p, name) for name, p in fused.check_systems.items())
    shifted = [name for p, name in of_systems if p < MAX_CHECK_P]
    if fused.tastes is not None and fused.tastes >= MIN_TASTES:
        notes.append(say("verdicts-leave-tastes", part=fused.tastes))
    if t is not None and abs(t) > MAX_CHECK_T:
        differ = "differ between the items that people judged and the others"
        notes.append(say("verdicts-not-alike", "warning", t=t, differ=differ))
    elif shifted:
        notes.append(say("verdicts-shifted", "warning", systems=shifted, p=of_systems[0][0]))
    elif fused.sampling is not None and abs(fused.sampling.t) > MAX_CHECK_T:
        notes.append(fused.sampling.warns)
    signed = f"verdicts n={fused.n_verdicts:.0f} sha256 {digest[:12]}, weight {fused.weight:.4f}"
    signature, notes = f"{ranking.signature} | {signed}", [*ranking.notes, *notes]
    return replace(ranking, fused=fused, signature=signature, notes=tuple(notes))


@dataclass(frozen=True, eq=False)
class Paired:
    """Judgments of people and verdicts, with codes of systems and items in common."""

    judged: Tally  # people's, with the items that they judged
    people: Tally  # the same with all items
    beside: Tally  # the verdicts on what people judged, one a judgment, by the same factors
    every: Tally  # verdicts, one for each pair of outputs of an item, by item
    of_people: Flags  # (C,) whether people judged this pair of outputs
    n_verdicts: float  # verdicts before they were averaged
    n_pairs: int  # pairs of outputs with verdicts
    n_unpaired: float  # judgments of people on pairs without a verdict
    unjudged: dict[str, float]  # system that no person judged → verdicts on it
    n_unused: float  # all these verdicts


def pair_verdicts(people: Tally, verdicts: Tally, unpaired: str | None) -> Paired:
    """Find the verdicts on what people judged; unpaired: drop, keep, or None, which refuses."""
    for name, tally in (("judgments of people", people), ("verdicts", verdicts)):
        if "item" not in tally.factors:
            raise refuse_items(name)
    controls.refuse_respelt(people.systems, verdicts.systems)
    known = {name: at for at, name in enumerate(people.systems)}
    code = np.array([known.get(name, -1) for name in verdicts.systems], dtype=np.int32)
    of_judged = (code[verdicts.left] >= 0) & (code[verdicts.right] >= 0)
    unjudged = count_unjudged(verdicts, code)
    n_unused = round(float(verdicts.counts[~of_judged].sum()), 6)
    verdicts = verdicts.take(of_judged)
    k, of_people, of_verdicts = len(people.systems), people.factor("item"), verdicts.factor("item")
    labels = tuple(sorted({*of_people.labels, *of_verdicts.labels}))
    place = {name: at for at, name in enumerate(labels)}
    judged_item, verdict_item = (
        np.array([place[name] for name in one.labels], dtype=np.int64)[one.codes]
        for one in (of_people, of_verdicts)
    )

    named = {"system": people.systems, "item": of_people.labels}
    of_llm = {"system": verdicts.systems, "item": of_verdicts.labels}
    keys, shares, n_verdicts = average_verdicts(verdicts, code, k, verdict_item)
    if not len(keys):
        raise refuse_unlike("judgment", named, of_llm)

    low_h, high_h = np.minimum(people.left, people.right), np.maximum(people.left, people.right)
    wanted = (judged_item * k + low_h) * k + high_h
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    matched = keys[at] == wanted
    n = people.counts.sum(axis=1)
    lacking = float(n[~matched].sum())
    if not matched.any():
        raise refuse_unlike("judgment", named, of_llm)
    if lacking and unpaired is None:
        names = [
            f"{people.systems[low_h[row]]} and {people.systems[high_h[row]]} on item"
            f" {labels[judged_item[row]]}"
            for row in np.flatnonzero(~matched)[:MAX_NAMED].tolist()
        ]
        judges = people.factor("judge").labels if "judge" in people.factors else ()
        alone = len(judges) == 1 and bool(np.isin(keys, wanted).all())
        raise refuse_unpaired(lacking, float(n.sum()), "judgments", names, exchanged=alone)

    def number(codes: Integers) -> Factor:
        loads = np.bincount(judged_item, n, minlength=len(labels)).astype(np.float64)
        return Factor(labels, codes.astype(np.int32), loads, len(labels))

    if lacking and unpaired == "drop":
        left = round(float(n[matched].sum()), 6)
        judged_item, at, n, kept = judged_item[matched], at[matched], n[matched], matched
        factors = {name: keep_levels(one, kept, n) for name, one in people.factors.items()}
        people = replace(people.take(kept), n_judgments=left, factors=factors)
        matched = kept[kept]
    judged = people
    people = replace(judged, factors={**judged.factors, "item": number(judged_item)})
    rows = np.flatnonzero(matched)
    each = np.asarray(shares[at[rows]] * n[rows, None], dtype=np.float64)
    beside = _count(people.systems, (keys[at[rows]] // k % k, keys[at[rows]] % k), each)
    factors = {name: replace(one, codes=one.codes[rows]) for name, one in people.factors.items()}
    beside = replace(beside, factors=factors)
    every = _count(people.systems, (keys // k % k, keys % k), shares)
    every = replace(every, factors={"item": number(keys // k**2)})
    return Paired(
        judged,
        people,
        beside,
        every,
        np.isin(keys, wanted),
        n_verdicts=n_verdicts,
        n_pairs=len(keys),
        n_unpaired=lacking,
        unjudged=unjudged,
        n_unused=n_unused,
    )


def average_verdicts(
    verdicts: Tally, code: NDArray[np.integer[Any]], k: int, item: NDArray[np.integer[Any]]
) -> tuple[Integers, Array, float]:
    """Average verdicts on each pair of outputs over orders, repeats and LLM judges.

    code: (K',) of the tally's systems, below k; item: (n,) of its entries. Returns the C cells
    (item · K + lower code of a system) · K + higher, ascending, the (C, 3) shares of verdicts for
    the lower, tied, and for the higher, and the number of verdicts.
    """
    left, right = code[verdicts.left].astype(np.int64), code[verdicts.right].astype(np.int64)
    counts = np.where((left > right)[:, None], verdicts.counts[:, ::-1], verdicts.counts)
    low, high = np.minimum(left, right), np.maximum(left, right)
    keys, cell = np.unique((item * k + low) * k + high, return_inverse=True)
    sums = np.stack([np.bincount(cell, counts[:, at]) for at in range(3)], axis=1)
    # probabilities add up but for rounding
    return keys, sums / sums.sum(axis=1, keepdims=True), round(float(counts.sum()), 6)


def count_unjudged(verdicts: Tally, code: NDArray[np.integer[Any]]) -> dict[str, float]:
    n, k = verdicts.counts.sum(axis=1), len(code)
    each = np.bincount(verdicts.left, n, minlength=k) + np.bincount(verdicts.right, n, minlength=k)
    names = verdicts.systems
    return {
        names[at]: round(float(each[at]), 6) for at in np.flatnonzero(code < 0).tolist() if each[at]
    }


def _count(systems: tuple[str, ...], sides: tuple[Integers, Integers], counts: Array) -> Tally:
    left, right = (side.astype(np.int32) for side in sides)
    wins, ties, losses = np.ascontiguousarray(counts.T)
    return Tally(systems, left, right, wins, ties, losses, n_judgments=float(counts.sum()))


def join_fits(
    fit: Fit, paired: Paired, evidence: Evidence, settings: Settings
) -> tuple[Clustering, ControlVariate | None, Fit | None]:
    """Take all three fits apart, None where items are too few; also the fit to all verdicts."""
    items = len(evidence.factors["item"].labels)
    if items < ENOUGH_ITEMS:
        note = say("few-labelled-items", items=items, enough=ENOUGH_ITEMS)
        return Clustering((), notes=(note,)), None, None
    people, beside, every = limit_clusters((paired.people, paired.beside, paired.every))
    estimate = partial(cluster_all_pairs, fit, Evidence.of(people), None, settings.progress)
    clustering, ways = cluster_people(evidence, estimate)
    if "item" not in ways:
        return clustering, None, None
    # cells of all ways, such as judge and item, are numbered alike in both
    codes = [
        join_codes([(tally.factor(name).codes, tally.factor(name).size) for name in ways])
        for tally in (people, beside)
    ]
    present, numbers = np.unique(np.concatenate(codes), return_inverse=True)
    cells = np.split(numbers, [len(codes[0])])

    def take_apart(
        other: Fit, tally: Tally, errors: Mapping[str, ClusteredErrors], at: int
    ) -> Part:
        moves = np.zeros((0, len(other.raw_vcov)))
        if at < len(cells):
            pieces = sandwich.take_apart(other, tally, cells[at], len(present))
            moves = sandwich.cluster_scores(other, pieces) @ other.raw_vcov
        return Part.of(other.systems, other.log_worth, centred_rows(other), errors, moves)

    def of_verdicts(other: Fit, tally: Tally, at: int) -> Part:
        names = [name for name in ways if name in tally.factors]
        errors = {name: leave_each_out(other, tally, name, counted=False) for name in names}
        return take_apart(other, tally, errors, at)

    fit_beside = fit_part(settings, beside, "the verdicts on what people judged")
    fit_every = fit_part(settings, every, "all verdicts")
    joint = ControlVariate(
        take_apart(fit, people, ways, 0),
        of_verdicts(fit_beside, beside, 1),
        of_verdicts(fit_every, every, 2),
        ways,
    )
    return clustering, joint, fit_every


def limit_clusters(tallies: Sequence[Tally]) -> list[Tally]:
    """Merge judges and items where they are many, the same in all tallies."""
    limited = {
        name: merge_levels(one, MAX_CLUSTERS, SEED) for name, one in tallies[0].factors.items()
    }

    def limit(name: str, own: Factor) -> Factor:
        cluster = limited[name].clusters
        return replace(limited[name], codes=own.codes if cluster is None else cluster[own.codes])

    return [
        replace(one, factors={name: limit(name, own) for name, own in one.factors.items()})
        for one in tallies
    ]


def check_items(paired: Paired, fit: Fit) -> tuple[float | None, dict[str, float]]:
    """Compare verdicts on people's items with the others.

    Returns t of how clear they are (the share for the system that is better by all verdicts, less
    what their fit expects), or None, and `compare_systems` of each system's share less expected.
    """
    every, k = paired.every, len(paired.every.systems)
    pair, at = np.unique(every.left.astype(np.int64) * k + every.right, return_inverse=True)
    names = [(every.systems[one // k], every.systems[one % k]) for one in pair.tolist()]
    chances = fit.predict(names)[at]
    rest = every.wins - every.losses - chances[:, 0] + chances[:, 2]
    sign = np.sign(fit.log_worth[every.left] - fit.log_worth[every.right])
    item = every.factor("item")
    judged = item.loads > 0
    system, twice = np.concatenate([every.left, every.right]), np.tile(item.codes, 2)
    of_systems = compare_systems(np.concatenate([rest, -rest]), system, twice, judged)
    return (
        compare_items(sign * rest, item.codes, judged),
        {every.systems[code]: p for code, p in of_systems.items()},
    )


def compare_items(values: Array, item: NDArray[np.integer[Any]], judged: Flags) -> float | None:
    """Return Welch's t of (n,) values by item, of items that people judged less the others."""
    n = np.bincount(item, minlength=len(judged))
    means = np.bincount(item, values, minlength=len(judged))[n > 0] / n[n > 0]
    groups = means[judged[n > 0]], means[~judged[n > 0]]
    if min(len(one) for one in groups) < ENOUGH_ITEMS:
        return None
    error = sum(float(one.var(ddof=1)) / len(one) for one in groups)
    return float((groups[0].mean() - groups[1].mean()) / sqrt(error)) if error > 0 else None


def compare_systems(
    values: Array, system: NDArray[np.integer[Any]], item: NDArray[np.integer[Any]], judged: Flags
) -> dict[int, float]:
    """Return system → p that its means by item of (n,) values differ, all by Holm's method.

    values: 1 at most, about.

    Of t with the variance of all items, as of a random sample of them: with the sample's own, few
    items on which verdicts agree would seem to differ.
    """
    order = np.argsort(system.astype(np.min_scalar_type(int(system.max()))), kind="stable")
    ends = np.cumsum(np.bincount(system))
    values, item = values[order], item[order]
    tested: dict[int, float] = {}
    for one, (begin, end) in enumerate(pairwise([0, *ends.tolist()])):
        of_item = np.bincount(item[begin:end], minlength=len(judged))
        shown = of_item > 0
        sums = np.bincount(item[begin:end], values[begin:end], minlength=len(judged))
        means, theirs = sums[shown] / of_item[shown], judged[shown]
        n = np.array([np.sum(theirs), np.sum(~theirs)])
        if n.min() < ENOUGH_ITEMS or (variance := float(means.var(ddof=1))) < ROUNDING**2:
            continue
        apart = float(means[theirs].mean() - means[~theirs].mean())
        t = apart / sqrt(variance * float((1 / n).sum()))
        tested[one] = t_tail(t, len(means) - 1)
    return dict(zip(tested, holm(np.array([*tested.values()])).tolist(), strict=True))


def check_pairs(verdicts: Tally, of_people: Flags) -> Sampling | None:
    """Compare how divided verdicts are on the pairs of outputs that people judged and the others.

    A regression on whether people judged it, (C,) flags of verdicts, one for each pair of outputs,
    with a mean for each pair of systems and errors by item.
    """
    judged = of_people.astype(np.float64)
    k, item = len(verdicts.systems), verdicts.factor("item").codes
    divided = 1 - np.abs(verdicts.wins - verdicts.losses)
    _, pair = np.unique(verdicts.left.astype(np.int64) * k + verdicts.right, return_inverse=True)
    n = np.bincount(pair)
    moved, apart = (x - (np.bincount(pair, x) / n)[pair] for x in (judged, divided))
    square = float((moved**2).sum())
    items = [len(np.unique(item[of_people == one])) for one in (True, False)]
    if min(items) < ENOUGH_ITEMS or not square > 0:
        return None
    slope = float((moved * apart).sum()) / square
    scores = np.bincount(item, moved * (apart - slope * moved))
    error = sqrt(float((scores**2).sum())) / square
    if not error > 0:
        return None
    means = (float(divided[of_people == one].mean()) for one in (True, False))
    return Sampling(slope / error, *means)

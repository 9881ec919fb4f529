"""What a pilot says of the campaign to come: tastes, ties, and worths that are drawn together.

Each worth is drawn to the mean by τ²/(τ² + ε²), with τ² the variance between systems that is left
when errors are taken off and ε² that of an error (Efron & Morris 1975, JASA 70:311-319). Tastes
pull pooled worths towards each other; worths are put back on the scale of one judge and one item.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import Any, Final

import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import leave_out_controls, take_pairs
from evenhand.data.exclusions import Exclusion, list_findings
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows, reads_lower_of
from evenhand.data.ratings import Ratings
from evenhand.data.references import exclude_references
from evenhand.data.results import (
    ITEM,
    ITEM_SYSTEM,
    JUDGE,
    JUDGE_ITEM,
    JUDGE_SYSTEM,
    RESIDUAL,
    SYSTEM,
    Component,
)
from evenhand.data.tally import Tally
from evenhand.design.power import Truth, change_tastes
from evenhand.design.texts import say
from evenhand.errors import NotIdentified, UnknownOption, listing
from evenhand.judges.variance import VarianceComponents, estimate_components
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.means import Adjusted


def find_source(components: VarianceComponents, name: str) -> Component | None:
    """Return a component of ratings or, where it cannot be told from another, that one."""
    named = components.find(name)
    if named is not None or not components.rated:
        return named
    return next((one for one in components.components if name in one.carries), None)


MIN_JUDGES: Final = 10  # Judges of a pilot below which tastes are hardly known


@dataclass(frozen=True, eq=False)
class Pilot:
    truth: Truth  # systems with worths drawn together, ties and tastes
    components: VarianceComponents  # what the pilot says of variances
    shrinkage_factor: float  # share of differences between pooled worths that is left
    # standard error of a difference of two pooled log-worths, or of two adjusted mean scores, in
    # the pilot
    gap_stderr: float
    says: tuple[str, ...]  # sentences
    notes: tuple[str, ...]  # what must stand beside the plan

    def worst(self, truth: Truth | None = None) -> Truth | None:
        """Return a truth with tastes as strong as the pilot cannot exclude; None if unbounded."""
        # Answers of all judges together are as the pilot observed them: one judge's worths are
        # further apart then.
        truth, sds = truth or self.truth, []
        for name, sd in ((JUDGE_SYSTEM, truth.judge_sd), (ITEM_SYSTEM, truth.item_sd)):
            component, upper = self.components.find(name), 0.0
            if component is not None:
                upper = component.sd if component.upper is None else component.upper
            sds.append(max(upper, sd))
        return change_tastes(truth, *sds) if all(isfinite(sd) for sd in sds) else None

    def to_dict(self) -> dict[str, Any]:
        components = self.components
        return {
            "signature": components.signature,
            "observed": dict(vars(components.observed)),
            "components": list(components.to_dict()["components"]),
            "kept": self.shrinkage_factor,
            "gap_stderr": self.gap_stderr,
            "says": list(self.says),
        }


def _measure_worths(tally: Tally) -> Truth:
    tied = bool(tally.ties.any())
    fit = BradleyTerry(ties="davidson" if tied else "discard").fit(tally)
    tie = float(np.exp(fit.estimate[fit.names.index("g1")])) if tied else 0.0
    return Truth(fit.systems, tuple(fit.log_worth.tolist()), tie / (2 + tie))


def _measure_points(
    rows: RatingRows, components: VarianceComponents, tastes: tuple[Component | None, ...]
) -> Truth:
    fit, noise = Adjusted().fit(rows), (JUDGE_ITEM, RESIDUAL)
    estimate = fit.estimate.round(9)  # equal ones differ in their last digits
    better = tuple((-estimate if reads_lower_of(rows) else estimate).tolist())
    chance = [one for one in components.components if one.name in noise and one not in tastes]
    return Truth(fit.systems, better, noise_sd=sqrt(sum(one.variance for one in chance)))


def _advise(data: Comparisons | Rankings | Ratings, components: VarianceComponents) -> list[str]:
    """Say what to do where a pilot says nothing of judges: name them, or state what is known."""
    unnamed = [role for role in ("judge", "item") if not data.has(role)]
    columns = " ".join(f"--column {role}=NAME" for role in unnamed)
    stated = f"--systems {max(components.observed.systems, 2)} --gap 0.5 --judge-sd 0.5"
    if isinstance(data, Ratings):
        residual = components.find(RESIDUAL)
        noise = 1.0 if residual is None or not residual.sd else residual.sd
        stated = f"--unit points --systems {max(components.observed.systems, 2)}"
        stated += f" --gap {noise / 2:.2g} --judge-sd {noise / 4:.2g} --noise-sd {noise:.2g}"
    return [
        *([f"name {' and '.join(f'{role}s' for role in unnamed)} ({columns})"] * bool(unnamed)),
        f"plan without a pilot, with numbers of your own (evenhand plan {stated})",
    ]


def _estimate(
    table: Comparisons | RatingRows, data: Comparisons | Rankings | Ratings
) -> VarianceComponents:
    """Estimate variances; a refusal names no option that plans do not have."""
    try:
        return estimate_components(table if isinstance(table, RatingRows) else data)
    except NotIdentified as refusal:
        if isinstance(table, RatingRows):
            raise
        stated = f"evenhand plan --systems {len(table.tally().systems)} --gap 0.5 --judge-sd 2"
        advice = [
            *refusal.without_options("--method").remedies,
            "plan without a pilot, with the sd of judges that evenhand variance --method likelihood"
            f" finds ({stated})",
        ]
        raise NotIdentified(refusal.cause, advice) from None


def learn_from_pilot(data: Comparisons | Rankings | Ratings, *, gap_stated: bool = False) -> Pilot:
    """Take systems, ties and tastes from a pilot, whose differences need not be known if stated."""
    if not isinstance(data, Comparisons | Rankings | Ratings):
        raise UnknownOption("a pilot is comparisons, rankings or ratings: open it by evenhand.read")
    table = leave_out_controls(data).rows() if isinstance(data, Ratings) else take_pairs(data)
    references: tuple[Exclusion, ...] = ()
    if isinstance(table, RatingRows):
        table, references = exclude_references(table, None)
    criteria = table.list_present("criterion") if isinstance(table, RatingRows) else []
    tasks = table.list_present("task") if isinstance(table, RatingRows) else table.tasks()
    for plural, name, levels in (("tasks", "task", tasks), ("criteria", "criterion", criteria)):
        if len(levels) > 1:
            raise UnknownOption(
                f"the pilot holds {len(levels)} {plural}, {listing(levels, 12)}: name one of them"
                f" (--{name} NAME, in Python evenhand.read(..., where=\"{name} = 'NAME'\"))"
            )
    components = _estimate(table, data)
    judge = find_source(components, JUDGE_SYSTEM)
    item, system = find_source(components, ITEM_SYSTEM), components.find(SYSTEM)
    if judge is None or system is None or components.stderr is None:
        raise NotIdentified(
            "the pilot says nothing of how judges differ:"
            f" {'; '.join(components.reasons or components.notes)}",
            _advise(data, components),
        )
    if system.sd == 0 and not gap_stated:
        raise NotIdentified(
            "the pilot shows no differences between systems beyond its errors",
            ["collect a larger pilot", "state the gap that matters to you (--gap, in Python gap=)"],
        )
    of_judges, of_items = judge.sd, 0.0 if item is None or item is judge else item.sd
    stderr, lower = components.stderr, False
    if isinstance(table, RatingRows):
        measured, lower = _measure_points(table, components, (judge, item)), reads_lower_of(table)
        # what adjusting removes is no error
        stderr = sqrt(sum(v for name, v in components.parts.items() if name not in (JUDGE, ITEM)))
    else:
        measured = _measure_worths(table.tally())
    estimate = measured.worth
    between, error = system.variance / components.growth, stderr**2 / 2
    shrinkage = between / (between + error) if between else 0.0
    centred = (estimate - estimate.mean()) * shrinkage
    order = np.argsort(-estimate, kind="stable").tolist()
    systems = tuple(measured.systems[place] for place in order)
    worths = tuple(centred[order].tolist())
    pooled = replace(measured, systems=systems, log_worth=worths)
    truth = change_tastes(pooled, of_judges, of_items)
    item_name = ITEM_SYSTEM if item is None else item.name
    confounded = say("pilot-items-confounded", source=item_name, sd=of_items)
    remarks = (
        (judge.levels < MIN_JUDGES, say("pilot-judges-few", judges=judge.levels)),
        (lower, say("pilot-lower")),
        (item is None, say("pilot-without-items")),
        (item_name != ITEM_SYSTEM, confounded),
    )
    notes = [*components.reasons, *components.notes, *(one for holds, one in remarks if holds)]
    notes += list_findings((), references)
    counts = components.observed
    if counts.comparisons != counts.judgments:
        notes.append(say("pilot-of-rankings", comparisons=counts.comparisons / counts.judgments))
    answers = {"judgments": counts.judgments, "judges": counts.judges, "items": counts.items}
    sentences = [say("pilot", **answers)]
    if not gap_stated:
        sentences.append(say("pilot-shrinkage", share=shrinkage, error=stderr))
    for name, sd in ((JUDGE_SYSTEM, truth.judge_sd), (ITEM_SYSTEM, truth.item_sd)):
        part = components.find(name)
        if part is not None and part.lower is not None and part.upper is not None:
            code = "pilot-tastes" if isfinite(part.upper) else "pilot-tastes-unbounded"
            ends = {"lower": part.lower, "upper": part.upper}
            sentences.append(say(code, name=name, sd=sd, level=100 * components.level, **ends))
    return Pilot(truth, components, shrinkage, stderr, tuple(sentences), tuple(notes))

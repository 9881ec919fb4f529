"""What a pilot says of the campaign to come: tastes, ties, and worths that are drawn together.

Worths as a pilot estimates them are too far apart, since errors add to their differences. Each is
drawn to the mean by τ²/(τ² + ε²), with τ² the variance between systems that is left when errors are
taken off and ε² that of an error (James & Stein 1961; Efron & Morris 1975, Data analysis using
Stein's estimator and its generalizations, JASA 70:311-319). Tastes pull pooled worths towards each
other; worths are put back on the scale of one judge and one item.

When not to use it: to plan for systems that the pilot did not show, unless they are much like them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import take_pairs
from evenhand.data.rankings import Rankings
from evenhand.data.results import ITEM_SYSTEM, JUDGE_SYSTEM, SYSTEM
from evenhand.design.power import Truth, change_tastes
from evenhand.design.texts import say
from evenhand.errors import NotIdentified, UnknownOption, listing
from evenhand.judges.variance import VarianceComponents, estimate_components
from evenhand.models.bradley_terry import BradleyTerry

MIN_JUDGES: Final = 10  # Judges of a pilot below which tastes are hardly known


@dataclass(frozen=True, eq=False)
class Pilot:
    truth: Truth  # systems with worths drawn together, ties and tastes
    components: VarianceComponents  # what the pilot says of variances
    shrinkage_factor: (
        float  # share of differences between pooled worths that is left (a proportion)
    )
    gap_stderr: float  # standard error of a difference of two pooled log-worths in the pilot
    says: tuple[str, ...]  # sentences
    notes: tuple[str, ...]  # what must stand beside the plan

    def worst(self) -> Truth | None:
        """Return the truth with tastes as strong as the pilot cannot exclude; None if unbounded."""
        # Answers of all judges together are as the pilot observed them: one judge's worths are
        # further apart then.
        truth, sds = self.truth, []
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


def learn_from_pilot(data: Comparisons | Rankings) -> Pilot:
    if not isinstance(data, Comparisons | Rankings):
        raise UnknownOption(
            "a pilot is comparisons or rankings; of ratings `evenhand variance` says how many"
            " judges and items are enough"
        )
    table = take_pairs(data)
    tasks = table.tasks()
    if len(tasks) > 1:
        raise UnknownOption(
            f"the pilot holds {len(tasks)} tasks, {listing(tasks, 12)}: name one of them (--task)"
        )
    components = estimate_components(data)
    judge, item, system = (components.find(name) for name in (JUDGE_SYSTEM, ITEM_SYSTEM, SYSTEM))
    if judge is None or system is None or components.stderr is None:
        raise NotIdentified(
            f"the pilot says nothing of how judges differ: {'; '.join(components.reasons)}",
            ["name judges and items (--column judge=NAME)", "state gap and judge_sd yourself"],
        )
    if system.sd == 0:
        raise NotIdentified(
            "the pilot shows no differences between systems beyond its errors",
            ["collect a larger pilot", "state the gap that matters to you (gap, judge_sd)"],
        )
    tally = table.tally()
    tied = bool(tally.ties.any())
    fit = BradleyTerry(ties="davidson" if tied else "discard").fit(tally)
    between, error = system.variance / components.growth, components.stderr**2 / 2
    shrinkage = between / (between + error)
    centred = (fit.log_worth - fit.log_worth.mean()) * shrinkage
    order = np.argsort(-centred, kind="stable").tolist()
    tie = float(np.exp(fit.estimate[fit.names.index("g1")])) if tied else 0.0
    pooled = Truth(
        tuple(fit.systems[place] for place in order),
        tuple(float(centred[place]) for place in order),
        tie / (2 + tie),
    )
    truth = change_tastes(pooled, judge.sd, 0.0 if item is None else item.sd)
    notes = [*components.reasons, *components.notes]
    if judge.levels < MIN_JUDGES:
        notes.append(say("pilot-judges-few", judges=judge.levels))
    if item is None:
        notes.append(say("pilot-without-items"))
    counts = components.observed
    if counts.comparisons != counts.judgments:
        notes.append(say("pilot-of-rankings", comparisons=counts.comparisons / counts.judgments))
    answers = {"judgments": counts.judgments, "judges": counts.judges, "items": counts.items}
    sentences = [
        say("pilot", **answers),
        say("pilot-shrinkage", share=shrinkage, error=components.stderr),
    ]
    for name, sd in ((JUDGE_SYSTEM, truth.judge_sd), (ITEM_SYSTEM, truth.item_sd)):
        part = components.find(name)
        if part is not None and part.lower is not None and part.upper is not None:
            code = "pilot-tastes" if isfinite(part.upper) else "pilot-tastes-unbounded"
            ends = {"lower": part.lower, "upper": part.upper}
            sentences.append(say(code, name=name, sd=sd, level=100 * components.level, **ends))
    stderr = components.stderr
    return Pilot(truth, components, shrinkage, stderr, tuple(sentences), tuple(notes))

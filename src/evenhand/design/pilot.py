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

from evenhand.design.power import Truth, change_tastes
from evenhand.errors import NotIdentified, UnknownOption, listing
from evenhand.judges.variance import VarianceComponents, estimate_components
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.components import ITEM_SYSTEM, JUDGE_SYSTEM, SYSTEM, Component
from evenhand.judgments.controls import take_pairs
from evenhand.judgments.rankings import Rankings
from evenhand.models.bradley_terry import BradleyTerry

FEW: Final = 10  # Judges of a pilot below which tastes are hardly known


@dataclass(frozen=True, eq=False)
class Pilot:
    """What a pilot says."""

    truth: Truth  # systems with worths drawn together, ties and tastes
    components: VarianceComponents  # what the pilot says of variances
    # share of the differences between pooled worths that is left when they are drawn together
    # a proportion
    kept: float
    gap_stderr: float  # standard error of a difference of two pooled log-worths in the pilot
    says: tuple[str, ...]  # sentences
    notes: tuple[str, ...]  # what must stand beside the plan

    def worst(self) -> Truth | None:
        """Return the truth with tastes as strong as the pilot cannot exclude; None if unbounded.

        Answers of all judges together are as the pilot observed them: one judge's worths are
        further apart then.
        """
        sds = [_upper(self.components.find(name)) for name in (JUDGE_SYSTEM, ITEM_SYSTEM)]
        if not all(isfinite(one) for one in sds):
            return None
        base = self.truth
        judge, item = max(sds[0], base.judge_sd), max(sds[1], base.item_sd)
        return change_tastes(base, judge, item)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        found = self.components
        return {
            "signature": found.signature,
            "observed": dict(vars(found.observed)),
            "components": list(found.to_dict()["components"]),
            "kept": self.kept,
            "gap_stderr": self.gap_stderr,
            "says": list(self.says),
        }


def learn_from_pilot(data: Comparisons | Rankings) -> Pilot:
    """Take systems, ties and tastes from a pilot."""
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
    found = estimate_components(data)
    judge, item, system = _require(found)
    tally = table.tally()
    tied = bool(tally.ties.any())
    fit = BradleyTerry(ties="davidson" if tied else "discard").fit(tally)
    between, error = system.variance / found.growth, (found.stderr or 0.0) ** 2 / 2
    kept = between / (between + error)
    centred = (fit.log_worth - fit.log_worth.mean()) * kept
    order = np.argsort(-centred, kind="stable").tolist()
    tie = float(np.exp(fit.estimate[fit.names.index("g1")])) if tied else 0.0
    pooled = Truth(
        tuple(fit.systems[place] for place in order),
        tuple(float(centred[place]) for place in order),
        tie / (2 + tie),
    )
    truth = change_tastes(pooled, judge.sd, 0.0 if item is None else item.sd)
    notes = (*found.reasons, *found.notes, *_note(judge, item), *_note_rankings(found))
    return Pilot(truth, found, kept, found.stderr or 0.0, _say(found, truth, kept), notes)


def _require(found: VarianceComponents) -> tuple[Component, Component | None, Component]:
    """Return the components of judges, items and systems."""
    judge, item, system = (found.find(one) for one in (JUDGE_SYSTEM, ITEM_SYSTEM, SYSTEM))
    if judge is None or system is None or found.stderr is None:
        raise NotIdentified(
            f"the pilot says nothing of how judges differ: {'; '.join(found.reasons)}",
            ["name judges and items (--column judge=NAME)", "state gap and judge_sd yourself"],
        )
    if system.sd == 0:
        raise NotIdentified(
            "the pilot shows no differences between systems beyond its errors",
            ["collect a larger pilot", "state the gap that matters to you (gap, judge_sd)"],
        )
    return judge, item, system


def _upper(one: Component | None) -> float:
    if one is None:
        return 0.0
    return one.sd if one.upper is None else one.upper


def _say(found: VarianceComponents, truth: Truth, kept: float) -> tuple[str, ...]:
    seen = found.observed
    said = [
        f"pilot of {seen.judgments:,.0f} judgments by {seen.judges:,} judges on"
        f" {seen.items:,} items",
        f"worths are drawn together to {100 * kept:.0f} % of their differences: the rest is what"
        f" errors of the pilot add ({found.stderr:.2g} for one difference)",
    ]
    for name, sd in ((JUDGE_SYSTEM, truth.judge_sd), (ITEM_SYSTEM, truth.item_sd)):
        one = found.find(name)
        if one is not None and one.lower is not None and one.upper is not None:
            high = f"{one.upper:.2f}" if isfinite(one.upper) else "no bound"
            said.append(
                f"{name}: sd {sd:.2f}, {100 * found.level:g} % interval {one.lower:.2f} to {high}"
            )
    return tuple(said)


def _note(judge: Component, item: Component | None) -> list[str]:
    notes = []
    if judge.levels < FEW:
        notes.append(
            f"{judge.levels} judges of a pilot hardly show how far judges differ: plan with a"
            " larger judge_sd too"
        )
    if item is None:
        notes.append("the pilot says nothing of items: they are taken to be alike (item_sd)")
    return notes


def _note_rankings(found: VarianceComponents) -> list[str]:
    """Say that a ranking is not a judgment of the plan."""
    seen = found.observed
    if seen.comparisons == seen.judgments:
        return []
    return [
        f"the pilot holds rankings, {seen.comparisons / seen.judgments:.1f} comparisons each; the"
        " plan counts single comparisons of two systems"
    ]

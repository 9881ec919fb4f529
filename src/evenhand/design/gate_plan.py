"""How many judges and judgments a gate needs: its power by simulation.

A closed form (`expected_power`) finds how many judgments pass it as often as wanted; then campaigns
are drawn and decided as `gate` does, and the design grows where they fall short. Campaigns of a new
system that is worse by just the margin are drawn as well: of these, α pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import count
from math import isfinite
from typing import Any, Final

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

from evenhand.data.controls import Openable, carries_excluded
from evenhand.data.exclusions import Exclusion, list_findings, sign_excluded
from evenhand.data.results import JUDGE_SYSTEM, Shown
from evenhand.design.expected_power import (
    JUDGES,
    PowerInputs,
    find_df,
    find_power,
    predict_errors,
    refuse_idle_judges,
    refuse_repeated,
)
from evenhand.design.pilot import learn_from_pilot
from evenhand.design.plan import find_growth, say_design
from evenhand.design.power import (
    CAMPAIGNS,
    MOST,
    Design,
    Progress,
    Truth,
    average_answers,
    bound_share,
    rank_drawn,
)
from evenhand.design.spec import CampaignSpec, check_settings, make_spec
from evenhand.design.texts import say
from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.numerics.distributions import t_quantile
from evenhand.ranking.clustering import write_below
from evenhand.ranking.gate import CODES, Decision, decide
from evenhand.ranking.intervals import MIN_CLUSTERS
from evenhand.ranking.plans import SHARES, Asked, find_delta
from evenhand.render.document import Column, Document, Finding, Table, plural, write_signature

NEW, OLD = "new", "old"
USUAL_JUDGES: Final = 20
FARTHEST: Final = 50.0  # log-worths between which a margin is solved
ROUNDS: Final = 4  # of simulation, where no size is stated
UNFIT: Final = ("systems", "worths", "resolve", "level", "compare")  # settings of other plans


@dataclass(frozen=True)
class Decisions:
    truth: str  # what the new system is
    gap: float  # how much better it is, in log-worth of one judge, or points
    campaigns: int
    passed: int
    worse: int
    undecided: int

    def to_dict(self) -> dict[str, Any]:
        """Return counts as proportions, with the interval of those that pass."""
        shares = {str(name): getattr(self, name) / self.campaigns for name in CODES}
        ends = dict(zip(("lower", "upper"), bound_share(self.passed, self.campaigns), strict=True))
        return {"truth": self.truth, "gap": self.gap, "campaigns": self.campaigns, **shares, **ends}


@dataclass(frozen=True, eq=False, repr=False)
class GatePlan(Shown):
    """What a gate needs."""

    margin: float
    alpha: float
    spec: CampaignSpec
    design: Design
    expected: float  # chance to pass, in closed form
    decisions: tuple[Decisions, ...]  # by simulation: worse by the margin, as stated
    panels: tuple[tuple[Design, float], ...]  # the fewest judgments of each panel, and its cost
    signature: str
    excluded: tuple[Exclusion, ...] = ()  # from the pilot

    @property
    def power(self) -> float:
        """How often the new system passes, by simulation if there is one (proportion)."""
        if not self.decisions:
            return self.expected
        last = self.decisions[-1]
        return last.passed / last.campaigns

    @property
    def notes(self) -> tuple[Finding, ...]:
        """Return which ties and standard deviations were not stated."""
        truth, assumed = self.spec.truth, self.spec.assumed
        if not assumed:
            return ()
        values = {"ties": truth.ties, **truth.sds}
        sds = ", ".join(f"{name} = {values[name]:g}" for name in assumed)
        return (say("assumed" if truth.rated else "assumed-alike", sds=sds),)

    def document(self) -> Document:
        """Return what people read: the design, what it decides, other panels."""
        truth, spec = self.spec.truth, self.spec
        rated = truth.rated
        margin = f"{self.margin:g} points" if rated else f"{100 * self.margin:g} % of comparisons"
        gap = truth.log_worth[0]
        answer = say(
            "gate-power",
            design=say_design(self.design, truth),
            power=self.power,
            what="as good as the old one" if not gap else f"better by {gap:g} {truth.unit}",
        )
        n = self.decisions[-1].campaigns if self.decisions and not spec.is_sized else 0
        short = self.power < spec.power - (n and (spec.power * (1 - spec.power) / n) ** 0.5)
        decided = (
            Column("truth", "if the new system is", "name"),
            Column("passed", "passed", "share"),
            Column(("lower", "upper"), "95 % interval", "interval share"),
            Column("worse", "worse", "share"),
            Column("undecided", "undecided", "share"),
        )
        panels = (
            Column("judges", "judges", "count"),
            Column("judgments", "judgments", "count"),
            Column("each", "of each judge", "integer"),
            *([Column("cost", "cost", "integer")] * spec.prices.stated),
        )
        rows = tuple(
            {
                "judges": one.judges,
                "judgments": one.judgments,
                "each": one.judgments / one.judges,
                "cost": cost,
            }
            for one, cost in self.panels
        )
        tables = (
            Table(
                "decisions",
                "What the gate decides",
                decided,
                tuple(one.to_dict() for one in self.decisions),
            ),
            Table(
                "panels",
                f"The fewest judgments that pass it with {100 * spec.power:g} %",
                panels,
                rows,
                legend=("in closed form, scaled by simulation; smaller panels do not suffice",),
            ),
        )
        return Document(
            basis=say(
                "gate-basis",
                margin=margin,
                alpha=self.alpha,
                source=spec.source,
                sds=", ".join(
                    f"{name.replace('_', ' ')} {sd:.3g}" for name, sd in truth.sds.items()
                ),
            ),
            answer=(answer, *([say("gate-short", wanted=spec.power)] * short)),
            parts=tuple(one for one in tables if one.rows),
            findings=list_findings(self.notes, self.excluded),
            signature=sign_excluded(self.signature, self.excluded),
        )


@carries_excluded("controls", argument="pilot")
def plan_gate(
    margin: float,
    settings: Mapping[str, Any] | None = None,
    *,
    alpha: float = 0.05,
    pilot: Openable | None = None,
    campaigns: int = CAMPAIGNS,
    progress: Progress | None = None,
) -> GatePlan:
    """Say how many judges and judgments let a new system pass a gate.

    Args:
        margin: as of `gate`.
        settings: as of `plan_campaign`, without systems; `gap` says how much better the new system
            is (0 by default), `power` how often it is to pass.
        alpha: as of `gate`.
        pilot: judgments from which ties and tastes are taken.
        campaigns: how many are simulated for each truth; 0 for the closed form alone.
        progress: called with campaigns done and to do.

    Raises:
        UnknownOption: a setting that does not exist or does not fit.
        NotIdentified: no number of judgments lets it pass as often as wanted.

    >>> plan = plan_gate(0.1, {"judges": 10, "judge_sd": 0.2}, campaigns=0)
    >>> plan.design.judges, plan.expected >= 0.8
    (10, True)
    """
    settings = dict(settings or {})
    for name in UNFIT:
        if name in settings:
            raise UnknownOption(f"a gate is between two systems at its own α: leave out {name}")
    if campaigns < 0 or campaigns == 1:
        raise UnknownOption(f"campaigns cannot be {campaigns}: two or more, or 0 for none")
    asked = Asked.take({"new": NEW, "old": OLD, "margin": margin, "alpha": alpha})
    spec = make_gate_spec(settings, pilot)
    if not spec.truth.rated:
        find_delta(margin)
    search = GateSearch(spec, find_worse(spec.truth, margin), alpha)
    enough = design = search.find()
    decisions: tuple[Decisions, ...] = ()
    tell = progress or (lambda *_: None)
    for _ in range(ROUNDS if campaigns else 0):
        design = enough
        steps = (campaigns, lambda done: tell(done, 2 * campaigns))
        decisions = (simulate_gate(spec, spec.truth, design, asked, steps),)
        power = decisions[0].passed / campaigns
        error = float((spec.power * (1 - spec.power) / campaigns) ** 0.5)
        critical = t_quantile(1 - alpha, find_df(design))
        larger = round(design.judgments * find_growth(power, spec.power, critical))
        if spec.is_sized or power >= spec.power - error or larger > MOST:
            break
        enough = search.size(design.judges, min(larger, search.count_most(design.judges)))
        if enough.judgments <= design.judgments:
            break
    if decisions:
        steps = (campaigns, lambda done: tell(campaigns + done, 2 * campaigns))
        null = simulate_gate(spec, search.null, design, asked, steps)
        decisions = (replace(null, truth="worse by the margin"), *decisions)
    panels = search.list_panels(enough)
    described = f"plan gate, margin {margin:g}, alpha {alpha:g}, power {spec.power:g}"
    return GatePlan(
        margin=margin,
        alpha=alpha,
        spec=spec,
        design=design,
        expected=search.expect(design),
        decisions=decisions,
        panels=tuple((one, spec.prices.cost(one)) for one in panels),
        signature=write_signature(
            [described, f"{campaigns} campaigns", f"seed={spec.seed}"],
            design.judgments,
            sha256(repr((spec.truth, design, spec.prices)).encode()).hexdigest(),
            judges=design.judges,
        ),
    )


def make_gate_spec(settings: Mapping[str, Any], pilot: object | None) -> CampaignSpec:
    """Return a spec of a new and an old system, tastes and ties from a pilot where there is one."""
    check_settings(settings)
    gap = settings.get("gap", 0.0)
    names = {"systems": [NEW, OLD], "gap": gap}
    if pilot is None:
        spec = make_spec({**settings, **names})
        known = [*([] if spec.truth.rated else ["ties"]), *spec.truth.sds]
        assumed = tuple(name for name in known if name not in settings)
        every = len(assumed) == len(known)
        source = ("as assumed" if every else "partly as assumed") if assumed else spec.source
        return replace(spec, assumed=assumed, source=source)
    learned = learn_from_pilot(pilot, gap_stated=True)  # type: ignore[arg-type]
    truth = replace(learned.truth, systems=(NEW, OLD), log_worth=(float(gap), 0.0))
    source = "ties and tastes from the pilot"
    if truth.judge_sd == 0 and "judge_sd" not in settings:
        # the largest that the pilot does not exclude
        judges = learned.components.find(JUDGE_SYSTEM)
        if judges is None or judges.upper is None or not isfinite(judges.upper):
            raise NotIdentified(
                "the pilot does not show how far judges differ",
                ["collect a larger pilot", "state it (--judge-sd SD, in a file judge_sd = SD)"],
            )
        truth = replace(truth, judge_sd=judges.upper)
        source += ", judge sd at the end of its interval, which begins at 0"
    start = CampaignSpec(truth, source=source)
    return make_spec({name: one for name, one in settings.items() if name != "gap"}, start)


def find_worse(truth: Truth, margin: float) -> float:
    """Return the gap at which the new system is worse by just the margin to all judges together."""
    from scipy.optimize import brentq

    if truth.rated:
        return -margin

    def beyond(gap: float) -> float:
        chances, _ = average_answers(np.array([gap]), truth)
        return float(chances[0, 0] + chances[1, 0] / 2) - (0.5 - margin)

    return float(brentq(beyond, -FARTHEST, FARTHEST, xtol=1e-12)) if margin else 0.0


@dataclass(frozen=True)
class GateSearch:
    spec: CampaignSpec
    worst: float  # the gap that just must not pass
    alpha: float

    @cached_property
    def null(self) -> Truth:
        return replace(self.spec.truth, log_worth=(self.worst, 0.0))

    @cached_property
    def inputs(self) -> PowerInputs:
        return predict_errors(self.spec.truth, self.size(USUAL_JUDGES, MOST))

    @cached_property
    def apart(self) -> float:
        """How far the stated gap is from the one that must not pass, as estimates show it."""
        worst = predict_errors(self.null, self.size(USUAL_JUDGES, MOST))
        return float(self.inputs.apart[0, 1] - worst.apart[0, 1])

    def size(self, judges: int, judgments: int) -> Design:
        """Return a design of so many judgments, each output or pair on an item of its own."""
        if judges == MIN_CLUSTERS:  # with uneven loads they would be fewer effective ones
            judgments += -judgments % judges
        return self.spec.design(judges, self.spec.items or MOST, judgments)

    def count_most(self, judges: int) -> int:
        return self.spec.count_most(judges, self.spec.items or MOST)

    def expect(self, design: Design) -> float:
        """Return the chance to pass (proportion)."""
        error = float(sum(part[0, 1] for part in self.inputs.vary(design).values())) ** 0.5
        df = find_df(design)
        size = np.array([self.apart / error])
        return float(find_power(size, t_quantile(1 - self.alpha, df), df)[0])

    def need(self, judges: int) -> Design | None:
        """Return the smallest design of a panel that passes often enough; None if none does."""
        if judges < self.spec.overlap or count_effective(self.size(judges, MOST)) < MIN_CLUSTERS:
            return None
        low = judges * self.spec.overlap * self.spec.repeats
        high = self.count_most(judges)
        if low > high or self.expect(self.size(judges, high)) < self.spec.power:
            return None
        while high - low > max(1, low // 200):
            middle = (low + high) // 2
            does = self.expect(self.size(judges, middle)) >= self.spec.power
            low, high = (low, middle) if does else (middle, high)
        return self.size(judges, high)

    @cached_property
    def sized(self) -> list[Design]:
        return [one for one in map(self.need, JUDGES) if one is not None]

    def list_panels(self, found: Design) -> list[Design]:
        """Return the smallest design of each panel, as many times as large as simulation asked."""
        closed = None if self.spec.is_sized else self.need(found.judges)
        times = 1.0 if closed is None else found.judgments / closed.judgments
        sizes = [(one.judges, min(round(times * one.judgments), MOST)) for one in self.sized]
        fewest = min((n for _, n in sizes), default=0)
        # more judges than judgments that suffice would have one each, and some none
        return [
            self.size(judges, n)
            for judges, n in sizes
            if judges <= fewest and n <= self.count_most(judges)
        ]

    def find(self) -> Design:
        """Return the stated design; where the number of judgments is missing, the fewest."""
        spec = self.spec
        judges = spec.judges or USUAL_JUDGES
        stated = spec.judgments or (spec.each or 0) * judges
        design = spec.design(judges, spec.items or MOST, stated or MOST)
        effective = count_effective(design)
        if effective < MIN_CLUSTERS:
            panels = (replace(design, judges=more) for more in count(max(judges, design.overlap)))
            enough = next(x.judges for x in panels if count_effective(x) >= MIN_CLUSTERS)
            uneven = f" ({write_below(effective, MIN_CLUSTERS)} effective)"
            raise NotIdentified(
                f"{plural(judges, 'judge')}{uneven * (judges >= MIN_CLUSTERS)} are too few to stand"
                " for others: a gate decides nothing by them, unless it asks about these alone"
                " (gate --cluster item), which has no plan",
                [f"plan {enough} judges or more, better 10"],
            )
        if self.apart <= 0:
            raise NotIdentified(
                "a new system that is no better than what must not pass cannot pass",
                ["say how much better it is (--gap, in Python gap=)", "state a larger margin"],
            )
        if stated:
            refuse_idle_judges(design)
            refuse_repeated(spec, design)
            return design
        if spec.judges is not None:
            found = self.need(judges)
        elif spec.prices.stated:
            found = min(self.sized, key=spec.prices.cost, default=None)
        else:  # few judges, where many would not spare half of the judgments
            usual = [one for one in self.sized if one.judges >= USUAL_JUDGES]
            most = 2 * min((one.judgments for one in usual), default=0)
            found = next((one for one in usual if one.judgments <= most), None)
        if found is None:
            raise NotIdentified(
                f"no number of judgments of {judges} judges lets it pass with"
                f" {100 * spec.power:g} %: their tastes leave too much open (judge sd"
                f" {spec.truth.judge_sd:.3g}{', assumed' * ('judge_sd' in spec.assumed)})",
                [
                    "plan more judges",
                    "state another sd of their tastes (--judge-sd SD, in a file judge_sd = SD)",
                    "state a larger margin before votes are known",
                ],
            )
        refuse_repeated(spec, found)
        return found


def count_effective(design: Design) -> float:
    """Return (Σ n)²/Σ n² of judges, by the judgments that equal loads do give, to the last one."""
    if design.loads != "equal":
        return design.effective_judges
    each, more = divmod(design.judgments, design.judges)
    return design.judgments**2 / (design.judges * each**2 + more * (2 * each + 1))


def simulate_gate(
    spec: CampaignSpec,
    truth: Truth,
    design: Design,
    asked: Asked,
    campaigns: tuple[int, Callable[[int], None]],
) -> Decisions:
    """Draw campaigns, decide each as `gate` does, and count."""
    number, step = campaigns
    counts: dict[Decision, int] = dict.fromkeys(CODES, 0)
    for one in range(number):
        rng = Generator(PCG64(SeedSequence([spec.seed, one])))
        try:
            ranking = rank_drawn(truth, design, rng, spec.seed, model=SHARES)
            counts[decide(ranking, asked, None, spec.seed).decision] += 1
        except (NotIdentified, NotConverged):
            counts["undecided"] += 1
        step(one + 1)
    gap = truth.log_worth[0]
    named = f"better by {gap:g} {truth.unit}" if gap else "as good"
    return Decisions(named, gap, number, counts["passed"], counts["worse"], counts["undecided"])

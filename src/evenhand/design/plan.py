"""From a spec to a plan: searched in closed form, confirmed by simulation."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from math import ceil, exp, sqrt
from typing import Any, Final

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import OF_SYSTEMS, Openable, carries_excluded
from evenhand.data.exclusions import Exclusion, sign_excluded, write_contract, write_document
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.data.results import Shown
from evenhand.design.expected_power import (
    JUDGES,
    Expected,
    PowerInputs,
    Search,
    expect,
    find_df,
    find_size,
    predict_errors,
)
from evenhand.design.pilot import Pilot, learn_from_pilot
from evenhand.design.power import (
    CAMPAIGNS,
    Design,
    Progress,
    Simulated,
    Truth,
    bound_share,
    name_pair,
    simulate_power,
)
from evenhand.design.spec import CampaignSpec, is_rated, make_spec
from evenhand.design.texts import say
from evenhand.errors import NotIdentified, UnknownOption, listing
from evenhand.numerics.distributions import normal_quantile
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    Text,
    exactly,
    plural,
    write_signature,
)

# What a plan holds: a design, its power pair by pair, what it costs and what would be cheaper.

# How far power in closed form and by simulation may differ before it is said
MAX_DIFFERENCE: Final = 0.05


@dataclass(frozen=True)
class Point:
    judgments: int  # n
    judges: int  # J
    weakest: float  # power of the pair that is hardest to decide (proportion)
    mean: float  # mean power of the pairs that are to be decided


@dataclass(frozen=True)
class Round:
    """A size that was simulated on the way to the design."""

    judgments: int  # n
    expected: float  # power of the pair that is hardest to decide, in closed form (proportion)
    power: float  # the same by simulation
    campaigns: int  # that were simulated
    unranked: int  # campaigns whose worths had no estimate

    @property
    def is_contradicted(self) -> bool:
        """Whether the closed form expects more than simulation can be reconciled with."""
        upper = bound_share(round(self.power * self.campaigns), self.campaigns)[1]
        return self.expected > upper + MAX_DIFFERENCE


@dataclass(frozen=True)
class PairPower:
    pair: str  # the better, then the other, for people: names may hold " > " themselves
    better: str  # the better system
    worse: str  # the other
    gap: float  # difference in log-worth, of one judge on one item, or in points
    # share of judgments for the better, of those with a preference; None for ratings
    chance: float | None
    expected: float  # power in closed form
    power: float | None  # power by simulation, or None
    lower: float | None  # lower end of its interval
    upper: float | None  # upper end
    false: int | None  # campaigns in which it was decided the wrong way, or None
    asked: bool  # whether it is to be decided

    @property
    def best(self) -> float:
        """Power by simulation, else in closed form."""
        return self.expected if self.power is None else self.power


@dataclass(frozen=True)
class PairGain:
    """What verdicts of an LLM judge add to the judgments of one pair of systems.

    Angelopoulos, Duchi and Zrnic (2023), PPI++: the mean of n answers has 1/(1 − ρ² N/(n + N))
    times the variance of that with N verdicts on other outputs.
    """

    pair: str  # the better, then the other
    correlation: float  # ρ of answers of people and LLM, which both prefer the better as often
    gain: float  # as how many judgments one counts, where each is of another item


@dataclass(frozen=True, eq=False, repr=False)
class CampaignPlan(Shown):
    """A plan.

    Attributes:
        spec: what was asked.
        design: who judges what.
        predicted: what holds whatever the size.
        expected: of the design, in closed form.
        simulated: the same by simulation, of this very design, or None.
        rounds: the sizes that were simulated, the design the last.
        by_judgments: power by judgments.
        by_judges: power by judges, each with the planned load.
        frontier: fewest judgments for each number of judges.
        overlaps: other overlaps and repeats of as many judgments, with the power of the weakest
            pair.
        enough: what would do, where the stated design does not.
        pilot: what a pilot says, or None.
        worst: power of the weakest pair if tastes are as strong as the pilot cannot exclude.
        llm: how often an LLM judge agrees with people on the answer to a pair (proportion), and
            its verdicts on outputs that people do not judge; or None.
        limited: whether no more is simulated than takes some 20 seconds.
    """

    spec: CampaignSpec
    design: Design
    predicted: PowerInputs
    expected: Expected
    simulated: Simulated | None
    rounds: tuple[Round, ...]
    by_judgments: tuple[Point, ...]
    by_judges: tuple[Point, ...]
    frontier: tuple[Design, ...]
    overlaps: tuple[tuple[Design, float], ...]
    enough: Design | None
    pilot: Pilot | None
    worst: float | None
    excluded: tuple[Exclusion, ...] = ()
    llm: tuple[float, int] | None = None
    limited: bool = False

    @cached_property
    def gains(self) -> tuple[PairGain, ...]:
        """What verdicts add to each pair that is to be decided; none without an LLM judge."""
        if self.llm is None:
            return ()
        (agreement, verdicts), gains = self.llm, []
        share = verdicts / (self.design.judgments + verdicts)
        for one in self.asked:
            chance = 0.5 if one.chance is None else one.chance
            correlation = max(0.0, 1 - (1 - agreement) / (2 * chance * (1 - chance)))
            gain = 1 / max(1 - correlation**2 * share, 1e-9)
            gains.append(PairGain(one.pair, correlation, gain))
        return tuple(gains)

    @cached_property
    def detectable(self) -> float | None:
        """The least difference of two systems that the design is expected to decide, in points.

        With the power that is asked for, by the test of all pairs together; None for comparisons,
        whose errors depend on how far systems are apart.
        """
        if not self.spec.truth.rated:
            return None
        size = find_size(self.spec.power, self.expected.critical, find_df(self.design))
        return size * sqrt(sum(self.variance.values()))

    @property
    def judges_each(self) -> float:
        """How many judges see an output, or pair, of those that are seen."""
        design = self.design
        times = design.outputs * design.overlap / (design.items * self.spec.kinds)
        return max(design.overlap, round(times, 1))

    @property
    def cost(self) -> float:
        """What the design costs."""
        return self.spec.prices.cost(self.design)

    @cached_property
    def pairs(self) -> tuple[PairPower, ...]:
        """All pairs that differ, those to be decided first, the hardest first."""
        truth, simulated = self.spec.truth, self.simulated
        targets, worth, places = set(self.spec.targets), truth.log_worth, range(len(truth.systems))
        pairs = []
        for pair in ((a, b) for a in places for b in places if worth[a] > worth[b]):
            better, worse = (truth.systems[place] for place in pair)
            power, lower, upper, false, chance = None, None, None, None, None
            if simulated is not None:
                power, (lower, upper) = float(simulated.power[pair]), simulated.interval(*pair)
                false = int(simulated.false[pair])
            if not truth.rated:
                chance = 1 / (1 + exp(-float(self.predicted.apart[pair])))
            gap, expected = worth[pair[0]] - worth[pair[1]], float(self.expected.power[pair])
            named, of_both = (name_pair(truth, pair), better, worse), (gap, chance, expected)
            asked = pair in targets
            pairs.append(PairPower(*named, *of_both, power, lower, upper, false, asked))
        return tuple(sorted(pairs, key=lambda one: (not one.asked, one.expected, one.best)))

    @cached_property
    def variance(self) -> dict[str, float]:
        """What judges, items and chance add to the variance of the weakest pair."""
        truth = self.spec.truth
        pair = truth.find(self.weakest.better), truth.find(self.weakest.worse)
        parts = self.predicted.vary(self.design)
        return {name: float(matrix[pair]) for name, matrix in parts.items()}

    @property
    def asked(self) -> tuple[PairPower, ...]:
        """The pairs that are to be decided, the hardest first."""
        return tuple(one for one in self.pairs if one.asked)

    @property
    def weakest(self) -> PairPower:
        """The pair that is hardest to decide, of those that are to be."""
        return min(self.asked, key=lambda one: one.best)

    @property
    def falls_short(self) -> bool:
        """Whether simulated power is below what was asked by more than chance explains."""
        upper = self.weakest.upper
        return upper is not None and upper < self.spec.power

    @property
    def is_contradicted(self) -> bool:
        """Whether the closed form expects more than simulation can be reconciled with.

        Of the design, or of a smaller one that was simulated before it.
        """
        if any(one.is_contradicted for one in self.rounds[:-1]):
            return True
        low = self.weakest
        return low.upper is not None and low.expected > low.upper + MAX_DIFFERENCE

    @property
    def signature(self) -> str:
        """One line that reproduces it."""
        spec, simulated = self.spec, self.simulated
        pilot = None if self.pilot is None else self.pilot.components.signature
        kinds = (spec.truth, spec.pairs, self.design, spec.resolve, spec.prices, pilot)
        digest = sha256(repr(kinds).encode()).hexdigest()
        how = "closed form" if simulated is None else f"{simulated.campaigns} campaigns"
        shares = (f"power {exactly(spec.power)}", f"level {exactly(spec.level)}")
        parts, design = ["plan", spec.source, *shares, how, f"seed={spec.seed}"], self.design
        signature = write_signature(parts, design.judgments, digest, judges=design.judges)
        return sign_excluded(signature, self.excluded)

    @cached_property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        pilot = () if self.pilot is None else self.pilot.says
        verdicts = self._say_gains()
        return (*self._say_answer(), *self._say_details(), *verdicts, *_say_enough(self), *pilot)

    def _say_gains(self) -> list[Finding]:
        if self.llm is None:
            return []
        n = self.design.judgments
        counts = sorted(n * one.gain for one in self.gains)
        ends = [f"{float(f'{count:.2g}'):,.0f}" for count in (counts[0], counts[-1])]
        known = sorted(one.correlation for one in self.gains)
        outer = known[0], known[-1]
        correlations = [f"{one:.2f}" if one > 0 else NO_HELP for one in outer]
        return [
            say(
                "verdicts-gain",
                agreement=self.llm[0],
                verdicts=self.llm[1],
                judgments=n,
                counts=" to ".join(dict.fromkeys(ends)),
                correlations=" to ".join(dict.fromkeys(correlations)),
            )
        ]

    def _say_answer(self) -> tuple[Finding, ...]:
        code = "design-cost" if self.spec.prices.stated else "design"
        design = say_design(self.design, self.spec.truth)
        sentence = say(code, design=design, cost=self.cost)
        wish, pairs, low = self.spec.power, self.asked, self.weakest
        power = f"{low.best:.2f}"
        power += "" if low.lower is None else f" ({low.lower:.2f} to {low.upper:.2f})"
        found = {"pair": low.pair, "power": power, "pairs": len(pairs), "wish": wish}
        which = "power-of-pair" if len(pairs) == 1 else "power-of-all"
        if low.best >= wish:
            return sentence, say(which, **found)
        if self.simulated is not None and low.upper is not None and low.upper >= wish:
            return sentence, say(f"{which}-unclear", **found, campaigns=self.simulated.campaigns)
        if len(pairs) == 1:
            return sentence, say(f"{which}-short", **found)
        short = [one.pair for one in pairs if one.best < wish]
        reached = len(pairs) - len(short)
        return sentence, say("power-short", **found, reached=reached, short=listing(short, 5))

    def _say_settings(self) -> Finding | None:
        """Say what to write into a campaign's file; it has no setting for repeats and for pairs."""
        design, kinds = self.design, self.spec.kinds
        if design.repeats > 1 or self.spec.pairs is not None:
            return None
        each, per = ceil(self.judges_each), min(ceil(design.outputs / design.items), kinds)
        settings = f"judges_per_item = {each}" + f", per_item = {per}" * (per < kinds)
        settings = f"design = {{ {settings} }}"
        return say("settings", settings=settings, judgments=each * per * design.items)

    def _say_details(self) -> list[Finding]:
        parts = self.variance
        total = sum(parts.values())
        shares = ", ".join(
            f"{name} {100 * part / total:.0f} %" for name, part in parts.items() if part
        )
        code = "error-of-difference" if len(self.asked) == 1 else "error-of-hardest"
        unit, output = self.spec.truth.unit, name_output(self.spec.truth)
        settings = self._say_settings()
        sentences = [settings] if settings else []
        sentences.append(say(code, error=total**0.5, unit=unit, shares=shares))
        if self.detectable is not None:
            counts = {"least": self.detectable, "power": self.spec.power}
            many = len(self.spec.truth.systems) > 2
            sentences.append(say("detectable-of-many" if many else "detectable", **counts))
        powers = {(one.overlap, one.repeats): power for one, power in self.overlaps}
        stated = self.judges_each > 1 or self.design.repeats > 1
        if stated or (2, 1) not in powers or self.is_contradicted:
            return sentences
        two, twice, neither = (powers[which] for which in ((2, 1), (1, 2), (1, 1)))
        names = {"output": output, "one": output.split()[-1]}
        if len({f"{power:.2f}" for power in (two, twice, neither)}) == 1:
            return [*sentences, say("overlap-alike", **names, power=neither)]
        return [*sentences, say("overlap", **names, two=two, twice=twice, neither=neither)]

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What must stand beside it."""
        notes, simulated, design, spec = list[str](), self.simulated, self.design, self.spec
        if simulated is not None:
            low, level = self.weakest, spec.level
            campaigns, false = simulated.campaigns, simulated.any_false
            if self.limited and campaigns < CAMPAIGNS:
                counts = {"campaigns": campaigns, "of": CAMPAIGNS, "judgments": design.judgments}
                notes.append(say("campaigns-fewer", **counts))
            if simulated.unranked:
                notes.append(say("unranked", unranked=simulated.unranked, campaigns=campaigns))
            if false > (1 - level) * campaigns + 1e-9:
                broken = bound_share(false, campaigns)[0] > 1 - level
                code, percent = "level-broken" if broken else "level-doubtful", 100 * (1 - level)
                told = {"false": false, "campaigns": campaigns, "level": level, "percent": percent}
                notes.append(say(code, "warning", **told))
            if not low.lower - MAX_DIFFERENCE <= low.expected <= low.upper + MAX_DIFFERENCE:  # type: ignore[operator]
                differs = {"expected": low.expected, "pair": low.pair}
                notes.append(say("closed-form-differs", "warning", **differs))
        elif self.limited:
            counts = {"judgments": design.judgments, "of": CAMPAIGNS}
            notes.append(say("too-large", **counts))
        else:
            notes.append(say("closed-form-only"))
        first, *larger = self.rounds or (None,)
        if first and larger and not self.falls_short and first.expected >= spec.power:
            counts = {name: getattr(first, name) for name in ("judgments", "expected", "power")}
            notes.append(say("closed-form-too-small", **counts))
        if design.outputs < THIN * spec.kinds:
            which = "outputs-few-rated" if spec.truth.rated else "outputs-few"
            notes.append(say(which, "warning", least=THIN))
        if spec.items is not None and design.items < spec.items:
            counts = {"judgments": design.judgments, "items": design.items, "of": spec.items}
            notes.append(say("items-unused", **counts))
        if self.judges_each <= 1:
            notes.append(say("no-overlap", output=name_output(spec.truth)))
        if self.worst is not None:
            notes.append(say("tastes-stronger", power=self.worst))
        elif self.pilot is not None:
            notes.append(say("tastes-unbounded"))
        if spec.truth.judge_sd == 0:
            notes.append(say("judges-alike"))
        sds = ", ".join(f"{name} = {spec.truth.sds[name]:g}" for name in spec.assumed)
        assumed = (say("assumed", sds=sds),) if sds else ()
        return (*assumed, *notes, *(() if self.pilot is None else self.pilot.notes))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand plan --json`."""
        simulated, spec, counted = self.simulated, self.spec, None
        verdicts: dict[str, Any] = {}
        if self.llm is not None:
            agreement, given = self.llm
            gains = [vars(one) for one in self.gains]
            verdicts = {"llm": {"agreement": agreement, "verdicts": given, "pairs": gains}}
        if simulated is not None:
            counted = {name: getattr(simulated, name) for name in COUNTED}
        return {
            **write_contract(self, "detectable", "cost", "variance", "says"),
            "assumed": list(spec.assumed),
            "unit": spec.truth.unit,
            "systems": dict(zip(spec.truth.systems, spec.truth.log_worth, strict=True)),
            **{name: getattr(spec.truth, name) for name in (*SETTINGS, "noise_sd")},
            "wish": {"resolve": spec.resolve, "power": spec.power, "level": spec.level},
            "design": self.design.to_dict(),
            "prices": vars(spec.prices),
            "pairs": [vars(one) for one in self.pairs],
            "simulated": counted,
            "rounds": [vars(one) for one in self.rounds],
            "by_judgments": [vars(one) for one in self.by_judgments],
            "by_judges": [vars(one) for one in self.by_judges],
            "frontier": [self._priced(one) for one in self.frontier],
            "overlaps": [{**self._priced(one), "power": power} for one, power in self.overlaps],
            "enough": None if self.enough is None else self._priced(self.enough),
            "pilot": None if self.pilot is None else self.pilot.to_dict(),
            **verdicts,
            "power_if_tastes_are_stronger": self.worst,
        }

    def _priced(self, design: Design) -> dict[str, Any]:
        return {**design.to_dict(), "cost": self.spec.prices.cost(design)}

    def document(self) -> Document:
        """Return what people read: the design, its power pair by pair, and other designs."""
        truth, counted = self.spec.truth, self.simulated
        tastes = truth.sds if truth.rated else {name: getattr(truth, name) for name in SETTINGS}
        stated = {"systems": len(truth.systems), "source": self.spec.source, **tastes}
        how = "Closed form"
        if counted is not None:
            how = f"{plural(counted.campaigns, 'campaign')} simulated"
        code = "plan-basis-rated" if truth.rated else "plan-basis"
        about: list[str] = []
        if self.is_contradicted:
            about.append(say("frontier-doubtful"))
        elif not self.frontier:
            about.append(say("frontier-empty", items=self.design.items))
        details = (*self._say_details(), *(() if self.pilot is None else self.pilot.says))
        simulated = self.simulated is not None
        columns = (
            Column("better", "better", "name"),
            Column("worse", "worse", "name"),
            Column("gap", "gap", "two"),
            *([] if truth.rated else [Column("chance", "preferred", "share")]),
            Column("expected", "expected", "two", priority=1),
            *([Column("power", "power", "two")] * simulated),
            *([Column(("lower", "upper"), "interval", "interval", priority=3)] * simulated),
            *([Column("false", "false", "integer", priority=2, only=("text", "html"))] * simulated),
        )
        asked, every = len(self.asked), len(self.pairs)
        of = f"{asked} of {plural(every, 'pair')}" if asked < every else plural(asked, "pair")
        rows = tuple(dict(vars(one)) for one in self.asked)
        caption = f"Power of {of}" + ", the hardest first" * (asked > 1)
        return write_document(
            self,
            Table("pairs", "", (), tuple(dict(vars(one)) for one in self.pairs), only=("csv",)),
            Table("power", caption, columns, rows, limit=MAX_PAIRS),
            *([] if about else [_tabulate_frontier(self)]),
            Text("", details),
            basis=say(code, **stated, how=how, level=self.spec.level),
            answer=(*self._say_answer(), *self._say_gains(), *_say_enough(self)),
            findings=(*about, *self.notes),
        )


MAX_PAIRS: Final = 12  # Most pairs that are shown: the hardest
MAX_DESIGNS: Final = 8  # Most designs that are shown


def _tabulate_frontier(plan: CampaignPlan) -> Table:
    """Return a row for each number of judges that does, those around the planned number."""
    panels = [one.judges for one in plan.frontier]
    nearest = min(range(len(panels)), key=lambda at: abs(panels[at] - plan.design.judges))
    start = max(min(nearest - MAX_DESIGNS // 2, len(panels) - MAX_DESIGNS), 0)
    rows = (
        {**plan._priced(one), "each": one.judgments / one.judges}
        for one in plan.frontier[start : start + MAX_DESIGNS]
    )
    columns = (
        Column("judges", "judges", "count"),
        Column("judgments", "judgments", "count"),
        Column("each", "per judge", "integer"),
        *([Column("cost", "cost", ",.10g")] * plan.spec.prices.stated),
    )
    caption = "Fewest judgments that are expected to do, by judges"
    return Table("judges", caption, columns, tuple(rows))


SETTINGS: Final = ("ties", "judge_sd", "item_sd")
COUNTED = ("campaigns", "any_false", "unranked", "places")


# Output pairs for each pair of systems below which variances are larger than in closed form; fits
# to 120 judgments of 15 pairs have 1.14 to 1.28 times its variance
THIN = 10


def name_output(truth: Truth) -> str:
    return "output" if truth.rated else "output pair"


def say_design(design: Design, truth: Truth) -> str:
    each = design.judgments / design.judges
    load = f"{each:,.0f} each" if design.loads == "equal" else "unequal loads"
    sentence = f"{design.judgments:,} judgments by {design.judges:,} judges ({load})"
    sentence += f" on {design.items:,} items"
    if design.overlap > 1:
        sentence += f", {design.overlap} judges for each {name_output(truth)}"
    return sentence + (f", each {design.repeats} times" if design.repeats > 1 else "")


def _say_enough(plan: CampaignPlan) -> list[Finding]:
    if plan.enough is not None:
        prices = plan.spec.prices
        cost = f", cost {prices.cost(plan.enough):,.10g}" if prices.stated else ""
        code = "enough-doubtful" if plan.is_contradicted else "enough"
        return [say(code, design=f"{say_design(plan.enough, plan.spec.truth)}{cost}")]
    if plan.weakest.expected < plan.spec.power:
        return [say("nothing-enough")]
    if not plan.falls_short:
        return []
    # the power was not reached though the closed form expects it
    rounds, last = plan.rounds, plan.rounds[-1]
    spent = sum(one.campaigns * one.judgments for one in rounds)
    beyond = spent + MIN_CAMPAIGNS * MIN_GROWTH * last.judgments > MAX_SIMULATED
    if plan.limited and beyond and not plan.spec.is_sized:
        sentences = [say("larger-needed", judgments=last.judgments, of=CAMPAIGNS)]
    elif plan.spec.is_sized or len(rounds) == 1:
        sentences = [say("closed-form-unclear", expected=plan.weakest.expected)]
    else:
        ends = {"least": rounds[0].judgments, "most": last.judgments}
        sentences = [say("sizes-short", sizes=len(rounds), **ends)]
    if last.unranked and plan.simulated is not None:
        campaigns = plan.simulated.campaigns
        alone = last.power + last.unranked / campaigns >= plan.spec.power
        counts = {"unranked": last.unranked, "campaigns": campaigns}
        sentences.append(say("unranked-the-cause" if alone else "unranked-a-cause", **counts))
    return sentences


MAX_ROUNDS: Final = 4  # How many sizes are simulated, each larger, while a design falls short
MIN_GROWTH: Final = 1.15  # How much larger the next size is, at least and at most
MAX_GROWTH: Final = 2.0
MAX_SIMULATED: Final = 6_000_000  # Judgments simulated in all, some 20 s, unless more are asked for
MIN_CAMPAIGNS: Final = 20  # Fewest campaigns that say something of a power
# Multiples of the design that curves show
FACTORS: Final = (0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)
OVERLAPS: Final = (1, 2, 3, 5)  # Overlaps that are compared


@carries_excluded(*OF_SYSTEMS, argument="pilot")
def plan_campaign(
    settings: Mapping[str, Any] | CampaignSpec | None = None,
    *,
    pilot: Comparisons | Rankings | Ratings | Openable | None = None,
    campaigns: int | None = None,
    llm_agreement: float | None = None,
    verdicts: int | None = None,
    progress: Progress | None = None,
) -> CampaignPlan:
    """Say how many judgments, judges and items decide which systems, and what they cost.

    What is not stated is looked for in closed form; then campaigns of the design are simulated and
    ranked as `rank` does, and the design grows where they fall short.

    Args:
        settings: by the names of a plan's TOML file, or a spec; none where the pilot says all.
        pilot: judgments from which worths and tastes are taken; ratings are planned in points.
        campaigns: how many are simulated; 0 for the closed form alone; by default 200, fewer where
            all that is simulated would be more than 6 million judgments.
        llm_agreement: how often an LLM judge and a person give the same answer to a pair of outputs
            (proportion of answers with a preference).
        verdicts: how many pairs of outputs it judges beside people's.
        progress: called with campaigns done and to do.

    Raises:
        UnknownOption: a setting that does not exist or does not fit.
        NotIdentified: a design that cannot work; says why, and what would.

    >>> plan = plan_campaign({"systems": 2, "gap": 1.0, "judges": 10}, campaigns=20)
    >>> plan.design.judges, plan.weakest.pair
    (10, 'S1 > S2')
    """
    if campaigns is not None and (campaigns < 0 or campaigns == 1):
        raise UnknownOption(f"campaigns cannot be {campaigns}: two or more, or 0 for none")
    if settings is None and pilot is None:
        raise UnknownOption(
            "nothing to plan from: give settings, such as {'systems': 4}, or a pilot"
        )
    settings = {} if settings is None else settings
    llm = _read_llm(llm_agreement, verdicts)
    stated = isinstance(settings, Mapping) and "gap" in settings
    learned = None if pilot is None else learn_from_pilot(pilot, gap_stated=stated)
    if isinstance(settings, CampaignSpec):
        if learned is not None:
            raise UnknownOption("a spec says what the truth is: leave out the pilot")
        spec = settings
    else:
        source = "from the pilot, gaps as stated" if stated else "from the pilot"
        start = None if learned is None else CampaignSpec(learned.truth, source=source)
        spec = _make_spec(settings, start)
    if llm is not None and spec.truth.rated:
        raise UnknownOption(
            "the gain by verdicts is planned for comparisons: leave out --llm-agreement for ratings"
        )
    search = Search(spec)
    design, simulated, rounds = _confirm(search, search.find(), campaigns, progress)
    most = spec.count_most(design.judges, design.items)
    sizes = sorted({max(round(design.judgments * factor), 2) for factor in FACTORS})
    does = search.weakest(design) >= spec.power
    panel = sorted({*(one for one in JUDGES if one <= 4 * design.judges), design.judges})
    panels = [
        replace(design, judges=judges, judgments=n)
        for judges in panel
        for n in [round(judges * (design.judgments / design.judges))]
        if judges >= design.overlap and n <= spec.count_most(judges, design.items)
    ]
    kinds = [(overlap, 1) for overlap in OVERLAPS if overlap <= design.judges]
    overlaps = [replace(design, overlap=a, repeats=b) for a, b in (*kinds, (1, 2))]
    # the power if tastes are as strong as the pilot cannot exclude
    truth, worst = None if learned is None else learned.worst(spec.truth), None
    if truth is not None:
        with suppress(NotIdentified):
            power = expect(predict_errors(truth, design), design, spec.level).power
            worst = min(float(power[pair]) for pair in spec.targets)
    return CampaignPlan(
        spec=spec,
        design=design,
        predicted=search.inputs,
        expected=search.expect(design),
        simulated=simulated,
        rounds=rounds,
        by_judgments=tuple(_look(search, replace(design, judgments=n)) for n in sizes if n <= most),
        by_judges=tuple(_look(search, one) for one in panels),
        frontier=tuple(search.frontier(design.items)),
        overlaps=tuple((one, search.weakest(one)) for one in overlaps),
        enough=None if does else search.enough(design.judges, design.items),
        pilot=learned,
        worst=worst,
        llm=llm,
        limited=campaigns is None,
    )


def _read_llm(agreement: float | None, verdicts: int | None) -> tuple[float, int] | None:
    if agreement is None and verdicts is None:
        return None
    if agreement is None or verdicts is None:
        raise UnknownOption(
            "the gain by verdicts needs both how often the LLM agrees with people (--llm-agreement"
            " .75) and how many verdicts there are (--verdicts 3000)"
        )
    if not 0 < agreement <= 1 or verdicts < 1:
        raise UnknownOption(
            f"an LLM agrees with people in a share from 0 to 1 and gives one verdict or more, not"
            f" {agreement:g} and {verdicts:,}"
        )
    return agreement, verdicts


NO_HELP: Final = "0 or less (where verdicts do not help)"
GAP_TOLERANCE: Final = 0.002


def _make_spec(settings: Mapping[str, Any], start: CampaignSpec | None) -> CampaignSpec:
    """Return a spec; of ratings of a stated size, gaps are the least that this size decides."""
    sized = "judges" in settings and ("judgments" in settings or "each" in settings)
    if start or not sized or not is_rated(settings) or {"gap", "worths"} & settings.keys():
        return make_spec(settings, start)

    def decides(gap: float) -> bool:
        search = Search(make_spec({**settings, "gap": gap}))
        return search.weakest(search.find()) >= search.spec.power

    low, high = 0.0, 1.0
    while not decides(high):
        low, high = high, 2 * high
    while high - low > GAP_TOLERANCE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    gap = float(f"{high:.3g}")
    source = f"as stated, {gap:g} points apart, the least that this design decides"
    return replace(make_spec({**settings, "gap": gap}), source=source)


def _confirm(
    search: Search, design: Design, campaigns: int | None, progress: Progress | None
) -> tuple[Design, Simulated | None, tuple[Round, ...]]:
    """Simulate; a design whose size was looked for grows while it fails, and is simulated again."""
    spec = search.spec
    simulated, tried = None, design
    rounds: tuple[Round, ...] = ()
    left = float("inf") if campaigns is not None else MAX_SIMULATED
    while True:
        number = int(min(CAMPAIGNS if campaigns is None else campaigns, left // tried.judgments))
        if number < (MIN_CAMPAIGNS if campaigns is None else 1):
            return design, simulated, rounds
        design, left = tried, left - number * tried.judgments
        simulated = simulate_power(
            spec.truth,
            design,
            campaigns=number,
            level=spec.level,
            seed=spec.seed,
            progress=progress,
        )
        # one standard error of a power from so many campaigns less
        wanted = spec.power - float((spec.power * (1 - spec.power) / number) ** 0.5)
        lowest = min(float(simulated.power[pair]) for pair in spec.targets)
        expected = search.expect(design)
        least = min(float(expected.power[pair]) for pair in spec.targets)
        rounds = (*rounds, Round(design.judgments, least, lowest, number, simulated.unranked))
        more = find_growth(lowest, spec.power, expected.critical)
        tried = search.grow(design, round(design.judgments * more))
        done = spec.is_sized or lowest >= wanted or len(rounds) == MAX_ROUNDS
        if done or tried.judgments <= design.judgments:
            return design, simulated, rounds


def find_growth(power: float, wish: float, critical: float) -> float:
    """Return how many times more judgments would do, were the error that of chance alone.

    Power (a proportion) is Φ(δ − c), and δ grows with the square root of the judgments.
    """
    reached = critical + normal_quantile(power) if 0 < power < 1 else 0.0
    if reached <= 0:
        return MAX_GROWTH
    times = (critical + normal_quantile(wish)) / reached
    return float(min(max(times**2, MIN_GROWTH), MAX_GROWTH))


def _look(search: Search, design: Design) -> Point:
    power = search.expect(design).power
    each = [float(power[pair]) for pair in search.spec.targets]
    return Point(design.judgments, design.judges, min(each), sum(each) / len(each))

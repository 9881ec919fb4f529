"""From a spec to a plan: searched in closed form, confirmed by simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.rankings import Rankings
from evenhand.numerics.distributions import normal_quantile
from evenhand.planning.campaign_plan import CampaignPlan, Point, Round
from evenhand.planning.closed_form import foresee
from evenhand.planning.design import MOST, Design, Truth
from evenhand.planning.foresight import expect
from evenhand.planning.pilot import Pilot, learn_from_pilot
from evenhand.planning.power import CAMPAIGNS, Progress, Simulated, simulate_power
from evenhand.planning.search import JUDGES, Search
from evenhand.planning.spec import CampaignSpec, make_spec

ROUNDS: Final = 4
"""How many sizes are simulated, each larger, while a design falls short."""
MORE: Final = 1.15
MOST_MORE: Final = 2.0
"""How much larger the next size is, at least and at most."""
FACTORS: Final = (0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)
"""Multiples of the design that curves show."""
SCALES: Final = (1, 2, 3, 5)
"""Overlaps that are compared."""


def plan_campaign(
    settings: Mapping[str, Any] | CampaignSpec,
    *,
    pilot: Comparisons | Rankings | None = None,
    campaigns: int = CAMPAIGNS,
    progress: Progress | None = None,
) -> CampaignPlan:
    """Say how many judgments, judges and items decide which systems, and what they cost.

    What is not stated is looked for in closed form; then campaigns of the design are simulated and
    ranked as `rank` does, and the design grows where they fall short.

    Args:
        settings: by the names of a plan's TOML file, or a spec.
        pilot: judgments from which worths and tastes are taken.
        campaigns: how many are simulated; 0 for the closed form alone.
        progress: called with campaigns done and to do.

    Raises:
        UnknownOption: a setting that does not exist or does not fit.
        NotIdentified: a design that cannot work; says why, and what would.

    >>> plan = plan_campaign({"systems": 2, "gap": 1.0, "judges": 10}, campaigns=20)
    >>> plan.design.judges, plan.weakest.pair
    (10, 'S1 > S2')
    """
    if campaigns < 0 or campaigns == 1:
        raise UnknownOption(f"campaigns cannot be {campaigns}: two or more, or 0 for none")
    learned = None if pilot is None else learn_from_pilot(pilot)
    if isinstance(settings, CampaignSpec):
        if learned is not None:
            raise UnknownOption("a spec says what the truth is: leave out the pilot")
        spec = settings
    else:
        spec = make_spec(settings, None if learned is None else _start(learned))
    search = Search(spec)
    design = search.find()
    design, simulated, rounds = _confirm(search, design, campaigns, progress)
    return _finish(search, design, simulated, rounds, learned)


def _start(pilot: Pilot) -> CampaignSpec:
    return CampaignSpec(pilot.truth, source="from the pilot")


def _confirm(
    search: Search, design: Design, campaigns: int, progress: Progress | None
) -> tuple[Design, Simulated | None, tuple[Round, ...]]:
    """Simulate; a design whose size was looked for grows, and is simulated again, where it fails.

    Returned are the design that was simulated last, what was counted, and all sizes.
    """
    spec = search.spec
    rounds: tuple[Round, ...] = ()
    if not campaigns:
        return design, None, rounds
    wanted = spec.power - _slack(spec.power, campaigns)
    while True:
        found = _simulate(spec, design, campaigns, progress)
        lowest = min(float(found.power[pair]) for pair in spec.targets)
        expected = search.expect(design)
        least = min(float(expected.power[pair]) for pair in spec.targets)
        rounds = (*rounds, Round(design.judgments, least, lowest, campaigns, found.unranked))
        more = find_growth(lowest, spec.power, expected.critical)
        larger = round(design.judgments * more)
        if spec.is_sized or lowest >= wanted or len(rounds) == ROUNDS or larger > MOST:
            return design, found, rounds
        design = search.grow(design, larger)


def _simulate(
    spec: CampaignSpec, design: Design, campaigns: int, progress: Progress | None
) -> Simulated:
    return simulate_power(
        spec.truth,
        design,
        campaigns=campaigns,
        level=spec.level,
        seed=spec.seed,
        progress=progress,
    )


def find_growth(power: float, wish: float, critical: float) -> float:
    """Return how many times more judgments would do, were the error that of chance alone.

    Power is Φ(δ − c), and δ grows with the square root of the judgments.

    Args:
        power: that was reached (proportion).
        wish: that was asked.
        critical: c, the critical value of |t|.

    >>> round(find_growth(0.6, 0.8, 1.96), 2), find_growth(0.79, 0.8, 1.96)
    (1.6, 1.15)
    """
    reached = critical + normal_quantile(power) if 0 < power < 1 else 0.0
    if reached <= 0:
        return MOST_MORE
    times = (critical + normal_quantile(wish)) / reached
    return float(min(max(times**2, MORE), MOST_MORE))


def _slack(power: float, campaigns: int) -> float:
    """Return one standard error of a power from so many campaigns."""
    return float((power * (1 - power) / campaigns) ** 0.5)


def _finish(
    search: Search,
    design: Design,
    simulated: Simulated | None,
    rounds: tuple[Round, ...],
    pilot: Pilot | None,
) -> CampaignPlan:
    spec = search.spec
    return CampaignPlan(
        spec=spec,
        design=design,
        foreseen=search.foreseen,
        expected=search.expect(design),
        simulated=simulated,
        rounds=rounds,
        by_judgments=tuple(_trace_judgments(search, design)),
        by_judges=tuple(_trace_judges(search, design)),
        frontier=tuple(search.frontier(design.items)),
        overlaps=tuple(_try_overlaps(search, design)),
        enough=_find_enough(search, design),
        pilot=pilot,
        worst=_worst_power(spec, design, pilot),
    )


def _trace_judgments(search: Search, design: Design) -> list[Point]:
    """Return power by judgments, the same judges and items."""
    sizes = sorted({max(round(design.judgments * factor), 2) for factor in FACTORS})
    return [_look(search, replace(design, judgments=n)) for n in sizes if n <= MOST]


def _trace_judges(search: Search, design: Design) -> list[Point]:
    """Return power by judges, each with the load that was planned."""
    each = design.judgments / design.judges
    panel = sorted({*(one for one in JUDGES if one <= 4 * design.judges), design.judges})
    sizes = [(judges, round(judges * each)) for judges in panel if judges >= design.overlap]
    looks = (replace(design, judges=judges, judgments=n) for judges, n in sizes if n <= MOST)
    return [_look(search, one) for one in looks]


def _look(search: Search, design: Design) -> Point:
    power = search.expect(design).power
    each = [float(power[pair]) for pair in search.spec.targets]
    return Point(design.judgments, design.judges, min(each), sum(each) / len(each))


def _try_overlaps(search: Search, design: Design) -> list[tuple[Design, float]]:
    """Return designs with other overlaps and repeats of as many judgments, and their power."""
    found = []
    for overlap in SCALES:
        if overlap <= design.judges:
            one = replace(design, overlap=overlap, repeats=1)
            found.append((one, search.weakest(one)))
    twice = replace(design, overlap=1, repeats=2)
    return [*found, (twice, search.weakest(twice))]


def _find_enough(search: Search, design: Design) -> Design | None:
    """Return a design that would do where the stated one does not; None where it does, or none."""
    spec = search.spec
    if search.weakest(design) >= spec.power:
        return None
    return search.enough(design.judges, design.items)


def _worst_power(spec: CampaignSpec, design: Design, pilot: Pilot | None) -> float | None:
    """Return the power if tastes are as strong as the pilot cannot exclude."""
    truth: Truth | None = None if pilot is None else pilot.worst()
    if truth is None:
        return None
    try:
        power = expect(foresee(truth, design), design, spec.level).power
    except NotIdentified:
        return None
    return min(float(power[pair]) for pair in spec.targets)

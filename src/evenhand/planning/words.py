"""A plan in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.errors import listing
from evenhand.planning.campaign_plan import SHORT, Round
from evenhand.planning.design import Design
from evenhand.planning.power import bound_share

if TYPE_CHECKING:
    from evenhand.planning.campaign_plan import CampaignPlan

THIN = 10
"""Output pairs for each pair of systems below which variances are larger than in closed form; fits
to 120 judgments of 15 pairs have 1.14 to 1.28 times its variance."""


def say_plan(plan: CampaignPlan) -> tuple[str, ...]:
    """Say what the design is, what it decides and what keeps it from more.

    Args:
        plan: the plan.

    """
    return (
        f"{say_design(plan.design)}{_say_cost(plan, plan.design)}",
        _say_power(plan),
        _say_parts(plan),
        *_say_overlap(plan),
        *_say_enough(plan),
        *([] if plan.pilot is None else plan.pilot.says),
    )


def say_design(design: Design) -> str:
    """Say who judges what.

    >>> say_design(Design(judges=20, items=100, judgments=2000, overlap=2))
    '2,000 judgments by 20 judges (100 each) on 100 items, 2 judges for each output pair'
    """
    each = design.judgments / design.judges
    load = f"{each:,.0f} each" if design.loads == "equal" else "unequal loads"
    said = f"{design.judgments:,} judgments by {design.judges:,} judges ({load})"
    said += f" on {design.items:,} items"
    if design.overlap > 1:
        said += f", {design.overlap} judges for each output pair"
    return said + (f", each {design.repeats} times" if design.repeats > 1 else "")


def _say_cost(plan: CampaignPlan, design: Design) -> str:
    """Say what a design costs, where prices were stated."""
    prices = plan.spec.prices
    return f", cost {prices.cost(design):,.10g}" if prices.stated else ""


def _say_power(plan: CampaignPlan) -> str:
    """Say which pairs are decided, and how surely."""
    wish, asked, low = plan.spec.power, plan.asked, plan.weakest
    of = "" if low.lower is None else f" ({low.lower:.2f} to {low.upper:.2f})"
    which = f"{low.pair} is" if len(asked) == 1 else f"all {len(asked)} pairs are"
    hardest = "" if len(asked) == 1 else f" or more; hardest: {low.pair}"
    if low.best >= wish:
        return f"{which} decided with power {low.best:.2f}{of}{hardest}"
    if plan.simulated is not None and low.upper is not None and low.upper >= wish:
        return (
            f"{which} decided with power {low.best:.2f}{of}{hardest}; asked: {wish:g}, from which"
            f" {plan.simulated.campaigns} simulated campaigns cannot tell it"
        )
    if len(asked) == 1:
        return f"{which} decided with power {low.best:.2f}{of}, short of {wish:g}"
    short = [one.pair for one in asked if one.best < wish]
    return (
        f"{len(asked) - len(short)} of {len(asked)} pairs reach power {wish:g}; hardest: {low.pair}"
        f" {low.best:.2f}{of}; short: {listing(short, 5)}"
    )


def _say_parts(plan: CampaignPlan) -> str:
    """Say what the error of the hardest pair is made of."""
    parts = plan._parts()
    total = sum(parts.values())
    shares = ", ".join(f"{name} {100 * one / total:.0f} %" for name, one in parts.items() if one)
    which = "the difference" if len(plan.asked) == 1 else "the hardest difference"
    return (
        f"standard error of {which} {total**0.5:.2g} (log-worth); its variance is due to {shares}"
    )


def _say_overlap(plan: CampaignPlan) -> list[str]:
    """Say what overlap and repeats cost."""
    powers = {(one.overlap, one.repeats): power for one, power in plan.overlaps}
    stated = plan.design.overlap > 1 or plan.design.repeats > 1
    if stated or (2, 1) not in powers or plan.is_contradicted:
        return []
    shown = {f"{powers[one]:.2f}" for one in ((2, 1), (1, 2), (1, 1))}
    if len(shown) == 1:
        return [
            "as many judgments with 2 judges for each output pair, or with each pair shown twice to"
            f" one judge: expected power {shown.pop()}, as with neither"
        ]
    return [
        f"as many judgments with 2 judges for each output pair: expected power {powers[2, 1]:.2f};"
        f" with each pair shown twice to one judge: {powers[1, 2]:.2f}; with neither:"
        f" {powers[1, 1]:.2f}"
    ]


def _say_enough(plan: CampaignPlan) -> list[str]:
    """Say what would do where the design does not, or why that is not known."""
    if plan.enough is not None:
        doubt = ", if the closed form holds: here it expects too much" * plan.is_contradicted
        return [f"enough would be {say_design(plan.enough)}{_say_cost(plan, plan.enough)}{doubt}"]
    if plan.weakest.expected < plan.spec.power:
        return ["no design that was tried would do"]
    return [_say_rounds(plan)] if plan.falls_short else []


def _say_rounds(plan: CampaignPlan) -> str:
    """Say that the power was not reached though the closed form expects it."""
    rounds = plan.rounds
    if plan.spec.is_sized or len(rounds) == 1:
        said = (
            f"the closed form expects {plan.weakest.expected:.2f} of this design, so that it does"
            " not say what would do: state more judgments"
        )
    else:
        said = (
            f"{len(rounds)} sizes were simulated, of {rounds[0].judgments:,} to"
            f" {rounds[-1].judgments:,} judgments, and none reaches it: state a larger number"
            " (judgments), or more judges"
        )
    return f"{said}{_say_lost(rounds[-1], plan)}"


def _say_lost(last: Round, plan: CampaignPlan) -> str:
    """Say how far campaigns without an estimate are the cause."""
    if not last.unranked or plan.simulated is None:
        return ""
    campaigns = plan.simulated.campaigns
    cause = "the cause" if last.power + last.unranked / campaigns >= plan.spec.power else "a cause"
    return f"; campaigns whose worths have no estimate are {cause} ({last.unranked} of {campaigns})"


def _note_rounds(plan: CampaignPlan) -> list[str]:
    """Say which smaller design the closed form thought enough that was not."""
    first, *larger = plan.rounds or (None,)
    if first is None or not larger or plan.falls_short or first.expected < plan.spec.power:
        return []
    return [
        f"{first.judgments:,} judgments would do by the closed form, which expects"
        f" {first.expected:.2f}; simulated they gave {first.power:.2f}, hence more"
    ]


def _note_design(plan: CampaignPlan) -> list[str]:
    """Say where judgments are few for the closed form, or for the items."""
    design, notes = plan.design, []
    compared = len(design.compared(len(plan.spec.truth.systems))[0])
    if design.outputs < THIN * compared:
        notes.append(
            f"fewer than {THIN} output pairs for each pair of systems: the closed form, and with it"
            " curves and the table of judges, expects too much of so few"
        )
    if plan.spec.items is not None and design.items < plan.spec.items:
        notes.append(
            f"{design.judgments:,} judgments show {design.items:,} of the {plan.spec.items:,} items"
        )
    return notes


def _note_false(plan: CampaignPlan) -> list[str]:
    """Say where more campaigns decided something false than the level allows."""
    counted, level = plan.simulated, plan.spec.level
    if counted is None or counted.any_false <= (1 - level) * counted.campaigns + 1e-9:
        return []
    said = f"in {counted.any_false} of {counted.campaigns} campaigns something false was decided"
    if bound_share(counted.any_false, counted.campaigns)[0] > 1 - level:
        return [f"{said}: level {level:g} does not hold for this design"]
    return [
        f"{said}, more than the {100 * (1 - level):.3g} % of level {level:g}; so few campaigns"
        " cannot tell whether it holds for this design"
    ]


def note_plan(plan: CampaignPlan) -> tuple[str, ...]:
    """Say what must stand beside the numbers."""
    notes = []
    low, counted = plan.weakest, plan.simulated
    if counted is None:
        notes.append("closed form only: nothing was simulated")
    else:
        if counted.unranked:
            notes.append(
                f"{counted.unranked} of {counted.campaigns} campaigns gave worths no estimate; they"
                " count as undecided"
            )
        notes += _note_false(plan)
        if not low.lower - SHORT <= low.expected <= low.upper + SHORT:  # type: ignore[operator]
            notes.append(
                f"the closed form expects {low.expected:.2f} for {low.pair}: believe the simulation"
            )
    notes += [*_note_rounds(plan), *_note_design(plan)]
    if plan.design.overlap == 1:
        notes.append("no two judges see one output pair: agreement cannot be measured (overlap)")
    if plan.worst is not None:
        notes.append(
            f"if tastes are as strong as the pilot cannot exclude, power for the hardest pair is"
            f" {plan.worst:.2f}"
        )
    elif plan.pilot is not None:
        notes.append(
            "the pilot sets no bound to tastes: power may be much lower (try a larger judge_sd)"
        )
    if plan.spec.truth.judge_sd == 0:
        notes.append("judges are taken to be alike (judge_sd = 0), which real judges are not")
    return (*notes, *(() if plan.pilot is None else plan.pilot.notes))

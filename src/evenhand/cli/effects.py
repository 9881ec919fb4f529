"""What judge groups do to a fit, for people and as JSON: tests, what stands out, their orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import click

from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, plural, width
from evenhand.cli.words import block
from evenhand.models.coefficients import LRTest, format_p
from evenhand.models.judge_groups import GroupOrder
from evenhand.ranking.wald import Effect, Effects, Interaction, OddReference, WaldTest

MOST: Final = 10  # Most interactions that are said, one a line; JSON has them all
GROUPS: Final = 24  # Most groups of which the order is shown; JSON has them all
NARROW: Final = 12  # Columns that a system's name is cut to in the table of orders
GAP: Final = 2
INDEPENDENT: Final = "assuming independent judgments"
UNKNOWN: Final = "no likelihood ratio: a prior or importance weights leave none to test by"


def draw_effects(effects: Effects, columns: int) -> list[str]:
    """Return the lines about judge groups."""
    tests, out = block("test", say_tests(effects), columns), _say_interactions(effects)
    lines = [*tests, *block("out", out, columns)]
    return [*lines, *_draw_orders(effects, columns)] if len(effects.orders) > 1 else lines


def say_ratio(test: LRTest) -> str:
    """Say a likelihood-ratio test."""
    return f"LR {test.statistic:.4f} on {test.df} df, p {format_p(test.p)} ({INDEPENDENT})"


def say_tests(effects: Effects) -> list[str]:
    """Say the tests of every covariate."""
    if not effects.tests:
        return ["none: a covariate has one value only, or covariates say the same"]
    return [line for one in effects.tests for line in _say_effect(one)]


def _say_effect(one: Effect) -> list[str]:
    first = say_ratio(one.lr) if one.lr is not None else UNKNOWN
    lines = [f"{one.of} by {one.covariate}: {first}"]
    lines += [f"{one.of} by {one.covariate}, allowing for {_say_wald(wald)}" for wald in one.walds]
    lines += one.notes
    if len(one.walds) > 1:
        lines.append("believe the larger p")
    elif not one.walds:
        lines.append("nothing here allows for judgments that hang together")
    return lines


def _say_wald(test: WaldTest) -> str:
    effective = f", {test.effective:.1f} effective" if test.effective < test.clusters - 0.05 else ""
    q, below = test.df
    f = f"F {test.statistic:.3f} on {q} and {below:.1f} df, p {format_p(test.p)}"
    return f"{test.cluster}s: {f} ({plural(test.clusters, test.cluster)}{effective}, {test.kind})"


def _say_interactions(effects: Effects) -> list[str]:
    """Say what stands out, and how large the largest of the others is."""
    every = effects.interactions
    if not every:
        return []
    alone = len({one.covariate for one in every}) == 1
    odd = effects.odd_references
    explained = {one.coefficient.name for reference in odd for one in reference.alike}
    out = [one for one in every if one.stands_out]
    said = [one for one in out if one.coefficient.name not in explained]
    lines = [_say_odd(reference, alone=alone) for reference in odd]
    lines += [f"{one.say(alone=alone)}, p {format_p(one.p_holm)}" for one in said[:MOST]]
    if len(said) > MOST:
        lines.append(f"and {len(said) - MOST:,} more (--json)")
    rest = [one for one in every if not one.stands_out]
    if rest:
        others = "none of the others stands out" if out else "no difference stands out"
        lines.append(f"{others}: {_say_largest(rest)}")
    lines.append(
        f"p by Holm for {plural(len(every), 'difference')} from the reference group, {INDEPENDENT}"
    )
    return lines


def _say_odd(odd: OddReference, *, alone: bool) -> str:
    """Say that the reference is the odd one, and which level is the farthest from all."""
    who = odd.level if alone else f"{odd.covariate}={odd.level}"
    more = "more" if odd.more else "less"
    tied = odd.of == "tie"
    against = f", against {odd.against}" if odd.against else ""
    on, does = ("ties", f"tie {more} often") if tied else (odd.of + against, f"like it {more}")
    far = f"{odd.farthest} ({odd.distance:+.3f})".replace("-", "−")
    p = format_p(max(one.p_holm for one in odd.alike))
    return (
        f"it is {who}, the reference, who differs on {on}: {len(odd.alike)} of {odd.others} others"
        f" {does}, the largest p {p}; farthest from the mean of all is {far}; --reference-level"
        f" {odd.covariate}=... compares with another"
    )


def _say_largest(rest: Sequence[Interaction]) -> str:
    largest = rest[0].coefficient
    return f"the largest |z| is {abs(largest.z or 0.0):.1f} ({largest.label})"


def _draw_orders(effects: Effects, columns: int) -> list[str]:
    """Return a table of systems by group, as many groups side by side as there is room for."""
    shown = effects.orders[:GROUPS]
    lines = ["", click.style(f" {effects.scale} (place), by group", dim=True)]
    systems = list(shown[0].log_worth)
    names = tell_apart(systems, 2 * NARROW)
    heads = tell_apart([one.group for one in shown], NARROW)
    rest = list(shown)
    while rest:
        fits = _count_fitting(rest, heads, columns - max(map(width, names.values())) - 1)
        lines += _draw_part(rest[:fits], heads, names)
        rest = rest[fits:]
    if len(effects.orders) > GROUPS:
        lines.append(f" and {len(effects.orders) - GROUPS:,} more groups (--json)")
    return [*lines, ""]


def _draw_part(
    orders: Sequence[GroupOrder], heads: Mapping[str, str], systems: Mapping[str, str]
) -> list[str]:
    rows = [["", *(heads[one.group] for one in orders)]]
    rows += [[shown, *(_cell(one, system) for one in orders)] for system, shown in systems.items()]
    lines = [" " + (" " * GAP).join(row).rstrip() for row in align(rows, left=(0,))]
    return [click.style(lines[0], dim=True), *lines[1:]]


def _cell(order: GroupOrder, system: str) -> str:
    worth, place = order.log_worth[system], order.place[system]
    return "—" if worth is None else f"{worth:z.2f} ({place})"


def _count_fitting(orders: Sequence[GroupOrder], heads: Mapping[str, str], room: int) -> int:
    """Return how many groups stand side by side, at least one."""
    taken, fits = 0, 0
    for one in orders:
        cells = [heads[one.group], *(_cell(one, system) for system in one.log_worth)]
        taken += GAP + max(map(width, cells))
        if taken > room:
            break
        fits += 1
    return max(fits, 1)


def list_effects(effects: Effects) -> dict[str, Any]:
    """Return the JSON of tests, interactions and orders."""
    return {
        "tests": [
            {
                "covariate": one.covariate,
                "of": one.of,
                "lr": None if one.lr is None else asdict(one.lr),
                "wald": [asdict(wald) for wald in one.walds],
                "notes": list(one.notes),
            }
            for one in effects.tests
        ],
        "interactions": [_list_interaction(one) for one in effects.interactions],
        "odd_references": [
            {**asdict(one), "alike": [each.coefficient.name for each in one.alike]}
            for one in effects.odd_references
        ],
        "orders": [asdict(one) for one in effects.orders],
        "orders_scale": effects.scale,
    }


def _list_interaction(one: Interaction) -> dict[str, Any]:
    return {
        **asdict(one.coefficient),
        "covariate": one.covariate,
        "level": one.level,
        "home": one.home,
        "of": one.of,
        "against": one.against,
        "p_holm": one.p_holm,
        "stands_out": one.stands_out,
    }

"""Tables of classical tests in a terminal: pairs, variants of one pair, Friedman's test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from typing import Final

import click

from evenhand.cli.short_names import shorten, tell_apart
from evenhand.cli.terminal import align, plural, width
from evenhand.models.coefficients import Coefficient, format_p
from evenhand.ranking.tests import Friedman, PairTests, SignTest
from evenhand.report.signs import visible

TITLES: Final = ("system", "against", "better", "ties", "worse", "p", "Holm", "B-H")
MANY: Final = 60  # Most pairs that are listed; the files have all of them
FEW: Final = 12  # Most mean places that are listed
GAP: Final = "  "


def draw_pairs(pairs: PairTests, columns: int) -> list[str]:
    """Return the table of pairs, titles first, smallest p first."""
    rows, numbers = pairs.rows(), _numbers(pairs)
    names, said = call_systems(pairs, columns)
    named = [[names[row[side]] for side in ("first", "second")] for row in rows[:MANY]]
    sides = align([TITLES[:2], *named], left=(0, 1))
    lines = [
        " " + GAP.join([*two, *cells]).rstrip() for two, cells in zip(sides, numbers, strict=True)
    ]
    drawn = [click.style(lines[0], dim=True), *lines[1:]]
    if len(rows) > MANY:
        drawn.append(f" ... {plural(len(rows) - MANY, 'more pair')}: --csv has all of them")
    return [*drawn, click.style(f" {said}", dim=True)] if said else drawn


def _numbers(pairs: PairTests) -> list[list[str]]:
    """Return counts and p-values as they are shown, titles first."""
    shown = [
        [str(row[name]) for name in ("better", "ties", "worse")]
        + [format_p(row[name]) for name in ("p", "holm", "fdr")]
        for row in pairs.rows()[:MANY]
    ]
    return align([list(TITLES[2:]), *shown], left=())


def call_systems(pairs: PairTests, columns: int) -> tuple[dict[str, str], str]:
    """Return what each system is called beside these numbers, and what that leaves out."""
    systems, titles = pairs.systems, _numbers(pairs)[0]
    room = (columns - 1 - sum(width(cell) + len(GAP) for cell in titles) - len(GAP)) // 2
    if max(width(visible(name)) for name in systems) <= room:
        return {name: visible(name) for name in systems}, ""
    short, said = shorten(systems)
    shown = tell_apart(short, room)
    return {name: shown[own] for name, own in zip(systems, short, strict=True)}, said


def draw_variants(
    pairs: PairTests, variants: Sequence[SignTest], model: Sequence[Coefficient]
) -> list[str]:
    """Return every variant of the test of one pair, the model as its last row.

    One-sided p-values stand there only where the direction was named beforehand.
    """
    rows = [["variant", "of the test", "z", "p", "one-sided p"]]
    for one in variants:
        z = "—" if one.z is None else f"{one.z:.3f}"
        rows.append([one.variant, one.title, z, format_p(one.p), format_p(one.greater)])
    for worth in model[:1]:
        if worth.z is not None and worth.p is not None:
            told = [f"{worth.z:.3f}", format_p(worth.p), "—"]
            rows.append(["model", "log-linear, λ", *told])
    rows = rows if pairs.new is not None else [row[:-1] for row in rows]
    lines = [" " + GAP.join(cells).rstrip() for cells in align(rows, left=(0, 1))]
    return [click.style(lines[0], dim=True), *lines[1:]]


def say_share(variants: Sequence[SignTest]) -> list[str]:
    """Say the share of decided comparisons with its exact interval."""
    found = [one for one in variants if one.interval is not None and one.better + one.worse]
    return [
        f"{one.better / (one.better + one.worse):.3f} of decided comparisons, exact 95 % interval"
        f" {one.interval[0]:.3f} to {one.interval[1]:.3f}"
        for one in found
        if one.interval is not None
    ]


def say_model_of_pair(model: Sequence[Coefficient]) -> list[str]:
    """Say what the model estimates where a test says only whether."""
    said = []
    for one in model:
        if one.stderr is None or one.z is None or one.p is None:
            continue
        name = "γ" if one.label == "tie" else f"λ of {one.label}"
        numbers = f"{one.estimate:z.4f} (s.e. {one.stderr:.4f}), z {one.z:.3f}, p {format_p(one.p)}"
        odds = "" if one.label == "tie" else f"; odds {exp(2 * one.estimate):.2f} to 1"
        said.append(f"{name} {numbers}{odds}")
    return said


def say_friedman(
    found: Friedman | None, blocks: str, names: Mapping[str, str] | None = None
) -> list[str]:
    """Say Friedman's test in two lines; nothing where there is none."""
    if found is None:
        return []
    f = "every block gives the same order, exact" if found.f is None else _f(found)
    said = [
        f"Friedman over {plural(found.blocks, blocks)}: χ² {found.statistic:.4f} on {found.df} df,"
        f" p {format_p(found.p)}; {f}, p {format_p(found.f_p)}; Kendall's W {found.kendall_w:.3f}"
    ]
    called = names or {}
    places = sorted(zip(found.mean_places.tolist(), found.systems, strict=True))
    listed = ", ".join(f"{called.get(name, name)} {place:.2f}" for place, name in places[:FEW])
    if len(places) > FEW:
        listed += f" and {plural(len(places) - FEW, 'more system')}: --json has all mean places"
    return [*said, f"mean places: {listed}"]


def say_conditions(pairs: PairTests, found: Friedman | None) -> list[str]:
    """Say under which conditions p-values hold, those of each test in a line."""
    said = ["only if " + "; ".join(pairs.assumes)]
    if found is not None:
        said.append("Friedman's test only if " + "; ".join(found.assumes))
    return said


def _f(found: Friedman) -> str:
    return f"F {found.f:.4f} on {found.f_df[0]} and {found.f_df[1]} df"

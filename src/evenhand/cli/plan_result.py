"""A plan as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import click

from evenhand.cli.short_names import shorten, tell_apart
from evenhand.cli.terminal import PLAIN, align, label, plural, width, wrap
from evenhand.cli.words import block, sign
from evenhand.design.plan import CampaignPlan, PairPower
from evenhand.design.power import Design
from evenhand.report.tables.latex import escape, number, tabular

SHOWN: Final = 12  # Most pairs of the table: the hardest
FEWEST: Final = 4  # Fewest columns of a name that is cut
POINTS: Final = 8  # Most designs of the table


@dataclass(frozen=True, eq=False)
class PlanResult:
    """What `evenhand plan` found."""

    plan: CampaignPlan  # the plan
    wrote: tuple[str, ...]  # what was drawn

    def text(self, columns: int) -> str:
        """Return it for people."""
        plan, truth = self.plan, self.plan.spec.truth
        counted = plan.simulated
        how = "closed form" if counted is None else f"{counted.campaigns} campaigns simulated"
        lines = [
            label("", f"{len(truth.systems)} systems {plan.spec.source}; {_say(plan)}", columns),
            *block("read", [one.text for one in plan.excluded], columns),
            label("model", f"{how}; rank sets at level {plan.spec.level:g}", columns),
            "",
            *_draw_pairs(plan, columns),
            "",
            *block("says", plan.says, columns),
            "",
            *_draw_frontier(plan, columns),
            *(label("note", one, columns, colour="yellow") for one in plan.notes),
            *(label("wrote", one.removeprefix("wrote "), columns) for one in self.wrote),
            sign(plan.signature, columns),
        ]
        return "\n".join(lines) + "\n"

    def contract(self) -> dict[str, Any]:
        """Return the JSON."""
        found = self.plan.to_dict()
        return {**found, "notes": [*found["notes"], *self.wrote]}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each pair."""
        return [dict(vars(one)) for one in self.plan.pairs]

    def latex(self) -> str:
        """Return the pairs that are to be decided as a table for a paper."""
        plan = self.plan
        names = NUMBERS[: None if plan.simulated is not None else -len(OF_CAMPAIGNS)]
        header = ("pair", *("preferred" if name == "chance" else name for name in names))
        rows = [
            (escape(one.pair), *(number(getattr(one, name), 2) for name in names))
            for one in plan.asked
        ]
        comments = [plan.signature, *plan.says, *plan.notes]
        others = len(plan.pairs) - len(plan.asked)
        if others:
            comments.append(f"left out: {plural(others, 'pair')} that nobody asked to decide")
        return tabular("l" + "r" * len(names), header, [rows], comments)

    def remarks(self) -> list[str]:
        """Return what must stand beside the pairs."""
        return [*self.plan.says, *self.plan.notes, *self.wrote]


HEADER: Final = ("pair", "gap", "preferred", "expected", "power", "interval", "false")
SIMULATED: Final = ("power", "interval", "false")  # Columns that are empty without simulation
OF_CAMPAIGNS: Final = ("power", "lower", "upper")
NUMBERS: Final = ("gap", "chance", "expected", *OF_CAMPAIGNS)


def _say(plan: CampaignPlan) -> str:
    truth = plan.spec.truth
    return (
        f"ties {100 * truth.ties:.0f} %, sd of judges' tastes {truth.judge_sd:.2g}, of items"
        f" {truth.item_sd:.2g} (log-worth)"
    )


def _draw_pairs(plan: CampaignPlan, columns: int) -> list[str]:
    """Return a line for each pair, the hardest first, and what names are without."""
    shown, counted = plan.asked[:SHOWN], plan.simulated is not None
    left_out = _leave_out(plan, columns) if counted else SIMULATED
    names = [name for name in HEADER if name not in left_out]
    rows = [names, *([_cells(one)[name] for name in names] for one in shown)]
    room = columns - 1 - sum(2 + max(len(row[i]) for row in rows) for i in range(1, len(names)))
    short, without = _name_pairs(plan, shown, room)
    rows = [rows[0], *([name, *row[1:]] for name, row in zip(short, rows[1:], strict=True))]
    drawn = [" " + "  ".join(cells).rstrip() for cells in align(rows, left=(0,))]
    more = len(plan.asked) - len(shown)
    rest = [f" ... and {plural(more, 'pair')} more, easier"] if more else []
    said = [f" {line}" for line in wrap(without, columns - 1)] if without else []
    return [click.style(drawn[0], dim=True), *drawn[1:], *rest, *said]


def _leave_out(plan: CampaignPlan, columns: int) -> tuple[str, ...]:
    """Return what a narrow terminal does without; a false decision is shown at any width."""
    if columns >= PLAIN:
        return ()
    return ("expected",) if any(one.false for one in plan.asked) else ("expected", "false")


def _name_pairs(plan: CampaignPlan, shown: Sequence[PairPower], room: int) -> tuple[list[str], str]:
    """Return names of pairs in so many columns, and what was taken from all of them."""
    systems = plan.spec.truth.systems
    long = max(width(one.pair) for one in shown) > room
    short, said = shorten(systems) if long else (systems, "")
    for room_of_one in range(max(FEWEST, *map(width, short)), FEWEST - 1, -1):
        told = tell_apart(short, room_of_one)
        name = {one: told[other] for one, other in zip(systems, short, strict=True)}
        pairs = [f"{name[pair.better]} > {name[pair.worse]}" for pair in shown]
        if max(map(width, pairs)) <= room:
            break
    return pairs, said


def _cells(one: PairPower) -> dict[str, str]:
    cells = {
        "pair": one.pair,
        "gap": f"{one.gap:.2f}",
        "preferred": f"{100 * one.chance:.0f} %",
        "expected": f"{one.expected:.2f}",
    }
    if one.power is not None and one.lower is not None and one.upper is not None:
        cells["power"] = f"{one.power:.2f}"
        cells["interval"] = f"{one.lower:.2f} to {one.upper:.2f}"
        cells["false"] = f"{one.false}"
    return cells


def _draw_frontier(plan: CampaignPlan, columns: int) -> list[str]:
    """Return a line for each number of judges that does, unless campaigns say otherwise."""
    if plan.is_contradicted:
        left_out = "not shown: it rests on the closed form, which expects too much here"
        return [label("table", left_out, columns)]
    if not plan.frontier:
        return [f" no number of judges that was tried does on {plan.design.items:,} items"]
    header = ("judges", "judgments", "per judge", *(("cost",) if plan.spec.prices.stated else ()))
    rows = [_priced(plan, one)[: len(header)] for one in _choose_points(plan)]
    drawn = [" " + "  ".join(cells).rstrip() for cells in align([header, *rows], left=())]
    said = label("table", "fewest judgments that are expected to do, by judges", columns)
    return [click.style(drawn[0], dim=True), *drawn[1:], "", said]


def _choose_points(plan: CampaignPlan) -> Sequence[Design]:
    """Return the designs of the table: those around the planned number of judges."""
    panels = [one.judges for one in plan.frontier]
    nearest = min(range(len(panels)), key=lambda at: abs(panels[at] - plan.design.judges))
    start = max(min(nearest - POINTS // 2, len(panels) - POINTS), 0)
    return plan.frontier[start : start + POINTS]


def _priced(plan: CampaignPlan, design: Design) -> tuple[str, ...]:
    return (
        f"{design.judges:,}",
        f"{design.judgments:,}",
        f"{design.judgments / design.judges:,.0f}",
        f"{plan.spec.prices.cost(design):,.10g}",
    )

"""Variance components and designs, one for each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from typing import Any, Final

import click

from evenhand.cli.grouped import GroupedResult
from evenhand.cli.terminal import align, label, plural
from evenhand.cli.words import block, say_answers, sign
from evenhand.judges.variance import Plan, Study, VarianceComponents, say_number, say_proportion
from evenhand.judgments.components import Component
from evenhand.models.coefficients import format_p
from evenhand.report.tables.latex import escape, number, tabular

LEGEND: Final = (
    "sd in {unit}; {variance}of error is the share in the variance of a difference of two systems,"
    " as judged; p is of sd = 0"
)
OF_SCORE: Final = "variance is the share of one score's; "
STARRED: Final = "; * is with what this design cannot tell from it"


class VarianceResult(GroupedResult[Study]):
    """What `evenhand variance` found: components and designs for each group."""

    lacking = "has no components"

    def draw(self, part: Study, columns: int) -> list[str]:
        """Return everything about one group."""
        return _draw(part, columns)

    def describe(self, part: Study) -> dict[str, Any]:
        """Return the JSON of one group."""
        return part.to_dict()

    def rows(self, part: Study) -> list[dict[str, Any]]:
        """Return a row for each component, then one for each design."""
        contract = part.to_dict()
        designs = [*contract["designs"], *([contract["plan"]] if contract["plan"] else [])]
        components = [
            {**row, "carries": "; ".join(row["carries"]), "what": "component"}
            for row in contract["components"]
        ]
        found = [*components, *({**one, "what": "design"} for one in designs)]
        return [{key: row.get(key) for key in KEYS} for row in found]

    def tabulate(self, name: str, part: Study) -> str:
        """Return the table of components for a paper."""
        return _tabular(name, part)

    def say(self, part: Study) -> list[str]:
        """Return what was found, and what must stand beside it."""
        return [*part.says, *part.notes]


# Columns of CSV
KEYS: Final = (
    *("what", "name", "levels", "sd", "lower", "upper", "variance", "share", "adds", "p"),
    *("carries", "how", "judges", "items", "each", "judgments", "stderr", "reliability"),
    "dependability",
)


def _draw(part: Study, columns: int) -> list[str]:
    found = part.found
    legend = LEGEND.format(unit=found.unit, variance=OF_SCORE if found.shares else "")
    starred = any(one.carries for one in found.components)
    designs = _designs(part, columns)
    return [
        label("", _say_counts(found), columns),
        label("model", _say_model(found), columns),
        "",
        *_table(found, columns),
        "",
        label("table", legend + STARRED * starred, columns),
        *block("says", part.says, columns),
        *(["", *designs, "", label("design", _legend(part), columns)] if designs else []),
        *(label("note", note, columns, colour="yellow") for note in part.notes),
        sign(found.signature, columns),
    ]


def _say_counts(found: VarianceComponents) -> str:
    seen = found.observed
    if found.per_vote is None:
        answers = plural(seen.judgments, "score")
    else:
        answers = say_answers(seen.judgments, seen.comparisons)
    judges = plural(seen.judges, "judge")
    return f"{answers}, {judges}, {plural(seen.items, 'item')}, {plural(seen.systems, 'system')}"


def _say_model(found: VarianceComponents) -> str:
    if found.per_vote is None:
        return f"crossed random effects, {found.method}"
    how = {one.how for one in found.components}
    return f"tastes around pooled log-worths, {' and '.join(sorted(how, reverse=True))}"


def _table(found: VarianceComponents, columns: int) -> list[str]:
    """Return the table of components, with fewer figures where it would be too wide."""
    for figures in (3, 2):
        titled = [_cells(found, one, figures) for one in found.components]
        shown = [name for name in titled[0] if name != "variance" or found.shares]
        body = [[one[name] for name in shown] for one in titled]
        rows = align([shown, *body], left=(0,))
        lines = [" " + "  ".join(row).rstrip() for row in rows]
        if max(map(len, lines)) <= columns:
            break
    return [click.style(lines[0], dim=True), *lines[1:]]


def _cells(found: VarianceComponents, one: Component, figures: int) -> dict[str, str]:
    """Return what stands under each title."""
    total = sum(found.parts.values())
    part = found.parts.get(one.name)
    return {
        "source": one.name + " *" * bool(one.carries),
        "levels": f"{one.levels:,}",
        "sd": say_number(one.sd, figures),
        "interval": _interval(one, figures),
        "variance": _percent(found.shares.get(one.name)),
        "of error": _percent(None if part is None or not total else part / total),
        "p": "—" if one.p is None else format_p(one.p),
    }


def _interval(one: Component, figures: int) -> str:
    if one.lower is None or one.upper is None:
        return "—"
    upper = "no bound" if one.upper == float("inf") else say_number(one.upper, figures)
    return f"{say_number(one.lower, figures)} to {upper}"


def _percent(value: float | None) -> str:
    return "—" if value is None else f"{100 * value:.0f} %"


def _designs(part: Study, columns: int) -> list[str]:
    """Return the table of designs, a row for each number of judges.

    Where it would be too wide, the fewest items are left out, but not those that were judged.
    """
    if not part.designs:
        return []
    shown = list(range(len(part.designs[0])))
    while True:
        header = ["judges", *(f"{part.designs[0][at].items:,} items" for at in shown)]
        body = [[f"{row[0].judges:,}", *(_design(row[at]) for at in shown)] for row in part.designs]
        lines = [" " + "  ".join(row) for row in align([header, *body], left=())]
        if max(map(len, lines)) <= columns or len(shown) == 1:
            return [click.style(lines[0], dim=True), *lines[1:]]
        judged = part.found.observed.items
        shown.remove(next(at for at in shown if part.designs[0][at].items != judged))


def _design(one: Plan) -> str:
    if one.reliability is None:
        return f"{one.stderr:.2g}"
    return f"{one.stderr:#.2g} {say_proportion(one.reliability)}"


def _legend(part: Study) -> str:
    """Say what the table of designs shows."""
    first = part.designs[-1][0]
    shown = "standard error of a difference of two systems"
    shown += ", and reliability" if first.reliability is not None else ""
    if part.found.per_vote is not None:
        return f"{shown}; {first.each:,.0f} comparisons of each judge (--each)"
    if first.each >= first.judges:
        return f"{shown}; every judge scores every output (--each says otherwise)"
    return f"{shown}; {plural(first.each, 'judge')} per output, all systems of an item (--each)"


def _tabular(name: str, part: Study) -> str:
    found = part.found
    header = ("source", "levels", "s.d.", "lower", "upper", r"\% of variance", "$p$")
    rows = [
        (
            escape(one.title),
            number(one.levels, 0),
            number(one.sd, 3),
            number(one.lower, 3),
            r"$\infty$" if one.upper == float("inf") else number(one.upper, 3),
            number(_hundred(found.shares.get(one.name)), 0),
            "--" if one.p is None else f"${format_p(one.p)}$",
        )
        for one in found.components
    ]
    comments = [*([name] if name else []), found.signature, *part.says, *part.notes]
    return tabular("lrrrrrr", header, [rows], comments)


def _hundred(value: float | None) -> float | None:
    return None if value is None else 100 * value

"""Completed ratings and curves of decisions, one for each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, Final

import click

from evenhand.cli.grouped import GroupedResult
from evenhand.cli.terminal import align, cut, label, plural, width
from evenhand.cli.words import block, sign
from evenhand.errors import UnknownOption
from evenhand.numerics.cluster_means import Estimate as Paired
from evenhand.ratings.completion import Completion, GroupWidth
from evenhand.ratings.matrix import ADDITIVE, COMPLETION, MethodError
from evenhand.ratings.reliability import ONE, RAW, CompletedPart, DecisionCurve, Estimate
from evenhand.report.tables.latex import comment, escape, number, tabular

LEGEND: Final = (
    "points of the scale that a prediction is off, on {n} held-out cells that nothing was learned"
    " or chosen on;"
    " more is what it has beyond completion, with its {level} % interval"
)
GROUPS: Final = (
    "groups of judges, the held-out ratings that their intervals rest on, and half the width of"
    " these, in points (— where nothing is missing)"
)
CURVE: Final = (
    "share of pairs of systems ordered as by all ratings, with its interval; seen is the share of"
    " ratings; common is one rating per output and some outputs rated by all; then what completion"
    " has more than judge + output on the same ratings, and than one rating per output"
)
NONE: Final = "—"  # Where there is no number
MOST: Final = 2_000_000  # Most cells that CSV is written of


class CompleteResult(GroupedResult[CompletedPart]):
    """What `evenhand complete` found: predictions for each group, and decisions."""

    lacking = "cannot be completed"

    def draw(self, part: CompletedPart, columns: int) -> list[str]:
        """Return everything about one group."""
        return _draw(part, columns)

    def describe(self, part: CompletedPart) -> dict[str, Any]:
        """Return the JSON of one group."""
        return part.to_dict()

    def rows(self, part: CompletedPart) -> list[dict[str, Any]]:
        """Return the points of the curve, or all ratings, given and predicted."""
        if part.decisions is not None:
            return part.decisions.records()
        cells = part.completion.predicted.size
        if cells > MOST:
            raise UnknownOption(
                f"CSV of {cells:,} cells, more than {MOST:,}: take a part of the items, or"
                " NuclearNorm().fit(...).completed in Python"
            )
        return part.completion.records()

    def tabulate(self, name: str, part: CompletedPart) -> str:
        """Return the table of errors for a paper, or that of decisions."""
        if part.decisions is not None:
            return _tabulate_curve(name, part.decisions)
        return _tabulate_errors(name, part.completion)

    def say(self, part: CompletedPart) -> list[str]:
        """Return what was found, and what must stand beside it."""
        curve = part.decisions
        more = () if curve is None else (*curve.says, *curve.notes)
        return [*part.completion.says, *part.completion.notes, *more]


def _draw(part: CompletedPart, columns: int) -> list[str]:
    found = part.completion
    lines = [
        label("", _say_counts(found), columns),
        label("model", _say_model(found), columns),
    ]
    if found.table:
        legend = LEGEND.format(n=f"{found.table[0].n:,}", level=_level(found))
        lines += ["", *_errors(found.table, columns), "", label("table", legend, columns)]
    if found.model.group is not None:
        lines += ["", *_groups(found, columns), "", label("groups", GROUPS, columns)]
    lines += block("says", [*found.says, *_say_widths(found), *_say_where(found)], columns)
    lines += [label("note", note, columns, colour="yellow") for note in found.notes]
    lines.append(sign(found.signature, columns))
    if part.decisions is not None:
        lines += ["", *_decisions(part.decisions, columns)]
    return lines


def _say_counts(found: Completion) -> str:
    judges, outputs = found.matrix.shape
    ratings = plural(float(found.matrix.cells.weight.sum()), "rating")
    seen = f"{100 * found.matrix.fill:.0f} % of the cells seen, {found.n_missing:,} missing"
    return f"{ratings}, {plural(judges, 'judge')}, {plural(outputs, 'output')}: {seen}"


def _say_model(found: Completion) -> str:
    if found.abstained:
        return "judge + output"
    return f"judge + output + shared tastes of rank {found.rank} (nuclear norm, τ {found.tau:.3g})"


def _say_widths(found: Completion) -> list[str]:
    """Say how wide intervals are."""
    if not found.n_missing or not found.table:
        return []
    ends = [end for one in found.intervals for end in (one.narrowest, one.widest)]
    finite = sorted(end for end in ends if end is not None and isfinite(end))
    some, none = found.bounded
    if not finite:
        return []
    wide = f"{finite[0]:.3g}"
    if finite[-1] > finite[0]:
        wide += f" to {finite[-1]:.3g}"
    who = f" for {some:,} of {plural(some + none, 'judge')}" if none else ""
    rest = "; for the others they have no bounds" if none else ""
    return [f"{_level(found)} % intervals are ± {wide} points{who}{rest}"]


def _say_where(found: Completion) -> list[str]:
    """Say where the predictions are, which text does not show."""
    return ["the predictions themselves: -o FILE.csv, or --csv"] if found.n_missing else []


def _level(found: Completion) -> str:
    return f"{100 * found.model.level:.12g}"


def _groups(found: Completion, columns: int) -> list[str]:
    """Return the table of intervals by group of judges."""
    rows = [
        (cut(one.group, columns // 2), f"{one.judges:,}", f"{one.n:,}", _half(one))
        for one in found.intervals
    ]
    return _lay([("group", "judges", "held out", "±"), *rows])


def _half(one: GroupWidth) -> str:
    if one.narrowest is None or one.widest is None:
        return NONE
    ends = [f"{end:.3g}" if isfinite(end) else "∞" for end in (one.narrowest, one.widest)]
    return " to ".join(dict.fromkeys(ends))


def _lay(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, its header dim."""
    lines = [" " + "  ".join(row).rstrip() for row in align(rows, left=(0,))]
    return [click.style(lines[0], dim=True), *lines[1:]]


def _fit(rows: Sequence[Sequence[str]], own: int, half: int, columns: int) -> list[str]:
    """Return a table, in two where it is too wide."""
    if 1 + max(width("  ".join(row).rstrip()) for row in align(rows, left=(0,))) <= columns:
        return _lay(rows)
    first, second = ([row[:half] for row in rows], [[*row[:own], *row[half:]] for row in rows])
    return [*_lay(first), "", *_lay(second)]


def _errors(table: Sequence[MethodError], columns: int) -> list[str]:
    rows = [
        (row.method, f"{row.mae:.3g}", _more(row.mae_more), f"{row.rmse:.3g}", _more(row.rmse_more))
        for row in table
    ]
    return _fit([("method", "mae", "more", "rmse", "more"), *rows], 1, 3, columns)


def _more(one: Paired | None) -> str:
    if one is None:
        return NONE
    return f"{one.value:+.2g} ({one.lower:+.2g} to {one.upper:+.2g})"


def _decisions(curve: DecisionCurve, columns: int) -> list[str]:
    header = ("design", "seen", "raw mean", "judge + output", "completion", "more", "than one")
    rows = [
        (
            point.design.kind,
            f"{100 * point.design.share:.0f} %",
            *(_percent(point.reliability[name]) for name in (RAW, ADDITIVE, COMPLETION)),
            _signed(point.gains[ADDITIVE]),
            _signed(point.gains[ONE]),
        )
        for point in curve.points
    ]
    return [
        *_fit([header, *rows], 2, 5, columns),
        "",
        label("table", CURVE, columns),
        *block("says", curve.says, columns),
        *(label("note", note, columns, colour="yellow") for note in curve.notes),
        sign(curve.signature, columns),
    ]


def _percent(one: Estimate) -> str:
    return f"{100 * one.value:.0f} ({100 * one.lower:.0f}-{100 * one.upper:.0f})"


def _signed(one: Estimate) -> str:
    return f"{100 * one.value:+.0f} ({100 * one.lower:+.0f},{100 * one.upper:+.0f})"


def _tabulate_errors(name: str, found: Completion) -> str:
    rows = [
        (escape(row.method), number(row.mae, 2), number(row.rmse, 2), *_ends(row.mae_more))
        for row in found.table
    ]
    header = ("method", "MAE", "RMSE", "MAE $-$ completion", "lower", "upper")
    comments = [*([name] if name else []), found.signature, *found.says, *found.notes]
    errors = tabular("lrrrrr", header, [rows], comments) if rows else comment(comments)
    return errors if found.model.group is None else errors + _tabulate_groups(found)


def _tabulate_groups(found: Completion) -> str:
    rows = [
        (escape(one.group), *(number(n, 0) for n in (one.judges, one.n)), *_bounds(one))
        for one in found.intervals
    ]
    header = ("group", "judges", "held out", r"$\pm$ from", "to")
    return tabular("lrrrr", header, [rows], [GROUPS])


def _bounds(one: GroupWidth) -> tuple[str, ...]:
    ends = (one.narrowest, one.widest)
    return tuple(number(end, 2) if end is None or isfinite(end) else r"$\infty$" for end in ends)


def _ends(one: Paired | None) -> tuple[str, ...]:
    ends = (None,) * 3 if one is None else (one.value, one.lower, one.upper)
    return tuple(number(end, 2) for end in ends)


def _tabulate_curve(name: str, curve: DecisionCurve) -> str:
    rows = [
        (
            point.design.kind,
            number(100 * point.design.share, 0),
            *(number(point.reliability[one].value, 3) for one in (RAW, ADDITIVE, COMPLETION)),
            *(number(end, 3) for end in _triple(point.gains[ADDITIVE])),
        )
        for point in curve.points
    ]
    header = (
        *("design", r"\% seen", "raw mean", "judge + output", "completion"),
        *("gain", "lower", "upper"),
    )
    comments = [*([name] if name else []), curve.signature, *curve.says, *curve.notes]
    return tabular("lrrrrrrr", header, [rows], comments)


def _triple(one: Estimate) -> tuple[float, float, float]:
    return one.value, one.lower, one.upper

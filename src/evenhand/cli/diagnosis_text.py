"""Tables 1 to 4 of Hamon, Mostefa & Arranz (2007) on the user's data, for people and for papers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import click

from evenhand.cli.terminal import align, cut, label, plural, width
from evenhand.judges.diagnosis_result import AgreementRow, Diagnosis
from evenhand.judges.removal import Rescoring
from evenhand.report.tables import latex
from evenhand.report.tables.latex import escape

NAME: Final = 16  # Most columns that a criterion or an input takes
STEPS: Final = 5  # Most columns of n-agreement
NONE: Final = "—"

_METHODS: Final = {
    "mean-score": "mean score",
    "mean-agreement": "agreement",
    "easy-items": "easy items",
}

Table = tuple[str, Sequence[Sequence[str]], str]  # Title, rows with the header first, legend

_NUMBER: Final = re.compile(r"-?[\d,]+(\.\d+)?")
_SIGNS: Final = {"κ": r"$\kappa$", "ρ": r"$\rho$", NONE: latex.NONE}


def draw_diagnosis(found: Diagnosis, columns: int) -> list[str]:
    """Return the four tables, and the same on the merged scale where it was asked for."""
    lines: list[str] = []
    for title, rows, legend in _tables(found):
        lines += ["", click.style(f" {title}", bold=True), *_lay_out(rows, columns)]
        lines += [label("", legend, columns)] if legend else []
    if found.merged is not None:
        lines += ["", click.style(" On the merged scale ".ljust(columns, "┈"), dim=True)]
        lines += [label("says" if not i else "", one, columns) for i, one in _number(found.merged)]
        lines += draw_diagnosis(found.merged, columns)
    return lines


def _number(found: Diagnosis) -> list[tuple[int, str]]:
    return list(enumerate(found.says))


def tabulate_diagnosis(name: str, found: Diagnosis) -> str:
    """Return the four tables in LaTeX."""
    parts = []
    for title, (header, *rows), legend in _tables(found):
        comments = [*([name] if name else []), found.signature, title, legend]
        cells = [[escape(row[0]), *(_typeset(cell) for cell in row[1:])] for row in rows]
        aligned = "l" + "r" * (len(header) - 1)
        head = [_typeset(cell) for cell in header]
        parts.append(latex.tabular(aligned, head, [cells], [one for one in comments if one]))
    return "\n".join(parts)


def _typeset(cell: str) -> str:
    r"""Write a cell for LaTeX: numbers and Greek letters in mathematics.

    >>> _typeset("-0.302"), _typeset("10,180"), _typeset("n = 0"), _typeset("r of removed")
    ('$-0.302$', '$10{,}180$', '$n = 0$', '$r$ of removed')
    """
    if _NUMBER.fullmatch(cell) or cell.startswith("n = "):
        return f"${cell.replace(',', '{,}')}$"
    written = "".join(_SIGNS.get(sign, sign) for sign in escape(cell))
    return re.sub(r"^r\b", "$r$", written)


def _tables(found: Diagnosis) -> list[Table]:
    every = (_agreement(found), _kappa(found), _outside(found), _removal(found))
    return [table for table in every if len(table[1]) > 1]


def _lay_out(rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    """Return the lines of a table; one that is too wide goes on below, with its names again."""
    cells = align(rows, left=(0,))
    taken = [width(cell) + 2 for cell in cells[0]]
    keys = 1 + rows[0].index("without") if "without" in rows[0] else 1
    lines: list[str] = []
    start = keys
    while start < len(taken):
        stop, used = start + 1, sum(taken[:keys]) + taken[start]
        while stop < len(taken) and used + taken[stop] <= columns:
            stop, used = stop + 1, used + taken[stop]
        shown = [[*row[:keys], *row[start:stop]] for row in cells]
        head, *body = ("  " + "  ".join(row).rstrip() for row in shown)
        lines += [click.style(head, dim=True), *body]
        start = stop
    return lines


def _where(row: AgreementRow) -> str:
    """Name a row: its criterion, and its input or "all" where there are inputs."""
    name = row.criterion or "all scores"
    return cut(f"{name}, {row.input}" if row.input else name, 2 * NAME)


def _agreement(found: Diagnosis) -> Table:
    """Table 1."""
    held = [row for row in found.agreement if row.n_agreement]
    steps = sorted({step for row in held for step in row.steps})
    if len(steps) > STEPS:
        steps = [*steps[: STEPS - 1], steps[-1]]
    rows = [
        (_where(row), f"{row.outputs:,}", *(_share(row, n) for n in steps))
        for row in found.agreement
    ]
    header = ("", "outputs", *(f"n = {step:g}" for step in steps))
    legend = "share of pairs of judges whose scores of an output are at most n points apart"
    return "1  n-agreement", [header, *rows] if held else [header], legend


def _share(row: AgreementRow, step: float) -> str:
    if step not in row.steps:
        return NONE
    return f"{row.n_agreement[row.steps.index(step)]:.3f}"


def _kappa(found: Diagnosis) -> Table:
    """Table 2."""
    rows = [
        (
            _where(row),
            *(_show(value, 3) for value in (row.observed, row.expected, row.kappa)),
        )
        for row in found.agreement
        if row.outputs
    ]
    return "2  Fleiss' κ", [("", "observed", "by chance", "κ"), *rows], ""


def _outside(found: Diagnosis) -> Table:
    """Table 3, with how many are too high and too low."""
    titles = [method.replace("-", " ") for method in found.methods]
    rows = []
    for criterion, counts in found.deleted.items():
        cells = [_count(found, method, criterion, counts) for method in found.methods]
        rows.append((cut(criterion or "all scores", 2 * NAME), *cells))
    common = [
        f"{len(one.judges)} by both {' and '.join(one.methods).replace('-', ' ')}"
        + (f" under {one.criterion}" if one.criterion else "")
        for one in found.common
        if one.judges
    ]
    legend = (
        f"of {plural(found.n_judges, 'judge')}; in brackets above and below the limits. Whoever is"
        " only severe or lenient may be here: act on flags, these rules are the paper's"
    )
    return "3  Judges outside", [("", *titles), *rows], "; ".join([legend, *common])


def _count(found: Diagnosis, method: str, criterion: str, counts: dict[str, int]) -> str:
    if method not in counts:
        return NONE
    if criterion not in found.criteria:
        return f"{counts[method]}"
    one = found.outliers_of(method, criterion)
    sides = f" ({len(one.high)}, {len(one.low)})" if one.lower is not None else ""
    return f"{counts[method]}{sides}"


def _removal(found: Diagnosis) -> Table:
    """Table 4, with what else becomes of the systems' scores."""
    rows = [
        (cut(one.criterion or "all scores", NAME), name, *_facts(one))
        for name, one in (
            *((_METHODS[one.method], one) for one in found.removals),
            *(("the choice", one) for one in found.chosen),
        )
    ]
    header = ("", "without", "lost", "r", "ρ", "r of removed", "kept", "removed")
    legend = (
        "systems scored without them: share of scores lost, Pearson's r and Spearman's ρ with the"
        " scores by all, r of the removed judges' own scores, mean scores of kept and removed"
        f"; the choice: outside by {found.choice.replace('-', ' ')}"
    )
    return "4  Systems scored again", [header, *rows], legend


def _facts(one: Rescoring) -> tuple[str, ...]:
    return (
        f"{100 * one.share_lost:.0f} %",
        _show(one.kept.pearson, 3),
        _show(one.kept.spearman, 3),
        _show(one.removed.pearson, 3),
        _show(one.kept_mean, 2),
        _show(one.removed_mean, 2),
    )


def _show(value: float | None, digits: int) -> str:
    return NONE if value is None else f"{value:.{digits}f}"

"""The coefficient table of a fit, in a terminal and in LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, width
from evenhand.errors import NotConverged, NotIdentified
from evenhand.models.base import Fit
from evenhand.models.coefficients import Coefficient, QuasiVariances, format_p
from evenhand.report.tables.latex import NONE, escape, number, tabular

LAMBDA = "lambda"  # The scale of worths, twice which are log-worths
FEW = 3
MANY = 60  # Most systems for which quasi-variances are printed: their fit costs K⁴


def quasi_variances(fit: Fit) -> QuasiVariances | None:
    """Return quasi-variances where there are three to sixty systems and they exist."""
    if fit.vcov is None or not FEW <= len(fit.systems) <= MANY:
        return None
    try:
        return fit.quasi_variances()
    except (NotIdentified, NotConverged):
        return None


def draw_coefficients(fit: Fit, columns: int) -> list[str]:
    """Return the lines of the table, titles first."""
    ties = fit.likelihood.ties
    unknown = [*fit.design.aliased, *(() if ties is None else ties.endless)]
    return draw_table(fit.coefficients, columns, _quasi_errors(fit), unknown)


def draw_table(
    coefficients: Sequence[Coefficient],
    columns: int,
    quasi: Mapping[str, str] | None = None,
    unknown: Sequence[str] = (),
    *,
    scale: str = LAMBDA,
) -> list[str]:
    """Return the lines of a table of coefficients, titles first."""
    estimate = "λ" if scale == LAMBDA else scale
    titles = ("name", "parameter", estimate, "s.e.", "z", "p", *(["quasi s.e."] if quasi else []))
    rows = [titles]
    for one in coefficients:
        own = [quasi.get(one.label, "") if one.name[1:].isdigit() else ""] if quasi else []
        rows.append((one.name, one.label, *_numbers(one), *own))
    rows += [("—", name, *["—"] * (len(titles) - 2)) for name in unknown]
    others = align([(row[0], *row[2:]) for row in rows], left=(0,))
    taken = 1 + sum(map(width, others[0])) + 2 * len(others[0])
    shown = tell_apart([row[1] for row in rows], columns - taken)
    names = align([(shown[row[1]],) for row in rows], left=(0,))
    lines = [
        " " + "  ".join([cells[0], name, *cells[1:]]).rstrip()
        for cells, (name,) in zip(others, names, strict=True)
    ]
    return [click.style(lines[0], dim=True), *lines[1:]]


def _quasi_errors(fit: Fit) -> dict[str, str]:
    """Return quasi standard errors by system, none where one of them does not exist."""
    quasi = quasi_variances(fit)
    if quasi is None or (quasi.variances < 0).any():
        return {}
    return {
        system: f"{error:.4f}" for system, error in zip(quasi.systems, quasi.stderr, strict=True)
    }


def _numbers(one: Coefficient) -> tuple[str, str, str, str]:
    return (
        f"{one.estimate:z.4f}",
        "—" if one.stderr is None else f"{one.stderr:.4f}",
        "—" if one.z is None else f"{one.z:.3f}",
        "—" if one.p is None else format_p(one.p),
    )


def tabulate_coefficients(
    coefficients: Sequence[Coefficient], comments: Sequence[str], *, scale: str = LAMBDA
) -> str:
    """Return the table for a paper."""
    estimate = r"$\hat\lambda$" if scale == LAMBDA else escape(scale)
    header = ("", "parameter", estimate, "s.e.", "$z$", "$p$")
    rows = [
        (
            escape(one.name),
            escape(one.label),
            number(one.estimate, 4),
            number(one.stderr, 4),
            number(one.z, 3),
            NONE if one.p is None else f"${format_p(one.p)}$",
        )
        for one in coefficients
    ]
    return tabular("llrrrr", header, [rows], comments)

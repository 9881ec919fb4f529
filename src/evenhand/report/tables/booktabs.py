"""A table of a report for LaTeX: booktabs, numbers in mathematics, a rule where a line stands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from evenhand.report.document import Column, Table
from evenhand.report.numbers import write_value
from evenhand.report.tables.latex import NONE, escape, tabular

GREEK: Final = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "λ": "lambda", "μ": "mu",
    "ν": "nu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "χ": "chi",
    "→": "to", "≤": "le", "≥": "ge", "×": "times", "±": "pm", "≈": "approx",
}  # fmt: skip
# Signs that LaTeX knows only by another name
SIGNS: Final = {
    **{sign: rf"$\{name}$" for sign, name in GREEK.items()},
    "−": "$-$",
    "²": "$^2$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
}


def write_latex(table: Table, comments: Sequence[str] = ()) -> str:
    """Write a table."""
    shown = table.columns
    rows = [[write_cell(row[one.key], one) for one in shown] for row in table.rows]
    ends = [0, *table.lines, len(rows)]
    blocks = [rows[first:last] for first, last in pairwise(ends)]
    columns = "".join("l" if one.kind == "text" else "r" for one in shown)
    return tabular(columns, [typeset(one.title) for one in shown], blocks, comments)


def write_cell(value: Any, column: Column) -> str:
    r"""Write a cell: text as it stands, a number in mathematics.

    >>> [write_cell(-1234.5, Column("x", "x", kind)) for kind in ("two", "count", "share")]
    ['$-1{,}234.50$', '$-1{,}234.5$', '$-123450\\,\\%$']
    >>> write_cell(0.0001, Column("p", "p", "chance")), write_cell(None, Column("x", "x", "two"))
    ('$< 0.001$', '--')
    """
    if value is None:
        return NONE
    written = write_value(value, column.kind)
    if column.kind == "text" or isinstance(value, str):
        return typeset(written)
    return f"${written.replace(',', '{,}').replace(' %', chr(92) + ',' + chr(92) + '%')}$"


def typeset(text: str) -> str:
    r"""Write text so that LaTeX prints it as it stands, Greek letters and signs in mathematics.

    >>> typeset("κ of A_1 – 50 %")
    '$\\kappa$ of A\\_1 -- 50 \\%'
    """
    return "".join(SIGNS.get(sign) or escape(sign) for sign in text)

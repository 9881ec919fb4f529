"""Tables leave as files: LaTeX for papers, Markdown for pages, CSV for programs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from evenhand.errors import require_option
from evenhand.report.document import Column, Table, write_value
from evenhand.report.figures.drawing import fill_folder, name_files
from evenhand.report.html import Report, list_paths
from evenhand.report.latex import NONE, escape_control, tabular
from evenhand.report.latex import escape as escape_of_latex

# A table of a report for LaTeX: booktabs, numbers in mathematics, a rule where a line stands.

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
    return "".join(SIGNS.get(sign) or escape_of_latex(sign) for sign in text)


# A table of a report for Markdown: pipes, numbers to the right, names as they stand.

# Signs that mean something somewhere in a cell
MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#~|$&!])")
END: Final = re.compile("--(!?)>")  # What ends a comment
LEFT, RIGHT = ":--", "--:"


def write_markdown(table: Table, comments: Sequence[str] = ()) -> str:
    shown = table.columns
    body = [[write_value(row[one.key], one.kind) for one in shown] for row in table.rows]
    rows = [
        [escape(one.title) for one in shown],
        [(LEFT if one.kind == "text" else RIGHT) for one in shown],
        *([escape(cell) for cell in cells] for cells in body),
    ]
    lines = [f"| {' | '.join(cells)} |" for cells in rows]
    hidden = [END.sub(r"-- \1>", escape_control(line)) for line in comments]
    above = [*(f"<!-- {line} -->" for line in hidden), *([""] if comments else [])]
    return "\n".join([*above, *lines, ""])


def escape(text: str) -> str:
    r"""Write text so that Markdown shows it as it stands.

    >>> escape("a|b_c")
    'a\\|b\\_c'
    """
    return MARKUP.sub(r"\\\1", escape_control(text))


# All tables of a report as files of a folder.

ABOUT: Final = "about.txt"  # What stands beside the tables, since CSV has no room for it


def write_csv(table: Table, comments: Sequence[str] = ()) -> str:
    r"""Write a table for programs: values as they are, also those that the columns do not show."""
    del comments
    keys = dict.fromkeys(key for row in table.rows for key in row)
    text = io.StringIO(newline="")
    names = [*dict.fromkeys((*(one.key for one in table.columns), *keys))]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.rows)
    return text.getvalue()


# Form → ending of its files, and what writes it
FORMS: Final[dict[str, tuple[str, Callable[[Table, Sequence[str]], str]]]] = {
    "latex": (".tex", write_latex),
    "markdown": (".md", write_markdown),
    "csv": (".csv", write_csv),
}


def write_tables(report: Report, folder: Path, forms: Sequence[str] = tuple(FORMS)) -> list[Path]:
    for form in forms:
        require_option("form", form, tuple(FORMS))
    tables = {
        path.name(table): (path, table) for path in list_paths(report) for table in path.tables
    }
    stems = name_files(tables)
    files: dict[str, bytes] = {}
    about = [f"{report.title}\n{report.command}\nEvenhand {report.version}"]
    for name, (path, table) in tables.items():
        # What stands above a table: its caption, what columns mean, how to get it again
        means = [f"{one.title}: {one.says}" for one in table.columns if one.says]
        of = f"{path.part}: {table.caption}" if path.part else table.caption
        comments = [*filter(None, (of, *means, path.section.command, path.signature))]
        about.append("\n".join([stems[name], *(f"  {line}" for line in comments)]))
        for form in dict.fromkeys(forms):
            ending, write = FORMS[form]
            files[f"{stems[name]}{ending}"] = write(table, comments).encode()
    files[ABOUT] = ("\n\n".join(about) + "\n").encode()
    return fill_folder(folder, "tables", files)

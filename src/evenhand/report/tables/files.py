"""All tables of a report as files of a folder."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from evenhand.errors import require_option
from evenhand.report.document import Report, Table
from evenhand.report.figures.file_names import name_files
from evenhand.report.folders import fill_folder
from evenhand.report.places import Place, list_tables
from evenhand.report.tables.booktabs import write_latex
from evenhand.report.tables.markdown import write_markdown

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
    """Write each table of a report into a folder, which is made where it is not there."""
    for form in forms:
        require_option("form", form, tuple(FORMS))
    tables = list_tables(report)
    stems = name_files(tables)
    written = {
        f"{stems[name]}{ending}": write(table, say_above(place, table)).encode()
        for name, (place, table) in tables.items()
        for ending, write in (FORMS[form] for form in dict.fromkeys(forms))
    }
    about = [
        "\n".join([stems[name], *(f"  {line}" for line in say_above(place, table))])
        for name, (place, table) in tables.items()
    ]
    head = f"{report.title}\n{report.command}\nEvenhand {report.version}"
    written[ABOUT] = ("\n\n".join([head, *about]) + "\n").encode()
    return fill_folder(folder, "tables", written)


def say_above(place: Place, table: Table) -> list[str]:
    """Return what stands above a table: its caption, what columns mean, how to get it again."""
    means = [f"{one.title}: {one.says}" for one in table.columns if one.says]
    of = f"{place.part}: {table.caption}" if place.part else table.caption
    return [*filter(None, (of, *means, place.section.command, place.signature))]

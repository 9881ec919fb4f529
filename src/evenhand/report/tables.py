"""Tables leave as files: LaTeX for papers, Markdown for pages, CSV for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from evenhand.errors import require_option
from evenhand.render import latex, markup
from evenhand.render.document import Table
from evenhand.report.figures.drawing import fill_folder, name_files
from evenhand.report.html import Report, list_paths

# All tables of a report as files of a folder.

ABOUT: Final = "about.txt"  # What stands beside the tables, since CSV has no room for it


def write_csv(table: Table, comments: Sequence[str] = (), part: str = "") -> str:
    r"""Write a table for programs: values as they are, also those that the columns do not show."""
    del comments, part
    keys = dict.fromkeys(key for row in table.rows for key in row)
    text = io.StringIO(newline="")
    shown = (one.key for one in table.columns if isinstance(one.key, str))
    names = [*dict.fromkeys((*shown, *keys))]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.rows)
    return text.getvalue()


# Form → ending of its files, and what writes it
FORMS: Final[dict[str, tuple[str, Callable[[Table, Sequence[str], str], str]]]] = {
    "latex": (".tex", latex.write_table),
    "markdown": (".md", markup.write_table),
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
            files[f"{stems[name]}{ending}"] = write(table, comments, path.part).encode()
    files[ABOUT] = ("\n\n".join(about) + "\n").encode()
    return fill_folder(folder, "tables", files)

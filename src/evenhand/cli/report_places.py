"""Where a report goes: all places are looked at before the work begins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.kept import kept
from evenhand.cli.output import refuse_overwriting, refuse_unwritable, write_file
from evenhand.cli.report_options import TABLES
from evenhand.cli.terminal import PLAIN, label, plural
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.report.document import Report

PAGE: Final = "report.html"
PICTURES: Final = ("svg", "png")


@dataclass(frozen=True)
class Folder:
    """A folder that is filled."""

    path: Path  # where it is
    forms: tuple[str, ...]  # of its files


@dataclass(frozen=True)
class Places:
    """Where a report goes."""

    page: Path | None  # the file of the page or of its JSON; None where JSON is printed
    as_json: bool  # whether it is JSON, whatever the file is called
    tables: Folder | None = None  # the folder of tables, or None
    figures: Folder | None = None  # the folder of figures, or None

    def deliver(self, report: Report) -> None:
        """Write or print a report; say on the error stream what was written."""
        from evenhand.report.leaving import find_form, write_json

        if self.page is None:
            click.echo(write_json(report).encode(), nl=False)
        else:
            write = write_json if self.as_json else find_form(self.page)
            write_file(self.page, write(report))
            _say("wrote", str(self.page))
        self._fill(report)

    def _fill(self, report: Report) -> None:
        """Write tables and figures, where they were asked for."""
        from evenhand.report.figures.drawing import write_figures
        from evenhand.report.figures.file_names import name_files
        from evenhand.report.tables.files import write_tables

        if self.tables is not None:
            written = write_tables(report, self.tables.path, self.tables.forms)
            _say("wrote", f"{plural(len(written), 'file')} of tables to {self.tables.path}")
        if self.figures is not None:
            drawn = report.figures
            files = name_files(drawn)
            named = {files[name]: chart for name, chart in drawn.items()}
            written = write_figures(named, self.figures.path, self.figures.forms)
            _say("wrote", f"{plural(len(written), 'file')} of figures to {self.figures.path}")


def take_places(
    output: str | None,
    tables: tuple[str | None, tuple[str, ...] | None],
    figures: tuple[str | None, tuple[str, ...] | None],
    *,
    as_json: bool,
) -> Places:
    """Return where the words of the command say that the report goes."""
    from evenhand.report.figures.drawing import check_folder as check_figures
    from evenhand.report.folders import check_folder

    places = Places(
        _take_page(output, as_json=as_json),
        as_json,
        _take_folder("tables", *tables, TABLES),
        _take_folder("figures", *figures, PICTURES),
    )
    if places.page is not None:
        check_folder(places.page.parent, "the report")
        if not places.page.parent.is_dir():
            raise UnknownOption(f"'{places.page}' cannot be written: no such folder")
        refuse_unwritable(places.page)
    if places.tables is not None:
        check_folder(places.tables.path, "tables")
    if places.figures is not None:
        check_figures(places.figures.path, places.figures.forms)
    return places


def _take_page(output: str | None, *, as_json: bool) -> Path | None:
    """Return the file of the page; None where JSON is printed."""
    from evenhand.report.leaving import find_form

    if output is None and as_json:
        return None
    path = Path(output or PAGE)
    refuse_overwriting(kept("files"), str(path))
    if not as_json:
        find_form(path)
    elif path.suffix.lower() in (".html", ".htm"):
        raise UnknownOption(f"-o {path} is a page, and --json writes none: leave one of them out")
    return path


def _take_folder(
    what: str, folder: str | None, forms: tuple[str, ...] | None, usual: tuple[str, ...]
) -> Folder | None:
    """Return a folder that was asked for, with the forms of its files."""
    if folder is not None:
        return Folder(Path(folder), forms or usual)
    if forms is not None:
        raise UnknownOption(f"--{what}-as says in which form: say where to with --{what} FOLDER")
    return None


def say_found(report: Report) -> None:
    """Say what was excluded and the answer on the error stream; where a task has none, why."""
    for one in report.excluded:
        _say("note", one.text)
    for part in report.parts:
        name = f"{part.name}: " if part.name else ""
        if part.refused or len(report.parts) == 1:
            _say("note" if part.refused else "says", f"{name}{' '.join(part.answer)}")


def _say(what: str, text: str) -> None:
    click.echo(label(what, text, PLAIN), err=True)

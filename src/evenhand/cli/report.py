"""`evenhand report`: all that the judgments show, on one page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import (
    SomeOf,
    given_options,
    level_option,
    order_option,
    prior_option,
    reading_options,
    section,
    seed_option,
    stack,
    ties_option,
    verb,
)
from evenhand.cli.refusals import kept, open_elsewhere
from evenhand.cli.running import (
    ProgressDisplay,
    Reading,
    refuse_overwriting,
    refuse_unwritable,
    take_reading,
    write_file,
)
from evenhand.errors import UnknownOption
from evenhand.render.counts import plural
from evenhand.render.text import PLAIN, label

if TYPE_CHECKING:
    from evenhand.models.bradley_terry import BradleyTerry
    from evenhand.report.analysis import Settings
    from evenhand.report.html import Report

TABLES: Final = ("latex", "markdown", "csv")
FIGURES: Final = ("svg", "png", "pdf")

_said_option = section("What is said")
_placed_option = section("Where it goes")

said_options = stack(
    _said_option(
        "--title",
        metavar="TEXT",
        default="",
        help="What stands above it. Default: the name of the file.",
        show_default=False,
    ),
    _said_option(
        "--sections",
        metavar="NAME,NAME",
        help="Only these sections, such as ranking,judges; a wrong name lists them all.",
    ),
    _said_option("--full", is_flag=True, help="Also the checks that take minutes."),
    level_option(_said_option, says="Of intervals, rank sets and tests."),
    seed_option(_said_option),
)

ranking_options = stack(ties_option, order_option, prior_option)

place_options = stack(
    _placed_option(
        "-o",
        "--output",
        metavar="FILE",
        help="The page, report.html by default; a name that ends in .json takes all its numbers.",
    ),
    _placed_option(
        "--json",
        "as_json",
        is_flag=True,
        help="Every number of the report as JSON, a stable contract, and no page.",
    ),
    _placed_option("--tables", metavar="FOLDER", help="Also each table as a file of a folder."),
    _placed_option(
        "--tables-as",
        "table_forms",
        type=SomeOf(TABLES),
        help="Forms of the tables, with commas between. Default: all three.",
    ),
    _placed_option("--figures", metavar="FOLDER", help="Also each figure as a file of a folder."),
    _placed_option(
        "--figures-as",
        "figure_forms",
        type=SomeOf(FIGURES),
        help="Forms of the figures, with commas between. Default: svg,png.",
    ),
)


def say_reading() -> tuple[str, ...]:
    """Return the words of the command that read the same judgments again, without secrets."""
    from evenhand.formats.reading import show_source

    words: list[str] = [*map(show_source, kept("files"))]
    for name, option, usual in (
        ("task", "--task", None),
        ("where", "--where", None),
        ("layout", "--from", None),
        ("weight", "--weight", None),
        ("weights", "--weights", "frequency"),
        ("system_separator", "--system-separator", None),
    ):
        words += [] if kept(name) == usual else [option, kept(name)]
    for name, option in (("columns", "--column"), ("outcomes", "--outcome")):
        for key, value in kept(name):
            words += [option, f"{key}={value}"]
    return tuple(words)


# Where a report goes: all places are looked at before the work begins.

PAGE: Final = "report.html"
PICTURES: Final = ("svg", "png")


@dataclass(frozen=True)
class Folder:
    path: Path  # where it is
    forms: tuple[str, ...]  # of its files


@dataclass(frozen=True)
class Places:
    page: Path | None  # the file of the page or of its JSON; None where JSON is printed
    as_json: bool  # whether it is JSON, whatever the file is called
    tables: Folder | None = None  # the folder of tables, or None
    figures: Folder | None = None  # the folder of figures, or None

    def deliver(self, report: Report) -> None:
        from evenhand.report.html import find_form
        from evenhand.report.html import write_report_json as write_json

        if self.page is None:
            click.echo(write_json(report).encode(), nl=False)
        else:
            write = write_json if self.as_json else find_form(self.page)
            write_file(self.page, write(report))
            _say("wrote", str(self.page))
        self._fill(report)

    def _fill(self, report: Report) -> None:
        from evenhand.report.figures.drawing import name_files, write_figures
        from evenhand.report.html import write_tables

        if self.tables is not None:
            written = write_tables(report, self.tables.path, self.tables.forms)
            _say("wrote", f"{plural(len(written), 'file')} of tables to {self.tables.path}")
        if self.figures is not None:
            drawn = report.charts
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
    from evenhand.report.figures.drawing import check_figure_folder as check_figures
    from evenhand.report.figures.drawing import check_folder

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
    from evenhand.report.html import find_form

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


@verb(
    "evenhand report votes.csv -o report.html",
    "evenhand report wmt12.RNK_results.csv --task fr-en -o fr-en.html",
    "evenhand report votes.csv --sections ranking,judges --title Summer",
    "evenhand report votes.csv --tables tables --figures figures --figures-as pdf",
    "evenhand report votes.csv --json",
)
@reading_options
@said_options
@ranking_options
@place_options
def report(
    *,
    title: str,
    sections: str | None,
    full: bool,
    level: float,
    seed: int,
    ties: str,
    order_effect: bool,
    prior: float,
    output: str | None,
    as_json: bool,
    tables: str | None,
    table_forms: tuple[str, ...] | None,
    figures: str | None,
    figure_forms: tuple[str, ...] | None,
) -> None:
    """Write a report: who is better, how sure that is, and what would change it.

    One page that needs nothing else: it can be mailed, printed, read on a phone.
    Where the judgments determine no ranking it says why, and what to do.
    """
    reading = take_reading()
    places = take_places(output, (tables, table_forms), (figures, figure_forms), as_json=as_json)
    model = _choose_model(ties, prior, order_effect=order_effect)
    wanted = [] if sections is None else [name.strip() for name in sections.split(",")]
    from evenhand.report.analysis import Settings

    settings = Settings(say_reading(), level, seed, model, full)
    made = _make(reading, settings, title, wanted)
    places.deliver(made)
    say_found(made)


def _choose_model(ties: str, prior: float, *, order_effect: bool) -> BradleyTerry | None:
    """Return the model that ranks; None for what ranks unasked."""
    if not {"ties", "order_effect", "prior"} & given_options():
        return None
    from evenhand.models.bradley_terry import BradleyTerry

    settings = {"ties": ties, "order_effect": order_effect, "prior": prior}
    return BradleyTerry(**settings)  # type: ignore[arg-type]


def _make(reading: Reading, settings: Settings, title: str, wanted: list[str]) -> Report:
    with ProgressDisplay("reporting") as patience:
        from evenhand.report.assemble import make_report

        return make_report(
            reading.open(),
            settings,
            title=title,
            sections=wanted,
            # a campaign may go on meanwhile, and every section is to say the same
            opener=None
            if reading.is_database
            else partial(open_elsewhere, reading.open, reading.files),
            progress=patience.tell,
        )

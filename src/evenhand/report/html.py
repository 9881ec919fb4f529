"""A report as a whole: its page, its JSON, its tables as files, and its first screen in words."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evenhand.data.exclusions import Exclusion, write_excluded
from evenhand.data.results import Shown
from evenhand.errors import UnknownOption
from evenhand.render import latex, markup
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    Text,
    describe_findings,
    escape_lines,
    write_value,
)
from evenhand.report.answer import is_warning
from evenhand.report.document import (
    FAILED,
    NOT_RUN,
    UNDECIDED,
    WARNING,
    Figure,
    Part,
    Section,
    describe_part,
    describe_section,
    pick,
)
from evenhand.report.figures.style import DARK, LIGHT, draw_svg, fill_folder, name_files

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure as Picture

    from evenhand.report.figures.style import Chart

# Which form `Report.to_dict` has; another number where a path means something else
CONTRACT: Final = 1
# The table of the first section that a notebook shows; where there is none, its first
BOARD: Final = "board"
MAX_BOARD_ROWS: Final = 100  # Most rows of it that a notebook shows


@dataclass(frozen=True, repr=False)
class Report(Shown):
    """A report; `str()` gives its first screen in words, a notebook shows it with its board.

    Attributes:
        title: what it is about.
        parts: one for each task.
        overview: of several tasks; None where there is one.
        command: what makes it again.
        version: of Evenhand.
        notes: what was understood when the files were read.
        excluded: what was excluded from the judgments of all parts.
        warnings: of slips in the data, such as rows that were pasted twice.
        log_head: end of the campaign's log that was read, as NUMBER:HASH; "" without one.
        log_check: the command that shows whether the log was cut or changed since.
    """

    title: str
    parts: tuple[Part, ...]
    command: str
    version: str
    overview: Section | None = None
    notes: tuple[str, ...] = ()
    excluded: tuple[Exclusion, ...] = ()
    warnings: tuple[Finding, ...] = ()
    log_head: str = ""
    log_check: str = ""

    def write(self, path: str | Path) -> None:
        """Write the report: the page, or for a name that ends in .json all its numbers.

        Raises:
            UnknownOption: another ending, or a file that cannot be written.
        """
        path = Path(path)
        text = find_form(path)(self)
        try:
            path.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UnknownOption(f"'{path}' cannot be written: {reason}") from None

    @property
    def tables(self) -> dict[str, Table]:
        """All tables by name, such as "ranking/board"; a task stands before its own."""
        return {name: table for name, _, _, table in list_items(self, "tables")}

    @property
    def charts(self) -> dict[str, Chart]:
        """All figures by name, such as "ranking/forest", before they are drawn."""
        return {name: figure.chart for name, _, _, figure in list_items(self, "figures")}

    @property
    def figures(self) -> dict[str, Picture]:
        """All figures by name, such as "ranking/forest", as figures of matplotlib."""
        return {name: chart.draw() for name, chart in self.charts.items()}

    def document(self) -> Document:
        """Return the answers, the key checks and the boards of all tasks."""
        shown: list[Table | Text] = []
        finds = Column("says", "finds", "prose")
        columns = (Column("state", "check", "state"), Column("asks", "asks"), finds)
        for part in self.parts:
            shown.append(Text(part.name, tuple(filter(None, (*part.answer, part.signature)))))
            if part.key_checks:
                rows = tuple(pick(check, "state", "asks", "says") for check in part.key_checks)
                shown.append(Table("checks", "Key checks", columns, rows))
            tables = next((one.tables for one in part.sections if one.tables), ())
            board = sorted(tables, key=lambda table: table.name != BOARD)[:1]
            shown += [replace(one, limit=MAX_BOARD_ROWS) for one in board]
        excluded = tuple(Finding(one.code, one.text) for one in self.excluded)
        return Document(self.title, (), tuple(shown), (*excluded, *self.warnings), self.command)

    def to_dict(self) -> dict[str, Any]:
        """Return everything that the page shows, as plain values: the JSON contract."""
        return {
            "contract": CONTRACT,
            **pick(self, "title", "version", "command", "log_head", "log_check"),
            "notes": list(self.notes),
            "excluded": write_excluded(self.excluded),
            "warnings": describe_findings(self.warnings),
            "overview": None if self.overview is None else describe_section(self.overview),
            "parts": [describe_part(part) for part in self.parts],
        }


def list_items(report: Report, kind: str) -> Iterator[tuple[str, Part, Section, Any]]:
    """Yield tables or figures, each with its name and what it is in."""
    overview = [] if report.overview is None else [(Part("", (), ()), report.overview)]
    for part, section in (*overview, *((one, it) for one in report.parts for it in one.sections)):
        for item in getattr(section, kind):
            yield "/".join(filter(None, (part.name, section.name, item.name))), part, section, item


# What stands inside a page: JSON, or letters that a browser unpacks where it would be long.

# Most letters of JSON that stand in the page as they are; more of it is packed
PLAIN: Final = 100_000


def pack(text: str) -> str:
    """Return a text packed by gzip, as letters; the same text gives the same letters."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def write_json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def embed(name: str, value: Any) -> str:
    text = write_json(value)
    kind, held = ("gzip", pack(text)) if len(text) > PLAIN else ("json", text)
    return f'<script type="application/{kind}" id="{name}">{held}</script>'


def write_variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


# The report as one page that needs nothing else: styles, figures and numbers are inside.

SHORT: Final = 8  # Letters of a name that never needs the least width of a first column
# What no line may break: a percentage, a set of ranks, an option of a command
HELD: Final = re.compile(r"\d[\d.,]* %|\d+–\d+|(?<!\w)--[a-z][a-z-]*")
# An answer of at most so many letters is in the first, second ... size of type.
SIZES: Final = (70, 130, 210, 300)
STYLES: Final = ("base.css", "report.css", "tables.css", "print.css")
# Each file knows those before it
SCRIPTS: Final = ("theme.js", "downloads.js", "page.js")


def write_page(report: Report) -> str:
    """Write the page. Every number on it stands in its JSON, at the path beside it."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    def draw_figure(figure: Figure, path: str) -> Markup:
        words = (figure.title, figure.alt, path)  # the path in the JSON of the report names it
        name = path.strip("/").replace("/", "-")
        return Markup(draw_svg(figure.chart, name, words, wide=figure.wide))

    environment = Environment(
        loader=FunctionLoader(_read),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"written": write_value, "size": size_answer, "sign": find_sign}
    environment.filters |= {"prose": hold_together, "spread": is_spread}
    environment.globals |= {"draw": draw_figure, "find_home": find_home, "is_warning": is_warning}
    several = len(report.parts) > 1 or report.overview is not None
    # Write what stands in each part
    macros: Any = environment.get_template("parts.html").module
    parts = enumerate(report.parts)
    bodies = [macros.part(part, place, find_hero(part), several) for place, part in parts]
    frame = {
        "report": report,
        "several": several,
        "anchors": {part.name: f"part-{place}" for place, part in enumerate(report.parts)},
        "data": Markup(embed("report", report.to_dict())),
        "light": Markup(write_variables(LIGHT)),
        "dark": Markup(write_variables(DARK)),
        "css": Markup("".join(map(_read, STYLES))),
        "js": Markup("".join(map(_read, SCRIPTS))),
    }
    # names may hold signs that move text or hide it
    return escape_lines(environment.get_template("report.html").render(frame, bodies=bodies))


def _read(name: str) -> str:
    return (files("evenhand.report") / "page" / name).read_text(encoding="utf-8")


def hold_together(text: str) -> Markup:
    """Write a sentence in which no line breaks within what belongs together."""
    from markupsafe import Markup, escape

    return Markup(HELD.sub(r'<span class="w">\g<0></span>', str(escape(text))))


def is_spread(column: Column, rows: Sequence[dict[str, Any]]) -> bool:
    texts = (column.fetch(row) for row in rows)
    return column.left and any(len(str(text)) > SHORT for text in texts)


def find_home(part: Part, name: str, before: str) -> str:
    """Return the anchor of the section that made a check; anchors of the part begin with a text."""
    made = (one.name for one in part.sections if name in {check.name for check in one.checks})
    return before + next(made, "")


def find_hero(part: Part) -> tuple[int, int]:
    for place, section in enumerate(part.sections):
        for number, figure in enumerate(section.figures):
            if section.name == "llm" or (section.name, figure.name) == ("ranking", "forest"):
                return place, number
    place = next((place for place, one in enumerate(part.sections) if one.figures), -1)
    last = int(bool(part.sections) and part.sections[0].name == "llm")  # people's ranking is below
    return (place, 0) if 0 <= place <= last else (-1, -1)


def size_answer(answer: tuple[str, ...]) -> int:
    """Return the size of type in which an answer takes at most about four lines, 1 the largest."""
    letters = sum(map(len, answer))
    return 1 + sum(letters > size for size in SIZES)


def find_sign(section: Section) -> str:
    """Return what stands beside a section in the list of contents: its worst state, or nothing."""
    states = {check.state for check in section.checks}
    for state in (FAILED, WARNING):
        if state in states:
            return state
    if section.not_run or states == {NOT_RUN}:
        return NOT_RUN
    return UNDECIDED if states and states <= {NOT_RUN, UNDECIDED} else ""


# Ending that no report has → what serves instead
INSTEAD: Final = {
    ".pdf": "a browser prints the page as PDF",
    ".tex": "LaTeX tables go into a folder (--tables FOLDER)",
    ".md": "Markdown tables go into a folder (--tables FOLDER)",
    ".csv": "CSV tables go into a folder (--tables FOLDER)",
    ".svg": "figures go into a folder (--figures FOLDER)",
    ".png": "figures go into a folder (--figures FOLDER)",
}


def write_report_json(report: Report) -> str:
    return json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


# Ending of a file → what writes it
FORMS: Final = {".html": write_page, ".htm": write_page, ".json": write_report_json}


def find_form(path: Path) -> Callable[[Report], str]:
    ending = path.suffix.lower()
    if ending not in FORMS:
        hint = f"; {INSTEAD[ending]}" if ending in INSTEAD else ""
        name = f"the ending '{path.suffix}'" if path.suffix else "a name without an ending"
        raise UnknownOption(f"{path}: {name} says no form of a report: take .html or .json{hint}")
    return FORMS[ending]


ABOUT: Final = "about.txt"  # What stands beside the tables, since CSV has no room for it


def write_csv(table: Table, *_above: object) -> str:
    r"""Write a table for programs: values as they are, also those that the columns do not show."""
    keys = dict.fromkeys(key for row in table.rows for key in row)
    text = io.StringIO(newline="")
    shown = (one.key for one in table.columns if isinstance(one.key, str))
    writer = csv.DictWriter(text, [*dict.fromkeys((*shown, *keys))], lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.rows)
    return text.getvalue()


# Ending of the files of tables → what writes them
TABLE_FORMS: Final[dict[str, Callable[[Table, Sequence[str], str, str], str]]] = {
    ".tex": latex.write_table,
    ".md": markup.write_table,
    ".csv": write_csv,
}


def write_tables(report: Report, folder: Path) -> list[Path]:
    tables = {name: held for name, *held in list_items(report, "tables")}
    stems = name_files(tables)
    files: dict[str, bytes] = {}
    first = [report.title, report.command, report.log_check, f"Evenhand {report.version}"]
    about = ["\n".join(filter(None, first))]
    for name, (part, section, table) in tables.items():
        # What stands above a table: its caption, what columns mean, how to get it again
        means = [f"{one.title}: {one.says}" for one in table.columns if one.says]
        of = f"{part.name}: {table.caption}" if part.name else table.caption
        signature = section.signature or part.signature
        comments = [*filter(None, (of, *means, section.command, signature))]
        about.append("\n".join([stems[name], *(f"  {line}" for line in comments)]))
        for ending, write in TABLE_FORMS.items():
            written = write(table, comments, part.name, stems[name])
            files[f"{stems[name]}{ending}"] = written.encode()
    files[ABOUT] = ("\n\n".join(about) + "\n").encode()
    return fill_folder(folder, "tables", files)

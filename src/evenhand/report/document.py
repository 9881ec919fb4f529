"""What a report is made of: parts, sections, checks, tables, figures. Values, no statistics.

Whatever the page shows stands here first, and `to_dict` writes it all: a number on the page has
its place in the JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evenhand.judgments.exclusions import Exclusion, write_excluded

Row = Mapping[str, Any]

# Which form `Report.to_dict` has; another number where a path means something else
CONTRACT: Final = 1
PASSED: Final = "passed"
FAILED: Final = "failed"  # What was found changes the answer (`evenhand.report.reversal`)
WARNING: Final = "warning"  # Something was found, and the answer stays with it taken into account
NOT_RUN: Final = "not run"
# A check that was run and does not decide: that is no pass, and nobody forgot it
UNDECIDED: Final = "cannot tell"
# How the answer begins where the judgments determine no ranking; behind it stands why
REFUSED: Final = "No ranking: "
# Checks that stand on the first screen, in this order
LIGHTS: Final = ("judges", "agreement", "order", "model", "choices")


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    key: str  # of the rows
    title: str  # above it
    kind: str = "text"  # how its values are written: a key of `numbers.KINDS`
    says: str = ""  # what the column means, where its title does not say enough


@dataclass(frozen=True)
class Table:
    """A table."""

    name: str  # of the file it becomes, such as "ranking"; unlike the others of its section
    caption: str  # what it shows
    columns: tuple[Column, ...]  # from left to right; the first names the row
    # plain values by key of a column, None where there is none. Rows may hold more than the
    # columns show.
    rows: tuple[Row, ...]
    lines: tuple[int, ...] = ()  # after which rows a line stands: borders that no rank set crosses


@dataclass(frozen=True)
class Figure:
    """A chart."""

    name: str  # of the file it becomes; unlike the others of its section
    title: str  # above it
    alt: str  # what can be seen, for those who do not see it
    spec: Mapping[str, Any]  # Vega-Lite, without title and data
    datasets: Mapping[str, tuple[Row, ...]]  # what is drawn: name → rows; the spec names them
    table: str = ""  # name of the table of its section that holds the same numbers, or ""
    # whether it must keep its width on a small screen, where it can be moved sideways
    wide: bool = False


@dataclass(frozen=True)
class Check:
    """Something that could be wrong, and whether it is."""

    name: str  # one word; those of LIGHTS stand on the first screen
    asks: str  # the question
    # passed, failed (what was found changes the answer), warning (something was found and the
    # answer stays), cannot tell (it was run and does not decide) or not run
    state: str
    says: str  # the finding with its number, in a few words
    otherwise: str = ""  # what changes if one decides otherwise, or what to do; "" where nothing
    # of the one test that the finding rests on (proportion); None where it rests on more
    p: float | None = None
    # what the answer says of it where it failed; what is said of every such check
    # (`evenhand.report.caveat`) where this is empty
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """A text to be copied as it stands, such as a methods paragraph or a bibliography."""

    name: str  # of the file it becomes, with its ending
    title: str  # above it
    text: str  # as it stands, with its lines


@dataclass(frozen=True)
class Section:
    """A section."""

    name: str  # one word, unlike the others of its part
    title: str  # its heading
    says: tuple[str, ...] = ()  # findings, a sentence or two each
    checks: tuple[Check, ...] = ()  # what could be wrong
    figures: tuple[Figure, ...] = ()  # charts
    tables: tuple[Table, ...] = ()  # tables; on the page those of a figure are folded below it
    blocks: tuple[Block, ...] = ()  # texts to be copied
    notes: tuple[str, ...] = ()  # what must be known to read it
    command: str = ""  # what computes its numbers again
    not_run: str = ""  # why the section is empty; "" where it is not


@dataclass(frozen=True)
class Part:
    """All that is said of one task."""

    name: str  # of the task; "" where there is one
    answer: tuple[str, ...]  # the decisions, a sentence each
    sections: tuple[Section, ...]  # in the order in which they are read
    signature: str = ""  # the line that reproduces the numbers

    @property
    def refused(self) -> bool:
        """Whether the judgments determine no ranking; the answer then says why."""
        return self.answer[0].startswith(REFUSED) if self.answer else False

    @property
    def lights(self) -> tuple[Check, ...]:
        """The checks of the first screen; those that no section made are not run."""
        made = {check.name: check for section in self.sections for check in section.checks}
        return tuple(made[name] for name in LIGHTS if name in made)

    def section(self, name: str) -> Section | None:
        """Return a section by its name; None where there is none."""
        return next((one for one in self.sections if one.name == name), None)


@dataclass(frozen=True, repr=False)
class Report:
    """A report; `str()` gives its first screen in words, a notebook shows it with its board.

    Attributes:
        title: what it is about.
        parts: one for each task.
        overview: of several tasks; None where there is one.
        command: what makes it again.
        version: of Evenhand.
        notes: what was understood when the files were read.
        excluded: what was excluded from the judgments of all parts.

    """

    title: str
    parts: tuple[Part, ...]
    command: str
    version: str
    overview: Section | None = None
    notes: tuple[str, ...] = ()
    excluded: tuple[Exclusion, ...] = ()

    def write(self, path: str | Path) -> None:
        """Write the report: the page, or for a name that ends in .json all its numbers.

        Raises:
            UnknownOption: another ending, or a file that cannot be written.

        """
        from evenhand.report.leaving import write_report

        write_report(self, Path(path))

    @property
    def tables(self) -> dict[str, Table]:
        """All tables by name, such as "ranking/board"; a task stands before its own."""
        from evenhand.report.places import list_tables

        return {name: table for name, (_, table) in list_tables(self).items()}

    @property
    def figures(self) -> dict[str, Any]:
        """All figures by name, such as "ranking/forest", as Altair charts."""
        from evenhand.report.figures.rebuilding import rebuild
        from evenhand.report.places import list_figures

        return {name: rebuild(figure) for name, figure in list_figures(self).items()}

    def __str__(self) -> str:
        from evenhand.report.printing import draw_text

        return draw_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from evenhand.report.printing import draw_html

        return draw_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything that the page shows, as plain values: the JSON contract."""
        from evenhand.report.contract import describe_part, describe_section

        return {
            "contract": CONTRACT,
            "title": self.title,
            "version": self.version,
            "command": self.command,
            "notes": list(self.notes),
            "excluded": write_excluded(self.excluded),
            "overview": None if self.overview is None else describe_section(self.overview),
            "parts": [describe_part(part) for part in self.parts],
        }

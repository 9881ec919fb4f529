"""Where tables and figures stand in a report, and what they are called outside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.report.document import Figure, Report, Section, Table


@dataclass(frozen=True)
class Place:
    """A section, and where it stands."""

    section: Section  # the section
    part: str = ""  # name of the task; "" where there is one
    signature: str = ""  # the line that reproduces its numbers

    def call(self, name: str) -> str:
        """Return what a table or figure of the section is called outside the report."""
        return "/".join(filter(None, (self.part, self.section.name, name)))


def list_places(report: Report) -> Iterator[Place]:
    """Return all sections in the order in which they are read."""
    if report.overview is not None:
        yield Place(report.overview)
    for part in report.parts:
        for section in part.sections:
            yield Place(section, part.name, part.signature)


def list_tables(report: Report) -> dict[str, tuple[Place, Table]]:
    """Return all tables: name, such as "ranking/board" → where it stands, and the table."""
    return {
        place.call(table.name): (place, table)
        for place in list_places(report)
        for table in place.section.tables
    }


def list_figures(report: Report) -> dict[str, Figure]:
    """Return all figures by name, such as "ranking/forest"."""
    return {
        place.call(figure.name): figure
        for place in list_places(report)
        for figure in place.section.figures
    }

"""What a report is made of: parts, sections, checks, tables, figures. Values, no statistics.

Whatever the page shows stands here first, and `describe_part` writes it all: a number on the page
has its place in the JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any, Final

from evenhand.data.exclusions import REFERENCES
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Row,
    Table,
    Text,
    join_names,
    take_findings,
)

PASSED: Final = "passed"
FAILED: Final = "failed"  # What was found changes the answer (`evenhand.report.analysis`)
WARNING: Final = "warning"  # Something was found, and the answer stays with it taken into account
NOT_RUN: Final = "not run"
# A check that was run and does not decide: that is no pass, and nobody forgot it
UNDECIDED: Final = "cannot tell"
# Code of the answer where the judgments determine no ranking; it says why
REFUSED: Final = "no-ranking"
# Checks that stand on the first screen, in this order
KEY_CHECKS: Final = ("judges", "agreement", "order", "model", "choices")

# Kind of an interval → how each of its ends is written
ENDS: Final = {
    "range": "count",
    "interval": "two",
    **{f"interval {kind}": kind for kind in ("three", "four", "share", "figures", "general")},
}


@dataclass(frozen=True)
class Figure:
    name: str  # of the file it becomes; unlike the others of its section
    title: str  # above it
    alt: str  # what can be seen, for those who do not see it
    chart: Any  # how it is drawn (`evenhand.report.figures.style.Chart`)
    datasets: Mapping[str, tuple[Row, ...]]  # what is drawn: name → rows
    table: str = ""  # name of the table of its section that holds the same numbers, or ""
    # whether it must keep its width on a small screen, where it can be moved sideways
    wide: bool = False


@dataclass(frozen=True)
class Check:
    name: str  # one word; those of KEY_CHECKS stand on the first screen
    asks: str  # the question
    # passed, failed (what was found changes the answer), warning (something was found and the
    # answer stays), cannot tell (it was run and does not decide) or not run
    state: str
    says: str  # the finding with its number, in a few words
    recommendation: str = ""  # what changes if one decides otherwise, or what to do; or ""
    # of the one test that the finding rests on (proportion); None where it rests on more
    p: float | None = None
    # codes of what the answer says of it where it failed; where this is empty what is said of
    # every such check (`evenhand.report.answer`)
    issues: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """A text to be copied as it stands, such as a methods paragraph or a bibliography."""

    name: str  # of the file it becomes, with its ending
    title: str  # above it
    text: str  # as it stands, with its lines


@dataclass(frozen=True)
class Section:
    name: str  # one word, unlike the others of its part
    title: str = ""  # its heading; that of the contents where it is ""
    says: tuple[str, ...] = ()  # findings, a sentence or two each
    checks: tuple[Check, ...] = ()  # what could be wrong
    figures: tuple[Figure, ...] = ()  # charts
    tables: tuple[Table, ...] = ()  # tables; on the page those of a figure are folded below it
    blocks: tuple[Block, ...] = ()  # texts to be copied
    notes: tuple[str, ...] = ()  # what must be known to read it
    command: str = ""  # what computes its numbers again
    signature: str = ""  # the line that reproduces them, where it is not that of the ranking
    not_run: str = ""  # why the section is empty; "" where it is not


@dataclass(frozen=True)
class Part:
    name: str  # of the task; "" where there is one
    answer: tuple[str, ...]  # the decisions, a sentence each
    sections: tuple[Section, ...]  # in the order in which they are read
    signature: str = ""  # the line that reproduces the numbers

    @property
    def refused(self) -> bool:
        """Whether the judgments determine no ranking; the answer then says why."""
        first = self.answer[0] if self.answer else ""
        return isinstance(first, Finding) and first.code == REFUSED

    @property
    def key_checks(self) -> tuple[Check, ...]:
        """The checks of the first screen; those that no section made are not run."""
        made = {check.name: check for section in self.sections for check in section.checks}
        return tuple(made[name] for name in KEY_CHECKS if name in made)

    def section(self, name: str) -> Section | None:
        return next((section for section in self.sections if section.name == name), None)


def make_section(
    name: str,
    document: Document,
    *,
    basis: bool = False,
    checks: Sequence[Check] = (),
    figures: Sequence[Figure] = (),
    command: str = "",
) -> Section:
    """Return a section of what a document says; basis: whether what it rests on is said too."""
    parts = document.list_parts("html")
    # no number of a table is infinite, and the ends of an interval are apart
    tables = [
        replace(
            table,
            columns=tuple(
                apart
                for one in table.list_columns("html")
                if one.kind != "bar"
                for apart in _divide(one)
            ),
            rows=tuple({k: _take_value(value) for k, value in row.items()} for row in table.rows),
        )
        for table in parts
        if not isinstance(table, Text)
    ]
    texts = [one for one in parts if isinstance(one, Text)]
    return Section(
        name,
        says=(*document.answer, *([document.basis] if basis and document.basis else [])),
        checks=tuple(checks),
        figures=tuple(figures),
        tables=tuple(tables),
        blocks=tuple(
            Block(f"{name}-{place}.txt", one.title, "\n".join(one.lines))
            for place, one in enumerate(texts, 1)
        ),
        notes=tuple(
            dict.fromkeys([*(one for it in tables for one in it.legend), *list_notes(document)])
        ),
        command=command,
    )


def join_documents(
    documents: Mapping[str, Document],
    refused: Mapping[str, str],
    files: Mapping[str, str],
    before: str = "",
) -> Document:
    """Return the documents of groups as one, each sentence and table with the group's name.

    files: group → what it adds to names of tables, which begin with `before`.
    """
    answers, bases = list[str](), list[str]()
    tables, notes = list[Table](), [f"{name}: {why}" for name, why in refused.items()]
    for name, one in documents.items():
        about, end = (f"{name}: ", f"-{files[name]}") if name else ("", "")
        answers += [f"{about}{text}" for text in one.answer]
        bases.append(f"{about}{one.basis}")
        notes += [f"{about}{note}" if about else note for note in list_notes(one)]
        for it in one.tables:
            tables.append(replace(it, name=f"{before}{it.name}{end}", caption=about + it.caption))
    return Document(answer=(*answers, *bases), parts=tuple(tables), findings=take_findings(notes))


def list_notes(document: Document) -> list[Finding]:
    """Return findings but what stands above all sections: exclusions, judges named like LLMs."""
    return [
        one
        for one in document.shown
        if one.code == REFERENCES or not (one.code == "named-like-llms" or "of_rows" in one.values)
    ]


def _divide(column: Column) -> list[Column]:
    if isinstance(column.key, str):
        return [column]
    kind = ENDS.get(column.kind, "text")
    titles = (f"{column.title} from".strip(), *["to"] * (len(column.key) - 1))
    return [
        replace(column, key=key, title=title, kind=kind, says=column.says if not place else "")
        for place, (key, title) in enumerate(zip(column.key, titles, strict=True))
    ]


def _take_value(value: Any) -> Any:
    if isinstance(value, (list, tuple)):  # of many names the first, and how many more
        return join_names([str(one) for one in value]) if value else None
    return None if isinstance(value, float) and not isfinite(value) else value


def describe_part(part: Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "answer": list(part.answer),
        "signature": part.signature,
        "key_checks": [_describe_check(check) for check in part.key_checks],
        "sections": [describe_section(section) for section in part.sections],
    }


def describe_section(section: Section) -> dict[str, Any]:
    return {
        **pick(section, "name", "title", "not_run"),
        "says": list(section.says),
        "checks": [_describe_check(check) for check in section.checks],
        "figures": [
            {
                **pick(figure, "name", "title", "alt"),
                "datasets": {name: list(map(dict, rows)) for name, rows in figure.datasets.items()},
            }
            for figure in section.figures
        ],
        "tables": [
            {
                **pick(table, "name", "caption"),
                "columns": [pick(one, "key", "title", "kind", "says") for one in table.columns],
                "rows": [dict(row) for row in table.rows],
                "lines": list(table.lines),
            }
            for table in section.tables
        ],
        "blocks": [asdict(block) for block in section.blocks],
        "notes": list(section.notes),
        "command": section.command,
    }


def pick(item: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(item, name) for name in names}


def _describe_check(check: Check) -> dict[str, Any]:
    return pick(check, "name", "asks", "state", "says", "recommendation", "p")

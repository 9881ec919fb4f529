"""What a report is made of: parts, sections, checks, tables, figures. Values, no statistics.

Whatever the page shows stands here first, and `describe_part` writes it all: a number on the page
has its place in the JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

Row = Mapping[str, Any]

PASSED: Final = "passed"
FAILED: Final = "failed"  # What was found changes the answer (`evenhand.report.analysis`)
WARNING: Final = "warning"  # Something was found, and the answer stays with it taken into account
NOT_RUN: Final = "not run"
# A check that was run and does not decide: that is no pass, and nobody forgot it
UNDECIDED: Final = "cannot tell"
# How the answer begins where the judgments determine no ranking; behind it stands why
REFUSED: Final = "No ranking: "
# Checks that stand on the first screen, in this order
KEY_CHECKS: Final = ("judges", "agreement", "order", "model", "choices")


@dataclass(frozen=True)
class Column:
    key: str  # of the rows
    title: str  # above it
    kind: str = "text"  # how its values are written: a key of `KINDS`
    says: str = ""  # what the column means, where its title does not say enough


@dataclass(frozen=True)
class Table:
    name: str  # of the file it becomes, such as "ranking"; unlike the others of its section
    caption: str  # what it shows
    columns: tuple[Column, ...]  # from left to right; the first names the row
    # plain values by key of a column, None where there is none. Rows may hold more than the
    # columns show.
    rows: tuple[Row, ...]
    lines: tuple[int, ...] = ()  # after which rows a line stands: borders that no rank set crosses


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
    # what the answer says of it where it failed; what is said of every such check
    # (`evenhand.report.answer`) where this is empty
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
        return self.answer[0].startswith(REFUSED) if self.answer else False

    @property
    def key_checks(self) -> tuple[Check, ...]:
        """The checks of the first screen; those that no section made are not run."""
        made = {check.name: check for section in self.sections for check in section.checks}
        return tuple(made[name] for name in KEY_CHECKS if name in made)

    def section(self, name: str) -> Section | None:
        return next((section for section in self.sections if section.name == name), None)


# The JSON contract: what a report is made of as plain values.


def describe_part(part: Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "answer": list(part.answer),
        "signature": part.signature,
        "key_checks": [_describe_check(check) for check in part.key_checks],
        "sections": [describe_section(section) for section in part.sections],
    }


def describe_section(section: Section) -> dict[str, Any]:
    """Return a section as plain values; of a figure what is drawn, not how."""
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
                "name": table.name,
                "caption": table.caption,
                "columns": [asdict(column) for column in table.columns],
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
    """Return a check as plain values; its issues stand in the answer."""
    return {
        **pick(check, "name", "asks", "state", "says"),
        "recommendation": check.recommendation,
        "p": check.p,
    }


# How numbers and names are written wherever a report shows them: on the page, in LaTeX, Markdown.

NONE: Final = "–"  # What stands where there is no number
SMALLEST_CHANCE: Final = 0.001  # Chances below this are written as being below it
MAX_NAMES: Final = 5  # Most systems that are named in a sentence


def _write_percent(value: float) -> str:
    """Write a share that may be very small, with two digits that mean something."""
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


# Kind of number → how it is written. A share is a proportion, a percent one that may be very
# small, a chance a p-value.
KINDS: Final[dict[str, Callable[[Any], str]]] = {
    "text": str,
    "count": lambda value: f"{value:,.{0 if float(value).is_integer() else 1}f}",
    "general": lambda value: f"{value:g}",
    "one": lambda value: f"{value:z,.1f}",
    "two": lambda value: f"{value:z,.2f}",
    "three": lambda value: f"{value:z,.3f}",
    "share": lambda value: f"{100 * value:z.0f} %",
    "percent": _write_percent,
    "chance": lambda value: f"< {SMALLEST_CHANCE}" if value < SMALLEST_CHANCE else f"{value:.3f}",
}


def write_value(value: Any, kind: str) -> str:
    """Write a value for people, as a kind of KINDS.

    >>> write_value(12345, "count"), write_value(-0.0012, "two"), write_value(None, "two")
    ('12,345', '0.00', '–')
    >>> write_value(0.9512, "share"), write_value(0.00001, "chance")
    ('95 %', '< 0.001')
    """
    return NONE if value is None else KINDS[kind](value)


def join_names(names: Sequence[str]) -> str:
    """Write names as a list; of many the first, and how many more.

    >>> join_names(["A"]), join_names(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    if len(names) > MAX_NAMES:
        return f"{', '.join(names[: MAX_NAMES - 1])} and {len(names) - MAX_NAMES + 1} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def begin_sentence(text: str) -> str:
    """Write the first letter large.

    >>> begin_sentence("nothing changes"), begin_sentence("")
    ('Nothing changes', '')
    """
    return f"{text[:1].upper()}{text[1:]}"

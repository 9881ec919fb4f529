"""Results: tables that are defined once for a terminal and for papers, and results by group."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, ClassVar, Final, Generic, Literal, Protocol, TypeAlias, TypeVar, cast

import click

from evenhand.cli.refusals import kept_excluded
from evenhand.render.document import Document
from evenhand.render.findings import Finding, describe_findings, take_findings
from evenhand.render.latex import NONE, comment, escape, escape_control, render_latex, tabular
from evenhand.render.markup import render_markdown
from evenhand.render.text import PLAIN, align, block, label, say_notes, tell_apart, width

ALWAYS: Final = 9  # Priority of columns of a table that never go
NAME_ROOM: Final = 10  # Columns at which a name need not be cut much
NO_VALUE: Final = "—"  # What stands in a terminal where there is no value

# Names of attributes or keys that lead from a row to a value, with dots between, or what makes it
Value: TypeAlias = str | Callable[[Any], Any]
Write: TypeAlias = str | Callable[[Any], str]  # A format as of `format`, or what writes a value
Form: TypeAlias = Literal["text", "latex"]


@dataclass(frozen=True)
class Column:
    title: str
    value: Value | None = None  # what it shows; None where rows are sequences of cells
    # how values are written in a terminal; None is "—" there, and "--" in LaTeX
    write: Write = ""
    latex: str | None = None  # its title in LaTeX, where that is another one
    # how values are written in LaTeX: as in a terminal, and in mathematics where they have a format
    typeset: Write | None = None
    left: bool = True  # whether its cells stand left, as texts do; numbers stand right
    # whether its cells are cut to the room that other columns leave, so that they still differ
    cut: bool = False
    priority: int = ALWAYS  # where names lack room columns go, those first whose number is lowest
    only: Form | None = None  # where it is shown, unless in both

    @classmethod
    def names(cls, title: str, value: Value | None = None) -> Column:
        """Return a column of names, which are cut where there is little room."""
        return cls(title, value, cut=True)

    @classmethod
    def number(
        cls,
        title: str,
        value: Value,
        write: Write = "",
        latex: str | None = None,
        *,
        typeset: Write | None = None,
        priority: int = ALWAYS,
        only: Form | None = None,
    ) -> Column:
        """Return a column of numbers, which stand right."""
        return cls(title, value, write, latex, typeset, left=False, priority=priority, only=only)

    @classmethod
    def percent(
        cls,
        title: str,
        value: Value,
        latex: str | None = None,
        *,
        typeset: Write | None = None,
        only: Form | None = None,
    ) -> Column:
        """Return a column of proportions in per cent, which LaTeX says in its title."""
        form = typeset or (lambda part: f"${100 * part:.0f}$")
        return cls.number(title, value, write_percent, latex, typeset=form, only=only)

    @classmethod
    def p(cls, title: str, value: Value, latex: str | None = None) -> Column:
        """Return a column of p-values."""
        return cls.number(title, value, write_p, latex, typeset=lambda p: f"${write_p(p)}$")

    def fetch(self, row: Any, at: int) -> Any:
        """Return the value of a row."""
        if callable(self.value):
            return self.value(row)
        if self.value is None:
            return row[at]
        for name in self.value.split("."):
            if row is not None:
                row = row[name] if isinstance(row, Mapping) else getattr(row, name)
        return row

    def show(self, value: Any) -> str:
        """Write a value for a terminal."""
        if value is None:
            return NO_VALUE
        return self.write(value) if callable(self.write) else format(value, self.write)

    def set(self, value: Any) -> str:
        r"""Write a value for LaTeX.

        >>> Column("log-worth", write="+.2f").set(-0.001), Column("wins", write=",").set(1200)
        ('$0.00$', '$1200$')
        >>> Column("system").set("a_b"), Column("share", write="{:.0%}".format).set(0.5)
        ('a\\_b', '50\\%')
        """
        if value is None:
            return NONE
        if callable(self.typeset):
            return self.typeset(value)
        if self.typeset is None and (callable(self.write) or not self.write):
            return escape(self.show(value))
        if value == inf:
            return r"$\infty$"
        form = (self.typeset or str(self.write)).replace(",", "").lstrip("z+")
        return f"${format(value, f'z{form}' if form.endswith('f') else form)}$"


def write_percent(part: float) -> str:
    return f"{100 * part:.0f} %"


def write_p(p: float) -> str:
    from evenhand.models.coefficients import format_p

    return format_p(p)


def tabulate(
    columns: Sequence[Column],
    blocks: Sequence[Sequence[Any]],
    comments: Sequence[str] = (),
    below: Sequence[str] = (),
) -> str:
    """Return the LaTeX of a table, with a rule between blocks of rows."""
    shown = [one for one in columns if one.only != "text"]
    cells = [
        [[one.set(one.fetch(row, at)) for at, one in enumerate(shown)] for row in rows]
        for rows in blocks
    ]
    sides = "".join("l" if one.left else "r" for one in shown)
    titles = [one.title if one.latex is None else one.latex for one in shown]
    return tabular(sides, titles, cells, comments, below)


def draw_table(
    heads: Sequence[Column | str],
    rows: Sequence[Any],
    columns: int = PLAIN,
    *,
    gap: str = "  ",
    indent: str = " ",
    least: int = 1,
) -> list[str]:
    """Return the lines of a table, its titles dim; titles alone are of numbers, which stand right.

    columns: in which the table must find room; names are cut for it, to `least` columns or more.

    >>> [click.unstyle(line) for line in draw_table((Column.names("judge"), "n"), [("mira", "12")])]
    [' judge   n', ' mira   12']
    """
    specs = [one if isinstance(one, Column) else Column(one, left=False) for one in heads]
    specs = [one for one in specs if one.only != "latex"]
    cells = [
        [one.title for one in specs],
        *([one.show(one.fetch(row, i)) for i, one in enumerate(specs)] for row in rows),
    ]
    at = next((i for i, one in enumerate(specs) if one.cut), None)
    if at is not None:
        longest = max(width(row[at]) for row in cells)
        room = name_room(cells, at, columns)
        while room < min(longest, NAME_ROOM) and any(one.priority < ALWAYS for one in specs):
            first = min(one.priority for one in specs)
            stay = [i for i, one in enumerate(specs) if one.priority > first]
            specs, cells = [specs[i] for i in stay], [[row[i] for i in stay] for row in cells]
            room = name_room(cells, at, columns)
        short = tell_apart([row[at] for row in cells[1:]], max(room, least))
        for row in cells[1:]:
            row[at] = short[row[at]]
    aligned = align(cells, left=[i for i, one in enumerate(specs) if one.left])
    titles, *lines = (indent + gap.join(row).rstrip() for row in aligned)
    return [click.style(titles, dim=True), *lines]


def draw_parts(
    heads: Sequence[Column],
    rows: Sequence[Any],
    columns: int,
    *,
    keys: int = 1,
    gap: str = "  ",
    indent: str = " ",
) -> list[list[str]]:
    """Return a table in parts that find room, each with its first columns again."""
    parts: list[list[str]] = []
    rest = list(heads[keys:])
    while rest:
        for n in range(len(rest), 0, -1):
            part = draw_table([*heads[:keys], *rest[:n]], rows, gap=gap, indent=indent)
            if fits(part, columns):
                break
        parts, rest = [*parts, part], rest[n:]
    return parts


def name_room(rows: Sequence[Sequence[str]], at: int, columns: int) -> int:
    """Return how many columns are left for the names in column `at` of a table."""
    others = [list(column) for i, column in enumerate(zip(*rows, strict=True)) if i != at]
    return columns - 1 - sum(2 + max(map(width, column)) for column in others)


def first_fitting(tables: Iterable[list[str]], columns: int) -> list[str]:
    """Return the first table that finds room, else the last."""
    lines: list[str] = []
    for lines in tables:
        if fits(lines, columns):
            break
    return lines


def fits(lines: Iterable[str], columns: int) -> bool:
    return max(width(click.unstyle(line)) for line in lines) <= columns


# A result with one part for each group, laid out alike under every verb.

Part = TypeVar("Part")


def group_title(name: str, columns: int) -> list[str]:
    return ["", click.style(f"{escape_control(name)} ".ljust(columns, "─"), bold=True)]


class _Shown(Protocol):
    @property
    def says(self) -> Sequence[str]: ...

    @property
    def notes(self) -> Sequence[str]: ...

    def to_dict(self) -> dict[str, Any]: ...

    def records(self) -> list[dict[str, Any]]: ...


def part_groups(result: Any) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """Return results by group, one without a name where there are no groups, and the refused."""
    from evenhand.data.results import Grouped

    return (result.groups, result.refused) if isinstance(result, Grouped) else ({"": result}, {})


@dataclass(frozen=True, eq=False)
class VerbResult:
    """What a verb found in each group: documents that `evenhand.render` lays out, JSON, CSV."""

    groups: Mapping[str, Any]  # results by group; one without a name where there are no groups
    refused: Mapping[str, str]  # why some groups have none
    read: Sequence[str]  # what was understood of the files, and what was excluded
    columns: tuple[str, ...] = ()  # more columns of the table, as `document` takes them

    def __post_init__(self) -> None:
        """Let every part carry what was excluded from the judgments that the command read."""
        excluded = kept_excluded()
        if excluded:
            from evenhand.data.exclusions import note_groups

            object.__setattr__(self, "groups", note_groups(self.groups, excluded, once=True))

    @property
    def grouped(self) -> bool:
        return "" not in self.groups

    @cached_property
    def _read(self) -> tuple[Finding, ...]:
        return tuple(
            Finding(one.code or "read", one, "info", one.values) for one in take_findings(self.read)
        )

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The document of each group, with what a reader must know of the files."""
        documents = {name: one.document(*self.columns) for name, one in self.groups.items()}
        read = tuple(
            Finding(one.code, tell_columns(one), "read", one.values)
            for one in self._read
            if one.values.get("renamed", True)
        )
        return {
            name: replace(one, findings=(*read, *(f for f in one.findings if f not in self.read)))
            for name, one in documents.items()
        }

    def text(self, columns: int) -> str:
        from evenhand.render.text import render_text

        if not self.grouped:
            return render_text(self.documents[""], columns)
        lines: list[str] = []
        for name, document in self.documents.items():
            lines += [*group_title(name, columns), render_text(document, columns).rstrip("\n")]
        for name, why in self.refused.items():
            lines += [*group_title(name, columns), label("error", why, columns, colour="red")]
        return "\n".join(lines[1:]) + "\n"

    def contract(self) -> dict[str, Any]:
        """Return the JSON of a result, or of groups."""
        parts = {name: one.to_dict(*self.columns) for name, one in self.groups.items()}
        read = describe_findings(self._read)
        if self.grouped:
            return {"groups": parts, "refused": dict(self.refused), "findings": read}
        return {**parts[""], "findings": [*read, *parts[""].get("findings", [])]}

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of the first table, their group first if there are groups."""
        return [
            {**({"group": name} if self.grouped else {}), **row}
            for name, document in self.documents.items()
            for row in document.tables[0].records
        ]

    def latex(self) -> str:
        return self._join("% ", render_latex, "% ")

    def markdown(self) -> str:
        return self._join("## ", render_markdown, "\n")

    def _join(self, mark: str, render: Callable[[Document], str], refused: str) -> str:
        parts = {name: render(document) for name, document in self.documents.items()}
        parts |= {name: f"{refused}{escape_control(why)}\n" for name, why in self.refused.items()}
        return "\n".join(
            (f"{mark}{escape_control(name)}\n" if name else "") + part
            for name, part in parts.items()
        )

    def remarks(self) -> list[str]:
        """Return what must stand beside the numbers."""
        sentences = [
            f"{name}: {one}" if name else one
            for name, document in self.documents.items()
            for one in (*document.answer, *document.shown)
            if one not in self.read
        ]
        return [*sentences, *(f"{name}: {why}" for name, why in self.refused.items())]


def tell_columns(read: Finding) -> str:
    """Return what was understood of a file, behind the label that says that it was read."""
    layout, columns = read.values.get("layout"), read.values.get("columns")
    return f"{layout}: {columns}" if layout and columns else read


@dataclass(frozen=True, eq=False)
class GroupedResult(ABC, Generic[Part]):
    """What a verb found in each group, in every form it can be asked for."""

    groups: Mapping[str, Part]  # parts by group; one without a name where there are no groups
    refused: Mapping[str, str]  # why some groups have none
    read: Sequence[str]  # what was understood of the files, and what was excluded
    cautions: Sequence[str] = ()  # what speaks against the numbers of all groups

    lacking: ClassVar[str] = "has no result"  # What is said of a refused group, before the reason

    def __post_init__(self) -> None:
        """Let every part carry what was excluded from the judgments that the command read."""
        excluded = kept_excluded()
        if excluded:
            from evenhand.data.exclusions import note_groups

            object.__setattr__(self, "groups", note_groups(self.groups, excluded, once=True))

    @abstractmethod
    def draw(self, part: Part, columns: int) -> list[str]:
        """Return the lines of a part for people, its counts first."""

    def describe(self, part: Part) -> dict[str, Any]:
        """Return the JSON of a part, with its `notes`."""
        return cast("_Shown", part).to_dict()

    def rows(self, part: Part) -> list[dict[str, Any]]:
        """Return the CSV of a part, all rows with the same keys."""
        return cast("_Shown", part).records()

    @abstractmethod
    def tabulate(self, part: Part) -> str:
        """Return the LaTeX of a part."""

    def say(self, part: Part) -> Sequence[str]:
        """Return what must stand beside the numbers of a part."""
        shown = cast("_Shown", part)
        return [*shown.says, *shown.notes]

    @property
    def grouped(self) -> bool:
        return "" not in self.groups

    def text(self, columns: int) -> str:
        lines = block("read", self.read, columns)
        cautions = say_notes(self.cautions, columns)
        if not self.grouped:
            counts, *drawn = self.draw(self.groups[""], columns)
            return "\n".join([*lines, counts, *cautions, *drawn]) + "\n"
        lines += cautions
        for name, part in self.groups.items():
            lines += [*group_title(name, columns), *self.draw(part, columns)]
        for name, why in self.refused.items():
            lines += [*group_title(name, columns), label("error", why, columns, colour="red")]
        return "\n".join(lines) + "\n"

    def contract(self) -> dict[str, Any]:
        """Return the JSON of a part, or of groups."""
        parts = {name: self.describe(part) for name, part in self.groups.items()}
        notes = [*self.read, *self.cautions]
        if self.grouped:
            return {"groups": parts, "refused": dict(self.refused), "notes": notes}
        return {**parts[""], "notes": [*notes, *parts[""]["notes"]]}

    def records(self) -> list[dict[str, Any]]:
        """Return all rows, their group first if there are groups."""
        return [
            {**({"group": name} if self.grouped else {}), **row}
            for name, part in self.groups.items()
            for row in self.rows(part)
        ]

    def latex(self) -> str:
        return "\n".join(
            comment([name] if name else []) + self.tabulate(part)
            for name, part in self.groups.items()
        )

    def remarks(self) -> list[str]:
        """Return what must stand beside the numbers."""
        sentences = [
            f"{name}: {remark}" if name else remark
            for name, part in self.groups.items()
            for remark in self.say(part)
        ]
        return [
            *self.cautions,
            *sentences,
            *(f"{name} {self.lacking}: {why}" for name, why in self.refused.items()),
        ]

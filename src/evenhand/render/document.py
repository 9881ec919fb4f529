"""What a result says: an answer, tables, findings, figures, a signature; how numbers are written.

A result has `document()`, and everything that people read is made of it. A finding is a sentence
that knows what it says, made of the templates of a room: one mapping, code → text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from string import Formatter
from typing import Any, Final, Literal, TypeAlias

from evenhand.errors import listing

NO_VALUE: Final = "–"  # What stands where there is no value; "--" in LaTeX
MAX_NAMES: Final = 5  # Most systems that are named in a sentence
SMALLEST_P: Final = 0.001  # p-values below this are written as being below it
# Signs that a terminal obeys or cannot write, and those that turn the direction of a text
HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\u202a-\u202e\u2066-\u2069]"
)


def escape_control(text: str) -> str:
    r"""Write signs that would move the cursor or hide text as what they are.

    >>> escape_control("two\nlines"), escape_control("\x1b[31mred"), escape_control("naïve 系统")
    ('two\\nlines', '\\x1b[31mred', 'naïve 系统')
    """
    return HIDDEN.sub(lambda sign: repr(sign[0])[1:-1], text)


def escape_lines(text: str) -> str:
    return HIDDEN.sub(lambda sign: sign[0] if sign[0] in "\n\t" else repr(sign[0])[1:-1], text)


def write_p(p: float) -> str:
    return f"< {SMALLEST_P}" if p < SMALLEST_P else f"{p:.3f}"


def write_percent(value: float) -> str:
    """Write a proportion that may be very small, with two digits that mean something."""
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


def write_count(value: float) -> str:
    return f"{value:,.{0 if float(value).is_integer() else 1}f}"


def write_figures(value: float) -> str:
    """Write a number with three significant figures.

    >>> write_figures(0.01234), write_figures(123456), write_figures(float("inf"))
    ('0.0123', '123,456', '∞')
    """
    if math.isinf(value):
        return "-∞" if value < 0 else "∞"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"


def _write_ends(digits: int) -> Callable[[Sequence[float]], str]:
    return lambda ends: " to ".join(f"{one:z,.{digits}f}" for one in ends)


# Kind of value → how it is written. Intervals and bars have several keys. A bar is drawn in a
# terminal, from the lower end over the estimate to the upper end.
KINDS: Final[dict[str, Callable[[Any], str]]] = {
    "text": str,
    "name": str,  # cut where there is little room, so that all names still differ
    "prose": str,  # wrapped into the room that is left in a terminal
    "names": lambda names: names if isinstance(names, str) else ", ".join(map(str, names)),
    "count": write_count,
    "general": lambda value: f"{value:g}",
    "figures": write_figures,
    "integer": lambda value: f"{value:,.0f}",
    "one": lambda value: f"{value:z,.1f}",
    "two": lambda value: f"{value:z,.2f}",
    "three": lambda value: f"{value:z,.3f}",
    "four": lambda value: f"{value:z,.4f}",
    "signed": lambda value: f"{value:+z.2f}",
    "share": lambda value: f"{100 * value:z.0f} %",
    "percent": write_percent,
    "tenths": lambda value: f"{100 * value:z.1f} %",
    "p": write_p,
    "interval": _write_ends(2),
    "interval three": _write_ends(3),
    "interval four": _write_ends(4),
    "interval share": lambda ends: f"{100 * ends[0]:z.0f} to {100 * ends[1]:z.0f} %",
    "interval tenths": lambda ends: f"{100 * ends[0]:z.1f} to {100 * ends[1]:z.1f} %",
    "interval figures": lambda ends: " to ".join(map(write_figures, ends)),
    "interval general": lambda ends: " to ".join(f"{one:g}" for one in ends),
    "state": str,  # of a check
    "range": lambda ends: str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}-{ends[1]}",
    "bar": lambda _ends: "",
    "yes": lambda value: "yes" if value else "no",
}
LEFT: Final = frozenset({"text", "name", "prose", "names", "state", "range", "bar", "yes"})


def write_value(value: Any, kind: str) -> str:
    """Write a value for people, as a kind of KINDS or a format.

    >>> write_value(12345, "count"), write_value(-0.0012, "two"), write_value(None, "two")
    ('12,345', '0.00', '–')
    >>> write_value(0.9512, "share"), write_value(0.00001, "p"), write_value((0.1, 2), "interval")
    ('95 %', '< 0.001', '0.10 to 2.00')
    """
    if value is None:
        return NO_VALUE
    if isinstance(value, str):
        return value
    return KINDS[kind](value) if kind in KINDS else format(value, kind)


def join_names(names: Sequence[str], word: str = "and") -> str:
    """Write names as a list; of many the first, and how many more.

    >>> join_names(["A"]), join_names(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    if len(names) > MAX_NAMES:
        return f"{', '.join(names[: MAX_NAMES - 1])} {word} {len(names) - MAX_NAMES + 1} more"
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else names[0]


def begin_sentence(text: str) -> str:
    """Write the first letter large.

    >>> begin_sentence("nothing changes"), begin_sentence("")
    ('Nothing changes', '')
    """
    return f"{text[:1].upper()}{text[1:]}"


def plural(number: float, one: str, many: str | None = None) -> str:
    """Write a count with its noun.

    >>> plural(1, "judge"), plural(13822, "comparison"), plural(2, "tally", "tallies")
    ('1 judge', '13,822 comparisons', '2 tallies')
    """
    noun = one if number == 1 else many or f"{one}s"
    return f"{number:,.0f} {noun}" if isclose(number, round(number)) else f"{number:,.1f} {noun}"


def share(part: float, whole: float) -> str:
    """Write a proportion in per cent.

    >>> share(1, 6), share(1, 1000), share(0, 10)
    ('17 %', '0.1 %', '0 %')
    """
    percent = 100 * part / whole if whole else 0.0
    return f"{percent:.1f} %" if 0 < percent < 1 else f"{percent:.0f} %"


def effective(levels: int, number: float | None) -> str:
    """Say how many effective levels there are, where they are fewer than levels.

    >>> effective(40, 4.25), effective(2500, 2000.0), effective(4, 3.98), effective(4, None)
    (' (4.2 effective)', ' (2,000 effective)', '', '')
    """
    if number is None or number >= levels - 0.05:
        return ""
    return f" ({number:,.{1 if number < 20 else 0}f} effective)"


def whole(number: float) -> float:
    """Return a count as an int where it is one; importance weights may add up to fractions.

    >>> whole(3.0), whole(2.5)
    (3, 2.5)
    """
    return int(number) if float(number).is_integer() else number


def say_tally(judgments: float, comparisons: float, systems: int, ties: float) -> str:
    counts = say_systems(systems, ties, comparisons)
    return ", ".join([say_answers(judgments, comparisons), *counts])


def say_answers(judgments: float, comparisons: float, one: str = "ranking") -> str:
    """Say how many answers there are; a ranking, or one on a merged output, holds several."""
    if isclose(judgments, comparisons):  # weights add up but for rounding
        return plural(judgments, "judgment")
    return f"{plural(judgments, one)} → {plural(comparisons, 'comparison')}"


def say_systems(systems: int, ties: float, comparisons: float) -> list[str]:
    return [plural(systems, "system"), f"{share(ties, comparisons)} ties"]


class Finding(str):
    """A sentence or two that are no number of a table: what follows, or what limits it.

    Code branches on `code` and `values`, never on the words.
    """

    __slots__ = ("code", "severity", "values")

    code: str  # lower case with dashes, such as "few-judges"; stable, unlike the words
    # "note": worth knowing; "warning": speaks against the numbers; "info": in JSON alone
    severity: str
    values: Mapping[str, Any]  # the numbers and names in the text, for JSON

    def __new__(
        cls, code: str, text: str, severity: str = "note", values: Mapping[str, Any] | None = None
    ) -> Finding:
        finding = super().__new__(cls, text)
        finding.code, finding.severity, finding.values = code, severity, dict(values or {})
        return finding

    def __reduce__(self) -> tuple[Any, ...]:  # for pickle and copy
        return Finding, (self.code, str(self), self.severity, self.values)

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity,
            "text": str(self),
            "values": {
                name: str(value) if isinstance(value, Finding) else value  # plain text for JSON
                for name, value in self.values.items()
            },
        }


def take_findings(sentences: Iterable[str]) -> tuple[Finding, ...]:
    """Return sentences as findings, none twice; one without a code has the code ""."""
    told = dict.fromkeys(sentences)
    return tuple(one if isinstance(one, Finding) else Finding("", one) for one in told)


def describe_findings(sentences: Iterable[str]) -> list[dict[str, Any]]:
    return [one.to_dict() for one in take_findings(sentences)]


class Templates(Formatter):
    """The texts of a room: code → template of `str.format`, with a few formats more.

    `{n:#judge}` is a count with its noun, `{names:list}` a list of names, `{part:%}` a proportion
    in per cent; every kind of a column is a format too, such as `{p:p}`.

    >>> say = Templates({"few-judges": "{judges:#judge} of {of:,} say {share:%}: {names:list}."})
    >>> finding = say("few-judges", judges=1, of=1200, share=0.125, names=["ann", "bob"])
    >>> print(finding, finding.code, finding.values["judges"])
    1 judge of 1,200 say 12 %: ann, bob. few-judges 1
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts: Final = texts

    def __call__(self, code: str, severity: str = "note", /, **values: Any) -> Finding:
        return Finding(code, self.format(self.texts[code], **values), severity, values)

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.startswith("#"):
            one, _, many = format_spec[1:].partition("/")
            return plural(value, one, many or None)
        if format_spec == "list":
            return listing([str(one) for one in value])
        if format_spec == "%":
            return share(value, 1)
        if format_spec in KINDS:
            return write_value(value, format_spec)
        return str(super().format_field(value, format_spec))


Row: TypeAlias = Mapping[str, Any]
Form: TypeAlias = Literal["text", "latex", "markdown", "html", "csv"]
# A key of a row, or several whose values stand in one cell, such as the ends of an interval
Key: TypeAlias = str | tuple[str, ...]

ALWAYS: Final = 9  # Priority of columns that are never left out


@dataclass(frozen=True)
class Column:
    key: Key  # of the rows
    title: str  # above it
    # how its values are written: a key of `KINDS`, or a format of `format`, such as "+.2f"
    kind: str = "text"
    says: str = ""  # what the column means, where its title does not say enough
    # where names lack room columns go, those first whose number is lowest
    priority: int = ALWAYS
    only: tuple[Form, ...] = ()  # where it is shown; () for everywhere

    @property
    def left(self) -> bool:
        return self.kind in LEFT

    def fetch(self, row: Row) -> Any:
        """Return the value of a row; a tuple where there are several keys, None where one lacks."""
        if isinstance(self.key, str):
            return row.get(self.key)
        values = tuple(row.get(one) for one in self.key)
        return None if any(one is None for one in values) else values

    def write(self, row: Row) -> str:
        return write_value(self.fetch(row), self.kind)


@dataclass(frozen=True)
class Table:
    name: str  # of the file it becomes, such as "ranking"; unlike the others of its document
    caption: str  # what it shows; stands above it where a document has several tables
    columns: tuple[Column, ...]  # from left to right; the first names the row
    # plain values by key, None where there is none; rows may hold more than the columns show, and
    # CSV has all of them
    rows: tuple[Row, ...]
    lines: tuple[int, ...] = ()  # after which rows a line stands: borders between clusters
    limit: int | None = None  # how many rows a terminal shows; None for all
    legend: tuple[str, ...] = ()  # what marks and columns mean, below the table
    # keys of rows that CSV does not have, since others tell the same
    without: tuple[str, ...] = ()
    only: tuple[Form, ...] = ()  # where it is shown; () for everywhere

    def list_columns(self, form: Form) -> list[Column]:
        return [one for one in self.columns if not one.only or form in one.only]

    @property
    def means(self) -> dict[Column, str]:
        """What columns mean that may be left out, so that the legend cannot say it."""
        may_go = (one for one in self.columns if one.says and one.priority != ALWAYS)
        return {one: f"{one.title}: {one.says}" for one in may_go}

    @property
    def records(self) -> list[dict[str, Any]]:
        return [{k: v for k, v in row.items() if k not in self.without} for row in self.rows]


@dataclass(frozen=True)
class Text:
    """Lines that stand as they are, such as an evidence card, wrapped below themselves."""

    title: str  # above them, or ""
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """What a result says, from top to bottom."""

    basis: str = ""  # what it rests on: counts, model, what intervals account for
    answer: tuple[str, ...] = ()  # what is decided, a sentence each, the first most important
    parts: tuple[Table | Text, ...] = ()
    findings: tuple[Finding, ...] = ()  # what changes what a reader should do
    signature: str = ""  # the line that reproduces the numbers
    # rows for CSV, where they are others than those of the first table
    csv_rows: tuple[Row, ...] | None = None

    @property
    def records(self) -> list[dict[str, Any]]:
        if self.csv_rows is None:
            return self.tables[0].records
        return [dict(row) for row in self.csv_rows]

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(one for one in self.parts if isinstance(one, Table))

    def list_parts(self, form: Form) -> tuple[Table | Text, ...]:
        only = ((one, () if isinstance(one, Text) else one.only) for one in self.parts)
        return tuple(one for one, forms in only if not forms or form in forms)

    @property
    def shown(self) -> tuple[Finding, ...]:
        """Return the findings that people read, warnings first, none twice."""
        said = dict.fromkeys(one for one in self.findings if one.severity != "info")
        return tuple(sorted(said, key=lambda one: one.severity != "warning"))


def write_signature(
    parts: Iterable[str], n_judgments: float, digest: str, *, judges: int | None = None
) -> str:
    from evenhand import __version__

    n = f"n={exactly(float(n_judgments))}" + (f" J={judges}" if judges is not None else "")
    return " | ".join([f"evenhand {__version__}", *parts, n, f"sha256 {digest[:12]}"])


def exactly(number: float) -> str:
    """Write a number with all of its digits.

    >>> exactly(1234567.0), exactly(12.5)
    ('1234567', '12.5')
    """
    return str(int(number)) if number.is_integer() else repr(number)

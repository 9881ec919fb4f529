"""How results are shown: a table, what they say, the line that reproduces them.

In notebooks as HTML, and wherever they are printed as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from evenhand.data.exclusions import Exclusion, list_texts
from evenhand.errors import InvalidJudgments, UnknownOption, suggest_or_list
from evenhand.render.document import Document

# Exclusion at run time as well: a board that comes over HTTP is read by its annotations

SHOWN: Final = 100  # Most rows that are shown; `to_dict` has them all
# What a cell can hold, besides lists of text; what else there is, is left to `to_dict`
PLAIN: Final = (str, int, float, type(None))

Row = Mapping[str, Any]


def _load(library: str) -> Any:
    try:
        return import_module(library)
    except ImportError:
        raise UnknownOption(f"{library} is not installed: pip install {library}") from None


class Shown:
    """A result that people read: its document, in a notebook as HTML, elsewhere as text."""

    def document(self) -> Document:
        """Return what it says, as a value that `evenhand.render` lays out."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return the main table as a frame of pandas, where it is installed."""
        return _load("pandas").DataFrame(self.document().tables[0].records)

    def to_polars(self) -> Any:
        """Return the main table as a frame of Polars, where it is installed."""
        return _load("polars").DataFrame(
            self.document().tables[0].records, infer_schema_length=None
        )

    def plot(self, kind: str | None = None) -> Any:
        """Return a figure of matplotlib: `evenhand.plot` of this result."""
        return import_module("evenhand").plot(self, kind)

    def _repr_html_(self) -> str:
        from evenhand.render.markup import render_html

        return render_html(self.document())

    def __repr__(self) -> str:
        from click import unstyle

        from evenhand.render.text import render_text

        return unstyle(render_text(self.document())).rstrip("\n")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InNotebooks:
    TABLE: ClassVar[str] = ""  # where its rows stand in `to_dict`; "" where `records` returns them
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    def _repr_html_(self) -> str:
        return draw_result(self, self.TABLE)

    def __repr__(self) -> str:
        return write_result(self, self.TABLE)


def draw_result(result: Any, table: str = "") -> str:
    rows, more = _take_rows(result, table)
    return draw_table(*tabulate(rows), (*more, *_list_lines(result)))


def write_result(result: Any, table: str = "") -> str:
    rows, more = _take_rows(result, table)
    return "\n".join(
        line for line in (*_align(*tabulate(rows)), *more, *_list_lines(result)) if line
    )


def draw_table(
    head: Sequence[str], body: Iterable[Sequence[str]], lines: Iterable[str] = (), above: str = ""
) -> str:
    first = f"<p><strong>{escape(above)}</strong></p>" if above else ""
    rows = "".join(_cells("td", row) for row in body)
    table = f"<table>{_cells('th', head)}{rows}</table>" if head else ""
    below = "<br>".join(escape(line) for line in lines if line)
    return first + table + (f"<p>{below}</p>" if below else "")


def draw_groups(by: str, shown: Mapping[str, str], refused: Mapping[str, str]) -> str:
    parts = [f"<h4>{escape(by)} {escape(name)}</h4>{html}" for name, html in shown.items()]
    parts += [
        f"<h4>{escape(by)} {escape(name)}</h4><p>{escape(why)}</p>" for name, why in refused.items()
    ]
    return "".join(parts)


def tabulate(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Return titles and cells of rows as text; what no cell can hold is left out.

    >>> tabulate([{"system": "A", "log_worth": 0.123456, "better": [1]}])
    (['system', 'log worth'], [['A', '0.1235']])
    """
    keys = [
        key
        for key in dict.fromkeys(key for row in rows for key in row)
        if all(_is_plain(row.get(key)) for row in rows)
    ]
    cells = [[write_cell(row.get(key)) for key in keys] for row in rows]
    return [str(key).replace("_", " ") for key in keys], cells


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(one, str) for one in value)
    return isinstance(value, PLAIN)


def write_cell(value: Any) -> str:
    """Write a value; what is not known is empty.

    >>> [write_cell(value) for value in (None, True, 12345, 1234.5, 2.0, "A")]
    ['', 'yes', '12,345', '1,234', '2', 'A']
    """
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and abs(value) < 1000:
        return f"{value:.4g}"
    return f"{value:,.0f}" if isinstance(value, float | int) else str(value)


def _cells(tag: str, row: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"


def _align(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """Return lines of text, numbers below each other; columns without a value are left out.

    >>> _align(["system", "wins", "seed"], [["A", "12", ""], ["lark", "3", ""]])
    ['system  wins', 'A         12', 'lark       3']
    """
    columns = []
    for title, *cells in zip(head, *body, strict=True):
        if any(cells):
            wide = max(map(len, (title, *cells)))
            number = all(not cell.strip("-+0123456789.,e") for cell in cells)
            columns.append([f"{c:>{wide}}" if number else f"{c:<{wide}}" for c in (title, *cells)])
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]


def _take_rows(result: Any, table: str) -> tuple[list[Row], list[str]]:
    held = result.to_dict()[table] if table else result.records()
    rows = [held] if isinstance(held, Mapping) else list(held)  # what stands alone is one
    more = [f"... and {len(rows) - SHOWN:,} more"] if len(rows) > SHOWN else []
    return rows[:SHOWN], more


def _list_lines(result: Any) -> tuple[str, ...]:
    notes = tuple(getattr(result, "notes", ()))
    excluded = list_texts(getattr(result, "excluded", ()), notes)
    more = (f"note: {note}" for note in notes)
    says = getattr(result, "says", ())  # some results have one sentence and some several
    says = (says,) if isinstance(says, str) else tuple(says)
    return (*says, *more, *excluded, getattr(result, "signature", ""))


class Part(Protocol):
    """What a group can hold."""

    def _repr_html_(self) -> str: ...

    def records(self) -> list[dict[str, Any]]: ...

    def to_dict(self) -> dict[str, Any]: ...


Held = TypeVar("Held", bound=Part)


@dataclass(frozen=True, eq=False, repr=False)
class Grouped(Generic[Held]):
    groups: Mapping[str, Held]  # name → result
    by: str  # the column that tells the groups apart
    # name → why, for groups of which nothing can be said
    refused: Mapping[str, str] = field(default_factory=dict)

    REFUSED: ClassVar = "nothing known"

    def __getitem__(self, name: str) -> Held:
        if name not in self.groups:
            raise InvalidJudgments(f"no {self.by} '{name}'.{self._hint(name)}")
        return self.groups[name]

    def _hint(self, name: str) -> str:
        return suggest_or_list(name, tuple(self.groups))

    def __iter__(self) -> Iterator[str]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def records(self) -> list[dict[str, Any]]:
        return [
            {self.by: name, **row} for name, one in self.groups.items() for row in one.records()
        ]

    def to_dict(self) -> dict[str, Any]:
        return {
            "groups": {name: one.to_dict() for name, one in self.groups.items()},
            "refused": dict(self.refused),
        }

    def _repr_html_(self) -> str:
        shown = {name: one._repr_html_() for name, one in self.groups.items()}
        refused = {name: f"{self.REFUSED}: {why}" for name, why in self.refused.items()}
        return draw_groups(self.by, shown, refused)

    def __repr__(self) -> str:
        parts = [f"{self.by} {name}\n{one}" for name, one in self.groups.items()]
        parts += [f"{self.by} {name}\n{self.REFUSED}: {why}" for name, why in self.refused.items()]
        return "\n\n".join(parts)


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


SYSTEM, JUDGE, ITEM = "system", "judge", "item"
ITEM_SYSTEM, JUDGE_SYSTEM, JUDGE_ITEM = "item x system", "judge x system", "judge x item"
RESIDUAL = "residual"

# Sources in the order in which they are printed
NAMES: Final = (SYSTEM, JUDGE, ITEM, ITEM_SYSTEM, JUDGE_SYSTEM, JUDGE_ITEM, RESIDUAL)

MEANINGS: Final = {
    SYSTEM: "how far systems are from each other",
    JUDGE: "severity: how far judges' mean scores are from each other",
    ITEM: "difficulty: how far items are from each other",
    ITEM_SYSTEM: "outputs: a system does better on some items than on others",
    JUDGE_SYSTEM: "taste: a judge likes some systems more than other judges do",
    JUDGE_ITEM: "a judge likes some items more than other judges do",
    RESIDUAL: "what is left: one judge's score of one output, by chance",
}


@dataclass(frozen=True)
class Component:
    """How far from each other the levels of one source are."""

    name: str  # one of NAMES
    # standard deviation between levels, in points of the scale (ratings) or log-worth
    # (comparisons); 0 where the data show none
    sd: float
    levels: int  # how many levels were seen, such as judges
    lower: float | None = None  # lower end of the interval of sd; None where there is none
    upper: float | None = None  # upper end; infinite where the data set no bound
    # one-sided p-value of sd = 0, on the boundary; None where it is not tested
    p: float | None = None
    # sources that this design cannot tell from it, so that their variance is in it
    carries: tuple[str, ...] = ()
    how: str = "REML"  # what made the estimate, "REML", "moments" or "likelihood"

    @property
    def variance(self) -> float:
        return self.sd**2

    @property
    def title(self) -> str:
        """Return the name, with what cannot be told from it.

        >>> Component("residual", 9.5, 800, carries=("judge x item",)).title
        'residual (with judge x item)'
        """
        return f"{self.name} (with {', '.join(self.carries)})" if self.carries else self.name

    def to_dict(self) -> dict[str, Any]:
        return {
            **vars(self),
            "variance": self.variance,
            "carries": list(self.carries),
            "means": MEANINGS[self.name],
        }

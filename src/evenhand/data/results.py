"""How results are shown: a table, what they say, the line that reproduces them.

In notebooks as HTML, and wherever they are printed as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, ClassVar, Final, TypeVar

from evenhand.errors import (
    EvenhandError,
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    suggest_or_list,
)
from evenhand.render.document import Document, describe_findings


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

    def to_dict(self) -> dict[str, Any]:
        """Return what it says as plain values, for JSON: sentences and the rows of its tables."""
        document = self.document()
        return {
            "signature": document.signature,
            "basis": document.basis,
            "answer": [str(one) for one in document.answer],
            "findings": describe_findings(document.findings),
            **{one.name: one.records for one in document.tables},
        }

    def list_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the main table."""
        tables = self.document().tables
        if not tables:
            raise UnknownOption(f"{type(self).__name__} has no table: print it, or take to_dict()")
        return tables[0].records

    def to_pandas(self) -> Any:
        """Return the main table as a frame of pandas, where it is installed."""
        return _load("pandas").DataFrame(self.list_rows())

    def to_polars(self) -> Any:
        """Return the main table as a frame of Polars, where it is installed."""
        return _load("polars").DataFrame(self.list_rows(), infer_schema_length=None)

    def plot(self, kind: str | None = None, *, ax: Any = None) -> Any:
        """Return a figure of matplotlib, or draw into axes: `evenhand.plot` of this result."""
        return import_module("evenhand").plot(self, kind, ax=ax)

    def _repr_html_(self) -> str:
        from evenhand.render.markup import render_html

        return render_html(self.document())

    def __repr__(self) -> str:
        from click import unstyle

        from evenhand.render.text import render_text

        return unstyle(render_text(self.document())).rstrip("\n")


Given = TypeVar("Given")
Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Beside:
    """A result, and another beside it where that was asked for."""

    main: Any
    name: str  # of the other in JSON
    other: Any = None

    def to_dict(self) -> dict[str, Any]:
        other = None if self.other is None else self.other.to_dict()
        return {**self.main.to_dict(), self.name: other}

    def document(self) -> Document:
        main: Document = self.main.document()
        if self.other is None:
            return main
        other = self.other.document()
        answer, parts = (*main.answer, *other.answer), (*main.parts, *other.parts)
        return replace(main, answer=answer, parts=parts, findings=main.findings + other.findings)


def try_each(
    parts: Mapping[str, Given],
    work: Callable[[Given], Found],
    refusals: tuple[type[EvenhandError], ...] = (NotIdentified, NotConverged),
) -> tuple[dict[str, Found], dict[str, str]]:
    """Return what is found in each part, and why nothing is in the others."""
    found, refused = dict[str, Found](), dict[str, str]()
    for name, part in parts.items():
        try:
            found[name] = work(part)
        except refusals as refusal:
            refused[name] = str(refusal)
    return found, refused


Held = TypeVar("Held", bound=Any)  # a result, which may be unlike others


@dataclass(frozen=True, eq=False, repr=False)
class Grouped(Shown, Mapping[str, Held]):
    groups: Mapping[str, Held]  # name → result
    by: str  # the column that tells the groups apart
    # name → why, for groups of which nothing can be said
    refused: Mapping[str, str] = field(default_factory=dict)

    REFUSED: ClassVar = "nothing known"

    def __getitem__(self, name: str) -> Held:
        if name not in self.groups:
            hint = suggest_or_list(name, tuple(self.groups))
            raise InvalidJudgments(f"no {self.by} '{name}'.{hint}")
        return self.groups[name]

    def __contains__(self, name: object) -> bool:
        return name in self.groups

    def get(self, name: str, default: Any = None) -> Any:
        return self.groups.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def records(self) -> list[dict[str, Any]]:
        return [{self.by: name, **row} for name in self for row in self[name].records()]

    def list_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the groups' main tables, each with the name of its group."""
        return [{self.by: name, **row} for name in self for row in self[name].list_rows()]

    def to_dict(self) -> dict[str, Any]:
        return {
            "groups": {name: one.to_dict() for name, one in self.groups.items()},
            "refused": dict(self.refused),
        }

    def _repr_html_(self) -> str:
        from html import escape

        shown = {name: one._repr_html_() for name, one in self.groups.items()}
        shown |= {
            name: f"<p>{escape(self.REFUSED)}: {escape(why)}</p>"
            for name, why in self.refused.items()
        }
        title = escape(self.by)
        return "".join(f"<h4>{title} {escape(name)}</h4>{html}" for name, html in shown.items())

    def __repr__(self) -> str:
        parts = [f"{self.by} {name}\n{one}" for name, one in self.groups.items()]
        parts += [f"{self.by} {name}\n{self.REFUSED}: {why}" for name, why in self.refused.items()]
        return "\n\n".join(parts)


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
        """Return the name, with what cannot be told from it."""
        return f"{self.name} (with {', '.join(self.carries)})" if self.carries else self.name

    def to_dict(self) -> dict[str, Any]:
        return {
            **vars(self),
            "variance": self.variance,
            "carries": list(self.carries),
            "means": MEANINGS[self.name],
        }

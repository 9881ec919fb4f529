"""Small published tables, bundled with their source and the numbers they must give.

Counts are facts, so they can be carried; each table cites where it was printed. They serve the
demo, the documentation and the tests: a method that misses one of a table's `numbers` is wrong.

>>> from evenhand import datasets
>>> len(datasets.names())
7
>>> table = datasets.load("dras2015_table1")
>>> table.systems, table.n_judgments
(('A', 'B', 'C', 'D'), 960)
"""

# tables.csv says what there is, NAME.csv holds the cells of a table in the project's long layout,
# and numbers.csv the numbers of all tables, a line each.

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from evenhand.errors import require_option

__all__ = ["Dataset", "Number", "load", "names"]

Row = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """One value that a correct fit of the table reproduces, and where it was printed."""

    # what is fitted, in words. `counts` is no fit; `davidson` is the log-linear Bradley-Terry
    # model with ties; `davidson by judge` adds a system × judge interaction (reference: the first
    # judge); `gamma zero` keeps the tie cells and drops γ; `bradley-terry` and `bradley-terry
    # with order effect` are for tables without ties. Without an order effect the two orders of a
    # pair are one cell; `, orders apart` keeps them as two, which changes the deviance and its df
    # but no estimate.
    model: str
    # `first preferences` (count), `lambda` (half a log-odds), `log-worth` (2 λ, natural
    # log-odds), `worth` (proportions that sum to 1), `gamma` (log ν), `nu`, `odds`, `order
    # effect` (log-odds in favour of the left), `deviance`, `df`; a trailing ` se`, ` z` or ` p`
    # names that column of the estimate's line
    quantity: str
    # the system; for differences `"A - D"`; for an interaction `"A:J3"`; empty where the quantity
    # belongs to the whole fit
    of: str
    value: float  # the printed or computed value
    # how far a correct answer may lie from it: half a unit of the last printed digit, or the
    # agreement that the reference software reaches
    tolerance: float
    address: str  # the paper and table, or the software, version and call


@dataclass(frozen=True, slots=True)
class Dataset:
    """A published table in the project's own long layout; one row is a cell with its count."""

    name: str  # what `load` is called with
    title: str  # one line on what was compared
    source: str  # the full citation, with the table
    # the roles of a row's fields; `judge` and `item` only where the table has them. Every table has
    # `left, right, outcome, weight`.
    columns: tuple[str, ...]
    # the cells with at least one judgment. `outcome` is `left`, `tie` or `right`, `weight` the
    # printed count.
    rows: tuple[Row, ...] = field(repr=False)
    numbers: tuple[Number, ...] = field(repr=False)  # what a correct fit gives
    note: str = field(default="", repr=False)  # what a reader of the source should know

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems in the order of the table; the last is the reference of its λ."""
        left, right = self.columns.index("left"), self.columns.index("right")
        return tuple(dict.fromkeys(str(row[at]) for row in self.rows for at in (left, right)))

    @property
    def n_judgments(self) -> int:
        weight = self.columns.index("weight")
        return sum(int(row[weight]) for row in self.rows)

    def csv(self) -> str:
        r"""Return the table as CSV text: a header, then one cell a line, ended by `\n`."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()


def names() -> tuple[str, ...]:
    """Return the names of the bundled tables, in alphabetical order."""
    return tuple(row["name"] for row in _read("tables"))


@cache
def load(name: str) -> Dataset:
    """Return a bundled table by its name.

    Args:
        name: one of `names()`.

    Raises:
        UnknownOption: there is no such table; says which there are.
    """
    require_option("dataset", name, names())
    (about,) = (row for row in _read("tables") if row["name"] == name)
    cells = _read(name)
    numbers = [
        Number(value=float(one.pop("value")), tolerance=float(one.pop("tolerance")), **one)
        for one in _read("numbers")
        if one.pop("table") == name
    ]
    return Dataset(
        **about,
        columns=tuple(cells[0]),
        rows=tuple((*list(cell.values())[:-1], int(cell["weight"])) for cell in cells),
        numbers=tuple(numbers),
    )


def _read(name: str) -> list[dict[str, str]]:
    text = files("evenhand.datasets").joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))

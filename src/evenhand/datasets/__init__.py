"""Small published tables, bundled with their source and the numbers they must give.

Counts are facts, so they can be carried; each table cites where it was printed. They serve the
demo, the documentation and the tests: a method that misses one of a table's `numbers` is wrong.

>>> from evenhand import datasets
>>> datasets.names()
('baseball1987', 'citations', 'collins2005', 'dras2015_modpref', 'dras2015_table1', 'pudding')
>>> table = datasets.load("dras2015_table1")
>>> table.systems, table.n_judgments
(('A', 'B', 'C', 'D'), 960)
"""

# tables.csv says what there is, NAME.csv holds the cells of a table in the project's long layout,
# and numbers.csv the numbers of all tables, a line each.

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from evenhand.datasets.dataset import Dataset, Number
from evenhand.errors import require_option

__all__ = ["Dataset", "Number", "load", "names"]


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
        Number(
            row["model"],
            row["quantity"],
            row["of"],
            float(row["value"]),
            float(row["tolerance"]),
            row["address"],
        )
        for row in _read("numbers")
        if row["table"] == name
    ]
    return Dataset(
        name=name,
        title=about["title"],
        source=about["source"],
        columns=tuple(cells[0]),
        rows=tuple((*list(cell.values())[:-1], int(cell["weight"])) for cell in cells),
        numbers=tuple(numbers),
        note=about["note"],
    )


def _read(name: str) -> list[dict[str, str]]:
    text = files("evenhand.datasets").joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))

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

from __future__ import annotations

from evenhand.datasets import tables
from evenhand.datasets.dataset import Dataset, Number
from evenhand.errors import require_option

__all__ = ["Dataset", "Number", "load", "names"]

_TABLES = {
    table.name: table
    for table in (
        tables.BASEBALL1987,
        tables.CITATIONS,
        tables.COLLINS2005,
        tables.MODPREF,
        tables.DRAS2015_TABLE1,
        tables.PUDDING,
    )
}


def names() -> tuple[str, ...]:
    """Return the names of the bundled tables, in alphabetical order."""
    return tuple(sorted(_TABLES))


def load(name: str) -> Dataset:
    """Return a bundled table by its name."""
    require_option("dataset", name, names())
    return _TABLES[name]

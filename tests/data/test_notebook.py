"""What a notebook shows of results: everything escaped, nothing lost in silence."""

from __future__ import annotations

import inspect
from html.parser import HTMLParser

import pytest

import evenhand
from evenhand.render.document import Column, Document, Table
from evenhand.render.markup import MAX_ROWS, render_html


class Cells(HTMLParser):
    """Collects the text of cells, and all text."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.text = ""
        self._cell = False

    def handle_starttag(self, tag, attrs):  # noqa: ARG002 - the parser's signature
        self.rows += [[]] if tag == "tr" else []
        self._cell = tag in ("td", "th")

    def handle_endtag(self, tag):
        self._cell = False if tag in ("td", "th") else self._cell

    def handle_data(self, data):
        self.text += data
        if self._cell:
            self.rows[-1].append(data)


def read(html: str) -> Cells:
    cells = Cells()
    cells.feed(html)
    return cells


def test_a_notebook_escapes_names_and_says_how_many_rows_are_left():
    rows = tuple({"system": f"<s{n}>", "n": n} for n in range(MAX_ROWS + 3))
    columns = (Column("system", "system", "name"), Column("n", "n", "count"))
    seen = read(render_html(Document("few", ("<b>&",), (Table("t", "", columns, rows),))))
    assert seen.rows[:2] == [["system", "n"], ["<s0>", "0"]]
    assert len(seen.rows) == MAX_ROWS + 1
    assert all(line in seen.text for line in ("... and 3 more", "<b>&", "few"))


def _results() -> list[str]:
    """Public classes that say by which line their numbers come again."""
    classes = {name: getattr(evenhand, name) for name in evenhand.__all__}
    return [
        name
        for name, one in classes.items()
        if inspect.isclass(one)
        and (hasattr(one, "signature") or "signature" in getattr(one, "__dataclass_fields__", {}))
    ]


@pytest.mark.parametrize("name", [*_results(), "GroupedDiagnoses", "Report"])
def test_every_public_result_is_shown_in_notebooks(name):
    assert hasattr(getattr(evenhand, name), "_repr_html_")


@pytest.mark.parametrize("name", [*_results(), "GroupedDiagnoses", "Report"])
def test_no_public_result_is_printed_as_its_fields(name):
    """A dataclass writes its own `__repr__` from a string, not in a file."""
    written = inspect.unwrap(getattr(evenhand, name).__repr__).__code__.co_filename
    assert written.endswith(".py")


def test_there_are_results():
    assert len(_results()) >= 20

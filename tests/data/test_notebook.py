"""What a notebook shows of results: everything escaped, nothing lost in silence."""

from __future__ import annotations

import inspect

import pytest

import evenhand
from evenhand.render.document import Column, Document, Table
from evenhand.render.markup import MAX_ROWS, render_html


def test_a_notebook_escapes_names_and_says_how_many_rows_are_left():
    rows = tuple({"system": f"<s{n}>", "n": n} for n in range(MAX_ROWS + 3))
    columns = (Column("system", "system", "name"), Column("n", "n", "count"))
    shown = render_html(Document("few", ("<b>&",), (Table("t", "", columns, rows),)))
    assert "<td>&lt;s0&gt;</td><td>0</td>" in shown
    assert "&lt;b&gt;&amp;" in shown
    assert shown.count("<tr>") == MAX_ROWS + 1
    assert "... and 3 more" in shown


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
def test_no_public_result_is_printed_as_its_fields(name):
    """A dataclass writes its own `__repr__` from a string, not in a file."""
    written = inspect.unwrap(getattr(evenhand, name).__repr__).__code__.co_filename
    assert written.endswith(".py")


def test_there_are_results():
    assert len(_results()) >= 20

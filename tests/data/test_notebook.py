"""What a notebook shows of results: everything escaped, nothing lost in silence."""

from __future__ import annotations

import inspect
from html.parser import HTMLParser

import pytest

import evenhand
from evenhand.data.results import SHOWN, InNotebooks, draw_groups, draw_table, tabulate


class Found(InNotebooks):
    """A result of 103 rows."""

    says = ("A leads", "<b>&")
    notes = ("few judges",)
    signature = "evenhand 0.1.0 | n=103"

    def records(self):
        return [{"system": f"<s{n}>", "log_worth": n / 3, "rest": {}} for n in range(SHOWN + 3)]


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


def test_a_result_is_a_table_with_what_it_says_its_notes_and_its_signature():
    seen = read(Found()._repr_html_())
    assert seen.rows[:3] == [["system", "log worth"], ["<s0>", "0"], ["<s1>", "0.3333"]]
    assert len(seen.rows) == SHOWN + 1
    for line in ("... and 3 more", "A leads", "<b>&", "note: few judges", "n=103"):
        assert line in seen.text


def test_it_is_printed_as_the_same_table_in_text():
    lines = repr(Found()).split("\n")
    assert lines[:3] == ["system  log worth", "<s0>            0", "<s1>       0.3333"]
    assert lines[-5:] == [
        "... and 3 more",
        "A leads",
        "<b>&",
        "note: few judges",
        "evenhand 0.1.0 | n=103",
    ]
    assert len(lines) == SHOWN + 6


def test_lists_of_names_are_joined_and_what_no_cell_holds_is_left_out():
    rows = [{"systems": ("A", "B"), "how": {"x": 1}, "n": 1}, {"systems": (), "how": {}, "n": 2}]
    assert tabulate(rows) == (["systems", "n"], [["A, B", "1"], ["", "2"]])


def test_groups_stand_below_each_other_and_say_why_one_is_missing():
    html = draw_groups("task", {"a<b": draw_table(["x"], [["1"]])}, {"c": "one system"})
    assert "<h4>task a&lt;b</h4><table>" in html
    assert "<h4>task c</h4><p>one system</p>" in html


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

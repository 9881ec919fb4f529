"""Every number on the page stands in the JSON, and the figures are drawn from it."""

from __future__ import annotations

import json
from functools import cache

import pytest

from evenhand.render.document import KINDS, write_value
from evenhand.report.html import write_page
from report_pages import HOSTILE, Texts, find_untold, make_report, read_held

REPORTS = {
    "one task": make_report(),
    "hostile names": make_report(HOSTILE),
    "tasks": make_report(tasks=("cs-en 2012", "de-en 2012")),
    "many systems": make_report(tuple(f"system {place}" for place in range(300))),
    "many tasks": make_report(
        tuple(f"system {place}" for place in range(20)),
        tasks=tuple(f"task {place}" for place in range(8)),
    ),
}


@cache
def write_once(name: str) -> str:
    return write_page(REPORTS[name])


@pytest.mark.parametrize("name", REPORTS)
def test_every_number_on_the_page_is_what_the_json_says_at_its_path(name: str) -> None:
    page = write_once(name)
    assert find_untold(page) == []
    assert len([text for text, path, _ in Texts(page).found if path]) > 60


@pytest.mark.parametrize("name", REPORTS)
def test_the_json_in_the_page_is_the_report(name: str) -> None:
    report = REPORTS[name]
    told = json.loads(json.dumps(report.to_dict()))
    assert read_held(write_once(name), "report") == told


def test_a_number_that_differs_from_the_json_is_found() -> None:
    page = write_page(make_report())
    assert "1,200" in page
    wrong = find_untold(page.replace("1,200", "1,201", 1))
    assert len(wrong) == 1
    assert "1,201" in wrong[0]
    assert "1,200" in wrong[0]


def test_cells_that_changed_places_are_found() -> None:
    page = write_page(make_report())
    assert "<td>1,200</td><td>–</td>" in page
    wrong = find_untold(page.replace("<td>1,200</td><td>–</td>", "<td>–</td><td>1,200</td>", 1))
    assert wrong == ["'1,200' at /parts/0/sections/0/tables/0/rows/0 share: the JSON says '–'"]


def test_a_number_without_a_path_is_found() -> None:
    page = write_page(make_report())
    wrong = find_untold(page.replace("</main>", "<p>7 more</p></main>"))
    assert wrong == ["'7 more' has no path"]


def test_every_kind_writes_numbers_as_people_read_them() -> None:
    written = {
        ("text", "a"): "a",
        ("count", 12345.0): "12,345",
        ("count", 2.5): "2.5",
        ("one", -0.01): "0.0",
        ("two", 1.005e3): "1,005.00",
        ("three", 0.12345): "0.123",
        ("share", 0.955): "96 %",
        ("percent", 0.0042): "0.42 %",
        ("p", 0.0009): "< 0.001",
        ("general", 1e-7): "1e-07",
        ("name", "b"): "b",
        ("prose", "c"): "c",
        ("names", ("a", "b")): "a, b",
        ("figures", 0.012345): "0.0123",
        ("integer", 1234.0): "1,234",
        ("four", 0.12345): "0.1235",
        ("signed", 0.5): "+0.50",
        ("interval", (-0.001, 1.0)): "0.00 to 1.00",
        ("interval three", (0.25, 0.5)): "0.250 to 0.500",
        ("interval four", (0.25, 0.5)): "0.2500 to 0.5000",
        ("interval share", (0.25, 0.5)): "25 to 50 %",
        ("tenths", 0.4825): "48.2 %",
        ("interval tenths", (0.45, 0.5525)): "45.0 to 55.2 %",
        ("interval figures", (0.012345, 1234.0)): "0.0123 to 1,234",
        ("interval general", (0.25, 1000.0)): "0.25 to 1000",
        ("state", "passed"): "passed",
        ("range", (1, 3)): "1-3",
        ("bar", (0.1, 0.2, 0.3)): "",
        ("yes", True): "yes",
    }
    assert {pair: write_value(pair[1], pair[0]) for pair in written} == written
    assert {kind for kind, _ in written} == set(KINDS)
    assert write_value(None, "two") == "–"

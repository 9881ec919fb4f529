"""The page before axe-core: roles, names, headings, contrast in light and in dark.

axe-core is not ours to distribute; EVENHAND_AXE names its axe.min.js (npm install axe-core).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accessibility import inspect, read_axe
from browsers import open_browser
from report_pages import HOSTILE, make_report, show


@pytest.fixture(scope="module")
def axe() -> str:
    return read_axe()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_on_a_report_of_one_task(
    browser: Any, axe: str, tmp_path: Path, width: int, scheme: str
) -> None:
    report = make_report((*HOSTILE, *(f"system {place}" for place in range(9))))
    page = show(browser, tmp_path / "r.html", report, width=width, scheme=scheme)
    for folded in page.query_selector_all("details > summary"):
        folded.click()
    assert inspect(page, axe) == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_a_report_of_several_tasks(
    browser: Any, axe: str, tmp_path: Path, scheme: str
) -> None:
    report = make_report(tasks=("cs-en", "de-en"))
    page = show(browser, tmp_path / "r.html", report, scheme=scheme, anchor="#part-1")
    assert inspect(page, axe) == []
    page.click("text=Open all")
    assert inspect(page, axe) == []
    page.close()


def test_a_keyboard_reaches_the_answer_and_reads_what_a_figure_shows(
    browser: Any, tmp_path: Path
) -> None:
    page = show(browser, tmp_path / "r.html", make_report())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the answer"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for _ in range(9):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "chart":
            break
    assert page.locator(".alt").first.bounding_box()["height"] > 10
    page.close()

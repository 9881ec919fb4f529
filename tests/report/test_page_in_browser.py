"""The page in a browser: without network, at every width, on paper, whatever systems are called."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsers import open_browser
from evenhand.report.html import write_page
from report_pages import HOSTILE, LONG, make_report, show
from waiting import wait_for

TASKS = ("cs-en", "de-en", "fr-en")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_asks_for_nothing_and_tells_no_fault(
    browser: Any, tmp_path: Path, width: int
) -> None:
    page = show(browser, tmp_path / "r.html", make_report(), width=width)
    assert page.asked == [(tmp_path / "r.html").as_uri()]
    assert page.told == []
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_names_of_systems_run_nothing_and_do_not_widen_the_page(
    browser: Any, tmp_path: Path, width: int
) -> None:
    for place, names in enumerate((HOSTILE, (LONG, *HOSTILE))):
        page = show(browser, tmp_path / f"{place}.html", make_report(names), width=width)
        assert page.evaluate("window.broken") is None
        assert page.told == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.title() == f"A report for 2026 on {names[0]}"
        page.close()


def test_numbers_drawn_in_figures_are_those_of_their_rows(browser: Any, tmp_path: Path) -> None:
    page = show(browser, tmp_path / "r.html", make_report())
    drawn = page.evaluate(
        """[...document.querySelectorAll('.chart .broad')].map((chart) =>
             [...chart.querySelectorAll('text')].map((one) => one.textContent))"""
    )
    assert len(drawn) == 2
    assert all(words[-3:] == ["1–2", "2–3", "3–4"] for words in drawn)
    page.close()


POINT = """getComputedStyle([...document.querySelectorAll('.chart .broad use')].at(-1)).fill"""
ACCENTS = {"light": "rgb(11, 110, 153)", "dark": "rgb(91, 184, 224)"}


def test_colours_follow_the_preference_and_the_button(browser: Any, tmp_path: Path) -> None:
    page = show(browser, tmp_path / "r.html", make_report(), scheme="dark")
    assert page.evaluate(POINT) == ACCENTS["dark"]
    page.click("[data-do=theme]")
    assert page.evaluate(POINT) == ACCENTS["light"]
    page.emulate_media(color_scheme="light")
    page.click("[data-do=theme]")
    assert page.evaluate(POINT) == ACCENTS["dark"]
    page.emulate_media(media="print")
    assert page.evaluate(POINT) == ACCENTS["light"], "paper is white"
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_each_figure_is_seen_once_in_the_form_for_its_width(
    browser: Any, tmp_path: Path, width: int
) -> None:
    page = show(browser, tmp_path / "r.html", make_report(), width=width)
    form = "broad" if width == 1280 else "slim"
    assert page.locator(f".chart .{form}:visible").count() == page.locator(".chart").count()
    assert page.locator(".chart svg:visible").count() == page.locator(".chart").count()
    letters = page.evaluate(
        """[...document.querySelectorAll('.chart text')].map((one) =>
             one.getBoundingClientRect().height).filter((height) => height > 0)"""
    )
    assert min(letters) > 11
    inside = page.evaluate(
        """[...document.querySelectorAll('.chart svg')].every((svg) =>
             [...svg.querySelectorAll('text')].every((one) =>
               one.getBoundingClientRect().right <= svg.getBoundingClientRect().right + 2))"""
    )
    assert inside
    page.close()


def test_a_phone_shows_answer_forest_and_checks_in_this_order(browser: Any, tmp_path: Path) -> None:
    page = show(browser, tmp_path / "r.html", make_report(), width=390)
    tops = [
        page.query_selector(one).bounding_box()["y"] for one in (".answer", ".chart", ".key-checks")
    ]
    assert tops == sorted(tops)
    page.set_viewport_size({"width": 1280, "height": 900})
    boxes = [page.query_selector(one).bounding_box() for one in (".key-checks", ".first figure")]
    assert boxes[0]["x"] > boxes[1]["x"] + boxes[1]["width"]
    assert all(box["y"] + box["height"] < 900 for box in boxes)
    page.close()


def test_paper_shows_all_figures_and_folded_parts(browser: Any, tmp_path: Path) -> None:
    report = make_report(tuple(f"s{place}" for place in range(40)), tasks=TASKS)
    path = tmp_path / "r.html"
    page = browser.new_page(color_scheme="dark")
    path.write_text(write_page(report), encoding="utf-8")
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]")
    page.evaluate("addEventListener('afterprint', () => (window.printed = true))")
    page.evaluate("addEventListener('beforeprint', () => (window.seen = look()))")
    page.evaluate(
        """window.look = () => ({
             drawn: document.querySelectorAll('.chart svg').length,
             closed: document.querySelectorAll('details:not([open])').length})"""
    )
    page.pdf()
    assert page.evaluate("window.seen") == {"drawn": 12, "closed": 0}
    page.emulate_media(media="print")
    hidden = "[...document.querySelectorAll('tbody tr')].filter((row) => !row.checkVisibility())"
    assert page.evaluate(f"{hidden}.length") == 0
    page.close()


def test_the_overview_opens_the_part_that_it_links_to(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text(write_page(make_report(tasks=TASKS)), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.locator("details.part[open]").count() == 0
    page.click("text=de-en")
    page.wait_for_selector("details.part[open] .chart svg")
    assert page.inner_text("details.part[open] h2") == "de-en"
    page.click("text=Open all")
    assert page.locator("details.part[open]").count() == 3
    page.close()


def test_a_link_from_outside_leads_into_a_folded_part(browser: Any, tmp_path: Path) -> None:
    names = (*HOSTILE, *(f"s{place}" for place in range(40)))
    report = make_report(names, tasks=TASKS)
    page = show(browser, tmp_path / "r.html", report, anchor="#part-1-judges")
    assert page.inner_text("details.part[open] h2") == "de-en"
    page.wait_for_selector("#part-1-judges")
    seen = (
        "() => { const box = document.getElementById('part-1-judges').getBoundingClientRect();"
        " return box.bottom > 0 && box.top < 900; }"
    )
    wait_for(lambda: page.evaluate(seen))  # what is drawn above it moves it for a moment
    assert page.locator(".clipped").count() > 0
    assert page.evaluate("window.broken") is None
    assert page.told == []
    page.close()


def test_a_browser_that_cannot_unpack_shows_figures_and_no_buttons(
    browser: Any, tmp_path: Path
) -> None:
    path = tmp_path / "r.html"
    path.write_text(write_page(make_report()), encoding="utf-8")
    page = browser.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(path.as_uri())
    assert page.locator(".chart svg:visible").count() == 2
    assert page.locator("button:visible").count() == 0
    page.close()


def download(page: Any, button: str) -> tuple[str, bytes]:
    with page.expect_download() as waiting:
        page.locator(button).first.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_everything_can_be_saved_without_network(browser: Any, tmp_path: Path) -> None:
    report = make_report(HOSTILE)
    page = show(browser, tmp_path / "r.html", report)
    name, svg = download(page, "[data-do=svg]")
    assert (name, svg[:4]) == ("forest.svg", b"<svg")
    assert b"<script" not in svg
    assert b"var(" not in svg
    assert b"#0b6e99" in svg
    name, png = download(page, "[data-do=png]")
    assert (name, png[:8]) == ("forest.png", b"\x89PNG\r\n\x1a\n")
    name, csv = download(page, "[data-do=csv]")
    lines = csv.decode("utf-8-sig").split("\r\n")
    assert name == "board.csv"
    assert lines[0] == "rank set,system,log-worth,wins,share,p,state"
    assert lines[5].split(",")[1] == "'=1+1", "a spreadsheet must not compute it"
    name, held = download(page, "[data-do=json]")
    assert name == "report.json"
    assert json.loads(held) == report.to_dict()
    assert page.told == []
    page.close()


def test_without_javascript_everything_is_seen(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text(
        write_page(make_report(tuple(f"s{place}" for place in range(40)))), encoding="utf-8"
    )
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator(".chart svg:visible").count() == page.locator(".chart").count() == 2
    assert page.locator("tbody tr:visible").count() == 40
    assert page.locator("button:visible").count() == 0
    path.write_text(write_page(make_report(tasks=TASKS)), encoding="utf-8")
    page.goto(path.as_uri())
    before = page.locator(".chart svg:visible").count()
    page.click("details.part >> nth=1 >> summary >> nth=0")
    assert page.locator(".chart svg:visible").count() == before + 2
    context.close()

"""The page as text: nothing from outside, small, with the library that Altair writes for."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import altair
import pytest

from evenhand.render.document import Column
from evenhand.report import html
from evenhand.report.document import Check, Part, Section
from evenhand.report.html import (
    PLAIN,
    embed,
    find_hero,
    hold_together,
    is_spread,
    pack,
    size_answer,
    write_page,
)
from report_pages import HOSTILE, make_forest, make_report, read_held, unpack, unpack_parts

PAGE = Path(str(files("evenhand.report") / "page"))
NOTICE = {
    False: "All they show stands in words and tables.",
    True: "The parts of the tasks are packed and need it too; the overview can be read.",
}
"""Whether parts are packed → what is said where no JavaScript runs."""


def test_the_bundle_draws_the_vega_lite_that_altair_writes() -> None:
    head = (PAGE / "vega.js").read_text("utf-8")[:200]
    found = re.search(r"vega-lite (\d+)", head)
    assert found
    assert found[1] == altair.VEGALITE_VERSION.split(".")[0]


def test_every_library_in_the_bundle_comes_with_its_licence() -> None:
    text = (PAGE / "LICENCES.txt").read_text("utf-8")
    named = re.findall(r"^={80}\n(\S+) \S+ \(([^)]*)\)\n\n(.+)$", text, re.MULTILINE)
    assert {"vega", "vega-lite", "vega-interpreter", "d3-array", "topojson-client"} <= {
        name for name, _, _ in named
    }
    assert {kind for _, kind, _ in named} <= {"BSD-3-Clause", "ISC", "MIT", "Unlicense"}


@pytest.mark.parametrize("names", [("A", "B"), HOSTILE], ids=["plain", "hostile"])
def test_a_page_needs_nothing_from_outside(names: tuple[str, ...]) -> None:
    page = write_page(make_report(names))
    outside = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"<(link|img|iframe|object|embed|base)\b|@import|url\(", outside)
    assert not re.search(r"<[^>]+\s(src|action|formaction)=", outside)
    assert "default-src 'none'" in page
    assert "unsafe-eval" not in page
    assert page.count("<script") == 4, "two of JSON, the library, and ours"


def test_the_library_in_the_page_is_the_bundle() -> None:
    found = re.search(
        r'<script type="application/gzip" id="vega">(.*?)</script>', write_page(make_report())
    )
    assert found
    assert unpack(found[1]) == (PAGE / "vega.js").read_text("utf-8")


@pytest.mark.parametrize("names", [("A", "B"), HOSTILE], ids=["plain", "hostile"])
def test_a_large_page_of_several_tasks_packs_its_parts_and_nothing_is_lost(
    monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    report = make_report(names, tasks=("cs-en", "de-en", "fr-en"))
    plain = write_page(report)
    monkeypatch.setattr(html, "LARGE", len(plain.encode()))
    assert write_page(report) == plain
    monkeypatch.setattr(html, "LARGE", len(plain.encode()) - 1)
    packed = write_page(report)
    assert packed.count('class="packed"') == 3
    assert unpack_parts(packed).replace(NOTICE[True], NOTICE[False]) == plain
    assert NOTICE[True] in packed
    assert write_page(report) == packed


def test_thirty_two_tasks_of_a_hundred_systems_fit_in_two_megabytes() -> None:
    names = tuple(f"system {place}" for place in range(100))
    page = write_page(make_report(names, tasks=tuple(f"task {place}" for place in range(32))))
    assert len(unpack_parts(page).encode()) > 2_000_000 > len(page.encode())


def test_what_is_packed_is_the_same_whenever_it_is_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    first = pack("evenhand")
    monkeypatch.setattr("time.time", lambda: 86_400.0)
    assert pack("evenhand") == first
    assert unpack(first) == "evenhand"


def test_markup_of_the_page_is_nowhere_shown_as_text() -> None:
    page = unpack_parts(write_page(make_report(tasks=("cs-en", "de-en"))))
    shown = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert re.findall(r"[^&]*&#34;[^&]*|&lt;/?(?:t[dhr]|span|p|div)\b", shown) == []


def test_no_line_breaks_within_a_percentage_an_option_or_a_set_of_ranks() -> None:
    held = hold_together("56.4 % of <A>, 7 %-points, 1,234.5 % - --left-out x--y -- z, 1–11")
    kept = re.findall(r'<span class="w">(.*?)</span>', held)
    assert kept == ["56.4 %", "7 %", "1,234.5 %", "--left-out", "1–11"]
    assert held.striptags() == "56.4 % of <A>, 7 %-points, 1,234.5 % - --left-out x--y -- z, 1–11"
    assert ".w { white-space: nowrap; }" in (PAGE / "base.css").read_text("utf-8")


def test_first_columns_of_names_have_a_least_width() -> None:
    text, count = Column("a", "a"), Column("b", "b", "count")
    assert is_spread(text, [{"a": "1–2"}, {"a": "system 10"}])
    assert not is_spread(text, [{"a": "1–2"}, {"a": None}])
    assert not is_spread(count, [{"b": 123456789}])


def test_two_hundred_systems_fit_in_two_megabytes() -> None:
    page = write_page(make_report(tuple(f"system {place}" for place in range(200))))
    assert len(page.encode()) < 2_000_000


def test_long_json_is_packed_and_read_again() -> None:
    long = {"text": "</script>ü" * PLAIN}
    packed = embed("report", long)
    assert len(packed) < PLAIN
    assert read_held(packed, "report") == long
    assert read_held(embed("report", {"a": "<&>"}), "report") == {"a": "<&>"}


def test_the_first_screen_has_the_forest_or_else_the_first_figure() -> None:
    forest = make_forest(("A", "B"))
    other = Section("other", "Other", figures=(forest, forest))
    ranking = Section("ranking", "Ranking", figures=(forest,))
    assert find_hero(Part("", (), (other, ranking))) == (1, 0)
    assert find_hero(Part("", (), (other,))) == (0, 0)
    assert find_hero(Part("", (), (Section("none", "None"), other))) == (-1, -1)
    page = write_page(make_report())
    assert page.count('data-figure="/parts/0/sections/0/figures/0"') == 1


def test_longer_answers_are_in_smaller_type() -> None:
    sizes = [size_answer(("w" * letters,)) for letters in (10, 100, 200, 250, 900)]
    assert sizes == [1, 2, 3, 4, 5]


def test_a_light_leads_to_the_section_that_made_it() -> None:
    page = write_page(make_report())
    light = re.search(r'<a href="#(\w+)" data-path="/parts/0/key_checks/0/asks">', page)
    assert light
    assert f'<section id="{light[1]}">' in page
    assert Check("a", "A?", "passed", "").state in page

"""The page as text: nothing from outside, small, with its figures in it."""

from __future__ import annotations

import re
from html import unescape
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest

import evenhand
from evenhand.report.document import Part, Section
from evenhand.report.html import (
    PLAIN,
    embed,
    find_hero,
    hold_together,
    pack,
    write_page,
)
from report_pages import HOSTILE, make_forest, make_report, read_held, unpack

PAGE = Path(str(files("evenhand.report") / "page"))


@pytest.mark.parametrize("names", [("A", "B"), HOSTILE], ids=["plain", "hostile"])
def test_a_page_needs_nothing_from_outside(names: tuple[str, ...]) -> None:
    page = write_page(make_report(names))
    outside = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"<(link|img|iframe|object|embed|base)\b|@import|url\((?!#)", outside)
    assert not re.search(r"<[^>]+\s(src|action|formaction)=", outside)
    assert "default-src 'none'" in page
    assert "unsafe-eval" not in page
    assert page.count("<script") == 2, "one of JSON, and ours"


def test_figures_are_in_the_page_with_title_description_and_ids_of_their_own() -> None:
    page = write_page(make_report(tasks=("cs-en", "de-en")))
    figures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(figures) == 2 * 2 * 2, "parts, figures of each, wide and narrow"
    names = re.findall(r'\sid="([^"]*)"', page)
    assert len(names) == len({*names})
    for figure in figures:
        title, words = (re.search(rf"<{tag} [^>]*>([^<]*)</", figure) for tag in ("title", "desc"))
        assert title is not None
        assert title[1] == "Systems, 95 % intervals"
        assert words is not None
        assert words[1] == "Systems 1 to 9"
        assert 'role="img"' in figure
        held = {*re.findall(r'\sid="([^"]*)"', figure)}
        assert {*re.findall(r'(?:href="#|url\(#)([^")]*)', figure)} <= held
        assert ">A</text>" in figure


def test_what_a_system_is_called_stays_as_it_is_in_a_figure() -> None:
    names = ('#0b6e99 id="a"', "<!-- a -->", '$x^2$ 0.123456pt"')
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", write_page(make_report(names)))
    assert {*names} <= {unescape(text) for text in drawn}


def test_what_is_packed_is_the_same_whenever_it_is_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    first = pack("evenhand")
    monkeypatch.setattr("time.time", lambda: 86_400.0)
    assert pack("evenhand") == first
    assert unpack(first) == "evenhand"


def test_markup_of_the_page_is_nowhere_shown_as_text() -> None:
    page = write_page(make_report(tasks=("cs-en", "de-en")))
    shown = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert re.findall(r"[^&]*&#34;[^&]*|&lt;/?(?:t[dhr]|span|p|div)\b", shown) == []


def test_no_line_breaks_within_a_percentage_an_option_or_a_set_of_ranks() -> None:
    held = hold_together("56.4 % of <A>, 7 %-points, 1,234.5 % - --left-out x--y -- z, 1–11")
    kept = re.findall(r'<span class="w">(.*?)</span>', held)
    assert kept == ["56.4 %", "7 %", "1,234.5 %", "--left-out", "1–11"]
    assert held.striptags() == "56.4 % of <A>, 7 %-points, 1,234.5 % - --left-out x--y -- z, 1–11"
    assert ".w { white-space: nowrap; }" in (PAGE / "base.css").read_text("utf-8")


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
    assert page.count('id="parts-0-sections-0-figures-0-broad-title"') == 1


def test_a_light_leads_to_the_section_that_made_it() -> None:
    page = write_page(make_report())
    light = re.search(r'<a href="#(\w+)" data-path="/parts/0/key_checks/0/asks">', page)
    assert light
    assert f'<section id="{light[1]}">' in page


def test_systems_may_be_called_like_numbers_and_like_states_of_checks() -> None:
    page = write_page(make_report(("1", "2b", "passed", "failed")))
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", page)
    assert "passed" in cells
    assert not any("data-state" in cell for cell in cells if "passed" in cell)


def test_no_sign_that_moves_text_reaches_the_page() -> None:
    names = ("\x1b[31mred", "\u202eoff", "plain")
    page = write_page(make_report(names))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", page)
    assert "\\x1b[31mred" in page
    for figure in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL):
        ElementTree.fromstring(figure)


def test_slips_in_the_data_stand_on_the_first_screen(tmp_path):
    path = tmp_path / "ratings.csv"
    rows = [
        f"j{j},i{i},s{s},{1 + (i + s + j) % 5}"
        for i in range(8)
        for s in range(3)
        for j in range(3)
    ]
    path.write_text("\n".join(["judge,item,system,score", "j0,i9,s0,55", *rows, rows[0], ""]))
    report = evenhand.make_report(evenhand.read(path), sections=["scores"])
    assert [one.code for one in report.warnings] == ["far-score"]
    page = write_page(report)
    first = page.index('data-path="/warnings/0/text"')
    assert first < page.index('data-path="/parts/0/answer/0"')
    assert "judge j0, item i9, system s0" in page[first : first + 300]
    assert "item i9" in str(report)

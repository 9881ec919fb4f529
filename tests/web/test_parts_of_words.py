"""Parts of words are marked: by mouse, keys and touch, right to left, and in Chinese."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browsers import run_site
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store
from evenhand.web.analysis import make_file
from evenhand.web.downloads import open_download
from judge_pages import LAST, find_faults, keep_picture, open_page, press, settle
from stored_campaigns import fill

# what is read as one character may be several: e with an accent of its own, a family of three
LATIN = "a cafe\u0301tier 👨‍👩‍👧x end"


def _open(browser: Any, address: str, width: int) -> Any:
    if width > 1000:
        return open_page(browser, address, width)
    page = browser.new_context(viewport={"width": width, "height": 844}, has_touch=True).new_page()
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(address)
    return page


def _mark(
    browser: Any, where: Path, text: tuple[str, str], width: int, act: Callable[[Any], None]
) -> tuple[list[str], list[str]]:
    """Let a judge mark a text; return what was marked, as our tables and as Appraise have it.

    text: its language, and its words.
    """
    language, words = text
    told = {"name": "t", "judges": ["ann"], "tasks": [{"kind": "spans", "name": "e"}]}
    told |= {"texts": {"source": "eng", "output": language}}
    items = [{"item": "1", "source": "A source.", "outputs": {"A": words}}]
    with Store.open(str(where / "c.db")) as store:
        token = fill(store, make_campaign({**told, "items": items}))["ann"]
        with run_site(Site(store)) as address:
            page = _open(browser, f"{address}/j/{token}", width)
            settle(page, "1 of 1")
            act(page)
            assert find_faults(page) == []
            keep_picture(page, f"parts-{language}-{width}")
            page.fill(".number", "40")
            page.click(".send")
            page.wait_for_selector(LAST)
            page.close()
        pieces = open_download(store, "spans.csv")
        assert pieces is not None
        (row,) = csv.DictReader(io.StringIO(b"".join(pieces).decode()))
        ours = [words[one["start"] : one["end"]] for one in json.loads(row["spans"])]
        file = io.StringIO(make_file(store, "e", "appraise")[1].decode())
        units = words.encode("utf-16-le")
        spans = json.loads(next(csv.reader(file))[9])
        theirs = [units[2 * one["start_i"] : 2 * one["end_i"] + 2] for one in spans]
        return ours, [one.decode("utf-16-le") for one in theirs]


def _drag(page: Any) -> None:
    page.click(".tools button:has-text('Characters')")
    page.hover(".w:text-is('f')")
    page.mouse.down()
    page.hover(".w:text-is('e\u0301')")
    page.mouse.up()
    page.click(".severity.s2")
    page.click(".w:text-is('👨‍👩‍👧')")
    page.click(".severity.s0")
    page.click(".tools button:has-text('Characters')")
    # a word of which a part is marked is drawn in pieces, and chosen as a whole
    assert page.locator(".w:has-text('tier') .s2").all_text_contents() == ["fe\u0301"]
    page.click(".w:has-text('end')")
    page.click(".severity.s0")


def test_parts_of_words_are_marked_with_a_mouse(browser: Any, tmp_path: Path) -> None:
    marked = _mark(browser, tmp_path, ("fra", LATIN), 1280, _drag)
    assert marked == (["fe\u0301", "👨‍👩‍👧", "end"],) * 2


def _press(page: Any) -> None:
    # the second word is chosen, then its characters, then the first three of them
    press(page, "ArrowLeft ArrowLeft c Home ArrowLeft ArrowLeft ArrowLeft")
    press(page, "Shift+ArrowLeft Shift+ArrowLeft 2")
    assert page.locator(".w.s2").count() == 3
    press(page, "c")
    assert page.locator(".w .s2").all_text_contents() == ["الب"]


def test_parts_of_words_are_marked_by_keys_from_right_to_left(browser: Any, tmp_path: Path) -> None:
    assert _mark(browser, tmp_path, ("ara", "كان الباب مفتوحا"), 1280, _press) == (["الب"],) * 2


def _tap(page: Any) -> None:
    page.tap(".tools button:has-text('Characters')")
    for one in "睡觉":
        page.tap(f".w:text-is('{one}')")
    page.tap(".severity.s2")
    page.tap(".w:text-is('狗')")
    page.tap(".severity.s0")


def test_characters_are_marked_by_touch_in_a_script_without_blanks(
    browser: Any, tmp_path: Path
) -> None:
    assert _mark(browser, tmp_path, ("zho", "那只狗正在睡觉。"), 390, _tap) == (["狗", "睡觉"],) * 2


def test_what_is_chosen_stays_between_words_and_characters(browser: Any, tmp_path: Path) -> None:
    def act(page: Any) -> None:
        press(page, "ArrowRight ArrowRight ArrowRight Shift+ArrowLeft c")
        assert page.locator(".w.chosen").all_text_contents() == list("twothree")
        press(page, "Shift+ArrowRight c")  # one character less at the end, which was the first
        assert page.locator(".w.chosen").all_text_contents() == ["two", "three"]
        press(page, "2")
        page.reload()  # as the judge likes it, also for the next item
        settle(page, "1 of 1")
        assert page.get_attribute(".tools button:has-text('Characters')", "aria-pressed") == "false"

    assert _mark(browser, tmp_path, ("eng", "one two three"), 1280, act) == (["two three"],) * 2

"""A campaign from right to left: its pages lie that way, and left and right stay where they are."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsers import open_browser, run_site
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store
from judge_pages import LAST, find_faults, keep_picture, open_page, press, settle
from stored_campaigns import fill, list_judgments

ARABIC = {
    "name": "rtl",
    "title": "تقييم الترجمة",
    "judges": ["j"],
    "consent": "تُنشر أحكامك باسم مستعار.",
    "texts": {
        "source": {"language": "en"},
        "output": {"language": "ar"},
        "page": {"language": "ar"},
    },
    "tasks": [
        {"kind": "pair", "name": "p", "question": "أي الترجمتين أفضل؟", "differences": True},
        {"kind": "rank", "name": "r", "n": 2, "question": "رتّب الترجمات"},
    ],
    "items": [
        {"item": "1", "source": "The door.", "outputs": {"A": "الباب مفتوح", "B": "الباب مغلق"}}
    ],
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


def box(page: Any, which: str, at: int = 0) -> dict[str, float]:
    """Where words of a page lie: the words themselves, not the block around them."""
    found: dict[str, float] = page.evaluate(
        "([which, at]) => { const range = document.createRange();"
        " range.selectNodeContents(document.querySelectorAll(which)[at]);"
        " const { left, right } = range.getBoundingClientRect(); return { left, right }; }",
        [which, at],
    )
    return found


@pytest.mark.parametrize("width", [1280, 360])
def test_what_is_read_begins_on_the_right_and_left_and_right_stay_where_keys_say(
    browser: Any, tmp_path: Path, width: int
) -> None:
    with Store.open(str(tmp_path / "c.db")) as store:
        links = fill(store, make_campaign(ARABIC))
        with run_site(Site(store)) as address:
            page = open_page(browser, f"{address}/j/{links['j']}", width)
            page.wait_for_selector("h1:has-text('Before you begin')")
            assert page.get_attribute("html", "dir") == "rtl"
            assert page.locator(".bar .title").bounding_box()["width"] > 50
            assert abs(box(page, "h1")["right"] - box(page, ".sheet .prose")["right"]) < 2
            assert find_faults(page) == []
            press(page, "Enter")
            settle(page, "1 of 2")
            assert abs(box(page, ".part")["right"] - box(page, "#question")["right"]) < 2
            if width > 1000:
                assert box(page, ".output", 0)["right"] < box(page, ".output", 1)["left"]
                assert box(page, "#question")["right"] - box(page, ".title")["right"] < 2
            assert find_faults(page) == []
            keep_picture(page, f"right-to-left-pair-{width}")
            press(page, "1")
            settle(page, "2 of 2")
            assert box(page, ".output h2")["left"] > box(page, ".output .words")["right"]
            assert box(page, ".place", 0)["right"] < box(page, ".place", 1)["left"]
            assert find_faults(page) == []
            keep_picture(page, f"right-to-left-rank-{width}")
            press(page, "1 2 Enter")
            page.wait_for_selector(LAST)
            assert abs(box(page, "h1")["right"] - box(page, ".sheet p")["right"]) < 2
            assert page.locator(".bar .title").bounding_box()["width"] > 50
            page.close()
        answers = [one.answer for one in list_judgments(store)]
        assert answers == [{"outcome": "left"}, {"ranks": [1, 2]}]

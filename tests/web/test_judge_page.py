"""The judge's page in a browser: by keys, on a screen and on a phone, with and without a net."""

from pathlib import Path
from typing import Any

import pytest

from browsers import run_site
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store
from evenhand.web.store.audit import check_store
from judge_pages import LAST, find_faults, judge_page, keep_picture, open_page, press, settle
from stored_campaigns import fill, list_judgments


def test_what_was_begun_is_there_after_a_reload_and_after_undo(browser: Any, store: Store) -> None:
    told: dict[str, Any] = {"name": "n", "judges": ["j"], "consent": "Do you agree?"}
    task = {"kind": "rating", "name": "da", "comment": True}
    items = [{"item": str(n), "outputs": {"A": f"a{n}"}} for n in range(2)]
    told |= {"tasks": [task], "items": items}
    with judge_page(browser, store, told, 360, prefix="/study") as page:
        page.wait_for_selector("h1:has-text('Before you begin')")
        keep_picture(page, "consent")
        press(page, "Enter")
        settle(page, "1 of 2")
        press(page, "5 5")
        page.fill("#comment", "so so")
        page.reload()
        settle(page, "1 of 2")
        assert page.input_value(".number") == "55"
        assert page.input_value("#comment") == "so so"
        press(page, "Enter")
        settle(page, "2 of 2")
        assert page.input_value(".number") == ""
        press(page, "u")
        settle(page, "1 of 2")
        assert page.input_value(".number") == "55"
        assert [one.kind for one in store.records()][-2:] == ["judgment", "undo"]


def test_errors_are_marked_by_taps_on_a_phone_and_by_dragging(browser: Any, tmp_path: Path) -> None:
    told = {"name": "t", "judges": ["ann", "ben"], "tasks": [{"kind": "spans", "name": "e"}]}
    items = [{"item": "1", "outputs": {"A": "one two three four five"}}]
    campaign = make_campaign({**told, "items": items, "design": {"judges_per_item": 2}})
    with Store.open(str(tmp_path / "c.db")) as store:
        links = fill(store, campaign)
        with run_site(Site(store)) as address:
            phone = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
            page = phone.new_page()
            page.goto(f"{address}/j/{links['ann']}")
            settle(page, "1 of 1")
            for word in ("two", "three"):
                page.tap(f".w:text-is('{word}')")
            page.tap(".severity.s2")
            page.fill(".number", "30")
            page.tap(".send")
            page.wait_for_selector(LAST)
            phone.close()
            page = open_page(browser, f"{address}/j/{links['ben']}")
            settle(page, "1 of 1")
            page.click(".w:text-is('one')")
            page.hover(".w:text-is('four')")
            page.mouse.down()
            page.hover(".w:text-is('five')")
            page.mouse.up()
            page.click(".severity.s0")
            page.fill(".number", "90")
            page.click(".send")
            page.wait_for_selector(LAST)
            page.close()
        marked = [one.answer["spans"] for one in list_judgments(store) if one.answer]
        found = [(one["start"], one["end"], one["severity"]) for (one,) in marked]
        assert found == [(4, 13, "major"), (14, 23, "minor")]


def test_the_tab_key_goes_through_a_page_in_the_order_in_which_it_is_read(
    browser: Any, store: Store
) -> None:
    """Each group of choices is one stop, as in any form."""
    task = {"kind": "spans", "name": "e", "low": 1, "high": 5, "comment": True}
    told = {"name": "n", "judges": ["j"], "tasks": [task]}
    items = [{"item": "1", "source": "ein Satz", "outputs": {"A": "one sentence"}}]
    with judge_page(browser, store, {**told, "items": items}, 360) as page:
        settle(page, "1 of 1")
        read = "document.activeElement.textContent.trim() || document.activeElement.id"
        found = []
        for _ in range(7):
            press(page, "Tab")
            found.append(page.evaluate(read))
        assert found == [
            "ein",
            "one",
            "Something is missing M",
            "Characters C",
            "1",
            "comment",
            "Save and continue Enter",
        ]


def test_receipts_of_answers_are_there_at_the_end_and_in_the_instructions(
    browser: Any, store: Store
) -> None:
    outputs = {"A": "one", "B": "two"}
    items = [{"item": str(n), "outputs": outputs} for n in range(2)]
    told = {"name": "n", "judges": ["j"], "items": items}
    told |= {"tasks": [{"kind": "pair", "name": "p"}]}
    with judge_page(browser, store, told, 360) as page:
        settle(page, "1 of 2")
        press(page, "1")
        settle(page, "2 of 2")
        press(page, "?")
        page.click("#receipts summary")
        shown = page.input_value("#receipts textarea").split()
        press(page, "Escape 2")
        page.wait_for_selector("#page .receipts")
        page.click("#page .receipts summary")
        assert find_faults(page) == []
        kept = page.input_value("#page .receipts textarea").split()
        hashes = [one.hash for one in list_judgments(store)]
        assert (shown, kept) == (hashes[:1], hashes)
        assert len(check_store(store, receipts=kept).receipts) == 2


ARABIC_PAIRS = {
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
    browser: Any, store: Store, width: int
) -> None:
    with judge_page(browser, store, ARABIC_PAIRS, width) as page:
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
        answers = [one.answer for one in list_judgments(store)]
        assert answers == [{"outcome": "left"}, {"ranks": [1, 2]}]


ARABIC = {
    "name": "rtl",
    "judges": ["j"],
    "texts": {
        "source": {"language": "en"},
        "output": {"language": "ar"},
        "page": {"language": "ar"},
    },
    "tasks": [
        {"kind": "spans", "name": "e", "question": "ضع علامة على كل خطأ", "categories": ["style"]}
    ],
    "items": [{"item": "1", "source": "The door.", "outputs": {"A": "كان الباب 🙂 مفتوحا"}}],
}


def test_words_are_walked_from_right_to_left_and_counted_in_characters(
    browser: Any, store: Store
) -> None:
    with judge_page(browser, store, ARABIC, 360) as page:
        settle(page, "1 of 1")
        press(page, "ArrowLeft Shift+ArrowLeft 2 1")
        press(page, "ArrowLeft ArrowLeft ArrowLeft ArrowLeft")
        press(page, "1 1 Escape 9 0")
        keep_picture(page, "right-to-left")
        press(page, "Enter")
        page.wait_for_selector(LAST)
        (record,) = list_judgments(store)
        text = ARABIC["items"][0]["outputs"]["A"]  # type: ignore[index]
        spans = record.answer["spans"]  # type: ignore[index]
        assert [text[one["start"] : one["end"]] for one in spans] == ["كان الباب", "مفتوحا"]
        assert [one["severity"] for one in spans] == ["major", "minor"]

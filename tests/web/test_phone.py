"""On a phone, what answers a question stays at the bottom of the window."""

from typing import Any

import pytest

from evenhand.design.reading import make_campaign
from evenhand.web import Store
from judge_pages import LAST, find_faults, judge_page, keep_picture, press, settle
from stored_campaigns import list_judgments

LONG = "The committee has decided that the rules for visitors change. " * 30
TASKS = [
    {"kind": "pair", "name": "pair", "both_bad": True},
    {"kind": "pair", "name": "comment", "comment": True},
    {"kind": "rank", "name": "rank", "n": 2},
    {"kind": "rating", "name": "five", "low": 1, "high": 5, "low_label": "nothing"},
    {"kind": "rating", "name": "eleven", "low": 0, "high": 10, "comment": True},
    {"kind": "rating", "name": "hundred", "low_label": "nothing", "high_label": "all of it"},
    {"kind": "spans", "name": "spans", "categories": ["accuracy", "style"], "comment": True},
]
REACHED = {
    "pair": [".choice.left", ".choice.right", ".choice.tie", ".choice.both_bad"],
    "comment": [".choice.left", ".choice.right", ".send"],
    "rank": [".output:first-child .place", ".send"],
    "five": [".step"],
    "eleven": [".step", ".send"],
    "hundred": [".slide", ".number", ".ends > :first-child", ".ends > :last-child", ".send"],
    "spans": [".slide", ".number", ".send"],
}
"""What has to be within reach before anything is scrolled."""
KEYS = {"comment": "1 Enter", "rank": "1 2 Enter", "eleven": "5 Enter", "hundred": "7 0 Enter"}

HIDDEN = """
(which) => [...document.querySelectorAll(which)].filter((one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  const met = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  const inside = top >= 0 && bottom <= innerHeight + .5;
  return !inside || !met || !(one.contains(met) || met.contains(one));
}).map((one) => one.textContent)
"""
LOWEST = """
() => {
  const range = document.createRange();
  range.selectNodeContents([...document.querySelectorAll(".output .words")].at(-1));
  const { left, right, bottom } = [...range.getClientRects()].at(-1);
  const met = document.elementFromPoint((left + right) / 2, bottom - 4);
  return Boolean(met && met.closest(".words"));
}
"""


def scroll(page: Any, to: str) -> None:
    page.evaluate(f"window.scrollTo(0, {to})")
    page.wait_for_timeout(50)


@pytest.fixture
def campaign() -> Any:
    items = [{"item": "1", "source": "Eins.", "outputs": {"A": LONG, "B": f"So, {LONG}"}}]
    told = {"name": "n", "judges": ["j"], "tasks": TASKS, "items": items}
    return make_campaign({**told, "design": {"per_item": 1}})


def test_answers_are_within_reach_of_long_texts_and_do_not_cover_them(
    browser: Any, store: Store, campaign: Any
) -> None:
    with judge_page(browser, store, campaign, 390) as page:
        for place, (name, reached) in enumerate(REACHED.items(), start=1):
            settle(page, f"{place} of {len(REACHED)}")
            assert page.evaluate("document.documentElement.scrollHeight > 2 * innerHeight")
            for which in reached:
                assert page.evaluate(HIDDEN, which) == [], (name, which)
            assert find_faults(page) == []
            keep_picture(page, f"phone-{name}")
            scroll(page, "document.documentElement.scrollHeight")
            assert page.evaluate(LOWEST), name
            if name == "spans":
                scroll(page, "0")
                page.locator(".output .w").nth(4).click()
                assert page.evaluate(HIDDEN, ".severity") == []
                press(page, "2")
                assert page.evaluate(HIDDEN, ".kinds button") == []
                press(page, "1 Escape 9 0 Enter")
            else:
                press(page, KEYS.get(name, "1"))
        page.wait_for_selector(LAST)
        assert len(list(list_judgments(store))) == len(TASKS)


@pytest.mark.parametrize("kind", ["rating", "spans"])
def test_of_a_document_answers_are_at_the_segment_that_is_asked(
    browser: Any, store: Store, kind: str
) -> None:
    """What is not pinned stands before the segments that follow, and Save is pinned to the last."""
    items = [
        {"item": str(at), "document": "d", "source": "Eins.", "outputs": {"A": LONG[:150]}}
        for at in range(8)
    ]
    task: Any = {
        "kind": kind,
        "name": "q",
        "comment": True,
        "document_question": "How good is all?",
    }
    told = {"name": "n", "judges": ["j"], "tasks": [task], "items": items}
    with judge_page(browser, store, {**told, "design": {"documents": True}}, 390) as page:
        for place in range(1, 9):
            settle(page, f"{place} of 8")
            which = [".slide", ".number", ".send"] if place < 8 else [".send"]
            for one in which:
                assert page.evaluate(HIDDEN, one) == [], (place, one)
            if place == 8:
                break
            following = page.locator("#answer ~ .segment").first.bounding_box()["y"]
            for one in ["#comment", *([".marking", ".marks"] if kind == "spans" else [])]:
                box = page.locator(one).bounding_box()
                assert box["y"] + box["height"] <= following, (place, one)
            if place == 1:
                assert find_faults(page) == []
                keep_picture(page, f"phone-document-{kind}")
            press(page, "5 0 Enter")
        keep_picture(page, f"phone-document-{kind}-last")
        scroll(page, "document.documentElement.scrollHeight")
        for one in (".slide", ".number", ".send"):  # of the segment, and of the document
            assert page.evaluate(HIDDEN, one) == [], one
        press(page, "5 0")
        page.get_by_role("spinbutton", name=task["document_question"], exact=True).fill("60")
        press(page, "Enter")
        page.wait_for_selector(".review")


def test_nothing_is_pinned_while_a_comment_is_written_nor_on_a_screen(
    browser: Any, store: Store, campaign: Any
) -> None:
    read = "(which) => getComputedStyle(document.querySelector(which)).position"
    with judge_page(browser, store, campaign, 390) as page:
        settle(page, "1 of 7")
        press(page, "1")
        settle(page, "2 of 7")
        assert page.evaluate(read, ".choices") == "sticky"
        page.focus("#comment")
        assert [page.evaluate(read, one) for one in (".choices", ".saving")] == ["static"] * 2
        page.locator("#comment").blur()
        page.set_viewport_size({"width": 1280, "height": 800})
        assert page.evaluate(read, ".choices") == "static"
        page.set_viewport_size({"width": 320, "height": 256})  # 1280 by 1024 at 400 %
        assert page.evaluate(read, ".choices") == "static"


def test_a_notice_on_a_phone_does_not_cover_the_answers(
    browser: Any, store: Store, campaign: Any
) -> None:
    with judge_page(browser, store, campaign, 390) as page:
        settle(page, "1 of 7")
        press(page, "1")
        settle(page, "2 of 7")
        page.click(".send")
        page.wait_for_selector("#notice:has-text('Choose an answer first.')")
        for which in ("#notice", "#question", *REACHED["comment"]):
            assert page.evaluate(HIDDEN, which) == [], which

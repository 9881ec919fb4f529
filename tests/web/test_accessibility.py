"""Judges' pages before axe-core: roles, names, contrast in light and in dark, order of focus.

axe-core is not ours to distribute; EVENHAND_AXE names its axe.min.js (npm install axe-core).
"""

from typing import Any

import pytest

from accessibility import inspect, read_axe
from documents import make_documents
from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.web import Store
from judge_pages import LAST, judge_page, press, settle

SCALE = {"low_label": "nothing", "high_label": "all of it", "comment": True}
TASKS = [
    {"kind": "pair", "name": "pair", "both_bad": True, "differences": True},
    {"kind": "rank", "name": "rank", "n": 2, "comment": True},
    {"kind": "rating", "name": "points", "low": 1, "high": 5, **SCALE},
    {"kind": "rating", "name": "eleven", "low": 0, "high": 10, "high_label": "all of it"},
    {"kind": "rating", "name": "hundred", **SCALE},
    {"kind": "spans", "name": "spans", "categories": ["accuracy", "style"], **SCALE},
]
KEYS = {
    "pair": ["d", "1"],
    "rank": ["1", "2 Enter"],
    "points": ["ArrowRight", "Enter"],
    "eleven": ["ArrowRight", "5"],
    "hundred": ["7 0", "Enter"],
    "spans": ["c Home 2", "1", "c", "ArrowRight Shift+ArrowRight", "1 2 Escape 5 0", "Enter"],
}
"""What is typed at each item; the page is looked at before and after each."""


@pytest.fixture(scope="module")
def axe() -> str:
    return read_axe()


def make(language: str = "en") -> Campaign:
    """A campaign of one item in every kind of question; its pages lie as a language is written."""
    told = {"name": "n", "title": "A title", "judges": ["j"], "consent": "Do you agree?"}
    words = {"A": "The door is open.", "B": "The door was opened."}
    items = [{"item": "1", "source": "Die Tür ist offen.", "outputs": words}]
    design = {"per_item": 1}
    lesson = {"task": "pair", "item": "try", "outputs": words, "answer": {"outcome": "tie"}}
    told |= {"tasks": TASKS, "items": items, "design": design, "training": [lesson]}
    told |= {"texts": {"page": {"language": language}}}
    return make_campaign(told)


@pytest.mark.parametrize(
    "look",
    [
        (1280, "light", "en"),
        (1280, "dark", "en"),
        (360, "light", "en"),
        (360, "dark", "ar"),
        (1280, "light", "ar"),
        (360, "dark", "en"),
    ],
)
def test_axe_finds_nothing_on_any_page_of_a_judge(
    browser: Any, axe: str, store: Store, look: tuple[int, str, str]
) -> None:
    found: list[str] = []
    width, scheme, language = look
    with judge_page(browser, store, make(language), width, scheme) as page:
        page.wait_for_selector("h1:has-text('Before you begin')")
        found += inspect(page, axe, "consent")
        press(page, "Enter")
        settle(page, "1 of 7")
        press(page, "?")
        found += inspect(page, axe, "instructions")
        press(page, "Escape 1")
        page.wait_for_selector(".feedback")
        found += inspect(page, axe, "feedback")
        press(page, "Enter")
        for place, (name, typed) in enumerate(KEYS.items(), start=2):
            settle(page, f"{place} of 7")
            found += inspect(page, axe, name)
            for keys in typed[:-1]:
                press(page, keys)
                found += inspect(page, axe, f"{name} after {keys}")
            press(page, typed[-1])
        page.wait_for_selector(LAST)
        found += inspect(page, axe, "the end")
        page.goto(f"{page.url.rpartition('/')[0]}/{'x' * 40}")
        found += inspect(page, axe, "a link that is none")
    assert found == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_axe_finds_nothing_on_a_document(
    browser: Any, axe: str, store: Store, width: int, scheme: str
) -> None:
    found: list[str] = []
    campaign = make_documents("spans", document_question="How good is the whole?")
    with judge_page(browser, store, campaign, width, scheme) as page:
        for place in (1, 2, 3):
            settle(page, f"{place} of 5")
            found += inspect(page, axe, f"segment {place}")
            last = page.locator(".whole").count()
            press(page, "5 0 Enter")
            if last:
                press(page, "6 0 Enter")
                page.wait_for_selector(".review")
                found += inspect(page, axe, "review")
                break
        page.click(".segment button")
        found += inspect(page, axe, "change")
    assert found == []

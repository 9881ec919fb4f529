"""Each scale says in words what its ends mean, next to them, also to screen readers."""

from typing import Any

import pytest

from evenhand.web import Store
from judge_pages import find_faults, judge_page, press, settle

WORDS = {"low_label": "nothing of it", "high_label": "all of it"}
TASKS: list[dict[str, Any]] = [
    {"kind": "rating", "name": "five", "low": 1, "high": 5, **WORDS},
    {"kind": "rating", "name": "eleven", "low": 0, "high": 10, "high_label": "all of it"},
    {"kind": "rating", "name": "hundred", **WORDS},
    {"kind": "spans", "name": "spans", "low": 0, "high": 6, **WORDS},
    {"kind": "rating", "name": "bare", "low": -2, "high": 2},
]
SAID = {
    "five": "1: nothing of it 5: all of it",
    "eleven": "0 10: all of it",
    "hundred": "0: nothing of it 100: all of it",
    "spans": "0: nothing of it 6: all of it",
    "bare": "-2 2",
}
KEYS = {"five": "1", "eleven": "1", "spans": "Escape 1 Enter", "bare": "1"}


def test_ends_of_scales_have_their_words_beside_them_or_else_their_numbers(
    browser: Any, store: Store
) -> None:
    sync = pytest.importorskip("playwright.sync_api")
    told = {"name": "n", "judges": ["j"], "tasks": TASKS, "texts": {"page": {"language": "ar"}}}
    items = [{"item": "1", "outputs": {"A": "one sentence"}}]
    with judge_page(browser, store, {**told, "items": items}, 390) as page:
        for place, (name, said) in enumerate(SAID.items(), start=1):
            settle(page, f"{place} of {len(TASKS)}")
            for one in page.locator("[role=radiogroup], .slide, .number").all():
                sync.expect(one).to_have_accessible_description(said)
            if page.locator(".slide").count():
                press(page, "ArrowLeft")  # the highest score, from which one is chosen
                spoken = page.get_attribute(".slide", "aria-valuetext")
                assert spoken == said[said.index("100") :]
            else:
                ends = page.locator("[role=radio]")
                names = [one.get_attribute("aria-label") for one in (ends.first, ends.last)]
                assert " ".join(names) == said
            assert find_faults(page) == []
            press(page, KEYS.get(name, "Enter"))

"""A document on one page, in a browser: by keys, by touch, and read by screen readers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from browsers import run_site
from documents import make_documents
from evenhand.design.campaign import Wording
from evenhand.web import Site, Store
from evenhand.web.site import find_words
from judge_pages import EARLY, LAST, find_faults, keep_picture, open_page, press, settle
from stored_campaigns import fill, list_judgments

ASKED = "How good is the whole document?"
FIRST = ".segment:first-of-type"


@pytest.mark.parametrize(("width", "language"), [(1280, "en"), (390, "en"), (390, "ar")])
@pytest.mark.parametrize("kind", ["rating", "spans"])
def test_a_document_is_answered_changed_and_submitted(
    browser: Any, tmp_path: Path, width: int, language: str, kind: str
) -> None:
    asked = make_documents(kind, document_question=ASKED)
    asked = replace(asked, wording=Wording(language=language))
    with Store.open(str(tmp_path / "c.db")) as store:
        link = fill(store, asked)["ann"]
        words = find_words(asked.wording)
        _ = words.gettext
        with run_site(Site(store, words=words)) as address:
            page = open_page(browser, f"{address}/j/{link}", width)

            def show(place: int, name: str) -> None:
                settle(page, _("{place} of {total}").format(place=place, total=5))
                assert find_faults(page) == []
                keep_picture(page, f"document-{kind}-{name}-{width}-{language}")

            def change(score: str) -> None:
                page.click(f"{FIRST} button")
                page.fill(".number", score)
                page.wait_for_timeout(EARLY)

            show(1, "first")
            texts = page.locator(".segment, .outputs").all_text_contents()
            size = 3 if "news" in texts[0] else 2
            assert len(texts) == size
            press(page, "5 0 Enter")
            show(2, "second")
            # what is begun here is there again after the answer before is looked at, and changed
            press(page, "7 0 Escape")
            press(page, "b")
            assert page.input_value(".number") == "50"
            keep_picture(page, f"document-{kind}-change-{width}-{language}")
            press(page, "u")
            assert page.input_value(".number") == "70"
            change("55")
            press(page, "Enter")
            page.wait_for_selector(f"{FIRST}:has-text('55')")
            show(2, "changed")
            assert page.input_value(".number") == "70"
            if size == 3:
                press(page, "Enter")
                show(3, "third")
                press(page, "8 0")
            show(size, "last")
            press(page, "Enter")  # goes to the score of the document, which is missing
            press(page, "9 0 Enter")
            page.wait_for_selector(".review")
            assert find_faults(page) == []
            keep_picture(page, f"document-{kind}-review-{width}-{language}")
            assert len(page.locator(".segment").all()) == size
            change("56")
            page.reload()  # nothing was sent: the document is to be checked still
            page.wait_for_selector(f"{FIRST}:has-text('55')")
            change("57")
            press(page, "Enter")
            page.wait_for_selector(f"{FIRST}:has-text('57')")
            press(page, "Enter")
            show(size + 1, "next")
            page.reload()
            show(size + 1, "again")
            for place in range(size + 1, 6):
                settle(page, _("{place} of {total}").format(place=place, total=5))
                press(page, "1 0 Enter")
            press(page, "2 0 Enter")
            page.click(".review .send")
            page.wait_for_selector(LAST.replace("You have finished", _("You have finished")))
            page.close()
        scores = [one.answer["score"] for one in list_judgments(store) if one.answer]
        whole = [one.answer.get("document") for one in list_judgments(store) if one.answer]
    assert sorted(scores) == sorted([57, 70, *[80] * (size == 3), *[10] * (5 - size)])
    assert [one for one in whole if one] == [90, 20]

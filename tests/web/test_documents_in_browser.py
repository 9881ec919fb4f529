"""A document on one page, in a browser: by keys, by touch, and read by screen readers."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
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


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[[str, str], tuple[Store, str]]]:
    """Serve a campaign of documents in a language; give its store and the link of its judge."""
    with ExitStack() as stack:

        def run(kind: str, language: str) -> tuple[Store, str]:
            planned = make_documents(kind, document_question=ASKED)
            planned = replace(planned, wording=Wording(language=language))
            store = stack.enter_context(Store.open(str(tmp_path / "c.db")))
            link = fill(store, planned)["ann"]
            site = Site(store, words=find_words(planned.wording))
            return store, f"{stack.enter_context(run_site(site))}/j/{link}"

        yield run


def look(page: Any, language: str, place: int, name: str) -> None:
    words = find_words(Wording(language=language))
    settle(page, words.gettext("{place} of {total}").format(place=place, total=5))
    assert find_faults(page) == []
    keep_picture(page, f"document-{name}-{page.viewport_size['width']}-{language}")


def change(page: Any, score: str) -> None:
    page.click(f"{FIRST} button")
    page.fill(".number", score)
    page.wait_for_timeout(EARLY)


def list_scores(store: Store) -> list[tuple[int, int | None]]:
    answers = [one.answer or {} for one in list_judgments(store)]
    scores = [(one["score"], one.get("document")) for one in answers]
    return sorted(scores, key=lambda one: (one[0], one[1] or 0))


@pytest.mark.parametrize(("width", "language"), [(1280, "en"), (390, "en"), (390, "ar")])
@pytest.mark.parametrize("kind", ["rating", "spans"])
def test_an_answer_before_is_changed_and_what_is_begun_stays(
    browser: Any, site: Any, width: int, language: str, kind: str
) -> None:
    store, address = site(kind, language)
    page = open_page(browser, address, width)
    look(page, language, 1, f"{kind}-first")
    size = page.locator(".segment, .outputs").count()
    press(page, "5 0 Enter")
    look(page, language, 2, f"{kind}-second")
    press(page, "7 0 Escape")
    press(page, "b")
    assert page.input_value(".number") == "50"
    keep_picture(page, f"document-{kind}-change-{width}-{language}")
    press(page, "u")
    assert page.input_value(".number") == "70"
    change(page, "55")
    press(page, "Enter")
    page.wait_for_selector(f"{FIRST}:has-text('55')")
    look(page, language, 2, f"{kind}-changed")
    assert page.input_value(".number") == "70"
    if size == 3:
        press(page, "Enter")
        look(page, language, 3, f"{kind}-third")
        press(page, "8 0")
    press(page, "Enter")  # goes to the score of the document, which is missing
    assert page.evaluate("document.activeElement.closest('.whole') !== null")
    told = page.locator("#notice").bounding_box()
    for one in (".whole", ".send"):
        assert told["y"] + told["height"] <= page.locator(one).bounding_box()["y"], one
    keep_picture(page, f"document-{kind}-whole-{width}-{language}")
    press(page, "9 0 Enter")
    page.wait_for_selector(".review")
    assert find_faults(page) == []
    keep_picture(page, f"document-{kind}-review-{width}-{language}")
    assert page.locator(".segment").count() == size
    page.close()
    last = (80, 90) if size == 3 else (70, 90)
    assert list_scores(store) == [(55, None), *[(70, None)] * (size == 3), last]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_document_is_checked_until_it_is_submitted(browser: Any, site: Any, width: int) -> None:
    store, address = site("rating", "en")
    page = open_page(browser, address, width)
    place = 0
    for whole in (90, 91):
        look(page, "en", place + 1, "segment")
        for _ in range(page.locator(".segment, .outputs").count()):
            place += 1
            settle(page, f"{place} of 5")
            press(page, "1 0 Enter")
        press(page, f"{whole // 10} {whole % 10} Enter")
        page.wait_for_selector(".review")
        change(page, "11")
        page.reload()  # nothing was sent
        page.wait_for_selector(".review")
        change(page, "12")
        press(page, "Enter")
        page.wait_for_selector(f"{FIRST}:has-text('12')")
        press(page, "u")  # the last answer that was given
        page.wait_for_selector("#progress:has-text(' of 5')")
        assert page.input_value(".number") == "12"
        page.wait_for_timeout(EARLY)
        press(page, "Enter")
        page.click(".review .send")
        page.wait_for_selector(".review .send", state="detached")
        assert page.is_hidden("#undo")  # what was submitted is not taken back
    page.wait_for_selector(LAST)
    page.reload()
    page.wait_for_selector(LAST)
    page.close()
    assert [one.kind for one in store.records()].count("submit") == 2
    assert list_scores(store) == [(10, None), (10, 90), (10, 91), (12, None), (12, None)]


def test_what_two_tabs_show_of_a_document_is_submitted_once(browser: Any, site: Any) -> None:
    store, address = site("rating", "en")
    pages = [open_page(browser, address, 1280)]
    settle(pages[0], "1 of 5")
    for at in range(pages[0].locator(".segment, .outputs").count()):
        settle(pages[0], f"{at + 1} of 5")
        press(pages[0], "5 0 Enter")
    press(pages[0], "9 0 Enter")
    pages[0].wait_for_selector(".review")
    pages.append(open_page(browser, address, 1280))
    pages[1].wait_for_selector(".review")
    change(pages[0], "60")
    press(pages[0], "Enter")
    pages[0].wait_for_selector(f"{FIRST}:has-text('60')")
    pages[1].click(".review .send")  # it shows what does not stand any more
    pages[1].wait_for_selector("#notice:has-text('was changed')")
    pages[1].wait_for_selector(f"{FIRST}:has-text('60')")
    for page in pages:
        page.click(".review .send")
        page.wait_for_selector(".rating #question")
        page.close()
    assert [one.kind for one in store.records()].count("submit") == 1


def test_the_time_before_a_change_counts(browser: Any, site: Any) -> None:
    store, address = site("rating", "en")
    page = open_page(browser, address, 1280)
    settle(page, "1 of 5")
    press(page, "5 0 Enter")
    settle(page, "2 of 5")
    page.wait_for_timeout(1000)
    change(page, "60")
    press(page, "Enter")
    page.wait_for_selector(f"{FIRST}:has-text('60')")
    page.wait_for_timeout(EARLY)
    page.fill(".number", "70")
    if page.locator(".whole").count():
        page.fill(".whole .number", "90")
    press(page, "Enter")
    page.wait_for_selector(".segment:has-text('70')")
    page.close()
    seconds = {(one.answer or {})["score"]: one.seconds for one in list_judgments(store)}
    assert (seconds[70] or 0) > 1


def test_a_held_key_submits_nothing_and_the_next_one_does_wherever_the_focus_is(
    browser: Any, site: Any
) -> None:
    store, address = site("rating", "en")
    page = open_page(browser, address)
    settle(page, "1 of 5")
    for place in range(1, page.locator(".segment, .outputs").count() + 1):
        settle(page, f"{place} of 5")
        press(page, "1 0 Enter")
    press(page, "9 0")
    page.keyboard.down("Enter")
    page.wait_for_selector(".review .send:focus")
    page.wait_for_timeout(EARLY)
    page.keyboard.down("Enter")  # it repeats
    page.keyboard.up("Enter")
    page.wait_for_timeout(EARLY)
    page.reload()
    page.wait_for_selector(".review .send:focus")
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(EARLY)
    press(page, "Enter")
    page.wait_for_selector(".review", state="detached")
    page.close()
    assert [one.kind for one in store.records()].count("submit") == 1


def test_a_change_that_is_given_up_leaves_nothing_behind(browser: Any, site: Any) -> None:
    store, address = site("rating", "en")
    page = open_page(browser, address, 1280)
    settle(page, "1 of 5")
    press(page, "5 0 Enter")
    settle(page, "2 of 5")
    press(page, "7 0 Escape")
    change(page, "11")
    page.click("button:has-text('Cancel')")
    assert page.input_value(".number") == "70"
    change(page, "11")
    press(page, "Escape u")
    page.reload()
    settle(page, "2 of 5")
    assert page.input_value(".number") == "70"  # what was begun of the segment that is asked
    page.close()
    assert list_scores(store) == [(50, None)]

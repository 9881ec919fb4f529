"""Three judges in each kind of task, by keys alone, on a screen and on a phone.

Each agrees, practises and is told what was expected. Then one takes an answer back, one reloads the
page in the middle of an answer, and one loses the connection; one item is written from right
to left. `EVENHAND_SCREENSHOTS=folder` keeps a picture of whatever is seen for the first time.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from browsers import run_site
from evenhand.web import Site, Store
from judge_pages import EARLY, LAST, SIZES, find_faults, keep_picture, open_page, press, settle
from kinds_of_questions import ITEMS, JUDGES, KINDS, expect, make
from stored_campaigns import fill, list_judgments

TURNED = "getComputedStyle(document.querySelector('.output .words')).direction === 'rtl'"
BEGUN = """
[document.querySelector(".outputs").innerText,
 ...[...document.querySelectorAll("input")].map((one) => one.value),
 ...[...document.querySelectorAll("[aria-checked]")].map((one) => one.ariaChecked),
 ...[...document.querySelectorAll(".marks li")].map((one) => one.innerText)]
"""
"""What shows how far an answer is."""
USUAL = (("pair", 360), ("esa", 1280))
"""Which are played every time; the others are slow by their number."""


class Player:
    """A judge at a keyboard."""

    def __init__(self, page: Any, kind: str, judge: int, width: int) -> None:
        self.page, self.kind, self.judge = page, KINDS[kind], judge
        self.name = f"{kind}-{JUDGES[judge]}-{width}"

    def look(self, what: str) -> None:
        """Keep a picture; nothing may be clipped, too wide, or too small for a finger."""
        assert find_faults(self.page) == [], what
        turned = self.page.locator(".words").count() and self.turned()
        keep_picture(self.page, f"{self.name}-{what}{'-right-to-left' if turned else ''}")

    def turned(self) -> bool:
        """Say whether the text is read from right to left."""
        return bool(self.page.evaluate(TURNED))

    def type(self, keys: str) -> None:
        """Type an answer; words are walked in the direction in which they are read."""
        press(self.page, keys.replace("{on}", "ArrowLeft" if self.turned() else "ArrowRight"))

    def begin(self) -> None:
        """Agree, read the instructions, practise."""
        page = self.page
        page.wait_for_selector("h1:has-text('Before you begin')")
        self.look("0-consent")
        press(page, "Enter")
        page.wait_for_selector("#instructions[open]")
        self.look("0-instructions")
        settle(page, "1 of 4")
        self.look("1-practice")
        self.type(self.kind.keys[self.judge])
        page.wait_for_selector(".feedback")
        if self.judge == 0:
            assert self.kind.taught in page.inner_text(".feedback")
        self.look("1-feedback")
        press(page, "Enter")

    def judge_all(self) -> None:
        """Judge three items; something happens at the second."""
        settle(self.page, "2 of 4")
        press(self.page, "d" if self.judge == 0 else "Escape")
        self.look("2-item")
        press(self.page, "d" if self.judge == 0 else "Escape")
        self.type(self.kind.keys[self.judge])
        settle(self.page, "3 of 4")
        (self.undo, self.reload, self.lose_connection)[self.judge]()
        settle(self.page, "4 of 4")
        self.look("4-item")
        self.type(self.kind.keys[self.judge])
        self.page.wait_for_selector(LAST)
        self.look("5-end")

    def undo(self) -> None:
        """Take the answer before back, and give it again; look at the instructions again."""
        press(self.page, "u")
        settle(self.page, "2 of 4")
        self.page.wait_for_selector("#spoken:has-text('Undone')", state="attached")
        self.look("3-undone")
        clear = "Delete" if self.page.locator(".marks li").count() else "Escape"
        press(self.page, f"Home {clear} Escape")
        self.type(self.kind.keys[0])
        settle(self.page, "3 of 4")
        press(self.page, "?")
        self.page.wait_for_selector("#instructions[open]")
        self.look("3-keys")
        press(self.page, "Escape")
        self.type(self.kind.keys[0])

    def reload(self) -> None:
        """Begin an answer, load the page anew: what was begun is there."""
        self.type(self.kind.begun)
        self.look("3-begun")
        before = self.page.evaluate(BEGUN)
        self.page.reload()
        settle(self.page, "3 of 4")
        assert self.page.evaluate(BEGUN) == before
        self.type(self.kind.rest)

    def lose_connection(self) -> None:
        """Answer without a net: the page says that it keeps the answer, and sends it later."""
        self.page.context.set_offline(True)
        self.type(self.kind.keys[2])
        self.page.wait_for_selector("#notice:has-text('kept on this device')")
        self.look("3-no-connection")
        self.page.wait_for_timeout(EARLY)
        self.page.context.set_offline(False)


@pytest.mark.parametrize(
    ("kind", "width"),
    [
        pytest.param(kind, width, marks=() if (kind, width) in USUAL else pytest.mark.slow)
        for kind in KINDS
        for width in SIZES
    ],
)
def test_three_judges_judge_everything_by_keys_alone(
    browser: Any, tmp_path: Path, kind: str, width: int
) -> None:
    with Store.open(str(tmp_path / "c.db")) as store:
        campaign = make(KINDS[kind])
        links = fill(store, campaign)
        with run_site(Site(store)) as address:
            for at, judge in enumerate(JUDGES):
                page = open_page(browser, f"{address}/j/{links[judge]}", width)
                player = Player(page, kind, at, width)
                player.begin()
                player.judge_all()
                page.close()
        told = defaultdict(list)
        for record in list_judgments(store):
            ticket = record.ticket
            assert ticket is not None
            if ticket.kind == "training":
                continue
            item = next(one for one in ITEMS if one["item"] == ticket.item)
            (text, *_) = campaign.shown(ticket)
            at = JUDGES.index(record.judge)
            assert record.answer == expect(KINDS[kind], at, item, text)
            told[record.judge].append(ticket.item)
        assert {judge: sorted(items) for judge, items in told.items()} == {
            judge: ["1", "2", "3"] for judge in JUDGES
        }
        assert [one.kind for one in store.records()].count("undo") == 1

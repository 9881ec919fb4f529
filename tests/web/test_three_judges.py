"""Three judges in each kind of task, by keys alone, one at a screen and two on phones.

Each agrees, practises and is told what was expected. Then one takes an answer back, one reloads the
page in the middle of an answer, and one loses the connection; one item is written from right
to left. `EVENHAND_SCREENSHOTS=folder` keeps a picture of whatever is seen for the first time.
"""

import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from browsers import run_site
from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store
from judge_pages import EARLY, LAST, SIZES, find_faults, keep_picture, open_page, press, settle
from stored_campaigns import fill, list_judgments

JUDGES = ("ann", "ben", "cem")
ITEMS = [
    {
        "item": "1",
        "source": "Der letzte Bus fährt um zehn.",
        "outputs": {
            "A": "The last bus leaves at ten.",
            "B": "The last bus goes at ten hours.",
            "C": "At ten is last bus.",
        },
    },
    {
        "item": "2",
        "source": "Bitte nicht auf den Rasen treten, auch nicht mit bloßen Füßen.",
        "outputs": {
            "A": "Please keep off the grass, even barefoot.",
            "B": "Please do not step on the lawn, even with bare feet.",
            "C": "Please not kick the lawn with naked foots.",
        },
    },
    {
        "item": "3",
        "source": "The door was open all night.",
        "outputs": {
            "A": "كان الباب مفتوحا طوال الليل",
            "B": "الباب كان مفتوح كل الليل",
            "C": "ظل باب مفتوحا ليلة",
        },
    },
]


@dataclass(frozen=True)
class Kind:
    """A task, and what three judges answer.

    Attributes:
        task: as a campaign file has it.
        systems: how many outputs items have.
        lesson: the right answer of the practice item.
        taught: what the page says of the practice item to the first judge.
        keys: what each judge types.
        answers: what is to be stored of each.
        begun: what the second judge types before the page is loaded anew.
        rest: what is typed after it.

    """

    task: dict[str, Any]
    systems: int
    lesson: dict[str, Any]
    taught: str
    keys: tuple[str, str, str]
    answers: tuple[Any, Any, Any]
    begun: str
    rest: str


def span(start: int, end: int, severity: str, category: str = "", side: str = "output") -> Any:
    told = {"side": side, "start": start, "end": end}
    return {**told, "severity": severity, "category": category}


KINDS = {
    "pair": Kind(
        {"kind": "pair", "both_bad": True, "differences": True},
        2,
        {"outcome": "tie"},
        "Expected: No preference",
        ("1", "0", "9"),
        ({"outcome": "left"}, {"outcome": "tie"}, {"outcome": "both_bad"}),
        "d",
        "0",
    ),
    "rank": Kind(
        {"kind": "rank", "n": 3},
        3,
        {"ranks": [1, 2, 3]},
        "Your answer: A in place 1, B in place 2, C in place 3.",
        ("1 2 3 Enter", "1 1 2 Enter", "ArrowDown 1 2 3 Enter"),
        ({"ranks": [1, 2, 3]}, {"ranks": [1, 1, 2]}, {"ranks": [3, 1, 2]}),
        "1 1",
        "2 Enter",
    ),
    "rating": Kind(
        {"kind": "rating", "low": 1, "high": 5, "low_label": "nothing", "high_label": "all of it"},
        1,
        {"score": 4},
        "As expected",
        ("4", "2", "ArrowLeft ArrowLeft Enter"),
        ({"score": 4}, {"score": 2}, {"score": 4}),
        "ArrowRight",
        "ArrowRight Enter",
    ),
    "direct": Kind(
        {"kind": "rating", "low_label": "no meaning kept", "high_label": "perfect"},
        1,
        {"score": 90},
        "Expected: a score of 90",
        ("7 3 Enter", "ArrowRight PageUp Enter", "1 0 0 Enter"),
        ({"score": 73}, {"score": 10}, {"score": 100}),
        "ArrowRight",
        "PageUp Enter",
    ),
    "esa": Kind(
        {"kind": "spans", "low_label": "no meaning kept", "high_label": "perfect"},
        1,
        {"spans": [], "score": 100},
        "Expected: no errors, and a score of 100",
        ("Home Shift+{on} 2 6 0 Enter", "Home 1 1 0 0 Enter", "M 4 0 Enter"),
        (
            {"spans": [span(0, 2, "major")], "score": 60},
            {"spans": [span(0, 1, "minor")], "score": 100},
            {"spans": [span(0, 0, "major")], "score": 40},
        ),
        "Home 1",
        "1 0 0 Enter",
    ),
    "mqm": Kind(
        {
            "kind": "spans",
            "score": False,
            "severities": {"neutral": 0, "minor": 1, "major": 5},
            "categories": ["accuracy", "fluency", "terminology", "style"],
        },
        1,
        {"spans": []},
        "Expected: no errors.",
        ("Home 3 1 Enter", "Home 2 4 Enter", "s 2 4 Enter"),
        (
            {"spans": [span(0, 1, "major", "accuracy")]},
            {"spans": [span(0, 1, "minor", "style")]},
            {"spans": [span(0, 1, "minor", "style", "source")]},
        ),
        "Home 2",
        "Enter 4 Enter",
    ),
}
"""{on} is the arrow in the direction of the text. Ends of spans are counted in words here."""


def make(kind: Kind) -> Campaign:
    """A campaign of one task, which all three judges see whole."""
    task = {
        **kind.task,
        "name": "asked",
        "question": "What do you say of this?",
        "instructions": "Read the source first.\n\nThen judge what stands there, and nothing else.",
    }
    practice = {"A": "The shop opens.", "B": "The shop opens!", "C": "The opening shop."}
    items = [
        {**one, "outputs": dict(list(one["outputs"].items())[: kind.systems])} for one in ITEMS
    ]
    lesson = {
        "task": "asked",
        "item": "practice",
        "source": "Der Laden öffnet.",
        "outputs": dict(list(practice.items())[: kind.systems]),
        "answer": kind.lesson,
        "feedback": "Exclamation marks do not matter here.",
    }
    told = {"name": "three", "judges": list(JUDGES), "consent": "Your answers are published."}
    design = {"judges_per_item": 3}
    more = {"tasks": [task], "items": items, "training": [lesson], "design": design}
    return make_campaign({**told, **more})


def expect(kind: Kind, judge: int, item: dict[str, Any], text: str) -> Any:
    """What is stored: spans in characters."""
    answer = kind.answers[judge]
    if "spans" not in answer:
        return answer
    found = []
    for one in answer["spans"]:
        words = (item["source"] if one["side"] == "source" else text).split()
        found.append({**one, "end": len(" ".join(words[: one["end"]]))})
    return {**answer, "spans": found}


TURNED = "getComputedStyle(document.querySelector('.output .words')).direction === 'rtl'"
BEGUN = """
[document.querySelector(".outputs").innerText,
 ...[...document.querySelectorAll("input")].map((one) => one.value),
 ...[...document.querySelectorAll("[aria-checked]")].map((one) => one.ariaChecked),
 ...[...document.querySelectorAll(".marks li")].map((one) => one.innerText)]
"""
"""What shows how far an answer is."""
WHOLE = bool(os.environ.get("EVENHAND_WHOLE"))
WIDTHS = list(SIZES)
USUAL = (("pair", 0), ("esa", 1))
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
    ("kind", "turn"),
    [
        pytest.param(kind, turn, marks=() if (kind, turn) in USUAL else pytest.mark.slow)
        for place, kind in enumerate(KINDS)
        for turn in (range(len(SIZES)) if WHOLE else [place % len(SIZES)])
    ],
)
def test_three_judges_judge_everything_by_keys_alone(
    browser: Any, tmp_path: Path, kind: str, turn: int
) -> None:
    """Each at a screen of another size: in turn with EVENHAND_WHOLE, so that each has had each."""
    with Store.open(str(tmp_path / "c.db")) as store:
        campaign = make(KINDS[kind])
        links = fill(store, campaign)
        with run_site(Site(store)) as address:
            for at, judge in enumerate(JUDGES):
                width = WIDTHS[(turn + at) % len(WIDTHS)]
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

"""The kinds of questions, with what three judges answer, and the keys by which they do."""

from dataclasses import dataclass
from typing import Any

from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign

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

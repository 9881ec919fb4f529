"""Judges' pages in German on a phone and in Arabic on a screen, played by keys to the end."""

from collections.abc import Callable
from typing import Any

import pytest

from accessibility import inspect, read_axe
from evenhand.design.campaign import Wording
from evenhand.design.catalogues import Catalogue
from evenhand.design.reading import make_campaign
from evenhand.web import Store
from evenhand.web.site import find_words
from judge_pages import EARLY, find_faults, install_clock, judge_page, keep_picture, press
from stored_campaigns import list_judgments

TASKS = [
    {"kind": "pair", "name": "pair", "both_bad": True, "differences": True},
    {"kind": "rank", "name": "rank", "n": 2, "ties": True, "comment": True},
    {"kind": "rating", "name": "five", "low": 1, "high": 5},
    {"kind": "rating", "name": "hundred", "comment": True},
    {"kind": "spans", "name": "spans", "categories": ["A1", "B2"]},
]
KEYS = {
    "pair": ["d", "1"],
    "rank": ["1", "2 Enter"],
    "five": ["ArrowRight", "5"],
    "hundred": ["7 0", "Enter"],
    "spans": ["Home 2", "1", "Escape m 1", "2 Escape 5 0", "Enter"],
}
"""What is typed at each item; the page is looked at before and after each."""
TEXTS = {
    "de": {
        "output": ("Die Tür ist offen.", "Die Tür wurde geöffnet."),
        "consent": "Ihre Antworten werden unter einem Pseudonym veröffentlicht.",
        "instructions": "Lesen Sie beide Texte.",
        "place": "{} von 6",
        "title": "Zwei Übersetzungen",
    },
    "ar": {
        "output": ("الباب مفتوح.", "تم فتح الباب."),
        "consent": "تُنشر إجاباتك باسم مستعار.",
        "instructions": "اقرأ النصين.",
        "place": "{} من 6",
        "title": "ترجمتان",
    },
}
LOOKS = [(390, "de"), (1280, "ar"), (360, "ar"), (360, "fr"), (360, "cs"), (390, "zh"), (360, "es")]
WORDS_ONLY = {"fr": "{} sur 6", "cs": "{} z 6", "zh": "{} / 6", "es": "{} de 6"}


def make(language: str) -> Any:
    told = TEXTS.get(language, TEXTS["de"])
    outputs = dict(zip("AB", told["output"], strict=True))
    lesson = {"task": "pair", "item": "try", "outputs": outputs, "answer": {"outcome": "tie"}}
    return make_campaign(
        {
            "name": "n",
            "judges": ["j"],
            **{one: told[one] for one in ("title", "consent", "instructions")},
            "language": language,
            "texts": dict.fromkeys(("page", "output"), language),
            "tasks": TASKS,
            "training": [lesson],
            "items": [{"item": "1", "outputs": outputs}],
            "design": {"per_item": 1},
            "pay": {"per_hour": 12.5, "currency": "EUR"},
            "time": {"seconds_per_answer": 1234},
        }
    )


def play(page: Any, language: str, look: Callable[[str], None]) -> None:
    """Agree, answer everything by keys, and look at each page on the way."""
    words = find_words(Wording(language=language)).gettext
    place = WORDS_ONLY.get(language) or str(TEXTS[language]["place"])

    def settle(n: int) -> None:
        page.wait_for_selector(f"#progress:text-is('{place.format(n)}')")
        page.wait_for_timeout(EARLY)
        page.keyboard.press("Escape")

    page.wait_for_selector(f"h1:has-text('{words('Before you begin')}')")
    look("consent")
    press(page, "Enter")
    settle(1)
    press(page, "?")
    look("instructions")
    press(page, "Escape 1")
    page.wait_for_selector(".feedback")
    look("feedback")
    press(page, "Enter")
    for n, (name, typed) in enumerate(KEYS.items(), start=2):
        settle(n)
        look(name)
        for at, keys in enumerate(typed[:-1]):
            press(page, keys)
            look(f"{name}-{at}")
        press(page, typed[-1])
    page.wait_for_selector(f"h1:has-text('{words('You have finished')}')")
    look("end")


@pytest.mark.parametrize(("width", "language"), LOOKS)
def test_pages_are_played_by_keys_with_nothing_clipped_and_every_word_their_own(
    browser: Any, store: Store, width: int, language: str
) -> None:
    found: list[str] = []
    words = find_words(Wording(language=language))
    with judge_page(browser, store, make(language), width, words=words) as page:

        def look(what: str) -> None:
            keep_picture(page, f"words-{language}-{width}-{what}")
            found.extend(f"{what}: {fault}" for fault in find_faults(page))

        play(page, language, look)
        root = page.locator("html")
        assert root.get_attribute("lang") == language
        assert root.get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
        assert [one.answer for one in list_judgments(store)][-1]["score"] == 50  # type: ignore[index]
    assert found == []


@pytest.mark.parametrize(("width", "language"), LOOKS[:2])
def test_axe_finds_nothing_on_pages_in_another_language(
    browser: Any, store: Store, width: int, language: str
) -> None:
    axe, found = read_axe(), []
    words = find_words(Wording(language=language))
    with judge_page(browser, store, make(language), width, words=words) as page:
        play(page, language, lambda what: found.extend(inspect(page, axe, what)))
    assert found == []


@pytest.mark.parametrize(
    ("language", "minutes", "told"),
    [
        ("ar", 2, "مضت دقيقتان على بدء عملك"),
        ("cs", 5, "Pracujete už 5 minut:"),
        ("", 1, "You have worked for 1 minute:"),
    ],
)
def test_a_break_is_suggested_in_the_form_that_its_number_takes(
    browser: Any, store: Store, language: str, minutes: int, told: str
) -> None:
    outputs = {"A": "a", "B": "b"}
    items = [{"item": str(n), "outputs": outputs} for n in range(2)]
    planned = {"name": "n", "judges": ["j"], "items": items, "time": {"break_after": minutes}}
    words = find_words(Wording(language=language))
    with judge_page(browser, store, planned, ready=install_clock, words=words) as page:
        page.wait_for_selector(".choice")
        page.clock.fast_forward(minutes * 60_000)
        press(page, "1")
        page.wait_for_selector(f".rest:has-text('{told}')")


def test_markup_in_a_catalogue_is_text_on_the_page(browser: Any, store: Store) -> None:
    bad = "<img src=x onerror=document.title='hit'><script>document.title='hit'</script>"
    messages = dict.fromkeys(("Save and continue", "You have finished", "Text", "Score"), bad)
    task = {"kind": "rating", "name": "r"}
    items = [{"item": "1", "outputs": {"A": "a"}}]
    planned = {"name": "n", "judges": ["j"], "tasks": [task], "items": items}
    words = Catalogue("de", "ltr", messages, (0,) * 200)
    with judge_page(browser, store, planned, words=words) as page:
        page.wait_for_selector(".send:has-text('<script>')")
        page.wait_for_timeout(EARLY)
        press(page, "5 Enter")
        page.wait_for_selector("h1:has-text('<img')")
        assert page.locator("main img, main script").count() == 0
        assert page.title() == "n"

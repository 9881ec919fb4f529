"""Texts in every form in a browser: nothing in them acts, files are seen, phones have room."""

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from accessibility import inspect, read_axe
from browsers import run_site
from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store
from judge_pages import LAST, find_faults, judge_page, keep_picture, press, settle
from stored_campaigns import fill, list_judgments
from text_forms import FORMS, PAYLOADS, make_media, make_payloads, write_png
from waiting import wait_for
from watched_pages import check_width, watch

MARKDOWN = r"""# Sorting

Use **quicksort**, which takes $O(n \log n)$:

```python
def sort(x):  # recursive
    return [] if not x else sort([y for y in x[1:] if y < x[0]]) + [x[0]]
```

| case | a long name of a column | another long name | and one more |
|---|---|--:|---|
| best | nothing to sort | $n$ | `[]` |

\[ \sum_{i=1}^{n} \frac{1}{i} = \begin{cases} 1 & n = 1 \\ H_n & \text{else} \end{cases} \]

> See [the book](https://example.org/book). ![a square](a.png)
"""
TURNS = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How do I boil an egg?"},
    {"role": "assistant", "content": "**Eight** minutes."},
    {"role": "judge’s aunt", "content": "مرحبا"},
]
CHAT = [*TURNS * 6, {"role": "assistant", "content": "Then *cold* water."}]
SHOWN: dict[str, tuple[dict[str, Any], Any]] = {
    "markdown": ({"form": "markdown", "math": True}, MARKDOWN),
    "code": ({"form": "code", "syntax": "python"}, "def f(x: int = 3) -> str:\n\treturn f'{x!r}'"),
    "chat": ({"form": "chat", "turns": "markdown"}, CHAT),
    "image": ({"form": "image"}, "a.png"),
    "audio": ({"form": "audio"}, "a.wav"),
}


def make(folder: Path, form: str, **more: Any) -> Campaign:
    """A campaign that shows a text in one form beside another output and as its source."""
    made = make_media(folder, "audio")
    (folder / "a.wav").write_bytes(next(iter(made.files.values())).path.read_bytes())
    write_png(folder / "a.png", side=600)
    settings, text = SHOWN[form]
    other = {"image": "b.png", "audio": "rival/1.wav", "chat": CHAT[1:3]}.get(form, "Short.")
    write_png(folder / "b.png", (0, 90, 200), side=600)
    told = {"name": "n", "judges": ["j"], "texts": {"output": settings, "source": settings}}
    told |= {"tasks": [{"kind": "pair", "name": "better"}]}
    items = [{"item": "1", "source": text, "outputs": {"A": text, "B": other}}]
    return make_campaign({**told, "items": items, **more}, "c", folder)


@pytest.mark.parametrize("form", FORMS)
def test_nothing_in_a_text_of_any_form_acts_loads_or_leaves_its_box(
    browser: Any, tmp_path: Path, form: str
) -> None:
    campaign = make_payloads(form)
    with Store.open(str(tmp_path / "c.db")) as store:
        links = fill(store, campaign)
        with run_site(Site(store)) as address, watch(browser, f"{address}/j/{links['j']}") as page:
            settle(page, f"1 of {len(PAYLOADS)}")
            assert page.locator(".segment, .output").count() == len(PAYLOADS)
            check_width(page)
            outside = page.evaluate(
                """() => [...document.querySelectorAll('.words[class*="as-"] *')].filter((one) => {
                  const box = one.closest('[class*="as-"]');
                  return getComputedStyle(one).position === "fixed"
                    || getComputedStyle(box).contain !== "paint" || one.closest("body") === null;
                }).length"""
            )
            assert outside == 0
            text = page.text_content("main")
            assert "evil()" in text
            for link in page.locator(".words a[href]").all():
                assert link.get_attribute("target") == "_blank"
                assert "noopener" in (link.get_attribute("rel") or "")
            press(page, "5 0 Enter")
            settle(page, f"2 of {len(PAYLOADS)}")
        (record,) = list_judgments(store)
        assert record.answer == {"score": 50}


@pytest.mark.parametrize("form", SHOWN)
@pytest.mark.parametrize("look", [(1280, "dark"), (390, "light")])
def test_each_form_is_seen_and_answered_on_a_screen_and_a_phone(
    browser: Any, store: Store, tmp_path: Path, form: str, look: tuple[int, str]
) -> None:
    campaign = make(tmp_path / "beside", form)
    beside = {"prefix": "/study", "files": campaign.files}
    with judge_page(browser, store, campaign, *look, **beside) as page:
        settle(page, "1 of 1")
        page.wait_for_selector(".unloaded", state="detached")
        assert [one for one in find_faults(page) if "link" not in one and "book" not in one] == []
        boxes = page.locator(f".output .as-{form}")
        assert boxes.count() == 2
        parts = ("h3", "strong", "pre .code-k", "th", "math mfrac", "blockquote a", ".file img")
        for one in parts if form == "markdown" else ():
            assert page.locator(f".output {one}").count() >= 1, one
        if form in ("markdown", "image"):
            sizes = page.evaluate(
                "[...document.querySelectorAll('.output img')].map((one) => one.naturalWidth)"
            )
            assert {*sizes} == {600}
        if form == "audio":
            heard = "document.querySelector('.output audio')"
            wait_for(lambda: page.evaluate(f"{heard}.readyState >= 1"))
            assert page.evaluate(f"{heard}.duration") in (1, 2)
        keep_picture(page, f"form-{form}-{look[0]}")
        named = {"image": "Image", "audio": "Recording", "markdown": "Text"}.get(form)
        named = named or form.title()
        assert page.inner_text(".choice.left").endswith(f"{named} 1 is better")
        press(page, "1")
        page.wait_for_selector(LAST)
        assert len([*list_judgments(store)]) == 1


@pytest.mark.parametrize("form", SHOWN)
@pytest.mark.parametrize("look", [(1280, "light"), (390, "dark"), (1280, "dark")])
def test_axe_finds_nothing_on_texts_in_any_form(
    browser: Any, tmp_path: Path, store: Store, form: str, look: tuple[int, str]
) -> None:
    axe = read_axe()
    width, scheme = look
    campaign = make(tmp_path / "beside", form, language="ar" if width == 390 else "en")
    with judge_page(browser, store, campaign, width, scheme, files=campaign.files) as page:
        settle(page, "1 of 1")
        page.wait_for_selector(".unloaded", state="detached")
        assert inspect(page, axe) == []


def edge(box: Any, place: str) -> list[bool]:
    """Whether the left and the right edge of a box are shaded, by the pixels on the screen."""
    left = "0" if place == "start" else "1e6"
    box.evaluate(
        f"(one) => {{ one.scrollLeft = {left}; one.scrollIntoView({{ block: 'center' }}); }}"
    )
    picture = Image.open(io.BytesIO(box.screenshot())).convert("L")
    # so low stands no letter
    row = [picture.getpixel((at, picture.height - 5)) for at in range(picture.width)]
    even = row[picture.width // 2]
    return [abs(row[at] - even) > 8 for at in (4, picture.width - 5)]


def test_an_answer_waits_until_images_are_there(browser: Any, store: Store, tmp_path: Path) -> None:
    campaign = make(tmp_path / "beside", "image")

    def cut_off(page: Any) -> None:
        page.route("**/file/**", lambda route: route.abort())

    with judge_page(browser, store, campaign, ready=cut_off, files=campaign.files) as page:
        settle(page, "1 of 1")
        again = page.locator(".file button")
        again.nth(2).wait_for()  # of the source and of both outputs
        press(page, "1")
        page.wait_for_selector("#notice:has-text('Wait until everything is loaded')")
        assert [*list_judgments(store)] == []
        page.unroute("**/file/**")
        for left in (2, 1, 0):
            again.first.click()
            again.nth(left).wait_for(state="detached")
        page.wait_for_selector(".unloaded", state="detached")
        press(page, "1")
        page.wait_for_selector(LAST)
        assert len([*list_judgments(store)]) == 1


WIDE = r"""```python
def compute_everything(first_argument, second_argument, third_argument):
    return first_argument + second_argument + third_argument + 1_000_000_000
```

\[ a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11} + a_{12} \]

So $a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11}$ is $x$.

| case | a long name of a column | another_long_name_of_one | and_one_more_of_them |
|---|---|--:|---|
| best | nothing to sort | $n$ | `[]` |
"""


def test_wide_code_formulas_and_tables_scroll_in_their_box(browser: Any, store: Store) -> None:
    settings = {"form": "markdown", "math": True}
    told = {"name": "n", "judges": ["j"], "texts": {"output": settings, "source": settings}}
    told |= {"tasks": [{"kind": "pair", "name": "better"}]}
    items = [{"item": "1", "source": WIDE, "outputs": {"A": WIDE, "B": "Short."}}]
    with judge_page(browser, store, {**told, "items": items}, 390) as page:
        settle(page, "1 of 1")
        assert find_faults(page) == []
        for part in ("pre", ".formula", ".wide", "p > math >> nth=0"):
            told = page.locator(f".output {part}").evaluate(SCROLLED)
            assert told["room"] < told["all"], part
            assert told["reached"] > 0, part
            assert told["focus"] == 0, part
        assert page.locator(".output p > math").nth(1).evaluate("(one) => one.tabIndex") == -1


SCROLLED = """(one) => {
  one.scrollLeft = 1e6;
  const reached = one.scrollLeft;
  one.scrollLeft = 0;
  return { room: one.clientWidth, all: one.scrollWidth, reached, focus: one.tabIndex };
}"""


def test_a_long_chat_scrolls_on_a_phone_and_begins_at_what_is_judged(
    browser: Any, tmp_path: Path, store: Store
) -> None:
    with judge_page(browser, store, make(tmp_path / "beside", "chat"), 390) as page:
        settle(page, "1 of 1")
        long = page.locator(".output .turns").filter(has=page.locator(".turn >> nth=20"))
        told = long.evaluate(
            """(one) => ({ room: one.clientHeight, all: one.scrollHeight,
              seen: one.lastChild.getBoundingClientRect().bottom
                <= one.getBoundingClientRect().bottom + 1 })"""
        )
        assert told["room"] <= 844 / 2
        assert told["all"] > 2 * told["room"]
        assert told["seen"]
        assert page.locator(".output .turn.judged").count() == 2
        assert page.locator(".source .turn.judged").count() == 0
        choices = page.locator(".choices").bounding_box()
        assert choices["y"] + choices["height"] <= 844


def test_marks_of_a_document_are_told_beside_a_source_in_markdown(
    browser: Any, store: Store
) -> None:
    told = {"name": "n", "judges": ["j"], "design": {"documents": True}}
    told |= {"texts": {"source": {"form": "markdown"}}, "tasks": [{"kind": "spans", "name": "q"}]}
    items = [
        {"item": str(at), "document": "d", "source": "*Satz*", "outputs": {"A": "A line."}}
        for at in (1, 2)
    ]
    with judge_page(browser, store, {**told, "items": items}) as page:
        settle(page, "1 of 2")
        press(page, "ArrowRight 1 Escape 5 0 Enter")
        settle(page, "2 of 2")
        given = page.locator(".segment .given").inner_text()
        assert given.startswith("Your answer: “A” minor; a score of 50.")
        assert find_faults(page) == []


def test_a_role_and_a_severity_with_the_name_of_a_function_are_shown_by_their_name(
    browser: Any, store: Store
) -> None:
    names = ["constructor", "toString"]
    told = {"name": "n", "judges": ["j"], "texts": {"source": {"form": "chat"}}}
    told |= {"tasks": [{"kind": "spans", "name": "q", "severities": names}]}
    turns = [{"role": name, "content": "Hi"} for name in [*names, "__proto__", "user"]]
    items = [{"item": "1", "source": turns, "outputs": {"A": "A line."}}]
    with judge_page(browser, store, {**told, "items": items}) as page:
        settle(page, "1 of 1")
        roles = page.locator(".source .role").all_inner_texts()
        assert roles == [*names, "__proto__", "User"]
        assert page.locator(".severity span").all_inner_texts() == names


def test_letters_of_a_recording_are_not_answers(browser: Any, tmp_path: Path, store: Store) -> None:
    """Arrows and the space bar are of the recording that has the focus, as in any player."""
    task = {"kind": "rating", "name": "good", "low": 1, "high": 5}
    campaign = make(tmp_path / "beside", "audio", tasks=[task])
    with judge_page(browser, store, campaign, files=campaign.files) as page:
        settle(page, "1 of 2")
        page.focus(".output audio")
        press(page, "ArrowRight ArrowLeft")
        assert page.locator(".step[aria-checked=true]").count() == 0
        press(page, "4")
        settle(page, "2 of 2")
        assert [one.answer for one in list_judgments(store)] == [{"score": 4}]

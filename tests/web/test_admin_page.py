"""The organiser's page in a browser: a campaign before, while and after it runs, wide and narrow.

Screenshots are kept in the folder that EVENHAND_SCREENSHOTS names.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

import pytest

from accessibility import inspect, read_axe
from browsers import run_site
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store
from evenhand.web.store import judging, people
from evenhand.web.store.database import WriteTransaction
from judge_pages import keep_picture
from stored_campaigns import fill, list_judgments, reply_to

SIZES = {1280: (1280, 900), 390: (390, 844), 360: (360, 740)}
SYSTEMS = ("heron", "lark", "wren")
CARELESS, REVERSED = "j03", "j08"
TOLD = {
    "name": "spring",
    "title": "Spring translations",
    "judges": [f"j{n:02}" for n in range(12)],
    "design": {"judges_per_item": 6},
    "tasks": [{"kind": "pair", "name": "better"}, {"kind": "rating", "name": "adequacy"}],
    "items": [
        {"item": str(n), "outputs": {name: f"{name} on {n}" for name in SYSTEMS}} for n in range(40)
    ],
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Twelve judges, one careless, one who says the contrary; nearly done. To be read only."""
    luck = random.Random(7)
    with Store.open(str(tmp_path_factory.mktemp("judged") / "c.db")) as store:
        fill(store, make_campaign(TOLD))
        for one in store.judges():
            store.do(lambda tx, one=one: judge_all(tx, one.name, one.total - 3, luck))
        yield store


def judge_all(tx: WriteTransaction, judge: str, number: int, luck: random.Random) -> None:
    """Answer so many tickets in one commit."""
    served = judging.serve(tx, judge)
    for _ in range(number):
        assert served is not None
        said = answer(judge, served.ticket.systems, luck)
        served = judging.answer(tx, reply_to(served, said)).next


def answer(judge: str, systems: tuple[str, ...], luck: random.Random) -> dict[str, Any]:
    """Prefer by name; the careless answer as it comes."""
    sign = {CARELESS: 0, REVERSED: -1}.get(judge, 1)
    if len(systems) == 1:
        score = 50 - 15 * sign * (SYSTEMS.index(systems[0]) - 1) + luck.randint(-9, 9)
        return {"score": score if sign else luck.randint(10, 90)}
    ahead = sign * (SYSTEMS.index(systems[1]) - SYSTEMS.index(systems[0]))
    return {"outcome": "left" if luck.random() < 0.5 + 0.2 * ahead else "right"}


@contextmanager
def open_page(browser: Any, store: Store, *, width: int, scheme: str = "light") -> Iterator[Any]:
    """Open a page that may not complain; its policy lets no style and no script in."""
    size = SIZES[width]
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, reduced_motion="reduce"
    )
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.on("console", lambda said: said.type != "error" or pytest.fail(said.text))
    with run_site(Site(store)) as address:
        page.goto(f"{address}/a/{store.do(people.replace_link, 'admin').token}")
        page.wait_for_selector("#found .found")
        yield page
        page.close()


@pytest.fixture
def launched(store: Store) -> Store:
    fill(store, make_campaign(TOLD))
    return store


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_a_running_campaign_at_a_glance(
    browser: Any, judged: Store, width: int, scheme: str
) -> None:
    with open_page(browser, judged, width=width, scheme=scheme) as page:
        keep_picture(page, f"organiser-running-{width}-{scheme}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        board = page.locator("table.board").first
        heads = ["decided", "current", "log-worth", "current without the flagged judge"]
        assert board.locator("thead th").all_inner_texts()[1:5] == heads
        assert board.locator("tbody tr").first.inner_text().split()[:3] == ["heron", "1", "1"]
        names = page.locator(".map .name").all_text_contents()
        assert f"{REVERSED} reversed" in names
        assert f"{CARELESS} careless" in names
        for name in page.locator(".map .name").all():
            box = name.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
        rows = [one.split() for one in board.locator("tbody tr").all_inner_texts()]
        if width == 1280:
            assert [(one[0], one[2], one[4]) for one in rows] == [
                ("heron", "1", "1"),
                ("lark", "2", "2"),
                ("wren", "3", "3"),
            ]
        told = page.locator(f".people tr[data-judge={REVERSED}] .flags")
        told.locator("summary").click()
        assert "reversed" in told.inner_text()
        assert "follows the other judges with a slope of −" in told.inner_text()
        keep_picture(page, f"organiser-without-{width}-{scheme}")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_on_the_organisers_page(
    browser: Any, judged: Store, width: int, scheme: str
) -> None:
    axe = read_axe()
    with open_page(browser, judged, width=width, scheme=scheme) as page:
        for one in page.locator("details").all():
            one.evaluate("one => { one.open = true; }")
        page.wait_for_timeout(500)
        assert inspect(page, axe) == []
        keep_picture(page, f"organiser-open-{width}-{scheme}")


def test_a_judge_is_invited_replaced_and_forgotten_by_clicks(browser: Any, launched: Store) -> None:
    with open_page(browser, launched, width=1280) as page:
        page.on("dialog", lambda asked: asked.accept())
        page.click("summary[aria-label='Change j05']")
        page.click("button[aria-label='Revoke j05']")
        page.wait_for_selector("#notice:has-text('j05 is removed')")
        page.fill("#invite [name=judge]", "new")
        page.fill("#invite [name=note]", "Ann <ann@example.org>, later")
        assert page.input_value("#invite [name=seat]") == "j05"  # the free one, by itself
        page.click("button:has-text('Make a link')")
        page.wait_for_selector("#notice:has-text('The link of new')")
        link = page.input_value("#notice input")
        mail = unquote(page.get_attribute("#notice a.button", "href"))
        assert mail.startswith("mailto:ann@example.org?subject=")
        assert mail.endswith(f"&body={link}")
        keep_picture(page, "organiser-invited-1280")
        other = browser.new_page()
        other.goto(link)
        other.wait_for_selector("#progress:has-text('1 of')")
        other.close()
        page.fill("#invite [name=judge]", "idle")
        page.click("button:has-text('Make a link')")
        page.wait_for_selector("#notice:has-text('No questions are left')")
        join_and_forget(page)
    states = {one.name: one.state for one in launched.judges()}
    assert (states["j05"], states["new"], states["j01"]) == (
        "revoked",
        "forgotten",
        "forgotten",
    )


def join_and_forget(page: Any) -> None:
    """Say that two are one person, and delete what is known of them."""
    page.fill("#join [name=judge]", "new")
    page.fill("#join [name=person]", "j01")
    page.click("#join button")
    page.wait_for_selector("th:has-text('is j01')")
    page.click("summary[aria-label='Change new']")
    page.click("button[aria-label='Forget new']")
    page.wait_for_selector("#notice:has-text('j01, new')")


def test_answers_are_deleted_after_a_question_and_not_before(browser: Any, launched: Store) -> None:
    launched.do(lambda tx: judge_all(tx, "j05", 3, random.Random(1)))
    with open_page(browser, launched, width=390) as page:
        asked: list[str] = []
        page.click("summary[aria-label='Change j05']")
        page.once("dialog", lambda one: (asked.append(one.message), one.dismiss()))
        page.click("button[aria-label='Delete answers of j05']")
        assert "Delete all that j05 answered" in asked[0]
        assert sum(1 for _ in list_judgments(launched)) == 3
        page.once("dialog", lambda one: one.accept())
        before = page.evaluate("scrollY")
        page.click("button[aria-label='Delete answers of j05']")
        page.wait_for_selector("#notice:has-text('and all answers')")
        page.wait_for_timeout(300)
        assert abs(page.evaluate("scrollY") - before) < 300  # the page stays where it was
    assert list(list_judgments(launched)) == []

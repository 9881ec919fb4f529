"""The organiser's page where too little is known for a flag, and where something breaks."""

from typing import Any

import pytest

from browsers import open_browser, run_site
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store
from evenhand.web import routes as admin
from evenhand.web.store import people
from stored_campaigns import fill

TOLD = {
    "name": "three",
    "seed": 20131,
    "judges": ["ann", "ben", "cad"],
    "design": {"judges_per_item": 3, "controls": 8},
    "tasks": [{"kind": "pair", "name": "better"}],
    "items": [
        *({"item": str(n), "outputs": {s: f"{s}{n}" for s in "ABC"}} for n in range(30)),
        *(
            {"item": f"c{n}", "outputs": {"g": f"good {n}", "b": f"bad {n}"}, "expected": "g"}
            for n in range(8)
        ),
    ],
}


def fail(*_: Any) -> Any:
    raise NameError("broken")


def test_a_failed_action_is_told_the_organiser_in_sentences_and_leaves_the_button_free(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, make_campaign(TOLD))
    monkeypatch.setattr(admin, "read_comments", fail)
    monkeypatch.setattr(admin, "_obey", fail)
    with open_browser() as browser, run_site(Site(store)) as address:
        page = browser.new_page(viewport={"width": 390, "height": 700})
        page.goto(f"{address}/a/{store.do(people.replace_link, 'admin').token}")
        page.click("summary:has-text('Comments of judges')")
        page.wait_for_selector("#notice:has-text('Request failed. Internal error')")
        assert "tell the organiser" not in page.inner_text("#notice")
        page.click("#notice button:has-text('Close')")
        assert page.is_hidden("#notice")
        page.evaluate(
            "const one = document.querySelector('#join button');"
            "window.scrollBy(0, one.getBoundingClientRect().bottom - window.innerHeight + 4)"
        )
        page.fill("#join [name=judge]", "ann")
        page.fill("#join [name=person]", "ben")
        page.click("#join button")
        page.wait_for_selector("#notice:has-text('on the server')")
        button = page.locator("#join button").bounding_box()
        assert button["y"] + button["height"] <= page.locator("#notice").bounding_box()["y"]

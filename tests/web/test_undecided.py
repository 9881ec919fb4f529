"""The organiser's page where too little is known for a flag, and where something breaks."""

import random
from typing import Any

import pytest
from starlette.testclient import TestClient

from browsers import open_browser, run_site
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store
from evenhand.web import routes as admin
from evenhand.web.downloads import AnswerTables
from evenhand.web.findings import find
from evenhand.web.store import judging, people
from stored_campaigns import fill, judge_next, take

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


WORTH = {"A": 2.0, "B": 0.0, "C": -2.0, "g": 3.0, "b": -3.0}


@pytest.fixture
def judged(store: Store) -> Store:
    """Two judges who agree, and one who says the contrary."""
    fill(store, make_campaign(TOLD))
    luck = random.Random(5)
    for judge in TOLD["judges"]:
        while store.do(judging.serve, judge) is not None:
            one, two = take(store, judge).ticket.systems
            right = WORTH[one] > WORTH[two]
            sure = luck.random() < 0.9
            left = (right == sure) != (judge == "cad")
            judge_next(store, judge, {"outcome": "left" if left else "right"})
    return store


def test_a_doubtful_judge_among_three_is_evidence_without_a_verdict(
    client: TestClient, judged: Store
) -> None:
    page = client.get(f"/a/{judged.do(people.replace_link, 'admin').token}/findings").text
    assert "obody is called careless or reversed" in page
    assert "3 judges are too few to define usual behaviour; 8 are needed" in page
    assert "honest: <bdi>cad</bdi>.</p>" in page
    row = page.partition('<tr data-judge="cad">')[2].partition("</tr>")[0]
    screening = find(AnswerTables(judged)).panels["comparisons"].screening
    assert screening is not None
    (p_honest,) = (one.p_honest for one in screening.cards if one.judge == "cad")
    assert f"<summary>undecided, P(honest) {p_honest:.3f}</summary>" in row
    assert ">1 of 8</td>" in row
    assert page.count("undecided, P(honest)") == 1

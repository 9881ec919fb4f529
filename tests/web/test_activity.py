"""What the organiser's page says of each judge's work, of comments, and of promises."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from evenhand.design.reading import make_campaign
from evenhand.web import Store
from evenhand.web.downloads import AnswerTables
from evenhand.web.findings import find
from evenhand.web.store import judging, people
from evenhand.web.store.audit import check_collected
from stored_campaigns import LEFT, fill, judge_next, list_judgments

ITEMS = [{"item": str(n), "outputs": {s: f"{s}{n}" for s in "ABC"}} for n in range(6)]
SHOWN = {"pair": ("g", "b"), "rank": ("g", "b", "w"), "rank of two": ("g", "b")}


def make(kind: str) -> dict[str, Any]:
    sizes = {"rank": {"n": 3}, "rank of two": {"n": 2}}
    task = {"kind": kind.partition(" ")[0], "name": "t", "comment": True} | sizes.get(kind, {})
    design = {"judges_per_item": 2, "controls": 2}
    told = {"name": "c", "judges": ["ann", "ben"], "tasks": [task], "design": design}
    known = [
        {"item": f"c{n}", "outputs": {s: f"{s} says" for s in SHOWN[kind]}, "expected": "g"}
        for n in range(4)
    ]
    return {**told, "items": [*ITEMS, *known]}


def say(systems: tuple[str, ...], kind: str, *, right: bool) -> dict[str, Any]:
    """Prefer the good one of a control, or the other one."""
    if kind == "pair":
        return {"outcome": "left" if (systems[0] == "g") == right else "right"}
    places = sorted(systems, key=lambda one: (one == "g") != right)
    return {"ranks": [places.index(one) + 1 for one in systems]}


@pytest.mark.parametrize("kind", ["pair", "rank", "rank of two"])
def test_controls_right_and_wrong_are_counted_by_judge(store: Store, kind: str) -> None:
    fill(store, make_campaign(make(kind)))
    for judge in ("ann", "ben"):
        while (served := store.do(judging.serve, judge)) is not None:
            judge_next(store, judge, say(served.ticket.systems, kind, right=judge == "ann"))
    found = {one.judge: one for one in find(AnswerTables(store)).activity}
    asked = sum(1 for one in list_judgments(store) if one.ticket and one.ticket.kind == "control")
    assert asked == 4
    assert [(found[one].right, found[one].controls) for one in ("ann", "ben")] == [(2, 2), (0, 2)]


def test_comments_stand_on_the_page_until_they_are_taken_back(
    client: TestClient, store: Store
) -> None:
    fill(store, make_campaign(make("pair")))
    page = f"/a/{store.do(people.replace_link, 'admin').token}/comments"
    assert "There are no comments yet" in client.get(page).text
    judge_next(store, "ann", {**LEFT, "comment": "<b>neither</b> is good"})
    judge_next(store, "ben", LEFT)
    told = client.get(page).text
    assert "&lt;b&gt;neither&lt;/b&gt; is good" in told
    assert told.count("<li>") == 1
    store.forget("ann")
    assert "neither" not in client.get(page).text


def test_promises_on_the_page_are_those_of_plan_check(
    client: TestClient, store: Store, tmp_path: Path
) -> None:
    campaign = make_campaign(make("pair"))
    fill(store, campaign)
    page = f"/a/{store.do(people.replace_link, 'admin').token}/promises"
    client.app.state.analysis.promises.rest = 0  # type: ignore[attr-defined]
    assert "There are no answers yet" in client.get(page).text
    for judge in ("ann", "ben"):
        while store.do(judging.serve, judge) is not None:
            judge_next(store, judge, LEFT)
    told = client.get(page).text
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{one.write()}\n" for one in store.lines()), encoding="utf-8")
    _, check = check_collected(str(log), campaign)
    assert check.holds
    assert f"<p>{len(check.kept)} promises are kept so far" in told
    assert [one.name in told for one in check.guarantees] == [True] * len(check.guarantees)
    assert told.count("<dt>") == len(check.guarantees)

"""One analysis that fails takes no other with it, and never the board."""

import logging
import random
from typing import Any

import pytest
from starlette.testclient import TestClient

from evenhand.design.reading import make_campaign
from evenhand.web import NotStored, Store
from evenhand.web import analysis as analysing
from evenhand.web import dashboard as looking
from evenhand.web import findings as room
from evenhand.web.analysis import Analysis
from evenhand.web.dashboard import DashboardCache
from evenhand.web.site import Question
from evenhand.web.store import judging, people
from stored_campaigns import fill, judge_next, take

TOLD = {
    "name": "three",
    "judges": ["ann", "ben"],
    "design": {"judges_per_item": 2},
    "tasks": [{"kind": "pair", "name": "better"}, {"kind": "rating", "name": "good"}],
    "items": [{"item": str(n), "outputs": {"A": f"a{n}", "B": f"b{n}"}} for n in range(20)],
}


@pytest.fixture
def judged(store: Store) -> Store:
    fill(store, make_campaign(TOLD))
    luck = random.Random(3)
    for judge in ("ann", "ben"):
        while store.do(judging.serve, judge) is not None:
            pair = take(store, judge).ticket.task == "better"
            said = {"outcome": "left"} if pair else {"score": luck.randint(0, 100)}
            judge_next(store, judge, said)
    return store


def fail(*_: Any, **__: Any) -> Any:
    raise NameError("name 'take_pairs' is not defined")


def read(client: TestClient, store: Store) -> Any:
    return client.get(f"/a/{store.do(people.replace_link, 'admin').token}/findings")


@pytest.mark.parametrize("part", ["_screen", "_order_by_votes"])
def test_the_board_stands_where_an_analysis_fails_and_the_terminal_is_told(
    client: TestClient,
    judged: Store,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    part: str,
) -> None:
    monkeypatch.setattr(room, part, fail)
    with caplog.at_level(logging.WARNING, "evenhand"):
        page = read(client, judged)
    assert page.status_code == 200
    assert 'aria-label="Board of better"' in page.text
    assert 'aria-label="Scores of good"' in page.text
    assert "could not be computed: see the server" in page.text
    assert "take_pairs" not in page.text
    assert any("NameError: name 'take_pairs'" in one.getMessage() for one in caplog.records)


@pytest.mark.parametrize("part", ["findings", "promises"])
def test_what_cannot_be_computed_anew_is_said_and_not_shown_as_current(
    judged: Store, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def away(*_: Any) -> Any:
        raise NotStored("disk I/O error")

    monkeypatch.setattr(looking, "PAUSE", 0.0)
    monkeypatch.setattr(looking, "PATIENCE", None)  # a busy machine takes longer
    analysis = Analysis(judged)
    analysis.cache, analysis.promises.rest = DashboardCache(judged, rest=0.0), 0.0
    module, name = {"findings": (looking, "find"), "promises": (analysing, "gather")}[part]
    question = Question(part)  # type: ignore[arg-type]
    before = analysis.answer(question)
    record = judged.head().number
    judged.do(people.revoke, "ben")
    with monkeypatch.context() as broken:
        broken.setattr(module, name, away)
        failed = [analysis.answer(question) for _ in range(2)]
    for page in failed:
        assert page.made == before.made
        assert "could not be computed anew: disk I/O error; " in page.body
        assert f"of record {record}." in page.body
    assert "anew" not in analysis.answer(question).body


def test_a_database_that_is_away_is_still_said_to_be_away(
    judged: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> Any:
        raise NotStored("disk I/O error")

    looks = DashboardCache(judged)
    monkeypatch.setattr(looking, "find", away)
    with pytest.raises(NotStored):
        looks.look()


def test_judges_and_scores_stand_where_the_board_fails(
    client: TestClient, judged: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evenhand.web.dashboard.LiveLeaderboards.look", fail)
    page = read(client, judged)
    assert page.status_code == 200
    assert "The board of better could not be computed" in page.text
    assert 'aria-label="Scores of good"' in page.text


def test_the_board_stands_where_nothing_can_be_found(
    client: TestClient, judged: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "find", fail)
    page = read(client, judged)
    assert (page.status_code, 'aria-label="Board of better"' in page.text) == (200, True)

"""A judge sees a document as a whole: segments in order, earlier answers changed until it ends."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from documents import SIZES, make_documents
from evenhand.web import Store
from evenhand.web.store.audit import check_store
from stored_campaigns import fill, list_judgments

pytestmark = pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)


def load(client: TestClient, token: str) -> Any:
    return client.get(f"/j/{token}/item").json()


def send(client: TestClient, token: str, item: Any, score: float, **more: Any) -> Any:
    told = {"ticket": item["ticket"], "key": item.get("key", ""), "answer": {"score": score}}
    return client.post(f"/j/{token}/answer", json={**told, **more})


def list_scores(segments: Any) -> list[float | None]:
    return [one.get("answer", {}).get("score") for one in segments]


def test_segments_come_in_order_with_the_answers_so_far(client: TestClient, store: Store) -> None:
    token = fill(store, make_documents())["ann"]
    item, seen = load(client, token), []
    for score in range(5):
        at = item["document"].index(next(one for one in item["document"] if "answer" not in one))
        text = item["document"][at]["outputs"][0]["text"]
        assert text == item["outputs"][0]["text"]
        assert list_scores(item["document"])[:at] == list(range(score - at, score))
        assert all("ticket" not in one for one in item["document"][at:])
        seen.append(text.split()[1:4])
        item = send(client, token, item, score).json()["next"]
    names = [[number, "of", f"{name}."] for name, n in SIZES.items() for number in "012"[:n]]
    assert seen in (names, names[3:] + names[:3])
    assert item["state"] == "done"


def test_an_answer_is_changed_until_something_after_its_document_is_answered(
    client: TestClient, store: Store
) -> None:
    token = fill(store, make_documents())["ann"]
    item = load(client, token)
    size = len(item["document"])
    item = send(client, token, item, 10).json()["next"]
    first = item["document"][0]
    change = {"key": "c1", "replaces": first["receipt"]}
    changed = send(client, token, first, 20, **change).json()
    assert changed["next"]["ticket"] == item["ticket"]
    assert list_scores(changed["next"]["document"])[0] == 20
    # the same request again is stored once; another one of a page that did not see it is refused
    assert send(client, token, first, 20, **change).json()["receipt"] == changed["receipt"]
    late = send(client, token, first, 30, key="c2", replaces=first["receipt"])
    assert (late.status_code, late.json()["word"]) == (409, "reload")
    for score in range(1, size):
        item = send(client, token, item, score).json()["next"]
    assert list_scores(item["ended"]) == [20, *range(1, size)]
    assert list_scores(item["document"]) == [None] * (5 - size)
    last = item["ended"][-1]
    item = send(client, token, last, 99, key="c3", replaces=last["receipt"]).json()["next"]
    assert list_scores(item["ended"])[-1] == 99
    closed = item["ended"][0]
    item = send(client, token, item, 50).json()["next"]
    assert "ended" not in item
    refused = send(client, token, closed, 1, key="c4", replaces=closed["receipt"])
    assert (refused.status_code, refused.json()["word"]) == (409, "reload")
    kinds = [one.kind for one in store.records() if one.answer is not None]
    assert kinds.count("revision") == 2
    assert check_store(store).holds
    answers = [one.answer for one in list_judgments(store)]
    assert [one["score"] for one in answers if one] == [20, *range(1, size - 1), 99, 50]


def test_a_change_is_no_first_answer(client: TestClient, store: Store) -> None:
    token = fill(store, make_documents())["ann"]
    item = load(client, token)
    forged = send(client, token, item, 10, replaces="f" * 64)
    assert (forged.status_code, forged.json()["word"]) == (409, "reload")
    last = send(client, token, item, 10).json()["next"]["document"][0]
    client.post(f"/j/{token}/undo", json={})
    late = send(client, token, last, 20, key="another tab", replaces=last["receipt"])
    assert (late.status_code, late.json()["word"]) == (409, "reload")
    assert list(list_judgments(store)) == []


def test_a_change_that_was_begun_is_stored_while_the_campaign_is_paused(
    client: TestClient, store: Store
) -> None:
    token = fill(store, make_documents())["ann"]
    first = send(client, token, load(client, token), 10).json()["next"]["document"][0]
    store.pause()
    change = {"key": "c1", "replaces": first["receipt"]}
    changed = send(client, token, first, 20, **change)
    assert changed.json()["next"]["word"] == "paused"
    assert send(client, token, first, 20, **change).json() == changed.json()
    assert [one.answer for one in list_judgments(store)] == [{"score": 20}]
    assert check_store(store).holds


def test_the_time_of_a_change_is_added(client: TestClient, store: Store) -> None:
    token = fill(store, make_documents())["ann"]
    item = send(client, token, load(client, token), 10, seconds=60).json()["next"]
    seconds = []
    # by the clocks of browsers; a log holds at most ten million seconds, and may hold none
    for key, took in {"a": 5.5, "b": 1e7, "c": None, "d": 4}.items():
        first = item["document"][0]
        change = {"key": key, "replaces": first["receipt"], "seconds": took}
        item = send(client, token, first, 20, **change).json()["next"]
        seconds += [one.seconds for one in list_judgments(store)]
    assert seconds == [65.5, 1e7, None, None]
    assert check_store(store).holds


def test_another_judge_in_a_seat_does_not_see_the_answers_before(
    client: TestClient, store: Store
) -> None:
    token = fill(store, make_documents())["ann"]
    item = send(client, token, load(client, token), 10).json()["next"]
    store.revoke("ann")
    later = store.invite("ben", seat="ann").token
    assert list_scores(load(client, later)["document"]) == [None] * len(item["document"])


def test_a_document_is_scored_with_its_last_segment(client: TestClient, store: Store) -> None:
    asked = "How good is the whole?"
    token = fill(store, make_documents("spans", document_question=asked))["ann"]
    item = load(client, token)
    while item["state"] == "item":
        last = "answer" in item["document"][-2]
        assert item["task"].get("document_question") == (asked if last else None)
        answer = {"score": 60, "spans": [], **({"document": 70} if last else {})}
        refused = send(client, token, item, 0, answer={**answer, "document": None if last else 1})
        assert refused.status_code == 422
        item = send(client, token, item, 0, answer=answer).json()["next"]
    rows = list(store.rows("ratings"))
    whole = [row for row in rows if row["criterion"] == "q (document)"]
    assert {row["item"]: row["score"] for row in whole} == {"news": 70, "talk": 70}
    assert {(row["document"], row["system"]) for row in whole} == {("news", "A"), ("talk", "A")}
    assert len(rows) == 7

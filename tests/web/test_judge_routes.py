"""What a judge's page sends and is told."""

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from evenhand.design.reading import make_campaign
from evenhand.design.tasks import Ticket
from evenhand.web import Store
from evenhand.web.store import people
from evenhand.web.store.audit import check_store
from evenhand.web.store.log import digest
from evenhand.web.views import view_feedback
from stored_campaigns import LEFT, fill, list_judgments

pytestmark = pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)

FULL = {
    "name": "full",
    "judges": ["ann"],
    "texts": {"source": {"language": "de"}, "output": {"language": "ar"}},
    "design": {"controls": 1},
    "tasks": [
        {"kind": "pair", "name": "better", "both_bad": True},
        {"kind": "spans", "name": "errors", "categories": ["style"]},
    ],
    "training": [
        {
            "task": "better",
            "item": "try",
            "outputs": {"secret-one": "a", "secret-two": "b"},
            "answer": {"outcome": "right"},
            "feedback": "b is right",
        }
    ],
    "items": [
        {"item": "hidden-name", "source": "Q", "outputs": {"system-x": "aa", "system-y": "bb"}},
        {
            "item": "known",
            "outputs": {"system-x": "cc", "system-y": "dd"},
            "expected": {"better": "system-x"},
        },
        {"item": "bad", "outputs": {"broken": "zz"}, "control": "bad"},
    ],
}


@pytest.fixture
def links(store: Store) -> dict[str, str]:
    return fill(store)


def wait_a_second(client: TestClient) -> None:
    """Let the site forget who came a moment ago."""
    app: Any = client.app
    app.state.site.__dict__.pop("known", None)


def begin(client: TestClient, token: str) -> Any:
    assert client.get(f"/j/{token}/item").json()["state"] == "consent"
    return client.post(f"/j/{token}/consent", json={}).json()


def send(client: TestClient, token: str, item: Any, answer: object = LEFT, **more: Any) -> Any:
    told = {"ticket": item["ticket"], "key": item["key"], "answer": answer, **more}
    return client.post(f"/j/{token}/answer", json=told)


def test_nothing_is_asked_before_the_judge_agreed_and_the_text_is_shown(
    client: TestClient, links: dict[str, str]
) -> None:
    first = client.get(f"/j/{links['j0']}/item").json()
    assert (first["state"], first["consent"]) == ("consent", "I agree.")
    assert send(client, links["j0"], {"ticket": "x", "key": "k"}).status_code == 409
    assert begin(client, links["j0"])["state"] == "item"


def test_the_reply_to_an_answer_holds_the_next_item_and_the_number_of_the_record(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    item = begin(client, links["j0"])
    done = send(client, links["j0"], item, seconds=1.5).json()
    assert (done["next"]["place"], item["place"]) == (2, 1)
    kept = next(one for one in store.records() if one.hash == done["receipt"])
    assert (kept.kind, kept.judge, kept.answer, kept.seconds) == ("judgment", "j0", LEFT, 1.5)


def test_an_answer_is_acknowledged_with_a_receipt_that_the_log_has(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    """The receipt is the hash of a body with random bits: it says nothing of the record."""
    item = begin(client, links["j0"])
    first, again = (send(client, links["j0"], item).json() for _ in range(2))
    assert first["receipt"] == again["receipt"]
    [record] = [one for one in store.records() if one.kind == "judgment"]
    assert check_store(store, receipts=[first["receipt"]]).receipts == {
        first["receipt"]: record.number
    }
    [line] = [one for one in store.lines() if one.number == record.number]
    assert line.said is not None
    assert len(json.loads(line.said)["salt"]) == 32  # 128 bits
    assert json.loads(line.body)["said"] == digest(line.said)


@pytest.mark.parametrize(
    "answer",
    [{"outcome": "both_bad"}, {"outcome": 1}, {}, [], "left", None, {"outcome": "left", "x": 1}],
)
def test_answers_off_the_task_are_refused_in_words(
    client: TestClient, store: Store, links: dict[str, str], answer: object
) -> None:
    item = begin(client, links["j0"])
    told = send(client, links["j0"], item, answer)
    assert (told.status_code, told.json()["word"]) == (422, "invalid")
    assert list(list_judgments(store)) == []


def test_a_page_is_never_told_systems_or_what_an_item_is_for(
    client: TestClient, store: Store
) -> None:
    (token,) = fill(store, make_campaign(FULL)).values()
    seen, state = "", client.get(f"/j/{token}/item")
    kinds = {"pair": LEFT, "spans": {"spans": [], "score": 50}}
    for _ in range(20):
        seen += state.text
        found = state.json().get("next", state.json())
        if found["state"] == "done":
            break
        state = send(client, token, found, kinds[found["task"]["kind"]])
    assert found["state"] == "done"
    for word in ("system-", "hidden-name", "secret", "known", "control", "broken", "expected"):
        assert word not in seen
    assert '"language":"ar","direction":"rtl"' in seen


def test_a_revoked_judge_is_let_in_no_more(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    item = begin(client, links["j0"])
    store.revoke("j0")
    assert send(client, links["j0"], item).status_code == 403
    assert list(list_judgments(store)) == []
    wait_a_second(client)
    assert send(client, links["j0"], item).status_code == 404
    page = client.get(f"/j/{links['j0']}", headers={"accept": "text/html"})
    assert (page.status_code, "ask the organiser" in page.text) == (404, True)


def test_a_judge_who_leaves_frees_the_seat(
    client: TestClient, store: Store, links: dict[str, str]
) -> None:
    begin(client, links["j0"])
    assert client.post(f"/j/{links['j0']}/leave", json={}).json() == {"state": "left"}
    assert client.get(f"/j/{links['j0']}/item").status_code == 403
    assert store.do(people.enrol, "prolific", "w1").judge == "j0.2"


def test_what_was_expected_of_a_ranking_is_told_in_the_order_shown(where: str) -> None:
    outputs = {"x": "a", "y": "b", "z": "c"}
    taught = {"task": "order", "item": "try", "outputs": outputs, "answer": {"ranks": [1, 2, 3]}}
    campaign = make_campaign(
        {
            "name": "ranks",
            "tasks": [{"kind": "rank", "name": "order", "n": 3}],
            "items": [{"item": "i", "outputs": outputs}],
            "training": [taught],
        }
    )
    ticket = Ticket(0, "judge-1", "order", "try", ("z", "x", "y"), "training")
    told = view_feedback(campaign, ticket, {"ranks": [3, 1, 2]})
    assert told == {"text": "", "right": {"ranks": [3, 1, 2]}, "agrees": True}


def test_training_is_followed_by_what_was_expected(client: TestClient, store: Store) -> None:
    (token,) = fill(store, make_campaign(FULL)).values()
    item = client.get(f"/j/{token}/item").json()
    assert item["training"]
    told = send(client, token, item).json()["feedback"]
    side = ("left", "right")[[one["text"] for one in item["outputs"]].index("b")]
    assert told == {"text": "b is right", "right": {"outcome": side}, "agrees": side == "left"}


def test_the_end_has_thanks_and_the_code(client: TestClient, store: Store) -> None:
    told = {"name": "one", "judges": 1, "items": [{"item": "1", "outputs": {"A": "a", "B": "b"}}]}
    links = fill(store, make_campaign({**told, "thanks": "Bye.", "completion_code": "C7"}))
    (token,) = links.values()
    item = client.get(f"/j/{token}/item").json()
    end = send(client, token, item).json()["next"]
    assert end == {"state": "done", "thanks": "Bye.", "code": "C7"}

"""A judge sees a document as a whole: segments in order, answers changed until it is submitted."""

import csv
import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import evenhand
from documents import SIZES, make_documents
from evenhand.design.campaign import TextField, Wording
from evenhand.web import Store
from evenhand.web.analysis import list_offers, make_file
from evenhand.web.downloads import list_pay, open_download
from evenhand.web.store import people
from evenhand.web.store.audit import check_store, count_promises, gather
from stored_campaigns import fill, list_judgments

pytestmark = pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)


def load(client: TestClient, token: str) -> Any:
    return client.get(f"/j/{token}/item").json()


def send(client: TestClient, token: str, item: Any, score: float, **more: Any) -> Any:
    told = {"ticket": item["ticket"], "key": item.get("key", ""), "answer": {"score": score}}
    return client.post(f"/j/{token}/answer", json={**told, **more})


def submit(client: TestClient, token: str, item: Any) -> Any:
    receipts = [one["receipt"] for one in item["ended"] if "receipt" in one]
    return client.post(f"/j/{token}/submit", json={"receipts": receipts})


def answer_all(client: TestClient, token: str, score: float = 50) -> Any:
    """Answer the document before a judge, up to its end."""
    item = load(client, token)
    while item["state"] == "item":
        item = send(client, token, item, score).json()["next"]
    return item


def list_scores(segments: Any) -> list[float | None]:
    return [one.get("answer", {}).get("score") for one in segments]


def test_the_organiser_sees_whose_document_is_not_submitted(
    client: TestClient, store: Store
) -> None:
    token = fill(store, make_documents())["ann"]
    admin = f"/a/{store.do(people.replace_link, 'admin').token}"
    seen, item, paid = [], load(client, token), []
    while item["state"] in ("item", "ended"):
        seen.append("document not submitted" in client.get(admin).text)
        paid += [one["completed"] for one in list_pay(store) if one["judge"] == "ann"]
        if item["state"] == "item":
            item = send(client, token, item, 50).json()["next"]
        else:
            item = submit(client, token, item).json()
    seen.append("document not submitted" in client.get(admin).text)
    paid += [one["completed"] for one in list_pay(store) if one["judge"] == "ann"]
    assert seen == [False, False, False, True, False, False, True, False]
    assert paid == ["no"] * 7 + ["yes"]


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
        if item["state"] == "ended":
            item = submit(client, token, item).json()
    names = [[number, "of", f"{name}."] for name, n in SIZES.items() for number in "012"[:n]]
    assert seen in (names, names[3:] + names[:3])
    assert item["state"] == "done"


def test_an_answer_is_changed_until_its_document_is_submitted(
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
    assert (item["state"], list_scores(item["ended"])) == ("ended", [20, *range(1, size)])
    early = send(client, token, {**item, "key": "k"}, 50)
    assert (early.status_code, early.json()["word"]) == (409, "reload")
    assert "not submitted yet" in early.json()["error"]
    last = item["ended"][-1]
    seen = submit(client, token, item)
    assert seen.json()["state"] == "item"
    assert "ended" not in load(client, token)
    late = send(client, token, last, 99, key="c3", replaces=last["receipt"])
    assert (late.status_code, late.json()["word"]) == (409, "reload")
    undone = client.post(f"/j/{token}/undo", json={})
    assert (undone.status_code, undone.json()["word"]) == (409, "reload")
    assert check_store(store).holds
    answers = [one.answer for one in list_judgments(store)]
    assert [one["score"] for one in answers if one] == [20, *range(1, size)]


def test_a_submission_is_a_record_of_its_time_and_of_what_was_seen(
    client: TestClient, store: Store
) -> None:
    token = fill(store, make_documents())["ann"]
    item = answer_all(client, token)
    last = item["ended"][-1]
    changed = send(client, token, last, 99, key="c3", replaces=last["receipt"]).json()["next"]
    # a page that shows other answers than those that stand submits nothing
    old = submit(client, token, item)
    assert (old.status_code, old.json()["word"]) == (409, "reload")
    assert [one.kind for one in store.records()].count("submit") == 0
    assert all(row["document_submitted_at"] == "" for row in store.rows("ratings"))
    # the same wish sent twice is stored once
    assert submit(client, token, changed).json() == submit(client, token, changed).json()
    (sent,) = (one for one in store.records() if one.kind == "submit")
    standing = [one.number for one in list_judgments(store)]
    assert sent.facts["answers"] == standing
    first, ticket = sent.facts["first"], sent.ticket
    assert ticket is not None
    assert ticket.number + 1 - first == len(standing) == len(item["ended"])
    times = {row["document_submitted_at"] for row in store.rows("ratings")}
    assert times == {f"{sent.at / 1000:.3f}"}
    # no column of ours takes the place of the time at which a question was shown
    assert "shown_at" not in evenhand.read([*store.rows("ratings")]).columns
    assert check_store(store).holds


def follow(client: TestClient, store: Store) -> tuple[str, Any]:
    """Return the link of a judge in the seat of one who left, and what that one was asked last."""
    token = fill(store, make_documents())["ann"]
    item = send(client, token, load(client, token), 10).json()["next"]
    store.revoke("ann")
    return store.invite("ben", seat="ann").token, item


def test_another_judge_in_a_seat_submits_their_own_answers_alone(
    client: TestClient, store: Store
) -> None:
    later, _ = follow(client, store)
    item = answer_all(client, later)
    assert submit(client, later, item).json()["state"] == "item"
    (sent,) = (one for one in store.records() if one.kind == "submit")
    assert len(sent.facts["answers"]) == len(item["ended"]) - 1
    rows = list(store.rows("ratings"))
    assert {row["judge"]: bool(row["document_submitted_at"]) for row in rows} == {
        "ann": False,
        "ben": True,
    }
    assert check_store(store).holds


def test_who_takes_a_seat_over_submits_nothing_of_others(client: TestClient, store: Store) -> None:
    token = fill(store, make_documents())["ann"]
    answer_all(client, token)
    store.revoke("ann")
    later = store.invite("ben", seat="ann").token
    item = load(client, later)
    assert item["state"] == "item"
    assert send(client, later, item, 5).status_code == 200


def test_a_document_is_answered_again_when_its_answers_were_deleted(
    client: TestClient, store: Store
) -> None:
    token = fill(store, make_documents())["ann"]
    submit(client, token, answer_all(client, token))
    store.forget("ann", answers=True)
    later = store.invite("ben", seat="ann").token
    for _ in range(2):
        assert submit(client, later, answer_all(client, later)).status_code == 200
    assert load(client, later)["state"] == "done"
    assert all(row["document_submitted_at"] for row in store.rows("ratings"))
    assert check_store(store).holds


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
        if item["state"] == "ended":
            item = submit(client, token, item).json()
    rows = list(store.rows("ratings"))
    whole = [row for row in rows if row["criterion"] == "q (document)"]
    assert {row["item"]: row["score"] for row in whole} == {"news": 70, "talk": 70}
    assert {(row["document"], row["system"]) for row in whole} == {("news", "A"), ("talk", "A")}
    assert len(rows) == 7


def test_a_completion_code_is_shown_when_the_last_document_was_submitted(
    client: TestClient, store: Store
) -> None:
    planned = make_documents()
    wording = replace(planned.wording, completion_code="C0DE")
    token = fill(store, replace(planned, wording=wording))["ann"]
    for _ in range(2):
        item = answer_all(client, token)
        assert "C0DE" not in str(item)
        item = submit(client, token, item).json()
    assert (item["state"], item["code"], item["closed"]) == ("done", "C0DE", True)


def test_a_document_is_submitted_while_the_campaign_is_paused(
    client: TestClient, store: Store
) -> None:
    token = fill(store, make_documents())["ann"]
    item = answer_all(client, token)
    store.pause()
    assert submit(client, token, item).json()["word"] == "paused"
    assert [one.kind for one in store.records()][-2:] == ["pause", "submit"]
    store.resume()
    assert load(client, token)["closed"] is True


def test_promises_say_how_many_documents_were_submitted(client: TestClient, store: Store) -> None:
    planned = make_documents()
    token = fill(store, planned)["ann"]
    said = []
    for _ in range(2):
        item = answer_all(client, token)
        for _ in range(2):
            found = count_promises(gather(store.records()), store.campaign, "n")[1].guarantees
            said += [(one.found, one.holds) for one in found if one.name == "submitted"]
            submit(client, token, item)
    answered = "that were answered to the end"
    assert said == [
        (f"0 of 1 {answered}", None),
        (f"1 of 1 {answered}", True),
        (f"1 of 2 {answered}", None),
        (f"2 of 2 {answered}", True),
    ]


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


def test_scores_of_documents_are_in_the_files_of_other_programs_that_have_a_place_for_them(
    client: TestClient, store: Store, tmp_path: Path
) -> None:
    planned = make_documents("spans", document_question="How good is the whole?")
    texts = {"source": TextField("de"), "output": TextField("en")}
    token = fill(store, replace(planned, wording=Wording(texts=texts)))["ann"]
    item = load(client, token)
    while item["state"] != "done":
        spans = [{"start": 0, "end": 4, "severity": "minor"}]
        whole = {"document": 70} if "document_question" in item["task"] else {}
        answer = {"score": 60, "spans": spans, **whole}
        item = send(client, token, item, 0, answer=answer).json()["next"]
        if item["state"] == "ended":
            item = submit(client, token, item).json()
    # judge, system, segment, kind, languages, score, document, whether it is the whole, errors
    rows = list(csv.reader(io.StringIO(make_file(store, "q", "appraise")[1].decode())))
    whole = {row[7]: (row[2], row[6], row[9]) for row in rows if row[8] == "True"}
    assert whole == {"news": ("0", "70", "[]"), "talk": ("0", "70", "[]")}
    segments = [(row[7], row[6]) for row in rows if row[8] == "False"]
    assert sorted(segments) == [("news", "60")] * 3 + [("talk", "60")] * 2
    assert sum(row[9] != "[]" for row in rows) == 5
    path = tmp_path / "appraise.csv"
    path.write_bytes(make_file(store, "q", "appraise")[1])
    again = evenhand.read(path).rows()
    counted = Counter(zip(again.criterion, map(float, again.score), strict=True))
    assert sorted(counted.values()) == [2, 5]
    studio = json.loads(make_file(store, "q", "label-studio")[1])
    assert Counter(one["data"]["criterion"] for one in studio) == {"q": 5, "q (document)": 2}
    lacking = {one.program.name: one.lacks for one in list_offers(store.campaign)}
    assert lacking == {"appraise": False, "wmt-json": True, "mqm-tsv": True, "label-studio": False}
    lines = make_file(store, "q", "wmt-json")[1].decode().splitlines()
    assert len(lines) == 5
    pieces = open_download(store, "spans.csv")
    assert pieces is not None
    marked = list(csv.DictReader(io.StringIO(b"".join(pieces).decode())))
    assert len(marked) == 5
    assert all(row["document_submitted_at"] for row in marked)

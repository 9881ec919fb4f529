"""A document that was submitted: which logs say of it what no server would have written."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from documents import make_documents
from evenhand.errors import CampaignError
from evenhand.web import Store
from evenhand.web.store import judging
from evenhand.web.store.judging import Reply
from evenhand.web.store.log import Record
from evenhand.web.store.verification import Replay, Unsound
from stored_campaigns import fill, judge_next

Change = Callable[[list[Record], Record], list[Record]]


def _answer(store: Store) -> None:
    """Answer a document, and submit it."""
    while not (before := store.do(judging.find_sitting, "ann").before):
        judge_next(store, "ann", {"score": 5})
    receipts = [one.record.hash for one in before if one.record]
    store.do(judging.submit, "ann", receipts)


def _change(**facts: Any) -> Change:
    return lambda before, sent: [*before, replace(sent, facts={**sent.facts, **facts})]


def _revise(before: list[Record], sent: Record) -> list[Record]:
    last = before[-1]
    more = {"number": sent.number + 1, "kind": "revision", "replaces": last.number, "key": "k"}
    return [*before, sent, replace(last, **more)]


def _undo(before: list[Record], sent: Record) -> list[Record]:
    last = before[-1]
    more: dict[str, Any] = {"number": sent.number + 1, "kind": "undo", "replaces": last.number}
    return [*before, sent, replace(last, **more, answer=None, key="")]


def _submit_early(before: list[Record], sent: Record) -> list[Record]:
    facts = {"first": sent.facts["first"] - 1, "answers": sent.facts["answers"][:-1]}
    return [*before[:-1], replace(sent, ticket=before[-2].ticket, facts=facts)]


UNSOUND: dict[str, tuple[Change, str]] = {
    "twice": (lambda before, sent: [*before, sent, sent], "nothing of the document was left"),
    "other answers": (_change(answers=[2, 3]), "not those that stood"),
    "fewer answers": (_change(answers=[]), "not those that stood"),
    "another document": (_change(first=1), "no document that is kept together"),
    "from before the first": (_change(first=-(10**12)), "no record|no document"),
    "a part": (_submit_early, "no document that is kept together"),
    "changed later": (_revise, "of a document that was submitted"),
    "undone later": (_undo, "of a document that was submitted"),
    "of nobody": (
        lambda before, sent: [*before, replace(sent, judge="ben")],
        "not in the campaign",
    ),
    "more facts": (_change(why="so"), "no record of a log"),
    "no answers": (lambda before, sent: [*before, replace(sent, facts={})], "no record of a log"),
}


def _replay(store: Store, lines: list[Record], *, known: bool) -> None:
    """Replay a log, of which the campaign is known or not."""
    replay = Replay(store.campaign if known else None)
    for one in lines:
        replay.take(one)


def test_a_log_that_submits_what_it_cannot_is_found_out(store: Store) -> None:
    fill(store, make_documents())
    _answer(store)
    *before, sent = store.records()
    assert sent.kind == "submit"
    for known in (True, False):
        _replay(store, [*before, sent], known=known)  # as it is, it is sound
        for change, fault in UNSOUND.values():
            if known or "kept together" not in fault:  # a log alone does not know documents
                with pytest.raises(Unsound, match=fault):
                    _replay(store, change(before, sent), known=known)


def test_no_answer_of_a_submitted_document_is_changed_by_programs(store: Store) -> None:
    fill(store, make_documents())
    _answer(store)
    *_, last = (one for one in store.records() if one.kind == "judgment")
    assert last.ticket is not None
    again = Reply("ann", last.ticket.number, {"score": 9}, "k", replaces=last.number)
    with pytest.raises(CampaignError, match="was submitted"):
        store.do(judging.append, again)
    with pytest.raises(CampaignError, match="was submitted"):
        store.do(judging.undo, "ann")
    judge_next(store, "ann", {"score": 1})
    store.do(judging.undo, "ann")  # what came after it is taken back
    with pytest.raises(CampaignError, match="was submitted"):
        store.do(judging.undo, "ann")


def test_the_next_document_is_not_answered_before(store: Store) -> None:
    fill(store, make_documents())
    while not store.do(judging.find_sitting, "ann").before:
        judge_next(store, "ann", {"score": 5})
    with pytest.raises(CampaignError, match="not submitted yet"):
        judge_next(store, "ann", {"score": 5})


def test_the_last_answer_is_found_without_reading_every_question(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "c.db")) as store:
        fill(store, make_documents())
        with store.reading() as connection:
            asked = text(f"EXPLAIN QUERY PLAN {judging.LAST.statement}")
            plan = [row.detail for row in connection.execute(asked, {"judge": "ann", "param_1": 1})]
    assert len(plan) == 2
    assert all(step.startswith("SEARCH") for step in plan), plan

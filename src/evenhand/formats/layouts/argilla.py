"""Argilla's records with a ranking question: who ranked what how, ties allowed.

    {"id": "7", "fields": {…}, "responses": {"preference": [{"user_id": "u1", "value":
        [{"value": "reply-1", "rank": 1}, {"value": "reply-2", "rank": 1}]}]}}

or `responses` as a list with one entry for each user, `{"user_id", "status", "values":
{"preference": {"value": […]}}}`. Drafts and discarded responses are left out and counted, and so
are answers to other kinds of questions. In which order replies were shown is not recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from evenhand.errors import InvalidJudgments
from evenhand.formats.handles import Named, make_rankings
from evenhand.formats.leftovers import list_unread, say_unread
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import (
    Record,
    Row,
    lay_out,
    read_records,
    require_columns,
)
from evenhand.judgments.exclusions import exclude_by_format
from evenhand.judgments.rankings import Rankings

NAME: Final = "argilla"
TITLE: Final = "Argilla records"
NEEDS: Final = ("fields", "responses")
ROLES: Final = ()

STATES: Final = ("submitted", "draft", "discarded")


@dataclass(frozen=True)
class _Response:
    """What one user answered to one question."""

    question: str
    user: str
    status: str
    value: Any


def recognise(header: Header) -> bool:
    """Say whether responses stand beside fields."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Rankings:
    """Read every ranking that was submitted."""
    require_columns(table, NEEDS, TITLE)
    rows: list[Row] = []
    left_out: Counter[str] = Counter()
    unread = set(list_unread(table, (*NEEDS, "id")))
    for record in read_records(table):
        for at, response in enumerate(_find_responses(record)):
            status = record.choose(response.status, "status", STATES)
            if status != "submitted":
                left_out[f"responses that are {status}"] += 1
            elif response.value == []:
                left_out["rankings of nothing"] += 1
            elif not _is_ranking(response.value):
                left_out[f"answers to '{response.question}', which is no ranking,"] += 1
            else:
                rows.extend(_read(record, response, f"{record.number}:{at}"))
    if not rows:
        raise InvalidJudgments(f"{table.name} holds no rankings that were submitted")
    data = make_rankings(lay_out(table, rows, ("rank",)), wishes, Named(NAME, TITLE))
    notes = say_unread(unread)
    excluded = exclude_by_format(left_out)
    return replace(data, source=data.source.noting(*notes).excluding(*excluded))


def _find_responses(record: Record) -> Iterator[_Response]:
    """Yield the answers of a record, in either form; one without a status was submitted."""
    given = record.data("responses") or []
    if isinstance(given, Mapping):
        for question, answers in given.items():
            for answer in record.sequence(answers, "the responses to a question"):
                one = record.mapping(answer, "a response")
                yield _Response(question, *_find_user(record, one), one.get("value"))
        return
    for response in record.sequence(given, "responses"):
        one = record.mapping(response, "a response")
        values = record.mapping(one.get("values") or {}, "the values of a response")
        for question, said in values.items():
            value = said.get("value") if isinstance(said, Mapping) else said
            yield _Response(question, *_find_user(record, one), value)


def _find_user(record: Record, response: Mapping[str, Any]) -> tuple[str, str]:
    """Return who responded, and the status; a response without one was submitted."""
    user = record.label(response.get("user_id"), "user_id")
    return user, record.label(response.get("status"), "status") or "submitted"


def _is_ranking(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, Mapping) and {"value", "rank"} <= set(one) for one in value
    )


def _read(record: Record, response: _Response, ranking: str) -> Iterator[Row]:
    for one in response.value:
        yield {
            "judge": response.user,
            "item": record.text("id") or str(record.number),
            "ranking": ranking,
            "system": record.label(one["value"], "what was ranked"),
            "rank": record.label(one["rank"], "a rank"),
            "question": response.question,
        }

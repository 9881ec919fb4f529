"""Labels of items: several judges say what an item is, and no output of a system is judged.

Snow et al. (2008), whose tables many programs for labels are tried on:

    !amt_annotation_ids  !amt_worker_ids  orig_id  response  gold
    1                    A19IBSKBTABMR3   2        0         1

(tabs between). The response is the score; `gold` is the experts' answer, and is kept beside it.
Under names of our own, judge, item and score, labels are read only with `--from labels`: a table of
ratings whose column of systems has another name looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from evenhand.formats.records import Record, Row, read_each, take_rows
from evenhand.formats.table import RATING_ROLES, Handle, Layout, ReadOptions, Table, make_labels
from evenhand.formats.texts import say


def understand_snow(table: Table, options: ReadOptions) -> Handle:
    fixed = {"judge": "!amt_worker_ids", "item": "orig_id", "score": "response"}
    return _note(make_labels(table, options, SNOW, fixed))


SNOW: Final = Layout(
    "snow",
    "labels by workers of Mechanical Turk",
    ("!amt_worker_ids", "orig_id", "response"),
    understand=understand_snow,
)


def understand_labels(table: Table, options: ReadOptions) -> Handle:
    return _note(make_labels(table, options, LABELS))


LABELS: Final = Layout(
    "labels",
    "labels of items",
    ("judge", "item", "score"),
    understand=understand_labels,
    roles=tuple(role for role in RATING_ROLES if role != "system"),
    by_role=True,
    condition=lambda _: False,
)


def _note(data: Handle) -> Handle:
    return replace(data, source=data.source.noting(say("no-systems")))


# QAGS: does an article say what a sentence of its summary says?
#
#     {"article": "…", "summary_sentences": [
#         {"sentence": "…", "responses": [{"worker_id": 0, "response": "yes"}, …]}, …]}
#
# (one line each). The item is the number of the line and that of the sentence in its summary, both
# from 1; yes is 1 and no is 0. Which system wrote the summary is not recorded.
ANSWERS: Final = {"yes": 1, "no": 0}


def understand_qags(table: Table, options: ReadOptions) -> Handle:
    return _note(take_rows(QAGS, table, read_each(table, _read), options, make=make_labels))


QAGS: Final = Layout(
    "qags", "QAGS responses", ("article", "summary_sentences"), understand=understand_qags
)


def _read(record: Record) -> Iterator[Row]:
    sentences = record.sequence(record.data("summary_sentences"), "summary_sentences")
    for at, sentence in enumerate(sentences, start=1):
        given = record.mapping(sentence, "a sentence of a summary")
        for response in record.sequence(given.get("responses"), "the responses to a sentence"):
            one = record.mapping(response, "a response")
            answer = record.label(one.get("response"), "a response").casefold()
            yield {
                "judge": record.label(one.get("worker_id"), "worker_id"),
                "item": f"{record.number}:{at}",
                "score": ANSWERS[record.choose(answer, "response", tuple(ANSWERS))],
                "document": record.number,
                "source": record.verbatim("article"),
                "output": record.label(given.get("sentence"), "a sentence"),
            }

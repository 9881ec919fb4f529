"""WMT's judgments since 2024: one line a segment, with every score that its outputs were given.

    {"doc_id": "en-is_#_news_#_doc_#_12", "src_text": "…", "tgt_text": {"SYS": "…"},
     "scores": {"SYS": [{"score": 98.0, "annotator": "Annotator01isl", "errors": […],
                         "times": [s, e], "protocol": "ESA"}]}}

A line without scores, such as the first one by which a leak of the file is recognised, is no
segment: it is left out and counted. Lines are in the order of the names of documents, not of the
source: where every doc_id ends with a number of its own behind `_#_`, that of the segment in the
source from 1, it is the item. Else items are numbered from 1 as they come. `line` is the number of
the line. Errors are as in Appraise: `end_i` is the last UTF-16 unit of the output without blanks
around it, and is put in characters. Scores and times may be text. The protocol is the criterion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.leftovers import gather_unread, list_unread, say_unread
from evenhand.formats.marks import Screen, read_inclusive
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import (
    Record,
    Row,
    lay_out,
    read_records,
    read_score,
    require_columns,
    shorten,
)
from evenhand.judgments.exclusions import exclude_by_format
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.spans import write_spans

NAME: Final = "wmt_json"
TITLE: Final = "WMT segments with scores"
NEEDS: Final = ("scores", "src_text", "tgt_text")
ROLES: Final = ()

_READ: Final = (*NEEDS, "doc_id")
_SAID: Final = ("score", "annotator", "errors", "times", "protocol")
_SEGMENT: Final = re.compile(r"_#_(\d+)$")


def recognise(header: Header) -> bool:
    """Say whether scores and both texts are there."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Read every score of every segment."""
    require_columns(table, NEEDS, TITLE)
    every = list(read_records(table))
    segments = [record for record in every if record.data("scores") is not None]
    items, note = _number(segments)
    unread = set(list_unread(table, _READ))
    rows = [
        row
        for record, item in zip(segments, items, strict=True)
        for row in _read(record, item, unread)
    ]
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    notes = [*say_unread(unread), note]
    others = len(every) - len(segments)
    words = "lines without scores left out, no item is made of them: {n:,}"
    excluded = exclude_by_format({"lines without scores": others}, words)
    return replace(data, source=data.source.noting(*notes).excluding(*excluded))


def _number(segments: Sequence[Record]) -> tuple[list[str], str]:
    """Return the item of each segment, and how they were named."""
    ends = [_SEGMENT.search(record.text("doc_id")) for record in segments]
    numbers = [found[1] for found in ends if found]
    if len(numbers) == len(set(numbers)) == len(segments):
        return numbers, "items are the numbers behind _#_ in doc_id, those of the source"
    return [str(at) for at in range(1, len(segments) + 1)], "items are numbered as they come"


def _read(record: Record, item: str, unread: set[str]) -> Iterator[Row]:
    outputs = record.mapping(record.data("tgt_text") or {}, "tgt_text")
    for system, given in record.mapping(record.data("scores"), "scores").items():
        for score in record.sequence(given, f"the scores of {shorten(system)}"):
            one = record.mapping(score, "a score")
            gather_unread(unread, one, _SAID, "scores")
            output = record.label(outputs.get(system), "an output")
            yield {
                "judge": record.label(one.get("annotator"), "an annotator"),
                "item": item,
                "system": system,
                "criterion": record.label(one.get("protocol"), "a protocol"),
                "score": read_score(record, one.get("score")),
                **_read_beside(record, one, output),
                "document": record.text("doc_id"),
                "line": record.number,
                "source": record.verbatim("src_text"),
                "output": output,
            }


def _read_beside(record: Record, given: Mapping[str, Any], output: str) -> Row:
    """Read errors and times of a score."""
    errors, times = given.get("errors"), given.get("times")
    row: dict[str, Any] = {}
    if errors is not None:
        screen = Screen.of(output, trimmed=True) if output else None
        row["spans"] = write_spans(read_inclusive(record, errors, "error_type", screen))
    if times is None:
        return row
    moments = [_read_moment(record, one) for one in times] if isinstance(times, list) else []
    if len(moments) != 2:
        raise record.refuse(f"times are a start and an end in seconds, not {shorten(times)}")
    start, end = moments
    return row | {"shown_at": f"{start:f}", "seconds": f"{end - start:f}"}


def _read_moment(record: Record, given: Any) -> Decimal:
    text = given.strip() if isinstance(given, str) else repr(given)
    try:
        moment = Decimal(text)
    except InvalidOperation:
        moment = Decimal("nan")
    if not moment.is_finite():
        raise record.refuse(f"times are numbers of seconds, not {shorten(given)}")
    return moment

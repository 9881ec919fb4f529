"""Ratings with spans as an MQM table: one row for each error, marked in the text by `<v>`.

The table has no place for scores: they are counted from the errors when it is read. So only
scores that the errors make can be written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from evenhand.formats.exports.rows import (
    read_rows,
    require_kind,
    require_roles,
    spans_of,
    text_of,
)
from evenhand.formats.layouts.mqm import SEVERITIES
from evenhand.formats.marks import put_marks, weigh
from evenhand.formats.table import Handle
from evenhand.formats.unfolding import Record
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.spans import Span

NAME: Final = "mqm-tsv"
SUFFIXES: Final = (".tsv",)
HOLDS: Final = frozenset(
    {
        *("judge", "item", "system", "score", "spans", "document", "global_segment"),
        *("source", "output"),
    }
)

_HEADER: Final = (
    *("system", "doc", "docSegId", "globalSegId", "rater", "source", "target"),
    *("category", "severity", "metadata"),
)
_NEEDS: Final = ("judge", "item", "spans", "source", "output")
_NO_ERROR: Final = "No-error"
MARKS: Final = ("<v>", "</v>")


def export(data: Handle) -> Iterator[str]:
    """Yield the lines of the table."""
    data = require_kind(data, Ratings, NAME)
    require_roles(data, _NEEDS, NAME)
    yield "\t".join(_HEADER) + "\n"
    numbers: dict[str, int] = {}
    seen: set[tuple[str, ...]] = set()
    for record in read_rows(data):
        _refuse_second(record, seen)
        number = numbers.setdefault(record.need("item"), len(numbers) + 1)
        spans = spans_of(record)
        if spans is None:
            raise record.refuse(f"it has no spans; where no error was found {NAME} needs []")
        _refuse_score(record, spans)
        _refuse_marks(record, spans)
        for span in spans or (None,):
            yield "\t".join(_refuse_breaks(record, _row(record, span, number))) + "\n"


def find_losses(data: Handle) -> Iterator[str]:
    """Say where items are read again under another name, which is that of document and segment."""
    again = {record.text("item"): ":".join(_place(record)) for record in read_rows(data)}
    other = [(item, name) for item, name in again.items() if item != name]
    if other:
        first = " as ".join(other[0])
        yield f"items are read again by document and segment, such as {first}: {len(other):,}"


def _place(record: Record) -> tuple[str, str]:
    """Return document and segment; an item of no document is one of its own."""
    item, document = record.need("item"), record.text("document")
    return (document, item.removeprefix(f"{document}:")) if document else (item, "1")


def _refuse_second(record: Record, seen: set[tuple[str, ...]]) -> None:
    key = (record.need("system"), *_place(record), record.need("judge"))
    if key in seen:
        raise record.refuse(
            f"{key[-1]} rated the output of {key[0]} for item '{record.text('item')}' before, and"
            f" {NAME} adds up all errors of one judge in one output: keep one of them with --where"
        )
    seen.add(key)


def _refuse_marks(record: Record, spans: Sequence[Span]) -> None:
    texts = [str(record.values.get(side) or "") for side in ("source", "output")]
    if any(mark in text for text in texts for mark in MARKS):
        raise record.refuse(f"its texts hold <v> or </v> themselves, the marks of {NAME}")
    if any(span.missing for span in spans):
        raise record.refuse(f"an error is something missing, and {NAME} marks what is there only")


def _row(record: Record, span: Span | None, number: int) -> list[str]:
    """Return the row of an error, or the one that says that there is none."""
    document, segment = _place(record)
    texts = {side: str(record.values.get(side) or "") for side in ("source", "output")}
    if span is not None and span.placed:
        start, end = span.start or 0, span.end or 0
        if end > len(texts[span.side]):
            raise record.refuse(f"an error ends at {end}, behind the end of the {span.side}")
        texts[span.side] = put_marks(texts[span.side], start, end)
    return [
        record.need("system"),
        document,
        segment,
        record.text("global_segment") or str(number),
        record.need("judge"),
        texts["source"],
        texts["output"],
        _NO_ERROR if span is None else span.category,
        _NO_ERROR if span is None else _severity(record, span),
        "{}",
    ]


def _severity(record: Record, span: Span) -> str:
    return record.choose(span.severity, "severity", SEVERITIES).capitalize()


def _refuse_score(record: Record, spans: Sequence[Span]) -> None:
    score = text_of(record, "score")
    made = -weigh(record, spans)
    if score and abs(float(score) - made) > 1e-9:
        raise record.refuse(
            f"its score {score} is not the {made:g} that its errors make, and {NAME} has no place"
            " for scores"
        )


def _refuse_breaks(record: Record, fields: Sequence[str]) -> Sequence[str]:
    if any(mark in field for field in fields for mark in "\t\n\r"):
        raise record.refuse(f"a tab or a line break in its texts, and {NAME} has no quotes")
    return fields

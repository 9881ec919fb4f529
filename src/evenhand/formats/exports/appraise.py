"""Ratings as Appraise's table, which has no header.

The name of a criterion is not written, only whether a document was scored. Ratings with spans
become the table with marked errors, those of documents the one with documents, all others that of
direct assessment. Errors end with their last character there; where the outputs are known, places
are counted as the page does, in UTF-16 units without the blanks around the text.
"""

from __future__ import annotations

import csv
import io
import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from evenhand.errors import UnknownOption
from evenhand.formats.asides import WHOLE
from evenhand.formats.exports.rows import (
    read_rows,
    require_kind,
    require_roles,
    say_dropped,
    spans_of,
    text_of,
)
from evenhand.formats.files.shapes import TYPES, is_moment
from evenhand.formats.layouts.appraise import KINDS, read_document, read_kind
from evenhand.formats.marks import Screen
from evenhand.formats.table import Handle
from evenhand.formats.unfolding import Record
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.spans import Span

NAME: Final = "appraise"
SUFFIXES: Final = (".csv",)
HOLDS: Final = frozenset(
    {
        *("judge", "item", "system", "score", "kind", "task", "spans"),
        *("document", "documentID", "isCompleteDocument", "flag", "shown_at", "seconds"),
        *("batchNo", "item_pk"),
    }
)

_NEEDS: Final = ("judge", "item", "task")
_WORDS: Final = {kind: word for word, kind in KINDS.items()} | {word: word for word in TYPES}
_BATCH: Final = ("batchNo", "item_pk")


def export(data: Handle) -> Iterator[str]:
    """Yield the lines of the table."""
    data = require_kind(data, Ratings, NAME)
    require_roles(data, _NEEDS, NAME)
    records = list(read_rows(data))
    _refuse_criteria(records, data.source.name)
    named = any(map(data.has, ("documentID", "document", "spans")))
    documents = named or any(map(_is_whole, records))
    timed, batched = (not lacking for lacking in (_count_untimed(records), _count_loose(records)))
    for record in records:
        fields = _judgment(record)
        if documents:
            fields += [_document(record), str(_is_whole(record))]
        if data.has("spans"):
            fields.append(_write_spans(record))
        fields += _times(record) if timed else []
        fields += [record.text(name) for name in _BATCH] if batched else []
        yield _line(fields)


def find_losses(data: Handle) -> Iterator[str]:
    """Say what is left out of all rows because some lack it, and which flags are not kept."""
    records = list(read_rows(data))
    n = len(records)
    untimed, loose = _count_untimed(records), _count_loose(records)
    if any(one.text("shown_at") or text_of(one, "seconds") for one in records):
        said = "shown_at and seconds are left out, since some rows do not have both"
        yield from say_dropped(untimed, n, said)
    if any(one.text(name) for one in records for name in _BATCH):
        said = "batchNo and item_pk are left out, since some rows do not have both as numbers"
        yield from say_dropped(loose, n, said)
    flags = sum(one.text("flag") not in ("", _flag(one)) for one in records)
    yield from say_dropped(flags, n, "flags that do not stand in documentID are left out")


def _count_untimed(records: Sequence[Record]) -> int:
    return sum(not (one.text("shown_at") and text_of(one, "seconds")) for one in records)


def _count_loose(records: Sequence[Record]) -> int:
    """Count the rows without a batch, which is a whole number."""
    return sum(not all(one.text(name).isdecimal() for name in _BATCH) for one in records)


def _refuse_criteria(records: Sequence[Record], name: str) -> None:
    found = sorted({one.text("criterion").removesuffix(WHOLE) for one in records})
    if len(found) > 1:
        raise UnknownOption(
            f"{name} holds the criteria {', '.join(found)}, and {NAME} has one score a row:"
            " keep one of them with --where"
        )


def _judgment(record: Record) -> list[str]:
    """Return the columns that every such table has."""
    languages = record.need("task").split("-")
    if len(languages) != 2 or not all(len(one) == 3 and one.isalpha() for one in languages):
        raise record.refuse(
            f"its task '{record.text('task')}' is no pair of three-letter languages such as"
            f" eng-deu, as {NAME} needs"
        )
    score = text_of(record, "score")
    if not score:
        raise record.refuse(f"it has no score, and {NAME} has no place for a missing one")
    document = record.text("document")
    segment = record.need("item").removeprefix(f"{document}:")
    return [
        record.need("judge"),
        record.need("system"),
        "0" if _is_whole(record) and segment == document else segment,
        _type(record),
        *languages,
        score,
    ]


def _type(record: Record) -> str:
    """Return Appraise's word for a kind; the name of the document says what targets are besides."""
    kind, flag = record.text("kind") or "target", _flag(record)
    word = _WORDS.get(kind, TYPES[0])
    found = read_kind(word, flag)
    if found == KINDS.get(kind, kind):
        return word
    if kind in _WORDS:
        raise record.refuse(
            f"its kind is {kind}, and its document '{record.text('documentID')}' is marked as"
            f" {flag}: {NAME} would read it as {found}"
        )
    raise record.refuse(f"its kind '{kind}' has no word in {NAME}: {' | '.join(_WORDS)}")


def _flag(record: Record) -> str:
    """Return what the name of the document says of it, as it is read again."""
    return read_document(record.text("documentID"), record.need("system")).flag


def _is_whole(record: Record) -> bool:
    marked = record.text("criterion").endswith(WHOLE.strip())
    return marked or record.text("isCompleteDocument").lower() == "true"


def _document(record: Record) -> str:
    return record.text("documentID") or record.text("document")


def write_error(record: Record, span: Span, name: str) -> dict[str, Any]:
    """Return an error as Appraise writes it, in whichever format."""
    if span.side == "source" or span.end is None:
        where = "in the source" if span.side == "source" else "at no place"
        raise record.refuse(f"an error lies {where}, and {name} marks errors in the output only")
    start, end = ("missing",) * 2 if span.missing else _find_units(record, span)
    category = span.category.split("/") if span.category else None
    return {"start_i": start, "end_i": end, "severity": span.severity, "error_type": category}


def _find_units(record: Record, span: Span) -> tuple[int, int]:
    """Return the first and the last unit of an error, in characters where no text is known."""
    start, last = span.start or 0, (span.end or 0) - 1
    text = str(record.values.get("output") or "")
    places = Screen.of(text, trimmed=True).places
    if not places or last >= len(text):
        return start, last
    first, behind = bisect_left(places, start), bisect_right(places, last)
    if behind <= first:
        raise record.refuse(f"an error from {start} to {last + 1} marks blanks around the output")
    return first, behind - 1


def _write_spans(record: Record) -> str:
    """Write the errors of a rating."""
    spans = spans_of(record)
    if spans is None:
        raise record.refuse(
            f"it has no spans, and {NAME} would say that no error was found: keep the ratings that"
            " have some with --where, or write [] where no error was found"
        )
    return json.dumps([write_error(record, one, NAME) for one in spans])


def _times(record: Record) -> list[str]:
    start, seconds = record.text("shown_at"), text_of(record, "seconds")
    try:
        times = [start, f"{Decimal(start) + Decimal(seconds):f}"]
    except InvalidOperation:
        times = [start, ""]
    if not all(map(is_moment, times)):
        raise record.refuse(
            f"shown_at '{start}' with {seconds} seconds is no number of seconds since 1970 (ten"
            f" digits), as {NAME} needs"
        )
    return times


def _line(fields: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(fields)
    return text.getvalue()

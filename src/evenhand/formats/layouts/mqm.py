"""MQM tables: one row for each error that a rater marked in an output.

    system  doc  doc_id     seg_id       rater  source  target  category  severity  [comment]
    system  doc  docSegId   globalSegId  rater  source  target  category  severity  metadata

(tabs between). `<v>` and `</v>` bound the error in source or target; an output without errors has
one row of the category No-error. The rows of one rater and output become one rating: minus what
the errors take, 5 if major, 1 if minor, 0.1 if minor and Fluency/Punctuation, 25 for a
non-translation, nothing if neutral, a reinterpretation, or of a category Source…. Critical errors
count as major ones, and a note counts them. The errors are in the column `spans`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from evenhand.formats.files.shapes import REMARK
from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.leftovers import list_unread, say_unread
from evenhand.formats.marks import NO_ERROR, say_critical, take_marks, weigh
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import Record, Row, lay_out, read_records, require_columns
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.spans import Span, write_spans

NAME: Final = "mqm"
TITLE: Final = "MQM errors"
NEEDS: Final = ("system", "doc", "rater", "source", "target", "category", "severity")
ROLES: Final = ()

SEVERITIES: Final = ("major", "minor", "critical", "neutral", NO_ERROR)
_SEGMENTS: Final = ("docSegId", "seg_id")
_READ: Final = (*NEEDS, "doc_id", "globalSegId", REMARK)


def recognise(header: Header) -> bool:
    """Say whether these are the columns of errors."""
    return set(NEEDS) <= set(header.columns) and bool(set(_SEGMENTS) & set(header.columns))


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Put the errors of each rater and output together."""
    require_columns(table, NEEDS, TITLE)
    segment = next((name for name in _SEGMENTS if name in table.columns), "")
    require_columns(table, [segment or "seg_id"], TITLE)
    errors: dict[tuple[str, ...], list[Record]] = {}
    n = 0
    for record in read_records(table):
        key = tuple(record.need(name) for name in ("system", "doc", segment, "rater"))
        errors.setdefault(key, []).append(record)
        n += 1
    every: list[Span] = []
    rows: list[Row] = []
    for key, found in errors.items():
        spans, texts = _read_errors(found)
        every += spans
        rows.append(_read(key, found[0], spans) | texts)
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    notes = [f"{n:,} rows of errors are {len(rows):,} ratings", *say_critical(every)]
    notes += say_unread(list_unread(table, (*_READ, segment)))
    return replace(data, source=data.source.noting(*notes))


def _read_errors(records: Sequence[Record]) -> tuple[list[Span], dict[str, str]]:
    """Return the errors of a rater and output, and both texts as they were when marked."""
    marked: list[Span] = []
    texts: dict[str, str] = {}
    for record in records:
        source, in_source = take_marks(record, record.verbatim("source"))
        output, in_output = take_marks(record, record.verbatim("target"))
        _refuse_other(record, texts, {"source": source, "output": output})
        span = _read_error(record, in_source, in_output)
        marked += [] if span is None else [span]
    return marked, texts


def _read(key: Sequence[str], first: Record, marked: Sequence[Span]) -> dict[str, Any]:
    """Return the rating that some errors make."""
    system, document, segment, rater = key
    return {
        "judge": rater,
        "item": f"{document}:{segment}",
        "system": system,
        "criterion": "mqm",
        "score": -weigh(first, marked),
        "spans": write_spans(marked),
        "document": document,
        "doc_id": first.text("doc_id"),
        "global_segment": first.text("globalSegId"),
    }


def _read_error(
    record: Record, in_source: tuple[int, int] | None, in_output: tuple[int, int] | None
) -> Span | None:
    """Return the error of a row; None where it says that there is none."""
    category = record.text("category")
    if category.casefold() == NO_ERROR and not record.text("severity"):
        return None
    severity = record.choose(record.need("severity").casefold(), "severity", SEVERITIES)
    if NO_ERROR in (severity, category.casefold()):
        return None
    side = "source" if in_source and not in_output else "output"
    start, end = in_output or in_source or (None, None)
    return Span(start, end, severity, category, side)


def _refuse_other(record: Record, texts: dict[str, str], found: dict[str, str]) -> None:
    """Refuse an output whose text is not that of its other errors; blanks at its end move none."""
    for name, text in found.items():
        known = texts.setdefault(name, text)
        texts[name] = max(known, text, key=len)
        if known.rstrip() != text.rstrip():
            raise record.refuse(
                f"the {name} is not that of the other errors of this rater and output"
            )

"""Ratings of mt-metrics-eval that stand alone: one output a line with its errors.

    {"source": "…", "hypothesis": "…", "errors": […], "document_id": "…", "segment_id": 0,
     "system_id": "…", "rater_id": "…", "src_lang": "en", "tgt_lang": "de"}

`end` of an error is the character after the last one; segments are numbered from 0. The score is
minus what the errors take.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.layouts.mtme_ratings import read_errors
from evenhand.formats.leftovers import keep_flat, list_flat, list_unread, say_unread
from evenhand.formats.marks import say_critical
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import Record, Row, lay_out, read_records, require_columns
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.spans import Span, write_spans

NAME: Final = "mtme_json"
TITLE: Final = "mt-metrics-eval ratings that stand alone"
NEEDS: Final = ("hypothesis", "errors", "segment_id", "system_id", "rater_id")
ROLES: Final = ()

_READ: Final = (*NEEDS, "document_id", "src_lang", "tgt_lang", "source")


def recognise(header: Header) -> bool:
    """Say whether outputs, errors, segments, systems and raters are there."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Read the errors; flat keys beside them are kept; errors as in `make_ratings`."""
    require_columns(table, NEEDS, TITLE)
    flat = list_flat(table, _READ)
    rows: list[Row] = []
    marked: list[Span] = []
    for record in read_records(table):
        score, spans = read_errors(record, {"errors": record.data("errors")})
        marked += spans
        row = {**_name(record), "score": score, "spans": write_spans(spans)}
        rows.append(keep_flat(record, flat, row))
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    notes = say_unread(list_unread(table, (*_READ, *flat))) + say_critical(marked)
    return replace(data, source=data.source.noting(*notes))


def _name(record: Record) -> Row:
    """Return what was judged, by whom, and its texts just as they were when errors were marked."""
    languages = [record.text(name) for name in ("src_lang", "tgt_lang")]
    document = record.text("document_id")
    segment = record.need("segment_id")
    return {
        "judge": record.text("rater_id"),
        "item": f"{document}:{segment}" if document else segment,
        "system": record.need("system_id"),
        "criterion": "mqm",
        "task": "-".join(languages) if all(languages) else None,
        "document": document,
        "source": record.verbatim("source"),
        "output": record.verbatim("hypothesis"),
    }

"""WMT's direct assessment by a crowd: one score a line, raw or standardised by judge.

    HITId  WorkerId  Input.src  Input.trg  Input.item  hit  sys_id  rid  type  sid  score  time
    NA     w3        hi         bn         ad          NA   "S.7"   NA   SYSTEM  x-1   30   0

Tabs part the names, tabs and blanks the values; NA is missing. `type` is SYSTEM for an output,
REPEAT for one that is asked again, BAD_REF for a spoilt reference. Whether scores are raw (0 to
100) or standardised the file does not say, nor in which unit `time` is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from evenhand.formats.files.shapes import BLANK_HEADERS
from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.leftovers import list_unread, say_unread
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import Record, Row, lay_out, read_records, require_columns
from evenhand.judgments.ratings import Ratings

NAME: Final = "wmt_da"
TITLE: Final = "WMT direct assessments"
NEEDS: Final = BLANK_HEADERS[0]
ROLES: Final = ()

KINDS: Final = {"SYSTEM": "target", "REPEAT": "repeat", "BAD_REF": "bad"}
_KEPT: Final = {
    "HITId": "hit_id",
    "Input.item": "input",
    "hit": "hit",
    "rid": "rid",
    "time": "time",
}


def recognise(header: Header) -> bool:
    """Say whether all twelve columns are there."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Read the scores."""
    require_columns(table, NEEDS, TITLE)
    rows = [_read(record) for record in read_records(table)]
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    notes = say_unread(list_unread(table, NEEDS))
    return replace(data, source=data.source.noting(*notes))


def _read(record: Record) -> Row:
    def text(column: str) -> str:
        found = record.text(column)
        return "" if found == "NA" else found

    kind = record.choose(record.need("type"), "type", tuple(KINDS))
    return {
        "judge": text("WorkerId"),
        "item": record.need("sid"),
        "system": record.need("sys_id"),
        "score": text("score"),
        "kind": KINDS[kind],
        "task": "-".join((record.need("Input.src"), record.need("Input.trg"))),
        **{name: text(column) for column, name in _KEPT.items()},
    }

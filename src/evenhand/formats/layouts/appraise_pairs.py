"""Appraise's contrastive scores: two outputs side by side, each with a score, one row for each.

    user,system,segID,type,src,tgt,score,errors,sourceErrors,start,end

No number ties the two rows of a judgment together: they are those with the same user, segID and
start. The output with the higher score is better, equal scores are a tie. Which of them stood
left is known only from a column `position` (first, second).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from evenhand.errors import UnknownColumn
from evenhand.formats.files.shapes import APPRAISE
from evenhand.formats.handles import Named, make_comparisons
from evenhand.formats.layouts.appraise import KINDS, read_document, read_times
from evenhand.formats.leftovers import list_flat, list_unread, say_unread
from evenhand.formats.roles import UNKNOWN_POSITIONS, Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import Record, Row, lay_out, read_records, require_columns
from evenhand.judgments.comparisons import Comparisons

NAME: Final = "appraise_pairs"
TITLE: Final = "Appraise pairs"
NEEDS: Final = APPRAISE
ROLES: Final = ()

POSITIONS: Final = ("first", "second")
_READ: Final = (*APPRAISE, "documentID", "start", "end", "position")


def recognise(header: Header) -> bool:
    """Say whether these are Appraise's columns, and those of pairs."""
    return set(NEEDS) <= set(header.columns) and bool({"errors", "position"} & set(header.columns))


def understand(table: Table, wishes: Wishes) -> Comparisons:
    """Put the rows of each judgment together."""
    require_columns(table, NEEDS, TITLE)
    if "start" not in table.columns:
        raise UnknownColumn(
            f"{table.name} has no start: the two rows of a pair are those with the same user,"
            " segID and start; --from appraise reads the scores as ratings"
        )
    pairs: dict[tuple[str, ...], list[Record]] = {}
    for record in read_records(table):
        key = tuple(record.need(name) for name in ("user", "segID", "start"))
        pairs.setdefault(key, []).append(record)
    placed = "position" in table.columns
    flat = list_flat(table, _READ)
    rows = [_read(both, flat, placed=placed) for both in pairs.values()]
    data = make_comparisons(lay_out(table, rows), wishes, Named(NAME, TITLE))
    notes = say_unread(list_unread(table, (*_READ, *flat)))
    notes.append(f"pairs of rows with the same user, segID and start: {len(rows):,}")
    return replace(data, source=data.source.noting(*notes))


def _read(records: Sequence[Record], flat: Sequence[str], *, placed: bool) -> Row:
    """Compare two scores."""
    if len(records) != 2:
        raise records[0].refuse(
            f"{len(records)} rows have this user, segID and start: a pair has two"
        )
    if placed:
        records = sorted(records, key=_place)
        if _place(records[0]) == _place(records[1]):
            raise records[0].refuse("both outputs of the pair have one position")
    else:
        records = sorted(records, key=lambda one: one.need("system"))
    left, right = records
    scores = [_score(one) for one in records]
    kind = left.choose(left.need("type"), "type", tuple(KINDS))
    start, seconds = read_times(left)
    document = read_document(left.text("documentID"), left.need("system"))
    row: dict[str, Any] = {
        "judge": left.need("user"),
        "item": f"{document.name}:{left.need('segID')}" if document.name else left.need("segID"),
        "left": left.need("system"),
        "right": right.need("system"),
        "outcome": "tie" if scores[0] == scores[1] else ("right", "left")[scores[0] > scores[1]],
        "kind": KINDS[kind],
        "task": f"{left.need('src')}-{left.need('tgt')}",
        "shown_at": start,
        "seconds": seconds,
    }
    for side, one in (("left", left), ("right", right)):
        row |= {f"{side}_{name}": one.verbatim(name) for name in ("score", *flat)}
    return row if placed else row | {UNKNOWN_POSITIONS: True}


def _place(record: Record) -> int:
    return POSITIONS.index(record.choose(record.need("position"), "position", POSITIONS))


def _score(record: Record) -> Decimal:
    text = record.need("score")
    try:
        return Decimal(text)
    except InvalidOperation:
        raise record.refuse(f"a score is a number, not '{text}'") from None

"""Appraise's scores, a table without a header: direct assessment, documents, and marked errors.

    user,system,segID,type,src,tgt,score[,documentID,isCompleteDocument][,spans][,start,end]

`type` is TGT, CHK (asked again), REF (a reference, known good) or BAD (spoilt, known bad).
Spoilt, doubled, unfinished and tutorial documents are marked in their names (`#bad`, `#bad3`); they
stay, and the column `flag` says which they are. In spans `end_i` is the last character, counted in
UTF-16 units. The score of a complete document is a criterion of its own. The item is
`document:segID`, without the system that stands in the name of a document.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from evenhand.data.annotations import write_spans
from evenhand.data.joining import say_merged
from evenhand.errors import UnknownColumn
from evenhand.formats.files import APPRAISE_COLUMNS, TYPES
from evenhand.formats.records import (
    Record,
    Row,
    Screen,
    keep_flat,
    list_flat,
    read_each,
    read_inclusive,
    read_records,
    read_score,
    take_rows,
)
from evenhand.formats.roles import UNKNOWN_POSITIONS
from evenhand.formats.table import Handle, Layout, ReadOptions, Table, make_comparisons

KINDS: Final = dict(zip(TYPES, ("target", "repeat", "good", "bad"), strict=True))
# What stands behind # in the name of a document → kind of a judgment of it. Unfinished documents
# are kept for diagnosis, and out of every mean: of such a control nothing is known.
MARKS: Final = {"bad": "bad", "dup": "repeat", "incomplete": "control"}
TUTORIAL: Final = "tutorial"
_MARK: Final = re.compile(rf"({'|'.join(MARKS)})\d*")
_KEPT: Final = ("documentID", "batchNo", "item_pk")


def understand_appraise(table: Table, options: ReadOptions) -> Handle:
    flat = list_flat(table, APPRAISE.reads)
    rows = read_each(table, lambda one: [keep_flat(one, flat, read_score_row(one, flat))])
    notes: list[str] = []
    if options.system_separator is None:
        notes += say_merged(sorted({row["system"] for row in rows}))
    if any(row["document"] for row in rows):
        notes.append(
            "items are document:segID; where a campaign counts segID through the batch of each"
            " login, they are not the same segments for two logins"
        )
    # Scores that a judge gave once more to the same output, not asked to repeat it
    names = ("judge", "task", "item", "system", "kind", "isCompleteDocument")
    more = len(rows) - len({tuple(row[name] for name in names) for row in rows})
    if more:
        notes.append(
            f"segments that one judge scored again: {more:,}; every score counts, though WMT keeps"
            " the last"
        )
    flags = Counter(row["flag"] for row in rows if row["flag"])
    if flags:
        flag_counts = ", ".join(f"{flag} {n:,}" for flag, n in sorted(flags.items()))
        notes.append(
            f"judgments of documents that are no usual ones are kept, and flagged: {flag_counts};"
            " to leave them out, keep the rows whose flag is missing"
        )
    return take_rows(APPRAISE, table, rows, options, flat=flat, notes=notes)


APPRAISE: Final = Layout(
    "appraise",
    "Appraise scores",
    APPRAISE_COLUMNS,
    understand=understand_appraise,
    also=(*_KEPT, "isCompleteDocument", "spans", "start", "end"),
    condition=lambda header: not {"errors", "position"} & set(header.columns),
)


def read_score_row(record: Record, beside: Sequence[str] = ()) -> dict[str, Any]:
    document, flag = read_document(record.text("documentID"), record.need("system"))
    complete = record.text("isCompleteDocument")
    segment = record.need("segID")
    whole = complete and record.choose(complete, "isCompleteDocument", ("True", "False"))
    item = f"{document}:{segment}" if document else segment
    marked = record.data("spans")
    text = record.verbatim("translation") if "translation" in beside else ""
    screen = Screen.of(text, trimmed=True) if text else None
    start, seconds = read_times(record)
    return {
        "judge": record.need("user"),
        "item": document or segment if whole == "True" else item,
        "system": record.need("system"),
        "score": read_score(record, record.text("score") or None),
        "kind": read_kind(record.choose(record.need("type"), "type", TYPES), flag),
        "task": f"{record.need('src')}-{record.need('tgt')}",
        "document": document,
        "isCompleteDocument": complete.lower(),
        "flag": flag,
        "spans": None
        if marked is None or (whole == "True" and not marked)  # marked in its segments
        else write_spans(read_inclusive(record, marked, "error_type", screen)),
        "shown_at": start,
        "seconds": seconds,
        **{name: record.text(name) for name in _KEPT},
    }


def read_document(text: str, system: str) -> tuple[str, str]:
    """Return the name of a document, and its flag: bad, dup, incomplete, tutorial or ""."""
    name, *parts = text.split("#")
    flags = [match[1] for part in parts if (match := _MARK.fullmatch(part))]
    # the system may stand there as well, with what is before its dots or without
    name_parts = [
        part
        for part in parts
        if not _MARK.fullmatch(part) and not (part and f".{system}".endswith(f".{part}"))
    ]
    name = "#".join([name, *name_parts])
    flag = flags[0] if flags else ""
    return name, TUTORIAL if f"-{TUTORIAL}" in name else flag


def read_kind(word: str, flag: str) -> str:
    """Return the kind of a judgment; a tutorial is a control, of which nothing is known."""
    kind = KINDS[word]
    if kind != "target":
        return kind
    return "control" if flag == TUTORIAL else MARKS.get(flag, kind)


def read_times(record: Record) -> tuple[str, str]:
    start, end = record.text("start"), record.text("end")
    if not (start and end):
        return start, ""
    try:
        return start, f"{Decimal(end) - Decimal(start):f}"
    except InvalidOperation:
        raise record.refuse(
            f"start and end are seconds since 1970, not '{start}', '{end}'"
        ) from None


# Appraise's contrastive scores: two outputs side by side, each with a score, one row for each.
#
#     user,system,segID,type,src,tgt,score,errors,sourceErrors,start,end
#
# No number ties the two rows of a judgment together: they are those with the same user, segID and
# start. The output with the higher score is better, equal scores are a tie. Which of them stood
# left is known only from a column `position` (first, second).
POSITIONS: Final = ("first", "second")


def understand_appraise_pairs(table: Table, options: ReadOptions) -> Handle:
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
    flat = list_flat(table, APPRAISE_PAIRS.reads)
    rows = [_read(both, flat, placed=placed) for both in pairs.values()]
    note = f"pairs of rows with the same user, segID and start: {len(rows):,}"
    return take_rows(
        APPRAISE_PAIRS, table, rows, options, make=make_comparisons, flat=flat, notes=[note]
    )


APPRAISE_PAIRS: Final = Layout(
    "appraise_pairs",
    "Appraise pairs",
    APPRAISE_COLUMNS,
    understand=understand_appraise_pairs,
    also=("documentID", "start", "end", "position"),
    condition=lambda header: bool({"errors", "position"} & set(header.columns)),
)


def _read(records: Sequence[Record], flat: Sequence[str], *, placed: bool) -> Row:
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
    document, _ = read_document(left.text("documentID"), left.need("system"))
    row: dict[str, Any] = {
        "judge": left.need("user"),
        "item": f"{document}:{left.need('segID')}" if document else left.need("segID"),
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

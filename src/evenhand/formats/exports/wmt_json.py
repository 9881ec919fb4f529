"""Ratings as WMT's JSON Lines: one segment a line, with all scores of all its outputs.

The place of a line is the name of its segment, so items are written in the order in which they
come first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from evenhand.errors import UnknownOption
from evenhand.formats.exports.appraise import write_error
from evenhand.formats.exports.rows import (
    read_rows,
    require_kind,
    require_roles,
    say_dropped,
    spans_of,
    text_of,
)
from evenhand.formats.table import Handle
from evenhand.formats.unfolding import Record
from evenhand.judgments.ratings import Ratings

NAME: Final = "wmt-json"
SUFFIXES: Final = (".jsonl", ".ndjson")
HOLDS: Final = frozenset(
    {
        *("judge", "system", "score", "criterion", "spans", "shown_at", "seconds"),
        *("document", "source", "output", "kind"),
    }
)


def export(data: Handle) -> Iterator[str]:
    """Yield one line for each item."""
    data = require_kind(data, Ratings, NAME)
    require_roles(data, ("judge", "item"), NAME)
    tasks = data.tasks()
    if len(tasks) > 1:
        raise UnknownOption(f"{NAME} is one file for each task: --task {tasks[0]}")
    segments: dict[str, dict[str, Any]] = {}
    for record in read_rows(data):
        if record.text("kind") not in {"", "target"}:
            raise record.refuse(
                f"its kind is {record.text('kind')}, and {NAME} has targets only: keep them with"
                " --where"
            )
        item = record.need("item")
        segment = segments.setdefault(
            item, {"doc_id": "", "src_text": "", "tgt_text": {}, "scores": {}}
        )
        _add(record, segment)
    for segment in segments.values():
        yield json.dumps(segment, ensure_ascii=False) + "\n"


def find_losses(data: Handle) -> Iterator[str]:
    """Say of how many scores one time alone is known: the format has a start and an end."""
    times = [(one.text("shown_at"), text_of(one, "seconds")) for one in read_rows(data)]
    half = sum(bool(start) != bool(seconds) for start, seconds in times)
    yield from say_dropped(half, len(times), "shown_at or seconds without the other is left out")


def _add(record: Record, segment: dict[str, Any]) -> None:
    """Add a score to its segment, and the texts if they are not there yet."""
    system = record.need("system")
    found = {"doc_id": record.text("document"), "src_text": _text(record, "source")}
    for name, text in found.items():
        if text and segment[name] not in {"", text}:
            raise record.refuse(f"the {name} of item '{record.text('item')}' is another one before")
        segment[name] = segment[name] or text
    output = _text(record, "output")
    if segment["tgt_text"].setdefault(system, output) != output:
        raise record.refuse(f"the output of {system} is another one before")
    score = text_of(record, "score")
    given: dict[str, Any] = {
        "score": float(score) if score else None,
        "annotator": record.text("judge"),
    }
    spans = spans_of(record)
    if spans is not None:
        given["errors"] = [write_error(record, one, NAME) for one in spans]
    given |= _times(record)
    if record.text("criterion"):
        given["protocol"] = record.text("criterion")
    segment["scores"].setdefault(system, []).append(given)


def _text(record: Record, column: str) -> str:
    """Return a text as it is, with the blanks around it."""
    return str(record.values.get(column) or "")


def _times(record: Record) -> dict[str, list[float]]:
    start, seconds = record.text("shown_at"), text_of(record, "seconds")
    if not (start and seconds):
        return {}
    try:
        end = Decimal(start) + Decimal(seconds)
    except InvalidOperation:
        raise record.refuse(
            f"shown_at '{start}' is no number of seconds, as {NAME} needs"
        ) from None
    return {"times": [float(start), float(end)]}

"""Pearmut's annotations: one line for each document that a user submitted.

    {"user_id": "…", "item_i": 0, "annotation": [{"A": {"score": 90, "error_spans": […]}}],
     "item": [{"src": "…", "tgt": {"A": "…"}, "item_id": "…"}],
     "actions": [{"time": 1.0, "action": "load"}, …]}

or the download, {"campaign": [lines]}. The keys of `tgt` stand in the order shown: `position`. In
`error_spans` `end_i` is the last UTF-16 unit, line breaks not counted, and is put in characters; an
error behind the last one is something missing. Left out and counted are lines that a later reset of
their user voids (annotation __RESET__), all but the last line of a user and document, segments that
were skipped, and answers to forms. Welcome and goodbye documents stay; `part` says which they are.
Outputs under `validation`, by which attention is checked, are controls. Each of several sliders is
a criterion. Where a file has marked errors and no score at all, a score is minus what the errors
take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from evenhand.formats.files.wrapped import CAMPAIGN
from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.leftovers import gather_unread, list_unread, say_unread
from evenhand.formats.marks import Screen, read_inclusive, say_critical, weigh
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
from evenhand.judgments.spans import Span, write_spans

NAME: Final = "pearmut"
TITLE: Final = "Pearmut annotations"
NEEDS: Final = ("annotation", "item", "user_id", "item_i")
ROLES: Final = ()

_READ: Final = (*NEEDS, "actions", CAMPAIGN)
_SEGMENT: Final = ("src", "tgt", "item_id", "validation", "skippable")
_ANSWER: Final = ("score", "error_spans", "textfield", "sliders")
RESET: Final = "__RESET__"
# Parts of a campaign that are no usual documents → kind of a judgment of them
PARTS: Final = {"welcome": "control", "goodbye": "control", "random": "target"}
_VOID: Final = "lines that were voided by a reset"
_EARLIER: Final = "lines of documents that the user submitted again"
_SKIPPED: Final = "segments that were skipped"
_FORMS: Final = "answers to forms"
_CHECKS: Final = "outputs under validation are controls"


def recognise(header: Header) -> bool:
    """Say whether annotations stand beside their items and users."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Read every score of every document."""
    require_columns(table, NEEDS, TITLE)
    counts: Counter[str] = Counter()
    unread = set(list_unread(table, _READ))
    valid = _leave_void(list(read_records(table)), counts)
    found = [
        (record, row, spans) for record in valid for row, spans in _read(record, counts, unread)
    ]
    bare = all(row["score"] is None for _, row, _ in found) and any(spans for *_, spans in found)
    rows: list[Row] = [
        {**row, "score": -weigh(record, spans or ())} if bare else row
        for record, row, spans in found
    ]
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    checks = counts.pop(_CHECKS, 0)
    notes = say_unread(unread) + ([f"{_CHECKS}: {checks:,}"] if checks else [])
    excluded = exclude_by_format(counts, "{what} left out: {n:,}")
    if bare:
        notes += say_critical(one for *_, spans in found for one in spans or ())
        notes.append("no scores were given: they are minus what the errors take")
    return replace(data, source=data.source.noting(*notes).excluding(*excluded))


def _leave_void(records: Sequence[Record], counts: Counter[str]) -> list[Record]:
    """Return the records that no reset of their user follows, and of each document the last."""
    last = {_who(r): r.number for r in records if _resets(r)}
    valid = [r for r in records if r.number > last.get(_who(r), 0)]
    counts[_VOID] += len(records) - len(valid) - sum(map(_resets, records))
    final = {(*_who(r), r.need("item_i")): r for r in valid}
    counts[_EARLIER] += len(valid) - len(final)
    return sorted(final.values(), key=lambda r: r.number)


def _who(record: Record) -> tuple[str, str]:
    return record.text(CAMPAIGN), record.need("user_id")


def _resets(record: Record) -> bool:
    return record.text("annotation").strip('"') == RESET


def _read(
    record: Record, counts: Counter[str], unread: set[str]
) -> Iterator[tuple[dict[str, Any], tuple[Span, ...] | None]]:
    """Yield the rows of a document, each with its errors."""
    item = record.sequence(record.data("item"), "the segments of an item")
    annotation = record.data("annotation")
    annotation = [None] * len(item) if annotation is None else annotation
    if not isinstance(annotation, list) or len(annotation) != len(item):
        raise record.refuse("annotation and item are lists with one entry for each segment")
    place = record.need("item_i")
    part = place.rpartition("_")[0]
    kind = PARTS[record.choose(part, "the part in item_i", tuple(PARTS))] if part else "target"
    beside = {
        "judge": record.need("user_id"),
        "kind": kind,
        "part": part,
        **_read_times(record),
        "item_i": place,
        "campaign": record.text(CAMPAIGN),
    }
    for at, (said, given) in enumerate(zip(annotation, item, strict=True)):
        segment = record.mapping(given, "a segment")
        if _is_left_out(said, segment, counts):
            continue
        gather_unread(unread, segment, _SEGMENT, "item")
        named = record.label(segment.get("item_id"), "item_id") or f"{place}:{at}"
        answers = record.mapping(said, "the annotation of a segment")
        for row, spans in _read_segment(record, answers, segment, unread):
            counts[_CHECKS] += row.get("kind") == "control"
            yield {**beside, "item": named, **row}, spans


def _is_left_out(said: object, segment: Mapping[str, Any], counts: Counter[str]) -> bool:
    """Say whether this is no judgment: the answer to a form, or a segment that was skipped."""
    form = "tgt" not in segment and {"text", "form"} & set(segment)
    if form or said is None:
        counts[_FORMS if form else _SKIPPED] += 1
        return True
    return False


def _read_segment(
    record: Record, said: Mapping[str, Any], segment: Mapping[str, Any], unread: set[str]
) -> Iterator[tuple[Row, tuple[Span, ...] | None]]:
    """Yield what was said of each output of a segment."""
    outputs = record.mapping(segment.get("tgt"), "the outputs of a segment, tgt,")
    checks = record.mapping(segment.get("validation") or {}, "validation")
    shown = {system: place for place, system in enumerate(outputs, start=1)}
    for system, given in said.items():
        if system not in shown:
            raise record.refuse(f"'{shorten(system)}' is annotated, but is not in tgt")
        one = record.mapping(given, "the annotation of an output")
        gather_unread(unread, one, _ANSWER, "annotation")
        errors = one.get("error_spans")
        output = record.label(outputs[system], "an output")
        screen = Screen.of(output)
        spans = None if errors is None else read_inclusive(record, errors, "category", screen)
        row: Row = {
            "system": system,
            "position": shown[system],
            "remark": one.get("textfield"),
            "source": segment.get("src"),
            "output": output,
        }
        row = {**row, "kind": "control"} if checks.get(system) else row
        for at, score in enumerate(_read_scores(record, one)):
            own = spans if at == 0 else None
            yield {**row, **score, "spans": None if own is None else write_spans(own)}, own


def _read_scores(record: Record, answer: Mapping[str, Any]) -> list[Row]:
    """Return the score of an output, or one for each slider, which is its criterion."""
    sliders = record.mapping(answer.get("sliders") or {}, "sliders")
    found: list[Row] = [
        {"criterion": name, "score": read_score(record, value)} for name, value in sliders.items()
    ]
    if found and answer.get("score") is None:
        return found
    return [{"score": read_score(record, answer.get("score"))}, *found]


def _read_times(record: Record) -> Row:
    """Return when a document was first loaded, and how long it took until it was submitted.

    The time of a document is not that of each of its outputs, so it is a column of its own.
    """
    actions = record.sequence(record.data("actions") or [], "actions")
    times: dict[str, float] = {}
    for one in actions:
        if isinstance(one, Mapping) and isinstance(one.get("time"), int | float):
            name = str(one.get("action"))
            times[name] = max(times.get(name, one["time"]), one["time"])
            times.setdefault(f"first {name}", one["time"])
    start, end = times.get("first load"), times.get("submit")
    took = None if start is None or end is None else round(end - start, 6)
    return {"shown_at": start, "document_seconds": took}

"""Judgments as other projects write them: one `Exporter` for each format."""

from __future__ import annotations

import csv
import io
import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from evenhand.data.annotations import Span, read_spans
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import ANSWER, count_labels
from evenhand.data.labels import is_both_bad, read_outcome
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.errors import UnknownColumn, UnknownOption, listing, require_option
from evenhand.formats.files import TYPES, is_moment
from evenhand.formats.grades import WHOLE
from evenhand.formats.layouts.mqm import SEVERITIES
from evenhand.formats.layouts.wmt import APPRAISE_KINDS, LANGUAGES, read_document, read_kind
from evenhand.formats.records import Record, Screen, put_marks, read_records, weigh, write_value
from evenhand.formats.table import Handle, Table


@dataclass(frozen=True)
class Exporter:
    # `write` yields the text and refuses what the format cannot say. What it merely has no place
    # for is left out, and `say_left_out` says so: whole columns, and single values (`find_losses`).

    name: str
    suffixes: Sequence[str]
    holds: str  # columns that it has a place for, with blanks between
    find_losses: Callable[[Handle], Iterator[str]]  # sentences on values that are not read again
    needs: Sequence[str]  # columns without which nothing is written
    kind: type[Handle] | None = None  # what it holds; None for all kinds
    write: Callable[[Any], Iterator[str]] = iter  # the text, of judgments of its kind

    def written_by(self, write: Callable[[Any], Iterator[str]]) -> Exporter:
        return replace(self, write=write)

    def export(self, data: Handle) -> Iterator[str]:
        if self.kind is not None and not isinstance(data, self.kind):
            kind, held = type(data).__name__.lower(), self.kind.__name__.lower()
            raise UnknownOption(f"{kind} cannot be written as {self.name}, which holds {held}")
        lacking = [role for role in self.needs if role not in data.columns]
        if lacking:
            raise UnknownColumn(
                f"{self.name} needs {listing(lacking)}, not found in {data.source.name}"
            )
        yield from self.write(data)


def read_rows(data: Handle) -> Iterator[Record]:
    yield from read_records(Table(data.frame, data.source.name))


def text_of(record: Record, column: str) -> str:
    """Return a value as it is written: 98, not 98.0; "" where it is missing."""
    value = record.values.get(column)
    missing = value is None or value != value  # noqa: PLR0124 - nan is the only value that differs from itself
    return "" if missing else (write_value(value) or "")


def spans_of(record: Record) -> tuple[Span, ...] | None:
    text = record.text("spans")
    if not text:
        return None
    try:
        return read_spans(text)
    except ValueError as fault:
        raise record.refuse(str(fault)) from None


def say_dropped(n: int, every: int, sentence: str) -> list[str]:
    return [f"{sentence}: {n:,} of {every:,} rows"] if n else []


def refuse_weight(record: Record, name: str) -> None:
    if text_of(record, "weight") not in {"", "1"}:
        raise record.refuse(f"its weight is {text_of(record, 'weight')}: {name} has no weights")


def _gather_rankings(data: Rankings, name: str) -> list[list[Record]]:
    rankings: dict[tuple[str, str], list[Record]] = {}
    for record in read_rows(data):
        refuse_weight(record, name)
        rankings.setdefault((record.text("task"), record.text("ranking")), []).append(record)
    return list(rankings.values())


# Slots that a shorter ranking does not fill are empty. Blank ranks are -1, and so are the numbers
# of systems, documents and segments where nothing is known of them.
_MIN_SLOTS: Final = 2


def find_losses_wmt_rnk(data: Handle) -> Iterator[str]:
    """Say which tasks are read again by other codes, since languages are written by name."""
    tasks = {record.text("task"): _languages(record) for record in read_rows(data)}
    again = {
        task: "-".join(LANGUAGES.get(name.casefold(), name) for name in names)
        for task, names in tasks.items()
    }
    other = [f"{task} as {name}" for task, name in again.items() if task != name]
    if other:
        yield f"tasks are read again by other codes: {', '.join(other)}"


@Exporter(
    "wmt-rnk",
    (".csv",),
    "judge item task system rank position weight documentId segmentId",
    find_losses_wmt_rnk,
    ("judge", "item", "task"),
    Rankings,
).written_by
def wmt_rnk(data: Rankings) -> Iterator[str]:
    data.check()
    if not data.has("position"):
        raise UnknownOption(
            f"{data.source.name} has no positions, and in {wmt_rnk.name} the order of"
            " systems is that of"
            " the screen: add a column 'position', or write our own rankings (--to rankings)"
        )
    rankings = _gather_rankings(data, wmt_rnk.name)
    width = max(_MIN_SLOTS, *map(len, rankings))
    yield _line(
        ["srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"]
        + [f"system{at}{what}" for at in range(1, width + 1) for what in ("Number", "Id")]
        + [f"system{at}rank" for at in range(1, width + 1)]
    )
    for records in rankings:
        records.sort(key=lambda one: float(one.need("position")))
        first, empty = records[0], width - len(records)
        yield _line(
            [
                *_languages(first),
                first.need("item"),
                *(first.text(name) or "-1" for name in ("documentId", "segmentId")),
                first.need("judge"),
                *(part for one in records for part in ("-1", one.need("system"))),
                *([""] * (2 * empty)),
                *(text_of(one, "rank") or "-1" for one in records),
                *([""] * empty),
            ]
        )


def _languages(record: Record) -> list[str]:
    """Return both languages of a task by name; one without a name keeps its code."""
    codes = record.need("task").split("-")
    if len(codes) != 2:
        raise record.refuse(
            f"its task '{record.text('task')}' is no pair of languages such as cs-en, as"
            f" {wmt_rnk.name} needs"
        )
    return [_NAMES.get(code, code) for code in codes]


# Code of a language → the first of its names
_NAMES: Final = {code: name.capitalize() for name, code in reversed(LANGUAGES.items())}


def _line(fields: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(fields)
    return text.getvalue()


# The name of a criterion is not written, only whether a document was scored. Errors end with their
# last character; where the outputs are known, places are counted as the page does, in UTF-16 units
# without the blanks around the text.
_WORDS: Final = {kind: word for word, kind in APPRAISE_KINDS.items()} | {
    word: word for word in TYPES
}
_BATCH: Final = ("batchNo", "item_pk")


def find_losses_appraise(data: Handle) -> Iterator[str]:
    """Say what is excluded of all rows because some lack it, and which flags are not kept."""
    records = list(read_rows(data))
    n = len(records)
    untimed, loose = _count_untimed(records), _count_loose(records)
    if any(one.text("shown_at") or text_of(one, "seconds") for one in records):
        sentence = "shown_at and seconds are excluded, since some rows do not have both"
        yield from say_dropped(untimed, n, sentence)
    if any(one.text(name) for one in records for name in _BATCH):
        sentence = "batchNo and item_pk are excluded, since some rows do not have both as numbers"
        yield from say_dropped(loose, n, sentence)
    flags = sum(one.text("flag") not in ("", _flag(one)) for one in records)
    yield from say_dropped(flags, n, "flags that do not stand in documentID are excluded")


@Exporter(
    "appraise",
    (".csv",),
    "judge item system score kind task spans document documentID isCompleteDocument flag "
    "shown_at seconds batchNo item_pk",
    find_losses_appraise,
    ("judge", "item", "task"),
    Ratings,
).written_by
def appraise(data: Ratings) -> Iterator[str]:
    records = list(read_rows(data))
    criteria = sorted({one.text("criterion").removesuffix(WHOLE) for one in records})
    if len(criteria) > 1:
        raise UnknownOption(
            f"{data.source.name} holds the criteria {', '.join(criteria)}, and {appraise.name} has"
            " one score a row: keep one of them with --where"
        )
    named = any(map(data.has, ("documentID", "document", "spans")))
    documents = named or any(map(_is_whole, records))
    timed, batched = (not lacking for lacking in (_count_untimed(records), _count_loose(records)))
    for record in records:
        languages = record.need("task").split("-")
        if len(languages) != 2 or not all(len(one) == 3 and one.isalpha() for one in languages):
            raise record.refuse(
                f"its task '{record.text('task')}' is no pair of three-letter languages such as"
                f" eng-deu, as {appraise.name} needs"
            )
        score = text_of(record, "score")
        if not score:
            raise record.refuse(
                f"it has no score, and {appraise.name} has no place for a missing one"
            )
        document = record.text("document")
        segment = record.need("item").removeprefix(f"{document}:")
        fields = [
            record.need("judge"),
            record.need("system"),
            "0" if _is_whole(record) and segment == document else segment,
            _type(record),
            *languages,
            score,
        ]
        if documents:
            fields += [
                (record.text("documentID") or record.text("document")),
                str(_is_whole(record)),
            ]
        if data.has("spans"):
            spans = spans_of(record)
            if spans is None and _is_whole(record):
                spans = ()  # errors are marked in segments
            if spans is None:
                raise record.refuse(
                    f"it has no spans, and {appraise.name} would say that no error was found: keep"
                    " the ratings that have some with --where, or write [] where no error was"
                    " found"
                )
            fields.append(json.dumps([write_error(record, one, appraise.name) for one in spans]))
        fields += _times(record) if timed else []
        fields += [record.text(name) for name in _BATCH] if batched else []
        yield _line(fields)


def _count_untimed(records: Sequence[Record]) -> int:
    return sum(not (one.text("shown_at") and text_of(one, "seconds")) for one in records)


def _count_loose(records: Sequence[Record]) -> int:
    return sum(not all(one.text(name).isdecimal() for name in _BATCH) for one in records)


def _type(record: Record) -> str:
    """Return Appraise's word for a kind; the name of the document says what targets are besides."""
    kind, flag = record.text("kind") or "target", _flag(record)
    word = _WORDS.get(kind, TYPES[0])
    parsed_kind = read_kind(word, flag)
    if parsed_kind == APPRAISE_KINDS.get(kind, kind):
        return word
    if kind in _WORDS:
        raise record.refuse(
            f"its kind is {kind}, and its document '{record.text('documentID')}' is marked as"
            f" {flag}: {appraise.name} would read it as {parsed_kind}"
        )
    raise record.refuse(f"its kind '{kind}' has no word in {appraise.name}: {' | '.join(_WORDS)}")


def _flag(record: Record) -> str:
    return read_document(record.text("documentID"), record.need("system"))[1]


def _is_whole(record: Record) -> bool:
    marked = record.text("criterion").endswith(WHOLE.strip())
    return marked or record.text("isCompleteDocument").lower() == "true"


def write_error(record: Record, span: Span, name: str) -> dict[str, Any]:
    if span.side == "source" or span.end is None:
        where = "in the source" if span.side == "source" else "at no place"
        raise record.refuse(f"an error lies {where}, and {name} marks errors in the output only")
    start: str | int = "missing"
    end: str | int = "missing"
    if not span.missing:  # the first and the last unit, in characters where no text is known
        start, end = span.start or 0, span.end - 1
        text = record.verbatim("output")
        places = Screen.of(text, trimmed=True).places
        if places and end < len(text):
            first, behind = bisect_left(places, start), bisect_right(places, end)
            if behind <= first:
                raise record.refuse(
                    f"an error from {start} to {end + 1} marks blanks around the output"
                )
            start, end = first, behind - 1
    category = span.category.split("/") if span.category else None
    return {"start_i": start, "end_i": end, "severity": span.severity, "error_type": category}


def _times(record: Record) -> list[str]:
    start, seconds = record.text("shown_at"), text_of(record, "seconds")
    try:
        times = [start, f"{Decimal(start) + Decimal(seconds):f}"]
    except InvalidOperation:
        times = [start, ""]
    if not all(map(is_moment, times)):
        raise record.refuse(
            f"shown_at '{start}' with {seconds} seconds is not a number of seconds since 1970 (ten"
            f" digits), as {appraise.name} needs"
        )
    return times


# The place of a line is the name of its segment: items are written in the order in which they come.


def find_losses_wmt_json(data: Handle) -> Iterator[str]:
    times = [(one.text("shown_at"), text_of(one, "seconds")) for one in read_rows(data)]
    half = sum(bool(start) != bool(seconds) for start, seconds in times)
    yield from say_dropped(half, len(times), "shown_at or seconds without the other is excluded")


@Exporter(
    "wmt-json",
    (".jsonl", ".ndjson"),
    "judge system score criterion spans shown_at seconds document source output kind",
    find_losses_wmt_json,
    ("judge", "item"),
    Ratings,
).written_by
def wmt_json(data: Ratings) -> Iterator[str]:
    tasks = data.tasks()
    if len(tasks) > 1:
        raise UnknownOption(f"{wmt_json.name} is one file for each task: --task {tasks[0]}")
    segments: dict[str, dict[str, Any]] = {}
    for record in read_rows(data):
        if record.text("kind") not in {"", "target"}:
            raise record.refuse(
                f"its kind is {record.text('kind')}, and {wmt_json.name} has targets only: keep"
                " them with --where"
            )
        item = record.need("item")
        segment = segments.setdefault(
            item, {"doc_id": "", "src_text": "", "tgt_text": {}, "scores": {}}
        )
        system = record.need("system")
        texts = {"doc_id": record.text("document"), "src_text": record.verbatim("source")}
        for name, text in texts.items():
            if text and segment[name] not in {"", text}:
                raise record.refuse(f"the {name} of item '{item}' is another one before")
            segment[name] = segment[name] or text
        output = record.verbatim("output")
        if segment["tgt_text"].setdefault(system, output) != output:
            raise record.refuse(f"the output of {system} is another one before")
        score, spans = text_of(record, "score"), spans_of(record)
        given: dict[str, Any] = {
            "score": float(score) if score else None,
            "annotator": record.text("judge"),
        }
        if spans is not None:
            given["errors"] = [write_error(record, one, wmt_json.name) for one in spans]
        start, seconds = record.text("shown_at"), text_of(record, "seconds")
        if start and seconds:
            try:
                given["times"] = [float(start), float(Decimal(start) + Decimal(seconds))]
            except InvalidOperation:
                raise record.refuse(
                    f"shown_at '{start}' is not a number of seconds, as {wmt_json.name} needs"
                ) from None
        if record.text("criterion"):
            given["protocol"] = record.text("criterion")
        segment["scores"].setdefault(system, []).append(given)
    for segment in segments.values():
        yield json.dumps(segment, ensure_ascii=False) + "\n"


# The table has no place for scores: only those that the errors make can be written.
_HEADER: Final = (
    *("system", "doc", "docSegId", "globalSegId", "rater", "source", "target"),
    *("category", "severity", "metadata"),
)
_NO_ERROR: Final = "No-error"
MARKS: Final = ("<v>", "</v>")


def find_losses_mqm(data: Handle) -> Iterator[str]:
    """Say where items are read again under another name, which is that of document and segment."""
    again = {record.text("item"): ":".join(_place(record)) for record in read_rows(data)}
    other = [(item, name) for item, name in again.items() if item != name]
    if other:
        first = " as ".join(other[0])
        yield f"items are read again by document and segment, such as {first}: {len(other):,}"


@Exporter(
    "mqm-tsv",
    (".tsv",),
    "judge item system score spans document global_segment source output",
    find_losses_mqm,
    ("judge", "item", "spans", "source", "output"),
    Ratings,
).written_by
def mqm(data: Ratings) -> Iterator[str]:
    yield "\t".join(_HEADER) + "\n"
    numbers: dict[str, int] = {}
    seen: set[tuple[str, ...]] = set()
    for record in read_rows(data):
        key = (record.need("system"), *_place(record), record.need("judge"))
        if key in seen:
            raise record.refuse(
                f"{key[-1]} rated the output of {key[0]} for item '{record.text('item')}' before,"
                f" and {mqm.name} adds up all errors of one judge in one output: keep one of them"
                " with --where"
            )
        seen.add(key)
        number = numbers.setdefault(record.need("item"), len(numbers) + 1)
        spans = spans_of(record)
        if spans is None:
            raise record.refuse(f"it has no spans; where no error was found {mqm.name} needs []")
        score = text_of(record, "score")
        made = -weigh(record, spans, {})
        if score and abs(float(score) - made) > 1e-9:
            raise record.refuse(
                f"its score {score} is not the {made:g} that its errors make, and {mqm.name} has no"
                " place for scores"
            )
        texts = [record.verbatim(side) for side in ("source", "output")]
        if any(mark in text for text in texts for mark in MARKS):
            raise record.refuse(f"its texts hold <v> or </v> themselves, the marks of {mqm.name}")
        if any(span.missing for span in spans):
            raise record.refuse(
                f"an error is something missing, and {mqm.name} marks what is there only"
            )
        document, segment = _place(record)
        for span in spans or (None,):  # or the row that says that there is no error
            source, output = texts
            severity = category = _NO_ERROR
            if span is not None and span.placed:
                text = record.verbatim(span.side)
                if (span.end or 0) > len(text):
                    raise record.refuse(
                        f"an error ends at {span.end}, behind the end of the {span.side}"
                    )
                marked = put_marks(text, span.start or 0, span.end or 0)
                source, output = (marked, output) if span.side == "source" else (source, marked)
            if span is not None:
                category = span.category
                severity = record.choose(span.severity, "severity", SEVERITIES).capitalize()
            fields = [
                *(record.need("system"), document, segment),
                record.text("global_segment") or str(number),
                *(record.need("judge"), source, output, category, severity, "{}"),
            ]
            if any(mark in field for field in fields for mark in "\t\n\r"):
                raise record.refuse(
                    f"a tab or a line break in its texts, and {mqm.name} has no quotes"
                )
            yield "\t".join(fields) + "\n"


def _place(record: Record) -> tuple[str, str]:
    """Return document and segment; an item of no document is one of its own."""
    item, document = record.need("item"), record.text("document")
    return (document, item.removeprefix(f"{document}:")) if document else (item, "1")


# Rankings become rankers, comparisons pairwise choices, ratings numbers.
_TEXTS: Final = ("source", "output", "criterion")


def find_losses_label_studio(data: Handle) -> Iterator[str]:
    kinds = [record.text("kind").casefold() for record in read_rows(data)]
    known = sum(kind not in ("", "target", "tgt") for kind in kinds)
    yield from say_dropped(known, len(kinds), "controls and repeats become judgments like others")


@Exporter(
    "label-studio",
    (".json",),
    "judge item task seconds shown_at left right outcome weight ranking system rank "
    "position score criterion source output",
    find_losses_label_studio,
    ("judge", "item"),
).written_by
def label_studio(data: Handle) -> Iterator[str]:
    if isinstance(data, Comparisons):
        data.tally()  # refuses every value that could not be read again
        tasks: Iterator[dict[str, Any]] = (_compare(record, data) for record in read_rows(data))
    elif isinstance(data, Rankings):
        data.check()
        tasks = map(_rank, _gather_rankings(data, label_studio.name))
    else:
        tasks = map(_rate, read_rows(data))
    for number, task in enumerate(tasks, start=1):
        text = json.dumps({"id": number, **task}, ensure_ascii=False)
        yield ("[\n" if number == 1 else ",\n") + text
    yield "\n]\n"


def _task(record: Record, data: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    shown = {"item": record.need("item"), "task": record.text("task")}
    shown |= {name: record.text(name) for name in _TEXTS}
    seconds = text_of(record, "seconds")
    annotation = {
        "id": record.text("ranking") or None,
        "completed_by": record.need("judge"),
        "lead_time": float(seconds) if seconds else None,
        "created_at": record.text("shown_at") or None,
        "result": [{"from_name": "judgment", "to_name": "outputs", **result}],
    }
    return {
        "data": {name: value for name, value in shown.items() if value} | dict(data),
        "annotations": [{name: entry for name, entry in annotation.items() if entry is not None}],
    }


def _compare(record: Record, data: Comparisons) -> dict[str, Any]:
    refuse_weight(record, label_studio.name)
    outcome = read_outcome(record.need("outcome"), data.outcome_labels)
    if outcome not in {"left", "right"}:
        raise record.refuse(f"it is a tie, and the choices of {label_studio.name} know none")
    systems = {f"{side}_system": record.need(side) for side in ("left", "right")}
    return _task(record, systems, {"type": "pairwise", "value": {"selected": str(outcome)}})


def _rank(records: Sequence[Record]) -> dict[str, Any]:
    records = sorted(records, key=lambda one: float(text_of(one, "position") or 0))
    ranks = {one.need("system"): text_of(one, "rank") for one in records}
    ranked = {name: float(rank) for name, rank in ranks.items() if rank not in {"", "-1"}}
    if len(set(ranked.values())) < len(ranked):
        raise records[0].refuse(
            f"its ranking has ties, and the rankers of {label_studio.name} know none"
        )
    buckets: dict[str, list[str]] = {"rank": sorted(ranked, key=ranked.__getitem__)}
    blank = [name for name in ranks if name not in ranked]
    buckets |= {"_": blank} if blank else {}
    shown = {"outputs": [{"id": name} for name in ranks]} if records[0].text("position") else {}
    return _task(records[0], shown, {"type": "ranker", "value": {"ranker": buckets}})


def _rate(record: Record) -> dict[str, Any]:
    score = text_of(record, "score")
    if not score:
        raise record.refuse(
            f"it has no score, and {label_studio.name} has no place for a missing one"
        )
    shown = {"system": record.need("system")}
    return _task(record, shown, {"type": "number", "value": {"number": float(score)}})


_EXPORTERS: Final = (wmt_rnk, appraise, wmt_json, mqm, label_studio)
EXPORTS: Final = tuple(one.name for one in _EXPORTERS)  # Names that `kind` and `--to` take


def find_exporter(name: str) -> Exporter:
    require_option("kind", name, EXPORTS)
    return next(one for one in _EXPORTERS if name == one.name)


def say_left_out(data: Handle, name: str) -> tuple[str, ...]:
    """Say what an outside format has no place for; of our own, that ties are all alike there."""
    sentences = []
    if data.source.plan_sha256:
        sentences = [
            f"the plan of a gate with SHA-256 {data.source.plan_sha256}, which the campaign"
            f" registered: gate holds it against {data.source.name}, and not against a copy"
        ]
    if name not in EXPORTS:
        if name == "arena" or not isinstance(data, Comparisons):
            return tuple(sentences)
        counted = count_labels(data.frame, "outcome", as_text=True)
        n = sum(many for word, many in counted.items() if is_both_bad(word))
        alike = [f"ties of which both outputs are bad are ties like others: {n:,}"] if n else []
        return (*sentences, *alike)
    exporter = find_exporter(name)
    lost = [
        column
        for column in data.columns
        if column not in exporter.holds.split() and column != ANSWER
    ]
    sentences += [f"{name} has no place for: {', '.join(lost)}"] if lost else []
    return (*sentences, *exporter.find_losses(data))

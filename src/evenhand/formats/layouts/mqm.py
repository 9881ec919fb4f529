"""MQM tables: one row for each error that a rater marked in an output.

    system  doc  doc_id     seg_id       rater  source  target  category  severity  [comment]
    system  doc  docSegId   globalSegId  rater  source  target  category  severity  metadata

`<v>` and `</v>` bound the error in source or target. The rows of one rater and output become one
rating: minus what the errors take, as docs/formats.md says.
"""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isinf, nan
from pathlib import Path
from typing import Any, Final

from evenhand.data.annotations import Span, read_spans, write_spans
from evenhand.data.exclusions import exclude_by_format
from evenhand.data.source import fold
from evenhand.errors import InvalidJudgments, MissingFile, UnknownColumn
from evenhand.formats.files import REMARK
from evenhand.formats.records import (
    NO_ERROR,
    NON_TRANSLATION,
    PUNCTUATION,
    WEIGHTS,
    Record,
    Row,
    keep_flat,
    list_unread,
    read_each,
    read_exclusive,
    read_records,
    read_score,
    require_columns,
    row_layout,
    say_unread,
    say_weights,
    shorten,
    split_unread,
    take_marks,
    take_rows,
    weigh,
)
from evenhand.formats.roles import Header, assign, check_asked, is_criterion, write_roles
from evenhand.formats.table import (
    RATING_ROLES,
    Handle,
    InvalidRow,
    Layout,
    ReadOptions,
    Table,
    refuse_comparison_wishes,
)
from evenhand.formats.texts import say

SEVERITIES: Final = ("major", "minor", "critical", "neutral", NO_ERROR)
_SEGMENTS: Final = ("docSegId", "seg_id")


@Layout(
    "mqm",
    "MQM errors",
    ("system", "doc", "rater", "source", "target", "category", "severity"),
    condition=lambda header: bool(set(_SEGMENTS) & set(header.columns)),
    also=("doc_id", "globalSegId", REMARK),
).read_by
def mqm(table: Table, options: ReadOptions) -> Handle:
    segment = next((name for name in _SEGMENTS if name in table.columns), "")
    require_columns(table, [segment or "seg_id"], mqm.title)
    names = ("system", "doc", segment, "rater")

    def describe(key: Sequence[str], record: Record) -> Row:
        system, document, place, rater = key
        return {
            "judge": rater,
            "item": f"{document}:{place}",
            "system": system,
            "document": document,
            "doc_id": record.text("doc_id"),
            "global_segment": record.text("globalSegId"),
        }

    keyed = read_each(table, lambda one: [(tuple(map(one.need, names)), one)])
    rows, notes = _sum_errors(table, options, keyed, {name: name for name in _PARTS}, describe)
    notes += say_unread(list_unread(table, (*mqm.reads, segment)))
    return take_rows(mqm, table, rows, options, unread=(), notes=notes)


# A list of errors under other names, perhaps without documents, texts, categories or judge. Without
# texts no place is read: whether `End` is the last character or the one after it is not said.

# What a row of errors says → names of its column, folded
_PARTS: Final[Mapping[str, Sequence[str]]] = {
    "source": ("source", "sourcetext", "src"),
    "target": ("target", "translation", "output", "hypothesis", "targettext", "tgt"),
    "category": ("category", "errorcategory", "errortype", "type"),
    "severity": ("severity", "errorseverity"),
}
_DOCUMENTS: Final = ("doc", "docid", "document", "documentid")
_KEYS: Final = ("system", "item", "judge", "task")


def _find_part(header: Header, part: str) -> str:
    if part in header.requested:
        return header.requested[part]
    free = [name for name in header.columns if name not in header.requested.values()]
    return next((name for want in _PARTS[part] for name in free if fold(name) == want), "")


def _lists_errors(header: Header) -> bool:
    severity = _find_part(header, "severity")
    if not severity or any(map(header.candidates, ("left", "right", "rank", "score"))):
        return False
    spreads = header.spreads()
    scored = any(is_criterion(name) for name in spreads)
    return severity not in spreads and not header.holds_texts(severity) and not scored


@Layout(
    "marked_errors",
    "lists of marked errors",
    ("system", "item"),
    roles=(*_KEYS, "category", "severity"),
    by_role=True,
    condition=_lists_errors,
).read_by
def marked(table: Table, options: ReadOptions) -> Handle:
    refuse_comparison_wishes(options, "ratings")
    header = table.header(options)
    check_asked(header, marked.roles)
    parts = {part: _find_part(header, part) for part in _PARTS}
    if not parts["severity"]:
        raise UnknownColumn(
            f"{table.name} has no column for the severity of errors (minor, major, critical,"
            f" neutral, no-error): {write_roles(header, {'severity': 'NAME'})}"
        )
    roles = assign(header, _KEYS, ("system", "item"))
    document = next((one for one in map(header.named, _DOCUMENTS) if one), "")
    document = "" if document in roles.values() else document

    def describe(key: Sequence[str], _: Record) -> Row:
        *names, place = key
        row: Row = dict(zip(roles, names, strict=True))
        return {**row, "item": f"{place}:{row['item']}", "document": place} if place else row

    def read_error(record: Record) -> list[tuple[tuple[str, ...], Record]]:
        key = (*map(record.need, roles.values()), record.text(document))
        if not any(record.text(parts[part]) for part in ("severity", "category")):
            record = replace(record, values={**record.values, parts["severity"]: NO_ERROR})
            blank.append(record.number)
        return [(key, record)]

    blank: list[int] = []  # rows that name no error
    keyed = read_each(table, read_error)
    rows, notes = _sum_errors(table, options, keyed, parts, describe)
    notes += [say("blank-errors", rows=len(blank))] if blank else []
    if not any(_tell_severity(record, parts) == NO_ERROR for _, record in keyed):
        # Outputs that have no row, where none says of an output that it has no error
        systems, seen = {row["system"] for row in rows}, dict[tuple[Any, ...], set[Any]]()
        for row in rows:
            judged = (row["item"], row.get("judge"), row.get("task"))
            seen.setdefault(judged, set()).add(row["system"])
        absent = sum(len(systems) - len(some) for some in seen.values())
        notes += [say("no-clean-outputs", "warning", absent=absent)] if absent else []
    notes += say_unread(list_unread(table, (*roles.values(), *parts.values(), document)))
    options = replace(options, columns={})  # the rows have roles for columns
    return take_rows(marked, table, rows, options, unread=(), notes=notes)


def _sum_errors(
    table: Table,
    options: ReadOptions,
    keyed: Sequence[tuple[tuple[str, ...], Record]],
    columns: Mapping[str, str],
    describe: Callable[[Sequence[str], Record], Row],
) -> tuple[list[Row], list[str]]:
    """Return a rating for each judge and output of rows of errors, and what must be said of it."""
    # columns: part → its column, or "".
    lost = sum(int(one.rows) for one in table.skipped) + len(table.faults or ())
    errors: dict[tuple[str, ...], list[Record]] = {}
    for key, record in keyed:
        errors.setdefault(key, []).append(record)
    every: list[Span] = []
    rows: list[Row] = []
    for key, records in errors.items():
        try:
            spans, texts = _read_errors(records, columns)
            score = -weigh(records[0], spans, options.error_weights)
            said = {"criterion": "mqm", "score": score, "spans": write_spans(spans)}
            row = describe(key, records[0])
            first = {name: row[name] for name in row if name in _KEYS}
            rows.append({**first, **said, **row, **texts})
            every += spans
        except InvalidRow as fault:  # without one of its errors an output would be too good
            fault.numbers = tuple(record.number for record in records)
            table.skip(fault)
    notes = [
        f"{len(keyed):,} rows of errors are {len(rows):,} ratings",
        *([say("lost-errors", "warning", rows=lost)] if lost else []),
    ]
    taken = ", ".join(f"{one} {WEIGHTS[one]:g}" for one in ("major", "minor"))
    if not options.error_weights:
        notes.append(
            f"errors take from the score: {taken}, minor punctuation {PUNCTUATION:g},"
            f" non-translation {NON_TRANSLATION:g}"
        )
    return rows, [*notes, *say_weights(every, options.error_weights)]


def _read_errors(
    records: Sequence[Record], columns: Mapping[str, str]
) -> tuple[list[Span], dict[str, str]]:
    marked: list[Span] = []
    texts: dict[str, str] = {}
    for record in records:
        source, in_source = take_marks(record, record.verbatim(columns["source"]))
        output, in_output = take_marks(record, record.verbatim(columns["target"]))
        # Refuse an output whose text is not that of its other errors; blanks at its end move none
        for name, text in (("source", source), ("output", output)):
            known = texts.setdefault(name, text)
            texts[name] = max(known, text, key=len)
            if known.rstrip() != text.rstrip():
                raise record.refuse(
                    f"the {name} is not that of the other errors of this rater and output"
                )
        severity = _tell_severity(record, columns)
        if severity != NO_ERROR:
            side = "source" if in_source and not in_output else "output"
            start, end = in_output or in_source or (None, None)
            marked.append(Span(start, end, severity, record.text(columns["category"]), side))
    return marked, texts


def _tell_severity(record: Record, columns: Mapping[str, str]) -> str:
    """Return how bad an error is, or that there is none, as severity or category may say."""
    category, severity = (
        NO_ERROR if fold(text) == fold(NO_ERROR) else text
        for text in (record.text(columns["category"]), record.text(columns["severity"]))
    )
    if category == NO_ERROR and not severity:
        return NO_ERROR
    named = severity or record.need(columns["severity"])
    severity = record.choose(named.casefold(), "severity", SEVERITIES)
    return NO_ERROR if category == NO_ERROR else severity


@Layout(
    "spans",
    "ratings by marked errors",
    ("system",),
    roles=tuple(role for role in RATING_ROLES if role != "score"),
    by_role=True,
    condition=lambda header: header.named("spans") is not None,
).read_by
def spans(table: Table, options: ReadOptions) -> Handle:
    column = str(table.header(options).named("spans"))
    every: list[Span] = []

    def read(record: Record) -> Iterator[Row]:
        row: Row = {name: record.verbatim(name) for name in table.columns}
        if not record.text(column):  # spans were not asked for
            yield {**row, "score": None}
            return
        try:
            spans = read_spans(record.text(column))
        except ValueError as fault:
            raise record.refuse(str(fault)) from None
        every.extend(spans)
        yield {
            **row,
            "spans": write_spans(spans),
            "score": -weigh(record, spans, options.error_weights),
        }

    rows = read_each(table, read)
    notes = say_weights(every, options.error_weights)
    notes.append("no scores were given: they are minus what the errors take")
    return take_rows(spans, table, rows, options, unread=(), notes=notes)


@row_layout("mqm_averages", "MQM averages", ("system", "mqm_avg_score", "seg_id"))
def mqm_averages(record: Record) -> Iterator[Row]:
    yield {
        "item": record.need("seg_id"),
        "system": record.need("system"),
        "criterion": "mqm",
        "score": read_score(record, record.text("mqm_avg_score") or None),
    }


# SYS  {"errors": [{"start": 0, "end": 4, "category": null, "severity": "minor",
#                   "score": null, "is_source_error": false}]}  rater
#
# The score is minus the errors' own scores, whatever their sign, where all have one, else minus the
# weights of MQM tables. Each line is a segment of its system, whoever rated it: segments are
# numbered from 1 within their system.


@Layout(
    "mtme_ratings",
    "mt-metrics-eval ratings",
    ("SYSTEM", "RATING", "pair", "name"),
    also=("RATER", "level"),
).read_by
def mtme_ratings(table: Table, options: ReadOptions) -> Handle:
    rows, none = [], 0
    marked: list[Span] = []
    seen: Counter[tuple[str, ...]] = Counter()
    for record in read_records(table):
        key = tuple(record.need(name) for name in ("pair", "name", "SYSTEM"))
        seen[key] += 1
        if record.need("RATING") == "None":
            none += 1
            continue
        names = {"judge": record.text("RATER"), "item": str(seen[key]), "system": key[2]}
        score, spans = read_errors(record, record.data("RATING"), options.error_weights)
        marked += spans
        values = {"criterion": key[1], "score": score, "spans": write_spans(spans)}
        rows.append({**names, **values, "task": key[0]})
    excluded = exclude_by_format({"outputs that were not rated": none})
    notes = say_weights(marked, options.error_weights)
    return take_rows(mtme_ratings, table, rows, options, notes=notes, excluded=excluded)


def read_errors(
    record: Record, given: Any, stated: Mapping[str, float]
) -> tuple[float, tuple[Span, ...]]:
    if not isinstance(given, dict) or "errors" not in given:
        raise record.refuse(f"a rating has errors, not {shorten(given)}")
    spans = read_exclusive(record, given["errors"])
    scores = [read_score(record, one.get("score")) for one in given["errors"]]
    scored = [one for one in scores if one is not None]
    if scored and len(scored) < len(scores):
        raise record.refuse("some errors have scores and others none: all of them or none")
    taken = sum(scored) if scored and not stated else weigh(record, spans, stated)
    return 0 - abs(taken), spans


@Layout(
    "mtme_json",
    "mt-metrics-eval ratings that stand alone",
    ("hypothesis", "errors", "segment_id", "system_id", "rater_id"),
    also=("document_id", "src_lang", "tgt_lang", "source"),
).read_by
def mtme_json(table: Table, options: ReadOptions) -> Handle:
    flat, unread = split_unread(table, mtme_json.reads)
    marked: list[Span] = []

    def read(record: Record) -> Iterator[Row]:
        score, spans = read_errors(record, {"errors": record.data("errors")}, options.error_weights)
        languages = [record.text(name) for name in ("src_lang", "tgt_lang")]
        document = record.text("document_id")
        segment = record.need("segment_id")
        row = {
            "judge": record.text("rater_id"),
            "item": f"{document}:{segment}" if document else segment,
            "system": record.need("system_id"),
            "criterion": "mqm",
            "task": "-".join(languages) if all(languages) else None,
            "document": document,
            "source": record.verbatim("source"),
            "output": record.verbatim("hypothesis"),
            "score": score,
            "spans": write_spans(spans),
        }
        yield keep_flat(record, flat, row)
        marked.extend(spans)

    rows = read_each(table, read)
    notes = say_weights(marked, options.error_weights)
    return take_rows(mtme_json, table, rows, options, unread=unread, notes=notes)


# The name of the file says what its lines (SYS -1.0, or news SYS -1.0) do not: the languages, the
# name of the scores, and whether segments (seg), documents (doc), domains or systems (sys) were
# scored. Files of metrics have the same lines: BLEU-refA.seg.score.
NO_SCORE: Final = ("None", "nan", "NaN")


def read_mtme_scores(
    path: Path, unread: list[tuple[int, str]] | None = None
) -> dict[str, list[float]]:
    """Return system → scores, NaN for none, in the order of a local file.

    unread: gets the line and the text of each score that is no number, NaN then; None refuses it.
    """
    scores: dict[str, list[float]] = {}
    if not path.is_file():
        raise MissingFile(f"there is no file '{path}'")
    if path.suffix != ".gz":
        lines = path.read_text(encoding="utf-8").splitlines()
    else:
        try:
            lines = gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()
        except (OSError, EOFError, zlib.error) as error:
            raise InvalidJudgments(f"{path.name} cannot be unpacked: {error}") from None
    for number, line in enumerate(lines, 1):
        try:
            system, value = line.split()
            score = nan if value in NO_SCORE else float(value)
        except ValueError:
            parts = line.split()
            if unread is not None and len(parts) == 2:
                unread.append((number, parts[1]))
                scores.setdefault(parts[0], []).append(nan)
                continue
            raise InvalidJudgments(
                f"line {number:,} of {path.name} is not a system and a score: {line.strip()!r}."
                " Write both with a tab between, and None where there is no score"
            ) from None
        if isinf(score) and unread is not None:
            unread.append((number, value))
            score = nan
        elif isinf(score):
            raise InvalidJudgments(
                f"line {number:,} of {path.name}: {value} is no score: write None where there is"
                " none"
            )
        scores.setdefault(system, []).append(score)
    if not scores:
        raise InvalidJudgments(f"{path.name} is empty: it has a system and a score a line")
    lengths = {len(one) for one in scores.values()}
    if len(lengths) > 1:
        few = min(scores, key=lambda one: len(scores[one]))
        raise InvalidJudgments(
            f"{path.name} has {len(scores[few]):,} scores of {few} and {max(lengths):,} of another"
            " system: every system has a line for each item"
        )
    return scores


@Layout(
    "mtme_scores",
    "mt-metrics-eval scores",
    ("SYSTEM", "SCORE", "pair", "name", "level"),
    also=("DOMAIN",),
).read_by
def mtme_scores(table: Table, options: ReadOptions) -> Handle:
    rows = []
    seen: Counter[tuple[str, ...]] = Counter()
    for record in read_records(table):
        level, domain = record.text("level"), record.text("DOMAIN")
        key = tuple(record.need(name) for name in ("pair", "name", "level", "SYSTEM"))
        seen[key] += 1
        score = record.need("SCORE")
        rows.append(
            {
                "item": {"sys": "", "domain": domain}.get(level, str(seen[key])),
                "system": record.need("SYSTEM"),
                "criterion": record.need("name"),
                "score": read_score(record, None if score in NO_SCORE else score),
                "task": record.need("pair"),
                "level": level,
            }
        )
    return take_rows(mtme_scores, table, rows, options)

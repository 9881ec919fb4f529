"""WMT's files: wide rankings, direct assessments and their averages, segments with scores.

Appraise, in which WMT judges, writes a table without a header:

    user,system,segID,type,src,tgt,score[,documentID,isCompleteDocument][,spans][,start,end]

The item is `document:segID`, without the system that stands in the name of a document.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import narwhals as nw

from evenhand.data.annotations import write_spans
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import Frame, quote, quote_name
from evenhand.data.exclusions import exclude_by_format
from evenhand.data.joining import say_merged
from evenhand.data.rankings import Rankings
from evenhand.data.source import ANNOTATIONS, find_rows, fold, name_rows, number_rows
from evenhand.errors import InvalidJudgments, UnknownColumn
from evenhand.formats import records
from evenhand.formats import table as tables
from evenhand.formats.files import APPRAISE_COLUMNS, TYPES
from evenhand.formats.roles import SOFT, UNKNOWN_POSITIONS, assign, name_covariates
from evenhand.formats.texts import say


def stack(
    frame: Frame, slots: Mapping[str, Sequence[str]], labels: Mapping[str, Sequence[str | int]]
) -> Frame:
    """Put columns below each other: name → its columns, with a label of each beside them."""
    used = {column for columns in slots.values() for column in columns}
    carried = [name for name in frame.collect_schema().names() if name not in used]
    n = len(next(iter(slots.values())))
    if frame.implementation.is_duckdb():
        # DuckDB reads a wide table once instead of once for each slot
        lists = {
            name: [quote(one) if isinstance(one, str) else str(one) for one in values]
            for name, values in labels.items()
        }
        lists |= {name: [*map(quote_name, columns)] for name, columns in slots.items()}
        columns = [quote_name(name) for name in carried]
        columns += [f"unnest([{', '.join(lists[name])}]) as {quote_name(name)}" for name in lists]
        return nw.from_native(frame.to_native().project(", ".join(columns)))  # type: ignore[no-any-return]
    parts = [
        frame.select(
            *carried,
            *[nw.lit(values[i]).alias(name) for name, values in labels.items()],
            *[nw.col(columns[i]).alias(name) for name, columns in slots.items()],
        )
        for i in range(n)
    ]
    return nw.concat(parts)  # type: ignore[type-var]


# WMT's RNK table (2010 to 2016): a judge ranks n systems, five as a rule, in one wide row.
#
#     srclang,trglang,srcIndex,documentId,segmentId,judgeId,
#         system1Number,system1Id,…,system5Number,system5Id,system1rank,…,system5rank
#
# (one line). Rank 1 is best, ties share a rank, −1 was left blank. The task is the pair of
# languages by code ("Czech,English" is "cs-en"), the item is srcIndex, the ranking is the row, the
# position is the slot. System names stay as they are; the numbers of systems are not used.
_CODES: Final = {
    "cs": ("czech", "ces", "cze"),
    "de": ("german", "deu", "ger"),
    "en": ("english", "eng"),
    "es": ("spanish", "spa"),
    "fi": ("finnish", "fin"),
    "fr": ("french", "fra", "fre"),
    "hi": ("hindi", "hin"),
    "ht": ("haitian", "haitian creole", "hat"),
    "hu": ("hungarian", "hun"),
    "ro": ("romanian", "ron", "rum"),
    "ru": ("russian", "rus"),
    "tr": ("turkish", "tur"),
}
# Names in lower case of WMT's languages, 2010 to 2016, and their codes; others stay
LANGUAGES: Final[dict[str, str]] = {name: code for code, names in _CODES.items() for name in names}

_ADDED: Final = ("task", "ranking", "system", "rank", "position")
_FIXED: Final = {"judge": "judgeId", "item": "srcIndex"}
_SLOT: Final = re.compile(r"system(\d+)(id|rank|number)")


@tables.Layout(
    "wmt_rnk",
    "WMT rankings",
    ("system1Id", "system1rank", "system2Id", "system2rank"),
    roles=("judge", "item", "task", "weight", *ANNOTATIONS),
).read_by
def wmt_rnk(table: tables.Table, options: tables.ReadOptions) -> Rankings:
    tables.refuse_comparison_wishes(options, "rankings")
    found: dict[str, dict[int, str]] = {"id": {}, "rank": {}, "number": {}}
    for column in table.columns:
        if match := _SLOT.fullmatch(fold(column)):
            found[match[2]][int(match[1])] = column
    alone = sorted(found["id"].keys() ^ found["rank"].keys())
    if alone or not found["id"]:
        which = f"system{alone[0]}" if alone else "system1Id, system1rank"
        raise UnknownColumn(
            f"{wmt_rnk.title} need a name and a rank of each system: {which} of {table.name}"
        )
    slots = {what: [names[at] for at in sorted(names)] for what, names in found.items()}
    table, _ = tables.skip_unreadable(table, slots["rank"])
    _refuse_ranks(table, slots["rank"])
    assigned = assign(table.header(options), wmt_rnk.roles, (), _FIXED)
    roles = {role: column for role, column in assigned.items() if role not in SOFT}
    beside = {role: column for role, column in assigned.items() if role in SOFT}
    table, stripped = tables.strip_labels(table, roles, slots["id"])
    languages = [table.header(options).named(name) for name in ("srclang", "trglang")]
    pair = [] if "task" in roles else [name for name in languages if name is not None]
    chosen = [
        tables.read_number(table, column, role)
        if role == "weight"
        else tables.read_label(table, column, role)
        for role, column in roles.items()
    ]
    if len(pair) == 2:
        chosen.append(_name_pair(table, pair).alias("task"))
    for i, (system, rank) in enumerate(zip(slots["id"], slots["rank"], strict=True)):
        chosen.append(tables.read_label(table, system, f"evenhand_system_{i}"))
        number = tables.read_number(table, rank, "rank", check=False).cast(nw.Float64)
        chosen.append(number.alias(f"evenhand_rank_{i}"))
    used = {*roles.values(), *pair, *(name for names in slots.values() for name in names)}
    taken = dict.fromkeys((*roles, *_ADDED), "")
    names, notes = name_covariates([c for c in table.columns if c not in used], taken)
    carried = [nw.col(column).alias(name) for column, name in names.items()]
    wide = table.frame.select(*chosen, *carried)
    n = range(len(slots["id"]))
    places = {name: [f"evenhand_{name}_{i}" for i in n] for name in ("system", "rank")}
    position = {"position": [i + 1 for i in n]}
    ranked = stack(number_rows(wide, "ranking"), places, position)
    frame = ranked.filter(~(nw.col("system").is_null() & (nw.col("rank").fill_null(-1) == -1)))
    columns = roles | {
        "system": f"{slots['id'][0]}..{slots['id'][-1]}",
        "rank": f"{slots['rank'][0]}..{slots['rank'][-1]}",
    }
    if len(pair) == 2:
        columns["task"] = "-".join(pair)
    assignments = [
        f"{role}={columns[role]}" for role in ("judge", "item", "task") if role in columns
    ]
    shown = ", ".join([columns["system"], *assignments])
    note = say("columns", "info", layout=wmt_rnk.title, columns=shown, renamed=bool(assignments))
    source = table.source(wmt_rnk.name, columns, note).noting(*notes, *stripped)
    annotations = tables.place_asides(table, options, taken, beside)
    data = Rankings(frame, source=replace(source, annotations=annotations))
    data.check()
    return data


# WMT's pairwise table (2014 to 2016): what a ranking says of two of its systems, one pair a row.
#
#     srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,
#         rankingID
#
# (one line). Rows with one rankingID are one answer of a judge, of as many pairs as it ranked, and
# stay together as its ranking. The system that stands first in the ranking was shown on the left.


@tables.Layout(
    "wmt_pairs",
    "WMT rankings as pairs",
    ("system1Id", "system1rank", "system2Id", "system2rank", "rankingID"),
    roles=("judge", "item", "task", "weight", *ANNOTATIONS),
    condition=lambda header: header.named("system3Id") is None,
).read_by
def wmt_pairs(table: tables.Table, options: tables.ReadOptions) -> Comparisons:
    header = table.header(options)
    names = {name: header.named(name) or name for name in wmt_pairs.needs}
    records.require_columns(table, list(names.values()), wmt_pairs.title)
    ranks = [names["system1rank"], names["system2rank"]]
    table, _ = tables.skip_unreadable(table, ranks)
    _refuse_ranks(table, ranks)
    first, second = (tables.read_number(table, rank, "rank", check=False) for rank in ranks)
    blank = first.is_null() | second.is_null() | (first == -1) | (second == -1)
    side = nw.when(first < second).then(nw.lit("left")).otherwise(nw.lit("right"))
    side = nw.when(first == second).then(nw.lit("tie")).otherwise(side)
    columns: list[nw.Expr] = [nw.when(~blank).then(side).alias(_OUTCOME)]
    pair = [] if "task" in options.columns else [header.named(n) for n in ("srclang", "trglang")]
    if pair and all(pair):
        columns.append(_name_pair(table, [name for name in pair if name]).alias(_TASK))
    frame = table.frame.with_columns(*columns).drop(*ranks, *filter(None, pair))
    fixed = {
        "left": names["system1Id"],
        "right": names["system2Id"],
        "outcome": _OUTCOME,
        "ranking": names["rankingID"],
        "task": _TASK,
        **_FIXED,
    }
    return tables.make_comparisons(table.with_frame(frame), options, wmt_pairs, fixed)


_OUTCOME, _TASK = "better_ranked", "languages"


def _name_pair(table: tables.Table, pair: Sequence[str]) -> nw.Expr:
    """Name the task after its languages, by code: Czech and English are cs-en."""
    names = [tables.read_label(table, name, "task").str.to_lowercase() for name in pair]
    codes = [name.replace_strict(LANGUAGES, default=name) for name in names]
    return nw.concat_str(codes, separator="-")


def _refuse_ranks(table: tables.Table, ranks: list[str]) -> None:
    text = [column for column in ranks if table.schema[column] == nw.String]
    if text:
        tables.refuse_text(table, text, "rank")
    read = [tables.read_number(table, column, "rank", check=False) for column in ranks]
    bad = [(rank != -1) & ((rank < 1) | (rank % 1 != 0)) for rank in read]
    rows = find_rows(table.frame, nw.any_horizontal(*bad, ignore_nulls=True))
    for column, wrong in zip(ranks, bad, strict=True) if rows else ():
        rows = find_rows(table.frame, wrong)
        if rows:
            raise InvalidJudgments(
                f"rank {rows[0][column]} in column '{column}' of {table.name}{name_rows(rows)}:"
                " ranks are whole numbers from 1 (best); −1 or blank means not ranked"
            )


# Tabs part the names, tabs and blanks the values; NA is missing. REF and BAD_REF were shown in the
# place of the output of `sys_id`: they are controls, and no outputs of it.
KINDS: Final = {"SYSTEM": "target", "REPEAT": "repeat", "REF": "good", "BAD_REF": "bad"}
_KEPT: Final = {
    "HITId": "hit_id",
    "Input.item": "input",
    "hit": "hit",
    "rid": "rid",
    "time": "time",
}


@records.row_layout(
    "wmt_da",
    "WMT direct assessments",
    ("WorkerId", "Input.src", "Input.trg", "sys_id", "type", "sid", "score"),
    also=tuple(_KEPT),
    note=lambda rows: (
        [say("references", references=n)]
        if (n := sum(row["kind"] == "good" for row in rows))
        else []
    ),
)
def wmt_da(record: records.Record) -> Iterator[records.Row]:
    def text(column: str) -> str:
        value = record.text(column)
        return "" if value == "NA" else value

    kind = record.choose(record.need("type"), "type", tuple(KINDS))
    yield {
        "judge": text("WorkerId"),
        "item": record.need("sid"),
        "system": record.need("sys_id"),
        "score": records.read_score(record, text("score") or None),
        "kind": KINDS[kind],
        "task": "-".join((record.need("Input.src"), record.need("Input.trg"))),
        **{name: text(column) for column, name in _KEPT.items()},
    }


# Each line holds two scores, and becomes two ratings; N counts the judgments behind an average.
_CRITERIA: Final = {"raw": "RAW.SCR", "standardised": "Z.SCR"}


@records.row_layout(
    "wmt_da_scores",
    "WMT averages of direct assessments",
    ("SYS", "RAW.SCR", "Z.SCR", "N"),
    also=("SID", "N.ALL"),
)
def wmt_da_scores(record: records.Record) -> Iterator[records.Row]:
    for criterion, column in _CRITERIA.items():
        yield {
            "item": record.text("SID"),
            "system": record.need("SYS"),
            "criterion": criterion,
            "score": records.read_score(record, record.text(column) or None),
            "n": record.text("N"),
            "n_all": record.text("N.ALL"),
        }


# WMT's judgments since 2024: one line a segment, with every score that its outputs were given.
#
#     {"doc_id": "en-is_#_news_#_doc_#_12", "src_text": "…", "tgt_text": {"SYS": "…"},
#      "scores": {"SYS": [{"score": 98.0, "annotator": "Annotator01isl", "errors": […],
#                          "times": [s, e], "protocol": "ESA"}]}}
#
# A line without scores, such as the first one by which a leak of the file is recognised, is no
# segment: it is left out and counted. Lines are in the order of the names of documents, not of the
# source: where every doc_id ends with a number of its own behind `_#_`, that of the segment in the
# source from 1, it is the item. Else items are numbered from 1 as they come. `line` is the number
# of the line. Errors are as in Appraise: `end_i` is the last UTF-16 unit of the output without
# blanks around it, and is put in characters. Scores and times may be text. The protocol is the
# criterion.
_SAID: Final = ("score", "annotator", "errors", "times", "protocol")
_SEGMENT: Final = re.compile(r"_#_(\d+)$")


@tables.Layout(
    "wmt_json", "WMT segments with scores", ("scores", "src_text", "tgt_text"), also=("doc_id",)
).read_by
def wmt_json(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    every = list(records.read_records(table))
    segments = records.read_each(
        table, lambda one: [one] if one.data("scores") is not None else [], every
    )
    ends = [_SEGMENT.search(record.text("doc_id")) for record in segments]
    items = [match[1] for match in ends if match]
    note = "items are the numbers behind _#_ in doc_id, those of the source"
    if not len(items) == len(set(items)) == len(segments):
        items = [str(at) for at in range(1, len(segments) + 1)]
        note = "items are numbered as they come"
    unread = set(records.list_unread(table, wmt_json.reads))
    named = dict(zip((segment.number for segment in segments), items, strict=True))
    rows = records.read_each(
        table, lambda one: _read_wmt_json(one, named[one.number], unread), segments
    )
    others = len(every) - len(segments)
    words = "lines without scores excluded, no item is made of them: {n:,}"
    excluded = exclude_by_format({"lines without scores": others}, words)
    return records.take_rows(
        wmt_json, table, rows, options, unread=unread, notes=[note], excluded=excluded
    )


def _read_wmt_json(record: records.Record, item: str, unread: set[str]) -> Iterator[records.Row]:
    outputs = record.mapping(record.data("tgt_text") or {}, "tgt_text")
    for system, given in record.mapping(record.data("scores"), "scores").items():
        for score in record.sequence(given, f"the scores of {records.shorten(system)}"):
            one = record.mapping(score, "a score")
            records.gather_unread(unread, one, _SAID, "scores")
            output = record.label(outputs.get(system), "an output")
            yield {
                "judge": record.label(one.get("annotator"), "an annotator"),
                "item": item,
                "system": system,
                "criterion": record.label(one.get("protocol"), "a protocol"),
                "score": records.read_score(record, one.get("score")),
                **_read_beside(record, one, output),
                "document": record.text("doc_id"),
                "line": record.number,
                "source": record.verbatim("src_text"),
                "output": output,
            }


def _read_beside(record: records.Record, given: Mapping[str, Any], output: str) -> records.Row:
    errors, times = given.get("errors"), given.get("times")
    row: dict[str, Any] = {}
    if errors is not None:
        screen = records.Screen.of(output, trimmed=True) if output else None
        row["spans"] = write_spans(records.read_inclusive(record, errors, "error_type", screen))
    if times is None:
        return row
    moments = [_read_moment(record, one) for one in times] if isinstance(times, list) else []
    if len(moments) != 2:
        raise record.refuse(
            f"times are a start and an end in seconds, not {records.shorten(times)}"
        )
    start, end = moments
    return row | {"shown_at": f"{start:f}", "seconds": f"{end - start:f}"}


def _read_moment(record: records.Record, given: Any) -> Decimal:
    with suppress(InvalidOperation):
        moment = Decimal(given.strip() if isinstance(given, str) else repr(given))
        if moment.is_finite():
            return moment
    raise record.refuse(f"times are numbers of seconds, not {records.shorten(given)}")


APPRAISE_KINDS: Final = dict(zip(TYPES, ("target", "repeat", "good", "bad"), strict=True))
# What stands behind # in the name of a document → kind of a judgment of it. Unfinished documents
# are kept for diagnosis, and out of every mean: of such a control nothing is known.
MARKS: Final = {"bad": "bad", "dup": "repeat", "incomplete": "control"}
TUTORIAL: Final = "tutorial"
_MARK: Final = re.compile(rf"({'|'.join(MARKS)})\d*")
_BESIDE: Final = ("documentID", "batchNo", "item_pk")


@tables.Layout(
    "appraise",
    "Appraise scores",
    APPRAISE_COLUMNS,
    also=(*_BESIDE, "isCompleteDocument", "spans", "start", "end"),
    condition=lambda header: not {"errors", "position"} & set(header.columns),
).read_by
def appraise(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    flat, unread = records.split_unread(table, appraise.reads)
    rows = records.read_each(
        table, lambda one: [records.keep_flat(one, flat, read_score_row(one, flat))]
    )
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
    return records.take_rows(appraise, table, rows, options, unread=unread, notes=notes)


def read_score_row(record: records.Record, beside: Sequence[str] = ()) -> dict[str, Any]:
    document, flag = read_document(record.text("documentID"), record.need("system"))
    complete = record.text("isCompleteDocument")
    segment = record.need("segID")
    whole = complete and record.choose(complete, "isCompleteDocument", ("True", "False"))
    item = f"{document}:{segment}" if document else segment
    marked = record.data("spans")
    text = record.verbatim("translation") if "translation" in beside else ""
    screen = records.Screen.of(text, trimmed=True) if text else None
    start, seconds = read_times(record)
    return {
        "judge": record.need("user"),
        "item": document or segment if whole == "True" else item,
        "system": record.need("system"),
        "score": records.read_score(record, record.text("score") or None),
        "kind": read_kind(record.choose(record.need("type"), "type", TYPES), flag),
        "task": f"{record.need('src')}-{record.need('tgt')}",
        "document": document,
        "isCompleteDocument": complete.lower(),
        "flag": flag,
        "spans": None
        if marked is None or (whole == "True" and not marked)  # marked in its segments
        else write_spans(records.read_inclusive(record, marked, "error_type", screen)),
        "shown_at": start,
        "seconds": seconds,
        **{name: record.text(name) for name in _BESIDE},
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
    kind = APPRAISE_KINDS[word]
    if kind != "target":
        return kind
    return "control" if flag == TUTORIAL else MARKS.get(flag, kind)


def read_times(record: records.Record) -> tuple[str, str]:
    start, end = record.text("start"), record.text("end")
    if not (start and end):
        return start, ""
    try:
        return start, f"{Decimal(end) - Decimal(start):f}"
    except InvalidOperation:
        raise record.refuse(
            f"start and end are seconds since 1970, not '{start}', '{end}'"
        ) from None


# No number ties the two rows of a pair together: they are those with the same user, segID and
# start. Which of them stood left is known only from a column `position`.
POSITIONS: Final = ("first", "second")


@tables.Layout(
    "appraise_pairs",
    "Appraise pairs",
    APPRAISE_COLUMNS,
    also=("documentID", "start", "end", "position"),
    condition=lambda header: bool({"errors", "position"} & set(header.columns)),
).read_by
def appraise_pairs(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    if "start" not in table.columns:
        raise UnknownColumn(
            f"{table.name} has no start: the two rows of a pair are those with the same user,"
            " segID and start; --from appraise reads the scores as ratings"
        )
    pairs: dict[tuple[str, ...], list[records.Record]] = {}
    for record in records.read_records(table):
        key = tuple(record.need(name) for name in ("user", "segID", "start"))
        pairs.setdefault(key, []).append(record)
    placed = "position" in table.columns
    flat, unread = records.split_unread(table, appraise_pairs.reads)
    rows = [_read_pair(both, flat, placed=placed) for both in pairs.values()]
    note = f"pairs of rows with the same user, segID and start: {len(rows):,}"
    return records.take_rows(
        appraise_pairs,
        table,
        rows,
        options,
        make=tables.make_comparisons,
        unread=unread,
        notes=[note],
    )


def _read_pair(both: Sequence[records.Record], flat: Sequence[str], *, placed: bool) -> records.Row:
    if len(both) != 2:
        raise both[0].refuse(f"{len(both)} rows have this user, segID and start: a pair has two")
    if placed:
        both = sorted(both, key=_place)
        if _place(both[0]) == _place(both[1]):
            raise both[0].refuse("both outputs of the pair have one position")
    else:
        both = sorted(both, key=lambda one: one.need("system"))
    left, right = both
    scores = [_score(one) for one in both]
    kind = left.choose(left.need("type"), "type", tuple(APPRAISE_KINDS))
    start, seconds = read_times(left)
    document, _ = read_document(left.text("documentID"), left.need("system"))
    row: dict[str, Any] = {
        "judge": left.need("user"),
        "item": f"{document}:{left.need('segID')}" if document else left.need("segID"),
        "left": left.need("system"),
        "right": right.need("system"),
        "outcome": "tie" if scores[0] == scores[1] else ("right", "left")[scores[0] > scores[1]],
        "kind": APPRAISE_KINDS[kind],
        "task": f"{left.need('src')}-{left.need('tgt')}",
        "shown_at": start,
        "seconds": seconds,
    }
    for side, one in (("left", left), ("right", right)):
        row |= {f"{side}_{name}": one.verbatim(name) for name in ("score", *flat)}
    return row if placed else row | {UNKNOWN_POSITIONS: True}


def _place(record: records.Record) -> int:
    return POSITIONS.index(record.choose(record.need("position"), "position", POSITIONS))


def _score(record: records.Record) -> Decimal:
    text = record.need("score")
    try:
        return Decimal(text)
    except InvalidOperation:
        raise record.refuse(f"a score is a number, not '{text}'") from None

"""Downloads of annotation tools: Pearmut, Potato, Label Studio, Argilla.

Pearmut's annotations, one line for each document that a user submitted, or {"campaign": [lines]}:

    {"user_id": "…", "item_i": 0, "annotation": [{"A": {"score": 90, "error_spans": […]}}],
     "item": [{"src": "…", "tgt": {"A": "…"}, "item_id": "…"}],
     "actions": [{"time": 1.0, "action": "load"}, …]}

The keys of `tgt` stand in the order shown. A reset of a user (annotation __RESET__) voids the lines
before it. Welcome and goodbye documents stay; `part` says which they are.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from evenhand.data.annotations import Span, write_spans
from evenhand.data.exclusions import exclude_by_format
from evenhand.data.source import fold
from evenhand.errors import InvalidJudgments, MissingFile, UnknownFormat, UnknownOption, listing
from evenhand.formats import table as tables
from evenhand.formats.file_heads import CAMPAIGN
from evenhand.formats.records import (
    Record,
    Row,
    Screen,
    gather_unread,
    list_unread,
    read_inclusive,
    read_records,
    read_score,
    say_weights,
    shorten,
    take_rows,
    weigh,
)
from evenhand.formats.roles import Header

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


@tables.Layout(
    "pearmut",
    "Pearmut annotations",
    ("annotation", "item", "user_id", "item_i"),
    also=("actions", CAMPAIGN),
).read_by
def pearmut(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    counts: Counter[str] = Counter()
    unread = set(list_unread(table, pearmut.reads))
    # Of each document the last record that no reset of its user follows
    records = list(read_records(table))
    resets = [r for r in records if r.text("annotation").strip('"') == RESET]
    last = {_who(r): r.number for r in resets}
    alive = [r for r in records if r.number > last.get(_who(r), 0)]
    counts[_VOID] += len(records) - len(alive) - len(resets)
    final = {(*_who(r), r.need("item_i")): r for r in alive}
    counts[_EARLIER] += len(alive) - len(final)
    valid = sorted(final.values(), key=lambda r: r.number)
    annotated = [
        (record, row, spans) for record in valid for row, spans in _read(record, counts, unread)
    ]
    bare = all(row["score"] is None for _, row, _ in annotated) and any(
        spans for *_, spans in annotated
    )
    rows: list[Row] = [
        {**row, "score": -weigh(record, spans or (), options.error_weights)} if bare else row
        for record, row, spans in annotated
    ]
    checks = counts.pop(_CHECKS, 0)
    notes = [f"{_CHECKS}: {checks:,}"] if checks else []
    excluded = exclude_by_format(counts, "{what} excluded: {n:,}")
    if bare:
        notes += say_weights(
            (one for *_, spans in annotated for one in spans or ()), options.error_weights
        )
        notes.append("no scores were given: they are minus what the errors take")
    return take_rows(pearmut, table, rows, options, unread=unread, notes=notes, excluded=excluded)


def _who(record: Record) -> tuple[str, str]:
    return record.text(CAMPAIGN), record.need("user_id")


def _read(
    record: Record, counts: Counter[str], unread: set[str]
) -> Iterator[tuple[dict[str, Any], tuple[Span, ...] | None]]:
    item = record.sequence(record.data("item"), "the segments of an item")
    annotation = record.data("annotation")
    annotation = [None] * len(item) if annotation is None else annotation
    if not isinstance(annotation, list) or len(annotation) != len(item):
        raise record.refuse("annotation and item are lists with one entry for each segment")
    place = record.need("item_i")
    part = place.rpartition("_")[0]
    kind = PARTS[record.choose(part, "the part in item_i", tuple(PARTS))] if part else "target"
    # The time of a document is not that of each of its outputs, so it is a column of its own.
    actions = record.sequence(record.data("actions") or [], "actions")
    times: dict[str, float] = {}
    for one in actions:
        if isinstance(one, Mapping) and isinstance(one.get("time"), int | float):
            name = str(one.get("action"))
            times[name] = max(times.get(name, one["time"]), one["time"])
            times.setdefault(f"first {name}", one["time"])
    start, end = times.get("first load"), times.get("submit")
    took = None if start is None or end is None else round(end - start, 6)
    beside = {
        "judge": record.need("user_id"),
        "kind": kind,
        "part": part,
        "shown_at": start,
        "document_seconds": took,
        "item_i": place,
        "campaign": record.text(CAMPAIGN),
    }
    for at, (answer, given) in enumerate(zip(annotation, item, strict=True)):
        segment = record.mapping(given, "a segment")
        form = "tgt" not in segment and {"text", "form"} & set(segment)
        if form or answer is None:
            counts[_FORMS if form else _SKIPPED] += 1
            continue
        gather_unread(unread, segment, _SEGMENT, "item")
        named = record.label(segment.get("item_id"), "item_id") or f"{place}:{at}"
        answers = record.mapping(answer, "the annotation of a segment")
        for row, spans in _read_segment(record, answers, segment, unread):
            counts[_CHECKS] += row.get("kind") == "control"
            yield {**beside, "item": named, **row}, spans


def _read_segment(
    record: Record, answers: Mapping[str, Any], segment: Mapping[str, Any], unread: set[str]
) -> Iterator[tuple[Row, tuple[Span, ...] | None]]:
    outputs = record.mapping(segment.get("tgt"), "the outputs of a segment, tgt,")
    checks = record.mapping(segment.get("validation") or {}, "validation")
    shown = {system: place for place, system in enumerate(outputs, start=1)}
    for system, given in answers.items():
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
        # The score of an output, or one for each slider, which is its criterion
        scores: list[Row] = [
            {"criterion": name, "score": read_score(record, score)}
            for name, score in record.mapping(one.get("sliders") or {}, "sliders").items()
        ]
        if not scores or one.get("score") is not None:
            scores.insert(0, {"score": read_score(record, one.get("score"))})
        for at, score in enumerate(scores):
            row_spans = spans if at == 0 else None
            yield (
                {**row, **score, "spans": None if row_spans is None else write_spans(row_spans)},
                row_spans,
            )


# {"instance_id": "it47", "user_id": "dave", "labels": {"preference": {"selection": "A"}}}
#
# `selection` is A, B or tie; `rank_order` such as `B,D=A,C` ranks, best first; `scale_value` below
# 0 prefers A, above 0 B. A is what was shown first. Which output that was stands in
# `<user>/user_state.json` beside the file. Outputs have no names there: a system is the number of
# its output in the instance, from 0.
PREFERENCES: Final = {"A": "left", "B": "right", "tie": "tie"}
ORDERS: Final = "instance_id_to_presentation_order"
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d+)?")
_ASKED: Final = ("selection", "rank_order", "scale_value")


@tables.Layout(
    "potato",
    "Potato annotations",
    ("instance_id", "user_id"),
    condition=lambda header: "labels" in header.columns or any(map(_is_answer, header.columns)),
    also=("labels",),
).read_by
def potato(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    if len(table.paths) != 1:
        raise UnknownFormat(
            f"{potato.title} are read from one file at a time, with user folders beside it"
        )
    meaning = {**PREFERENCES, **(options.outcomes or {})}
    compared: list[Row] = []
    ranked: list[Row] = []
    unread = {name for name in list_unread(table, potato.reads) if not _is_answer(name)}
    folder, states = table.paths[0].parent, dict[Path, Mapping[str, Any]]()
    for record in read_records(table):
        for question, label, value in _find_answers(record, unread):
            user = record.need("user_id")
            path = folder / Path(user).name / "user_state.json"
            if path not in states:
                states[path] = _read_state(path)
            orders = states[path].get(record.need("instance_id"), {})
            order = orders.get(question) if isinstance(orders, Mapping) else None
            numbers = sorted(map(str, range(len(order)))) if isinstance(order, list) else None
            if not isinstance(order, list) or sorted(map(str, order)) != numbers:
                raise record.refuse(
                    f"the state of {user} does not say in which order this was shown"
                )
            common = {"judge": user, "item": record.need("instance_id")}
            if label == "rank_order":
                common["ranking"] = f"{record.number}:{question}"
                ranked += [
                    {**common, **row, "question": question} for row in _rank(record, value, order)
                ]
                continue
            if len(order) != 2:
                raise record.refuse(f"two outputs are compared, and {len(order)} were shown")
            compared.append(
                {
                    **common,
                    "left": str(order[0]),
                    "right": str(order[1]),
                    "outcome": _tell_side(record, question, label, value, meaning),
                    "question": question,
                    "scale": value if label == "scale_value" else None,
                }
            )
    if compared and ranked:
        raise UnknownOption(
            f"{table.name} holds rankings and comparisons: --where keeps one of them"
        )
    note = "A is what was shown first, a system the number of its output in the instance"
    plain = replace(options, outcomes=None)
    make = tables.make_rankings if ranked else tables.make_comparisons
    rows = ranked or compared
    return take_rows(potato, table, rows, plain, make=make, unread=unread, notes=[note])


def _is_answer(column: str) -> bool:
    return column.rpartition(".")[2] in _ASKED and "." in column


def _find_answers(record: Record, unread: set[str]) -> Iterator[tuple[str, str, str]]:
    """Yield what was said of an instance: question, kind of answer, answer; nothing of blanks."""
    for column in record.values:
        if _is_answer(column) and record.text(column):
            question, _, label = column.rpartition(".")
            yield question, label, record.text(column)
    for question, given in record.mapping(record.data("labels") or {}, "labels").items():
        if not isinstance(given, Mapping):
            gather_unread(unread, {question: given}, (), "labels")
            continue
        gather_unread(unread, given, _ASKED, f"labels.{question}")
        for label in _ASKED:
            if given.get(label) not in (None, ""):
                yield question, label, str(given[label])


def _read_state(path: Path) -> Mapping[str, Any]:
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFile(
            f"there is no '{path}': without it nobody knows which output A was; put the folders of"
            " the users beside the annotations"
        ) from None
    except ValueError:
        raise UnknownFormat(f"'{path}' is not whole JSON") from None
    orders = state.get(ORDERS) if isinstance(state, Mapping) else None
    if not isinstance(orders, Mapping):
        raise UnknownFormat(f"'{path}' has no {ORDERS}")
    return orders


def _tell_side(
    record: Record, question: str, label: str, value: str, meaning: Mapping[str, str]
) -> str:
    if label == "selection":
        if value not in meaning:
            raise record.refuse(
                f"{question} is '{shorten(value)}': expected {' | '.join(meaning)};"
                f" other labels are given their meaning with --outcome '{shorten(value)}=tie'"
            )
        return meaning[value]
    if not _NUMBER.fullmatch(value):
        raise record.refuse(f"scale_value is a number, not '{shorten(value)}'")
    number = float(value)
    return "tie" if number == 0 else ("left", "right")[number > 0]


def _rank(record: Record, value: str, order: Sequence[int]) -> Iterator[Row]:
    letters = [chr(ord("A") + at) for at in range(len(order))]
    groups = [group.split("=") for group in value.replace(" ", "").split(",")]
    if sorted(letter for group in groups for letter in group) != letters:
        raise record.refuse(f"rank_order '{value}' does not rank {listing(letters)} once each")
    rank = {letter: at for at, group in enumerate(groups, start=1) for letter in group}
    for place, (letter, number) in enumerate(zip(letters, order, strict=True), start=1):
        yield {"system": str(number), "rank": rank[letter], "position": place}


# [{"id": 1, "data": {…}, "annotations": [{"completed_by": 3, "lead_time": 9.5, "created_at": "…",
#     "result": [{"from_name": "best", "type": "ranker",
#                 "value": {"ranker": {"rank": ["mdn", "wiki"]}}}]}]}]
#
# A ranker is a ranking, best first; it has no ties. `pairwise` (`{"selected": "left"}`) is a
# comparison of `left_system` and `right_system` of `data`, `rating` and `number` a score of its
# `system`.
_MAKERS: Final[Mapping[str, Callable[..., tables.Handle]]] = {
    "rankings": tables.make_rankings,
    "comparisons": tables.make_comparisons,
    "ratings": tables.make_ratings,
}
_POOL: Final = "_"  # The bucket of what was not ranked
_SHOWN: Final = ("item", "task", "system", "left_system", "right_system", "criterion")
_SAID: Final = ("id", "completed_by", "lead_time", "created_at", "result", "was_cancelled")
_DATA, _ANNOTATIONS = "data", "annotations"
_Value = Mapping[str, Any]
_CONTROL: Final = "control"  # Of a row, until it is known whether there are several


@tables.Layout(
    "label_studio", "Label Studio annotations", ("annotations", "data"), also=("id",)
).read_by
def label_studio(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    rows: dict[str, list[dict[str, Any]]] = {}
    left_out: Counter[str] = Counter()
    unread = set(list_unread(table, label_studio.reads))
    for record in read_records(table):
        data = record.mapping(record.data(_DATA) or {}, "the data of a task")
        given = record.sequence(record.data(_ANNOTATIONS), "the annotations of a task")
        lists = [name for name, value in data.items() if _lists_outputs(value)]
        gather_unread(unread, data, (*_SHOWN, *lists), _DATA)
        for at, one in enumerate(given):
            annotation = record.mapping(one, "an annotation")
            if annotation.get("was_cancelled"):
                left_out["annotations that were cancelled"] += 1
                continue
            gather_unread(unread, annotation, _SAID, _ANNOTATIONS)
            for kind, common, value in _find_results(record, data, annotation, at):
                if kind not in _TABLES:
                    left_out[f"results of type {shorten(kind)}"] += 1
                    continue
                what, read = _TABLES[kind]
                made = rows.setdefault(what, [])
                made += [{**common, **row} for row in read(record, kind, value, data)]
    if len(rows) > 1:
        raise UnknownOption(f"{table.name} holds {' and '.join(sorted(rows))}: export them apart")
    if not rows:
        raise InvalidJudgments(
            f"{table.name} holds no results of the types {listing(list(_TABLES))}"
        )
    what, table_rows = next(iter(rows.items()))
    # In a column which control each answer is of, where there are several
    column = "criterion" if what == "ratings" else "question"
    controls = [row.pop(_CONTROL) for row in table_rows]
    if len(set(controls)) > 1:
        for row, control in zip(table_rows, controls, strict=True):
            row[column] = row.get(column) or control
    make, excluded = _MAKERS[what], exclude_by_format(left_out)
    return take_rows(
        label_studio, table, table_rows, options, make=make, unread=unread, excluded=excluded
    )


def _find_results(
    record: Record, data: Mapping[str, Any], annotation: Mapping[str, Any], at: int
) -> Iterator[tuple[str, dict[str, Any], Mapping[str, Any]]]:
    """Yield the type of each result, what all its rows have in common, and what was said."""
    item = record.label(data.get("item"), "item")
    judge = annotation.get("completed_by")  # a number, or an object that holds it
    judge = judge.get("id") if isinstance(judge, Mapping) else judge
    row: dict[str, Any] = {
        "judge": record.label(judge, "completed_by") or None,
        "item": item or record.text("id") or str(record.number),
        "task": data.get("task"),
        "seconds": annotation.get("lead_time"),
        "shown_at": annotation.get("created_at"),
    }
    number = record.label(annotation.get("id"), "id") or f"{record.number}:{at}"
    given = record.sequence(annotation.get("result") or [], "the results of an annotation")
    results = [record.mapping(one, "a result") for one in given]
    rankers = sum(one.get("type") == "ranker" for one in results)
    for place, result in enumerate(results):
        kind, value = str(result.get("type")), result.get("value") or {}
        control = ""
        if kind in _TABLES:
            control = record.label(result.get("from_name"), "from_name")
            value = record.mapping(value, "the value of a result")
        # of several rankers each is a ranking of its own
        apart = f":{control or place}" if rankers > 1 else ""
        ranking = {"ranking": f"{number}{apart}"} if kind == "ranker" else {}
        yield kind, {**row, **ranking, _CONTROL: control}, value


def _lists_outputs(value: Any) -> bool:
    listed = isinstance(value, list)
    return listed and all(isinstance(one, Mapping) and "id" in one for one in value)


def _rank_outputs(record: Record, _: str, value: _Value, data: _Value) -> Iterator[Row]:
    given = value.get("ranker")
    buckets = dict(given) if isinstance(given, Mapping) else {"rank": given}
    blank = buckets.pop(_POOL, [])
    ranked = next(iter(buckets.values()), None)
    if len(buckets) != 1 or not isinstance(ranked, list) or not isinstance(blank, list):
        raise record.refuse(
            f"a ranker has one list of what was ranked, best first, not {listing(list(buckets))}"
        )
    named = [record.label(one, "what was ranked") for one in ranked]
    pooled = [record.label(one, "what was ranked") for one in blank]
    # The list of outputs, if one was shown, in which all of them stand
    lists = ([str(one["id"]) for one in given] for given in data.values() if _lists_outputs(given))
    shown = next((names for names in lists if {*named, *pooled} <= {*names}), [])
    places = {name: place for place, name in enumerate(shown, start=1)}
    for rank, system in [*enumerate(named, start=1), *[(None, one) for one in pooled]]:
        yield {"system": system, "rank": rank, "position": places.get(system)}


def _compare_outputs(record: Record, _: str, value: _Value, data: _Value) -> Iterator[Row]:
    outcome = record.choose(str(value.get("selected")), "selected", ("left", "right"))
    header, sides = Header(tuple(data)), dict[str, str]()
    for side in ("left", "right"):  # outputs may be called output_a, and are no names
        names = [one for one in header.candidates(side) if re.search("system|model", fold(one))]
        sides[side] = record.label(data.get(names[0]), names[0]) if names else ""
    if not all(sides.values()):
        raise record.refuse(
            "data has no left_system and right_system, nor model_a and model_b: nobody knows who"
            " stood where"
        )
    yield {**sides, "outcome": outcome}


def _rate_output(record: Record, kind: str, value: _Value, data: _Value) -> Iterator[Row]:
    system = record.label(data.get("system"), "system")
    if not system:
        raise record.refuse("data has no system: nobody knows whose output was rated")
    criterion = record.label(data.get("criterion"), "criterion")
    score = read_score(record, value.get(kind))
    yield {"system": system, "criterion": criterion, "score": score}


# Type of a result → what it becomes, and what reads it
_TABLES: Final = {
    "ranker": ("rankings", _rank_outputs),
    "pairwise": ("comparisons", _compare_outputs),
    "rating": ("ratings", _rate_output),
    "number": ("ratings", _rate_output),
}


# {"id": "7", "fields": {…}, "responses": {"preference": [{"user_id": "u1", "value":
#     [{"value": "reply-1", "rank": 1}, {"value": "reply-2", "rank": 1}]}]}}
#
# or `responses` as a list with one entry for each user, `{"user_id", "status", "values":
# {"preference": {"value": […]}}}`. In which order replies were shown is not recorded.
STATES: Final = ("submitted", "draft", "discarded")


@tables.Layout("argilla", "Argilla records", ("fields", "responses")).read_by
def argilla(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    rows: list[Row] = []
    left_out: Counter[str] = Counter()
    unread = set(list_unread(table, (*argilla.needs, "id")))
    for record in read_records(table):
        for at, (question, response, ranked) in enumerate(_find_responses(record)):
            judge = record.label(response.get("user_id"), "user_id")
            # a response without a status was submitted
            status = record.label(response.get("status"), "status") or "submitted"
            record.choose(status, "status", STATES)
            if status != "submitted":
                left_out[f"responses that are {status}"] += 1
            elif ranked == []:
                left_out["rankings of nothing"] += 1
            elif not isinstance(ranked, list) or not all(
                isinstance(one, Mapping) and {"value", "rank"} <= set(one) for one in ranked
            ):
                left_out[f"answers to '{question}', which is no ranking,"] += 1
            else:
                rows += [
                    {
                        "judge": judge,
                        "item": record.text("id") or str(record.number),
                        "ranking": f"{record.number}:{at}",
                        "system": record.label(one["value"], "what was ranked"),
                        "rank": record.label(one["rank"], "a rank"),
                        "question": question,
                    }
                    for one in ranked
                ]
    if not rows:
        others = f", but {listing([one.rstrip(',') for one in left_out])}" if left_out else ""
        raise InvalidJudgments(f"{table.name} holds no rankings that were submitted{others}")
    excluded = exclude_by_format(left_out)
    return take_rows(
        argilla, table, rows, options, make=tables.make_rankings, unread=unread, excluded=excluded
    )


def _find_responses(record: Record) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    given = record.data("responses") or []
    if isinstance(given, Mapping):
        for question, answers in given.items():
            for answer in record.sequence(answers, "the responses to a question"):
                one = record.mapping(answer, "a response")
                yield question, one, one.get("value")
        return
    for response in record.sequence(given, "responses"):
        one = record.mapping(response, "a response")
        values = record.mapping(one.get("values") or {}, "the values of a response")
        for question, answer in values.items():
            yield question, one, answer.get("value") if isinstance(answer, Mapping) else answer

"""Label Studio's export: a list of tasks, each with the annotations that it was given.

    [{"id": 1, "data": {…}, "annotations": [{"completed_by": 3, "lead_time": 9.5, "created_at": "…",
        "result": [{"from_name": "best", "type": "ranker",
                    "value": {"ranker": {"rank": ["mdn", "wiki"]}}}]}]}]

A ranker is a ranking, best first; it has no ties. `pairwise` (`{"selected": "left"}`) is a
comparison of `left_system` and `right_system` of `data`, `rating` and `number` a score of its
`system`. Where several controls were used, `from_name` says which: it is the criterion of a score
if `data` names none, and the column `question` of the others. The item is `item` of `data`, or the
task's id. Annotations that were cancelled are left out and counted, and so are results of other
types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from evenhand.errors import InvalidJudgments, UnknownOption, listing
from evenhand.formats.handles import Named, make_comparisons, make_rankings, make_ratings
from evenhand.formats.leftovers import gather_unread, list_unread, say_unread
from evenhand.formats.roles import Header
from evenhand.formats.table import Handle, Table, Wishes
from evenhand.formats.unfolding import (
    Record,
    lay_out,
    read_records,
    read_score,
    require_columns,
    shorten,
)
from evenhand.judgments.exclusions import exclude_by_format

NAME: Final = "label_studio"
TITLE: Final = "Label Studio annotations"
NEEDS: Final = ("annotations", "data")
ROLES: Final = ()

_TABLES: Final = {
    "ranker": "rankings",
    "pairwise": "comparisons",
    "rating": "ratings",
    "number": "ratings",
}
_MAKERS: Final[Mapping[str, Callable[[Table, Wishes, Named], Handle]]] = {
    "rankings": make_rankings,
    "comparisons": make_comparisons,
    "ratings": make_ratings,
}
_POOL: Final = "_"  # The bucket of what was not ranked
_READ: Final = (*NEEDS, "id")
_SHOWN: Final = ("item", "task", "system", "left_system", "right_system", "criterion")
_SAID: Final = ("id", "completed_by", "lead_time", "created_at", "result", "was_cancelled")
_DATA, _ANNOTATIONS = "data", "annotations"
_CONTROL: Final = "control"  # Of a row, until it is known whether there are several


@dataclass(frozen=True)
class _Result:
    """One thing that was said."""

    kind: str  # the type of the result
    value: Mapping[str, Any]  # what was said
    control: str  # by which control, "" where that is not told
    apart: str  # what stands behind the number of the annotation to make one of its ranking
    number: str = ""  # of the annotation
    row: Mapping[str, Any] = field(default_factory=dict)  # what all its rows have in common
    data: Mapping[str, Any] = field(default_factory=dict)  # what was shown


def recognise(header: Header) -> bool:
    """Say whether annotations stand beside what was shown."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Handle:
    """Read every annotation."""
    require_columns(table, NEEDS, TITLE)
    rows: dict[str, list[dict[str, Any]]] = {}
    left_out: Counter[str] = Counter()
    unread = set(list_unread(table, _READ))
    for record in read_records(table):
        for result in _find_results(record, left_out, unread):
            read = {"ranker": _rank, "pairwise": _compare}.get(result.kind, _rate)
            rows.setdefault(_TABLES[result.kind], []).extend(read(record, result))
    if len(rows) > 1:
        raise UnknownOption(f"{table.name} holds {' and '.join(sorted(rows))}: export them apart")
    if not rows:
        raise InvalidJudgments(
            f"{table.name} holds no results of the types {listing(list(_TABLES))}"
        )
    kind, found = next(iter(rows.items()))
    _name_controls(found, "criterion" if kind == "ratings" else "question")
    needed = {"rankings": ("rank",), "ratings": ("score",)}.get(kind, ())
    data = _MAKERS[kind](lay_out(table, found, needed), wishes, Named(NAME, TITLE))
    excluded = exclude_by_format(left_out)
    return replace(data, source=data.source.noting(*say_unread(unread)).excluding(*excluded))


def _name_controls(rows: Sequence[dict[str, Any]], column: str) -> None:
    """Say in a column which control each answer is of, where there are several."""
    controls = [row.pop(_CONTROL) for row in rows]
    if len(set(controls)) > 1:
        for row, control in zip(rows, controls, strict=True):
            row[column] = row.get(column) or control


def _find_results(record: Record, left_out: Counter[str], unread: set[str]) -> Iterator[_Result]:
    """Yield what was said of a task."""
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
        item = record.label(data.get("item"), "item")
        row: dict[str, Any] = {
            "judge": _name_judge(record, annotation.get("completed_by")),
            "item": item or record.text("id") or str(record.number),
            "task": data.get("task"),
            "seconds": annotation.get("lead_time"),
            "shown_at": annotation.get("created_at"),
        }
        number = record.label(annotation.get("id"), "id") or f"{record.number}:{at}"
        results = record.sequence(annotation.get("result") or [], "the results of an annotation")
        for result in _read_results(record, results, left_out):
            yield replace(result, row=row, data=data, number=number)


def _read_results(
    record: Record, results: Sequence[Any], left_out: Counter[str]
) -> Iterator[_Result]:
    """Yield the results of an annotation; of several rankers each is a ranking of its own."""
    found = [record.mapping(one, "a result") for one in results]
    rankers = sum(one.get("type") == "ranker" for one in found)
    for at, one in enumerate(found):
        kind = str(one.get("type"))
        if kind not in _TABLES:
            left_out[f"results of type {shorten(kind)}"] += 1
            continue
        control = record.label(one.get("from_name"), "from_name")
        value = record.mapping(one.get("value") or {}, "the value of a result")
        apart = f":{control or at}" if rankers > 1 else ""
        yield _Result(kind, value, control, apart)


def _lists_outputs(value: Any) -> bool:
    listed = isinstance(value, list)
    return listed and all(isinstance(one, Mapping) and "id" in one for one in value)


def _name_judge(record: Record, given: Any) -> str | None:
    """Return who annotated: a number, or an object that holds it."""
    if isinstance(given, Mapping):
        given = given.get("id")
    return record.label(given, "completed_by") or None


def _rank(record: Record, result: _Result) -> Iterator[dict[str, Any]]:
    given = result.value.get("ranker")
    buckets = dict(given) if isinstance(given, Mapping) else {"rank": given}
    blank = buckets.pop(_POOL, [])
    ranked = next(iter(buckets.values()), None)
    if len(buckets) != 1 or not isinstance(ranked, list) or not isinstance(blank, list):
        raise record.refuse(
            f"a ranker has one list of what was ranked, best first, not {listing(list(buckets))}"
        )
    named = [record.label(one, "what was ranked") for one in ranked]
    pooled = [record.label(one, "what was ranked") for one in blank]
    shown = _find_shown(result.data, [*named, *pooled])
    row = {**result.row, "ranking": f"{result.number}{result.apart}", _CONTROL: result.control}
    for rank, system in [*enumerate(named, start=1), *[(None, one) for one in pooled]]:
        yield {**row, "system": system, "rank": rank, "position": shown.get(system)}


def _find_shown(data: Mapping[str, Any], systems: Sequence[str]) -> dict[str, int]:
    """Return the place of each system in the list that was shown, if there is one."""
    for given in data.values():
        if _lists_outputs(given):
            names = [str(one["id"]) for one in given]
            if set(systems) <= set(names):
                return {name: place for place, name in enumerate(names, start=1)}
    return {}


def _compare(record: Record, result: _Result) -> Iterator[dict[str, Any]]:
    outcome = record.choose(str(result.value.get("selected")), "selected", ("left", "right"))
    names = [f"{side}_system" for side in ("left", "right")]
    systems = [record.label(result.data.get(name), name) for name in names]
    if not all(systems):
        raise record.refuse(
            "data has no left_system and right_system: nobody knows who stood where"
        )
    sides = dict(zip(("left", "right"), systems, strict=True))
    yield {**result.row, **sides, "outcome": outcome, _CONTROL: result.control}


def _rate(record: Record, result: _Result) -> Iterator[dict[str, Any]]:
    system = record.label(result.data.get("system"), "system")
    if not system:
        raise record.refuse("data has no system: nobody knows whose output was rated")
    score = read_score(record, result.value.get(result.kind))
    criterion = record.label(result.data.get("criterion"), "criterion")
    said = {"system": system, "criterion": criterion, "score": score, _CONTROL: result.control}
    yield {**result.row, **said}

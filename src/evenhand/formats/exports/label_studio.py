"""Judgments as Label Studio's list of tasks with annotations.

Rankings become rankers, comparisons pairwise choices, ratings numbers. Neither rankers nor
choices know ties: rankings and comparisons with ties are refused. Outputs are written in the
order shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from evenhand.formats.exports.rows import (
    read_rows,
    refuse_weight,
    require_roles,
    say_dropped,
    text_of,
)
from evenhand.formats.table import Handle
from evenhand.formats.unfolding import Record
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.labels import read_outcome
from evenhand.judgments.rankings import Rankings

NAME: Final = "label-studio"
SUFFIXES: Final = (".json",)
HOLDS: Final = frozenset(
    {
        *("judge", "item", "task", "seconds", "shown_at", "left", "right", "outcome", "weight"),
        *("ranking", "system", "rank", "position", "score", "criterion", "source", "output"),
    }
)

_NEEDS: Final = ("judge", "item")
_TEXTS: Final = ("source", "output", "criterion")


def export(data: Handle) -> Iterator[str]:
    """Yield the tasks, one for each judgment."""
    require_roles(data, _NEEDS, NAME)
    if isinstance(data, Comparisons):
        data.tally()  # refuses every value that could not be read again
        tasks: Iterator[dict[str, Any]] = (_compare(record, data) for record in read_rows(data))
    elif isinstance(data, Rankings):
        data.check()
        tasks = map(_rank, _group(data))
    else:
        tasks = map(_rate, read_rows(data))
    for number, task in enumerate(tasks, start=1):
        said = json.dumps({"id": number, **task}, ensure_ascii=False)
        yield ("[\n" if number == 1 else ",\n") + said
    yield "\n]\n"


def find_losses(data: Handle) -> Iterator[str]:
    """Say how many controls and repeats become judgments like others."""
    kinds = [record.text("kind").casefold() for record in read_rows(data)]
    known = sum(kind not in ("", "target", "tgt") for kind in kinds)
    yield from say_dropped(known, len(kinds), "controls and repeats become judgments like others")


def _task(record: Record, data: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a task with its one annotation."""
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
        "annotations": [{name: said for name, said in annotation.items() if said is not None}],
    }


def _compare(record: Record, data: Comparisons) -> dict[str, Any]:
    refuse_weight(record, NAME)
    outcome = read_outcome(record.need("outcome"), data.outcome_labels)
    if outcome not in {"left", "right"}:
        raise record.refuse(f"it is a tie, and the choices of {NAME} know none")
    systems = {f"{side}_system": record.need(side) for side in ("left", "right")}
    return _task(record, systems, {"type": "pairwise", "value": {"selected": str(outcome)}})


def _group(data: Rankings) -> Iterator[Sequence[Record]]:
    """Yield the rankings, each in the order shown where that is known."""
    rankings: dict[tuple[str, str], list[Record]] = {}
    for record in read_rows(data):
        refuse_weight(record, NAME)
        rankings.setdefault((record.text("task"), record.text("ranking")), []).append(record)
    for records in rankings.values():
        yield sorted(records, key=lambda one: float(text_of(one, "position") or 0))


def _rank(records: Sequence[Record]) -> dict[str, Any]:
    ranks = {one.need("system"): text_of(one, "rank") for one in records}
    ranked = {name: float(rank) for name, rank in ranks.items() if rank not in {"", "-1"}}
    if len(set(ranked.values())) < len(ranked):
        raise records[0].refuse(f"its ranking has ties, and the rankers of {NAME} know none")
    said: dict[str, list[str]] = {"rank": sorted(ranked, key=ranked.__getitem__)}
    blank = [name for name in ranks if name not in ranked]
    said |= {"_": blank} if blank else {}
    shown = {"outputs": [{"id": name} for name in ranks]} if records[0].text("position") else {}
    return _task(records[0], shown, {"type": "ranker", "value": {"ranker": said}})


def _rate(record: Record) -> dict[str, Any]:
    score = text_of(record, "score")
    if not score:
        raise record.refuse(f"it has no score, and {NAME} has no place for a missing one")
    shown = {"system": record.need("system")}
    return _task(record, shown, {"type": "number", "value": {"number": float(score)}})

"""Ratings of mt-metrics-eval: the errors of each output, in the order of the source.

    en-de.mqm.seg.rating:
    SYS  {"errors": [{"start": 0, "end": 4, "category": null, "severity": "minor",
                      "score": null, "is_source_error": false}]}  rater

(tabs between). `end` is the character after the last one. The score is minus what the errors
take: their own scores, whatever their sign, where all have one, else the weights of MQM tables.
None was not rated: it is left out and counted. Each line is a segment of its system, whoever rated
it: segments are numbered from 1 within their system. Lines with None may lack the rater.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, Final

from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.leftovers import list_unread, say_unread
from evenhand.formats.marks import read_exclusive, say_critical, weigh
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import (
    Record,
    lay_out,
    read_records,
    read_score,
    require_columns,
    shorten,
)
from evenhand.judgments.exclusions import exclude_by_format
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.spans import Span, write_spans

NAME: Final = "mtme_ratings"
TITLE: Final = "mt-metrics-eval ratings"
NEEDS: Final = ("SYSTEM", "RATING", "pair", "name")
ROLES: Final = ()

_READ: Final = (*NEEDS, "RATER", "level")


def recognise(header: Header) -> bool:
    """Say whether these are ratings with what the name of their file says."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Read the errors; errors as in `make_ratings`."""
    require_columns(table, NEEDS, TITLE)
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
        score, spans = read_errors(record, record.data("RATING"))
        marked += spans
        said = {"criterion": key[1], "score": score, "spans": write_spans(spans)}
        rows.append({**names, **said, "task": key[0]})
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    notes = say_unread(list_unread(table, _READ)) + say_critical(marked)
    excluded = exclude_by_format({"outputs that were not rated": none})
    return replace(data, source=data.source.noting(*notes).excluding(*excluded))


def read_errors(record: Record, given: Any) -> tuple[float, tuple[Span, ...]]:
    """Return score and errors of a rating."""
    if not isinstance(given, dict) or "errors" not in given:
        raise record.refuse(f"a rating has errors, not {shorten(given)}")
    spans = read_exclusive(record, given["errors"])
    own = [read_score(record, one.get("score")) for one in given["errors"]]
    scored = [one for one in own if one is not None]
    if scored and len(scored) < len(own):
        raise record.refuse("some errors have scores and others none: all of them or none")
    taken = sum(scored) if scored else weigh(record, spans)
    return 0 - abs(taken), spans

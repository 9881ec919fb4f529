"""Items of subset2evaluate: metrics and mean human scores of every system, one item a line.

    {"i": 0, "src": "…", "tgt": {"SYS": "…"}, "doc": "…",
     "scores": {"SYS": {"human": 80, "COMET": 0.7}}}

Each number is a rating, and its name (`human`, or that of a metric) the criterion. No judge is
named. Items are numbered as they are, from 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.leftovers import keep_flat, list_flat, list_unread, say_unread
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
from evenhand.judgments.ratings import Ratings

NAME: Final = "subset2evaluate"
TITLE: Final = "subset2evaluate items"
NEEDS: Final = ("i", "src", "tgt", "scores")
ROLES: Final = ()

_READ: Final = (*NEEDS, "doc", "domain")


def recognise(header: Header) -> bool:
    """Say whether numbered items with outputs and scores are there."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Read every number; flat keys beside them are kept; errors as in `make_ratings`."""
    require_columns(table, NEEDS, TITLE)
    flat = list_flat(table, _READ)
    rows = [keep_flat(record, flat, row) for record in read_records(table) for row in _read(record)]
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    notes = say_unread(list_unread(table, (*_READ, *flat)))
    return replace(data, source=data.source.noting(*notes))


def _read(record: Record) -> Iterator[Row]:
    outputs = record.mapping(record.data("tgt") or {}, "tgt")
    for system, given in record.mapping(record.data("scores"), "scores").items():
        named = record.mapping(given, f"the scores of {shorten(system)}")
        for criterion, score in named.items():
            yield {
                "item": record.need("i"),
                "system": system,
                "criterion": criterion,
                "score": read_score(record, score),
                "document": record.text("doc"),
                "domain": record.text("domain"),
                "source": record.text("src"),
                "output": record.label(outputs.get(system), "an output"),
            }

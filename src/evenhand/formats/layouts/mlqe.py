"""Direct assessments of one system, all scores of a segment in one cell (MLQE).

    index  original  translation  scores        mean  z_scores       z_mean  model_scores
    0      …         …            [61, 70, 42]  57.7  [-0.2, 0.4, …]  …      …

(tabs between). Each score of the list is a rating. Whose it is stands nowhere: the place in the
list is kept as `place`, and is no judge. The one system is called `translation`. Other columns are
kept as they are.
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
)
from evenhand.judgments.ratings import Ratings

NAME: Final = "mlqe"
TITLE: Final = "MLQE scores"
NEEDS: Final = ("index", "original", "translation", "scores")
ROLES: Final = ()

_READ: Final = (*NEEDS, "z_scores")


def recognise(header: Header) -> bool:
    """Say whether segments and lists of scores are there."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Read every score of every list."""
    require_columns(table, NEEDS, TITLE)
    flat = list_flat(table, _READ)
    rows = [keep_flat(record, flat, row) for record in read_records(table) for row in _read(record)]
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    note = "whose scores they are is not recorded: 'place' is the place in the list, not a judge"
    return replace(
        data, source=data.source.noting(*say_unread(list_unread(table, (*_READ, *flat))), note)
    )


def _read(record: Record) -> Iterator[Row]:
    scores = record.sequence(record.data("scores"), "scores")
    given = record.data("z_scores")
    standardised = [None] * len(scores) if given is None else record.sequence(given, "z_scores")
    if len(standardised) != len(scores):
        raise record.refuse("scores and z_scores are lists of one length")
    for at, score in enumerate(scores):
        yield {
            "item": record.need("index"),
            "system": "translation",
            "score": read_score(record, score),
            "place": at + 1,
            "z_score": read_score(record, standardised[at]),
            "source": record.text("original"),
            "output": record.text("translation"),
        }

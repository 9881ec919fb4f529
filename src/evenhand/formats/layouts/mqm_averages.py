"""Averages of MQM by segment, as they stand beside MQM tables.

    system mqm_avg_score seg_id
    Facebook-AI	-5.000000 1

Blanks part the names, tabs and blanks the values. Scores are what errors take, so they are 0 or
less, and higher is better. No judge is named.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.leftovers import list_unread, say_unread
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import lay_out, read_records, require_columns
from evenhand.judgments.ratings import Ratings

NAME: Final = "mqm_averages"
TITLE: Final = "MQM averages"
NEEDS: Final = ("system", "mqm_avg_score", "seg_id")
ROLES: Final = ()


def recognise(header: Header) -> bool:
    """Say whether system, mqm_avg_score and seg_id are there."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Read the averages; errors as in `make_ratings`."""
    require_columns(table, NEEDS, TITLE)
    rows = [
        {
            "item": record.need("seg_id"),
            "system": record.need("system"),
            "criterion": "mqm",
            "score": record.text("mqm_avg_score"),
        }
        for record in read_records(table)
    ]
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    notes = say_unread(list_unread(table, NEEDS))
    return replace(data, source=data.source.noting(*notes))

"""A matrix of judges by items: one row for each judge, one column for each item, scores inside.

    judge,item-1,item-2,item-3
    ann,4,,2

Nothing in such a header tells it from another table, so it is read only where it is asked for
(`--from matrix`). The first column names the judges. What is rated is the item, so it is taken as
system. A blank cell was not judged: it is left out and counted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from evenhand.errors import UnknownColumn
from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import lay_out, read_records
from evenhand.judgments.exclusions import exclude_by_format
from evenhand.judgments.ratings import Ratings

NAME: Final = "matrix"
TITLE: Final = "a matrix of judges by items"
NEEDS: Final = ("judge", "a column for each item")
ROLES: Final = ()


def recognise(header: Header) -> bool:  # noqa: ARG001 - as every layout
    """Say no: its columns are like those of any table."""
    return False


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Make a rating of each cell."""
    judge, *items = table.columns
    if Header((judge,)).missing(["judge"]) or not items:
        raise UnknownColumn(
            f"{TITLE} begins with a column 'judge' and has one column for each item, not"
            f" '{judge}' as in {table.name}"
        )
    rows, blank = [], 0
    for record in read_records(table):
        name = record.need(judge)
        scores = {item: record.text(item) for item in items}
        blank += sum(not score for score in scores.values())
        rows += [
            {"judge": name, "system": item, "score": score}
            for item, score in scores.items()
            if score
        ]
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    excluded = exclude_by_format({"blank cells": blank})
    return replace(data, source=data.source.excluding(*excluded))

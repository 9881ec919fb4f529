"""Crowd-kit's long table of labels; understood where the labels are scores.

    task,worker,label
    image-17,w1,4

The task is the thing that is rated, so it is taken as system. Labels that are categories are no
judgments of better or worse; they are not supported.
"""

from __future__ import annotations

from typing import Final

import narwhals as nw

from evenhand.errors import UnknownFormat
from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.numbers import is_no_number
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.judgments.ratings import ROLES as RATING_ROLES
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.source import find_rows, name_rows

NAME: Final = "crowd_kit_long"
TITLE: Final = "crowd-kit labels as ratings"
NEEDS: Final = ("task", "worker", "label")
ROLES: Final = tuple(role for role in RATING_ROLES if role != "task")

_OTHERS: Final = ("left", "right", "system", "score")


def recognise(header: Header) -> bool:
    """Say whether task, worker and label are there and nothing that makes them something else."""
    other = any(header.candidates(role) for role in _OTHERS)
    return header.holds(NEEDS) and not other


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Take numeric labels as scores."""
    label = wishes.columns.get("score") or table.header(wishes).named("label") or "label"
    kinds = nw.String | nw.Categorical | nw.Enum
    if label in table.columns and isinstance(table.schema[label], kinds):
        text = table.frame.with_columns(nw.col(label).cast(nw.String))
        rows = find_rows(text, is_no_number(label))
        if rows:
            raise UnknownFormat(
                f"label '{rows[0][label]}' in column '{label}' of {table.name}{name_rows(rows)} is"
                " a category, not a score: tables of categories are not supported"
            )
    fixed = {"system": "task", "judge": "worker", "score": "label"}
    return make_ratings(table, wishes, Named(NAME, TITLE), fixed)

"""Our own ratings, and tables like them under other column names.

One score a row: `judge, item, system, criterion, score`; optional `task`, `kind` (target, control,
repeat), `expected` (of a control), `seconds` (how long it took), `shown_at` (when).

    judge,item,system,criterion,score
    j1,17,sys-a,adequacy,71
"""

from __future__ import annotations

from typing import Final

from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.judgments.ratings import ROLES as RATING_ROLES
from evenhand.judgments.ratings import Ratings

NAME: Final = "ratings"
TITLE: Final = "ratings"
NEEDS: Final = ("system", "score")
ROLES: Final = RATING_ROLES


def recognise(header: Header) -> bool:
    """Say whether each needed role has a column, by name, synonym or as the caller says."""
    return not header.missing(NEEDS)


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Give the columns their roles; errors as in `make_ratings`."""
    return make_ratings(table, wishes, Named(NAME, TITLE))

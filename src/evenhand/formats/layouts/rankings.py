"""Our own rankings, and tables like them under other column names.

One ranked output a row: `judge, item, ranking, system, rank`; 1 is best, ties share a rank, blank
or −1 is not ranked; optional `position` (the place on the screen), `task`, `weight`.

    judge,item,ranking,system,rank
    j1,17,r1,sys-a,1
    j1,17,r1,sys-b,2
"""

from __future__ import annotations

from typing import Final

from evenhand.formats.handles import RANKING_ROLES, Named, make_rankings
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.judgments.rankings import Rankings

NAME: Final = "rankings"
TITLE: Final = "rankings"
NEEDS: Final = ("ranking", "system", "rank")
ROLES: Final = RANKING_ROLES


def recognise(header: Header) -> bool:
    """Say whether each needed role has a column, by name, synonym or as the caller says."""
    return not header.missing(NEEDS)


def understand(table: Table, wishes: Wishes) -> Rankings:
    """Give the columns their roles; errors as in `make_rankings`."""
    return make_rankings(table, wishes, Named(NAME, TITLE))

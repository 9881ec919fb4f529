"""Our own comparisons, and tables like them under other column names.

One comparison a row: `judge, item, left, right, outcome`, with outcome `left | tie | right`;
optional `task`, `ranking`, `weight`, `id`; every other column is kept as a covariate.

    judge,item,left,right,outcome
    j1,17,sys-a,sys-b,left
"""

from __future__ import annotations

from typing import Final

from evenhand.formats.handles import COMPARISON_ROLES, Named, make_comparisons
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.judgments.comparisons import Comparisons

NAME: Final = "comparisons"
TITLE: Final = "comparisons"
NEEDS: Final = ("left", "right", "outcome")
ROLES: Final = COMPARISON_ROLES


def recognise(header: Header) -> bool:
    """Say whether each needed role has a column, by name, synonym or as the caller says."""
    return not header.missing(NEEDS)


def understand(table: Table, wishes: Wishes) -> Comparisons:
    """Give the columns their roles; errors as in `make_comparisons`."""
    return make_comparisons(table, wishes, Named(NAME, TITLE))

"""Evalica's CSV: who stood left, who right, and which of them won.

    left,right,winner
    Pizza,Sushi,left

`winner` is `left`, `right` or `tie`.
"""

from __future__ import annotations

from typing import Final

from evenhand.formats.handles import COMPARISON_ROLES, Named, make_comparisons
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.judgments.comparisons import Comparisons

NAME: Final = "evalica"
TITLE: Final = "Evalica comparisons"
NEEDS: Final = ("left", "right", "winner")
ROLES: Final = COMPARISON_ROLES


def recognise(header: Header) -> bool:
    """Say whether left, right and winner are there, and no outcome beside them."""
    return header.holds(NEEDS) and header.named("outcome") is None


def understand(table: Table, wishes: Wishes) -> Comparisons:
    """Give the columns their roles; errors as in `make_comparisons`."""
    fixed = {"left": "left", "right": "right", "outcome": "winner"}
    return make_comparisons(table, wishes, Named(NAME, TITLE), fixed)

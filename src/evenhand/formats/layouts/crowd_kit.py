"""Crowd-kit's pairwise table: the label is the name of the one that won.

    worker,left,right,label
    w1,Pizza,Sushi,Pizza

`label` may also say `left`, `right` or `tie`. Any other label, one that names neither of the two
in its row, is refused with its rows when something is first counted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import narwhals as nw

from evenhand.formats.columns import read_label
from evenhand.formats.handles import COMPARISON_ROLES, Named, make_comparisons
from evenhand.formats.roles import Header, assign
from evenhand.formats.table import Table, Wishes
from evenhand.formats.winners import SIDES
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.labels import Complete

NAME: Final = "crowd_kit"
TITLE: Final = "crowd-kit comparisons"
NEEDS: Final = ("worker", "left", "right", "label")
ROLES: Final = COMPARISON_ROLES

_FIXED: Final = {"left": "left", "right": "right", "outcome": "label", "judge": "worker"}


def recognise(header: Header) -> bool:
    """Say whether worker, left, right and label are there."""
    return header.holds(NEEDS)


def understand(table: Table, wishes: Wishes) -> Comparisons:
    """Turn the name of the winner into its side; errors as in `make_comparisons`."""
    roles = assign(table.header(wishes), ROLES, ("left", "right", "outcome"), _FIXED)
    left, right, label = (read_label(table, roles[r], r) for r in ("left", "right", "outcome"))
    side = (
        nw.when(label == left)
        .then(nw.lit("left"))
        .otherwise(nw.when(label == right).then(nw.lit("right")).otherwise(label))
    )
    turned = table.with_frame(table.frame.with_columns(side.alias(roles["outcome"])))
    sides = Complete(SIDES | dict(wishes.outcomes or {}))
    return make_comparisons(turned, replace(wishes, outcomes=sides), Named(NAME, TITLE), _FIXED)

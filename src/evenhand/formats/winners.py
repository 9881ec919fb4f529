"""Outcomes that name the winning system become its side.

    left,right,winner
    red,blue,blue

The first rows tell: where every outcome there is one of the two names of its row, or a usual word
for a tie, the column names winners. Names that are words for a side as well ("a" for the left) are
read as a side only where both readings say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, cast

import narwhals as nw

from evenhand.errors import InvalidJudgments
from evenhand.formats.columns import read_label
from evenhand.formats.table import Table
from evenhand.judgments.engine import fetch_columns
from evenhand.judgments.labels import KNOWN_LABELS, Outcome

LOOK: Final = 1000
"""Rows looked at."""
SIDES: Final[Mapping[str, Outcome]] = {"left": "left", "tie": "tie", "right": "right"}
_ROLES: Final = ("left", "right", "outcome")

Reading = Literal["sides", "winners", "both"]


def tell_reading(rows: Iterable[tuple[str | None, str | None, str | None]]) -> Reading:
    """Tell what outcomes are: sides, names of winners, or words that could be both.

    Args:
        rows: left, right and outcome of each row.

    >>> tell_reading([("red", "blue", "blue"), ("red", "blue", "tie")])
    'winners'
    >>> tell_reading([("x", "y", "left")]), tell_reading([("B", "A", "A")])
    ('sides', 'both')
    """
    unknown = turned = False
    for left, right, label in rows:
        if not (left and right and label):
            continue
        meant = KNOWN_LABELS.get(label.casefold())
        named = "left" if label == left else "right" if label == right else None
        if named is None and meant != "tie":
            return "sides"
        unknown = unknown or meant is None
        turned = turned or (named is not None and meant not in (None, named))
    if unknown:
        return "winners"
    return "both" if turned else "sides"


def names_winners(table: Table, roles: Mapping[str, str]) -> bool:
    """Look at the first rows and say whether outcomes name the winner.

    Raises:
        InvalidJudgments: every label can be read as a name and as a side, and they differ.

    """
    labels = [read_label(table, roles[role], role) for role in _ROLES]
    found = fetch_columns(table.frame.select(*labels).head(LOOK))
    columns = [cast("list[str | None]", found[role].tolist()) for role in _ROLES]
    reading = tell_reading(zip(*columns, strict=True))
    if reading == "both":
        raise InvalidJudgments(
            f"column '{roles['outcome']}' of {table.name} can be read in two ways, as names of"
            " winners and as sides, and they differ: read names with --from crowd-kit (in Python"
            " format='crowd_kit'), sides by declaring them (--outcome, in Python outcomes=)"
        )
    return reading == "winners"


def turn_winners(table: Table, roles: Mapping[str, str]) -> Table:
    """Replace the name of the winner by `left` or `right`, and usual words for a tie by `tie`.

    Any other label stays, to be refused with its rows when something is counted.
    """
    left, right, label = (read_label(table, roles[role], role) for role in _ROLES)
    ties = [word for word, outcome in KNOWN_LABELS.items() if outcome == "tie"]
    tied = label.str.to_lowercase().is_in(ties)
    other = nw.when(tied).then(nw.lit("tie")).otherwise(label)
    lost = nw.when(label == right).then(nw.lit("right")).otherwise(other)
    side = nw.when(label == left).then(nw.lit("left")).otherwise(lost)
    return table.with_frame(table.frame.with_columns(side.alias(roles["outcome"])))

"""Outcomes that name the winning system become its side.

    left,right,winner
    red,blue,blue

The first rows tell: where outcomes there are names of their row, and none is a word for a side, the
column names winners. Names that are words for a side as well ("a" for the left) are read as a side
only where both readings say the same. Labels that are neither are refused when they are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, cast

import narwhals as nw

from evenhand.errors import InvalidJudgments
from evenhand.formats.columns import read_label
from evenhand.formats.table import Table
from evenhand.judgments.engine import fetch_columns
from evenhand.judgments.labels import (
    KNOWN_LABELS,
    OUTCOMES,
    Complete,
    Outcome,
    is_missing,
    read_outcome,
)

LOOK: Final = 1000  # Rows looked at
SIDES: Final = Complete(left="left", tie="tie", right="right")
_ROLES: Final = ("left", "right", "outcome")

Reading = Literal["sides", "winners", "both"]


def tell_reading(
    rows: Iterable[tuple[str | None, str | None, str | None]],
    own: Mapping[str, Outcome] | None = None,
) -> Reading:
    """Tell what outcomes are: sides, names of winners, or words that could be both."""
    unknown = turned = False
    for left, right, label in rows:
        if not (left and right and label):
            continue
        meant = read_outcome(label, own)
        named = "left" if label == left else "right" if label == right else None
        if named is None and (meant in (None, "tie") or is_missing(label, own)):
            continue
        if named is None or (own and label in own):
            return "sides"
        unknown = unknown or meant is None
        turned = turned or (named is not None and meant not in (None, named))
    if unknown:
        return "winners"
    return "both" if turned else "sides"


def names_winners(
    table: Table, roles: Mapping[str, str], own: Mapping[str, Outcome] | None = None
) -> bool:
    """Look at the first rows and say whether outcomes name the winner."""
    labels = [read_label(table, roles[role], role) for role in _ROLES]
    found = fetch_columns(table.frame.select(*labels).head(LOOK))
    columns = [cast("list[str | None]", found[role].tolist()) for role in _ROLES]
    reading = tell_reading(zip(*columns, strict=True), own)
    if reading == "both":
        words = sorted({*filter(None, columns[2])} & {*columns[0], *columns[1]})
        sides = {word: meant for word in words if (meant := read_outcome(word, own))}
        options = " ".join(f"--outcome '{word}={meant}'" for word, meant in sides.items())
        raise InvalidJudgments(
            f"column '{roles['outcome']}' of {table.name} can be read in two ways, as names of"
            " winners and as sides, and they differ: read names with --from crowd-kit (in Python"
            f" format='crowd_kit'), sides by declaring them ({options}, in Python outcomes={sides})"
        )
    return reading == "winners"


def turn_winners(
    table: Table, roles: Mapping[str, str], own: Mapping[str, Outcome] | None = None
) -> Table:
    """Replace the name of the winner by `left` or `right`, and words for a tie by `tie`.

    Any other label stays, to be refused with its rows when something is counted; labels that the
    caller declared have their meaning.
    """
    left, right, label = (read_label(table, roles[role], role) for role in _ROLES)
    ties = [word for word, outcome in KNOWN_LABELS.items() if outcome == "tie"]
    tied = label.str.to_lowercase().is_in(ties)
    other = nw.when(tied).then(nw.lit("tie")).otherwise(label)
    for meant in OUTCOMES:
        declared = [word for word, outcome in (own or {}).items() if outcome == meant]
        if declared:
            other = nw.when(label.is_in(declared)).then(nw.lit(meant)).otherwise(other)
    lost = nw.when(label == right).then(nw.lit("right")).otherwise(other)
    side = nw.when(label == left).then(nw.lit("left")).otherwise(lost)
    return table.with_frame(table.frame.with_columns(side.alias(roles["outcome"])))

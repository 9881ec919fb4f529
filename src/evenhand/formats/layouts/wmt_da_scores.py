"""WMT's direct assessment after averaging: one line for each output, or for each system.

    SYS SID RAW.SCR Z.SCR N
    UEdin.4 bn-hi-0-71-1000434.1_1 52 -1.22706736329917 1

    RAW.SCR Z.SCR N SYS N.ALL

Each line holds two scores, so it becomes two ratings, under the criteria raw and standardised. No
judge is named: the judgments behind an average are counted in `n`.
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

NAME: Final = "wmt_da_scores"
TITLE: Final = "WMT averages of direct assessments"
NEEDS: Final = ("SYS", "RAW.SCR", "Z.SCR", "N")
ROLES: Final = ()

_CRITERIA: Final = {"raw": "RAW.SCR", "standardised": "Z.SCR"}


def recognise(header: Header) -> bool:
    """Say whether systems and both kinds of scores are there."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Read both scores of each line; errors as in `make_ratings`."""
    require_columns(table, NEEDS, TITLE)
    rows = [
        {
            "item": record.text("SID"),
            "system": record.need("SYS"),
            "criterion": criterion,
            "score": record.text(column),
            "n": record.text("N"),
            "n_all": record.text("N.ALL"),
        }
        for record in read_records(table)
        for criterion, column in _CRITERIA.items()
    ]
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    notes = say_unread(list_unread(table, (*NEEDS, "SID", "N.ALL")))
    return replace(data, source=data.source.noting(*notes))

"""The raw log of an arena: one event a line, some of them votes.

    {"tstamp": 1682351591.1, "type": "leftvote", "models": ["a", "b"], "states": [...], "ip": "…"}

Votes are `leftvote`, `rightvote`, `tievote` and `bothbad_vote`; other events are no judgments,
they are left out and counted. Where `models` holds blanks, since the models were hidden, the
names stand in `states`. The judge is `ip` where there is one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import narwhals as nw

from evenhand.errors import UnknownColumn, UnknownFormat, UnknownOption, listing
from evenhand.formats.handles import COMPARISON_ROLES, Named, make_comparisons
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import fetch_columns
from evenhand.judgments.exclusions import exclude_by_format

NAME: Final = "arena_log"
TITLE: Final = "arena votes"
NEEDS: Final = ("type", "models")
ROLES: Final = COMPARISON_ROLES

_VOTES: Final = ("leftvote", "rightvote", "tievote", "bothbad_vote")


def recognise(header: Header) -> bool:
    """Say whether these are events with models, and no battles made of them."""
    return header.holds(NEEDS) and header.holds(["tstamp"]) and header.named("winner") is None


def understand(table: Table, wishes: Wishes) -> Comparisons:
    """Take the models apart and keep the votes."""
    lacking = [name for name in NEEDS if name not in table.columns]
    if lacking:
        raise UnknownColumn(f"{TITLE} need {listing(lacking)}, not found in {table.name}")
    if table.connection is None:
        raise UnknownFormat("the raw log of an arena is read from its JSON Lines file only")
    asked = {"left", "right", "outcome"} & set(wishes.columns)
    if asked:
        raise UnknownOption(f"the {min(asked)} of {TITLE} stands in its models and type")
    kinds = fetch_columns(table.frame.group_by("type").agg(nw.len().alias("n")))
    counted = dict(zip(kinds["type"].tolist(), kinds["n"].tolist(), strict=True))
    votes = sum(n for kind, n in counted.items() if kind in _VOTES)
    if not votes:
        raise UnknownFormat(f"{table.name} is a log without votes ({', '.join(_VOTES)})")
    frame = nw.from_native(table.frame.to_native().project(_projection(table)))
    kept = table.with_frame(frame.filter(nw.col("outcome").is_in(list(_VOTES))))
    fixed = {"left": "left", "right": "right", "outcome": "outcome", "judge": "ip"}
    data = make_comparisons(kept, wishes, Named(NAME, TITLE), fixed)
    others = sum(counted.values()) - votes
    if not others:
        return data
    words = "event that is no vote" if others == 1 else "events that are no votes"
    excluded = exclude_by_format({words: others}, "{n:,} {what} left out")
    return replace(data, source=data.source.excluding(*excluded))


def _projection(table: Table) -> str:
    """Return the SQL columns: both models, the vote, and the rest but what these came from."""
    sides = []
    for side, at in (("left", 0), ("right", 1)):
        name = f"nullif(models ->> '$[{at}]', '')"
        if "states" in table.columns:
            name = f"coalesce({name}, states ->> '$[{at}].model_name')"
        sides.append(f'{name} as "{side}"')
    gone = [name for name in ("models", "type", "states") if name in table.columns]
    return f'{", ".join(sides)}, "type" as outcome, * exclude ({", ".join(gone)})'

"""The ranking that is left without some judges, from votes that were read once.

What `rank` finds of the table without them, from counts of the votes that are at hand: a table
need not be read again for every judge that is left out.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from evenhand.errors import NotIdentified
from evenhand.judgments.levels import Levels
from evenhand.judgments.rating_rows import CONTROL
from evenhand.judgments.vote_parts import take_task
from evenhand.judgments.votes import Votes
from evenhand.ranking.clustering import wanted_factors
from evenhand.ranking.evidence import Evidence, merge_factors
from evenhand.ranking.rank import make_ranking
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.settings import Settings

NAMELESS: Final = ("",)


def rank_without(votes: Votes, judges: Collection[str], settings: Settings) -> Ranking:
    """Rank the systems of one task by the votes of all judges but some.

    Args:
        votes: of one task; controls, which tell of judges, are left out.
        judges: names of those to leave out; nobody, to rank all votes.
        settings: how to rank; no controls of the model, which need the table.

    Raises:
        NotIdentified: nobody else judged, or the votes that are left determine no worths.
        NotConverged: the estimates were not found.

    >>> import evenhand, pandas as pd
    >>> from evenhand.preference.bradley_terry import BradleyTerry
    >>> rows = [(f"j{i % 9}", "A", "B", "left" if i % 4 else "right") for i in range(90)]
    >>> table = pd.DataFrame(rows, columns=["judge", "left", "right", "outcome"])
    >>> settings = Settings(BradleyTerry(), "rank-sets", None, 0.95, 20131, None)
    >>> rank_without(evenhand.read(table).votes(), ["j3"], settings).n_judgments
    80.0
    """
    gone = [code for code, name in enumerate(votes.judges) if name in judges]
    kept = ~np.isin(votes.judge, gone)
    if votes.kind is not None:
        kept &= votes.kind != CONTROL
    rows = np.flatnonzero(kept)
    if not len(rows):
        raise NotIdentified("nobody else judged here", ["keep some of the judges"])
    part = take_task(votes, rows)
    ways = wanted_factors(settings.cluster, _name_factors(part))
    tally = part.tally(ways)
    loads = {name: factor.loads for name, factor in tally.factors.items()}
    return make_ranking(Evidence.of(merge_factors(tally)), Levels(loads), settings)


def _name_factors(votes: Votes) -> set[str]:
    """Return what tells judgments apart that may hang together."""
    known = {name for name in ("judge", "item") if getattr(votes, f"{name}s") != NAMELESS}
    return known | ({"ranking"} if votes.answer is not None else set())

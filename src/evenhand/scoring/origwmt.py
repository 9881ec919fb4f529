"""ORIGWMT: how often a system was judged better than or as good as the other; a tie is a win.

    score(s) = (w + t) / (w + t + l),   w, t, l: wins, ties and losses of s in all its comparisons

The official score of WMT until 2011; Hopkins & May (2013), section 2, call it ORIGWMT.

When not to use it: a system that often ties is rewarded for it. Enter a system twice: the copies
tie, and a system with one win and one loss against one other rises from 2/3 to 5/6 where it was
tied once (tests/scoring). It also pays to meet weak opponents; nothing corrects for who was met.
"""

from __future__ import annotations

from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.scoring.standings import list_meetings


def score_origwmt(tally: Tally) -> Scores:
    """Score systems by the share of their comparisons that they did not lose.

    Args:
        tally: counts; groups, judges and who was shown first are pooled.

    Returns:
        Proportions. Pairs that never met do not count.

    Raises:
        NotIdentified: no chain of comparisons joins all systems.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "x", "x"], "right": ["y"] * 3, "winner": ["left", "tie", "right"]}
    >>> score_origwmt(read(pl.DataFrame(votes)).tally()).values.round(3).tolist()
    [0.667, 0.667]
    """
    met = list_meetings(tally)
    values = met.sum(met.wins + met.ties) / met.sum(met.totals)
    return Scores("origwmt", tally.systems, values, "proportion")

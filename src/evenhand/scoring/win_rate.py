"""Win rate: the share of all its comparisons that a system won; a tie counts against both.

    score(s) = w / (w + t + l),   w, t, l: wins, ties and losses of s in all its comparisons

Adam Lopez's repository alopez/wmt-ranking has it beside BOJAR, as heuristic 2.

When not to use it: a system that often ties is punished for it, as `origwmt` rewards it; and it
depends on which opponents a system met.
"""

from __future__ import annotations

from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.scoring.standings import list_meetings


def score_win_rate(tally: Tally) -> Scores:
    """Score systems by the share of their comparisons that they won.

    Args:
        tally: counts; groups, judges and who was shown first are pooled.

    Returns:
        Proportions. Pairs that never met do not count.

    Raises:
        NotIdentified: no chain of comparisons joins all systems.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "x"], "right": ["y", "y"], "winner": ["left", "tie"]}
    >>> score_win_rate(read(pl.DataFrame(votes)).tally()).values.tolist()
    [0.5, 0.0]
    """
    met = list_meetings(tally)
    return Scores("win-rate", tally.systems, met.sum(met.wins) / met.sum(met.totals), "proportion")

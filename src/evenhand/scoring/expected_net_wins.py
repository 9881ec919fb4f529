"""Expected net wins: wins less losses against an opponent drawn at random, every opponent alike.

    score(s) = mean over opponents o of (w_so − w_os) / (w_so + t_so + w_os)

As Adam Lopez's repository alopez/wmt-ranking computes it, with the mean over the opponents that s
met. A tie is worth nothing to either, but it is a comparison: many ties pull a pair towards 0.

When not to use it: as for `expected-wins`, a pair judged once weighs as much as one judged a
hundred times.
"""

from __future__ import annotations

from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.scoring.standings import list_meetings


def score_expected_net_wins(tally: Tally) -> Scores:
    """Score systems by their mean share of net wins over the opponents they met.

    Args:
        tally: counts; groups, judges and who was shown first are pooled.

    Returns:
        Net proportions, −1 to 1.

    Raises:
        NotIdentified: no chain of comparisons joins all systems.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "x"], "right": ["y", "y"], "winner": ["left", "tie"]}
    >>> score_expected_net_wins(read(pl.DataFrame(votes)).tally()).values.tolist()
    [0.5, -0.5]
    """
    met = list_meetings(tally)
    values = met.mean((met.wins - met.losses) / met.totals, met.opponents)
    return Scores("expected-net-wins", tally.systems, values, "net proportion")

"""Soccer: one point for a win and half a point for a tie, shared out opponent by opponent.

    score(s) = mean over opponents o of (w_so + t_so / 2) / (w_so + t_so + w_os)

As Adam Lopez's repository alopez/wmt-ranking computes the rule it calls so: half points, and not
the three points for a win of football leagues. It is (1 + expected net wins) / 2, so that it orders
as `expected-net-wins` does; in chess it would be the score in per cent.

When not to use it: where `expected-net-wins` stands beside it already.
"""

from __future__ import annotations

from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.scoring.standings import list_meetings


def score_soccer(tally: Tally) -> Scores:
    """Score systems by their mean share of points over the opponents they met.

    Args:
        tally: counts; groups, judges and who was shown first are pooled.

    Returns:
        Proportions of the points.

    Raises:
        NotIdentified: no chain of comparisons joins all systems.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "x"], "right": ["y", "y"], "winner": ["left", "tie"]}
    >>> score_soccer(read(pl.DataFrame(votes)).tally()).values.tolist()
    [0.75, 0.25]
    """
    met = list_meetings(tally)
    values = met.mean((met.wins + met.ties / 2) / met.totals, met.opponents)
    return Scores("soccer", tally.systems, values, "proportion")

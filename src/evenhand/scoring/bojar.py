"""BOJAR: the share of decided comparisons that a system won; ties do not count.

    score(s) = w / (w + l),   w, l: wins and losses of s in all its comparisons

Bojar, Ercegovčević, Popel & Zaidan (2011), "A Grain of Salt for the WMT Manual Evaluation"; the
official score of WMT 2012. Hopkins & May (2013), section 2, call it BOJAR.

When not to use it: opponents differ. A system that happened to meet strong ones more often scores
lower for it (Lopez 2012; Koehn 2012): `expected-wins` weighs opponents alike.
"""

from __future__ import annotations

from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.scoring.standings import list_meetings, require_decided


def score_bojar(tally: Tally) -> Scores:
    """Score systems by the share of their decided comparisons that they won.

    Args:
        tally: counts; groups, judges and who was shown first are pooled.

    Returns:
        Proportions. Ties and pairs that never met do not count.

    Raises:
        NotIdentified: no chain of decided comparisons joins all systems.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "x", "x"], "right": ["y"] * 3, "winner": ["left", "tie", "left"]}
    >>> score_bojar(read(pl.DataFrame(votes)).tally()).values.tolist()
    [1.0, 0.0]
    """
    met = list_meetings(tally)
    require_decided(met, "bojar")
    values = met.sum(met.wins) / met.sum(met.decided)
    return Scores("bojar", tally.systems, values, "proportion")

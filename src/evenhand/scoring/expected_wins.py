"""Expected wins: the chance to beat an opponent drawn at random, every opponent alike.

    score(s) = mean over opponents o of w_so / (w_so + w_os),   w_so: how often s was preferred to o

Koehn (2012), "Simulating Human Judgment in Machine Translation Evaluation Campaigns"; the official
score of WMT 2013. Ties do not count. For a pair that never met, or only tied, there are two rules,
each with a name of its own:

`expected-wins` (the default) takes the mean over the opponents against whom something was decided:
    a comparison that was never made says nothing about the system. So does alopez/wmt-ranking.
`expected-wins-zero` takes it over all K − 1 others, such a pair counting 0 for both, as infer_EW.py
    of keisks/wmt-trueskill does: whoever was compared with fewer systems scores lower.

With all pairs decided the two are equal.

When not to use it: a pair judged once weighs as much as one judged a hundred times, so that few
judgments a pair make it noisy; and where pairs are missing, who was met still matters.
"""

from __future__ import annotations

import numpy as np

from evenhand.errors import listing
from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.scoring.standings import Meetings, list_meetings, require_decided


def score_expected_wins(tally: Tally) -> Scores:
    """Score systems by their mean share of wins over the opponents decided against.

    Args:
        tally: counts; groups, judges and who was shown first are pooled.

    Returns:
        Proportions, and a note if pairs are missing.

    Raises:
        NotIdentified: no chain of decided comparisons joins all systems.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "x", "y"], "right": ["y", "y", "z"], "winner": ["left"] * 3}
    >>> score_expected_wins(read(pl.DataFrame(votes)).tally()).values.tolist()
    [1.0, 0.5, 0.0]
    """
    met = _decided(tally)
    require_decided(met, "expected-wins")
    values = met.mean(met.wins / met.decided, met.opponents)
    notes = _missing(met, "do not count")
    return Scores("expected-wins", tally.systems, values, "proportion", notes=notes)


def score_expected_wins_zero(tally: Tally) -> Scores:
    """Score systems by their mean share of wins over all others, 0 where nothing was decided.

    Args:
        tally: counts; groups, judges and who was shown first are pooled.

    Returns:
        Proportions, with notes if pairs are missing or a system only ever tied.

    Raises:
        NotIdentified: no chain of comparisons joins all systems.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "x", "y"], "right": ["y", "y", "z"], "winner": ["left"] * 3}
    >>> score_expected_wins_zero(read(pl.DataFrame(votes)).tally()).values.tolist()
    [0.5, 0.5, 0.0]
    """
    met = _decided(tally)
    values = met.mean(met.wins / met.decided, len(tally.systems) - 1)
    tied = [tally.systems[i] for i in np.flatnonzero(met.opponents == 0).tolist()]
    notes = _missing(met, "count 0 for both")
    if tied:
        notes += (f"{listing(tied)}: all comparisons are ties, the score is 0 by this rule",)
    return Scores("expected-wins-zero", tally.systems, values, "proportion", notes=notes)


def _decided(tally: Tally) -> Meetings:
    met = list_meetings(tally)
    return met.only(met.decided > 0)


def _missing(met: Meetings, what: str) -> tuple[str, ...]:
    k = len(met.systems)
    missing = k * (k - 1) // 2 - len(met.system) // 2
    if not missing:
        return ()
    return (f"{missing:,} of {k * (k - 1) // 2:,} pairs were never decided and {what}",)

"""Whether verdicts are as divided on what people judged as on the rest."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from evenhand.data.tally import Tally
from evenhand.numerics import Flags
from evenhand.ranking.clustering import ENOUGH_ITEMS
from evenhand.ranking.texts import say
from evenhand.render.findings import Finding


@dataclass(frozen=True)
class Sampling:
    """How divided verdicts are, 0 (all alike) to 1 (half each), on pairs of outputs."""

    t: float  # of the difference, within pairs of systems
    judged: float  # mean over the pairs of outputs that people judged
    others: float  # over the others

    @property
    def warns(self) -> Finding:
        """The warning where they differ."""
        differ = (
            f"are {'more' if self.t > 0 else 'less'} divided on the pairs of outputs that people"
            f" judged than on the others: {self.judged:.2f} and {self.others:.2f}, from 0 (all"
            " alike) to 1 (half each)"
        )
        return say("verdicts-not-alike", "warning", t=self.t, differ=differ)


def check_pairs(verdicts: Tally, of_people: Flags) -> Sampling | None:
    """Compare how divided verdicts are on the pairs of outputs that people judged and the others.

    A regression on whether people judged it, (C,) flags of verdicts, one for each pair of outputs,
    with a mean for each pair of systems and errors by item.
    """
    judged = of_people.astype(np.float64)
    k, item = len(verdicts.systems), verdicts.factor("item").codes
    divided = 1 - np.abs(verdicts.wins - verdicts.losses)
    _, pair = np.unique(verdicts.left.astype(np.int64) * k + verdicts.right, return_inverse=True)
    n = np.bincount(pair)
    moved, apart = (x - (np.bincount(pair, x) / n)[pair] for x in (judged, divided))
    square = float((moved**2).sum())
    items = [len(np.unique(item[of_people == one])) for one in (True, False)]
    if min(items) < ENOUGH_ITEMS or not square > 0:
        return None
    slope = float((moved * apart).sum()) / square
    scores = np.bincount(item, moved * (apart - slope * moved))
    error = sqrt(float((scores**2).sum())) / square
    if not error > 0:
        return None
    means = (float(divided[of_people == one].mean()) for one in (True, False))
    return Sampling(slope / error, *means)

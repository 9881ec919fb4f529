"""What a test of the fit could have seen: without that, its silence says nothing.

The statistic T = Σ r²/w of pairs, over the factor c by which judges and items spread it, is about
χ² on df. Pairs off by d (proportion) move it by λ = 4 n d² df / (P c), with n decided comparisons
of P pairs: 4 stands for 1/(p q), which is at least that. d is where λ gives a power of .8.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from evenhand.judgments.tally import Tally
from evenhand.ranking.cycles_result import Cycles

POWER: Final = 0.8
"""Chance with which something is to show."""


def find_visible(cycles: Cycles, tally: Tally) -> float | None:
    """Return by how much pairs must be off, typically, to show with a chance of .8 (proportion).

    Args:
        cycles: what `find_cycles` found.
        tally: the same judgments.

    Returns:
        About that much, at most 1/2; None where nothing could be seen, however far pairs are off.

    """
    if cycles.p is None:
        return None
    from scipy.special import chdtri, chndtrinc

    decided = tally.wins + tally.losses
    low, high = np.minimum(tally.left, tally.right), np.maximum(tally.left, tally.right)
    keys = low.astype(np.int64) * len(tally.systems) + high
    pairs = len(np.unique(keys[decided > 0]))
    shift = float(chndtrinc(chdtri(cycles.df, 1 - cycles.level), cycles.df, 1 - POWER))
    spread = cycles.noise / cycles.df
    visible = float(np.sqrt(shift * spread * pairs / (4 * decided.sum() * cycles.df)))
    return visible if visible <= 0.5 else None

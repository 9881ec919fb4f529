"""How many more judgments would decide pairs that are open, from the judgments there are.

A pair is decided if its difference is beyond c standard errors. Today's estimate d̂, with error s,
stays part of what will be known. With t times as many judgments, by as many more judges and on as
many more items of the same kind, of a pair that is d apart (as in `outlook.py`),

    d̂_t = d̂/t + (1 − 1/t) d + ε,   ε ~ N(0, s² (t − 1)/t²)

and it is decided with power π at the t where

    d̂ + (t − 1) d = c s √t + z_π s √(t − 1)

which a pair that is open today has once where d > 0, beyond t = 1, and nowhere else. m judgments of
this pair alone add their own information i to what there is, so that t = 1 + m i s²; i is that of
one judgment in the model, less by what judges and items add to the variance. d is taken to be d̂;
the least and the most go with the ends of its 80 % interval. Of an open pair the interval often
reaches zero, and then no number is the most. Ours.

When not to use it: to plan a campaign of other judges, systems or pairs (`evenhand plan`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.numerics.distributions import normal_quantile
from evenhand.preference.fit import Fit
from evenhand.ranking.rank_sets import FEW, RankSets
from evenhand.ranking.ranking import Ranking

Array = NDArray[np.float64]
POWER: Final = 0.8
RANGE: Final = 0.8
"""Level of the interval of a difference (proportion)."""
STEPS: Final = 60
"""Halvings of the search for t: more than digits of a number."""


@dataclass(frozen=True)
class Separation:
    """What would decide a pair.

    Attributes:
        better: the system that is ahead.
        worse: the other.
        gap: difference of log-worths (log-odds).
        stderr: its standard error.
        times: so many times as many judgments of all pairs, more than 1 of a pair that is open;
            None where no number is enough.
        times_least: if the gap is as large as it may be.
        times_most: if it is as small; None where it may be none.
        alone: so many more judgments of this pair alone; None where that does not decide it.
        alone_least: if the gap is as large as it may be.
        alone_most: if it is as small; None where it may be none.
        barred: whether it may not be decided, since too few judges or items link the two.

    """

    better: str
    worse: str
    gap: float
    stderr: float
    times: float | None
    times_least: float | None
    times_most: float | None
    alone: float | None
    alone_least: float | None
    alone_most: float | None
    barred: bool


def separate_pairs(
    ranking: Ranking, pairs: Sequence[tuple[int, int]], power: float = POWER
) -> tuple[Separation, ...]:
    """Say how many more judgments would decide pairs.

    Args:
        ranking: with rank sets.
        pairs: places of the better and the worse system on the board.
        power: chance of deciding it that is wanted (proportion).

    Raises:
        NotIdentified: the ranking has no rank sets.

    """
    critical = find_critical(ranking)
    return tuple(_separate(ranking, pair, critical, power) for pair in pairs)


def find_critical(ranking: Ranking) -> float:
    """Return the |t| beyond which pairs of a board are decided: that of the last step.

    Raises:
        NotIdentified: the ranking has no rank sets.

    """
    sets = ranking.rank_sets
    if sets is None or ranking.pair_stderr is None:
        raise NotIdentified("what would decide a pair is asked of rank sets, and there are none")
    if not sets.critical or not np.isfinite(min(sets.critical)):
        raise NotIdentified(
            "no pair can be decided, whatever the judgments say: judges or items are too few",
            ["more judges", "more items"],
        )
    return min(sets.critical)


def find_times(today: float, apart: float, critical: float, power: float) -> float | None:
    """Return how many times as many judgments decide a pair with a power.

    Args:
        today: its estimated difference over the error of that.
        apart: its difference over the same error.
        critical: |t| beyond which it is decided.
        power: chance (proportion, .5 or more).

    Returns:
        1 of a pair that is decided, more of one that is open; None where no number is enough.

    >>> find_times(1.0, 1.0, 2.0, 0.5)  # the error is halved by four times as many
    4.0
    >>> find_times(1.0, 0.0, 2.0, 0.8) is None
    True
    """
    if today > critical:
        return 1.0
    if apart <= 0:
        return None
    sure = normal_quantile(power)

    def is_short(more: float) -> bool:
        needed = critical * np.sqrt(1 + more) + sure * np.sqrt(more)
        return bool(today + more * apart < needed)

    low, high = 0.0, 1.0
    while is_short(high):
        low, high = high, 2 * high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_short(middle) else (low, middle)
    return 1 + high


def _separate(ranking: Ranking, pair: tuple[int, int], critical: float, power: float) -> Separation:
    """Say what would decide one pair, at its gap and at the ends of the interval of that."""
    sets, errors = ranking.rank_sets, ranking.pair_stderr
    stderr = 0.0 if errors is None else float(errors[pair])
    gap = float(ranking.estimate[pair[0]] - ranking.estimate[pair[1]])
    today = gap / stderr if stderr > 0 else np.inf
    wide = normal_quantile((1 + RANGE) / 2)
    barred = sets is not None and bool(sets.barred[pair])
    each = None if barred else _weigh_judgment(ranking, pair, stderr)
    found = [find_times(today, one, critical, power) for one in (today, today + wide, today - wide)]
    alone = [
        None if each is None or one is None else (one - 1) / (each * stderr**2) for one in found
    ]
    times = [one if sets is None else _link(sets, pair, one) for one in found]
    return Separation(
        better=ranking.systems[pair[0]],
        worse=ranking.systems[pair[1]],
        gap=gap,
        stderr=stderr,
        times=times[0],
        times_least=times[1],
        times_most=times[2],
        alone=alone[0],
        alone_least=alone[1],
        alone_most=alone[2],
        barred=barred,
    )


def _link(sets: RankSets, pair: tuple[int, int], times: float | None) -> float | None:
    """Return no fewer than link a pair by judges and items enough; None where none do."""
    effective = float(sets.effective[pair])
    if times is None or sets.resting[pair] or effective <= 0:
        return None
    return max(times, FEW / effective)


def _weigh_judgment(ranking: Ranking, pair: tuple[int, int], stderr: float) -> float | None:
    """Return the information that one more judgment of a pair adds; None where it is not known.

    As much as in the model, less by what judges and items add to the variance.
    """
    fit = ranking.fit
    if not isinstance(fit, Fit) or fit.vcov is None or stderr <= 0:
        return None
    first, second = (fit.systems.index(ranking.systems[place]) for place in pair)
    spread = fit.worth_vcov
    own = float(spread[first, first] + spread[second, second] - 2 * spread[first, second])
    chances = fit.predict([(fit.systems[first], fit.systems[second])])[0]
    decided = 1.0 - float(chances[1])
    one = (decided - float(chances[0] - chances[2]) ** 2) / 4
    return one / max(stderr**2 / own, 1.0) if own > 0 and one > 0 else None

"""Items on whose outputs judges are farthest apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.votes import Votes, sort_votes
from evenhand.errors import NotIdentified
from evenhand.judges.agreement_table import Doubtful
from evenhand.judges.preferences import (
    PairAgreement,
    compare_pairs,
    count_answers,
    leave_controls,
    pair_up,
)
from evenhand.judges.units import SHARE_OUTPUTS, Units, label_groups
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups

# On which items do judges agree, or contradict each other, more than blind answers would? Blind are
# shuffled answers: the ranks that a judge gave are dealt anew among the outputs of that ranking,
# and of a comparison the two sides. Who judged what, how often each judge ties, and that pairs of
# one ranking are correlated, stay. With a_i the agreeing pairs of votes of item i, m_i their mean
# over the replicates and what was seen, s_i their deviation, both pooled over items with as many
# output pairs and as many pairs of votes (of the mean also with as many ties),
#
# z_i = (a_i − m_i) / s_i,   P_i = (1 + #{replicates: max_j z_j ≥ z_i}) / (replicates + 1)
#
# P_i is the chance that so extreme an item arises anywhere among all of them (Westfall & Young
# 1993, Resampling-Based Multiple Testing, max-T). Agreeing more than blindly is little.

REPLICATES: Final = 99
TIED: Final = 1e-9  # Differences of z below this are rounding


@dataclass(frozen=True, eq=False)
class ItemAgreement:
    """Agreement of different judges on every item that two or more judged, I of them."""

    pairs: PairAgreement  # agreement by output pair
    item: NDArray[np.intp]  # (I,) code of the item
    comparable: Integers  # (I,) pairs of votes of different judges on the same two outputs
    agree: Integers  # (I,) those that agree
    decided: Integers  # (I,) those that agree on which output is better
    blind_agree: Array  # (I,) mean of `agree` over blind replicates
    blind_decided: Array  # (I,) mean of `decided`
    p_against: Array  # (I,) chance that blind judges contradict each other so much on any item
    p_decided: Array  # (I,) chance that blind judges agree so much on a preference on any item
    # items on whose pairs all prefer the same outputs; seen, and mean of replicates
    united: tuple[int, float]
    replicates: int  # blind replicates


def compare_items(votes: Votes, *, replicates: int = REPLICATES, seed: int = SEED) -> ItemAgreement:
    """Compare how far judges agree on each item with what blind answers would give."""
    votes = leave_controls(votes)
    votes = votes.take(sort_votes(votes))
    pairs = compare_pairs(votes)
    every = np.bincount(pairs.item, pairs.comparable)
    item = np.flatnonzero(every)
    if not len(item):
        raise NotIdentified("no two judges compared the same two outputs", [SHARE_OUTPUTS])
    comparable = every[item].astype(np.int64)
    held = pairs.comparable > 0  # of the others nothing can agree
    draw, rng = _prepare_draws(votes, held), np.random.default_rng(seed)
    place = np.searchsorted(item, pairs.item[held])
    # (1 + replicates, I) agreeing pairs of votes, and those on a preference; first as observed
    agree, decided = np.empty((2, 1 + replicates, len(item)))
    for row in range(1 + replicates):
        seen = pairs.agree[held], pairs.decided[held]
        counts = draw(rng) if row else seen
        agree[row], decided[row] = (np.bincount(place, n, len(item)) for n in counts)
    several = np.bincount(pairs.item, pairs.comparable > 0)[item].astype(np.int64)
    ties = np.bincount(pairs.item, pairs.said[:, 1])[item].astype(np.int64)
    wide = number_groups(comparable, several)
    alike = (number_groups(wide, ties), wide)
    united = (decided == comparable).sum(axis=1)
    return ItemAgreement(
        pairs=pairs,
        item=item,
        comparable=comparable,
        agree=agree[0].astype(np.int64),
        decided=decided[0].astype(np.int64),
        blind_agree=agree[1:].mean(axis=0),
        blind_decided=decided[1:].mean(axis=0),
        p_against=_adjust(-agree, alike),
        p_decided=_adjust(decided, alike),
        united=(int(united[0]), float(united[1:].mean())),
        replicates=replicates,
    )


# Pairs of votes below which an item is no example: three judges, or two who ranked three
MIN_PAIRS: Final = 3
# Pairs of votes by which an item's excess is drawn to 0 when items are put in order
PRIOR: Final = 5.0


def rank_items(agreement: ItemAgreement, beyond: Flags, excess: Array) -> list[int]:
    """Return the places of items, the most extreme first: those beyond chance, then by excess.

    The excess over blind answers is drawn to 0 as by some more pairs of votes, since an item with
    one pair is not the most extreme for it; items with very few come last.
    """
    drawn = excess / (agreement.comparable + PRIOR)
    order = np.lexsort((-drawn, ~beyond, agreement.comparable < MIN_PAIRS))
    return [int(at) for at in order]


def list_sides(agreement: ItemAgreement, votes: Votes, at: int) -> list[dict[str, Any]]:
    """Return how each system does on an item, best first: net share of wins, votes."""
    pairs = agreement.pairs
    indices = np.flatnonzero((pairs.item == agreement.item[at]) & (pairs.comparable > 0))
    net, made = np.zeros((2, len(votes.systems)))
    said = pairs.said[indices]
    lead, size = said[:, 2] - said[:, 0], said.sum(axis=1)
    for systems, sign in ((pairs.low[indices], 1), (pairs.high[indices], -1)):
        np.add.at(net, systems, sign * lead)
        np.add.at(made, systems, size)
    rows = []
    for k in np.flatnonzero(made).tolist():
        share = round(float(net[k] / made[k]), 3)
        rows.append({"system": votes.systems[k], "net": share, "votes": int(made[k])})
    return sorted(rows, key=lambda row: (-row["net"], row["system"]))


def _adjust(counts: Array, alike: tuple[Integers, Integers]) -> Array:
    """(I,) max-T chances of (1 + replicates, I) counts, what was seen first."""
    same, wide = alike
    mean = np.bincount(same, counts.mean(axis=0)) / np.bincount(same)
    beyond = counts - mean[same]
    square = np.bincount(wide, (beyond**2).mean(axis=0)) / np.bincount(wide)
    spread = np.sqrt(square)[wide]
    z = beyond / np.where(spread > 0, spread, 1.0)
    most = z[1:].max(axis=1)
    return np.asarray((1 + (most[:, None] >= z[0] - TIED).sum(axis=0)) / len(z))


def _prepare_draws(
    votes: Votes, held: Flags
) -> Callable[[np.random.Generator], tuple[Array, Array]]:
    """Return what counts agreement of blind answers on the (P,) output pairs that several judged.

    That is (P,) agreeing pairs of votes of different judges, and those on a preference.
    """
    pair = number_groups(votes.pair)
    rows = np.flatnonzero(held[pair])
    pair = (np.cumsum(held) - 1)[pair[rows]]
    own = number_groups(pair, votes.judge[rows])
    of_own = label_groups(own, pair)
    preferred = votes.preferred
    if votes.answer is not None:
        # answers of each output, in ascending order, and the pairs it won there less those it lost
        k, size = len(votes.systems), votes.size
        sides = np.sort([votes.left, votes.right], axis=0).ravel()
        keys = np.tile(votes.answer.astype(np.int64), 2) * k + sides
        member, at = np.unique(keys, return_inverse=True)
        answer, at = member // k, at.reshape(-1)
        both = np.concatenate([preferred.astype(float), -preferred.astype(float)])
        worth = np.bincount(at, both, len(member)).astype(np.float64)
        low, high = at[:size][rows], at[size:][rows]

    def draw(rng: np.random.Generator) -> tuple[Array, Array]:
        if votes.answer is None:
            turned = rng.integers(0, 2, len(preferred), dtype=np.int8)[rows] * 2 - 1
            said = np.asarray(preferred[rows] * turned, dtype=np.int8)
        else:
            dealt = worth[np.argsort(answer + rng.random(len(answer)))]
            said = np.sign(dealt[low] - dealt[high]).astype(np.int8)
        same, decided, _ = pair_up(count_answers(pair, said)).astype(np.float64)
        if len(of_own) < len(rows):  # some judge voted twice on a pair
            mine = pair_up(count_answers(own, said))
            less = [np.bincount(of_own, part, len(same)) for part in mine[:2]]
            same, decided = same - less[0], decided - less[1]
        return same, decided

    return draw


MAX_ITEMS_LISTED: Final = 10  # Most items that are listed
PRIOR_UNITS: Final = 5.0  # Units of the mean item that every item is drawn towards
_DIGITS: Final = 12


def list_doubtful(units: Units, difference: Array) -> tuple[Doubtful, ...]:
    """Return the items on whose outputs judges differ most, the worst first."""
    # They are ordered by their mean drawn towards that of all items as by five more units, since an
    # item with one unit is not the worst for one wide gap. Equal ones stand by name.
    if not units.several.any():
        return ()
    names, items = units.labels("item")
    mask = slice(None) if units.several.all() else units.several
    count = np.bincount(items[mask], minlength=len(names))
    total = np.bincount(items[mask], difference[mask], len(names))
    mean = float(total.sum() / count.sum())
    drawn = (total + PRIOR_UNITS * mean) / (count + PRIOR_UNITS)
    seen = np.flatnonzero(count)
    most = float(difference.max(initial=0.0)) or 1.0
    equal = np.round(drawn[seen] / most, _DIGITS)  # sums of equal fractions differ in the last one
    ascending = np.argsort(-equal, kind="stable")[:MAX_ITEMS_LISTED]
    tasks, task = units.labels("task")
    doubtful = []
    for item in seen[ascending].tolist():
        task_name = tasks[0] if len(tasks) == 1 else tasks[task[int(np.argmax(items == item))]]
        numbers = (int(count[item]), float(total[item] / count[item]), float(drawn[item]))
        doubtful.append(Doubtful(names[item], task_name, *numbers))
    return tuple(doubtful)

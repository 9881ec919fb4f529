"""Preferences as units, how far judges agree in them, and how far worths expect them to.

An output pair is what is judged. The answer is who was preferred, whichever output stood left: the
system that is first by name (+1), neither (0), the other (−1). Which of two systems is named first
must not matter, so every unit counts in both orders (`mirror`): chance is that of ties and of
preferring either one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.rating_rows import CONTROL, TARGET, RatingRows, Scale
from evenhand.data.votes import TIE, Votes, sort_votes
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judges.counts import Ratio, bound_by_items
from evenhand.judges.units import SHARE_OUTPUTS, label_groups
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups, sum_by

# The pairwise κ of the WMT shared tasks, as printed and strict. Two votes on the same two outputs
# of an item agree if both prefer the same one, or neither does:
#
# κ = (P(A) − P(E)) / (1 − P(E)),   P(A) = agreeing pairs of votes / comparable pairs of votes
# P(E) = p² + 2 ((1 − p) / 2)²,     p = share of ties among comparisons
#
# strict inter: votes of two different judges, whichever output stood left; not rows marked as
# repeats, which were asked to hold a judge against himself
# strict intra: two votes of one judge, whichever output stood left, also split by whether the order
# was the same or exchanged; p over all comparisons
# wmt inter: votes shown in the same left-right order, one judge's repeats among them; p over all
# wmt intra: two votes of one judge in the same order; p over the comparisons of every judge and
# item in which that occurs
#
# `wmt` is what the organisers' program computes, and what the overview papers print. It misses
# pairs that were shown in exchanged order, and calls repeats of one judge agreement between judges.
# Nothing goes through pairs of votes: n_o votes for outcome o give Σ_o n_o (n_o − 1) / 2 agreeing.
#
# Source: Bojar et al. (2016), Findings of the 2016 Conference on Machine Translation, section 3.3;
# `compute_agreement_scores.py` of the released data. Outputs that were merged for being identical
# ("A+B") and are expanded into pairs of all their systems count one answer, and its ties, many
# times: κ is inflated (WMT 2015 English-Czech, .438 merged and .772 expanded).

Counted = NDArray[np.integer | np.floating]
Parts = tuple[NDArray[np.float64], NDArray[np.float64]]
Mode = Literal["strict", "wmt"]
Among = Literal["inter", "intra"]
Order = Literal["any", "same", "exchanged"]
Share = TypeVar("Share", float, NDArray[np.float64])

MODES: Final = ("strict", "wmt")


@dataclass(frozen=True, eq=False)
class PreferenceAgreement:
    # (I, 4) of each item agreeing and comparable pairs of votes, ties and comparisons that chance
    # is taken from; the next four are their sums
    by_item: Integers
    agree: int
    comparable: int
    ties: int
    total: int
    units: int  # output pairs (as they were shown, in mode wmt) with comparable votes
    votes: int  # votes on them
    # comparable pairs of votes that are one judge's, where they count as of two (mode wmt between
    # judges, judges named); else 0
    own: int

    @property
    def observed(self) -> float | None:
        """P(A), the share that agrees (proportion); None without comparable votes."""
        return self.agree / self.comparable if self.comparable else None

    @property
    def chance(self) -> float | None:
        """P(E), the share that would by chance (proportion); None without comparisons."""
        return chance_agreement(self.ties / self.total) if self.total else None

    @property
    def kappa(self) -> float | None:
        """κ; None without comparable votes, or where all comparisons are ties."""
        over, under = correct_chance(*self.by_item.sum(axis=0))
        return float(over / under) if under else None


def compare_votes(
    votes: Votes, *, mode: Mode = "strict", among: Among = "inter", order: Order = "any"
) -> PreferenceAgreement:
    if not votes.positions_known and (mode == "wmt" or order != "any"):
        choice = "mode wmt compares" if mode == "wmt" else f"order '{order}' asks for"
        raise UnknownOption(
            f"{choice} votes by what stood left, which the table does not say: use mode strict"
        )
    check_names(votes, judges=(mode, among) != ("wmt", "inter"))
    votes = leave_repeats(votes) if (mode, among) == ("strict", "inter") else leave_controls(votes)
    wmt = mode == "wmt"
    unit = votes.number("shown" if wmt else "pair")
    if among == "inter":
        pairs = pair_up(count_answers(unit, votes.preferred))
        pairs = pairs if wmt else pairs - _count_own(votes, unit)
    else:
        pairs = _count_own(votes, unit, same_order=wmt or order == "same")
        if order == "exchanged":
            pairs = pairs - _count_own(votes, unit, same_order=True)
    agree, _, comparable = pairs
    item = label_groups(unit, votes.item)
    base = np.ones(votes.size, dtype=np.bool_)  # the comparisons that chance is taken from
    if wmt and among == "intra":  # whose judge gave two comparable votes on the item
        block = votes.number("item", "judge")
        base = np.isin(block, block[_find_again(votes, same_order=True)[0]])
    size = len(votes.items)
    columns = [np.bincount(item, n, minlength=size).astype(np.int64) for n in (agree, comparable)]
    asked = (base & (votes.outcome == TIE), base)
    columns += [np.bincount(votes.item[rows], minlength=size) for rows in asked]
    own = 0
    if wmt and among == "inter" and votes.judges != ("",):
        own = int(_count_own(votes, unit, same_order=True)[2].sum())
    held, by_item = comparable > 0, np.column_stack(columns)
    agree, comparable, ties, total = by_item.sum(axis=0).tolist()
    counts = (agree, comparable, ties, total, int(held.sum()), int(held[unit].sum()))
    return PreferenceAgreement(by_item, *counts, own)


def leave_controls(votes: Votes) -> Votes:
    """Keep the votes on outputs whose worth is not known: judges agree on controls by design."""
    if votes.kind is None or not (votes.kind == CONTROL).any():
        return votes
    return votes.take(votes.kind != CONTROL)


def leave_repeats(votes: Votes) -> Votes:
    """Keep first answers on outputs whose worth is not known: no controls, no marked repeats."""
    if votes.kind is None or (votes.kind == TARGET).all():
        return votes
    return votes.take(votes.kind == TARGET)


def _count_own(votes: Votes, unit: Integers, *, same_order: bool = False) -> Integers:
    """Return (3, U) pairs of votes of one judge on each unit, as `pair_up` counts them."""
    rows, cell = _find_again(votes, same_order=same_order)
    pairs = pair_up(count_answers(cell, votes.preferred[rows]))
    of_cell = label_groups(cell, unit[rows])
    sums = sum_by(pairs.astype(np.float64), of_cell, int(unit.max(initial=-1)) + 1)
    return sums.astype(np.int64)


def _find_again(votes: Votes, *, same_order: bool) -> tuple[Integers, Integers]:
    """Return the votes of judges who gave several on an output pair, and numbers of such groups."""
    # same_order: whether these saw the outputs in the same order
    group = votes.number("pair", "judge")
    n = np.bincount(group)
    rows = np.flatnonzero(n[group] > 1) if len(n) < votes.size else np.zeros(0, dtype=np.int64)
    cell = number_groups(group[rows])
    if same_order:
        cell = number_groups(cell, votes.left[rows])
        several = np.bincount(cell)[cell] > 1
        rows, cell = rows[several], number_groups(cell[several])
    return rows, cell


def count_answers(keys: Integers, preferred: NDArray[np.integer]) -> Integers:
    """Return (3, G) votes for the system that is last by name, for neither, and for the first."""
    size = int(keys.max(initial=-1)) + 1
    answers = preferred.astype(np.int64) + 1
    return np.bincount(answers * size + keys, minlength=3 * size).reshape(3, -1)


def pair_up(counts: Integers) -> Integers:
    same, n = counts * (counts - 1) // 2, counts.sum(axis=0)
    return np.stack([same.sum(axis=0), same[0] + same[2], n * (n - 1) // 2])


def chance_agreement(ties: Share) -> Share:
    """Return P(E): how often two votes agree that are given blindly, ties as often as they are."""
    return ties**2 + (1 - ties) ** 2 / 2


def correct_chance(agree: Counted, comparable: Counted, ties: Counted, total: Counted) -> Parts:
    """Return P(A) − P(E) and 1 − P(E), whose ratio is κ; the latter is 0 where there is none."""
    known = (comparable > 0) & (total > 0)
    observed = agree / np.where(known, comparable, 1.0)
    share = ties / np.where(known, total, 1.0)
    chance = chance_agreement(share)
    return np.asarray(observed - chance), np.where(known & (share < 1), 1 - chance, 0.0)


def check_names(votes: Votes, *, judges: bool = True) -> None:
    if votes.items == ("",):
        raise NotIdentified(
            "no two votes are known to be on the same outputs: the table names no items",
            ["name the column that says which item was judged, as in --column item=segment"],
        )
    if judges and votes.judges == ("",):
        raise NotIdentified(
            "votes of different judges cannot be told from repeats: the table names no judges",
            ["name the column of judges, as in --column judge=annotator"],
        )


# With n_o votes for outcome o on an output pair, m_jo of them judge j's, the agreeing pairs of
# votes of different judges are Σ_o [n_o (n_o − 1) − Σ_j m_jo (m_jo − 1)] / 2. Those on a preference
# are counted apart: judges who agree that neither output is better do not tell systems apart.


@dataclass(frozen=True, eq=False)
class PairAgreement:
    item: NDArray[np.integer]  # (P,) code of the item
    low: NDArray[np.integer]  # (P,) code of the system that is first by name
    high: NDArray[np.integer]  # (P,) code of the other
    said: Integers  # (P, 3) votes for `high`, for neither, for `low`
    agree: Integers  # (P,) pairs of votes of different judges that agree
    decided: Integers  # (P,) those of them that prefer one output
    comparable: Integers  # (P,) all pairs of votes of different judges


def compare_pairs(votes: Votes) -> PairAgreement:
    check_names(votes)
    votes = leave_controls(votes)
    pair = votes.number("pair")
    first = label_groups(pair[::-1], np.arange(votes.size)[::-1])
    answers = count_answers(pair, votes.preferred)
    agree, decided, comparable = pair_up(answers) - _count_own(votes, pair)
    left, right = votes.left[first], votes.right[first]
    low, high = np.minimum(left, right), np.maximum(left, right)
    return PairAgreement(votes.item[first], low, high, answers.T, agree, decided, comparable)


ANSWERS: Final = Scale(-1.0, 1.0, (-1.0, 0.0, 1.0), declared=True)
# Answers where nobody said that neither is better: chance then has two to choose from
FORCED: Final = Scale(-1.0, 1.0, (-1.0, 1.0), declared=True)
# Coefficients of preferences that are shown unasked; answers have no distance
SHOWN_UNASKED: Final = ("n-agreement-0", "fleiss", "alpha-nominal", "ac1")


def preference_rows(votes: Votes) -> RatingRows:
    """Return votes as ratings of pairs of systems ("A | B"), from −1 to 1."""
    k = len(votes.systems)
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    pairs = low.astype(np.int64) * k + high
    code = number_groups(pairs)
    present = label_groups(code, pairs)
    names = tuple(
        f"{votes.systems[one // k]} | {votes.systems[one % k]}" for one in present.tolist()
    )
    same = ("tasks", "judges", "items", "criteria", "notes")
    of_rows = ("task", "judge", "item", "kind", "moment")
    return RatingRows(
        **{name: getattr(votes, name) for name in (*same, *of_rows)},
        systems=names,
        system=code.astype(np.int32),
        criterion=np.zeros(votes.size, np.int32) if votes.criterion is None else votes.criterion,
        score=votes.preferred.astype(np.float64),
    )


# The agreement that judges would reach if each followed the same worths. Let p_u(o) be the model's
# probability that vote u has outcome o: one output, neither, the other. Two votes u and v of
# different judges on the same two outputs, independent given the worths, agree with probability Σ_o
# p_u(o) p_v(o). Over all M comparable pairs of votes, those that κ is made of,
#
#     P*(A) = (1/M) Σ_{u<v} Σ_o p_u(o) p_v(o)
#     p*    = mean over votes of the probability of a tie,   P*(E) = p*² + (1 − p*)²/2
#     κ*    = (P*(A) − P*(E)) / (1 − P*(E))
#
# so that E P(A) = P*(A) exactly, and E κ = κ* up to terms of the order of 1/M. Within a group of n
# votes the sum over pairs is (|Σ_u p_u|² − Σ_u |p_u|²)/2, so nothing goes through pairs of votes.
#
# Judges who differ at random around the same worths agree as expected. Less is observed where the
# model is wrong about pairs or about ties, more where items differ, since worths are means over
# items: κ above κ* is usual, and κ below it is a finding. The worths are fitted to the same votes,
# which makes P*(A) too large by about Σ_o Var p̂(o), in all parameters/votes times a half at most.

# (first, second) names of systems → (n, 3) probabilities of left, tie, right
Predict = Callable[[Sequence[tuple[str, str]]], Array]


@dataclass(frozen=True)
class ExpectedAgreement:
    observed: float  # P(A), share of comparable pairs of votes that agree (proportion)
    expected: float  # P*(A), the share that the worths give (proportion)
    kappa: float  # κ of the votes
    expected_kappa: float  # κ* of the worths
    difference: float  # κ − κ*
    # lower end of the interval of the difference, items drawn; None with few items
    lower: float | None
    upper: float | None  # upper end, or None
    comparable: int  # pairs of votes of different judges on the same two outputs

    @property
    def short(self) -> bool:
        """Whether judges surely agree less than the worths expect."""
        return self.upper is not None and self.upper < 0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"short": self.short}


def expect_agreement(
    votes: Votes, predict: Predict, *, level: float = 0.95, seed: int = SEED
) -> ExpectedAgreement | None:
    shared = compare_votes(votes)
    if shared.kappa is None or shared.observed is None:
        return None
    votes = leave_repeats(votes)
    k, size = len(votes.systems), len(votes.items)
    sides = votes.left.astype(np.int64) * k + votes.right
    pairs, place = np.unique(sides, return_inverse=True)
    names = [(votes.systems[pair // k], votes.systems[pair % k]) for pair in pairs.tolist()]
    chances = predict(names)[place.reshape(-1)]
    turned = votes.left < votes.right  # the system first by name stood left: it goes last
    chances = np.where(turned[:, None], chances[:, ::-1], chances)
    agree = np.zeros(size)  # expected agreeing pairs of votes of different judges on each item
    for sign, keys in ((1, votes.number("pair")), (-1, votes.number("pair", "judge"))):
        groups = int(keys.max(initial=-1)) + 1
        both = np.zeros(groups)
        for column in chances.T:
            both += np.bincount(keys, column, minlength=groups) ** 2
            both -= np.bincount(keys, column**2, minlength=groups)
        item = label_groups(keys, votes.item)
        agree += sign * np.bincount(item, both / 2, minlength=size)
    ties = np.bincount(votes.item, chances[:, 1], minlength=size)
    sums = np.column_stack([shared.by_item.astype(np.float64), agree, ties])
    sums = sums[sums.any(axis=1)]
    whole = sums.sum(axis=0, keepdims=True)
    observed, expected = (float(part[0]) for part in _find_kappas(whole))

    def compute(drawn: Array) -> Ratio:
        kappas, expected_kappas = _find_kappas(drawn)
        known = np.isfinite(kappas) & np.isfinite(expected_kappas)
        return Ratio(np.where(known, kappas - expected_kappas, 0.0), known.astype(np.float64))

    # items are drawn, the worths held as they are
    interval = bound_by_items(sums, compute, level=level, seed=seed)
    share = float(whole[0, 4] / whole[0, 1])
    kappas_seen = (observed, expected, observed - expected, interval.lower, interval.upper)
    return ExpectedAgreement(shared.observed, share, *kappas_seen, shared.comparable)


def _find_kappas(sums: Array) -> list[Array]:
    """Return κ and κ* of every row of sums; NaN where they do not exist."""
    # sums: (R, 6) agreeing and comparable pairs of votes, ties and votes; then agreeing pairs and
    #     ties as the model expects them.
    agree, comparable, ties, total, expected, expected_ties = sums.T
    kappas = []
    for one, tied in ((agree, ties), (expected, expected_ties)):
        over, under = correct_chance(one, comparable, tied, total)
        kappas.append(np.where(under > 0, over / np.where(under > 0, under, 1), np.nan))
    return kappas


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
    """Return the places of items, the most extreme first: those beyond chance, then by excess."""
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
    """Return what draws blind answers and counts pairs of votes that agree, and on a preference."""
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

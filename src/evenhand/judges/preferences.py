"""Preferences as units: an output pair is what is judged, and the answer is one of three.

The answer is who was preferred, whichever output stood left: the system that is first by name
(+1), neither (0), the other (−1). Which of two systems is named first must not matter, so every
unit counts in both orders (`mirror`): chance is that of ties and of preferring either one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption, require_option
from evenhand.judges.units import Units, find_units
from evenhand.judgments.rating_rows import CONTROL, TARGET, RatingRows
from evenhand.judgments.scale import Scale
from evenhand.judgments.votes import TIE, Votes
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import normal_quantile

# Do judges agree in preferences: the pairwise κ of the WMT shared tasks, as printed and strict.
#
# Two votes on the same two outputs of an item agree if both prefer the same one, or neither does:
#
# κ = (P(A) − P(E)) / (1 − P(E)),   P(A) = agreeing pairs of votes / comparable pairs of votes
# P(E) = p² + 2 ((1 − p) / 2)²,     p = share of ties among comparisons
#
# What is comparable, and which comparisons p is taken over, is a choice:
#
# strict  inter  votes of two different judges, whichever output stood left; not rows marked as
# repeats, which were asked to hold a judge against himself
# intra  two votes of one judge, whichever output stood left; also split by whether the
# outputs stood in the same order or were exchanged; p over all comparisons
# wmt     inter  votes shown in the same left-right order, one judge's repeats among them; p
# over all comparisons
# intra  two votes of one judge in the same order; p over the comparisons of every judge
# and item in which that occurs
#
# `wmt` is what the organisers' program computes, and what the overview papers print. It misses
# pairs that were shown in exchanged order, and calls repeats of one judge agreement between judges.
# Nothing goes through pairs of votes: n_o votes for outcome o give Σ_o n_o (n_o − 1) / 2 agreeing.
#
# Source: Bojar et al. (2016), Findings of the 2016 Conference on Machine Translation, section 3.3;
# `compute_agreement_scores.py` of the released data. When not to use it: outputs that were merged
# for being identical ("A+B") and are expanded into pairs of all their systems count one answer many
# times, and their ties too: κ is inflated (WMT 2015 English-Czech, .438 merged and .772 expanded).

Counts = NDArray[np.int64]
Mode = Literal["strict", "wmt"]
Among = Literal["inter", "intra"]
Order = Literal["any", "same", "exchanged"]
Share = TypeVar("Share", float, NDArray[np.float64])

MODES: Final = ("strict", "wmt")


@dataclass(frozen=True, eq=False)
class PreferenceAgreement:
    """How far votes on the same two outputs agree."""

    mode: Mode  # "strict" or "wmt"
    among: Among  # "inter" (between judges) or "intra" (one judge asked again)
    order: Order  # whether both votes saw the outputs in the same order, in exchanged order, or any
    # (I, 4) agreeing and comparable pairs of votes, ties and comparisons that chance is
    by_item: Counts
    units: int  # output pairs (as they were shown, in mode wmt) with comparable votes
    votes: int  # votes on them
    # items that have votes, where the rows above are clusters of some; else None
    items: int | None = None
    # comparable pairs of votes that are one judge's, where they count as of two (mode wmt between
    # judges, judges named); else 0
    own: int = 0

    @property
    def agree(self) -> int:
        """Pairs of votes that agree."""
        return int(self.by_item[:, 0].sum())

    @property
    def comparable(self) -> int:
        """Pairs of votes that could agree."""
        return int(self.by_item[:, 1].sum())

    @property
    def ties(self) -> int:
        """Ties among the comparisons that chance is taken from."""
        return int(self.by_item[:, 2].sum())

    @property
    def total(self) -> int:
        """Comparisons that chance is taken from."""
        return int(self.by_item[:, 3].sum())

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
        if self.observed is None or self.chance is None or self.chance == 1:
            return None
        return (self.observed - self.chance) / (1 - self.chance)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        names = ("mode", "among", "order", "agree", "comparable", "ties", "total")
        shares = ("observed", "chance", "kappa", "units", "votes")
        return {name: getattr(self, name) for name in (*names, *shares)}


def compare_votes(
    votes: Votes, *, mode: Mode = "strict", among: Among = "inter", order: Order = "any"
) -> PreferenceAgreement:
    """Count how far votes on the same two outputs agree."""
    _check_settings(mode, among, order)
    check_order(mode, order, known=votes.positions_known)
    check_names(votes, judges=(mode, among) != ("wmt", "inter"))
    votes = leave_repeats(votes) if (mode, among) == ("strict", "inter") else leave_controls(votes)
    unit = "shown" if mode == "wmt" else "pair"
    pairs = votes.number(unit)
    size = int(pairs.max(initial=-1)) + 1
    found = np.zeros((size, 2), dtype=np.int64)
    for sign, keys in _terms(votes, unit, mode, among, order):
        found += sign * _count_pairs(keys, pairs, votes, size)
    item = np.zeros(size, dtype=np.int64)
    item[pairs] = votes.item
    comparable = found[:, 1] > 0
    base = np.ones(votes.size, dtype=np.bool_)
    if mode == "wmt" and among == "intra":
        base = _around_repeats(votes, unit)
    columns = (
        *(_sum_by(item, part, len(votes.items)) for part in found.T),
        np.bincount(votes.item[base & (votes.outcome == TIE)], minlength=len(votes.items)),
        np.bincount(votes.item[base], minlength=len(votes.items)),
    )
    units, concerned = int(comparable.sum()), int(comparable[pairs].sum())
    own = _count_own(votes, unit) if (mode, among) == ("wmt", "inter") else 0
    by_item = np.column_stack(columns)
    return PreferenceAgreement(mode, among, order, by_item, units, concerned, own=own)


def leave_controls(votes: Votes) -> Votes:
    """Keep the votes on outputs whose worth is not known: judges agree on controls by design."""
    return votes if votes.kind is None else votes.take(votes.kind != CONTROL)


def leave_repeats(votes: Votes) -> Votes:
    """Keep first answers on outputs whose worth is not known: no controls, no marked repeats."""
    return votes if votes.kind is None else votes.take(votes.kind == TARGET)


def _count_own(votes: Votes, unit: str) -> int:
    """Count comparable pairs of votes that one judge gave; 0 where judges are not named."""
    if votes.judges == ("",):
        return 0
    each = np.bincount(votes.number(unit, "judge"))
    return int((each * (each - 1) // 2).sum())


def _terms(
    votes: Votes, unit: str, mode: Mode, among: Among, order: Order
) -> list[tuple[int, Counts]]:
    """Return groups of comparable votes, counted for (+1) or taken away again (-1)."""
    pairs = votes.number(unit)
    if mode == "wmt" and among == "inter":
        return [(1, pairs)]
    own = votes.number(unit, "judge")
    if among == "inter":
        return [(1, pairs), (-1, own)]
    if order == "any":
        return [(1, own)]
    same = votes.number(unit, "judge", "left")
    return [(1, same)] if order == "same" else [(1, own), (-1, same)]


def _count_pairs(keys: Counts, pairs: Counts, votes: Votes, size: int) -> Counts:
    """Count agreeing and comparable pairs of votes with the same key, by output pair.

    keys: (n,) group of votes that are compared with one another.
    pairs: (n,) output pair of each vote; the votes of a group share it.
    Returns: (size, 2) agreeing and comparable pairs of votes.
    """
    said = votes.preferred.astype(np.int64) + 1
    counts = np.bincount(keys * 3 + said, minlength=3 * (int(keys.max(initial=-1)) + 1))
    counts = counts.reshape(-1, 3)
    agreeing = (counts * (counts - 1) // 2).sum(axis=1)
    each = counts.sum(axis=1)
    pair = np.zeros(len(each), dtype=np.int64)
    pair[keys] = pairs
    both = (agreeing, each * (each - 1) // 2)
    return np.column_stack([_sum_by(pair, part, size) for part in both])


def _sum_by(codes: Counts, values: Counts, size: int) -> Counts:
    """Add up whole numbers by code; they stay exact below 2**53."""
    return np.bincount(codes, values, minlength=size).astype(np.int64)


def _around_repeats(votes: Votes, unit: str) -> NDArray[np.bool_]:
    """(n,) whether a vote's judge gave two comparable votes anywhere on its item."""
    own, block = votes.number(unit, "judge"), votes.number("item", "judge")
    repeated = np.bincount(own)[own] > 1
    return (np.bincount(block, repeated) > 0)[block]


def chance_agreement(ties: Share) -> Share:
    """Return P(E): how often two votes agree that are given blindly, ties as often as they are.

    ties: share of ties (proportion), a number or an array. >>> chance_agreement(1 / 3)
        0.3333333333333333
    """
    return ties**2 + (1 - ties) ** 2 / 2


def _check_settings(mode: str, among: str, order: str) -> None:
    require_option("mode", mode, MODES)
    require_option("among", among, ("inter", "intra"))
    require_option("order", order, ("any", "same", "exchanged"))
    if order != "any" and (mode, among) != ("strict", "intra"):
        raise UnknownOption(
            f"order '{order}' splits the answers of one judge in mode strict: leave it out"
        )


def check_order(mode: Mode, order: Order, *, known: bool) -> None:
    """Refuse to compare votes by what stood left where that is not known."""
    if known or (mode == "strict" and order == "any"):
        return
    asked = "mode wmt compares" if mode == "wmt" else f"order '{order}' asks for"
    raise UnknownOption(
        f"{asked} votes by what stood left, which the table does not say: use mode strict"
    )


def check_names(votes: Votes, *, judges: bool = True) -> None:
    """Refuse votes of which it is not known what they are on, or whose they are."""
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


# How far judges agree on each output pair, counted once for items, systems, and all.
#
# With n_o votes for outcome o on an output pair, and m_jo of them judge j's,
#
# agreeing pairs of votes of different judges = Σ_o [n_o (n_o − 1) − Σ_j m_jo (m_jo − 1)] / 2
#
# Those on a preference, and not on a tie, are counted apart: judges who agree that neither output
# is better do not tell systems apart.

FEW: Final = 10  # Items below which a system's share has no interval


@dataclass(frozen=True, eq=False)
class PairAgreement:
    """Agreement of different judges on every output pair, P of them."""

    item: NDArray[np.integer]  # (P,) code of the item
    low: NDArray[np.integer]  # (P,) code of the system that is first by name
    high: NDArray[np.integer]  # (P,) code of the other
    said: Counts  # (P, 3) votes for `high`, for neither, for `low`
    agree: Counts  # (P,) pairs of votes of different judges that agree
    decided: Counts  # (P,) those of them that prefer one output
    comparable: Counts  # (P,) all pairs of votes of different judges


@dataclass(frozen=True)
class SystemAgreement:
    """How far judges agree on the output pairs of one system."""

    system: str  # its name
    agree: int  # pairs of votes of different judges that agree
    comparable: int  # all such pairs
    # lower end of the interval of their share (proportion), for all systems at once; None where
    # its items are too few
    lower: float | None
    upper: float | None  # upper end, or None

    @property
    def share(self) -> float:
        """The share that agrees (proportion)."""
        return self.agree / self.comparable


def compare_pairs(votes: Votes) -> PairAgreement:
    """Count agreeing votes of different judges on every output pair."""
    check_names(votes)
    votes = leave_controls(votes)
    pair, own = votes.number("pair"), votes.number("pair", "judge")
    size = int(pair.max(initial=-1)) + 1
    first = np.zeros(size, dtype=np.int64)
    first[pair[::-1]] = np.arange(votes.size)[::-1]
    every, mine = (
        _count_by_group(pair, votes, size),
        _count_by_group(own, votes, int(own.max(initial=-1)) + 1),
    )
    at = np.zeros(len(mine), dtype=np.int64)
    at[own] = pair
    agree, decided, comparable = (
        whole - np.bincount(at, part, size).astype(np.int64)
        for whole, part in zip(_pair_up(every), _pair_up(mine), strict=True)
    )
    left, right = votes.left[first], votes.right[first]
    low, high = np.minimum(left, right), np.maximum(left, right)
    return PairAgreement(votes.item[first], low, high, every, agree, decided, comparable)


def _count_by_group(keys: Counts, votes: Votes, size: int) -> Counts:
    """(size, 3) votes for each outcome by group."""
    said = votes.preferred.astype(np.int64) + 1
    return np.bincount(keys * 3 + said, minlength=3 * size).reshape(-1, 3)


def _pair_up(said: Counts) -> tuple[Counts, Counts, Counts]:
    """Count agreeing, decidedly agreeing and all pairs of votes in each group."""
    same = said * (said - 1) // 2
    each = said.sum(axis=1)
    return same.sum(axis=1), same[:, [0, 2]].sum(axis=1), each * (each - 1) // 2


def agree_by_system(
    found: PairAgreement, systems: tuple[str, ...], *, level: float = 0.95
) -> tuple[SystemAgreement, ...]:
    """Return how far judges agree on each system's output pairs, least first.

    Intervals hold for all systems at once (Bonferroni) and take the pairs of an item as hanging
    together: with s_i the agreeing pairs of item i beyond the share of all comparable ones, the
    variance of the share is Σ s_i² / comparable² (linearised ratio, Cochran 1977, section 9).

    level: of all intervals together (proportion).
    """
    told = np.flatnonzero(found.comparable)
    names = np.unique([found.low[told], found.high[told]])
    z = normal_quantile(1 - (1 - level) / (2 * max(len(names), 1)))
    rows = []
    for code in names.tolist():
        own = told[(found.low[told] == code) | (found.high[told] == code)]
        agree, comparable = int(found.agree[own].sum()), int(found.comparable[own].sum())
        share = agree / comparable
        beyond = np.bincount(found.item[own], found.agree[own] - share * found.comparable[own])
        error = z * sqrt(float(beyond @ beyond)) / comparable
        ends: tuple[float | None, float | None] = max(share - error, 0.0), min(share + error, 1.0)
        if len(np.unique(found.item[own])) < FEW:
            ends = None, None
        rows.append(SystemAgreement(systems[code], agree, comparable, *ends))
    return tuple(sorted(rows, key=lambda one: (one.share, one.system)))


# How each judge of comparisons agrees with the others, and with itself.
#
# A judge's votes are set against those of all others on the same two outputs, whichever stood left:
# with n_o votes for outcome o on an output pair, m_o of them the judge's own, m_o (n_o − m_o) pairs
# of votes agree. κ takes chance from the ties of all judges together (see `preferences`), so that
# judges are measured alike.


@dataclass(frozen=True)
class VoterSummary:
    """How one judge agrees."""

    judge: str  # name
    votes: int  # comparisons made, ties among them counted in `ties`
    ties: int  # ties said
    agree: int  # pairs of an own vote and another judge's on the same outputs that agree
    comparable: int  # all such pairs
    own_agree: int  # pairs of own votes on the same outputs that agree
    own_comparable: int  # all such pairs
    chance: float  # P(E) of all judges' comparisons (proportion)

    @property
    def kappa(self) -> float | None:
        """κ against the other judges; None without comparable votes, or if all are ties."""
        return _correct(self.agree, self.comparable, self.chance)

    @property
    def own_kappa(self) -> float | None:
        """κ against own answers on the same outputs; None likewise."""
        return _correct(self.own_agree, self.own_comparable, self.chance)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**vars(self), "kappa": self.kappa, "own_kappa": self.own_kappa}


def summarise_voters(votes: Votes) -> tuple[VoterSummary, ...]:
    """Return how each judge agrees with the others and with itself, by name."""
    check_names(votes)
    votes = leave_controls(votes)
    if not votes.size:
        return ()
    size = len(votes.judges)
    tied = votes.outcome == TIE
    made = np.bincount(votes.judge, minlength=size)
    ties = np.bincount(votes.judge[tied], minlength=size)
    agree, comparable, again, twice = _count_agreement(votes)
    chance = chance_agreement(float(tied.mean()))
    return tuple(
        VoterSummary(
            judge=name,
            votes=int(made[j]),
            ties=int(ties[j]),
            agree=agree[j],
            comparable=comparable[j],
            own_agree=again[j],
            own_comparable=twice[j],
            chance=chance,
        )
        for j, name in enumerate(votes.judges)
        if made[j]
    )


def _count_agreement(votes: Votes) -> list[list[int]]:
    """Count agreeing and comparable pairs with others' votes, then with own ones, by judge."""
    pairs = number_groups(votes.pair)
    own = number_groups(pairs, votes.judge)
    judge, pair = np.zeros((2, int(own.max()) + 1), dtype=np.int64)
    judge[own], pair[own] = votes.judge, pairs
    every, mine = _count_by_voter(pairs, votes), _count_by_voter(own, votes)
    others = every[pair] - mine
    sums = (
        (mine * others).sum(axis=1),
        mine.sum(axis=1) * others.sum(axis=1),
        (mine * (mine - 1) // 2).sum(axis=1),
        mine.sum(axis=1) * (mine.sum(axis=1) - 1) // 2,
    )
    return [np.bincount(judge, one, len(votes.judges)).astype(int).tolist() for one in sums]


def _count_by_voter(keys: Counts, votes: Votes) -> Counts:
    """(G, 3) votes for each outcome by group."""
    said = votes.preferred.astype(np.int64) + 1
    counts = np.bincount(keys * 3 + said, minlength=3 * (int(keys.max()) + 1))
    return counts.reshape(-1, 3)


def _correct(agree: int, comparable: int, chance: float) -> float | None:
    if not comparable or chance == 1:
        return None
    return (agree / comparable - chance) / (1 - chance)


ANSWERS: Final = Scale(-1.0, 1.0, (-1.0, 0.0, 1.0), declared=True)
# Answers where nobody said that neither is better: chance then has two to choose from
FORCED: Final = Scale(-1.0, 1.0, (-1.0, 1.0), declared=True)
# Coefficients of preferences that are shown unasked; answers have no distance
SHOWN: Final = ("n-agreement-0", "fleiss", "alpha-nominal", "ac1")


def find_preference_units(votes: Votes) -> Units:
    """Order votes by output pair and judge, one each."""
    return find_units(preference_rows(votes), choose_answers(votes))


def choose_answers(votes: Votes) -> Scale:
    """Return the answers that can be given: ties are among them if one occurs."""
    return ANSWERS if (leave_controls(votes).outcome == TIE).any() else FORCED


def preference_rows(votes: Votes) -> RatingRows:
    """Return votes as ratings of pairs of systems ("A | B"), from −1 to 1."""
    k = len(votes.systems)
    low = np.minimum(votes.left, votes.right).astype(np.int64)
    pair, code = np.unique(low * k + np.maximum(votes.left, votes.right), return_inverse=True)
    names = tuple(f"{votes.systems[one // k]} | {votes.systems[one % k]}" for one in pair.tolist())
    return RatingRows(
        tasks=votes.tasks,
        judges=votes.judges,
        items=votes.items,
        systems=names,
        criteria=votes.criteria,
        task=votes.task,
        judge=votes.judge,
        item=votes.item,
        system=code.reshape(-1).astype(np.int32),
        criterion=np.zeros(votes.size, np.int32) if votes.criterion is None else votes.criterion,
        score=votes.preferred.astype(np.float64),
        kind=votes.kind,
        moment=votes.moment,
        notes=votes.notes,
    )

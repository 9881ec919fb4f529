"""What a full look after every vote would decide, without a fit for every pair at every vote.

Each open pair has worths at which its two systems are equal. Their likelihood is at most the best
under which they are, so that a pair cannot be decided while

    log N_t − ℓ_t(witness) < log 1/(.6 α),

and ℓ_t moves with each vote by the log-chance of that vote alone. Far from being decided, pairs
share their witnesses but for the point where their two systems meet: a vote then moves the pairs of
its own two systems. A pair that comes near is fitted and has a witness of its own, the best one.
The screen lets pairs go and never decides; what it lets through is decided by the same fit as in a
full look, so that what is decided depends on the votes up to then, never on when somebody looked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, log, tanh
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.judgments.votes import TIE
from evenhand.numerics.graph import Graph, strong_components
from evenhand.numerics.newton import NEWTON_ROUNDING, Expansion, Maximum, maximise, solve_step
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.sides import log_direct

# The likelihood of votes on pairs, Davidson's ties or none, to second order.
#
# p(s beats t) = e^{η/2} / D,   p(tie) = ν / D,   D = e^{η/2} + e^{−η/2} + ν,   η = θ_s − θ_t,
#
# with log-worths θ and ν = e^γ; without ties ν = 0. Source: Davidson (1970), Journal of the
# American Statistical Association 65:317-328. It is concave in (θ, γ), being a multinomial logit.

Array = NDArray[np.float64]
Integers = NDArray[np.signedinteger[Any]]
Chances = tuple[Array, Array, Array]


@dataclass(frozen=True, eq=False)
class PairCounts:
    """How often each pair of systems was answered which way."""

    systems: int  # K, the number of systems
    low: Integers  # (C,) code of one system of each pair
    high: Integers  # (C,) code of the other; the same where both count as one system
    counts: Array  # (C, 3) wins of `low`, ties, wins of `high`

    @property
    def tied(self) -> bool:
        """Whether anything tied."""
        return bool(self.counts[:, 1].any())

    def take(self, kept: NDArray[np.bool_]) -> PairCounts:
        """Keep some pairs."""
        return replace(self, low=self.low[kept], high=self.high[kept], counts=self.counts[kept])


def log_chances(eta: Array, gamma: float | None) -> Chances:
    """Return log-probabilities of a win, a tie and a loss.

    eta: log-worth of one system less that of the other.
    """
    up, down = eta / 2, -eta / 2
    total = np.logaddexp(up, down)
    if gamma is None:
        return up - total, np.full_like(total, -np.inf), down - total
    total = np.logaddexp(total, gamma)
    return up - total, gamma - total, down - total


def sum_log_chances(counts: Array, eta: Array, gamma: float | None) -> Array:
    """Return the log-likelihood of each pair.

    eta: (...) differences of log-worths.
    """
    return _weigh(counts, log_chances(eta, gamma), gamma)


def _weigh(counts: Array, logs: Chances, gamma: float | None) -> Array:
    value = counts[..., 0] * logs[0] + counts[..., 2] * logs[2]
    return np.asarray(value if gamma is None else value + counts[..., 1] * logs[1])


def expand(pairs: PairCounts, at: Array) -> Expansion:
    """Return the log-likelihood to second order.

    at: (K,) log-worths, or (K + 1,) with γ behind them.
    Returns value (nats), gradient and information in the order of `at`; the information of worths
        is singular, since only their differences count.
    """
    k = pairs.systems
    gamma = float(at[k]) if len(at) > k else None
    eta = at[pairs.low] - at[pairs.high]
    logs = log_chances(eta, gamma)
    won, tie, lost = (np.exp(part) for part in logs)
    n = pairs.counts.sum(axis=1)
    value = float(_weigh(pairs.counts, logs, gamma).sum())
    gradient, information = np.zeros(len(at)), np.zeros((len(at), len(at)))
    gradient[:k] = spread(pairs, score(pairs.counts, won, lost))
    weight = n * (won + lost - (won - lost) ** 2) / 4
    np.add.at(information, (pairs.low, pairs.high), -weight)
    information += information.T
    ends = np.bincount(pairs.low, weight, minlength=k) + np.bincount(
        pairs.high, weight, minlength=k
    )
    information[np.arange(k), np.arange(k)] += ends
    if gamma is not None:
        gradient[k] = (pairs.counts[:, 1] - n * tie).sum()
        cross = spread(pairs, -n * tie * (won - lost) / 2)
        information[:k, k] = information[k, :k] = cross
        information[k, k] = (n * tie * (1 - tie)).sum()
    return Expansion(value, gradient, information)


def score(counts: Array, won: Array, lost: Array) -> Array:
    """Return the derivative of each pair's log-likelihood by its difference of log-worths."""
    n = counts.sum(axis=-1)
    return np.asarray((counts[..., 0] - counts[..., 2] - n * (won - lost)) / 2)


def spread(pairs: PairCounts, values: Array) -> Array:
    """Add a value of each pair to one system and take it from the other; (K,)."""
    ends = (np.bincount(end, values, minlength=pairs.systems) for end in (pairs.low, pairs.high))
    one, other = ends
    return np.asarray(one - other)


# The denominator: the best that worths can do under which two systems are equal.
#
# For s > t the null hypothesis is θ_s ≤ θ_t. Where the likelihood rises with θ_s − θ_t at the best
# point with θ_s = θ_t, that point is the best of the whole null hypothesis, the likelihood being
# concave. Two equal systems are one player; their votes on each other tell of ties only.
#
# A denominator that is too small would decide too much, so that three things are done. Newton's
# method stops at a squared decrement below 1e-10, which is added. Systems that no vote contradicts
# being infinitely far apart are taken so: the votes between strongly connected parts then have a
# likelihood of 1, which is the supremum. Where ties run off to infinity too, nothing is decided.

# Squared Newton decrement (nats) at which a fit is done; it is added to the likelihood
SMALL: Final = 1e-10
STEPS: Final = 50
HALVINGS: Final = 30
FAR: Final = 20.0  # A log-worth or γ beyond which the maximum is taken to be at infinity


@dataclass(frozen=True)
class Supremum:
    """The most likely worths under which two systems are equal."""

    # an upper bound of their log-likelihood (nats); where that is more than enough, no more than
    # a bound from below need be
    value: float
    # derivative of the log-likelihood by θ_one − θ_other there: positive where `one` is better by
    # the votes
    lead: float
    # worths there or near, and γ where anything tied; what is infinitely far apart stands as it
    # did at the start
    at: Array


def find_supremum(
    pairs: PairCounts, equal: tuple[int, int], start: Array, *, enough: float = np.inf
) -> Supremum | None:
    """Fit worths under which two systems are equal.

    equal: codes of the two systems.
    start: (K,) log-worths, or (K + 1,) with γ behind them, to begin with.
    enough: a log-likelihood beyond which nobody needs to know: the first one is returned.
    Returns the supremum; None where it is at infinity with ties. >>> votes = PairCounts(2,
        np.array([0]), np.array([1]), np.array([[3.0, 0.0, 1.0]])) >>> found = find_supremum(votes,
        (0, 1), np.zeros(2)) >>> round(float(found.value / np.log(0.5)), 6), found.lead,
        found.at.tolist() (4.0, 1.0, [0.0, 0.0])
    """
    one, other = equal
    code = np.arange(pairs.systems)
    code[other] = one
    merged = replace(pairs, low=code[pairs.low], high=code[pairs.high])
    part = _parts(merged)
    inside = merged.take(part[merged.low] == part[merged.high])
    at = start[: pairs.systems + (1 if len(start) > pairs.systems and inside.tied else 0)].copy()
    at[other] = at[one]
    found = _climb(inside, part, at, enough)
    if found is None:
        return None
    at, value = found
    at[other] = at[one]
    within = pairs.take(part[merged.low] == part[merged.high])
    return Supremum(value, _lead(within, at, one), at)


def _parts(pairs: PairCounts) -> NDArray[np.intp]:
    """Return the strongly connected part of each system; a tie joins both ways."""
    won, tied, lost = (pairs.counts > 0).T
    down, up = won | tied, lost | tied
    source = np.concatenate([pairs.low[down], pairs.high[up]])
    target = np.concatenate([pairs.high[down], pairs.low[up]])
    return strong_components(Graph(pairs.systems, source, target))


def _climb(
    pairs: PairCounts, part: NDArray[np.intp], at: Array, enough: float
) -> tuple[Array, float] | None:
    """Return the maximum and a bound of its value, or None."""
    k = pairs.systems
    anchor = np.zeros((len(at), len(at)))
    anchor[:k, :k] = part[:, None] == part  # worths of a part are known up to their sum
    here = expand(pairs, at)
    for _ in range(STEPS):
        if here.value > enough:
            return at, here.value
        try:
            step = solve_step(here.information + anchor, here.gradient)
        except NotConverged:
            return None
        decrement = float(here.gradient @ step)
        if decrement < SMALL:
            return (at, here.value + 2 * max(decrement, 0.0)) if abs(at).max() < FAR else None
        moved = _advance(pairs, at, step, here)
        if moved is None:
            return None
        at, here = moved
    return None


def _advance(
    pairs: PairCounts, at: Array, step: Array, here: Expansion
) -> tuple[Array, Expansion] | None:
    """Take the longest step of 1, 1/2, 1/4, ... that loses nothing; None where none does."""
    least = here.value - NEWTON_ROUNDING * (1.0 + abs(here.value))
    for _ in range(HALVINGS):
        there = expand(pairs, at + step)
        if there.value >= least:
            return at + step, there
        step = step / 2
    return None


def _lead(pairs: PairCounts, at: Array, one: int) -> float:
    """Return the derivative of the log-likelihood by the worth of one of the two systems."""
    gamma = float(at[pairs.systems]) if len(at) > pairs.systems else None
    won, _, lost = (np.exp(x) for x in log_chances(at[pairs.low] - at[pairs.high], gamma))
    return float(spread(pairs, score(pairs.counts, won, lost))[one])


# What is predicted of the next vote: worths fitted to the votes before it, with a weak prior.
#
# ℓ(θ, γ) − Σ_s log 2cosh(θ_s/2) + γ − 3 log(2 + e^γ)
#
# Each system has one draw against an average opponent, half won and half lost; ties have one tie
# and two preferences between equals, so that ν/(2 + ν) = (ties + 1) / (n + 3) where all are equal.
# The maximum exists for any votes, none included. The prior serves predictions only: whatever they
# are, what is decided with them is valid, and bad predictions merely decide less.


def fit_plug_in(pairs: PairCounts, start: Array) -> Maximum:
    """Fit worths, and γ where `start` has one, with the prior.

    start: (K,) log-worths, or (K + 1,) with γ behind them, where to begin. >>> none = PairCounts(2,
        np.zeros(0, int), np.zeros(0, int), np.zeros((0, 3))) >>> fit_plug_in(none, np.array([1.0,
        -1.0, 2.0])).at.round(6).tolist() [0.0, 0.0, 0.0]
    """
    return maximise(lambda at: _penalise(pairs, at), start)


def _penalise(pairs: PairCounts, at: Array) -> Expansion:
    k = pairs.systems
    here = expand(pairs, at)
    worth = at[:k]
    prior = -np.logaddexp(worth / 2, -worth / 2).sum()
    pull = -np.tanh(worth / 2) / 2
    bend = (1 - np.tanh(worth / 2) ** 2) / 4
    if len(at) > k:
        gamma = float(at[k])
        total = np.logaddexp(np.log(2), gamma)
        tie = np.exp(gamma - total)
        prior += gamma - 3 * total
        pull, bend = np.append(pull, 1 - 3 * tie), np.append(bend, 3 * tie * (1 - tie))
    information = here.information + np.diag(bend)
    return Expansion(float(here.value + prior), here.gradient + pull, information)


# The running numerator N_t: how well the votes were predicted, each from those before it.
#
# log N_t = Σ_i log p_θ̃(i−1)(y_i)
#
# θ̃(i−1) knows the votes before the i-th only. For the true worths θ* the ratio N_t / L_t(θ*) is a
# nonnegative martingale that begins at 1, whatever chose the pairs and whoever looked on: by
# Ville's inequality it ever reaches 1/α with a chance of at most α. One numerator serves all pairs.
# Source: Wasserman, Ramdas & Balakrishnan (2020), PNAS 117:16880-16890, section 7 (running
# likelihood ratio).
#
# After each vote its two systems take a Newton step, which costs as much as they have neighbours;
# after every K² votes all worths are fitted anew.

Coded = tuple[int, int, int]  # Codes of the left and the right system, and LEFT, TIE or RIGHT

START: Final = 2 / 3  # Information on γ of one tie and two preferences between equals, 3 · ⅓ · ⅔
LONGEST: Final = 1.0  # Longest step between two fits (log-worth)


class Numerator:
    """Votes of coded systems, and how well they were predicted.

    It changes with every vote: to copy it would cost more than the vote.

    log_value: log N_t (nats).
    worth: (K,) log-worths that predict the next vote.
    ends: codes of each pair that was met, the lower first.
    """

    def __init__(self, systems: int, *, ties: bool) -> None:
        self.systems = systems
        self.log_value = 0.0
        self.worth = [0.0] * systems
        self.gamma = 0.0 if ties else None
        self.told = START
        self.since = 0
        self.ends: list[tuple[int, int]] = []
        self.counts: list[list[int]] = []
        self.early: list[list[int]] = []
        self._row: dict[tuple[int, int], int] = {}
        self._near: list[list[tuple[int, int]]] = [[] for _ in range(systems)]

    def add_system(self) -> None:
        """Make room for a system without votes; it is predicted to be an average one."""
        self.systems += 1
        self.worth.append(0.0)
        self._near.append([])

    def pairs(self) -> PairCounts:
        """Return the counts so far."""
        ends = np.array(self.ends, dtype=np.intp).reshape(-1, 2)
        counts = np.array(self.counts, dtype=np.float64).reshape(-1, 3)
        return PairCounts(self.systems, ends[:, 0], ends[:, 1], counts)

    def direct(self, one: int, other: int) -> tuple[int, int]:
        """Return how often each of two systems was preferred to the other, of votes that count."""
        row = self._row.get((min(one, other), max(one, other)))
        if row is None:
            return 0, 0
        low, _, high = self.counts[row]
        if row < len(self.early):
            low, high = low - self.early[row][0], high - self.early[row][2]
        return (low, high) if one < other else (high, low)

    def begin_direct(self) -> None:
        """Let direct votes count from now on."""
        self.early = [list(counts) for counts in self.counts]

    def observe(self, votes: Sequence[Coded]) -> None:
        """Take in votes that came together: all are predicted from what was known before them."""
        pull = 0.0
        for left, right, outcome in votes:
            chances = _log_chances(self.worth[left] - self.worth[right], self.gamma)
            self.log_value += chances[outcome]
            if self.gamma is not None:
                tie = exp(chances[TIE])
                self.told += tie * (1 - tie)
                pull += (outcome == TIE) - tie
        for vote in votes:
            self._count(*vote)
        self.since += len(votes)
        if self.since >= self.systems**2:
            self._refit()
            return
        if self.gamma is not None:
            self.gamma += _clip(pull / self.told)
        for system in dict.fromkeys(code for vote in votes for code in vote[:2]):
            self._relax(system)

    def settle(self) -> Array:
        """Return worths, and γ if ties are an outcome, fitted to all votes so far."""
        at = np.array(self.worth if self.gamma is None else [*self.worth, self.gamma])
        return at if self.since == 0 else fit_plug_in(self.pairs(), at).at

    def _count(self, left: int, right: int, outcome: int) -> None:
        ends = (left, right) if left < right else (right, left)
        row = self._row.get(ends)
        if row is None:
            row = self._open(ends)
        self.counts[row][outcome if left < right else 2 - outcome] += 1

    def _open(self, ends: tuple[int, int]) -> int:
        """Begin to count a pair."""
        low, high = ends
        row = self._row[ends] = len(self.ends)
        self.ends.append(ends)
        self.counts.append([0, 0, 0])
        self._near[low].append((high, row))
        self._near[high].append((low, row))
        return row

    def _refit(self) -> None:
        """Fit all worths anew, and take the information on γ that the fit has."""
        at = np.array(self.worth if self.gamma is None else [*self.worth, self.gamma])
        found = fit_plug_in(self.pairs(), at)
        self.worth = found.at[: self.systems].tolist()
        if self.gamma is not None:
            self.gamma = float(found.at[-1])
            self.told = float(found.expansion.information[-1, -1])
        self.since = 0

    def _relax(self, system: int) -> None:
        """Take one Newton step in the worth of a system, all others held."""
        own = self.worth[system]
        half = tanh(own / 2)
        slope, bend = -half / 2, (1 - half * half) / 4
        for other, row in self._near[system]:
            low, tied, high = self.counts[row]
            won, lost = (low, high) if system < other else (high, low)
            chances = _log_chances(own - self.worth[other], self.gamma)
            first, second = exp(chances[0]), exp(chances[2])
            n, lead = won + tied + lost, first - second
            slope += (won - lost - n * lead) / 2
            bend += n * (first + second - lead * lead) / 4
        self.worth[system] = own + _clip(slope / bend)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        kept = (
            "systems",
            "log_value",
            "worth",
            "gamma",
            "told",
            "since",
            "ends",
            "counts",
            "early",
        )
        return {name: getattr(self, name) for name in kept}

    @classmethod
    def from_dict(cls, kept: dict[str, Any]) -> Numerator:
        """Take up what `to_dict` returned."""
        made = cls(int(kept["systems"]), ties=kept["gamma"] is not None)
        for (low, high), counts in zip(kept["ends"], kept["counts"], strict=True):
            made.counts[made._open((int(low), int(high)))] = [int(n) for n in counts]
        made.log_value, made.told = float(kept["log_value"]), float(kept["told"])
        made.worth = [float(worth) for worth in kept["worth"]]
        made.gamma = None if kept["gamma"] is None else float(kept["gamma"])
        made.since = int(kept["since"])
        made.early = [[int(n) for n in counts] for counts in kept["early"]]
        return made


def _log_chances(eta: float, gamma: float | None) -> tuple[float, float, float]:
    """Return log-probabilities of a win, a tie and a loss of one vote."""
    half = abs(eta) / 2
    total = 1 + exp(-2 * half) + (0.0 if gamma is None else exp(gamma - half))
    norm = half + log(total)
    tie = -np.inf if gamma is None else gamma - norm
    return eta / 2 - norm, tie, -eta / 2 - norm


def _clip(step: float) -> float:
    return min(max(step, -LONGEST), LONGEST)


# Which pairs could be decided, without a fit for each.
#
# Whatever worths make two systems equal have at most the likelihood of the best of them. So a pair
# whose systems are moved to one point between them, all others held, and whose likelihood is then
# still too high cannot be decided. The screen never decides and never loses a pair.

AT_ONCE: Final = 2048  # Pairs that are moved at the same time


class Screen:
    """The votes as a table of all systems by all, at some worths.

    value: log-likelihood at these worths (nats).
    """

    def __init__(self, pairs: PairCounts, at: Array) -> None:
        k = pairs.systems
        self.worth = at[:k]
        self.gamma = float(at[k]) if len(at) > k else None
        self.counts = np.zeros((k, k, 3))
        self.counts[pairs.low, pairs.high] = pairs.counts
        self.counts[pairs.high, pairs.low] = pairs.counts[:, ::-1]
        each = sum_log_chances(self.counts, self.worth[:, None] - self.worth, self.gamma)
        self.value = float(each.sum() / 2)
        self._each = each
        n = self.counts.sum(axis=2)
        # how firmly each system is held; any positive number makes the screen valid
        self._firm = n.sum(axis=1) + 1.0

    def bound(self, one: Integers, other: Integers) -> tuple[Array, Array]:
        """Return a lower bound of each pair's null likelihood, and where the two systems meet.

        one: (P,) code of one system of each pair.
        other: (P,) code of the other.
        """
        starts = range(0, len(one), AT_ONCE)
        found = [self._bound(one[i : i + AT_ONCE], other[i : i + AT_ONCE]) for i in starts]
        if not found:
            return np.zeros(0), np.zeros(0)
        return np.concatenate([a for a, _ in found]), np.concatenate([b for _, b in found])

    def _bound(self, one: Integers, other: Integers) -> tuple[Array, Array]:
        a, b = self._firm[one], self._firm[other]
        meet = (a * self.worth[one] + b * self.worth[other]) / (a + b)
        value = self.value - self._each[one].sum(axis=1) - self._each[other].sum(axis=1)
        value += self._each[one, other]
        eta = meet[:, None] - self.worth
        rows = np.arange(len(one))
        for system, opponent in ((one, other), (other, one)):
            moved = sum_log_chances(self.counts[system], eta, self.gamma)
            moved[rows, opponent] = 0.0
            value += moved.sum(axis=1)
        between = sum_log_chances(self.counts[one, other], np.zeros(len(one)), self.gamma)
        return np.asarray(value + between), meet


# What is decided at a look: by all votes through the model, or by two systems' own votes.
#
# The level α is shared. All votes together decide s > t once
#
# N_t / sup{L_t(θ) : θ_s ≤ θ_t} ≥ 1 / (.6 α),
#
# for all pairs at once: wherever θ_s ≤ θ_t is true the ratio is at most N_t / L_t(θ*), one
# martingale for all pairs and both directions (Ville 1939). Own votes decide once B_st ≥ K(K − 1) /
# (.4 α), each direction of each pair having a martingale of its own. Both directions count: of two
# equal systems either may be named the better one, and with half the number they are so named in
# 3.2 % of boards where 2 % are allowed (threshold 50, 3,000 votes; counted exactly).

SHARE: Final = 0.6  # Share of α that all votes together may spend; direct votes have the rest
MODEL, DIRECT, JUDGES = "all votes", "direct votes", "judges"  # What decided a pair

Pair = tuple[int, int]


@dataclass(frozen=True)
class Claim:
    """One system is better than another; it stays so, whatever comes."""

    better: str  # name of the system
    worse: str  # name of the other
    votes: int  # votes that had been counted when it was decided
    by: str  # "all votes", "direct votes" or "judges"


@dataclass(frozen=True)
class Budget:
    """How much may be wrong."""

    alpha: float  # the chance that any claim, ever, is false (proportion)
    # systems that were named before direct votes count, by code from 0; only their pairs are
    # decided by direct votes, since that level is shared in advance. None while nobody knows.
    founders: int | None

    @property
    def directions(self) -> int:
        """Ordered pairs that share a level."""
        return 0 if self.founders is None else self.founders * (self.founders - 1)

    @property
    def universal(self) -> float:
        """What log N − log sup L must reach (nats)."""
        shared = self.founders is None or self.directions
        return -log(self.alpha * (SHARE if shared else 1.0))

    @property
    def direct(self) -> float:
        """What log B must reach (nats)."""
        return log(self.directions) - log(self.alpha * (1 - SHARE))

    @property
    def judges(self) -> float:
        """What log E of the judges must reach (nats); their column has a level of its own."""
        return log(self.directions) - log(self.alpha)


def decide_pairs(
    numerator: Numerator, at: Array, budget: Budget, decided: Iterable[Pair]
) -> list[tuple[Pair, str]]:
    """Return what is decided now and was not before: pairs, better and worse, and by what.

    at: (K,) worths near the most likely ones, or (K + 1,) with γ behind them.
    decided: pairs of codes that need no look, in either direction.
    """
    known = {frozenset(pair) for pair in decided}
    low, high = np.triu_indices(numerator.systems, 1)
    pairs = zip(low.tolist(), high.tolist(), strict=True)
    left = [pair for pair in pairs if frozenset(pair) not in known]
    direct = _decide_direct(numerator, budget, left)
    taken = {frozenset(pair) for pair in direct}
    left = [pair for pair in left if frozenset(pair) not in taken]
    by_model = _decide_by_model(numerator, at, budget, left)
    return [*((pair, DIRECT) for pair in direct), *((pair, MODEL) for pair in by_model)]


def _decide_direct(numerator: Numerator, budget: Budget, pairs: Sequence[Pair]) -> list[Pair]:
    """Decide by own votes."""
    founding = [pair for pair in pairs if max(pair) < (budget.founders or 0)]
    if not founding:
        return []
    votes = [numerator.direct(*pair) for pair in founding]
    wins = np.array([max(own) for own in votes], dtype=np.float64)
    losses = np.array([min(own) for own in votes], dtype=np.float64)
    reached = np.flatnonzero(log_direct(wins, losses) >= budget.direct).tolist()
    return [founding[i] if votes[i][0] > votes[i][1] else founding[i][::-1] for i in reached]


def _decide_by_model(
    numerator: Numerator, at: Array, budget: Budget, pairs: Sequence[Pair]
) -> list[Pair]:
    """Decide by all votes."""
    counts = numerator.pairs()
    screen = Screen(counts, at)
    enough = numerator.log_value - budget.universal
    one, other = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    bound, meet = screen.bound(one, other)
    found = []
    for i in np.flatnonzero(bound <= enough).tolist():
        start = at.copy()
        start[one[i]] = meet[i]
        null = find_supremum(counts, pairs[i], start, enough=enough)
        if null is not None and null.value <= enough and null.lead:
            found.append(pairs[i] if null.lead > 0 else pairs[i][::-1])
    return found


# How much nearer than they are pairs are taken to be (nats): sums of many votes are rounded
ROUNDING: Final = 1e-6
# So many pairs come near at once where shared worths are out of date: they are fitted first
CROWD: Final = 8
RENEWED: Final = 60  # Votes between the first renewals of shared witnesses
LATER: Final = 20  # Later they are renewed with every further 1/20 of the votes


class Lookout:
    """Open pairs of a board, and how near each may be to being decided.

    It changes with every vote.
    """

    def __init__(self, numerator: Numerator, decided: Iterable[Pair]) -> None:
        self._numerator = numerator
        self._pairs: list[Pair] = []
        self._of: list[NDArray[np.intp]] = []  # of each system: its pairs, by the other's code
        self._open = np.zeros(0, dtype=np.bool_)
        self._at: Array = np.zeros(0)
        self._gamma = numerator.gamma
        self._value = 0.0
        self._meet: Array = np.zeros(0)
        self._loss: Array = np.zeros(0)  # ℓ of a pair's witness less that of the shared worths
        self._near = _Near()
        self._votes = int(np.sum(numerator.counts))
        self._grow()
        for pair in decided:
            self._open[self._find(*pair)] = False
        self._renew()

    def follow(self, votes: Sequence[Coded], budget: Budget) -> list[tuple[Pair, str]]:
        """Return what is decided by votes that the numerator took in just now, and by what."""
        self._grow()
        for left, right, outcome in votes:
            self._move(left, right, outcome)
            self._near.move(left, right, outcome)
        self._votes += len(votes)
        if self._votes >= self._due:
            self._renew()
        direct = [(pair, DIRECT) for pair in self._decide_direct(votes, budget)]
        return [*direct, *((pair, MODEL) for pair in self._decide_by_model(budget))]

    def _find(self, one: int, other: int) -> int:
        return int(self._of[one][other - (other > one)])

    def _grow(self) -> None:
        """Make room for systems that came: without votes they may be as good as any other."""
        for new in range(len(self._of), self._numerator.systems):
            fresh = np.arange(len(self._pairs), len(self._pairs) + new)
            self._pairs += [(other, new) for other in range(new)]
            self._of = [np.append(own, fresh[other]) for other, own in enumerate(self._of)]
            self._of.append(fresh)
            self._open = np.append(self._open, np.ones(new, dtype=np.bool_))
            self._meet = np.append(self._meet, self._at)
            self._loss = np.append(self._loss, np.zeros(new))
            self._at = np.append(self._at, 0.0)
            self._near.grow()

    def _move(self, left: int, right: int, outcome: int) -> None:
        """Add a vote to the likelihood of all shared witnesses."""
        own, others = self._of[left], self._of[right]
        n, common = len(own), right - (right > left)
        eta = np.empty(2 * n + 1)
        eta[:n] = self._meet[own] - self._at[right]
        eta[n : 2 * n] = self._at[left] - self._meet[others]
        eta[2 * n] = self._at[left] - self._at[right]
        eta[common] = 0.0
        said = _log_chance(outcome, eta, self._gamma)
        shared = float(said[2 * n])
        moved = said - shared
        moved[n + left - (left > right)] = 0.0  # counted with the pairs of the left system
        self._value += shared
        self._loss[own] += moved[:n]
        self._loss[others] += moved[n : 2 * n]

    def _renew(self) -> None:
        """Begin anew: no open pair has a witness of its own any more."""
        self._due = _find_next(self._votes)
        self._near = _Near()
        self._loss = np.where(self._open, 0.0, np.inf)
        self._share()

    def _share(self) -> None:
        """Take the likeliest worths for all pairs without a witness of their own."""
        with one_blas_thread():
            at, k = self._numerator.settle(), self._numerator.systems
        screen = Screen(self._numerator.pairs(), at)
        self._at, self._gamma, self._value = at[:k].copy(), screen.gamma, screen.value
        kept = np.flatnonzero(self._loss < np.inf)
        one, other = np.array(self._pairs, dtype=np.intp).reshape(-1, 2)[kept].T
        bound, meet = screen.bound(one, other)
        self._loss[kept], self._meet[kept] = bound - screen.value, meet

    def _decide_direct(self, votes: Sequence[Coded], budget: Budget) -> list[Pair]:
        """Decide the pairs of these votes by their own votes."""
        found = []
        for one, other in dict.fromkeys((min(vote[:2]), max(vote[:2])) for vote in votes):
            place = self._find(one, other)
            if other >= (budget.founders or 0) or not self._open[place]:
                continue
            won, lost = self._numerator.direct(one, other)
            most, least = max(won, lost), min(won, lost)
            if _bound_direct(most, least) < budget.direct - ROUNDING:
                continue
            if log_direct(np.array([most]), np.array([least]))[0] >= budget.direct:
                found.append((one, other) if won > lost else (other, one))
                self._close(place)
        return found

    def _close(self, place: int) -> None:
        """Look at a decided pair no more."""
        self._open[place] = False
        self._loss[place] = np.inf
        self._near.drop(place)

    def _decide_by_model(self, budget: Budget) -> list[Pair]:
        """Decide by all votes."""
        enough = self._numerator.log_value - budget.universal
        far = self._reach(enough)
        if len(far) > CROWD:
            self._share()
            far = self._reach(enough)
        places = [*self._near.reached(enough + ROUNDING), *far]
        if not places:
            return []
        counts = self._numerator.pairs()
        with one_blas_thread():
            found = [self._evaluate(place, counts, enough) for place in sorted(places)]
        return [pair for pair in found if pair is not None]

    def _reach(self, enough: float) -> list[int]:
        """Return the places of pairs whose shared witness is no likelier than this."""
        least = enough + ROUNDING - self._value
        return np.flatnonzero(self._loss <= least).tolist()

    def _evaluate(self, place: int, counts: PairCounts, enough: float) -> Pair | None:
        """Fit worths under which two systems are equal; return the pair if that decides it."""
        one, other = self._pairs[place]
        start = self._near.find(place)
        if start is None:
            start = self._at.copy()
            start[one] = self._meet[place]
        if self._gamma is not None:
            start = np.append(start, self._gamma)
        null = find_supremum(counts, (one, other), start, enough=enough)
        self._loss[place] = np.inf
        self._near.drop(place)
        if null is None:  # without a maximum: no look again before the next renewal
            return None
        if null.value <= enough and null.lead:
            self._close(place)
            return (one, other) if null.lead > 0 else (other, one)
        self._near.add(place, null.at, counts)
        return None


class _Near:
    """Pairs that are near to being decided, each with a witness of its own."""

    def __init__(self) -> None:
        self._places: list[int] = []
        self._worth: Array = np.zeros((0, 0))
        self._gamma: Array = np.zeros(0)
        self._value: Array = np.zeros(0)

    def grow(self) -> None:
        """Make room for a system."""
        if self._places:
            self._worth = np.pad(self._worth, ((0, 0), (0, 1)))

    def move(self, left: int, right: int, outcome: int) -> None:
        """Add a vote to the likelihood of each witness."""
        if self._places:
            eta = self._worth[:, left] - self._worth[:, right]
            self._value += _log_chance(outcome, eta, self._gamma)

    def reached(self, enough: float) -> list[int]:
        """Return the places of pairs whose witness is no likelier than this."""
        return [self._places[i] for i in np.flatnonzero(self._value <= enough).tolist()]

    def find(self, place: int) -> Array | None:
        """Return the worths of a pair's witness; None where it has none of its own."""
        return self._worth[self._places.index(place)] if place in self._places else None

    def drop(self, place: int) -> None:
        """Forget a pair."""
        if place in self._places:
            kept = np.array(self._places) != place
            self._places.remove(place)
            self._worth, self._gamma = self._worth[kept], self._gamma[kept]
            self._value = self._value[kept]

    def add(self, place: int, at: Array, counts: PairCounts) -> None:
        """Take the best worths of a pair for its witness; without ties γ is −∞."""
        k = counts.systems
        gamma = float(at[k]) if len(at) > k else None
        eta = at[counts.low] - at[counts.high]
        value = float(sum_log_chances(counts.counts, eta, gamma).sum())
        self._worth = np.vstack([self._worth.reshape(-1, k), at[:k]])
        self._gamma = np.append(self._gamma, -np.inf if gamma is None else gamma)
        self._value = np.append(self._value, value)
        self._places.append(place)


def _log_chance(outcome: int, eta: Array, gamma: Array | float | None) -> Array:
    """Return the log-probability of one answer at each difference of log-worths."""
    half = eta / 2
    total = np.logaddexp(half, -half)
    if gamma is not None:
        total = np.logaddexp(total, gamma)
    if outcome == TIE:
        return np.asarray(gamma - total)
    return (half if outcome < TIE else -half) - total


def _find_next(votes: int) -> int:
    """Return after how many votes shared witnesses are renewed next.

    >>> _find_next(0), _find_next(60), _find_next(61)
    (60, 120, 120)
    """
    due = RENEWED
    while due <= votes:
        due += max(RENEWED, due // LATER)
    return due


def _bound_direct(most: int, least: int) -> float:
    """Return what log B cannot exceed (nats): the ratio at the likeliest chance.

    >>> round(_bound_direct(14, 0), 3), _bound_direct(3, 3)
    (9.704, 0.0)
    """
    n = most + least
    if n == 0:
        return 0.0
    return sum(part * log(2 * part / n) for part in (most, least) if part)

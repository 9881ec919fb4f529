"""Which pairs of systems votes decide for good, however often somebody looks.

docs/peeking.md ("How it decides") has the two tests: of all votes together, N_t / sup L_t, and of
the votes of one pair. `OpenPairScreen` looks at all open pairs, or follows votes and decides the
same without a fit for every pair at every vote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import exp, log, tanh
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.votes import TIE
from evenhand.errors import NotConverged
from evenhand.numerics import Array, Flags, newton
from evenhand.numerics.graph import Graph, strong_components
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking.sides import log_direct

Integers = NDArray[np.signedinteger[Any]]
Chances = tuple[Array, Array, Array]
Coded = tuple[int, int, int]  # Codes of the left and the right system, and LEFT, TIE or RIGHT
Pair = tuple[int, int]

MODEL_SHARE: Final = 0.6  # Share of α that all votes together may spend; direct votes have the rest
MODEL, DIRECT, JUDGES = "all votes", "direct votes", "judges"  # What decided a pair

CONVERGED: Final = 1e-10  # Squared Newton decrement (nats) of a fit that is done
MAX_STEPS: Final = 50
MAX_HALVINGS: Final = 30
MAX_LOG_WORTH: Final = 20.0  # A log-worth or γ that is taken to be at infinity
PRIOR_TIE_INFORMATION: Final = 2 / 3  # On γ of one tie and two preferences, 3 · ⅓ · ⅔
MAX_STEP: Final = 1.0  # Longest step between two fits (log-worth)
PAIRS_AT_ONCE: Final = 2048  # Pairs of which bounds are found at the same time
ROUNDING: Final = 1e-6  # How much nearer pairs are taken to be (nats), for rounded sums
MAX_NEAR_PAIRS: Final = 8  # Pairs near at once; beyond, shared worths are fitted first
RENEWAL_VOTES: Final = 60  # Votes between the first renewals of shared bounds
RENEWAL_PARTS: Final = 20  # Later they are renewed with every further 1/20 of the votes


# The likelihood of votes on pairs, Davidson's ties or none, to second order.
#
# p(s beats t) = e^{η/2} / D,   p(tie) = ν / D,   D = e^{η/2} + e^{−η/2} + ν,   η = θ_s − θ_t,
#
# with log-worths θ and ν = e^γ; without ties ν = 0. Source: Davidson (1970), Journal of the
# American Statistical Association 65:317-328. It is concave in (θ, γ), being a multinomial logit.


@dataclass(frozen=True, eq=False)
class PairCounts:
    systems: int  # K, the number of systems
    low: Integers  # (C,) code of one system of each pair
    high: Integers  # (C,) code of the other; the same where both count as one system
    counts: Array  # (C, 3) wins of `low`, ties, wins of `high`

    def take(self, rows: Flags) -> PairCounts:
        return replace(self, low=self.low[rows], high=self.high[rows], counts=self.counts[rows])

    def spread(self, values: Array) -> Array:
        """Add a value of each pair to one system and take it from the other; (K,)."""
        low, high = (
            np.bincount(end, values, minlength=self.systems) for end in (self.low, self.high)
        )
        return np.asarray(low - high)


def log_chances(eta: Array, gamma: Array | float | None) -> Chances:
    up, down = eta / 2, -eta / 2
    total = np.logaddexp(up, down)
    if gamma is None:
        return up - total, np.full_like(total, -np.inf), down - total
    total = np.logaddexp(total, gamma)
    return up - total, np.asarray(gamma - total), down - total


def sum_log_chances(counts: Array, logs: Chances, gamma: float | None) -> Array:
    value = counts[..., 0] * logs[0] + counts[..., 2] * logs[2]
    return np.asarray(value if gamma is None else value + counts[..., 1] * logs[1])


def expand(pairs: PairCounts, at: Array) -> newton.Expansion:
    # at: (K,) log-worths, or (K + 1,) with γ behind them; the information of worths is singular,
    # since only their differences count
    k = pairs.systems
    gamma = float(at[k]) if len(at) > k else None
    logs = log_chances(at[pairs.low] - at[pairs.high], gamma)
    won, tie, lost = (np.exp(part) for part in logs)
    n = pairs.counts.sum(axis=1)
    value = float(sum_log_chances(pairs.counts, logs, gamma).sum())
    gradient, information = np.zeros(len(at)), np.zeros((len(at), len(at)))
    gradient[:k] = pairs.spread(_score(pairs.counts, won, lost))
    weight = n * (won + lost - (won - lost) ** 2) / 4
    np.add.at(information, (pairs.low, pairs.high), -weight)
    information += information.T
    own = np.bincount(pairs.low, weight, minlength=k) + np.bincount(pairs.high, weight, minlength=k)
    information[np.arange(k), np.arange(k)] += own
    if gamma is not None:
        gradient[k] = (pairs.counts[:, 1] - n * tie).sum()
        information[:k, k] = information[k, :k] = pairs.spread(-n * tie * (won - lost) / 2)
        information[k, k] = (n * tie * (1 - tie)).sum()
    return newton.Expansion(value, gradient, information)


def _score(counts: Array, won: Array, lost: Array) -> Array:
    """Return the derivative of each pair's log-likelihood by its difference of log-worths."""
    n = counts.sum(axis=-1)
    return np.asarray((counts[..., 0] - counts[..., 2] - n * (won - lost)) / 2)


def find_parts(pairs: PairCounts) -> NDArray[np.intp]:
    """Return the strongly connected part of each system; a tie joins both ways."""
    won, tied, lost = (pairs.counts > 0).T
    down, up = won | tied, lost | tied
    source = np.concatenate([pairs.low[down], pairs.high[up]])
    target = np.concatenate([pairs.high[down], pairs.low[up]])
    return strong_components(Graph(pairs.systems, source, target))


# The denominator: the best that worths can do under which two systems are equal.
#
# For s > t the null hypothesis is θ_s ≤ θ_t. Where the likelihood rises with θ_s − θ_t at the best
# point with θ_s = θ_t, that point is the best of the whole null hypothesis, the likelihood being
# concave. Two equal systems are one player; their votes on each other tell of ties only.
#
# A denominator that is too small would decide too much. So Newton's squared decrement is added;
# systems that no vote contradicts are taken as infinitely far apart, their votes having a
# likelihood of 1, the supremum; and where ties run off to infinity too, nothing is decided.


@dataclass(frozen=True)
class Supremum:
    """The most likely worths under which two systems are equal."""

    value: float  # upper bound of their log-likelihood (nats), or more than enough
    lead: float  # its derivative by θ_one − θ_other: positive where `one` is better
    at: Array  # worths there or near, and γ where anything tied


def find_supremum(
    pairs: PairCounts, equal: tuple[int, int], start: Array, *, enough: float = np.inf
) -> Supremum | None:
    """Fit worths under which two systems are equal; None where the supremum is at infinity."""
    # start as in `expand`; enough: a log-likelihood beyond which the first one is returned
    k, (first, second) = pairs.systems, equal
    code = np.arange(k)
    code[second] = first
    merged = replace(pairs, low=code[pairs.low], high=code[pairs.high])
    part = find_parts(merged)
    inside = part[merged.low] == part[merged.high]
    counts = merged.take(inside)
    at = (start if counts.counts[:, 1].any() else start[:k]).copy()
    at[second] = at[first]
    anchor = np.zeros((len(at), len(at)))
    anchor[:k, :k] = part[:, None] == part  # worths of a part are known up to their sum
    here = expand(counts, at)
    for _ in range(MAX_STEPS):
        value = here.value
        if value > enough:
            break
        try:
            step = newton.solve_step(here.information + anchor, here.gradient)
        except NotConverged:
            return None
        decrement = float(here.gradient @ step)
        if decrement < CONVERGED:
            if abs(at).max() >= MAX_LOG_WORTH:
                return None
            value += 2 * max(decrement, 0.0)
            break
        least = value - newton.NEWTON_ROUNDING * (1.0 + abs(value))
        moved = newton.backtrack(partial(expand, counts), at, step, (least, 0.0), MAX_HALVINGS)
        if moved is None:
            return None
        at, here = moved
    else:
        return None
    at[second] = at[first]
    gamma = float(at[k]) if len(at) > k else None
    within = pairs.take(inside)
    won, _, lost = (np.exp(x) for x in log_chances(at[within.low] - at[within.high], gamma))
    lead = float(within.spread(_score(within.counts, won, lost))[first])
    return Supremum(value, lead, at)


# What is predicted of the next vote: worths fitted to the votes before it, with a weak prior.
#
# ℓ(θ, γ) − Σ_s log 2cosh(θ_s/2) + γ − 3 log(2 + e^γ)
#
# Each system has one draw against an average opponent, half won and half lost; ties have one tie
# and two preferences between equals. The maximum exists for any votes, none included. Whatever is
# predicted, what is decided with it is valid: bad predictions merely decide less.


def fit_plug_in(pairs: PairCounts, start: Array) -> newton.Maximum:
    """Fit worths, and γ where `start` has one, with the prior."""

    def penalised(at: Array) -> newton.Expansion:
        here = expand(pairs, at)
        worth = at[: pairs.systems]
        prior = -np.logaddexp(worth / 2, -worth / 2).sum()
        gradient = -np.tanh(worth / 2) / 2
        curvature = (1 - np.tanh(worth / 2) ** 2) / 4
        if len(at) > pairs.systems:
            gamma = float(at[pairs.systems])
            total = np.logaddexp(np.log(2), gamma)
            tie = np.exp(gamma - total)
            prior += gamma - 3 * total
            gradient = np.append(gradient, 1 - 3 * tie)
            curvature = np.append(curvature, 3 * tie * (1 - tie))
        information = here.information + np.diag(curvature)
        return newton.Expansion(float(here.value + prior), here.gradient + gradient, information)

    return newton.maximise(penalised, start)


# The running numerator N_t: how well the votes were predicted, each from those before it.
#
# log N_t = Σ_i log p_θ̃(i−1)(y_i)
#
# θ̃(i−1) knows the votes before the i-th only. For the true worths θ* the ratio N_t / L_t(θ*) is a
# nonnegative martingale that begins at 1, whatever chose the pairs and whoever looked on: by
# Ville's inequality it ever reaches 1/α with a chance of at most α. One numerator serves all pairs.
#
# After each vote its two systems take a Newton step, which costs as much as they have neighbours;
# after every K² votes all worths are fitted anew.


class Numerator:
    # It changes with every vote: to copy it would cost more than the vote.

    def __init__(self, systems: int, *, ties: bool) -> None:
        self.systems = systems
        self.log_value = 0.0
        self.worth = [0.0] * systems
        self.gamma = 0.0 if ties else None
        self.tie_information = PRIOR_TIE_INFORMATION
        self.since_fit = 0  # votes since all worths were fitted
        self.ends: list[tuple[int, int]] = []
        self.counts: list[list[int]] = []
        self.early: list[list[int]] = []
        self._row: dict[tuple[int, int], int] = {}
        self._neighbours: list[list[tuple[int, int]]] = [[] for _ in range(systems)]

    def add_system(self) -> None:
        """Make room for a system without votes; it is predicted to be an average one."""
        self.systems += 1
        self.worth.append(0.0)
        self._neighbours.append([])

    def pairs(self) -> PairCounts:
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

    def observe(self, votes: Sequence[Coded]) -> None:
        """Take in votes that came together: all are predicted from what was known before them."""
        gradient = 0.0
        for left, right, outcome in votes:
            chances = _log_chances(self.worth[left] - self.worth[right], self.gamma)
            self.log_value += chances[outcome]
            if self.gamma is not None:
                tie = exp(chances[TIE])
                self.tie_information += tie * (1 - tie)
                gradient += (outcome == TIE) - tie
        for left, right, outcome in votes:
            ends = (left, right) if left < right else (right, left)
            row = self._row.get(ends)
            if row is None:
                row = self._add_pair(ends)
            self.counts[row][outcome if left < right else 2 - outcome] += 1
        self.since_fit += len(votes)
        if self.since_fit >= self.systems**2:
            fit = fit_plug_in(self.pairs(), self._at())
            self.worth = fit.at[: self.systems].tolist()
            if self.gamma is not None:
                self.gamma = float(fit.at[-1])
                self.tie_information = float(fit.expansion.information[-1, -1])
            self.since_fit = 0
            return
        if self.gamma is not None:
            self.gamma += _clip(gradient / self.tie_information)
        for system in dict.fromkeys(code for vote in votes for code in vote[:2]):
            self._relax(system)

    def settle(self) -> Array:
        """Return worths, and γ if ties are an outcome, fitted to all votes so far."""
        at = self._at()
        return at if self.since_fit == 0 else fit_plug_in(self.pairs(), at).at

    def _at(self) -> Array:
        return np.array(self.worth if self.gamma is None else [*self.worth, self.gamma])

    def _add_pair(self, ends: tuple[int, int]) -> int:
        low, high = ends
        row = self._row[ends] = len(self.ends)
        self.ends.append(ends)
        self.counts.append([0, 0, 0])
        self._neighbours[low].append((high, row))
        self._neighbours[high].append((low, row))
        return row

    def _relax(self, system: int) -> None:
        """Take one Newton step in the worth of a system, all others held."""
        worth = self.worth[system]
        half = tanh(worth / 2)
        slope, curvature = -half / 2, (1 - half * half) / 4
        for other, row in self._neighbours[system]:
            low, tied, high = self.counts[row]
            won, lost = (low, high) if system < other else (high, low)
            chances = _log_chances(worth - self.worth[other], self.gamma)
            first, second = exp(chances[0]), exp(chances[2])
            n, lead = won + tied + lost, first - second
            slope += (won - lost - n * lead) / 2
            curvature += n * (first + second - lead * lead) / 4
        self.worth[system] = worth + _clip(slope / curvature)

    def to_dict(self) -> dict[str, Any]:
        return {key: getattr(self, name) for key, name in SAVED.items()}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Numerator:
        numerator = cls(int(saved["systems"]), ties=saved["gamma"] is not None)
        for low, high in saved["ends"]:
            numerator._add_pair((int(low), int(high)))
        for key, name in SAVED.items():
            if key != "ends":
                setattr(numerator, name, saved[key])
        return numerator


# What is saved of a numerator, by the keys of a board's file
SAVED: Final = {name: name for name in ("systems", "log_value", "worth", "gamma")} | {
    "told": "tie_information",
    "since": "since_fit",
    **{name: name for name in ("ends", "counts", "early")},
}


def _log_chances(eta: float, gamma: float | None) -> tuple[float, float, float]:
    half = abs(eta) / 2
    total = 1 + exp(-2 * half) + (0.0 if gamma is None else exp(gamma - half))
    norm = half + log(total)
    tie = -np.inf if gamma is None else gamma - norm
    return eta / 2 - norm, tie, -eta / 2 - norm


def _clip(step: float) -> float:
    return min(max(step, -MAX_STEP), MAX_STEP)


# Which pairs could be decided, without a fit for each: worths that make two systems equal have at
# most the likelihood of the best of them. A pair whose systems are moved to one point between them,
# all others held, and whose likelihood is then still too high, cannot be decided.


def bound_nulls(
    pairs: PairCounts, at: Array, first: Integers, second: Integers
) -> tuple[float, Array, Array]:
    """Return ℓ of worths, (P,) lower bounds of ℓ where two are equal, and where these meet."""
    k = pairs.systems
    worth, gamma = at[:k], float(at[k]) if len(at) > k else None
    counts = np.zeros((k, k, 3))
    counts[pairs.low, pairs.high] = pairs.counts
    counts[pairs.high, pairs.low] = pairs.counts[:, ::-1]

    def sums(counts: Array, eta: Array) -> Array:
        return sum_log_chances(counts, log_chances(eta, gamma), gamma)

    each = sums(counts, worth[:, None] - worth)
    whole = float(each.sum() / 2)
    # how firmly each system is held; any positive number makes the bound valid
    firm = counts.sum(axis=(1, 2)) + 1.0
    a, b = firm[first], firm[second]
    meet = np.asarray((a * worth[first] + b * worth[second]) / (a + b))
    bounds = np.zeros(len(first))
    for start in range(0, len(first), PAIRS_AT_ONCE):
        rows = slice(start, start + PAIRS_AT_ONCE)
        one, other = first[rows], second[rows]
        value = whole - each[one].sum(axis=1) - each[other].sum(axis=1) + each[one, other]
        eta = meet[rows, None] - worth
        pair = np.arange(len(one))
        for system, opponent in ((one, other), (other, one)):
            moved = sums(counts[system], eta)
            moved[pair, opponent] = 0.0
            value += moved.sum(axis=1)
        bounds[rows] = value + sums(counts[one, other], np.zeros(len(one)))
    return whole, bounds, meet


# What is decided at a look: by all votes through the model, or by two systems' own votes.
#
# The level α is shared. The ratio of all votes is valid for all pairs at once: wherever θ_s ≤ θ_t
# is true it is at most N_t / L_t(θ*), one martingale for all pairs and both directions (Ville
# 1939). Own votes decide once B_st ≥ K(K − 1) / (.4 α), each direction of each pair having a
# martingale of its own: with half that number two equal systems are named in 3.2 % of boards where
# 2 % are allowed (threshold 50, 3,000 votes; counted exactly).


@dataclass(frozen=True)
class Claim:
    """One system is better than another; it stays so, whatever comes."""

    better: str  # name of the system
    worse: str  # name of the other
    votes: int  # votes that had been counted when it was decided
    by: str  # "all votes", "direct votes" or "judges"


@dataclass(frozen=True)
class Budget:
    alpha: float  # the chance that any claim, ever, is false (proportion)
    founders: int | None  # systems whose pairs direct votes decide, by code; None if unnamed

    @property
    def directions(self) -> int:
        """Ordered pairs that share a level."""
        return 0 if self.founders is None else self.founders * (self.founders - 1)

    @property
    def universal(self) -> float:
        """What log N − log sup L must reach (nats)."""
        shared = self.founders is None or self.directions
        return -log(self.alpha * (MODEL_SHARE if shared else 1.0))

    @property
    def direct(self) -> float:
        """What log B must reach (nats)."""
        return log(self.directions) - log(self.alpha * (1 - MODEL_SHARE))

    @property
    def judges(self) -> float:
        """What log E of the judges must reach (nats); their column has a level of its own."""
        return log(self.directions) - log(self.alpha)


# What a full look after every vote would decide, without a fit for every pair at every vote.
#
# Each open pair has worths at which its two systems are equal, and cannot be decided while
#
# log N_t − ℓ_t(worths) < log 1/(.6 α),
#
# where ℓ_t moves with each vote by the log-chance of that vote alone. Far from being decided, pairs
# share their worths but for the point where their two systems meet: a vote then moves the pairs of
# its own two systems. A pair that comes near is fitted and has worths of its own, the best ones.
# What the screen lets through is decided by the same fit as in a full look, so that what is decided
# depends on the votes up to then, never on when somebody looked.


class OpenPairScreen:
    # It changes with every vote.

    def __init__(self, numerator: Numerator, decided: Iterable[Pair]) -> None:
        self._numerator = numerator
        self._pairs: list[Pair] = []
        self._of: list[NDArray[np.intp]] = []  # of each system: its pairs, by the other's code
        self._open = np.zeros(0, dtype=np.bool_)
        self._at: Array = np.zeros(0)
        self._gamma = numerator.gamma
        self._value = 0.0  # ℓ of the shared worths
        self._meet: Array = np.zeros(0)
        # ℓ at a pair's meeting point less that of the shared worths; ∞ where it is fitted or closed
        self._loss: Array = np.zeros(0)
        self._fitted: dict[int, _Fitted] = {}  # of pairs that are near to being decided
        self._votes = int(np.sum(numerator.counts))
        self._grow()
        for pair in decided:
            self._open[self._find(*pair)] = False
        self._renew()

    def look(self, budget: Budget) -> list[tuple[Pair, str]]:
        """Return what all votes decide now, and by what: pairs, better and worse, in order."""
        direct = self._decide_direct(sorted(self._pairs), budget)
        enough = self._numerator.log_value - budget.universal
        return [*direct, *sorted(self._decide_by_model(enough), key=lambda claim: sorted(claim[0]))]

    def follow(self, votes: Sequence[Coded], budget: Budget) -> list[tuple[Pair, str]]:
        """Return what is decided by votes that the numerator took in just now, and by what."""
        self._grow()
        for left, right, outcome in votes:
            self._move(left, right, outcome)
            for own in self._fitted.values():
                eta = float(own.worth[left] - own.worth[right])
                own.value += _log_chances(eta, own.gamma)[outcome]
        self._votes += len(votes)
        if self._votes >= self._due:
            self._renew()
        compared = dict.fromkeys((min(vote[:2]), max(vote[:2])) for vote in votes)
        direct = self._decide_direct(compared, budget)
        enough = self._numerator.log_value - budget.universal
        if len(self._reached(enough)) > MAX_NEAR_PAIRS:
            self._share()
        return [*direct, *self._decide_by_model(enough)]

    def _find(self, one: int, other: int) -> int:
        return int(self._of[one][other - (other > one)])

    def _grow(self) -> None:
        """Make room for systems that came: without votes they may be as good as any other."""
        known, size = len(self._of), self._numerator.systems
        if known == size:
            return
        fresh = [(low, high) for high in range(known, size) for low in range(high)]
        self._pairs += fresh
        self._at = np.append(self._at, np.zeros(size - known))
        self._open = np.append(self._open, np.ones(len(fresh), dtype=np.bool_))
        self._meet = np.append(self._meet, [self._at[low] for low, _ in fresh])
        self._loss = np.append(self._loss, np.zeros(len(fresh)))
        low, high = np.array(self._pairs, dtype=np.intp).reshape(-1, 2).T
        place = np.zeros((size, size), dtype=np.intp)
        place[low, high] = place[high, low] = np.arange(len(low))
        self._of = [np.delete(row, system) for system, row in enumerate(place)]
        for own in self._fitted.values():
            own.worth = np.append(own.worth, np.zeros(size - known))

    def _move(self, left: int, right: int, outcome: int) -> None:
        of_left, of_right = self._of[left], self._of[right]
        n, common = len(of_left), right - (right > left)
        eta = np.empty(2 * n + 1)
        eta[:n] = self._meet[of_left] - self._at[right]
        eta[n : 2 * n] = self._at[left] - self._meet[of_right]
        eta[2 * n] = self._at[left] - self._at[right]
        eta[common] = 0.0
        chances = log_chances(eta, self._gamma)[outcome]
        shared = float(chances[2 * n])
        moved = chances - shared
        moved[n + left - (left > right)] = 0.0  # counted with the pairs of the left system
        self._value += shared
        self._loss[of_left] += moved[:n]
        self._loss[of_right] += moved[n : 2 * n]

    def _renew(self) -> None:
        """Begin anew: no open pair has worths of its own any more."""
        due = RENEWAL_VOTES
        while due <= self._votes:
            due += max(RENEWAL_VOTES, due // RENEWAL_PARTS)
        self._due = due
        self._fitted = {}
        self._loss = np.where(self._open, 0.0, np.inf)
        self._share()

    def _share(self) -> None:
        with one_blas_thread():
            at, k = self._numerator.settle(), self._numerator.systems
        self._at, self._gamma = at[:k].copy(), float(at[k]) if len(at) > k else None
        sharing = np.flatnonzero(self._loss < np.inf)
        ends = np.array(self._pairs, dtype=np.intp).reshape(-1, 2)[sharing].T
        self._value, bound, self._meet[sharing] = bound_nulls(self._numerator.pairs(), at, *ends)
        self._loss[sharing] = bound - self._value

    def _decide_direct(self, pairs: Iterable[Pair], budget: Budget) -> list[tuple[Pair, str]]:
        claims = []
        for one, other in pairs:
            place = self._find(one, other)
            if other >= (budget.founders or 0) or not self._open[place]:
                continue
            won, lost = self._numerator.direct(one, other)
            most, least = max(won, lost), min(won, lost)
            # log B cannot exceed the ratio at the likeliest chance
            ratio = sum(n * log(2 * n / (won + lost)) for n in (most, least) if n)
            if ratio < budget.direct - ROUNDING:
                continue
            if log_direct(np.array([most]), np.array([least]))[0] >= budget.direct:
                claims.append(((one, other) if won > lost else (other, one), DIRECT))
                self._close(place)
        return claims

    def _close(self, place: int) -> None:
        self._open[place] = False
        self._loss[place] = np.inf
        self._fitted.pop(place, None)

    def _decide_by_model(self, enough: float) -> list[tuple[Pair, str]]:
        near = [place for place, own in self._fitted.items() if own.value <= enough + ROUNDING]
        places = sorted([*near, *self._reached(enough)])
        if not places:
            return []
        counts = self._numerator.pairs()
        with one_blas_thread():
            claims = [self._evaluate(place, counts, enough) for place in places]
        return [(pair, MODEL) for pair in claims if pair is not None]

    def _reached(self, enough: float) -> list[int]:
        return np.flatnonzero(self._loss <= enough + ROUNDING - self._value).tolist()

    def _evaluate(self, place: int, counts: PairCounts, enough: float) -> Pair | None:
        """Fit worths under which two systems are equal; return the pair if that decides it."""
        one, other = self._pairs[place]
        own = self._fitted.pop(place, None)
        start = self._at.copy() if own is None else own.worth
        if own is None:
            start[one] = self._meet[place]
        if self._gamma is not None:
            start = np.append(start, self._gamma)
        null = find_supremum(counts, (one, other), start, enough=enough)
        self._loss[place] = np.inf
        if null is None:  # without a maximum: no look again before the next renewal
            return None
        if null.value <= enough and null.lead:
            self._close(place)
            return (one, other) if null.lead > 0 else (other, one)
        k = counts.systems
        gamma = float(null.at[k]) if len(null.at) > k else None
        logs = log_chances(null.at[counts.low] - null.at[counts.high], gamma)
        value = float(sum_log_chances(counts.counts, logs, gamma).sum())
        self._fitted[place] = _Fitted(null.at[:k], gamma, value)
        return None


@dataclass(eq=False)
class _Fitted:
    """Worths of a pair's own, the best ones when it came near."""

    worth: Array  # (K,)
    gamma: float | None  # None where nothing tied
    value: float  # ℓ of these worths

"""Active policies: which pairs to ask about next, by what is believed of the worths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.tally import Tally
from evenhand.design.campaign import Campaign
from evenhand.errors import (
    CampaignError,
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    listing,
    require_option,
    sentence_hint,
    suggest,
)
from evenhand.models.design import DENSE
from evenhand.numerics import Array
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.newton import Expansion, invert_positive, maximise
from evenhand.numerics.sampling import Draws
from evenhand.numerics.sorting import merge_steps
from evenhand.ranking.sequential.likelihood import PairCounts, expand

# What is believed of the worths: a normal distribution around a fit with a ridge,
#
# ℓ(θ, γ) − ½ r (Σ_s θ_s² + γ²),   r = ¼: log-worths are N(0, 2²) before the first judgment,
#
# ℓ being the likelihood with Davidson's ties, ν = exp γ, or without where nothing tied; its
# covariance is the inverse information (Laplace's approximation). One comparison of two systems
# with difference Δ tells about it I(Δ) = ¼ (p₊ + p₋ − (p₊ − p₋)²), p₊ and p₋ being the chances of
# the two preferences: p (1 − p) where nothing ties. `BradleyTerry(prior=1)` has the same curvature
# at equal worths and shrinks systems far out less; it is made for estimates, this for choosing.

Integers = NDArray[np.signedinteger[Any]]
Mask = NDArray[np.bool_]

RIDGE: Final = 0.25


@dataclass(frozen=True, eq=False)
class Belief:
    """Log-worths as a normal distribution."""

    mean: Array  # (K,) log-worths, their mean 0
    vcov: Array  # (K, K) covariance
    tie: float = 0.0  # Davidson's ν, 0 where nothing ties

    def gap(self, one: Integers, other: Integers) -> tuple[Array, Array]:
        variances = self.vcov.diagonal()
        variance = variances[one] + variances[other] - 2 * self.vcov[one, other]
        return self.mean[one] - self.mean[other], variance

    def above(self, one: Integers, other: Integers) -> Array:
        from scipy.special import ndtr

        gap, variance = self.gap(one, other)
        return np.asarray(ndtr(gap / np.sqrt(variance)))

    def information(self, gap: Array) -> Array:
        """Return what one comparison tells of a difference of log-worths (1 / logit²)."""
        won, _, lost = _chances(gap, self.tie)
        return np.asarray((won + lost - (won - lost) ** 2) / 4)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        root = np.linalg.cholesky(self.vcov)
        return np.asarray(self.mean + rng.normal(size=(n, len(self.mean))) @ root.T)

    def expect(self, one: int, other: int) -> Belief:
        """Return what is believed, on average, after one more comparison: the same but surer."""
        # numbers: arrays of one take longer
        variance = float(self.vcov[one, one] + self.vcov[other, other] - 2 * self.vcov[one, other])
        information = float(self.information(np.asarray(self.mean[one] - self.mean[other])))
        column = self.vcov[:, one] - self.vcov[:, other]
        loss = information / (1 + information * variance)
        return replace(self, vcov=self.vcov - loss * np.outer(column, column))


def fit_belief(tally: Tally, start: Array | None = None) -> Belief:
    """Fit the worths and, where anything tied, the tie parameter, from (K,) worths to start with.

    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([3.0]), np.array([0.0]), np.array([1.0])
    >>> fit_belief(Tally(("a", "b"), one, two, *counts)).mean.round(3)
    array([ 0.473, -0.473])
    """
    k, tied = len(tally.systems), bool(tally.ties.any())
    at = np.zeros(k + tied)
    if start is not None:
        at[:k] = start
    pairs = PairCounts(k, tally.left, tally.right, tally.counts)

    def expand_with_ridge(beta: Array) -> Expansion:
        here = expand(pairs, beta)
        value = here.value - RIDGE * float(beta @ beta) / 2
        information = here.information + RIDGE * np.eye(len(beta))
        return Expansion(value, here.gradient - RIDGE * beta, information)

    fit = maximise(expand_with_ridge, at)
    vcov = invert_positive(fit.expansion.information)[:k, :k]
    return Belief(fit.at[:k], vcov, float(np.exp(fit.at[k])) if tied else 0.0)


def _chances(gap: Array, tie: float) -> tuple[Array, Array, Array]:
    most = np.abs(gap) / 2
    won, tied, lost = np.exp(gap / 2 - most), tie * np.exp(-most), np.exp(-gap / 2 - most)
    total = won + tied + lost
    return won / total, tied / total, lost / total


@dataclass(frozen=True, eq=False)
class State:
    """Judgments so far, and questions still out; pair p is of systems `low[p]` < `high[p]`."""

    tally: Tally  # the judgments, one entry per pair, over all K systems
    waiting: Array  # (P,) how often each pair was handed out and is not answered yet
    allowed: Mask  # (P,) which pairs may be asked
    near: Array | None = None  # (K,) log-worths from which the fit begins

    @property
    def systems(self) -> tuple[str, ...]:
        return self.tally.systems

    @cached_property
    def low(self) -> Integers:
        """(P,) code of the first system of each pair."""
        return np.triu_indices(len(self.systems), 1)[0]

    @cached_property
    def high(self) -> Integers:
        """(P,) code of the second."""
        return np.triu_indices(len(self.systems), 1)[1]

    @cached_property
    def met(self) -> Array:
        """(P,) judgments of each pair, those that are waited for included."""
        counts = self.waiting.copy()
        at = number_pairs(self.tally.left, self.tally.right, len(self.systems))
        np.add.at(counts, at, self.tally.counts.sum(axis=1))
        return counts

    @cached_property
    def loads(self) -> Array:
        """(K,) judgments of each system, those that are waited for included."""
        both = np.concatenate([self.low, self.high])
        counts = np.bincount(both, np.tile(self.met, 2), minlength=len(self.systems))
        return np.asarray(counts, dtype=np.float64)

    @cached_property
    def parts(self) -> Integers:
        """(K,) which systems are linked by judgments, given or waited for."""
        seen = self.met > 0
        return weak_components(Graph(len(self.systems), self.low[seen], self.high[seen]))

    @cached_property
    def counts(self) -> Array:
        """(P, 3) wins, ties and losses of the first system of each pair."""
        counts, tally = np.zeros((len(self.waiting), 3)), self.tally
        turned = (tally.left > tally.right)[:, None]
        at = number_pairs(tally.left, tally.right, len(self.systems))
        np.add.at(counts, at, np.where(turned, tally.counts[:, ::-1], tally.counts))
        return counts

    @cached_property
    def sort(self) -> SortByVotes:
        """How far merge insertion comes by the judgments alone."""
        return sort_by_votes(self)

    @cached_property
    def now(self) -> Belief:
        """What is known of the worths by the judgments alone."""
        return fit_belief(self.tally, self.near)

    @cached_property
    def belief(self) -> Belief:
        """What is known of the worths, the answers that are waited for counted as given."""
        belief = self.now
        for pair in np.flatnonzero(self.waiting):
            for _ in range(int(self.waiting[pair])):
                belief = belief.expect(int(self.low[pair]), int(self.high[pair]))
        return belief


def read_state(
    tally: Tally | None, *, systems: Sequence[str] = (), waiting: Sequence[tuple[str, str]] = ()
) -> State:
    twice = [name for name, count in Counter(systems).items() if count > 1]
    if twice:
        raise UnknownOption(f"{listing(twice)} is named twice: name each system once")
    names = tuple(sorted({*(tally.systems if tally is not None else ()), *systems}))
    if tally is None:
        none, codes = np.zeros(0), np.zeros(0, dtype=np.int32)
        tally = Tally(names, codes, codes, none, none, none)
    else:  # pooled over everything but pairs
        folded = replace(tally, factors={}, squares=None).fold()
        code = np.searchsorted(names, folded.systems).astype(np.int32)
        tally = replace(folded, systems=names, left=code[folded.left], right=code[folded.right])
    k = len(names)
    if k < 2:
        raise NotIdentified("there is no pair to ask about: there are fewer than two systems")
    if k > DENSE:
        raise NotIdentified(f"{k:,} systems are too many: pairs are chosen among {DENSE:,} at most")
    place = {name: code for code, name in enumerate(names)}
    for one, other in waiting:
        for name in (one, other):
            if name not in place:
                hint = suggest(name, names) or f" There are {listing(names)}"
                raise InvalidJudgments(f"'{name}' is waited for and is no system.{hint}")
        if one == other:
            raise InvalidJudgments(f"'{one}' is waited for against itself")
    left, right = ([place[pair[side]] for pair in waiting] for side in (0, 1))
    pairs = k * (k - 1) // 2
    out = np.bincount(number_pairs(left, right, k), minlength=pairs).astype(np.float64)
    return State(tally, out, np.ones(pairs, dtype=np.bool_))


def number_pairs(
    one: Sequence[int] | Integers, other: Sequence[int] | Integers, k: int
) -> Integers:
    """Return the numbers of pairs of systems, whoever is named first."""
    first, second = np.asarray(one, dtype=np.intp), np.asarray(other, dtype=np.intp)
    low, high = np.minimum(first, second), np.maximum(first, second)
    return np.asarray(low * (2 * k - low - 1) // 2 + high - low - 1)


def make_tally(systems: tuple[str, ...], counts: Array) -> Tally:
    """Return (P, 3) counts of all pairs as a tally of those that have any."""
    low, high = np.triu_indices(len(systems), 1)
    used = counts.sum(axis=1) > 0
    ends = low[used].astype(np.int32), high[used].astype(np.int32)
    wins, ties, losses = counts[used].T
    return Tally(systems, *ends, wins, ties, losses, n_judgments=float(counts.sum()))


START: Final = "start-up"
RANDOM: Final = "random"
NARROWED: Final = "narrowed"
CHOSEN: Final = "chosen"
DRAWS: Final = 1000  # Draws of the worths behind a probability: its error is .016 at most


@dataclass(frozen=True)
class Choice:
    left: str  # the system to show first
    right: str  # the other
    kind: str  # "start-up", "random", "narrowed" (of the pairs that are left) or "chosen"
    reason: str  # why, in words


class Batch:
    # A rule takes none twice, and none that waits for an answer, until half of the pairs are out.
    # From then on it may repeat pairs, which count as answered on average: where few are in doubt,
    # whoever must ask of every pair once more has no rule any longer.

    def __init__(self, state: State, top: int = 0) -> None:
        self.state, self.top = state, top
        self.systems, self.low, self.high = state.systems, state.low, state.high
        self.out = state.waiting.copy()
        self.loads = state.loads.copy()
        self.taken: list[tuple[int, str, str]] = []
        self._belief: Belief | None = None
        self._expected = 0

    @property
    def belief(self) -> Belief:
        """What is believed, the pairs taken so far counted as answered on average."""
        if self._belief is None:
            self._belief = self.state.belief
        for pair, _, _ in self.taken[self._expected :]:
            self._belief = self._belief.expect(int(self.low[pair]), int(self.high[pair]))
        self._expected = len(self.taken)
        return self._belief

    @cached_property
    def first(self) -> Array:
        """(K,) how probably each system is among the first `top`, by the judgments so far.

        The share of 1,000 draws, always the same: who asks twice is told the same.
        """
        drawn = self.state.now.draw(DRAWS, np.random.Generator(np.random.PCG64(SEED)))
        least = -np.partition(-drawn, self.top - 1, axis=1)[:, self.top - 1 : self.top]
        return np.asarray((drawn >= least).mean(axis=0))

    @property
    def decided(self) -> bool:
        """Whether it is clear of every system whether it is among the first `top`."""
        return not ((self.first >= 0.005) & (self.first <= 0.995)).any()

    @cached_property
    def reachable(self) -> Mask:
        """(K,) which systems have a pair that may be asked."""
        allowed = self.state.allowed
        ends = np.concatenate([self.low[allowed], self.high[allowed]])
        return np.isin(np.arange(len(self.systems)), ends)

    @property
    def open(self) -> Mask:
        """(P,) the pairs that a rule may take: those not out, or all once half of them are out."""
        allowed = self.state.allowed
        new = allowed & (self.out == 0)
        return np.asarray(new if 2 * new.sum() > allowed.sum() else allowed)

    def take(self, pair: int, kind: str, reason: str) -> None:
        self.taken.append((pair, kind, reason))
        self.out[pair] += 1
        self.loads[[self.low[pair], self.high[pair]]] += 1

    def find_best(self, scores: Array) -> tuple[int, float]:
        """Return the open pair with the highest of (P,) scores, and the score."""
        pair = int(np.argmax(np.where(self.open, scores, -np.inf)))
        return pair, float(scores[pair])


AT_RANDOM = "at random, whatever the answers so far"


def take_balanced(batch: Batch, n: int, rng: np.random.Generator) -> None:
    """Take n random pairs of the systems with the fewest judgments."""
    for _ in range(n):
        pair, _ = _match(batch, np.ones(len(batch.systems), dtype=np.bool_), rng)
        batch.take(pair, RANDOM, AT_RANDOM)


def _take_matched(batch: Batch, start: int, rng: np.random.Generator) -> bool:
    few = (batch.loads < start) & batch.reachable
    if not few.any():
        return False
    pair, least = _match(batch, few, rng, start)
    name, n = batch.systems[least], int(batch.loads[least])
    judgments = f"{n} judgment{'s' * (n != 1)}"
    batch.take(pair, START, f"{name} has {judgments}; every system gets {start} first")
    return True


def _match(
    batch: Batch, among: Mask, rng: np.random.Generator, enough: float = np.inf
) -> tuple[int, int]:
    """Return a pair of the system with the fewest judgments among some, and that system."""
    # Its partner is of those with the fewest judgments, and of these the pair is least often out: a
    # matching that is perfect is worth a pair that comes twice. Where all those pairs are out, the
    # systems that have enough judgments are alike: who is new meets several of them.
    k = len(batch.systems)
    first = _least(batch.loads, among & batch.reachable, rng)
    others = np.delete(np.arange(k), first)
    pairs = number_pairs(np.full(k - 1, first), others, k)
    out = np.zeros(k)
    out[others] = batch.out[pairs]
    partners = others[batch.state.allowed[pairs]]
    had = batch.loads[partners]
    if out[partners[had == had.min()]].all():
        had = np.minimum(had, enough)
    fewest = partners[had == had.min()]
    second = _least(out, np.isin(np.arange(k), fewest), rng)
    return int(number_pairs([first], [second], k)[0]), first


def _least(counts: Array, among: Mask, rng: np.random.Generator) -> int:
    codes = np.flatnonzero(among)
    return int(rng.choice(codes[counts[codes] == counts[codes].min()]))


def _take_link(batch: Batch, rng: np.random.Generator) -> bool:
    if not batch.state.parts.any():
        return False
    seen = (batch.state.met > 0) | (batch.out > 0)
    parts = weak_components(Graph(len(batch.systems), batch.low[seen], batch.high[seen]))
    least_out = batch.state.allowed & (batch.out == batch.out[batch.state.allowed].min())
    across = least_out & (parts[batch.low] != parts[batch.high])
    if not across.any():
        return False
    pair = int(rng.choice(np.flatnonzero(across)))
    sizes = np.bincount(parts)
    smaller = min(parts[batch.low[pair]], parts[batch.high[pair]], key=lambda part: sizes[part])
    names = [batch.systems[code] for code in np.flatnonzero(parts == smaller)]
    batch.take(pair, START, f"no chain of judgments joins {listing(names, 3)} to the others")
    return True


# *order* (the default). Where the belief has density f_ab at Δ_ab = 0 and variance V_ab, about
# .8 Σ_ab f_ab √V_ab pairs will stand in the wrong order once it has narrowed to V_ab. The score of
# a comparison c is by how much it lowers that, to first order:
#
# Σ_ab w_ab (V_ab − V_ab|c),   w_ab = φ(Δ_ab / √V_ab) / V_ab,
#
# which is I_c D_cᵀ L_w D_c / (1 + I_c V_c) with D_c = V x_c and L_w the Laplacian of the weights.
# While differences are hardly known (mean variance above `ROUGH`), the information I_c of a
# comparison is taken at a draw from the belief: a guess would be trusted too far.
#
# *closest* (Thompson sampling): the two systems that are nearest to each other in a draw of the
# worths. *voi* (value of information): the answer that is expected to lower the probability most
# that the pair stands in the wrong order: Φ(−|Δ|/√V) now, less its mean over the possible answers.
#
# The formulas are ours, in the field's standard forms. A pair chosen counts as answered, on
# average, for those chosen after it in one batch.

# Mean variance of differences (logit²) above which information is taken at a draw
ROUGH: Final = 0.8

CLEAR: Final = 0.95  # Probability of an order above which it is no longer called doubtful

# Rules that also choose pairs whose own order is clear, and say so
SAYS_CLEAR: Final = ("order", "closest")
LITTLE: Final = "little doubt here"


def choose_by_order(batch: Batch, n: int, rng: np.random.Generator) -> None:
    """Choose n pairs by how much their answers tell about doubtful orders."""
    low, high = batch.low, batch.high
    for _ in range(n):
        belief = batch.belief
        gap, variance = belief.gap(low, high)
        at = gap
        if variance.mean() > ROUGH:
            drawn = belief.draw(1, rng)[0]
            at = drawn[low] - drawn[high]
        information = belief.information(at)
        weights = np.exp(-(gap**2) / variance / 2) / variance
        laplacian = np.zeros_like(belief.vcov)
        laplacian[low, high] = laplacian[high, low] = -weights
        np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
        product = belief.vcov @ laplacian @ belief.vcov
        diagonal = product.diagonal()
        # D_cᵀ L_w D_c: how much of what counts hangs on each pair
        spread = diagonal[low] + diagonal[high] - 2 * product[low, high]
        gains = information * spread / (1 + information * variance)
        pair, share = batch.find_best(gains / (weights @ variance))
        removed = f"{100 * share:.2g} % of the doubt about all orders"
        reason = _say_doubt(batch, pair) or f"{LITTLE}, but an answer removes {removed}"
        batch.take(pair, CHOSEN, reason)


def choose_closest(batch: Batch, n: int, rng: np.random.Generator) -> None:
    for drawn in batch.belief.draw(n, rng):
        pair, _ = batch.find_best(-np.abs(drawn[batch.low] - drawn[batch.high]))
        reason = _say_doubt(batch, pair) or f"{LITTLE}, but the nearest two in a draw of worths"
        batch.take(pair, CHOSEN, reason)


def choose_by_voi(batch: Batch, n: int, rng: np.random.Generator) -> None:  # noqa: ARG001 - as all
    """Choose n pairs by how much less likely a wrong order is expected to be."""
    from scipy.special import ndtr

    for _ in range(n):
        belief = batch.belief
        gap, variance = belief.gap(batch.low, batch.high)
        left = variance / (1 + belief.information(gap) * variance)
        now = ndtr(-np.abs(gap) / np.sqrt(variance))
        chances = np.stack(_chances(gap, belief.tie))
        score = np.array([[0.5], [0.0], [-0.5]]) - (chances[0] - chances[2]) / 2
        after = (chances * ndtr(-np.abs(gap + left * score) / np.sqrt(left))).sum(axis=0)
        pair, gain = batch.find_best(now - after)
        removes = f"an answer removes {gain:.4f} of the risk of a wrong order"
        less = f"more doubtful pairs are out already: {removes}"
        batch.take(pair, CHOSEN, _say_doubt(batch, pair) or less)


def is_clear(state: State, low: Integers, high: Integers) -> Mask:
    """Return whether there is little doubt about the order of pairs, by their codes."""
    sure = state.now.above(low, high)
    return np.asarray(np.maximum(sure, 1 - sure) >= CLEAR)


def _say_doubt(batch: Batch, pair: int) -> str:
    # It is what the judgments say: a pair that comes twice in a batch is as doubtful both times.
    low, high = batch.low[pair : pair + 1], batch.high[pair : pair + 1]
    sure = float(batch.state.now.above(low, high)[0])
    if is_clear(batch.state, low, high)[0]:
        return ""
    better = low if sure >= 0.5 else high
    return f"{batch.systems[int(better[0])]} is better with probability {max(sure, 1 - sure):.2f}"


def choose_at_border(batch: Batch, n: int, rng: np.random.Generator) -> None:
    """Choose for each of n draws the pair nearest to the border of the first `batch.top`."""
    k, low, high = batch.top, batch.low, batch.high
    for drawn in batch.belief.draw(n, rng):
        place = np.argsort(np.argsort(-drawn, kind="stable"), kind="stable")
        across = (place[low] < k) != (place[high] < k)
        border = np.sort(drawn)[::-1][k - 1 : k + 1].mean()
        far = np.abs(drawn[low] - border) + np.abs(drawn[high] - border)
        pair, _ = batch.find_best(np.where(across, -far, -far - 1e6))
        one, other = int(low[pair]), int(high[pair])
        if batch.first[one] < batch.first[other]:
            one, other = other, one
        likely, less = (  # draws cannot tell it from 0 or 1
            "<0.01" if chance < 0.005 else ">0.99" if chance > 0.995 else f"{chance:.2f}"
            for chance in (batch.first[one], batch.first[other])
        )
        among = f"is among the first {k} with probability {likely}"
        batch.take(pair, CHOSEN, f"{batch.systems[one]} {among}, {batch.systems[other]} {less}")


def choose_by_information(batch: Batch, n: int, rng: np.random.Generator) -> None:  # noqa: ARG001 - as all
    for _ in range(n):  # by how many nats one more comparison lowers the entropy of the belief
        gap, variance = batch.belief.gap(batch.low, batch.high)
        pair, nats = batch.find_best(np.log1p(batch.belief.information(gap) * variance) / 2)
        batch.take(pair, CHOSEN, f"an answer tells {nats:.3f} nats about the worths")


# *sort*: merge insertion (Ford & Johnson 1959) whose comparator is the votes on a pair: Vilar,
# Leusch, Ney & Banchs (2007); Braslavski, Beloborodov, Khalilov & Sharoff (2013). What follows is
# ours:
#
# - the side that leads wins; where none does, a question gets `SORT_VOTES` votes, and is a tie
#   then: the two go on as one. Of the rules tried, this one has the best τ at equal cost: further
#   votes pay more after the end (`tests/experiments/sort_arms.py`);
# - nothing but the votes is kept: the sort is run again on them. So votes on a pair that the sort
#   did not ask about count when it comes to it, and later votes may overturn what was decided;
# - where a question waits for votes the sort goes on as the fitted worths predict, so that there
#   are questions for a batch of any size;
# - after the end all pairs are asked about in turn, those d places apart 1/d as often as
#   neighbours. By neighbours alone rank sets are wrong: who leads stands above, and leads add up.

SORT_VOTES: Final = 3  # Votes after which a question where no side leads is a tie


@dataclass(frozen=True)
class SortByVotes:
    open: tuple[int, ...]  # undecided questions, by pair, in the order in which the sort meets them
    certain: int  # how many of them, the first ones, come up whatever is said to the others
    decided: int  # questions that are decided before the sort needs the first of these
    groups: tuple[tuple[int, ...], ...]  # systems best first, as predicted where questions are open


def sort_by_votes(state: State) -> SortByVotes:
    k, lead = len(state.systems), state.counts[:, 0] - state.counts[:, 2]
    undecided = (lead == 0) & (state.counts.sum(axis=1) < SORT_VOTES)
    # the order of systems depends on their names alone, so that a file continues a server's sort
    names = sorted(range(k), key=lambda code: state.systems[code])
    steps = merge_steps([names[at] for at in Draws(SEED, "policy/sort").order(k).tolist()])
    open_: list[int] = []
    certain = decided = 0
    try:
        questions = next(steps)
        while True:
            before, orders = len(open_), []
            for one, other in questions:
                pair = int(number_pairs([one], [other], k)[0])
                gap = lead[pair] if one < other else -lead[pair]
                if undecided[pair]:
                    open_.append(pair)  # rounded: which entry comes first may change the last bits
                    gap = round(float(state.now.mean[one] - state.now.mean[other]), 6) or 1
                better, worse = (one, other) if gap > 0 else (other, one)
                orders.append(((better,), (worse,)) if gap else ((one, other),))
            if not before:
                certain = len(open_)
                decided += len(questions) - certain
            questions = steps.send(orders)
    except StopIteration as end:
        return SortByVotes(tuple(open_), certain, decided, tuple(end.value))


def choose_by_sort(batch: Batch, n: int, rng: np.random.Generator) -> None:  # noqa: ARG001 - as all
    """Choose n pairs: questions of a sort, then pairs that are near in its order."""
    state, sort = batch.state, batch.state.sort
    asked = [pair for pair in sort.open if state.allowed[pair] and not batch.out[pair]][:n]
    for pair in asked:
        kind = "question" if pair in sort.open[: sort.certain] else "probable question"
        batch.take(pair, CHOSEN, f"{kind} of the sort: {_say_votes(batch, pair)}")
    place = np.argsort([code for group in sort.groups for code in group])
    ends = np.sort(place[np.stack([batch.low, batch.high])], axis=0)
    apart = ends[1] - ends[0]
    near = np.lexsort((ends[0], apart))  # of pairs that are due alike, whoever numbered them
    near = near[state.allowed[near]]
    for _ in range(n - len(asked)):
        votes = state.counts[near].sum(axis=1) + batch.out[near]
        pair = int(near[np.argmin((votes + 1) * apart[near])])
        batch.take(pair, CHOSEN, f"near in the order: {_say_votes(batch, pair)}")


def _say_votes(batch: Batch, pair: int) -> str:
    names = batch.systems[batch.low[pair]], batch.systems[batch.high[pair]]
    wins, ties, losses = (int(count) for count in batch.state.counts[pair])
    if not wins + ties + losses:
        return "no votes yet"
    return f"{names[0]} {wins}, {names[1]} {losses}{f', ties {ties}' if ties else ''}"


# Of each batch the random pairs are drawn first, uniformly and independently, whatever was
# answered, waits, or is wanted: so they are a sample of all pairs.


Rule = Callable[[Batch, int, np.random.Generator], None]

# Rules by name
RULES: Final[Mapping[str, Rule]] = {
    "order": choose_by_order,
    "closest": choose_closest,
    "voi": choose_by_voi,
    "information": choose_by_information,
    "top-k": choose_at_border,
    "sort": choose_by_sort,
    "random": take_balanced,
}

TITLES: Final[Mapping[str, str]] = {
    "order": "pairs whose answers tell most about doubtful orders",
    "closest": "the nearest two systems in a draw of the worths",
    "voi": "pairs whose order is expected to become surer",
    "information": "pairs whose answers tell most about all worths",
    "top-k": "pairs at the border of the first k",
    "sort": "questions of merge insertion, decided by votes",
    "random": "pairs at random, every system as often",
}


@dataclass(frozen=True)
class Policy:
    """A rule, with what surrounds it.

    Attributes:
        rule: order, closest, voi, information, top-k, sort or random.
        random_share: share of pairs at random after the start-up phase; of a batch that it does
            not divide, on average.
        start: judgments of every system before the rule is asked.
        top: the k of top-k.

    >>> from evenhand.design.policy import read_state
    >>> state = read_state(None, systems=["a", "b", "c"])
    >>> [one.kind for one in Policy().choose(state, 3, np.random.default_rng(1))]
    ['start-up', 'start-up', 'start-up']
    """

    rule: str = "order"
    random_share: float = 0.3
    start: int = 5
    top: int | None = None

    def __post_init__(self) -> None:
        require_option("policy", self.rule, tuple(RULES))
        if not 0 <= self.random_share <= 1:
            raise UnknownOption(
                f"the random share cannot be {self.random_share:g}: it is a proportion, such as .3"
            )
        if self.start < 0:
            raise UnknownOption(f"start cannot be {self.start}: it is a number of judgments")
        if self.rule != "top-k" and self.top is not None:
            raise UnknownOption(f"top-k {self.top} is for the policy top-k, not for {self.rule}")
        if self.rule == "top-k" and self.top is None:
            raise UnknownOption(
                'top-k needs to know how many systems are wanted: Policy("top-k", top=3), or'
                " --top-k 3 on the command line"
            )
        if self.top is not None and (not isinstance(self.top, Integral) or self.top < 1):
            raise UnknownOption(f"top-k cannot be {self.top}: a whole number, 1 or more")

    @property
    def settings(self) -> tuple[str, ...]:
        """What a signature says of the policy."""
        rule = self.rule if self.top is None else f"{self.rule} {self.top}"
        start = () if self.rule == "sort" else (f"start {self.start}",)
        return rule, f"random {self.random_share:g}", *start

    def choose(self, state: State, n: int, rng: np.random.Generator) -> tuple[Choice, ...]:
        """Return n pairs to be asked at the same time, in random order of sides.

        The rule takes no pair twice, and none that waits for its answer, until half of the pairs
        are out; `sort` asks about neighbours again. Pairs at random are drawn before it, blind to
        what waits.

        Raises:
            UnknownOption: a number of pairs that is none, or k is not a number of these systems.
            NotIdentified: no pair may be asked.
        """
        if not isinstance(n, Integral):
            raise UnknownOption(f"{n!r} pairs cannot be chosen: give a whole number, 1 or more")
        if n < 1:
            raise UnknownOption(f"{n} pairs cannot be chosen: ask for 1 or more")
        k = len(state.systems)
        if self.top is not None and self.top >= k:
            raise UnknownOption(f"top-k {self.top} names all {k} systems: choose fewer")
        if not state.allowed.any():
            raise NotIdentified("no pair may be asked: every one is used up or excluded")
        batch = Batch(state, self.top or 0)
        if self.rule == "random":
            take_balanced(batch, n, rng)
            return _present(batch, 0, rng)
        started, sorts = 0, self.rule == "sort"  # a sort has a beginning of its own
        while (
            not sorts
            and started < n
            and (_take_matched(batch, self.start, rng) or _take_link(batch, rng))
        ):
            started += 1
        rest = n - started
        by_chance = int(np.floor(rest * self.random_share + rng.random()))
        by_chance = by_chance if state.tally.n_comparisons > 0 or sorts else rest
        # Random pairs, each of all alike: the same one again, and one that waits, as any. Pairs
        # that are out are no exception: a rule chose most of them, and what it leaves over would be
        # no sample. Where some pairs may not be asked, none of these is one of all pairs.
        narrowed = NARROWED, "at random, of the pairs that are left"
        kind, reason = (RANDOM, AT_RANDOM) if state.allowed.all() else narrowed
        for pair in rng.choice(np.flatnonzero(state.allowed), by_chance).tolist():
            batch.take(pair, kind, reason)
        RULES[self.rule](batch, rest - by_chance, rng)
        return _present(batch, started, rng)


def _present(batch: Batch, started: int, rng: np.random.Generator) -> tuple[Choice, ...]:
    """Put the pairs in order: the start-up first, the others mixed; sides by the toss of a coin."""
    order = [*range(started), *(started + rng.permutation(len(batch.taken) - started)).tolist()]
    turned = rng.random(len(order)) < 0.5
    choices = []
    for at, turn in zip(order, turned.tolist(), strict=True):
        pair, kind, reason = batch.taken[at]
        sides = (batch.systems[batch.low[pair]], batch.systems[batch.high[pair]])
        left, right = reversed(sides) if turn else sides
        choices.append(Choice(left, right, kind, reason))
    return tuple(choices)


def make_policy(campaign: Campaign) -> Policy | None:
    """Return the policy of a campaign, None where the design says who sees what."""
    design = campaign.design
    if not design.policy:
        return None
    start, k = f"campaign '{campaign.name}'", len(campaign.systems)
    if design.policy not in RULES:
        hint = sentence_hint(suggest(design.policy, RULES)) or f": choose {' | '.join(RULES)}"
        raise CampaignError(f"{start}: there is no policy '{design.policy}'{hint}")
    if design.policy == "top-k" and design.top is None:
        raise CampaignError(
            f"{start}: policy 'top-k' needs to know how many systems are wanted: add top = 3"
        )
    if k > DENSE:
        raise CampaignError(f"{start} has {k:,} systems: a policy chooses among {DENSE:,} at most")
    if design.top is not None and design.top >= k:
        raise CampaignError(f"{start}: top = {design.top} names all {k} systems: choose fewer")
    try:
        return Policy(design.policy, design.random_share, top=design.top)
    except UnknownOption as refusal:
        raise CampaignError(f"{start}: {refusal}") from None

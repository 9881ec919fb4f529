"""The likelihood that all log-linear models share: its laws of ties, and where a climb starts.

A law says how a difference in worth and a tie parameter become chances of three outcomes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Tally
from evenhand.models.design import (
    MANY,
    Codes,
    Design,
    Owner,
    combine_levels,
    keep_levels,
    plain_design,
    tag_of,
)
from evenhand.numerics import Array
from evenhand.numerics.newton import Expansion, Maximum, maximise

# With λ the worths on the papers' scale and η = λ_left − λ_right (+ δ where the order matters):
#
# Davidson (1970)            p ∝ exp(η), exp(γ), exp(−η)
# γ = 0, ties kept           the same with γ = 0: what Dras (2015) calls leaving the ties out
# two outcomes               p(left) = 1 / (1 + exp(−2η)); ties dropped or split in halves
#
# Every law takes η of shape (C,), the tie parameter t (γ, or ξ = log τ so that τ stays positive)
# and counts (C, 3) of left, tie, right, and gives log-likelihood, derivatives and information per
# entry.

TieLaw: TypeAlias = "Davidson | TwoOutcomes | RaoKupper | GlennDavid"
Tie: TypeAlias = "float | Array"  # The tie parameter t: one for all entries, or one for each, (C,)
# Entries taken at once, so that what is in between stays in the processor's cache
BLOCK: Final = 8_192
# A γ beyond which a tie is certain: a wild step of Newton's must not overflow
ENDLESS: Final = 300.0


@dataclass(frozen=True, eq=False)
class Local:
    """Log-likelihood of each entry to second order in (η, t); all of shape (C,)."""

    value: Array  # log-likelihood
    eta: Array  # its derivative by η
    tie: Array  # its derivative by t
    eta_eta: Array  # minus the second derivative by η; likewise `eta_tie`, `tie_tie`
    eta_tie: Array  # see eta_eta
    tie_tie: Array  # see eta_eta


@dataclass(frozen=True)
class Davidson:
    """Davidson's ties; with free=False γ is fixed at 0 and the tie cells stay."""

    free: bool = True  # whether the tie parameter is estimated

    def log_chances(self, eta: Array, tie: Tie) -> Array:
        """Return (C, 3) log-probabilities of left, tie, right."""
        exponents = np.stack([eta, np.full_like(eta, tie), -eta], axis=1)
        shifted = exponents - exponents.max(axis=1, keepdims=True)
        return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))

    def expand(self, eta: Array, tie: Tie, counts: Array) -> Local:
        """Return the log-likelihood of each entry to second order."""
        # Chances stand in proportion to 1 (the stronger), √weak · ν (a tie) and weak: one
        # exponential serves all, and values and variances are no differences of nearly equal
        # numbers. What is no longer needed is written over: moving numbers is what takes the time.
        tie = np.minimum(tie, ENDLESS)
        won, ties, lost = counts.T
        size, side = np.abs(eta), np.copysign(1.0, eta)
        root = np.exp(-size)
        weak, none = root * root, np.exp(tie) * root
        either = 1.0 + weak
        total = either + none
        decided, net = won + lost, won - lost
        n = decided + ties
        upsets = decided - net * side  # twice those that the stronger lost
        upsets *= size
        each = n / total
        tied = each * none
        side *= 1.0 - weak
        bound = tied / total
        cross = -bound * side
        bound *= either
        curve = 4.0 * weak * each
        curve /= total
        curve += bound
        value = ties * (tie - size)
        value -= upsets
        value -= n * np.log1p(weak + none)
        return Local(value, net - each * side, ties - tied, curve, cross, bound)

    def scores(self, eta: Array, tie: Tie) -> tuple[Array, Array]:
        """Return (C, 3) derivatives of each outcome's log-probability by η and by t."""
        chances = np.exp(self.log_chances(eta, tie))
        mean = chances[:, :1] - chances[:, 2:]
        return np.array([1.0, 0.0, -1.0]) - mean, np.array([0.0, 1.0, 0.0]) - chances[:, 1:2]

    def start(self, counts: Array) -> float:
        """Return a first value of the tie parameter, for systems of equal worth."""
        won, tied, lost = counts.sum(axis=0)
        return float(np.log(2 * (tied + 0.5) / (won + lost + 1.0))) if self.free else 0.0


@dataclass(frozen=True)
class TwoOutcomes:
    """Plain Bradley-Terry: no tie cells; counts of ties must be zero."""

    free: bool = False

    def log_chances(self, eta: Array, tie: Tie) -> Array:  # noqa: ARG002 - as every law
        won = -np.logaddexp(0, -2 * eta)
        return np.stack([won, np.full_like(eta, -np.inf), won - 2 * eta], axis=1)

    def expand(self, eta: Array, tie: Tie, counts: Array) -> Local:  # noqa: ARG002 - as every law
        size, side = np.abs(eta), np.copysign(1.0, eta)
        weak = np.exp(-2 * size)
        won, _, lost = counts.T
        n, net = won + lost, won - lost
        each = n / (1.0 + weak)
        value = (net * side - n) * size - n * np.log1p(weak)
        slope = net - each * (1.0 - weak) * side
        none = np.zeros_like(eta)
        return Local(value, slope, none, 4.0 * weak * each / (1.0 + weak), none, none)

    def scores(self, eta: Array, tie: Tie) -> tuple[Array, Array]:  # noqa: ARG002 - as every law
        return np.array([1.0, 0.0, -1.0]) - np.tanh(eta)[:, None], np.zeros((len(eta), 3))

    def start(self, counts: Array) -> float:  # noqa: ARG002 - as every law
        return 0.0


def expand_blocks(
    law: TieLaw, eta: Array, tie: Tie, counts: Array, whole: Array | None = None
) -> Local:
    """Return what `law.expand` gives for all entries; whole: (6, C) that is written over."""
    if len(eta) <= BLOCK:
        return law.expand(eta, tie, counts)
    whole = np.empty((6, len(eta))) if whole is None else whole
    for start in range(0, len(eta), BLOCK):
        rows = slice(start, start + BLOCK)
        tie_of = tie[rows] if isinstance(tie, np.ndarray) else tie
        part = law.expand(eta[rows], tie_of, counts[rows])
        parts = (part.value, part.eta, part.tie, part.eta_eta, part.eta_tie, part.tie_tie)
        for row, values in enumerate(parts):
            whole[row, rows] = values
    return Local(*whole)


# Tie models with a threshold: two outputs closer than τ are called equal.
#
# With b = 2η the difference in worth, and F the law of a judge's momentary error:
#
# p(left) = F(b − τ),   p(right) = F(−b − τ),   p(tie) = 1 − p(left) − p(right),   τ > 0
#
# Rao & Kupper (1967)   F logistic; θ = exp(τ) is their own parameter; b is a log-odds
# Glenn & David (1960)  F normal; b is a difference on the probit scale (Thurstone's case V)
#
# The parameter is t = log τ: an optimiser on τ itself wanders to negative chances of a tie. Both
# laws are log-concave in (b, τ); the information for t leaves out the term that is zero at the
# maximum, so that Newton's steps always climb.


@dataclass(frozen=True)
class RaoKupper:
    """Rao & Kupper's threshold model, t = log τ; θ = exp(τ) is their own parameter."""

    free: bool = True

    def log_chances(self, eta: Array, tie: Tie) -> Array:
        tau = np.exp(tie)
        won = -np.logaddexp(0, tau - 2 * eta)
        lost = -np.logaddexp(0, tau + 2 * eta)
        tied = 2 * tau + np.log(-np.expm1(-2 * tau)) + won + lost
        return np.stack([won, tied, lost], axis=1)

    def scores(self, eta: Array, tie: Tie) -> tuple[Array, Array]:
        tau = np.exp(tie)
        up, down = _logistic(tau - 2 * eta), _logistic(tau + 2 * eta)
        by_eta = np.stack([2 * up, 2 * (up - down), -2 * down], axis=1)
        grown = 2 / -np.expm1(-2 * tau)
        return by_eta, tau * np.stack([-up, grown - up - down, -down], axis=1)

    def expand(self, eta: Array, tie: Tie, counts: Array) -> Local:
        tau = np.exp(tie)
        won, tied, lost = counts.T
        up, down = _logistic(tau - 2 * eta), _logistic(tau + 2 * eta)
        above, below = won + tied, lost + tied
        bend_up, bend_down = above * up * (1 - up), below * down * (1 - down)
        shrink = np.expm1(-2 * tau)
        curve = bend_up + bend_down + tied * 4 * np.exp(-2 * tau) / shrink**2
        return Local(
            value=(counts * self.log_chances(eta, tie)).sum(axis=1),
            eta=2 * (above * up - below * down),
            tie=tau * (tied * (2 / -shrink) - above * up - below * down),
            eta_eta=4 * (bend_up + bend_down),
            eta_tie=2 * tau * (bend_down - bend_up),
            tie_tie=tau**2 * curve,
        )

    def start(self, counts: Array) -> float:
        won, tied, lost = counts.sum(axis=0)
        share = (tied + 0.5) / (won + tied + lost + 1.0)
        return float(np.log(np.log((1 + share) / (1 - share))))


def _logistic(x: Array) -> Array:
    half = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1.0, half) / (1.0 + half))


@dataclass(frozen=True)
class GlennDavid:
    """Glenn & David's threshold on normal errors, t = log τ."""

    free: bool = True

    def log_chances(self, eta: Array, tie: Tie) -> Array:
        from scipy.special import log_ndtr

        tau = np.exp(tie)
        won, lost = log_ndtr(2 * eta - tau), log_ndtr(-2 * eta - tau)
        size = np.abs(2 * eta)
        near, far = log_ndtr(tau - size), log_ndtr(-tau - size)
        return np.stack([won, near + np.log(-np.expm1(far - near)), lost], axis=1)

    def _slopes(self, eta: Array, tie: Tie) -> tuple[Array, Array, Array, Array]:
        """Return hazards: f(u)/p(left), f(u)/p(tie), f(l)/p(tie), f(l)/p(right)."""
        tau, logs = np.exp(tie), self.log_chances(eta, tie)
        upper, lower = _log_density(tau - 2 * eta), _log_density(tau + 2 * eta)
        won, tied, lost = logs.T
        return np.exp(upper - won), np.exp(upper - tied), np.exp(lower - tied), np.exp(lower - lost)

    def scores(self, eta: Array, tie: Tie) -> tuple[Array, Array]:
        won, above, below, lost = self._slopes(eta, tie)
        by_eta = np.stack([2 * won, 2 * (below - above), -2 * lost], axis=1)
        return by_eta, np.exp(tie) * np.stack([-won, above + below, -lost], axis=1)

    def expand(self, eta: Array, tie: Tie, counts: Array) -> Local:
        tau = np.exp(tie)
        upper, lower = tau - 2 * eta, tau + 2 * eta
        won, above, below, lost = self._slopes(eta, tie)
        left, tied, right = counts.T
        bend_up = left * won * (won - upper) + tied * above * (above + upper)
        bend_down = right * lost * (lost - lower) + tied * below * (below + lower)
        cross = tied * above * below
        return Local(
            value=(counts * self.log_chances(eta, tie)).sum(axis=1),
            eta=2 * (left * won + tied * (below - above) - right * lost),
            tie=tau * (tied * (above + below) - left * won - right * lost),
            eta_eta=4 * (bend_up + bend_down - 2 * cross),
            eta_tie=2 * tau * (bend_down - bend_up),
            tie_tie=tau**2 * (bend_up + bend_down + 2 * cross),
        )

    def start(self, counts: Array) -> float:
        from scipy.special import ndtri

        won, tied, lost = counts.sum(axis=0)
        share = (tied + 0.5) / (won + tied + lost + 1.0)
        return float(np.log(ndtri((1 + share) / 2)))


@dataclass(frozen=True)
class TwoProbits(TwoOutcomes):
    """Thurstone's case V: Glenn & David's law at τ = 0, where no tie was seen."""

    def log_chances(self, eta: Array, tie: Tie) -> Array:  # noqa: ARG002 - as every law
        from scipy.special import log_ndtr

        return np.stack([log_ndtr(2 * eta), np.full_like(eta, -np.inf), log_ndtr(-2 * eta)], axis=1)

    def scores(self, eta: Array, tie: Tie) -> tuple[Array, Array]:
        logs, density = self.log_chances(eta, tie), _log_density(2 * eta)
        won, lost = np.exp(density - logs[:, 0]), np.exp(density - logs[:, 2])
        none = np.zeros((len(eta), 3))
        return np.stack([2 * won, none[:, 1], -2 * lost], axis=1), none

    def expand(self, eta: Array, tie: Tie, counts: Array) -> Local:
        logs, (slopes, _) = self.log_chances(eta, tie), self.scores(eta, tie)
        left, _, right = counts.T
        won, lost, none = slopes[:, 0], -slopes[:, 2], np.zeros_like(eta)
        bend = left * won * (won + 4 * eta) + right * lost * (lost - 4 * eta)
        value = left * logs[:, 0] + right * logs[:, 2]
        return Local(value, left * won - right * lost, none, bend, none, none)


def _log_density(x: Array) -> Array:
    return np.asarray(-(x**2) / 2 - np.log(2 * np.pi) / 2)


# A tie parameter of its own for each group of judgments.
#
# log m[tie] = μ + γ + γ_l,   γ_l = 0 in the reference group
#
# A group without a single tie has γ = −∞: not an error. Its cells for ties do not exist, its
# preferences count as ever, and it has no parameter. Where that is the reference group, the first
# level with ties takes its place for γ.

NEVER: Final = -300.0  # A γ at which a tie has no chance, to the last digit


@dataclass(frozen=True, eq=False)
class TieGroups:
    groups: tuple[str, ...]  # names of the U groups, by all covariates of the model
    code: Codes  # (C,) group of each entry of the tally
    worth_group: Codes  # (U,) group of the design that shares each group's worths
    matrix: Array  # (U, q) γ by parameter
    offset: Array  # (U,) what is added: 0, or NEVER where no tie was seen
    names: tuple[str, ...]  # names of the parameters, such as "g1" or "g1:J3"
    labels: tuple[str, ...]  # the same in the user's words
    endless: tuple[str, ...]  # labels of levels with γ = −∞
    endless_owners: tuple[Owner, ...]  # covariate and level of each of them
    owners: tuple[Owner, ...]  # covariate and level of each parameter, ("", "") for the first
    home: int | None  # the group of all reference levels; None where no judgment is of that group

    @property
    def size(self) -> int:
        return len(self.groups)

    @property
    def tieless(self) -> NDArray[np.bool_]:
        """(C,) whether an entry is of a group in which a tie has no chance."""
        return np.asarray(self.offset < 0)[self.code]

    def gammas(self, parameters: Array) -> Array:
        return np.asarray(self.matrix @ parameters + self.offset)

    def sums(self, values: Array) -> Array:
        return np.bincount(self.code, values, minlength=self.size).astype(np.float64)


def group_ties(
    tally: Tally,
    design: Design,
    covariates: tuple[Sequence[str], Sequence[str]],
    references: Mapping[str, str],
) -> TieGroups:
    """Return the groups in which ties have parameters, by covariates of worths and of ties."""
    names = list(dict.fromkeys([*covariates[0], *covariates[1]]))
    factors, homes, key = combine_levels(tally, names, references)
    _, first, code = np.unique(key, return_index=True, return_inverse=True)
    levels = {name: factor.codes[first] for name, factor in factors.items()}
    # a column for all groups with ties, and one for each level but the reference
    tieless = np.zeros(len(first), dtype=np.bool_)
    columns, owners, endless = [np.ones(len(first))], [("", "")], []
    for name in covariates[1]:
        factor = factors[name]
        seen = np.bincount(factor.codes, tally.ties, minlength=factor.size) > 0
        home = homes[name] if seen[homes[name]] else int(np.argmax(seen))
        for place, level in enumerate(factor.labels):
            if not seen[place]:
                tieless |= levels[name] == place
                endless.append((name, level))
            elif place != home:
                columns.append((levels[name] == place).astype(np.float64))
                owners.append((name, level))
    matrix = np.stack(columns, axis=1) * ~tieless[:, None]
    keep = keep_levels(matrix)
    owners = [owners[i] for i in np.flatnonzero(keep).tolist()]
    alone = len(names) == 1
    tags = [tag_of(owner, alone=alone) for owner in owners]
    at_home = np.flatnonzero(np.all([levels[name] == homes[name] for name in names], axis=0))
    named = [[factors[name].labels[level] for level in levels[name]] for name in names]
    return TieGroups(
        groups=tuple(map(", ".join, zip(*named, strict=True))),
        code=code.astype(np.int32),
        worth_group=design.group[design.left][first],
        matrix=matrix[:, keep],
        offset=np.where(tieless, NEVER, 0.0),
        names=tuple(f"g1{tag}" for tag in tags),
        labels=tuple(f"tie{tag}" for tag in tags),
        endless=tuple(f"tie{tag_of(owner, alone=alone)}" for owner in endless),
        endless_owners=tuple(endless),
        owners=tuple(owners),
        home=int(at_home[0]) if at_home.size else None,
    )


# The likelihood that all log-linear models share, on nodes, with its derivatives.
#
# ℓ = Σ_c Σ_o n_co log p_o(η_c, t),   η_c = λ[left_c] − λ[right_c] + δ
#
# The nuisance μ of every pair is never fitted: given the totals of cells the model is a multinomial
# logit. Parameters come in this order: those of the design, the tie parameter, δ, the ghosts' λ.
#
# A prior is comparisons of every system with a ghost, half of them won. Each judge group has a
# ghost of its own, whose λ is free, so that nothing depends on which system is the reference.

# How far one step may move η: further on a win is certain, and the second order says nothing
MAX_ETA_STEP: Final = 5.0
# Where the iteration may start (λ): from further out than the maximum Newton's steps overshoot
MAX_START: Final = 1.5


@dataclass(frozen=True, eq=False)
class Likelihood:
    design: Design  # the map from parameters to worths
    law: TieLaw  # the tie law
    counts: Array  # (C, 3) left, tie, right
    order_effect: bool = False  # whether δ is a parameter
    # comparisons of every node with its group's ghost, half of them won (0: none)
    prior: float = 0.0
    # groups with tie parameters of their own; None for one tie parameter
    ties: TieGroups | None = None

    @property
    def plain(self) -> bool:
        """Whether every system has one worth, and ties one parameter at most, without a prior."""
        return self.design.matrix is None and self.ties is None and self.prior == 0

    @property
    def n_worths(self) -> int:
        return len(self.design.names)

    @property
    def n_ties(self) -> int:
        return int(self.law.free) if self.ties is None else len(self.ties.names)

    @property
    def reported(self) -> int:
        return self.n_worths + self.n_ties + self.order_effect

    @property
    def cells(self) -> int:
        """Number of free cells: outcomes of each entry less one."""
        if isinstance(self.law, TwoOutcomes):
            return len(self.counts)
        tieless = 0 if self.ties is None else int(np.count_nonzero(self.ties.tieless))
        return 2 * len(self.counts) - tieless

    @property
    def size(self) -> int:
        return self.reported + (len(self.design.groups) if self.prior > 0 else 0)

    def parts(self, beta: Array) -> tuple[Array, Tie, float, Array]:
        """Take a parameter vector apart: λ of the nodes, t, δ, λ of the ghosts (if any)."""
        at = self.n_worths + self.n_ties
        ties = beta[self.n_worths : at]
        tie: Tie = 0.0
        if self.ties is not None:
            tie = self.ties.gammas(ties)[self.ties.code]
        elif self.law.free:
            tie = float(ties[0])
        order = float(beta[at]) if self.order_effect else 0.0
        return self.design.worths(beta[: self.n_worths]), tie, order, beta[self.reported :]

    def start(self) -> Array:
        """Return worths by share of wins in the plain design, else equal ones; ties to match."""
        beta, tie, design = np.zeros(self.size), self.law.start(self.counts), self.design
        if design.matrix is None:
            if self.plain and design.size > MANY:
                worths, tie = start_evenly(self)
            else:
                won, tied, lost = self.counts.T
                gained = self.half_sums(won + tied / 2, lost + tied / 2)
                given = self.half_sums(lost + tied / 2, won + tied / 2)
                apart = (design.size - 1) / design.size  # the others' mean is not zero
                shares = np.log((gained + 0.5) / (given + 0.5)) / 2
                worths = np.clip(shares * apart, -MAX_START, MAX_START)
            beta[: self.n_worths] = design.pull(worths - worths[design.reference])
        if self.law.free:
            beta[self.n_worths] = tie
        return beta

    def reach(self, step: Array) -> float:
        """Return how far a step moves η, t and distances from ghosts, in units of MAX_ETA_STEP."""
        worths, _, order, ghosts = self.parts(step)
        ties = step[self.n_worths : self.n_worths + self.n_ties]
        gammas = ties if self.ties is None else self.ties.matrix @ ties
        apart = float(np.abs(self.eta(worths, order)).max(initial=0.0))
        moved = [apart, float(np.abs(gammas).max(initial=0.0))]
        if len(ghosts):
            moved.append(float(np.abs(worths - ghosts[self.design.group]).max()))
        return max(moved) / MAX_ETA_STEP

    def half_sums(self, of_left: Array, of_right: Array) -> Array:
        """Sum what left and right scored onto nodes: (N,)."""
        size, (left, right) = self.design.size, self.design.ends
        sums = np.bincount(left, of_left, minlength=size)
        return np.asarray(sums + np.bincount(right, of_right, minlength=size))

    def maximise(self, start: Array | None = None, last: float = np.inf) -> Maximum:
        """Climb from the usual start, or another; `last`: the longest last step, by `reach`."""
        begin = self.start() if start is None else start
        return maximise(self.expand, begin, reach=self.reach, last=last)

    def score(self, beta: Array) -> Array:
        return self.pull_scores(self.expand_entries(beta))

    def eta(self, worths: Array, order: float) -> Array:
        """Return (C,) half log-odds of left against right."""
        left, right = self.design.ends
        return np.asarray(worths[left] - worths[right] + order)

    def expand_entries(self, beta: Array) -> Local:
        worths, tie, order, _ = self.parts(beta)
        return expand_blocks(self.law, self.eta(worths, order), tie, self.counts)

    def loglik(self, beta: Array) -> float:
        return float(self.expand_entries(beta).value.sum())

    def expand(self, beta: Array) -> Expansion:
        local = self.expand_entries(beta)
        gradient = self.pull_scores(local)
        information = self.pull_information(local)
        value = float(local.value.sum()) + self._add_ghosts(beta, gradient, information)
        return Expansion(value, gradient, information)

    def by_node(self, weights: Array) -> Array:
        """Sum entries onto nodes, + for left and − for right: (N,)."""
        size, (left, right) = self.design.size, self.design.ends
        up = np.bincount(left, weights=weights, minlength=size)
        return np.asarray(up - np.bincount(right, weights=weights, minlength=size))

    def pull_scores(self, local: Local) -> Array:
        """Sum first derivatives of the entries onto the parameters: (p,)."""
        gradient = np.zeros(self.size)
        gradient[: self.n_worths] = self.design.pull(self.by_node(local.eta))
        at = self.n_worths + self.n_ties
        gradient[self.n_worths : at] = self._by_tie(local.tie)
        if self.order_effect:
            gradient[at] = local.eta.sum()
        return gradient

    def _by_tie(self, values: Array) -> Array:
        """Sum derivatives by t of the entries onto the tie parameters: (n_ties,)."""
        if self.ties is not None:
            return np.asarray(self.ties.matrix.T @ self.ties.sums(values))
        return values.sum(keepdims=True) if self.law.free else np.zeros(0)

    def pull_information(self, local: Local) -> Array:
        """Sum second derivatives of the entries onto the parameters: (p, p)."""
        design, p = self.design, self.n_worths
        ties, order = slice(p, p + self.n_ties), p + self.n_ties
        information = np.zeros((self.size, self.size))
        information[:p, :p] = design.laplacian(local.eta_eta)
        if self.ties is not None:
            size, code = self.ties.size, self.ties.code.astype(np.int64)
            cells, matrix = design.size * size, self.ties.matrix
            up = np.bincount(design.left * size + code, local.eta_tie, minlength=cells)
            down = np.bincount(design.right * size + code, local.eta_tie, minlength=cells)
            information[:p, ties] = design.pull((up - down).reshape(-1, size) @ matrix)
            information[ties, ties] = (matrix.T * self.ties.sums(local.tie_tie)) @ matrix
        elif self.law.free:
            information[:p, p] = design.pull(self.by_node(local.eta_tie))
            information[p, p] = local.tie_tie.sum()
        information[ties, :p] = information[:p, ties].T
        if self.order_effect:
            across = design.pull(self.by_node(local.eta_eta))
            information[:p, order] = information[order, :p] = across
            information[order, order] = local.eta_eta.sum()
            information[ties, order] = information[order, ties] = self._by_tie(local.eta_tie)
        return information

    def outer_information(self, tally: Tally, outer: Local) -> Array:
        """Return (p, p) sums of products of single answers' scores, for entries of any tally."""
        nodes = replace(self.design, left=tally.left, right=tally.right)
        return replace(self, design=nodes, prior=0.0).pull_information(outer)

    def _add_ghosts(self, beta: Array, gradient: Array, information: Array) -> float:
        """Add the comparisons of every node with its ghost; return their log-likelihood."""
        if not self.prior:
            return 0.0
        (worths, _, _, ghosts), group = self.parts(beta), self.design.group
        distance, half = worths - ghosts[group], np.full(len(worths), self.prior / 2)
        counts = np.stack([half, np.zeros_like(half), half], axis=1)
        local = TwoOutcomes().expand(distance, 0.0, counts)
        p, at = self.n_worths, self.reported
        gradient[:p] += self.design.pull(local.eta)
        gradient[at:] -= np.bincount(group, weights=local.eta)
        information[:p, :p] += self.design.pull(self.design.pull(np.diag(local.eta_eta)).T)
        nodes = np.zeros((len(distance), self.size - at))
        nodes[np.arange(len(distance)), group] = local.eta_eta
        cross = self.design.pull(nodes)
        information[:p, at:] -= cross
        information[at:, :p] -= cross.T
        information[at:, at:] += np.diag(nodes.sum(axis=0))
        return float(local.value.sum())


def plain_likelihood(tally: Tally, reference: int, law: TieLaw) -> Likelihood:
    """Return the likelihood of a pooled tally in which every system has one worth."""
    return Likelihood(plain_design(tally, reference), law, np.asfortranarray(tally.counts))


# Where to start with many systems: worths as they were if each had met all others evenly.
#
# A system's share of points is then the mean, over the worths of the others, of its expected points
# against each. That is a curve of one worth, which is tabled and read backwards, a few times over
# since the others' worths are what is sought. Where pairs are drawn evenly two Newton steps are
# saved; elsewhere it is a start like any other.

ROUNDS: Final = 4
GRID: Final = 49  # Worths at which the curve is tabled
OTHERS: Final = (np.arange(32) + 0.5) / 32  # Quantiles that stand for the worths of the others
GRID_MARGIN: Final = 0.5  # How far the table goes on beyond the outermost worths (λ)
# Where the iteration may start (λ): shares of uneven designs may lie further out than worths
MAX_EVEN_START: Final = 3.0


def start_evenly(likelihood: Likelihood) -> tuple[Array, float]:
    law = likelihood.law
    won, tied, lost = likelihood.counts.T
    n = won + tied + lost
    every, ahead = likelihood.half_sums(n, n), likelihood.by_node(won - lost)
    gained, given = (every + ahead) / 2 + 0.5, (every - ahead) / 2 + 0.5  # points won and lost
    total = gained + given
    share, worths = gained / total, np.log(gained / given) / 2
    share_tied, tie = float(tied.sum() / n.sum()), law.start(likelihood.counts)
    for _ in range(ROUNDS):
        grid = np.linspace(worths.min() - GRID_MARGIN, worths.max() + GRID_MARGIN, GRID)
        apart = grid[:, None] - np.quantile(worths, OTHERS)
        chances = np.exp(law.log_chances(apart.ravel(), tie)).reshape(GRID, -1, 3).mean(axis=1)
        worths = np.interp(share, chances[:, 0] + chances[:, 1] / 2, grid)
        if law.free:
            expected = np.interp(worths, grid, chances[:, 1]) @ total / total.sum()
            tie += float(np.log(share_tied / expected))
    return np.clip(worths, -MAX_EVEN_START, MAX_EVEN_START), tie

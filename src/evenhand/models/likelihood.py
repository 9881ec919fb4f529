"""The likelihood that all log-linear models share, and where a climb starts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from evenhand.data.tally import Tally
from evenhand.models.design import MANY, Design, plain_design
from evenhand.models.ties import Local, Tie, TieGroups, TieLaw, TwoOutcomes, expand_blocks
from evenhand.numerics import Array
from evenhand.numerics.distributions import entropy_terms
from evenhand.numerics.newton import Expansion, Maximum, maximise

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
        if self.plain and self.design.size > MANY:
            return start_evenly(self)
        beta = np.zeros(self.size)
        if self.design.matrix is None:
            won, tied, lost = self.counts.T
            gained = self.half_sums(won + tied / 2, lost + tied / 2)
            given = self.half_sums(lost + tied / 2, won + tied / 2)
            apart = (self.design.size - 1) / self.design.size  # the others' mean is not zero
            shares = np.log((gained + 0.5) / (given + 0.5)) / 2
            worths = np.clip(shares * apart, -MAX_START, MAX_START)
            beta[: self.n_worths] = self.design.pull(worths - worths[self.design.reference])
        if self.law.free:
            beta[self.n_worths] = self.law.start(self.counts)
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
        worths, tie, order, _ = self.parts(beta)
        eta = self.eta(worths, order)
        return self.pull_scores(expand_blocks(self.law, eta, tie, self.counts))

    def eta(self, worths: Array, order: float) -> Array:
        """Return (C,) half log-odds of left against right."""
        left, right = self.design.ends
        return np.asarray(worths[left] - worths[right] + order)

    def loglik(self, beta: Array) -> float:
        worths, tie, order, _ = self.parts(beta)
        eta = self.eta(worths, order)
        return float(expand_blocks(self.law, eta, tie, self.counts).value.sum())

    def expand(self, beta: Array) -> Expansion:
        worths, tie, order, ghosts = self.parts(beta)
        local = expand_blocks(self.law, self.eta(worths, order), tie, self.counts)
        gradient = self.pull_scores(local)
        information = self.pull_information(local)
        value = float(local.value.sum())
        if self.prior > 0:
            distance = worths - ghosts[self.design.group]
            value += self._add_ghosts(distance, gradient, information)
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

    def _add_ghosts(self, distance: Array, gradient: Array, information: Array) -> float:
        """Add the comparisons of every node with its ghost; return their log-likelihood."""
        half = np.full(len(distance), self.prior / 2)
        counts = np.stack([half, np.zeros_like(half), half], axis=1)
        local = TwoOutcomes().expand(distance, 0.0, counts)
        p, at, group = self.n_worths, self.reported, self.design.group
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


def saturated_loglik(counts: Array) -> float:
    """Return the log-likelihood of a model with a parameter for every cell (nats)."""
    return float(entropy_terms(counts).sum() - entropy_terms(counts.sum(axis=1)).sum())


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


def start_evenly(likelihood: Likelihood) -> Array:
    design, law = likelihood.design, likelihood.law
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
    worths = np.clip(worths, -MAX_EVEN_START, MAX_EVEN_START)
    beta = np.zeros(likelihood.size)
    beta[: likelihood.n_worths] = design.pull(worths - worths[design.reference])
    if law.free:
        beta[likelihood.n_worths] = tie
    return beta

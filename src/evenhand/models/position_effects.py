"""Judges with a position bias each, around a common one.

    η = λ[left] − λ[right] + δ_l,   δ_l ~ N(δ, τ²),   p as in Davidson's model

Worths, γ, δ and τ maximise the likelihood with the judges' biases integrated out. Three blocks take
turns until none moves: the nodes of every judge; (δ, τ) on these nodes; worths and γ, by a Newton
step on the log-likelihood averaged over each judge's posterior (Fisher's identity makes that the
gradient of the integral). When not to use it: docs/position.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Tally
from evenhand.errors import NotConverged
from evenhand.models.base import LRTest
from evenhand.models.likelihood import Likelihood, Local, expand_blocks
from evenhand.models.log_linear import Fit
from evenhand.numerics import Array
from evenhand.numerics.newton import solve_step

NODES: Final = 21
MAX_ROUNDS: Final = 300
MAX_STEPS: Final = 60
SETTLED: Final = 1e-7  # Change of δ and τ, and of λ, below which the rounds end
MAX_BIAS_STEP: Final = 2.0  # How far one step may move a judge's bias (λ scale)
# Largest τ (λ scale): nearly every judge then takes one side. 21 nodes serve no farther.
MAX_SPREAD: Final = 5.0
MAX_KEPT_ENTRIES: Final = 100_000  # Most entries that are kept as they are at all nodes
PARTS: Final = tuple(field.name for field in fields(Local))


@dataclass(frozen=True, eq=False)
class Panel:
    likelihood: Likelihood  # of every entry, without an order effect
    codes: Mapping[str, NDArray[np.int32]]  # factor → (C,) level of each entry; at least judge
    size: int  # J
    beta: Array  # worths and tie parameter, as the likelihood takes them

    @property
    def judge(self) -> NDArray[np.int32]:
        return self.codes["judge"]

    @cached_property
    def _eta(self) -> Array:
        """(C,) η of each entry without a bias."""
        return self.likelihood.eta(self.likelihood.parts(self.beta)[0], 0.0)

    @cached_property
    def _room(self) -> Array:
        # new memory costs about as much as the numbers in it, and nodes are many
        return np.empty((len(PARTS), len(self.judge)))

    def expand(self, bias: Array, *, passing: bool = False) -> Local:
        """Return the log-likelihood of each entry to second order, given (J,) biases.

        passing: whether the next call may write over it.
        """
        tie, counts = self.likelihood.parts(self.beta)[1], self.likelihood.counts
        eta = self._eta + bias[self.judge]
        room = self._room if passing else None
        return expand_blocks(self.likelihood.law, eta, tie, counts, room)

    def by_judge(self, values: Array) -> Array:
        return np.bincount(self.judge, values, self.size).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Nodes:
    at: Array  # (J, Q) biases
    weights: Array  # (J, Q) log-weights of the integral over the bias
    loglik: Array  # (J, Q) log-likelihood of the judge's judgments there
    expanded: tuple[Local, ...] = ()  # all entries at each of Q nodes; () where they are very many

    def integrate(self, mean: float, spread: float) -> tuple[Array, Array]:
        """Return (J,) log-integrals and (J, Q) posterior weights, for δ and τ."""
        prior = -((((self.at - mean) / spread) ** 2) / 2) - np.log(spread * np.sqrt(2 * np.pi))
        terms = self.loglik + prior + self.weights
        top = terms.max(axis=1, keepdims=True)
        each = np.exp(terms - top)
        total = each.sum(axis=1, keepdims=True)
        return np.asarray((np.log(total) + top)[:, 0]), np.asarray(each / total)


@dataclass(frozen=True, eq=False)
class PositionEffects:
    """Position biases of judges, on the λ scale (log-odds are twice as large)."""

    mean: float  # δ
    # τ; 0 where judges differ no more than by chance, `MAX_SPREAD` where it has no finite estimate
    # below that
    spread: float
    loglik: float  # log-likelihood, biases integrated out (nats)
    common: float  # log-likelihood with one bias for all
    estimate: Array  # (J,) posterior means of δ_l
    variance: Array  # (J,) posterior variances
    panel: Panel  # judgments, worths and tie parameter
    steps: int  # rounds taken

    @property
    def endless(self) -> bool:
        """Whether the likelihood still rises at the largest τ."""
        return self.spread >= MAX_SPREAD

    @property
    def test(self) -> LRTest:
        return LRTest.at_boundary(self.loglik, self.common)


def fit_position_effects(fit: Fit, tally: Tally, share: float = 1.0) -> PositionEffects:
    panel, delta = make_panel(fit, tally, share)
    flat = np.full(panel.size, delta)
    local = panel.expand(flat)
    score, information = panel.by_judge(local.eta), panel.by_judge(local.eta_eta)
    common = float(local.value.sum())
    if (excess := float((score**2 - information).sum())) <= 0:  # the likelihood falls from τ = 0 on
        return PositionEffects(delta, 0.0, common, common, flat, np.zeros(panel.size), panel, 0)
    spread = float(np.sqrt(excess / (information**2).sum()))
    mean, spread = delta, min(spread, MAX_BIAS_STEP)
    modes = np.full(panel.size, mean)
    for taken in range(1, MAX_ROUNDS + 1):
        modes = find_modes(panel, modes, mean, spread)
        nodes = place_nodes(panel, modes, spread)
        before = mean, spread
        mean, spread = _maximise(nodes, mean, spread)
        loglik, posterior = nodes.integrate(mean, spread)
        # a Newton step of worths and tie parameter, averaged over the judges' biases
        sums = np.zeros((len(PARTS), len(panel.judge)))  # sums onto the parameters are linear
        for place, (at, weights) in enumerate(zip(nodes.at.T, posterior.T, strict=True)):
            local = nodes.expanded[place] if nodes.expanded else panel.expand(at, passing=True)
            by_entry = weights[panel.judge]
            for row, name in enumerate(PARTS):
                sums[row] += by_entry * getattr(local, name)
        likelihood, averaged = panel.likelihood, Local(*sums)
        step = solve_step(likelihood.pull_information(averaged), likelihood.pull_scores(averaged))
        moved = abs(mean - before[0]) + abs(spread - before[1])
        if max(moved, float(np.abs(step).max(initial=0.0))) < SETTLED:
            estimate = (posterior * nodes.at).sum(axis=1)
            variance = (posterior * (nodes.at - estimate[:, None]) ** 2).sum(axis=1)
            total = float(loglik.sum())
            return PositionEffects(mean, spread, total, common, estimate, variance, panel, taken)
        panel = replace(panel, beta=panel.beta + step)
    raise NotConverged(
        "the biases of judges did not settle: judges are too few, or gave too few judgments"
    )


def make_panel(
    fit: Fit, tally: Tally, share: float, by: tuple[str, ...] = ("judge",)
) -> tuple[Panel, float]:
    """Return the judgments by judge, or more, beside the worths of a fit, and its δ."""
    worths = fit.likelihood.n_worths + fit.likelihood.n_ties
    delta = fit.likelihood.parts(fit.beta)[2]
    pooled = tally.pool(by)
    counts = fit.model.treat_ties(pooled.counts)
    used = counts.sum(axis=1) > 0
    design = replace(fit.design, left=pooled.left[used], right=pooled.right[used])
    likelihood = Likelihood(design, fit.likelihood.law, np.asfortranarray(counts[used] * share))
    codes = {name: pooled.factor(name).codes[used] for name in by}
    return Panel(likelihood, codes, pooled.factor("judge").size, fit.beta[:worths].copy()), delta


def find_modes(panel: Panel, start: Array, mean: float, spread: float) -> Array:
    """Return (J,) where each judge's likelihood times N(δ, τ²) is largest."""
    modes, precision = start.copy(), spread**-2
    for _ in range(MAX_STEPS):
        local = panel.expand(modes, passing=True)
        slope = panel.by_judge(local.eta) - (modes - mean) * precision
        step = slope / (panel.by_judge(local.eta_eta) + precision)
        modes += np.clip(step, -MAX_BIAS_STEP, MAX_BIAS_STEP)
        if np.abs(step).max() < SETTLED:
            break
    return modes


def place_nodes(panel: Panel, modes: Array, spread: float) -> Nodes:
    """Put Gauss-Hermite nodes around each mode, as wide as the integrand is there."""
    x, w = np.polynomial.hermite.hermgauss(NODES)
    curvature = panel.by_judge(panel.expand(modes, passing=True).eta_eta) + spread**-2
    width = np.sqrt(2 / curvature)
    at = modes[:, None] + width[:, None] * x
    kept = len(panel.judge) <= MAX_KEPT_ENTRIES
    locals_at = (panel.expand(biases, passing=not kept) for biases in at.T)
    expanded = tuple(locals_at) if kept else ()
    loglik = np.stack([panel.by_judge(local.value) for local in expanded or locals_at], axis=1)
    return Nodes(at, np.log(w) + x**2 + np.log(width)[:, None], loglik, expanded)


def _maximise(nodes: Nodes, mean: float, spread: float) -> tuple[float, float]:
    """Return a δ and τ of larger likelihood on given nodes, by Newton's method in δ and τ²."""
    # Nodes serve for a τ at most twice or half that they were placed for. At a border of τ the new
    # δ is the mean of the judges' biases (a step of EM).
    here = float(nodes.integrate(mean, spread)[0].sum())
    least, most = spread / 2, min(spread * 2, MAX_SPREAD)
    for _ in range(MAX_STEPS):
        gradient, information = _slopes(nodes, mean, spread)
        definite = information[0, 0] > 0 and np.linalg.det(information) > 0
        step = gradient / np.abs(np.diag(information))
        if definite:
            step = np.asarray(np.linalg.solve(information, gradient), dtype=np.float64)
        ahead = None  # the first of the step's halves that gains, and the log-likelihood there
        for _ in range(MAX_STEPS):
            square = spread**2 + float(step[1])
            if square > 0:
                there = mean + float(step[0]), float(np.sqrt(square))
                height = float(nodes.integrate(*there)[0].sum())
                if height >= here:
                    ahead = (*there, height)
                    break
            step = step / 2
        if ahead is None or not least <= ahead[1] <= most:
            break
        gain, (mean, spread, here) = ahead[2] - here, ahead
        if gain <= SETTLED**2 * (1 + abs(here)):
            break
    if ahead is not None and not least <= ahead[1] <= most:
        spread = min(max(ahead[1], least), most)
        _, posterior = nodes.integrate(mean, spread)
        mean = float((posterior * nodes.at).sum(axis=1).mean())
    return mean, spread


def _slopes(nodes: Nodes, mean: float, spread: float) -> tuple[Array, Array]:
    """Return gradient and information by δ and τ² (Louis 1982)."""
    _, posterior = nodes.integrate(mean, spread)
    away, square = (nodes.at - mean) / spread, spread**2
    scores = np.stack([away / spread, (away**2 - 1) / (2 * square)])
    means = (posterior * scores).sum(axis=2)
    moments = [float((posterior * away**power).sum()) for power in (0, 1, 2)]
    cross = moments[1] / (spread * square)
    by_square = (moments[2] - moments[0] / 2) / square**2
    complete = np.array([[moments[0] / square, cross], [cross, by_square]])
    spreads = np.einsum("jq,ajq,bjq->ab", posterior, scores, scores) - means @ means.T
    return means.sum(axis=1), complete - spreads

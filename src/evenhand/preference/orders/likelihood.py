"""The likelihood that models of whole rankings share: observed against all rivals, set by set.

    ℓ = Σ_choices n (x·b − log Z(A)),   Z(A) = Σ over the rivals x' of the set A of exp(x'·b)

A ranking is one choice or several (Plackett-Luce: one a stage), each among the rivals of a set A of
outputs. Z depends on the set alone, so that it is evaluated once for each different set, however
many rankings there are. b holds the K log-worths θ and the law's own parameters; the reference has
θ = 0 and no column.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.orders import Orders
from evenhand.numerics.newton import Expansion

Array = NDArray[np.float64]
Codes = NDArray[np.integer]
BLOCK: Final = 4_000_000
"""Most numbers that the moments of the sets worked on at a time may need."""
LONGEST: Final = 10.0
"""How far one step may move a difference of log-worths."""


@dataclass(frozen=True, eq=False)
class Moments:
    """What the rivals of sets of m outputs look like under the model; q = m + law's parameters.

    Attributes:
        log_z: (N,) log of the sum of all weights.
        mean: (N, q) mean of x.
        second: (N, q, q) mean of x xᵀ.

    """

    log_z: Array
    mean: Array
    second: Array


@dataclass(frozen=True, eq=False)
class Choices:
    """Choices among the rivals of sets of m outputs.

    Attributes:
        sets: (N, m) codes of the outputs of each different set, ascending.
        row: (C,) ranking that each choice belongs to.
        which: (C,) its set.
        observed: (C, q) x of what was chosen.

    """

    sets: Codes
    row: Codes
    which: Codes
    observed: Array


class Law(Protocol):
    """How a ranking falls into choices, and what rivals there are."""

    @property
    def extras(self) -> tuple[str, ...]:
        """Names of the law's own parameters."""

    def take_apart(self, orders: Orders) -> tuple[Choices, ...]:
        """Return the choices, one entry for each size m."""

    def moments(self, worths: Array, extras: Array) -> Moments:
        """Return the moments of sets whose outputs have log-worths (N, m)."""

    def best(self, worths: Array, extras: Array) -> Array:
        """Return (N, q) the rival with the largest x·b."""

    def count_rivals(self, m: int) -> float:
        """Return how many rivals a set of m outputs has."""

    def load(self, m: int) -> int:
        """Return how many numbers the moments of one set of m outputs need."""

    def impossible(self, orders: Orders) -> NDArray[np.bool_]:
        """Say of each ranking (R,) whether it has probability zero, as ties that have no δ."""


@dataclass(frozen=True, eq=False)
class OrderLikelihood:
    """A law on rankings.

    Attributes:
        law: the law.
        orders: the rankings.
        reference: code of the system with θ = 0.

    """

    law: Law
    orders: Orders
    reference: int

    @cached_property
    def choices(self) -> tuple[Choices, ...]:
        """All choices, by size of their sets."""
        return self.law.take_apart(self.orders)

    @property
    def n_systems(self) -> int:
        """Number of systems K."""
        return len(self.orders.systems)

    @property
    def full(self) -> int:
        """Number of parameters with the reference's."""
        return self.n_systems + len(self.law.extras)

    @property
    def size(self) -> int:
        """Number of parameters p."""
        return self.full - 1

    def widen(self, beta: Array) -> tuple[Array, Array]:
        """Return (K,) log-worths, the reference at 0, and the law's own parameters."""
        whole = np.insert(beta, self.reference, 0.0)
        return whole[: self.n_systems], whole[self.n_systems :]

    def columns(self, sets: Codes) -> Codes:
        """Return (N, q) places of a set's parameters among all `full` of them."""
        own = np.arange(self.n_systems, self.full)
        return np.concatenate([sets, np.broadcast_to(own, (len(sets), len(own)))], axis=1)

    def moments(self, beta: Array) -> Iterator[tuple[int, Moments, slice]]:
        """Evaluate the sets some thousand at a time: place among choices, moments, which sets."""
        worths, extras = self.widen(beta)
        for at, choices in enumerate(self.choices):
            n, m = choices.sets.shape
            step = max(1, BLOCK // self.law.load(m))
            for start in range(0, n, step):
                part = slice(start, start + step)
                yield at, self.law.moments(worths[choices.sets[part]], extras), part

    def log_probs(self, beta: Array) -> Array:
        """Return (R,) log-probability of each ranking (nats)."""
        found = np.zeros(len(self.orders.weights))
        b = np.concatenate(self.widen(beta))
        log_z = [np.zeros(len(choices.sets)) for choices in self.choices]
        for at, moments, part in self.moments(beta):
            log_z[at][part] = moments.log_z
        for choices, normalised in zip(self.choices, log_z, strict=True):
            own = b[self.columns(choices.sets)][choices.which]
            chosen = (choices.observed * own).sum(axis=1) - normalised[choices.which]
            found += np.bincount(choices.row, weights=chosen, minlength=len(found))
        return found

    def expand(self, beta: Array) -> Expansion:
        """Return the log-likelihood to second order."""
        gradient, information = self._observed.copy(), np.zeros(self.full**2)
        value = float(gradient @ np.concatenate(self.widen(beta)))
        for at, moments, part in self.moments(beta):
            counts, columns = self._counts[at][part], self.columns(self.choices[at].sets[part])
            value -= float(counts @ moments.log_z)
            expected = (counts[:, None] * moments.mean).ravel()
            gradient -= np.bincount(columns.ravel(), expected, minlength=self.full)
            cells = (counts[:, None, None] * spread(moments)).ravel()
            information += np.bincount(self._cells(columns), cells, minlength=self.full**2)
        rest = np.delete(np.arange(self.full), self.reference)
        square = information.reshape(self.full, self.full)
        return Expansion(value, gradient[rest], square[np.ix_(rest, rest)])

    def _cells(self, columns: Codes) -> Codes:
        """Return (N q q) places in the flattened (full, full) information."""
        return np.asarray(columns[:, :, None] * self.full + columns[:, None, :]).ravel()

    @cached_property
    def _observed(self) -> Array:
        """(full,) sum of what was chosen."""
        total = np.zeros(self.full)
        for choices in self.choices:
            weights = self.orders.weights[choices.row][:, None]
            columns = self.columns(choices.sets)[choices.which]
            np.add.at(total, columns, weights * choices.observed)
        return total

    @cached_property
    def _counts(self) -> list[Array]:
        """(N,) how often each set was chosen from, by size of sets."""
        weights = self.orders.weights
        return [
            np.asarray(np.bincount(one.which, weights[one.row], minlength=len(one.sets)), float)
            for one in self.choices
        ]

    def reach(self, step: Array) -> float:
        """Return how far a step moves worths and the law's parameters, in units of LONGEST."""
        worths, extras = self.widen(step)
        return max(float(np.ptp(worths)), float(np.abs(extras).max(initial=0.0))) / LONGEST

    def start(self) -> Array:
        """Return equal worths."""
        return np.zeros(self.size)

    def cluster_scores(self, beta: Array, codes: Codes, size: int) -> Array:
        """Return (G, p) scores of clusters of rankings.

        Args:
            beta: the parameters.
            codes: (R,) cluster of each ranking.
            size: number of clusters G.

        """
        total = np.zeros(size * self.full)
        means = [np.zeros((len(one.sets), one.observed.shape[1])) for one in self.choices]
        for at, moments, part in self.moments(beta):
            means[at][part] = moments.mean
        for choices, mean in zip(self.choices, means, strict=True):
            left = choices.observed - mean[choices.which]
            flat = codes[choices.row][:, None] * self.full
            flat = flat + self.columns(choices.sets)[choices.which]
            weighed = left * self.orders.weights[choices.row][:, None]
            total += np.bincount(flat.ravel(), weights=weighed.ravel(), minlength=len(total))
        return np.delete(total.reshape(size, self.full), self.reference, axis=1)

    def cluster_information(self, beta: Array, codes: Codes, size: int) -> Array:
        """Return (G, p, p) information of clusters of rankings; arguments as `cluster_scores`."""
        total = np.zeros(size * self.full**2)
        for place, moments, part in self.moments(beta):
            choices, variance = self.choices[place], spread(moments)
            here = np.flatnonzero((choices.which >= part.start) & (choices.which < part.stop))
            flat = self._cells(self.columns(choices.sets[part])).reshape(variance.shape)
            for one in np.array_split(here, 1 + here.size * variance[0].size // BLOCK):
                own = choices.which[one] - part.start
                at = codes[choices.row[one]][:, None, None] * self.full**2 + flat[own]
                weighed = variance[own] * self.orders.weights[choices.row[one]][:, None, None]
                total += np.bincount(at.ravel(), weights=weighed.ravel(), minlength=len(total))
        whole = total.reshape(size, self.full, self.full)
        return np.delete(np.delete(whole, self.reference, 1), self.reference, 2)


def spread(moments: Moments) -> Array:
    """Return (N, q, q) covariances of x."""
    outer = moments.mean[:, :, None] * moments.mean[:, None, :]
    return np.asarray(moments.second - outer)


def unique_sets(codes: Codes) -> tuple[Codes, Codes]:
    """Return the different rows of (C, m) ascending codes, and which of them each row is."""
    sets, which = np.unique(codes, axis=0, return_inverse=True)
    return sets, which.reshape(-1)

"""The cumulative logit of ratings: scores as ordered categories, cutpoints that judges differ in.

    P(score ≤ c | judge j, system s, item i) = Λ(κ_jc − μ_s − item_i − output_is),   c = 1 … C − 1
    mean of κ_j1 … κ_j,C−1 = m + a_j,   log(κ_j,c+1 − κ_jc) = g_c + d_jc
    a ~ N(0, σ_judge²), d ~ N(0, σ_spacing²), item ~ N(0, σ_item²), output ~ N(0, σ_output²)

Standard deviations are those of the highest likelihood of the scores by Laplace's approximation,
or what is asked for. At them systems, constants and effects stand where the penalised likelihood is
highest; the covariance of the systems is the inverse of its information, all effects eliminated.

Sources: McCullagh (1980), Journal of the Royal Statistical Society B 42:109-142; random cutpoints:
Tutz & Hennevogl (1996), Computational Statistics & Data Analysis 22:537-557; Laplace: Christensen,
ordinal (R), function clmm. When not to use it: docs/ratings.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Final

import numpy as np

from evenhand.data.rating_rows import RatingRows
from evenhand.errors import NotConverged, NotIdentified, UnknownOption, listing
from evenhand.models.rating_fit import (
    Predicted,
    RatingFit,
    RatingModel,
    ScoredRows,
    find_levels,
    find_systems,
    find_unlinked,
    tabulate_differences,
)
from evenhand.models.texts import say_ratings
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.graph import Graph, strong_components
from evenhand.numerics.newton import one_blas_thread
from evenhand.render.document import Column, Finding, Table

MAX_CATEGORIES: Final = 7
MAX_BORDER: Final = 2_000  # Most effects of judges and constants, which are solved for together
MAX_DENSE: Final = 10_000_000  # Cells that levels share with the border, which are held as a matrix
MIN_SHARE_DENSE: Final = 0.05  # Of these cells that hold something, where they are
MIN_SD: Final = 0.01  # Logits; as good as 0
MAX_SD: Final = 10.0
START_SD: Final = 0.5
SD_STEP: Final = 1e-4  # Logits, of numerical derivatives
MAX_STEPS: Final = 200
MAX_HALVINGS: Final = 40
MAX_GAIN_LEFT: Final = 1e-16  # Twice the log-likelihood still to be gained at the mode (nats)
VALUE_ROUNDING: Final = 1e-12  # Loss of log-likelihood, relative to 1 + |ℓ|, that is rounding
FIRST_RIDGE: Final = 1e-3  # Added where the information is indefinite; ten times more each time
MAX_LOG_WIDTH: Final = 6.0  # Of a category; e⁶ logits are as good as all
MIN_WIDTH: Final = 1e-30
NODES: Final = 15  # Of the quadrature over effects of new judges and items
EFFECTS: Final = ("judge", "spacing", "item", "output")


def _choose(
    sds: dict[str, float | None], rows: RatingRows, categories: int
) -> tuple[dict[str, float | None], tuple[Finding, ...]]:
    """Return the standard deviations, 0 where the design says nothing of an effect."""
    levels = {
        "judge": (rows.judge,),
        "item": (rows.item,),
        "output": (rows.item, rows.system),
        "answer": (rows.judge, rows.item, rows.system),
    }
    sizes = {effect: int(number_groups(*codes).max()) + 1 for effect, codes in levels.items()}
    notes, n = [], rows.size
    if sizes["answer"] < n and sizes["item"] > 1:
        notes.append(say_ratings("repeats-count", n=n - sizes["answer"]))
    for effect in ("judge", "item", "output"):
        size = sizes[effect]
        code = (
            "one-level" if size == 1
            else "one-score" if size == n
            else "one-output" if effect == "output" and size == sizes["item"]
            else None
        )  # fmt: skip
        if code and sds[effect] is None:
            sds[effect] = 0.0
            notes.append(say_ratings(f"{code}-each", name=effect))
    if sizes["judge"] > 1:
        notes.append(say_ratings("no-tastes"))
    if categories == 2 or (sds["spacing"] is None and sizes["judge"] in (1, n)):
        sds["spacing"] = 0.0  # one cutpoint has no spaces
    return sds, tuple(notes)


@dataclass(frozen=True, eq=False)
class _State:
    """Effects in units of their standard deviations, and constants."""

    border: Array  # (G,) of judges (a, d_1 …), systems less the first, m and g
    outputs: Array  # (O,)
    items: Array  # (I,)

    def move(self, step: _State, length: float) -> _State:
        return _State(
            self.border + length * step.border,
            self.outputs + length * step.outputs,
            self.items + length * step.items,
        )


@dataclass(frozen=True, eq=False)
class _Mode:
    at: _State
    loglik: float  # by Laplace's approximation (nats)
    vcov: Array  # (K − 1, K − 1) covariance of the systems less the first
    place: _Place
    factor: _Factor  # of the information there


@dataclass(frozen=True, eq=False)
class _Place:
    """The scores at some effects: where their cutpoints are."""

    value: float  # penalised log-likelihood
    upper: Array  # (n,) the higher cutpoint of a score's category, less the worth
    lower: Array  # (n,) the lower one
    width: Array  # (n,) their difference
    slopes: Array  # (J, C − 1, C − 1) of cutpoints by (m + a, g + d)


@dataclass(frozen=True, eq=False)
class _Level:
    """Outputs, or items, in the equations of a Newton step."""

    right: Array  # (q,) gradient
    diagonal: Array  # (q,) information
    across: Any  # (q, G) information shared with the border, sparse or not

    def share(self) -> Array:
        """Return the (G, G) information of the border that is of these effects."""
        from scipy.sparse import issparse

        root = self.across / np.sqrt(self.diagonal)[:, None]
        if not issparse(root):
            return np.asarray(root.T @ root)
        root = root.tocsr()
        return np.asarray((root.T @ root).toarray())


@dataclass(frozen=True, eq=False)
class _Factor:
    """The information, outputs eliminated and then items."""

    outputs: _Level
    items: _Level  # without what is of the outputs
    shared: Array  # (O,) information of an output and its item
    owner: Integers  # (O,)
    root: Array  # (G, G) Cholesky factor of the border's information that is left

    @classmethod
    def of(
        cls, border: Array, levels: tuple[_Level, _Level], shared: Array, design: _Design
    ) -> _Factor:
        from scipy.sparse import csr_array

        (outputs, items), owner, o = levels, design.owner, len(design.owner)
        owners = csr_array((np.ones(o), (owner, np.arange(o))), shape=(len(items.right), o))
        # outputs meet each other only through their item and the border; then items do
        part = shared / outputs.diagonal
        left = _Level(
            items.right - owners @ (part * outputs.right),
            items.diagonal - owners @ (part * shared),
            items.across - owners @ (outputs.across * part[:, None]),
        )
        rest, ridge = border - outputs.share() - left.share(), 0.0
        while True:
            try:
                root = np.linalg.cholesky(rest + ridge * np.diag(np.abs(np.diag(rest)) + 1))
                return cls(outputs, left, shared, owner, np.asarray(root, dtype=np.float64))
            except np.linalg.LinAlgError:  # made definite where it is not
                ridge = max(10 * ridge, FIRST_RIDGE)

    def solve(self, border: Array, outputs: Array, items: Array) -> _State:
        from scipy.linalg import cho_solve

        above, left = self.outputs, self.items
        part = outputs / above.diagonal
        alone = items - np.bincount(self.owner, self.shared * part, len(items))
        rest = border - above.across.T @ part - left.across.T @ (alone / left.diagonal)
        step = cho_solve((self.root, True), rest)
        by_item = (alone - left.across @ step) / left.diagonal
        by_output = outputs - above.across @ step - self.shared * by_item[self.owner]
        return _State(step, by_output / above.diagonal, by_item)


@dataclass(frozen=True, eq=False)
class _Design:
    """Distinct rows; an effect that is excluded has one level."""

    judge: Integers  # (n,)
    system: Integers
    item: Integers
    output: Integers
    category: Integers
    weight: Array  # (n,) how many scores a row stands for
    owner: Integers  # (O,) item of each output
    sizes: tuple[int, int, int, int]  # judges, systems, categories, items

    @classmethod
    def of(cls, scores: ScoredRows, category: Integers, sds: Mapping[str, float | None]) -> _Design:
        rows = scores.rows
        none, out = np.zeros(rows.size, dtype=np.int64), {e for e in EFFECTS if sds[e] == 0}
        judge = none if out >= {"judge", "spacing"} else number_groups(rows.judge)
        item = none if "item" in out else number_groups(rows.item)
        output = none if "output" in out else number_groups(rows.item, rows.system)
        every = (judge, scores.system, item, output, category)
        cell = number_groups(*every)
        place = np.unique(cell, return_index=True)[1]
        judge, system, item, output, category = (codes[place] for codes in every)
        owner = np.zeros(int(output.max()) + 1, dtype=np.int64)
        owner[output] = item
        j, k, size, i = (int(codes.max()) + 1 for codes in (judge, system, category, item))
        if j * (size - 1) > MAX_BORDER:
            raise NotIdentified(
                f"{j:,} judges are too many to have cutpoints of their own",
                ["use --model adjusted or --model mixed"],
            )
        weight = np.bincount(cell).astype(np.float64)
        return cls(judge, system, item, output, category, weight, owner, (j, k, size, i))

    @cached_property
    def judges(self) -> int:
        """Number of effects of judges, which stand first in the border."""
        return self.sizes[0] * (self.sizes[2] - 1)

    @cached_property
    def constant(self) -> Flags:
        """(G,) which of the border are m and g, the last."""
        start = self.judges + self.sizes[1] - 1
        return np.arange(start + self.sizes[2] - 1) >= start

    @cached_property
    def spaces(self) -> Array:
        """(C − 1, C − 2) cutpoints of mean 0 as sums of the widths between them."""
        steps = np.tri(self.sizes[2] - 1, self.sizes[2] - 2, -1)
        return np.asarray(steps - steps.mean(axis=0))

    @cached_property
    def cuts(self) -> Integers:
        """(n,) number of each row's lower cutpoint, among C + 1 of each judge."""
        return self.judge * (self.sizes[2] + 1) + self.category

    def scale(self, sds: Mapping[str, float]) -> Array:
        return np.array([sds["judge"]] + [sds["spacing"]] * (self.sizes[2] - 2))

    def worths(self, at: _State) -> Array:
        """(K,) μ, 0 of the first system."""
        return np.append(0.0, at.border[self.judges : self.judges + self.sizes[1] - 1])

    def cut(self, at: _State, sds: Mapping[str, float]) -> tuple[Array, Array]:
        """Return (J, C − 1) cutpoints, and their slopes by (m + a, g + d)."""
        own = at.border[: self.judges].reshape(self.sizes[0], -1) * self.scale(sds)
        values = at.border[self.constant] + own
        widths = np.exp(np.minimum(values[:, 1:], MAX_LOG_WIDTH))
        slopes = np.ones((*values.shape, values.shape[1]))
        slopes[:, :, 1:] = self.spaces * widths[:, None, :]
        return values[:, :1] + widths @ self.spaces.T, slopes

    def start(self) -> _State:
        """Return the cutpoints of all scores together, everything else 0."""
        share = np.cumsum(np.bincount(self.category, self.weight))[:-1] / self.weight.sum()
        cuts = np.log(share / (1 - share))
        border = np.zeros(len(self.constant))
        border[self.constant] = [cuts.mean(), *np.log(np.diff(cuts))]
        return _State(border, np.zeros(len(self.owner)), np.zeros(self.sizes[3]))

    def place(self, at: _State, sds: Mapping[str, float]) -> _Place:
        from scipy.special import log_expit

        cutpoints, slopes = self.cut(at, sds)
        ends = np.pad(cutpoints, ((0, 0), (1, 1)), constant_values=(-np.inf, np.inf)).ravel()
        worth = self.worths(at)[self.system]
        worth = worth + sds["output"] * at.outputs[self.output] + sds["item"] * at.items[self.item]
        upper, lower = ends[self.cuts + 1] - worth, ends[self.cuts] - worth
        width = np.clip(upper - lower, MIN_WIDTH, np.exp(MAX_LOG_WIDTH))
        # Λ(u) − Λ(l) = Λ(u) Λ(−l) (1 − exp(l − u))
        chances = log_expit(upper) + log_expit(-lower) + np.log(-np.expm1(-width))
        effects = (at.border[: self.judges], at.outputs, at.items)
        penalty = sum(float(one @ one) for one in effects) / 2
        return _Place(float(self.weight @ chances) - penalty, upper, lower, width, slopes)

    def inform(
        self, at: _State, place: _Place, sds: Mapping[str, float]
    ) -> tuple[Array, Array, tuple[_Level, _Level], Array]:
        """Return gradient and information of the border, outputs and items, and what these share.

        The information is minus the matrix of second derivatives.
        """
        j, k, size, _ = self.sizes
        curves = _Curves.of(self, place)
        # by the upper and the lower cutpoint of each score
        up, down = curves.first
        by_worth = -(up + down)
        high, low = (each + curves.both for each in curves.second)
        both, ends = high + low, j * (size + 1)

        def by_cut(upper: Array, lower: Array, cuts: Integers, each: int = 1) -> Array:
            sums = np.bincount(cuts + each, upper, ends * each)
            sums += np.bincount(cuts, lower, ends * each)
            return np.asarray(sums.reshape(j, size + 1, each)[:, 1:size], dtype=np.float64)

        own = np.zeros((j, size - 1, size - 1))
        at_cut = np.arange(size - 1)
        own[:, at_cut, at_cut] = by_cut(*curves.second, self.cuts)[:, :, 0]
        between = np.bincount(self.cuts, curves.both, ends).reshape(j, size + 1)[:, 1 : size - 1]
        own[:, at_cut[1:], at_cut[:-1]] = own[:, at_cut[:-1], at_cut[1:]] = between
        turned = place.slopes.transpose(0, 2, 1)
        gradient = (turned @ by_cut(up, down, self.cuts))[:, :, 0]
        own = turned @ own @ place.slopes
        own[:, at_cut[1:], at_cut[1:]] -= gradient[:, 1:]  # widths are exponentials
        crossed = -turned @ by_cut(high, low, self.cuts * k + self.system, k)[:, :, 1:]

        d, scale = self.judges, self.scale(sds)
        worths, constants = slice(d, d + k - 1), slice(d + k - 1, None)
        border = np.zeros((len(self.constant),) * 2)
        cells = border[:d, :d].reshape(j, size - 1, j, size - 1)
        cells[np.arange(j), :, np.arange(j), :] = own * scale * scale[:, None]
        border[np.arange(d), np.arange(d)] += 1
        border[:d, worths] = (crossed * scale[:, None]).reshape(d, k - 1)
        border[:d, constants] = (own * scale[:, None]).reshape(d, size - 1)
        border[worths, worths] = np.diag(np.bincount(self.system, both, k)[1:])
        border[worths, constants] = crossed.sum(axis=0).T
        border[constants, constants] = own.sum(axis=0)
        border = np.triu(border) + np.triu(border, 1).T
        by_system = np.bincount(self.system, by_worth, k)[1:]
        right = (gradient * scale).ravel() - at.border[:d]
        right = np.concatenate((right, by_system, gradient.sum(axis=0)))

        shares = -(high[:, None] * curves.slopes[0] + low[:, None] * curves.slopes[1])
        rows = (by_worth, both, shares, scale)
        outputs = self._level(self.output, at.outputs, sds["output"], rows)
        items = self._level(self.item, at.items, sds["item"], rows)
        shared = np.bincount(self.output, both, len(self.owner)) * sds["output"] * sds["item"]
        return right, border, (outputs, items), np.asarray(shared, dtype=np.float64)

    def _level(
        self, codes: Integers, effects: Array, sd: float, rows: tuple[Array, Array, Array, Array]
    ) -> _Level:
        by_worth, both, shares, scale = rows
        q, parts, later = len(effects), shares.shape[1], self.system > 0
        own = self.judge[:, None] * parts + np.arange(parts)
        constants = np.broadcast_to(np.flatnonzero(self.constant), own.shape)
        columns = (own.ravel(), constants.ravel(), self.judges + self.system[later] - 1)
        values = ((shares * scale).ravel(), shares.ravel(), both[later])
        levels = np.concatenate((np.repeat(codes, parts), np.repeat(codes, parts), codes[later]))
        place, across = (levels, np.concatenate(columns)), sd * np.concatenate(values)
        shape = (q, len(self.constant))
        if q * shape[1] < min(len(across) / MIN_SHARE_DENSE, MAX_DENSE):
            # products of sparse ones would cost more
            key = np.ravel_multi_index(place, shape)
            shared: Any = np.bincount(key, across, q * shape[1]).reshape(shape)
        else:
            from scipy.sparse import csr_array

            shared = csr_array((across, place), shape=shape)
        diagonal = np.asarray(1 + sd**2 * np.bincount(codes, both, q))
        right = np.asarray(sd * np.bincount(codes, by_worth, q) - effects)
        return _Level(right, diagonal, shared)


def _find_mode(design: _Design, sds: Mapping[str, float], at: _State) -> _Mode:
    from scipy.linalg import cho_solve

    d, k = design.judges, design.sizes[1]
    place = design.place(at, sds)
    for _ in range(MAX_STEPS):
        right, border, levels, shared = design.inform(at, place, sds)
        factor = _Factor.of(border, levels, shared, design)
        outputs, items = (level.right for level in levels)
        move = factor.solve(right, outputs, items)
        promise = float(right @ move.border + outputs @ move.outputs + items @ move.items)
        if promise <= MAX_GAIN_LEFT:
            log_det = np.log(factor.outputs.diagonal).sum() + np.log(factor.items.diagonal).sum()
            log_det += 2 * np.log(np.diag(factor.root)[:d]).sum()
            vcov = cho_solve((factor.root, True), np.eye(len(right)))[d:, d:][: k - 1, : k - 1]
            return _Mode(at, place.value - float(log_det) / 2, vcov, place, factor)
        least = place.value - VALUE_ROUNDING * (1 + abs(place.value))
        for halving in range(MAX_HALVINGS):
            there = at.move(move, 0.5**halving)
            new = design.place(there, sds)
            if new.value >= least:
                break
        else:
            break
        at, place = there, new
    raise NotConverged(
        "the ordinal model was not fitted: its likelihood has no clear maximum",
        ["use --model adjusted or --model mixed", "collect more scores of each judge"],
    )


@dataclass(frozen=True, eq=False)
class _Covariances:
    """Of the effects of each score, given the constants: the inverse of their information."""

    judge: Array  # (n, C − 1, C − 1) of the judge's own
    output_judge: Array  # (n, C − 1) of the output and the judge's
    item_judge: Array  # (n, C − 1)
    output: Array  # (n,) variances of outputs
    item: Array  # (n,) those of items
    output_item: Array  # (n,)

    @classmethod
    def of(cls, design: _Design, factor: _Factor) -> _Covariances:
        from scipy.linalg import cho_solve

        d, (j, _, size, _) = design.judges, design.sizes
        shape = (j, size - 1)
        vcov = cho_solve((factor.root[:d, :d], True), np.eye(d))
        levels = (factor.outputs, factor.items)
        parts = (level.across[:, :d] / level.diagonal[:, None] for level in levels)
        by_output, by_item = (x if isinstance(x, np.ndarray) else x.toarray() for x in parts)
        share, owner = factor.shared / factor.outputs.diagonal, factor.owner
        item_judge = -by_item @ vcov
        items = 1 / factor.items.diagonal - (by_item * item_judge).sum(axis=1)
        output_judge = -by_output @ vcov - share[:, None] * item_judge[owner]
        output_item = -(by_output * item_judge[owner]).sum(axis=1) - share * items[owner]
        outputs = 1 / factor.outputs.diagonal - (by_output * output_judge).sum(axis=1)
        outputs -= share * output_item
        judge, output, item, every = design.judge, design.output, design.item, np.arange(j)
        of_judge = vcov.reshape(*shape, *shape)[every, :, every, :][judge]
        with_output = output_judge.reshape(-1, *shape)[output, judge]
        with_item = item_judge.reshape(-1, *shape)[item, judge]
        of_levels = outputs[output], items[item], output_item[output]
        return cls(of_judge, with_output, with_item, *of_levels)

    def multiply(self, judge: Array, levels: tuple[float, float]) -> tuple[Array, Array, Array]:
        """Multiply by vectors: (n, C − 1) of the judge of each score, and those of the levels."""
        output, item = levels
        by_judge = np.einsum("rst,rt->rs", self.judge, judge)
        by_judge += output * self.output_judge + item * self.item_judge
        by_output = (self.output_judge * judge).sum(axis=1)
        by_output += output * self.output + item * self.output_item
        by_item = (self.item_judge * judge).sum(axis=1)
        by_item += output * self.output_item + item * self.item
        return by_judge, by_output, by_item


@dataclass(frozen=True, eq=False)
class _Curves:
    """The log-likelihood of each score as a function of its two cutpoints less the worth, u and l.

    Of two, the first is by u, the second by l.
    """

    slopes: tuple[Array, Array]  # (n, C − 1) of u and l by the judge's values
    first: tuple[Array, Array]  # (n,) first derivatives
    second: tuple[Array, Array]  # (n,) minus the second derivatives
    both: Array  # (n,) the same by u and l
    third: tuple[Array, Array]  # (n,) derivatives of second, but for what goes with the width
    by_width: Array  # (n,) derivative of both by u − l, that of second less this

    @classmethod
    def of(cls, design: _Design, place: _Place) -> _Curves:
        from scipy.special import expit

        w, flat = design.weight, np.pad(place.slopes, ((0, 0), (1, 1), (0, 0)))
        flat = flat.reshape(-1, flat.shape[2])
        high, low = expit(place.upper), expit(place.lower)
        narrow = 1 / np.expm1(place.width)
        both = -w * narrow * (1 + narrow)
        up, down = w * high * (1 - high), w * low * (1 - low)
        return cls(
            slopes=(flat[design.cuts + 1], flat[design.cuts]),
            first=(w * (1 - high + narrow), -w * (low + narrow)),
            second=(up - both, down - both),
            both=both,
            third=(up * (1 - 2 * high), down * (1 - 2 * low)),
            by_width=-both * (1 + 2 * narrow),
        )

    def bend(self, up: Array, down: Array) -> tuple[Array, Array]:
        """Multiply (n, …) values by minus the second derivatives."""
        shape = (-1, *(1,) * (up.ndim - 1))
        one, both, two = (x.reshape(shape) for x in (self.second[0], self.both, self.second[1]))
        return one * up + both * down, both * up + two * down

    @cached_property
    def pull(self) -> Array:
        """(n, C − 1) first derivatives by the judge's values."""
        (up, down), (by_up, by_down) = self.slopes, self.first
        return up * by_up[:, None] + down * by_down[:, None]


def _slope_log_det(
    sds: Mapping[str, float], scale: Array, curves: _Curves, known: _Covariances
) -> tuple[Array, Array, dict[str, float]]:
    """Return how the log-determinant of the information of effects changes.

    By each score's judge's values (n, C − 1) and worth (n,), and by standard deviations where
    these stay. Of a score, the information is i_uu U Uᵀ + i_ul (U Lᵀ + L Uᵀ) + i_ll L Lᵀ less first
    derivatives times how its cutpoints bend, U and L slopes of u and l by the effects.
    """
    of_output, of_item = -sds["output"], -sds["item"]
    upper, lower = (slope * scale for slope in curves.slopes)
    up_judge, up_output, up_item = known.multiply(upper, (of_output, of_item))
    low_judge, low_output, low_item = known.multiply(lower, (of_output, of_item))
    of_up = of_output * up_output + of_item * up_item
    up_up = (upper * up_judge).sum(axis=1) + of_up
    up_low = (lower * up_judge).sum(axis=1) + of_up
    low_low = (lower * low_judge).sum(axis=1) + of_output * low_output + of_item * low_item
    # a cutpoint bends by the widths of categories alone
    bends = np.einsum("rtt->rt", known.judge) * scale
    bends[:, 0] = 0
    bent = bends * scale
    tau_up, tau_low = ((bent * slope).sum(axis=1) for slope in curves.slopes)
    wider = curves.by_width * (2 * up_low - up_up - low_low)
    by_up, by_low = curves.bend(tau_up, tau_low)
    by_up += curves.third[0] * up_up + wider
    by_low += curves.third[1] * low_low - wider
    turned = curves.bend(up_judge, low_judge)
    by_scale = 2 * (curves.slopes[0] * turned[0] + curves.slopes[1] * turned[1])
    by_value = curves.slopes[0] * by_up[:, None] + curves.slopes[1] * by_low[:, None]
    by_value[:, 1:] += (by_scale * scale - bent * curves.pull)[:, 1:]
    by_scale -= 2 * bends * curves.pull
    by_sd = {
        "judge": float(by_scale[:, 0].sum()),
        "spacing": float(by_scale[:, 1:].sum()),
        "item": -2 * float(np.sum(curves.bend(up_item, low_item))),
        "output": -2 * float(np.sum(curves.bend(up_output, low_output))),
    }
    return by_value, -(by_up + by_low), by_sd


def _slope(design: _Design, sds: Mapping[str, float], mode: _Mode) -> dict[str, float]:
    """Return derivatives of Laplace's approximation by the standard deviations.

    With g and H gradient and information of the penalised likelihood ℓ at its mode x, and H_u the
    part of the effects u,

        dL/dσ = ∂ℓ/∂σ − ½ ∂ log|H_u|/∂σ − ½ (∂ log|H_u|/∂x)ᵀ H⁻¹ ∂g/∂σ
    """
    at, d, k, (j, _, size, _) = mode.at, design.judges, design.sizes[1], design.sizes
    scale, judge, curves = design.scale(sds), design.judge, _Curves.of(design, mode.place)
    known = _Covariances.of(design, mode.factor)
    by_value, by_worth, by_sd = _slope_log_det(sds, scale, curves, known)
    values = np.stack([np.bincount(judge, each, j) for each in by_value.T], axis=1)
    worths = np.bincount(design.system, by_worth, k)[1:]
    z = mode.factor.solve(
        np.concatenate(((values * scale).ravel(), worths, values.sum(axis=0))),
        np.bincount(design.output, sds["output"] * by_worth, len(at.outputs)).astype(np.float64),
        np.bincount(design.item, sds["item"] * by_worth, len(at.items)).astype(np.float64),
    )
    # along z, where the gradient is multiplied by it
    own, turned = (one.border[:d].reshape(j, size - 1)[judge] for one in (at, z))
    value = turned * scale + z.border[design.constant]
    worth = design.worths(z)[design.system] + sds["output"] * z.outputs[design.output]
    worth += sds["item"] * z.items[design.item]
    bent = curves.bend(*((slope * value).sum(axis=1) - worth for slope in curves.slopes))

    def slope(effect: str, steps: Sequence[Array], moved: float, through: float) -> float:
        gain = sum(float(each @ step) for each, step in zip(curves.first, steps, strict=True))
        through -= sum(float(each @ step) for each, step in zip(bent, steps, strict=True))
        return gain - (by_sd[effect] + moved + through) / 2

    slopes = {}
    for effect, which in (("judge", slice(0, 1)), ("spacing", slice(1, None))):
        steps = [(each * own)[:, which].sum(axis=1) for each in curves.slopes]
        through = (curves.pull * turned)[:, which].sum()
        through += (curves.pull * own * value)[:, which].sum() * (effect == "spacing")
        slopes[effect] = slope(effect, steps, (by_value * own)[:, which].sum(), through)
    for effect, codes, effects, turns in (
        ("item", design.item, at.items, z.items),
        ("output", design.output, at.outputs, z.outputs),
    ):
        step = -effects[codes]
        through = -float((curves.first[0] + curves.first[1]) @ turns[codes])
        slopes[effect] = slope(effect, [step, step], -float(by_worth @ step), through)
    return slopes


def _find_sds(design: _Design, sds: Mapping[str, float | None]) -> tuple[_Mode, dict[str, float]]:
    """Maximise Laplace's approximation over the standard deviations that are not given."""
    free = [effect for effect, sd in sds.items() if sd is None]
    known = {effect: START_SD if sd is None else float(sd) for effect, sd in sds.items()}
    mode = _find_mode(design, known, design.start())
    if not free:
        return mode, known
    from scipy.optimize import minimize

    too_far = 2 * abs(mode.loglik) + 1  # what a step of the search beyond all sense loses
    # beyond that many covariances of outputs and judges numerical derivatives need less memory
    sloped = len(design.owner) * design.judges <= MAX_DENSE
    gain, slope_left = (1e-12, 1e-6) if sloped else (1e-8, 1e-3)

    def lose(tried: Array) -> Any:
        nonlocal mode
        value, slope = too_far, np.zeros(len(free))
        if tried.max() <= MAX_SD:
            sds = known | dict(zip(free, tried.tolist(), strict=True))
            with suppress(NotConverged):
                mode = _find_mode(design, sds, mode.at)
                value = -mode.loglik
                slopes = _slope(design, sds, mode) if sloped else {}
                slope = -np.array([slopes.get(effect, 0.0) for effect in free])
        return (value, slope) if sloped else value

    found = minimize(
        lose,
        np.full(len(free), START_SD),
        jac=sloped,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * len(free),  # boxed variables would start with a jump to an end
        options={"eps": SD_STEP, "ftol": gain, "gtol": slope_left},
    )
    best = [0.0 if sd < MIN_SD else sd for sd in found.x.tolist()]
    known |= dict(zip(free, best, strict=True))
    return _find_mode(design, known, mode.at), known


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OrdinalFit(RatingFit):
    """Systems on the scale of logits, centred, and the cutpoints of judges."""

    vcov: Array
    loglik: float  # of the scores, by Laplace's approximation (nats)
    sds: Mapping[str, float]  # of EFFECTS, in logits; 0 where there is none
    categories: tuple[float, ...]  # the C scores
    cutpoints: Array  # (C − 1,) the common ones, of the mean system
    judge_cutpoints: Mapping[str, Array]  # judge → (C − 1,) his or her own; empty without
    item_effects: Mapping[str, float]  # item → how good outputs for it are; empty without

    scale: ClassVar[str] = "logit"
    assumes: ClassVar[str] = "judges who differ in cutpoints alone"

    def predict(self, rows: RatingRows, points: Array) -> Predicted:  # noqa: ARG002 - as others do
        """Predict scores by cutpoints of known judges and effects of known items.

        Effects that are new are averaged over their normal distribution; known ones are taken
        without their errors.
        """
        system = find_systems(self, rows)
        names, own = tuple(self.judge_cutpoints), [*self.judge_cutpoints.values(), self.cutpoints]
        judge = find_levels(names, rows, "judge")
        items = np.array([*self.item_effects.values(), 0.0])
        item = find_levels(tuple(self.item_effects), rows, "item")
        worth = self.estimate[system] + items[item]
        variance = np.where(judge < 0, self.sds["judge"] ** 2, 0.0) + self.sds["output"] ** 2
        variance += np.where(item < 0, self.sds["item"] ** 2, 0.0)
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        chances = np.zeros((rows.size, len(self.categories)))
        for node, weight in zip(nodes.tolist(), (weights / weights.sum()).tolist(), strict=True):
            shifted = (worth + np.sqrt(variance) * node)[:, None]
            below = 1 / (1 + np.exp(shifted - np.array(own)[judge]))
            chances += weight * np.diff(below, axis=1, prepend=0.0, append=1.0)
        values = np.array(self.categories)
        at = np.minimum(np.searchsorted(values, rows.score), len(values) - 1)
        given = np.where(values[at] == rows.score, chances[np.arange(rows.size), at], 0.0)
        with np.errstate(divide="ignore"):
            return Predicted(np.log(given), chances @ values)

    @property
    def df(self) -> float:
        return np.inf

    @property
    def chances(self) -> Array:
        """(K, C) probabilities of the categories by the common cutpoints, on the mean item."""
        below = 1 / (1 + np.exp(self.estimate[:, None] - self.cutpoints))
        return np.diff(below, axis=1, prepend=0.0, append=1.0)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        asked = {effect: sd for effect, sd in self.model.sds.items() if sd is not None}
        return tuple(f"{effect} sd {sd:g}" for effect, sd in asked.items())

    @property
    def tables(self) -> tuple[Table, ...]:
        ends = zip(pairwise(self.categories), self.cutpoints.tolist(), strict=True)
        cuts = [{"name": f"{low:g} | {high:g}", "cutpoint": cut} for (low, high), cut in ends]
        of_cuts = (Column("name", "between", "name"), Column("cutpoint", "logit", "two"))
        spread = [{"name": effect, "sd": sd} for effect, sd in self.sds.items()]
        of_spread = (Column("name", "effect", "name"), Column("sd", "sd", "two"))
        caption = "Standard deviations of effects (logits; spacing in logs)"
        return (
            tabulate_differences(self),
            Table("cutpoints", "Common cutpoints", of_cuts, tuple(cuts)),
            Table("effects", caption, of_spread, tuple(spread)),
        )

    @property
    def extras(self) -> dict[str, Any]:
        return {
            "loglik": self.loglik,
            # the normal distribution has no degrees of freedom
            "differences": [{**one.to_dict(), "df": None} for one in self.compare_all()],
            "sds": dict(self.sds),
            "categories": list(self.categories),
            "cutpoints": self.cutpoints.tolist(),
            "judge_cutpoints": {name: cuts.tolist() for name, cuts in self.judge_cutpoints.items()},
        }


@dataclass(frozen=True)
class Ordinal(RatingModel[OrdinalFit]):
    """Scores as ordered categories, with cutpoints of judges that are shrunk to common ones.

    Standard deviations are in logits; None is estimated, 0 leaves the effect out.

    Attributes:
        judge_sd: of how severe judges are.
        spacing_sd: of the logs of how wide their categories are.
        item_sd: of how good outputs for an item are.
        output_sd: of how good a system's output for an item is, beside that.

    >>> import polars as pl
    >>> import evenhand
    >>> table = {
    ...     "system": ["x"] * 19 + ["y"] * 21,
    ...     "score": [0] * 12 + [1] * 7 + [0] * 5 + [1] * 16,
    ... }
    >>> fit = evenhand.Ordinal().fit(evenhand.read(pl.DataFrame(table)))
    >>> fit.contrasts([("y", "x")])[0].estimate  # the log of the odds ratio, 16 · 12 / (7 · 5)
    1.7021473
    """

    judge_sd: float | None = None
    spacing_sd: float | None = None
    item_sd: float | None = None
    output_sd: float | None = None

    def __post_init__(self) -> None:
        for effect, sd in self.sds.items():
            if sd is not None and not 0 <= sd <= MAX_SD:
                raise UnknownOption(
                    f"{effect}_sd cannot be {sd}: it is a number of logits from 0 to {MAX_SD:g}"
                )

    @property
    def sds(self) -> dict[str, float | None]:
        """What is asked for, by effect."""
        return {effect: getattr(self, f"{effect}_sd") for effect in EFFECTS}

    def _fit(self, scores: ScoredRows) -> OrdinalFit:
        categories, category = np.unique(scores.score, return_inverse=True)
        category = category.reshape(-1)
        size, k = len(categories), len(scores.systems)
        if size > MAX_CATEGORIES:
            raise NotIdentified(
                f"the ordinal model takes at most {MAX_CATEGORIES} categories, and there are"
                f" {size:,} different scores",
                ["use --model adjusted or --model mixed, which take scores as numbers"],
            )
        if size < 2:
            raise NotIdentified("all scores are equal: there is nothing to rank by")
        # A direction in which no score becomes less likely has μ_s ≤ κ_c where s has category c,
        # and κ_c ≤ μ_s where it has c + 1. There is none but a shift of all of them if and only if
        # the graph of these relations is strongly connected.
        cells = np.unique(np.stack((scores.system, category), axis=1), axis=0)
        below, above = cells[cells[:, 1] < size - 1], cells[cells[:, 1] > 0]
        source = np.concatenate((below[:, 0], k + above[:, 1] - 1))
        target = np.concatenate((k + below[:, 1], above[:, 0]))
        group = strong_components(Graph(k + size - 1, source, target))[:k]
        if (group != group[0]).any():
            best = group == group[int(scores.means.argmax())]
            names = np.array(scores.systems)
            raise NotIdentified(
                "the ordinal model has no finite estimates: scores of"
                f" {listing(names[best].tolist(), 5)} do not overlap with those of"
                f" {listing(names[~best].tolist(), 5)}",
                ["collect more scores of each", "use --model adjusted or --model mixed"],
            )
        sds, notes = _choose(self.sds, scores.rows, size)
        design = _Design.of(scores, category, sds)
        with one_blas_thread():
            mode, chosen = _find_sds(design, sds)
        vcov = np.pad(mode.vcov, ((1, 0), (1, 0)))  # the first system is at 0
        centre, worths = np.eye(k) - 1 / k, design.worths(mode.at)
        common = replace(mode.at, border=np.where(design.constant, mode.at.border, 0.0))
        cutpoints = design.cut(mode.at, chosen)[0] - worths.mean()
        judges = np.unique(scores.rows.judge).tolist() if len(cutpoints) > 1 else []
        items = np.unique(scores.rows.item).tolist() if len(mode.at.items) > 1 else []
        fit = OrdinalFit(
            model=self,
            systems=scores.systems,
            estimate=worths - worths.mean(),
            vcov=centre @ vcov @ centre,
            counts=scores.counts,
            means=scores.means,
            notes=notes,
            loglik=mode.loglik,
            sds=chosen,
            categories=tuple(categories.tolist()),
            cutpoints=design.cut(common, chosen)[0][0] - worths.mean(),
            judge_cutpoints={
                scores.rows.judges[code]: own for code, own in zip(judges, cutpoints, strict=False)
            },
            item_effects={
                scores.rows.items[code]: chosen["item"] * effect
                for code, effect in zip(items, mode.at.items.tolist(), strict=False)
            },
        )
        return fit.mark_unlinked(find_unlinked(scores))

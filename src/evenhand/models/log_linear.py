"""A fitted log-linear model: estimates, covariance, goodness of fit, tests, and the next start.

What judge groups do to a fit is the order that each group gives, and tests of each covariate, one
dropped at a time (Dras 2015, eq. 2). The parameters that go are named, so that another test of the
same hypothesis may stand beside the likelihood ratio (docs/models/judge-effects.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp
from typing import Any, ClassVar, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Tally
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    listing,
    suggest,
)
from evenhand.models.base import (
    Codes,
    Coefficient,
    LRTest,
    ParametricFit,
    QuasiVariances,
    tabulate_coefficients,
)
from evenhand.models.design import (
    DENSE,
    Design,
    Owner,
    Places,
    find_independent,
    refuse_home,
    system_columns,
)
from evenhand.models.existence import THRESHOLDS
from evenhand.models.likelihood import BLOCK, MAX_ETA_STEP, Likelihood, TwoOutcomes
from evenhand.models.registry import LogLinearSettings, say_model
from evenhand.models.texts import say
from evenhand.numerics import Array, newton
from evenhand.numerics.distributions import chi2_tail, entropy_terms
from evenhand.numerics.newton import invert_positive, one_blas_thread
from evenhand.render.document import Column, Document, Finding, Table, say_tally, take_findings

# Fits of hundreds or thousands of systems, by products instead of inverses.
#
# Newton steps and contrasts come from conjugate gradients on the information as a Laplacian, in the
# sum-zero gauge: worths are known up to a constant, which is projected out. Up to some thousand
# systems the weights of pairs are a table, and a covariance is found when it is asked for; beyond
# that no K × K matrix is made.

# Which systems each entry of a pooled tally compares, as the structure of a (K, K) matrix.
#
# Entries stand in the order of their left system, then right, each pair once, so that their weights
# are the numbers of a matrix that need not be sorted again: a table of numpy where K is moderate,
# else a triangle of scipy whose product, with its transpose's, is all that is asked.

# Systems up to which the matrix of pairs is a table, however few pairs were compared
MAX_TABLED_SYSTEMS: Final = 1_000
# Cells of the table for each pair that was compared, beyond which it is too empty
MAX_CELLS_PER_PAIR: Final = 4


@dataclass(frozen=True, eq=False)
class Triangle:
    """A symmetric (K, K) matrix as the sum of a sparse one and its transpose."""

    half: Any

    def __matmul__(self, columns: Array) -> Array:
        return np.asarray(self.half @ columns + self.half.T @ columns)


Weights: TypeAlias = "Array | Triangle"  # A symmetric (K, K) matrix: the weight of every pair


@dataclass(frozen=True, eq=False)
class Pairs:
    design: Design  # a plain design, on a pooled tally
    dense: bool  # whether a K × K matrix may be made, where pairs fill it or nothing else solves

    @cached_property
    def tabled(self) -> bool:
        # sparse matrices are scipy's, whose import costs time of its own: small tables stay tables
        full = MAX_CELLS_PER_PAIR * len(self.design.left) >= self.size**2
        return self.dense and (self.size <= MAX_TABLED_SYSTEMS or full)

    @property
    def size(self) -> int:
        return self.design.size

    @cached_property
    def starts(self) -> Places:
        return np.searchsorted(self.design.left, np.arange(self.size + 1))

    @cached_property
    def _held(self) -> Places:
        """Left systems that have entries: a sum over none would be the next one's first."""
        return np.flatnonzero(np.diff(self.starts))

    @cached_property
    def _tables(self) -> tuple[Array, Array]:
        """Room for a triangle, zero where there are no entries, and for the whole."""
        shape = (self.size, self.size)
        return np.zeros(shape), np.empty(shape)

    def matrix(self, weights: Array) -> Weights:
        """Return the symmetric (K, K) matrix with these weights for left and right."""
        # a table is written over by the next one: to find new memory for it takes as long
        if self.tabled:
            half, whole = self._tables
            half.reshape(-1)[self.design.table_place] = weights
            return np.add(half, half.T, out=whole)
        from scipy import sparse

        starts, shape = self.starts.astype(np.int32), (self.size, self.size)
        return Triangle(sparse.csr_array((weights, self.design.right, starts), shape=shape))

    def differ(self, worths: Array, entries: slice) -> Array:
        left, right = self.design.ends
        return worths.take(left[entries]) - worths.take(right[entries])

    def sum_out(self, weights: Array) -> Array:
        """Sum entries onto systems, + for left and − for right: (K,)."""
        sums = np.zeros(self.size)
        sums[self._held] = np.add.reduceat(weights, self.starts[self._held])
        sums -= np.bincount(self.design.ends[1], weights, minlength=self.size)
        return sums


@dataclass(frozen=True, eq=False)
class Level:
    """The log-likelihood to second order: sums over entries, or (C,) where systems sum them."""

    value: float  # log-likelihood (nats)
    gradient: Array  # (K + extras,) derivatives by λ, t and δ
    tie_tie: float  # minus the second derivative by t
    eta: Array  # (C,) derivatives by η
    eta_eta: Array  # (C,) minus the second derivatives by η; likewise `eta_tie`
    eta_tie: Array  # see eta_eta


def expand_level(
    likelihood: Likelihood, pairs: Pairs, at: Array, into: Level | None = None
) -> Level:
    """Return the log-likelihood to second order at given worths (K), t and δ."""
    law, counts, n = likelihood.law, likelihood.counts, len(likelihood.counts)
    tie = float(at[pairs.size]) if law.free else 0.0
    order = float(at[-1]) if likelihood.order_effect else 0.0
    rows = np.empty((3, n)) if into is None else (into.eta, into.eta_eta, into.eta_tie)
    sums = np.zeros(3)
    for first in range(0, n, BLOCK):
        block = slice(first, min(first + BLOCK, n))
        eta = pairs.differ(at[: pairs.size], block)
        part = law.expand(eta + order if order else eta, tie, counts[block])
        sums += part.value.sum(), part.tie.sum(), part.tie_tie.sum()
        for row, values in zip(rows, (part.eta, part.eta_eta, part.eta_tie), strict=True):
            row[block] = values
    value, by_tie, by_ties = sums.tolist()
    by_order = [rows[0].sum()] * likelihood.order_effect
    gradient = np.concatenate([pairs.sum_out(rows[0]), [by_tie] * law.free, by_order])
    return Level(value, gradient, by_ties, *rows)


# The information of the pairs, as a product with columns, and what is solved with it.

MAX_STEPS: Final = 100
# Longest step in λ, t and δ that is the last: what it leaves is of the order of its square
MAX_LAST_STEP: Final = 1e-6
# Relative residual of a solution b of A x = b: bᵀx is then wrong by its square, relative to bᵀx
# and times the condition number, which is below 1e9 for a chain of thousands of systems
RESIDUAL: Final = 1e-8
# Systems for each iteration before a table is solved directly: both have then cost the same
SYSTEMS_PER_ITERATION: Final = 16
CONTRASTS_AT_ONCE: Final = 16  # Contrasts solved at once: the matrix is read once for all of them


@dataclass(frozen=True, eq=False)
class PairInformation:
    """Minus the second derivatives by λ (K, sum-zero), t and δ, as a product with columns."""

    degree: Array  # (K,) diagonal of the Laplacian
    weights: Weights  # (K, K) what it has off the diagonal, negated
    border: Array  # (K, extras) derivatives by λ and the extra parameters
    corner: Array  # (extras, extras)
    # whether a K × K matrix may be made, to solve directly where iterations do not settle
    dense: bool

    def __matmul__(self, columns: Array) -> Array:
        k = len(self.border)
        worths, extras = columns[:k], columns[k:]
        top = self.degree[:, None] * worths
        top -= self.weights @ worths
        top += self.border @ extras
        return np.concatenate([top, self.border.T @ worths + self.corner @ extras])

    def solve(self, right: Array, tolerance: float = RESIDUAL) -> Array:
        """Solve for (K + extras, n) columns, with the sum-zero gauge on λ."""
        right = self._project(right.copy())
        diagonal, few = np.diag(self.corner), len(self.border) // SYSTEMS_PER_ITERATION
        solved = newton.solve_columns(
            self.__matmul__,
            right,
            np.concatenate([self.degree, diagonal]),
            project=self._project,
            tolerance=tolerance,
            limit=few if self.dense else newton.MAX_ITERATIONS,
        )
        if solved is not None:
            return solved
        if not self.dense:
            raise NotConverged(
                "conjugate gradients did not settle: some systems are linked by very few"
                " judgments; collect more between them"
            )
        # the matrix itself, made positive definite along equal worths
        if isinstance(weights := self.weights, np.ndarray):
            table = weights
        else:
            half = weights.half.toarray()
            table = np.asarray(half + half.T)
        laplacian = self.degree.mean() / len(table) - table
        laplacian[np.diag_indices(len(table))] += self.degree
        whole = np.block([[laplacian, self.border], [self.border.T, self.corner]])
        try:
            return self._project(np.asarray(np.linalg.solve(whole, right)))
        except np.linalg.LinAlgError as error:
            raise NotConverged(newton.SINGULAR) from error

    def _project(self, columns: Array) -> Array:
        worths = columns[: len(self.border)]
        worths -= worths.mean(axis=0)
        return columns


def make_information(likelihood: Likelihood, pairs: Pairs, level: Level) -> PairInformation:
    weights, ones = pairs.matrix(level.eta_eta), np.ones(likelihood.design.size)
    columns, corner = [], np.zeros((0, 0))
    if likelihood.law.free:
        columns.append(pairs.sum_out(level.eta_tie))
        corner = np.array([[level.tie_tie]])
    if likelihood.order_effect:
        columns.append(pairs.sum_out(level.eta_eta))
        cross = np.array([[level.eta_tie.sum()]])[:, : len(corner)]
        corner = np.block([[corner, cross.T], [cross, np.array([[level.eta_eta.sum()]])]])
    border = np.stack(columns, axis=1) if columns else np.zeros((len(ones), 0))
    return PairInformation(weights @ ones, weights, border, corner, pairs.dense)


def climb_pairs(
    likelihood: Likelihood, start: Array, *, dense: bool
) -> tuple[Array, float, int, float]:
    """Return the maximum of a plain design, its value, Newton steps and the last decrement."""
    if likelihood.design.matrix is not None or likelihood.prior > 0:
        raise UnknownOption(
            f"{likelihood.design.size:,} worths are too many for covariates or a prior: fit the"
            " plain model, or a part of the systems"
        )
    worths = likelihood.design.worths(start[: likelihood.n_worths])
    at = np.concatenate([worths - worths.mean(), start[likelihood.n_worths :]])
    pairs = Pairs(likelihood.design, dense)
    level = expand_level(likelihood, pairs, at)
    k, reference, room = likelihood.design.size, likelihood.design.reference, level

    def expand(point: Array) -> Level:
        return expand_level(likelihood, pairs, point, room)

    for taken in range(1, MAX_STEPS + 1):
        step = make_information(likelihood, pairs, level).solve(level.gradient[:, None])[:, 0]
        decrement = float(level.gradient @ step)
        if np.abs(step).max() <= MAX_LAST_STEP or decrement <= newton.LOST * abs(level.value):
            value = level.value + decrement / 2  # to third order in a step of 1e-6
            end = at + step
            worths = end[:k] - end[reference]
            beta = np.concatenate([worths[:reference], worths[reference + 1 :], end[k:]])
            return beta, value, taken, decrement
        apart = np.abs(pairs.differ(step[:k], slice(None))).max()  # of systems that were compared
        moved_by = max(float(apart), *np.abs(step[k:]).tolist(), 1e-300)
        length = min(1.0, MAX_ETA_STEP / moved_by)
        least = level.value - newton.NEWTON_ROUNDING * (1 + abs(level.value))
        rate = newton.MIN_NEWTON_GAIN * length * decrement
        halvings = newton.MAX_NEWTON_HALVINGS
        moved = newton.backtrack(expand, at, length * step, (least, rate), halvings)
        if moved is None:
            break
        at, level = moved
    # a prior is for systems whose matrix is made
    raise NotConverged(newton.STUCK, newton.REMEDIES[: 2 if k <= DENSE else 1])


DOUBTFUL: Final = 0.05  # P-value below which a model is doubted
# Share of cells that expect fewer than five judgments, above which p-values are rough
MAX_THIN_SHARE: Final = 0.2
MAX_QUASI: Final = 60  # Most systems for which quasi-variances are shown: their fit costs K⁴


def cautions(fit: Fit) -> tuple[Finding, ...]:
    if fit.tally.squares is not None:
        return (say("importance-weights", "warning"),)
    return (say("of-rankings", "warning"),) if fit.of_rankings else ()


# What a fit holds: estimates with covariance, how well they fit, and predictions.
#
# It is on the papers' λ scale; log-worth = 2λ is natural log-odds, worth π = exp(2λ) / Σ exp(2λ).

MIN_EXPECTED_COUNT = 5.0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fit(ParametricFit):
    model: LogLinearSettings  # the settings
    beta: Array  # parameters as the likelihood takes them
    dense: bool  # whether they have a covariance; K may be too large to form it
    # the inverse of the information, where it has been found already: worths alone need none
    inverse: Array | None
    df: int  # residual degrees of freedom, over cells that exist
    steps: int  # Newton steps
    decrement: float  # Newton decrement squared at the end
    likelihood: Likelihood  # design, tie law and counts
    tally: Tally  # the pooled counts

    # whether every comparison is a cell of its own, as with controls
    by_row: ClassVar[bool] = False

    @property
    def design(self) -> Design:
        return self.likelihood.design

    @property
    def groups(self) -> tuple[str, ...]:
        """Judge groups with parameters of their own; ("",) where all judges are one group."""
        ties = self.likelihood.ties
        return self.design.groups if ties is None else ties.groups

    @cached_property
    def vcov(self) -> Array | None:
        """(p, p) model-based covariance of `estimate`, or None where K is too large to form it."""
        if not self.dense:
            return None
        matrix, at = self.raw_vcov, self.likelihood.n_worths
        if "tau" not in self.names[at:]:
            return matrix
        scale = np.ones(len(matrix))
        scale[at] = self.estimate[at]  # from log τ to τ, by the delta method
        matrix = matrix * scale * scale[:, None]
        matrix.flags.writeable = False
        return matrix

    @cached_property
    def deviance(self) -> float:
        """Twice what the saturated model gains in log-likelihood (nats)."""
        counts = self.likelihood.counts
        saturated = entropy_terms(counts).sum() - entropy_terms(counts.sum(axis=1)).sum()
        return max(2 * (float(saturated) - self.loglik), 0.0)

    @cached_property
    def _rows(self) -> Array:
        """(K, p) λ of every system by the reported parameters, in the reference group."""
        rows = self.design.rows()
        return np.pad(rows, ((0, 0), (0, len(self.names) - rows.shape[1])))

    @cached_property
    def log_worth(self) -> Array:
        """(K,) log-worth (natural log-odds), the reference at 0, in the reference group."""
        if self.design.matrix is None:
            return 2 * self.design.worths(self.beta[: len(self.design.names)])
        return np.asarray(2 * (self._rows @ self.estimate))

    @cached_property
    def worth_vcov(self) -> Array:
        if self.vcov is None:
            raise NotIdentified(
                f"{len(self.systems):,} systems are too many for a K × K covariance: ask for"
                " contrasts of named systems, fit.contrasts([('a', 'b')])"
            )
        return self.to_worth(self.vcov)

    def to_worth(self, vcov: Array) -> Array:
        """Turn any (p, p) covariance of the parameters into (K, K) of `log_worth`."""
        if self.design.matrix is not None:
            return np.asarray(4 * self._rows @ vcov @ self._rows.T)
        k, reference = len(self.systems), self.design.reference
        worths = np.zeros((k, k))
        # places of the systems before and after the reference: of worths, and of parameters
        sides = [(slice(reference),) * 2, (slice(reference + 1, k), slice(reference, k - 1))]
        for rows, vcov_rows in sides:
            for columns, vcov_columns in sides:
                np.multiply(vcov[vcov_rows, vcov_columns], 4.0, out=worths[rows, columns])
        return worths

    @cached_property
    def raw_vcov(self) -> Array:
        """(p, p) covariance of `beta`: as `vcov`, but with thresholds as log τ; raises likewise."""
        if not self.dense:
            raise NotIdentified(f"{len(self.systems):,} systems are too many for a covariance")
        inverse, reported = self.inverse, self.likelihood.reported
        if inverse is None:
            with one_blas_thread():
                inverse = invert_positive(self.likelihood.expand(self.beta).information)
        matrix = inverse[:reported, :reported]
        matrix.flags.writeable = False
        return matrix

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        reference = None if self.model.system_covariates else self.design.reference
        return self.list_coefficients(self.vcov, reference)

    @property
    def n_parameters(self) -> int:
        """Number of parameters, those at −∞ included: the data chose them as well."""
        ties = self.likelihood.ties
        return len(self.names) + (0 if ties is None else len(ties.endless))

    @property
    def aic(self) -> float:
        return -2 * self.loglik + 2 * self.n_parameters

    @property
    def bic(self) -> float:
        """Schwarz's criterion, −2ℓ + p log n, of n independent judgments that the model takes."""
        ties, n = float(self.tally.ties.sum()), self.n_judgments
        if not self.of_rankings and self.tally.n_comparisons - self.n_comparisons == ties:
            n -= ties
        return float(-2 * self.loglik + self.n_parameters * np.log(n))

    @cached_property
    def expected(self) -> Array:
        """(C, cells) counts that the model expects, beside `observed`."""
        worths, tie, order, _ = self.likelihood.parts(self.beta)
        logs = self.likelihood.law.log_chances(self.likelihood.eta(worths, order), tie)
        totals = self.likelihood.counts.sum(axis=1, keepdims=True)
        return np.asarray((totals * np.exp(logs))[:, self._cells])

    @property
    def observed(self) -> Array:
        return self.likelihood.counts[:, self._cells]

    @property
    def _cells(self) -> list[int]:
        return [0, 2] if isinstance(self.likelihood.law, TwoOutcomes) else [0, 1, 2]

    @cached_property
    def pearson(self) -> float:
        return float(((self.observed - self.expected) ** 2 / self.expected).sum())

    @cached_property
    def thin(self) -> float:
        return float((self.expected < MIN_EXPECTED_COUNT).mean())

    @property
    def of_rankings(self) -> bool:
        return not self.tally.of_pairs

    @cached_property
    def gof_p(self) -> float | None:
        """P-value of the deviance; None where it is no χ² (half-wins, prior, rankings, no df)."""
        unlike = self.model.ties == "half-win" or self.model.prior or self.tally.squares is not None
        if self.df <= 0 or unlike or self.of_rankings:
            return None
        return chi2_tail(self.deviance, self.df)

    @cached_property
    def lr_test_equal_worths(self) -> LRTest | None:
        """Test of all worths being equal, in every group, beside the same γ and δ."""
        # importance weights and a prior leave no likelihood to test by
        if not self.dense or self.model.prior or self.tally.squares is not None:
            return None
        design = self.design
        equal = replace(design, names=(), labels=(), matrix=np.zeros((design.size, 0)))
        peak = replace(self.likelihood, design=equal).maximise()
        return LRTest.of(self.loglik, peak.expansion.value, len(design.names))

    def lr_test(self, other: Fit) -> LRTest:
        small, large = sorted((self, other), key=lambda fit: fit.n_parameters)
        if small.tally.fold().pool().digest != large.tally.fold().pool().digest:
            raise UnknownOption("a likelihood-ratio test needs two models of the same judgments")
        forms = {_name_outcomes(small), _name_outcomes(large)}
        if len(forms) > 1:
            raise UnknownOption(
                f"no likelihood-ratio test between {' and '.join(sorted(forms))}: they are not"
                " models of the same outcomes, so that their likelihoods cannot be compared"
            )
        if small.model.prior or large.model.prior:
            raise UnknownOption(
                "a likelihood-ratio test needs maximum likelihood: fit without a prior"
            )
        if small.tally.squares is not None:
            raise UnknownOption("importance weights have no likelihood: no likelihood-ratio test")
        df = large.n_parameters - small.n_parameters
        if df == 0:
            raise UnknownOption(
                "the two models have as many parameters: neither is a special case of the other"
            )
        beyond = _beyond(small, large)
        if beyond:
            raise UnknownOption(f"the models are not nested: only the smaller has {beyond}")
        return LRTest.of(large.loglik, small.loglik, df)

    def predict(self, pairs: Sequence[tuple[str, str]], *, group: str | None = None) -> Array:
        codes = self.codes(pairs).ravel().tolist()
        likelihood, ties = self.likelihood, self.likelihood.ties
        worths, tie, order, _ = likelihood.parts(self.beta)
        worth_group = None
        if group is not None:
            if group not in self.groups:
                hint = suggest(group, self.groups) or f" There are {listing(self.groups)}"
                raise InvalidJudgments(f"no judge group '{group}' in this fit.{hint}")
            worth_group = self.groups.index(group)
        if ties is not None:
            at = ties.home if worth_group is None else worth_group
            if at is None:
                raise refuse_home(ties.groups)
            worth_group, first = int(ties.worth_group[at]), likelihood.n_worths
            tie = float(ties.gammas(self.beta[first : first + likelihood.n_ties])[at])
        left, right = worths[self.design.nodes(worth_group, codes)].reshape(-1, 2).T
        return np.exp(likelihood.law.log_chances(left - right + order, tie))

    def predict_gaps(self, gaps: Array) -> Array | None:
        if self.likelihood.ties is not None:  # each group has a law of its own
            return None
        _, tie, order, _ = self.likelihood.parts(self.beta)
        law, eta = self.likelihood.law, gaps / 2
        left, right = (np.exp(law.log_chances(one + order, tie)) for one in (eta, -eta))
        return np.asarray((left + right[:, ::-1]) / 2)

    def contrast_variances(self, first: Codes, second: Codes) -> Array:
        if self.vcov is not None:
            return super().contrast_variances(first, second)
        at = np.concatenate([self.lambdas, self.beta[self.likelihood.n_worths :]])
        # A solution x by conjugate gradients of A x = c has cᵀx as large as it can be with the
        # directions it has seen, so that what is missing from it is of the square of what is
        # missing from x.
        likelihood = self.likelihood
        pairs = Pairs(likelihood.design, dense=False)
        variances = np.empty(len(first))
        with one_blas_thread():
            information = make_information(likelihood, pairs, expand_level(likelihood, pairs, at))
            for start in range(0, len(first), CONTRASTS_AT_ONCE):
                part = slice(start, start + CONTRASTS_AT_ONCE)
                left, right = first[part], second[part]
                columns, each = np.zeros((len(at), len(left))), np.arange(len(left))
                columns[left, each], columns[right, each] = 1.0, -1.0
                solved = information.solve(columns)
                variances[part] = 4 * (solved[left, each] - solved[right, each])
        return variances

    @property
    def says(self) -> tuple[Finding, ...]:
        sentences = []
        if len(self.systems) == 2:
            at = np.argsort(-self.log_worth, kind="stable")
            better, other = (self.systems[i] for i in at)
            odds = exp(self.log_worth[at[0]] - self.log_worth[at[1]])
            sentences.append(say("odds", better=better, other=other, odds=odds))
        test = self.lr_test_equal_worths
        if test is not None:
            code = "worths-differ" if test.p < DOUBTFUL else "worths-equal"
            sentences.append(say(code, statistic=test.statistic, df=test.df, p=test.p))
        return tuple(sentences) or (self.say_largest(),)

    @property
    def findings(self) -> tuple[Finding, ...]:
        findings = [*self.notes, *cautions(self)]
        if self.gof_p is not None:
            # Where cells expect few, the p-value of the deviance is far too small for data of the
            # model itself and Pearson's nearly right: there both must reject it.
            thin = self.thin > MAX_THIN_SHARE
            if self.gof_p < DOUBTFUL and (not thin or chi2_tail(self.pearson, self.df) < DOUBTFUL):
                findings.append(say("model-rejected", "warning"))
            if thin:
                findings.append(say("thin-cells", part=self.thin))
        if self.vcov is None:
            findings.append(say("too-many-systems", systems=len(self.systems)))
        home = self.design.home
        if self.model.judge_covariates and home is not None:
            findings.append(say("home-group", group=self.design.groups[home]))
        return take_findings(findings)

    def find_quasi_variances(self) -> QuasiVariances | None:
        """Return quasi-variances where there are three to sixty systems and they exist."""
        if self.vcov is None or len(self.systems) > MAX_QUASI:
            return None
        try:
            return self.quasi_variances()
        except (NotIdentified, NotConverged):
            return None

    def document(self) -> Document:
        row: dict[str, Any] = {"deviance": self.deviance, "df": self.df, "p": self.gof_p}
        tests: tuple[Column, ...] = ()
        if self.gof_p is not None:
            row |= {"pearson": self.pearson, "pearson_p": chi2_tail(self.pearson, self.df)}
            pearson = Column("pearson", "Pearson X²", ",.4f", priority=2)
            tests = (Column("p", "p", "p"), pearson, Column("pearson_p", "p", "p", priority=2))
        row |= {"loglik": self.loglik, "aic": self.aic, "bic": self.bic}
        columns = (
            Column("deviance", "deviance", ",.4f"),
            Column("df", "df", "count"),
            *tests,
            Column("loglik", "loglik", ",.4f"),
            Column("aic", "AIC", "two"),
            Column("bic", "BIC", "two"),
        )
        legend = ("the model is saturated",) if self.df == 0 else ()
        goodness = Table("goodness", "Goodness of fit", columns, (row,), legend=legend)
        numbers = self.tally.n_judgments, self.tally.n_comparisons
        counts = say_tally(*numbers, len(self.systems), float(self.tally.ties.sum()))
        reference = self.systems[self.design.reference]
        return Document(
            basis=f"{counts}. {say_model(self.model)}; reference {reference}. Standard errors and"
            " tests take judgments as independent.",
            answer=self.says,
            parts=(self._tabulate(), goodness),
            findings=self.findings,
        )

    def _tabulate(self) -> Table:
        known: dict[str, dict[str, Any]] = {}
        legend = []
        quasi = self.find_quasi_variances()
        if quasi is not None:
            if not (quasi.variances < 0).any():
                known["quasi"] = dict(zip(quasi.systems, quasi.stderr.tolist(), strict=True))
            ends = (quasi.worst_pair, *quasi.worst_contrast)
            pair, low, high = (f"{100 * one:z.0f}" for one in ends)
            worst = f"{pair} % for a pair, {low} to {high} % for a contrast"
            legend.append(f"quasi s.e. compare any two systems; worst error {worst}")
        with suppress(NotIdentified):  # the first of several groups may not see all systems
            known["worth"] = self.worths
        ties = self.likelihood.ties
        unknown = [*self.design.aliased, *(() if ties is None else ties.endless)]
        if unknown:
            legend.append(f"not estimated: {', '.join(unknown)}")
        return tabulate_coefficients(
            self.coefficients, self.systems, of_systems=known, legend=legend
        )

    @property
    def signature_parts(self) -> tuple[str, ...]:
        model = self.model
        return (
            model.ties,
            *(["order effect"] if model.order_effect else []),
            *(f"judge covariate {name}" for name in model.judge_covariates),
            *(f"tie covariate {name}" for name in model.tie_covariates),
            *(f"system covariate {name}" for name in model.system_covariates),
            *(f"control {name}" for name in model.controls),
            *([f"prior {model.prior:g} per system"] if model.prior else []),
        )


# Longest last step, in the units of `Likelihood.reach`: what it leaves is of its square
MAX_DIRECT_LAST_STEP: Final = 2e-4


def make_fit(
    model: LogLinearSettings,
    likelihood: Likelihood,
    tally: Tally,
    notes: tuple[str, ...],
    start: Array,
    *,
    dense: bool,
    products: bool,
) -> Fit:
    """Climb from a start: by matrices of all parameters, or by products where systems are many."""
    inverse = None
    if products:
        beta, loglik, steps, decrement = climb_pairs(likelihood, start, dense=dense)
    else:
        peak = likelihood.maximise(start, MAX_DIRECT_LAST_STEP)
        beta, steps, decrement = peak.at, peak.steps, peak.decrement
        inverse = invert_positive(peak.expansion.information)
        loglik = likelihood.loglik(beta) if likelihood.prior else peak.expansion.value
    # names of all reported parameters, in the papers' words and in the user's
    names, labels = [*likelihood.design.names], [*likelihood.design.labels]
    if likelihood.ties is not None:
        names += likelihood.ties.names
        labels += likelihood.ties.labels
    elif likelihood.law.free:
        names.append("tau" if model.ties in THRESHOLDS else "g1")
        labels.append("tie")
    if likelihood.order_effect:
        names.append("order")
        labels.append("order")
    estimate = beta[: len(names)].copy()
    if "tau" in names[likelihood.n_worths :]:
        estimate[likelihood.n_worths] = np.exp(estimate[likelihood.n_worths])
    return Fit(
        model=model,
        systems=tally.systems,
        names=tuple(names),
        labels=tuple(labels),
        estimate=estimate,
        beta=beta,
        dense=dense,
        inverse=inverse,
        loglik=loglik,
        df=likelihood.cells - len(names),
        n_judgments=tally.n_judgments,
        n_comparisons=float(likelihood.counts.sum()),
        steps=steps,
        decrement=decrement,
        notes=notes,
        likelihood=likelihood,
        tally=tally,
    )


# Likelihood-ratio tests, and which models may be compared by one.
#
# The smaller model must be a special case of the larger, and both of the same outcomes of the same
# judgments. Whether one is a special case is asked of what the parameters span, not of their names:
# another reference system or level makes no other model.


def _name_outcomes(fit: Fit) -> str:
    ties = fit.model.ties
    if ties == "none":
        return "three outcomes"
    if not fit.tally.ties.any():
        return "probits" if ties == "glenn-david" else "two outcomes"
    return "three outcomes" if ties == "davidson" else f"ties={ties}"


def _beyond(small: Fit, large: Fit) -> str:
    """Name what the smaller model can express and the larger cannot; empty if there is nothing."""
    if small.likelihood.law.free and not large.likelihood.law.free:
        return "a tie parameter"
    if small.likelihood.order_effect and not large.likelihood.order_effect:
        return "an order effect"
    for setting in ("controls", "judge_covariates", "tie_covariates"):
        known: tuple[str, ...] = getattr(large.model, setting)
        lost = [name for name in getattr(small.model, setting) if name not in known]
        if lost:
            return f"{setting.removesuffix('s').replace('_', ' ')} {lost[0]}"
    if not large.model.system_covariates:
        return ""
    # the first system covariate that is no sum of the larger model's
    names, _, columns = system_columns(small.systems, 0, small.model.system_covariates)
    known_columns = system_columns(large.systems, 0, large.model.system_covariates)[2]
    together = np.concatenate([known_columns, columns], axis=1)
    independent = find_independent(together, np.zeros(len(columns), dtype=np.int32))
    fresh = independent[known_columns.shape[1] :]
    if not fresh.any():
        return ""
    return names[int(np.argmax(fresh))] if small.model.system_covariates else "free worths"


# Where the iteration starts when there was a fit before: where that one ended.


def take_fit(start: Any) -> Fit:
    fit = getattr(start, "fit", start)
    if isinstance(fit, Fit):
        return fit
    raise UnknownOption(
        f"start cannot be of type {type(start).__name__}: it is an earlier fit of the Bradley-Terry"
        " model, or a ranking by one"
    )


def choose_start(likelihood: Likelihood, previous: Fit) -> Array:
    """Return the parameters to start from: the previous ones, if they fit better than the usual."""
    # Carried over by name; new systems in the middle, what else is new as usual. A day's judgments
    # move an estimate little, so that one or two Newton steps do; the maximum is the same one.
    usual = likelihood.start()
    beta, design, at = usual.copy(), likelihood.design, likelihood.n_worths
    if design.matrix is None:
        centred = (previous.log_worth - previous.log_worth.mean()) / 2
        known = dict(zip(previous.systems, centred.tolist(), strict=True))
        worths = np.array([known.get(system, 0.0) for system in design.systems])
        beta[:at] = design.pull(worths - worths[design.reference])
    else:
        known = dict(zip(previous.labels, previous.beta.tolist(), strict=False))
        beta[:at] = [known.get(label, 0.0) for label in design.labels]
    before, n = previous.likelihood, likelihood.n_ties
    if likelihood.ties is None and before.ties is None and type(before.law) is type(likelihood.law):
        beta[at : at + n] = previous.beta[before.n_worths :][: before.n_ties][:n]
    if likelihood.order_effect and before.order_effect:
        beta[at + n] = previous.beta[before.n_worths + before.n_ties]
    return beta if likelihood.loglik(beta) > likelihood.loglik(usual) else usual


Kind = Literal["worths", "ties"]
REFERENCE: Final = "log-worths against {}"
COMMON: Final = "log-worths against the mean of the systems that all groups saw"
EACH_GROUPS: Final = (
    "log-worths against the mean of the systems that each group saw: no system is common"
)


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """That one covariate, or several together, make no difference."""

    covariates: tuple[str, ...]  # their names
    of: Kind  # whether worths or tie parameters are said not to depend on it
    fit: Fit  # the fit in which some parameters are then zero
    at: NDArray[np.intp]  # places of those parameters in `fit.estimate`
    lr: LRTest | None  # the likelihood-ratio test; None under a prior or importance weights
    # levels that never tied: their γ = −∞ is no place of the estimate, so that only the
    # likelihood ratio tests the hypothesis
    tieless: tuple[str, ...] = ()

    @property
    def covariate(self) -> str:
        """Their names, such as "native + age"."""
        return " + ".join(self.covariates)


@dataclass(frozen=True)
class GroupOrder:
    group: str  # its name
    # by system, natural log-odds; None for those that it never saw
    log_worth: Mapping[str, float | None]
    # by system, 1 is best, by estimate; None for those that it never saw
    place: Mapping[str, int | None]


def list_owners(fit: Fit) -> tuple[Owner, ...]:
    """Return covariate and level of every parameter of a fit; ("", "") without one."""
    likelihood = fit.likelihood
    worths = fit.design.owners or (("", ""),) * likelihood.n_worths
    ties = (("", ""),) * likelihood.n_ties if likelihood.ties is None else likelihood.ties.owners
    return (*worths, *ties, *((("", ""),) * likelihood.order_effect))


def find_hypotheses(fit: Fit) -> Iterator[Hypothesis]:
    kinds: list[tuple[Kind, tuple[str, ...]]] = [("worths", fit.model.judge_covariates)]
    kinds += [("ties", fit.model.tie_covariates)] if fit.likelihood.ties is not None else []
    for of, covariates in kinds:
        alone = [one for name in covariates for one in _drop(fit, (name,), of)]
        yield from alone
        for one in _drop(fit, covariates, of) if len(covariates) > 1 else ():
            if len(one.at) > max((len(each.at) for each in alone), default=0):
                yield one


def _drop(fit: Fit, dropped: tuple[str, ...], of: Kind) -> Iterator[Hypothesis]:
    ordered = fit.model.judge_covariates if of == "worths" else fit.model.tie_covariates
    others, full = tuple(name for name in ordered if name not in dropped), fit
    if fit.design.aliased and others and ordered[-1] not in dropped:
        # Of columns that say the same the earlier stay: only the last covariate's can be dropped
        # without the loss of what others say too.
        full = _with(fit.model, of, (*others, *dropped)).fit(fit.tally)
    likelihood = full.likelihood
    first, last = likelihood.n_worths, likelihood.n_worths + likelihood.n_ties
    span = range(first) if of == "worths" else range(first, last)
    owners = list_owners(full)
    at = np.array([i for i in span if owners[i][0] in dropped], dtype=np.intp)
    tieless: tuple[str, ...] = ()
    if of == "ties" and likelihood.ties is not None:
        endless = likelihood.ties.endless_owners
        tieless = tuple(level for name, level in endless if name in dropped)
    if len(at) or tieless:
        lr = None
        if not full.model.prior and full.tally.squares is None:
            lr = full.lr_test(_with(full.model, of, others).fit(full.tally))
        yield Hypothesis(dropped, of, full, at, lr, tieless)


def _with(model: LogLinearSettings, of: Kind, covariates: tuple[str, ...]) -> LogLinearSettings:
    judge = covariates if of == "worths" else model.judge_covariates
    ties = covariates if of == "ties" else model.tie_covariates
    references = {name: one for name, one in model.references.items() if name in (*judge, *ties)}
    return replace(model, judge_covariates=judge, tie_covariates=ties, references=references)


def order_groups(fit: Fit) -> tuple[tuple[GroupOrder, ...], str]:
    """Return the order that each judge group gives, and what the log-worths are against."""
    # the reference system is 0 in every group if all of them saw it
    design, k = fit.design, len(fit.systems)
    worth = np.full((len(design.groups), k), np.inf)
    worth[design.group, design.system] = 2 * fit.likelihood.parts(fit.beta)[0]
    seen = np.isfinite(worth)
    common = seen.all(axis=0)
    if common[design.reference]:
        zero, against = worth[:, design.reference], REFERENCE.format(fit.systems[design.reference])
    elif common.any():
        zero, against = worth[:, common].mean(axis=1), COMMON
    else:
        zero = np.array([row[held].mean() for row, held in zip(worth, seen, strict=True)])
        against = EACH_GROUPS
    worth -= zero[:, None]
    orders = []
    for group, row, held in zip(design.groups, worth, seen, strict=True):
        places = 1 + (row[None, held] > row[:, None]).sum(axis=1)
        rows = list(zip(fit.systems, row.tolist(), places.tolist(), held.tolist(), strict=True))
        log_worth = {system: value if known else None for system, value, _, known in rows}
        place = {system: at if known else None for system, _, at, known in rows}
        orders.append(GroupOrder(group, log_worth, place))
    return tuple(orders), against

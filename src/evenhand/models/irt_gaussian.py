"""The Gaussian item-response model: systems have abilities, outputs qualities, judges noise.

    μ_s ~ N(0, σ_0²)                      ability of system s
    q_i ~ N(μ_s(i), σ_a²)                 quality of output i
    D   ~ N(q_i − q_j, 2σ_obs²)           difference that a judge perceives between outputs i and j
    left where D ≥ r, right where D ≤ −r, no preference between

Source: Hopkins & May (2013), Models of Translation Competitions, ACL, section 7. When not to use
it: docs/models/irt-gaussian.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.controls import Judgments, takes_judgments
from evenhand.data.votes import RIGHT, TIE
from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.models.base import Codes, Coefficient, Posterior, difference_variances
from evenhand.models.irt_outputs import Chains, note_parts, pair_outputs
from evenhand.models.texts import say
from evenhand.numerics import Array, Integers
from evenhand.numerics.distributions import draw_above, draw_between, normal_quantile
from evenhand.numerics.gaussian_process import invert_all, make_blocks
from evenhand.numerics.newton import one_blas_thread, solve_columns
from evenhand.numerics.sampling import bulk_size, split_r_hat
from evenhand.render.document import Finding

# Chances of left, tie and right for two outputs that nobody has seen, averaged over a posterior.
#
# Given the differences that judges perceived, abilities are Gaussian with mean m and covariance S,
# and so is the difference of two new outputs of s and t that is perceived next:
#
# Δ = m_s − m_t,   V = 2σ_a² + 2σ_obs² + S_ss + S_tt − 2S_st
# P(left) = Φ((Δ − r)/√V),   P(right) = Φ((−r − Δ)/√V),   P(tie) = the rest
#
# S is the same for every sweep; only m changes. So chances are averages of exact ones given the
# differences (Rao-Blackwell), which wander less than chances given drawn abilities.


MAX_NUMBERS_AT_ONCE: Final = 500_000  # Numbers that are looked at together
# Draws times pairs beyond which evenly spaced draws stand for all
MAX_AVERAGED_CHANCES: Final = 200_000_000


def chance_beyond(draws: Array, codes: Codes, variance: Array, radius: float) -> Array:
    """Return (P, 2) chances of a difference above r, and below −r, averaged over draws."""
    from scipy.special import ndtr

    if len(draws) * len(codes) > MAX_AVERAGED_CHANCES:
        draws = draws[:: -(-len(draws) * len(codes) // MAX_AVERAGED_CHANCES)]
    beyond = np.empty((len(codes), 2))
    step = max(1, MAX_NUMBERS_AT_ONCE // max(1, len(draws)))
    for start in range(0, len(codes), step):
        part = slice(start, start + step)
        gap = draws[:, codes[part, 0]] - draws[:, codes[part, 1]]
        sd = np.sqrt(variance[part])
        beyond[part, 0] = ndtr((gap - radius) / sd).mean(axis=0)
        beyond[part, 1] = ndtr((-radius - gap) / sd).mean(axis=0)
    return beyond


def all_pairs(k: int) -> Codes:
    return np.stack(np.triu_indices(k, 1), axis=1)


# Abilities and qualities given the latent differences: a Gaussian whose precision never changes.
#
# For comparison c of outputs a and b, D_c = q_a − q_b + noise of variance v = 2σ_obs². With X (C,
# N) of +1 and −1, Z (N, K) that says who made an output, and abilities μ, qualities q:
#
# q | D, μ ~ N(A⁻¹ (Zμ/σ_a² + XᵀD/v), A⁻¹),   A = I/σ_a² + XᵀX/v
# μ | D ~ N(S T D, S),   T = ZᵀA⁻¹Xᵀ/(v σ_a²),   S⁻¹ = I/σ_0² + T X Z
#
# A falls into blocks, one for outputs that comparisons join (those of one item); blocks are
# inverted once. Where that would take more numbers than it saves, conjugate gradients solve with A
# instead. Draws of q perturb the right-hand side: A⁻¹ (e₁/σ_a + Xᵀe₂/√v) ~ N(0, A⁻¹) for standard
# normal e.
#
# Source: Gelman, Carlin, Stern et al. (2013), Bayesian Data Analysis, chapter 15, for the joint
# draw; Papandreou & Yuille (2010), Gaussian sampling by local perturbations, NIPS 23, for the
# perturbation.


# Numbers of the inverse for each output and comparison, beyond which iterations are cheaper
MAX_INVERSE_RATIO: Final = 60
# Relative residual of iterations: far below what chance does to any draw
_MAX_RESIDUAL: Final = 1e-10
_COLUMNS_AT_ONCE: Final = 64


@dataclass(frozen=True, eq=False)
class Inverse:
    """A⁻¹ itself, as a sparse matrix of blocks."""

    matrix: Any  # (N, N) sparse A⁻¹
    sums: Any  # (K, N) sparse ZᵀA⁻¹

    def solve(self, right: Array) -> Array:
        return np.asarray(self.matrix @ right)

    def total(self, right: Array) -> Array:
        """Return (K, c) sums over the outputs of each system, ZᵀA⁻¹ times right-hand sides."""
        return np.asarray(self.sums @ right)

    def total_sparse(self, right: Any) -> Array:
        """Return the same, (K, K), of (N, K) sparse right-hand sides."""
        return np.asarray((self.sums @ right).toarray())


@dataclass(frozen=True, eq=False)
class Iterations:
    """A alone, solved by conjugate gradients for all columns at once."""

    matrix: Any  # (N, N) sparse A
    collect: Any  # (K, N) sparse Zᵀ

    def solve(self, right: Array) -> Array:
        diagonal = self.matrix.diagonal()
        solution = solve_columns(self.matrix.__matmul__, right, diagonal, tolerance=_MAX_RESIDUAL)
        if solution is None:
            raise NotConverged(
                "qualities of outputs could not be solved for",
                ["take an item_sd and a noise_sd that differ less"],
            )
        return solution

    def total(self, right: Array) -> Array:
        return np.asarray(self.collect @ self.solve(right))

    def total_sparse(self, right: Any) -> Array:
        starts, step = range(0, right.shape[1], _COLUMNS_AT_ONCE), _COLUMNS_AT_ONCE
        parts = [self.total(right[:, start : start + step].toarray()) for start in starts]
        return np.concatenate(parts, axis=1)


@dataclass(frozen=True, eq=False)
class GivenDifferences:
    """Abilities and qualities given differences; see the head of this file."""

    differ: Any  # (C, N) sparse X
    author: Integers  # (N,) number of the system that made each output
    model: IRTGaussian  # the settings: σ_0, σ_a, √v and r
    decided: int  # number of comparisons with a preference, which come first
    solver: Inverse | Iterations  # what solves with A
    ability_vcov: Array  # (K, K) covariance S of abilities, the same for any differences


def make_posterior(
    model: IRTGaussian, k: int, author: Integers, sides: tuple[Integers, Integers], decided: int
) -> GivenDifferences:
    """Prepare what does not depend on differences; (C,) sides: preferred, other."""
    from scipy import sparse

    c, n = len(sides[0]), len(author)
    signs = np.repeat([1.0, -1.0], c)
    rows = np.tile(np.arange(c), 2)
    differ = sparse.csr_array((signs, (rows, np.concatenate(sides))), shape=(c, n))
    made = sparse.csr_array((np.ones(n), (np.arange(n), author)), shape=(n, k))
    # the inverse of A where it is small, else A
    blocks = make_blocks(n, *(side.astype(np.intp) for side in sides))
    collect = made.T.tocsr()
    if sum(batch.size * batch.width**2 for batch in blocks.batches) <= MAX_INVERSE_RATIO * (n + c):
        weights, parts = np.full(len(blocks.order), model.difference_sd**-2), []
        for batch in blocks.batches:
            values, _ = invert_all(batch.precision(weights[batch.entries], model.item_sd**-2))
            slot = np.arange(batch.nodes.start, batch.nodes.stop).reshape(batch.size, batch.width)
            across = np.repeat(slot, batch.width, axis=1), np.tile(slot, (1, batch.width))
            parts.append([each.reshape(-1) for each in (values, *across)])
        node = np.full(blocks.slots, -1, dtype=np.int64)
        node[blocks.place] = np.arange(n)
        held, row, column = (np.concatenate(each) for each in zip(*parts, strict=True))
        row, column = node[row], node[column]
        real = (row >= 0) & (column >= 0)  # blocks were filled up to one width
        inverse = sparse.csr_array((held[real], (row[real], column[real])), shape=(n, n))
        solver: Inverse | Iterations = Inverse(inverse, (collect @ inverse).tocsr())
    else:
        ridge = sparse.eye_array(n, format="csr") / model.item_sd**2
        precision = (ridge + differ.T @ differ / model.difference_sd**2).tocsr()
        solver = Iterations(precision, collect)
    shared = solver.total_sparse(differ.T.tocsr() @ (differ @ made))
    information = shared / (model.difference_sd * model.item_sd) ** 2
    precision_of_abilities = np.eye(k) / model.ability_sd**2 + (information + information.T) / 2
    (vcov,), _ = invert_all(precision_of_abilities[None])
    return GivenDifferences(differ, author, model, decided, solver, vcov)


# Gibbs sampling of the Gaussian item-response model: differences, then everything else at once.
#
# A sweep draws the difference that each judge perceived, given qualities and the answer: beyond the
# radius on the side of what was preferred, within it for no preference. Given differences,
# abilities and qualities are jointly Gaussian and drawn as one, so that
# neither the common place of all abilities nor that of a system's outputs is a slow direction.
#
# Source: Hopkins & May (2013), section 7; Albert & Chib (1993), JASA 88:669-679, for differences as
# latent data.

START_SPREAD: Final = 2.0  # How much farther apart than under the prior chains start


def walk(
    posterior: GivenDifferences, chains: int, rng: np.random.Generator
) -> Iterator[tuple[Array, Array, Array]]:
    """Yield (K, c) E[μ | D], draws of μ, and (N, c) of qualities of every sweep, without end."""
    model, author, at = posterior.model, posterior.author, posterior.decided
    item, noise, solver = model.item_sd, model.difference_sd, posterior.solver
    gather = posterior.differ.T.tocsr()
    root = np.linalg.cholesky(posterior.ability_vcov)
    # chains start farther apart than the prior
    abilities = START_SPREAD * model.ability_sd * rng.standard_normal((len(root), chains))
    qualities = abilities[author] + item * rng.standard_normal((len(author), chains))
    while True:
        centre = np.asarray(posterior.differ @ qualities)
        differences = np.empty_like(centre)
        differences[:at] = draw_above(rng, centre[:at], noise, model.radius)
        differences[at:] = draw_between(rng, centre[at:], noise, model.radius)
        sums = solver.total(np.asarray(gather @ differences))
        means = np.asarray(posterior.ability_vcov @ sums / (noise * item) ** 2)
        abilities = np.asarray(means + root @ rng.standard_normal(means.shape))
        prior = abilities[author] + item * rng.standard_normal(qualities.shape)
        moved = differences + noise * rng.standard_normal(differences.shape)
        qualities = solver.solve(prior / item**2 + np.asarray(gather @ moved) / noise**2)
        yield means, abilities, qualities


# Qualities of outputs are not kept: there are as many as outputs in every sweep, and given the
# differences abilities are known without them.

LEVEL: Final = 0.95
_MAX_DRAWS_FOR_VCOV: Final = 1_000  # Most draws that the covariance of log-worths is taken from


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class IRTGaussianFit(Posterior):
    model: IRTGaussian  # the settings
    means: Array  # (chains, draws, K) E[μ | D] of every sweep, in the order of the systems' names
    drawn: Array  # (chains, draws, K) draws of μ
    vcov_given: Array  # (K, K) covariance of μ given D, the same for every sweep
    n_outputs: int  # outputs that were judged

    scale = "ability"
    order_scale = "ability"

    @cached_property
    def flat_means(self) -> Array:
        return self.means.reshape(-1, len(self.systems))

    @property
    def ability_draws(self) -> Array:
        return self.drawn.reshape(-1, len(self.systems))

    @property
    def order_draws(self) -> Array:
        return self.ability_draws

    @property
    def abilities(self) -> Array:
        """(K,) posterior means of μ less their mean: only differences are in the data."""
        mean = self.flat_means.mean(axis=0)
        return np.asarray(mean - mean.mean())

    @cached_property
    def ability_vcov(self) -> Array:
        # that given D, and that of its means over D
        vcov = self.vcov_given + np.cov(self.flat_means, rowvar=False)
        centre = np.eye(len(self.systems)) - 1 / len(self.systems)
        return np.asarray(centre @ vcov @ centre)

    @property
    def ability_sd(self) -> Array:
        return np.sqrt(np.diag(self.ability_vcov))

    @cached_property
    def _contrasts(self) -> tuple[Array, Array]:
        """(chains, kept, K) draws and means of abilities less the mean of all."""
        # draws wander freely around means that may hardly move, so both are asked
        drawn, means = self.drawn, self.means
        return drawn - drawn.mean(axis=2, keepdims=True), means - means.mean(axis=2, keepdims=True)

    @cached_property
    def r_hat(self) -> Array:
        """(K,) split R̂ of each ability less the mean of all; that of draws or of means."""
        drawn, mean = self._contrasts
        return np.maximum(split_r_hat(drawn), split_r_hat(mean))

    @cached_property
    def effective_draws(self) -> Array:
        """(K,) effective number of draws of the same, the smaller of the two."""
        drawn, mean = self._contrasts
        return np.minimum(bulk_size(drawn), bulk_size(mean))

    @cached_property
    def better(self) -> Array:
        """(K, K) chance that the ability of the row's system is above that of the column's."""
        k = len(self.systems)
        pairs = all_pairs(k)
        variance = difference_variances(self.vcov_given, *pairs.T)
        above, below = chance_beyond(self.flat_means, pairs, variance, 0.0).T
        better = np.full((k, k), 0.5)
        better[pairs[:, 0], pairs[:, 1]] = above
        better[pairs[:, 1], pairs[:, 0]] = below
        return better

    @cached_property
    def _ranks(self) -> NDArray[np.intp]:
        """(S, K) rank of each system in each draw, 1 for the most able."""
        order = np.argsort(-self.ability_draws, axis=1)
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(1, order.shape[1] + 1)[None], axis=1)
        return ranks

    @cached_property
    def rank_chances(self) -> Array:
        """(K, K) chance that the row's system has rank 1, 2, ... by ability."""
        k = len(self.systems)
        cells = self._ranks - 1 + k * np.arange(k)
        counts = np.bincount(cells.reshape(-1), minlength=k * k).reshape(k, k)
        return np.asarray(counts / len(self._ranks))

    def rank_ranges(self, level: float = LEVEL) -> NDArray[np.int64]:
        """Return (K, 2) best and worst rank, the tails beyond either together at most 1 − level."""
        share = (1 - level) / 2
        ends = np.quantile(self._ranks, (share, 1 - share), axis=0, method="inverted_cdf")
        return np.asarray(ends.T, dtype=np.int64)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        distinct = list(dict.fromkeys(pairs))
        codes = self.codes(distinct, apart=True)
        left, right = self.model.find_chances(self.flat_means, self.vcov_given, codes).T
        place = {pair: i for i, pair in enumerate(distinct)}
        rows = [place[pair] for pair in pairs]
        tie = np.maximum(1 - left - right, 0.0)  # at radius 0 rounding leaves less than nothing
        return np.stack((left, tie, right), axis=1)[rows]

    @cached_property
    def log_worth(self) -> Array:
        """(K,) mean over all systems of ln P(win)/P(loss) against them, 0 against itself."""
        k = len(self.systems)
        codes = all_pairs(k)
        logs = np.log(self.model.find_chances(self.flat_means, self.vcov_given, codes))
        odds = logs[:, 0] - logs[:, 1]
        sums = np.bincount(codes[:, 0], odds, k) - np.bincount(codes[:, 1], odds, k)
        return np.asarray(sums / k)

    @cached_property
    def worth_vcov(self) -> Array:
        """(K, K) covariance of the log-worths that drawn abilities imply."""
        from scipy.special import log_ndtr

        draws, k = self.ability_draws, len(self.systems)
        draws = draws[:: -(-len(draws) // _MAX_DRAWS_FOR_VCOV)]
        r, sd = self.model.radius, np.sqrt(self.model.output_variance)
        worths = np.empty(draws.shape)
        for i in range(k):
            gap = draws[:, [i]] - draws
            worths[:, i] = (log_ndtr((gap - r) / sd) - log_ndtr((-r - gap) / sd)).mean(axis=1)
        return np.atleast_2d(np.cov(worths, rowvar=False))

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        return self.list_means(self.abilities, self.ability_sd)

    def note_chains(self) -> tuple[Finding, ...]:
        return self.note_unmet("gaussian-not-converged", self.r_hat)

    @property
    def says(self) -> tuple[Finding, ...]:
        best, last = int(np.argmax(self.abilities)), int(np.argmin(self.abilities))
        model, chance = self.model, float(self.rank_chances[best, 0])
        scale = {"noise": model.noise_sd, "prior": model.ability_sd, "item": model.item_sd}
        chains = {"chains": model.chains, "draws": model.sweeps - model.burn_in}
        worth = {"r_hat": float(self.r_hat.max()), "effective": float(self.effective_draws.min())}
        return (
            say("most-able", chance=chance, **self._span(best)),
            say("least-able", **self._span(last)),
            say("gaussian-scale", "info", radius=model.radius, **scale),
            say("gaussian-chains", "info", **chains, **worth),
            say("judges-pooled"),
        )

    def _span(self, code: int) -> dict[str, Any]:
        at, half = self.abilities[code], normal_quantile((1 + LEVEL) / 2) * self.ability_sd[code]
        ends = {"value": at, "lower": at - half, "upper": at + half}
        return {"system": self.systems[code], **{name: float(one) for name, one in ends.items()}}

    @property
    def signature_parts(self) -> tuple[str, ...]:
        model = self.model
        scale = f"ability sd {model.ability_sd:g}", f"item sd {model.item_sd:g}"
        return (*scale, *self.sign_chains())

    @property
    def extras(self) -> Mapping[str, Any]:
        return {
            "abilities": self.abilities.tolist(),
            "ability_sd": self.ability_sd.tolist(),
            "best_chance": self.rank_chances[:, 0].tolist(),
            "rank_ranges": self.rank_ranges().tolist(),
            "r_hat": self.r_hat.tolist(),
            "effective_draws": self.effective_draws.tolist(),
            "highest_r_hat": float(self.r_hat.max()),
            "min_effective_draws": float(self.effective_draws.min()),
            "n_outputs": float(self.n_outputs),
        }


@dataclass(frozen=True)
class IRTGaussian(Chains):
    """Settings of a Gaussian item-response model; abilities are in units of `noise_sd`.

    Attributes:
        ability_sd: σ_0, how far abilities are from each other before anything is known.
        item_sd: σ_a, how far outputs of one system are from each other.
        noise_sd: σ_obs, how far what a judge perceives of an output is from its quality.
        radius: r, perceived difference below which nobody prefers anything.
        chains: chains, which start farther apart than the prior.
        sweeps: sweeps of each chain, burn-in with them.
        burn_in: sweeps that are excluded.
        seed: of all draws.

    >>> IRTGaussian.paper().sweeps
    200
    """

    ability_sd: float = 1.0
    item_sd: float = 0.5
    noise_sd: float = 1.0
    radius: float = 0.4
    chains: int = 4
    sweeps: int = 1000
    burn_in: int = 200
    seed: int = SEED

    def __post_init__(self) -> None:
        for name in ("ability_sd", "item_sd", "noise_sd"):
            if not 0 < getattr(self, name) < inf:
                raise UnknownOption(f"{name} cannot be {getattr(self, name)}: it is above 0")
        if not 0 <= self.radius < inf:
            raise UnknownOption(f"radius cannot be {self.radius}: it is 0 or more")
        self.check_chains()

    @property
    def difference_sd(self) -> float:
        """Standard deviation √v of a perceived difference around that of the qualities."""
        return self.noise_sd * 2**0.5

    @property
    def output_variance(self) -> float:
        """Variance 2σ_a² + 2σ_obs² of what is perceived between two new outputs."""
        return 2 * (self.item_sd**2 + self.noise_sd**2)

    def find_chances(self, means: Array, vcov: Array, codes: Codes) -> Array:
        """Return (P, 2) chances of first and second, by (S, K) means and (K, K) vcov of μ."""
        variance = difference_variances(vcov, *codes.T) + self.output_variance
        return chance_beyond(means, codes, variance, self.radius)

    @takes_judgments("data")
    def fit(self, data: Judgments) -> IRTGaussianFit:
        """Draw abilities and qualities given the comparisons.

        Args:
            data: comparisons or rankings. A tally that does not tell items apart takes every
                comparison for one of two outputs of its own, and a note says so.

        Raises:
            NotIdentified: nothing was compared, ties where the radius is 0, too many systems.
            InvalidJudgments: a value in the data that cannot be.
            UnknownOption: importance weights, or items that were merged.
        """
        pairs = pair_outputs(data)
        k = len(pairs.systems)
        if not self.radius and (ties := int((pairs.outcome == TIE).sum())):
            raise NotIdentified(
                f"{ties:,} comparisons without a preference, which cannot happen where radius is 0",
                ["take a radius above 0, such as .4", "leave them out"],
            )
        code, rng = pairs.code, np.random.default_rng(self.seed)
        draws = np.empty((2, self.sweeps - self.burn_in, k, self.chains))
        with one_blas_thread():
            # comparisons with a preference come first, in them the preferred output
            order = np.argsort(pairs.outcome == TIE, kind="stable")
            one, other = pairs.one[order], pairs.other[order]
            turned = pairs.outcome[order] == RIGHT
            sides = np.where(turned, other, one), np.where(turned, one, other)
            decided = int((pairs.outcome != TIE).sum())
            posterior = make_posterior(self, k, pairs.author, sides, decided)
            sweeps = islice(walk(posterior, self.chains, rng), self.burn_in, self.sweeps)
            for i, (means, abilities, _) in enumerate(sweeps):
                draws[:, i] = means, abilities
        means, abilities = np.ascontiguousarray(draws[:, :, code].transpose(0, 3, 1, 2))
        vcov = posterior.ability_vcov[np.ix_(code, code)]
        # the pairs of systems that were compared, by name, and their outcomes
        name = np.argsort(code)
        one, other = name[pairs.author[pairs.one]], name[pairs.author[pairs.other]]
        outcome = np.where(one > other, 2 - pairs.outcome, pairs.outcome)
        keys = np.minimum(one, other) * k + np.maximum(one, other)
        compared, at = np.unique(keys, return_inverse=True)
        counts = np.bincount(at.reshape(-1) * 3 + outcome, minlength=3 * len(compared))
        codes = np.stack((compared // k, compared % k), axis=1).astype(np.intp)
        # Σ ln P of the comparisons as the model predicts them, each with outputs of its own
        left, right = self.find_chances(means.reshape(-1, k), vcov, codes).T
        chances = np.stack((left, 1 - left - right, right), axis=1).reshape(-1)
        seen = counts > 0  # at radius 0 ties have chance 0, and none were seen
        return IRTGaussianFit(
            model=self,
            systems=pairs.systems,
            loglik=float((counts[seen] * np.log(chances[seen])).sum()),
            n_judgments=pairs.n_judgments,
            n_comparisons=float(counts.sum()),
            notes=(*pairs.notes, *note_parts(pairs)),
            means=means,
            drawn=abilities,
            vcov_given=vcov,
            n_outputs=len(pairs.author),
        )

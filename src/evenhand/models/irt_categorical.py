"""Outputs have qualities on a scale of Λ steps; judges see them with noise and compare.

    p_s ~ Dirichlet(α, …, α)              ability of system s, a distribution over 1..Λ
    q_i ~ p_s(i)                          quality of output i, which all its comparisons share
    o | q_i ∝ φ((o − q_i)/σ), o ∈ 1..Λ    what one judge sees of it in one comparison
    left preferred iff o − o' > r, right iff o' − o > r, else a tie

Source: Hopkins & May (2013), Models of translation competitions, ACL, section 7. When not to use
it: docs/models/irt-categorical.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice, pairwise
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import Openable, takes_judgments
from evenhand.data.rankings import Rankings
from evenhand.data.tally import Tally
from evenhand.data.votes import RIGHT, Votes
from evenhand.errors import UnknownOption
from evenhand.models.base import MAX_R_HAT, Coefficient, Posterior
from evenhand.models.irt_outputs import Chains, OutputPairs, note_parts, pair_outputs
from evenhand.models.texts import say
from evenhand.numerics import Array, Integers
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.newton import one_blas_thread
from evenhand.numerics.sampling import bulk_size, split_r_hat
from evenhand.render.document import Finding

# Qualities on a scale of Λ steps: how they are seen, and what is preferred then.
#
# N(o | a) ∝ φ((o − a)/σ),  o ∈ 1..Λ          (a quality a is seen as o)
# T(π | a, b) = Σ_{o, o'} N(o | a) N(o' | b) [o, o' mean π]
#
# π is left where o − o' > r, right where o' − o > r, else a tie. Source: Hopkins & May (2013),
# section 7; they write "lower than" the radius, by which radius 0 would know no ties.

Weights = NDArray[np.floating[Any]]

# Least chance of a preference for which single precision is safe
MIN_SINGLE_PRECISION_CHANCE: Final = 1e-12
# How small a product of chances may become before it is put back to 1
MIN_PRODUCT: Final = {np.dtype(np.float32): 1e-36, np.dtype(np.float64): 1e-250}


def noise_matrix(categories: int, noise_sd: float) -> Array:
    """Return (Λ, Λ) chances that a quality (row) is seen as each quality (column)."""
    steps = np.arange(categories, dtype=np.float64)
    density = np.exp(-(((steps[None, :] - steps[:, None]) / noise_sd) ** 2) / 2)
    return np.asarray(density / density.sum(axis=1, keepdims=True))


def preference_chances(noise: Array, radius: float) -> Array:
    """Return (3, Λ, Λ) chances T of left, tie, right by the qualities of left and right."""
    steps = np.arange(len(noise))
    ahead = steps[:, None] - steps[None, :]
    meant = np.stack((ahead > radius, np.abs(ahead) <= radius, -ahead > radius))
    return np.asarray(noise @ meant.astype(np.float64) @ noise.T)


@dataclass(frozen=True, eq=False)
class Law:
    chances: Array  # (3, Λ, Λ) T, from `preference_chances`
    concentration: float  # α of the Dirichlet prior, per category

    @property
    def categories(self) -> int:
        return len(self.chances[0])

    @cached_property
    def rows(self) -> Weights:
        """(3Λ, Λ): in row πΛ + b the chances of π against quality b, by one's own quality."""
        flat = self.chances.transpose(0, 2, 1).reshape(-1, self.categories)
        return np.ascontiguousarray(
            flat, np.float32 if flat.min() > MIN_SINGLE_PRECISION_CHANCE else np.float64
        )

    @cached_property
    def log_rows(self) -> Array:
        flat = self.chances.transpose(0, 2, 1).reshape(-1, self.categories)
        return np.log(np.maximum(flat, np.finfo(np.float64).tiny))

    @cached_property
    def safe_factors(self) -> int:
        """How many chances may be multiplied before the product must be put back to 1."""
        return int(log(MIN_PRODUCT[self.rows.dtype]) / log(float(self.rows.min())))


# Outputs in an order in which many can be drawn at once: those that were not compared.
#
# Neighbours, outputs that were compared, never share a colour; so all outputs of one colour are
# independent given the others. Within a colour those with most comparisons come first: then the
# j-th comparisons of its outputs belong to the first so many of them.

# Comparisons of one output from which chances are added as logarithms. In a product, what many
# answers of one kind make vanish cannot be brought back by those of the other kind that follow;
# with fewer answers, what vanishes has no weight in the end either.
MIN_LOGGED_COMPARISONS: Final = 32


@dataclass(frozen=True, eq=False)
class Colour:
    """Outputs no two of which were compared, in all chains: rows are outputs × chains."""

    first: int  # first row
    last: int  # row after the last
    cell: Integers  # (rows,) row of each in the abilities
    # the j-th comparison of the first m outputs: place of the other output (m,), and the row of the
    # law's tables (m, 1) that LEFT where the own output was preferred, TIE, or RIGHT points to
    rounds: tuple[tuple[Integers, Integers], ...]
    busy: int  # rows, the first of all, with so many comparisons that logarithms are added


@dataclass(frozen=True, eq=False)
class Plan:
    systems: int  # K
    author: Integers  # (N,) number of the system behind the output at each place
    place: Integers  # (N,) place of each output of the data
    cell: Integers  # (N, R) row of each output and chain in the abilities
    # (C,) places of the two outputs of each comparison, and its outcome
    pairs: tuple[Integers, Integers, Integers]
    colours: tuple[Colour, ...]  # in the order in which they are drawn


def plan_colours(pairs: OutputPairs, chains: int, categories: int) -> Plan:
    n, k, author = len(pairs.author), len(pairs.systems), pairs.author
    output = np.concatenate((pairs.one, pairs.other))
    rival = np.concatenate((pairs.other, pairs.one))
    outcome = np.concatenate((pairs.outcome, RIGHT - pairs.outcome))
    loads = np.bincount(output, minlength=n)
    # outputs with most comparisons choose first (Welsh & Powell 1967), so that colours are few
    by_own = np.argsort(output, kind="stable")
    rivals, ends = rival[by_own].tolist(), np.cumsum(loads).tolist()
    colours = [-1] * n
    for one in np.argsort(-loads, kind="stable").tolist():
        taken = {colours[other] for other in rivals[ends[one] - loads[one] : ends[one]]}
        colours[one] = next(free for free in count() if free not in taken)
    colour = np.array(colours, dtype=np.int64)
    order = np.lexsort((-loads, colour))
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    by_own = np.argsort(place[output], kind="stable")
    at, rival, outcome = place[output][by_own], place[rival][by_own], outcome[by_own]
    first = np.cumsum(loads[order]) - loads[order]
    number = np.arange(len(at)) - first[at]
    borders_of = np.searchsorted(colour[order], np.arange(int(colour.max()) + 2))
    by_round = np.lexsort((at, number, colour[order][at]))
    colour, number = colour[order][at][by_round], number[by_round]
    rival, outcome = rival[by_round], outcome[by_round]
    borders = np.flatnonzero(np.diff(colour) | np.diff(number)) + 1
    rounds: list[list[tuple[Integers, Integers]]] = [[] for _ in range(len(borders_of) - 1)]
    for begin, end in pairwise([0, *borders.tolist(), len(colour)]):
        said = categories * outcome[begin:end, None]
        rounds[int(colour[begin])].append((rival[begin:end], said))
    author, drawn = author[order], []
    cell = author[:, None] + np.arange(chains) * k
    for (start, stop), parts in zip(pairwise(borders_of.tolist()), rounds, strict=True):
        busy = sum(len(other) for other, _ in parts[MIN_LOGGED_COMPARISONS - 1 :][:1]) * chains
        rows = cell[start:stop].reshape(-1)
        drawn.append(Colour(start * chains, stop * chains, rows, tuple(parts), busy))
    compared = place[pairs.one], place[pairs.other], pairs.outcome
    return Plan(k, author, place, cell, compared, tuple(drawn))


# Outputs that comparisons join move up or down the scale together.
#
# What is preferred depends on differences, so that qualities which all move by one step change the
# chances of preferences only near the ends. For each set of joined outputs, of each chain, a step
# of +1 or −1 (with even chances) is proposed, and accepted with
#
# min(1, ∏_i p_s(i)(q_i ± 1) / p_s(i)(q_i) · ∏_c T(π_c | q_a ± 1, q_b ± 1) / T(π_c | q_a, q_b))
#
# which is Metropolis' rule: the way back is proposed as often. Given abilities sets are
# independent.

_MIN_ABILITY = 1e-300  # Abilities below this are as good as none; logarithms want a number


@dataclass(frozen=True, eq=False)
class Shift:
    """What the move needs; tables have a margin for steps beyond the scale."""

    sets: int  # number of joined sets × chains
    of_output: Integers  # (N, R) number of each output's set and chain
    of_pair: Integers  # (C, R) the same of each comparison
    # (N, R) where the output's ability begins in the padded table of abilities
    ability_row: Integers
    outcome_row: Integers  # (C, 1) where the outcome's table begins in `log_chances`
    pairs: tuple[Integers, Integers]  # (C,) places of the two outputs
    log_chances: Array  # (3 (Λ + 2)²,) ln T, 0 in the margin
    categories: int  # Λ

    def move(self, rng: np.random.Generator, ability: Array, quality: Integers) -> None:
        """Offer every set a step, and change (N, R) `quality` where it is accepted."""
        width = self.categories + 2
        logs = np.full((*ability.shape[:2], width), -np.inf)
        logs[:, :, 1:-1] = np.log(np.maximum(ability, _MIN_ABILITY))
        table = logs.reshape(-1)
        step = 2 * rng.integers(0, 2, self.sets) - 1
        steps = step.take(self.of_output)
        at = self.ability_row + quality
        gain = self._sum(self.of_output, table.take(at + steps) - table.take(at))
        one, other = (quality.take(side, axis=0) for side in self.pairs)
        at = self.outcome_row + one * width + other
        ahead = at + step.take(self.of_pair) * (width + 1)
        gains = self.log_chances.take(ahead) - self.log_chances.take(at)
        gain += self._sum(self.of_pair, gains)
        accepted = gain > -rng.standard_exponential(self.sets)
        quality += steps * accepted.take(self.of_output)

    def _sum(self, sets: Integers, values: Array) -> Array:
        summed = np.bincount(sets.reshape(-1), values.reshape(-1), self.sets)
        return np.asarray(summed, dtype=np.float64)


# Gibbs sampling of qualities on a scale: abilities given qualities, qualities given abilities.
#
# p_s | q  ~  Dirichlet(α + n_s),   n_sa = outputs of system s with quality a
# P(q_i = a | p, rest)  ∝  p_s(i)(a) ∏_c T(π_c | a, q_rival(c))
#
# The first is drawn for all systems, the second for all outputs of one colour, of all chains at
# once. Both are the exact conditionals (Hopkins & May 2013, section 7, with the Dirichlet law kept
# in the chain instead of summed out: that alone couples all outputs of a system). Outputs that were
# compared over and over hold each other fast, so every few sweeps all that comparisons join are
# offered a step up or down together (`Shift`).

# Sweeps from one offer of a common step to the next; it costs as much as a sweep
SHIFT_EVERY: Final = 4


@dataclass(frozen=True, eq=False)
class State:
    """Where R chains are after a sweep; `quality` changes in place with the next."""

    ability: Array  # (R, K, Λ) drawn abilities
    quality: Integers  # (N, R) drawn qualities 0..Λ − 1, outputs in the order of the plan
    counts: Integers  # (R, K, Λ) outputs of each system by quality


def walk(plan: Plan, law: Law, rng: np.random.Generator) -> Iterator[State]:
    # Chains start with all qualities alike: the first at the lowest, the last at the highest, the
    # others between them; one alone in the middle.
    levels, top = plan.systems * law.categories, law.categories - 1
    chains = plan.cell.shape[1]
    ends = np.linspace(0, top, chains) if chains > 1 else np.array([top / 2])
    quality = np.tile(np.rint(ends).astype(np.int64), (len(plan.author), 1))
    one, other, outcome = plan.pairs
    n, width = len(plan.author), law.categories + 2
    part = weak_components(Graph(n, one.astype(np.intp), other.astype(np.intp)))
    of_output = part.astype(np.int64)[:, None] * chains + np.arange(chains)
    log_chances = np.zeros((3, width, width))
    log_chances[:, 1:-1, 1:-1] = np.log(law.chances)
    shift = Shift(
        sets=(int(part.max()) + 1) * chains,
        of_output=of_output,
        of_pair=of_output[one],
        ability_row=plan.cell * width + 1,
        outcome_row=outcome[:, None] * width**2 + width + 1,
        pairs=(one, other),
        log_chances=log_chances.reshape(-1),
        categories=law.categories,
    )
    sums = np.triu(np.ones((law.categories, law.categories), law.rows.dtype))
    at, shape = plan.cell * law.categories, (chains, plan.systems, law.categories)
    counts = np.bincount((at + quality).reshape(-1), minlength=chains * levels)
    for sweep in count():
        ability = rng.standard_gamma(counts.reshape(shape) + law.concentration)
        ability /= ability.sum(axis=2, keepdims=True)
        if sweep % SHIFT_EVERY == 0:
            shift.move(rng, ability, quality)
        rows = ability.reshape(-1, law.categories).astype(law.rows.dtype)
        luck = rng.random((quality.size, 1), dtype=law.rows.dtype)
        for colour in plan.colours:
            # a quality for each row of cumulative weights, by one uniform number each
            reached = _weigh(colour, rows, quality, law) @ sums
            bar = reached[:, -1:] * luck[colour.first : colour.last]
            reached[:, -1] = np.inf  # rounding must not put the bar above the whole
            quality.reshape(-1)[colour.first : colour.last] = (reached > bar).argmax(axis=1)
        counts = np.bincount((at + quality).reshape(-1), minlength=chains * levels)
        yield State(ability, quality, counts.reshape(shape))


def _weigh(colour: Colour, ability: Weights, quality: Integers, law: Law) -> Weights:
    """Return (rows, Λ) weights of every quality of the outputs of one colour."""
    weights, busy = ability.take(colour.cell, axis=0), colour.busy
    sums = np.zeros((busy, law.categories))
    for number, (rival, outcome) in enumerate(colour.rounds, start=1):
        seen = (quality.take(rival, axis=0) + outcome).reshape(-1)
        sums[: len(seen)] += law.log_rows.take(seen[:busy], axis=0)
        some = weights[busy : len(seen)]
        some *= law.rows.take(seen[busy:], axis=0)
        if len(some) and number % law.safe_factors == 0:
            some /= some.max(axis=1, keepdims=True)
    if busy:
        with np.errstate(divide="ignore"):  # an ability of 0 has weight 0
            sums += np.log(weights[:busy])
        weights[:busy] = np.exp(sums - sums.max(axis=1, keepdims=True))
    return weights


Single = NDArray[np.float32]

# Numbers that are held at once where every draw has K × K of them
MAX_NUMBERS_AT_ONCE: Final = 2_000_000


def chances_of_new(expected: Array, strength: Array, law: Law) -> Array:
    """Return (K, K, 3) chances of left, tie, right for new outputs, averaged over draws.

    expected: (R, D, K, Λ) abilities expected given each sweep's qualities, which rest on (K,)
    strength, the outputs of each system and Λα.
    """
    # Σ_ab p_s(a) p_t(b) T(π | a, b),   p_s(a) = (n_sa + α) / (n_s + Λα)
    # given the qualities abilities of different systems are independent; two outputs of one system
    # share its ability, whose second moment has p_s(a) δ_ab beside the product
    r, d, k, categories = expected.shape
    flat = expected.reshape(r * d, k * categories)
    by_system = expected.reshape(r * d, k, categories)
    tables = law.chances.reshape(3, -1).T
    table = np.empty((k, k, 3))
    for system in range(k):
        moment = (by_system[:, system].T @ flat).reshape(categories, k, categories) / (r * d)
        table[system] = moment.transpose(1, 0, 2).reshape(k, -1) @ tables
    alike = by_system.mean(axis=0) @ np.diagonal(law.chances, axis1=1, axis2=2).T
    share = (1 / (1 + strength))[:, None]
    both = np.arange(k)
    table[both, both] += share * (alike - table[both, both])
    return table


def mean_qualities(ability: NDArray[np.floating[Any]]) -> Array:
    return np.asarray(ability @ np.arange(1.0, ability.shape[-1] + 1))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CategoricalFit(Posterior):
    model: IRTCategorical  # the settings
    ability: Array  # (K, Λ) posterior mean of each system's distribution over qualities
    quality: Array  # (K,) its mean quality, from 1 (worst) to Λ
    quality_sd: Array  # (K,) posterior standard deviation of that
    chances: Array  # (K, K, 3) chances of left, tie, right for new outputs of two systems
    ability_draws: Single  # (chains, kept, K, Λ) draws of abilities
    outputs: Integers  # (K,) outputs of each system that were compared

    scale = "mean quality"
    order_scale = "log-worth"  # mean qualities mix too slowly to order by

    @cached_property
    def log_worth(self) -> Array:
        """(K,) mean of ln(P(win)/P(loss)) against all systems seen, 0 against itself."""
        # how the others fare depends on where on the scale the chains are
        gaps = np.log(self.chances[..., 0]) - np.log(self.chances[..., 2])
        return np.asarray(gaps[:, self.seen].mean(axis=1))

    @cached_property
    def worth_draws(self) -> Array:
        """(chains, kept, K) log-worths of the drawn abilities."""
        r, d, k, categories = self.ability_draws.shape
        flat = self.ability_draws.reshape(r * d, k, categories)
        wins = self.model.law.chances[0].astype(np.float64)
        draws = np.empty((r * d, k))
        size = max(1, MAX_NUMBERS_AT_ONCE // (k * k))
        for start in range(0, r * d, size):
            some = flat[start : start + size].astype(np.float64)
            won = np.log((some @ wins) @ some.transpose(0, 2, 1))
            gaps = won - won.transpose(0, 2, 1)
            draws[start : start + size] = gaps[:, :, self.seen].mean(axis=2)
        return draws.reshape(r, d, k)

    @cached_property
    def worth_vcov(self) -> Array:
        return np.cov(self.worth_draws.reshape(-1, len(self.systems)), rowvar=False)

    @property
    def order_draws(self) -> Array:
        return self.worth_draws.reshape(-1, len(self.systems)).astype(np.float64)

    @property
    def seen(self) -> NDArray[np.bool_]:
        return np.asarray(self.outputs > 0)

    @cached_property
    def r_hat(self) -> Array:
        """(K,) split R̂ of log-worths: 1 where chains agree."""
        return split_r_hat(self.worth_draws)

    @cached_property
    def effective_draws(self) -> Array:
        """(K,) how many independent draws those of log-worths are worth."""
        return bulk_size(self.worth_draws)

    @cached_property
    def quality_r_hat(self) -> Array:
        """(K,) split R̂ of mean qualities less their mean over the systems seen."""
        qualities = mean_qualities(self.ability_draws)
        return split_r_hat(qualities - qualities[:, :, self.seen].mean(axis=2, keepdims=True))

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        return self.list_means(self.quality, self.quality_sd)

    def note_chains(self) -> tuple[Finding, ...]:
        worths, quality = (np.where(self.seen, r, 1) for r in (self.r_hat, self.quality_r_hat))
        notes = self.note_unmet("categorical-not-converged", worths)
        if names := self.name_unmet(quality):
            notes += (say("qualities-not-converged", limit=MAX_R_HAT, systems=names),)
        return notes

    @property
    def says(self) -> tuple[Finding, ...]:
        model, best = self.model, int(np.argmax(np.where(self.seen, self.quality, 0)))
        seen = self.seen
        quality = {"value": float(self.quality[best]), "sd": float(self.quality_sd[best])}
        chains = {
            "draws": model.chains * (model.sweeps - model.burn_in),
            "r_hat": float(self.r_hat[seen].max()),
            "effective": float(self.effective_draws[seen].min()),
            "quality_r_hat": float(self.quality_r_hat[seen].max()),
        }
        scale = {"categories": model.categories, "noise": model.noise_sd, "radius": model.radius}
        system = self.systems[best]
        return (
            say("best-quality", system=system, categories=model.categories, **quality),
            say("categorical-scale", "info", **scale),
            say("categorical-chains", "info", **chains),
            say("judges-pooled"),
        )

    @property
    def signature_parts(self) -> tuple[str, ...]:
        model = self.model
        scale = f"{model.categories} categories", f"concentration {model.concentration:g}"
        return (*scale, *self.sign_chains())

    @property
    def extras(self) -> Mapping[str, Any]:
        return {
            "ability": self.ability.tolist(),
            "quality": self.quality.tolist(),
            "quality_sd": self.quality_sd.tolist(),
            "r_hat": self.r_hat.tolist(),
            "effective_draws": self.effective_draws.tolist(),
            "quality_r_hat": self.quality_r_hat.tolist(),
            "highest_r_hat": float(self.r_hat[self.seen].max()),
            "min_effective_draws": float(self.effective_draws[self.seen].min()),
            "n_outputs": float(self.outputs.sum()),
        }

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        left, right = self.codes(pairs).T
        return np.asarray(self.chances[left, right])


MIN_CONCENTRATION = 0.05  # Below, draws of an ability nobody has judged may be nothing but zeros
MIN_CHANCE = 1e-120  # Chances of a preference below which a single judgment outweighs all others


@dataclass(frozen=True)
class IRTCategorical(Chains):
    """Settings of the categorical item-response model.

    Attributes:
        categories: Λ, steps of the scale of qualities.
        concentration: α of the Dirichlet prior of abilities, per category.
        noise_sd: σ of what judges see, in steps.
        radius: differences up to it, in steps, are ties.
        chains: chains that are walked at once, from both ends of the scale.
        sweeps: sweeps of each.
        burn_in: sweeps of each that are excluded at its start.
        seed: seed of all draws.

    >>> one, two = np.zeros(30, np.int32), np.ones(30, np.int32)
    >>> outcome = np.repeat(np.array([0, 1, 2], np.int8), [20, 6, 4])
    >>> votes = Votes(("",), ("ann",), ("",), ("new", "old"), one, one, one, one, two, outcome)
    >>> fit = IRTCategorical(sweeps=400, burn_in=100).fit(votes)
    >>> fit.predict([("new", "old")]).round(1).tolist()
    [[0.6, 0.2, 0.2]]
    """

    categories: int = 8
    concentration: float = 0.5
    noise_sd: float = 1.0
    radius: float = 0.0
    chains: int = 4
    sweeps: int = 1000
    burn_in: int = 250
    seed: int = SEED

    def __post_init__(self) -> None:
        if self.categories < 2:
            raise UnknownOption(f"categories must be 2 or more, not {self.categories}")
        if not MIN_CONCENTRATION <= self.concentration < np.inf:
            raise UnknownOption(
                f"concentration must be {MIN_CONCENTRATION} or more, not {self.concentration:g}"
            )
        if not 0 < self.noise_sd < np.inf:
            raise UnknownOption(f"noise_sd must be above 0, not {self.noise_sd:g}")
        if not 0 <= self.radius < self.categories - 1:
            raise UnknownOption(
                f"radius must be from 0 to below {self.categories - 1}, the longest difference, not"
                f" {self.radius:g}"
            )
        if self.law.chances.min() < MIN_CHANCE:
            raise UnknownOption(
                f"noise_sd {self.noise_sd:g} is too small for {self.categories} categories: judges"
                " would never err, and one who does could not be explained"
            )
        self.check_chains()

    @property
    def law(self) -> Law:
        """What the scale and the noise make of two qualities."""
        noise = noise_matrix(self.categories, self.noise_sd)
        return Law(preference_chances(noise, self.radius), self.concentration)

    @takes_judgments("data")
    def fit(self, data: Votes | Comparisons | Rankings | Tally | Openable) -> CategoricalFit:
        """Draw from the posterior by Gibbs sampling.

        A system without comparisons has the ability of the prior.

        Raises:
            NotIdentified: nothing was compared, or there are too many systems.
            InvalidJudgments: a value in the data that cannot be.
            UnknownOption: importance weights, or items that were merged.
        """
        pairs, law = pair_outputs(data), self.law
        rng = np.random.Generator(np.random.PCG64(self.seed))
        abilities, expectations = [], []
        with one_blas_thread():
            states = walk(plan_colours(pairs, self.chains, self.categories), law, rng)
            for state in islice(states, self.burn_in, self.sweeps):
                abilities.append(state.ability.astype(np.float32))
                mass = state.counts + law.concentration
                strength = mass.sum(axis=2)
                expectations.append(mass / strength[:, :, None])
            expected = np.stack(expectations, axis=1)
            drawn, strength = np.stack(abilities, axis=1), strength[0]
            chances = chances_of_new(expected, strength, law)
        # posterior sd of mean qualities: the variance between sweeps of what is expected given
        # qualities, and the mean of what is left
        steps = np.arange(1.0, self.categories + 1)
        first, second = expected @ steps, expected @ steps**2
        left = ((second - first**2) / (1 + strength)).mean(axis=(0, 1))
        quality_sd = np.sqrt(first.var(axis=(0, 1)) + left)
        code = pairs.code
        ability = expected.mean(axis=(0, 1))[code]
        authors = pairs.author[pairs.one], pairs.author[pairs.other]
        return CategoricalFit(
            model=self,
            systems=pairs.systems,
            loglik=float(np.log(chances[(*authors, pairs.outcome)]).sum()),
            n_judgments=pairs.n_judgments,
            n_comparisons=float(len(pairs.outcome)),
            notes=(*pairs.notes, *note_parts(pairs)),
            ability=ability,
            quality=mean_qualities(ability),
            quality_sd=quality_sd[code],
            chances=chances[np.ix_(code, code)],
            ability_draws=drawn[:, :, code],
            outputs=np.bincount(pairs.author, minlength=len(code))[code],
        )

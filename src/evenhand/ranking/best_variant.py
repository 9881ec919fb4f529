"""The best of several variants of one owner, without the luck of having been chosen.

An owner shows the variant that came out best; its estimate is then too high on average, and its
interval misses the truth too often (`tests/experiments/test_e17_best_variant.py`).
Given that variant j was chosen, x_j is normal between limits that the others set:

    c_k = Σ_kj / Σ_jj,  z_k = x_k − c_k x_j,  low = max z_k/(1 − c_k) over c_k < 1,
    high = min z_k/(1 − c_k) over c_k > 1

The hybrid interval also cuts at μ ± c_β σ, c_β the 1 − β quantile of max |ξ_k|/σ_k, β = α/10, and
has the ends μ at which the distribution of x_j has the tails (α − β)/(1 − β) / 2; its middle is the
estimate, half of the time too high. x are distances to the mean of all systems of other owners, or,
where there are none, of all systems; errors of few clusters are widened by Student's t.

Where further votes came in after the choice, both are used (carving): with y of variance w from
those, the mean t of x_j and y weighted by 1/v and 1/w, v = Σ_jj, has the density

    φ((t − μ)/s) [Φ((high − t)/r) − Φ((low − t)/r)],   s² = vw/(v + w), r² = v²/(v + w)

up to a factor, and the interval has the ends μ at which it has the tails α/2.

Source: Andrews, Kitagawa & McCloskey (2024), Quarterly Journal of Economics 139:305-358.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import numpy as np

from evenhand.errors import InvalidJudgments, listing, suggest
from evenhand.numerics import Array, Flags
from evenhand.numerics.distributions import normal_quantile, t_quantile
from evenhand.ranking.intervals import find_root
from evenhand.ranking.texts import say
from evenhand.render.document import Column, Finding, Table

MAX_NAMED: Final = 6  # Most systems that a refusal names
SHARE: Final = 0.1  # β / α
DRAWS: Final = 200_000  # for the quantile of the largest of several errors
HALVINGS: Final = 60  # of the interval that holds an end
CARVED_POINTS: Final = 20_001  # at which the density of carved estimates is summed
CARVED_REACH: Final = 20.0  # standard errors around the estimate within which it is
CARVED_EDGE: Final = 2.0  # standard errors from the last of them, where tails are cut off
LEVEL: Final = 1e-9  # c_k is 1 so nearly that the difference does not depend on x_j


@dataclass(frozen=True)
class BestVariant:
    """An owner's best variant."""

    owner: str  # name
    system: str  # the variant that is best by its estimate
    variants: tuple[str, ...]  # all of this owner that are ranked, best first
    not_judged: tuple[str, ...]  # others of this owner, for whose choice nothing is corrected
    raw: float  # distance to the mean of the others' systems
    estimate: float  # the same without the luck of the choice: median-unbiased
    lower: float  # ends of the hybrid interval
    upper: float
    level: float  # its level (proportion)
    fresh: float | None = None  # the distance by votes after the choice alone, or None
    wide: tuple[float, float] | None = None  # ends that hold whatever was chosen, of tied variants

    @property
    def says(self) -> Finding | None:
        """What a tie for the first place does to the interval; None where there is none."""
        if self.wide is None:
            return None
        low, high = self.wide
        first = {"owner": self.owner, "variants": self.variants[:2]}
        return say("variants-tied", "warning", **first, low=low, high=high)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers for JSON."""
        rare = ("fresh", "wide")
        held = {k: one for k, one in vars(self).items() if k not in rare or one is not None}
        listed = {k: list(held[k]) for k in ("variants", "not_judged", "wide") if k in held}
        return held | listed


def note_owners(systems: Sequence[str], owners: Mapping[str, str]) -> list[Finding]:
    """Name the systems of a table of owners that are not ranked, and those without an owner."""
    alone = [one for one in systems if one not in owners]
    notes = [
        say("owner-not-ranked", "warning", system=one, hint=suggest(one, alone))
        for one in sorted({*owners} - {*systems})
    ]
    return [*notes, *([say("owner-missing", systems=alone)] if alone else [])]


def find_truncation(estimates: Array, vcov: Array, best: int) -> tuple[float, float]:
    """Return the limits of the best estimate, given that it is the best."""
    c = vcov[:, best] / vcov[best, best]
    z = estimates - c * estimates[best]
    moves = np.abs(1 - c) > LEVEL
    ends = z[moves] / (1 - c[moves])
    below, above = ends[c[moves] < 1], ends[c[moves] > 1]
    return float(max(below, default=-np.inf)), float(min(above, default=np.inf))


def log_between(low: float, high: float) -> float:
    """Return the log chance that a standard normal lies between two values."""
    from scipy.special import log_ndtr

    if low > 0:  # both tails are as long: the lower one has the digits
        low, high = -high, -low
    upper, lower = float(log_ndtr(high)), float(log_ndtr(low))
    return upper + float(np.log1p(-np.exp(lower - upper))) if upper > lower else -np.inf


def cut_chance(x: float, mean: float, sd: float, ends: tuple[float, float]) -> float:
    """Return P(X ≤ x) of a normal that is cut at both ends."""
    low, at, high = ((one - mean) / sd for one in (ends[0], x, ends[1]))
    if at <= low:
        return 0.0
    return float(np.exp(log_between(low, at) - log_between(low, high))) if at < high else 1.0


def find_mean(chance: Callable[[float], float], wanted: float, ends: tuple[float, float]) -> float:
    """Return the mean at which a chance, falling in it, has a value."""
    low, high = ends
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) > wanted else (low, middle)
    return (low + high) / 2


def find_largest(vcov: Array, probability: float, seed: int) -> float:
    """Return a quantile of the largest of |errors| in units of their standard errors."""
    sd = np.sqrt(np.diag(vcov))
    if not (np.abs(vcov - np.diag(sd**2)) > LEVEL * sd[:, None] * sd).any():  # independent: Šidák
        return float(normal_quantile((1 + probability ** (1 / len(sd))) / 2))
    draws = np.random.default_rng(seed).standard_normal((DRAWS, len(sd)))
    draws = draws @ find_root(vcov / sd[:, None] / sd).T
    return float(np.quantile(np.abs(draws).max(axis=1), probability))


def correct_best(
    estimates: Array, vcov: Array, *, alpha: float = 0.05, largest: float
) -> tuple[float, float, float]:
    """Return lower end, estimate and upper end of the best of (K,) estimates; largest is c_β."""
    best = int(estimates.argmax())
    x, sd, reach = float(estimates[best]), sqrt(vcov[best, best]), largest * sqrt(vcov[best, best])
    low, high = find_truncation(estimates, vcov, best)
    tail = (1 - SHARE) * alpha / (1 - SHARE * alpha)

    def chance(mean: float) -> float:
        return cut_chance(x, mean, sd, (max(low, mean - reach), min(high, mean + reach)))

    ends = (x - reach, x + reach)
    lower, middle, upper = (find_mean(chance, q, ends) for q in (1 - tail / 2, 0.5, tail / 2))
    return lower, middle, upper


def carve_best(
    estimates: Array, vcov: Array, fresh: float, variance: float, *, alpha: float = 0.05
) -> tuple[float, float, float] | None:
    """Return the same with `fresh`, the estimate of the best by votes after the choice alone.

    None where these are so few that an end lies beyond all that is looked at.
    """
    from scipy.special import log_ndtr

    best = int(estimates.argmax())
    v, low, high = float(vcov[best, best]), *find_truncation(estimates, vcov, best)
    both, r = v * variance / (v + variance), v / sqrt(v + variance)
    seen, s = both * (estimates[best] / v + fresh / variance), sqrt(both)
    reach = CARVED_REACH * s
    steps = np.arange(CARVED_POINTS) - CARVED_POINTS // 2  # from the observed mean
    t = seen + steps * (2 * reach / (CARVED_POINTS - 1))
    # log of Φ(b) − Φ(a), by the tails that have the digits
    a, b = (low - t) / r, (high - t) / r
    a, b = np.where(a > 0, -b, a), np.where(a > 0, -a, b)
    with np.errstate(divide="ignore"):
        chosen = log_ndtr(b) + np.log1p(-np.exp(np.minimum(log_ndtr(a) - log_ndtr(b), 0.0)))
    smaller = (1 - np.sign(steps)) / 2

    def chance(mean: float) -> float:
        log_density = chosen - ((t - mean) / s) ** 2 / 2
        density = np.exp(log_density - log_density.max())
        return float(density @ smaller / density.sum())

    ends = (seen - reach, seen + reach)
    lower, middle, upper = (find_mean(chance, q, ends) for q in (1 - alpha / 2, 0.5, alpha / 2))
    known = ends[0] + CARVED_EDGE * s < lower and upper < ends[1] - CARVED_EDGE * s
    return (lower, middle, upper) if known else None


def find_best_variants(
    ranked: Estimated,
    owners: Mapping[str, str],
    *,
    level: float,
    seed: int,
    later: Estimated | None = None,
) -> tuple[BestVariant, ...]:
    """Return the best variant of each owner of several, the best first.

    owners: system → its owner; a system that is not named is its own.
    later: what votes after the choice say; used where they have the best variant and others.
    """
    systems, estimates = ranked.systems, ranked.estimates
    squares = widen(level, ranked.df) * ranked.pair_stderr**2
    of = [owners.get(name, name) for name in systems]
    found = []
    for owner in dict.fromkeys(of):
        own = np.array([one == owner for one in of])
        if own.sum() < 2:
            continue
        others = ~own if (~own).any() else np.ones(len(of), dtype=np.bool_)
        best = systems[int(np.where(own, estimates, -np.inf).argmax())]
        again = None if later is None else later.find_distance(best, systems, others, level)
        alpha, carved, wide, fresh = 1 - level, None, None, None
        if again is not None:
            fresh, variance, kept = again
            x, vcov = find_distances(estimates, squares, own, kept)
            carved = carve_best(x, vcov, fresh, variance, alpha=alpha)
        if carved is None:
            x, vcov, fresh = *find_distances(estimates, squares, own, others), None
            largest = find_largest(vcov, 1 - SHARE * alpha, seed)
            lower, middle, upper = correct_best(x, vcov, alpha=alpha, largest=largest)
            at = int(x.argmax())
            if upper < x[at]:  # of a second that is as good the correction goes to its bound
                reach = find_largest(vcov, level, seed) * sqrt(vcov[at, at])
                wide = (float(x[at]) - reach, float(x[at]) + reach)
        else:
            lower, middle, upper = carved
        variants = tuple(name for name, mine in zip(systems, own, strict=True) if mine)
        absent = sorted(one for one, of in owners.items() if of == owner and one not in systems)
        ends = (float(x.max()), middle, lower, upper)
        found.append(BestVariant(owner, best, variants, tuple(absent), *ends, level, fresh, wide))
    if not found:
        raise InvalidJudgments(
            "no owner has two of the systems that are ranked"
            f" ({listing(systems, MAX_NAMED)}): nothing was chosen"
        )
    return tuple(sorted(found, key=lambda one: -one.estimate))


def find_distances(
    estimates: Array, squares: Array, own: Flags, others: Flags
) -> tuple[Array, Array]:
    """Return the distances of an owner's variants to the mean of others, and their covariance.

    squares: (K, K) D, variances of differences; of contrasts a and b the covariance is −aᵀDb/2.
    """
    contrasts = np.eye(len(own))[own] - others / others.sum()
    return contrasts @ estimates, -contrasts @ squares @ contrasts.T / 2


def refuse_same_panel(first: Set[str], later: Set[str]) -> None:
    """Refuse judges who judged before the choice and after it, whose tastes are in both."""
    if both := sorted(first & later):
        raise InvalidJudgments(
            f"{listing(both, MAX_NAMED)} judged before the choice and after it: later judgments"
            " count by themselves only if other judges gave them (--without leaves judges out)"
        )


def widen(level: float, df: float) -> float:
    """Return how many times a variance counts for few clusters."""
    return float((t_quantile((1 + level) / 2, df) / normal_quantile((1 + level) / 2)) ** 2)


@dataclass(frozen=True, eq=False)
class Estimated:
    """What judgments say of systems: before the choice, or after it."""

    systems: tuple[str, ...]  # names, before the choice the best first
    estimates: Array  # (L,) larger is better
    pair_stderr: Array  # (L, L)
    df: float

    def find_distance(
        self, best: str, systems: Sequence[str], others: Flags, level: float
    ) -> tuple[float, float, Flags] | None:
        """Return the distance of the best to those others that these votes have, and its variance.

        Also (K,) which of the others these are, in the order of the choice; None without any.
        """
        kept = others & np.array([name in self.systems and name != best for name in systems])
        if best not in self.systems or not kept.any():
            return None
        contrast = np.zeros(len(self.systems))
        for name in np.array(systems, dtype=object)[kept].tolist():
            contrast[self.systems.index(name)] = -1 / kept.sum()
        contrast[self.systems.index(best)] += 1
        variance = -widen(level, self.df) * contrast @ self.pair_stderr**2 @ contrast / 2
        return float(contrast @ self.estimates), float(variance), kept


def tabulate_best_variants(owners: Sequence[BestVariant], level: float) -> list[Table]:
    rows = tuple(
        one.to_dict() | {"of": len(one.variants), "absent": len(one.not_judged)} for one in owners
    )
    later = any(one.fresh is not None for one in owners)
    columns = (
        Column("owner", "owner", "name"),
        Column("system", "best variant", "name"),
        Column("of", "of", "count"),
        *[Column("absent", "not judged", "count")] * any(row["absent"] for row in rows),
        Column("estimate", "corrected", "two"),
        Column(("lower", "upper"), f"{100 * level:g} % interval", "interval"),
        Column("raw", "raw", "two", priority=2),
        *([Column("fresh", "later votes", "two")] * later),
    )
    tied = [str(one.says) for one in owners if one.says is not None]
    legend = (
        *tied,
        "distance to the mean of others' systems, corrected for the choice of the best variant",
        "of: variants that are ranked; for others, such as withdrawn ones, nothing is corrected",
    )
    return [Table("owners", "The best variant of each owner", columns, rows, legend=legend)]

"""Variance components of comparisons: tastes of judges and of items for systems.

    x = (θ_j + b_gj + u_ij) − (θ_k + b_gk + u_ik),   b ~ N(0, σ_J²), u ~ N(0, σ_I²)
    P(j preferred) : P(tie) : P(k preferred) = e^{x/2} : ν : e^{−x/2}

By moments, at the cost of one pooled fit, on the scale of log-worth. Where tastes are as strong as
worths, moments are too small. When not to use it: docs/models/variance-components.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.results import ITEM_SYSTEM, JUDGE_SYSTEM, SYSTEM, Component
from evenhand.data.tally import Tally
from evenhand.errors import NotConverged, NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.models.rating_components import ComponentEstimates
from evenhand.models.texts import say
from evenhand.numerics import Array, Integers
from evenhand.numerics.distributions import normal_quantile, normal_rule, t_quantile, two_sided_p
from evenhand.numerics.newton import one_blas_thread

# How much smaller tastes look through the answers of many judges and items.
#
# Worths and ν are fitted to the mean of all judges and items, whose score curve is flatter than
# that of one. To first order in the covariance of two votes, a variance σ² looks like
#
# R = σ² · {E s'(√(2Σ) Z; ν₁) / s'(0; ν)}²,   s(x) = ½ (P(left) − P(right)),   Z ~ N(0, 1)
#
# with Σ the sum of the variances of tastes, ν the fitted tie parameter and ν₁ that of one judge and
# item, which gives the fitted share of ties between equals: E t(√(2Σ) Z; ν₁) = t(0; ν). Σ solves
# this with what all tastes look like. Without ties this is nearly σ² = R (1 + 2c²Σ), c = 16√3/(15π)
# (Zeger, Liang & Albert 1988, Biometrics 44:1049-1060), which falls short where tastes are strong.


NODES: Final = 61
# Largest sum of variances that is looked for: tastes of sd 3 in log-worth
MAX_VARIANCE: Final = 9.0
MAX_STEPS: Final = 200
RESTORE_TOLERANCE: Final = 1e-9


def restore(looks: float, tie: float) -> float:
    """Return by what variances of tastes look smaller than they are, from what their sum is."""
    total, growth = looks, 1.0
    for _ in range(MAX_STEPS):
        if total > MAX_VARIANCE:
            break
        growth = find_growth(total, tie)
        last, total = total, looks * growth
        if abs(total - last) <= RESTORE_TOLERANCE:
            return growth
    raise NotIdentified(
        "tastes are so strong beside the worths of systems that moments give their variance no"
        " estimate",
        [
            "take judge x system from the likelihood (--method likelihood; in Python"
            ' method="likelihood")',
            "collect more judgments of each judge",
        ],
    )


def find_growth(total: float, tie: float) -> float:
    """Return by what variances look smaller than they are; their roots, worths, by its root."""
    if total == 0:
        return 1.0
    nodes, weights = normal_rule(NODES)
    slope = slope_of_score(sqrt(2 * total) * nodes, restore_tie(total, tie))
    return float(slope_of_score(np.zeros(1), tie)[0] / (weights @ slope)) ** 2


def restore_tie(total: float, tie: float) -> float:
    """Return ν of one judge on one item, of whom the mean share of ties is that of a fitted ν."""
    if tie == 0 or total == 0:
        return tie
    nodes, weights = normal_rule(NODES)
    x = sqrt(2 * total) * nodes
    wanted = tie / (2 + tie)
    low, high = log(tie), log(tie) + float(np.abs(x).max())
    for _ in range(60):
        middle = (low + high) / 2
        if float(weights @ (exp(middle) / (2 * np.cosh(x / 2) + exp(middle)))) < wanted:
            low = middle
        else:
            high = middle
    return exp((low + high) / 2)


def slope_of_score(x: Array, tie: float) -> Array:
    """Return s'(x) = ½ d/dx of 2 sinh(x/2) / (2 cosh(x/2) + ν), of the shape of x."""
    cosh, sinh = np.cosh(x / 2), np.sinh(x / 2)
    below = 2 * cosh + tie
    return np.asarray((cosh * below - 2 * sinh**2) / below**2 / 2)


# Score residuals of comparisons, and their sums over judges, items and cells of both.
#
# With x = θ_left − θ_right (log-worths) and chances P(left) : P(tie) : P(right) = e^{x/2} : ν :
# e^{−x/2}, the residual of a vote is its score by x, r = ½(1[left] − 1[right] − E), and its
# variance w = ¼ Var(1[left] − 1[right]).


@dataclass(frozen=True, eq=False)
class Residuals:
    left: Integers  # (C,) code of one system
    right: Integers  # (C,) code of the other
    size: int  # number of systems
    sums: Array  # (C,) sum of the residuals of an entry's votes
    weights: Array  # (C,) sum of their variances
    squares: Array  # (C,) sum of their squares
    weight_squares: Array  # (C,) sum of the squares of their variances


def find_residuals(tally: Tally, fit: Fit, tie: float) -> Residuals:
    x = fit.log_worth[tally.left] - fit.log_worth[tally.right]
    ends = np.stack([np.exp(x / 2), np.full_like(x, tie), np.exp(-x / 2)], axis=1)
    chances = ends / ends.sum(axis=1, keepdims=True)
    mean = chances[:, 0] - chances[:, 2]
    weight = (chances[:, 0] + chances[:, 2] - mean**2) / 4
    outcomes = (np.array([1.0, 0.0, -1.0]) - mean[:, None]) / 2
    counts = tally.counts
    n = counts.sum(axis=1)
    left, right = tally.left.astype(np.int64), tally.right.astype(np.int64)
    sums, squares = (counts * outcomes).sum(axis=1), (counts * outcomes**2).sum(axis=1)
    return Residuals(left, right, len(tally.systems), sums, n * weight, squares, n * weight**2)


def square_sums(residuals: Residuals, level: Integers) -> tuple[Array, Array]:
    """Return (G,) ‖Σ r x‖² and ‖Σ w x xᵀ‖²_F over the votes of each level."""
    k, size = residuals.size, int(level.max()) + 1
    left, right = residuals.left, residuals.right
    both = np.concatenate([level * k + left, level * k + right])
    scores = _square(both, np.concatenate([residuals.sums, -residuals.sums]), (k, size))
    diagonal = _square(both, np.tile(residuals.weights, 2), (k, size))
    pairs = (level * k + np.minimum(left, right)) * k + np.maximum(left, right)
    return scores, diagonal + 2 * _square(pairs, residuals.weights, (k**2, size))


def _square(keys: Integers, values: Array, sizes: tuple[int, int]) -> Array:
    """Return sums of squares by level of what is summed by key; a level holds sizes[0] keys."""
    cells, inverse = np.unique(keys, return_inverse=True)
    sums = _sum(inverse.reshape(-1), values, len(cells))
    return _sum(cells // sizes[0], sums**2, sizes[1])


def _sum(keys: NDArray[np.integer], values: Array, size: int) -> Array:
    return np.asarray(np.bincount(keys, values, size), dtype=np.float64)


# Variances of tastes by moments: products of residuals of two votes of one judge (or item).
#
# U = Σ_g ‖S_g‖² − Σ_c ‖S_c‖²,   D = Σ_g ‖H_g‖² − Σ_c ‖H_c‖²
#
# S and H are the sums above over all votes of a judge g, and over the votes c that
# may be correlated for other reasons, those of one judge on one item: only products of votes of one
# judge on different items are left, so that no model of their variance is needed. Worths are fitted
# to the same votes and take the mean taste of judges and of items with them, so that to first order
#
# E U_J/D_J = (1 − 1/J) R_J − R_I/I,   E U_I/D_I = (1 − 1/I) R_I − R_J/J
#
# These are solved together, none below 0. Test of R_J = 0: with R_I at hand, one-sided,
#
# z = (U_J/D_J + R_I/I) / √(2/D_J + 2/(D_I (I − 1)²))
#
# The interval takes U/D for a mean of squares, χ² on as many degrees of freedom as the differences
# between judges' U_g show; a bootstrap of judges covers less (docs/models/variance-components.md).
# Where the test does not exclude 0 the upper end is normal.

MIN_DETERMINANT: Final = 1e-6  # From here tastes of judges and of items are distinguished


@dataclass(frozen=True)
class Moment:
    variance: float  # R, not below 0
    lower: float  # lower end of its interval; 0 where the test does not exclude 0
    upper: float  # upper end; infinite where the data set no bound
    p: float  # one-sided p-value of 0


@dataclass(frozen=True, eq=False)
class Products:
    scores: Array  # (J,) U of each judge
    weights: Array  # (J,) D of each judge
    systems: int  # number of systems
    effective: float  # effective number of judges

    @property
    def ratio(self) -> float:
        return float(self.scores.sum() / self.weights.sum())

    @property
    def factor(self) -> float:
        """J/(J − 1), by what the common mean makes a variance smaller."""
        return len(self.scores) / (len(self.scores) - 1)


def sum_products(residuals: Residuals, owner: Integers, cell: Integers | None) -> Products | None:
    """Sum the products of residuals of one owner, (C,), in different cells."""
    scores, weights = square_sums(residuals, owner)
    size = len(scores)
    if cell is None:
        less_scores = _sum(owner, 2 * residuals.squares, size)
        less_weights = _sum(owner, 4 * residuals.weight_squares, size)
    else:
        n_cells = int(cell.max()) + 1  # cells are numbered within owners
        keys, inner = np.unique(owner * n_cells + cell, return_inverse=True)
        squares = square_sums(residuals, inner.reshape(-1))
        less_scores, less_weights = (_sum(keys // n_cells, values, size) for values in squares)
    u, d = scores - less_scores, weights - less_weights
    if size < 2 or float(d.sum()) <= 1e-9 * float(weights.sum()):
        return None
    loads = np.bincount(owner, residuals.weights, size)
    return Products(u, d, residuals.size, float(loads.sum() ** 2 / (loads @ loads)))


def conclude_both(judge: Products, item: Products, level: float) -> tuple[Moment, Moment]:
    """Conclude from R_J and R_I, none below 0; two judges on two items do not tell them apart."""
    variances = alone = [max(one.ratio, 0.0) * one.factor for one in (judge, item)]
    rows = [1 / judge.factor, -1 / item.effective], [-1 / judge.effective, 1 / item.factor]
    matrix = np.array(rows)
    if np.linalg.det(matrix) >= MIN_DETERMINANT:
        variances = np.linalg.solve(matrix, np.array([judge.ratio, item.ratio])).tolist()
        if min(variances) < 0:
            pairs_of = zip(variances, alone, strict=True)
            variances = [0.0 if both < 0 else single for both, single in pairs_of]
    moments = []
    for products, other, variance in ((judge, item, variances[1]), (item, judge, variances[0])):
        doubt = 2 / float(other.weights.sum()) * (other.factor / other.effective) ** 2
        moments.append(conclude(products, level, variance / other.effective, doubt))
    return moments[0], moments[1]


def conclude(products: Products, level: float, shift: float = 0.0, doubt: float = 0.0) -> Moment:
    """Return estimate, interval and test from each judge's U and D, if items say nothing else."""
    d, size, total = products.weights, len(products.scores), float(products.weights.sum())
    u, factor = products.scores + shift * d, products.factor
    chance = 2 / total + doubt
    ratio = factor * float(u.sum()) / total
    z = float(u.sum()) / total / sqrt(chance)
    p = two_sided_p(z) / 2 if z > 0 else 1 - two_sided_p(z) / 2
    quantile = normal_quantile((1 + level) / 2)
    left = u - ratio / factor * d
    error = factor * sqrt(float(left @ left) * size / (size - 1)) / total
    error *= t_quantile((1 + level) / 2, size - 1) / quantile
    if p >= 1 - level:  # 0 is not excluded
        widest = max(error, factor * sqrt(chance))
        return Moment(max(ratio, 0.0), 0.0, max(ratio, 0.0) + quantile * widest, p)
    df = min(2 * ratio**2 / error**2, (size - 1.0) * (products.systems - 1))
    from scipy.special import chdtri

    high, low = (float(chdtri(df, tail)) for tail in ((1 - level) / 2, (1 + level) / 2))
    return Moment(ratio, ratio * df / high, ratio * df / low if low > 0 else inf, p)


MIN_LEVELS: Final = 5  # Judges or items below which a note says that they are few


def estimate_taste_components(tally: Tally, *, level: float = 0.95) -> ComponentEstimates:
    try:
        with one_blas_thread():
            model = BradleyTerry(ties="davidson" if tally.ties.any() else "discard")
            fit = model.fit(tally.pool())
    except (NotIdentified, NotConverged) as refusal:
        raise refusal.without_options() from None
    tie = float(np.exp(fit.estimate[fit.names.index("g1")])) if "g1" in fit.names else 0.0
    # what judges' and items' tastes look like, and why some cannot be told
    residuals = find_residuals(tally, fit, tie)
    products, reasons = dict[str, Products](), []
    for name, other in (("judge", "item"), ("item", "judge")):
        if name not in tally.factors:
            reasons.append(f"the data do not name {name}s")
            continue
        owner = _codes(tally, name)
        # by what votes of one judge may be correlated: the item, else the ranking
        cells = [factor for factor in (other, "ranking") if factor in tally.factors]
        summed = sum_products(residuals, owner, _codes(tally, cells[0]) if cells else None)
        if summed is not None:
            products[name] = summed
        elif owner.max() == 0:
            reasons.append(f"there is one {name}: nothing can be said of how {name}s differ")
        else:
            why = f"no {name} has judgments of several {other}s"
            reasons.append(f"{TASTES[name]} cannot be told from chance: {why}")
    moments = {name: conclude(summed, level) for name, summed in products.items()}
    if len(products) == 2:
        both = conclude_both(products["judge"], products["item"], level)
        moments = dict(zip(("judge", "item"), both, strict=True))
    if not moments:
        raise NotIdentified(
            "nothing can be said of tastes: " + "; ".join(reasons),
            [
                "say which columns name judges and items (--column judge=NAME)",
                "collect judgments of several judges on the same items",
            ],
        )
    looks = {name: moment.variance for name, moment in moments.items()}
    growth = restore(sum(looks.values()), tie)
    sharing = {TASTES[name]: 2 / tally.factor(name).effective for name in moments}
    # the mean variance of differences of log-worths by the pooled model
    vcov, k = fit.worth_vcov, len(fit.systems)
    by_chance = 2 * float(np.trace(vcov) - vcov.sum() / k) / (k - 1)
    # how far systems are from each other, less what their errors add
    error = by_chance + sum(looks[name] * sharing[TASTES[name]] for name in looks)
    variance = max(float(fit.log_worth.var(ddof=1)) - error / 2, 0.0) * growth
    components, notes = [], []
    for name, moment in moments.items():
        # on the scale of tastes; the ends of the interval grow by themselves
        ends = []
        for end in (moment.variance, moment.lower, moment.upper):
            try:
                ends.append(sqrt(end * restore(sum({**looks, name: end}.values()), tie)))
            except NotIdentified:
                ends.append(inf)
        sd, lower, upper = ends
        size = int(_codes(tally, name).max()) + 1
        interval = (lower, upper, moment.p)
        components.append(Component(TASTES[name], sd, size, *interval, how="moments"))
        if size < MIN_LEVELS:
            notes.append(say("few-levels", levels=size, name=name))
    components.sort(key=lambda component: ORDER.index(component.name))
    system = Component(SYSTEM, sqrt(variance), k, how="moments")
    return ComponentEstimates(
        (system, *components),
        "moments",
        sharing,  # 2/J, with J the effective number of judges, or items
        tuple(reasons),
        (*fit.notes, *notes),
        growth,
        by_chance * tally.n_comparisons,
    )


TASTES: Final = {"judge": JUDGE_SYSTEM, "item": ITEM_SYSTEM}
ORDER: Final = (ITEM_SYSTEM, JUDGE_SYSTEM)


def _codes(tally: Tally, name: str) -> NDArray[np.int64]:
    codes = np.unique(tally.factor(name).codes, return_inverse=True)[1]
    return codes.reshape(-1).astype(np.int64)

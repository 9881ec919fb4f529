"""The power that a design is expected to have in closed form, and the cheapest that does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import floor, inf, isinf
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator

from evenhand.data.coding import SEED
from evenhand.data.tally import Tally
from evenhand.design.power import MOST, Design, Truth, average_answers, name_pair
from evenhand.design.spec import CampaignSpec
from evenhand.errors import NotConverged, NotIdentified, listing
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics import Array
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.multiple_tests import order_statistic
from evenhand.ranking.intervals import MIN_CLUSTERS

# The model's fit to the shares of answers that are expected of all judges and items together gives
# the pooled log-worths Δ, which tastes pull towards each other, and v, the variance that one
# judgment in all would leave. A judge's taste moves the answers to two of his judgments alike: to
# first order
#
# Var(θ̂_s − θ̂_t) = v/n + σ_J² T Σ_j n_j (n_j − 1)/n² + σ_I² T Σ_i m_i (m_i − 1)/m² + same pair
#
# with T = c′H⁺M²H⁺c, H the information of one judgment, M how far a judgment moves with taste, n_j
# judgments of a judge and m_i output pairs of an item; two judgments of one output pair covary
# through that pair alone. With all pairs compared alike T is nearly 2, and with many judgments this
# is the D-study 2σ_J²/J′ + 2σ_I²/I′ + v/n (Brennan 2001, Generalizability Theory, chapter 4).
# Errors are taken for normal, and the fit for one that exists: it is not the last word.


@dataclass(frozen=True, eq=False)
class PowerInputs:
    """What is expected of a campaign whatever its size. Matrices are (K, K), row less column."""

    apart: Array  # differences of pooled log-worths, or of points
    chance: Array  # v, of one judgment in all
    taste: Array  # T of votes on different output pairs
    same: Array  # the same of two votes on one output pair
    judge_sd: float  # σ_J
    item_sd: float  # σ_I

    def vary(self, design: Design) -> dict[str, Array]:
        """Return what judges, items and chance add to the variance of each difference, (K, K)."""
        n, m = design.judgments, design.outputs
        of_judges = design.shares() * n
        each, more = divmod(m, design.items)  # outputs of an item; so many have one more
        pairs = more * (each + 1) * each + (design.items - more) * each * (each - 1)
        group = design.overlap * design.repeats
        repeated = max(design.repeats - 1, 0) / n  # pairs of one judge on one output pair, / n²
        within = max(group - 1, 0) / n
        by_judge = max(float((of_judges * (of_judges - 1)).sum()) / n**2 - repeated, 0.0)
        by_item = pairs / m**2
        return {
            "judges": self.judge_sd**2 * (by_judge * self.taste + repeated * self.same),
            "items": self.item_sd**2 * (by_item * self.taste + within * self.same),
            "chance": self.chance / n,
        }

    def draw_errors(self, design: Design) -> Array | None:  # noqa: ARG002 - others have some
        """Return (B, P) errors as they are estimated, over true ones; None for those of a t."""
        return None

    def bound(self, design: Design) -> Array:
        """Return (K, K) what tastes leave, however many judgments these judges give."""
        judges = float((design.shares() ** 2).sum())
        return self.taste * (self.judge_sd**2 * judges + self.item_sd**2 / design.items)

    def beyond(self, design: Design, times: float) -> Array:
        """Return (K, K) the variance with so many times more judgments; inf for without end."""
        bound = self.bound(design)
        now: Array = np.sum(list(self.vary(design).values()), axis=0)
        return bound + (now - bound) / times


@dataclass(frozen=True, eq=False)
class PointInputs(PowerInputs):
    """The same of scores, which are linear: nothing depends on worths.

    docs/planning.md has the formula. What items and chance add grows by what it costs to remove
    severity: judges see systems and items at random, and their J − 1 effects take as many of the
    dimensions that items leave, n less repeats less I.
    """

    def vary(self, design: Design) -> dict[str, Array]:
        n, k = design.judgments, len(self.apart)
        of_judges, each = design.shares() * n, design.outputs / k
        repeated = (design.repeats - 1) / n
        by_judge = max(float((of_judges * (of_judges - 1)).sum()) / n**2 - repeated, 0.0)
        times, more = divmod(each, design.items)  # outputs of one system on each item
        by_item = (design.items - more) * times**2 + more * (times + 1) ** 2
        left = max(n / design.repeats - design.items, 1.0)
        removed = min((design.judges - 1) / left, MAX_REMOVED)
        return {
            "judges": self.taste * self.judge_sd**2 * (by_judge + k * (repeated + 1 / n)),
            "items": self.taste * self.item_sd**2 * by_item / each**2 / (1 - removed),
            "chance": self.chance / n / (1 - removed),
        }

    def draw_errors(self, design: Design) -> Array | None:
        """Return (B, P) errors as they are estimated, over true ones.

        V = max(V_J, V_I, V_J + V_I − V_JI) is larger than the variance on average: what judges or
        items add counts where it is estimated above 0, and never below.
        """
        parts = {name: part[0, 1] for name, part in self.vary(design).items()}
        if not 1 < design.items < design.judgments:
            return None
        n, k = design.judgments, len(self.apart)
        # tastes of one way, as single scores, are in the sums of the other
        alone = [2 * k * sd**2 / n for sd in (self.judge_sd, self.item_sd)]
        cells = parts["chance"] + sum(alone)
        judges = parts["judges"] + parts["chance"] + alone[1]
        items = parts["items"] + parts["chance"] + alone[0]
        by_judge = judges * draw_null(k, find_df(replace(design, items=1)))[1] ** 2 - cells
        by_item = items * draw_null(k, design.items - 1.0)[1][::-1] ** 2 - cells
        both = np.maximum(by_judge, 0) + np.maximum(by_item, 0)
        more = np.where(both > 0, both, np.maximum(by_judge, by_item))
        return np.asarray(np.sqrt((cells + more) / sum(parts.values())))


MAX_REMOVED: Final = 0.9  # Most of the information on systems that effects of judges take


def predict_errors(truth: Truth, design: Design) -> PowerInputs:
    if truth.noise_sd is not None:
        worth, k = truth.worth - truth.worth.mean(), len(truth.systems)
        two = 2 * (1 - np.eye(k))
        chance, apart = k * truth.noise_sd**2 * two, worth[:, None] - worth
        return PointInputs(apart, chance, two, two, truth.judge_sd, truth.item_sd)
    first, second = design.compared(len(truth.systems))
    x, share = truth.worth[first] - truth.worth[second], 1 / len(first)
    chances, slope = average_answers(x, truth)
    sides = (first.astype(np.int32), second.astype(np.int32))
    scale = 1e6  # the fit's notes speak of thin data below
    wins, drawn, losses = chances * share * scale
    tally = Tally(truth.systems, *sides, wins, drawn, losses, n_judgments=scale)
    try:
        fit = BradleyTerry(ties="davidson" if truth.tie > 0 else "discard").fit(tally)
    except (NotIdentified, NotConverged) as refusal:
        raise refusal.without_options() from None
    rows = np.zeros((len(first), len(truth.systems)))
    rows[np.arange(len(first)), first], rows[np.arange(len(first)), second] = 1, -1
    decided = 1.0 - chances[1]
    spread = (decided - (chances[0] - chances[2]) ** 2) / 4
    moved = slope * share
    inverse = np.linalg.pinv((rows.T * (spread * share)) @ rows, hermitian=True)
    shift = inverse @ ((rows.T * moved) @ rows)
    alone = inverse @ (2 * (rows.T * (slope * moved)) @ rows) @ inverse
    pooled = fit.log_worth - fit.log_worth.mean()
    apart = pooled[:, None] - pooled
    chance, taste, same = (  # variances of differences
        np.diag(one)[:, None] + np.diag(one) - 2 * one
        for one in (fit.worth_vcov, shift @ shift.T, alone)
    )
    return PowerInputs(apart, chance * scale, taste, same, truth.judge_sd, truth.item_sd)


# One pair is decided with the probability of a noncentral t. Of several pairs the critical value
# falls whenever one is decided, as in the step-down of rank sets: t of all pairs is drawn together,
# and the pairs that are left after each step are taken to be those that are hardest to decide.

REPLICATES: Final = 1_999
FEWER_REPLICATES: Final = 399
MAX_PAIRS_IN_ALL_REPLICATES: Final = 200  # Pairs above which fewer null_replicates are drawn
# Degrees of freedom above which every pair is given the same error
MAX_DF_OF_OWN_ERRORS: Final = 60
QUANTILES: Final = 200
STEPS: Final = 40  # Of bisection


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of one design. Matrices are (K, K)."""

    power: Array  # probability that a pair is decided the right way (proportion); 0 between equals
    critical: float  # critical value of |t| at the first step


def expect(
    inputs: PowerInputs, design: Design, level: float, variance: Array | None = None
) -> Expected:
    """Return what is expected of a design, at a level of all pairs together (proportion).

    variance: (K, K) of differences, where not that of the design; 0 decides whatever differs.
    """
    if variance is None:
        variance = np.asarray(np.sum(list(inputs.vary(design).values()), axis=0))
    k = len(inputs.apart)
    first, second = np.triu_indices(k, 1)
    apart, error = np.abs(inputs.apart[first, second]), np.sqrt(variance[first, second])
    endless = np.where(apart > 0, np.inf, 0.0)
    size = np.divide(apart, error, out=endless, where=error > 0)
    df = find_df(design)
    power = np.zeros((k, k))
    null_apart, null_error = draw_null(k, df)
    order = np.argsort(size.round(9), kind="stable")  # equal ones by name, not by their last digit
    null = np.abs(null_apart / null_error)[:, order]
    limits = order_statistic(np.maximum.accumulate(null, axis=1), level)  # of the m smallest
    estimated = inputs.draw_errors(design)
    shown_error = null_error if estimated is None else estimated
    drawn = (null_apart + size)[:, order] / shown_error[:, order]
    left = np.full(len(drawn), len(size))
    while True:
        beyond = np.abs(drawn) > limits[left - 1][:, None]
        still = len(size) - beyond.sum(axis=1)
        still = np.where(still == 0, 1, still)
        if (still >= left).all():
            break
        left = np.minimum(left, still)
    of_pair, critical = np.empty(len(size)), float(limits[-1])
    of_pair[order] = (beyond & (drawn > 0)).mean(axis=0)
    if len(size) == 1:
        of_pair = find_power(size, critical, df)
    if design.effective_judges >= MIN_CLUSTERS - 1e-9:
        power[first, second] = np.where(size > 0, of_pair, 0.0)
    return Expected(power + power.T, critical)


def find_df(design: Design) -> float:
    """Return degrees of freedom: clusters less one, the fewest of both ways that cluster."""
    clusters = design.effective_judges
    if 1 < design.items < design.judgments:
        clusters = min(clusters, float(design.items))
    return round(max(clusters - 1, 1.0), 2)


@cache
def draw_null(systems: int, df: float) -> tuple[Array, Array]:
    """Return (B, P) gaps of all pairs where no systems differ, and their errors, as true ones are.

    The seed is fixed, so that more judgments never seem to decide less by chance.
    """
    rng = Generator(PCG64(SEED))
    first, second = np.triu_indices(systems, 1)
    many = REPLICATES if len(first) <= MAX_PAIRS_IN_ALL_REPLICATES else FEWER_REPLICATES
    drawn = rng.standard_normal((many, systems))
    apart = (drawn[:, first] - drawn[:, second]) / np.sqrt(2)
    if df > MAX_DF_OF_OWN_ERRORS:
        common = np.sqrt(rng.chisquare(df, (many, 1)) / df)
        return apart, np.broadcast_to(common, apart.shape)
    variance, clusters = np.zeros_like(apart), max(round(df), 1)
    for _ in range(clusters):
        cluster = rng.standard_normal((many, systems))
        variance += (cluster[:, first] - cluster[:, second]) ** 2 / 2
    return apart, np.sqrt(variance / clusters)


def find_power(size: Array, critical: float, df: float) -> Array:
    """Return the chance that t is beyond a critical value; size: (P,) gaps over their errors."""
    from scipy.special import gammaincinv, ndtr

    if isinf(df):
        return np.asarray(ndtr(size - critical))
    middle = (np.arange(QUANTILES) + 0.5) / QUANTILES
    stretch = np.sqrt(2 * gammaincinv(df / 2, middle) / df)
    return np.asarray(ndtr(size[:, None] - critical * stretch).mean(axis=1))


def find_size(power: float, critical: float, df: float) -> float:
    """Return the gap over its error that is decided with a power: the inverse of `find_power`."""
    low, high = 0.0, critical + 10.0
    while find_power(np.array([high]), critical, df)[0] < power:
        high *= 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        reached = find_power(np.array([middle]), critical, df)[0] >= power
        low, high = (low, middle) if reached else (middle, high)
    return high


# Items that a plan needs where items differ. Of five, no pair has quite five effective ones, and
# `rank` passes over items that are so few: then its boards are about those items only, and of 25
# boards of four equal systems on 5 items (sd .6) 17 decided something.
LEAST_ITEMS: Final = 6
# Effective judges that a plan needs where judges differ, for the same reason: of 40 boards of
# five judges (sd .6, three systems alike) 24 decided something false of judges at large
LEAST_JUDGES: Final = 6
LESS: Final = "ask for less (resolve, power)"


def refuse_idle_judges(design: Design) -> None:
    """Refuse a design in which some judge has nothing to judge."""
    if design.judgments < design.judges * design.repeats:
        twice = f" {design.repeats} times" if design.repeats > 1 else ""
        most = design.judgments // design.repeats
        raise NotIdentified(
            f"{design.judgments:,} judgments leave some of {design.judges:,} judges without"
            f" any: each is to see at least one output pair{twice}",
            [
                f"plan {design.judges * design.repeats:,} judgments or more",
                f"plan {most:,} judges or fewer" if most else "ask for fewer repeats",
            ],
        )


def refuse_repeated(spec: CampaignSpec, design: Design) -> None:
    """Refuse more judgments than judges can give who see each output, or pair, once."""
    n, each = design.judgments, spec.kinds * spec.repeats
    items = spec.items or design.items
    if spec.truth.rated and not spec.items:  # the last item may be rated in part
        items = min(items + 1, -(-design.outputs // spec.kinds))
    if n > (most := spec.count_most(design.judges, items)):
        raise NotIdentified(
            f"{n:,} judgments by {design.judges:,} judges on {items:,} items are more than"
            f" the {most:,} there can be: a judge judges each of"
            f" {items * spec.kinds:,} {'outputs' if spec.truth.rated else 'output pairs'}"
            f" {'once' if spec.repeats == 1 else f'{spec.repeats} times'}",
            [
                f"plan {-(-n // (design.judges * each)):,} items or more",
                *[f"plan {-(-n // (items * each)):,} judges or more"] * (not spec.each),
            ],
        )


def check_clusters(spec: CampaignSpec, design: Design) -> None:
    """Refuse fewer than five effective judges; of judges or items that differ, fewer than six."""
    effective = design.effective_judges
    least = LEAST_JUDGES if spec.truth.judge_sd > 0 else MIN_CLUSTERS
    if effective < least - 1e-9:
        many, remedies = f"{design.judges} judges", [f"plan {least:.0f} judges or more, better 10"]
        if spec.loads == "zipf":
            many += f" with such unequal loads count as {effective:.1f}"
            remedies.append("spread the load evenly")
        raise NotIdentified(
            f"{many}: with fewer than {least:.0f} effective judges nothing is decided about judges"
            " at large, whatever they say",
            remedies,
        )
    if spec.truth.item_sd > 0 and design.items < LEAST_ITEMS:
        raise NotIdentified(
            f"{design.items} item{'s' * (design.items != 1)}: with fewer than {LEAST_ITEMS} nothing"
            " shows how items differ, and what is decided holds for these items only",
            [f"plan {LEAST_ITEMS} items or more, better 10"],
        )


def _ask_less(spec: CampaignSpec, power: Array) -> list[str]:
    """Say from which difference on pairs can be decided; asking for less power is the last way."""
    places, worth = range(len(spec.truth.log_worth)), spec.truth.log_worth
    pairs = [(a, b) for a in places for b in places if worth[a] > worth[b]]
    gaps = {pair: worth[pair[0]] - worth[pair[1]] for pair in pairs}
    short = max((gaps[pair] for pair in pairs if power[pair] < spec.power), default=0.0)
    apart = (floor(100 * short + 1e-6) + 1) / 100
    wide = sum(gap >= apart for gap in gaps.values())
    if not wide:
        return ["ask for less (power)" if len(pairs) == 1 else LESS]
    which = f"the {wide} of {len(pairs)} pairs" if wide > 1 else f"the one of {len(pairs)} pairs"
    return [f"ask for {which} at least {apart:g} apart (--resolve {apart:g})", LESS]


def _name_panel(spec: CampaignSpec, design: Design) -> str:
    many = f"{design.judges:,} judges" + ("" if spec.judges is not None else ", the most planned,")
    return many if spec.items is None else f"{many} on {design.items:,} items"


# Numbers that are tried
JUDGES: Final = (6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 1_000)
ITEMS: Final = (10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 1_000, 2_000, 5_000)
MANY_ITEMS: Final = 5_000  # Items while judges are looked for
# Fewer judges are taken, where a judge has no price, for at most so many times more judgments
MAX_JUDGMENT_RATIO: Final = 1.5
SLACK: Final = 1.1  # The same of items
# The same of judges where a design was stated with too few: who stated few can hardly get many
FEW_STATED: Final = 3.0


@dataclass(frozen=True, eq=False)
class Search:
    spec: CampaignSpec  # what was asked

    def __post_init__(self) -> None:
        # systems are never compared, or not with the others
        if self.spec.pairs is None:
            return
        names = self.spec.truth.systems
        seen = {place for pair in self.spec.pairs for place in pair}
        never = [name for place, name in enumerate(names) if place not in seen]
        if never:
            raise NotIdentified(
                f"{listing(never)} {'is' if len(never) == 1 else 'are'} never compared",
                ["add pairs to compare", "leave these systems out"],
            )
        first, second = np.array(self.spec.pairs, dtype=np.int64).T
        group = weak_components(Graph(len(names), first, second)).tolist()
        linked = [[name for name, at in zip(names, group, strict=True) if at == g] for g in group]
        if max(group) > min(group):
            parts = " | ".join(dict.fromkeys(listing(members) for members in linked))
            raise NotIdentified(
                f"the pairs to compare do not link all systems: {parts}",
                ["add at least one pair across each bar"],
            )

    @cached_property
    def inputs(self) -> PowerInputs:
        return predict_errors(self.spec.truth, self.spec.design(max(JUDGES), 10, MOST))

    def expect(self, design: Design) -> Expected:
        return expect(self.inputs, design, self.spec.level)

    def weakest(self, design: Design) -> float:
        """Return the least power of the pairs that are to be decided (proportion)."""
        power = self.expect(design).power
        return min(float(power[pair]) for pair in self.spec.targets)

    def find(self) -> Design:
        """Return the stated design; where numbers are missing, the cheapest that does."""
        spec = self.spec
        known = max(JUDGES) if spec.judges is None else spec.judges
        check_clusters(spec, spec.design(known, spec.items or MANY_ITEMS, MOST))
        items = spec.items or MANY_ITEMS
        stated = spec.judgments
        if stated is None and spec.each is not None and spec.judges is not None:
            stated = spec.each * spec.judges
        if stated is not None and spec.judges is not None:
            items = spec.items or self._fewest_items(spec.judges, stated)
            return self._checked(spec.design(spec.judges, items, stated))
        if spec.each is not None or stated is not None:
            judges, n = self._fewest_judges(items, stated)
            return self._checked(spec.design(judges, spec.items or self._items(judges, n), n))
        judges, n = self.find_cheapest(items)
        if spec.items is None:
            items = self._items(judges, n)
            n = self.need(judges, items) or n
        return self._checked(spec.design(judges, items, n))

    def _checked(self, design: Design) -> Design:
        refuse_repeated(self.spec, design)
        check_clusters(self.spec, design)
        refuse_idle_judges(design)
        return design

    def grow(self, design: Design, judgments: int) -> Design:
        """Return a larger design, on more items where there were as many as output pairs."""
        items = self.spec.items or design.items
        if self.spec.items is None and design.items == design.outputs:
            items = max(items, self._fewest_items(design.judges, judgments))
        most = self.spec.count_most(design.judges, items)
        return self.spec.design(design.judges, items, min(judgments, most))

    def frontier(self, items: int) -> list[Design]:
        """Return the fewest judgments that do for each number of judges."""
        return [self.spec.design(judges, items, n) for judges, n in self._panels(JUDGES, items)]

    def need(self, judges: int, items: int) -> int | None:
        """Return the fewest judgments with which a panel does; None where no number does."""
        if judges < self.spec.overlap:
            return None

        def reaches(n: int) -> bool:
            return self.weakest(self.spec.design(judges, items, n)) >= self.spec.power

        most = self.spec.count_most(judges, items)
        if not reaches(most):
            return None
        low, high = 1, MOST  # low does not do, high does
        while high / low > 1.005 and high - low > 1:
            middle = int(np.sqrt(low * high)) if high > 4 * low else (low + high) // 2
            low, high = (low, middle) if reaches(max(middle, 1)) else (middle, high)
        return min(max(high, judges * self.spec.repeats), most)

    def find_cheapest(self, items: int) -> tuple[int, int]:
        choices = JUDGES if self.spec.judges is None else (self.spec.judges,)
        panels = self._panels(choices, items)
        if not panels:
            raise self.refuse(choices[-1], items)
        return self._choose(panels, items)

    def _panels(self, choices: Sequence[int], items: int) -> list[tuple[int, int]]:
        needs = ((judges, self.need(judges, items)) for judges in choices)
        return [(judges, n) for judges, n in needs if n is not None]

    def _choose(
        self, panels: Sequence[tuple[int, int]], items: int, times: float = MAX_JUDGMENT_RATIO
    ) -> tuple[int, int]:
        """Return the panel of least cost; a smaller one for little more where judges are free."""
        prices = self.spec.prices
        cost = {one: prices.cost(self.spec.design(one[0], items, one[1])) for one in panels}
        least = min(cost.values()) * (times if prices.judge == 0 else 1.0)
        return next(one for one in panels if cost[one] <= least)

    def _fewest_judges(self, items: int, stated: int | None) -> tuple[int, int]:
        """Return the fewest judges, each with the stated load, or sharing the stated judgments."""
        spec = self.spec
        choices = JUDGES if spec.judges is None else (spec.judges,)
        one_by_one = (*range(5, 101), *range(105, max(JUDGES) + 1, 5))
        for judges in one_by_one if len(choices) > 1 else choices:
            n = stated or judges * (spec.each or 1)
            design = spec.design(judges, items, n) if judges >= spec.overlap else None
            fits = n <= spec.count_most(judges, items)
            if design is not None and fits and self.weakest(design) >= spec.power:
                return judges, n
        if stated is not None:
            judges, n = self.find_cheapest(items)
            raise NotIdentified(
                f"{stated:,} judgments are too few, however many judges give them",
                [f"plan {n:,} judgments by {judges} judges", "ask for less (resolve, power)"],
            )
        most = min(choices[-1], MOST // (spec.each or 1))
        design = self._checked(spec.design(most, items, most * (spec.each or 1)))
        less = "1 judgment of each judge is"
        if spec.each != 1:
            less = f"{spec.each:,} of each judge are"
        raise NotIdentified(
            f"{less} too few: {most:,} judges reach power {self.weakest(design):.2f}",
            [self._say_enough(spec.judges or min(JUDGES), items), LESS],
        )

    def _items(self, judges: int, n: int) -> int:
        """Return the fewest items that cost few more judgments than very many would."""
        if self.spec.truth.item_sd == 0:
            return self._usual_items(n)
        for items in ITEMS:
            need = self.need(judges, items)
            if need and need <= SLACK * n <= SLACK * self.spec.count_most(judges, items):
                return items
        return MANY_ITEMS

    def _fewest_items(self, judges: int, n: int) -> int:
        """Return the fewest items with which a stated number of judgments tells nearly as much."""
        if self.spec.truth.item_sd == 0:
            return self._usual_items(n)

        def vary(items: int) -> float:
            if n > self.spec.count_most(judges, items):
                return inf
            parts = self.inputs.vary(self.spec.design(judges, items, n))
            total = np.sum(list(parts.values()), axis=0)
            return float(np.mean([total[pair] for pair in self.spec.targets]))

        best = vary(MANY_ITEMS)
        if best == inf:
            return MANY_ITEMS
        return next((items for items in ITEMS if vary(items) <= SLACK * best), MANY_ITEMS)

    def _usual_items(self, n: int) -> int:
        """Return items where they do not matter: so many that few output pairs come twice."""
        outputs = n / (self.spec.overlap * self.spec.repeats)
        return next((items for items in ITEMS if items * self.spec.kinds >= outputs), MANY_ITEMS)

    def refuse(self, judges: int, items: int) -> NotIdentified:
        spec, inputs = self.spec, self.inputs
        design = spec.design(judges, items, spec.count_most(judges, items))
        remedy = self._say_enough(spec.judges or min(JUDGES), items)

        def predict_power(times: float) -> Array:
            variance = inputs.beyond(design, times)
            return expect(inputs, design, spec.level, variance).power

        last = predict_power(inf)
        pair = min(spec.targets, key=lambda one: float(last[one]))
        if last[pair] < spec.power:
            sds = (("judges", spec.truth.judge_sd), ("items", spec.truth.item_sd))
            left = float(inputs.bound(design)[pair]) ** 0.5
            return NotIdentified(
                f"no number of judgments by {_name_panel(spec, design)} decides"
                f" {name_pair(spec.truth, pair)} with power {spec.power:g}: the tastes of"
                f" {' and '.join(name for name, sd in sds if sd > 0)} leave a standard error of"
                f" {left:.2g} of a difference of {abs(float(inputs.apart[pair])):.2g}"
                f"{' points' if spec.truth.rated else ' in the worths of all judges together'},"
                f" and power ends at {float(last[pair]):.2f}",
                [remedy, *_ask_less(spec, last)],
            )
        # a number does, and the campaign is too large to be planned: how many times more judgments?
        power = predict_power(1.0)
        least, pair = min((float(power[pair]), pair) for pair in spec.targets)

        def reaches(times: float) -> bool:
            power = predict_power(times)
            return min(float(power[pair]) for pair in spec.targets) >= spec.power

        low, high = 1.0, 2.0
        while not reaches(high):
            low, high = high, 2 * high
        while high / low > 1.02:
            middle = (low * high) ** 0.5
            low, high = (low, middle) if reaches(middle) else (middle, high)
        need, bar = float(f"{high * design.judgments:.2g}"), "they can give, each pair once"
        if design.judgments == MOST:
            bar = "Evenhand plans"
            remedy = "plan for the gap that matters (--gap, in Python gap=)"
        return NotIdentified(
            f"{name_pair(spec.truth, pair)} is a difference of"
            f" {abs(float(inputs.apart[pair])):.2g}, and it takes some {need:,.0f} judgments by"
            f" {_name_panel(spec, design)} to decide it with power {spec.power:g}: more than {bar}"
            f" ({design.judgments:,} reach power {least:.2f})",
            [remedy, *_ask_less(spec, power)],
        )

    def enough(self, judges: int, items: int) -> Design | None:
        """Return how many judges, on how many items, are enough; None if nothing is."""
        panels = (judges, *(one for one in JUDGES if one > judges))
        for choices, many in ((panels, items), ((judges,), MANY_ITEMS), (panels, MANY_ITEMS)):
            panel = self._panels(choices, many)
            if panel:
                chosen, n = self._choose(panel, many, FEW_STATED)
                more = items if many == items else self._items(chosen, n)
                return self.spec.design(chosen, more, self.need(chosen, more) or n)
        return None

    def _say_enough(self, judges: int, items: int) -> str:
        design = self.enough(judges, items)
        if design is None:
            return f"leave out pairs that are nearly equal: {max(JUDGES):,} judges do not do either"
        on = "" if design.items <= items else f" on {design.items:,} items"
        return f"plan {design.judges:,} judges{on} ({design.judgments:,} judgments)"

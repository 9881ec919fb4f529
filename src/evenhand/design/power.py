"""A planned campaign, its power by simulation, and what more judgments would decide of a board.

For the latter, worths are drawn as they may be, together as those of a pilot (`pilot.py`). With t
times as many judgments, by as many more judges and on as many more items, the estimates will be

    θ̂_t = θ̂/t + (1 − 1/t) θ + ε,   ε ~ N(0, V (t − 1)/t²)

and a pair is decided if it is beyond c s/√t, with c of the last step of rank sets today: with more
pairs decided c would fall a little. docs/planning.md says when not to use that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite, sqrt
from typing import Any, Final, Literal

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

from evenhand.data.coding import SEED
from evenhand.data.groups import Levels
from evenhand.data.rating_rows import RatingRows
from evenhand.data.tally import Factor, Tally
from evenhand.errors import NotConverged, NotIdentified, UnknownOption, listing, require_option
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.models.means import Adjusted
from evenhand.models.rating_fit import RatingFit
from evenhand.models.variance_components import find_growth, restore_tie, slope_of_score
from evenhand.numerics import Array, Integers
from evenhand.numerics.distributions import normal_quantile, normal_rule
from evenhand.ranking.clustering import Evidence, merge_factors
from evenhand.ranking.inference import Settings
from evenhand.ranking.intervals import MIN_CLUSTERS, POWER, find_times
from evenhand.ranking.rank import make_ranking
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.ratings import rank_scores

# Systems and tastes as they may be, and who judges what:
#
# x = (θ_s + b_js + u_is) − (θ_t + b_jt + u_it),   b ~ N(0, σ_J²), u ~ N(0, σ_I²)
# P(s preferred) : P(tie) : P(t preferred) = e^{x/2} : ν : e^{−x/2}
#
# An output pair is one item answered by two systems. `overlap` different judges see each output
# pair, each of them `repeats` times. Of ratings, y = θ_s + b_js + u_is + e with e ~ N(0, σ_E²), in
# points; an output is one item answered by one system, and items are answered by all systems.
# Severity and difficulty are removed by the analysis.

Loads = Literal["equal", "zipf"]
LOADS: Final = ("equal", "zipf")
MOST_SYSTEMS: Final = 50
MOST: Final = 2_000_000  # Most judgments that are planned


@dataclass(frozen=True)
class Truth:
    systems: tuple[str, ...]  # names
    log_worth: tuple[float, ...]  # θ of each (natural log-odds; of ratings, points)
    ties: float = 0.0  # share of ties between equals, of one judge on one item
    judge_sd: float = 0.0  # σ_J, of a judge's taste for a system (log-worth, or points)
    item_sd: float = 0.0  # σ_I, of how much better a system does on one item (the same)
    noise_sd: float | None = None  # σ_E, of one score by chance (points); None for comparisons

    def __post_init__(self) -> None:
        if not 2 <= len(self.systems) <= MOST_SYSTEMS:
            raise UnknownOption(
                f"{len(self.systems)} systems cannot be planned for: 2 to {MOST_SYSTEMS} can"
            )
        twice = [one for one in dict.fromkeys(self.systems) if self.systems.count(one) > 1]
        if twice:
            raise UnknownOption(f"two systems have one name: {listing(twice)}")
        if len(self.log_worth) != len(self.systems):
            raise UnknownOption(
                f"there are {len(self.systems)} systems and {len(self.log_worth)} worths: give one"
                " worth for each"
            )
        if not all(isfinite(one) for one in self.log_worth):
            raise UnknownOption(f"worths are finite numbers, such as 0.4, in {self.unit}")
        if not 0 <= self.ties < 1:
            raise UnknownOption(f"ties cannot be {self.ties:g}: a share from 0 to below 1, as .2")
        if self.rated and self.ties:
            raise UnknownOption("ties are of comparisons, and scores are planned: leave out ties")
        for name, sd in self.sds.items():
            if not (isfinite(sd) and sd >= 0):
                raise UnknownOption(f"{name} cannot be {sd:g}: it is 0 or more, in {self.unit}")

    @classmethod
    def spaced(
        cls,
        systems: int,
        gap: float,
        *,
        ties: float = 0.0,
        judge_sd: float = 0.0,
        item_sd: float = 0.0,
        noise_sd: float | None = None,
    ) -> Truth:
        """Return systems S1, S2 ..., best first, each so much better than the next."""
        names = tuple(f"S{number}" for number in range(1, systems + 1))
        worth = tuple(gap * number for number in range(systems - 1, -1, -1))
        return cls(names, worth, ties, judge_sd, item_sd, noise_sd)

    @property
    def rated(self) -> bool:
        return self.noise_sd is not None

    @property
    def unit(self) -> str:
        return "points" if self.rated else "log-worth"

    @property
    def sds(self) -> dict[str, float]:
        sds = {"judge_sd": self.judge_sd, "item_sd": self.item_sd}
        return sds if self.noise_sd is None else {**sds, "noise_sd": self.noise_sd}

    @property
    def per_item(self) -> int:
        """How many outputs one item has, or pairs of them."""
        k = len(self.systems)
        return k if self.rated else k * (k - 1) // 2

    @property
    def tie(self) -> float:
        """ν, with which equals tie as often as was said: ν / (2 + ν)."""
        return 2 * self.ties / (1 - self.ties)

    @cached_property
    def worth(self) -> Array:
        return np.array(self.log_worth, dtype=np.float64)

    def find(self, name: str) -> int:
        if name not in self.systems:
            raise UnknownOption(f"there is no system '{name}': there are {listing(self.systems)}")
        return self.systems.index(name)


@dataclass(frozen=True)
class Design:
    judges: int  # J
    items: int  # I
    judgments: int  # n, of all judges together
    overlap: int = 1  # different judges for each output pair
    repeats: int = 1  # how often each of them sees it
    loads: Loads = "equal"  # judgments per judge: equal, or zipf, with P(j) ∝ 1/(j + 1)
    pairs: tuple[tuple[int, int], ...] | None = None  # compared, by place; None for all

    def __post_init__(self) -> None:
        require_option("loads", self.loads, LOADS)
        for name in ("judges", "items", "judgments", "overlap", "repeats"):
            if getattr(self, name) < 1:
                raise UnknownOption(f"{name} cannot be {getattr(self, name)}: one or more")
        if self.judgments > MOST:
            raise UnknownOption(
                f"{self.judgments:,} judgments are more than are planned here: at most {MOST:,}"
            )
        if self.overlap > self.judges:
            raise UnknownOption(
                f"{self.overlap} judges for each output pair need as many judges: there are"
                f" {self.judges}"
            )

    @property
    def outputs(self) -> int:
        return -(-self.judgments // (self.overlap * self.repeats))

    def compared(self, systems: int) -> tuple[Integers, Integers]:
        """Return (P,) first and (P,) second system of the pairs that are compared."""
        if self.pairs is None:
            first, second = np.triu_indices(systems, 1)
            return first.astype(np.int64), second.astype(np.int64)
        chosen = np.array(self.pairs, dtype=np.int64)
        return chosen[:, 0], chosen[:, 1]

    def shares(self) -> Array:
        """Return (J,) the share of judgments that each judge is expected to give."""
        if self.loads == "equal":
            return np.full(self.judges, 1 / self.judges)
        chance = 1 / np.arange(1, self.judges + 1)
        return np.asarray(chance / chance.sum())

    @property
    def effective_judges(self) -> float:
        """(Σ n)² / Σ n²."""
        return float(1 / (self.shares() ** 2).sum())

    def to_dict(self) -> dict[str, Any]:
        shown = dict(vars(self))
        shown.pop("pairs")
        return {**shown, "outputs": self.outputs, "effective_judges": self.effective_judges}


@dataclass(frozen=True)
class Prices:
    judgment: float = 1.0  # of one judgment, in any currency
    judge: float = 0.0  # of finding and training one judge

    def __post_init__(self) -> None:
        for name, price in vars(self).items():
            if not (isfinite(price) and price >= 0):
                raise UnknownOption(f"the price of a {name} cannot be {price:g}: it is 0 or more")

    @property
    def stated(self) -> bool:
        """Whether they are more than a count of judgments."""
        return self.judge > 0 or self.judgment != 1

    def cost(self, design: Design) -> float:
        return self.judgment * design.judgments + self.judge * design.judges


def name_pair(truth: Truth, pair: Sequence[int]) -> str:
    first, second = sorted(pair, key=lambda place: -truth.log_worth[place])
    return f"{truth.systems[first]} > {truth.systems[second]}"


def draw_campaign(truth: Truth, design: Design, rng: Generator) -> Tally:
    """Return one campaign, an entry per judgment, with judge and item.

    Drawn in this order: tastes of judges (J, K), of items (I, K), items and pairs of output pairs,
    judges, sides, answers.

    >>> design = Design(judges=5, items=10, judgments=100)
    >>> drawn = draw_campaign(Truth.spaced(2, 0.4), design, np.random.default_rng(1))
    >>> drawn.n_comparisons, drawn.factor("judge").loads.tolist()
    (100.0, [20.0, 20.0, 20.0, 20.0, 20.0])
    """
    n, k = design.judgments, len(truth.systems)
    by_judge = rng.normal(0, truth.judge_sd, (design.judges, k))
    by_item = rng.normal(0, truth.item_sd, (design.items, k))
    judge, output = _assign_judges(design, rng)
    item = rng.permutation(np.arange(design.outputs) % design.items)[output]
    first, second = design.compared(k)
    pair = rng.integers(len(first), size=design.outputs)[output]
    stays = rng.random(n) < 0.5
    left = np.where(stays, first[pair], second[pair])
    right = np.where(stays, second[pair], first[pair])
    x = truth.worth[left] - truth.worth[right]
    x += by_judge[judge, left] - by_judge[judge, right]
    x += by_item[item, left] - by_item[item, right]
    won, lost = np.exp(x / 2), np.exp(-x / 2)
    drawn = rng.random(n) * (won + lost + truth.tie)
    answer = np.where(drawn < won, 0, np.where(drawn < won + lost, 2, 1))
    wins, ties, losses = np.eye(3)[:, answer]
    factors = {"judge": _factor("j", judge), "item": _factor("i", item)}
    sides = (left.astype(np.int32), right.astype(np.int32))
    return Tally(truth.systems, *sides, wins, ties, losses, factors, n_judgments=float(n))


def draw_scores(truth: Truth, design: Design, rng: Generator) -> RatingRows:
    """Return one campaign of ratings.

    Drawn in this order: tastes of judges (J, K), of items (I, K), judges, outputs, chance.

    >>> truth = Truth.spaced(2, 5.0, noise_sd=10.0)
    >>> rows = draw_scores(truth, Design(5, 10, 20), np.random.default_rng(1))
    >>> rows.size, np.bincount(rows.system).tolist(), np.bincount(rows.item).tolist()
    (20, [10, 10], [2, 2, 2, 2, 2, 2, 2, 2, 2, 2])
    """
    k = len(truth.systems)
    by_judge = rng.normal(0, truth.judge_sd, (design.judges, k))
    by_item = rng.normal(0, truth.item_sd, (design.items, k))
    judge, output = _assign_judges(design, rng)
    # all systems on one item, then on the next, and from the first again after the last
    output = rng.permutation(np.arange(design.outputs) % (design.items * k))[output]
    item, system = output // k, output % k
    score = truth.worth[system] + by_judge[judge, system] + by_item[item, system]
    score += rng.normal(0, truth.noise_sd or 0.0, len(score))
    none = np.zeros(len(score), dtype=np.int32)
    return RatingRows(
        ("",),
        tuple(f"j{number:05d}" for number in range(design.judges)),
        tuple(f"i{number:05d}" for number in range(design.items)),
        truth.systems,
        ("",),
        task=none,
        judge=judge.astype(np.int32),
        item=item.astype(np.int32),
        system=system.astype(np.int32),
        criterion=none,
        score=score,
    )


def _assign_judges(design: Design, rng: Generator) -> tuple[Integers, Integers]:
    """Return (n,) the judge and the number of the output, or pair of outputs, of each answer."""
    n, n_outputs, overlap = design.judgments, design.outputs, design.overlap
    share = design.shares()
    # judges of one output differ
    if design.loads == "equal":  # rounds in which nobody is asked twice
        places = design.judges // overlap
        rounds = np.tile(np.arange(design.judges), (-(-n_outputs // places), 1))
        dealt = rng.permuted(rounds, axis=1)[:, : places * overlap]
        judges = dealt.reshape(-1, overlap)[:n_outputs]
    elif overlap == 1:
        judges = rng.choice(design.judges, (n_outputs, 1), p=share)
    else:
        keys = np.log(share) + rng.gumbel(size=(n_outputs, design.judges))  # Gumbel top-k
        judges = np.argsort(-keys, axis=1)[:, :overlap]
    judge = np.repeat(judges, design.repeats, axis=1).ravel().astype(np.int64)[:n]
    return judge, np.repeat(np.arange(n_outputs), overlap * design.repeats)[:n]


def _factor(letter: str, codes: Integers) -> Factor:
    used, code = np.unique(codes, return_inverse=True)
    labels = tuple(f"{letter}{number:05d}" for number in used)
    return Factor(labels, code.astype(np.int32), np.bincount(code).astype(float), len(used))


# The power of a design by simulation is the share of campaigns in which a pair is decided the right
# way. A false decision is a pair decided the wrong way, or at all between equals. Shares carry
# Wilson's intervals for the number of campaigns (Wilson 1927, Probable inference, Journal of the
# American Statistical Association 22).

Progress = Callable[[int, int], None]
CAMPAIGNS: Final = 200
SURE: Final = 0.95  # Level of the intervals for how few campaigns were simulated


@dataclass(frozen=True, eq=False)
class Simulated:
    """What was counted. Matrices are (K, K), systems in the order of the plan."""

    campaigns: int  # simulated
    right: Integers  # campaigns in which the pair was decided the right way; symmetric
    false: Integers  # campaigns in which it was decided though equal, or the wrong way; symmetric
    any_false: int  # campaigns with at least one false decision
    unranked: int  # campaigns whose worths had no estimate: nothing is decided in them
    places: float  # mean number of places in a rank set

    @property
    def power(self) -> Array:
        return self.right / self.campaigns

    def interval(self, first: int, second: int) -> tuple[float, float]:
        return bound_share(int(self.right[first, second]), self.campaigns)


def simulate_power(
    truth: Truth,
    design: Design,
    *,
    campaigns: int = CAMPAIGNS,
    level: float = 0.95,
    seed: int = SEED,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Simulated:
    """Draw campaigns, rank each as `rank` does, and count what was decided.

    >>> counts = simulate_power(Truth.spaced(2, 2.0), Design(10, 20, 400), campaigns=5)
    >>> counts.right.tolist(), counts.any_false
    ([[0, 5], [5, 0]], 0)
    """
    k = len(truth.systems)
    sign = np.sign(truth.worth[:, None] - truth.worth).astype(np.int64)
    right, false = np.zeros((k, k), dtype=np.int64), np.zeros((k, k), dtype=np.int64)
    any_false, unranked, places = 0, 0, 0.0
    for number in range(campaigns):
        rng = Generator(PCG64(SeedSequence([seed, number])))
        ranking_seed = int(SeedSequence([seed, number, 1]).generate_state(1)[0])
        sets, decided = None, np.zeros((k, k), dtype=np.int64)
        with suppress(NotIdentified, NotConverged):
            ranking = rank_drawn(truth, design, rng, ranking_seed, level=level, cluster=cluster)
            sets = ranking.rank_sets
        if sets is not None:
            at = [ranking.systems.index(name) for name in truth.systems]
            decided = sets.decided[np.ix_(at, at)].astype(np.int64)
        unranked += sets is None
        right += (decided == sign) & (sign != 0)
        wrong = (decided != 0) & (decided != sign)
        false += wrong
        any_false += bool(wrong.any())
        places += k - float((decided != 0).sum()) / k
        if progress is not None:
            progress(number + 1, campaigns)
    return Simulated(campaigns, right, false, any_false, unranked, places / campaigns)


def rank_drawn(
    truth: Truth,
    design: Design,
    rng: Generator,
    seed: int,
    *,
    level: float = 0.95,
    cluster: str | None = None,
    model: BradleyTerry | None = None,
) -> Ranking:
    """Draw a campaign and rank it as `rank` does; model: of comparisons, by default its own."""
    own = model or BradleyTerry(ties="davidson" if truth.tie else "discard")
    chosen = Adjusted() if truth.rated else own
    settings = Settings(
        chosen, "rank-sets", cluster, level, seed, lower_is_better=False, references=()
    )
    if truth.rated:
        return rank_scores(draw_scores(truth, design, rng), settings)
    tally = draw_campaign(truth, design, rng)
    levels = Levels({name: factor.loads for name, factor in tally.factors.items()})
    return make_ranking(Evidence.of(merge_factors(tally)), levels, settings)


def bound_share(count: int, of: int) -> tuple[float, float]:
    """Return Wilson's interval of a share."""
    z = normal_quantile((1 + SURE) / 2)
    share = count / of
    middle = (share + z**2 / (2 * of)) / (1 + z**2 / of)
    margin = z * sqrt(share * (1 - share) / of + z**2 / (4 * of**2)) / (1 + z**2 / of)
    return max(middle - margin, 0.0), min(middle + margin, 1.0)


# Tastes pull pooled worths towards each other by the root of `find_growth`: who takes tastes for
# stronger than they were taken for, and still observes the same answers of all, must take the
# worths of one judge to be further apart.

NODES: Final = 41  # Of the quadrature over tastes


def average_answers(x: Array, truth: Truth) -> tuple[Array, Array]:
    """Return (3, P) shares of left, tie and right over all judges and items, and (P,) slopes.

    x: (P,) differences of log-worth; slopes are mean ones of ½ (left − right).
    """
    nodes, weights = normal_rule(NODES)
    gap = x[:, None] + sqrt(2 * _total(truth)) * nodes
    won, lost = np.exp(gap / 2), np.exp(-gap / 2)
    parts = np.stack([won, np.full_like(won, truth.tie), lost]) / (won + lost + truth.tie)
    return parts @ weights, slope_of_score(gap, truth.tie) @ weights


def change_tastes(truth: Truth, judge_sd: float, item_sd: float) -> Truth:
    """Return the truth of tastes to come with which all judges together answer as before.

    >>> now = Truth.spaced(2, 0.3, judge_sd=0.3)
    >>> for truth in (now, change_tastes(now, 1.2, 0.0)):
    ...     won, _, lost = average_answers(truth.worth[:1] - truth.worth[1:], truth)[0]
    ...     print(np.log(won / lost).round(2))
    [0.29]
    [0.29]
    """
    if truth.rated:  # mean scores are what they are, whatever tastes are
        return replace(truth, judge_sd=judge_sd, item_sd=item_sd)
    share = float(average_answers(np.zeros(1), truth)[0][1, 0])
    pooled = 2 * share / (1 - share)
    changed = replace(truth, judge_sd=judge_sd, item_sd=item_sd)
    apart = sqrt(find_growth(_total(changed), pooled) / find_growth(_total(truth), pooled))
    tie = restore_tie(_total(changed), pooled)
    log_worth = tuple(worth * apart for worth in truth.log_worth)
    return replace(changed, log_worth=log_worth, ties=tie / (2 + tie))


def _total(truth: Truth) -> float:
    """Return Σ, the sum of the variances of tastes."""
    return truth.judge_sd**2 + truth.item_sd**2


# How many more judgments would decide open pairs: a pair is decided if its difference is beyond c
# standard errors. Today's estimate d̂, with error s, stays part of what will be known (as above, of
# a pair that is d apart), and it is decided with power π at the t where
#
# d̂ + (t − 1) d = c s √t + z_π s √(t − 1)
#
# which a pair that is open today has once where d > 0, beyond t = 1, and nowhere else. m judgments
# of this pair alone add their own information i to what there is, so that t = 1 + m i s²; i is that
# of one judgment in the model, less by what judges and items add to the variance. Ratings of a pair
# are shared equally by its two outputs: with σ² the variance of one, i = 1/(4σ²). d is taken to be
# d̂; the least and the most go with the ends of its 80 % interval, which of an open pair often
# reaches zero: then no number is the most. Ours.

RANGE: Final = 0.8  # Level of the interval of a difference (proportion)


@dataclass(frozen=True)
class Separation:
    better: str  # the system that is ahead
    worse: str  # the other
    gap: float  # difference of log-worths (log-odds), or of scores, above 0
    stderr: float  # its standard error
    # so many times as many judgments of all pairs, more than 1 of a pair that is open; None where
    # no number is enough
    times: float | None
    times_least: float | None  # if the gap is as large as it may be
    times_most: float | None  # if it is as small; None where it may be none
    alone: float | None  # more judgments of this pair alone; None where that is not enough
    alone_least: float | None  # if the gap is as large as it may be
    alone_most: float | None  # if it is as small; None where it may be none
    barred: bool  # whether it may not be decided, since too few judges or items link the two


def separate_pairs(ranking: Ranking, pairs: Sequence[tuple[int, int]]) -> tuple[Separation, ...]:
    """Say how many more judgments would decide pairs with power .8."""
    critical, sets, errors = find_critical(ranking), ranking.rank_sets, ranking.pair_stderr
    assert sets is not None
    assert errors is not None  # find_critical refuses
    wide, values = normal_quantile((1 + RANGE) / 2), _point_up(ranking)
    separations = []
    for pair in pairs:
        stderr, barred = float(errors[pair]), bool(sets.barred[pair])
        gap = float(values[pair[0]] - values[pair[1]])
        today = gap / stderr if stderr > 0 else np.inf
        each = None if barred else _weigh_judgment(ranking, pair, stderr)
        ends = (today, today + wide, today - wide)  # the gap, and the ends of its interval
        times = [find_times(today, end, critical, POWER) for end in ends]
        alone = [None if each is None or t is None else (t - 1) / (each * stderr**2) for t in times]
        # no fewer than link the pair by judges and items enough
        effective = float(sets.effective[pair])
        links = not (sets.resting | sets.apart)[pair] and effective > 0
        times = [
            None if t is None or not links else max(t, MIN_CLUSTERS / effective) for t in times
        ]
        better, worse = (ranking.systems[place] for place in pair)
        needs = (times[0], times[1], times[2], alone[0], alone[1], alone[2])
        separations.append(Separation(better, worse, gap, stderr, *needs, barred))
    return tuple(separations)


def _point_up(ranking: Ranking) -> Array:
    """Return (K,) estimates of which larger ones are better."""
    return -ranking.estimate if ranking.lower_is_better else ranking.estimate


def find_critical(ranking: Ranking) -> float:
    """Return the |t| beyond which pairs of a board are decided: that of the last step."""
    sets = ranking.rank_sets
    if sets is None or ranking.pair_stderr is None:
        raise NotIdentified("what would decide a pair is asked of rank sets, and there are none")
    if not sets.critical or not np.isfinite(min(sets.critical)):
        raise NotIdentified(
            "no pair can be decided, whatever the judgments say: judges or items are too few",
            ["more judges", "more items"],
        )
    return min(sets.critical)


def _weigh_judgment(ranking: Ranking, pair: tuple[int, int], stderr: float) -> float | None:
    """Return the information that one more judgment of a pair adds; None where it is not known."""
    # As much as in the model, less by what judges and items add to the variance.
    fit = ranking.fit
    if not isinstance(fit, Fit | RatingFit) or fit.vcov is None or stderr <= 0:
        return None
    first, second = (fit.systems.index(ranking.systems[place]) for place in pair)
    spread = fit.vcov if isinstance(fit, RatingFit) else fit.worth_vcov
    variance = float(spread[first, first] + spread[second, second] - 2 * spread[first, second])
    if variance <= 0:
        return None
    if isinstance(fit, RatingFit):
        information = float(1 / fit.counts[first] + 1 / fit.counts[second]) / (4 * variance)
    else:
        chances = fit.predict([(fit.systems[first], fit.systems[second])])[0]
        decided = 1.0 - float(chances[1])
        information = (decided - float(chances[0] - chances[2]) ** 2) / 4
    return information / max(stderr**2 / variance, 1.0) if information > 0 else None


TIMES: Final = (1.0, 1.5, 2.0, 3.0, 4.0, 8.0)
DRAWS: Final = 400
# Draws times pairs that are held at once: of many systems fewer replicates are drawn
MAX_CELLS: Final = 4_000_000
TAIL: Final = 0.1  # Share of replicates below the lower end, and above the upper


@dataclass(frozen=True)
class PredictivePower:
    times: float  # so many times as many as there are
    judgments: float  # so many in all
    decided: float  # mean number of decided pairs
    lower: float  # a tenth of the replicates decide fewer
    upper: float  # a tenth decide more
    candidates: float  # mean number of systems that may then be the best
    # share of the replicates in which no more than one may be the best (proportion)
    one_best: float


def predict_more_judgments(
    ranking: Ranking, times: Sequence[float] = TIMES, *, draws: int = DRAWS, seed: int = SEED
) -> tuple[PredictivePower, ...]:
    critical = find_critical(ranking)
    sets, errors = ranking.rank_sets, np.asarray(ranking.pair_stderr)
    assert sets is not None  # find_critical refuses
    if not np.isfinite(errors).all():
        raise NotIdentified("of some systems nothing can be said, so that nothing is predicted")
    k = len(errors)
    n = max(2, min(draws, MAX_CELLS // k**2))
    covariance = centre(errors)
    estimate = _point_up(ranking)
    estimate = estimate - estimate.mean()
    rng = Generator(PCG64(seed))
    truths = draw_truths(estimate, covariance, n, rng)
    # what is below zero of a covariance counts as none
    size, directions = np.linalg.eigh(covariance)
    root = directions * np.sqrt(np.maximum(size, 0.0))
    noise = rng.standard_normal((n, k)) @ root.T
    prospects = []
    for t in times:
        later = estimate / t + (1 - 1 / t) * truths + noise * np.sqrt(t - 1) / t
        may = (sets.effective * t >= MIN_CLUSTERS) & ~(sets.resting | sets.apart)
        limit = np.where(may, critical * errors / np.sqrt(t), np.inf)
        beyond = later[:, :, None] - later[:, None, :] > limit
        decided = beyond.sum(axis=(1, 2))
        candidates = (~beyond.any(axis=1)).sum(axis=1)
        ends = np.quantile(decided, (TAIL, 1 - TAIL), method="inverted_cdf")
        best = (float(candidates.mean()), float((candidates == 1).mean()))
        counts = (float(decided.mean()), float(ends[0]), float(ends[1]))
        prospects.append(PredictivePower(t, t * ranking.n_judgments, *counts, *best))
    return tuple(prospects)


def centre(errors: Array) -> Array:
    """Return (K, K) the covariance of centred worths from the errors of their differences."""
    squares = errors**2
    mean = squares.mean(axis=0)
    return np.asarray(-(squares - mean - mean[:, None] + squares.mean()) / 2)


def draw_truths(estimate: Array, covariance: Array, draws: int, rng: Generator) -> Array:
    """Draw (B, K) worths as they may be, from (K,) centred estimates and their covariance.

    How far worths are apart is itself drawn: with few systems nothing else shows how little is
    known of it. The sum of squares of the estimates is τ² + ε² times χ² on K − 1 degrees of
    freedom; what is below zero of τ² counts as none.
    """
    k = len(estimate)
    sizes, directions = np.linalg.eigh(covariance)
    sizes = np.maximum(sizes, 0.0)
    apart = float(estimate @ estimate) / rng.chisquare(k - 1, (draws, 1))
    between = np.maximum(apart - sizes.sum() / (k - 1), 0.0)
    whole = between + sizes
    shrinkage = np.divide(between, whole, out=np.zeros_like(whole), where=whole > 0)
    along = shrinkage * (estimate @ directions)
    along += np.sqrt(shrinkage * sizes) * rng.standard_normal((draws, k))
    return np.asarray(along @ directions.T)

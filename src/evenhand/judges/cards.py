"""Cards: what is known of each judge, who is flagged, and what is said of all judges together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.exclusions import Exclusion, write_document, write_excluded
from evenhand.data.results import Shown
from evenhand.errors import listing
from evenhand.judges.rating_evidence import Habit
from evenhand.judges.texts import say
from evenhand.judges.units import Record, describe
from evenhand.numerics import Array, Flags
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.multiple_tests import benjamini_hochberg
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    Text,
    begin_sentence,
    describe_findings,
    join_names,
    plural,
    write_p,
)

# b̂_l ~ π0 N(m, τ² + se_l²) + π1 N(0, se_l²) + π2 N(−m, τ² + se_l²)
#
# b̂_l is how strongly the answers of judge l follow what the others say: m on average for honest
# judges, who differ by τ; 0 for careless ones, who answer whatever the outputs are; −m for those
# who take the scale the wrong way round. P(honest | b̂_l) is the local false discovery rate of
# Efron (2008, Statistical Science 23:1-22): the mean of it over the flagged judges is the expected
# share of honest ones among them, and the flagged are the largest set with a mean of at most the
# level. Controls, repeats and timing enter as further log-likelihoods of each judge under the three
# classes.
#
# The estimate is the posterior mode with Dirichlet pseudo-counts (8, .5, .5), m ≥ .3 and τ in
# [.15, 1]: with few judges the data alone would call anyone careless who is a little unlike the
# rest.


# The mean slope of all judges, whatever they are: do they follow each other at all?
def pool_slopes(slopes: Array, errors: Array) -> tuple[float, float, float]:
    """Return the mean slope and its 95 % interval; of one judge an endless one."""
    # Judges are weighed by 1 / (s² + se²) with s² from the data (DerSimonian & Laird 1986); the
    # variance is the weighted sum of squares, so that it holds whatever judges differ by.
    if len(slopes) == 1:
        return float(slopes[0]), -np.inf, np.inf
    between = max(float(np.var(slopes, ddof=1) - (errors**2).mean()), 0.0)
    weight = 1 / (between + errors**2)
    mean = float(weight @ slopes / weight.sum())
    inflation = len(weight) / (len(weight) - 1)
    error = np.sqrt(inflation * (weight**2 @ (slopes - mean) ** 2)) / weight.sum()
    margin = normal_quantile(0.975) * float(error)
    return mean, mean - margin, mean + margin


PSEUDO_COUNTS: Final = (8.0, 0.5, 0.5)  # Judges of each class that are added to those seen
SPREAD_LIMITS: Final = (0.15, 1.0)
MIN_SLOPE: Final = 0.3
MAX_ITERATIONS: Final = 200
TOLERANCE: Final = 1e-10
MIN_JUDGES: Final = 8  # Judges below which nobody is flagged
MIN_HONEST_SHARE: Final = 0.6  # Share below which it is open who the honest ones are
# Standard deviations between the honest and the careless, below which they mix
MIN_SEPARATION: Final = 2.0


@dataclass(frozen=True, eq=False)
class Mixture:
    shares: Array  # (3,) shares of honest, careless and reversed judges, with the pseudo-counts
    mean: float  # m, the mean slope of honest judges
    spread: float  # τ, their standard deviation
    slopes: Array  # (J,) b̂, as given
    errors: Array  # (J,) their standard errors, as given
    posterior: Array  # (J, 3) probabilities of honest, careless and reversed

    def odds_of(self, logs: Array) -> Array:
        """Return (J,) the log-odds against being honest that log-likelihoods add (nats)."""
        # Careless and reversed judges are weighed by their shares.
        # logs: (J, 3) log-likelihoods under honest, careless and reversed.
        careless, reverse = (logs[:, 1:] + np.log(self.shares[1:])).T
        doubt = np.logaddexp(careless, reverse) - np.log(self.shares[1:].sum())
        return np.asarray(doubt - logs[:, 0])

    @cached_property
    def log_odds(self) -> Array:
        """(J,) log-odds against being honest that each slope adds (nats)."""
        at = np.array([*self.shares, self.mean, self.spread])
        return self.odds_of(_logs(at, self.slopes, self.errors))

    @property
    def p_honest(self) -> Array:
        """(J,) probability that each judge is honest: the local false discovery rate."""
        return np.asarray(self.posterior[:, 0])

    def testable(self, information: Array, level: float = 0.05) -> Flags:
        """Say of which judges it would be seen if they were careless: (J,)."""
        # About half of them are flagged at the least number of judgments, and more with more.
        least = self.least_information(level)
        return np.asarray(information >= (np.inf if least is None else least))

    def least_information(self, level: float = 0.05) -> float | None:
        """Return the least 1 / se² at which a careless judge is testable; None where none is."""
        # A slope of exactly 0 gives m² / (2 (τ² + se²)) + ½ ln(1 + τ² / se²) against being honest
        # (nats), which must reach the prior odds for honest and the odds of the level.
        needed = float(np.log((1 - level) / level * self.shares[0] / self.shares[1]))
        spread = self.spread**2

        def reaches(information: float) -> bool:
            noise = (information**-0.5) ** 2
            log_odds = self.mean**2 / (2 * (spread + noise)) + np.log1p(spread / noise) / 2
            return bool(log_odds >= needed)

        low, high = 1e-6, 1e9  # evidence grows with information: bisection on its logarithm
        if not reaches(high):
            return None
        for _ in range(200):
            middle = float(np.sqrt(low * high))
            low, high = (low, middle) if reaches(middle) else (middle, high)
        return high

    def separation(self) -> float:
        """Return m / √(τ² + se²) of the median judge: how far honest and careless lie apart."""
        # Judges are weighed by 1 / se²: a crowd with a handful of judgments each, about whom
        # nothing can be said, must not hide what the others show.
        spread, weight = np.sqrt(self.spread**2 + self.errors**2), self.errors**-2.0
        order = np.argsort(spread, kind="stable")
        sums = np.cumsum(weight[order])
        return float(self.mean / spread[order][np.searchsorted(sums, sums[-1] / 2)])

    def abstention(self) -> Finding | None:
        """Say why nobody may be called careless or reversed here; None where it can be told."""
        if len(self.slopes) < MIN_JUDGES:
            return say("few-judges", n=len(self.slopes), needed=MIN_JUDGES)
        _, lower, upper = pool_slopes(self.slopes, self.errors)
        if lower <= 0:
            return say("slope-near-zero", lower=float(lower), upper=float(upper))
        seen = self.posterior.mean(axis=0)  # without the pseudo-counts
        share = float(seen[0])
        if share < seen.max():
            return say("honest-not-largest")
        if share < MIN_HONEST_SHARE:
            return say("few-honest", share=share, needed=MIN_HONEST_SHARE)
        apart = self.mean / np.sqrt(self.spread**2 + self.errors**2) >= MIN_SEPARATION
        if self.separation() < MIN_SEPARATION or apart.sum() < MIN_JUDGES:
            numbers = {"distance": self.separation(), "apart": int(apart.sum())}
            return say("not-separable", **numbers, least=MIN_SEPARATION, needed=MIN_JUDGES)
        return None


def fit_mixture(slopes: Array, errors: Array, *, extra: Array | None = None) -> Mixture:
    # slopes: (J,) b̂ of every judge.
    # errors: (J,) their standard errors, positive.
    # extra: (J, 3) log-likelihoods of what else is known of each judge under the classes honest,
    #     careless, reversed (nats); zeros where nothing is. None for nothing at all.
    n = len(slopes)
    further = np.zeros((n, 3)) if extra is None else extra
    shares = (np.array(PSEUDO_COUNTS) + np.array([n, 0, 0])) / (n + sum(PSEUDO_COUNTS))
    at = np.append(shares, [max(float(np.median(slopes)), MIN_SLOPE), np.mean(SPREAD_LIMITS)])
    for _ in range(MAX_ITERATIONS):
        posterior = _classify(at, slopes, errors, further)
        # m is a weighted mean, τ² takes one scoring step; both within their limits
        counts = posterior.sum(axis=0) + PSEUDO_COUNTS
        wide = at[4] ** 2 + errors**2
        follow, against = posterior[:, 0] / wide, posterior[:, 2] / wide
        mean = max(float((follow - against) @ slopes / (follow + against).sum()), MIN_SLOPE)
        left = (follow / wide) @ ((slopes - mean) ** 2 - errors**2)
        left += (against / wide) @ ((slopes + mean) ** 2 - errors**2)
        square = float(left / ((follow + against) / wide).sum())
        sd = min(max(np.sqrt(max(square, 0.0)), SPREAD_LIMITS[0]), SPREAD_LIMITS[1])
        before, at = at, np.append(counts / counts.sum(), [mean, sd])
        if np.abs(at - before).max() < TOLERANCE:
            break
    posterior = _classify(at, slopes, errors, further)
    return Mixture(at[:3], float(at[3]), float(at[4]), slopes, errors, posterior)


def choose_flags(p_honest: Array, level: float) -> Flags:
    """Choose the largest set of judges whose mean P(honest) is at most the level: (J,)."""
    # Judges with exactly the same probability are flagged together or not at all.
    order = np.argsort(p_honest, kind="stable")
    means = np.cumsum(p_honest[order]) / np.arange(1, len(order) + 1)
    for size in np.flatnonzero(means <= level)[::-1] + 1:
        last = p_honest[order[size - 1]]
        if size == len(order) or p_honest[order[size]] > last:
            return np.asarray(p_honest <= last)
    return np.zeros(len(p_honest), dtype=bool)


def _logs(at: Array, slopes: Array, errors: Array) -> Array:
    """Return (J, 3) log-densities of the slopes under the classes."""
    logs, wide = np.empty((len(slopes), 3)), at[4] ** 2 + errors**2
    for column, (mean, variance) in enumerate(((at[3], wide), (0.0, errors**2), (-at[3], wide))):
        logs[:, column] = (
            -((slopes - mean) ** 2) / (2 * variance) - np.log(2 * np.pi * variance) / 2
        )
    return logs


def _classify(at: Array, slopes: Array, errors: Array, further: Array) -> Array:
    """Return (J, 3) probabilities of the classes."""
    logs = _logs(at, slopes, errors) + further + np.log(at[:3])
    # three columns by turns: numpy takes three times as long for many rows of three
    largest = np.maximum(np.maximum(logs[:, 0], logs[:, 1]), logs[:, 2])
    chances = np.exp(logs - largest[:, None])
    return np.asarray(chances / (chances[:, 0] + chances[:, 1] + chances[:, 2])[:, None])


Effect = Callable[[str], str]  # What leaving out a judge changes, in words

# What a judge can be, as a whole: answers follow the others', nothing, or the contrary
CLASSES: Final = ("honest", "careless", "reversed")
# What can be wrong with how an honest judge answers; tested apart from the classes
HABITS: Final = ("position-biased", "drifting", "coarse", "extreme")

# Shares of the level for careless and reversed judges, and for habits: of all flags at most about
# the sum falls on honest judges
CLASS_SHARE: Final = 0.8
HABIT_SHARE: Final = 0.2

MAX_FLAGGED_SHARE: Final = 1 / 3  # Share flagged from which the majority itself is in doubt
MIN_GROUP_DEVIATIONS: Final = 2.0  # Standard deviations beyond chance that show a group
MIN_GROUP_PAIRS: Final = 10
SUSPECT: Final = 0.5  # Probability of being honest below which a judge is named
MAX_SUSPECTS_NAMED: Final = 5


@dataclass(frozen=True)
class Evidence(Record):
    name: str  # what was looked at, such as "others' votes", "controls", "repeats", "seconds"
    says: str  # a sentence with the numbers
    # the number that it turns on, in the unit that the sentence names; None if only words serve
    value: float | None = None
    lower: float | None = None  # lower end of its interval, or None
    upper: float | None = None  # upper end
    # what it adds to the log-odds of not being honest, in nats; None where it adds nothing alone
    log_odds: float | None = None


Lines = list[tuple[int, Evidence]]  # Lines of cards, with the code of the judge


@dataclass(frozen=True)
class Card(Record):
    judge: str  # the name
    n: int  # judgments: comparisons, rankings, or scores, of which an output may have several
    posterior: Mapping[str, float]  # class → probability, over CLASSES
    flags: tuple[str, ...] = ()  # classes and habits that the judge is flagged for; empty for most
    evidence: tuple[Evidence, ...] = ()  # what was seen
    # whether a careless judge with this many judgments would have been found, more likely than
    # not; true of who is flagged as careless or reversed
    testable: bool = True
    # what leaving the judge out changes in the ranking; None where nobody asked
    effect: str | None = None

    @property
    def p_honest(self) -> float:
        """Probability that the judge is honest, given the evidence (local fdr)."""
        return self.posterior["honest"]

    def to_dict(self) -> dict[str, Any]:
        names = ("judge", "n", "flags", "posterior", "testable", "effect", "evidence")
        return describe(self, *names)


@dataclass(frozen=True, repr=False)
class Screening(Shown):
    """What was found about the judges of one campaign.

    Attributes:
        cards: one for every judge, the most doubtful first.
        level: share of honest judges among the flagged that is allowed (false discovery rate).
        kind: "comparisons", "rankings" or "ratings".
        n_judgments: answers.
        abstains: why nobody is flagged as careless or reversed, where this cannot be decided.
        detectable: the least careless judge that this design could find, in a sentence.
        says: what was found, sentence by sentence.
        notes: what must stand beside it.
        signature: one line that reproduces it.
        parameters: of the mixture, by name: share of honest judges, mean slope, spread.
        excluded: what was excluded from the judgments.
    """

    cards: tuple[Card, ...]
    level: float
    kind: str
    n_judgments: int
    abstains: Finding | None
    detectable: str
    says: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    excluded: tuple[Exclusion, ...] = ()

    @property
    def flagged(self) -> tuple[Card, ...]:
        """Cards of the flagged judges."""
        return tuple(card for card in self.cards if card.flags)

    def to_dict(self) -> dict[str, Any]:
        """Return what stands in the JSON of `evenhand judges`."""
        return {
            "kind": self.kind,
            "judgments": self.n_judgments,
            "judges": len(self.cards),
            "level": self.level,
            "flagged": [card.judge for card in self.flagged],
            **describe(self, "abstains", "detectable", "parameters", "cards", "says"),
            "findings": describe_findings(self.notes),
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
        }

    def document(self) -> Document:
        """Return what people read: who is flagged, all judges, the cards of the flagged ones."""
        shown = self.flagged
        if self.abstains is not None:  # evidence, and no verdict
            shown = (*shown, *list_suspects(self.cards)[:MAX_SUSPECTS_NAMED])
        one = _ONE.get(self.kind, "score")
        rows = tuple(
            {
                "judge": card.judge,
                "n": card.n,
                "flags": ", ".join(card.flags),
                **{f"p_{name}": card.posterior[name] for name in CLASSES},
                "testable": card.testable,
            }
            for card in self.cards
        )
        legend = ["P(honest): chance of being honest, not careless or reversed, by all evidence."]
        columns = [
            Column("judge", "judge", "name"),
            Column("n", f"{one}s", "count"),
            Column("p_honest", "P(honest)", "p"),
        ]
        if self.abstains is None:
            columns.append(Column("testable", "testable", "yes", priority=2))
            legend.append("testable: a careless judge with as many would probably be flagged.")
        if self.flagged:
            columns.append(Column("flags", "flags"))
        limit, caption = max(MIN_SHOWN, len(self.flagged)), "Judges, flagged ones first"
        told = (" ".join(legend),)
        table = Table("flags", caption, tuple(columns), rows, limit=limit, legend=told)
        details = []
        for card in shown:
            lines = [f"  {line.name}: {line.says}" for line in card.evidence]
            lines += [f"  without the judge: {card.effect}"] if card.effect is not None else []
            title = f"{card.judge}: {', '.join(card.flags) or 'not flagged'}"
            details.append(Text(title, tuple(lines)))
        count = plural(self.n_judgments, one)
        return write_document(
            self,
            table,
            *details,
            basis=f"{count} by {plural(len(self.cards), 'judge')}.",
            answer=(*self.says, f"{begin_sentence(self.detectable)}."),
        )


MIN_SHOWN: Final = 8  # Judges that a terminal shows where fewer are flagged
_ONE: Final = {"comparisons": "comparison", "rankings": "ranking"}  # What a judgment is, by kind


def make_cards(
    judges: Sequence[str],
    n: NDArray[Any],
    mixture: Mixture,
    verdict: Verdict,
    evidence: Iterable[Lines],
) -> list[Card]:
    lines: list[list[Evidence]] = [[] for _ in judges]
    for judge, line in chain.from_iterable(evidence):
        lines[judge].append(line)
    cards = []
    for j, name in enumerate(judges):
        posterior = dict(zip(CLASSES, mixture.posterior[j].tolist(), strict=True))
        shown = (verdict.flags[j], tuple(lines[j]), bool(verdict.testable[j]))
        cards.append(Card(name, int(n[j]), posterior, *shown))
    # equal chances differ in their last digits
    return sorted(cards, key=lambda one: (not one.flags, round(one.p_honest, 9), one.judge))


def add_effects(cards: Sequence[Card], effect: Effect, most: int) -> list[Card]:
    unknown = f"not computed: only for the {most} judges with the lowest P(honest)"
    return [
        replace(card, effect=effect(card.judge) if k < most else unknown) if card.flags else card
        for k, card in enumerate(cards)
    ]


@dataclass(frozen=True, eq=False)
class Verdict:
    abstains: Finding | None  # why nobody is called careless or reversed, or None
    habits: tuple[Habit, ...]  # how judges answer, tested apart from the classes
    habit_p: tuple[Array | None, ...]  # adjusted p-values of each; None where it is not tested
    flags: tuple[tuple[str, ...], ...]  # of each judge, the class first
    testable: Flags  # (J,) who would be seen if careless; a judge who is called so was

    @property
    def classed(self) -> Flags:
        """(J,) who is flagged as careless or reversed."""
        return np.array([bool(set(flags) & set(CLASSES)) for flags in self.flags])


def decide_flags(
    mixture: Mixture,
    information: Array,
    habits: Sequence[tuple[Habit, bool]],
    level: float,
    *,
    abstains: Finding | None,
    classable: Flags,
    enough: Flags,
) -> Verdict:
    # information: (J,) 1 / error² that a judge's answers would bring about a slope of 0.
    # habits: each with whether it is tested.
    # classable: (J,) who may be called careless or reversed where that can be decided.
    # enough: (J,) who may be said to have a habit.
    found, p_values = tuple(habit for habit, _ in habits), [h.p for h, use in habits if use]
    ends = np.cumsum([len(p) for p in p_values])[:-1]  # all tested habits are adjusted together
    every = benjamini_hochberg(np.concatenate(p_values)) if p_values else np.zeros(0)
    by_habit = iter(np.split(every, ends))
    adjusted = tuple(next(by_habit) if use else None for _, use in habits)
    classable = classable & (abstains is None)
    flags: list[tuple[str, ...]] = [() for _ in classable]
    p_honest = np.where(classable, mixture.p_honest, 1.0)
    for judge in np.flatnonzero(choose_flags(p_honest, CLASS_SHARE * level)).tolist():
        flags[judge] = (CLASSES[1 + int(mixture.posterior[judge, 1:].argmax())],)
    testable = mixture.testable(information, CLASS_SHARE * level) & classable
    testable |= np.array([bool(one) for one in flags])
    ordered = sorted(zip(found, adjusted, strict=True), key=lambda pair: HABITS.index(pair[0].name))
    for habit, p in ordered:
        odd = [] if p is None else habit.judges[(p <= HABIT_SHARE * level) & enough[habit.judges]]
        for judge in odd:
            flags[judge] = (*flags[judge], habit.name)
    return Verdict(abstains, found, adjusted, tuple(flags), testable)


def say_flags(cards: Sequence[Card], abstains: Finding | None, level: float) -> tuple[Finding, ...]:
    flagged = [f"{card.judge} ({', '.join(card.flags)})" for card in cards if card.flags]
    says = [say("none-flagged", judges=len(cards))]
    if flagged:
        verb, names = "is" if len(flagged) == 1 else "are", listing(flagged)
        count = {"n": len(flagged), "judges": len(cards), "level": 100 * level}
        says = [say("flagged", **count, verb=verb, names=names)]
    if abstains is None:
        return tuple(says)
    says.append(say("not-decided", why=abstains))
    suspects = list_suspects(cards)
    each = [f"{card.judge} (P(honest) {write_p(card.p_honest)})" for card in suspects]
    if suspects:  # whom the evidence is against, where nothing is decided
        named, rest = each[:MAX_SUSPECTS_NAMED], len(suspects) - MAX_SUSPECTS_NAMED
        shown = f"{', '.join(named)} and {rest:,} more" if rest > 0 else join_names(named)
        verb = "looks" if len(suspects) == 1 else "look"
        says.append(say("suspects", names=shown, verb=verb))
    return tuple(says)


# The mixture takes most judges to be honest, and bad ones to be independent of each other. A third
# of the judges or more being flagged, or the flagged agreeing with each other where they saw the
# same outputs, speaks against that: a group of another taste looks reversed or careless, too.
def note_many(cards: Sequence[Card]) -> tuple[Finding, ...]:
    flagged = sum(bool(set(card.flags) & set(CLASSES)) for card in cards)
    many = say("many-flagged", "warning", n=flagged, judges=len(cards))
    return (many,) if flagged >= MAX_FLAGGED_SHARE * len(cards) else ()


def note_camps(
    unit: NDArray[np.integer], judge: NDArray[np.integer], answer: Array
) -> tuple[Finding, ...]:
    """Note that flagged judges agree with each other more than by chance, if they do."""
    if not len(unit):
        return ()
    # of the mean answers of each judge to each unit: sum of products of two judges, and how many
    cell = number_groups(unit.astype(np.int64), judge.astype(np.int64))
    n = np.bincount(cell)
    mean, place = np.bincount(cell, answer) / n, np.zeros(len(n), np.int64)
    place[cell] = number_groups(unit.astype(np.int64))
    judges = np.bincount(place)
    pairs = int((judges * (judges - 1)).sum() // 2)
    together = float((np.bincount(place, mean) ** 2 - np.bincount(place, mean**2)).sum() / 2)
    if pairs < MIN_GROUP_PAIRS or together < MIN_GROUP_DEVIATIONS * np.sqrt(pairs):
        return ()
    return (say("flagged-agree", "warning", pairs=pairs, correlation=together / pairs),)


# Code of why nobody is called careless or reversed → what is lacking
REASONS: Final = {
    "few-judges": "judges",
    "slope-near-zero": "right",
    "honest-not-largest": "right",
    "few-honest": "right",
    "not-separable": "apart",
    "no-shared-outputs": "apart",
}


def say_shortly(abstains: Finding) -> str:
    reason = REASONS[abstains.code]
    if reason == "right":
        return say("not-right-short")
    return abstains if reason == "judges" else say(f"{abstains.code}-short")


def advise(abstains: Finding, cards: Sequence[Card]) -> str:
    names = [card.judge for card in list_suspects(cards)]
    look = f"look at the evidence of {listing(names, MAX_SUSPECTS_NAMED)}" if names else ""
    first = {
        "judges": f"Ask {plural(MIN_JUDGES - len(cards), 'more judge')}",
        "right": "Ask controls, whose answers are known",
        "apart": "Let judges share more outputs, or judge more each",
    }[REASONS[abstains.code]]
    return f"{first}; meanwhile {look}." if look else f"{first}."


def list_suspects(cards: Sequence[Card]) -> list[Card]:
    """Return who looks more likely careless or reversed than honest, and is not flagged."""
    return [card for card in cards if not card.flags and card.p_honest < SUSPECT]

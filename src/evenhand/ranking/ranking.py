"""What a ranking holds, and how it prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.exclusions import Exclusion, write_contract, write_document
from evenhand.data.joining import drop_marked
from evenhand.data.results import Grouped, Shown
from evenhand.data.tables import AppliedMix
from evenhand.data.tally import Tally
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    RefusalText,
    UnknownOption,
    suggest_or_list,
)
from evenhand.models.base import Contrast, FittedModel, Posterior
from evenhand.models.log_linear import Fit
from evenhand.models.registry import MODELS, say_model
from evenhand.numerics import Array, Integers
from evenhand.numerics.distributions import t_quantile, t_tail
from evenhand.numerics.multiple_tests import holm
from evenhand.ranking import intervals
from evenhand.ranking.sides import LIMIT
from evenhand.ranking.texts import say, say_clusterings
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Form,
    Table,
    effective,
    join_names,
    plural,
    say_answers,
    say_systems,
    whole,
    write_value,
)

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.models.controls import Controlled
    from evenhand.models.rating_fit import RatingFit
    from evenhand.ranking.best_variant import BestVariant, Estimated
    from evenhand.ranking.pairs import Pair, WinRates

MARGINAL: Final = ("marginal_lower", "marginal_upper")
COLUMNS: Final = (
    *("log_worth", "ability", "ratings", "mean", "stderr", "lower", "upper"),
    *("rank", "rank_lower", "rank_upper", "cluster", "better_than", "wins", "ties", "losses"),
)
# Those that only comparisons have, only ratings, and only some models
APPLICABLE: Final = frozenset(("log_worth", "ability", "ratings", "mean", "wins", "ties", "losses"))
# Keys of JSON that are members
PLAIN_KEYS: Final = (
    *("says", "headline", "model", "scale", "level", "method", "rank_interval"),
    *("n_judges", "effective_judges", "n_items"),
)


MAX_SYSTEMS_SHOWN: Final = 100  # Most systems that are printed; `rows` and `to_dict` have them all
WIDE: Final[tuple[Form, ...]] = ("html", "latex", "markdown")  # Where a table has room for more
MAX_GROUPS_SHOWN: Final = 12  # Most groups that are printed side by side; JSON has them all
MARK: Final = "†"
# What the mark on a rank says
LEGEND: Final = "some of its pairs cannot be decided, however far apart: see note"
DEFAULT_MODEL: Final = "Bradley-Terry, Davidson ties"  # Not said, since it is the usual one


def write_ranks(row: Mapping[str, Any], dash: str = "-", mark: str = MARK) -> str:
    low, high = row["rank_lower"], row["rank_upper"]
    if low is None:
        return str(row["rank"])
    ranks = str(low) if low == high else f"{low}{dash}{high}"
    return ranks + mark * bool(row.get("undecidable_pairs"))


FEW_CLUSTERS: Final = 20.0  # Effective judges or items of whom a reader should know how many
OWN_NUMBER_SHARE: Final = 0.5  # Part of the board's judges below which pairs have their own number
ALONE, THIN, APART, JUDGMENTS = "alone", "thin", "apart", "judgments"
BINDING: Final = ("judge", "item", JUDGMENTS)
Pairs = Sequence[tuple[int, int]]
Nouns = tuple[str, str]  # What pairs are called: one of them, and several
BETWEEN: Final = ("the pair between them", "the {of:,} pairs between them")
OWN: Final = ("its undecided pair", "its {of} undecided pairs")
SEPARATE, NARROW = "separate them", "narrow this down"
MAX_TIMES: Final = 100.0  # Times as many judgments beyond which no number is given


def say_why(ranking: Ranking, pairs: Pairs, aim: str, nouns: Nouns) -> str:
    sets = ranking.rank_sets
    if sets is None or not pairs:
        return f"these data cannot {aim}"
    causes = group_causes(sets, pairs)
    barred = {one: causes.pop(one) for one in (APART, ALONE, THIN) if one in causes}
    bars = say_barred(sets, barred, len(pairs), nouns) if barred else ""
    bound = {one: causes[one] for one in BINDING if one in causes}
    cause = max(bound, key=lambda one: len(bound[one]), default="")
    if not cause or sum(map(len, barred.values())) >= len(bound[cause]):
        return bars
    if cause == JUDGMENTS:
        sentence = f"{ranking.n_judgments:,.0f} {ranking.answers} cannot {aim}"
    else:
        sentence = f"{cause}s differ too much to {aim}"
        number = float(np.median([sets.clusters[pair] for pair in bound[cause]]))
        of_board, whose = ranking.effective_judges if cause == "judge" else None, ""
        if of_board is not None and number >= OWN_NUMBER_SHARE * of_board:
            number = of_board
        elif of_board is not None:
            whose = " of these systems"
        if number < FEW_CLUSTERS:
            sentence = f"{number:.0f} effective {cause}s{whose} are too few to {aim}"
    return f"{sentence}, and {bars}" if bars else sentence


def _say_enough(ranking: Ranking, pairs: Pairs) -> str:
    enough = _count_enough(ranking, pairs)
    return "" if enough is None else f"about {float(f'{enough:.1e}'):,.0f} would"  # two digits


def _count_enough(ranking: Ranking, pairs: Pairs) -> float | None:
    """Count them; None where more of them would not, or very many."""
    sets = ranking.rank_sets
    if len(pairs) != 1 or sets is None or ranking.pair_stderr is None:
        return None
    if name_cause(sets, pairs[0]) != JUDGMENTS:
        return None
    critical = min(sets.critical, default=np.inf)
    if not np.isfinite(critical):
        return None
    (pair,) = pairs
    t = abs(float(ranking.estimate[pair[0]] - ranking.estimate[pair[1]]))
    t /= float(ranking.pair_stderr[pair]) or np.inf
    times = intervals.find_times(t, t, critical)
    return None if times is None or times > MAX_TIMES else times * ranking.n_judgments


def group_causes(sets: intervals.RankSets, pairs: Pairs) -> dict[str, list[tuple[int, int]]]:
    causes: dict[str, list[tuple[int, int]]] = {}
    for pair in pairs:
        causes.setdefault(name_cause(sets, pair), []).append(pair)
    return causes


def name_cause(sets: intervals.RankSets, pair: tuple[int, int]) -> str:
    """Name why a pair is open: "apart", "alone", "thin", "judge", "item" or "judgments"."""
    if sets.apart[pair]:
        return APART
    if sets.resting[pair]:
        return ALONE
    if sets.effective[pair] < intervals.MIN_CLUSTERS:
        return THIN
    way = int(sets.way[pair])
    known = way >= 0 and sets.clusterings[way] in ("judge", "item")
    return sets.clusterings[way] if known else JUDGMENTS


def say_barred(sets: intervals.RankSets, barred: Mapping[str, Pairs], of: int, nouns: Nouns) -> str:
    one, several = nouns
    parts: list[str] = []
    for cause, pairs in barred.items():
        if cause == APART:
            on = f"different {' and '.join(f'{what}s' for what in sets.different)}"
        else:
            mask, ways = sets.lone if cause == ALONE else sets.thin, enumerate(sets.clusterings)
            known = [way for place, way in ways if any(mask[place][pair] for pair in pairs)]
            on = f"one {' or '.join(known)} alone"
            if cause == THIN:
                whose = " or ".join(f"{way}s" for way in known)
                on = f"fewer than {intervals.MIN_CLUSTERS:.0f} effective {whose}"
        n, whom = len(pairs), one
        if of > 1:
            whom = str(n) if parts else f"{'all' if n == of else n} of {several.format(of=of)}"
        parts.append(f"{whom} {'rests' if n == 1 else 'rest'} on {on}")
    return " and ".join(parts)


def _say_leader(ranking: Ranking, about: str = "") -> str:
    best, others = ranking.systems[0], len(ranking.systems) - 1
    if ranking.rank_lower is None or ranking.rank_upper is None:
        return f"{best} leads{about} by its estimate; too many systems for intervals of all"
    if ranking.rank_upper[0] == 1:
        whom = f"each of the other {others}" if others > 1 else ranking.systems[1]
        return f"{best} is the best{about}: better than {whom}"
    first = np.flatnonzero(ranking.rank_lower == 1).tolist()
    if len(first) == 1:
        sets = ranking.rank_sets
        if sets is None:
            whom = f"{int(ranking.rank_upper[0]) - 1} of the others"
        else:
            equal = np.flatnonzero(sets.decided[0] == 0).tolist()
            whom = join_names([ranking.systems[i] for i in equal if i])
        return f"{best} ranks first{about}, since no other can, but is not separated from {whom}"
    names = join_names([ranking.systems[place] for place in first])
    if others > 1 and len(first) == others + 1:
        names = f"All {others + 1} systems"
    pairs, sets = _first(ranking), ranking.rank_sets
    apart = sets is not None and all(sets.apart[pair] for pair in pairs)
    verdict = "cannot be compared" if apart else "share first place"
    return f"{names} {verdict}{about}: {say_why(ranking, pairs, SEPARATE, BETWEEN)}"


def _first(ranking: Ranking) -> Pairs:
    first = [] if ranking.rank_lower is None else np.flatnonzero(ranking.rank_lower == 1).tolist()
    return [(i, j) for i in first for j in first if i < j]


def _say_pair(ranking: Ranking, pair: tuple[int, int], apart: str) -> str:
    first, second = (ranking.systems[place] for place in pair)
    verdict = 0 if ranking.decided is None else int(ranking.decided[pair])
    if verdict:
        better, worse = (first, second) if verdict > 0 else (second, first)
        return f"{better} is better than {worse}: {apart}"
    ordered = [(min(pair), max(pair))]
    why = say_why(ranking, ordered, SEPARATE, BETWEEN) + _add(_say_enough(ranking, ordered))
    return f"{first} and {second} are not separated: {why}; {apart}"


def _say_interval(ends: tuple[float, float] | None, kind: str) -> str:
    return "" if ends is None else f" ({write_value(ends, kind)})"


def _limit(ranking: Ranking, pairs: Pairs) -> str:
    """Say how many judgments would decide the one pair there is, and what a sentence is about."""
    # of two systems there is one claim
    together = ranking.rank_interval == "simultaneous" or len(ranking.systems) == 2
    apart = not together and ranking.rank_lower is not None
    single = "pairs decided one at a time" if apart else ""
    sides = LIMIT if ranking.one_sided else ""
    return _add(_say_enough(ranking, pairs), single, ranking.headline, sides)


def _add(*limits: str | None) -> str:
    return f" ({'; '.join(filter(None, limits))})" if any(limits) else ""


@dataclass(frozen=True)
class Sampling:
    """How divided verdicts are, 0 (all alike) to 1 (half each), on pairs of outputs."""

    t: float  # of the difference, within pairs of systems
    judged: float  # mean over the pairs of outputs that people judged
    others: float  # over the others

    @property
    def warns(self) -> Finding:
        differ = (
            f"are {'more' if self.t > 0 else 'less'} divided on the pairs of outputs that people"
            f" judged than on the others: {self.judged:.2f} and {self.others:.2f}, from 0 (all"
            " alike) to 1 (half each)"
        )
        return say("verdicts-not-alike", "warning", t=self.t, differ=differ)


@dataclass(frozen=True, eq=False, repr=False)
class Fused:
    """What verdicts of LLM judges did to a ranking by people's judgments."""

    n_verdicts: float  # verdicts, before those on the same outputs were averaged
    n_pairs: int  # pairs of outputs with a verdict
    n_unpaired: float  # judgments on pairs without one
    rank_people: Callable[[], Ranking]  # ranks by people alone, which takes a while
    weight: float = 0.0  # λ, from 0 (verdicts are not used) to 1
    gain: float = 1.0  # people's mean variance of differences, over that with verdicts
    tastes: float | None = None  # share of people's variance by tastes; None without judges
    check: float | None = None  # t of how clear verdicts are on people's items, beside the others
    # system → p (Holm) that verdicts on it differ between these items and the others
    check_systems: Mapping[str, float] = field(default_factory=dict)
    sampling: Sampling | None = None  # how divided they are; None where that is unknown
    llm: Mapping[str, float] | None = None  # system → log-worth by verdicts alone, or None
    # system that no person judged → verdicts on it, which are not used
    unjudged: Mapping[str, float] = field(default_factory=dict)
    n_unused: float = 0.0  # all these verdicts
    effective: float | None = None  # judgments of weight 1 that are as precise; None unweighted

    @cached_property
    def human(self) -> Ranking:
        return self.rank_people()

    def says_of(self, ranking: Ranking) -> str:
        of = "outputs" if ranking.score is not None else "pairs of outputs"
        verdicts = f"{plural(self.n_verdicts, 'verdict')} of LLM judges on {self.n_pairs:,} {of}"
        like = f"{float(f'{self.gain * (self.effective or ranking.n_judgments):.2g}'):,.0f}"
        of = f"{ranking.n_judgments:,.0f} {ranking.answers}"
        return f"With {verdicts}, {of} are as precise as about {like}."

    def to_dict(self) -> dict[str, Any]:
        values = {k: v for k, v in vars(self).items() if k not in ("rank_people", "human")}
        values["sampling"] = None if self.sampling is None else vars(self.sampling)
        values["unjudged"] = {name: whole(n) for name, n in self.unjudged.items()}
        counts = ("n_verdicts", "n_unpaired", "n_unused")
        return values | {name: whole(values[name]) for name in counts}


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Shown):
    """Systems best first, with what is known about their places.

    Arrays are in the order of `systems`. Log-worths are natural log-odds, centred
    at zero, or on the mean of the systems that have an interval where some have none. Of ratings
    estimates are scores; their errors are those of the distance to the mean of all systems.
    """

    systems: tuple[str, ...]  # names, best first
    stderr: Array | None  # (K,) standard errors, ∞ without one; None of too many systems
    lower: Array | None  # (K,) lower ends of intervals, −∞ where a system has none, or None
    upper: Array | None  # (K,) upper ends, ∞ where a system has none, or None
    rank: Integers  # (K,) place by estimate; equal estimates share one
    rank_lower: Integers | None  # (K,) best place that decided pairs leave, or None
    rank_upper: Integers | None  # (K,) worst place, or None
    cluster: Integers | None  # (K,) number of the cluster, or None
    better_than: Integers | None  # (K,) systems it is decided to be better than, or None
    level: float  # nominal level of intervals (proportion)
    interval: str  # rank-sets, model, sandwich or bootstrap; of other models also posterior
    method: str  # how intervals were made, in a few words
    rank_interval: str  # "simultaneous": all ranges hold at once; "marginal": each by itself
    n_judgments: float  # answers, a ranking being one
    n_comparisons: float  # pairs
    n_judges: int | None  # judges, or None where they are not known
    effective_judges: float | None  # (Σ n)² / Σ n², or None
    n_items: int | None  # items, or None
    signature: str  # one line that reproduces the numbers
    headline: str | None  # what must be known first, such as "for these 3 judges only"
    notes: tuple[Finding, ...]  # what else should be known
    fit: Fit | FittedModel | RatingFit  # the fit behind it
    log_worth: Array | None = None  # (K,) estimates of comparisons; None of ratings
    wins: Array | None = None  # (K,) comparisons won, None of ratings; likewise `ties`, `losses`
    ties: Array | None = None  # see wins
    losses: Array | None = None  # see wins
    neighbours: tuple[Contrast, ...] = ()  # of neighbours at the top, without intervals
    controlled: Controlled | None = None  # what controls do and change, or None without them
    model: str = "bradley-terry"  # the model's name in the registry
    df: float = np.inf  # degrees of freedom of the intervals; infinite for the normal
    pair_stderr: Array | None = None  # (K, K) errors of differences between systems, or None
    ability: Array | None = None  # (K,) what is ordered, where no log-worths: abilities
    score: Array | None = None  # (K,) estimates of ratings; None of comparisons
    ratings: Array | None = None  # (K,) number of ratings of each system; None of comparisons
    mean: Array | None = None  # (K,) their mean score; None of comparisons
    repeats: int = 0  # how many of the ratings are repeats
    lower_is_better: bool = False  # whether lower scores are better
    references: tuple[Mapping[str, Any], ...] = ()  # human references, without a rank, as rows
    mix: AppliedMix | None = None  # the stated mix of judgments, with its effective number; or None
    rank_sets: intervals.RankSets | None = None  # what simultaneous ranges rest on, or None
    ways: tuple[intervals.Way, ...] = ()  # clusterings by which errors were estimated, or none
    one_sided: bool = False  # whether a preference for one side may carry a claim
    answers: str = "judgments"  # what `n_judgments` counts: "judgments", or "rankings"
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments
    decided: NDArray[np.int8] | None = None  # (K, K) +1 where the row's is better, −1 worse, or 0
    tally: Tally | None = None  # the counts that were ranked, or None
    fused: Fused | None = None  # what verdicts of LLM judges did; None without any
    owners: tuple[BestVariant, ...] = ()  # best variants of owners, as `with_owners` finds them

    @property
    def estimate(self) -> Array:
        """(K,) what systems are ordered by: scores, abilities or log-worths."""
        for values in (self.score, self.ability, self.log_worth):
            if values is not None:
                return values
        raise NotIdentified("this ranking has no estimates")

    @property
    def worth(self) -> Array:
        """(K,) log-worths, which a ranking by ratings has not.

        Raises:
            UnknownOption: there are none.
        """
        if self.log_worth is None:
            raise UnknownOption(
                "scores have no worths, whose ratios are odds: read `estimate`, the scores"
            )
        return self.log_worth

    @property
    def predictor(self) -> FittedModel:
        """The fit, which predicts who is preferred.

        Raises:
            UnknownOption: a ranking by ratings, which predict no preferences.
        """
        if not isinstance(self.fit, FittedModel):
            raise UnknownOption("win rates need comparisons: scores predict no preferences")
        return self.fit

    @property
    def of_worths(self) -> bool:
        """Whether the model has worths, whose ratios are the odds of two systems."""
        fit = self.fit
        if isinstance(fit, Fit) or not isinstance(fit, FittedModel):
            return isinstance(fit, Fit)
        return not isinstance(fit, Posterior) and fit.worth_vcov is not None

    @property
    def scale(self) -> str:
        """What `estimate` is, such as "log-worth"."""
        if not isinstance(self.fit, FittedModel):
            return self.fit.scale
        return "log-worth" if self.ability is None else "ability"

    @property
    def bounded(self) -> NDArray[np.bool_]:
        """(K,) whether each system has an interval."""
        if self.lower is None or self.upper is None:
            return np.zeros(len(self.systems), dtype=np.bool_)
        return np.asarray(np.isfinite(self.lower) & np.isfinite(self.upper))

    @property
    def undecidable_pairs(self) -> Integers | None:
        """(K,) pairs of each system that stay open whatever they show; None without rank sets."""
        if self.rank_sets is None:
            return None
        apart = ~np.eye(len(self.systems), dtype=np.bool_)
        return np.asarray((self.rank_sets.barred & apart).sum(axis=1))

    def worths(self) -> Array:
        """Return (K,) worths π, which sum to one."""
        shares = np.exp(self.worth - self.worth.max())
        return np.asarray(shares / shares.sum())

    def elo(self) -> Array:
        """Return (K,) log-worths on the Elo scale: 1000 on average, 400 for odds of 10 to 1."""
        return np.asarray(1000 + self.worth * 400 / np.log(10))

    @property
    def says(self) -> str:
        """The result in a sentence that can be quoted."""
        return f"{_say_leader(self)}{_limit(self, _first(self))}"

    def says_of(self, system: str) -> str:
        """Say where one system stands.

        Raises:
            InvalidJudgments: no such system.
        """
        place, sets, every = self._place(system), self.rank_sets, len(self.systems)
        beside = [] if sets is None else np.flatnonzero(sets.decided[place] == 0).tolist()
        pairs = [(place, other) for other in beside if other != place]
        limit = _limit(self, pairs)
        if self.rank_lower is None or self.rank_upper is None:
            return f"{system} is number {self.rank[place]} by its estimate; no interval{limit}"
        low, high = int(self.rank_lower[place]), int(self.rank_upper[place])
        sentence = f"{system} is {intervals.say_place(low, high, every)}"
        if low == high:
            return sentence + limit
        if sets is None:
            return f"{sentence}: these data cannot {NARROW}{limit}"
        best, worst = (int(end[place]) for end in sets.marginal)
        if (best, worst) != (low, high):
            sentence += f" (marginally, {intervals.say_place(best, worst, every)})"
        return f"{sentence}: {say_why(self, pairs, NARROW, OWN)}{limit}"

    def may_be_in_top(self, k: int) -> tuple[str, ...]:
        """Return the systems that may be among the best k; all others are decided not to be.

        Raises:
            UnknownOption: there is no such k, or the ranges do not hold all at once.
        """
        if self.rank_sets is None:
            raise UnknownOption(
                f"who may be in the top {k} is a claim about all systems at once: rank with"
                " interval 'rank-sets'"
            )
        best, every = intervals.rank_ranges(self.rank_sets.decided)[0], len(self.systems)
        if not 1 <= k <= every:
            raise UnknownOption(f"there is no top {k} of {every} systems: choose 1 to {every}")
        return tuple(self.systems[place] for place in np.flatnonzero(best <= k))

    def _place(self, system: str) -> int:
        if any(one["system"] == system for one in self.references):
            raise InvalidJudgments(
                f"{system} is a human reference by its name and has no rank: rank references too"
                " (--rank-references, in Python references=())"
            )
        if system not in self.systems:
            raise InvalidJudgments(f"no system '{system}'.{suggest_or_list(system, self.systems)}")
        return self.systems.index(system)

    def row(self, system: str) -> Mapping[str, Any]:
        """Return what is known of one system, as in the JSON contract.

        Raises:
            InvalidJudgments: no such system.
        """
        return self.rows()[self._place(system)]

    def rows(self, *columns: str) -> list[dict[str, Any]]:
        """Return one mapping per system, best first, with plain numbers; also "elo" or "worth"."""
        none: list[Any] = [None] * len(self.systems)
        held: dict[str, list[Any]] = {"system": [*self.systems], "estimate": self.estimate.tolist()}
        for name in COLUMNS:
            values = getattr(self, name)
            if name not in APPLICABLE or values is not None:
                held[name] = none if values is None else values.tolist()
        sets, barred = self.rank_sets, self.undecidable_pairs
        ends = (none, none) if sets is None else (end.tolist() for end in sets.marginal)
        held |= zip(MARGINAL, ends, strict=True)
        held["undecidable_pairs"] = none if barred is None else barred.tolist()
        # the systems that each is decided to be better than, best first
        held["beats"] = none
        if self.decided is not None:
            beaten = (np.flatnonzero(row > 0) for row in self.decided)
            held["beats"] = [[self.systems[i] for i in places] for places in beaten]
        for name in {"wins", "ties", "losses", "ratings"} & held.keys():
            held[name] = [whole(count) for count in held[name]]
        for name in ("stderr", "lower", "upper"):
            pairs = zip(held[name], self.bounded.tolist(), strict=True)
            held[name] = [number if known else None for number, known in pairs]
        scales = {"elo": self.elo, "worth": self.worths}
        held |= {name: scale().tolist() for name, scale in scales.items() if name in columns}
        return [dict(zip(held, values, strict=True)) for values in zip(*held.values(), strict=True)]

    def pairs(self) -> list[dict[str, Any]] | None:
        """Return what is known of each pair, the better by estimate first; None of many systems.

        Intervals hold all at once for rank sets, else each by itself; p-values are adjusted for the
        number of pairs, with the replicates of rank sets or else by Holm's method. Where a pair
        cannot be tested, and with a bootstrap or a posterior, neither is given.
        """
        k = len(self.systems)
        if self.pair_stderr is None or self.decided is None or k > intervals.MAX_LISTED_SYSTEMS:
            return None
        at = np.triu_indices(k, 1)
        numbers = zip(*self._test_pairs(at), (self.decided[at] != 0).tolist(), strict=True)
        keys = ("first", "second", "difference", "p_adjusted", "lower", "upper", "decided")
        named = ((self.systems[i], self.systems[j]) for i, j in np.transpose(at).tolist())
        return [dict(zip(keys, (*a, *b), strict=True)) for a, b in zip(named, numbers, strict=True)]

    def _test_pairs(self, at: tuple[Integers, Integers]) -> list[list[float | None]]:
        """Return differences of pairs, adjusted p-values, both ends; None where there is none."""
        sets, n = self.rank_sets, len(at[0])
        error = np.full(n, np.nan) if self.pair_stderr is None else self.pair_stderr[at]
        difference, tested = self.estimate[at[0]] - self.estimate[at[1]], error > 0
        p, critical = np.full(n, np.nan), np.inf
        if sets is not None:
            critical = max(sets.critical, default=np.inf)
            p = p if sets.adjusted is None else sets.adjusted[at]
            tested &= ~sets.barred[at] if sets.adjusted is None else np.isfinite(p)
        elif self.interval in ("sandwich", "model"):
            tested &= np.isfinite(error)
            t = (difference[tested] / error[tested]).tolist()
            p[tested] = holm(np.array([t_tail(one, self.df) for one in t]))
            critical = t_quantile((1 + self.level) / 2, self.df)
        known = tested & np.isfinite(critical)
        margin = np.where(known, critical, np.nan) * error
        columns = (difference, p, difference - margin, difference + margin)
        return [intervals.list_known(values) for values in columns]

    def pair(self, first: str, second: str) -> Pair:
        """Return what is known of two systems: who is better, and how often each is preferred.

        Its interval and p-value are those of `pairs`, so that with rank sets they hold for all
        pairs at once.

        Raises:
            InvalidJudgments: no such system.
            UnknownOption: a system and itself.
        """
        from evenhand.ranking.pairs import Pair, bound_rate, find_rates, predict_chances

        i, j, k = self._place(first), self._place(second), len(self.systems)
        if i == j:
            raise UnknownOption(f"a pair is two systems, and '{first}' is one")
        best, worst = min(i, j), max(i, j)
        at: tuple[Integers, Integers] = (np.array([best]), np.array([worst]))
        place = 0
        if self.pair_stderr is not None:  # p-values are adjusted for all
            at, place = np.triu_indices(k, 1), best * (2 * k - best - 1) // 2 + worst - best - 1
        _, p, low, high = (values[place] for values in self._test_pairs(at))
        gap = float(self.estimate[i] - self.estimate[j])
        ends = (low, high) if i == best else (high, low)
        lower, upper = (None if one is None else one if i == best else -one for one in ends)
        win = tie = bounds = None
        known = None if lower is None or upper is None else (lower, upper)
        if isinstance(self.fit, FittedModel):
            chances = predict_chances(self.fit, [(first, second)])
            win, tie = float(find_rates(chances)[0]), float(chances[0, 1])
            bounds = None if known is None else bound_rate(self.fit, win, gap, known)
        verdict = 0 if self.decided is None else int(self.decided[i, j])
        enough = None if verdict else _count_enough(self, [(best, worst)])
        met = (None, None, None) if self.tally is None else self.tally.between(first, second)
        stderr = None if self.pair_stderr is None else float(self.pair_stderr[i, j])
        never = met[0] is not None and not sum(met)
        if win is None:
            unit = "points" if self.scale == "score" else self.scale
            said = f"has {write_value(gap, 'signed')} {unit}{_say_interval(known, 'interval')}"
        else:
            share = f"{write_value(win, 'share')}{_say_interval(bounds, 'interval share')}"
            said = f"is predicted to win {share} of answers that are no ties"
        asked = [say("never-compared", one=first, other=second)] * never
        return Pair(
            first=first,
            second=second,
            scale=self.scale,
            difference=gap,
            stderr=stderr if stderr is not None and np.isfinite(stderr) else None,
            lower=lower,
            upper=upper,
            p_adjusted=p,
            win=win,
            win_lower=None if bounds is None else bounds[0],
            win_upper=None if bounds is None else bounds[1],
            tie=tie,
            better=None if not verdict else first if verdict > 0 else second,
            wins=met[0],
            ties=met[1],
            losses=met[2],
            judgments_needed=None if enough is None else enough - self.n_judgments,
            simultaneous=self.rank_sets is not None and k > 2,
            level=self.level,
            says=f"{_say_pair(self, (i, j), f'{first} {said}')}{_add(self.headline)}.",
            basis=f"{say_counts(self)}. {_say_basis(self)}",
            signature=self.signature,
            notes=(*asked, *self.notes),
            excluded=self.excluded,
        )

    def with_owners(
        self, owners: Mapping[str, str], seed: int = SEED, later: Ranking | None = None
    ) -> Ranking:
        """Return the ranking with the best variant of each owner of several, in `owners`.

        owners: system → its owner, by default itself; those not ranked count as not judged.
        later: the ranking by judgments after the choice, by other judges: both are used.

        Raises:
            InvalidJudgments: no owner of two systems.
            NotIdentified: no errors of all differences.
        """
        from evenhand.ranking.best_variant import find_best_variants

        if later is not None and later.scale != self.scale:
            raise NotIdentified(f"later judgments are of {later.scale}, these of {self.scale}")
        own, again = self._estimated(), None if later is None else later._estimated()
        found = find_best_variants(own, owners, level=self.level, seed=seed, later=again)
        told = self.signature if later is None else f"{self.signature} | later {later.signature}"
        return replace(self, owners=found, signature=told)

    def _estimated(self) -> Estimated:
        from evenhand.ranking.best_variant import Estimated

        if self.pair_stderr is None or not self.bounded.all():
            raise NotIdentified("the best of several variants needs errors of all differences")
        fewest = min((way.clusters - 1.0 for way in self.ways), default=self.df)
        sign = -1 if self.lower_is_better else 1
        return Estimated(self.systems, sign * self.estimate, self.pair_stderr, fewest)

    def win_rates(self) -> WinRates:
        """Return how often each system is predicted to be preferred to each other.

        Raises:
            UnknownOption: too many systems for all pairs.
        """
        from evenhand.ranking.pairs import WinRates, predict_rates

        rates, ties = predict_rates(self.predictor, self.systems)
        basis = f"{say_counts(self)}. {say_fused(self)}Predicted by {say_ranked_by(self)}."
        return WinRates(self.systems, rates, ties, basis, self.signature, self.notes, self.excluded)

    def to_dict(self, *columns: str) -> dict[str, Any]:
        """Return the JSON contract of `evenhand rank --json`; systems with "elo" or "worth" too."""
        sets, mix, controlled = self.rank_sets, self.mix, self.controlled
        return {
            **write_contract(self, *PLAIN_KEYS),
            "n_judgments": whole(self.n_judgments),
            **({} if self.log_worth is None else {"n_comparisons": whole(self.n_comparisons)}),
            **({"repeats": self.repeats} if self.repeats else {}),
            **({"lower_is_better": True} if self.lower_is_better else {}),
            **({} if mix is None else {"mix": mix.to_dict()}),
            **({} if self.fused is None else {"llm": self.fused.to_dict()}),
            **({"owners": [one.to_dict() for one in self.owners]} if self.owners else {}),
            **({} if controlled is None else controlled.to_dict()),
            "rank_sets": None if sets is None else sets.to_dict(self.systems),
            "systems": self.rows(*columns),
            **({"references": [dict(one) for one in self.references]} if self.references else {}),
            "pairs": self.pairs(),
            "neighbours": [
                {"systems": list(c.systems), "estimate": c.estimate, "stderr": c.stderr}
                for c in self.neighbours
            ],
        }

    def document(self, *columns: str, about: str = "") -> Document:
        """Return what people read: the answer, the table, what limits it.

        Args:
            columns: more columns of the table, of "elo", "worth" and "marginal".
            about: what the systems are ranked by, such as "fluency", for the answer.
        """
        controlled = () if self.controlled is None else self.controlled.says
        excluded = {one.code for one in self.excluded}  # which are said with more counts
        findings = [one for one in self.notes if one.code not in excluded]
        findings += [Finding("controlled", one) for one in controlled]
        limits = _add(_say_enough(self, _first(self)), self.headline)
        of_references = (
            Column("system", "reference", "name"),
            Column("estimate", self.scale, "two"),
            Column(("lower", "upper"), f"{100 * self.level:g} % interval", "interval", priority=2),
            Column("beats", "beats", "names"),
            Column("beaten_by", "beaten by", "names"),
        )
        owners: list[Table] = []
        if self.owners:
            from evenhand.ranking.best_variant import tabulate_best_variants

            owners = tabulate_best_variants(self.owners, self.level)
        references = Table(
            "references", "Human references, which have no rank", of_references, self.references
        )
        of_neighbours = (
            Column("first", "system", "name"),
            Column("second", "its neighbour", "name"),
            Column("estimate", "difference", "two"),
            Column("stderr", "s.e.", "two"),
        )
        neighbours = Table(
            "neighbours",
            "Differences of neighbours at the top",
            of_neighbours,
            tuple(
                {"first": one.systems[0], "second": one.systems[1], **vars(one)}
                for one in self.neighbours
            ),
        )
        more = [*owners, *(one for one in (references, neighbours) if one.rows)]
        return write_document(
            self,
            _tabulate(self, columns),
            *more,
            basis=f"{say_counts(self)}. {_say_basis(self)}",
            answer=(f"{_say_leader(self, about and f' for {about}')}{limits}.",),
            findings=findings,
        )


@dataclass(frozen=True, eq=False, repr=False)
class GroupedRankings(Grouped[Any]):
    groups: Mapping[str, Ranking]
    refused: Mapping[str, RefusalText] = field(default_factory=dict)

    REFUSED: ClassVar = "not ranked"

    def document(self) -> Document:
        """Return systems × groups: the places of each system, and its estimate, in each group.

        Systems stand by their mean place. CSV and JSON have a row for each system in each group.
        """
        found = {
            (row["system"], name): row for name, one in self.groups.items() for row in one.rows()
        }
        places: dict[str, list[float]] = {}
        for (system, name), row in found.items():
            places.setdefault(system, []).append(row["rank"] / len(self.groups[name].systems))
        order = sorted(places, key=lambda one: (sum(places[one]) / len(places[one]), one))
        shown = [*self.groups][:MAX_GROUPS_SHOWN]
        columns = (Column("system", "system", "name"), *(Column(f"in {one}", one) for one in shown))
        unshown = [(name, key) for name in shown for key in ("estimate", "lower", "upper")]
        rows = tuple(
            {
                "system": system,
                **{f"in {name}": write_cell(found.get((system, name))) for name in shown},
                **{f"{key} {one}": found.get((system, one), {}).get(key) for one, key in unshown},
            }
            for system in order
        )
        scales = " or ".join(dict.fromkeys(one.scale for one in self.groups.values()))
        legend = [f"possible ranks, with the {scales}"]
        if len(shown) < len(self.groups):
            legend.append(f"the first {len(shown)} of {len(self.groups)} groups by name")
        ends = ("estimate", "stderr", "lower", "upper")
        keys = ("system", *ends, "rank", "rank_lower", "rank_upper")
        records = (
            {"group": name, **{key: found[system, name][key] for key in keys}}
            for system in order
            for name in self.groups
            if (system, name) in found
        )
        table = Table("groups", "Systems in each group", columns, rows, legend=tuple(legend))
        return Document(parts=(table,), csv_rows=tuple(records))

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "side_by_side": self.document().records}

    def _repr_html_(self) -> str:
        from evenhand.render.markup import render_html

        return super()._repr_html_() + render_html(self.document())


def write_cell(row: Mapping[str, Any] | None) -> str | None:
    """Return the places of a system and its estimate; None where it is not in a group."""
    return f"{write_ranks(row)} ({write_value(row['estimate'], 'two')})" if row else None


def rank_apart(
    names: Iterable[str], by: str | None, rank_group: Callable[[str], Ranking]
) -> GroupedRankings:
    """Rank groups one by one; return also where none can be ranked."""
    rankings: dict[str, Ranking] = {}
    refused: dict[str, RefusalText] = {}
    for name in names:
        try:
            rankings[name] = rank_group(name)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = RefusalText(refusal)
    return GroupedRankings(rankings, by or "", refused)


def take_only(grouped: GroupedRankings, *, requested: bool) -> Ranking | GroupedRankings:
    """Return rankings of groups; the ranking itself where no groups were asked for."""
    if not grouped.groups:
        raise NotIdentified.of_groups(grouped.refused, grouped.by)
    if not requested and len(grouped.groups) + len(grouped.refused) == 1:
        return next(iter(grouped.groups.values()))
    return grouped


def with_notes(ranking: Ranking, table: Comparisons, notes: tuple[Finding, ...]) -> Ranking:
    """Return a ranking of a table with all that is to be known of it."""
    # merged outputs and rankings of two are judgments of pairs
    answers = "judgments" if table.rankings is None else ranking.answers
    return replace(ranking, notes=drop_marked(notes, table.columns), answers=answers)


def say_ranked_by(ranking: Ranking) -> str:
    if isinstance(ranking.fit, Fit):
        return say_model(ranking.fit.model)
    if not isinstance(ranking.fit, FittedModel):
        return ranking.fit.title
    known = MODELS.get(ranking.model)
    return ranking.model if known is None else known.title


def say_counts(ranking: Ranking) -> str:
    one = ranking.answers.removesuffix("s")
    ties = ranking.ties
    parts = [
        plural(ranking.n_judgments, one)
        + f" ({plural(ranking.repeats, 'repeat')})" * bool(ranking.repeats)
        if ties is None
        else say_answers(ranking.n_judgments, ranking.n_comparisons, one)
    ]
    if ranking.n_judges is not None:
        uneven = effective(ranking.n_judges, ranking.effective_judges)
        parts.append(f"{plural(ranking.n_judges, 'judge')}{uneven}")
    if ranking.n_items is not None:
        parts.append(plural(ranking.n_items, "item"))
    if ties is None:
        return ", ".join([*parts, plural(len(ranking.systems), "system")])
    tied = float(ties.sum() / 2)
    return ", ".join([*parts, *say_systems(len(ranking.systems), tied, ranking.n_comparisons)])


def say_fused(ranking: Ranking) -> str:
    """Return the sentence that says what verdicts did, and a blank; "" where none are used."""
    if ranking.fused is None or not ranking.fused.weight:  # a note says why not
        return ""
    return f"{ranking.fused.says_of(ranking)} "


def _say_basis(ranking: Ranking) -> str:
    """Say which model ranks, where it is not the default, and what intervals account for."""
    model = say_ranked_by(ranking)
    of_model = [] if model == DEFAULT_MODEL else [f"Model: {model}."]
    if ranking.lower_is_better:
        of_model.append("Lower scores are better.")
    of_mix = []
    if (mix := ranking.mix) is not None:
        weigh = f"{mix.n_judgments:,.0f} {ranking.answers} weigh like {mix.effective:,.0f}"
        of_mix = [f"Mix: {mix.said}; {weigh}."]
    of_mix += [said.rstrip()] if (said := say_fused(ranking)) else []
    sets = ranking.rank_sets
    if ranking.lower is None:
        how = "Too many systems for intervals."
    elif sets is None:
        how = f"{100 * ranking.level:g} % intervals, {ranking.rank_interval}: {ranking.method}."
    elif not isinstance(ranking.fit, FittedModel) and not ranking.ways:
        how = f"Intervals are the model's: {ranking.fit.assumes}."
    elif sets.clusterings == (JUDGMENTS[:-1],):
        how = f"Intervals assume independent {ranking.answers}."
    else:
        how = say_clusterings(sets.clusterings)
    return " ".join([*of_model, *of_mix, how])


def _tabulate(ranking: Ranking, more: Sequence[str]) -> Table:
    rows = ranking.rows(*more)
    level, bounded = f"{100 * ranking.level:g} %", ranking.lower is not None
    llm = None if ranking.fused is None else ranking.fused.llm
    shown = [{**row, "ranks": write_ranks(row)} for row in rows]
    if llm:
        shown = [{**row, "llm": llm[row["system"]]} for row in shown]
    adjusted = ranking.mean is not None and ranking.model != "mean"
    columns = [
        Column("ranks", "rank", "range"),
        *([Column(MARGINAL, "marginal", "range")] * ("marginal" in more)),
        Column("system", "system", "name"),
        Column("estimate", ranking.scale, "two"),
        *([Column(("lower", "upper"), f"{level} interval", "interval", priority=2)] * bounded),
        *([Column("elo", "Elo", "integer")] * ("elo" in more)),
        *([Column("worth", "worth", "three")] * ("worth" in more)),
        *([Column(("lower", "estimate", "upper"), "", "bar")] * bounded),
        *([Column("llm", "LLM alone", "two", priority=2)] * bool(llm)),
        *([Column("mean", "raw mean", "two", only=WIDE)] * adjusted),
        *([Column("ratings", "ratings", "count", only=WIDE)] * (ranking.ratings is not None)),
        *([Column("beats", "beats", "names")] * (ranking.decided is not None)),
    ]
    clusters = [row["cluster"] for row in rows]
    lines = [at for at in range(1, len(rows)) if clusters[at] != clusters[at - 1]]
    headline = f", {ranking.headline}" if ranking.headline else ""
    barred = ranking.undecidable_pairs
    legend = (f"{MARK} {LEGEND}",) * (barred is not None and bool(barred.any()))
    legend += ("LLM alone: by verdicts, centred; no estimate of what people prefer",) * bool(llm)
    return Table(
        "ranking",
        f"Systems by {ranking.scale}, best{' (lowest)' * ranking.lower_is_better} first{headline}",
        tuple(columns),
        tuple(shown),
        tuple(lines),
        limit=MAX_SYSTEMS_SHOWN,
        legend=legend,
        # `log_worth` or `ability` is the estimate
        without=("ranks", "beats", *["estimate"] * (ranking.score is None)),
    )

"""The judgments of one task, what sections ask of them, and what would reverse the answer."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import find_excluded, leave_out_controls, take, take_pairs
from evenhand.data.exclusions import Exclusion, note_excluded
from evenhand.data.held_tables import CountedOnce, hold_rows
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import CONTROL, RatingRows, reads_lower_of
from evenhand.data.ratings import Ratings
from evenhand.data.references import exclude_references, find_references
from evenhand.data.tally import Tally
from evenhand.data.votes import Votes
from evenhand.errors import (
    ActionableError,
    NotConverged,
    NotIdentified,
    UnknownFormat,
    UnknownOption,
    require_level,
    require_seed,
)
from evenhand.judges.agreement import measure_agreement
from evenhand.judges.agreement_table import AgreementTable, GroupedAgreement
from evenhand.judges.cards import Screening
from evenhand.judges.diagnosis import Diagnosis, diagnose_judges
from evenhand.judges.preferences import (
    ExpectedAgreement,
    PreferenceAgreement,
    compare_votes,
    expect_agreement,
)
from evenhand.judges.screening import screen_judges
from evenhand.judges.units import require_column
from evenhand.metrics.evaluation import find_beside, meta_evaluate
from evenhand.metrics.result import GroupedEvaluations, MetaEvaluation
from evenhand.metrics.scores import MetricScores
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.models.registry import MODELS, RATING_MODELS, find_model, name_settings
from evenhand.numerics.distributions import normal_quantile
from evenhand.ranking.bias import PositionBias, find_position_bias
from evenhand.ranking.inference import Settings as RankSettings
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.ranking.ratings import choose_rating_model, rank_scores
from evenhand.ranking.robustness.cycles import Cycle, Cycles, find_cycles
from evenhand.ranking.robustness.sensitivity import order_alone
from evenhand.render.document import Document, Finding, plural, write_value
from evenhand.report.answer import say_refused
from evenhand.report.document import FAILED, WARNING

Data = Comparisons | Rankings | Ratings
OTHER_MODEL: Final = (
    "This is looked at under the default log-linear model, not under the model that ranks above."
)
REFUSALS: Final = (NotIdentified, NotConverged, UnknownOption)

LEVEL: Final = 0.95
# Option of a model → the setting that it is
MODEL_SETTINGS: Final = {"--ties": "ties", "--order-effect": "order_effect", "--prior": "prior"}
# Settings of a report that have an option of their name
OWN_SETTINGS: Final = (
    *("cluster", "level", "seed", "full", "group_by"),
    *("better", "rank_references", "scale", "unpaired"),
)
MODEL_OPTIONS: Final = (*MODEL_SETTINGS, "--control")
OF_MODEL: Final = ("--model", *MODEL_OPTIONS)
OF_RATINGS: Final = ("--better", "--rank-references")
RANK_OPTIONS: Final = (*OF_MODEL, *OF_RATINGS, "--cluster", "--level", "--seed")
NUMBERS: Final = ("--prior", "--level")  # Options whose value is written without idle digits
# Verb → which of the settings of a report it takes; others take none
TAKEN: Final[Mapping[str, frozenset[str]]] = {
    verb: frozenset(options)
    for verb, options in {
        "report": (
            *(*RANK_OPTIONS, "--full", "--group-by", "--scale", "--metrics"),
            *("--lower", "--llm", "--llm-judges", "--unpaired"),
        ),
        "rank": RANK_OPTIONS,
        "robustness": (*MODEL_OPTIONS[:-1], "--cluster", "--level", "--seed"),
        "fit": ("--model", *MODEL_OPTIONS),
        "agreement": ("--level", "--seed", "--scale"),
        "inspect": ("--scale",),
        "judges": ("--scale",),
        "similarity": ("--level", "--seed"),
        "bias": ("--cluster", "--level"),
        "compare": ("--level", "--seed"),
        "impute": ("--level", "--seed"),
        "labels": ("--seed",),
        "metrics": ("--better", "--lower", "--seed"),
        "next": ("--seed",),
        "variance": ("--level",),
        "watch": ("--level", "--seed"),
    }.items()
}


@dataclass(frozen=True)
class Settings:
    # what stands behind the verb to read the same judgments, such as ("votes.csv", "--task",
    # "fr-en")
    words: tuple[str, ...] = ("FILE",)
    level: float = LEVEL  # of intervals, rank sets and tests (proportion)
    seed: int = SEED  # of everything random
    # settings of the model that ranks, of any kind; None for what `rank` takes by itself
    model: Any = None
    full: bool = False  # whether checks are made that take long
    tasks: int = 1  # of the report; of many each gets less of what takes long
    cluster: str | None = None  # judgments that are correlated; None for what `rank` takes
    group_by: str | None = None  # a column of which each value is also ranked by itself
    better: str | None = None  # "higher" or "lower" scores; None by the names of criteria
    rank_references: bool = False  # whether human references by name are ranked, too
    scale: str | None = None  # possible scores, such as "1-5"; None for those that occur
    metrics: tuple[str, ...] = ()  # files of scores of metrics to compare with people
    scores: MetricScores | None = None  # what they hold; None for columns beside people's scores
    llm: str | None = None  # file of verdicts of LLM judges
    llm_columns: tuple[str, ...] = ()  # words that read columns of this file alone
    llm_judges: tuple[str, ...] = ()  # judges who are LLMs, where one table holds both
    verdicts: Any = None  # theirs, those that were given, or what opens the file
    unpaired: str | None = None  # judgments without a verdict: "drop" or "keep"; None refuses them
    lower: tuple[str, ...] = ()  # names of metrics of which lower is better
    without_metrics: tuple[str, ...] = ()  # names of metrics that are excluded
    # how files of metrics' scores are read: settings of `evenhand.read`
    of_scores: Mapping[str, Any] = field(default_factory=dict, hash=False)
    with_metrics: bool = False  # whether the report compares metrics with people

    def __post_init__(self) -> None:
        require_level(self.level)
        require_seed(self.seed)

    @property
    def llm_words(self) -> tuple[str, ...]:
        return "--llm", self.llm or "VERDICTS", *self.llm_columns

    @property
    def has_verdicts(self) -> bool:
        return bool(self.llm) or self.verdicts is not None

    @property
    def lower_is_better(self) -> bool | None:
        """Which scores are better; None by the names of criteria."""
        return None if self.better is None else self.better == "lower"

    @property
    def references(self) -> tuple[str, ...] | None:
        """Human references, which have no rank; None for those that names tell."""
        return () if self.rank_references else None

    @property
    def log_linear(self) -> BradleyTerry | None:
        """What ranks where it is log-linear; examinations take their own model where it is not."""
        return self.model if isinstance(self.model, BradleyTerry) else None

    @property
    def exclude_metrics(self) -> list[str]:
        return [word for one in self.without_metrics for word in ("--without", f"metric={one}")]

    def write_command(self, verb: str, *more: str) -> str:
        words, options = [*self.words, *more], self._list_options()
        other = self.model is not None and self.log_linear is None
        if other and not all(
            hasattr(self.model, MODEL_SETTINGS[one]) for one in MODEL_SETTINGS if one in more
        ):  # what the model that ranks does not have is asked of the default one
            options = {one: held for one, held in options.items() if one not in OF_MODEL}
        for option, values in options.items():
            if option in TAKEN.get(verb, ()) and option not in words:
                words += [option, *values]
        if verb != "report" and "--llm-judges" not in words:  # what it finds is of people alone
            words += [word for one in self.llm_judges for word in ("--without", one)]
        return shlex.join(("evenhand", *verb.split(), *words))

    def rank(
        self, table: Comparisons, *, model: Any = None, group_by: str | None = None
    ) -> Ranking | GroupedRankings:
        how = {name: getattr(self, name) for name in ("cluster", "level", "seed")}
        return rank(table, model=model or self.model, group_by=group_by, **how)

    def _list_options(self) -> dict[str, tuple[str, ...]]:
        usual_model: Any = BradleyTerry()
        model, name = self.model or usual_model, None
        if self.log_linear is None and self.model is not None:
            name = name_settings(model)
            usual_model = find_model(name, {**MODELS, **RATING_MODELS}).make()
        usual = (
            ("--model", name, None),
            *(
                (option, getattr(model, one), getattr(usual_model, one))
                for option, one in MODEL_SETTINGS.items()
                if hasattr(model, one)
            ),
            *(
                (f"--{name.replace('_', '-')}", getattr(self, name), getattr(Settings, name))
                for name in OWN_SETTINGS
            ),
        )
        options: dict[str, tuple[str, ...]] = {
            option: () if value is True else (f"{value:g}" if option in NUMBERS else str(value),)
            for option, value, default in usual
            if value != default
        }
        options |= {"--llm": self.llm_words[1:]} if self.llm else {}
        for option, several in (
            ("--control", getattr(model, "controls", ())),
            ("--metrics", self.metrics),
            ("--lower", self.lower),
            ("--llm-judges", self.llm_judges),
        ):
            words = [word for one in several for word in (option, one)]
            options |= {option: tuple(words[1:])} if words else {}
        return options


@dataclass(frozen=True, eq=False)
class Analysis:
    data: Data  # as they were read, controls and all
    settings: Settings = Settings()  # how the report is made
    task: str = ""  # name of the task; "" where there is one

    @cached_property
    def verdicts(self) -> Any:
        """Verdicts of LLM judges, opened; None where there are none."""
        settings = self.settings
        given = settings.llm if settings.verdicts is None else settings.verdicts
        verdicts = given() if isinstance(given, partial) else take(given)
        if self.task and isinstance(verdicts, Comparisons) and verdicts.has("task"):
            return verdicts.select_task(self.task, recorded=False)
        return verdicts

    @cached_property
    def fused(self) -> Ranking | GroupedRankings:
        """People's ranking with the help of verdicts; errors say why there is none."""
        settings = self.settings
        more: dict[str, Any] = {"llm": self.verdicts, "unpaired": settings.unpaired}
        if isinstance(self.data, Ratings):
            more |= {"references": settings.references, "lower_is_better": settings.lower_is_better}
        how = {name: getattr(settings, name) for name in ("model", "cluster", "level", "seed")}
        return rank(self.data, **how, **more)

    @cached_property
    def metrics(self) -> MetaEvaluation | GroupedEvaluations:
        """How well metrics agree with people; errors say why nothing is known of it."""
        settings = self.settings
        scores = settings.scores or find_beside(None, self.data, None, settings=settings.of_scores)
        how = {name: getattr(settings, name) for name in ("lower_is_better", "lower", "seed")}
        how |= {"task": self.task or None, "without": settings.without_metrics}
        return meta_evaluate(self.data, scores, **how)

    @cached_property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What the ranking does not count: human references of ratings, too."""
        excluded = find_excluded(self.data)
        if not isinstance(self.data, Ratings) or self.settings.rank_references:
            return excluded
        rows = self.rated.counted
        return (*excluded, *(exclude_references(rows, None)[1] if rows.size else ()))

    @cached_property
    def pairs(self) -> Comparisons:
        """Comparisons, rankings expanded and controls left out."""
        if isinstance(self.data, Ratings):
            raise UnknownFormat(f"{self.data.source.name} holds ratings, which compare nothing")
        pairs = take_pairs(self.data)
        return CountedOnce.of(pairs if pairs.frame is self.data.frame else hold_rows(pairs))

    @cached_property
    def comparisons(self) -> Comparisons:
        """Comparisons, rankings expanded; controls and repeats are among them."""
        pairs, data = self.pairs, self.data
        if isinstance(data, Ratings) or (pairs.rankings or pairs).frame is data.frame:
            return pairs  # no controls were left out
        return data.comparisons() if isinstance(data, Rankings) else data

    @cached_property
    def votes(self) -> Votes:
        """Comparisons row by row, rankings expanded; controls and repeats are among them.

        An answer on outputs that a campaign merged counts once: judges are compared by it.
        """
        asked = self.data.keep_asked()
        if asked is self.data or isinstance(asked, Ratings):
            return self.comparisons.votes()
        return (asked.comparisons() if isinstance(asked, Rankings) else asked).votes()

    @cached_property
    def shared(self) -> PreferenceAgreement:
        """How far judges agree where they compared the same two outputs."""
        return compare_votes(self.votes)

    @property
    def ranking(self) -> Ranking:
        if isinstance(self._ranking, Ranking):
            return self._ranking
        raise self._ranking.with_traceback(None)

    @property
    def known_ranking(self) -> Ranking | None:
        return self._ranking if isinstance(self._ranking, Ranking) else None

    @property
    def board(self) -> Ranking | None:
        """The ranking, where it is by the log-linear model, whose board examinations take."""
        return self.ranking if isinstance(self.ranking.fit, Fit) else None

    @property
    def examined(self) -> dict[str, Any]:
        """What every examination of the log-linear ranking is told."""
        same = {name: getattr(self.settings, name) for name in ("cluster", "level", "seed")}
        return {"model": self.settings.log_linear, "board": self.board, **same}

    def note_model(self, document: Document) -> Document:
        """Say of an examination that it has another model than the ranking."""
        noted = [] if self.board is not None else [Finding("other-model", OTHER_MODEL)]
        return replace(document, findings=(*noted, *document.findings))

    @cached_property
    def _ranking(self) -> Ranking | NotIdentified | NotConverged:
        """The same or why there is none, which many sections ask and takes as long to find."""
        try:
            return take_single(self.settings.rank(self.pairs))
        except (NotIdentified, NotConverged) as refusal:
            return refusal

    @cached_property
    def tally(self) -> Tally:
        """Outcomes of each pair, by which system stood first."""
        return self.pairs.tally()

    @cached_property
    def screening(self) -> Screening:
        return screen_judges(self.votes)

    @property
    def position_bias(self) -> PositionBias:
        if isinstance(self._position, PositionBias):
            return self._position
        raise self._position.with_traceback(None)

    @property
    def known_bias(self) -> PositionBias | None:
        """The advantage of being shown first; None where it cannot be estimated."""
        return self._position if isinstance(self._position, PositionBias) else None

    @cached_property
    def _position(self) -> PositionBias | NotIdentified | NotConverged | UnknownOption:
        """The same or why there is none, which takes as long to find."""
        try:
            settings = self.settings
            return find_position_bias(self.pairs, cluster=settings.cluster, level=settings.level)
        except REFUSALS as refusal:
            return refusal

    @cached_property
    def cycles(self) -> Cycles:
        """How well worths alone describe preferences, as `evenhand robustness` asks it."""
        model = self.settings.log_linear
        order = True if model is not None and model.order_effect else None
        how = {name: getattr(self.settings, name) for name in ("cluster", "level", "seed")}
        return find_cycles(self.pairs, order_effect=order, **how)

    @cached_property
    def rated(self) -> Rated:
        if not isinstance(self.data, Ratings):
            raise UnknownFormat("comparisons and rankings hold no scores: see the ranking")
        return Rated(self.data, self.settings)

    @cached_property
    def expected(self) -> ExpectedAgreement | None:
        """Agreement of judges beside that of judges who follow the worths; None where unknown."""
        model = self.settings.log_linear or BradleyTerry()
        try:
            fit = BradleyTerry(order_effect=model.order_effect, prior=model.prior).fit(self.tally)
        except REFUSALS:
            return None
        settings = self.settings
        return expect_agreement(self.votes, fit.predict, level=settings.level, seed=settings.seed)

    @cached_property
    def reversals(self) -> Reversals:
        return Reversals(self)

    def write_command(self, verb: str, *more: str) -> str:
        task: Sequence[str] = ("--task", self.task) if self.task else ()
        return self.settings.write_command(verb, *task, *more)

    def write_commands(self, *commands: tuple[str, ...]) -> str:
        return " && ".join(self.write_command(*words) for words in commands)


def take_single(result: Any) -> Ranking:
    return result if isinstance(result, Ranking) else next(iter(result.groups.values()))


# What a report makes of itself, and what it leaves to a command.

MAX_CLUSTERS: Final = 200  # Clusters beyond which those of one way are merged for rank sets
BASE_EFFORT: Final = 30_000  # Effort of the smallest ranking
COMPARISON_EFFORT: Final = 25  # Effort of counting a comparison
# Effort of all rankings that one section of one task makes; some three seconds
MAX_RANKING_EFFORT: Final = 6_000_000
# Judges and items that may be left out one by one, times systems squared; some three seconds
MAX_REMOVAL_EFFORT: Final = 60_000_000
MAX_REMOVAL_VOTES: Final = 200_000  # Comparisons of which may be counted what is left without some


def may_rank(analysis: Analysis, times: int) -> bool:
    ranking, settings = analysis.ranking, analysis.settings
    units = (ranking.n_judges or 0, ranking.n_items or 0)
    replicates = len(ranking.systems) ** 2 * sum(min(n, MAX_CLUSTERS) for n in units)
    effort = BASE_EFFORT + COMPARISON_EFFORT * ranking.n_comparisons + replicates
    return settings.full or times * effort * settings.tasks <= MAX_RANKING_EFFORT


def may_remove(analysis: Analysis) -> bool:
    """Whether a section may leave out every judge and every item."""
    ranking, settings = analysis.ranking, analysis.settings
    units = (ranking.n_judges or 0) + (ranking.n_items or 0)
    effort = units * len(ranking.systems) ** 2 * settings.tasks
    votes = ranking.n_comparisons * settings.tasks
    return settings.full or (effort <= MAX_REMOVAL_EFFORT and votes <= MAX_REMOVAL_VOTES)


def say_how(command: str, what: str) -> str:
    """Say that something is not made here, and which command makes it."""
    return f"{what} is not run here. To make it: {command}, or --full."


# Would a doubt reverse the answer? What decides whether a check fails or only warns.
#
# A check fails (red) only where the answer changes with what it found (docs/report.md). The order
# effect and flagged judges take out the very fault that was found, so that an answer which names
# other leaders without it rested on it. Of capped loads, one choice among others, orders count.

STAYS: Final = "the decided order stays"
# Chance that a pair is said to be contradicted by its own comparisons, over all decided pairs
ALPHA: Final = 0.05


@dataclass(frozen=True, eq=False)
class Reversals:
    """What each kind of doubt reverses in a ranking; "" where it reverses nothing."""

    analysis: Analysis  # the judgments

    @cached_property
    def order(self) -> str:
        fit = self.analysis.ranking.fit
        if isinstance(fit, Fit) and fit.model.order_effect:
            return ""
        compare = self._rank if may_rank(self.analysis, 1) else self._order
        return compare(self.analysis.pairs, replace(self._model, order_effect=True))

    @cached_property
    def judges(self) -> str:
        try:
            flagged = [card.judge for card in self.analysis.screening.flagged]
        except REFUSALS:
            return ""
        if not flagged:
            return ""
        return self._rank(self.analysis.pairs.without(judges=tuple(flagged)), self._model)

    @cached_property
    def loads(self) -> str:
        """What is reversed where busy judges are capped at the median."""
        return self._order(self.analysis.pairs, self._model, judge_cap="median")

    @cached_property
    def pairs(self) -> str:
        """What the ranking says of pairs that their own comparisons contradict."""
        claims = self._list_claims()
        critical = normal_quantile(1 - ALPHA / max(len(claims), 1))
        against = []
        for better, worse in claims:
            won, lost = self._wins.get((better, worse), (0.0, 0.0))
            if lost - won >= critical * (won + lost) ** 0.5 > 0:
                against.append((better, worse, lost / (won + lost)))
        return self._say_contradicted(against)

    def find_circle(self, circle: Cycle) -> str:
        claims, systems = set(self._list_claims()), circle.systems
        pairs = [(systems[(at + 1) % 3], systems[at]) for at in range(3)]  # the worse one first
        shares = zip(pairs, circle.won, strict=True)
        return self._say_contradicted([(*pair, won) for pair, won in shares if pair in claims])

    def _list_claims(self) -> list[tuple[str, str]]:
        """Return (first, second) of pairs of which the answer denies that the second is better."""
        ranking = self.analysis.ranking
        if ranking.rank_sets is None or ranking.rank_lower is None:
            return []
        decided = ranking.rank_sets.decided
        leads = np.asarray(ranking.rank_lower) == 1
        both = (decided == 0) & leads[:, None] & leads & ~np.eye(len(leads), dtype=np.bool_)
        pairs = np.argwhere((decided > 0) | both).tolist()
        return [(ranking.systems[i], ranking.systems[j]) for i, j in pairs]

    @cached_property
    def _wins(self) -> Mapping[tuple[str, str], tuple[float, float]]:
        """Wins and losses of each pair of systems, both ways round."""
        tally = self.analysis.tally.fold().pool()
        wins = {}
        for at, (left, right) in enumerate(zip(tally.left, tally.right, strict=True)):
            first, second = tally.systems[left], tally.systems[right]
            won, lost = float(tally.wins[at]), float(tally.losses[at])
            wins[first, second], wins[second, first] = (won, lost), (lost, won)
        return wins

    def _say_contradicted(self, against: list[tuple[str, str, float]]) -> str:
        if not against:
            return ""
        first, second, share = max(against, key=lambda claim: claim[2])
        more = f", and so {len(against) - 1} more pairs" if len(against) > 1 else ""
        won = f"{second} won {write_value(share, 'share')} of their own decided comparisons{more}"
        ranking = self.analysis.ranking
        pair = ranking.systems.index(first), ranking.systems.index(second)
        if ranking.rank_sets is not None and ranking.rank_sets.decided[pair] > 0:
            return f"{first} is decided to be better than {second}, yet {won}"
        return f"{first} and {second} are left undecided, yet {won}"

    @property
    def _model(self) -> BradleyTerry:
        return self.analysis.settings.log_linear or BradleyTerry()

    def _rank(self, table: Comparisons, model: BradleyTerry) -> str:
        again = self.analysis.settings.rank
        return find_change(self.analysis.ranking, lambda: take_single(again(table, model=model)))

    def _order(self, table: Comparisons, model: BradleyTerry, judge_cap: str | None = None) -> str:
        ranking, settings = self.analysis.ranking, self.analysis.settings
        how: dict[str, Any] = {"cluster": settings.cluster, "seed": settings.seed}
        how |= {"level": ranking.level, "judge_cap": judge_cap}
        try:
            return find_reversal(ranking, order_alone(table, model=model, **how))
        except REFUSALS:
            return ""


def list_leaders(ranking: Ranking) -> tuple[frozenset[str], int, bool]:
    """Return which systems may be the best, of how many, and whether one is decided to be."""
    lower, upper = ranking.rank_lower, ranking.rank_upper
    if lower is None or upper is None:
        return frozenset(ranking.systems[:1]), len(ranking.systems), False
    pairs = zip(ranking.systems, lower.tolist(), strict=True)
    leaders = frozenset(system for system, low in pairs if low == 1)
    return leaders, len(ranking.systems), int(upper[0]) == 1


def find_reversal(ranking: Ranking, other: Ranking) -> str:
    """Say what another ranking reverses of what is decided and it places; "" if nothing."""
    systems, sets = ranking.systems, ranking.rank_sets
    if sets is None or ranking.rank_upper is None:
        return ""
    places = dict(zip(other.systems, other.rank.tolist(), strict=True))
    if ranking.rank_upper[0] == 1:
        if systems[0] not in places:
            return f"{systems[0]} cannot be ranked"
        if places[systems[0]] > 1:
            first = next(name for name, place in places.items() if place == 1)
            return f"{first} and not {systems[0]} is first"
    pairs = [(systems[i], systems[j]) for i, j in np.argwhere(sets.decided > 0).tolist()]
    both = [(first, second) for first, second in pairs if {first, second} <= places.keys()]
    against = [(first, second) for first, second in both if places[first] > places[second]]
    if len(against) == 1:
        return f"{against[0][1]} is before {against[0][0]}, a decided pair reversed"
    return f"{len(against):,} of {len(pairs):,} decided pairs are reversed" if against else ""


def find_change(ranking: Ranking, again: Callable[[], Ranking]) -> str:
    """Say what a ranking that is made again reverses, or that others may be the best."""
    try:
        other = again()
    except REFUSALS as refusal:
        plain = refusal.without_options() if isinstance(refusal, ActionableError) else refusal
        return f"there is no ranking: {plain}"
    reversal = find_reversal(ranking, other)
    if reversal or list_leaders(ranking) == list_leaders(other):
        return reversal
    return f"the answer is another one: {other.says}"


def choose_state(reversal: str) -> str:
    return FAILED if reversal else WARNING


def say_outcome(condition: str, reversal: str) -> str:
    return f"{condition} {reversal or STAYS}."


# What several sections on ratings need of one task, computed once.

# Labels that rows of ratings hold unasked
ROLES: Final = ("task", "judge", "item", "system", "criterion")


@dataclass(frozen=True, eq=False)
class Rated:
    data: Ratings  # as they were read, controls and all
    settings: Settings  # how the report is made

    @cached_property
    def rows(self) -> RatingRows:
        return self.data.rows(factors=self._factors)

    @cached_property
    def asked(self) -> RatingRows:
        """The scores as judges gave them: one on outputs that a campaign merged counts once."""
        asked = self.data.keep_asked()
        return self.rows if asked is self.data else asked.rows(factors=self._factors)

    @property
    def _factors(self) -> tuple[str, ...]:
        by = self.settings.group_by
        return () if by is None or by in ROLES else (by,)

    @cached_property
    def targets(self) -> RatingRows:
        """Scores of outputs, without controls and repeats."""
        targets = self.rows.targets()
        if not targets.size:
            raise NotIdentified("all scores are of controls or repeats: no output was scored")
        return targets

    @cached_property
    def parts(self) -> Mapping[str, RatingRows]:
        """Criterion → the same under it, in the order of names; "" where there are none."""
        return {name: part for (name,), part in self.targets.split(("criterion",)).items()}

    @cached_property
    def counted(self) -> RatingRows:
        """Scores that rank, repeats too, and those of human references."""
        return leave_out_controls(self.data).rows(factors=self._factors)

    @cached_property
    def scored(self) -> Mapping[str, RatingRows]:
        """Criterion → what it is ranked by: repeats too, which cluster with their judge."""
        kind = self.rows.kind
        if kind is not None and (kind == CONTROL).all():
            raise NotIdentified("all scores are of controls: no output was scored")
        return {name: part for (name,), part in self.counted.split(("criterion",)).items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """What must stand beside what is made of `targets`: that repeats are not in it."""
        repeats = self.rows.repeats
        excluded = f"{plural(repeats, 'repeat')} excluded here: the ranking has them."
        return (excluded,) if repeats else ()

    @cached_property
    def lower(self) -> frozenset[str]:
        """Criteria under which lower scores are better."""
        lower, parts = self.settings.lower_is_better, self.scored.items()
        if lower is not None:
            return frozenset(self.scored) if lower else frozenset()
        return frozenset(name for name, part in parts if reads_lower_of(part))

    @cached_property
    def references(self) -> tuple[str, ...]:
        """Human references among the systems, which have no rank."""
        return tuple(find_references(self.systems, self.settings.references))

    @cached_property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.targets.systems[code] for code in sorted({*self.targets.system.tolist()}))

    @property
    def ranked(self) -> Mapping[str, Ranking]:
        """Criterion → its ranking, as `evenhand rank` makes it, of those that have one."""
        return self._ranked[0]

    @property
    def rankings(self) -> Mapping[str, Ranking]:
        """The same where some criterion has one.

        Raises:
            NotIdentified: no criterion can be ranked.
        """
        if self.ranked:
            return self.ranked
        first, *others = self.refused.items()
        if not others:
            raise first[1].with_traceback(None)
        raise NotIdentified("; ".join(f"{name}: {why}" for name, why in (first, *others)))

    @property
    def refused(self) -> Mapping[str, NotIdentified | NotConverged]:
        """Criterion → why it has no ranking."""
        return self._ranked[1]

    @cached_property
    def _ranked(self) -> tuple[dict[str, Ranking], dict[str, NotIdentified | NotConverged]]:
        rankings, refused = dict[str, Ranking](), dict[str, NotIdentified | NotConverged]()
        excluded = find_excluded(self.data)
        for name, part in self.scored.items():
            try:
                rankings[name] = note_excluded(self.rank(name, part), excluded)
            except (NotIdentified, NotConverged) as refusal:
                refused[name] = refusal
        return rankings, refused

    def rank(self, criterion: str, part: RatingRows) -> Ranking:
        settings = self.settings
        asked = RankSettings(
            choose_rating_model(settings.model),
            "rank-sets",
            settings.cluster,
            settings.level,
            settings.seed,
            lower_is_better=criterion in self.lower,
            references=settings.references,
        )
        return rank_scores(part, asked)

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """The tables and figures of Hamon, Mostefa & Arranz (2007)."""
        return diagnose_judges(self.asked, references=self.references, scale=self.settings.scale)

    @cached_property
    def diagnosed_targets(self) -> Diagnosis:
        """The same without controls and repeats."""
        if self.targets.size == self.rows.size:
            return self.diagnosis
        return diagnose_judges(self.targets, references=self.references, scale=self.settings.scale)

    @cached_property
    def screening(self) -> Screening:
        return screen_judges(self.asked)

    @cached_property
    def reversal(self) -> str:
        """What changes in the rankings without the flagged judges; "" where nothing does."""
        try:
            flagged = [card.judge for card in self.screening.flagged]
            rankings = self.rankings if flagged else {}
        except (NotIdentified, NotConverged):
            return ""
        for name, ranking in rankings.items():
            part = self.scored[name]
            part = part.take(~np.isin(part.judges, flagged)[part.judge])
            if reversal := find_change(ranking, partial(self.rank, name, part)):
                return f"{name}: {reversal}" if len(rankings) > 1 else reversal
        return ""

    @cached_property
    def agreement(self) -> AgreementTable:
        require_column("judge", self.rows.judges)
        require_column("item", self.rows.items)
        how = {name: getattr(self.settings, name) for name in ("level", "seed", "scale")}
        result = measure_agreement(self.data, **how)
        if isinstance(result, GroupedAgreement):
            return next(iter(result.groups.values()))
        return result

    def head(self, text: str, criterion: str) -> str:
        return f"{text}, {criterion}" if criterion else text


# What a test of the fit could have seen, in words: without that, its silence says nothing.

# How far off pairs may be, at most, that a silent test says something: 60 to 40 for 50 to 50
MAX_DETECTABLE: Final = 0.10


def say_detectable(deviation: float) -> str:
    number = f"{100 * deviation:.0f}"
    votes = "less than 1 vote" if number == "0" else f"{number} vote{'s' * (number != '1')}"
    return f"departures of {votes} in 100 for a typical pair would likely be seen"


def say_refusal(analysis: Analysis, refusal: NotIdentified | NotConverged | UnknownOption) -> str:
    """Write why pairs were not tested, without advice that was already followed."""
    model = analysis.settings.log_linear
    if model is None or not model.prior or isinstance(refusal, UnknownOption):
        return say_refused(refusal)
    return f"the test takes no prior, and without one {refusal.without_options()}"


# The table of contents: which sections a report has, and in which order they are read.

# Sections of comparisons and rankings: name → heading. Each is a module of `sections`.
PREFERENCE: Final = {
    "ranking": "Who is better",
    "outcomes": "Wins, ties and losses",
    "heads": "Each against each",
    "judges": "The judges",
    "agreement": "Do judges agree?",
    "order": "Is there a position bias?",
    "items": "Where systems and judges differ",
    "model": "Does the model fit?",
    "circles": "Are preferences intransitive?",
    "choices": "Would other reasonable choices change the answer?",
    "fragility": "How few judgments carry the answer?",
    "learning": "Would more judgments help?",
    "next": "What to judge next",
    "data": "The data",
    "methods": "Methods and citations",
}

# Sections of ratings
RATING: Final = {
    "scores": "Which system is better",
    "criteria": "Systems under the criteria",
    "scorers": "The judges",
    "scoring": "Do judges agree?",
    "rated": "Where systems and judges differ",
    "data": "The data",
    "methods": "Methods and citations",
}

LLM: Final = {"llm": "With the verdicts of LLM judges"}  # First where there are some
METRICS: Final = {"metrics": "Metrics against people"}  # Before the data where there are scores
GROUPS: Final = {"groups": "The ranking in each group"}  # Second where a column is named
MORE: Final = "more"  # The section that says which others a report on one task alone has
# From so many tasks on these sections are left to a report on each task alone: a page of many
# tasks answers first, and each of these takes longer than the answer
MANY_TASKS: Final = 4
LEFT_OUT: Final = (
    "heads", "items", "model", "circles", "choices", "fragility", "learning", "next",
)  # fmt: skip


def list_left_out(tasks: int) -> tuple[str, ...]:
    return LEFT_OUT if tasks >= MANY_TASKS else ()


def shorten(wanted: Mapping[str, str], tasks: int) -> dict[str, str]:
    """Return the sections of a report on so many tasks."""
    left = list_left_out(tasks)
    chosen = {name: title for name, title in wanted.items() if name not in left}
    return chosen if len(chosen) == len(wanted) else {**chosen, MORE: "More on this task"}

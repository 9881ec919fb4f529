"""What would change the answer: fragility, other reasonable choices, and cycles, of one board.

A conclusion that only one of several reasonable choices draws is a conclusion about that choice
(Steegen, Tuerlinckx, Gelman & Vanpaemel 2016, Perspectives on Psychological Science 11:702-712).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, Final

import numpy as np

from evenhand.data import controls
from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.exclusions import REFERENCES, Exclusion, write_contract, write_document
from evenhand.data.groups import Levels
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings
from evenhand.data.references import exclude_references
from evenhand.data.results import Shown
from evenhand.data.tally import Tally
from evenhand.data.weights import Mix, choose_weights
from evenhand.errors import EvenhandError, NotConverged, NotIdentified, UnknownOption, listing
from evenhand.judges.cards import Screening
from evenhand.judges.screening import screen_judges
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import RATING_MODELS, Ties
from evenhand.ranking.clustering import Clustering, Evidence
from evenhand.ranking.inference import Settings, choose_log_linear, order_systems
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.ranking.ratings import (
    choose_rating_model,
    rank_scores,
    refuse_of_votes,
    settle_direction,
    take_part,
)
from evenhand.ranking.robustness.cycles import Cycles, find_cycles
from evenhand.ranking.robustness.fragility import Fragility, find_flips, find_fragility
from evenhand.ranking.sides import find_one_sided
from evenhand.ranking.texts import say as say_of_sides
from evenhand.ranking.texts import say_of_robustness as say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    join_names,
    plural,
    take_findings,
)

MAX_CONCLUSIONS_NAMED: Final = 5
MAX_CHANGES_NAMED: Final = 3
MAX_FLAGGED_NAMED: Final = 3
UNLINKED: Final = "unlinked"  # Code of what is said where the prior alone tells who leads
DEFAULT: Final = "default"
ASKED: Final = "as asked"
TIES: Final[Mapping[Ties, str]] = {
    "davidson": "ties by Davidson",
    "rao-kupper": "ties by Rao and Kupper",
    "half-win": "ties as half wins",
    "discard": "ties excluded",
}
CLUSTERED: Final = {
    "judge": "clustered by judge alone",
    "item": "clustered by item alone",
    "judge+item": "clustered by judge and item",
    "judgment": "judgments taken as independent",
}
Pair = tuple[str, str]
Run = Callable[..., Ranking | GroupedRankings]


@dataclass(frozen=True)
class Choice:
    name: str  # what differs from the default, in words
    systems: tuple[str, ...]  # best first; empty where it gives no ranking
    rank: tuple[int, ...]  # place of each; those of systems that are level are the same
    rank_lower: tuple[int, ...]  # best place of each that decided pairs leave
    rank_upper: tuple[int, ...]  # worst place
    decided: tuple[Pair, ...]  # (better, worse) of every decided pair
    refused: str | None = None  # why there is no ranking, or None

    @property
    def first(self) -> tuple[str, ...]:
        places = zip(self.systems, self.rank, strict=True)
        return tuple(name for name, place in places if place == self.rank[0])


@dataclass(frozen=True)
class Conclusion:
    better: str  # the system that is better
    worse: str  # the other
    by_default: bool  # whether the first of the rankings decides it
    under: tuple[str, ...]  # choices that decide it
    open: tuple[str, ...]  # choices that leave the pair open
    against: tuple[str, ...]  # choices that decide the opposite

    @property
    def survives(self) -> bool:
        return not self.open and not self.against

    @property
    def name(self) -> str:
        return f"{self.better} over {self.worse}"


@dataclass(frozen=True, repr=False)
class Sensitivity(Shown):
    """The default ranking beside those by other reasonable choices."""

    choices: tuple[Choice, ...]  # the default first, or the ranking that was asked for
    level: float  # of rank sets under each (proportion)
    notes: tuple[str, ...]  # choices that the data do not offer, and why
    signature: str  # of the default
    decides: bool = True  # whether choices also say which pairs they decide, beside their orders
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def ranked(self) -> tuple[Choice, ...]:
        """Choices that give a ranking."""
        return tuple(choice for choice in self.choices if choice.refused is None)

    @cached_property
    def conclusions(self) -> tuple[Conclusion, ...]:
        """Everything that any choice decides, in the order of the default board."""
        place = {name: i for i, name in enumerate(self.choices[0].systems)}
        decided = {choice.name: set(choice.decided) for choice in self.ranked}
        pairs = {pair for decisions in decided.values() for pair in decisions}
        last = len(place)
        order = sorted(
            pairs, key=lambda pair: (place.get(pair[0], last), place.get(pair[1], last), pair)
        )
        conclusions = []
        for better, worse in order:
            under = tuple(name for name, pairs in decided.items() if (better, worse) in pairs)
            against = tuple(name for name, pairs in decided.items() if (worse, better) in pairs)
            rest = tuple(name for name in decided if name not in (*under, *against))
            usual = self.choices[0].name in under
            conclusions.append(Conclusion(better, worse, usual, under, rest, against))
        return tuple(conclusions)

    def changes(self, choice: Choice) -> tuple[str, ...]:
        """Return what is otherwise than in the first ranking: order first, then decided pairs.

        Args:
            choice: one of the choices that give a ranking.
        """
        usual = self.choices[0]
        before, after = (dict(zip(one.systems, one.rank, strict=True)) for one in (usual, choice))
        changes = []
        for upper, lower in combinations([name for name in usual.systems if name in after], 2):
            level = before[upper] == before[lower]
            if after[upper] > after[lower]:
                changes.append(f"{lower} ahead of {upper}")
            elif after[upper] == after[lower] and not level:
                changes.append(f"{upper} and {lower} level")
            elif after[upper] < after[lower] and level:
                changes.append(f"{upper} ahead of {lower}")
        for conclusion in self.conclusions:
            if conclusion.by_default == (choice.name in conclusion.under):
                continue
            if not conclusion.by_default:
                changes.append(f"{conclusion.name} decided")
            elif choice.name not in conclusion.against:  # else the opposite says so
                changes.append(f"{conclusion.name} undecided")
        return tuple(changes)

    @property
    def leaders(self) -> tuple[str, ...]:
        """Who leads under some choice, alone or level with others; the default's first."""
        return tuple(dict.fromkeys(name for one in self.ranked for name in one.first))

    @property
    def says(self) -> tuple[str, ...]:
        """The finding in sentences."""
        lead = self._say_lead()
        return (lead, *self._say_pairs()) if self.decides else (lead,)

    def _say_lead(self) -> Finding:
        first, n = self.ranked[0].first, len(self.ranked)
        level = "-level" if len(first) > 1 else ""
        if any(one.code == UNLINKED for one in take_findings(self.notes)):
            return say("lead-by-prior", "info")
        who = join_names(first)
        other = [choice for choice in self.ranked if choice.first != first]
        if n == 1 or not other:
            code = "lead-only" if n == 1 else "lead-robust"
            return say(f"{code}{level}", "info", first=who, n=n)
        others = dict.fromkeys(" level with ".join(choice.first) for choice in other)
        under = [choice.name for choice in other]
        return say(f"lead-changes{level}", "info", first=who, under=under, others=[*others])

    def _say_pairs(self) -> tuple[Finding, ...]:
        default = [one for one in self.conclusions if one.by_default]
        lost = [one for one in default if not one.survives]
        pairs, n = len(default), len(self.ranked)
        if not default:
            usual = self.choices[0].name == DEFAULT
            return (say("no-pairs-default" if usual else "no-pairs-asked", "info"),)
        if not lost:
            return (say("pairs-only" if n == 1 else "pairs-robust", "info", pairs=pairs, n=n),)
        sentences = [say("pairs-not-robust", "info", lost=len(lost), pairs=pairs, n=n)]
        for one in lost[:MAX_CONCLUSIONS_NAMED]:
            for code, under in (("pair-reversed", one.against), ("pair-undecided", one.open)):
                if under:
                    sentences.append(say(code, "info", pair=one.name, under=under))
        if len(lost) > MAX_CONCLUSIONS_NAMED:
            sentences.append(say("more-pairs", "info", n=len(lost) - MAX_CONCLUSIONS_NAMED))
        return tuple(sentences)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            **write_contract(self, "says", "leaders", "decides", "level"),
            "choices": [asdict(one) for one in self.choices],
            "conclusions": [{**asdict(one), "survives": one.survives} for one in self.conclusions],
        }

    @property
    def table(self) -> Table:
        """A row for each choice: who leads, how many pairs are decided, what changes."""
        rows: list[dict[str, Any]] = []
        for at, one in enumerate(self.choices):
            row: dict[str, Any] = {"choice": one.name, "changes": ("no ranking",)}
            if one.refused is None:
                row["changes"] = self.changes(one) or (("nothing",) if at else ())
                row |= {"first": listing(one.first, 2), "decided": len(one.decided)}
            row["changed"] = listing(row["changes"], MAX_CHANGES_NAMED) or None
            rows.append(row)
        decided_pairs = [Column("decided", "decided", "count")] if self.decides else []
        return Table(
            "choices",
            "The ranking under other choices",
            (
                Column("choice", "choice"),
                Column("first", "first", "name"),
                *decided_pairs,
                Column("changes", "what changes", "names"),
                Column("changed", "what changes", only=("latex",)),
            ),
            tuple(rows),
        )

    def document(self) -> Document:
        """Return what people read: what survives all choices, and what each changes."""
        ways = plural(len(self.choices), "way to rank", "ways to rank")
        basis = f"{plural(len(self.choices[0].systems), 'system')}, {ways}."
        findings = (*self.notes, *_list_refused(self))
        return write_document(self, self.table, basis=basis, findings=findings)


def _list_refused(sensitivity: Sensitivity) -> list[Finding]:
    return [
        say("choice-refused", choice=one.name, why=one.refused)
        for one in sensitivity.choices
        if one.refused is not None
    ]


@controls.carries_excluded(*controls.OF_SYSTEMS)
def vary_choices(
    data: Comparisons | Rankings | Ratings | controls.Openable,
    *,
    model: Any = None,
    cluster: str | None = None,
    mix: Mix | None = None,
    judge_cap: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    board: Ranking | None = None,
    decide: bool = True,
    screening: Screening | None = None,
) -> Sensitivity:
    """Rank under each reasonable choice and see which conclusions survive all of them.

    Args:
        data: comparisons or rankings of one task, or ratings under one criterion.
        model: settings of the log-linear model, or of the model of scores, that was asked for; each
            choice differs from what was asked, or from the default, in one thing.
        cluster: judgments that are correlated, as in `rank`.
        mix: how much judges and items of each kind count, as in `rank`.
        judge_cap: "median" or None, as in `rank`.
        level: of rank sets under each choice (proportion).
        seed: of rank sets.
        board: the ranking that was asked for, where it is known: it is then not made again.
        decide: whether each choice also says which pairs it decides, which takes nearly all of
            the time. Without, there are orders alone, and no choice of clusters, which changes
            none.
        screening: which judges are flagged, where it is known.

    Raises:
        UnknownOption: several tasks, or settings that do not fit.
        UnknownColumn: a column that was asked for is not there.
        NotIdentified: the data determine no worths under what was asked.

    >>> import evenhand, pandas as pd
    >>> rows = [("A", "B", "left")] * 40 + [("A", "B", "right")] * 9 + [("A", "B", "tie")] * 20
    >>> votes = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    >>> evenhand.vary_choices(votes).says
    ('A leads in all 4 rankings.',
     'All decided pairs (1) hold in all 4 rankings.')
    """
    if isinstance(data, Ratings | RatingRows):
        refuse_of_votes({"mix": mix, "judge_cap": judge_cap, "decide": not decide})
        rows = take_part(data)
        asked = Settings(choose_rating_model(model), "rank-sets", cluster, level, seed)
        if board is not None:
            human = [one.system_names for one in board.excluded if one.code == REFERENCES]
            names = [name for names in human for name in names]
            asked = replace(asked, lower_is_better=board.lower_is_better, references=names)
        return vary_models(rows, board or rank_scores(rows, asked), asked, screening)
    table = controls.require_pairs(data, "choices are varied on comparisons or rankings, not on")
    if len(table.tasks()) > 1:
        raise UnknownOption("choices are varied on one board: choose a task")
    spec = choose_log_linear(model)
    how = rank if decide else order_alone
    settings: dict[str, Any] = {"level": level, "seed": seed, "mix": mix, "judge_cap": judge_cap}
    ranked = partial(how, model=spec, cluster=cluster, **settings)
    run = partial(ranked, table, **({} if decide else {"counted": table.tally()}))
    usual = board or _only(run())
    notes = [*controls.say_left_out(data, table), *(_find_unlinked(table) if spec.prior else ())]
    offers: list[tuple[str, Run]] = []
    if usual.ties is not None and usual.ties.any():
        offers += [
            (name, partial(run, model=replace(spec, ties=ties)))
            for ties, name in TIES.items()
            if ties != spec.ties
        ]
    if decide:
        clusterings = () if usual.rank_sets is None else usual.rank_sets.clusterings
        present = [name for name in ("judge", "item") if table.has(name)]
        others = list_clusterings(present, clusterings)
        offers += [(CLUSTERED[other], partial(run, cluster=other)) for other in others]
    reordered = partial(run, model=replace(spec, order_effect=not spec.order_effect))
    if spec.order_effect:
        offers.append(("no advantage of the first output", reordered))
    elif not table.positions_known:
        notes.append(say("sides-unknown"))
    elif not find_one_sided(table.tally(), None).separable:
        notes.append(say_of_sides("inseparable"))
    else:
        offers.append(("advantage of the first output", reordered))
    offers += _offer_loads(table, settings, run, notes)
    if table.has("judge") and (flagged := find_flagged(screening or data, notes)):
        rest = table.without(judges=flagged, recorded=False)
        offers.append((name_without(flagged), partial(ranked, rest)))
    default = spec == BradleyTerry() and not any([cluster, mix, judge_cap])
    first = describe_choice(DEFAULT if default else ASKED, usual)
    choices = [first, *(try_choice(name, make) for name, make in offers)]
    notes += [] if decide else [say("decisions-not-asked")]
    # ties that are discarded and shares of 0 are among what the usual ranking excludes
    return Sensitivity(
        tuple(choices), level, tuple(notes), usual.signature, decide, excluded=usual.excluded
    )


def list_clusterings(known: Sequence[str], used: tuple[str, ...]) -> list[str]:
    """Return how judgments may cluster by factors that are known, but for the way in use."""
    both = ["judge+item"] if len(known) > 1 else []
    return [one for one in (*known, *both, "judgment") if tuple(one.split("+")) != used]


def name_without(flagged: Sequence[str]) -> str:
    return f"without flagged judges ({listing(flagged, MAX_FLAGGED_NAMED)})"


def _find_unlinked(table: Comparisons) -> list[Finding]:
    tally = table.tally()
    groups, names = tally.find_groups(), np.array(tally.systems)
    if not groups.any():
        return []
    parts = [listing(names[groups == one].tolist(), MAX_FLAGGED_NAMED) for one in (0, 1)]
    return [say(UNLINKED, "warning", one=parts[0], other=parts[1])]


def order_alone(
    table: Comparisons,
    *,
    model: BradleyTerry,
    cluster: str | None,
    level: float,
    seed: int,
    mix: Mix | None = None,
    judge_cap: str | None = None,
    counted: Tally | None = None,
) -> Ranking:
    """Rank without intervals: who is ahead of whom, by the model alone."""
    if model.controls:
        raise UnknownOption("under controls orders are not asked alone: let each choice decide")
    weighing = choose_weights(mix, judge_cap)
    weighed = table if weighing is None else weighing.weigh(table)
    settings = Settings(model, "rank-sets", cluster, level, seed, mix=weighed.mix)
    tally = weighed.tally() if counted is None or weighing is not None else counted
    evidence, levels = Evidence.of(tally), Levels({})
    fit = model.fit(evidence.whole)
    return order_systems(fit, evidence, levels, (Clustering(()), None), settings)


def _only(ranking: Ranking | GroupedRankings) -> Ranking:
    return ranking if isinstance(ranking, Ranking) else next(iter(ranking.groups.values()))


def _offer_loads(
    table: Comparisons, settings: Mapping[str, object], run: Run, notes: list[str]
) -> list[tuple[str, Run]]:
    if settings["judge_cap"]:
        return [("busy judges count in full", partial(run, judge_cap=None))]
    if settings["mix"]:
        return [("judgments as they come", partial(run, mix=None))]
    if not table.has("judge"):
        notes.append(say("judges-unknown"))
    elif table.mix is None and not table.has("weight"):
        loads = table.tally(by=("judge",)).factor("judge").loads
        if np.ptp(loads) > 0:
            return [("busy judges capped at the median", partial(run, judge_cap="median"))]
    return []


def find_flagged(
    data: Comparisons | Rankings | RatingRows | Screening, notes: list[str]
) -> Sequence[str]:
    try:
        screening = data if isinstance(data, Screening) else screen_judges(data)
    except (NotIdentified, UnknownOption) as refusal:
        notes.append(say("judges-not-screened", why=str(refusal)))
        return ()
    flagged = [card.judge for card in screening.flagged]
    if not flagged:
        why = screening.abstains
        code = "no-judge-flagged-why" if why else "no-judge-flagged"
        notes.append(say(code, why=str(why)) if why else say(code))
    return flagged


def try_choice(name: str, make: Run) -> Choice:
    try:
        return describe_choice(name, _only(make()))
    except UnknownOption as refusal:
        reason: EvenhandError = refusal
    except (NotIdentified, NotConverged) as refusal:
        reason = refusal.without_options()
    return Choice(name, (), (), (), (), (), str(reason))


def describe_choice(name: str, ranking: Ranking) -> Choice:
    sets = ranking.rank_sets
    if sets is None or ranking.rank_lower is None or ranking.rank_upper is None:
        return Choice(name, ranking.systems, tuple(ranking.rank.tolist()), (), (), ())
    return Choice(
        name,
        ranking.systems,
        tuple(ranking.rank.tolist()),
        tuple(ranking.rank_lower.tolist()),
        tuple(ranking.rank_upper.tolist()),
        tuple((better, worse) for better, worse in sets.to_dict(ranking.systems)["decided"]),
    )


@dataclass(frozen=True, repr=False)
class Robustness(Shown):
    fragility: Fragility  # the fewest votes, judges and items that carry each conclusion
    sensitivity: Sensitivity  # the ranking under each reasonable choice
    cycles: Cycles | None  # whether preferences are cyclic; None where decisive votes do not say
    notes: tuple[str, ...]  # why something is missing

    @property
    def says(self) -> tuple[str, ...]:
        cycles = () if self.cycles is None else self.cycles.says
        return (*self.sensitivity.says, *self.fragility.says, *cycles)

    @property
    def signature(self) -> str:
        return self.sensitivity.signature

    @property
    def excluded(self) -> tuple[Exclusion, ...]:
        return self.sensitivity.excluded

    @property
    def findings(self) -> tuple[Finding, ...]:
        cycles = () if self.cycles is None else self.cycles.notes
        parts = (*self.notes, *self.fragility.notes, *self.sensitivity.notes, *cycles)
        return take_findings((*parts, *_list_refused(self.sensitivity)))

    def to_dict(self) -> dict[str, Any]:
        return {
            **write_contract(self, "says", findings=self.findings),
            "fragility": self.fragility.to_dict(),
            "sensitivity": self.sensitivity.to_dict(),
            "cycles": None if self.cycles is None else self.cycles.to_dict(),
        }

    def document(self) -> Document:
        choices = self.sensitivity.document()
        cycles = () if self.cycles is None else self.cycles.says
        return write_document(
            self,
            self.fragility.table,
            self.sensitivity.table,
            basis=choices.basis,
            answer=(*self.sensitivity.says, *self.fragility.says[:1], *cycles),
            findings=self.findings,
        )


def check_robustness(
    data: Comparisons | Rankings,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    after: Sequence[int] = (),
    model: BradleyTerry | None = None,
    cluster: str | None = None,
    mix: Mix | None = None,
    judge_cap: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
) -> Robustness:
    rest: dict[str, Any] = {"cluster": cluster, "level": level, "seed": seed}
    weights = choose_weights(mix, judge_cap)
    weighed = data if weights is None else weights.weigh(data)
    fragility = find_fragility(weighed, pairs=pairs, after=after, model=model, **rest)
    sensitivity = vary_choices(data, model=model, mix=mix, judge_cap=judge_cap, **rest)
    cycles, notes = None, list[str]()
    try:
        order = True if model is not None and model.order_effect else None
        cycles = find_cycles(weighed, order_effect=order, **rest)
    except (NotIdentified, NotConverged, UnknownOption) as refusal:
        notes.append(say("cycles-not-tested", why=str(refusal)))
    return Robustness(fragility, sensitivity, cycles, tuple(notes))


USUAL: Final = "adjusted"


def check_ratings(
    rows: RatingRows, settings: Settings, pairs: Sequence[tuple[str, str]] = ()
) -> Robustness:
    """Check whether a ranking by ratings, without controls, is robust."""
    usual = rank_scores(rows, settings)
    fragility = Fragility(find_flips(usual, pairs), (), usual.signature)
    return Robustness(fragility, vary_models(rows, usual, settings), None, ())


def vary_models(
    rows: RatingRows, usual: Ranking, settings: Settings, screening: Screening | None = None
) -> Sensitivity:
    """Rank ratings, without controls, under each reasonable choice; usual: what was asked for."""
    named = settings.references
    flagged_in = screening or rows  # judges are screened by what they said of references too
    settings = replace(settle_direction(rows, settings), references=())
    rows, _ = exclude_references(rows, named)
    notes = [*rows.notes]
    offers: list[tuple[str, Callable[[], Ranking]]] = []
    for name in ("adjusted", "mean", "z", "mixed"):  # whose estimates are means of scores
        if name != settings.name:
            clusters = None if name == "mixed" else settings.cluster
            other = replace(settings, model=RATING_MODELS[name].make(), cluster=clusters)
            offers.append((f"model {name}", partial(rank_scores, rows, other)))
    clusterings = tuple(way.name for way in usual.ways)
    known = [name for name in ("judge", "item") if rows.labels(name)[0] != ("",)]
    offers += [
        (CLUSTERED[name], partial(rank_scores, rows, replace(settings, cluster=name)))
        for name in (list_clusterings(known, clusterings) if usual.ways else ())
    ]
    flagged = find_flagged(flagged_in, notes) if "judge" in known else ()
    if flagged:
        codes = [code for code, name in enumerate(rows.judges) if name in flagged]
        rest = rows.take(~np.isin(rows.judge, codes))
        offers.append((name_without(flagged), partial(rank_scores, rest, settings)))
    default = settings.name == USUAL and not settings.cluster
    first = describe_choice(DEFAULT if default else ASKED, usual)
    choices: tuple[Choice, ...] = (first, *(try_choice(name, make) for name, make in offers))
    return Sensitivity(
        choices, settings.level, tuple(notes), usual.signature, excluded=usual.excluded
    )

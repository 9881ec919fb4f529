"""Which judgments are correlated, and so what an interval is about (docs/ranking.md, Intervals).

Where a column has one value, or a value of its own for every answer, it clusters nothing. An answer
that is a ranking of several outputs is one answer, however many comparisons it holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import count
from typing import Any, ClassVar, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.count import Apart, CrossedRows, count_outcomes, count_ways
from evenhand.data.groups import Levels, count_levels
from evenhand.data.joining import note_llm_names
from evenhand.data.tally import Factor, Tally, merge_levels
from evenhand.errors import NotIdentified, UnknownColumn, UnknownOption, require_option
from evenhand.ranking.texts import say
from evenhand.render.document import Finding

# Most clusters of one way: more are merged at random into as many of about equal load
MAX_CLUSTERS: Final = 200
# Most judgments of which the cells of judge and item are known
MAX_JOINT_JUDGMENTS: Final = 10_000_000


@dataclass(frozen=True, eq=False)
class Evidence:
    tallies: Mapping[str, Tally]  # candidate for clusters → a tally that tells its levels apart
    whole: Tally  # the counts by pair
    crossed: CrossedRows | None = None  # each judgment's cell of two, where tallies do not say
    counted: dict[str, Tally] = field(default_factory=dict)  # what `alone` has counted already
    item_name: ClassVar[str] = "item"

    @classmethod
    def of(cls, tally: Tally) -> Evidence:
        return cls(dict.fromkeys(tally.factors, tally), tally.pool())

    @cached_property
    def factors(self) -> Mapping[str, Factor]:
        return {name: tally.factor(name) for name, tally in self.tallies.items()}

    @property
    def n_answers(self) -> float:
        return self.whole.n_judgments

    @property
    def n_comparisons(self) -> float:
        return self.whole.n_comparisons

    def together(self, names: Sequence[str]) -> Tally | None:
        """Return a tally that tells all of these apart; None where each has one of its own."""
        if not names:
            return self.whole
        tally = self.tallies[names[0]]
        return tally if all(name in tally.factors for name in names) else None

    def alone(self, name: str) -> Tally:
        """Return a tally that tells this candidate apart and no other, which has fewer entries."""
        tally = self.tallies[name]
        if len(tally.factors) == 1:
            return tally
        # of millions of entries each count is dear
        if name not in self.counted:
            self.counted[name] = tally.pool((name,))
        return self.counted[name]

    def at_least(self, answers: float) -> float:
        """Return a number of answers; importance weights tell only how many there are at least."""
        if self.whole.squares is None:
            return answers
        counts = []
        for tally in (self.whole, *self.tallies.values()):
            if tally.squares is None:
                counts.append(tally.n_comparisons)
                continue
            # Σ (Σ w)²/Σ w² over outcomes of cells: each is at most its number of weights
            weighed = tally.squares > 0
            least = (tally.counts[weighed] ** 2 / tally.squares[weighed]).sum()
            counts.append(round(float(least), 6))
        return max(counts)


@dataclass(frozen=True, eq=False)
class ScoredAnswers:
    factors: Mapping[str, Factor]  # "judge" and "item", those that are known
    n_answers: float  # number of ratings
    item_name: str = "item"  # what the levels of "item" are: items, or their documents

    @property
    def n_comparisons(self) -> float:
        return self.n_answers

    def at_least(self, answers: float) -> float:
        return answers


Candidates = Evidence | ScoredAnswers  # What may cluster, and how many answers there are


def merge_factors(tally: Tally) -> Tally:
    factors = {name: merge_levels(one, MAX_CLUSTERS, SEED) for name, one in tally.factors.items()}
    merged = [name for name, one in factors.items() if one is not tally.factors[name]]
    unmerged = {name: partial(tally.pool, (name,)) for name in merged}
    return replace(tally, factors=factors, unmerged={**tally.unmerged, **unmerged})


def gather_evidence(
    table: Comparisons, clusterings: tuple[str, ...], *, apart: bool
) -> tuple[Evidence, Levels]:
    """Count a table, distinguished by the candidates for clusters; also the loads of judges."""
    limits = dict.fromkeys(clusterings, MAX_CLUSTERS)
    counted: Tally | Apart
    if apart and len(clusterings) > 1:  # cells of all ways may be too many to hold
        counted = count_ways(table, clusterings, limits, MAX_JOINT_JUDGMENTS)
    else:
        counted = count_outcomes(table, clusterings, limits)
    if isinstance(counted, Tally):
        evidence = Evidence.of(counted)
    else:
        whole = next(iter(counted.tallies.values())).pool()
        evidence = Evidence(counted.tallies, whole, counted.crossed)
    return evidence, count_loads(table, evidence.factors)


def count_loads(table: Comparisons, factors: Mapping[str, Factor]) -> Levels:
    """Return the loads of factors, and of judges also where these do not cluster."""
    loads = {name: factor.loads for name, factor in factors.items()}
    if "judge" not in loads and table.has("judge"):
        loads["judge"] = count_levels(table, "judge")
    return Levels(loads)


def of_one_judge(tally: Tally, name: str) -> Tally:
    codes = np.zeros(len(tally.left), dtype=np.int32)
    judge = Factor((name,), codes, np.array([tally.n_comparisons]), 1)
    return replace(tally, factors={**tally.factors, "judge": judge})


CLUSTER_OPTIONS: Final = ("judgment", "judge", "item", "ranking", "judge+item")
FACTORS: Final = ("judge", "item", "ranking")
MIN_EFFECTIVE: Final = {"judge": 5, "item": 5}  # Effective ones that can stand for others
ENOUGH_JUDGES: Final = 8
ENOUGH_ITEMS: Final = 10
WIDE: Final = ("few-judges", "few-judges-with-items")  # Codes that say that intervals are wide


@dataclass(frozen=True)
class Clustering:
    clusterings: tuple[str, ...]  # factors of the tally that cluster; empty for single judgments
    # what the reader must know first, such as "for these 3 judges only"
    headline: str | None = None
    notes: tuple[Finding, ...] = ()  # why a column was passed over

    @property
    def name(self) -> str:
        return "+".join(self.clusterings) or "judgment"


def wanted_factors(
    requested: str | None, present: set[str], group_by: str | None = None
) -> tuple[str, ...]:
    """Return the factors that a tally must distinguish to decide on clusters."""
    if requested is not None:
        require_option("cluster", requested, CLUSTER_OPTIONS)
    clusterings = () if requested in (None, "judgment") else tuple((requested or "").split("+"))
    if group_by in clusterings:
        raise UnknownOption(
            f"cannot cluster by {requested}: every group by {group_by} has one {group_by}; leave"
            " out cluster, or group by something else"
        )
    if missing := [name for name in clusterings if name not in present]:
        raise UnknownColumn(
            f"cannot cluster by {requested}: there is no {missing[0]} column. Map one"
            f" (--column {missing[0]}=NAME), or cluster by something else"
        )
    if not clusterings:
        known = FACTORS if requested is None else ("ranking",)
        clusterings = tuple(name for name in known if name in present and name != group_by)
    return clusterings


def limit_to_few(levels: Levels, clusterings: Sequence[str] = ()) -> str | None:
    others = [one for one in ("judge", "item") if one not in clusterings]
    return join_limits(*(say_few(one, levels.count(one), levels.effective(one)) for one in others))


def say_few(name: str, levels: int | None, effective: float | None) -> str | None:
    if levels is None or effective is None or effective >= MIN_EFFECTIVE[name]:
        return None
    many = f", {write_below(effective, MIN_EFFECTIVE[name])} effective"
    return limit_to_levels(name, levels) + many * (levels >= MIN_EFFECTIVE[name])


def write_below(number: float, limit: float) -> str:
    """Write a number with so many digits that it stays below a limit.

    >>> write_below(3.98, 5), write_below(4.9986, 5)
    ('4.0', '4.999')
    """
    digits = next(digits for digits in range(1, 17) if round(number, digits) < limit)
    return f"{number:.{digits}f}"


def count_missing(levels: int, effective: float, least: float) -> int:
    """Return how many more levels, each with a mean load, make it so many effective ones.

    >>> count_missing(3, 3.0, 5), count_missing(6, 4.2, 5)
    (2, 1)
    """
    squares = levels**2 / effective
    return next(more for more in count(1) if (levels + more) ** 2 / (squares + more) >= least)


def limit_to_levels(name: str, levels: int) -> str:
    return f"for {these(name, levels)} only"


def these(name: str, levels: int) -> str:
    return f"this {name}" if levels == 1 else f"these {levels:,} {name}s"


def join_limits(*limits: str | None) -> str | None:
    return " and ".join(dict.fromkeys(filter(None, limits))) or None


def choose_clustering(
    requested: str | None, evidence: Candidates, levels: Levels | None = None
) -> Clustering:
    """Choose what clusters; levels: of all judges and items, for those that were asked for."""
    if requested == "judgment":
        found = single_answers(evidence)
        return Clustering(found, None if levels is None else limit_to_few(levels, found))
    if requested is not None:
        clusterings, notes = tuple(requested.split("+")), []
        for name in clusterings:
            factor = evidence.factors[name]
            if len(factor.labels) < 2:
                raise NotIdentified(
                    f"cannot cluster by {requested}: there is only one {name}"
                    f" ('{factor.labels[0]}'); use --cluster judgment or --interval model"
                )
        for name in [way for way in clusterings if way in MIN_EFFECTIVE]:
            effective = evidence.factors[name].effective
            if effective < MIN_EFFECTIVE[name]:
                notes.append(say("few-clusters", "warning", factor=name, effective=effective))
        judges = None if "judge" in clusterings else evidence.factors.get("judge")
        headline = None if judges is None else limit_to_levels("judge", len(judges.labels))
        if levels is not None:
            headline = limit_to_few(levels, clusterings)
        return Clustering(clusterings, headline, tuple(notes))
    clustering, judges = choose_factors(evidence), evidence.factors.get("judge")
    notes = [*clustering.notes]
    if judges is None:
        notes.append(say("no-judges" if "item" in evidence.factors else "no-judges-nor-items"))
    elif "judge" in clustering.clusterings and round(judges.effective) < ENOUGH_JUDGES:
        wide: dict[str, Any] = {"effective": judges.effective, "enough": ENOUGH_JUDGES}
        code = "few-judges"
        if "item" in clustering.clusterings:
            code, wide["these"] = "few-judges-with-items", these("judge", len(judges.labels))
        notes.append(say(code, **wide))
    if judges is not None and isinstance(evidence, Evidence):  # ratings have it from their rows
        notes += note_llm_names(judges.labels)
    notes += note_independence(clustering.clusterings, evidence)
    return replace(clustering, notes=tuple(notes))


def note_independence(clusterings: Sequence[str], evidence: Candidates) -> list[Finding]:
    if "judge" in clusterings or "item" in clusterings:
        return []
    answers = "rankings" if "ranking" in clusterings else "judgments"
    hint = "judge" in evidence.factors and "item" not in evidence.factors
    return [say("independent", "info", answers=answers), *[say("name-items")] * hint]


def note_inside(notes: Sequence[Finding], by: str | None) -> tuple[Finding, ...]:
    """Return notes of a group: where each is one item, nobody need say which column names it."""
    if by != "item":
        return tuple(notes)
    return tuple(
        say("no-judges") if note.code == "no-judges-nor-items" else note
        for note in notes
        if note.code != "name-items"
    )


def choose_factors(evidence: Candidates, *, of_these_judges: bool = False) -> Clustering:
    notes: list[Finding] = []
    names: list[str] = []
    for name in ("judge", "item"):
        levels = len(evidence.factors[name].labels) if name in evidence.factors else 0
        if levels == 1 and name == "item":
            notes.append(say("one-item", "info"))
        elif levels > 1 and levels >= evidence.at_least(evidence.n_answers):
            notes.append(say("own-level", "info", factor=name))
        elif levels > 1:
            names.append(name)
    judges, headline, least = evidence.factors.get("judge"), None, MIN_EFFECTIVE["item"]
    items = len(evidence.factors["item"].labels) if "item" in evidence.factors else 0
    few = say("few-items", "info", least=least)
    if judges is not None and (of_these_judges or judges.effective < MIN_EFFECTIVE["judge"]):
        # fewer than five effective judges, or a question about them: speak of these judges alone
        count, least = len(judges.labels), ENOUGH_ITEMS
        headline = say_few("judge", count, judges.effective) or limit_to_levels("judge", count)
        names = [name for name in names if name == "item"]
        few = say("few-items-of-these-judges", items=items, enough=ENOUGH_ITEMS)
    limit = limit_to_levels(evidence.item_name, items) if items == 1 else None
    if "item" in names and items < least:
        names.remove("item")
        notes.append(few)
        limit = limit_to_levels(evidence.item_name, items)
    clusterings = tuple(names) or single_answers(evidence)
    return Clustering(clusterings, join_limits(headline, limit), tuple(notes))


def single_answers(evidence: Candidates) -> tuple[str, ...]:
    """Return what one answer is: a ranking where its comparisons are known, else a comparison."""
    rankings, comparisons = evidence.factors.get("ranking"), evidence.n_comparisons
    if rankings is None or not 1 < len(rankings.labels) < evidence.at_least(comparisons):
        return ()
    return ("ranking",)

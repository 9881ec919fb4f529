"""What one judge changes: systems are ranked again without the judge's answers.

Both rankings are made alike; what is told is which systems change places and how many pairs of
systems are decided. A judge of some tasks only changes nothing in the others, which are not ranked
again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import narwhals as nw
import numpy as np

from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified, UnknownOption, listing
from evenhand.judges.cards import Screening
from evenhand.judges.diagnosis_result import Diagnosis
from evenhand.judges.screening import screen_judges
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import take_pairs
from evenhand.judgments.exclusions import Exclusion, write_excluded
from evenhand.judgments.levels import Levels
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.rating_rows import CONTROL, RatingRows
from evenhand.judgments.scale import Scale
from evenhand.judgments.vote_parts import take_task
from evenhand.judgments.votes import Votes
from evenhand.ranking.clustering import Evidence, merge_factors, wanted_factors
from evenhand.ranking.rank import make_ranking, rank
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.ranking.settings import Settings

NAMED: Final = 3  # Most pairs of systems, or tasks, that are named in a sentence
NO_TASK: Final = ""  # The task of data without tasks


def compare_without(
    data: Comparisons | Rankings, *, cluster: str | None = None, level: float = 0.95
) -> Callable[[str], str]:
    """Return what tells, for a judge's name, how the ranking changes without that judge.

    The whole data are ranked once, when the first judge is asked for.
    """
    every = data.comparisons() if isinstance(data, Rankings) else data
    every.require("judge")
    table, why = _leave_out_controls(data)
    known: dict[str, Mapping[str, Ranking | str]] = {}

    def again(part: Comparisons) -> Mapping[str, Ranking | str]:
        return _rank_tasks(part, cluster, level)

    def tell(judge: str) -> str:
        if not _count_own(every, judge):
            raise UnknownOption(f"no judge '{judge}' in {every.source.name}: nothing to leave out")
        if table is None or not _count_own(table, judge):
            return why or "nothing changes: all judgments of the judge are controls"
        if NO_TASK not in known:
            known[NO_TASK] = again(table)
        own = table.where(nw.col("judge") == judge, recorded=False)
        tasks = own.tasks() if table.has("task") else [NO_TASK]
        said = {}
        for task in tasks:
            part = table if task == NO_TASK else table.select_task(task, recorded=False)
            after = again(part.without(judges=[judge], recorded=False))
            said[task] = _tell_task(known[NO_TASK].get(task), next(iter(after.values()), None))
        return _join(said, len(known[NO_TASK]))

    return tell


def _leave_out_controls(data: Comparisons | Rankings) -> tuple[Comparisons | None, str]:
    """Return what can be ranked; None, and why, of controls alone: they tell of judges."""
    try:
        return take_pairs(data), ""
    except InvalidJudgments as refusal:
        return None, f"no ranking changes: {refusal}"


def _count_own(table: Comparisons, judge: str) -> float:
    return table.where(nw.col("judge") == judge, recorded=False).count_judgments()


def describe_change(before: Ranking, after: Ranking, whom: str = "the judge") -> str:
    """Say in a sentence which systems change places, and how many pairs are decided."""
    lost = [system for system in before.systems if system not in after.systems]
    both = [system for system in before.systems if system in after.systems]
    place = {system: k for k, system in enumerate(after.systems)}
    turned = [(a, b) for a, b in combinations(both, 2) if place[a] > place[b]]
    then, now = _count_decided(before), _count_decided(after)
    pairs = len(before.systems) * (len(before.systems) - 1) // 2
    decided = ""
    if then is not None and now is not None:
        verb = "is" if now == 1 else "are"
        decided = f"{now} of {pairs} pairs {verb} decided"
        decided += " as before" if then == now else f" ({then} with {whom})"
    if not turned and not lost and then == now:
        return "nothing changes: all systems keep their places" + (
            f", and {decided}" * bool(decided)
        )
    said = [f"{listing(lost)} cannot be ranked any more"] if lost else []
    said.append(_say_turned(turned))
    return "; ".join([*said, *([decided] if decided else [])])


def _say_turned(turned: list[tuple[str, str]]) -> str:
    if not turned:
        return "all systems keep their places"
    named = listing([f"{a} and {b}" for a, b in turned], NAMED)
    if len(turned) == 1:
        return f"{named} change places"
    return f"{len(turned)} pairs of systems change places: {named}"


def _count_decided(ranking: Ranking) -> int | None:
    """Return the number of decided pairs; None where there are too many systems for intervals."""
    return None if ranking.better_than is None else int(ranking.better_than.sum())


def _rank_tasks(
    table: Comparisons, cluster: str | None, level: float
) -> Mapping[str, Ranking | str]:
    """Return the ranking of every task, or why there is none."""
    try:
        found = rank(table, cluster=cluster, level=level)
    except (NotIdentified, NotConverged) as refusal:
        return dict.fromkeys(table.tasks() or [NO_TASK], str(refusal.without_options()))
    if isinstance(found, GroupedRankings):
        return {**found.groups, **found.refused}
    return dict.fromkeys(table.tasks() or [NO_TASK], found)


def _tell_task(before: Ranking | str | None, after: Ranking | str | None) -> str:
    if before is None or isinstance(before, str):
        return "not ranked with the judge either"
    if after is None:
        return "nobody else judged here"
    if isinstance(after, str):
        return f"without the judge there is no ranking: {after}"
    return describe_change(before, after)


def _join(said: Mapping[str, str], tasks: int) -> str:
    """Return one sentence for all tasks."""
    if NO_TASK in said:
        return said[NO_TASK]
    changed = {task: what for task, what in said.items() if not what.startswith("nothing changes")}
    if not changed:
        return f"nothing changes ({len(said)} of {tasks} tasks are the judge's)"
    told = [f"{task}: {what}" for task, what in list(changed.items())[:NAMED]]
    if len(changed) > NAMED:
        told.append(f"something changes in {_tasks(len(changed) - NAMED)}")
    same = len(said) - len(changed)
    return " | ".join([*told, *([f"nothing changes in {_tasks(same)}"] if same else [])])


def _tasks(count: int) -> str:
    return f"{count} other task{'s' * (count > 1)}"


# The ranking that is left without some judges, from votes that were read once.
#
# What `rank` finds of the table without them, from counts of the votes that are at hand: a table
# need not be read again for every judge that is left out.

NAMELESS: Final = ("",)


def rank_without(votes: Votes, judges: Collection[str], settings: Settings) -> Ranking:
    """Rank the systems of one task by the votes of all judges but some."""
    gone = [code for code, name in enumerate(votes.judges) if name in judges]
    kept = ~np.isin(votes.judge, gone)
    if votes.kind is not None:
        kept &= votes.kind != CONTROL
    rows = np.flatnonzero(kept)
    if not len(rows):
        raise NotIdentified("nobody else judged here", ["keep some of the judges"])
    part = take_task(votes, rows)
    ways = wanted_factors(settings.cluster, _name_factors(part))
    tally = part.tally(ways)
    loads = {name: factor.loads for name, factor in tally.factors.items()}
    return make_ranking(Evidence.of(merge_factors(tally)), Levels(loads), settings)


def _name_factors(votes: Votes) -> set[str]:
    """Return what tells judgments apart that may hang together."""
    known = {name for name in ("judge", "item") if getattr(votes, f"{name}s") != NAMELESS}
    return known | ({"ranking"} if votes.answer is not None else set())


# Everything that is said of the judges of a campaign: who is to be doubted, and the diagnosis.
#
# Flags are over all tasks, since a judge is one person; tables of agreement, outliers and removal
# are task by task, since scores of different tasks are not of one kind.

ALL_TASKS: Final = "all tasks"  # Name of the part that holds the flags, where tasks are kept apart

NO_FLAGS: Final = "no flags: "

Diagnose = Callable[[RatingRows], Diagnosis]


@dataclass(frozen=True, eq=False)
class JudgePanel:
    """What is said of some judges."""

    # flags with their evidence; None where they are given elsewhere
    screening: Screening | None = None
    # the tables of Hamon et al. (2007); None for comparisons and rankings.
    diagnosis: Diagnosis | None = None
    lacking: tuple[str, ...] = ()  # why one of the two is missing, in sentences

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        held = (one.says for one in (self.screening, self.diagnosis) if one is not None)
        return tuple(sentence for says in held for sentence in says)

    @property
    def notes(self) -> tuple[str, ...]:
        """What must stand beside it."""
        held = (one.notes for one in (self.screening, self.diagnosis) if one is not None)
        return tuple(dict.fromkeys([*self.lacking, *(note for notes in held for note in notes)]))

    @property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What was excluded from the judgments."""
        held = (one.excluded for one in (self.screening, self.diagnosis) if one is not None)
        return tuple(dict.fromkeys(one for some in held for one in some))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "screening": None if self.screening is None else self.screening.to_dict(),
            "diagnosis": None if self.diagnosis is None else self.diagnosis.to_dict(),
            "says": list(self.says),
            "excluded": write_excluded(self.excluded),
            "notes": list(self.notes),
        }


def examine_comparisons(data: Comparisons | Rankings, *, level: float) -> JudgePanel:
    """Screen judges of comparisons or rankings; show what excluding the flagged ones changes."""
    effect = compare_without(data) if "judge" in data.columns else None
    return JudgePanel(screen_judges(data, level=level, effect=effect))


def examine_ratings(
    rows: RatingRows,
    diagnose: Diagnose,
    *,
    by: str | None,
    level: float,
    scale: Scale | None = None,
) -> tuple[dict[str, JudgePanel], dict[str, str]]:
    """Screen the judges of all ratings, and diagnose those of each group."""
    screening, lacking = _screen(rows, level, scale)
    parts = {"": rows} if by is None else {name: own for (name,), own in rows.split((by,)).items()}
    found: dict[str, Diagnosis] = {}
    refused: dict[str, str] = {}
    for name, part in parts.items():
        try:
            found[name] = diagnose(part)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    if screening is None and not found:
        reasons = [*(one.removeprefix(NO_FLAGS) for one in lacking), *refused.values()]
        raise NotIdentified("; ".join(dict.fromkeys(reasons)))
    if len(parts) == 1:
        (only,) = parts
        lacking += tuple(f"no diagnosis: {why}" for why in refused.values())
        return {"": JudgePanel(screening, found.get(only), lacking)}, {}
    flags = {ALL_TASKS: JudgePanel(screening, lacking=lacking)}
    return {**flags, **{name: JudgePanel(None, one) for name, one in found.items()}}, refused


def _screen(
    rows: RatingRows, level: float, scale: Scale | None
) -> tuple[Screening | None, tuple[str, ...]]:
    try:
        return screen_judges(rows, level=level, scale=scale), ()
    except (NotIdentified, NotConverged) as refusal:
        return None, (f"{NO_FLAGS}{refusal}",)

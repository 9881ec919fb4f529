"""What one judge changes: systems are ranked again without the judge's answers.

Both rankings are made alike; what is told is which systems change places and how many pairs of
systems are decided. A judge of some tasks only changes nothing in the others, which are not ranked
again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Final

import narwhals as nw

from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified, UnknownOption, listing
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import take_pairs
from evenhand.judgments.rankings import Rankings
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import GroupedRankings, Ranking

NAMED: Final = 3
"""Most pairs of systems, or tasks, that are named in a sentence."""
ALL: Final = ""
"""The task of data without tasks."""


def compare_without(
    data: Comparisons | Rankings, *, cluster: str | None = None, level: float = 0.95
) -> Callable[[str], str]:
    """Return what tells, for a judge's name, how the ranking changes without that judge.

    The whole data are ranked once, when the first judge is asked for.

    Args:
        data: comparisons or rankings with judges.
        cluster: as in `rank`.
        level: as in `rank`.

    Raises:
        UnknownColumn: the data name no judges.

    >>> import evenhand, pandas as pd
    >>> rows = [(f"j{i % 9}", "A", "B", "left" if i % 4 else "right") for i in range(90)]
    >>> votes = pd.DataFrame(rows, columns=["judge", "left", "right", "outcome"])
    >>> tell = compare_without(evenhand.read(votes))
    >>> tell("j3")
    'nothing changes: all systems keep their places, and 1 of 1 pairs is decided as before'
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
        if ALL not in known:
            known[ALL] = again(table)
        own = table.where(nw.col("judge") == judge)
        tasks = own.tasks() if table.has("task") else [ALL]
        said = {}
        for task in tasks:
            part = table if task == ALL else table.select_task(task)
            after = again(part.without(judges=[judge]))
            said[task] = _tell_task(known[ALL].get(task), next(iter(after.values()), None))
        return _join(said, len(known[ALL]))

    return tell


def _leave_out_controls(data: Comparisons | Rankings) -> tuple[Comparisons | None, str]:
    """Return what can be ranked; None, and why, of controls alone: they tell of judges."""
    try:
        return take_pairs(data), ""
    except InvalidJudgments as refusal:
        return None, f"no ranking changes: {refusal}"


def _count_own(table: Comparisons, judge: str) -> float:
    return table.where(nw.col("judge") == judge).count_judgments()


def describe_change(before: Ranking, after: Ranking, whom: str = "the judge") -> str:
    """Say in a sentence which systems change places, and how many pairs are decided.

    Args:
        before: the ranking by all judges.
        after: the ranking without some.
        whom: who was left out.

    """
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
        return dict.fromkeys(table.tasks() or [ALL], str(refusal.without_options()))
    if isinstance(found, GroupedRankings):
        return {**found.groups, **found.refused}
    return dict.fromkeys(table.tasks() or [ALL], found)


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
    if ALL in said:
        return said[ALL]
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

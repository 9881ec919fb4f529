"""What one judge changes: systems are ranked again without the judge's answers.

Both rankings are made alike; what is told is which systems change places and how many pairs of
systems are decided. A judge of some tasks only changes nothing in the others, which are not ranked
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import narwhals as nw

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import take_pairs
from evenhand.data.exclusions import Exclusion, list_findings, write_excluded
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows, Scale
from evenhand.data.results import Shown, try_each
from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified, UnknownOption, listing
from evenhand.judges.cards import CLASSES, Card, Screening
from evenhand.judges.diagnosis import Diagnosis
from evenhand.judges.screening import screen_judges
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.render.document import Document, Finding, Text, describe_findings, plural

MAX_NAMED: Final = 3  # Most pairs of systems, or tasks, that are named in a sentence
NO_TASK: Final = ""  # The task of data without tasks
UNCHANGED: Final = "unchanged"  # The code of what a judge's absence does not change


def compare_without(data: Comparisons | Rankings) -> Callable[[str], str]:
    """Return what tells, for a judge's name, how the ranking changes without that judge."""
    every = data.comparisons() if isinstance(data, Rankings) else data
    every.require("judge")
    table, why = None, "nothing changes: all judgments of the judge are controls"
    try:
        table = take_pairs(data)
    except InvalidJudgments as refusal:  # of controls alone, which tell of judges
        why = f"no ranking changes: {refusal}"
    before: dict[str, Ranking | str] = {}

    def describe(judge: str) -> str:
        of_judge = nw.col("judge") == judge
        if not every.where(of_judge, recorded=False).count_judgments():
            raise UnknownOption(f"no judge '{judge}' in {every.source.name}: nothing to leave out")
        if table is None or not table.where(of_judge, recorded=False).count_judgments():
            return why
        if not before:
            before.update(_rank_tasks(table))
        of_one = table.where(of_judge, recorded=False)
        changes = {}
        for task in of_one.tasks() if table.has("task") else [NO_TASK]:
            part = table if task == NO_TASK else table.select_task(task, recorded=False)
            after = _rank_tasks(part.without(judges=[judge], recorded=False))
            changes[task] = _describe_task(before.get(task), next(iter(after.values()), None))
        tasks = len(before)
        if NO_TASK in changes:
            return changes[NO_TASK]
        parts = [f"{t}: {what}" for t, what in changes.items() if what.code != UNCHANGED]
        if not parts:
            whose = f" (the judge worked on {len(changes)} of {tasks} tasks)" if tasks > 1 else ""
            return f"nothing changes{whose}"
        same, more = len(changes) - len(parts), len(parts) - MAX_NAMED
        parts = parts[:MAX_NAMED]
        if more > 0:
            parts.append(f"something changes in {plural(more, 'other task')}")
        if same:
            parts.append(f"nothing changes in {plural(same, 'other task')}")
        return " | ".join(parts)

    return describe


def describe_change(before: Ranking, after: Ranking, whom: str = "the judge") -> Finding:
    lost = [system for system in before.systems if system not in after.systems]
    both = [system for system in before.systems if system in after.systems]
    place = {system: k for k, system in enumerate(after.systems)}
    reversed_pairs = [(a, b) for a, b in combinations(both, 2) if place[a] > place[b]]
    # None where there are too many systems for intervals
    then, now = (
        None if ranking.better_than is None else int(ranking.better_than.sum())
        for ranking in (before, after)
    )
    pairs = len(before.systems) * (len(before.systems) - 1) // 2
    separated = ""
    if then is not None and now is not None:
        separated = f"{now} of {pairs} pairs {'is' if now == 1 else 'are'} separated"
        separated += f", as with {whom}" if then == now else f" ({then} with {whom})"
    if not reversed_pairs and not lost and then == now:
        same = "nothing changes: all systems keep their places"
        return Finding(UNCHANGED, f"{same}; {separated}" if separated else same)
    parts = [f"{listing(lost)} cannot be ranked any more"] if lost else []
    named = listing([f"{a} and {b}" for a, b in reversed_pairs], MAX_NAMED)
    if not reversed_pairs:
        parts.append("all systems keep their places")
    elif len(reversed_pairs) == 1:
        parts.append(f"{named} change places")
    else:
        parts.append(f"{len(reversed_pairs)} pairs of systems change places: {named}")
    return Finding("changed", "; ".join([*parts, *([separated] if separated else [])]))


def _rank_tasks(table: Comparisons) -> Mapping[str, Ranking | str]:
    try:
        ranked = rank(table)
    except (NotIdentified, NotConverged) as refusal:
        return dict.fromkeys(table.tasks() or [NO_TASK], str(refusal.without_options()))
    if isinstance(ranked, GroupedRankings):
        return {**ranked.groups, **ranked.refused}
    return dict.fromkeys(table.tasks() or [NO_TASK], ranked)


def _describe_task(before: Ranking | str | None, after: Ranking | str | None) -> Finding:
    if before is None or isinstance(before, str):
        return Finding("not-ranked", "not ranked with the judge either")
    if after is None:
        return Finding("nobody-else", "nobody else judged here")
    if isinstance(after, str):
        return Finding("no-ranking", f"without the judge there is no ranking: {after}")
    return describe_change(before, after)


# Everything that is said of the judges of a campaign: who is flagged, and the diagnosis.
#
# Flags are over all tasks, since a judge is one person; tables of agreement, outliers and removal
# are task by task, since scores of different tasks are not of one kind.

ALL_TASKS: Final = "all tasks"  # Name of the part that holds the flags, where tasks are kept apart
HAMON: Final = "hamon"  # What asks a document for the tables of Hamon et al. (2007)
RULES: Final = "Rules of Hamon et al. (2007), which are no reason to exclude anybody"

Diagnose = Callable[[RatingRows], Diagnosis]

# Columns of a card and of a profile in CSV
CARD_KEYS: Final = ("judge", "n", "flags", "p_honest", "p_careless", "p_reversed", "testable")
PROFILE_KEYS: Final = ("criterion", "mean", "others_mean", "gap", "mean_agreement", "outside")


@dataclass(frozen=True, eq=False, repr=False)
class JudgePanel(Shown):
    screening: Screening | None = None  # flags with evidence; None where they are given elsewhere
    diagnosis: Diagnosis | None = None  # tables of Hamon et al. (2007); None of comparisons
    lacking: tuple[Finding, ...] = ()  # why one of the two is missing

    @property
    def held(self) -> tuple[Screening | Diagnosis, ...]:
        return tuple(one for one in (self.screening, self.diagnosis) if one is not None)

    @property
    def says(self) -> tuple[str, ...]:
        return tuple(sentence for one in self.held for sentence in one.says)

    @property
    def notes(self) -> tuple[str, ...]:
        notes = (note for one in self.held for note in one.notes)
        return tuple(dict.fromkeys([*self.lacking, *notes]))

    @property
    def excluded(self) -> tuple[Exclusion, ...]:
        return tuple(dict.fromkeys(one for part in self.held for one in part.excluded))

    def to_dict(self, *_: str) -> dict[str, Any]:
        return {
            "screening": None if self.screening is None else self.screening.to_dict(),
            "diagnosis": None if self.diagnosis is None else self.diagnosis.to_dict(),
            "says": list(map(str, self.says)),
            "excluded": write_excluded(self.excluded),
            "findings": describe_findings(self.notes),
        }

    def document(self, *parts: str) -> Document:
        """Return what people read: cards, and the tables of Hamon et al. where asked."""
        rows = tuple(self._list_rows())
        flags = None if self.screening is None else self.screening.document()
        tables = None
        if self.diagnosis is not None and (HAMON in parts or flags is None):
            tables = self.diagnosis.document()
        if flags is None or tables is None:
            one = flags or tables or Document()
            return replace(one, findings=(*self.lacking, *one.findings), csv_rows=rows)
        lines = tuple(f"  {one}" for one in (*tables.answer, tables.signature))
        return replace(
            flags,
            parts=(*flags.parts, Text(RULES, lines), *tables.parts),
            findings=list_findings(self.notes, self.excluded),
            csv_rows=rows,
        )

    def _list_rows(self) -> Iterator[dict[str, Any]]:
        cards = {} if self.screening is None else {one.judge: one for one in self.screening.cards}
        if self.diagnosis is None:
            for card in cards.values():
                yield {**_describe_card(card), **dict.fromkeys(PROFILE_KEYS)}
            return
        for row in self.diagnosis.records():
            outside = [method for method in self.diagnosis.methods if row[method]]
            yield {
                **_describe_card(cards.get(row["judge"])),
                **{name: row[name] for name in ("judge", "n", *PROFILE_KEYS[:-1])},
                "outside": " ".join(outside),
            }


def _describe_card(card: Card | None) -> dict[str, Any]:
    if card is None:
        return dict.fromkeys(CARD_KEYS)
    return {
        "judge": card.judge,
        "n": card.n,
        "flags": " ".join(card.flags),
        **{f"p_{one}": card.posterior[one] for one in CLASSES},
        "testable": card.testable,
    }


def examine_comparisons(data: Comparisons | Rankings, *, level: float) -> JudgePanel:
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
    screening: Screening | None = None
    lacking: tuple[Finding, ...] = ()
    try:
        screening = screen_judges(rows, level=level, scale=scale)
    except (NotIdentified, NotConverged) as refusal:
        lacking = (Finding("no-flags", f"No flags: {refusal}", "warning", {"why": str(refusal)}),)
    parts = (
        {"": rows} if by is None else {name: group for (name,), group in rows.split((by,)).items()}
    )
    diagnoses, refused = try_each(parts, diagnose)
    if screening is None and not diagnoses:
        reasons = [*(one.values["why"] for one in lacking), *refused.values()]
        raise NotIdentified("; ".join(dict.fromkeys(reasons)))
    if len(parts) == 1:
        (only,) = parts
        lacking += tuple(
            Finding("no-diagnosis", f"No diagnosis: {why}", "info") for why in refused.values()
        )
        return {"": JudgePanel(screening, diagnoses.get(only), lacking)}, {}
    flags = {ALL_TASKS: JudgePanel(screening, lacking=lacking)}
    return {**flags, **{name: JudgePanel(None, one) for name, one in diagnoses.items()}}, refused

"""The judges of preferences and of ratings: who is flagged, why, and what it changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import ALL_SAME, SPREAD_SCORES
from evenhand.data.votes import TIE
from evenhand.errors import NotConverged, NotIdentified
from evenhand.judges.cards import (
    CLASSES,
    Card,
    Screening,
    add_effects,
    advise,
    find_reason,
    say_shortly,
)
from evenhand.judges.preferences import leave_controls
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.without_judges import HAMON, RULES, JudgePanel, describe_change
from evenhand.render.document import Document, Table, Text
from evenhand.render.findings import Finding
from evenhand.render.values import join_names, write_value
from evenhand.report.analysis import Analysis, Rated, choose_state, say_outcome, take_single
from evenhand.report.document import NOT_RUN, PASSED, Check, Figure, Section, make_section
from evenhand.report.document import UNDECIDED as UNDECIDED_OF_DOCUMENT
from evenhand.report.figures.judges import (
    EDGES,
    FEW_JUDGES,
    FEW_JUDGMENTS,
    OPEN,
    draw_judge_map,
    draw_judges,
    draw_scorers,
)
from evenhand.report.figures.style import name_files, take_chart

JudgesCheck: Final = partial(Check, "judges", "Can the judges be trusted?")
MAX_CARDS: Final = 10  # Most judges whose evidence is shown, but for the full report
NAMELESS: Final = ("",)  # Names of judges or items where the data do not say them


def find_fault(judges: Sequence[str]) -> tuple[str, str]:
    """Return why judges cannot be looked at and what to do; two empty texts where they can."""
    if tuple(judges) == NAMELESS:
        return "the data do not say who judged", "Name the column of judges: --column judge=NAME."
    if len(judges) == 1:
        return (
            f"there is one judge, {judges[0]}, and nobody to compare with",
            "What is said here is the opinion of one; let others judge some of the same outputs.",
        )
    return "", ""


def write_fault(name: str, fault: tuple[str, str], command: str) -> Section:
    why, advice = fault
    check = JudgesCheck(NOT_RUN, why, advice)
    says = (f"Nothing can be said of the judges: {why}.",)
    return Section(name, says=says, checks=(check,), command=command)


def make_check(
    screening: Screening, reversal: str | None, verb: str = "judge", least: float = 0.0
) -> Check:
    """Say whether judges are flagged; failed where the answer is reversed without them.

    reversal: what is reversed; None where there is no answer.
    least: share of the judgments that must be of judges who could be flagged.
    """
    cards, flagged = screening.cards, len(screening.flagged)
    if flagged:
        whom = f"the flagged judge{'s' * (flagged > 1)}"
        change = f"There is no ranking with {whom} either."
        if reversal is not None:
            change = say_outcome(f"Without {whom}", reversal)
        says = f"{flagged:,} flagged of {len(cards):,}"
        return JudgesCheck(choose_state(reversal or ""), says, change)
    none = f"none flagged of {len(cards):,}"
    if screening.abstains is not None:
        says, advice = say_shortly(screening.abstains), advise(screening.abstains, cards)
        return JudgesCheck(UNDECIDED_OF_DOCUMENT, f"{none}, but {says}", advice)
    seen = [card for card in cards if card.testable]
    share = sum(card.n for card in seen) / sum(card.n for card in cards)
    if not share or share < least:
        part = write_value(share, "share")
        why = f"only {part} of judgments are of judges who would be flagged if careless"
        why = why if share else f"nobody {verb}d enough to be flagged for carelessness"
        advice = f"Let judges share more outputs, {verb} more each, or answer controls and repeats."
        return JudgesCheck(UNDECIDED_OF_DOCUMENT, f"{none}, but {why}", advice)
    says = f"{none}; {len(seen):,} {verb}d enough for a careless judge to be flagged"
    return JudgesCheck(PASSED, says)


def _shorten(document: Document, judges: Sequence[str] | None, command: str) -> Document:
    """Return a document whose first table has some judges alone, with the first cards.

    judges: who stands in the table; None where nothing is left out.
    command: what shows all cards.
    """
    (table, *parts) = document.parts
    if judges is None or not isinstance(table, Table):
        return document
    rows = tuple(row for row in table.rows if row["judge"] in judges)
    cut = "" if len(rows) == len(table.rows) else f" ({len(rows):,} of {len(table.rows):,})"
    cards = [one for one in parts if isinstance(one, Text) and one.title != RULES]
    kept = [one for one in parts if one not in cards[MAX_CARDS:]]
    findings = document.findings
    if len(cards) > MAX_CARDS:
        says = f"Cards of {MAX_CARDS} of {len(cards):,} judges are shown; {command} has all."
        findings = (*findings, Finding("cards-shown", says))
    table = replace(table, rows=rows, caption=f"{table.caption}{cut}")
    return replace(document, parts=(table, *kept), findings=findings)


def _choose_judges(cards: Sequence[Card], most: int | None) -> list[str] | None:
    if most is None:
        return None
    first = sorted(cards, key=lambda card: (not card.flags, -card.n, card.judge))
    return [card.judge for card in first[: max(most, sum(bool(card.flags) for card in cards))]]


DIGITS: Final = 4  # Digits behind the point of what is drawn: more are not known
# Why nobody is called careless or reversed → what judges are drawn as
UNDECIDED: Final = {"judges": FEW_JUDGES, "right": OPEN, "apart": FEW_JUDGMENTS}
MAX_REMOVED: Final = 3  # Most flagged judges who are excluded one by one
MAX_QUICK: Final = 30  # Most systems for which excluding a judge takes a tenth of a second
# Most judges in the table and on the map, but for the full report: flagged ones are all there
MAX_JUDGES: Final = 60
# Share of judgments by judges who could be flagged, from which no flag says something
MIN_TESTABLE_SHARE: Final = 0.5


def find_fault_panel(analysis: Analysis) -> tuple[str, str]:
    """Return why judges cannot be looked at and what to do; two empty texts where they can."""
    votes = analysis.votes
    fault = find_fault(votes.judges)
    if not fault[0] and (votes.outcome == TIE).all():
        return "no judge preferred anything", "Ask for preferences, or let more judges judge."
    return fault


def write_section_judges(analysis: Analysis) -> Section:
    command = analysis.write_command("judges")
    fault = find_fault_panel(analysis)
    if fault[0]:
        return write_fault("judges", fault, command)
    screening = _weigh_flagged(analysis)
    reversal = None
    if screening.flagged and analysis.known_ranking is not None:
        reversal = analysis.reversals.judges
    shown = _choose_judges(screening.cards, None if analysis.settings.full else MAX_JUDGES)
    votes = leave_controls(analysis.votes)
    size = len(votes.judges)
    made = np.bincount(votes.judge, minlength=size).tolist()
    tied = np.bincount(votes.judge[votes.outcome == TIE], minlength=size).tolist()
    counts = dict(zip(votes.judges, zip(made, tied, strict=True), strict=True))
    rows = []
    for card in screening.cards:
        n, ties = counts[card.judge]
        slope = next((one.value for one in card.evidence if one.name == "slope"), None)
        if n > ties and slope is not None and (shown is None or card.judge in shown):
            row = {
                "judge": card.judge,
                "n": card.n,
                "ties": round(ties / n, DIGITS),
                "slope": round(slope, DIGITS),
                "p_honest": round(card.p_honest, DIGITS),
                "flags": ", ".join(card.flags),
                "kind": name_kind(card, screening.abstains),
            }
            rows.append(row)
    return make_section(
        "judges",
        _shorten(JudgePanel(screening).document(), shown, command),
        checks=(make_check(screening, reversal, least=MIN_TESTABLE_SHARE),),
        figures=_draw(rows),
        command=command,
    )


def _weigh_flagged(analysis: Analysis) -> Screening:
    screening, before = analysis.screening, analysis.known_ranking
    if isinstance(analysis.data, Rankings):
        screening = replace(screening, kind="rankings")
    full = analysis.settings.full
    if before is None or not (full or len(before.systems) <= MAX_QUICK):
        return screening
    most = len(screening.flagged) if full else MAX_REMOVED
    cards = add_effects(screening.cards, lambda one: _say_effect(analysis, before, one), most)
    return replace(screening, cards=tuple(cards))


def _say_effect(analysis: Analysis, before: Ranking, judge: str) -> str:
    table, settings = analysis.pairs.without(judges=(judge,), recorded=False), analysis.settings
    try:
        after = settings.rank(table)
    except (NotIdentified, NotConverged) as refusal:
        return f"without the judge there is no ranking: {refusal.without_options()}"
    return describe_change(before, take_single(after))


def name_kind(card: Card, abstains: Finding | None = None) -> str:
    """Say what a judge is drawn as: a class, a habit, or neither."""
    for flag in CLASSES[1:]:
        if flag in card.flags:
            return flag
    if card.flags:
        return "odd habit"
    if abstains is not None:
        return UNDECIDED[find_reason(abstains)]
    return "not flagged" if card.testable else FEW_JUDGMENTS


def _draw(rows: list[dict[str, Any]]) -> tuple[Figure, ...]:
    if not rows:
        return ()
    ties = any(row["ties"] for row in rows)
    up = "how often each prefers neither output" if ties else "how much each judged"
    flagged = [f"{row['judge']} ({row['flags']})" for row in rows if row["flags"]]
    alt = (
        f"{len(rows)} judges as points: across, how strongly each follows the others; upwards,"
        f" {up}. {f'Flagged: {join_names(flagged)}.' if flagged else 'Nobody is flagged.'}"
    )
    title = f"Judges by agreement with the others, and {up}"
    low, high = EDGES
    if not all(low <= row["slope"] <= high for row in rows):  # they rest on few votes
        title += f"; slopes beyond {low:g} or {high:g} stand at the edge"
    return (take_chart(draw_judge_map(rows, ties=ties), "map", title, alt),)


# The judges of ratings, and the figures of Hamon et al. (2007).

# Most criteria whose judges are drawn as in the paper; of several tasks the first one of each
MAX_CRITERIA_DRAWN: Final = 3
MAX_CRITERIA_ON_MAP: Final = 5  # Most criteria on the map of judges: as many as there are colours
MAX_SCORERS: Final = 200  # Most rows of the table of judges, but for the full report
MAX_SCORERS_OF_TASK: Final = 12  # The same of each of several tasks
# Figure of the paper → its title, and what is seen
DRAWN: Final = {
    "judges-mean": (
        "Mean score of each judge, beside the others' on the same outputs",
        "Judges from the lowest mean score to the highest, each beside the mean of the others on"
        " the same outputs; dashed lines are the centre and one standard deviation around it.",
    ),
    "judges-distance": (
        "Mean distance of each judge from the others",
        "Judges from the nearest to the others to the farthest, in points of the scale; dashed"
        " lines are the centre and the limit.",
    ),
    "removal": (
        "Systems scored again without the judges outside",
        "Mean scores of systems by all judges, and without those whom each method puts outside.",
    ),
}


def write_section_scorers(analysis: Analysis) -> Section:
    rated, command = analysis.rated, analysis.write_command("judges")
    fault = find_fault(rated.rows.judges)
    if not fault[0] and rated.rows.all_same:
        fault = ALL_SAME, f"{SPREAD_SCORES.capitalize()}."
    if fault[0]:
        return write_fault("scorers", fault, command)
    screening, full = rated.screening, analysis.settings.full
    most = MAX_SCORERS_OF_TASK if analysis.task else MAX_SCORERS
    shown = _choose_judges(screening.cards, None if full else most)
    document = JudgePanel(screening, rated.diagnosis).document(HAMON)
    document = _shorten(document, shown, command)
    drawn, criteria = _count_drawn(analysis), len(rated.diagnosis.criteria)
    if drawn < criteria:
        figures = analysis.write_command("judges", "--figures", "FOLDER")
        says = f"Figures of the paper are of {drawn} of {criteria} criteria; {figures} draws all."
        findings = (*document.findings, Finding("criteria-drawn", says))
        document = replace(document, findings=findings)
    return make_section(
        "scorers",
        document,
        checks=(make_check(screening, rated.reversal, "score"),),
        figures=(*_draw_map(rated), *_draw_paper(analysis)),
        command=analysis.write_command("judges", "--hamon"),
    )


def _draw_map(rated: Rated) -> tuple[Figure, ...]:
    criteria = list(rated.diagnosis.criteria)
    criteria = criteria if len(criteria) <= MAX_CRITERIA_ON_MAP else criteria[:1]
    flags = {card.judge: ", ".join(card.flags) for card in rated.screening.flagged}
    drawn = [
        {
            **{key: row[key] for key in ("judge", "criterion", "gap", "shared")},
            "flags": flags.get(row["judge"], ""),
            "distance": row["mean_agreement"],
        }
        for row in rated.diagnosis.records()
        if row["criterion"] in criteria and row["gap"] is not None
    ]
    if not drawn:
        return ()
    judges = {row["judge"] for row in drawn}
    flagged = sorted(judges & {*flags})
    who = f"Flagged: {join_names(flagged)}." if flagged else "Nobody is flagged."
    alt = (
        f"{len(judges)} judges as points: across, how much higher each scores than the others on"
        f" the same outputs; upwards, how far from them. {who}"
    )
    title = rated.head(
        "Judges by severity and distance from the others", criteria[0] if len(criteria) == 1 else ""
    )
    return (take_chart(draw_scorers(drawn, criteria), "map", title, alt),)


def _draw_paper(analysis: Analysis) -> tuple[Figure, ...]:
    diagnosis, figures = analysis.rated.diagnosis, []
    drawn = diagnosis.criteria[: _count_drawn(analysis)]
    charts = draw_judges(replace(diagnosis, criteria=drawn))
    files = name_files(filter(None, drawn))
    for criterion in drawn:
        tail = f"-{files[criterion]}" if criterion else ""
        for kind, (title, alt) in DRAWN.items():
            name = f"{kind}{tail}"
            if name in charts:
                head = analysis.rated.head(title, criterion)
                figures.append(take_chart(charts[name], name, head, alt))
    return tuple(figures)


def _count_drawn(analysis: Analysis) -> int:
    if analysis.settings.full:
        return len(analysis.rated.diagnosis.criteria)
    return 1 if analysis.task else MAX_CRITERIA_DRAWN

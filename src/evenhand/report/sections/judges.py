"""The judges: who is to be doubted and why, and what changes without them."""

from __future__ import annotations

from typing import Any, Final

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.judges.cards import SUSPECT, Screening, advise, say_evidence, say_flagged, say_shortly
from evenhand.ranking.ranking import Ranking
from evenhand.report.answer import join_names
from evenhand.report.charts import take_chart
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import (
    PASSED,
    UNDECIDED,
    Check,
    Column,
    Figure,
    Section,
    Table,
)
from evenhand.report.figures.judge_map import EDGES, draw_judge_map
from evenhand.report.judge_cards import say_without, tabulate_cards
from evenhand.report.judge_fault import ASKS, write_fault
from evenhand.report.numbers import write_value
from evenhand.report.panel import Panel, find_fault
from evenhand.report.reversal import choose_state
from evenhand.report.study import Study

# Most judges in the table and on the map, but for the full report: flagged ones are all there
SHOWN: Final = 60
EVEN: Final = 0.98  # Effective judges, as a share of all, from which loads are called equal
FEW: Final = 10  # Effective judges below which tenths of one are told
# Share of judgments by judges who could be flagged, from which no flag says something
MOST: Final = 0.5
SURE: Final = "95 %"
# What a judge's number counts, by kind of screening; judgments otherwise
UNITS: Final = {"rankings": "rankings"}


def write_section(study: Study) -> Section:
    """Write who is to be doubted."""
    command = study.write_command("judges", "--cards")
    fault = find_fault(study)
    if fault[0]:
        return write_fault("judges", PREFERENCE["judges"], fault, command)
    panel = Panel(study)
    before = _find_ranking(study)
    change = say_without(panel, before) if panel.screening.flagged else ("", "")
    check = make_check(panel, change[0])
    rows = _choose(panel)
    flagged = panel.screening.flagged
    return Section(
        "judges",
        PREFERENCE["judges"],
        says=(*_say_flags(panel.screening, change), *_say_others(panel)),
        checks=(check,),
        figures=_draw(rows),
        tables=(
            *((tabulate_cards(panel, before),) if flagged else ()),
            _tabulate(panel.screening, rows),
        ),
        notes=(*panel.screening.notes, *_note_limits(panel, rows)),
        command=command,
    )


def _find_ranking(study: Study) -> Ranking | None:
    try:
        return study.ranking
    except (NotIdentified, NotConverged):
        return None


def make_check(panel: Panel, change: str) -> Check:
    """Say whether judges are to be doubted; failed where the answer is reversed without them."""
    found = panel.screening
    judges, flagged = len(found.cards), found.flagged
    seen = [card for card in found.cards if card.testable]
    if flagged:
        says = f"{len(flagged):,} flagged of {judges:,}"
        return Check("judges", ASKS, choose_state(_find_reversal(panel)), says, change)
    share = sum(card.n for card in seen) / sum(card.n for card in found.cards)
    if found.abstains is not None:
        says = f"none flagged of {judges:,}, but {say_shortly(found.abstains)}"
        return Check("judges", ASKS, UNDECIDED, says, advise(found.abstains, found.cards))
    if share < MOST:
        says = f"none flagged of {judges:,}, but {_say_why(share)}"
        advice = "Let judges share more outputs, judge more each, or answer controls and repeats."
        return Check("judges", ASKS, UNDECIDED, says, advice)
    says = f"none flagged of {judges:,}; {len(seen):,} judged enough to be found out"
    return Check("judges", ASKS, PASSED, says)


def _find_reversal(panel: Panel) -> str:
    """Say what is reversed without those flagged; "" where there is no ranking to reverse."""
    try:
        return panel.study.reversals.judges
    except (NotIdentified, NotConverged):
        return ""


def _say_why(share: float) -> str:
    """Say why that nobody is flagged shows little."""
    if not share:
        return "nobody judged enough to be flagged for carelessness"
    part = write_value(share, "share")
    return f"only {part} of judgments are of judges who would be flagged if careless"


def _say_others(panel: Panel) -> list[str]:
    """Say what is known of judges beside flags."""
    said = [*_say_known(panel), *_say_order(panel)]
    return [*said, _say_loads(panel), _say_power(panel.screening)]


def _say_known(panel: Panel) -> list[str]:
    """Say who follows the others beyond doubt, and who is the most suspect without a flag."""
    found = panel.screening
    rows = [row for row in panel.rows if not row["flags"] and row["slope"] is not None]
    if found.abstains is not None or not rows:
        return []
    sure = [row for row in rows if (row["lower"] or 0) > 0]
    names = join_names([row["judge"] for row in sure]) if sure else ""
    share = write_value(sum(row["share"] for row in sure), "share")
    said = []
    if sure:
        verb = "follows" if len(sure) == 1 else "follow"
        said.append(
            f"{len(sure):,} of {len(found.cards):,} judges {verb} the others more than a careless"
            f" judge would, each by a {SURE} interval: {names}; {share} of the judgments."
        )
    worst = min(rows, key=lambda row: (row["p_honest"], -row["n"], row["judge"]))
    if worst["p_honest"] < SUSPECT:
        chance, n = write_value(worst["p_honest"], "two"), f"{worst['n']:,}"
        ends = [write_value(worst[key], "two") for key in ("slope", "lower", "upper")]
        said.append(
            f"The most suspect of those not flagged is {worst['judge']}: honest with probability"
            f" {chance}, follows the others with {ends[0]} ({ends[1]} to {ends[2]}; 1 as all"
            f" judges together, 0 not at all) in {n} judgments."
        )
    return said


def _say_order(panel: Panel) -> list[str]:
    """Say why judges who stand out by the place of outputs need not be flagged."""
    try:
        bias = panel.study.position_bias
    except (NotIdentified, NotConverged, UnknownOption):
        return []
    flagged = {card.judge for card in panel.screening.flagged}
    names = [one.judge for one in bias.stand_out if one.judge not in flagged]
    if not names:
        return []
    verb = "stands" if len(names) == 1 else "stand"
    return [
        f"{join_names(names)} {verb} out by the place of outputs without being flagged here: there"
        " a judge is named who differs from the middle one by more than chance, here one who"
        " differs by more than judges differ among themselves."
    ]


def _say_flags(found: Screening, change: tuple[str, str]) -> list[str]:
    """Say who is flagged for what, and what it changes."""
    flagged = say_flagged(found.cards, found.level)
    said = [f"{flagged[:1].upper()}{flagged[1:]}.", *(one for one in change if one)]
    if found.abstains is not None:
        said.append(f"Nobody is called careless or reversed: {found.abstains}.")
        told = say_evidence(found.cards, found.abstains)
        said += [f"{one[:1].upper()}{one[1:]}." for one in told]
    return said


def _say_loads(panel: Panel) -> str:
    """Say how uneven the loads of judges are."""
    cards = panel.screening.cards
    unit = UNITS.get(panel.screening.kind, "judgments")
    most = max(cards, key=lambda card: card.n)
    total = sum(card.n for card in cards)
    share = write_value(most.n / total, "share")
    if panel.effective > EVEN * len(cards):
        return f"The {len(cards):,} judges judged about equally much, {most.n:,} {unit} at most."
    even = f"{panel.effective:.{1 if panel.effective < FEW else 0}f}"
    return (
        f"The busiest judge, {most.judge}, gave {most.n:,} of {total:,} {unit} ({share});"
        f" with such loads {len(cards):,} judges count like {even} who judge equally much."
    )


def _say_power(found: Screening) -> str:
    """Say whom this design could have found."""
    said = found.detectable
    return f"{said[:1].upper()}{said[1:]}."


def _choose(panel: Panel) -> list[dict[str, Any]]:
    """Return rows of the flagged judges and of those who judged most."""
    rows = panel.rows
    most = len(rows) if panel.study.settings.full else SHOWN
    return rows[: max(most, len(panel.screening.flagged))]


def _draw(rows: list[dict[str, Any]]) -> tuple[Figure, ...]:
    """Draw the map of judges of whom a slope is known."""
    drawn = [row for row in rows if row["slope"] is not None and row["ties"] is not None]
    if not drawn:
        return ()
    ties = any(row["ties"] for row in drawn)
    up = "how often each prefers neither output" if ties else "how much each judged"
    flagged = [row for row in drawn if row["flags"]]
    named = join_names([f"{row['judge']} ({row['flags']})" for row in flagged]) if flagged else ""
    alt = (
        f"{len(drawn)} judges as points: across, how strongly each follows the others; upwards,"
        f" {up}. {f'Flagged: {named}.' if flagged else 'Nobody is flagged.'}"
    )
    title = f"Judges by agreement with the others, and {up}"
    chart = draw_judge_map(drawn, ties=ties)
    return (take_chart(chart, "map", title, alt, table="judges"),)


def _tabulate(found: Screening, rows: list[dict[str, Any]]) -> Table:
    """Return the table of judges."""
    unit = UNITS.get(found.kind, "judgments")
    columns = (
        Column("judge", "judge"),
        Column("n", unit, "count"),
        Column("share", "of all", "share"),
        Column("ties", "ties", "share", "share of comparisons in which neither is preferred"),
        Column("agreement", "agrees", "share", "with other judges' votes on the same two outputs"),
        Column("compared", "of", "count", "pairs of an own vote and another judge's"),
        Column("slope", "follows", "two", "1 as all together, 0 not at all, below 0 against"),
        Column("lower", "from", "two", "lower end of its 95 % interval"),
        Column("upper", "to", "two", "upper end"),
        Column(
            "p_honest",
            "P(honest)",
            "chance",
            "against careless and reversed, given all that was seen; odd habits are tested apart",
        ),
        Column("flags", "flagged as"),
    )
    first = "flagged ones first, then " if found.flagged else ""
    shown = "" if len(rows) == len(found.cards) else f" ({len(rows):,} of {len(found.cards):,})"
    caption = f"Judges{shown}, {first}those who judged most"
    kept = tuple({key.key: row[key.key] for key in columns} for row in rows)
    return Table("judges", caption, columns, kept)


def _note_limits(panel: Panel, rows: list[dict[str, Any]]) -> list[str]:
    """Say what the map and the table leave out."""
    study, notes = panel.study, []
    if len(rows) < len(panel.screening.cards):
        notes.append(
            f"the map and the table show flagged judges and those who judged most, {len(rows):,}"
            f" of {len(panel.screening.cards):,}; {study.write_command('judges', '--json')} has all"
        )
    silent = sum(row["slope"] is None for row in rows)
    if silent:
        have = "has" if silent == 1 else "have"
        notes.append(f"{silent:,} of them preferred nothing and {have} no place on the map")
    low, high = EDGES
    wild = sum(row["slope"] is not None and not low <= row["slope"] <= high for row in rows)
    if wild:
        whom = "1 judge would stand" if wild == 1 else f"{wild:,} judges would stand"
        verb = "is" if wild == 1 else "are"
        notes.append(
            f"{whom} beyond {low:g} or {high:g} and {verb} drawn at the edge: such slopes rest on"
            " few votes"
        )
    if study.task:
        every = study.settings.write_command("judges", "--cards")
        notes.append(f"judges are looked at in this task alone; {every} takes all tasks together")
    return notes

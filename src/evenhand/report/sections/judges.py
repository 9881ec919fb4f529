"""The judges of preferences and of ratings: who is to be doubted, why, and what it changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from evenhand.data.votes import TIE
from evenhand.errors import NotConverged, NotIdentified
from evenhand.judges.cards import (
    CLASSES,
    SUSPECT,
    Card,
    Screening,
    advise,
    find_reason,
    say_evidence,
    say_flagged,
    say_shortly,
)
from evenhand.judges.preferences import VoterSummary, leave_controls, summarise_voters
from evenhand.judges.removal import describe_change as describe_change_of_removal
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.settings import Settings
from evenhand.ranking.without_judges import UNCHANGED, describe_change, rank_without
from evenhand.render.document import Column, Table
from evenhand.render.findings import Finding
from evenhand.render.values import begin_sentence, join_names, write_value
from evenhand.report.analysis import Analysis, Rated, are_level, choose_state, list_leaders
from evenhand.report.answer import say_answer
from evenhand.report.document import NOT_RUN, PASSED, Check, Figure, Section
from evenhand.report.document import UNDECIDED as UNDECIDED_OF_DOCUMENT
from evenhand.report.figures.drawing import name_files
from evenhand.report.figures.judges import (
    EDGES,
    FEW_JUDGES,
    FEW_JUDGMENTS,
    OPEN,
    draw_judge_map,
    draw_judges,
    draw_scorers,
)
from evenhand.report.figures.style import take_chart

ASKS: Final = "Can the judges be trusted?"
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
    check = Check("judges", ASKS, NOT_RUN, why, advice)
    says = (f"Nothing can be said of the judges: {why}.",)
    return Section(name, says=says, checks=(check,), command=command)


# The judges of preferences: what is known of each, and the ranking without those who are flagged.
#
# Numbers come from the rooms below; here they are put side by side, a row for each judge.

DIGITS: Final = 4  # Digits behind the point of what a row holds: more are not known
# Why nobody is called careless or reversed → what judges are drawn as
UNDECIDED: Final = {"judges": FEW_JUDGES, "right": OPEN, "apart": FEW_JUDGMENTS}


def find_fault_panel(analysis: Analysis) -> tuple[str, str]:
    """Return why judges cannot be looked at and what to do; two empty texts where they can."""
    votes = analysis.votes
    fault = find_fault(votes.judges)
    if not fault[0] and (votes.outcome == TIE).all():
        return "no judge preferred anything", "Ask for preferences, or let more judges judge."
    return fault


@dataclass(frozen=True, eq=False)
class Panel:
    analysis: Analysis  # whose judges

    @cached_property
    def screening(self) -> Screening:
        return self.analysis.screening

    @cached_property
    def voters(self) -> dict[str, VoterSummary]:
        """How each judge agrees with the others; none where no items are named."""
        votes = self.analysis.votes
        if votes.items == NAMELESS:
            return {}
        return {one.judge: one for one in summarise_voters(votes)}

    @property
    def effective(self) -> float:
        """How many judges there would be if all had judged equally much, for the same weight."""
        loads = [card.n for card in self.screening.cards]
        return sum(loads) ** 2 / sum(load**2 for load in loads)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each judge: flagged ones first, then those who judged most."""
        others = [card for card in self.screening.cards if not card.flags]
        others.sort(key=lambda card: (-card.n, card.judge))
        cards = [*self.screening.flagged, *others]
        total = sum(card.n for card in cards)
        return [self._describe(card, total) for card in cards]

    def _describe(self, card: Card, total: int) -> dict[str, Any]:
        voter, (made, tied) = self.voters.get(card.judge), self._counts[card.judge]
        slope = _find_slope(card) if made > tied else (None, None, None)
        return {
            "judge": card.judge,
            "n": card.n,
            "share": round(card.n / total, DIGITS),
            "ties": _divide(tied, made),
            "agreement": _divide(voter.agree, voter.comparable) if voter else None,
            "compared": voter.comparable if voter else None,
            "slope": slope[0],
            "lower": slope[1],
            "upper": slope[2],
            "p_honest": round(card.p_honest, DIGITS),
            "flags": ", ".join(card.flags),
            "kind": name_kind(card, self.screening.abstains),
        }

    @cached_property
    def _counts(self) -> dict[str, tuple[int, int]]:
        """Votes of each judge and the ties among them; controls are no votes on systems."""
        votes = leave_controls(self.analysis.votes)
        size = len(votes.judges)
        made = np.bincount(votes.judge, minlength=size).tolist()
        tied = np.bincount(votes.judge[votes.outcome == TIE], minlength=size).tolist()
        return dict(zip(votes.judges, zip(made, tied, strict=True), strict=True))

    def rank_others(self, judges: Collection[str]) -> Ranking | str:
        """Return the ranking without some judges, or why there is none."""
        options = self.analysis.settings
        model = options.model or BradleyTerry()
        settings = Settings(model, "rank-sets", None, options.level, options.seed, None)
        try:
            if not model.controls:
                return rank_without(self.analysis.votes, judges, settings)
            table = self.analysis.pairs.without(judges=tuple(judges), recorded=False)
            result = rank(table, model=model, level=options.level, seed=options.seed)
        except (NotIdentified, NotConverged) as refusal:
            return str(refusal.without_options())
        return result if isinstance(result, Ranking) else next(iter(result.groups.values()))


def _find_slope(card: Card) -> tuple[float, ...]:
    slope = next(one for one in card.evidence if one.name == "slope")
    held = (slope.value, slope.lower, slope.upper)
    return tuple(round(one, DIGITS) for one in held if one is not None)


def _divide(part: int, whole: int) -> float | None:
    return round(part / whole, DIGITS) if whole else None


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


MAX_CARDS: Final = 10  # Most flagged judges whose evidence is shown
MAX_REMOVED: Final = 3  # Most flagged judges who are left out one by one, where that takes long
MAX_QUICK: Final = 30  # Most systems for which leaving out a judge takes a tenth of a second
# Name of a piece of evidence → what it is about
ABOUT: Final = {
    "slope": "follows the others",
    "agreement": "where others are sure",
    "controls": "controls",
    "repeats": "asked again",
    "position": "place on the screen",
    "session": "within a session",
    "ties": "ties",
    "seconds": "time taken",
}


def tabulate_cards(panel: Panel, before: Ranking | None) -> Table:
    flagged = panel.screening.flagged
    total = sum(card.n for card in panel.screening.cards)
    cards = {}
    for place, card in enumerate(flagged[:MAX_CARDS]):
        share, chance = write_value(card.n / total, "share"), write_value(card.p_honest, "p")
        verdict = (
            f"{', '.join(card.flags)}; probability of being honest {chance};"
            f" {card.n:,} judgments, {share} of all"
        )
        lines = [("verdict", verdict)]
        lines += [(ABOUT.get(one.name, one.name), one.says) for one in card.evidence]
        if before is not None:
            lines.append(("left out", _say_effect(panel, before, card, place)))
        cards[card.judge] = lines
    return _list_cards(cards, len(flagged))


def _list_cards(cards: Mapping[str, Sequence[tuple[str, str]]], flagged: int) -> Table:
    rows = tuple(
        {"judge": judge, "about": about, "says": says}
        for judge, lines in cards.items()
        for about, says in lines
    )
    rest = f"; {flagged - MAX_CARDS:,} more are flagged" if flagged > MAX_CARDS else ""
    columns = (Column("judge", "judge"), Column("about", "looked at"), Column("says", "found"))
    return Table("cards", f"Why judges are flagged{rest}", columns, rows)


def _say_effect(panel: Panel, before: Ranking, card: Card, place: int) -> str:
    full = panel.analysis.settings.full
    if not full and (place >= MAX_REMOVED or len(before.systems) > MAX_QUICK):
        return (
            "not computed here; it is made by"
            f" {panel.analysis.write_command('judges')}, or by the report with --full"
        )
    after = panel.rank_others([card.judge])
    if isinstance(after, str):
        return f"without the judge there is no ranking: {after}"
    return describe_change(before, after)


def say_without(panel: Panel, before: Ranking | None) -> tuple[str, str]:
    flagged = [card.judge for card in panel.screening.flagged]
    whom = "them" if len(flagged) > 1 else "this judge"
    if before is None:
        return f"There is no ranking with {whom} either.", ""
    after = panel.rank_others(flagged)
    if isinstance(after, str):
        return f"Without {whom} there is no ranking: {after}.", ""
    change = describe_change(before, after, whom)
    detail = f"Without {whom} {change}."
    answer, was = (say_answer(one)[0] for one in (after, before))
    if answer == was or list_leaders(after) == list_leaders(before):
        same = change.code == UNCHANGED
        return f"Without {whom} the answer stays the same.", "" if same else detail
    return f"Without {whom} the answer is another one: {answer}", detail


# The judges: who is to be doubted and why, and what changes without them.

# Most judges in the table and on the map, but for the full report: flagged ones are all there
MAX_JUDGES: Final = 60
EVEN: Final = 0.98  # Effective judges, as a share of all, from which loads are called equal
MIN_WHOLE_JUDGES: Final = 10  # Effective judges below which tenths of one are told
# Share of judgments by judges who could be flagged, from which no flag says something
MIN_TESTABLE_SHARE: Final = 0.5
SURE: Final = "95 %"
# What a judge's number counts, by kind of screening; judgments otherwise
UNITS: Final = {"rankings": "rankings"}


def write_section_judges(analysis: Analysis) -> Section:
    command = analysis.write_command("judges")
    fault = find_fault_panel(analysis)
    if fault[0]:
        return write_fault("judges", fault, command)
    panel = Panel(analysis)
    before = analysis.known_ranking
    change = say_without(panel, before) if panel.screening.flagged else ("", "")
    check = make_check(panel, change[0])
    flagged = panel.screening.flagged
    # The flagged judges and those who judged most
    most = len(panel.rows) if analysis.settings.full else MAX_JUDGES
    rows = panel.rows[: max(most, len(flagged))]
    summary = say_flagged(panel.screening.cards, panel.screening.level)
    sentences = [summary, *(one for one in change if one)]
    if panel.screening.abstains is not None:
        sentences.append(f"Nobody is called careless or reversed: {panel.screening.abstains}.")
        sentences += say_evidence(panel.screening.cards, panel.screening.abstains)
    return Section(
        "judges",
        says=(
            *sentences,
            *_say_known(panel),
            *_say_order(panel),
            _say_loads(panel),
            f"{begin_sentence(panel.screening.detectable)}.",
        ),
        checks=(check,),
        figures=_draw(rows),
        tables=(
            *((tabulate_cards(panel, before),) if flagged else ()),
            _tabulate(panel.screening, rows),
        ),
        notes=(*panel.screening.notes, *_note_limits(panel, rows)),
        command=command,
    )


def make_check(panel: Panel, change: str) -> Check:
    """Say whether judges are to be doubted; failed where the answer is reversed without them."""
    screening = panel.screening
    judges, flagged = len(screening.cards), screening.flagged
    seen = [card for card in screening.cards if card.testable]
    if flagged:
        says = f"{len(flagged):,} flagged of {judges:,}"
        reversal = panel.analysis.reversals.judges if panel.analysis.known_ranking else ""
        return Check("judges", ASKS, choose_state(reversal), says, change)
    share = sum(card.n for card in seen) / sum(card.n for card in screening.cards)
    why = "nobody judged enough to be flagged for carelessness"
    if share:
        part = write_value(share, "share")
        why = f"only {part} of judgments are of judges who would be flagged if careless"
    return _check_unflagged(screening, why if share < MIN_TESTABLE_SHARE else "", "judge")


def _check_unflagged(found: Screening, why: str, verb: str) -> Check:
    """Return the check where nobody is flagged: undecided where that says nothing."""
    none = f"none flagged of {len(found.cards):,}"
    if found.abstains is not None:
        says = f"{none}, but {say_shortly(found.abstains)}"
        advice = advise(found.abstains, found.cards)
        return Check("judges", ASKS, UNDECIDED_OF_DOCUMENT, says, advice)
    if why:
        advice = f"Let judges share more outputs, {verb} more each, or answer controls and repeats."
        return Check("judges", ASKS, UNDECIDED_OF_DOCUMENT, f"{none}, but {why}", advice)
    seen = sum(card.testable for card in found.cards)
    says = f"{none}; {seen:,} {verb}d enough to be found out"
    return Check("judges", ASKS, PASSED, says)


def _say_known(panel: Panel) -> list[str]:
    screening = panel.screening
    rows = [row for row in panel.rows if not row["flags"] and row["slope"] is not None]
    if screening.abstains is not None or not rows:
        return []
    sure = [row for row in rows if (row["lower"] or 0) > 0]
    names = join_names([row["judge"] for row in sure]) if sure else ""
    share = write_value(sum(row["share"] for row in sure), "share")
    sentences = []
    if sure:
        verb = "follows" if len(sure) == 1 else "follow"
        sentences.append(
            f"{len(sure):,} of {len(screening.cards):,} judges {verb} the others more than a"
            " careless"
            f" judge would, each by a {SURE} interval: {names}; {share} of the judgments."
        )
    worst = min(rows, key=lambda row: (row["p_honest"], -row["n"], row["judge"]))
    if worst["p_honest"] < SUSPECT:
        chance, n = write_value(worst["p_honest"], "two"), f"{worst['n']:,}"
        ends = [write_value(worst[key], "two") for key in ("slope", "lower", "upper")]
        sentences.append(
            f"The most suspect of those not flagged is {worst['judge']}: honest with probability"
            f" {chance}, follows the others with {ends[0]} ({ends[1]} to {ends[2]}; 1 as all"
            f" judges together, 0 not at all) in {n} judgments."
        )
    return sentences


def _say_order(panel: Panel) -> list[str]:
    bias = panel.analysis.known_bias
    if bias is None:
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


def _say_loads(panel: Panel) -> str:
    cards = panel.screening.cards
    unit = UNITS.get(panel.screening.kind, "judgments")
    most = max(cards, key=lambda card: card.n)
    total = sum(card.n for card in cards)
    share = write_value(most.n / total, "share")
    if panel.effective > EVEN * len(cards):
        return f"The {len(cards):,} judges judged about equally much, {most.n:,} {unit} at most."
    even = f"{panel.effective:.{1 if panel.effective < MIN_WHOLE_JUDGES else 0}f}"
    return (
        f"The busiest judge, {most.judge}, gave {most.n:,} of {total:,} {unit} ({share});"
        f" with such loads {len(cards):,} judges count like {even} who judge equally much."
    )


def _draw(rows: list[dict[str, Any]]) -> tuple[Figure, ...]:
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


def _tabulate(screening: Screening, rows: list[dict[str, Any]]) -> Table:
    unit = UNITS.get(screening.kind, "judgments")
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
            "p",
            "against careless and reversed, given all that was seen; odd habits are tested apart",
        ),
        Column("flags", "flagged as"),
    )
    first = "flagged ones first, then " if screening.flagged else ""
    shown = (
        "" if len(rows) == len(screening.cards) else f" ({len(rows):,} of {len(screening.cards):,})"
    )
    caption = f"Judges{shown}, {first}those who judged most"
    table_rows = tuple({str(one.key): one.fetch(row) for one in columns} for row in rows)
    return Table("judges", caption, columns, table_rows)


def _note_limits(panel: Panel, rows: list[dict[str, Any]]) -> list[str]:
    analysis, notes = panel.analysis, []
    if len(rows) < len(panel.screening.cards):
        command = analysis.write_command("judges", "--json")
        notes.append(
            f"the map and the table show flagged judges and those who judged most, {len(rows):,}"
            f" of {len(panel.screening.cards):,}; {command} has all"
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
    if analysis.task:
        every = analysis.settings.write_command("judges")
        notes.append(f"judges are looked at in this task alone; {every} takes all tasks together")
    return notes


# The judges of ratings: who is to be doubted, and the figures of Hamon et al. (2007).

# Most criteria whose judges are drawn as in the paper; of several tasks the first one of each
MAX_CRITERIA_DRAWN: Final = 3
MAX_CRITERIA_ON_MAP: Final = 5  # Most criteria on the map of judges: as many as there are colours
MAX_SCORER_ROWS: Final = 200  # Most rows of the table of judges, but for the full report
MAX_SCORER_ROWS_OF_TASK: Final = (
    12  # The same of each of several tasks: flagged judges and those who scored most
)
MAX_NAMED: Final = 12  # Most judges whose names stand in a cell
OUTSIDE: Final = (
    "judges outside by the methods of Hamon et al. (2007) diverge, which is not to say that they"
    " are bad: of honest judges about a third are outside one standard deviation by their mean"
    " score; flags have a controlled error rate"
)
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
    fault = _find_fault(rated)
    if fault[0]:
        return write_fault("scorers", fault, command)
    screening = rated.screening
    check = _check(rated, screening)
    flags = {card.judge: ", ".join(card.flags) for card in screening.flagged}
    rows = [{**row, "flags": flags.get(row["judge"], "")} for row in rated.diagnosis.records()]
    tables = (
        *((_make_cards(screening),) if flags else ()),
        _tabulate_scorers(rated, rows, analysis),
        _tabulate_outside(rated),
    )
    return Section(
        "scorers",
        says=tuple(_say(screening, check)),
        checks=(check,),
        figures=(*_draw_map(rated, rows), *_draw_paper(analysis)),
        tables=tables,
        notes=(*screening.notes, OUTSIDE, *rated.diagnosis.notes, *_note_figures(analysis)),
        command=command,
    )


def _find_fault(rated: Rated) -> tuple[str, str]:
    """Return why judges cannot be looked at and what to do; two empty texts where they can."""
    fault = find_fault(rated.rows.judges)
    if not fault[0] and are_level(rated.rows):
        return "all scores are the same", "Ask for scores that tell outputs apart."
    return fault


def _check(rated: Rated, screening: Screening) -> Check:
    """Say whether judges are to be doubted; failed where the boards are reversed without them."""
    judges, flagged = len(screening.cards), [card.judge for card in screening.flagged]
    if flagged:
        change = describe_change_of_removal(rated.rows, flagged)
        change += " (the higher mean score first)" if rated.lower else ""
        says = f"{len(flagged):,} flagged of {judges:,}"
        otherwise = f"Without {join_names(flagged)}: {change}."
        return Check("judges", ASKS, choose_state(rated.reversal), says, otherwise)
    seen = any(card.testable for card in screening.cards)
    return _check_unflagged(
        screening, "" if seen else "too little is known of each to tell", "score"
    )


def _say(screening: Screening, check: Check) -> list[str]:
    sentences: list[str] = [*screening.says]
    if screening.flagged:
        sentences.append(check.recommendation)
    return [*sentences, f"{begin_sentence(screening.detectable)}."]


def _tabulate_outside(rated: Rated) -> Table:
    diagnosis, rows = rated.diagnosis, []
    for one in diagnosis.outliers:
        if one.why is not None and one.method == "easy-items" and not diagnosis.easy:
            continue  # no output is known to be good: nothing was asked
        removal = diagnosis.removal_of(one.method, one.criterion)
        rows.append(
            {
                "criterion": one.criterion,
                "method": one.method.replace("-", " "),
                "outside": len(one.judges) if one.why is None else None,
                "judges": ", ".join(one.judges[:MAX_NAMED])
                + ", ..." * (len(one.judges) > MAX_NAMED),
                "lost": None if removal is None else removal.share_lost,
                "correlation": None if removal is None else removal.kept.pearson,
                "why": one.why or "",
            }
        )
    columns = (
        *((Column("criterion", "criterion"),) if len(diagnosis.criteria) > 1 else ()),
        Column("method", "by"),
        Column("outside", "outside", "count", "judges outside the limits of the method"),
        Column("judges", "judges"),
        Column("lost", "scores lost", "share", "share of the scores that they gave"),
        Column(
            "correlation", "correlation", "three", "of systems' mean scores with and without them"
        ),
        Column("why", "why not"),
    )
    caption = "Judges outside by the methods of Hamon et al. (2007)"
    return Table("outside", caption, columns, tuple(rows))


def _draw_map(rated: Rated, rows: list[dict[str, Any]]) -> tuple[Figure, ...]:
    criteria = list(rated.diagnosis.criteria)
    criteria = criteria if len(criteria) <= MAX_CRITERIA_ON_MAP else criteria[:1]
    keys = ("judge", "criterion", "gap", "shared", "flags")
    drawn = [
        {**{key: row[key] for key in keys}, "distance": row["mean_agreement"]}
        for row in rows
        if row["criterion"] in criteria and row["gap"] is not None
    ]
    if not drawn:
        return ()
    flagged = sorted({row["judge"] for row in drawn if row["flags"]})
    who = f"Flagged: {join_names(flagged)}." if flagged else "Nobody is flagged."
    alt = (
        f"{len({row['judge'] for row in drawn})} judges as points: across, how much higher each"
        f" scores than the others on the same outputs; upwards, how far from them. {who}"
    )
    title = rated.head(
        "Judges by severity and distance from the others", criteria[0] if len(criteria) == 1 else ""
    )
    return (take_chart(draw_scorers(drawn, criteria), "map", title, alt, table="judges"),)


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
                figures.append(take_chart(charts[name], name, head, alt, table="judges"))
    return tuple(figures)


def _count_drawn(analysis: Analysis) -> int:
    if analysis.settings.full:
        return len(analysis.rated.diagnosis.criteria)
    return 1 if analysis.task else MAX_CRITERIA_DRAWN


def _note_figures(analysis: Analysis) -> tuple[str, ...]:
    drawn, criteria = _count_drawn(analysis), len(analysis.rated.diagnosis.criteria)
    if drawn >= criteria:
        return ()
    command = analysis.write_command("judges", "--figures", "FOLDER")
    return (f"figures of the paper are of {drawn} of {criteria} criteria; {command} draws all",)


def _make_cards(screening: Screening) -> Table:
    cards = {}
    for card in screening.flagged[:MAX_CARDS]:
        lines = [("verdict", f"{', '.join(card.flags)}; {card.n:,} scores")]
        lines += [(one.name, one.says) for one in card.evidence]
        cards[card.judge] = [*lines, *([("left out", card.effect)] if card.effect else [])]
    return _list_cards(cards, len(screening.flagged))


def _tabulate_scorers(rated: Rated, rows: list[dict[str, Any]], analysis: Analysis) -> Table:
    most = MAX_SCORER_ROWS_OF_TASK if analysis.task else MAX_SCORER_ROWS
    first = sorted(rows, key=lambda row: (not row["flags"], -row["n"]))
    shown = first if analysis.settings.full else first[:most]
    several = len(rated.diagnosis.criteria) > 1
    columns = (
        Column("judge", "judge"),
        *((Column("criterion", "criterion"),) if several else ()),
        Column("n", "scores", "count"),
        Column("shared", "shared", "count", "scores of outputs that another judge scored too"),
        Column("mean", "mean", "two", "mean score"),
        Column("others_mean", "others'", "two", "mean score of the others on the shared outputs"),
        Column("gap", "gap", "two", "own mean less the others' on the shared outputs"),
        Column("mean_agreement", "distance", "two", "mean distance from the others' scores"),
        Column("flags", "flagged as"),
    )
    cut = "" if len(shown) == len(rows) else f" ({len(shown):,} of {len(rows):,} rows)"
    table_rows = tuple({column.key: row[column.key] for column in columns} for row in shown)
    return Table("judges", f"Judges beside the others{cut}", columns, table_rows)

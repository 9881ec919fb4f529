"""The judges of preferences and of ratings: do they agree, who is flagged, what does it change?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Final

import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import ANSWER
from evenhand.data.exclusions import Exclusion, note_excluded
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import ALL_SAME, SPREAD_SCORES
from evenhand.data.votes import TIE
from evenhand.errors import NotConverged, NotIdentified
from evenhand.judges.agreement import INFLATED, Request, drop_pasted, tabulate_votes
from evenhand.judges.agreement_table import AgreementPart, AgreementTable, name_kappa
from evenhand.judges.cards import (
    CLASSES,
    REASONS,
    Card,
    Screening,
    add_effects,
    advise,
    say_shortly,
)
from evenhand.judges.preferences import ExpectedAgreement, leave_controls
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.without_judges import HAMON, RULES, JudgePanel, describe_change
from evenhand.render.document import Document, Finding, Table, Text, join_names, write_value
from evenhand.report.analysis import Analysis, Rated, choose_state, say_outcome, take_single
from evenhand.report.document import (
    NOT_RUN,
    PASSED,
    UNDECIDED,
    WARNING,
    Check,
    Figure,
    Section,
    make_section,
)
from evenhand.report.figures.judges import (
    EDGES,
    FEW_JUDGES,
    FEW_JUDGMENTS,
    OPEN,
    draw_curves,
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
    """Say whether judges are flagged; failed where the answer, if any, is reversed without them."""
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
        return JudgesCheck(UNDECIDED, f"{none}, but {says}", advice)
    seen = [card for card in cards if card.testable]
    share = sum(card.n for card in seen) / sum(card.n for card in cards)
    if not share or share < least:
        part = write_value(share, "share")
        why = f"only {part} of judgments are of judges who would be flagged if careless"
        why = why if share else f"nobody {verb}d enough to be flagged for carelessness"
        advice = f"Let judges share more outputs, {verb} more each, or answer controls and repeats."
        return JudgesCheck(UNDECIDED, f"{none}, but {why}", advice)
    says = f"{none}; {len(seen):,} {verb}d enough for a careless judge to be flagged"
    return JudgesCheck(PASSED, says)


def _shorten(document: Document, judges: Sequence[str] | None, command: str) -> Document:
    """Return a document whose table has some judges alone (None: all), with the first cards."""
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
UNDECIDED_KINDS: Final = {"judges": FEW_JUDGES, "right": OPEN, "apart": FEW_JUDGMENTS}
MAX_REMOVED: Final = 3  # Most flagged judges who are excluded one by one
MAX_QUICK: Final = 30  # Most systems for which excluding a judge takes a tenth of a second
# Most judges in the table and on the map, but for the full report: flagged ones are all there
MAX_JUDGES: Final = 60
# Share of judgments by judges who could be flagged, from which no flag says something
MIN_TESTABLE_SHARE: Final = 0.5


def find_fault_panel(analysis: Analysis) -> tuple[str, str]:
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
    screening, before = analysis.screening, analysis.known_ranking
    full, reversal = analysis.settings.full, None
    if isinstance(analysis.data, Rankings):
        screening = replace(screening, kind="rankings")
    if before is not None and (full or len(before.systems) <= MAX_QUICK):
        most = len(screening.flagged) if full else MAX_REMOVED
        effect = partial(_say_effect, analysis, before)
        screening = replace(screening, cards=tuple(add_effects(screening.cards, effect, most)))
    if screening.flagged and before is not None:
        reversal = analysis.reversals.judges
    shown = _choose_judges(screening.cards, None if full else MAX_JUDGES)
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
            row = {"judge": card.judge, "n": card.n, "ties": round(ties / n, DIGITS)}
            row |= {"slope": round(slope, DIGITS), "p_honest": round(card.p_honest, DIGITS)}
            row |= {"flags": ", ".join(card.flags), "kind": name_kind(card, screening.abstains)}
            rows.append(row)
    figures = list[Figure]()
    if rows:
        ties = any(row["ties"] for row in rows)
        up = "how often each prefers neither output" if ties else "how much each judged"
        flagged = [f"{row['judge']} ({row['flags']})" for row in rows if row["flags"]]
        alt = (
            f"{len(rows)} judges as points: across, how strongly each follows the others; upwards,"
            f" {up}. {f'Flagged: {join_names(flagged)}.' if flagged else 'Nobody is flagged.'}"
        )
        title = f"Judges by agreement with the others, and {up}"
        if not all(EDGES[0] <= row["slope"] <= EDGES[1] for row in rows):  # they rest on few votes
            title += "; slopes beyond {:g} or {:g} stand at the edge".format(*EDGES)
        figures.append(take_chart(draw_judge_map(rows, ties=ties), "map", title, alt))
    document = _shorten(JudgePanel(screening).document(), shown, command)
    check = make_check(screening, reversal, least=MIN_TESTABLE_SHARE)
    return make_section("judges", document, checks=[check], figures=figures, command=command)


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
        return UNDECIDED_KINDS[REASONS[abstains.code]]
    return "not flagged" if card.testable else FEW_JUDGMENTS


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
    diagnosis, criteria = rated.diagnosis, len(rated.diagnosis.criteria)
    drawn = criteria if full else 1 if analysis.task else MAX_CRITERIA_DRAWN
    if drawn < criteria:
        figures = analysis.write_command("judges", "--figures", "FOLDER")
        says = f"Figures of the paper are of {drawn} of {criteria} criteria; {figures} draws all."
        findings = (*document.findings, Finding("criteria-drawn", says))
        document = replace(document, findings=findings)
    # the figures of the paper
    names, charted = diagnosis.criteria[:drawn], [*_draw_map(rated)]
    charts = draw_judges(replace(diagnosis, criteria=names))
    files = name_files(filter(None, names))
    for criterion, (kind, (title, alt)) in product(names, DRAWN.items()):
        name = f"{kind}-{files[criterion]}" if criterion else kind
        if name in charts:
            charted.append(take_chart(charts[name], name, rated.head(title, criterion), alt))
    check = make_check(screening, rated.reversal, "score")
    command = analysis.write_command("judges", "--hamon")
    return make_section("scorers", document, checks=[check], figures=charted, command=command)


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
    title = "Judges by severity and distance from the others"
    title = rated.head(title, criteria[0] if len(criteria) == 1 else "")
    return (take_chart(draw_scorers(drawn, criteria), "map", title, alt),)


AgreementCheck: Final = partial(Check, "agreement", "Do judges agree?")
# Up to here Landis and Koch (1977) call agreement slight: convention, not inference
LIMIT: Final = 0.2


def find_state(value: float, lower: float, upper: float) -> str:
    """Return passed above slight and above chance, a warning where all of it is slight."""
    if value > LIMIT and lower > 0:
        return PASSED
    return WARNING if upper <= LIMIT else UNDECIDED


def say_expected(
    value: float, ends: tuple[float, float], expected: ExpectedAgreement | None
) -> str:
    number, low, high = (write_value(one, "two") for one in (value, *ends))
    text = f"κ {number} ({low} to {high})"
    if expected is None:
        return f"{text}; what to expect is not known"
    text += f", expected {write_value(expected.expected_kappa, 'two')} for systems this close"
    if not expected.short or expected.upper is None or expected.lower is None:
        return text
    short = (expected.difference, expected.upper, expected.lower)
    apart, least, most = (write_value(-one, "two") for one in short)
    return f"{text}: {apart} less ({least} to {most})"


def say_agreement(name: str, value: float, lower: float, upper: float) -> str:
    number, low, high = (write_value(one, "two") for one in (value, lower, upper))
    passes = f"passes above {write_value(LIMIT, 'two')} with an interval above 0"
    text = f"{name_kappa(value)}: {name} {number} ({low} to {high})"
    return f"{text} where 0 is chance and 1 perfect; {passes}"


def _refuse(
    name: str, names: tuple[tuple[str, ...], tuple[str, ...]], why: NotIdentified, command: str
) -> Section:
    roles = zip(("judge", "item"), names, strict=True)
    unnamed = [role for role, known in roles if tuple(known) == NAMELESS]
    advice = "Let two judges or more see some of the same outputs."
    if unnamed:
        columns = " and ".join(f"{role}s" for role in unnamed)
        options = " ".join(f"--column {role}=NAME" for role in unnamed)
        advice = f"Name the column of {columns}, where there is one: {options}."
    says = (f"Agreement of judges cannot be measured: {why.fault}.",)
    check = AgreementCheck(NOT_RUN, why.fault, advice)
    return Section(name, says=says, checks=(check,), command=command)


# Agreement in preferences: what the verb says, and whether it is as much as close systems allow.

# Output pairs, and pairs of answers, below which nothing is decided
MIN_UNITS_FOR_INTERVAL: Final = 10
MIN_ANSWER_PAIRS: Final = 30
# Least and largest κ of the twelve tasks of WMT 2016 (Bojar et al. 2016, section 3.3)
PUBLISHED: Final = (0.244, 0.484)


def write_section_agreement(analysis: Analysis) -> Section:
    command = analysis.write_command("agreement")
    try:
        table = _measure(analysis)
    except NotIdentified as refusal:
        names = analysis.votes.judges, analysis.votes.items
        return _refuse("agreement", names, refusal, command)
    check, document = _check(analysis, table), table.document()
    return make_section("agreement", document, basis=True, checks=[check], command=command)


def _measure(analysis: Analysis) -> AgreementTable:
    data, settings = analysis.data.keep_asked(), analysis.settings
    kind = "rankings" if isinstance(data, Rankings) else "comparisons"
    if not analysis.shared.comparable:
        if len(analysis.votes.judges) == 1:
            raise NotIdentified("there is one judge alone")
        raise NotIdentified("no two judges compared the same two outputs")
    request = Request((), ("default",), settings.level, "item", settings.seed, kind)
    votes = analysis.votes
    pasted: tuple[Exclusion, ...] = ()
    if isinstance(data, Comparisons) and not data.expanded:  # as `agreement` counts them
        without, pasted = drop_pasted(data)
        votes = without.votes() if pasted else votes
    table = note_excluded(tabulate_votes(votes, request), pasted)
    merged = data.merged if isinstance(data, Rankings) else data.has(ANSWER)
    return table if not merged else replace(table, notes=(*table.notes, INFLATED))


def _check(analysis: Analysis, table: AgreementTable) -> Check:
    known = {one.name: one for one in table.whole.coefficients}
    kappa = known.get("kappa-strict")
    if kappa is None or kappa.value is None:
        says = "all comparisons are ties: chance explains all agreement"
        return AgreementCheck(UNDECIDED, says, "Ask for preferences.")
    advice = "Let two judges or more see more of the same outputs."
    few = kappa.units < MIN_UNITS_FOR_INTERVAL or analysis.shared.comparable < MIN_ANSWER_PAIRS
    if kappa.lower is None or kappa.upper is None or few:
        says = f"too little is known: κ {write_value(kappa.value, 'two')}, on too few items"
        return AgreementCheck(UNDECIDED, says, advice)
    # Where systems are close no high κ is possible, so that κ is held against the κ of judges who
    # follow the fitted worths and against no convention
    expected = analysis.expected
    state = PASSED if kappa.lower > 0 and expected is not None else UNDECIDED
    state = WARNING if expected is not None and expected.short else state
    says = say_expected(kappa.value, (kappa.lower, kappa.upper), expected)
    counted = known.get("kappa-wmt")  # the same count is compared with the same
    if isinstance(analysis.data, Rankings) and counted is not None and counted.value is not None:
        usual = PUBLISHED[0] <= counted.value <= PUBLISHED[1]
        says += "; usual in the WMT tasks" if usual else ""
    if state == WARNING:
        outcome = "No judge is flagged whose votes could be excluded."
        if analysis.screening.flagged:
            reversal = analysis.reversals.judges
            state = choose_state(reversal)
            outcome = say_outcome("Without the flagged judges", reversal)
        little = (
            "Look at the question and the instructions, or let more judges see the same outputs."
        )
        return AgreementCheck(state, says, f"{outcome} {little}")
    if state == UNDECIDED and kappa.lower <= 0:
        says += "; not significantly more than chance"
    return AgreementCheck(state, says, "" if state == PASSED else advice)


# Do judges give the same scores? n-agreement, κ, α and ICC with intervals in one table.

# The first of these that there is decides
ALPHA: Final = ("alpha-ordinal", "alpha-interval", "alpha-nominal")
CURVE: Final = "n-agreement-"


def write_section_scoring(analysis: Analysis) -> Section:
    rated, command = analysis.rated, analysis.write_command("agreement")
    try:
        table = rated.agreement
    except NotIdentified as refusal:
        return _refuse("scoring", (rated.rows.judges, rated.rows.items), refusal, command)
    checks, drawn = [_check_scoring(table, level=rated.targets.all_same)], _draw_shares(table)
    return make_section(
        "scoring", table.document(), basis=True, checks=checks, figures=drawn, command=command
    )


def _list_parts(table: AgreementTable) -> list[AgreementPart]:
    return [*table.parts[:-1]] or [table.whole]


def _check_scoring(table: AgreementTable, *, level: bool) -> Check:
    if level:
        says = f"{ALL_SAME}: chance explains all agreement"
        return AgreementCheck(UNDECIDED, says, f"{SPREAD_SCORES.capitalize()}.")
    parts = _list_parts(table)
    known = []  # the first α of each criterion that has a value
    for part in parts:
        values = {one.name: one for one in part.coefficients if one.value is not None}
        known += [(part.name, values[name]) for name in ALPHA if name in values][:1]
    sure = [
        (name, (one.value or 0.0, one.lower, one.upper))
        for name, one in known
        if one.lower is not None and one.upper is not None
    ]
    if not sure:
        lowest = min((one.value or 0.0 for _, one in known), default=None)
        says = f"too few outputs were judged by two judges ({table.whole.units:,}) to tell"
        if lowest is not None:
            says = f"too little is known: α {write_value(lowest, 'two')}, on too few items"
        advice = "Have two or more judges score some of the outputs."
        return AgreementCheck(UNDECIDED, says, advice)
    order = (WARNING, UNDECIDED, PASSED)  # the worst decides
    worst, ends = min(sure, key=lambda pair: (order.index(find_state(*pair[1])), pair[1][1]))
    about = f"{worst}: " if len(parts) > 1 else ""
    state, says = find_state(*ends), say_agreement("α", *ends)
    advice = "Read the question and the scale with the judges: scores may not mean the same to all."
    return AgreementCheck(state, f"{about}{says}", "" if state == PASSED else advice)


def _draw_shares(table: AgreementTable) -> tuple[Figure, ...]:
    parts = _list_parts(table)
    rows = [
        {"criterion": part.name, "apart": float(one.name.removeprefix(CURVE)), "share": one.value}
        for part in parts
        for one in part.coefficients
        if one.name.startswith(CURVE) and one.value is not None
    ]
    if not rows:
        return ()
    names = [part.name for part in parts]
    same = ", ".join(
        write_value(row["share"], "share") + (f" for {row['criterion']}" if names[1:] else "")
        for row in rows
        if row["apart"] == 0
    )
    alt = f"Share of pairs of judges at most n points apart, rising with n. The same score: {same}."
    title = "How often two judges of an output are at most n points apart"
    return (take_chart(draw_curves(rows, names), "n-agreement", title, alt, table="coefficients"),)

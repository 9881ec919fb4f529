"""Do judges agree in preferences and in scores?"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import ANSWER
from evenhand.data.exclusions import Exclusion, note_excluded
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import ALL_SAME, SPREAD_SCORES
from evenhand.errors import NotIdentified
from evenhand.judges.agreement import INFLATED, Request, drop_pasted, tabulate_votes
from evenhand.judges.agreement_table import AgreementPart, AgreementTable, name_kappa
from evenhand.judges.preferences import ExpectedAgreement
from evenhand.render.values import write_value
from evenhand.report.analysis import Analysis, choose_state, say_outcome
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
from evenhand.report.figures.judges import draw_curves
from evenhand.report.figures.style import take_chart
from evenhand.report.sections.judges import NAMELESS

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
    apart, least, most = (
        write_value(-one, "two") for one in (expected.difference, expected.upper, expected.lower)
    )
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
    return make_section(
        "agreement",
        table.document(),
        basis=True,
        checks=(_check(analysis, table),),
        command=command,
    )


def _measure(analysis: Analysis) -> AgreementTable:
    data, settings = analysis.data.keep_asked(), analysis.settings
    kind = "rankings" if isinstance(data, Rankings) else "comparisons"
    if not analysis.shared.comparable:
        alone = len(analysis.votes.judges) == 1
        raise NotIdentified(
            "there is one judge alone" if alone else "no two judges compared the same two outputs"
        )
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
    return make_section(
        "scoring",
        table.document(),
        basis=True,
        checks=(_check_scoring(table, level=rated.targets.all_same),),
        figures=_draw(table),
        command=command,
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


def _draw(table: AgreementTable) -> tuple[Figure, ...]:
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

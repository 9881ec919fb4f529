"""Do judges agree: with each other and with themselves, and how that compares with the field."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from evenhand.errors import NotIdentified
from evenhand.judges.agreement import INFLATED
from evenhand.judges.agreement_table import AgreementTable, name_kappa
from evenhand.judges.preferences import (
    PreferenceAgreement,
    SystemAgreement,
    agree_by_system,
    compare_pairs,
    compare_votes,
)
from evenhand.judges.tabulation import Request, tabulate_votes
from evenhand.judges.units import Coefficient
from evenhand.judgments.engine import ANSWER
from evenhand.judgments.rankings import Rankings
from evenhand.report.agreement_light import (
    ASKS,
    LITTLE,
    find_preference_state,
    say_expected,
)
from evenhand.report.agreement_tables import (
    FEW,
    SEVERAL,
    tabulate_measures,
    tabulate_systems,
)
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import (
    NOT_RUN,
    PASSED,
    UNDECIDED,
    WARNING,
    Check,
    Section,
)
from evenhand.report.numbers import write_value
from evenhand.report.reversal import choose_state, say_outcome
from evenhand.report.study import Study

# Least and largest κ of the twelve tasks of WMT 2016 (Bojar et al. 2016, section 3.3).
PUBLISHED: Final = {"kappa-wmt": (0.244, 0.484), "kappa-wmt-intra": (0.352, 0.621)}
WMT: Final = "the twelve translation tasks of WMT 2016 (Bojar et al. 2016)"
# How notes begin that a sentence says already
SAID: Final = "no judge compared the same two outputs twice"
NAMELESS: Final = ("",)
LEAST: Final = 30  # Pairs of answers below which a share of them says little


def write_section(study: Study) -> Section:
    """Write how far judges agree."""
    command = study.write_command("agreement")
    title = PREFERENCE["agreement"]
    try:
        table = _measure(study)
    except NotIdentified as refusal:
        check = Check("agreement", ASKS, NOT_RUN, refusal.fault, _advise(study))
        said = _say_themselves(study) if NAMELESS not in _names(study) else []
        says = (f"Agreement of judges cannot be measured: {refusal.fault}.", *said)
        return Section("agreement", title, says, (check,), command=command)
    ranked = isinstance(study.data, Rankings)
    systems = agree_by_system(
        compare_pairs(study.votes), study.votes.systems, level=study.settings.level
    )
    return Section(
        "agreement",
        title,
        says=(
            *_say_others(study, table),
            *_say_themselves(study),
            *(_say_field(table) if ranked else ()),
            *_say_systems(systems),
        ),
        checks=(_check(study, table),),
        tables=(
            tabulate_measures(table, study.shared, study.expected),
            *tabulate_systems(systems, study),
        ),
        notes=tuple(
            note for note in (*table.whole.notes, *table.notes) if not note.startswith(SAID)
        ),
        command=command,
    )


def _advise(study: Study) -> str:
    """Say what to do where agreement cannot be measured: name a column, or let judges share."""
    unnamed = [
        role
        for role, names in zip(("judge", "item"), _names(study), strict=True)
        if names == NAMELESS
    ]
    if not unnamed:
        return "Let two judges or more see some of the same outputs."
    columns = " and ".join(f"{role}s" for role in unnamed)
    options = " ".join(f"--column {role}=NAME" for role in unnamed)
    return f"Name the column of {columns}, where there is one: {options}."


def _names(study: Study) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return study.votes.judges, study.votes.items


def _measure(study: Study) -> AgreementTable:
    """Return the coefficients that are usual for preferences."""
    data, settings = study.data, study.settings
    kind = "rankings" if isinstance(data, Rankings) else "comparisons"
    if not study.shared.comparable:
        alone = len(study.votes.judges) == 1
        raise NotIdentified(
            "there is one judge alone" if alone else "no two judges compared the same two outputs"
        )
    asked = Request((), ("default",), settings.level, "item", settings.seed, kind)
    table = tabulate_votes(study.votes, asked)
    merged = data.merged if isinstance(data, Rankings) else data.has(ANSWER)
    return table if not merged else replace(table, notes=(*table.notes, INFLATED))


def _check(study: Study, table: AgreementTable) -> Check:
    """Say whether judges agree more than by chance."""
    kappa = _find_kappa(table)
    if kappa is None or kappa.value is None:
        says = "all comparisons are ties: chance explains all agreement"
        return Check("agreement", ASKS, UNDECIDED, says, "Ask for preferences.")
    advice = "Let two judges or more see more of the same outputs."
    few = kappa.units < FEW or study.shared.comparable < LEAST
    if kappa.lower is None or kappa.upper is None or few:
        says = f"too little is known: κ {_write(kappa.value)}, on too few items"
        return Check("agreement", ASKS, UNDECIDED, says, advice)
    expected, ends = study.expected, (kappa.lower, kappa.upper)
    state = find_preference_state(kappa.lower, expected)
    if expected is None:
        says = f"κ {_write(kappa.value)} ({_ends(kappa)}); what to expect is not known"
    else:
        says = say_expected(kappa.value, ends, expected)
    ranked = isinstance(study.data, Rankings)
    says += "; usual in the WMT tasks" if ranked and _place(table, "kappa-wmt") == 0 else ""
    if state == WARNING:
        state, outcome = _weigh_shortfall(study)
        return Check("agreement", ASKS, state, says, f"{outcome}{LITTLE}")
    if state == UNDECIDED and kappa.lower <= 0:
        says += "; no more than chance is sure"
    return Check("agreement", ASKS, state, says, "" if state == PASSED else advice)


def _weigh_shortfall(study: Study) -> tuple[str, str]:
    """Return whether a shortfall of agreement changes the answer, and what is then otherwise."""
    if not study.screening.flagged:
        return WARNING, "No judge is flagged whose votes could be excluded. "
    reversal = study.reversals.judges
    return choose_state(reversal), f"{say_outcome('Without the flagged judges', reversal)} "


def _find_kappa(table: AgreementTable) -> Coefficient | None:
    """Return κ between judges; None where all comparisons are ties."""
    return next((one for one in table.whole.coefficients if one.name == "kappa-strict"), None)


def _say_others(study: Study, table: AgreementTable) -> list[str]:
    """Say how often two judges agree, and what blind ones would."""
    found, kappa = study.shared, _find_kappa(table)
    few = found.comparable < LEAST
    said = [
        f"Two judges who compare the same two outputs agree in {_percent(found.observed)}"
        f" ({_cases(found.comparable)}); if they answered blindly, they would in"
        f" {_percent(found.chance)}." + (" Such few cases say little." if few else "")
    ]
    if not few and kappa is not None and kappa.value is not None:
        ends = "" if kappa.lower is None else f" ({_ends(kappa)})"
        said.append(
            f"Agreement beyond chance, κ, is {_write(kappa.value)}{ends}: 0 is"
            f" what chance gives, 1 is complete agreement; {name_kappa(kappa.value)} in the words"
            " of Landis and Koch (1977)."
        )
        said += _say_expected(study)
    return said


def _say_expected(study: Study) -> list[str]:
    """Say how far judges would agree who follow the worths of the ranking."""
    found = study.expected
    if found is None:
        return []
    than = "as much, as far as can be told"
    if found.short:
        than = "less than that"
    elif found.lower is not None and found.lower > 0:
        than = "more than that, as they do where outputs of one system differ from item to item"
    share, kappa = _percent(found.expected), _write(found.expected_kappa)
    return [
        "If every judge followed the fitted worths and nothing else, two would agree in"
        f" {share} of these cases, κ {kappa}. Judges agree {than}."
    ]


def _say_themselves(study: Study) -> list[str]:
    """Say how often judges give the same answer again."""
    found: PreferenceAgreement | None = None
    if not study.votes.counted:
        found = compare_votes(study.votes, among="intra")
    if found is None or not found.comparable:
        return ["How far judges agree with themselves is not known: nobody was asked twice."]
    few = "" if found.comparable >= LEAST else ", too few to say much"
    kappa = "" if found.kappa is None or few else f" (κ {_write(found.kappa)})"
    return [
        f"Asked twice, a judge gives the same answer in {_percent(found.observed)} of"
        f" {_cases(found.comparable)}{kappa}{few}."
    ]


def _say_field(table: AgreementTable) -> list[str]:
    """Say how it compares with what is published; the same count is compared with the same."""
    said = []
    for name, whose in (("kappa-wmt", "between judges"), ("kappa-wmt-intra", "with themselves")):
        place, value = _place(table, name), _value(table, name)
        if place is None or value is None:
            continue
        low, high = PUBLISHED[name]
        where = ("below all of them", "among them", "above all of them")[place + 1]
        said.append(
            f"counted as there, κ {whose} is {_write(value)} here, and {_write(low)} to"
            f" {_write(high)} there: {where}"
        )
    if not said:
        return []
    return [
        f"For orientation, beside {WMT}: {'; '.join(said)}. κ is lower where systems are closer or"
        " texts harder, so that other tasks have other values."
    ]


def _value(table: AgreementTable, name: str) -> float | None:
    return next((one.value for one in table.whole.coefficients if one.name == name), None)


def _place(table: AgreementTable, name: str) -> int | None:
    """Return −1, 0 or 1: below, among or above the published values; None where unknown."""
    value, (low, high) = _value(table, name), PUBLISHED[name]
    return None if value is None else (value > high) - (value < low)


def _say_systems(
    systems: tuple[SystemAgreement, ...],
) -> list[str]:
    """Say on which systems judges agree clearly less than on all."""
    if len(systems) < SEVERAL:
        return []
    agree, comparable = sum(one.agree for one in systems), sum(one.comparable for one in systems)
    share = agree / comparable
    less = [one for one in systems if one.upper is not None and one.upper < share]
    if not less:
        if comparable < 2 * LEAST or all(one.upper is None for one in systems):
            return []
        return ["On no system's outputs are judges known to agree less than on all."]
    worst = less[0]
    more = "" if len(less) == 1 else f"; so it is with {len(less) - 1} more"
    return [
        f"Judges agree clearly less than on all on outputs of {worst.system}: in"
        f" {_percent(worst.share)} of {_cases(worst.comparable)}{more}."
    ]


def _percent(share: float | None) -> str:
    return write_value(share, "share")


def _cases(n: int) -> str:
    return f"{n:,} case{'' if n == 1 else 's'}"


def _write(value: float) -> str:
    return write_value(value, "two")


def _ends(one: Coefficient) -> str:
    return f"{write_value(one.lower, 'two')} to {write_value(one.upper, 'two')}"

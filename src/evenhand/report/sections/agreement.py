"""Do judges agree in preferences and in scores, and what are scores due to?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, Final

from evenhand.data.engine import ANSWER
from evenhand.data.rankings import Rankings
from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.judges.agreement import INFLATED
from evenhand.judges.agreement_table import AgreementPart, AgreementTable, name_kappa
from evenhand.judges.expected_agreement import ExpectedAgreement
from evenhand.judges.preferences import (
    PreferenceAgreement,
    SystemAgreement,
    agree_by_system,
    compare_pairs,
    compare_votes,
)
from evenhand.judges.tabulation import Request, tabulate_votes
from evenhand.judges.units import Coefficient
from evenhand.judges.variance import (
    DesignRequest,
    VarianceComponents,
    estimate_components,
    study_designs,
)
from evenhand.judges.variance import Study as Designs
from evenhand.render.document import Column, Table
from evenhand.render.findings import take_findings
from evenhand.render.values import write_value
from evenhand.report.analysis import Analysis, Rated, are_level, choose_state, say_outcome
from evenhand.report.document import (
    NOT_RUN,
    PASSED,
    UNDECIDED,
    WARNING,
    Check,
    Figure,
    Section,
    pick,
)
from evenhand.report.figures.judges import draw_curves, draw_parts
from evenhand.report.figures.style import take_chart
from evenhand.report.sections.judges import NAMELESS

ASKS: Final = "Do judges agree?"
# Up to here Landis and Koch (1977) call agreement slight: convention, not inference
LIMIT: Final = 0.2
LITTLE: Final = (
    "Look at the question and the instructions, or let more judges see the same outputs."
)


def find_state(value: float, lower: float, upper: float) -> str:
    """Return passed above slight and above chance, a warning where all of it is slight."""
    if value > LIMIT and lower > 0:
        return PASSED
    return WARNING if upper <= LIMIT else UNDECIDED


def find_preference_state(lower: float, expected: ExpectedAgreement | None) -> str:
    """Return whether agreement in preferences passes: above chance, and no less than expected.

    Where the systems are close no high κ is possible, so that κ is held against the κ of judges who
    follow the fitted worths and against no convention. A shortfall is a warning; whether it changes
    the answer is for the caller to say.
    """
    if expected is not None and expected.short:
        return WARNING
    return PASSED if lower > 0 and expected is not None else UNDECIDED


def rank_state(state: str) -> int:
    """Return 0 for the worst state, so that the worst of several decides.

    >>> rank_state("warning"), rank_state("passed")
    (0, 2)
    """
    return (WARNING, UNDECIDED, PASSED).index(state)


def say_expected(value: float, ends: tuple[float, float], expected: ExpectedAgreement) -> str:
    number, low, high = (write_value(one, "two") for one in (value, *ends))
    aim = write_value(expected.expected_kappa, "two")
    text = f"κ {number} ({low} to {high}), expected {aim} for systems this close"
    if not expected.short or expected.upper is None or expected.lower is None:
        return text
    apart, least, most = (
        write_value(-one, "two") for one in (expected.difference, expected.upper, expected.lower)
    )
    return f"{text}: {apart} less ({least} to {most})"


def say_agreement(name: str, value: float, lower: float, upper: float) -> str:
    """Say how far judges agree, in words and numbers, and what would pass.

    >>> say_agreement("κ", 0.18, 0.02, 0.37)
    'slight: κ 0.18 (0.02 to 0.37) of 1, 0 being chance; passes above 0.20 and surely above 0'
    """
    number, low, high = (write_value(one, "two") for one in (value, lower, upper))
    limit = f"of 1, 0 being chance; passes above {write_value(LIMIT, 'two')} and surely above 0"
    return f"{name_kappa(value)}: {name} {number} ({low} to {high}) {limit}"


# Output pairs below which an interval from drawing them says too little to be shown
MIN_UNITS_FOR_INTERVAL: Final = 10
MIN_SYSTEMS: Final = 3  # Systems from which shares can differ: two have one pair
MAX_SYSTEMS_IN_TABLE: Final = 15  # Most systems in the table: those on which judges agree least
# Coefficient → what it is, in words
MEANS: Final = {
    "n-agreement-0": "same answer by two judges, each output pair counting alike",
    "fleiss": "agreement beyond chance, each output pair counting alike: 0 none, 1 complete",
    "alpha-nominal": "the same, corrected for few answers",
    "ac1": "the same with another notion of chance, which common ties move less",
    "kappa-strict": "agreement beyond chance of two judges, each pair of answers counting alike",
    "kappa-intra": "of a judge's answers to the same outputs, given twice",
    "kappa-intra-same-order": "of these, shown in the same order",
    "kappa-intra-exchanged": "of these, shown in exchanged order",
    "kappa-wmt": "as the WMT papers count: same order on the screen, repeats of one judge included",
    "kappa-wmt-intra": "of a judge's answers given twice, as the WMT papers count",
}


def tabulate_measures(
    table: AgreementTable, shared: PreferenceAgreement, expected: ExpectedAgreement | None = None
) -> Table:
    columns = (
        Column("title", "measure"),
        Column("value", "value", "three"),
        Column("lower", "from", "three", f"lower end of its {100 * table.level:g} % interval"),
        Column("upper", "to", "three", "upper end"),
        Column("units", "output pairs", "count", "pairs of outputs that two votes or more are on"),
        Column("ratings", "votes", "count", "votes on them"),
        Column("means", "what it is"),
    )
    counts = {"lower": None, "upper": None, "units": shared.units, "ratings": shared.votes}
    means = "same answer by two judges, each pair of votes counting alike: κ is made of it"
    told = [("same answer, all pairs of votes", shared.observed, counts, means)]
    if expected is not None:  # what judges who follow the worths would reach on the same votes
        means = "if every judge followed the fitted worths, on the same pairs of votes"
        told.append(("same answer, expected", expected.expected, counts, means))
        told.append(("pairwise κ, expected", expected.expected_kappa, counts, means))
        means = (
            "κ of different judges less the expected one; below 0 they agree less than worths allow"
        )
        ends = counts | pick(expected, "lower", "upper")
        told.append(("pairwise κ, observed less expected", expected.difference, ends, means))
    rows = (
        *({"title": title, "value": value, **n, "means": means} for title, value, n, means in told),
        *(_describe(one) for one in table.whole.coefficients if one.value is not None),
    )
    return Table("coefficients", "Measures of agreement; intervals draw items", columns, rows)


def _describe(one: Coefficient) -> dict[str, Any]:
    row = pick(one, "title", "value", "lower", "upper", "units", "ratings")
    if one.units < MIN_UNITS_FOR_INTERVAL:
        row |= {"lower": None, "upper": None}
    pair_notes = [note.rstrip(".") for note in one.notes if note.code == "own-pairs"]
    return {**row, "means": ": ".join([MEANS.get(one.name, ""), *pair_notes])}


def tabulate_systems(systems: tuple[SystemAgreement, ...], analysis: Analysis) -> tuple[Table, ...]:
    """Return the systems on whose outputs judges agree least; two systems share all outputs."""
    if len(systems) < MIN_SYSTEMS:
        return ()
    level = f"{100 * analysis.settings.level:g} %"
    columns = (
        Column("system", "system"),
        Column("share", "same answer", "share", "by two judges on the same two outputs"),
        Column("lower", "from", "share", f"lower end, {level} for all systems at once"),
        Column("upper", "to", "share", "upper end"),
        Column("comparable", "of", "count", "pairs of votes of different judges"),
    )
    rows = tuple(
        pick(one, "system", "share", "lower", "upper", "comparable")
        for one in (systems if analysis.settings.full else systems[:MAX_SYSTEMS_IN_TABLE])
    )
    cut = "" if len(rows) == len(systems) else f", {len(rows)} of {len(systems)}"
    return (Table("systems", f"Systems on which judges agree least{cut}", columns, rows),)


# Do judges agree: with each other and with themselves, and how that compares with the field.

# Least and largest κ of the twelve tasks of WMT 2016 (Bojar et al. 2016, section 3.3).
PUBLISHED: Final = {"kappa-wmt": (0.244, 0.484), "kappa-wmt-intra": (0.352, 0.621)}
WMT: Final = "the twelve translation tasks of WMT 2016 (Bojar et al. 2016)"
SAID: Final = "no-second-answers"  # The code of notes that a sentence says already
MIN_ANSWER_PAIRS: Final = 30  # Pairs of answers below which a share of them says little


def write_section_agreement(analysis: Analysis) -> Section:
    command = analysis.write_command("agreement")
    try:
        table = _measure(analysis)
    except NotIdentified as refusal:
        check = Check("agreement", ASKS, NOT_RUN, refusal.fault, _advise(analysis))
        sentences = _say_themselves(analysis) if NAMELESS not in _names(analysis) else []
        says = (f"Agreement of judges cannot be measured: {refusal.fault}.", *sentences)
        return Section("agreement", says=says, checks=(check,), command=command)
    ranked = isinstance(analysis.data, Rankings)
    systems = agree_by_system(
        compare_pairs(analysis.votes), analysis.votes.systems, level=analysis.settings.level
    )
    return Section(
        "agreement",
        says=(
            *_say_others(analysis, table),
            *_say_themselves(analysis),
            *(_say_field(table) if ranked else ()),
            *_say_systems(systems),
        ),
        checks=(_check(analysis, table),),
        tables=(
            tabulate_measures(table, analysis.shared, analysis.expected),
            *tabulate_systems(systems, analysis),
        ),
        notes=tuple(
            one for one in take_findings((*table.whole.notes, *table.notes)) if one.code != SAID
        ),
        command=command,
    )


def _advise(analysis: Analysis) -> str:
    unnamed = [
        role
        for role, names in zip(("judge", "item"), _names(analysis), strict=True)
        if names == NAMELESS
    ]
    if not unnamed:
        return "Let two judges or more see some of the same outputs."
    columns = " and ".join(f"{role}s" for role in unnamed)
    options = " ".join(f"--column {role}=NAME" for role in unnamed)
    return f"Name the column of {columns}, where there is one: {options}."


def _names(analysis: Analysis) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return analysis.votes.judges, analysis.votes.items


def _measure(analysis: Analysis) -> AgreementTable:
    data, settings = analysis.data, analysis.settings
    kind = "rankings" if isinstance(data, Rankings) else "comparisons"
    if not analysis.shared.comparable:
        alone = len(analysis.votes.judges) == 1
        raise NotIdentified(
            "there is one judge alone" if alone else "no two judges compared the same two outputs"
        )
    request = Request((), ("default",), settings.level, "item", settings.seed, kind)
    table = tabulate_votes(analysis.votes, request)
    merged = data.merged if isinstance(data, Rankings) else data.has(ANSWER)
    return table if not merged else replace(table, notes=(*table.notes, INFLATED))


def _check(analysis: Analysis, table: AgreementTable) -> Check:
    kappa = _find(table)
    if kappa is None or kappa.value is None:
        says = "all comparisons are ties: chance explains all agreement"
        return Check("agreement", ASKS, UNDECIDED, says, "Ask for preferences.")
    advice = "Let two judges or more see more of the same outputs."
    few = kappa.units < MIN_UNITS_FOR_INTERVAL or analysis.shared.comparable < MIN_ANSWER_PAIRS
    if kappa.lower is None or kappa.upper is None or few:
        says = f"too little is known: κ {_write(kappa.value)}, on too few items"
        return Check("agreement", ASKS, UNDECIDED, says, advice)
    expected, ends = analysis.expected, (kappa.lower, kappa.upper)
    state = find_preference_state(kappa.lower, expected)
    if expected is None:
        says = f"κ {_write(kappa.value)} ({_ends(kappa)}); what to expect is not known"
    else:
        says = say_expected(kappa.value, ends, expected)
    ranked = isinstance(analysis.data, Rankings)
    says += "; usual in the WMT tasks" if ranked and _place(table, "kappa-wmt") == 0 else ""
    if state == WARNING:
        state, outcome = _weigh_shortfall(analysis)
        return Check("agreement", ASKS, state, says, f"{outcome}{LITTLE}")
    if state == UNDECIDED and kappa.lower <= 0:
        says += "; no more than chance is sure"
    return Check("agreement", ASKS, state, says, "" if state == PASSED else advice)


def _weigh_shortfall(analysis: Analysis) -> tuple[str, str]:
    if not analysis.screening.flagged:
        return WARNING, "No judge is flagged whose votes could be excluded. "
    reversal = analysis.reversals.judges
    return choose_state(reversal), f"{say_outcome('Without the flagged judges', reversal)} "


def _find(table: AgreementTable, name: str = "kappa-strict") -> Coefficient | None:
    """Return a coefficient, κ between judges unasked; None where all comparisons are ties."""
    return next((one for one in table.whole.coefficients if one.name == name), None)


def _say_others(analysis: Analysis, table: AgreementTable) -> list[str]:
    shared, kappa = analysis.shared, _find(table)
    few = shared.comparable < MIN_ANSWER_PAIRS
    sentences = [
        f"Two judges who compare the same two outputs agree in {_percent(shared.observed)}"
        f" ({_cases(shared.comparable)}); if they answered blindly, they would in"
        f" {_percent(shared.chance)}." + (" Such few cases say little." if few else "")
    ]
    if not few and kappa is not None and kappa.value is not None:
        ends = "" if kappa.lower is None else f" ({_ends(kappa)})"
        sentences.append(
            f"Agreement beyond chance, κ, is {_write(kappa.value)}{ends}: 0 is"
            f" what chance gives, 1 is complete agreement; {name_kappa(kappa.value)} in the words"
            " of Landis and Koch (1977)."
        )
        sentences += _say_expected(analysis)
    return sentences


def _say_expected(analysis: Analysis) -> list[str]:
    expected = analysis.expected
    if expected is None:
        return []
    than = "as much, as far as can be told"
    if expected.short:
        than = "less than that"
    elif expected.lower is not None and expected.lower > 0:
        than = "more than that, as they do where outputs of one system differ from item to item"
    share, kappa = _percent(expected.expected), _write(expected.expected_kappa)
    return [
        "If every judge followed the fitted worths and nothing else, two would agree in"
        f" {share} of these cases, κ {kappa}. Judges agree {than}."
    ]


def _say_themselves(analysis: Analysis) -> list[str]:
    """Say how often judges give the same answer again."""
    agreement: PreferenceAgreement | None = None
    if not analysis.votes.counted:
        agreement = compare_votes(analysis.votes, among="intra")
    if agreement is None or not agreement.comparable:
        return ["How far judges agree with themselves is not known: nobody was asked twice."]
    few = "" if agreement.comparable >= MIN_ANSWER_PAIRS else ", too few to say much"
    kappa = "" if agreement.kappa is None or few else f" (κ {_write(agreement.kappa)})"
    return [
        f"Asked twice, a judge gives the same answer in {_percent(agreement.observed)} of"
        f" {_cases(agreement.comparable)}{kappa}{few}."
    ]


def _say_field(table: AgreementTable) -> list[str]:
    """Say how it compares with what is published; the same count is compared with the same."""
    texts = []
    for name, whose in (("kappa-wmt", "between judges"), ("kappa-wmt-intra", "with themselves")):
        place, kappa = _place(table, name), _find(table, name)
        if place is None or kappa is None or kappa.value is None:
            continue
        low, high = PUBLISHED[name]
        where = ("below all of them", "among them", "above all of them")[place + 1]
        texts.append(
            f"counted as there, κ {whose} is {_write(kappa.value)} here, and {_write(low)} to"
            f" {_write(high)} there: {where}"
        )
    if not texts:
        return []
    return [
        f"For orientation, beside {WMT}: {'; '.join(texts)}. κ is lower where systems are closer or"
        " texts harder, so that other tasks have other values."
    ]


def _place(table: AgreementTable, name: str) -> int | None:
    """Return −1, 0 or 1: below, among or above the published values; None where unknown."""
    kappa, (low, high) = _find(table, name), PUBLISHED[name]
    if kappa is None or kappa.value is None:
        return None
    return (kappa.value > high) - (kappa.value < low)


def _say_systems(systems: tuple[SystemAgreement, ...]) -> list[str]:
    if len(systems) < MIN_SYSTEMS:
        return []
    agree, comparable = sum(one.agree for one in systems), sum(one.comparable for one in systems)
    share = agree / comparable
    less = [one for one in systems if one.upper is not None and one.upper < share]
    if not less:
        if comparable < 2 * MIN_ANSWER_PAIRS or all(one.upper is None for one in systems):
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


# Do judges give the same scores? n-agreement, κ, α and ICC with intervals in one table.

# The first of these that there is decides
ALPHA: Final = ("alpha-ordinal", "alpha-interval", "alpha-nominal")
CURVE: Final = "n-agreement-"
# Coefficient → how the table calls it; others are left to the command line
NAMES: Final = {
    "fleiss": "Fleiss' κ",
    "cohen": "Cohen's κ, mean of pairs of judges",
    "cohen-quadratic": "Cohen's κ, quadratic weights",
    "alpha-nominal": "Krippendorff's α, nominal",
    "alpha-ordinal": "Krippendorff's α, ordinal",
    "alpha-interval": "Krippendorff's α, interval",
    "ac1": "Gwet's AC1",
    "icc-1-1": "ICC(1,1)",
    "icc-2-1": "ICC(2,1)",
    "icc-2-k": "ICC(2,k)",
    "icc-3-1": "ICC(3,1)",
    "kendall-w": "Kendall's W",
    "pearson": "correlation of two judges",
    "spearman": "rank correlation of two judges",
    "intra-n-agreement-0": "same score when asked again",
    "intra-alpha-interval": "α of a judge with oneself",
}
GLOSS: Final = (
    "κ, α and the ICC are 0 where judges agree as by chance and 1 where they always agree; n points"
    " apart is the share of pairs of judges of an output whose scores are at most so far apart"
)
ADVICE: Final = "Have two or more judges score some of the outputs."


def write_section_scoring(analysis: Analysis) -> Section:
    command = analysis.write_command("agreement")
    try:
        table = analysis.rated.agreement
    except NotIdentified as refusal:
        why = f"it cannot be computed: {refusal.fault}"
        check = Check("agreement", ASKS, NOT_RUN, why, _advise_scoring(analysis.rated))
        says = (f"Agreement cannot be computed here: {refusal.fault}.",)
        return Section("scoring", says=says, checks=(check,), command=command)
    check = _check_scoring(table, level=are_level(analysis.rated.targets))
    return Section(
        "scoring",
        says=tuple(_say(table)),
        checks=(check,),
        figures=_draw(table),
        tables=(_tabulate(table),),
        notes=(GLOSS, f"intervals: {100 * table.level:g} %, items drawn again", *_note(table)),
        command=command,
    )


def _say(table: AgreementTable) -> list[str]:
    sentences = take_findings(table.says)
    if len(table.parts) == 1:
        return list(sentences)
    return [
        f"For {one}" if one.values["part"] else f"Over all criteria {one[:1].lower()}{one[1:]}"
        for one in sentences
    ]


def _list_parts(table: AgreementTable) -> list[AgreementPart]:
    """Return the criteria, or all scores where there is one."""
    return [*table.parts[:-1]] or [table.whole]


def _find_alpha(part: AgreementPart) -> Coefficient | None:
    known = {one.name: one for one in part.coefficients if one.value is not None}
    return next((known[name] for name in ALPHA if name in known), None)


def _advise_scoring(rated: Rated) -> str:
    for role, names in (("judge", rated.rows.judges), ("item", rated.rows.items)):
        if tuple(names) == NAMELESS:
            return f"Name the column of {role}s, where there is one: --column {role}=NAME."
    return ADVICE


def _check_scoring(table: AgreementTable, *, level: bool) -> Check:
    if level:
        says = "all scores are the same: chance explains all agreement"
        advice = "Ask for scores that tell outputs apart."
        return Check("agreement", ASKS, UNDECIDED, says, advice)
    seen = [(part, _find_alpha(part)) for part in _list_parts(table)]
    sure = [(part, one) for part, one in seen if one is not None and one.lower is not None]
    if not sure:
        return Check("agreement", ASKS, UNDECIDED, _say_little(table, seen), ADVICE)
    found_ends = [
        (part, (float(one.value or 0.0), float(one.lower or 0.0), float(one.upper or 0.0)))
        for part, one in sure
    ]
    worst, ends = min(found_ends, key=lambda pair: (rank_state(find_state(*pair[1])), pair[1][1]))
    about = f"{worst.name}: " if len(seen) > 1 else ""
    state, says = find_state(*ends), say_agreement("α", *ends)
    advice = "Read the question and the scale with the judges: scores may not mean the same to all."
    return Check("agreement", ASKS, state, f"{about}{says}", "" if state == PASSED else advice)


def _say_little(
    table: AgreementTable, seen: Sequence[tuple[AgreementPart, Coefficient | None]]
) -> str:
    known = [one for _, one in seen if one is not None]
    if not known:
        return f"too few outputs were scored by two judges ({table.whole.units:,}) to tell"
    lowest = min(float(one.value or 0.0) for one in known)
    return f"too little is known: α {write_value(lowest, 'two')}, on too few items"


def _tabulate(table: AgreementTable) -> Table:
    parts = _list_parts(table)
    rows = [
        {
            "criterion": part.name,
            "coefficient": _name(one.name),
            **pick(one, "value", "lower", "upper", "units"),
        }
        for part in parts
        for one in part.coefficients
        if one.value is not None
        and one.name
        in (*NAMES, *[one.name for one in part.coefficients if one.name.startswith(CURVE)][:2])
    ]
    columns = (
        *((Column("criterion", "criterion"),) if len(parts) > 1 else ()),
        Column("coefficient", "agreement"),
        Column("value", "value", "three"),
        Column("lower", "from", "three", "lower end of the interval"),
        Column("upper", "to", "three", "upper end of the interval"),
        Column("units", "outputs", "count", "outputs that it rests on"),
    )
    return Table("coefficients", "How far judges agree", columns, tuple(rows))


def _name(coefficient: str) -> str:
    if not coefficient.startswith(CURVE):
        return NAMES[coefficient]
    apart = coefficient.removeprefix(CURVE)
    return "same score" if apart == "0" else f"at most {apart} apart"


def _draw(table: AgreementTable) -> tuple[Figure, ...]:
    parts = _list_parts(table)
    rows: list[dict[str, Any]] = [
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


def _note(table: AgreementTable) -> tuple[str, ...]:
    of_parts = (note for part in _list_parts(table) for note in part.notes)
    return tuple(dict.fromkeys((*table.notes, *of_parts)))


# How much of a score is due to systems, judges and items, and how many judges are enough.

MAX_SCORES: Final = 8_000  # Scores up to which variances come with intervals by themselves
MAX_CRITERIA: Final = 2  # Criteria up to which they do
WISHED: Final = 0.9  # Reliability that designs are asked for
MAX_CRITERIA_DRAWN: Final = 5  # Most criteria that are drawn: as many as there are colours


def write_section_parts(analysis: Analysis) -> Section:
    # Whether moment estimates have to do: of several tasks, of many scores or criteria
    rated = analysis.rated
    many = rated.targets.size > MAX_SCORES or len(rated.parts) > MAX_CRITERIA
    quick = not analysis.settings.full and (bool(analysis.task) or many)
    designs, refused = _estimate(analysis, quick=quick)
    if not designs:
        raise NotIdentified("; ".join(dict.fromkeys(refused.values())), [])
    several = len(analysis.rated.parts) > 1
    rows = [row for name, one in designs.items() for row in _list_components(name, one.found)]
    sentences = [
        f"For {name}: {sentence}" if several else sentence
        for name, one in designs.items()
        for sentence in one.says
    ]
    return Section(
        "parts",
        says=tuple(sentences),
        figures=_draw_parts(rows),
        tables=(
            _tabulate_parts(rows, several=several),
            *_tabulate_designs(designs, several=several, quick=quick),
        ),
        notes=_note_parts(analysis, designs, refused, quick=quick),
        command=analysis.write_command("variance", "--reliability", f"{WISHED:g}"),
    )


def _estimate(analysis: Analysis, *, quick: bool) -> tuple[dict[str, Designs], dict[str, str]]:
    designs: dict[str, Designs] = {}
    refused: dict[str, str] = {}
    for name, part in analysis.rated.parts.items():
        try:
            one = estimate_components(part, level=analysis.settings.level, quick=quick)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = refusal.fault
            continue
        designs[name] = study_designs(one, DesignRequest()) if quick else _wish(one)
    return designs, refused


def _wish(estimates: VarianceComponents) -> Designs:
    """Ask for a design, if one can be planned."""
    try:
        return study_designs(estimates, DesignRequest(reliability=WISHED))
    except (NotIdentified, UnknownOption):
        return study_designs(estimates, DesignRequest())


def _list_components(criterion: str, found: VarianceComponents) -> list[dict[str, Any]]:
    return [
        {
            "criterion": criterion,
            "source": one.name,
            "sd": one.sd,
            "lower": one.lower,
            "upper": None if one.upper is None or not isfinite(one.upper) else one.upper,
            "share": found.shares.get(one.name),
            "levels": one.levels,
        }
        for one in found.components
    ]


def _draw_parts(rows: list[dict[str, Any]]) -> tuple[Figure, ...]:
    criteria = list(dict.fromkeys(row["criterion"] for row in rows))[:MAX_CRITERIA_DRAWN]
    drawn = [
        {key: row[key] for key in ("criterion", "source", "share", "sd")}
        for row in rows
        if row["share"] is not None and row["criterion"] in criteria
    ]
    if not drawn:
        return ()
    sources = list(dict.fromkeys(row["source"] for row in drawn))
    largest = max(drawn, key=lambda row: float(row["share"]))
    alt = (
        f"A bar for each source of variance: {', '.join(sources)}. The longest is"
        f" {largest['source']}, {write_value(largest['share'], 'share')}."
    )
    title = "What the variance of one score is due to"
    return (take_chart(draw_parts(drawn, sources, criteria), "shares", title, alt, table="parts"),)


def _tabulate_parts(rows: list[dict[str, Any]], *, several: bool) -> Table:
    known = any(row["lower"] is not None for row in rows)
    ends = (
        Column("lower", "from", "three", "lower end of the interval"),
        Column("upper", "to", "three", "upper end of the interval"),
    )
    columns = (
        *((Column("criterion", "criterion"),) if several else ()),
        Column("source", "source"),
        Column("share", "share", "share", "share of the variance of one score"),
        Column("sd", "standard deviation", "three", "in points of the scale"),
        *(ends if known else ()),
        Column("levels", "of", "count", "judges, items, systems or combinations of them"),
    )
    return Table("parts", "Sources of variance", columns, tuple(rows))


def _tabulate_designs(
    designs: dict[str, Designs], *, several: bool, quick: bool
) -> tuple[Table, ...]:
    # A row for each design; where quick, of as many items as were judged
    rows = [
        {
            "criterion": name,
            **pick(plan, "judges", "items", "each", "judgments", "stderr", "reliability"),
        }
        for name, one in designs.items()
        for line in one.designs
        for plan in line
        if not quick or plan.items == one.found.observed.items
    ]
    if not rows:
        return ()
    columns = (
        *((Column("criterion", "criterion"),) if several else ()),
        Column("judges", "judges", "count"),
        Column("items", "items", "count"),
        Column("each", "per output", "one", "judges who score each output"),
        Column("judgments", "scores", "count", "in all"),
        Column("stderr", "standard error", "three", "of the difference of two systems"),
        Column(
            "reliability",
            "reliability",
            "two",
            "how far differences are those of systems: 1 is wholly",
        ),
    )
    return (Table("designs", "How sure more judges and items would be", columns, tuple(rows)),)


def _note_parts(
    analysis: Analysis, designs: dict[str, Designs], refused: dict[str, str], *, quick: bool
) -> tuple[str, ...]:
    several = len(analysis.rated.parts) > 1
    notes = [note for one in designs.values() for note in one.notes]
    notes += [f"{name}: {why}" if several else why for name, why in refused.items()]
    if quick:
        command = analysis.write_command("variance")
        notes.append(
            f"intervals are not run here, since they take long: {command}"
            " makes them, or evenhand report --full"
        )
    return tuple(dict.fromkeys(notes))

"""What could change the answer: other choices, few judgments, the place of an output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.models.log_linear import Fit
from evenhand.ranking.bias import PositionBias, share_first
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.claims import REVERSED, UNDECIDED
from evenhand.ranking.robustness.fragility import find_fragility
from evenhand.ranking.robustness.sensitivity import Choice, Sensitivity, vary_choices
from evenhand.ranking.sides import (
    count_pairs,
    count_sides,
    count_systems,
    have_pairs_own_sides,
    note_sides,
)
from evenhand.render.document import Finding, join_names, plural
from evenhand.report.analysis import (
    Analysis,
    choose_state,
    may_rank,
    may_remove,
    say_how,
    say_outcome,
)
from evenhand.report.answer import PLACE, SIDES, say_refused
from evenhand.report.document import (
    FAILED,
    NOT_RUN,
    PASSED,
    WARNING,
    Check,
    Figure,
    Section,
    list_notes,
    make_section,
    pick,
)
from evenhand.report.document import UNDECIDED as CANNOT_TELL
from evenhand.report.figures.judges import draw_positions
from evenhand.report.figures.style import take_chart, take_first
from evenhand.report.figures.systems import draw_places

# Share of the votes of a system on one side from which it nearly always stood there
NEARLY: Final = 0.9
# How far from one half an interval may reach where nothing was found; else too little is known
NEAR: Final = 0.10
# Share of the votes in the rarer order of each pair from which orders are balanced
EVEN: Final = 1 / 3
# What standing on one side may do: code → text
ONE_SIDED: Final = {
    "whole": "that may be the whole difference",  # a decision may rest on it
    "hidden": "that may hide a difference",
}


def say_one_sided(analysis: Analysis) -> Finding | None:
    """Say that a system that may be the best, or every pair, was shown in one order; else None."""
    if not _tells_sides(analysis):
        return None
    ranking, systems, seen = analysis.ranking, analysis.tally.systems, count_sides(analysis.tally)
    of_pairs = have_pairs_own_sides(len(systems), seen)
    if not (of_pairs or note_sides(systems, seen)):
        return None
    # Judgments that show both orders often enough tell that the place hardly matters
    if analysis.known_bias is not None and is_near(analysis.known_bias):
        return None
    decided = ranking.rank_upper is not None and ranking.rank_upper[0] == 1
    code = "whole" if decided else "hidden"
    first, second = count_systems(len(systems), seen)
    leading = 1
    if not decided and ranking.rank_lower is not None:
        leading = max(int((np.asarray(ranking.rank_lower) == 1).sum()), 1)
    for system in ranking.systems[:leading]:
        at = systems.index(system)
        if side := _name_side(first[at], second[at]):
            return Finding(code, f"{system} was {side}: {ONE_SIDED[code]}")
    _, *sides = count_pairs(len(systems), seen)
    if of_pairs and all(_name_side(one, two) for one, two in zip(*sides, strict=True)):
        every = "each pair was shown in one order only, or nearly so"
        return Finding(code, f"{every}: {ONE_SIDED[code]}")
    return None


def _tells_sides(analysis: Analysis) -> bool:
    """Whether lot could have decided sides, and worths do not stand beside an effect of them."""
    fit = analysis.ranking.fit
    if analysis.pairs.rankings is not None:  # who stood first of two is not drawn pair by pair
        return False
    return analysis.tally.positions_known and not (isinstance(fit, Fit) and fit.model.order_effect)


def _name_side(first: float, second: float) -> str:
    most = max(first, second)
    if most < NEARLY * (first + second):
        return ""
    always = "always" if most == first + second else "nearly always"
    return f"{always} shown {'first' if first > second else 'second'}"


def is_near(bias: PositionBias) -> bool:
    """Whether the whole interval of the share for the first output lies near one half."""
    return max(abs(share_first(end) - 0.5) for end in (bias.lower, bias.upper)) <= NEAR


# Would other reasonable choices change the answer: a row for each choice.

DRAWN: Final = 12  # Most systems that are drawn: the best of the ranking
MAX_CHOICES: Final = 9  # Choices that there are at most, as a rule
MAX_SYSTEMS_BY_CHOICE: Final = 700  # Systems up to which choices are made without being asked for
ASKED: Final = "Does the answer hold under other reasonable choices?"
ChoicesCheck: Final = partial(Check, "choices", ASKED)


def write_section_choices(analysis: Analysis) -> Section:
    many, command = len(analysis.ranking.systems), analysis.write_command("robustness")
    if many > MAX_SYSTEMS_BY_CHOICE and not analysis.settings.full:
        why = say_how(command, f"A ranking of {many:,} systems by each choice")
        return Section("choices", not_run=why, command=command)
    try:
        screening = analysis.screening
    except (NotIdentified, UnknownOption):  # no judge can be looked at
        screening = None
    # Rank by each choice; of large tables orders alone
    decide, how = may_rank(analysis, MAX_CHOICES), analysis.examined
    sensitivity = vary_choices(analysis.pairs, **how, decide=decide, screening=screening)
    document = analysis.note_model(sensitivity.document())
    if not sensitivity.decides:
        more = say_how(command, "Which pairs each choice decides")
        findings = [one for one in document.findings if one.code != "decisions-not-asked"]
        document = replace(document, answer=(*document.answer, more), findings=tuple(findings))
    figures = list[Figure]()
    if len(sensitivity.ranked) > 1:
        every = sensitivity.choices[0].systems
        drawn = every[:DRAWN]
        rows = [row for system in drawn for row in list_places(sensitivity, system)]
        shown = f"the best {DRAWN} systems" if len(every) > DRAWN else "systems"
        moved = {row["system"] for row in rows if not row["usual"]}
        alt = (
            f"Places of {shown} under {len(sensitivity.ranked)} choices, the ranking's own filled."
            f" {len(moved)} of {len(drawn)} change their place under some choice."
        )
        title = f"Places of {shown} by choice"
        figures.append(take_chart(draw_places(rows), "places", title, alt, table="choices"))
    checks = check_first(sensitivity, analysis.ranking)
    return make_section("choices", document, checks=checks, figures=figures, command=command)


def _places(choice: Choice) -> Mapping[str, int]:
    return dict(zip(choice.systems, choice.rank, strict=True))


def check_first(sensitivity: Sensitivity, ranking: Ranking) -> list[Check]:
    """Return whether what is decided stays so under every choice.

    Another first system, or a decided pair that is reversed, fails. A lead that some choice leaves
    undecided is a warning. Where the first place is open anyway only reversed pairs are a check.
    """
    # the first choice is the ranking itself, where both have one model
    best, others = ranking.systems[0], sensitivity.ranked[isinstance(ranking.fit, Fit) :]
    usual = sensitivity.choices[0]
    decided = ranking.rank_upper is not None and ranking.rank_upper[0] == 1
    ahead = [one.name for one in others if best not in one.first] if decided else []
    wins = {pair for pair in usual.decided if pair[0] == best}
    undecided = [one.name for one in others if sensitivity.decides and wins - {*one.decided}]
    reversing = []
    for one in others:
        place = _places(one)
        known = [(a, b) for a, b in usual.decided if a in place and b in place]
        reversing += [one.name] if any(place[a] > place[b] for a, b in known) else []
    findings = (
        (ahead, FAILED, "no: another system is first"),
        (reversing, FAILED, "no: a pair is reversed"),
        (undecided if decided else [], WARNING, f"the lead of {best} is undecided"),
    )
    for names, state, says in findings:
        if names:
            message = f"{says} under {len(names)} of {len(others)} choices: {join_names(names)}"
            advice = "Say with the answer on which choice it rests."
            return [ChoicesCheck(state, message, advice)]
    if not decided or not others:
        return []
    held = f"yes: {best} is the best" if sensitivity.decides else f"yes: {best} is first"
    return [ChoicesCheck(PASSED, f"{held} under all {len(others)}")]


def list_places(sensitivity: Sensitivity, system: str) -> list[dict[str, Any]]:
    places: dict[int, list[str]] = {}
    for one in sensitivity.ranked:
        if system in one.systems:
            name = "this report" if one is sensitivity.choices[0] else one.name
            places.setdefault(_places(one)[system], []).append(name)
    return [
        {"system": system, "place": place, "choices": "; ".join(names)}
        | {"count": len(names), "usual": "this report" in names}
        for place, names in sorted(places.items())
    ]


# How few judgments carry the answer, and whose they are.

CLAIMS: Final = 7  # Conclusions of a board that are asked about, at most
# Rankings that are made until it is known what leaves a conclusion undecided, as a rule
STEPS: Final = 20


def write_section_fragility(analysis: Analysis) -> Section:
    command = analysis.write_command("robustness")
    if not may_remove(analysis):
        why = say_how(command, "Which judgments carry the answer")
        return Section("fragility", not_run=why, command=command)
    whole = may_rank(analysis, CLAIMS * STEPS)
    opened = whole or may_rank(analysis, STEPS)
    outcomes, most = (REVERSED, UNDECIDED) if opened else (REVERSED,), None if whole else 1
    fragility = find_fragility(analysis.pairs, **analysis.examined, most=most, outcomes=outcomes)
    document = analysis.note_model(fragility.document())
    if not fragility.flips:
        says = "All systems are level: there is no conclusion to be carried."
        return Section("fragility", says=(says,), notes=tuple(list_notes(document)))
    if not whole:
        rest = "What carries the other conclusions"
        if not opened:
            rest = "What leaves a conclusion undecided, and what carries the other conclusions,"
        document = replace(document, answer=(*document.answer, say_how(command, rest)))
    return make_section("fragility", document, command=command)


# Is there a position bias: is what is shown first preferred for being first?

OrderCheck: Final = partial(Check, "order", "Is there a position bias?")
# Most judges that are drawn, unless more of them stand out: the farthest from the others
MAX_JUDGES_DRAWN: Final = 40
FARTHEST: Final = "the {} of {} farthest from the others"
MAX_OUTSTANDING_DRAWN: Final = 100  # Most judges that are drawn at all
SLIGHT: Final = 0.03  # How far from one half a share is slight
# Share of the comparisons that judges who stand out must have given to matter to the whole
TRIFLE: Final = 0.05
DESIGN: Final = "show each pair in both orders, at random, so that no place favours a system"


def write_section_order(analysis: Analysis) -> Section:
    command = analysis.write_command("bias")
    try:
        bias = analysis.position_bias
    except (NotIdentified, NotConverged, UnknownOption) as refusal:
        state = CANNOT_TELL if isinstance(refusal, NotIdentified) else NOT_RUN
        check = OrderCheck(state, say_refused(refusal))
        if analysis.known_ranking and (place := say_one_sided(analysis)):
            check = _check_place(place)
        return Section("order", checks=(check,), command=command)
    document, rows, figures = bias.document(), list_judges(bias), list[Figure]()
    if rows:
        most = min(max(MAX_JUDGES_DRAWN, len(bias.stand_out)), MAX_OUTSTANDING_DRAWN)
        rows, cut = take_first(rows, most, FARTHEST)
        shown = sorted(rows, key=lambda row: (-round(row["share"], 6), row["judge"]))
        seen = (
            f"A row for each of {len(shown)} judges with the share for the first output and its"
            f" interval, both shrunken. {bias.says[0]}"
        )
        title = f"How often judges prefer the output shown first{cut}"
        drawn = draw_positions(shown, bias.share)
        figures.append(take_chart(drawn, "positions", title, seen, table="position-bias"))
    check = replace(_check(analysis, bias), p=bias.p)
    document = document if rows else replace(document, parts=())
    return make_section("order", document, checks=[check], figures=figures, command=command)


def _check(analysis: Analysis, bias: PositionBias) -> Check:
    sure = bias.p <= 1 - bias.level
    if place := say_one_sided(analysis):
        return _check_place(place)
    matters = sure and not (abs(bias.share - 0.5) < SLIGHT and is_near(bias))
    alone = sum(one.n for one in bias.stand_out) >= TRIFLE * bias.n_comparisons > 0
    low, high = (100 * share_first(end) for end in (bias.lower, bias.upper))
    wins = f"the first wins {100 * bias.share:.1f} % between equals ({low:.1f} to {high:.1f} %)"
    side = "first" if bias.share > 0.5 else "second"
    found = "not significant" if is_near(bias) else "undecided"
    if sure:
        found = f"{'slight' if abs(bias.share - 0.5) < SLIGHT else 'yes'}, for the {side}"
    says = f"{found}: {wins}"
    if bias.stand_out:
        n = len(bias.stand_out)
        says += f"; {n} of {plural(len(bias.judges), 'judge')} {'differs' if n == 1 else 'differ'}"
    if matters or alone:
        reversal = analysis.reversals.order
        taken = f"`{analysis.write_command('rank', '--order-effect')}` ranks with it taken out"
        design = f"; {DESIGN}"
        if _tells_sides(analysis):  # lot explains who stood where, in both orders of pairs
            systems, seen = analysis.tally.systems, count_sides(analysis.tally)
            _, one, two = count_pairs(len(systems), seen)
            even = np.minimum(one, two).sum() >= EVEN * (one + two).sum() > 0
            design = "" if even and not note_sides(systems, seen) else design
        outcome = say_outcome("With the order effect in the model", reversal)
        otherwise = f"{outcome} {taken if sure else 'Look at the judges who differ'}{design}."
        faults = ((PLACE,) if matters else ()) + ((SIDES,) if alone else ())
        return OrderCheck(choose_state(reversal), says, otherwise, issues=faults)
    return OrderCheck(PASSED if sure or is_near(bias) else CANNOT_TELL, says)


def _check_place(place: Finding) -> Check:
    state = FAILED if place.code == "whole" else WARNING
    return OrderCheck(state, place, f"More votes of this kind do not mend it; {DESIGN}.")


def list_judges(bias: PositionBias) -> list[dict[str, Any]]:
    outstanding = {one.judge for one in bias.stand_out}
    return [
        {
            **pick(one, "judge", "n", "first", "second"),
            "raw": one.first / (one.first + one.second) if one.first + one.second else None,
            "share": one.share,
            **dict(zip(("lower", "upper"), one.share_interval, strict=True)),
            "p": one.p_common,
            "adjusted": one.p_common_adjusted,
            "kind": "stands out" if one.judge in outstanding else "like the others",
        }
        for one in bias.judges
    ]

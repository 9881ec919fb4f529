"""What could change the answer: other choices, few judgments, the place of an output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.judges.cards import Screening
from evenhand.models.base import Fit
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.coefficients import format_p
from evenhand.numerics.cluster_means import spearman
from evenhand.ranking.by_model import find_groups
from evenhand.ranking.position_bias import PositionBias
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.cycles import choose_sides
from evenhand.ranking.robustness.fragility import (
    REVERSED,
    UNDECIDED,
    Flip,
    Fragility,
    find_fragility,
)
from evenhand.ranking.robustness.removal import NO_RANKING
from evenhand.ranking.robustness.sensitivity import CLUSTERED, Choice, Sensitivity, vary_choices
from evenhand.ranking.sides import (
    count_pairs,
    count_sides,
    count_systems,
    have_pairs_own_sides,
    note_sides,
)
from evenhand.render.document import Column, Row, Table
from evenhand.render.values import join_names, write_value
from evenhand.report.analysis import (
    Analysis,
    choose_state,
    may_rank,
    may_remove,
    say_how,
    say_outcome,
)
from evenhand.report.answer import PLACE, SIDES, say_refused
from evenhand.report.document import FAILED, NOT_RUN, PASSED, WARNING, Check, Figure, Section, pick
from evenhand.report.document import UNDECIDED as UNDECIDED_OF_DOCUMENT
from evenhand.report.figures.judges import draw_positions
from evenhand.report.figures.style import take_chart
from evenhand.report.figures.systems import draw_places

# Share of the votes of a system on one side from which it nearly always stood there
NEARLY: Final = 0.9
# How far from one half an interval may reach where nothing was found; else too little is known
NEAR: Final = 0.10
# Share of the votes in the rarer order of each pair from which orders are balanced
EVEN: Final = 1 / 3
WHOLE: Final = "that may be the whole difference"
HIDDEN: Final = "that may hide a difference"


def say_one_sided(analysis: Analysis) -> str:
    """Say that a system that may be the best, or every pair, was shown in one order; else ""."""
    if not _tells_sides(analysis):
        return ""
    ranking, systems, seen = analysis.ranking, analysis.tally.systems, count_sides(analysis.tally)
    of_pairs = have_pairs_own_sides(len(systems), seen)
    if not (of_pairs or note_sides(systems, seen)):
        return ""
    # Judgments that show both orders often enough tell that the place hardly matters
    if analysis.known_bias is not None and is_near(analysis.known_bias):
        return ""
    decided = ranking.rank_upper is not None and ranking.rank_upper[0] == 1
    means = WHOLE if decided else HIDDEN
    first, second = count_systems(len(systems), seen)
    leading = 1
    if not decided and ranking.rank_lower is not None:
        leading = max(int((np.asarray(ranking.rank_lower) == 1).sum()), 1)
    for system in ranking.systems[:leading]:
        at = systems.index(system)
        side = _name_side(first[at], second[at])
        if side:
            return f"{system} was {side}: {means}"
    _, *sides = count_pairs(len(systems), seen)
    if of_pairs and all(_name_side(one, two) for one, two in zip(*sides, strict=True)):
        return f"each pair was shown in one order only, or nearly so: {means}"
    return ""


def are_orders_balanced(analysis: Analysis) -> bool:
    """Whether lot explains who stood where, and pairs were shown in both orders."""
    if not _tells_sides(analysis):
        return False
    systems, seen = analysis.tally.systems, count_sides(analysis.tally)
    _, one, two = count_pairs(len(systems), seen)
    even = np.minimum(one, two).sum() >= EVEN * (one + two).sum() > 0
    return bool(even) and not note_sides(systems, seen)


def _tells_sides(analysis: Analysis) -> bool:
    """Whether lot could have decided sides, and worths do not stand beside an effect of them."""
    fit = analysis.ranking.fit
    if analysis.pairs.rankings is not None:  # who stood first of two is not drawn pair by pair
        return False
    return analysis.tally.positions_known and not (isinstance(fit, Fit) and fit.model.order_effect)


def _name_side(first: float, second: float) -> str:
    """Say on which side something stood, if nearly always on one.

    >>> _name_side(60, 0), _name_side(3, 57), _name_side(30, 30)
    ('always shown first', 'nearly always shown second', '')
    """
    most = max(first, second)
    if most < NEARLY * (first + second):
        return ""
    always = "always" if most == first + second else "nearly always"
    return f"{always} shown {'first' if first > second else 'second'}"


def is_near(bias: PositionBias) -> bool:
    """Whether the whole interval of the share for the first output lies near one half."""
    return max(abs(find_share(end) - 0.5) for end in (bias.lower, bias.upper)) <= NEAR


def find_share(log_odds: float) -> float:
    """Return the share that log-odds stand for.

    >>> find_share(0.0)
    0.5
    """
    return float(1 / (1 + np.exp(-log_odds)))


# Would other reasonable choices change the answer: a row for each choice.

DRAWN: Final = 12  # Most systems that are drawn: the best of the ranking
MAX_NAMED: Final = 3  # Most systems of a group that are named in a sentence
MAX_CHOICES: Final = 9  # Choices that there are at most, as a rule
MAX_SYSTEMS_BY_CHOICE: Final = 700  # Systems up to which choices are made without being asked for
# Columns that are left out where orders alone were asked
UNDECIDED_COLUMNS: Final = ("decided", "lost", "new")
NONE: Final = (
    "These judgments leave no other choice: there are no ties, it is not known who judged or on"
    " what, and no advantage of the output shown first can be told."
)
COLUMNS: Final = (
    Column("choice", "choice"),
    Column("first", "first"),
    Column("decided", "decided pairs", "count"),
    Column(
        "lost", "no longer decided", "count", "decided pairs of the ranking that it leaves open"
    ),
    Column("new", "decided besides", "count", "pairs that it decides and the ranking does not"),
    Column(
        "reversed", "turned round", "count", "decided pairs of the ranking whose order it turns"
    ),
    Column("likeness", "likeness of orders", "two", "Spearman's correlation of places: 1 is alike"),
)


# Choice → what it is in words that need no statistics; others are said as they are called
PLAIN: Final = {
    CLUSTERED["judge"]: "if judges alone count as drawn from many",
    CLUSTERED["item"]: "if items alone count as drawn from many",
    CLUSTERED["judge+item"]: "if judges and items count as drawn from many",
    CLUSTERED["judgment"]: "if each vote counts for itself, whoever gave it",
}
ASKS: Final = "Does the answer hold under other reasonable choices?"


def write_section_choices(analysis: Analysis) -> Section:
    many, command = len(analysis.ranking.systems), analysis.write_command("robustness")
    if many > MAX_SYSTEMS_BY_CHOICE and not analysis.settings.full:
        why = say_how(command, f"A ranking of {many:,} systems by each choice")
        return Section("choices", not_run=why, command=command)
    # Rank by each choice; of large tables orders alone
    settings = analysis.settings
    sensitivity = vary_choices(
        analysis.pairs,
        model=settings.model,
        level=settings.level,
        seed=settings.seed,
        board=analysis.ranking,
        decide=may_rank(analysis, MAX_CHOICES),
        screening=_find_screening(analysis),
    )
    if len(sensitivity.choices) == 1:
        return Section("choices", says=(NONE,), notes=sensitivity.notes)
    rows = tabulate(sensitivity)
    hidden = () if sensitivity.decides else UNDECIDED_COLUMNS
    columns = tuple(column for column in COLUMNS if column.key not in hidden)
    less = () if sensitivity.decides else (say_how(command, "Which pairs each choice decides"),)
    return Section(
        "choices",
        says=(*_say_top(sensitivity, analysis), *_say_decided(sensitivity, rows), *less),
        checks=tuple(check_first(sensitivity, analysis.ranking)),
        figures=(_draw(sensitivity),),
        tables=(Table("choices", "The ranking by each choice", columns, tuple(rows)),),
        notes=tuple(sensitivity.notes) if sensitivity.decides else tuple(sensitivity.notes[:-1]),
        command=command,
    )


def _find_screening(analysis: Analysis) -> Screening | None:
    """Return who is to be doubted; None where nobody can be looked at."""
    try:
        return analysis.screening
    except (NotIdentified, UnknownOption):
        return None


def tabulate(sensitivity: Sensitivity) -> list[dict[str, Any]]:
    """Return a row for each choice, that of the report first."""
    usual, rows = sensitivity.choices[0], []
    for choice in sensitivity.choices:
        row: dict[str, Any] = dict.fromkeys(str(column.key) for column in COLUMNS)
        row["choice"] = "as in this report" if choice is usual else choice.name
        row["first"] = f"no ranking: {choice.refused}"
        if choice.refused is None:
            row["first"] = join_names(list(choice.first))
            if sensitivity.decides or choice is usual:
                before, after = set(usual.decided), set(choice.decided)
                counts = (len(after), len(before - after), len(after - before))
                row |= zip(UNDECIDED_COLUMNS, counts, strict=True)
            row["reversed"] = _count_reversed(usual, choice)
            row["likeness"] = _compare(usual, choice)
        rows.append(row)
    return rows


def _places(choice: Choice) -> Mapping[str, int]:
    return dict(zip(choice.systems, choice.rank, strict=True))


def _count_reversed(reference: Choice, choice: Choice) -> int:
    place = _places(choice)
    known = [(a, b) for a, b in reference.decided if a in place and b in place]
    return sum(place[better] > place[worse] for better, worse in known)


def _compare(reference: Choice, choice: Choice) -> float | None:
    """Return the rank correlation of two orders over the systems of both."""
    before, after = _places(reference), _places(choice)
    both = [name for name in reference.systems if name in after]
    if len(both) < 2:
        return None
    sides = (np.array([float(order[name]) for name in both]) for order in (before, after))
    likeness = spearman(*sides)
    return None if likeness is None else round(likeness, 6)


def _say_top(sensitivity: Sensitivity, analysis: Analysis) -> list[str]:
    """Say who is first under which choices; where nothing links systems, that a prior says it."""
    groups = find_groups(analysis.tally)
    if not groups.any():
        return _say_first(sensitivity, analysis.ranking)
    names = np.array(analysis.tally.systems)
    parts = [join_names(names[groups == one].tolist()[:MAX_NAMED]) for one in np.unique(groups)[:2]]
    return [
        f"Nothing compares {parts[0]} with {parts[1]}: who of them is ahead is set by the prior"
        " alone, under every choice, so that no choice says who is first."
    ]


def _say_first(sensitivity: Sensitivity, ranking: Ranking) -> list[str]:
    leaders, others = sensitivity.choices[0].first, sensitivity.ranked[1:]
    same = [one for one in others if one.first == leaders]
    open_ = ranking.rank_upper is not None and ranking.rank_upper[0] > 1
    verb = "is first" if len(leaders) == 1 else "are first, level,"
    if not others:
        return [f"{join_names(list(leaders))} {verb} here; no other choice gives a ranking."]
    choices = "other reasonable choice" if len(others) == 1 else "other reasonable choices"
    refused = len(sensitivity.choices) - len(sensitivity.ranked)
    gives = "gives" if refused == 1 else "give"
    none = [f"{refused} of the choices {gives} no ranking: the table says why."] if refused else []
    if len(same) == len(others):
        every = "the one" if len(others) == 1 else f"all {len(others)}"
        alike = ["That decides nothing: the first place is open in this ranking."] if open_ else []
        return [f"{join_names(list(leaders))} {verb} under {every} {choices} too.", *alike, *none]
    text = f"{join_names(list(leaders))} {verb} under {len(same)} of {len(others)} {choices};"
    by_first: dict[str, list[str]] = {}
    for one in others:
        if one not in same:
            by_first.setdefault(join_names(list(one.first)), []).append(one.name)
    parts = [f"under {join_names(names)} it is {first}" for first, names in by_first.items()]
    hint = ["The first place is not decided here either, so that this is no surprise."]
    return [f"{text} {'; '.join(parts)}.", *(hint if open_ else []), *none]


def check_first(sensitivity: Sensitivity, ranking: Ranking) -> list[Check]:
    """Return whether what is decided stays so under every choice.

    Another first system, or a decided pair that is reversed, fails. A lead that some choice leaves
    undecided is a warning. Where the first place is open anyway only reversed pairs are a check.
    """
    best, others = ranking.systems[0], sensitivity.ranked[1:]
    decided = ranking.rank_upper is not None and ranking.rank_upper[0] == 1
    ahead = [one.name for one in others if best not in one.first] if decided else []
    wins = {pair for pair in sensitivity.choices[0].decided if pair[0] == best}
    undecided = [one.name for one in others if sensitivity.decides and wins - {*one.decided}]
    reversed_by = [one.name for one in others if _count_reversed(sensitivity.choices[0], one)]
    findings = (
        (ahead, FAILED, "no: another system is first"),
        (reversed_by, FAILED, "no: a decided pair is reversed"),
        (undecided if decided else [], WARNING, f"the lead of {best} is undecided"),
    )
    for names, state, says in findings:
        if names:
            message = f"{says} {join_names([PLAIN.get(one, f'under {one}') for one in names])}"
            message += "" if state == FAILED else f" ({len(names)} of {len(others)} choices)"
            advice = "Say with the answer on which choice it rests."
            return [Check("choices", ASKS, state, message, advice)]
    if not decided or not others:
        return []
    held = f"yes: {best} is the best" if sensitivity.decides else f"yes: {best} is first"
    return [Check("choices", ASKS, PASSED, f"{held} under all {len(others)}")]


def _say_decided(sensitivity: Sensitivity, rows: Sequence[Row]) -> list[str]:
    usual = sensitivity.choices[0].decided
    if not usual:
        return ["No pair is decided here, so that no choice can change a decision."]
    other = [row for row in rows[1:] if row["reversed"] is not None]
    worst = max(other, key=lambda row: row["reversed"], default=None)
    one, many = len(usual) == 1, f"{len(usual):,} decided pairs"
    sentences = []
    if sensitivity.decides:
        n_stable = sum(each.by_default and each.survives for each in sensitivity.conclusions)
        stays = f"{'stays' if n_stable else 'does not stay'} decided under every choice."
        some = (
            f"{n_stable:,} of {many} {'stays' if n_stable == 1 else 'stay'}"
            if n_stable
            else "No pair stays"
        )
        every = f"{some} decided under every choice."
        sentences = [f"The decided pair {stays}" if one else every]
    if worst is None or not worst["reversed"]:
        return [*sentences, f"No choice turns {'it' if one else f'any of the {many}'} round."]
    if one:
        return [*sentences, f"It is turned round under {worst['choice']}."]
    share = write_value(worst["reversed"] / len(usual), "percent")
    return [
        *sentences,
        f"Most are turned round under {worst['choice']}:"
        f" {worst['reversed']:,} of {many} ({share}).",
    ]


def _draw(sensitivity: Sensitivity) -> Figure:
    systems = sensitivity.choices[0].systems[:DRAWN]
    rows = [row for system in systems for row in list_places(sensitivity, system)]
    shown = (
        f"the best {DRAWN} systems" if len(sensitivity.choices[0].systems) > DRAWN else "systems"
    )
    moved = {row["system"] for row in rows if not row["usual"]}
    alt = (
        f"Places of {shown} under {len(sensitivity.ranked)} choices, the ranking's own filled."
        f" {len(moved)} of {len(systems)} change their place under some choice."
    )
    title = f"Places of {shown} by choice"
    return take_chart(draw_places(rows), "places", title, alt, table="choices")


def list_places(sensitivity: Sensitivity, system: str) -> list[dict[str, Any]]:
    places: dict[int, list[str]] = {}
    for one in sensitivity.ranked:
        if system in one.systems:
            name = "this report" if one is sensitivity.choices[0] else one.name
            places.setdefault(_places(one)[system], []).append(name)
    return [
        {
            "system": system,
            "place": place,
            "choices": "; ".join(names),
            "count": len(names),
            "usual": "this report" in names,
        }
        for place, names in sorted(places.items())
    ]


# How few judgments carry the answer, and whose they are.

CLAIMS: Final = 7  # Conclusions of a board that are asked about, at most
# Rankings that are made until it is known what leaves a conclusion undecided, as a rule
STEPS: Final = 20
SMALL_SHARE: Final = 0.01  # Share of the votes below which they are few for a decided conclusion
MAX_FEW: Final = 2  # Judgments, judges or items that are few, where there are ten times as many
MANY: Final = 10
COLUMNS_FRAGILITY: Final = (
    Column("claim", "conclusion"),
    Column("outcome", "what becomes of it"),
    Column("unit", "without"),
    Column("fewest", "how many", "count", "the fewest that were found"),
    Column("total", "of", "count"),
    Column("share", "share", "percent"),
    Column("whose", "which"),
)
NOTE: Final = (
    "The numbers are upper bounds: every set was checked by ranking again without it, and a smaller"
    " one may exist. Few judgments carry every close race, however honest the judges: two systems"
    " that are nearly level are turned by a few votes in a thousand, and often by one judge. That"
    " says nothing against those judges; how sure a conclusion is, rank sets say."
)


def write_section_fragility(analysis: Analysis) -> Section:
    ranking, settings = analysis.ranking, analysis.settings
    command = analysis.write_command("robustness")
    if not may_remove(analysis):
        why = say_how(command, "Which judgments carry the answer")
        return Section("fragility", not_run=why, command=command)
    whole = may_rank(analysis, CLAIMS * STEPS)
    opened = whole or may_rank(analysis, STEPS)
    fragility = find_fragility(
        analysis.pairs,
        model=settings.model,
        level=settings.level,
        seed=settings.seed,
        board=ranking,
        most=None if whole else 1,
        outcomes=(REVERSED, UNDECIDED) if opened else (REVERSED,),
    )
    if not fragility.flips:
        says = ("All systems are level: there is no conclusion to be carried.",)
        return Section("fragility", says=says, notes=fragility.notes)
    rows = tuple(describe(flip) for flip in fragility.flips)
    rest = "What carries the other conclusions"
    if not opened:
        rest = "What leaves a conclusion undecided, and what carries the other conclusions,"
    less = () if whole else (say_how(command, rest),)
    return Section(
        "fragility",
        says=(*say_findings(fragility, ranking), *less),
        tables=(
            Table("fragility", "The fewest that carry each conclusion", COLUMNS_FRAGILITY, rows),
        ),
        notes=(NOTE, *fragility.notes),
        command=command,
    )


def describe(flip: Flip) -> dict[str, Any]:
    outcome = {REVERSED: "another is ahead", UNDECIDED: "no longer decided"}[flip.how]
    if flip.left == NO_RANKING:
        outcome = flip.effect
    unit = {"vote": "judgments", "ranking": "rankings", "judge": "judges", "item": "items"}
    return {
        "claim": flip.claim,
        "outcome": outcome,
        "unit": unit[flip.unit],
        "fewest": flip.fewest,
        "total": flip.total,
        "share": None if flip.share is None else round(flip.share, 6),
        "whose": flip.whose if flip.fewest else f"stands without all {flip.tried:,} for it",
    }


def say_findings(fragility: Fragility, ranking: Ranking) -> tuple[str, ...]:
    return (*(f"{_say(flips)}." for flips in fragility.conclusions), *_judge(fragility, ranking))


def _say(flips: Sequence[Flip]) -> str:
    falls = [flip for flip in flips if flip.fewest is not None]
    claim = flips[0].claim
    if not falls:
        return f"{claim}: this stands whatever judgments for it are left out"
    effects: dict[str, list[str]] = {}
    for flip in falls:
        effects.setdefault(flip.effect, []).append(_count(flip))
    parts = [f"without {_join(few)} {effect}" for effect, few in effects.items()]
    return f"{claim}: {'; '.join(parts)}"


def _join(names: Sequence[str]) -> str:
    """Join names by commas, and by "or" before the last.

    >>> _join(["a", "b", "c"])
    'a, b or c'
    """
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _count(flip: Flip) -> str:
    share = "" if flip.share is None else write_value(flip.share, "percent")
    few = flip.few.replace("votes", "judgments").replace("vote", "judgment")
    named = flip.unit in ("judge", "item") and len(flip.removed) <= MAX_FEW
    return f"{few} ({share}{': ' + flip.whose if named else ''})"


def _judge(fragility: Fragility, ranking: Ranking) -> tuple[str, ...]:
    """Say whether the first conclusion hangs on few; no alarm where it is not decided anyway."""
    flips = [one for one in fragility.flips if one.claim == fragility.flips[0].claim]
    if ranking.rank_upper is None or int(ranking.rank_upper[0]) > 1:
        return (
            "That is as it must be: the first place is not decided, and an order that is open turns"
            " with few judgments.",
        )
    for how, becomes in ((REVERSED, "another is ahead"), (UNDECIDED, "it is no longer decided")):
        few = [flip.few for flip in flips if flip.how == how and is_few(flip)]
        if few:
            without = _join([one.replace("vote", "judgment") for one in few])
            return (
                f"That is few for a conclusion that is decided: without {without} {becomes}. Look"
                " at these judgments first.",
            )
    return (_say_many(flips),)


def _say_many(flips: Sequence[Flip]) -> str:
    units = [
        f"{_NAMES[one.unit]}s"
        for one in flips
        if one.fewest and (one.fewest is not None and one.fewest <= MAX_FEW and one.total > 1)
    ]
    if units:
        what = _join(list(dict.fromkeys(units)))
        return (
            f"There are so few {what} that one or two of them make much of the answer: more {what}"
            " would tell whether it is theirs alone."
        )
    has_undecided = any(one.how == UNDECIDED for one in flips)
    return (
        "That is not few: no small group of judgments was found without which another is ahead"
        f"{', or the first place no longer decided' if has_undecided else ''}."
    )


_NAMES: Final = {"vote": "judgment", "ranking": "ranking", "judge": "judge", "item": "item"}


def is_few(flip: Flip) -> bool:
    """Whether a decided conclusion hangs on few.

    Few are votes below a hundredth of all, one or two of ten times as many of any unit, and one
    judge or item of several without whom another system is ahead.
    """
    if flip.fewest is None or flip.share is None:
        return False
    if flip.unit in ("vote", "ranking") and flip.share < SMALL_SHARE:
        return True
    if flip.unit in ("judge", "item") and flip.how == REVERSED and flip.fewest == 1 < flip.total:
        return True
    return flip.fewest <= MAX_FEW and flip.total >= MANY * flip.fewest


# Does the place of an output matter: is what is shown first preferred for being first?

ASKS_ORDER: Final = "Does an output gain by being shown first, or second?"
# Most judges that are drawn, unless more of them stand out: the farthest from the others
MAX_JUDGES_DRAWN: Final = 40
MAX_OUTSTANDING_DRAWN: Final = 100  # Most judges that are drawn at all
SLIGHT: Final = 0.03  # How far from one half a share is slight
# Share of the comparisons that judges who stand out must have given to matter to the whole
TRIFLE: Final = 0.05
NOTE_ORDER: Final = (
    "Shares are of decided comparisons between two outputs that are equally good, ties aside. A"
    " judge's shrunken share and interval are drawn towards those of all judges, the more, the"
    " fewer the answers; the raw share is of the counts beside it, whatever was compared. Who"
    " stands out is found with an adjustment for the number of judges."
)
UNLIKE: Final = (
    "Who stands out here differs from the median judge by more than chance. “The judges” flags a"
    " judge only outside the range in which judges of this campaign differ anyway; so one can stand"
    " out here and not be flagged there."
)
AGAIN: Final = "More votes of this kind do not mend it"
DESIGN: Final = "show each pair in both orders, by lot, so that the place favours nobody"


def write_section_order(analysis: Analysis) -> Section:
    command = analysis.write_command("bias")
    try:
        bias = analysis.position_bias
    except (NotIdentified, NotConverged, UnknownOption) as refusal:
        check = _check_refused(analysis, refusal)
        return Section(
            "order",
            says=("Nothing can be said of the place of an output.",),
            checks=(check,),
            command=command,
        )
    rows = list_judges(bias)
    return Section(
        "order",
        says=(_say_common(bias), *_say_judges(bias), *_say_change(analysis)),
        checks=(replace(_check(analysis, bias), p=bias.p),),
        figures=(_draw_order(bias, rows),) if rows else (),
        tables=(_tabulate(rows),) if rows else (),
        notes=(
            NOTE_ORDER,
            *([UNLIKE] if bias.stand_out else []),
            *_note_sides(analysis),
            *bias.notes,
        ),
        command=command,
    )


def _check(analysis: Analysis, bias: PositionBias) -> Check:
    sure = bias.p <= 1 - bias.level
    if place := say_one_sided(analysis):
        return _check_place(place)
    matters = sure and not (abs(bias.share - 0.5) < SLIGHT and is_near(bias))
    alone = sum(one.n for one in bias.stand_out) >= TRIFLE * bias.n_comparisons > 0
    low, high = (100 * find_share(end) for end in (bias.lower, bias.upper))
    interval = f"{100 * bias.share:.1f} % between equals, {low:.1f} to {high:.1f} %"
    says = f"{_say_found(bias)} (first wins {interval})"
    if bias.stand_out:
        verb = "stands" if len(bias.stand_out) == 1 else "stand"
        says += f"; {len(bias.stand_out)} of {len(bias.judges)} judges {verb} out"
    if matters or alone:
        reversal = analysis.reversals.order
        taken = f"`{analysis.write_command('rank', '--order-effect')}` ranks with it taken out"
        design = "" if are_orders_balanced(analysis) else f"; {DESIGN}"
        outcome = say_outcome("With the order effect in the model", reversal)
        otherwise = f"{outcome} {taken if sure else 'Look at the judges who stand out'}{design}."
        faults = ((PLACE,) if matters else ()) + ((SIDES,) if alone else ())
        return Check("order", ASKS_ORDER, choose_state(reversal), says, otherwise, issues=faults)
    return Check(
        "order", ASKS_ORDER, PASSED if sure or is_near(bias) else UNDECIDED_OF_DOCUMENT, says
    )


def _check_refused(
    analysis: Analysis, refusal: NotIdentified | NotConverged | UnknownOption
) -> Check:
    if analysis.known_ranking and (place := say_one_sided(analysis)):
        return _check_place(place)
    state = UNDECIDED_OF_DOCUMENT if isinstance(refusal, NotIdentified) else NOT_RUN
    return Check("order", ASKS_ORDER, state, say_refused(refusal))


def _check_place(place: str) -> Check:
    state = FAILED if place.endswith(WHOLE) else WARNING
    return Check("order", ASKS_ORDER, state, place, f"{AGAIN}; {DESIGN}.")


def _say_found(bias: PositionBias) -> str:
    side = "first" if bias.share > 0.5 else "second"
    if bias.p <= 1 - bias.level:
        return f"the {side}, {'slightly' if abs(bias.share - 0.5) < SLIGHT else 'clearly'}"
    return "no sign on the whole" if is_near(bias) else "too little is known on the whole"


def _say_common(bias: PositionBias) -> str:
    low, high = (100 * find_share(end) for end in (bias.lower, bias.upper))
    wins = f"of two equally good outputs the first wins {100 * bias.share:.1f} %"
    interval = f"{low:.1f} to {high:.1f} %"
    if bias.p > 1 - bias.level:
        if is_near(bias):
            return (
                "Over all judges there is no sign that an output gains by its place:"
                f" {wins} ({interval})."
            )
        return (
            "Over all judges too little is known to say whether an output gains by its place:"
            f" {wins}, and anything from {interval} agrees with the judgments."
        )
    side = "first" if bias.share > 0.5 else "second"
    size = "slightly " if abs(bias.share - 0.5) < SLIGHT else ""
    return (
        f"Over all judges the output shown {side} is {size}favoured: {wins} ({interval}; p"
        f" {format_p(bias.p)}) and not 50 %."
    )


def _say_judges(bias: PositionBias) -> tuple[str, ...]:
    if bias.heterogeneity_p is None:
        return ()
    if bias.spread is None:
        return ("Judges nearly always took one side each, so that they are not compared.",)
    p = f"p {format_p(bias.heterogeneity_p)}"
    if bias.stand_out:
        names = [f"{one.judge} ({write_value(one.share, 'share')})" for one in bias.stand_out]
        verb = "stands" if len(names) == 1 else "stand"
        return (f"{join_names(names)} {verb} out from the other judges.",)
    if bias.heterogeneity_p <= 1 - bias.level:
        return (f"Judges differ in it ({p}), yet no single judge stands out.",)
    return (f"There is no sign that judges differ in it ({p}).",)


def _note_sides(analysis: Analysis) -> tuple[str, ...]:
    if analysis.pairs.rankings is not None:  # who stood first of two is not drawn pair by pair
        return ()
    _, notes = choose_sides(analysis.tally, order_effect=False)
    return notes[:-1]  # the last says what it means for circles


def _say_change(analysis: Analysis) -> tuple[str, ...]:
    base = analysis.ranking.fit
    if not isinstance(base, Fit) or base.model.order_effect:
        return ()
    try:
        other = BradleyTerry(ties=base.model.ties, order_effect=True).fit(analysis.tally)
    except (NotIdentified, NotConverged):
        return ()
    return (say_moves(analysis.ranking, other),)


def say_moves(ranking: Ranking, other: Fit) -> str:
    known = dict(zip(ranking.systems, ranking.log_worth.tolist(), strict=True))
    moved = dict(zip(other.systems, other.log_worth.tolist(), strict=True))
    shift = [moved[name] - known[name] for name in ranking.systems]
    middle = sum(shift) / len(shift)
    largest = max(abs(one - middle) for one in shift)
    size = f"no estimate moves by more than {largest:.2f} in log-worth"
    turned = [
        (first, second)
        for first, second in pairwise(ranking.systems)
        if moved[second] > moved[first] and known[first] > known[second]
    ]
    if not turned:
        stays = "With that advantage taken out the order of the systems stays"
        return f"{stays}; {size}." if largest >= 0.005 else f"{stays}, and so do the estimates."
    named = f"{turned[0][1]} passes {turned[0][0]}"
    if len(turned) > 1:
        named = f"{len(turned)} pairs of neighbours change places by their estimates"
    return f"With that advantage taken out {named}{_say_open(ranking, turned)}; {size}."


def _say_open(ranking: Ranking, turned: list[tuple[str, str]]) -> str:
    """Say how many of some neighbours are decided pairs."""
    if ranking.rank_sets is None:
        return ""
    place = {name: at for at, name in enumerate(ranking.systems)}
    decided = sum(bool(ranking.rank_sets.decided[place[one], place[two]]) for one, two in turned)
    if len(turned) == 1:
        return ", a decided pair" if decided else ", a pair that is open anyway"
    return f", {decided} of them decided" if decided else ", all of them open anyway"


def list_judges(bias: PositionBias) -> list[dict[str, Any]]:
    """Return a row for each judge, highest share first."""
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


def _draw_order(bias: PositionBias, rows: list[dict[str, Any]]) -> Figure:
    most = min(max(MAX_JUDGES_DRAWN, len(bias.stand_out)), MAX_OUTSTANDING_DRAWN)
    shown = sorted(rows[:most], key=lambda row: (-row["share"], row["judge"]))
    cut = "" if len(rows) <= most else f", the {most} of {len(rows)} farthest from the others"
    verb = "stands" if len(bias.stand_out) == 1 else "stand"
    seen = (
        f"A row for each of {len(shown)} judges with the share for the first output and its"
        f" interval, both shrunken. {len(bias.stand_out)} of them {verb} out. {_say_common(bias)}"
    )
    title = f"How often judges prefer the output shown first{cut}"
    drawn = draw_positions(shown, bias.share)
    return take_chart(drawn, "positions", title, seen, table="positions")


def _tabulate(rows: list[dict[str, Any]]) -> Table:
    columns = (
        Column("judge", "judge"),
        Column("n", "comparisons", "count"),
        Column("first", "first preferred", "count"),
        Column("second", "second preferred", "count"),
        Column("raw", "raw share for the first", "share", "first of both counts, as they are"),
        Column("share", "shrunken share", "share", "between equals, drawn towards all judges"),
        Column("lower", "shrunken from", "share"),
        Column("upper", "shrunken to", "share"),
        Column("p", "p", "p", "how likely so far from the median judge by chance"),
        Column("adjusted", "adjusted", "p", "the same, allowing for the number of judges"),
    )
    return Table("positions", "Judges, farthest from the others first", columns, tuple(rows))

"""Would other reasonable choices change the answer: a row for each choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judges.cards import Screening
from evenhand.numerics.cluster_means import spearman
from evenhand.ranking.by_model import find_groups
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.sensitivity import CLUSTERED, Choice, Sensitivity, vary_choices
from evenhand.report.answer import join_names
from evenhand.report.charts import take_chart
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import (
    FAILED,
    PASSED,
    WARNING,
    Check,
    Column,
    Figure,
    Row,
    Section,
    Table,
)
from evenhand.report.effort import may_rank, say_how
from evenhand.report.figures.places_by_choice import draw_places
from evenhand.report.numbers import write_value
from evenhand.report.study import Study

DRAWN: Final = 12  # Most systems that are drawn: the best of the ranking
NAMED: Final = 3  # Most systems of a group that are named in a sentence
RANKINGS: Final = 9  # Choices that there are at most, as a rule
MOST: Final = 700  # Systems up to which choices are made without being asked for
ASKED: Final = ("decided", "lost", "new")  # Columns that are left out where orders alone were asked
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
    Column("turned", "turned round", "count", "decided pairs of the ranking whose order it turns"),
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


def write_section(study: Study) -> Section:
    """Write what other choices say."""
    many, command = len(study.ranking.systems), study.write_command("doubt")
    if many > MOST and not study.settings.full:
        why = say_how(command, f"A ranking of {many:,} systems by each choice")
        return Section("choices", PREFERENCE["choices"], not_run=why, command=command)
    found = _vary(study)
    if len(found.choices) == 1:
        return Section("choices", PREFERENCE["choices"], (NONE,), notes=found.notes)
    rows = tabulate(found)
    columns = COLUMNS if found.decides else tuple(one for one in COLUMNS if one.key not in ASKED)
    less = () if found.decides else (say_how(command, "Which pairs each choice decides"),)
    return Section(
        "choices",
        PREFERENCE["choices"],
        says=(*_say_top(found, study), *_say_decided(found, rows), *less),
        checks=tuple(check_first(found, study.ranking)),
        figures=(_draw(found),),
        tables=(Table("choices", "The ranking by each choice", columns, tuple(rows)),),
        notes=tuple(found.notes) if found.decides else tuple(found.notes[:-1]),
        command=command,
    )


def _vary(study: Study) -> Sensitivity:
    """Rank by each choice; of large tables orders alone."""
    settings = study.settings
    return vary_choices(
        study.pairs,
        model=settings.model,
        level=settings.level,
        seed=settings.seed,
        board=study.ranking,
        decide=may_rank(study, RANKINGS),
        screening=_find_screening(study),
    )


def _find_screening(study: Study) -> Screening | None:
    """Return who is to be doubted; None where nobody can be looked at."""
    try:
        return study.screening
    except (NotIdentified, UnknownOption):
        return None


def tabulate(found: Sensitivity) -> list[dict[str, Any]]:
    """Return a row for each choice, that of the report first."""
    own = found.choices[0]
    return [_describe(found, own, choice) for choice in found.choices]


def _describe(found: Sensitivity, own: Choice, choice: Choice) -> dict[str, Any]:
    """Return the row of a choice."""
    name = "as in this report" if choice is own else choice.name
    if choice.refused is not None:
        nothing = dict.fromkeys(("decided", "lost", "new", "turned", "likeness"))
        return {"choice": name, "first": f"no ranking: {choice.refused}", **nothing}
    usual, its = set(own.decided), set(choice.decided)
    counts: dict[str, int | None] = dict.fromkeys(ASKED)
    if found.decides or choice is own:
        counts = {"decided": len(its), "lost": len(usual - its), "new": len(its - usual)}
    return {
        "choice": name,
        "first": join_names(list(choice.first)),
        **counts,
        "turned": _count_turned(own, choice),
        "likeness": _compare(own, choice),
    }


def _places(choice: Choice) -> Mapping[str, int]:
    return dict(zip(choice.systems, choice.rank, strict=True))


def _count_turned(own: Choice, choice: Choice) -> int:
    """Return how many decided pairs stand the other way round."""
    place = _places(choice)
    known = [(a, b) for a, b in own.decided if a in place and b in place]
    return sum(place[better] > place[worse] for better, worse in known)


def _compare(own: Choice, choice: Choice) -> float | None:
    """Return the rank correlation of two orders over the systems of both."""
    before, after = _places(own), _places(choice)
    both = [name for name in own.systems if name in after]
    if len(both) < 2:
        return None
    sides = ([float(order[name]) for name in both] for order in (before, after))
    found = spearman(*(np.array(side) for side in sides))
    return None if found is None else round(found, 6)


def _say_top(found: Sensitivity, study: Study) -> list[str]:
    """Say who is first under which choices; where nothing links systems, that a prior says it."""
    groups = find_groups(study.tally)
    if not groups.any():
        return _say_first(found, study.ranking)
    names = np.array(study.tally.systems)
    parts = [join_names(names[groups == one].tolist()[:NAMED]) for one in np.unique(groups)[:2]]
    return [
        f"Nothing compares {parts[0]} with {parts[1]}: who of them is ahead is set by the prior"
        " alone, under every choice, so that no choice says who is first."
    ]


def _say_first(found: Sensitivity, ranking: Ranking) -> list[str]:
    """Say under how many choices the same system is first, and who is under the others."""
    own, others = found.choices[0].first, found.ranked[1:]
    same = [one for one in others if one.first == own]
    open_ = ranking.rank_upper is not None and ranking.rank_upper[0] > 1
    verb = "is first" if len(own) == 1 else "are first, level,"
    if not others:
        return [f"{join_names(list(own))} {verb} here; no other choice gives a ranking."]
    choices = "other reasonable choice" if len(others) == 1 else "other reasonable choices"
    refused = len(found.choices) - len(found.ranked)
    gives = "gives" if refused == 1 else "give"
    none = [f"{refused} of the choices {gives} no ranking: the table says why."] if refused else []
    if len(same) == len(others):
        every = "the one" if len(others) == 1 else f"all {len(others)}"
        alike = ["That decides nothing: the first place is open in this ranking."] if open_ else []
        return [f"{join_names(list(own))} {verb} under {every} {choices} too.", *alike, *none]
    said = f"{join_names(list(own))} {verb} under {len(same)} of {len(others)} {choices};"
    rest = _say_others([one for one in others if one not in same])
    hint = ["The first place is not decided here either, so that this is no surprise."]
    return [f"{said} {rest}.", *(hint if open_ else []), *none]


def check_first(found: Sensitivity, ranking: Ranking) -> list[Check]:
    """Return whether what is decided stays so under every choice.

    Another first system, or a decided pair that is reversed, fails. A lead that some choice leaves
    undecided is a warning. Where the first place is open anyway only reversed pairs are a check.
    """
    best, others = ranking.systems[0], found.ranked[1:]
    decided = ranking.rank_upper is not None and ranking.rank_upper[0] == 1
    ahead = [one.name for one in others if best not in one.first] if decided else []
    wins = {pair for pair in found.choices[0].decided if pair[0] == best}
    undecided = [one.name for one in others if found.decides and wins - {*one.decided}]
    turned = [one.name for one in others if _count_turned(found.choices[0], one)]
    findings = (
        (ahead, FAILED, "no: another system is first"),
        (turned, FAILED, "no: a decided pair is reversed"),
        (undecided if decided else [], WARNING, f"the lead of {best} is undecided"),
    )
    for names, state, says in findings:
        if names:
            told = f"{says} {join_names([PLAIN.get(one, f'under {one}') for one in names])}"
            told += "" if state == FAILED else f" ({len(names)} of {len(others)} choices)"
            advice = "Say with the answer on which choice it rests."
            return [Check("choices", ASKS, state, told, advice)]
    if not decided or not others:
        return []
    held = f"yes: {best} is the best" if found.decides else f"yes: {best} is first"
    return [Check("choices", ASKS, PASSED, f"{held} under all {len(others)}")]


def _say_others(changed: Sequence[Choice]) -> str:
    """Say who is first under which choices."""
    by_first: dict[str, list[str]] = {}
    for one in changed:
        by_first.setdefault(join_names(list(one.first)), []).append(one.name)
    parts = [f"under {join_names(names)} it is {first}" for first, names in by_first.items()]
    return "; ".join(parts)


def _say_decided(found: Sensitivity, rows: Sequence[Row]) -> list[str]:
    """Say how many decided pairs survive all choices, or at least are not turned round."""
    usual = found.choices[0].decided
    if not usual:
        return ["No pair is decided here, so that no choice can change a decision."]
    other = [row for row in rows[1:] if row["turned"] is not None]
    worst = max(other, key=lambda row: row["turned"], default=None)
    one, many = len(usual) == 1, f"{len(usual):,} decided pairs"
    said = []
    if found.decides:
        kept = sum(each.by_default and each.survives for each in found.conclusions)
        stays = f"{'stays' if kept else 'does not stay'} decided under every choice."
        some = f"{kept:,} of {many} {'stays' if kept == 1 else 'stay'}" if kept else "No pair stays"
        every = f"{some} decided under every choice."
        said = [f"The decided pair {stays}" if one else every]
    if worst is None or not worst["turned"]:
        return [*said, f"No choice turns {'it' if one else f'any of the {many}'} round."]
    if one:
        return [*said, f"It is turned round under {worst['choice']}."]
    share = write_value(worst["turned"] / len(usual), "percent")
    return [
        *said,
        f"Most are turned round under {worst['choice']}: {worst['turned']:,} of {many} ({share}).",
    ]


def _draw(found: Sensitivity) -> Figure:
    """Draw the places of the best systems under each choice."""
    systems = found.choices[0].systems[:DRAWN]
    rows = [row for system in systems for row in list_places(found, system)]
    shown = f"the best {DRAWN} systems" if len(found.choices[0].systems) > DRAWN else "systems"
    moved = {row["system"] for row in rows if not row["usual"]}
    alt = (
        f"Places of {shown} under {len(found.ranked)} choices, the ranking's own filled."
        f" {len(moved)} of {len(systems)} change their place under some choice."
    )
    title = f"Places of {shown} by choice"
    return take_chart(draw_places(rows), "places", title, alt, table="choices")


def list_places(found: Sensitivity, system: str) -> list[dict[str, Any]]:
    """Return a row for each place that a system takes."""
    places: dict[int, list[str]] = {}
    for one in found.ranked:
        if system in one.systems:
            name = "this report" if one is found.choices[0] else one.name
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

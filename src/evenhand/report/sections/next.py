"""What to judge next: which pairs, and how many judgments the open places at the top take."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Any, Final

import numpy as np

from evenhand.design.more_judgments import Separation, separate_pairs
from evenhand.design.next_pairs import NextPairs, choose_pairs
from evenhand.ranking.ranking import Ranking
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import Column, Row, Section, Table
from evenhand.report.numbers import write_value
from evenhand.report.open_pairs import BEYOND, find_open
from evenhand.report.study import Study

BATCH: Final = 10  # Pairs that are asked for
OPEN: Final = 10  # Most open pairs at the top that are listed
TOO_MANY: Final = "more than anybody collects"
ENDLESS: Final = "no number is enough"
DIGITS: Final = 2  # Digits of a number of judgments that mean anything
PAIRS: Final = (
    Column("left", "first"),
    Column("right", "second"),
    Column("kind", "chosen"),
    Column("reason", "why"),
)
NEEDED: Final = (
    Column("better", "ahead"),
    Column("worse", "behind"),
    Column("gap", "log-worths apart", "two"),
    Column("stderr", "error of that", "two"),
    Column("alone", "more of this pair alone", "count", "judgments, if the gap is as estimated"),
    Column(
        "alone_range", "which may be", "text", "if the gap is as large or as small as it may be"
    ),
    Column("times", "or times as many of all", "one", "judgments of all pairs as so far"),
    Column("times_range", "which may be", "text"),
)
NOTE: Final = (
    "Numbers give a chance of 80 % that a pair is decided in the end, today's judgments and more"
    " together, if it is as far apart as it is estimated to be; the ends of the ranges, if it is as"
    " far or as little apart as the 80 % interval of that allows. None is given where it would be"
    f" more than {BEYOND:.0f} times today's judgments, which is more than anybody collects. They"
    " are for as many more judges and items of the same kind, and for a number fixed beforehand:"
    " looking again and again until a pair is decided takes more."
)


def write_section(study: Study) -> Section:
    """Write what to judge next."""
    ranking = study.ranking
    open_ = find_open(ranking)
    pairs = len(ranking.systems) * (len(ranking.systems) - 1) // 2
    chosen = choose_pairs(study.pairs, n=min(BATCH, pairs), seed=study.settings.seed)
    choice = pairs > 1
    found = separate_pairs(ranking, open_[:OPEN])
    tables = [_list_needed(found, ranking)] if found else []
    return Section(
        "next",
        PREFERENCE["next"],
        says=(
            *say_needed(found, ranking),
            *(_say_pairs(chosen, decided=not found) if choice else ()),
        ),
        tables=(*tables, *((_list_pairs(chosen),) if choice else ())),
        notes=(*((NOTE,) if found else ()), *_note_rest(ranking, open_), *chosen.notes),
        command=study.write_command("next"),
    )


def say_needed(found: Sequence[Separation], ranking: Ranking) -> list[str]:
    """Say how many judgments would probably separate the first two that are open."""
    if not found:
        return ["Nothing is open: every pair of systems is decided."]
    one = found[0]
    said = [] if one.better == ranking.systems[0] else ["Nothing at the top is open."]
    names = f"{one.better} and {one.worse}"
    if one.barred:
        return [
            *said,
            f"{names} cannot be separated by more answers of the same judges on the same items: too"
            " few of them link the two. Let other judges compare them.",
        ]
    if one.times is None:
        return [*said, f"{names} are level: nothing shows how many judgments would separate them."]
    if one.times > BEYOND:
        return [
            *said,
            f"Nothing shows that {names} differ. If they are as near as they seem, it takes more"
            f" than {BEYOND:.0f} times as many judgments to separate them"
            f"{_say_least(one, ranking)}.",
        ]
    return [*said, f"{_say_number(one, names, ranking)}."]


def _say_least(one: Separation, ranking: Ranking) -> str:
    """Say what would do at best."""
    if one.alone_least is None or _is_beyond(one.alone_least, ranking):
        return ""
    least = f"{_round(one.alone_least):,.0f}"
    return f"; if they are as far apart as they may be, about {least} more of this pair alone"


def _say_number(one: Separation, names: str, ranking: Ranking) -> str:
    """Say a number of judgments with what is known of it."""
    of_all = f"{one.times:,.1f} times as many of all pairs" if one.times is not None else ""
    if one.alone is None or one.alone_least is None or _is_beyond(one.alone, ranking):
        return f"To separate {names} with a chance of 80 % takes about {of_all}"
    several = len(ranking.systems) > 2
    what = "more judgments of this pair alone" if several else "more judgments"
    if one.alone_most is None:
        most = f"{ENDLESS} if they are equals"
    elif _is_beyond(one.alone_most, ranking):
        most = f"{TOO_MANY} if nearer"
    else:
        most = f"{_round(one.alone_most):,.0f} if nearer"
    return (
        f"About {_round(one.alone):,.0f} {what} would separate {names} with a chance of 80 %"
        f" ({_round(one.alone_least):,.0f} if they are farther apart than they seem; {most})"
        f"{f', or {of_all}' if several else ''}"
    )


def _is_beyond(alone: float, ranking: Ranking) -> bool:
    """Whether so many more judgments are more than anybody collects."""
    return alone > BEYOND * ranking.n_judgments


def _round(number: float) -> float:
    """Return a number with the digits that mean something, rounded up or down, 1 at least.

    >>> _round(43753.3), _round(7.4), _round(0.2)
    (44000.0, 7.0, 1.0)
    """
    if number < 1:
        return 1.0
    places = DIGITS - 1 - floor(log10(number))
    return float(round(number, min(places, 0)))


def _list_needed(found: Sequence[Separation], ranking: Ranking) -> Table:
    """Return the table of open pairs; what nobody collects is said in words."""
    rows = tuple(_describe(one, ranking.n_judgments) for one in found)
    whose = found[0].better
    return Table("needed", f"Open pairs of {whose}, and what would decide them", NEEDED, rows)


def _describe(one: Separation, judgments: float) -> Row:
    alone = (one.alone, one.alone_least, one.alone_most)
    times = (one.times, one.times_least, one.times_most)
    return {
        "better": one.better,
        "worse": one.worse,
        "gap": one.gap,
        "stderr": one.stderr,
        **_describe_number("alone", alone, BEYOND * judgments, "count"),
        **_describe_number("times", times, BEYOND, "one"),
        "barred": one.barred,
    }


def _describe_number(
    key: str, found: tuple[float | None, float | None, float | None], most: float, kind: str
) -> dict[str, Any]:
    """Return the cells of a number, where it is one that somebody may collect, and of its range."""
    digits = [None if one is None else _round(one) if kind == "count" else one for one in found]
    if found[1] is None:  # not known of this pair at all
        return {key: None, f"{key}_range": None}
    beyond = [one is not None and one > most for one in found]
    least, top = (
        ENDLESS if one is None else TOO_MANY if far else write_value(one, kind)
        for one, far in zip(digits[1:], beyond[1:], strict=True)
    )
    own = None if digits[0] is None or beyond[0] else round(digits[0], 1)
    range_ = f"{least} to {top}" if found[2] is not None else f"{least}, or {top}"
    return {key: own, f"{key}_range": TOO_MANY if beyond[1] else range_}


def _say_pairs(chosen: NextPairs, *, decided: bool) -> tuple[str, ...]:
    """Say that pairs are listed, and what comes before answers choose."""
    begin = "If more is judged all the same, the" if decided else "The"
    pairs = f"{len(chosen.pairs)} pairs to ask about at once, by what answers would tell"
    first = f"{begin} table below lists {pairs}."
    return (first, *(f"{said[0].upper()}{said[1:]}." for said in chosen.says[1:]))


def _list_pairs(chosen: NextPairs) -> Table:
    rows = tuple(
        {"left": one.left, "right": one.right, "kind": one.kind, "reason": one.reason}
        for one in chosen.pairs
    )
    return Table("pairs", "Pairs to ask about next", PAIRS, rows)


def _note_rest(ranking: Ranking, open_: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Say how many open pairs are not listed, and which clusters bind the first."""
    sets, notes = ranking.rank_sets, []
    if len(open_) > OPEN:
        notes.append(f"the {OPEN} nearest of {len(open_)} open pairs of this system are listed")
    if sets is not None and open_ and sets.limits is not None:
        way = int(np.asarray(sets.limits.way)[open_[0]])
        if way >= 0:
            name = sets.ways[way]
            notes.append(
                f"{name}s differ so much on the first of these pairs that more {name}s are needed:"
                f" more answers with the same {name}s would hardly help"
            )
    return tuple(notes)

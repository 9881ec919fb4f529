"""Do preferences go round in circles: A before B, B before C, C before A?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.judgments.tally import Tally
from evenhand.models.coefficients import format_p
from evenhand.ranking.robustness.cycles import (
    Contribution,
    Cycle,
    Cycles,
    find_sure_circle,
    find_visible,
)
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import (
    NOT_RUN,
    PASSED,
    UNDECIDED,
    Check,
    Column,
    Section,
    Table,
)
from evenhand.report.numbers import write_value
from evenhand.report.reversal import Reversals, choose_state
from evenhand.report.study import Study
from evenhand.report.visible import ENOUGH, say_refusal, say_visible

ASKS: Final = "Do preferences go round in circles, A before B before C before A?"
INSTEAD: Final = (
    "No ranking holds such preferences. Say which of the systems are to be compared, or on which"
    " items, and judge those."
)
NOTE: Final = "Ties are left out of this test."
FEW: Final = "With so few pairs compared no circle can be seen."
NO_SCALE: Final = "what pairs show fits no single scale: see “Does the model fit?”"


def write_section(study: Study) -> Section:
    """Write whether preferences go round in circles."""
    command = study.write_command("doubt")
    try:
        cycles = study.cycles
    except (NotIdentified, NotConverged, UnknownOption) as refusal:
        check = Check("circles", ASKS, NOT_RUN, say_refusal(study, refusal))
        says: tuple[str, ...] = ("Circles were not looked for.",)
        return Section("circles", PREFERENCE["circles"], says, (check,), command=command)
    return Section(
        "circles",
        PREFERENCE["circles"],
        says=(*say_circles(cycles, study.tally), *_say_decided(study, cycles)),
        checks=(replace(make_check(cycles, study.tally, _find_reversals(study)), p=cycles.p),),
        tables=_tabulate(cycles),
        notes=(NOTE, _note_noise(cycles), *cycles.notes),
        command=command,
    )


def _find_reversals(study: Study) -> Reversals | None:
    """Return what circles would reverse; None where there is no ranking."""
    try:
        return study.reversals if study.ranking else None
    except (NotIdentified, NotConverged):
        return None


def make_check(cycles: Cycles, tally: Tally, reversals: Reversals | None = None) -> Check:
    """Return whether majorities go round in a circle, as far as that can be told.

    A sure circle fails where the ranking decides a pair against one of its majorities.
    """
    if cycles.p is None:
        return Check("circles", ASKS, UNDECIDED, "too few pairs were compared to show a circle")
    p = f"p {format_p(cycles.p)}"
    if not cycles.real:
        return _check_silence(find_visible(cycles, tally), p)
    sure = find_sure_circle(cycles, tally)
    if sure is not None:
        against = reversals.find_circle(sure) if reversals else ""
        otherwise = f"{against}. {INSTEAD}" if against else INSTEAD
        return Check("circles", ASKS, choose_state(against), f"yes: {_say_wins(sure)}", otherwise)
    closed = [one for one in cycles.cycles if one.closed]
    if closed:
        says = f"perhaps: {_say_wins(closed[0])}, of which the last majority may be chance"
        return Check("circles", ASKS, UNDECIDED, says)
    state = PASSED if cycles.cycles else UNDECIDED
    return Check("circles", ASKS, state, f"no circle of majorities is seen, yet {NO_SCALE} ({p})")


def _check_silence(visible: float | None, p: str) -> Check:
    """Return the check where the test found no more than chance makes."""
    if visible is None or visible > ENOUGH:
        shows = "" if visible is None else f": only {say_visible(visible)}"
        return Check("circles", ASKS, UNDECIDED, f"too few judgments to tell{shows} ({p})")
    return Check("circles", ASKS, PASSED, f"no sign of it ({p}); {say_visible(visible)}")


def say_circles(cycles: Cycles, tally: Tally) -> tuple[str, ...]:
    """Say what was found, the strongest circle by names."""
    if cycles.p is None:
        return (FEW,)
    about = f" This is {cycles.headline}." if cycles.headline else ""
    if not cycles.real:
        return (f"{_say_silence(find_visible(cycles, tally))}{about}",)
    closed = [one for one in cycles.cycles if one.closed]
    if find_sure_circle(cycles, tally) is not None:
        found = "Preferences go round in circles: "
    elif closed:
        found = "Preferences may go round in a circle: "
    else:
        found = "No circle of majorities is seen, yet one scale does not hold all preferences: "
    whole = f"{found}{_say_share(cycles)} of the differences between systems fit no single scale."
    if not cycles.cycles:
        return (f"{whole}{about}", "No three systems stand out by themselves.")
    return (f"{whole}{about}", _say_circle((closed or list(cycles.cycles))[0]))


def _say_silence(visible: float | None) -> str:
    """Say that nothing was found, and what would have been."""
    shows = "" if visible is None else f" {say_visible(visible).capitalize()}."
    if visible is None or visible > ENOUGH:
        return f"Too little is known to tell whether preferences go round in circles.{shows}"
    return f"There is no sign of circles: no more than chance makes.{shows}"


def _say_decided(study: Study, cycles: Cycles) -> tuple[str, ...]:
    """Say whether an order is known, where no circle of majorities is."""
    if any(one.closed for one in cycles.cycles) or cycles.p is None:
        return ()
    try:
        ranking = study.ranking
    except (NotIdentified, NotConverged):
        return ()
    if ranking.rank_sets is None:
        return ()
    pairs = len(ranking.systems) * (len(ranking.systems) - 1) // 2
    decided = int(np.triu(ranking.rank_sets.decided, 1).sum())
    if decided == pairs:
        return ("The ranking decides each pair of systems.",)
    if 2 * decided < pairs:
        return (f"No order is known either: the ranking decides {decided:,} of {pairs:,} pairs.",)
    return ()


def _say_share(cycles: Cycles) -> str:
    return "less than 1 %" if cycles.share < 0.01 else write_value(cycles.share, "share")


def _say_wins(one: Cycle) -> str:
    """Say who was preferred to whom, the narrowest majority last."""
    weakest = min(range(3), key=lambda at: one.won[at])
    order = [(weakest + step) % 3 for step in (1, 2, 3)]
    return ", ".join(
        f"{one.systems[at]} over {one.systems[(at + 1) % 3]} ({write_value(one.won[at], 'share')})"
        for at in order
    )


def _say_circle(one: Cycle) -> str:
    """Say the strongest circle by names."""
    names = (*one.systems, one.systems[0])
    wins = [
        f"{names[at]} over {names[at + 1]} ({write_value(share, 'share')})"
        for at, share in enumerate(one.won)
    ]
    kind = (
        "The strongest circle is"
        if one.closed
        else "Farthest from one scale, though majorities make no circle, are"
    )
    return f"{kind} {', '.join(wins)}; p {format_p(one.p)} over all circles of three."


def _note_noise(cycles: Cycles) -> str:
    """Say what the statistic was and what noise makes of it."""
    by = f"by {' and '.join(cycles.ways)}" if cycles.ways else "votes taken for independent"
    return (
        f"X² over pairs is {cycles.statistic:,.1f}; chance alone makes {cycles.noise:,.1f} of it"
        f" ({by}; {cycles.worlds:,} drawn worlds)."
    )


def _tabulate(cycles: Cycles) -> tuple[Table, ...]:
    """Return the circles that stand out, and who adds most to each."""
    rows = tuple(_row(one) for one in cycles.cycles)
    columns = (
        Column(
            "circle", "three systems", "text", "each was preferred more than one scale explains"
        ),
        *(
            Column(f"won{at}", title, "share", "share of decided comparisons won")
            for at, title in enumerate(("1st over 2nd", "2nd over 3rd", "3rd over 1st"), start=1)
        ),
        Column("kind", "circle", "text", "whether three majorities make it one"),
        Column("z", "z", "one", "excess in units of what chance makes of it"),
        Column("p", "p", "chance", "adjusted for all circles of three"),
        Column("judges", "judges who add most"),
        Column("items", "items that add most"),
    )
    return (Table("circles", "Threes that fit no single scale", columns, rows),) if rows else ()


def _row(one: Cycle) -> dict[str, Any]:
    return {
        "circle": " → ".join(one.systems),
        **{f"won{at}": share for at, share in enumerate(one.won, start=1)},
        "closed": one.closed,
        "kind": "of majorities" if one.closed else "none",
        "z": one.z,
        "p": one.p,
        "judges": _name(one.judges),
        "items": _name(one.items),
    }


def _name(parts: tuple[Contribution, ...]) -> str | None:
    """Name who adds most, with shares."""
    return ", ".join(f"{one.name} ({write_value(one.share, 'share')})" for one in parts[:3]) or None

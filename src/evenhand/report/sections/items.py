"""Items: where systems differ, where judges differ, and whether that is more than chance."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judges.item_agreement import WORLDS, ItemAgreement, compare_items
from evenhand.judgments.votes import TIE, Votes
from evenhand.report.answer import join_names
from evenhand.report.charts import take_chart
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import Column, Figure, Section, Table
from evenhand.report.figures.item_figures import BLIND, SEEN, SIDES, draw_shares, draw_sides
from evenhand.report.numbers import write_value
from evenhand.report.study import Study

SHOWN: Final = 12  # Items in each table
FEW: Final = 10  # Items below which their distribution is not drawn
FULL: Final = 999  # Blind worlds of the full report
WIDE: Final = 24  # Most systems that stand side by side in a figure
SEVERAL: Final = 3  # Systems on an item, on average, from which a figure says more than the table
# Pairs of votes below which an item is no example: three judges, or two who ranked three
LEAST: Final = 3
# Pairs of votes by which an item's excess is drawn to 0 when items are put in order
PRIOR: Final = 5.0
Array = NDArray[np.float64]


def write_section(study: Study) -> Section:
    """Write where systems and where judges differ."""
    votes, settings = study.votes, study.settings
    command = study.write_command("report", "--sections", "items", "--json")
    try:
        worlds = FULL if settings.full else WORLDS
        _refuse_ties(votes)
        found = compare_items(votes, worlds=worlds, seed=settings.seed)
    except NotIdentified as refusal:
        says = (f"Nothing can be said of items: {refusal.fault}.",)
        return Section("items", PREFERENCE["items"], says, command=command)
    most = 1 - settings.level
    apart = _rank(found, found.p_decided <= most, found.decided - found.blind_decided)
    against = _rank(found, found.p_against <= most, found.blind_agree - found.agree)
    sides = _describe_sides(found, votes, apart)
    return Section(
        "items",
        PREFERENCE["items"],
        says=_say(study, found),
        figures=(*_draw_shares(found), *_draw_sides(study, sides)),
        tables=(
            _tabulate_apart(found, votes, (apart, sides)),
            _tabulate_against(found, votes, against),
        ),
        notes=_note(found, votes),
        command=command,
    )


def _refuse_ties(votes: Votes) -> None:
    """Refuse what tells nothing of items."""
    if (votes.outcome == TIE).all():
        raise NotIdentified("no judge preferred anything")


def _rank(found: ItemAgreement, beyond: NDArray[np.bool_], excess: Array) -> list[int]:
    """Return the places of the most extreme items: those beyond chance, then by drawn excess.

    The excess over blind answers is drawn to 0 as by some more pairs of votes, since an item with
    one pair is not the most extreme for it; items with very few come last.
    """
    drawn = excess / (found.comparable + PRIOR)
    return [int(at) for at in np.lexsort((-drawn, ~beyond, found.comparable < LEAST))[:SHOWN]]


def _name(votes: Votes, found: ItemAgreement, at: int) -> str:
    """Return the name of an item, without its task where there is one."""
    name: str = votes.items[int(found.item[at])]
    return name.removeprefix(f"{votes.tasks[0]} / ") if len(votes.tasks) == 1 else name


def _say(study: Study, found: ItemAgreement) -> tuple[str, ...]:
    """Say on how many items judges agree or disagree, and whether some stand out."""
    n, (united, blind) = len(found.item), found.united
    split, blind_split = found.split
    alone = "On every item some votes of different judges agree."
    if split or blind_split >= 1:
        alone = (
            f"On {_count(split)} no two votes of different judges agree; of blind answers that"
            f" would be so on about {blind_split:,.0f}."
        )
    return (
        f"On {united:,} of {_count(n)} that two judges or more judged, all votes prefer the same"
        f" outputs; of blind answers that would be so on about {blind:,.0f}.",
        _say_extreme(study, found, found.p_decided, "More one-sided"),
        alone,
        _say_extreme(study, found, found.p_against, "More contradictory"),
    )


def _say_extreme(study: Study, found: ItemAgreement, p: Array, what: str) -> str:
    """Name the items that are more extreme than chance gives anywhere among so many."""
    beyond = np.flatnonzero(p <= 1 - study.settings.level)
    chance = write_value(float(p.min()), "two")
    if not len(beyond):
        return (
            f"{what} than chance allows: no single item. One as extreme as the most extreme arises"
            f" by chance among so many with probability {chance}: read the table as examples, not"
            " as findings."
        )
    names = [
        _name(study.votes, found, int(at)) for at in beyond[np.argsort(p[beyond], kind="stable")]
    ]
    return (
        f"{what} than chance allows anywhere among as many items: {join_names(names)}"
        f" (probability up to {1 - study.settings.level:.2g})."
    )


def _count(n: int) -> str:
    return f"{n:,} item{'' if n == 1 else 's'}"


def _draw_shares(found: ItemAgreement) -> tuple[Figure, ...]:
    """Draw how one-sided items are, beside blind answers; not of a few."""
    if len(found.item) < FEW:
        return ()
    tenths = [f"{10 * tenth}–{10 * tenth + 9} %" for tenth in range(10)]
    rows = [
        {"share": share, "who": who, "items": round(float(items), 2)}
        for share, pair in zip([*tenths, "100 %"], found.shares, strict=True)
        for who, items in zip((SEEN, BLIND), pair, strict=True)
    ]
    alt = (
        f"Bars: {_count(len(found.item))} by the share of pairs of votes that agree on which output"
        f" is better, from none to all; marks: the same for blind answers. Complete agreement:"
        f" {found.united[0]:,} items, of blind answers about {found.united[1]:,.0f}."
    )
    title = "How one-sided items are, beside blind answers"
    return (take_chart(draw_shares(rows), "one-sidedness", title, alt),)


def _describe_sides(
    found: ItemAgreement, votes: Votes, chosen: list[int]
) -> dict[int, list[dict[str, Any]]]:
    """Return for some items how each system does there, best first."""
    pairs, sides = found.pairs, dict[int, list[dict[str, Any]]]()
    for at in chosen:
        own = np.flatnonzero((pairs.item == found.item[at]) & (pairs.comparable > 0))
        net, made = np.zeros((2, len(votes.systems)))
        lead, size = pairs.said[own, 2] - pairs.said[own, 0], pairs.said[own].sum(axis=1)
        for systems, sign in ((pairs.low[own], 1), (pairs.high[own], -1)):
            np.add.at(net, systems, sign * lead)
            np.add.at(made, systems, size)
        rows = [
            {
                "item": _name(votes, found, at),
                "system": votes.systems[k],
                "net": round(float(net[k] / made[k]), 3),
                "votes": int(made[k]),
            }
            for k in np.flatnonzero(made).tolist()
        ]
        sides[at] = [rows[k] for k in _order(rows)]
    return sides


def _order(rows: list[dict[str, Any]]) -> list[int]:
    """Return places of systems, best first, equal ones by name."""
    return sorted(range(len(rows)), key=lambda k: (-rows[k]["net"], rows[k]["system"]))


def _draw_sides(study: Study, sides: dict[int, list[dict[str, Any]]]) -> tuple[Figure, ...]:
    """Draw who wins on the most one-sided items, where several systems stand on each."""
    rows = [row for own in sides.values() for row in own]
    systems = {row["system"] for row in rows}
    if len(rows) < SEVERAL * len(sides) or len(systems) > WIDE:
        return ()
    drawn = [{**row, "strength": abs(row["net"]), "side": SIDES[row["net"] < 0]} for row in rows]
    try:
        order = [name for name in study.ranking.systems if name in systems]
    except (NotIdentified, NotConverged):
        order = sorted(systems)
    title = f"Who wins on the {_name_most(len(sides))}"
    alt = (
        f"{len(sides)} items by {len(systems)} systems, best first: a round mark where a system"
        " wins more often than it loses on the item, a square where it loses more; larger marks for"
        " clearer ones."
    )
    chart = draw_sides(drawn, order)
    return (take_chart(chart, "sides", title, alt, table="one-sided", wide=False),)


def _name_most(n: int) -> str:
    return f"{n} most one-sided items" if n != 1 else "most one-sided item"


def _tabulate_apart(
    found: ItemAgreement, votes: Votes, chosen: tuple[list[int], dict[int, list[dict[str, Any]]]]
) -> Table:
    """Return the items on which judges agree most which output is better."""
    places, sides = chosen
    columns = (
        Column("item", "item"),
        Column("best", "wins there"),
        Column("worst", "loses there"),
        Column(
            "decided",
            "agree",
            "count",
            "pairs of votes of different judges that agree on which output is better",
        ),
        Column("comparable", "of", "count", "all such pairs of votes"),
        Column("blind", "blindly", "one", "as many would agree if answers were blind"),
        Column("chance", "chance", "chance", "that so extreme an item arises by chance among all"),
    )
    rows = tuple(
        {
            "item": _name(votes, found, at),
            "best": sides[at][0]["system"],
            "worst": sides[at][-1]["system"],
            "decided": int(found.decided[at]),
            "comparable": int(found.comparable[at]),
            "blind": round(float(found.blind_decided[at]), 2),
            "chance": float(found.p_decided[at]),
        }
        for at in places
    )
    return Table("one-sided", f"The {_name_most(len(rows))}", columns, rows)


def _tabulate_against(found: ItemAgreement, votes: Votes, places: list[int]) -> Table:
    """Return the items on which judges contradict each other most."""
    columns = (
        Column("item", "item"),
        Column("against", "disagree", "count", "pairs of votes of different judges that disagree"),
        Column("comparable", "of", "count", "all such pairs of votes"),
        Column("blind", "blindly", "one", "as many would disagree if answers were blind"),
        Column("chance", "chance", "chance", "that so extreme an item arises by chance among all"),
    )
    rows = tuple(
        {
            "item": _name(votes, found, at),
            "against": int(found.comparable[at] - found.agree[at]),
            "comparable": int(found.comparable[at]),
            "blind": round(float(found.comparable[at] - found.blind_agree[at]), 2),
            "chance": float(found.p_against[at]),
        }
        for at in places
    )
    some = f"{len(rows)} items" if len(rows) > 1 else "item"
    title = f"The {some} on which judges contradict each other most"
    return Table("contradicted", title, columns, rows)


def _note(found: ItemAgreement, votes: Votes) -> tuple[str, ...]:
    """Say what is not known of items, and how chance was found."""
    judged = len(np.unique(found.pairs.item))
    alone = judged - len(found.item)
    notes = [
        f"blind answers: each answer shuffled, {found.worlds} times; chances below"
        f" {1 / (found.worlds + 1):.2g} cannot be told apart"
    ]
    if alone:
        notes.append(
            f"{alone:,} of {_count(judged)} had no two judges on the same outputs: nothing is known"
            " of agreement there"
        )
    if votes.answer is not None:
        notes.append("where the same few judges ranked an item, it tells of these judges as well")
    return tuple(notes)

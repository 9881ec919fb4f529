"""The data: what was counted and excluded, items that stand out, what to judge next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from math import floor, log10
from typing import Any, Final

import numpy as np

from evenhand.data.ratings import Ratings
from evenhand.data.votes import TIE, Votes
from evenhand.design.next_pairs import choose_pairs
from evenhand.design.power import Separation, separate_pairs
from evenhand.errors import NotIdentified
from evenhand.formats.inspection import inspect
from evenhand.judges.preferences import (
    REPLICATES,
    ItemAgreement,
    compare_items,
    list_sides,
    rank_items,
)
from evenhand.numerics import Array
from evenhand.ranking.ranking import Ranking
from evenhand.ratings.matrix import MAX_DIFFERENCES, count_differences, spread_items
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    join_names,
    plural,
    take_findings,
    write_value,
)
from evenhand.report.analysis import MORE, PREFERENCE, Analysis, list_left_out
from evenhand.report.answer import MAX_TIMES, find_open
from evenhand.report.document import Figure, Section, make_section, pick
from evenhand.report.figures.judges import ITEM_SIDES, draw_sides
from evenhand.report.figures.style import take_chart

# Sections such as agreement set more aside, and say so: it is in the ranking all the same
NOTHING: Final = "the ranking counts every judgment; sections that set some aside say so"
# Code of an exclusion → what is excluded, where the word for its unit does not say it
UNITS: Final = {"blank-ranks": "ranks of the other rankings"}


def write_section_data(analysis: Analysis) -> Section:
    rated = isinstance(analysis.data, Ratings)
    expanded = None if rated else analysis.comparisons
    document = inspect(analysis.data, scale=analysis.settings.scale, expanded=expanded).document()
    if not rated and analysis.known_ranking is None:  # linked by ties alone, say
        answer = take_findings(document.answer)
        document = replace(document, answer=tuple(one for one in answer if one.code != "linked"))
    rows: list[dict[str, Any]] = [
        {"what": UNITS.get(one.code, one.units), "n": one.rows, "why": one.explanation}
        for one in analysis.excluded
    ]
    columns = (Column("what", ""), Column("n", "number", "count"), Column("why", "why"))
    nothing = {"what": "nothing", "n": 0, "why": NOTHING}
    excluded = Table("excluded", "What was excluded", columns, tuple(rows or [nothing]))
    document = replace(document, parts=(*document.parts, excluded))
    return make_section("data", document, basis=True, command=analysis.write_command("inspect"))


# Items: where systems differ, where judges differ, and whether that is more than chance.

MAX_ITEMS: Final = 12  # Items in each table
FULL: Final = 999  # Shuffles of the answers in the full report
MAX_SYSTEMS_DRAWN: Final = 24  # Most systems that stand side by side in a figure
WINNERS: Final = (Column("best", "wins there"), Column("worst", "loses there"))
SEVERAL: Final = 3  # Systems on an item, on average, from which a figure says more than the table


def write_section_items(analysis: Analysis) -> Section:
    votes, settings = analysis.votes, analysis.settings
    if (votes.outcome == TIE).all():
        raise NotIdentified("no judge preferred anything")
    replicates = FULL if settings.full else REPLICATES
    own = compare_items(votes, replicates=replicates, seed=settings.seed)
    most = 1 - settings.level
    apart = rank_items(own, own.p_decided <= most, own.decided - own.blind_decided)[:MAX_ITEMS]
    against = rank_items(own, own.p_against <= most, own.blind_agree - own.agree)[:MAX_ITEMS]
    sides = {}
    for at in apart:
        sides[at] = [{"item": _name(votes, own, at), **row} for row in list_sides(own, votes, at)]
    winners = {at: {"best": it[0]["system"], "worst": it[-1]["system"]} for at, it in sides.items()}
    seen, blind = own.comparable - own.agree, own.comparable - own.blind_agree
    some = f"{len(against)} items" if len(against) > 1 else "item"
    contradicted = f"The {some} on which judges contradict each other most"
    # Pairs of votes of different judges, by item, that agree on a preference, or that disagree
    plain: dict[int, Any] = {at: {} for at in against}
    of_decided = ("agree", own.decided, own.blind_decided, own.p_decided, winners)
    of_against = ("disagree", seen, blind, own.p_against, plain)
    extremes: tuple[Any, ...] = (
        ("one-sided", f"The {_name_most(len(apart))}", "decided", *of_decided),
        ("contradicted", contradicted, "against", *of_against),
    )
    tables = []
    for name, caption, key, what, count, by_lot, p, items in extremes:
        columns = (
            Column("item", "item"),
            *(WINNERS if any(items.values()) else ()),
            Column(key, what, "count", "pairs of votes of different judges that do so"),
            Column("comparable", "of", "count", "all such pairs of votes"),
            Column("blind", "by chance", "one", "as many would if answers were random"),
            Column("p", "p", "p", "that so extreme an item arises by chance among all"),
        )
        rows = [
            {
                "item": _name(votes, own, at),
                **more,
                key: int(count[at]),
                "comparable": int(own.comparable[at]),
                "blind": round(float(by_lot[at]), 2),
                "p": float(p[at]),
            }
            for at, more in items.items()
        ]
        tables.append(Table(name, caption, columns, tuple(rows)))
    judged = len(np.unique(own.pairs.item))
    alone = judged - len(own.item)
    notes = [f"Random answers: those given, shuffled {own.replicates} times."]
    if alone:
        of = plural(judged, "item")
        notes.append(f"{alone:,} of {of} had no two judges on the same outputs.")
    if votes.answer is not None:
        notes.append("Where the same few judges ranked an item, it tells of these judges as well.")
    drawn = [
        {**row, "strength": abs(row["net"]), "side": ITEM_SIDES[row["net"] < 0]}
        for row in chain.from_iterable(sides.values())
    ]
    systems, figures = {row["system"] for row in drawn}, list[Figure]()
    if len(drawn) >= SEVERAL * len(sides) and len(systems) <= MAX_SYSTEMS_DRAWN:
        ranking = analysis.known_ranking
        names = ranking.systems if ranking else sorted(systems)
        title = f"Who wins on the {_name_most(len(sides))}"
        alt = (
            f"{len(sides)} items by {len(systems)} systems, best first: round where a system wins"
            " more often than it loses on the item, else square; larger where this is clearer."
        )
        chart = draw_sides(drawn, [name for name in names if name in systems])
        figures.append(take_chart(chart, "sides", title, alt, table="one-sided", wide=False))
    united, by_chance = own.united
    unanimous = (
        f"On {united:,} of {plural(len(own.item), 'item')} that two judges or more judged,"
        f" all votes prefer the same outputs; of random answers, on about {by_chance:,.0f}."
    )
    return Section(
        "items",
        says=(
            unanimous,
            _say_extreme(analysis, own, own.p_decided, "agree"),
            _say_extreme(analysis, own, own.p_against, "disagree"),
        ),
        figures=tuple(figures),
        tables=tuple(tables),
        notes=tuple(notes),
        command=analysis.write_command("report", "--sections", "items", "--json"),
    )


def _name(votes: Votes, agreement: ItemAgreement, at: int) -> str:
    return _shorten(votes.items[int(agreement.item[at])], votes.tasks)


def _shorten(item: str, tasks: Sequence[str]) -> str:
    return item.removeprefix(f"{tasks[0]} / ") if len(tasks) == 1 and tasks[0] else item


def _say_extreme(analysis: Analysis, agreement: ItemAgreement, p: Array, what: str) -> str:
    """Name the items that are more extreme than chance gives anywhere among so many."""
    beyond = np.flatnonzero(p <= 1 - analysis.settings.level)
    if not len(beyond):
        least = f"smallest p {write_value(float(p.min()), 'p')} over all items"
        return f"Judges {what} on no single item beyond chance ({least})."
    order = beyond[np.argsort(p[beyond], kind="stable")]
    named = (_name(analysis.votes, agreement, int(at)) for at in order)
    names = [f"item {one}" if one.isdigit() else one for one in named]
    return f"Judges {what} beyond chance, over all items, on {join_names(names)}."


def _name_most(n: int) -> str:
    return f"{n} most one-sided items" if n != 1 else "most one-sided item"


# Items on which systems are far apart, and items on which judges are.

MAX_RATED_ITEMS: Final = 10  # Items in a table; half as many of each of several tasks
MAX_CRITERIA: Final = 6  # Most criteria that have a table
CHANCE: Final = (
    "Of many items some are far apart by chance: means are drawn towards that of all items, as by"
    " five more, and items are ordered by the result."
)
DRAWN: Final = Column("drawn", "drawn", "two", "the same drawn towards the mean of all items")
OF_SYSTEMS: Final = (
    Column("item", "item"),
    Column("difference", "apart", "two", "mean difference of two systems' scores by one judge"),
    DRAWN,
    Column("differences", "of", "count", "differences"),
    Column("high", "highest", says="system with the highest mean score there"),
    Column("low", "lowest", says="system with the lowest mean score there"),
)
OF_JUDGES: Final = (
    Column("item", "item"),
    Column("difference", "apart", "two", "mean difference of two judges of the same output"),
    DRAWN,
    Column("units", "outputs", "count", "outputs of it that two or more judges scored"),
)


def write_section_rated(analysis: Analysis) -> Section:
    rated, tables, says, notes = analysis.rated, list[Table](), list[str](), [CHANCE]
    if rated.rows.items == ("",):
        sentence = "No column of items was found: it is unknown which outputs belong together."
        return Section("rated", says=(sentence,))
    for criterion, part in [*rated.parts.items()][:MAX_CRITERIA]:
        about, end = (f" for {criterion}", f"-{criterion}") if len(rated.parts) > 1 else ("", "")
        if count_differences(part) > MAX_DIFFERENCES:
            notes.append(f"More than {MAX_DIFFERENCES:,} differences{about}: no items are listed.")
        elif not (spreads := spread_items(part)):
            says.append(f"No judge scored two systems on the same item{about}.")
        elif not spreads[0].difference:
            says.append(f"No judge scored two systems differently on any item{about}.")
        else:
            caption = f"Items on which systems are farthest apart{about}"
            tables.append(_list_items(analysis, f"systems{end}", caption, OF_SYSTEMS, spreads))
            first = tables[-1].rows[0]
            says.append(
                f"Systems are farthest apart{about} on item {first['item']}:"
                f" {first['difference']:.2f} points between two systems by the same judge,"
                f" {first['high']} highest."
            )
    if len(rated.parts) > MAX_CRITERIA:
        notes.append(f"The first {MAX_CRITERIA} of {len(rated.parts)} criteria are listed.")
    try:
        items = rated.agreement.whole.doubtful
    except NotIdentified as refusal:
        says.append(f"Where judges differ cannot be seen: {refusal.fault}.")
        items = ()
    if items and not items[0].difference:
        says.append("No two judges scored the same output differently.")
    elif items:
        caption = "Items on which judges are farthest apart"
        tables.append(_list_items(analysis, "judges", caption, OF_JUDGES, items))
        first = tables[-1].rows[0]
        says.append(
            f"Judges are farthest apart on item {first['item']}: {first['difference']:.2f} points"
            " between two judges of the same output."
        )
    command = analysis.write_command("report", "--sections", "rated", "--json")
    notes += rated.notes
    return Section("rated", says=(*says,), tables=(*tables,), notes=(*notes,), command=command)


def _list_items(
    analysis: Analysis, name: str, caption: str, columns: tuple[Column, ...], items: Sequence[Any]
) -> Table:
    tasks, most = analysis.rated.rows.tasks, MAX_RATED_ITEMS // (2 if analysis.task else 1)
    rows = tuple(
        {**pick(one, *(str(column.key) for column in columns)), "item": _shorten(one.item, tasks)}
        for one in items[:most]
    )
    return Table(name, f"{caption}: {len(rows)} of {len(items):,}", columns, rows)


# What to judge next: which pairs, and how many judgments the nearest open pair at the top takes.

BATCH: Final = 10  # Pairs that are asked for
DIGITS: Final = 2  # Digits of a number of judgments that mean anything
NOTE: Final = (
    "The number is for the gap as estimated, its range for the ends of the gap's 80 % interval. It"
    " holds for more judges and items of the same kind, and for a number fixed beforehand: looking"
    " again and again takes more."
)


def write_section_next(analysis: Analysis) -> Section:
    ranking = analysis.ranking
    pairs = len(ranking.systems) * (len(ranking.systems) - 1) // 2
    chosen = choose_pairs(analysis.pairs, n=min(BATCH, pairs), seed=analysis.settings.seed)
    document = chosen.document() if pairs > 1 else Document()  # of one there is nothing to choose
    separations = separate_pairs(ranking, find_open(ranking)[:1])
    notes = [Finding("next", NOTE)] if separations else []
    answer = (*say_needed(separations, ranking), *document.answer)
    document = replace(document, answer=answer, findings=(*notes, *document.findings))
    needed = ("report", "--sections", "next", "--json")  # how many judgments, which no verb says
    return make_section("next", document, command=analysis.write_commands(("next",), needed))


def say_needed(separations: Sequence[Separation], ranking: Ranking) -> list[str]:
    if not separations:
        return ["Every pair of systems is decided."]
    one = separations[0]
    decided = [] if one.better == ranking.systems[0] else ["The first place is decided."]
    names = f"{one.better} and {one.worse}"
    if one.barred:
        same = "More answers of the same judges on the same items cannot separate"
        return [*decided, f"{same} {names}: let other judges compare them."]
    if one.times is None or one.times > MAX_TIMES:
        return [*decided, f"Nothing shows that {names} differ."]
    many, limit = (
        f"{one.times:,.1f} times as many judgments of all systems",
        MAX_TIMES * ranking.n_judgments,
    )
    if one.alone is not None and one.alone_least is not None and one.alone <= limit:
        range_ = f"({_say_range(one.alone_least, one.alone_most, limit)})"
        alone = f"{_round(one.alone):,.0f} more judgments"
        several = len(ranking.systems) > 2
        many = (
            f"{alone} of this pair alone {range_}, or {many}," if several else f"{alone} {range_}"
        )
    return [*decided, f"About {many} would separate {names} with a probability of 80 %."]


def _say_range(least: float, most: float | None, limit: float) -> str:
    first = f"{_round(least):,.0f}"
    if most is None:
        return f"{first} or more; if the two do not differ, no number is enough"
    return f"{first} or more" if most > limit else f"{first} to {_round(most):,.0f}"


def _round(number: float) -> float:
    """Return a number with the digits that mean something, 1 at least."""
    places = DIGITS - 1 - floor(log10(max(number, 1)))
    return float(round(max(number, 1), min(places, 0)))


def write_section_more(analysis: Analysis) -> Section:
    n = analysis.settings.tasks
    left = [title for name, title in PREFERENCE.items() if name in list_left_out(n)]
    says = (
        f"A report on this task alone also says: {'; '.join(left)}",
        f"With {n} tasks in one file these are left to it, or to `evenhand report --full`.",
    )
    return Section(MORE, says=says, command=analysis.write_command("report"))

"""The data: what was counted and excluded, items that stand out, what to judge next."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.data.votes import TIE, Votes
from evenhand.design.more_judgments import Separation, separate_pairs
from evenhand.design.next_pairs import NextPairs, choose_pairs
from evenhand.errors import NotIdentified
from evenhand.formats.inspection import Part, inspect
from evenhand.judges.item_agreement import REPLICATES, ItemAgreement, compare_items
from evenhand.ranking.ranking import Ranking
from evenhand.ratings.matrix import MAX_DIFFERENCES, ItemSpread, count_differences, spread_items
from evenhand.render.document import Column, Row, Table
from evenhand.render.values import join_names, write_value
from evenhand.report.analysis import MORE, PREFERENCE, Analysis, list_left_out
from evenhand.report.answer import MAX_TIMES, find_open
from evenhand.report.document import Figure, Section, pick
from evenhand.report.figures.judges import BLIND, ITEM_SIDES, SEEN, draw_shares, draw_sides
from evenhand.report.figures.style import take_chart

# Counts of `Part` → what they count. A ranking is one judgment.
COUNTED: Final = {
    "judgments": "judgments",
    "rankings": "rankings",
    "comparisons": "comparisons of two systems",
    "systems": "systems",
    "judges": "judges",
    "effective_judges": "judges, if all had judged equally much",
    "items": "items",
    "shared_items": "items that two or more judges judged",
}
# Sections such as agreement set more aside, and say so: it is in the ranking all the same
NOTHING: Final = "the ranking counts every judgment; sections that set some aside say so"
# Code of an exclusion → what is excluded, where the word for its unit does not say it
UNITS: Final = {"blank-ranks": "ranks of the other rankings"}


def write_section_data(analysis: Analysis) -> Section:
    rated = isinstance(analysis.data, Ratings)
    inspection = inspect(analysis.data, expanded=None if rated else analysis.comparisons)
    part = inspection.total
    # What was counted
    ranked = isinstance(analysis.data, Rankings)
    rows = tuple(
        {"what": says, "n": getattr(part, key)}
        for key, says in COUNTED.items()
        if getattr(part, key) is not None and not (key == "judgments" and ranked)
    )
    # Say how often nobody was preferred, and how often the left output
    said = []
    if part.tie_share is not None:
        ties = write_value(part.tie_share, "share")
        said.append(f"{ties} of comparisons are ties." if part.tie_share else "There are no ties.")
    if part.left_share is not None:
        left = write_value(part.left_share, "share")
        said.append(f"Where one output is preferred, it is the left one in {left}.")
    names = ", ".join(inspection.covariates)
    unused = [f"Columns that were not used: {names}."] if inspection.covariates else []
    # Everything that was excluded
    left_out: list[dict[str, Any]] = [
        {"what": UNITS.get(one.code, f"{one.unit}s"), "n": one.rows, "why": one.explanation}
        for one in analysis.excluded
    ]
    nothing = {"what": "nothing", "n": 0, "why": NOTHING}
    columns = (Column("what", ""), _number(), Column("why", "why"))
    return Section(
        "data",
        says=(_say_counts(part, analysis), *said, *_say_links(part, analysis)),
        tables=(
            Table("counts", "What was judged", (Column("what", ""), _number()), rows),
            Table("left-out", "What was excluded", columns, tuple(left_out or [nothing])),
            *_tabulate_scores(inspection.scores),
        ),
        notes=tuple(dict.fromkeys((*inspection.notes, *unused))),
        command=analysis.write_command("inspect"),
    )


def _say_counts(part: Part, analysis: Analysis) -> str:
    ranked = isinstance(analysis.data, Rankings)
    n = part.rankings if ranked and part.rankings is not None else part.judgments
    unit = "ranking" if ranked else "judgment"
    of = [f"{write_value(n, 'count')} {unit}{'' if n == 1 else 's'}"]
    if part.judges is not None:
        of.append(f"{_plural(part.judges, 'judge')}")
    if part.items is not None:
        of.append(f"{_plural(part.items, 'item')}")
    return f"{', '.join([*of, _plural(part.systems, 'system')])}."


def _plural(n: int, one: str) -> str:
    return f"{n:,} {one}{'' if n == 1 else 's'}"


def _say_links(part: Part, analysis: Analysis) -> list[str]:
    if isinstance(analysis.data, Ratings) or part.components is None:
        return []
    if part.components > 1:
        return [f"The systems fall into {part.components} groups that were never compared."]
    if not part.strongly_connected:
        return ["Some systems were never preferred to the others, or always: see the ranking."]
    linked = "A chain of preferences or ties leads from every system to every other"
    if analysis.known_ranking is None:
        return [f"{linked}, yet they determine no ranking: see “{PREFERENCE['ranking']}”."]
    return [f"{linked}, so one scale holds them."]


def _tabulate_scores(scores: Any) -> list[Table]:
    if not scores:
        return []
    keys = ("count", "missing", "lowest", "mean", "highest")
    kinds = ("count", "count", "general", "two", "general")
    rows = tuple(
        {"criterion": one.criterion or "score", **{key: getattr(one, key) for key in keys}}
        for one in scores
    )
    columns = (Column("criterion", "criterion"), *map(Column, keys, keys, kinds))
    return [Table("scores", "Scores that were given", columns, rows)]


def _number() -> Column:
    return Column("n", "number", "count")


# Items: where systems differ, where judges differ, and whether that is more than chance.

MAX_ITEMS: Final = 12  # Items in each table
MIN_ITEMS_DRAWN: Final = 10  # Items below which their distribution is not drawn
FULL: Final = 999  # Blind worlds of the full report
MAX_SYSTEMS_DRAWN: Final = 24  # Most systems that stand side by side in a figure
SEVERAL: Final = 3  # Systems on an item, on average, from which a figure says more than the table
# Pairs of votes below which an item is no example: three judges, or two who ranked three
MIN_PAIRS: Final = 3
# Pairs of votes by which an item's excess is drawn to 0 when items are put in order
PRIOR: Final = 5.0
Array = NDArray[np.float64]


def write_section_items(analysis: Analysis) -> Section:
    votes, settings = analysis.votes, analysis.settings
    command = analysis.write_command("report", "--sections", "items", "--json")
    try:
        replicates = FULL if settings.full else REPLICATES
        _refuse_ties(votes)
        agreement = compare_items(votes, replicates=replicates, seed=settings.seed)
    except NotIdentified as refusal:
        says = (f"Nothing can be said of items: {refusal.fault}.",)
        return Section("items", says=says, command=command)
    most = 1 - settings.level
    apart = _rank(
        agreement, agreement.p_decided <= most, agreement.decided - agreement.blind_decided
    )
    against = _rank(agreement, agreement.p_against <= most, agreement.blind_agree - agreement.agree)
    sides = _describe_sides(agreement, votes, apart)
    # Say what is not known of items, and how chance was found
    judged = len(np.unique(agreement.pairs.item))
    alone = judged - len(agreement.item)
    notes = [
        f"blind answers: each answer shuffled, {agreement.replicates} times; chances below"
        f" {1 / (agreement.replicates + 1):.2g} cannot be told apart"
    ]
    if alone:
        notes.append(
            f"{alone:,} of {_count(judged)} had no two judges on the same outputs: nothing is known"
            " of agreement there"
        )
    if votes.answer is not None:
        notes.append("where the same few judges ranked an item, it tells of these judges as well")
    return Section(
        "items",
        says=_say(analysis, agreement),
        figures=(*_draw_shares(agreement), *_draw_sides(analysis, sides)),
        tables=(
            _tabulate_apart(agreement, votes, (apart, sides)),
            _tabulate_against(agreement, votes, against),
        ),
        notes=tuple(notes),
        command=command,
    )


def _refuse_ties(votes: Votes) -> None:
    if (votes.outcome == TIE).all():
        raise NotIdentified("no judge preferred anything")


def _rank(agreement: ItemAgreement, beyond: NDArray[np.bool_], excess: Array) -> list[int]:
    """Return the places of the most extreme items: those beyond chance, then by drawn excess.

    The excess over blind answers is drawn to 0 as by some more pairs of votes, since an item with
    one pair is not the most extreme for it; items with very few come last.
    """
    drawn = excess / (agreement.comparable + PRIOR)
    return [
        int(at)
        for at in np.lexsort((-drawn, ~beyond, agreement.comparable < MIN_PAIRS))[:MAX_ITEMS]
    ]


def _name(votes: Votes, agreement: ItemAgreement, at: int) -> str:
    name: str = votes.items[int(agreement.item[at])]
    return name.removeprefix(f"{votes.tasks[0]} / ") if len(votes.tasks) == 1 else name


def _say(analysis: Analysis, agreement: ItemAgreement) -> tuple[str, ...]:
    n, (united, blind) = len(agreement.item), agreement.united
    split, blind_split = agreement.split
    alone = "On every item some votes of different judges agree."
    if split or blind_split >= 1:
        alone = (
            f"On {_count(split)} no two votes of different judges agree; of blind answers that"
            f" would be so on about {blind_split:,.0f}."
        )
    return (
        f"On {united:,} of {_count(n)} that two judges or more judged, all votes prefer the same"
        f" outputs; of blind answers that would be so on about {blind:,.0f}.",
        _say_extreme(analysis, agreement, agreement.p_decided, "More one-sided"),
        alone,
        _say_extreme(analysis, agreement, agreement.p_against, "More contradictory"),
    )


def _say_extreme(analysis: Analysis, agreement: ItemAgreement, p: Array, what: str) -> str:
    """Name the items that are more extreme than chance gives anywhere among so many."""
    beyond = np.flatnonzero(p <= 1 - analysis.settings.level)
    chance = write_value(float(p.min()), "two")
    if not len(beyond):
        return (
            f"{what} than chance allows: no single item. One as extreme as the most extreme arises"
            f" by chance among so many with probability {chance}: read the table as examples, not"
            " as findings."
        )
    names = [
        _name(analysis.votes, agreement, int(at))
        for at in beyond[np.argsort(p[beyond], kind="stable")]
    ]
    return (
        f"{what} than chance allows anywhere among as many items: {join_names(names)}"
        f" (probability up to {1 - analysis.settings.level:.2g})."
    )


def _count(n: int) -> str:
    return f"{n:,} item{'' if n == 1 else 's'}"


def _draw_shares(agreement: ItemAgreement) -> tuple[Figure, ...]:
    """Draw how one-sided items are, beside blind answers; not of a few."""
    if len(agreement.item) < MIN_ITEMS_DRAWN:
        return ()
    tenths = [f"{10 * tenth}–{10 * tenth + 9} %" for tenth in range(10)]
    rows = [
        {"share": share, "who": who, "items": round(float(items), 2)}
        for share, pair in zip([*tenths, "100 %"], agreement.shares, strict=True)
        for who, items in zip((SEEN, BLIND), pair, strict=True)
    ]
    alt = (
        f"Bars: {_count(len(agreement.item))} by the share of pairs of votes that agree on which"
        " output"
        f" is better, from none to all; marks: the same for blind answers. Complete agreement:"
        f" {agreement.united[0]:,} items, of blind answers about {agreement.united[1]:,.0f}."
    )
    title = "How one-sided items are, beside blind answers"
    return (take_chart(draw_shares(rows), "one-sidedness", title, alt),)


def _describe_sides(
    agreement: ItemAgreement, votes: Votes, chosen: list[int]
) -> dict[int, list[dict[str, Any]]]:
    """Return for some items how each system does there, best first."""
    pairs, sides = agreement.pairs, dict[int, list[dict[str, Any]]]()
    for at in chosen:
        indices = np.flatnonzero((pairs.item == agreement.item[at]) & (pairs.comparable > 0))
        net, made = np.zeros((2, len(votes.systems)))
        lead, size = (
            pairs.said[indices, 2] - pairs.said[indices, 0],
            pairs.said[indices].sum(axis=1),
        )
        for systems, sign in ((pairs.low[indices], 1), (pairs.high[indices], -1)):
            np.add.at(net, systems, sign * lead)
            np.add.at(made, systems, size)
        rows = [
            {
                "item": _name(votes, agreement, at),
                "system": votes.systems[k],
                "net": round(float(net[k] / made[k]), 3),
                "votes": int(made[k]),
            }
            for k in np.flatnonzero(made).tolist()
        ]
        sides[at] = sorted(rows, key=lambda row: (-row["net"], row["system"]))
    return sides


def _draw_sides(analysis: Analysis, sides: dict[int, list[dict[str, Any]]]) -> tuple[Figure, ...]:
    rows = [row for item_rows in sides.values() for row in item_rows]
    systems = {row["system"] for row in rows}
    if len(rows) < SEVERAL * len(sides) or len(systems) > MAX_SYSTEMS_DRAWN:
        return ()
    drawn = [
        {**row, "strength": abs(row["net"]), "side": ITEM_SIDES[row["net"] < 0]} for row in rows
    ]
    ranking = analysis.known_ranking
    order = [name for name in (ranking.systems if ranking else sorted(systems)) if name in systems]
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
    agreement: ItemAgreement,
    votes: Votes,
    chosen: tuple[list[int], dict[int, list[dict[str, Any]]]],
) -> Table:
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
        Column("p", "p", "p", "that so extreme an item arises by chance among all"),
    )
    rows = tuple(
        {
            "item": _name(votes, agreement, at),
            "best": sides[at][0]["system"],
            "worst": sides[at][-1]["system"],
            "decided": int(agreement.decided[at]),
            "comparable": int(agreement.comparable[at]),
            "blind": round(float(agreement.blind_decided[at]), 2),
            "p": float(agreement.p_decided[at]),
        }
        for at in places
    )
    return Table("one-sided", f"The {_name_most(len(rows))}", columns, rows)


def _tabulate_against(agreement: ItemAgreement, votes: Votes, places: list[int]) -> Table:
    columns = (
        Column("item", "item"),
        Column("against", "disagree", "count", "pairs of votes of different judges that disagree"),
        Column("comparable", "of", "count", "all such pairs of votes"),
        Column("blind", "blindly", "one", "as many would disagree if answers were blind"),
        Column("p", "p", "p", "that so extreme an item arises by chance among all"),
    )
    rows = tuple(
        {
            "item": _name(votes, agreement, at),
            "against": int(agreement.comparable[at] - agreement.agree[at]),
            "comparable": int(agreement.comparable[at]),
            "blind": round(float(agreement.comparable[at] - agreement.blind_agree[at]), 2),
            "p": float(agreement.p_against[at]),
        }
        for at in places
    )
    some = f"{len(rows)} items" if len(rows) > 1 else "item"
    title = f"The {some} on which judges contradict each other most"
    return Table("contradicted", title, columns, rows)


# Items on which systems are far apart, and items on which judges are.

MAX_RATED_ITEMS: Final = 10  # Items in a table; half as many of each of several tasks
MAX_CRITERIA: Final = 6  # Most criteria that have a table
CHANCE: Final = (
    "of many items those farthest apart are so by chance as well: means are drawn towards that of"
    " all items as by five more, and items ordered by what is left"
)


def write_section_rated(analysis: Analysis) -> Section:
    rated = analysis.rated
    if rated.rows.items == ("",):
        sentence = "The data have no column of items: nobody knows which outputs belong together."
        return Section("rated", says=(sentence,))
    systems, says, notes = _look_at_systems(analysis)
    judges, heard = _look_at_judges(analysis)
    return Section(
        "rated",
        says=(*says, *heard),
        tables=(*systems, *judges),
        notes=(CHANCE, *notes),
        command=analysis.write_command("report", "--sections", "rated", "--json"),
    )


def _look_at_systems(analysis: Analysis) -> tuple[list[Table], list[str], list[str]]:
    """Return a table for each criterion, what is said of it, and what is left out."""
    rated, tables, says, notes = analysis.rated, [], [], []
    several = len(rated.parts) > 1
    for place, (criterion, part) in enumerate(list(rated.parts.items())[:MAX_CRITERIA]):
        about = f" for {criterion}" if several else ""
        if count_differences(part) > MAX_DIFFERENCES:
            notes.append(
                f"more than {MAX_DIFFERENCES:,} differences{about}: items are not looked at"
            )
            continue
        spreads = spread_items(part)
        if not spreads:
            says.append(
                f"No judge scored two systems on the same item{about}: it cannot be seen on which"
                " items systems differ."
            )
            continue
        first = spreads[0]
        if not first.difference:
            says.append(f"No judge scored two systems differently on any item{about}.")
            continue
        says.append(
            f"Systems are farthest apart{about} on item {_name_rated(first.item, analysis)}:"
            f" {write_value(first.difference, 'two')} points between two systems by the same judge,"
            f" {first.high} highest."
        )
        tables.append(_tabulate_systems(spreads, place, rated.head("", criterion), analysis))
    if len(rated.parts) > MAX_CRITERIA:
        notes.append(f"the first {MAX_CRITERIA} of {len(rated.parts)} criteria are looked at")
    return tables, says, notes


def _tabulate_systems(
    spreads: list[ItemSpread], place: int, tail: str, analysis: Analysis
) -> Table:
    rows = [
        {**vars(one), "item": _name_rated(one.item, analysis)}
        for one in spreads[: _count_shown(analysis)]
    ]
    columns = (
        Column("item", "item"),
        Column("difference", "apart", "two", "mean difference of two systems' scores by one judge"),
        Column("drawn", "drawn", "two", "the same drawn towards the mean of all items"),
        Column("differences", "of", "count", "differences"),
        Column("high", "highest", says="system with the highest mean score there"),
        Column("low", "lowest", says="system with the lowest mean score there"),
    )
    name = "systems" if place == 0 else f"systems-{place + 1}"
    caption = f"Items on which systems are farthest apart{tail}: {len(rows)} of {len(spreads):,}"
    return Table(name, caption, columns, tuple(rows))


def _look_at_judges(analysis: Analysis) -> tuple[list[Table], list[str]]:
    """Return the items on which judges are farthest apart, over all criteria."""
    try:
        items = analysis.rated.agreement.whole.doubtful
    except NotIdentified as refusal:
        return [], [f"Where judges differ cannot be seen: {refusal.fault}."]
    if not items:
        return [], []
    if not items[0].difference:
        return [], ["No two judges scored the same output differently."]
    rows: list[dict[str, Any]] = [
        {"item": _name_rated(item.item, analysis), **pick(item, "difference", "drawn", "units")}
        for item in items[: _count_shown(analysis)]
    ]
    columns = (
        Column("item", "item"),
        Column("difference", "apart", "two", "mean difference of two judges of the same output"),
        Column("drawn", "drawn", "two", "the same drawn towards the mean of all items"),
        Column("units", "outputs", "count", "outputs of it that two or more judges scored"),
    )
    first = rows[0]
    sentence = (
        f"Judges are farthest apart on item {first['item']}:"
        f" {write_value(first['difference'], 'two')} points between two judges of the same output."
    )
    caption = f"Items on which judges are farthest apart: the first {len(rows)}"
    return [Table("judges", caption, columns, tuple(rows))], [sentence]


def _count_shown(analysis: Analysis) -> int:
    return MAX_RATED_ITEMS // 2 if analysis.task else MAX_RATED_ITEMS


def _name_rated(item: str, analysis: Analysis) -> str:
    tasks = analysis.rated.rows.tasks
    return item.removeprefix(f"{tasks[0]} / ") if len(tasks) == 1 and tasks[0] else item


# What to judge next: which pairs, and how many judgments the open places at the top take.

BATCH: Final = 10  # Pairs that are asked for
MAX_OPEN: Final = 10  # Most open pairs at the top that are listed
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
    f" more than {MAX_TIMES:.0f} times today's judgments, which is more than anybody collects. They"
    " are for as many more judges and items of the same kind, and for a number fixed beforehand:"
    " looking again and again until a pair is decided takes more."
)


def write_section_next(analysis: Analysis) -> Section:
    ranking = analysis.ranking
    open_ = find_open(ranking)
    pairs = len(ranking.systems) * (len(ranking.systems) - 1) // 2
    chosen = choose_pairs(analysis.pairs, n=min(BATCH, pairs), seed=analysis.settings.seed)
    choice = pairs > 1
    separations = separate_pairs(ranking, open_[:MAX_OPEN])
    tables = [_list_needed(separations, ranking)] if separations else []
    # Say how many open pairs are not listed, and which clusters bind the first
    sets, notes = ranking.rank_sets, []
    if len(open_) > MAX_OPEN:
        notes.append(f"the {MAX_OPEN} nearest of {len(open_)} open pairs of this system are listed")
    if sets is not None and open_ and sets.limits is not None:
        way = int(np.asarray(sets.limits.way)[open_[0]])
        if way >= 0:
            name = sets.clusterings[way]
            notes.append(
                f"{name}s differ so much on the first of these pairs that more {name}s are needed:"
                f" more answers with the same {name}s would hardly help"
            )
    return Section(
        "next",
        says=(
            *say_needed(separations, ranking),
            *(_say_pairs(chosen, decided=not separations) if choice else ()),
        ),
        tables=(*tables, *((_list_pairs(chosen),) if choice else ())),
        notes=(*((NOTE,) if separations else ()), *tuple(notes), *chosen.notes),
        command=analysis.write_command("next"),
    )


def say_needed(separations: Sequence[Separation], ranking: Ranking) -> list[str]:
    if not separations:
        return ["Nothing is open: every pair of systems is decided."]
    one = separations[0]
    sentences = [] if one.better == ranking.systems[0] else ["Nothing at the top is open."]
    names = f"{one.better} and {one.worse}"
    if one.barred:
        return [
            *sentences,
            f"{names} cannot be separated by more answers of the same judges on the same items: too"
            " few of them link the two. Let other judges compare them.",
        ]
    if one.times is None:
        return [
            *sentences,
            f"{names} are level: nothing shows how many judgments would separate them.",
        ]
    if one.times > MAX_TIMES:
        return [
            *sentences,
            f"Nothing shows that {names} differ. If they are as near as they seem, it takes more"
            f" than {MAX_TIMES:.0f} times as many judgments to separate them"
            f"{_say_least(one, ranking)}.",
        ]
    return [*sentences, f"{_say_number(one, names, ranking)}."]


def _say_least(one: Separation, ranking: Ranking) -> str:
    if one.alone_least is None or _is_beyond(one.alone_least, ranking):
        return ""
    least = f"{_round(one.alone_least):,.0f}"
    return f"; if they are as far apart as they may be, about {least} more of this pair alone"


def _say_number(one: Separation, names: str, ranking: Ranking) -> str:
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
    return alone > MAX_TIMES * ranking.n_judgments


def _round(number: float) -> float:
    """Return a number with the digits that mean something, rounded up or down, 1 at least.

    >>> _round(43753.3), _round(7.4), _round(0.2)
    (44000.0, 7.0, 1.0)
    """
    if number < 1:
        return 1.0
    places = DIGITS - 1 - floor(log10(number))
    return float(round(number, min(places, 0)))


def _list_needed(separations: Sequence[Separation], ranking: Ranking) -> Table:
    """Return the table of open pairs; what nobody collects is said in words."""
    rows = tuple(_describe_next(one, ranking.n_judgments) for one in separations)
    whose = separations[0].better
    return Table("needed", f"Open pairs of {whose}, and what would decide them", NEEDED, rows)


def _describe_next(one: Separation, judgments: float) -> Row:
    alone = (one.alone, one.alone_least, one.alone_most)
    times = (one.times, one.times_least, one.times_most)
    return {
        **pick(one, "better", "worse", "gap", "stderr"),
        **_describe_number("alone", alone, MAX_TIMES * judgments, "count"),
        **_describe_number("times", times, MAX_TIMES, "one"),
        "barred": one.barred,
    }


def _describe_number(
    key: str, values: tuple[float | None, float | None, float | None], most: float, kind: str
) -> dict[str, Any]:
    """Return the cells of a number, where it is one that somebody may collect, and of its range."""
    digits = [None if one is None else _round(one) if kind == "count" else one for one in values]
    if values[1] is None:  # not known of this pair at all
        return {key: None, f"{key}_range": None}
    beyond = [one is not None and one > most for one in values]
    least, top = (
        ENDLESS if one is None else TOO_MANY if far else write_value(one, kind)
        for one, far in zip(digits[1:], beyond[1:], strict=True)
    )
    value = None if digits[0] is None or beyond[0] else round(digits[0], 1)
    range_ = f"{least} to {top}" if values[2] is not None else f"{least}, or {top}"
    return {key: value, f"{key}_range": TOO_MANY if beyond[1] else range_}


def _say_pairs(chosen: NextPairs, *, decided: bool) -> tuple[str, ...]:
    begin = "If more is judged all the same, the" if decided else "The"
    pairs = f"{len(chosen.pairs)} pairs to ask about at once, by what answers would tell"
    first = f"{begin} table below lists {pairs}."
    return (first, *chosen.says[1:])


def _list_pairs(chosen: NextPairs) -> Table:
    rows = tuple(pick(one, "left", "right", "kind", "reason") for one in chosen.pairs)
    return Table("pairs", "Pairs to ask about next", PAIRS, rows)


# What a report on one task alone says beyond this one.


def write_section_more(analysis: Analysis) -> Section:
    left = [
        PREFERENCE[name] for name in PREFERENCE if name in list_left_out(analysis.settings.tasks)
    ]
    sentences = (
        f"A report on this task alone also says: {'; '.join(left)}",
        f"With {analysis.settings.tasks} tasks in one file these are left to it, or to"
        " `evenhand report --full`.",
    )
    return Section(MORE, says=sentences, command=analysis.write_command("report"))

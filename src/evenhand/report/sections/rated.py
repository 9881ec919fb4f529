"""Items on which systems are far apart, and items on which judges are."""

from __future__ import annotations

from typing import Any, Final

from evenhand.errors import NotIdentified
from evenhand.judges.agreement_table import Doubtful
from evenhand.ratings.matrix import MOST, ItemSpread, count_differences, spread_items
from evenhand.report.contents import RATING
from evenhand.report.document import Column, Section, Table
from evenhand.report.numbers import write_value
from evenhand.report.study import Study

SHOWN: Final = 10  # Items in a table; half as many of each of several tasks
CRITERIA: Final = 6  # Most criteria that have a table
CHANCE: Final = (
    "of many items those farthest apart are so by chance as well: means are drawn towards that of"
    " all items as by five more, and items ordered by what is left"
)


def write_section(study: Study) -> Section:
    """Write where systems differ, and where judges do."""
    rated = study.rated
    if rated.rows.items == ("",):
        said = "The data have no column of items: nobody knows which outputs belong together."
        return Section("rated", RATING["rated"], says=(said,))
    systems, says, notes = _look_at_systems(study)
    judges, heard = _look_at_judges(study)
    return Section(
        "rated",
        RATING["rated"],
        says=(*says, *heard),
        tables=(*systems, *judges),
        notes=(CHANCE, *notes),
        command=study.write_command("report", "--sections", "rated", "--json"),
    )


def _look_at_systems(study: Study) -> tuple[list[Table], list[str], list[str]]:
    """Return a table for each criterion, what is said of it, and what is left out."""
    rated, tables, says, notes = study.rated, [], [], []
    several = len(rated.parts) > 1
    for place, (criterion, part) in enumerate(list(rated.parts.items())[:CRITERIA]):
        about = f" for {criterion}" if several else ""
        if count_differences(part) > MOST:
            notes.append(f"more than {MOST:,} differences{about}: items are not looked at")
            continue
        found = spread_items(part)
        if not found:
            says.append(
                f"No judge scored two systems on the same item{about}: it cannot be seen on which"
                " items systems differ."
            )
            continue
        first = found[0]
        if not first.difference:
            says.append(f"No judge scored two systems differently on any item{about}.")
            continue
        says.append(
            f"Systems are farthest apart{about} on item {_name(first.item, study)}:"
            f" {write_value(first.difference, 'two')} points between two systems by the same judge,"
            f" {first.high} highest."
        )
        tables.append(_tabulate_systems(found, place, rated.head("", criterion), study))
    if len(rated.parts) > CRITERIA:
        notes.append(f"the first {CRITERIA} of {len(rated.parts)} criteria are looked at")
    return tables, says, notes


def _tabulate_systems(found: list[ItemSpread], place: int, tail: str, study: Study) -> Table:
    """Return the items on which systems are farthest apart."""
    rows = [{**vars(one), "item": _name(one.item, study)} for one in found[: _count_shown(study)]]
    columns = (
        Column("item", "item"),
        Column("difference", "apart", "two", "mean difference of two systems' scores by one judge"),
        Column("drawn", "drawn", "two", "the same drawn towards the mean of all items"),
        Column("differences", "of", "count", "differences"),
        Column("high", "highest", says="system with the highest mean score there"),
        Column("low", "lowest", says="system with the lowest mean score there"),
    )
    name = "systems" if place == 0 else f"systems-{place + 1}"
    caption = f"Items on which systems are farthest apart{tail}: {len(rows)} of {len(found):,}"
    return Table(name, caption, columns, tuple(rows))


def _look_at_judges(study: Study) -> tuple[list[Table], list[str]]:
    """Return the items on which judges are farthest apart, over all criteria."""
    try:
        found = study.rated.agreement.whole.doubtful
    except NotIdentified as refusal:
        return [], [f"Where judges differ cannot be seen: {refusal.fault}."]
    if not found:
        return [], []
    if not found[0].difference:
        return [], ["No two judges scored the same output differently."]
    rows: list[dict[str, Any]] = [_describe(one, study) for one in found[: _count_shown(study)]]
    columns = (
        Column("item", "item"),
        Column("difference", "apart", "two", "mean difference of two judges of the same output"),
        Column("drawn", "drawn", "two", "the same drawn towards the mean of all items"),
        Column("units", "outputs", "count", "outputs of it that two or more judges scored"),
    )
    first = rows[0]
    said = (
        f"Judges are farthest apart on item {first['item']}:"
        f" {write_value(first['difference'], 'two')} points between two judges of the same output."
    )
    caption = f"Items on which judges are farthest apart: the first {len(rows)}"
    return [Table("judges", caption, columns, tuple(rows))], [said]


def _count_shown(study: Study) -> int:
    """Return how many items stand in a table."""
    return SHOWN // 2 if study.task else SHOWN


def _describe(one: Doubtful, study: Study) -> dict[str, Any]:
    return {
        "item": _name(one.item, study),
        "difference": one.difference,
        "drawn": one.drawn,
        "units": one.units,
    }


def _name(item: str, study: Study) -> str:
    """Return the name of an item without its task, which all items have here."""
    tasks = study.rated.rows.tasks
    return item.removeprefix(f"{tasks[0]} / ") if len(tasks) == 1 and tasks[0] else item

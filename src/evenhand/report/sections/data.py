"""The data: what was counted, what was excluded, what was understood of the file."""

from __future__ import annotations

from typing import Any, Final

from evenhand.errors import NotConverged, NotIdentified
from evenhand.formats.inspection import Part, inspect
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import Ratings
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import Column, Section, Table
from evenhand.report.numbers import write_value
from evenhand.report.study import Study

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
# Code of an exclusion → what is excluded, where the word for its unit does not say it
UNITS: Final = {"blank-ranks": "ranks of the other rankings"}


def write_section(study: Study) -> Section:
    """Write what the judgments are."""
    rated = isinstance(study.data, Ratings)
    found = inspect(study.data, expanded=None if rated else study.comparisons)
    part = found.total
    return Section(
        "data",
        PREFERENCE["data"],
        says=(_say_counts(part, study), *_say_outcomes(part), *_say_links(part, study)),
        tables=(
            _tabulate_counts(part, study),
            _tabulate_excluded(study),
            *_tabulate_scores(found.scores),
        ),
        notes=tuple(dict.fromkeys((*found.notes, *_say_rest(found.covariates)))),
        command=study.write_command("inspect"),
    )


def _say_counts(part: Part, study: Study) -> str:
    """Say how much there is."""
    ranked = isinstance(study.data, Rankings)
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


def _say_outcomes(part: Part) -> list[str]:
    """Say how often nobody was preferred, and how often the left output."""
    said = []
    if part.tie_share is not None:
        ties = write_value(part.tie_share, "share")
        said.append(f"{ties} of comparisons are ties." if part.tie_share else "There are no ties.")
    if part.left_share is not None:
        left = write_value(part.left_share, "share")
        said.append(f"Where one output is preferred, it is the left one in {left}.")
    return said


def _say_links(part: Part, study: Study) -> list[str]:
    """Say whether all systems can stand on one scale."""
    if isinstance(study.data, Ratings) or part.components is None:
        return []
    if part.components > 1:
        return [f"The systems fall into {part.components} groups that were never compared."]
    if not part.strongly_connected:
        return ["Some systems were never preferred to the others, or always: see the ranking."]
    linked = "A chain of preferences or ties leads from every system to every other"
    try:
        study.ranking  # noqa: B018 - refused where there is none
    except (NotIdentified, NotConverged):
        return [f"{linked}, yet they determine no ranking: see “{PREFERENCE['ranking']}”."]
    return [f"{linked}, so one scale holds them."]


def _tabulate_counts(part: Part, study: Study) -> Table:
    """Return what was counted; a single task of a file is counted by itself."""
    ranked = isinstance(study.data, Rankings)
    rows = tuple(
        {"what": says, "n": getattr(part, key)}
        for key, says in COUNTED.items()
        if getattr(part, key) is not None and not (key == "judgments" and ranked)
    )
    return Table("counts", "What was judged", (Column("what", ""), _number()), rows)


def _tabulate_excluded(study: Study) -> Table:
    """Return everything that was excluded; a row that says so where nothing was."""
    rows: list[dict[str, Any]] = [
        {"what": UNITS.get(one.code, f"{one.unit}s"), "n": one.rows, "why": one.explanation}
        for one in study.excluded
    ]
    nothing = {"what": "nothing", "n": 0, "why": "every judgment that was read is counted"}
    columns = (Column("what", ""), _number(), Column("why", "why"))
    return Table("left-out", "What was excluded", columns, tuple(rows or [nothing]))


def _tabulate_scores(scores: Any) -> list[Table]:
    """Return the range of scores under each criterion."""
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


def _say_rest(covariates: tuple[str, ...]) -> list[str]:
    """Say which columns no section used."""
    return [f"Columns that were not used: {', '.join(covariates)}."] if covariates else []

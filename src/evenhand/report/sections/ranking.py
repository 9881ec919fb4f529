"""Who is better: the board, its forest plot, and what is decided."""

from __future__ import annotations

from typing import Any, Final

from evenhand.judgments.tally import Tally
from evenhand.ranking.ranking import Ranking, write_ranks
from evenhand.report.charts import take_chart
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import Column, Section, Table
from evenhand.report.figures.forest import draw_forest
from evenhand.report.study import Study

# What a step of log-worth means: log 2 = 0.69
TWICE: Final = "0.7 further right is preferred twice as often"
DRAWN: Final = 100  # Most systems that the forest plot shows: the best


def write_section(study: Study) -> Section:
    """Write who is better."""
    ranking = study.ranking
    met = count_opponents(study.tally)
    rows = [{**row, "opponents": met[row["system"]]} for row in tabulate(ranking)]
    drawn = draw_forest(rows[:DRAWN], ranking.scale)
    figure = take_chart(drawn, "forest", _title(ranking), _describe(ranking), table="board")
    return Section(
        "ranking",
        PREFERENCE["ranking"],
        says=tuple(_say(ranking)),
        figures=(figure,),
        tables=(make_board(ranking, rows),),
        notes=ranking.notes,
        command=study.write_command("rank"),
    )


def _say(ranking: Ranking) -> list[str]:
    """Say how to read the board, and why the answer is open where it is.

    The answer itself stands at the head of the page.
    """
    said = []
    if ranking.rank_sets is not None:
        said.append(
            f"Rank sets hold the places that each system may have, with {100 * ranking.level:g} %"
            " confidence in all of them together."
        )
    if ranking.rank_upper is None or ranking.rank_upper[0] > 1:
        why = ranking.says
        said.append(f"N{why[1:]}." if why.startswith("no system ") else f"{why}.")
    return said or [f"Systems stand by their {ranking.scale}."]


def tabulate(ranking: Ranking) -> list[dict[str, Any]]:
    """Return a row for each system, best first."""
    estimates = ranking.estimate.tolist()
    keys = ("lower", "upper", "stderr", "cluster", "better_than", "wins", "ties", "losses")
    return [
        {
            "system": row["system"],
            "places": write_ranks(row, "–", ""),
            "estimate": estimate,
            **{key: row[key] for key in keys},
        }
        for row, estimate in zip(ranking.rows(), estimates, strict=True)
    ]


def count_opponents(tally: Tally) -> dict[str, int]:
    """Return with how many others each system was compared."""
    met: dict[int, set[int]] = {code: set() for code in range(len(tally.systems))}
    for left, right in zip(tally.left.tolist(), tally.right.tolist(), strict=True):
        met[left].add(right)
        met[right].add(left)
    return {tally.systems[code]: len(others) for code, others in met.items()}


def make_board(ranking: Ranking, rows: list[dict[str, Any]]) -> Table:
    """Return the board."""
    columns = (
        Column("places", "rank set"),
        Column("system", "system"),
        Column("estimate", ranking.scale, "two"),
        Column("lower", "from", "two", "lower end of the interval"),
        Column("upper", "to", "two", "upper end of the interval"),
        Column("better_than", "better than", "count", "systems it is decided to be better than"),
        *(Column(key, key, "count") for key in ("wins", "ties", "losses")),
    )
    clusters = [row["cluster"] for row in rows]
    lines = tuple(
        place
        for place in range(1, len(rows))
        if clusters[place] is not None and clusters[place] != clusters[place - 1]
    )
    caption = f"Systems, best first{f' ({ranking.headline})' if ranking.headline else ''}"
    return Table("board", caption, columns, tuple(rows), lines)


def _title(ranking: Ranking) -> str:
    held = " that hold all at once" if ranking.rank_interval == "simultaneous" else ""
    shown = "" if len(ranking.systems) <= DRAWN else f", the best {DRAWN}"
    level = f"{100 * ranking.level:g} % intervals{held}"
    places = "" if ranking.rank_lower is None else "; at the right the places that each may have"
    zero = "0 is the average" if ranking.bounded.all() else ""
    step = TWICE if ranking.scale == "log-worth" else ""
    means = "; ".join(filter(None, (zero, step)))
    return (
        f"Systems by {ranking.scale}{f' ({means})' if means else ''}{shown}, with {level}{places}"
    )


def _describe(ranking: Ranking) -> str:
    return f"{len(ranking.systems)} systems from best to worst with intervals. {ranking.says}."

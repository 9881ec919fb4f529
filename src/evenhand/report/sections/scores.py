"""Which system scores higher: mean scores with rank sets, under each criterion."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from evenhand.ranking.score_board import ScoreBoard
from evenhand.report.answer import join_names
from evenhand.report.answer_of_ratings import say_board, say_references
from evenhand.report.charts import take_chart
from evenhand.report.contents import RATING
from evenhand.report.document import Column, Figure, Section, Table
from evenhand.report.figures.file_names import name_files
from evenhand.report.figures.score_forest import KINDS, draw_scores
from evenhand.report.rated import Rated
from evenhand.report.study import Study

DRAWN: Final = 100  # Most systems that a plot shows: the best
# How the plot is read
HELD: Final = (
    "; at the right the places that each may have. Intervals of systems that are"
    " decided may overlap: a difference is surer than two means, which share judges and items"
)
PLOTS: Final = 8  # Most criteria that have a plot; all have a table


def write_section(study: Study) -> Section:
    """Write which system scores higher."""
    if len(study.rated.systems) == 1:
        return _write_alone(study)
    boards = study.rated.boards
    files = name_files(name or "scores" for name in boards)
    tables, figures, says = [], [], []
    for place, (criterion, board) in enumerate(boards.items()):
        name, rows = files[criterion or "scores"], tabulate(board)
        says += [say_board(board, criterion), *say_references(board, criterion)]
        tables.append(_make_table(board, rows, name, study.rated.head("Mean scores", criterion)))
        if place < PLOTS:
            figures.append(_draw(board, rows, name, study.rated.head("Mean scores", criterion)))
    return Section(
        "scores",
        RATING["scores"],
        says=(*says, *_say_directions(study.rated)),
        figures=tuple(figures),
        tables=tuple(tables),
        notes=_note(study.rated),
        command=study.write_command("report", "--sections", "scores", "--json"),
    )


def _write_alone(study: Study) -> Section:
    """Write what can be said of one system: its mean scores."""
    (system,), rows = study.rated.systems, []
    for criterion, part in study.rated.parts.items():
        mean, n = float(part.score.mean()), part.size
        rows.append({"criterion": criterion or "score", "mean": mean, "scores": n})
    columns = (
        Column("criterion", "criterion"),
        Column("mean", "mean score", "two"),
        Column("scores", "scores", "count"),
    )
    said = (
        f"There is one system only, {system}: there is nothing to compare it with, so no ranking."
    )
    return Section(
        "scores",
        RATING["scores"],
        says=(said,),
        tables=(Table("scores", f"Mean scores of {system}", columns, tuple(rows)),),
        command=study.write_command("inspect"),
    )


def tabulate(board: ScoreBoard) -> list[dict[str, Any]]:
    """Return a row for each system, best first; references have no rank."""
    better, rows = (board.decided > 0)[:, board.ranked].sum(axis=1), []
    for at, system in enumerate(board.systems):
        low, high = int(board.rank_lower[at]), int(board.rank_upper[at])
        places = f"{low}" if low == high else f"{low}–{high}"
        known = bool(np.isfinite(board.upper[at]))
        rows.append(
            {
                "system": system,
                "kind": KINDS[not board.ranked[at]],
                "places": places if board.ranked[at] else "reference",
                "mean": float(board.mean[at]),
                "lower": float(board.lower[at]) if known else None,
                "upper": float(board.upper[at]) if known else None,
                "better_than": int(better[at]),
                "scores": int(board.scores[at]),
                "cluster": int(board.cluster[at]) or None,
            }
        )
    return rows


def _make_table(board: ScoreBoard, rows: list[dict[str, Any]], name: str, title: str) -> Table:
    """Return the board of one criterion."""
    columns = (
        Column("places", "rank set", says="ranks that the scores leave open, all at once"),
        Column("system", "system"),
        Column("mean", "mean score", "two"),
        Column("lower", "from", "two", "lower end of the interval"),
        Column("upper", "to", "two", "upper end of the interval"),
        Column("better_than", "better than", "count", "systems it is decided to be better than"),
        Column("scores", "scores", "count"),
    )
    clusters = [row["cluster"] for row in rows]
    lines = tuple(
        place
        for place in range(1, len(rows))
        if board.ranked.all() and clusters[place] != clusters[place - 1]
    )
    return Table(name, f"{title}, best first", columns, tuple(rows), lines)


def _draw(board: ScoreBoard, rows: list[dict[str, Any]], name: str, title: str) -> Figure:
    """Draw the board of one criterion."""
    chart = draw_scores(rows[:DRAWN], lower_is_better=board.lower_is_better)
    shown = "" if len(rows) <= DRAWN else f", the best {DRAWN} of {len(rows)}"
    bounded = any(row["upper"] is not None for row in rows)
    held = f", with {100 * board.level:g} % intervals{HELD}" if bounded else ""
    alt = f"{len(rows)} systems from best to worst by mean score. {say_board(board)}"
    return take_chart(chart, name, f"{title}{shown}{held}", alt, table=name)


def _say_directions(rated: Rated) -> list[str]:
    """Say under which criteria lower scores are better, and which are penalties taken off."""
    said = []
    if rated.lower:
        names = join_names(sorted(rated.lower))
        said.append(f"Lower scores are better for {names}, as the name says.")
    if len(rated.lower) < len(rated.parts):
        others = "" if not rated.lower else " for the other criteria"
        said.append(f"Higher scores are better{others}.")
    return said


def _note(rated: Rated) -> tuple[str, ...]:
    """Say what the numbers are."""
    boards = rated.boards
    notes = [
        "intervals and rank sets hold all at once, under each criterion; an interval is of a"
        " system's distance to the mean of all systems, so that severity which judges show to all"
        " systems alike is not in it",
        *(f"errors: {method}" for method in dict.fromkeys(one.method for one in boards.values())),
    ]
    for criterion, board in boards.items():
        about = f"{criterion}: " if criterion and len(boards) > 1 else ""
        limit = (f"this is {board.headline}",) if board.headline else ()
        notes += [f"{about}{note}" for note in (*limit, *board.notes)]
    if rated.references:
        notes.append(
            f"taken for human references by their names, and given no rank:"
            f" {join_names(list(rated.references))}"
        )
    single = [name for name in rated.parts if name not in boards]
    if single:
        notes.append(f"one system only is scored for {join_names(single)}: no board")
    if len(boards) > PLOTS:
        notes.append(f"the first {PLOTS} of {len(boards)} criteria are drawn; all have a table")
    return tuple(notes)

"""Systems under several criteria: figure 1 of Hamon et al. (2007), and how criteria go together."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.judges.removal import correlate
from evenhand.judgments.rating_rows import RatingRows
from evenhand.ranking.score_board import ScoreBoard
from evenhand.report.charts import take_chart
from evenhand.report.contents import RATING
from evenhand.report.document import Column, Figure, Section, Table
from evenhand.report.figures.system_figures import draw_systems
from evenhand.report.numbers import write_value
from evenhand.report.rated import Rated
from evenhand.report.study import Study

PAIRS: Final = 45  # Most pairs of criteria in the table: the first ones
SAID: Final = 6  # Most pairs of criteria that are spoken of
FEW: Final = 3  # Systems from which on a correlation of their scores means something


def write_section(study: Study) -> Section:
    """Write how systems stand under the criteria."""
    rated = study.rated
    criteria = list(rated.parts)
    if len(criteria) < 2:
        said = f"One criterion only, {criteria[0]}." if criteria[0] else "One criterion only."
        return Section("criteria", RATING["criteria"], says=(f"{said} Nothing to compare.",))
    if len(rated.systems) < 2:
        said = f"One system only, {rated.systems[0]}: systems cannot be set beside each other."
        return Section("criteria", RATING["criteria"], says=(said,))
    every = list(combinations(criteria, 2))
    rows = [_compare(rated, *pair) for pair in every[:PAIRS]]
    more = len(every) - len(rows)
    return Section(
        "criteria",
        RATING["criteria"],
        says=tuple(_say(row, rated) for row in rows[:SAID]),
        figures=_draw(rated),
        tables=(_tabulate(rows),),
        notes=(
            "outputs: correlation of mean scores of the same output, which noise of single scores"
            " lowers; systems: correlation of mean scores of systems, human references aside",
            *((f"{more:,} more pairs of criteria are not shown",) if more else ()),
        ),
        command=study.write_command("report", "--sections", "criteria", "--json"),
    )


def _compare(rated: Rated, first: str, second: str) -> dict[str, Any]:
    """Set two criteria beside each other."""
    one, other = (_score_systems(rated, name) for name in (first, second))
    found = correlate(one, other)
    outputs = correlate(*_score_outputs(rated, first, second))
    boards = [rated.boards.get(name) for name in (first, second)]
    known = found.systems >= FEW
    return {
        "first": first,
        "second": second,
        "pearson": found.pearson if known else None,
        "spearman": found.spearman if known else None,
        "systems": found.systems,
        "outputs_pearson": outputs.pearson,
        "outputs": outputs.systems,
        "against": _count_against(*boards) if boards[0] and boards[1] else None,
    }


def _score_systems(rated: Rated, criterion: str) -> NDArray[np.float64]:
    """Return (S,) mean scores of systems, larger better; NaN of references and of no scores."""
    part = rated.parts[criterion]
    mean = _average(part, part.system.astype(np.int64), len(part.systems))
    mean[[name in rated.references for name in part.systems]] = np.nan
    return -mean if criterion in rated.lower else mean


def _score_outputs(
    rated: Rated, first: str, second: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean scores of outputs under two criteria, larger better; NaN where there are none."""
    size = len(rated.targets.items) * len(rated.targets.systems)
    one, other = (
        (-1.0 if name in rated.lower else 1.0)
        * _average(rated.parts[name], rated.parts[name].output, size)
        for name in (first, second)
    )
    return one, other


def _average(part: RatingRows, codes: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    count = np.bincount(codes, minlength=size)
    found = np.full(size, np.nan)
    np.divide(np.bincount(codes, part.score, minlength=size), count, out=found, where=count > 0)
    return found


def _count_against(one: ScoreBoard | None, other: ScoreBoard | None) -> int:
    """Count pairs of systems that are decided differently under two criteria."""
    if one is None or other is None:
        return 0
    common = [name for name in one.systems if name in other.systems]
    grids = []
    for board in (one, other):
        places = [board.systems.index(name) for name in common]
        grids.append(board.decided[np.ix_(places, places)].astype(np.int64))
    return int((grids[0] * grids[1] < 0).sum()) // 2


def _say(row: dict[str, Any], rated: Rated) -> str:
    """Say how two criteria go together."""
    both, against = f"{row['first']} and {row['second']}", row["against"]
    said = []
    if row["pearson"] is not None:
        said.append(
            f"over {row['systems']} systems the mean scores for {both} correlate"
            f" {write_value(row['pearson'], 'two')} (1 is the same order and distances)"
        )
    elif row["outputs_pearson"] is not None:
        said.append(
            f"over {row['outputs']:,} outputs the scores for {both} correlate"
            f" {write_value(row['outputs_pearson'], 'two')}"
        )
    if against == 0:
        said.append(
            "no two systems are decided to stand one way for the one and the other way for"
            " the other"
        )
    elif against:
        pairs = "pair of systems is" if against == 1 else "pairs of systems are"
        said.append(
            f"{against:,} {pairs} decided one way for the one and the other way for the other"
        )
    del rated
    sentence = "; ".join(said) or f"nothing can be said of {both} together"
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _tabulate(rows: list[dict[str, Any]]) -> Table:
    columns = (
        Column("first", "criterion"),
        Column("second", "and"),
        Column("pearson", "systems", "two", "correlation of the systems' mean scores"),
        Column("spearman", "order", "two", "rank correlation of the systems' mean scores"),
        Column("systems", "of", "count", "systems under both"),
        Column("outputs_pearson", "outputs", "two", "correlation of the outputs' mean scores"),
        Column("outputs", "of", "count", "outputs under both"),
        Column("against", "contrary", "count", "pairs of systems that are decided contrariwise"),
    )
    return Table("correlations", "How criteria go together", columns, tuple(rows))


def _draw(rated: Rated) -> tuple[Figure, ...]:
    """Draw the first two criteria against each other, where judges are known."""
    try:
        found = rated.diagnosis
    except NotIdentified:
        return ()
    across, up = found.criteria[:2]
    chart = draw_systems(found)
    alt = f"Systems as points: across, the mean score for {across}; upwards, for {up}."
    beside = " (the first two criteria)" if len(found.criteria) > 2 else ""
    title = f"Systems by mean score for {across} and for {up}{beside}"
    return (take_chart(chart, "systems", title, alt, wide=True),)

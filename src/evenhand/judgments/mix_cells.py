"""The cells of a mix: judgments counted by the levels that have shares, and by judge or item."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judgments.conditions import advise_filled
from evenhand.judgments.engine import ANSWER, COUNT, fetch_columns

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons

Array = NDArray[np.float64]
ROWS: Final = "evenhand_rows"
# One entry per cell of levels and unit: their labels, its judgments (COUNT) and its rows
Cells: TypeAlias = dict[str, NDArray[Any]]


def count_cells(table: Comparisons, columns: list[str], units: list[str]) -> Cells:
    """Count judgments and rows by levels and unit; a ranking is one judgment."""
    from evenhand.judgments.counting import name_levels

    keys = list(dict.fromkeys([*columns, *units]))
    frame = name_levels(table, keys, table.frame)
    whole = [ANSWER]
    if table.rankings is not None:
        whole = [name for name in ("task", "ranking") if table.has(name)]
    if not table.expanded:
        counted = frame.group_by(*keys).agg(nw.len().alias(COUNT))
        cells = fetch_columns(counted)
        return {**cells, ROWS: cells[COUNT]}
    answers = frame.group_by(*dict.fromkeys([*keys, *whole])).agg(nw.len().alias(ROWS))
    sums = (nw.len().alias(COUNT), nw.col(ROWS).sum())
    return fetch_columns(answers.group_by(*keys).agg(*sums))


def refuse_missing(table: Comparisons, cells: Cells) -> None:
    """Refuse rows that do not say of which level, judge or item they are."""
    for name, labels in cells.items():
        if name in (COUNT, ROWS):
            continue
        missing = np.array([label is None for label in labels.tolist()])
        if missing.any():
            column, rows = table.source.named(name), int(cells[ROWS][missing].sum())
            raise InvalidJudgments(
                f"{rows:,} comparisons of {table.source.name} have no {column}, so that no mix"
                " tells what they weigh: leave them out"
                f" ({advise_filled(table.frame, {column: []})}), or fill them in"
            )


def weigh_cells(cells: Cells, columns: list[str], wanted: Array, kept: NDArray[np.bool_]) -> Array:
    """Return (kept,) the weight of a comparison in each entry; all of them weigh their number.

    Shares are of comparisons, which is what models count: a ranking of five outputs is ten of them,
    and would otherwise outweigh ten judges who ranked two.

    wanted: (C,) share of each entry's cell of levels.
    kept: (C,) entries with a share.
    """
    rows = cells[ROWS][kept].astype(float)
    keys = zip(*(cells[name][kept].tolist() for name in columns), strict=True)
    cell = list(keys) if columns else [()] * len(rows)
    units: dict[tuple[str, ...], int] = {}
    for one in cell:
        units[one] = units.get(one, 0) + 1
    raw = wanted[kept] / (np.array([units[one] for one in cell]) * rows)
    return np.asarray(raw * (rows.sum() / fsum(raw * rows)))

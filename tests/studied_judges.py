"""Small campaigns with judges who are known to be good or bad, for tests of the report."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import evenhand
from evenhand.report.analysis import Analysis, Settings

NAMES = ("A", "B", "C")


def make_rows(
    judges: int, items: int, *, chance: float = 0.9, ties: float = 0.1
) -> list[dict[str, Any]]:
    """Every judge compares two of three systems on every item; the first by name is better."""
    rng = np.random.default_rng(5)
    pair = [tuple(NAMES[k] for k in rng.permutation(3)[:2].tolist()) for _ in range(items)]
    rows = []
    for judge in range(judges):
        for item, (left, right) in enumerate(pair):
            better = "left" if left < right else "right"
            worse = "right" if better == "left" else "left"
            said = "tie" if rng.random() < ties else better if rng.random() < chance else worse
            rows.append(
                {
                    "judge": f"j{judge}",
                    "item": f"i{item}",
                    "left": left,
                    "right": right,
                    "outcome": said,
                }
            )
    return rows


def turn(rows: list[dict[str, Any]], judge: str) -> list[dict[str, Any]]:
    """Turn round all that a judge says."""
    turned = {"left": "right", "right": "left", "tie": "tie"}
    return [
        {**row, "outcome": turned[row["outcome"]]} if row["judge"] == judge else row for row in rows
    ]


def study(rows: list[dict[str, Any]], **settings: Any) -> Analysis:
    """Open rows."""
    return Analysis(evenhand.read(pl.DataFrame(rows)), Settings(("votes.csv",), **settings))


def drop(rows: list[dict[str, Any]], column: str) -> list[dict[str, Any]]:
    """Leave out a column."""
    return [{key: value for key, value in row.items() if key != column} for row in rows]


def open_votes(rows: list[tuple[str, ...]], *more: str, **settings: Any) -> Analysis:
    """Open rows of left, right, outcome and more columns."""
    table = pl.DataFrame(rows, schema=["left", "right", "outcome", *more], orient="row")
    return Analysis(evenhand.read(table), Settings(**settings))

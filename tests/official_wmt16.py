"""The official ranking of WMT16 and how near another one comes to it.

EVENHAND_DATA/wmt16_rankings: `pairwise_expanded.parquet` is the organisers' own file of comparisons
(identical outputs expanded to all their systems, which tie with each other); `official_ranking.csv`
is theirs, of 1,000 runs of keisks/wmt-trueskill (cfedermann/wmt16, results/).
"""

import csv
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.data.votes import Scores

DEAR = {"cze-eng", "eng-cze"}
"""Two of twelve tasks, with 318,275 of all 569,287 comparisons."""
Rows = list[dict[str, str]]


def read_official(folder: Path) -> dict[str, Rows]:
    """By task: rows in the official order."""
    tasks: dict[str, Rows] = {}
    with (folder / "official_ranking.csv").open() as file:
        for row in csv.DictReader(file):
            tasks.setdefault(row["task"], []).append(row)
    return tasks


def _borders(cluster: np.ndarray) -> set[frozenset[int]]:
    """The sets of systems above a line."""
    return {frozenset(np.flatnonzero(cluster <= c).tolist()) for c in range(1, cluster.max())}


def compare(scores: Scores, rows: Rows) -> dict[str, Any]:
    """Agreement with the official ranking of one task, as docs/wmt16.md tabulates it."""
    own = [scores.systems.index(row["system"]) for row in rows]
    assert sorted(own) == list(range(len(rows)))
    column = {
        name: np.array([float(row[name]) for row in rows])
        for name in ("trueskill_mean", "rank_lo", "rank_hi", "cluster")
    }
    values, cluster = scores.values[own], scores.cluster[own]
    k = len(rows)
    ranges = zip((scores.rank_lower, scores.rank_upper), ("rank_lo", "rank_hi"), strict=True)
    off = np.abs([ends[own] - column[name] for ends, name in ranges])
    theirs = column["cluster"].astype(int)
    lines, own_lines = _borders(theirs), _borders(cluster)
    return {
        "tau": float(np.sign(values[:, None] - values)[np.triu_indices(k, 1)].mean()),
        "score": float(np.abs(values - column["trueskill_mean"]).max()),
        "ends": int((off == 0).sum()),
        "farthest": float(off.max()),
        "of": 2 * k,
        "lines": (len(lines & own_lines), len(own_lines), len(lines)),
    }

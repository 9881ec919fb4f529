"""Which systems of a table comparisons link, controls left out: whether they can be ranked."""

from __future__ import annotations

import numpy as np

from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import leave_out_controls
from evenhand.judgments.tally import Tally
from evenhand.numerics.graph import Graph


def tally_systems(data: Comparisons, controls: int | None) -> dict[str | None, Tally]:
    """Count the comparisons of systems by task; nothing where no control stands beside them."""
    if not controls or controls >= data.count_judgments():
        return {}
    kept = leave_out_controls(data)
    if not kept.has("task"):
        return {None: kept.tally()}
    return dict(kept.tally(["task"]).split("task").items())


def draw_links(tally: Tally) -> Graph:
    """Draw an edge from each system to those that were preferred to it; a tie draws both."""
    up = (tally.losses + tally.ties) > 0
    down = (tally.wins + tally.ties) > 0
    left, right = tally.left.astype(np.intp), tally.right.astype(np.intp)
    source = np.concatenate([left[up], right[down]])
    target = np.concatenate([right[up], left[down]])
    return Graph(len(tally.systems), source, target)

"""What judgments leave to a prior: systems that nothing links, answers that nothing contradicts.

A prior, or a pseudo-count, gives every system an estimate, also where the judgments give none. It
does not vary from resample to resample, so that a bootstrap would show it as certainty.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.judgments.tally import Tally
from evenhand.numerics.graph import Graph, strong_components, weak_components
from evenhand.preference.board import make_board
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.preference.existence import check_existence
from evenhand.preference.support import cells_of
from evenhand.ranking.intervals import Array, Intervals, pair_variance

PRIOR: Final = "take --model bradley-terry --prior 1"
NO_SPREAD: Final = 0.05
"""Error of a difference, beside that of independent answers, that is as good as none."""


def find_groups(tally: Tally) -> NDArray[np.intp]:
    """Return (K,) the group of each system: those that some chain of comparisons links.

    >>> one, two = np.array([0, 2], np.int32), np.array([1, 3], np.int32)
    >>> find_groups(Tally(("a", "b", "c", "d"), one, two, *np.ones((3, 2)))).tolist()
    [0, 0, 1, 1]
    """
    rows = tally.counts.sum(axis=1) > 0
    left, right = tally.left[rows].astype(np.intp), tally.right[rows].astype(np.intp)
    return weak_components(Graph(len(tally.systems), left, right))


def require_links(tally: Tally) -> None:
    """Refuse to resample systems that nothing links, or answers that nothing contradicts.

    Args:
        tally: the counts by pair.

    Raises:
        NotIdentified: names the groups, or who was always preferred.

    """
    refusal = _find_fault(tally)
    if refusal is None:
        return
    ours = [*refusal.without_options().remedies, PRIOR]
    if find_groups(tally).any():
        raise NotIdentified(refusal.fault, ours, refusal.leave)
    steps = make_board(cells_of(tally)).steps(ties=True).graph
    if strong_components(steps).max() + 1 == len(tally.systems):
        fault = f"{_said(refusal)}: resamples of unanimous answers are as unanimous"
        raise NotIdentified(f"{fault}, and show nothing of how much others might differ", ours)


def note_one_way(tally: Tally, *, resampled: bool) -> tuple[str, ...]:
    """Say where no judgment contradicts that some systems are better, and what that makes of it.

    Args:
        tally: the counts by pair, of systems that are all linked.
        resampled: whether intervals are by resamples.

    """
    refusal = _find_fault(tally)
    if refusal is None or find_groups(tally).any():
        return ()
    if resampled:
        return (
            f"{_said(refusal)}, and no resample contradicts it: the prior alone limits such"
            " differences, intervals of them are too short and rest on no spread of answers",
        )
    return (f"{_said(refusal)}: the prior alone limits such differences",)


def leave_open(found: Intervals, tally: Tally) -> Intervals:
    """Return intervals in which no pair is decided that no comparison links."""
    group = find_groups(tally)
    linked = group[:, None] == group
    return replace(found, decided=np.where(linked, found.decided, 0).astype(np.int8))


def find_alike(draws: Array, tally: Tally) -> str | None:
    """Return two systems whose difference all resamples as good as agree on, or None.

    Pseudo-counts weigh less in large resamples than in small ones, so that estimates move a little
    even where all clusters answer alike: the measure is what independent answers would give.

    Args:
        draws: (B, K) resampled log-worths.
        tally: the counts by pair.

    """
    variance = pair_variance(np.cov(draws.T))
    usual = BradleyTerry(ties="half-win", prior=1.0).fit(tally).worth_vcov
    variance = variance / (1.0 if usual is None else pair_variance(usual) + np.eye(len(variance)))
    variance[np.diag_indices(len(variance))] = np.inf
    i, j = np.unravel_index(int(np.argmin(variance)), variance.shape)
    alike = variance[i, j] < NO_SPREAD**2
    return f"{tally.systems[i]} and {tally.systems[j]}" if alike else None


def _find_fault(tally: Tally) -> NotIdentified | None:
    """Return why log-worths without a prior would not be finite, or None."""
    try:
        check_existence(cells_of(tally))
    except NotIdentified as refusal:
        return refusal
    return None


def _said(refusal: NotIdentified) -> str:
    """Return what the judgments say, without what the estimate of another model lacks."""
    return refusal.fault.partition(": ")[2] or refusal.fault

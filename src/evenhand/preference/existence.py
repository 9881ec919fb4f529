"""Does a maximum-likelihood estimate exist? Checked before every fit, by exact rules on graphs.

The estimate of a log-linear Bradley-Terry model exists, finite and unique, if and only if no
direction of log-worths x, tie parameter g and order effect e, other than 0, gives every observed
outcome the largest score of its comparison. With d = x_left − x_right + e the scores are d, g, −d:
a preference asks for |d| ≥ g in its favour, a tie for |d| ≤ g. Rao and Kupper's model has the same
directions. They are differences bounded by g and e, so a graph tells whether there are any:

(i)   g = e = 0: preferences as steps, ties as steps both ways, connect everything both ways
      (without the ties where they are discarded); within each group that has worths of its own;
(ii)  g = 1, e = 0: some closed walk within one group has more preferences than ties;
(iii) some comparison is a tie: else g runs to −∞ and the model is fitted without ties;
(iv)  g = 0, e = ±1: some closed walk has more preferences for the first shown than for the second,
      and some other fewer;
(v)   g = 1, any e: closed walks leave no e for which none has a negative sum (an exact search in
      rational numbers).

Source: Ford (1957), American Mathematical Monthly 64:28-33, for (i) without ties; (ii)-(v) follow
from Albert & Anderson (1984), Biometrika 71:1-10. Experiment E14 compares all of them with the
linear programme of `evenhand.numerics.recession`, which serves designs that have no such graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from evenhand.errors import NotIdentified, require_option
from evenhand.numerics.graph import (
    Graph,
    IntArray,
    is_strongly_connected,
    solve_differences,
    strong_components,
    weak_components,
)
from evenhand.preference import refusals
from evenhand.preference.board import Board, make_board
from evenhand.preference.cells import Cells

TIES: Final = ("davidson", "rao-kupper", "none", "half-win", "discard")
"""Treatments of ties; "none" is γ = 0 with the tie cells kept."""

_NO_TIES: Final = {
    "davidson": "no ties observed: γ = −∞, not estimated; fitted without ties",
    "rao-kupper": "no ties observed: τ = 0, not estimated; fitted without ties",
}


@dataclass(frozen=True)
class Verdict:
    """An estimate exists.

    Attributes:
        ties_estimated: whether the model has a tie parameter that these data determine. False for
            treatments without one, and where not a single tie was seen (then a note says so).
        notes: what a report should say beside the estimates.

    """

    ties_estimated: bool
    notes: tuple[str, ...] = ()


def check_existence(cells: Cells, *, ties: str = "davidson", order_effect: bool = False) -> Verdict:
    """Return if the maximum-likelihood estimate exists, refuse in words if it does not.

    Args:
        cells: counts; with an order effect, left must be the system that was shown first.
        ties: davidson | rao-kupper | none | half-win | discard.
        order_effect: whether the model has a parameter for the system shown first.

    Raises:
        NotIdentified: names the systems and what to do.
        UnknownOption: ties is none of the treatments.

    >>> one_pair = np.array([0]), np.array([1])
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> check_existence(Cells(("A", "B"), *one_pair, *counts))
    Verdict(ties_estimated=True, notes=())
    >>> counts = np.array([9.0]), np.array([0.0]), np.array([0.0])
    >>> check_existence(Cells(("A", "B"), *one_pair, *counts))
    Traceback (most recent call last):
    evenhand.errors.NotIdentified: worths are not identified: nobody preferred anything to "A"
    (0 of 9); collect comparisons that may contradict this, leave it out, or pass --prior 1

    """
    require_option("ties", ties, TIES)
    board = make_board(cells)
    if not board.left.size:
        raise NotIdentified(*refusals.no_comparisons(board))
    if ties == "discard" and not (board.wins.any() or board.losses.any()):
        raise NotIdentified(*refusals.only_ties(board))
    free = ties in _NO_TIES and bool(board.ties.any())
    kept = ties != "discard"
    # what holds of some judgments holds of all of them, so a sample usually settles it
    sample = board.sampled()
    parts = (board,) if sample is board else (sample, board)
    if not any(_is_linked(part, ties=kept) for part in parts):
        raise NotIdentified(*_say_what_is_apart(board, ties=kept))
    if free and (places := _places_of_growing_ties(parts)) is not None:
        raise NotIdentified(*refusals.ties_run_away(board, places))
    if order_effect and not any(_order_is_bounded(part, ties=kept) for part in parts):
        raise NotIdentified(*_say_how_order_runs_away(board, ties=kept))
    if free and order_effect and not any(_both_are_bounded(part) for part in parts):
        raise NotIdentified(*refusals.ties_run_away_with_order())
    return Verdict(free, (_NO_TIES[ties],) if ties in _NO_TIES and not free else ())


def _is_linked(board: Board, *, ties: bool) -> bool:
    """Rule (i): every system leads to every other, within each group."""
    every_system_seen = np.unique(board.system).size == len(board.systems)
    return every_system_seen and is_strongly_connected(board.steps(ties=ties).graph, board.roots)


def _places_of_growing_ties(parts: Sequence[Board]) -> IntArray | None:
    """Rule (ii): None if some closed walk has more preferences than ties, else what forbids it.

    That is a place for each node: one or more apart for a preference, at most one for a tie.
    """
    places = None
    for part in parts:
        steps = part.steps(ties=True)
        places = None if _some_pair_disagrees(part) else steps.solve(e=0, g=1).solution
        if places is None:
            break
    return places


def _order_is_bounded(board: Board, *, ties: bool) -> bool:
    """Rule (iv): closed walks gainsay an endless order effect of either sign."""
    steps = board.steps(ties=ties)
    return all(steps.solve(e=e, g=0).cycle is not None for e in (1, -1))


def _both_are_bounded(board: Board) -> bool:
    """Rule (v): (ii) whatever the order effect e. Newton's method: each walk found moves e on."""
    if _some_pair_disagrees(board):  # in one order, so that e cancels
        return True
    steps = board.steps(ties=True)
    e, side = Fraction(0), 0
    while (cycle := steps.solve(e=e.numerator, g=e.denominator).cycle) is not None:
        slope, gain = int(steps.slope[cycle].sum()), int(steps.gain[cycle].sum())
        if slope == 0 or slope * side < 0:  # forbids every e, or all that others have left
            return True
        e, side = Fraction(-gain, slope), slope  # the nearest e that this walk allows
    return False


def _some_pair_disagrees(board: Board) -> bool:
    """Whether some row has preferences both ways: the shortest closed walk without a tie."""
    return bool(np.any((board.wins > 0) & (board.losses > 0)))


def _say_what_is_apart(board: Board, *, ties: bool) -> refusals.Refusal:
    unseen = np.setdiff1d(np.arange(len(board.systems)), board.system)
    if unseen.size:
        return refusals.never_seen(board, unseen)
    groups = (board.only(group) for group in np.unique(board.group).tolist())
    part = next(
        group for group in groups if not is_strongly_connected(group.steps(ties=ties).graph)
    )
    compared = weak_components(part.compared())
    if compared.max() > 0:
        return refusals.apart(part, compared, "never compared")
    links = part.steps(ties=ties).graph
    untied = weak_components(links)
    if untied.max() > 0:
        return refusals.apart(part, untied, "only ever tied")
    ties_help = not ties and is_strongly_connected(part.steps(ties=True).graph)
    return refusals.one_way(part, links, strong_components(links), ties_help=ties_help)


def _say_how_order_runs_away(board: Board, *, ties: bool) -> refusals.Refusal:
    rows = np.flatnonzero(board.wins + board.losses + board.ties * ties)
    left, right = board.left[rows], board.right[rows]
    ends = np.concatenate((left, right)), np.concatenate((right, left))
    # places such that right always stands exactly one after left
    exact = np.repeat((1, -1), rows.size)
    place = solve_differences(Graph(board.n_nodes, *ends), exact).solution
    if place is not None:
        return refusals.order_is_fixed(board, place)
    endless = board.steps(ties=ties).solve(e=1, g=0).cycle is None
    return refusals.order_runs_away("first" if endless else "second")

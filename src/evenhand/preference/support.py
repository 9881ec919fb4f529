"""Whether the data support a model: graph rules where worths are free, else a linear programme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.tally import Tally
from evenhand.preference import refusals
from evenhand.preference.board import make_board
from evenhand.preference.cells import Cells
from evenhand.preference.design import Design
from evenhand.preference.existence import check_existence

Array = NDArray[np.float64]
THRESHOLDS = ("rao-kupper", "glenn-david")
FREE = ("davidson", *THRESHOLDS)
MOVED = 1e-6
"""Share of a null direction below which a parameter does not take part in it."""


class Settings(Protocol):
    """What the check must know of a model."""

    @property
    def ties(self) -> str:
        """Treatment of ties."""

    @property
    def order_effect(self) -> bool:
        """Whether δ is estimated."""

    @property
    def prior(self) -> float:
        """Pseudo-comparisons per system."""


@dataclass(frozen=True)
class Support:
    """An estimate exists.

    Attributes:
        ties_estimated: whether the tie parameter is determined.
        notes: what a report should say beside the estimates.

    """

    ties_estimated: bool
    notes: tuple[str, ...] = ()


def check_support(model: Settings, design: Design, counts: Array, tally: Tally) -> Support:
    """Return if the estimate exists; refuse in words if it does not (INFERENCE A1-A4).

    Args:
        model: the settings that matter here.
        design: the map from parameters to worths.
        counts: (C, 3) counts as the model takes them, for the entries of the design.
        tally: the judgments before ties were discarded or split, for what is said of them.

    Raises:
        NotIdentified: names systems, parameters and the remedy.

    """
    if model.prior > 0:
        return _check_beside_prior(model, counts)
    if design.matrix is None:
        return _check_graph(model, cells_of(tally))
    if design.saturated and not design.aliased:
        return _check_graph(model, _cells_by_group(design, counts))
    return _check_programme(model, design, counts)


def refuse_nothing(tally: Tally) -> NoReturn:
    """Say that no comparison is left to fit a model to.

    Raises:
        NotIdentified: always.

    """
    board = make_board(cells_of(tally))
    why = refusals.only_ties if board.left.size else refusals.no_comparisons
    raise NotIdentified(why(board))


def cells_of(tally: Tally) -> Cells:
    """Return the counts of a tally as the check of existence takes them."""
    return Cells(tally.systems, tally.left, tally.right, tally.wins, tally.ties, tally.losses)


def _cells_by_group(design: Design, counts: Array) -> Cells:
    won, tied, lost = counts.T
    grouped = len(design.groups) > 1
    return Cells(
        systems=design.systems,
        left=design.system[design.left],
        right=design.system[design.right],
        wins=won,
        ties=tied,
        losses=lost,
        group=design.group[design.left] if grouped else None,
        groups=design.groups if grouped else (),
    )


def _check_graph(model: Settings, cells: Cells) -> Support:
    ties = "rao-kupper" if model.ties in THRESHOLDS else model.ties
    verdict = check_existence(cells, ties=ties, order_effect=model.order_effect)
    return Support(verdict.ties_estimated, verdict.notes)


def _check_beside_prior(model: Settings, counts: Array) -> Support:
    """Under a prior on worths only γ and δ can run away."""
    won, tied, lost = counts.sum(axis=0)
    if model.ties in FREE and not won + lost:
        raise NotIdentified(
            "every judgment is a tie: γ = +∞ and the worths are arbitrary; there is nothing to rank"
        )
    fixed = model.ties == "none" and tied  # γ = 0: a tie speaks against an endless advantage
    if model.order_effect and not (won and lost) and not fixed:
        shown = "first" if won else "second"
        raise NotIdentified(
            f"the order effect is not identified: whoever stood {shown} was always preferred;"
            " leave out --order-effect"
        )
    return Support(bool(model.ties in FREE and tied), _note_ties(model, tied=bool(tied)))


def _note_ties(model: Settings, *, tied: bool) -> tuple[str, ...]:
    """Say so where a tie parameter cannot be estimated for want of ties."""
    if tied or model.ties not in FREE:
        return ()
    limit = "τ = 0" if model.ties in THRESHOLDS else "γ = −∞"
    return (f"no ties observed: {limit}, not estimated; fitted without ties",)


def _check_programme(model: Settings, design: Design, counts: Array) -> Support:
    """Ask the linear programme (INFERENCE A4)."""
    from evenhand.numerics.recession import find_recession

    tied = bool(counts[:, 1].any())
    three = tied and model.ties in (*FREE, "none")
    free = tied and model.ties in FREE
    names = [*design.labels, *["tie"] * free, *["order"] * model.order_effect]
    scores = _scores(design, free=free, order_effect=model.order_effect)
    found = find_recession(_differences(scores, counts, three=three))
    if found.aliased is not None:
        moved = [names[i] for i in np.flatnonzero(np.abs(found.aliased) > MOVED)]
        raise NotIdentified(
            f"{listing(moved)} cannot be told apart from these data: they always go together;"
            " leave one out"
        )
    if not found.exists:
        infinite = listing([names[i] for i in found.infinite])
        raise NotIdentified(
            f"the estimates of {infinite} are infinite: every judgment that bears on them goes one"
            " way; collect judgments that may contradict it, drop the covariate or merge its"
            " levels, or pass --prior 1"
        )
    return Support(free, _note_ties(model, tied=tied))


def _scores(design: Design, *, free: bool, order_effect: bool) -> Array:
    """Return (C, 3, p): what each parameter adds to the score of left, tie and right."""
    matrix, p = design.matrix, len(design.names)
    if matrix is None:
        matrix = np.delete(np.eye(design.size), design.reference, axis=1)
    scores = np.zeros((len(design.left), 3, p + free + order_effect))
    worths = matrix[design.left] - matrix[design.right]
    scores[:, 0, :p], scores[:, 2, :p] = worths, -worths
    if free:
        scores[:, 1, p] = 1.0
    if order_effect:
        scores[:, 0, -1], scores[:, 2, -1] = 1.0, -1.0
    return scores


def _differences(scores: Array, counts: Array, *, three: bool) -> Array:
    """Return one row per observed outcome and rival outcome: its score minus the rival's."""
    rivals = (0, 1, 2) if three else (0, 2)
    rows = [
        scores[counts[:, seen] > 0, seen] - scores[counts[:, seen] > 0, other]
        for seen in rivals
        for other in rivals
        if other != seen
    ]
    return np.unique(np.concatenate(rows), axis=0)

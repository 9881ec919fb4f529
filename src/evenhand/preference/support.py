"""Whether the data support a model: graph rules where worths are free, else a linear programme."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.tally import Tally
from evenhand.preference import refusals
from evenhand.preference.board import make_board
from evenhand.preference.cells import Cells
from evenhand.preference.design import Design
from evenhand.preference.existence import check_existence

if TYPE_CHECKING:
    from evenhand.preference.ties.groups import TieGroups

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
THRESHOLDS = ("rao-kupper", "glenn-david")
FREE = ("davidson", *THRESHOLDS)
MOVED = 1e-6
"""Share of a null direction below which a parameter does not take part in it."""
_REMEDIES = (
    "collect judgments that may contradict it",
    "drop the covariate or merge its levels",
    "pass --prior 1",
)


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


@dataclass(frozen=True, eq=False)
class Shape:
    """What parameters there are.

    Attributes:
        design: the map from parameters to worths.
        ties: groups with tie parameters of their own, if any.

    """

    design: Design
    ties: TieGroups | None = None


def check_support(model: Settings, shape: Shape, counts: Array, tally: Tally) -> Support:
    """Return if the estimate exists; refuse in words if it does not (INFERENCE A1-A4).

    Args:
        model: the settings that matter here.
        shape: worths and tie parameters.
        counts: (C, 3) counts as the model takes them, for the entries of the design.
        tally: the judgments before ties were discarded or split, for what is said of them.

    Raises:
        NotIdentified: names systems, parameters and the remedy.

    """
    design = shape.design
    if model.prior > 0:
        return _check_beside_prior(model, shape, counts)
    if shape.ties is not None and not _all_disagree(shape.ties, counts):
        return _check_programme(model, shape, counts)
    ties = "none" if shape.ties is not None else model.ties
    if design.matrix is None:
        found = _check_graph(model, cells_of(tally), ties)
    elif design.saturated and not design.aliased:
        found = _check_graph(model, _cells_by_group(design, counts), ties)
    else:
        return _check_programme(model, shape, counts)
    return found if shape.ties is None else Support(ties_estimated=True, notes=_note(shape.ties))


def refuse_nothing(tally: Tally) -> NoReturn:
    """Say that no comparison is left to fit a model to.

    Raises:
        NotIdentified: always.

    """
    board = make_board(cells_of(tally))
    why = refusals.only_ties if board.left.size else refusals.no_comparisons
    raise NotIdentified(*why(board))


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


def _all_disagree(ties: TieGroups, counts: Array) -> bool:
    """Whether in every group with ties some comparison is preferred both ways.

    Then no direction moves a γ: a tie asks that it does not fall, preferences both ways that it
    does not rise. What is left are the rules for γ fixed.
    """
    both = (counts[:, 0] > 0) & (counts[:, 2] > 0)
    return bool(((ties.sums(both.astype(np.float64)) > 0) | (ties.offset < 0)).all())


def _note(ties: TieGroups) -> tuple[str, ...]:
    """Say which groups never gave a tie."""
    if not ties.endless:
        return ()
    levels = listing([label.removeprefix("tie:") for label in ties.endless])
    note = f"no ties observed of {levels}: γ = −∞ there, not estimated"
    if ties.home is None or not ties.offset[ties.home]:
        return (note,)
    first = int(np.argmax((ties.matrix[:, 0] == 1) & ~ties.matrix[:, 1:].any(axis=1)))
    return (f"{note}; g1 is that of {ties.groups[first]}",)


def _check_graph(model: Settings, cells: Cells, ties: str) -> Support:
    ties = "rao-kupper" if ties in THRESHOLDS else ties
    verdict = check_existence(cells, ties=ties, order_effect=model.order_effect)
    return Support(verdict.ties_estimated, verdict.notes)


def _check_beside_prior(model: Settings, shape: Shape, counts: Array) -> Support:
    """Under a prior on worths only γ and δ can run away."""
    if shape.ties is not None:
        return _check_programme(model, shape, counts)
    won, tied, lost = counts.sum(axis=0)
    if model.ties in FREE and not won + lost:
        raise NotIdentified(
            "every judgment is a tie: γ = +∞ and the worths are arbitrary; there is nothing to rank"
        )
    fixed = model.ties == "none" and tied  # γ = 0: a tie speaks against an endless advantage
    if model.order_effect and not (won and lost) and not fixed:
        shown = "first" if won else "second"
        raise NotIdentified(
            f"the order effect is not identified: whoever stood {shown} was always preferred",
            ["leave out --order-effect"],
        )
    return Support(bool(model.ties in FREE and tied), _note_ties(model, tied=bool(tied)))


def _note_ties(model: Settings, *, tied: bool) -> tuple[str, ...]:
    """Say so where a tie parameter cannot be estimated for want of ties."""
    if tied or model.ties not in FREE:
        return ()
    limit = "τ = 0" if model.ties in THRESHOLDS else "γ = −∞"
    return (f"no ties observed: {limit}, not estimated; fitted without ties",)


def _check_programme(model: Settings, shape: Shape, counts: Array) -> Support:
    """Ask the linear programme (INFERENCE A4); under a prior not about worths, which are finite."""
    from evenhand.numerics.recession import find_recession

    tied = bool(counts[:, 1].any())
    three = tied and model.ties in (*FREE, "none")
    free = tied and model.ties in FREE
    labels = ["tie"] * free if shape.ties is None else shape.ties.labels
    names = [*shape.design.labels, *labels, *["order"] * model.order_effect]
    scores = _scores(shape, free=free, order_effect=model.order_effect)
    if model.prior > 0:
        names, scores = names[len(shape.design.labels) :], scores[:, :, len(shape.design.labels) :]
    three_of = np.full(len(counts), three)
    if shape.ties is not None:
        three_of &= ~shape.ties.tieless
    found = find_recession(_differences(scores, counts, three_of))
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
            " way",
            _REMEDIES,
        )
    if shape.ties is not None:
        return Support(ties_estimated=True, notes=_note(shape.ties))
    return Support(free, _note_ties(model, tied=tied))


def _scores(shape: Shape, *, free: bool, order_effect: bool) -> Array:
    """Return (C, 3, p): what each parameter adds to the score of left, tie and right."""
    design, ties = shape.design, shape.ties
    matrix, p = design.matrix, len(design.names)
    q = int(free) if ties is None else len(ties.names)
    if matrix is None:
        matrix = np.delete(np.eye(design.size), design.reference, axis=1)
    scores = np.zeros((len(design.left), 3, p + q + order_effect))
    worths = matrix[design.left] - matrix[design.right]
    scores[:, 0, :p], scores[:, 2, :p] = worths, -worths
    if q:
        scores[:, 1, p : p + q] = 1.0 if ties is None else ties.matrix[ties.code]
    if order_effect:
        scores[:, 0, -1], scores[:, 2, -1] = 1.0, -1.0
    return scores


def _differences(scores: Array, counts: Array, three: Mask) -> Array:
    """Return one row per observed outcome and rival outcome: its score minus the rival's.

    Args:
        scores: (C, 3, p) what each parameter adds to the score of each outcome.
        counts: (C, 3) left, tie, right.
        three: (C,) whether a tie is an outcome of the entry.

    """
    outcomes = [np.full(len(counts), fill_value=True), three, np.full(len(counts), fill_value=True)]
    rows = []
    for seen, other in permutations(range(3), 2):
        own = (counts[:, seen] > 0) & outcomes[seen] & outcomes[other]
        rows.append(scores[own, seen] - scores[own, other])
    return np.unique(np.concatenate(rows), axis=0)

"""Whether the data support a model: graph rules where worths are free, else a linear programme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.preference.cells import Cells
from evenhand.preference.design import Design
from evenhand.preference.existence import check_existence

Array = NDArray[np.float64]
NO_TIES = "no ties observed: γ = −∞, not estimated; fitted without ties"
THRESHOLDS = ("rao-kupper", "glenn-david")
FREE = ("davidson", *THRESHOLDS)


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


def check_support(model: Settings, design: Design, counts: Array) -> Support:
    """Return if the estimate exists; refuse in words if it does not (INFERENCE A1-A4).

    Raises:
        NotIdentified: names systems, parameters and the remedy.

    """
    if model.prior > 0:
        return _check_beside_prior(model, counts)
    if design.saturated and _one_step(design):
        return _check_graph(model, design, counts)
    return _check_programme(model, design, counts)


def _one_step(design: Design) -> bool:
    """Whether the worths of every group are parameters of their own."""
    return design.matrix is None or not design.aliased


def _check_graph(model: Settings, design: Design, counts: Array) -> Support:
    grouped = len(design.groups) > 1
    cells = Cells(
        design.systems,
        design.system[design.left],
        design.system[design.right],
        *np.ascontiguousarray(counts.T),
        group=design.group[design.left] if grouped else None,
        groups=design.groups if grouped else (),
    )
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
    if model.order_effect and not (won and lost):
        shown = "first" if won else "second"
        raise NotIdentified(
            f"the order effect is not identified: whoever stood {shown} was always preferred;"
            " leave out --order-effect"
        )
    estimated = bool(model.ties in FREE and tied)
    missing = model.ties in FREE and not tied
    return Support(estimated, (NO_TIES,) if missing else ())


def _check_programme(model: Settings, design: Design, counts: Array) -> Support:
    """Ask the linear programme (INFERENCE A4)."""
    from evenhand.numerics.recession import find_recession

    tied = bool(counts[:, 1].any())
    three = tied and model.ties in (*FREE, "none")
    free = tied and model.ties in FREE
    names = [*design.labels, *(["tie"] if free else []), *(["order"] if model.order_effect else [])]
    found = find_recession(_differences(design, counts, names, three=three, free=free))
    if found.aliased is not None:
        moved = [names[i] for i in np.flatnonzero(np.abs(found.aliased) > 1e-6)]  # noqa: PLR2004
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
    missing = model.ties in FREE and not tied
    return Support(free, (NO_TIES,) if missing else ())


def _differences(
    design: Design, counts: Array, names: list[str], *, three: bool, free: bool
) -> Array:
    """Return one row per observed outcome and rival outcome: its score minus the rival's."""
    matrix = design.matrix
    if matrix is None:
        matrix = np.delete(np.eye(design.size), design.reference, axis=1)
    scores = np.zeros((len(counts), 3, len(names)))
    worths = matrix[design.left] - matrix[design.right]
    scores[:, 0, : len(design.names)], scores[:, 2, : len(design.names)] = worths, -worths
    if free:
        scores[:, 1, names.index("tie")] = 1.0
    if names[-1] == "order":
        scores[:, 0, -1], scores[:, 2, -1] = 1.0, -1.0
    rivals = (0, 1, 2) if three else (0, 2)
    rows = [
        scores[counts[:, seen] > 0, seen] - scores[counts[:, seen] > 0, other]
        for seen in rivals
        for other in rivals
        if other != seen
    ]
    return np.unique(np.concatenate(rows), axis=0)

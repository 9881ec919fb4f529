"""Do controls have estimates, finite and unique?

Aliased: what the other parameters leave of a control is nothing, so that the information has a
pivot of zero. Its null space is that of the design at any finite point.

Endless: some direction lets no observed outcome fall behind. No linear programme over all rows is
needed. With H the information and g the gradient where Newton's method stopped, every direction h
of unit length hᵀHh = 1 has |f'''| ≤ R f'', R being the largest difference of two outcomes' linear
predictors in one row, so that f' falls below zero further on if g'H⁻¹g R² < 1: then the maximum is
finite and unique (self-concordance; Bach 2010, Electronic Journal of Statistics 4:384-414, lemma 1
and proposition 2). Where estimates run away this can never hold, but g rounds to zero there: to
√(g'H⁻¹g) is added what summing n rows may have lost, ε n in each place (|x| is at most 1 sd on
average).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.streaming import CodedRows
from evenhand.numerics.newton import Maximum
from evenhand.preference.controls.columns import Control
from evenhand.preference.controls.likelihood import ControlledLikelihood

Array = NDArray[np.float64]
EPSILON: Final = float(np.finfo(np.float64).eps)
NO_PIVOT: Final = 1e-9
"""Share of a control's information, beside the other parameters', that is rounding."""
MOVED: Final = 0.1
"""Share of the largest step below which a control does not take part in running away."""


def refuse_constant(controls: Sequence[Control], rows: CodedRows, scale: Array) -> None:
    """Refuse controls that are the same in every comparison.

    Raises:
        NotIdentified: names the control.

    """
    for control, (least, most), sd in zip(controls, rows.edges, scale, strict=True):
        if not sd > 0:
            raise NotIdentified(
                f"control '{control.name}' is 0 in every comparison: there is nothing to control"
                " for, leave it out"
            )
        if least == most:
            raise NotIdentified(
                f"control '{control.name}' is {least:g} in every comparison, left minus right:"
                " that is an advantage of standing left; leave it out, or use --order-effect"
            )


def note_one_sided(controls: Sequence[Control], rows: CodedRows) -> tuple[str, ...]:
    """Say which columns of differences may be no differences: those that never change sign."""
    notes = []
    for control, (least, most) in zip(controls, rows.edges, strict=True):
        never = "below" if least >= 0 else "above" if most <= 0 else ""
        if never and len(control.columns) == 1:
            notes.append(
                f"{control.name} is never {never} 0: is it a difference, left minus right? A column"
                " for each side is written NAME=LEFT,RIGHT"
            )
    return tuple(notes)


def check_aliases(
    likelihood: ControlledLikelihood, controls: Sequence[Control], information: Array
) -> None:
    """Refuse controls that other parameters make up.

    Args:
        likelihood: for the places of parameters.
        controls: in the order of their parameters.
        information: (p, p) at any finite point.

    Raises:
        NotIdentified: names the control, and what it goes with.

    """
    at, reported = likelihood.before, likelihood.reported
    others = [*range(at), *range(reported, likelihood.size)]
    own = list(range(at, reported))
    cross = information[np.ix_(others, own)]
    made_up = np.linalg.solve(information[np.ix_(others, others)], cross) if others else cross
    left = information[np.ix_(own, own)] - cross.T @ made_up
    total = np.diag(information)[own]
    for i, control in enumerate(controls):
        if left[i, i] <= NO_PIVOT * total[i]:
            with_order = " and the order effect" if likelihood.order_effect else ""
            raise NotIdentified(
                f"control '{control.name}' cannot be told apart from the systems{with_order}: it is"
                " always the difference of what each system has; leave it out, or use outputs that"
                " differ within a system"
            )
        before = left[:i, :i]
        explained = left[i, :i] @ np.linalg.solve(before, left[:i, i]) if i else 0.0
        if left[i, i] - explained <= NO_PIVOT * total[i]:
            names = listing([one.name for one in controls[:i]])
            raise NotIdentified(
                f"control '{control.name}' cannot be told apart from {names} and the systems: it"
                " always goes with them; leave one out"
            )


def check_finite(
    likelihood: ControlledLikelihood,
    controls: Sequence[Control],
    found: Maximum,
    vcov: Array,
) -> None:
    """Refuse a point at which Newton's method only came to rest on a slope without end.

    Raises:
        NotIdentified: names the controls that run away.

    """
    step = vcov @ found.expansion.gradient
    decrement = max(float(found.expansion.gradient @ step), 0.0)
    lost = EPSILON * float(likelihood.counts.sum()) * float(np.sqrt(np.diag(vcov)).sum())
    if (np.sqrt(decrement) + lost) * _furthest(likelihood, vcov) < 1.0:
        return
    moved = np.abs(likelihood.slopes(step)) * likelihood.largest
    held = moved >= MOVED * moved.max(initial=0.0)
    names = [one.name for one, runs in zip(controls, held, strict=True) if runs]
    raise NotIdentified(refuse_endless(names))


def refuse_endless(names: Sequence[str]) -> str:
    """Say that controls have no finite estimates."""
    several = len(names) > 1
    return (
        f"control{'s' * several} {listing(names)}: no finite estimate was found; beside the worths"
        f" of the systems every preference goes one way with {'them' if several else 'it'}. Collect"
        f" comparisons that may contradict this, or leave {'one' if several else 'it'} out"
    )


def _furthest(likelihood: ControlledLikelihood, vcov: Array) -> float:
    """Bound R: the spread of linear predictors of a row that a direction of unit length makes."""
    errors = np.sqrt(np.diag(vcov))
    p = likelihood.n_worths
    worths = np.zeros((likelihood.design.size, likelihood.design.size))
    others = np.delete(np.arange(len(worths)), likelihood.design.reference)
    worths[np.ix_(others, others)] = vcov[:p, :p]
    diagonal = np.diag(worths)
    apart = np.sqrt(np.maximum(diagonal[:, None] + diagonal - 2 * worths, 0.0)).max()
    tie, order = p, p + likelihood.n_ties
    sides = apart + float(likelihood.largest @ likelihood.slopes(errors))
    sides += float(errors[order]) if likelihood.order_effect else 0.0
    return float(2 * sides) + (float(errors[tie]) if likelihood.n_ties else 0.0)

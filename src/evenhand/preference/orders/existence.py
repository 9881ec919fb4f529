"""Does a maximum-likelihood estimate exist for rankings?

Every choice is among finitely many rivals, so that the estimate exists, finite and unique, if and
only if no direction b ≠ 0 gives every observed choice the largest x·b of its rivals. Hence:

(i)  b that leaves ties alone: "stood above" as steps, ties as steps both ways, must connect all
     systems both ways. Without ties this is all: Hunter (2004), Annals of Statistics 32:384-406.
(ii) b that moves a tie parameter. If strict preferences alone connect all systems, worths are
     fixed, and only the sizes of ties remain: steps from the size that was chosen to every other
     that could have been must connect all sizes both ways.
(iii) otherwise a linear programme decides, its constraints found one by one.

In the pattern model (ii) holds by itself: with a strict preference seen γ is bounded above, with a
tie seen below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.tally import Tally
from evenhand.numerics.cone import LEAST, find_direction
from evenhand.numerics.graph import Graph, is_strongly_connected
from evenhand.preference.cells import Cells
from evenhand.preference.existence import check_existence
from evenhand.preference.orders.likelihood import OrderLikelihood

Array = NDArray[np.float64]
AT_ONCE = 200
"""Most broken constraints of one size of sets that are added to the programme at a time."""


def check_order_existence(
    likelihood: OrderLikelihood, ties: Sequence[str], *, prior: float = 0.0
) -> None:
    """Return if the estimate exists, refuse in words if it does not.

    Args:
        likelihood: the law on the rankings, those with ghosts included.
        ties: the law's own parameters in words.
        prior: pseudo-comparisons per system that `likelihood` holds already.

    Raises:
        NotIdentified: names the systems and what to do.

    """
    orders = likelihood.orders
    pairs = orders.tally()
    if not _strictly_linked(pairs):
        counts = pairs.wins, pairs.ties, pairs.losses
        check_existence(Cells(pairs.systems, pairs.left, pairs.right, *counts), ties="none")
    elif _find_sizes(likelihood) is None:
        return
    if ties and (direction := find_direction(_broken(likelihood), likelihood.size)) is not None:
        raise _refuse_endless(likelihood, direction, ties, prior=prior)


def _strictly_linked(pairs: Tally) -> bool:
    """Say whether strict preferences alone lead from every system to every other."""
    won, lost = pairs.wins > 0, pairs.losses > 0
    steps = Graph(
        len(pairs.systems),
        np.concatenate([pairs.left[won], pairs.right[lost]]).astype(np.intp),
        np.concatenate([pairs.right[won], pairs.left[lost]]).astype(np.intp),
    )
    return is_strongly_connected(steps)


def _find_sizes(likelihood: OrderLikelihood) -> Array | None:
    """Rule (ii): a direction of the law's own parameters alone, if there is any."""
    n_extras = len(likelihood.law.extras)
    if not n_extras:
        return None
    broken = _broken(likelihood)

    def own_only(g: Array) -> Array:
        whole = np.zeros(likelihood.size)
        whole[-n_extras:] = g
        return broken(whole)[:, -n_extras:]

    return find_direction(own_only, n_extras)


def _broken(likelihood: OrderLikelihood) -> Callable[[Array], Array]:
    """Return the function that finds choices which fall behind a rival in a direction."""
    rest = np.delete(np.arange(likelihood.full), likelihood.reference)

    def broken(direction: Array) -> Array:
        worths, extras = likelihood.widen(direction)
        b = np.concatenate([worths, extras])
        found = []
        for choices in likelihood.choices:
            best = likelihood.law.best(worths[choices.sets], extras)[choices.which]
            behind = choices.observed - best
            columns = likelihood.columns(choices.sets)[choices.which]
            gain = (behind * b[columns]).sum(axis=1)
            worst = np.argsort(gain, kind="stable")[:AT_ONCE]
            worst = worst[gain[worst] < -LEAST]
            rows = np.zeros((len(worst), likelihood.full))
            np.put_along_axis(rows, columns[worst], behind[worst], axis=1)
            found.append(rows[:, rest])
        return np.concatenate(found)

    return broken


def _refuse_endless(
    likelihood: OrderLikelihood, direction: Array, ties: Sequence[str], *, prior: float
) -> NotIdentified:
    """Name what runs away; worths only where ties do not run away by themselves."""
    worths, extras = likelihood.widen(direction)
    high = worths > worths.min() + LEAST
    alone = _find_sizes(likelihood)
    if alone is not None:
        extras, high = alone, np.zeros_like(high)
    moved = [name for name, g in zip(ties, extras, strict=True) if abs(g) > LEAST]
    names = np.array(likelihood.orders.systems, dtype=object)
    fault = f"{listing(moved)}: no finite estimate"
    if high.any():
        up, rest = listing(names[high].tolist(), 4), listing(names[~high].tolist(), 4)
        fault += f", nor have the worths of {up} against {rest}"
    grow = "they grow" if len(moved) > 1 or high.any() else "it grows"
    return NotIdentified(
        f"{fault}, since no ranking gainsays that {grow} for ever",
        [
            "collect more rankings",
            *([] if prior > 0 else ["pass --prior 1 (in Python prior=1)"]),
            "expand the rankings into comparisons (--ties half-win)",
        ],
    )

"""From rankings and a law to a fit: ghosts of a prior, existence, Newton, covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.judgments.orders import NONE, Orders
from evenhand.numerics.newton import Maximum, invert_positive, maximise
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.design import reference_code
from evenhand.preference.orders.existence import check_order_existence
from evenhand.preference.orders.fit import OrderFit
from evenhand.preference.orders.likelihood import Law, OrderLikelihood
from evenhand.preference.support import refuse_nothing

if TYPE_CHECKING:
    from evenhand.preference.pattern import PatternModel
    from evenhand.preference.plackett_luce import PlackettLuce

Array = NDArray[np.float64]
MOST_SYSTEMS: Final = 2000
GHOST: Final = "the ghost of the prior"


def require_prior(prior: float) -> None:
    """Refuse a prior that is no number of pseudo-comparisons.

    Raises:
        UnknownOption: it is negative or not finite.

    """
    if not (np.isfinite(prior) and prior >= 0):
        raise UnknownOption(
            f"prior cannot be {prior}: it is a number of pseudo-comparisons per system, such as 1,"
            " or 0 for none"
        )


def observed_sizes(orders: Orders) -> tuple[int, ...]:
    """Return the sizes of tied sets that occur, ascending."""
    sizes = np.unique(orders.sizes())
    return tuple(sizes[sizes > 1].tolist())


def fit_orders(
    model: PlackettLuce | PatternModel,
    orders: Orders,
    law: Law,
    labels: Sequence[str],
    notes: Sequence[str],
) -> OrderFit:
    """Fit a law to rankings by maximum likelihood (or its posterior mode under a prior).

    Args:
        model: the settings.
        orders: the rankings.
        law: the law.
        labels: the law's own parameters in the user's words.
        notes: what a report should say of them.

    Raises:
        NotIdentified: no finite, unique maximum exists, or systems are too many.
        NotConverged: Newton's method did not settle.

    """
    if len(orders.systems) > MOST_SYSTEMS:
        raise NotIdentified(
            f"{len(orders.systems):,} systems are too many for a model of whole rankings (at most"
            f" {MOST_SYSTEMS:,}): expand the rankings into comparisons"
        )
    if not len(orders.weights):
        refuse_nothing(orders.tally())
    reference = reference_code(orders.systems, model.reference)
    data = OrderLikelihood(law, orders, reference)
    found, beta, vcov = _solve(data, model.prior, labels)
    others = [i for i in range(len(orders.systems)) if i != reference]
    return OrderFit(
        model=model,
        systems=orders.systems,
        names=(*(f"o{i + 1}" for i in others), *law.extras),
        labels=(*(orders.systems[i] for i in others), *labels),
        beta=beta,
        beta_vcov=vcov,
        loglik=float(orders.weights @ data.log_probs(beta)),
        df=_count_df(data),
        n_judgments=orders.n_judgments,
        n_comparisons=orders.n_comparisons,
        steps=found.steps,
        decrement=found.decrement,
        notes=(*notes, *orders.notes, *_left_out(orders)),
        likelihood=data,
    )


def _solve(
    data: OrderLikelihood, prior: float, labels: Sequence[str]
) -> tuple[Maximum, Array, Array]:
    """Climb to the maximum: how it went, estimates, covariance, those of the ghost left out."""
    whole = replace(data, orders=_with_ghost(data.orders, prior)) if prior else data
    check_order_existence(whole, labels, prior=prior)
    with one_blas_thread():
        found = maximise(whole.expand, whole.start(), reach=whole.reach)
        vcov = invert_positive(found.expansion.information)
    ghost = [data.n_systems - 1] if prior else []
    kept = np.delete(np.arange(whole.size), ghost)
    beta, vcov = found.at[kept], vcov[np.ix_(kept, kept)]
    for array in (beta, vcov):
        array.flags.writeable = False
    return found, beta, vcov


def _count_df(likelihood: OrderLikelihood) -> float:
    """Count the rivals of all choices, less one for each choice, less parameters."""
    weights, total = likelihood.orders.weights, 0.0
    for choices in likelihood.choices:
        rivals = likelihood.law.count_rivals(choices.sets.shape[1])
        total += float(weights[choices.row].sum()) * (rivals - 1)
    return total - likelihood.size


def _left_out(orders: Orders) -> tuple[str, ...]:
    """Say which rankings and rows count nothing."""
    notes = []
    if orders.n_short:
        n = orders.n_short
        notes.append(
            f"{n:,.0f} ranking{'s' if n != 1 else ''} of one output only: nothing to compare"
        )
    if orders.zero_weight:
        n = orders.zero_weight
        notes.append(f"{n:,} row{'s' if n != 1 else ''} of weight zero: left out")
    return tuple(notes)


def _with_ghost(orders: Orders, prior: float) -> Orders:
    """Add pseudo-comparisons of every system with a ghost, half of them won."""
    k = len(orders.systems)
    systems = np.arange(k, dtype=np.int32)
    ghost = np.full(k, k, dtype=np.int32)
    width = orders.outputs.shape[1]
    outputs = np.full((2 * k, width), NONE, dtype=np.int32)
    places = outputs.copy()
    outputs[:, :2] = np.concatenate([np.stack([systems, ghost], 1), np.stack([ghost, systems], 1)])
    places[:, :2] = (0, 1)
    return Orders(
        (*orders.systems, GHOST),
        np.concatenate([orders.outputs, outputs]),
        np.concatenate([orders.places, places]),
        np.concatenate([orders.weights, np.full(2 * k, prior / 2)]),
    )


def refuse_long(orders: Orders, most: int) -> None:
    """Refuse rankings with more outputs than can be summed over.

    Raises:
        InvalidJudgments: names the longest.

    """
    longest = int(orders.lengths.max(initial=0))
    if longest > most:
        raise InvalidJudgments(
            f"a ranking of {longest} outputs is too long for the pattern model, which sums over all"
            f" rankings of its outputs (at most {most} here): use PlackettLuce, or expand the"
            " rankings into comparisons"
        )

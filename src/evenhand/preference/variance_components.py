"""Variance components of comparisons: tastes of judges and of items for systems.

    x = (θ_j + b_gj + u_ij) − (θ_k + b_gk + u_ik),   b ~ N(0, σ_J²), u ~ N(0, σ_I²)
    P(j preferred) : P(tie) : P(k preferred) = e^{x/2} : ν : e^{−x/2}

How severe a judge is, or how hard an item, cancels in a comparison. What does not is that a judge
likes one system more than others do (judge x system), and that a system does better on one item
than on others (item x system). Both are estimated by moments (tastes/moments.py) at the cost of one
pooled fit, on the scale of log-worth (natural log-odds).

When not to use it: with fewer than five judges nothing much is known of how judges differ; where
tastes are as strong as worths, moments are too small, and `RandomJudges` has a likelihood for those
of judges.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.components import ITEM_SYSTEM, JUDGE_SYSTEM, SYSTEM, Component
from evenhand.judgments.tally import Tally
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.preference.fit import Fit
from evenhand.preference.tastes.attenuation import Restored, restore
from evenhand.preference.tastes.moments import (
    Moment,
    conclude_alone,
    conclude_both,
    sum_products,
)
from evenhand.preference.tastes.residuals import Residuals, find_residuals

Array = NDArray[np.float64]

FEW: Final = 5


@dataclass(frozen=True)
class TasteComponents:
    """What comparisons say of systems and tastes.

    Attributes:
        components: systems, judge x system, item x system: those that can be told.
        growth: by what variances look smaller through pooled worths than they are.
        per_vote: variance of the difference of two log-worths, times comparisons, that chance
            alone gives; the mean over pairs of systems.
        sharing: component → how far its variance goes into the difference of two log-worths: 2/J
            with J the effective number of judges, or items.
        reasons: what cannot be told, and why.
        notes: what must stand beside the estimates.

    """

    components: tuple[Component, ...]
    growth: float
    per_vote: float
    sharing: dict[str, float]
    reasons: tuple[str, ...]
    notes: tuple[str, ...]


def estimate_taste_components(tally: Tally, *, level: float = 0.95) -> TasteComponents:
    """Estimate the variances of tastes.

    Args:
        tally: counts told apart by judge, by item, or by both; by ranking as well where answers
            are rankings.
        level: of the intervals.

    Raises:
        NotIdentified: worths have no estimate, or neither judges nor items are known twice, or
            tastes are too strong for moments.

    """
    ties = bool(tally.ties.any())
    with one_blas_thread():
        fit = _fit(tally, ties=ties)
    tie = float(np.exp(fit.estimate[fit.names.index("g1")])) if "g1" in fit.names else 0.0
    found = find_residuals(tally, fit, tie)
    moments, reasons = _estimate_all(tally, found, level)
    if not moments:
        raise NotIdentified(
            "nothing can be said of tastes: " + "; ".join(reasons),
            [
                "say which columns name judges and items (--column judge=NAME)",
                "collect judgments of several judges on the same items",
            ],
        )
    looks = {name: one.variance for name, one in moments.items()}
    restored = restore(looks.get("judge", 0.0), looks.get("item", 0.0), tie)
    sharing = {TASTES[name]: 2 / tally.factor(name).effective for name in moments}
    per_vote = _vary_by_chance(fit) * tally.n_comparisons
    system = _between_systems(fit, looks, sharing, restored)
    rows = [_component(name, moments, tie, tally) for name in moments]
    return TasteComponents(
        (system, *sorted(rows, key=lambda one: ORDER.index(one.name))),
        restored.growth,
        per_vote,
        sharing,
        tuple(reasons),
        (*fit.notes, *_note_few(tally, moments)),
    )


TASTES: Final = {"judge": JUDGE_SYSTEM, "item": ITEM_SYSTEM}
ORDER: Final = (ITEM_SYSTEM, JUDGE_SYSTEM)


def _fit(tally: Tally, *, ties: bool) -> Fit:
    """Fit worths to all judgments together."""
    try:
        return BradleyTerry(ties="davidson" if ties else "discard").fit(tally.pool())
    except (NotIdentified, NotConverged) as refusal:
        raise refusal.without_options() from None


def _estimate_all(
    tally: Tally, found: Residuals, level: float
) -> tuple[dict[str, Moment], list[str]]:
    """Return what judges' and items' tastes look like, and why some cannot be told."""
    products, reasons = {}, []
    for name, other in (("judge", "item"), ("item", "judge")):
        if name not in tally.factors:
            reasons.append(f"the data do not name {name}s")
            continue
        owner = _codes(tally, name)
        one = sum_products(found, owner, _cells(tally, other))
        if one is not None:
            products[name] = one
        elif owner.max() == 0:
            reasons.append(f"there is one {name}: nothing can be said of how {name}s differ")
        else:
            reasons.append(
                f"{TASTES[name]} cannot be told from chance: no {name} has judgments of several"
                f" {other}s"
            )
    if len(products) == 2:
        both = conclude_both(products["judge"], products["item"], level)
        return dict(zip(("judge", "item"), both, strict=True)), reasons
    return {name: conclude_alone(one, level) for name, one in products.items()}, reasons


def _cells(tally: Tally, other: str) -> NDArray[np.int64] | None:
    """Return what votes of one judge may hang together by: the item, else the ranking."""
    for name in (other, "ranking"):
        if name in tally.factors:
            return _codes(tally, name)
    return None


def _codes(tally: Tally, name: str) -> NDArray[np.int64]:
    """Return levels that occur, numbered from 0."""
    codes = np.unique(tally.factor(name).codes, return_inverse=True)[1]
    return codes.reshape(-1).astype(np.int64)


def _vary_by_chance(fit: Fit) -> float:
    """Return the mean variance of differences of log-worths by the pooled model."""
    vcov, k = fit.worth_vcov, len(fit.systems)
    return 2 * float(np.trace(vcov) - vcov.sum() / k) / (k - 1)


def _between_systems(
    fit: Fit, looks: dict[str, float], sharing: dict[str, float], restored: Restored
) -> Component:
    """Return how far systems are from each other, less what their errors add."""
    error = _vary_by_chance(fit)
    error += sum(looks[name] * sharing[TASTES[name]] for name in looks)
    variance = max(float(fit.log_worth.var(ddof=1)) - error / 2, 0.0) * restored.growth
    return Component(SYSTEM, sqrt(variance), len(fit.systems), how="moments")


def _component(name: str, moments: dict[str, Moment], tie: float, tally: Tally) -> Component:
    """Return a component on the scale of tastes; the ends of its interval grow by themselves."""
    one = moments[name]
    looks = {other: moments[other].variance for other in moments}

    def find_sd(variance: float) -> float:
        given = {**looks, name: variance}
        try:
            found = restore(given.get("judge", 0.0), given.get("item", 0.0), tie)
        except NotIdentified:
            return inf
        return sqrt(found.judge if name == "judge" else found.item)

    sd, lower, upper = (find_sd(end) for end in (one.variance, one.lower, one.upper))
    size = int(_codes(tally, name).max()) + 1
    return Component(TASTES[name], sd, size, lower, upper, one.p, how="moments")


def _note_few(tally: Tally, names: Iterable[str]) -> list[str]:
    notes = []
    for name in names:
        size = int(_codes(tally, name).max()) + 1
        if size < FEW:
            notes.append(f"{size} {name}s say little of how {name}s differ")
    return notes

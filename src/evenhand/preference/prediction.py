"""What a fit says of pairs of systems: chances of left, tie and right, differences in worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, NotIdentified, listing, suggest
from evenhand.preference.coefficients import Contrast
from evenhand.preference.tables import code_pairs, contrast_systems

if TYPE_CHECKING:
    from evenhand.preference.fit import Fit

Array = NDArray[np.float64]


def predict_pairs(fit: Fit, codes: Sequence[tuple[int, int]], group: str | None) -> Array:
    """Return (n, 3) chances of left, tie, right.

    Args:
        fit: the fit.
        codes: codes of the system shown first, and of the other.
        group: judge group, where groups have parameters of their own; the reference by default.

    Raises:
        InvalidJudgments: no such group.
        NotIdentified: the group never saw one of the systems.

    """
    likelihood, ties = fit.likelihood, fit.likelihood.ties
    chosen = _find(fit.groups, group)
    worth_group, tie = chosen, likelihood.parts(fit.beta)[1]
    if ties is not None:
        at = ties.home if chosen is None else chosen
        if at is None:
            raise NotIdentified(
                "no judgment is of the reference group of all covariates: name a group, one of"
                f" {listing(ties.groups)}, or other reference levels"
            )
        worth_group = int(ties.worth_group[at])
        first = likelihood.n_worths
        tie = float(ties.gammas(fit.beta[first : first + likelihood.n_ties])[at])
    worths, _, order, _ = likelihood.parts(fit.beta)
    nodes = fit.design.nodes(worth_group, [code for pair in codes for code in pair])
    left, right = worths[nodes].reshape(-1, 2).T
    return np.exp(likelihood.law.log_chances(left - right + order, tie))


def contrast_pairs(fit: Fit, pairs: Sequence[tuple[str, str]]) -> tuple[Contrast, ...]:
    """Return differences in log-worth between pairs of systems, with model-based errors.

    Raises:
        InvalidJudgments: a system that the fit does not know, or a system with itself.

    """
    if fit.vcov is not None:
        return contrast_systems(fit.systems, fit.log_worth, fit.worth_vcov, pairs)
    from evenhand.preference.large import contrast_variances

    codes, worth = code_pairs(fit.systems, pairs), fit.log_worth
    variances = contrast_variances(fit, codes)
    return tuple(
        Contrast.make(pair, float(worth[a] - worth[b]), float(np.sqrt(variance)))
        for pair, (a, b), variance in zip(pairs, codes, variances, strict=True)
    )


def _find(groups: tuple[str, ...], group: str | None) -> int | None:
    if group is None:
        return None
    if group not in groups:
        hint = suggest(group, groups) or f" There are {listing(groups)}"
        raise InvalidJudgments(f"no judge group '{group}' in this fit.{hint}")
    return groups.index(group)

"""What one judge's answers say of his or her taste: posterior means, drawn towards the mean judge.

    E[u_lj | answers of l],   sd[u_lj | answers of l]          at the estimated θ, γ and σ

With few answers the mean stays near 0 and the standard deviation near σ: such a judge is unknown,
not average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.judges.estimation import Peak
from evenhand.preference.judges.integrals import invert
from evenhand.preference.judges.likelihood import Panel, shift_sites

Array = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Taste:
    """How far one judge's log-worths are from the mean judge's.

    Attributes:
        judge: the judge's name.
        systems: the systems that this judge saw; of others nothing is known but σ.
        deviation: (systems,) posterior mean of u (log-odds).
        stderr: (systems,) posterior standard deviation.

    """

    judge: str
    systems: tuple[str, ...]
    deviation: Array
    stderr: Array


def find_tastes(
    panel: Panel,
    peak: Peak,
    systems: Sequence[str],
    labels: Sequence[str],
    codes: Sequence[int],
) -> tuple[Taste, ...]:
    """Return the tastes of some judges.

    Args:
        panel: judges' answers.
        peak: the maximum.
        systems: names of the systems.
        labels: names of the judges.
        codes: the judges to look at.

    """
    mean, error = _posterior(panel, peak, np.asarray(codes, dtype=np.intp))
    order = np.lexsort((panel.system, panel.judge))
    order = order[panel.judge[order] < len(labels)]
    starts = np.searchsorted(panel.judge[order], np.arange(len(labels) + 1))
    tastes = []
    for code in codes:
        places = order[starts[code] : starts[code + 1]]
        seen = tuple(systems[i] for i in panel.system[places].tolist())
        tastes.append(Taste(labels[code], seen, mean[places], error[places]))
    return tuple(tastes)


def _posterior(panel: Panel, peak: Peak, codes: Integers) -> tuple[Array, Array]:
    """Return (slots,) posterior means and standard deviations, for the blocks of some judges."""
    mean, error = np.zeros((2, len(panel.system)))
    if peak.point is None:
        return mean, error
    wanted = np.isin(panel.judge, codes)
    theta, gamma, sigma = panel.parts(peak.beta)
    for batch in panel.blocks.batches:
        if wanted[batch.nodes].any():
            sites = shift_sites(peak.point.state, batch, panel.votes(batch, theta, gamma))
            covariance, centre, _ = invert(batch, sites, sigma)
            mean[batch.nodes] = centre.reshape(-1)
            diagonal = np.diagonal(covariance, axis1=1, axis2=2)
            error[batch.nodes] = np.sqrt(diagonal).reshape(-1)
    return mean, error
